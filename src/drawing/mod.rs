//! Drawings that a logic program derives as atoms.
//!
//! Any program may say what its answers look like: `draw(Thing)`, or `draw(Thing,Frame)` where something moves. The things of a
//! grid are cells with what fills them and stands in them, the borders between them, lines through them and edges along them.
//!
//! ```
//! use asp_solve::asp::parse_term;
//! use asp_solve::drawing::Drawing;
//! use asp_solve::report::Style;
//!
//! let atoms = ["draw(given(1,1,3))", "draw(found(1,2,4))", "draw(border(1,1,1,2,thick))"];
//! let atoms: Vec<_> = atoms.into_iter().filter_map(parse_term).collect();
//! let (drawing, _warnings) = Drawing::of(&atoms, "sums.lp")?;
//! assert_eq!(drawing.text(&Style::default()), "┏━━━┳━━━┓\n┃[3]┃ 4 ┃\n┗━━━┻━━━┛\n");
//! # Ok::<(), asp_solve::Failure>(())
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `read.rs` | reads the atoms |
//! | `lattice.rs` | squares, hexagons and triangles |
//! | `grid.rs` | what is drawn in one frame |
//! | `text.rs`, `boxes.rs` | the grid in a terminal |
//! | `image.rs` | the grid as a picture |
//! | `spot.rs` | where things stand, to be pointed at |
//! | `clingraph.rs`, `template.rs`, `color.rs` | graphs, in the words of clingraph; their values and colours |
//! | `rules.rs` | programs that derive a drawing from an answer |

mod boxes;
mod clingraph;
mod color;
mod grid;
mod image;
mod lattice;
mod read;
mod rules;
mod spot;
mod template;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::asp::{self, signature_of, to_text};
use crate::diagnostic::{Diagnostic, Failure};
use crate::graph::Graph;
use crate::picture::Picture;
use crate::report::Style;
use crate::stop::Stop;
use clingraph::Clingraph;
pub use clingraph::Vocabulary;
use grid::{Cell, Extent, Grid, Half, Place, Side};
pub use image::Layers;
pub use lattice::Lattice;
pub use read::THINGS;
use read::Wrong;
pub use rules::{Derived, Rules};
pub use spot::{Spot, Weight};

/// Cells that a drawing may have, in all frames together.
const MOST_CELLS: usize = 2_000_000;

/// What an answer looks like.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    /// What is in every frame.
    still: Grid,
    /// What is in one frame besides.
    frames: BTreeMap<i32, Grid>,
    /// Cells that one is to look at.
    marks: BTreeSet<Place>,
    /// Those that say why.
    reasons: BTreeSet<Place>,
    extent: Option<Extent>,
    graph: Clingraph,
}

impl Drawing {
    /// Whether an atom says what is drawn.
    pub fn is_of(atom: asp::Symbol) -> bool {
        matches!(asp::signature_of(atom), Some(("draw", 1 | 2)))
    }

