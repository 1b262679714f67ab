//! Option values shared by several tools.

use std::str::FromStr;

/// An inclusive range; `None` for no bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Range<T> {
    pub least: Option<T>,
    pub most: Option<T>,
}

impl<T: PartialOrd> Range<T> {
    pub fn contains(&self, value: &T) -> bool {
        self.least.as_ref().is_none_or(|least| least <= value) && self.most.as_ref().is_none_or(|most| value <= most)
    }
}

/// Parses `4`, `1..5`, `..5` or `1..`.
pub fn range<T: FromStr + Clone + PartialOrd>(text: &str) -> Result<Range<T>, String> {
    let number = |text: &str| match text.trim_start_matches('=') {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| "expected a number or MIN..MAX, for example 1..5".to_owned()),
    };
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let range = Range { least: number(least)?, most: number(most)? };
    match (&range.least, &range.most) {
        (None, None) => Err("expected a number or MIN..MAX, for example 1..5".to_owned()),
        (Some(least), Some(most)) if least > most => Err(format!("{text} is empty: the first number is larger")),
        _ => Ok(range),
    }
}

/// Parses columns and rows, `30x16`, or the side of a square, `9`.
pub fn size(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once(['x', 'X', '×']).or(Some((text, text)));
    let number = |part: &str| part.parse().ok().filter(|&number: &usize| number > 0);
    parts
        .and_then(|(columns, rows)| number(columns).zip(number(rows)))
        .ok_or("expected columns x rows, for example 30x16, or 9 for 9x9".to_owned())
}
