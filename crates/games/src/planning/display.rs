//! Drawings of states, from the rules for `draw`, and descriptions of states and moves, from trace
//! comments. In the rules for `draw`, a state is a set of atoms `holds(F)`.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use asp::Symbol;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::sorting;
use base::stop::CancelToken;
use drawing::Drawing;
use explain::Wording;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use statespace::planning::Invariant;

use super::read::GameAtoms;
use super::replay::FluentSet;

/// Time limit for drawing one state, which normally takes milliseconds.
const MAX_DRAWING_TIME: Duration = Duration::from_secs(5);

pub struct GameDisplay {
    program: asp::Program,
    settings: asp::Settings,
    /// The token of the job that parsed the board.
    stop: CancelToken,
    draws: bool,
    holds: Vec<Symbol>,
    moves: Vec<Symbol>,
    /// The atoms to which conditions in trace comments may refer.
    facts: Vec<Symbol>,
    solver: Mutex<Option<asp::Solver>>,
    /// Descriptions of all moves, of all fluents that hold, and of all fluents that do not.
    words: [OnceLock<Result<Vec<String>, Failure>>; 3],
}

impl GameDisplay {
    pub fn of(program: &asp::Program, settings: &asp::Settings, ground: &GameAtoms, stop: &CancelToken) -> GameDisplay {
        let draws = program.documents().any(drawing::draws);
        let atoms = |name: &str, terms: &[Symbol]| -> Vec<Symbol> {
            terms.iter().filter_map(|&term| asp::function(name, &[term])).collect()
        };
        GameDisplay {
            program: program.clone(),
            settings: settings.clone(),
            stop: stop.clone(),
            draws,
            holds: atoms("holds", &ground.fluents),
            moves: atoms("move", &ground.moves),
            facts: ground.facts.clone(),
            solver: Mutex::new(None),
            words: Default::default(),
        }
    }

    /// The `draw` atoms of a state.
    fn drawn_atoms(&self, state: &FluentSet) -> Result<Vec<Symbol>, Failure> {
        let mut cached = self.solver.lock();
        let solver = match &mut *cached {
            Some(solver) => solver,
            empty => {
                let mut program = self.program.clone();
                let choices =
                    self.holds.iter().map(|&atom| format!("{{ {} }}.\n", asp::to_text(atom))).collect::<String>();
                program.additions.push(Document::in_memory("<state>", choices));
                // Each drawing has its own token, below.
                empty.insert(asp::Solver::with_program(&program, &self.settings, &CancelToken::new())?)
            }
        };
        let assumed: Vec<(Symbol, bool)> =
            (0..).zip(&self.holds).map(|(fluent, &atom)| (atom, state.contains(&fluent))).collect();
        let mut drawn = None;
        // After a cancellation, the results found before it are still drawn.
        let job = if self.stop.requested().is_none() { self.stop.clone() } else { CancelToken::new() };
        let limited = job.child_until(Instant::now().checked_add(MAX_DRAWING_TIME));
        let interrupter = solver.control().interrupter();
        let hooked = limited.token.on_request(move || interrupter.interrupt());
        let solved = solver.solve(&assumed, |model| {
            let atoms =
                model.atoms().map(|atoms| atoms.filter(|&atom| Drawing::is_draw_atom(atom)).collect::<Vec<_>>());
            drawn = Some(atoms);
            std::ops::ControlFlow::Break(())
        });
        drop(hooked);
        if let Some(reason) = limited.token.requested() {
            // An interruption that comes too late would end the next solve call.
            *cached = None;
            if drawn.is_none() {
                return Err(Diagnostic::error(
                    Code::Stopped,
                    format!("the drawing of a state gave up: {}", reason.words()),
                )
                .into());
            }
        }
        solved?;
        drawn.transpose()?.ok_or_else(|| {
            Diagnostic::error(
                Code::InvalidDrawing,
                "the rules that draw a state have no answer: they must not constrain `holds`",
            )
            .into()
        })
    }

    /// Returns a drawing with one frame for each state.
    pub fn drawing(&self, states: &[FluentSet]) -> Result<Drawing, Failure> {
        if !self.draws {
            return Ok(Drawing::default());
        }
        let frames = states.iter().map(|state| self.drawn_atoms(state)).collect::<Result<Vec<_>, Failure>>()?;
        let mut constant_atoms: FxHashSet<Symbol> = frames[0].iter().copied().collect();
        for frame in &frames {
            let frame_atoms: FxHashSet<Symbol> = frame.iter().copied().collect();
            constant_atoms.retain(|atom| frame_atoms.contains(atom));
        }
        let in_frame = |number: i32, atom: Symbol| -> Option<Symbol> {
            let [thing] = atom.arguments().ok()?[..] else { return Some(atom) };
            asp::function("draw", &[thing, asp::number(number)])
        };
        let changing = (1..).zip(&frames).flat_map(|(number, frame)| {
            frame.iter().filter(|atom| !constant_atoms.contains(atom)).filter_map(move |&atom| in_frame(number, atom))
        });
        let mut atoms: Vec<Symbol> = constant_atoms.iter().copied().chain(changing).collect();
        atoms.sort_unstable();
        Drawing::of(&atoms, "the game").map(|(drawing, _)| drawing)
    }

    /// Describes atoms that hold, or that do not hold.
    fn describe_all(&self, atoms: &[Symbol], holds: bool) -> Result<Vec<String>, Failure> {
        let documents: Vec<Document> = self.program.documents().cloned().collect();
        let mut words = Wording::of(&documents, &asp::statements_of(&self.program)?)?;
        words.given.clone_from(&self.facts);
        let literals: Vec<(Symbol, bool)> = atoms.iter().map(|&atom| (atom, holds)).collect();
        let descriptions = words.of_literals(&literals)?;
        // Without a trace comment, use the term itself.
        let without_predicate = |(&atom, description): (&Symbol, String)| {
            let brief = asp::to_text_truncated(atom);
            let term =
                || atom.arguments().ok().and_then(|terms| terms.first().map(|&term| asp::to_text_truncated(term)));
            match description.strip_suffix(&brief) {
                Some(not) => format!("{not}{}", term().unwrap_or_default()),
                None => description,
            }
        };
        Ok(atoms.iter().zip(descriptions.iter().map(ToString::to_string)).map(without_predicate).collect())
    }

    pub fn describe_move(&self, action: u32) -> String {
        let words = self.words[0].get_or_init(|| self.describe_all(&self.moves, true));
        words.as_ref().map_or_else(|_| String::new(), |words| words[action as usize].clone())
    }

    pub fn describe_fluent(&self, fluent: u32, holds: bool) -> String {
        let words = self.words[if holds { 1 } else { 2 }].get_or_init(|| self.describe_all(&self.holds, holds));
        words.as_ref().map_or_else(|_| String::new(), |words| words[fluent as usize].clone())
    }

    /// Describes an invariant that separates the start from the goal, and the fluents that it
    /// counts.
    pub fn describe_invariant(&self, invariant: &Invariant, start: u32, goal: u32) -> Vec<String> {
        const MAX_FLUENTS: usize = 12;
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
            1 => self.describe_fluent(fluent, true),
            weight => format!("{weight} times: {}", self.describe_fluent(fluent, true)),
        };
        let more = (all.len() > MAX_FLUENTS).then(|| format!("and {} more", all.len() - MAX_FLUENTS));
        [first].into_iter().chain(all.iter().take(MAX_FLUENTS).map(words)).chain(more).collect()
    }
}
