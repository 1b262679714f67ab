//! Tests the studio's server over real connections: its answers, its access control and its
//! robustness.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use base::words::thousands;
use serde_json::{Value, json};

use crate::cli::watch::lines;
use crate::support::process::*;
use crate::support::{command, file, folder, page_data, run, run_line};

const LONG: Duration = crate::support::process::PATIENCE;
/// Grounding takes minutes and no memory.
const LASTING: &str = "a :- X = 1..2000000000, X \\ 7 = 9.";
/// Grounding never ends and takes all available memory.
const ENDLESS: &str = "p(0). p(X+1) :- p(X).";

struct Studio {
    child: Child,
    port: u16,
    token: String,
}

/// Returns the port and the token of an address.
fn address(line: &str) -> (u16, String) {
    let rest = line.split("http://127.0.0.1:").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
    let mut parts = rest.split('/');
    let port = parts.next().and_then(|port| port.parse().ok()).expect("a port");
    (port, parts.next().expect("a token").to_owned())
}

/// Sends a request and returns the whole response.
fn ask(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    stream.write_all(request.as_bytes()).expect("the request is sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// A response of the server.
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }
}

impl Studio {
    fn start(arguments: &[&str]) -> Self {
        let mut child =
            command().arg("studio").args(arguments).stderr(Stdio::piped()).spawn().expect("the command starts");
        let line = lines(child.stderr.take().expect("the stream is piped")).recv_timeout(LONG).expect("an address");
        let (port, token) = address(&line);
        Studio { child, port, token }
    }

    /// Starts the studio with one new file in a folder.
    fn start_with_file(folder: &Path, name: &str, text: &str) -> (Self, String) {
        let path = file(folder, name, text).to_str().expect("UTF-8").to_owned();
        (Studio::start(&[&path]), path)
    }

