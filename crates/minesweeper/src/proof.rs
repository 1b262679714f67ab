//! Why no layout exists, and the certificate of a run.

use prover::Certification;
use puzzle::{RunProof, UnsolvableCause};
use serde::Serialize;
use serde_json::{Value, json};

use super::board::Board;
use super::conflict::Conflict;

/// The reason why no layout exists, and the certificate of the run.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    #[serde(skip)]
    pub(super) conflict: Option<Conflict>,
    /// The conflict as JSON: the row and column of each number and flag, and whether the total is
    /// needed.
    #[serde(rename = "contradiction", skip_serializing_if = "Option::is_none")]
    contradiction_json: Option<Value>,
    #[serde(skip)]
    pub(super) cause: Option<UnsolvableCause>,
    /// The certificate of the certain cells, or the reason for its absence.
    #[serde(skip)]
    pub(super) certificate: Option<Certification>,
}

impl Proof {
    pub(super) fn from_conflict(board: &Board, conflict: Conflict) -> Self {
        let (numbers, flags): (Vec<usize>, Vec<usize>) =
            conflict.clues.iter().partition(|&&clue| board.position.cells[clue].is_number());
        let places = |cells: &[usize]| board.position.grid.places(cells);
        let mut json = json!({ "numbers": places(&numbers), "total": conflict.needs_total });
        if !flags.is_empty() {
            json["flags"] = json!(places(&flags));
        }
        Proof { conflict: Some(conflict), contradiction_json: Some(json), ..Proof::default() }
    }
}

impl RunProof for Proof {
    fn cause(&self) -> Option<&UnsolvableCause> {
        self.cause.as_ref()
    }

    fn certificate(&self) -> Option<&Certification> {
        self.certificate.as_ref()
    }
}
