//! Boards of a batch that differ in their clues alone, by one ground program.
//!
//! ```text
//!   rows(9). columns(9).                          the frame: ground once, with the encoding
//!   sign(1,1,5). sign(1,2,3). …                   the clues: one board's
//!   #external sign(1,1,5). [free] …               all clues that such boards may have, ground once
//! ```
//!
//! A clue is a fact. An external atom that is true means the same, and one that is false the same as no fact, as long as no rule
//! derives it; clingo tells of each whether it is still external. So a board is a set of assumptions: each clue that it has is
//! true, and each other one false. Which clues there may be is seen from the boards: at each place of a predicate whatever was
//! met there, in all combinations.
//!
//! What is found must not depend on the boards before. So an answer counts only where the search is exhausted, and no more were
//! found than were asked for; any other board is solved by itself. The check of an answer takes the board's own clues for the
//! external atoms.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::board::{Board, Clue};
use crate::asp::{self, Ground, Model, Settings, Solver, Symbol, Truth, syntax};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::stop::Stop;

/// Clues that boards of one frame may have; of more, few are alike.
const MOST_CLUES: usize = 5_000;
/// How many times as many rules a shared program may have as that of one board.
const MOST_TIMES: usize = 3;
/// Ground programs that a thread keeps.
const MOST_KEPT: usize = 4;

/// What boards have in common that share a ground program.
#[derive(Clone, PartialEq)]
struct Frame {
    facts: String,
    encodings: Vec<Document>,
    constants: Vec<(String, String)>,
    options: Vec<String>,
    models: Option<u64>,
}

/// A board as a frame and clues.
pub struct Framed {
    frame: Frame,
    clues: FxHashSet<Symbol>,
}

/// What is kept of a frame.
enum Kept {
    /// How many rules one board has.
    Met(usize),
    Ready(Box<Shared>),
    /// Sharing would cost more than it saves.
    Apart,
}

/// The ground program of a frame.
pub struct Shared {
    solver: Solver,
    pub ground: Arc<Mutex<Ground>>,
    /// All clues that there may be, with their atoms.
    clues: FxHashMap<Symbol, u32>,
    /// Times that it was grounded, and boards that were solved.
    grounded: usize,
    solved: usize,
    /// Rules of one board alone.
    rules: usize,
}

thread_local! {
    /// The last one was used last.
    static KEPT: RefCell<Vec<(Frame, Kept)>> = const { RefCell::new(Vec::new()) };
}

fn taken(frame: &Frame) -> Option<Kept> {
    KEPT.with_borrow_mut(|kept| {
        let at = kept.iter().position(|(known, _)| known == frame)?;
        Some(kept.remove(at).1)
    })
}

fn keep(frame: Frame, what: Kept) {
    KEPT.with_borrow_mut(|kept| {
        if kept.len() == MOST_KEPT {
            kept.remove(0);
        }
        kept.push((frame, what));
    });
}

impl Framed {
    /// None where a board has too many clues, or what is no clue and no frame either.
    pub fn of(board: &Board, encodings: &[Document], settings: &Settings) -> Option<Framed> {
        let (mut facts, mut clues, mut kinds) = (String::new(), FxHashSet::default(), Vec::new());
        if !board.marks.is_empty() {
            return None;
        }
        let text = board.facts_of_clues(|clue| kinds.push(matches!(clue, Some(Clue::Sign(_) | Clue::Named(..)))));
        // A fact that no rule reads changes nothing, if it is not shown.
        let shows_facts = !encodings.iter().any(|encoding| encoding.text.contains("#show"));
        let reads_parts = shows_facts || encodings.iter().any(|encoding| syntax::uses(&encoding.text, "part"));
        for (line, is_clue) in text.lines().zip(kinds) {
            if !is_clue {
                let _ = writeln!(facts, "{line}");
                continue;
            }
            for fact in syntax::ranges(line).map(|range| &line[range]) {
                if reads_parts || !fact.starts_with("part(") {
                    clues.insert(asp::parse_term(fact.strip_suffix('.')?)?);
                }
            }
        }
        let Settings { constants, options, models, .. } = settings.clone();
        let frame = Frame { facts, encodings: encodings.to_vec(), constants, options, models };
        (!clues.is_empty() && places(&clues).is_some()).then_some(Framed { frame, clues })
    }

