//! Explanations as pages and pictures.

use std::fmt::Write;
use std::iter;

use base::diagnostic::{Failure, Place};
use base::sorting;
use base::style::Style;
use base::underlined::excerpts;
use base::words::{count, truncate_words};
use picture::page::Page;
use picture::{Picture, escaped};

use super::candidates::pencil_marks;
use super::sentences::{
    Section, Sources, atom_summary, elsewhere, labelled, other_causes, sections, summary, suspects, tree_reason,
};
use crate::atom::{AtomFinding, AtomReport};
use crate::board::StepCells;
use crate::contradiction::CauseReport;
use crate::derivation::DerivationTree;
use crate::explanation::{NativeFinding, NativePage, NativeReport, Step};
use crate::hint::{DescribedStep, MAX_LISTED, StepReport, ending};
use crate::steps::NextStep;

/// The HTML head of a page and the beginning of its body.
const PAGE: &str = include_str!("page.html");
/// Maximum number of characters of a caption on the page.
const MAX_PAGE_CAPTION: usize = 400;
/// Maximum number of characters of the two sentences of a picture's caption.
const MAX_CAPTION: [usize; 2] = [200, 300];

pub fn causes(report: &CauseReport, sources: Sources<'_>) -> String {
    let heading = format!("{}\n{}", summary(report), suspects(report));
    page(&heading, &sections(report), &report.trees, &other_causes(report), sources)
}

/// Renders an answer about an atom. Returns `None` if there is no reason to show.
pub fn atom(report: &AtomReport, sources: Sources<'_>, style: &Style) -> Option<String> {
    let (title, rest) = atom_summary(report, style);
    let tree = match &report.finding {
        AtomFinding::GaveUp(_) | AtomFinding::NoAnswer => return None,
        AtomFinding::Derived(derivation) => tree(derivation),
        AtomFinding::Undecided(pair) => tree(&pair.tree),
        AtomFinding::Entailed { parts, .. } | AtomFinding::Underivable(parts) => {
            let section = Section { parts: parts.into(), ..Section::default() };
            return Some(page(&title, &[section], &[], &rest, sources));
        }
    };
    let rest: String = rest.lines().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
    Some(format!("{PAGE}<h1>{}</h1>\n{rest}{tree}</body></html>\n", escaped(&title)))
}

