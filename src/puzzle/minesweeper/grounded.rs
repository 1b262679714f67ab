//! The engine `asp`: what clingo says of a board, with the encoding in use.
//!
//! By rules of a person's own the layouts are counted first, one by one, if they are not too many.
//!
//! Cells that are mines in all layouts are the cautious consequences, those that are mines in some the brave ones; neither
//! needs an enumeration. With `-n 0` all layouts are enumerated after all, and counted. If there is none, the numbers are
//! assumed to be believed one by one, and what clingo needs of that for its proof is made smaller until nothing can be left
//! out.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde_json::json;

use super::answer::Answer;
use super::backtracking::Nodes;
use super::board::Board;
use super::conflict::Conflict;
use super::count::Budget;
use super::explain::Stage;
use super::grid::Cell;
use super::probability::{self, Likelihood};
use super::{Proof, vouch};
use crate::asp::{self, AnswerAtoms, Symbol, Truth, syntax};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::job::Job;
use crate::puzzle::{Found, native};
use crate::stop::Reason;

/// The board as facts, with the encodings.
pub fn program(board: &Board, job: &Job) -> asp::Program {
    let encoding = job.encodings.clone();
    if board.is_program {
        return asp::Program { instance: job.documents.clone(), encoding, ..asp::Program::default() };
    }
    let grid = board.position.grid;
    let mut facts = Vec::new();
    for cell in grid.cells() {
        let [row, column] = grid.place(cell);
        facts.push(asp::fact("cell", &[row, column]));
        match board.position.cells[cell] {
            Cell::Open(number) => facts.push(asp::fact("number", &[row, column, number.into()])),
            Cell::Mine => facts.push(asp::fact("flag", &[row, column])),
            _ => {}
        }
    }
    facts.extend(board.position.mines.map(|mines| asp::fact("mines", &[mines])));
    asp::Program { encoding, facts: facts.into_iter().flatten().collect(), ..asp::Program::default() }
}

/// Each layout is to differ from the last as much as it can: where clasp keeps the values that it chose before, a board of
/// 100×100 cells takes minutes instead of a second.
const SCATTERED: [&str; 2] = ["--save-progress=0", "--sign-def=rnd"];

/// Conflicts for such a layout: a hundred thousand take about a second, and lattices of 65×65 cells want far more.
const LAYOUT_CONFLICTS: u32 = 1_000_000;

/// What clingo found, as cells.
struct Consequences {
    /// Mines in all layouts; `None` if there is no layout.
    cells: Option<Vec<usize>>,
    solver: asp::Solver,
    is_proven: bool,
}

fn consequences(board: &Board, job: &Job, mode: &str) -> Result<Consequences, Failure> {
    let mut settings = job.settings.clone();
    settings.models = Some(0);
    settings.options.extend([format!("--enum-mode={mode}")].into_iter().chain(SCATTERED.map(str::to_owned)));
    if !board.is_plain {
        // By rules of one's own some layouts may be better than others: then these are all there are.
        settings.options.push("--opt-mode=optN".to_owned());
    }
    let mut solver = asp::Solver::with_program(&program(board, job), &settings, &job.stop)?;
    let mut last = None;
    let solved = solver.solve(&[], |model| {
        last = Some(mines(model));
        ControlFlow::Continue(())
    })?;
    let cells = last.map(|atoms| cells(board, job, atoms)).transpose()?;
    Ok(Consequences { cells, solver, is_proven: solved.result.exhausted && !solved.result.interrupted })
}

/// Whether mines could be told if there were any: the rules know them, and do not hide them.
fn shows_mines(job: &Job, solver: &mut asp::Solver) -> Result<bool, Failure> {
    let atoms = solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
    let has = |word: &str| job.encodings.iter().any(|document| document.text.contains(word));
    let are_known = atoms.iter().any(|&(symbol, _)| asp::signature_of(symbol) == Some(("mine", 2)));
    Ok(are_known && (has("#show mine") || !has("#show")))
}

type Rows = Result<Vec<[asp::Term; 2]>, asp::AtomError>;

fn mines(model: &mut asp::Model<'_>) -> Rows {
    let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text))?;
    AnswerAtoms::new(atoms.collect::<Vec<_>>().into_iter()).rows::<2>("mine", "mine(Row, Column)")
}

