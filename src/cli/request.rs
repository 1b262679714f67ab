//! From a request to a job: reads the files, recognises the puzzle, and finds the rules.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::CancelToken;
use parking_lot::Mutex;
use puzzle::Format;
use puzzle::job::{self, CertifyMode, DrawingPrograms, EngineSettings, Job, OutputSettings, Question, Show, Sources};
use puzzle::{About, AnyPuzzle, Recognition, Role, Selection};

use super::groups::{DrawingArgs, EngineArgs, MemoryArgs, ProgramArgs, PuzzleArgs, QuestionArgs, When};
use super::memory::half_of_memory;
use super::puzzles::registry;
use super::{input, proof};

/// The part of a job that a command determines, apart from the texts of the instance. Each command
/// sets what its options say and leaves the rest at its defaults.
#[derive(Debug, Clone, Default)]
pub struct JobRequest {
    pub choice: PuzzleArgs,
    pub question: QuestionArgs,
    pub drawing: DrawingArgs,
    pub engine: EngineArgs,
    pub program: ProgramArgs,
    pub memory: MemoryArgs,
    pub threads: Option<u8>,
    pub format: Format,
    pub show: Show,
    /// Prints which encodings are read.
    pub verbose: bool,
    pub is_batch: bool,
    /// Texts that stand in the place of files of their names.
    pub texts: Vec<Document>,
}

type EncodingKey = (String, Vec<PathBuf>);

/// The rules that the command line names. All instances of a batch share them, so they are read
/// once.
pub struct NamedRules {
    /// Encodings given as files.
    named: Vec<Document>,
    included: Vec<Document>,
    draw: Vec<Document>,
    encodings: Mutex<HashMap<EncodingKey, Vec<Document>>>,
    /// Companion files, by the names of the encodings that they go with.
    companions: Mutex<HashMap<Vec<String>, Vec<Document>>>,
}

impl NamedRules {
    pub fn read(request: &JobRequest, stop: &CancelToken) -> Result<NamedRules, Failure> {
        let is_text = |path: &PathBuf| request.texts.iter().any(|text| path.as_os_str() == &*text.name);
        let paths = request.choice.encoding.iter().filter(|path| is_text(path) || path.is_file());
        let named = paths.map(|path| input::read_or_take(path, &request.texts, stop));
        let named: Vec<Document> = named.collect::<Result<_, _>>()?;
        let draw = request.drawing.draw.iter().map(|path| input::drawing(path, request.program.folder.path(), stop));
        let draw = draw.collect::<Result<_, _>>()?;
        let included = input::included_documents(&named, stop)?;
        let named = detach_from_files(named, request);
        let draw = detach_from_files(draw, request);
        Ok(NamedRules { named, included, draw, encodings: Mutex::default(), companions: Mutex::default() })
    }

    /// Returns the encodings `names`, or the puzzle's first encoding if `names` is empty.
    fn encodings(
        &self,
        request: &JobRequest,
        names: Vec<PathBuf>,
        about: &About<'_>,
        stop: &CancelToken,
    ) -> Result<Vec<Document>, Failure> {
        // Hold the lock while reading, so that other lines of the batch wait instead of reading
        // too.
        let mut cache = self.encodings.lock();
        let key = (about.name.to_owned(), names);
        if let Some(encodings) = cache.get(&key) {
            return Ok(encodings.clone());
        }
        let encodings =
            input::encodings(&key.1, about, request.program.folder.path(), request.verbose, &self.named, stop)?;
        let encodings = detach_from_files(encodings, request);
        cache.insert(key, encodings.clone());
        Ok(encodings)
    }

    /// Returns the companion files of these encodings.
    fn companions(
        &self,
        request: &JobRequest,
        encodings: &[Document],
        stop: &CancelToken,
    ) -> Result<Vec<Document>, Failure> {
        let mut cache = self.companions.lock();
        let key: Vec<String> = encodings.iter().map(|encoding| encoding.name.clone()).collect();
        if let Some(companions) = cache.get(&key) {
            return Ok(companions.clone());
        }
        let companions = detach_from_files(input::companions(encodings, request.program.folder.path(), stop)?, request);
        cache.insert(key, companions.clone());
        Ok(companions)
    }
}

/// In a batch, makes clingo use the texts that were read, even if the files change later. A text
/// with includes stays a file, since clingo resolves includes relative to the file.
fn detach_from_files(mut documents: Vec<Document>, request: &JobRequest) -> Vec<Document> {
    let is_alone = |document: &&mut Document| asp::syntax::includes(&document.text).is_empty();
    for document in documents.iter_mut().filter(|_| request.is_batch).filter(is_alone) {
        document.path = None;
    }
    documents
}

