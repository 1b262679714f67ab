//! Reads the atoms `draw(Thing)` and `draw(Thing,Frame)`.

use super::grid::{Border, Corner, Grid, Half, Line, Place, Side, Symbol};
use super::lattice::Lattice;
use crate::asp::{self, Term, signature_of};
use crate::picture::Rgb;

/// What can be drawn, as one writes it, and what it is.
pub const THINGS: [(&str, &str); 16] = [
    ("lattice", "lattice(Kind): what cells are: squares, hexagons or triangles"),
    ("cell", "cell(R,C): a cell with thin borders"),
    ("fill", "fill(R,C,Color): the ground of a cell"),
    ("given", "given(R,C,Text): a text that the board gives"),
    ("found", "found(R,C,Text): a text of the solution"),
    ("corner", "corner(R,C,Corner,Text): a small text that the board gives, in a corner: nw, ne, sw or se"),
    (
        "diagonal",
        "diagonal(R,C,Way) or diagonal(R,C,Way,Color) from corner to corner of a cell: down or up, to the right",
    ),
    ("cage", "cage(R,C,Name): a cell of a cage, around which a dashed line runs"),
    ("border", "border(R,C,R',C',Style) between two cells that touch: thin, thick, dashed or none"),
    ("line", "line(R,C,R',C') or line(R,C,R',C',Color) between two cells of one row, column or diagonal"),
    ("double", "double(R,C,R',C') or double(R,C,R',C',Color) between two cells of one row, column or diagonal"),
    (
        "edge",
        "edge(R,C,R',C') or edge(R,C,R',C',Color) between two corners of one row or column, or other cells than squares that touch",
    ),
    ("between", "between(Y,X,Text): a text on a border or corner; the middle of the cell (R,C) is at (2R-1,2C-1)"),
    ("symbol", "symbol(R,C,Name) or symbol(R,C,Name,Color)"),
    ("around", "around(Side,K,I,Text): the I-th text at the left, right, top or bottom of row or column K"),
    ("caption", "caption(Text)"),
];

/// Rows and columns, as far as a picture can reach.
const MOST_COORDINATE: i32 = 10_000;
/// Texts around a grid, and frames.
const MOST_TEXTS: i32 = 1_000;
pub const MOST_FRAMES: i32 = 10_000;
/// Characters in a cell.
const MOST_TEXT: usize = 40;
/// Characters of a caption.
const MOST_CAPTION: usize = 500;

/// Why an atom cannot be drawn, and what was wanted.
pub struct Wrong {
    pub why: String,
    pub wanted: String,
}

/// What the cells are, if an atom draws that.
pub fn lattice(atom: asp::Symbol) -> Option<Lattice> {
    let thing = *atom.arguments().ok()?.first()?;
    let kind = *thing.arguments().ok().filter(|_| signature_of(thing) == Some(("lattice", 1)))?.first()?;
    Lattice::named(&Term::of(kind).text())
}

/// Puts the thing that an atom draws into the grid of its frame, and says how much more there is to draw now.
pub fn read<'a>(atom: asp::Symbol, grid_of: impl FnOnce(Option<i32>) -> &'a mut Grid) -> Result<usize, Wrong> {
    let wrong = |why: String| Wrong { why, wanted: "draw(Thing) or draw(Thing,Frame), frames from 1".to_owned() };
    let arguments = atom.arguments().unwrap_or_default();
    let frame = match arguments.get(1).map(|&frame| Term::of(frame)) {
        None => None,
        Some(Term::Number(frame @ 1..=MOST_FRAMES)) => Some(frame),
        Some(other) => return Err(wrong(format!("a frame is a number from 1 to {MOST_FRAMES}, not {other}"))),
    };
    let (name, _) = signature_of(arguments[0]).unwrap_or(("", 0));
    let Some((_, usage)) = THINGS.iter().find(|(known, _)| *known == name) else {
        let names = THINGS.map(|(name, _)| name).join(", ");
        let what = if name.is_empty() { String::new() } else { format!(", and {name} is none") };
        return Err(Wrong { why: format!("a thing has a name{what}"), wanted: format!("one of {names}") });
    };
    let terms: Vec<Term> = arguments[0].arguments().unwrap_or_default().into_iter().map(Term::of).collect();
    let grid = grid_of(frame);
    let before = grid.size();
    put(name, &terms, grid).map_err(|why| Wrong { why, wanted: (*usage).to_owned() })?;
    Ok(grid.size() - before)
}

