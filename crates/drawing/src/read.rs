//! Reads the atoms `draw(Thing)` and `draw(Thing,Frame)`.

use asp::{Term, signature_of};
use picture::Rgb;

use super::grid::{Border, Corner, FOUND, Grid, LineStyle, SHADED, Side, Symbol};
use super::lattice::Lattice;
use super::segment::{Coord, Segment};

/// Returns true for an atom of `draw`.
pub fn is_draw_atom(atom: asp::Symbol) -> bool {
    matches!(signature_of(atom), Some(("draw", 1 | 2)))
}

/// All drawing elements, each with its name and a description of its usage.
pub const ELEMENTS: [(&str, &str); 16] = [
    ("lattice", "lattice(Kind): the shape of all cells: squares, hexagons or triangles"),
    ("cell", "cell(R,C): a cell with thin borders"),
    ("fill", "fill(R,C,Color): the background of a cell"),
    ("given", "given(R,C,Text): a text given by the board"),
    ("found", "found(R,C,Text): a text of the solution"),
    (
        "corner",
        "corner(R,C,Corner,Text): a small text given by the board, in a corner: nw, ne, sw or se, or at a side: n, e, s or w",
    ),
    (
        "diagonal",
        "diagonal(R,C,Way) or diagonal(R,C,Way,Color) from corner to corner of a cell: down or up to the right",
    ),
    ("cage", "cage(R,C,Name): a cell of a cage, which has a dashed outline"),
    ("border", "border(R,C,R',C',Style) between two cells that touch: thin, thick, found, dashed or none"),
    ("line", "line(R,C,R',C') or line(R,C,R',C',Color) between two cells of one row, column or diagonal"),
    ("double", "double(R,C,R',C') or double(R,C,R',C',Color) between two cells of one row, column or diagonal"),
    (
        "edge",
        "edge(R,C,R',C') or edge(R,C,R',C',Color) between two corners of one row or column, or between two hexagons or triangles that touch",
    ),
    ("between", "between(Y,X,Text): a text on a border or corner; the centre of the cell (R,C) is at (2R-1,2C-1)"),
    ("symbol", "symbol(R,C,Name) or symbol(R,C,Name,Color)"),
    ("around", "around(Side,K,I,Text): the I-th text at the left, right, top or bottom of row or column K"),
    ("caption", "caption(Text)"),
];

/// Maximum absolute value of rows and columns.
const MAX_COORDINATE: i32 = 10_000;
/// Maximum number of texts next to a row or column.
const MAX_TEXTS: i32 = 1_000;
/// Maximum number of frames.
pub const MAX_FRAMES: i32 = 10_000;
/// Maximum number of characters of a text in a grid.
const MAX_TEXT: usize = 40;
/// Maximum number of characters of a caption.
const MAX_CAPTION: usize = 500;

/// The error for an atom that cannot be drawn: the reason, and the expected form.
pub struct DrawError {
    pub reason: String,
    pub usage: String,
}

/// Returns the lattice if the atom draws one.
pub fn lattice(atom: asp::Symbol) -> Option<Lattice> {
    let thing = *atom.arguments().ok()?.first()?;
    let kind = *thing.arguments().ok().filter(|_| signature_of(thing) == Some(("lattice", 1)))?.first()?;
    Lattice::from_name(&Term::of(kind).text())
}