/// The cells of `mine/2`; an error if one is none of the board.
fn cells(board: &Board, job: &Job, rows: Rows) -> Result<Vec<usize>, Failure> {
    let of_encoding = |text: String| native::wrong_answer(&job.encodings, &text);
    let mut cells = Vec::new();
    for [row, column] in rows.map_err(|asp::AtomError(text)| of_encoding(text))? {
        let cell = row.number().zip(column.number()).and_then(|(row, column)| board.cell(row, column));
        let cell = cell.filter(|&cell| matches!(board.position.cells[cell], Cell::Closed | Cell::Mine));
        cells.push(cell.ok_or_else(|| {
            of_encoding(format!("mine({},{}) is no closed cell of the board", row.text(), column.text()))
        })?);
    }
    cells.sort_unstable();
    Ok(cells)
}

/// What is certain, and with `-n 0` how many layouts there are.
pub fn solve(board: &Board, job: &Job, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    let wants_count = job.models == Some(0);
    if !board.is_plain
        && let Some(likelihood) = enumerated(board, job, if wants_count { u64::MAX } else { MOST_COUNTED })?
    {
        return counted(board, &likelihood, found);
    }
    consequences_and(board, job, wants_count && board.is_plain, found)
}

/// All probabilities are known, by rules of a person's own.
fn counted(board: &Board, likelihood: &Likelihood, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    let mut answer = Answer::of(&board.position, likelihood);
    if answer.safe.is_empty() {
        answer.best = answer.safest().into_iter().collect();
    } else {
        (answer.best, answer.found_by) = (answer.safe.clone(), Stage::Csp);
    }
    let _: ControlFlow<()> = found(answer)?;
    Ok(Ending::of(Verdict::Solved, true))
}

/// What is certain, by the game's own rules.
pub fn certain(board: &Board, job: &Job, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    consequences_and(board, job, false, found)
}

fn consequences_and(
    board: &Board,
    job: &Job,
    wants_count: bool,
    found: Found<'_, Answer>,
) -> Result<Ending<Proof>, Failure> {
    let cautious = consequences(board, job, "cautious")?;
    let mut statistics = json!({});
    if job.stats {
        statistics["clingo"] = cautious.solver.statistics();
    }
    let warnings = cautious.solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    let ending =
        |verdict: Verdict, complete: bool, proof| Ok(Ending { verdict, complete, proof, statistics, warnings });
    let Some(mines) = cautious.cells else {
        if let Some(reason) = job.stop.requested() {
            return ending(Verdict::GaveUp(reason), false, Proof::default());
        }
        let conflict = contradiction(board, job)?;
        // What clingo alone says is not proven.
        let mut nodes = Nodes::new(vouch::NODES, &job.stop);
        let is_vouched = match board.is_plain {
            true => vouch::check_conflict(&board.position, &conflict, &mut nodes),
            false => Ok(true),
        };
        return match is_vouched.map_err(|text| native::wrong_answer(&job.encodings, &text))? {
            true => ending(Verdict::Impossible, true, Proof::of(board, conflict)),
            false => {
                let reason = job.stop.requested().unwrap_or(Reason::Unproven);
                ending(Verdict::GaveUp(reason), false, Proof::default())
            }
        };
    };
    let mut brave = consequences(board, job, "brave")?;
    let possible = brave.cells.unwrap_or_default();
    let is_number = |cell: &Cell| matches!(cell, Cell::Open(1..));
    let wants_mines = board.position.mines.unwrap_or(0) > 0 || board.position.cells.iter().any(is_number);
    if brave.is_proven && possible.is_empty() && wants_mines && !shows_mines(job, &mut brave.solver)? {
        let encodings = &job.encodings;
        let is_neighbor = |statement: &syntax::Statement| statement.head == Some(("neighbor".to_owned(), 4));
        if encodings.iter().all(|document| syntax::statements(&document.text).iter().any(is_neighbor)) {
            let text =
                "tells which cells a number counts, but nothing derives mine/2: the rules of a layout are missing";
            let help = format!("-e minesweeper/layout.lp -e {}", encodings[0].name);
            return Err(native::wrong_answer(encodings, text).help(help).into());
        }
        let text = "no answer has an atom mine/2; wanted: mine(Row, Column). Is a `#show mine/2.` missing?";
        return Err(native::wrong_answer(encodings, text).into());
    }
    let grid = board.position.grid;
    let closed = |cell: &usize| matches!(board.position.cells[*cell], Cell::Closed | Cell::Mine);
    let is_proven = cautious.is_proven && brave.is_proven;
    let mut probabilities = vec![None; grid.extent()];
    // Until the end is reached, too many cells may seem to be always mines, and too few to be ever.
    let certain = |known: bool, cells: Vec<usize>| if known { cells } else { Vec::new() };
    let mines = certain(cautious.is_proven, mines);
    let safe: Vec<usize> = grid.cells().filter(closed).filter(|cell| possible.binary_search(cell).is_err()).collect();
    let safe = certain(brave.is_proven, safe);
    mines.iter().for_each(|&cell| probabilities[cell] = Some(1.0));
    safe.iter().for_each(|&cell| probabilities[cell] = Some(0.0));
    let decided = safe.iter().map(|&cell| (cell, false)).chain(mines.iter().map(|&cell| (cell, true)));
    let by_clingo = not_vouched(board, job, &decided.collect::<Vec<_>>(), vouch::NODES)?;
    // What nobody else stands for is told, and not called complete.
    let is_vouched = by_clingo.is_empty();
    let mut answer =
        Answer { best: safe.clone(), probabilities, safe, mines, by_clingo, ..Answer::unknown(&board.position) };
    if !answer.safe.is_empty() {
        answer.found_by = Stage::Csp;
    }
    let mut is_counted = false;
    if wants_count && is_proven {
        is_counted = count(board, job, &mut answer)?;
    }
    let _: ControlFlow<()> = found(answer)?;
    match job.stop.requested() {
        Some(reason) if !is_proven || wants_count && !is_counted => {
            ending(Verdict::GaveUp(reason), false, Proof::default())
        }
        _ => ending(Verdict::Solved, is_vouched, Proof::default()),
    }
}

