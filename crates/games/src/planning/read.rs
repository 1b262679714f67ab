//! Converts the atoms of a ground program to a planning task. `asp/games/step.lp` defines the
//! atoms.

use std::ops::ControlFlow;

use asp::Symbol;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use base::syntax;
use puzzle::document_names;
use rustc_hash::FxHashMap;
use statespace::planning::{Action, Condition, Effect, Fluent, Task};
use statespace::search::Cost;

use super::replay::Replay;

/// The predicates of games and their arities.
pub const PREDICATES: [(&str, usize); 18] = [
    ("init", 1),
    ("start", 1),
    ("goal", 1),
    ("goal_not", 1),
    ("move", 1),
    ("cost", 2),
    ("needs", 2),
    ("forbids", 2),
    ("adds", 2),
    ("removes", 2),
    ("adds", 3),
    ("removes", 3),
    ("symmetry", 3),
    ("click", 3),
    ("click", 5),
    ("error", 1),
    ("error", 2),
    ("draw", 1),
];

/// The predicates of a move's effects.
const EFFECTS: [(&str, usize); 4] = [("adds", 2), ("adds", 3), ("removes", 2), ("removes", 3)];

/// The maximum cost of a move, so that sums of costs do not overflow.
const MAX_COST: Cost = 100_000;

/// The parts of a game's ground program.
pub struct GameAtoms {
    /// The terms of fluents and of moves, by index.
    pub fluents: Vec<Symbol>,
    pub moves: Vec<Symbol>,
    pub task: Task,
    pub replay: Replay,
    /// The moves by clicks: each move with the clicked cell and, if a second click is needed, the
    /// cell of that click.
    pub clicks: Vec<(u32, Position, Option<Position>)>,
    /// The atoms that hold in every state.
    pub facts: Vec<Symbol>,
}

/// Row and column, in the numbering of the game.
pub type Position = (i32, i32);

/// Numbers terms in the order of their first use.
#[derive(Default)]
struct TermTable {
    terms: Vec<Symbol>,
    numbers: FxHashMap<Symbol, u32>,
}

impl TermTable {
    fn number(&mut self, term: Symbol) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            self.terms.push(term);
            self.terms.len() as u32 - 1
        })
    }
}

impl GameAtoms {
    /// Grounds the part `base` of a program and reads its atoms.
    ///
    /// # Errors
    /// Fails with clingo's errors, if an atom of the game is not a fact, for invalid moves and
    /// costs, and for games without moves or goals.
    pub fn of(program: &asp::Program, settings: &asp::Settings, stop: &CancelToken) -> Result<GameAtoms, Failure> {
        let mut solver = asp::Solver::with_program(program, settings, stop)?;
        let mut atoms: FxHashMap<(&str, usize), Vec<Vec<Symbol>>> = FxHashMap::default();
        let mut known = solver.control().known_atoms()?;
        known.sort_unstable();
        let facts = known.iter().filter(|(_, is_fact)| *is_fact).map(|&(atom, _)| atom).collect();
        for (atom, is_fact) in known {
            let Some((name, arity)) = asp::signature_of(atom) else { continue };
            let Some(&predicate) = PREDICATES.iter().find(|known| **known == (name, arity)) else { continue };
            if predicate.0 == "draw" {
                continue;
            }
            if !is_fact {
                let text = format!(
                    "{} is not certain; a game has one answer set, without choices",
                    asp::to_text_truncated(atom)
                );
                return Err(Diagnostic::error(Code::InvalidInstance, text).into());
            }
            atoms.entry(predicate).or_default().push(atom.arguments()?);
        }
        if let Some(row) = [1, 2].iter().filter_map(|&arity| atoms.get(&("error", arity))).flatten().next() {
            let text = format!("{}: {}", document_names(&program.instance).join(", "), error_words(row));
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        // A board may have no moves, but a game has rules that derive them, perhaps in an included
        // file that only clingo reads.
        let has_rule = |heads: &[(&str, usize)]| {
            program.documents().any(|document| {
                syntax::statements(&document.text)
                    .iter()
                    .any(|statement| statement.head.is_some_and(|head| heads.contains(&head)))
                    || syntax::includes(&document.text).iter().any(|(_, file)| file.is_some())
            })
        };
        let is_derived = |heads: &[(&str, usize)]| heads.iter().any(|head| atoms.contains_key(head)) || has_rule(heads);
        let broken_game = |text: &str, expected: &str| {
            let help = format!("expected {expected}; `--puzzle program` solves the rules as any logic program");
            Err(Diagnostic::error(Code::InvalidInstance, format!("the game is broken: {text}")).help(help).into())
        };
        if !is_derived(&[("move", 1)]) {
            return broken_game("no rule derives a move", "`move(M)`, for each move M");
        }
        if !is_derived(&EFFECTS) {
            return broken_game(
                "no move changes anything",
                "`adds(M,F)` or `removes(M,F)`, for a move M and a fluent F",
            );
        }
        let solved = solver.solve(&[], |_| ControlFlow::Break(()))?;
        if solved.result.unsatisfiable {
            let text = "the program of the game has no answer set: a constraint speaks of the board, not of its moves";
            return Err(Diagnostic::error(Code::InvalidInstance, text)
                .help("the game's rules derive `error(Text)` for an invalid board")
                .into());
        }
        Ok(GameAtoms { facts, ..GameAtoms::of_atoms(&atoms)? })
    }

    fn of_atoms(atoms: &Atoms<'_>) -> Result<GameAtoms, Failure> {
        let mut reader = TaskReader::of(atoms)?;
        reader.read_costs()?;
        reader.read_conditions()?;
        reader.read_symmetries()?;
        let clicks = reader.clicks()?;
        let TaskReader { fluents, moves, task, .. } = reader;
        let replay = Replay::of(&fluents.terms, &moves.terms, atoms);
        Ok(GameAtoms { fluents: fluents.terms, moves: moves.terms, task, replay, clicks, facts: Vec::new() })
    }
}

/// For each predicate and arity, the arguments of its atoms.
type Atoms<'a> = FxHashMap<(&'a str, usize), Vec<Vec<Symbol>>>;

