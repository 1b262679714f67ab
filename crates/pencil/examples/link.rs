//! Reads a board of slitherlink from an address of puzz.link, solves it, and proves that there is
//! one solution.

use base::diagnostic::Failure;
use pencil::LogicPuzzle;
use puzzle::Run;
use puzzle::job::Job;

fn main() -> Result<(), Failure> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "https://puzz.link/p?slither/4/4/dgdh2c71".to_owned());
    let kind = pencil::link::link_type(&address).unwrap_or("slither");
    let result = Run::new(LogicPuzzle::named(kind)?, Job::of(&address).unique())?.solve()?;
    print!("{}", result.text());
    println!("solutions: {:?}", result.unique());
    Ok(())
}
