//! The result of a run as a text, JSON, a picture, a page, a link, or an explanation.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::ending::Verdict;
use base::style::Style;
use base::words::count;
use drawing::Drawing;
use explain::{ExplainQuery, Explanation, NativeFinding, NativeReport, QueryKind};
use picture::Picture;
use play::Solutions;
use puzzle::Format;
use puzzle::closing::ClosingLine;
use puzzle::costs::AnswerCosts;
use puzzle::job::{self, Job};
use puzzle::{ClingoProgram, RunResult, UnsolvableCause};
use serde_json::{Value, json};

use super::board::GridBoard;
use super::definition::LogicPuzzle;
use super::editors;
use super::files::FileMarks;
use super::solve::{Answer, LACKS_RULES, LogicProof, PuzzleBoard, fact_atoms};

pub(super) const NO_RULES: &str =
    "This puzzle type is recognised, but no rules for it are included; supply them with -e FILE.";

impl LogicPuzzle {
    pub(super) fn text_of_run(&self, known: &RunResult<LogicPuzzle>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = String::new();
        if known.verdict == Verdict::GaveUp(LACKS_RULES) {
            let drawing = if style.quiet { String::new() } else { known.proof().facts_drawing.text(style) };
            return format!("{}\n{drawing}", style.paint(bold, NO_RULES));
        }
        if !known.job.question.is_unique {
            page += &style.paint(bold, &self.summary(known));
            page.push('\n');
        }
        if style.quiet {
            return page;
        }
        page += &known.proof().cause.as_ref().map_or(String::new(), UnsolvableCause::lines);
        let deadline = known.job.stop.output_grace();
        for (number, answer) in known.answers.iter().enumerate() {
            if let Some(reason) = deadline.check_truncated() {
                let noun = self.noun(1).to_lowercase();
                let more = count(
                    (known.answers.len() - number) as u64,
                    &format!("more {noun} was found, but"),
                    &format!("more {} were found, but", self.noun(2)),
                );
                page += &format!("… and {more} not written: {}.\n", reason.words());
                break;
            }
            let drawing = drawing_to_show(known, answer);
            if known.answers.len() > 1 {
                page += &format!("\n{}\n", style.paint(bold, &format!("{} {}", self.noun(1), number + 1)));
            }
            if !drawing.has_grid() || self.definition.is_program || style.verbose {
                page += &format!("  {}\n", atoms_text(answer));
            }
            page += &drawing.text(style);
            if !answer.costs.is_empty() {
                let best = if answer.is_optimal { ", proven optimal" } else { "" };
                page += &format!("  {}{best}\n", answer.costs.words());
            }
        }
        page
    }

    pub(super) fn json_of_answer(&self, answer: &Answer) -> Value {
        let atoms: Vec<String> = answer.atoms.iter().map(|&atom| asp::to_text(atom)).collect();
        let mut object = json!({ "atoms": atoms });
        if self.definition.is_program || !answer.costs.is_empty() {
            object["costs"] = json!(answer.costs.costs);
            if let Some(values) = answer.costs.values() {
                object["values"] = json!(values);
            }
            object["optimal"] = json!(answer.is_optimal);
        }
        if let Some(grid) = answer.drawing.grid() {
            object["grid"] = json!(grid);
        }
        object
    }

    pub(super) fn picture_of(
        &self,
        known: &RunResult<Self>,
        answer: Option<&Answer>,
    ) -> Result<Option<Picture>, Failure> {
        let title = format!("{}: {}", self.name, self.summary(known));
        let drawing =
            answer.map_or(Cow::Borrowed(&known.proof().facts_drawing), |answer| drawing_to_show(known, answer));
        Ok((!drawing.is_empty()).then(|| drawing.picture(&title, &known.job.stop)))
    }

    pub(super) fn page_for_play(&self, known: &RunResult<Self>) -> Result<Option<Value>, Failure> {
        let RunResult { board, answers, job, complete, .. } = known;
        let have_costs = answers.iter().any(|answer| !answer.costs.is_empty());
        if !self.is_playable(job) || answers.is_empty() || have_costs {
            return Ok(None);
        }
        let atoms = answers.iter().map(|answer| answer.atoms.as_slice()).collect();
        let solutions = Solutions { atoms, are_all: *complete };
        let title = self.definition.header.title.trim();
        match play::playable_page(&self.source(board, job)?, title, &job.engine.settings, &job.stop, &solutions) {
            Err(_) if job.stop.requested().is_some() => Ok(None),
            page => page,
        }
    }

