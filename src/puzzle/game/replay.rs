//! Where a move leads, by a second reading: straight from the text, with two stacks (Dijkstra's shunting yard). It shares neither
//! the parser nor the evaluation with the search.

/// The positive integer that the expression gives from `n`, if it does.
pub fn leads(text: &str, n: u64) -> Option<u64> {
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let (mut values, mut waiting): (Vec<i128>, Vec<char>) = (Vec::new(), Vec::new());
    let mut wants_operand = true;
    let mut at = 0;
    while at < signs.len() {
        let sign = signs[at];
        at += 1;
        match sign {
            'n' => values.push(n.into()),
            '0'..='9' => {
                let end =
                    signs[at..].iter().position(|sign| !sign.is_ascii_digit()).map_or(signs.len(), |end| at + end);
                values.push(signs[at - 1..end].iter().collect::<String>().parse().ok()?);
                at = end;
            }
            '(' => waiting.push(sign),
            '-' if wants_operand => waiting.push(MINUS),
            ')' => {
                while let Some(operator) = waiting.pop().filter(|&operator| operator != '(') {
                    apply(operator, &mut values)?;
                }
            }
            _ => {
                // What stands before and binds as tightly comes first, but for powers.
                while let Some(&before) = waiting.last()
                    && (tightness(before) > tightness(sign) || before != '^' && tightness(before) == tightness(sign))
                {
                    apply(before, &mut values)?;
                    waiting.pop();
                }
                waiting.push(sign);
            }
        }
        wants_operand = !matches!(sign, 'n' | '0'..='9' | ')');
    }
    while let Some(operator) = waiting.pop() {
        apply(operator, &mut values)?;
    }
    let value = values.pop().filter(|_| values.is_empty())?;
    u64::try_from(value).ok().filter(|&value| value > 0)
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
