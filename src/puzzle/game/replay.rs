//! Where a move leads, by a second reading: operands and operators in the order of their evaluation (Dijkstra's shunting yard),
//! and a stack. It shares neither the parser nor the evaluation with the search.

/// A move, read for the replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub text: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    N,
    Number(i128),
    Apply(char),
}

impl Reading {
    /// Of an expression that was read without an error before.
    pub fn new(text: String) -> Self {
        let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
        let (mut steps, mut waiting): (Vec<Step>, Vec<char>) = (Vec::new(), Vec::new());
        let (mut at, mut wants_operand) = (0, true);
        while let Some(&sign) = signs.get(at) {
            at += 1;
            match sign {
                'n' => steps.push(Step::N),
                '0'..='9' => {
                    let digits = signs[at - 1..].iter().take_while(|sign| sign.is_ascii_digit());
                    let digits: String = digits.collect();
                    at += digits.len() - 1;
                    steps.push(Step::Number(digits.parse().expect("as many digits as fit were read before")));
                }
                '(' => waiting.push(sign),
                '-' if wants_operand => waiting.push(MINUS),
                ')' => {
                    let inside = std::iter::from_fn(|| waiting.pop().filter(|&operator| operator != '('));
                    steps.extend(inside.map(Step::Apply));
                }
                _ => {
                    // What stands before and binds as tightly comes first, but for powers.
                    let comes_first = |&mut before: &mut char| {
                        tightness(before) > tightness(sign) || before != '^' && tightness(before) == tightness(sign)
                    };
                    while let Some(before) = waiting.pop_if(comes_first) {
                        steps.push(Step::Apply(before));
                    }
                    waiting.push(sign);
                }
            }
            wants_operand = !matches!(sign, 'n' | '0'..='9' | ')');
        }
        steps.extend(waiting.into_iter().rev().map(Step::Apply));
        Reading { text, steps }
    }

    /// The positive integer that the move gives from `n`, if it does.
    pub fn leads(&self, n: u64) -> Option<u64> {
        let mut values = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            match step {
                Step::N => values.push(n.into()),
                Step::Number(number) => values.push(number),
                Step::Apply(operator) => apply(operator, &mut values)?,
            }
        }
        let value = values.pop().filter(|_| values.is_empty())?;
        u64::try_from(value).ok().filter(|&value| value > 0)
    }
}

/// The sign of a single number, which binds less tightly than a power.
const MINUS: char = '~';

fn tightness(operator: char) -> usize {
    ["(", "+-", "*/%", "~", "^"].iter().position(|level| level.contains(operator)).unwrap_or(0)
}

/// Takes the operands of an operator from the stack and puts the result there; `None` where there is none in 128 bits.
fn apply(operator: char, values: &mut Vec<i128>) -> Option<()> {
    let right = values.pop()?;
    if operator == MINUS {
        values.push(right.checked_neg()?);
        return Some(());
    }
    let left = values.pop()?;
    // Processors round toward zero: where the exact quotient is negative, one less is meant.
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

/// By squaring.
fn power(base: i128, exponent: i128) -> Option<i128> {
    match exponent {
        ..0 => None,
        0 => Some(1),
        _ if exponent % 2 == 1 => power(base, exponent - 1)?.checked_mul(base),
        _ => power(base, exponent / 2).and_then(|root| root.checked_mul(root)),
    }
}
