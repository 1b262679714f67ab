//! `asp-solve verify`: checks a certificate and prints what it certifies.

use std::fmt::Write as _;

use serde_json::json;

use super::args::Verify;
use super::read;
use crate::certificate::{self, Bound, Certificate};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::report::Format;
use crate::stop::Stop;
use crate::words::{count, shown};

/// Prints what is certified and gives the exit code: 1 if the certificate is refused.
pub fn verify(args: &Verify) -> i32 {
    let mut documents = Vec::new();
    let read = read(std::slice::from_ref(&args.file), &Stop::new()).and_then(|read| {
        documents = read;
        read_certificate(&documents[0])
    });
    let certificate = match read {
        Ok(certificate) => certificate,
        Err(failure) => return args.writing.fail(&failure, &documents),
    };
    let checked = certificate.check();
    let code = i32::from(checked.is_err());
    let text = match args.printed.format {
        Format::Json => json(&certificate, &checked),
        _ => text(&certificate, &checked),
    };
    args.writing.conclude(&text, || code)
}

fn read_certificate(document: &Document) -> Result<Certificate, Failure> {
    certificate::read(&document.text).map_err(|(line, error)| {
        let start = document.text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let length = document.text[start..].lines().next().map_or(0, str::len);
        let place = Place::of_range(&document.name, &document.text, start..start + length);
        Diagnostic::error(format!("this is no certificate: {error}")).at(Some(place)).into()
    })
}

/// What the certificate says, in a sentence without its end.
fn claim(Certificate { claim, .. }: &Certificate) -> (&'static str, String) {
    let answers = count(claim.answers.len() as u64, "answer", "answers");
    let others = if claim.answers.len() == 1 { "other" } else { "others" };
    let costs = |bound: &Bound| bound.costs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match &claim.bound {
        Some(bound) if bound.is_strict => ("least", format!("No answer costs less than {}", costs(bound))),
        Some(bound) => ("all", format!("{answers} of cost {}, and no {others} cost as little", costs(bound))),
        None if claim.answers.is_empty() => ("none", "There is no answer".to_owned()),
        None => {
            let look = if claim.is_of_shown { " by what is shown" } else { "" };
            let of = if claim.answers.len() == 1 { "no other" } else { "all" };
            (of, format!("{answers}{look}, and no {others}"))
        }
    }
}

fn text(certificate: &Certificate, checked: &Result<usize, String>) -> String {
    let (_, sentence) = claim(certificate);
    let steps = match checked {
        Ok(steps) => count(*steps as u64, "step", "steps"),
        Err(why) => return format!("The certificate is refused: {}.\n", shown(why)),
    };
    let mut text = format!("{sentence}: certified in {steps}.\n");
    for words in certificate.words() {
        let _ = writeln!(
            text,
            "  {}",
            if words.is_empty() { "(nothing is shown)".to_owned() } else { shown(&words.join(" ")) }
        );
    }
    text
}

fn json(certificate: &Certificate, checked: &Result<usize, String>) -> String {
    let (of, _) = claim(certificate);
    let mut object = json!({ "checked": checked.is_ok(), "of": of });
    match checked {
        Ok(steps) => object["steps"] = json!(steps),
        Err(why) => object["why"] = json!(why),
    }
    let bound = certificate.claim.bound.as_ref();
    let answers: Vec<_> = certificate.words().into_iter().map(|words| json!({ "atoms": words })).collect();
    let mut told = json!({ "schema": 1, "certificate": object, "answers": answers });
    if let Some(bound) = bound {
        told["costs"] = json!(bound.costs);
    }
    format!("{told}\n")
}
