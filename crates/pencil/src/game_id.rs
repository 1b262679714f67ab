//! Game ids of sgt-puzzles, Simon Tatham's Portable Puzzle Collection: columns x rows, parameters,
//! a colon, and the board.
//!
//! ```text
//!   Game  loopy t0: number10               7x7t0:01e10a2a3d012b2h33b2b22a2a3a22a3
//!   Game  tents: runs("T"), decimals of around(top, left)
//!   Game  solo j: decimal, comma, fences   5j:e2a1a3a4a1a4a2a5e,ac_a___b__bad_b___bc
//!   Game  solo: blocks, decimal; x: variant diagonal; k: comma, cages
//! ```
//!
//! An id does not name its game. If the header has a parameter after the game's name, an id must
//! contain this parameter, which distinguishes kinds of boards. The steps are as in a link (see
//! [`steps`](super::steps)). The header of a variant may have a line `Game` too, for ids with the
//! parameter of the variant. Parts after semicolons are for parameters that an id may have: further
//! steps, or a variant that the parameter selects.
//!
//! An id whose parameters occur in no other game, such as `t0` or `k`, needs no name of a puzzle.
//!
//! A save file contains the id of its board (see [`puzzle::saved`]).

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;

use super::board::{Clue, GridBoard, SpanError, check_size, failure};
use super::cursor::Cursor;
use super::lines::{only_line, unescaped_characters};
use super::steps::Steps;

/// The format of a puzzle's game ids, from its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameIdFormat {
    pub name: String,
    parameter: String,
    steps: Steps,
    optional: Vec<OptionalParameter>,
}

/// A parameter that an id may have, and what it adds to the board.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OptionalParameter {
    letter: String,
    adds: Addition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Addition {
    Variant(String),
    Steps(Steps),
}

impl OptionalParameter {
    fn parse(text: &str) -> Result<OptionalParameter, String> {
        let (letter, words) = text.split_once(':').ok_or("expected a parameter and a colon after the semicolon")?;
        let adds = match words.trim().strip_prefix("variant ") {
            Some(name) => Addition::Variant(name.trim().to_owned()),
            None => Addition::Steps(Steps::parse(words)?),
        };
        Ok(OptionalParameter { letter: letter.trim().to_owned(), adds })
    }

    /// Returns true if the board has what the parameter adds.
    fn is_on(&self, board: &GridBoard) -> bool {
        match &self.adds {
            Addition::Variant(name) => board.header.contains(&variant_line(name)),
            Addition::Steps(steps) => steps.have_lines(board),
        }
    }
}

fn variant_line(name: &str) -> (String, Vec<Clue>) {
    ("variant".to_owned(), vec![Clue::text(name)])
}

/// The parameters of each game that describe the generation of a board and do not change the rules.
/// All games also have `d`, the difficulty.
const COSMETIC_PARAMETERS: [(&str, &str); 6] =
    [("lightup", "bsr"), ("bridges", "ie"), ("pearl", "n"), ("rect", "ea"), ("singles", "k"), ("solo", "rma")];

/// Returns true if a text looks like a game id.
pub fn looks_like(text: &str) -> bool {
    let Some(line) = only_line(text) else { return false };
    let Some((size, _)) = line.text.split_once(':') else { return false };
    let is_number = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
    // The ids of square boards have a single size, and many separators.
    let is_square = || is_number(size) && size.len() <= 4 && line.text.matches(['/', ',']).count() > 3;
    // The ids of jigsaw boards have the letter `j`, and their areas after a comma.
    let has_areas = || {
        let body = &line.text[size.len() + 1..];
        let is_body_character =
            |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || matches!(sign, b',' | b'_');
        is_number(size)
            && size.trim_start_matches(|sign: char| sign.is_ascii_digit()).starts_with('j')
            && body.contains(',')
            && body.bytes().all(is_body_character)
    };
    has_areas()
        || size.split_once('x').map_or_else(is_square, |(columns, rest)| {
            columns.bytes().all(|digit| digit.is_ascii_digit()) && is_number(columns) && is_number(rest)
        })
}

