//! Explanations of contradictions, of decided and undecided cells, and of guesses.
//!
//! For an undecided cell, two layouts are shown, one with a mine in the cell and one without. They
//! are chosen to differ in few cells, which shows why both fit. A guess is explained by its
//! outcomes: for each number that may appear, its probability and the cells that it would decide.
//!
//! ```text
//!   mines 1      1   a mine      * -     - *     the 1 has one mine next to it,
//!   1?           ?   there       1 *     1 -     and does not decide where
//!   ??
//! ```

use std::sync::Arc;

use asp::Program;
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::ending::Verdict;
use base::sorting;
use base::stop::StopReason as Stopped;
use explain::PictureUse;
use explain::{
    AtomConclusion, Boards, ExplainInput, ExplainQuery, Explanation, NativeFinding, NativeReport, Part, PartKind,
    QueryKind, Step,
};
use num_bigint::BigUint;
use picture::Picture;
use puzzle::job::Job;
use puzzle::{Explain, Run, place_of_fact, reasons};
use serde_json::{Map, Value, json};

use super::answer::{Answer, describe_clue, describe_conflict, describe_reason, describe_total};
use super::backtracking::{Constraints, LayoutOutcome, NodeBudget, find_layout};
use super::board::{Board, Fact};
use super::conflict::{self, Conflict};
use super::count::Budget;
use super::explain::Reason;
use super::grid::Cell;
use super::obvious::Contradiction;
use super::position::KnownPosition;
use super::probability::{is_weighted, likelihood};
use super::text_board::{TOTAL_HELP, TextBoard};
use super::weight::exact_ratio;
use super::{Minesweeper, recheck, text};

/// Maximum number of attempts to make the second layout similar to the first.
const MAX_SIMILARITY_TRIES: usize = 400;
/// Maximum number of cells that are listed by name.
const MAX_NAMED_CELLS: usize = 6;

/// Converts a conflict to the parts of a reason.
pub fn parts(board: &Board, conflict: &Conflict, documents: &[Document]) -> Vec<Part> {
    // Locate each sign in the source, if the board is a text.
    let text_board = match documents {
        [document] if !board.is_program => TextBoard::of(document).ok().map(|text_board| (document, text_board)),
        _ => None,
    };
    let place = |fact: &str, cell: Option<usize>| match &text_board {
        Some((document, text_board)) => {
            let range = match cell {
                Some(cell) => text_board.place(board.position.grid.place(cell)),
                None => text_board.place_of_total(),
            };
            Some(Place::of_range(&document.name, &document.text, range))
        }
        None => place_of_fact(documents, fact),
    };
    let clue = |&cell: &usize| {
        let text = board.clue(cell).to_string();
        let place = place(&text, Some(cell));
        Part::new(PartKind::Fact, text, describe_clue(board, cell)).at(place)
    };
    let total = conflict.needs_total.then(|| {
        let text = Fact::Mines(board.position.mines.unwrap_or(0)).to_string();
        let place = place(&text, None);
        Part::new(PartKind::Fact, text, describe_total(board)).at(place)
    });
    conflict.clues.iter().map(clue).chain(total).collect()
}

/// Returns the program to explain, which is the one that is solved. For a board in a text format,
/// its facts are mapped to the places of the signs.
pub fn source(board: &Board, program: Program, documents: &[Document]) -> ExplainInput {
    let [document] = documents else { return program.into() };
    if board.is_program {
        return program.into();
    }
    let text: String = board.facts().map(|fact| format!("{fact}.\n")).collect();
    let all = Conflict { clues: board.clues().collect(), needs_total: board.position.mines.is_some() };
    let name = |words: &str| words.strip_prefix("the ").unwrap_or(words).to_owned();
    // Parts are in the order of the facts; `cell/2` is not a clue.
    let mut clues = parts(board, &all, documents).into_iter().map(|part| Some((part.place?, name(&part.words))));
    let origin = |fact: Fact| if matches!(fact, Fact::Cell(_)) { None } else { clues.next().flatten() };
    let origins = board.facts().map(origin).collect();
    let facts = Document::in_memory(document.name.clone(), text);
    let program = Program { instance: vec![facts], facts: Vec::new(), ..program };
    ExplainInput { program, boards: Boards::from([(document.name.clone(), origins)]), ..ExplainInput::default() }
}

