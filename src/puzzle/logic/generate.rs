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
//! The board that comes out is read back from its text and solved anew, by the rules alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;

use clap::Args;
use rustc_hash::FxHashMap;

use super::board::Board as Written;
use super::{Drawing, Logic, Sheet, facts_of};
use crate::asp::{self, Order, Symbol, Term, syntax};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;
use crate::puzzle::values::size;
use crate::puzzle::{Console, Done, Encoding, Takes, Tool, has_options};
use crate::report::Format;
use crate::stop::{Reason, Stop};
use crate::words::{self, count, thousands};

#[derive(Clone, Copy)]
pub struct Generate(pub &'static Sheet);

#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Columns and rows
    #[arg(long, value_name = "CxR", value_parser = size, default_value = "8x8")]
    size: (usize, usize),
    /// Place clues with half-turn symmetry
    #[arg(long)]
    symmetric: bool,
}

/// More would take hours.
const MOST_CELLS: usize = 10_000;
/// Boards that are begun, or mended, before it is given up.
const ATTEMPTS: u64 = 3000;
/// Mends of one board before another is begun.
const MENDS: u64 = 60;

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
        &[Format::Text, Format::Url, Format::Svg]
    }

    fn encoding(&self) -> Option<Encoding> {
        self.0.about.encodings.first().copied()
    }

    fn run(&self, job: &Job, console: &mut Console<'_>) -> Result<Done, Failure> {
        let options = &*job.options::<Options>();
        let logic = Logic(self.0);
        let mut random = fastrand::Rng::with_seed(job.seed);
        let mut maker = Maker::new(logic, job, options, &job.stop, &mut random)?;
        let none = |stop: &Stop| {
            let reason = stop.requested().unwrap_or(Reason::Unproven);
            Ok(Done::short_of("no board with exactly one solution was found", String::new(), reason))
        };
        let made = match maker.make(&mut random, console.progress) {
            Err(failure) if failure.0.is_empty() => None,
            made => made?,
        };
        let Some(made) = made else { return none(&job.stop) };
        let (name, (columns, rows)) = (self.0.about.name, options.size);
        let board = Written { puzzle: Some(name.to_owned()), ..maker.written(&made.board)? };
        let clues = count(
            made.board.iter().filter(|atom| maker.atoms.clues.contains_key(atom)).count() as u64,
            "clue",
            "clues",
        );
        let size = words::size(rows, columns);
        let promise = format!(
            "% {name}, {size}, seed {}: exactly one solution; each {}of its {clues} is needed.\n",
            job.seed,
            if options.symmetric { "opposite pair " } else { "" },
        );
        let text = format!("{promise}{}", board.text());
        let given = vouched_for(logic, &Document::in_memory("the board", text.as_str()), &job.encodings, job);
        let given = match given {
            Err(failure) if failure.0.is_empty() => return none(&job.stop),
            given => given?,
        };
        Ok(Done::solved(match job.format {
            Format::Url => {
                let link = logic.links()?.ok_or_else(|| Diagnostic::error(format!("{name} has no links")))?;
                link.write(&board)? + "\n"
            }
            Format::Svg => given.picture(name).svg(),
            _ => text,
        }))
    }
}

/// Reads the board as anybody would, and solves it by the rules alone; gives what is drawn of it.
fn vouched_for(logic: Logic, text: &Document, encodings: &[Document], job: &Job) -> Result<Drawing, Failure> {
    let name = logic.0.about.name;
    let (given, solutions) = solved_anew(&Written::read(text)?, encodings, &job.stop)?;
    let (given, _) = Drawing::of(&given, name)?;
    match solutions.len() {
        1 => Ok(given),
        _ => Err(Diagnostic::error(format!("the board of {name} does not have exactly one solution")).into()),
    }
}

