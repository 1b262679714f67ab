//! What a game looks like and how it speaks: `draw` and the words of comments, of states that the rules of drawing know as
//! `holds(F)`.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::read::Ground;
use super::replay::State;
use crate::asp::{self, Symbol};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::drawing::Drawing;
use crate::planning::Invariant;
use crate::sorting;
use crate::stop::Stop;
use crate::why::Words;

/// For the drawing of a state, which hardly ever takes longer than a moment.
const LONGEST: Duration = Duration::from_secs(5);

pub struct Shown {
    program: asp::Program,
    settings: asp::Settings,
    /// That of the job that read the board.
    stop: Stop,
    draws: bool,
    /// The fluents and the moves as atoms `holds(F)` and `move(M)`.
    holds: Vec<Symbol>,
    moves: Vec<Symbol>,
    /// What conditions of comments may ask for.
    facts: Vec<Symbol>,
    solver: Mutex<Option<asp::Solver>>,
    words: OnceLock<Result<[Vec<String>; 3], Failure>>,
}

impl Shown {
    pub fn of(program: &asp::Program, settings: &asp::Settings, ground: &Ground, stop: &Stop) -> Shown {
        let draws = program.documents().any(super::super::logic::draws);
        let atoms = |name: &str, terms: &[Symbol]| -> Vec<Symbol> {
            terms.iter().filter_map(|&term| asp::function(name, &[term])).collect()
        };
        Shown {
            program: program.clone(),
            settings: settings.clone(),
            stop: stop.clone(),
            draws,
            holds: atoms("holds", &ground.fluents),
            moves: atoms("move", &ground.moves),
            facts: ground.facts.clone(),
            solver: Mutex::new(None),
            words: OnceLock::new(),
        }
    }

    /// What is drawn of a state.
    fn atoms(&self, state: &State) -> Result<Vec<Symbol>, Failure> {
        let mut kept = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = match &mut *kept {
            Some(solver) => solver,
            none => {
                let mut program = self.program.clone();
                let choices =
                    self.holds.iter().map(|&atom| format!("{{ {} }}.\n", asp::to_text(atom))).collect::<String>();
                program.additions.push(Document::in_memory("<state>", choices));
                // Each state that is drawn has its own token, below.
                none.insert(asp::Solver::with_program(&program, &self.settings, &Stop::new())?)
            }
        };
        let assumed: Vec<(Symbol, bool)> =
            (0..).zip(&self.holds).map(|(fluent, &atom)| (atom, state.contains(&fluent))).collect();
        let mut drawn = None;
        // What was found is drawn after a request to stop as well.
        let job = if self.stop.requested().is_none() { self.stop.clone() } else { Stop::new() };
        let soon = job.by(Instant::now().checked_add(LONGEST));
        let interrupter = solver.control().interrupter();
        let hooked = soon.stop.on_request(move || interrupter.interrupt());
        let solved = solver.solve(&assumed, |model| {
            let atoms = model.atoms().map(|atoms| atoms.filter(|&atom| Drawing::is_of(atom)).collect::<Vec<_>>());
            drawn = Some(atoms);
            std::ops::ControlFlow::Break(())
        });
        drop(hooked);
        if let Some(reason) = soon.stop.requested() {
            // An interruption that came too late would end the next solving.
            *kept = None;
            if drawn.is_none() {
                return Err(Diagnostic::error(format!("the drawing of a state gave up: {}", reason.words())).into());
            }
        }
        solved?;
        drawn.transpose()?.ok_or_else(|| {
            Diagnostic::error("the rules that draw a state have no answer: they must not constrain `holds`").into()
        })
    }

    /// A frame for each state.
    pub fn drawing(&self, states: &[State]) -> Result<Drawing, Failure> {
        if !self.draws {
            return Ok(Drawing::default());
        }
        let frames = states.iter().map(|state| self.atoms(state)).collect::<Result<Vec<_>, Failure>>()?;
        let mut still: FxHashSet<Symbol> = frames[0].iter().copied().collect();
        for frame in &frames {
            let here: FxHashSet<Symbol> = frame.iter().copied().collect();
            still.retain(|atom| here.contains(atom));
        }
        let framed = |number: i32, atom: Symbol| -> Option<Symbol> {
            let [thing] = atom.arguments().ok()?[..] else { return Some(atom) };
            asp::function("draw", &[thing, asp::number(number)])
        };
        let moving = (1..).zip(&frames).flat_map(|(number, frame)| {
            frame.iter().filter(|atom| !still.contains(atom)).filter_map(move |&atom| framed(number, atom))
        });
        let mut atoms: Vec<Symbol> = still.iter().copied().chain(moving).collect();
        atoms.sort_unstable();
        Drawing::of(&atoms, "the game").map(|(drawing, _)| drawing)
    }

    /// Words of all moves, and of all fluents where they hold and where they do not.
    fn words(&self) -> Result<&[Vec<String>; 3], Failure> {
        let made = || {
            let documents: Vec<Document> = self.program.documents().cloned().collect();
            let mut words = Words::of(&documents, &asp::statements_of(&self.program)?)?;
            words.given.clone_from(&self.facts);
            let of = |atoms: &[Symbol], holds: bool| -> Result<Vec<String>, Failure> {
                let literals: Vec<(Symbol, bool)> = atoms.iter().map(|&atom| (atom, holds)).collect();
                let told = words.of_literals(&literals)?;
                // Without words the term itself.
                let plain = |(&atom, told): (&Symbol, String)| {
                    let brief = asp::brief(atom);
                    let term = || atom.arguments().ok().and_then(|terms| terms.first().map(|&term| asp::brief(term)));
                    match told.strip_suffix(&brief) {
                        Some(not) => format!("{not}{}", term().unwrap_or_default()),
                        None => told,
                    }
                };
                Ok(atoms.iter().zip(told).map(plain).collect())
            };
            Ok([of(&self.moves, true)?, of(&self.holds, true)?, of(&self.holds, false)?])
        };
        self.words.get_or_init(made).as_ref().map_err(Clone::clone)
    }

    pub fn of_move(&self, action: u32) -> String {
        self.words().map_or_else(|_| String::new(), |words| words[0][action as usize].clone())
    }

    /// A fluent that holds, or does not.
    pub fn of_fluent(&self, fluent: u32, holds: bool) -> String {
        self.words().map_or_else(|_| String::new(), |words| words[if holds { 1 } else { 2 }][fluent as usize].clone())
    }

    /// What no move changes, though the goal wants it otherwise; and the fluents that it counts.
    pub fn of_invariant(&self, invariant: &Invariant, start: u32, goal: u32) -> Vec<String> {
        const MOST: usize = 12;
        let mut all = invariant.weights.clone();
        sorting::sort_by_key(&mut all, |&(fluent, _)| self.holds[fluent as usize]);
        let first = match invariant.modulus {
            2 => {
                let parity = |sum| if sum == 0 { "even" } else { "odd" };
                let (start, goal) = (parity(start), parity(goal));
                format!(
                    "an {start} number of these holds at the start, an {goal} number at the goal, and no move changes that"
                )
            }
            modulus => format!(
                "these add up to {start} at the start and {goal} at the goal modulo {modulus}, and no move changes that"
            ),
        };
        let words = |&(fluent, weight): &(u32, u8)| match weight {
            1 => self.of_fluent(fluent, true),
            weight => format!("{weight} times: {}", self.of_fluent(fluent, true)),
        };
        let more = (all.len() > MOST).then(|| format!("and {} more", all.len() - MOST));
        [first].into_iter().chain(all.iter().take(MOST).map(words)).chain(more).collect()
    }
}
