//! Why: numbers that cannot hold together, why a cell is a mine or safe, why neither is certain, and what a guess would tell.
//!
//! A cell that is not decided has two layouts, one with a mine there and one without; they are made to differ in as few cells as
//! they can, so that one sees why both fit. A guess is good for what it tells: for each number that may appear, how likely it is
//! and which cells would be certain then.
//!
//! ```text
//!   mines 1      1   a mine      * -     - *     the 1 has one mine beside it,
//!   1?           ?   there       1 *     1 -     and does not tell which
//!   ??
//! ```

use std::sync::Arc;

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::answer::{Answer, clue_words, list_words, total_words, words as reason_words};
use super::backtracking::{Claim, Finding, Nodes, find};
use super::board::{Board, Fact};
use super::conflict::{self, Conflict};
use super::count::Budget;
use super::explain::Reason;
use super::grid::{Cell, Position};
use super::obvious::Contradiction;
use super::probability::likelihood;
use super::weight::exact_ratio;
use super::written::Written;
use super::{LAYOUT, Minesweeper, text, vouch};
use crate::asp::Program;
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::Job;
use crate::page::Page;
use crate::picture::Picture;
use crate::puzzle::{Opened, Puzzle, place_of_fact, reasons};
use crate::report::Format;
use crate::sorting;
use crate::stop::Reason as Stopped;
use crate::why::{self, Asks, Boards, Kind, List, Part, Question, Source, Told};
use crate::words::count;

/// Cells in which the second layout is made like the first.
const MOST_ALIKE: usize = 400;
/// Cells whose names are told.
const NAMED: usize = 6;

/// Numbers, flags, and perhaps the total, as parts of a reason.
pub fn parts(board: &Board, conflict: &Conflict, documents: &[Document]) -> Vec<Part> {
    // Where signs stand is known to who reads them.
    let written = match documents {
        [document] if !board.is_program => Written::of(document).ok().map(|written| (document, written)),
        _ => None,
    };
    let place = |fact: &str, cell: Option<usize>| match &written {
        Some((document, written)) => {
            let range = match cell {
                Some(cell) => written.place(board.position.grid.place(cell)),
                None => written.place_of_total(),
            };
            Some(Place::of_range(&document.name, &document.text, range))
        }
        None => place_of_fact(documents, fact),
    };
    let clue = |&cell: &usize| {
        let text = board.clue(cell).to_string();
        Part { kind: Kind::Fact, place: place(&text, Some(cell)), text, words: clue_words(board, cell) }
    };
    let total = conflict.needs_total.then(|| {
        let text = Fact::Mines(board.position.mines.unwrap_or(0)).to_string();
        Part { kind: Kind::Fact, place: place(&text, None), text, words: total_words(board) }
    });
    conflict.clues.iter().map(clue).chain(total).collect()
}

/// The program to explain: the one that is solved. The facts of a text know the places of their signs.
pub fn source(board: &Board, program: Program, documents: &[Document]) -> Source {
    let [document] = documents else { return program.into() };
    if board.is_program {
        return program.into();
    }
    let text: String = board.facts().map(|fact| format!("{fact}.\n")).collect();
    let all = Conflict { clues: board.clues().collect(), needs_total: board.position.mines.is_some() };
    let name = |words: String| words.strip_prefix("the ").map(str::to_owned).unwrap_or(words);
    // Parts come in the order of the facts; that there is a cell is no clue.
    let mut clues = parts(board, &all, documents).into_iter().map(|part| Some((part.place?, name(part.words))));
    let line = |fact: Fact| if matches!(fact, Fact::Cell(_)) { None } else { clues.next().flatten() };
    let lines = board.facts().map(line).collect();
    let facts = Document::in_memory(document.name.clone(), text);
    let encoding = program.encoding.into_iter().map(|document| match LAYOUT.files[0].is_written_in(&document) {
        true => Document::in_memory(document.name, counting_from_one(&document.text)),
        false => document,
    });
    let program = Program { instance: vec![facts], facts: Vec::new(), encoding: encoding.collect(), ..program };
    Source { program, boards: Boards::from([(document.name.clone(), lines)]), ..Source::default() }
}

