//! The game of a logic program: what is shown of an answer is what a person sets.
//!
//! Each place of the picture takes one of the atoms that stand there, or none; what is set is assumed. The picture shows what
//! follows from that by the rules, with no constraint applied, so that it never tells more than the person has found out.
//!
//! ```text
//!   several atoms       unset → number(1,2,1) → … → number(1,2,9) → unset
//!   one atom            unset → shaded(3,4) → not shaded(3,4), if one would see that → unset
//! ```
//!
//! A place where what is given and obvious constraints leave nothing open is none. A board is won when what is set is an
//! answer; what is not set counts as not holding then. What is pencilled in is a note, and counts nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::mistake::Judged;
use super::places::{Choice, spots_of};
use super::{Asks, Game, Move, PATIENCE, Place, Played, Rectangle, State, no_such_move};
use crate::asp::{Settings, Symbol, Term, signature_of, to_text};
use crate::diagnostic::{Diagnostic, Failure};
use crate::drawing::{Drawing, Lattice, Spot};
use crate::picture::{self, Picture};
use crate::stop::Stop;
use crate::why::propagation::Propagation;
use crate::why::steps::{Next, Step, Steps};
use crate::why::{Source, Switched, hint};
use crate::words::count;

/// The first word of a move that pencils in what the rest would set, or rubs it out.
const PENCIL: &str = "pencil ";
/// Steps on the way to a hint, and how many of those that it needs are told with it.
const MOST_STEPS: usize = 300;
const MOST_TOLD: usize = 6;

/// A logic program in play.
pub(super) struct LogicGame {
    pub switched: Switched,
    pub propagation: Propagation,
    /// What is assumed where all constraints are applied.
    pub enforced: Vec<i32>,
    /// The same for the obvious ones.
    obvious: Vec<i32>,
    /// The literals that are known to be in some solution, or in none.
    pub possible: FxHashMap<i32, bool>,
    /// A solution that was met: the atoms of sites that hold.
    pub solution: Option<FxHashSet<i32>>,
    /// What an atom is called where it holds, and where it does not, by its literal.
    pub words: FxHashMap<i32, String>,
    pub sites: Vec<Site>,
    title: String,
    stop: Stop,
    /// Atoms for the drawing, with their literals, and whether they hold whatever is set.
    pub things: Vec<(Symbol, i32, bool)>,
    lattice: Lattice,
    /// By the name of a move: what it sets.
    moves: FxHashMap<String, Vec<(usize, Value)>>,
    /// The moves that set a literal.
    setting: FxHashMap<i32, Move>,
}

/// A place of the picture where something can be set.
pub(super) struct Site {
    pub spot: Spot,
    /// With their literals.
    pub atoms: Vec<(Symbol, i32)>,
    /// Of each atom the cells within the borders that it draws, if that is all it draws.
    covers: Vec<Option<Rectangle>>,
    /// What tells the atoms apart, where they differ in their last argument alone.
    signs: Option<Vec<String>>,
    /// There is one, and where it does not hold one sees that.
    shows_not: bool,
}

/// What a player has written at a site.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub value: Value,
    /// Numbers of atoms.
    pencilled: BTreeSet<usize>,
}

/// What stands at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Value {
    #[default]
    Unset,
    /// One of its atoms.
    Atom(usize),
    /// Not the one atom that there is.
    Not,
}

/// The game of a program that draws its answers.
///
/// # Errors
/// What is wrong with the program; or that nothing of what it shows is drawn anywhere.
pub fn of_program(source: &Source, title: &str, settings: &Settings, stop: &Stop) -> Result<Box<dyn Game>, Failure> {
    let game = LogicGame::new(source, title, settings, stop)?;
    if game.sites.is_empty() {
        let text = format!("{title}: nothing can be set, for no atom that an answer shows is drawn");
        return Err(Diagnostic::error(text)
            .help("rules for draw(…) say where an atom stands: draw(found(R,C,N)) :- number(R,C,N).")
            .into());
    }
    Ok(Box::new(game))
}

