//! The proof of a clingo search, and the closing sentence of a report: the same for streamed and
//! for drawn answers.

use asp::{LoopEnd, LoopSummary, ReasoningMode, SolveMode};
use base::ending::Verdict;
use base::style::Style;
use base::words::count;
use ground::Optimisation;

use super::costs::AnswerCosts;
use super::selection::SelectionSummary;
use crate::job::Rules;

/// The status of a search, as the clingo command reports it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClingoStatus {
    pub satisfiable: bool,
    pub exhausted: bool,
    /// The search was interrupted, or reached a limit.
    pub is_stopped: bool,
    /// The end of the loop of an incremental program; `None` for other programs. Later steps might
    /// have answers.
    pub steps: Option<LoopSummary>,
    /// clingo is known to lose answers of this kind of program; a warning reports this.
    pub has_defect: bool,
    pub times: Times,
}

/// The strongest claim that a search has proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proven {
    #[default]
    Nothing,
    NoAnswer,
    AllAnswers,
    Optimum,
    /// The answers found are optimal; there may be more.
    SomeOptima,
    AllOptima,
    Consequences,
}

impl ClingoStatus {
    /// Returns true if the loop of an incremental program reached the maximum number of steps.
    pub fn is_at_limit(&self) -> bool {
        self.steps.is_some_and(|steps| steps.end == LoopEnd::Limit)
    }
}

/// Statistics of the answers of a search; for an incremental program, of its last step.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelStats {
    pub found: u64,
    /// The answers have costs.
    pub has_costs: bool,
    /// The last answer is proven optimal.
    pub is_optimal: bool,
}

impl Proven {
    /// Returns the strongest claim that is proven at the end of a search.
    pub fn of(solve_mode: SolveMode, status: ClingoStatus, model_stats: ModelStats) -> Proven {
        let SolveMode { mode, optimisation, is_bounded, is_projected, is_altered, .. } = solve_mode;
        let ClingoStatus { exhausted, steps, has_defect, .. } = status;
        let is_answer_sets = mode == ReasoningMode::AnswerSets;
        let minimises = optimisation != Optimisation::None && model_stats.has_costs;
        // Without costs a bound excludes no answer.
        let is_bounded = is_bounded && (model_stats.found == 0 || model_stats.has_costs);
        match optimisation {
            _ if is_altered || has_defect || status.is_at_limit() => Proven::Nothing,
            Optimisation::All if !exhausted && is_answer_sets && model_stats.is_optimal => Proven::SomeOptima,
            _ if !exhausted => Proven::Nothing,
            _ if model_stats.found == 0 => {
                if is_bounded || steps.is_some() {
                    Proven::Nothing
                } else {
                    Proven::NoAnswer
                }
            }
            Optimisation::All if minimises && is_answer_sets => Proven::AllOptima,
            // Projection may skip an answer that has the same projection and costs less.
            Optimisation::One if minimises && is_answer_sets && !is_projected => Proven::Optimum,
            // The answers before the optimum depend on the search, and so do their consequences.
            Optimisation::One if minimises => Proven::Nothing,
            Optimisation::None if is_bounded => Proven::Nothing,
            _ if is_answer_sets => Proven::AllAnswers,
            _ => Proven::Consequences,
        }
    }
}

/// Times in seconds, as the clingo command reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    pub solving: f64,
    /// Until the first answer
    pub first_model: f64,
    /// From the last answer to the proof that there is no other
    pub unsat: f64,
    pub cpu: f64,
}

/// The data of the closing sentence.
pub struct ClosingLine<'a> {
    pub solve_mode: SolveMode,
    pub status: ClingoStatus,
    pub model_stats: ModelStats,
    /// Number of reported answers; for an incremental program, of its last step.
    pub found: u64,
    /// Number of these answers that are optimal.
    pub optimal: u64,
    /// Number of reported answers of earlier steps.
    pub earlier: u64,
    /// Number of solve calls.
    pub steps: u32,
    /// The puzzle's words for answers, singular and plural.
    pub nouns: [&'a str; 2],
    /// Number of shown atoms of the last answer, and its costs.
    pub atoms: usize,
    pub costs: &'a AnswerCosts,
    pub verdict: Verdict,
    pub rules: &'a Rules,
    /// How the answers were selected, if not as they were found.
    pub selection: Option<&'a SelectionSummary>,
    /// Suggest `--unique` if there may be more answers.
    pub suggests_unique: bool,
    pub style: Style,
}

