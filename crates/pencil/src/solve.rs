//! Solves a board with clingo, alone or with a ground program shared by a batch.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use asp::{Lints, MaximizedPriorities, Order, ReasoningMode, Symbol, syntax};
use base::diagnostic::{Code, Diagnostic, Failure, Severity};
use base::document::Document;
use base::ending::{SearchEnd, Verdict};
use base::stop::StopReason;
use drawing::{DerivedAtoms, Drawing, DrawingRules};
use ground::{GroundProgram, Optimisation};
use parking_lot::Mutex;
use prover::Certification;
use puzzle::certifying::CertificateRecorder;
use puzzle::closing::{self, ClingoStatus, ModelStats};
use puzzle::costs::AnswerCosts;
use puzzle::cube_session::JobSolver;
use puzzle::job::{CertifyMode, Job, Show};
use puzzle::program::{self, ProgramSearch};
use puzzle::{AnswerSink, AnyRun, ClingoProgram, Run, RunProof, Selection, SelectionSummary, UnsolvableCause};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::json;

use super::board::GridBoard;
use super::definition::LogicPuzzle;
use super::shared::{BatchInstance, SharedProgram};
use super::wrong_marks::wrong_marks;

/// The type of the board is known, but no rules for it are included.
pub(super) const LACKS_RULES: StopReason = StopReason::Other("no rules are included for this type of board");

/// Maximum number of warnings about drawings, over all answers.
const MAX_WARNINGS: usize = 20;

/// Maximum number of solutions in an interactive page. A board for playing should have only one.
const MAX_PAGE_SOLUTIONS: u64 = 100;

/// A program to solve, and its board unless the board was given as facts.
pub struct PuzzleBoard {
    pub(super) program: asp::Program,
    pub(super) grid: Option<GridBoard>,
    /// True if the answers of a custom program are drawn.
    pub(super) is_drawn: bool,
    /// True if the program defines a puzzle. Drawing rules then read its hidden atoms too.
    pub(super) is_of_puzzle: bool,
    /// The ground program, by which answers are checked; set once the program is grounded.
    pub(super) ground: OnceLock<Arc<Mutex<GroundProgram>>>,
}

impl From<asp::Program> for PuzzleBoard {
    fn from(program: asp::Program) -> Self {
        PuzzleBoard { program, grid: None, is_drawn: true, is_of_puzzle: false, ground: OnceLock::new() }
    }
}

/// Returns a run of the logic program of any puzzle, whose answer sets a custom program draws.
pub fn drawn_run(run: &dyn AnyRun) -> Result<Box<dyn AnyRun>, Failure> {
    let board = PuzzleBoard { is_of_puzzle: true, ..PuzzleBoard::from(run.program()?) };
    let mut job = Job::clone(run.job());
    job.engine.name = None;
    let drawn = Run::with_board(LogicPuzzle::program(), Arc::new(board), job)?;
    Ok(Box::new(Run { name: run.header().puzzle, ..drawn }))
}

impl PuzzleBoard {
    pub fn into_program(self) -> asp::Program {
        self.program
    }

    /// Draws an answer from its shown atoms, or from the atoms that custom drawing rules derive
    /// from it. Also returns warnings.
    fn drawing_of(
        &self,
        shown: &[Symbol],
        all: &[Symbol],
        job: &Job,
        source: &str,
    ) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        if job.drawing.programs.is_empty() {
            return Drawing::with_vocabulary(
                &job.drawing.vocabulary.drawn_atoms(shown, all),
                source,
                &job.drawing.vocabulary,
            );
        }
        let rules = DrawingRules { documents: &job.drawing.programs, constants: &job.engine.settings.constants };
        let hidden = if self.is_of_puzzle { all } else { &[] };
        let DerivedAtoms { atoms, mut warnings } = rules.derive(&[shown, hidden].concat(), &job.stop)?;
        let Some(atoms) = atoms else {
            warnings.extend(job.stop.requested().is_none().then(|| rules.no_answer_set_warning()));
            return Ok((Drawing::default(), warnings));
        };
        let (drawing, new_warnings) = Drawing::with_vocabulary(&atoms, source, &job.drawing.vocabulary)?;
        warnings.extend(new_warnings);
        warnings.extend(drawing.is_empty().then(|| rules.empty_warning()));
        Ok((drawing, warnings))
    }
}