fn invalid(text: String) -> Failure {
    Diagnostic::error(Code::InvalidInstance, text).into()
}

/// Builds a task from atoms. Numbers the fluents in the order in which they are read.
struct TaskReader<'a> {
    atoms: &'a Atoms<'a>,
    fluents: TermTable,
    moves: TermTable,
    task: Task,
}

impl<'a> TaskReader<'a> {
    /// Reads the moves, the start and the goal.
    fn of(atoms: &'a Atoms<'a>) -> Result<Self, Failure> {
        let mut reader =
            TaskReader { atoms, fluents: TermTable::default(), moves: TermTable::default(), task: Task::default() };
        if reader.rows("goal", 1).is_empty() && reader.rows("goal_not", 1).is_empty() {
            return Err(invalid("there is no goal: expected `goal(F)` or `goal_not(F)`".to_owned()));
        }
        for row in reader.rows("move", 1) {
            reader.moves.number(row[0]);
        }
        reader.task.actions = vec![Action { cost: 1, ..Action::default() }; reader.moves.terms.len()];
        let start = if reader.rows("start", 1).is_empty() { "init" } else { "start" };
        reader.task.start = reader.all_fluents(start);
        reader.task.goal = Condition { holds: reader.all_fluents("goal"), fails: reader.all_fluents("goal_not") };
        Ok(reader)
    }

