//! Solvers, which load, ground and solve programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use base::diagnostic::{Code, Diagnostic, Failure, Severity};
use base::document::Document;
use base::sorting;
use base::stop::{CancelToken, HookGuard};
use base::words::count;

use super::arithmetic::{self, Constants};
use super::check::AnswerChecker;
use super::ffi::{
    self, CallError, Control, FunctionCall, GroundPart, Model, ModelCallback, SolveResult, StoredModel, Symbol,
};
use super::message::{self, Message};
use super::outcome::SolveOutcome;
use super::program::{Program, as_parts, can_be_included};
use super::settings::{Settings, parse_warn_options};
use super::solve_mode::SolveMode;
use super::{functions, repairs, syntax};

/// Name of the text that includes the files of a program.
const FILES: &str = "<files>";

/// Maximum number of messages per call; clingo drops further ones. The clingo command's limit is
/// 20.
const MESSAGE_LIMIT: u32 = 200;

/// Maximum nesting of brackets. clingo recurses once per level, so that deeper nesting would
/// overflow its stack.
pub const MAX_NESTING: usize = 250_000;

/// The first version of clingo without the known wrong answers to disjunctive programs that are not
/// head-cycle-free (clasp#91).
const SOUND_SINCE: (i32, i32, i32) = (5, 8, 2);

/// Returns the version of the linked clingo, such as `5.8.2`, or `5.6.2, which has known defects`
/// for versions that lose answers.
pub fn clingo_version() -> String {
    let version @ (major, minor, revision) = ffi::version();
    let defects = if version < SOUND_SINCE { ", which has known defects" } else { "" };
    format!("{major}.{minor}.{revision}{defects}")
}

/// A clingo control with one program.
pub struct Solver {
    control: Control,
    check: Option<AnswerChecker>,
    blocks: Vec<TextBlock>,
    messages: Vec<Message>,
    /// The loaded texts, for suggestions about errors that only grounding reveals (unsafe
    /// variables).
    documents: Vec<Document>,
    constants: Constants,
    warns_of_overflow: bool,
    theory_atoms: usize,
    stop: CancelToken,
    _interrupt_on_stop: HookGuard,
}

/// A text in memory. clingo names all such texts `<block>`; their line numbers are disjoint, so
/// that the line of a message identifies the text.
struct TextBlock {
    name: String,
    /// Number of lines before its first line.
    offset: usize,
    lines: usize,
}