impl Explain<Minesweeper> for Minesweeper {
    /// Answers a query. Returns `None` under custom rules and for queries about the program.
    fn why(&self, board: &Arc<Board>, job: &Job, query: &ExplainQuery) -> Result<Option<Explanation>, Failure> {
        match &query.kind {
            // These are answered with the logic program instead.
            _ if !board.is_plain || !query.blame.is_empty() || query.fix => Ok(None),
            QueryKind::NoAnswer => explain_verdict(board, job, query).map(Some),
            QueryKind::About(literal_text) => explain_cell(board, literal_text, job, query).map(Some),
            QueryKind::Steps { all } => {
                let deadline = job.stop.child_until(query.deadline);
                let job = Job { stop: deadline.token.clone(), ..job.clone() };
                explain_steps(board, *all, &job, query).map(Some)
            }
            QueryKind::Rating | QueryKind::Counts => Ok(None),
        }
    }
}

/// Explains why no layout fits, or says what else to ask.
fn explain_verdict(board: &Arc<Board>, job: &Job, query: &ExplainQuery) -> Result<Explanation, Failure> {
    let solved = Run::with_board(Minesweeper, board.clone(), job.clone())?.solve()?;
    let is_solved = solved.verdict == Verdict::Solved;
    let mut style = query.style;
    style.quiet |= is_solved;
    let mut text = text::page(&solved, &style);
    if is_solved && !query.style.quiet {
        text += "The numbers do not contradict each other. Ask `why FILE 'mine(R,C)'` about a cell, or `hint FILE`.\n";
    }
    let picture = if query.picture == Some(PictureUse::Page) { solved.picture(None)? } else { None };
    Ok(reasons::verdict_explanation(&Minesweeper, solved.verdict, solved.cause(), text, picture))
}

/// The status of a closed cell.
enum CellStatus {
    /// A mine (`true`) or safe in all layouts, with the reason.
    Certain(bool, Conflict),
    /// The mines of two layouts, one with a mine in the cell and one without.
    Undecided([Vec<usize>; 2]),
    Contradictory,
}

fn explain_cell(
    board: &Arc<Board>,
    literal_text: &str,
    job: &Job,
    query: &ExplainQuery,
) -> Result<Explanation, Failure> {
    let (cell, holds) = parse_query(board, literal_text)
        .map_err(|what| Diagnostic::error(Code::InvalidInstance, format!("{literal_text}: {what}")))?;
    let deadline = job.stop.child_until(query.deadline);
    let budget = Budget { stop: deadline.token.clone(), ..Budget::of(job) };
    let bold = |text: &str| query.style.paint(anstyle::Style::new().bold(), text);
    let explained = |verdict, text, holds, because, details| {
        let finding = NativeFinding::Atom { atom: literal_text.to_owned(), holds, because, details };
        NativeReport { verdict, text, finding, page: reasons::page(&Minesweeper, None) }.into()
    };
    match cell_status(board, cell, &budget, &mut NodeBudget::new(recheck::MAX_NODES, &job.stop)) {
        Err(reason) => Ok(explained(Verdict::GaveUp(reason), String::new(), None, Vec::new(), Map::new())),
        Ok(CellStatus::Contradictory) => reasons::of_verdict(&Minesweeper, board, job, query),
        Ok(CellStatus::Certain(is_mine, conflict)) => {
            let clue_parts = parts(board, &conflict, &job.sources.documents);
            let kind = if is_mine { "is a mine" } else { "is safe" };
            let opposite = if is_mine { "safe, it" } else { "a mine, it" };
            let list = describe_conflict(board, &conflict);
            let summary =
                format!("{} {kind}: if it were {opposite} would contradict {list}.", board.describe_cell(cell));
            let marked_board = text::reason_page(board, &conflict.clues, &[(cell, is_mine)], &query.style);
            let holds = if is_mine == holds { "always" } else { "never" };
            let text = format!("{}\n{marked_board}", bold(&summary));
            Ok(explained(Verdict::Solved, text, Some(holds), clue_parts, Map::new()))
        }
        Ok(CellStatus::Undecided([with, without])) => {
            let atoms = |cells: &[usize]| cells.iter().map(|&cell| atom(board, cell, true)).collect::<Vec<String>>();
            let differs = |&other: &usize| other != cell && with.contains(&other) != without.contains(&other);
            let differences = board.position.grid.cells().filter(differs);
            let differences: Vec<String> =
                differences.map(|other| atom(board, other, !with.contains(&other))).collect();
            let mut details = Map::new();
            details.insert("with".to_owned(), json!(atoms(&with)));
            details.insert("without".to_owned(), json!(atoms(&without)));
            details.insert("differ".to_owned(), json!(differences));
            let summary = format!(
                "{} is not decided: a layout with a mine there fits, and one without.",
                board.describe_cell(cell)
            );
            let mut text = bold(&summary) + "\n" + &text::layouts_page(board, [&with, &without], &query.style);
            if let Ok(outcomes) = guess_outcomes(&board.position, cell, &budget) {
                details.insert("numbers".to_owned(), outcomes_json(board, &outcomes));
                text += &describe_outcomes(board, cell, &outcomes);
            }
            Ok(explained(Verdict::Solved, text, Some("sometimes"), Vec::new(), details))
        }
    }
}

