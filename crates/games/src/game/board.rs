//! A parsed game, and its JSON file.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::{Document, Notation};
use base::syntax;
use puzzle::json;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::expression::{Expression, ParseError};
use super::replay::PostfixMove;

/// A parsed game: all numbers are positive, and every move is an expression in n.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    pub start: u64,
    pub moves: Arc<[Expression]>,
    /// The same moves, parsed independently for the replay.
    pub postfix_moves: Arc<[PostfixMove]>,
    /// In ascending order.
    pub goals: Arc<[u64]>,
}

/// Boards of one game differ only in `start`.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.start.hash(state);
    }
}

/// The JSON file of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameFile<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    /// A single value or a list.
    #[serde(borrow)]
    moves: &'a RawValue,
    /// A single value or a list.
    #[serde(borrow)]
    goal: &'a RawValue,
}

impl Board {
    pub fn parse(document: &Document) -> Result<Board, Failure> {
        if document.notation() != Notation::Json && syntax::looks_like_a_program(&document.text) {
            let text = format!("{}: a logic program; the puzzle `game` is a game on numbers, in JSON", document.name);
            let help = "a game that is a logic program needs no --puzzle";
            return Err(Diagnostic::error(Code::InvalidInstance, text).help(help).into());
        }
        let file: GameFile<'_> = json::read(document)?;
        let positive = |value: &RawValue| match json::value::<u64>(value) {
            Some(number @ 1..) => Ok(number),
            _ => Err(json::error_at_value(document, format!("expected a positive integer, found `{value}`"), value)),
        };
        let start = positive(file.start)?;
        let mut goals = json::one_or_many(file.goal).into_iter().map(positive).collect::<Result<Vec<u64>, _>>()?;
        if goals.is_empty() {
            return Err(json::error_at_value(document, "expected at least one goal, found none".to_owned(), file.goal));
        }
        let parse = |value: &RawValue| {
            let text: String = json::value(value).ok_or_else(|| {
                json::error_at_value(document, format!("expected a move such as \"2*n\", found `{value}`"), value)
            })?;
            let expression = Expression::parse(&text).map_err(|ParseError { what, at }| {
                let all = json::range(document, value);
                // Without escapes, the text appears verbatim between its quotes.
                let is_verbatim = all.len() == text.len() + 2;
                let range = if is_verbatim { all.start + 1 + at.start..all.start + 1 + at.end } else { all };
                json::error_at(document, format!("the move {text}: {what}"), range)
            })?;
            Ok((expression, PostfixMove::new(text)))
        };
        let moves = json::one_or_many(file.moves).into_iter().map(parse).collect::<Result<Vec<_>, Failure>>()?;
        let (moves, postfix_moves): (Vec<Expression>, Vec<PostfixMove>) = moves.into_iter().unzip();
        goals.sort_unstable();
        goals.dedup();
        Ok(Board { start, moves: moves.into(), postfix_moves: postfix_moves.into(), goals: goals.into() })
    }
}
