//! Prints messages on standard error, each with the source lines that it refers to, underlined.

use std::collections::HashSet;

use annotate_snippets::{Element, Group, Level, Renderer};
use base::diagnostic::{Diagnostic, Place, Severity};
use base::document::Document;
use base::ending::Verdict;
use base::stop::StopReason;
use base::underlined::{elide_middle, excerpts};

use super::sources::source_text;
use super::terminal::{escape_controls, print_line, write_line};

/// Maximum number of messages shown; further ones are only counted.
const MAX_MESSAGES: usize = 20;

/// Prints each distinct message once, the errors last.
pub fn print(diagnostics: &[Diagnostic], documents: &[Document], color: bool) {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut seen = HashSet::new();
    let mut shown: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| seen.insert(diagnostic.to_string())).collect();
    shown.sort_by_key(|diagnostic| diagnostic.severity);
    let dropped = shown.len().saturating_sub(MAX_MESSAGES);
    for diagnostic in shown.iter().skip(dropped) {
        write_line(&render(diagnostic, documents, &renderer), color);
    }
    if dropped > 0 {
        print_line(format_args!("… and {dropped} more messages"));
    }
}

/// Prints why a run gave up, and returns its exit code.
pub fn gave_up(reason: StopReason) -> i32 {
    print_line(format_args!("gave up: {}", reason.words()));
    3
}

/// Returns the exit code of a verdict; prints the reason if the run gave up.
pub fn verdict_exit_code(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Solved => 0,
        Verdict::Impossible => 1,
        Verdict::GaveUp(reason) => gave_up(reason),
    }
}

/// Renders a message with its source lines.
pub fn rendered(diagnostic: &Diagnostic, documents: &[Document], color: bool) -> String {
    render(diagnostic, documents, &if color { Renderer::styled() } else { Renderer::plain() })
}

/// Renders the source lines of places, and underlines all places alike.
pub fn underlined(places: &[Place], documents: &[Document], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let excerpts = excerpts(places, |place| source_text(place, documents));
    renderer
        .render(&[Group::with_level(Level::NOTE).elements(excerpts.iter().map(|excerpt| excerpt.element(|_| true)))])
}

/// Breaks long lines at blanks.
fn wrap(text: &str) -> String {
    /// Longer lines are broken.
    const MAX_LENGTH: usize = 160;
    const WIDTH: usize = 100;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.chars().count() <= MAX_LENGTH {
            lines.push(line.to_owned());
            continue;
        }
        let mut rest = String::new();
        for word in line.split(' ') {
            if !rest.is_empty() && rest.chars().count() + word.chars().count() >= WIDTH {
                lines.push(std::mem::replace(&mut rest, format!("  {word}")));
            } else {
                let blank = if rest.is_empty() { "" } else { " " };
                rest += &format!("{blank}{word}");
            }
        }
        lines.push(rest);
    }
    lines.join("\n")
}

fn render(diagnostic: &Diagnostic, documents: &[Document], renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    // The renderer expects a title of one line.
    let title = escape_controls(&elide_middle(&diagnostic.message), false).replace('\n', " ");
    let excerpts = excerpts(&diagnostic.labels, |place| source_text(place, documents));
    let is_primary = |place: &_| *place == diagnostic.labels[0];
    let mut elements: Vec<Element<'_>> = excerpts.iter().map(|excerpt| excerpt.element(is_primary)).collect();
    if let Some(help) = &diagnostic.help {
        elements.push(Level::HELP.message(wrap(&escape_controls(&elide_middle(help), false))).into());
    }
    let group = Group::with_title(level.primary_title(title)).elements(elements);
    renderer.render(&[group])
}
