//! `asp-solve generate slither`: boards with exactly one solution, from which no clue can be taken away.
//!
//! A puzzle's file says in its part `clues` what may stand on a board: it chooses among the atoms of the input, and tells with
//! `clue(A)` which of them may be taken away, and with `weaker(A,B)` that taking A away leaves B. With that part, the program's
//! answers are boards together with a solution each. One is found at random; clues are added as long as the solution allows
//! it; a board that has another solution then is mended where the two differ; and at last clues are taken away, in random order,
//! as long as one solution remains. All of it is solving under assumptions, in one ground program.
//!
//! The atom `begun` holds while a board is looked for, and not while it is proven: a part that has `{ begun }.` can ask for boards
//! that are likely to have one solution. Where it is a fact, the part has rules for such boards only, and each board is proven by
//! being solved anew.
//!
//! What takes clues for borders of areas says in its part `areas` which areas a board can have ([`Kind`](super::areas::Kind)). They are
//! facts of the program: drawn before it is grounded, and redrawn where two solutions differ.
//!
//! The board that comes out is read back from its text and solved anew, by the rules alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use rustc_hash::FxHashMap;

use super::areas::{Areas, Kind};
use super::board::{Board as Written, Cell, Sign};
use super::{Drawing, Logic, facts_of, square};
use crate::asp::{self, Ground, Order, Signature, Symbol, Term, syntax};
use crate::certificate::{self, Claim};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::ending::Certified;
use crate::job::{Job, Rules};
use crate::puzzle::values::{Range, range, size};
use crate::puzzle::{Console, Done, Encoding, Takes, Tool, has_options};
use crate::report::Format;
use crate::stop::{Reason, Stop};
use crate::why::Rating;
use crate::words::{self, count, thousands};

#[derive(Clone, Copy)]
pub struct Generate(pub Logic);

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Columns and rows [default: the puzzle's usual size]
    #[arg(long, value_name = "CxR", value_parser = size)]
    size: Option<(usize, usize)>,
    /// Reasons needed for the hardest step, as `rate` counts them: easy (up to 2), medium (3 or 4), hard (5 or more), or N..M;
    /// where steps have names, as in Sudoku, the words go by the hardest technique
    #[arg(long, value_name = "LEVEL")]
    difficulty: Option<Difficulty>,
    /// Place clues with half-turn symmetry
    #[arg(long)]
    symmetric: bool,
    /// Rules to add, where the puzzle has variants (`asp-solve list PUZZLE`)
    #[arg(short, long, value_name = "NAME")]
    encoding: Vec<String>,
}

/// More would take hours.
const MOST_CELLS: usize = 10_000;
/// Boards that are begun, or mended, before it is given up.
const ATTEMPTS: u64 = 3000;
/// Mends of one board, the last of which made nothing better, before another is begun.
const MENDS: u64 = 60;
/// The same where each board is solved anew: most that come to an end do so soon.
const MENDS_ANEW: u64 = 25;
/// The same where areas are redrawn, a little at a time.
const MENDS_OF_AREAS: u64 = 150;
/// What is usual where the header does not say.
const USUAL: (usize, usize) = (8, 8);

/// How hard the hardest step may be.
#[derive(Debug, Clone)]
struct Difficulty {
    /// The number of its reasons.
    reasons: Range<usize>,
    /// Its level where it has a name, if that is asked for.
    levels: Option<Range<usize>>,
}

impl FromStr for Difficulty {
    type Err = String;

    /// `easy`, `medium`, `hard`, or a range.
    fn from_str(text: &str) -> Result<Self, String> {
        let word =
            |reasons: &str, levels: &str| Ok(Difficulty { reasons: range(reasons)?, levels: Some(range(levels)?) });
        match text {
            "easy" => word("..2", "..1"),
            "medium" => word("3..4", "2"),
            "hard" => word("5..", "3.."),
            _ => {
                let reasons = range(text).map_err(|error| format!("{error}; or easy, medium, hard"))?;
                Ok(Difficulty { reasons, levels: None })
            }
        }
    }
}

impl Difficulty {
    /// What is asked for, and what there is of it.
    fn of(&self, rating: &Rating) -> (&Range<usize>, usize) {
        match (&self.levels, rating.level()) {
            (Some(levels), Some(level)) => (levels, usize::try_from(level).unwrap_or_default()),
            _ => (&self.reasons, rating.largest()),
        }
    }

    /// What needs at least so many reasons may need any number.
    fn is_exceeded(&self, rating: &Rating) -> bool {
        let (wanted, found) = self.of(rating);
        wanted.most.is_some_and(|most| !rating.is_exact() || found > most)
    }

    fn fits(&self, rating: &Rating) -> bool {
        let (wanted, found) = self.of(rating);
        wanted.contains(&found)
    }
}

