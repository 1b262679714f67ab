//! Terms of clingo.

use std::cmp::Ordering;
use std::ffi::CStr;
use std::fmt;
use std::io::Write;
use std::ptr::null;

use clingo_sys as sys;

use super::call::{CallError, CallResult, check};

/// A ground term: a number, a string, a function or constant, or the infimum or supremum of
/// clingo's order of terms.
///
/// A symbol may hold an address inside clingo. A number can therefore not be converted to a symbol:
///
/// ```compile_fail,E0277
/// let forged = asp::Symbol::from(7_u64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Symbol(pub(super) sys::clingo_symbol_t);

/// The type of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolType {
    Number,
    String,
    /// A function. A constant is a function without arguments; a tuple is a function without a
    /// name.
    Function,
    Infimum,
    Supremum,
}

impl Symbol {
    pub fn symbol_type(self) -> CallResult<SymbolType> {
        // SAFETY: symbols are valid for the life of the process.
        match unsafe { sys::clingo_symbol_type(self.0) } as u32 {
            sys::clingo_symbol_type_e_clingo_symbol_type_number => Ok(SymbolType::Number),
            sys::clingo_symbol_type_e_clingo_symbol_type_string => Ok(SymbolType::String),
            sys::clingo_symbol_type_e_clingo_symbol_type_function => Ok(SymbolType::Function),
            sys::clingo_symbol_type_e_clingo_symbol_type_infimum => Ok(SymbolType::Infimum),
            sys::clingo_symbol_type_e_clingo_symbol_type_supremum => Ok(SymbolType::Supremum),
            other => Err(CallError { text: format!("a symbol of unknown type {other}"), out_of_memory: false }),
        }
    }

    /// Returns the value of a number.
    pub fn number(self) -> CallResult<i32> {
        // As for functions.
        if self.symbol_type()? != SymbolType::Number {
            return Err(CallError { text: "the symbol is not a number".to_owned(), out_of_memory: false });
        }
        let mut number = 0;
        // SAFETY: the result is written on success; the call fails if the symbol is not a number.
        check(unsafe { sys::clingo_symbol_number(self.0, &mut number) })?;
        Ok(number)
    }

    /// Returns the text of a string, without quotes and escapes.
    pub fn string(self) -> CallResult<String> {
        self.raw_string().map(|text| text.to_string_lossy().into_owned())
    }

    fn raw_string(self) -> CallResult<&'static CStr> {
        if self.symbol_type()? != SymbolType::String {
            return Err(CallError { text: "the symbol is not a string".to_owned(), out_of_memory: false });
        }
        let mut text = null();
        // SAFETY: the result is written on success; the call fails if the symbol is not a string.
        check(unsafe { sys::clingo_symbol_string(self.0, &mut text) })?;
        // SAFETY: the text ends with NUL and lives as long as the process.
        Ok(unsafe { CStr::from_ptr(text) })
    }

    /// Returns the arguments of a function.
    pub fn arguments(self) -> CallResult<Vec<Symbol>> {
        let parts = self.parts();
        let no_arguments = || CallError { text: "the symbol has no arguments".to_owned(), out_of_memory: false };
        parts.map(|(_, _, arguments)| arguments.to_vec()).ok_or_else(no_arguments)
    }

    /// Returns true if a function has no classical negation, its name, and its arguments. `None` for
    /// other symbols.
    fn parts(self) -> Option<(bool, &'static CStr, &'static [Symbol])> {
        // clingo would throw an exception, which costs as much as a thousand calls.
        if self.symbol_type().ok()? != SymbolType::Function {
            return None;
        }
        let (mut name, mut arguments, mut size, mut is_positive) = (null(), null(), 0, false);
        // SAFETY: the results are written on success; the calls fail if the symbol is not a function.
        // The name ends with NUL and lives as long as the process, as do the `size` symbols of
        // `arguments`; `Symbol` is transparent.
        unsafe {
            let is_function = sys::clingo_symbol_arguments(self.0, &mut arguments, &mut size)
                && sys::clingo_symbol_is_positive(self.0, &mut is_positive)
                && sys::clingo_symbol_name(self.0, &mut name);
            let arguments = if size == 0 { &[] } else { std::slice::from_raw_parts(arguments.cast::<Symbol>(), size) };
            is_function.then(|| (is_positive, CStr::from_ptr(name), arguments))
        }
    }
}

