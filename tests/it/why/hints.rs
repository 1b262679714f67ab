//! Steps to a solution, and the propagation that they use.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use asp::{Order, Program, Settings, Solver, Symbol, to_text};
use base::diagnostic::Failure;
use base::document::Document;
use base::stop::CancelToken;
use explain::steps::{HintStep, NextStep, Round, StepSearch};
use explain::{Blame, RelaxedProgram, SolveOutcome};
use fastrand::Rng;
use ground::{GroundProgram, is_answer_set};
use pencil::board::GridBoard;
use prover::Assumptions;
use puzzle::About;

use crate::asp::answer_set_checker::random_program;
use crate::support::{extent, page_data, run, run_line, run_with_input};

fn program_of(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("program", text)], ..Program::default() }
}

/// Writes a file to the folder of the tests and returns its path.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hints_{name}"));
    std::fs::write(&path, text).expect("a writable folder");
    path.display().to_string()
}

fn grounded(text: &str) -> GroundProgram {
    let mut solver = Solver::new(&Settings::default(), &CancelToken::new()).expect("clingo starts");
    let ground = solver.control().observe().expect("an observer");
    solver.load(&program_of(text)).expect("a program");
    solver.ground(&[("base", &[])]).expect("a program that grounds");
    solver.solve(&[], |_| ControlFlow::Break(())).expect("clingo solves");
    std::mem::take(&mut *ground.lock())
}

#[test]
fn propagated_literals_hold_in_all_answer_sets_and_conflicts_refute_all_others() {
    let (mut implied, mut conflicts, mut totals) = (0, 0, 0);
    for seed in extent::seeds(400) {
        let random = &mut Rng::with_seed(seed);
        let mut text = random_program(random);
        if seed % 4 == 0 {
            text += "a; b; c :- not d. c; e :- f. f :- c, not g.";
        }
        let ground = grounded(&text);
        let used = |literal: &(i32, i32)| literal.0.unsigned_abs();
        let rules = ground.rules.iter();
        let last = rules.flat_map(|rule| rule.head.iter().copied().chain(rule.body.iter().map(used))).max();
        let last = last.unwrap_or(0) as i32;
        if last > 13 {
            continue;
        }
        let sets = (0..1_u32 << last).map(|set| set << 1);
        let answers: Vec<u32> =
            sets.clone().filter(|&set| is_answer_set(&ground, |atom| set >> atom & 1 > 0).is_ok()).collect();
        let holds = |set: u32, literal: i32| (set >> literal.unsigned_abs() & 1 > 0) == (literal > 0);
        let mut propagation = Assumptions::new(&ground);
        let mut check_state = |propagation: &Assumptions, assumed: &[i32], is_possible: bool| {
            let compatible = |assumed: &[i32]| -> Vec<u32> {
                answers.iter().copied().filter(|&set| assumed.iter().all(|&literal| holds(set, literal))).collect()
            };
            let left = compatible(assumed);
            if is_possible {
                for literal in (1..=last).flat_map(|atom| [atom, -atom]) {
                    if propagation.value(literal) == Some(true) {
                        assert!(
                            left.iter().all(|&set| holds(set, literal)),
                            "{seed}: {literal} of {assumed:?}\n{text}{ground:?}"
                        );
                        let causes = propagation.assumptions_implying(literal);
                        assert!(causes.iter().all(|cause| assumed.contains(cause)));
                        assert!(
                            compatible(&causes).iter().all(|&set| holds(set, literal)),
                            "{seed}: {literal} of {causes:?}\n{text}{ground:?}"
                        );
                        implied += 1;
                    }
                }
            } else {
                let causes = propagation.conflict_assumptions();
                assert!(causes.iter().all(|cause| assumed.contains(cause)), "{causes:?} of {assumed:?}");
                assert!(compatible(&causes).is_empty(), "{seed}: {causes:?} of {assumed:?}\n{text}{ground:?}");
                conflicts += 1;
            }
        };
        for _ in 0..60 {
            // Up to three levels of three assumptions, undone in reverse order.
            let mut assumed = Vec::new();
            let mut depth = 0;
            for _ in 0..random.u8(1..4) {
                let some = |_| random.i32(1..=last.max(1)) * if random.bool() { 1 } else { -1 };
                let more: Vec<i32> = (0..3).map(some).collect();
                assumed.extend(&more);
                depth += 1;
                let is_possible = propagation.assume(&more);
                check_state(&propagation, &assumed, is_possible);
                if !is_possible {
                    break;
                }
            }
            for _ in 0..depth {
                propagation.undo();
            }
        }
        if ground.rules.iter().any(|rule| rule.head.len() > 1 && !rule.is_choice) {
            continue;
        }
        for set in sets {
            let total: Vec<i32> = (1..=last).map(|atom| if set >> atom & 1 > 0 { atom } else { -atom }).collect();
            let is_possible = propagation.assume(&total);
            assert_eq!(is_possible, answers.contains(&set), "{seed}: {total:?}\n{text}{ground:?}");
            propagation.undo();
            totals += 1;
        }
    }
    extent::expect_counts([("implied", implied, 10_000), ("conflicts", conflicts, 1000), ("totals", totals, 10_000)]);
}

