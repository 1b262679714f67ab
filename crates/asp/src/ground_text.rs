//! Ground programs as texts, which other programs can extend by rules of their own. The atom with
//! the number `N` is the term `x(N)`.

use std::fmt::Write;

use ground::GroundRule;

use super::ffi::{Symbol, function, number};

/// The predicate of all atoms.
pub const ATOM: &str = "x";

/// Returns the symbol of an atom; `None` if clingo has no such number.
pub fn atom(atom: u32) -> Option<Symbol> {
    function(ATOM, &[number(i32::try_from(atom).ok()?)])
}

/// Writes a literal: the number of an atom, negative for `not`.
pub fn literal(literal: i32) -> String {
    let sign = if literal < 0 { "not " } else { "" };
    format!("{sign}{ATOM}({})", literal.unsigned_abs())
}

/// Writes literals that hold together.
pub fn conjunction(literals: impl IntoIterator<Item = i32>) -> String {
    let literals: Vec<String> = literals.into_iter().map(literal).collect();
    if literals.is_empty() { "#true".to_owned() } else { literals.join(", ") }
}

/// Writes the sum of the weights of the literals that hold.
pub fn sum(items: &[(i32, i32)]) -> String {
    // The number distinguishes literals that occur twice.
    let items = (1..).zip(items).map(|(number, &(part, weight))| format!("{weight},{number} : {}", literal(part)));
    format!("#sum {{ {} }}", items.collect::<Vec<_>>().join("; "))
}

/// Appends a rule.
pub fn write_rule(text: &mut String, rule: &GroundRule) {
    let heads: Vec<String> = rule.head.iter().map(|&head| literal(head as i32)).collect();
    let heads = heads.join("; ");
    let head = if rule.is_choice { format!("{{ {heads} }}") } else { heads };
    let body = match rule.bound {
        Some(bound) => format!("{bound} <= {}", sum(&rule.body)),
        None => conjunction(rule.body.iter().map(|&(literal, _)| literal)),
    };
    let _ = writeln!(text, "{head} :- {body}.");
}

/// Appends an edge between two nodes, which is there if all literals of the condition hold.
pub fn write_edge(text: &mut String, (from, to, condition): &(i32, i32, Vec<i32>)) {
    let _ = writeln!(text, "#edge ({from},{to}) : {}.", conjunction(condition.iter().copied()));
}
