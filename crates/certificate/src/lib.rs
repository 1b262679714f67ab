//! Certificates: a proof in easily checked steps that a ground program has no answer sets other
//! than the listed ones.
//!
//! [`read`] parses a certificate and [`Certificate::check`] checks it. These files and no others
//! are trusted for that; the numbers are their lines:
//!
//! | file | lines | establishes |
//! |---|---|---|
//! | `ground/src/program.rs` | 190 | the meaning of ground programs: weights, bounds, costs |
//! | `ground/src/literal.rs` | 104 | the meaning of literals |
//! | `ground/src/hash.rs` | 54 | hash tables |
//! | `ground/src/checker.rs` | 395 | a listed answer is an answer set, and has its costs |
//! | `ground/src/completion.rs` | 409 | every answer set satisfies the clauses of the program |
//! | `certificate/src/claim.rs` | 153 | an excluded answer set satisfies the negated claim |
//! | `certificate/src/verify.rs` | 259 | each step adds a clause that follows |
//! | `certificate/src/check.rs` | 285 | the listed answers are distinct; the whole check |
//! | `certificate/src/text.rs` | 402 | the text says what is checked, if a text is read |
//! | `certificate/src/parts.rs` | 130 | the claims of parts make one claim, if there are several |
//! | `certificate/src/binding.rs` | 46 | the program is that of some files, if files are given |
//!
//! If files are given, clingo's parser and grounder are trusted too, with the observer in `asp` that
//! records the ground program, the selection of the terms to compare (`shown_terms` in `prover`),
//! and the code that reads a board and writes its facts. The search that writes the steps is not
//! trusted. `README.md` has an example and the limits.

#![forbid(unsafe_code)]

mod binding;
mod check;
mod claim;
mod parts;
mod text;
mod verify;

pub use check::{Certificate, Section, SectionChecker, check_listed_answers, negated_claim, negated_claim_of};
pub use claim::{Claim, CostBound};
pub use parts::CertificateParts;
pub use text::{TITLE, read, write_cube, write_head, write_steps};
pub use verify::{ProofStep, Verifier, verify};

/// The example of the page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_trusted_files_have_the_stated_numbers_of_lines() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
        for (page, name) in [(include_str!("../README.md"), "README.md"), (include_str!("lib.rs"), "lib.rs")] {
            let cells = page.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix("| `"));
            let mut rows = 0;
            for (file, rest) in cells.filter_map(|line| line.split_once("` | ")) {
                let stated = rest.split(' ').next().and_then(|number| number.parse().ok());
                let path = crates.join(file.trim_start_matches("crates/"));
                let text = std::fs::read_to_string(&path).expect(file);
                assert_eq!(stated, Some(text.lines().count()), "{name} states the lines of {file}");
                rows += 1;
            }
            assert!(rows >= 9, "{name}: {rows}");
        }
    }
}
