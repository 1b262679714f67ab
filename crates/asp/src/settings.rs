//! Options of a solver, and those that enable lints.

use base::diagnostic::Code;

/// Options for grounding and solving, as the clingo command has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// `-c name=value`.
    pub constants: Vec<(String, String)>,
    /// Maximum number of answers, 0 for all; `None` for clingo's default (1, or an optimum if the
    /// program optimises).
    pub models: Option<u64>,
    /// Number of solver threads.
    pub threads: Option<usize>,
    /// More options for grounding and solving, as written for the clingo command.
    pub options: Vec<String>,
    /// Checks each answer against the definition of an answer set before it is reported. A rejected
    /// answer is an error.
    pub check: bool,
}

/// Names of the lints for `-W no-NAME`.
pub const LINTS: [Code; 18] = [
    Code::Arrow,
    Code::CommaHead,
    Code::EmptyExtremum,
    Code::FixedChoice,
    Code::ForcedConflict,
    Code::HeadComparison,
    Code::LowerCaseVariable,
    Code::MergedTuples,
    Code::NearVariables,
    Code::OddLoop,
    Code::Overflow,
    Code::PoolArity,
    Code::SelfNegation,
    Code::ShownCondition,
    Code::ShownTerm,
    Code::UndefinedConstant,
    Code::UngroundedPart,
    Code::UnmatchedConstant,
];

/// Returns the lints that the options enable (`-Wnone`, `--warn=no-arrow`), and the
/// remaining options, which clingo knows.
pub fn parse_warn_options(options: &[String]) -> (Vec<Code>, Vec<String>) {
    let mut enabled = LINTS.to_vec();
    let mut rest = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let glued = word.strip_prefix("--warn=").or_else(|| word.strip_prefix("-W").filter(|name| !name.is_empty()));
        let is_separate = word == "-W" || word == "--warn";
        let Some(value) = glued.or_else(|| words.as_slice().first().map(String::as_str).filter(|_| is_separate)) else {
            rest.push(word.clone());
            continue;
        };
        let lint = LINTS.into_iter().find(|lint| value.trim_start_matches("no-") == lint.name());
        match (lint, value) {
            (Some(lint), _) => {
                enabled.retain(|other| *other != lint);
                enabled.extend((value == lint.name()).then_some(lint));
            }
            (None, "none") => enabled.clear(),
            (None, "all") => enabled = LINTS.to_vec(),
            (None, _) => {}
        }
        if lint.is_none() {
            rest.push(format!("--warn={value}"));
        }
        if is_separate {
            words.next();
        }
    }
    (enabled, rest)
}