    /// Takes note of a board that was solved by itself, and of how many rules it has.
    pub fn met(self, rules: usize) {
        if let kept @ None | kept @ Some(Kept::Met(_)) = taken(&self.frame) {
            let fewest = kept.map_or(rules, |kept| if let Kept::Met(known) = kept { known.min(rules) } else { rules });
            keep(self.frame, Kept::Met(fewest));
        }
    }

    /// The ground program for this board, if others like it were met and it is worth it.
    pub fn shared(&self) -> Result<Option<Box<Shared>>, Failure> {
        let apart = || keep(self.frame.clone(), Kept::Apart);
        let shared = match taken(&self.frame) {
            None => return Ok(None),
            Some(Kept::Apart) => {
                apart();
                return Ok(None);
            }
            Some(Kept::Met(rules)) => self.grounded(FxHashSet::default(), rules)?,
            Some(Kept::Ready(shared)) if self.clues.iter().all(|clue| shared.clues.contains_key(clue)) => Some(shared),
            // Grounding anew must not become the rule.
            Some(Kept::Ready(shared)) if 4 * shared.grounded > shared.solved => {
                keep(self.frame.clone(), Kept::Ready(shared));
                return Ok(None);
            }
            Some(Kept::Ready(shared)) => {
                let known = shared.clues.keys().copied().collect();
                let Shared { grounded, solved, rules, .. } = *shared;
                let anew = self.grounded(known, rules)?;
                anew.map(|anew| Box::new(Shared { grounded: grounded + 1, solved, ..*anew }))
            }
        };
        if shared.is_none() {
            apart();
        }
        Ok(shared)
    }

    /// Grounds the frame with all clues that are known, and those of this board.
    fn grounded(&self, mut clues: FxHashSet<Symbol>, rules: usize) -> Result<Option<Box<Shared>>, Failure> {
        clues.extend(&self.clues);
        let Some(clues) = combinations(&clues) else { return Ok(None) };
        let external = clues.iter().fold(String::new(), |mut text, &clue| {
            let _ = writeln!(text, "#external {}. [free]", asp::to_text(clue));
            text
        });
        let Frame { facts, encodings, constants, options, models } = self.frame.clone();
        let program = asp::Program {
            instance: vec![Document::in_memory("<board>", facts), Document::in_memory("<clues>", external)],
            encoding: encodings,
            ..asp::Program::default()
        };
        let settings = Settings { constants, options, models, ..Settings::default() };
        let mut solver = Solver::new(&settings, &Stop::new())?;
        let Ok(ground) = solver.control().observe() else { return Ok(None) };
        solver.load(&program)?;
        solver.ground(&[("base", &[])])?;
        let is_quiet = solver.messages().is_empty() && solver.known_defect().is_none();
        let externals = solver.control().external_atoms().unwrap_or_default();
        let is_worth_it = {
            let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
            ground.rules.len() <= MOST_TIMES * rules && ground.externals.len() == clues.len()
        };
        // What some rule derives is no external atom.
        let is_external = clues.iter().all(|clue| externals.contains_key(clue));
        let shared = Shared { solver, ground, clues: externals, grounded: 1, solved: 0, rules };
        Ok((is_quiet && is_worth_it && is_external).then(|| Box::new(shared)))
    }
}

impl Shared {
    pub fn question(&self) -> Result<asp::Question, Failure> {
        self.solver.question()
    }

    /// Looks for answers with these clues and no others, until `found` breaks. None where what was found may depend on the boards
    /// before: then it is not used again, or the board is to be solved by itself.
    pub fn solve(
        mut self: Box<Self>,
        framed: &Framed,
        stop: &Stop,
        found: impl FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Option<asp::SolveResult>, Failure> {
        {
            let mut ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner);
            for (clue, &atom) in &self.clues {
                let value = if framed.clues.contains(clue) { Truth::True } else { Truth::False };
                ground.externals.insert(atom, value);
            }
        }
        let assumed: Vec<(Symbol, bool)> = self.clues.keys().map(|clue| (*clue, framed.clues.contains(clue))).collect();
        let interrupter = self.solver.control().interrupter();
        let hooked = stop.on_request(move || interrupter.interrupt());
        let solved = self.solver.solve(&assumed, found);
        drop(hooked);
        let result = solved?.result;
        // An interruption may have come too late, and would end the next search.
        if stop.requested().is_none() {
            self.solved += 1;
            keep(framed.frame.clone(), Kept::Ready(self));
        }
        Ok(result.exhausted.then_some(result))
    }
}

