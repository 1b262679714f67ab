//! The searches over detours, specialised for the number of rooms.

use base::diagnostic::Failure;
use base::ending::SearchEnd;
use base::stop::StopReason;
use puzzle::AnswerSink;
use puzzle::job::Job;
use puzzle::native::{self, PathProof};
use puzzle::one_player::Plan;
use rustc_hash::FxHashSet;
use statespace::search::{self, Limits, Outcome, PlanVisitor};

use super::burrow::{Burrow, MAX_ROOMS};
use super::detours::{Detours, Leave, State, USUAL_ROOMS};
use super::options::AmphipodPlan;

/// Calls a function that is specialised for the number of rooms.
macro_rules! with_rooms {
    ($rooms:expr, $function:ident($($argument:expr),*)) => {
        match $rooms {
            USUAL_ROOMS => $function::<USUAL_ROOMS>($($argument),*),
            _ => $function::<MAX_ROOMS>($($argument),*),
        }
    };
}

/// Searches for the cheapest plans, by IDA* if `is_deepening`, else by A*.
pub fn solve(
    burrow: &Burrow,
    is_deepening: bool,
    job: &Job,
    sink: AnswerSink<'_, AmphipodPlan>,
) -> Result<SearchEnd<PathProof>, Failure> {
    with_rooms!(burrow.rooms.len(), cheapest_detours(burrow, is_deepening, job, sink))
}

/// Decides whether all amphipods can get home.
pub fn solvable(burrow: &Burrow, limits: &Limits) -> Outcome<Leave> {
    fn of<const ROOMS: usize>(burrow: &Burrow, limits: &Limits) -> Outcome<Leave> {
        search::astar(&Detours::<ROOMS>::new(burrow), limits).outcome
    }
    with_rooms!(burrow.rooms.len(), of(burrow, limits))
}

/// Searches for the cheapest detours.
fn cheapest_detours<const ROOMS: usize>(
    burrow: &Burrow,
    is_deepening: bool,
    job: &Job,
    sink: AnswerSink<'_, AmphipodPlan>,
) -> Result<SearchEnd<PathProof>, Failure> {
    let mut limits = native::limits(job);
    let space = Detours::<ROOMS>::new(burrow);
    // The search counts detours only.
    if let Some(depth) = limits.depth {
        let Some(rest) = u64::from(depth).checked_sub(space.min_energy) else {
            let proof = PathProof { lower_bound: Some(space.min_energy), ..PathProof::default() };
            return Ok(SearchEnd { proof, ..SearchEnd::gave_up(StopReason::DepthLimit) });
        };
        limits.depth = Some(u32::try_from(rest).unwrap_or(u32::MAX));
    }
    let plan = |leaves: Vec<_>| Plan(space.plan(burrow, &leaves));
    // Plans that differ only in the order of moves count as one.
    let mut seen_prefixes = FxHashSet::default();
    let mut bytes = 0;
    let all = |cost, limits: &Limits, visit: PlanVisitor<'_, Leave>| {
        let mut is_new = |leaves: &[Leave], state: &State| {
            let mut leaves = leaves.to_vec();
            leaves.sort_unstable();
            bytes += BYTES_PER_PREFIX + size_of_val(&leaves[..]) as u64;
            match limits.memory {
                Some(memory) if bytes > memory => Err(StopReason::MemoryLimit),
                _ => Ok(seen_prefixes.insert((*state, leaves))),
            }
        };
        Ok(search::all_optimal_plans(&space, cost, limits, &mut is_new, visit))
    };
    let best = if is_deepening { search::idastar(&space, &limits) } else { search::astar(&space, &limits) };
    native::finish_all(best, space.min_energy, job, all, &limits, plan, sink)
}

/// Bytes of a stored prefix in addition to its moves, including its share of a half-full hash
/// table.
const BYTES_PER_PREFIX: u64 = 128;
