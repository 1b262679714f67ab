//! Solves a game that is described by JSON, and a board of a game that is a logic program.

use base::diagnostic::Failure;
use games::game::Game;
use games::planning::PlanningGame;
use pencil::{Catalogue, GAMES_FOLDER};
use puzzle::job::Job;
use puzzle::{Describe, Run};

fn main() -> Result<(), Failure> {
    let doubling = r#"{"start": 1, "moves": ["2*n", "n+1"], "goal": [42]}"#;
    print!("{}", Run::new(Game, Job::of(doubling))?.solve()?.text());

    let jugs = Catalogue::builtin().in_folder(GAMES_FOLDER).find(|game| game.name() == "jugs");
    let jugs = PlanningGame(jugs.expect("a built-in game"));
    print!("{}", Run::new(jugs, Job::of("puzzle jugs\ncapacity 5, 3\ntarget 4, ."))?.solve()?.text());
    Ok(())
}
