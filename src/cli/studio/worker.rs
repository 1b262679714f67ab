//! The other end of the studio: a process that answers one request after another, a line each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde_json::{Value, json};

use super::Studio;
use crate::asp::{Program, syntax};
use crate::author::tests::{self, Suite};
use crate::cli::runner::{End, Limits, Runner};
use crate::cli::{args, asked, child, input};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::ending::Verdict;
use crate::job::{Job, Show};
use crate::played::{self, Game, Played};
use crate::puzzle::report::Scene;
use crate::puzzle::{Conclusion, Entry};
use crate::report::{Format, Style};
use crate::stop::{Canceller, Hooked, Reason, Stop};
use crate::studio::{self, Answer, Ask, File, Request, Solved};
use crate::why::{Asks, Question};

/// What all answers have in common is looked for so long.
const COMMON: Duration = Duration::from_millis(300);
/// The smallest cause is looked for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers requests until the input ends.
pub fn work(args: &Studio) -> i32 {
    let requests = child::questions();
    let desk = Arc::new(Desk::new(args));
    for line in requests {
        let (answer, is_last) = desk.answer(&line);
        if child::answer(serde_json::to_string(&answer).unwrap_or_default()).is_err() || is_last {
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
    folders: Folders,
    kept: Mutex<Option<Kept>>,
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
            folders: Folders::new(args),
            kept: Mutex::default(),
        }
    }

    /// The answer, and whether it is the last: a run that could not be ended goes on behind it.
    fn answer(self: &Arc<Self>, line: &str) -> (Answer, bool) {
        let began = Instant::now();
        let Ok(Request { id, files, ask }) = serde_json::from_str(line) else {
            // The server reads requests before it hands them on.
            return (Answer::default(), true);
        };
        let is_solving = matches!(ask, Ask::Solve { .. });
        let nothing = |verdict: &'static str, words: String| match is_solving {
            true => json!(Solved { verdict, words, ..Solved::default() }),
            false => json!({ "verdict": verdict, "words": words, "text": words }),
        };
        let gave_up = |reason: Reason| nothing("gave-up", format!("Gave up: {}.", reason.words()));
        let failed =
            |errors: &[Diagnostic]| nothing("error", errors.last().map_or_else(String::new, ToString::to_string));
        let desk = self.clone();
        let work = move |stop: &Stop| {
            let mut texts = Vec::new();
            let told = desk.told(ask, files, &mut texts, stop);
            (told, texts, stop.requested())
        };
        let (rest, messages, texts, is_last) = match Runner::new(self.limits, false).run(work, || None) {
            End::Done((Ok((rest, warnings)), texts, _)) => (rest, warnings, texts, false),
            End::Done((Err(_), _, Some(reason))) => (gave_up(reason), Vec::new(), Vec::new(), false),
            End::Done((Err(Failure(errors)), texts, None)) => (failed(&errors), errors, texts, false),
            End::Abandoned(reason) => (gave_up(reason), Vec::new(), Vec::new(), true),
            End::Failed(error) => (failed(std::slice::from_ref(&error)), vec![error], Vec::new(), true),
        };
        let diagnostics = studio::diagnostics(&messages, |place| input::text_of(place, &texts));
        (Answer { id, seconds: began.elapsed().as_secs_f64(), diagnostics, rest }, is_last)
    }

    /// `read` are the texts that were read, for messages.
    fn told(&self, ask: Ask, files: Vec<File>, read: &mut Vec<Document>, stop: &Stop) -> Result<Told, Failure> {
        match ask {
            Ask::Play { moves, asks } => Ok((self.look(&moves, &asks, files, read, stop)?.json(), Vec::new())),
            Ask::Places {} => {
                let played = self.look(&[], "nothing", files, read, stop)?;
                let places = played.places.iter().filter(|place| !place.atoms.is_empty()).map(played::Place::json);
                Ok((json!({ "places": places.collect::<Vec<_>>() }), Vec::new()))
            }
            Ask::Tests {} => self.tests(&files, read, stop),
            Ask::Solve { models } => self.solve(self.prepared(&files, read, stop)?, &files, models, stop),
            Ask::Why { about, fix } => {
                let asks = about.map_or(Asks::Nothing, Asks::About);
                let question = Question { asks, fix, causes: 1, ..Question::default() };
                why(self.prepared(&files, read, stop)?, question, read)
            }
            Ask::Hint {} => {
                let question = Question { asks: Asks::Steps { all: false }, ..Question::default() };
                why(self.prepared(&files, read, stop)?, question, read)
            }
        }
    }

    /// A look at the board in play, which is kept for the next one.
    fn look(
        &self,
        moves: &[String],
        asks: &str,
        files: Vec<File>,
        read: &mut Vec<Document>,
        stop: &Stop,
    ) -> Result<Played, Failure> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|kept| kept.files != files || kept.stop.token().requested().is_some()) {
            *kept = Some(Kept::new(self.prepared(&files, read, stop)?, files, stop)?);
        }
        let played = kept.as_mut().expect("there is one by now").look(moves, asks, stop)?;
        played.picture.as_ref().map_or(Ok(()), studio::drawable)?;
        Ok(played)
    }

    fn documents(&self, files: &[File]) -> Result<Vec<Document>, Failure> {
        let documents = studio::documents(files, |file, name| self.folders.find(&file.name, name))?;
        files.iter().try_for_each(|file| self.folders.check_hidden(&file.name, &file.text))?;
        Ok(documents)
    }

    /// The tests of each text that has some, with what it includes, one after the other.
    fn tests(&self, files: &[File], read: &mut Vec<Document>, stop: &Stop) -> Result<Told, Failure> {
        let text = |file: &File| Document::from_bytes(file.name.clone(), None, file.text.clone().into_bytes());
        let texts: Vec<Document> = files.iter().map(text).collect();
        read.clone_from(&texts);
        let settings = self.args.program.settings();
        files.iter().try_for_each(|file| self.folders.check_hidden(&file.name, &file.text))?;
        let (mut told, mut warnings, mut passed, mut failed) = (Vec::new(), Vec::new(), 0, 0);
        for tested in texts.iter().filter(|text| tests::may_have_tests(text)) {
            let mut all = vec![tested.clone()];
            input::included(&mut all, |document, file, place, all| {
                let path = self
                    .folders
                    .find(&document.name, file)
                    .map_err(|words| Diagnostic::error(format!("#include \"{file}\": {words}")).at(Some(place)))?;
                if all.iter().any(|known| known.name == path) {
                    return Ok(None);
                }
                let here = texts.iter().find(|text| text.name == path).cloned();
                here.map_or_else(|| input::read(Path::new(&path), stop), Ok).map(Some)
            })?;
            all.extend(input::companions(&all, self.args.program.folder.path(), stop)?);
            read.extend(all.iter().cloned());
            let suite = Suite::of(&Program::of(all))?;
            warnings.extend(suite.lints(&settings));
            for (number, test) in suite.tests().iter().enumerate() {
                let outcome = suite.run(number, &settings, stop)?;
                passed += usize::from(outcome.verdict == tests::Verdict::Passed);
                failed += usize::from(outcome.verdict == tests::Verdict::Failed);
                told.push(outcome.json(test));
            }
        }
        Ok((json!({ "json": { "passed": passed, "failed": failed, "tests": told } }), warnings))
    }

    fn prepared(&self, files: &[File], read: &mut Vec<Document>, stop: &Stop) -> Result<Asked, Failure> {
        let documents = self.documents(files);
        // What is wrong with a text is shown in it, read or not.
        *read = files.iter().map(|file| Document::in_memory(&*file.name, &*file.text)).collect();
        *read = documents?;
        let (entry, job) = asked(&self.args, read, stop)?;
        let style = Style { on_page: true, ..job.style };
        Ok((entry, Job { format: Format::Text, show: Show::Answers, style, ..job }))
    }

    /// The answers, and what they have in common.
    fn solve(&self, (entry, job): Asked, files: &[File], models: u64, stop: &Stop) -> Result<Told, Failure> {
        let job = Job { models: Some(models), ..job };
        let (scene, mut ending) = scene(entry, job.clone(), &self.matches)?;
        let mut pictures = scene.board.iter().chain(scene.answers.iter().filter_map(|answer| answer.picture.as_ref()));
        let playable = pictures.clone().next().is_some();
        ending.warnings.extend(pictures.find_map(|picture| studio::drawable(picture).err()));
        let is_own = |document: &&Document| !files.iter().any(|file| file.name == document.name);
        let encoding = job.encodings.iter().filter(is_own);
        let mut solved = Solved {
            puzzle: entry.about().name,
            verdict: ending.verdict().name(),
            words: scene.words,
            complete: ending.complete(),
            answers: scene.answers.iter().map(studio::answer).collect(),
            board: studio::picture(scene.board.as_ref()),
            encoding: encoding
                .map(|document| File { name: document.name.clone(), text: document.text.to_string() })
                .collect(),
            playable,
            ..Solved::default()
        };
        let answers = &scene.answers;
        let are_atoms = answers.iter().any(|answer| !answer.atoms.is_empty());
        let are_weighed = answers.iter().any(|answer| !answer.costs.is_empty());
        if ending.complete() && are_atoms {
            let (always, sometimes) = studio::compared(answers);
            (solved.always, solved.sometimes) = (Some(always), Some(sometimes));
        }
        // The answers on the way to the best one depend on the search, and so does what they have in common.
        if answers.len() > 1 && are_atoms && !are_weighed {
            self.compare((entry, job), &mut solved, stop);
        }
        Ok((json!(solved), ending.warnings))
    }

    /// Asks clingo what all answers have in common, and what some have, where that takes a moment.
    fn compare(&self, (entry, job): Asked, solved: &mut Solved, stop: &Stop) {
        let soon = stop.by(Some(Instant::now() + COMMON));
        let [cautious, brave] = &self.in_common;
        let known = |matches| {
            let job = Job { models: Some(0), stop: soon.stop.clone(), ..job.clone() };
            let (scene, ending) = scene(entry, job, matches).ok()?;
            scene.answers.into_iter().next().filter(|_| ending.complete())
        };
        let Some(shared) = known(cautious) else { return };
        let drawn = studio::picture(shared.picture.as_ref());
        solved.shared = drawn.map(|picture| json!({ "picture": picture, "places": [] }));
        if solved.always.is_none()
            && let Some(all) = known(brave)
        {
            solved.sometimes = Some(all.atoms.into_iter().filter(|atom| !shared.atoms.contains(atom)).collect());
        }
        solved.always = Some(shared.atoms);
    }
}

