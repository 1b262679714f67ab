//! A game as its ground program says it: what its atoms mean is in `asp/games/step.lp`.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::replay::Replay;
use crate::asp::{self, Symbol};
use crate::diagnostic::{Diagnostic, Failure};
use crate::planning::{Action, Condition, Effect, Fluent, Task};
use crate::puzzle::names;
use crate::search::Cost;
use crate::stop::Stop;
use crate::syntax;

/// Predicates of games, with their arities.
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

/// What a move changes.
const EFFECTS: [(&str, usize); 4] = [("adds", 2), ("adds", 3), ("removes", 2), ("removes", 3)];

/// Of a move: sums of costs must fit a number.
const MOST_COST: Cost = 100_000;

/// What a ground program says of a game.
pub struct Ground {
    /// The terms of fluents, of moves and of symmetries, by their numbers.
    pub fluents: Vec<Symbol>,
    pub moves: Vec<Symbol>,
    pub task: Task,
    pub replay: Replay,
    /// Each move that a click offers: the cell, and the one that it goes to.
    pub clicks: Vec<(u32, Place, Option<Place>)>,
    /// All that holds whatever the state.
    pub facts: Vec<Symbol>,
}

/// Row and column.
pub type Place = (i32, i32);

/// Terms by the order of their first use.
#[derive(Default)]
struct Names {
    terms: Vec<Symbol>,
    numbers: FxHashMap<Symbol, u32>,
}

impl Names {
    fn number(&mut self, term: Symbol) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            self.terms.push(term);
            self.terms.len() as u32 - 1
        })
    }
}

