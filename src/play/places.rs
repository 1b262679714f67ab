//! The places of atoms in the picture.
//!
//! Encodings define the places indirectly, by their rules for the drawing. An atom in the body of a
//! rule for `draw(Thing)` is placed where the thing is:
//!
//! ```text
//!   draw(found(R,C,V))    :- number(R,C,V).              1  number(2,3,7) is at row 2, column 3
//!   draw(symbol(R,C,dot)) :- not shaded(R,C), hint.      2  also if drawn where the atom does not
//!   hold
//!   draw(symbol(R,C,S))   :- half(R,C,K), sign(K,S).        (the ground program has no facts any
//!   more)
//!   draw(fill(R,C,gray))  :- lit(R,C).                   3  cells lit by an atom, if nothing
//!   better places it:
//!   lit(R,C)              :- bulb(R',C'), sees(…).          bulb(4,4) has a symbol of its own
//! ```
//!
//! The first applicable kind counts, and within it the most informative thing: a text rather than a
//! colour, and both rather than a border. An atom that only draws borders, as a rectangle does, is
//! placed at the cell of its choice rule: `{ rectangle(…) : fits(R,C,…) } = 1 :- sign(R,C,_)` has
//! one for each cell (R,C) with a sign.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::asp::{GroundProgram, Symbol};
use crate::drawing::{Lattice, Spot, SpotWeight};

/// The dependency of a drawn thing on an atom, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Holds,
    HoldsNot,
    Defines,
}

/// An instance of a choice rule: its distinguishing values, and its atoms.
pub struct Choice {
    pub values: Vec<Symbol>,
    pub atoms: Vec<u32>,
}

/// The quality of a place for an atom; the minimum is the best.
type Rank = (Tie, Reverse<SpotWeight>);

/// Assigns atoms to spots. `candidates` contains the atoms to place, `names` the symbols of atoms.
pub fn spots_of(
    ground: &GroundProgram,
    names: &FxHashMap<u32, Symbol>,
    candidates: &FxHashSet<u32>,
    choices: &[Choice],
    lattice: Lattice,
) -> BTreeMap<Spot, Vec<u32>> {
    let mut best: FxHashMap<u32, (Rank, Vec<Spot>)> = FxHashMap::default();
    let mut put = |atom: u32, tie: Tie, weight: SpotWeight, spots: &[Spot]| {
        let rank = (tie, Reverse(weight));
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
        // Literals to visit, and true if below a definition. Unnamed parts of a body are expanded.
        let mut open: Vec<(i32, bool)> = rule.body.iter().map(|&(literal, _)| (literal, false)).collect();
        let mut seen = FxHashSet::default();
        while let Some((literal, is_below)) = open.pop() {
            let atom = literal.unsigned_abs();
            if !seen.insert(literal) {
                continue;
            }
            let tie = match (is_below, literal > 0) {
                (false, true) => Tie::Holds,
                (false, false) => Tie::HoldsNot,
                (true, _) => Tie::Defines,
            };
            if candidates.contains(&atom) {
                put(atom, tie, weight, &spots);
            } else if literal > 0 && !(is_below && names.contains_key(&atom)) {
                let is_below = is_below || names.contains_key(&atom);
                let rules = rules_by_head.get(&atom).into_iter().flatten();
                let bodies = rules.flat_map(|&rule| &ground.rules[rule].body);
                open.extend(bodies.map(|&(literal, _)| (literal, is_below)));
            }
        }
    }
    let mut of_choice = FxHashMap::default();
    for Choice { values, atoms } in choices {
        let numbers: Vec<i32> = values.iter().filter_map(|value| value.number().ok()).collect();
        if let [row, column] = numbers[..] {
            of_choice.extend(atoms.iter().map(|&atom| (atom, Spot::Cell((row, column)))));
        }
    }
    let mut places: BTreeMap<Spot, Vec<u32>> = BTreeMap::new();
    for (atom, ((_, Reverse(weight)), spots)) in best {
        let spots = match of_choice.get(&atom) {
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
