//! The engine `asp`: clingo with the encodings of the job.
//!
//! Under custom rules the layouts are enumerated and counted first, if they are not too many.
//!
//! Cells that are mines in all layouts are the cautious consequences; cells that are mines in some
//! are the brave ones. Neither needs an enumeration; with `-n 0` all layouts are enumerated and
//! counted as well. If there is no layout, each number is guarded by an assumption, and clingo's
//! core of assumptions is reduced until it is minimal.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use asp::{AnswerAtoms, Symbol, syntax};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
use ground::Truth;
use num_bigint::BigUint;
use puzzle::job::Job;
use puzzle::{AnswerSink, native};
use serde_json::json;

use super::answer::Answer;
use super::backtracking::NodeBudget;
use super::board::{Board, Fact};
use super::conflict::{self, Conflict};
use super::count::Budget;
use super::grid::Cell;
use super::position::KnownPosition;
use super::probability::{self, Likelihood, is_weighted};
use super::proof::Proof;
use super::recheck;

/// Returns the program: the board as facts, and the encodings.
pub fn program(board: &Board, job: &Job) -> asp::Program {
    let encoding = job.sources.encodings.clone();
    if board.is_program {
        return asp::Program { instance: job.sources.documents.clone(), encoding, ..asp::Program::default() };
    }
    let facts = board.facts().filter_map(Fact::symbol).collect();
    asp::Program { encoding, facts, ..asp::Program::default() }
}

/// The options that make consecutive layouts differ as much as possible. If clasp kept its previous
/// choices or continued from its current state, boards of 100×100 cells would take minutes instead
/// of a second.
const DIVERSE_LAYOUTS: [&str; 3] = ["--save-progress=0", "--sign-def=rnd", "--restart-on-model"];
/// Conflict limit for custom rules, whose difficulty is unknown: a few seconds.
const CUSTOM_RULES_LIMIT: &str = "--solve-limit=300000";

/// Conflict limit for a layout of the numbers. A hundred thousand conflicts take about a second;
/// lattices of 65×65 cells need far more.
const LAYOUT_CONFLICTS: u32 = 1_000_000;

/// A clingo solver for the layouts of a board.
struct ClingoSearch<'a> {
    board: &'a Board,
    job: &'a Job,
    solver: asp::Solver,
}

impl<'a> ClingoSearch<'a> {
    fn new(board: &'a Board, job: &'a Job, models: u64, options: &[&str]) -> Result<Self, Failure> {
        ClingoSearch::of(board, job, &program(board, job), models, options)
    }

    fn of(
        board: &'a Board,
        job: &'a Job,
        program: &asp::Program,
        models: u64,
        options: &[&str],
    ) -> Result<Self, Failure> {
        let mut settings = asp::Settings { models: Some(models), ..job.engine.settings.clone() };
        settings.options.extend(options.iter().map(|&option| option.to_owned()));
        Ok(ClingoSearch { board, job, solver: asp::Solver::with_program(program, &settings, &job.stop)? })
    }

    /// Returns the mines of a layout that fits the assumptions: of the first one if
    /// `after_the_first` is a break, otherwise of the last one.
    fn layout(
        &mut self,
        assumed: &[(Symbol, bool)],
        after_the_first: ControlFlow<()>,
    ) -> Result<(Option<Vec<usize>>, asp::SolveOutcome), Failure> {
        let mut last = None;
        let solved = self.solver.solve(assumed, |model| {
            last = Some(mines(model));
            after_the_first
        })?;
        Ok((last.map(|rows| cells(self.board, self.job, rows)).transpose()?, solved))
    }

    fn assign(&mut self, external: Symbol, value: Truth) -> Result<(), Failure> {
        let assigned = self.solver.control().assign_external(external, value);
        assigned.map_err(Failure::from)
    }
}

/// Returns the atom of the encoding that disables the total.
fn uncounted() -> Symbol {
    asp::function("uncounted", &[]).expect("a name without a NUL byte")
}

/// Returns the atom `name(row,column)` of a cell.
pub fn atom(name: &str, board: &Board, cell: usize) -> Symbol {
    let [row, column] = board.coordinates(cell);
    asp::function(name, &[asp::number(row), asp::number(column)]).expect("a name without a NUL byte")
}

