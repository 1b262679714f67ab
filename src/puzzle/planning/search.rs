//! How a game is searched: with which heuristic, and from which side.

use super::super::engines::Engine;
use super::super::guided::Heuristic as Named;
use crate::planning::{Actions, Estimates, Heuristic, Prepared, Run};
use crate::search::{self, Conclusion, Cost, Limits, Searched, UNREACHABLE, Visit, Whole};
use crate::stop::{Reason, Stop};

/// Nodes that are expanded without a heuristic before one is asked for: most games end before.
const AT_FIRST: u64 = 100_000;
/// The same from both ends, and where some states promise more than others.
const BEFORE_OTHERS: u64 = 1_000_000;

/// A search for one best plan.
struct Best<'a> {
    engine: Engine,
    limits: &'a Limits,
}

impl Run for Best<'_> {
    type Output = Searched<u32>;

    fn run<const W: usize>(self, space: Actions<'_, W>) -> Searched<u32> {
        let mut searched = match self.engine {
            Engine::Bidirectional => search::both_ways(&space, &space.backwards(), self.limits),
            Engine::Bfs => search::bfs(&space, self.limits),
            // With the heuristic that is 0 everywhere, that is IDS.
            Engine::Ids => search::idastar(&space, self.limits),
            engine => engine.informed(&space, self.limits),
        };
        if let Conclusion::Solved(plan) = searched.outcome {
            searched.outcome = Conclusion::Solved(space.unfolded(plan));
        }
        searched
    }
}

/// A search for all plans of a cost.
struct All<'a, 'v> {
    cost: Cost,
    limits: &'a Limits,
    visit: Visit<'v, u32>,
}

impl Run for All<'_, '_> {
    type Output = Searched<u32>;

    fn run<const W: usize>(self, space: Actions<'_, W>) -> Searched<u32> {
        search::all(&space, self.cost, self.limits, &mut |_, _| Ok(true), self.visit)
    }
}

/// The heuristic of a name; of `auto` the one that estimates the start best, of equals the quickest. Those of other puzzles are
/// refused by `takes`; here they are none.
pub fn estimates<'a>(prepared: &'a Prepared, named: Named, stop: &Stop) -> Box<dyn Estimates + 'a> {
    let heuristic = match named {
        Named::Blind | Named::Manhattan | Named::LinearConflict => Heuristic::Blind,
        Named::Hmax => Heuristic::Hmax,
        Named::Lmcut => Heuristic::Lmcut,
        Named::Pdb => Heuristic::Patterns,
        Named::Potentials => Heuristic::Potentials,
        Named::Auto => {
            let [potentials, patterns] =
                [Heuristic::Potentials, Heuristic::Patterns].map(|heuristic| heuristic.of(prepared, stop));
            let at_start = |estimates: &dyn Estimates| estimates.of(prepared.start());
            let best = if at_start(&*potentials) >= at_start(&*patterns) { potentials } else { patterns };
            let slow = Heuristic::Lmcut.of(prepared, stop);
            // A cut takes a hundred times as long as a look into a table.
            let is_worth_it = at_start(&*slow) != UNREACHABLE && at_start(&*slow) > at_start(&*best).saturating_mul(2);
            return if is_worth_it { slow } else { best };
        }
    };
    heuristic.of(prepared, stop)
}

/// One best plan. An engine that nobody chose gives up for A* where the game turns out to be too wide for it.
pub fn best(prepared: &Prepared, engine: Engine, is_chosen: bool, named: Named, limits: &Limits) -> Searched<u32> {
    let run_with = |estimates: &dyn Estimates, limits: &Limits| {
        prepared.run(estimates, engine != Engine::Bidirectional, Best { engine, limits })
    };
    let run = |named: Named, limits: &Limits| run_with(&*estimates(prepared, named, &limits.stop), limits);
    let is_informed = matches!(engine, Engine::Astar | Engine::Idastar);
    if engine == Engine::Bidirectional && !is_chosen {
        let mut first = run(Named::Blind, &limits.within(BEFORE_OTHERS));
        let rest = limits.after(&first.work);
        return match first.outcome {
            Conclusion::GaveUp(Reason::NodeLimit | Reason::MemoryLimit) if rest.nodes != Some(0) => {
                best(prepared, Engine::Astar, true, named, &rest).after(&mut first)
            }
            _ => first,
        };
    }
    match named {
        Named::Auto if !is_informed => run(Named::Blind, limits),
        Named::Auto if engine == Engine::Astar => {
            let mut searched = run(Named::Blind, &limits.within(AT_FIRST));
            for is_last in [false, true] {
                let rest = limits.after(&searched.work);
                if !matches!(searched.outcome, Conclusion::GaveUp(Reason::NodeLimit)) || rest.nodes == Some(0) {
                    break;
                }
                // A way may be found, or that there is none, before other heuristics are made.
                let start = prepared.start();
                let next = match is_last {
                    true => run(Named::Auto, &rest),
                    false => {
                        let known = estimates(prepared, Named::Potentials, &limits.stop);
                        if known.promise(start) == 0 && known.of(start) != UNREACHABLE {
                            continue;
                        }
                        run_with(&*known, &rest.within(BEFORE_OTHERS))
                    }
                };
                searched = next.after(&mut searched);
            }
            searched
        }
        named => run(named, limits),
    }
}

/// Every plan of this cost, the least.
pub fn all(prepared: &Prepared, cost: Cost, named: Named, limits: &Limits, visit: Visit<'_, u32>) -> Searched<u32> {
    let estimates = estimates(prepared, named, &limits.stop);
    prepared.run(&*estimates, false, All { cost, limits, visit })
}

/// All states, and how far each is from a goal.
pub fn whole(prepared: &Prepared, limits: &Limits) -> Result<Whole<u32>, (Reason, usize)> {
    struct All<'a>(&'a Limits);
    impl Run for All<'_> {
        type Output = Result<Whole<u32>, (Reason, usize)>;

        fn run<const W: usize>(self, space: Actions<'_, W>) -> Self::Output {
            search::whole(&space, self.0)
        }
    }
    let blind = estimates(prepared, Named::Blind, &limits.stop);
    prepared.run(&*blind, false, All(limits))
}
