//! Grounds a program, prints its answers as they are found, and checks each against the definition
//! of an answer set.

use std::ops::ControlFlow;

use asp::{Order, Program, Settings, Solver, to_text};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;

const QUEENS: &str = "
{ queen(R, 1..n) } = 1 :- R = 1..n.
:- queen(R, C), queen(Q, C), R < Q.
:- queen(R, C), queen(Q, D), R < Q, |C-D| = Q-R.
";

fn main() -> Result<(), Failure> {
    let program = Program::of([Document::in_memory("queens.lp", QUEENS)]);
    let constants = vec![("n".to_owned(), "6".to_owned())];
    let settings = Settings { constants, models: Some(0), check: true, ..Settings::default() };
    let mut solver = Solver::with_program(&program, &settings, &CancelToken::new())?;
    let mut unreadable = None;
    let outcome = solver.solve(&[], |model| match model.shown(Order::Sorted) {
        Ok(atoms) => {
            println!("{}", atoms.map(to_text).collect::<Vec<_>>().join(" "));
            ControlFlow::Continue(())
        }
        Err(error) => {
            unreadable = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = unreadable {
        return Err(error.into());
    }
    let checked = solver.check().map_or(0, |check| check.passed());
    println!("{checked} answers checked; all found: {}", outcome.result.exhausted);
    Ok(())
}