#[derive(Clone)]
pub struct Answer {
    /// The shown atoms, in clingo's order.
    pub(super) atoms: Vec<Symbol>,
    pub(super) costs: AnswerCosts,
    pub(super) is_optimal: bool,
    pub(super) drawing: Drawing,
    /// The true atoms of the ground program. `None` if `atoms` are the consequences of all answers
    /// and not a single answer.
    pub(super) true_atoms: Option<FxHashSet<u32>>,
}

impl Answer {
    /// Creates an answer that shows these atoms.
    ///
    /// # Errors
    /// Fails with the first text that is not an atom.
    pub fn of(atoms: &[&str]) -> Result<Answer, Failure> {
        let atom = |text: &&str| {
            asp::parse_term(text)
                .ok_or_else(|| Diagnostic::error(Code::InvalidInstance, format!("`{text}` is not an atom")))
        };
        let mut atoms = atoms.iter().map(atom).collect::<Result<Vec<Symbol>, _>>()?;
        atoms.sort();
        let drawing = Drawing::default();
        Ok(Answer { atoms, costs: AnswerCosts::default(), is_optimal: false, drawing, true_atoms: None })
    }

    /// The shown atoms, in clingo's syntax.
    pub fn atoms(&self) -> Vec<String> {
        self.atoms.iter().map(|&atom| asp::to_text(atom)).collect()
    }
}

/// The results that clingo has proven, and the drawing of the facts.
#[derive(Default, Serialize)]
pub struct LogicProof {
    #[serde(skip)]
    pub(super) question: asp::SolveMode,
    #[serde(skip)]
    pub(super) summary: ClingoStatus,
    #[serde(skip)]
    pub(super) seen: ModelStats,
    #[serde(skip)]
    pub(super) facts_drawing: Drawing,
    /// The cause if there is no answer.
    #[serde(skip)]
    pub(super) cause: Option<UnsolvableCause>,
    /// The result of certifying the proof.
    #[serde(skip)]
    pub(super) certificate: Option<Certification>,
    /// How the answers were selected, if not as they were found.
    #[serde(skip)]
    pub(super) selection: Option<SelectionSummary>,
    /// The number of answers reported. For a program in steps, only the answers of its last step
    /// count. The output may contain fewer.
    #[serde(skip)]
    pub(super) num_answers: u64,
    /// The number of optimal answers among them.
    #[serde(skip)]
    pub(super) optimal: u64,
    /// The number of answers reported by earlier steps.
    #[serde(skip)]
    pub(super) earlier: u64,
    #[serde(skip)]
    pub(super) steps: u32,
}

impl RunProof for LogicProof {
    fn cause(&self) -> Option<&UnsolvableCause> {
        self.cause.as_ref()
    }

    fn certificate(&self) -> Option<&Certification> {
        self.certificate.as_ref()
    }

    fn selection(&self) -> Option<&SelectionSummary> {
        self.selection.as_ref()
    }
}

