//! Draws boards in the terminal, with the usual signs, and as pictures.

use std::fmt::Write;

use ::play::Rectangle;
use anstyle::{Ansi256Color, AnsiColor, Style as Ansi};
use base::diagnostic::Failure;
use base::ending::Verdict;
use base::style::Style;
use picture::{Look, Paint, Picture, Rgb, Sprite};
use prover::Certification;
use puzzle::{Draw, RunResult, Table, Tabulate, native};
use rustc_hash::FxHashMap;

use super::Minesweeper;
use super::adjacency::Topology;
use super::answer::{Answer, describe_clue, describe_conflict, describe_reason};
use super::board::Board;
use super::conflict::Conflict;
use super::explain::{Reason, Stage};
use super::grid::Cell;
use super::position::KnownPosition;
use super::text_board::TOTAL_HELP;

/// Maximum number of reasons that are shown without `-v`.
const MAX_REASONS: usize = 8;
/// Boards with more columns use two characters per cell instead of three.
const MAX_WIDE_COLUMNS: usize = 24;

/// Describes the certificate, in words that follow the summary.
fn describe_certificate(result: &RunResult<Minesweeper>) -> String {
    result.proof().certificate.as_ref().map_or(String::new(), Certification::words)
}

pub fn page(result: &RunResult<Minesweeper>, style: &Style) -> String {
    let board = result.board();
    let bold = Ansi::new().bold();
    let mut page = String::new();
    let Some(answer) = result.answers.first() else {
        let _ = writeln!(page, "{}", style.paint(bold, &(no_answer(result) + &describe_certificate(result))));
        if let Some(conflict) = result.proof().conflict.as_ref().filter(|_| !style.quiet) {
            page.push_str(&conflict_page(board, conflict, style));
            if board.position.mines.is_none() {
                page.push_str("\nOf a larger board, the rows must contain all cells around their numbers.\n");
            }
        }
        return page;
    };
    let attribution = if result.job.rules.is_builtin() {
        String::new()
    } else {
        format!(" All of this is {}.", result.job.rules.attribution())
    };
    let _ = writeln!(
        page,
        "{}",
        style.paint(bold, &(summary(board, answer) + &attribution + &describe_certificate(result)))
    );
    if style.quiet {
        return page;
    }
    page.push('\n');
    page.push_str(&drawing(board, answer, style));
    let _ = writeln!(page, "\n{}", legend(board, answer, style));
    if let Some(note) = prior_note(board, answer) {
        let _ = writeln!(page, "\n{note}");
    }
    let shown = if style.verbose { usize::MAX } else { MAX_REASONS };
    if !answer.reasons.is_empty() {
        page.push('\n');
    }
    // Safe cells come first.
    let (mines, safe): (Vec<&Reason>, Vec<&Reason>) = answer.reasons.iter().partition(|reason| reason.is_mine);
    for reason in safe.into_iter().chain(mines).take(shown) {
        let kind = if reason.is_mine {
            style.paint(AnsiColor::Red.on_default(), "mine")
        } else {
            style.paint(AnsiColor::Green.on_default(), "safe")
        };
        let _ = writeln!(
            page,
            "  {kind}  {}: {}",
            board.describe_cell(reason.cell),
            describe_reason_with_stage(board, reason)
        );
    }
    if answer.reasons.len() > shown {
        let _ = writeln!(page, "  … and {} more (-v shows all)", answer.reasons.len() - shown);
    }
    if let Verdict::GaveUp(_) = result.verdict {
        let gave_up = result.verdict.gave_up_words();
        let _ = writeln!(page, "\n{gave_up} What is stated above is certain; the rest was not counted.");
    }
    if !answer.by_clingo.is_empty() {
        let cells = native::count(answer.by_clingo.len(), "of these cells rests", "of these cells rest");
        let _ = writeln!(page, "\n{cells} on clingo alone.");
    }
    page
}

/// Formats a contradictory board with the conflicting numbers marked.
pub fn conflict_page(board: &Board, conflict: &Conflict, style: &Style) -> String {
    marked_page(board, &conflict.clues, "n! in conflict", AnsiColor::White.on(AnsiColor::Red), &[], style)
}

/// Formats the board with the numbers of a reason marked, and with the mines and safe cells that it
/// implies.
pub fn reason_page(board: &Board, numbers: &[usize], cells: &[(usize, bool)], style: &Style) -> String {
    marked_page(board, numbers, "n! the reason", AnsiColor::Black.on(AnsiColor::Yellow), cells, style)
}

