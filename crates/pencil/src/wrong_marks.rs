//! Wrong marks of a player: those that differ from the only solution of the board without marks.

use std::ops::ControlFlow;

use asp::{Settings, Symbol, signature_of};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use explain::{Part, PartKind};
use puzzle::UnsolvableCause;

use super::board::{ClueLocation, GridBoard};

/// The predicate of the marks that differ from the solution, by their number.
const WRONG: &str = "__asp_solve_wrong_mark";

/// Returns the wrong marks of a board, which is part of `program`, or `None` if the board without marks does not have exactly one
/// solution. `settings` are those of the search with marks.
pub(super) fn wrong_marks(
    grid: &GridBoard,
    program: &asp::Program,
    settings: &Settings,
    stop: &CancelToken,
) -> Result<Option<UnsolvableCause>, Failure> {
    if grid.player_marks.is_empty() {
        return Ok(None);
    }
    let mut program = program.clone();
    let plain = grid.facts();
    let Some(document) = program.instance.iter_mut().find(|document| *document.text == *plain) else {
        return Ok(None);
    };
    let unmarked = GridBoard { player_marks: Default::default(), ..grid.clone() };
    let tests = (0..).zip(grid.player_marks.values());
    let tests = tests.map(|(number, mark)| format!("{WRONG}({number}) :- {}.\n", GridBoard::contrary(mark)));
    *document = Document::in_memory(document.name.clone(), unmarked.facts() + &tests.collect::<String>());
    let settings = Settings { models: Some(2), ..settings.clone() };
    let mut solver = asp::Solver::with_program(&program, &settings, stop)?;
    let mut found = Vec::new();
    let solved = solver.solve(&[], |model| {
        let atoms: Result<Vec<Symbol>, _> = model.atoms().map(Iterator::collect);
        found.push(atoms);
        ControlFlow::Continue(())
    })?;
    let [atoms] = &mut found[..] else { return Ok(None) };
    if !solved.result.exhausted {
        return Ok(None);
    }
    let atoms = std::mem::replace(atoms, Ok(Vec::new()))?;
    let numbers = atoms.into_iter().filter(|atom| signature_of(*atom) == Some((WRONG, 1)));
    let numbers = numbers.filter_map(|atom| atom.arguments().ok()?.first()?.number().ok());
    let cells: Vec<&Vec<usize>> = grid.player_marks.keys().collect();
    let mut numbers: Vec<usize> = numbers.filter_map(|number| usize::try_from(number).ok()).collect();
    numbers.sort_unstable();
    let part = |number: &usize| {
        let cells = cells.get(*number)?;
        let words = format!("{} is wrong", grid.describe(&ClueLocation::Mark((*cells).clone())));
        let text = format!("player_mark({})", cells.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
        Some(Part::new(PartKind::Fact, text, words))
    };
    let parts: Vec<Part> = numbers.iter().filter_map(part).collect();
    let is_smallest = parts.len() == 1;
    Ok((!parts.is_empty()).then_some(UnsolvableCause { parts, is_smallest }))
}
