//! Tests the driver's features, including those that no puzzle uses yet.

use std::ops::ControlFlow;

use asp::{Order, Program, Settings, Solver, StepLimits, Symbol, function, number, to_text};
use base::diagnostic::Severity;
use base::document::Document;
use base::stop::{CancelToken, Canceller, StopReason};
use ground::Truth;

use crate::support::process::PATIENCE;

fn program(text: &str) -> Program {
    Program { instance: vec![Document::in_memory("text", text)], ..Program::default() }
}

fn all_models() -> Settings {
    Settings { models: Some(0), ..Settings::default() }
}

fn solver(text: &str, settings: &Settings) -> Solver {
    Solver::with_program(&program(text), settings, &CancelToken::new()).expect("the program grounds")
}

/// Returns each answer as sorted text.
fn sorted_answers(solver: &mut Solver, assumptions: &[(Symbol, bool)]) -> Vec<String> {
    let mut found = Vec::new();
    solver
        .solve(assumptions, |model| {
            let atoms: Vec<String> = model.shown(Order::Sorted).expect("a model").map(to_text).collect();
            found.push(atoms.join(" "));
            ControlFlow::Continue(())
        })
        .expect("the program is solved");
    found.sort();
    found
}

fn atom(name: &str) -> Symbol {
    function(name, &[]).expect("a name")
}

#[test]
fn a_million_answers_are_streamed() {
    let mut solver = solver("{ a(1..20) }.", &all_models());
    let mut count = 0_u64;
    let solved = solver
        .solve(&[], |_| {
            count += 1;
            ControlFlow::Continue(())
        })
        .expect("the program is solved");
    assert_eq!(count, 1 << 20);
    assert!(solved.result.exhausted);
}

