//! A layout drawn at random, every one as likely as any other, by a single count of the board.
//!
//! The count tells in how many layouts the components have how many mines together. From the last component to the first, each
//! gets a number of mines, in proportion to the layouts that have it; then the layout of a component is drawn from the end of
//! its chain to the beginning, in proportion to the ways that lead there. What holds in every layout is the only choice, and no
//! random number is drawn for it.

use fastrand::Rng;

use super::count::{Budget, Polynomial};
use super::coupling::choices;
use super::grid::{Cell, Position};
use super::obvious::Contradiction;
use super::probability::Analysis;
use super::weight::{Count, Wide};
use crate::stop::Reason;

/// Draws the mines of a board whose total is known, by cell. The outer error is a limit, the inner one says that nothing fits.
pub fn layout(
    position: &Position,
    random: &mut Rng,
    budget: &Budget,
) -> Result<Result<Vec<bool>, Contradiction>, Reason> {
    let (work, analysis) = match Analysis::of_position(position, budget)? {
        Ok(analyzed) => analyzed,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let mut is_mine: Vec<bool> = work.cells.iter().map(|&cell| cell == Cell::Mine).collect();
    let mut lay = |cells: &[u32], mines: usize, random: &mut Rng| {
        let mut cells = cells.to_vec();
        random.shuffle(&mut cells);
        cells[..mines].iter().for_each(|&cell| is_mine[cell as usize] = true);
    };
    let left = work.mines.unwrap_or(0).saturating_sub(work.count(Cell::Mine));
    let free = &analysis.frontier.free;
    // The layouts of the components up to each one, by their mines.
    let mut before = vec![Polynomial::<Wide>::one()];
    let profiles: Vec<Polynomial<Wide>> = analysis.chains.iter().map(|chain| chain.profile()).collect();
    for profile in &profiles {
        before.push(before[before.len() - 1].times(profile, left));
    }
    let all = &before[profiles.len()];
    let on_free = choices(all, free.len(), Some(left), |_| Wide::one());
    let product = |a: &Wide, b: &Wide| {
        let mut product = Wide::zero();
        product.add_product(a, b);
        product
    };
    let weights: Vec<Wide> = all.weights.iter().zip(&on_free.weights).map(|(a, b)| product(a, b)).collect();
    let mut mines = all.least + pick(&weights, random);
    lay(free, left - mines, random);
    let components = analysis.frontier.components.iter().zip(&analysis.chains);
    for (((component, chain), profile), before) in components.zip(&profiles).zip(&before).rev() {
        let with = |(index, weight): (usize, &Wide)| {
            let others = mines.checked_sub(profile.least + index).and_then(|mines| before.get(mines));
            others.map_or_else(Wide::zero, |others| product(weight, others))
        };
        let weights: Vec<Wide> = profile.weights.iter().enumerate().map(with).collect();
        let own = profile.least + pick(&weights, random);
        mines -= own;
        let drawn = chain.draw(own, |weights| pick(weights, random));
        for (class, taken) in component.boxes.iter().zip(drawn) {
            lay(&class.cells, taken.into(), random);
        }
    }
    budget.stop.requested().map_or(Ok(Ok(is_mine)), Err)
}

/// One of some weights, in proportion to them; never one that is zero, however the sum is rounded.
fn pick(weights: &[Wide], random: &mut Rng) -> usize {
    let mut all = Wide::zero();
    weights.iter().for_each(|weight| all.add_times(weight, 1));
    let mut possible = weights.iter().enumerate().filter(|(_, weight)| !weight.is_zero()).peekable();
    let mut left = None;
    let mut picked = 0;
    while let Some((index, weight)) = possible.next() {
        picked = index;
        if possible.peek().is_none() {
            break;
        }
        let rest = left.get_or_insert_with(|| random.f64());
        *rest -= weight.over(all).nearest();
        if *rest < 0.0 {
            break;
        }
    }
    picked
}

#[cfg(test)]
mod tests {
    use super::super::adjacency::{Adjacency, Shape, Torus};
    use super::super::grid::Grid;
    use super::super::probability::COUNTS;
    use super::*;
    use std::collections::BTreeMap;

    /// A position over random mines, some of them flagged, with numbers on some of the other cells.
    fn random_position(grid: Grid, shape: Shape, open: u8, random: &mut Rng) -> Position {
        let adjacency = Adjacency::new(shape, grid).expect("eight at the most");
        let mut is_mine = vec![false; grid.extent()];
        grid.cells().for_each(|cell| is_mine[cell] = random.u8(..10) < 3);
        let mines = grid.cells().filter(|&cell| is_mine[cell]).count();
        let mut position = Position { adjacency, ..Position::closed(grid, Some(mines)) };
        for cell in grid.cells() {
            let near: std::collections::BTreeSet<usize> = position.around(cell).into_iter().collect();
            let number = near.into_iter().filter(|&near| is_mine[near]).count();
            match is_mine[cell] {
                true if random.u8(..10) == 0 => position.cells[cell] = Cell::Mine,
                false if random.u8(..10) < open => position.cells[cell] = Cell::Open(number as u8),
                _ => {}
            }
        }
        position
    }

    /// All layouts, by trying everything.
    fn layouts(position: &Position) -> Vec<Vec<usize>> {
        let closed: Vec<usize> = position.all(Cell::Closed).collect();
        let flags: Vec<usize> = position.all(Cell::Mine).collect();
        let layout = |bits: u32| {
            let chosen = closed.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, &cell)| cell);
            let mut mines: Vec<usize> = chosen.chain(flags.iter().copied()).collect();
            mines.sort_unstable();
            mines
        };
        let fits = |mines: &Vec<usize>| {
            let holds = |number: usize| {
                let near: std::collections::BTreeSet<usize> = position.around(number).into_iter().collect();
                let mines = near.into_iter().filter(|near| mines.contains(near)).count();
                position.cells[number] == Cell::Open(mines as u8)
            };
            position.mines == Some(mines.len()) && position.numbers().all(holds)
        };
        (0..1_u32 << closed.len()).map(layout).filter(fits).collect()
    }

    #[test]
    fn every_layout_is_as_likely_as_any_other() {
        let mut random = Rng::with_seed(11);
        let mut compared = 0;
        for round in 0..60 {
            let grid = Grid { rows: random.usize(2..=4), columns: random.usize(2..=5) };
            let shapes =
                [Shape::King, Shape::Knight, Shape::Torus(Torus::whole(grid)), Shape::Hexagons { first_row: 0 }];
            let open = random.u8(1..6);
            let position = random_position(grid, shapes[round % 4], open, &mut random);
            if position.count(Cell::Closed) > 12 {
                continue;
            }
            let all = layouts(&position);
            let mut drawn: BTreeMap<Vec<usize>, usize> = all.iter().map(|layout| (layout.clone(), 0)).collect();
            let draws = 60 * all.len();
            for _ in 0..draws {
                let mines = layout(&position, &mut random, &Budget::none()).expect("no limit").expect("a layout");
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
    fn a_large_board_is_laid_out_by_a_single_count() {
        let mut random = Rng::with_seed(3);
        let grid = Grid { rows: 100, columns: 100 };
        let mut position = random_position(grid, Shape::King, 0, &mut random);
        let hidden = position.clone();
        // Every third cell of every third row is open, so that thousands of cells are beside a number.
        let laid = layout(&hidden, &mut random, &Budget::none()).expect("no limit").expect("a layout");
        for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 3 == 1) && !laid[cell]) {
            let number = grid.around(cell).into_iter().filter(|&near| laid[near]).count();
            position.cells[cell] = Cell::Open(number as u8);
        }
        COUNTS.set(0);
        let drawn = layout(&position, &mut random, &Budget::none()).expect("no limit").expect("a layout");
        assert_eq!(COUNTS.get(), 1);
        assert_eq!(grid.cells().filter(|&cell| drawn[cell]).count(), position.mines.unwrap_or(0));
        for number in position.numbers() {
            let mines = grid.around(number).into_iter().filter(|&near| drawn[near]).count();
            assert_eq!(position.cells[number], Cell::Open(mines as u8));
        }
    }

    #[test]
    fn a_layout_of_kept_and_forgotten_ways_fits_the_numbers() {
        // Every second cell of every second row is a number: a frontier of many states.
        let grid = Grid { rows: 7, columns: 13 };
        let mut random = Rng::with_seed(7);
        for _ in 0..20 {
            let mut position = random_position(grid, Shape::King, 0, &mut random);
            let laid = layout(&position, &mut random, &Budget::none()).expect("no limit").expect("a layout");
            let is_number = |cell: usize| grid.place(cell).iter().all(|place| place % 2 == 0) && !laid[cell];
            let shown: Vec<usize> = position.all(Cell::Closed).filter(|&cell| is_number(cell)).collect();
            for cell in shown {
                let number = grid.around(cell).into_iter().filter(|&near| laid[near]).count();
                position.cells[cell] = Cell::Open(number as u8);
            }
            let seed = random.u64(..);
            let drawn = [u64::MAX, 1 << 18].map(|memory| {
                let budget = Budget { memory, ..Budget::none() };
                layout(&position, &mut Rng::with_seed(seed), &budget).expect("memory enough").expect("a layout")
            });
            assert_eq!(drawn[0], drawn[1]);
            for number in position.numbers() {
                let mines = grid.around(number).into_iter().filter(|&near| drawn[0][near]).count();
                assert_eq!(position.cells[number], Cell::Open(mines as u8));
            }
        }
    }

    #[test]
    fn nothing_is_drawn_under_a_limit_that_is_reached() {
        let grid = Grid { rows: 1, columns: 3 };
        let mut position = Position::closed(grid, Some(1));
        position.cells[grid.cell(0, 1)] = Cell::Open(1);
        let canceller = crate::stop::Canceller::new();
        canceller.request(Reason::TimeLimit);
        let budget = Budget { stop: canceller.token(), ..Budget::none() };
        assert_eq!(layout(&position, &mut Rng::with_seed(1), &budget), Err(Reason::TimeLimit));
    }
}