impl LogicPuzzle {
    pub(super) fn solve_board(
        &self,
        board: &PuzzleBoard,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<LogicProof>, Failure> {
        if self.lacks_rules(job) {
            return self.draw_without_rules(board, job);
        }
        let mut settings = job.engine.settings.clone();
        settings.models = job.question.models.or(self.is_playable(job).then_some(MAX_PAGE_SOLUTIONS));
        if self.projects_answers(&board.program) {
            settings.options.push("--project=show".to_owned());
        }
        if board.program.encoding.iter().any(|document| document.text.contains("#heuristic")) {
            settings.options.push("--heuristic=Domain".to_owned());
        }
        let Some((instance, max_solutions)) = self.batch_instance(board, job, &settings) else {
            return self.solve_alone(board, job, settings, None, sink).map(|(ending, _)| ending);
        };
        if let Some(shared) = instance.shared()?
            && let Some(ending) = self.solve_shared(board, job, (shared, &instance, max_solutions), &mut *sink)?
        {
            return Ok(ending);
        }
        // Boards that could share a ground program search for one solution more than requested even
        // if they are solved alone, so that results do not depend on earlier boards.
        let max_solutions = Some(max_solutions).filter(|_| !job.question.is_unique && settings.models != Some(0));
        settings.models = max_solutions.map(|max_solutions| max_solutions + 1).or(settings.models);
        let (mut ending, ground) = self.solve_alone(board, job, settings, max_solutions, sink)?;
        if let Some(certificate) = &mut ending.proof.certificate {
            certificate.steps = None;
        }
        instance.observe(ground.lock().rules.len());
        Ok(ending)
    }

    /// Draws the board of a puzzle whose rules are not included.
    fn draw_without_rules(&self, board: &PuzzleBoard, job: &Job) -> Result<SearchEnd<LogicProof>, Failure> {
        let mut solver = asp::Solver::with_program(&board.program, &job.engine.settings, &job.stop)?;
        let facts = fact_atoms(&mut solver)?;
        let (given, warnings) = board.drawing_of(&facts, &facts, job, &self.name)?;
        let proof = LogicProof { facts_drawing: given, ..LogicProof::default() };
        Ok(SearchEnd { proof, warnings, ..SearchEnd::gave_up(LACKS_RULES) })
    }

    /// Solves a board with a solver of its own. The search ends at the first model after
    /// `max_solutions`. Also returns the ground program.
    fn solve_alone<'b>(
        &self,
        board: &'b PuzzleBoard,
        job: &Job,
        settings: asp::Settings,
        max_solutions: Option<u64>,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<(SearchEnd<LogicProof>, &'b Mutex<GroundProgram>), Failure> {
        let is_program = self.definition.is_program;
        let solver_settings = match is_program {
            true => program::single_shot_settings(&settings, &board.program, job),
            false => settings.clone(),
        };
        let began = Instant::now();
        let mut solver = JobSolver::open(&board.program, &solver_settings, job)?;
        let question = solver.solver.solve_mode()?;
        let ground = solver.solver.control().observe()?;
        let ground = board.ground.get_or_init(|| ground);
        let drawer = AnswerDrawer::new(board, job, is_program);
        let mut facts_drawing = Drawing::default();
        let grounded = |solver: &mut asp::Solver| {
            let facts = fact_atoms(solver)?;
            (facts_drawing, _) = drawer.draw(&facts, &facts)?;
            Ok(())
        };
        let certifying = CertificateRecorder::start(job, &mut solver.solver, !is_program)?;
        let mut collector = ModelCollector::new((question, ground), &drawer, certifying, max_solutions, sink);
        let texts = board.program.documents().chain(&job.sources.included).map(|document| &*document.text);
        collector.maximized = MaximizedPriorities::of(texts);
        let lints = if LogicPuzzle::skips_lints(job) {
            Lints::default()
        } else {
            Lints::of(&board.program, &job.sources.included, &settings, &job.stop)
        };
        let add_model = |model: &mut asp::Model<'_>, number| collector.handle(model, number);
        // A certificate that is written is compared with the ground program of the whole texts.
        let is_written = matches!(job.question.certify, CertifyMode::Write | CertifyMode::WriteVeriPb);
        let program = match job.rules.has_builtin_name() && !is_written {
            true => Cow::Owned(board.program.without_later_parts()),
            false => Cow::Borrowed(&board.program),
        };
        let searched = program::search(&mut solver, &program, lints, job, grounded, || (), add_model)?;
        if let Some(failure) = collector.failure.take() {
            return Err(failure);
        }
        let ProgramSearch { status: mut summary, warnings: search_warnings, steps, statistics, selection } = searched;
        let is_last_step_empty = collector.step + 1 < steps;
        if is_last_step_empty {
            (collector.seen, collector.optimal) = (ModelStats::default(), 0);
        }
        // All requested answers were found, so this is not an interruption.
        summary.is_stopped &= max_solutions != Some(collector.num_reported);
        let kind = closing::Proven::of(question, summary, collector.seen);
        collector.report_last(kind)?;
        let ModelCollector { seen, mut warnings, num_reported, optimal, earlier, certifying, .. } = collector;
        warnings.extend(search_warnings);
        let (verdict, complete) = program::verdict_of(kind, summary, num_reported, &job.stop);
        let verdict = selection.as_ref().map_or(verdict, |selection| selection.verdict(verdict));
        let is_explained = verdict == Verdict::Impossible && !job.is_batch && job.output.show != Show::Verdict;
        let cause = match is_explained {
            true => self.cause_of(board, job, &settings, began)?,
            false => None,
        };
        let certificate = certifying.map(|certifying| certifying.finish_with(kind, &mut solver)).transpose()?.flatten();
        solver.keep(job);
        let earlier = if is_last_step_empty { num_reported } else { earlier };
        let num_answers = num_reported - earlier;
        let proof = LogicProof {
            question,
            summary,
            seen,
            facts_drawing,
            cause,
            certificate,
            selection,
            num_answers,
            optimal,
            earlier,
            steps,
        };
        Ok((SearchEnd { verdict, complete, proof, statistics, warnings }, ground))
    }

    /// Returns the cause why a board has no solution: the wrong marks of its player, if only these
    /// are wrong.
    fn cause_of(
        &self,
        board: &PuzzleBoard,
        job: &Job,
        settings: &asp::Settings,
        began: Instant,
    ) -> Result<Option<UnsolvableCause>, Failure> {
        let grid = board.grid.as_ref();
        let wrong = grid.map_or(Ok(None), |grid| wrong_marks(grid, &board.program, settings, &job.stop))?;
        if wrong.is_some() {
            return Ok(wrong);
        }
        Ok(UnsolvableCause::of_program(&self.source(board, job)?, settings, began, &job.stop))
    }

    /// Returns true if the output is a page on which the board can be played.
    pub(super) fn is_playable(&self, job: &Job) -> bool {
        !self.definition.is_program
            && job.output.show == Show::Page
            && job.question.selection == Selection::First
            && job.drawing.programs.is_empty()
            && job.output.style.drawn.unwrap_or(0) == 0
    }

    /// Returns true if clingo must project answers to the shown atoms, so that each solution counts
    /// once. Programs that minimise are not projected.
    pub(super) fn projects_answers(&self, program: &asp::Program) -> bool {
        let minimises = |document: &Document| syntax::minimises(&document.text);
        !self.definition.is_program && !program.encoding.iter().chain(&program.instance).any(minimises)
    }

    /// Returns true if the program is not checked for common mistakes.
    fn skips_lints(job: &Job) -> bool {
        job.is_batch || job.rules.has_builtin_name()
    }

    /// Returns the board as an instance that may share its ground program with others of a batch,
    /// and the number of solutions requested. Returns `None` if it must be solved alone.
    fn batch_instance(&self, board: &PuzzleBoard, job: &Job, settings: &asp::Settings) -> Option<(BatchInstance, u64)> {
        /// All solutions are stored until the search ends.
        const MAX_SOLUTIONS: u64 = 100;
        let may_share = job.shares_ground_program
            && LogicPuzzle::skips_lints(job)
            && job.sources.documents.len() == 1
            && job.question.selection == Selection::First;
        let grid = board.grid.as_ref().filter(|_| may_share)?;
        let has_options = !job.engine.settings.options.is_empty() || settings.check || settings.threads.is_some();
        let certify_mode = job.question.certify;
        // The certificate of a shared program would have the clues of other boards.
        let is_written = match certify_mode {
            CertifyMode::No | CertifyMode::Check => false,
            CertifyMode::IfCheap => job.question.is_unique,
            CertifyMode::Write | CertifyMode::WriteVeriPb => true,
        };
        let has_other_output = is_written || job.output.stats || !job.drawing.programs.is_empty() || job.cube.is_some();
        if has_options
            || has_other_output
            || !self.projects_answers(&board.program)
            || board.program.documents().any(asp::is_incremental)
        {
            return None;
        }
        let max_solutions = match settings.models {
            _ if job.question.is_unique => 1,
            Some(0) => MAX_SOLUTIONS,
            models => models.unwrap_or(1),
        };
        let settings = asp::Settings { models: Some(max_solutions + 1), ..settings.clone() };
        (max_solutions <= MAX_SOLUTIONS)
            .then(|| Some((BatchInstance::of(grid, &board.program.encoding, &settings)?, max_solutions)))
            .flatten()
    }

    /// Solves a board with a shared ground program. Returns `None` if its answers could depend on
    /// earlier boards, so that it must be solved alone.
    fn solve_shared(
        &self,
        board: &PuzzleBoard,
        job: &Job,
        (shared, instance, max_solutions): (Box<SharedProgram>, &BatchInstance, u64),
        sink: AnswerSink<'_, Answer>,
    ) -> Result<Option<SearchEnd<LogicProof>>, Failure> {
        let question = shared.solve_mode()?;
        let ground = shared.ground.clone();
        let sources = board.program.encoding.iter().chain(&board.program.instance);
        let source_names = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let is_certified = job.question.certify.is_requested();
        let mut certifying =
            is_certified.then(|| CertificateRecorder::of_shared(job, ground.clone(), shared.clauses(), question));
        let mut answers = Vec::new();
        let mut warnings = Vec::new();
        let mut failure_in_model = None;
        let mut answer_of = |model: &mut asp::Model<'_>| -> Result<Answer, Failure> {
            let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
            let all: Vec<Symbol> = model.atoms()?.collect();
            let true_atoms = model.true_atoms(&ground.lock())?;
            let (drawing, new_warnings) = board.drawing_of(&atoms, &all, job, &source_names)?;
            warnings.extend(new_warnings);
            Ok(Answer {
                atoms,
                costs: AnswerCosts::default(),
                is_optimal: false,
                drawing,
                true_atoms: Some(true_atoms),
            })
        };
        let solved = shared.solve(instance, &job.stop, |model| match answer_of(model) {
            Ok(answer) => {
                answers.push(answer);
                ControlFlow::Continue(())
            }
            Err(failure) => {
                failure_in_model = Some(failure);
                ControlFlow::Break(())
            }
        })?;
        failure_in_model.map_or(Ok(()), Err)?;
        // Without a solution, the clues of the board alone say why, and are drawn.
        let Some(asp::SolveResult { satisfiable, exhausted, .. }) =
            solved.filter(|_| answers.len() as u64 <= max_solutions && (job.is_batch || !answers.is_empty()))
        else {
            return Ok(None);
        };
        let num_answers = answers.len() as u64;
        let summary = ClingoStatus { satisfiable, exhausted, ..ClingoStatus::default() };
        let seen = ModelStats { found: num_answers, ..ModelStats::default() };
        let kind = closing::Proven::of(question, summary, seen);
        if let Some(certifying) = &mut certifying {
            for true_atoms in answers.iter().filter_map(|answer: &Answer| answer.true_atoms.as_ref()) {
                let mut atoms: Vec<u32> = true_atoms.iter().copied().collect();
                atoms.sort_unstable();
                certifying.push_answer(atoms);
            }
        }
        let mut certificate = certifying.map(|certifying| certifying.finish(kind)).transpose()?.flatten();
        if let Some(certificate) = &mut certificate {
            certificate.steps = None;
        }
        let _ = board.ground.set(ground);
        for answer in answers {
            let _ = sink(answer)?;
        }
        let (verdict, complete) = program::verdict_of(kind, summary, num_answers, &job.stop);
        let proof = LogicProof { question, summary, seen, certificate, num_answers, steps: 1, ..LogicProof::default() };
        Ok(Some(SearchEnd { verdict, complete, proof, statistics: json!({}), warnings }))
    }