/// Computes the cautious or brave consequences, as `mode` requires. The boolean is true if the
/// search was exhaustive.
fn consequences<'a>(
    board: &'a Board,
    job: &'a Job,
    mode: &str,
) -> Result<(Option<Vec<usize>>, bool, ClingoSearch<'a>), Failure> {
    // Custom rules may prefer layouts to others; only the optimal ones are then considered.
    let custom_options: &[&str] = if board.is_plain { &[] } else { &["--opt-mode=optN", CUSTOM_RULES_LIMIT] };
    let mut search = ClingoSearch::new(board, job, 0, &[&[mode][..], &DIVERSE_LAYOUTS[..], custom_options].concat())?;
    let (cells, solved) = search.layout(&[], ControlFlow::Continue(()))?;
    Ok((cells, solved.result.exhausted, search))
}

/// Returns true if the rules derive `mine/2` and do not hide it.
fn shows_mines(job: &Job, solver: &mut asp::Solver) -> Result<bool, Failure> {
    let atoms = solver.control().known_atoms()?;
    let contains = |word: &str| job.sources.encodings.iter().any(|document| document.text.contains(word));
    let are_derived = atoms.iter().any(|&(symbol, _)| asp::signature_of(symbol) == Some(("mine", 2)));
    Ok(are_derived && (contains("#show mine") || !contains("#show")))
}

type Rows = Result<Vec<[asp::Term; 2]>, asp::AtomError>;

fn mines(model: &mut asp::Model<'_>) -> Rows {
    let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text))?;
    AnswerAtoms::new(atoms).rows::<2>("mine", "mine(Row, Column)")
}

/// Maps atoms `mine/2` to cells; fails if one is not a covered cell of the board.
fn cells(board: &Board, job: &Job, rows: Rows) -> Result<Vec<usize>, Failure> {
    let error = |text: String| native::wrong_answer(&job.sources.encodings, &text);
    let mut cells = Vec::new();
    for [row, column] in rows.map_err(|asp::AtomError(text)| error(text))? {
        let cell = row.number().zip(column.number()).and_then(|(row, column)| board.cell(row, column));
        let cell = cell.filter(|&cell| board.position.cells[cell].is_covered());
        cells.push(cell.ok_or_else(|| {
            error(format!("mine({},{}) is not a closed cell of the board", row.text(), column.text()))
        })?);
    }
    cells.sort_unstable();
    Ok(cells)
}

/// Solves the board. Also counts the layouts with `-n 0`, or under custom rules if they are few.
pub fn solve(board: &Board, job: &Job, sink: AnswerSink<'_, Answer>) -> Result<SearchEnd<Proof>, Failure> {
    let wants_count = job.question.models == Some(0);
    if !board.is_plain
        && let Some(likelihood) = enumerate_layouts(board, job, if wants_count { u64::MAX } else { MAX_COUNTED })?
    {
        let mut answer = Answer::from_likelihood(&board.position, &likelihood);
        answer.choose_best();
        let _: ControlFlow<()> = sink(answer)?;
        return Ok(SearchEnd::of(Verdict::Solved, true));
    }
    solve_by_consequences(board, job, wants_count && board.is_plain, sink)
}

/// Decides cells by cautious and brave consequences, and counts the layouts if `wants_count`.
pub fn solve_by_consequences(
    board: &Board,
    job: &Job,
    wants_count: bool,
    sink: AnswerSink<'_, Answer>,
) -> Result<SearchEnd<Proof>, Failure> {
    let (mines, all_mines_known, cautious) = consequences(board, job, "--enum-mode=cautious")?;
    let statistics = if job.output.stats { json!({ "clingo": cautious.solver.statistics() }) } else { json!({}) };
    let warnings = cautious.solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    let end =
        |verdict: Verdict, complete: bool, proof| Ok(SearchEnd { verdict, complete, proof, statistics, warnings });
    let Some(mines) = mines else {
        if !all_mines_known {
            return end(Verdict::GaveUp(stop_reason(job)), false, Proof::default());
        }
        let conflict = find_conflict(board, job)?;
        // A contradiction that only clingo reports is not accepted.
        let mut nodes = NodeBudget::new(recheck::MAX_NODES, &job.stop);
        let is_verified = !board.is_plain
            || recheck::check_conflict(&board.position, &conflict, &mut nodes)
                .map_err(|text| native::wrong_answer(&job.sources.encodings, &text))?;
        return if is_verified {
            end(Verdict::Impossible, true, Proof::from_conflict(board, conflict))
        } else {
            let reason = job.stop.requested().unwrap_or(StopReason::Unproven);
            end(Verdict::GaveUp(reason), false, Proof::default())
        };
    };
    let (possible, all_safe_known, mut brave) = consequences(board, job, "--enum-mode=brave")?;
    let possible = possible.unwrap_or_default();
    let is_number = |cell: &Cell| matches!(cell, Cell::Open(1..));
    let wants_mines = board.position.mines.unwrap_or(0) > 0 || board.position.cells.iter().any(is_number);
    if all_safe_known && possible.is_empty() && wants_mines && !shows_mines(job, &mut brave.solver)? {
        return Err(no_mines(&job.sources.encodings).into());
    }
    let mut answer = Answer::unknown(&board.position);
    // An incomplete search overestimates the cautious and underestimates the brave consequences.
    if all_mines_known {
        for cell in mines {
            answer.prove(cell, true);
        }
    }
    if all_safe_known {
        let covered = board.position.cells_where(Cell::is_covered);
        for cell in covered.filter(|cell| possible.binary_search(cell).is_err()) {
            answer.prove(cell, false);
        }
    }
    let is_proven = all_mines_known && all_safe_known;
    answer.by_clingo = unverified(board, job, &answer.decided(&board.position), recheck::MAX_NODES)?;
    // Results that the independent search does not confirm are reported, but the run is not
    // complete.
    let is_verified = answer.by_clingo.is_empty();
    let is_counted = wants_count && is_proven && count(board, job, &mut answer)?;
    answer.choose_best();
    let _: ControlFlow<()> = sink(answer)?;
    let is_complete = is_proven && (is_counted || !wants_count || job.stop.requested().is_none());
    if is_complete {
        end(Verdict::Solved, is_verified, Proof::default())
    } else {
        end(Verdict::GaveUp(stop_reason(job)), false, Proof::default())
    }
}

