//! Data of a playable page without a server: the values of each place, their effects on the
//! picture, a test for solutions that does not reveal them, and the steps of a solution as hints.
//!
//! A value draws what the rules derive from it alone. A solution is recognised by a hash of the
//! indices of its atoms:
//!
//! ```text
//!   atoms of the sites, in their order      0 shaded(1,1)   1 shaded(1,2)   2 shaded(1,3)   …
//!   a solution                              shaded(1,2), shaded(1,3), …
//!   its hash                                SHA-1("SALT:1,2,…")
//! ```
//!
//! Hints are the steps that `hint --steps` finds. Frame 0 has the atoms that are known at once, and
//! frame N those that step N adds. They are in base64, so that a look at the source reveals
//! nothing by accident.

use std::time::{Duration, Instant};

use asp::{Settings, Symbol, signature_of};
use base::diagnostic::Failure;
use base::stop::CancelToken;
use base::words::count;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use drawing::{Drawing, Lattice, Layers, Spot};
use explain::ExplainInput;
use explain::hint::{self, MAX_LISTED, StepReport};
use explain::steps::NextStep;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};
use sha1::{Digest, Sha1};

use super::program::{LogicGame, SiteState, SiteValue};

/// Maximum time for finding hints. After it, a page has the hints found so far.
const HINT_TIME_LIMIT: Duration = Duration::from_secs(10);

/// The known solutions of a board; `are_all` is true if there are no others.
pub struct Solutions<'a> {
    pub atoms: Vec<&'a [Symbol]>,
    pub are_all: bool,
}

/// Returns the data of a playable page for a program that draws its answers, or `None` if nothing
/// can be set. See `page::playable_page`.
///
/// # Errors
/// The program is invalid.
pub fn playable_page(
    source: &ExplainInput,
    title: &str,
    settings: &Settings,
    stop: &CancelToken,
    solutions: &Solutions<'_>,
) -> Result<Option<Json>, Failure> {
    let mut game = LogicGame::new(source, title, settings, stop)?;
    // Atoms that are shown only in hints are not part of a solution.
    let shown: FxHashSet<_> =
        solutions.atoms.iter().copied().flatten().filter_map(|&atom| signature_of(atom)).collect();
    let values = game.sites.iter().enumerate().flat_map(|(number, site)| {
        let is_shown = |value: &SiteValue| match value {
            SiteValue::Atom(number) => signature_of(site.atoms[*number].0).is_some_and(|name| shown.contains(&name)),
            _ => true,
        };
        site.values().filter(is_shown).map(move |value| (number, value)).collect::<Vec<_>>()
    });
    let values: Vec<(usize, SiteValue)> = values.collect();
    let mut numbers = FxHashMap::default();
    for &(site, value) in &values {
        if let SiteValue::Atom(number) = value {
            let next = numbers.len();
            numbers.entry(game.sites[site].atoms[number].0).or_insert(next);
        }
    }
    if numbers.is_empty() {
        return Ok(None);
    }
    let first = game.visible_things(&[]);
    let mut changes = Vec::new();
    for &(site, value) in &values {
        let literal = game.sites[site].literal(value);
        let then = literal.map_or_else(Vec::new, |literal| game.visible_things(&[literal]));
        let new = game.things.iter().zip(then.iter().zip(&first)).filter(|(_, (then, first))| **then && !**first);
        changes.push(new.map(|((thing, ..), _)| *thing).collect::<Vec<_>>());
    }
    let always_visible =
        game.things.iter().zip(&first).filter(|(_, is_visible)| **is_visible).map(|((thing, ..), _)| *thing);
    let always_visible = always_visible.collect::<Vec<_>>();
    let (still, _) = Drawing::of(&always_visible, title)?;
    let Layers { view, marks, first, changes } = Drawing::layers(&always_visible, &changes, title)?;
    let mut places: Vec<Json> = Vec::new();
    for (&(number, value), [comes, goes]) in values.iter().zip(&changes) {
        let site = &game.sites[number];
        let mut option = game.option(site, value).json();
        option["move"] = json!(format!("{number} {}", places.get(number).map_or(0, |place| options(place).len())));
        option["atom"] = json!(if let SiteValue::Atom(atom) = value { numbers.get(&site.atoms[atom].0) } else { None });
        (option["comes"], option["goes"]) = (json!(comes), json!(goes));
        if number == places.len() {
            let mut place = game.place(site, &SiteState::default()).json();
            (place["options"], place["atoms"]) = (json!([]), json!([]));
            place["isLow"] = json!(matches!(site.spot, Spot::Cell(cell) if still.has_text_above(cell)));
            places.push(place);
        }
        if let Some(options) = places[number]["options"].as_array_mut() {
            options.push(option);
        }
    }
    let salt = hash(&json!([title, marks, places]).to_string())[..16].to_owned();
    let hash_of = |atoms: &&[Symbol]| {
        let mut indices: Vec<usize> = atoms.iter().filter_map(|atom| numbers.get(atom).copied()).collect();
        indices.sort_unstable();
        let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
        hash(&format!("{salt}:{}", indices.join(",")))
    };
    let hashes: Vec<String> = solutions.atoms.iter().map(hash_of).collect();
    let steps = find_steps(&mut game, stop)?;
    let hints = steps.map(|report| STANDARD.encode(hints_json(&report, &numbers, game.lattice).to_string()));
    Ok(Some(json!({
        "title": title, "view": view, "marks": marks, "first": first, "places": places,
        "salt": salt, "hashes": hashes, "areAll": solutions.are_all, "hints": hints,
    })))
}

