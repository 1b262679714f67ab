//! WebAssembly has no threads: clasp polls the stop token while it solves, and a page sends requests
//! to a program that has already returned from `main`.
//!
//! ```text
//!   page ── answer_request ──> the function that `serve` was given, which reads and writes the standard streams
//!   clasp, while it solves ── poll_stop_token ──> CancelToken::requested, whose hooks end the search
//! ```

use std::cell::RefCell;

use base::stop::CancelToken;

thread_local! {
    /// The tokens of the running calls of clasp, innermost last.
    static SOLVING: RefCell<Vec<CancelToken>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// While it lives, clasp polls a token.
pub struct Polling(());

impl Polling {
    pub fn start(stop: &CancelToken) -> Self {
        SOLVING.with_borrow_mut(|solving| solving.push(stop.clone()));
        Polling(())
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        SOLVING.with_borrow_mut(Vec::pop);
    }
}

/// Sets the function that answers each request of the page.
pub fn serve(answer: impl FnMut() + 'static) {
    ANSWER.with_borrow_mut(|slot| *slot = Some(Box::new(answer)));
}

// SAFETY: no other function has this name.
#[unsafe(export_name = "asp_solve_poll")]
extern "C" fn poll_stop_token() {
    // The hooks of the token may solve.
    if let Some(stop) = SOLVING.with_borrow(|solving| solving.last().cloned()) {
        let _ = stop.requested();
    }
}

// SAFETY: as above.
#[unsafe(export_name = "asp_solve_answer")]
extern "C" fn answer_request() {
    if let Some(mut answer) = ANSWER.take() {
        answer();
        ANSWER.set(Some(answer));
    }
}
