//! A worker process of the studio, which answers one request after another, each with a line.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use asp::{Program, syntax};
use author::tests::{self, Suite};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::{CancelToken, Canceller, HookGuard, StopReason};
use explain::{ExplainQuery, QueryKind};
use parking_lot::Mutex;
use play::{Game, GameView};
use puzzle::Format;
use puzzle::job::{Job, OutputSettings, Show};
use puzzle::report::RenderedRun;
use puzzle::{AnyPuzzle, AnyRunResult, EnumMode, ProgramOptions};
use serde_json::{Value, json};
use studio::{File, Query, Request, Response, SolveResponse};

use super::super::open::open;
use crate::cli::args::Studio;
use crate::cli::memory::half_of_memory;
use crate::cli::request::{JobRequest, build_job};
use crate::cli::runner::{Limits, Runner, TaskEnd};
use crate::cli::{input, sources, subprocess};

/// Number of lanes, one for each kind of request: solving and play, explanations and tests, places
/// in pictures, counts, and pictures of the gallery.
pub const LANES: usize = 5;

/// Name of the example that is shown if no file was named; it is not on disk.
pub const UNNAMED: &str = "program.lp";

/// Time limit of computing the cautious and brave consequences.
const COMPARE_LIMIT: Duration = Duration::from_millis(300);
/// Time limit of a count.
const COUNT_LIMIT: Duration = Duration::from_secs(5);
/// Time limit of the search for the smallest cause.
const CAUSE_LIMIT: Duration = Duration::from_secs(2);

/// Time limit of a run, in seconds.
const TIME_LIMIT: f64 = 60.0;
/// Grace period for a run that was asked to stop.
const GRACE: Duration = Duration::from_millis(200);

/// Answers requests until the input ends.
#[cfg(not(target_family = "wasm"))]
pub fn work(args: &Studio) -> i32 {
    let requests = subprocess::requests();
    let handler = Arc::new(RequestHandler::new(args));
    for line in requests {
        if handler.respond(&line).is_break() {
            break;
        }
    }
    0
}

/// Answers the line of standard input whenever the page asks for it.
#[cfg(target_family = "wasm")]
pub fn work(args: &Studio) -> i32 {
    let handler = Arc::new(RequestHandler::new(args));
    asp::wasm::serve(move || {
        let _ = std::io::stdin().lines().map_while(Result::ok).try_for_each(|line| handler.respond(&line));
    });
    0
}

impl Studio {
    fn request(&self) -> JobRequest {
        let (choice, program) = (self.choice.clone(), self.program.clone());
        JobRequest { choice, program, memory: self.memory, ..JobRequest::default() }
    }

    fn limits(&self) -> Limits {
        // All lanes run at the same time.
        let default = || half_of_memory() / LANES as u64;
        let memory = self.memory.bytes().unwrap_or_else(default);
        Limits {
            time: Some(Duration::from_secs_f64(self.time_limit.unwrap_or(TIME_LIMIT))),
            memory: Some(memory),
            grace: GRACE,
        }
    }
}

/// State shared by all requests.
struct RequestHandler {
    request: JobRequest,
    /// The names of the files that the command line names.
    names: Vec<String>,
    limits: Limits,
    include_guard: IncludeGuard,
    game_slot: Mutex<Option<ActiveGame>>,
}

impl RequestHandler {
    fn new(args: &Studio) -> Self {
        RequestHandler {
            request: args.request(),
            names: args.files.iter().map(|file| file.display().to_string()).collect(),
            limits: args.limits(),
            include_guard: IncludeGuard::new(args),
            game_slot: Mutex::default(),
        }
    }