impl Tool for Generate {
    has_options!(Options);

    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a board with exactly one solution that needs each of its clues"
    }

    fn takes(&self) -> Takes {
        Takes::Seed
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Url, Format::Svg, Format::Html]
    }

    fn encoding(&self) -> Option<Encoding> {
        self.0.0.about.encodings.first().copied()
    }

    fn certifies(&self) -> bool {
        true
    }

    fn variants(&self) -> &'static [Encoding] {
        &self.0.0.about.encodings[1..]
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        let logic = self.0;
        let job = &self.with_variants(job, &options.encoding)?;
        let (name, usual) = (logic.1, logic.0.header.paragraph("Usual size"));
        let (columns, rows) = match (options.size, usual) {
            (Some(size), _) => size,
            (None, Some(usual)) => size(&usual).map_err(|error| Diagnostic::error(format!("{name}: {error}")))?,
            (None, None) => USUAL,
        };
        let mut random = fastrand::Rng::with_seed(job.seed);
        let none = |stop: &Stop| {
            let reason = stop.requested().unwrap_or(Reason::Unproven);
            let text = match options.difficulty {
                Some(_) => "no board with exactly one solution and this difficulty was found",
                None => "no board with exactly one solution was found",
            };
            Ok(Done::short_of(text, String::new(), reason))
        };
        let made = Maker::new(logic, job, options, (rows, columns), &mut random)
            .and_then(|mut maker| Ok((maker.make(&mut random, console.progress)?, maker)));
        let (made, maker) = match made {
            Err(failure) if failure.0.is_empty() => return none(&job.stop),
            made => made?,
        };
        let Some(Rated { made, hardest }) = made else { return none(&job.stop) };
        let board = maker.written(&made.board)?;
        let clues = made.board.iter().filter(|atom| maker.ground.atoms.clues.contains_key(atom)).count();
        let promise = match (hardest, clues) {
            (Some(hardest), _) => format!("; the hardest step needs {hardest}"),
            (None, 0) => String::new(),
            (None, clues) => {
                let each = match (clues, options.symmetric) {
                    (1, _) => "",
                    (_, true) => "each opposite pair of ",
                    (_, false) => "each of ",
                };
                format!("; {each}its {} is needed", count(clues, "clue", "clues"))
            }
        };
        let size = words::size(rows, columns);
        let title = format!("{name}, {size}, seed {}", job.seed);
        let vouched = vouched_for(logic, &Document::in_memory("the board", board.text()), &job.encodings, job);
        let Vouched { given, solved, certificate } = match vouched {
            Err(failure) if failure.0.is_empty() => return none(&job.stop),
            vouched => vouched?,
        };
        let is_certified = certificate.checked == Some(true);
        let certified = if is_certified { ", certified" } else { "" };
        let text = format!("% {title}: exactly one solution{certified}{promise}.\n{}", board.text());
        let drawn = |atoms: &[Symbol]| Ok::<_, Failure>(Drawing::of(atoms, name)?.0.picture(name, &job.stop).svg());
        let output = match job.format {
            Format::Url => {
                let link = logic.links()?.ok_or_else(|| Diagnostic::error(format!("{name} has no links")))?;
                link.write(&board)? + "\n"
            }
            Format::Svg => drawn(&given)?,
            Format::Html => {
                console.sheet.push([title, drawn(&given)?, drawn(&solved)?]);
                String::new()
            }
            _ => text,
        };
        Ok(Done { certificate: Some(certificate), ..Done::solved(output) })
    }
}

impl Generate {
    /// The job with the rules that these names add, if boards for them are made: their clues are the puzzle's own.
    fn with_variants(&self, job: &Job, names: &[String]) -> Result<Job, Failure> {
        let (mut job, own) = (job.clone(), self.0.0.header.inputs());
        for name in names {
            let variant = self.0.0.variants.iter().find(|variant| variant.name == name);
            let known: Vec<&str> = self.0.0.variants.iter().map(|variant| variant.name).collect();
            let near = words::did_you_mean(name, known.iter().copied());
            let none = || {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                format!("--encoding {name}{near}: {} has no such variant; there are {known}", self.0.1)
            };
            let variant = variant.ok_or_else(|| Diagnostic::error(none()))?;
            let is_new = |input: &String| *input != "variant" && !own.contains(input);
            if let Some(input) = variant.header.inputs().into_iter().find(is_new) {
                let text = format!("--encoding {name}: no boards with {input} are made; clues in cells alone are");
                return Err(Diagnostic::error(text).into());
            }
            let files = self
                .0
                .0
                .about
                .encodings
                .iter()
                .filter(|encoding| encoding.name == name)
                .flat_map(|encoding| encoding.files);
            for file in files {
                if !job.encodings.iter().any(|known| known.name.ends_with(file.path)) {
                    job.encodings.push(Document::in_memory(file.path, file.text));
                }
            }
        }
        Ok(job)
    }
}

/// A board that has one solution by the rules alone.
struct Vouched {
    /// The atoms of the board, and those of its solution.
    given: Vec<Symbol>,
    solved: Vec<Symbol>,
    certificate: Certified,
}

