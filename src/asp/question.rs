//! What a solver was asked, read from its own configuration: so it is known whichever way an option came.

use super::ffi::{CallError, Control};

/// What the answers are, and which of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question {
    pub mode: Mode,
    pub optimisation: Optimisation,
    /// Answers that cost more than a bound do not count.
    pub is_bounded: bool,
    /// Answers that look the same count once.
    pub is_projected: bool,
    /// Answers look the same that have the same atoms of `#project`.
    pub is_projected_explicitly: bool,
    /// Not all answers count, or not only answer sets do: supported models, or those that a heuristic prefers.
    pub is_altered: bool,
}

/// Whether answers are answer sets, or ever closer bounds of what all or some answer sets have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    AnswerSets,
    Brave,
    Cautious,
}

/// What `#minimize` asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// One optimum.
    One,
    /// All optima.
    All,
    /// Nothing: answers have costs, or not even that.
    #[default]
    None,
}

impl Question {
    pub(super) fn of(control: &Control) -> Result<Self, CallError> {
        let mode = control.setting("solve.enum_mode")?;
        let optimisation = control.setting("solve.opt_mode")?;
        let (optimisation, bound) = optimisation.split_once(',').unwrap_or((&optimisation, ""));
        let is_set = |key: &str| control.setting(key).map(|value| value != "0" && value != "no");
        let is_altered = is_set("asp.supp_models")? || is_set("asp.no_ufs_check")? || is_set("asp.no_gamma")?;
        let projection = control.setting("solve.project")?;
        Ok(Question {
            mode: match mode.as_str() {
                "brave" => Mode::Brave,
                "cautious" | "query" => Mode::Cautious,
                _ => Mode::AnswerSets,
            },
            optimisation: match optimisation {
                "opt" => Optimisation::One,
                "optN" => Optimisation::All,
                _ => Optimisation::None,
            },
            is_bounded: !bound.is_empty() && optimisation != "ignore",
            is_projected_explicitly: projection.starts_with("project"),
            is_projected: !projection.starts_with("no"),
            is_altered: is_altered || !["auto", "bt", "record", "brave", "cautious", "query"].contains(&mode.as_str()),
        })
    }
}
