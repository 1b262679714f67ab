//! The amphipods of Advent of Code 2021, day 23: everybody home, with the least energy.
//!
//! An amphipod leaves its room for a cell of the hallway that is not in front of a door, or goes home when its room
//! holds none but its own kind. A step of kind k costs 10^k.
//!
//! | file | what it holds |
//! |---|---|
//! | `burrow.rs` | a burrow in its two notations, and what can be wrong with one |
//! | `moves.rs` | moves of single amphipods, and the replay that every answer must pass |
//! | `detours.rs` | the search: all that is not a detour is known beforehand |
//! | `plain.rs` | the search that knows nothing, for teaching |
//! | `grounded.rs` | the engine `asp` |
//! | `text.rs` | the output for a person |

mod burrow;
mod detours;
mod grounded;
mod moves;
mod plain;
mod text;

use std::cmp::Ordering;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{About, Encoding, Found, Puzzle, Query, Role, native};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::Ending;
use crate::picture::Picture;
use crate::report::{Format, Style};
use crate::search;
pub use burrow::Burrow;
pub use detours::Detours;
use moves::{Move, Place};

#[derive(Debug, Clone, Copy)]
pub struct Amphipod;

const BURROW: Encoding =
    Encoding { name: "burrow", path: "amphipod/burrow.lp", text: include_str!("../../../asp/amphipod/burrow.lp") };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for amphipod")]
pub struct Options {
    /// With the two rows of the second part of the task
    #[arg(long)]
    unfold: bool,
}

/// Moves, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(pub Vec<Move>);

impl Plan {
    fn energy(&self, burrow: &Burrow) -> u64 {
        self.0.iter().map(|action| action.energy(burrow.rooms.len())).sum()
    }
}

const ENGINES: &[&str] = &["astar", "idastar", "memo", "backtracking", "asp"];

impl Puzzle for Amphipod {
    type Options = Options;
    type Board = Burrow;
    type Answer = Plan;

    fn about(&self) -> About {
        About {
            name: "amphipod",
            summary: "amphipods that go home through a hallway with the least energy (Advent of Code 2021, day 23)",
            input: "a drawing of the burrow, or ..(10).(23).(12).(30)..",
            encodings: &[BURROW],
            engines: ENGINES,
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[Format::Svg, Format::Html],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let text = document.text.trim();
        let is_drawing =
            text.lines().next().is_some_and(|line| line.len() >= 5 && line.trim().bytes().all(|byte| byte == b'#'));
        let fits = |character: char| character.is_whitespace() || "().0123456789ABCDEFGHabcdefgh".contains(character);
        let is_compact =
            text.starts_with(|first: char| first != '(' && fits(first)) && text.contains('(') && text.chars().all(fits);
        let is_burrow = document.notation() == Notation::Program && (is_drawing || is_compact);
        if is_burrow { Role::Instance } else { Role::Neither }
    }

    fn parse(&self, query: &Query<'_, Options>) -> Result<Burrow, Failure> {
        let document = super::only_document("amphipod", query)?;
        let burrow = Burrow::parse(document)?;
        if !query.options.unfold {
            return Ok(burrow);
        }
        burrow.unfolded().map_err(|error| Diagnostic::error(error).into())
    }

    fn engine(&self, _: &Burrow, query: &Query<'_, Options>) -> Result<&'static str, Failure> {
        native::engine("amphipod", ENGINES, query)
    }

    fn program(&self, burrow: &Burrow, query: &Query<'_, Options>) -> Result<asp::Program, Failure> {
        Ok(grounded::program(burrow, query))
    }

    fn solve(&self, burrow: &Burrow, query: &Query<'_, Options>, found: Found<'_, Plan>) -> Result<Ending, Failure> {
        let engine = self.engine(burrow, query)?;
        if engine == "asp" {
            return grounded::solve(burrow, query, found);
        }
        let limits = native::limits(query.request, query.stop);
        if engine == "memo" || engine == "backtracking" {
            let space = plain::Plain::new(burrow);
            let searched =
                if engine == "memo" { search::memo(&space, &limits) } else { search::backtracking(&space, &limits) };
            return native::finish(searched, query.request, |moves| Ok(Plan(moves)), found);
        }
        match burrow.rooms.len() {
            1 => detour::<1>(burrow, engine, query, found),
            2 => detour::<2>(burrow, engine, query, found),
            3 => detour::<3>(burrow, engine, query, found),
            4 => detour::<4>(burrow, engine, query, found),
            5 => detour::<5>(burrow, engine, query, found),
            6 => detour::<6>(burrow, engine, query, found),
            7 => detour::<7>(burrow, engine, query, found),
            _ => detour::<8>(burrow, engine, query, found),
        }
    }

    fn check(&self, burrow: &Burrow, plan: &Plan) -> Result<(), String> {
        let mut burrow = burrow.clone();
        for (number, &action) in plan.0.iter().enumerate() {
            burrow.make(action).map_err(|error| format!("move {}: {error}", number + 1))?;
        }
        if burrow.is_organised() { Ok(()) } else { Err("in the end somebody is not home".to_owned()) }
    }

    fn compare(&self, a: &Plan, b: &Plan) -> Ordering {
        a.0.cmp(&b.0)
    }

    fn json(&self, burrow: &Burrow, plan: &Plan) -> impl Serialize {
        let rooms = burrow.rooms.len();
        let one = |action: &Move| {
            json!({
                "type": burrow::name(action.kind).to_string(), "from": action.from.at(rooms), "to": action.to.at(rooms),
                "energy": action.energy(rooms),
            })
        };
        json!({ "energy": plan.energy(burrow), "moves": plan.0.iter().map(one).collect::<Vec<_>>() })
    }

    fn text(&self, burrow: &Burrow, plans: &[Plan], ending: &Ending, style: &Style) -> String {
        text::page(burrow, plans, ending, style)
    }

    fn columns(&self, _: &Burrow) -> Vec<&'static str> {
        vec!["energy", "moves"]
    }

    fn rows(&self, burrow: &Burrow, plan: &Plan) -> Vec<Vec<String>> {
        let rooms = burrow.rooms.len();
        let told = |action: &Move| text::told(rooms, action).join(" ");
        vec![vec![plan.energy(burrow).to_string(), plan.0.iter().map(told).collect::<Vec<_>>().join(", ")]]
    }

    fn draw(&self, burrow: &Burrow, plan: Option<&Plan>) -> Option<Picture> {
        Some(text::picture(burrow, plan.unwrap_or(&Plan(Vec::new()))))
    }
}

/// The search for the cheapest detours, made for a number of rooms.
fn detour<const ROOMS: usize>(
    burrow: &Burrow,
    engine: &str,
    query: &Query<'_, Options>,
    found: Found<'_, Plan>,
) -> Result<Ending, Failure> {
    let limits = native::limits(query.request, query.stop);
    let space = Detours::<ROOMS>::new(burrow);
    let searched = if engine == "astar" { search::astar(&space, &limits) } else { search::idastar(&space, &limits) };
    let lower_bound = u64::from(searched.lower_bound) + space.least;
    let mut ending = native::finish(searched, query.request, |leaves| Ok(Plan(space.plan(burrow, &leaves))), found)?;
    if let Some(bound) = ending.statistics.get_mut("lower_bound") {
        *bound = json!(lower_bound);
    }
    Ok(ending)
}