/// Returns the closed cell of a query, and whether the query is about a mine there.
fn parse_query(board: &Board, literal_text: &str) -> Result<(usize, bool), String> {
    let expected = "expected an atom such as mine(1,4) or safe(1,4), with row and column as in the facts (from 1 if the board is a text)";
    let (atom, holds) = explain::parse_literal(literal_text).ok_or(expected)?;
    let predicate = asp::signature_of(atom);
    let is_about_mine = predicate == Some(("mine", 2));
    let is_about_cell = is_about_mine || predicate == Some(("safe", 2));
    let terms = atom.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
    let arguments: Option<Vec<i32>> = terms.map(|term| term.number()).collect();
    let arguments = arguments.filter(|_| is_about_cell).ok_or(expected)?;
    let cell = board.cell(arguments[0], arguments[1]).filter(|&cell| board.position.cells[cell] != Cell::Wall);
    let cell = cell.ok_or("there is no such cell")?;
    match board.position.cells[cell] {
        Cell::Open(_) => Err(format!("{} is open, so it is not a mine", board.describe_cell(cell))),
        Cell::Mine => Err(format!("{} has a flag, which says that it is a mine", board.describe_cell(cell))),
        _ => Ok((cell, holds == is_about_mine)),
    }
}

/// Returns "mine(1,4)" or "not mine(1,4)".
fn atom(board: &Board, cell: usize, is_mine: bool) -> String {
    literal(board, cell, is_mine).to_string()
}

fn literal(board: &Board, cell: usize, is_mine: bool) -> AtomConclusion {
    let [row, column] = board.coordinates(cell);
    AtomConclusion { atom: format!("mine({row},{column})"), holds: is_mine }
}