impl LogicGame {
    /// Without a site where no atom that an answer shows is drawn.
    pub(super) fn new(source: &Source, title: &str, settings: &Settings, stop: &Stop) -> Result<Self, Failure> {
        let mut switched = hint::taken_apart(source, settings, stop)?;
        // All of the ground program is there once something was solved.
        let all: Vec<usize> = (0..switched.len()).collect();
        switched.solve(&all, &[])?;
        let known = switched.known_atoms()?;
        let names: FxHashMap<u32, Symbol> =
            known.iter().map(|&(atom, literal, _)| (literal.unsigned_abs(), atom)).collect();
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let things = known.iter().copied().filter(|(atom, ..)| is_drawn(*atom)).collect();
        let lattice = Drawing::lattice(known.iter().map(|(atom, ..)| *atom));
        let (propagation, spots) = {
            let ground = switched.ground();
            let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
            let asked: FxHashSet<u32> =
                switched.questions().iter().map(|(_, literal)| literal.unsigned_abs()).collect();
            let rules = ground.rules_by_head();
            let is_named = |atom: i32| names.contains_key(&(atom as u32));
            let choice = |&part: &usize| {
                let values = switched.values_of_choice(part)?.to_vec();
                let atoms = ground.named_below(switched.assumptions(part), &rules, is_named);
                Some(Choice { values, atoms: atoms.into_iter().map(i32::unsigned_abs).collect() })
            };
            let choices: Vec<Choice> = all.iter().filter_map(choice).collect();
            (Propagation::new(&ground), spots_of(&ground, &names, &asked, &choices, lattice))
        };
        let enforced = all.iter().flat_map(|&part| switched.assumptions(part)).copied().collect();
        let obvious = all.iter().filter(|&&part| switched.is_obvious(part));
        let obvious = obvious.flat_map(|&part| switched.assumptions(part)).copied().collect();
        let mut game = LogicGame {
            switched,
            propagation,
            enforced,
            obvious,
            possible: FxHashMap::default(),
            solution: None,
            words: FxHashMap::default(),
            sites: Vec::new(),
            title: title.to_owned(),
            stop: stop.clone(),
            things,
            lattice,
            moves: FxHashMap::default(),
            setting: FxHashMap::default(),
        };
        game.find_sites(spots, &names);
        game.leave_marks_to_the_player();
        game.name_moves()?;
        Ok(game)
    }

