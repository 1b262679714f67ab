//! Runs the unit tests of an encoding, then changes its statements one by one to see which changes
//! the tests miss.

use asp::{Program, Settings};
use author::mutants::mutants_of;
use author::tests::Suite;
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;

const COLORING: &str = "
{ color(N, (red; green)) } = 1 :- node(N).
:- edge(N, M), color(N, C), color(M, C).

#program test_neighbours_differ(base).
node(1..2). edge(1, 2).
cannot(\"the same colour\") :- color(1, C), color(2, C).

#program test_two_colours_suffice_for_a_path(base).
node(1..3). edge(1, 2). edge(2, 3).
assert(@models(2)).
";

fn main() -> Result<(), Failure> {
    let (settings, stop) = (Settings::default(), CancelToken::new());
    let suite = Suite::of(&Program::of([Document::in_memory("coloring.lp", COLORING)]))?;
    let all: Vec<usize> = (0..suite.tests().len()).collect();
    for &test in &all {
        let outcome = suite.run(test, &settings, &stop)?;
        println!("{}: {:?} {}", suite.tests()[test].name, outcome.verdict, outcome.words);
    }
    for mutant in mutants_of(&suite, |_| true)? {
        println!("{}: {:?}", mutant.words(), mutant.run_tests(&suite, &all, &settings, &stop));
    }
    Ok(())
}
