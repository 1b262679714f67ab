//! Lists all trips of a small mine railway that end at the target, and the lever states that lead
//! to them.

use base::diagnostic::Failure;
use puzzle::Run;
use puzzle::job::Job;
use rail::Rail;

/// Three forks; the lever of the red ones sets both.
const MINE: &str = "
start(a). target(z). final_node(y).
color(a, red).  rel(a, 1, b). rel(a, 2, c).
color(b, blue). rel(b, 1, z). rel(b, 2, y).
color(c, red).  rel(c, 1, y). rel(c, 2, z).
";

fn main() -> Result<(), Failure> {
    let result = Run::new(Rail, Job::of(MINE).all_answers())?.solve()?;
    let network = result.board().network();
    for trip in result.answers() {
        println!("{} (configurations: {})", trip.title(network), trip.configurations(network));
    }
    print!("{}", result.text());
    Ok(())
}
