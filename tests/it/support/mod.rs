//! Runs the command as a user does.

pub mod devtools;
pub mod editor;
pub mod extent;
pub mod process;
pub mod program;
pub mod programs;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub use process::{BoundedChild, BoundedCommand, command_of};
pub use program::program;

/// The exit code and output of a run.
pub struct RunOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl RunOutput {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("not JSON ({error}):\n{}\n{}", self.out, self.err))
    }
}

/// Returns the command in the project's folder, without settings of the user.
pub fn command() -> Command {
    let program = program();
    let mut command = command_of(&program[0]);
    command.args(&program[1..]);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("ASP_SOLVE_DIR")
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

pub fn run_output(output: Output) -> RunOutput {
    RunOutput {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> RunOutput {
    run_output(command().args(arguments).finished())
}

/// Runs with arguments separated by blanks.
pub fn run_line(line: &str) -> RunOutput {
    run(line.split_whitespace())
}

/// Returns true, and says that the test is skipped, if the clingo that is linked is not the one that
/// the build patches.
pub fn lacks_patches(test: &str) -> bool {
    let lacks = asp::version() != (5, 8, 2);
    if lacks {
        println!("SKIPPED {test}: only clingo 5.8.2 is patched");
    }
    lacks
}

/// Runs with a text on standard input; the arguments must contain `-`.
pub fn run_with_input(line: &str, input: &str) -> RunOutput {
    run_command_with_input(command(), line, input)
}

/// Runs a prepared command with a text on standard input.
pub fn run_command_with_input(mut command: Command, line: &str, input: &str) -> RunOutput {
    let mut child = command
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("the input is piped");
    let text = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = child.finished();
    writer.join().expect("the writer ends");
    run_output(output)
}

/// Returns the number of built-in pencil puzzles: of the files in `asp/puzzles` at build time.
pub fn pencil_puzzles() -> usize {
    asp_solve::builtin::registry().all().iter().filter(|entry| is_pencil_puzzle(entry.name())).count()
}

pub fn is_pencil_puzzle(name: &str) -> bool {
    let about = asp_solve::builtin::registry().by_name(name).map(|entry| entry.about());
    about.is_some_and(|about| {
        about.encodings.first().is_some_and(|encoding| encoding.files[0].path.starts_with("puzzles/"))
    })
}

/// Returns the data inside a page.
pub fn page_data(page: &str) -> Value {
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    serde_json::from_str(data).expect("JSON")
}

/// Creates a temporary folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a file below a folder and returns its path.
pub fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder is created");
    std::fs::write(&path, text).expect("the file is writable");
    path
}

/// Returns the answers of a JSON output.
pub fn answers(value: &Value) -> &Vec<Value> {
    value["answers"].as_array().expect("a list of answers")
}

/// Returns the output of a run on a terminal with `columns` columns.
#[cfg(unix)]
pub fn on_a_terminal(arguments: &[&std::ffi::OsStr], folder: &Path, columns: u16, without_colors: bool) -> String {
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    let control = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal is available");
    grantpt(&control).expect("a pseudo-terminal is available");
    unlockpt(&control).expect("a pseudo-terminal is available");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&control, size).expect("a terminal has a size");
    let name = ptsname(&control, Vec::new()).expect("a terminal has a name");
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open(name).expect("a terminal can be opened");
    let mut command = command();
    command.args(arguments).current_dir(folder).env("TERM", "xterm");
    if !without_colors {
        command.env_remove("NO_COLOR");
    }
    command.stdout(terminal.try_clone().expect("a copy")).stderr(terminal);
    let mut child = command.spawn().expect("the command starts");
    drop(command);
    let bytes = process::with_timeout("the terminal is closed", move || {
        let mut bytes = Vec::new();
        // Closing a terminal is an error for its reader.
        let _ = std::fs::File::from(control).read_to_end(&mut bytes);
        bytes
    });
    child.ended();
    String::from_utf8_lossy(&bytes).into_owned()
}