/// What is given with a board, and its solutions, two of them at most, by the rules alone.
fn solved_anew(
    board: &Written,
    encodings: &[Document],
    stop: &Stop,
) -> Result<(Vec<Symbol>, Vec<BTreeSet<Symbol>>), Failure> {
    let instance = vec![Document::in_memory("the board", board.facts())];
    let program = asp::Program { instance, encoding: encodings.to_vec(), ..asp::Program::default() };
    let options = vec!["--project=show".to_owned()];
    let settings = asp::Settings { models: Some(2), options, ..asp::Settings::default() };
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    let given = facts_of(&mut solver)?;
    let mut solutions = Vec::new();
    let solved = solver.control().solve(&[], |model| {
        solutions.extend(model.shown(Order::Sorted).map(|shown| shown.collect::<BTreeSet<Symbol>>()));
        ControlFlow::Continue(())
    });
    solved.map_err(|error| Diagnostic::error(error.text))?;
    if stop.requested().is_some() {
        return Err(Failure::default());
    }
    Ok((given, solutions))
}

/// A board with its solution, as atoms.
#[derive(Clone)]
struct Made {
    board: BTreeSet<Symbol>,
    solution: BTreeSet<Symbol>,
}

/// What boards and solutions are made of.
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

/// Three solvers of one program, each with a task of its own.
struct Maker<'a> {
    atoms: Atoms,
    /// Rows and columns.
    size: (i32, i32),
    is_symmetric: bool,
    /// Decides at random, and gives up soon.
    random: Search,
    /// Has as many clues as can be.
    full: Search,
    /// Proves; none where the program only begins boards, which then are solved anew.
    exact: Option<Search>,
    encodings: &'a [Document],
    stop: &'a Stop,
}