    /// Writes the answer to a request. Breaks if this process can answer no further requests.
    fn respond(self: &Arc<Self>, line: &str) -> ControlFlow<()> {
        let (answer, is_last) = self.answer(line);
        let written = subprocess::respond(serde_json::to_string(&answer).unwrap_or_default());
        if written.is_err() || is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns the answer, and true if this process must exit because an abandoned run still uses
    /// it.
    fn answer(self: &Arc<Self>, line: &str) -> (Response, bool) {
        let began = Instant::now();
        let Ok(Request { id, files, ask }) = serde_json::from_str(line) else {
            // The server parses requests before it forwards them.
            return (Response::default(), true);
        };
        let is_solving = matches!(ask, Query::Solve { .. });
        let nothing = |verdict: &'static str, words: String| {
            if is_solving {
                json!(SolveResponse { verdict, words, ..SolveResponse::default() })
            } else {
                json!({ "verdict": verdict, "words": words, "text": words })
            }
        };
        let gave_up = |reason: StopReason| nothing("gave-up", format!("Gave up: {}.", reason.words()));
        let failed =
            |errors: &[Diagnostic]| nothing("error", errors.last().map_or_else(String::new, ToString::to_string));
        let handler = self.clone();
        let work = move |stop: &CancelToken| {
            let mut texts = Vec::new();
            let result = handler.handle(ask, files, &mut texts, stop);
            (result, texts, stop.requested())
        };
        let (rest, messages, texts, is_last) = match Runner::new(self.limits, false).run(work, || None) {
            TaskEnd::Done((Ok((rest, warnings)), texts, _)) => (rest, warnings, texts, false),
            TaskEnd::Done((Err(_), _, Some(reason))) => (gave_up(reason), Vec::new(), Vec::new(), false),
            TaskEnd::Done((Err(Failure(errors)), texts, None)) => (failed(&errors), errors, texts, false),
            TaskEnd::Abandoned(reason) => (gave_up(reason), Vec::new(), Vec::new(), true),
            TaskEnd::Failed(error) => (failed(std::slice::from_ref(&error)), vec![error], Vec::new(), true),
        };
        let diagnostics = studio::diagnostics(&messages, |place| sources::source_text(place, &texts));
        (Response { id, seconds: began.elapsed().as_secs_f64(), diagnostics, rest }, is_last)
    }

    /// Handles a request. Adds the texts that were read to `read`, for messages.
    fn handle(
        &self,
        ask: Query,
        files: Vec<File>,
        read: &mut Vec<Document>,
        stop: &CancelToken,
    ) -> Result<Reply, Failure> {
        match ask {
            Query::Play { moves, asks } => {
                Ok((self.evaluate_moves(&moves, &asks, files, read, stop)?.json(), Vec::new()))
            }
            Query::Places {} => {
                let evaluated = self.evaluate_moves(&[], "nothing", files, read, stop)?;
                let places = evaluated.places.iter().filter(|place| !place.atoms.is_empty()).map(play::Place::json);
                Ok((json!({ "places": places.collect::<Vec<_>>() }), Vec::new()))
            }
            Query::Tests {} => self.tests(&files, read, stop),
            Query::Picture {} => {
                let mut game = ActiveGame::new(self.prepare(&files, read, stop)?, files, stop)?;
                let picture = game.evaluate(&[], "nothing", stop)?.picture;
                Ok((json!({ "svg": picture.map(|picture| picture.svg()) }), Vec::new()))
            }
            Query::Solve { models } => self.solve(self.prepare(&files, read, stop)?, &files, models, stop),
            Query::Count {} => count(self.prepare(&files, read, stop)?, stop),
            Query::Why { about, fix } => {
                let asks = about.map_or(QueryKind::NoAnswer, QueryKind::About);
                let question = ExplainQuery { kind: asks, fix, causes: 1, ..ExplainQuery::default() };
                why(self.prepare(&files, read, stop)?, question, read)
            }
            Query::Hint {} => {
                let question = ExplainQuery { kind: QueryKind::Steps { all: false }, ..ExplainQuery::default() };
                why(self.prepare(&files, read, stop)?, question, read)
            }
        }
    }

    /// Evaluates the moves on the board in play, and keeps the game for the next request.
    fn evaluate_moves(
        &self,
        moves: &[String],
        asks: &str,
        files: Vec<File>,
        read: &mut Vec<Document>,
        stop: &CancelToken,
    ) -> Result<GameView, Failure> {
        let mut game_slot = self.game_slot.lock();
        if game_slot
            .as_ref()
            .is_none_or(|game_slot| game_slot.files != files || game_slot.stop.token().requested().is_some())
        {
            *game_slot = Some(ActiveGame::new(self.prepare(&files, read, stop)?, files, stop)?);
        }
        let evaluated = game_slot.as_mut().expect("there is one by now").evaluate(moves, asks, stop)?;
        evaluated.picture.as_ref().map_or(Ok(()), studio::check_drawable)?;
        Ok(evaluated)
    }

    fn documents(&self, files: &[File]) -> Result<Vec<Document>, Failure> {
        let documents = studio::documents(files, |file, name| self.include_guard.find(&file.name, name))?;
        files.iter().try_for_each(|file| self.include_guard.check_hidden(&file.name, &file.text))?;
        Ok(documents)
    }