    /// The drawing among the atoms of an answer, and warnings.
    ///
    /// # Errors
    /// The first atom that says nothing that can be drawn; `source` tells whose atoms they are.
    pub fn of(atoms: &[asp::Symbol], source: &str) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        Drawing::written(atoms, source, &Vocabulary::default())
    }

    /// The same where the atoms of graphs are written otherwise.
    ///
    /// # Errors
    /// As [`Drawing::of`].
    pub fn written(
        atoms: &[asp::Symbol],
        source: &str,
        vocabulary: &Vocabulary,
    ) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        let lattice = Drawing::lattice(atoms.iter().copied());
        let empty = Grid { lattice, ..Grid::default() };
        let mut drawing = Drawing { still: empty.clone(), ..Drawing::default() };
        let is_drawn = |atom: &&asp::Symbol| matches!(signature_of(**atom), Some(("draw", 1 | 2)));
        let too_large = |what: String| -> Failure {
            let text = format!("{source}: {what} too large to draw");
            Diagnostic::error(text)
                .help(format!("at most {MOST_CELLS} cells can be drawn, in all frames together"))
                .into()
        };
        let mut size = 0;
        for &atom in atoms.iter().filter(is_drawn) {
            let Drawing { still, frames, .. } = &mut drawing;
            let grid_of =
                |frame: Option<i32>| frame.map_or(still, |frame| frames.entry(frame).or_insert_with(|| empty.clone()));
            size += read::read(atom, grid_of).map_err(|Wrong { why, wanted }| {
                let atom: String = to_text(atom).chars().take(200).collect();
                Diagnostic::error(format!("{source}: {atom} cannot be drawn: {why}")).help(format!("wanted: {wanted}"))
            })?;
            if size > 2 * MOST_CELLS {
                return Err(too_large("with its lines and edges the grid is".to_owned()));
            }
        }
        drawing.still.frame_areas();
        drawing.extent = drawing.parts().filter_map(Grid::extent).reduce(Extent::with);
        if let Some(extent) = drawing.extent {
            let (rows, columns, frames) = (extent.rows(), extent.columns(), drawing.count());
            let texts = |sides: [Side; 2]| drawing.parts().map(|grid| grid.texts_on(sides)).max().unwrap_or(0);
            let height = rows + texts([Side::Top, Side::Bottom]);
            let width = columns + texts([Side::Left, Side::Right]);
            if height.saturating_mul(width).saturating_mul(frames) > MOST_CELLS {
                return Err(too_large(format!("a grid of {rows} by {columns} cells in {frames} frames is")));
            }
        }
        let (graph, warnings) = Clingraph::of(atoms, source, vocabulary)?;
        Ok((Drawing { graph, ..drawing }, warnings))
    }

    /// What the cells are that some atoms draw: squares, unless one of them says otherwise.
    pub fn lattice(atoms: impl Iterator<Item = asp::Symbol>) -> Lattice {
        atoms.filter(|&atom| Drawing::is_of(atom)).find_map(read::lattice).unwrap_or_default()
    }

    /// What some atoms draw, and what comes and goes with each of some changes that draw more.
    ///
    /// # Errors
    /// As [`Drawing::of`].
    pub fn layers(still: &[asp::Symbol], changes: &[Vec<asp::Symbol>], source: &str) -> Result<Layers, Failure> {
        let all: Vec<asp::Symbol> = still.iter().chain(changes.iter().flatten()).copied().collect();
        let (whole, _) = Drawing::of(&all, source)?;
        let grid = |atoms: &[asp::Symbol]| {
            let mut grid = Grid { lattice: whole.still.lattice, ..Grid::default() };
            atoms.iter().for_each(|&atom| _ = read::read(atom, |_| &mut grid));
            grid
        };
        let (mut still, changes) = (grid(still), changes.iter().map(|atoms| grid(atoms)).collect::<Vec<_>>());
        if changes.iter().any(|change| change.borders.values().any(|&border| border == grid::Border::Thick)) {
            still.frame();
        }
        still.frame_areas();
        Ok(image::layers(&whole, &still, &changes))
    }

    /// Whether there is nothing to be seen.
    pub fn is_empty(&self) -> bool {
        !self.has_grid() && !self.has_graph()
    }

    /// Whether something is drawn with `draw`.
    pub fn has_grid(&self) -> bool {
        self.parts().any(|grid| !grid.is_empty())
    }

    /// Whether there are nodes or edges of a graph.
    pub fn has_graph(&self) -> bool {
        !self.graph.is_empty()
    }

    /// The grid, frame by frame, or the graph where there is none, for which a layout is looked for until `stop` is set.
    pub fn picture(&self, title: &str, stop: &Stop) -> Picture {
        if self.has_graph() && !self.has_grid() { self.graph.picture(title, stop) } else { self.grid_picture(title) }
    }

    /// The grid, frame by frame.
    pub fn grid_picture(&self, title: &str) -> Picture {
        image::picture(self, title)
    }

    /// The graph, for Graphviz with all its attributes.
    pub fn graph(&self, title: &str) -> Option<Graph> {
        self.has_graph().then(|| self.graph.graph(title))
    }

    /// The grid for a terminal as wide as the style says, frames one below the other.
    pub fn text(&self, style: &Style) -> String {
        text::text(self, style)
    }

    /// The texts of the cells in the last frame, in rows; a symbol reads as its sign, and a dark cell as `#`.
    pub fn grid(&self) -> Option<Vec<Vec<Option<String>>>> {
        let Extent { first, end } = self.extent?;
        let grid = self.frame(self.count());
        let text = |cell: &Cell| {
            let signs = cell.symbols.keys().map(|symbol| symbol.sign().to_string());
            let texts = cell.texts().filter(|text| !text.trim().is_empty());
            let parts: Vec<String> = texts.cloned().chain(cell.in_corners()).chain(signs).collect();
            let is_dark = cell.fill.is_some_and(|fill| fill.is_dark());
            if parts.is_empty() { is_dark.then(|| "#".to_owned()) } else { Some(parts.join(" ")) }
        };
        let row = |row: i32| (first.1..end.1).map(|column| text(grid.cells.get(&(row, column))?)).collect();
        Some((first.0..end.0).map(row).collect())
    }

    /// The same drawing, with these cells marked.
    pub fn marked(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        Drawing { marks: cells.clone(), ..self.clone() }
    }

    /// The same drawing, with these cells marked as those that say why.
    pub fn with_reasons(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        Drawing { reasons: cells.clone(), ..self.clone() }
    }

    /// Cells in which two drawings differ, in some frame: in what they show, or in a line or an edge beside them.
    pub fn differences(&self, other: &Drawing) -> BTreeSet<(i32, i32)> {
        let mut differences = BTreeSet::new();
        for frame in 1..=self.count().max(other.count()) {
            let (one, other) = (self.frame(frame), other.frame(frame));
            let cells: BTreeSet<Place> = one.cells.keys().chain(other.cells.keys()).copied().collect();
            let shown = |grid: &Grid, cell: &Place| grid.cells.get(cell).cloned().unwrap_or_default();
            differences.extend(cells.iter().filter(|cell| shown(&one, cell) != shown(&other, cell)));
            let halves: BTreeSet<Half> = one.lines.keys().chain(other.lines.keys()).copied().collect();
            let differing = halves.into_iter().filter(|half| one.lines.get(half) != other.lines.get(half));
            differences.extend(differing.flat_map(|half| [half.from, half.to()]));
            let sides =
                one.edges.keys().chain(other.edges.keys()).chain(one.borders.keys()).chain(other.borders.keys());
            let sides: BTreeSet<Half> = sides.copied().collect();
            let side = |grid: &Grid, half: &Half| (grid.edges.get(half).copied(), grid.told_border(*half));
            let differing = sides.into_iter().filter(|half| side(&one, half) != side(&other, half));
            differences
                .extend(differing.flat_map(|half| self.still.lattice.cells(half)).filter(|cell| cells.contains(cell)));
        }
        differences
    }

    /// Whether there is a cell, in some frame.
    pub fn has_cell(&self, cell: (i32, i32)) -> bool {
        self.parts().any(|grid| grid.cells.contains_key(&cell))
    }

    /// How many frames there are.
    fn count(&self) -> usize {
        self.frames.last_key_value().map_or(1, |(&last, _)| last as usize)
    }

    /// All that a frame shows, from 1.
    fn frame(&self, number: usize) -> Grid {
        let still = self.still.clone();
        match self.frames.get(&(number as i32)) {
            Some(grid) => {
                let mut whole = still.with(grid);
                whole.frame_areas();
                whole
            }
            None => still,
        }
    }

    /// The line below a frame.
    fn caption(&self, grid: &Grid, number: usize) -> String {
        match &grid.captions[..] {
            [] if self.count() > 1 => format!("Frame {number}"),
            captions => captions.join(", "),
        }
    }

    /// Every grid, without what it shares with the others.
    fn parts(&self) -> impl Iterator<Item = &Grid> {
        self.frames.values().chain([&self.still])
    }
}
