//! `asp-solve generate slither`: generates a board with exactly one solution that needs each of its
//! clues.
//!
//! The part `clues` of a puzzle's file defines the possible boards: it chooses among the atoms of
//! the input. `clue(A)` marks an atom that may be removed, and `weaker(A,B)` states that B remains
//! when A is removed. With this part, each answer of the program is a board together with a
//! solution. The generator finds a random answer and adds all clues that the solution allows. If
//! the board has another solution, the generator repairs the board near the cells in which the two
//! solutions differ. Finally, it removes clues in random order as long as the solution remains
//! unique. All these searches solve one ground program under assumptions.
//!
//! The atom `begun` holds during the search for a board but not during proofs. A part that chooses
//! `begun` freely can thereby prefer boards that are likely to have a unique solution. If `begun`
//! is a fact, the part only proposes boards, and uniqueness is proven by a separate solver that has
//! only the rules of the puzzle.
//!
//! If the clues of a puzzle include the borders of areas, its part `areas` defines the possible
//! areas ([`AreaRules`]). Areas are facts of the program: they are drawn before it is grounded, and
//! redrawn near the cells in which two solutions differ.
//!
//! The final board is read back from its text and solved again with only the rules of the puzzle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;

use asp::{Order, Signature, Symbol, Term, syntax};
use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::stop::{CancelToken, StopReason};
use base::words::{self, count, thousands};
use certificate::Claim;
use clap::Args;
use drawing::Drawing;
use explain::Rating;
use ground::GroundProgram;
use parking_lot::Mutex;
use picture::page::PrintedBoard;
use prover::Certification;
use puzzle::Format;
use puzzle::job::{Job, Rules};
use puzzle::values::{Range, range, size};
use puzzle::{Console, Describe, Encoding, OptionDeclaration, Tool, ToolInput, ToolOutput};
use rustc_hash::FxHashMap;

use super::areas::{AreaMap, AreaRules};
use super::board::{Cell, Clue, GridBoard};
use super::definition::LogicPuzzle;
use super::solve::fact_atoms;
use super::square;

#[derive(Clone)]
pub struct GeneratePuzzle(pub LogicPuzzle);

#[derive(Debug, Clone, Default, Args)]
pub struct BoardGeneratorOptions {
    /// Columns and rows [default: the puzzle's usual size]
    #[arg(long, value_name = "CxR", value_parser = size)]
    size: Option<(usize, usize)>,
    /// Reasons needed for the hardest step, as `rate` counts them: easy (up to 2), medium (3 or 4),
    /// hard (5 or more), or N..M; where steps have names, as in Sudoku, the words go by the hardest
    /// technique
    #[arg(long, value_name = "LEVEL")]
    difficulty: Option<Difficulty>,
    /// Place clues with half-turn symmetry
    #[arg(long)]
    symmetric: bool,
    /// Rules to add, where the puzzle has variants (`asp-solve list PUZZLE`)
    #[arg(short, long, value_name = "NAME")]
    encoding: Vec<String>,
}

/// Maximum number of cells. Larger boards would take hours.
const MAX_CELLS: usize = 10_000;
/// Maximum number of attempts to find or to repair a board.
const MAX_ATTEMPTS: u64 = 3000;
/// Maximum number of repairs without improvement before a restart.
const MAX_REPAIRS: u64 = 60;
/// Like [`MAX_REPAIRS`], for boards that need a fresh solver each. Most repairs that succeed do so
/// early.
const MAX_REPAIRS_FRESH: u64 = 25;
/// Like [`MAX_REPAIRS`], for boards whose areas are redrawn. Each repair changes little.
const MAX_REPAIRS_AREAS: u64 = 150;
/// The size of a board if the header does not define one.
const DEFAULT_SIZE: (usize, usize) = (8, 8);

/// Bounds on the difficulty of the hardest step.
#[derive(Debug, Clone)]
struct Difficulty {
    /// Bounds on the number of reasons that the step needs.
    reasons: Range<usize>,
    /// Bounds on the level of the step, which are used instead if the step has a named technique.
    /// `None` if the request is a range of numbers.
    levels: Option<Range<usize>>,
}

impl FromStr for Difficulty {
    type Err = String;

    /// Parses `easy`, `medium`, `hard` or a range.
    fn from_str(text: &str) -> Result<Self, String> {
        let preset =
            |reasons: &str, levels: &str| Ok(Difficulty { reasons: range(reasons)?, levels: Some(range(levels)?) });
        match text {
            "easy" => preset("..2", "..1"),
            "medium" => preset("3..4", "2"),
            "hard" => preset("5..", "3.."),
            _ => {
                let reasons = range(text).map_err(|error| format!("{error}; or easy, medium, hard"))?;
                Ok(Difficulty { reasons, levels: None })
            }
        }
    }
}

impl Difficulty {
    /// Returns the range that applies to a rating, and the rating's value on the same scale.
    fn measure(&self, rating: &Rating) -> (&Range<usize>, usize) {
        match (&self.levels, rating.level()) {
            (Some(levels), Some(level)) => (levels, usize::try_from(level).unwrap_or_default()),
            _ => (&self.reasons, rating.largest()),
        }
    }

    /// Returns true if a board is too difficult. An inexact rating is only a lower bound, so it
    /// counts as exceeding any limit.
    fn is_exceeded(&self, rating: &Rating) -> bool {
        let (bounds, value) = self.measure(rating);
        bounds.most.is_some_and(|most| !rating.is_exact() || value > most)
    }

    fn fits(&self, rating: &Rating) -> bool {
        let (bounds, value) = self.measure(rating);
        bounds.contains(&value)
    }
}

