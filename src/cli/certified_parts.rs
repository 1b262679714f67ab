//! Reads certificates, and those in parts: the results of cubes that a batch has certified.

use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::lines::LineIndex;
use certificate::{Certificate, CertificateParts};
use puzzle::cubes::Cube;
use puzzle::proof_chain;
use serde::Deserialize;

/// The beginning of a proof for VeriPB.
const VERIPB_TITLE: &str = "pseudo-Boolean proof";

/// The keys of a result that matter here.
#[derive(Deserialize)]
struct PartResult {
    cube: Option<Cube>,
    /// Invalid lines have none.
    #[serde(default)]
    complete: bool,
    proof: Option<String>,
    certificate: Option<PartCertificate>,
}

#[derive(Deserialize)]
struct PartCertificate {
    why: Option<String>,
}

/// Returns true if a document begins as a certificate does, or has results of cubes.
pub fn is_part(document: &Document) -> bool {
    let is_certificate = document.text.lines().next().is_some_and(|line| line.trim_end() == certificate::TITLE);
    is_certificate || proof_chain::is_continuation(&document.text) || are_results(document)
}

/// Reads a certificate.
pub fn read_certificate(document: &Document) -> Result<Certificate, Failure> {
    certificate::read(&document.text).map_err(|(line, error)| {
        let range = LineIndex::new(&document.text).range(line);
        let place = Place::of_range(&document.name, &document.text, range);
        let error =
            Diagnostic::error(Code::InvalidCertificate, format!("invalid certificate: {error}")).at(Some(place));
        match document.text.starts_with(VERIPB_TITLE) {
            true => error.help("this is a proof for VeriPB; to check it: veripb NAME.opb NAME.pbp").into(),
            false if proof_chain::is_continuation(&document.text) => {
                error.help("this continues another certificate; give that one, too").into()
            }
            false => error.into(),
        }
    })
}

/// Returns true if a document has results of cubes, and is no certificate.
pub fn are_results(document: &Document) -> bool {
    let first = serde_json::Deserializer::from_str(&document.text).into_iter::<PartResult>().next();
    first.is_some_and(|result| result.is_ok_and(|result| result.cube.is_some()))
}

/// Checks all parts. Returns the claim of all, the number of parts, and the number of their steps or
/// the reason why they are refused. Refused parts have no claim.
///
/// # Errors
/// A document is neither a certificate nor the results of cubes, or a result has no certificate.
pub fn check(documents: &[Document]) -> Result<(Certificate, usize, Result<usize, String>), Failure> {
    let mut texts = Vec::new();
    for document in documents {
        if !are_results(document) {
            texts.push((document.name.clone(), document.text.to_string()));
            continue;
        }
        let results = serde_json::Deserializer::from_str(&document.text).into_iter::<PartResult>();
        for (number, result) in (1..).zip(results) {
            let name = format!("{}, result {number}", document.name);
            let PartResult { cube, complete, proof, certificate } = result
                .map_err(|error| Diagnostic::error(Code::InvalidJson, format!("{name}: invalid JSON: {error}")))?;
            match proof {
                Some(proof) if cube.is_some() => texts.push((name, proof)),
                // A cube that was given up may have been split again.
                _ if !complete => {}
                _ => {
                    let why = certificate.and_then(|certificate| certificate.why);
                    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                    let text = format!("{name}: expected a result of a cube with its certificate, found none{why}");
                    let help = "asp-solve PARTS --batch --proof - writes the certificates into the results";
                    return Err(Diagnostic::error(Code::InvalidCertificate, text).help(help).into());
                }
            }
        }
    }
    let mut parts = CertificateParts::default();
    let mut refused = None;
    match proof_chain::join(texts) {
        Err(why) => refused = Some(why),
        Ok(texts) => {
            for (name, text) in texts {
                let part = read_certificate(&Document::in_memory(name.clone(), text))?;
                if refused.is_none() {
                    refused = parts.add(part).err().map(|why| format!("{name}: {why}"));
                }
            }
        }
    }
    let count = parts.count();
    let (certificate, checked) = match refused {
        Some(why) => (Certificate::default(), Err(why)),
        None => match parts.finish() {
            Ok((certificate, steps)) => (certificate, Ok(steps)),
            Err(why) => (Certificate::default(), Err(why)),
        },
    };
    Ok((certificate, count, checked))
}
