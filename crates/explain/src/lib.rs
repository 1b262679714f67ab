//! Explains conclusions by the parts of a program from which they follow: as sentences, and with
//! their source lines.
//!
//! A program is split into statements and rewritten so that each part that may be blamed can be
//! relaxed. It is grounded once; every later query only changes the assumptions
//! ([`RelaxedProgram`]). The crate knows logic programs only: clingo (crate `asp`) answers the
//! queries, `prover` propagates for hints, and the puzzles describe their rules in comments.
//!
//! ```
//! use asp::{Program, Settings};
//! use base::document::Document;
//! use base::stop::CancelToken;
//! use explain::{ExplainContext, ExplainInput, ExplainQuery, explain};
//!
//! let program = Program::of([Document::in_memory("rules.lp", "{ a; d }. b :- a. :- not a. :- b. :- d.")]);
//! let (settings, stop) = (Settings::default(), CancelToken::new());
//! let context =
//!     ExplainContext { documents: &[], included: &[], has_builtin_rules: false, settings: &settings, stop: &stop };
//! let explanation = explain(&ExplainInput::from(program), &ExplainQuery::default(), &context)?;
//! let texts: Vec<&str> = explanation.causes()[0].iter().map(|part| &*part.text).collect();
//! assert_eq!(texts, [":- not a.", ":- b."]);
//! # Ok::<(), base::diagnostic::Failure>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `query.rs`, `explanation.rs`, `part.rs` | the request and the result, as data |
//! | `cause.rs` | smallest causes, all causes and cheapest corrections for any oracle |
//! | `contradiction.rs` | explains why a program has no answer |
//! | `program.rs` | a program whose parts can be left out |
//! | `exclusion.rs` | how many answers each part excludes |
//! | `steps.rs` | the next deduction and the smallest reason for it |
//! | `hint.rs`, `board.rs` | steps in words, and the board after each of them |
//! | `techniques.rs` | the names of solving techniques |
//! | `rating.rs` | the difficulty of a program |
//! | `atom.rs` | explains whether an atom holds in all, some or no answers |
//! | `derivation.rs` | derivation trees of atoms in an answer |
//! | `render/` | explanations as text, JSON and HTML |
//! | `lists.rs` | reasons as lists for a page |
//! | `words.rs`, `phrase.rs` | comments that describe parts of a program in words |

#![forbid(unsafe_code)]

mod atom;
mod board;
pub mod cause;
mod contradiction;
pub mod derivation;
pub mod exclusion;
mod explanation;
pub mod hint;
mod lists;
mod part;
pub mod phrase;
mod program;
mod query;
mod rating;
mod render;
pub mod steps;
pub mod techniques;
pub mod words;

use asp::Lints;
use base::diagnostic::Failure;
use base::document::Document;
pub use board::Learned;
pub use contradiction::{cause_among, cause_of};
use explanation::Findings;
pub use explanation::{AtomConclusion, Explanation, NativeFinding, NativePage, NativeReport, Step};
pub use lists::{ReasonLine, ReasonList};
pub use part::{Blame, Part, PartKind};
pub use phrase::Phrase;
pub use program::{Boards, ExplainInput, RelaxedProgram, SolveOutcome};
pub use query::{ExplainContext, ExplainQuery, PictureUse, QueryKind, parse_literal};
pub use rating::Rating;
pub use techniques::Technique;
pub use words::Wording;

pub fn explain(
    source: &ExplainInput,
    query: &ExplainQuery,
    context: &ExplainContext<'_>,
) -> Result<Explanation, Failure> {
    let findings = match &query.kind {
        QueryKind::NoAnswer => Findings::NoAnswer(contradiction::explain(source, query, context)?),
        QueryKind::About(asked) => Findings::Atom(atom::explain(source, asked, query, context)?),
        QueryKind::Steps { all } => Findings::Steps(Box::new(hint::explain(source, *all, query, context)?)),
        QueryKind::Rating => Findings::Rating(rating::explain(source, context)?),
        QueryKind::Counts => Findings::Exclusion(exclusion::explain(source, query, context)?),
    };
    // The user's documents take precedence over generated ones.
    let sources = context.documents.iter().chain(source.program.documents()).chain(context.included);
    let sources: Vec<Document> = sources.cloned().collect();
    let mut explanation = Explanation::new(findings, sources);
    if !context.has_builtin_rules && !matches!(query.kind, QueryKind::Rating) {
        let lints = Lints::of(&source.program, context.included, context.settings, context.stop);
        explanation.warnings.extend(lints.into_diagnostics());
    }
    Ok(explanation)
}
