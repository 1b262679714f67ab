//! The amphipods of Advent of Code 2021, day 23: everybody home, with the least energy.
//!
//! An amphipod leaves its room for a cell of the hallway that is not in front of a door, or goes home when its room
//! holds none but its own kind. A step of kind k costs 10^k.
//!
//! ```
//! use asp_solve::{Amphipod, solve};
//!
//! let solved = solve(Amphipod, "..(10).(23).(12).(30)..")?;
//! assert_eq!(solved.answers()[0].energy(solved.board()), 12_521);
//! assert!(solved.complete(), "no plan costs less");
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `burrow.rs` | a burrow in its two notations, and what can be wrong with one |
//! | `moves.rs` | moves of single amphipods, and the replay that every answer must pass |
//! | `detours.rs` | the search: all that is not a detour is known beforehand |
//! | `plain.rs` | the search that knows nothing, for teaching |
//! | `grounded.rs` | the engine `asp` |
//! | `generate.rs` | `asp-solve generate amphipod` |
//! | `text.rs` | the output for a person |
//! | `played.rs` | the amphipods in play |
//! | `why.rs` | who keeps whom from going home |

mod burrow;
mod detours;
mod generate;
mod grounded;
mod moves;
mod plain;
mod played;
mod text;
mod why;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::{About, Because, Encoding, Found, Puzzle, Readers, Role, Solved, Table, cells, native, reasons, rules};
use crate::asp;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::picture::Picture;
use crate::played::Game;
use crate::puzzle::Tool;
use crate::puzzle::playing::Walk;
use crate::report::{Format, Style};
use crate::search::{self, Conclusion, Limits, Visit};
use crate::stop::Reason;
use crate::why::{Question, Told};
pub use burrow::Burrow;
pub use detours::Detours;
use detours::{Leave, State};
pub use moves::{Move, Place};

#[derive(Debug, Clone, Copy)]
pub struct Amphipod;

