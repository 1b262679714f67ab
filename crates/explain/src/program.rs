//! A program whose parts can be left out, grounded once.
//!
//! The rewriting is monotone even if the program has negation: without a part, there are at least
//! the same answers. Every superset of an unsatisfiable set of parts is therefore unsatisfiable.
//!
//! | part | becomes | enforced by assuming |
//! |---|---|---|
//! | a fact `p(1..3).` | a choice `{ p(1..3) }.` | its atoms true |
//! | a constraint `:- body.` | `broken(K,(X,…)) :- body.` | an instance's atom false |
//! | a choice `{ … } = 1 :- body.` | the choice without bounds, and `broken(K,(X,…)) :- body; not { … } = 1.` | the same |
//! | a rule | the rule with `on(K)` in its body, and `{ on(K) }.` | `on(K)` true |
//!
//! To count the answers without a fact, [`RelaxedProgram::for_counts`] makes it a rule instead,
//! `p(X) :- selected(K,p(X)).`, with choices of `selected(K,p(1..3))`: other rules may still derive the
//! atom of a fact that is left out.
//!
//! K is the number of the statement and X,… are its variables; the names of added predicates begin
//! with [`asp::ADDED_PREFIX`]. Parts that are not blamed remain unchanged. Optimisation statements are
//! dropped: only the existence of answers is explained.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use asp::tree::{Head, Term};
use asp::{
    AnswerChecker, Program, RewrittenProgram, Settings, Signature, Solver, Statement, Symbol, function, signature_of,
    statements_of,
};
use base::diagnostic::{Diagnostic, Failure, Place};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use ground::GroundProgram;
use parking_lot::Mutex;

use super::part::{Blame, Part, PartKind};
use super::words::Wording;

/// The program to explain.
#[derive(Debug, Clone, Default)]
pub struct ExplainInput {
    pub program: Program,
    /// The boards, which are documents of facts in `program`.
    pub boards: Boards,
    /// Predicates whose facts define the shape of a board. These facts are never blamed.
    pub shape: Vec<Signature>,
    /// Groups the facts of each clue, which become one part. If `None`, each fact is a part.
    pub clues: Option<ClueOfFact>,
}

/// Returns for each fact the index of the fact that represents its clue.
pub type ClueOfFact = fn(&[Symbol]) -> Vec<usize>;

/// Maps the name of each document to its clues: for each line of facts, the place and the text of
/// the clue in the user's document.
pub type Boards = BTreeMap<String, Vec<Option<(Place, String)>>>;

impl From<Program> for ExplainInput {
    fn from(program: Program) -> Self {
        ExplainInput { program, ..ExplainInput::default() }
    }
}

/// A program whose parts can be left out by assumptions.
pub struct RelaxedProgram {
    solver: Solver,
    stop: CancelToken,
    statements: Vec<Statement>,
    words: Wording,
    texts: BTreeMap<String, Arc<str>>,
    parts: Vec<SoftConstraint>,
    query_atoms: Vec<(Symbol, i32)>,
    last_step: Option<u32>,
    settings: Settings,
    ground: Arc<Mutex<GroundProgram>>,
    messages: Vec<Diagnostic>,
    undefined: Vec<String>,
    /// The atoms that occur in a rule head or are external. All other atoms are false, although the
    /// solver accepts the assumption that they are true.
    derivable: HashSet<u32>,
}

/// A part that can be left out.
struct SoftConstraint {
    kind: PartKind,
    /// The index of its statement.
    statement: usize,
    /// The values of the statement's variables, if the part is a constraint.
    values: Vec<Symbol>,
    /// The atoms of the facts, if the part consists of facts.
    atoms: Vec<Symbol>,
    /// The literals that enforce the part.
    assumptions: Vec<i32>,
    place: Place,
    /// The part in the user's notation, if it differs from the source text.
    name: Option<String>,
    is_obvious: bool,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolveOutcome {
    /// There is an answer. The element of a part is true if it holds in that answer.
    Satisfiable(Vec<bool>),
    /// There is no answer. The listed parts, some of those that were enforced, suffice for that. If
    /// none is listed, the rest of the program contradicts itself.
    Unsatisfiable(Vec<usize>),
    Unknown(StopReason),
}

const VIOLATED: &str = "__asp_solve_broken";
const FACT: &str = "__asp_solve_fact";
const SELECTED: &str = "__asp_solve_selected";
const ON: &str = "__asp_solve_on";

/// The form that the rewriting gives to a fact that can be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SoftFact {
    /// A choice of its atoms.
    Choice,
    /// A rule whose body is chosen.
    Rule,
}