impl ClosingLine<'_> {
    /// The sentence, with a note on earlier steps.
    pub fn words(&self) -> String {
        let [noun, nouns] = self.nouns;
        if let Some(words) = self.selection.and_then(|selection| selection.words(self.nouns, self.verdict)) {
            return words;
        }
        match self.earlier {
            0 => self.last_step(),
            earlier => format!("Earlier steps have {}. {}", count(earlier, noun, nouns), self.last_step()),
        }
    }

    /// The sentence about the last step of an incremental program, or about another program.
    fn last_step(&self) -> String {
        let gave_up = self.verdict.gave_up_words();
        let proven = |words: &str| format!("{}.", self.rules.verdict(words));
        let [noun, nouns] = self.nouns;
        let found = count(self.found, noun, nouns) + &self.in_last();
        let cost = self.costs.words();
        let others = if self.found == 1 { "other" } else { "others" };
        let optimal = if self.minimises() { "optimal " } else { "" };
        match Proven::of(self.solve_mode, self.status, self.model_stats) {
            Proven::SomeOptima => {
                let last = proven(&format!("{found} found; the last one, of {cost}, is optimal"));
                format!("{last} There may be more optimal {nouns}.")
            }
            _ if !self.status.exhausted && !gave_up.is_empty() => match self.found {
                0 => format!("{gave_up} No {noun} found{}.", self.in_last()),
                _ if self.costs.is_empty() => format!("{gave_up} {found} found; there may be more."),
                _ => format!("{gave_up} {found} found, the last of {cost}; there may be better ones."),
            },
            Proven::AllOptima if self.optimal > 1 => {
                let optima = count(self.optimal, &format!("optimal {noun}"), &format!("optimal {nouns}"));
                proven(&format!("{optima} of {cost}{}, and no others", self.in_last()))
            }
            Proven::AllOptima | Proven::Optimum => self.optimum(),
            Proven::NoAnswer => proven(&format!("There is no {noun}")),
            Proven::Consequences => self.hold_in(&format!("{optimal}{noun}.")),
            Proven::AllAnswers if self.solve_mode.is_projected => {
                proven(&format!("{found} that look different, and no {others}"))
            }
            Proven::AllAnswers => proven(&format!("{found}, and no {others}")),
            Proven::Nothing => self.nothing_proven(&found, &cost),
        }
    }

    /// "Optimum found (proven): no answer costs less than 3."
    fn optimum(&self) -> String {
        let best = format!("no {}{} {}", self.nouns[0], self.in_last(), self.costs.better());
        match self.rules {
            Rules::BuiltIn(_) => format!("{}: {best}.", self.rules.verdict("Optimum found")),
            Rules::Custom(_) => format!("Optimum found: {}.", self.rules.verdict(&best)),
        }
    }

    /// The sentence if nothing is proven although the search was not interrupted.
    fn nothing_proven(&self, found: &str, cost: &str) -> String {
        let [noun, _] = self.nouns;
        let SolveMode { mode, is_altered, .. } = self.solve_mode;
        let is_consequences = mode != ReasoningMode::AnswerSets;
        match self.found {
            _ if self.status.has_defect => format!("{found}, and perhaps more: see the warning."),
            _ if is_altered => format!("{found}, with options that may leave {} out or let others in.", self.nouns[1]),
            0 if self.earlier > 0 => format!("No {noun}{}.", self.in_last()),
            0 if self.status.steps.is_some() => format!("No {noun} in {}.", count(self.steps, "step", "steps")),
            0 => format!("No {noun} within the bound."),
            _ if self.status.is_at_limit() => {
                format!("{found}; the maximum number of steps was reached before the loop ended.")
            }
            _ if is_consequences && !self.status.exhausted => self.hold_in(&format!("{noun} found so far.")),
            _ if !self.status.exhausted && self.minimises() => {
                format!("{found}; there may be better ones{}.", self.style.advice(" (-n 0 finds the best)"))
            }
            _ if !self.status.exhausted && self.suggests_unique => {
                format!("{found}; there may be more{}.", self.style.advice(" (--unique tells, -n 0 finds all)"))
            }
            _ if !self.status.exhausted => {
                format!("{found}; there may be more{}.", self.style.advice(" (-n 0 finds all)"))
            }
            _ if is_consequences && self.minimises() => {
                self.hold_in(&format!("{noun} on the way to an optimum; --opt-mode optN asks about the optimal ones."))
            }
            _ if is_consequences => self.hold_in(&format!("{noun} within the bound.")),
            _ if self.minimises() => {
                format!("{found}, the last of {cost}; with --project, a better one may be passed over.")
            }
            _ => format!("{found} within the bound, and no others."),
        }
    }

    /// " in the last of 3 steps", if earlier steps have answers too.
    fn in_last(&self) -> String {
        if self.earlier > 0 { format!(" in the last of {}", count(self.steps, "step", "steps")) } else { String::new() }
    }

    /// "3 atoms hold in every …".
    fn hold_in(&self, answers: &str) -> String {
        let which = if self.solve_mode.mode == ReasoningMode::Brave { "some" } else { "every" };
        format!("{} in {which} {answers}", count(self.atoms, "atom holds", "atoms hold"))
    }

    /// Returns true if the search minimised costs.
    fn minimises(&self) -> bool {
        self.solve_mode.optimisation != Optimisation::None && !self.costs.is_empty()
    }
}