fn marked_page(
    board: &Board,
    numbers: &[usize],
    mark: &str,
    ink: Ansi,
    cells: &[(usize, bool)],
    style: &Style,
) -> String {
    let answer = Answer::unknown(&board.position);
    let rendered = render_grid(board, style, |cell, width| match cells.iter().find(|decided| decided.0 == cell) {
        Some((_, true)) => ("*".to_owned(), AnsiColor::Red.on_default().bold()),
        Some((_, false)) => ("o".to_owned(), AnsiColor::Green.on_default().bold()),
        None if numbers.contains(&cell) => (render_cell(board, &answer, cell, width).0 + "!", ink.bold()),
        None => render_cell(board, &answer, cell, width),
    });
    let has_kind = |is_mine: bool| cells.iter().any(|decided| decided.1 == is_mine);
    let signs = [(has_kind(false), "o safe"), (has_kind(true), "* mine"), (!numbers.is_empty(), mark)];
    let signs = signs.into_iter().filter(|sign| sign.0).map(|sign| sign.1.to_owned());
    let legend: Vec<String> = [total(board)].into_iter().chain(signs).chain(["# closed cell".to_owned()]).collect();
    format!("\n{rendered}\n{}\n", style.paint(Ansi::new().dimmed(), &format!("  {}", legend.join("   "))))
}

/// Formats two layouts, one below the other, with a mark where they differ.
pub fn layouts_page(board: &Board, layouts: [&[usize]; 2], style: &Style) -> String {
    let answer = Answer::unknown(&board.position);
    let mut page = String::new();
    for layout in layouts {
        let drawing = render_grid(board, style, |cell, width| {
            if !matches!(board.position.cells[cell], Cell::Closed) {
                return render_cell(board, &answer, cell, width);
            }
            let is_mine = layout.contains(&cell);
            let differs = layouts[0].contains(&cell) != layouts[1].contains(&cell);
            let ink = if is_mine { AnsiColor::Red.on_default() } else { AnsiColor::Green.on_default() };
            let cell_mark = format!("{}{}", if is_mine { "*" } else { "-" }, if differs { "!" } else { "" });
            (cell_mark, if differs { ink.bold() } else { ink })
        });
        page += &format!("\n{drawing}");
    }
    let legend = "  * mine   - no mine   *! -! differs";
    format!("{page}\n{}\n", style.paint(Ansi::new().dimmed(), legend))
}

/// Returns the total, such as "10 mines", "20% mines" or "? mines", as it can be parsed again.
fn total(board: &Board) -> String {
    match (board.position.mines, board.position.density) {
        (Some(mines), _) => native::count(mines as u64, "mine", "mines"),
        (None, Some(density)) => format!("{density} mines"),
        (None, None) => "? mines".to_owned(),
    }
}

/// Describes what a board without a total leaves open, if a cell is undecided.
fn prior_note(board: &Board, answer: &Answer) -> Option<String> {
    let is_undecided = |cell: usize| answer.probabilities[cell].is_none();
    let is_needed = !answer.has_prior(&board.position) && board.position.cells_of(Cell::Closed).any(is_undecided);
    is_needed.then(|| {
        format!(
            "The number of mines is unknown: what is stated holds for every number.\nFor probabilities, {TOTAL_HELP}."
        )
    })
}

/// Describes a reason in words, with its stage.
pub fn describe_reason_with_stage(board: &Board, reason: &Reason) -> String {
    let stage = match reason.window {
        Some(side) => format!("pattern in {side}×{side}"),
        None => reason.stage.name().to_owned(),
    };
    format!("{} ({stage})", describe_reason(board, reason))
}

impl Tabulate<Minesweeper> for Minesweeper {
    fn table(&self, board: &Board, answers: &[Answer]) -> Table {
        let columns = ["cell", "mine", "reason"].map(str::to_owned).to_vec();
        let nouns = Some(["cell", "cells"].map(str::to_owned));
        Table { nouns, ..Table::of(columns, answers, |answer| rows(board, answer)) }
    }
}

/// Returns a row for each closed cell with a known probability.
fn rows(board: &Board, answer: &Answer) -> Vec<Vec<String>> {
    let note = notes(board, answer);
    let closed = board.position.cells_of(Cell::Closed);
    closed
        .filter_map(|cell| Some(vec![board.describe_cell(cell), percent(answer.probabilities[cell]?), note(cell)]))
        .collect()
}

