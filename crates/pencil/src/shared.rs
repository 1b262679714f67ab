//! Ground programs shared by the boards of a batch that differ only in their clues.
//!
//! ```text
//!   rows(9). columns(9).                          the key: grounded once, with the encoding
//!   sign(1,1,5). sign(1,2,3). …                   the clues of one board
//!   #external sign(1,1,5). [free] …               all possible clues, grounded once
//! ```
//!
//! Each clue of a board is a fact. An external atom that is assumed true has the same effect as the
//! fact, and one that is assumed false the same effect as its absence, unless a rule derives the
//! atom; clingo reports which atoms are still external. A board is therefore a set of assumptions:
//! its clues are true, and all other possible clues are false. The possible clues of a predicate
//! are all combinations of the values that its arguments have had in the boards so far.
//!
//! Results must not depend on earlier boards. Answers therefore count only if the search was
//! exhausted and found no more answers than requested; any other board is solved alone. To check an
//! answer, the clues of its board are the values of the external atoms.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use asp::{Model, Settings, Solver, Symbol, syntax};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use ground::{GroundProgram, Truth};
use parking_lot::Mutex;
use puzzle::certifying::SharedClauses;
use rustc_hash::{FxHashMap, FxHashSet};

use super::board::{ClueLocation, GridBoard};

/// Maximum number of possible clues of one key. If there are more, boards have too little in
/// common.
const MAX_CLUES: usize = 5_000;
/// Maximum ratio between the number of rules of a shared program and of the program of one board.
const MAX_GROWTH: usize = 3;
/// Maximum number of entries in the cache of a thread.
const MAX_ENTRIES: usize = 4;

/// The common part of boards that share a ground program: everything except their clues.
#[derive(Clone, PartialEq)]
struct GroundKey {
    facts: String,
    encodings: Vec<Document>,
    constants: Vec<(String, String)>,
    options: Vec<String>,
    models: Option<u64>,
}

/// A board, split into its key and its clues.
pub struct BatchInstance {
    key: GroundKey,
    clues: FxHashSet<Symbol>,
}

/// A value in the cache.
enum CacheEntry {
    /// Boards were solved alone: the minimum number of ground rules.
    Observed(usize),
    Ready(Box<SharedProgram>),
    /// Sharing is impossible or not worth its cost.
    Unshareable,
}

/// A ground program that boards with the same key share.
pub struct SharedProgram {
    solver: Solver,
    pub ground: Arc<Mutex<GroundProgram>>,
    /// Its clauses for certificates, if a board has one.
    clauses: OnceLock<Arc<SharedClauses>>,
    /// The number of the atom of each possible clue.
    clues: FxHashMap<Symbol, u32>,
    /// How many times the program was grounded for this key, and how many boards were solved.
    times_grounded: usize,
    boards_solved: usize,
    /// The minimum number of ground rules of a board that was solved alone.
    rules_alone: usize,
}

thread_local! {
    /// The entries in the order of their last use, the most recent one last.
    static CACHE: RefCell<Vec<(GroundKey, CacheEntry)>> = const { RefCell::new(Vec::new()) };
}

fn take_entry(key: &GroundKey) -> Option<CacheEntry> {
    CACHE.with_borrow_mut(|cache| {
        let at = cache.iter().position(|(known, _)| known == key)?;
        Some(cache.remove(at).1)
    })
}

fn put_entry(key: GroundKey, entry: CacheEntry) {
    CACHE.with_borrow_mut(|cache| {
        if cache.len() == MAX_ENTRIES {
            cache.remove(0);
        }
        cache.push((key, entry));
    });
}

impl BatchInstance {
    /// Splits a board into key and clues. Returns `None` if it has no clues, too many different
    /// clues, or marks of a player.
    pub fn of(board: &GridBoard, encodings: &[Document], settings: &Settings) -> Option<BatchInstance> {
        let mut facts = String::new();
        let mut clues = FxHashSet::default();
        let mut kinds = Vec::new();
        if !board.player_marks.is_empty() {
            return None;
        }
        let text = board
            .facts_with_clues(|clue| kinds.push(matches!(clue, Some(ClueLocation::Cell(_) | ClueLocation::Named(..)))));
        // `part` facts can be left out if no rule reads them and they are not shown.
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
        let key = GroundKey { facts, encodings: encodings.to_vec(), constants, options, models };
        (!clues.is_empty() && argument_values(&clues).is_some()).then_some(BatchInstance { key, clues })
    }

    /// Records the number of ground rules of a board that was solved alone.
    pub fn observe(self, rules: usize) {
        let entry = match take_entry(&self.key) {
            None => CacheEntry::Observed(rules),
            Some(CacheEntry::Observed(known)) => CacheEntry::Observed(known.min(rules)),
            Some(known) => known,
        };
        put_entry(self.key, entry);
    }

