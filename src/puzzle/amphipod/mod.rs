//! The amphipods of Advent of Code 2021, day 23: all amphipods go home with the least energy.
//!
//! An amphipod leaves its room for a cell of the hallway that is not in front of a door, or goes
//! home when its room holds only its own kind. A step of kind k costs 10^k.
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
//! | file | content |
//! |---|---|
//! | `puzzle.rs` | the puzzle's type, its options and its plans |
//! | `burrow.rs` | a burrow, its two notations, and their errors |
//! | `moves.rs` | moves of single amphipods, and the check that every answer must pass |
//! | `detours.rs` | the search space of `astar` and `idastar`, in which only detours cost |
//! | `solve.rs` | the searches over detours |
//! | `plain.rs` | a straightforward search space, for teaching |
//! | `clingo.rs` | the engine `asp` |
//! | `generate.rs` | `asp-solve generate amphipod` |
//! | `text.rs` | text output and pictures |
//! | `why.rs` | the search for deadlocks |

mod burrow;
mod clingo;
mod detours;
mod generate;
mod moves;
mod plain;
mod puzzle;
mod solve;
mod text;
mod why;

use serde_json::{Value, json};

use super::native::{self, PathProof};
use super::one_player::{
    ChooseMove, DrawPlan, ExplainBoard, OnePlayer, Piece, Plan, PlanBounds, PlanCapabilities, PlanProgram, PlanWords,
};
use super::{
    About, AnswerSink, ClingoProgram, Describe, Encoding, OpenBoard, OptionReaders, Role, RunResult, Table, Tabulate,
    UnsolvableCause, cells, engines, name_of, rules,
};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::{Document, Notation};
use crate::ending::SearchEnd;
use crate::job::{Job, Rules};
use crate::picture::Picture;
use crate::play;
use crate::report::{Format, Style};
use crate::search;
use crate::stop::CancelToken;
pub use burrow::Burrow;
pub use detours::Detours;
pub use moves::{Move, Place};
pub use puzzle::{Amphipod, AmphipodEngine, AmphipodOptions, AmphipodPlan};

const BURROW: Encoding = Encoding { name: "burrow", files: &[rules::builtin_file!("amphipod/burrow.lp")] };

impl Describe for Amphipod {
    fn about(&self) -> About {
        About {
            name: "amphipod",
            summary: "amphipods that go home through a hallway for the least energy (Advent of Code 2021, day 23)",
            input: "a drawing of the burrow, or ..(10).(23).(12).(30)..",
            example: "echo '..(10).(23).(12).(30)..' | asp-solve -",
            encodings: &[BURROW],
            pictures: &[Format::Svg, Format::Html],
            read_by: &[
                ("depth_limit", OptionReaders::Engines(&["astar", "idastar"])),
                ("node_limit", OptionReaders::Engines(&["astar", "idastar", "memo", "backtracking"])),
                ("threads", OptionReaders::Engines(&["idastar", "asp"])),
                ("const", OptionReaders::Engines(&["asp"])),
            ],
            tools: &[&generate::GenerateBurrow],
            ..About::default()
        }
    }

    fn recognise(&self, document: &Document) -> Role {
        let fits = |character: char| character.is_whitespace() || "().0123456789ABCDEFGHabcdefgh".contains(character);
        let lines = || cells::lines(&document.text).map(|(_, line)| line).filter(|line| !line.is_empty());
        // A fact such as `a(1).` consists of the same characters; but a burrow has two hallway
        // cells right of the last room.
        let is_fact = |line: &str| line.starts_with(|first: char| first.is_ascii_lowercase()) && line.ends_with(").");
        let is_compact = lines().next().is_some_and(|line| line.starts_with(|first: char| first != '(' && fits(first)))
            && lines().any(|line| line.contains('('))
            && lines().all(|line| line.chars().all(fits) && !is_fact(line));
        let is_drawing = burrow::is_drawing(&document.text);
        let is_burrow = document.notation() == Notation::Program && (is_drawing || is_compact);
        if is_burrow { Role::Instance } else { Role::Neither }
    }