fn put(name: &str, terms: &[Term], grid: &mut Grid) -> Result<(), String> {
    let lattice = grid.lattice;
    if lattice != Lattice::Squares && matches!(name, "diagonal" | "between" | "cage") {
        return Err("it is for squares".to_owned());
    }
    match (name, terms) {
        ("lattice", [kind]) => match Lattice::named(&kind.text()) {
            Some(other) if other == lattice => {}
            Some(_) => return Err("the cells of a drawing are of one kind, in all frames".to_owned()),
            None => {
                return Err(format!(
                    "there are no {kind}; there are {}",
                    Lattice::ALL.map(|(_, name)| name).join(", ")
                ));
            }
        },
        ("cell", [row, column]) => _ = grid.cell(place(row, column)?),
        ("fill", [row, column, fill]) => grid.cell(place(row, column)?).fill = Some(color(fill)?),
        ("given", [row, column, given]) => add(&mut grid.cell(place(row, column)?).given, text(given, MOST_TEXT)?),
        ("found", [row, column, found]) => add(&mut grid.cell(place(row, column)?).found, text(found, MOST_TEXT)?),
        ("corner", [row, column, corner, what]) => {
            let Some(corner) = Corner::named(&corner.text()) else {
                let names = Corner::ALL.map(|(_, name)| name).join(", ");
                return Err(format!("there is no corner {corner}; there are {names}"));
            };
            add(grid.cell(place(row, column)?).corners.entry(corner).or_default(), text(what, MOST_TEXT)?);
        }
        ("diagonal", [row, column, way, paint @ ..]) if paint.len() < 2 => {
            let is_down = match way.text().as_str() {
                "down" => true,
                "up" => false,
                _ => return Err(format!("a diagonal goes down or up, not {way}")),
            };
            let paint = paint.first().map(color).transpose()?;
            grid.cell(place(row, column)?).diagonals.insert(is_down, paint);
        }
        ("cage", [row, column, name]) => {
            let (place, name) = (place(row, column)?, text(name, MOST_TEXT)?);
            grid.cell(place);
            grid.cages.entry(place).or_default().insert(name);
        }
        ("between", [row, column, what]) => {
            let (place, what) = (place(row, column)?, text(what, MOST_TEXT)?);
            if place.0.rem_euclid(2) == 1 && place.1.rem_euclid(2) == 1 {
                let cell = grid.cell(((place.0 + 1) / 2, (place.1 + 1) / 2));
                match what.as_str() {
                    "o" => _ = cell.symbols.insert(Symbol::Circle, None),
                    "*" => _ = cell.symbols.insert(Symbol::Disc, None),
                    _ => add(&mut cell.given, what),
                }
            } else {
                grid.between.insert(place, what);
            }
        }
        ("symbol", [row, column, name, paint @ ..]) if paint.len() < 2 => {
            let Some(symbol) = Symbol::named(&name.text()) else {
                let names = Symbol::ALL.map(|(_, name, _)| name).join(", ");
                return Err(format!("there is no symbol {name}; there are {names}"));
            };
            let paint = paint.first().map(color).transpose()?;
            grid.cell(place(row, column)?).symbols.insert(symbol, paint);
        }
        ("border", [row, column, other_row, other_column, style]) => {
            let (one, other) = (place(row, column)?, place(other_row, other_column)?);
            let half = side(lattice, one, other)?;
            let style = match style.text().as_str() {
                "thin" => Border::Thin,
                "thick" => Border::Thick,
                "dashed" => Border::Dashed,
                "none" => Border::None,
                _ => return Err(format!("there is no style {style}")),
            };
            let drawn = grid.borders.entry(half).or_insert(style);
            *drawn = style.max(*drawn);
        }
        ("line" | "double", [row, column, other_row, other_column, paint @ ..]) if paint.len() < 2 => {
            let (one, other) = (place(row, column)?, place(other_row, other_column)?);
            let line = Line { is_double: name == "double", paint: paint.first().map(color).transpose()? };
            for half in ways(lattice, one, other)? {
                grid.lines.insert(half, line);
            }
        }
        ("edge", [row, column, other_row, other_column, paint @ ..]) if paint.len() < 2 => {
            let (one, other) = (place(row, column)?, place(other_row, other_column)?);
            let paint = paint.first().map(color).transpose()?;
            let sides = match lattice {
                Lattice::Squares => halves(one, other, "corners", false)?,
                _ => vec![side(lattice, one, other)?],
            };
            for half in sides {
                grid.edges.insert(half, paint);
            }
        }
        ("around", [side, Term::Number(rank), Term::Number(number), what]) => {
            let side = match side.text().as_str() {
                "left" => Side::Left,
                "right" => Side::Right,
                "top" => Side::Top,
                "bottom" => Side::Bottom,
                _ => return Err(format!("there is no side {side}")),
            };
            if !is_near(*rank) || !(1..=MOST_TEXTS).contains(number) {
                return Err(format!("rows and columns go to {MOST_COORDINATE}, texts from 1 to {MOST_TEXTS}"));
            }
            let what = text(what, MOST_TEXT)?;
            add(grid.around.entry((side, *rank)).or_default().entry(*number).or_default(), what);
        }
        ("caption", [caption]) => add(&mut grid.captions, text(caption, MOST_CAPTION)?),
        _ => return Err("its arguments are others".to_owned()),
    }
    Ok(())
}

