//! Tests that `asp-solve clingo` behaves as clingo, and that options of clingo are rejected
//! elsewhere with advice.

use std::path::Path;
use std::process::Stdio;

use crate::support::process::*;
use crate::support::{RunOutput, command, file, folder, run_output};

const QUEENS: &str = "#const n=4.\n{ q(I,1..n) } = 1 :- I = 1..n.\n:- q(I,J), q(I',J), I < I'.\n\
                      :- q(I,J), q(I',J'), I < I', |I-I'| = |J-J'|.\n";
const TWO: &str = "item(1..4).\n{ take(I) : item(I) } = 2.\n#minimize { I*I,I : take(I) }.\n#show take/1.\n";
const STEPS: &str = "#include <incmode>.\n#program base. p(0).\n#program step(t). p(t) :- p(t-1).\n\
                     #program check(t). :- query(t), t < 3.\n";

fn files(folder: &Path) {
    for (name, text) in [
        ("queens.lp", QUEENS),
        ("two.lp", TWO),
        ("steps.lp", STEPS),
        ("either.lp", "a :- not b. b :- not a. c :- d.\n"),
        ("none.lp", "a. :- a.\n"),
        ("wrong.lp", "a :- .b\n"),
        ("script.lp", "#script (python)\ndef f(): pass\n#end.\na.\n"),
        ("either.cnf", "p cnf 2 2\n1 2 0\n-1 0\n"),
        ("many.lp", "{ a(1..60) }.\n"),
    ] {
        file(folder, name, text);
    }
}

/// Runs in the folder with the queens program on standard input.
fn run_in(folder: &Path, line: &str) -> RunOutput {
    let mut command = command();
    command.current_dir(folder).args(line.split_whitespace());
    command.stdin(std::fs::File::open(folder.join("queens.lp")).expect("the file exists"));
    run_output(command.finished())
}

#[test]
fn the_clingo_command_behaves_as_clingo() {
    let folder = folder();
    files(folder.path());
    // Arguments, clingo's exit code, and a part of the output; `|` marks a part of standard error.
    for (line, code, shown) in [
        ("--help", 0, "usage: clingo [number] [options] [files]"),
        ("--help=3", 0, "Default configurations:"),
        ("-h", 0, "Default command-line:"),
        ("--version", 0, "clingo version "),
        ("-v", 0, "Configuration: without Python, without Lua"),
        ("queens.lp", 10, "Models       : 1+"),
        ("queens.lp 0", 30, "Models       : 2"),
        ("0 queens.lp", 30, "Models       : 2"),
        ("queens.lp -n0", 30, "Models       : 2"),
        ("queens.lp -c n=5 0", 30, "Models       : 10"),
        ("queens.lp -cn=3", 20, "UNSATISFIABLE"),
        ("queens.lp -V0", 10, "q("),
        ("queens.lp -q", 10, "SATISFIABLE"),
        ("queens.lp -q1 0", 30, "Answer: 2"),
        ("queens.lp --quiet=1,2 0", 30, "Models       : 2"),
        ("queens.lp --outf=2", 10, "\"Result\": \"SATISFIABLE\""),
        ("queens.lp --outf=1", 10, "ANSWER"),
        ("queens.lp --stats", 10, "Choices      :"),
        ("queens.lp --text", 0, "#count{0,q(1,1):q(1,1)"),
        ("queens.lp --mode=gringo", 0, "asp 1 0 0"),
        ("queens.lp --output=smodels", 0, "B+"),
        ("queens.lp -o reify", 0, "output("),
        ("queens.lp --configuration=tweety -t 2,split 0", 30, "Threads      : 2"),
        ("queens.lp --time-limit=600 --seed=3 --heuristic=vsids --restarts=no 0", 30, "Models       : 2"),
        ("two.lp", 30, "OPTIMUM FOUND"),
        ("two.lp --opt-mode=optN 0 -q1", 30, "take(1) take(2)\nOptimization: 5"),
        ("two.lp --opt-strategy=usc", 30, "Optimization : 5"),
        ("two.lp --opt-mode=opt,4", 20, "UNSATISFIABLE"),
        ("either.lp 0", 30, "|either.lp:1:30-31: info: atom does not occur in any rule head:"),
        ("either.lp -e brave", 30, "Brave      : yes"),
        ("either.lp --enum-mode=cautious 0 --outf=2", 30, "\"Consequences\""),
        ("either.lp --project=show 0", 30, "Models       : 2"),
        ("steps.lp", 10, "Calls        : 4"),
        ("steps.lp -c imin=6", 10, "Calls        : 6"),
        ("--mode=clasp either.cnf", 10, "s SATISFIABLE"),
        ("none.lp", 20, "UNSATISFIABLE"),
        ("wrong.lp", 65, "|error: syntax error"),
        ("wrong.lp --outf=2", 65, "\"Result\": \"UNKNOWN\""),
        ("script.lp", 65, "|python support not available"),
        ("missing.lp", 65, "|file could not be opened"),
        ("queens.lp --nosuch", 1, "|unknown option"),
        ("queens.lp --text --output=text", 128, "|mutually exclusive"),
        ("-f queens.lp", 10, "Reading from queens.lp"),
        ("-", 10, "Reading from -"),
        ("", 10, "Reading from stdin"),
    ] {
        let ran = run_in(folder.path(), &format!("clingo {line}"));
        let (text, shown) = shown.strip_prefix('|').map_or((&ran.out, shown), |shown| (&ran.err, shown));
        assert!(text.contains(shown), "{line}:\n{}\n{}", ran.out, ran.err);
        assert_eq!(ran.code, code, "{line}:\n{}\n{}", ran.out, ran.err);
    }
}