    /// Runs the tests of each text that has some, with the files that it includes.
    fn tests(&self, files: &[File], read: &mut Vec<Document>, stop: &CancelToken) -> Result<Reply, Failure> {
        let text = |file: &File| Document::from_bytes(file.name.clone(), None, file.text.clone().into_bytes());
        let texts: Vec<Document> = files.iter().map(text).collect();
        read.clone_from(&texts);
        let settings = self.request.program.settings();
        files.iter().try_for_each(|file| self.include_guard.check_hidden(&file.name, &file.text))?;
        let mut reports = Vec::new();
        let mut warnings = Vec::new();
        let mut passed = 0;
        let mut failed = 0;
        for tested in texts.iter().filter(|text| tests::may_have_tests(text)) {
            let mut all = vec![tested.clone()];
            input::add_included(&mut all, |document, file, place, all| {
                let on_page = studio::included(files, &document.name, file).map(|file| Ok(file.name.clone()));
                let path =
                    on_page.unwrap_or_else(|| self.include_guard.find(&document.name, file)).map_err(|words| {
                        Diagnostic::error(Code::MissingInclude, format!("#include \"{file}\": {words}")).at(Some(place))
                    })?;
                if all.iter().any(|document| document.name == path) {
                    return Ok(None);
                }
                let page_text = texts.iter().find(|text| text.name == path).cloned();
                page_text.map_or_else(|| input::read(Path::new(&path), stop), Ok).map(Some)
            })?;
            all.extend(input::companions(&all, self.request.program.folder.path(), stop)?);
            read.extend(all.iter().cloned());
            let suite = Suite::of(&Program::of(all))?;
            warnings.extend(suite.lints(&settings));
            for (number, test) in suite.tests().iter().enumerate() {
                let outcome = suite.run(number, &settings, stop)?;
                passed += usize::from(outcome.verdict == tests::TestVerdict::Passed);
                failed += usize::from(outcome.verdict == tests::TestVerdict::Failed);
                reports.push(outcome.json(test));
            }
        }
        Ok((json!({ "json": { "passed": passed, "failed": failed, "tests": reports } }), warnings))
    }

    fn prepare(&self, files: &[File], read: &mut Vec<Document>, stop: &CancelToken) -> Result<PreparedJob, Failure> {
        let documents = self.documents(files);
        // Errors are shown in the text, whether or not all texts could be read.
        *read = files.iter().map(|file| Document::in_memory(&*file.name, &*file.text)).collect();
        *read = documents?;
        // Examples and new programs have no chosen puzzle or encoding.
        let is_named = |file: &File| file.name == UNNAMED || self.names.contains(&file.name);
        let choice = if files.iter().all(is_named) { self.request.choice.clone() } else { Default::default() };
        let request = JobRequest { choice, ..self.request.clone() };
        let (entry, mut job) = build_job(&request, read, stop)?;
        job.output = OutputSettings { format: Format::Text, show: Show::Answers, ..job.output };
        job.output.style.on_page = true;
        Ok((entry, job))
    }

    /// Returns the answers, the atoms that all of them contain, and the atoms that only some
    /// contain.
    fn solve(
        &self,
        (entry, job): PreparedJob,
        files: &[File],
        models: u64,
        stop: &CancelToken,
    ) -> Result<Reply, Failure> {
        // A change of a clue is the most frequent one.
        let job = Job { shares_ground_program: true, ..job.models(models) };
        let (scene, mut ending) = scene(&*entry, job.clone())?;
        let mut pictures = scene.board.iter().chain(scene.answers.iter().filter_map(|answer| answer.picture.as_ref()));
        let playable = pictures.clone().next().is_some();
        ending.warnings.extend(pictures.find_map(|picture| studio::check_drawable(picture).err()));
        let is_not_in_page = |document: &&Document| !files.iter().any(|file| file.name == document.name);
        let encoding = job.sources.encodings.iter().filter(is_not_in_page);
        let mut solved = SolveResponse {
            puzzle: entry.name().to_owned(),
            verdict: ending.verdict().name(),
            words: scene.words,
            complete: ending.complete(),
            answers: scene.answers.iter().map(studio::answer).collect(),
            board: studio::picture(scene.board.as_ref()),
            encoding: encoding
                .map(|document| File { name: document.name.clone(), text: document.text.to_string() })
                .collect(),
            playable,
            ..SolveResponse::default()
        };
        let answers = &scene.answers;
        let are_atoms = answers.iter().any(|answer| !answer.atoms.is_empty());
        let are_weighed = answers.iter().any(|answer| !answer.costs.is_empty());
        if ending.complete() && are_atoms {
            let (always, sometimes) = studio::compare_answers(answers);
            (solved.always, solved.sometimes) = (Some(always), Some(sometimes));
        }
        // The improving answers of an optimisation depend on the search, and so would their common
        // atoms.
        if answers.len() > 1 && are_atoms && !are_weighed && entry.about().is_any_program() {
            compare((entry, job), &mut solved, stop);
        }
        Ok((json!(solved), ending.warnings))
    }
}

