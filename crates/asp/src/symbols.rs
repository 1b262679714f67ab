//! Symbols as text, and the predicates of atoms.

use super::ffi::{Symbol, function, function_of, number, signature_of, text_of};
use super::syntax::Signature;

/// Prefix of the names of atoms that rewriting adds to a program. The names of the user's programs
/// do not begin with it.
pub const ADDED_PREFIX: &str = "__asp_solve_";

/// Returns the predicate of an atom.
pub fn predicate_of(atom: Symbol) -> Option<Signature> {
    let (is_positive, name, arity) = function_of(atom)?;
    Some(Signature { is_positive, ..Signature::new(name, arity) })
}

/// Returns true if rewriting has added the atom to the program.
pub fn is_added(atom: Symbol) -> bool {
    signature_of(atom).is_some_and(|(name, _)| name.starts_with(ADDED_PREFIX))
}

/// Returns an atom whose arguments are natural numbers.
pub fn fact(name: &str, arguments: &[usize]) -> Option<Symbol> {
    let arguments: Vec<Symbol> = arguments.iter().map(|&argument| number(argument as i32)).collect();
    function(name, &arguments)
}

/// Formats a symbol as the clingo command prints it.
pub fn to_text(symbol: Symbol) -> String {
    let mut bytes = Vec::new();
    text_of(symbol, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Maximum nesting depth of a term, since clingo compares and prints terms recursively.
const MAX_DEPTH: usize = 50;
/// Maximum number of subterms of a term, each counted as often as it occurs.
const MAX_SUBTERMS: usize = 10_000;

/// Returns true if a term exceeds `MAX_DEPTH` or `MAX_SUBTERMS`.
pub fn is_deep(symbol: Symbol) -> bool {
    fn is_within(symbol: Symbol, depth: usize, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        let within = depth > 0 && *left > 0;
        within && symbol.arguments().unwrap_or_default().into_iter().all(|inner| is_within(inner, depth - 1, left))
    }
    !is_within(symbol, MAX_DEPTH, &mut MAX_SUBTERMS.clone())
}

/// Formats a symbol with `…` for subterms beyond `MAX_DEPTH` or `MAX_SUBTERMS`. clingo prints
/// recursively, which may overflow the stack for deeper terms.
pub fn to_text_truncated(symbol: Symbol) -> String {
    fn shallow(symbol: Symbol, depth: usize, left: &mut usize) -> Option<Symbol> {
        let arguments = symbol.arguments().unwrap_or_default();
        if arguments.is_empty() {
            return Some(symbol);
        }
        *left = left.saturating_sub(1);
        if depth == 0 || *left == 0 {
            return function("…", &[]);
        }
        let (name, _) = signature_of(symbol)?;
        let arguments: Option<Vec<Symbol>> =
            arguments.into_iter().map(|inner| shallow(inner, depth - 1, left)).collect();
        function(name, &arguments?)
    }
    if is_deep(symbol) {
        shallow(symbol, MAX_DEPTH, &mut MAX_SUBTERMS.clone()).map_or_else(|| "…".to_owned(), to_text)
    } else {
        to_text(symbol)
    }
}

/// Sorts by clingo's term order. Items with deeply nested terms are not compared: they follow the
/// others in their original order.
pub fn sort_by_symbols<T, K: Ord>(items: &mut Vec<T>, is_deep: impl Fn(&T) -> bool, key: impl Fn(&T) -> K) {
    let (mut shallow, deep): (Vec<T>, Vec<T>) = std::mem::take(items).into_iter().partition(|item| !is_deep(item));
    shallow.sort_by_cached_key(key);
    *items = shallow;
    items.extend(deep);
}