impl RelaxedProgram {
    /// Rewrites and grounds a program. `blamed` selects the parts that can be left out.
    pub fn new(
        source: &ExplainInput,
        blamed: &[Blame],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<RelaxedProgram, Failure> {
        RelaxedProgram::with_facts(SoftFact::Choice, source, blamed, settings, stop)
    }

    /// Like [`new`](Self::new), for counts: if the assumptions of a fact are false, the answers are those
    /// of a program that does not contain the fact.
    pub fn for_counts(
        source: &ExplainInput,
        blamed: &[Blame],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<RelaxedProgram, Failure> {
        RelaxedProgram::with_facts(SoftFact::Rule, source, blamed, settings, stop)
    }

    fn with_facts(
        soft_fact: SoftFact,
        source: &ExplainInput,
        blamed: &[Blame],
        settings: &Settings,
        stop: &CancelToken,
    ) -> Result<RelaxedProgram, Failure> {
        // Callers that need one answer stop the search after it.
        let settings = Settings { models: Some(0), ..settings.clone() };
        let program = &source.program.at_final_step(&settings, stop)?;
        // Report syntax errors as in any other run.
        Solver::new(&settings, stop)?.load(program)?;
        let statements = statements_of(program)?;
        let documents = parsed_documents(program, &statements);
        let words = Wording::of(&documents, &statements)?;
        let rewriting = Rewriting { source, blamed, soft_fact };
        let rewritten = RewrittenProgram::of(statements.iter().enumerate(), |number, statement| {
            rewriting.edited(number, statement)
        });

        let mut solver = Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        // clingo would otherwise print every atom that might be shown, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let relaxed_program = Program {
            instance: vec![rewritten.document(), hidden],
            facts: program.facts.clone(),
            last_step: program.last_step,
            ..Program::default()
        };
        let grounded = solver.load(&relaxed_program).and_then(|()| solver.ground_program(&relaxed_program));
        if let Err(failure) = grounded {
            // If the original program has errors, too, report these, since they do not mention the
            // rewriting.
            Solver::with_program(program, &settings, stop)?;
            return Err(rewritten.map_to_source(failure, &statements));
        }
        let failure = Failure(solver.messages().iter().map(|message| message.diagnostic.clone()).collect());
        let mut messages = rewritten.map_to_source(failure, &statements).0;
        messages.retain(|message| !message.message.contains(asp::ADDED_PREFIX) && !message.labels.is_empty());
        messages.extend(solver.theory_warning());
        let undefined = undefined_predicates(program, &statements, &solver);
        let derivable = ground.lock().atoms().collect();
        let mut relaxed = RelaxedProgram {
            solver,
            stop: stop.clone(),
            // Only the first document of a name is used. A test file occurs several times, each
            // time with a different subset of its statements.
            texts: documents.iter().rev().map(|document| (document.name.clone(), document.text.clone())).collect(),
            parts: Vec::new(),
            query_atoms: Vec::new(),
            last_step: program.last_step,
            settings,
            statements,
            words,
            messages,
            undefined,
            derivable,
            ground,
        };
        relaxed.find_parts(source, soft_fact)?;
        if relaxed.words.has_conditions() {
            relaxed.find_given_atoms()?;
        }
        relaxed.find_query_atoms()?;
        Ok(relaxed)
    }

    /// Collects the atoms that the conditions of words may use: the facts, and the atoms of facts
    /// that can be left out.
    fn find_given_atoms(&mut self) -> Result<(), Failure> {
        let facts = self.known_atoms()?.into_iter().filter(|(.., is_fact)| *is_fact).map(|(atom, ..)| atom);
        let blamed = self.parts.iter().flat_map(|part| part.atoms.iter().copied());
        self.words.given = facts.chain(blamed).collect();
        Ok(())
    }

    /// Collects the parts from the auxiliary atoms of the rewriting.
    fn find_parts(&mut self, source: &ExplainInput, soft_fact: SoftFact) -> Result<(), Failure> {
        let known = self.known_atoms()?;
        let literals: HashMap<Symbol, i32> = known.iter().map(|&(atom, literal, _)| (atom, literal)).collect();
        // By fact: the index of its part.
        let mut seen: HashMap<Symbol, usize> = HashMap::new();
        for &(atom, literal, _) in &known {
            let Some((name @ (VIOLATED | FACT | ON), _)) = signature_of(atom) else { continue };
            let arguments = atom.arguments().unwrap_or_default();
            let Some(number) = arguments.first().and_then(|number| number.number().ok()) else { continue };
            let Some(statement) = self.statements.get(number as usize) else { continue };
            let mut part = SoftConstraint {
                kind: PartKind::Rule,
                statement: number as usize,
                values: Vec::new(),
                atoms: Vec::new(),
                assumptions: vec![literal],
                place: statement.place.clone(),
                name: None,
                is_obvious: false,
            };
            match name {
                VIOLATED => {
                    part.kind = PartKind::Constraint;
                    part.values = arguments[1].arguments().unwrap_or_default();
                    part.assumptions = vec![-literal];
                    part.is_obvious = self.words.is_obvious(part.statement);
                }
                FACT => {
                    let fact = arguments[1];
                    let enforced = match soft_fact {
                        SoftFact::Choice => Some(fact),
                        SoftFact::Rule => function(SELECTED, &arguments),
                    };
                    let literal = enforced.and_then(|atom| literals.get(&atom).copied());
                    // Duplicate facts are one part.
                    match seen.entry(fact) {
                        Entry::Occupied(first) => {
                            let known: &mut SoftConstraint = &mut self.parts[*first.get()];
                            known.assumptions.extend(literal.filter(|literal| !known.assumptions.contains(literal)));
                            continue;
                        }
                        Entry::Vacant(entry) => drop(entry.insert(self.parts.len())),
                    }
                    part.kind = PartKind::Fact;
                    part.atoms = vec![fact];
                    part.assumptions = literal.into_iter().collect();
                    let lines = source.boards.get(&part.place.file);
                    let clue = lines.and_then(|lines| lines.get(part.place.start.line - 1).cloned().flatten());
                    if let Some((place, text)) = clue {
                        part.place = place;
                        part.name = Some(text);
                    }
                }
                _ => {}
            }
            self.parts.push(part);
        }
        if let Some(clues) = source.clues {
            self.merge_clue_facts(clues);
        }
        // In source order, independent of the grounder.
        let key = |part: &SoftConstraint| (part.statement, part.values.clone(), part.atoms.clone());
        let is_deep = |part: &SoftConstraint| part.values.iter().chain(&part.atoms).any(|&term| asp::is_deep(term));
        asp::sort_by_symbols(&mut self.parts, is_deep, key);
        Ok(())
    }

    /// Merges the facts of each clue into one part. `clues` groups the facts.
    fn merge_clue_facts(&mut self, clues: ClueOfFact) {
        let (facts, mut parts): (Vec<SoftConstraint>, Vec<SoftConstraint>) =
            self.parts.drain(..).partition(|part| part.kind == PartKind::Fact);
        let atoms: Vec<Symbol> = facts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        let clues = clues(&atoms);
        let mut groups: BTreeMap<usize, Vec<SoftConstraint>> = BTreeMap::new();
        for (number, (clue, fact)) in clues.into_iter().zip(facts).enumerate() {
            let group = groups.entry(clue).or_default();
            // The fact that represents the clue comes first.
            let at = if number == clue { 0 } else { group.len() };
            group.insert(at, fact);
        }
        for facts in groups.into_values() {
            let mut facts = facts.into_iter();
            let Some(mut part) = facts.next() else { continue };
            for other in facts {
                part.atoms.extend(other.atoms);
                part.assumptions.extend(other.assumptions);
            }
            parts.push(part);
        }
        self.parts = parts;
    }

    /// Collects the query atoms: the shown atoms, or if none are declared as shown, all atoms that
    /// are not facts.
    fn find_query_atoms(&mut self) -> Result<(), Failure> {
        let known = self.known_atoms()?;
        let mut shown = Vec::new();
        for statement in self.statements.iter().filter(|statement| statement.is_grounded()) {
            if let Head::Show(signature) = &statement.head {
                shown.extend(signature.clone());
            }
        }
        let is_query_atom = |atom: Symbol| {
            let Some(predicate) = asp::predicate_of(atom).filter(|_| !asp::is_added(atom)) else { return false };
            // The drawing of an answer is not part of the answer.
            if shown.is_empty() { predicate.name != "draw" } else { shown.contains(&predicate) }
        };
        let facts: HashSet<Symbol> = self.parts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        let selected =
            known.into_iter().filter(|&(atom, _, is_fact)| !is_fact && !facts.contains(&atom) && is_query_atom(atom));
        self.query_atoms = selected.map(|(atom, literal, _)| (atom, literal)).collect();
        asp::sort_by_symbols(&mut self.query_atoms, |&(atom, _)| asp::is_deep(atom), |&question| question);
        Ok(())
    }

    /// Returns the number of parts, which are numbered from 0.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn kind(&self, part: usize) -> PartKind {
        self.parts[part].kind
    }