/// Returns the reason why a search is incomplete.
fn stop_reason(job: &Job) -> StopReason {
    job.stop.requested().unwrap_or(StopReason::AttemptLimit)
}

/// Returns the error for answers without mines on a board that must have some.
fn no_mines(encodings: &[Document]) -> Diagnostic {
    let is_neighbor = |statement: &syntax::Statement<'_>| statement.head == Some(("neighbor", 4));
    if !encodings.iter().all(|document| syntax::statements(&document.text).iter().any(is_neighbor)) {
        let text = "no answer has an atom mine/2: expected mine(Row, Column). Is a `#show mine/2.` missing?";
        return native::wrong_answer(encodings, text);
    }
    let text = "defines which cells a number counts, but nothing derives mine/2: the rules of a layout are missing";
    native::wrong_answer(encodings, text).help(format!("-e minesweeper/layout.lp -e {}", encodings[0].name))
}

/// Returns the decided cells that the independent search cannot confirm. Fails if it finds a
/// counterexample. Under custom rules, which only clingo can evaluate, no cell is checked.
pub fn unverified(board: &Board, job: &Job, decided: &[(usize, bool)], nodes: u64) -> Result<Vec<usize>, Failure> {
    if !board.is_plain {
        return Ok(Vec::new());
    }
    let recheck = recheck::verify_certain(&board.position, decided, &mut NodeBudget::new(nodes, &job.stop));
    match recheck.refuted.first() {
        None => Ok(recheck.undecided),
        Some(&cell) => {
            let text = format!("{} is the same in all answer sets, and not in all layouts", board.describe_cell(cell));
            Err(native::wrong_answer(&job.sources.encodings, &text).into())
        }
    }
}

/// Limits for an enumeration that the user did not request: clingo finds about a hundred thousand
/// layouts in a second. The limit is lower on large boards, as each layout is read cell by cell.
const MAX_COUNTED: u64 = 200_000;
const MAX_CELLS_COUNTED: u64 = 20_000_000;

