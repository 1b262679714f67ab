//! Tests calls that crash or hang with the published clingo crate.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use asp::{Order, Program, Settings, Solver, function, number, string, to_text};
use base::document::Document;
use base::stop::CancelToken;

fn solver(text: &str) -> Solver {
    let program = Program { instance: vec![Document::in_memory("text", text)], ..Program::default() };
    let settings = Settings { models: Some(0), ..Settings::default() };
    Solver::with_program(&program, &settings, &CancelToken::new()).expect("the program grounds")
}

/// The crate passes clingo the address of a logger that moves, so the first message crashes.
#[test]
fn a_moved_solver_still_logs() {
    let mut solvers: Vec<Solver> =
        (0..50).map(|_| Solver::new(&Settings::default(), &CancelToken::new()).expect("a solver")).collect();
    solvers.rotate_left(17);
    let mut boxed: Vec<Box<Solver>> = solvers.into_iter().map(Box::new).collect();
    for solver in &mut boxed {
        solver.add(&Document::in_memory("text", "a :- b.")).expect("the program parses");
        solver.ground(&[("base", &[])]).expect("the program grounds");
        assert_eq!(solver.messages().len(), 1);
    }
}

/// A search that is interrupted while it adds assumptions reports them as unsatisfiable.
#[test]
fn an_interrupted_search_proves_nothing() {
    let mut solver = solver("{ a(1..3000) }. b(X) :- a(X), a(X+1).");
    let assumed: Vec<_> = (1..=3000).map(|value| (function("a", &[number(value)]).expect("a name"), true)).collect();
    let interrupter = solver.control().interrupter();
    let is_over = AtomicBool::new(false);
    let pauses = (0..).map(|round| Duration::from_micros(200 + 37 * round % 4000));
    let mut ends = [0; 2];
    thread::scope(|scope| {
        scope.spawn(|| {
            for pause in pauses.take_while(|_| !is_over.load(Ordering::Relaxed)) {
                interrupter.interrupt();
                thread::sleep(pause);
            }
        });
        for _ in 0..300 {
            let solved = solver.solve(&assumed, |_| ControlFlow::Break(())).expect("solved").result;
            if solved.unsatisfiable || !solved.satisfiable && !solved.interrupted {
                is_over.store(true, Ordering::Relaxed);
                panic!("there is an answer: {solved:?}");
            }
            ends[usize::from(solved.satisfiable)] += 1;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(ends[0] > 0, "none was interrupted");
}

/// The crate's observer builds slices from null pointers, so debug builds abort here.
#[test]
fn rules_with_empty_heads_and_bodies_are_grounded() {
    let mut solver = solver("{ a }. :- a. b. :- not b. { }. #external c.");
    let solved = solver.solve(&[], |_| ControlFlow::Continue(())).expect("solved");
    assert!(solved.result.satisfiable);
}

/// `control()` has message limit 0: it drops the warning and prints only the first error.
#[test]
fn all_messages_are_collected() {
    let program = Program { instance: vec![Document::in_memory("text", "a(X). b(Y). c(Z).")], ..Program::default() };
    let failure = Solver::with_program(&program, &Settings::default(), &CancelToken::new())
        .err()
        .expect("unsafe variables are errors");
    assert_eq!(failure.0.len(), 3);
}

/// `all_models()` panics when the solver fails.
#[test]
fn failing_calls_are_errors() {
    let wrong = Settings { options: vec!["--no-such-option".to_owned()], ..Settings::default() };
    assert!(Solver::new(&wrong, &CancelToken::new()).is_err());
    let files = Settings { options: vec!["file.lp".to_owned()], ..Settings::default() };
    assert!(Solver::new(&files, &CancelToken::new()).is_err());
    let nul = Settings { options: vec!["--seed=1\0".to_owned()], ..Settings::default() };
    assert!(Solver::new(&nul, &CancelToken::new()).is_err());
    let mut fresh = Solver::new(&Settings::default(), &CancelToken::new()).expect("a solver");
    assert!(fresh.add(&Document::in_memory("text", "a(\0).")).is_err());
    assert!(function("a\0", &[]).is_none() && string("\0").is_none());
    assert!(fresh.ground(&[("base", &[]), ("nul\0", &[])]).is_err());
}

/// The crate's `Symbol` panics when it is printed with bytes that are not UTF-8.
#[test]
fn strings_that_are_not_utf8_are_printed() {
    let folder = crate::support::folder();
    let path = crate::support::file(folder.path(), "latin1.lp", b"name(\"caf\xe9\").\n");
    let ran = crate::support::run([path]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("name(\"caf\u{fffd}\")"), "{}", ran.out);
}

/// A Rust panic must not unwind through C++ frames.
#[test]
fn a_panic_of_a_callback_reaches_the_caller() {
    let mut broken = solver("{ a(1..4) }.");
    let caught = catch_unwind(AssertUnwindSafe(|| broken.solve(&[], |_| panic!("the reader's own panic"))));
    let message = caught.expect_err("the panic is resumed");
    assert_eq!(message.downcast_ref::<&str>(), Some(&"the reader's own panic"));
    // The handle was closed, so the solver can be used again.
    let mut count = 0;
    broken
        .solve(&[], |_| {
            count += 1;
            ControlFlow::Continue(())
        })
        .expect("solved");
    assert_eq!(count, 16);
}

/// `Model::context()` returns a null pointer, and the crate does not close handles on drop.
#[test]
fn a_solver_can_search_repeatedly() {
    let mut solver = solver("{ a; b }.");
    for _ in 0..100 {
        let mut first = "no answer".to_owned();
        solver
            .solve(&[], |model| {
                first = model.shown(Order::Sorted).expect("a model").map(to_text).collect::<Vec<_>>().join(" ");
                ControlFlow::Break(())
            })
            .expect("solved");
        assert!(["", "a", "a b", "b"].contains(&first.as_str()), "{first}");
    }
}

/// The crate never frees controls with a context: 75 MB for 200 of them.
#[test]
fn solvers_are_freed() {
    let text = "p(1..2000). q(X,Y) :- p(X), p(Y), X < 40, Y < 40.";
    drop(solver(text));
    let before = memory_stats::memory_stats().expect("the memory use is known").physical_mem;
    for _ in 0..100 {
        drop(solver(text));
    }
    let grown = memory_stats::memory_stats().expect("the memory use is known").physical_mem.saturating_sub(before);
    assert!(grown < 20 << 20, "100 solvers left {grown} bytes behind");
}

/// Without the patches of the build, these programs crash or never end.
#[test]
fn arithmetic_at_the_limits_of_32_bits_does_not_crash() {
    if asp::version() < (5, 8, 2) {
        return crate::support::programs::skip("the older clingo that was built has these defects");
    }
    for (program, atoms) in [
        ("a((-2147483647-1)/(-1)). b.", "b"),
        ("a((-2147483647-1)\\(-1)). b.", "b"),
        ("q(-2147483647-1). r(-1). a(X/Y) :- q(X), r(Y). #show a/1. #show b. b.", "b"),
        ("p(2147483646..2147483647).", "p(2147483646) p(2147483647)"),
        ("p(X) :- X = n..2147483647. #const n = 2147483647.", "p(2147483647)"),
        ("f(1..3). #external e(X) : f(X). [X\\2] #show. #show b. b.", "b"),
    ] {
        let ran = crate::support::run_with_input("-", program);
        assert!(ran.code == 0 && ran.out.contains(&format!("\n  {atoms}\n")), "{program}: {}{}", ran.out, ran.err);
    }
    let ran = crate::support::run_with_input("- -c n=(-2147483647-1)/(-1)", "p(n).");
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let ran = crate::support::run_with_input("- -f json", "a(2147483647+1).");
    assert!(ran.err.contains("<stdin>:1:3: ") || ran.err.contains("<stdin>:1:3\n"), "{}", ran.err);
    assert!(ran.out.contains("a(-2147483648)") && ran.out.contains("exceeds 32 bits"), "{}", ran.out);
}
