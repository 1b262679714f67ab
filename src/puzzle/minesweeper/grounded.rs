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
use super::board::{Board, Fact};
use super::conflict::{self, Conflict};
use super::count::Budget;
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
    let facts = board.facts().filter_map(Fact::symbol).collect();
    asp::Program { encoding, facts, ..asp::Program::default() }
}

/// Each layout is to differ from the last as much as it can: where clasp keeps the values that it chose before, or goes on
/// from where it is, boards of 100×100 cells take minutes instead of a second.
const SCATTERED: [&str; 3] = ["--save-progress=0", "--sign-def=rnd", "--restart-on-model"];
/// Conflicts for a search by rules of one's own, of which nobody knows how hard it is: a few seconds.
const OWN_CONFLICTS: &str = "--solve-limit=300000";

/// Conflicts for such a layout: a hundred thousand take about a second, and lattices of 65×65 cells want far more.
const LAYOUT_CONFLICTS: u32 = 1_000_000;

/// A search for layouts by clingo.
struct Search<'a> {
    board: &'a Board,
    job: &'a Job,
    solver: asp::Solver,
}

impl<'a> Search<'a> {
    fn new(board: &'a Board, job: &'a Job, models: u64, options: &[&str]) -> Result<Self, Failure> {
        Search::of(board, job, &program(board, job), models, options)
    }

    fn of(
        board: &'a Board,
        job: &'a Job,
        program: &asp::Program,
        models: u64,
        options: &[&str],
    ) -> Result<Self, Failure> {
        let mut settings = asp::Settings { models: Some(models), ..job.settings.clone() };
        settings.options.extend(options.iter().map(|&option| option.to_owned()));
        Ok(Search { board, job, solver: asp::Solver::with_program(program, &settings, &job.stop)? })
    }

    /// The mines of the first layout that fits what is assumed, or of the last.
    fn layout(
        &mut self,
        assumed: &[(Symbol, bool)],
        after_the_first: ControlFlow<()>,
    ) -> Result<(Option<Vec<usize>>, asp::Solved), Failure> {
        let mut last = None;
        let solved = self.solver.solve(assumed, |model| {
            last = Some(mines(model));
            after_the_first
        })?;
        Ok((last.map(|rows| cells(self.board, self.job, rows)).transpose()?, solved))
    }

    fn put(&mut self, external: Symbol, value: Truth) -> Result<(), Failure> {
        let put = self.solver.control().assign_external(external, value);
        put.map_err(Failure::from)
    }
}

/// The total is not believed: an atom of the encoding.
fn uncounted() -> Symbol {
    asp::function("uncounted", &[]).expect("a name without a NUL byte")
}

/// An atom about a cell.
pub fn atom(name: &str, board: &Board, cell: usize) -> Symbol {
    let [row, column] = board.coordinates(cell);
    asp::function(name, &[asp::number(row), asp::number(column)]).expect("a name without a NUL byte")
}

/// What all layouts have in common, or any of them has; and whether that is all.
fn consequences<'a>(
    board: &'a Board,
    job: &'a Job,
    mode: &str,
) -> Result<(Option<Vec<usize>>, bool, Search<'a>), Failure> {
    // By rules of one's own some layouts may be better than others: then these are all there are.
    let own: &[&str] = if board.is_plain { &[] } else { &["--opt-mode=optN", OWN_CONFLICTS] };
    let mut search = Search::new(board, job, 0, &[&[mode][..], &SCATTERED[..], own].concat())?;
    let (cells, solved) = search.layout(&[], ControlFlow::Continue(()))?;
    Ok((cells, solved.result.exhausted, search))
}

/// Whether mines could be told if there were any: the rules know them, and do not hide them.
fn shows_mines(job: &Job, solver: &mut asp::Solver) -> Result<bool, Failure> {
    let atoms = solver.control().known_atoms()?;
    let has = |word: &str| job.encodings.iter().any(|document| document.text.contains(word));
    let are_known = atoms.iter().any(|&(symbol, _)| asp::signature_of(symbol) == Some(("mine", 2)));
    Ok(are_known && (has("#show mine") || !has("#show")))
}

