//! What a search by clingo has proven, and the sentence that says so at the end of a report: the same for a program whose
//! answers are streamed and for one whose answers are drawn.

use crate::asp::{LoopEnd, Mode, Optimisation, Question, StepsEnd};
use crate::ending::Verdict;
use crate::job::Rules;
use crate::report::Style;
use crate::words::count;

/// How the search ended, in the terms of the clingo command.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    pub satisfiable: bool,
    pub exhausted: bool,
    /// Somebody, or a limit, has ended it.
    pub is_stopped: bool,
    /// How the loop of a program in steps ended; `None` for other programs. Further steps might have answers.
    pub steps: Option<StepsEnd>,
    /// clingo is known to lose answers of such programs; a warning says so.
    pub has_defect: bool,
    pub times: Times,
}

/// What a search has proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proof {
    #[default]
    Nothing,
    NoAnswer,
    AllAnswers,
    Optimum,
    /// Those that were found are optimal; there may be more.
    SomeOptima,
    AllOptima,
    Consequences,
}

impl Summary {
    /// The loop of a program in steps ended because there were as many steps as there may be.
    pub fn is_at_limit(&self) -> bool {
        self.steps.is_some_and(|steps| steps.end == LoopEnd::Limit)
    }
}

/// What was seen of the answers of a search; of a program in steps, of the search in the last step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub found: u64,
    /// There is something to minimise.
    pub has_costs: bool,
    /// The last one is proven optimal.
    pub is_optimal: bool,
}

impl Proof {
    /// What may be said once a search has ended.
    pub fn of(question: Question, summary: Summary, seen: Seen) -> Proof {
        let Question { mode, optimisation, is_bounded, is_projected, is_altered, .. } = question;
        let Summary { exhausted, steps, has_defect, .. } = summary;
        let of_answers = mode == Mode::AnswerSets;
        let minimises = optimisation != Optimisation::None && seen.has_costs;
        // Where there is nothing to minimise a bound leaves no answer out.
        let is_bounded = is_bounded && (seen.found == 0 || seen.has_costs);
        match optimisation {
            _ if is_altered || has_defect || summary.is_at_limit() => Proof::Nothing,
            Optimisation::All if !exhausted && of_answers && seen.is_optimal => Proof::SomeOptima,
            _ if !exhausted => Proof::Nothing,
            _ if seen.found == 0 => {
                if is_bounded || steps.is_some() {
                    Proof::Nothing
                } else {
                    Proof::NoAnswer
                }
            }
            Optimisation::All if minimises && of_answers => Proof::AllOptima,
            // An answer that looks the same and costs less is passed over.
            Optimisation::One if minimises && of_answers && !is_projected => Proof::Optimum,
            // The answers on the way to the optimum depend on the search, and so does what they have in common.
            Optimisation::One if minimises => Proof::Nothing,
            Optimisation::None if is_bounded => Proof::Nothing,
            _ if of_answers => Proof::AllAnswers,
            _ => Proof::Consequences,
        }
    }
}

/// Seconds, as the clingo command reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    pub solving: f64,
    /// Until the first answer.
    pub first_model: f64,
    /// From the last answer to the proof that there is no more.
    pub unsat: f64,
    pub cpu: f64,
}

/// What is known at the end of a search.
pub struct Closing<'a> {
    pub question: Question,
    pub summary: Summary,
    pub seen: Seen,
    /// Answers that were told, and those of them that are optimal; of a program in steps, those of the last step.
    pub found: u64,
    pub optimal: u64,
    /// Answers of earlier steps that were told.
    pub earlier: u64,
    /// How often clingo was asked to solve.
    pub steps: u32,
    /// One answer and many, in the puzzle's words.
    pub nouns: [&'a str; 2],
    /// What is shown of the last answer, and what it costs.
    pub atoms: usize,
    pub costs: &'a [i64],
    pub verdict: Verdict,
    pub rules: &'a Rules,
    /// It makes sense to ask whether there is one answer alone.
    pub tells_unique: bool,
    pub style: Style,
}

