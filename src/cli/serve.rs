//! A page for the browsers of this machine, which reloads itself.
//!
//! Nothing a browser asks for makes this server look at a file: there are two things to ask for, and both lie in memory. `/` is the
//! page; `/changes` is a stream of server-sent events, one when the page has changed. It listens on the loopback address, and
//! answers only who calls it by that name, so that no page from elsewhere can read it through a name of its own (DNS rebinding).

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A browser asks for little, and soon.
const MOST_HEAD: usize = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(5);
/// A browser that has gone is noticed when something is written to it.
const PULSE: Duration = Duration::from_secs(10);
const MOST_CONNECTIONS: usize = 64;

/// A server that goes on until the process ends.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The page, and how often it has changed.
    page: Mutex<(u64, Arc<String>)>,
    changed: Condvar,
    connections: AtomicUsize,
}

impl Server {
    /// Listens on a port of the loopback address, any free one for 0.
    pub fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let server = Server { address: listener.local_addr()?, shared: Arc::default() };
        let (shared, port) = (server.shared.clone(), server.address.port());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                    shared.connections.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                std::thread::spawn(move || {
                    // Who hangs up in the middle has what he wanted.
                    let _ = answer(stream, port, &shared);
                    shared.connections.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        Ok(server)
    }

    pub fn address(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows another page, from now on.
    pub fn show(&self, html: String) {
        let mut page = self.shared.page.lock().unwrap_or_else(PoisonError::into_inner);
        *page = (page.0 + 1, Arc::new(html));
        self.shared.changed.notify_all();
    }
}

fn answer(mut stream: TcpStream, port: u16, shared: &Shared) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut stream)?;
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let parsed = request.parse(&head);
    let host = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
    let is_own = host.is_some_and(|host| {
        [format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|own| own.as_bytes() == host.value)
    });
    match (parsed, request.method, request.path) {
        (Ok(httparse::Status::Complete(_)), ..) if !is_own => refuse(&mut stream, "403 Forbidden"),
        (Ok(httparse::Status::Complete(_)), Some("GET"), Some("/")) => send_page(&mut stream, shared),
        (Ok(httparse::Status::Complete(_)), Some("GET"), Some("/changes")) => send_changes(&mut stream, shared),
        (Ok(httparse::Status::Complete(_)), Some("GET"), _) => refuse(&mut stream, "404 Not Found"),
        (Ok(httparse::Status::Complete(_)), ..) => refuse(&mut stream, "405 Method Not Allowed"),
        _ => refuse(&mut stream, "400 Bad Request"),
    }
}

/// Up to the empty line.
fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let (began, mut head, mut part) = (Instant::now(), Vec::new(), [0; 2048]);
    while !head.windows(4).any(|window| window == b"\r\n\r\n") && head.len() < MOST_HEAD {
        // All of it has to come in time, not only its next byte.
        let left = PATIENCE.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            count => head.extend_from_slice(&part[..count]),
        }
        if began.elapsed() > PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(head)
}

fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

/// The page with a script that waits for the next one.
fn send_page(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let (version, html) = shared.page.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let script = format!(
        "<script>new EventSource(\"/changes\").onmessage = (event) => {{ if (event.data !== \"{version}\") location.reload(); }};</script>\n"
    );
    let (before, after) = html.rsplit_once("</body>").unwrap_or((html.as_str(), ""));
    let page = if html.is_empty() {
        format!("<!DOCTYPE html><title>solving</title><body>Solving …\n{script}</body>")
    } else {
        format!("{before}{script}</body>{after}")
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        page.len()
    )?;
    stream.write_all(page.as_bytes())
}

fn send_changes(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    let mut told = None;
    loop {
        let page = shared.page.lock().unwrap_or_else(PoisonError::into_inner);
        let (page, _) = shared
            .changed
            .wait_timeout_while(page, PULSE, |page| told == Some(page.0))
            .unwrap_or_else(PoisonError::into_inner);
        let version = page.0;
        drop(page);
        if told == Some(version) {
            write!(stream, ":\n\n")?;
        } else {
            write!(stream, "data: {version}\n\n")?;
            told = Some(version);
        }
        stream.flush()?;
    }
}
