//! A program whose parts can be left out, grounded once.
//!
//! The program is rewritten so that leaving a part out only ever allows more, whatever negation there is; so what some parts
//! contradict, more parts contradict too:
//!
//! | part | becomes | enforced by assuming |
//! |---|---|---|
//! | a fact `p(1..3).` | a choice `{ p(1..3) }.` | its atoms true |
//! | a constraint `:- body.` | `broken(K,(X,…)) :- body.` | an instance's atom false |
//! | a choice `{ … } = 1 :- body.` | the choice without bounds, and `broken(K,(X,…)) :- body; not { … } = 1.` | the same |
//! | a rule | the rule with `on(K)` in its body, and `{ on(K) }.` | `on(K)` true |
//!
//! K is the number of the statement and X,… are its variables; the names added begin with [`asp::ADDED`]. What may not be blamed stays as it is. Whatever is minimised is
//! left out: the question is why there is an answer or none.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::words::Words;
use super::{Blame, Kind, Part};
use crate::asp::statement::Head;
use crate::asp::{
    self, Check, Ground, Program, Rewritten, Settings, Signature, Solver, Statement, Symbol, signature_of,
    statements_of,
};
use crate::diagnostic::{Diagnostic, Failure, Place};
use crate::document::Document;
use crate::stop::{Reason, Stop};

/// What is to be explained.
#[derive(Debug, Clone, Default)]
pub struct Source {
    pub program: Program,
    /// Documents that are boards in facts.
    pub boards: Boards,
    /// Predicates whose facts are the shape of a board. They are never blamed, however the board is written.
    pub shape: Vec<Signature>,
    /// Facts of one clue are one part. If it is missing, each fact is one.
    pub clues: Option<ClueOfFact>,
}

/// For each fact, the number of the fact that stands for its clue.
pub type ClueOfFact = fn(&[Symbol]) -> Vec<usize>;

/// By a document's name: for each line the place of the clue in what the person wrote, and its text.
pub type Boards = BTreeMap<String, Vec<Option<(Place, String)>>>;

impl From<Program> for Source {
    fn from(program: Program) -> Self {
        Source { program, ..Source::default() }
    }
}

/// A program whose parts can be left out.
pub struct Switched {
    solver: Solver,
    stop: Stop,
    statements: Vec<Statement>,
    words: Words,
    texts: BTreeMap<String, Arc<str>>,
    parts: Vec<Blamed>,
    questions: Vec<(Symbol, i32)>,
    last_step: Option<u32>,
    settings: Settings,
    ground: Arc<Mutex<Ground>>,
    messages: Vec<Diagnostic>,
    /// Which predicates are used and defined nowhere.
    undefined: Vec<String>,
    /// The atoms that some rule has in its head, or that are free. The others hold nowhere, whatever the solver makes of an
    /// assumption about them.
    derivable: HashSet<u32>,
}

/// A part that may be left out.
struct Blamed {
    kind: Kind,
    /// The number of its statement.
    statement: usize,
    /// The values of the statement's variables, of a constraint.
    values: Vec<Symbol>,
    /// The atoms of facts.
    atoms: Vec<Symbol>,
    /// What holds where the part is enforced.
    assumptions: Vec<i32>,
    place: Place,
    /// What it is called where the person wrote it, if not its source.
    name: Option<String>,
    is_obvious: bool,
}

/// What came of solving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// There is an answer; for each part whether it holds there.
    Satisfiable(Vec<bool>),
    /// There is none, and of the parts that were enforced these suffice for that; without any, the rest contradicts itself.
    Unsatisfiable(Vec<usize>),
    Unknown(Reason),
}

const BROKEN: &str = "__asp_solve_broken";
const FACT: &str = "__asp_solve_fact";
const ON: &str = "__asp_solve_on";