/// The answers as values. Whatever fails while stopping fails because of it.
fn scene(entry: &dyn Entry, mut job: Job, matches: &ArgMatches) -> Result<(Scene, Conclusion), Failure> {
    entry.read(matches, &mut job.options)?;
    let stop = job.stop.clone();
    entry.open(job).and_then(|board| board.scene()).or_else(|failure| {
        stop.requested().map(|reason| (Scene::default(), Conclusion::gave_up(reason))).ok_or(failure)
    })
}

/// A puzzle, and what is to be done with it.
type Asked = (&'static dyn Entry, Job);

type Told = (Value, Vec<Diagnostic>);

fn why((entry, job): Asked, question: Question, read: &[Document]) -> Result<Told, Failure> {
    let question = Question { format: Format::Json, deadline: Some(Instant::now() + PATIENCE), ..question };
    let told = entry.open(job)?.why(&question)?;
    let verdict = told.verdict.unwrap_or(Verdict::Solved).name();
    let lists = studio::lists(&told.lists, |place| input::text_of(place, read));
    Ok((json!({ "verdict": verdict, "text": told.text, "json": told.json, "lists": lists }), told.warnings))
}

/// What a text may include: files of the page, and those below the folders of these and of encodings. The page must not become
/// a way to read any other file.
struct Folders {
    named: Vec<PathBuf>,
    below: Vec<PathBuf>,
}

impl Folders {
    fn new(args: &Studio) -> Self {
        let beside = |file: &PathBuf| Some(file.parent()?.to_owned());
        let folders = args.files.iter().chain(&args.choice.encoding).filter_map(beside);
        let of_encodings = input::folders(args.program.folder.path()).unwrap_or_default();
        let whole = |folder: PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let below = folders.chain(of_encodings).filter_map(|folder| whole(folder).canonicalize().ok()).collect();
        Folders { named: args.files.clone(), below }
    }

    /// Where a file lies that a text includes: where clingo would find it, under the name that it has in the page, if it has one.
    fn find(&self, includer: &str, name: &str) -> Result<String, String> {
        self.find_unseen(includer, name, &mut BTreeSet::new())
    }

    /// Refuses a text that may include another file elsewhere: in a comment, in a script, or behind an error, where clingo may read
    /// on in another way.
    fn check_hidden(&self, includer: &str, text: &str) -> Result<(), Failure> {
        self.check_possible(includer, text, &mut BTreeSet::new()).map_err(|(name, words)| {
            let place = text.find(&name).map(|at| Place::of_range(includer, text, at..at + name.len()));
            Diagnostic::error(format!("#include \"{name}\": {words}")).at(place).into()
        })
    }

    /// The error is the name of a file that exists, and what is wrong with it.
    fn check_possible(&self, includer: &str, text: &str, seen: &mut BTreeSet<PathBuf>) -> Result<(), (String, String)> {
        let exists = |name: &String| Folders::places(includer, name).iter().any(|place| place.exists());
        syntax::possible_includes(text)
            .filter(exists)
            .try_for_each(|name| self.find_unseen(includer, &name, seen).map(drop).map_err(|words| (name, words)))
    }

    /// Where clingo looks for a file: here, and beside the file that includes it.
    fn places(includer: &str, name: &str) -> [PathBuf; 2] {
        let beside = Path::new(includer).parent().unwrap_or(Path::new("")).join(name);
        [PathBuf::from(name), beside]
    }

    /// What a file includes in its turn is read by clingo, and is held to the same.
    fn check_inside(&self, path: &Path, seen: &mut BTreeSet<PathBuf>) -> Result<(), String> {
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned())) {
            return Ok(());
        }
        let document = input::read(path, &Stop::new()).map_err(|failure| failure.to_string())?;
        let wrong = |(name, words)| format!("it includes \"{name}\": {words}");
        self.check_possible(&document.name, &document.text, seen).map_err(wrong)?;
        syntax::includes(&document.text).into_iter().filter_map(|(_, name)| name).try_for_each(|name| {
            self.find_unseen(&document.name, &name, seen).map(drop).map_err(|words| wrong((name, words)))
        })
    }

    fn find_unseen(&self, includer: &str, name: &str, seen: &mut BTreeSet<PathBuf>) -> Result<String, String> {
        let places = Folders::places(includer, name);
        let is_same = |one: &Path, other: &Path| {
            one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
        };
        if let Some(named) = self.named.iter().find(|named| places.iter().any(|place| is_same(named, place))) {
            return Ok(named.display().to_string());
        }
        let path = places.into_iter().find(|path| path.is_file()).ok_or("no such file")?;
        let is_below = path.canonicalize().is_ok_and(|path| self.below.iter().any(|folder| path.starts_with(folder)));
        match is_below {
            true => self.check_inside(&path, seen).map(|()| path.to_string_lossy().into_owned()),
            false => Err("the studio reads files below the folders of its own files and of encodings alone".to_owned()),
        }
    }
}

/// A board in play, for the next move.
struct Kept {
    files: Vec<File>,
    game: Box<dyn Game>,
    stop: Canceller,
}

impl Kept {
    fn new((entry, job): Asked, files: Vec<File>, stop: &Stop) -> Result<Self, Failure> {
        let own = Canceller::new();
        let hooked = hooked(&own, stop);
        let game = entry.open(Job { stop: own.token(), ..job })?.game()?;
        drop(hooked);
        Ok(Kept { files, game, stop: own })
    }

    /// Looks at the board; `stop` is that of this look.
    fn look(&mut self, moves: &[String], asks: &str, stop: &Stop) -> Result<Played, Failure> {
        let asks = played::Asks::named(if asks.is_empty() { "nothing" } else { asks });
        let asks = asks.ok_or_else(|| Diagnostic::error("asks: nothing, mistake, hint or distance was wanted"))?;
        let _hooked = hooked(&self.stop, stop);
        self.game.look(moves, asks)
    }
}

/// What comes to one wish comes to the other as well.
fn hooked(own: &Canceller, stop: &Stop) -> Hooked {
    let (own, other) = (own.clone(), stop.clone());
    stop.on_request(move || own.request(other.requested().unwrap_or(Reason::Interrupted)))
}
