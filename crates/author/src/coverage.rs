//! Measures the coverage of the rules and constraints of a program by its tests.
//!
//! A logic program has no executed lines. Instead, there are two degrees of coverage:
//!
//! | | a rule | a constraint, or the bounds of a choice |
//! |---|---|---|
//! | grounded | the ground program of the test has an instance | the same |
//! | used | **fires**: its body holds in an answer set | **violated**: it forbids an interpretation that satisfies all other constraints |
//!
//! If no test violates a constraint, no test would fail after its removal. Rules also count as
//! fired if they fire in an interpretation that would be an answer set without one of the
//! constraints; otherwise all rules of a test that expects no answer set would appear unused.
//!
//! The program of the test is instrumented: for a rule `head :- body.`, a second rule `used(K) :-
//! body.` is added, and a constraint `:- body.` becomes `breaks(K) :- body.`. The bounds of a
//! choice are removed and treated as a constraint. The answer sets are those in which no
//! `breaks(K)` holds. If a single `breaks(K)` is permitted and holds, constraint K is violated.
//! Facts and optimisation statements are not covered.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use asp::tree::Head;
use asp::{Settings, Solver, Statement, Symbol, signature_of};
use base::diagnostic::{Failure, Place};
use base::stop::CancelToken;
use serde_json::{Value, json};

use super::tests::Suite;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    Rule,
    Constraint,
    /// The bounds of a choice.
    Bounds,
}

/// The degree to which one test covers an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageLevel {
    /// The item is not part of the test's program.
    #[default]
    Absent,
    Unreached,
    Grounded,
    Used,
}

/// A rule, a constraint or the bounds of a choice, with the numbers of tests that cover it.
#[derive(Debug, Clone)]
pub struct Item {
    pub kind: ItemKind,
    pub place: Place,
    /// The number of tests whose program contains the item.
    pub tests: usize,
    pub grounded: usize,
    pub used: usize,
}

/// The coverage by all tests.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The items by file, line, column and kind.
    items: BTreeMap<(String, usize, usize, ItemKind), Item>,
}

const USED: &str = "__asp_solve_used";
const VIOLATES: &str = "__asp_solve_breaks";

/// Returns the items of a suite's program, each with the index of its statement.
fn items(suite: &Suite) -> Vec<(usize, ItemKind)> {
    let of_statement = |(number, statement): (usize, &Statement)| match &statement.head {
        Head::Constraint => vec![(number, ItemKind::Constraint)],
        Head::Choice(_) if statement.head.bounds().is_some() => {
            vec![(number, ItemKind::Rule), (number, ItemKind::Bounds)]
        }
        _ if statement.is_rule() && !statement.is_fact() => vec![(number, ItemKind::Rule)],
        _ => Vec::new(),
    };
    suite.under_test().iter().enumerate().flat_map(of_statement).collect()
}