impl Closing<'_> {
    /// The sentence.
    pub fn words(&self) -> String {
        let [noun, nouns] = self.nouns;
        match self.earlier {
            0 => self.of_last(),
            earlier => format!("Earlier steps have {}. {}", count(earlier, noun, nouns), self.of_last()),
        }
    }

    /// The sentence about the last step of a program in steps, or about the whole of another program.
    fn of_last(&self) -> String {
        let gave_up = self.verdict.gave_up_words();
        let proven = |words: &str| format!("{}.", self.rules.verdict(words));
        let [noun, nouns] = self.nouns;
        let (found, cost) = (count(self.found, noun, nouns) + &self.in_last(), numbers(self.costs, ", "));
        let others = if self.found == 1 { "other" } else { "others" };
        let optimal = if self.minimises() { "optimal " } else { "" };
        match Proof::of(self.question, self.summary, self.seen) {
            Proof::SomeOptima => {
                let last = proven(&format!("{found} found; the last one, of cost {cost}, is optimal"));
                format!("{last} There may be more optimal {nouns}.")
            }
            _ if !self.summary.exhausted && !gave_up.is_empty() => match (self.found, self.costs) {
                (0, _) => format!("{gave_up} No {noun} found{}.", self.in_last()),
                (_, []) => format!("{gave_up} {found} found; there may be more."),
                _ => format!("{gave_up} {found} found, the last of cost {cost}; there may be better ones."),
            },
            Proof::AllOptima if self.optimal > 1 => {
                let optima = count(self.optimal, &format!("optimal {noun}"), &format!("optimal {nouns}"));
                proven(&format!("{optima} of cost {cost}{}, and no others", self.in_last()))
            }
            Proof::AllOptima | Proof::Optimum => {
                proven(&format!("Optimum found: no {noun}{} costs less than {cost}", self.in_last()))
            }
            Proof::NoAnswer => proven(&format!("There is no {noun}")),
            Proof::Consequences => self.hold_in(&format!("{optimal}{noun}.")),
            Proof::AllAnswers if self.question.is_projected => {
                proven(&format!("{found} that look different, and no {others}"))
            }
            Proof::AllAnswers => proven(&format!("{found}, and no {others}")),
            Proof::Nothing => self.nothing_proven(&found, &cost),
        }
    }

    /// Nothing is proven, without an interruption.
    fn nothing_proven(&self, found: &str, cost: &str) -> String {
        let [noun, _] = self.nouns;
        let Question { mode, is_altered, .. } = self.question;
        let is_common = mode != Mode::AnswerSets;
        match self.found {
            _ if self.summary.has_defect => format!("{found}, and perhaps more: see the warning."),
            _ if is_altered => format!("{found}, with options that may leave {} out or let others in.", self.nouns[1]),
            0 if self.earlier > 0 => format!("No {noun}{}.", self.in_last()),
            0 if self.summary.steps.is_some() => format!("No {noun} in {}.", count(self.steps, "step", "steps")),
            0 => format!("No {noun} within the bound."),
            _ if self.summary.is_at_limit() => {
                format!("{found}; as many steps as there may be were made before the loop could end.")
            }
            _ if is_common && !self.summary.exhausted => self.hold_in(&format!("{noun} found so far.")),
            _ if !self.summary.exhausted && self.minimises() => {
                format!("{found}; there may be better ones{}.", self.style.advice(" (-n 0 finds the best)"))
            }
            _ if !self.summary.exhausted && self.tells_unique => {
                format!("{found}; there may be more{}.", self.style.advice(" (--unique tells, -n 0 finds all)"))
            }
            _ if !self.summary.exhausted => {
                format!("{found}; there may be more{}.", self.style.advice(" (-n 0 finds all)"))
            }
            _ if is_common && self.minimises() => {
                self.hold_in(&format!("{noun} on the way to an optimum; --opt-mode optN asks about the optimal ones."))
            }
            _ if is_common => self.hold_in(&format!("{noun} within the bound.")),
            _ if self.minimises() => {
                format!("{found}, the last of cost {cost}; with --project, one that costs less may be passed over.")
            }
            _ => format!("{found} within the bound, and no others."),
        }
    }

    /// " in the last of 3 steps", where earlier ones have answers, too.
    fn in_last(&self) -> String {
        if self.earlier > 0 { format!(" in the last of {}", count(self.steps, "step", "steps")) } else { String::new() }
    }

    /// "3 atoms hold in every …".
    fn hold_in(&self, answers: &str) -> String {
        let which = if self.question.mode == Mode::Brave { "some" } else { "every" };
        format!("{} in {which} {answers}", count(self.atoms, "atom holds", "atoms hold"))
    }

    /// Whether answers were looked for that cost less and less.
    fn minimises(&self) -> bool {
        self.question.optimisation != Optimisation::None && !self.costs.is_empty()
    }
}

/// Numbers in a line.
pub fn numbers(numbers: &[i64], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