/// Solves the board that a text says by the rules alone.
fn vouched_for(logic: Logic, text: &Document, encodings: &[Document], job: &Job) -> Result<Vouched, Failure> {
    let mut anew = Anew::of(&read_back(logic, text)?, encodings, &job.stop)?;
    let given = facts_of(&mut anew.solver)?;
    let ground = anew.ground.clone();
    let ground = || ground.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut answers, mut solved) = (Vec::new(), Vec::new());
    anew.models("record", 2, |model| {
        let holding = ground().holding(model)?;
        answers.push(holding.into_iter().collect::<BTreeSet<u32>>().into_iter().collect());
        solved = model.atoms()?.collect();
        Ok(())
    })?;
    if answers.len() != 1 {
        let text = format!("the board of {} does not have exactly one solution", logic.0.about.name);
        return Err(Diagnostic::error(text).into());
    }
    let (ground, claim) = (ground(), Claim { answers, is_of_shown: true, bound: None });
    let shown = certificate::shown_of(&ground);
    let certificate = certificate::certify(&ground, &shown, &claim, "no other", job.certify, &job.stop)?;
    Ok(Vouched { given, solved, certificate })
}

/// The board that a text says, read as anybody would.
fn read_back(logic: Logic, text: &Document) -> Result<Written, Failure> {
    let none = || Diagnostic::error(format!("{}: no board of {}", text.name, logic.0.about.name));
    Ok(logic.board_of(text)?.ok_or_else(none)?.0)
}

/// A board that is solved by the rules alone.
struct Anew {
    solver: asp::Solver,
    ground: Arc<Mutex<Ground>>,
    stop: Stop,
}

impl Anew {
    fn of(board: &Written, encodings: &[Document], stop: &Stop) -> Result<Anew, Failure> {
        let instance = vec![Document::in_memory("the board", board.facts())];
        let program = asp::Program { instance, encoding: encodings.to_vec(), ..asp::Program::default() };
        let options = vec!["--project=show".to_owned()];
        let settings = asp::Settings { models: Some(0), options, ..asp::Settings::default() };
        let mut solver = asp::Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        solver.load(&program)?;
        solver.ground_program(&program)?;
        solver.check_inputs(&program)?;
        Ok(Anew { solver, ground, stop: stop.clone() })
    }

    /// Looks at models of one of clasp's modes, at most so many (0 for all). An empty failure where somebody wants to stop.
    fn models(
        &mut self,
        mode: &str,
        most: u8,
        mut look: impl FnMut(&mut asp::Model<'_>) -> Result<(), asp::CallError> + Send,
    ) -> Result<(), Failure> {
        let control = self.solver.control();
        control.set("solve.enum_mode", mode)?;
        control.set("solve.models", &most.to_string())?;
        let mut looked = Ok(());
        let solved = control.solve(&[], &mut |model| {
            looked = look(model);
            if looked.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        solved.and(looked)?;
        if self.stop.requested().is_some() { Err(Failure::default()) } else { Ok(()) }
    }

    /// Two solutions at most.
    fn solutions(&mut self) -> Result<Vec<BTreeSet<Symbol>>, Failure> {
        let mut solutions = Vec::new();
        self.models("record", 2, |model| {
            solutions.push(model.shown(Order::Sorted)?.collect());
            Ok(())
        })?;
        Ok(solutions)
    }

    /// What holds in some solution and not in all of them; none where there is no solution.
    fn undecided(&mut self) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let mut common = None;
        let mut last = |model: &mut asp::Model<'_>| {
            common = Some(model.shown(Order::Sorted)?.collect::<BTreeSet<Symbol>>());
            Ok(())
        };
        self.models("cautious", 0, &mut last)?;
        let Some(always) = common.take() else { return Ok(None) };
        let mut last = |model: &mut asp::Model<'_>| {
            common = Some(model.shown(Order::Sorted)?.collect());
            Ok(())
        };
        self.models("brave", 0, &mut last)?;
        Ok(common.map(|sometimes| sometimes.difference(&always).copied().collect()))
    }
}

/// A board with its solution, as atoms.
#[derive(Clone, Default)]
struct Made {
    board: BTreeSet<Symbol>,
    solution: BTreeSet<Symbol>,
}

/// A board, and the reasons that its hardest step needs, where that was asked for.
struct Rated {
    made: Made,
    hardest: Option<String>,
}

/// What boards and solutions are made of.
#[derive(Default)]
struct Atoms {
    /// What may stand on a board, and what stands on each.
    inputs: Vec<Symbol>,
    always: Vec<Symbol>,
    /// What a clue leaves when it is taken away.
    clues: BTreeMap<Symbol, Option<Symbol>>,
    /// What a solution is made of.
    outputs: Vec<Symbol>,
    /// Whether the program has boards to begin with, and no others: `begun` is a fact.
    only_begins: bool,
}

/// A solver of the program that has boards with solutions for answers.
struct Search {
    solver: asp::Solver,
    /// Whether it looks for boards to begin with: then `begun` holds.
    begins: bool,
    stop: Stop,
    /// The solver's literals, by atoms.
    literals: FxHashMap<Symbol, i32>,
    /// Solutions that a search can be asked to pass over.
    excluded: Vec<BTreeSet<Symbol>>,
}

