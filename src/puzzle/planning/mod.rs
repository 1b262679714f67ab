//! A one-player game that is one logic program: a file in `games/` below a folder of encodings, and nothing in Rust.
//!
//! The program says which fluents hold at the start, what a move needs and changes, and what the goal is (`asp/games/step.lp`
//! defines the atoms, and runs them step by step). clingo grounds it once; [`crate::planning`] searches.
//!
//! | file | what it holds |
//! |---|---|
//! | `read.rs` | the atoms of the ground program as a planning task |
//! | `replay.rs` | the same atoms as the rules by which a plan is checked |
//! | `search.rs` | heuristics and engines |
//! | `generate.rs`, `rate.rs` | boards so many moves from the goal, and all states of a board |
//! | `shown.rs` | drawings and words of states and moves |

mod generate;
mod rate;
mod read;
mod replay;
mod search;
mod shown;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clap::Args;
use serde_json::{Value, json};

use super::engines::{Engine, Rung};
use super::guided::{Guided, Heuristic};
use super::logic::{self, Logic};
use super::native::{self, Proof};
use super::one_player::{OnePlayer, Way, Words};
use super::playing::Piece;
use super::{About, Because, Entry, Fits, Found, OfFile, Puzzle, Readers, Role, Solved, Tool};
use crate::asp::{self, AnswerAtoms, AtomError};
use crate::cache::Cache;
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::drawing::{Lattice, Spot};
use crate::ending::{Ending, Verdict};
use crate::job::{Job, Show};
use crate::picture::Picture;
use crate::planning::{Obstacle, Prepared, Task, TooLarge};
use crate::played;
use crate::report::{Format, Style};
use crate::search::Visit;
use crate::sorting;
use crate::stop::Stop;
use crate::syntax;
use crate::why::{Kind, Part, Told};
use read::Ground;
use replay::{Lack, State};
use shown::Shown;

/// Below a folder of encodings.
pub const FOLDER: &str = "games";
/// What the atoms of a game mean, as a program in steps; with a game it is what clingo solves and what tests run.
pub const STEPS: &str = "games/step.lp";

/// Heuristics that any game has.
const HEURISTICS: [Heuristic; 6] =
    [Heuristic::Auto, Heuristic::Blind, Heuristic::Hmax, Heuristic::Lmcut, Heuristic::Pdb, Heuristic::Potentials];

/// Of solutions whose costs are added up.
const COSTS: Words = Words {
    unit: ["unit", "units"],
    best: ["cheapest solution", "cheapest solutions"],
    solved: "Solved at a cost of",
    none_better: "no solution costs less",
    bound: "No solution costs less than",
};

