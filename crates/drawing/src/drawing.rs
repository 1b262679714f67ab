//! A drawing: what a picture, a terminal and a graph show of it.

use std::collections::BTreeSet;

use asp::to_text;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::CancelToken;
use base::style::Style;
use picture::Picture;
use picture::graph::Graph;

use crate::clingraph::{Clingraph, Vocabulary};
use crate::frames::GridFrames;
use crate::grid::{self, CellContent, Grid, Side};
use crate::image::{self, Layers};
use crate::lattice::Lattice;
use crate::read::{self, DrawError};
use crate::segment::Extent;
use crate::text;

/// Maximum number of cells of a drawing, in all frames together.
const MAX_CELLS: usize = 2_000_000;

/// A drawing of an answer.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    frames: GridFrames,
    graph: Clingraph,
}

impl Drawing {
    /// Returns true for an atom of `draw`.
    pub fn is_draw_atom(atom: asp::Symbol) -> bool {
        read::is_draw_atom(atom)
    }

    /// Reads the drawing among the atoms of an answer. Also returns warnings.
    ///
    /// # Errors
    /// The first atom that cannot be drawn. The message names `source` as the origin of the atoms.
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
        let mut grids = GridFrames { still: empty.clone(), ..GridFrames::default() };
        let too_large = |what: String| -> Failure {
            let text = format!("{source}: {what} too large to draw");
            Diagnostic::error(Code::InvalidDrawing, text)
                .help(format!("at most {MAX_CELLS} cells can be drawn, in all frames together"))
                .into()
        };
        let mut size = 0;
        for &atom in atoms.iter().filter(|atom| read::is_draw_atom(**atom)) {
            let GridFrames { still, frames, .. } = &mut grids;
            let grid_of =
                |frame: Option<i32>| frame.map_or(still, |frame| frames.entry(frame).or_insert_with(|| empty.clone()));
            size += read::read_atom(atom, grid_of).map_err(|DrawError { reason, usage }| {
                let atom: String = to_text(atom).chars().take(200).collect();
                Diagnostic::error(Code::InvalidDrawing, format!("{source}: {atom} cannot be drawn: {reason}"))
                    .help(format!("expected {usage}"))
            })?;
            if size > 2 * MAX_CELLS {
                return Err(too_large("with its lines and edges the grid is".to_owned()));
            }
        }
        let cells = grids.grids().filter_map(Grid::cell_extent).reduce(Extent::with);
        // A line that goes on outside the cells does not end at their border.
        grids.board = cells
            .map(|cells| grids.grids().filter_map(|grid| grid.line_extent_outside(cells)).fold(cells, Extent::with));
        grids.extent = grids.grids().filter_map(|grid| grid.extent(grids.board)).reduce(Extent::with);
        if let Some(extent) = grids.extent {
            let (rows, columns, frames) = (extent.rows(), extent.columns(), grids.frame_count());
            let texts = |sides: [Side; 2]| grids.grids().map(|grid| grid.texts_on(sides)).max().unwrap_or(0);
            let height = rows + texts([Side::Top, Side::Bottom]);
            let width = columns + texts([Side::Left, Side::Right]);
            if height.saturating_mul(width).saturating_mul(frames) > MAX_CELLS {
                return Err(too_large(format!("a grid of {rows} by {columns} cells in {frames} frames is")));
            }
        }
        let (graph, warnings) = Clingraph::of(atoms, source, vocabulary)?;
        Ok((Drawing { frames: grids, graph }, warnings))
    }

    /// Returns the lattice that one of `atoms` draws, or squares if there is no such atom.
    pub fn lattice(atoms: impl Iterator<Item = asp::Symbol>) -> Lattice {
        atoms.filter(|&atom| read::is_draw_atom(atom)).find_map(read::lattice).unwrap_or_default()
    }

    /// Returns the layers of a drawing that consists of the atoms `still`, and in which each of
    /// `changes` adds atoms.
    ///
    /// # Errors
    /// As [`Drawing::of`].
    pub fn layers(still: &[asp::Symbol], changes: &[Vec<asp::Symbol>], source: &str) -> Result<Layers, Failure> {
        let all: Vec<asp::Symbol> = still.iter().chain(changes.iter().flatten()).copied().collect();
        let (whole, _) = Drawing::of(&all, source)?;
        let grid = |atoms: &[asp::Symbol]| {
            let mut grid = Grid { lattice: whole.frames.still.lattice, ..Grid::default() };
            for &atom in atoms {
                _ = read::read_atom(atom, |_| &mut grid);
            }
            grid
        };
        let (mut still, changes) = (grid(still), changes.iter().map(|atoms| grid(atoms)).collect::<Vec<_>>());
        if changes.iter().any(Grid::has_thick_border) {
            still.add_frame();
        }
        still.frame_if_thick();
        Ok(image::layers(&whole.frames, &still, &changes))
    }

    /// Returns true if the drawing has neither a grid nor a graph.
    pub fn is_empty(&self) -> bool {
        !self.has_grid() && !self.has_graph()
    }

    /// Returns true if something is drawn with the predicate `draw`.
    pub fn has_grid(&self) -> bool {
        self.frames.grids().any(|grid| !grid.is_empty())
    }

    /// Returns true if there are nodes or edges of a graph.
    pub fn has_graph(&self) -> bool {
        !self.graph.is_empty()
    }

    /// Returns a picture of the grid, frame by frame. If there is no grid, returns a picture of the
    /// graph, whose layout is computed until `stop` is requested.
    pub fn picture(&self, title: &str, stop: &CancelToken) -> Picture {
        if self.has_graph() && !self.has_grid() { self.graph.picture(title, stop) } else { self.grid_picture(title) }
    }

    /// Returns a picture of the grid, frame by frame.
    pub fn grid_picture(&self, title: &str) -> Picture {
        image::picture(&self.frames, title)
    }

    /// Returns the graph, with all attributes for Graphviz.
    pub fn graph(&self, title: &str) -> Option<Graph> {
        self.has_graph().then(|| self.graph.graph(title))
    }

    /// Renders the grid for a terminal of the width in `style`, with the frames below each other.
    pub fn text(&self, style: &Style) -> String {
        text::text(&self.frames, style)
    }

    /// Returns the texts of the cells in the last frame, by row. A symbol becomes its character,
    /// and a dark or shaded cell without a text becomes `#`.
    pub fn grid(&self) -> Option<Vec<Vec<Option<String>>>> {
        let Extent { first, end } = self.frames.extent?;
        let grid = self.frames.frame(self.frames.frame_count());
        let text = |cell: &CellContent| {
            let signs = cell.symbols.keys().map(|symbol| symbol.sign().to_string());
            let texts = cell.texts().filter(|text| !text.trim().is_empty());
            let parts: Vec<String> = texts
                .cloned()
                .chain(cell.corner_text())
                .chain(cell.diagonal_sign(true).map(String::from))
                .chain(signs)
                .collect();
            let is_dark = cell.fill.is_some_and(|fill| fill.is_dark() || fill == grid::SHADED);
            if parts.is_empty() { is_dark.then(|| "#".to_owned()) } else { Some(parts.join(" ")) }
        };
        let row = |row: i32| (first.1..end.1).map(|column| text(grid.cells.get(&(row, column))?)).collect();
        Some((first.0..end.0).map(row).collect())
    }

    /// Returns the drawing with `cells` highlighted.
    pub fn with_marks(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        let frames = GridFrames { marks: cells.clone(), ..self.frames.clone() };
        Drawing { frames, ..self.clone() }
    }

    /// Returns the drawing with `cells` highlighted as reasons.
    pub fn with_reasons(&self, cells: &BTreeSet<(i32, i32)>) -> Drawing {
        let frames = GridFrames { reasons: cells.clone(), ..self.frames.clone() };
        Drawing { frames, ..self.clone() }
    }

    /// Returns the cells in which two drawings differ in some frame: in their contents, or in an
    /// adjacent line or edge.
    pub fn differences(&self, other: &Drawing) -> BTreeSet<(i32, i32)> {
        self.frames.differences(&other.frames)
    }

    /// Returns true if the cell exists in some frame.
    pub fn has_cell(&self, cell: (i32, i32)) -> bool {
        self.frames.grids().any(|grid| grid.cells.contains_key(&cell))
    }

    /// Returns true if the cell has a small text at its upper side or in an upper corner.
    pub fn has_text_above(&self, cell: (i32, i32)) -> bool {
        let contents = self.frames.grids().filter_map(|grid| grid.cells.get(&cell));
        contents.flat_map(|content| content.corners.keys()).any(|corner| corner.offset().1 < 0.0)
    }
}