/// Enumerates all layouts. Returns `None` if there is no layout, if the run was stopped before the
/// last one, if there are more than `most`, if the rules prefer some to others, or if mines are not
/// shown.
fn enumerate_layouts(board: &Board, job: &Job, most: u64) -> Result<Option<Likelihood>, Failure> {
    let mut program = program(board, job);
    // Under custom rules layouts are projected to their mines.
    if !board.is_plain {
        program.encoding.push(Document::in_memory("<layouts>", "#defined mine/2. #project mine/2.\n"));
    }
    let options: &[&str] = match most {
        _ if board.is_plain => &[],
        u64::MAX => &["--project=project"],
        _ => &["--project=project", CUSTOM_RULES_LIMIT],
    };
    let covered = board.position.cells_where(Cell::is_covered);
    let most = match most {
        u64::MAX => most,
        _ => most.min(MAX_CELLS_COUNTED / (covered.clone().count() as u64 + 1)),
    };
    let mut search = ClingoSearch::of(board, job, &program, 0, options)?;
    let mut tally = LayoutTally::default();
    let mut error = None;
    let solved = search.solver.solve(&[], |model| {
        let is_countable = tally.layouts < most && model.costs().is_ok_and(|costs| costs.is_empty());
        match cells(board, job, mines(model)) {
            Ok(cells) if is_countable => tally.add(&board.position, &cells),
            Ok(_) => return ControlFlow::Break(()),
            Err(failure) => error = Some(failure),
        }
        if error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(failure) = error {
        return Err(failure);
    }
    let is_complete =
        solved.result.exhausted && tally.layouts > 0 && (board.is_plain || shows_mines(job, &mut search.solver)?);
    Ok(is_complete.then(|| tally.likelihood(&board.position)))
}

/// Counts of layouts, separate for each number of mines, on which the weight of a layout depends.
#[derive(Default)]
struct LayoutTally {
    layouts: u64,
    /// By the number of mines, the number of layouts and that of mines in each cell.
    by_mines: BTreeMap<usize, (u64, Vec<u64>)>,
}

impl LayoutTally {
    fn add(&mut self, position: &KnownPosition, cells: &[usize]) {
        let (layouts, sums) = self.by_mines.entry(cells.len()).or_insert_with(|| (0, vec![0; position.cells.len()]));
        *layouts += 1;
        cells.iter().for_each(|&cell| sums[cell] += 1);
        self.layouts += 1;
    }

    fn likelihood(self, position: &KnownPosition) -> Likelihood {
        let log_odds =
            position.density.map_or(0.0, |density| (density.odds()[0] as f64 / density.odds()[1] as f64).ln());
        let exponents = self.by_mines.keys().map(|&mines| mines as f64 * log_odds);
        // The largest weight is 1, so that the sum is not 0.
        let largest = exponents.clone().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = exponents.map(|exponent| (exponent - largest).exp()).collect();
        let weighted = self.by_mines.values().zip(&weights);
        let total_weight: f64 = weighted.clone().map(|((layouts, _), weight)| *layouts as f64 * weight).sum();
        let weighted_sum =
            |cell: usize| -> f64 { weighted.clone().map(|((_, sums), weight)| sums[cell] as f64 * weight).sum() };
        let mines = [self.by_mines.keys().next(), self.by_mines.keys().next_back()];
        let mines = mines.map(|mines| mines.copied().unwrap_or_default());
        let is_weighted = is_weighted(position, mines);
        let probability = |cell: usize| match self.by_mines.values().map(|(_, sums)| sums[cell]).sum::<u64>() {
            0 => 0.0,
            mines if mines == self.layouts => 1.0,
            // Without a prior, only certain cells have a probability.
            _ if !is_weighted => f64::NAN,
            _ => (weighted_sum(cell) / total_weight).clamp(f64::MIN_POSITIVE, 1.0_f64.next_down()),
        };
        let mut probabilities = vec![f64::NAN; position.cells.len()];
        for cell in position.cells_where(Cell::is_covered) {
            probabilities[cell] = probability(cell);
        }
        let configurations = BigUint::from(self.layouts);
        Likelihood { probabilities, configurations, odds: None, mines, states: 0 }
    }
}

/// Counts all layouts of a plain board; returns false if the run was stopped early.
fn count(board: &Board, job: &Job, answer: &mut Answer) -> Result<bool, Failure> {
    let Some(enumerated) = enumerate_layouts(board, job, u64::MAX)? else { return Ok(false) };
    let configurations = enumerated.configurations;
    // The count is only shown if the native count agrees or is out of reach.
    match probability::likelihood(&board.position, &Budget::of(job)) {
        Ok(Ok(native)) if native.configurations == configurations => answer.configurations = Some(configurations),
        Err(_) => {}
        _ => {
            let text = format!("clingo counts {configurations} layouts, but the native engine a different number");
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
    }
    for cell in board.position.cells_where(Cell::is_covered) {
        answer.probabilities[cell] = Some(enumerated.probabilities[cell]).filter(|known| !known.is_nan());
    }
    answer.total = board.position.mines.is_none().then_some(enumerated.mines);
    Ok(true)
}

/// The conflict limit of a query about a cell, and the number of queries that may fail before the
/// rest is skipped.
const QUERY_CONFLICTS: u32 = 2000;
const MAX_UNANSWERED: u32 = 100;

/// Returns up to `count` layouts that fit all numbers but not necessarily the total, as diverse as
/// clingo's random signs make them; `None` if there is none. Returns fewer if the run is stopped or
/// a search reaches its limit.
pub fn layouts_of_numbers(board: &Board, job: &Job, count: usize) -> Result<Option<Vec<Vec<usize>>>, Failure> {
    let limit = format!("--solve-limit={LAYOUT_CONFLICTS}");
    let mut search = ClingoSearch::new(board, job, 1, &[&DIVERSE_LAYOUTS[..2], &[limit.as_str()][..]].concat())?;
    search.assign(uncounted(), Truth::True)?;
    let mut layouts = Vec::with_capacity(count);
    while layouts.len() < count && (layouts.is_empty() || job.stop.requested().is_none()) {
        let (layout, solved) = search.layout(&[], ControlFlow::Break(()))?;
        if solved.result.unsatisfiable {
            return Ok(None);
        }
        // If one search reaches its limit, so will the others.
        let Some(layout) = layout else { break };
        layouts.push(layout);
    }
    Ok(Some(layouts))
}

/// Returns the members of `candidates` that clingo proves to be a mine, or safe, in all layouts
/// that fit the numbers, and the total if `with_total`, which is slower. Each query has a conflict
/// limit; after some failures the rest is skipped.
pub fn prove_cells(
    board: &Board,
    job: &Job,
    candidates: &[(usize, bool)],
    with_total: bool,
) -> Result<Vec<(usize, bool)>, Failure> {
    let mut proven = Vec::new();
    if candidates.is_empty() || job.stop.requested().is_some() || with_total && board.position.mines.is_none() {
        return Ok(proven);
    }
    // The total makes each query slow and successes rare.
    let (conflicts, mut unanswered) =
        if with_total { (QUERY_CONFLICTS / 4, MAX_UNANSWERED / 20) } else { (QUERY_CONFLICTS, MAX_UNANSWERED) };
    let mut search = ClingoSearch::new(board, job, 1, &[&format!("--solve-limit={conflicts}")])?;
    search.assign(uncounted(), if with_total { Truth::False } else { Truth::True })?;
    let mut candidates = candidates.to_vec();
    while let Some((cell, is_mine)) = candidates.pop() {
        match search.layout(&[(atom("mine", board, cell), !is_mine)], ControlFlow::Break(()))? {
            // The layout refutes further candidates.
            (Some(mines), _) => candidates.retain(|&(cell, is_mine)| mines.binary_search(&cell).is_ok() == is_mine),
            (None, solved) if solved.result.unsatisfiable => proven.push((cell, is_mine)),
            _ => unanswered -= 1,
        }
        if job.stop.requested().is_some() || unanswered == 0 {
            break;
        }
    }
    Ok(proven)
}

/// Returns a minimal set of numbers that contradict each other.
fn find_conflict(board: &Board, job: &Job) -> Result<Conflict, Failure> {
    let mut search = ClingoSearch::new(board, job, 1, &[])?;
    // The assumption atoms: each disables a number, or the total.
    let mut remaining: Vec<Symbol> = board.position.numbers().map(|cell| atom("ignored", board, cell)).collect();
    remaining.push(uncounted());
    remaining.iter().try_for_each(|&assumption| search.assign(assumption, Truth::Free))?;
    let mut contradicts = |assumption_sets: &[&[Symbol]]| -> Result<Option<Vec<Symbol>>, Failure> {
        let assumed: Vec<(Symbol, bool)> =
            assumption_sets.iter().copied().flatten().map(|&assumption| (assumption, false)).collect();
        let (_, solved) = search.layout(&assumed, ControlFlow::Break(()))?;
        Ok(solved.result.unsatisfiable.then_some(solved.core))
    };
    // Start from clingo's core. Drop each assumption in turn, and keep it if a layout exists
    // without it.
    let assumptions = remaining.clone();
    if let Some(core) = contradicts(&[&remaining])? {
        remaining.retain(|assumption| core.contains(assumption));
    }
    let mut core: Vec<Symbol> = Vec::new();
    while let Some(assumption) = remaining.pop() {
        match contradicts(&[&core, &remaining])? {
            Some(smaller) => remaining.retain(|assumption| smaller.contains(assumption)),
            None => core.push(assumption),
        }
        if job.stop.requested().is_some() {
            core.append(&mut remaining);
        }
    }
    let numbers = board
        .position
        .numbers()
        .zip(&assumptions)
        .filter(|(_, assumption)| core.contains(assumption))
        .map(|(cell, _)| cell);
    let conflict = Conflict { clues: numbers.collect(), needs_total: core.contains(&uncounted()) };
    if !board.is_plain {
        return Ok(conflict);
    }
    Ok(conflict::with_needed_flags(&board.position, conflict, &Budget::of(job)))
}
