//! The searches on random graphs, against brute force that shares no code with them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::stop::{Canceller, StopReason};
use proptest::prelude::*;
use statespace::search::{self, Cost, Limits, Outcome, SearchResult, Space, Step};

/// A game with a few states: the moves of each state with their costs, and a heuristic.
#[derive(Debug, Clone)]
struct Graph {
    moves: Vec<Vec<(usize, Cost)>>,
    goals: BTreeSet<usize>,
    /// The estimate of the heuristic, in eighths of the distance.
    confidence: u32,
    distances: Vec<Option<Cost>>,
}

impl Graph {
    fn new(moves: Vec<Vec<(usize, Cost)>>, goals: BTreeSet<usize>, confidence: u32) -> Self {
        // Bellman-Ford, backwards.
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
            // Inconsistent: the fraction differs between states.
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

/// A plan must lead to a goal at its stated cost, and the outcome must be correct.
fn assert_correct(graph: &Graph, searched: &SearchResult<usize>, name: &str) {
    match (&searched.outcome, graph.distances[0]) {
        (Outcome::Solved(plan), Some(distance)) => {
            let mut at = 0;
            let mut cost = 0;
            for &next in &plan.moves {
                let step = graph.moves[at].iter().filter(|&&(to, _)| to == next).map(|&(_, cost)| cost).min();
                cost += step.unwrap_or_else(|| panic!("{name}: no move leads from {at} to {next}"));
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
    fn astar_and_deepening_searches_agree_with_brute_force(graph in graphs(false, 1..=9)) {
        assert_correct(&graph, &search::astar(&graph, &Limits::none()), "astar");
        // Depth-first searches do not end on cycles if no goal can be reached.
        if graph.distances[0].is_some() {
            assert_correct(&graph, &search::idastar(&graph, &Limits::none()), "idastar");
            assert_correct(&graph, &search::ids(&graph, &Limits::none()), "ids");
        }
    }

    #[test]
    fn bfs_agrees_if_every_move_costs_one(graph in graphs(false, 1..=1)) {
        assert_correct(&graph, &search::bfs(&graph, &Limits::none()), "bfs");
        assert_correct(&graph, &search::astar(&graph, &Limits::none()), "astar");
    }

    #[test]
    fn all_searches_agree_on_acyclic_graphs(graph in graphs(true, 0..=9)) {
        assert_correct(&graph, &search::backtracking(&graph, &Limits::none()), "backtracking");
        assert_correct(&graph, &search::memo(&graph, &Limits::none()), "memo");
        assert_correct(&graph, &search::astar(&graph, &Limits::none()), "astar");
        assert_correct(&graph, &search::idastar(&graph, &Limits::none()), "idastar");
        assert_correct(&graph, &search::ids(&graph, &Limits::none()), "ids");
    }

    #[test]
    fn a_depth_limit_does_not_prove_impossibility(graph in graphs(false, 1..=1), depth in 0..4u32) {
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
                assert_correct(&graph, &searched, name);
            }
        }
    }

    #[test]
    fn weighted_astar_returns_a_valid_plan_and_lower_bound(graph in graphs(false, 1..=9)) {
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

/// Every number has two successors, and there is no goal.
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
            (
                "all",
                search::all_optimal_plans(&Endless, 60, &limits, &mut |_, _| Ok(true), &mut |_| {
                    ControlFlow::Continue(())
                }),
            ),
        ];
        if nodes <= 100 {
            // The graph is acyclic, so these searches only go deeper.
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
    // Iterations beyond 65,536 nodes are distributed over the threads.
    let limits = Limits { nodes: Some(20_000_000), threads: 3, ..Limits::none() };
    let searched = search::ids(&Endless, &limits);
    assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::NodeLimit));
    assert!((19_900_000..=20_000_000).contains(&searched.stats.expanded()), "{}", searched.stats.expanded());
}

#[test]
fn a_memory_limit_ends_searches_that_store_states() {
    let limits = Limits { memory: Some(1_000_000), ..Limits::none() };
    for (name, searched) in [("bfs", search::bfs(&Endless, &limits)), ("astar", search::astar(&Endless, &limits))] {
        assert_eq!(searched.outcome, Outcome::GaveUp(StopReason::MemoryLimit), "{name}");
        assert!(searched.stats.stored * 24 < 1_000_000, "{name}: {} states", searched.stats.stored);
    }
}

#[test]
fn cancellation_ends_a_search_on_all_threads() {
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
