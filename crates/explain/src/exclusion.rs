//! Counts the answers that a program has without each of its parts: which clue or constraint
//! excludes how many.
//!
//! The program is relaxed and grounded once. For each part, the crate `count` counts the answers of
//! the ground program under assumptions: all other parts hold, and the fact or rule that is left out
//! derives nothing. A constraint that is left out may be violated or not.

use std::ops::Range;
use std::time::Instant;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::sorting;
use base::stop::CancelToken;
use count::{Count, CountLimits, CountMode, Projection, formula_of};
use ground::GroundProgram;

use super::contradiction::check_blamed;
use super::{Blame, ExplainContext, ExplainInput, ExplainQuery, Part, PartKind, RelaxedProgram};

/// The number of answers with all parts, and without each part.
#[derive(Debug, Clone)]
pub struct ExclusionReport {
    /// True if the program is a puzzle with a board.
    pub is_of_board: bool,
    pub count: Count,
    /// The part without which there are most answers comes first.
    pub parts: Vec<ExcludedPart>,
}

/// A part, and the number of answers without it.
#[derive(Debug, Clone)]
pub struct ExcludedPart {
    pub part: Part,
    pub count: Count,
}

impl ExclusionReport {
    pub fn verdict(&self) -> Verdict {
        let counts = self.parts.iter().map(|part| &part.count).chain([&self.count]);
        match counts.filter(|count| count.exact().is_none()).find_map(|count| count.stopped) {
            Some(reason) => Verdict::GaveUp(reason),
            None => Verdict::Solved,
        }
    }
}

/// Counts the answers without each part. Parts of one constraint or rule are left out together.
///
/// # Errors
/// Errors of the program, or the reason why its answers cannot be counted.
pub fn explain(
    source: &ExplainInput,
    query: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<ExclusionReport, Failure> {
    let is_of_board = !source.boards.is_empty() || source.clues.is_some();
    let default = if is_of_board { [Blame::Facts] } else { [Blame::Constraints] };
    let blamed = if query.blame.is_empty() { &default[..] } else { &query.blame };
    let mut relaxed = RelaxedProgram::for_counts(source, blamed, context.settings, context.stop)?;
    check_blamed(source, &relaxed, blamed)?;
    let groups = groups_of_statements(&relaxed);
    let ground = relaxed.completed_ground()?;
    // Boards have the same solution twice if only hidden atoms differ.
    let projection = match is_of_board {
        true => Projection::Atoms(relaxed.query_atoms().iter().map(|(_, literal)| literal.unsigned_abs()).collect()),
        false => Projection::None,
    };
    let counts = Counts { ground, mode: CountMode { projection, bound: None }, relaxed: &relaxed, stop: context.stop };
    // Each count has the same share of the time that is left.
    let deadline = |left: usize| {
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        let now = Instant::now();
        query.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / left)
    };
    let count = counts.without(0..0, deadline(groups.len() + 1))?;
    let described = relaxed.parts(&groups.iter().map(|group| group.start).collect::<Vec<_>>())?;
    let mut parts = Vec::new();
    for ((group, part), left) in groups.iter().zip(described).zip((1..=groups.len()).rev()) {
        parts.push(ExcludedPart { part, count: counts.without(group.clone(), deadline(left))? });
    }
    sorting::sort_by_key(&mut parts, |part| std::cmp::Reverse(part.count.at_least.clone()));
    Ok(ExclusionReport { is_of_board, count, parts })
}

/// Returns the parts in groups: each fact or clue alone, and the instances of each constraint or rule
/// together. The parts of a statement follow each other.
fn groups_of_statements(relaxed: &RelaxedProgram) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for part in 0..relaxed.len() {
        let is_instance = |group: &&mut Range<usize>| {
            relaxed.kind(part) != PartKind::Fact && relaxed.statement_of(part) == relaxed.statement_of(group.start)
        };
        match groups.last_mut().filter(is_instance) {
            Some(group) => group.end = part + 1,
            None => groups.push(part..part + 1),
        }
    }
    groups
}

/// Counts answers of a relaxed program.
struct Counts<'a> {
    ground: GroundProgram,
    mode: CountMode,
    relaxed: &'a RelaxedProgram,
    stop: &'a CancelToken,
}

impl Counts<'_> {
    /// Counts the answers without the parts of a group, until the deadline.
    fn without(&self, group: Range<usize>, deadline: Option<Instant>) -> Result<Count, Failure> {
        let mut ground = self.ground.clone();
        for part in 0..self.relaxed.len() {
            let literals = self.relaxed.assumptions(part);
            match group.contains(&part) {
                false => ground.assumed.extend(literals),
                // The violation of a constraint is not a choice: nothing is to be assumed.
                true if self.relaxed.kind(part) == PartKind::Constraint => {}
                true => ground.assumed.extend(literals.iter().map(|literal| -literal)),
            }
        }
        let formula = formula_of(&ground, &self.mode).map_err(|why| unsupported(&why))?;
        let enough = self.stop.child_until(deadline);
        let limits = CountLimits { stop: enough.token.clone(), ..CountLimits::default() };
        Ok(count::count(&formula, &limits))
    }
}

fn unsupported(why: &str) -> Failure {
    let text = format!("--count: answers of this kind cannot be counted: {why}");
    Diagnostic::error(Code::Unsupported, text).into()
}
