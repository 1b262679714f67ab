//! Moves as expressions in n, over integers that say when they overflow.

use std::fmt;
use std::str::FromStr;

use exmex::{BinOp, Express, FlatEx, MakeOperators, MatchLiteral, Operator};

/// An intermediate result: 128 bits, so that a difference may be negative on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Number {
    Integer(i128),
    Overflow,
    /// Division by zero, or a power with a negative exponent.
    #[default]
    Undefined,
}

impl FromStr for Number {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Number::Integer)
    }
}

impl Number {
    fn with(self, other: Number, operation: impl Fn(i128, i128) -> Number) -> Number {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => operation(a, b),
            (Number::Overflow, _) | (_, Number::Overflow) => Number::Overflow,
            _ => Number::Undefined,
        }
    }
}

fn checked(result: Option<i128>) -> Number {
    result.map_or(Number::Overflow, Number::Integer)
}

fn power(base: i128, exponent: i128) -> Number {
    match u32::try_from(exponent) {
        Ok(exponent) => checked(base.checked_pow(exponent)),
        Err(_) if exponent < 0 => Number::Undefined,
        Err(_) => Number::Overflow,
    }
}

#[derive(Debug, Clone)]
struct Operators;

impl MakeOperators<Number> for Operators {
    fn make<'a>() -> Vec<Operator<'a, Number>> {
        let binary = |apply, prio, is_commutative| BinOp { apply, prio, is_commutative };
        vec![
            Operator::make_bin("+", binary(|a: Number, b| a.with(b, |a, b| checked(a.checked_add(b))), 1, true)),
            Operator::make_bin_unary(
                "-",
                binary(|a: Number, b| a.with(b, |a, b| checked(a.checked_sub(b))), 1, false),
                |a: Number| Number::Integer(0).with(a, |a, b| checked(a.checked_sub(b))),
            ),
            Operator::make_bin("*", binary(|a: Number, b| a.with(b, |a, b| checked(a.checked_mul(b))), 2, true)),
            // The quotient is rounded down.
            Operator::make_bin(
                "/",
                binary(
                    |a: Number, b| {
                        a.with(b, |a, b| if b == 0 { Number::Undefined } else { checked(a.checked_div_euclid(b)) })
                    },
                    2,
                    false,
                ),
            ),
            Operator::make_bin(
                "%",
                binary(
                    |a: Number, b| {
                        a.with(b, |a, b| if b == 0 { Number::Undefined } else { checked(a.checked_rem_euclid(b)) })
                    },
                    2,
                    false,
                ),
            ),
            Operator::make_bin("^", binary(|a: Number, b| a.with(b, power), 3, false)),
        ]
    }
}

exmex::literal_matcher_from_pattern!(Digits, r"^[0-9]+");

/// A move: where it leads from n.
#[derive(Clone)]
pub struct Expression {
    text: String,
    expression: FlatEx<Number, Operators, Digits>,
    has_variable: bool,
    only_sums_and_products: bool,
}

/// Why the number that a move leads to is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// It has more than 64 bits.
    OfResult,
    /// An intermediate result has more than 128 bits; the number itself may be small.
    OnTheWay,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, String> {
        const WANTED: &str = "expected an expression in n with integers, + - * / % ^ and brackets";
        // The library nests as deep as the brackets do.
        if text.len() > 1000 {
            return Err("longer than 1,000 characters".to_owned());
        }
        let expression = FlatEx::parse(text).map_err(|_| format!("cannot be read; {WANTED}"))?;
        if let Some(other) = Express::<Number>::var_names(&expression).iter().find(|name| *name != "n") {
            return Err(format!("{other} is not known; {WANTED}"));
        }
        let has_variable = !Express::<Number>::var_names(&expression).is_empty();
        let operators = Express::<Number>::operator_reprs(&expression);
        let only_sums_and_products = operators.iter().all(|name| name == "+" || name == "*");
        Ok(Expression { text: text.to_owned(), expression, has_variable, only_sums_and_products })
    }

    /// Where the move leads from `n`; nowhere if the result is not a positive integer.
    pub fn value(&self, n: u64) -> Result<Option<u64>, Overflow> {
        let variables = [Number::Integer(i128::from(n))];
        match self.expression.eval(if self.has_variable { &variables } else { &[] }) {
            Ok(Number::Integer(value)) if value <= 0 => Ok(None),
            Ok(Number::Integer(value)) => u64::try_from(value).map(Some).map_err(|_| Overflow::OfResult),
            Ok(Number::Overflow) => Err(Overflow::OnTheWay),
            Ok(Number::Undefined) | Err(_) => Ok(None),
        }
    }

    /// The greatest factor by which the move can make a number larger, if the move never makes one smaller and that factor
    /// is known: from n to a·n + b it is a + b, at n = 1. `None` if it may lead down, `Some(None)` if it leads up without
    /// such a factor.
    pub fn growth(&self) -> Option<Option<u64>> {
        // Sums and products of n and natural numbers are polynomials without negative coefficients. If such a one is not
        // constant it is at least n; if its second difference vanishes it is a·n + b.
        let value = |n| self.value(n).ok().flatten();
        let (one, two, three) = (value(1)?, value(2)?, value(3)?);
        if !self.only_sums_and_products || one == two {
            return None;
        }
        Some((three - two == two - one).then_some(one))
    }

    /// Whether the remainder of n tells that of the number it leads to, whatever the divisor: it is a polynomial without
    /// negative coefficients.
    pub fn has_remainders(&self) -> bool {
        self.only_sums_and_products
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
