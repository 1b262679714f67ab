//! The report of a puzzle: its board, its answers and its proof in every format.

use std::io::{self, Write};
use std::sync::Arc;

use crate::format::Format;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::ending::Verdict;
use base::stop::{OutputGrace as Time, StopReason};
use base::style::Style;
use parking_lot::Mutex;
use picture::graph::dot;
use picture::page::{self, Page};
use serde_json::Value;

use super::any_result::AnyRunResult;
use super::api::{Puzzle, RunProof, RunResult, Table};
use super::cause::UnsolvableCause;
use super::native;
use super::pipeline::{AnswerCollector, Run};
use super::report::{Header, Output, RenderedAnswer, RenderedRun, Report, output_result, write_json};

/// Writes the answers of a puzzle at the end, in canonical order.
pub struct PuzzleReport<P: Puzzle> {
    run: Run<P>,
    header: Header,
    collector: Arc<AnswerCollector<P>>,
    /// The result of the run, once it has ended
    solved: Option<RunResult<P>>,
    output: Output,
    format: Format,
    style: Style,
}

impl<P: Puzzle> PuzzleReport<P> {
    pub fn new(
        run: Run<P>,
        header: Header,
        collector: Arc<AnswerCollector<P>>,
    ) -> impl FnOnce(Output, Format, Style) -> Self + use<P> {
        move |output, format, style| PuzzleReport { run, header, collector, solved: None, output, format, style }
    }

    pub fn set_solved(&mut self, solved: RunResult<P>) {
        self.solved = Some(solved);
    }

    /// The board in the notation of the format, with an answer if one is given.
    fn board(&self, answer: Option<&P::Answer>) -> Result<String, Failure> {
        let Run { puzzle, board, .. } = &self.run;
        let has_none = || {
            let format = self.format.name();
            let text = format!("--format {format}: boards of {} cannot be written in this format", puzzle.name());
            Diagnostic::error(Code::InvalidLink, text)
        };
        let export = puzzle.capabilities().export;
        let text = export.map_or(Ok(None), |export| export(puzzle, board, self.format, answer))?;
        Ok(text.ok_or_else(has_none)?)
    }