type Rows = Result<Vec<[asp::Term; 2]>, asp::AtomError>;

fn mines(model: &mut asp::Model<'_>) -> Rows {
    let atoms = model.shown(asp::Order::AsFound).map_err(|error| asp::AtomError(error.text))?;
    AnswerAtoms::new(atoms).rows::<2>("mine", "mine(Row, Column)")
}

/// The cells of `mine/2`; an error if one is none of the board.
fn cells(board: &Board, job: &Job, rows: Rows) -> Result<Vec<usize>, Failure> {
    let of_encoding = |text: String| native::wrong_answer(&job.encodings, &text);
    let mut cells = Vec::new();
    for [row, column] in rows.map_err(|asp::AtomError(text)| of_encoding(text))? {
        let cell = row.number().zip(column.number()).and_then(|(row, column)| board.cell(row, column));
        let cell = cell.filter(|&cell| board.position.cells[cell].is_covered());
        cells.push(cell.ok_or_else(|| {
            of_encoding(format!("mine({},{}) is not a closed cell of the board", row.text(), column.text()))
        })?);
    }
    cells.sort_unstable();
    Ok(cells)
}

/// What is certain; and how many layouts there are, with `-n 0`, or by rules of a person's own if they are few.
pub fn solve(board: &Board, job: &Job, found: Found<'_, Answer>) -> Result<Ending<Proof>, Failure> {
    let wants_count = job.models == Some(0);
    if !board.is_plain
        && let Some(likelihood) = enumerated(board, job, if wants_count { u64::MAX } else { MOST_COUNTED })?
    {
        let mut answer = Answer::of(&board.position, &likelihood);
        answer.choose();
        let _: ControlFlow<()> = found(answer)?;
        return Ok(Ending::of(Verdict::Solved, true));
    }
    certain(board, job, wants_count && board.is_plain, found)
}

/// What is certain, and perhaps how many layouts there are.
pub fn certain(
    board: &Board,
    job: &Job,
    wants_count: bool,
    found: Found<'_, Answer>,
) -> Result<Ending<Proof>, Failure> {
    let (mines, all_mines_known, cautious) = consequences(board, job, "--enum-mode=cautious")?;
    let statistics = if job.stats { json!({ "clingo": cautious.solver.statistics() }) } else { json!({}) };
    let warnings = cautious.solver.messages().iter().map(|message| message.diagnostic.clone()).collect();
    let ending =
        |verdict: Verdict, complete: bool, proof| Ok(Ending { verdict, complete, proof, statistics, warnings });
    let Some(mines) = mines else {
        if !all_mines_known {
            return ending(Verdict::GaveUp(ended(job)), false, Proof::default());
        }
        let conflict = contradiction(board, job)?;
        // What clingo alone says is not proven.
        let mut nodes = Nodes::new(vouch::NODES, &job.stop);
        let is_vouched = !board.is_plain
            || vouch::check_conflict(&board.position, &conflict, &mut nodes)
                .map_err(|text| native::wrong_answer(&job.encodings, &text))?;
        return if is_vouched {
            ending(Verdict::Impossible, true, Proof::of(board, conflict))
        } else {
            let reason = job.stop.requested().unwrap_or(Reason::Unproven);
            ending(Verdict::GaveUp(reason), false, Proof::default())
        };
    };
    let (possible, all_safe_known, mut brave) = consequences(board, job, "--enum-mode=brave")?;
    let possible = possible.unwrap_or_default();
    let is_number = |cell: &Cell| matches!(cell, Cell::Open(1..));
    let wants_mines = board.position.mines.unwrap_or(0) > 0 || board.position.cells.iter().any(is_number);
    if all_safe_known && possible.is_empty() && wants_mines && !shows_mines(job, &mut brave.solver)? {
        return Err(no_mines(&job.encodings).into());
    }
    let mut answer = Answer::unknown(&board.position);
    // Until the end is reached, too many cells may seem to be always mines, and too few to be ever.
    if all_mines_known {
        mines.into_iter().for_each(|cell| answer.prove(cell, true));
    }
    if all_safe_known {
        let covered = board.position.cells_that(Cell::is_covered);
        covered.filter(|cell| possible.binary_search(cell).is_err()).for_each(|cell| answer.prove(cell, false));
    }
    let is_proven = all_mines_known && all_safe_known;
    answer.by_clingo = not_vouched(board, job, &answer.decided(&board.position), vouch::NODES)?;
    // What nobody else stands for is told, and not called complete.
    let is_vouched = answer.by_clingo.is_empty();
    let is_counted = wants_count && is_proven && count(board, job, &mut answer)?;
    answer.choose();
    let _: ControlFlow<()> = found(answer)?;
    let is_told = is_proven && (is_counted || !wants_count || job.stop.requested().is_none());
    match is_told {
        true => ending(Verdict::Solved, is_vouched, Proof::default()),
        false => ending(Verdict::GaveUp(ended(job)), false, Proof::default()),
    }
}

