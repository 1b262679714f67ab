//! Certificate files.

use std::path::Path;

use base::diagnostic::Failure;
use prover::Certification;
use puzzle::job::CertifyMode;

use super::{output, terminal};

/// Checks the files up front, so that a bad path does not surface only after the proof.
pub fn check_paths(output: Option<&Path>, proof: &Path) -> Result<(), Failure> {
    let formula = (certificate_kind(proof) == CertifyMode::WriteVeriPb).then(|| proof.with_extension("opb"));
    let outputs = [("--output", output), ("--proof", Some(proof)), ("the formula of --proof", formula.as_deref())];
    output::reject_duplicate_outputs(&outputs)?;
    outputs.into_iter().skip(1).try_for_each(|(option, path)| path.map_or(Ok(()), |path| output::check(option, path)))
}

/// Returns the kind of certificate, by the file's extension.
pub fn certificate_kind(proof: &Path) -> CertifyMode {
    if proof.extension().is_some_and(|ending| ending == "pbp") { CertifyMode::WriteVeriPb } else { CertifyMode::Write }
}

/// Writes the certificate, or prints why there is none.
pub fn write(path: &Path, certificate: Option<&Certification>) -> Result<(), Failure> {
    match certificate {
        Some(Certification { text: Some(text), formula, .. }) => {
            if let Some(formula) = formula {
                output::write(Some(&path.with_extension("opb")), false, formula)?;
            }
            output::write(Some(path), false, text)
        }
        Some(Certification { why, .. }) => {
            let why = why.as_deref().unwrap_or("nothing is certified");
            terminal::print_line(format_args!("{} is not written: {why}", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}
