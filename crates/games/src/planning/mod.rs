//! One-player games written as a logic program: one file in `games/` below a folder of encodings,
//! without any Rust.
//!
//! The program defines the fluents of the start, the conditions and effects of moves, and the goal
//! (`asp/games/step.lp` defines the atoms and plays them step by step). clingo grounds the program
//! once; [`statespace::planning`] searches.
//!
//! | file | contents |
//! |---|---|
//! | `board.rs` | a game, and a state of it with its search task |
//! | `recognise.rs` | the document that defines a game |
//! | `read.rs` | conversion of the ground program to a planning task |
//! | `replay.rs` | independent check of plans |
//! | `search.rs` | heuristics and engines |
//! | `clingo.rs` | the engine `asp` |
//! | `generate.rs` | boards at a given distance from the goal |
//! | `rate.rs` | explanations: unreachable goals, moves, and exploration of all states |
//! | `display.rs` | drawings and descriptions of states and moves |
//! | `picture.rs` | pictures and pieces to click |

mod board;
mod clingo;
mod display;
mod generate;
mod picture;
mod rate;
mod read;
mod recognise;
mod replay;
mod search;

use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::SearchEnd;
use base::style::Style;
use board::GroundedGame;
pub use board::{PlanningBoard, PlanningGame};
use display::GameDisplay;
use puzzle::Format;
use puzzle::job::{Job, Show};
use puzzle::native::PathProof;
use puzzle::one_player::{OnePlayer, Plan, PlanCapabilities, PlanWords, list_moves};
use puzzle::{
    About, AnswerSink, Describe, EngineOption, Example, InputDocuments, InstanceUnit, OpenBoard, Role, RuleSupport,
    Tool,
};
use read::GameAtoms;
pub use recognise::recognise_game;
pub use search::GameHeuristic;
use search::{PlanningEngine, heuristic_of};
use serde_json::{Value, json};

/// The semantics of a game's atoms as an incremental program. The engine `asp` and the tests run it
/// together with a game.
pub const STEPS: &str = "games/step.lp";

/// Wording for games whose moves have different costs.
const COSTS: PlanWords = PlanWords {
    unit: ["unit", "units"],
    best: ["cheapest solution", "cheapest solutions"],
    solved: "Solved at a cost of",
    optimality: "no solution costs less",
    bound: "No solution costs less than",
    ..PlanWords::MOVES
};

impl Describe for PlanningGame {
    fn about(&self) -> About<'_> {
        let about = self.0.about();
        About {
            pictures: &[Format::Svg, Format::Html],
            has_options_for_answer_sets: false,
            instance_unit: InstanceUnit::Paragraph,
            input: "a text board with a line `puzzle NAME`, or facts",
            rule_support: RuleSupport::Any,
            ..about
        }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn example(&self) -> Option<Example> {
        // Shortest solutions are rarely unique.
        self.0.example().map(|example| example.with_options(""))
    }

    fn input_predicates(&self) -> Vec<&str> {
        self.0.input_predicates()
    }

    fn tools(&self) -> Vec<Box<dyn Tool>> {
        vec![Box::new(generate::GenerateGame(self.clone()))]
    }

    fn has_alias(&self, name: &str) -> bool {
        self.0.has_alias(name)
    }

    fn may_recognise_unnamed(&self, document: &Document) -> bool {
        self.0.may_recognise_unnamed(document)
    }

    fn recognise(&self, document: &Document) -> Role {
        self.0.recognise(document)
    }

    fn inputs(&self) -> &dyn InputDocuments {
        self.0.inputs()
    }
}

impl OpenBoard for PlanningGame {
    type Options = ();
    type Engine = PlanningEngine;
    type Board = PlanningBoard;

    fn parse(&self, job: &Job) -> Result<PlanningBoard, Failure> {
        let program = self.0.parse(job)?.into_program();
        let ground = GameAtoms::of(&program, &job.engine.settings, &job.stop)?;
        let display = GameDisplay::of(&program, &job.engine.settings, &ground, &job.stop);
        let state = ground.replay.start.clone();
        if matches!(job.output.show, Show::Pictures | Show::Page) {
            let drawing = display.drawing(std::slice::from_ref(&state))?;
            if drawing.is_empty() {
                let text = "there is no picture: rules must derive `draw(…)` from `holds(F)`";
                return Err(Diagnostic::error(Code::Unsupported, text).into());
            }
        }
        Ok(PlanningBoard::of(
            Arc::new(GroundedGame { program, ground, display, cache: job.engine.cache.clone() }),
            state,
        ))
    }

