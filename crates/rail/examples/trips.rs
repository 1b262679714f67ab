//! Lists all trips of a small mine railway that end at the target, and the lever states that lead
//! to them.

use base::diagnostic::Failure;
use puzzle::Run;
use puzzle::job::Job;
use rail::Rail;

/// Two forks of one colour: their lever sets both.
const MINE: &str = "
start(a). target(z). final_node(y).
color(a, red). rel(a, 1, b). rel(a, 2, c).
color(c, red). rel(c, 1, y). rel(c, 2, z).
rel(b, 1, y).
";

fn main() -> Result<(), Failure> {
    let result = Run::new(Rail, Job::of(MINE).all_answers())?.solve()?;
    for trip in result.answers() {
        println!("{:?}: {} nodes, {}", trip.outcome, trip.nodes.len(), trip.title(result.board().network()));
    }
    print!("{}", result.text());
    Ok(())
}