/// The rules of a layout with other terms in the comments that give words: the facts of a text count rows and columns from 0,
/// and words count them from 1. No rule changes, nor where it stands.
fn counting_from_one(text: &str) -> String {
    let line = |line: &str| {
        let terms =
            line.strip_prefix("%!trace").and_then(|comment| comment.split_once("\",")).zip(line.split_once('}'));
        let Some(((before, after), (_, rest))) = terms else { return line.to_owned() };
        let terms = after.split('}').next().unwrap_or_default().split(',');
        let terms =
            terms.map(|term| if ["R", "C"].contains(&term.trim()) { format!("{term}+1") } else { term.to_owned() });
        format!("%!trace{before}\",{}}}{rest}", terms.collect::<Vec<_>>().join(","))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Answers a question; `None` where numbers may say anything.
pub fn why(board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
    let paged = |told: Told| Some(reasons::with_page(Minesweeper, told, None));
    match &question.asks {
        // Then the logic program is explained.
        _ if !board.is_plain || !question.blame.is_empty() || question.fix => Ok(None),
        Asks::Nothing => reasons::of_verdict(Minesweeper, board, job, question).map(Some),
        Asks::About(asked) => about(board, asked, job, question).map(paged),
        Asks::Steps { all } => steps(board, *all, job, question).map(Some),
        _ => Ok(None),
    }
}

/// What is known of a cell.
enum Known {
    /// It is a mine, or none, in all layouts.
    Certain(bool, Conflict),
    /// The mines of a layout with one there, and of one without.
    Open([Vec<usize>; 2]),
    Contradictory,
}

fn about(board: &Arc<Board>, asked: &str, job: &Job, question: &Question) -> Result<Told, Failure> {
    let (cell, holds) = asked_about(board, asked).map_err(|what| Diagnostic::error(format!("{asked}: {what}")))?;
    let budget = Budget::of(job);
    let bold = |text: &str| question.style.paint(anstyle::Style::new().bold(), text);
    let (text, json) = match known(board, cell, &budget, &mut Nodes::new(vouch::NODES, &budget.stop)) {
        Err(reason) => return Ok(gave_up(json!({ "schema": 1, "atom": asked }), reason)),
        Ok(Known::Contradictory) => return reasons::of_verdict(Minesweeper, board, job, question),
        Ok(Known::Certain(is_mine, conflict)) => {
            let because = parts(board, &conflict, &job.documents);
            let kind = if is_mine { "is a mine" } else { "is safe" };
            let contrary = if is_mine { "safe, it" } else { "a mine, it" };
            let list = list_words(board, &conflict);
            let summary = format!("{} {kind}: if it were {contrary} would contradict {list}.", board.words(cell));
            let marked = text::reason_page(board, &conflict.clues, &[(cell, is_mine)], &question.style);
            let holds = if is_mine == holds { "always" } else { "never" };
            let because: Value = because.iter().map(Part::json).collect();
            (
                format!("{}\n{marked}", bold(&summary)),
                json!({ "schema": 1, "atom": asked, "holds": holds, "because": because }),
            )
        }
        Ok(Known::Open([with, without])) => {
            let atoms = |cells: &[usize]| cells.iter().map(|&cell| atom(board, cell, true)).collect::<Vec<String>>();
            let differs = |&other: &usize| other != cell && with.contains(&other) != without.contains(&other);
            let differ = board.position.grid.cells().filter(differs);
            let differ: Vec<String> = differ.map(|other| atom(board, other, !with.contains(&other))).collect();
            let mut told = json!({
                "schema": 1, "atom": asked, "holds": "sometimes", "because": [],
                "with": atoms(&with), "without": atoms(&without), "differ": differ,
            });
            let summary =
                format!("{} is not decided: a layout with a mine there fits, and one without.", board.words(cell));
            let mut text = bold(&summary) + "\n" + &text::layouts_page(board, [&with, &without], &question.style);
            if let Ok(telling) = telling(&board.position, cell, &budget) {
                told["numbers"] = telling_json(board, &telling);
                text += &telling_words(board, cell, &telling);
            }
            (text, told)
        }
    };
    Ok(Told { text, json, verdict: Some(Verdict::Solved), ..Told::default() })
}

/// The closed cell of a question, and whether it asks for a mine there.
fn asked_about(board: &Board, asked: &str) -> Result<(usize, bool), String> {
    let wanted = "an atom such as mine(0,3) was wanted: row and column as in the facts, of a text from 0";
    let (atom, holds) = why::literal(asked).ok_or(wanted)?;
    let is_mine = crate::asp::signature_of(atom) == Some(("mine", 2));
    let terms = atom.arguments().unwrap_or_default().into_iter().map(crate::asp::Term::of);
    let arguments: Option<Vec<i32>> = terms.map(|term| term.number()).collect();
    let arguments = arguments.filter(|_| is_mine).ok_or(wanted)?;
    let cell = board.cell(arguments[0], arguments[1]).filter(|&cell| board.position.cells[cell] != Cell::Wall);
    let cell = cell.ok_or("there is no such cell")?;
    match board.position.cells[cell] {
        Cell::Open(_) => Err(format!("{} is open, and no mine", board.words(cell))),
        Cell::Mine => Err(format!("{} has a flag, which says that it is a mine", board.words(cell))),
        _ => Ok((cell, holds)),
    }
}

/// "mine(0,3)", "not mine(0,3)"
fn atom(board: &Board, cell: usize, is_mine: bool) -> String {
    let [row, column] = board.coordinates(cell);
    format!("{}mine({row},{column})", if is_mine { "" } else { "not " })
}

fn gave_up(mut json: Value, reason: Stopped) -> Told {
    json["holds"] = Value::Null;
    Told { text: String::new(), json, verdict: Some(Verdict::GaveUp(reason)), ..Told::default() }
}

/// Whether a mine fits at a cell, and whether none does: by the search that shares nothing with the count; the numbers from which it
/// follows are the count's.
fn known(board: &Board, cell: usize, budget: &Budget, nodes: &mut Nodes) -> Result<Known, Stopped> {
    let position = &board.position;
    let numbers: Vec<usize> = position.numbers().collect();
    let claim = |given: &[(usize, bool)]| vouch::claim(position, &numbers, given, vouch::total(position));
    let with = find(&claim(&[(cell, true)]), nodes);
    let without = find(&claim(&[(cell, false)]), nodes);
    let stopped = || budget.stop.requested().unwrap_or(Stopped::NodeLimit);
    match (with, without) {
        (Finding::Nothing, Finding::Nothing) => Ok(Known::Contradictory),
        (Finding::Open, _) | (_, Finding::Open) => Err(stopped()),
        (Finding::Layout(with), Finding::Layout(without)) => {
            let mut seen = position.seen(&numbers);
            seen.extend((!seen.contains(&cell)).then_some(cell));
            seen.retain(|&cell| position.cells[cell] == Cell::Closed);
            seen.sort_unstable();
            let with = completed(position, &claim(&[(cell, true)]), &seen, with);
            let without = alike(position, (cell, without), &seen, &with, claim, nodes);
            Ok(Known::Open([with, without]))
        }
        (with, _) => {
            let is_mine = with != Finding::Nothing;
            let conflict = conflict::reason(position, cell, is_mine, None, budget)?;
            let total = vouch::total(position).filter(|_| conflict.needs_total);
            let told = vouch::claim(position, &conflict.clues, &[(cell, !is_mine)], total);
            match find(&told, nodes) {
                Finding::Nothing => Ok(Known::Certain(is_mine, conflict)),
                // What is told has to be seen twice.
                _ => Err(stopped()),
            }
        }
    }
}

/// The layout with the other mines of the total in the first cells that no number sees.
fn completed(position: &Position, claim: &Claim, seen: &[usize], mut mines: Vec<usize>) -> Vec<usize> {
    if let Some(total) = claim.total {
        let left = usize::try_from(total.mines).unwrap_or(0).saturating_sub(mines.len());
        mines.extend(position.all(Cell::Closed).filter(|cell| seen.binary_search(cell).is_err()).take(left));
    }
    mines.extend(position.all(Cell::Mine));
    mines.sort_unstable();
    mines
}

/// A layout without a mine at the cell, made like the other one wherever it can be: cells far away first.
fn alike(
    position: &Position,
    (cell, mut layout): (usize, Vec<usize>),
    seen: &[usize],
    with: &[usize],
    claim: impl Fn(&[(usize, bool)]) -> Claim,
    nodes: &mut Nodes,
) -> Vec<usize> {
    let [row, column] = position.grid.place(cell);
    let far = |&other: &usize| {
        let place = position.grid.place(other);
        std::cmp::Reverse(place[0].abs_diff(row).max(place[1].abs_diff(column)))
    };
    let mut others: Vec<usize> = seen.iter().copied().filter(|&other| other != cell).collect();
    sorting::sort_by_key(&mut others, far);
    let mut given = vec![(cell, false)];
    // All of what is far away at once, then ever less of it.
    let (mut at, mut len) = (0, others.len().next_power_of_two());
    let mut tries = 0;
    while at < others.len() && tries < MOST_ALIKE {
        tries += 1;
        let end = (at + len).min(others.len());
        let more = others[at..end].iter().map(|&other| (other, with.binary_search(&other).is_ok()));
        let wanted: Vec<(usize, bool)> = given.iter().copied().chain(more).collect();
        match find(&claim(&wanted), nodes) {
            Finding::Layout(found) => {
                (layout, given, at) = (found, wanted, end);
                len *= 2;
            }
            _ if len > 1 => len /= 2,
            _ => at += 1,
        }
    }
    completed(position, &claim(&given), seen, layout)
}

/// What is known once a cell was opened and a number appeared.
pub struct Telling {
    pub number: u8,
    /// That it appears.
    pub probability: f64,
    /// Cells that are certain then, and were not before.
    pub safe: Vec<usize>,
    pub mines: Vec<usize>,
}

/// What each number would tell that may appear at a closed cell.
pub fn telling(position: &Position, cell: usize, budget: &Budget) -> Result<Vec<Telling>, Stopped> {
    let nothing = |_: Contradiction| Stopped::Unproven;
    let before = likelihood(position, budget)?.map_err(nothing)?;
    let mut all = Vec::new();
    for number in 0..=8 {
        let mut after = position.clone();
        after.cells[cell] = Cell::Open(number);
        let Ok(now) = likelihood(&after, budget)? else { continue };
        let is_news = |other: usize, wanted: f64| now.of[other] == wanted && before.of[other] != wanted;
        let closed = position.all(Cell::Closed).filter(|&other| other != cell);
        let certain = |wanted: f64| closed.clone().filter(|&other| is_news(other, wanted)).collect::<Vec<usize>>();
        if now.configurations > BigUint::ZERO {
            let probability = exact_ratio(&now.configurations, &before.configurations);
            all.push(Telling { number, probability, safe: certain(0.0), mines: certain(1.0) });
        }
    }
    Ok(all)
}

fn telling_json(board: &Board, telling: &[Telling]) -> Value {
    let places = |cells: &[usize]| board.position.grid.places(cells);
    let one = |Telling { number, probability, safe, mines }: &Telling| json!({ "number": number, "probability": probability, "safe": places(safe), "mines": places(mines) });
    telling.iter().map(one).collect()
}

/// A line for each number.
fn telling_words(board: &Board, cell: usize, telling: &[Telling]) -> String {
    let list = |cells: &[usize], kind: &str| {
        let names: Vec<String> = cells.iter().take(NAMED).map(|&cell| board.words(cell)).collect();
        let more = if cells.len() > NAMED { "; …" } else { "" };
        match cells.len() {
            0 => None,
            1 => Some(format!("1 {kind} cell ({})", names[0])),
            number => Some(format!("{number} {kind} cells ({}{more})", names.join("; "))),
        }
    };
    let mut text = format!("\nIf {} is opened, and no mine:\n", board.words(cell));
    for one in telling {
        let certain: Vec<String> = list(&one.safe, "safe").into_iter().chain(list(&one.mines, "mined")).collect();
        let certain = if certain.is_empty() { "nothing new is certain".to_owned() } else { certain.join(", ") };
        text += &format!("  {}  {:>6}  {certain}\n", one.number, text::percent(one.probability));
    }
    text
}

/// Steps as one finds them: what follows from the same numbers is one.
fn steps(board: &Arc<Board>, all: bool, job: &Job, question: &Question) -> Result<Told, Failure> {
    let solved = Opened::with(Minesweeper, board.clone(), job.clone())?.solve()?;
    let (verdict, budget) = (solved.verdict, Budget::of(job));
    let mut json = json!({ "schema": 1, "steps": [] });
    let Some(answer) = solved.answers.first() else {
        if let Verdict::GaveUp(reason) = verdict {
            return Ok(gave_up(json, reason));
        }
        let text = "No layout fits; asp-solve why tells which numbers contradict each other.\n".to_owned();
        return Ok(Told { text, json, verdict: Some(Verdict::Impossible), ..Told::default() });
    };
    let is_same = |a: &Reason, b: &Reason| (a.stage, &a.because) == (b.stage, &b.because);
    let mut groups: Vec<&[Reason]> = answer.reasons.chunk_by(is_same).collect();
    groups.truncate(if all { groups.len() } else { 1 });
    let (mut text, mut lists) = (String::new(), Vec::new());
    let bold = anstyle::Style::new().bold();
    for (number, &group) in groups.iter().enumerate() {
        let because = parts(board, &group[0].because, &job.documents);
        lists.push(List::of("", &because));
        let words = step_words(board, group);
        let atom = |reason: &Reason| atom(board, reason.cell, reason.is_mine);
        let step = json!({
            "follows": group.iter().map(atom).collect::<Vec<String>>(),
            "because": because.iter().map(Part::json).collect::<Value>(),
            "size": because.len(), "found_by": group[0].stage, "words": words,
        });
        json["steps"].as_array_mut().expect("a list").push(step);
        let title = if all { format!("{}. {words}", number + 1) } else { words };
        text += &format!("{}\n", question.style.paint(bold, &title));
        if !all && !question.style.quiet {
            let cells: Vec<(usize, bool)> = group.iter().map(|reason| (reason.cell, reason.is_mine)).collect();
            text += &text::reason_page(board, &group[0].because.clues, &cells, &question.style);
        }
    }
    let (mut told, mut html, mut svg) = (Verdict::Solved, None, None);
    if question.format == Format::Html && !groups.is_empty() {
        html = Some(steps_page(board, &groups, &text, all));
    }
    if question.format == Format::Svg && !groups.is_empty() {
        let film = film(board, &groups);
        svg = Some(if all { film } else { film.last_frame() }.svg());
    }
    if groups.is_empty() {
        told = match verdict {
            Verdict::GaveUp(reason) => Verdict::GaveUp(reason),
            _ => Verdict::Impossible,
        };
        text += &format!("{}\n", question.style.paint(bold, "No closed cell is certain: one must guess."));
        if let Some(guess) = guess(board, answer, &budget) {
            json["guess"] = guess.0;
            text += &guess.1;
        }
    }
    let told = Told { text, json, lists, html, svg, verdict: Some(told), ..Told::default() };
    Ok(if told.html.is_some() { told } else { reasons::with_page(Minesweeper, told, None) })
}

/// A page that plays the steps on the board.
fn steps_page(board: &Board, groups: &[&[Reason]], text: &str, all: bool) -> String {
    let heading = if all { count(groups.len(), "step", "steps") + ".\n" } else { String::new() };
    let mut page = Page::of_steps(Minesweeper.about().name, &(heading + text));
    page.add(&film(board, groups));
    page.columns = ["step", "what follows", "reasons"].map(str::to_owned).to_vec();
    let size = |group: &[Reason]| group[0].because.size().to_string();
    let rows = groups.iter().enumerate();
    let row = |(number, group): (usize, &&[Reason])| {
        (0, vec![(number + 1).to_string(), step_words(board, group), size(group)])
    };
    page.rows = rows.map(row).collect();
    page.html()
}

/// The board with the steps one after the other.
fn film(board: &Board, groups: &[&[Reason]]) -> Picture {
    let words = groups.iter().map(|group| step_words(board, group));
    let told = words.enumerate().map(|(number, words)| format!("{}. {words}", number + 1));
    let captions = ["The board.".to_owned()].into_iter().chain(told).collect();
    let cells = |group: &[Reason]| group.iter().map(|reason| (reason.cell, reason.is_mine)).collect();
    let steps: Vec<_> = groups.iter().map(|group| (group[0].because.clues.clone(), cells(group))).collect();
    text::steps_picture(board, &steps, captions)
}

/// The best guess, and what each number there would tell.
fn guess(board: &Board, answer: &Answer, budget: &Budget) -> Option<(Value, String)> {
    let &best = answer.best.first()?;
    let risk = answer.probabilities[best]?;
    let mut json = json!({ "cell": board.position.grid.place(best), "probability": risk });
    let mut text = format!("The best guess is {}: a mine with {}.\n", board.words(best), text::percent(risk));
    if let Some(safest) =
        answer.safest().filter(|&safest| answer.probabilities[safest].is_some_and(|least| least < risk))
    {
        let least = text::percent(answer.probabilities[safest].unwrap_or(risk));
        text +=
            &format!("{} is a mine with {least} alone, but knowing what is there helps less.\n", board.words(safest));
    }
    if let Some(chance) = answer.chance {
        json["chance"] = json!(chance);
        text += &format!("The game is won with {} from here.\n", text::percent(chance));
    }
    if let Ok(telling) = telling(&board.position, best, budget) {
        json["numbers"] = telling_json(board, &telling);
        text += &telling_words(board, best, &telling);
    }
    Some((json, text))
}

/// "row 1, column 2 and row 1, column 3 are safe: the 1 at row 2, column 2 already has its mine"
fn step_words(board: &Board, group: &[Reason]) -> String {
    let mut cells: Vec<String> = group.iter().map(|reason| board.words(reason.cell)).collect();
    let is_mixed = group.iter().any(|reason| reason.is_mine != group[0].is_mine);
    if is_mixed {
        let each = group.iter().map(|reason| {
            format!("{} {}", board.words(reason.cell), if reason.is_mine { "is a mine" } else { "is safe" })
        });
        let list = list_words(board, &group[0].because);
        return format!("{}: so {list} would have it.", each.collect::<Vec<_>>().join(", "));
    }
    let kind = match (group[0].is_mine, cells.len()) {
        (true, 1) => "is a mine",
        (false, 1) => "is safe",
        (true, _) => "are mines",
        (false, _) => "are safe",
    };
    let last = cells.pop().unwrap_or_default();
    let cells = if cells.is_empty() { last } else { format!("{} and {last}", cells.join("; ")) };
    format!("{cells} {kind}: {}.", reason_words(board, &group[0]))
}

#[cfg(test)]
mod tests {
    use super::super::grid::Grid;
    use super::*;

    /// A layout is one that the numbers and the total allow.
    fn fits(position: &Position, layout: &[usize]) -> bool {
        let is_mine = |cell: &usize| layout.contains(cell);
        let holds = |&cell: &usize| match position.cells[cell] {
            Cell::Open(number) => {
                position.grid.around(cell).iter().filter(|near| is_mine(near)).count() == usize::from(number)
            }
            _ => true,
        };
        position.grid.cells().all(|cell| holds(&cell)) && position.mines.is_none_or(|mines| mines == layout.len())
    }

    #[test]
    fn layouts_that_are_told_fit_however_early_the_search_ends() {
        // Every second cell of every second row shows 3; with the last total no layout fits.
        let grid = Grid { rows: 7, columns: 7 };
        for mines in [14, 18, 25] {
            let mut position = Position::closed(grid, Some(mines));
            for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 2 == 1)) {
                position.cells[cell] = Cell::Open(3);
            }
            let is_possible = likelihood(&position, &Budget::none()).expect("no limit").is_ok();
            let board = Board::of(position);
            let mut told = 0;
            for nodes in (0..400).chain([1_000_000]) {
                let known = known(&board, grid.cell(3, 2), &Budget::none(), &mut Nodes::few(nodes));
                if let Ok(Known::Open(layouts)) = known {
                    told += 1;
                    assert!(
                        layouts.iter().all(|layout| fits(&board.position, layout)),
                        "{mines}, {nodes}: {layouts:?}"
                    );
                }
            }
            assert_eq!(told > 0, is_possible, "{mines}");
        }
    }
}