impl Switched {
    /// Rewrites and grounds a program. `blamed` says which parts can be left out.
    pub fn new(source: &Source, blamed: &[Blame], settings: &Settings, stop: &Stop) -> Result<Switched, Failure> {
        // Who wants one answer ends the search after it.
        let settings = Settings { models: Some(0), ..settings.clone() };
        let program = &source.program.at_last_step(&settings, stop)?;
        // Whatever is wrong with the texts is said as for any run.
        Solver::new(&settings, stop)?.load(program)?;
        let statements = statements_of(program)?;
        // A file under two names was read under one.
        let is_read = |document: &Document| statements.iter().any(|one| one.place.file == document.name);
        let is_twin = |one: &Document| program.documents().any(|other| other.text == one.text && is_read(other));
        let documents: Vec<Document> =
            program.documents().filter(|one| is_read(one) || !is_twin(one)).cloned().collect();
        let words = Words::of(&documents, &statements)?;
        let rewriting = Rewriting { source, blamed };
        let rewritten =
            Rewritten::of(statements.iter().enumerate(), |number, statement| rewriting.edited(number, statement));

        let mut solver = Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        // clingo would print all atoms that it may have to show, however long.
        let hidden = Document::in_memory("<hidden>", "#show.");
        let switched = Program {
            instance: vec![rewritten.document(), hidden],
            facts: program.facts.clone(),
            last_step: program.last_step,
            ..Program::default()
        };
        let grounded = solver.load(&switched).and_then(|()| solver.ground_program(&switched));
        if let Err(failure) = grounded {
            // What is wrong with the program itself is said in its own words.
            Solver::with_program(program, &settings, stop)?;
            return Err(rewritten.in_source(failure, &statements));
        }
        let said = Failure(solver.messages().iter().map(|message| message.diagnostic.clone()).collect());
        let mut messages = rewritten.in_source(said, &statements).0;
        // clingo says it of each atom that no head matches, though others of its predicate may be derived.
        let facts = program.facts.iter().filter_map(|&fact| asp::predicate_of(fact));
        let heads = statements.iter().flat_map(Statement::head_signatures).cloned().chain(facts);
        let defined: HashSet<Signature> = heads.collect();
        let is_all_known = statements.iter().all(|statement| {
            let is_external = matches!(statement.head, Head::Directive) && statement.text.starts_with("#external");
            !is_external && statement.heads().len() == statement.head_signatures().len()
        });
        let undefined = solver.messages().iter().filter_map(|message| {
            let predicate = message.undefined_predicate().filter(|_| message.undefined && is_all_known)?;
            let is_own = !predicate.name.starts_with(asp::ADDED) && !defined.contains(&predicate);
            let text = || format!("{predicate} is defined nowhere");
            is_own.then(|| message.diagnostic.help.clone().unwrap_or_else(text))
        });
        let undefined: BTreeSet<String> = undefined.collect();
        let undefined = undefined.into_iter().collect();
        messages.retain(|message| !message.text.contains(asp::ADDED) && !message.places.is_empty());

        messages.extend(solver.theory_warning());
        let mut switched = Switched {
            solver,
            stop: stop.clone(),
            // Of a test's file there are several, in each of which some statements are left.
            texts: documents.iter().rev().map(|document| (document.name.clone(), document.text.clone())).collect(),
            parts: Vec::new(),
            questions: Vec::new(),
            last_step: program.last_step,
            settings,
            statements,
            words,
            messages,
            undefined,
            derivable: {
                let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
                let heads = ground.rules.iter().flat_map(|rule| rule.head.iter().copied());
                heads.chain(ground.externals.keys().copied()).collect()
            },
            ground,
        };
        switched.find_parts(source)?;
        if switched.words.have_conditions() {
            let facts = switched.known_atoms()?.into_iter().filter(|(.., is_fact)| *is_fact).map(|(atom, ..)| atom);
            let blamed = switched.parts.iter().flat_map(|part| part.atoms.iter().copied());
            switched.words.given = facts.chain(blamed).collect();
        }
        switched.find_questions()?;
        Ok(switched)
    }

