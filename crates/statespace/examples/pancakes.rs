//! Sorts a stack of pancakes with the fewest flips of a spatula, by IDA* and by A*.

use std::ops::ControlFlow;

use statespace::search::{Cost, Limits, Outcome, Space, Step, astar, idastar};

const PANCAKES: usize = 12;
/// The sizes of the pancakes from the top down; in the sorted stack they are 1, 2, 3 and so on.
type Stack = [u8; PANCAKES];

struct Pancakes(Stack);

impl Space for Pancakes {
    type State = Stack;
    /// The number of pancakes above the spatula.
    type Move = usize;
    /// The last move, which the same move would undo; 0 at the start.
    type Pruning = usize;

    fn start(&self) -> Stack {
        self.0
    }

    fn is_goal(&self, stack: &Stack) -> bool {
        stack.is_sorted()
    }

    fn initial_pruning(&self, _: &Stack) -> usize {
        0
    }

    fn successors(
        &self,
        stack: &Stack,
        last: usize,
        _: Option<Cost>,
        mut visit: impl FnMut(Step<Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (2..=PANCAKES).filter(|&count| count != last).try_for_each(|count| {
            let mut state = *stack;
            state[..count].reverse();
            visit(Step { action: count, cost: 1, estimate: self.heuristic(&state), state, pruning: count })
        })
    }

    /// Counts the neighbours, the plate included, that do not differ by 1. A flip parts one pair.
    fn heuristic(&self, stack: &Stack) -> Cost {
        let below = stack[1..].iter().chain(&[PANCAKES as u8 + 1]);
        stack.iter().zip(below).map(|(upper, lower)| Cost::from(upper.abs_diff(*lower) > 1)).sum()
    }
}

fn main() {
    let game = Pancakes([5, 10, 3, 12, 1, 8, 6, 11, 4, 2, 9, 7]);
    for (name, result) in [("IDA*", idastar(&game, &Limits::none())), ("A*", astar(&game, &Limits::none()))] {
        let Outcome::Solved(plan) = result.outcome else { panic!("every stack can be sorted") };
        println!("{name}: {} flips after {} nodes: {:?}", plan.cost, result.stats.expanded(), plan.moves);
    }
}