/// A program that has boards with solutions for answers, in up to three solvers, each with a task of its own.
#[derive(Default)]
struct Grounded {
    atoms: Atoms,
    /// Decides at random, and gives up soon; none where the areas are the whole board.
    random: Option<Search>,
    /// Has as many clues as can be; none where there is nothing to add.
    full: Option<Search>,
    /// Proves; none where the program only begins boards, which then are solved anew.
    exact: Option<Search>,
}

struct Maker<'a> {
    logic: Logic,
    job: &'a Job,
    /// Without clues.
    empty: Written,
    is_symmetric: bool,
    difficulty: Option<Difficulty>,
    kind: Option<Kind>,
    areas: Areas,
    /// What the part `areas` gives with each board.
    given: Vec<Symbol>,
    ground: Grounded,
}

impl Atoms {
    fn of(logic: Logic, encodings: &[Document], search: &mut Search) -> Result<Atoms, Failure> {
        let known = search.solver.control().known_atoms()?;
        let arguments = |atom: Symbol| atom.arguments().unwrap_or_default();
        let is = |atom: Symbol, name: &str, arity: usize| asp::signature_of(atom) == Some((name, arity));
        let mut clues: BTreeMap<Symbol, Option<Symbol>> = BTreeMap::new();
        for &(atom, _) in &known {
            if is(atom, "clue", 1) {
                clues.entry(arguments(atom)[0]).or_default();
            } else if is(atom, "weaker", 2) {
                clues.insert(arguments(atom)[0], Some(arguments(atom)[1]));
            }
        }
        let is_input = |atom: Symbol| Atoms::is_input(logic, atom);
        let shown = encodings.iter().flat_map(|document| syntax::shown(&document.text));
        let shown: BTreeSet<Signature> = shown.flatten().collect();
        let is_output = |atom: Symbol| asp::predicate_of(atom).is_some_and(|predicate| shown.contains(&predicate));
        let of = |is: &dyn Fn(Symbol, bool) -> bool| {
            let atoms = known.iter().filter(|(atom, is_fact)| is(*atom, *is_fact));
            atoms.map(|(atom, _)| *atom).collect::<Vec<_>>()
        };
        Ok(Atoms {
            inputs: of(&|atom, is_fact| is_input(atom) && !is_fact),
            always: of(&|atom, is_fact| is_input(atom) && is_fact),
            outputs: of(&|atom, _| is_output(atom)),
            only_begins: known.iter().any(|&(atom, is_fact)| is_fact && is(atom, "begun", 0)),
            clues,
        })
    }
}

impl Atoms {
    fn is_input(logic: Logic, atom: Symbol) -> bool {
        asp::signature_of(atom).is_some_and(|(name, _)| logic.0.about.facts.contains(&name))
    }
}

impl Search {
    fn new(program: &asp::Program, options: &[&str], stop: &Stop) -> Result<Search, Failure> {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let settings = asp::Settings { models: Some(1), options, ..asp::Settings::default() };
        let mut solver = asp::Solver::new(&settings, stop)?;
        solver.load(program)?;
        solver.ground(&[("base", &[]), ("clues", &[])])?;
        Ok(Search { solver, begins: false, stop: stop.clone(), literals: FxHashMap::default(), excluded: Vec::new() })
    }

    /// A board with a solution; none where there is none, or the search gave up. An empty failure where somebody wants to stop.
    fn find(&mut self, atoms: &Atoms, assumptions: &[(Symbol, bool)]) -> Result<Option<Made>, Failure> {
        let control = self.solver.control();
        // What clingo never met does not hold.
        let mut literal =
            |atom: Symbol| *self.literals.entry(atom).or_insert_with(|| control.literal(atom).unwrap_or(0));
        let mut literals = Vec::with_capacity(assumptions.len() + 1);
        let begun = asp::function("begun", &[])
            .filter(|&begun| literal(begun) != 0)
            .map(|begun| (begun, self.begins || atoms.only_begins));
        for (atom, holds) in assumptions.iter().copied().chain(begun) {
            match (literal(atom), holds) {
                (0, true) => return Ok(None),
                (0, false) => {}
                (literal, holds) => literals.push(if holds { literal } else { -literal }),
            }
        }
        let mut known = |atoms: &[Symbol]| atoms.iter().map(|&atom| (atom, literal(atom))).collect::<Vec<_>>();
        let (inputs, outputs) = (known(&atoms.inputs), known(&atoms.outputs));
        let mut found = None;
        let solved = self.solver.control().solve(&literals, &mut |model| {
            let holding = |atoms: &[(Symbol, i32)]| {
                let holds = |literal: i32| literal != 0 && model.holds(literal).unwrap_or(false);
                atoms.iter().filter(|(_, literal)| holds(*literal)).map(|(atom, _)| *atom).collect()
            };
            found = Some(Made { board: holding(&inputs), solution: holding(&outputs) });
            ControlFlow::Break(())
        });
        solved?;
        match found {
            None if self.stop.requested().is_some() => Err(Failure::default()),
            found => Ok(found),
        }
    }