    fn rows(&self, name: &'static str, arity: usize) -> &'a [Vec<Symbol>] {
        self.atoms.get(&(name, arity)).map_or(&[], Vec::as_slice)
    }

    fn all_fluents(&mut self, name: &'static str) -> Vec<Fluent> {
        self.rows(name, 1).iter().map(|row| self.fluents.number(row[0])).collect()
    }

    /// Returns the number of the move that is the first argument of an atom.
    fn action(&self, name: &str, row: &[Symbol]) -> Result<usize, Failure> {
        let number = self.moves.numbers.get(&row[0]).map(|&number| number as usize);
        number.ok_or_else(|| {
            let action = asp::to_text_truncated(row[0]);
            let text = format!("{name}({action},…): {action} is not a move");
            Diagnostic::error(Code::InvalidInstance, text).help(format!("expected move({action})")).into()
        })
    }

    fn read_costs(&mut self) -> Result<(), Failure> {
        let mut costs: FxHashMap<usize, Cost> = FxHashMap::default();
        for row in self.rows("cost", 2) {
            let action = self.action("cost", row)?;
            let cost = row[1].number().ok().and_then(|cost| Cost::try_from(cost).ok());
            let Some(cost) = cost.filter(|&cost| cost <= MAX_COST) else {
                let (action, cost) = (asp::to_text_truncated(row[0]), asp::to_text_truncated(row[1]));
                return Err(invalid(format!("{action} costs {cost}; expected an integer from 0 to {MAX_COST}")));
            };
            if costs.insert(action, cost).is_some_and(|other| other != cost) {
                return Err(invalid(format!("{} has two costs; expected one", asp::to_text_truncated(row[0]))));
            }
            self.task.actions[action].cost = cost;
        }
        Ok(())
    }

    /// Reads the preconditions and the effects of the moves.
    fn read_conditions(&mut self) -> Result<(), Failure> {
        for row in self.rows("needs", 2) {
            let action = self.action("needs", row)?;
            self.task.actions[action].precondition.holds.push(self.fluents.number(row[1]));
        }
        for row in self.rows("forbids", 2) {
            let action = self.action("forbids", row)?;
            self.task.actions[action].precondition.fails.push(self.fluents.number(row[1]));
        }
        for (name, arity) in EFFECTS {
            for row in self.rows(name, arity) {
                let action = self.action(name, row)?;
                let fluent = self.fluents.number(row[1]);
                let condition = row.get(2).map(|&condition| self.fluents.number(condition));
                self.task.actions[action].effects.push(Effect { fluent, holds: name == "adds", condition });
            }
        }
        Ok(())
    }

    /// Reads the symmetries, whose fluents are the last ones to be numbered.
    fn read_symmetries(&mut self) -> Result<(), Failure> {
        let mut symmetries = TermTable::default();
        let mut pairs: Vec<Vec<(Fluent, Fluent)>> = Vec::new();
        for row in self.rows("symmetry", 3) {
            let number = symmetries.number(row[0]) as usize;
            pairs.resize(pairs.len().max(number + 1), Vec::new());
            pairs[number].push((self.fluents.number(row[1]), self.fluents.number(row[2])));
        }
        self.task.fluents = self.fluents.terms.len();
        for pairs in pairs {
            let mut symmetry: Vec<Fluent> = (0..self.task.fluents as Fluent).collect();
            for (fluent, image) in pairs {
                symmetry[fluent as usize] = image;
            }
            self.task.symmetries.push(symmetry);
        }
        match self.task.invalid_symmetry() {
            Some(number) => {
                let name = asp::to_text_truncated(symmetries.terms[number]);
                Err(invalid(format!(
                    "symmetry({name},…) is not a symmetry: it must permute the fluents and map the moves, their costs and the goal to themselves"
                )))
            }
            None => Ok(()),
        }
    }

    /// Returns the moves that clicks make, with the cell of the first click and that of the second.
    fn clicks(&self) -> Result<Vec<(u32, Position, Option<Position>)>, Failure> {
        let rows = [3, 5].into_iter().flat_map(|arity| self.rows("click", arity));
        let click = |row: &Vec<Symbol>| {
            let action = self.action("click", row)? as u32;
            let numbers = row[1..].iter().map(|term| term.number().ok()).collect::<Option<Vec<i32>>>();
            match numbers.as_deref() {
                Some(&[row, column]) => Ok((action, (row, column), None)),
                Some(&[row, column, to_row, to_column]) => Ok((action, (row, column), Some((to_row, to_column)))),
                _ => {
                    let action = asp::to_text_truncated(row[0]);
                    Err(invalid(format!("click({action},…): expected rows and columns as numbers")))
                }
            }
        };
        rows.map(click).collect()
    }
}

/// Returns the message of an atom `error/1` or `error/2`: each `%` of the text stands for an
/// argument of the tuple, or else the term follows the text.
fn error_words(arguments: &[asp::Symbol]) -> String {
    let mut words = arguments.iter().map(|&term| asp::to_text_truncated(term).replace('"', ""));
    let text = words.next().unwrap_or_default();
    let places = text.matches('%').count();
    let values = arguments.get(1).filter(|_| places > 0).and_then(|term| term.arguments().ok()).unwrap_or_default();
    if values.is_empty() || places != values.len() {
        return [text].into_iter().chain(words).collect::<Vec<_>>().join(": ");
    }
    // A value may contain a % itself.
    let values = values.iter().map(|&value| asp::to_text_truncated(value)).chain([String::new()]);
    text.split('%').zip(values).map(|(piece, value)| format!("{piece}{value}")).collect()
}
