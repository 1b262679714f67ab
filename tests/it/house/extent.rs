//! Tests that the default sample of types covers every shared encoding.

use std::collections::BTreeSet;

use asp_solve::builtin::registry;

use crate::support::extent::TYPES;

/// Returns the shared files among the encodings of a puzzle.
fn shared_files(entry: &dyn puzzle::AnyPuzzle) -> BTreeSet<&str> {
    let files = entry.about().encodings.iter().flat_map(|encoding| &*encoding.files);
    files.map(|file| &*file.path).filter(|path| path.starts_with("puzzles/shared/")).collect()
}

#[test]
fn the_sample_of_types_covers_every_shared_file_and_is_minimal() {
    let of_types: Vec<BTreeSet<&str>> = TYPES
        .map(|name| shared_files(&**registry().by_name(name).unwrap_or_else(|| panic!("there is no type {name}"))))
        .to_vec();
    let all: BTreeSet<&str> = registry().all().iter().flat_map(|entry| shared_files(&**entry)).collect();
    assert!(all.len() > 40, "{all:?}");
    let used: BTreeSet<&str> = of_types.iter().flatten().copied().collect();
    let missing: Vec<&&str> = all.difference(&used).collect();
    assert!(missing.is_empty(), "no type of the sample uses {missing:?}");
    for (at, name) in TYPES.iter().enumerate() {
        let others = of_types.iter().enumerate().filter(|(other, _)| *other != at);
        let of_others: BTreeSet<&str> = others.flat_map(|(_, files)| files).copied().collect();
        assert!(of_others.len() < used.len(), "the sample needs no {name}");
    }
}