    /// The atom that, where it holds, excludes the solution.
    fn exclude(&mut self, atoms: &Atoms, solution: &BTreeSet<Symbol>) -> Result<Symbol, Failure> {
        let known = self.excluded.iter().position(|other| other == solution);
        let number = known.unwrap_or(self.excluded.len());
        let atom = asp::function("excluded", &[asp::number(number as i32)]);
        let atom = atom.ok_or_else(|| Diagnostic::error("no memory for an atom"))?;
        if known.is_none() {
            let literal = |&atom: &Symbol| {
                let negation = if solution.contains(&atom) { "" } else { "not " };
                format!("{negation}{}", asp::to_text(atom))
            };
            let literals: Vec<String> = atoms.outputs.iter().map(literal).collect();
            let name = format!("excluded_{number}");
            let literals = literals.join(", ");
            let text = format!("#program {name}. {{ excluded({number}) }}. :- excluded({number}), {literals}.");
            self.solver.add(&Document::in_memory(&*name, text))?;
            self.solver.ground(&[(&name, &[])])?;
            self.excluded.push(solution.clone());
        }
        Ok(atom)
    }
}

impl Grounded {
    fn of(
        logic: Logic,
        encodings: &[Document],
        additions: String,
        has_areas: bool,
        stop: &Stop,
        random: &mut fastrand::Rng,
    ) -> Result<Grounded, Failure> {
        let mut program = asp::Program {
            instance: vec![Document::in_memory("the board", additions)],
            encoding: encodings.to_vec(),
            ..asp::Program::default()
        };
        let seed = format!("--seed={}", random.u32(..));
        let of_random = ["--rand-freq=0.05", "--sign-def=rnd", &seed, "--solve-limit=20000"];
        let mut search = Search::new(&program, &of_random, stop)?;
        let atoms = Atoms::of(logic, encodings, &mut search)?;
        search.begins = true;
        let exact = if atoms.only_begins { None } else { Some(Search::new(&program, &[], stop)?) };
        if has_areas || atoms.clues.is_empty() {
            return Ok(Grounded { atoms, random: Some(search), full: None, exact });
        }
        // Atoms that are decided first, and true, are as many as can be.
        let mut heuristic = String::from("#program clues.\n");
        for (clue, below) in &atoms.clues {
            let _ = writeln!(heuristic, "#heuristic {}. [{},true]", asp::to_text(*clue), random.i32(2..1000));
            if let Some(below) = below {
                let _ = writeln!(heuristic, "#heuristic {}. [1,true]", asp::to_text(*below));
            }
        }
        program.additions.push(Document::in_memory("the clues", heuristic));
        let full = Search::new(&program, &["--heuristic=Domain"], stop)?;
        Ok(Grounded { atoms, random: Some(search), full: Some(full), exact })
    }
}

impl<'a> Maker<'a> {
    fn new(
        logic: Logic,
        job: &'a Job,
        options: &Options,
        (rows, columns): (usize, usize),
        random: &mut fastrand::Rng,
    ) -> Result<Self, Failure> {
        let wrong = |text: String| Err(Diagnostic::error(format!("--size {columns}x{rows}: {text}")).into());
        if rows.saturating_mul(columns) > MOST_CELLS {
            return wrong(format!("at most {} cells were wanted", thousands(MOST_CELLS)));
        }
        if let Err(error) = logic.check_size(rows, columns) {
            return wrong(error);
        }
        let given = part_areas(&job.encodings, rows, columns, &job.stop)?;
        let no_board = given.iter().filter(|&&atom| asp::signature_of(atom) == Some(("no_board", 1)));
        if let Some(Term::Text(reason)) =
            no_board.filter_map(|atom| atom.arguments().ok()?.first().copied().map(Term::of)).next()
        {
            return wrong(reason);
        }
        let kind = Kind::of(&given);
        if kind.is_none() && logic.is_plain_square() && !square::is_side(rows) {
            return wrong("such a board has no boxes; 4x4, 6x6, 8x8, 9x9, 10x10, … 25x25 have".to_owned());
        }
        if options.symmetric && kind.is_some() {
            let text = format!("--symmetric: the areas of {} are drawn at random", logic.0.about.name);
            return Err(Diagnostic::error(text).into());
        }
        let mut maker = Maker {
            logic,
            job,
            empty: Written {
                header: options.encoding.iter().map(|name| ("variant".to_owned(), vec![Sign::text(name)])).collect(),
                ..Written::of_size(rows, columns)
            },
            is_symmetric: options.symmetric,
            difficulty: options.difficulty.clone(),
            kind,
            areas: Areas::new(),
            given: given.into_iter().filter(|&atom| Atoms::is_input(logic, atom)).collect(),
            ground: Grounded::default(),
        };
        if maker.kind.is_none() {
            maker.ground(random)?;
            let atoms = &maker.ground.atoms;
            if atoms.inputs.is_empty() || atoms.outputs.is_empty() {
                return Err(Diagnostic::error(format!("no board of {} has clues", words::size(rows, columns))).into());
            }
        }
        Ok(maker)
    }

