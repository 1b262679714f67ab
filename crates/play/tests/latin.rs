//! Tests the game of a logic program: a Latin square is won by its solutions, and each mistake is
//! found.

use std::collections::HashSet;

use asp::{Program, Settings};
use base::diagnostic::{Code, Failure};
use base::document::Document;
use base::stop::CancelToken;
use explain::ExplainInput;
use play::{Game, GameState, GameView, PlayQuery, of_program};

/// The program of the example.
const LATIN: &str = include_str!("../examples/latin.lp");

fn game_of(text: &str) -> Result<Box<dyn Game>, Failure> {
    let source = ExplainInput::from(Program::of([Document::in_memory("latin.lp", text)]));
    of_program(&source, "A Latin square", &Settings::default(), &CancelToken::new())
}

fn view(game: &mut dyn Game, moves: &[String], query: PlayQuery) -> GameView {
    game.view_after(moves, query).unwrap_or_else(|failure| panic!("{moves:?}: {failure}"))
}

/// Returns the moves that set the numbers of the places, in their order.
fn moves_to(view: &GameView, numbers: [usize; 4]) -> Vec<String> {
    assert_eq!(view.places.len(), 4);
    let option = |(place, number): (&play::Place, usize)| place.options[number - 1].name.clone();
    view.places.iter().zip(numbers).map(option).collect()
}

#[test]
fn exactly_the_solutions_win() {
    let mut game = game_of(LATIN).expect("a game");
    let start = view(&mut *game, &[], PlayQuery::Nothing);
    assert_eq!(start.state, GameState::Open);
    let numbers = (0..16).map(|number| [0, 1, 2, 3].map(|place| (number >> place & 1) + 1));
    for numbers in numbers {
        let moves = moves_to(&start, numbers);
        assert_eq!(moves.iter().collect::<HashSet<_>>().len(), 4);
        let is_solution = numbers == [1, 2, 2, 1] || numbers == [2, 1, 1, 2];
        let state = view(&mut *game, &moves, PlayQuery::Nothing).state;
        assert_eq!(state == GameState::Won, is_solution, "{numbers:?}: {state:?}");
        let before = view(&mut *game, &moves[..3], PlayQuery::Nothing).state;
        assert_eq!(before, GameState::Open, "{numbers:?}");
    }
}

#[test]
fn a_mistake_is_marked_with_its_reason() {
    let mut game = game_of(LATIN).expect("a game");
    let start = view(&mut *game, &[], PlayQuery::Nothing);
    let moves = moves_to(&start, [1, 1, 2, 2]);
    let found = view(&mut *game, &moves[..2], PlayQuery::Mistake);
    let explanation = found.explanation.expect("a reason");
    assert!(explanation.contains("row 1 has 1 twice"), "{explanation}");
    assert!(!found.marked.is_empty());
    let right = view(&mut *game, &moves[..1], PlayQuery::Mistake);
    assert!(right.marked.is_empty() && right.words.ends_with("No mistake."), "{}", right.words);
}

#[test]
fn hints_lead_from_any_first_move_to_a_solution() {
    let mut game = game_of(LATIN).expect("a game");
    let start = view(&mut *game, &[], PlayQuery::Nothing);
    for first in start.places.iter().flat_map(|place| &place.options) {
        let mut moves = vec![first.name.clone()];
        while view(&mut *game, &moves, PlayQuery::Nothing).state != GameState::Won {
            let hint = view(&mut *game, &moves, PlayQuery::Hint);
            assert!(!hint.moves.is_empty() && moves.len() < 9, "{moves:?}: {:?}", hint.explanation);
            moves.extend(hint.moves.into_iter().map(|step| step.name));
        }
    }
}

#[test]
fn unknown_moves_and_programs_without_a_drawing_are_errors() {
    let mut game = game_of(LATIN).expect("a game");
    let Failure(errors) =
        game.view_after(&["number(3,1,1)".to_owned()], PlayQuery::Nothing).map(drop).expect_err("no such place");
    assert_eq!(errors[0].code, Code::UnknownName);
    let Failure(errors) = game_of("{ a }. #show a/0.").map(drop).expect_err("nothing is drawn");
    assert_eq!(errors[0].code, Code::InvalidInstance);
}