#[test]
fn a_trial_implies_the_same_literals_unless_a_neighbour_becomes_known() {
    let (mut same, mut others) = (0, 0);
    for seed in extent::seeds(400) {
        let random = &mut Rng::with_seed(seed);
        // Two programs, the second with cycles, and rules that sometimes connect them.
        let other = "0 { x(1..4) } 3. y(I) :- x(I), x(I+1). z(1) :- x(1). z(I+1) :- z(I), y(I). z(I) :- z(I+1), x(I).
            :- z(4), not x(2). u; v :- x(3). :- #sum { I,x : x(I); 2,u : u } > 7.";
        let join = if seed % 3 == 0 { ":- a, x(1). b :- z(2)." } else { "" };
        let ground = grounded(&format!("{}{other}{join}", random_program(random)));
        let last = ground.last_atom() as i32;
        let mut propagation = Assumptions::new(&ground);
        for _ in 0..100 {
            let mut some = || random.i32(1..=last) * if random.bool() { 1 } else { -1 };
            let [before, tried, new] = [some(), some(), some()];
            let trial = |propagation: &mut Assumptions| {
                let is_possible = propagation.assume(&[tried]);
                let mut given: Vec<u32> = propagation.assigned_by_level().collect();
                given.sort_unstable();
                propagation.undo();
                is_possible.then_some(given)
            };
            propagation.assume(&[before]);
            let footprint = trial(&mut propagation);
            let is_possible = propagation.assume(&[new]);
            if let Some(footprint) = footprint.filter(|_| is_possible) {
                let mut neighbourhood = BTreeSet::new();
                propagation.inference_neighbourhood(propagation.assigned_by_level(), |variable| {
                    neighbourhood.extend([variable])
                });
                let is_untouched = !footprint.iter().any(|variable| neighbourhood.contains(variable));
                let is_new = propagation.assigned_by_level().next().is_some();
                let is_same = trial(&mut propagation).as_ref() == Some(&footprint);
                assert!(!is_untouched || is_same, "{seed}: {before} {tried} {new}");
                same += usize::from(is_untouched && is_new && !footprint.is_empty());
                others += usize::from(!is_same);
            }
            propagation.undo();
            propagation.undo();
        }
    }
    extent::expect_counts([("same", same, 1000), ("others", others, 1000)]);
}

/// The programs of the included boards, with the names of their puzzles.
fn boards() -> Vec<(&'static str, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| Document::in_memory(path, std::fs::read_to_string(root.join(path)).expect("a file"));
    let abouts = asp_solve::builtin::registry().all().iter().map(|entry| entry.about());
    let puzzles = abouts
        .filter(|about| about.encodings.first().is_some_and(|encoding| encoding.files[0].path.starts_with("puzzles/")));
    let program = |about: About<'static>| {
        let written = GridBoard::read(&read(&format!("instances/{}.txt", about.name))).expect("a board");
        let files = about.encodings[0].files.iter().map(|file| read(&format!("asp/{}", file.path)));
        let instance = vec![Document::in_memory("board", written.facts())];
        (about.name, Program { instance, encoding: files.collect(), ..Program::default() })
    };
    puzzles.map(program).collect()
}

fn relaxed(program: &Program) -> RelaxedProgram {
    let relaxed =
        RelaxedProgram::new(&program.clone().into(), &[Blame::Constraints], &Settings::default(), &CancelToken::new());
    relaxed.expect("a program")
}

/// All steps of a program, and the final state.
fn steps_of(program: &Program) -> (Vec<HintStep>, NextStep) {
    let mut relaxed = relaxed(program);
    let stop = CancelToken::new();
    let mut steps = StepSearch::new(&mut relaxed, &stop).expect("steps");
    let mut found = Vec::new();
    loop {
        match steps.next_step().expect("a step") {
            NextStep::Step(step) => found.push(step),
            end => return (found, end),
        }
    }
}

/// All rounds of a program, and the final state.
fn rounds_of(program: &Program) -> (Vec<Round>, NextStep) {
    let mut relaxed = relaxed(program);
    let stop = CancelToken::new();
    let mut steps = StepSearch::new(&mut relaxed, &stop).expect("steps");
    let mut found = Vec::new();
    loop {
        match steps.next_round().expect("a round") {
            Ok(round) => found.push(round),
            Err(end) => return (found, end),
        }
    }
}