/// clingo's order of terms.
impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self.0, other.0)
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        text_of(*self, &mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

pub fn compare(a: sys::clingo_symbol_t, b: sys::clingo_symbol_t) -> Ordering {
    // SAFETY: symbols are valid for the life of the process.
    let less = |a, b| unsafe { sys::clingo_symbol_is_less_than(a, b) };
    if a == b {
        Ordering::Equal
    } else if less(a, b) {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

/// Nesting depth from which terms are formatted without recursion, since clingo's threads have small
/// stacks.
pub const MAX_RECURSION_DEPTH: usize = 100;

/// Appends the symbol as the clingo command prints it. Unlike clingo's own function, it creates no
/// C++ streams and accepts any depth.
pub fn text_of(symbol: Symbol, out: &mut Vec<u8>) {
    let start = out.len();
    if format(symbol, out, MAX_RECURSION_DEPTH).is_none() {
        out.truncate(start);
        format_deep(symbol, out);
    }
}

/// Appends the symbol. Returns `None` if it is nested more than `depth` levels deep.
fn format(symbol: Symbol, out: &mut Vec<u8>, depth: usize) -> Option<()> {
    let Some((arguments, end)) = begin(symbol, out) else { return Some(()) };
    let depth = depth.checked_sub(1)?;
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        format(*argument, out, depth)?;
    }
    out.extend_from_slice(end);
    Some(())
}

/// Appends a symbol of any depth.
fn format_deep(symbol: Symbol, out: &mut Vec<u8>) {
    // For each term that has begun, the arguments that are not written yet, and its end.
    let mut open = Vec::new();
    let mut next = symbol;
    loop {
        if let Some((arguments, end)) = begin(next, out) {
            open.push((arguments.iter().enumerate(), end));
        }
        next = loop {
            let Some((arguments, end)) = open.last_mut() else { return };
            match arguments.next() {
                Some((0, argument)) => break *argument,
                Some((_, argument)) => {
                    out.push(b',');
                    break *argument;
                }
                None => {
                    out.extend_from_slice(end);
                    open.pop();
                }
            }
        };
    }
}

/// Appends a symbol without arguments, or the part before the arguments. Then the arguments are
/// returned, with the part behind them.
fn begin(symbol: Symbol, out: &mut Vec<u8>) -> Option<(&'static [Symbol], &'static [u8])> {
    // Symbols are values of clingo, whose functions fail for the wrong type only.
    match symbol.symbol_type().ok()? {
        SymbolType::Number => write!(out, "{}", symbol.number().ok()?).ok()?,
        SymbolType::Infimum => out.extend_from_slice(b"#inf"),
        SymbolType::Supremum => out.extend_from_slice(b"#sup"),
        SymbolType::String => {
            out.push(b'"');
            for &byte in symbol.raw_string().ok()?.to_bytes() {
                match byte {
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
                    _ => out.push(byte),
                }
            }
            out.push(b'"');
        }
        SymbolType::Function => {
            let (is_positive, name, arguments) = symbol.parts()?;
            if !is_positive {
                out.push(b'-');
            }
            out.extend_from_slice(name.to_bytes());
            if !arguments.is_empty() || name.is_empty() {
                out.push(b'(');
                return Some((arguments, if arguments.len() == 1 && name.is_empty() { b",)" } else { b")" }));
            }
        }
    }
    None
}

/// Returns the name and the number of arguments of an atom. `None` for atoms with classical
/// negation, which belong to another predicate, and for terms that are not functions.
pub fn signature_of(symbol: Symbol) -> Option<(&'static str, usize)> {
    function_of(symbol).and_then(|(is_positive, name, size)| is_positive.then_some((name, size)))
}

/// Returns true if an atom has no classical negation, its name, and the number of its arguments.
pub fn function_of(symbol: Symbol) -> Option<(bool, &'static str, usize)> {
    let (is_positive, name, arguments) = symbol.parts()?;
    Some((is_positive, name.to_str().ok()?, arguments.len()))
}

/// Returns a number that identifies the symbol within the process.
pub fn id_of(symbol: Symbol) -> u64 {
    symbol.0
}
