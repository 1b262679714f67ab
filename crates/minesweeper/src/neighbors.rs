//! Custom neighbourhoods: an encoding defines which cells a number counts, and nothing else.
//!
//! If the rules are `layout.lp` and files that only derive `neighbor/4`, the ground atoms are read
//! and the board is plain: these neighbourhoods are supported wherever that of a king is.

use asp::{Symbol, syntax};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use puzzle::job::Job;

use super::adjacency::{Adjacency, Topology};
use super::board::{Board, Fact, is_text};
use super::clingo;
use super::encodings::LAYOUT;
use super::grid::Cell;

/// Returns the cells that the numbers of the board count; `None` if the rules may constrain layouts
/// in other ways, or if a number counts more than eight cells.
pub fn of_numbers(board: &Board, job: &Job) -> Result<Option<Adjacency>, Failure> {
    let (of_layout, others): (Vec<&Document>, Vec<&Document>) = job
        .sources
        .encodings
        .iter()
        .chain(&job.sources.documents)
        .partition(|document| LAYOUT.files[0].is_written_in(document));
    if let [layout, ..] = of_layout[..]
        && !others.iter().any(|document| syntax::uses(&document.text, "neighbor"))
    {
        let text = format!("{}: no file derives neighbor/4, which defines what a number counts", layout.name);
        const HELP: &str =
            "-e minesweeper/layout.lp -e minesweeper/king.lp, or a file of your own in place of the second";
        return Err(Diagnostic::error(Code::InvalidInstance, text).help(HELP).into());
    }
    if !is_layout_with_neighbors(job) {
        return Ok(None);
    }
    let settings = asp::Settings { models: Some(1), ..job.engine.settings.clone() };
    let mut solver = asp::Solver::with_program(&clingo::program(board, job), &settings, &job.stop)?;
    let atoms = solver.control().known_atoms()?;
    let may_be_open = |symbol: Symbol| {
        let of_layout = [("mine", 2), ("ignored", 2), ("uncounted", 0)];
        asp::signature_of(symbol).is_some_and(|signature| of_layout.contains(&signature))
    };
    // A classically negated atom can exclude its complement.
    let is_negated = |symbol: Symbol| asp::signature_of(symbol).is_none();
    if atoms.iter().any(|&(symbol, is_fact)| !is_fact && !may_be_open(symbol) || is_negated(symbol)) {
        return Ok(None);
    }
    let is_number = |cell: usize| board.position.cells[cell].is_number();
    Ok(table(board, atoms.into_iter().map(|(symbol, _)| symbol), is_number))
}

/// Returns the cells that a number at any cell would count. Fails if that depends on the board.
pub fn of_all_cells(board: &Board, job: &Job) -> Result<Adjacency, Failure> {
    let cells = board.position.cells_where(|cell| cell != Cell::Wall).map(|cell| board.coordinates(cell));
    let facts = cells.map(|[row, column]| {
        let (cell, number) = (Fact::Cell([row, column]), Fact::Number([row, column], 0));
        format!("{cell}. closed({row},{column}). {number}.\n")
    });
    let instance = vec![Document::in_memory("<all cells>", facts.collect::<String>())];
    let encoding =
        job.sources.encodings.iter().filter(|document| !LAYOUT.files[0].is_written_in(document)).cloned().collect();
    let program = asp::Program { instance, encoding, ..asp::Program::default() };
    let settings = asp::Settings { models: Some(1), ..job.engine.settings.clone() };
    let mut solver = asp::Solver::with_program(&program, &settings, &job.stop)?;
    let atoms = solver.control().known_atoms()?;
    let all = table(board, atoms.into_iter().map(|(symbol, _)| symbol), |_| true);
    let closed = |adjacency: &Adjacency, cell: usize| {
        let mut neighbors = adjacency.counts(board.position.grid, cell).to_vec();
        neighbors.retain(|&neighbor| board.position.cells[neighbor].is_covered());
        neighbors
    };
    let agrees = |all: &Adjacency| {
        board.position.numbers().all(|cell| closed(all, cell) == closed(&board.position.adjacency, cell))
    };
    all.filter(agrees).ok_or_else(|| {
        let text =
            "the board cannot be played: its numbers count more than eight cells, or which ones depends on the board";
        Diagnostic::error(Code::InvalidInstance, text).into()
    })
}

fn table(board: &Board, atoms: impl Iterator<Item = Symbol>, is_number: impl Fn(usize) -> bool) -> Option<Adjacency> {
    let position = &board.position;
    let mut counts: Vec<Vec<usize>> = vec![Vec::new(); position.grid.extent()];
    for symbol in atoms.filter(|&symbol| asp::signature_of(symbol) == Some(("neighbor", 4))) {
        let terms = symbol.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
        let Some(place) = terms.map(|term| term.number()).collect::<Option<Vec<i32>>>() else { continue };
        let (number, cell) = (board.cell(place[0], place[1]), board.cell(place[2], place[3]));
        if let (Some(number), Some(cell)) = (number.filter(|&cell| is_number(cell)), cell)
            && (number == cell || position.cells[cell] != Cell::Wall)
        {
            counts[number].push(cell);
        }
    }
    for cells in &mut counts {
        cells.sort_unstable();
    }
    Adjacency::from_lists(
        Topology::Custom,
        position.grid,
        counts.into_iter().enumerate().filter(|(_, cells)| !cells.is_empty()),
    )
}

/// Returns true if the encodings are layout.lp and files that only derive neighbourhoods: plain
/// rules without constraints, and no predicate of a layout.
fn is_layout_with_neighbors(job: &Job) -> bool {
    const HARMLESS: [&str; 4] = ["#const", "#defined", "#program base", "#show"];
    let layout = &LAYOUT.files[0];
    let (of_layout, others): (Vec<&Document>, Vec<&Document>) =
        job.sources.encodings.iter().partition(|document| layout.is_written_in(document));
    let is_harmless = |document: &Document, allowed: &[&str]| {
        syntax::statements(&document.text).iter().all(|statement| match statement.head {
            Some((name, _)) => allowed.contains(&name) || !syntax::uses(layout.text, name),
            None => HARMLESS.iter().any(|word| document.text[statement.range.clone()].trim_start().starts_with(word)),
        })
    };
    let facts = ["cell", "number", "flag", "mines", "density"];
    of_layout.len() == 1
        && others.iter().all(|document| is_harmless(document, &["neighbor"]))
        && (is_text(&job.sources.documents)
            || job.sources.documents.iter().all(|document| is_harmless(document, &facts)))
}
