//! The game of a logic program: the player sets the shown atoms of an answer.
//!
//! The player sets each place of the picture to one of its atoms or to none. The literals that are
//! set are assumptions. The picture shows what the rules without constraints derive from them, so
//! that it reveals nothing that the player has not found.
//!
//! ```text
//!   several atoms       unset → number(1,2,1) → … → number(1,2,9) → unset
//!   one atom            unset → shaded(3,4) → not shaded(3,4), if that is visible → unset
//! ```
//!
//! Places whose values follow from the givens and obvious constraints are not offered. A board is
//! won when the atoms that are set are an answer (atoms that are not set are false). Pencil marks
//! are notes and have no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use asp::{Settings, Symbol, Term, signature_of, to_text};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use base::words::count;
use drawing::{Drawing, Lattice, Spot};
use explain::steps::{HintStep, NextStep, StepSearch};
use explain::{ExplainInput, hint};
use picture::Picture;
use prover::Assumptions;
use rustc_hash::{FxHashMap, FxHashSet};

use super::mistake::{Judge, Judgement};
use super::places::{Choice, spots_of};
use super::{Game, GameState, GameView, Move, Place, PlayQuery, QUERY_TIME_LIMIT, Rectangle, no_such_move};

/// Prefix of moves that add or remove a pencil mark.
const PENCIL: &str = "pencil ";
/// Maximum number of steps to search for a hint.
const MAX_STEPS: usize = 300;
/// Maximum number of steps to report in a hint.
const MAX_REPORTED: usize = 6;

/// A logic program in play.
pub(super) struct LogicGame {
    pub judge: Judge,
    /// The assumptions that enforce the obvious constraints
    obvious: Vec<i32>,
    pub sites: Vec<Site>,
    title: String,
    stop: CancelToken,
    /// Drawing atoms with their literals; true for facts
    pub things: Vec<(Symbol, i32, bool)>,
    pub lattice: Lattice,
    /// The sites and values that a move sets, by its name
    moves: FxHashMap<String, Vec<(usize, SiteValue)>>,
    /// The move that sets a literal
    setting: FxHashMap<i32, Move>,
}

/// A place of the picture where values can be set.
pub(super) struct Site {
    pub spot: Spot,
    /// The atoms with their literals
    pub atoms: Vec<(Symbol, i32)>,
    /// For each atom, the cells enclosed by its borders, if it draws nothing else
    covers: Vec<Option<Rectangle>>,
    /// The last arguments of the atoms, if they differ only in these
    signs: Option<Vec<String>>,
    /// There is one atom, and its negation is visible
    shows_not: bool,
}

/// The player's value and pencil marks at a site.
#[derive(Debug, Clone, Default)]
pub(super) struct SiteState {
    pub value: SiteValue,
    /// Indices of atoms
    pencilled: BTreeSet<usize>,
}

/// The value of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SiteValue {
    #[default]
    Unset,
    /// The atom of this index
    Atom(usize),
    /// The negation of the only atom
    Not,
}

