//! Output formats and text style.

use crate::words::sanitize;

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// What the clingo command prints
    Asp,
    /// What the clingo command prints with --outf=2
    ClingoJson,
    /// One tab-separated line for each answer
    Lines,
    /// An animated picture
    Svg,
    /// A Graphviz graph
    Dot,
    /// The board as a puzz.link address; nothing is solved
    Url,
    /// A page in one file
    Html,
}

impl Format {
    /// Returns true for the formats that print answer sets as clingo does, with clingo's exit
    /// codes.
    pub fn is_answer_sets(self) -> bool {
        matches!(self, Format::Asp | Format::ClingoJson)
    }

    /// The value of `--format`.
    pub fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("every format can be asked for");
        value.get_name().to_owned()
    }

    /// Returns true for formats that show the board.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html | Format::Url)
    }
}

/// Style of text output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    pub color: bool,
    /// Only print the verdict.
    pub quiet: bool,
    /// Print every step of a solution.
    pub verbose: bool,
    /// Number of the answer to draw, from 1; 0 for none, `None` for the first.
    pub drawn: Option<usize>,
    /// Width of the terminal in columns, if the output is a terminal.
    pub width: Option<usize>,
    /// True for text on an HTML page, where advice about the command line is useless.
    pub on_page: bool,
}

impl Style {
    /// Sanitizes `text` and styles it, if colours are on.
    pub fn paint(&self, style: anstyle::Style, text: &str) -> String {
        let text = sanitize(text);
        if self.color { format!("{style}{text}{style:#}") } else { text }
    }

    /// Returns advice about options, or an empty string on pages.
    pub fn advice<'a>(&self, text: &'a str) -> &'a str {
        if self.on_page { "" } else { text }
    }
}