/// Determines the status of a cell by [`find_layout`], which shares no code with the counting
/// engine. Only the reason comes from the counting engine.
fn cell_status(board: &Board, cell: usize, budget: &Budget, nodes: &mut NodeBudget) -> Result<CellStatus, Stopped> {
    let position = &board.position;
    let numbers: Vec<usize> = position.numbers().collect();
    let constraints =
        |given: &[(usize, bool)]| recheck::constraints(position, &numbers, given, recheck::total(position));
    let with = find_layout(&constraints(&[(cell, true)]), nodes);
    let without = find_layout(&constraints(&[(cell, false)]), nodes);
    let stopped = || budget.stop.requested().unwrap_or(Stopped::NodeLimit);
    match (with, without) {
        (LayoutOutcome::NoLayout, LayoutOutcome::NoLayout) => Ok(CellStatus::Contradictory),
        (LayoutOutcome::Unknown, _) | (_, LayoutOutcome::Unknown) => Err(stopped()),
        (LayoutOutcome::Layout(with), LayoutOutcome::Layout(without)) => {
            let mut constrained = position.covered_around(&numbers);
            constrained.extend((!constrained.contains(&cell)).then_some(cell));
            constrained.retain(|&cell| position.cells[cell] == Cell::Closed);
            constrained.sort_unstable();
            let with = complete_layout(position, &constraints(&[(cell, true)]), &constrained, with);
            let without = most_similar_layout(position, (cell, without), &constrained, &with, constraints, nodes);
            Ok(CellStatus::Undecided([with, without]))
        }
        (with, _) => {
            let is_mine = with != LayoutOutcome::NoLayout;
            // Without the time to look for a few clues, all of them are the reason.
            let conflict = conflict::reason(position, cell, is_mine, None, budget)
                .unwrap_or_else(|_| Conflict { clues: numbers.clone(), needs_total: position.mines.is_some() });
            let total = recheck::total(position).filter(|_| conflict.needs_total);
            let constraints = recheck::constraints(position, &conflict.clues, &[(cell, !is_mine)], total);
            match find_layout(&constraints, nodes) {
                LayoutOutcome::NoLayout => Ok(CellStatus::Certain(is_mine, conflict)),
                // Report only reasons that both methods confirm.
                _ => Err(stopped()),
            }
        }
    }
}

/// Completes a layout to the total, with mines in the first closed cells that are not in
/// `constrained`.
fn complete_layout(
    position: &KnownPosition,
    constraints: &Constraints,
    constrained: &[usize],
    mut mines: Vec<usize>,
) -> Vec<usize> {
    if let Some(total) = constraints.total {
        let missing = usize::try_from(total.mines).unwrap_or(0).saturating_sub(mines.len());
        mines.extend(
            position.cells_of(Cell::Closed).filter(|cell| constrained.binary_search(cell).is_err()).take(missing),
        );
    }
    mines.extend(position.cells_of(Cell::Mine));
    mines.sort_unstable();
    mines
}

/// Returns a layout without a mine at `cell` that is as similar to `with` as the budget allows. The
/// cells farthest from `cell` are fixed first.
fn most_similar_layout(
    position: &KnownPosition,
    (cell, mut layout): (usize, Vec<usize>),
    constrained: &[usize],
    with: &[usize],
    constraints: impl Fn(&[(usize, bool)]) -> Constraints,
    nodes: &mut NodeBudget,
) -> Vec<usize> {
    let [row, column] = position.grid.place(cell);
    let by_distance = |&other: &usize| {
        let place = position.grid.place(other);
        std::cmp::Reverse(place[0].abs_diff(row).max(place[1].abs_diff(column)))
    };
    let mut others: Vec<usize> = constrained.iter().copied().filter(|&other| other != cell).collect();
    sorting::sort_by_key(&mut others, by_distance);
    let mut given = vec![(cell, false)];
    // Try to fix all cells at once, then ever smaller sets.
    let (mut at, mut len) = (0, others.len().next_power_of_two());
    let mut tries = 0;
    while at < others.len() && tries < MAX_SIMILARITY_TRIES {
        tries += 1;
        let end = (at + len).min(others.len());
        let new = others[at..end].iter().map(|&other| (other, with.binary_search(&other).is_ok()));
        let trial: Vec<(usize, bool)> = given.iter().copied().chain(new).collect();
        match find_layout(&constraints(&trial), nodes) {
            LayoutOutcome::Layout(found) => {
                (layout, given, at) = (found, trial, end);
                len *= 2;
            }
            _ if len > 1 => len /= 2,
            _ => at += 1,
        }
    }
    complete_layout(position, &constraints(&given), constrained, layout)
}

/// A possible outcome of opening a cell: the number that appears, and its consequences.
pub struct GuessOutcome {
    pub number: u8,
    /// The probability of the number, if layouts can be weighted.
    pub probability: Option<f64>,
    /// The cells that become certainly safe.
    pub safe: Vec<usize>,
    /// The cells that become certain mines.
    pub mines: Vec<usize>,
}