/// Checks with the solver alone that each step follows from the obvious parts, the earlier steps
/// and its reasons.
fn check(name: &str, program: &Program, steps: &[HintStep]) {
    let mut fresh = relaxed(program);
    let obvious: Vec<usize> = (0..fresh.len()).filter(|&part| fresh.is_obvious(part)).collect();
    let mut known = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        assert!(!step.conclusions.is_empty(), "{name}, step {number}: nothing follows");
        let enforced: Vec<usize> = obvious.iter().chain(&step.reasons).copied().collect();
        let literals: Vec<i32> = step
            .conclusions
            .iter()
            .map(|&(atom, holds)| fresh.literal(atom).expect("a known atom") * if holds { 1 } else { -1 })
            .collect();
        for literal in &literals {
            let assumed: Vec<i32> = known.iter().chain([&-literal]).copied().collect();
            let outcome = fresh.solve(&enforced, &assumed).expect("clingo solves");
            assert!(matches!(outcome, SolveOutcome::Unsatisfiable(_)), "{name}, step {number}: {step:?}");
        }
        known.extend(literals);
    }
}

#[test]
fn steps_solve_every_included_board_and_every_step_follows_from_its_reasons() {
    let mut checked = 0;
    for (name, program) in boards().into_iter().filter(|(name, _)| extent::includes(name)) {
        let (steps, end) = steps_of(&program);
        assert_eq!(end, NextStep::Solved, "{name}");
        check(name, &program, &steps);
        // The conclusions of all steps, with only the obvious parts enforced, leave one solution.
        let mut fresh = relaxed(&program);
        let all: Vec<usize> = (0..fresh.len()).collect();
        let conclusions: Vec<(Symbol, bool)> = steps.iter().flat_map(|step| step.conclusions.clone()).collect();
        let known: Vec<i32> = conclusions
            .iter()
            .filter_map(|&(atom, holds)| Some(fresh.literal(atom)? * if holds { 1 } else { -1 }))
            .collect();
        let obvious: Vec<usize> = all.iter().copied().filter(|&part| fresh.is_obvious(part)).collect();
        let (rest, whole) = (fresh.model(&obvious, &known), fresh.model(&all, &[]));
        let questions: Vec<Symbol> = fresh.query_atoms().iter().map(|(atom, _)| *atom).collect();
        let answer = |atoms: Result<Option<Vec<Symbol>>, Failure>| {
            let atoms = atoms.expect("clingo solves").expect("a solution");
            questions.iter().copied().filter(|atom| atoms.contains(atom)).collect::<Vec<_>>()
        };
        assert_eq!(answer(rest), answer(whole), "{name}");
        checked += 1;
    }
    let all = if extent::is_complete() { crate::support::pencil_puzzles() } else { extent::TYPES.len() };
    assert_eq!(checked, all);
}

/// A Sudoku for newspapers, which needs only naked and hidden singles.
const NEWSPAPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

#[test]
fn singles_are_steps_with_one_reason_and_suffice_for_a_newspaper_sudoku() {
    let rows: Vec<&str> = (0..9).map(|row| &NEWSPAPER[9 * row..9 * row + 9]).collect();
    let board = file("newspaper.txt", &format!("puzzle sudoku\n{}\n", rows.join("\n")));
    let json = run_line(&format!("hint --steps -f json {board}")).json();
    let steps = json["steps"].as_array().expect("steps");
    assert_eq!(json["verdict"], "solved");
    assert!((20..=51).contains(&steps.len()), "{}", steps.len());
    for step in steps {
        assert_eq!(step["size"], 1, "{step}");
        let follows = step["follows"][0].as_str().expect("an atom");
        assert!(follows.starts_with("number("), "{step}");
    }
    let hint = run_line(&format!("hint -f json {board}"));
    assert_eq!((hint.code, &hint.json()["steps"][0]), (0, &steps[0]), "the hint is the first step");
}

#[test]
fn the_verdict_states_why_steps_end() {
    let hint = |name: &str, text: &str| run_line(&format!("hint --steps -f json {}", file(name, text)));
    let two = hint("two.lp", "1 { a; b; c } 1. :- c. d :- a. #show d/0. #show c/0.");
    assert_eq!((two.code, &two.json()["verdict"]), (0, &serde_json::json!("open")), "{}", two.out);
    assert_eq!(two.json()["steps"].as_array().map(Vec::len), Some(1));
    assert_eq!(two.json()["steps"][0]["follows"], serde_json::json!(["not c"]));
    let none = hint("none.lp", "{ a }. :- a. :- not a.");
    assert_eq!((none.code, &none.json()["verdict"]), (1, &serde_json::json!("impossible")), "{}", none.out);
    let nothing = hint("nothing.lp", "{ a; b }.");
    assert_eq!((nothing.code, &nothing.json()["verdict"]), (1, &serde_json::json!("open")), "{}", nothing.out);
    let solved = hint("solved.lp", "a. b :- a.");
    assert_eq!((solved.code, &solved.json()["verdict"]), (1, &serde_json::json!("solved")), "{}", solved.out);
}

