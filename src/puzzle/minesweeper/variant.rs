//! Layouts counted by the rules of any encoding.
//!
//! Where the rules are those of `layout.lp` and a file that only says which cells a number counts (a torus, a knight's
//! moves, a person's own), the grounded `neighbor/4` is read, and the boxes and witnesses that follow from it are counted as
//! those of the game are.
//!
//! Other rules may say anything. Their ground program is taken apart: atoms that a rule mentions together hang together, and
//! the answer sets of a program whose parts have no atom in common are the combinations of those of its parts. Each part is
//! enumerated by clingo alone, projected to its mines, and summed up by the number of mines; a part that is nothing but a
//! choice of one mine is a free cell. Parts and free cells are then coupled by the total, as those of the game are.
//!
//! ```text
//!   {a}. {b}. {c}. {d}.   h :- 2 {a;b;c;d}.   g :- 3 {a;b;c;d}.   ok :- h, not g.   :- not ok.   :- a, b.
//!
//!   h and g count all mines: for each total t they are true or false, and so is ok; the constraint leaves t = 2 alone.
//!   Without them {a, b} with ":- a, b" is a part, c and d are free: 1 + 2x layouts by mines, and 2 − m mines over c and d.
//! ```
//!
//! The total would make one part of all. So atoms that count all mines, and those that follow from them alone, are taken for
//! what they are at the total which the program allows; if it allows several, but not all, nothing is counted. Atoms that
//! mines need for their derivation stay as they are: a mine cannot stand on a count of which it is a part itself. Parts
//! with more than [`MOST`] layouts end the count, as do programs that are not a matter of counting: costs to be minimised,
//! theory atoms, acyclic edges. Then clingo tells what is certain, as before.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::PoisonError;

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::board::Board;
use super::count::{Budget, Polynomial};
use super::coupling::couple;
use super::frontier::{Frontier, Sees};
use super::grid::Cell;
use super::probability::{Likelihood, binomial, likelihood_of};
use super::weight::{Weight, exact_ratio};
use super::{LAYOUT, grounded};
use crate::asp::{self, Ground, GroundRule, Symbol, syntax};
use crate::diagnostic::{Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;

/// Layouts of all parts at the most: clingo projects about a hundred thousand in a second.
const MOST: u64 = 200_000;

/// All probabilities by the rules in use; `None` where they cannot be counted, and where there is no layout.
pub fn likelihood(board: &Board, job: &Job) -> Result<Option<Likelihood>, Failure> {
    let settings = asp::Settings { models: Some(1), ..job.settings.clone() };
    let program = grounded::program(board, job);
    let mut solver = asp::Solver::new(&settings, &job.stop)?;
    let ground = solver.control().observe().map_err(|error| Diagnostic::error(error.text))?;
    solver.load(&program)?;
    solver.ground(&[("base", &[])])?;
    solver.check_inputs(&program)?;
    if is_layout_with_neighbors(job)
        && let Some(sees) = sees(board, &mut solver)?
    {
        let budget = Budget { stop: job.stop.clone(), memory: job.limits.memory.unwrap_or(super::MEMORY) };
        let mut work = board.position.clone();
        return Ok(match Frontier::of(&mut work, &sees) {
            Ok(Some(frontier)) => likelihood_of(&work, &frontier, &budget).ok().and_then(Result::ok),
            _ => None,
        });
    }
    if !solver.solve(&[], |_| ControlFlow::Break(()))?.result.satisfiable {
        return Ok(None);
    }
    let mines = mines(board, &mut solver)?;
    // Rules that know no mines at all have an error coming.
    let Some(mines) = mines.filter(|mines| !mines.open.is_empty() || !mines.facts.is_empty()) else { return Ok(None) };
    let ground = std::mem::take(&mut *ground.lock().unwrap_or_else(PoisonError::into_inner));
    match Parts::new(ground, &mines.open.iter().map(|&(atom, _)| atom).collect()) {
        Some(parts) => mines.count(parts, board, job),
        None => Ok(None),
    }
}

/// The cells that may be mines, with their atoms in the ground program, and those that are mines by a fact.
struct Mines {
    open: Vec<(u32, usize)>,
    facts: Vec<usize>,
}

/// `None` where an atom `mine/2` is no closed cell of the board.
fn mines(board: &Board, solver: &mut asp::Solver) -> Result<Option<Mines>, Failure> {
    let mut mines = Mines { open: Vec::new(), facts: Vec::new() };
    for (symbol, is_fact) in solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))? {
        if asp::signature_of(symbol) != Some(("mine", 2)) {
            continue;
        }
        let terms = symbol.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
        let place: Option<Vec<i32>> = terms.map(|term| term.number()).collect();
        let cell = place.and_then(|place| board.cell(place[0], place[1]));
        let cell = cell.filter(|&cell| matches!(board.position.cells[cell], Cell::Closed | Cell::Mine));
        match (cell, solver.control().literal(symbol).map(u32::try_from)) {
            (Some(cell), _) if is_fact => mines.facts.push(cell),
            (Some(cell), Some(Ok(atom))) => mines.open.push((atom, cell)),
            _ => return Ok(None),
        }
    }
    Ok(Some(mines))
}

