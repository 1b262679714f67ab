//! The server: handles the messages of an editor one after another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use author::tests;
use base::diagnostic::{Code, Diagnostic, Place, Severity};
use base::document::Document;
use lsp_server::{ErrorCode, Message, Notification, Request as LspRequest, RequestId, Response, ResponseError};
use lsp_types as lsp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::check::{CheckReport, Request};
use super::state::{DocumentState, LspResult, request_failed};
use super::text::{Text, folder_of, name_of, uri_of};
use super::workspace::{Files, Link, Workspace};
use super::{actions, format, hover, navigation};

/// Notification that the check of a text is complete.
const CHECKED: &str = "$/asp-solve/checked";

/// An action for the host to perform.
#[derive(Debug)]
pub enum Effect {
    Send(Message),
    /// Kills the process that checks.
    EndCheck,
    Run(CommandRun),
    /// Kills the run of a request.
    EndRun(RequestId),
    Exit(i32),
}

/// A command whose output is the response to a request.
#[derive(Debug)]
pub struct CommandRun {
    pub id: RequestId,
    /// Arguments, without the name of the program.
    pub arguments: Vec<String>,
    /// Standard input, and the working directory.
    pub input: Option<(String, String)>,
}

pub struct Server<F> {
    pub workspace: Workspace<F>,
    pub documents: BTreeMap<String, DocumentState>,
    state: ServerState,
    has_snippets: bool,
    /// The texts that wait for a check, and the check number and name of the text that is being
    /// checked.
    waiting: VecDeque<String>,
    checking: Option<(u64, String)>,
    checks: u64,
    /// The board of newly opened texts.
    board: Option<String>,
}

#[derive(PartialEq)]
enum ServerState {
    New,
    Ready,
    ShutDown,
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn send(method: &str, params: Value) -> Effect {
    Effect::Send(Message::Notification(Notification { method: method.to_owned(), params }))
}

impl<F: Files> Server<F> {
    pub fn new(files: F) -> Self {
        Server {
            workspace: Workspace::new(files),
            documents: BTreeMap::new(),
            state: ServerState::New,
            has_snippets: false,
            waiting: VecDeque::new(),
            checking: None,
            checks: 0,
            board: None,
        }
    }

    pub fn handle(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Request(request) => self.handle_request(request),
            Message::Notification(notification) => self.handle_notification(notification),
            Message::Response(_) => Vec::new(),
        }
    }

    fn handle_request(&mut self, LspRequest { id, method, params }: LspRequest) -> Vec<Effect> {
        let result = match (&self.state, method.as_str()) {
            (ServerState::New, "initialize") => self.initialize(params),
            (ServerState::New, _) => {
                Err((ErrorCode::ServerNotInitialized, "expected the request `initialize` first".to_owned()))
            }
            (ServerState::ShutDown, _) | (_, "initialize") => {
                Err((ErrorCode::InvalidRequest, format!("unexpected request `{method}`")))
            }
            (_, "shutdown") => {
                self.state = ServerState::ShutDown;
                Ok(Value::Null)
            }
            (_, "workspace/executeCommand") => match self.execute(&id, params) {
                Ok(effects) => return effects,
                Err(error) => Err(error),
            },
            _ => self.answer(&method, params),
        };
        vec![response(id, result)]
    }

    fn initialize(&mut self, params: Value) -> LspResult {
        self.has_snippets =
            params.pointer("/capabilities/textDocument/completion/completionItem/snippetSupport") == Some(&json!(true));
        let folders = params["workspaceFolders"].as_array().cloned().unwrap_or_default();
        let folders = folders.iter().filter_map(|folder| folder["uri"].as_str()).chain(params["rootUri"].as_str());
        self.workspace.folders = folders.map(name_of).collect();
        self.workspace.folders.dedup();
        self.board = params.pointer("/initializationOptions/board").and_then(Value::as_str).map(str::to_owned);
        self.state = ServerState::Ready;
        Ok(json!({
            "serverInfo": { "name": "asp-solve", "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "textDocumentSync": { "openClose": true, "change": lsp::TextDocumentSyncKind::INCREMENTAL, "save": true },
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "renameProvider": { "prepareProvider": true },
                "documentSymbolProvider": true,
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": ["#", "\"", "/"] },
                "foldingRangeProvider": true,
                "documentLinkProvider": {},
                "documentFormattingProvider": true,
                "codeLensProvider": {},
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "executeCommandProvider": { "commands": actions::COMMANDS },
            },
        }))
    }