/// Adds the element that an atom draws to the grid of its frame, which `grid_of` returns. Returns
/// the number of elements added.
pub fn read_atom<'a>(atom: asp::Symbol, grid_of: impl FnOnce(Option<i32>) -> &'a mut Grid) -> Result<usize, DrawError> {
    let invalid_frame =
        |reason: String| DrawError { reason, usage: "draw(Thing) or draw(Thing,Frame), frames from 1".to_owned() };
    let arguments = atom.arguments().unwrap_or_default();
    let frame = match arguments.get(1).map(|&frame| Term::of(frame)) {
        None => None,
        Some(Term::Number(frame @ 1..=MAX_FRAMES)) => Some(frame),
        Some(other) => return Err(invalid_frame(format!("a frame is a number from 1 to {MAX_FRAMES}, not {other}"))),
    };
    let (name, _) = signature_of(arguments[0]).unwrap_or(("", 0));
    let Some((_, usage)) = ELEMENTS.iter().find(|(element, _)| *element == name) else {
        let names = ELEMENTS.map(|(name, _)| name).join(", ");
        let reason = match name {
            "" => "a drawing element has a name".to_owned(),
            _ => format!("unknown drawing element {name}"),
        };
        return Err(DrawError { reason, usage: format!("one of {names}") });
    };
    let terms: Vec<Term> = arguments[0].arguments().unwrap_or_default().into_iter().map(Term::of).collect();
    let grid = grid_of(frame);
    let before = grid.size();
    add_element(name, &terms, grid).map_err(|reason| DrawError { reason, usage: (*usage).to_owned() })?;
    Ok(grid.size() - before)
}

fn add_element(name: &str, terms: &[Term], grid: &mut Grid) -> Result<(), String> {
    let lattice = grid.lattice;
    if lattice != Lattice::Squares && matches!(name, "diagonal" | "between" | "cage") {
        return Err("it requires squares".to_owned());
    }
    match (name, terms) {
        ("lattice", [kind]) => {
            if lattice_kind(kind)? != lattice {
                return Err("a drawing has the same lattice in all frames".to_owned());
            }
        }
        ("cell", [row, column]) => _ = grid.cell(place(row, column)?),
        ("fill", [row, column, fill]) => grid.cell(place(row, column)?).fill = Some(color(fill)?),
        ("given", [row, column, given]) => add(&mut grid.cell(place(row, column)?).given, text(given, MAX_TEXT)?),
        ("found", [row, column, found]) => add(&mut grid.cell(place(row, column)?).found, text(found, MAX_TEXT)?),
        ("corner", [row, column, corner, label]) => {
            let corner = corner_of_cell(corner)?;
            add(grid.cell(place(row, column)?).corners.entry(corner).or_default(), text(label, MAX_TEXT)?);
        }
        ("diagonal", [row, column, direction, paint @ ..]) if paint.len() < 2 => {
            let is_down = goes_down(direction)?;
            let paint = optional_color(paint)?;
            grid.cell(place(row, column)?).diagonals.insert(is_down, paint);
        }
        ("cage", [row, column, name]) => {
            let place = place(row, column)?;
            let name = text(name, MAX_TEXT)?;
            grid.cell(place);
            grid.cages.entry(place).or_default().insert(name);
        }
        ("between", [row, column, label]) => {
            let place = place(row, column)?;
            add_between(grid, place, text(label, MAX_TEXT)?);
        }
        ("symbol", [row, column, name, paint @ ..]) if paint.len() < 2 => {
            let symbol = symbol(name)?;
            let paint = optional_color(paint)?;
            grid.cell(place(row, column)?).symbols.insert(symbol, paint);
        }
        ("border", [row, column, other_row, other_column, style]) => {
            let (first, second) = (place(row, column)?, place(other_row, other_column)?);
            let segment = side(lattice, first, second)?;
            let style = border_style(style)?;
            let drawn = grid.borders.entry(segment).or_insert(style);
            *drawn = style.max(*drawn);
        }
        ("line" | "double", [row, column, other_row, other_column, paint @ ..]) if paint.len() < 2 => {
            let (first, second) = (place(row, column)?, place(other_row, other_column)?);
            let line = LineStyle { is_double: name == "double", paint: optional_color(paint)? };
            for segment in steps_between(lattice, first, second)? {
                grid.lines.insert(segment, line);
            }
        }
        ("edge", [row, column, other_row, other_column, paint @ ..]) if paint.len() < 2 => {
            let (first, second) = (place(row, column)?, place(other_row, other_column)?);
            let paint = optional_color(paint)?;
            for segment in edges_between(lattice, first, second)? {
                grid.edges.insert(segment, paint);
            }
        }
        ("around", [side, Term::Number(rank), Term::Number(number), label]) => {
            let side = side_of_board(side)?;
            if !is_near(*rank) || !(1..=MAX_TEXTS).contains(number) {
                return Err(format!("rows and columns go to {MAX_COORDINATE}, texts from 1 to {MAX_TEXTS}"));
            }
            let label = text(label, MAX_TEXT)?;
            add(grid.around.entry((side, *rank)).or_default().entry(*number).or_default(), label);
        }
        ("caption", [caption]) => add(&mut grid.captions, text(caption, MAX_CAPTION)?),
        _ => return Err("wrong arguments".to_owned()),
    }
    Ok(())
}

