//! A board for a page that has nobody to ask: what each place can be set to, what one sees then, and how to tell that the board
//! is solved without knowing how.
//!
//! What is set shows what follows from it alone. A solution is known by a hash of the numbers of its atoms:
//!
//! ```text
//!   atoms of the sites, in their order      0 shaded(1,1)   1 shaded(1,2)   2 shaded(1,3)   …
//!   a solution                              shaded(1,2), shaded(1,3), …
//!   its hash                                SHA-1("SALT:1,2,…")
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};
use sha1::{Digest, Sha1};

use super::program::{LogicGame, Value, Written};
use crate::asp::{Settings, Symbol, signature_of};
use crate::diagnostic::Failure;
use crate::drawing::{Drawing, Layers};
use crate::stop::Stop;
use crate::why::Source;

/// The solutions of a board that are known: their atoms, and whether there are no others.
pub struct Solutions<'a> {
    pub atoms: Vec<&'a [Symbol]>,
    pub are_all: bool,
}

/// The sheet of a program that draws its answers, for `page::sheet`; nothing where nothing can be set.
///
/// # Errors
/// What is wrong with the program.
pub fn sheet_of_program(
    source: &Source,
    title: &str,
    settings: &Settings,
    stop: &Stop,
    solutions: &Solutions<'_>,
) -> Result<Option<Json>, Failure> {
    let mut game = LogicGame::new(source, title, settings, stop)?;
    // What is shown in hints alone is no part of a solution.
    let shown: FxHashSet<_> =
        solutions.atoms.iter().copied().flatten().filter_map(|&atom| signature_of(atom)).collect();
    let values = game.sites.iter().enumerate().flat_map(|(number, site)| {
        let is_wanted = |value: &Value| match value {
            Value::Atom(number) => signature_of(site.atoms[*number].0).is_some_and(|name| shown.contains(&name)),
            _ => true,
        };
        site.values().filter(is_wanted).map(move |value| (number, value)).collect::<Vec<_>>()
    });
    let values: Vec<(usize, Value)> = values.collect();
    let mut numbers = FxHashMap::default();
    for &(site, value) in &values {
        if let Value::Atom(number) = value {
            let next = numbers.len();
            numbers.entry(game.sites[site].atoms[number].0).or_insert(next);
        }
    }
    if numbers.is_empty() {
        return Ok(None);
    }
    let first = game.drawn(&[]);
    let mut changes = Vec::new();
    for &(site, value) in &values {
        let literal = game.sites[site].literal(value);
        let then = literal.map_or_else(Vec::new, |literal| game.drawn(&[literal]));
        let new = game.things.iter().zip(then.iter().zip(&first)).filter(|(_, (then, first))| **then && !**first);
        changes.push(new.map(|((thing, ..), _)| *thing).collect::<Vec<_>>());
    }
    let still = game.things.iter().zip(&first).filter(|(_, is_there)| **is_there).map(|((thing, ..), _)| *thing);
    let Layers { view, marks, first, changes } = Drawing::layers(&still.collect::<Vec<_>>(), &changes, title)?;
    let mut places: Vec<Json> = Vec::new();
    for (&(number, value), [comes, goes]) in values.iter().zip(&changes) {
        let site = &game.sites[number];
        let mut option = game.option(site, value).json();
        option["move"] = json!(format!("{number} {}", places.get(number).map_or(0, |place| options(place).len())));
        option["atom"] = json!(if let Value::Atom(atom) = value { numbers.get(&site.atoms[atom].0) } else { None });
        (option["comes"], option["goes"]) = (json!(comes), json!(goes));
        if number == places.len() {
            let mut place = game.place(site, &Written::default()).json();
            (place["options"], place["atoms"]) = (json!([]), json!([]));
            places.push(place);
        }
        places[number]["options"].as_array_mut().into_iter().for_each(|options| options.push(option.clone()));
    }
    let salt = hash(&json!([title, marks, places]).to_string())[..16].to_owned();
    let hash_of = |atoms: &&[Symbol]| {
        let mut own: Vec<usize> = atoms.iter().filter_map(|atom| numbers.get(atom).copied()).collect();
        own.sort_unstable();
        let own: Vec<String> = own.iter().map(usize::to_string).collect();
        hash(&format!("{salt}:{}", own.join(",")))
    };
    let hashes: Vec<String> = solutions.atoms.iter().map(hash_of).collect();
    Ok(Some(json!({
        "title": title, "view": view, "marks": marks, "first": first, "places": places,
        "salt": salt, "hashes": hashes, "areAll": solutions.are_all,
    })))
}

fn options(place: &Json) -> &[Json] {
    place["options"].as_array().map_or(&[], Vec::as_slice)
}

/// In hexadecimal digits.
fn hash(text: &str) -> String {
    Sha1::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
