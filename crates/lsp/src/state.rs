//! The state of an open text, and the result of a request.

use std::collections::BTreeMap;

use base::diagnostic::Diagnostic;
use lsp_server::ErrorCode;
use serde_json::Value;

use super::check::Atoms;

/// State of an open text.
#[derive(Default)]
pub struct DocumentState {
    pub diagnostics: Vec<Diagnostic>,
    pub atoms: BTreeMap<String, Atoms>,
    pub version: Option<i32>,
    /// The version that was checked; places in `diagnostics` are those of its text.
    pub checked: Option<i32>,
    pub board: Option<String>,
}

impl DocumentState {
    /// Returns true if the text has not changed since it was checked.
    pub fn is_current(&self) -> bool {
        self.checked == self.version
    }
}

/// Response to a request: a value, or an error code and message.
pub type LspResult = Result<Value, (ErrorCode, String)>;

pub fn request_failed(words: impl Into<String>) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, words.into())
}
