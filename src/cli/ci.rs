//! Messages for continuous integration: workflow commands of GitHub, and SARIF 2.1.0.

use std::collections::BTreeSet;

use base::diagnostic::{Code, Diagnostic, Place, Position, Severity};
use base::document::Document;
use serde_json::{Value, json};

use super::terminal::escape_controls;

/// Output format of `test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum TestFormat {
    /// Text for people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Workflow commands, which GitHub shows beside the source
    Github,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
}

impl TestFormat {
    /// Returns true for formats that report messages only.
    pub fn is_of_messages(self) -> bool {
        matches!(self, TestFormat::Github | TestFormat::Sarif)
    }

    /// Renders messages in a format of messages.
    pub fn render(self, diagnostics: &[Diagnostic], documents: &[Document]) -> String {
        match self {
            TestFormat::Sarif => format!("{:#}\n", sarif(diagnostics, documents)),
            _ => diagnostics.iter().map(github).collect(),
        }
    }
}

/// Renders a message as a workflow command, as in `::error file=a.lp,line=1,col=5::text`.
fn github(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let mut properties = Vec::new();
    if let Some(Place { file, start, end, .. }) = diagnostic.labels.first() {
        properties.push(format!("file={}", escaped_property(file)));
        properties.push(format!("line={}", start.line));
        properties.push(format!("endLine={}", end.line));
        properties.push(format!("col={}", start.column));
        if start.line == end.line {
            properties.push(format!("endColumn={}", end.column));
        }
    }
    properties.push(format!("title={}", diagnostic.code));
    format!("::{level} {}::{}\n", properties.join(","), escaped(&text(diagnostic)))
}

/// Returns the message with its help.
fn text(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.iter().map(|help| format!("\n{help}"));
    escape_controls(&format!("{}{}", diagnostic.message, help.collect::<String>()), true)
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

/// Renders messages as a SARIF log with one run.
fn sarif(diagnostics: &[Diagnostic], documents: &[Document]) -> Value {
    let codes: Vec<Code> =
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<BTreeSet<_>>().into_iter().collect();
    let rule = |code: &Code| json!({ "id": code.name(), "shortDescription": { "text": code.meaning() } });
    let location = |place: &Place| {
        let mut location = json!({ "physicalLocation": physical_location(place, documents) });
        if !place.label.is_empty() {
            location["message"] = json!({ "text": place.label });
        }
        location
    };
    let result = |diagnostic: &Diagnostic| {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        };
        let mut result = json!({
            "ruleId": diagnostic.code.name(),
            "ruleIndex": codes.binary_search(&diagnostic.code).unwrap_or(0),
            "level": level,
            "message": { "text": text(diagnostic) },
            "locations": diagnostic.labels.iter().take(1).map(location).collect::<Vec<_>>(),
        });
        if diagnostic.labels.len() > 1 {
            result["relatedLocations"] = diagnostic.labels[1..].iter().map(location).collect();
        }
        if !diagnostic.fixes.is_empty() {
            result["fixes"] = diagnostic.fixes.iter().map(|fix| sarif_fix(fix, documents)).collect();
        }
        result
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "asp-solve",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": diagnostics.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn sarif_fix(fix: &base::diagnostic::Fix, documents: &[Document]) -> Value {
    let change = |edit: &base::diagnostic::Edit| {
        json!({
            "artifactLocation": { "uri": uri(&edit.place.file) },
            "replacements": [{
                "deletedRegion": region(&edit.place, documents),
                "insertedContent": { "text": edit.replacement },
            }],
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": fix.edits.iter().map(change).collect::<Vec<_>>(),
    })
}

fn physical_location(place: &Place, documents: &[Document]) -> Value {
    json!({ "artifactLocation": { "uri": uri(&place.file) }, "region": region(place, documents) })
}

/// Returns a place with columns in characters.
fn region(place: &Place, documents: &[Document]) -> Value {
    let text = documents.iter().find(|document| document.name == place.file).map_or("", |document| &document.text);
    let column = |position: Position| {
        let line = text.lines().nth(position.line.saturating_sub(1)).unwrap_or_default();
        let before = line.get(..position.column.saturating_sub(1));
        before.map_or(position.column.max(1), |before| before.chars().count() + 1)
    };
    json!({
        "startLine": place.start.line.max(1), "startColumn": column(place.start),
        "endLine": place.end.line.max(1), "endColumn": column(place.end),
    })
}

/// Returns the URI of a file: relative for a relative path.
fn uri(file: &str) -> String {
    let drive = file.get(..2).filter(|drive| drive.as_bytes()[0].is_ascii_alphabetic() && drive.ends_with(':'));
    let mut uri = match drive {
        Some(drive) => format!("file:///{drive}"),
        None if file.starts_with('/') => "file://".to_owned(),
        None => String::new(),
    };
    for byte in file[drive.map_or(0, str::len)..].bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_addresses_are_escaped() {
        let text = "a, é.\nb :- c.";
        let document = Document::in_memory("a b,c.lp", text);
        let place = Place::of_range("a b,c.lp", text, 3..5);
        let diagnostic = Diagnostic::warning(Code::Arrow, "100%\nof: all").at(Some(place)).help("more");
        assert_eq!(
            github(&diagnostic),
            "::warning file=a b%2Cc.lp,line=1,endLine=1,col=4,endColumn=6,title=arrow::100%25%0Aof: all%0Amore\n"
        );
        let log = sarif(&[diagnostic], &[document]);
        let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "a%20b%2Cc.lp");
        assert_eq!((&location["region"]["startColumn"], &location["region"]["endColumn"]), (&json!(4), &json!(5)));
        assert_eq!(uri("/home/ä"), "file:///home/%C3%A4");
        assert_eq!(uri("C:\\b c.lp"), "file:///C:/b%20c.lp");
    }
}