impl Tool for GeneratePuzzle {
    fn name(&self) -> &'static str {
        "generate"
    }

    fn about(&self) -> &'static str {
        "Generate a board with exactly one solution that needs each of its clues"
    }

    fn options(&self) -> OptionDeclaration {
        OptionDeclaration::of::<BoardGeneratorOptions>()
    }

    fn input(&self) -> ToolInput {
        ToolInput::Seed
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Text, Format::Url, Format::SudokuPad, Format::Penpa, Format::Pzprv3, Format::Svg, Format::Html]
    }

    fn encoding(&self) -> Option<&Encoding> {
        self.0.definition.encodings.first()
    }

    fn certifies(&self) -> bool {
        true
    }

    fn variants(&self, job: &Job) -> Result<Vec<Encoding>, Failure> {
        let named = &job.tool_options::<BoardGeneratorOptions>()?.encoding;
        let encoding_of = |name: &String| self.0.definition.encodings[1..].iter().find(|known| known.name == **name);
        Ok(named.iter().filter_map(encoding_of).cloned().collect())
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<ToolOutput, Failure> {
        let options = &*job.tool_options::<BoardGeneratorOptions>()?;
        let logic = &self.0;
        let job = &self.with_variants(job, &options.encoding)?;
        let name = &*logic.name;
        let usual = logic.definition.header.paragraph("Usual size");
        let (columns, rows) = match (options.size, usual) {
            (Some(size), _) => size,
            (None, Some(usual)) => {
                size(&usual).map_err(|error| Diagnostic::error(Code::Usage, format!("{name}: {error}")))?
            }
            (None, None) => DEFAULT_SIZE,
        };
        let mut random = fastrand::Rng::with_seed(job.seed);
        let none = |stop: &CancelToken| {
            let reason = stop.requested().unwrap_or(StopReason::Unproven);
            let text = match options.difficulty {
                Some(_) => "no board with exactly one solution and this difficulty was found",
                None => "no board with exactly one solution was found",
            };
            Ok(ToolOutput::incomplete(text, String::new(), reason))
        };
        let made = Generator::new(logic, job, options, (rows, columns), &mut random)
            .and_then(|mut generator| Ok((generator.make(&mut random, console.progress)?, generator)));
        let (made, generator) = match made {
            Err(failure) if failure.0.is_empty() => return none(&job.stop),
            made => made?,
        };
        let Some(RatedBoard { made, hardest }) = made else { return none(&job.stop) };
        let board = generator.to_grid_board(&made.board)?;
        let clues = made.board.iter().filter(|atom| generator.searches.atoms.clues.contains_key(atom)).count();
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
        let verified =
            verify_unique(logic, &Document::in_memory("the board", board.text()), &job.sources.encodings, job);
        let VerifiedBoard { facts, solution, certificate } = match verified {
            Err(failure) if failure.0.is_empty() => return none(&job.stop),
            verified => verified?,
        };
        let is_certified = certificate.checked == Some(true);
        let certified = if is_certified { ", certified" } else { "" };
        let text = format!("% {title}: exactly one solution{certified}{promise}.\n{}", board.text());
        let drawn = |atoms: &[Symbol]| Ok::<_, Failure>(Drawing::of(atoms, name)?.0.picture(name, &job.stop).svg());
        let output = match job.output.format {
            format if format.is_board() => {
                let answer = (format == Format::Penpa).then_some(solution.as_slice());
                let none = || Diagnostic::error(Code::InvalidLink, format!("{name} has no {}", format.name()));
                logic.export_grid(&board, format, answer)?.ok_or_else(none)?
            }
            Format::Svg => drawn(&facts)?,
            Format::Html => {
                let origin = format!("{size}, seed {}", job.seed);
                console.sheet.push(PrintedBoard { origin, picture: drawn(&facts)?, solution: drawn(&solution)? });
                String::new()
            }
            _ => text,
        };
        Ok(ToolOutput { certificate: Some(certificate), ..ToolOutput::solved(output) })
    }
}

impl GeneratePuzzle {
    /// Returns the job with the rules of the variants `names` added. Rejects variants with further
    /// inputs, since only the puzzle's own clues can be generated.
    fn with_variants(&self, job: &Job, names: &[String]) -> Result<Job, Failure> {
        let mut job = job.clone();
        let puzzle_inputs = self.0.definition.header.inputs();
        for name in names {
            let variant = self.0.definition.variants.iter().find(|variant| variant.name == name);
            let known: Vec<&str> = self.0.definition.variants.iter().map(|variant| variant.name).collect();
            let suggestion = words::did_you_mean(name, known.iter().copied());
            let none = || {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                format!("--encoding {name}{suggestion}: {} has no such variant; its variants are: {known}", self.0.name)
            };
            let variant = variant.ok_or_else(|| Diagnostic::error(Code::UnknownName, none()))?;
            let is_new = |input: &&str| *input != "variant" && !puzzle_inputs.contains(input);
            if let Some(input) = variant.header.inputs().into_iter().find(is_new) {
                let text = format!(
                    "--encoding {name}: boards with {input} cannot be generated, only boards with clues in cells"
                );
                return Err(Diagnostic::error(Code::Usage, text).into());
            }
            let encodings = self.0.definition.encodings.iter();
            let files = encodings.filter(|encoding| encoding.name == **name).flat_map(|encoding| &*encoding.files);
            for file in files {
                if !job.sources.encodings.iter().any(|known| known.name.ends_with(&*file.path)) {
                    job.sources.encodings.push(Document::in_memory(&*file.path, file.text));
                }
            }
        }
        Ok(job)
    }
}

