//! The command `asp-solve`.

fn main() {
    let code = asp_solve::run(std::env::args_os());
    // Freeing a large ground program takes longer than leaving it, and a thread may still be grounding.
    asp_solve::leave(code)
}
