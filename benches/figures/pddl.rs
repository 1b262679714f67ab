//! Writes a shipped game as a PDDL task for planners. The task is grounded by clingo, so its
//! actions have no parameters.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use asp::{Program, Settings, Solver, signature_of, to_text};
use base::document::Document;
use base::stop::CancelToken;
use pencil::{Catalogue, builtin_text};

/// By name and arity of a predicate: the arguments of each of its true atoms, as text.
type Atoms = BTreeMap<(String, usize), Vec<Vec<String>>>;

/// Writes the domain and the problem of a board to files in a folder, and returns their paths.
pub fn write(board: &Path, folder: &Path) -> [PathBuf; 2] {
    let text = std::fs::read_to_string(board).expect("a board that ships");
    let game = text.lines().find_map(|line| line.strip_prefix("puzzle ")).expect("a board names its game").to_owned();
    let atoms = atoms(&game, &Document::in_memory("board", text));
    let (domain, problem) = task(&atoms);
    [("domain.pddl", domain), ("problem.pddl", problem)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file in a temporary folder");
        path
    })
}

fn atoms(game: &str, board: &Document) -> Atoms {
    let text = builtin_text(&format!("games/{game}.lp")).expect("a game that ships");
    let logic = Catalogue::builtin().find(game).expect("a game that ships");
    let facts = logic.facts_from(board).unwrap_or_else(|failure| panic!("{failure}"));
    let others = text.lines().find_map(|line| line.strip_prefix("% Goes with")).unwrap_or_default();
    let others = others.split(',').map(str::trim).filter(|name| !name.is_empty());
    let others = others.map(|name| builtin_text(&format!("games/{name}")).expect("it ships"));
    let program = Program {
        instance: vec![Document::in_memory("facts", facts)],
        encoding: others.chain([text]).map(|text| Document::in_memory("rules", text)).collect(),
        ..Program::default()
    };
    let solver = Solver::with_program(&program, &Settings::default(), &CancelToken::new());
    let mut solver = solver.unwrap_or_else(|failure| panic!("{failure}"));
    let mut atoms = Atoms::new();
    for (atom, _) in solver.control().known_atoms().expect("atoms") {
        let Some((name, arity)) = signature_of(atom) else { continue };
        let arguments = atom.arguments().expect("a function has arguments").into_iter().map(to_text).collect();
        atoms.entry((name.to_owned(), arity)).or_default().push(arguments);
    }
    atoms
}

/// Maps each fluent to its number, in the order of first use.
#[derive(Default)]
struct Fluents(BTreeMap<String, usize>);

impl Fluents {
    /// Returns the literal of a fluent in PDDL, negated unless `holds`.
    fn literal(&mut self, term: &str, holds: bool) -> String {
        let next = self.0.len();
        let number = *self.0.entry(term.to_owned()).or_insert(next);
        if holds { format!(" (f{number})") } else { format!(" (not (f{number}))") }
    }
}

fn task(atoms: &Atoms) -> (String, String) {
    let rows = |name: &str, arity: usize| atoms.get(&(name.to_owned(), arity)).map_or(&[][..], Vec::as_slice);
    let mut fluents = Fluents::default();
    // The preconditions and the effects of each move.
    let mut moves: BTreeMap<&str, [String; 2]> = BTreeMap::new();
    for row in rows("move", 1) {
        moves.insert(&row[0], Default::default());
    }
    let mut add = |term: &str, part: usize, text: String| moves.get_mut(term).expect("a move")[part] += &text;
    for (name, holds) in [("needs", true), ("forbids", false)] {
        for row in rows(name, 2).iter() {
            add(&row[0], 0, fluents.literal(&row[1], holds));
        }
    }
    for (name, holds) in [("adds", true), ("removes", false)] {
        for row in rows(name, 2).iter() {
            add(&row[0], 1, fluents.literal(&row[1], holds));
        }
        for row in rows(name, 3) {
            let (given, effect) = (fluents.literal(&row[2], true), fluents.literal(&row[1], holds));
            add(&row[0], 1, format!(" (when{given}{effect})"));
        }
    }
    assert!(rows("cost", 2).is_empty(), "each move costs one");
    let start: String = rows("init", 1).iter().map(|row| fluents.literal(&row[0], true)).collect();
    let goal = [("goal", true), ("goal_not", false)];
    let goal: Vec<(&String, bool)> =
        goal.iter().flat_map(|&(name, holds)| rows(name, 1).iter().map(move |row| (&row[0], holds))).collect();
    let goal: String = goal.into_iter().map(|(term, holds)| fluents.literal(term, holds)).collect();
    let names: String = (0..fluents.0.len()).map(|number| format!(" (f{number})")).collect();
    let mut domain = format!(
        "(define (domain game)\n(:requirements :strips :negative-preconditions :conditional-effects)\n(:predicates{names})\n"
    );
    for (number, [needs, does]) in moves.values().enumerate() {
        let _ = writeln!(domain, "(:action m{number} :parameters () :precondition (and{needs}) :effect (and{does}))");
    }
    (domain + ")\n", format!("(define (problem board) (:domain game)\n(:init{start})\n(:goal (and{goal})))\n"))
}