    /// Checks that the program has an answer that shows exactly these atoms.
    pub(super) fn find_shown_atoms(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        answer: &Answer,
    ) -> Result<Result<(), String>, Failure> {
        let constraints: String =
            answer.atoms.iter().map(|&atom| format!(":- not {}.\n", asp::to_text(atom))).collect();
        let mut program = board.program.clone();
        program.additions.push(Document::in_memory("<answer>", constraints));
        let job = job.clone().models(0);
        let solved = Run::with_board(self.clone(), Arc::new(PuzzleBoard::from(program)), job)?.solve()?;
        let has_answer = solved.answers().iter().any(|other| other.atoms == answer.atoms);
        Ok(has_answer
            .then_some(())
            .ok_or_else(|| format!("no {} shows exactly these atoms", self.noun(1).to_lowercase())))
    }
}

/// Draws the facts and the answers of a run.
struct AnswerDrawer<'a> {
    board: &'a PuzzleBoard,
    job: &'a Job,
    /// The names of all sources, for warnings.
    sources: String,
    /// False if no output needs a drawing.
    is_drawn: bool,
    /// True if errors in drawings are errors of the run. An atom `draw` of a custom program need not
    /// be a drawing, so they are warnings there unless drawings were requested.
    is_required: bool,
}

impl<'a> AnswerDrawer<'a> {
    fn new(board: &'a PuzzleBoard, job: &'a Job, is_program: bool) -> Self {
        let sources = board.program.encoding.iter().chain(&board.program.instance).chain(&job.drawing.programs);
        let sources = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let is_drawn =
            job.output.show != Show::Verdict || !job.rules.has_builtin_name() || !job.drawing.programs.is_empty();
        let is_required = !is_program || !job.drawing.programs.is_empty() || job.output.show != Show::Answers;
        AnswerDrawer { board, job, sources, is_drawn, is_required }
    }

