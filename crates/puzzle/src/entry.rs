//! Puzzles and runs without their types.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::format::Format;
use base::diagnostic::{Code, Diagnostic, Failure};
use base::stop::StopReason;
use certificate::Certificate;
use explain::{ExplainQuery, Explanation};
use play::Game;

use super::any_answers::{AnyAnswers, CandidateAnswer, EachAnswer};
use super::any_result::AnyRunResult;
use super::api::{AnyPuzzle, CountedProgram, EngineOption, Puzzle, document_names};
use super::counting::{self, AnswerCount};
use super::cubes::{self, Cube};
use super::options::OptionDeclaration;
use super::pipeline::{
    AnswerCollector, Run, engine_names, ignored_option, name_of, reads_encodings, require_format, unsupported_rules,
};
use super::program::{self, ProgramOptions};
use super::puzzle_report::{PuzzleReport, render_run};
use super::report::{Header, RenderedRun};
use super::report_slot::ReportSlot;
use super::splitting;
use super::tool::AnyRun;
use super::typed_answers::TypedAnswers;
use crate::job::Job;

impl<P: Puzzle> AnyPuzzle for P {
    fn engines(&self) -> Vec<String> {
        engine_names::<P>()
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<P::Options>()
    }

    fn open(&self, mut job: Job) -> Result<Box<dyn AnyRun>, Failure> {
        let about = self.about();
        if about.has_options_for_answer_sets || job.output.format.is_answer_sets() {
            job.options::<ProgramOptions>().add_to(&mut job.engine.settings);
        }
        Ok(Box::new(Run::new(self.clone(), job)?))
    }
}

impl<P: Puzzle> AnyRun for Run<P> {
    fn header(&self) -> Header {
        let engine = name_of(self.engine);
        let encoding = if reads_encodings(&engine) { document_names(&self.job.sources.encodings) } else { Vec::new() };
        // Arbitrary logic programs have no built-in rules.
        let rules = (!self.puzzle.about().is_any_program()).then(|| self.job.rules.name());
        Header {
            puzzle: self.name.clone(),
            instance: document_names(&self.job.sources.documents),
            engine,
            encoding,
            rules,
        }
    }

    fn job(&self) -> &Job {
        &self.job
    }

    fn solve(&self, slot: &ReportSlot) -> Result<AnyRunResult, Failure> {
        reject_ignored_options(self)?;
        let Run { puzzle, board, job, .. } = self;
        if let Some(cube) = &job.cube {
            cube.check_program(&splittable_program(self)?.program, &job.engine.settings)?;
        }
        let program = puzzle.capabilities().program;
        if job.output.format.is_answer_sets() || program.is_some_and(|program| program.streams_answers(board, job)) {
            if !reads_encodings(&name_of(self.engine)) {
                let engine = name_of(self.engine);
                let text = format!(
                    "the engine {engine} has no answer sets to print; take --format text or json, or --engine asp"
                );
                return Err(Diagnostic::error(Code::Usage, text).into());
            }
            let mut conclusion = program::run(&AnyRun::program(self)?, self.header(), job, slot)?;
            conclusion.warnings.extend(puzzle.inputs().warnings(&job.sources.documents)?);
            return Ok(conclusion);
        }
        let collector = Arc::new(AnswerCollector::new(job));
        let report = slot.open(PuzzleReport::new(self.clone(), self.header(), collector.clone()));
        if job.output.format.is_board_only(job.output.style.drawn) {
            // Only the board is written.
            return Ok(AnyRunResult::board_only());
        }
        let solved = self.solve_into(&collector, &mut |_| ControlFlow::Continue(()))?;
        let conclusion = solved.erased();
        report.lock().set_solved(solved);
        Ok(conclusion)
    }

    fn render(&self) -> Result<(RenderedRun, AnyRunResult), Failure> {
        let solved = Run::solve(self)?;
        Ok((render_run(&self.puzzle, &solved)?, solved.erased()))
    }

    fn answers(&self) -> Result<Arc<dyn AnyAnswers>, Failure> {
        reject_ignored_options(self)?;
        Ok(Arc::new(TypedAnswers::new(self.clone(), self.header(), Run::solve(self)?)))
    }

    fn answers_each(&self, each: EachAnswer<'_>) -> Result<Arc<dyn AnyAnswers>, Failure> {
        reject_ignored_options(self)?;
        let solved = self.solve_each(&mut |answer| {
            let alone = self.given_up(&AnswerCollector::of(answer.clone()), StopReason::Unproven);
            each(Arc::new(TypedAnswers::new(self.clone(), self.header(), alone)))
        })?;
        Ok(Arc::new(TypedAnswers::new(self.clone(), self.header(), solved)))
    }

    fn check(&self, answer: CandidateAnswer<'_>) -> Result<(), Failure> {
        if !self.job.rules.is_builtin() {
            return Err(unsupported_rules("the check", &self.job.rules).into());
        }
        let answer = match answer {
            CandidateAnswer::Stored(answers, index) => answers
                .as_any()
                .downcast_ref::<TypedAnswers<P>>()
                .and_then(|answers| answers.answer(index))
                .ok_or_else(|| Diagnostic::error(Code::Usage, format!("expected an answer of {}", self.name)))?,
            CandidateAnswer::Atoms(atoms) => self.puzzle.capabilities().answer_of_atoms.ok_or_else(|| {
                let text = format!("answers of {} do not consist of atoms", self.name);
                Diagnostic::error(Code::Unsupported, text)
            })?(atoms)?,
        };
        let broken_rule =
            |error: String| Diagnostic::error(Code::RejectedAnswer, format!("the answer breaks a rule: {error}"));
        Ok(self.puzzle.check_output(&self.board, &self.job, &answer)?.map_err(broken_rule)?)
    }