    fn find_sites(&mut self, spots: BTreeMap<Spot, Vec<u32>>, names: &FxHashMap<u32, Symbol>) {
        let propagation = &mut self.propagation;
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
            let shows_not = matches!(all[..], [one] if !shown(-one).is_empty());
            // What one does not see is no choice, unless one sees nothing at all.
            let literals = if seen.is_empty() { all } else { seen };
            let covers = literals.iter().map(|&literal| bordered(&shown(literal), self.lattice)).collect();
            let atoms: Vec<_> = literals.into_iter().map(|literal| (names[&literal.unsigned_abs()], literal)).collect();
            self.sites.push(Site { spot, signs: signs(&atoms), atoms, covers, shows_not });
        }
    }

    /// Marks of what does not hold are the player's own: where the program draws such ones from the start, nobody could tell them
    /// apart.
    fn leave_marks_to_the_player(&mut self) {
        let look = |thing: Symbol| {
            let thing = thing.arguments().unwrap_or_default().first().copied()?;
            let terms = thing.arguments().unwrap_or_default().into_iter().filter(|term| term.number().is_err());
            Some((signature_of(thing)?.0, terms.collect::<Vec<_>>()))
        };
        let none: Vec<i32> = self.sites.iter().filter_map(|site| site.literal(Value::Not)).collect();
        let drawn = self.drawn(&none);
        let marks = self.things.iter().zip(drawn).filter(|((.., is_fact), drawn)| *drawn && !is_fact);
        let looks: FxHashSet<_> = marks.filter_map(|((atom, ..), _)| look(*atom)).collect();
        self.things.retain(|&(atom, _, is_fact)| !is_fact || look(atom).is_none_or(|look| !looks.contains(&look)));
    }

    fn name_moves(&mut self) -> Result<(), Failure> {
        let atoms = self.sites.iter().flat_map(|site| &site.atoms);
        let both = |&(atom, literal): &(Symbol, i32)| [((atom, true), literal), ((atom, false), -literal)];
        let (literals, numbers): (Vec<(Symbol, bool)>, Vec<i32>) = atoms.flat_map(both).unzip();
        let words = self.switched.words().of_literals(&literals)?;
        self.words = numbers.into_iter().zip(words).collect();
        for (number, site) in self.sites.iter().enumerate() {
            for value in site.values() {
                let name = site.name(value);
                if let Some(literal) = site.literal(value) {
                    self.setting.insert(literal, Move::new(&name, &self.words[&literal]));
                }
                self.moves.entry(name).or_default().push((number, value));
            }
        }
        Ok(())
    }

    /// What is written after some moves.
    fn written_after(&self, moves: &[String]) -> Result<Vec<Written>, Failure> {
        let mut written = vec![Written::default(); self.sites.len()];
        for name in moves {
            let pencilled = name.strip_prefix(PENCIL);
            for &(site, value) in self.moves.get(pencilled.unwrap_or(name)).ok_or_else(|| no_such_move(name))? {
                let there = &mut written[site];
                match value {
                    Value::Atom(number) if pencilled.is_some() && self.sites[site].signs.is_some() => {
                        if !there.pencilled.remove(&number) {
                            there.pencilled.insert(number);
                        }
                    }
                    _ if pencilled.is_some() => return Err(no_such_move(name)),
                    Value::Unset if there.value == Value::Unset => there.pencilled.clear(),
                    _ => there.value = value,
                }
            }
        }
        Ok(written)
    }

    /// Which of the things one sees: what follows from what is set; where that contradicts itself, from each of it alone.
    pub(super) fn drawn(&mut self, set: &[i32]) -> Vec<bool> {
        let mut drawn: Vec<bool> = self.things.iter().map(|&(.., is_fact)| is_fact).collect();
        let mut see = |literals: &[i32]| {
            let is_possible = self.propagation.assume(literals);
            for (drawn, &(_, literal, _)) in drawn.iter_mut().zip(&self.things).filter(|_| is_possible) {
                *drawn |= self.propagation.value(literal) == Some(true);
            }
            self.propagation.undo();
            is_possible
        };
        if !see(set) {
            set.iter().for_each(|&literal| _ = see(&[literal]));
        }
        drawn
    }

    /// The answer that is set, if it is one.
    fn answer(&mut self, set: &[i32]) -> Result<Option<FxHashSet<Symbol>>, Failure> {
        let atoms = self.sites.iter().flat_map(|site| &site.atoms);
        let literals: Vec<i32> =
            atoms.map(|&(_, own)| if set.binary_search(&own).is_ok() { own } else { -own }).collect();
        let propagation = &mut self.propagation;
        let may_be = propagation.assume(&literals)
            && self.enforced.iter().all(|&literal| propagation.value(literal) != Some(false));
        propagation.undo();
        if !may_be {
            return Ok(None);
        }
        let all: Vec<usize> = (0..self.switched.len()).collect();
        Ok(self.switched.model(&all, &literals)?.map(|atoms| atoms.into_iter().collect()))
    }

    /// The picture; of an answer with all that it draws but for marks of what does not hold.
    fn picture(&mut self, set: &[i32], answer: Option<&FxHashSet<Symbol>>) -> Result<Picture, Failure> {
        let mut drawn = self.drawn(set);
        if let Some(answer) = answer {
            let none: Vec<i32> = self.sites.iter().filter_map(|site| site.literal(Value::Not)).collect();
            let marks = self.drawn(&none);
            for ((drawn, is_mark), (atom, ..)) in drawn.iter_mut().zip(marks).zip(&self.things) {
                *drawn |= !is_mark && answer.contains(atom);
            }
        }
        let seen = self.things.iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|((atom, ..), _)| *atom);
        let (drawing, _) = Drawing::of(&seen.collect::<Vec<_>>(), &self.title)?;
        Ok(drawing.picture(&self.title, &self.stop))
    }

    pub(super) fn place(&self, site: &Site, Written { value, pencilled }: &Written) -> Place {
        let (spot, value) = (site.spot.words(), *value);
        // While a value stands there one does not see what was pencilled in.
        let pencilled: Vec<usize> = pencilled.iter().copied().filter(|_| value == Value::Unset).collect();
        let is_empty = value == Value::Unset && pencilled.is_empty();
        let values: Vec<Value> = site.values().filter(|&to| to != Value::Unset || !is_empty).collect();
        let at = values.iter().position(|&to| to == value);
        let notes: Vec<&str> = pencilled.iter().filter_map(|&number| site.sign(Value::Atom(number))).collect();
        let words = match site.literal(value) {
            Some(literal) => format!("{spot}: {}", self.words[&literal]),
            None if notes.is_empty() => spot.clone(),
            None => format!("{spot}, pencilled in: {}", notes.join(", ")),
        };
        Place {
            at: site.spot.at(self.lattice),
            words,
            next: Some(at.map_or(0, |at| (at + 1) % values.len())),
            options: values.iter().map(|&to| self.option(site, to)).collect(),
            atoms: site.atoms.iter().map(|(atom, _)| to_text(*atom)).collect(),
            pencilled,
            ends: site.spot.ends(self.lattice),
        }
    }

    pub(super) fn option(&self, site: &Site, to: Value) -> Move {
        let nothing = || format!("nothing at {}", site.spot.words());
        let words = site.literal(to).map_or_else(nothing, |literal| self.words[&literal].clone());
        let covers = if let Value::Atom(number) = to { site.covers[number] } else { None };
        Move { name: site.name(to), words, sign: site.sign(to).map(str::to_owned), key: site.key(to), covers }
    }

    /// The places where some literals are set, or can be.
    fn marked(&self, literals: &[i32]) -> Vec<Rectangle> {
        let is_told = |own: i32| literals.contains(&own) || literals.contains(&-own);
        let has = |site: &&Site| site.atoms.iter().any(|&(_, own)| is_told(own));
        self.sites.iter().filter(has).map(|site| site.spot.at(self.lattice)).collect()
    }

    /// What can be set next, and why.
    fn hint(&mut self, set: &[i32], played: &mut Played, stop: &Stop) -> Result<(), Failure> {
        let mut steps = Steps::after(&mut self.switched, set, stop)?;
        let atoms: FxHashMap<Symbol, i32> = self.sites.iter().flat_map(|site| site.atoms.iter().copied()).collect();
        let is_new = |literal: &i32| self.setting.contains_key(literal) && !set.contains(literal);
        let known = |steps: &Steps<'_>| -> Vec<i32> {
            let is_known = |literal: &i32| steps.value(*literal) == Some(true);
            atoms.values().copied().filter(is_new).filter(is_known).collect()
        };
        let mut follows = known(&steps);
        let (mut told, mut end) = (Vec::new(), None);
        // What cannot be set is told on the way to something that can.
        while follows.is_empty() && told.len() < MOST_STEPS && end.is_none() {
            match steps.next_step()? {
                Next::Step(step) => {
                    let of_atom = |&(atom, holds): &(Symbol, bool)| {
                        Some(if holds { *atoms.get(&atom)? } else { -atoms.get(&atom)? })
                    };
                    follows = step.follows.iter().filter_map(of_atom).filter(is_new).collect();
                    if follows.is_empty() {
                        // What several steps obviously imply together is told by none of them.
                        follows = known(&steps);
                    }
                    told.push(step);
                }
                other => end = Some(other),
            }
        }
        drop(steps);
        let told = self.needed(set, told, &follows);
        follows.sort_unstable_by_key(|literal| (*literal < 0, literal.abs()));
        let mut lines = hint::in_words(&self.switched, &told)?;
        if let Some(more) = lines.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
            lines.splice(..more, [format!("After {} before:", count(more, "step", "steps"))]);
        }
        if told.is_empty() && !follows.is_empty() {
            let words: Vec<&str> = follows.iter().map(|literal| self.words[literal].as_str()).collect();
            lines.push(format!("{}: what is set says so at once.", words.join(", ")));
        }
        lines.extend(end.map(|end| hint::ending(&end, told.len())));
        played.marked = self.marked(&follows);
        played.moves = follows.iter().map(|literal| self.setting[literal].clone()).collect();
        played.because = Some(lines.join("\n"));
        Ok(())
    }

    /// Those of some steps from which the moves follow; without moves the last, and those before from which it follows.
    fn needed(&mut self, set: &[i32], steps: Vec<Step>, moves: &[i32]) -> Vec<Step> {
        let mut literal =
            |&(atom, holds): &(Symbol, bool)| self.switched.literal(atom).map(|own| if holds { own } else { -own });
        let mut follows: Vec<Vec<i32>> =
            steps.iter().map(|step| step.follows.iter().filter_map(&mut literal).collect()).collect();
        if !moves.is_empty() {
            follows.push(moves.to_vec());
        }
        let mut is_needed = vec![false; follows.len()];
        is_needed.iter_mut().last().into_iter().for_each(|last| *last = true);
        for number in (0..follows.len()).rev() {
            if !is_needed[number] {
                continue;
            }
            let because = steps.get(number).into_iter().flat_map(|step| &step.because);
            let because = because.flat_map(|&part| self.switched.assumptions(part));
            let before = follows[..number].iter().flatten();
            let known: Vec<i32> = self.obvious.iter().chain(set).chain(because).chain(before).copied().collect();
            for &literal in &follows[number] {
                let is_seen = !self.propagation.assume(&[&known[..], &[-literal]].concat());
                let causes: FxHashSet<i32> = self.propagation.causes().into_iter().collect();
                self.propagation.undo();
                for (earlier, is_needed) in follows[..number].iter().zip(&mut is_needed) {
                    // What propagation does not see, all before may be needed for.
                    *is_needed |= !is_seen || earlier.iter().any(|literal| causes.contains(literal));
                }
            }
        }
        steps.into_iter().zip(is_needed).filter(|(_, is_needed)| *is_needed).map(|(step, _)| step).collect()
    }

    /// How many places a solution has that are not set.
    fn distance(&self, set: &[i32]) -> Option<String> {
        let solution = self.solution.as_ref()?;
        let left = solution.iter().filter(|literal| !set.contains(literal)).count();
        Some(format!("{} left to set.", count(left, "place is", "places are")))
    }

    fn tell(&mut self, asks: Asks, set: &[i32], played: &mut Played) -> Result<(), Failure> {
        let soon = self.stop.by(Instant::now().checked_add(PATIENCE));
        let interrupter = self.switched.solver().control().interrupter();
        let hooked = soon.stop.on_request(move || interrupter.interrupt());
        let told = self.tell_soon(asks, set, played, &soon.stop);
        drop(hooked);
        if soon.stop.requested().is_some() {
            // What came too late to end the last question would end the next one.
            self.switched.solve(&[], &[])?;
        }
        told
    }

    fn tell_soon(&mut self, asks: Asks, set: &[i32], played: &mut Played, stop: &Stop) -> Result<(), Failure> {
        match self.judge(set, stop)? {
            Judged::Wrong { literals, words } => {
                played.marked = self.marked(&literals);
                played.because = Some(words);
            }
            Judged::Unknown(reason) => {
                let reason = stop.requested().unwrap_or(reason);
                played.because = Some(format!("Whether this can be completed is not known: {}.", reason.words()));
            }
            Judged::Right => match asks {
                Asks::Nothing => {}
                Asks::Mistake => played.words += " No mistake.",
                Asks::Hint => self.hint(set, played, stop)?,
                Asks::Distance => played.distance = self.distance(set),
            },
        }
        Ok(())
    }
}