/// A ground program without what is known.
struct Parts {
    rules: Vec<GroundRule>,
    /// Mines among the atoms that are open in the ground program, if it says how many.
    total: Option<usize>,
    known: Values,
}

type Values = FxHashMap<u32, bool>;

impl Parts {
    /// `None` where the rules are no matter of counting, or allow several totals, but not all.
    fn new(ground: Ground, mines: &FxHashSet<u32>) -> Option<Self> {
        if ground.has_more() || !ground.costs.is_empty() {
            return None;
        }
        let rules = ground.rules;
        let mut deriving: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, rule) in rules.iter().enumerate() {
            rule.head.iter().for_each(|&atom| deriving.entry(atom).or_default().push(index));
            for (literal, _) in &rule.body {
                deriving.entry(literal.unsigned_abs()).or_default();
            }
        }
        let countable = Countable { mines, supports: supports(mines, &rules, &deriving) };
        let is_broken = |rule: &GroundRule, values: &Values, total: usize| {
            rule.head.is_empty() && !rule.is_choice && value(rule, values, &countable, total) == Some(true)
        };
        let mut allowed = (0..=mines.len()).filter_map(|total| {
            let values = values_at(total, &rules, &deriving, &countable);
            (!rules.iter().any(|rule| is_broken(rule, &values, total))).then_some((total, values))
        });
        let (total, values) = allowed.next()?;
        let others: Vec<Values> = allowed.map(|(_, values)| values).collect();
        let total = match others.len() {
            0 if !mines.is_empty() => Some(total),
            len if len == mines.len() && others.iter().all(|other| *other == values) => None,
            _ => return None,
        };
        let rules = rules.into_iter().filter_map(|rule| without_known(rule, &values, &countable, total.unwrap_or(0)));
        let rules = without_unused(rules.collect(), mines);
        Some(Parts { rules, total, known: values })
    }

    /// Rules that hang together, and the mines among their atoms.
    fn split(self, mines: &FxHashSet<u32>) -> Vec<(Vec<GroundRule>, Vec<u32>)> {
        let mut parent: FxHashMap<u32, u32> = FxHashMap::default();
        fn root(parent: &mut FxHashMap<u32, u32>, atom: u32) -> u32 {
            let above = *parent.entry(atom).or_insert(atom);
            if above == atom {
                return atom;
            }
            let top = root(parent, above);
            parent.insert(atom, top);
            top
        }
        let atoms = |rule: &GroundRule| -> Vec<u32> {
            rule.head.iter().copied().chain(rule.body.iter().map(|(literal, _)| literal.unsigned_abs())).collect()
        };
        for rule in &self.rules {
            let atoms = atoms(rule);
            for pair in atoms.windows(2) {
                // Choices among atoms with nothing in the body are made one by one.
                if !rule.is_choice || !rule.body.is_empty() {
                    let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
                    parent.insert(a, b);
                }
            }
        }
        let mut parts: BTreeMap<u32, (Vec<GroundRule>, Vec<u32>)> = BTreeMap::new();
        for rule in self.rules {
            let heads = if rule.is_choice && rule.body.is_empty() {
                rule.head.iter().map(|&atom| GroundRule { head: vec![atom], ..rule.clone() }).collect()
            } else {
                vec![rule]
            };
            for rule in heads {
                let Some(&atom) = atoms(&rule).first() else { continue };
                parts.entry(root(&mut parent, atom)).or_default().0.push(rule);
            }
        }
        for &mine in mines {
            if let Some(part) = parts.get_mut(&root(&mut parent, mine)) {
                part.1.push(mine);
            }
        }
        parts.into_values().filter(|(_, mines)| !mines.is_empty()).collect()
    }
}

