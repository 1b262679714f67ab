//! Certificates that continue each other: the proofs about the cubes that a worker searched one after the other.
//!
//! The first has the program and a section about its cube. Each other one has a line `continues NAME`, which
//! names the text before it, and another section. All texts together, without these lines, are one certificate.

use std::collections::BTreeMap;

use super::cubes::short_hash;

const CONTINUES: &str = "continues ";

/// Names the text of a certificate.
pub fn name_of(text: &str) -> String {
    short_hash([text])
}

/// Returns the text of a section that continues the certificate of that name, or begins one.
pub fn continued(section: &str, last: Option<&str>) -> String {
    last.map_or_else(|| section.to_owned(), |last| format!("{CONTINUES}{last}\n{section}"))
}

/// Returns true if a text continues a certificate.
pub fn is_continuation(text: &str) -> bool {
    split(text).0.is_some()
}

/// Joins texts to whole certificates, each with the name of its first text. Texts that are equal count once.
///
/// # Errors
/// The name of a text that continues a missing one.
pub fn join(texts: Vec<(String, String)>) -> Result<Vec<(String, String)>, String> {
    let mut continuations: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut open = Vec::new();
    let mut known = BTreeMap::new();
    for (index, (_, text)) in texts.iter().enumerate() {
        if known.insert(name_of(text), index).is_some() {
            continue;
        }
        match split(text) {
            (None, _) => open.push((index, String::new(), index)),
            (Some(before), _) => continuations.entry(before.to_owned()).or_default().push(index),
        }
    }
    if let Some((_, after)) = continuations.iter().find(|(before, _)| !known.contains_key(*before)) {
        return Err(format!("{}: continues a certificate that is missing", texts[after[0]].0));
    }
    let mut whole = Vec::new();
    while let Some((first, mut text, index)) = open.pop() {
        text.push_str(split(&texts[index].1).1);
        match continuations.get(&name_of(&texts[index].1)) {
            // If a worker was repeated, several texts may continue the same one.
            Some(after) => open.extend(after.iter().rev().map(|&next| (first, text.clone(), next))),
            None => whole.push((texts[first].0.clone(), text)),
        }
    }
    whole.reverse();
    Ok(whole)
}

/// Splits a text into the name that it continues, if any, and the rest.
fn split(text: &str) -> (Option<&str>, &str) {
    let rest = text.strip_prefix(CONTINUES).and_then(|rest| rest.split_once('\n'));
    rest.map_or((None, text), |(name, section)| (Some(name.trim_end()), section))
}
