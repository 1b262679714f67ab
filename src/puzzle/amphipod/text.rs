//! Text output of a plan (the moves, and with `--verbose` every burrow) and its picture.

use std::fmt::Write;

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, name};
use super::moves::{Move, Place};
use super::puzzle::{Amphipod, AmphipodPlan};
use crate::picture::{Look, Paint, Picture, Rgb, Sprite};
use crate::play::Rectangle;
use crate::puzzle::one_player::OnePlayer;
use crate::report::Style;

pub fn plans(burrow: &Burrow, plans: &[AmphipodPlan], style: &Style) -> String {
    let mut page = String::new();
    for (number, plan) in plans.iter().enumerate() {
        let mut current = burrow.clone();
        if plans.len() > 1 {
            let _ = writeln!(page, "\nPlan {}:", number + 1);
        }
        if style.verbose {
            write_burrow(&mut page, &current);
        }
        let rooms = burrow.rooms.len();
        for (number, &action) in plan.0.iter().enumerate() {
            let energy = action.energy(rooms);
            let [kind, from, _, to] = move_words(rooms, &action);
            let _ = writeln!(page, "{:>4}. {kind}  {from:<14} → {to:<14} {energy:>8}", number + 1);
            if style.verbose {
                current.make_move(action);
                write_burrow(&mut page, &current);
            }
        }
    }
    page
}

/// Describes a move: the amphipod, the origin, an arrow, the destination.
pub fn move_words(rooms: usize, action: &Move) -> [String; 4] {
    let place = |place: Place| match place {
        Place::Stop(stop) => format!("hallway {}", column_of_stop(rooms, stop) + 1),
        Place::Room(room, level) => format!("room {} level {}", name(room as Kind), level + 1),
    };
    [name(action.kind).to_string(), place(action.from), "→".to_owned(), place(action.to)]
}

fn write_burrow(page: &mut String, burrow: &Burrow) {
    page.push('\n');
    for line in burrow.drawing() {
        let _ = writeln!(page, "  {line}");
    }
    page.push('\n');
}

/// The side of a cell.
const CELL: f64 = 36.0;

/// Returns the rectangle of a cell in the picture.
pub fn cell([row, column]: [usize; 2]) -> Rectangle {
    [CELL * column as f64, CELL * row as f64, CELL, CELL]
}

/// Draws the burrow with its amphipods, which move along the plan.
pub fn picture(burrow: &Burrow, plan: &[Move]) -> Picture {
    let rooms = burrow.rooms.len();
    let middle = |[row, column]: [usize; 2]| (CELL * column as f64 + CELL / 2.0, CELL * row as f64 + CELL / 2.0);
    let cells = (0..2 * rooms + 3).map(|column| [0, column]);
    let cells = cells.chain((0..rooms).flat_map(|room| (1..=burrow.depth).map(move |row| [row, column_of_room(room)])));
    let mut sprites: Vec<Sprite> = cells
        .map(|cell| Sprite::still(Look::Cell { width: CELL, height: CELL }, Paint::Grey, "", middle(cell)))
        .collect();
    for (kind, mut place) in burrow.amphipods() {
        let mut places = vec![middle(place.at(rooms))];
        for action in plan {
            // Go round the corner at the door, so that the path crosses no wall.
            let mut corner = middle(place.at(rooms));
            if action.from == place {
                let door = [action.from, action.to].map(|end| end.at(rooms)).into_iter().find(|end| end[0] > 0);
                corner = middle([0, door.expect("one end of a move is a room")[1]]);
                place = action.to;
            }
            places.extend([corner, middle(place.at(rooms))]);
        }
        let paint = Paint::Color(Rgb::of_rank(usize::from(kind)));
        sprites.push(Sprite::moving(Look::Disc { radius: CELL * 0.42 }, paint, name(kind), places));
    }
    let mut energy = 0;
    let caption = |energy: u64| format!("energy {energy}");
    let captions = std::iter::once(caption(0))
        .chain(plan.iter().flat_map(|action| {
            let before = energy;
            energy += action.energy(rooms);
            [caption(before), caption(energy)]
        }))
        .collect();
    Picture { title: Amphipod::WORDS.cost(energy), sprites, captions }
}
