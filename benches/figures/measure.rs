//! Runs commands and measures their resources.

use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

pub struct Ran {
    pub code: i32,
    pub output: String,
    pub errors: String,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The processor time of all threads in seconds.
    pub cpu_seconds: f64,
    /// Peak resident memory in megabytes, as reported by Linux.
    pub megabytes: f64,
}

/// Returns the measured command: the one that was built with the bench, or `$ASP_SOLVE`.
pub fn asp_solve() -> String {
    std::env::var("ASP_SOLVE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_asp-solve").to_owned())
}

/// Runs `asp-solve` with its cache in the folder `cache`.
pub fn run(cache: &Path, arguments: &[&str], input: &str) -> Ran {
    run_any(Command::new(asp_solve()).env("XDG_CACHE_HOME", cache).args(arguments), input)
}

/// Makes a command of a line of words.
pub fn command_of(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a command has a first word"));
    command.args(words);
    command
}

/// Returns the command lines of `$CLINGO`, separated by semicolons, each with its name and version:
/// `clingo 5.8.3`, or `pyclingo 5.8.3` for the Python package. Without the variable, the command
/// `clingo` is looked for.
pub fn clingos() -> Vec<(String, String)> {
    let lines = std::env::var("CLINGO").unwrap_or_else(|_| "clingo".to_owned());
    let named = |line: &str| {
        let output = command_of(line).arg("--version").output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (name, rest) = text.split_once(' ')?;
        let version = rest.split_whitespace().find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()))?;
        Some((format!("{name} {version}"), line.to_owned()))
    };
    lines
        .split(';')
        .filter_map(|line| {
            named(line).or_else(|| {
                println!("there is no {line} to compare with");
                None
            })
        })
        .collect()
}

/// Runs a command `times` times without its output and returns its mean processor time in seconds.
pub fn cpu_seconds(line: &str, times: usize) -> f64 {
    let one = || {
        let mut command = command_of(line);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let exit = command.spawn().and_then(|child| child.wait4());
        let usage = exit.unwrap_or_else(|error| panic!("{line}: {error}")).rusage;
        (usage.utime + usage.stime).as_secs_f64()
    };
    (0..times).map(|_| one()).sum::<f64>() / times as f64
}

/// Runs a command.
pub fn run_any(command: &mut Command, input: &str) -> Ran {
    let [mut stdin, mut errors] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
    stdin.write_all(input.as_bytes()).and_then(|()| stdin.rewind()).expect("the input fits the disk");
    let started = Instant::now();
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(errors.try_clone().expect("a file has many handles"))
        .spawn()
        .expect("the command starts");
    // The peak that `wait4` reports is at least that of this process before the fork.
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0.0_f64;
        while let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            let Some(kilobytes) = kilobytes else { break };
            peak = peak.max(kilobytes * 1.024e-3);
            std::thread::sleep(Duration::from_millis(1));
        }
        peak
    });
    let mut output = Vec::new();
    let _ = child.stdout.take().expect("the output is piped").read_to_end(&mut output);
    let exit = child.wait4().expect("the command ends");
    let seconds = started.elapsed().as_secs_f64();
    let mut errors_text = String::new();
    errors.rewind().and_then(|()| errors.read_to_string(&mut errors_text)).expect("errors can be read");
    Ran {
        code: exit.status.code().unwrap_or(-1),
        output: String::from_utf8_lossy(&output).into_owned(),
        errors: errors_text,
        seconds,
        cpu_seconds: (exit.rusage.utime + exit.rusage.stime).as_secs_f64(),
        megabytes: watcher.join().expect("the watcher ends"),
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}