    /// Returns the index of the statement of `part`.
    pub fn statement_of(&self, part: usize) -> usize {
        self.parts[part].statement
    }

    /// Returns true for a constraint that is always enforced and never given as a reason.
    pub fn is_obvious(&self, part: usize) -> bool {
        self.parts[part].is_obvious
    }

    /// Returns the atoms of `part` if it consists of facts, otherwise none.
    pub fn atoms(&self, part: usize) -> &[Symbol] {
        &self.parts[part].atoms
    }

    /// Returns the predicate of `part` if it is a fact or rule.
    pub fn signature(&self, part: usize) -> Option<Signature> {
        let part = &self.parts[part];
        self.statements[part.statement].head.signature()
    }

    /// Returns the values of the variables of `part` if it is an instance of a choice with bounds.
    pub fn values_of_choice(&self, part: usize) -> Option<&[Symbol]> {
        let part = &self.parts[part];
        let is_choice = matches!(self.statements[part.statement].head, Head::Choice(_));
        (is_choice && part.kind == PartKind::Constraint).then_some(&part.values)
    }

    /// Returns the literals that enforce `part`.
    pub fn assumptions(&self, part: usize) -> &[i32] {
        &self.parts[part].assumptions
    }

    /// Returns the atoms that an answer consists of, without facts, and their literals.
    pub fn query_atoms(&self) -> &[(Symbol, i32)] {
        &self.query_atoms
    }

