//! Drawings that a logic program derives as atoms.
//!
//! Any program can define the appearance of its answers: `draw(Thing)`, or `draw(Thing,Frame)` for
//! animations. The things of a grid are cells with their contents, the borders between them, lines
//! through them and edges along them.
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
//! | file | contents |
//! |---|---|
//! | `read.rs` | reads the atoms |
//! | `lattice.rs` | squares, hexagons and triangles |
//! | `grid.rs` | the contents of one frame |
//! | `text.rs`, `boxes.rs` | the grid in a terminal |
//! | `image.rs` | the grid as a picture |
//! | `spot.rs` | clickable parts of a grid |
//! | `clingraph.rs`, `template.rs`, `color.rs` | graphs in the vocabulary of clingraph; their values and colours |
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
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::graph::Graph;
use crate::picture::Picture;
use crate::report::Style;
use crate::stop::CancelToken;
use clingraph::Clingraph;
pub use clingraph::Vocabulary;
use grid::{CellContent, Extent, Grid, Segment, Coord, Side};
pub use image::Layers;
pub use lattice::Lattice;
pub use read::ELEMENTS;
use read::DrawError;
pub use rules::{DerivedAtoms, DrawingRules};
pub use spot::{Spot, SpotWeight};

/// Maximum number of cells of a drawing, in all frames together.
const MAX_CELLS: usize = 2_000_000;

/// The appearance of an answer.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    /// The contents of every frame.
    still: Grid,
    /// Additional contents of single frames.
    frames: BTreeMap<i32, Grid>,
    /// Highlighted cells.
    marks: BTreeSet<Coord>,
    /// Cells of the reasons.
    reasons: BTreeSet<Coord>,
    extent: Option<Extent>,
    graph: Clingraph,
}

impl Drawing {
    /// Returns true for an atom of `draw`.
    pub fn is_draw_atom(atom: asp::Symbol) -> bool {
        matches!(asp::signature_of(atom), Some(("draw", 1 | 2)))
    }