    fn similarity(&self, document: &Document) -> f64 {
        let is_sign = |character: char| matches!(character, '#' | '.' | '(' | ')' | 'A'..='H' | '0'..='7');
        let has_walls = document.text.contains("##") || document.text.contains('(') && document.text.contains("..");
        if has_walls { cells::share(&document.text, is_sign) } else { 0.0 }
    }
}

impl OpenBoard for Amphipod {
    type Options = AmphipodOptions;
    type Engine = AmphipodEngine;
    type Board = Burrow;

    fn parse(&self, job: &Job) -> Result<Burrow, Failure> {
        let document = super::only_document("amphipod", job)?;
        let burrow = Burrow::parse(document)?;
        if !job.options::<AmphipodOptions>().unfold {
            return Ok(burrow);
        }
        burrow.unfold().map_err(|error| Diagnostic::error(Code::Usage, error).into())
    }
}

impl OnePlayer for Amphipod {
    type Move = Move;

    const WORDS: PlanWords = PlanWords {
        unit: ["unit of energy", "units of energy"],
        best: ["cheapest plan", "cheapest plans"],
        solved: "Everyone gets home for",
        optimality: "no plan costs less",
        bound: "No plan costs less than",
        // Custom rules may minimise another cost than the energy.
        custom_optimality: Some("the best"),
    };

    fn search(
        &self,
        burrow: &Burrow,
        engine: AmphipodEngine,
        job: &Job,
        sink: AnswerSink<'_, AmphipodPlan>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        let (space, limits) = (plain::PlainSpace::new(burrow), native::limits(job));
        let searched = match engine {
            AmphipodEngine::Asp => return engines::ask_clingo(*self, burrow, job, sink),
            AmphipodEngine::Astar => return solve::solve(burrow, false, job, sink),
            AmphipodEngine::Idastar => return solve::solve(burrow, true, job, sink),
            AmphipodEngine::Memo | AmphipodEngine::Backtracking => {
                let name = format!("the engine {}", name_of(engine));
                native::reject_multiple(job, &name, &name_of(AmphipodEngine::Astar))?;
                match engine {
                    AmphipodEngine::Memo => search::memo(&space, &limits),
                    _ => search::backtracking(&space, &limits),
                }
            }
        };
        native::finish(searched, 0, job, Plan, sink)
    }

    fn moves(&self, burrow: &Burrow) -> Vec<Move> {
        burrow.amphipods().into_iter().flat_map(|(kind, from)| burrow.legal_moves(kind, from)).collect()
    }

    fn apply(&self, burrow: &mut Burrow, action: Move) -> Result<u64, String> {
        burrow.check_move(action)?;
        burrow.make_move(action);
        Ok(action.energy(burrow.rooms.len()))
    }

    fn is_goal(&self, burrow: &Burrow) -> Result<(), String> {
        burrow.is_solved().then_some(()).ok_or_else(|| "an amphipod is not home".to_owned())
    }

    fn cost(&self, burrow: &Burrow, plan: &AmphipodPlan) -> u64 {
        plan.energy(burrow)
    }

    fn plan_json(&self, burrow: &Burrow, plan: &AmphipodPlan) -> Value {
        let rooms = burrow.rooms.len();
        let move_json = |action: &Move| {
            json!({
                "type": burrow::name(action.kind).to_string(), "from": action.from.at(rooms), "to": action.to.at(rooms),
                "energy": action.energy(rooms),
            })
        };
        json!({ "energy": plan.energy(burrow), "moves": plan.0.iter().map(move_json).collect::<Vec<_>>() })
    }

    fn describe_plans(&self, burrow: &Burrow, plans: &[AmphipodPlan], style: &Style) -> String {
        text::plans(burrow, plans, style)
    }

    fn describe_impossible(&self, result: &RunResult<Self>) -> String {
        let cause = result.proof().reason.as_ref().map_or(String::new(), |cause| format!(": {cause}"));
        let proven = result.rules().proven();
        format!("No plan: not everyone can get home{cause}; {proven}{}.", native::nodes(result.proof()))
    }

    fn not_proven(&self, solved: &str, result: &RunResult<Self>) -> String {
        let nodes = native::nodes(result.proof());
        if let rules @ Rules::Custom(_) = result.rules() {
            return format!("{solved} {}{nodes}.", rules.attribution());
        }
        let gave_up = result.verdict().gave_up_words();
        format!("{solved}, perhaps not the least energy{nodes}. {gave_up}").trim_end().to_owned()
    }