    /// Grounds the program with the areas, if it has anything to choose.
    fn ground(&mut self, random: &mut fastrand::Rng) -> Result<(), Failure> {
        let encodings = &self.job.encodings;
        self.ground = Grounded::default();
        if encodings.iter().any(|document| document.text.contains("#program clues.")) {
            let board = Written { areas: self.areas.clone(), ..self.empty.clone() };
            let mut additions = board.facts();
            if self.is_symmetric {
                additions += "#program clues.\nwritten_in(R,C) :- sign(R,C,_).\nwritten_in(R,C) :- part(R,C,_,_).\n\
                              :- written_in(R,C), rows(H), columns(W), not written_in(H+1-R,W+1-C).\n";
            }
            self.ground = Grounded::of(self.logic, encodings, additions, self.kind.is_some(), &self.job.stop, random)?;
        } else {
            let area = |(&(row, column), &area): (&Cell, &usize)| asp::fact("area", &[row, column, area]);
            let size = [("rows", self.empty.rows), ("columns", self.empty.columns)];
            let size = size.into_iter().filter_map(|(name, number)| asp::fact(name, &[number]));
            self.ground.atoms.always =
                self.areas.iter().filter_map(area).chain(size).chain(self.given.iter().copied()).collect();
            self.ground.atoms.only_begins = true;
        }
        Ok(())
    }

    /// A board with one solution and no clue too many, as hard as it was asked for; none where there seems to be none.
    fn make(&mut self, random: &mut fastrand::Rng, progress: &dyn Fn(u64, u64)) -> Result<Option<Rated>, Failure> {
        /// A board that has several solutions.
        struct Begun {
            made: Made,
            areas: Areas,
            /// What another solution has or has not.
            apart: BTreeSet<Symbol>,
        }
        let (mut begun, mut least, mut since): (Option<Begun>, usize, u64) = (None, usize::MAX, 0);
        for attempt in 0..ATTEMPTS {
            progress(attempt, ATTEMPTS);
            let mends = match (&self.kind, &self.ground.exact) {
                (Some(_), _) => MENDS_OF_AREAS,
                (None, Some(_)) => MENDS,
                (None, None) => MENDS_ANEW,
            };
            since += 1;
            if since > mends {
                (begun, least, since) = (None, usize::MAX, 0);
            }
            let kept = match &begun {
                Some(begun) => {
                    let near: Vec<(i32, i32)> = begun.apart.iter().filter_map(|&atom| cell_of(atom)).collect();
                    let is_redrawn = self.redrawn(&begun.areas, &near, random)?;
                    if !is_redrawn && self.ground.random.is_none() {
                        continue;
                    }
                    self.mended(&begun.made, &begun.apart, is_redrawn, random)?
                }
                None => {
                    if let Some(kind) = &self.kind {
                        let Some(areas) = kind.drawn(&self.empty, random) else { continue };
                        self.areas = areas;
                        self.ground(random)?;
                    }
                    Vec::new()
                }
            };
            let made = match &mut self.ground.random {
                Some(search) => search.find(&self.ground.atoms, &kept)?,
                None => Some(Made::default()),
            };
            let Some(made) = made else { continue };
            let made = self.filled(made)?;
            let Some(apart) = self.undecided(&made)? else { continue };
            if apart.is_empty() {
                let made = self.without_idle_clues(made, random)?;
                if made.is_some() {
                    return Ok(made);
                }
                begun = None;
                continue;
            }
            // Where all that is undecided is known, a step back now and then leads on.
            let slack = if self.ground.exact.is_none() { -random.f64().max(1e-9).ln() } else { 0.0 };
            if begun.as_ref().is_none_or(|begun| apart.len() as f64 <= begun.apart.len() as f64 + slack) {
                if apart.len() < least {
                    (least, since) = (apart.len(), if mends == MENDS { since } else { 0 });
                }
                begun = Some(Begun { made, areas: self.areas.clone(), apart });
            }
        }
        Ok(None)
    }

    /// Whether there are other areas now, near some cells.
    fn redrawn(&mut self, areas: &Areas, near: &[(i32, i32)], random: &mut fastrand::Rng) -> Result<bool, Failure> {
        let Some(kind) = &self.kind else { return Ok(false) };
        let near: Vec<Cell> = near.iter().map(|&(row, column)| (row as usize, column as usize)).collect();
        let Some(changed) = kind.changed(&self.empty, areas, &near, random) else { return Ok(false) };
        self.areas = changed;
        self.ground(random)?;
        Ok(true)
    }