impl Solver {
    /// Creates a solver with an empty program. `stop` ends its solving from any thread.
    pub fn new(settings: &Settings, stop: &CancelToken) -> Result<Self, Failure> {
        let (enabled, mut arguments) = parse_warn_options(&settings.options);
        arguments
            .extend(settings.constants.iter().flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]));
        arguments.extend(settings.models.map(|models| format!("--models={models}")));
        arguments.extend(settings.threads.map(|threads| format!("--parallel-mode={threads}")));
        let mut control = Control::new(&arguments, MESSAGE_LIMIT)
            .map_err(|(error, log)| failure(&error, &log.iter().map(message::parse).collect::<Vec<_>>()))?;
        let interrupter = control.interrupter();
        let hook = stop.on_request(move || interrupter.interrupt());
        let check = settings
            .check
            .then(|| AnswerChecker::new(&mut control))
            .transpose()
            .map_err(|error| failure(&error, &[]))?;
        let given_constants = settings.constants.iter();
        let constants = given_constants
            .filter_map(|(name, term)| Some((name.clone(), arithmetic::value(term, &Constants::new())?)));
        Ok(Solver {
            control,
            check,
            blocks: Vec::new(),
            messages: Vec::new(),
            documents: Vec::new(),
            constants: constants.collect(),
            warns_of_overflow: enabled.contains(&Code::Overflow),
            theory_atoms: 0,
            stop: stop.clone(),
            _interrupt_on_stop: hook,
        })
    }

    /// From now on, this token ends solving, and no earlier one.
    pub fn set_stop(&mut self, stop: &CancelToken) {
        let interrupter = self.control.interrupter();
        self._interrupt_on_stop = stop.on_request(move || interrupter.interrupt());
        self.stop = stop.clone();
    }

    /// Creates a solver, loads a program and grounds it.
    pub fn with_program(program: &Program, settings: &Settings, stop: &CancelToken) -> Result<Self, Failure> {
        let mut solver = Solver::new(settings, stop)?;
        solver.load(program)?;
        solver.ground_program(program)?;
        solver.check_inputs(program)?;
        Ok(solver)
    }

    /// Parses the texts of a program and adds its facts, without grounding.
    pub fn load(&mut self, program: &Program) -> Result<(), Failure> {
        if !program.facts.is_empty() {
            let added = self.control.add_facts(&program.facts);
            self.finish_call(added)?;
        }
        arithmetic::define(&mut self.constants, program.documents());
        let files: Vec<&Document> = program.documents().filter(|document| can_be_included(document)).collect();
        if files.len() > 1 {
            self.add_files(&files)?;
        }
        let is_left = |document: &&Document| files.len() < 2 || !can_be_included(document);
        program.documents().filter(is_left).try_for_each(|document| self.add(document))?;
        program.last_query().map_or(Ok(()), |query| self.add(&query))
    }

    /// Parses several files at once, so that clingo reads each file and each included file only
    /// once.
    fn add_files(&mut self, files: &[&Document]) -> Result<(), Failure> {
        files.iter().try_for_each(|file| self.check_text(file))?;
        let include = |file: &&Document| {
            let path = file.path.as_deref().and_then(Path::to_str).unwrap_or_default();
            format!("#include \"{}\".", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        };
        let text = files.iter().map(include).collect::<Vec<_>>().join(" ");
        let added = self.add_block(FILES, &text);
        self.documents.extend(files.iter().copied().cloned());
        self.finish_call(added)
            .map_err(|failure| files.iter().fold(failure, |failure, file| repairs::explain_errors(failure, file)))
    }

    fn add_block(&mut self, name: &str, text: &str) -> Result<(), CallError> {
        let offset = self.blocks.last().map_or(0, |block| block.offset + block.lines);
        let lines = text.matches('\n').count() + 2;
        self.blocks.push(TextBlock { name: name.to_owned(), offset, lines });
        self.control.add(&format!("{}{}", "\n".repeat(offset), text))
    }

    /// Parses one text.
    pub fn add(&mut self, document: &Document) -> Result<(), Failure> {
        self.check_text(document)?;
        let added = match &document.path {
            Some(path) => self.control.load(path),
            None => self.add_block(&document.name, &document.text),
        };
        self.documents.push(document.clone());
        self.finish_call(added).map_err(|failure| repairs::explain_errors(failure, document))
    }

    /// Rejects text that would crash clingo, and warns about overflow in constant terms.
    fn check_text(&mut self, document: &Document) -> Result<(), Failure> {
        let depth = syntax::nesting_depth(&document.text);
        if depth > MAX_NESTING {
            let text = format!("{}: terms nest {depth} deep; at most {MAX_NESTING} levels can be read", document.name);
            return Err(Diagnostic::error(Code::Clingo, text).into());
        }
        arithmetic::define(&mut self.constants, [document].into_iter());
        if self.warns_of_overflow {
            let warnings = arithmetic::check(document, &self.constants);
            self.messages.extend(warnings.into_iter().map(Message::from));
        }
        Ok(())
    }

    /// Grounds program parts, for instance `("step", &[number(3)])`. Grounding cannot be
    /// interrupted.
    pub fn ground(&mut self, parts: &[GroundPart<'_>]) -> Result<(), Failure> {
        let mut unknown = BTreeMap::new();
        let mut wrong = None;
        let grounded = self.control.ground_calling(parts, |call| match functions::evaluate(call) {
            Ok(values) => ControlFlow::Continue(values),
            // clingo continues without the term, too.
            Err(expected) if functions::usage(call.name).is_none() => {
                if !unknown.contains_key(call.name) {
                    let text = format!("operation undefined: function '{}' not found", call.name);
                    let error = functions::invalid_call(call, &expected);
                    unknown
                        .insert(call.name.to_owned(), Diagnostic { severity: Severity::Info, message: text, ..error });
                }
                ControlFlow::Continue(Vec::new())
            }
            Err(expected) => {
                wrong = Some(functions::invalid_call(call, &expected));
                ControlFlow::Break(())
            }
        });
        for diagnostic in unknown.into_values() {
            let diagnostic = self.localised(diagnostic);
            self.messages.push(diagnostic.into());
        }
        if let Some(wrong) = wrong {
            return Err(self.localised(wrong).into());
        }
        self.finish_call(grounded).map_err(|failure| self.documents.iter().fold(failure, repairs::explain_errors))?;
        // clingo provides theory atoms only between grounding and solving.
        self.theory_atoms += self.control.theory_atoms().unwrap_or(0);
        Ok(())
    }

    /// Grounds a loaded program: its part `base`, or its steps up to the last.
    pub fn ground_program(&mut self, program: &Program) -> Result<(), Failure> {
        program.grounding_sequence().try_for_each(|parts| self.ground(&as_parts(&parts)))
    }

    /// Grounds program parts. Calls `evaluate` for the values of each function call (`@name(…)`);
    /// the instance of a rule is dropped if one of its calls has no values. `Break` ends the
    /// grounding with an error.
    pub fn ground_calling<F>(&mut self, parts: &[GroundPart<'_>], evaluate: F) -> Result<(), Failure>
    where
        F: FnMut(&FunctionCall<'_>) -> ControlFlow<(), Vec<Symbol>>,
    {
        let grounded = self.control.ground_calling(parts, evaluate);
        self.finish_call(grounded)
    }

    /// Rejects an instance without input for the encoding, which would otherwise have meaningless
    /// answers.
    ///
    /// The input consists of the predicates that the encoding uses and no text defines. It is an
    /// error if there are such predicates, and the encoding uses no predicate that the instance
    /// defines.
    pub fn check_inputs(&self, program: &Program) -> Result<(), Failure> {
        if program.encoding.is_empty() {
            return Ok(());
        }
        let of_encoding = |message: &&Message| {
            message.is_undefined_atom()
                && message
                    .diagnostic
                    .labels
                    .first()
                    .is_some_and(|place| program.encoding.iter().any(|text| text.name == place.file))
        };
        let missing: BTreeSet<String> = self
            .messages
            .iter()
            .filter(of_encoding)
            .filter_map(|message| message.undefined.as_ref())
            .map(ToString::to_string)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let heads = program.instance.iter().flat_map(|document| syntax::statements(&document.text));
        let heads = heads.filter_map(|statement| statement.head);
        let instance_predicates = heads.chain(program.facts.iter().filter_map(|&fact| ffi::signature_of(fact)));
        let instance_predicates: BTreeSet<String> =
            instance_predicates.map(|(name, arity)| format!("{name}/{arity}")).collect();
        let is_used = |predicate: &String| {
            let name = predicate.split('/').next().unwrap_or_default();
            program.encoding.iter().any(|document| syntax::uses(&document.text, name)) && !missing.contains(predicate)
        };
        if instance_predicates.iter().any(is_used) {
            return Ok(());
        }
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
        let names: Vec<&str> = program.encoding.iter().map(|document| document.name.as_str()).collect();
        let defined = if instance_predicates.is_empty() { "nothing".to_owned() } else { list(&instance_predicates) };
        let place =
            self.messages.iter().find(of_encoding).and_then(|message| message.diagnostic.labels.first().cloned());
        Err(Diagnostic::error(
            Code::MissingInstance,
            format!(
                "the instance has no input for {}: the encoding expects {}, the instance defines {defined}",
                names.join(", "),
                list(&missing)
            ),
        )
        .at(place)
        .into())
    }

    /// Solves under assumptions (atoms with their values), calling `on_model` for each answer until
    /// it breaks. Answers are not stored.
    ///
    /// An atom that does not occur in the ground program is false; if it is assumed to be true,
    /// there is no answer.
    pub fn solve<F>(&mut self, assumptions: &[(Symbol, bool)], mut on_model: F) -> Result<SolveOutcome, Failure>
    where
        F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
    {
        self.solve_with(assumptions, &mut on_model)
    }

    fn solve_with(
        &mut self,
        assumptions: &[(Symbol, bool)],
        on_model: ModelCallback<'_>,
    ) -> Result<SolveOutcome, Failure> {
        let mut literals = Vec::with_capacity(assumptions.len());
        for &(atom, value) in assumptions {
            match self.control.literal(atom) {
                Some(literal) => literals.push(if value { literal } else { -literal }),
                None if value => {
                    let result = SolveResult { unsatisfiable: true, exhausted: true, ..SolveResult::default() };
                    return Ok(SolveOutcome { result, core: vec![atom], ..SolveOutcome::default() });
                }
                None => {}
            }
        }
        #[cfg(target_family = "wasm")]
        let _polling = crate::wasm::Polling::start(&self.stop);
        let check = &mut self.check;
        let solved = self.control.solve(&literals, &mut |model| {
            if check.as_mut().is_none_or(|check| check.accepts(model)) {
                on_model(model)
            } else {
                ControlFlow::Break(())
            }
        });
        let (result, core) = self.finish_call(solved)?;
        self.check.as_mut().map_or(Ok(()), |check| check.take_rejection(&mut self.control))?;
        let in_core = |literal: i32| core.contains(&literal);
        let core = assumptions
            .iter()
            .filter(|&&(atom, value)| {
                self.control.literal(atom).is_some_and(|literal| in_core(if value { literal } else { -literal }))
            })
            .map(|&(atom, _)| atom)
            .collect();
        Ok(SolveOutcome { result, core, ..SolveOutcome::default() })
    }

    /// Reports an answer of another solver, checked like the answers of clingo.
    pub fn show(
        &mut self,
        model: &StoredModel,
        on_model: impl FnOnce(&mut Model<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Failure> {
        let check = &mut self.check;
        let flow = model.show(|model| {
            if check.as_mut().is_none_or(|check| check.accepts(model)) {
                on_model(model)
            } else {
                ControlFlow::Break(())
            }
        });
        self.check.as_mut().map_or(Ok(()), |check| check.take_rejection(&mut self.control))?;
        Ok(flow)
    }

    /// Returns the checker, if answers are checked.
    pub fn check(&self) -> Option<&AnswerChecker> {
        self.check.as_ref()
    }

    /// Returns the clingo control, for external atoms, statistics and the atoms of the ground
    /// program.
    pub fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    /// Returns the solve mode that results from all options.
    pub fn solve_mode(&self) -> Result<SolveMode, Failure> {
        Ok(SolveMode::of(&self.control)?)
    }

    /// Returns the messages of all calls so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Forgets all messages but the first ones.
    pub fn truncate_messages(&mut self, count: usize) {
        self.messages.truncate(count);
    }

    /// Returns a warning if theory atoms (`&diff { … }`) were grounded, since no theory is
    /// supported.
    pub fn theory_warning(&self) -> Option<Diagnostic> {
        const HELP: &str = "each theory atom may be true or false here; use a solver such as clingo-dl or clingcon";
        (self.theory_atoms > 0).then(|| {
            let atoms = count(self.theory_atoms, "theory atom", "theory atoms");
            Diagnostic::warning(Code::Theory, format!("the program has {atoms}, but theories are not supported"))
                .help(HELP)
        })
    }

    /// Returns the solver's statistics as a tree; null before the first `solve`.
    pub fn statistics(&self) -> serde_json::Value {
        self.control.statistics(&[]).unwrap_or_default()
    }

    /// Returns the times among the solver's statistics.
    pub fn times(&self) -> serde_json::Value {
        self.control.statistics(&[c"summary", c"times"]).unwrap_or_default()
    }

    /// Returns a warning if the linked clingo is known to lose answers of programs of this class.
    pub fn known_defect(&self) -> Option<Diagnostic> {
        let version = ffi::version();
        if version >= SOUND_SINCE {
            return None;
        }
        let components = self.statistics().pointer("/problem/lp/sccs_non_hcf")?.as_f64()?;
        (components > 0.0).then(|| {
            let (major, minor, revision) = version;
            Diagnostic::warning(Code::OmittedAnswers, format!(
                "answers may be missing: the program is disjunctive and not head-cycle-free, and clingo {major}.{minor}.{revision} \
                 is known to lose answers of such programs"
            ))
            .help("build with a newer clingo (CLINGO_SOURCE_DIR, see the README)")
        })
    }

    /// Collects the messages of a call, which explain its error.
    fn finish_call<T>(&mut self, result: Result<T, CallError>) -> Result<T, Failure> {
        let raw_messages = self.control.take_messages();
        let localised = |message: Message| Message { diagnostic: self.localised(message.diagnostic), ..message };
        let mut new_messages: Vec<Message> = raw_messages.iter().map(message::parse).map(localised).collect();
        if new_messages.iter().any(Message::is_undefined_atom) {
            let has_atoms = |predicate: &_| self.control.atoms_of(predicate, 1).is_ok_and(|atoms| !atoms.is_empty());
            let signatures = self.control.signatures().unwrap_or_default();
            message::suggest_spelling(&mut new_messages, &self.documents, &signatures, has_atoms);
        }
        message::suggest_constants(&mut new_messages, &self.documents);
        if result.as_ref().is_err_and(|error| error.out_of_memory) {
            self.stop.out_of_memory();
        }
        let Failure(diagnostics) = match result {
            Ok(value) => {
                self.messages.extend(new_messages);
                return Ok(value);
            }
            Err(error) => failure(&error, &new_messages),
        };
        self.messages.extend(new_messages);
        Err(Failure(diagnostics.into_iter().map(|diagnostic| self.localised(diagnostic)).collect()))
    }

    /// Maps places in `<block>` to the name and line of their text.
    pub fn localised(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        for place in diagnostic.labels.iter_mut().filter(|place| place.file == "<block>") {
            let holds =
                |block: &&TextBlock| place.start.line > block.offset && place.start.line <= block.offset + block.lines;
            if let Some(block) = self.blocks.iter().find(holds) {
                place.file.clone_from(&block.name);
                place.start.line -= block.offset;
                place.end.line -= block.offset.min(place.end.line - 1);
            }
        }
        // The list of files is not a text of the user.
        diagnostic.labels.retain(|place| place.file != FILES);
        diagnostic
    }
}

/// Returns true if a text can be grounded, so that all variables of its statements are safe.
pub fn is_safe(text: &Document) -> bool {
    let grounded = Solver::new(&Settings::default(), &CancelToken::new()).and_then(|mut solver| {
        solver.add(text)?;
        solver.ground(&[("base", &[])])
    });
    grounded.is_ok()
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Diagnostic::error(Code::Clingo, error.text).into()
    }
}

fn failure(error: &CallError, messages: &[Message]) -> Failure {
    if error.out_of_memory {
        return Diagnostic::error(Code::System, "clingo ran out of memory").into();
    }
    let mut diagnostics: Vec<Diagnostic> = messages
        .iter()
        .map(|message| &message.diagnostic)
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .cloned()
        .collect();
    sorting::sort_by_key(&mut diagnostics, |diagnostic| {
        diagnostic.labels.first().map(|place| (place.file.clone(), place.start))
    });
    if diagnostics.is_empty() {
        // clingo does not log some errors, but returns the text of their message.
        let parsed = message::parse(&(0, error.text.clone())).diagnostic;
        diagnostics.push(if parsed.labels.is_empty() {
            Diagnostic::error(Code::Clingo, format!("clingo: {}", error.text))
        } else {
            parsed
        });
    }
    Failure(diagnostics)
}