/// Renders a page that animates the steps on the board, with the complete text output.
pub fn steps(report: &StepReport, text: &str) -> Result<String, Failure> {
    let StepReport { title, steps, end, .. } = report;
    let summary = end.as_ref().map_or(String::new(), |end| page_summary(title, end, steps.len()));
    let mut page = Page::of_steps(title, format!("{summary}\n{text}").trim_start());
    let truncated = |text: String| match text.char_indices().nth(MAX_PAGE_CAPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let step_captions = steps.iter().enumerate().map(|(number, step)| {
        truncated(format!("{}. {} {}", number + 1, step.conclusion(MAX_LISTED), step.reason(MAX_LISTED)))
    });
    if let Some(picture) = animation(report, step_captions, title)? {
        page.add(&picture);
    }
    // The numbers of reasons are shown if they differ.
    let has_sizes = steps.iter().any(|step| step.reasons.len() > 1);
    let size_title = has_sizes.then_some("reasons");
    page.columns = ["", "what follows", "why"].into_iter().chain(size_title).map(str::to_owned).collect();
    let row = |(number, step): (usize, &DescribedStep)| {
        let size = has_sizes.then(|| step.reasons.len().to_string());
        let cells = [(number + 1).to_string(), step.conclusion(usize::MAX), step.reason(usize::MAX)];
        (0, cells.into_iter().chain(size).collect())
    };
    page.rows = steps.iter().enumerate().map(row).collect();
    Ok(page.html())
}

/// Draws the board at the start and after each step, with pencil marks. `captions` has a text for each
/// step. Returns `None` if nothing is drawn.
fn animation(
    report: &StepReport,
    captions: impl Iterator<Item = String>,
    title: &str,
) -> Result<Option<Picture>, Failure> {
    let StepReport { steps, board, drawing, .. } = report;
    let captions: Vec<String> = iter::once("What is known at once.".to_owned()).chain(captions).collect();
    let cells: Vec<StepCells> = steps.iter().map(DescribedStep::cells_in_picture).collect();
    let animation = board.animation(&report.title, &captions, &cells)?;
    Ok(animation.has_grid().then(|| {
        let mut picture = animation.grid_picture(title);
        picture.sprites.extend(pencil_marks(board, drawing));
        picture
    }))
}

/// The heading of a page of steps, which opens on the board before the first step.
fn page_summary(title: &str, end: &NextStep, number: usize) -> String {
    let steps = count(number, "step", "steps");
    match end {
        NextStep::Solved if number > 0 => format!("{title}: {steps} to the solution"),
        _ => format!("{title}: {steps}. {}", ending(end, number)),
    }
}

/// Renders the board after one step, with a caption, or if all steps were requested, an animation of all steps.
/// Returns `None` if nothing is drawn.
pub fn picture(report: &StepReport) -> Result<Option<String>, Failure> {
    let StepReport { title, steps, has_all, .. } = report;
    let caption = |step: &DescribedStep| {
        let sentences = [step.conclusion(MAX_LISTED), step.reason(MAX_LISTED)];
        let [conclusion, reason] = [0, 1].map(|index| truncate_words(&sentences[index], MAX_CAPTION[index]));
        format!("{conclusion}\n{reason}")
    };
    let why = |step: &DescribedStep| format!("{title}: {} {}", step.conclusion(MAX_LISTED), step.reason(MAX_LISTED));
    let title = steps.first().filter(|_| !has_all).map_or(title.to_owned(), why);
    let picture = animation(report, steps.iter().map(caption), &title)?;
    Ok(picture.map(|picture| if *has_all { picture } else { picture.last_frame() }.svg()))
}

/// Renders the text of a report below its picture, or plays its steps on the board.
pub fn native(report: &NativeReport) -> Option<String> {
    let NativePage { title, picture } = report.page.as_ref()?;
    let mut page = match &report.finding {
        NativeFinding::Deductions { steps, has_all, .. } if picture.is_some() => {
            let heading = if *has_all { count(steps.len(), "step", "steps") + ".\n" } else { String::new() };
            let mut page = Page::of_steps(title, &(heading + &report.text));
            page.columns = ["", "what follows", "reasons"].map(str::to_owned).to_vec();
            let row = |(number, step): (usize, &Step)| {
                (0, vec![(number + 1).to_string(), step.words.clone(), step.because.len().to_string()])
            };
            page.rows = steps.iter().enumerate().map(row).collect();
            page
        }
        NativeFinding::Moves { steps, end, frames_per_step: frames_per_row @ 1.. } => {
            let heading = match (*end, report.text.lines().nth(steps.len())) {
                // A single move is its own heading.
                ("step", _) => String::new(),
                ("solved", _) => format!("{title}: {} to the solution\n", count(steps.len(), "move", "moves")),
                (_, end) => format!("{title}: {}. {}\n", count(steps.len(), "move", "moves"), end.unwrap_or_default()),
            };
            let mut page = Page::of_steps(title, &(heading + &report.text));
            (page.frames_per_row, page.nouns) = (*frames_per_row, ["move", "moves"].map(str::to_owned));
            page.columns = ["", "next move"].map(str::to_owned).to_vec();
            let row = |(number, step): (usize, &Step)| (0, vec![(number + 1).to_string(), step.words.clone()]);
            page.rows = steps.iter().enumerate().map(row).collect();
            page
        }
        _ => Page::of_text(title, &report.text),
    };
    if let Some(picture) = picture {
        page.add(picture);
    }
    Some(page.html())
}

/// Renders the picture of a report, with its text as the caption if the picture has none.
pub fn native_picture(report: &NativeReport) -> Option<String> {
    let picture = report.page.as_ref()?.picture.as_ref()?;
    if picture.captions.is_empty() {
        return Some(Picture { captions: vec![report.text.trim_end().to_owned()], ..picture.clone() }.svg());
    }
    Some(picture.svg())
}

/// Renders a page without scripts: source lines with the blamed parts marked.
fn page(summary: &str, sections: &[Section<'_>], trees: &[DerivationTree], last: &str, sources: Sources<'_>) -> String {
    let mut html = String::from(PAGE);
    let (title, rest) = summary.split_once('\n').unwrap_or((summary, ""));
    let _ = writeln!(html, "<h1>{}</h1>", escaped(title));
    html.extend(rest.lines().map(|line| format!("<p>{}</p>\n", escaped(line))));
    for section in sections {
        if !section.heading.is_empty() {
            let _ = writeln!(html, "<h2>{}</h2>", escaped(&section.heading));
        }
        let mut places = labelled(&section.parts);
        places.retain(|place| sources.text_of(place).is_some());
        for window in excerpts(&places, |place| sources.text_of(place)) {
            let _ = write!(html, "<figure><figcaption>{}</figcaption><pre>", escaped(&window.places[0].file));
            let mut marked: Vec<(std::ops::Range<usize>, &Place)> =
                window.places.iter().map(|place| (window.range_of(place), *place)).collect();
            sorting::sort_by_key(&mut marked, |(range, _)| range.start);
            let mut at = 0;
            for (range, place) in marked.into_iter().filter(|(range, _)| !range.is_empty()) {
                if range.start < at {
                    continue;
                }
                let _ = write!(
                    html,
                    "{}<mark title=\"{}\">{}</mark>",
                    escaped(&window.text[at..range.start]),
                    escaped(&place.label),
                    escaped(&window.text[range.clone()])
                );
                at = range.end;
            }
            let _ = writeln!(html, "{}</pre></figure>\n<ul>", escaped(&window.text[at..]));
            for words in window.places.iter().flat_map(|place| place.label.lines()) {
                let _ = writeln!(html, "<li>{}</li>", escaped(words));
            }
            html += "</ul>\n";
        }
        for line in elsewhere(&section.parts, sources) {
            let _ = writeln!(html, "<p><code>{}</code></p>", escaped(&line));
        }
        let (title, lines) = section.describe_violated();
        let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
        if !title.is_empty() {
            let _ = write!(html, "<p>{}</p>\n<ul>\n{items}</ul>\n", escaped(&title));
        }
    }
    html.extend(trees.iter().map(tree));
    let _ = writeln!(html, "<p>{}</p>\n</body></html>", escaped(last));
    html
}

/// Renders a tree as nested `<details>` elements.
fn tree(derivation: &DerivationTree) -> String {
    let reason = format!("<small>{}</small>", escaped(&tree_reason(derivation)));
    let line = format!("{}{reason}", escaped(&derivation.words));
    let mut html = match derivation.needs() {
        [] => format!("<details><summary>{line}</summary></details>\n"),
        needs => {
            let below: String = needs.iter().map(tree).collect();
            format!("<details open><summary>{line}</summary>\n{below}</details>\n")
        }
    };
    html.extend(derivation.others.iter().map(tree));
    html
}