impl Game for LogicGame {
    fn look(&mut self, moves: &[String], asks: Asks) -> Result<Played, Failure> {
        let written = self.written_after(moves)?;
        let sites = || self.sites.iter().zip(&written);
        let mut set: Vec<i32> = sites().filter_map(|(site, written)| site.literal(written.value)).collect();
        set.sort_unstable();
        set.dedup();
        let places = sites().map(|(site, written)| self.place(site, written)).collect();
        let answer = self.answer(&set)?;
        let is_set = written.iter().filter(|written| written.value != Value::Unset).count();
        let mut played = Played { picture: Some(self.picture(&set, answer.as_ref())?), places, ..Played::default() };
        (played.state, played.words) = match (&answer, is_set) {
            (Some(_), _) => (State::Won, "Solved.".to_owned()),
            (None, 0) => (State::Open, "Nothing is set yet.".to_owned()),
            (None, _) => (State::Open, format!("{} set.", count(is_set, "place is", "places are"))),
        };
        if answer.is_none() && asks != Asks::Nothing {
            self.tell(asks, &set, &mut played)?;
        }
        Ok(played)
    }
}

impl Site {
    /// In the order in which clicks come to them.
    pub fn values(&self) -> impl Iterator<Item = Value> + use<> {
        let not = self.shows_not.then_some(Value::Not);
        (0..self.atoms.len()).map(Value::Atom).chain(not).chain([Value::Unset])
    }