/// Returns a function that describes the reason for a closed cell, or states that it is the best
/// guess.
fn notes<'a>(board: &'a Board, answer: &'a Answer) -> impl Fn(usize) -> String + 'a {
    let reasons: FxHashMap<usize, &Reason> = answer.reasons.iter().map(|reason| (reason.cell, reason)).collect();
    move |cell| match reasons.get(&cell) {
        Some(reason) => describe_reason_with_stage(board, reason),
        None if answer.safe.is_empty() && answer.best.contains(&cell) => "best guess".to_owned(),
        None => String::new(),
    }
}

/// Returns, for example, "17 cells are safe. 3 mines are certain. 12 layouts fit."
pub fn summary(board: &Board, answer: &Answer) -> String {
    let flags = board.position.count(Cell::Mine);
    let mut text = match (answer.safe.len(), answer.best.first()) {
        (0, Some(&best)) => {
            let risk = risk_words(answer, best).map_or(String::new(), |risk| format!(" ({risk})"));
            let chance = answer.chance.map_or(String::new(), |chance| format!("; win probability {}", percent(chance)));
            format!("No cell is safe. Best guess: {}{risk}{chance}.", board.describe_cell(best))
        }
        (0, None) if answer.has_prior(&board.position) => "No cell is known to be safe.".to_owned(),
        (0, None) => "No cell is safe for every number of mines.".to_owned(),
        (safe, _) => format!("{} safe.", count_or_none(safe, "cell is", "cells are")),
    };
    let mines = answer.mines.len() - flags.min(answer.mines.len());
    if mines > 0 {
        let _ = write!(text, " {}.", count_or_none(mines, "mine is certain", "mines are certain"));
    }
    if let Some(configurations) = &answer.configurations {
        let mines = match answer.total {
            Some([least, most]) if least == most => format!(", with {}", native::count(least as u64, "mine", "mines")),
            Some([least, most]) => format!(", with {least} to {most} mines"),
            None => String::new(),
        };
        let digits = configurations.to_string();
        let _ = match digits.len() {
            1 if digits == "1" => write!(text, " One layout fits{mines}."),
            1..=20 => write!(text, " {} fit{mines}.", native::count(configurations, "layout", "layouts")),
            len => write!(text, " {}.{} · 10^{} layouts fit{mines}.", &digits[..1], &digits[1..3], len - 1),
        };
    }
    text
}

fn no_answer(result: &RunResult<Minesweeper>) -> String {
    let Some(conflict) = result.proof().conflict.as_ref() else { return result.verdict.gave_up_words() };
    if conflict.clues.is_empty() && !conflict.needs_total {
        return format!("No layout fits {}.", result.job.rules.attribution());
    }
    let words = contradiction(result.board(), conflict);
    if result.job.rules.is_builtin() {
        words
    } else {
        format!("{} {}.", words.trim_end_matches('.'), result.job.rules.attribution())
    }
}

/// Returns "Contradictory: the 1 at row 1, column 1 and the total of 3 mines cannot be satisfied
/// together."
fn contradiction(board: &Board, conflict: &Conflict) -> String {
    let verb = if conflict.size() == 1 { "cannot be satisfied" } else { "cannot be satisfied together" };
    format!("Contradictory: {} {verb}.", describe_conflict(board, conflict))
}

/// Returns "mine probability 12.0 %".
fn risk_words(answer: &Answer, cell: usize) -> Option<String> {
    Some(format!("mine probability {}", percent(answer.probabilities[cell]?)))
}

/// Rounds a probability to whole percent, from 1 to 99.
fn rounded_percent(risk: f64) -> u32 {
    (risk * 100.0).round().clamp(1.0, 99.0) as u32
}

/// Returns "12.0 %". Only a certain event has "0.0 %" or "100.0 %".
pub fn percent(probability: f64) -> String {
    match probability * 100.0 {
        percent if percent > 0.0 && percent < 0.1 => format!("{percent:.2e} %"),
        percent if percent > 99.9 && probability < 1.0 => {
            let mut rounded = (2..16).map(|decimals| format!("{percent:.decimals$} %"));
            rounded.find(|text| !text.starts_with("100")).unwrap_or_else(|| "almost 100 %".to_owned())
        }
        percent => format!("{percent:.1} %"),
    }
}

/// The mark of a covered cell.
enum CellMark {
    Flag,
    Mine,
    Safe,
    Best,
    /// From 1 to 99.
    Percent(u32),
    /// No number counts the cell, or its probability is unknown.
    Closed,
}