    /// Draws atoms, and returns warnings.
    fn draw(&self, shown: &[Symbol], all: &[Symbol]) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        if !self.is_drawn {
            return Ok((Drawing::default(), Vec::new()));
        }
        match self.board.drawing_of(shown, all, self.job, &self.sources) {
            Err(failure) if !self.is_required => {
                let as_warning = |error: Diagnostic| Diagnostic { severity: Severity::Warning, ..error };
                Ok((Drawing::default(), failure.0.into_iter().map(as_warning).collect()))
            }
            drawing => drawing,
        }
    }
}

/// Collects the models of a search and reports those that are answers.
struct ModelCollector<'a, 's> {
    question: asp::SolveMode,
    ground: &'a Mutex<GroundProgram>,
    drawer: &'a AnswerDrawer<'a>,
    sink: AnswerSink<'s, Answer>,
    max_solutions: Option<u64>,
    certifying: Option<CertificateRecorder>,
    seen: ModelStats,
    /// The last model that was not reported, and all its atoms.
    last_model: Option<(Answer, Vec<Symbol>)>,
    maximized: MaximizedPriorities,
    warnings: Vec<Diagnostic>,
    /// The error that ended the search.
    failure: Option<Failure>,
    num_reported: u64,
    optimal: u64,
    /// For programs in steps: the current step, and the number of answers of earlier steps.
    step: u32,
    earlier: u64,
}