/// What clues have at the places of their predicates.
type Places = BTreeMap<(&'static str, usize), Vec<BTreeSet<Symbol>>>;

/// None where the clues that have these in all combinations are too many.
fn places(clues: &FxHashSet<Symbol>) -> Option<Places> {
    let mut places = Places::new();
    for &clue in clues {
        let (name, arity) = asp::signature_of(clue)?;
        let places = places.entry((name, arity)).or_insert_with(|| vec![BTreeSet::new(); arity]);
        places.iter_mut().zip(clue.arguments().ok()?).for_each(|(place, argument)| _ = place.insert(argument));
    }
    let number = |places: &Vec<BTreeSet<Symbol>>| places.iter().map(BTreeSet::len).product::<usize>();
    (places.values().map(number).sum::<usize>() <= MOST_CLUES).then_some(places)
}

/// All clues that have at each place what one of these has there.
fn combinations(clues: &FxHashSet<Symbol>) -> Option<Vec<Symbol>> {
    let mut all = Vec::new();
    for ((name, _), places) in places(clues)? {
        let mut begun: Vec<Vec<Symbol>> = vec![Vec::new()];
        for place in places {
            begun = begun.iter().flat_map(|one| place.iter().map(|&next| [&one[..], &[next]].concat())).collect();
        }
        all.extend(begun.iter().filter_map(|arguments| asp::function(name, arguments)));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::logic::shipped_text;

    fn framed(board: &str, more: &str) -> Framed {
        // Not read as text, which may name any puzzle: these tests need none of the others.
        let rows = (1..).zip(board.lines()).flat_map(|(row, line)| (1..).zip(line.split(' ')).map(move |at| (row, at)));
        let signs = rows
            .filter(|(_, (_, sign))| *sign != ".")
            .map(|(row, (column, sign))| format!("sign({row},{column},{sign})"));
        let facts = ["rows(4)".to_owned(), "columns(4)".to_owned()].into_iter().chain(signs);
        let facts: Vec<Symbol> = facts.map(|fact| asp::parse_term(&fact).expect("a term")).collect();
        let board = Board::of_facts(&facts).expect("a board");
        let file = |path: &str| Document::in_memory(path, shipped_text(path).expect("it ships"));
        let mut encodings = vec![file("puzzles/sudoku.lp"), file("puzzles/shared/grid.lp")];
        encodings.push(Document::in_memory("more", more));
        // One more than there are: so it is known that the search has found all.
        Framed::of(&board, &encodings, &Settings { models: Some(3), ..Settings::default() }).expect("it has clues")
    }

    fn answers(shared: Box<Shared>, framed: &Framed) -> (u64, Option<asp::SolveResult>) {
        let mut found = 0;
        let solved = shared.solve(framed, &Stop::new(), |_| {
            found += 1;
            ControlFlow::Continue(())
        });
        (found, solved.expect("it solves"))
    }

    #[test]
    fn boards_of_one_frame_share_a_ground_program_once_one_was_met() {
        let first = framed("1 2 3 4\n3 4 1 2\n. . . .\n. . . .", "");
        assert!(first.shared().expect("it grounds").is_none());
        first.met(100_000);
        // The first has clues in all rows and columns, so that none of the others grounds anew.
        let boards = [
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 . .", 1),
            ("1 2 3 4\n3 4 1 2\n2 . . .\n. . . .", 2),
            ("1 1 . .\n. . . .\n. . . .\n. . . .", 0),
        ];
        for (board, found) in boards {
            let framed = framed(board, "");
            let shared = framed.shared().expect("it grounds").expect("one was met");
            // Four rows, columns and values, whatever the board itself has.
            let clues = shared.clues.keys().filter(|clue| asp::signature_of(**clue) == Some(("sign", 3)));
            assert_eq!(clues.count(), 64, "{board}");
            let (number, solved) = answers(shared, &framed);
            assert_eq!((number, solved.is_some_and(|solved| solved.satisfiable)), (found, found > 0), "{board}");
        }
    }

    #[test]
    fn what_a_rule_derives_is_no_clue_that_is_shared() {
        let rule = "sign(R,C,1) :- sign(R,C,2).";
        let first = framed("1 2 3 4\n3 4 1 2\n. . . .\n. . . .", rule);
        first.met(100_000);
        assert!(framed("1 2 3 4\n. . . .\n. . . .\n. . . .", rule).shared().expect("it grounds").is_none());
    }
}