/// Returns the puzzle of the input, and the requested job. `read` contains the texts of the
/// instance; all other texts that are read are appended to it, so that messages can quote them.
pub fn build_job(
    request: &JobRequest,
    read: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<(Arc<dyn AnyPuzzle>, Job), Failure> {
    build_job_from(&NamedRules::read(request, stop)?, request, read, stop)
}

/// Like `build_job`, but takes rules that were read before.
pub fn build_job_from(
    rules: &NamedRules,
    request: &JobRequest,
    read: &mut Vec<Document>,
    stop: &CancelToken,
) -> Result<(Arc<dyn AnyPuzzle>, Job), Failure> {
    let mut included = input::included_documents(read, stop)?;
    let Recognition { entry, roles, is_guessed } = match &request.choice.puzzle {
        Some(name) => {
            let entry = registry().by_name(name).expect("the command line knows the names");
            Recognition { entry: entry.clone(), roles: puzzle::roles(&**entry, read), is_guessed: false }
        }
        None => puzzle::recognise(registry(), read, &rules.named, &included)?,
    };
    included.extend(rules.included.iter().cloned());
    // A file that derives the puzzle's answers counts as an encoding, as if `-e` had named it.
    let mut encodings = Vec::new();
    let mut documents = Vec::new();
    for (document, role) in read.iter().cloned().zip(roles) {
        if role == Role::Encoding { &mut encodings } else { &mut documents }.push(document);
    }
    if documents.is_empty() {
        let text = format!("this is an encoding of {}, without an instance to solve", entry.name());
        return Err(Diagnostic::error(Code::MissingInstance, text).into());
    }
    let names_encodings = !encodings.is_empty() || !request.choice.encoding.is_empty();
    let first_read = encodings.len();
    if encodings.is_empty() || !request.choice.encoding.is_empty() {
        let names = encoding_names(request, &*entry, &documents);
        encodings.extend(rules.encodings(request, names, &entry.about(), stop)?);
    }
    encodings.extend(rules.companions(request, &encodings, stop)?);
    read.extend(encodings[first_read..].iter().cloned());
    read.extend(rules.draw.iter().cloned());
    let drawing = DrawingPrograms { programs: rules.draw.clone(), vocabulary: request.drawing.graph_args.vocabulary() };
    let job = Job {
        sources: Sources { documents, included, encodings, names_encodings, is_guessed },
        drawing,
        question: question(request)?,
        engine: engine_settings(request, &*entry),
        output: OutputSettings {
            show: request.show,
            format: request.format,
            stats: request.engine.stats,
            ..OutputSettings::default()
        },
        is_batch: request.is_batch,
        shares_ground_program: request.is_batch,
        stop: stop.clone(),
        ..Job::default()
    };
    Ok((entry, job))
}

/// Returns the names of the encodings to read; none for the puzzle's first encoding.
fn encoding_names(request: &JobRequest, entry: &dyn AnyPuzzle, documents: &[Document]) -> Vec<PathBuf> {
    let given = &request.choice.encoding;
    let is_builtin = |name: &PathBuf| entry.about().encodings.iter().any(|known| name.as_os_str() == &*known.name);
    let mut names = given.clone();
    // A board may require additional built-in rules.
    if names.is_empty() || names.iter().any(is_builtin) {
        let required = entry.inputs().required_encodings(documents);
        names.extend(required.into_iter().map(PathBuf::from).filter(|name| !given.contains(name)));
    }
    names
}

fn engine_settings(request: &JobRequest, entry: &dyn AnyPuzzle) -> EngineSettings {
    let JobRequest { engine, program, .. } = request;
    let mut settings = asp::Settings { threads: request.threads.map(usize::from), ..program.settings() };
    settings.options.extend(engine.stats.then(|| "--stats=2".to_owned()));
    let has_own_search = !entry.engines().iter().all(|engine| puzzle::reads_encodings(engine));
    // A count stores the numbers of components.
    let needs_memory = request.question.sample || has_own_search;
    let memory = request.memory.bytes().or_else(|| needs_memory.then(half_of_memory));
    let limits = job::Limits { memory, nodes: engine.node_limit, depth: engine.depth_limit };
    let (name, heuristic) = (engine.engine.clone(), engine.heuristic.clone());
    EngineSettings { name, heuristic, settings, limits, cache: input::cache() }
}

fn question(request: &JobRequest) -> Result<Question, Failure> {
    let QuestionArgs { models, unique, sample, seed, diverse, .. } = request.question;
    let (selection, least) = match (sample, diverse) {
        (true, _) => (Selection::Sample { seed: seed.unwrap_or(1) }, 1),
        (_, true) => (Selection::Diverse, 2),
        _ => (Selection::First, 0),
    };
    if let (Some(option), Some(number)) = (selection.option(), models.filter(|&number| number < least)) {
        let text = format!("--{option}: expected -n N with N of {least} or more, found {number}");
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    Ok(Question { models, is_unique: unique, selection, certify: certify_mode(&request.question, request.is_batch) })
}

/// Returns the certification mode. A batch certifies only on request, because that takes several
/// times as long as solving a board with a shared ground program.
fn certify_mode(question: &QuestionArgs, is_batch: bool) -> CertifyMode {
    match (&question.proof, question.certify) {
        (Some(path), _) => proof::certificate_kind(path),
        (None, Some(When::Always)) => CertifyMode::Check,
        (None, Some(When::Never)) => CertifyMode::No,
        (None, None) if is_batch => CertifyMode::No,
        (None, None) => CertifyMode::IfCheap,
    }
}
