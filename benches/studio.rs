//! Measures the latency from a keystroke to its answer in the studio, on all shipped files: `cargo
//! bench --bench studio`, or `-- sudoku` for some of them.
//!
//! A real server receives the requests of a page over a real connection. Each request has another
//! text than the previous one (with or without a blank at the end), so that everything is read,
//! grounded, solved, checked and drawn again. Then the board in play is requested after each of
//! several moves. `-- --record` stores the figures.

#[path = "figures/mod.rs"]
mod figures;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use figures::measure::median;
use serde_json::{Value, json};

const RUNS: usize = 21;

struct Studio {
    child: Child,
    connection: BufReader<TcpStream>,
    host: String,
    token: String,
}

impl Studio {
    fn start(file: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asp-solve"));
        let mut child = command.args(["studio", file]).stderr(Stdio::piped()).spawn().expect("the command starts");
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("piped")).read_line(&mut line).expect("an address");
        let address = line.split("http://").nth(1).expect("an address");
        let (host, rest) = address.split_once('/').expect("a token");
        let token = rest.split('/').next().expect("a token").to_owned();
        let connection = TcpStream::connect(host).expect("it listens");
        connection.set_nodelay(true).expect("a socket");
        Studio { child, connection: BufReader::new(connection), host: host.to_owned(), token }
    }

    /// Sends a request. Returns the answer, its length in bytes, and the latency in milliseconds.
    fn ask(&mut self, name: &str, text: &str, request: &Value) -> (Value, usize, f64) {
        let body = json!({ "id": 1, "files": [{ "name": name, "text": text }], "ask": request }).to_string();
        let Studio { host, token, .. } = self;
        let head = format!(
            "POST /{token}/ask HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let started = Instant::now();
        self.connection.get_mut().write_all((head + &body).as_bytes()).expect("it listens");
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line).expect("it answers");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut bytes = vec![0; length];
        self.connection.read_exact(&mut bytes).expect("it answers");
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        (serde_json::from_slice(&bytes).expect("JSON"), length, milliseconds)
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    let names = figures::arguments();
    let mut files: Vec<String> = std::fs::read_dir(figures::path("instances"))
        .expect("they ship")
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter(|file| names.is_empty() || names.iter().any(|name| file.contains(name.as_str())))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let path = format!("instances/{file}");
        let text = std::fs::read_to_string(figures::path(&path)).expect("it ships");
        let mut studio = Studio::start(&path);
        let solve = json!({ "solve": { "models": 20 } });
        let typed = |run: usize| text.clone() + &" ".repeat(run % 2);
        let (first, bytes, _) = studio.ask(&path, &text, &solve);
        let times: Vec<f64> = (1..=RUNS).map(|run| studio.ask(&path, &typed(run), &solve).2).collect();
        let mut values = json!({
            "verdict": first["verdict"], "median, ms": median(times.clone()),
            "slowest, ms": times.iter().copied().fold(0.0, f64::max), "kB": bytes / 1000,
        });
        all.push(median(times));
        let (mut moves, mut latencies) = (Vec::<Value>::new(), Vec::new());
        if first["playable"] == true {
            for _ in 0..RUNS {
                let (board, _, time) = studio.ask(&path, &text, &json!({ "play": { "moves": moves } }));
                latencies.push(time);
                let options =
                    board["places"].as_array().into_iter().flatten().filter_map(|place| place["options"].get(0));
                let mut next =
                    options.chain(board["moves"].as_array().into_iter().flatten()).map(|option| option["move"].clone());
                match next.find(|next| !moves.contains(next)) {
                    Some(next) => moves.push(next),
                    None => break,
                }
            }
        }
        if latencies.len() > 1 {
            values["begin to play, ms"] = json!(latencies[0]);
            values["a move, median, ms"] = json!(median(latencies[1..].to_vec()));
        }
        figures::record("studio", &file, values);
    }
    println!(
        "{} texts, median {:.1} ms, slowest {:.1} ms",
        all.len(),
        median(all.clone()),
        all.iter().copied().fold(0.0, f64::max)
    );
}