#[test]
fn a_callback_can_stop_the_search() {
    let mut solver = solver("{ a(1..20) }.", &all_models());
    let mut count = 0;
    let solved = solver
        .solve(&[], |_| {
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("the program is solved");
    assert_eq!(count, 3);
    assert!(!solved.result.exhausted);
}

#[test]
fn facts_can_be_added_without_text_or_messages() {
    let facts: Vec<Symbol> = (0..1000).map(|index| function("n", &[number(index)]).expect("a name")).collect();
    let encoding = Document::in_memory("encoding", "m(X) :- n(X), X < 3. #show m/1.");
    let program = Program { facts, encoding: vec![encoding], ..Program::default() };
    let mut solver = Solver::with_program(&program, &all_models(), &CancelToken::new()).expect("the program grounds");
    assert_eq!(sorted_answers(&mut solver, &[]), ["m(0) m(1) m(2)"]);
    assert!(solver.messages().is_empty(), "{:?}", solver.messages());
}

#[test]
fn assumptions_hold_for_one_search_and_conflicts_yield_a_core() {
    let mut solver = solver("{ a; b; c }. :- a, b.", &all_models());
    assert_eq!(sorted_answers(&mut solver, &[(atom("a"), true), (atom("c"), false)]), ["a"]);
    assert_eq!(sorted_answers(&mut solver, &[]).len(), 6);
    let solved = solver
        .solve(&[(atom("c"), true), (atom("a"), true), (atom("b"), true)], |_| ControlFlow::Continue(()))
        .expect("solved");
    assert!(solved.result.unsatisfiable);
    let core: Vec<String> = solved.core.into_iter().map(to_text).collect();
    assert!(core.contains(&"a".to_owned()) && core.contains(&"b".to_owned()), "{core:?}");
    let unknown = solver.solve(&[(atom("nowhere"), true)], |_| ControlFlow::Continue(())).expect("solved");
    assert!(unknown.result.unsatisfiable);
}

#[test]
fn externals_are_set_and_released() {
    let mut solver = solver("#external e. a :- e. b :- not e.", &all_models());
    assert_eq!(sorted_answers(&mut solver, &[]), ["b"]);
    solver.control().assign_external(atom("e"), Truth::True).expect("an external");
    assert_eq!(sorted_answers(&mut solver, &[]), ["a e"]);
    solver.control().release_external(atom("e")).expect("an external");
    assert_eq!(sorted_answers(&mut solver, &[]), ["b"]);
}

#[test]
fn parts_are_grounded_separately() {
    let text = "p(0). #program step(t). p(t) :- p(t-1). #program check(t). goal(t) :- p(t), query(t), t >= 3. #program base. #show goal/1.";
    let mut solver = Solver::new(&all_models(), &CancelToken::new()).expect("a solver");
    solver.load(&program(text)).expect("the program parses");
    let steps = StepLimits { min_steps: 0, max_steps: Some(6), stop_result: asp::StopResult::Unknown };
    let mut goals = Vec::new();
    let (_, count) = asp::solve_steps(
        &mut solver,
        &steps,
        &CancelToken::new(),
        |_| {},
        |model| {
            goals.extend(model.shown(Order::Sorted).expect("a model").map(to_text));
            ControlFlow::Continue(())
        },
    )
    .expect("the steps are solved");
    assert_eq!((goals.join(" ").as_str(), count), ("goal(3) goal(4) goal(5)", 6));
}

#[test]
fn an_interrupted_step_is_not_reported_as_unsatisfiable() {
    // Refuting twelve pigeons in eleven holes takes long; earlier steps take no time.
    let text = "#program check(t). :- query(t), t < 3. {at(P,H) : H = 1..11} = 1 :- P = 1..12, t = 3, query(t).
        :- at(P,H), at(Q,H), P < Q, t = 3, query(t).";
    let canceller = Canceller::new();
    let stop = canceller.token();
    let mut solver = Solver::new(&all_models(), &stop).expect("a solver");
    solver.load(&program(text)).expect("the program parses");
    let steps = StepLimits { min_steps: 0, max_steps: Some(6), stop_result: asp::StopResult::Satisfiable };
    let begin = |step| {
        if step == 3 {
            canceller.request(StopReason::TimeLimit);
        }
    };
    let (solved, count) = asp::solve_steps(&mut solver, &steps, &stop, begin, |_| ControlFlow::Continue(()))
        .expect("cancelling is not an error");
    assert_eq!((count, solved.unsat_steps.count()), (4, 3));
}

#[test]
fn projection_consequences_and_optimisation_are_options() {
    let settings = |option: &str| Settings { options: vec![option.to_owned()], ..all_models() };
    assert_eq!(sorted_answers(&mut solver("{ a; b }. #show a/0.", &settings("--project=show")), &[]).len(), 2);
    assert_eq!(
        sorted_answers(&mut solver("1 { a; b } 1. c.", &settings("--enum-mode=cautious")), &[])
            .last()
            .map(String::as_str),
        Some("c")
    );
    let mut optimum = solver("{ a; b }. :- not a, not b. #minimize { 2 : a; 1 : b }.", &settings("--opt-mode=optN"));
    let mut best = Vec::new();
    optimum
        .solve(&[], |model| {
            if model.optimality_proven().expect("a model") {
                best.push((
                    model.costs().expect("costs"),
                    model.shown(Order::Sorted).expect("a model").map(to_text).collect::<Vec<_>>(),
                ));
            }
            ControlFlow::Continue(())
        })
        .expect("the program is solved");
    assert_eq!(best, [(vec![1], vec!["b".to_owned()])]);
}

#[test]
fn threads_share_one_search() {
    let settings = Settings { threads: Some(2), ..all_models() };
    assert_eq!(sorted_answers(&mut solver("{ a(1..10) }.", &settings), &[]).len(), 1 << 10);
}

#[test]
fn a_search_is_cancelled_from_another_thread() {
    let asking = Canceller::new();
    let stop = asking.token();
    let mut solver =
        Solver::with_program(&program("{ a(1..60) }."), &all_models(), &stop).expect("the program grounds");
    let mut count = 0_u64;
    let solved = std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel();
        scope.spawn(move || {
            receiver.recv_timeout(PATIENCE).expect("the search receiver");
            asking.request(StopReason::Interrupted);
        });
        solver
            .solve(&[], |_| {
                count += 1;
                if count == 1 {
                    sender.send(()).expect("the receiver exists");
                }
                ControlFlow::Continue(())
            })
            .expect("an interrupted search is not an error")
    });
    assert!(solved.result.interrupted && !solved.result.exhausted);
    assert_eq!(stop.requested(), Some(StopReason::Interrupted));
}

