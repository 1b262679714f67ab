//! `asp-solve list -f html`: a page with the example of each puzzle, solved and drawn.

use std::ops::ControlFlow;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;
use picture::Picture;
use picture::page::{self, Card};
use puzzle::AnyPuzzle;
use puzzle::job::Show;

use super::args::List;
use super::groups::{ProgramArgs, PuzzleArgs};
use super::messages;
use super::open::open;
use super::puzzles::{groups, solving_command};
use super::request::{JobRequest, build_job};
use super::runner::{self, Limits, Runner, TaskEnd, TaskEvent};

/// The grace period of a drawing that is asked to stop.
const GRACE: Duration = Duration::from_millis(600);

/// A puzzle to draw, and the place of its card.
struct GalleryTask {
    entry: Arc<dyn AnyPuzzle>,
    section: usize,
    place: usize,
}

/// Solves the example of the puzzle `only`, or of each puzzle, prints the page and returns the exit
/// code.
pub fn gallery(only: Option<&Arc<dyn AnyPuzzle>>, args: &List) -> i32 {
    let is_shown = |entry: &Arc<dyn AnyPuzzle>| only.is_none_or(|only| only.name() == entry.name());
    let mut sections: Vec<(&str, Vec<Card>)> = Vec::new();
    let (sender, tasks) = mpsc::channel();
    for (heading, entries) in groups() {
        let shown = entries.iter().filter(|entry| is_shown(entry));
        let (entries, cards): (Vec<_>, Vec<Card>) = shown.map(|entry| (entry, card(&**entry))).unzip();
        for (place, entry) in entries.into_iter().enumerate() {
            let task = GalleryTask { entry: entry.clone(), section: sections.len(), place };
            sender.send(Arc::new(task)).expect("the receiver is below");
        }
        sections.push((heading, cards));
    }
    drop(sender);
    let all: usize = sections.iter().map(|(_, cards)| cards.len()).sum();
    let mut done = 0;
    let mut failure = Failure::default();
    let mut runner = Runner::new(Limits { time: None, memory: None, grace: GRACE }, true);
    let program = ProgramArgs { folder: args.folder.clone(), ..ProgramArgs::default() };
    let work = move |task: &GalleryTask, stop: &CancelToken| draw(&*task.entry, &program, stop);
    let stopped = runner.run_all(runner::threads(None), tasks, work, &mut |event| {
        if let TaskEvent::Ended(task, end) = event {
            done += 1;
            match end {
                TaskEnd::Done(Ok((picture, link))) => {
                    let card = &mut sections[task.section].1[task.place];
                    (card.picture, card.link) = (picture, link);
                }
                TaskEnd::Done(Err(error)) => failure.0.extend(error.0),
                TaskEnd::Failed(diagnostic) => failure.0.push(diagnostic),
                TaskEnd::Abandoned(_) => {}
            }
        }
        ControlFlow::Continue(Some(format!("{done} of {all}")))
    });
    if let Some(reason) = stopped {
        return messages::gave_up(reason);
    }
    args.output_args.print_messages(&failure.0, &[]);
    args.output_args
        .conclude(&page::gallery("Puzzles of asp-solve", &sections), || if failure.0.is_empty() { 0 } else { 2 })
}

/// Returns the card of a puzzle, without its picture.
fn card(entry: &dyn AnyPuzzle) -> Card {
    let about = entry.about();
    let example = entry.example();
    let source = about.more.iter().find(|(word, _)| *word == "source").map(|(_, lines)| lines.join(" "));
    Card {
        name: about.name.to_owned(),
        title: about.display_title().to_owned(),
        rules: about.rules().to_owned(),
        source: source.unwrap_or_default(),
        board: example.map_or("", |example| example.text).to_owned(),
        command: solving_command(entry).unwrap_or_default(),
        ..Card::default()
    }
}

/// Draws the solved example of a puzzle: the board of a game, the first answer of another puzzle.
/// Returns the picture as SVG and the address of the board, each empty if there is none.
fn draw(entry: &dyn AnyPuzzle, program: &ProgramArgs, stop: &CancelToken) -> Result<(String, String), Failure> {
    let Some(example) = entry.example() else { return Ok(Default::default()) };
    let request = JobRequest {
        choice: PuzzleArgs { puzzle: Some(entry.name().to_owned()), ..PuzzleArgs::default() },
        program: program.clone(),
        show: Show::Pictures,
        ..JobRequest::default()
    };
    let mut documents = vec![Document::in_memory(example.file_name, example.text)];
    let (_, mut job) = build_job(&request, &mut documents, stop)?;
    job.output.style = Style { on_page: true, ..Style::default() };
    let opened = open(entry, job)?;
    // Links contain only the clues, so a board with other signs has none.
    let link = opened.link().unwrap_or_default().unwrap_or_default();
    let (run, _) = opened.render()?;
    let picture = run.answers.into_iter().next().map_or(run.board, |answer| answer.picture);
    let still = |picture: Picture| Picture { captions: Vec::new(), ..picture.first_frame() };
    Ok((picture.map_or(String::new(), |picture| still(picture).svg()), link))
}