    /// The answer to draw: the requested one, else the first; `None` for the board alone.
    fn chosen<'a>(&self, solved: &'a RunResult<P>) -> Result<Option<&'a P::Answer>, Failure> {
        match self.style.drawn {
            None => Ok(solved.answers.first()),
            Some(0) => Ok(None),
            Some(number) => solved.answers.get(number - 1).map(Some).ok_or_else(|| {
                let text = format!("--answer {number}: there are {} answers", solved.answers.len());
                Diagnostic::error(Code::Unsupported, text).into()
            }),
        }
    }

    fn page(&self, solved: &RunResult<P>, time: &Time<'_>) -> Result<String, Failure> {
        let Run { puzzle, board, .. } = &self.run;
        let title = format!("{}: {}", self.header.puzzle, self.header.instance.join(", "));
        if self.style.drawn.unwrap_or(0) == 0
            && let Some(playable_page) = puzzle.capabilities().playable_page
            && let Some(sheet) = playable_page(puzzle, solved)?
        {
            return Ok(page::playable_page(&title, puzzle.about().summary, &sheet));
        }
        let mut page = Page::default();
        page.title = title;
        page.text = report_text(puzzle, solved, &Style { on_page: true, ..Style::default() });
        page.chosen = self.chosen(solved)?.and(self.style.drawn).map_or(0, |number| number - 1);
        let mut pictures = Vec::new();
        if solved.answers.is_empty()
            && let Some(picture) = solved.picture(None)?
        {
            page.add(&picture);
        }
        for answer in &solved.answers {
            if page.is_full() || time.check_truncated().is_some() {
                page.left_out = solved.answers.len() - pictures.len();
                break;
            }
            let picture = solved.picture(Some(answer))?;
            pictures.push(picture.map(|picture| page.add(&picture)));
        }
        let answers = &solved.answers[..pictures.len()];
        let table = match puzzle.capabilities().page_table {
            Some(page_table) => page_table(puzzle, board, answers),
            None => table(puzzle, board, answers),
        };
        page.columns = table.columns;
        page.settings = table.settings;
        page.frames_per_row = table.frames_per_row;
        page.note = table.note;
        page.nouns = table.nouns.unwrap_or_else(|| ["answer", "answers"].map(str::to_owned));
        let drawn = table.rows.into_iter().filter_map(|(answer, row)| Some((pictures[answer]?, row)));
        page.rows.extend(drawn);
        Ok(page.html())
    }

    fn write(&mut self, solved: &RunResult<P>, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        let Run { puzzle, board, job, .. } = &self.run.clone();
        let time = job.stop.output_grace();
        let cannot_be_drawn = || Diagnostic::error(Code::EmptyDrawing, "there is nothing to draw");
        let text = match self.format {
            Format::Json => {
                let cause = solved.proof.cause().map(UnsolvableCause::json);
                let answers = solved.answers.iter().map(|answer| puzzle.json(board, answer));
                let header = self.header.json();
                let written = write_json(&mut self.output, header, answers, cause, conclusion, &time);
                return output_result(written);
            }
            Format::Svg => solved.picture(self.chosen(solved)?)?.ok_or_else(cannot_be_drawn)?.svg(),
            Format::Dot => {
                let chosen = self.chosen(solved)?;
                let graph = puzzle.capabilities().graph.and_then(|graphs| graphs.graph(board, chosen));
                dot::text(&graph.ok_or_else(cannot_be_drawn)?)
            }
            format if format.is_board() => {
                let answer = self.chosen(solved)?.ok_or_else(cannot_be_drawn)?;
                self.board(Some(answer))?
            }
            Format::Html => self.page(solved, &time)?,
            Format::Lines => {
                for answer in solved.answers.chunks(64) {
                    if time.check_truncated().is_some() {
                        break;
                    }
                    for (_, row) in table(puzzle, board, answer).rows {
                        output_result(writeln!(self.output, "{}", row.join("\t")))?;
                    }
                }
                String::new()
            }
            format if format.is_board() => self.board(self.chosen(solved)?)?,
            _ => report_text(puzzle, solved, &self.style),
        };
        output_result(self.output.write_all(text.as_bytes()))?;
        // Results that came too late were omitted.
        Ok(match job.stop.truncation_reason() {
            Some(reason) => conclusion.truncated(reason),
            None => conclusion,
        })
    }

    /// The result, or the answers found so far if the run was abandoned.
    fn solved(&mut self, conclusion: &AnyRunResult) -> RunResult<P> {
        self.solved.take().unwrap_or_else(|| {
            let reason = match conclusion.verdict() {
                Verdict::GaveUp(reason) => reason,
                _ => StopReason::Unproven,
            };
            self.run.given_up(&self.collector, reason)
        })
    }
}

