//! Tests drawings that logic programs of the project derive from their answers.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use asp::{Program, Settings, Solver, StepLimits, StopResult, Symbol, solve_steps};
use base::document::Document;
use base::stop::CancelToken;
use base::style::Style;
use drawing::{Drawing, DrawingRules};

/// Returns the atoms of the last answer for files of the project and a text.
fn atoms_of(files: &str, text: &str) -> Vec<Symbol> {
    let board = [Document::in_memory("board", text)];
    let program = Program { instance: files.split(' ').map(on_disk).chain(board).collect(), ..Program::default() };
    let mut atoms: Vec<Symbol> = Vec::new();
    let mut found = |model: &mut asp::Model<'_>| {
        atoms = model.atoms().expect("clingo has enough memory").collect();
        ControlFlow::Break(())
    };
    let stop = CancelToken::new();
    if files.contains("sliding") {
        let mut solver = Solver::new(&Settings::default(), &stop).expect("a solver");
        solver.load(&program).expect("the program parses");
        let steps = StepLimits { min_steps: 0, max_steps: Some(20), stop_result: StopResult::Satisfiable };
        solve_steps(&mut solver, &steps, &stop, |_| (), found).expect("the search succeeds");
    } else {
        let mut solver = Solver::with_program(&program, &Settings::default(), &stop).expect("the program grounds");
        solver.solve(&[], &mut found).expect("the search succeeds");
    }
    atoms
}

fn on_disk(name: &str) -> Document {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    Document::in_memory(name, std::fs::read_to_string(root.join(name)).expect("a text"))
}

/// Returns the drawing that a program derives from the atoms of an answer.
fn derive_drawing(file: &str, atoms: &[Symbol]) -> Drawing {
    let rules = DrawingRules { documents: &[on_disk(file)], constants: &[] };
    let derived = rules.derive(atoms, &CancelToken::new()).expect("the program grounds");
    drawing_without_warnings(&derived.atoms.expect("an answer set"), file)
}

/// Returns the drawing of the last answer for files of the project and a text.
fn drawing_of_answer(files: &str, text: &str) -> Drawing {
    drawing_without_warnings(&atoms_of(files, text), files)
}

fn drawing_without_warnings(atoms: &[Symbol], source: &str) -> Drawing {
    let (drawing, warnings) = Drawing::of(atoms, source).expect("the atoms are valid");
    assert!(warnings.is_empty(), "{warnings:?}");
    drawing
}

#[test]
fn queens_are_drawn_on_a_chessboard() {
    let grid = drawing_of_answer("instances/queens.lp", "").grid().expect("a grid");
    let queens = grid.iter().map(|row| row.iter().flatten().filter(|text| *text == "♛").count());
    assert_eq!(queens.collect::<Vec<_>>(), [1; 6]);
}

#[test]
fn variants_of_minesweeper_are_drawn_with_their_mines() {
    for variant in ["torus", "knight", "king", "hexagons"] {
        let files = format!("asp/minesweeper/layout.lp asp/minesweeper/{variant}.lp");
        let atoms = atoms_of(&files, "cell(1..5,1..5). number(3,3,1). flag(1,1). mines(2).");
        let grid = derive_drawing("asp/minesweeper/drawing.lp", &atoms).grid().expect("a grid");
        let signs = |sign: &str| grid.iter().flatten().flatten().filter(|text| *text == sign).count();
        assert_eq!((signs("⚑"), signs("✱"), signs("1")), (1, 1, 1), "{variant}");
    }
}

#[test]
fn a_taquin_is_drawn_move_by_move() {
    let board = "tile(1,1,1). tile(2,2,1). free(1,2). tile(3,2,2). goal(1,1,1). goal(2,1,2). goal(3,2,1).";
    let board = board.replace("goal(2,1,2). goal(3,2,1).", "goal(3,1,2). goal(2,2,2).");
    let drawing = derive_drawing("asp/taquin/drawing.lp", &atoms_of("asp/taquin/sliding.lp", &board));
    let text = drawing.text(&Style::default());
    let expected = ["│ 1 │   │", "start", "│ 1 │ 3 │", "move 1", "move 2"];
    let mut rest = text.as_str();
    for line in expected {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line} is not in {text}"));
        rest = &rest[at..];
    }
    let parts = drawing.picture("", &CancelToken::new()).parts();
    assert!(parts.movers.iter().any(|(_, places, ..)| places.iter().any(|place| *place != places[0])));
}

#[test]
fn a_railway_is_drawn_with_the_trip_of_an_answer() {
    let program = "asp/rail/dynamic_gate.lp asp/rail/railway.lp instances/deponia.lp";
    let atoms = atoms_of(program, ":- not game(win,_).");
    let graph = derive_drawing("asp/rail/drawing.lp", &atoms).graph("").expect("a graph");
    assert_eq!((graph.nodes.len(), graph.arcs.len()), (28, 52));
    let steps: BTreeSet<&str> =
        graph.arcs.iter().map(|arc| arc.badge.as_str()).filter(|badge| !badge.is_empty()).collect();
    assert!(steps.len() >= 4 && graph.arcs.iter().all(|arc| !arc.has_no_head), "{steps:?}");
}
