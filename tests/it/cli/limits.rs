//! Tests limits, interrupts and broken outputs: the run ends cleanly and reports the cause.
//!
//! No time is measured: a run that ignored its limit would take hours and is killed after
//! [`PATIENCE`].

use std::io::Read;
use std::path::Path;
use std::process::{ChildStdout, Stdio};

use crate::support::process::*;
use crate::support::{answers, command, extent, file, folder, programs, run, run_line, run_output};

/// Grounding takes hours if memory suffices.
const EXPLOSION: &str = "p(1..1000000). q(X,Y) :- p(X), p(Y).\n";
/// Has 2⁶⁰ answers.
const MANY: &str = "{ a(1..60) }.\n";

#[test]
fn the_time_limit_holds_while_clingo_grounds() {
    let folder = folder();
    let path = file(folder.path(), "explosion.lp", EXPLOSION);
    in_parallel(["text", "json", "asp", "clingo-json"], |format| {
        let ran = run([path.to_str().expect("UTF-8"), "--time-limit", "0.3", "-f", format]);
        let clingos = format == "asp" || format == "clingo-json";
        assert_eq!(ran.code, if clingos { 1 } else { 3 }, "{format}: {}", ran.err);
        assert!(
            ran.out.contains(if clingos { "UNKNOWN" } else { "the time limit was reached" }),
            "{format}: {}",
            ran.out
        );
    });
}