#[test]
fn the_smallest_reason_comes_first_and_case_analysis_finds_what_propagation_misses() {
    let (steps, end) = steps_of(&program_of(
        // One pigeon has no hole, which follows only from all constraints, and not by propagation.
        "{ in(P,H) : H = 1..2 } 1 :- P = 1..3. :- in(P,H), in(Q,H), P < Q. alone(P) :- P = 1..3, not in(P,_).
         :- #count { P : alone(P) } > 1. :- in(1,2). :- alone(2). :- alone(3), not in(1,1). #show alone/1.",
    ));
    let sizes: Vec<usize> = steps.iter().map(|step| step.reasons.len()).collect();
    assert_eq!(sizes.first(), Some(&1), "{steps:?}");
    assert!(!matches!(end, NextStep::Impossible | NextStep::Unknown(_)), "{end:?}");
}

#[test]
fn steps_of_random_programs_find_all_common_literals_of_their_answers() {
    let mut conclusions = 0;
    for seed in extent::seeds(200) {
        let text = random_program(&mut Rng::with_seed(seed));
        if text.contains("#sum") && seed % 2 == 0 {
            continue;
        }
        let program = program_of(&text);
        let mut answers: Vec<BTreeSet<String>> = Vec::new();
        let settings = Settings { models: Some(0), ..Settings::default() };
        let mut solver =
            Solver::with_program(&program, &settings, &CancelToken::new()).expect("a program that grounds");
        let solved = solver.solve(&[], |model| {
            answers.push(model.shown(Order::Sorted).expect("memory").map(to_text).collect());
            ControlFlow::Continue(())
        });
        solved.expect("clingo solves");
        let (steps, end) = steps_of(&program);
        check(&text, &program, &steps);
        let (rounds, rounded) = rounds_of(&program);
        assert_eq!((&rounded, rounds.is_empty()), (&end, steps.is_empty()), "{text}");
        if let (Some(round), Some(step)) = (rounds.first(), steps.first()) {
            assert!(round.size <= step.reasons.len() || !round.is_exact, "{round:?} {step:?}\n{text}");
        }
        if answers.is_empty() {
            assert_eq!(end, NextStep::Impossible, "{text}");
            continue;
        }
        let follows: Vec<(String, bool)> =
            steps.iter().flat_map(|step| &step.conclusions).map(|&(atom, holds)| (to_text(atom), holds)).collect();
        conclusions += follows.len();
        for (atom, holds) in follows {
            assert!(answers.iter().all(|answer| answer.contains(&atom) == holds), "{atom} {holds}\n{text}");
        }
        if let NextStep::Open(left) = end {
            let relaxed = relaxed(&program);
            let questions: Vec<String> = relaxed.query_atoms().iter().map(|(atom, _)| to_text(*atom)).collect();
            let differs = |atom: &&String| {
                answers.iter().any(|answer| answer.contains(*atom))
                    && answers.iter().any(|answer| !answer.contains(*atom))
            };
            assert_eq!(questions.iter().filter(differs).count(), left, "{text}");
        }
    }
    extent::expect_counts([("conclusions", conclusions, 20)]);
}

#[test]
fn puzzles_with_encodings_are_rated_by_their_steps() {
    let rated = run_line("rate instances/yinyang.txt -f json").json();
    let steps = run_line("hint --steps instances/yinyang.txt -f json").json();
    assert!(rated["rounds"].as_u64() <= steps["steps"].as_array().map(|steps| steps.len() as u64), "{rated}");
    let largest = steps["steps"].as_array().into_iter().flatten().filter_map(|step| step["size"].as_u64()).max();
    assert_eq!(rated["largest"].as_u64(), largest);
    let text = run_line("rate instances/kurodoko.txt");
    assert!(text.out.contains(" rounds: the hardest needs 1 reason, "), "{}", text.out);
    // A size that is a lower bound may exceed the largest size found.
    let text = run_with_input("rate -", "puzzle fillomino\n\n....4\n14...\n2.333\n..44.\n..44.\n").out;
    assert!(text.contains("at least 2 reasons\n") && text.contains("\n  8 steps of 3 reasons\n"), "{text}");
    assert!(text.contains(": the hardest needs at least 3 reasons, at least "), "{text}");
    assert_eq!(run_line("rate instances/sudoku.txt --most-trips 5").code, 2);
    assert_eq!(run_line("rate instances/taquin_near.txt").code, 2);
}

