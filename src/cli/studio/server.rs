//! The server of the studio: its page, requests of the page, and events for it.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{self, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base::diagnostic::{Code, Diagnostic, Failure};
use futures_util::stream::{self, StreamExt};
use notify::RecursiveMode;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use studio::Query;
use studio::serve::{self, LocalServer};
use tokio::sync::broadcast;

use super::files::{self, SaveError, StudioFile};
use super::gallery::Gallery;
use super::lanes::{GALLERY_LANE, Lanes, RequestOutcome};
use crate::cli::args::Studio;
use crate::cli::folders::{SAVE_DEBOUNCE, watch_folders};
use crate::cli::puzzles::registry;
use crate::cli::{exit, input, subprocess, terminal};

/// Maximal number of events queued for a slow page.
const MAX_EVENTS: usize = 64;

/// State shared by all requests.
struct AppState {
    files: Vec<StudioFile>,
    gallery: Gallery,
    lanes: Lanes,
    /// The texts of the last request, verbatim.
    last_texts: Mutex<String>,
    events: broadcast::Sender<(&'static str, String)>,
}

/// Serves until Ctrl-C.
pub fn run(args: &Studio) -> Result<(), Failure> {
    let files = StudioFile::all(&args.files)?;
    check_encodings(args)?;
    let unserved =
        |error: io::Error| Failure::from(Diagnostic::error(Code::System, format!("port {}: {error}", args.port)));
    let server = LocalServer::open(args.port).map_err(unserved)?;
    let (events, _) = broadcast::channel(MAX_EVENTS);
    let lanes = Lanes::new(|| {
        let mut program = subprocess::this_program()?;
        // The subcommand is always the first argument.
        program.args(["studio", "--worker"]).args(std::env::args_os().skip(2));
        Ok(program)
    });
    let shared = Arc::new(AppState { files, gallery: Gallery::new(), lanes, last_texts: Mutex::default(), events });
    let _watcher = watch_files(&shared)?;
    exit::on_interrupt(|| exit::leave(0));
    terminal::print_line(format_args!("the studio is at {} (Ctrl-C ends it)", server.address()));
    let routes = Router::new()
        .route(&server.path(""), get(page))
        .route(&server.path("events"), get(events_stream))
        .route(&server.path("ask"), post(ask))
        .route(&server.path("save"), post(save))
        .route(&server.path("picture/{name}"), get(example_picture))
        .with_state(shared);
    server.serve(routes).map_err(unserved)
}

/// Rejects arguments that would make every run fail.
fn check_encodings(args: &Studio) -> Result<(), Failure> {
    input::folders(args.program.folder.path())?;
    let is_known = |encoding: &PathBuf| {
        let mut named = registry().all().iter().flat_map(|entry| entry.about().encodings);
        let is_named = |known: &puzzle::Encoding| {
            encoding.as_os_str() == &*known.name || known.files.iter().any(|file| encoding.as_os_str() == &*file.path)
        };
        encoding.is_file() || named.any(is_named)
    };
    match args.choice.encoding.iter().find(|encoding| !is_known(encoding)) {
        Some(missing) => {
            let text = format!("--encoding {}: no such file, nor an encoding of a puzzle", missing.display());
            Err(Diagnostic::error(Code::Usage, text).into())
        }
        None => Ok(()),
    }
}

async fn example_picture(State(shared): State<Arc<AppState>>, extract::Path(name): extract::Path<String>) -> Response {
    shared.gallery.picture(name, &shared.lanes).await
}

async fn page(State(shared): State<Arc<AppState>>) -> Response {
    shared.lanes.start_spare();
    let file = |file: &StudioFile| json!({ "name": file.name, "text": file.text(), "saves": file.path.is_some() });
    let files: Vec<Value> = shared.files.iter().map(file).collect();
    let start = json!({ "files": files, "examples": shared.gallery.entries });
    match serve::random() {
        Ok(nonce) => serve::page(studio::html(&nonce, &start), &nonce),
        Err(error) => serve::refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn events_stream(State(shared): State<Arc<AppState>>) -> impl IntoResponse {
    let event = |name: &str, data: String| Ok::<_, Infallible>(Event::default().event(name).data(data));
    let events = stream::unfold(shared.events.subscribe(), move |mut events| async move {
        loop {
            match events.recv().await {
                Ok((name, data)) => return Some((event(name, data), events)),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    });
    // A page that reconnects has missed earlier changes.
    let saved = shared.files.iter().filter(|file| file.path.is_some());
    let now: Vec<_> =
        saved.map(|file| event("file", json!({ "name": file.name, "text": file.text() }).to_string())).collect();
    Sse::new(stream::iter(now).chain(events)).keep_alive(KeepAlive::default())
}

/// The part of a request that the server needs.
#[derive(Deserialize)]
struct AskRequest<'a> {
    id: u64,
    #[serde(borrow)]
    files: &'a RawValue,
    ask: Query,
}

#[derive(Deserialize)]
struct FileName<'a> {
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
}

async fn ask(State(shared): State<Arc<AppState>>, body: Body) -> Response {
    let wrong = |_| {
        let words = "expected a request {\"id\": …, \"files\": [{\"name\", \"text\"}], \"ask\": {…}}, asking to solve, play, why, hint, tests, places or picture";
        serve::refuse(StatusCode::BAD_REQUEST, words)
    };
    let bytes = match serve::body(body).await {
        Ok(bytes) => bytes,
        Err(response) => return response,
    };
    let text = String::from_utf8_lossy(&bytes);
    let AskRequest { id, files, ask } = match serde_json::from_str(&text) {
        Ok(request) => request,
        Err(error) => return wrong(error),
    };
    match serde_json::from_str::<Vec<FileName<'_>>>(files.get()) {
        Ok(names) => {
            if let Some(unknown) = names.iter().find(|name| !shared.is_known(&name.name)) {
                return serve::refuse(StatusCode::NOT_FOUND, &format!("{}: no such file was named", unknown.name));
            }
        }
        Err(error) => return wrong(error),
    }
    let lane = match ask {
        Query::Solve { .. } | Query::Play { .. } => 0,
        Query::Why { .. } | Query::Hint {} | Query::Tests {} => 1,
        Query::Places {} => 2,
        Query::Count {} => 3,
        Query::Picture {} => GALLERY_LANE,
    };
    if shared.has_changed(files.get()) {
        for lane in 0..GALLERY_LANE {
            shared.lanes.cancel(lane);
        }
    }
    let progress = |seconds: f64| shared.broadcast("progress", json!({ "id": id, "seconds": seconds }));
    let outcome = shared.lanes.ask(lane, &text, progress).await;
    // Starting a process must not delay the response.
    let standing_by = shared.clone();
    tokio::spawn(async move { standing_by.lanes.start_spare() });
    match outcome {
        RequestOutcome::Answered(line) => serve::json(StatusCode::OK, line),
        RequestOutcome::Cancelled => serve::json(StatusCode::OK, json!({ "id": id, "cancelled": true }).to_string()),
        RequestOutcome::Failed(words) => {
            let diagnostics = [json!({ "level": "error", "text": words, "places": [] })];
            let failed = json!({ "id": id, "verdict": "error", "words": words, "text": words, "answers": [], "encoding": [], "diagnostics": diagnostics });
            serve::json(StatusCode::OK, failed.to_string())
        }
    }
}

#[derive(Deserialize)]
struct Save {
    name: String,
    text: String,
    /// The text that the page started from.
    base: String,
}

async fn save(State(shared): State<Arc<AppState>>, body: Body) -> Response {
    let bytes = match serve::body(body).await {
        Ok(bytes) => bytes,
        Err(response) => return response,
    };
    let Save { name, text, base } = match serde_json::from_slice(&bytes) {
        Ok(save) => save,
        Err(_) => {
            return serve::refuse(
                StatusCode::BAD_REQUEST,
                "expected a name, a text, and the text that it started from",
            );
        }
    };
    let Some(file) = shared.file(&name) else {
        return serve::refuse(StatusCode::NOT_FOUND, &format!("{name}: no such file was named"));
    };
    match file.save(&text, &base) {
        Ok(()) => serve::json(StatusCode::OK, json!({ "name": name }).to_string()),
        Err(SaveError::Changed(text)) => {
            serve::json(StatusCode::CONFLICT, json!({ "name": name, "text": text }).to_string())
        }
        Err(SaveError::Failed(failure)) => serve::refuse(StatusCode::INTERNAL_SERVER_ERROR, &failure.to_string()),
    }
}

impl AppState {
    fn file(&self, name: &str) -> Option<&StudioFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Returns true if a text may have this name: a named file, an example or a new program.
    fn is_known(&self, name: &str) -> bool {
        self.file(name).is_some() || self.gallery.has_file(name) || files::is_new_program(name)
    }

    /// Stores `texts`, and returns true if the previous request had other texts.
    fn has_changed(&self, texts: &str) -> bool {
        let mut last_texts = self.last_texts.lock();
        let has_changed = *last_texts != texts;
        if has_changed {
            texts.clone_into(&mut last_texts);
        }
        has_changed
    }

    /// Sends an event to all pages, if there are any.
    fn broadcast(&self, event: &'static str, data: Value) {
        let _ = self.events.send((event, data.to_string()));
    }
}

/// Notifies the pages when a named file changes on disk.
fn watch_files(shared: &Arc<AppState>) -> Result<notify::RecommendedWatcher, Failure> {
    let (sender, changes) = std::sync::mpsc::channel();
    let mut folders: Vec<(PathBuf, RecursiveMode)> = Vec::new();
    for path in shared.files.iter().filter_map(|file| file.path.as_deref()) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folders.iter().any(|(watched, _)| watched == folder) {
            folders.push((folder.to_owned(), RecursiveMode::NonRecursive));
        }
    }
    let watcher = watch_folders(&folders, move |_| {
        let _ = sender.send(());
    })?;
    let shared = shared.clone();
    std::thread::spawn(move || {
        while changes.recv().is_ok() {
            while changes.recv_timeout(SAVE_DEBOUNCE).is_ok() {}
            for file in &shared.files {
                if let Some(text) = file.reload_if_changed() {
                    shared.broadcast("file", json!({ "name": file.name, "text": text }));
                }
            }
        }
    });
    Ok(watcher)
}