impl Atoms {
    fn of(logic: Logic, encodings: &[Document], search: &mut Search) -> Result<Atoms, Failure> {
        let known = search.solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
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
        let is_input = |atom: Symbol| {
            let name = asp::signature_of(atom).map(|(name, _)| name);
            name.is_some_and(|name| logic.0.about.facts.contains(&name))
        };
        let shown: BTreeSet<(String, usize)> = encodings.iter().flat_map(shown).collect();
        let is_output = |atom: Symbol| {
            asp::signature_of(atom).is_some_and(|(name, arity)| shown.contains(&(name.to_owned(), arity)))
        };
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
        let solved = self.solver.control().solve(&literals, |model| {
            let holding = |atoms: &[(Symbol, i32)]| {
                let holds = |literal: i32| literal != 0 && model.holds(literal).unwrap_or(false);
                atoms.iter().filter(|(_, literal)| holds(*literal)).map(|(atom, _)| *atom).collect()
            };
            found = Some(Made { board: holding(&inputs), solution: holding(&outputs) });
            ControlFlow::Break(())
        });
        solved.map_err(|error| Diagnostic::error(error.text))?;
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

impl<'a> Maker<'a> {
    fn new(
        logic: Logic,
        job: &'a Job,
        options: &Options,
        stop: &'a Stop,
        random: &mut fastrand::Rng,
    ) -> Result<Self, Failure> {
        let (columns, rows) = options.size;
        if rows.saturating_mul(columns) > MOST_CELLS {
            let text = format!("--size {columns}x{rows}: at most {} cells were wanted", thousands(MOST_CELLS));
            return Err(Diagnostic::error(text).into());
        }
        logic
            .check_size(rows, columns)
            .map_err(|error| Diagnostic::error(format!("--size {columns}x{rows}: {error}")))?;
        let mut additions = format!("rows({rows}). columns({columns}).\n");
        if options.symmetric {
            additions += "#program clues.\nwritten_in(R,C) :- sign(R,C,_).\n\
                          :- written_in(R,C), rows(H), columns(W), not written_in(H+1-R,W+1-C).\n";
        }
        let mut program = asp::Program {
            instance: vec![Document::in_memory("the size", additions)],
            encoding: job.encodings.clone(),
            ..asp::Program::default()
        };
        let seed = format!("--seed={}", random.u32(..));
        let of_random = ["--rand-freq=0.05", "--sign-def=rnd", &seed, "--solve-limit=20000"];
        let mut search = Search::new(&program, &of_random, stop)?;
        let atoms = Atoms::of(logic, &job.encodings, &mut search)?;
        if atoms.clues.is_empty() || atoms.outputs.is_empty() {
            let text = format!("no board of {} has clues", words::size(rows, columns));
            return Err(Diagnostic::error(text).into());
        }
        search.begins = true;
        let exact = if atoms.only_begins { None } else { Some(Search::new(&program, &[], stop)?) };
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
        let size = (rows as i32, columns as i32);
        let encodings = &job.encodings;
        Ok(Maker { atoms, size, is_symmetric: options.symmetric, random: search, full, exact, encodings, stop })
    }

    /// A board with one solution and no clue too many; none where there seems to be none.
    fn make(&mut self, random: &mut fastrand::Rng, progress: &dyn Fn(u64, u64)) -> Result<Option<Made>, Failure> {
        /// Solutions of one board: one, another, and how many atoms tell them apart.
        struct Begun {
            made: Made,
            other: BTreeSet<Symbol>,
            apart: usize,
        }
        let mut begun: Option<Begun> = None;
        for attempt in 0..ATTEMPTS {
            progress(attempt, ATTEMPTS);
            if attempt % MENDS == 0 {
                begun = None;
            }
            let kept = match &begun {
                Some(begun) => self.mended(&begun.made, &begun.other, random)?,
                None => Vec::new(),
            };
            let Some(made) = self.random.find(&self.atoms, &kept)? else { continue };
            let made = self.filled(made)?;
            let Some(other) = self.other_solution(&made)? else {
                match self.without_idle_clues(made, random)? {
                    Some(made) => return Ok(Some(made)),
                    None => continue,
                }
            };
            let apart = made.solution.symmetric_difference(&other).count();
            if begun.as_ref().is_none_or(|begun| apart <= begun.apart) {
                begun = Some(Begun { made, other, apart });
            }
        }
        Ok(None)
    }

    /// Assumptions that leave a solution open where another one of the same board differs from it, and keep most of the rest.
    fn mended(
        &mut self,
        made: &Made,
        other: &BTreeSet<Symbol>,
        random: &mut fastrand::Rng,
    ) -> Result<Vec<(Symbol, bool)>, Failure> {
        let excluded = [self.random.exclude(&self.atoms, &made.solution)?, self.random.exclude(&self.atoms, other)?];
        let near: Vec<(i32, i32)> =
            made.solution.symmetric_difference(other).filter_map(|&atom| cell_of(atom)).collect();
        let reach = random.i32(1..=3);
        let is_open = |atom: Symbol| {
            cell_of(atom).is_none_or(|(row, column)| {
                near.iter().any(|cell| (cell.0 - row).abs().max((cell.1 - column).abs()) <= reach)
            })
        };
        let kept = self.atoms.outputs.iter().filter(|&&atom| !is_open(atom) && random.f64() < 0.95);
        let kept = kept.map(|&atom| (atom, made.solution.contains(&atom)));
        let mut kept: Vec<(Symbol, bool)> = kept.chain(excluded.map(|excluded| (excluded, true))).collect();
        // Mostly, cells without anything stay so; what the others show may change.
        if random.f64() < 0.7 {
            let written: BTreeSet<_> = made.board.iter().filter_map(|&atom| cell_of(atom)).collect();
            let is_empty = |atom: Symbol| cell_of(atom).is_some_and(|cell| !written.contains(&cell));
            let inputs = self.atoms.inputs.iter().filter(|&&atom| is_empty(atom) && !is_open(atom));
            kept.extend(inputs.map(|&atom| (atom, false)));
        }
        Ok(kept)
    }

    /// The board with all clues that its solution allows.
    fn filled(&mut self, made: Made) -> Result<Made, Failure> {
        let Atoms { inputs, clues, outputs, .. } = &self.atoms;
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
        Ok(self.full.find(&self.atoms, &assumptions)?.unwrap_or(made))
    }

    /// Takes clues away in random order, alone or in opposite pairs, until none of them can go.
    fn without_idle_clues(&mut self, mut made: Made, random: &mut fastrand::Rng) -> Result<Option<Made>, Failure> {
        // The part `clues` may have ruled solutions out.
        if self.only_by_the_rules(&made.board)?.is_none() {
            return Ok(None);
        }
        // At last by the rules alone.
        let mut is_last = self.exact.is_none();
        loop {
            let mut groups: BTreeMap<(i32, i32), Vec<Symbol>> = BTreeMap::new();
            for &clue in made.board.iter().filter(|atom| self.atoms.clues.contains_key(atom)) {
                groups.entry(self.place_of(clue)).or_default().push(clue);
            }
            let mut groups: Vec<Vec<Symbol>> = groups.into_values().collect();
            random.shuffle(&mut groups);
            let before = made.board.len();
            let mut is_changed = false;
            for group in groups {
                let mut board = made.board.clone();
                for clue in &group {
                    board.remove(clue);
                    board.extend(self.atoms.clues[clue]);
                }
                let solution = match is_last {
                    true => self.only_by_the_rules(&board)?,
                    false => self.only_solution(&board, &made.solution)?,
                };
                if let Some(solution) = solution {
                    is_changed = true;
                    made = Made { board, solution };
                }
            }
            debug_assert!(made.board.len() <= before, "taking away adds nothing");
            // Where clues do more than to exclude, one that could not go may be free to go now.
            if !is_changed && std::mem::replace(&mut is_last, true) {
                return Ok(Some(made));
            }
        }
    }

    /// The cell of a clue; with symmetry, the first of it and the one opposite.
    fn place_of(&self, clue: Symbol) -> (i32, i32) {
        let (row, column) = cell_of(clue).unwrap_or_default();
        let opposite = (self.size.0 + 1 - row, self.size.1 + 1 - column);
        if self.is_symmetric { (row, column).min(opposite) } else { (row, column) }
    }

    /// The solution of a board that has exactly one, solved as anybody would.
    fn only_by_the_rules(&self, board: &BTreeSet<Symbol>) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let mut solutions = self.solutions(board)?;
        Ok(solutions.pop().filter(|_| solutions.is_empty()))
    }

    /// The solution of a board that has exactly one, which may be this one.
    fn only_solution(
        &mut self,
        board: &BTreeSet<Symbol>,
        solution: &BTreeSet<Symbol>,
    ) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Some(exact) = &mut self.exact else { return self.only_by_the_rules(board) };
        let exactly_it = exactly(board, &self.atoms.inputs);
        let with_solution = [exactly_it.clone(), exactly(solution, &self.atoms.outputs)].concat();
        let made = match exact.find(&self.atoms, &with_solution)? {
            Some(made) => made,
            None => match exact.find(&self.atoms, &exactly_it)? {
                Some(made) => made,
                None => return Ok(None),
            },
        };
        Ok(self.other_solution(&made)?.is_none().then_some(made.solution))
    }

