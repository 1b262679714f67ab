//! A program from its texts to its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use super::arithmetic::{self, Constants};
use super::check::Check;
use super::ffi::{self, Call, CallError, Control, Known, Model, Part, SolveResult, Symbol, Visit};
use super::incremental::{StepsEnd, borrowed};
use super::message::{self, Message};
use super::question::Question;
use super::{functions, lints, repairs, syntax};
use crate::diagnostic::{Diagnostic, Failure, Level};
use crate::document::Document;
use crate::sorting;
use crate::stop::{Hooked, Stop};
use crate::words::count;

/// The name of the text that includes the files of a program.
const FILES: &str = "<files>";

/// Messages after this many are dropped; the clingo command stops at 20.
const MESSAGE_LIMIT: u32 = 200;

/// Brackets that nest deeper would overflow the stack inside clingo (which recurses once per level).
pub const MAX_NESTING: usize = 250_000;

/// The first clingo that was seen without the wrong answers to disjunctive programs that are not head-cycle-free (clasp#91).
const SOUND_SINCE: (i32, i32, i32) = (5, 8, 2);

/// The release of clingo that is linked: `5.8.2`, or `5.6.2, which has known defects` where an older one had to be taken.
pub fn clingo_version() -> String {
    let version @ (major, minor, revision) = ffi::version();
    let known = if version < SOUND_SINCE { ", which has known defects" } else { "" };
    format!("{major}.{minor}.{revision}{known}")
}

/// What the clingo command's own options would say.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `-c name=value`.
    pub constants: Vec<(String, String)>,
    /// At most so many answers, 0 for all; `None` for clingo's default (1, or the optimum where there is one).
    pub models: Option<u64>,
    /// Solver threads.
    pub threads: Option<usize>,
    /// More options for grounding and solving, as written for the clingo command.
    pub options: Vec<String>,
    /// Hold each answer against the definition of an answer set before anybody sees it; one that fails is an error.
    pub check: bool,
}

/// The texts of one program, by the part that they play.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// What the person wants solved.
    pub instance: Vec<Document>,
    /// How it is solved. May be empty: then the instance is the whole program.
    pub encoding: Vec<Document>,
    /// Lines that a puzzle adds to an encoding, such as what to project to.
    pub additions: Vec<Document>,
    /// Ground atoms that hold, handed over without text.
    pub facts: Vec<Symbol>,
    /// The step to which a program in steps is grounded, all at once. Without one the part `base` is all that is grounded.
    pub last_step: Option<u32>,
}

impl Program {
    /// A program without a division of labour.
    pub fn of(texts: impl IntoIterator<Item = Document>) -> Self {
        Program { instance: texts.into_iter().collect(), ..Program::default() }
    }

    /// All texts, in the order in which they are read.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.instance.iter().chain(&self.encoding).chain(&self.additions)
    }
}

/// A grounder and solver with one program in it.
pub struct Solver {
    control: Control,
    check: Option<Check>,
    blocks: Vec<Block>,
    messages: Vec<Message>,
    /// Unsafe variables are found when they are grounded.
    documents: Vec<Document>,
    constants: Constants,
    theory_atoms: usize,
    stop: Stop,
    _interrupt_on_stop: Hooked,
}

/// A text in memory. clingo calls all of them `<block>`; each is given lines of its own, so that a line tells which.
struct Block {
    name: String,
    /// How many lines of other texts come before its first.
    offset: usize,
    lines: usize,
}

/// How a search ended, and what it was about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Solved {
    pub result: SolveResult,
    /// Assumptions that cannot hold together, if that is why there is no answer; not always the fewest.
    pub core: Vec<Symbol>,
    /// Of a program in steps: what was searched through.
    pub refuted: Refuted,
    /// How the loop of a program in steps ended.
    pub steps: Option<StepsEnd>,
}

/// The first steps of a program, each of which was searched through and has no answer. The loop alone makes one: a step that was
/// broken off is refuted by nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refuted(u32);