    /// Assumptions that leave a solution open near what is undecided, and keep most of the rest.
    fn mended(
        &mut self,
        made: &Made,
        apart: &BTreeSet<Symbol>,
        is_redrawn: bool,
        random: &mut fastrand::Rng,
    ) -> Result<Vec<(Symbol, bool)>, Failure> {
        let Grounded { atoms, random: Some(search), exact, .. } = &mut self.ground else { return Ok(Vec::new()) };
        let mut excluded = Vec::new();
        if !is_redrawn {
            excluded.push(search.exclude(atoms, &made.solution)?);
        }
        if exact.is_some() {
            let other = made.solution.symmetric_difference(apart).copied().collect();
            excluded.push(search.exclude(atoms, &other)?);
        }
        let near: Vec<(i32, i32)> = apart.iter().filter_map(|&atom| cell_of(atom)).collect();
        let near = if exact.is_some() { near } else { random.choice(near).into_iter().collect() };
        let reach = random.i32(1..=3);
        let is_open = |atom: Symbol| {
            cell_of(atom).is_none_or(|(row, column)| {
                near.iter().any(|cell| (cell.0 - row).abs().max((cell.1 - column).abs()) <= reach)
            })
        };
        let kept = atoms.outputs.iter().filter(|&&atom| !is_open(atom) && random.f64() < 0.95);
        let kept = kept.map(|&atom| (atom, made.solution.contains(&atom)));
        let mut kept: Vec<(Symbol, bool)> = kept.chain(excluded.into_iter().map(|excluded| (excluded, true))).collect();
        // Mostly, cells without anything stay so; what the others show may change.
        if random.f64() < 0.7 {
            let written: BTreeSet<_> = made.board.iter().filter_map(|&atom| cell_of(atom)).collect();
            let is_sign = |atom: Symbol| matches!(asp::signature_of(atom), Some(("sign", 3) | ("part", 4)));
            let is_empty = |atom: Symbol| is_sign(atom) && cell_of(atom).is_some_and(|cell| !written.contains(&cell));
            let inputs = atoms.inputs.iter().filter(|&&atom| is_empty(atom) && !is_open(atom));
            kept.extend(inputs.map(|&atom| (atom, false)));
        }
        Ok(kept)
    }

    /// The board with all clues that its solution allows.
    fn filled(&mut self, made: Made) -> Result<Made, Failure> {
        let Grounded { atoms, full: Some(full), .. } = &mut self.ground else { return Ok(made) };
        let Atoms { inputs, clues, outputs, .. } = &*atoms;
        let mut assumptions = exactly(&made.solution, outputs);
        // What is there in place of a clue: the clue can take its place, and none can come where nothing is.
        let taken: BTreeSet<Symbol> =
            made.board.iter().map(|atom| clues.get(atom).copied().flatten().unwrap_or(*atom)).collect();
        let below: BTreeSet<Symbol> = clues.values().flatten().copied().collect();
        for &atom in inputs {
            let is_on = made.board.contains(&atom);
            let is_free = match clues.get(&atom) {
                Some(Some(below)) => taken.contains(below),
                Some(None) => !is_on,
                None => below.contains(&atom) && taken.contains(&atom),
            };
            if !is_free {
                assumptions.push((atom, is_on));
            }
        }
        Ok(full.find(atoms, &assumptions)?.unwrap_or(made))
    }

    /// Takes clues away in random order, alone or in opposite pairs, until none of them can go; or, for a board of some difficulty,
    /// as many of them as leave it easy enough. None where that is too easy, or the part `clues` had ruled solutions out.
    fn without_idle_clues(&mut self, full: Made, random: &mut fastrand::Rng) -> Result<Option<Rated>, Failure> {
        let Some(solution) = self.only_by_the_rules(&full.board)? else { return Ok(None) };
        let mut made = Made { solution, ..full };
        let mut boards = vec![made.board.clone()];
        // At last by the rules alone.
        let mut is_last = self.ground.exact.is_none();
        loop {
            let mut groups: BTreeMap<_, Vec<Symbol>> = BTreeMap::new();
            for &clue in made.board.iter().filter(|atom| self.ground.atoms.clues.contains_key(atom)) {
                groups.entry((asp::signature_of(clue), self.place_of(clue))).or_default().push(clue);
            }
            let mut groups: Vec<Vec<Symbol>> = groups.into_values().collect();
            random.shuffle(&mut groups);
            let mut is_changed = false;
            for group in groups {
                let mut board = made.board.clone();
                for clue in &group {
                    board.remove(clue);
                    board.extend(self.ground.atoms.clues[clue]);
                }
                let solution = match is_last {
                    true => self.only_by_the_rules(&board)?,
                    false => self.only_solution(&board, &made.solution)?,
                };
                if let Some(solution) = solution {
                    is_changed = true;
                    boards.push(board.clone());
                    made = Made { board, solution };
                }
            }
            // Where clues do more than to exclude, one that could not go may be free to go now.
            if !is_changed && std::mem::replace(&mut is_last, true) {
                break;
            }
        }
        let Some(wanted) = self.difficulty.clone() else { return Ok(Some(Rated { made, hardest: None })) };
        // Steps become larger with each clue that goes, but for some.
        let (mut low, mut high, mut best) = (0, boards.len(), None);
        while low < high {
            let middle = if best.is_none() && low == 0 && high == boards.len() { 0 } else { (low + high) / 2 };
            match self.rating(&boards[middle])?.filter(|rating| !wanted.is_exceeded(rating)) {
                None => high = middle,
                Some(rating) => {
                    best = Some((middle, rating));
                    low = middle + 1;
                }
            }
        }
        let fitting = best.filter(|(_, rating)| wanted.fits(rating));
        Ok(fitting.map(|(index, rating)| {
            let board = boards.swap_remove(index);
            Rated { made: Made { board, ..made }, hardest: Some(rating.hardest()) }
        }))
    }