/// A board whose solution was proven unique with only the rules of the puzzle.
struct VerifiedBoard {
    /// The facts of the board.
    facts: Vec<Symbol>,
    /// The atoms of its solution.
    solution: Vec<Symbol>,
    certificate: Certification,
}

/// Reads a board from its text and proves with only the rules of the puzzle that it has exactly one
/// solution.
fn verify_unique(
    logic: &LogicPuzzle,
    text: &Document,
    encodings: &[Document],
    job: &Job,
) -> Result<VerifiedBoard, Failure> {
    let mut fresh = FreshSolver::of(&read_back(logic, text)?, encodings, &job.stop)?;
    let facts = fact_atoms(&mut fresh.solver)?;
    let ground = fresh.ground.clone();
    let ground = || ground.lock();
    let mut answers = Vec::new();
    let mut solution = Vec::new();
    fresh.models("record", 2, |model| {
        answers.push(model.sorted_true_atoms(&ground())?);
        solution = model.atoms()?.collect();
        Ok(())
    })?;
    if answers.len() != 1 {
        let text = format!("the board of {} does not have exactly one solution", logic.name);
        return Err(Diagnostic::error(Code::Usage, text).into());
    }
    let ground = ground();
    let claim = Claim { answers, projects_to_shown: true, bound: None };
    let shown = prover::shown_terms(&ground);
    let certificate = prover::certify(&ground, &shown, &claim, "no other", job.question.certify, &job.stop)?;
    Ok(VerifiedBoard { facts, solution, certificate })
}

/// Reads a board from its text, in the same way as any input.
fn read_back(logic: &LogicPuzzle, text: &Document) -> Result<GridBoard, Failure> {
    let none = || Diagnostic::error(Code::Usage, format!("{}: no board of {}", text.name, logic.name));
    Ok(logic.read_board(text)?.ok_or_else(none)?.0)
}

/// A solver for one board, with only the rules of the puzzle.
struct FreshSolver {
    solver: asp::Solver,
    ground: Arc<Mutex<GroundProgram>>,
    stop: CancelToken,
}

impl FreshSolver {
    fn of(board: &GridBoard, encodings: &[Document], stop: &CancelToken) -> Result<FreshSolver, Failure> {
        let instance = vec![Document::in_memory("the board", board.facts())];
        let program = asp::Program { instance, encoding: encodings.to_vec(), ..asp::Program::default() };
        let options = vec!["--project=show".to_owned()];
        let settings = asp::Settings { models: Some(0), options, ..asp::Settings::default() };
        let mut solver = asp::Solver::new(&settings, stop)?;
        let ground = solver.control().observe()?;
        solver.load(&program)?;
        solver.ground_program(&program)?;
        solver.check_inputs(&program)?;
        Ok(FreshSolver { solver, ground, stop: stop.clone() })
    }

    /// Calls `visit` with up to `max_models` models (0 for all) in an enumeration mode of clasp.
    /// Fails with an empty [`Failure`] if cancelled.
    fn models(
        &mut self,
        mode: &str,
        max_models: u8,
        mut visit: impl FnMut(&mut asp::Model<'_>) -> Result<(), asp::CallError> + Send,
    ) -> Result<(), Failure> {
        let control = self.solver.control();
        control.set("solve.enum_mode", mode)?;
        control.set("solve.models", &max_models.to_string())?;
        let mut result = Ok(());
        let solved = control.solve(&[], &mut |model| {
            result = visit(model);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        solved.and(result)?;
        if self.stop.requested().is_some() { Err(Failure::default()) } else { Ok(()) }
    }

    /// Returns up to two solutions.
    fn solutions(&mut self) -> Result<Vec<BTreeSet<Symbol>>, Failure> {
        let mut solutions = Vec::new();
        self.models("record", 2, |model| {
            solutions.push(model.shown(Order::Sorted)?.collect());
            Ok(())
        })?;
        Ok(solutions)
    }

    /// Returns the atoms that are true in some solutions but not in all. Returns `None` if there is
    /// no solution.
    fn differing_atoms(&mut self) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let mut consequences = None;
        let mut keep_last = |model: &mut asp::Model<'_>| {
            consequences = Some(model.shown(Order::Sorted)?.collect::<BTreeSet<Symbol>>());
            Ok(())
        };
        self.models("cautious", 0, &mut keep_last)?;
        let Some(cautious) = consequences.take() else { return Ok(None) };
        let mut keep_last = |model: &mut asp::Model<'_>| {
            consequences = Some(model.shown(Order::Sorted)?.collect());
            Ok(())
        };
        self.models("brave", 0, &mut keep_last)?;
        Ok(consequences.map(|brave| brave.difference(&cautious).copied().collect()))
    }
}

/// A board and a solution of it, as atoms.
#[derive(Clone, Default)]
struct SolvedBoard {
    /// The true atoms of [`BoardAtoms::inputs`].
    board: BTreeSet<Symbol>,
    /// The true atoms of [`BoardAtoms::outputs`].
    solution: BTreeSet<Symbol>,
}

/// A board, and a description of its hardest step if a difficulty was requested.
struct RatedBoard {
    made: SolvedBoard,
    hardest: Option<String>,
}

/// The possible atoms of boards and of their solutions.
#[derive(Default)]
struct BoardAtoms {
    /// The atoms that a board may have.
    inputs: Vec<Symbol>,
    /// The atoms that every board has.
    always: Vec<Symbol>,
    /// For each clue, the atom that remains when it is removed, if any.
    clues: BTreeMap<Symbol, Option<Symbol>>,
    /// The atoms that a solution may have.
    outputs: Vec<Symbol>,
    /// True if the program only proposes candidates, because `begun` is a fact.
    only_candidates: bool,
}

