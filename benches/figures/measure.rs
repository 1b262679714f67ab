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

/// Runs `asp-solve` with its cache in the folder `cache`.
pub fn run(cache: &Path, arguments: &[&str], input: &str) -> Ran {
    run_any(Command::new(env!("CARGO_BIN_EXE_asp-solve")).env("XDG_CACHE_HOME", cache).args(arguments), input)
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
