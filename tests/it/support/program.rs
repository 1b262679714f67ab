//! The program under test.

use std::ffi::OsString;

/// Returns the command line that starts the program. By default, cargo built it. The variables
/// `$ASP_SOLVE_PROGRAM` and `$ASP_SOLVE_RUNNER` name a build for another platform, and what runs it,
/// such as `wine`.
pub fn program() -> Vec<OsString> {
    let Some(program) = std::env::var_os("ASP_SOLVE_PROGRAM") else {
        return vec![env!("CARGO_BIN_EXE_asp-solve").into()];
    };
    let runner = std::env::var("ASP_SOLVE_RUNNER").unwrap_or_default();
    runner.split_whitespace().map(OsString::from).chain([program]).collect()
}
