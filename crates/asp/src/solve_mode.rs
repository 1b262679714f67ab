//! The solve mode, read back from clasp's configuration, so that it does not matter how an option
//! was set.

use ground::Optimisation;

use super::ffi::{CallError, Control};

/// The answers that a solver reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SolveMode {
    pub mode: ReasoningMode,
    pub optimisation: Optimisation,
    /// True if answers above an initial bound of the costs are excluded.
    pub is_bounded: bool,
    /// True if answers with the same projection are reported once.
    pub is_projected: bool,
    /// True if the projection is to the atoms of `#project`.
    pub is_projected_explicitly: bool,
    /// True if some answer sets are excluded, such as by a domain heuristic, or if other models are
    /// included, such as supported ones.
    pub is_altered: bool,
}

/// The reasoning mode: in the brave and the cautious mode, answers are successive approximations of
/// the consequences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReasoningMode {
    #[default]
    AnswerSets,
    Brave,
    Cautious,
}

impl SolveMode {
    pub(super) fn of(control: &Control) -> Result<Self, CallError> {
        let mode = control.setting("solve.enum_mode")?;
        let optimisation = control.setting("solve.opt_mode")?;
        let (optimisation, bound) = optimisation.split_once(',').unwrap_or((&optimisation, ""));
        let is_set = |key: &str| control.setting(key).map(|value| value != "0" && value != "no");
        let is_altered = is_set("asp.supp_models")? || is_set("asp.no_ufs_check")? || is_set("asp.no_gamma")?;
        let projection = control.setting("solve.project")?;
        Ok(SolveMode {
            mode: match mode.as_str() {
                "brave" => ReasoningMode::Brave,
                "cautious" | "query" => ReasoningMode::Cautious,
                _ => ReasoningMode::AnswerSets,
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