    pub(super) fn explain_board(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        question: &ExplainQuery,
    ) -> Result<Option<Explanation>, Failure> {
        if self.lacks_rules(job) {
            let json = json!({"schema": 1, "verdict": "gave-up"});
            let finding = NativeFinding::Other { json, causes: Vec::new() };
            let verdict = Verdict::GaveUp(LACKS_RULES);
            return Ok(Some(NativeReport { verdict, text: format!("{NO_RULES}\n"), finding, page: None }.into()));
        }
        if !matches!(question.kind, QueryKind::Rating) {
            return Ok(None);
        }
        let mut program = self.program(board, job)?;
        if let Some(grid) = board.grid.as_ref().filter(|_| job.sources.documents.len() == 1) {
            let plain = grid.facts();
            if let Some(of_board) = program.instance.iter_mut().find(|document| *document.text == *plain) {
                *of_board = Document::in_memory(of_board.name.clone(), self.facts_to_rate(grid, &job.rules));
            }
        }
        explain::explain(&program.into(), question, &job.into()).map(Some)
    }

    /// Writes the board in a notation of another program, perhaps with an answer.
    pub(super) fn export_board(
        &self,
        board: &PuzzleBoard,
        format: Format,
        answer: Option<&Answer>,
    ) -> Result<Option<String>, Failure> {
        let (grid, atoms) = self.grid_board(board)?;
        if format == Format::Penpa {
            self.check_drawable(&grid, &atoms)?;
        }
        self.export_grid(&grid, format, answer.map(|answer| answer.atoms.as_slice()))
    }

    /// Fails if a fact has no place on the board, so that a drawing of the board would lose it.
    fn check_drawable(&self, grid: &GridBoard, atoms: &[asp::Symbol]) -> Result<(), Failure> {
        let drawn = self.drawn_puzzle();
        let facts = grid.facts();
        let inputs: Vec<&str> =
            [drawn.header].into_iter().chain(drawn.variants.iter().map(|it| it.1)).flat_map(|it| it.inputs()).collect();
        let is_lost = |atom: &&asp::Symbol| {
            let is_input = asp::signature_of(**atom).is_some_and(|(name, _)| inputs.contains(&name));
            is_input && !facts.contains(&format!("{}.", asp::to_text(**atom)))
        };
        match atoms.iter().find(is_lost) {
            Some(lost) => Err(cannot_be_drawn(&format!("the fact {}", asp::to_text(*lost))).into()),
            None => Ok(()),
        }
    }

    /// Writes the board in a notation of another program, perhaps with the atoms of an answer.
    /// Returns `None` if the puzzle does not have this notation.
    ///
    /// # Errors
    /// Fails if the notation cannot express the whole board.
    pub fn export_grid(
        &self,
        board: &GridBoard,
        format: Format,
        answer: Option<&[asp::Symbol]>,
    ) -> Result<Option<String>, Failure> {
        if !self.definition.pictures.contains(&format) {
            return Ok(None);
        }
        let address = match format {
            Format::Url => self.links()?.map(|link| link.write(board)).transpose()?,
            Format::SudokuPad => Some(self.sudoku_pad_address(board)?),
            Format::Penpa => Some(self.penpa_address(board, answer)?),
            _ => return self.file_of(board, answer),
        };
        Ok(address.map(|address| address + "\n"))
    }

    /// Returns the file of puzz.link, if the puzzle has one.
    fn file_of(&self, board: &GridBoard, answer: Option<&[asp::Symbol]>) -> Result<Option<String>, Failure> {
        let Some(file) = self.file_format()? else { return Ok(None) };
        let atoms: Option<BTreeSet<String>> =
            answer.map(|atoms| atoms.iter().map(|&atom| asp::to_text(atom)).collect());
        let marks = atoms.as_ref().map_or(FileMarks::Player, FileMarks::Solution);
        file.write(board, &self.name, self.links()?.as_ref(), &marks).map(Some)
    }

    fn sudoku_pad_address(&self, board: &GridBoard) -> Result<String, Failure> {
        let variants: Vec<_> = self.definition.variants.iter().map(|variant| (variant.name, &variant.header)).collect();
        let wrong = |what| {
            let text = format!("{what}: addresses of SudokuPad cannot express that");
            Diagnostic::error(Code::InvalidLink, text).into()
        };
        editors::sudoku_pad_address(board, &variants).map_err(wrong)
    }

