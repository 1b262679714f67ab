//! The other end of the studio: a process that answers one request after another, a line each.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde_json::{Value, json};

use super::Studio;
use crate::cli::runner::{End, Limits, Runner};
use crate::cli::{Prepared, Run, args, input, output, prepare};
use crate::diagnostic::Failure;
use crate::document::Document;
use crate::ending::{Ending, Verdict};
use crate::puzzle::{Show, Task};
use crate::report::{Format, Scene, Slot, Style};
use crate::stop::Stop;
use crate::studio::{self, Answer, Ask, File, Request, Solved};
use crate::why::{Asks, Question};

/// What all answers have in common is looked for so long.
const COMMON: Duration = Duration::from_millis(300);
/// The smallest cause is looked for so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers until nobody asks any more.
pub fn work(args: &Studio) -> i32 {
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
        // Whoever asked is gone, and a run may go on for long.
        output::leave(0);
    });
    let desk = Arc::new(Desk::new(args));
    for line in requests {
        let (answer, is_last) = desk.answer(&line);
        let line = serde_json::to_string(&answer).unwrap_or_default();
        if writeln!(io::stdout().lock(), "{line}").and_then(|()| io::stdout().flush()).is_err() || is_last {
            break;
        }
    }
    0
}

/// What is the same for all requests.
struct Desk {
    args: args::Solve,
    limits: Limits,
    /// Options of puzzles, none of which is given.
    matches: ArgMatches,
    /// The same, asking for what answers have in common.
    in_common: [ArgMatches; 2],
}

impl Desk {
    fn new(args: &Studio) -> Self {
        let matches = |options: &[&str]| {
            let words = ["asp-solve", "-"].iter().chain(options);
            args::command().get_matches_from(words)
        };
        Desk {
            args: args.solve(),
            limits: args.limits(),
            matches: matches(&[]),
            in_common: ["--enum-mode=cautious", "--enum-mode=brave"].map(|option| matches(&[option])),
        }
    }

