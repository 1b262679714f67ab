//! The HTTP server: only browsers on this machine may connect.
//!
//! ```text
//!   connection ── timeout and size limit ── Host ── Origin ── token ──> a route ── safe headers
//! ```
//!
//! The server listens on the loopback address. It checks the Host header, so that no other site can
//! read it through that site's domain (DNS rebinding), and requires the token in the address, so
//! that other users of this machine cannot use it. If there are too many connections, those without
//! a request with the token are closed first.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Limits of requests: browsers send small ones promptly.
const MAX_HEAD: usize = 16 << 10;
pub const MAX_BODY: usize = 4 << 20;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximal number of open connections; a new one replaces the oldest that may be closed. Most
/// systems allow a process twice as many.
const MAX_CONNECTIONS: usize = 512;
/// Delay after the system refused a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A server on the loopback address, protected by a token.
pub struct LocalServer {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: String,
}

impl LocalServer {
    /// Listens on a port; 0 means any free one.
    pub fn open(port: u16) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        Ok(LocalServer { address: listener.local_addr()?, listener, token: random()? })
    }

    /// Returns the address to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Returns the path of a route; the page has the empty name.
    pub fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.token)
    }

    /// Serves the routes in this thread, forever.
    pub fn serve(self, routes: Router) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            let guard = Arc::new(Guard { port: self.address.port(), token: self.token });
            let routes = routes.fallback(|| async { refuse(StatusCode::NOT_FOUND, "not found") });
            accept(&listener, routes.layer(middleware::from_fn_with_state(guard, guarded))).await
        })
    }
}

/// Returns 128 random bits in hexadecimal, for a token or a nonce.
pub fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An open connection.
struct Connection {
    state: Arc<ConnectionState>,
    end: AbortHandle,
}

/// State of a connection, shared with its requests.
#[derive(Default)]
struct ConnectionState {
    /// True if a request of the connection had the token.
    has_token: AtomicBool,
    /// Number of requests that are not answered yet.
    under_way: AtomicUsize,
}

impl ConnectionState {
    /// Returns the rank of the connection: those of a lower rank are closed first, and those of
    /// rank 2 never. Only requests with the token count.
    fn rank(&self) -> usize {
        match (self.has_token.load(Ordering::Relaxed), self.under_way.load(Ordering::Relaxed)) {
            (false, _) => 0,
            (true, 0) => 1,
            (true, _) => 2,
        }
    }
}

/// RAII guard that counts a request until it is answered or abandoned.
struct ActiveRequest(Arc<ConnectionState>);

impl ActiveRequest {
    fn new(state: &Arc<ConnectionState>) -> Self {
        state.has_token.store(true, Ordering::Relaxed);
        state.under_way.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(state.clone())
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: &TcpListener, routes: Router) -> io::Result<()> {
    let mut connections: Vec<Connection> = Vec::new();
    // Closes the oldest connection that may be closed, and returns true if there is one.
    let make_room = |connections: &mut Vec<Connection>| {
        let oldest = (0..2).find_map(|rank| connections.iter().position(|connection| connection.state.rank() == rank));
        oldest.map(|oldest| connections.remove(oldest).end.abort()).is_some()
    };
    loop {
        let accepted = listener.accept().await;
        connections.retain(|connection| !connection.end.is_finished());
        let Ok((stream, _)) = accepted else {
            // The system is out of file descriptors.
            make_room(&mut connections);
            tokio::time::sleep(ACCEPT_RETRY).await;
            continue;
        };
        if connections.len() >= MAX_CONNECTIONS && !make_room(&mut connections) {
            continue;
        }
        let state = Arc::<ConnectionState>::default();
        let task = tokio::spawn(serve_connection(stream, routes.clone(), state.clone()));
        connections.push(Connection { state, end: task.abort_handle() });
    }
}

async fn serve_connection(stream: TcpStream, routes: Router, state: Arc<ConnectionState>) {
    // Send small responses at once.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(routes.layer(axum::Extension(state)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(MAX_HEAD);
    // A client that disconnects early is no error.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

struct Guard {
    port: u16,
    token: String,
}

impl Guard {
    /// Returns true if the authority names this server.
    fn names_this_server(&self, authority: &str) -> bool {
        let is_host = |host: &str| host == "127.0.0.1" || host.eq_ignore_ascii_case("localhost");
        match authority.rsplit_once(':') {
            Some((host, port)) => is_host(host) && port == self.port.to_string(),
            None => is_host(authority) && self.port == 80,
        }
    }

    /// Returns the error response if the request is rejected.
    fn rejection(&self, request: &Request) -> Option<Response> {
        let forbidden = |words| Some(refuse(StatusCode::FORBIDDEN, words));
        let header = |name| text_of(request.headers(), name);
        let headers = (header(header::HOST), header(header::ORIGIN), header(header::CONTENT_TYPE));
        let (Ok(host), Ok(origin), Ok(content_type)) = headers else {
            return Some(refuse(StatusCode::BAD_REQUEST, "a header is repeated, or is not text"));
        };
        if !host.is_some_and(|host| self.names_this_server(host)) {
            return forbidden("the Host must be 127.0.0.1 or localhost");
        }
        let is_same_origin =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|authority| self.names_this_server(authority));
        if !origin.is_none_or(is_same_origin) {
            return forbidden("cross-origin request refused");
        }
        let token = request.uri().path().split('/').nth(1).unwrap_or_default();
        if !constant_time_eq(token, &self.token) {
            return forbidden("the address must contain the token that asp-solve printed when it started");
        }
        let is_json =
            |content_type: &str| content_type.split(';').next().unwrap_or_default().trim() == "application/json";
        if request.method() == Method::POST && !content_type.is_some_and(is_json) {
            return Some(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected application/json"));
        }
        None
    }
}

/// Returns a header that occurs at most once, as text.
fn text_of(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

/// Compares in constant time, so that the time does not reveal a correct prefix.
fn constant_time_eq(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

async fn guarded(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.rejection(&request) {
        Some(response) => response,
        None => {
            let _under_way = request.extensions().get::<Arc<ConnectionState>>().map(ActiveRequest::new);
            next.run(request).await
        }
    };
    let fixed_headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed_headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns a page whose scripts and styles must carry the nonce.
pub fn page(html: String, nonce: &str) -> Response {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, &policy)], html)
        .into_response()
}

/// Returns a JSON response.
pub fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Returns a picture.
pub fn svg(text: String) -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], text).into_response()
}

/// Returns an error response in plain text.
pub fn refuse(status: StatusCode, words: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{words}\n")).into_response()
}

/// Reads the body of a request, with limits on size and time.
pub async fn body(body: Body) -> Result<Bytes, Response> {
    let too_large = || refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body exceeds 4 MB, or the connection broke");
    // An announced size over the limit is rejected at once.
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(REQUEST_TIMEOUT, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")),
    }
}
