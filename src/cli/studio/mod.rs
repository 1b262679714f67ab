//! `asp-solve studio`: a page for authors, served to browsers on this machine.
//!
//! ```text
//!   page ── POST ask ──> server ── a line of JSON ──> workers: answers, reasons, places
//!    ▲ └─── POST save ─> the named files                │
//!    └───── events ───── a file has changed; progress of a run
//! ```
//!
//! In a static page there is no server: the page itself sends the lines to a worker, which is this
//! program as WebAssembly.
//!
//! | file | content |
//! |---|---|
//! | `files.rs` | the named files on disk |
//! | `gallery.rs` | examples of all puzzles, with pictures |
//! | `lanes.rs` | lanes of requests, each answered by a worker process |
//! | `server.rs` | the server |
//! | `static_page.rs` | the files of a page without a server |
//! | `worker.rs` | a worker process |

#[cfg(not(target_family = "wasm"))]
mod files;
#[cfg(not(target_family = "wasm"))]
mod gallery;
#[cfg(not(target_family = "wasm"))]
mod lanes;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(not(target_family = "wasm"))]
mod static_page;
mod worker;

#[cfg(target_family = "wasm")]
use base::diagnostic::{Code, Diagnostic, Failure};

use super::args::Studio;
use super::groups::OutputArgs;

/// Serves until Ctrl-C, writes a static page, or answers requests as a worker; returns the exit code.
pub fn studio(args: &Studio) -> i32 {
    if args.worker {
        return worker::work(args);
    }
    #[cfg(target_family = "wasm")]
    let served: Result<(), Failure> = Err(Diagnostic::error(Code::Usage, "WebAssembly has no connections").into());
    #[cfg(not(target_family = "wasm"))]
    let served = match (&args.page, &args.wasm) {
        (Some(folder), Some(wasm)) => static_page::write(folder, wasm),
        _ => server::run(args),
    };
    served.map_or_else(|failure| OutputArgs::default().fail(&failure, &[]), |()| 0)
}