impl<'a, 's> ModelCollector<'a, 's> {
    fn new(
        (question, ground): (asp::SolveMode, &'a Mutex<GroundProgram>),
        drawer: &'a AnswerDrawer<'a>,
        certifying: Option<CertificateRecorder>,
        max_solutions: Option<u64>,
        sink: AnswerSink<'s, Answer>,
    ) -> Self {
        ModelCollector {
            question,
            ground,
            drawer,
            sink,
            max_solutions,
            certifying,
            seen: ModelStats::default(),
            last_model: None,
            maximized: MaximizedPriorities::default(),
            warnings: Vec::new(),
            failure: None,
            num_reported: 0,
            optimal: 0,
            step: 0,
            earlier: 0,
        }
    }

    /// Adds a model; an error ends the search.
    fn handle(&mut self, model: &mut asp::Model<'_>, number: u32) -> ControlFlow<()> {
        self.add(model, number).unwrap_or_else(|failure| {
            self.failure = Some(failure);
            ControlFlow::Break(())
        })
    }

    /// Adds a model of the step `number`.
    fn add(&mut self, model: &mut asp::Model<'_>, number: u32) -> Result<ControlFlow<()>, Failure> {
        if self.max_solutions == Some(self.num_reported) {
            return Ok(ControlFlow::Break(()));
        }
        if let Some(certifying) = &mut self.certifying {
            certifying.record_answer(model, number);
        }
        if std::mem::replace(&mut self.step, number) != number {
            (self.seen, self.optimal, self.earlier) = (ModelStats::default(), 0, self.num_reported);
        }
        let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
        let all: Vec<Symbol> = model.atoms()?.collect();
        let (costs, is_optimal) = (AnswerCosts::of(model, &self.maximized)?, model.optimality_proven()?);
        let is_optimal = is_optimal && !costs.is_empty();
        self.seen = ModelStats { found: self.seen.found + 1, has_costs: !costs.is_empty(), is_optimal };
        let is_answer = self.question.mode == ReasoningMode::AnswerSets;
        let ground = || self.ground.lock();
        let true_atoms = is_answer.then(|| model.true_atoms(&ground())).transpose()?;
        let answer = Answer { atoms, costs, is_optimal, drawing: Drawing::default(), true_atoms };
        // Intermediate models of an optimisation, or of consequences, are not answers yet.
        let minimises =
            self.seen.has_costs && matches!(self.question.optimisation, Optimisation::One | Optimisation::All);
        if is_answer && (is_optimal || !minimises) {
            self.last_model = None;
            self.optimal += u64::from(is_optimal);
            return self.report(answer, &all);
        }
        self.last_model = Some((answer, all));
        Ok(ControlFlow::Continue(()))
    }

    fn report(&mut self, answer: Answer, all: &[Symbol]) -> Result<ControlFlow<()>, Failure> {
        self.num_reported += 1;
        let (drawing, new_warnings) = self.drawer.draw(&answer.atoms, all)?;
        for warning in new_warnings {
            if self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        (self.sink)(Answer { drawing, ..answer })
    }

    /// Reports the last model if it was not reported as an answer.
    fn report_last(&mut self, kind: closing::Proven) -> Result<(), Failure> {
        if let Some((last, all)) = self.last_model.take() {
            let _ = self.report(Answer { is_optimal: kind == closing::Proven::Optimum, ..last }, &all)?;
        }
        Ok(())
    }
}

/// Returns the atoms that clingo has proven to be facts.
pub(super) fn fact_atoms(solver: &mut asp::Solver) -> Result<Vec<Symbol>, Failure> {
    let known = solver.control().known_atoms()?;
    Ok(known.into_iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| atom).collect())
}