/// Adds a text at `place`, where the centre of the cell (R,C) is at (2R-1,2C-1).
fn add_between(grid: &mut Grid, place: Coord, label: String) {
    let is_centre = place.0.rem_euclid(2) == 1 && place.1.rem_euclid(2) == 1;
    if !is_centre {
        grid.between.insert(place, label);
        return;
    }
    let cell = grid.cell(((place.0 + 1) / 2, (place.1 + 1) / 2));
    match label.as_str() {
        "o" => _ = cell.symbols.insert(Symbol::Circle, None),
        "*" => _ = cell.symbols.insert(Symbol::Disc, None),
        _ => add(&mut cell.given, label),
    }
}

/// Adds a text to the texts at the same place, unless it is empty or a duplicate.
fn add(texts: &mut Vec<String>, text: String) {
    if !text.is_empty() && !texts.contains(&text) {
        texts.push(text);
    }
}

fn place(row: &Term, column: &Term) -> Result<Coord, String> {
    let number = |what: &str, term: &Term| match term {
        Term::Number(number) if is_near(*number) => Ok(*number),
        Term::Number(number) => Err(format!("{what} {number} is too far; rows and columns go to {MAX_COORDINATE}")),
        other => Err(format!("a {what} is a number, not {other}")),
    };
    Ok((number("row", row)?, number("column", column)?))
}

fn is_near(coordinate: i32) -> bool {
    (-MAX_COORDINATE..=MAX_COORDINATE).contains(&coordinate)
}

fn format_coord((row, column): Coord) -> String {
    format!("({row},{column})")
}

fn side(lattice: Lattice, first: Coord, second: Coord) -> Result<Segment, String> {
    lattice
        .side(first, second)
        .ok_or_else(|| format!("the cells {} and {} do not touch", format_coord(first), format_coord(second)))
}

/// Returns all steps from one cell to another.
fn steps_between(lattice: Lattice, first: Coord, second: Coord) -> Result<Vec<Segment>, String> {
    match (lattice, first.0 == second.0) {
        (Lattice::Squares, _) | (_, true) => straight_steps(first, second, "cells", lattice == Lattice::Squares),
        _ => Ok(vec![side(lattice, first, second)?]),
    }
}

/// Returns all sides of cells between two corners, or between two cells that touch.
fn edges_between(lattice: Lattice, first: Coord, second: Coord) -> Result<Vec<Segment>, String> {
    match lattice {
        Lattice::Squares => straight_steps(first, second, "corners", false),
        _ => Ok(vec![side(lattice, first, second)?]),
    }
}

/// Returns all steps along a straight line from one cell or corner to another. `kind` is the word
/// for these in messages.
fn straight_steps(first: Coord, second: Coord, kind: &str, has_diagonals: bool) -> Result<Vec<Segment>, String> {
    let (from, to) = (first.min(second), first.max(second));
    if from == to {
        return Err(format!("both {kind} are {}", format_coord(from)));
    }
    let (down, right) = (to.0 - from.0, to.1 - from.1);
    let steps = down.max(right.abs());
    let step = (down.signum(), right.signum());
    let segment =
        Segment::between((0, 0), step).filter(|_| down == 0 || right == 0 || has_diagonals && down == right.abs());
    let Some(Segment { direction, .. }) = segment else {
        let diagonal = if has_diagonals { ", column or diagonal" } else { " or column" };
        return Err(format!(
            "the {kind} {} and {} are not in the same row{diagonal}",
            format_coord(first),
            format_coord(second)
        ));
    };
    Ok((0..steps).map(|at| Segment { from: (from.0 + at * step.0, from.1 + at * step.1), direction }).collect())
}