    /// Returns the address of penpa-edit with a drawing of the board. With the atoms of an answer,
    /// the page checks the answer of its user.
    ///
    /// # Errors
    /// Fails if a drawing cannot express the whole board.
    pub fn penpa_address(&self, board: &GridBoard, answer: Option<&[asp::Symbol]>) -> Result<String, Failure> {
        Ok(editors::address(board, &self.drawn_puzzle(), answer).map_err(|what| cannot_be_drawn(&what))?)
    }

    /// Returns the board, and its facts if it was given as facts.
    fn grid_board<'b>(&self, board: &'b PuzzleBoard) -> Result<(Cow<'b, GridBoard>, Vec<asp::Symbol>), Failure> {
        if let Some(grid) = &board.grid {
            return Ok((Cow::Borrowed(grid), Vec::new()));
        }
        let instance = asp::Program { instance: board.program.instance.clone(), ..asp::Program::default() };
        let mut solver = asp::Solver::with_program(&instance, &asp::Settings::default(), &Default::default())?;
        let atoms = fact_atoms(&mut solver)?;
        let grid = GridBoard::of_facts(&atoms).map_err(|error| Diagnostic::error(Code::InvalidInstance, error))?;
        Ok((Cow::Owned(grid), atoms))
    }

    /// Returns the facts of the board in a canonical orientation, so that all rotations of a board
    /// get the same rating. (Some encodings start at the first cell in reading order.) The
    /// canonical orientation is the one whose facts come first in lexicographic order.
    pub(super) fn facts_to_rate(&self, board: &GridBoard, rules: &job::Rules) -> String {
        // Custom rules may distinguish rows from columns, as some built-in ones declare.
        if !rules.has_builtin_name() {
            return board.facts();
        }
        let transposes = !board.areas.is_empty() || self.definition.header.paragraph("Turns").is_none();
        board.orientations(transposes).iter().map(GridBoard::facts).min().expect("a board is one of its turns")
    }

    /// Returns the verdict as a sentence.
    pub(super) fn summary(&self, known: &RunResult<Self>) -> String {
        let LogicProof { mut question, summary, seen, num_answers, optimal, earlier, steps, .. } = *known.proof();
        // Solutions of puzzles are always projected to the shown atoms, so this is not mentioned.
        question.is_projected &= self.definition.is_program;
        let noun = self.noun(1).to_lowercase();
        let last = known.answers.last();
        let no_costs = AnswerCosts::default();
        let closing = ClosingLine {
            solve_mode: question,
            status: summary,
            model_stats: seen,
            found: num_answers,
            optimal,
            earlier,
            steps,
            nouns: [&noun, self.noun(2)],
            atoms: last.map_or(0, |answer| answer.atoms.len()),
            costs: last.map_or(&no_costs, |answer| &answer.costs),
            verdict: known.verdict,
            rules: &known.job.rules,
            selection: known.selection(),
            suggests_unique: !self.definition.is_program,
            style: known.job.output.style,
        };
        let words = || closing.words();
        let certified = known.proof().certificate.as_ref();
        known
            .uniqueness_words()
            .unwrap_or_else(|| certified.map_or_else(words, |certified| certified.describe(&words())))
    }
}

fn cannot_be_drawn(what: &str) -> Diagnostic {
    Diagnostic::error(Code::InvalidLink, format!("{what}: a drawing of penpa-edit cannot express that"))
}

/// Returns the drawing of an answer. If uniqueness was requested and there are two answers, the
/// cells in which they differ are marked.
fn drawing_to_show<'a>(known: &RunResult<LogicPuzzle>, answer: &'a Answer) -> Cow<'a, Drawing> {
    match &known.answers[..] {
        [one, other] if known.job.question.is_unique => {
            Cow::Owned(answer.drawing.with_marks(&one.drawing.differences(&other.drawing)))
        }
        _ => Cow::Borrowed(&answer.drawing),
    }
}

pub(super) fn atoms_text(answer: &Answer) -> String {
    // The drawing shows the `draw` atoms.
    let atoms = answer.atoms.iter().filter(|&&atom| !Drawing::is_draw_atom(atom));
    atoms.map(|&atom| asp::to_text(atom)).collect::<Vec<_>>().join(" ")
}