    /// How hard the board is that is written, as `rate` tells it; none where that is too much to be found.
    fn rating(&self, board: &BTreeSet<Symbol>) -> Result<Option<Rating>, Failure> {
        let text = Document::in_memory("the board", self.written(board)?.text());
        let rules = Rules::of(self.logic.0.about.encodings, &[], &self.job.encodings, &[]);
        let facts = self.logic.facts_to_rate(&read_back(self.logic, &text)?, &rules);
        let instance = vec![Document::in_memory("the board", facts)];
        let program = asp::Program { instance, encoding: self.job.encodings.clone(), ..asp::Program::default() };
        let rating = Rating::of(&program.into(), &self.job.settings, &self.job.stop)?;
        if self.job.stop.requested().is_some() {
            return Err(Failure::default());
        }
        Ok(Some(rating).filter(Rating::is_solved))
    }

    /// The cell of a clue; with symmetry, the first of it and the one opposite.
    fn place_of(&self, clue: Symbol) -> (i32, i32) {
        let (row, column) = cell_of(clue).unwrap_or_default();
        let opposite = (self.empty.rows as i32 + 1 - row, self.empty.columns as i32 + 1 - column);
        if self.is_symmetric { (row, column).min(opposite) } else { (row, column) }
    }

    /// The solution of a board that has exactly one, solved as anybody would.
    fn only_by_the_rules(&self, board: &BTreeSet<Symbol>) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let mut solutions = self.anew(board)?.solutions()?;
        Ok(solutions.pop().filter(|_| solutions.is_empty()))
    }

    /// The solution of a board that has exactly one, which may be this one.
    fn only_solution(
        &mut self,
        board: &BTreeSet<Symbol>,
        solution: &BTreeSet<Symbol>,
    ) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Grounded { atoms, exact: Some(exact), .. } = &mut self.ground else { return self.only_by_the_rules(board) };
        let exactly_it = exactly(board, &atoms.inputs);
        let with_solution = [exactly_it.clone(), exactly(solution, &atoms.outputs)].concat();
        let made = match exact.find(atoms, &with_solution)? {
            Some(made) => made,
            None => match exact.find(atoms, &exactly_it)? {
                Some(made) => made,
                None => return Ok(None),
            },
        };
        Ok(self.undecided(&made)?.is_some_and(|apart| apart.is_empty()).then_some(made.solution))
    }

    /// What another solution of the board has or has not; solved anew, what any has and not all. None where there is no solution.
    fn undecided(&mut self, made: &Made) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Grounded { atoms, exact: Some(exact), .. } = &mut self.ground else {
            return self.anew(&made.board)?.undecided();
        };
        let mut assumptions = exactly(&made.board, &atoms.inputs);
        assumptions.push((exact.exclude(atoms, &made.solution)?, true));
        let other = exact.find(atoms, &assumptions)?;
        Ok(Some(
            other.map_or(BTreeSet::new(), |other| {
                made.solution.symmetric_difference(&other.solution).copied().collect()
            }),
        ))
    }

    fn anew(&self, board: &BTreeSet<Symbol>) -> Result<Anew, Failure> {
        Anew::of(&self.written(board)?, &self.job.encodings, &self.job.stop)
    }

    fn written(&self, board: &BTreeSet<Symbol>) -> Result<Written, Failure> {
        let atoms: Vec<Symbol> = self.ground.atoms.always.iter().chain(board).copied().collect();
        let mut board = Written::of_facts(&atoms).map_err(Diagnostic::error)?;
        board.header.extend(self.empty.header.clone());
        Ok(Written { puzzle: Some(self.logic.0.about.name.to_owned()), ..board })
    }
}

/// What the part `areas` says of a board of this size.
fn part_areas(encodings: &[Document], rows: usize, columns: usize, stop: &Stop) -> Result<Vec<Symbol>, Failure> {
    let size = format!("#program areas. rows({rows}). columns({columns}).");
    let program = asp::Program {
        instance: vec![Document::in_memory("the size", size)],
        encoding: encodings.to_vec(),
        ..asp::Program::default()
    };
    let mut solver = asp::Solver::new(&asp::Settings::default(), stop)?;
    solver.load(&program)?;
    solver.ground(&[("areas", &[])])?;
    facts_of(&mut solver)
}

/// These atoms hold, and no others of the kind.
fn exactly(holding: &BTreeSet<Symbol>, kind: &[Symbol]) -> Vec<(Symbol, bool)> {
    kind.iter().map(|&atom| (atom, holding.contains(&atom))).collect()
}

/// Row and column, where the first two arguments are numbers; of a clue, those of what it is about.
fn cell_of(atom: Symbol) -> Option<(i32, i32)> {
    match &atom.arguments().ok()?.iter().copied().map(Term::of).collect::<Vec<_>>()[..] {
        [Term::Number(row), Term::Number(column), ..] => Some((*row, *column)),
        _ => None,
    }
}