/// A game, as its file describes it.
#[derive(Clone, Copy)]
pub struct Planning(&'static Logic);

impl PartialEq for Planning {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

/// A game that was grounded.
struct Game {
    program: asp::Program,
    ground: Ground,
    shown: Shown,
    cache: Cache,
}

/// A state of a game.
#[derive(Clone)]
pub struct Board {
    game: Arc<Game>,
    state: State,
    /// The game from this state on, once all of the preparation was done.
    prepared: Arc<OnceLock<Arc<Prepared>>>,
}

/// Boards of one game differ in the state alone.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl Board {
    fn of(game: Arc<Game>, state: State) -> Board {
        Board { game, state, prepared: Arc::default() }
    }

    /// Ready to be searched. What is left undone under a request to stop is done again later.
    ///
    /// # Errors
    /// A state is too wide, or was not made narrow under a request to stop.
    fn prepared(&self, stop: &Stop) -> Result<Arc<Prepared>, Failure> {
        let make = || {
            let task = Task { start: self.state.iter().copied().collect(), ..self.game.ground.task.clone() };
            let made = Prepared::of(task, stop).map_err(|TooLarge { words }| {
                Diagnostic::error(match stop.requested() {
                    Some(reason) => format!("the game was not prepared: {}", reason.words()),
                    None => format!("a state takes {words} words of 64 bits; at most 64 were wanted"),
                })
            })?;
            Ok(Arc::new(made.with_cache(self.game.cache.clone())))
        };
        stop.kept(&self.prepared, make).map(Cow::into_owned)
    }

    /// Why the goal cannot be reached, where no state but this one has to be looked at.
    fn obstacle(&self, prepared: &Prepared, stop: &Stop) -> Option<Vec<String>> {
        let shown = &self.game.shown;
        let fluent = |(fluent, holds)| shown.of_fluent(fluent, holds);
        match prepared.obstacle() {
            Some(Obstacle::Never(one, holds)) => {
                Some(vec![format!("the goal wants: {}; no moves lead to that", fluent((one, holds)))])
            }
            Some(Obstacle::Exclude(one, other)) => {
                Some(vec![format!("the goal wants: {}; {}; no moves lead to both", fluent(one), fluent(other))])
            }
            None => prepared.invariant(stop).and_then(|invariant| {
                let (start, goal) = self.game.ground.replay.excludes_goal(&self.state, &invariant)?;
                Some(shown.of_invariant(&invariant, start, goal))
            }),
        }
    }

    /// The boards on a way, this one first.
    fn along(&self, way: &Way<u32>) -> Vec<Board> {
        let mut boards = vec![self.clone()];
        for &action in &way.0 {
            boards.push(boards[boards.len() - 1].after(&[action]));
        }
        boards
    }

    /// The board after some moves, which can be made.
    fn after(&self, moves: &[u32]) -> Board {
        let replay = &self.game.ground.replay;
        let state = moves.iter().fold(self.state.clone(), |state, &action| replay.after(&state, action).0);
        Board::of(self.game.clone(), state)
    }

    /// The boards from which a move leads here.
    fn before(&self) -> Vec<Board> {
        let replay = &self.game.ground.replay;
        let all = 0..self.game.ground.moves.len() as u32;
        let states = all.filter_map(|action| replay.before(&self.state, action));
        states.map(|state| Board::of(self.game.clone(), state)).collect()
    }

    fn name(&self, action: u32) -> String {
        asp::to_text(self.game.ground.moves[action as usize])
    }

    /// What is against a move or a goal, in words.
    fn lacks(&self, lacks: &[Lack]) -> Vec<String> {
        lacks.iter().map(|lack| self.game.shown.of_fluent(lack.fluent, lack.holds)).collect()
    }
}

impl Planning {
    fn of(logic: Logic) -> Planning {
        Planning(Box::leak(Box::new(logic)))
    }
}

/// The games of these files and those that ship, by name.
pub fn entries(files: &[OfFile]) -> Vec<&'static dyn Entry> {
    let games = logic::in_folder(FOLDER, files).into_iter().map(Planning::of);
    games.map(|game| &*Box::leak(Box::new(game)) as &'static dyn Entry).collect()
}

/// The game of a file that lies anywhere.
pub fn of_document(document: &Document) -> &'static dyn Entry {
    /// By the address of what the file describes, which stays for good.
    static KNOWN: Mutex<BTreeMap<usize, &'static Planning>> = Mutex::new(BTreeMap::new());
    let logic = Logic::of_document(FOLDER, document);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(std::ptr::from_ref(logic).addr()).or_insert_with(|| Box::leak(Box::new(Planning(logic))))
}

/// The text that names the game, where the programs among these and what they include derive what makes one, and say
/// nothing of the steps in which it is played. What else a game must have is told when it is read.
///
/// Rules that have a start and a goal, and lack the moves or what they change, are a game that is broken, unless something
/// else in them reads what they have.
pub fn game_in<'a>(documents: &'a [Document], own: &[Document], included: &[Document]) -> Option<&'a Document> {
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
    // What holds in a step is of no game, in which no step is named.
    let in_steps = |text: &str| {
        let arguments_of = |token: syntax::Token<'_>| syntax::arguments(&text[token.end()..]).0;
        syntax::tokens(text).any(|token| token.text == "#program" || token.text == "holds" && arguments_of(token) > 1)
    };
    let is_played = derives(&["occurs"], &[1, 2]) || derives(&["holds"], &[1]);
    let (has_moves, has_effects) = (derives(&["move"], &[1]), derives(&["adds", "removes"], &[2, 3]));
    let (has_start, has_goal) = (derives(&START, &[1]), derives(&GOAL, &[1]));
    // Moves of several arguments are none of a game.
    let has_other_moves = !has_moves && all.iter().any(|(name, _)| *name == "move");
    let is_game = match (has_moves, has_effects) {
        (true, true) => has_start || has_goal || derives(&["needs", "forbids"], &[2]),
        (false, false) => false,
        // What reads the start and the goal may be a program that plays by itself.
        _ => {
            let names = [START, GOAL].concat();
            has_start
                && has_goal
                && !has_other_moves
                && !programs().chain(own).any(|program| reads(&program.text, &names))
        }
    };
    if !is_game || is_played || programs().any(|program| in_steps(&program.text)) {
        return None;
    }
    let has_moves = |document: &&Document| heads(document).any(|head| head == ("move", 1));
    documents.iter().find(has_moves).or_else(|| documents.iter().find(|document| logic::is_program(document)))
}

