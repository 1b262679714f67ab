//! `watch` on real files, and its page over a real connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::support::{file, folder, run_line};

struct Watched {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
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

impl Watched {
    fn start(arguments: &[&str]) -> Self {
        let mut child = crate::support::command()
            .arg("watch")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        Watched { child, lines: lines(out), errors: lines(err) }
    }

    /// Reads on until a line has the text; what came until then.
    fn until(&self, text: &str) -> String {
        let mut all = String::new();
        loop {
            let line =
                self.lines.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("no \"{text}\" in:\n{all}"));
            all += &line;
            all.push('\n');
            if line.contains(text) {
                return all;
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn save(path: &Path, text: &str) {
    // As editors do it: a new file takes the name.
    let new = path.with_extension("new");
    std::fs::write(&new, text).expect("a file can be written");
    std::fs::rename(&new, path).expect("a file can be renamed");
}

#[test]
fn a_saved_file_is_solved_again_and_a_broken_one_waits() {
    let folder = folder();
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let path = file(folder.path(), "mine.lp", &text);
    let watched = Watched::start(&[path.to_str().expect("UTF-8"), "-n", "0"]);
    let first = watched.until("4 lines");
    assert!(first.contains("  211RV"), "{first}");
    save(&path, &text.replace("rel(z,1,t)", "rel(z,1,a)"));
    let gone = watched.until("0 new, 4 gone, 0 same");
    assert!(gone.contains("- 211RV"), "{gone}");
    save(&path, &text.replace("rel(z,1,t)", "rel(z,1,t"));
    let broken = watched.until("error");
    assert!(broken.contains("syntax error") || broken.contains("error:"), "{broken}");
    std::fs::write(&path, text.replace("rel(b,2,d)", "rel(b,2,e)")).expect("a file can be written");
    let mended = watched.until(" new, ");
    assert!(mended.contains("+ 2"), "{mended}");
}

#[test]
fn arguments_reach_the_runs_as_they_are() {
    let folder = folder();
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let path = file(folder.path(), "--serve", &text);
    let name = path.to_str().expect("UTF-8");
    for arguments in [vec!["-n", "0", "--", name], vec![name, "--color", "never", "--format", "text", "-n", "0"]] {
        let watched = Watched::start(&arguments);
        assert!(watched.until("4 lines").contains("  211RV"), "{arguments:?}");
    }
}

#[test]
fn a_saved_encoding_is_used() {
    let folder = folder();
    let encoding = std::fs::read_to_string("asp/rail/dynamic_gate.lp").expect("an encoding");
    let with = |constraint: &str| format!("{encoding}\n{constraint}\n");
    let path = file(folder.path(), "rail/dynamic_gate.lp", with(":- initial(red,1)."));
    let folder_path = folder.path().to_str().expect("UTF-8");
    let watched = Watched::start(&["instances/deponia.lp", "-n", "0", "--asp-dir", folder_path]);
    watched.until("3 lines");
    save(&path, &with(":- initial(red,2)."));
    let changed = watched.until("1 new, 3 gone, 0 same");
    assert!(changed.contains("+ 112RV"), "{changed}");
    save(&path, &with(":- initial(red,_)."));
    let none = watched.until("none: ");
    assert!(none.contains(" gone, ") && !none.contains("proven"), "{none}");
}

/// The port and the token of an address.
pub fn address(told: &str) -> (u16, String) {
    let rest = told.split("http://127.0.0.1:").nth(1).unwrap_or_else(|| panic!("no address: {told}"));
    let mut parts = rest.split('/');
    let port = parts.next().and_then(|port| port.parse().ok()).expect("a port");
    (port, parts.next().expect("a token").to_owned())
}

/// The whole answer to a request.
pub fn ask(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.write_all(request.as_bytes()).expect("a request can be sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn the_page_is_served_to_this_machine_alone_and_no_file_is() {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", std::fs::read("instances/two_starts.lp").expect("an instance"));
    let watched = Watched::start(&[path.to_str().expect("UTF-8"), "--serve"]);
    let told = watched.errors.recv_timeout(Duration::from_secs(60)).expect("an address");
    let (port, token) = address(&told);
    let get =
        |path: &str| ask(port, &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"));
    let own = format!("/{token}/");
    // Server-sent events: one now, one after the next save.
    let mut events = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    write!(events, "GET {own}changes HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").expect("a request can be sent");
    let events = lines(events);
    let event = |after: u64| loop {
        let line = events.recv_timeout(Duration::from_secs(60)).expect("an event");
        if let Some(number) = line.strip_prefix("data: ").and_then(|number| number.parse::<u64>().ok())
            && number > after
        {
            return number;
        }
    };
    let first = event(0);
    let page = get(&own);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("id=\"data\"") && page.contains("EventSource"), "{page}");
    std::fs::write(&path, "start(a\n").expect("a file can be written");
    event(first);
    assert!(get(&own).contains("<pre>error"), "a broken edit is shown");
    let name = path.to_str().expect("UTF-8");
    for path in ["etc/passwd", "../../etc/passwd", name, "mine.lp", "/", "changes/x", "../"] {
        assert!(get(&format!("{own}{path}")).starts_with("HTTP/1.1 404"), "{path}");
    }
    for path in ["/", "/changes", "/etc/passwd", name, "//", "*", "http://127.0.0.1/", &own[..own.len() - 2]] {
        assert!(get(path).starts_with("HTTP/1.1 403"), "{path}");
    }
}

#[test]
fn what_cannot_be_watched_is_refused() {
    for (arguments, named) in [
        ("-", "standard input"),
        ("no-such-file.lp", "no such file"),
        ("instances/deponia.lp -f json", "--format"),
        ("instances/deponia.lp -o x", "--output"),
        ("instances/deponia.lp --serve=99999999", "--serve"),
    ] {
        let ran = run_line(&format!("watch {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}");
        assert!(ran.err.contains(named), "{arguments}: {}", ran.err);
    }
}