    fn get(&self, name: &str) -> Reply {
        let Studio { port, token, .. } = self;
        let head = format!("GET /{token}/{name} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
        Reply::of(&ask(*port, &head))
    }

    fn post(&self, name: &str, body: &Value) -> Reply {
        let Studio { port, token, .. } = self;
        let body = body.to_string();
        let head = format!(
            "POST /{token}/{name} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        Reply::of(&ask(*port, &(head + &body)))
    }

    fn ask(&self, id: u64, name: &str, text: &str, ask: Value) -> Value {
        self.post("ask", &json!({ "id": id, "files": [{ "name": name, "text": text }], "ask": ask })).json()
    }

    fn solve(&self, name: &str, text: &str) -> Value {
        self.ask(1, name, text, json!({ "solve": { "models": 20 } }))
    }

    /// Subscribes to events and returns their names and data line by line.
    fn events(&self) -> Receiver<String> {
        let Studio { port, token, .. } = self;
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).expect("the server listens");
        write!(stream, "GET /{token}/events HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").expect("the request is sent");
        let events = lines(stream);
        read_until(&events, "text/event-stream");
        read_until(&events, "");
        events
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads until a line contains the text and returns the line.
fn read_until(events: &Receiver<String>, text: &str) -> String {
    loop {
        let line = events.recv_timeout(LONG).unwrap_or_else(|_| panic!("no {text}"));
        if line.contains(text) && (!text.is_empty() || line.is_empty()) {
            return line;
        }
    }
}

#[test]
fn a_board_is_solved_by_built_in_rules_and_drawn() {
    let folder = folder();
    let board = std::fs::read_to_string("instances/sudoku.txt").expect("a built-in file");
    let (studio, name) = Studio::start_with_file(folder.path(), "mine.txt", &board);
    let data = page_data(&studio.get("").body);
    assert_eq!(data["files"], json!([{ "name": name, "text": board, "saves": true }]));
    let solved = studio.solve(&name, &board);
    assert_eq!((&solved["puzzle"], &solved["verdict"]), (&json!("sudoku"), &json!("solved")), "{solved}");
    assert_eq!((&solved["complete"], &solved["playable"]), (&json!(true), &json!(true)));
    assert_eq!(solved["answers"].as_array().map(Vec::len), Some(1));
    let picture = &solved["answers"][0]["picture"];
    assert_eq!(picture["view"].as_array().map(Vec::len), Some(4));
    assert!(picture["ground"].as_array().is_some_and(|marks| marks.len() > 80), "{picture}");
    let places = studio.ask(2, &name, &board, json!({ "places": {} }));
    let atoms: Vec<&Value> = places["places"].as_array().into_iter().flatten().map(|place| &place["atoms"]).collect();
    assert!(
        atoms.iter().any(|atoms| atoms.as_array().is_some_and(|atoms| atoms.contains(&json!("number(1,2,6)")))),
        "{places}"
    );
    let encoding = solved["encoding"][0]["text"].as_str().expect("the encoding is listed");
    assert!(encoding.contains("number("), "{encoding}");
    let impossible = studio.solve(&name, &board.replacen("....", "1..1", 1));
    assert_eq!(impossible["verdict"], "impossible", "{impossible}");
    assert!(impossible["board"]["ground"].is_array(), "the board alone is shown");
}

#[test]
fn the_gallery_has_a_board_of_each_puzzle_with_a_picture() {
    // The puzzle and the encoding of the named files do not apply to examples.
    let studio = Studio::start(&["-p", "sudoku", "mine.txt"]);
    let data = page_data(&studio.get("").body);
    let examples = data["examples"].as_array().expect("a list");
    let text_of = |name: &str| {
        let entry = examples.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        [&entry["file"], &entry["text"]].map(|text| text.as_str().expect("a text"))
    };
    let listed = run(["list"]).out;
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(':').next());
    assert!(names.clone().count() > 140, "{listed}");
    for name in names {
        assert!(text_of(name).iter().all(|text| !text.is_empty()), "{name}");
    }
    for (name, puzzle) in [("tents", "tents"), ("wolf", "wolf"), ("rail", "rail"), ("sudoku-killer", "sudoku")] {
        let [file, text] = text_of(name);
        let solved = studio.solve(file, text);
        assert_eq!((&solved["puzzle"], &solved["verdict"]), (&json!(puzzle), &json!("solved")), "{name}: {solved}");
        // The second picture is stored.
        for _ in 0..2 {
            let picture = studio.get(&format!("picture/{name}"));
            assert_eq!(picture.status, 200, "{name}: {}", picture.body);
            assert!(
                picture.head.contains("image/svg+xml") && picture.body.starts_with("<svg"),
                "{name}: {}",
                picture.head
            );
        }
    }
    assert_eq!(studio.get("picture/nothing").status, 404);
    assert_eq!(studio.solve("new2.lp", "{ p }.")["verdict"], "solved");
    let refused =
        studio.post("ask", &json!({ "id": 1, "files": [{ "name": "news.lp", "text": "" }], "ask": { "tests": {} } }));
    assert_eq!(refused.status, 404);
}

#[test]
fn errors_have_places_in_utf16_units() {
    let studio = Studio::start(&[]);
    let solved = studio.solve("program.lp", "a.\np(\"äö\"). q(X).\n");
    assert_eq!(solved["verdict"], "error", "{solved}");
    let error = &solved["diagnostics"][0];
    assert_eq!((&error["level"], &error["places"][0]["file"]), (&json!("error"), &json!("program.lp")));
    // The byte column would be two more.
    assert_eq!(error["places"][0]["start"], json!([2, 10]), "{error}");
    assert_eq!(error["places"][0]["end"], json!([2, 15]), "{error}");
    let mended = studio.solve("program.lp", "a.\np(\"äö\"). q(1).\n");
    assert_eq!((&mended["verdict"], &mended["diagnostics"]), (&json!("solved"), &json!([])), "{mended}");
}

#[test]
fn all_answers_are_counted_or_their_number_is_bounded() {
    let studio = Studio::start(&[]);
    let count = |id: u64, text: &str| studio.ask(id, "program.lp", text, json!({ "count": {} }));
    let counted = count(1, "1 { a(1..62) }.");
    assert_eq!(
        (&counted["verdict"], &counted["count"]),
        (&json!("solved"), &json!("4611686018427387903")),
        "{counted}"
    );
    assert_eq!(counted["words"], "4,611,686,018,427,387,903 answers");
    let refused = count(2, "#include <incmode>. { a }.");
    assert_eq!(refused["verdict"], "error", "{refused}");
    let latin = "#const n=9. 1 { a(R,C,V) : V=1..n } 1 :- R=1..n, C=1..n. :- a(R,C,V), a(R,D,V), C<D. :- a(R,C,V), a(S,C,V), R<S.";
    let bounded = count(3, latin);
    assert_eq!((&bounded["verdict"], &bounded["count"]), (&json!("gave-up"), &json!(null)), "{bounded}");
    let at_least = bounded["at_least"].as_str().expect("digits");
    assert_eq!(bounded["words"], format!("at least {} answers", thousands(at_least)));
}

#[test]
fn atoms_of_all_answers_and_of_some_answers_are_listed_separately() {
    let studio = Studio::start(&[]);
    let solve = |text: &str, models: u64| {
        let solved = studio.ask(1, "program.lp", text, json!({ "solve": { "models": models } }));
        let complete = solved["complete"].clone();
        (complete, solved["always"].clone(), solved["sometimes"].clone(), solved["shared"].clone())
    };
    let few = solve("1 { a; b } 1. c.", 20);
    assert_eq!(few, (json!(true), json!(["c"]), json!(["a", "b"]), Value::Null));
    let many = solve("{ x(1..3) }. c. #show c/0. #show x/1.", 2);
    assert_eq!(many, (json!(false), json!(["c"]), json!(["x(1)", "x(2)", "x(3)"]), Value::Null));
    let (.., shared) =
        solve("1 { a; b } 1. draw(cell(1,1..2)). draw(found(1,1,\"T\")). draw(found(1,2,\"A\")) :- a.", 20);
    let shared = shared["picture"]["ground"].to_string();
    assert!(shared.contains(">T<") && !shared.contains(">A<"), "{shared}");
}

#[test]
fn newer_requests_cancel_older_ones_and_new_texts_cancel_explanations() {
    let studio = Studio::start(&[]);
    let events = studio.events();
    std::thread::scope(|scope| {
        let ask = |id: u64, ask: Value| {
            let studio = &studio;
            scope.spawn(move || studio.ask(id, "program.lp", LASTING, ask))
        };
        let solving = ask(1, json!({ "solve": { "models": 1 } }));
        read_until(&events, "\"id\":1");
        let why = ask(2, json!({ "why": { "about": null } }));
        read_until(&events, "\"id\":2");
        let newer = studio.ask(3, "program.lp", "a.", json!({ "solve": { "models": 1 } }));
        assert_eq!((&newer["id"], &newer["verdict"]), (&json!(3), &json!("solved")), "{newer}");
        for (id, older) in [(1, solving), (2, why)] {
            let older = older.join().expect("the request is answered");
            assert_eq!(older, json!({ "id": id, "cancelled": true }));
        }
    });
}

#[test]
fn the_next_request_is_answered_after_a_limit() {
    let hold = |limit: &str, reason: &str| {
        let studio = Studio::start(&[limit]);
        [(ENDLESS, "gave-up"), ("a.", "solved"), (ENDLESS, "gave-up"), ("b.", "solved")].iter().all(
            |(text, verdict)| {
                let solved = studio.solve("program.lp", text);
                let words = solved["words"].as_str().expect("words");
                assert_eq!(words.contains(reason), solved["verdict"] == "gave-up", "{words}");
                assert!(*verdict == "solved" || solved["verdict"] == "gave-up", "{limit}: {solved}");
                solved["verdict"] == *verdict
            },
        )
    };
    // On a slow machine even a small program may reach the limit.
    retry_with_longer_limits(|limit| hold(&format!("--time-limit={limit}"), "time limit").then_some(()));
    assert!(hold("--memory-limit=150", "memory limit"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_worker_process_is_replaced() {
    let studio = Studio::start(&[]);
    assert_eq!(studio.solve("program.lp", "a.")["verdict"], "solved");
    let children = || {
        let parent = format!("PPid:\t{}\n", studio.child.id());
        let all = std::fs::read_dir("/proc").expect("Linux").flatten();
        let names = all.filter_map(|entry| entry.file_name().into_string().ok());
        let is_child = |name: &String| {
            std::fs::read_to_string(format!("/proc/{name}/status")).is_ok_and(|status| status.contains(&parent))
        };
        names.filter(is_child).collect::<Vec<_>>()
    };
    let ended = children();
    assert!(!ended.is_empty());
    for process in &ended {
        let process = process.parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process");
        rustix::process::kill_process(process, rustix::process::Signal::KILL).expect("the process can be killed");
    }
    while ended
        .iter()
        .any(|process| std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty()))
    {
        std::thread::yield_now();
    }
    assert_eq!(studio.solve("program.lp", "b.")["verdict"], "solved");
}

#[test]
fn explanations_and_hints_agree_with_the_commands() {
    let studio = Studio::start(&[]);
    let text = "{ a }. :- a. :- not a.";
    let why = studio.ask(1, "program.lp", text, json!({ "why": { "about": null, "fix": false } }));
    assert!(why["text"].as_str().is_some_and(|text| text.contains("program.lp:1")), "{why}");
    assert_eq!(why["json"]["verdict"], "unsatisfiable", "{why}");
    let about = studio.ask(2, "program.lp", "a :- b. b.", json!({ "why": { "about": "a" } }));
    assert!(about["text"].as_str().is_some_and(|text| text.contains("a :- b")), "{about}");
    let hint = studio.ask(3, "program.lp", "1 { x(1..2) } 1. :- x(1).", json!({ "hint": {} }));
    assert!(hint["json"]["steps"].is_array(), "{hint}");
    let wrong = studio.ask(4, "program.lp", "a.", json!({ "why": { "about": "a(" } }));
    assert_eq!(wrong["verdict"], "error", "{wrong}");
    assert_eq!(wrong["diagnostics"][0]["level"], "error");
}

#[test]
fn a_broken_game_is_an_error_for_every_request() {
    let studio = Studio::start(&[]);
    let text = "move(m0). goal(f0). init(f1). forbids(m0,f1).";
    for ask in [
        json!({ "solve": { "models": 1 } }),
        json!({ "hint": {} }),
        json!({ "why": { "about": null, "fix": false } }),
        json!({ "play": { "moves": [], "asks": "nothing" } }),
    ] {
        let response = studio.ask(1, "program.lp", text, ask.clone());
        let words = response["diagnostics"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(
            (&response["verdict"], words),
            (&json!("error"), "the game is broken: no move changes anything"),
            "{ask}: {response}"
        );
    }
}

#[test]
fn explanations_are_lists_with_places_in_utf16_units() {
    let studio = Studio::start(&[]);
    let lists = |text: &str, ask: Value| studio.ask(1, "program.lp", text, ask)["lists"].clone();
    let why = lists("b. p(\"äö\"). :- p(X).", json!({ "why": { "about": null } }));
    assert_eq!((&why[0]["title"], &why[0]["lines"][0]["source"]), (&json!("Because of"), &json!("p(\"äö\")")), "{why}");
    let place = &why[0]["lines"][0]["place"];
    // The byte column of the end would be two more.
    assert_eq!((&place["start"], &place["end"]), (&json!([1, 4]), &json!([1, 12])), "{why}");
    let tree = lists("a :- b. b :- c. c.", json!({ "why": { "about": "a" } }));
    let below = &tree[0]["lines"][0]["below"][0];
    assert_eq!(
        (&tree[0]["lines"][0]["atom"], &below["atom"], &below["source"]),
        (&json!("a"), &json!("b"), &json!("b :- c."))
    );
    // Instances of one constraint are listed below it.
    let same = lists("{ p(1..3) } 0. 2 { p(1..3) }. q(1..2). :- q(X), p(X).", json!({ "why": { "about": null } }));
    let lines = same.as_array().into_iter().flatten().flat_map(|list| list["lines"].as_array().into_iter().flatten());
    assert!(lines.clone().count() > 0 && lines.clone().all(|line| line["source"].is_string()), "{same}");
    let hint = lists("1 { x(1..2) } 1. :- x(1).", json!({ "hint": {} }));
    assert!(hint[0]["lines"][0]["source"].is_string(), "{hint}");
    let numbers = lists("mines 1\n1?\n11\n", json!({ "hint": {} }));
    assert_eq!(numbers[0]["lines"][0]["place"]["start"], json!([2, 1]), "{numbers}");
}

#[test]
fn messages_do_not_mention_options_of_the_command() {
    let studio = Studio::start(&[]);
    for (text, words) in [
        ("{ x(1..5) }.", "2 answers; there may be more."),
        ("{ x(1..5) }. #maximize { X : x(X) }.", "1 answer; there may be better ones."),
    ] {
        let solved = studio.ask(1, "program.lp", text, json!({ "solve": { "models": 2 } }));
        assert_eq!(solved["words"].as_str().map(str::trim), Some(words), "{solved}");
    }
}

#[test]
fn every_line_of_an_answer_is_described() {
    let studio = Studio::start(&[]);
    let solved = studio.solve("program.lp", "mines 2\n1??\n???\n");
    let text = solved["answers"][0]["text"].as_str().expect("a text");
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_eq!(text.lines().next(), Some("cell: row 1, column 2; mine: 33.3 %"), "{text}");
}

#[test]
fn without_a_file_the_page_opens_a_working_example() {
    let studio = Studio::start(&[]);
    let data = page_data(&studio.get("").body);
    let text = data["files"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("% An example: change a rule,"), "{text}");
    let solved = studio.solve("program.lp", text);
    assert_eq!((&solved["verdict"], &solved["diagnostics"]), (&json!("solved"), &json!([])), "{solved}");
    assert_eq!((&solved["complete"], &solved["playable"]), (&json!(true), &json!(true)));
    assert_eq!(solved["answers"].as_array().map(Vec::len), Some(2));
    let played = studio.ask(2, "program.lp", text, json!({ "play": { "moves": [] } }));
    assert_eq!(played["places"].as_array().map(Vec::len), Some(24), "{played}");
}

#[test]
fn tests_are_run_on_unsaved_texts() {
    let folder = folder();
    let main = file(folder.path(), "main.lp", "old.");
    let tests = file(folder.path(), "tests/main.lp", "");
    let main = main.to_str().expect("UTF-8");
    let tests = tests.to_str().expect("UTF-8");
    let studio = Studio::start(&[main, tests]);
    let run = |text: &str| {
        let test = "#include \"../main.lp\".\n#program test_a(base).\ncannot(\"a\") :- not a.\n";
        let files = json!([{ "name": main, "text": text }, { "name": tests, "text": test }]);
        let response = studio.post("ask", &json!({ "id": 1, "files": files, "ask": { "tests": {} } })).json();
        (response["json"]["passed"].clone(), response["json"]["failed"].clone(), response["json"]["tests"][0].clone())
    };
    let (passed, failed, _) = run("a. b.");
    assert_eq!((passed, failed), (json!(1), json!(0)));
    let (passed, failed, test) = run("b.");
    assert_eq!((passed, failed, &test["line"]), (json!(0), json!(1), &json!(2)), "{test}");
    assert!(test["name"].as_str().is_some_and(|name| name.contains("test_a")) && test["file"] == tests, "{test}");
    assert_eq!(test["answer"], json!(["b"]), "{test}");
}

#[test]
fn a_board_is_played_move_by_move() {
    let folder = folder();
    let board = std::fs::read_to_string("instances/sudoku.txt").expect("a built-in file");
    let (studio, name) = Studio::start_with_file(folder.path(), "mine.txt", &board);
    let look =
        |moves: &[&str], asks: &str| studio.ask(1, &name, &board, json!({ "play": { "moves": moves, "asks": asks } }));
    let begin = look(&[], "nothing");
    assert_eq!(begin["state"], "open", "{begin}");
    let place = &begin["places"][0];
    let name_of = |option: usize| place["options"][option]["move"].as_str().expect("a move").to_owned();
    let first = name_of(0);
    let after = look(&[&first], "nothing");
    assert_ne!(after["picture"], begin["picture"], "what is set is drawn");
    assert!(look(&[], "hint")["because"].is_string());
    assert_eq!(look(&["no such move"], "nothing")["verdict"], "error");
    assert_eq!(look(&[], "nothing")["picture"], begin["picture"], "moves are taken back");
}

#[test]
fn a_board_too_large_for_a_browser_is_solved_and_not_drawn() {
    let folder = folder();
    let board = format!("mines 9000\n{}", format!("{}\n", "?".repeat(240)).repeat(240));
    let (studio, name) = Studio::start_with_file(folder.path(), "board.txt", &board);
    let solved = studio.solve(&name, &board);
    assert_eq!((&solved["verdict"], &solved["answers"][0]["picture"]), (&json!("solved"), &Value::Null));
    let words = |response: &Value| response["diagnostics"][0]["text"].as_str().expect("words").to_owned();
    assert!(words(&solved).starts_with("too large to be shown here: "), "{}", words(&solved));
    let played = studio.ask(2, &name, &board, json!({ "play": { "moves": [] } }));
    assert!(words(&played).ends_with(" 50,000 at most"), "{}", words(&played));
    // The next board is playable.
    let small = studio.ask(3, &name, "mines 1\n??\n??\n", json!({ "play": { "moves": [] } }));
    assert_eq!(small["places"].as_array().map(Vec::len), Some(4), "{small}");
}

#[test]
fn saving_keeps_line_ends_and_rejects_conflicting_changes() {
    let folder = folder();
    let (studio, name) = Studio::start_with_file(folder.path(), "mine.lp", "\u{feff}a.\r\nb.\r\n");
    let on_disk = || std::fs::read_to_string(&name).expect("the file exists");
    let save =
        |name: &str, text: &str, base: &str| studio.post("save", &json!({ "name": name, "text": text, "base": base }));
    assert_eq!(save(&name, "a.\nc.\n", "a.\nb.\n").status, 200);
    assert_eq!(on_disk(), "\u{feff}a.\r\nc.\r\n");
    std::fs::write(&name, "d.\n").expect("the file is writable");
    let rejected = save(&name, "e.\n", "a.\nc.\n");
    assert_eq!((rejected.status, &rejected.json()["text"]), (409, &json!("d.\n")));
    assert_eq!(on_disk(), "d.\n");
    let other = folder.path().join("other.lp");
    for stranger in [other.to_str().expect("UTF-8"), "other.lp", "../x.lp", ""] {
        assert_eq!(save(stranger, "x.", "").status, 404, "{stranger}");
    }
    let nul = save(&name, "\0", "d.\n");
    assert!(nul.status == 500 && nul.body.contains("NUL"), "{}", nul.body);
    assert_eq!(save(&name, "f.\n", "d.\n").status, 200);
    assert_eq!(on_disk(), "f.\n");
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|file| file.file_name()).collect();
    assert_eq!(files, ["mine.lp"], "nothing else is left");
}

#[test]
fn missing_files_are_created_and_programs_without_a_file_are_not_saved() {
    let folder = folder();
    let path = folder.path().join("new.lp");
    let name = path.to_str().expect("UTF-8");
    let studio = Studio::start(&[name]);
    assert!(!path.exists());
    assert_eq!(studio.post("save", &json!({ "name": name, "text": "a.", "base": "" })).status, 200);
    assert_eq!(std::fs::read_to_string(&path).expect("the file exists"), "a.");
    let studio = Studio::start(&[]);
    let rejected = studio.post("save", &json!({ "name": "program.lp", "text": "a.", "base": "" }));
    assert!(rejected.status == 500 && rejected.body.contains("not a file"), "{} {}", rejected.status, rejected.body);
    assert!(!Path::new("program.lp").exists());
}

#[test]
fn changes_on_disk_are_reported() {
    let folder = folder();
    let (studio, name) = Studio::start_with_file(folder.path(), "mine.lp", "a.");
    let events = studio.events();
    // A page that reconnects receives the current texts.
    assert!(read_until(&events, "data: ").contains("\"a.\""));
    studio.post("save", &json!({ "name": name, "text": "b.", "base": "a." }));
    std::fs::write(&name, "c.").expect("the file is writable");
    read_until(&events, "event: file");
    let event: Value = serde_json::from_str(read_until(&events, "data: ").trim_start_matches("data: ")).expect("JSON");
    // Files saved by the page itself are not reported.
    assert_eq!(event, json!({ "name": name, "text": "c." }));
}

#[test]
fn texts_include_only_files_of_their_folder() {
    let folder = folder();
    file(folder.path(), "secret.lp", "secret.");
    file(folder.path(), "mine/part.lp", "part.");
    let main = file(folder.path(), "mine/main.lp", "");
    let other = file(folder.path(), "mine/other.lp", "old.");
    let main = main.to_str().expect("UTF-8");
    let other = other.to_str().expect("UTF-8");
    let studio = Studio::start(&[main, other]);
    let solve = |text: &str| {
        let files = json!([{ "name": main, "text": text }, { "name": other, "text": "new." }]);
        studio.post("ask", &json!({ "id": 1, "files": files, "ask": { "solve": { "models": 1 } } })).json()
    };
    let solved = solve("#include \"part.lp\". #include \"other.lp\".");
    assert_eq!(solved["answers"][0]["atoms"], json!(["new", "part"]), "{solved}");
    let secret = folder.path().join("secret.lp");
    let secret_name = json!(secret);
    file(folder.path(), "mine/nested.lp", format!("#include {secret_name}."));
    file(folder.path(), "mine/hidden.lp", format!("#theory t {{ \" . #include {secret_name}. \" }}."));
    for text in [
        format!("#include%* *%{secret_name}."),
        format!("#include % x\n{secret_name}."),
        "#include \"nested.lp\".".to_owned(),
        // These texts hide the directive from a lexer that differs from clingo's. Some are valid
        // programs, others are not.
        format!("#show #! \"\na. #include {secret_name}.\n#! \" ."),
        format!("p(\"\n#include {secret_name}.\n\")."),
        format!("%* %* *% *% #include {secret_name}. %* *%"),
        format!("#theory t {{ \" . #include {secret_name}. \" }}."),
        format!("#script (lua) #end. #include {secret_name}. #script (lua) #end."),
        format!("#script . \" ) #end . #include {secret_name}."),
        "#include \"hidden.lp\".".to_owned(),
    ] {
        let rejected = solve(&text);
        assert_eq!((&rejected["verdict"], &rejected["answers"]), (&json!("error"), &json!([])), "{text}: {rejected}");
    }
    for stranger in ["../secret.lp", secret.to_str().expect("UTF-8"), "/dev/stdin", "none.lp"] {
        let rejected = solve(&format!("a.\n#include {}.", json!(stranger)));
        assert_eq!(rejected["verdict"], "error", "{stranger}: {rejected}");
        assert_eq!(rejected["diagnostics"][0]["places"][0]["start"], json!([2, 1]), "{stranger}: {rejected}");
        assert!(!rejected.to_string().contains("\"secret\""));
    }
}

#[test]
fn only_requests_of_the_page_are_answered() {
    let studio = Studio::start(&[]);
    let Studio { port, token, .. } = &studio;
    let body = "{\"id\":1,\"files\":[],\"ask\":{\"solve\":{\"models\":1}}}";
    let post = |path: &str, headers: &str, body: &str| {
        let length = body.len();
        format!("POST {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
    };
    let own = format!("Host: localhost:{port}\r\n");
    let kind = "Content-Type: application/json\r\n";
    let path = format!("/{token}/ask");
    let wrong = format!("/{}/ask", "0".repeat(32));
    for (headers, path, status) in [
        (format!("{own}{kind}"), &path, 200),
        (format!("{own}{kind}Origin: http://localhost:{port}\r\n"), &path, 200),
        (format!("Host: elsewhere.example:{port}\r\n{kind}"), &path, 403),
        (format!("Host: localhost\r\n{kind}"), &path, 403),
        (format!("Host: localhost:{}\r\n{kind}", port ^ 1), &path, 403),
        (kind.to_owned(), &path, 403),
        (format!("{own}{own}{kind}"), &path, 400),
        (format!("{own}{kind}Origin: http://elsewhere.example\r\n"), &path, 403),
        (format!("{own}{kind}Origin: null\r\n"), &path, 403),
        (format!("{own}{kind}Origin: https://localhost:{port}\r\n"), &path, 403),
        (format!("{own}{kind}"), &wrong, 403),
        (own.clone(), &path, 415),
        (format!("{own}Content-Type: text/plain\r\n"), &path, 415),
    ] {
        let reply = Reply::of(&ask(*port, &post(path, &headers, body)));
        assert_eq!(reply.status, status, "{path} {headers}: {}", reply.body);
        assert!(status == 200 || !reply.body.is_empty(), "the body has a reason");
    }
    let headers = own + kind;
    for length in [0, 1, token.len() - 1] {
        let part = format!("/{}/ask", &token[..length]);
        assert_eq!(Reply::of(&ask(*port, &post(&part, &headers, body))).status, 403, "a part of the token: {length}");
    }
    for (body, status) in
        [("", 400), ("{}", 400), ("{\"id\":1,\"files\":[{\"name\":\"x\",\"text\":\"\"}],\"ask\":{\"hint\":{}}}", 404)]
    {
        assert_eq!(Reply::of(&ask(*port, &post(&path, &headers, body))).status, status, "{body}");
    }
    let large = format!("POST {path} HTTP/1.1\r\n{headers}Content-Length: 4194305\r\n\r\n{}", " ".repeat(9));
    assert_eq!(Reply::of(&ask(*port, &large)).status, 413);
    let long = format!("GET {path} HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    assert_eq!(Reply::of(&ask(*port, &long)).status, 431);
    assert_eq!(Reply::of(&ask(*port, "nonsense\r\n\r\n")).status, 400);
    for (name, status) in [("ask", 405), ("etc/passwd", 404), ("../../../etc/passwd", 404), ("program.lp", 404)] {
        assert_eq!(studio.get(name).status, status, "{name}");
    }
}

#[test]
fn the_page_cannot_be_embedded_and_runs_only_its_own_script() {
    let studio = Studio::start(&[]);
    let [first, second] = [studio.get(""), studio.get("")];
    for header in [
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "default-src 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(first.head.contains(header), "{header}: {}", first.head);
    }
    let nonce = |reply: &Reply| {
        let nonce = reply.head.split("script-src 'nonce-").nth(1).and_then(|rest| rest.split('\'').next());
        nonce.expect("a nonce").to_owned()
    };
    assert_ne!(nonce(&first), nonce(&second));
    let scripts = first.body.matches("<script").count();
    assert!(scripts > 0 && first.body.matches(&format!("<script nonce=\"{}\"", nonce(&first))).count() == scripts);
    let folder = folder();
    let (studio, _) = Studio::start_with_file(folder.path(), "mine.lp", "% </script><script>alert(1)</script>");
    assert_eq!(studio.get("").body.matches("</script>").count(), scripts, "no text ends the script that it stands in");
}

#[test]
fn a_thousand_silent_connections_do_not_block_others() {
    let studio = Studio::start(&[]);
    let connect = |number: usize| {
        // If the server's queue is full, the system waits for a second.
        if number % 50 == 49 {
            std::thread::sleep(Duration::from_millis(20));
        }
        TcpStream::connect(("127.0.0.1", studio.port)).expect("the server listens")
    };
    let _events = studio.events();
    let mut silent: Vec<TcpStream> = (0..1000).map(connect).collect();
    // Some connections begin a request and never finish it.
    for stream in silent.iter_mut().rev().take(50) {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost:");
    }
    assert_eq!(studio.solve("program.lp", "a.")["verdict"], "solved");
    assert_eq!(studio.get("").status, 200);
    // The oldest connection was closed to make room.
    let mut first = &silent[0];
    first.set_read_timeout(Some(LONG)).expect("a socket");
    assert!(matches!(first.read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn two_hundred_concurrent_requests_are_answered() {
    let studio = Studio::start(&[]);
    std::thread::scope(|scope| {
        let requests: Vec<_> = (0..200)
            .map(|_| scope.spawn(|| studio.post("ask", &json!({ "id": 1, "files": [], "ask": { "hint": {} } }))))
            .collect();
        for reply in requests {
            assert_eq!(reply.join().expect("the request is answered").status, 200);
        }
    });
}

#[test]
#[cfg(unix)]
fn a_file_that_becomes_a_pipe_is_neither_read_nor_written() {
    let folder = folder();
    let (studio, name) = Studio::start_with_file(folder.path(), "mine.lp", "a.");
    std::fs::remove_file(&name).expect("the file exists");
    let status = crate::support::command_of("mkfifo").arg(&name).finished().status;
    assert!(status.success());
    let rejected = studio.post("save", &json!({ "name": name, "text": "b.", "base": "a." }));
    assert!(rejected.status == 500 && rejected.body.contains("not a regular file"), "{}", rejected.body);
    assert_eq!(studio.solve(&name, "a.")["verdict"], "solved");
}

#[test]
fn unusable_arguments_are_rejected() {
    let folder = folder();
    let latin = file(folder.path(), "latin.lp", b"% \xe4\n");
    let latin = latin.to_str().expect("UTF-8");
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    for (arguments, named) in [
        ("-", "standard input"),
        ("instances", "directory"),
        ("no-such-folder/mine.lp", "no such file"),
        (latin, "UTF-8"),
        (&format!("--port {port}"), "port"),
        ("--time-limit soon", "--time-limit"),
        ("-e no-such-encoding", "no-such-encoding"),
    ] {
        let ran = run_line(&format!("studio {arguments}"));
        assert_eq!(ran.code, 2, "{arguments}");
        assert!(ran.err.contains(named), "{arguments}: {}", ran.err);
    }
}
