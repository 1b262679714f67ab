//! Moves as expressions in n: the parser, the value of an expression, and bounds and remainders
//! that hold for all n.
//!
//! ```text
//!   sum      = product { ("+" | "-") product }          n-2+3 = (n-2)+3
//!   product  = signed { ("*" | "/" | "%") signed }      n/2*3 = (n/2)*3
//!   signed   = "-" signed | power                       -n^2 = -(n^2)
//!   power    = operand [ "^" signed ]                   2^3^2 = 2^(3^2)
//!   operand  = "n" | digits | "(" sum ")"
//! ```
//!
//! Quotients are rounded down, and a remainder has the sign of its divisor.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression(Tree);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    N,
    Number(i128),
    Negated(Box<Tree>),
    Binary(Operator, Box<[Tree; 2]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

/// A syntax error and its range in bytes.
#[derive(Debug)]
pub struct ParseError {
    pub what: String,
    pub at: Range<usize>,
}

/// The reason why the value of a move could not be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// The value has more than 64 bits.
    Result,
    /// An intermediate result has more than 128 bits; the value itself may be small.
    Intermediate,
}

/// Bound on the growth of a move that never decreases its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// The value is at most this factor times n.
    Factor(u64),
    Unbounded,
}

/// The reason why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EvalError {
    Overflow,
    /// Division by zero or a negative exponent.
    Undefined,
}

/// A polynomial in n with non-negative coefficients.
enum Polynomial {
    Constant(u64),
    /// a·n + b, with a > 0.
    Linear(u64, u64),
    Higher,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const MAX_BYTES: usize = 1000;
        if text.len() > MAX_BYTES {
            return Err(ParseError { what: format!("longer than {MAX_BYTES} characters"), at: 0..text.len() });
        }
        let mut parser = Parser { text, at: 0 };
        let tree = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Expression(tree)),
            Some(_) => Err(parser.expected("an operator (+ - * / % ^)")),
        }
    }

    /// Returns the value of the move at `n`, or `None` if it is not a positive integer.
    pub fn value(&self, n: u64) -> Result<Option<u64>, Overflow> {
        match self.0.value(n.into()) {
            Ok(value) if value <= 0 => Ok(None),
            Ok(value) => u64::try_from(value).map(Some).map_err(|_| Overflow::Result),
            Err(EvalError::Overflow) => Err(Overflow::Intermediate),
            Err(EvalError::Undefined) => Ok(None),
        }
    }

    /// Returns a bound on the growth of n, or `None` if the form of the expression does not prove
    /// that the move never decreases n.
    pub fn growth(&self) -> Option<Growth> {
        match self.0.polynomial()? {
            Polynomial::Constant(_) => None,
            // The quotient (a·n + b) / n is largest at n = 1.
            Polynomial::Linear(a, b) => Some(a.checked_add(b).map_or(Growth::Unbounded, Growth::Factor)),
            Polynomial::Higher => Some(Growth::Unbounded),
        }
    }

    /// Returns the remainder of the move's value modulo `divisor`, given the remainder `n` of its
    /// argument; `None` unless all arguments with that remainder give the same one.
    pub fn remainder(&self, n: u64, divisor: u64) -> Option<u64> {
        self.0.remainder(n.into(), divisor.into()).and_then(|remainder| u64::try_from(remainder).ok())
    }
}

impl Tree {
    fn value(&self, n: i128) -> Result<i128, EvalError> {
        let (operator, a, b) = match self {
            Tree::N => return Ok(n),
            Tree::Number(number) => return Ok(*number),
            Tree::Negated(tree) => return tree.value(n)?.checked_neg().ok_or(EvalError::Overflow),
            Tree::Binary(operator, sides) => (operator, sides[0].value(n), sides[1].value(n)),
        };
        let (a, b) = match (a, b) {
            (Err(EvalError::Undefined), _) | (_, Err(EvalError::Undefined)) => return Err(EvalError::Undefined),
            (a, b) => (a?, b?),
        };
        let result = match operator {
            Operator::Plus => a.checked_add(b),
            Operator::Minus => a.checked_sub(b),
            Operator::Times => a.checked_mul(b),
            Operator::Over | Operator::Modulo if b == 0 => return Err(EvalError::Undefined),
            Operator::Power if b < 0 => return Err(EvalError::Undefined),
            // Euclidean division rounds up for negative divisors, and its remainder is never
            // negative.
            Operator::Over => a.checked_div_euclid(b).map(|quotient| quotient - i128::from(b < 0 && a % b != 0)),
            Operator::Modulo => a.checked_rem_euclid(b).map(|rest| if b < 0 && rest != 0 { rest + b } else { rest }),
            Operator::Power if b == 0 => Some(1),
            // Exact for exponents of any size.
            Operator::Power if (-1..=1).contains(&a) => Some(if b % 2 == 0 { a.abs() } else { a }),
            Operator::Power => u32::try_from(b).ok().and_then(|exponent| a.checked_pow(exponent)),
        };
        result.ok_or(EvalError::Overflow)
    }

