//! Which atoms stand where in the picture.
//!
//! No encoding says so in so many words; its rules for the drawing do. An atom in the body of a rule for `draw(Thing)`
//! stands where the thing does:
//!
//! ```text
//!   draw(found(R,C,V))    :- number(R,C,V).              1  number(2,3,7) stands in row 2, column 3
//!   draw(symbol(R,C,dot)) :- not shaded(R,C), hint.      2  and so does an atom that is drawn where it does not hold
//!   draw(symbol(R,C,S))   :- half(R,C,K), sign(K,S).        (facts are no longer there in the ground program)
//!   draw(fill(R,C,gray))  :- lit(R,C).                   3  what an atom lights is where it stands if nothing else says it:
//!   lit(R,C)              :- bulb(R',C'), sees(…).          bulb(4,4) has a symbol of its own
//! ```
//!
//! Of several the first kind counts, and within it the most telling thing: a text rather than a colour, and both rather than a
//! border. An atom that only draws borders, as a rectangle does, stands where the choice is about that brings it:
//! `{ rectangle(…) : fits(R,C,…) } = 1 :- sign(R,C,_)` has one for each cell (R,C) with a sign.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::asp::{Ground, Symbol};
use crate::drawing::{Lattice, Spot, Weight};

/// How a thing that is drawn depends on an atom; the first is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Holds,
    HoldsNot,
    Defines,
}

/// An instance of a choice: the values that tell it from others, and the atoms in it.
pub struct Choice {
    pub values: Vec<Symbol>,
    pub atoms: Vec<u32>,
}

/// How well an atom is shown somewhere; the least is the best.
type Rank = (Tie, Reverse<Weight>);

/// The atoms by the spot where they stand. `asked` tells which are wanted, `names` what atoms are called.
pub fn spots_of(
    ground: &Ground,
    names: &FxHashMap<u32, Symbol>,
    asked: &FxHashSet<u32>,
    choices: &[Choice],
    lattice: Lattice,
) -> BTreeMap<Spot, Vec<u32>> {
    let mut best: FxHashMap<u32, (Rank, Vec<Spot>)> = FxHashMap::default();
    let mut put = |atom: u32, tie: Tie, weight: Weight, spots: &[Spot]| {
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
        // Literals to look at, whether below a definition; parts of a body that have no name are looked into.
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
            if asked.contains(&atom) {
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
            atoms.iter().for_each(|&atom| _ = of_choice.insert(atom, Spot::Cell((row, column))));
        }
    }
    let mut places: BTreeMap<Spot, Vec<u32>> = BTreeMap::new();
    for (atom, ((_, Reverse(weight)), spots)) in best {
        let spots = match of_choice.get(&atom) {
            Some(&spot) if weight == Weight::Border => vec![spot],
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
