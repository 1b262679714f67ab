//! Tests `watch` on real files.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};

use crate::support::process::*;
use crate::support::{file, folder, run_line};

struct WatchProcess {
    child: Child,
    lines: Receiver<String>,
}

pub fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

impl WatchProcess {
    fn start(arguments: &[&str]) -> Self {
        let mut child = crate::support::command()
            .arg("watch")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let out = child.stdout.take().expect("the stream is piped");
        WatchProcess { child, lines: lines(out) }
    }

    /// Reads until a line contains the text and returns all lines read.
    fn read_until(&self, text: &str) -> String {
        let mut all = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no \"{text}\" in:\n{all}"));
            all += &line;
            all.push('\n');
            if line.contains(text) {
                return all;
            }
        }
    }
}

impl Drop for WatchProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn save(path: &Path, text: &str) {
    // Replaces the file by a new one, as editors do.
    let new = path.with_extension("new");
    std::fs::write(&new, text).expect("the file is writable");
    std::fs::rename(&new, path).expect("the file is renamed");
}

#[test]
fn a_saved_file_is_solved_again_and_a_broken_file_is_reported() {
    let folder = folder();
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let path = file(folder.path(), "mine.lp", &text);
    let watched = WatchProcess::start(&[path.to_str().expect("UTF-8"), "-n", "0"]);
    let first = watched.read_until("4 lines");
    assert!(first.contains("  211RV"), "{first}");
    save(&path, &text.replace("rel(z,1,t)", "rel(z,1,a)"));
    let after_loss = watched.read_until("0 new, 4 gone, 0 same");
    assert!(after_loss.contains("- 211RV"), "{after_loss}");
    save(&path, &text.replace("rel(z,1,t)", "rel(z,1,t"));
    let broken = watched.read_until("error");
    assert!(broken.contains("syntax error") || broken.contains("error:"), "{broken}");
    std::fs::write(&path, text.replace("rel(b,2,d)", "rel(b,2,e)")).expect("the file is writable");
    let mended = watched.read_until(" new, ");
    assert!(mended.contains("+ 2"), "{mended}");
}

#[test]
fn arguments_are_passed_to_the_runs_unchanged() {
    let folder = folder();
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let path = file(folder.path(), "--run", &text);
    let name = path.to_str().expect("UTF-8");
    for arguments in [vec!["-n", "0", "--", name], vec![name, "--color", "never", "--format", "text", "-n", "0"]] {
        let watched = WatchProcess::start(&arguments);
        assert!(watched.read_until("4 lines").contains("  211RV"), "{arguments:?}");
    }
}

#[test]
fn a_saved_encoding_is_used() {
    let folder = folder();
    let encoding = std::fs::read_to_string("asp/rail/dynamic_gate.lp").expect("an encoding");
    let with_constraint = |constraint: &str| format!("{encoding}\n{constraint}\n");
    let path = file(folder.path(), "rail/dynamic_gate.lp", with_constraint(":- initial(red,1)."));
    let folder_path = folder.path().to_str().expect("UTF-8");
    let watched = WatchProcess::start(&["instances/deponia.lp", "-n", "0", "--asp-dir", folder_path]);
    watched.read_until("3 lines");
    save(&path, &with_constraint(":- initial(red,2)."));
    let changed = watched.read_until("1 new, 3 gone, 0 same");
    assert!(changed.contains("+ 112RV"), "{changed}");
    save(&path, &with_constraint(":- initial(red,_)."));
    let none = watched.read_until("none: ");
    assert!(none.contains(" gone, ") && !none.contains("proven"), "{none}");
}

#[test]
fn unwatchable_inputs_are_rejected() {
    for (arguments, named) in [
        ("-", "standard input"),
        ("no-such-file.lp", "no such file"),
        ("instances/deponia.lp -f json", "--format"),
        ("instances/deponia.lp -o x", "--output"),
        ("instances/deponia.lp --serve", "--serve"),
    ] {
        let ran = run_line(&format!("watch {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}");
        assert!(ran.err.contains(named), "{arguments}: {}", ran.err);
    }
}