/// Why a search ended before its end.
fn ended(job: &Job) -> Reason {
    job.stop.requested().unwrap_or(Reason::Attempts)
}

/// No answer has a mine, though there must be some.
fn no_mines(encodings: &[Document]) -> Diagnostic {
    let is_neighbor = |statement: &syntax::Statement<'_>| statement.head == Some(("neighbor", 4));
    if !encodings.iter().all(|document| syntax::statements(&document.text).iter().any(is_neighbor)) {
        let text = "no answer has an atom mine/2; wanted: mine(Row, Column). Is a `#show mine/2.` missing?";
        return native::wrong_answer(encodings, text);
    }
    let text = "tells which cells a number counts, but nothing derives mine/2: the rules of a layout are missing";
    native::wrong_answer(encodings, text).help(format!("-e minesweeper/layout.lp -e {}", encodings[0].name))
}

/// What is said to be certain, and for which nobody but clingo stands; an error if some layout has it the other way. By
/// rules of one's own nobody else is asked.
pub fn not_vouched(board: &Board, job: &Job, decided: &[(usize, bool)], nodes: u64) -> Result<Vec<usize>, Failure> {
    if !board.is_plain {
        return Ok(Vec::new());
    }
    let second = vouch::opinion(&board.position, decided, &mut Nodes::new(nodes, &job.stop));
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
    let mut program = program(board, job);
    // By rules of one's own the same mines are one layout, whatever else may hold.
    if !board.is_plain {
        program.encoding.push(Document::in_memory("<layouts>", "#defined mine/2. #project mine/2.\n"));
    }
    let options: &[&str] = match most {
        _ if board.is_plain => &[],
        u64::MAX => &["--project=project"],
        _ => &["--project=project", OWN_CONFLICTS],
    };
    let covered = board.position.cells_that(Cell::is_covered);
    let most = match most {
        u64::MAX => most,
        _ => most.min(MOST_CELLS_COUNTED / (covered.clone().count() as u64 + 1)),
    };
    let mut search = Search::of(board, job, &program, 0, options)?;
    let (mut layouts, mut sums, mut failed) = (0_u64, vec![0_u64; board.position.grid.extent()], None);
    let solved = search.solver.solve(&[], |model| {
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
    let is_all = solved.result.exhausted && layouts > 0 && (board.is_plain || shows_mines(job, &mut search.solver)?);
    let mut of = vec![f64::NAN; sums.len()];
    covered.for_each(|cell| of[cell] = sums[cell] as f64 / layouts as f64);
    Ok(is_all.then(|| Likelihood { of, configurations: BigUint::from(layouts), states: 0 }))
}

/// Counts all layouts of a plain board; `false` if the run was stopped before.
fn count(board: &Board, job: &Job, answer: &mut Answer) -> Result<bool, Failure> {
    let Some(enumerated) = enumerated(board, job, u64::MAX)? else { return Ok(false) };
    let configurations = enumerated.configurations;
    // What clingo alone counts is not shown before the native count agrees.
    match probability::likelihood(&board.position, &Budget::of(job)) {
        Ok(Ok(other)) if other.configurations == configurations => answer.configurations = Some(configurations),
        Err(_) => {}
        _ => {
            let text = format!("clingo counts {configurations} layouts, and the native engine others");
            return Err(Diagnostic::error(text).into());
        }
    }
    for cell in board.position.cells_that(Cell::is_covered) {
        answer.probabilities[cell] = Some(enumerated.of[cell]);
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
    let mut search = Search::new(board, job, 1, &[&SCATTERED[..2], &[limit.as_str()][..]].concat())?;
    search.put(uncounted(), Truth::True)?;
    let mut layouts = Vec::with_capacity(count);
    while layouts.len() < count && (layouts.is_empty() || job.stop.requested().is_none()) {
        let (layout, solved) = search.layout(&[], ControlFlow::Break(()))?;
        if solved.result.unsatisfiable {
            return Ok(None);
        }
        // Where one takes too long, so do the others.
        let Some(layout) = layout else { break };
        layouts.push(layout);
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
    let mut search = Search::new(board, job, 1, &[&format!("--solve-limit={conflicts}")])?;
    search.put(uncounted(), if with_total { Truth::False } else { Truth::True })?;
    let mut maybe = maybe.to_vec();
    while let Some((cell, is_mine)) = maybe.pop() {
        match search.layout(&[(atom("mine", board, cell), !is_mine)], ControlFlow::Break(()))? {
            // What the layout has otherwise need not be asked.
            (Some(mines), _) => maybe.retain(|&(cell, is_mine)| mines.binary_search(&cell).is_ok() == is_mine),
            (None, solved) if solved.result.unsatisfiable => proven.push((cell, is_mine)),
            _ => unanswered -= 1,
        }
        if job.stop.requested().is_some() || unanswered == 0 {
            break;
        }
    }
    Ok(proven)
}

/// Numbers that cannot hold together, none of which can be left out.
fn contradiction(board: &Board, job: &Job) -> Result<Conflict, Failure> {
    let mut search = Search::new(board, job, 1, &[])?;
    // Atoms that a number, or the total, is not believed.
    let mut open: Vec<Symbol> = board.position.numbers().map(|cell| atom("ignored", board, cell)).collect();
    open.push(uncounted());
    open.iter().try_for_each(|&doubt| search.put(doubt, Truth::Free))?;
    let mut contradicts = |doubts: &[&[Symbol]]| -> Result<Option<Vec<Symbol>>, Failure> {
        let assumed: Vec<(Symbol, bool)> = doubts.iter().copied().flatten().map(|&doubt| (doubt, false)).collect();
        let (_, solved) = search.layout(&assumed, ControlFlow::Break(()))?;
        Ok(solved.result.unsatisfiable.then_some(solved.core))
    };
    // clingo's own core first; then each doubt is raised, and stays if there is a layout.
    let all = open.clone();
    if let Some(core) = contradicts(&[&open])? {
        open.retain(|doubt| core.contains(doubt));
    }
    let mut core: Vec<Symbol> = Vec::new();
    while let Some(doubt) = open.pop() {
        match contradicts(&[&core, &open])? {
            Some(smaller) => open.retain(|doubt| smaller.contains(doubt)),
            None => core.push(doubt),
        }
        if job.stop.requested().is_some() {
            core.append(&mut open);
        }
    }
    let numbers = board.position.numbers().zip(&all).filter(|(_, doubt)| core.contains(doubt)).map(|(cell, _)| cell);
    let conflict = Conflict { clues: numbers.collect(), needs_total: core.contains(&uncounted()) };
    if !board.is_plain {
        return Ok(conflict);
    }
    Ok(conflict::with_needed_flags(&board.position, conflict, &Budget::of(job)))
}
