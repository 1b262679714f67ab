//! Solves a sliding-tile puzzle and a burrow of amphipods optimally.

use base::diagnostic::Failure;
use paths::amphipod::Amphipod;
use paths::taquin::Taquin;
use puzzle::Run;
use puzzle::job::Job;

fn main() -> Result<(), Failure> {
    let tiles = Run::new(Taquin, Job::of("8 6 7\n2 5 4\n3 . 1"))?.solve()?;
    println!("{} moves: {}", tiles.answers()[0].0.len(), tiles.board().letters(&tiles.answers()[0].0));

    let burrow = Run::new(Amphipod, Job::of("..(10).(23).(12).(30).."))?.solve()?;
    println!("energy {}, proven: {}", burrow.board().energy(&burrow.answers()[0]), burrow.complete());
    Ok(())
}
