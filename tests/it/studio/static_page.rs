//! Tests the page that needs no server: `$ASP_SOLVE_PAGE` names the folder that `build/page` wrote.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::devtools::Browser;
use crate::support::programs::{chromium, skip};
use crate::support::{command, folder};

/// A web server that hosts the files of a folder, and can pretend to be gone.
struct Host {
    address: String,
    is_gone: Arc<AtomicBool>,
}

impl Host {
    fn start(folder: PathBuf) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = format!("http://{}/", listener.local_addr().expect("an address"));
        let is_gone = Arc::new(AtomicBool::new(false));
        let shared = is_gone.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.load(Ordering::SeqCst) {
                    continue;
                }
                let folder = folder.clone();
                // A browser may close a connection early.
                std::thread::spawn(move || serve(&stream, &folder).unwrap_or_default());
            }
        });
        Host { address, is_gone }
    }
}

fn serve(mut stream: &TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split_whitespace().nth(1).unwrap_or("/").split(['?', '#']).next().unwrap_or_default();
    let name = if path == "/" { "index.html" } else { &path[1..] };
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "js")) => "text/javascript",
        Some((_, "css")) => "text/css",
        Some((_, "wasm")) => "application/wasm",
        _ => "application/octet-stream",
    };
    let mut content = Vec::new();
    let found = std::fs::File::open(folder.join(name)).and_then(|mut file| file.read_to_end(&mut content));
    let status = if found.is_ok() { "200 OK" } else { "404 Not Found" };
    let length = content.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&content)
}

/// A browser that shows the page at an address below that of the host.
fn open(address: &str) -> Option<(Browser, Host)> {
    let Some(folder) = std::env::var_os("ASP_SOLVE_PAGE").map(PathBuf::from) else {
        skip("$ASP_SOLVE_PAGE names no folder that build/page wrote");
        return None;
    };
    let mut browser = Browser::start(&chromium()?);
    let host = Host::start(folder);
    browser.set_size(1500, 900);
    browser.open(&format!("{}{address}", host.address));
    Some((browser, host))
}

const IS_ANSWERED: &str =
    "document.querySelector('#status')?.textContent && !document.body.classList.contains('is-waiting')";

/// Replaces the text of the page.
fn set_text(browser: &mut Browser, text: &str) {
    let text = json!(text);
    browser.evaluate(&format!(
        "{{ const area = document.querySelector('.sheet:not([hidden]) textarea'); area.value = {text}; area.oninput() }}"
    ));
}

/// Runs a command in a worker of the page, and returns its exit code and output.
fn run(browser: &mut Browser, request: &Value) -> Value {
    browser.evaluate(&format!(
        "(async () => {{ const worker = new Worker('worker.js'); worker.postMessage({{ module: await compiled, studio: false }});
           const answer = new Promise((answered) => {{ worker.onmessage = ({{ data }}) => answered(data); setTimeout(() => answered(null), 90000); }});
           worker.postMessage({{ run: {request} }}); return answer.finally(() => worker.terminate()); }})()"
    ))
}

