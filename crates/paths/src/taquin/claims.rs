//! Checks of claims about lengths and solvability, independent of the search.

use base::ending::Verdict;
use puzzle::RunResult;
use puzzle::one_player::PlanBounds;

use super::board::Board;
use super::options::Taquin;

impl PlanBounds<Taquin> for Taquin {
    /// The Manhattan distance.
    fn lower_bound(&self, board: &Board) -> u64 {
        let tiles = board.tiles.iter().map(|&tile| usize::from(tile)).enumerate();
        tiles.filter(|&(_, tile)| tile != board.shape.home).map(|(cell, tile)| steps(board, cell, tile)).sum()
    }

    /// Checks the parity of the moves: the lengths of all solutions are even, or all are odd.
    /// Unlike `why.rs`, which follows the cycles of the permutation, this counts inversions.
    fn contradiction(&self, result: &RunResult<Self>) -> Option<String> {
        let Board { shape, tiles, .. } = result.board();
        let pairs = (0..tiles.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let inversions = pairs.filter(|&(first, second)| tiles[first] > tiles[second]).count();
        let steps = steps(result.board(), result.board().blank(), shape.home);
        let fits = (inversions as u64 + steps).is_multiple_of(2);
        let is_line = shape.rows == 1 || shape.columns == 1;
        match result.answers().first() {
            Some(plan) if plan.0.len() as u64 % 2 != steps % 2 => {
                Some("the free cell cannot reach its goal in that many moves".to_owned())
            }
            None if result.verdict() == Verdict::Impossible && fits && (!is_line || inversions == 0) => {
                Some("the board is reported as unsolvable, but its parity permits a solution".to_owned())
            }
            _ => None,
        }
    }
}

/// Returns the Manhattan distance between two cells.
fn steps(board: &Board, cell: usize, other: usize) -> u64 {
    let columns = board.shape.columns;
    ((cell / columns).abs_diff(other / columns) + (cell % columns).abs_diff(other % columns)) as u64
}