    /// Returns the shared ground program of this board if a board with the same key has been
    /// observed and sharing is worth its cost.
    pub fn shared(&self) -> Result<Option<Box<SharedProgram>>, Failure> {
        let mark_unshareable = || put_entry(self.key.clone(), CacheEntry::Unshareable);
        let shared = match take_entry(&self.key) {
            None => return Ok(None),
            Some(CacheEntry::Unshareable) => {
                mark_unshareable();
                return Ok(None);
            }
            Some(CacheEntry::Observed(rules)) => self.ground_with(FxHashSet::default(), rules)?,
            Some(CacheEntry::Ready(shared)) if self.clues.iter().all(|clue| shared.clues.contains_key(clue)) => {
                Some(shared)
            }
            // Too many boards have needed another grounding.
            Some(CacheEntry::Ready(shared)) if 4 * shared.times_grounded > shared.boards_solved => {
                put_entry(self.key.clone(), CacheEntry::Ready(shared));
                return Ok(None);
            }
            Some(CacheEntry::Ready(shared)) => {
                let possible_clues = shared.clues.keys().copied().collect();
                let SharedProgram { times_grounded, boards_solved, rules_alone, .. } = *shared;
                let ground = self.ground_with(possible_clues, rules_alone)?;
                ground.map(|ground| {
                    Box::new(SharedProgram { times_grounded: times_grounded + 1, boards_solved, ..*ground })
                })
            }
        };
        if shared.is_none() {
            mark_unshareable();
        }
        Ok(shared)
    }

    /// Grounds the key with `clues` and the clues of this board. `rules` is the number of rules of
    /// a board alone. Returns `None` if the boards cannot share a program.
    fn ground_with(&self, mut clues: FxHashSet<Symbol>, rules: usize) -> Result<Option<Box<SharedProgram>>, Failure> {
        clues.extend(&self.clues);
        let Some(clues) = combinations(&clues) else { return Ok(None) };
        let external = clues.iter().fold(String::new(), |mut text, &clue| {
            let _ = writeln!(text, "#external {}. [free]", asp::to_text(clue));
            text
        });
        let GroundKey { facts, encodings, constants, options, models } = self.key.clone();
        let program = asp::Program {
            instance: vec![Document::in_memory("<board>", facts), Document::in_memory("<clues>", external)],
            encoding: encodings,
            ..asp::Program::default()
        };
        let settings = Settings { constants, options, models, ..Settings::default() };
        let mut solver = Solver::new(&settings, &CancelToken::new())?;
        let Ok(ground) = solver.control().observe() else { return Ok(None) };
        solver.load(&program)?;
        solver.ground(&[("base", &[])])?;
        let is_quiet = solver.messages().is_empty() && solver.known_defect().is_none();
        let externals = solver.control().external_atoms().unwrap_or_default();
        let is_worth_it = {
            let ground = ground.lock();
            ground.rules.len() <= MAX_GROWTH * rules && ground.externals.len() == clues.len()
        };
        // An atom that a rule derives is not external.
        let is_external = clues.iter().all(|clue| externals.contains_key(clue));
        let shared = SharedProgram {
            solver,
            ground,
            clauses: OnceLock::new(),
            clues: externals,
            times_grounded: 1,
            boards_solved: 0,
            rules_alone: rules,
        };
        Ok((is_quiet && is_worth_it && is_external).then(|| Box::new(shared)))
    }
}

impl SharedProgram {
    pub fn solve_mode(&self) -> Result<asp::SolveMode, Failure> {
        self.solver.solve_mode()
    }

    /// The clauses of the ground program.
    pub fn clauses(&self) -> Arc<SharedClauses> {
        self.clauses.get_or_init(|| Arc::new(SharedClauses::of(&self.ground.lock()))).clone()
    }

