//! The report of a puzzle: its answers lie on a desk until they can be put in order.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Puzzle;
use crate::ending::Ending;
use crate::graph::dot;
use crate::page::Page;
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

    fn sort(&mut self) {
        self.answers.sort_by(|a, b| self.puzzle.compare(a, b));
    }

    /// The answer to draw: the one that was asked for, else the first, else the board alone.
    fn chosen(&self) -> io::Result<Option<&P::Answer>> {
        match self.style.drawn {
            None => Ok(self.answers.first()),
            Some(0) => Ok(None),
            Some(number) => self.answers.get(number - 1).map(Some).ok_or_else(|| {
                io::Error::other(format!("--answer {number}: the number of answers is {}", self.answers.len()))
            }),
        }
    }

    fn page(&self, ending: &Ending) -> String {
        let mut page = Page::default();
        page.title = format!("{}: {}", self.header.puzzle, self.header.instance.join(", "));
        page.text = self.puzzle.text(&self.board, &self.answers, ending, &Style::default());
        page.columns = self.puzzle.columns(&self.board);
        if self.answers.is_empty()
            && let Some(picture) = self.puzzle.draw(&self.board, None)
        {
            page.add(&picture);
        }
        for (number, answer) in self.answers.iter().enumerate() {
            if page.is_full() {
                page.left_out = self.answers.len() - number;
                break;
            }
            let Some(picture) = self.puzzle.draw(&self.board, Some(answer)) else { continue };
            let picture = page.add(&picture);
            page.rows.extend(self.puzzle.rows(&self.board, answer).into_iter().map(|row| (picture, row)));
        }
        page.html()
    }
}

impl<P: Puzzle> Report for Desk<P> {
    fn finish(&mut self, ending: &Ending) -> io::Result<()> {
        self.sort();
        let (puzzle, board) = (&self.puzzle, &self.board);
        if let Some(line) = self.style.line {
            let answers = self.answers.iter().map(|answer| puzzle.json(board, answer));
            write_json_line(&mut self.output, line, self.header.json(), answers, ending)?;
            return self.output.flush();
        }
        let text = match self.format {
            Format::Json => {
                let answers = self.answers.iter().map(|answer| puzzle.json(board, answer));
                write_json(&mut self.output, self.header.json(), answers, ending)?;
                String::new()
            }
            // Where there is nothing to draw the exit code tells why.
            Format::Svg => puzzle.draw(board, self.chosen()?).map_or(String::new(), |picture| picture.svg()),
            Format::Dot => puzzle.graph(board, self.chosen()?).map_or(String::new(), |graph| dot::text(&graph)),
            Format::Html => self.page(ending),
            Format::Lines => {
                let rows = self.answers.iter().flat_map(|answer| puzzle.rows(board, answer));
                rows.map(|row| row.join("\t") + "\n").collect()
            }
            _ => puzzle.text(board, &self.answers, ending, &self.style),
        };
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    fn pictures(&mut self, take: &mut dyn FnMut(String) -> io::Result<()>) -> io::Result<()> {
        self.sort();
        for answer in &self.answers {
            let picture = if self.format == Format::Dot {
                self.puzzle.graph(&self.board, Some(answer)).map(|graph| dot::text(&graph))
            } else {
                self.puzzle.draw(&self.board, Some(answer)).map(|picture| picture.svg())
            };
            picture.map_or(Ok(()), &mut *take)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        self.answers.len() as u64
    }
}
