//! Opens a program in memory, as an editor does, and prints the diagnostics that the server sends.

use base::stop::CancelToken;
use lsp::{Effect, Files, Server, check};
use lsp_server::{Message, Notification, Request};
use serde_json::json;

const PROGRAM: &str = "node(1..3). edge(1,2).\n{ color(X,red; X,green) } = 1 :- nod(X).\n";

/// There are no files besides the open text.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Option<String> {
        None
    }
    fn resolve_include(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn resolve_companion(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn programs_below(&self, _: &[String]) -> Vec<String> {
        Vec::new()
    }
    fn shared_files(&self) -> Vec<String> {
        Vec::new()
    }
}

fn main() {
    let mut server = Server::new(NoFiles);
    let (method, params) = ("initialize".to_owned(), json!({ "capabilities": {} }));
    server.handle(Message::Request(Request { id: 1.into(), method, params }));
    let text = json!({ "uri": "file:///colours.lp", "languageId": "asp", "version": 1, "text": PROGRAM });
    let (method, params) = ("textDocument/didOpen".to_owned(), json!({ "textDocument": text }));
    server.handle(Message::Notification(Notification { method, params }));
    // The command checks in another process, which it can kill.
    let Some(request) = server.next_check() else { return };
    let mut reports = Vec::new();
    check(&request, None, &CancelToken::new(), |report| reports.push(report));
    let effects = reports.into_iter().filter(|report| report.is_last).flat_map(|report| server.checked(report));
    for effect in effects.collect::<Vec<_>>() {
        let Effect::Send(Message::Notification(notification)) = effect else { continue };
        for found in notification.params["diagnostics"].as_array().into_iter().flatten() {
            let line = found["range"]["start"]["line"].as_u64().unwrap_or_default() + 1;
            println!("line {line}: {}", found["message"].as_str().unwrap_or_default());
        }
    }
}
