//! One-player games written as a logic program: one file in `games/` below a folder of encodings,
//! without any Rust.
//!
//! The program defines the fluents of the start, the conditions and effects of moves, and the goal
//! (`asp/games/step.lp` defines the atoms and plays them step by step). clingo grounds the program
//! once; [`crate::planning`] searches.
//!
//! | file | contents |
//! |---|---|
//! | `board.rs` | a game, and a state of it with its search task |
//! | `read.rs` | conversion of the ground program to a planning task |
//! | `replay.rs` | independent check of plans |
//! | `search.rs` | heuristics and engines |
//! | `generate.rs`, `rate.rs` | boards at a given distance from the goal, and exploration of all states |
//! | `display.rs` | drawings and descriptions of states and moves |

mod board;
mod display;
mod generate;
mod rate;
mod read;
mod replay;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::heuristic::HeuristicArgs;
use super::logic::{self, Catalogue, LogicPuzzle};
use super::native::{self, PathProof};
use super::one_player::{
    ChooseMove, DrawPlan, ExplainBoard, OnePlayer, Piece, Plan, PlanCapabilities, PlanProgram, PlanWords,
};
use super::{
    About, AnswerSink, AnyPuzzle, ClingoProgram, Describe, InputDocuments, InputTexts, InstanceUnit, OpenBoard,
    OptionReaders, Recognition, Role, RuleSupport, RunResult, UnsolvableCause, engines,
};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::drawing::{Lattice, Spot};
use crate::ending::{SearchEnd, Verdict};
use crate::job::{Job, Show};
use crate::picture::Picture;
use crate::play;
use crate::report::{Format, Style};
use crate::search::PlanVisitor;
use crate::sorting;
use crate::stop::CancelToken;
use crate::syntax;
use crate::why::{NativeExplanation, Part, PartKind};
use board::GroundedGame;
pub use board::{PlanningBoard, PlanningGame, PlanningOptions};
use display::GameDisplay;
use read::GameAtoms;
use replay::FluentSet;
pub use search::GameHeuristic;
use search::PlanningEngine;

/// The semantics of a game's atoms as an incremental program. The engine `asp` and the tests run it
/// together with a game.
pub const STEPS: &str = "games/step.lp";

/// The heuristic that the job names.
fn heuristic_of(job: &Job) -> Result<GameHeuristic, Failure> {
    job.options::<HeuristicArgs>().among("a game")
}

/// Wording for games whose moves have different costs.
const COSTS: PlanWords = PlanWords {
    unit: ["unit", "units"],
    best: ["cheapest solution", "cheapest solutions"],
    solved: "Solved at a cost of",
    optimality: "no solution costs less",
    bound: "No solution costs less than",
    custom_optimality: None,
};