#[test]
fn a_single_shot_search_is_cancelled_before_its_first_answer() {
    let asking = Canceller::new();
    let stop = asking.token();
    let settings = Settings { options: vec!["--single-shot".to_owned()], ..all_models() };
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // No two of 13 pigeons share one of 12 holes: impossible, but hard to prove.
        let pigeons = program("1 { in(P,1..12) } 1 :- P = 1..13. :- in(P,H), in(Q,H), P < Q.");
        let mut solver = Solver::with_program(&pigeons, &settings, &stop).expect("the program grounds");
        sender.send(None).expect("the receiver exists");
        let solved = solver.solve(&[], |_| ControlFlow::Continue(()));
        sender.send(Some(solved.expect("an interrupted search is not an error").result)).expect("the receiver exists");
    });
    receiver.recv_timeout(PATIENCE).expect("the program is grounded");
    std::thread::sleep(std::time::Duration::from_millis(50));
    asking.request(StopReason::Interrupted);
    let result = receiver.recv_timeout(PATIENCE).expect("the search ends").expect("a result");
    assert!(result.interrupted && !result.exhausted);
}

#[test]
fn messages_name_their_source() {
    let first = Document::in_memory("first", "a.\nb.\n");
    let second = Document::in_memory("second", "c.\n\nd :- nothing(X), e.\n");
    let program = Program { instance: vec![first, second], ..Program::default() };
    let solver = Solver::with_program(&program, &all_models(), &CancelToken::new()).expect("the program grounds");
    let mut places: Vec<(String, usize, usize)> = solver
        .messages()
        .iter()
        .flat_map(|message| &message.diagnostic.labels)
        .map(|place| (place.file.clone(), place.start.line, place.start.column))
        .collect();
    places.sort();
    assert_eq!(places, [("second".to_owned(), 3, 6), ("second".to_owned(), 3, 18)]);
    assert!(
        solver
            .messages()
            .iter()
            .all(|message| message.is_undefined_atom() && message.diagnostic.severity == Severity::Info)
    );
}

#[test]
fn errors_of_typed_atoms_name_the_expected_form() {
    let mut solver = solver("mine(1,2). mine(3,x). number(1). #show mine/2. #show number/1.", &all_models());
    let mut results = (None, None, None);
    solver
        .solve(&[], |model| {
            let symbols: Vec<Symbol> = model.shown(Order::Sorted).expect("a model").collect();
            let atoms = asp::AnswerAtoms::new(symbols.into_iter());
            results.0 = Some(atoms.rows::<2>("mine", "mine(Row, Column)").map(|rows| rows.len()));
            results.1 = Some(atoms.rows::<2>("number", "number(Row, Column)").map(|rows| rows.len()));
            results.2 = Some(atoms.some_rows::<1>("flag", "flag(Cell)").map(|rows| rows.len()));
            ControlFlow::Continue(())
        })
        .expect("the program is solved");
    assert_eq!(results.0, Some(Ok(2)));
    let wrong = results.1.expect("an answer").expect_err("number/1 is not number/2").0;
    assert_eq!(wrong, "an answer has the atom number(1) (number/1); expected number/2: number(Row, Column)");
    let missing = results.2.expect("an answer").expect_err("flag is missing").0;
    assert!(missing.contains("no atom flag/1"), "{missing}");
}

