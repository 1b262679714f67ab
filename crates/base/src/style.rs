//! The style of text output.

use crate::words::sanitize;

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
