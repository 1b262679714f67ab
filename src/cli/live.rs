//! The page of `watch --serve`, which reloads itself when it has changed.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::thread;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use tokio::sync::watch;

use super::messages;
use super::serve::{self, Door};
use crate::page;

/// A page that is served until the process ends: how often it has changed, and its text.
pub struct Page {
    address: String,
    shown: Shown,
}

type Shown = watch::Sender<(u64, Arc<str>)>;

impl Page {
    /// Serves on a port, any free one for 0.
    pub fn start(port: u16) -> io::Result<Self> {
        let door = Door::open(port)?;
        let page = Page { address: door.address(), shown: watch::Sender::new((0, Arc::default())) };
        let routes = Router::new()
            .route(&door.path(""), get(whole))
            .route(&door.path("changes"), get(changes))
            .with_state(page.shown.clone());
        thread::spawn(move || {
            if let Err(error) = door.serve(routes) {
                messages::say(format_args!("error: the page is served no longer: {error}"));
            }
        });
        Ok(page)
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Shows another page, from now on.
    pub fn show(&self, html: String) {
        self.shown.send_modify(|shown| *shown = (shown.0 + 1, html.into()));
    }
}

/// The page with a script that waits for the next one.
async fn whole(State(shown): State<Shown>) -> Response {
    let (version, html) = shown.borrow().clone();
    let script = format!(
        "<script>new EventSource(\"changes\").onmessage = (event) => {{ if (event.data !== \"{version}\") location.reload(); }};</script>\n"
    );
    let (before, after) = html.rsplit_once("</body>").unwrap_or((&html, ""));
    let page = if html.is_empty() {
        format!("<!DOCTYPE html><title>solving</title><body>Solving …\n{script}</body>")
    } else {
        format!("{before}{script}</body>{after}")
    };
    match serve::random() {
        Ok(nonce) => serve::page(page::with_nonce(&page, &nonce), &nonce),
        Err(error) => serve::refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// An event now, and one for every change.
async fn changes(State(shown): State<Shown>) -> impl IntoResponse {
    let mut changes = shown.subscribe();
    changes.mark_changed();
    let events = stream::unfold(changes, |mut changes| async {
        changes.changed().await.ok()?;
        let version = changes.borrow_and_update().0;
        Some((Ok::<_, Infallible>(Event::default().data(version.to_string())), changes))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
