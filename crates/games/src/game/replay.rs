//! Independent evaluation of moves: Dijkstra's shunting-yard algorithm converts an expression to
//! postfix notation, which a stack machine evaluates. This module shares neither the parser nor the
//! evaluator with the search.

/// A move in postfix notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostfixMove {
    pub text: String,
    steps: Vec<PostfixOp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PostfixOp {
    N,
    Number(i128),
    Apply(char),
}

impl PostfixMove {
    /// Converts an expression that [`Expression::parse`](super::expression::Expression::parse) has
    /// accepted.
    pub fn new(text: String) -> Self {
        let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
        let (mut steps, mut waiting): (Vec<PostfixOp>, Vec<char>) = (Vec::new(), Vec::new());
        let mut at = 0;
        let mut wants_operand = true;
        while let Some(&sign) = signs.get(at) {
            at += 1;
            match sign {
                'n' => steps.push(PostfixOp::N),
                '0'..='9' => {
                    let digits = signs[at - 1..].iter().take_while(|sign| sign.is_ascii_digit());
                    let digits: String = digits.collect();
                    at += digits.len() - 1;
                    steps.push(PostfixOp::Number(digits.parse().expect("as many digits as fit were read before")));
                }
                '(' => waiting.push(sign),
                '-' if wants_operand => waiting.push(MINUS),
                ')' => {
                    let inside = std::iter::from_fn(|| waiting.pop().filter(|&operator| operator != '('));
                    steps.extend(inside.map(PostfixOp::Apply));
                }
                _ => {
                    // Operators on the stack of higher precedence come first. So do operators of
                    // equal precedence, except `^`, which is right-associative.
                    let comes_first = |&mut before: &mut char| {
                        precedence(before) > precedence(sign) || before != '^' && precedence(before) == precedence(sign)
                    };
                    while let Some(before) = waiting.pop_if(comes_first) {
                        steps.push(PostfixOp::Apply(before));
                    }
                    waiting.push(sign);
                }
            }
            wants_operand = !matches!(sign, 'n' | '0'..='9' | ')');
        }
        steps.extend(waiting.into_iter().rev().map(PostfixOp::Apply));
        PostfixMove { text, steps }
    }

    /// Returns the value of the move at `n` if it is a positive integer.
    pub fn apply(&self, n: u64) -> Option<u64> {
        let mut values = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            match step {
                PostfixOp::N => values.push(n.into()),
                PostfixOp::Number(number) => values.push(number),
                PostfixOp::Apply(operator) => apply(operator, &mut values)?,
            }
        }
        let value = values.pop().filter(|_| values.is_empty())?;
        u64::try_from(value).ok().filter(|&value| value > 0)
    }
}

/// Unary minus, which has lower precedence than a power.
const MINUS: char = '~';

fn precedence(operator: char) -> usize {
    ["(", "+-", "*/%", "~", "^"].iter().position(|level| level.contains(operator)).unwrap_or(0)
}

/// Pops the operands of an operator and pushes the result. Returns `None` if the result is
/// undefined or exceeds 128 bits.
fn apply(operator: char, values: &mut Vec<i128>) -> Option<()> {
    let right = values.pop()?;
    if operator == MINUS {
        values.push(right.checked_neg()?);
        return Some(());
    }
    let left = values.pop()?;
    // Rust rounds quotients towards zero; a negative inexact quotient must be one less.
    let rest = left.checked_rem(right).unwrap_or(0);
    let is_one_less = rest != 0 && (left < 0) != (right < 0);
    values.push(match operator {
        '+' => left.checked_add(right)?,
        '-' => left.checked_sub(right)?,
        '*' => left.checked_mul(right)?,
        '/' => left.checked_div(right)? - i128::from(is_one_less),
        '%' if right == 0 => return None,
        '%' => rest + if is_one_less { right } else { 0 },
        _ => power(left, right)?,
    });
    Some(())
}

/// Exponentiation by squaring.
fn power(base: i128, exponent: i128) -> Option<i128> {
    match exponent {
        ..0 => None,
        0 => Some(1),
        _ if exponent % 2 == 1 => power(base, exponent - 1)?.checked_mul(base),
        _ => power(base, exponent / 2).and_then(|root| root.checked_mul(root)),
    }
}