#[test]
fn a_hint_marks_its_cells_and_a_page_shows_all_steps() {
    let hint = run_line("hint instances/yinyang.txt");
    let steps = run_line("hint --steps instances/yinyang.txt -f json").json();
    let first = steps["steps"][0]["words"].as_str().expect("words");
    assert!(hint.out.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(first), "{first}\n{}", hint.out);
    assert!(hint.out.contains('»'), "{}", hint.out);
    let data = page_data(&run_line("hint --steps instances/yinyang.txt -f html").out);
    let number = steps["steps"].as_array().map(Vec::len);
    assert_eq!(data["pictures"][0]["captions"].as_array().map(Vec::len), number.map(|number| number + 1));
    assert_eq!(data["rows"].as_array().map(Vec::len), number);
}

/// The data of a page, and a function from a frame of its first picture to the marks, the lowest
/// first.
fn page_of(args: &str) -> (serde_json::Value, impl Fn(usize) -> Vec<String> + use<>) {
    let data = page_data(&run_line(args).out);
    let (picture, marks) = (data["pictures"][0].clone(), data["marks"].clone());
    let text = |mark: &serde_json::Value| mark.as_str().expect("a mark").to_owned();
    let shown = move |frame: usize| {
        let ground = picture["ground"].as_array().expect("a ground");
        let ground = ground
            .iter()
            .enumerate()
            .map(|(at, mark)| (2 * at + 1, text(&marks[mark.as_u64().expect("a number") as usize])));
        let movers = picture["movers"].as_array().expect("movers").iter();
        let there = movers.filter(|mover| mover[3].get(frame).is_none_or(|is_there| *is_there == true));
        let there = there.map(|mover| (2 * mover[4].as_u64().expect("a number") as usize, text(&mover[0])));
        let mut all: Vec<(usize, String)> = ground.chain(there).collect();
        all.sort_by_key(|(above, _)| *above);
        all.into_iter().map(|(_, mark)| mark).collect()
    };
    (data, shown)
}

#[test]
fn clues_are_drawn_above_cells_and_conclusions_only_after_their_steps() {
    // The colour of conclusions.
    let found = "#1f5fd0";
    for board in ["masyu", "sudoku", "hashi", "slither", "fillomino", "hitori"] {
        let (data, shown) = page_of(&format!("hint --steps instances/{board}.txt -f html"));
        let steps = data["rows"].as_array().map_or(0, Vec::len);
        assert_eq!((data["framesPerRow"].clone(), steps > 1), (1.into(), true), "{board}");
        for frame in [0, 1, steps / 2, steps] {
            let marks = shown(frame);
            let is_ground = |mark: &String| mark.contains("<path") && !mark.contains("stroke=") && !mark.contains("C");
            let last = marks.iter().rposition(is_ground).unwrap_or_else(|| panic!("{board}: no cells"));
            let first = marks.iter().position(|mark| !is_ground(mark)).unwrap_or_else(|| panic!("{board}: no sides"));
            assert!(last < first, "{board}, frame {frame}: {marks:#?}");
            let is_clue = |mark: &&String| mark.contains("<text") || mark.contains("C");
            assert!(marks.iter().filter(is_clue).count() > 5, "{board}, frame {frame}: {marks:#?}");
            // Borders between different clues are known at once.
            if frame == 0 && board != "fillomino" {
                assert!(!marks.iter().any(|mark| mark.contains(found)), "{board}: {marks:#?}");
            }
        }
        assert!(board == "hitori" || shown(steps).iter().any(|mark| mark.contains(found)), "{board}");
    }
    let (data, shown) = page_of("hint --steps instances/minesweeper.txt -f html");
    let steps = data["rows"].as_array().map_or(0, Vec::len);
    let known = |frame: usize| shown(frame).iter().filter(|mark| mark.contains('✓') || mark.contains('✹')).count();
    assert!(steps > 1 && known(0) == 0 && known(1) > 0 && known(steps) > known(1), "{data}");
}

#[test]
fn a_reason_without_words_is_printed_as_a_violated_constraint() {
    let folder = crate::support::folder();
    let path = crate::support::file(folder.path(), "sum.lp", "1 { p(1..3) } 1. :- not p(2), not p(3). :- p(3).");
    let text = run(["hint", "--steps", path.to_str().expect("UTF-8")]).out;
    assert!(text.contains("Otherwise this constraint would be violated: :- "), "{text}");
}