/// Returns the level to which one test covers each item. If it is cancelled, the levels are those
/// reached so far.
pub fn of_test(
    suite: &Suite,
    test: usize,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<Vec<CoverageLevel>, Failure> {
    let items = items(suite);
    let is_present = |statement: usize| suite.has(test, statement);
    let reached: Vec<CoverageLevel> = items
        .iter()
        .map(|&(statement, _)| if is_present(statement) { CoverageLevel::Unreached } else { CoverageLevel::Absent })
        .collect();
    let mut program = suite.rewritten(test, |number, statement| {
        let items_of_statement = || (0..items.len()).filter(|&item| items[item].0 == number);
        let rules: Vec<String> =
            items_of_statement().map(|item| instrumented(statement, items[item].1, item)).collect();
        (!rules.is_empty()).then(|| (items_of_statement().all(|item| items[item].1 == ItemKind::Rule), rules.join(" ")))
    });
    // Without its constraints the program might end in an earlier step.
    program.last_step = suite.program(test).at_final_step(settings, stop)?.last_step;
    let mut settings = Settings { models: Some(0), ..settings.clone() };
    settings.options.push("--opt-mode=ignore".to_owned());
    let mut solver = Solver::with_program(&program, &settings, stop)?;
    let known = solver.control().known_atoms()?;
    let mut search = CoverageSearch { solver, uses: Vec::new(), violations: Vec::new(), reached };
    search.collect_grounded(known.into_iter().map(|(atom, _)| atom));
    search.find_used(stop)?;
    Ok(search.reached)
}

/// The search for the used items of an instrumented program.
struct CoverageSearch {
    solver: Solver,
    /// The items that are grounded, each with an atom that marks its use or violation.
    uses: Vec<(usize, Symbol)>,
    violations: Vec<(usize, Symbol)>,
    /// The level of each item.
    reached: Vec<CoverageLevel>,
}

impl CoverageSearch {
    fn collect_grounded(&mut self, known: impl Iterator<Item = Symbol>) {
        for atom in known {
            let item = || Some(atom.arguments().ok()?.first()?.number().ok()? as usize);
            let list = match signature_of(atom) {
                Some((USED, 1)) => &mut self.uses,
                Some((VIOLATES, 1)) => &mut self.violations,
                _ => continue,
            };
            if let Some(item) = item().filter(|&item| item < self.reached.len()) {
                self.reached[item] = CoverageLevel::Grounded;
                list.push((item, atom));
            }
        }
    }

    /// Searches for answer sets until the level of each grounded item is known.
    fn find_used(&mut self, stop: &CancelToken) -> Result<(), Failure> {
        self.find_answer(None, None)?;
        for (item, atom) in self.violations.clone() {
            if self.find_answer(None, Some(atom))? {
                self.reached[item] = CoverageLevel::Used;
            }
        }
        for (item, atom) in self.uses.clone() {
            if self.reached[item] != CoverageLevel::Used && !self.find_answer(Some(atom), None)? {
                self.find_violating_use(atom, stop)?;
            }
        }
        Ok(())
    }

    /// Searches for an interpretation that contains `atom` and violates one constraint: the body of
    /// a rule may hold only there.
    fn find_violating_use(&mut self, atom: Symbol, stop: &CancelToken) -> Result<(), Failure> {
        for (_, violated) in self.violations.clone() {
            if stop.requested().is_some() || self.find_answer(Some(atom), Some(violated))? {
                break;
            }
        }
        Ok(())
    }

    /// Searches for an answer set that contains `required` and violates no constraint except
    /// `violated`. The items that it uses are marked.
    fn find_answer(&mut self, required: Option<Symbol>, violated: Option<Symbol>) -> Result<bool, Failure> {
        let CoverageSearch { solver, uses, violations, reached } = self;
        let constraints = violations.iter().map(|&(_, atom)| (atom, Some(atom) == violated));
        let assumed: Vec<(Symbol, bool)> = constraints.chain(required.map(|atom| (atom, true))).collect();
        let mut found = false;
        solver.solve(&assumed, |model| {
            found = true;
            for symbol in model.atoms().into_iter().flatten() {
                if let Some((item, _)) = uses.iter().find(|(_, atom)| *atom == symbol) {
                    reached[*item] = CoverageLevel::Used;
                }
            }
            ControlFlow::Break(())
        })?;
        Ok(found)
    }
}

/// Returns the rules that record the use of an item. They replace a constraint or bounds, and are
/// added to a rule.
fn instrumented(statement: &Statement, kind: ItemKind, item: usize) -> String {
    let used = || statement.rule(&format!("{USED}({item})"), &[]);
    match kind {
        ItemKind::Rule if statement.head.bounds().is_some() => {
            let free = statement.without_bounds();
            format!("{} {}", free.rule(&free.head.to_string(), &[]), used())
        }
        ItemKind::Rule => used(),
        ItemKind::Constraint | ItemKind::Bounds => {
            statement.violation_rule(&format!("{VIOLATES}({item})")).unwrap_or_default()
        }
    }
}

impl Coverage {
    /// Registers the items of a suite, even if no test covers them.
    pub fn register(&mut self, suite: &Suite) {
        self.add(suite, &vec![CoverageLevel::Absent; items(suite).len()]);
    }

    /// Adds the levels that a test has reached, as returned by [`of_test`].
    pub fn add(&mut self, suite: &Suite, reached: &[CoverageLevel]) {
        for ((statement, kind), reach) in items(suite).into_iter().zip(reached) {
            let place = &suite.under_test()[statement].place;
            let key = (place.file.clone(), place.start.line, place.start.column, kind);
            let new = || Item { kind, place: place.clone(), tests: 0, grounded: 0, used: 0 };
            let item = self.items.entry(key).or_insert_with(new);
            item.tests += usize::from(*reach >= CoverageLevel::Unreached);
            item.grounded += usize::from(*reach >= CoverageLevel::Grounded);
            item.used += usize::from(*reach >= CoverageLevel::Used);
        }
    }

    /// Returns the items of each file.
    pub fn files(&self) -> Vec<(&str, Vec<&Item>)> {
        let mut files: Vec<(&str, Vec<&Item>)> = Vec::new();
        for ((file, ..), item) in &self.items {
            match files.last_mut() {
                Some((last, items)) if last == file => items.push(item),
                _ => files.push((file, vec![item])),
            }
        }
        files
    }

    /// Returns the coverage as JSON, as printed by `asp-solve test --coverage -f json`.
    pub fn json(&self) -> Value {
        let item = |item: &&Item| {
            let Item { kind, place, tests, grounded, used } = item;
            json!({
                "kind": kind.name(), "line": place.start.line, "column": place.start.column, "end_line": place.end.line,
                "tests": tests, "grounded": grounded, "used": used
            })
        };
        let file = |(file, items): (&str, Vec<&Item>)| {
            let used = items.iter().filter(|item| item.used > 0).count();
            let all = items.iter().map(item).collect::<Value>();
            json!({ "file": file, "used": used, "of": items.len(), "items": all })
        };
        self.files().into_iter().map(file).collect()
    }

    /// Returns the coverage in LCOV format, as read by `genhtml`: the number of tests that use each
    /// line, and two branches per item, for grounded and used.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, items) in self.files() {
            let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
            text += &format!("TN:\nSF:{file}\n");
            let mut hit = 0;
            for (number, item) in items.iter().enumerate() {
                for line in item.place.start.line..=item.place.end.line {
                    // The count of a line is the count of its least used item.
                    lines.entry(line).and_modify(|used| *used = item.used.min(*used)).or_insert(item.used);
                }
                for (branch, taken) in [item.grounded, item.used].into_iter().enumerate() {
                    hit += usize::from(taken > 0);
                    text += &format!("BRDA:{},{number},{branch},{taken}\n", item.place.start.line);
                }
            }
            text += &format!("BRF:{}\nBRH:{hit}\n", 2 * items.len());
            text.extend(lines.iter().map(|(line, used)| format!("DA:{line},{used}\n")));
            let hit = lines.values().filter(|&&used| used > 0).count();
            text += &format!("LF:{}\nLH:{hit}\nend_of_record\n", lines.len());
        }
        text
    }
}

impl Item {
    /// Returns the reason why the item counts as unused, or `None` if it is used.
    pub fn unused_reason(&self) -> Option<&'static str> {
        match (self.kind, self) {
            (_, Item { used: 1.., .. }) => None,
            (_, Item { tests: 0, .. }) => Some("in no test"),
            (ItemKind::Bounds, Item { grounded: 0, .. }) => Some("its bounds are never grounded"),
            (_, Item { grounded: 0, .. }) => Some("never grounded"),
            (ItemKind::Rule, _) => Some("never fires"),
            (ItemKind::Constraint, _) => Some("never violated"),
            (ItemKind::Bounds, _) => Some("its bounds are never violated"),
        }
    }
}

impl ItemKind {
    fn name(self) -> &'static str {
        match self {
            ItemKind::Rule => "rule",
            ItemKind::Constraint => "constraint",
            ItemKind::Bounds => "bounds",
        }
    }
}