/// Computes the outcomes of opening a closed cell, one for each number that may appear.
pub fn guess_outcomes(position: &KnownPosition, cell: usize, budget: &Budget) -> Result<Vec<GuessOutcome>, Stopped> {
    let no_layout = |_: Contradiction| Stopped::Unproven;
    let old = likelihood(position, budget)?.map_err(no_layout)?;
    let mut outcomes = Vec::new();
    for number in 0..=8 {
        let mut opened = position.clone();
        opened.cells[cell] = Cell::Open(number);
        let Ok(new) = likelihood(&opened, budget)? else { continue };
        let becomes = |other: usize, value: f64| new.probabilities[other] == value && old.probabilities[other] != value;
        let closed = position.cells_of(Cell::Closed).filter(|&other| other != cell);
        let certain = |value: f64| closed.clone().filter(|&other| becomes(other, value)).collect::<Vec<usize>>();
        if new.configurations > BigUint::ZERO {
            let probability = match (new.odds, old.odds) {
                (Some(new_odds), Some(old_odds)) => Some(new_odds.ratio_to(old_odds)),
                _ => is_weighted(position, old.mines).then(|| exact_ratio(&new.configurations, &old.configurations)),
            };
            outcomes.push(GuessOutcome { number, probability, safe: certain(0.0), mines: certain(1.0) });
        }
    }
    Ok(outcomes)
}

fn outcomes_json(board: &Board, outcomes: &[GuessOutcome]) -> Value {
    let places = |cells: &[usize]| board.position.grid.places(cells);
    let outcome_json = |GuessOutcome { number, probability, safe, mines }: &GuessOutcome| json!({ "number": number, "probability": probability, "safe": places(safe), "mines": places(mines) });
    outcomes.iter().map(outcome_json).collect()
}

/// Formats a line for each outcome.
fn describe_outcomes(board: &Board, cell: usize, outcomes: &[GuessOutcome]) -> String {
    let list = |cells: &[usize], kind: &str| {
        let names: Vec<String> = cells.iter().take(MAX_NAMED_CELLS).map(|&cell| board.describe_cell(cell)).collect();
        let more = if cells.len() > MAX_NAMED_CELLS { "; …" } else { "" };
        match cells.len() {
            0 => None,
            1 => Some(format!("1 {kind} cell ({})", names[0])),
            number => Some(format!("{number} {kind} cells ({}{more})", names.join("; "))),
        }
    };
    let mut text = format!("\nIf {} is opened and is not a mine:\n", board.describe_cell(cell));
    for outcome in outcomes {
        let certain: Vec<String> =
            list(&outcome.safe, "safe").into_iter().chain(list(&outcome.mines, "mined")).collect();
        let certain = if certain.is_empty() { "nothing new is certain".to_owned() } else { certain.join(", ") };
        let probability = outcome.probability.map_or(String::new(), |known| format!("{:>6}  ", text::percent(known)));
        text += &format!("  {}  {probability}{certain}\n", outcome.number);
    }
    text
}