fn cell_mark(board: &Board, answer: &Answer, cell: usize) -> CellMark {
    let position = &board.position;
    let is_frontier = position.open_around(cell).next().is_some();
    match answer.probabilities[cell] {
        _ if position.cells[cell] == Cell::Mine => CellMark::Flag,
        Some(0.0) => CellMark::Safe,
        Some(1.0) => CellMark::Mine,
        _ if answer.best.binary_search(&cell).is_ok() => CellMark::Best,
        Some(risk) if is_frontier => CellMark::Percent(rounded_percent(risk)),
        _ => CellMark::Closed,
    }
}

/// Draws the board with the marks of its cells.
pub fn drawing(board: &Board, answer: &Answer, style: &Style) -> String {
    render_grid(board, style, |cell, width| render_cell(board, answer, cell, width))
}

/// Returns the number of characters per cell, without the space before it. Hexagons need an even
/// width, including the space.
fn width(board: &Board) -> usize {
    let is_narrow = board.position.grid.columns > MAX_WIDE_COLUMNS && !has_hexagons(board);
    if is_narrow { 2 } else { 3 }
}

fn has_hexagons(board: &Board) -> bool {
    matches!(board.position.adjacency.topology(), Topology::Hexagons { .. })
}

/// Draws the board with row and column numbers at its sides.
fn render_grid(board: &Board, style: &Style, draw_cell: impl Fn(usize, usize) -> (String, Ansi)) -> String {
    let position = &board.position;
    let grid = position.grid;
    let width = width(board);
    let dimmed = Ansi::new().dimmed();
    let mut page = String::new();
    let [first_row, first_column] = board.origin.map(i64::from);
    let column_labels: Vec<String> = (0..grid.columns)
        .map(|column| {
            let name = (first_column + column as i64).to_string();
            format!(" {:>width$}", if name.len() > width { &name[name.len() - width..] } else { &name })
        })
        .collect();
    let margin = (first_row + grid.rows as i64).to_string().len().max(2);
    let _ = writeln!(page, "  {:margin$}{}", "", style.paint(dimmed, &column_labels.concat()));
    for row in 0..grid.rows {
        let name = format!("{:>margin$}", first_row + row as i64);
        // Half a cell.
        let shift = if position.adjacency.topology().is_shifted(row) { "  " } else { "" };
        let _ = write!(page, "  {}{shift}", style.paint(dimmed, &name));
        for column in 0..grid.columns {
            let (text, ink) = draw_cell(grid.cell(row, column), width);
            let _ = write!(page, " {}", style.paint(ink, &format!("{text:>width$}")));
        }
        while page.ends_with(' ') {
            page.pop();
        }
        page.push('\n');
    }
    page
}

fn render_cell(board: &Board, answer: &Answer, cell: usize, width: usize) -> (String, Ansi) {
    let plain = Ansi::new();
    match board.position.cells[cell] {
        Cell::Wall => return (String::new(), plain),
        Cell::Open(0) => return ("·".to_owned(), plain.dimmed()),
        Cell::Open(number) => return (number.to_string(), number_ink(number)),
        _ => {}
    }
    match cell_mark(board, answer, cell) {
        CellMark::Flag => ("F".to_owned(), AnsiColor::Red.on_default()),
        CellMark::Mine => ("*".to_owned(), AnsiColor::Red.on_default().bold()),
        CellMark::Safe => ("o".to_owned(), AnsiColor::Green.on_default().bold()),
        CellMark::Best => ("!".to_owned(), AnsiColor::Black.on(AnsiColor::Yellow).bold()),
        CellMark::Percent(percent) if width > 2 => (format!("{percent}%"), heat_ink(percent)),
        CellMark::Percent(percent) => (format!("{percent:02}"), heat_ink(percent)),
        CellMark::Closed => ("#".to_owned(), plain.dimmed()),
    }
}

/// The classic colours of the numbers.
fn number_ink(number: u8) -> Ansi {
    let color = [0, 33, 34, 160, 19, 88, 37, 0, 244][usize::from(number)];
    if number == 7 { Ansi::new().bold() } else { Ansi256Color(color).on_default() }
}

fn heat_ink(percent: u32) -> Ansi {
    let color = [34, 64, 70, 100, 136, 172, 166, 166, 160, 124][(percent / 10) as usize];
    Ansi256Color(color).on_default()
}

