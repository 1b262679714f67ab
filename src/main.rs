//! The command `asp-solve`.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[global_allocator]
static ALLOCATOR: asp::objects::Allocator = asp::objects::Allocator;

fn main() {
    // Leave the process without unwinding, also after a panic: freeing a large ground program takes
    // longer than exiting, and a thread may still be grounding.
    let code = std::panic::catch_unwind(|| asp_solve::run(std::env::args_os())).unwrap_or(101);
    asp_solve::leave(code)
}