/// Counts the answers, or finds bounds of their number.
fn count((entry, job): PreparedJob, stop: &CancelToken) -> Result<Reply, Failure> {
    let limited = stop.child_until(Some(Instant::now() + COUNT_LIMIT));
    let board = entry.open(job.cancel_token(limited.token.clone()))?;
    let counted = board.count()?;
    let exact = counted.exact().map(ToString::to_string);
    let bounds = (counted.count.at_least.to_string(), counted.count.at_most.to_string());
    let words = crate::cli::count::summary(&board.header(), &counted);
    let verdict = counted.verdict().name();
    let reply = json!({
        "verdict": verdict,
        "words": words,
        "count": exact,
        "at_least": bounds.0,
        "at_most": bounds.1,
        "costs": counted.costs,
    });
    Ok((reply, counted.warnings))
}

/// Computes cautious and brave consequences with clingo, if that is quick.
fn compare((entry, job): PreparedJob, solved: &mut SolveResponse, stop: &CancelToken) {
    let limited = stop.child_until(Some(Instant::now() + COMPARE_LIMIT));
    let consequences = |mode| {
        let options = ProgramOptions::with_enum_mode(mode);
        let job = job.clone().models(0).puzzle_options(options).cancel_token(limited.token.clone());
        let (scene, ending) = scene(&*entry, job).ok()?;
        scene.answers.into_iter().next().filter(|_| ending.complete())
    };
    let Some(cautious_answer) = consequences(EnumMode::Cautious) else { return };
    let drawn = studio::picture(cautious_answer.picture.as_ref());
    solved.shared = drawn.map(|picture| json!({ "picture": picture, "places": [] }));
    if solved.always.is_none()
        && let Some(all) = consequences(EnumMode::Brave)
    {
        solved.sometimes = Some(all.atoms.into_iter().filter(|atom| !cautious_answer.atoms.contains(atom)).collect());
    }
    solved.always = Some(cautious_answer.atoms);
}

/// Returns the answers as values. A failure after a request to stop counts as caused by it.
fn scene(entry: &dyn AnyPuzzle, job: Job) -> Result<(RenderedRun, AnyRunResult), Failure> {
    let stop = job.stop.clone();
    open(entry, job).and_then(|board| board.render()).or_else(|failure| {
        stop.requested().map(|reason| (RenderedRun::default(), AnyRunResult::gave_up(reason))).ok_or(failure)
    })
}

/// A puzzle and its job.
type PreparedJob = (Arc<dyn AnyPuzzle>, Job);

type Reply = (Value, Vec<Diagnostic>);

fn why((entry, job): PreparedJob, question: ExplainQuery, read: &[Document]) -> Result<Reply, Failure> {
    let question = ExplainQuery { deadline: Some(Instant::now() + CAUSE_LIMIT), ..question };
    let explanation = open(&*entry, job)?.why(&question)?;
    let verdict = explanation.verdict.name();
    let lists = studio::lists(&explanation.lists(), |place| sources::source_text(place, read));
    Ok((
        json!({ "verdict": verdict, "text": explanation.styled_text(&question.style), "json": explanation.json(), "lists": lists }),
        explanation.warnings,
    ))
}