/// Finds the steps of the solution; `None` if there is no time for them.
fn find_steps(game: &mut LogicGame, stop: &CancelToken) -> Result<Option<StepReport>, Failure> {
    let output = stop.for_output();
    let limited = output.token.child_until(Instant::now().checked_add(HINT_TIME_LIMIT));
    match hint::find_steps(&mut game.judge.program, String::new(), true, &limited.token) {
        Err(_) if limited.token.requested().is_some() => Ok(None),
        report => report.map(Some),
    }
}

/// The hints of a page. `numbers` has the indices of the atoms that the player sets.
fn hints_json(report: &StepReport, numbers: &FxHashMap<Symbol, usize>, lattice: Lattice) -> Json {
    let learned = report.board.learned();
    let learned =
        learned.filter_map(|(atom, learned)| Some((numbers.get(&atom)?, learned.frame, u8::from(learned.holds))));
    let learned: Vec<_> = learned.collect();
    let steps = report.steps.iter().map(|step| {
        let [_, reason_cells] = step.cells_in_picture();
        let reason_cells = reason_cells.into_iter().filter(|&cell| report.drawing.has_cell(cell));
        let because: Vec<_> = reason_cells.map(|cell| Spot::Cell(cell).bounds(lattice)).collect();
        json!({ "words": step.conclusion(MAX_LISTED), "why": step.reason(MAX_LISTED), "because": because })
    });
    let steps: Vec<Json> = steps.collect();
    let ending = match &report.end {
        Some(NextStep::Unknown(_)) => format!("This page has hints for the first {} steps only.", steps.len()),
        Some(NextStep::Solved) | None => "The board is complete.".to_owned(),
        Some(NextStep::Open(left)) if *left > 0 => {
            let differ = count(*left, "value differs", "values differ");
            format!("No more hints: this board has several solutions, and {differ} between them.")
        }
        Some(end) => hint::ending(end, steps.len()),
    };
    let decides = report.end == Some(NextStep::Solved);
    json!({ "learned": learned, "steps": steps, "ending": ending, "decides": decides })
}

fn options(place: &Json) -> &[Json] {
    place["options"].as_array().map_or(&[], Vec::as_slice)
}

/// The SHA-1 hash of a text in hexadecimal digits.
fn hash(text: &str) -> String {
    Sha1::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
