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
//! | `why.rs` | which amphipods block each other |

mod burrow;
mod detours;
mod generate;
mod grounded;
mod moves;
mod plain;
mod text;
mod why;

use clap::Args;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::engines::{Engine, Rung};
use super::native::{self, Proof};
use super::one_player::{OnePlayer, Way, Words};
use super::playing::Piece;
use super::{About, Because, Encoding, Fits, Found, Readers, Role, Solved, Table, cells, rules};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::Ending;
use crate::job::{Job, Rules};
use crate::picture::Picture;
use crate::played;
use crate::puzzle::Tool;
use crate::report::{Format, Style};
use crate::search::{self, Conclusion, Limits, Visit};
use crate::stop::{Reason, Stop};
pub use burrow::Burrow;
use burrow::MOST_ROOMS;
pub use detours::Detours;
use detours::{Leave, State, USUAL_ROOMS};
pub use moves::{Move, Place};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amphipod;

const BURROW: Encoding = Encoding { name: "burrow", files: &[rules::shipped!("amphipod/burrow.lp")] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options for amphipod")]
pub struct Options {
    /// Insert the two rows of part two of the task
    #[arg(long)]
    pub unfold: bool,
}

pub type Plan = Way<Move>;

impl Plan {
    /// What everybody pays for it.
    pub fn energy(&self, burrow: &Burrow) -> u64 {
        self.0.iter().map(|action| action.energy(burrow.rooms.len())).sum()
    }
}

/// A function that is made for the number of rooms.
macro_rules! with_rooms {
    ($rooms:expr, $function:ident($($argument:expr),*)) => {
        match $rooms {
            USUAL_ROOMS => $function::<USUAL_ROOMS>($($argument),*),
            _ => $function::<MOST_ROOMS>($($argument),*),
        }
    };
}

impl OnePlayer for Amphipod {
    type Options = Options;
    type Board = Burrow;
    type Move = Move;

    const WORDS: Words = Words {
        unit: ["unit of energy", "units of energy"],
        best: ["cheapest plan", "cheapest plans"],
        solved: "Everyone gets home for",
        none_better: "no plan costs less",
        bound: "No plan costs less than",
    };
    const ENGINES: &'static [Rung<Self>] = &[
        Rung::of(Engine::Astar),
        Rung::of(Engine::Idastar),
        Rung::of(Engine::Memo),
        Rung::of(Engine::Backtracking),
        Rung::of(Engine::Asp),
    ];

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
            fits: Fits::Line,
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
        let lines = || cells::lines(&document.text).map(|(_, line)| line).filter(|line| !line.is_empty());
        // A fact such as `a(1).` has the same signs; of a burrow's hallway two cells are right of the last room.
        let is_fact = |line: &str| line.starts_with(|first: char| first.is_ascii_lowercase()) && line.ends_with(").");
        let is_compact = lines().next().is_some_and(|line| line.starts_with(|first: char| first != '(' && fits(first)))
            && lines().any(|line| line.contains('('))
            && lines().all(|line| line.chars().all(fits) && !is_fact(line));
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

    fn read(&self, burrow: &Burrow, atoms: &AnswerAtoms) -> Result<Vec<Move>, AtomError> {
        grounded::moves(burrow, atoms)
    }

    fn search(
        &self,
        burrow: &Burrow,
        engine: Engine,
        job: &Job,
        found: Found<'_, Plan>,
    ) -> Result<Ending<Proof>, Failure> {
        if matches!(engine, Engine::Astar | Engine::Idastar) {
            return with_rooms!(burrow.rooms.len(), detour(burrow, engine, job, found));
        }
        let (space, limits) = (plain::Plain::new(burrow), native::limits(job));
        let searched = match engine {
            Engine::Memo => search::memo(&space, &limits),
            Engine::Backtracking => search::backtracking(&space, &limits),
            _ => engine.blind(&space, &limits),
        };
        native::finish(searched, 0, job, Way, found)
    }

    fn cause(&self, burrow: &Burrow, stop: &Stop) -> Result<Option<Proof>, Failure> {
        let blockade = why::blockade(burrow, stop);
        let is_checked = why::check(burrow, &blockade, stop).map_err(Diagnostic::error)?;
        let because = || Because { parts: blockade.parts(burrow), is_smallest: blockade.is_smallest };
        let cause = Some(blockade.summary(burrow));
        Ok(is_checked.then(|| Proof { cause, because: Some(because()), ..Proof::default() }))
    }

    fn moves(&self, burrow: &Burrow) -> Vec<Move> {
        burrow.everybody().into_iter().flat_map(|(kind, from)| burrow.ways(kind, from)).collect()
    }

    fn make(&self, burrow: &mut Burrow, action: Move) -> Result<u64, String> {
        burrow.allows(action)?;
        burrow.put(action);
        Ok(action.energy(burrow.rooms.len()))
    }

    fn is_goal(&self, burrow: &Burrow) -> Result<(), String> {
        burrow.is_organised().then_some(()).ok_or_else(|| "somebody is not home".to_owned())
    }

    fn cost(&self, burrow: &Burrow, plan: &Plan) -> u64 {
        plan.energy(burrow)
    }

    /// The straight ways home.
    fn least(&self, burrow: &Burrow) -> u64 {
        burrow.everybody().into_iter().map(|(kind, place)| burrow.straight_home(kind, place)).sum()
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

    fn ways(&self, burrow: &Burrow, plans: &[Plan], style: &Style) -> String {
        text::plans(burrow, plans, style)
    }

    fn impossible(&self, known: &Solved<Self>) -> String {
        let cause = known.proof().cause.as_ref().map_or(String::new(), |cause| format!(": {cause}"));
        let proven = known.rules().proven();
        format!("No plan: not everyone can get home{cause}; {proven}{}.", native::nodes(known.proof()))
    }

    /// Other rules may have another measure.
    fn proven(&self, solved: &str, _: &Burrow, rules: &Rules) -> String {
        match rules {
            Rules::Yours(_) => format!("{solved}, the best {}", rules.by()),
            Rules::Shipped(_) => format!("{solved}, and {}: proven", Self::WORDS.none_better),
        }
    }

    fn not_proven(&self, solved: &str, known: &Solved<Self>) -> String {
        let nodes = native::nodes(known.proof());
        if let rules @ Rules::Yours(_) = known.rules() {
            return format!("{solved} {}{nodes}.", rules.by());
        }
        let gave_up = known.verdict().gave_up_words();
        format!("{solved}, perhaps not the least energy{nodes}. {gave_up}").trim_end().to_owned()
    }

    fn table(&self, burrow: &Burrow, plans: &[Plan]) -> Table {
        let rooms = burrow.rooms.len();
        let told = |action: &Move| text::told(rooms, action).join(" ");
        let row =
            |plan: &Plan| vec![plan.energy(burrow).to_string(), plan.0.iter().map(told).collect::<Vec<_>>().join(", ")];
        let columns = ["energy", "moves"].map(str::to_owned).to_vec();
        Table { columns, rows: plans.iter().map(row).enumerate().collect(), ..Table::default() }
    }

    fn picture(&self, burrow: &Burrow, plan: Option<&Plan>) -> Picture {
        text::picture(burrow, plan.map_or(&[], |plan| &plan.0))
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        &[&generate::Generate]
    }

    fn told(&self, burrow: &Burrow, action: Move) -> played::Move {
        let rooms = burrow.rooms.len();
        let [from, to] = [action.from, action.to].map(|place| place.at(rooms));
        let [who, _, _, to_words] = text::told(rooms, &action);
        let name = format!("{who} {},{} to {},{}", from[0], from[1], to[0], to[1]);
        played::Move::new(name, format!("{who} goes to {to_words}, for {}", action.energy(rooms)))
    }

    /// One is clicked, and then where it is to go.
    fn pieces(&self, burrow: &Burrow) -> Vec<Piece<Move>> {
        let rooms = burrow.rooms.len();
        let piece = |(kind, place): (burrow::Kind, Place)| {
            let (who, [row, column]) = (burrow::name(kind), place.at(rooms));
            let [_, at_words, ..] = text::told(rooms, &Move { kind, from: place, to: place });
            let with_goal = |way: Move| {
                let [.., to] = text::told(rooms, &way);
                (way, Some((text::cell(way.to.at(rooms)), to)))
            };
            Piece {
                at: text::cell([row, column]),
                words: format!("{who}, {at_words}"),
                moves: burrow.ways(kind, place).into_iter().map(with_goal).collect(),
                pick: Some((format!("pick {row},{column}"), [format!("{who} is to go"), format!("{who} stays")])),
            }
        };
        burrow.everybody().into_iter().map(piece).collect()
    }
}

/// Whether everybody can get home.
fn solvable(burrow: &Burrow, limits: &Limits) -> Conclusion<Leave> {
    fn of<const ROOMS: usize>(burrow: &Burrow, limits: &Limits) -> Conclusion<Leave> {
        search::astar(&Detours::<ROOMS>::new(burrow), limits).outcome
    }
    with_rooms!(burrow.rooms.len(), of(burrow, limits))
}

/// The search for the cheapest detours.
fn detour<const ROOMS: usize>(
    burrow: &Burrow,
    engine: Engine,
    job: &Job,
    found: Found<'_, Plan>,
) -> Result<Ending<Proof>, Failure> {
    let mut limits = native::limits(job);
    let space = Detours::<ROOMS>::new(burrow);
    // The search is for what is paid besides.
    if let Some(depth) = limits.depth {
        let Some(rest) = u64::from(depth).checked_sub(space.least) else {
            let proof = Proof { lower_bound: Some(space.least), ..Proof::default() };
            return Ok(Ending { proof, ..Ending::gave_up(Reason::DepthLimit) });
        };
        limits.depth = Some(u32::try_from(rest).unwrap_or(u32::MAX));
    }
    let plan = |leaves: Vec<_>| Way(space.plan(burrow, &leaves));
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
    native::finish_all(engine.informed(&space, &limits), space.least, job, all, &limits, plan, found)
}

/// What the beginning of a plan takes besides its moves, with its share of a table that is half full.
const BYTES_OF_FOLLOWED: u64 = 128;