    fn handle_notification(&mut self, Notification { method, params }: Notification) -> Vec<Effect> {
        match method.as_str() {
            "exit" => vec![Effect::Exit(if self.state == ServerState::ShutDown { 0 } else { 1 })],
            "$/cancelRequest" => {
                let id = serde_json::from_value::<lsp::CancelParams>(params).ok().map(|params| match params.id {
                    lsp::NumberOrString::Number(number) => RequestId::from(number),
                    lsp::NumberOrString::String(text) => RequestId::from(text),
                });
                id.map(Effect::EndRun).into_iter().collect()
            }
            _ if self.state != ServerState::Ready => Vec::new(),
            "textDocument/didOpen" => {
                let Ok(lsp::DidOpenTextDocumentParams { text_document: opened }) = read(params) else {
                    return Vec::new();
                };
                let name = name_of(opened.uri.as_str());
                let board = self.board.clone();
                self.documents.insert(
                    name.clone(),
                    DocumentState { version: Some(opened.version), board, ..DocumentState::default() },
                );
                self.workspace.open.insert(name.clone(), Rc::new(Text::new(&name, &opened.text)));
                self.document_changed(&name)
            }
            "textDocument/didChange" => {
                let Ok(lsp::DidChangeTextDocumentParams { text_document, content_changes }) = read(params) else {
                    return Vec::new();
                };
                let name = name_of(text_document.uri.as_str());
                let Some(mut text) = self.workspace.open.get(&name).cloned() else { return Vec::new() };
                for change in content_changes {
                    let mut whole = text.text.to_string();
                    match change.range {
                        Some(range) => {
                            let (start, end) = (text.offset(range.start), text.offset(range.end));
                            whole.replace_range(start..end.max(start), &change.text);
                        }
                        None => whole = change.text,
                    }
                    text = Rc::new(Text::new(&name, &whole));
                }
                self.workspace.open.insert(name.clone(), text);
                let state = self.documents.entry(name.clone()).or_default();
                state.version = Some(text_document.version);
                self.document_changed(&name)
            }
            "textDocument/didClose" => {
                let Ok(lsp::DidCloseTextDocumentParams { text_document }) = read(params) else { return Vec::new() };
                let name = name_of(text_document.uri.as_str());
                self.workspace.open.remove(&name);
                self.documents.remove(&name);
                self.workspace.refresh();
                self.waiting.retain(|waiting| *waiting != name);
                let empty = json!({ "uri": text_document.uri, "diagnostics": [] });
                vec![send("textDocument/publishDiagnostics", empty)]
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.workspace.refresh();
                self.waiting = self.workspace.open.keys().cloned().collect();
                self.checking.take().map(|_| Effect::EndCheck).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Schedules checks of a changed text and of open texts whose programs contain it.
    fn document_changed(&mut self, name: &str) -> Vec<Effect> {
        let ended = self.checking.take();
        let contains_text =
            |other: &&String| *other != name && self.workspace.program(other).iter().any(|text| text.name == name);
        let others: Vec<String> = self.workspace.open.keys().filter(contains_text).cloned().collect();
        let interrupted = ended.as_ref().map(|(_, other)| other.clone());
        for other in others.into_iter().chain(interrupted).filter(|other| other != name) {
            if !self.waiting.contains(&other) && self.workspace.open.contains_key(&other) {
                self.waiting.push_back(other);
            }
        }
        self.waiting.retain(|waiting| waiting != name);
        self.waiting.push_front(name.to_owned());
        ended.map(|_| Effect::EndCheck).into_iter().collect()
    }

    /// Returns the next program to check, unless a check is running.
    pub fn next_check(&mut self) -> Option<Request> {
        if self.checking.is_some() {
            return None;
        }
        let (name, first) = std::iter::from_fn(|| self.waiting.pop_front())
            .find_map(|name| self.workspace.open.get(&name).cloned().map(|text| (name, text)))?;
        let text_of = |text: &Rc<Text>| (text.name.clone(), text.text.to_string());
        let test_files = tests::named_files(&Document::in_memory(&*name, &*first.text)).unwrap_or_default();
        let test_files = test_files
            .iter()
            .filter_map(|(file, _)| self.workspace.text(&self.workspace.files.resolve_include(&name, file)?));
        self.checks += 1;
        let request = Request {
            id: self.checks,
            beside: test_files.map(|text| (text.name.clone(), text.text.to_string())).collect(),
            files: self.workspace.program(&name).iter().map(text_of).collect(),
            board: self.documents.get(&name).and_then(|state| state.board.clone()),
        };
        self.checking = Some((request.id, name));
        Some(request)
    }

    /// Handles a result of the running check.
    pub fn checked(&mut self, report: CheckReport) -> Vec<Effect> {
        let Some((_, name)) = self.checking.clone().filter(|(id, _)| *id == report.id) else { return Vec::new() };
        if let Some(state) = self.documents.get_mut(&name) {
            (state.diagnostics, state.atoms) = (report.found, report.atoms);
            state.checked = state.version;
        }
        let mut effects: Vec<Effect> = self.publish(&name).into_iter().collect();
        if report.is_last {
            self.checking = None;
            // Tests and measurements use this notification; editors ignore unknown notifications
            // that begin with `$/`.
            effects.push(send(CHECKED, json!({ "uri": uri_of(&name) })));
        }
        effects
    }

    /// Handles the unexpected end of the process that checks.
    pub fn check_ended(&mut self, words: &str) -> Vec<Effect> {
        let Some((_, name)) = self.checking.take() else { return Vec::new() };
        let words = format!("{name}: not checked to the end: {words}");
        vec![send("window/logMessage", json!({ "type": lsp::MessageType::WARNING, "message": words }))]
    }

    fn publish(&self, name: &str) -> Option<Effect> {
        let (text, state) = (self.workspace.open.get(name)?, self.documents.get(name)?);
        let links = self.workspace.links(text);
        let missing = links.iter().filter(|(.., found)| found.is_none()).map(|(range, file, _)| {
            json!({ "range": text.range(range), "severity": 1, "source": "asp-solve", "code": Code::MissingInclude, "message": format!("{file}: no such file") })
        });
        let found = state.diagnostics.iter().map(|diagnostic| self.diagnostic(text, diagnostic));
        let mut diagnostics: Vec<Value> = missing.chain(found).collect();
        // Several atoms of an included file may have the same message here.
        let mut seen = BTreeSet::new();
        diagnostics.retain(|diagnostic| seen.insert(format!("{} {}", diagnostic["range"], diagnostic["message"])));
        let uri = uri_of(name)?;
        let params = json!({ "uri": uri, "version": state.version, "diagnostics": diagnostics });
        Some(send("textDocument/publishDiagnostics", params))
    }

    fn diagnostic(&self, text: &Rc<Text>, diagnostic: &Diagnostic) -> Value {
        let location = |place: &Place| {
            let other = self.workspace.text(&place.file)?;
            navigation::location(&other, &other.bytes(place))
        };
        // An error in another file is shown at the link to it.
        let own_label = diagnostic.labels.iter().position(|place| place.file == text.name);
        let range = match own_label {
            Some(own_label) => text.bytes(&diagnostic.labels[own_label]),
            None => {
                let links = self.workspace.links(text);
                let refers =
                    |(.., file): &&Link| diagnostic.labels.iter().any(|place| file.as_ref() == Some(&place.file));
                links.iter().find(refers).or(links.first()).map_or(0..0, |(range, ..)| range.clone())
            }
        };
        let related = diagnostic.labels.iter().enumerate().filter(|(at, _)| Some(*at) != own_label);
        let related: Vec<Value> = related
            .filter_map(|(_, place)| {
                let words = if place.label.is_empty() { &diagnostic.message } else { &place.label };
                Some(json!({ "location": location(place)?, "message": words }))
            })
            .collect();
        let severity = match diagnostic.severity {
            _ if diagnostic.code == Code::UnusedRule => 4,
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Info => 3,
        };
        let label =
            own_label.map(|own_label| diagnostic.labels[own_label].label.as_str()).filter(|label| !label.is_empty());
        let label = label.map_or(String::new(), |label| format!("\n{label}"));
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
        json!({
            "range": text.range(&range),
            "severity": severity,
            "source": "asp-solve",
            "code": diagnostic.code,
            "message": format!("{}{label}{help}", diagnostic.message),
            "relatedInformation": related,
        })
    }

    fn answer(&mut self, method: &str, params: Value) -> LspResult {
        let text_of = |params: &Value| {
            let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).unwrap_or_default();
            self.workspace.text(&name_of(uri)).ok_or_else(|| request_failed(format!("{uri}: no such text")))
        };
        let at =
            |text: &Text, params: &Value| read::<lsp::Position>(params["position"].clone()).map(|at| text.offset(at));
        match method {
            "textDocument/definition"
            | "textDocument/references"
            | "textDocument/documentHighlight"
            | "textDocument/prepareRename"
            | "textDocument/rename" => {
                let text = text_of(&params)?;
                let at = at(&text, &params)?;
                if matches!(method, "textDocument/references" | "textDocument/rename") {
                    self.workspace.refresh();
                }
                navigation::answer(&self.workspace, &text, at, method, &params)
            }
            "textDocument/documentSymbol" => Ok(json!(navigation::symbols(&*text_of(&params)?))),
            "textDocument/foldingRange" => Ok(json!(navigation::foldings(&*text_of(&params)?))),
            "textDocument/documentLink" => Ok(json!(navigation::links(&self.workspace, &*text_of(&params)?))),
            "textDocument/hover" => {
                let text = text_of(&params)?;
                let at = at(&text, &params)?;
                Ok(json!(hover::hover(&self.workspace, self.documents.get(&text.name), &text, at)))
            }
            "textDocument/completion" => {
                let text = text_of(&params)?;
                let at = at(&text, &params)?;
                Ok(json!(hover::completions(&self.workspace, &text, at, self.has_snippets)))
            }
            "textDocument/formatting" => Ok(json!(format::edits(&*text_of(&params)?))),
            "textDocument/codeLens" => {
                let text = text_of(&params)?;
                Ok(json!(actions::lenses(&text, self.documents.get(&text.name))))
            }
            "textDocument/codeAction" => {
                let text = text_of(&params)?;
                let range = read::<lsp::Range>(params["range"].clone())?;
                let range = text.offset(range.start)..text.offset(range.end);
                Ok(json!(actions::actions(&text, self.documents.get(&text.name), range)))
            }
            _ => Err((ErrorCode::MethodNotFound, format!("{method}: no such method"))),
        }
    }

    fn execute(&mut self, id: &RequestId, params: Value) -> Result<Vec<Effect>, (ErrorCode, String)> {
        let lsp::ExecuteCommandParams { command, arguments, .. } = read(params)?;
        let argument = |number: usize| arguments.get(number).and_then(Value::as_str);
        let uri = argument(0)
            .ok_or_else(|| (ErrorCode::InvalidParams, "expected the URI of a text as the first argument".to_owned()))?;
        let name = name_of(uri);
        if command == "asp-solve.board" {
            let state = self.documents.get_mut(&name).ok_or_else(|| request_failed(format!("{uri}: is not open")))?;
            state.board = argument(1).filter(|board| !board.is_empty()).map(name_of);
            let mut effects = self.document_changed(&name);
            effects.push(response(id.clone(), Ok(Value::Null)));
            return Ok(effects);
        }
        let text = self.workspace.text(&name).ok_or_else(|| request_failed(format!("{uri}: no such text")))?;
        let is_saved = self.workspace.files.read(&name).is_some_and(|saved| Text::new(&name, &saved).text == text.text);
        let board = self.documents.get(&name).and_then(|state| state.board.clone());
        let file = if is_saved { name.clone() } else { "-".to_owned() };
        let arguments = actions::arguments(&command, file, argument(1), board)
            .ok_or_else(|| (ErrorCode::InvalidParams, format!("{command}: no such command")))?;
        let input = (!is_saved).then(|| (text.text.to_string(), folder_of(&name)));
        Ok(vec![Effect::Run(CommandRun { id: id.clone(), arguments, input })])
    }

    /// Handles the end of a command: its output, or `None` if it was cancelled.
    pub fn command_ended(&mut self, id: RequestId, printed: Option<String>) -> Effect {
        let cancelled = || (ErrorCode::RequestCanceled, "cancelled".to_owned());
        response(id, printed.map(Value::String).ok_or_else(cancelled))
    }
}

fn response(id: RequestId, result: LspResult) -> Effect {
    let response_result = result.map_err(|(code, message)| ResponseError { code: code as i32, message, data: None });
    Effect::Send(Message::Response(Response { id, response_result }))
}