fn lattice_kind(term: &Term) -> Result<Lattice, String> {
    let names = || Lattice::ALL.map(|(_, name)| name).join(", ");
    Lattice::from_name(&term.text()).ok_or_else(|| format!("unknown lattice {term}; expected one of {}", names()))
}

fn corner_of_cell(term: &Term) -> Result<Corner, String> {
    let names = || Corner::ALL.map(|(_, name)| name).join(", ");
    Corner::from_name(&term.text()).ok_or_else(|| format!("unknown corner {term}; expected one of {}", names()))
}

fn symbol(term: &Term) -> Result<Symbol, String> {
    let names = || Symbol::ALL.map(|(_, name, _)| name).join(", ");
    Symbol::from_name(&term.text()).ok_or_else(|| format!("unknown symbol {term}; expected one of {}", names()))
}

fn goes_down(direction: &Term) -> Result<bool, String> {
    match direction.text().as_str() {
        "down" => Ok(true),
        "up" => Ok(false),
        _ => Err(format!("a diagonal goes down or up, not {direction}")),
    }
}

fn border_style(style: &Term) -> Result<Border, String> {
    match style.text().as_str() {
        "thin" => Ok(Border::Thin),
        "thick" => Ok(Border::Thick),
        "found" => Ok(Border::Found),
        "dashed" => Ok(Border::Dashed),
        "none" => Ok(Border::None),
        _ => Err(format!("unknown style {style}")),
    }
}

fn side_of_board(side: &Term) -> Result<Side, String> {
    match side.text().as_str() {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        "top" => Ok(Side::Top),
        "bottom" => Ok(Side::Bottom),
        _ => Err(format!("unknown side {side}")),
    }
}

/// Parses the colour that may be the last argument of an element.
fn optional_color(terms: &[Term]) -> Result<Option<Rgb>, String> {
    terms.first().map(color).transpose()
}

/// Parses a colour: a name, `"#rrggbb"` or a rank in the palette. The names `found` and `shaded` are
/// the colours of the solution.
fn color(term: &Term) -> Result<Rgb, String> {
    match term {
        Term::Number(rank) => Ok(Rgb::light_of_rank(rank.rem_euclid(10) as usize)),
        Term::Name(name) if name == "found" => Ok(FOUND),
        Term::Name(name) if name == "shaded" => Ok(SHADED),
        Term::Name(name) | Term::Text(name) => Rgb::by_name(name).ok_or_else(|| format!("unknown colour {term}")),
        Term::Other(_) => Err(format!("a colour is a name, a text such as \"#ffcc00\", or a number, not {term}")),
    }
}

/// Returns the text of a term, with at most `most` characters. The elements of a tuple are
/// separated by spaces.
fn text(term: &Term, most: usize) -> Result<String, String> {
    let text = match term {
        Term::Other(symbol) if is_tuple(*symbol) => {
            let parts = symbol.arguments().unwrap_or_default();
            parts.into_iter().map(|part| Term::of(part).text()).collect::<Vec<_>>().join(" ")
        }
        _ => term.text(),
    };
    let length = text.chars().count();
    if length > most {
        return Err(format!("its text has {length} characters; at most {most} can be drawn"));
    }
    Ok(text.replace(['\n', '\r', '\t'], " "))
}

fn is_tuple(symbol: asp::Symbol) -> bool {
    signature_of(symbol).is_some_and(|(name, _)| name.is_empty())
}
