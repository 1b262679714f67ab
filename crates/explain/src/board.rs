//! The board of a program after each step.

use std::collections::{BTreeMap, BTreeSet};

use asp::{Symbol, Term, signature_of};
use base::diagnostic::Failure;
use drawing::{Drawing, Lattice};

use super::RelaxedProgram;
use super::phrase::Cell;
use super::steps::StepSearch;

/// Colors of cells with new conclusions on the page: the background, and the border of cells that
/// already have a background.
const NEW_COLORS: [&str; 2] = ["#ffe9a8", "#e09f00"];
/// The same colors for the cells of the reasons.
const REASON_COLORS: [&str; 2] = ["#dbe8fb", "#3f7fd6"];

/// The cells of the conclusions of a step, and the other cells of its reasons.
pub type StepCells = [BTreeSet<Cell>; 2];

/// The drawing of the known atoms after each step, as frames. Known atoms remain known.
#[derive(Debug, Clone)]
pub struct BoardHistory {
    /// Atoms `draw(Thing)`, each with its literal and the first frame in which it was known.
    things: Vec<(Symbol, i32, Option<usize>)>,
    /// The atoms that steps are about, each with its literal.
    values: Vec<(Symbol, i32, Option<Learned>)>,
    frames: usize,
}

/// The first frame in which an atom is known, and true if it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    pub frame: usize,
    pub holds: bool,
}

impl BoardHistory {
    pub fn of(relaxed: &mut RelaxedProgram) -> Result<Self, Failure> {
        let is_drawn = |atom: Symbol| signature_of(atom) == Some(("draw", 1));
        let known = relaxed.known_atoms()?.into_iter().filter(|(atom, ..)| is_drawn(*atom));
        let things = known.map(|(atom, literal, is_fact)| (atom, literal, is_fact.then_some(0)));
        let things = things.collect();
        let values = relaxed.query_atoms().iter().map(|&(atom, literal)| (atom, literal, None)).collect();
        Ok(BoardHistory { things, values, frames: 0 })
    }

    /// Adds a frame with the atoms that are known now.
    pub fn add_frame(&mut self, steps: &StepSearch<'_>) {
        for (_, literal, since) in self.things.iter_mut().filter(|(.., since)| since.is_none()) {
            *since = (steps.value(*literal) == Some(true)).then_some(self.frames);
        }
        for (_, literal, learned) in self.values.iter_mut().filter(|(.., learned)| learned.is_none()) {
            *learned = steps.value(*literal).map(|holds| Learned { frame: self.frames, holds });
        }
        self.frames += 1;
    }