/// A solver whose answers are boards together with a solution.
struct BoardSearch {
    solver: asp::Solver,
    /// True if the search assumes `begun`, to find candidates for a unique solution.
    seeks_candidates: bool,
    stop: CancelToken,
    /// The solver's literal of each atom.
    literals: FxHashMap<Symbol, i32>,
    /// The solutions for which there is an atom that excludes them.
    excluded: Vec<BTreeSet<Symbol>>,
}

/// Up to three solvers for the same program, each for one task.
#[derive(Default)]
struct Searches {
    atoms: BoardAtoms,
    /// Finds random boards and gives up early. `None` if a board consists only of its areas.
    random: Option<BoardSearch>,
    /// Finds boards with the maximum number of clues. `None` if there are no clues to add.
    full: Option<BoardSearch>,
    /// Proves uniqueness. `None` if the program only proposes candidates.
    exact: Option<BoardSearch>,
}

struct Generator<'a> {
    logic: &'a LogicPuzzle,
    job: &'a Job,
    /// A board without clues.
    empty: GridBoard,
    is_symmetric: bool,
    difficulty: Option<Difficulty>,
    area_rules: Option<AreaRules>,
    areas: AreaMap,
    /// The facts that the part `areas` adds to each board.
    area_facts: Vec<Symbol>,
    searches: Searches,
}

impl BoardAtoms {
    fn of(logic: &LogicPuzzle, encodings: &[Document], search: &mut BoardSearch) -> Result<BoardAtoms, Failure> {
        let known = search.solver.control().known_atoms()?;
        let arguments = |atom: Symbol| atom.arguments().unwrap_or_default();
        let has_signature = |atom: Symbol, name: &str, arity: usize| asp::signature_of(atom) == Some((name, arity));
        let mut clues: BTreeMap<Symbol, Option<Symbol>> = BTreeMap::new();
        for &(atom, _) in &known {
            if has_signature(atom, "clue", 1) {
                clues.entry(arguments(atom)[0]).or_default();
            } else if has_signature(atom, "weaker", 2) {
                clues.insert(arguments(atom)[0], Some(arguments(atom)[1]));
            }
        }
        let inputs = logic.input_predicates();
        let is_input = |atom: Symbol| BoardAtoms::is_input(&inputs, atom);
        let shown = encodings.iter().flat_map(|document| syntax::shown_signatures(&document.text));
        let shown: BTreeSet<Signature> = shown.flatten().collect();
        let is_output = |atom: Symbol| asp::predicate_of(atom).is_some_and(|predicate| shown.contains(&predicate));
        let select = |is_selected: &dyn Fn(Symbol, bool) -> bool| {
            let atoms = known.iter().filter(|(atom, is_fact)| is_selected(*atom, *is_fact));
            atoms.map(|(atom, _)| *atom).collect::<Vec<_>>()
        };
        Ok(BoardAtoms {
            inputs: select(&|atom, is_fact| is_input(atom) && !is_fact),
            always: select(&|atom, is_fact| is_input(atom) && is_fact),
            outputs: select(&|atom, _| is_output(atom)),
            only_candidates: known.iter().any(|&(atom, is_fact)| is_fact && has_signature(atom, "begun", 0)),
            clues,
        })
    }
}

impl BoardAtoms {
    fn is_input(inputs: &[&str], atom: Symbol) -> bool {
        asp::signature_of(atom).is_some_and(|(name, _)| inputs.contains(&name))
    }
}

impl BoardSearch {
    fn new(program: &asp::Program, options: &[&str], stop: &CancelToken) -> Result<BoardSearch, Failure> {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let settings = asp::Settings { models: Some(1), options, ..asp::Settings::default() };
        let mut solver = asp::Solver::new(&settings, stop)?;
        solver.load(program)?;
        solver.ground(&[("base", &[]), ("clues", &[])])?;
        Ok(BoardSearch {
            solver,
            seeks_candidates: false,
            stop: stop.clone(),
            literals: FxHashMap::default(),
            excluded: Vec::new(),
        })
    }

    /// Finds a board with a solution. Returns `None` if none exists or the search gave up; fails
    /// with an empty [`Failure`] if cancelled.
    fn find(&mut self, atoms: &BoardAtoms, assumptions: &[(Symbol, bool)]) -> Result<Option<SolvedBoard>, Failure> {
        let control = self.solver.control();
        // Atoms that do not occur in the ground program are false.
        let mut literal =
            |atom: Symbol| *self.literals.entry(atom).or_insert_with(|| control.literal(atom).unwrap_or(0));
        let mut literals = Vec::with_capacity(assumptions.len() + 1);
        let begun = asp::function("begun", &[])
            .filter(|&begun| literal(begun) != 0)
            .map(|begun| (begun, self.seeks_candidates || atoms.only_candidates));
        for (atom, holds) in assumptions.iter().copied().chain(begun) {
            match (literal(atom), holds) {
                (0, true) => return Ok(None),
                (0, false) => {}
                (literal, holds) => literals.push(if holds { literal } else { -literal }),
            }
        }
        let mut with_literals = |atoms: &[Symbol]| atoms.iter().map(|&atom| (atom, literal(atom))).collect::<Vec<_>>();
        let (inputs, outputs) = (with_literals(&atoms.inputs), with_literals(&atoms.outputs));
        let mut found = None;
        let solved = self.solver.control().solve(&literals, &mut |model| {
            let true_atoms = |atoms: &[(Symbol, i32)]| {
                let holds = |literal: i32| literal != 0 && model.holds(literal).unwrap_or(false);
                atoms.iter().filter(|(_, literal)| holds(*literal)).map(|(atom, _)| *atom).collect()
            };
            found = Some(SolvedBoard { board: true_atoms(&inputs), solution: true_atoms(&outputs) });
            ControlFlow::Break(())
        });
        solved?;
        match found {
            None if self.stop.requested().is_some() => Err(Failure::default()),
            found => Ok(found),
        }
    }