#[cfg(unix)]
#[test]
fn the_clingo_command_ends_on_a_broken_pipe_or_an_interrupt() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::ffi::OsStrExt;

    let folder = folder();
    files(folder.path());
    let spawn_endless = || {
        let mut command = command();
        command
            .current_dir(folder.path())
            .args(["clingo", "many.lp", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command.spawn().expect("the command starts")
    };
    let mut unread = spawn_endless();
    drop(unread.stdout.take());
    assert!(!unread.ended().success());

    let mut interrupted = spawn_endless();
    let mut lines = BufReader::new(interrupted.stdout.take().expect("the output is piped")).lines();
    let mut lines = with_timeout("clingo prints a line", move || {
        let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("Answer: 2")));
        line.expect("the first line").expect("text");
        lines
    });
    crate::cli::limits::interrupt(interrupted.id());
    let is_said = move || lines.any(|line| line.is_ok_and(|line| line.starts_with("INTERRUPTED")));
    assert!(with_timeout("it is interrupted", is_said));
    assert_eq!(interrupted.ended().code(), Some(11));

    let name = std::ffi::OsStr::from_bytes(b"\xff.lp");
    std::fs::write(folder.path().join(name), "b(1).").expect("the file is writable");
    let output = command().current_dir(folder.path()).arg("clingo").arg(name).finished();
    assert!(run_output(output).out.contains("b(1)"));
}