/// Three defects of clingo 5.6.2 are fixed in newer versions and reported as warnings in older
/// ones.
#[test]
fn known_defects_of_clingo_are_fixed_or_reported() {
    let mut disjunctive = solver("a; na.  x; y; z; b; c :- a.  a :- b.  a :- c.", &all_models());
    let count = sorted_answers(&mut disjunctive, &[]).len();
    let is_old = asp::version() < (5, 8, 2);
    let warning = disjunctive.known_defect();
    assert_eq!(warning.is_some(), is_old);
    match warning {
        Some(warning) => assert!(warning.message.contains("answers may be missing")),
        None => assert_eq!(count, 6),
    }
    let mut choice = solver("{ a; b }. c :- a. a :- c, b.", &all_models());
    sorted_answers(&mut choice, &[]);
    assert!(choice.known_defect().is_none(), "head-cycle-free programs are not affected");
    if asp::version() >= (5, 8, 0) {
        // An older clingo never stops grounding this.
        let mut endless = solver("q(1..2). p :- q(A), q(B), 0 > A < B, A > B.", &all_models());
        assert_eq!(sorted_answers(&mut endless, &[]), ["q(1) q(2)"]);
    }
}

#[test]
fn symbols_are_created_on_many_threads_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..16 {
            scope.spawn(move || {
                for round in 0..20 {
                    let text =
                        format!("p({thread},1..50). q(f(X,{round})) :- p(_,X). {{ r(X) : q(X) }} = 1. #show r/1.");
                    let mut solver = solver(&text, &all_models());
                    assert_eq!(sorted_answers(&mut solver, &[]).len(), 50);
                    for index in 0..100 {
                        let symbol =
                            function("g", &[number(index), atom(&format!("c{thread}_{index}"))]).expect("a name");
                        assert_eq!(to_text(symbol), format!("g({index},c{thread}_{index})"));
                    }
                }
            });
        }
    });
}

/// An observer that panics on the statement with index `at`.
struct Panics {
    at: usize,
    statement_count: usize,
}

impl asp::Observer for Panics {
    fn on_statement(&mut self, piece: asp::AspifStatement<'_>) -> ControlFlow<()> {
        self.statement_count += 1;
        assert!(self.statement_count != self.at, "piece {} is {piece:?}", self.at);
        ControlFlow::Continue(())
    }
}

/// Contains every kind of statement passed to an observer except assumptions, which occur only in
/// ground programs.
const ALL_PIECES: &str = "\
#theory t { term { - : 1, unary }; &free/0 : term, any; &bound/0 : term, {<=}, term, any }.
{ a; b }. c :- 1 #sum { 2 : a; 3 : b }. #minimize { 1 : a }. #project a/0. #show a/0. #show f(X) : X = 1, a.
#external e. #edge (1,2) : a. &free { a }. &bound { a } <= 3.
";

#[test]
fn a_panic_of_an_observer_resumes_after_clingo_returns() {
    use std::sync::Arc;

    use parking_lot::Mutex;

    let panicking = |at: usize| {
        let observer = Arc::new(Mutex::new(Panics { at, statement_count: 0 }));
        let other = observer.clone();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let mut solver = Solver::new(&Settings::default(), &CancelToken::new()).expect("a solver");
            solver.control().observe_by(other).expect("an observer");
            solver.add(&Document::in_memory("text", ALL_PIECES)).expect("a program");
            solver.ground(&[("base", &[])]).and_then(|()| solver.solve(&[], |_| ControlFlow::Continue(()))).map(drop)
        }));
        (caught, observer.lock().statement_count)
    };
    let (undisturbed, pieces) = panicking(usize::MAX);
    assert!(undisturbed.expect("nothing panics").is_ok());
    let mut kinds = std::collections::BTreeSet::new();
    for at in 1..=pieces {
        let (caught, count) = panicking(at);
        let panic = caught.expect_err("the observer panics");
        let text = panic.downcast_ref::<String>().expect("a text").clone();
        assert!(text.starts_with(&format!("piece {at} is ")), "{text}");
        // A failed observer receives no further statements.
        assert_eq!(count, at);
        kinds.insert(
            text.split(" is ").nth(1).expect("a statement").split([' ', '(']).next().expect("a kind").to_owned(),
        );
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
}
