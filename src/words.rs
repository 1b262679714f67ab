//! Numbers, errors of the system, and texts of others in sentences.

use std::io;

/// "2 rows and 3 columns"
pub fn size(rows: usize, columns: usize) -> String {
    format!("{} and {}", count(rows as u64, "row", "rows"), count(columns as u64, "column", "columns"))
}

/// "1,872": with the thousands set apart.
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 move", "1,872 moves".
pub fn count(number: impl ToString, one: &str, many: &str) -> String {
    let number = thousands(number);
    let what = if number == "1" { one } else { many };
    format!("{number} {what}")
}

/// Why a file cannot be read or written.
pub fn why(kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        other => other.to_string(),
    }
}

/// Control characters as their pictures: what comes from an input must not steer a terminal, and XML has none.
pub fn shown(text: &str) -> String {
    let picture = |sign: char| match sign {
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(sign)).unwrap_or(' '),
        '\u{7f}' => '\u{2421}',
        other => other,
    };
    text.chars().map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural_and_thousands_are_set_apart() {
        let counted = [0_u64, 1, 999, 1000, 1_234_567].map(|number| count(number, "move", "moves"));
        assert_eq!(counted, ["0 moves", "1 move", "999 moves", "1,000 moves", "1,234,567 moves"]);
    }
}
