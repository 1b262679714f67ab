//! Explanations as text for a terminal: parts as underlined source lines, and derivations as trees.

use std::fmt::Write;

use annotate_snippets::{Group, Level, Renderer};
use base::ending::Verdict;
use base::style::Style;
use base::underlined::excerpts;
use base::words::{count, sanitize};

use super::sentences::{
    MAX_TREE_LINES, Sources, atom_summary, count_words, described, elsewhere, exclusion_summary, labelled,
    other_causes, sections, summary, suspects, tree_reason,
};
use crate::atom::{AtomFinding, AtomReport};
use crate::contradiction::CauseReport;
use crate::derivation::{DerivationTree, TreeChildren};
use crate::exclusion::ExclusionReport;
use crate::hint::{MAX_LISTED, StepReport, ending};
use crate::part::Part;
use crate::rating::{RatingReport, at_least};
use crate::steps::NextStep;

const BOLD: anstyle::Style = anstyle::Style::new().bold();

pub fn causes(report: &CauseReport, sources: Sources<'_>, style: &Style) -> String {
    let mut text = style.paint(BOLD, &summary(report)) + "\n";
    if style.quiet {
        return text;
    }
    text += &suspects(report);
    for derivation in &report.trees {
        text += &format!("\n{}", tree(derivation, style));
    }
    for section in sections(report) {
        if !section.heading.is_empty() {
            let _ = write!(text, "\n{}\n", section.heading);
        }
        text += &underlined(&section.parts, sources, style.color);
        let (title, lines) = section.describe_violated();
        if !title.is_empty() {
            let _ = writeln!(text, "{}", [vec![title], lines].concat().join("\n  "));
        }
    }
    let last = other_causes(report);
    if !last.is_empty() {
        let _ = write!(text, "\n{last}\n");
    }
    text
}

pub fn atom(report: &AtomReport, sources: Sources<'_>, style: &Style) -> String {
    let (title, rest) = atom_summary(report, style);
    let mut text = match report.finding {
        AtomFinding::GaveUp(reason) => return format!("{}\n", Verdict::GaveUp(reason).gave_up_words()),
        AtomFinding::NoAnswer => return format!("{title}\n"),
        _ => style.paint(BOLD, &title) + "\n",
    };
    if !rest.is_empty() {
        text += &format!("{rest}\n");
    }
    if style.quiet {
        return text;
    }
    text + &match &report.finding {
        AtomFinding::GaveUp(_) | AtomFinding::NoAnswer => String::new(),
        AtomFinding::Derived(derivation) => tree(derivation, style),
        AtomFinding::Undecided(pair) => tree(&pair.tree, style),
        AtomFinding::Entailed { parts, .. } | AtomFinding::Underivable(parts) => {
            underlined(parts, sources, style.color)
        }
    }
}

pub fn steps(report: &StepReport, style: &Style) -> String {
    let mut text = String::new();
    for (number, step) in report.steps.iter().enumerate() {
        let label = if report.has_all { format!("{}. ", number + 1) } else { String::new() };
        let conclusion = style.paint(BOLD, &step.conclusion(MAX_LISTED));
        let indent = " ".repeat(label.len());
        let _ = writeln!(text, "{label}{conclusion}\n{indent}{}", sanitize(&step.reason(MAX_LISTED)));
    }
    if let Some(end) = &report.end {
        let gap = if report.steps.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}", ending(end, report.steps.len()));
    }
    if report.drawing.has_grid() && !style.quiet && !matches!(report.end, Some(NextStep::Impossible)) {
        let _ = write!(text, "\n{}", report.drawing.text(style));
    }
    text
}

pub fn rating(RatingReport { rating, .. }: &RatingReport) -> String {
    let mut text = format!(
        "{} in {}: the hardest needs {}, {}{} in total.\n",
        count(rating.steps(), "step", "steps"),
        count(rating.rounds, "round", "rounds"),
        rating.hardest(),
        at_least(!rating.is_exact()),
        rating.reasons(),
    );
    for (&(size, is_bound), number) in &rating.sizes {
        let (steps, reasons) = (count(*number, "step", "steps"), count(size, "reason", "reasons"));
        let _ = writeln!(text, "  {steps} of {}{reasons}", at_least(is_bound));
    }
    if !rating.names.is_empty() {
        let techniques: Vec<String> =
            rating.names.iter().map(|((_, name), number)| format!("{name} {number}")).collect();
        let _ = writeln!(text, "Techniques: {}.", techniques.join(", "));
    }
    if !rating.is_solved() {
        let _ = writeln!(text, "{}", ending(&rating.end, rating.steps()));
    }
    text
}

