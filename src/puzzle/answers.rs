//! The report of a puzzle: its answers, until they can be put in order, and what is known besides.

use std::io::Write;
use std::sync::Arc;

use serde_json::Value;

use super::{Because, Known, Puzzle, Query, Rules, Show};
use crate::diagnostic::{Diagnostic, Failure};
use crate::ending::{Ending, Verdict};
use crate::graph::dot;
use crate::page::Page;
use crate::report::{Answered, Format, Header, Output, Report, Scene, Style, write_json, written};
use crate::stop::Stop;

/// Collects the answers of a puzzle and writes them in canonical order at the end.
pub struct Answers<P: Puzzle> {
    puzzle: P,
    board: Arc<P::Board>,
    header: Header,
    rules: Rules,
    answers: Vec<P::Answer>,
    /// All of them, or only how many there are.
    keeps: bool,
    asks_unique: bool,
    stop: Stop,
    found: u64,
    proof: P::Proof,
    /// The board as an address, where that is all there is to tell.
    link: Option<String>,
    output: Output,
    format: Format,
    style: Style,
}

impl<P: Puzzle> Answers<P> {
    pub fn new(
        puzzle: P,
        board: Arc<P::Board>,
        header: Header,
        query: &Query<'_, P::Options>,
    ) -> impl FnOnce(Output, Format, Style) -> Self + use<P> {
        let (rules, request) = (query.rules.clone(), query.request);
        let (keeps, asks_unique) = (request.show != Show::Verdict || request.asks_unique, request.asks_unique);
        let stop = query.stop.clone();
        move |output, format, style| {
            let (answers, proof, link) = (Vec::new(), P::Proof::default(), None);
            Answers {
                puzzle,
                board,
                header,
                rules,
                answers,
                keeps,
                asks_unique,
                stop,
                found: 0,
                proof,
                link,
                output,
                format,
                style,
            }
        }
    }

    /// Tells the board alone, as an address.
    pub fn tell_link(&mut self) -> Result<Ending, Failure> {
        let name = self.puzzle.about().name;
        let has_none = || Diagnostic::error(format!("--format url: no address is known for a board of {name}"));
        self.link = Some(self.puzzle.link(&self.board)?.ok_or_else(has_none)?);
        Ok(Ending::of(Verdict::Solved, false))
    }

    /// Takes a checked answer.
    pub fn put(&mut self, answer: P::Answer) {
        self.found += 1;
        if self.keeps || self.answers.is_empty() {
            self.answers.push(answer);
        }
    }

    /// Takes what was proven, has it vouched for, and gives the ending without it. The error says what is wrong.
    pub fn conclude(&mut self, ending: Ending<P::Proof>) -> Result<Ending, String> {
        let Ending { verdict, complete, proof, mut statistics, warnings } = ending;
        self.proof = proof;
        self.puzzle.sort(&mut self.answers);
        if self.rules.are_shipped() {
            self.puzzle.vouch(&self.known(verdict, complete))?;
        }
        if let (Some(object), Ok(Value::Object(proof))) =
            (statistics.as_object_mut(), serde_json::to_value(&self.proof))
        {
            // What is proven comes first.
            let work = std::mem::replace(object, proof);
            object.extend(work);
        }
        let uniqueness = self.puzzle.uniqueness(&self.known(verdict, complete));
        Ok(Ending { verdict, complete, proof: uniqueness, statistics, warnings })
    }

