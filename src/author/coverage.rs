//! Which parts of a program its tests make use of.
//!
//! Lines that are executed there are none; what a logic program has instead, from less to more:
//!
//! | | a rule | a constraint, or the bounds of a choice |
//! |---|---|---|
//! | grounded | an instance of it is left when the test's program is grounded | the same |
//! | used | **fires**: its body holds in an answer set | **bites**: it forbids an interpretation that all else allows |
//!
//! A constraint that no test lets bite may be left out, and no test would tell. Rules fire as well where a constraint bites: in what would
//! be an answer set but for this one constraint; else the rules of a test that expects no answer set would all look unused.
//!
//! The test's program is rewritten: a rule `head :- body.` is joined by `used(K) :- body.`, and a constraint `:- body.`
//! becomes `breaks(K) :- body.`, as do the bounds of a choice that is left without them. Answer sets are those where no `breaks(K)` holds;
//! where one alone may, and does, that one bites. Facts are left out, and so is what is minimised.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::tests::Suite;
use crate::asp::statement::Head;
use crate::asp::{Settings, Solver, Statement, Symbol, signature_of};
use crate::diagnostic::{Failure, Place};
use crate::stop::Stop;

/// What may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Rule,
    Constraint,
    /// Of a choice.
    Bounds,
}

/// How far one test makes use of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The test is not about it.
    #[default]
    Absent,
    Unreached,
    Grounded,
    Used,
}

/// In how many tests something is there, is grounded and is used.
#[derive(Debug, Clone)]
pub struct Item {
    pub what: What,
    pub place: Place,
    pub tests: usize,
    pub grounded: usize,
    pub used: usize,
}

/// What many tests make use of, by file, in the order of the source.
#[derive(Debug, Default)]
pub struct Coverage {
    items: BTreeMap<(String, usize, usize, What), Item>,
}

const USED: &str = "__asp_solve_used";
const BREAKS: &str = "__asp_solve_breaks";

/// What of a suite's program may be used: the numbers of statements under test.
fn items(suite: &Suite) -> Vec<(usize, What)> {
    let of_statement = |(number, statement): (usize, &Statement)| match &statement.head {
        Head::Nothing => vec![(number, What::Constraint)],
        Head::Choice { .. } if statement.head.bounds().is_some() => vec![(number, What::Rule), (number, What::Bounds)],
        _ if statement.is_rule() && !statement.is_fact() => vec![(number, What::Rule)],
        _ => Vec::new(),
    };
    suite.under_test().iter().enumerate().flat_map(of_statement).collect()
}

/// How far a test makes use of each of these. A wish to stop leaves what is not known at what is.
pub fn of_test(suite: &Suite, test: usize, settings: &Settings, stop: &Stop) -> Result<Vec<Reach>, Failure> {
    let items = items(suite);
    let is_there = |statement: usize| suite.has(test, statement);
    let mut reached: Vec<Reach> = items
        .iter()
        .map(|&(statement, _)| if is_there(statement) { Reach::Unreached } else { Reach::Absent })
        .collect();
    let mut program = suite.rewritten(test, |number, statement| {
        let own = || (0..items.len()).filter(|&item| items[item].0 == number);
        let rules: Vec<String> = own().map(|item| watched(statement, items[item].1, item)).collect();
        (!rules.is_empty()).then(|| (own().all(|item| items[item].1 == What::Rule), rules.join(" ")))
    });
    // Without its constraints it would end too early.
    program.last_step = suite.program(test).at_last_step(settings, stop)?.last_step;
    let mut settings = Settings { models: Some(0), ..settings.clone() };
    settings.options.push("--opt-mode=ignore".to_owned());
    let mut solver = Solver::with_program(&program, &settings, stop)?;
    let known = solver.control().known_atoms()?;
    let [mut uses, mut breaks]: [Vec<(usize, Symbol)>; 2] = Default::default();
    for (atom, _) in known {
        let item = || Some(atom.arguments().ok()?.first()?.number().ok()? as usize);
        let list = match signature_of(atom) {
            Some((USED, 1)) => &mut uses,
            Some((BREAKS, 1)) => &mut breaks,
            _ => continue,
        };
        if let Some(item) = item().filter(|&item| item < items.len()) {
            reached[item] = Reach::Grounded;
            list.push((item, atom));
        }
    }
    // An answer set in which this holds, and of what breaks a rule that one at most.
    let mut look =
        |wanted: Option<Symbol>, broken: Option<Symbol>, reached: &mut Vec<Reach>| -> Result<bool, Failure> {
            let unbroken = breaks.iter().map(|&(_, atom)| (atom, Some(atom) == broken));
            let assumed: Vec<(Symbol, bool)> = unbroken.chain(wanted.map(|atom| (atom, true))).collect();
            let mut found = false;
            solver.solve(&assumed, |model| {
                found = true;
                for symbol in model.atoms().into_iter().flatten() {
                    if let Some((item, _)) = uses.iter().find(|(_, atom)| *atom == symbol) {
                        reached[*item] = Reach::Used;
                    }
                }
                ControlFlow::Break(())
            })?;
            Ok(found)
        };
    look(None, None, &mut reached)?;
    for &(item, atom) in &breaks {
        if look(None, Some(atom), &mut reached)? {
            reached[item] = Reach::Used;
        }
    }
    for &(item, atom) in &uses {
        if reached[item] != Reach::Used && !look(Some(atom), None, &mut reached)? {
            // Perhaps where one constraint alone forbids it.
            for &(_, broken) in &breaks {
                if stop.requested().is_some() || look(Some(atom), Some(broken), &mut reached)? {
                    break;
                }
            }
        }
    }
    Ok(reached)
}