/// The game that a file defines. There is one for each puzzle, since puzzles are never freed.
pub fn game_of(logic: &'static LogicPuzzle) -> &'static dyn AnyPuzzle {
    /// Keyed by the address of the puzzle.
    static KNOWN: Mutex<BTreeMap<usize, &'static PlanningGame>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock();
    *known.entry(std::ptr::from_ref(logic).addr()).or_insert_with(|| Box::leak(Box::new(PlanningGame(logic))))
}

/// Recognises the declaration of a game, which may be in included texts.
pub fn recognise_game(catalogue: &'static Catalogue, texts: InputTexts<'_>) -> Option<Recognition> {
    let game = LogicPuzzle::from_document(logic::GAMES_FOLDER, find_game(texts)?, catalogue);
    let roles = vec![Role::Instance; texts.documents.len()];
    Some(Recognition { entry: game_of(game), roles, is_guessed: false })
}

/// Returns the document that defines a game, if the programs among `documents` and their includes
/// derive the atoms of a game and do not refer to steps. Other requirements of a game are checked
/// when it is read.
///
/// Rules that have a start and a goal but lack moves or effects count as a broken game, unless
/// another rule uses the start or the goal.
fn find_game(texts: InputTexts<'_>) -> Option<&Document> {
    let InputTexts { documents, encodings, included } = texts;
    const START: [&str; 2] = ["init", "start"];
    const GOAL: [&str; 2] = ["goal", "goal_not"];
    fn heads(program: &Document) -> impl Iterator<Item = (&str, usize)> {
        syntax::statements(&program.text).into_iter().filter_map(|statement| statement.head)
    }
    let programs = || documents.iter().chain(included).filter(|document| logic::is_program(document));
    if !programs().any(|program| syntax::uses_any(&program.text, &["move", "adds", "removes"])) {
        return None;
    }
    let all: BTreeSet<(&str, usize)> = programs().flat_map(heads).collect();
    let derives = |names: &[&str], arities: &[usize]| {
        all.iter().any(|(name, arity)| names.contains(name) && arities.contains(arity))
    };
    // A program that refers to steps is not a game.
    let in_steps = |text: &str| {
        let arguments_of = |token: syntax::Token<'_>| syntax::arguments(&text[token.end()..]).0;
        syntax::tokens(text).any(|token| token.text == "#program" || token.text == "holds" && arguments_of(token) > 1)
    };
    let is_played = derives(&["occurs"], &[1, 2]) || derives(&["holds"], &[1]);
    let (has_moves, has_effects) = (derives(&["move"], &[1]), derives(&["adds", "removes"], &[2, 3]));
    let (has_start, has_goal) = (derives(&START, &[1]), derives(&GOAL, &[1]));
    // A game's moves have exactly one argument.
    let has_other_moves = !has_moves && all.iter().any(|(name, _)| *name == "move");
    let is_game = match (has_moves, has_effects) {
        (true, true) => has_start || has_goal || derives(&["needs", "forbids"], &[2]),
        (false, false) => false,
        // A program that reads the start and the goal may play the game by itself.
        _ => {
            let names = [START, GOAL].concat();
            has_start
                && has_goal
                && !has_other_moves
                && !programs().chain(encodings).any(|program| uses_outside_games(&program.text, &names))
        }
    };
    if !is_game || is_played || programs().any(|program| in_steps(&program.text)) {
        return None;
    }
    let has_moves = |document: &&Document| heads(document).any(|head| head == ("move", 1));
    documents.iter().find(has_moves).or_else(|| documents.iter().find(|document| logic::is_program(document)))
}

/// Returns true if a statement uses one of the predicates `names` to derive an atom that is not
/// part of a game.
fn uses_outside_games(text: &str, names: &[&str]) -> bool {
    syntax::statements(text).into_iter().any(|statement| {
        let words: Vec<&str> = syntax::words(&text[statement.range]).collect();
        let is_of_game = statement.head.is_some_and(|head| read::PREDICATES.contains(&head))
            || words.first().is_some_and(|word| *word == "#defined");
        !is_of_game && words.iter().any(|word| names.contains(word))
    })
}

impl Describe for PlanningGame {
    fn about(&self) -> About {
        const SEARCHES: &[&str] = &["astar", "bidirectional", "idastar", "bfs"];
        let about = self.0.description();
        About {
            // Shortest solutions are rarely unique.
            example: about.example.trim_end_matches(" --unique"),
            pictures: &[Format::Svg, Format::Html],
            has_options_for_answer_sets: false,
            instance_unit: InstanceUnit::Paragraph,
            input: "a text board with a line `puzzle NAME`, or facts",
            read_by: &[
                ("heuristic", OptionReaders::Engines(&["astar", "idastar"])),
                ("depth_limit", OptionReaders::Engines(&["astar", "bidirectional", "idastar", "bfs", "asp"])),
                ("node_limit", OptionReaders::Engines(SEARCHES)),
                ("threads", OptionReaders::Engines(&["idastar", "asp"])),
            ],
            rule_support: RuleSupport::Any,
            tools: self.0.own_tools(|| vec![Box::leak(Box::new(generate::GenerateGame(*self)))]),
            ..about
        }
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn has_alias(&self, name: &str) -> bool {
        self.0.has_alias(name)
    }

    fn recognise(&self, document: &Document) -> Role {
        self.0.recognise(document)
    }

    fn inputs(&self) -> &dyn InputDocuments {
        self.0.inputs()
    }
}

impl OpenBoard for PlanningGame {
    type Options = PlanningOptions;
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
}

impl OnePlayer for PlanningGame {
    /// The index of the move, in clingo's order.
    type Move = u32;

    const WORDS: PlanWords = PlanWords::MOVES;
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

    fn cost(&self, board: &PlanningBoard, plan: &Plan<u32>) -> u64 {
        plan.0.iter().map(|&action| u64::from(board.game.ground.task.actions[action as usize].cost)).sum()
    }

    fn check_options(&self, _: PlanningEngine, job: &Job) -> Result<(), Failure> {
        heuristic_of(job).map(drop)
    }

    fn search(
        &self,
        board: &PlanningBoard,
        engine: PlanningEngine,
        job: &Job,
        found: AnswerSink<'_, Plan<u32>>,
    ) -> Result<SearchEnd<PathProof>, Failure> {
        if engine == PlanningEngine::Asp {
            return engines::ask_clingo(*self, board, job, found);
        }
        let limits = native::limits(job);
        let named = heuristic_of(job)?;
        let task = board.search_task(&job.stop);
        if let Some(reason) = job.stop.requested() {
            return Ok(SearchEnd::of(Verdict::GaveUp(reason), false));
        }
        let task = &*task?;
        if board.obstacle(task, &job.stop).is_some() {
            return Ok(SearchEnd::of(Verdict::Impossible, true));
        }
        if matches!(engine, PlanningEngine::Bidirectional) && !task.supports_bidirectional() {
            let text = "the engine bidirectional needs reversible moves that cost 1, and a goal that is a single state";
            return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
        }
        if native::wants_several(job) && !task.has_positive_costs() {
            let text = "moves without a cost can be repeated endlessly, so best solutions cannot be counted";
            return Err(Diagnostic::error(Code::Unsupported, text).help("leave -n out").into());
        }
        if matches!(engine, PlanningEngine::Bfs) && !task.has_unit_costs() {
            let text = "the engine bfs counts moves, and the moves of this game differ in their costs";
            return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
        }
        if matches!(engine, PlanningEngine::Idastar) && !task.has_positive_costs() {
            let text = "the engine idastar does not terminate if moves cost nothing";
            return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
        }
        let all =
            |cost, limits: &_, visit: PlanVisitor<'_, u32>| Ok(search::find_all(task, cost, named, limits, visit));
        let best = search::find_best(task, engine, job.engine.name.is_some(), named, &limits);
        let mut ending = native::finish_all(best, 0, job, all, &limits, Plan, found)?;
        ending.warnings.extend(task.warnings());
        Ok(ending)
    }

    fn plan_json(&self, board: &PlanningBoard, plan: &Plan<u32>) -> Value {
        let ground = &board.game.ground;
        let moves: Vec<String> = plan.0.iter().map(|&action| board.move_name(action)).collect();
        let fluents = |board: PlanningBoard| -> Vec<String> {
            board.state.iter().map(|&fluent| asp::to_text(ground.fluents[fluent as usize])).collect()
        };
        let states: Vec<Vec<String>> = board.boards_along(plan).into_iter().map(fluents).collect();
        json!({ "length": moves.len(), "cost": self.cost(board, plan), "moves": moves, "states": states })
    }

    fn describe_plans(&self, board: &PlanningBoard, plans: &[Plan<u32>], style: &Style) -> String {
        let display = &board.game.display;
        let mut text = match display.drawing(std::slice::from_ref(&board.state)) {
            Ok(drawing) => drawing.text(style),
            Err(_) => String::new(),
        };
        for (number, plan) in plans.iter().enumerate() {
            if plans.len() > 1 {
                text += &format!("\nSolution {}\n", number + 1);
            }
            let width = plan.0.len().to_string().len();
            for (step, &action) in (1..).zip(&plan.0) {
                text += &format!("  {step:width$}. {}\n", display.describe_move(action));
            }
        }
        text
    }

    fn describe_impossible(&self, known: &RunResult<Self>) -> String {
        let nodes = match known.proof().reason {
            Some(_) => String::new(),
            None => native::nodes(known.proof()),
        };
        format!("{}{nodes}.", known.rules().verdict("The goal cannot be reached"))
    }

    fn not_proven(&self, solved: &str, known: &RunResult<Self>) -> String {
        format!("{solved}, perhaps not the best{}.", native::nodes(known.proof()))
    }

    fn describe_move(&self, board: &PlanningBoard, action: u32) -> play::Move {
        play::Move::new(board.move_name(action), board.game.display.describe_move(action))
    }

    fn plan_capabilities(&self) -> PlanCapabilities<'_, Self> {
        PlanCapabilities {
            program: Some(self),
            explain: Some(self),
            draw: Some(self),
            choose: Some(self),
            ..PlanCapabilities::default()
        }
    }
}

impl ClingoProgram<PlanningGame> for PlanningGame {
    fn program(&self, board: &PlanningBoard, _: &Job) -> Result<asp::Program, Failure> {
        if board.game.ground.task.actions.iter().any(|action| action.cost != 1) {
            let text = "clingo counts steps, and the moves of this game differ in their costs";
            return Err(Diagnostic::error(Code::Unsupported, text).help("--engine astar takes any game").into());
        }
        Ok(board.game.program.clone())
    }
}

impl PlanProgram<PlanningGame> for PlanningGame {
    fn has_steps(&self) -> bool {
        true
    }

    fn read_moves(&self, board: &PlanningBoard, atoms: &AnswerAtoms) -> Result<Vec<u32>, AtomError> {
        let mut rows = atoms.rows::<2>("occurs", "occurs(Move, Step)")?;
        sorting::sort_by_key(&mut rows, |row| row[1].number());
        if let Some((step, _)) = (1..).zip(&rows).find(|(step, row)| row[1].number() != Some(*step)) {
            return Err(AtomError(format!("step {step} does not have exactly one move")));
        }
        let number = |row: &[asp::Term; 2]| {
            let name = row[0].text();
            let known = (0..board.game.ground.moves.len() as u32).find(|&action| board.move_name(action) == name);
            known.ok_or_else(|| AtomError(format!("{name} is not a move")))
        };
        rows.iter().map(number).collect()
    }
}

impl ExplainBoard<PlanningGame> for PlanningGame {
    /// Names a cause if the fluents alone prove that the goal is unreachable. Otherwise the proof
    /// is that the search has explored all states.
    fn explain_unsolvable(&self, board: &PlanningBoard, stop: &CancelToken) -> Result<Option<PathProof>, Failure> {
        let part = |words: &String| Part {
            kind: PartKind::Rule,
            text: words.clone(),
            place: None,
            words: words.clone().into(),
        };
        // The board was searched before, so its states are known to fit.
        let Ok(task) = board.search_task(stop) else { return Ok(None) };
        Ok(board.obstacle(&task, stop).map(|words| {
            let cause = Some(UnsolvableCause { parts: words.iter().map(part).collect(), is_smallest: false });
            PathProof { cause, reason: Some(words.join("; ")), ..PathProof::default() }
        }))
    }

    fn rate(&self, board: &PlanningBoard, job: &Job) -> Result<Option<NativeExplanation>, Failure> {
        rate::rate(*self, board, job).map(Some)
    }

    fn reason(&self, board: &PlanningBoard, asked: &str) -> Result<Option<NativeExplanation>, Failure> {
        rate::reason(board, asked).map(Some)
    }
}

impl DrawPlan<PlanningGame> for PlanningGame {
    fn picture(&self, board: &PlanningBoard, plan: Option<&Plan<u32>>) -> Picture {
        let nothing = Plan(Vec::new());
        let plan = plan.unwrap_or(&nothing);
        let states: Vec<FluentSet> = board.boards_along(plan).into_iter().map(|board| board.state).collect();
        // An invalid drawing of the first state was reported when the board was read; a long plan
        // may be too large to draw.
        let drawn = board.game.display.drawing(&states).or_else(|_| board.game.display.drawing(&states[..1]));
        let mut picture = drawn.unwrap_or_default().grid_picture(self.name());
        let caption = |(step, &action): (usize, &u32)| {
            format!("{} of {}: {}", step + 1, plan.0.len(), board.game.display.describe_move(action))
        };
        picture.captions = ["the start".to_owned()].into_iter().chain(plan.0.iter().enumerate().map(caption)).collect();
        picture
    }
}

impl ChooseMove<PlanningGame> for PlanningGame {
    fn pieces(&self, board: &PlanningBoard) -> Vec<Piece<u32>> {
        let words = |(row, column): read::Position| format!("row {row}, column {column}");
        let at = |place: read::Position| Spot::Cell(place).bounds(Lattice::Squares);
        let legal = self.moves(board);
        let mut pieces: Vec<(read::Position, Piece<u32>)> = Vec::new();
        for &(action, from, to) in board.game.ground.clicks.iter().filter(|click| legal.contains(&click.0)) {
            let pick = || {
                let words = [format!("pick up what is at {}", words(from)), "put it back".to_owned()];
                (format!("pick({},{})", from.0, from.1), words)
            };
            let index = pieces.iter().position(|(place, _)| *place == from).unwrap_or_else(|| {
                let piece = Piece { at: at(from), words: words(from), moves: Vec::new(), pick: None };
                pieces.push((from, piece));
                pieces.len() - 1
            });
            let piece = &mut pieces[index].1;
            if to.is_some() && piece.pick.is_none() {
                piece.pick = Some(pick());
            }
            piece.moves.push((action, to.map(|to| (at(to), words(to)))));
        }
        pieces.into_iter().map(|(_, piece)| piece).collect()
    }
}
