//! Explains why a program has no answer, and what the next deduction is once it has one.

use asp::{Program, Settings};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use explain::{ExplainContext, ExplainInput, ExplainQuery, QueryKind, explain};

/// The comments describe the constraints in words.
const RULES: &str = "
%!trace_rule {\"% has one seat\",G}
{ seat(G, 1..3) } = 1 :- guest(G).
%!trace_rule {\"% and % cannot both have seat %\",G,H,S}
:- seat(G, S), seat(H, S), G < H.
%!trace_rule {\"% does not like seat %\",G,S}
:- seat(G, S), dislikes(G, S).
";

fn ask(facts: &str, kind: QueryKind) -> Result<(), Failure> {
    let documents = [Document::in_memory("guests.lp", facts), Document::in_memory("seats.lp", RULES)];
    let source = ExplainInput::from(Program::of(documents.clone()));
    let query = ExplainQuery { kind, causes: 1, ..ExplainQuery::default() };
    let (settings, stop) = (Settings::default(), CancelToken::new());
    let context = ExplainContext {
        documents: &documents,
        included: &[],
        has_builtin_rules: false,
        settings: &settings,
        stop: &stop,
    };
    println!("{}", explain(&source, &query, &context)?.text());
    Ok(())
}

fn main() -> Result<(), Failure> {
    ask("guest(ann; bob; cleo).\ndislikes(ann, (1; 2)).\ndislikes(bob, (2; 3; 1)).", QueryKind::NoAnswer)?;
    ask("guest(ann; bob; cleo).\ndislikes(ann, (1; 2)).\ndislikes(bob, 2).", QueryKind::Steps { all: false })
}