    /// The answer, and whether it is the last: a run that could not be ended goes on behind it.
    fn answer(self: &Arc<Self>, line: &str) -> (Answer, bool) {
        let began = Instant::now();
        let Request { id, files, ask } = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                return (
                    Answer { rest: json!({ "verdict": "error", "words": error.to_string() }), ..Answer::default() },
                    false,
                );
            }
        };
        let (desk, texts) = (self.clone(), Arc::new(Mutex::new(Vec::new())));
        let (read, asked) = (texts.clone(), ask.clone());
        let work = move |stop: &Stop| {
            let files = studio::documents(&files, included);
            let mut run = Run { args: desk.args.clone(), color_errors: false, documents: files.clone() };
            let prepared = prepare(&mut run, stop);
            *read.lock().unwrap_or_else(PoisonError::into_inner) = run.documents;
            let told = prepared.and_then(|prepared| match asked {
                Ask::Solve { models } => desk.solve(prepared, &files, models, stop),
                Ask::Why { about, fix } => {
                    let asks = about.map_or(Asks::Nothing, Asks::About);
                    why(prepared, Question { asks, fix, causes: 1, ..Question::default() }, stop)
                }
                Ask::Hint { .. } => {
                    why(prepared, Question { asks: Asks::Steps { all: false }, ..Question::default() }, stop)
                }
            });
            (told, stop.requested())
        };
        let gave_up = |words: &str| json!({ "verdict": "gave-up", "words": format!("Gave up: {words}.") });
        let (rest, messages, is_last) = match Runner::new(self.limits, false).run(work, || None) {
            End::Done((Ok((rest, warnings)), _)) => (rest, warnings, false),
            End::Done((Err(_), Some(reason))) => (gave_up(reason.words()), Vec::new(), false),
            End::Done((Err(Failure(errors)), None)) => (Value::Null, errors, false),
            End::Abandoned(reason) => (gave_up(reason.words()), Vec::new(), true),
            End::Failed(diagnostic) => (Value::Null, vec![diagnostic], true),
        };
        let texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
        let diagnostics = studio::diagnostics(&messages, |place| input::text_of(place, &texts));
        let rest = match (rest, &ask) {
            (Value::Null, Ask::Solve { .. }) => {
                json!(Solved {
                    verdict: "error",
                    words: messages.last().map_or_else(String::new, ToString::to_string),
                    ..Solved::default()
                })
            }
            (Value::Null, _) => {
                json!({ "verdict": "error", "text": messages.last().map_or_else(String::new, ToString::to_string) })
            }
            (rest, _) => rest,
        };
        (Answer { id, seconds: began.elapsed().as_secs_f64(), diagnostics, rest }, is_last)
    }

    /// The answers, and what they have in common.
    fn solve(&self, mut prepared: Prepared, files: &[Document], models: u64, stop: &Stop) -> Result<Told, Failure> {
        prepared.request.models = Some(models);
        prepared.request.show = Show::Answers;
        let (scene, ending) = self.scene(&prepared, &self.matches, stop)?;
        let is_own = |document: &&Document| !files.iter().any(|file| file.name == document.name);
        let encoding = prepared.request.encodings.iter().filter(is_own);
        let mut solved = Solved {
            puzzle: prepared.entry.about().name,
            verdict: ending.verdict.name(),
            words: scene.words,
            complete: ending.complete,
            answers: scene.answers.iter().map(studio::answer).collect(),
            board: scene.board.as_ref().map(studio::picture),
            encoding: encoding
                .map(|document| File { name: document.name.clone(), text: document.text.to_string() })
                .collect(),
            ..Solved::default()
        };
        let answers = &scene.answers;
        let are_atoms = answers.iter().any(|answer| !answer.atoms.is_empty());
        let are_weighed = answers.iter().any(|answer| !answer.costs.is_empty());
        if ending.complete && are_atoms {
            let (always, sometimes) = studio::compared(answers);
            (solved.always, solved.sometimes) = (Some(always), Some(sometimes));
        }
        // The answers on the way to the best one depend on the search, and so does what they have in common.
        if answers.len() > 1 && are_atoms && !are_weighed {
            self.compare(&mut prepared, &mut solved, stop);
        }
        Ok((json!(solved), ending.warnings))
    }

    /// Asks clingo what all answers have in common, and what some have, where that takes a moment.
    fn compare(&self, prepared: &mut Prepared, solved: &mut Solved, stop: &Stop) {
        prepared.request.models = Some(0);
        let soon = stop.by(Some(Instant::now() + COMMON));
        let [cautious, brave] = &self.in_common;
        let known = |matches| {
            let (scene, ending) = self.scene(prepared, matches, &soon.stop).ok()?;
            scene.answers.into_iter().next().filter(|_| ending.complete)
        };
        let Some(shared) = known(cautious) else { return };
        solved.shared = shared.picture.as_ref().map(studio::picture);
        if solved.always.is_none()
            && let Some(all) = known(brave)
        {
            solved.sometimes = Some(all.atoms.into_iter().filter(|atom| !shared.atoms.contains(atom)).collect());
        }
        solved.always = Some(shared.atoms);
    }

    fn scene(&self, prepared: &Prepared, matches: &ArgMatches, stop: &Stop) -> Result<(Scene, Ending), Failure> {
        let task = task(prepared, stop);
        let ending = crate::cli::engine(prepared.entry, matches, &task)?;
        let Some(report) = task.slot.report() else { return Ok((Scene::default(), ending)) };
        let scene = report.lock().unwrap_or_else(PoisonError::into_inner).scene(&ending)?;
        Ok((scene, ending))
    }
}

type Told = (Value, Vec<crate::diagnostic::Diagnostic>);

fn why(prepared: Prepared, question: Question, stop: &Stop) -> Result<Told, Failure> {
    let question = Question { format: Format::Json, deadline: Some(Instant::now() + PATIENCE), ..question };
    let told = prepared.entry.why(&task(&prepared, stop), &question)?;
    let verdict = told.verdict.unwrap_or(Verdict::Solved).name();
    Ok((json!({ "verdict": verdict, "text": told.text, "json": told.json }), told.warnings))
}

fn task(prepared: &Prepared, stop: &Stop) -> Task {
    let slot = Slot::new(Box::new(io::sink()), Format::Text, Style::default());
    let (documents, request) = (prepared.instance.clone(), prepared.request.clone());
    Task { documents, request, format: Format::Text, stop: stop.clone(), slot }
}

/// Where a file lies that a text includes: where clingo would find it.
fn included(file: &File, name: &str) -> Option<String> {
    let beside = Path::new(&file.name).parent()?.join(name);
    if Path::new(name).is_file() {
        return Some(name.to_owned());
    }
    beside.is_file().then(|| beside.to_string_lossy().into_owned())
}