/// What stands for the statement, or beside it, so that one can see it used.
fn watched(statement: &Statement, what: What, item: usize) -> String {
    let used = || statement.rule(&format!("{USED}({item})"), &[]);
    match what {
        What::Rule if statement.head.bounds().is_some() => {
            let free = statement.unbounded();
            format!("{} {}", free.rule(&free.head.text(), &[]), used())
        }
        What::Rule => used(),
        What::Constraint | What::Bounds => statement.where_broken(&format!("{BREAKS}({item})")).unwrap_or_default(),
    }
}

impl Coverage {
    /// All that may be used in a suite's program, though no test should.
    pub fn know(&mut self, suite: &Suite) {
        self.add(suite, &vec![Reach::Absent; items(suite).len()]);
    }

    /// Adds what a test has reached.
    pub fn add(&mut self, suite: &Suite, reached: &[Reach]) {
        for ((statement, what), reach) in items(suite).into_iter().zip(reached) {
            let place = &suite.under_test()[statement].place;
            let key = (place.file.clone(), place.start.line, place.start.column, what);
            let new = || Item { what, place: place.clone(), tests: 0, grounded: 0, used: 0 };
            let item = self.items.entry(key).or_insert_with(new);
            item.tests += usize::from(*reach >= Reach::Unreached);
            item.grounded += usize::from(*reach >= Reach::Grounded);
            item.used += usize::from(*reach >= Reach::Used);
        }
    }

    /// The files, and what is in each.
    pub fn files(&self) -> Vec<(&str, Vec<&Item>)> {
        let mut files: Vec<(&str, Vec<&Item>)> = Vec::new();
        for ((file, ..), item) in &self.items {
            match files.last_mut() {
                Some((known, items)) if known == file => items.push(item),
                _ => files.push((file, vec![item])),
            }
        }
        files
    }

    /// As `asp-solve test --coverage -f json` tells it.
    pub fn json(&self) -> Value {
        let item = |item: &&Item| {
            let Item { what, place, tests, grounded, used } = item;
            json!({
                "kind": what.name(), "line": place.start.line, "column": place.start.column, "end_line": place.end.line,
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

    /// For `genhtml` and whatever else reads LCOV: how many tests use what a line has, and two branches for each, whether it is grounded and
    /// whether it is used.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, items) in self.files() {
            let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
            text += &format!("TN:\nSF:{file}\n");
            let mut hit = 0;
            for (number, item) in items.iter().enumerate() {
                for line in item.place.start.line..=item.place.end.line {
                    // What is used least is what one is to see.
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
    /// Why it counts as unused, if it does.
    pub fn lack(&self) -> Option<&'static str> {
        match (self.what, self) {
            (_, Item { used: 1.., .. }) => None,
            (_, Item { tests: 0, .. }) => Some("no test is about this"),
            (What::Bounds, Item { grounded: 0, .. }) => Some("its bounds are never grounded"),
            (_, Item { grounded: 0, .. }) => Some("never grounded"),
            (What::Rule, _) => Some("never fires"),
            (What::Constraint, _) => Some("never bites"),
            (What::Bounds, _) => Some("its bounds never bite"),
        }
    }
}

impl What {
    fn name(self) -> &'static str {
        match self {
            What::Rule => "rule",
            What::Constraint => "constraint",
            What::Bounds => "bounds",
        }
    }
}