    fn describe_move(&self, burrow: &Burrow, action: Move) -> play::Move {
        let rooms = burrow.rooms.len();
        let [from, to] = [action.from, action.to].map(|place| place.at(rooms));
        let [who, _, _, to_words] = text::move_words(rooms, &action);
        let name = format!("{who} {},{} to {},{}", from[0], from[1], to[0], to[1]);
        play::Move::new(name, format!("{who} goes to {to_words}, for {}", action.energy(rooms)))
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities {
            bounds: Some(self),
            program: Some(self),
            explain: Some(self),
            draw: Some(self),
            table: Some(self),
            choose: Some(self),
            ..PlanCapabilities::default()
        }
    }
}

impl PlanBounds<Amphipod> for Amphipod {
    /// The total energy of the direct paths home.
    fn lower_bound(&self, burrow: &Burrow) -> u64 {
        burrow.amphipods().into_iter().map(|(kind, place)| burrow.min_home_cost(kind, place)).sum()
    }
}

impl ClingoProgram<Amphipod> for Amphipod {
    fn program(&self, burrow: &Burrow, job: &Job) -> Result<asp::Program, Failure> {
        Ok(clingo::program(burrow, job))
    }
}

impl PlanProgram<Amphipod> for Amphipod {
    fn read_moves(&self, burrow: &Burrow, atoms: &AnswerAtoms) -> Result<Vec<Move>, AtomError> {
        clingo::moves(burrow, atoms)
    }
}

impl ExplainBoard<Amphipod> for Amphipod {
    fn explain_unsolvable(&self, burrow: &Burrow, stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        let deadlock = why::find_deadlock(burrow, stop);
        let is_checked = why::check_deadlock(burrow, &deadlock, stop)
            .map_err(|error| Diagnostic::error(Code::RejectedClaim, error))?;
        let unsolvable_cause = || UnsolvableCause { parts: deadlock.parts(burrow), is_smallest: deadlock.is_smallest };
        let reason = Some(deadlock.summary(burrow));
        Ok(is_checked.then(|| PathProof { reason, cause: Some(unsolvable_cause()), ..PathProof::default() }))
    }
}

impl DrawPlan<Amphipod> for Amphipod {
    fn picture(&self, burrow: &Burrow, plan: Option<&AmphipodPlan>) -> Picture {
        text::picture(burrow, plan.map_or(&[], |plan| &plan.0))
    }
}

impl Tabulate<Amphipod> for Amphipod {
    fn table(&self, burrow: &Burrow, plans: &[AmphipodPlan]) -> Table {
        let rooms = burrow.rooms.len();
        let words = |action: &Move| text::move_words(rooms, action).join(" ");
        let row = |plan: &AmphipodPlan| {
            vec![plan.energy(burrow).to_string(), plan.0.iter().map(words).collect::<Vec<_>>().join(", ")]
        };
        let columns = ["energy", "moves"].map(str::to_owned).to_vec();
        Table { columns, rows: plans.iter().map(row).enumerate().collect(), ..Table::default() }
    }
}

impl ChooseMove<Amphipod> for Amphipod {
    /// The user clicks an amphipod, then its destination.
    fn pieces(&self, burrow: &Burrow) -> Vec<Piece<Move>> {
        let rooms = burrow.rooms.len();
        let piece = |(kind, place): (burrow::Kind, Place)| {
            let (who, [row, column]) = (burrow::name(kind), place.at(rooms));
            let [_, at_words, ..] = text::move_words(rooms, &Move { kind, from: place, to: place });
            let with_goal = |action: Move| {
                let [.., to] = text::move_words(rooms, &action);
                (action, Some((text::cell(action.to.at(rooms)), to)))
            };
            Piece {
                at: text::cell([row, column]),
                words: format!("{who}, {at_words}"),
                moves: burrow.legal_moves(kind, place).into_iter().map(with_goal).collect(),
                pick: Some((format!("pick {row},{column}"), [format!("{who} is to go"), format!("{who} stays")])),
            }
        };
        burrow.amphipods().into_iter().map(piece).collect()
    }
}
