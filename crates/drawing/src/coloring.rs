//! Finds the colouring of a textbook's graph: a predicate such as `color(Node,Colour)`.

use std::collections::{BTreeMap, BTreeSet};

use asp::{Symbol, Term, signature_of};
use picture::Rgb;
use rustc_hash::{FxHashMap, FxHashSet};

use super::color::color;

/// The usual one-letter names of colours.
const LETTERS: [(&str, &str); 10] = [
    ("r", "red"),
    ("g", "green"),
    ("b", "blue"),
    ("y", "yellow"),
    ("o", "orange"),
    ("v", "violet"),
    ("c", "cyan"),
    ("p", "pink"),
    ("w", "white"),
    ("k", "black"),
];

/// The atoms of a predicate that may be a colouring, and the colour of each node.
type ColoringCandidate = (Vec<Symbol>, FxHashMap<Symbol, Symbol>);

/// Returns the atoms of the colouring of `nodes`, and the atoms that list the colours. A colouring
/// is a predicate that gives no node two values; it or the predicate that lists the values is named
/// after colours, or all values are names of colours. Of several such predicates, the one with the
/// most nodes is the colouring.
pub fn coloring_atoms(nodes: &FxHashSet<Symbol>, atoms: &[Symbol]) -> Vec<Symbol> {
    // Most answers are no graphs and have many atoms.
    if nodes.is_empty() {
        return Vec::new();
    }
    let is_color_word = |name: &str| name == "col" || name.contains("color") || name.contains("colour");
    let mut listing = Vec::new();
    let mut colorings: BTreeMap<&str, Option<ColoringCandidate>> = BTreeMap::new();
    for &atom in atoms {
        let Some((name, arity @ (1 | 2))) = signature_of(atom) else { continue };
        let arguments = atom.arguments().unwrap_or_default();
        match (&arguments[..], arity) {
            (_, 1) if is_color_word(name) => listing.push(atom),
            (&[node, value], 2) if nodes.contains(&node) => {
                let entry = colorings.entry(name).or_insert_with(|| Some(Default::default()));
                if let Some((found, colors)) = entry {
                    found.push(atom);
                    if colors.insert(node, value).is_some_and(|other| other != value) {
                        *entry = None;
                    }
                }
            }
            _ => {}
        }
    }
    let listed: FxHashSet<Symbol> = listing.iter().flat_map(|atom| atom.arguments().unwrap_or_default()).collect();
    let is_coloring = |name: &str, colors: &FxHashMap<Symbol, Symbol>| {
        let is_color = |value: &Symbol| listed.contains(value) || name_of(*value).is_some();
        is_color_word(name) || colors.values().all(is_color)
    };
    let mut chosen: Option<ColoringCandidate> = None;
    for (name, entry) in colorings {
        let Some((found, colors)) = entry.filter(|(_, colors)| is_coloring(name, colors)) else { continue };
        if chosen.as_ref().is_none_or(|(_, largest)| largest.len() < colors.len()) {
            chosen = Some((found, colors));
        }
    }
    chosen.map_or_else(Vec::new, |(found, _)| found.into_iter().chain(listing).collect())
}

/// Returns the text of each coloured node with the name or number of its colour, for the atoms that
/// [`coloring_atoms`] returns. Values that name no colour get distinct ones.
pub fn node_colors(atoms: &[Symbol]) -> Vec<(String, String)> {
    let pairs: Vec<Vec<Symbol>> = atoms.iter().map(|atom| atom.arguments().unwrap_or_default()).collect();
    let values: BTreeSet<Symbol> = pairs.iter().filter_map(|arguments| arguments.last().copied()).collect();
    let letter = |value: &Symbol| {
        let text = Term::of(*value).text();
        LETTERS.iter().find(|(letter, _)| *letter == text).map(|(_, name)| (*name).to_owned())
    };
    let numbers: Option<Vec<i32>> = values.iter().map(|value| value.number().ok()).collect();
    // A number keeps its colour in all answers.
    let least = numbers.and_then(|numbers| numbers.into_iter().min()).map(|least| i64::from(least.min(1)));
    let ranked = |value: &Symbol| {
        let rank = values.iter().position(|other| other == value).unwrap_or_default();
        let numbered = least.zip(value.number().ok()).map(|(least, number)| i64::from(number) - least);
        let rank = numbered.and_then(|rank| usize::try_from(rank).ok()).unwrap_or(rank);
        Some(Rgb::of_rank(rank).hex())
    };
    let are_all = |name: &dyn Fn(&Symbol) -> Option<String>| values.iter().all(|value| name(value).is_some());
    let named = |value: &Symbol| name_of(*value);
    let name: &dyn Fn(&Symbol) -> Option<String> = if are_all(&named) {
        &named
    } else if are_all(&letter) {
        &letter
    } else {
        &ranked
    };
    let of_node = |arguments: &Vec<Symbol>| match arguments[..] {
        [node, value] => Some((Term::of(node).text(), name(&value)?)),
        _ => None,
    };
    pairs.iter().filter_map(of_node).collect()
}

/// Returns the value as text if it names a colour.
fn name_of(value: Symbol) -> Option<String> {
    let text = Term::of(value).text();
    (text.len() > 2 && color(&text, None).is_some()).then_some(text)
}