    /// Returns an atom that excludes a solution when assumed.
    fn exclude(&mut self, atoms: &BoardAtoms, solution: &BTreeSet<Symbol>) -> Result<Symbol, Failure> {
        let known = self.excluded.iter().position(|other| other == solution);
        let number = known.unwrap_or(self.excluded.len());
        let atom = asp::function("excluded", &[asp::number(number as i32)]);
        let atom = atom.ok_or_else(|| Diagnostic::error(Code::System, "no memory for an atom"))?;
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

impl Searches {
    fn of(
        logic: &LogicPuzzle,
        encodings: &[Document],
        additions: String,
        has_areas: bool,
        stop: &CancelToken,
        random: &mut fastrand::Rng,
    ) -> Result<Searches, Failure> {
        let mut program = asp::Program {
            instance: vec![Document::in_memory("the board", additions)],
            encoding: encodings.to_vec(),
            ..asp::Program::default()
        };
        let seed = format!("--seed={}", random.u32(..));
        let random_options = ["--rand-freq=0.05", "--sign-def=rnd", &seed, "--solve-limit=20000"];
        let mut search = BoardSearch::new(&program, &random_options, stop)?;
        let atoms = BoardAtoms::of(logic, encodings, &mut search)?;
        search.seeks_candidates = true;
        let exact = if atoms.only_candidates { None } else { Some(BoardSearch::new(&program, &[], stop)?) };
        if has_areas || atoms.clues.is_empty() {
            return Ok(Searches { atoms, random: Some(search), full: None, exact });
        }
        // A solver that first decides clues, as true, finds a maximal set of clues.
        let mut heuristic = String::from("#program clues.\n");
        for (clue, weaker) in &atoms.clues {
            let _ = writeln!(heuristic, "#heuristic {}. [{},true]", asp::to_text(*clue), random.i32(2..1000));
            if let Some(weaker) = weaker {
                let _ = writeln!(heuristic, "#heuristic {}. [1,true]", asp::to_text(*weaker));
            }
        }
        program.additions.push(Document::in_memory("the clues", heuristic));
        let full = BoardSearch::new(&program, &["--heuristic=Domain"], stop)?;
        Ok(Searches { atoms, random: Some(search), full: Some(full), exact })
    }
}

impl<'a> Generator<'a> {
    fn new(
        logic: &'a LogicPuzzle,
        job: &'a Job,
        options: &BoardGeneratorOptions,
        (rows, columns): (usize, usize),
        random: &mut fastrand::Rng,
    ) -> Result<Self, Failure> {
        let wrong =
            |text: String| Err(Diagnostic::error(Code::Usage, format!("--size {columns}x{rows}: {text}")).into());
        if rows.saturating_mul(columns) > MAX_CELLS {
            return wrong(format!("the maximum is {} cells", thousands(MAX_CELLS)));
        }
        if let Err(error) = logic.check_size(rows, columns) {
            return wrong(error);
        }
        let area_facts = areas_part(&job.sources.encodings, rows, columns, &job.stop)?;
        let no_board = area_facts.iter().filter(|&&atom| asp::signature_of(atom) == Some(("no_board", 1)));
        if let Some(Term::Text(reason)) =
            no_board.filter_map(|atom| atom.arguments().ok()?.first().copied().map(Term::of)).next()
        {
            return wrong(reason);
        }
        let area_rules = AreaRules::of(&area_facts);
        if area_rules.is_none() && logic.is_plain_square() && !square::is_square_side(rows) {
            return wrong("such a board has no boxes; 4x4, 6x6, 8x8, 9x9, 10x10, … 25x25 have".to_owned());
        }
        if options.symmetric && area_rules.is_some() {
            let text = format!("--symmetric: the areas of {} are drawn at random", logic.name);
            return Err(Diagnostic::error(Code::Usage, text).into());
        }
        let inputs = logic.input_predicates();
        let mut generator = Generator {
            logic,
            job,
            empty: GridBoard {
                header: options.encoding.iter().map(|name| ("variant".to_owned(), vec![Clue::text(name)])).collect(),
                ..GridBoard::of_size(rows, columns)
            },
            is_symmetric: options.symmetric,
            difficulty: options.difficulty.clone(),
            area_rules,
            areas: AreaMap::new(),
            area_facts: area_facts.into_iter().filter(|&atom| BoardAtoms::is_input(&inputs, atom)).collect(),
            searches: Searches::default(),
        };
        if generator.area_rules.is_none() {
            generator.ground(random)?;
            let atoms = &generator.searches.atoms;
            if atoms.inputs.is_empty() || atoms.outputs.is_empty() {
                return Err(Diagnostic::error(
                    Code::Usage,
                    format!("no board of {} has clues", words::size(rows, columns)),
                )
                .into());
            }
        }
        Ok(generator)
    }

    /// Grounds the program with the current areas. Without a part `clues`, a board consists only of
    /// its areas, and nothing is grounded.
    fn ground(&mut self, random: &mut fastrand::Rng) -> Result<(), Failure> {
        let encodings = &self.job.sources.encodings;
        self.searches = Searches::default();
        if encodings.iter().any(|document| document.text.contains("#program clues.")) {
            let board = GridBoard { areas: self.areas.clone(), ..self.empty.clone() };
            let mut additions = board.facts();
            if self.is_symmetric {
                additions += "#program clues.\nwritten_in(R,C) :- sign(R,C,_).\nwritten_in(R,C) :- part(R,C,_,_).\n\
                              :- written_in(R,C), rows(H), columns(W), not written_in(H+1-R,W+1-C).\n";
            }
            self.searches =
                Searches::of(self.logic, encodings, additions, self.area_rules.is_some(), &self.job.stop, random)?;
        } else {
            let area = |(&(row, column), &area): (&Cell, &usize)| asp::fact("area", &[row, column, area]);
            let size = [("rows", self.empty.rows), ("columns", self.empty.columns)];
            let size = size.into_iter().filter_map(|(name, number)| asp::fact(name, &[number]));
            self.searches.atoms.always =
                self.areas.iter().filter_map(area).chain(size).chain(self.area_facts.iter().copied()).collect();
            self.searches.atoms.only_candidates = true;
        }
        Ok(())
    }

    /// Generates a board with a unique solution, no redundant clue and the requested difficulty.
    /// Returns `None` after too many attempts.
    fn make(&mut self, random: &mut fastrand::Rng, progress: &dyn Fn(u64, u64)) -> Result<Option<RatedBoard>, Failure> {
        /// A board with several solutions.
        struct Candidate {
            made: SolvedBoard,
            areas: AreaMap,
            /// The atoms in which its solutions differ.
            differing: BTreeSet<Symbol>,
        }
        let mut candidate: Option<Candidate> = None;
        let mut fewest_differing: usize = usize::MAX;
        let mut attempts_since_best: u64 = 0;
        for attempt in 0..MAX_ATTEMPTS {
            progress(attempt, MAX_ATTEMPTS);
            let max_repairs = match (&self.area_rules, &self.searches.exact) {
                (Some(_), _) => MAX_REPAIRS_AREAS,
                (None, Some(_)) => MAX_REPAIRS,
                (None, None) => MAX_REPAIRS_FRESH,
            };
            attempts_since_best += 1;
            if attempts_since_best > max_repairs {
                (candidate, fewest_differing, attempts_since_best) = (None, usize::MAX, 0);
            }
            let assumptions = match &candidate {
                Some(candidate) => {
                    let near: Vec<(i32, i32)> = candidate.differing.iter().filter_map(|&atom| cell_of(atom)).collect();
                    let is_redrawn = self.redraw_areas(&candidate.areas, &near, random)?;
                    if !is_redrawn && self.searches.random.is_none() {
                        continue;
                    }
                    self.repair_assumptions(&candidate.made, &candidate.differing, is_redrawn, random)?
                }
                None => {
                    if let Some(area_rules) = &self.area_rules {
                        let Some(areas) = area_rules.draw(&self.empty, random) else { continue };
                        self.areas = areas;
                        self.ground(random)?;
                    }
                    Vec::new()
                }
            };
            let made = match &mut self.searches.random {
                Some(search) => search.find(&self.searches.atoms, &assumptions)?,
                None => Some(SolvedBoard::default()),
            };
            let Some(made) = made else { continue };
            let made = self.maximise_clues(made)?;
            let Some(differing) = self.differing_atoms(&made)? else { continue };
            if differing.is_empty() {
                let made = self.minimise_clues(made, random)?;
                if made.is_some() {
                    return Ok(made);
                }
                candidate = None;
                continue;
            }
            // If all differing atoms are known, boards that are slightly worse are sometimes
            // accepted, to escape from local optima.
            let slack = if self.searches.exact.is_none() { -random.f64().max(1e-9).ln() } else { 0.0 };
            if candidate
                .as_ref()
                .is_none_or(|candidate| differing.len() as f64 <= candidate.differing.len() as f64 + slack)
            {
                if differing.len() < fewest_differing {
                    (fewest_differing, attempts_since_best) =
                        (differing.len(), if max_repairs == MAX_REPAIRS { attempts_since_best } else { 0 });
                }
                candidate = Some(Candidate { made, areas: self.areas.clone(), differing });
            }
        }
        Ok(None)
    }

    /// Redraws the areas near the cells `near`. Returns true if they changed.
    fn redraw_areas(
        &mut self,
        areas: &AreaMap,
        near: &[(i32, i32)],
        random: &mut fastrand::Rng,
    ) -> Result<bool, Failure> {
        let Some(area_rules) = &self.area_rules else { return Ok(false) };
        let near: Vec<Cell> = near.iter().map(|&(row, column)| (row as usize, column as usize)).collect();
        let Some(changed) = area_rules.redraw(&self.empty, areas, &near, random) else { return Ok(false) };
        self.areas = changed;
        self.ground(random)?;
        Ok(true)
    }

    /// Returns assumptions that fix most of a solution, except near the differing atoms.
    fn repair_assumptions(
        &mut self,
        made: &SolvedBoard,
        differing: &BTreeSet<Symbol>,
        is_redrawn: bool,
        random: &mut fastrand::Rng,
    ) -> Result<Vec<(Symbol, bool)>, Failure> {
        let Searches { atoms, random: Some(search), exact, .. } = &mut self.searches else { return Ok(Vec::new()) };
        let mut excluded = Vec::new();
        if !is_redrawn {
            excluded.push(search.exclude(atoms, &made.solution)?);
        }
        if exact.is_some() {
            let other = made.solution.symmetric_difference(differing).copied().collect();
            excluded.push(search.exclude(atoms, &other)?);
        }
        let near: Vec<(i32, i32)> = differing.iter().filter_map(|&atom| cell_of(atom)).collect();
        let near = if exact.is_some() { near } else { random.choice(near).into_iter().collect() };
        let reach = random.i32(1..=3);
        let is_open = |atom: Symbol| {
            cell_of(atom).is_none_or(|(row, column)| {
                near.iter().any(|cell| (cell.0 - row).abs().max((cell.1 - column).abs()) <= reach)
            })
        };
        let assumptions = atoms.outputs.iter().filter(|&&atom| !is_open(atom) && random.f64() < 0.95);
        let assumptions = assumptions.map(|&atom| (atom, made.solution.contains(&atom)));
        let mut assumptions: Vec<(Symbol, bool)> =
            assumptions.chain(excluded.into_iter().map(|excluded| (excluded, true))).collect();
        // Usually, empty cells stay empty, and only the values of other cells may change.
        if random.f64() < 0.7 {
            let written: BTreeSet<_> = made.board.iter().filter_map(|&atom| cell_of(atom)).collect();
            let is_sign = |atom: Symbol| matches!(asp::signature_of(atom), Some(("sign", 3) | ("part", 4)));
            let is_empty = |atom: Symbol| is_sign(atom) && cell_of(atom).is_some_and(|cell| !written.contains(&cell));
            let inputs = atoms.inputs.iter().filter(|&&atom| is_empty(atom) && !is_open(atom));
            assumptions.extend(inputs.map(|&atom| (atom, false)));
        }
        Ok(assumptions)
    }

    /// Adds all clues that the solution of a board allows.
    fn maximise_clues(&mut self, made: SolvedBoard) -> Result<SolvedBoard, Failure> {
        let Searches { atoms, full: Some(full), .. } = &mut self.searches else { return Ok(made) };
        let BoardAtoms { inputs, clues, outputs, .. } = &*atoms;
        let mut assumptions = exactly(&made.solution, outputs);
        // The atoms of the board, with each clue replaced by its weaker atom. A clue may replace
        // its weaker atom, but must not appear in an empty place.
        let weakened: BTreeSet<Symbol> =
            made.board.iter().map(|atom| clues.get(atom).copied().flatten().unwrap_or(*atom)).collect();
        let weaker_atoms: BTreeSet<Symbol> = clues.values().flatten().copied().collect();
        for &atom in inputs {
            let is_on = made.board.contains(&atom);
            let is_free = match clues.get(&atom) {
                Some(Some(weaker)) => weakened.contains(weaker),
                Some(None) => !is_on,
                None => weaker_atoms.contains(&atom) && weakened.contains(&atom),
            };
            if !is_free {
                assumptions.push((atom, is_on));
            }
        }
        Ok(full.find(atoms, &assumptions)?.unwrap_or(made))
    }

    /// Removes clues in random order, singly or in opposite pairs, until each is necessary. If a
    /// difficulty is requested, a clue stays if the board would exceed the difficulty without it.
    /// Returns `None` if the board is then too easy, or if its solution is not unique without the
    /// part `clues`.
    fn minimise_clues(
        &mut self,
        start: SolvedBoard,
        random: &mut fastrand::Rng,
    ) -> Result<Option<RatedBoard>, Failure> {
        let Some(solution) = self.unique_solution(&start.board)? else { return Ok(None) };
        let mut made = SolvedBoard { solution, ..start };
        let mut boards = vec![made.board.clone()];
        // The last pass uses only the rules of the puzzle.
        let mut is_last = self.searches.exact.is_none();
        loop {
            let mut is_changed = false;
            for group in self.clue_groups(&made.board, random) {
                let board = self.without(&made.board, &group);
                let solution = if is_last {
                    self.unique_solution(&board)?
                } else {
                    self.unique_solution_near(&board, &made.solution)?
                };
                if let Some(solution) = solution {
                    is_changed = true;
                    boards.push(board.clone());
                    made = SolvedBoard { board, solution };
                }
            }
            // Clues of some puzzles do not only exclude solutions, so a clue that was necessary may
            // have become redundant.
            if !is_changed && std::mem::replace(&mut is_last, true) {
                break;
            }
        }
        let Some(difficulty) = self.difficulty.clone() else { return Ok(Some(RatedBoard { made, hardest: None })) };
        // With each removed clue, the hardest step usually becomes harder, so bisection finds the
        // hardest board within the limit.
        let mut low = 0;
        let mut high = boards.len();
        let mut best = None;
        while low < high {
            let middle = if best.is_none() && low == 0 && high == boards.len() { 0 } else { (low + high) / 2 };
            match self.rating(&boards[middle], &difficulty)? {
                None => high = middle,
                Some(rating) => {
                    best = Some((middle, rating));
                    low = middle + 1;
                }
            }
        }
        let Some((index, mut rating)) = best.filter(|(_, rating)| difficulty.fits(rating)) else { return Ok(None) };
        if index + 1 < boards.len() {
            // Removing a clue of the sequence made the board too hard; removing others may not.
            made.board = boards.swap_remove(index);
            for group in self.clue_groups(&made.board, random) {
                let board = self.without(&made.board, &group);
                let Some(solution) = self.unique_solution_near(&board, &made.solution)? else { continue };
                if let Some(fitting) = self.rating(&board, &difficulty)?.filter(|rating| difficulty.fits(rating)) {
                    (made, rating) = (SolvedBoard { board, solution }, fitting);
                }
            }
        }
        Ok(Some(RatedBoard { made, hardest: Some(rating.hardest()) }))
    }

    /// Returns the clues of a board in random order: singly, or the opposite clues of a symmetric
    /// board together.
    fn clue_groups(&self, board: &BTreeSet<Symbol>, random: &mut fastrand::Rng) -> Vec<Vec<Symbol>> {
        let mut groups: BTreeMap<_, Vec<Symbol>> = BTreeMap::new();
        for &clue in board.iter().filter(|atom| self.searches.atoms.clues.contains_key(atom)) {
            groups.entry((asp::signature_of(clue), self.place_of(clue))).or_default().push(clue);
        }
        let mut groups: Vec<Vec<Symbol>> = groups.into_values().collect();
        random.shuffle(&mut groups);
        groups
    }

    /// Returns a board without some clues; their weaker atoms remain.
    fn without(&self, board: &BTreeSet<Symbol>, clues: &[Symbol]) -> BTreeSet<Symbol> {
        let mut board = board.clone();
        for clue in clues {
            board.remove(clue);
            board.extend(self.searches.atoms.clues[clue]);
        }
        board
    }

    /// Rates a board as `rate` rates its text. Returns `None` if no rating was found within the
    /// limits, or if the board is too difficult.
    fn rating(&self, board: &BTreeSet<Symbol>, difficulty: &Difficulty) -> Result<Option<Rating>, Failure> {
        let text = Document::in_memory("the board", self.to_grid_board(board)?.text());
        let rules = Rules::in_use(&self.logic.definition.encodings, &[], &self.job.sources.encodings, &[]);
        let facts = self.logic.facts_to_rate(&read_back(self.logic, &text)?, &rules);
        let instance = vec![Document::in_memory("the board", facts)];
        let program =
            asp::Program { instance, encoding: self.job.sources.encodings.clone(), ..asp::Program::default() };
        let is_exceeded = |rating: &Rating| difficulty.is_exceeded(rating);
        let rating = Rating::of(&program.into(), &self.job.engine.settings, &self.job.stop, is_exceeded)?;
        if self.job.stop.requested().is_some() {
            return Err(Failure::default());
        }
        Ok(Some(rating).filter(Rating::is_solved))
    }

    /// Returns the cell of a clue. If the board is symmetric, returns the same cell for opposite
    /// clues: the smaller one.
    fn place_of(&self, clue: Symbol) -> (i32, i32) {
        let (row, column) = cell_of(clue).unwrap_or_default();
        let opposite = (self.empty.rows as i32 + 1 - row, self.empty.columns as i32 + 1 - column);
        if self.is_symmetric { (row, column).min(opposite) } else { (row, column) }
    }

    /// Returns the solution of a board if it is unique, with only the rules of the puzzle.
    fn unique_solution(&self, board: &BTreeSet<Symbol>) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let mut solutions = self.fresh_solver(board)?.solutions()?;
        Ok(solutions.pop().filter(|_| solutions.is_empty()))
    }

    /// Returns the solution of a board if it is unique. Tries `solution` first, which is likely to
    /// be a solution.
    fn unique_solution_near(
        &mut self,
        board: &BTreeSet<Symbol>,
        solution: &BTreeSet<Symbol>,
    ) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Searches { atoms, exact: Some(exact), .. } = &mut self.searches else { return self.unique_solution(board) };
        let exact_board = exactly(board, &atoms.inputs);
        let with_solution = [exact_board.clone(), exactly(solution, &atoms.outputs)].concat();
        let solved = match exact.find(atoms, &with_solution)? {
            Some(solved) => solved,
            None => match exact.find(atoms, &exact_board)? {
                Some(solved) => solved,
                None => return Ok(None),
            },
        };
        Ok(self.differing_atoms(&solved)?.is_some_and(|differing| differing.is_empty()).then_some(solved.solution))
    }