    /// Returns the atoms that steps are about and that are known in the end.
    pub fn learned(&self) -> impl Iterator<Item = (Symbol, Learned)> + '_ {
        self.values.iter().filter_map(|&(atom, _, learned)| Some((atom, learned?)))
    }

    /// Returns the atoms that are known in `frame`.
    fn known_in(&self, frame: usize) -> impl Iterator<Item = Symbol> + '_ {
        let is_known = move |since: Option<usize>| since.is_some_and(|since| since <= frame);
        self.things.iter().filter(move |(.., since)| is_known(*since)).map(|(atom, ..)| *atom)
    }

    pub fn frames(&self) -> usize {
        self.frames
    }

    pub fn lattice(&self) -> Lattice {
        Drawing::lattice(self.things.iter().map(|(atom, ..)| *atom))
    }

    /// Returns the cells whose values are drawn as texts: for each value of a cell, its text, and
    /// when it is learned whether the cell has it.
    pub fn candidates(&self) -> BTreeMap<Cell, Vec<(String, Option<Learned>)>> {
        let drawn: BTreeSet<Vec<Symbol>> = self
            .things
            .iter()
            .filter_map(|(atom, ..)| atom.arguments().ok()?.first()?.arguments().ok())
            .filter(|terms| terms.len() == 3)
            .collect();
        let mut cells: BTreeMap<Cell, Vec<(String, Option<Learned>)>> = BTreeMap::new();
        for &(atom, _, learned) in &self.values {
            let Ok(terms) = atom.arguments() else { continue };
            if let [row, column, value] = terms[..]
                && let (Ok(row), Ok(column)) = (row.number(), column.number())
                && drawn.contains(&terms)
            {
                cells.entry((row, column)).or_default().push((Term::of(value).text(), learned));
            }
        }
        cells
    }

    fn drawing_of(&self, source: &str, frame: usize) -> Result<Drawing, Failure> {
        Ok(Drawing::of(&self.known_in(frame).collect::<Vec<_>>(), source)?.0)
    }

    /// Returns the drawing of the last frame, with marks on the cells that changed and on the cells
    /// of a step.
    pub fn drawing(&self, source: &str, step: Option<StepCells>) -> Result<Drawing, Failure> {
        let last = self.drawing_of(source, self.frames - 1)?;
        let Some(step) = step.filter(|_| self.frames > 1) else { return Ok(last) };
        let [conclusion_cells, reason_cells] = step.map(|cells| cells.into_iter().filter(|&cell| last.has_cell(cell)));
        let mut marks = last.differences(&self.drawing_of(source, self.frames - 2)?);
        marks.extend(conclusion_cells);
        let reason_cells: BTreeSet<Cell> = reason_cells.filter(|cell| !marks.contains(cell)).collect();
        Ok(last.with_marks(&marks).with_reasons(&reason_cells))
    }

    /// Returns an animated drawing of all frames, in which the cells that changed, and those of the
    /// step that leads to a frame, get a background.
    pub fn animation(&self, source: &str, captions: &[String], steps: &[StepCells]) -> Result<Drawing, Failure> {
        let frame_number = |frame: usize| asp::number(i32::try_from(frame + 1).unwrap_or(i32::MAX));
        let function = |name: &str, arguments: &[Symbol]| asp::function(name, arguments).expect("the name has no NUL");
        let mut atoms: Vec<Symbol> = self.known_in(0).collect();
        let mut before = self.drawing_of(source, 0)?;
        let draws = |atom: &Symbol, name: &str| {
            atom.arguments().is_ok_and(|thing| signature_of(thing[0]).is_some_and(|signature| signature.0 == name))
        };
        let has_corners = !self.things.iter().any(|(atom, ..)| draws(atom, "lattice"));
        for frame in 0..self.frames {
            let thing = |atom: Symbol| atom.arguments().unwrap_or_default();
            for &(atom, ..) in self.things.iter().filter(|(.., since)| since.is_some_and(|at| at > 0 && at <= frame)) {
                atoms.push(function("draw", &[thing(atom)[0], frame_number(frame)]));
            }
            if let Some(caption) = captions.get(frame).and_then(|caption| asp::string(caption)) {
                atoms.push(function("draw", &[function("caption", &[caption]), frame_number(frame)]));
            }
            if frame == 0 {
                continue;
            }
            let now = self.drawing_of(source, frame)?;
            let filled: BTreeSet<(Term, Term)> = self
                .known_in(frame)
                .filter_map(|atom| thing(atom).first().copied())
                .filter(|&fill| signature_of(fill) == Some(("fill", 3)))
                .map(thing)
                .map(|terms| (Term::of(terms[0]), Term::of(terms[1])))
                .collect();
            let [conclusion_cells, reason_cells] = steps.get(frame - 1).cloned().unwrap_or_default();
            let new_cells: BTreeSet<Cell> = now.differences(&before).union(&conclusion_cells).copied().collect();
            let reason_cells = reason_cells.difference(&new_cells).map(|&cell| (cell, REASON_COLORS));
            for ((row, column), colors) in new_cells.iter().map(|&cell| (cell, NEW_COLORS)).chain(reason_cells) {
                let [ground, rim] = colors.map(|color| asp::string(color).expect("a color has no NUL"));
                let [top, left, bottom, right] = [row, column, row + 1, column + 1].map(asp::number);
                let marks = match filled.contains(&(Term::Number(row), Term::Number(column))) {
                    // A line may cross the gaps between cells.
                    _ if !now.has_cell((row, column)) => continue,
                    false => vec![function("fill", &[top, left, ground])],
                    true if has_corners => [
                        [top, left, top, right],
                        [bottom, left, bottom, right],
                        [top, left, bottom, left],
                        [top, right, bottom, right],
                    ]
                    .map(|[from, along, to, across]| function("edge", &[from, along, to, across, rim]))
                    .to_vec(),
                    true => continue,
                };
                atoms.extend(marks.into_iter().map(|mark| function("draw", &[mark, frame_number(frame)])));
            }
            before = now;
        }
        Ok(Drawing::of(&atoms, source)?.0)
    }
}