    /// What is assumed.
    pub fn literal(&self, value: Value) -> Option<i32> {
        match value {
            Value::Unset => None,
            Value::Atom(number) => Some(self.atoms[number].1),
            Value::Not => Some(-self.atoms[0].1),
        }
    }

    /// What a move is called that sets it so.
    fn name(&self, value: Value) -> String {
        match value {
            Value::Atom(number) => to_text(self.atoms[number].0),
            Value::Not => format!("not {}", to_text(self.atoms[0].0)),
            Value::Unset => format!("clear {}", self.spot.words()),
        }
    }

    /// What one reads there of a value.
    fn sign(&self, value: Value) -> Option<&str> {
        match (value, &self.signs) {
            (Value::Atom(number), Some(signs)) => Some(&signs[number]),
            _ => None,
        }
    }

    /// The key that sets it so: its sign, where all of them can be typed; else its letter or its rank.
    fn key(&self, value: Value) -> Option<String> {
        match value {
            Value::Unset => Some("Backspace".to_owned()),
            Value::Not => Some("x".to_owned()),
            Value::Atom(_) if self.atoms.len() == 1 => None,
            Value::Atom(number) => {
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

/// What holds all of these, if they are borders or edges and nothing else.
fn bordered(things: &[Symbol], lattice: Lattice) -> Option<Rectangle> {
    let mut points = Vec::new();
    for &thing in things {
        for spot in Spot::of_atom(thing, lattice)?.1 {
            points.extend(if let Spot::Edge(..) = spot { spot.ends(lattice)? } else { return None });
        }
    }
    let ((left, top), (right, bottom)) = picture::frame(points);
    (left < right && top < bottom).then_some([left, top, right - left, bottom - top])
}

/// The last arguments of several atoms, if these differ in nothing else.
fn signs(atoms: &[(Symbol, i32)]) -> Option<Vec<String>> {
    let parted = |(atom, _): &(Symbol, i32)| {
        let mut terms = atom.arguments().ok()?;
        let last = terms.pop()?;
        Some(((signature_of(*atom)?.0, terms), Term::of(last).text()))
    };
    let (same, signs): (Vec<_>, Vec<String>) =
        atoms.iter().map(parted).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    (atoms.len() > 1 && same.windows(2).all(|pair| pair[0] == pair[1])).then_some(signs)
}