    fn default_engine(&self, board: &PlanningBoard, job: &Job) -> PlanningEngine {
        let is_named = heuristic_of(job).ok() != Some(GameHeuristic::Auto);
        match board.search_task(&job.stop) {
            Ok(task) if task.supports_bidirectional() && task.is_reversible() && !is_named => {
                PlanningEngine::Bidirectional
            }
            _ => PlanningEngine::Astar,
        }
    }

    fn reads(&self, engine: PlanningEngine, option: EngineOption) -> bool {
        match option {
            EngineOption::DepthLimit => true,
            EngineOption::Heuristic => matches!(engine, PlanningEngine::Astar | PlanningEngine::Idastar),
            _ => option.is_read_by_default(engine),
        }
    }

    fn check_options(&self, _: PlanningEngine, job: &Job) -> Result<(), Failure> {
        heuristic_of(job).map(drop)
    }
}

impl OnePlayer for PlanningGame {
    /// The index of the move, in clingo's order.
    type Move = u32;

    const SANITY_BOARDS: usize = 200;

    /// If each move costs 1, costs are numbers of moves.
    fn words(&self, board: &PlanningBoard) -> PlanWords {
        let is_unit_cost = board.game.ground.task.actions.iter().all(|action| action.cost == 1);
        if is_unit_cost { PlanWords::MOVES } else { COSTS }
    }

    fn moves(&self, board: &PlanningBoard) -> Vec<u32> {
        board.game.ground.replay.moves(&board.state)
    }

    fn apply(&self, board: &mut PlanningBoard, action: u32) -> Result<u64, String> {
        let replay = &board.game.ground.replay;
        let unmet = replay.unmet_conditions(&board.state, action);
        if !unmet.is_empty() {
            return Err(format!(
                "{} cannot be made: {}",
                board.move_name(action),
                board.describe_conditions(&unmet).join(", ")
            ));
        }
        let (state, cost) = replay.after(&board.state, action);
        *board = PlanningBoard::of(board.game.clone(), state);
        Ok(cost)
    }

    fn is_goal(&self, board: &PlanningBoard) -> Result<(), String> {
        let unmet = board.game.ground.replay.unmet_goals(&board.state);
        if unmet.is_empty() { Ok(()) } else { Err(board.describe_conditions(&unmet).join(", ")) }
    }

    fn is_solved(&self, board: &PlanningBoard) -> bool {
        board.game.ground.replay.unmet_goals(&board.state).is_empty()
    }

    fn cost(&self, board: &PlanningBoard, plan: &Plan<u32>) -> u64 {
        plan.0.iter().map(|&action| u64::from(board.game.ground.task.actions[action as usize].cost)).sum()
    }

    fn search(
        &self,
        board: &PlanningBoard,
        engine: PlanningEngine,
        job: &Job,
        found: AnswerSink<'_, Plan<u32>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        search::solve(board, engine, job, found)
    }

    fn plan_json(&self, board: &PlanningBoard, plan: &Plan<u32>) -> Value {
        let ground = &board.game.ground;
        let moves: Vec<String> = plan.0.iter().map(|&action| board.move_name(action)).collect();
        let fluents = |board: PlanningBoard| -> Vec<String> {
            board.state.iter().map(|&fluent| asp::to_text(ground.fluents[fluent as usize])).collect()
        };
        let states: Vec<Vec<String>> = self.boards_along(board, plan).into_iter().map(fluents).collect();
        json!({ "length": moves.len(), "cost": self.cost(board, plan), "moves": moves, "states": states })
    }

    fn describe_plans(&self, board: &PlanningBoard, plans: &[Plan<u32>], style: &Style) -> String {
        let drawing = match board.game.display.drawing(std::slice::from_ref(&board.state)) {
            Ok(drawing) => drawing.text(style),
            Err(_) => String::new(),
        };
        drawing + &list_moves(self, board, plans)
    }

    fn describe_move(&self, board: &PlanningBoard, action: u32) -> play::Move {
        play::Move::new(board.move_name(action), board.game.display.describe_move(action))
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities {
            program: Some(self),
            explain: Some(self),
            draw: Some(self),
            pieces: Some(self),
            ..PlanCapabilities::default()
        }
    }
}