/// Renders the number of answers without each part, in columns.
pub fn exclusion(report: &ExclusionReport, style: &Style) -> String {
    let mut text = style.paint(BOLD, &exclusion_summary(report)) + "\n";
    let numbers: Vec<String> = report.parts.iter().map(|excluded| count_words(&excluded.count)).collect();
    let width = numbers.iter().map(|number| number.chars().count()).max().unwrap_or(0);
    for (number, excluded) in numbers.iter().zip(&report.parts) {
        let _ = writeln!(text, "{number:>width$}  {}", sanitize(&described(&excluded.part)));
    }
    text
}

/// Renders parts as underlined source lines.
fn underlined(parts: &[Part], sources: Sources<'_>, color: bool) -> String {
    let mut text = String::new();
    let mut places = labelled(parts);
    places.retain(|place| sources.text_of(place).is_some());
    let excerpts = excerpts(&places, |place| sources.text_of(place));
    if !excerpts.is_empty() {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let elements = excerpts.iter().map(|excerpt| excerpt.element(|_| true));
        text = renderer.render(&[Group::with_level(Level::NOTE).elements(elements)]) + "\n";
    }
    for line in elsewhere(parts, sources) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Renders a tree, cut at a depth at which it has at most [`MAX_TREE_LINES`] lines unless the style
/// is verbose.
fn tree(tree: &DerivationTree, style: &Style) -> String {
    let most = if style.verbose { usize::MAX } else { MAX_TREE_LINES };
    let lines = |depth: usize| tree_lines(tree, depth);
    let depth = (1..).find(|&depth| lines(depth) > most || lines(depth) == lines(depth + 1));
    let depth = depth.map_or(1, |depth| if lines(depth) > most { depth - 1 } else { depth }.max(2));
    let mut out = String::new();
    for derivation in tree.all() {
        write_tree(derivation, &mut out, "", "", depth, style);
    }
    out
}

fn tree_lines(tree: &DerivationTree, depth: usize) -> usize {
    let lines =
        |tree: &DerivationTree| if tree.children == TreeChildren::Given { 0 } else { tree_lines(tree, depth - 1) };
    let below = |tree: &DerivationTree| -> usize { tree.needs().iter().map(lines).sum() };
    tree.all().map(|tree| 1 + if depth == 0 { 0 } else { below(tree) }).sum()
}

fn write_tree(tree: &DerivationTree, out: &mut String, first: &str, rest: &str, depth: usize, style: &Style) {
    let dim = |text: &str| style.paint(anstyle::Style::new().dimmed(), text);
    let reason = dim(&format!("  {}", tree_reason(tree)));
    *out += &format!("{first}{}{reason}\n", style.paint(anstyle::Style::new(), &tree.words));
    let needs = tree.needs();
    if tree.children == TreeChildren::TooDeep || depth == 0 && !needs.is_empty() {
        *out += &format!("{rest}└─ …\n");
        return;
    }
    let (given, explained): (Vec<&DerivationTree>, Vec<&DerivationTree>) =
        needs.iter().partition(|tree| tree.children == TreeChildren::Given);
    let given: Vec<&str> = given.into_iter().map(|tree| tree.words.as_str()).collect();
    let explained: Vec<&DerivationTree> = explained.into_iter().flat_map(DerivationTree::all).collect();
    let mut left = explained.len() + usize::from(!given.is_empty());
    let mut branch = || {
        left -= 1;
        if left == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") }
    };
    for tree in explained {
        let (branch, bar) = branch();
        write_tree(tree, out, &format!("{rest}{branch}"), &format!("{rest}{bar}"), depth - 1, style);
    }
    if !given.is_empty() {
        *out += &format!("{rest}{}{}{}\n", branch().0, given.join(", "), dim("  (in every answer)"));
    }
}