    fn why(&self, question: &ExplainQuery) -> Result<Explanation, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let capabilities = puzzle.capabilities();
        let own = capabilities.explain.map_or(Ok(None), |explain| explain.why(board, job, question))?;
        let mut explanation = match own {
            Some(explanation) => explanation,
            None => explain::explain(
                &capabilities.require_program(puzzle)?.source(board, job)?,
                question,
                &job.as_ref().into(),
            )?,
        };
        explanation.warnings.extend(puzzle.inputs().warnings(&job.sources.documents)?);
        Ok(explanation)
    }

    fn program(&self) -> Result<asp::Program, Failure> {
        self.puzzle.capabilities().require_program(&self.puzzle)?.program(&self.board, &self.job)
    }

    fn certificate_difference(&self, certificate: &Certificate) -> Result<Option<String>, Failure> {
        let program = self.puzzle.capabilities().require_program(&self.puzzle)?;
        program.certificate_difference(&self.board, &self.job, certificate)
    }

    fn count(&self) -> Result<AnswerCount, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let counted = match &job.cube {
            None => puzzle.capabilities().require_program(puzzle)?.counted(board, job)?,
            Some(_) => splittable_program(self)?,
        };
        let settings = counted.settings(&job.engine.settings);
        if let Some(cube) = &job.cube {
            cube.check_program(&counted.program, &settings)?;
        }
        counting::count_answers(&counted.program, &settings, job.cube.as_deref(), &job.engine.limits, &job.stop)
    }

    fn whole_cube(&self) -> Result<Cube, Failure> {
        let program = cubes::program_name(&splittable_program(self)?.program, &self.job.engine.settings);
        Ok(Cube { program, literals: Vec::new(), at_most: None, is_counted: false })
    }

    fn split(&self, of: &[Cube], count: usize) -> Result<Vec<Cube>, Failure> {
        let counted = splittable_program(self)?;
        let settings = counted.settings(&self.job.engine.settings);
        splitting::split_program(&counted.program, &settings, of, count, &self.job.stop)
    }

    fn link(&self) -> Result<Option<String>, Failure> {
        let export = self.puzzle.capabilities().export;
        export.map_or(Ok(None), |export| export(&self.puzzle, &self.board, Format::Url, None))
    }

    fn game(&self) -> Result<Box<dyn Game>, Failure> {
        let Run { puzzle, board, job, .. } = self;
        let capabilities = puzzle.capabilities();
        match capabilities.play.filter(|_| puzzle.rule_support(board).supports(&job.rules)) {
            Some(play) => play.game(board, job),
            None => {
                let source = capabilities.require_program(puzzle)?.source(board, job)?;
                let about = puzzle.about();
                let title = if about.is_any_program() {
                    document_names(&job.sources.documents).join(", ")
                } else {
                    about.name.into()
                };
                play::of_program(&source, &title, &job.engine.settings, &job.stop)
            }
        }
    }
}

/// Returns the logic program of a puzzle whose search can be split into cubes.
///
/// # Errors
/// The search of the puzzle, or of the engine, is not that of a logic program.
fn splittable_program<P: Puzzle>(run: &Run<P>) -> Result<CountedProgram, Failure> {
    let Run { puzzle, board, job, engine, .. } = run;
    let engine = name_of(*engine);
    match puzzle.capabilities().program.filter(|program| program.has_cubes()) {
        Some(program) if reads_encodings(&engine) => program.counted(board, job),
        _ => {
            let text = format!("the search of {} cannot be split into cubes", run.name);
            let help = "`asp-solve split FILE --into N` takes logic programs, and boards of pencil puzzles";
            Err(Diagnostic::error(Code::Unsupported, text).help(help).into())
        }
    }
}

/// The formats that report certification.
const CERTIFIED: [Format; 3] = [Format::Text, Format::Json, Format::Html];
const NO_CERTIFICATE: &str = "the verdict rests on a search or a simulation, which has no proof of this kind";

/// Rejects options that were given but would be ignored.
fn reject_ignored_options<P: Puzzle>(run: &Run<P>) -> Result<(), Failure> {
    let Run { puzzle, engine, job, .. } = run;
    for option in EngineOption::ALL {
        // Answer sets are selected in the same way for all puzzles.
        let is_read = || {
            let selects_answer_sets = option == EngineOption::Selection && job.output.format.is_answer_sets();
            puzzle.reads(*engine, option) || selects_answer_sets && reads_encodings(&name_of(*engine))
        };
        let Some(name) = option.given_in(job).filter(|_| !is_read()) else { continue };
        let error = ignored_option(puzzle, *engine, name, |engine| puzzle.reads(engine, option));
        return Err(if option == EngineOption::Certificate { error.help(NO_CERTIFICATE) } else { error }.into());
    }
    if let Some(name) = EngineOption::Certificate.given_in(job) {
        require_format(name, &CERTIFIED, job)?;
    }
    puzzle.check_options(*engine, job)
}