    /// Returns the literal of `atom`, or `None` if no answer contains the atom.
    pub fn literal(&mut self, atom: Symbol) -> Option<i32> {
        self.solver.control().literal(atom).filter(|literal| self.derivable.contains(&literal.unsigned_abs()))
    }

    /// Returns the observed ground program, which is complete after the first query.
    pub fn ground(&self) -> Arc<Mutex<GroundProgram>> {
        self.ground.clone()
    }

    /// Completes the ground program without searching, and returns a copy of it.
    pub fn completed_ground(&mut self) -> Result<GroundProgram, Failure> {
        self.solver.control().prepare()?;
        Ok(self.ground.lock().clone())
    }

    /// Returns the messages of the grounder, for example about atoms that occur in no rule head.
    pub fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }

    /// Returns a sentence about each predicate that is used but not defined.
    pub fn undefined(&self) -> &[String] {
        &self.undefined
    }

    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Returns the last step of an incremental program.
    pub fn last_step(&self) -> Option<u32> {
        self.last_step
    }

    pub fn words(&self) -> &Wording {
        &self.words
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the documents of the program, each with its complete text.
    pub fn documents(&self) -> impl Iterator<Item = Document> + '_ {
        self.texts.iter().map(|(name, text)| Document::in_memory(name.as_str(), text.clone()))
    }

    /// Returns rules that derive `because(Step,Name)` for parts.
    pub fn names(&self, step: usize, parts: &[usize]) -> String {
        let instance = |&part: &usize| (self.parts[part].statement, self.parts[part].values.clone());
        self.words.names(step, &self.statements, &parts.iter().map(instance).collect::<Vec<_>>())
    }

    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// Returns all atoms, including those of the rewriting, each with its literal and true if it is
    /// a fact.
    pub fn known_atoms(&mut self) -> Result<Vec<(Symbol, i32, bool)>, Failure> {
        let control = self.solver.control();
        let known = control.known_atoms()?;
        let with_literal = |(atom, is_fact)| Some((atom, control.literal(atom)?, is_fact));
        let is_derivable =
            |&(_, literal, is_fact): &(Symbol, i32, bool)| is_fact || self.derivable.contains(&literal.unsigned_abs());
        Ok(known.into_iter().filter_map(with_literal).filter(is_derivable).collect())
    }

    /// Searches for an answer in which `parts` and the literals `assumed` hold.
    pub fn solve(&mut self, parts: &[usize], assumed: &[i32]) -> Result<SolveOutcome, Failure> {
        let mut holding = Vec::new();
        let all = &self.parts;
        let solved = self.solver.control().solve(&assumptions(all, parts, assumed), &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            holding = all.iter().map(|part| part.assumptions.iter().all(holds)).collect();
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
        if result.satisfiable {
            return Ok(SolveOutcome::Satisfiable(holding));
        }
        if !result.unsatisfiable {
            return Ok(SolveOutcome::Unknown(self.stop.requested().unwrap_or(StopReason::Unproven)));
        }
        let core: HashSet<i32> = core.into_iter().collect();
        let is_in_core = |&part: &usize| all[part].assumptions.iter().any(|literal| core.contains(literal));
        Ok(SolveOutcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect()))
    }

    /// Returns the atoms of an answer in which `parts` and the literals `assumed` hold, without the
    /// atoms of the rewriting. The answer is checked against the definition of answer sets. Returns
    /// `None` if there is no answer or the search was cancelled.
    pub fn model(&mut self, parts: &[usize], assumed: &[i32]) -> Result<Option<Vec<Symbol>>, Failure> {
        let (mut found, mut check) = (None, AnswerChecker::new(self.solver.control())?);
        let solved = self.solver.control().solve(&assumptions(&self.parts, parts, assumed), &mut |model| {
            if !check.accepts(model) {
                return ControlFlow::Break(());
            }
            found = model.atoms().map(|atoms| atoms.filter(|&atom| !asp::is_added(atom)).collect()).ok();
            ControlFlow::Break(())
        });
        solved?;
        check.take_rejection(self.solver.control())?;
        Ok(found)
    }

    /// Describes parts for the user.
    pub fn parts(&self, parts: &[usize]) -> Result<Vec<Part>, Failure> {
        let instances: Vec<(usize, Vec<Symbol>)> =
            parts.iter().map(|&part| (self.parts[part].statement, self.parts[part].values.clone())).collect();
        let words = self.words.of_instances(&self.statements, &instances)?;
        let first = |&part: &usize| self.parts[part].atoms.first().copied();
        let atoms: Vec<Symbol> = parts.iter().filter_map(first).collect();
        let mut of_atoms = atoms.iter().zip(self.words.of_atoms(&atoms)?);
        let described = parts.iter().zip(words).map(|(&number, words)| {
            let part = &self.parts[number];
            let statement = &self.statements[part.statement];
            let fact = if part.atoms.is_empty() { None } else { of_atoms.next() };
            let (text, words) = match fact {
                Some((atom, words)) => (part.name.clone().unwrap_or_else(|| asp::to_text_truncated(*atom)), words),
                // A rule that is blamed as a whole has no values to print.
                _ if part.kind == PartKind::Rule && !statement.variables.is_empty() => {
                    (self.source_of(statement), self.source_of(statement).into())
                }
                _ => (self.source_of(statement), words),
            };
            Part { kind: part.kind, text, place: Some(part.place.clone()), words }
        });
        Ok(described.collect())
    }

    /// Describes the violation of the constraint `part`, which is described as `described`: by its
    /// words, or if it has none, by its source text.
    pub fn violation_text(&self, part: usize, described: &Part) -> String {
        let statement = self.parts[part].statement;
        if self.words.has(statement) {
            return described.words.to_string();
        }
        let arrow = if matches!(self.statements[statement].head, Head::Constraint) { ":- " } else { "" };
        format!("this constraint would be violated: {arrow}{}", described.words)
    }

    /// Describes instances of rules and facts, each with the values of its variables.
    pub fn instances(&self, instances: &[(usize, Vec<Symbol>)]) -> Result<Vec<Part>, Failure> {
        let words = self.words.of_instances(&self.statements, instances)?;
        let described = instances.iter().zip(words).map(|((number, _), words)| {
            let statement = &self.statements[*number];
            let kind = if statement.is_fact() { PartKind::Fact } else { PartKind::Rule };
            Part { kind, text: self.source_of(statement), place: Some(statement.place.clone()), words }
        });
        Ok(described.collect())
    }

    /// The source text of a statement.
    fn source_of(&self, statement: &Statement) -> String {
        let place = &statement.place;
        let source = self.texts.get(&place.file).and_then(|text| text.get(place.range_in(text)));
        let source = source.filter(|source| !source.trim().is_empty());
        source.map_or_else(|| statement.text.clone(), asp::syntax::normalize_whitespace)
    }
}