impl Refuted {
    pub(super) fn with(self, step: u32, result: SolveResult) -> Self {
        if result.unsatisfiable && self.0 == step { Refuted(step + 1) } else { self }
    }

    /// How many they are.
    pub fn steps(self) -> u32 {
        self.0
    }
}

impl Solver {
    /// An empty program. `stop` ends its solving, whichever thread asks.
    pub fn new(settings: &Settings, stop: &Stop) -> Result<Self, Failure> {
        let (_, mut arguments) = lints::wanted(&settings.options);
        arguments
            .extend(settings.constants.iter().flat_map(|(name, value)| ["-c".to_owned(), format!("{name}={value}")]));
        arguments.extend(settings.models.map(|models| format!("--models={models}")));
        arguments.extend(settings.threads.map(|threads| format!("--parallel-mode={threads}")));
        let mut control = Control::new(&arguments, MESSAGE_LIMIT)
            .map_err(|(error, log)| failure(&error, &log.iter().map(message::parse).collect::<Vec<_>>()))?;
        let interrupter = control.interrupter();
        let hooked = stop.on_request(move || interrupter.interrupt());
        let check =
            settings.check.then(|| Check::new(&mut control)).transpose().map_err(|error| failure(&error, &[]))?;
        let known = settings.constants.iter();
        let constants =
            known.filter_map(|(name, term)| Some((name.clone(), arithmetic::value(term, &Constants::new())?)));
        Ok(Solver {
            control,
            check,
            blocks: Vec::new(),
            messages: Vec::new(),
            documents: Vec::new(),
            constants: constants.collect(),
            theory_atoms: 0,
            stop: stop.clone(),
            _interrupt_on_stop: hooked,
        })
    }

    /// Loads a whole program and grounds it.
    pub fn with_program(program: &Program, settings: &Settings, stop: &Stop) -> Result<Self, Failure> {
        let mut solver = Solver::new(settings, stop)?;
        solver.load(program)?;
        solver.ground_program(program)?;
        solver.check_inputs(program)?;
        Ok(solver)
    }