/// "row 2, columns 1 to 3" and "the only values left … are 7 and 9", not a list of single cells and
/// values.
#[test]
fn conclusions_for_several_cells_or_values_are_one_sentence() {
    let kakuro = run_line("hint --steps instances/kakuro.txt").out;
    assert!(kakuro.contains("he only values left for "), "{kakuro}");
    let mut several = 0;
    for board in ["kakuro", "sudoku", "nurikabe", "ripple", "heyawake"] {
        let json = run_line(&format!("hint --steps instances/{board}.txt -f json")).json();
        for step in json["steps"].as_array().expect("steps") {
            let words = step["words"].as_str().expect("words");
            let conclusion = words.split(". ").next().unwrap_or_default();
            // All excluded values of a cell are in one clause.
            let denials = conclusion.split("; ").filter_map(|clause| clause.split_once(" cannot be "));
            let cells: Vec<&str> = denials.map(|(cells, _)| cells).collect();
            let distinct: BTreeSet<&str> = cells.iter().copied().collect();
            assert_eq!(distinct.len(), cells.len(), "{board}: {words}");
            several += usize::from(conclusion.contains("columns ") || conclusion.contains("rows "));
        }
    }
    assert!(several > 3, "{several}");
}

/// Cells are marked even if the conclusion has no drawing, such as an excluded value.
#[test]
fn the_cells_of_a_step_and_of_its_reason_are_marked() {
    let excluded = run_line("hint instances/kakuro.txt").out;
    assert!(
        excluded.starts_with("Row 2, columns 3 and 4 cannot be 1, 2 or 6.") && excluded.contains('»'),
        "{excluded}"
    );
    // The sum has the place of its clue.
    assert!(excluded.contains("from the sum at row 2, column 2") && excluded.contains("›23\\12‹"), "{excluded}");
    // A number outside of the board is not in column 0.
    let outside = run_line("hint instances/tilepaint.txt").out;
    assert!(outside.contains("from the left of row 6 would not be 1"), "{outside}");
    let reasons = run_line("hint instances/heyawake.txt").out;
    assert!(reasons.contains('»') && reasons.contains('›'), "{reasons}");
}

#[test]
fn a_hint_for_a_plan_is_its_next_move_or_states_that_there_is_none() {
    for (board, words) in [
        ("taquin_near.txt", "to go; no solution is shorter."),
        ("amphipod.txt", "This enables: "),
        ("game_42.json", "to go; no way is shorter."),
        ("deponia.lp", "the trolley wins."),
    ] {
        let ran = run_line(&format!("hint instances/{board}"));
        assert!(ran.code == 0 && ran.out.contains(words), "{board}: {}{}", ran.out, ran.err);
        let json = run_line(&format!("hint instances/{board} -f json")).json();
        assert_eq!((&json["verdict"], json["steps"].as_array().map(Vec::len)), (&"step".into(), Some(1)), "{board}");
    }
    let all = run_line("hint --steps instances/taquin_near.txt");
    assert!(all.code == 0 && all.out.ends_with("Solved: 2 moves.\n"), "{}", all.out);
    for board in ["taquin_impossible.txt", "game_unreachable.json"] {
        let ran = run_line(&format!("hint instances/{board}"));
        assert!(ran.code == 1 && ran.out.contains("It was unreachable from the beginning."), "{board}: {}", ran.out);
    }
}

/// Replays the hints for a board by the rules of the game, and returns how many moves they say to be
/// enabled. Each of them is forbidden before the step and allowed after it.
fn enabled_moves<B: Clone + std::fmt::Debug>(
    text: &str,
    mut board: B,
    allows: impl Fn(&B, &str) -> bool,
    make: impl Fn(&mut B, &str, &str),
) -> usize {
    let ran = run_with_input("hint - --steps -f json", text);
    let mut enabled = 0;
    for step in ran.json()["steps"].as_array().expect("steps") {
        let words = step["words"].as_str().expect("words");
        let (action, _) = words.split_once(": ").expect("a move");
        assert!(allows(&board, action), "{words}: {board:?}");
        let before = board.clone();
        make(&mut board, action, step["follows"][0].as_str().expect("a name"));
        if let Some((_, later)) = words.split_once("This enables: ") {
            let later = later.trim_end_matches('.');
            assert!(!allows(&before, later) && allows(&board, later), "{words}: {before:?}");
            enabled += 1;
        }
    }
    enabled
}

/// Rows of tiles; 0 is the blank.
type Tiles = [[u8; 3]; 3];

/// The cell of the tile that "3 goes up" names, if it is next to the blank in that direction.
fn slide(tiles: &Tiles, words: &str) -> Option<[usize; 2]> {
    let (tile, direction) = words.split_once(" goes ")?;
    let (down, right) = match direction {
        "up" => (-1, 0),
        "down" => (1, 0),
        "left" => (0, -1),
        _ => (0, 1),
    };
    let mut cells = (0..3).flat_map(|row| (0..3).map(move |column| [row, column]));
    let [row, column] = cells.find(|&[row, column]| tiles[row][column].to_string() == tile)?;
    let to = tiles.get(row.checked_add_signed(down)?)?.get(column.checked_add_signed(right)?)?;
    (*to == 0).then_some([row, column])
}