    /// Another solution of the board.
    fn other_solution(&mut self, made: &Made) -> Result<Option<BTreeSet<Symbol>>, Failure> {
        let Some(exact) = &mut self.exact else {
            return Ok(self.solutions(&made.board)?.into_iter().find(|solution| *solution != made.solution));
        };
        let mut assumptions = exactly(&made.board, &self.atoms.inputs);
        assumptions.push((exact.exclude(&self.atoms, &made.solution)?, true));
        Ok(exact.find(&self.atoms, &assumptions)?.map(|made| made.solution))
    }

    /// The solutions of a board, two of them at most.
    fn solutions(&self, board: &BTreeSet<Symbol>) -> Result<Vec<BTreeSet<Symbol>>, Failure> {
        Ok(solved_anew(&self.written(board)?, self.encodings, self.stop)?.1)
    }

    fn written(&self, board: &BTreeSet<Symbol>) -> Result<Written, Failure> {
        let atoms: Vec<Symbol> = self.atoms.always.iter().chain(board).copied().collect();
        Ok(Written::of_facts(&atoms).map_err(Diagnostic::error)?)
    }
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

/// The predicates that a program shows, with their arities.
fn shown(document: &Document) -> Vec<(String, usize)> {
    let statements = syntax::statements(&document.text).into_iter();
    let shows = statements.filter_map(|statement| {
        let signature = document.text[statement.range].trim().strip_prefix("#show")?.trim().trim_end_matches('.');
        let (name, arity) = signature.split_once('/')?;
        Some((name.trim().to_owned(), arity.trim().parse().ok()?))
    });
    shows.collect()
}