const BURROW: Encoding = Encoding { name: "burrow", files: &[rules::shipped!("amphipod/burrow.lp")] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for amphipod")]
pub struct Options {
    /// Insert the two rows that part two of the task adds
    #[arg(long)]
    pub unfold: bool,
}

/// Moves, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(pub Vec<Move>);

impl Plan {
    /// What everybody pays for it.
    pub fn energy(&self, burrow: &Burrow) -> u64 {
        self.0.iter().map(|action| action.energy(burrow.rooms.len())).sum()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Astar,
    Idastar,
    Memo,
    Backtracking,
    /// clingo, with the least energy
    Asp,
}

impl Puzzle for Amphipod {
    type Options = Options;
    type Engine = Engine;
    type Board = Burrow;
    type Answer = Plan;
    type Proof = native::Proof;

    fn about(&self) -> About {
        About {
            name: "amphipod",
            summary: "amphipods that go home through a hallway for the least energy (Advent of Code 2021, day 23)",
            input: "a drawing of the burrow, or ..(10).(23).(12).(30)..",
            more: &[],
            example: "echo '..(10).(23).(12).(30)..' | asp-solve -",
            encodings: &[BURROW],
            facts: &[],
            has_options_for_answer_sets: false,
            fits_a_line: true,
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("depth_limit", Readers::Engines(&["astar", "idastar"])),
                ("node_limit", Readers::Engines(&["astar", "idastar", "memo", "backtracking"])),
                ("threads", Readers::Engines(&["idastar", "asp"])),
                ("const", Readers::Engines(&["asp"])),
            ],
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let fits = |character: char| character.is_whitespace() || "().0123456789ABCDEFGHabcdefgh".contains(character);
        let mut lines = cells::lines(&document.text).map(|(_, line)| line).filter(|line| !line.is_empty()).peekable();
        // A fact such as `a(1).` has the same signs; of a burrow's hallway two cells are right of the last room.
        let is_fact = |line: &str| line.starts_with(|first: char| first.is_ascii_lowercase()) && line.ends_with(").");
        let is_compact = lines.peek().is_some_and(|line| line.starts_with(|first: char| first != '(' && fits(first)))
            && document.text.contains('(')
            && lines.all(|line| line.chars().all(fits) && !is_fact(line));
        let is_drawing = burrow::is_drawing(&document.text);
        let is_burrow = document.notation() == Notation::Program && (is_drawing || is_compact);
        if is_burrow { Role::Instance } else { Role::Neither }
    }

    fn resembles(&self, document: &Document) -> f64 {
        let is_sign = |character: char| matches!(character, '#' | '.' | '(' | ')' | 'A'..='H' | '0'..='7');
        let has_walls = document.text.contains("##") || document.text.contains('(') && document.text.contains("..");
        if has_walls { cells::share(&document.text, is_sign) } else { 0.0 }
    }

    fn parse(&self, job: &Job) -> Result<Burrow, Failure> {
        let document = super::only_document("amphipod", job)?;
        let burrow = Burrow::parse(document)?;
        if !job.options::<Options>().unfold {
            return Ok(burrow);
        }
        burrow.unfolded().map_err(|error| Diagnostic::error(error).into())
    }

    fn program(&self, burrow: &Burrow, job: &Job) -> Result<asp::Program, Failure> {
        Ok(grounded::program(burrow, job))
    }

    fn solve(
        &self,
        burrow: &Burrow,
        engine: Engine,
        job: &Job,
        found: Found<'_, Plan>,
    ) -> Result<Ending<native::Proof>, Failure> {
        let limits = native::limits(job);
        if !matches!(engine, Engine::Astar | Engine::Idastar) {
            native::finds_one(job, &format!("the engine {}", super::name_of(engine)), "astar")?;
        }
        let mut ending = match engine {
            Engine::Asp => {
                let mut ending = grounded::solve(burrow, job, found)?;
                if ending.complete && job.rules.are_shipped() {
                    confirm(burrow, job, &mut ending)?;
                }
                ending
            }
            Engine::Memo | Engine::Backtracking => {
                let space = plain::Plain::new(burrow);
                let search = if engine == Engine::Memo { search::memo } else { search::backtracking };
                native::finish(search(&space, &limits), 0, job, |moves| Ok(Plan(moves)), found)?
            }
            Engine::Astar | Engine::Idastar => detours(burrow, engine, job, found)?,
        };
        if ending.verdict == Verdict::Impossible && job.rules.are_shipped() {
            let blockade = why::blockade(burrow, &job.stop);
            if why::check(burrow, &blockade).map_err(Diagnostic::error)? {
                let (parts, is_smallest) = (blockade.parts(burrow), blockade.is_smallest);
                ending.proof.cause = Some(blockade.summary(burrow));
                ending.proof.because = Some(Because { parts, is_smallest });
            }
        }
        Ok(ending)
    }

    fn check(&self, burrow: &Burrow, plan: &Plan) -> Result<(), String> {
        let mut burrow = burrow.clone();
        for (number, &action) in plan.0.iter().enumerate() {
            burrow.make(action).map_err(|error| format!("move {}: {error}", number + 1))?;
        }
        if burrow.is_organised() { Ok(()) } else { Err("in the end somebody is not home".to_owned()) }
    }

    /// Nobody comes home with less than the steps of the straight way.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        let burrow = known.board();
        let energy = known.answers.first().map(|plan| plan.energy(burrow));
        let differ = |pair: &[Plan]| pair[0] != pair[1] && pair[0].energy(burrow) == pair[1].energy(burrow);
        known.proof().vouch(energy, known.complete, known.answers.windows(2).all(differ))?;
        let least: u64 = burrow.everybody().into_iter().map(|(kind, place)| burrow.straight_home(kind, place)).sum();
        match energy {
            Some(energy) if energy < least => {
                Err(format!("{energy} is less than the straight ways home cost, {least}"))
            }
            None if known.verdict == Verdict::Impossible && burrow.is_organised() => {
                Err("everybody is home, and it is said to be impossible".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn why(&self, board: &Arc<Burrow>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        reasons::of_verdict_alone(*self, board, job, question)
    }

    fn game(&self, burrow: &Arc<Burrow>, job: &Job) -> Result<Option<Box<dyn Game>>, Failure> {
        let start = played::Walked { burrow: Burrow::clone(burrow), energy: 0, picked: None };
        Ok(Some(Box::new(Walk::new(start, job))))
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    /// The cheapest plans are told in the order of their moves.
    fn sort(&self, plans: &mut [Plan]) {
        plans.sort_by(|plan, other| plan.0.cmp(&other.0));
    }

    fn json(&self, burrow: &Burrow, plan: &Plan) -> Value {
        let rooms = burrow.rooms.len();
        let one = |action: &Move| {
            json!({
                "type": burrow::name(action.kind).to_string(), "from": action.from.at(rooms), "to": action.to.at(rooms),
                "energy": action.energy(rooms),
            })
        };
        json!({ "energy": plan.energy(burrow), "moves": plan.0.iter().map(one).collect::<Vec<_>>() })
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        text::page(known, style)
    }

    fn table(&self, burrow: &Burrow, plans: &[Plan]) -> Table {
        let rooms = burrow.rooms.len();
        let told = |action: &Move| text::told(rooms, action).join(" ");
        let row =
            |plan: &Plan| vec![plan.energy(burrow).to_string(), plan.0.iter().map(told).collect::<Vec<_>>().join(", ")];
        let columns = ["energy", "moves"].map(str::to_owned).to_vec();
        Table { columns, rows: plans.iter().map(row).enumerate().collect() }
    }

    fn draw(&self, known: &Solved<Self>, plan: Option<&Plan>) -> Result<Option<Picture>, Failure> {
        Ok(Some(text::picture(known.board(), plan.unwrap_or(&Plan(Vec::new())))))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&generate::Generate]
    }
}

/// A function that is made for the number of rooms.
macro_rules! with_rooms {
    ($rooms:expr, $function:ident($($argument:expr),*)) => {
        match $rooms {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            7 => $function::<7>($($argument),*),
            _ => $function::<8>($($argument),*),
        }
    };
}

/// The search for the cheapest detours.
fn detours(
    burrow: &Burrow,
    engine: Engine,
    job: &Job,
    found: Found<'_, Plan>,
) -> Result<Ending<native::Proof>, Failure> {
    with_rooms!(burrow.rooms.len(), detour(burrow, engine, job, found))
}

/// Whether everybody can get home.
fn solvable(burrow: &Burrow, limits: &Limits) -> Conclusion<Leave> {
    fn of<const ROOMS: usize>(burrow: &Burrow, limits: &Limits) -> Conclusion<Leave> {
        search::astar(&Detours::<ROOMS>::new(burrow), limits).outcome
    }
    with_rooms!(burrow.rooms.len(), of(burrow, limits))
}

fn detour<const ROOMS: usize>(
    burrow: &Burrow,
    engine: Engine,
    job: &Job,
    found: Found<'_, Plan>,
) -> Result<Ending<native::Proof>, Failure> {
    let mut limits = native::limits(job);
    let space = Detours::<ROOMS>::new(burrow);
    // The search is for what is paid besides.
    if let Some(depth) = limits.depth {
        let Some(rest) = u64::from(depth).checked_sub(space.least) else {
            let proof = native::Proof { lower_bound: Some(space.least), ..native::Proof::default() };
            return Ok(Ending { proof, ..Ending::gave_up(Reason::DepthLimit) });
        };
        limits.depth = Some(u32::try_from(rest).unwrap_or(u32::MAX));
    }
    let search = if engine == Engine::Astar { search::astar } else { search::idastar };
    let plan = |leaves: Vec<_>| Ok(Plan(space.plan(burrow, &leaves)));
    // Plans that differ in the order alone are one.
    let mut followed = FxHashSet::default();
    let mut bytes = 0;
    let all = |cost, limits: &Limits, visit: Visit<'_, Leave>| {
        let mut is_new = |leaves: &[Leave], state: &State| {
            let mut leaves = leaves.to_vec();
            leaves.sort_unstable();
            bytes += BYTES_OF_FOLLOWED + size_of_val(&leaves[..]) as u64;
            match limits.memory {
                Some(memory) if bytes > memory => Err(Reason::MemoryLimit),
                _ => Ok(followed.insert((*state, leaves))),
            }
        };
        Ok(search::all(&space, cost, limits, &mut is_new, visit))
    };
    native::finish_all(search(&space, &limits), space.least, job, all, &limits, plan, found)
}

/// What the beginning of a plan takes besides its moves, with its share of a table that is half full.
const BYTES_OF_FOLLOWED: u64 = 128;

/// What clingo alone says is not proven before the search for detours agrees.
fn confirm(burrow: &Burrow, job: &Job, ending: &mut Ending<native::Proof>) -> Result<(), Failure> {
    let other = detours(burrow, Engine::Astar, job, &mut |_| Ok(std::ops::ControlFlow::Continue(())))?;
    if let Verdict::GaveUp(reason) = other.verdict {
        ending.complete = false;
        ending.proof = other.proof;
        if ending.verdict == Verdict::Impossible || job.stop.requested().is_some() {
            ending.verdict = Verdict::GaveUp(reason);
        }
    } else if other.verdict != ending.verdict || other.proof.lower_bound != ending.proof.lower_bound {
        let text = "the engines asp and astar do not agree on the least energy";
        return Err(Diagnostic::error(text).into());
    }
    Ok(())
}
