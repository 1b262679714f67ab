//! The report of a puzzle: its answers lie on a desk until they can be put in order.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Puzzle;
use crate::ending::Ending;
use crate::report::{Format, Header, Output, Report, Style, write_json, write_json_line};

/// Collects the answers of a puzzle and writes them in canonical order at the end.
pub struct Desk<P: Puzzle> {
    puzzle: P,
    board: Arc<P::Board>,
    header: Header,
    answers: Vec<P::Answer>,
    output: Output,
    format: Format,
    style: Style,
}

impl<P: Puzzle> Desk<P> {
    pub fn new(puzzle: P, board: Arc<P::Board>, header: Header) -> impl FnOnce(Output, Format, Style) -> Self {
        move |output, format, style| Desk { puzzle, board, header, answers: Vec::new(), output, format, style }
    }

    /// Takes a checked answer.
    pub fn put(&mut self, answer: P::Answer) -> ControlFlow<()> {
        self.answers.push(answer);
        ControlFlow::Continue(())
    }
}

impl<P: Puzzle> Report for Desk<P> {
    fn finish(&mut self, ending: &Ending) -> io::Result<()> {
        self.answers.sort_by(|a, b| self.puzzle.compare(a, b));
        if let Some(line) = self.style.line {
            let answers = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer));
            write_json_line(&mut self.output, line, self.header.json(), answers, ending)?;
        } else if self.format == Format::Json {
            let (puzzle, board) = (&self.puzzle, &self.board);
            write_json(
                &mut self.output,
                self.header.json(),
                self.answers.iter().map(|answer| puzzle.json(board, answer)),
                ending,
            )?;
        } else if self.format == Format::Svg {
            // Without an answer there is nothing to draw; the exit code tells why.
            if let Some(picture) = self.answers.first().and_then(|answer| self.puzzle.draw(&self.board, answer)) {
                self.output.write_all(picture.svg().as_bytes())?;
            }
        } else {
            let text = self.puzzle.text(&self.board, &self.answers, ending, &self.style);
            self.output.write_all(text.as_bytes())?;
        }
        self.output.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        self.answers.len() as u64
    }
}