    /// Converts sums, products and powers to a polynomial. Returns `None` for any other tree, for a
    /// product with 0, and if a coefficient exceeds 64 bits.
    fn polynomial(&self) -> Option<Polynomial> {
        use Polynomial::{Constant, Higher, Linear};
        let linear = |a: Option<u64>, b: Option<u64>| a.zip(b).map_or(Higher, |(a, b)| Linear(a, b));
        let (operator, sides) = match self {
            Tree::N => return Some(Linear(1, 0)),
            Tree::Number(number) => return u64::try_from(*number).ok().map(Constant),
            Tree::Negated(_) => return None,
            Tree::Binary(operator, sides) => (operator, sides),
        };
        let (one, other) = (sides[0].polynomial()?, sides[1].polynomial()?);
        Some(match (operator, one, other) {
            (Operator::Plus, Constant(a), Constant(b)) => Constant(a.checked_add(b)?),
            (Operator::Plus, Linear(a, b), Constant(c)) | (Operator::Plus, Constant(c), Linear(a, b)) => {
                linear(Some(a), b.checked_add(c))
            }
            (Operator::Plus, Linear(a, b), Linear(c, d)) => linear(a.checked_add(c), b.checked_add(d)),
            (Operator::Plus, ..) => Higher,
            (Operator::Times, Constant(0), _) | (Operator::Times, _, Constant(0)) => return None,
            (Operator::Times, Constant(a), Constant(b)) => Constant(a.checked_mul(b)?),
            (Operator::Times, Linear(a, b), Constant(c)) | (Operator::Times, Constant(c), Linear(a, b)) => {
                linear(a.checked_mul(c), b.checked_mul(c))
            }
            (Operator::Times, ..) => Higher,
            (Operator::Power, Constant(a), Constant(b)) => Constant(a.checked_pow(u32::try_from(b).ok()?)?),
            (Operator::Power, Linear(a, b), Constant(1)) => Linear(a, b),
            (Operator::Power, Linear(..) | Higher, Constant(1..)) => Higher,
            _ => return None,
        })
    }

    /// As [`Expression::remainder`]. Only sums, differences, products and powers with a constant
    /// exponent have remainders that depend on the remainder of n alone.
    fn remainder(&self, n: i128, divisor: i128) -> Option<i128> {
        let of = |tree: &Tree| tree.remainder(n, divisor);
        let remainder = match self {
            Tree::N => n,
            Tree::Number(number) => *number,
            Tree::Negated(tree) => -of(tree)?,
            Tree::Binary(Operator::Power, sides) => {
                let Tree::Number(exponent) = sides[1] else { return None };
                let base = of(&sides[0])?;
                (0..i128::BITS).rev().fold(1, |power, bit| {
                    let factor = if exponent >> bit & 1 == 1 { base } else { 1 };
                    power * power % divisor * factor % divisor
                })
            }
            Tree::Binary(operator, sides) => {
                let (a, b) = (of(&sides[0])?, of(&sides[1])?);
                match operator {
                    Operator::Plus => a + b,
                    Operator::Minus => a - b,
                    Operator::Times => a * b,
                    _ => return None,
                }
            }
        };
        Some(remainder.rem_euclid(divisor))
    }
}

impl Operator {
    fn of(sign: char) -> Option<Self> {
        Some(match sign {
            '+' => Operator::Plus,
            '-' => Operator::Minus,
            '*' => Operator::Times,
            '/' => Operator::Over,
            '%' => Operator::Modulo,
            '^' => Operator::Power,
            _ => return None,
        })
    }

    fn precedence(self) -> u8 {
        match self {
            Operator::Plus | Operator::Minus => 1,
            Operator::Times | Operator::Over | Operator::Modulo => 2,
            Operator::Power => 3,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    /// Parses an expression whose operators all have at least this precedence.
    fn expression(&mut self, min_precedence: u8) -> Result<Tree, ParseError> {
        let mut tree = self.operand()?;
        while let Some(operator) =
            self.peek().and_then(Operator::of).filter(|operator| operator.precedence() >= min_precedence)
        {
            self.at += 1;
            let is_right_associative = operator == Operator::Power;
            let right = self.expression(operator.precedence() + u8::from(!is_right_associative))?;
            tree = Tree::Binary(operator, Box::new([tree, right]));
        }
        Ok(tree)
    }

    fn operand(&mut self) -> Result<Tree, ParseError> {
        let sign = self.peek();
        let begin = self.at;
        match sign {
            Some('n') => {
                self.at += 1;
                Ok(Tree::N)
            }
            Some('-') => {
                self.at += 1;
                Ok(Tree::Negated(Box::new(self.expression(Operator::Power.precedence())?)))
            }
            Some('(') => {
                self.at += 1;
                let inside = self.expression(0)?;
                if self.peek() != Some(')') {
                    return Err(self.expected("an operator (+ - * / % ^) or `)`"));
                }
                self.at += 1;
                Ok(inside)
            }
            Some('0'..='9') => {
                self.at += self.text[begin..].bytes().take_while(u8::is_ascii_digit).count();
                let digits = &self.text[begin..self.at];
                let too_large = |_| ParseError { what: format!("{digits} has more than 127 bits"), at: begin..self.at };
                digits.parse().map(Tree::Number).map_err(too_large)
            }
            _ => Err(self.expected("n, an integer, `-` or `(`")),
        }
    }

    /// Skips blanks and returns the next character.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn expected(&self, what: &str) -> ParseError {
        let rest = &self.text[self.at..];
        let is_part = |sign: &char| sign.is_alphanumeric() || *sign == '_';
        let word: usize = rest.chars().take_while(is_part).map(char::len_utf8).sum();
        let found = &rest[..word.max(rest.chars().next().map_or(0, char::len_utf8))];
        let found_text = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        let what = format!("expected {what}, found {found_text}");
        ParseError { what, at: self.at..self.at + found.len() }
    }
}