/// Returns the documents that the parser has read, without duplicates: if a file is named by two
/// paths, the parser reads it under one of them.
fn parsed_documents(program: &Program, statements: &[Statement]) -> Vec<Document> {
    let is_read = |document: &Document| statements.iter().any(|statement| statement.place.file == document.name);
    let is_duplicate =
        |document: &Document| program.documents().any(|other| other.text == document.text && is_read(other));
    program.documents().filter(|document| is_read(document) || !is_duplicate(document)).cloned().collect()
}

/// Returns a sentence about each predicate that is used but not defined, sorted. clingo reports
/// every atom that matches no head, even if other atoms of its predicate can be derived.
fn undefined_predicates(program: &Program, statements: &[Statement], solver: &Solver) -> Vec<String> {
    let are_heads_known = statements.iter().all(|statement| {
        let is_external = matches!(statement.head, Head::External { .. });
        !is_external && statement.heads().len() == statement.head_signatures().len()
    });
    if !are_heads_known {
        return Vec::new();
    }
    let facts = program.facts.iter().filter_map(|&fact| asp::predicate_of(fact));
    let heads = statements.iter().flat_map(|statement| statement.head_signatures()).chain(facts);
    let defined: HashSet<Signature> = heads.collect();
    let undefined = solver.messages().iter().filter_map(|message| {
        let predicate = message.undefined.as_ref()?;
        let is_undefined = !predicate.name.starts_with(asp::ADDED_PREFIX) && !defined.contains(predicate);
        let text = || format!("{predicate} is defined nowhere");
        is_undefined.then(|| message.diagnostic.help.clone().unwrap_or_else(text))
    });
    undefined.collect::<BTreeSet<String>>().into_iter().collect()
}

