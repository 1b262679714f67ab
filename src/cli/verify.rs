//! `asp-solve verify`: checks a certificate.

use std::fmt::Write as _;
use std::path::PathBuf;

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::lines::LineIndex;
use base::stop::CancelToken;
use base::words::{count, sanitize};
use certificate::{Certificate, CostBound};
use puzzle::Format;
use serde_json::json;

use super::args::Verify;
use super::input;
use super::request::{JobRequest, build_job};

/// The beginning of a proof for VeriPB.
const VERIPB_TITLE: &str = "pseudo-Boolean proof";

/// Checks a certificate, prints what it certifies, and returns the exit code: 1 if it is rejected.
pub fn verify(args: &Verify) -> i32 {
    let stop = CancelToken::new();
    let mut documents = Vec::new();
    let opened = open(args, &[], &mut documents, &stop);
    let (certificate, binding) = match opened {
        Ok(opened) => opened,
        Err(failure) => return args.output_args.fail(&failure, &documents),
    };
    let checked = check(&certificate, binding.as_ref());
    let code = i32::from(checked.is_err());
    let text = match args.format_args.format {
        Format::Json => json(&certificate, binding.as_ref(), &checked),
        _ => text(&certificate, binding.as_ref(), &checked),
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
    let (certificate, binding) = open(args, texts, documents, stop)?;
    let checked = check(&certificate, binding.as_ref());
    Ok([text(&certificate, binding.as_ref(), &checked), json(&certificate, binding.as_ref(), &checked)])
}

/// Returns the number of steps of a valid certificate, or why it is refused.
fn check(certificate: &Certificate, binding: Option<&ProgramBinding>) -> Result<usize, String> {
    match binding {
        Some(ProgramBinding { difference: Some(difference), files, .. }) => {
            Err(format!("its program is not that of {}: {difference}", files.join(", ")))
        }
        _ => certificate.check(),
    }
}

/// Reads the certificate, and binds it to the given files. Adds everything that is read to
/// `documents`, for messages.
fn open(
    args: &Verify,
    texts: &[Document],
    documents: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<(Certificate, Option<ProgramBinding>), Failure> {
    let paths: Vec<PathBuf> = [&args.certificate].into_iter().chain(&args.files).cloned().collect();
    *documents = input::read_or_take_all(&paths, texts, stop)?;
    let certificate = read_certificate(&documents[0])?;
    documents.remove(0);
    let binding = if args.files.is_empty() { None } else { Some(bind(args, &certificate, texts, documents, stop)?) };
    Ok((certificate, binding))
}

fn read_certificate(document: &Document) -> Result<Certificate, Failure> {
    certificate::read(&document.text).map_err(|(line, error)| {
        let range = LineIndex::new(&document.text).range(line);
        let place = Place::of_range(&document.name, &document.text, range);
        let error =
            Diagnostic::error(Code::InvalidCertificate, format!("invalid certificate: {error}")).at(Some(place));
        match document.text.starts_with(VERIPB_TITLE) {
            true => error.help("this is a proof for VeriPB; to check it: veripb NAME.opb NAME.pbp").into(),
            false => error.into(),
        }
    })
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

fn text(certificate: &Certificate, binding: Option<&ProgramBinding>, checked: &Result<usize, String>) -> String {
    let (_, sentence) = claim(certificate);
    let steps = match checked {
        Ok(steps) => count(*steps as u64, "step", "steps"),
        Err(why) => return format!("The certificate is refused: {}.\n", sanitize(why)),
    };
    let mut text = sanitize(&format!("{sentence}: certified in {steps}, for {}.", subject(certificate, binding)));
    text.push('\n');
    for words in certificate.shown_terms() {
        let words = if words.is_empty() { "(nothing is shown)".to_owned() } else { sanitize(&words.join(" ")) };
        let _ = writeln!(text, "  {words}");
    }
    text
}

fn json(certificate: &Certificate, binding: Option<&ProgramBinding>, checked: &Result<usize, String>) -> String {
    let (kind, _) = claim(certificate);
    let mut object = json!({ "checked": checked.is_ok(), "of": kind });
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