/// Explains the next step or all steps. Cells that follow from the same clues form one step.
fn explain_steps(board: &Arc<Board>, all: bool, job: &Job, query: &ExplainQuery) -> Result<Explanation, Failure> {
    let solved = Run::with_board(Minesweeper, board.clone(), job.clone())?.solve()?;
    let verdict = solved.verdict;
    let budget = Budget::of(job);
    let explained = |verdict, text, steps, end, details, page| {
        let finding = NativeFinding::Deductions { steps, has_all: all, end, details };
        NativeReport { verdict, text, finding, page }.into()
    };
    let mut details = Map::new();
    let Some(answer) = solved.answers.first() else {
        if matches!(verdict, Verdict::GaveUp(_)) {
            details.insert("holds".to_owned(), Value::Null);
            return Ok(explained(verdict, String::new(), Vec::new(), "gave-up", details, None));
        }
        let text = "No layout fits; asp-solve why shows which numbers contradict each other.\n".to_owned();
        return Ok(explained(Verdict::Impossible, text, Vec::new(), "impossible", details, None));
    };
    let is_same = |a: &Reason, b: &Reason| (a.stage, &a.cause) == (b.stage, &b.cause);
    let mut groups: Vec<&[Reason]> = answer.reasons.chunk_by(is_same).collect();
    groups.truncate(if all { groups.len() } else { 1 });
    let mut text = String::new();
    let mut steps = Vec::new();
    let bold = anstyle::Style::new().bold();
    for (number, &group) in groups.iter().enumerate() {
        let cause_parts = parts(board, &group[0].cause, &job.sources.documents);
        let words = describe_step(board, group);
        let title = if all { format!("{}. {words}", number + 1) } else { words.clone() };
        let conclusion = |reason: &Reason| literal(board, reason.cell, reason.is_mine);
        let conclusions = group.iter().map(conclusion).collect();
        let found_by = Some(group[0].stage.name());
        steps.push(Step { conclusions, words, because: cause_parts, technique: None, found_by });
        text += &format!("{}\n", query.style.paint(bold, &title));
        if !all && !query.style.quiet {
            let cells: Vec<(usize, bool)> = group.iter().map(|reason| (reason.cell, reason.is_mine)).collect();
            text += &text::reason_page(board, &group[0].cause.clues, &cells, &query.style);
        }
    }
    let mut result = Verdict::Solved;
    let picture = match query.picture {
        Some(PictureUse::Page) if !groups.is_empty() => Some(animation(board, &groups)),
        Some(PictureUse::Image) if !groups.is_empty() && all => Some(animation(board, &groups)),
        Some(PictureUse::Image) if !groups.is_empty() => Some(animation(board, &groups).last_frame()),
        Some(_) => Some(text::picture(board, answer)),
        None => None,
    };
    // If the time is over, not every certain cell has a reason.
    let is_explained = answer.reasons.len() >= answer.decided(&board.position).len();
    if !is_explained && (all || groups.is_empty()) {
        result = Verdict::GaveUp(job.stop.requested().unwrap_or(Stopped::Unproven));
        text += &format!("{}\n", query.style.paint(bold, &text::summary(board, answer)));
    } else if groups.is_empty() {
        result = match verdict {
            Verdict::GaveUp(reason) => Verdict::GaveUp(reason),
            _ => Verdict::Impossible,
        };
        let words = if answer.has_prior(&board.position) {
            "No closed cell is certain: one must guess.".to_owned()
        } else {
            format!("No closed cell is certain for every number of mines: {TOTAL_HELP}.")
        };
        text += &format!("{}\n", query.style.paint(bold, &words));
        if let Some((guess, words)) = describe_guess(board, answer, &budget) {
            details.insert("guess".to_owned(), guess);
            text += &words;
        }
    }
    let is_decided = answer.decided(&board.position).len() == board.position.cells_of(Cell::Closed).count();
    let end = match result {
        Verdict::GaveUp(_) => "gave-up",
        _ if !all && !steps.is_empty() => "step",
        _ if is_decided => "solved",
        _ => "open",
    };
    Ok(explained(result, text, steps, end, details, reasons::page(&Minesweeper, picture)))
}

/// Draws the animation of the steps.
fn animation(board: &Board, groups: &[&[Reason]]) -> Picture {
    let words = groups.iter().map(|group| describe_step(board, group));
    let titles = words.enumerate().map(|(number, words)| format!("{}. {words}", number + 1));
    let captions = ["The board.".to_owned()].into_iter().chain(titles).collect();
    let cells = |group: &[Reason]| group.iter().map(|reason| (reason.cell, reason.is_mine)).collect();
    let steps: Vec<_> = groups.iter().map(|group| (group[0].cause.clues.clone(), cells(group))).collect();
    text::steps_picture(board, &steps, captions)
}

