//! The command `asp-solve`.

// `objects` replaces the C++ operators by their mangled names, which are those of 64-bit targets.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod objects;

fn main() {
    // Leave the process without unwinding, also after a panic: freeing a large ground program takes
    // longer than exiting, and a thread may still be grounding.
    let code = std::panic::catch_unwind(|| asp_solve::run(std::env::args_os())).unwrap_or(101);
    asp_solve::leave(code)
}