/// Creates the game of a program that draws its answers.
///
/// # Errors
/// The program is invalid, or does not draw any shown atom.
pub fn of_program(
    source: &ExplainInput,
    title: &str,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<Box<dyn Game>, Failure> {
    let game = LogicGame::new(source, title, settings, stop)?;
    if game.sites.is_empty() {
        let text = format!("{title}: nothing can be set, for no atom that an answer shows is drawn");
        return Err(Diagnostic::error(Code::InvalidInstance, text)
            .help("rules for draw(…) say where an atom stands: draw(found(R,C,N)) :- number(R,C,N).")
            .into());
    }
    Ok(Box::new(game))
}

impl LogicGame {
    /// Creates a game, which has no site if no shown atom is drawn.
    pub(super) fn new(
        source: &ExplainInput,
        title: &str,
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<Self, Failure> {
        let mut program = hint::relax_constraints(source, settings, stop)?;
        // The ground program is complete after the first solve call.
        let all: Vec<usize> = (0..program.len()).collect();
        program.solve(&all, &[])?;
        let known = program.known_atoms()?;
        let names: FxHashMap<u32, Symbol> =
            known.iter().map(|&(atom, literal, _)| (literal.unsigned_abs(), atom)).collect();
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let things = known.iter().copied().filter(|(atom, ..)| is_drawn(*atom)).collect();
        let lattice = Drawing::lattice(known.iter().map(|(atom, ..)| *atom));
        let (propagation, spots) = {
            let ground = program.ground();
            let ground = ground.lock();
            let candidates: FxHashSet<u32> =
                program.query_atoms().iter().map(|(_, literal)| literal.unsigned_abs()).collect();
            let rules = ground.rules_by_head();
            let is_named = |atom: i32| names.contains_key(&(atom as u32));
            let choice = |&part: &usize| {
                let values = program.values_of_choice(part)?.to_vec();
                let atoms = ground.named_dependencies(program.assumptions(part), &rules, is_named);
                Some(Choice { values, atoms: atoms.into_iter().map(i32::unsigned_abs).collect() })
            };
            let choices: Vec<Choice> = all.iter().filter_map(choice).collect();
            (Assumptions::new(&ground), spots_of(&ground, &names, &candidates, &choices, lattice))
        };
        let obvious = all.iter().filter(|&&part| program.is_obvious(part));
        let obvious = obvious.flat_map(|&part| program.assumptions(part)).copied().collect();
        let mut game = LogicGame {
            judge: Judge::new(program, propagation),
            obvious,
            sites: Vec::new(),
            title: title.to_owned(),
            stop: stop.clone(),
            things,
            lattice,
            moves: FxHashMap::default(),
            setting: FxHashMap::default(),
        };
        game.find_sites(spots, &names);
        game.drop_player_marks();
        game.name_moves()?;
        Ok(game)
    }

    fn find_sites(&mut self, spots: BTreeMap<Spot, Vec<u32>>, names: &FxHashMap<u32, Symbol>) {
        let propagation = &mut self.judge.propagation;
        propagation.assume(&self.obvious);
        let is_open = |atoms: &[u32]| atoms.iter().any(|&atom| propagation.value(atom as i32).is_none());
        let spots: Vec<(Spot, Vec<u32>)> = spots.into_iter().filter(|(_, atoms)| is_open(atoms)).collect();
        propagation.undo();
        let things: FxHashMap<i32, Symbol> = self.things.iter().map(|&(thing, literal, _)| (literal, thing)).collect();
        let mut shown = |literal: i32| {
            let is_possible = propagation.assume(&[literal]);
            let implied = propagation.implied().filter(|_| is_possible);
            let shown: Vec<Symbol> = implied.filter_map(|literal| things.get(&literal).copied()).collect();
            propagation.undo();
            shown
        };
        for (spot, atoms) in spots {
            let all: Vec<i32> = atoms.iter().map(|&atom| atom as i32).collect();
            let seen: Vec<i32> = all.iter().copied().filter(|&literal| !shown(literal).is_empty()).collect();
            let shows_not = matches!(all[..], [literal] if !shown(-literal).is_empty());
            // Values without a visible effect are ignored, unless no value has one.
            let literals = if seen.is_empty() { all } else { seen };
            let covers = literals.iter().map(|&literal| bordered_rectangle(&shown(literal), self.lattice)).collect();
            let atoms: Vec<_> = literals.into_iter().map(|literal| (names[&literal.unsigned_abs()], literal)).collect();
            self.judge.atoms.extend(atoms.iter().map(|(_, literal)| *literal));
            self.sites.push(Site { spot, signs: signs(&atoms), atoms, covers, shows_not });
        }
    }

    /// Removes drawing atoms that look like marks of negated atoms: the player sets those marks,
    /// and could not distinguish them from marks that the program draws at the start.
    fn drop_player_marks(&mut self) {
        let appearance = |thing: Symbol| {
            let thing = thing.arguments().unwrap_or_default().first().copied()?;
            let terms = thing.arguments().unwrap_or_default().into_iter().filter(|term| term.number().is_err());
            Some((signature_of(thing)?.0, terms.collect::<Vec<_>>()))
        };
        let negations: Vec<i32> = self.sites.iter().filter_map(|site| site.literal(SiteValue::Not)).collect();
        let drawn = self.visible_things(&negations);
        let marks = self.things.iter().zip(drawn).filter(|((.., is_fact), drawn)| *drawn && !is_fact);
        let appearances: FxHashSet<_> = marks.filter_map(|((atom, ..), _)| appearance(*atom)).collect();
        self.things.retain(|&(atom, _, is_fact)| {
            !is_fact || appearance(atom).is_none_or(|appearance| !appearances.contains(&appearance))
        });
    }

    fn name_moves(&mut self) -> Result<(), Failure> {
        let atoms = self.sites.iter().flat_map(|site| &site.atoms);
        let both = |&(atom, literal): &(Symbol, i32)| [((atom, true), literal), ((atom, false), -literal)];
        let (literals, numbers): (Vec<(Symbol, bool)>, Vec<i32>) = atoms.flat_map(both).unzip();
        let words = self.judge.program.words().of_literals(&literals)?;
        self.judge.words = numbers.into_iter().zip(words.into_iter().map(|words| words.to_string())).collect();
        for (number, site) in self.sites.iter().enumerate() {
            for value in site.values() {
                let name = site.name(value);
                if let Some(literal) = site.literal(value) {
                    self.setting.insert(literal, Move::new(&name, &self.judge.words[&literal]));
                }
                self.moves.entry(name).or_default().push((number, value));
            }
        }
        Ok(())
    }

    /// The states of the sites after some moves.
    fn states_after(&self, moves: &[String]) -> Result<Vec<SiteState>, Failure> {
        let mut states = vec![SiteState::default(); self.sites.len()];
        for name in moves {
            let pencilled = name.strip_prefix(PENCIL);
            for &(site, value) in self.moves.get(pencilled.unwrap_or(name)).ok_or_else(|| no_such_move(name))? {
                let state = &mut states[site];
                match value {
                    SiteValue::Atom(number) if pencilled.is_some() && self.sites[site].signs.is_some() => {
                        if !state.pencilled.remove(&number) {
                            state.pencilled.insert(number);
                        }
                    }
                    _ if pencilled.is_some() => return Err(no_such_move(name)),
                    SiteValue::Unset if state.value == SiteValue::Unset => state.pencilled.clear(),
                    _ => state.value = value,
                }
            }
        }
        Ok(states)
    }

    /// Returns which things are visible: those that follow from the literals `set` or, if these are
    /// contradictory, from each literal alone.
    pub(super) fn visible_things(&mut self, set: &[i32]) -> Vec<bool> {
        let mut drawn: Vec<bool> = self.things.iter().map(|&(.., is_fact)| is_fact).collect();
        let mut show = |literals: &[i32]| {
            let is_possible = self.judge.propagation.assume(literals);
            for (drawn, &(_, literal, _)) in drawn.iter_mut().zip(&self.things).filter(|_| is_possible) {
                *drawn |= self.judge.propagation.value(literal) == Some(true);
            }
            self.judge.propagation.undo();
            is_possible
        };
        if !show(set) {
            for &literal in set {
                show(&[literal]);
            }
        }
        drawn
    }

    /// Returns the answer whose true atoms are the positive literals of `set`, if there is one.
    fn answer(&mut self, set: &[i32]) -> Result<Option<FxHashSet<Symbol>>, Failure> {
        let atoms = self.sites.iter().flat_map(|site| &site.atoms);
        let literals: Vec<i32> =
            atoms.map(|&(_, literal)| if set.binary_search(&literal).is_ok() { literal } else { -literal }).collect();
        let propagation = &mut self.judge.propagation;
        let is_consistent = propagation.assume(&literals)
            && self.judge.enforced.iter().all(|&literal| propagation.value(literal) != Some(false));
        propagation.undo();
        if !is_consistent {
            return Ok(None);
        }
        let all: Vec<usize> = (0..self.judge.program.len()).collect();
        Ok(self.judge.program.model(&all, &literals)?.map(|atoms| atoms.into_iter().collect()))
    }

    /// Returns the picture. For an answer, it shows all its drawing atoms, except marks of negated
    /// atoms that are not set.
    fn picture(&mut self, set: &[i32], answer: Option<&FxHashSet<Symbol>>) -> Result<Picture, Failure> {
        let mut drawn = self.visible_things(set);
        if let Some(answer) = answer {
            let negations: Vec<i32> = self.sites.iter().filter_map(|site| site.literal(SiteValue::Not)).collect();
            let marks = self.visible_things(&negations);
            for ((drawn, is_mark), (atom, ..)) in drawn.iter_mut().zip(marks).zip(&self.things) {
                *drawn |= !is_mark && answer.contains(atom);
            }
        }
        let seen = self.things.iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|((atom, ..), _)| *atom);
        let (drawing, _) = Drawing::of(&seen.collect::<Vec<_>>(), &self.title)?;
        Ok(drawing.picture(&self.title, &self.stop))
    }

    pub(super) fn place(&self, site: &Site, SiteState { value, pencilled }: &SiteState) -> Place {
        let spot = site.spot.words();
        let value = *value;
        // A value hides pencil marks.
        let pencilled: Vec<usize> = pencilled.iter().copied().filter(|_| value == SiteValue::Unset).collect();
        let is_empty = value == SiteValue::Unset && pencilled.is_empty();
        let values: Vec<SiteValue> = site.values().filter(|&to| to != SiteValue::Unset || !is_empty).collect();
        let at = values.iter().position(|&to| to == value);
        let notes: Vec<&str> = pencilled.iter().filter_map(|&number| site.sign(SiteValue::Atom(number))).collect();
        let words = match site.literal(value) {
            Some(literal) if self.judge.words[&literal].starts_with(&spot) => self.judge.words[&literal].clone(),
            Some(literal) => format!("{spot}: {}", self.judge.words[&literal]),
            None if notes.is_empty() => spot.clone(),
            None => format!("{spot}, pencilled in: {}", notes.join(", ")),
        };
        Place {
            at: site.spot.bounds(self.lattice),
            words,
            next: Some(at.map_or(0, |at| (at + 1) % values.len())),
            options: values.iter().map(|&to| self.option(site, to)).collect(),
            atoms: site.atoms.iter().map(|(atom, _)| to_text(*atom)).collect(),
            pencilled,
            ends: site.spot.ends(self.lattice),
        }
    }

    pub(super) fn option(&self, site: &Site, to: SiteValue) -> Move {
        let nothing = || format!("nothing at {}", site.spot.words());
        let words = site.literal(to).map_or_else(nothing, |literal| self.judge.words[&literal].clone());
        let covers = if let SiteValue::Atom(number) = to { site.covers[number] } else { None };
        Move { name: site.name(to), words, sign: site.sign(to).map(str::to_owned), key: site.key(to), covers }
    }

    /// The places of some literals.
    fn marked(&self, literals: &[i32]) -> Vec<Rectangle> {
        let is_listed = |literal: i32| literals.contains(&literal) || literals.contains(&-literal);
        let has = |site: &&Site| site.atoms.iter().any(|&(_, literal)| is_listed(literal));
        self.sites.iter().filter(has).map(|site| site.spot.bounds(self.lattice)).collect()
    }

    /// Adds the next step and its reason to `view`.
    fn hint(&mut self, set: &[i32], view: &mut GameView, stop: &CancelToken) -> Result<(), Failure> {
        let mut steps = StepSearch::from_known(&mut self.judge.program, set, stop)?;
        let atoms: FxHashMap<Symbol, i32> = self.sites.iter().flat_map(|site| site.atoms.iter().copied()).collect();
        let is_new = |literal: &i32| self.setting.contains_key(literal) && !set.contains(literal);
        let known = |steps: &StepSearch<'_>| -> Vec<i32> {
            let is_known = |literal: &i32| steps.value(*literal) == Some(true);
            atoms.values().copied().filter(is_new).filter(is_known).collect()
        };
        let mut follows = known(&steps);
        let mut chain = Vec::new();
        let mut end = None;
        // Steps whose conclusions cannot be set are collected until one can be set.
        while follows.is_empty() && chain.len() < MAX_STEPS && end.is_none() {
            match steps.next_step()? {
                NextStep::Step(step) => {
                    let of_atom = |&(atom, holds): &(Symbol, bool)| {
                        Some(if holds { *atoms.get(&atom)? } else { -atoms.get(&atom)? })
                    };
                    follows = step.conclusions.iter().filter_map(of_atom).filter(is_new).collect();
                    if follows.is_empty() {
                        // Several steps may obviously imply a conclusion together that none of them
                        // reports.
                        follows = known(&steps);
                    }
                    chain.push(step);
                }
                other => end = Some(other),
            }
        }
        drop(steps);
        let chain = self.needed_steps(set, chain, &follows);
        follows.sort_unstable_by_key(|literal| (*literal < 0, literal.abs()));
        let mut lines = hint::describe_steps(&self.judge.program, &chain)?;
        if let Some(more) = lines.len().checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
            lines.splice(..more, [format!("After {} more:", count(more, "step", "steps"))]);
        }
        if chain.is_empty() && !follows.is_empty() {
            let words: Vec<&str> = follows.iter().map(|literal| self.judge.words[literal].as_str()).collect();
            lines.push(format!("{}: this follows directly from what is set.", words.join(", ")));
        }
        lines.extend(end.map(|end| hint::ending(&end, chain.len())));
        view.marked = self.marked(&follows);
        view.moves = follows.iter().map(|literal| self.setting[literal].clone()).collect();
        view.explanation = Some(lines.join("\n"));
        Ok(())
    }

    /// Returns the steps from which the moves follow or, without moves, the last step and the steps
    /// from which it follows.
    fn needed_steps(&mut self, set: &[i32], steps: Vec<HintStep>, moves: &[i32]) -> Vec<HintStep> {
        let mut literal = |&(atom, holds): &(Symbol, bool)| {
            self.judge.program.literal(atom).map(|literal| if holds { literal } else { -literal })
        };
        let mut follows: Vec<Vec<i32>> =
            steps.iter().map(|step| step.conclusions.iter().filter_map(&mut literal).collect()).collect();
        if !moves.is_empty() {
            follows.push(moves.to_vec());
        }
        let mut is_needed = vec![false; follows.len()];
        if let Some(last) = is_needed.last_mut() {
            *last = true;
        }
        for number in (0..follows.len()).rev() {
            if !is_needed[number] {
                continue;
            }
            let parts = steps.get(number).into_iter().flat_map(|step| &step.reasons);
            let constraints = parts.flat_map(|&part| self.judge.program.assumptions(part));
            let before = follows[..number].iter().flatten();
            let known: Vec<i32> = self.obvious.iter().chain(set).chain(constraints).chain(before).copied().collect();
            for &literal in &follows[number] {
                let is_derived = !self.judge.propagation.assume(&[&known[..], &[-literal]].concat());
                let causes: FxHashSet<i32> = self.judge.propagation.conflict_assumptions().into_iter().collect();
                self.judge.propagation.undo();
                for (earlier, is_needed) in follows[..number].iter().zip(&mut is_needed) {
                    // If propagation does not derive the literal, all earlier steps may be needed.
                    *is_needed |= !is_derived || earlier.iter().any(|literal| causes.contains(literal));
                }
            }
        }
        steps.into_iter().zip(is_needed).filter(|(_, is_needed)| *is_needed).map(|(step, _)| step).collect()
    }

    /// Describes the number of places of a solution that are not set.
    fn distance(&self, set: &[i32]) -> Option<String> {
        let solution = self.judge.solution.as_ref()?;
        let num_unset = solution.iter().filter(|literal| !set.contains(literal)).count();
        Some(format!("{} left to set.", count(num_unset, "place is", "places are")))
    }

    fn answer_query(&mut self, query: PlayQuery, set: &[i32], view: &mut GameView) -> Result<(), Failure> {
        let limited = self.stop.child_until(Instant::now().checked_add(QUERY_TIME_LIMIT));
        let interrupter = self.judge.program.solver().control().interrupter();
        let hooked = limited.token.on_request(move || interrupter.interrupt());
        let chain = self.answer_within(query, set, view, &limited.token);
        drop(hooked);
        if limited.token.requested().is_some() {
            // An interruption that came too late for the last query would end the next one.
            self.judge.program.solve(&[], &[])?;
        }
        chain
    }

    fn answer_within(
        &mut self,
        query: PlayQuery,
        set: &[i32],
        view: &mut GameView,
        stop: &CancelToken,
    ) -> Result<(), Failure> {
        match self.judge.judge(set, stop)? {
            Judgement::Wrong { literals, words } => {
                view.marked = self.marked(&literals);
                view.explanation = Some(words);
            }
            Judgement::Unknown(reason) => {
                let reason = stop.requested().unwrap_or(reason);
                view.explanation = Some(format!("Whether this can be completed is unknown: {}.", reason.words()));
            }
            Judgement::Right => match query {
                PlayQuery::Nothing => {}
                PlayQuery::Mistake => view.words += " No mistake.",
                PlayQuery::Hint => self.hint(set, view, stop)?,
                PlayQuery::Distance => view.distance = self.distance(set),
            },
        }
        Ok(())
    }
}