/// What the total counts.
struct Countable<'a> {
    mines: &'a FxHashSet<u32>,
    /// What mines may be derived from, and they themselves.
    supports: FxHashSet<u32>,
}

fn supports(mines: &FxHashSet<u32>, rules: &[GroundRule], deriving: &BTreeMap<u32, Vec<usize>>) -> FxHashSet<u32> {
    let mut supports = mines.clone();
    let mut open: Vec<u32> = mines.iter().copied().collect();
    while let Some(atom) = open.pop() {
        let bodies = deriving.get(&atom).into_iter().flatten().flat_map(|&rule| &rules[rule].body);
        let atoms = bodies.filter_map(|&(literal, _)| u32::try_from(literal).ok());
        open.extend(atoms.filter(|&atom| supports.insert(atom)));
    }
    supports
}

/// What follows for atoms from facts and from the number of mines, bottom up.
fn values_at(
    total: usize,
    rules: &[GroundRule],
    deriving: &BTreeMap<u32, Vec<usize>>,
    countable: &Countable<'_>,
) -> Values {
    let mut values = Values::default();
    let mut open: Vec<u32> = deriving.keys().copied().collect();
    loop {
        let before = open.len();
        open.retain(|atom| {
            let ways =
                deriving[atom].iter().map(|&rule| (&rules[rule], value(&rules[rule], &values, countable, total)));
            let is_certain = |rule: &GroundRule| !rule.is_choice && rule.head.len() == 1;
            let known = if ways.clone().any(|(rule, value)| value == Some(true) && is_certain(rule)) {
                Some(true)
            } else {
                ways.clone().all(|(_, value)| value == Some(false)).then_some(false)
            };
            values.extend(known.map(|known| (*atom, known)));
            known.is_none()
        });
        if open.len() == before {
            return values;
        }
    }
}

/// Whether the body of a rule holds, if that is known: also where its open atoms are all the mines, of which there are
/// `total`.
fn value(rule: &GroundRule, values: &Values, countable: &Countable<'_>, total: usize) -> Option<bool> {
    let known = |literal: i32| values.get(&literal.unsigned_abs()).map(|&value| value == (literal > 0));
    let open = || rule.body.iter().filter(|&&(literal, _)| known(literal).is_none());
    let Some(bound) = rule.bound else {
        let is_false = rule.body.iter().any(|&(literal, _)| known(literal) == Some(false));
        return if is_false { Some(false) } else { (open().next().is_none()).then_some(true) };
    };
    let sum: i32 = rule.body.iter().filter(|&&(literal, _)| known(literal) == Some(true)).map(|item| item.1).sum();
    let most: i32 = open().map(|item| item.1).sum();
    if sum >= bound || sum + most < bound {
        return Some(sum >= bound);
    }
    let mines = countable.mines;
    let all = mines.len();
    let counts = |sign: i32| {
        let is_mine = |&&(literal, weight): &&(i32, i32)| {
            weight == 1 && literal.signum() == sign && mines.contains(&literal.unsigned_abs())
        };
        open().count() == all && open().filter(is_mine).map(|item| item.0).collect::<FxHashSet<i32>>().len() == all
    };
    let is_support = rule.head.iter().any(|atom| countable.supports.contains(atom));
    let counted = if !is_support && counts(1) { Some(total) } else { counts(-1).then(|| all - total) };
    counted.map(|counted| sum + counted as i32 >= bound)
}

/// What is left of a rule; `None` if it says nothing any more.
fn without_known(mut rule: GroundRule, values: &Values, countable: &Countable<'_>, total: usize) -> Option<GroundRule> {
    let is_done = !rule.is_choice && rule.head.iter().any(|atom| values.get(atom) == Some(&true));
    if is_done || value(&rule, values, countable, total) == Some(false) {
        return None;
    }
    rule.head.retain(|atom| !values.contains_key(atom));
    let bound = &mut rule.bound;
    rule.body.retain(|&(literal, weight)| match values.get(&literal.unsigned_abs()) {
        None => true,
        Some(&value) => {
            if let (Some(bound), true) = (bound.as_mut(), value == (literal > 0)) {
                *bound -= weight;
            }
            false
        }
    });
    (!rule.is_choice || !rule.head.is_empty()).then_some(rule)
}

