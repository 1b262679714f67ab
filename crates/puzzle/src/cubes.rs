//! Parts of a search that are done on different machines.
//!
//! A cube is a part of the search for the answers of a logic program: the answers in which some
//! literals hold. The cubes of a split exclude each other, and together they are the whole search.

use std::fmt;

use base::diagnostic::{Code, Diagnostic, Failure};
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

/// A part of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cube {
    /// The program, as [`program_name`] names it.
    pub program: String,
    /// The literals that hold, in the order in which the search was split. Each splits the cube of
    /// those before it.
    pub literals: Vec<CubeLiteral>,
    /// If costs are minimised, the costs of an answer that is known, by priority, the highest first. Answers
    /// that cost more need not be found. A search that makes a certificate ignores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Vec<i64>>,
    /// The answers of the cube are counted, not listed.
    #[serde(default, rename = "count", skip_serializing_if = "std::ops::Not::not")]
    pub is_counted: bool,
}

/// An atom, or `not` and an atom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct CubeLiteral {
    pub atom: String,
    pub is_true: bool,
}

impl CubeLiteral {
    /// Returns the literal that holds if this one does not.
    pub fn negated(&self) -> Self {
        CubeLiteral { atom: self.atom.clone(), is_true: !self.is_true }
    }
}

impl From<String> for CubeLiteral {
    fn from(text: String) -> Self {
        match text.strip_prefix("not ") {
            Some(atom) => CubeLiteral { atom: atom.to_owned(), is_true: false },
            None => CubeLiteral { atom: text, is_true: true },
        }
    }
}

impl From<CubeLiteral> for String {
    fn from(literal: CubeLiteral) -> Self {
        literal.to_string()
    }
}

impl fmt::Display for CubeLiteral {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", if self.is_true { "" } else { "not " }, self.atom)
    }
}

impl Cube {
    /// Returns a name that no other cube of any program has: the program, the signs of the literals, the bound
    /// of the costs, and whether the answers are counted.
    pub fn id(&self) -> String {
        let signs: String = self.literals.iter().map(|literal| if literal.is_true { '+' } else { '-' }).collect();
        let costs = self.at_most.iter().flatten().map(|cost| format!(":{cost}"));
        let counted = if self.is_counted { ":count" } else { "" };
        format!("{}:{signs}{}{counted}", self.program, costs.collect::<String>())
    }

    /// Checks that the cube is a part of the search of `program`.
    pub fn check_program(&self, program: &asp::Program, settings: &asp::Settings) -> Result<(), Failure> {
        let found = program_name(program, settings);
        if found == self.program {
            return Ok(());
        }
        let text = format!("expected the program {} of the cube, found the program {found}", self.program);
        let help = "its texts, -p, -e and -c must be those with which `asp-solve split` made the cube";
        Err(Diagnostic::error(Code::Unsupported, text).help(help).into())
    }

    /// Restricts a grounded program, before its search, to answers within the bound of the highest priority,
    /// if the search minimises costs.
    pub fn restrict_costs(&self, solver: &mut asp::Solver) -> Result<(), Failure> {
        const OPTION: &str = "solve.opt_mode";
        // clasp also excludes better answers if a bound of two priorities has slack in the first that no answer
        // can use. An answer that costs more in another priority does no harm.
        let Some(cost) = self.at_most.as_ref().and_then(|costs| costs.first()) else { return Ok(()) };
        let control = solver.control();
        let mode = control.setting(OPTION)?;
        if ["opt", "optN"].contains(&&*mode) {
            control.set(OPTION, &format!("{mode},{cost}"))?;
        }
        Ok(())
    }

    /// Restricts a grounded program, before its search, to the answers of the cube, whatever they cost.
    /// Returns its literals, as the ground program has them.
    pub fn restrict(&self, solver: &mut asp::Solver) -> Result<Vec<i32>, Failure> {
        let literals = self.ground_literals(solver)?;
        let required: Vec<i32> = literals.into_iter().map(|(_, literal)| literal).collect();
        solver.control().require(&required)?;
        Ok(required)
    }

    /// Returns the atoms of its literals, with the literals as the ground program has them.
    pub fn ground_literals(&self, solver: &mut asp::Solver) -> Result<Vec<(asp::Symbol, i32)>, Failure> {
        let control = solver.control();
        let literal = |CubeLiteral { atom, is_true }: &CubeLiteral| {
            let known = asp::parse_term(atom).and_then(|symbol| Some((symbol, control.literal(symbol)?)));
            let (symbol, literal) = known.ok_or_else(|| {
                let text = format!("expected an atom of the ground program in the cube, found `{atom}`");
                Diagnostic::error(Code::Unsupported, text)
            })?;
            Ok((symbol, if *is_true { literal } else { -literal }))
        };
        self.literals.iter().map(literal).collect()
    }
}

/// The error for the result of a cube that cannot be merged. `name` is that of the result.
pub fn invalid(name: &str, what: impl AsRef<str>) -> Failure {
    Diagnostic::error(Code::InvalidReport, format!("{name}: {}", what.as_ref())).into()
}

/// Names a program by a hash of all that determines its answers: its texts, its facts and the values of
/// its constants.
pub fn program_name(program: &asp::Program, settings: &asp::Settings) -> String {
    let facts = program.facts.iter().map(|&fact| asp::to_text(fact));
    let constants = settings.constants.iter().map(|(name, value)| format!("{name}={value}"));
    let texts = program.documents().map(|document| document.text.to_string());
    short_hash(texts.chain([String::new()]).chain(facts).chain([String::new()]).chain(constants))
}

/// Returns a hash of texts, in 16 hexadecimal digits.
pub fn short_hash(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    const LENGTH: usize = 16;
    let mut hash = Sha1::new();
    for text in texts {
        let text = text.as_ref();
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..LENGTH].to_owned()
}
