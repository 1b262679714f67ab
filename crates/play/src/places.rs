//! The places of atoms in the picture.
//!
//! Encodings define the places indirectly, by their rules for the drawing. An atom in the body of a
//! rule for `draw(Thing)` is placed where the thing is drawn:
//!
//! ```text
//!   1  The thing is drawn if the atom holds: number(2,3,7) is at row 2, column 3.
//!        draw(found(R,C,V)) :- number(R,C,V).
//!        draw(symbol(R,C,S)) :- half(R,C,K), sign(K,S).    (grounding removes facts such as sign)
//!   2  The thing is drawn if the atom does not hold.
//!        draw(symbol(R,C,dot)) :- not shaded(R,C), hint.
//!   3  The thing is drawn if an atom holds that the atom defines. This counts only if the atom has
//!      no better place; bulb(4,4) has one, since it draws a symbol.
//!        draw(fill(R,C,gray)) :- lit(R,C).
//!        lit(R,C) :- bulb(R',C'), sees(…).
//! ```
//!
//! The first applicable kind counts, and within it the most informative thing: a text rather than a
//! colour, and both rather than a border. An atom that only draws borders, as a rectangle does, is
//! placed at the cell of its choice rule: the rule
//! `{ rectangle(…) : fits(R,C,…) } = 1 :- sign(R,C,_)` has an instance for each cell (R,C) with a
//! sign.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use asp::Symbol;
use drawing::{Lattice, Spot, SpotWeight};
use ground::GroundProgram;
use rustc_hash::{FxHashMap, FxHashSet};

/// The dependency of a drawn thing on an atom. Better ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dependency {
    Holds,
    HoldsNot,
    Defines,
}

/// An instance of a choice rule: the values of its variables, and its atoms.
pub struct Choice {
    pub values: Vec<Symbol>,
    pub atoms: Vec<u32>,
}

/// The quality of a place for an atom; the minimum is best.
type Rank = (Dependency, Reverse<SpotWeight>);

/// Assigns atoms to spots. `candidates` contains the atoms to place, `names` the symbols of atoms.
pub fn spots_of(
    ground: &GroundProgram,
    names: &FxHashMap<u32, Symbol>,
    candidates: &FxHashSet<u32>,
    choices: &[Choice],
    lattice: Lattice,
) -> BTreeMap<Spot, Vec<u32>> {
    let mut best: FxHashMap<u32, (Rank, Vec<Spot>)> = FxHashMap::default();
    let mut add = |atom: u32, dependency: Dependency, weight: SpotWeight, spots: &[Spot]| {
        let rank = (dependency, Reverse(weight));
        let known = best.entry(atom).or_insert_with(|| (rank, Vec::new()));
        if rank < known.0 {
            *known = (rank, Vec::new());
        }
        if rank == known.0 {
            known.1.extend(spots);
        }
    };
    let rules_by_head = ground.rules_by_head();
    for rule in &ground.rules {
        let thing = rule.head.iter().find_map(|atom| Spot::of_atom(*names.get(atom)?, lattice));
        let Some((weight, spots)) = thing else { continue };
        // Literals to visit, with true if they define a named atom. Unnamed atoms are replaced by
        // their bodies.
        let mut open: Vec<(i32, bool)> = rule.body.iter().map(|&(literal, _)| (literal, false)).collect();
        let mut visited = FxHashSet::default();
        while let Some((literal, is_definition)) = open.pop() {
            let atom = literal.unsigned_abs();
            if !visited.insert(literal) {
                continue;
            }
            let dependency = match (is_definition, literal > 0) {
                (false, true) => Dependency::Holds,
                (false, false) => Dependency::HoldsNot,
                (true, _) => Dependency::Defines,
            };
            if candidates.contains(&atom) {
                add(atom, dependency, weight, &spots);
            } else if literal > 0 && !(is_definition && names.contains_key(&atom)) {
                let is_definition = is_definition || names.contains_key(&atom);
                let rules = rules_by_head.of(atom);
                let bodies = rules.iter().flat_map(|&rule| &ground.rules[rule].body);
                open.extend(bodies.map(|&(literal, _)| (literal, is_definition)));
            }
        }
    }
    let mut spot_of_choice = FxHashMap::default();
    for Choice { values, atoms } in choices {
        let numbers: Vec<i32> = values.iter().filter_map(|value| value.number().ok()).collect();
        if let [row, column] = numbers[..] {
            spot_of_choice.extend(atoms.iter().map(|&atom| (atom, Spot::Cell((row, column)))));
        }
    }
    let mut places: BTreeMap<Spot, Vec<u32>> = BTreeMap::new();
    for (atom, ((_, Reverse(weight)), spots)) in best {
        let spots = match spot_of_choice.get(&atom) {
            Some(&spot) if weight == SpotWeight::Border => vec![spot],
            _ => spots,
        };
        for spot in spots {
            places.entry(spot).or_default().push(atom);
        }
    }
    for atoms in places.values_mut() {
        atoms.sort_unstable_by_key(|atom| names.get(atom).copied());
        atoms.dedup();
    }
    places
}