/// Without the definitions of what nobody asks for.
fn without_unused(mut rules: Vec<GroundRule>, mines: &FxHashSet<u32>) -> Vec<GroundRule> {
    loop {
        let mut used: FxHashSet<u32> =
            rules.iter().flat_map(|rule| &rule.body).map(|(literal, _)| literal.unsigned_abs()).collect();
        // An atom that holds spares the others of a disjunction.
        used.extend(rules.iter().filter(|rule| rule.head.len() > 1 && !rule.is_choice).flat_map(|rule| &rule.head));
        let before = rules.len();
        rules.retain(|rule| match rule.head[..] {
            [atom] => used.contains(&atom) || mines.contains(&atom),
            _ => true,
        });
        if rules.len() == before {
            return rules;
        }
    }
}

/// The layouts of a part, and for each of its mines those that have it, by the number of mines.
struct Counted {
    layouts: Vec<u64>,
    with: Vec<(u32, Vec<u64>)>,
}

/// Enumerates the layouts of a part; `None` if there are too many, or the run was stopped.
fn enumerated(rules: &[GroundRule], mines: &[u32], left: &mut u64, job: &Job) -> Result<Option<Counted>, Failure> {
    let mut text = String::from("#show.\n");
    let signed = |literal: i32| format!("{}x({})", if literal < 0 { "not " } else { "" }, literal.abs());
    for rule in rules {
        let head: Vec<String> = rule.head.iter().map(|atom| format!("x({atom})")).collect();
        let head = if rule.is_choice { format!("{{ {} }}", head.join("; ")) } else { head.join("; ") };
        let body: Vec<String> = rule.body.iter().map(|&(literal, _)| signed(literal)).collect();
        let body = match rule.bound {
            None => body.join(", "),
            Some(bound) => {
                let items = rule.body.iter().zip(&body).enumerate();
                let items: Vec<String> =
                    items.map(|(index, (item, literal))| format!("{},{index} : {literal}", item.1)).collect();
                format!("{bound} <= #sum {{ {} }}", items.join("; "))
            }
        };
        let _ = writeln!(text, "{head} :- {body}.");
    }
    for mine in mines {
        let _ = writeln!(text, "#show x({mine}) : x({mine}).");
    }
    let program = asp::Program { instance: vec![Document::in_memory("<part>", text)], ..asp::Program::default() };
    let options = vec!["--project=show".to_owned()];
    let settings = asp::Settings { models: Some(0), options, ..asp::Settings::default() };
    let mut solver = asp::Solver::with_program(&program, &settings, &job.stop)?;
    let name = |mine: u32| asp::fact("x", &[mine as usize]);
    let index_of: FxHashMap<Symbol, usize> =
        mines.iter().zip(0..).filter_map(|(&mine, index)| Some((name(mine)?, index))).collect();
    let none = vec![0; mines.len() + 1];
    let mut counted = Counted { layouts: none.clone(), with: mines.iter().map(|&mine| (mine, none.clone())).collect() };
    let solved = solver.solve(&[], |model| {
        let Ok(shown) = model.shown(asp::Order::AsFound) else { return ControlFlow::Break(()) };
        let found: Vec<usize> = shown.filter_map(|symbol| index_of.get(&symbol).copied()).collect();
        counted.layouts[found.len()] += 1;
        found.iter().for_each(|&index| counted.with[index].1[found.len()] += 1);
        *left -= 1;
        if *left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok((solved.result.exhausted && *left > 0).then_some(counted))
}

impl Mines {
    /// Counts the parts, and couples them.
    fn count(&self, parts: Parts, board: &Board, job: &Job) -> Result<Option<Likelihood>, Failure> {
        let atoms: FxHashSet<u32> = self.open.iter().map(|&(atom, _)| atom).collect();
        let certain: Vec<u32> =
            self.open.iter().map(|&(atom, _)| atom).filter(|atom| parts.known.get(atom) == Some(&true)).collect();
        let total = parts.total.map(|total| total - certain.len().min(total));
        let (mut counted, mut free, mut left) = (Vec::new(), Vec::new(), MOST);
        for (rules, mines) in parts.split(&atoms) {
            match rules[..] {
                [ref rule] if rule.is_choice && rule.body.is_empty() => free.extend(mines),
                _ => {
                    let Some(part) = enumerated(&rules, &mines, &mut left, job)? else { return Ok(None) };
                    counted.push(part);
                }
            }
        }
        let whole = |layouts: &[u64]| Polynomial { least: 0, weights: layouts.iter().map(|&n| n.into()).collect() };
        let profiles: Vec<Polynomial<BigUint>> = counted.iter().map(|part| whole(&part.layouts)).collect();
        let coupled = couple(&profiles, free.len(), total, |taken| binomial(free.len(), taken));
        if coupled.whole.is_zero() {
            return Ok(None);
        }
        let position = &board.position;
        let closed = |cell: usize| matches!(position.cells[cell], Cell::Closed | Cell::Mine);
        let mut of = vec![f64::NAN; position.grid.extent()];
        position.grid.cells().filter(|&cell| closed(cell)).for_each(|cell| of[cell] = 0.0);
        self.facts.iter().for_each(|&cell| of[cell] = 1.0);
        let cell_of: FxHashMap<u32, usize> = self.open.iter().copied().collect();
        certain.iter().for_each(|mine| of[cell_of[mine]] = 1.0);
        for (part, goal) in counted.iter().zip(&coupled.goals) {
            for (mine, with) in &part.with {
                let mut mass = BigUint::ZERO;
                for (mines, &with) in with.iter().enumerate() {
                    mass += goal.get(mines).map_or(BigUint::ZERO, |weight| weight * with);
                }
                of[cell_of[mine]] = exact_ratio(&mass, &coupled.whole);
            }
        }
        let each = match total {
            None => 0.5,
            Some(_) => exact_ratio(&coupled.free_mass, &(&coupled.whole * free.len().max(1))),
        };
        free.iter().for_each(|mine| of[cell_of[mine]] = each);
        let configurations = if total.is_some() { coupled.whole } else { coupled.whole << free.len() };
        Ok(Some(Likelihood { of, configurations, states: (MOST - left) as usize }))
    }
}

/// Whether the texts are layout.lp and others that only derive what numbers count: plain rules, no constraint, and none of
/// the predicates of a layout.
fn is_layout_with_neighbors(job: &Job) -> bool {
    const SILENT: [&str; 3] = ["#const", "#defined", "#program base"];
    let layout = LAYOUT.files[0];
    let (of_layout, others): (Vec<&Document>, Vec<&Document>) =
        job.encodings.iter().partition(|document| layout.is_written_in(document));
    let is_harmless = |document: &Document, known: &[&str]| {
        syntax::statements(&document.text).iter().all(|statement| match &statement.head {
            Some((name, _)) => known.contains(&name.as_str()) || !syntax::uses(layout.text, name),
            None => SILENT.iter().any(|word| document.text[statement.range.clone()].trim_start().starts_with(word)),
        })
    };
    let facts = ["cell", "number", "flag", "mines"];
    of_layout.len() == 1
        && others.iter().all(|document| is_harmless(document, &["neighbor"]))
        && (super::board::is_text(&job.documents) || job.documents.iter().all(|document| is_harmless(document, &facts)))
}

/// For each number of the board the closed cells that it counts, if nothing but mines is left open by the rules.
fn sees(board: &Board, solver: &mut asp::Solver) -> Result<Option<Vec<Sees>>, Failure> {
    let atoms = solver.control().known_atoms().map_err(|error| Diagnostic::error(error.text))?;
    let is_open = |symbol: Symbol| {
        let of_layout = [("mine", 2), ("ignored", 2), ("uncounted", 0)];
        asp::signature_of(symbol).is_some_and(|signature| of_layout.contains(&signature))
    };
    // An atom with a classical negation can rule out its contrary.
    let is_negated = |symbol: Symbol| asp::signature_of(symbol).is_none();
    if atoms.iter().any(|&(symbol, is_fact)| !is_fact && !is_open(symbol) || is_negated(symbol)) {
        return Ok(None);
    }
    let numbers = board.position.grid.cells().filter(|&cell| matches!(board.position.cells[cell], Cell::Open(_)));
    let mut sees: Vec<Sees> = numbers.map(|cell| (cell, Vec::new())).collect();
    for (symbol, _) in atoms {
        if asp::signature_of(symbol) != Some(("neighbor", 4)) {
            continue;
        }
        let arguments = symbol.arguments().unwrap_or_default().into_iter().map(asp::Term::of);
        let arguments: Vec<Option<usize>> = arguments
            .collect::<Vec<_>>()
            .chunks(2)
            .map(|place| board.cell(place[0].number()?, place[1].number()?))
            .collect();
        let is_closed = |cell: &usize| matches!(board.position.cells[*cell], Cell::Closed | Cell::Mine);
        if let (Some(number), Some(closed)) = (arguments[0], arguments[1].filter(is_closed))
            && let Ok(index) = sees.binary_search_by_key(&number, |(cell, _)| *cell)
        {
            sees[index].1.push(closed);
        }
    }
    Ok(Some(sees))
}