#[test]
#[ignore = "needs a browser and a built page"]
fn a_page_without_a_server_solves_explains_and_plays() {
    let Some((mut browser, _host)) = open("") else { return };
    browser.wait_until(IS_ANSWERED);
    set_text(&mut browser, "{ p(1..2) }.\nq(X) :- p(Y).");
    browser.wait_until("document.querySelector('#messages').innerText.includes('unsafe')");
    set_text(&mut browser, "{ p(1..2) }.\n:- p(1), p(2).");
    browser.wait_until("document.querySelectorAll('#list li').length === 3");
    set_text(&mut browser, "{ p(1..2) }.\n:- not p(1).\n:- p(1).");
    browser.wait_until("document.querySelector('#reason').innerText.includes('not p(1)')");
    let sudoku = std::fs::read_to_string("instances/sudoku.txt").expect("a text");
    set_text(&mut browser, &sudoku);
    browser.wait_until("document.querySelector('#status').textContent.includes('1 solution')");
    browser.wait_until("document.querySelector('#view svg, svg#picture')");
    browser.click("#game");
    browser.wait_until("!document.querySelector('#tools').hidden");
    browser.click("#hint");
    browser.wait_until("document.querySelector('#told').innerText.length > 10");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn a_newer_request_ends_the_older_one_and_a_failed_program_is_replaced() {
    let Some((mut browser, _host)) = open("") else { return };
    browser.wait_until(IS_ANSWERED);
    // Grounds for minutes.
    set_text(&mut browser, "p(1..3000). q(X,Y,Z) :- p(X), p(Y), p(Z).");
    browser.wait_until("document.querySelector('#status').textContent.startsWith('Running')");
    set_text(&mut browser, "a.");
    browser.wait_until("document.querySelector('#atoms').innerText === 'a'");
    let nested = format!("p({}a{}).", "f(".repeat(100_000), ")".repeat(100_000));
    set_text(&mut browser, &nested);
    browser.wait_until("document.querySelector('#status').textContent.includes('nested')");
    set_text(&mut browser, "b.");
    browser.wait_until("document.querySelector('#atoms').innerText === 'b'");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn a_page_keeps_texts_shares_links_and_works_offline() {
    let Some((mut browser, host)) = open("") else { return };
    browser.wait_until(IS_ANSWERED);
    set_text(&mut browser, "kept.");
    browser.wait_until("!document.querySelector('#save').disabled");
    browser.click("#save");
    browser.wait_until("document.querySelector('#status').textContent.startsWith('Saved')");
    set_text(&mut browser, "shared(\"ä\").");
    browser.wait_until("document.querySelector('#atoms').innerText.startsWith('shared')");
    browser.click("#share");
    // Whether a page may use the clipboard depends on the browser.
    browser.wait_until("document.querySelector('#status').textContent.startsWith('The link is')");
    let link = browser.evaluate("engine.link(editors)").as_str().expect("a link").to_owned();
    browser.evaluate("navigator.serviceWorker.ready.then(() => true)");
    browser.evaluate("window.onbeforeunload = null");
    host.is_gone.store(true, Ordering::SeqCst);
    browser.open("about:blank");
    browser.open(&link);
    browser.wait_until("document.querySelector('#atoms')?.innerText === 'shared(\"ä\")'");
    browser.open("about:blank");
    browser.open(&host.address);
    browser.wait_until("document.querySelector('#atoms')?.innerText === 'kept'");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn the_last_text_counts_also_before_the_program_is_there() {
    let Some((mut browser, _host)) = open("") else { return };
    browser.wait_until("document.querySelector('.sheet:not([hidden]) textarea')");
    set_text(&mut browser, "first.");
    // The request is sent, and waits for the program.
    browser.evaluate("new Promise((resolve) => setTimeout(resolve, 60))");
    set_text(&mut browser, "second.");
    browser.wait_until("document.querySelector('#atoms').innerText === 'second'");
    assert_eq!(browser.evaluate("document.querySelector('#status').dataset.verdict"), "solved");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn links_are_opened_in_the_open_page_and_damaged_ones_are_refused() {
    let Some((mut browser, host)) = open("#files=AAAA") else { return };
    let is_refused = "document.querySelector('#status')?.textContent.includes('damaged')";
    browser.wait_until(is_refused);
    for content in ["[]", "[[1,2]]", "[[\"a.lp\",null]]", "[\"ab\"]", "{}"] {
        browser.evaluate(&format!(
            "say('', ''); pack({}).then((text) => {{ location.hash = 'files=' + text }})",
            json!(content)
        ));
        browser.wait_until(is_refused);
    }
    browser.evaluate("pack('[[\"a/\",\"linked.\"]]').then((text) => { location.hash = 'files=' + text })");
    browser.wait_until("document.querySelector('#atoms').innerText === 'linked'");
    // Its texts include each other, and their tests do.
    let main = "#include \"facts.lp\".\n#include \"./made/../more.lp\".\na :- b, c.\n";
    let test = "c.\n#include \"made/main.lp\".\n#program test_a(base).\ncannot(\"a\") :- not a.\n";
    let texts = json!([["made/main.lp", main], ["made/facts.lp", "#include \"main.lp\".\nb.\n"], ["more.lp", test]]);
    browser
        .evaluate(&format!("pack({}).then((text) => {{ location.hash = 'files=' + text }})", json!(texts.to_string())));
    browser.wait_until("document.querySelector('#atoms').innerText.split(/\\s+/).join() === 'a,b,c'");
    browser.click("#tab-tests");
    browser.click("#run");
    browser.wait_until("document.querySelector('#passed').textContent === '1 passed, 0 failed'");
    // A board in another page says what is wrong with it.
    let link = browser.evaluate("pack('[[\"a.lp\",\"p(1.\"]]').then((text) => `#embedded&files=${text}`)");
    browser.open("about:blank");
    browser.open(&format!("{}{}", host.address, link.as_str().expect("a link")));
    browser.wait_until("document.querySelector('#status')?.dataset.verdict === 'error'");
    assert_ne!(browser.evaluate("document.querySelector('#status').getClientRects().length"), 0);
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn all_answers_are_counted_in_a_lane_of_their_own() {
    let Some((mut browser, _host)) = open("") else { return };
    browser.wait_until("document.querySelector('#status')?.textContent");
    browser.evaluate("pack('[[\"a.lp\",\"1 { a(1..30) }.\"]]').then((text) => { location.hash = 'files=' + text })");
    browser.wait_until("document.querySelector('#status').textContent.startsWith('20 of 1,073,741,823 answers (')");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser and a built page"]
fn boards_are_embedded_in_other_pages() {
    let Some((mut browser, _host)) = open("example.html") else { return };
    let frame = |number: usize, expression: &str| {
        format!("(() => {{ const document = window.frames[{number}]?.document; return document && {expression}; }})()")
    };
    browser.wait_until(&frame(0, "document.querySelector('#places')?.childElementCount >= 51"));
    browser.wait_until(&frame(1, "document.querySelector('#counter')?.value === '1 of 12'"));
    assert_eq!(browser.evaluate(&frame(0, "document.querySelector('header').getClientRects().length")), 0);
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// Returns the JSON of a run without its statistics, which differ from run to run.
fn results(output: &str) -> Value {
    let mut json: Value = serde_json::from_str(output).unwrap_or_else(|error| panic!("{error}: {output:.300}"));
    json.as_object_mut().expect("an object").remove("statistics");
    json
}

/// Which of several shortest plans is found depends on the order of states in memory, whose words
/// have another size there.
const OTHER_PLANS: [&str; 2] = ["pegs.txt", "pegs-french.txt"];

#[test]
#[ignore = "needs a browser and a built page"]
fn all_instances_have_the_same_results_as_in_the_command() {
    let Some((mut browser, _host)) = open("") else { return };
    browser.wait_until(IS_ANSWERED);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir("instances").expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    // Elsewhere, the command uses its built-in encodings, as the page does.
    let elsewhere = folder();
    let mut compared = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        std::fs::write(elsewhere.path().join(name), &text).expect("the folder is writable");
        let expected =
            command().current_dir(elsewhere.path()).args([name, "-f", "json"]).output().expect("the program runs");
        let found = run(&mut browser, &json!({ "args": [name, "-f", "json"], "files": { name: text } }));
        assert_eq!(found["run"]["code"], expected.status.code().expect("it exits"), "{name}: {found:.500}");
        let printed = found["run"]["output"].as_str().expect("a text");
        let (mut found, mut expected) =
            (results(printed), results(&String::from_utf8(expected.stdout).expect("a text")));
        if OTHER_PLANS.contains(&name) {
            let moves = |json: &mut Value| json["answers"].take()[0]["moves"].as_array().map(Vec::len);
            assert_eq!(moves(&mut found), moves(&mut expected), "{name}");
        }
        assert_eq!(found, expected, "{name}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}