    /// Returns atoms in which the solutions of the board differ: with the solver `exact`, those in
    /// which one other solution differs, otherwise all of them. Returns `None` if the board has no
    /// solution.
    fn differing_atoms(&mut self, made: &SolvedBoard) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Searches { atoms, exact: Some(exact), .. } = &mut self.searches else {
            return self.fresh_solver(&made.board)?.differing_atoms();
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

    fn fresh_solver(&self, board: &BTreeSet<Symbol>) -> Result<FreshSolver, Failure> {
        FreshSolver::of(&self.to_grid_board(board)?, &self.job.sources.encodings, &self.job.stop)
    }

    fn to_grid_board(&self, board: &BTreeSet<Symbol>) -> Result<GridBoard, Failure> {
        let atoms: Vec<Symbol> = self.searches.atoms.always.iter().chain(board).copied().collect();
        let mut board = GridBoard::of_facts(&atoms).map_err(|error| Diagnostic::error(Code::InvalidInstance, error))?;
        board.header.extend(self.empty.header.clone());
        Ok(GridBoard { puzzle: Some(self.logic.name.to_string()), ..board })
    }
}

/// Grounds the part `areas` for boards of this size, and returns its facts.
fn areas_part(encodings: &[Document], rows: usize, columns: usize, stop: &CancelToken) -> Result<Vec<Symbol>, Failure> {
    let size = format!("#program areas. rows({rows}). columns({columns}).");
    let program = asp::Program {
        instance: vec![Document::in_memory("the size", size)],
        encoding: encodings.to_vec(),
        ..asp::Program::default()
    };
    let mut solver = asp::Solver::new(&asp::Settings::default(), stop)?;
    solver.load(&program)?;
    solver.ground(&[("areas", &[])])?;
    fact_atoms(&mut solver)
}

/// Returns assumptions that make each of `atoms` true if it is in `true_atoms`, otherwise false.
fn exactly(true_atoms: &BTreeSet<Symbol>, atoms: &[Symbol]) -> Vec<(Symbol, bool)> {
    atoms.iter().map(|&atom| (atom, true_atoms.contains(&atom))).collect()
}

/// Returns the row and the column of an atom whose first two arguments are numbers.
fn cell_of(atom: Symbol) -> Option<(i32, i32)> {
    match &atom.arguments().ok()?.iter().copied().map(Term::of).collect::<Vec<_>>()[..] {
        [Term::Number(row), Term::Number(column), ..] => Some((*row, *column)),
        _ => None,
    }
}