/// Whether a statement uses one of the predicates to derive something that is not of a game.
fn reads(text: &str, names: &[&str]) -> bool {
    syntax::statements(text).into_iter().any(|statement| {
        let words: Vec<&str> = syntax::words(&text[statement.range]).collect();
        let is_of_game = statement.head.is_some_and(|head| read::PREDICATES.contains(&head))
            || words.first().is_some_and(|word| *word == "#defined");
        !is_of_game && words.iter().any(|word| names.contains(word))
    })
}

impl OnePlayer for Planning {
    type Options = Options;
    type Board = Board;
    /// Its number among the moves of the game, in clingo's order.
    type Move = u32;

    const WORDS: Words = Words::MOVES;
    const ENGINES: &'static [Rung<Self>] = &[
        Rung::of(Engine::Astar),
        Rung::of(Engine::Bidirectional),
        Rung::of(Engine::Idastar),
        Rung::of(Engine::Bfs),
        Rung::of(Engine::Asp),
    ];
    const HAS_STEPS: bool = true;
    const LOOKED_AT: usize = 200;

    fn name(&self) -> &'static str {
        Puzzle::name(self.0)
    }

    fn about(&self) -> About {
        const SEARCHES: &[&str] = &["astar", "bidirectional", "idastar", "bfs"];
        let about = Puzzle::about(self.0);
        About {
            // Of shortest solutions there may be many.
            example: about.example.trim_end_matches(" --unique"),
            pictures: &[Format::Svg, Format::Html],
            has_options_for_answer_sets: false,
            fits: Fits::Paragraph,
            input: "a text board with a line `puzzle NAME`, or facts",
            read_by: &[
                ("heuristic", Readers::Engines(&["astar", "idastar"])),
                ("depth_limit", Readers::Engines(&["astar", "bidirectional", "idastar", "bfs", "asp"])),
                ("node_limit", Readers::Engines(SEARCHES)),
                ("threads", Readers::Engines(&["idastar", "asp"])),
            ],
            ..about
        }
    }

    /// Where each move costs 1, costs are moves.
    fn words(&self, board: &Board) -> Words {
        match board.game.ground.task.actions.iter().all(|action| action.cost == 1) {
            true => Words::MOVES,
            false => COSTS,
        }
    }

    fn knows_any_rules(&self) -> bool {
        true
    }

    fn is_called(&self, name: &str) -> bool {
        Puzzle::is_called(self.0, name)
    }

    fn recognise(&self, document: &Document) -> Role {
        Puzzle::recognise(self.0, document)
    }

    fn needs_no_name(&self) -> bool {
        Puzzle::needs_no_name(self.0)
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        Puzzle::programs(self.0, documents)
    }

    fn resembles(&self, _: &Document) -> f64 {
        0.0
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let program = Puzzle::parse(self.0, job)?.into_program();
        let ground = Ground::of(&program, &job.settings, &job.stop)?;
        let shown = Shown::of(&program, &job.settings, &ground, &job.stop);
        let state = ground.replay.start.clone();
        if matches!(job.show, Show::Pictures | Show::Page) {
            let drawing = shown.drawing(std::slice::from_ref(&state))?;
            if drawing.is_empty() {
                let text = "there is no picture: rules must derive `draw(…)` from `holds(F)`";
                return Err(Diagnostic::error(text).into());
            }
        }
        Ok(Board::of(Arc::new(Game { program, ground, shown, cache: job.cache.clone() }), state))
    }

    fn moves(&self, board: &Board) -> Vec<u32> {
        board.game.ground.replay.moves(&board.state)
    }

    fn make(&self, board: &mut Board, action: u32) -> Result<u64, String> {
        let replay = &board.game.ground.replay;
        let against = replay.against(&board.state, action);
        if !against.is_empty() {
            return Err(format!("{} cannot be made: {}", board.name(action), board.lacks(&against).join(", ")));
        }
        let (state, cost) = replay.after(&board.state, action);
        *board = Board::of(board.game.clone(), state);
        Ok(cost)
    }

    fn is_goal(&self, board: &Board) -> Result<(), String> {
        let short = board.game.ground.replay.short_of_goal(&board.state);
        if short.is_empty() { Ok(()) } else { Err(board.lacks(&short).join(", ")) }
    }

    fn cost(&self, board: &Board, way: &Way<u32>) -> u64 {
        way.0.iter().map(|&action| u64::from(board.game.ground.task.actions[action as usize].cost)).sum()
    }

    fn takes(&self, _: Engine, job: &Job) -> Result<(), Failure> {
        job.options::<Guided>().heuristic().is_of("a game", &HEURISTICS)
    }

    fn usual(&self, board: &Board, job: &Job) -> Engine {
        let is_named = job.options::<Guided>().heuristic() != Heuristic::Auto;
        match board.prepared(&job.stop) {
            Ok(prepared) if prepared.goes_both_ways() && prepared.is_reversible() && !is_named => Engine::Bidirectional,
            _ => Engine::Astar,
        }
    }

    fn search(
        &self,
        board: &Board,
        engine: Engine,
        job: &Job,
        found: Found<'_, Way<u32>>,
    ) -> Result<Ending<Proof>, Failure> {
        let (limits, named) = (native::limits(job), job.options::<Guided>().heuristic());
        let prepared = board.prepared(&job.stop);
        if let Some(reason) = job.stop.requested() {
            return Ok(Ending::of(Verdict::GaveUp(reason), false));
        }
        let prepared = &*prepared?;
        if board.obstacle(prepared, &job.stop).is_some() {
            return Ok(Ending::of(Verdict::Impossible, true));
        }
        if matches!(engine, Engine::Bidirectional) && !prepared.goes_both_ways() {
            let text = "the engine bidirectional needs reversible moves that cost 1, and a goal that is a single state";
            return Err(Diagnostic::error(text).help("--engine astar takes any game").into());
        }
        if native::wants_more(job) && !prepared.costs_something() {
            let text = "moves that cost nothing may be made again and again, so that best solutions cannot be counted";
            return Err(Diagnostic::error(text).help("leave -n out").into());
        }
        if matches!(engine, Engine::Bfs) && !prepared.is_even() {
            let text = "the engine bfs counts moves, and the moves of this game differ in their costs";
            return Err(Diagnostic::error(text).help("--engine astar takes any game").into());
        }
        if matches!(engine, Engine::Idastar) && !prepared.costs_something() {
            let text = "the engine idastar does not end if moves cost nothing";
            return Err(Diagnostic::error(text).help("--engine astar takes any game").into());
        }
        let all = |cost, limits: &_, visit: Visit<'_, u32>| Ok(search::all(prepared, cost, named, limits, visit));
        let best = search::best(prepared, engine, job.engine.is_some(), named, &limits);
        let mut ending = native::finish_all(best, 0, job, all, &limits, Way, found)?;
        ending.warnings.extend(prepared.warnings());
        Ok(ending)
    }

    /// Where the fluents alone show it; else all states were looked at.
    fn cause(&self, board: &Board, stop: &Stop) -> Result<Option<Proof>, Failure> {
        let part = |words: &String| Part { kind: Kind::Rule, text: words.clone(), place: None, words: words.clone() };
        // It was searched, so that it is not too wide.
        let Ok(prepared) = board.prepared(stop) else { return Ok(None) };
        Ok(board.obstacle(&prepared, stop).map(|words| {
            let because = Some(Because { parts: words.iter().map(part).collect(), is_smallest: false });
            Proof { because, cause: Some(words.join("; ")), ..Proof::default() }
        }))
    }

    fn program(&self, board: &Board, _: &Job) -> Result<asp::Program, Failure> {
        if board.game.ground.task.actions.iter().any(|action| action.cost != 1) {
            let text = "clingo counts steps, and the moves of this game differ in their costs";
            return Err(Diagnostic::error(text).help("--engine astar takes any game").into());
        }
        Ok(board.game.program.clone())
    }

    fn read(&self, board: &Board, atoms: &AnswerAtoms) -> Result<Vec<u32>, AtomError> {
        let mut rows = atoms.rows::<2>("occurs", "occurs(Move, Step)")?;
        sorting::sort_by_key(&mut rows, |row| row[1].number());
        if let Some((step, _)) = (1..).zip(&rows).find(|(step, row)| row[1].number() != Some(*step)) {
            return Err(AtomError(format!("no move, or not one alone, is made in step {step}")));
        }
        let number = |row: &[asp::Term; 2]| {
            let name = row[0].text();
            let known = (0..board.game.ground.moves.len() as u32).find(|&action| board.name(action) == name);
            known.ok_or_else(|| AtomError(format!("{name} is not a move")))
        };
        rows.iter().map(number).collect()
    }

    fn json(&self, board: &Board, way: &Way<u32>) -> Value {
        let ground = &board.game.ground;
        let moves: Vec<String> = way.0.iter().map(|&action| board.name(action)).collect();
        let fluents = |board: Board| -> Vec<String> {
            board.state.iter().map(|&fluent| asp::to_text(ground.fluents[fluent as usize])).collect()
        };
        let states: Vec<Vec<String>> = board.along(way).into_iter().map(fluents).collect();
        json!({ "length": moves.len(), "cost": self.cost(board, way), "moves": moves, "states": states })
    }

    fn ways(&self, board: &Board, ways: &[Way<u32>], style: &Style) -> String {
        let shown = &board.game.shown;
        let mut text = match shown.drawing(std::slice::from_ref(&board.state)) {
            Ok(drawing) => drawing.text(style),
            Err(_) => String::new(),
        };
        for (number, way) in ways.iter().enumerate() {
            if ways.len() > 1 {
                text += &format!("\nSolution {}\n", number + 1);
            }
            let width = way.0.len().to_string().len();
            for (step, &action) in (1..).zip(&way.0) {
                text += &format!("  {step:width$}. {}\n", shown.of_move(action));
            }
        }
        text
    }

    fn impossible(&self, known: &Solved<Self>) -> String {
        let nodes = match known.proof().cause {
            Some(_) => String::new(),
            None => native::nodes(known.proof()),
        };
        format!("{}{nodes}.", known.rules().verdict("The goal cannot be reached"))
    }

    fn not_proven(&self, solved: &str, known: &Solved<Self>) -> String {
        format!("{solved}, perhaps not the best{}.", native::nodes(known.proof()))
    }

    fn picture(&self, board: &Board, way: Option<&Way<u32>>) -> Picture {
        let nothing = Way(Vec::new());
        let way = way.unwrap_or(&nothing);
        let states: Vec<State> = board.along(way).into_iter().map(|board| board.state).collect();
        // What is wrong with the drawing of one state was told when the board was read; many may be too many to draw.
        let drawn = board.game.shown.drawing(&states).or_else(|_| board.game.shown.drawing(&states[..1]));
        let mut picture = drawn.unwrap_or_default().grid_picture(OnePlayer::about(self).name);
        let told = |(step, &action): (usize, &u32)| {
            format!("{} of {}: {}", step + 1, way.0.len(), board.game.shown.of_move(action))
        };
        picture.captions = ["the start".to_owned()].into_iter().chain(way.0.iter().enumerate().map(told)).collect();
        picture
    }

    fn rate(&self, board: &Board, job: &Job) -> Result<Option<Told>, Failure> {
        rate::rate(*self, board, job).map(Some)
    }

    fn reason(&self, board: &Board, asked: &str) -> Result<Option<Told>, Failure> {
        rate::reason(board, asked).map(Some)
    }

    fn tools(&self) -> &'static [&'static dyn Tool] {
        self.0.own_tool(|| Box::leak(Box::new(generate::Generate(*self))))
    }

    fn told(&self, board: &Board, action: u32) -> played::Move {
        played::Move::new(board.name(action), board.game.shown.of_move(action))
    }

    fn pieces(&self, board: &Board) -> Vec<Piece<u32>> {
        let words = |(row, column): read::Place| format!("row {row}, column {column}");
        let at = |place: read::Place| Spot::Cell(place).at(Lattice::Squares);
        let can = OnePlayer::moves(self, board);
        let mut pieces: Vec<(read::Place, Piece<u32>)> = Vec::new();
        for &(action, from, to) in board.game.ground.clicks.iter().filter(|click| can.contains(&click.0)) {
            let pick = || {
                let is_there = [format!("pick up what is at {}", words(from)), "put it back".to_owned()];
                (format!("pick({},{})", from.0, from.1), is_there)
            };
            let known = pieces.iter().position(|(place, _)| *place == from).unwrap_or_else(|| {
                let piece = Piece { at: at(from), words: words(from), moves: Vec::new(), pick: None };
                pieces.push((from, piece));
                pieces.len() - 1
            });
            let piece = &mut pieces[known].1;
            if to.is_some() && piece.pick.is_none() {
                piece.pick = Some(pick());
            }
            piece.moves.push((action, to.map(|to| (at(to), words(to)))));
        }
        pieces.into_iter().map(|(_, piece)| piece).collect()
    }
}
