//! Text output of a plan (the moves, and with `--verbose` every burrow), a table, its picture, and
//! pieces to click.

use std::fmt::Write;

use base::style::Style;
use picture::{Look, Paint, Picture, Rgb, Sprite};
use play::Rectangle;
use puzzle::one_player::{BoardPieces, DrawPlan, OnePlayer, Piece};
use puzzle::{Table, Tabulate};

use super::burrow::{Burrow, Kind, column_of_room, column_of_stop, name};
use super::moves::{Move, Place};
use super::options::{Amphipod, AmphipodPlan};

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
fn cell([row, column]: [usize; 2]) -> Rectangle {
    [CELL * column as f64, CELL * row as f64, CELL, CELL]
}

impl DrawPlan<Amphipod> for Amphipod {
    /// Draws the burrow with its amphipods, which move along the plan.
    fn picture(&self, burrow: &Burrow, plan: Option<&AmphipodPlan>) -> Picture {
        let plan = plan.map_or(&[][..], |plan| &plan.0);
        let rooms = burrow.rooms.len();
        let middle = |[row, column]: [usize; 2]| (CELL * column as f64 + CELL / 2.0, CELL * row as f64 + CELL / 2.0);
        let cells = (0..2 * rooms + 3).map(|column| [0, column]);
        let cells =
            cells.chain((0..rooms).flat_map(|room| (1..=burrow.depth).map(move |row| [row, column_of_room(room)])));
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

    /// An amphipod goes to the corner at the door, then on.
    fn frames_per_move(&self) -> usize {
        2
    }
}

impl Tabulate<Amphipod> for Amphipod {
    fn table(&self, burrow: &Burrow, plans: &[AmphipodPlan]) -> Table {
        let rooms = burrow.rooms.len();
        let words = |action: &Move| move_words(rooms, action).join(" ");
        let row = |plan: &AmphipodPlan| {
            vec![vec![burrow.energy(plan).to_string(), plan.0.iter().map(words).collect::<Vec<_>>().join(", ")]]
        };
        Table::of(["energy", "moves"].map(str::to_owned).to_vec(), plans, row)
    }
}

impl BoardPieces<Amphipod> for Amphipod {
    /// The user clicks an amphipod, then its destination.
    fn pieces(&self, burrow: &Burrow) -> Vec<Piece<Move>> {
        let rooms = burrow.rooms.len();
        let piece = |(kind, place): (Kind, Place)| {
            let (who, [row, column]) = (name(kind), place.at(rooms));
            let [_, at_words, ..] = move_words(rooms, &Move { kind, from: place, to: place });
            let with_goal = |action: Move| {
                let [.., to] = move_words(rooms, &action);
                (action, Some((cell(action.to.at(rooms)), to)))
            };
            Piece {
                at: cell([row, column]),
                words: format!("{who}, {at_words}"),
                moves: burrow.legal_moves(kind, place).into_iter().map(with_goal).collect(),
                pick: Some((format!("pick {row},{column}"), [format!("{who} is to go"), format!("{who} stays")])),
            }
        };
        burrow.amphipods().into_iter().map(piece).collect()
    }
}