/// The files that a text may include: files of the page, and files below the folders of these and
/// of encodings. The page must not be able to read any other file.
struct IncludeGuard {
    named: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl IncludeGuard {
    fn new(args: &Studio) -> Self {
        let parent = |file: &PathBuf| Some(file.parent()?.to_owned());
        let folders = args.files.iter().chain(&args.choice.encoding).filter_map(parent);
        let encoding_folders = input::folders(args.program.folder.path()).unwrap_or_default();
        let or_current = |folder: PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let allowed =
            folders.chain(encoding_folders).filter_map(|folder| or_current(folder).canonicalize().ok()).collect();
        IncludeGuard { named: args.files.clone(), folders: allowed }
    }

    /// Resolves an included file as clingo does, and returns the name that it has in the page, if
    /// any.
    fn find(&self, includer: &str, name: &str) -> Result<String, String> {
        self.resolve(includer, name, &mut BTreeSet::new())
    }

    /// Rejects a text that might include a file elsewhere: in a comment, in a script, or after a
    /// syntax error, where clingo may parse differently.
    fn check_hidden(&self, includer: &str, text: &str) -> Result<(), Failure> {
        self.check_text(includer, text, &mut BTreeSet::new()).map_err(|(name, words)| {
            let place = text.find(&name).map(|at| Place::of_range(includer, text, at..at + name.len()));
            Diagnostic::error(Code::MissingInclude, format!("#include \"{name}\": {words}")).at(place).into()
        })
    }

    /// Checks each file that a text might include. The error is the name of an existing file, and
    /// the reason why it is rejected.
    fn check_text(&self, includer: &str, text: &str, visited: &mut BTreeSet<PathBuf>) -> Result<(), (String, String)> {
        let exists = |name: &String| studio::candidate_paths(includer, name).iter().any(|place| place.exists());
        syntax::possible_includes(text)
            .filter(exists)
            .try_for_each(|name| self.resolve(includer, &name, visited).map(drop).map_err(|words| (name, words)))
    }

    /// Checks the files that a file includes, which clingo reads too.
    fn check_file(&self, path: &Path, visited: &mut BTreeSet<PathBuf>) -> Result<(), String> {
        if !visited.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned())) {
            return Ok(());
        }
        let document = input::read(path, &CancelToken::new()).map_err(|failure| failure.to_string())?;
        let wrong = |(name, words)| format!("it includes \"{name}\": {words}");
        self.check_text(&document.name, &document.text, visited).map_err(wrong)?;
        syntax::includes(&document.text).into_iter().filter_map(|(_, name)| name).try_for_each(|name| {
            self.resolve(&document.name, &name, visited).map(drop).map_err(|words| wrong((name, words)))
        })
    }

    fn resolve(&self, includer: &str, name: &str, visited: &mut BTreeSet<PathBuf>) -> Result<String, String> {
        let paths = studio::candidate_paths(includer, name);
        let is_same_file = |one: &Path, other: &Path| {
            one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
        };
        if let Some(named) = self.named.iter().find(|named| paths.iter().any(|path| is_same_file(named, path))) {
            return Ok(named.display().to_string());
        }
        let path = paths.into_iter().find(|path| path.is_file()).ok_or("no such file")?;
        let is_below = path.canonicalize().is_ok_and(|path| self.folders.iter().any(|folder| path.starts_with(folder)));
        if is_below {
            self.check_file(&path, visited).map(|()| path.to_string_lossy().into_owned())
        } else {
            Err("the studio reads files below the folders of its own files and of encodings alone".to_owned())
        }
    }
}

/// A game in progress, which is reused for the next move.
struct ActiveGame {
    files: Vec<File>,
    game: Box<dyn Game>,
    stop: Canceller,
}

impl ActiveGame {
    fn new((entry, job): PreparedJob, files: Vec<File>, stop: &CancelToken) -> Result<Self, Failure> {
        let canceller = Canceller::new();
        let hook = forward_cancellation(&canceller, stop);
        let game = open(&*entry, Job { stop: canceller.token(), ..job })?.game()?;
        drop(hook);
        Ok(ActiveGame { files, game, stop: canceller })
    }

    /// Evaluates the board; `stop` cancels only this request.
    fn evaluate(&mut self, moves: &[String], asks: &str, stop: &CancelToken) -> Result<GameView, Failure> {
        let asks = play::PlayQuery::by_name(if asks.is_empty() { "nothing" } else { asks });
        let asks =
            asks.ok_or_else(|| Diagnostic::error(Code::Usage, "asks: expected nothing, mistake, hint or distance"))?;
        let _hook = forward_cancellation(&self.stop, stop);
        self.game.view_after(moves, asks)
    }
}

/// Forwards cancellation from `stop` to `canceller`.
fn forward_cancellation(canceller: &Canceller, stop: &CancelToken) -> HookGuard {
    let (canceller, token) = (canceller.clone(), stop.clone());
    stop.on_request(move || canceller.request(token.requested().unwrap_or(StopReason::Interrupted)))
}