fn assumptions(all: &[SoftConstraint], parts: &[usize], assumed: &[i32]) -> Vec<i32> {
    let of_parts = parts.iter().flat_map(|&part| all[part].assumptions.iter().copied());
    of_parts.chain(assumed.iter().copied()).collect()
}

/// Returns an atom of a predicate with variables for its arguments.
fn any_atom(predicate: &Signature) -> String {
    let sign = if predicate.is_positive { "" } else { "-" };
    let variables: Vec<String> = (1..=predicate.arity).map(|number| format!("X{number}")).collect();
    let arguments = if variables.is_empty() { String::new() } else { format!("({})", variables.join(",")) };
    format!("{sign}{}{arguments}", predicate.name)
}

struct Rewriting<'a> {
    source: &'a ExplainInput,
    blamed: &'a [Blame],
    soft_fact: SoftFact,
}

impl Rewriting<'_> {
    /// Rewrites a statement.
    fn edited(&self, number: usize, statement: &Statement) -> String {
        let (broken, on) =
            (|| statement.violation_rule(&statement.instance_atom(VIOLATED, number)), format!("{ON}({number})"));
        match &statement.head {
            Head::Show(_)
            | Head::ShowTerm(_)
            | Head::Minimize { .. }
            | Head::Heuristic { .. }
            | Head::Project(_)
            | Head::ProjectAtom(_) => String::new(),
            _ if !statement.is_grounded() || !self.is_blamed(statement) => statement.text.clone(),
            Head::Atom(atom) if statement.is_fact() => {
                let fact = format!("{FACT}({number},{atom}).");
                match self.soft_fact {
                    SoftFact::Choice => format!("{fact} {{ {atom} }}."),
                    SoftFact::Rule => {
                        // A pool may have several predicates.
                        let predicates: BTreeSet<Signature> =
                            atom.positive_atom().into_iter().flat_map(Term::signatures).collect();
                        let rule = |predicate: &Signature| {
                            let any = any_atom(predicate);
                            format!(" {any} :- {SELECTED}({number},{any}).")
                        };
                        let rules: String = predicates.iter().map(rule).collect();
                        format!("{fact} {{ {SELECTED}({number},{atom}) }}.{rules}")
                    }
                }
            }
            Head::Constraint => broken().unwrap_or_default(),
            Head::Choice(_) if self.blames(&Blame::Constraints) => {
                let free = statement.without_bounds();
                let free = if self.blames(&Blame::Rules) {
                    free.with_selector(&on)
                } else {
                    free.rule(&free.head.to_string(), &[])
                };
                free + " " + &broken().unwrap_or_default()
            }
            _ => statement.with_selector(&on),
        }
    }

    fn blames(&self, blame: &Blame) -> bool {
        self.blamed.contains(blame)
    }

    fn is_blamed(&self, statement: &Statement) -> bool {
        let is_of_predicate = || match &statement.head {
            Head::Atom(atom) => atom.signature().is_some_and(|predicate| self.blames(&Blame::Predicate(predicate))),
            _ => false,
        };
        match &statement.head {
            Head::Constraint => self.blames(&Blame::Constraints),
            Head::Choice(_) => {
                self.blames(&Blame::Constraints) && statement.head.bounds().is_some() || self.blames(&Blame::Rules)
            }
            Head::Atom(_) if statement.is_fact() => {
                let is_shape = statement.head.signature().is_some_and(|known| self.source.shape.contains(&known));
                !is_shape && (self.blames(&Blame::Facts) && self.is_blamable_fact(statement) || is_of_predicate())
            }
            Head::Atom(_) => self.blames(&Blame::Rules) || is_of_predicate(),
            Head::Disjunction(_) | Head::Other(_) => self.blames(&Blame::Rules),
            _ => false,
        }
    }

    /// The facts of an encoding are blamed only if there is no instance.
    fn is_blamable_fact(&self, statement: &Statement) -> bool {
        let Program { instance, encoding, additions, .. } = &self.source.program;
        let is_of_encoding = |statement: &Statement| {
            encoding.iter().chain(additions).any(|document| document.name == statement.place.file)
        };
        instance.is_empty() || !is_of_encoding(statement)
    }
}