fn legend(board: &Board, answer: &Answer, style: &Style) -> String {
    let covered: Vec<usize> = board.position.cells_where(Cell::is_covered).collect();
    let find =
        |predicate: fn(&CellMark) -> bool| covered.iter().find(|&&cell| predicate(&cell_mark(board, answer, cell)));
    let is_narrow = width(board) == 2;
    let percent = if is_narrow { "00 to 99 mine probability in percent" } else { "% mine probability" };
    type Kind = (fn(&CellMark) -> bool, &'static str);
    let kinds: [Kind; 5] = [
        (|cell_mark| matches!(cell_mark, CellMark::Safe), "o safe"),
        (|cell_mark| matches!(cell_mark, CellMark::Mine), "* mine"),
        (|cell_mark| matches!(cell_mark, CellMark::Flag), "F flag"),
        (|cell_mark| matches!(cell_mark, CellMark::Best), "! best guess"),
        (|cell_mark| matches!(cell_mark, CellMark::Percent(_)), percent),
    ];
    let present =
        kinds.into_iter().filter(|&(predicate, _)| find(predicate).is_some()).map(|(_, words)| words.to_owned());
    let other = find(|cell_mark| matches!(cell_mark, CellMark::Closed)).map(|&cell| match answer.probabilities[cell] {
        Some(risk) => format!("# other closed cells: {} each", self::percent(risk)),
        None => "# closed cell".to_owned(),
    });
    let implied = answer.implied_total().map(|mines| native::count(mines as u64, "mine", "mines"));
    let items: Vec<String> =
        [implied.unwrap_or_else(|| total(board))].into_iter().chain(present).chain(other).collect();
    style.paint(Ansi::new().dimmed(), &format!("  {}", items.join("   ")))
}

/// Returns a caption that fits a narrow board.
fn caption(board: &Board, answer: &Answer) -> String {
    match (answer.safe.len(), answer.best.first()) {
        (0, Some(&best)) => format!("best guess: {}", board.describe_cell(best)),
        (safe, _) => count_or_none(safe, "safe cell", "safe cells"),
    }
}

/// Returns "No cell is", "1 cell is", "2 cells are".
fn count_or_none(number: usize, one: &str, many: &str) -> String {
    match number {
        0 => format!("No {one}"),
        _ => native::count(number, one, many),
    }
}

impl Draw<Minesweeper> for Minesweeper {
    fn draw(&self, result: &RunResult<Minesweeper>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        let conflict = || result.proof().conflict.as_ref().map(|conflict| conflict_picture(result, conflict));
        Ok(answer.map(|answer| picture(result.board(), answer)).or_else(conflict))
    }
}

/// Draws the board with a heat map of the probabilities.
pub fn picture(board: &Board, answer: &Answer) -> Picture {
    let note = notes(board, answer);
    board_picture(board, summary(board, answer), caption(board, answer), |cell, sprite| {
        let Some(risk) = answer.probabilities[cell] else { return sprite };
        if board.position.cells[cell] == Cell::Mine {
            return Sprite { paint: Paint::Heat(risk), ..sprite };
        }
        let is_framed = answer.found_by == Stage::Guess && answer.best.binary_search(&cell).is_ok();
        let label = match risk {
            0.0 => "✓".to_owned(),
            1.0 => "✹".to_owned(),
            _ => format!("{}%", rounded_percent(risk)),
        };
        let parts = [board.describe_cell(cell), risk_words(answer, cell).unwrap_or_default(), note(cell)];
        let hint = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        // All closed cells that no number counts have the same probability.
        let is_faded = risk > 0.0 && risk < 1.0 && !is_framed && board.position.open_around(cell).next().is_none();
        let paint = if is_faded { Paint::Faded } else { Paint::Heat(risk) };
        Sprite { look: look(board, is_framed), paint, label, hint, ..sprite }
    })
}

/// Draws a contradictory board with frames around the conflicting numbers.
pub fn conflict_picture(result: &RunResult<Minesweeper>, conflict: &Conflict) -> Picture {
    let board = result.board();
    let caption = match conflict.clues.len() {
        0 if !conflict.needs_total => "no layout fits".to_owned(),
        0 => "the total is impossible".to_owned(),
        1 => "1 number is impossible".to_owned(),
        clues => {
            let has_flag = conflict.clues.iter().any(|&clue| board.position.cells[clue] == Cell::Mine);
            format!("{clues} {} in conflict", if has_flag { "clues" } else { "numbers" })
        }
    };
    board_picture(board, no_answer(result), caption, |cell, sprite| {
        if conflict.clues.binary_search(&cell).is_err() {
            return sprite;
        }
        let hint = format!("{} is in conflict", describe_clue(board, cell));
        Sprite { look: look(board, true), paint: Paint::Heat(1.0), hint, ..sprite }
    })
}

/// A step of a solution: the numbers from which it follows, and the cells that it decides (`true`
/// for a mine).
type PictureStep = (Vec<usize>, Vec<(usize, bool)>);

/// Draws the board step by step, after a frame without any results. The numbers of the current step
/// are framed; decided cells stay.
pub fn steps_picture(board: &Board, steps: &[PictureStep], captions: Vec<String>) -> Picture {
    let frames = captions.len();
    let mut picture = board_picture(board, total(board), String::new(), |_, sprite| sprite);
    picture.captions = captions;
    for (number, (numbers, cells)) in steps.iter().enumerate() {
        let visible_frames =
            |is_visible: fn(usize, usize) -> bool| (0..frames).map(|at| is_visible(at, number + 1)).collect();
        for &cell in numbers {
            let framed = Sprite { look: look(board, true), ..cell_sprite(board, cell) };
            picture.sprites.push(Sprite { shown: visible_frames(|frame, step| frame == step), ..framed });
        }
        for &(cell, is_mine) in cells {
            let (label, risk) = if is_mine { ("✹", 1.0) } else { ("✓", 0.0) };
            let decided = Sprite { label: label.to_owned(), paint: Paint::Heat(risk), ..cell_sprite(board, cell) };
            picture.sprites.push(Sprite { shown: visible_frames(|frame, step| frame >= step), ..decided });
        }
    }
    picture
}

/// The side of a cell, including the gap to the next.
const SIDE: f64 = 32.0;

/// The classic colours of the numbers.
const NUMBERS: [u32; 9] = [0, 0x0000ff, 0x008000, 0xff0000, 0x000080, 0x800000, 0x008080, 0, 0x808080];

fn look(board: &Board, is_framed: bool) -> Look {
    if has_hexagons(board) {
        Look::Hexagon { width: SIDE - 2.0, is_framed }
    } else {
        Look::Square { side: SIDE - 2.0, is_framed }
    }
}

/// Draws the visible board; `decorate` adds results to the sprite of a cell.
pub fn board_picture(
    board: &Board,
    title: String,
    caption: String,
    decorate: impl Fn(usize, Sprite) -> Sprite,
) -> Picture {
    let position: &KnownPosition = &board.position;
    let sprites =
        position.cells_where(|cell| cell != Cell::Wall).map(|cell| decorate(cell, cell_sprite(board, cell))).collect();
    Picture { title, sprites, captions: vec![caption] }
}

/// Returns the rectangle of a cell in the picture. Rows of hexagons overlap.
pub fn cell_rectangle(board: &Board, cell: usize) -> Rectangle {
    let [row, column] = board.position.grid.place(cell);
    let height = if has_hexagons(board) { SIDE * 3.0_f64.sqrt() / 2.0 } else { SIDE };
    let shift = if board.position.adjacency.topology().is_shifted(row) { SIDE / 2.0 } else { 0.0 };
    [SIDE * column as f64 + shift + 4.0, height * row as f64 + 4.0, SIDE, height]
}

fn cell_sprite(board: &Board, cell: usize) -> Sprite {
    let (label, paint) = match board.position.cells[cell] {
        Cell::Open(number) => {
            let label = if number == 0 { String::new() } else { number.to_string() };
            let [_, red, green, blue] = NUMBERS[usize::from(number)].to_be_bytes();
            (label, Paint::Ink(Rgb(red, green, blue)))
        }
        Cell::Mine => ("⚑".to_owned(), Paint::Grey),
        _ => (String::new(), Paint::Grey),
    };
    let [x, y, width, height] = cell_rectangle(board, cell);
    Sprite::still(look(board, false), paint, label, (x + width / 2.0, y + height / 2.0))
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn only_a_certain_event_has_a_hundred_percent() {
        let texts = [0.0, 0.12, 0.999, 0.9996, 0.99999, 1.0 - f64::EPSILON, 1.0].map(percent);
        assert_eq!(texts, ["0.0 %", "12.0 %", "99.9 %", "99.96 %", "99.999 %", "99.99999999999997 %", "100.0 %"]);
    }
}