/// Texts of one place stand side by side, each once.
fn add(texts: &mut Vec<String>, text: String) {
    if !text.is_empty() && !texts.contains(&text) {
        texts.push(text);
    }
}

fn place(row: &Term, column: &Term) -> Result<Place, String> {
    let number = |what: &str, term: &Term| match term {
        Term::Number(number) if is_near(*number) => Ok(*number),
        Term::Number(number) => Err(format!("{what} {number} is too far; rows and columns go to {MOST_COORDINATE}")),
        other => Err(format!("a {what} is a number, not {other}")),
    };
    Ok((number("row", row)?, number("column", column)?))
}

fn is_near(coordinate: i32) -> bool {
    (-MOST_COORDINATE..=MOST_COORDINATE).contains(&coordinate)
}

fn said((row, column): Place) -> String {
    format!("({row},{column})")
}

/// The side that two cells share.
fn side(lattice: Lattice, one: Place, other: Place) -> Result<Half, String> {
    lattice.side(one, other).ok_or_else(|| format!("the cells {} and {} do not touch", said(one), said(other)))
}

/// All steps from one cell to another.
fn ways(lattice: Lattice, one: Place, other: Place) -> Result<Vec<Half>, String> {
    match (lattice, one.0 == other.0) {
        (Lattice::Squares, _) | (_, true) => halves(one, other, "cells", lattice == Lattice::Squares),
        _ => Ok(vec![side(lattice, one, other)?]),
    }
}

/// All steps from one place to another.
fn halves(one: Place, other: Place, what: &str, has_diagonals: bool) -> Result<Vec<Half>, String> {
    let (from, to) = (one.min(other), one.max(other));
    if from == to {
        return Err(format!("both {what} are {}", said(from)));
    }
    let (down, right) = (to.0 - from.0, to.1 - from.1);
    let steps = down.max(right.abs());
    let step = (down.signum(), right.signum());
    let way = Half::between((0, 0), step).filter(|_| down == 0 || right == 0 || has_diagonals && down == right.abs());
    let Some(Half { way, .. }) = way else {
        let diagonal = if has_diagonals { ", column or diagonal" } else { " or column" };
        return Err(format!("the {what} {} and {} stand in no common row{diagonal}", said(one), said(other)));
    };
    Ok((0..steps).map(|at| Half { from: (from.0 + at * step.0, from.1 + at * step.1), way }).collect())
}

/// A name, `"#rrggbb"` or a rank.
fn color(term: &Term) -> Result<Rgb, String> {
    match term {
        Term::Number(rank) => Ok(Rgb::light_of_rank(rank.rem_euclid(10) as usize)),
        Term::Name(name) | Term::Text(name) => Rgb::named(name).ok_or_else(|| format!("there is no colour {term}")),
        Term::Other(_) => Err(format!("a colour is a name, a text such as \"#ffcc00\", or a number, not {term}")),
    }
}

/// What one reads; the parts of a tuple stand side by side.
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
