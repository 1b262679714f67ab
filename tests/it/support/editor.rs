//! A minimal editor for tests and benchmarks of the language server.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::program;

/// A server process and the connection to it.
pub struct Editor {
    pub server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    last_id: i32,
    pub folder: tempfile::TempDir,
}

/// A missing answer is a defect; response times are not measured here.
const PATIENCE: Duration = Duration::from_secs(120);

impl Editor {
    pub fn new() -> Editor {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = program();
        let mut server = Command::new(&program[0])
            .args(&program[1..])
            .arg("lsp")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_remove("ASP_SOLVE_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("the input is piped");
        let mut output = BufReader::new(server.stdout.take().expect("the output is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                let _ = sender.send(message);
            }
        });
        let mut editor = Editor { server, input, messages, last_id: 0, folder };
        let root = editor.uri("");
        let snippets = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let response = editor.request("initialize", json!({ "capabilities": snippets, "rootUri": root }));
        assert_eq!(response["result"]["serverInfo"]["name"], "asp-solve");
        editor.notify("initialized", json!({}));
        editor
    }

    pub fn uri(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("a folder");
        let name = if Path::new(name).is_absolute() { name.into() } else { folder.join(name) };
        format!("file://{}", name.display().to_string().trim_end_matches('/'))
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns the response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait_for(|message| message["id"] == id)
    }

    pub fn wait_for(&self, mut is_match: impl FnMut(&Value) -> bool) -> Value {
        loop {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) if is_match(&message) => return message,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => panic!("no answer"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone"),
            }
        }
    }

    pub fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let opened = json!({ "uri": uri, "languageId": "asp", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": opened }));
    }

    pub fn change(&mut self, name: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Returns the first diagnostics for a version of a text that satisfy a condition.
    pub fn diagnostics(&self, name: &str, version: i32, condition: impl Fn(&Value) -> bool) -> Value {
        let uri = self.uri(name);
        let message = self.wait_for(|message| {
            let params = &message["params"];
            params["uri"] == *uri && params["version"] == version && condition(&params["diagnostics"])
        });
        message["params"]["diagnostics"].clone()
    }

    /// Returns the diagnostics for a version of a text after it was checked completely.
    pub fn checked(&self, name: &str, version: i32) -> Vec<Value> {
        let uri = self.uri(name);
        let mut last = None;
        self.wait_for(|message| {
            let params = &message["params"];
            if params["uri"] == *uri && params["version"] == version {
                last = params["diagnostics"].as_array().cloned();
            }
            last.is_some() && params["uri"] == *uri && message["method"] == "$/asp-solve/checked"
        });
        last.expect("diagnostics were received")
    }

    pub fn shut_down(mut self) -> i32 {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.server.try_wait().expect("the server ends") {
                Some(status) => return status.code().unwrap_or(-1),
                None => assert!(Instant::now() < deadline, "the server does not end"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
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