/// Returns an error if a text is a size and a random seed: `9x9db#123456789`. `name` is the name of
/// the document.
pub fn explain_seed(name: &str, text: &str) -> Option<Diagnostic> {
    let line = only_line(text)?;
    let (parameters, seed) = line.text.trim().split_once('#')?;
    let is_size = parameters.starts_with(|first: char| first.is_ascii_digit())
        && parameters.bytes().all(|sign| sign.is_ascii_alphanumeric() || sign == b'.');
    let is_seed = seed.len() > 3 && seed.bytes().all(|digit| digit.is_ascii_digit());
    (is_size && is_seed).then(|| {
        let text = format!("{name}: a random seed of sgt-puzzles, from which only the game itself makes a board");
        let help = "the game's menu shows the id of the board, `Game > Specific…`, which has a colon after the size (in Mines, after the first click)";
        Diagnostic::error(Code::InvalidLink, text).help(help)
    })
}

impl GameIdFormat {
    /// Returns true if `name` is the name of the game in a paragraph `Game`, or `rectangles` for
    /// `rect`. If `name` has parameters, as in `palisade:5x5n4`, they must contain that of the
    /// paragraph.
    pub fn has_alias(paragraph: &str, name: &str) -> bool {
        let mut words = paragraph.split(':').next().unwrap_or_default().split(' ');
        let (game, parameter) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (name, parameters) = name.split_once(':').unwrap_or((name, parameter));
        (name == game || game == "rect" && name == "rectangles") && parameters.contains(parameter)
    }

    /// Parses the paragraph `Game` of a header.
    pub fn parse(text: &str) -> Result<GameIdFormat, String> {
        let (name, steps) = text.split_once(':').ok_or("expected a colon: `game parameter: steps`")?;
        let mut words = name.split_whitespace().map(str::to_owned);
        let name = words.next().ok_or("expected a game before the colon")?;
        let mut parts = steps.split(';');
        let steps = Steps::parse(parts.next().unwrap_or_default())?;
        let optional = parts.map(OptionalParameter::parse).collect::<Result<_, _>>()?;
        Ok(GameIdFormat { name, parameter: words.next().unwrap_or_default(), steps, optional })
    }

    /// Returns true if the parameters of the id `text` distinguish the game from all others, and
    /// the id is readable.
    pub fn recognises(&self, text: &str) -> bool {
        let has_own_parameter = || {
            let parameters = text.trim_start().split(':').next().unwrap_or_default();
            let parameters = parameters.trim_start_matches(|sign: char| sign.is_ascii_digit());
            let after_rows = parameters.strip_prefix('x').map(|rest| {
                let rest = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
                if rest.len() + 1 == parameters.len() { parameters } else { rest }
            });
            let parameters = after_rows.unwrap_or(parameters);
            !self.parameter.is_empty() && parameters.contains(&self.parameter)
                || self.optional.iter().any(|optional| parameters.starts_with(&optional.letter))
        };
        looks_like(text) && has_own_parameter() && self.read(&Document::in_memory("", text)).is_ok()
    }

    /// Returns true if the format has a parameter and the id `text` contains it.
    pub fn has_parameter_of(&self, text: &str) -> bool {
        !self.parameter.is_empty() && text.split(':').next().is_some_and(|found| found.contains(&self.parameter))
    }

    pub fn looks_like(&self, text: &str) -> bool {
        looks_like(text) && text.split(':').next().is_some_and(|parameters| parameters.contains(&self.parameter))
    }

    pub fn read(&self, document: &Document) -> Result<GridBoard, Failure> {
        let line = only_line(&document.text).ok_or_else(|| {
            let what = format!("expected a game id of {}: columns x rows {}:…", self.name, self.parameter);
            failure(document, (what, 0..0))
        })?;
        let characters = unescaped_characters(line);
        self.board(Cursor { characters: &characters, at: 0 }).map_err(|wrong| failure(document, wrong))
    }