/// Returns what the command prints for a result in this format.
pub fn written<P: Puzzle>(
    run: &Run<P>,
    header: &Header,
    solved: &RunResult<P>,
    format: Format,
    style: Style,
) -> Result<String, Failure> {
    /// An output that others read.
    struct SharedOutput(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let bytes = Arc::<Mutex<Vec<u8>>>::default();
    let output: Output = Box::new(SharedOutput(bytes.clone()));
    let collector = Arc::new(AnswerCollector::new(&run.job));
    let (run, header) = (run.clone(), header.clone());
    let mut report = PuzzleReport { run, header, collector, solved: None, output, format, style };
    if format.is_board_only(style.drawn) {
        return report.board(None);
    }
    report.write(solved, solved.erased())?;
    let bytes = std::mem::take(&mut *bytes.lock());
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The table of answers; by default a row for each, with the values of its JSON.
fn table<P: Puzzle>(puzzle: &P, board: &P::Board, answers: &[P::Answer]) -> Table {
    match puzzle.capabilities().table {
        Some(tables) => tables.table(board, answers),
        None => native::table(answers.iter().map(|answer| puzzle.json(board, answer))),
    }
}

/// Returns the text output. It begins with a sentence about uniqueness if the job asks for it.
fn report_text<P: Puzzle>(puzzle: &P, solved: &RunResult<P>, style: &Style) -> String {
    let unique = solved.uniqueness_words();
    let unique = unique.map(|words| style.paint(anstyle::Style::new().bold(), &words) + "\n");
    unique.unwrap_or_default() + &puzzle.text(solved, style)
}

impl<P: Puzzle> Report for PuzzleReport<P> {
    fn finish(&mut self, conclusion: AnyRunResult) -> Result<AnyRunResult, Failure> {
        let written = if self.format.is_board_only(self.style.drawn) {
            let board = self.board(None)?;
            output_result(self.output.write_all(board.as_bytes()))?;
            conclusion
        } else {
            let solved = self.solved(&conclusion);
            self.write(&solved, conclusion)?
        };
        output_result(self.output.flush())?;
        Ok(written)
    }

    fn pictures(
        &mut self,
        conclusion: AnyRunResult,
        take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<AnyRunResult, Failure> {
        let solved = self.solved(&conclusion);
        let Run { puzzle, board, job, .. } = &self.run;
        let time = job.stop.output_grace();
        for answer in &solved.answers {
            if let Some(reason) = time.is_over() {
                return Ok(conclusion.truncated(reason));
            }
            let picture = if self.format == Format::Dot {
                let graphs = puzzle.capabilities().graph;
                graphs.and_then(|graphs| graphs.graph(board, Some(answer))).map(|graph| dot::text(&graph))
            } else {
                solved.picture(Some(answer))?.map(|picture| picture.svg())
            };
            picture.map_or(Ok(()), &mut *take)?;
        }
        Ok(conclusion)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        self.solved.as_ref().map_or_else(|| self.collector.found(), |solved| solved.found)
    }
}

/// Returns the results of a run in structured form, for other presentations.
pub fn render_run<P: Puzzle>(puzzle: &P, solved: &RunResult<P>) -> Result<RenderedRun, Failure> {
    let RunResult { board, answers, .. } = solved;
    let table = table(puzzle, board, answers);
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); answers.len()];
    let has_several = table.rows.windows(2).any(|pair| pair[0].0 == pair[1].0);
    for (answer, cells) in &table.rows {
        let named = table.columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let words: Vec<String> = match &cells[..] {
            [only] => vec![only.clone()],
            _ => named.map(|(name, cell)| format!("{name}: {cell}")).collect(),
        };
        lines[*answer].push(words.join(if has_several { "; " } else { "\n" }));
    }
    let texts = lines.into_iter().map(|lines| lines.join("\n"));
    let answered = |(answer, text): (&P::Answer, String)| {
        let json = puzzle.json(board, answer);
        let items = |key: &str| json[key].as_array().into_iter().flatten();
        let picture = solved.picture(Some(answer))?;
        // A picture shows the drawing atoms.
        let is_element = |atom: &str| asp::Signature::of(atom).is_some_and(|signature| signature.name == "draw");
        let is_listed = |atom: &&str| picture.is_none() || !is_element(atom);
        let atoms = items("atoms").filter_map(Value::as_str).filter(is_listed).map(str::to_owned).collect();
        let costs = items("costs").filter_map(Value::as_i64).collect();
        Ok(RenderedAnswer { text, atoms, costs, picture })
    };
    let answered = answers.iter().zip(texts).map(answered).collect::<Result<Vec<_>, Failure>>()?;
    let board = if answered.is_empty() { solved.picture(None)? } else { None };
    let words = report_text(
        puzzle,
        solved,
        &Style { quiet: !answered.is_empty(), on_page: solved.job.output.style.on_page, ..Style::default() },
    );
    Ok(RenderedRun { words, board, answers: answered })
}