/// What is said to be certain, and for which nobody but clingo stands; an error if some layout has it the other way. By
/// rules of one's own nobody else is asked.
pub fn not_vouched(board: &Board, job: &Job, decided: &[(usize, bool)], nodes: u64) -> Result<Vec<usize>, Failure> {
    if !board.is_plain {
        return Ok(Vec::new());
    }
    let mut decided = decided.to_vec();
    decided.retain(|&(cell, _)| board.position.cells[cell] == Cell::Closed);
    let second = vouch::opinion(&board.position, &decided, &mut Nodes::new(nodes, &job.stop));
    match second.wrong.first() {
        None => Ok(second.open),
        Some(&cell) => {
            let text = format!("{} is the same in all answer sets, and not in all layouts", board.words(cell));
            Err(native::wrong_answer(&job.encodings, &text).into())
        }
    }
}

/// Layouts that are counted one by one where nobody asks for all: clingo finds about a hundred thousand in a second. On
/// large boards there are fewer, as each is looked at cell by cell.
const MOST_COUNTED: u64 = 200_000;
const MOST_CELLS_COUNTED: u64 = 20_000_000;

/// All layouts, one by one. `None` if there is none, or if the run was stopped before the last, there are more than `most`, some
/// are better than others, or mines are not shown.
fn enumerated(board: &Board, job: &Job, most: u64) -> Result<Option<Likelihood>, Failure> {
    let mut settings = job.settings.clone();
    settings.models = Some(0);
    let mut program = program(board, job);
    if !board.is_plain {
        // The same mines are one layout, whatever else may hold.
        program.encoding.push(Document::in_memory("<layouts>", "#defined mine/2. #project mine/2.\n"));
        settings.options.push("--project=project".to_owned());
    }
    let closed = |cell: usize| matches!(board.position.cells[cell], Cell::Closed | Cell::Mine);
    let cells_of_board = board.position.grid.cells().filter(|&cell| closed(cell));
    let most = match most {
        u64::MAX => most,
        _ => most.min(MOST_CELLS_COUNTED / (cells_of_board.clone().count() as u64 + 1)),
    };
    let mut solver = asp::Solver::with_program(&program, &settings, &job.stop)?;
    let (mut layouts, mut sums, mut failed) = (0_u64, vec![0_u64; board.position.grid.extent()], None);
    let solved = solver.solve(&[], |model| {
        layouts += 1;
        let is_one_of_many = layouts <= most && model.costs().is_ok_and(|costs| costs.is_empty());
        match cells(board, job, mines(model)) {
            Ok(cells) if is_one_of_many => cells.into_iter().for_each(|cell| sums[cell] += 1),
            Ok(_) => return ControlFlow::Break(()),
            Err(failure) => failed = Some(failure),
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(failure) = failed {
        return Err(failure);
    }
    let is_all = solved.result.exhausted && layouts > 0 && (board.is_plain || shows_mines(job, &mut solver)?);
    let mut of = vec![f64::NAN; sums.len()];
    cells_of_board.for_each(|cell| of[cell] = sums[cell] as f64 / layouts as f64);
    Ok(is_all.then(|| Likelihood { of, configurations: BigUint::from(layouts), states: 0 }))
}

/// Counts all layouts of a plain board; `false` if the run was stopped before.
fn count(board: &Board, job: &Job, answer: &mut Answer) -> Result<bool, Failure> {
    let Some(enumerated) = enumerated(board, job, u64::MAX)? else { return Ok(false) };
    answer.configurations = Some(enumerated.configurations.clone());
    // What clingo alone counts is not shown before the native count agrees.
    match probability::likelihood(&board.position, &Budget::of(job)) {
        Ok(Ok(other)) if other.configurations == enumerated.configurations => {}
        Err(_) => answer.configurations = None,
        _ => {
            let text = format!("clingo counts {} layouts, and the native engine others", enumerated.configurations);
            return Err(Diagnostic::error(text).into());
        }
    }
    for cell in board.position.grid.cells().filter(|&cell| !enumerated.of[cell].is_nan()) {
        answer.probabilities[cell] = Some(enumerated.of[cell]);
    }
    if answer.safe.is_empty() {
        answer.best = answer.safest().into_iter().collect();
    }
    Ok(true)
}

/// Conflicts for a question about a cell, and questions that may remain without an answer.
const CONFLICTS: u32 = 2000;
const UNANSWERED: u32 = 100;

/// Some layouts that fit all numbers and not always the total, as far from each other as clingo's chance makes them; `None`
/// if there is none. Fewer where the run is stopped, or one takes too long.
pub fn layouts_of_numbers(board: &Board, job: &Job, count: usize) -> Result<Option<Vec<Vec<usize>>>, Failure> {
    let limit = format!("--solve-limit={LAYOUT_CONFLICTS}");
    let options: Vec<String> = SCATTERED.map(str::to_owned).into_iter().chain([limit]).collect();
    let mut solver = with_numbers(board, job, &options, false)?;
    let mut layouts = Vec::with_capacity(count);
    for _ in 0..count {
        let mut found = None;
        let solved = solver.solve(&[], |model| {
            found = Some(mines(model));
            ControlFlow::Break(())
        })?;
        if solved.result.unsatisfiable {
            return Ok(None);
        }
        // Where one takes too long, so do the others.
        let Some(rows) = found else { break };
        layouts.push(cells(board, job, rows)?);
        if job.stop.requested().is_some() {
            break;
        }
    }
    Ok(Some(layouts))
}

/// Those of some cells of which clingo shows that they are a mine, or safe, in all layouts that fit the numbers, and with
/// the total if wanted, which takes longer. Each question may take so many conflicts alone, and when some of them were too few
/// the rest is not asked.
pub fn proven(
    board: &Board,
    job: &Job,
    maybe: &[(usize, bool)],
    with_total: bool,
) -> Result<Vec<(usize, bool)>, Failure> {
    let mut proven = Vec::new();
    if maybe.is_empty() || job.stop.requested().is_some() || with_total && board.position.mines.is_none() {
        return Ok(proven);
    }
    // The total makes each question long, and few answers.
    let (conflicts, mut unanswered) =
        if with_total { (CONFLICTS / 4, UNANSWERED / 20) } else { (CONFLICTS, UNANSWERED) };
    let options = [format!("--solve-limit={conflicts}")];
    let mut solver = with_numbers(board, job, &options, with_total)?;
    let mut maybe = maybe.to_vec();
    while let Some((cell, is_mine)) = maybe.pop() {
        let [row, column] = board.coordinates(cell);
        let mine = asp::function("mine", &[asp::number(row), asp::number(column)]);
        let assumed: Vec<(Symbol, bool)> = mine.map(|mine| (mine, !is_mine)).into_iter().collect();
        let mut found = None;
        let solved = solver.solve(&assumed, |model| {
            found = Some(mines(model));
            ControlFlow::Break(())
        })?;
        match found {
            // What the layout has otherwise need not be asked.
            Some(rows) => {
                let mines = cells(board, job, rows)?;
                maybe.retain(|&(cell, is_mine)| mines.binary_search(&cell).is_ok() == is_mine);
            }
            None if solved.result.unsatisfiable => proven.push((cell, is_mine)),
            None => unanswered -= 1,
        }
        if job.stop.requested().is_some() || unanswered == 0 {
            break;
        }
    }
    Ok(proven)
}

/// A solver that believes the numbers, and the total if wanted.
fn with_numbers(board: &Board, job: &Job, options: &[String], with_total: bool) -> Result<asp::Solver, Failure> {
    let mut settings = asp::Settings { models: Some(1), ..job.settings.clone() };
    settings.options.extend_from_slice(options);
    let mut solver = asp::Solver::with_program(&program(board, job), &settings, &job.stop)?;
    let uncounted = asp::function("uncounted", &[]).expect("a name without a NUL byte");
    let value = if with_total { Truth::False } else { Truth::True };
    solver.control().assign_external(uncounted, value).map_err(|error| Diagnostic::error(error.text))?;
    Ok(solver)
}

/// An atom that a number is not believed, and its cell; the last one is for the total.
type Doubt = (Symbol, Option<usize>);

/// Numbers that cannot hold together, none of which can be left out.
fn contradiction(board: &Board, job: &Job) -> Result<Conflict, Failure> {
    let settings = asp::Settings { models: Some(1), ..job.settings.clone() };
    let mut solver = asp::Solver::with_program(&program(board, job), &settings, &job.stop)?;
    let ignored = |cell: usize| {
        let [row, column] = board.coordinates(cell);
        asp::function("ignored", &[asp::number(row), asp::number(column)])
    };
    let grid = board.position.grid;
    let mut doubts: Vec<Doubt> = Vec::new();
    for cell in grid.cells().filter(|&cell| matches!(board.position.cells[cell], Cell::Open(_))) {
        doubts.extend(ignored(cell).map(|symbol| (symbol, Some(cell))));
    }
    doubts.extend(asp::function("uncounted", &[]).map(|symbol| (symbol, None)));
    for &(symbol, _) in &doubts {
        let freed = solver.control().assign_external(symbol, Truth::Free);
        freed.map_err(|error| Diagnostic::error(error.text))?;
    }
    let mut contradicts = |doubts: &[&[Doubt]]| -> Result<Option<Vec<Symbol>>, Failure> {
        let assumed: Vec<(Symbol, bool)> =
            doubts.iter().copied().flatten().map(|&(symbol, _)| (symbol, false)).collect();
        let solved = solver.solve(&assumed, |_| ControlFlow::Break(()))?;
        Ok(solved.result.unsatisfiable.then_some(solved.core))
    };
    // clingo's own core first; then each doubt is raised, and stays if there is a layout.
    let mut open = doubts;
    if let Some(core) = contradicts(&[&open])? {
        open.retain(|(symbol, _)| core.contains(symbol));
    }
    let mut core: Vec<Doubt> = Vec::new();
    while let Some(doubt) = open.pop() {
        match contradicts(&[&core, &open])? {
            Some(smaller) => open.retain(|(symbol, _)| smaller.contains(symbol)),
            None => core.push(doubt),
        }
        if job.stop.requested().is_some() {
            core.append(&mut open);
        }
    }
    let mut numbers: Vec<usize> = core.iter().filter_map(|&(_, cell)| cell).collect();
    numbers.sort_unstable();
    Ok(Conflict { numbers, needs_total: core.iter().any(|(_, cell)| cell.is_none()) })
}