/// Signals are ignored under `nohup` and in the background of a script.
#[cfg(target_os = "linux")]
#[test]
fn tests_that_send_signals_pass_where_signals_are_ignored() {
    let executable = std::env::current_exe().expect("the tests have a path");
    for name in [
        "cli::clingo_command::the_clingo_command_ends_on_a_broken_pipe_or_an_interrupt",
        "cli::limits::ctrl_c_twice_exits_immediately_and_cleanly",
    ] {
        let script = format!("trap '' INT QUIT TERM HUP; exec {} --exact {name}", executable.display());
        let ran = run_output(command_of("sh").args(["-c", &script]).current_dir(env!("CARGO_MANIFEST_DIR")).finished());
        assert!(ran.code == 0 && ran.out.contains("test result: ok. 1 passed"), "{name}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn options_of_clingo_are_rejected_with_advice() {
    let folder = folder();
    files(folder.path());
    let before = std::fs::read_dir(folder.path()).expect("a folder").count();
    // Arguments, error, and whether the help names clingo's own command.
    for (line, error, is_for_clingo) in [
        ("queens.lp --text", "unexpected argument '--text'", true),
        ("queens.lp --outf=2", "unexpected argument '--outf'", true),
        ("queens.lp --mode=gringo", "unexpected argument '--mode'", true),
        ("queens.lp -q1", "unexpected argument '-q1'", true),
        ("queens.lp -V0", "unexpected argument '-V0'", true),
        ("queens.lp -h3", "unexpected argument '-h3'", true),
        ("queens.lp -t 2,compete", "invalid value '2,compete'", false),
        ("queens.lp 0", "0: no such file", true),
        ("queens.lp -e brave", "--encoding brave: no such file", true),
        ("queens.lp -o smodels", "a format of gringo", false),
        ("queens.lp --output=text", "use --format text for the format", false),
        ("queens.lp --output json", "use --format json for the format", false),
        ("queens.lp --stats=2", "unexpected value '2'", true),
        ("queens.lp --project=show", "unexpected value 'show'", true),
        ("queens.lp --seed 3", "  --sample", true),
        ("queens.lp --heuristic=vsids", "invalid value 'vsids'", true),
        ("two.lp --opt-mode=opt,5", "invalid value 'opt,5'", false),
        ("queens.lp --configuration=tweety", "--configuration is an option of rail", true),
        ("queens.lp --nosuch", "unexpected argument '--nosuch'", true),
        ("missing.lp", "missing.lp: no such file", false),
        ("-p sudko queens.lp", "(did you mean sudoku?)", false),
        ("generate rail --text", "unexpected argument '--text'", false),
        ("-n 0", "<FILE>", false),
    ] {
        let ran = run_in(folder.path(), line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(error), "{line}: {}", ran.err);
        assert_eq!(ran.err.contains("asp-solve clingo"), is_for_clingo, "{line}: {}", ran.err);
    }
    for (line, ours) in [
        ("queens.lp --outf=2", "for clingo's --outf=2 write -f clingo-json"),
        ("queens.lp --outf 2", "for clingo's --outf write -f clingo-json"),
        ("queens.lp --outf=0", "for clingo's --outf=0 write -f asp"),
        ("queens.lp -V0", "for clingo's -V0 write -q"),
        ("queens.lp --verbose=0", "for clingo's --verbose=0 write -q"),
        ("queens.lp 0", "write `-n 0`"),
        ("queens.lp --seed=3", "for clingo's --seed=3 write --clingo=--seed=3"),
        ("queens.lp --restarts=x,100", "for clingo's --restarts=x,100 write --clingo=--restarts=x,100"),
        ("queens.lp --text", "for clingo's --text write asp-solve clingo --text …"),
        ("queens.lp -e brave", "for clingo's -e write --enum-mode"),
    ] {
        let ran = run_in(folder.path(), line);
        assert!(ran.code == 2 && ran.err.contains(ours), "{line}: {}", ran.err);
        assert!(!ran.err.contains("similar argument"), "{line}: {}", ran.err);
    }
    for option in ["--clingo=--seed=3", "--clingo=--stats=2", "--clingo=--configuration=tweety"] {
        assert_eq!(run_in(folder.path(), &format!("queens.lp {option}")).code, 0, "{option}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), before, "no file was written");
}

#[test]
fn errors_in_clingo_json_are_those_of_clingo() {
    let folder = folder();
    files(folder.path());
    for line in ["wrong.lp", "missing.lp", "script.lp"] {
        let [own, clingos] = [format!("{line} -f clingo-json"), format!("clingo {line} --outf=2")]
            .map(|line| run_in(folder.path(), &line));
        let mut value = own.json();
        let mut expected = clingos.json();
        for value in [&mut value, &mut expected] {
            value["Time"] = 0.into();
            value["Call"][0] = 0.into();
        }
        assert_eq!(value, expected, "{line}");
        assert_eq!((own.code, clingos.code), (65, 65), "{line}");
        let output = run_in(folder.path(), &format!("{line} -f asp"));
        assert!(output.out.contains("\nUNKNOWN\n\nModels       : 0+\n"), "{line}: {}", output.out);
        assert_eq!(output.code, 65);
    }
}

#[test]
fn notes_have_the_level_names_of_clingo() {
    let folder = folder();
    files(folder.path());
    let ran = run_in(folder.path(), "either.lp -t 64");
    assert!(ran.err.contains("info: atom does not occur in any rule head: d"), "{}", ran.err);
    // With fewer cores the solver prints a note.
    assert!(!ran.err.contains("error") && !ran.err.contains("info: Over"), "{}", ran.err);
    let ran = run_in(folder.path(), "either.lp -t 64 --color always");
    assert!(ran.err.contains("\u{1b}["), "{}", ran.err);
}
