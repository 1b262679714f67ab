//! Plays a logic program that draws its answers: two moves, of which the second is a mistake.

use asp::{Program, Settings};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use explain::ExplainInput;
use play::{PlayQuery, of_program};

const LATIN: &str = include_str!("latin.lp");

fn main() -> Result<(), Failure> {
    let source = ExplainInput::from(Program::of([Document::in_memory("latin.lp", LATIN)]));
    let mut game = of_program(&source, "A Latin square", &Settings::default(), &CancelToken::new())?;
    let mut moves = Vec::new();
    // The first option of the first place, and the same of the next.
    for place in 0..2 {
        let view = game.view_after(&moves, PlayQuery::Nothing)?;
        let chosen = &view.places[place].options[0];
        println!("{} Set {}.", view.words, chosen.words);
        moves.push(chosen.name.clone());
    }
    let view = game.view_after(&moves, PlayQuery::Mistake)?;
    println!("{} {}", view.words, view.explanation.unwrap_or_default());
    Ok(())
}