    fn board(&self, mut text: Cursor<'_>) -> Result<GridBoard, SpanError> {
        let columns = text.decimal()?;
        let has_rows =
            text.peek() == Some('x') && text.characters.get(text.at + 1).is_some_and(|next| next.1.is_ascii_digit());
        let rows = if has_rows && text.skip('x') { text.decimal()? } else { columns };
        // The size of a board with areas is that of its blocks if it has two numbers.
        let is_product = has_rows && self.steps.has_one_size();
        let (rows, columns) =
            if is_product { (columns.saturating_mul(rows), columns.saturating_mul(rows)) } else { (rows, columns) };
        check_size(rows, columns).map_err(|what| text.wrong(0, &format!("begins {what}")))?;
        let begin = text.at;
        let rest = text.characters[begin..].iter().map(|entry| entry.1);
        let parameters: String = rest.take_while(|&character| character != ':').collect();
        if !parameters.contains(&self.parameter) {
            let (position, range) = text.expected(begin, &format!("`{}`", self.parameter));
            return Err((format!("{position}; other boards of {} are not supported", self.name), range));
        }
        let place_of = |other: &str| parameters.split_once(other).map(|(before, _)| begin + before.chars().count());
        let other = self.steps.unsupported.iter().find_map(|(other, rules)| Some((place_of(other)?, other, rules)));
        if let Some((at, other, rules)) = other {
            return Err(text.wrong(at, &format!("begins the parameter `{other}`, which selects other rules: {rules}")));
        }
        let cosmetic =
            COSMETIC_PARAMETERS.iter().find(|(game, _)| *game == self.name).map_or("", |(_, letters)| letters);
        let is_on = |optional: &&OptionalParameter| parameters.contains(&optional.letter);
        let is_known = |letter: char| {
            letter == 'd'
                || self.parameter.contains(letter)
                || cosmetic.contains(letter)
                || self.optional.iter().any(|optional| optional.letter.contains(letter))
        };
        let mut letters = parameters.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter.is_ascii_digit() || letter == '.' {
                continue;
            }
            if !is_known(letter) {
                let at = begin + parameters[..at].chars().count();
                return Err(text.wrong(at, &format!("begins a parameter that {} does not have", self.name)));
            }
            // Skip the letter of the difficulty.
            if letter == 'd' {
                letters.next();
            }
        }
        text.at = begin + parameters.chars().count() + 1;
        let mut board = GridBoard::of_size(rows, columns);
        self.steps.read(&mut text, &mut board)?;
        for optional in self.optional.iter().filter(is_on) {
            match &optional.adds {
                Addition::Variant(name) => _ = board.header.insert(variant_line(name)),
                Addition::Steps(steps) => steps.read(&mut text, &mut board)?,
            }
        }
        match text.peek() {
            Some(_) => Err(text.wrong(text.at, "comes after the last place of the board")),
            None => Ok(board),
        }
    }

    pub fn write(&self, board: &GridBoard) -> Result<String, Failure> {
        let wrong = |what: String| {
            let text = format!("{what}: game ids of {} cannot express that", self.name);
            Failure::from(Diagnostic::error(Code::InvalidLink, text))
        };
        let ((rows, columns), mut body) = self.steps.write(board).map_err(wrong)?;
        let mut parameters = self.parameter.clone();
        for optional in self.optional.iter().filter(|optional| optional.is_on(board)) {
            parameters.push_str(&optional.letter);
            if let Addition::Steps(steps) = &optional.adds {
                // The signs are in the first part of the body.
                let without_signs = GridBoard { signs: Default::default(), ..board.clone() };
                body += &steps.write(&without_signs).map_err(wrong)?.1;
            }
        }
        let size = if self.steps.has_one_size() { rows.to_string() } else { format!("{columns}x{rows}") };
        Ok(format!("{size}{parameters}:{body}"))
    }
}