impl Ground {
    /// Grounds the part `base` of a program and reads its atoms.
    ///
    /// # Errors
    /// Those of clingo; an atom of the game that is not certain; what is no move, or no cost; a game without moves or goals.
    pub fn of(program: &asp::Program, settings: &asp::Settings, stop: &Stop) -> Result<Ground, Failure> {
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
                let text = format!("{} is not certain; a game has one answer set, without choices", asp::brief(atom));
                return Err(Diagnostic::error(text).into());
            }
            atoms.entry(predicate).or_default().push(atom.arguments()?);
        }
        if let Some(row) = [1, 2].iter().filter_map(|&arity| atoms.get(&("error", arity))).flatten().next() {
            let words: Vec<String> = row.iter().map(|&term| asp::brief(term)).collect();
            let text = format!("{}: {}", names(&program.instance).join(", "), words.join(": ").replace('"', ""));
            return Err(Diagnostic::error(text).into());
        }
        // A board may have no moves; a game has rules for them, which may stand in a file that clingo alone has read.
        let has_rule = |heads: &[(&str, usize)]| {
            program.documents().any(|document| {
                syntax::statements(&document.text).iter().any(|one| one.head.is_some_and(|head| heads.contains(&head)))
                    || syntax::includes(&document.text).iter().any(|(_, file)| file.is_some())
            })
        };
        let is_there = |heads: &[(&str, usize)]| heads.iter().any(|head| atoms.contains_key(head)) || has_rule(heads);
        let broken = |text: &str, expected: &str| {
            let help = format!("expected {expected}; `--puzzle program` solves the rules as any logic program");
            Err(Diagnostic::error(format!("the game is broken: {text}")).help(help).into())
        };
        if !is_there(&[("move", 1)]) {
            return broken("no rule derives a move", "`move(M)`, for each move M");
        }
        if !is_there(&EFFECTS) {
            return broken("no move changes anything", "`adds(M,F)` or `removes(M,F)`, for a move M and a fluent F");
        }
        let solved = solver.solve(&[], |_| ControlFlow::Break(()))?;
        if solved.result.unsatisfiable {
            let text = "the program of the game has no answer set: a constraint speaks of the board, not of its moves";
            return Err(Diagnostic::error(text)
                .help("the game's rules derive `error(Text)` for an invalid board")
                .into());
        }
        Ok(Ground { facts, ..Ground::of_atoms(&atoms)? })
    }

    fn of_atoms(atoms: &FxHashMap<(&str, usize), Vec<Vec<Symbol>>>) -> Result<Ground, Failure> {
        let of = |name: &'static str, arity: usize| atoms.get(&(name, arity)).map_or(&[][..], Vec::as_slice);
        let wrong = |text: String| Err(Diagnostic::error(text).into());
        if of("goal", 1).is_empty() && of("goal_not", 1).is_empty() {
            return wrong("there is no goal: `goal(F)` was wanted, or `goal_not(F)`".to_owned());
        }
        let (mut fluents, mut moves) = (Names::default(), Names::default());
        of("move", 1).iter().for_each(|row| _ = moves.number(row[0]));
        let mut task =
            Task { actions: vec![Action { cost: 1, ..Action::default() }; moves.terms.len()], ..Task::default() };
        let start = if of("start", 1).is_empty() { of("init", 1) } else { of("start", 1) };
        let mut all = |rows: &[Vec<Symbol>]| -> Vec<Fluent> { rows.iter().map(|row| fluents.number(row[0])).collect() };
        task.start = all(start);
        task.goal = Condition { holds: all(of("goal", 1)), fails: all(of("goal_not", 1)) };
        let is_move = |name: &str, row: &[Symbol]| -> Result<usize, Failure> {
            let number = moves.numbers.get(&row[0]).map(|&number| number as usize);
            number.ok_or_else(|| {
                let text = format!("{name}({},…): {} is not a move", asp::brief(row[0]), asp::brief(row[0]));
                Diagnostic::error(text).help(format!("move({}) was wanted", asp::brief(row[0]))).into()
            })
        };
        let mut costs: FxHashMap<usize, Cost> = FxHashMap::default();
        for row in of("cost", 2) {
            let (action, cost) =
                (is_move("cost", row)?, row[1].number().ok().and_then(|cost| Cost::try_from(cost).ok()));
            let Some(cost) = cost.filter(|&cost| cost <= MOST_COST) else {
                let (action, cost) = (asp::brief(row[0]), asp::brief(row[1]));
                return wrong(format!("{action} costs {cost}; 0, 1, 2, … up to {MOST_COST} was wanted"));
            };
            if costs.insert(action, cost).is_some_and(|other| other != cost) {
                return wrong(format!("{} has two costs; one was wanted", asp::brief(row[0])));
            }
            task.actions[action].cost = cost;
        }
        for row in of("needs", 2) {
            task.actions[is_move("needs", row)?].needs.holds.push(fluents.number(row[1]));
        }
        for row in of("forbids", 2) {
            task.actions[is_move("forbids", row)?].needs.fails.push(fluents.number(row[1]));
        }
        for (name, arity) in EFFECTS {
            for row in of(name, arity) {
                let (fluent, given) = (fluents.number(row[1]), row.get(2).map(|&given| fluents.number(given)));
                let effect = Effect { fluent, holds: name == "adds", given };
                task.actions[is_move(name, row)?].effects.push(effect);
            }
        }
        let mut symmetries = Names::default();
        let mut pairs: Vec<Vec<(Fluent, Fluent)>> = Vec::new();
        for row in of("symmetry", 3) {
            let number = symmetries.number(row[0]) as usize;
            pairs.resize(pairs.len().max(number + 1), Vec::new());
            pairs[number].push((fluents.number(row[1]), fluents.number(row[2])));
        }
        task.fluents = fluents.terms.len();
        for pairs in pairs {
            let mut symmetry: Vec<Fluent> = (0..task.fluents as Fluent).collect();
            pairs.into_iter().for_each(|(fluent, image)| symmetry[fluent as usize] = image);
            task.symmetries.push(symmetry);
        }
        if let Some(number) = task.wrong_symmetry() {
            let name = asp::brief(symmetries.terms[number]);
            return wrong(format!(
                "symmetry({name},…) is none: it must permute the fluents, and map the moves, their costs and the goal to themselves"
            ));
        }
        let mut clicks = Vec::new();
        for (arity, row) in [3, 5].into_iter().flat_map(|arity| of("click", arity).iter().map(move |row| (arity, row)))
        {
            let action = is_move("click", row)? as u32;
            let numbers = row[1..].iter().map(|term| term.number().ok()).collect::<Option<Vec<i32>>>();
            let Some(numbers) = numbers else {
                return wrong(format!(
                    "click({},…): rows and columns were wanted, which are numbers",
                    asp::brief(row[0])
                ));
            };
            clicks.push((action, (numbers[0], numbers[1]), (arity == 5).then(|| (numbers[2], numbers[3]))));
        }
        let replay = Replay::of(&fluents.terms, &moves.terms, atoms);
        Ok(Ground { fluents: fluents.terms, moves: moves.terms, task, replay, clicks, facts: Vec::new() })
    }
}
