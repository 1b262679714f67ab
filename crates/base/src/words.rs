//! Formatting helpers: numbers, I/O errors, untrusted text.

use std::io;

/// Formats a size: "2 rows and 3 columns".
pub fn size(rows: usize, columns: usize) -> String {
    format!("{} and {}", count(rows as u64, "row", "rows"), count(columns as u64, "column", "columns"))
}

/// Formats a number with thousands separators: "1,872".
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

/// Formats a count: "1 move", "1,872 moves".
pub fn count(number: impl ToString, singular: &str, plural: &str) -> String {
    let number = thousands(number);
    let what = if number == "1" { singular } else { plural };
    format!("{number} {what}")
}

/// Returns " (did you mean sudoku?)" if a known name is similar, else an empty text.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, known).map_or(String::new(), |known| format!(" (did you mean {known}?)"))
}

/// Returns the known name of which `name` is most probably a misspelling.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let distance = |known: &&str| strsim::damerau_levenshtein(known, name);
    // Few misspellings change the first letter.
    let max_distance =
        |known: &str| 3.min(if known.chars().next() == name.chars().next() { length / 2 } else { length / 3 });
    let is_similar = |known: &&str| {
        let max_distance = max_distance(known);
        // clap's criterion for its own suggestions.
        let may_be_similar = known.chars().count().abs_diff(length) <= max_distance && strsim::jaro(known, name) > 0.7;
        may_be_similar && distance(known) <= max_distance
    };
    let similar = known.into_iter().filter(is_similar);
    similar.min_by_key(distance).filter(|known| *known != name)
}

/// Reduces a name to lower-case letters and digits: `Star Battle` becomes `starbattle`.
pub fn normalised(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// Describes an I/O error.
pub fn io_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        _ if is_in_use(error) => "another program has it open".to_owned(),
        other => other.to_string(),
    }
}

/// Returns true if Windows refused to open a file because another program has it open.
fn is_in_use(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    const ERROR_LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && matches!(error.raw_os_error(), Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION))
}

/// Shortens a text to about 20 bytes.
pub fn preview(text: &str) -> String {
    const LENGTH: usize = 20;
    let end = text.floor_char_boundary(LENGTH);
    format!("{}{}", &text[..end], if end < text.len() { "…" } else { "" })
}

/// Truncates a line to `width` characters, at the end of a word.
pub fn truncate_words(line: &str, width: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(width).and_then(|_| line.char_indices().nth(width - 1)) else {
        return line.to_owned();
    };
    let words = line[..end].rfind(' ').map_or(&line[..end], |end| &line[..end]);
    format!("{}…", words.trim_end_matches([' ', ',', ';', ':']))
}

/// Capitalizes the first letter of a sentence, unless the first word contains a digit, a sign or a
/// capital: such a word is a name.
pub fn capitalized(text: &str) -> String {
    let word = text.split([' ', ',', '.', ':']).next().unwrap_or_default();
    let is_plain = word.chars().all(|letter| letter.is_lowercase() || letter == '-');
    let mut letters = text.chars();
    match letters.next().filter(|_| is_plain) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => text.to_owned(),
    }
}

/// Replaces control characters by visible symbols: untrusted text must not control the terminal,
/// and XML does not allow them.
pub fn sanitize(text: &str) -> String {
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
    fn misspelt_names_have_suggestions() {
        let near = |name| did_you_mean(name, ["sudoku", "shikaku", "country", "lits"]);
        assert_eq!(
            ["soduko", "sudokku", "lit"].map(near),
            ["sudoku", "sudoku", "lits"].map(|known| format!(" (did you mean {known}?)"))
        );
        assert_eq!(["nosuchtype", "sudoku", "li", "", "steam"].map(near), [""; 5]);
        assert_eq!(
            ["akira", "foobar"].map(|name| did_you_mean(name, ["akari", "lookair"])),
            [" (did you mean akari?)", ""]
        );
        assert_eq!(did_you_mean("bliks", ["lits", "blocks"]), " (did you mean blocks?)");
    }

    #[test]
    fn a_long_line_ends_after_a_word() {
        assert_eq!(truncate_words("a loop, and more", 16), "a loop, and more");
        assert_eq!(truncate_words("a loop, and more", 15), "a loop, and…");
        assert_eq!(truncate_words("a loop, and more", 9), "a loop…");
    }

    #[test]
    fn counts_have_plurals_and_thousands_separators() {
        let counted = [0_u64, 1, 999, 1000, 1_234_567].map(|number| count(number, "move", "moves"));
        assert_eq!(counted, ["0 moves", "1 move", "999 moves", "1,000 moves", "1,234,567 moves"]);
    }
}
