//! The command `asp-solve`.

// The names in C++ of `new` and `delete` are those of 64-bit machines.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod objects;

fn main() {
    // After a panic, too: freeing a large ground program takes longer than leaving it, and a thread may still be grounding.
    let code = std::panic::catch_unwind(|| asp_solve::run(std::env::args_os())).unwrap_or(101);
    asp_solve::leave(code)
}