impl Game for LogicGame {
    fn view_after(&mut self, moves: &[String], query: PlayQuery) -> Result<GameView, Failure> {
        let states = self.states_after(moves)?;
        let sites = || self.sites.iter().zip(&states);
        let mut set: Vec<i32> = sites().filter_map(|(site, states)| site.literal(states.value)).collect();
        set.sort_unstable();
        set.dedup();
        let places = sites().map(|(site, states)| self.place(site, states)).collect();
        let answer = self.answer(&set)?;
        let num_set = states.iter().filter(|states| states.value != SiteValue::Unset).count();
        let mut view = GameView { picture: Some(self.picture(&set, answer.as_ref())?), places, ..GameView::default() };
        (view.state, view.words) = match (&answer, num_set) {
            (Some(_), _) => (GameState::Won, "Solved.".to_owned()),
            (None, 0) => (GameState::Open, "The board is empty.".to_owned()),
            (None, _) => (GameState::Open, format!("{} set.", count(num_set, "place is", "places are"))),
        };
        if answer.is_none() && query != PlayQuery::Nothing {
            self.answer_query(query, &set, &mut view)?;
        }
        Ok(view)
    }
}

impl Site {
    /// The values in the order of clicks.
    pub fn values(&self) -> impl Iterator<Item = SiteValue> + use<> {
        let not = self.shows_not.then_some(SiteValue::Not);
        (0..self.atoms.len()).map(SiteValue::Atom).chain(not).chain([SiteValue::Unset])
    }

