//! The table of answers on a page.
//!
//! ```text
//!   atoms of the answers            color(1,r) color(2,g) big    color(1,g) color(2,r) big
//!
//!   answer   color(1,_)   color(2,_)      a predicate with one value for each key in all answers
//!   1        r            g               has a column for each key
//!   2        g            r
//!   All answers contain big.              columns without differences become a remark
//! ```

use std::collections::BTreeMap;

use asp::{Symbol, Term, signature_of};
use base::words::count;
use drawing::Drawing;
use puzzle::Table;
use puzzle::costs::numbers;

use super::definition::LogicPuzzle;
use super::solve::Answer;

/// Maximum number of columns with values. With more, a predicate has one column.
const MAX_COLUMNS: usize = 16;
/// Maximum number of atoms that the remark lists.
const MAX_COMMON: usize = 40;

/// A predicate: its name and arity.
type Predicate = (&'static str, usize);

/// A column: its title and a cell for each answer.
type Column = (String, Vec<String>);

impl LogicPuzzle {
    /// The table for a page: the solutions of a puzzle by number, the answers of a program by their
    /// atoms.
    pub(super) fn page_table(&self, answers: &[Answer]) -> Table {
        let numbers = (1..=answers.len()).map(|number| match self.definition.is_program {
            true => number.to_string(),
            false => format!("{} {number}", self.noun(1)),
        });
        let title = if self.definition.is_program { self.noun(1).to_lowercase() } else { self.noun(2).to_owned() };
        let mut columns: Vec<Column> = vec![(title, numbers.collect())];
        let mut note = String::new();
        if self.definition.is_program {
            let (differing, common) = atom_columns(answers);
            columns.extend(cost_column(answers));
            columns.extend(differing);
            note = common;
        }
        let row = |number: usize| (number, columns.iter().map(|(_, cells)| cells[number].clone()).collect());
        let rows = (0..answers.len()).map(row).collect();
        let columns = columns.iter().map(|(title, _)| title.clone()).collect();
        let nouns = Some([self.noun(1).to_lowercase(), self.noun(2).to_owned()]);
        Table { columns, rows, nouns, note, ..Table::default() }
    }
}

fn cost_column(answers: &[Answer]) -> Option<Column> {
    let title = match answers.iter().map(|answer| &answer.costs).find(|costs| !costs.is_empty())?.values() {
        None => "cost",
        Some(_) => "result",
    };
    let cell = |answer: &Answer| match answer.costs.values() {
        None => numbers(&answer.costs.costs, ", "),
        Some(_) => answer.costs.words(),
    };
    Some((title.to_owned(), answers.iter().map(cell).collect()))
}

/// Returns the columns in which answers differ, and a remark on the atoms of all answers.
fn atom_columns(answers: &[Answer]) -> (Vec<Column>, String) {
    let predicates = by_predicate(answers);
    let is_common = |atoms: &Vec<Vec<Symbol>>| answers.len() > 1 && atoms.windows(2).all(|pair| pair[0] == pair[1]);
    let (common, differing): (Vec<_>, Vec<_>) = predicates.into_iter().partition(|(_, atoms)| is_common(atoms));
    let by_key: Vec<Option<Vec<Column>>> =
        differing.iter().map(|(predicate, atoms)| key_columns(*predicate, atoms)).collect();
    let num_columns: usize = by_key.iter().map(|columns| columns.as_ref().map_or(1, Vec::len)).sum();
    let mut columns = Vec::new();
    for ((predicate, atoms), by_key) in differing.iter().zip(by_key) {
        match by_key.filter(|_| num_columns <= MAX_COLUMNS) {
            Some(by_key) => columns.extend(by_key),
            None => columns.push(whole_column(*predicate, atoms)),
        }
    }
    let common: Vec<Symbol> = common.iter().flat_map(|(_, atoms)| &atoms[0]).copied().collect();
    let more = common.len().checked_sub(MAX_COMMON).filter(|more| *more > 0);
    let texts: Vec<String> = common.iter().take(MAX_COMMON).map(|&atom| asp::to_text(atom)).collect();
    let note = match (texts.is_empty(), more) {
        (true, _) => String::new(),
        (false, None) => format!("All answers contain {}.", texts.join(" ")),
        (false, Some(more)) => {
            format!("All answers contain {} and {}.", texts.join(" "), count(more, "more atom", "more atoms"))
        }
    };
    (columns, note)
}

/// The atoms of each predicate in each answer, except those that draw.
fn by_predicate(answers: &[Answer]) -> BTreeMap<Predicate, Vec<Vec<Symbol>>> {
    let mut predicates: BTreeMap<Predicate, Vec<Vec<Symbol>>> = BTreeMap::new();
    for (number, answer) in answers.iter().enumerate() {
        for &atom in answer.atoms.iter().filter(|&&atom| !Drawing::is_draw_atom(atom)) {
            let predicate = signature_of(atom).unwrap_or_default();
            predicates.entry(predicate).or_insert_with(|| vec![Vec::new(); answers.len()])[number].push(atom);
        }
    }
    predicates
}

/// Returns a column for each key (all arguments but the last), if the predicate has exactly one
/// value for each key in each answer.
fn key_columns((name, arity): Predicate, answers: &[Vec<Symbol>]) -> Option<Vec<Column>> {
    if arity < 2 || answers.len() < 2 {
        return None;
    }
    let mut columns: BTreeMap<Vec<Symbol>, Vec<String>> = BTreeMap::new();
    for (number, atoms) in answers.iter().enumerate() {
        for atom in atoms {
            let mut key = atom.arguments().ok().filter(|_| !asp::to_text(*atom).starts_with('-'))?;
            let value = Term::of(key.pop()?).text();
            let cells = columns.entry(key).or_default();
            cells.push(value);
            if cells.len() != number + 1 {
                return None;
            }
        }
    }
    let is_complete = columns.values().all(|cells| cells.len() == answers.len());
    let title = |key: &[Symbol]| {
        let terms: Vec<String> = key.iter().map(|&term| asp::to_text(term)).collect();
        format!("{name}({},_)", terms.join(","))
    };
    is_complete.then(|| columns.into_iter().map(|(key, cells)| (title(&key), cells)).collect())
}

/// Returns a column with the arguments of the predicate's atoms.
fn whole_column((name, arity): Predicate, answers: &[Vec<Symbol>]) -> Column {
    let text = |&atom: &Symbol| match asp::to_text(atom).strip_prefix(name) {
        Some("") => "true".to_owned(),
        Some(arguments) if arity == 1 => arguments[1..arguments.len() - 1].to_owned(),
        Some(arguments) => arguments.to_owned(),
        None => asp::to_text(atom),
    };
    let cell = |atoms: &Vec<Symbol>| atoms.iter().map(text).collect::<Vec<_>>().join(" ");
    (format!("{name}/{arity}"), answers.iter().map(cell).collect())
}
