//! `asp-solve verify`: checks a certificate and prints what it certifies.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::json;

use super::args::{Solve, Verify};
use super::{asked, read, refuse_foreign};
use crate::certificate::{self, Bound, Certificate};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::job::Job;
use crate::report::Format;
use crate::stop::Stop;
use crate::words::{count, shown};

/// Prints what is certified and gives the exit code: 1 if the certificate is refused.
pub fn verify(args: &Verify, matches: &ArgMatches) -> i32 {
    let stop = Stop::new();
    let mut documents = Vec::new();
    let opened = opened(args, matches, &mut documents, &stop);
    let (certificate, binding) = match opened {
        Ok(opened) => opened,
        Err(failure) => return args.writing.fail(&failure, &documents),
    };
    let checked = match &binding {
        Some(Binding { difference: Some(difference), files, .. }) => {
            Err(format!("its program is not that of {}: {difference}", files.join(", ")))
        }
        _ => certificate.check(),
    };
    let code = i32::from(checked.is_err());
    let text = match args.printed.format {
        Format::Json => json(&certificate, binding.as_ref(), &checked),
        _ => text(&certificate, binding.as_ref(), &checked),
    };
    args.writing.conclude(&text, || code)
}

/// The certificate, and the files that it is to be about. All that is read comes to `documents`, for messages.
fn opened(
    args: &Verify,
    matches: &ArgMatches,
    documents: &mut Vec<Document>,
    stop: &Stop,
) -> Result<(Certificate, Option<Binding>), Failure> {
    let paths: Vec<PathBuf> = [&args.certificate].into_iter().chain(&args.files).cloned().collect();
    *documents = read(&paths, stop)?;
    let certificate = read_certificate(&documents[0])?;
    documents.remove(0);
    let binding =
        if args.files.is_empty() { None } else { Some(bound_to(args, matches, &certificate, documents, stop)?) };
    Ok((certificate, binding))
}

fn read_certificate(document: &Document) -> Result<Certificate, Failure> {
    certificate::read(&document.text).map_err(|(line, error)| {
        let start = document.text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let length = document.text[start..].lines().next().map_or(0, str::len);
        let place = Place::of_range(&document.name, &document.text, start..start + length);
        Diagnostic::error(format!("this is no certificate: {error}")).at(Some(place)).into()
    })
}

/// The files whose ground program the certificate is compared with.
struct Binding {
    files: Vec<String>,
    encodings: Vec<String>,
    difference: Option<String>,
}

fn bound_to(
    args: &Verify,
    matches: &ArgMatches,
    certificate: &Certificate,
    documents: &mut Vec<Document>,
    stop: &Stop,
) -> Result<Binding, Failure> {
    let Verify { files, choice, program, .. } = args.clone();
    let solve = Solve { files, choice, program, ..Solve::default() };
    let (entry, mut job) = asked(&solve, documents, stop)?;
    refuse_foreign(&solve, &entry.about(), matches)?;
    entry.read(matches, &mut job.options)?;
    let board = entry.open(Job { format: Format::Text, ..job })?;
    let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
    let (files, encodings) = (names(&board.job().documents), names(&board.job().encodings));
    let difference = board.certificate_difference(certificate)?;
    Ok(Binding { files, encodings, difference })
}

/// What the certificate says, in a sentence without its end.
fn claim(Certificate { claim, shown, .. }: &Certificate) -> (&'static str, String) {
    let answers = count(claim.answers.len() as u64, "answer", "answers");
    let others = if claim.answers.len() == 1 { "other" } else { "others" };
    let costs = |bound: &Bound| bound.costs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let terms = count(shown.len() as u64, "term", "terms");
    let by = if claim.is_of_shown { format!(" by the {terms} that can be shown") } else { String::new() };
    match &claim.bound {
        Some(bound) if bound.is_strict => ("least", format!("No answer costs less than {}", costs(bound))),
        Some(bound) => {
            let costs = costs(bound);
            ("all", format!("{answers} of cost {costs}{by}, and no {others} of this cost or less"))
        }
        None if claim.answers.is_empty() => ("none", "There is no answer".to_owned()),
        None => {
            let of = if claim.answers.len() == 1 { "no other" } else { "all" };
            (of, format!("{answers}{by}, and no {others}"))
        }
    }
}

/// The subject of the sentence: files, or the program inside the certificate.
fn subject(certificate: &Certificate, binding: Option<&Binding>) -> String {
    let mut subject = match binding {
        None => "the program inside the certificate".to_owned(),
        Some(Binding { files, encodings, .. }) if encodings.is_empty() => files.join(", "),
        Some(Binding { files, encodings, .. }) => format!("{} by {}", files.join(", "), encodings.join(", ")),
    };
    match certificate.ground.assumed.len() as u64 {
        0 => {}
        number => subject += &format!(" under {}", count(number, "assumption", "assumptions")),
    }
    subject
}

fn text(certificate: &Certificate, binding: Option<&Binding>, checked: &Result<usize, String>) -> String {
    let (_, sentence) = claim(certificate);
    let steps = match checked {
        Ok(steps) => count(*steps as u64, "step", "steps"),
        Err(why) => return format!("The certificate is refused: {}.\n", shown(why)),
    };
    let mut text = shown(&format!("{sentence}: certified in {steps}, for {}.", subject(certificate, binding)));
    text.push('\n');
    for words in certificate.words() {
        let words = if words.is_empty() { "(nothing is shown)".to_owned() } else { shown(&words.join(" ")) };
        let _ = writeln!(text, "  {words}");
    }
    text
}

fn json(certificate: &Certificate, binding: Option<&Binding>, checked: &Result<usize, String>) -> String {
    let (of, _) = claim(certificate);
    let mut object = json!({ "checked": checked.is_ok(), "of": of });
    match checked {
        Ok(steps) => object["steps"] = json!(steps),
        Err(why) => object["why"] = json!(why),
    }
    // A refused certificate establishes nothing.
    let is_known = checked.is_ok();
    let answers = certificate.words().into_iter().filter(|_| is_known);
    let answers: Vec<_> = answers.map(|words| json!({ "atoms": words })).collect();
    let mut report = json!({ "schema": 1, "certificate": object, "answers": answers });
    if let Some(Binding { files, encodings, .. }) = binding {
        report["instance"] = json!(files);
        report["encoding"] = json!(encodings);
    }
    if is_known && certificate.claim.is_of_shown {
        report["projection"] = json!(certificate.shown.keys().collect::<Vec<_>>());
    }
    if is_known && !certificate.ground.assumed.is_empty() {
        report["assumptions"] = json!(certificate.ground.assumed.len());
    }
    if let Some(bound) = certificate.claim.bound.as_ref().filter(|_| is_known) {
        report["costs"] = json!(bound.costs);
    }
    format!("{report}\n")
}
