//! The program under test.

use std::ffi::OsString;

/// Returns the words that start the program: those of `ASP_SOLVE_RUNNER` (such as `wine`) and
/// `ASP_SOLVE_PROGRAM` if a build for another platform is tested, else the program that cargo built.
pub fn program() -> Vec<OsString> {
    let Some(program) = std::env::var_os("ASP_SOLVE_PROGRAM") else {
        return vec![env!("CARGO_BIN_EXE_asp-solve").into()];
    };
    let runner = std::env::var("ASP_SOLVE_RUNNER").unwrap_or_default();
    runner.split_whitespace().map(OsString::from).chain([program]).collect()
}
