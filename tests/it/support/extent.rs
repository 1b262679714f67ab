//! The extent of a test run: by default a fifth of the random cases and a sample of the types, or
//! everything with `--include-ignored`, as in `.ci/run`.

use std::ops::Range;

use fastrand::Rng;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A minimal set of types of pencil puzzles whose encodings together use every shared file.
pub const TYPES: [&str; 23] = [
    "arukone",
    "barns",
    "battleship",
    "cocktail",
    "cojun",
    "compass",
    "factors",
    "gokigen",
    "hanare",
    "koburin",
    "moonsun",
    "nagenawa",
    "nanro",
    "nawabari",
    "nothree",
    "nurimisaki",
    "pentominous",
    "rectslider",
    "sudoku",
    "tasquare",
    "tilepaint",
    "toichika",
    "yajitatami",
];

/// Returns true if the run was started with `--include-ignored` or `--ignored`.
pub fn is_complete() -> bool {
    std::env::args().any(|argument| argument == "--include-ignored" || argument == "--ignored")
}

/// Returns true if expensive properties are tested with a type of pencil puzzle.
pub fn includes(name: &str) -> bool {
    is_complete() || TYPES.contains(&name)
}

/// Returns the number of random cases to try, and of the events to expect from them.
pub fn sample_size(all: usize) -> usize {
    if is_complete() { all } else { all.div_ceil(5) }
}

/// Returns `$SEED`, or a new seed. The test runner prints it if the test fails.
pub fn seed() -> u64 {
    let fresh = || u64::from(fastrand::u32(..));
    let seed = std::env::var("SEED").map_or_else(|_| fresh(), |text| text.parse().expect("$SEED is a number"));
    println!("SEED={seed} repeats the random cases{}", if is_complete() { " with --include-ignored" } else { "" });
    seed
}

/// Returns a seed for each random case of a test.
pub fn seeds(all: usize) -> Range<u64> {
    let first = seed();
    first..first + sample_size(all) as u64
}

/// Returns a random number generator with the seed of a test.
pub fn random() -> Rng {
    Rng::with_seed(seed())
}

/// Returns a runner of properties with the seed of a test.
pub fn runner(all: usize) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    let config = Config { cases: sample_size(all) as u32, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Tests a property with random values; it panics on failure.
pub fn check<S: Strategy>(all: usize, values: &S, property: impl Fn(S::Value)) {
    let checked = runner(all).run(values, |value| {
        property(value);
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}

/// Checks that each event occurred often enough in the random cases: name, count, and minimum for a
/// complete run. A default run requires a twentieth of it.
pub fn expect_counts<const N: usize>(events: [(&str, usize, usize); N]) {
    println!("{events:?}");
    for (what, found, least) in events {
        let least = if is_complete() { least } else { least / 20 };
        assert!(found >= least, "{what}: {found}, and at least {least} were expected");
    }
}
