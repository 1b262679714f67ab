//! The language server, as an editor knows it: sessions that are written down as data, and what is said of beginners' mistakes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use asp_solve::asp::{Program, statements_of};
use asp_solve::document::Document;
use asp_solve::lsp::formatted;
use serde_json::{Value, json};

use crate::support::{command, file, folder};

/// An editor that speaks with a server.
struct Editor {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    asked: i32,
    folder: tempfile::TempDir,
}

/// No answer is a defect; how long one takes is not measured here.
const PATIENCE: Duration = Duration::from_secs(120);

impl Editor {
    fn new() -> Editor {
        let folder = folder();
        let mut server = command()
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("its input");
        let mut output = BufReader::new(server.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                let _ = sender.send(message);
            }
        });
        let mut editor = Editor { server, input, messages, asked: 0, folder };
        let root = editor.uri("");
        let snippets = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let told = editor.ask("initialize", json!({ "capabilities": snippets, "rootUri": root }));
        assert_eq!(told["result"]["serverInfo"]["name"], "asp-solve");
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("a folder");
        let name = if Path::new(name).is_absolute() { name.into() } else { folder.join(name) };
        format!("file://{}", name.display().to_string().trim_end_matches('/'))
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole answer to a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == id)
    }

    fn wait(&self, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        loop {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) if is_it(&message) => return message,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => panic!("no answer"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone"),
            }
        }
    }

    fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let opened = json!({ "uri": uri, "languageId": "asp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": opened }));
    }

    fn change(&mut self, name: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    /// The messages about a version of a text, when all that is to be found was found: a question that the server cannot answer
    /// before comes behind.
    fn diagnostics(&self, name: &str, version: i32, wanted: impl Fn(&Value) -> bool) -> Value {
        let uri = self.uri(name);
        let told = self.wait(|message| {
            let params = &message["params"];
            params["uri"] == *uri && params["version"] == version && wanted(&params["diagnostics"])
        });
        told["params"]["diagnostics"].clone()
    }

    fn end(mut self) -> i32 {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().expect("the server ends").code().unwrap_or(-1)
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether a value has all that is wanted of it: of objects the keys, of lists the elements in this order, perhaps with others
/// between; `…` in a text stands for any.
fn has(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| has(value.get(key).unwrap_or(&Value::Null), wanted))
        }
        (Value::Array(value), Value::Array(wanted)) => {
            let mut rest = value.iter();
            wanted.iter().all(|wanted| rest.any(|value| has(value, wanted))) && (!wanted.is_empty() || value.is_empty())
        }
        (Value::String(value), Value::String(wanted)) => {
            let mut rest = Some(value.as_str());
            for (number, part) in wanted.split('…').enumerate() {
                rest = rest.and_then(|rest| {
                    let at = rest.find(part).filter(|&at| number > 0 || at == 0)?;
                    Some(&rest[at + part.len()..])
                });
            }
            rest.is_some_and(|rest| rest.is_empty() || wanted.ends_with('…'))
        }
        (value, wanted) => value == wanted,
    }
}

/// Plays a session: each step tells, asks, or waits; `$` in its texts stands for the folder's address.
#[test]
fn a_session_goes_as_it_is_written_down() {
    let session = std::fs::read_to_string("tests/data/lsp/session.json").expect("a session");
    let mut editor = Editor::new();
    let root = editor.uri("");
    let session: Value = serde_json::from_str(&session.replace("$/", &format!("{root}/"))).expect("JSON");
    for (name, text) in session["files"].as_object().expect("files") {
        file(editor.folder.path(), name, text.as_str().expect("a text"));
    }
    for step in session["steps"].as_array().expect("steps") {
        let what = step["what"].as_str().expect("what is done");
        if let Some(method) = step["tell"].as_str() {
            editor.tell(method, step["params"].clone());
        }
        if let Some(method) = step["ask"].as_str() {
            let told = editor.ask(method, step["params"].clone());
            assert!(has(&told, &step["answer"]), "{what}: {told:#}");
        }
        if !step["until"].is_null() {
            let mut seen = Vec::new();
            editor.wait(|message| {
                seen.push(message.to_string());
                assert!(seen.len() < 20, "{what}: {seen:#?}");
                has(message, &step["until"])
            });
        }
    }
    assert_eq!(editor.end(), 0);
}