    /// Calls `on_answer` with the answers of an instance until it breaks. Returns `None` if the
    /// result may depend on earlier boards, so that the board must be solved alone. Unless the
    /// search was cancelled, the program returns to the cache.
    pub fn solve(
        mut self: Box<Self>,
        instance: &BatchInstance,
        stop: &CancelToken,
        on_answer: impl FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Option<asp::SolveResult>, Failure> {
        {
            let mut ground = self.ground.lock();
            for (clue, &atom) in &self.clues {
                let value = if instance.clues.contains(clue) { Truth::True } else { Truth::False };
                ground.externals.insert(atom, value);
            }
        }
        let assumptions: Vec<(Symbol, bool)> =
            self.clues.keys().map(|clue| (*clue, instance.clues.contains(clue))).collect();
        let interrupter = self.solver.control().interrupter();
        let hooked = stop.on_request(move || interrupter.interrupt());
        let solved = self.solver.solve(&assumptions, on_answer);
        drop(hooked);
        let result = solved?.result;
        // A solver that was cancelled may be interrupted later, in its next search.
        if stop.requested().is_none() {
            self.boards_solved += 1;
            put_entry(instance.key.clone(), CacheEntry::Ready(self));
        }
        Ok(result.exhausted.then_some(result))
    }
}

/// The values of each argument of each predicate.
type ArgumentValues = BTreeMap<(&'static str, usize), Vec<BTreeSet<Symbol>>>;

/// Returns the values that occur in these clues, or `None` if they have too many combinations.
fn argument_values(clues: &FxHashSet<Symbol>) -> Option<ArgumentValues> {
    let mut places = ArgumentValues::new();
    for &clue in clues {
        let (name, arity) = asp::signature_of(clue)?;
        let places = places.entry((name, arity)).or_insert_with(|| vec![BTreeSet::new(); arity]);
        places.iter_mut().zip(clue.arguments().ok()?).for_each(|(place, argument)| _ = place.insert(argument));
    }
    let number = |places: &Vec<BTreeSet<Symbol>>| places.iter().map(BTreeSet::len).product::<usize>();
    (places.values().map(number).sum::<usize>() <= MAX_CLUES).then_some(places)
}

/// Returns all combinations of the argument values of these clues, or `None` if there are too many.
fn combinations(clues: &FxHashSet<Symbol>) -> Option<Vec<Symbol>> {
    let mut all = Vec::new();
    for ((name, _), places) in argument_values(clues)? {
        let mut prefixes: Vec<Vec<Symbol>> = vec![Vec::new()];
        for place in places {
            prefixes =
                prefixes.iter().flat_map(|prefix| place.iter().map(|&next| [&prefix[..], &[next]].concat())).collect();
        }
        all.extend(prefixes.iter().filter_map(|arguments| asp::function(name, arguments)));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin_text;

    fn batch_instance(board: &str, more: &str) -> BatchInstance {
        // The board is built from facts, since parsing a text would load all puzzles.
        let rows = (1..).zip(board.lines()).flat_map(|(row, line)| (1..).zip(line.split(' ')).map(move |at| (row, at)));
        let signs = rows
            .filter(|(_, (_, sign))| *sign != ".")
            .map(|(row, (column, sign))| format!("sign({row},{column},{sign})"));
        let facts = ["rows(4)".to_owned(), "columns(4)".to_owned()].into_iter().chain(signs);
        let facts: Vec<Symbol> = facts.map(|fact| asp::parse_term(&fact).expect("a term")).collect();
        let board = GridBoard::of_facts(&facts).expect("a board");
        let file = |path: &str| Document::in_memory(path, builtin_text(path).expect("a built-in file"));
        let mut encodings = vec![file("puzzles/sudoku.lp"), file("puzzles/shared/grid.lp")];
        encodings.push(Document::in_memory("more", more));
        // One more than the number of models, so that the search is exhausted.
        BatchInstance::of(&board, &encodings, &Settings { models: Some(3), ..Settings::default() })
            .expect("a board with clues")
    }

    fn answers(shared: Box<SharedProgram>, instance: &BatchInstance) -> (u64, Option<asp::SolveResult>) {
        let mut found = 0;
        let solved = shared.solve(instance, &CancelToken::new(), |_| {
            found += 1;
            ControlFlow::Continue(())
        });
        (found, solved.expect("clingo solves"))
    }

    #[test]
    fn boards_with_equal_keys_share_an_observed_ground_program() {
        let first = batch_instance("1 2 3 4\n3 4 1 2\n. . . .\n. . . .", "");
        assert!(first.shared().expect("a program that grounds").is_none());
        first.observe(100_000);
        // The first board has clues in all rows and columns, so no later board grounds again.
        let boards = [
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 . .", 1),
            ("1 2 3 4\n3 4 1 2\n2 . . .\n. . . .", 2),
            ("1 1 . .\n. . . .\n. . . .\n. . . .", 0),
        ];
        for (board, found) in boards {
            let instance = batch_instance(board, "");
            let shared = instance.shared().expect("a program that grounds").expect("an observed program");
            // All combinations of four rows, columns and values, even if the board has fewer.
            let clues = shared.clues.keys().filter(|clue| asp::signature_of(**clue) == Some(("sign", 3)));
            assert_eq!(clues.count(), 64, "{board}");
            let (number, solved) = answers(shared, &instance);
            assert_eq!((number, solved.is_some_and(|solved| solved.satisfiable)), (found, found > 0), "{board}");
        }
        // A board that was solved alone meanwhile changes nothing.
        batch_instance(boards[0].0, "").observe(1);
        let shared = batch_instance(boards[0].0, "").shared().expect("a program that grounds");
        assert_eq!(shared.expect("the same program").times_grounded, 1);
    }

    #[test]
    fn an_atom_that_a_rule_derives_is_not_a_shared_clue() {
        let rule = "sign(R,C,1) :- sign(R,C,2).";
        let first = batch_instance("1 2 3 4\n3 4 1 2\n. . . .\n. . . .", rule);
        first.observe(100_000);
        assert!(
            batch_instance("1 2 3 4\n. . . .\n. . . .\n. . . .", rule)
                .shared()
                .expect("a program that grounds")
                .is_none()
        );
    }
}