    /// The literal that a value assumes.
    pub fn literal(&self, value: SiteValue) -> Option<i32> {
        match value {
            SiteValue::Unset => None,
            SiteValue::Atom(number) => Some(self.atoms[number].1),
            SiteValue::Not => Some(-self.atoms[0].1),
        }
    }

    /// The name of the move that sets a value.
    fn name(&self, value: SiteValue) -> String {
        match value {
            SiteValue::Atom(number) => to_text(self.atoms[number].0),
            SiteValue::Not => format!("not {}", to_text(self.atoms[0].0)),
            SiteValue::Unset => format!("clear {}", self.spot.words()),
        }
    }

    /// The visible sign of a value.
    fn sign(&self, value: SiteValue) -> Option<&str> {
        match (value, &self.signs) {
            (SiteValue::Atom(number), Some(signs)) => Some(&signs[number]),
            _ => None,
        }
    }

    /// The key of a value: its sign, if all signs can be typed; else its initial or its rank.
    fn key(&self, value: SiteValue) -> Option<String> {
        match value {
            SiteValue::Unset => Some("Backspace".to_owned()),
            SiteValue::Not => Some("x".to_owned()),
            SiteValue::Atom(_) if self.atoms.len() == 1 => None,
            SiteValue::Atom(number) => {
                let is_typed = |sign: &String| sign.chars().count() == 1 || sign.parse::<u32>().is_ok();
                if let Some(signs) = self.signs.as_ref().filter(|signs| signs.iter().all(is_typed)) {
                    return Some(signs[number].clone());
                }
                let letter = |(atom, _): &(Symbol, i32)| Some(signature_of(*atom)?.0.get(..1)?.to_owned());
                let letters: Vec<String> = self.atoms.iter().filter_map(letter).collect();
                let different: FxHashSet<&String> = letters.iter().collect();
                let by_rank = || (number < 9).then(|| (number + 1).to_string());
                if different.len() == self.atoms.len() { letters.get(number).cloned() } else { by_rank() }
            }
        }
    }
}

/// The bounding box of things, if all are borders or edges.
fn bordered_rectangle(things: &[Symbol], lattice: Lattice) -> Option<Rectangle> {
    let mut points = Vec::new();
    for &thing in things {
        for spot in Spot::of_atom(thing, lattice)?.1 {
            points.extend(if let Spot::Edge(..) = spot { spot.ends(lattice)? } else { return None });
        }
    }
    let ((num_unset, top), (right, bottom)) = picture::frame(points);
    (num_unset < right && top < bottom).then_some([num_unset, top, right - num_unset, bottom - top])
}

/// The last arguments of several atoms, if they differ only in these.
fn signs(atoms: &[(Symbol, i32)]) -> Option<Vec<String>> {
    let split = |(atom, _): &(Symbol, i32)| {
        let mut terms = atom.arguments().ok()?;
        let last = terms.pop()?;
        Some(((signature_of(*atom)?.0, terms), Term::of(last).text()))
    };
    let (prefixes, signs): (Vec<_>, Vec<String>) =
        atoms.iter().map(split).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    (atoms.len() > 1 && prefixes.windows(2).all(|pair| pair[0] == pair[1])).then_some(signs)
}