    /// Parses the texts of a program and takes its facts; nothing is grounded yet.
    pub fn load(&mut self, program: &Program) -> Result<(), Failure> {
        if !program.facts.is_empty() {
            let added = self.control.add_facts(&program.facts);
            self.called(added)?;
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

    /// Parses several files at once: clingo then reads each of them, and what they include, once.
    fn add_files(&mut self, files: &[&Document]) -> Result<(), Failure> {
        files.iter().try_for_each(|file| self.look_at(file))?;
        let include = |file: &&Document| {
            let path = file.path.as_deref().and_then(Path::to_str).unwrap_or_default();
            format!("#include \"{}\".", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        };
        let text = files.iter().map(include).collect::<Vec<_>>().join(" ");
        let added = self.add_block(FILES, &text);
        self.documents.extend(files.iter().copied().cloned());
        self.called(added)
            .map_err(|failure| files.iter().fold(failure, |failure, file| repairs::explained(failure, file)))
    }

    fn add_block(&mut self, name: &str, text: &str) -> Result<(), CallError> {
        let offset = self.blocks.last().map_or(0, |block| block.offset + block.lines);
        let lines = text.matches('\n').count() + 2;
        self.blocks.push(Block { name: name.to_owned(), offset, lines });
        self.control.add(&format!("{}{}", "\n".repeat(offset), text))
    }

    /// Parses one text.
    pub fn add(&mut self, document: &Document) -> Result<(), Failure> {
        self.look_at(document)?;
        let added = match &document.path {
            Some(path) => self.control.load(path),
            None => self.add_block(&document.name, &document.text),
        };
        self.documents.push(document.clone());
        self.called(added).map_err(|failure| repairs::explained(failure, document))
    }

    /// What clingo must not see, and what it would not say.
    fn look_at(&mut self, document: &Document) -> Result<(), Failure> {
        let depth = syntax::nesting_depth(&document.text);
        if depth > MAX_NESTING {
            let text = format!("{}: terms nest {depth} deep; at most {MAX_NESTING} levels can be read", document.name);
            return Err(Diagnostic::error(text).into());
        }
        arithmetic::define(&mut self.constants, [document].into_iter());
        let warnings = arithmetic::check(document, &self.constants);
        self.messages.extend(warnings.into_iter().map(|diagnostic| Message { diagnostic, undefined: false }));
        Ok(())
    }

    /// Grounds program parts, for instance `("step", &[number(3)])`. Nothing can interrupt this.
    pub fn ground(&mut self, parts: &[Part<'_>]) -> Result<(), Failure> {
        let (mut unknown, mut wrong) = (BTreeMap::new(), None);
        let grounded = self.control.ground_calling(parts, |call| match functions::values(call) {
            Ok(values) => ControlFlow::Continue(values),
            // As clingo does it, which goes on.
            Err(wanted) if functions::usage(call.name).is_none() => {
                if !unknown.contains_key(call.name) {
                    let text = format!("operation undefined: function '{}' not found", call.name);
                    let told = functions::wrong_call(call, &wanted);
                    unknown.insert(call.name.to_owned(), Diagnostic { level: Level::Info, text, ..told });
                }
                ControlFlow::Continue(Vec::new())
            }
            Err(wanted) => {
                wrong = Some(functions::wrong_call(call, &wanted));
                ControlFlow::Break(())
            }
        });
        for diagnostic in unknown.into_values() {
            let diagnostic = self.localised(diagnostic);
            self.messages.push(Message { diagnostic, undefined: false });
        }
        if let Some(wrong) = wrong {
            return Err(self.localised(wrong).into());
        }
        self.called(grounded).map_err(|failure| self.documents.iter().fold(failure, repairs::explained))?;
        // They are there between grounding and solving alone.
        self.theory_atoms += self.control.theory_atoms().unwrap_or(0);
        Ok(())
    }

    /// Grounds a program that is loaded: its part `base`, or its steps up to the last.
    pub fn ground_program(&mut self, program: &Program) -> Result<(), Failure> {
        program.groundings().try_for_each(|parts| self.ground(&borrowed(&parts)))
    }

    /// Grounds program parts, asking for the values of every function that they call (`@name(…)`): without one, what contains
    /// the call is left out. A break ends the grounding, which is a failure.
    pub fn ground_calling<F>(&mut self, parts: &[Part<'_>], called: F) -> Result<(), Failure>
    where
        F: FnMut(&Call<'_>) -> ControlFlow<(), Vec<Symbol>>,
    {
        let grounded = self.control.ground_calling(parts, called);
        self.called(grounded)
    }

    /// An encoding that finds none of its input in the instance would succeed with answers about nothing.
    ///
    /// Its input: the predicates that it uses and that no text defines. If it has such, and uses not one predicate that
    /// the instance defines, that is an error.
    pub fn check_inputs(&self, program: &Program) -> Result<(), Failure> {
        if program.encoding.is_empty() {
            return Ok(());
        }
        let of_encoding = |message: &&Message| {
            message.undefined
                && message
                    .diagnostic
                    .places
                    .first()
                    .is_some_and(|place| program.encoding.iter().any(|text| text.name == place.file))
        };
        let missing: BTreeSet<String> = self
            .messages
            .iter()
            .filter(of_encoding)
            .filter_map(Message::undefined_predicate)
            .map(|predicate| predicate.to_string())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let heads = program.instance.iter().flat_map(|document| syntax::statements(&document.text));
        let heads = heads.filter_map(|statement| statement.head);
        let given = heads.chain(program.facts.iter().filter_map(|&fact| ffi::signature_of(fact)));
        let given: BTreeSet<String> = given.map(|(name, arity)| format!("{name}/{arity}")).collect();
        let is_used = |predicate: &String| {
            let name = predicate.split('/').next().unwrap_or_default();
            program.encoding.iter().any(|document| syntax::uses(&document.text, name)) && !missing.contains(predicate)
        };
        if given.iter().any(is_used) {
            return Ok(());
        }
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
        let names: Vec<&str> = program.encoding.iter().map(|document| document.name.as_str()).collect();
        let found = if given.is_empty() { "nothing".to_owned() } else { list(&given) };
        let place =
            self.messages.iter().find(of_encoding).and_then(|message| message.diagnostic.places.first().cloned());
        Err(Diagnostic::error(format!(
            "the instance has no input for {}: the encoding wants {}, the instance defines {found}",
            names.join(", "),
            list(&missing)
        ))
        .at(place)
        .into())
    }

    /// Solves under assumptions (an atom and the value it is to have), calling `found` for each answer until it breaks.
    ///
    /// Answers are not stored. An atom that the grounder never met is false: assuming it true has no answer.
    pub fn solve<F>(&mut self, assumptions: &[(Symbol, bool)], mut found: F) -> Result<Solved, Failure>
    where
        F: FnMut(&mut Model<'_>) -> ControlFlow<()> + Send,
    {
        self.solve_with(assumptions, &mut found)
    }

    fn solve_with(&mut self, assumptions: &[(Symbol, bool)], found: Visit<'_>) -> Result<Solved, Failure> {
        let mut literals = Vec::with_capacity(assumptions.len());
        for &(atom, value) in assumptions {
            match self.control.literal(atom) {
                Some(literal) => literals.push(if value { literal } else { -literal }),
                None if value => {
                    let result = SolveResult { unsatisfiable: true, exhausted: true, ..SolveResult::default() };
                    return Ok(Solved { result, core: vec![atom], ..Solved::default() });
                }
                None => {}
            }
        }
        let check = &mut self.check;
        let solved =
            self.control.solve(&literals, &mut |model| match check.as_mut().is_none_or(|check| check.passes(model)) {
                true => found(model),
                false => ControlFlow::Break(()),
            });
        let (result, core) = self.called(solved)?;
        self.check.as_mut().map_or(Ok(()), |check| check.refused(&mut self.control))?;
        let in_core = |literal: i32| core.contains(&literal);
        let core = assumptions
            .iter()
            .filter(|&&(atom, value)| {
                self.control.literal(atom).is_some_and(|literal| in_core(if value { literal } else { -literal }))
            })
            .map(|&(atom, _)| atom)
            .collect();
        Ok(Solved { result, core, ..Solved::default() })
    }

    /// Shows an answer of another search, checked as those of clingo are.
    pub fn show(
        &mut self,
        known: &Known,
        found: impl FnOnce(&mut Model<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Failure> {
        let check = &mut self.check;
        let flow = known.show(|model| match check.as_mut().is_none_or(|check| check.passes(model)) {
            true => found(model),
            false => ControlFlow::Break(()),
        });
        self.check.as_mut().map_or(Ok(()), |check| check.refused(&mut self.control))?;
        Ok(flow)
    }

    /// What was checked, if answers are.
    pub fn check(&self) -> Option<&Check> {
        self.check.as_ref()
    }

    /// The control below, for external atoms, statistics and the atoms that the grounder met.
    pub fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    /// What was asked: all options together.
    pub fn question(&self) -> Result<Question, Failure> {
        Ok(Question::of(&self.control)?)
    }

    /// The messages of all calls until now.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What to say of theory atoms (`&diff { … }`), if some were grounded: none of them is given a meaning here.
    pub fn theory_warning(&self) -> Option<Diagnostic> {
        const HELP: &str = "theory atoms are unsupported: they are free to hold or not; a solver such as clingo-dl or clingcon is needed";
        (self.theory_atoms > 0).then(|| {
            let atoms = count(self.theory_atoms, "theory atom", "theory atoms");
            Diagnostic::warning(format!("the program has {atoms}, which no theory gives a meaning to here")).help(HELP)
        })
    }

    /// The solver's statistics as a tree; null before the first `solve`.
    pub fn statistics(&self) -> serde_json::Value {
        self.control.statistics().unwrap_or_default()
    }

    /// Why answers of this program cannot be trusted to be all of them, if the linked clingo is known to err on its kind.
    pub fn known_defect(&self) -> Option<Diagnostic> {
        let version = ffi::version();
        if version >= SOUND_SINCE {
            return None;
        }
        let components = self.statistics().pointer("/problem/lp/sccs_non_hcf")?.as_f64()?;
        (components > 0.0).then(|| {
            let (major, minor, revision) = version;
            Diagnostic::warning(format!(
                "answers may be missing: the program is disjunctive and not head-cycle-free, and clingo {major}.{minor}.{revision} \
                 is known to lose answers of such programs"
            ))
            .help("build with a newer clingo (CLINGO_SOURCE_DIR, see the README)")
        })
    }

    /// Takes the messages that the call left behind; they explain its error.
    fn called<T>(&mut self, result: Result<T, CallError>) -> Result<T, Failure> {
        let taken = self.control.take_messages();
        let localised = |message: Message| Message { diagnostic: self.localised(message.diagnostic), ..message };
        let mut fresh: Vec<Message> = taken.iter().map(message::parse).map(localised).collect();
        if fresh.iter().any(|message| message.undefined) {
            let has_atoms = |predicate: &_| self.control.atoms_of(predicate, 1).is_ok_and(|atoms| !atoms.is_empty());
            message::say_what_is_near(&mut fresh, &self.control.signatures().unwrap_or_default(), has_atoms);
        }
        message::say_what_has_no_value(&mut fresh);
        if result.as_ref().is_err_and(|error| error.out_of_memory) {
            self.stop.out_of_memory();
        }
        let Failure(told) = match result {
            Ok(value) => {
                self.messages.extend(fresh);
                return Ok(value);
            }
            Err(error) => failure(&error, &fresh),
        };
        self.messages.extend(fresh);
        Err(Failure(told.into_iter().map(|diagnostic| self.localised(diagnostic)).collect()))
    }

    /// Gives the places in `<block>` back the name and line of their text.
    pub fn localised(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        for place in diagnostic.places.iter_mut().filter(|place| place.file == "<block>") {
            let holds =
                |block: &&Block| place.start.line > block.offset && place.start.line <= block.offset + block.lines;
            if let Some(block) = self.blocks.iter().find(holds) {
                place.file.clone_from(&block.name);
                place.start.line -= block.offset;
                place.end.line -= block.offset.min(place.end.line - 1);
            }
        }
        // The list of files is nobody's text.
        diagnostic.places.retain(|place| place.file != FILES);
        diagnostic
    }
}

/// Whether another text can include it: it lies in a file whose name clingo can be told in a string, and is no ground program.
pub(super) fn can_be_included(document: &Document) -> bool {
    let is_named = document.path.as_deref().is_some_and(|path| path.to_str().is_some());
    is_named && !syntax::is_ground_format(&document.text)
}

/// Whether the statements of a text have only safe variables.
pub fn is_safe(text: &Document) -> bool {
    let grounded = Solver::new(&Settings::default(), &Stop::new()).and_then(|mut solver| {
        solver.add(text)?;
        solver.ground(&[("base", &[])])
    });
    grounded.is_ok()
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Diagnostic::error(error.text).into()
    }
}

fn failure(error: &CallError, messages: &[Message]) -> Failure {
    let mut diagnostics: Vec<Diagnostic> = messages
        .iter()
        .map(|message| &message.diagnostic)
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .cloned()
        .collect();
    sorting::sort_by_key(&mut diagnostics, |diagnostic| {
        diagnostic.places.first().map(|place| (place.file.clone(), place.start))
    });
    if error.out_of_memory {
        diagnostics = vec![Diagnostic::error("clingo ran out of memory")];
    } else if diagnostics.is_empty() {
        // Some errors come as the text of a message without having been logged.
        let said = message::parse(&(0, error.text.clone())).diagnostic;
        diagnostics.push(if said.places.is_empty() {
            Diagnostic::error(format!("clingo: {}", error.text))
        } else {
            said
        });
    }
    Failure(diagnostics)
}
