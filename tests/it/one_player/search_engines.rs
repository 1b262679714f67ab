//! The searches on random games, against a brute force that shares nothing with them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp_solve::search::{self, Outcome, Cost, Limits, SearchResult, Space, Step};
use asp_solve::stop::{Canceller, StopReason};
use proptest::prelude::*;

/// A game of a few states: for each, its moves and what they cost; and the heuristic.
#[derive(Debug, Clone)]
struct Graph {
    moves: Vec<Vec<(usize, Cost)>>,
    goals: BTreeSet<usize>,
    /// What the heuristic says, in parts of eight of the truth.
    confidence: u32,
    distances: Vec<Option<Cost>>,
}

impl Graph {
    fn new(moves: Vec<Vec<(usize, Cost)>>, goals: BTreeSet<usize>, confidence: u32) -> Self {
        // Bellman and Ford, backwards.
        let mut distances: Vec<Option<Cost>> =
            (0..moves.len()).map(|state| goals.contains(&state).then_some(0)).collect();
        for _ in 0..moves.len() {
            for state in 0..moves.len() {
                for &(to, cost) in &moves[state] {
                    let through = distances[to].map(|distance| distance + cost);
                    if through.is_some() && distances[state].is_none_or(|known| Some(known) > through) {
                        distances[state] = through;
                    }
                }
            }
        }
        Graph { moves, goals, confidence, distances }
    }
}

impl Space for Graph {
    type State = usize;
    type Move = usize;
    type Pruning = ();

    fn start(&self) -> usize {
        0
    }

    fn is_goal(&self, state: &usize) -> bool {
        self.goals.contains(state)
    }

    fn initial_pruning(&self, _: &usize) {}

    fn successors(
        &self,
        &state: &usize,
        (): (),
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &(to, cost) in &self.moves[state] {
            visit(Step { action: to, cost, estimate: self.heuristic(&to), state: to, pruning: () })?;
        }
        ControlFlow::Continue(())
    }

    fn heuristic(&self, &state: &usize) -> Cost {
        match self.distances[state] {
            // Not consistent: it differs from state to state.
            Some(distance) => distance * self.confidence.saturating_sub(state as u32 % 3) / 8,
            None => search::UNREACHABLE,
        }
    }
}

fn graphs(acyclic: bool, cost: std::ops::RangeInclusive<Cost>) -> impl Strategy<Value = Graph> {
    (2..14usize)
        .prop_flat_map(move |states| {
            let moves = prop::collection::vec((0..states, cost.clone()), 0..4);
            (prop::collection::vec(moves, states), prop::collection::btree_set(0..states, 0..3), 0..=8u32)
        })
        .prop_map(move |(mut moves, goals, confidence)| {
            for (state, moves) in moves.iter_mut().enumerate() {
                moves.retain(|&(to, _)| !acyclic || to > state);
            }
            Graph::new(moves, goals, confidence)
        })
}

/// A way must lead somewhere and cost what it says; the proof must be the truth.
fn assert_is(graph: &Graph, searched: &SearchResult<usize>, name: &str) {
    match (&searched.outcome, graph.distances[0]) {
        (Outcome::Solved(plan), Some(distance)) => {
            let mut at = 0;
            let mut cost = 0;
            for &next in &plan.moves {
                let way = graph.moves[at].iter().filter(|&&(to, _)| to == next).map(|&(_, cost)| cost).min();
                cost += way.unwrap_or_else(|| panic!("{name}: no move leads from {at} to {next}"));
                at = next;
            }
            assert!(graph.goals.contains(&at), "{name}: ends in {at}");
            assert_eq!(cost, distance, "{name}: {graph:?}");
            assert_eq!(plan.cost, distance, "{name}");
            assert!(plan.optimal, "{name}");
        }
        (Outcome::Impossible, None) => {}
        (outcome, distance) => panic!("{name}: {outcome:?}, but the distance is {distance:?}: {graph:?}"),
    }
}

