//! Prints the probability of a mine for each closed cell of a position.

use base::diagnostic::Failure;
use minesweeper::Minesweeper;
use puzzle::Run;
use puzzle::job::Job;

fn main() -> Result<(), Failure> {
    let result = Run::new(Minesweeper, Job::of("mines 3\n1???\n12??\n.1??"))?.solve()?;
    let board = result.board();
    for row in 0..3 {
        let cell = |column| board.cell(row, column).and_then(|cell| result.answers()[0].probabilities[cell]);
        let words: Vec<String> =
            (0..4).map(|column| cell(column).map_or("    -".to_owned(), |share| format!("{share:5.2}"))).collect();
        println!("{}", words.join(" "));
    }
    print!("{}", result.text());
    Ok(())
}
