//! Reads a request of the studio's page, looks for errors in its texts, and prints the response.

use asp::{Program, statements_of};
use base::diagnostic::{Failure, Place};
use serde_json::{Error, Value, json};
use studio::{File, Query, Request, Response, diagnostics, documents};

/// The second file has an error behind a letter that is two bytes long.
const REQUEST: &str = r#"{
    "id": 7,
    "files": [
        {"name": "main.lp", "text": "{ a; b }.\n#include \"rules.lp\"."},
        {"name": "rules.lp", "text": "q(\"é\") :- p(1 2)."}
    ],
    "ask": {"solve": {"models": 20}}
}"#;

fn errors_of(files: &[File]) -> Result<(), Failure> {
    let resolve = |_: &File, name: &str| Ok(name.to_owned());
    statements_of(&Program::of(documents(files, resolve)?)).map(drop)
}

fn main() -> Result<(), Error> {
    let request: Request = serde_json::from_str(REQUEST)?;
    let Query::Solve { models } = request.ask else { return Ok(()) };
    let found = errors_of(&request.files).err().map_or_else(Vec::new, |failure| failure.0);
    let text_of = |place: &Place| {
        let file = request.files.iter().find(|file| file.name == place.file)?;
        Some((&*file.text).into())
    };
    let rest: Value = json!({ "verdict": if found.is_empty() { "solved" } else { "error" }, "models": models });
    let response = Response { id: request.id, seconds: 0.0, diagnostics: diagnostics(&found, text_of), rest };
    println!("{}", serde_json::to_string_pretty(&response)?);
    Ok(())
}