/// Rows of cells: the hallway, then the levels of the rooms; 0 is free.
type Cells = [[u8; 11]; 3];

/// True if an amphipod can make the move "D goes to room D level 1, for 3000" by the rules of the
/// task.
fn walks(cells: &Cells, words: &str) -> bool {
    let (action, energy) = words.split_once(", for ").expect("an energy");
    let (who, to) = action.split_once(" goes to ").expect("a place");
    let kind = usize::from(who.as_bytes()[0] - b'A');
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let to = match to.split_once(" level ") {
        Some((room, level)) => [number(level), 2 + 2 * usize::from(room.as_bytes()[5] - b'A')],
        None => [0, number(to.trim_start_matches("hallway ")) - 1],
    };
    let is_free = |row: usize, column: usize| cells[row][column] == 0;
    let home = 2 + 2 * kind;
    let is_allowed = match to {
        [0, column] => ![2, 4, 6, 8].contains(&column),
        [level, column] => {
            let is_own = |row: usize| cells[row][column] == who.as_bytes()[0];
            column == home && (1..=2).all(|row| is_own(row) || is_free(row, column)) && (level + 1..=2).all(is_own)
        }
    };
    let from = (0..3).flat_map(|row| (0..11).map(move |column| [row, column]));
    is_allowed
        && from.filter(|&[row, column]| cells[row][column] == who.as_bytes()[0]).any(|[row, column]| {
            let steps = row + column.abs_diff(to[1]) + to[0];
            let hall = column.min(to[1])..=column.max(to[1]);
            column != to[1]
                && (row > 0 || to[0] > 0)
                && number(energy) == steps * 10_usize.pow(kind as u32)
                && (0..row).all(|above| is_free(above, column))
                && hall.filter(|&at| [row, column] != [0, at]).all(|at| is_free(0, at))
                && (0..=to[0]).all(|level| is_free(level, to[1]))
        })
}

#[test]
fn a_hint_says_that_a_step_enables_a_move_only_if_it_does() {
    let mut rng = extent::random();
    let mut enabled = [0, 0];
    for _ in 0..extent::sample_size(12) {
        let mut tiles: Tiles = [[1, 2, 3], [4, 5, 6], [7, 8, 0]];
        for _ in 0..60 {
            let mut cells = (0..9).map(|cell| [cell / 3, cell % 3]);
            let [row, column] = cells.find(|&[row, column]| tiles[row][column] == 0).expect("a blank");
            let (to, across) = match rng.u8(..4) {
                0 => (row.saturating_sub(1), column),
                1 => ((row + 1).min(2), column),
                2 => (row, column.saturating_sub(1)),
                _ => (row, (column + 1).min(2)),
            };
            (tiles[row][column], tiles[to][across]) = (tiles[to][across], 0);
        }
        let text: String = tiles.iter().map(|[a, b, c]| format!("{a} {b} {c}\n")).collect();
        let make = |tiles: &mut Tiles, words: &str, _: &str| {
            let [row, column] = slide(tiles, words).expect("a legal move");
            let tile = std::mem::take(&mut tiles[row][column]);
            // The old blank is the other 0.
            let mut blank = (0..9).map(|cell| [cell / 3, cell % 3]);
            let is_blank = |&[at, across]: &[usize; 2]| [at, across] != [row, column] && tiles[at][across] == 0;
            let [to, across] = blank.find(is_blank).expect("a blank");
            tiles[to][across] = tile;
        };
        enabled[0] += enabled_moves(&text, tiles, |tiles, words| slide(tiles, words).is_some(), make);
        let mut kinds = *b"AABBCCDD";
        rng.shuffle(&mut kinds);
        let mut cells: Cells = [[0; 11], [b'#'; 11], [b'#'; 11]];
        for (index, kind) in kinds.into_iter().enumerate() {
            cells[1 + index / 4][2 + 2 * (index % 4)] = kind;
        }
        let [a, b, c, d, e, f, g, h] = kinds.map(char::from);
        let text = format!("#############\n#...........#\n###{a}#{b}#{c}#{d}###\n  #{e}#{f}#{g}#{h}#\n  #########\n");
        let make = |cells: &mut Cells, _: &str, name: &str| {
            let numbers: Vec<usize> =
                name.split(|c: char| !c.is_ascii_digit()).filter_map(|text| text.parse().ok()).collect();
            let [row, column, to, across] = numbers[..] else { panic!("{name}") };
            cells[to][across] = std::mem::take(&mut cells[row][column]);
        };
        enabled[1] += enabled_moves(&text, cells, walks, make);
    }
    assert!(enabled[1] > 3, "{enabled:?}");
}