/// Describes the best guess and its outcomes, as JSON and as text.
fn describe_guess(board: &Board, answer: &Answer, budget: &Budget) -> Option<(Value, String)> {
    let &best = answer.best.first()?;
    let risk = answer.probabilities[best]?;
    let mut json = json!({ "cell": board.position.grid.place(best), "probability": risk });
    let mut text =
        format!("The best guess is {}: mine probability {}.\n", board.describe_cell(best), text::percent(risk));
    if let Some(safest) =
        answer.safest().filter(|&safest| answer.probabilities[safest].is_some_and(|least| least < risk))
    {
        let least = text::percent(answer.probabilities[safest].unwrap_or(risk));
        text += &format!(
            "{} is a mine with only {least}, but its number would reveal less.\n",
            board.describe_cell(safest)
        );
    }
    if let Some(chance) = answer.chance {
        json["chance"] = json!(chance);
        text += &format!("The win probability from here is {}.\n", text::percent(chance));
    }
    if let Ok(outcomes) = guess_outcomes(&board.position, best, budget) {
        json["numbers"] = outcomes_json(board, &outcomes);
        text += &describe_outcomes(board, best, &outcomes);
    }
    Some((json, text))
}

/// Describes a step: "row 1, column 2 and row 1, column 3 are safe: the 1 at row 2, column 2
/// already has its mine."
fn describe_step(board: &Board, group: &[Reason]) -> String {
    let mut cells: Vec<String> = group.iter().map(|reason| board.describe_cell(reason.cell)).collect();
    let is_mixed = group.iter().any(|reason| reason.is_mine != group[0].is_mine);
    if is_mixed {
        let each = group.iter().map(|reason| {
            format!("{} {}", board.describe_cell(reason.cell), if reason.is_mine { "is a mine" } else { "is safe" })
        });
        let list = describe_conflict(board, &group[0].cause);
        return format!("{}: this follows from {list}.", each.collect::<Vec<_>>().join(", "));
    }
    let kind = match (group[0].is_mine, cells.len()) {
        (true, 1) => "is a mine",
        (false, 1) => "is safe",
        (true, _) => "are mines",
        (false, _) => "are safe",
    };
    let last = cells.pop().unwrap_or_default();
    let cells = if cells.is_empty() { last } else { format!("{} and {last}", cells.join("; ")) };
    format!("{cells} {kind}: {}.", describe_reason(board, &group[0]))
}

#[cfg(test)]
mod tests {
    use crate::grid::Grid;

    use super::*;

    /// Returns true if the numbers and the total allow a layout.
    fn fits(position: &KnownPosition, layout: &[usize]) -> bool {
        let is_mine = |cell: &usize| layout.contains(cell);
        let holds = |&cell: &usize| match position.cells[cell] {
            Cell::Open(number) => {
                position.grid.around(cell).iter().filter(|neighbor| is_mine(neighbor)).count() == usize::from(number)
            }
            _ => true,
        };
        position.grid.cells().all(|cell| holds(&cell)) && position.mines.is_none_or(|mines| mines == layout.len())
    }

    #[test]
    fn reported_layouts_fit_for_every_node_budget() {
        // Every second cell of every second row shows 3; with the last total no layout fits.
        let grid = Grid { rows: 7, columns: 7 };
        for mines in [14, 18, 25] {
            let mut position = KnownPosition::closed(grid, Some(mines));
            for cell in grid.cells().filter(|&cell| grid.place(cell).iter().all(|at| at % 2 == 1)) {
                position.cells[cell] = Cell::Open(3);
            }
            let is_possible = likelihood(&position, &Budget::unlimited()).expect("no limit").is_ok();
            let board = Board::new(position);
            let mut reported = 0;
            for nodes in (0..400).chain([1_000_000]) {
                let status =
                    cell_status(&board, grid.cell(3, 2), &Budget::unlimited(), &mut NodeBudget::uninterruptible(nodes));
                if let Ok(CellStatus::Undecided(layouts)) = status {
                    reported += 1;
                    assert!(
                        layouts.iter().all(|layout| fits(&board.position, layout)),
                        "{mines}, {nodes}: {layouts:?}"
                    );
                }
            }
            assert_eq!(reported > 0, is_possible, "{mines}");
        }
    }
}