    /// Reads the drawing among the atoms of an answer, and returns warnings.
    ///
    /// # Errors
    /// The first atom that cannot be drawn; `source` names the origin of the atoms.
    pub fn of(atoms: &[asp::Symbol], source: &str) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        Drawing::with_vocabulary(atoms, source, &Vocabulary::default())
    }

    /// Like [`Drawing::of`], with another vocabulary for graphs.
    ///
    /// # Errors
    /// As [`Drawing::of`].
    pub fn with_vocabulary(
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
            Diagnostic::error(Code::InvalidDrawing, text)
                .help(format!("at most {MAX_CELLS} cells can be drawn, in all frames together"))
                .into()
        };
        let mut size = 0;
        for &atom in atoms.iter().filter(is_drawn) {
            let Drawing { still, frames, .. } = &mut drawing;
            let grid_of =
                |frame: Option<i32>| frame.map_or(still, |frame| frames.entry(frame).or_insert_with(|| empty.clone()));
            size += read::read_atom(atom, grid_of).map_err(|DrawError { reason, usage }| {
                let atom: String = to_text(atom).chars().take(200).collect();
                Diagnostic::error(Code::InvalidDrawing, format!("{source}: {atom} cannot be drawn: {reason}")).help(format!("expected {usage}"))
            })?;
            if size > 2 * MAX_CELLS {
                return Err(too_large("with its lines and edges the grid is".to_owned()));
            }
        }
        drawing.still.frame_if_thick();
        drawing.extent = drawing.grids().filter_map(Grid::extent).reduce(Extent::with);
        if let Some(extent) = drawing.extent {
            let (rows, columns, frames) = (extent.rows(), extent.columns(), drawing.frame_count());
            let texts = |sides: [Side; 2]| drawing.grids().map(|grid| grid.texts_on(sides)).max().unwrap_or(0);
            let height = rows + texts([Side::Top, Side::Bottom]);
            let width = columns + texts([Side::Left, Side::Right]);
            if height.saturating_mul(width).saturating_mul(frames) > MAX_CELLS {
                return Err(too_large(format!("a grid of {rows} by {columns} cells in {frames} frames is")));
            }
        }
        let (graph, warnings) = Clingraph::of(atoms, source, vocabulary)?;
        Ok((Drawing { graph, ..drawing }, warnings))
    }

    /// Returns the lattice that some atoms draw; squares by default.
    pub fn lattice(atoms: impl Iterator<Item = asp::Symbol>) -> Lattice {
        atoms.filter(|&atom| Drawing::is_draw_atom(atom)).find_map(read::lattice).unwrap_or_default()
    }

    /// Returns the layers of a drawing: the atoms of `still`, and what each change adds and
    /// removes.
    ///
    /// # Errors
    /// As [`Drawing::of`].
    pub fn layers(still: &[asp::Symbol], changes: &[Vec<asp::Symbol>], source: &str) -> Result<Layers, Failure> {
        let all: Vec<asp::Symbol> = still.iter().chain(changes.iter().flatten()).copied().collect();
        let (whole, _) = Drawing::of(&all, source)?;
        let grid = |atoms: &[asp::Symbol]| {
            let mut grid = Grid { lattice: whole.still.lattice, ..Grid::default() };
            for &atom in atoms {
                _ = read::read_atom(atom, |_| &mut grid);
            }
            grid
        };
        let (mut still, changes) = (grid(still), changes.iter().map(|atoms| grid(atoms)).collect::<Vec<_>>());
        if changes.iter().any(|change| change.borders.values().any(|&border| border == grid::Border::Thick)) {
            still.add_frame();
        }
        still.frame_if_thick();
        Ok(image::layers(&whole, &still, &changes))
    }

    /// Returns true if there is nothing to see.
    pub fn is_empty(&self) -> bool {
        !self.has_grid() && !self.has_graph()
    }

    /// Returns true if something is drawn with `draw`.
    pub fn has_grid(&self) -> bool {
        self.grids().any(|grid| !grid.is_empty())
    }

    /// Returns true if there are nodes or edges of a graph.
    pub fn has_graph(&self) -> bool {
        !self.graph.is_empty()
    }

    /// The grid, frame by frame, or else the graph, whose layout is optimised until `stop` is
    /// requested.
    pub fn picture(&self, title: &str, stop: &CancelToken) -> Picture {
        if self.has_graph() && !self.has_grid() { self.graph.picture(title, stop) } else { self.grid_picture(title) }
    }

    /// The grid, frame by frame.
    pub fn grid_picture(&self, title: &str) -> Picture {
        image::picture(self, title)
    }

    /// The graph, with all attributes for Graphviz.
    pub fn graph(&self, title: &str) -> Option<Graph> {
        self.has_graph().then(|| self.graph.graph(title))
    }

    /// The grid for a terminal of the width in `style`, frames one below the other.
    pub fn text(&self, style: &Style) -> String {
        text::text(self, style)
    }

    /// The texts of the cells in the last frame, by row. A symbol becomes its character, and a dark
    /// cell `#`.
    pub fn grid(&self) -> Option<Vec<Vec<Option<String>>>> {
        let Extent { first, end } = self.extent?;
        let grid = self.frame(self.frame_count());
        let text = |cell: &CellContent| {
            let signs = cell.symbols.keys().map(|symbol| symbol.sign().to_string());
            let texts = cell.texts().filter(|text| !text.trim().is_empty());
            let parts: Vec<String> = texts.cloned().chain(cell.corner_text()).chain(signs).collect();
            let is_dark = cell.fill.is_some_and(|fill| fill.is_dark());
            if parts.is_empty() { is_dark.then(|| "#".to_owned()) } else { Some(parts.join(" ")) }
        };
        let row = |row: i32| (first.1..end.1).map(|column| text(grid.cells.get(&(row, column))?)).collect();
        Some((first.0..end.0).map(row).collect())
    }

    /// Highlights cells.
    pub fn with_marks(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        Drawing { marks: cells.clone(), ..self.clone() }
    }

    /// Highlights cells as reasons.
    pub fn with_reasons(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        Drawing { reasons: cells.clone(), ..self.clone() }
    }

    /// Returns the cells in which two drawings differ in some frame: in their contents, or in an
    /// adjacent line or edge.
    pub fn differences(&self, other: &Drawing) -> BTreeSet<(i32, i32)> {
        let mut differences = BTreeSet::new();
        for frame in 1..=self.frame_count().max(other.frame_count()) {
            let (one, other) = (self.frame(frame), other.frame(frame));
            let cells: BTreeSet<Coord> = one.cells.keys().chain(other.cells.keys()).copied().collect();
            let shown = |grid: &Grid, cell: &Coord| grid.cells.get(cell).cloned().unwrap_or_default();
            differences.extend(cells.iter().filter(|cell| shown(&one, cell) != shown(&other, cell)));
            let segments: BTreeSet<Segment> = one.lines.keys().chain(other.lines.keys()).copied().collect();
            let differing = segments.into_iter().filter(|segment| one.lines.get(segment) != other.lines.get(segment));
            differences.extend(differing.flat_map(|segment| [segment.from, segment.to()]));
            let sides =
                one.edges.keys().chain(other.edges.keys()).chain(one.borders.keys()).chain(other.borders.keys());
            let sides: BTreeSet<Segment> = sides.copied().collect();
            let side = |grid: &Grid, segment: &Segment| (grid.edges.get(segment).copied(), grid.explicit_border(*segment));
            let differing = sides.into_iter().filter(|segment| side(&one, segment) != side(&other, segment));
            differences
                .extend(differing.flat_map(|segment| self.still.lattice.cells(segment)).filter(|cell| cells.contains(cell)));
        }
        differences
    }

    /// Returns true if the cell exists in some frame.
    pub fn has_cell(&self, cell: (i32, i32)) -> bool {
        self.grids().any(|grid| grid.cells.contains_key(&cell))
    }

    fn frame_count(&self) -> usize {
        self.frames.last_key_value().map_or(1, |(&last, _)| last as usize)
    }

    /// The complete contents of a frame; frames are numbered from 1.
    fn frame(&self, number: usize) -> Grid {
        let still = self.still.clone();
        match self.frames.get(&(number as i32)) {
            Some(grid) => {
                let mut complete = still.with(grid);
                complete.frame_if_thick();
complete
            }
            None => still,
        }
    }

    /// The line below a frame.
    fn caption(&self, grid: &Grid, number: usize) -> String {
        match &grid.captions[..] {
            [] if self.frame_count() > 1 => format!("Frame {number}"),
            captions => captions.join(", "),
        }
    }

    /// All grids, without the contents that frames share.
    fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.frames.values().chain([&self.still])
    }
}