/// The page of moves plays them: each has its frames, its sentence as the caption, and a row.
#[test]
fn pages_and_pictures_of_moves_play_them() {
    for (board, frames) in [("wolf", 1), ("amphipod", 2), ("taquin_near", 1)] {
        let text = run_line(&format!("hint --steps instances/{board}.txt")).out;
        let (data, _) = page_of(&format!("hint --steps instances/{board}.txt -f html"));
        let rows = data["rows"].as_array().expect("rows");
        let captions = data["pictures"][0]["captions"].as_array().expect("captions");
        assert_eq!((rows.len(), captions.len()), (text.lines().count() - 1, 1 + rows.len() * frames), "{board}");
        for (number, line) in text.lines().take(rows.len()).enumerate() {
            assert_eq!(captions[(number + 1) * frames], line, "{board}");
            assert!(line.ends_with(rows[number][1][1].as_str().expect("words")), "{board}: {line}");
        }
        let movers = data["pictures"][0]["movers"].as_array().expect("movers");
        assert!(
            movers.iter().any(|mover| mover[1].as_array().is_some_and(|places| places.len() > 1)
                || mover[3].as_array().is_some_and(|shown| shown.len() > 1)),
            "{board}: nothing moves"
        );
        // A single hint shows the board after the move, below it the sentence.
        let [picture, all] =
            ["", "--steps"].map(|steps| run_line(&format!("hint {steps} instances/{board}.txt -f svg")).out);
        assert!(!picture.contains("<animate") && all.contains("<animate"), "{board}");
        let words = run_line(&format!("hint instances/{board}.txt")).out;
        let first = words.split_whitespace().next().expect("a word");
        assert!(picture.contains("class=\"caption\"") && picture.contains(first), "{board}: {picture}");
        let (single, _) = page_of(&format!("hint instances/{board}.txt -f html"));
        assert_eq!(single["pictures"][0]["captions"].as_array().map(Vec::len), Some(1 + frames), "{board}");
        // Nothing is left to say below the page of a single hint.
        assert!(!run_line(&format!("hint instances/{board}.txt -f html")).out.contains("In words"), "{board}");
    }
}

#[test]
fn the_picture_of_a_hint_has_the_step_and_the_cells_of_its_reason() {
    for (board, puzzle) in [("instances/kurodoko.txt", "kurodoko"), ("instances/mines.txt", "mines")] {
        let picture = |options: &str| run_line(&format!("hint {board} -f svg {options}"));
        let first = picture("");
        let all = picture("--steps");
        assert_eq!((first.code, all.code), (0, 0), "{puzzle}: {}{}", first.err, all.err);
        assert_eq!([&first, &all].map(|ran| ran.out.matches("<svg").count()), [1, 1], "{puzzle}");
        let words = run_line(&format!("hint {board}")).out;
        // The caption has both sentences, in lines.
        let picture = roxmltree::Document::parse(&first.out).expect("SVG");
        let caption = picture.descendants().find(|element| element.attribute("class") == Some("caption"));
        let lines = caption.expect("a caption").descendants().filter(|node| node.is_text());
        let caption: Vec<&str> = lines.filter_map(|line| line.text()).collect();
        let (caption, words) = (caption.join(" "), words.split_whitespace().collect::<Vec<_>>().join(" "));
        for sentence in words.split('.').take(2) {
            assert!(caption.contains(sentence.trim()), "{sentence} is not below {puzzle}: {caption}");
        }
        // The grounds of the step's cells and of its reasons, without an animation.
        assert!(
            first.out.contains("#ffe9a8") && first.out.contains("#dbe8fb") && !first.out.contains("<animate"),
            "{puzzle}"
        );
        assert!(all.out.contains("<animate"), "{puzzle}");
    }
    // The first step of this board is a naked single. Numbers in cells around it exclude the others.
    let single = run_line("hint instances/sudoku.txt -f svg").out;
    let grounds = single.lines().find(|line| line.contains("#dbe8fb")).expect("cells of the reason");
    assert!(grounds.matches('M').count() >= 6, "{grounds}");
    // The marks of pencil in the cells of a step: those that it excludes are red and struck out.
    let steps = run_line("hint instances/sudoku.txt -f svg --steps").out;
    assert!(steps.contains("#c0271d") && steps.contains("fill=\"#555f6e\""));
    // A coloured cell has a rim: a black cell with a number, and a cell that the step shades.
    for (board, rim) in [("akari", "#3f7fd6"), ("tapa", "#e09f00")] {
        let picture = run_line(&format!("hint instances/{board}.txt -f svg"));
        assert!(picture.code == 0 && picture.out.contains(rim), "{board}: {}", picture.err);
    }
    let ran = run_with_input("hint - -f svg", "mines 1\n1?\n1?\n11\n");
    assert_eq!((ran.code, ran.out.matches("<svg").count()), (0, 1), "{}{}", ran.out, ran.err);
}
