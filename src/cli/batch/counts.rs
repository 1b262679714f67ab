//! Outcomes of lines and their counts, and the size of the window.

use base::words::{count, thousands};

/// Maximal number of lines that are read and not yet written, and maximal size of these lines and
/// of results that wait for their turn.
pub const MAX_LINES: usize = 1 << 14;
pub const MAX_BYTES: usize = 64 << 20;

/// The outcome of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOutcome {
    Solved,
    /// With `--unique`: there are several solutions.
    Ambiguous,
    Impossible,
    GaveUp,
    Invalid,
}

/// Counts of the objects in the output.
#[derive(Default)]
pub struct OutputCounts {
    pub objects: u64,
    by_outcome: [u64; 5],
}

impl OutputCounts {
    pub fn count(&mut self, outcome: LineOutcome) {
        self.objects += 1;
        self.by_outcome[outcome as usize] += 1;
    }

    pub fn of(&self, outcome: LineOutcome) -> u64 {
        self.by_outcome[outcome as usize]
    }

    /// "200 lines: 198 solved, 1 without a solution, 1 invalid"
    pub fn totals(&self) -> String {
        let words = [
            (LineOutcome::Solved, "solved"),
            (LineOutcome::Ambiguous, "with several solutions"),
            (LineOutcome::Impossible, "without a solution"),
            (LineOutcome::GaveUp, "given up"),
            (LineOutcome::Invalid, "invalid"),
        ];
        let counted = words.map(|(outcome, words)| (self.of(outcome), words));
        let counted = counted.into_iter().filter(|(number, _)| *number > 0);
        let counted: Vec<String> = counted.map(|(number, words)| format!("{} {words}", thousands(number))).collect();
        format!("{}: {}", count(self.objects, "line", "lines"), counted.join(", "))
    }
}
