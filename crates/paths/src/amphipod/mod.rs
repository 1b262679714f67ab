//! The amphipods of Advent of Code 2021, day 23: all amphipods go home with the least energy.
//!
//! An amphipod leaves its room for a cell of the hallway that is not in front of a door, or goes
//! home when its room holds only its own kind. A step of kind k costs 10^k.
//!
//! ```
//! use paths::amphipod::Amphipod;
//! use puzzle::Run;
//!
//! let solved = Run::new(Amphipod, "..(10).(23).(12).(30)..".into())?.solve()?;
//! assert_eq!(solved.board().energy(&solved.answers()[0]), 12_521);
//! assert!(solved.complete(), "no plan costs less");
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `options.rs` | the puzzle's type, its options and its plans |
//! | `burrow.rs` | a burrow, its two notations, and their errors |
//! | `moves.rs` | moves of single amphipods, and the check that every answer must pass |
//! | `detours.rs` | the search space of `astar` and `idastar`, in which only detours cost |
//! | `solve.rs` | the searches over detours |
//! | `plain.rs` | a straightforward search space, for teaching |
//! | `clingo.rs` | the engine `asp` |
//! | `generate.rs` | `asp-solve generate amphipod` |
//! | `text.rs` | text output, tables, pictures and pieces to click |
//! | `why.rs` | the search for deadlocks |

mod burrow;
mod clingo;
mod detours;
mod generate;
mod moves;
mod options;
mod plain;
mod solve;
mod text;
mod why;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::SearchEnd;
use base::style::Style;
pub use burrow::Burrow;
pub use detours::Detours;
pub use moves::{Move, Place};
pub use options::{Amphipod, AmphipodEngine, AmphipodOptions, AmphipodPlan};
use puzzle::Format;
use puzzle::job::{Job, Rules};
use puzzle::native::{self, PathProof};
use puzzle::one_player::{OnePlayer, Plan, PlanBounds, PlanCapabilities, PlanWords};
use puzzle::{About, AnswerSink, Describe, Encoding, EngineOption, Example, OpenBoard, Role, RunResult, Tool, name_of};
use serde_json::{Value, json};
use statespace::search;

const BURROW: Encoding = puzzle::builtin_encoding!("burrow", "amphipod/burrow.lp");

impl Describe for Amphipod {
    fn about(&self) -> About<'_> {
        About {
            name: "amphipod",
            title: "Amphipods",
            summary: "amphipods that go home through a hallway for the least energy (Advent of Code 2021, day 23)",
            input: "a drawing of the burrow, or ..(10).(23).(12).(30)..",
            encodings: &[BURROW],
            pictures: &[Format::Svg, Format::Html],
            ..About::default()
        }
    }

    fn example(&self) -> Option<Example> {
        Example::named("amphipod.txt")
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![Box::new(generate::GenerateBurrow)]
    }

    fn recognise(&self, document: &Document) -> Role {
        Role::instance_if(burrow::looks_like_a_burrow(document))
    }

    fn similarity(&self, document: &Document) -> f64 {
        burrow::burrow_sign_share(&document.text)
    }
}

impl OpenBoard for Amphipod {
    type Options = AmphipodOptions;
    type Engine = AmphipodEngine;
    type Board = Burrow;

    fn parse(&self, job: &Job) -> Result<Burrow, Failure> {
        let document = puzzle::only_document("amphipod", job)?;
        let burrow = Burrow::parse(document)?;
        if !job.options::<AmphipodOptions>().unfold {
            return Ok(burrow);
        }
        burrow.unfold().map_err(|error| Diagnostic::error(Code::Usage, error).into())
    }

    fn reads(&self, engine: AmphipodEngine, option: EngineOption) -> bool {
        match option {
            EngineOption::NodeLimit => engine != AmphipodEngine::Asp,
            EngineOption::Constants => engine == AmphipodEngine::Asp,
            _ => option.is_read_by_default(engine),
        }
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
        unproven: "perhaps not the least energy",
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
        let search_plainly = match engine {
            AmphipodEngine::Astar | AmphipodEngine::Asp => return solve::solve(burrow, false, job, sink),
            AmphipodEngine::Idastar => return solve::solve(burrow, true, job, sink),
            AmphipodEngine::Memo => search::memo,
            AmphipodEngine::Backtracking => search::backtracking,
        };
        native::reject_multiple(job, &format!("the engine {}", name_of(engine)), &name_of(AmphipodEngine::Astar))?;
        let searched = search_plainly(&plain::PlainSpace::new(burrow), &native::limits(job));
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
        burrow.energy(plan)
    }

    fn plan_json(&self, burrow: &Burrow, plan: &AmphipodPlan) -> Value {
        let rooms = burrow.rooms.len();
        let move_json = |action: &Move| {
            json!({
                "type": burrow::name(action.kind).to_string(), "from": action.from.at(rooms), "to": action.to.at(rooms),
                "energy": action.energy(rooms),
            })
        };
        json!({ "energy": burrow.energy(plan), "moves": plan.0.iter().map(move_json).collect::<Vec<_>>() })
    }

    fn describe_plans(&self, burrow: &Burrow, plans: &[AmphipodPlan], style: &Style) -> String {
        text::plans(burrow, plans, style)
    }

    fn describe_impossible(&self, result: &RunResult<Self>) -> String {
        let cause = result.proof().reason.as_ref().map_or(String::new(), |cause| format!(": {cause}"));
        let words = format!("Not everyone can get home{cause}");
        format!("{}.", result.rules().verdict_with(&words, &native::node_count(result.proof())))
    }

    fn not_proven(&self, solved: &str, result: &RunResult<Self>) -> String {
        let nodes = native::nodes(result.proof());
        if let rules @ Rules::Custom(_) = result.rules() {
            return format!("{solved} {}{nodes}.", rules.attribution());
        }
        let gave_up = result.verdict().gave_up_words();
        format!("{solved}, {}{nodes}. {gave_up}", Self::WORDS.unproven).trim_end().to_owned()
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
            pieces: Some(self),
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