fn with_depth(depth: Cost) -> Limits {
    Limits { depth: Some(depth), ..Limits::none() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn searches_that_remember_agree_with_brute_force(graph in graphs(false, 1..=9)) {
        assert_is(&graph, &search::astar(&graph, &Limits::none()), "astar");
        // Depth-first searches never end where a goal cannot be reached and ways go round.
        if graph.distances[0].is_some() {
            assert_is(&graph, &search::idastar(&graph, &Limits::none()), "idastar");
            assert_is(&graph, &search::ids(&graph, &Limits::none()), "ids");
        }
    }

    #[test]
    fn bfs_agrees_where_every_move_costs_one(graph in graphs(false, 1..=1)) {
        assert_is(&graph, &search::bfs(&graph, &Limits::none()), "bfs");
        assert_is(&graph, &search::astar(&graph, &Limits::none()), "astar");
    }

    #[test]
    fn all_agree_where_no_state_comes_back(graph in graphs(true, 0..=9)) {
        assert_is(&graph, &search::backtracking(&graph, &Limits::none()), "backtracking");
        assert_is(&graph, &search::memo(&graph, &Limits::none()), "memo");
        assert_is(&graph, &search::astar(&graph, &Limits::none()), "astar");
        assert_is(&graph, &search::idastar(&graph, &Limits::none()), "idastar");
        assert_is(&graph, &search::ids(&graph, &Limits::none()), "ids");
    }

    #[test]
    fn a_depth_limit_is_no_proof_that_there_is_no_way(graph in graphs(false, 1..=1), depth in 0..4u32) {
        let too_far = graph.distances[0].is_some_and(|distance| distance > depth);
        for (name, searched) in [
            ("bfs", search::bfs(&graph, &with_depth(depth))),
            ("ids", search::ids(&graph, &with_depth(depth))),
            ("idastar", search::idastar(&graph, &with_depth(depth))),
            ("astar", search::astar(&graph, &with_depth(depth))),
        ] {
            if too_far {
                prop_assert_eq!(&searched.outcome, &Outcome::GaveUp(StopReason::DepthLimit), "{}", name);
                prop_assert!(Some(searched.lower_bound) <= graph.distances[0], "{}", name);
            } else if graph.distances[0].is_some() {
                assert_is(&graph, &searched, name);
            }
        }
    }

    #[test]
    fn a_quick_way_is_a_way_and_its_bound_is_one(graph in graphs(false, 1..=9)) {
        let searched = search::weighted_astar(&graph, &Limits::none());
        match (&searched.outcome, graph.distances[0]) {
            (Outcome::Solved(plan), Some(distance)) => {
                prop_assert!(searched.lower_bound <= distance && distance <= plan.cost);
                prop_assert!(!plan.optimal || plan.cost == distance);
            }
            (Outcome::Impossible, None) => {}
            (outcome, distance) => panic!("{outcome:?}, but the distance is {distance:?}"),
        }
    }
}

/// Every number has two successors, and no goal is ever met.
struct Endless;

impl Space for Endless {
    type State = u64;
    type Move = u64;
    type Pruning = ();

    fn start(&self) -> u64 {
        1
    }

    fn is_goal(&self, _: &u64) -> bool {
        false
    }

    fn initial_pruning(&self, _: &u64) {}

    fn successors(
        &self,
        &state: &u64,
        (): (),
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for next in [state.wrapping_mul(2), state.wrapping_mul(2) + 1] {
            visit(Step { action: next, cost: 1, estimate: 0, state: next, pruning: () })?;
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_node_limit_holds_exactly_in_every_search() {
    for nodes in [0, 1, 100, 5000, 100_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::none() };
        let mut searches = vec![
            ("bfs", search::bfs(&Endless, &limits)),
            ("ids", search::ids(&Endless, &limits)),
            ("idastar", search::idastar(&Endless, &limits)),
            ("astar", search::astar(&Endless, &limits)),
            ("quick", search::weighted_astar(&Endless, &limits)),
            ("all", search::all_optimal_plans(&Endless, 60, &limits, &mut |_, _| Ok(true), &mut |_| ControlFlow::Continue(()))),
        ];
        if nodes <= 100 {
            // No state comes back there, so that these only go deeper.
            searches.push(("memo", search::memo(&Endless, &limits)));
            searches.push(("backtracking", search::backtracking(&Endless, &limits)));
        }
        for (name, searched) in searches {
            assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::NodeLimit), "{name}");
            assert_eq!(searched.stats.expanded(), nodes, "{name}");
        }
    }
}

#[test]
fn a_node_limit_holds_on_all_threads() {
    // Beyond 65,536 nodes an iteration is shared out.
    let limits = Limits { nodes: Some(20_000_000), threads: 3, ..Limits::none() };
    let searched = search::ids(&Endless, &limits);
    assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::NodeLimit));
    assert!((19_900_000..=20_000_000).contains(&searched.stats.expanded()), "{}", searched.stats.expanded());
}

#[test]
fn a_memory_limit_ends_the_searches_that_remember() {
    let limits = Limits { memory: Some(1_000_000), ..Limits::none() };
    for (name, searched) in [("bfs", search::bfs(&Endless, &limits)), ("astar", search::astar(&Endless, &limits))] {
        assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::MemoryLimit), "{name}");
        assert!(searched.stats.stored * 24 < 1_000_000, "{name}: {} states", searched.stats.stored);
    }
}

#[test]
fn a_wish_to_stop_ends_a_search_on_all_threads() {
    for threads in [1, 3] {
        let canceller = Canceller::new();
        let limits = Limits { nodes: Some(10_000_000_000), stop: canceller.token(), threads, ..Limits::none() };
        let searched = std::thread::scope(|scope| {
            let search = scope.spawn(|| search::ids(&Endless, &limits));
            std::thread::sleep(std::time::Duration::from_millis(300));
            canceller.request(StopReason::Interrupted);
            search.join().expect("the search ends")
        });
        assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::Interrupted));
    }
}
