//! Output formats, and the style of text.

use crate::words::shown;

/// What standard output carries.
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
    /// Whether it prints answer sets as clingo does, with clingo's exit codes.
    pub fn is_answer_sets(self) -> bool {
        matches!(self, Format::Asp | Format::ClingoJson)
    }

    /// As one writes it after --format.
    pub fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self).expect("every format can be asked for");
        value.get_name().to_owned()
    }

    /// Whether it shows what a puzzle looks like.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Svg | Format::Dot | Format::Html | Format::Url)
    }
}

/// How text is to look.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    pub color: bool,
    /// The verdict alone.
    pub quiet: bool,
    /// Every step of a solution.
    pub verbose: bool,
    /// The answer to draw, from 1; 0 for none. By default the first.
    pub drawn: Option<usize>,
    /// Columns of the terminal, where the output goes to one.
    pub width: Option<usize>,
    /// It is read on a page, where nobody gives options.
    pub on_page: bool,
}

impl Style {
    /// `text` in a style, or as it is where colours are off.
    pub fn paint(&self, style: anstyle::Style, text: &str) -> String {
        let text = shown(text);
        if self.color { format!("{style}{text}{style:#}") } else { text }
    }

    /// Which options tell more, for who can give them.
    pub fn advice<'a>(&self, text: &'a str) -> &'a str {
        if self.on_page { "" } else { text }
    }
}