    /// What can be left out, from the atoms that stand for it.
    fn find_parts(&mut self, source: &Source) -> Result<(), Failure> {
        let known = self.known_atoms()?;
        let literals: HashMap<Symbol, i32> = known.iter().map(|&(atom, literal, _)| (atom, literal)).collect();
        let mut told: HashSet<Symbol> = HashSet::new();
        for &(atom, literal, _) in &known {
            let Some((name @ (BROKEN | FACT | ON), _)) = signature_of(atom) else { continue };
            let arguments = atom.arguments().unwrap_or_default();
            let Some(number) = arguments.first().and_then(|number| number.number().ok()) else { continue };
            let Some(statement) = self.statements.get(number as usize) else { continue };
            let mut part = Blamed {
                kind: Kind::Rule,
                statement: number as usize,
                values: Vec::new(),
                atoms: Vec::new(),
                assumptions: vec![literal],
                place: statement.place.clone(),
                name: None,
                is_obvious: false,
            };
            match name {
                BROKEN => {
                    part.kind = Kind::Constraint;
                    part.values = arguments[1].arguments().unwrap_or_default();
                    part.assumptions = vec![-literal];
                    part.is_obvious = self.words.is_obvious(part.statement);
                }
                FACT => {
                    let fact = arguments[1];
                    // Who writes a fact twice has one fact.
                    if !told.insert(fact) {
                        continue;
                    }
                    part.kind = Kind::Fact;
                    part.atoms = vec![fact];
                    part.assumptions = literals.get(&fact).copied().into_iter().collect();
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
            self.join_facts(clues);
        }
        // In the order of the source, whatever the grounder's.
        let key = |part: &Blamed| (part.statement, part.values.clone(), part.atoms.clone());
        let is_deep = |part: &Blamed| part.values.iter().chain(&part.atoms).any(|&term| asp::is_deep(term));
        asp::sort_by_symbols(&mut self.parts, is_deep, key);
        Ok(())
    }

    /// Makes the facts of one clue one part.
    fn join_facts(&mut self, clues: ClueOfFact) {
        let (facts, mut parts): (Vec<Blamed>, Vec<Blamed>) =
            self.parts.drain(..).partition(|part| part.kind == Kind::Fact);
        let atoms: Vec<Symbol> = facts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        let clues = clues(&atoms);
        let mut joined: BTreeMap<usize, Vec<Blamed>> = BTreeMap::new();
        for (number, (clue, fact)) in clues.into_iter().zip(facts).enumerate() {
            let joined = joined.entry(clue).or_default();
            // The fact that stands for the clue comes first.
            let at = if number == clue { 0 } else { joined.len() };
            joined.insert(at, fact);
        }
        for facts in joined.into_values() {
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

    /// What an answer tells: what is shown, or else all that is no fact.
    fn find_questions(&mut self) -> Result<(), Failure> {
        let known = self.known_atoms()?;
        let mut shown = Vec::new();
        for statement in self.statements.iter().filter(|statement| !statement.is_elsewhere()) {
            if let Head::Show(signature) = &statement.head {
                shown.extend(signature.clone());
            }
        }
        let is_asked = |atom: Symbol| {
            let Some(predicate) = asp::predicate_of(atom).filter(|_| !asp::is_added(atom)) else { return false };
            // How an answer is drawn is none of what it says.
            if shown.is_empty() { predicate.name != "draw" } else { shown.contains(&predicate) }
        };
        let facts: HashSet<Symbol> = self.parts.iter().flat_map(|part| part.atoms.iter().copied()).collect();
        let asked =
            known.into_iter().filter(|&(atom, _, is_fact)| !is_fact && !facts.contains(&atom) && is_asked(atom));
        self.questions = asked.map(|(atom, literal, _)| (atom, literal)).collect();
        asp::sort_by_symbols(&mut self.questions, |&(atom, _)| asp::is_deep(atom), |&question| question);
        Ok(())
    }

    /// How many parts can be left out; they are called 0, 1, ….
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn kind(&self, part: usize) -> Kind {
        self.parts[part].kind
    }

    /// A constraint that is always applied and never given as a reason.
    pub fn is_obvious(&self, part: usize) -> bool {
        self.parts[part].is_obvious
    }

    /// The atoms of facts; none of other parts.
    pub fn atoms(&self, part: usize) -> &[Symbol] {
        &self.parts[part].atoms
    }

    /// The predicate of a fact or rule.
    pub fn signature(&self, part: usize) -> Option<Signature> {
        let part = &self.parts[part];
        self.statements[part.statement].head.signature().cloned()
    }

    /// The values that tell an instance of a choice with bounds from the others.
    pub fn values_of_choice(&self, part: usize) -> Option<&[Symbol]> {
        let part = &self.parts[part];
        let is_choice = matches!(self.statements[part.statement].head, Head::Choice { .. });
        (is_choice && part.kind == Kind::Constraint).then_some(&part.values)
    }

    /// The literals that hold where a part is enforced.
    pub fn assumptions(&self, part: usize) -> &[i32] {
        &self.parts[part].assumptions
    }

    /// The atoms that an answer is about, with their literals; no facts.
    pub fn questions(&self) -> &[(Symbol, i32)] {
        &self.questions
    }

    /// The literal of an atom; none if it holds nowhere.
    pub fn literal(&mut self, atom: Symbol) -> Option<i32> {
        self.solver.control().literal(atom).filter(|literal| self.derivable.contains(&literal.unsigned_abs()))
    }

    /// The ground program as it was written down; all of it is there once something was solved.
    pub fn ground(&self) -> Arc<Mutex<Ground>> {
        self.ground.clone()
    }

    /// What the grounder had to say, such as that an atom occurs in no rule's head.
    pub fn messages(&self) -> &[Diagnostic] {
        &self.messages
    }

    /// Which predicates are used though nothing defines them, in words.
    pub fn undefined(&self) -> &[String] {
        &self.undefined
    }

    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Of a program in steps.
    pub fn last_step(&self) -> Option<u32> {
        self.last_step
    }

    pub fn words(&self) -> &Words {
        &self.words
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The texts of which the program is made, whole.
    pub fn texts(&self) -> impl Iterator<Item = Document> + '_ {
        self.texts.iter().map(|(name, text)| Document::in_memory(name.as_str(), text.clone()))
    }

    /// Rules that derive `because(Step,Name)` for parts.
    pub fn names(&self, step: usize, parts: &[usize]) -> String {
        let instance = |&part: &usize| (self.parts[part].statement, self.parts[part].values.clone());
        self.words.names(step, &self.statements, &parts.iter().map(instance).collect::<Vec<_>>())
    }

    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// All atoms, those of the rewriting among them: each with its literal, and whether it is a fact.
    pub fn known_atoms(&mut self) -> Result<Vec<(Symbol, i32, bool)>, Failure> {
        let control = self.solver.control();
        let known = control.known_atoms()?;
        let with_literal = |(atom, is_fact)| Some((atom, control.literal(atom)?, is_fact));
        let is_derivable =
            |&(_, literal, is_fact): &(Symbol, i32, bool)| is_fact || self.derivable.contains(&literal.unsigned_abs());
        Ok(known.into_iter().filter_map(with_literal).filter(is_derivable).collect())
    }

    /// Solves with some parts enforced and literals assumed.
    pub fn solve(&mut self, parts: &[usize], assumed: &[i32]) -> Result<Outcome, Failure> {
        let mut holding = Vec::new();
        let all = &self.parts;
        let solved = self.solver.control().solve(&assumptions(all, parts, assumed), &mut |model| {
            let holds = |literal: &i32| model.holds(*literal).unwrap_or(false);
            holding = all.iter().map(|part| part.assumptions.iter().all(holds)).collect();
            ControlFlow::Break(())
        });
        let (result, core) = solved?;
        if result.satisfiable {
            return Ok(Outcome::Satisfiable(holding));
        }
        if !result.unsatisfiable {
            return Ok(Outcome::Unknown(self.stop.requested().unwrap_or(Reason::Unproven)));
        }
        let core: HashSet<i32> = core.into_iter().collect();
        let is_in_core = |&part: &usize| all[part].assumptions.iter().any(|literal| core.contains(literal));
        Ok(Outcome::Unsatisfiable(parts.iter().copied().filter(is_in_core).collect()))
    }

    /// The atoms of one answer, checked by the definition, those of the rewriting left out; none if there is no answer, or it was
    /// stopped.
    pub fn model(&mut self, parts: &[usize], assumed: &[i32]) -> Result<Option<Vec<Symbol>>, Failure> {
        let (mut found, mut check) = (None, Check::new(self.solver.control())?);
        let solved = self.solver.control().solve(&assumptions(&self.parts, parts, assumed), &mut |model| {
            if !check.passes(model) {
                return ControlFlow::Break(());
            }
            found = model.atoms().map(|atoms| atoms.filter(|&atom| !asp::is_added(atom)).collect()).ok();
            ControlFlow::Break(())
        });
        solved?;
        check.refused(self.solver.control())?;
        Ok(found)
    }

    /// Parts as a person sees them.
    pub fn parts(&self, parts: &[usize]) -> Result<Vec<Part>, Failure> {
        let instances: Vec<(usize, Vec<Symbol>)> =
            parts.iter().map(|&part| (self.parts[part].statement, self.parts[part].values.clone())).collect();
        let words = self.words.of_instances(&self.statements, &instances)?;
        let first = |&part: &usize| self.parts[part].atoms.first().copied();
        let atoms: Vec<Symbol> = parts.iter().filter_map(first).collect();
        let mut of_atoms = atoms.iter().zip(self.words.of_atoms(&atoms)?);
        let told = parts.iter().zip(words).map(|(&number, words)| {
            let part = &self.parts[number];
            let statement = &self.statements[part.statement];
            let fact = if part.atoms.is_empty() { None } else { of_atoms.next() };
            let (text, words) = match fact {
                Some((atom, words)) => (part.name.clone().unwrap_or_else(|| asp::brief(*atom)), words),
                // A rule that is blamed as a whole has no values that could be told.
                _ if part.kind == Kind::Rule && !statement.variables.is_empty() => {
                    (self.source_of(statement), self.source_of(statement))
                }
                _ => (self.source_of(statement), words),
            };
            Part { kind: part.kind, text, place: Some(part.place.clone()), words }
        });
        Ok(told.collect())
    }

    /// What is wrong where a constraint is broken: its words, or where nobody gave it any, the constraint.
    pub fn broken(&self, part: usize, told: &Part) -> String {
        let statement = self.parts[part].statement;
        if self.words.has(statement) {
            return told.words.clone();
        }
        let arrow = if matches!(self.statements[statement].head, Head::Nothing) { ":- " } else { "" };
        format!("this is broken: {arrow}{}", told.words)
    }

    /// Instances of rules and facts, each with the values of its variables, as a person sees them.
    pub fn instances(&self, instances: &[(usize, Vec<Symbol>)]) -> Result<Vec<Part>, Failure> {
        let words = self.words.of_instances(&self.statements, instances)?;
        let told = instances.iter().zip(words).map(|((number, _), words)| {
            let statement = &self.statements[*number];
            let kind = if statement.is_fact() { Kind::Fact } else { Kind::Rule };
            Part { kind, text: self.source_of(statement), place: Some(statement.place.clone()), words }
        });
        Ok(told.collect())
    }

    /// A statement as it stands in the person's text.
    fn source_of(&self, statement: &Statement) -> String {
        let place = &statement.place;
        let written = self.texts.get(&place.file).and_then(|text| text.get(place.range_in(text)));
        let written = written.filter(|written| !written.trim().is_empty());
        written.map_or_else(|| statement.text.clone(), asp::syntax::squeezed)
    }
}

fn assumptions(all: &[Blamed], parts: &[usize], assumed: &[i32]) -> Vec<i32> {
    let of_parts = parts.iter().flat_map(|&part| all[part].assumptions.iter().copied());
    of_parts.chain(assumed.iter().copied()).collect()
}

struct Rewriting<'a> {
    source: &'a Source,
    blamed: &'a [Blame],
}

impl Rewriting<'_> {
    /// What becomes of a statement.
    fn edited(&self, number: usize, statement: &Statement) -> String {
        let (broken, on) = (|| statement.where_broken(&statement.marker(BROKEN, number)), format!("{ON}({number})"));
        match &statement.head {
            Head::Show(_) | Head::ShowTerm { .. } | Head::Minimize | Head::Search => String::new(),
            _ if statement.is_elsewhere() || !self.is_blamed(statement) => statement.text.clone(),
            Head::Atom { text, .. } if statement.is_fact() => format!("{FACT}({number},{text}). {{ {text} }}."),
            Head::Nothing => broken().unwrap_or_default(),
            Head::Choice { .. } if self.blames(&Blame::Constraints) => {
                let free = statement.unbounded();
                let free =
                    if self.blames(&Blame::Rules) { free.switched(&on) } else { free.rule(&free.head.text(), &[]) };
                free + " " + &broken().unwrap_or_default()
            }
            _ => statement.switched(&on),
        }
    }

    fn blames(&self, blame: &Blame) -> bool {
        self.blamed.contains(blame)
    }

    fn is_blamed(&self, statement: &Statement) -> bool {
        let is_of_predicate = || match &statement.head {
            Head::Atom { signature: Some(predicate), .. } => self.blames(&Blame::Predicate(predicate.clone())),
            _ => false,
        };
        match &statement.head {
            Head::Nothing => self.blames(&Blame::Constraints),
            Head::Choice { .. } => {
                self.blames(&Blame::Constraints) && statement.head.bounds().is_some() || self.blames(&Blame::Rules)
            }
            Head::Atom { .. } if statement.is_fact() => {
                let is_shape = statement.head.signature().is_some_and(|known| self.source.shape.contains(known));
                !is_shape && (self.blames(&Blame::Facts) && self.is_of_instance(statement) || is_of_predicate())
            }
            Head::Atom { .. } => self.blames(&Blame::Rules) || is_of_predicate(),
            Head::Disjunction { .. } | Head::Other(_) => self.blames(&Blame::Rules),
            _ => false,
        }
    }

    /// The facts of an encoding are blamed where the instance has none.
    fn is_of_instance(&self, statement: &Statement) -> bool {
        let Program { instance, encoding, additions, .. } = &self.source.program;
        let is_of_encoding = |statement: &Statement| {
            encoding.iter().chain(additions).any(|document| document.name == statement.place.file)
        };
        instance.is_empty() || !is_of_encoding(statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switched(text: &str, blamed: &[Blame]) -> Switched {
        let program = Program::of([Document::in_memory("text", text)]);
        Switched::new(&program.into(), blamed, &Settings::default(), &Stop::new()).expect("a program")
    }

    fn words(switched: &Switched) -> Vec<String> {
        let all: Vec<usize> = (0..switched.len()).collect();
        switched.parts(&all).expect("words").into_iter().map(|part| part.words).collect()
    }

    #[test]
    fn facts_are_freed_one_by_one_and_leaving_one_out_only_allows_more() {
        let mut facts = switched("p(1..2). q(1). r :- not p(1). :- p(X), q(X). :- r.", &[Blame::Facts]);
        assert_eq!(words(&facts), ["p(1)", "p(2)", "q(1)"]);
        assert!(matches!(facts.solve(&[0, 1, 2], &[]), Ok(Outcome::Unsatisfiable(core)) if core.contains(&2)));
        assert!(
            matches!(facts.solve(&[2], &[]), Ok(Outcome::Unsatisfiable(core)) if core == [2]),
            "without p(1) there is r"
        );
        assert_eq!(facts.solve(&[0, 1], &[]), Ok(Outcome::Satisfiable(vec![true, true, false])));
    }

    #[test]
    fn constraints_and_bounds_are_left_out_instance_by_instance() {
        let text = "%!trace_rule {\"% and % are both in\", X, X+1}.\n:- in(X), in(X+1).\n\n%!trace_rule {\"two of three\"}\n2 { in(1..3) } 2.\n:- in(1).";
        let mut constraints = switched(text, &[Blame::Constraints]);
        assert_eq!(words(&constraints), ["1 and 2 are both in", "2 and 3 are both in", "two of three", "in(1)"]);
        assert_eq!(constraints.questions().len(), 3);
        assert!(matches!(constraints.solve(&[0, 1, 2], &[]), Ok(Outcome::Satisfiable(holds)) if !holds[3]));
        let all = constraints.solve(&[0, 1, 2, 3], &[]);
        assert!(matches!(all, Ok(Outcome::Unsatisfiable(core)) if core.ends_with(&[1, 2, 3])));
    }

    #[test]
    fn rules_are_freed_and_choices_keep_their_bounds() {
        let mut rules = switched("a :- not b. b :- c. 1 { c; d }. :- a. :- c.", &[Blame::Rules]);
        assert_eq!(rules.len(), 3);
        assert_eq!(rules.solve(&[0, 1, 2], &[]), Ok(Outcome::Unsatisfiable(vec![0])));
        assert_eq!(rules.solve(&[1, 2], &[]), Ok(Outcome::Satisfiable(vec![false, true, true])));
    }

    #[test]
    fn atoms_have_the_words_of_comments_and_strings_their_signs() {
        let text = "p(1,\"50 % \\\"x\\\"\").\n%!trace {\"% stands at %\",V,R+1} p(R,V).\n:- p(_,_).";
        assert_eq!(words(&switched(text, &[Blame::Facts])), ["50 % \"x\" stands at 2"]);
        let wrong = |text: &str| {
            let program = Program::of([Document::in_memory("text", text)]);
            let switched = Switched::new(&program.into(), &[Blame::Facts], &Settings::default(), &Stop::new());
            let failure = switched.and_then(|switched| switched.parts(&[0])).expect_err("wrong words");
            (failure.0[0].places[0].start.line, failure.0[0].text.clone())
        };
        assert_eq!(wrong("p(1).\n%!trace {\"% is\",X} p(Y).").0, 2);
        assert_eq!(wrong("p(1).\n\n%!trace {words} p(Y).").0, 3);
        assert_eq!(wrong("p(1). :- p(X).\n%!trace_rule {\"no rule follows\"}").0, 2);
    }

    #[test]
    fn messages_about_the_rewritten_program_are_about_its_source() {
        let program = Program::of([Document::in_memory("text", "a(1).\n\nb(Y) :- a(X).")]);
        let failure =
            Switched::new(&program.into(), &[Blame::Facts], &Settings::default(), &Stop::new()).err().expect("unsafe");
        assert_eq!((failure.0[0].places[0].file.as_str(), failure.0[0].places[0].start.line), ("text", 3));
    }
}
