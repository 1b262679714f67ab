//! Recognition of the document that defines a game.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::document::Document;
use base::syntax;
use pencil::{Catalogue, LogicPuzzle};
use puzzle::{InputTexts, Recognition, Role};

use super::{PlanningGame, read};

/// Recognises the declaration of a game, which may be in included texts.
pub fn recognise_game(catalogue: &Catalogue, texts: InputTexts<'_>) -> Option<Recognition> {
    let game = LogicPuzzle::from_document(pencil::GAMES_FOLDER, find_game(texts)?, catalogue);
    let roles = vec![Role::Instance; texts.documents.len()];
    Some(Recognition { entry: Arc::new(PlanningGame(game)), roles, is_guessed: false })
}

/// Returns the document that defines a game, if the programs among `documents` and their includes
/// derive the atoms of a game and do not refer to steps. Other requirements of a game are checked
/// when it is read.
///
/// Rules that have a start and a goal but lack moves or effects count as a broken game, unless
/// another rule uses the start or the goal.
fn find_game(texts: InputTexts<'_>) -> Option<&Document> {
    let InputTexts { documents, encodings, included } = texts;
    const START: [&str; 2] = ["init", "start"];
    const GOAL: [&str; 2] = ["goal", "goal_not"];
    fn heads(program: &Document) -> impl Iterator<Item = (&str, usize)> {
        syntax::statements(&program.text).into_iter().filter_map(|statement| statement.head)
    }
    let programs = || documents.iter().chain(included).filter(|document| pencil::is_program(document));
    if !programs().any(|program| syntax::uses_any(&program.text, &["move", "adds", "removes"])) {
        return None;
    }
    let all: BTreeSet<(&str, usize)> = programs().flat_map(heads).collect();
    let derives = |names: &[&str], arities: &[usize]| {
        all.iter().any(|(name, arity)| names.contains(name) && arities.contains(arity))
    };
    // A program that refers to steps is not a game.
    let in_steps = |text: &str| {
        let arguments_of = |token: syntax::Token<'_>| syntax::arguments(&text[token.end()..]).0;
        syntax::tokens(text).any(|token| token.text == "#program" || token.text == "holds" && arguments_of(token) > 1)
    };
    let is_played = derives(&["occurs"], &[1, 2]) || derives(&["holds"], &[1]);
    let (has_moves, has_effects) = (derives(&["move"], &[1]), derives(&["adds", "removes"], &[2, 3]));
    let (has_start, has_goal) = (derives(&START, &[1]), derives(&GOAL, &[1]));
    // A game's moves have exactly one argument.
    let has_other_moves = !has_moves && all.iter().any(|(name, _)| *name == "move");
    let is_game = match (has_moves, has_effects) {
        (true, true) => has_start || has_goal || derives(&["needs", "forbids"], &[2]),
        (false, false) => false,
        // A program that reads the start and the goal may play the game by itself.
        _ => {
            let names = [START, GOAL].concat();
            has_start
                && has_goal
                && !has_other_moves
                && !programs().chain(encodings).any(|program| uses_outside_games(&program.text, &names))
        }
    };
    if !is_game || is_played || programs().any(|program| in_steps(&program.text)) {
        return None;
    }
    let has_moves = |document: &&Document| heads(document).any(|head| head == ("move", 1));
    documents.iter().find(has_moves).or_else(|| documents.iter().find(|document| pencil::is_program(document)))
}

/// Returns true if a statement uses one of the predicates `names` to derive an atom that is not
/// part of a game.
fn uses_outside_games(text: &str, names: &[&str]) -> bool {
    syntax::statements(text).into_iter().any(|statement| {
        let words: Vec<&str> = syntax::words(&text[statement.range]).collect();
        let is_of_game = statement.head.is_some_and(|head| read::PREDICATES.contains(&head))
            || words.first().is_some_and(|word| *word == "#defined");
        !is_of_game && words.iter().any(|word| names.contains(word))
    })
}
