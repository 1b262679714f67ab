//! The cause of unsolvability.

use std::time::{Duration, Instant};

use asp::Settings;
use base::stop::CancelToken;
use explain::{ExplainInput, Part};
use serde_json::Value;

/// Parts of an instance that together exclude every answer.
#[derive(Debug, Default)]
pub struct UnsolvableCause {
    pub parts: Vec<Part>,
    /// Proven: no smaller set suffices.
    pub is_smallest: bool,
}

impl UnsolvableCause {
    /// A line for each part, up to a limit.
    pub fn lines(&self) -> String {
        const MAX_LINES: usize = 12;
        let mut lines: String = self.parts.iter().take(MAX_LINES).map(|part| format!("  - {}\n", part.words)).collect();
        if self.parts.len() > MAX_LINES {
            lines += &format!("  … and {} more\n", self.parts.len() - MAX_LINES);
        }
        lines
    }

    pub fn json(&self) -> Value {
        self.parts.iter().map(Part::json).collect()
    }

    /// Finds the cause why a program has no answer. The search takes about as long as the solver
    /// took.
    pub fn of_program(
        source: &ExplainInput,
        settings: &Settings,
        began: Instant,
        stop: &CancelToken,
    ) -> Option<UnsolvableCause> {
        const TIME_RANGE: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];
        let time = began.elapsed().clamp(TIME_RANGE[0], TIME_RANGE[1]);
        let limited = stop.child_until(Some(Instant::now() + time));
        let settings = Settings { constants: settings.constants.clone(), ..Settings::default() };
        // Errors are ignored here; `why` reports them.
        let (parts, is_smallest) = explain::cause_of(source, &settings, &limited.token).ok()??;
        Some(UnsolvableCause { parts, is_smallest })
    }
}