#[cfg(test)]
mod tests {
    use base::diagnostic::Code;

    use super::*;

    fn relaxed(text: &str, blamed: &[Blame]) -> RelaxedProgram {
        let program = Program::of([Document::in_memory("text", text)]);
        RelaxedProgram::new(&program.into(), blamed, &Settings::default(), &CancelToken::new()).expect("a program")
    }

    fn words(relaxed: &RelaxedProgram) -> Vec<String> {
        let all: Vec<usize> = (0..relaxed.len()).collect();
        relaxed.parts(&all).expect("words").into_iter().map(|part| part.words.to_string()).collect()
    }

    #[test]
    fn facts_are_relaxed_one_by_one_and_relaxation_only_adds_answers() {
        let mut facts = relaxed("p(1..2). q(1). r :- not p(1). :- p(X), q(X). :- r.", &[Blame::Facts]);
        assert_eq!(words(&facts), ["p(1)", "p(2)", "q(1)"]);
        assert!(matches!(facts.solve(&[0, 1, 2], &[]), Ok(SolveOutcome::Unsatisfiable(core)) if core.contains(&2)));
        assert!(
            matches!(facts.solve(&[2], &[]), Ok(SolveOutcome::Unsatisfiable(core)) if core == [2]),
            "r holds without p(1)"
        );
        assert_eq!(facts.solve(&[0, 1], &[]), Ok(SolveOutcome::Satisfiable(vec![true, true, false])));
    }

