//! Tests outputs: files are not lost, names may have any characters, and terminals receive no
//! foreign control characters.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use crate::support::process::*;
use crate::support::{RunOutput, command, file, folder, on_a_terminal, run_line, run_output};

/// Runs a shell command in a folder; `$A` is the command, `$R` the project's folder.
fn shell(folder: &Path, script: &str) -> RunOutput {
    let mut command = command_of("sh");
    command.args(["-c", script]).current_dir(folder).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.env("A", env!("CARGO_BIN_EXE_asp-solve")).env("R", env!("CARGO_MANIFEST_DIR"));
    run_output(command.finished())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_input_is_never_overwritten() {
    let folder = folder();
    let folder = folder.path();
    let text = fs::read("instances/deponia.lp").expect("an instance");
    let input = file(folder, "d.lp", &text);
    let lines = file(folder, "lines.txt", "1 2 3/4 5 6/7 . 8\n");
    let encoding = file(folder, "rules.lp", fs::read("asp/rail/no_gate.lp").expect("an encoding"));
    fs::hard_link(&input, folder.join("hard.lp")).expect("the link is created");
    symlink("d.lp", folder.join("soft.lp")).expect("the link is created");
    symlink("lines.txt", folder.join("soft.txt")).expect("the link is created");
    file(folder, "d1.svg", &text);
    file(folder, "queens.lp", "#include \"size.lp\".\np(X) :- q(X).\n");
    file(folder, "hidden.lp", "#show #! \"\np. #include \"size.lp\".\n#! \" .\n");
    file(folder, "broken.lp", "#theory t { \" . #include \"size.lp\". \" }.\n");
    file(folder, "tests.lp", "#include \"size.lp\".\n#program test_one(base).\ncannot(\"none\") :- not q(1).\n");
    let draw = file(folder, "draw.lp", "#include \"size.lp\".\ndraw(rect,X,1,1,1) :- q(X).\n");
    let included =
        [file(folder, "size.lp", "#include \"deep/er.lp\".\nq(1).\n"), file(folder, "deep/er.lp", "q(2).\n")];
    let contents = |path: &Path| fs::read(path).expect("the file exists");
    let inputs = [&input, &lines, &encoding, &draw, &included[0], &included[1]];
    let before = inputs.map(|path| contents(path));
    for (arguments, both) in [
        ("d.lp -o d.lp", ["d.lp", "d.lp"]),
        ("d.lp -o ./soft.lp", ["./soft.lp", "d.lp"]),
        ("soft.lp -o hard.lp", ["hard.lp", "soft.lp"]),
        ("- -o d.lp < d.lp", ["d.lp", "-"]),
        ("d.lp -e rules.lp -o rules.lp", ["rules.lp", "rules.lp"]),
        ("d.lp rules.lp -o rules.lp", ["rules.lp", "rules.lp"]),
        ("d1.svg -n 0 -f svg -o 'd{n}.svg'", ["d1.svg", "d1.svg"]),
        ("lines.txt --batch -o lines.txt", ["lines.txt", "lines.txt"]),
        ("lines.txt --batch -o soft.txt", ["soft.txt", "lines.txt"]),
        ("expand d.lp -o soft.lp", ["soft.lp", "d.lp"]),
        ("queens.lp -o size.lp", ["size.lp", "size.lp"]),
        ("queens.lp -o deep/er.lp", ["deep/er.lp", "deep/er.lp"]),
        ("queens.lp --draw draw.lp -o draw.lp", ["draw.lp", "draw.lp"]),
        ("queens.lp --draw draw.lp -o size.lp", ["size.lp", "size.lp"]),
        ("hidden.lp -o size.lp", ["size.lp", "size.lp"]),
        ("broken.lp -o size.lp", ["size.lp", "size.lp"]),
        ("why queens.lp -o size.lp", ["size.lp", "size.lp"]),
        ("hint queens.lp -o size.lp", ["size.lp", "size.lp"]),
        ("profile queens.lp -o size.lp", ["size.lp", "size.lp"]),
        ("compare queens.lp queens.lp -o deep/er.lp", ["deep/er.lp", "deep/er.lp"]),
        ("test tests.lp -o size.lp", ["size.lp", "size.lp"]),
        ("test --mutants tests.lp -o deep/er.lp", ["deep/er.lp", "deep/er.lp"]),
        ("lines.txt --batch -p taquin -e rules.lp -o rules.lp", ["rules.lp", "rules.lp"]),
        ("lines.txt --batch -p taquin -e queens.lp -o size.lp", ["size.lp", "size.lp"]),
        ("rate d.lp -o soft.lp", ["soft.lp", "d.lp"]),
    ] {
        let ran = shell(folder, &format!("exec \"$A\" {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        let [output, input] = both;
        assert!(ran.err.contains(&format!("--output {output} is the input {input}")), "{arguments}: {}", ran.err);
    }
    assert_eq!(inputs.map(|path| contents(path)), before);
    assert_eq!(contents(&folder.join("d1.svg")), text);
}

#[test]
fn two_outputs_cannot_be_the_same_file() {
    let folder = folder();
    file(folder.path(), "tests.lp", "#program test_one(base).\np.\n");
    for (line, names) in [
        ("test tests.lp --junit x.xml -o x.xml", ["--output", "--junit"]),
        ("test tests.lp --junit ./x.xml --lcov x.xml", ["--junit", "--lcov"]),
        ("test tests.lp --coverage --lcov x.xml -o ./x.xml", ["--output", "--lcov"]),
    ] {
        let ran = shell(folder.path(), &format!("exec \"$A\" {line}"));
        let [one, other] = names;
        assert_eq!(ran.code, 2, "{line}: {}", ran.err);
        assert!(ran.err.contains(&format!("{one} and {other} name one file")), "{line}: {}", ran.err);
        assert!(!folder.path().join("x.xml").exists(), "{line}");
    }
    let ran = shell(folder.path(), "exec \"$A\" test tests.lp --junit /dev/null -o /dev/null");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn symbolic_links_are_kept_and_their_targets_written() {
    let folder = folder();
    let folder = folder.path();
    file(folder, "there/old.txt", "old");
    symlink("there/old.txt", folder.join("old")).expect("the link is created");
    symlink("there/new.txt", folder.join("new")).expect("the link is created");
    for command in ["$R/instances/deponia.lp", "generate minesweeper", "$R/instances/deponia.lp -f svg"] {
        for (link, target) in [("old", "there/old.txt"), ("new", "there/new.txt")] {
            let ran = shell(folder, &format!("exec \"$A\" {command} -o {link}"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(fs::symlink_metadata(folder.join(link)).expect("the link exists").is_symlink());
            assert!(fs::metadata(folder.join(target)).expect("the target exists").len() > 10);
        }
        fs::remove_file(folder.join("there/new.txt")).expect("the target exists");
    }
    assert_eq!(
        (names(folder), names(&folder.join("there"))),
        (vec!["new".into(), "old".into(), "there".into()], vec!["old.txt".into()])
    );
}

#[test]
fn new_files_obey_the_umask_and_existing_files_keep_their_permissions() {
    let folder = folder();
    let mode =
        |name: &str| fs::metadata(folder.path().join(name)).expect("the file exists").permissions().mode() & 0o777;
    for (umask, expected) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let name = format!("{umask}.txt");
        let script = format!(
            "umask {umask}; \"$A\" $R/instances/deponia.lp -o {name} && \"$A\" generate minesweeper -o g{name}"
        );
        assert_eq!(shell(folder.path(), &script).code, 0);
        assert_eq!((mode(&name), mode(&format!("g{name}"))), (expected, expected), "{umask}");
    }
    fs::set_permissions(folder.path().join("022.txt"), fs::Permissions::from_mode(0o640)).expect("permissions");
    assert_eq!(shell(folder.path(), "umask 0; \"$A\" $R/instances/deponia.lp -o 022.txt").code, 0);
    assert_eq!(mode("022.txt"), 0o640);
}

#[test]
fn a_dash_names_standard_output() {
    let folder = folder();
    file(folder.path(), "lines.txt", "1 2 3/4 5 6/7 . 8\n");
    for arguments in [
        "$R/instances/deponia.lp -f json",
        "generate minesweeper",
        "play minesweeper --games 1 -f json",
        "lines.txt --batch",
        "expand $R/instances/deponia.lp",
    ] {
        let ran = shell(folder.path(), &format!("exec \"$A\" {arguments} -o -"));
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
        assert!(!ran.out.is_empty(), "{arguments}");
    }
    assert_eq!(names(folder.path()), ["lines.txt"]);
    assert_eq!(shell(folder.path(), "exec \"$A\" lines.txt --batch --resume -o -").code, 2);
}

#[test]
fn a_full_disk_leaves_no_partial_file() {
    for (arguments, name) in [
        ("$R/instances/deponia.lp -n 0 -f html -o out", "out"),
        ("$R/instances/deponia.lp -n 0 -f svg -o out{n}.svg", "out1.svg"),
        ("generate minesweeper --size 60x40 --mines 100 -o out", "out"),
        ("$R/instances/sudoku.txt --unique --proof out", "out"),
    ] {
        let folder = folder();
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$A\" {arguments}");
        let ran = shell(folder.path(), &script);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        let words = ["cannot write the output", &format!("cannot write {name}: ")];
        assert!(words.iter().any(|words| ran.err.contains(words)), "{arguments}: {}", ran.err);
        assert!(names(folder.path()).is_empty(), "{name}: {:?}", names(folder.path()));
    }
}

#[test]
fn an_interrupted_run_leaves_no_temporary_file() {
    use std::io::{Read, Write};
    let folder = folder();
    let input = file(folder.path(), "warned.lp", "a. b :- c.\n");
    // The pipe for messages is full, so the run blocks when it has an answer and has not yet
    // written it.
    let (mut messages, mut full) = std::io::pipe().expect("a pipe");
    full.write_all(&[b'x'; 65536]).expect("a pipe has room");
    let mut child = command();
    child.arg(&input).arg("-o").arg(folder.path().join("out")).stderr(full);
    let mut running = child.spawn().expect("the command starts");
    drop(child);
    wait_until("the output file is created", || names(folder.path()).len() >= 2);
    crate::cli::limits::wait_until_interruptible(running.id());
    crate::cli::limits::interrupt(running.id());
    // Waits longer than a cancelled run may take to end.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let bytes = with_timeout("the messages end", move || {
        let mut bytes = Vec::new();
        messages.read_to_end(&mut bytes).expect("the messages can be read");
        bytes
    });
    assert!(String::from_utf8_lossy(&bytes).contains("interrupted"));
    running.ended();
    assert!(!names(folder.path()).iter().any(|name| name.starts_with('.')), "{:?}", names(folder.path()));
}

#[test]
fn a_file_may_have_any_name() {
    let folder = folder();
    for name in [
        &b"a b.lp"[..],
        b"it's \"q\".lp",
        b"two\nlines.lp",
        b"a:1:2-3.lp",
        b"\xff\xfe.lp",
        b"-dash.lp",
        b"{n}.lp",
        "\u{e9}.lp".as_bytes(),
    ] {
        let name = OsStr::from_bytes(name);
        let run = |arguments: &[&OsStr]| {
            let mut command = command();
            run_output(command.current_dir(folder.path()).args(arguments).finished())
        };
        let format = [OsStr::new("-f"), OsStr::new("json"), OsStr::new("--")];
        fs::write(folder.path().join(name), "a. b :- a.\n").expect("the file is writable");
        let succeeded = run(&[&format[..], &[name]].concat());
        assert_eq!(succeeded.code, 0, "{name:?}: {}", succeeded.err);
        assert_eq!(succeeded.json()["answers"][0]["atoms"], serde_json::json!(["a", "b"]));
        fs::write(folder.path().join(name), "a.\nb :- c(.\n").expect("the file is writable");
        let failed = run(&[&format[..], &[name]].concat());
        assert_eq!(failed.code, 2, "{name:?}");
        assert!(failed.err.contains(":2:8") && failed.err.contains("b :- c(."), "{name:?}: {}", failed.err);
        assert!(!failed.err.contains("<block>"), "{name:?}: {}", failed.err);
        // Uses the name for an encoding and for an output.
        fs::write(folder.path().join(name), fs::read("asp/rail/no_gate.lp").expect("an encoding"))
            .expect("the file is writable");
        let instance = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/deponia.lp");
        let mut encoding = std::ffi::OsString::from("--encoding=");
        encoding.push(name);
        let solved = run(&[instance.as_os_str(), OsStr::new("-n0"), &encoding]);
        assert_eq!(solved.code, 0, "{name:?}: {}", solved.err);
        let mut output = std::ffi::OsString::from("--output=out{n}");
        output.push(name);
        let drawn = run(&[instance.as_os_str(), OsStr::new("-fdot"), &output]);
        assert_eq!(drawn.code, 0, "{name:?}: {}", drawn.err);
        let number = if name == "{n}.lp" { &b"out11.lp"[..] } else { &[b"out1", name.as_bytes()].concat() };
        assert!(folder.path().join(OsStr::from_bytes(number)).is_file(), "{name:?}: {:?}", names(folder.path()));
    }
}

#[test]
fn messages_quote_little_of_a_large_input() {
    let folder = folder();
    let long = "x".repeat(5_000_000);
    for (name, text) in [
        ("line.lp", format!("{long} :- b(.\n")),
        ("token.lp", format!("a({long}. b :- {long}(.\n")),
        ("undefined.lp", format!("a :- {long}.\n")),
        ("unsafe.lp", format!("a({}) :- b.\n", long.to_uppercase())),
        ("board.txt", format!("1 2 3\n4 {long} 6\n7 8 .\n")),
        ("game.json", format!("{{\"start\": 1, \"moves\": [\"n+{long}\"], \"goal\": [4]}}")),
    ] {
        let path = file(folder.path(), name, text);
        let ran = crate::support::run([path.as_path(), Path::new("-q"), Path::new("--time-limit=20")]);
        assert!(ran.err.len() < 20_000, "{name}: {} bytes", ran.err.len());
    }
}

#[test]
fn no_control_character_of_the_input_reaches_a_terminal() {
    let folder = folder();
    let text = "p(\"\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{8}\"). q :- r.\n";
    file(folder.path(), "good.lp", text);
    file(folder.path(), "bad\u{1b}[2J\u{7}.lp", "a(\"\u{1b}[2J\u{7}\") :- b(.\n");
    for format in ["text", "asp", "json", "clingo-json", "lines"] {
        let shown = on_a_terminal(&["good.lp", "-f", format].map(OsStr::new), folder.path(), 80, false);
        assert!(shown.contains("title"), "{format}: {shown:?}");
        for control in ["\u{1b}]", "\u{1b}[2J", "\u{7}", "\u{8}", "\u{9b}"] {
            assert!(!shown.contains(control), "{format}: {shown:?}");
        }
    }
    let shown = on_a_terminal(&["bad\u{1b}[2J\u{7}.lp", "-v"].map(OsStr::new), folder.path(), 80, false);
    assert!(shown.contains("␛[2J␇.lp") && !shown.contains("\u{1b}[2J") && !shown.contains('\u{7}'), "{shown:?}");
    assert!(shown.contains("\u{1b}["), "our own colours are there: {shown:?}");
    // In a pipe, the answers are unchanged; messages never have control characters.
    let piped = shell(folder.path(), "exec \"$A\" good.lp -f asp");
    assert!(piped.out.contains("\u{1b}]0;title\u{7}\u{1b}[2J"), "{:?}", piped.out);
    let piped = shell(folder.path(), "exec \"$A\" bad*.lp");
    assert!(piped.err.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", piped.err);
}

#[test]
fn the_progress_line_is_erased_before_other_output() {
    let folder = folder();
    file(folder.path(), "many.lp", "{ a(1..60) }.\n");
    let pigeons = "{ in(P,1..12) } = 1 :- P = 1..13. :- in(P,H), in(Q,H), P < Q.\n";
    file(folder.path(), "pigeons.lp", pigeons);
    for (name, format, is_quiet) in
        [("many.lp", "text", false), ("pigeons.lp", "text", true), ("pigeons.lp", "clingo-json", true)]
    {
        let is_progress = |part: &str| {
            let behind = ["answers, ", "no answer yet, "].iter().find_map(|words| part.split_once(words));
            behind.is_some_and(|(_, behind)| behind.starts_with(|sign: char| sign.is_ascii_digit()))
        };
        let progress = |part: &&&str| is_progress(part);
        let shown = retry_with_longer_limits(|limit| {
            let arguments = [name, "-n", "0", "--time-limit", limit, "-f", format];
            let shown = on_a_terminal(&arguments.map(OsStr::new), folder.path(), 80, false);
            let has_progress = shown.split("\r\u{1b}[2K").skip(1).any(is_progress);
            (!is_quiet || has_progress).then_some(shown)
        });
        let parts: Vec<&str> = shown.split("\r\u{1b}[2K").skip(1).collect();
        for part in parts.iter().filter(progress) {
            assert!(part.ends_with(" s") && part.len() < 40, "{name}: {:?}", &part[..part.len().min(200)]);
        }
        assert!(shown.ends_with('\n'), "{name}: it is gone in the end");
    }
}

#[cfg(unix)]
#[test]
fn the_example_of_every_puzzle_runs_in_a_shell() {
    let names = ["rail", "amphipod", "taquin", "minesweeper", "game", "program"];
    for name in names {
        let listed = run_line(&format!("list {name}")).out;
        assert!(names.iter().filter(|other| listed.starts_with(&format!("{other}:"))).eq([&name]), "{listed}");
        let example = listed.lines().find_map(|line| line.strip_prefix("  example    ")).expect("an example");
        let line = example.replace("asp-solve ", &format!("'{}' ", env!("CARGO_BIN_EXE_asp-solve")));
        let ran = run_output(command_of("sh").args(["-c", &line]).finished());
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    }
    assert_eq!(run_line("list chess").code, 2);
}

/// Runs programs that fail after output has begun, with options that print answers earlier.
#[test]
fn a_late_error_completes_the_document() {
    let folder = folder();
    // clasp rejects weights of one atom whose sum exceeds 32 bits when it begins to solve.
    let weights = "1{ab;c}1. a:-ab. b:-ab.\n#minimize{2147483647,0:a;2147483647,1:b;5,2:c}.\n";
    let weights = file(folder.path(), "weights.lp", weights);
    let projects = file(folder.path(), "projects.lp", "{a}. #project a/0. b.\n");
    // This program fails in the third step, after answers.
    let later = "#include <incmode>.\n#const imin = 4.\n{a}.\n#program step(t).\n\
        1 {b(t);d(t)} 1. e(t) :- b(t). f(t) :- b(t).\n#minimize{2147483647,t,0 : e(t), t > 2; 2147483647,t,1 : f(t), t > 2}.\n";
    let later = file(folder.path(), "later.lp", later);
    for (path, options, answers) in [
        (&weights, "-n 0", 0),
        (&weights, "-n 0 --check", 0),
        (&projects, "--project --engine native -n 0", 0),
        (&later, "-n 0", 14),
    ] {
        let path = path.to_str().expect("UTF-8");
        let run = |format: &str| run_line(&format!("{path} {options} -f {format}"));
        let json = run("json");
        let value = json.json();
        let error = value["error"].as_str().expect("an error").to_owned();
        assert_eq!(
            (json.code, &value["verdict"], &value["complete"]),
            (2, &"gave-up".into(), &false.into()),
            "{value}"
        );
        assert_eq!(value["answers"].as_array().map(Vec::len), Some(answers), "{value}");
        assert!(value["statistics"].is_object() && json.err.contains(&error), "{value}{}", json.err);
        let text = run("text");
        assert_eq!(text.code, 2);
        assert!(!text.out.contains("proven") && text.err.contains(&error), "{}{}", text.out, text.err);
        assert_eq!(
            text.out.ends_with(&format!("Ended by an error; there may be more answers: {error}\n")),
            answers > 0
        );
        // Formats of clingo have clingo's exit code for errors.
        let clingos = run("asp");
        assert_eq!(clingos.code, 65);
        assert!(clingos.out.contains("\nUNKNOWN\n"), "{}", clingos.out);
        assert!(clingos.out.contains(&format!("\nERROR        : {error}\n")), "{}", clingos.out);
        let clingos = run("clingo-json");
        assert_eq!((clingos.code, &clingos.json()["ERROR"]), (65, &error.as_str().into()));
        assert_eq!(run("lines").code, 2);
    }
    // Without any output, nothing is completed.
    let wrong = file(folder.path(), "wrong.lp", "a(X) :- not b(X).\n");
    for format in ["json", "text", "lines", "svg"] {
        let ran = run_line(&format!("{} -f {format}", wrong.display()));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_is_an_error_in_every_command() {
    let lines = [
        "--help",
        "-h",
        "--version",
        "list",
        "list sudoku",
        "man",
        "completions bash",
        "generate --help",
        "verify --help",
        "instances/sudoku.txt",
        "instances/queens.lp -f json",
        "instances/queens.lp",
    ];
    for line in lines {
        for target in ["> /dev/full", ">&-"] {
            let ran = shell(Path::new("."), &format!("cd \"$R\"; exec \"$A\" {line} {target}"));
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line} {target}: {}", ran.err);
            assert!(ran.err.contains("error: cannot write the output: "), "{line} {target}: {}", ran.err);
        }
        // A closed pipe is not an error.
        let mut child = command();
        child.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("the command starts");
        drop(child.stdout.take());
        let ran = run_output(child.finished());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}");
    }
    // The null device is a valid output however it was opened.
    for target in ["> /dev/null", "<> /dev/null >&0"] {
        let ran = shell(Path::new("."), &format!("exec \"$A\" --help {target}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{target}");
    }
}
