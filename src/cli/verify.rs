//! `asp-solve verify`: checks a certificate.

use std::fmt::Write as _;
use std::path::PathBuf;

use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use base::words::{count, sanitize};
use certificate::{Certificate, CostBound};
use puzzle::Format;
use serde_json::json;

use super::args::Verify;
use super::certified_parts::{self, read_certificate};
use super::input;
use super::request::{JobRequest, build_job};

/// Checks a certificate, prints what it certifies, and returns the exit code: 1 if it is rejected.
pub fn verify(args: &Verify) -> i32 {
    let stop = CancelToken::new();
    let mut documents = Vec::new();
    let opened = open(args, &[], &mut documents, &stop);
    let opened = match opened {
        Ok(opened) => opened,
        Err(failure) => return args.output_args.fail(&failure, &documents),
    };
    let checked = check(&opened);
    let code = i32::from(checked.is_err());
    let text = match args.format_args.format {
        Format::Json => json(&opened, &checked),
        _ => text(&opened, &checked),
    };
    args.output_args.conclude(&text, || code)
}

/// Checks a certificate, of which `texts` stand in the place of files, and returns what the command
/// prints, as text and as JSON. Adds everything that is read to `documents`, for messages.
pub fn written(
    args: &Verify,
    texts: &[Document],
    documents: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<[String; 2], Failure> {
    let opened = open(args, texts, documents, stop)?;
    let checked = check(&opened);
    Ok([text(&opened, &checked), json(&opened, &checked)])
}

/// A certificate that was read.
struct Opened {
    /// The certificate, or the claim of all parts.
    certificate: Certificate,
    /// The number of parts, and the number of their steps or the reason why they are refused; `None` if
    /// the certificate is not in parts.
    parts: Option<(usize, Result<usize, String>)>,
    binding: Option<ProgramBinding>,
}

/// Returns the number of steps of a valid certificate, or why it is refused.
fn check(opened: &Opened) -> Result<usize, String> {
    match (&opened.binding, &opened.parts) {
        (_, Some((_, Err(why)))) => Err(why.clone()),
        (Some(ProgramBinding { difference: Some(difference), files, .. }), _) => {
            Err(format!("its program is not that of {}: {difference}", files.join(", ")))
        }
        (_, Some((_, checked))) => checked.clone(),
        (_, None) => opened.certificate.check(),
    }
}

/// Reads the certificate, and binds it to the given files. Adds everything that is read to
/// `documents`, for messages.
fn open(
    args: &Verify,
    texts: &[Document],
    documents: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<Opened, Failure> {
    let paths: Vec<PathBuf> = [&args.certificate].into_iter().chain(&args.files).cloned().collect();
    *documents = input::read_or_take_all(&paths, texts, stop)?;
    let count = documents.iter().take_while(|document| certified_parts::is_part(document)).count().max(1);
    let alone = match count == 1 && !certified_parts::are_results(&documents[0]) {
        true => Some(read_certificate(&documents[0])?).filter(|certificate| !certificate.has_cubes()),
        false => None,
    };
    let (certificate, parts) = if let Some(certificate) = alone {
        (certificate, None)
    } else {
        let (certificate, count, checked) = certified_parts::check(&documents[..count])?;
        (certificate, Some((count, checked)))
    };
    documents.drain(..count);
    let is_refused = parts.as_ref().is_some_and(|(_, checked)| checked.is_err());
    let binding =
        if documents.is_empty() || is_refused { None } else { Some(bind(args, &certificate, texts, documents, stop)?) };
    Ok(Opened { certificate, parts, binding })
}

/// The result of comparing the ground program of files with that of the certificate.
struct ProgramBinding {
    files: Vec<String>,
    encodings: Vec<String>,
    /// The first difference between the programs, if any.
    difference: Option<String>,
}

fn bind(
    args: &Verify,
    certificate: &Certificate,
    texts: &[Document],
    documents: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<ProgramBinding, Failure> {
    let Verify { choice, program, .. } = args.clone();
    let request = JobRequest { choice, program, texts: texts.to_vec(), ..JobRequest::default() };
    let (entry, mut job) = build_job(&request, documents, stop)?;
    args.options.apply(&*entry, &mut job)?;
    job.output.format = Format::Text;
    let board = entry.open(job)?;
    let names = |documents: &[Document]| documents.iter().map(|document| document.name.clone()).collect();
    let files = names(&board.job().sources.documents);
    let encodings = names(&board.job().sources.encodings);
    let difference = board.certificate_difference(certificate)?;
    Ok(ProgramBinding { files, encodings, difference })
}

/// Returns the JSON name of the claim, and the claim as the beginning of a sentence.
fn claim(Certificate { claim, shown, .. }: &Certificate) -> (&'static str, String) {
    let answers = count(claim.answers.len() as u64, "answer", "answers");
    let others = if claim.answers.len() == 1 { "other" } else { "others" };
    let costs = |bound: &CostBound| bound.costs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let terms = count(shown.len() as u64, "term", "terms");
    let projection = if claim.projects_to_shown { format!(" by the {terms} that can be shown") } else { String::new() };
    match &claim.bound {
        Some(bound) if bound.is_strict => ("least", format!("No answer costs less than {}", costs(bound))),
        Some(bound) => {
            let costs = costs(bound);
            ("all", format!("{answers} of cost {costs}{projection}, and no {others} of this cost or less"))
        }
        None if claim.answers.is_empty() => ("none", "There is no answer".to_owned()),
        None => {
            let kind = if claim.answers.len() == 1 { "no other" } else { "all" };
            (kind, format!("{answers}{projection}, and no {others}"))
        }
    }
}

/// Returns the subject of the sentence: the files, or the program inside the certificate.
fn subject(certificate: &Certificate, binding: Option<&ProgramBinding>) -> String {
    let mut subject = match binding {
        None => "the program inside the certificate".to_owned(),
        Some(ProgramBinding { files, encodings, .. }) if encodings.is_empty() => files.join(", "),
        Some(ProgramBinding { files, encodings, .. }) => format!("{} by {}", files.join(", "), encodings.join(", ")),
    };
    match certificate.ground.assumed.len() as u64 {
        0 => {}
        number => subject += &format!(" under {}", count(number, "assumption", "assumptions")),
    }
    subject
}

fn text(Opened { certificate, parts, binding }: &Opened, checked: &Result<usize, String>) -> String {
    let (_, sentence) = claim(certificate);
    let parts = parts.as_ref().map(|(parts, _)| format!(" of {}", count(*parts as u64, "part", "parts")));
    let steps = match checked {
        Ok(steps) => count(*steps as u64, "step", "steps") + &parts.unwrap_or_default(),
        Err(why) => return format!("The certificate is refused: {}.\n", sanitize(why)),
    };
    let mut text =
        sanitize(&format!("{sentence}: certified in {steps}, for {}.", subject(certificate, binding.as_ref())));
    text.push('\n');
    for words in certificate.shown_terms() {
        let words = if words.is_empty() { "(nothing is shown)".to_owned() } else { sanitize(&words.join(" ")) };
        let _ = writeln!(text, "  {words}");
    }
    text
}

fn json(Opened { certificate, parts, binding }: &Opened, checked: &Result<usize, String>) -> String {
    let (kind, _) = claim(certificate);
    let mut object = json!({ "checked": checked.is_ok(), "of": kind });
    if let Some((parts, _)) = parts {
        object["parts"] = json!(parts);
    }
    match checked {
        Ok(steps) => object["steps"] = json!(steps),
        Err(why) => object["why"] = json!(why),
    }
    // A rejected certificate establishes nothing.
    let is_known = checked.is_ok();
    let answers = certificate.shown_terms().into_iter().filter(|_| is_known);
    let answers: Vec<_> = answers.map(|words| json!({ "atoms": words })).collect();
    let mut report = json!({ "schema": 1, "certificate": object, "answers": answers });
    if let Some(ProgramBinding { files, encodings, .. }) = binding {
        report["instance"] = json!(files);
        report["encoding"] = json!(encodings);
    }
    if is_known && certificate.claim.projects_to_shown {
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