    #[test]
    fn constraints_and_bounds_are_relaxed_by_instance() {
        let text = "%!trace_rule {\"% and % are both in\", X, X+1}.\n:- in(X), in(X+1).\n\n%!trace_rule {\"two of three\"}\n2 { in(1..3) } 2.\n:- in(1).";
        let mut constraints = relaxed(text, &[Blame::Constraints]);
        assert_eq!(words(&constraints), ["1 and 2 are both in", "2 and 3 are both in", "two of three", "in(1)"]);
        assert_eq!(constraints.query_atoms().len(), 3);
        assert!(matches!(constraints.solve(&[0, 1, 2], &[]), Ok(SolveOutcome::Satisfiable(holds)) if !holds[3]));
        let all = constraints.solve(&[0, 1, 2, 3], &[]);
        assert!(matches!(all, Ok(SolveOutcome::Unsatisfiable(core)) if core.ends_with(&[1, 2, 3])));
    }

    #[test]
    fn rules_are_relaxed_and_choices_keep_their_bounds() {
        let mut rules = relaxed("a :- not b. b :- c. 1 { c; d }. :- a. :- c.", &[Blame::Rules]);
        assert_eq!(rules.len(), 3);
        assert_eq!(rules.solve(&[0, 1, 2], &[]), Ok(SolveOutcome::Unsatisfiable(vec![0])));
        assert_eq!(rules.solve(&[1, 2], &[]), Ok(SolveOutcome::Satisfiable(vec![false, true, true])));
    }

    #[test]
    fn atoms_have_words_from_comments_and_strings_are_unescaped() {
        let text = "p(1,\"50 % \\\"x\\\"\").\n%!trace {\"% stands at %\",V,R+1} p(R,V).\n:- p(_,_).";
        assert_eq!(words(&relaxed(text, &[Blame::Facts])), ["50 % \"x\" stands at 2"]);
        let wrong = |text: &str| {
            let program = Program::of([Document::in_memory("text", text)]);
            let relaxed =
                RelaxedProgram::new(&program.into(), &[Blame::Facts], &Settings::default(), &CancelToken::new());
            let failure = relaxed.and_then(|relaxed| relaxed.parts(&[0])).expect_err("wrong words");
            assert_eq!(failure.code(), Some(Code::InvalidAnnotation), "{failure}");
            failure.0[0].labels[0].start.line
        };
        assert_eq!(wrong("p(1).\n%!trace {\"% is\",X} p(Y)."), 2);
        assert_eq!(wrong("p(1).\n\n%!trace {words} p(Y)."), 3);
        assert_eq!(wrong("p(1). :- p(X).\n%!trace_rule {\"no rule follows\"}"), 2);
    }

    #[test]
    fn messages_about_the_rewritten_program_have_places_in_its_source() {
        let program = Program::of([Document::in_memory("text", "a(1).\n\nb(Y) :- a(X).")]);
        let failure = RelaxedProgram::new(&program.into(), &[Blame::Facts], &Settings::default(), &CancelToken::new())
            .err()
            .expect("unsafe");
        assert_eq!((failure.0[0].labels[0].file.as_str(), failure.0[0].labels[0].start.line), ("text", 3));
    }
}
