//! Checks a certificate: `cargo run -p certificate --example check -- FILE`. Without a file, checks
//! one that is included here.

use std::process::ExitCode;

/// `1 { a; b } 1. c :- a. c :- b.` has two answer sets.
const INCLUDED: &str = include_str!("either.proof");

fn main() -> ExitCode {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}")),
        None => Ok(INCLUDED.to_owned()),
    };
    let certificate = text.and_then(|text| {
        certificate::read(&text).map_err(|(line, error)| format!("line {line} is not of a certificate: {error}"))
    });
    let checked = certificate.and_then(|certificate| {
        let steps = certificate.check().map_err(|error| format!("the certificate is refused: {error}"))?;
        Ok((certificate, steps))
    });
    match checked {
        Ok((certificate, steps)) => {
            let what = match &certificate.claim.bound {
                Some(bound) if bound.is_strict => format!("no answer set costs less than {:?}", bound.costs),
                Some(bound) => format!("at costs of at most {:?} there are no answer sets but these", bound.costs),
                None => "there are no answer sets but these".to_owned(),
            };
            println!("{what}: proven in {steps} steps");
            for terms in certificate.shown_terms() {
                println!("  {}", terms.join(" "));
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