    fn known(&self, verdict: Verdict, complete: bool) -> Known<'_, P> {
        let Answers { board, answers, proof, rules, asks_unique, keeps, stop, .. } = self;
        Known { board, answers, verdict, complete, proof, rules, asks_unique: *asks_unique, keeps_all: *keeps, stop }
    }

    /// The answer to draw: the one that was asked for, else the first, else the board alone.
    fn chosen(&self) -> Result<Option<&P::Answer>, Failure> {
        match self.style.drawn {
            None => Ok(self.answers.first()),
            Some(0) => Ok(None),
            Some(number) => self.answers.get(number - 1).map(Some).ok_or_else(|| {
                let text = format!("--answer {number}: there are {} answers", self.answers.len());
                Diagnostic::error(text).into()
            }),
        }
    }

    fn page(&self, known: &Known<'_, P>) -> Result<String, Failure> {
        let mut page = Page::default();
        page.title = format!("{}: {}", self.header.puzzle, self.header.instance.join(", "));
        page.text = self.words(known, &Style::default());
        let mut pictures = Vec::new();
        if self.answers.is_empty()
            && let Some(picture) = self.puzzle.draw(known, None)?
        {
            page.add(&picture);
        }
        for answer in &self.answers {
            if page.is_full() {
                page.left_out = self.answers.len() - pictures.len();
                break;
            }
            let picture = self.puzzle.draw(known, Some(answer))?;
            pictures.push(picture.map(|picture| page.add(&picture)));
        }
        let table = self.puzzle.table(&self.board, &self.answers[..pictures.len()]);
        page.columns = table.columns;
        let drawn = table.rows.into_iter().filter_map(|(answer, row)| Some((pictures[answer]?, row)));
        page.rows.extend(drawn);
        Ok(page.html())
    }

    /// All for a person; whether there is one solution comes first, where that is the question.
    fn words(&self, known: &Known<'_, P>, style: &Style) -> String {
        let unique = known.uniqueness_words(self.puzzle.uniqueness(known));
        let unique = unique.map(|words| style.paint(anstyle::Style::new().bold(), &words) + "\n");
        unique.unwrap_or_default() + &self.puzzle.text(known, style)
    }

    fn text_of(&self, ending: &Ending) -> Result<String, Failure> {
        let (puzzle, board, known) = (&self.puzzle, &self.board, self.known(ending.verdict, ending.complete));
        let cannot_be_drawn = || Diagnostic::error("there is nothing to draw");
        Ok(match self.format {
            Format::Svg => puzzle.draw(&known, self.chosen()?)?.ok_or_else(cannot_be_drawn)?.svg(),
            Format::Dot => dot::text(&puzzle.graph(board, self.chosen()?).ok_or_else(cannot_be_drawn)?),
            Format::Html => self.page(&known)?,
            Format::Lines => {
                let rows = puzzle.table(board, &self.answers).rows.into_iter();
                rows.map(|(_, row)| row.join("\t") + "\n").collect()
            }
            Format::Url => self.link.clone().unwrap_or_default(),
            _ => self.words(&known, &self.style),
        })
    }
}

impl<P: Puzzle> Report for Answers<P> {
    fn finish(&mut self, ending: &Ending) -> Result<(), Failure> {
        self.puzzle.sort(&mut self.answers);
        let answers = self.answers.iter().map(|answer| self.puzzle.json(&self.board, answer));
        let result = match self.format {
            Format::Json => {
                let because = self.puzzle.because(&self.known(ending.verdict, ending.complete)).map(Because::json);
                write_json(&mut self.output, self.header.json(), answers, because, ending)
            }
            _ => {
                let text = self.text_of(ending)?;
                self.output.write_all(text.as_bytes())
            }
        };
        written(result.and_then(|()| self.output.flush()))
    }

    fn pictures(
        &mut self,
        ending: &Ending,
        take: &mut dyn FnMut(String) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.puzzle.sort(&mut self.answers);
        let known = self.known(ending.verdict, ending.complete);
        for answer in &self.answers {
            let picture = if self.format == Format::Dot {
                self.puzzle.graph(&self.board, Some(answer)).map(|graph| dot::text(&graph))
            } else {
                self.puzzle.draw(&known, Some(answer))?.map(|picture| picture.svg())
            };
            picture.map_or(Ok(()), &mut *take)?;
        }
        Ok(())
    }

    fn scene(&mut self, ending: &Ending) -> Result<Scene, Failure> {
        self.puzzle.sort(&mut self.answers);
        let (puzzle, board, answers) = (&self.puzzle, &self.board, &self.answers);
        let known = self.known(ending.verdict, ending.complete);
        let table = puzzle.table(board, answers);
        let mut texts = vec![String::new(); answers.len()];
        for (answer, cells) in &table.rows {
            if !texts[*answer].is_empty() {
                texts[*answer].push('\n');
            }
            let named = table.columns.iter().zip(cells);
            let words: Vec<String> = match &cells[..] {
                [only] => vec![only.clone()],
                _ => named.map(|(name, cell)| format!("{name}: {cell}")).collect(),
            };
            texts[*answer].push_str(&words.join("\n"));
        }
        let answered = |(answer, text): (&P::Answer, String)| {
            let json = puzzle.json(board, answer);
            let items = |key: &str| json[key].as_array().into_iter().flatten();
            let picture = puzzle.draw(&known, Some(answer))?;
            // What is drawn is seen.
            let is_told = |atom: &&str| picture.is_none() || !atom.starts_with("draw(");
            let atoms = items("atoms").filter_map(Value::as_str).filter(is_told).map(str::to_owned).collect();
            let costs = items("costs").filter_map(Value::as_i64).collect();
            Ok(Answered { text, atoms, costs, picture })
        };
        let answered = answers.iter().zip(texts).map(answered).collect::<Result<Vec<_>, Failure>>()?;
        let board = if answered.is_empty() { puzzle.draw(&known, None)? } else { None };
        let words = self.words(&known, &Style { quiet: !answered.is_empty(), ..Style::default() });
        Ok(Scene { words, board, answers: answered })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }

    fn found(&self) -> u64 {
        self.found
    }
}
