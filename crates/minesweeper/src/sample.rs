//! Draws a layout uniformly at random, with a single count of the board.
//!
//! The count gives the number of layouts by the mines in the components. From the last component to
//! the first, the number of mines in each is drawn in proportion to the layouts with that number.
//! Then the layout of the component is drawn from the end of its states to the beginning, in
//! proportion to the forward counts. If there is only one choice, no random number is used.

use base::stop::StopReason;
use fastrand::Rng;

use super::count::{Budget, Polynomial};
use super::coupling::free_cell_choices;
use super::grid::Cell;
use super::obvious::Contradiction;
use super::position::{Density, KnownPosition};
use super::probability::Analysis;
use super::weight::{Weight, WideFloat};

/// Draws the mines of a board whose total or density is known; the result is true for each cell that is a mine.
/// The outer error is a limit; the inner one means that no layout fits.
pub fn draw_layout(
    position: &KnownPosition,
    random: &mut Rng,
    budget: &Budget,
) -> Result<Result<Vec<bool>, Contradiction>, StopReason> {
    let (work, analysis) = match Analysis::of_position(position, budget)? {
        Ok(analyzed) => analyzed,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let mut is_mine: Vec<bool> = work.cells.iter().map(|&cell| cell == Cell::Mine).collect();
    let mut place_mines = |cells: &[u32], mines: usize, random: &mut Rng| {
        let mut cells = cells.to_vec();
        random.shuffle(&mut cells);
        for &cell in &cells[..mines] {
            is_mine[cell as usize] = true;
        }
    };
    let mines_left = work.mines.map(|mines| mines.saturating_sub(work.count(Cell::Mine)));
    let free = &analysis.frontier.free;
    // For each component, the number of layouts of the preceding ones, by their mines.
    let mut before = vec![Polynomial::<WideFloat>::one()];
    let profiles: Vec<Polynomial<WideFloat>> = analysis.counts.iter().map(|count| count.profile()).collect();
    for profile in &profiles {
        before.push(before[before.len() - 1].times(profile, mines_left.unwrap_or(usize::MAX - 1)));
    }
    let combined = &before[profiles.len()];
    let free_choices = free_cell_choices(combined, free.len(), mines_left, work.density, |_| WideFloat::one());
    let product = |a: &WideFloat, b: &WideFloat| {
        let mut product = WideFloat::zero();
        product.add_product(a, b);
        product
    };
    let weights: Vec<WideFloat> =
        combined.weights.iter().zip(&free_choices.weights).map(|(a, b)| product(a, b)).collect();
    let mut mines = combined.least + weighted_index(&weights, random);
    let free_mines = match (mines_left, work.density.map(Density::probability)) {
        (Some(mines_left), _) => mines_left - mines,
        (None, density) => free.iter().filter(|_| density.is_some_and(|density| random.f64() < density)).count(),
    };
    place_mines(free, free_mines, random);
    let components = analysis.frontier.components.iter().zip(&analysis.counts);
    for (((component, count), profile), before) in components.zip(&profiles).zip(&before).rev() {
        let weight_of = |(index, weight): (usize, &WideFloat)| {
            let others = mines.checked_sub(profile.least + index).and_then(|mines| before.get(mines));
            others.map_or_else(WideFloat::zero, |others| product(weight, others))
        };
        let weights: Vec<WideFloat> = profile.weights.iter().enumerate().map(weight_of).collect();
        let component_mines = profile.least + weighted_index(&weights, random);
        mines -= component_mines;
        let drawn = count.sample(component_mines, |weights| weighted_index(weights, random));
        for (group, taken) in component.groups.iter().zip(drawn) {
            place_mines(&group.cells, taken.into(), random);
        }
    }
    budget.stop.requested().map_or(Ok(Ok(is_mine)), Err)
}

/// Draws an index in proportion to the weights; never one of weight zero, even if the sum is
/// rounded.
fn weighted_index(weights: &[WideFloat], random: &mut Rng) -> usize {
    let mut total = WideFloat::zero();
    for weight in weights {
        total.add_times(weight, 1);
    }
    let mut possible = weights.iter().enumerate().filter(|(_, weight)| !weight.is_zero()).peekable();
    let mut threshold = None;
    let mut chosen = 0;
    while let Some((index, weight)) = possible.next() {
        chosen = index;
        if possible.peek().is_none() {
            break;
        }
        let rest = threshold.get_or_insert_with(|| random.f64());
        *rest -= weight.ratio_to(total);
        if *rest < 0.0 {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::adjacency::{Adjacency, Topology, Torus};
    use crate::grid::Grid;
    use crate::probability::COUNTS;

    use super::*;

    /// Returns a position with random mines, some of them flagged, and numbers on some of the other
    /// cells.
    fn random_position(grid: Grid, shape: Topology, open: u8, random: &mut Rng) -> KnownPosition {
        let adjacency = Adjacency::new(shape, grid).expect("at most eight neighbours");
        let mut is_mine = vec![false; grid.extent()];
        for cell in grid.cells() {
            is_mine[cell] = random.u8(..10) < 3;
        }
        let mines = grid.cells().filter(|&cell| is_mine[cell]).count();
        let mut position = KnownPosition { adjacency, ..KnownPosition::closed(grid, Some(mines)) };
        for cell in grid.cells() {
            let neighbors: std::collections::BTreeSet<usize> = position.around(cell).into_iter().collect();
            let number = neighbors.into_iter().filter(|&neighbor| is_mine[neighbor]).count();
            match is_mine[cell] {
                true if random.u8(..10) == 0 => position.cells[cell] = Cell::Mine,
                false if random.u8(..10) < open => position.cells[cell] = Cell::Open(number as u8),
                _ => {}
            }
        }
        position
    }

    /// Returns all layouts, by brute force.
    fn layouts(position: &KnownPosition) -> Vec<Vec<usize>> {
        let closed: Vec<usize> = position.cells_of(Cell::Closed).collect();
        let flags: Vec<usize> = position.cells_of(Cell::Mine).collect();
        let layout = |bits: u32| {
            let chosen = closed.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, &cell)| cell);
            let mut mines: Vec<usize> = chosen.chain(flags.iter().copied()).collect();
            mines.sort_unstable();
            mines
        };
        let fits = |mines: &Vec<usize>| {
            let holds = |number: usize| {
                let neighbors: std::collections::BTreeSet<usize> = position.around(number).into_iter().collect();
                let mines = neighbors.into_iter().filter(|neighbor| mines.contains(neighbor)).count();
                position.cells[number] == Cell::Open(mines as u8)
            };
            position.mines == Some(mines.len()) && position.numbers().all(holds)
        };
        (0..1_u32 << closed.len()).map(layout).filter(fits).collect()
    }

    #[test]
    fn layouts_are_drawn_uniformly() {
        let mut random = Rng::with_seed(11);
        let mut compared = 0;
        for round in 0..60 {
            let grid = Grid { rows: random.usize(2..=4), columns: random.usize(2..=5) };
            let shapes = [
                Topology::King,
                Topology::Knight,
                Topology::Torus(Torus::of_grid(grid)),
                Topology::Hexagons { first_row: 0 },
            ];
            let open = random.u8(1..6);
            let position = random_position(grid, shapes[round % 4], open, &mut random);
            if position.count(Cell::Closed) > 12 {
                continue;
            }
            let all = layouts(&position);
            let mut drawn: BTreeMap<Vec<usize>, usize> = all.iter().map(|layout| (layout.clone(), 0)).collect();
            let draws = 60 * all.len();
            for _ in 0..draws {
                let mines =
                    draw_layout(&position, &mut random, &Budget::unlimited()).expect("no limit").expect("a layout");
                let mines: Vec<usize> = grid.cells().filter(|&cell| mines[cell]).collect();
                *drawn.get_mut(&mines).unwrap_or_else(|| panic!("round {round}: {mines:?} does not fit")) += 1;
            }
            // Chi-square, with a bound that a sound sampler exceeds less than once in a billion rounds.
            let square: f64 = drawn.values().map(|&count| (count as f64 - 60.0).powi(2) / 60.0).sum();
            let freedom = (all.len() - 1) as f64;
            assert!(square <= freedom + 9.0 * (2.0 * freedom).sqrt() + 40.0, "round {round}: {square} of {freedom}");
            compared += usize::from(all.len() > 1);
        }
        assert!(compared > 20, "{compared}");
    }

    #[test]
    fn a_large_board_needs_a_single_count() {
        let mut random = Rng::with_seed(3);
        let grid = Grid { rows: 100, columns: 100 };
        let mut position = random_position(grid, Topology::King, 0, &mut random);
        let hidden = position.clone();
        // Every third cell of every third row is open, so that thousands of cells are next to a
        // number.
        let layout = draw_layout(&hidden, &mut random, &Budget::unlimited()).expect("no limit").expect("a layout");
        for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 3 == 1) && !layout[cell]) {
            let number = grid.around(cell).into_iter().filter(|&neighbor| layout[neighbor]).count();
            position.cells[cell] = Cell::Open(number as u8);
        }
        COUNTS.set(0);
        let drawn = draw_layout(&position, &mut random, &Budget::unlimited()).expect("no limit").expect("a layout");
        assert_eq!(COUNTS.get(), 1);
        assert_eq!(grid.cells().filter(|&cell| drawn[cell]).count(), position.mines.unwrap_or(0));
        for number in position.numbers() {
            let mines = grid.around(number).into_iter().filter(|&neighbor| drawn[neighbor]).count();
            assert_eq!(position.cells[number], Cell::Open(mines as u8));
        }
    }

    #[test]
    fn layouts_drawn_across_checkpoints_fit_the_numbers() {
        // Every second cell of every second row is a number: a frontier of many states.
        let grid = Grid { rows: 7, columns: 13 };
        let mut random = Rng::with_seed(7);
        for _ in 0..20 {
            let mut position = random_position(grid, Topology::King, 0, &mut random);
            let layout =
                draw_layout(&position, &mut random, &Budget::unlimited()).expect("no limit").expect("a layout");
            let is_number = |cell: usize| grid.place(cell).iter().all(|place| place % 2 == 0) && !layout[cell];
            let shown: Vec<usize> = position.cells_of(Cell::Closed).filter(|&cell| is_number(cell)).collect();
            for cell in shown {
                let number = grid.around(cell).into_iter().filter(|&neighbor| layout[neighbor]).count();
                position.cells[cell] = Cell::Open(number as u8);
            }
            let seed = random.u64(..);
            let drawn = [u64::MAX, 1 << 18].map(|memory| {
                let budget = Budget { memory, ..Budget::unlimited() };
                draw_layout(&position, &mut Rng::with_seed(seed), &budget).expect("enough memory").expect("a layout")
            });
            assert_eq!(drawn[0], drawn[1]);
            for number in position.numbers() {
                let mines = grid.around(number).into_iter().filter(|&neighbor| drawn[0][neighbor]).count();
                assert_eq!(position.cells[number], Cell::Open(mines as u8));
            }
        }
    }

    #[test]
    fn a_reached_limit_ends_the_draw() {
        let grid = Grid { rows: 1, columns: 3 };
        let mut position = KnownPosition::closed(grid, Some(1));
        position.cells[grid.cell(0, 1)] = Cell::Open(1);
        let canceller = base::stop::Canceller::new();
        canceller.request(StopReason::TimeLimit);
        let budget = Budget { stop: canceller.token(), ..Budget::unlimited() };
        assert_eq!(draw_layout(&position, &mut Rng::with_seed(1), &budget), Err(StopReason::TimeLimit));
    }
}