#[test]
fn the_memory_limit_holds_while_clingo_grounds() {
    let folder = folder();
    let path = file(folder.path(), "explosion.lp", EXPLOSION);
    let ran = run([path.to_str().expect("UTF-8"), "--memory-limit", "100", "-f", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let value = ran.json();
    assert_eq!(value["verdict"], "gave-up");
    assert_eq!(value["complete"], false);
    assert_eq!(value["reason"], "the memory limit was reached");
}

#[test]
fn the_time_limit_keeps_the_answers_found_before() {
    let folder = folder();
    let path = file(folder.path(), "many.lp", MANY);
    let ran = retry_with_longer_limits(|limit| {
        let ran = run([path.to_str().expect("UTF-8"), "-n", "0", "--time-limit", limit, "-f", "json"]);
        assert_eq!(ran.code, 3);
        (!answers(&ran.json()).is_empty()).then_some(ran)
    });
    assert_eq!(ran.json()["verdict"], "gave-up");
}

#[test]
fn limits_of_the_rail_engines_are_reported() {
    // Interlocking levers make trips of astronomic length.
    let folder = folder();
    let path = file(folder.path(), "long.lp", crate::rail::engines::long_trips(26));
    in_parallel(["simulation", "asp"], |engine| {
        let ran =
            run([path.to_str().expect("UTF-8"), "-n", "0", "--time-limit", "0.3", "--engine", engine, "-f", "json"]);
        assert_eq!(ran.code, 3, "{engine}: {}", ran.err);
        assert_eq!(ran.json()["verdict"], "gave-up");
    });
}

/// Waits for the first `count` bytes of an output.
fn skip_bytes(mut output: ChildStdout, count: usize) -> ChildStdout {
    with_timeout("output comes", move || {
        output.read_exact(&mut vec![0; count]).expect("the output is longer");
        output
    })
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_solving_and_grounding_with_a_partial_result() {
    let folder = folder();
    for (name, text) in [("many.lp", MANY), ("explosion.lp", EXPLOSION)] {
        let path = file(folder.path(), name, text);
        let mut child = command()
            .args([path.to_str().expect("UTF-8"), "-n", "0", "-f", "json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdout = child.stdout.take().expect("the output is piped");
        if name == "many.lp" {
            // The head of the output is printed when solving has begun.
            stdout = skip_bytes(stdout, 64);
        } else {
            wait_until_grounding(child.id());
        }
        let reader = std::thread::spawn(move || {
            let mut rest = Vec::new();
            let _ = stdout.read_to_end(&mut rest);
            rest
        });
        interrupt(child.id());
        let status = child.ended();
        let rest = reader.join().expect("the reader ends");
        assert_eq!(status.code(), Some(3), "{name}");
        assert!(String::from_utf8_lossy(&rest).contains("\"reason\": \"interrupted\""), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_twice_exits_immediately_and_cleanly() {
    let folder = folder();
    let path = file(folder.path(), "explosion.lp", EXPLOSION);
    let child = command()
        .args([path.to_str().expect("UTF-8"), "-f", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    wait_until_grounding(child.id());
    interrupt(child.id());
    interrupt(child.id());
    let ran = run_output(child.finished());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(ran.json()["reason"], "interrupted");
}

/// Waits until a process handles Ctrl-C itself.
#[cfg(target_os = "linux")]
pub fn wait_until_interruptible(process: u32) {
    wait_until("the process takes Ctrl-C", || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the process exists");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("Linux reports it");
        u64::from_str_radix(caught.trim(), 16).expect("a mask") & 1 << (2 - 1) != 0
    });
}

/// Waits until a process with endless grounding handles Ctrl-C itself and uses memory.
#[cfg(target_os = "linux")]
fn wait_until_grounding(process: u32) {
    const KILOBYTES: u64 = 100_000;
    wait_until_interruptible(process);
    wait_until("the process grounds", || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the process exists");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix(" kB"));
        resident.expect("Linux reports it").trim().parse::<u64>().expect("a number") > KILOBYTES
    });
}

#[cfg(all(unix, not(target_os = "linux")))]
fn wait_until_grounding(process: u32) {
    wait_until_interruptible(process);
}

/// Other systems do not report it, so this waits long enough.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn wait_until_interruptible(_: u32) {
    std::thread::sleep(std::time::Duration::from_millis(300));
}

#[cfg(unix)]
pub fn interrupt(process: u32) {
    assert!(command_of("kill").args(["-INT", &process.to_string()]).finished().status.success());
}

#[cfg(unix)]
#[test]
fn reading_obeys_the_limits() {
    let lines = ["/dev/zero --time-limit 0.3", "/dev/zero --memory-limit 100", "expand /dev/zero --time-limit 0.3"];
    in_parallel(lines, |arguments| {
        let ran = run_line(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{arguments}: {}", ran.err);
        assert!(ran.err.contains("limit was reached"), "{arguments}: {}", ran.err);
    });
    // One pipe receives no data, the other receives data without end.
    for text in ["", "y\n"] {
        let mut child = command()
            .args(["-", "--time-limit", "0.3"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("the input is piped");
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            let text = text.repeat(4096);
            while !text.is_empty() && stdin.write_all(text.as_bytes()).is_ok() {}
            stdin
        });
        let ran = run_output(child.finished());
        drop(writer.join());
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("gave up before the input was read"), "{}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_reported_as_a_limit() {
    let folder = folder();
    let explosion = file(folder.path(), "explosion.lp", EXPLOSION);
    let explosion = explosion.to_str().expect("UTF-8");
    for (kilobytes, arguments, is_enough) in [
        // The run needs 350,000; threads that wait for each other reserve more.
        (600_000, "instances/taquin_exam.txt --heuristic pdb", true),
        (600_000, "instances/taquin_exam.txt --heuristic pdb --tables large", false),
        (300_000, "instances/taquin_exam.txt --engine bfs", false),
        (600_000, explosion, false),
    ] {
        // Cached tables would need less memory.
        let program = env!("CARGO_BIN_EXE_asp-solve");
        let script = format!("ulimit -v {kilobytes}; XDG_CACHE_HOME=/dev/null exec {program} {arguments}");
        let ran = run_output(command_of("sh").args(["-c", &script]).finished());
        assert_eq!(ran.code, if is_enough { 0 } else { 3 }, "{arguments} in {kilobytes} KB: {}", ran.err);
        assert!(is_enough || ran.out.contains("Gave up: the memory limit was reached"), "{}", ran.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_for_records_of_grounding_is_reported_as_a_limit() {
    let folder = folder();
    let path = file(folder.path(), "explosion.lp", EXPLOSION);
    let path = path.to_str().expect("UTF-8");
    let commands =
        [path.to_owned(), format!("why {path}"), format!("profile {path}"), format!("compare {path} {path}")];
    let sizes = if extent::is_complete() { &[200_000, 300_000][..] } else { &[200_000] };
    for (kilobytes, arguments) in commands.iter().flat_map(|command| sizes.iter().map(move |size| (size, command))) {
        let script = format!("ulimit -v {kilobytes}; exec {} {arguments}", env!("CARGO_BIN_EXE_asp-solve"));
        let ran = run_output(command_of("sh").args(["-c", &script]).finished());
        assert_eq!(ran.code, 3, "{arguments} in {kilobytes} KB: {}", ran.err);
        let output = ran.out.to_lowercase() + &ran.err;
        assert!(output.contains("gave up: the memory limit was reached"), "{arguments}: {output}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_abort_is_not_reported_as_a_memory_limit() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;

    let folder = folder();
    let many = file(folder.path(), "many.lp", "{ a(1..40) }.\n");
    let program = env!("CARGO_BIN_EXE_asp-solve");
    let script = format!("ulimit -v 4000000; exec {program} {} -n 0 -f lines", many.display());
    let mut child = std::process::Command::new("sh");
    child.args(["-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("sh starts");
    let mut lines = BufReader::new(child.stdout.take().expect("the output is piped")).lines();
    let lines = with_timeout("a line is printed", move || {
        lines.next().expect("a line").expect("text");
        lines
    });
    assert!(command_of("kill").args(["-ABRT", &child.id().to_string()]).finished().status.success());
    with_timeout("the output ends", move || lines.for_each(drop));
    let output = child.finished();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(errors, "error: the process was aborted; this is a defect of asp-solve\n");
    assert_eq!(output.status.signal(), Some(6), "{:?}", output.status);
}

#[test]
fn a_generator_without_a_first_board_stops_at_the_limit() {
    for line in ["generate akari --size 40x40", "generate slither --size 60x60 --count 100"] {
        let ran = run_line(&format!("{line} --time-limit 0.2"));
        assert_eq!((ran.code, &*ran.err), (3, "gave up: the time limit was reached\n"), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs permission to create a control group"]
fn a_search_without_a_limit_fits_into_its_control_group() {
    let folder = folder();
    let board =
        file(folder.path(), "board.txt", "1 24 3 22 5\n20 7 18 9 16\n11 14 13 12 15\n10 17 8 19 6\n21 4 23 2 0\n");
    let old = Path::new("/sys/fs/cgroup/memory");
    let (root, limit) =
        if old.exists() { (old, "memory.limit_in_bytes") } else { (old.parent().expect("a root"), "memory.max") };
    let group = root.join(format!("asp-solve-{}", std::process::id()));
    let created = std::fs::create_dir(&group).and_then(|()| std::fs::write(group.join(limit), "300000000"));
    if let Err(error) = created {
        let _ = std::fs::remove_dir(&group);
        return programs::skip(&format!("no control group can be created: {error}"));
    }
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec {} {} --engine bfs",
        group.display(),
        env!("CARGO_BIN_EXE_asp-solve"),
        board.display()
    );
    let ran = run_output(command_of("sh").args(["-c", &script]).finished());
    let _ = std::fs::remove_dir(&group);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("the memory limit was reached"), "{}", ran.out);
}

#[test]
fn a_broken_pipe_is_success() {
    let folder = folder();
    let path = file(folder.path(), "many.lp", MANY);
    for format in ["text", "json"] {
        let mut child = command()
            .args([path.to_str().expect("UTF-8"), "-n", "0", "-f", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let stdout = child.stdout.take().expect("the output is piped");
        drop(skip_bytes(stdout, 100));
        let ran = run_output(child.finished());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
    }
}

/// Files for the commands for authors: one with hours of grounding, one with hours of search, a
/// small one, and one with a mutant that has billions of instances. None of these instances takes
/// memory.
const AUTHORS: [(&str, &str); 4] = [
    ("endless.lp", "p(1..1000000). q(X,Y) :- p(X), p(Y).\n#program test_a(base).\ncannot(x) :- q(0,0).\n"),
    (
        "long.lp",
        "n(1..13). m(1..12). { in(P,H) : m(H) } = 1 :- n(P). :- in(P,H), in(Q,H), P < Q.\n\
         #program test_a(base).\ncannot(x) :- not in(1,_).\n",
    ),
    ("small.lp", "{ a }. b :- a.\n#program test_a(base).\ncannot(b) :- a, not b.\n"),
    (
        "mutant.lp",
        "p(1..100000). least. q :- not least, p(X), p(Y), X*Y < 0.\n#program test_a(base).\ncannot(q) :- q.\n",
    ),
];

fn authors_files() -> tempfile::TempDir {
    let folder = folder();
    for (name, text) in AUTHORS {
        file(folder.path(), name, text);
    }
    folder
}

fn authors_command(folder: &Path, line: &str) -> std::process::Command {
    let mut command = command();
    command.current_dir(folder).args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn commands_for_authors_obey_their_limits() {
    let folder = authors_files();
    let lines = [
        "test endless.lp",
        "test long.lp",
        "test --mutants endless.lp",
        "test --mutants long.lp -f json",
        "profile endless.lp",
        "profile long.lp",
        "compare endless.lp endless.lp",
        "compare long.lp long.lp --runs 0",
    ];
    let of_memory = lines.iter().filter(|line| line.contains("endless.lp"));
    let limited = lines.iter().map(|line| format!("{line} --time-limit 0.3"));
    in_parallel(limited.chain(of_memory.map(|line| format!("{line} --memory-limit 100"))), |line| {
        let ran = run_output(authors_command(folder.path(), &line).finished());
        assert_eq!(ran.code, 3, "{line}: {}{}", ran.out, ran.err);
        assert!((ran.out.clone() + &ran.err).contains("limit"), "{line}: {}{}", ran.out, ran.err);
    });
}

/// Returns the number of processes of a group.
#[cfg(target_os = "linux")]
fn processes_of(group: u32) -> usize {
    let of_entry = |entry: std::io::Result<std::fs::DirEntry>| {
        let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
        (fields[0] != "Z" && fields[2] == group.to_string()).then_some(())
    };
    std::fs::read_dir("/proc").expect("Linux has /proc").filter_map(of_entry).count()
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_commands_for_authors_and_their_child_processes() {
    use std::os::unix::process::CommandExt;
    let folder = authors_files();
    let cases = [
        ("test endless.lp", 1),
        ("test endless.lp", 2),
        ("test --mutants endless.lp", 1),
        ("test --mutants mutant.lp", 1),
        ("test --mutants mutant.lp", 2),
        ("profile endless.lp", 1),
        ("profile long.lp", 2),
        ("compare endless.lp endless.lp", 1),
        ("compare long.lp long.lp", 2),
    ];
    in_parallel(cases, |(line, times)| {
        let child = authors_command(folder.path(), line).process_group(0).spawn().expect("the command starts");
        let group = child.id();
        if line.contains("--mutants") {
            wait_until("a mutant is tried", || processes_of(group) > 1);
        }
        wait_until_interruptible(group);
        for _ in 0..times {
            let _ = command_of("kill").args(["-INT", "--", &format!("-{group}")]).finished();
        }
        let ran = run_output(child.finished());
        // A surviving mutant may already be known.
        let is_known = line.contains("mutant.lp") && ran.code == 1;
        assert!(ran.code == 3 || is_known, "{line}: {} {}{}", ran.code, ran.out, ran.err);
        wait_until("all processes end", || processes_of(group) == 0);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn mutant_processes_end_with_their_parent() {
    use std::os::unix::process::CommandExt;
    let folder = authors_files();
    let mut command = authors_command(folder.path(), "test --mutants mutant.lp -t 1 --time-limit 1000");
    let mut child = command.process_group(0).spawn().expect("the command starts");
    let group = child.id();
    wait_until("a mutant is tried", || processes_of(group) > 1);
    std::thread::sleep(std::time::Duration::from_millis(500));
    child.kill().expect("the process exists");
    child.ended();
    wait_until("all processes end", || processes_of(group) == 0);
}

#[cfg(target_os = "linux")]
#[test]
fn commands_for_authors_accept_broken_pipes() {
    let folder = authors_files();
    for line in [
        "test small.lp",
        "test small.lp -f json",
        "test --coverage small.lp",
        "test --mutants small.lp",
        "profile small.lp",
        "profile small.lp -f json",
        "compare small.lp small.lp --runs 0",
        "compare small.lp small.lp --runs 0 -f json",
    ] {
        let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
        let on_a_full_disk = run_output(authors_command(folder.path(), line).stdout(full()).finished());
        assert_eq!(on_a_full_disk.code, 2, "{line}: {}", on_a_full_disk.err);
        assert!(on_a_full_disk.err.contains("cannot write the output"), "{line}: {}", on_a_full_disk.err);
        let undisturbed = run_output(authors_command(folder.path(), line).finished());
        let mut child = authors_command(folder.path(), line).spawn().expect("the command starts");
        drop(child.stdout.take());
        let ended = run_output(child.finished());
        assert_eq!((ended.code, ended.err.as_str()), (undisturbed.code, ""), "{line}");
    }
    for option in ["--junit", "--lcov", "--output"] {
        let ran = |path: &str| {
            let line = format!("test small.lp {option} {path}");
            run_output(authors_command(folder.path(), &line).finished())
        };
        assert_eq!(ran("/dev/full").code, 2, "{option}");
        let rejected = ran("small.lp");
        let expected = format!("error: {option} small.lp is the input small.lp; it would be lost\n");
        assert_eq!((rejected.code, rejected.out, rejected.err), (2, String::new(), expected));
    }
    // An encoding found by its name is also an input.
    let encodings = folder.path().join("asp/puzzles");
    std::fs::create_dir_all(&encodings).expect("a folder");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("asp/puzzles/sudoku.lp");
    std::fs::copy(shipped, encodings.join("sudoku.lp")).expect("a built-in file");
    let line = "compare sudoku other.lp --generate sudoku --count 1 --asp-dir asp -o asp/puzzles/sudoku.lp";
    file(folder.path(), "other.lp", "#show number/3.\n");
    let rejected = run_output(authors_command(folder.path(), line).finished());
    assert_eq!(rejected.code, 2, "{}", rejected.err);
    assert!(rejected.err.contains("it would be lost"), "{}", rejected.err);
}

#[test]
fn output_files_are_written_atomically() {
    let folder = folder();
    let out = folder.path().join("out.json");
    let succeeded = run([Path::new("instances/deponia.lp"), "-f".as_ref(), "json".as_ref(), "-o".as_ref(), &out]);
    assert_eq!((succeeded.code, succeeded.out.as_str()), (0, ""));
    let before = std::fs::read_to_string(&out).expect("the file was written");
    assert!(before.contains("\"verdict\": \"solved\""));

    let wrong = file(folder.path(), "wrong.lp", "a :- (");
    let failed = run([wrong.as_path(), "-o".as_ref(), &out]);
    assert_eq!(failed.code, 2);
    assert_eq!(std::fs::read_to_string(&out).expect("the file is still there"), before);
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    for arguments in ["instances/deponia.lp -o /dev/full", "generate minesweeper -o /dev/full"] {
        let ran = crate::support::run_line(arguments);
        assert_eq!(ran.code, 2, "{}", ran.err);
        let kind = std::fs::metadata("/dev/full").expect("Linux has /dev/full").file_type();
        assert!(kind.is_char_device());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let mut child = command();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
    let output = child.args(["instances/deponia.lp", "-n", "0"]).stdout(full).finished();
    let ran = run_output(output);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write the output"), "{}", ran.err);
}

#[test]
fn why_and_hint_write_their_output_when_grounding_reaches_a_limit() {
    let folder = folder();
    let path = file(folder.path(), "explosion.lp", EXPLOSION);
    in_parallel(["why", "hint"], |name| {
        let out = folder.path().join(format!("{name}.json"));
        let mut child = command();
        child.arg(name).arg(&path).args(["-f", "json", "--time-limit", "0.3"]);
        let stopped = run_output(child.arg("-o").arg(&out).finished());
        assert_eq!((stopped.code, stopped.out.as_str()), (3, ""), "{name}: {}", stopped.err);
        let written = std::fs::read_to_string(&out).expect("the file was written");
        assert!(written.contains("\"verdict\": \"gave-up\""), "{name}: {written}");
        #[cfg(target_os = "linux")]
        {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
            let mut child = command();
            child.arg(name).arg(&path).args(["-f", "json", "--time-limit", "0.3"]);
            let failed = run_output(child.stdout(full).finished());
            assert_eq!(failed.code, 2, "{name}: {}", failed.err);
            assert!(failed.err.contains("cannot write the output"), "{name}: {}", failed.err);
        }
    });
}

#[test]
fn an_answer_without_a_proof_of_optimality_at_the_limit_is_incomplete() {
    // clingo takes seconds to find a first plan for this board of the Advent of Code, and many more
    // to find the best.
    let ran = run_line("instances/amphipod_article.txt --engine asp --time-limit 1 -f json");
    assert_eq!(ran.code, 3, "{}", ran.err);
    let value = ran.json();
    assert_eq!((&value["verdict"], &value["complete"]), (&"gave-up".into(), &false.into()));
}

#[test]
fn including_an_endless_file_obeys_the_limit() {
    let folder = folder();
    let path = file(folder.path(), "endless.lp", "#include \"/dev/zero\".");
    let ran = run([path.to_str().expect("UTF-8"), "--time-limit", "5"]);
    assert!(ran.code == 2 || ran.code == 3, "{}", ran.err);
}

/// Returns a railway with ten levers and twelve gates. It has a huge number of trips, each over
/// more than sixty nodes.
fn many_trips() -> String {
    let fork = |fork: usize| {
        let next = fork + 1;
        let color = fork % 10;
        let gate = fork % 12;
        format!(
            "color(f{fork},c{color}). rel(f{fork},1,f{next}). rel(f{fork},2,p{fork}). gate({gate},p{fork}). rel(p{fork},1,f{next}).\n"
        )
    };
    (0..60).map(fork).fold("start(f0). target(f60).\n".to_owned(), |text, fork| text + &fork)
}

/// Tests all printers on a railway with many trips and on answers of a program, with and without
/// drawing.
#[test]
fn limits_hold_while_answers_are_printed() {
    let folder = folder();
    let rail = file(folder.path(), "rail.lp", many_trips());
    let many = file(folder.path(), "many.lp", MANY);
    let drawn =
        file(folder.path(), "drawn.lp", "{ x(1..40) }. draw(cell(1,I),I) :- x(I). draw(cell(1,41),1). #show x/1.\n");
    let numbered = folder.path().join("o-{n}.svg");
    let numbered = numbered.to_str().expect("UTF-8");
    let formats = ["text", "json", "lines", "html", "svg", "dot", "asp", "clingo-json"];
    let each: Vec<Vec<&str>> = formats.map(|format| vec!["-f", format]).to_vec();
    let files = [vec!["-f", "svg", "-o", numbered], vec!["-f", "dot", "-o", numbered], vec!["-f", "text", "-q"]];
    let of_rail = [vec!["--outcome", "any"], vec!["--outcome", "any", "-f", "html"], vec!["-f", "text", "-v"]];
    let cases =
        each.iter().chain(&files).map(|options| (&rail, options)).chain(of_rail.iter().map(|options| (&rail, options)));
    // Grids cannot be printed as graphs.
    let grids = each.iter().filter(|options| options[1] != "dot");
    let programs = each.iter().filter(|options| !["html", "svg", "dot"].contains(&options[1]));
    let cases = cases.chain(programs.map(|options| (&many, options))).chain(grids.map(|options| (&drawn, options)));
    let cases: Vec<_> = cases.collect();
    assert_eq!(cases.len(), 8 + 3 + 3 + 5 + 7);
    in_parallel(cases, |(path, options)| {
        let is_clingo_format = ["asp", "clingo-json"].contains(&options[1]);
        // clingo solves large railways only on request.
        let engine = if is_clingo_format && path == &rail { &["--engine", "asp"][..] } else { &[] };
        let is_written_in_parts = ["text", "json", "lines", "html"].contains(&options[1]);
        let ran = retry_with_longer_limits(|limit| {
            let all = [path.to_str().expect("UTF-8"), "-n", "0", "--time-limit", limit];
            let ran = run(all.iter().chain(options).chain(engine));
            (!is_written_in_parts || !ran.out.is_empty()).then_some(ran)
        });
        // Without a limit this would take hours. clingo may find no trip in time.
        let codes = if is_clingo_format { [11, 1] } else { [3, 3] };
        assert!(codes.contains(&ran.code), "{path:?} {options:?}: {} {}", ran.code, ran.err);
    });
}

#[test]
fn only_shown_atoms_of_answers_are_stored() {
    let folder = folder();
    let program = "{ x(1..17) }. draw(cell(1,I),I) :- x(I). aux(X,Y) :- x(X), x(Y). #show x/1.\n";
    let path = file(folder.path(), "drawn.lp", program);
    let ran = run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "lines", "--memory-limit", "150"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1 << 17), "{}", ran.err);
}
