//! Tests the server, whose token and headers keep others out, and the values of the page's protocol.

use std::io::{Read, Write};
use std::net::TcpStream;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use base::diagnostic::{Code, Diagnostic, Failure, Place};
use puzzle::report::RenderedAnswer;
use serde_json::json;
use studio::serve::{LocalServer, json as json_response};
use studio::{File, Query, Request, compare_answers, diagnostics, documents, html};

/// Starts a server, and returns its port and the path of its page.
fn start() -> (String, String) {
    let server = LocalServer::open(0).expect("a free port");
    let address = server.address();
    let (port, path) = address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/')).expect("a port");
    let routes = Router::new()
        .route(&server.path(""), get(async || "the page"))
        .route(&server.path("ask"), post(async || json_response(StatusCode::OK, "{}".to_owned())));
    let found = (port.to_owned(), format!("/{path}"));
    // The thread ends with the process.
    std::thread::spawn(move || server.serve(routes));
    found
}

/// Sends a request without a body, and returns the status and the whole response.
fn send(port: &str, line: &str, headers: &[&str]) -> (u16, String) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("the server listens");
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    write!(stream, "{line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n").expect("it is sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    (response.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), response)
}

#[test]
fn only_requests_with_the_token_and_the_right_headers_are_answered() {
    let (port, page) = start();
    let host = format!("Host: 127.0.0.1:{port}");
    let of_other_token = page.chars().rev().collect::<String>();
    let ask = format!("POST {page}ask");
    let json = "Content-Type: application/json";
    for (line, headers, status) in [
        (format!("GET {page}"), vec![&*host], 200),
        (format!("GET {page}none"), vec![&*host], 404),
        (format!("GET {of_other_token}"), vec![&*host], 403),
        ("GET /".to_owned(), vec![&*host], 403),
        (format!("GET {page}"), vec!["Host: example.com"], 403),
        (format!("GET {page}"), vec![&*host, "Origin: http://example.com"], 403),
        (ask.clone(), vec![&*host, json], 200),
        (ask.clone(), vec![&*host, "Content-Type: text/plain"], 415),
        (ask, vec![&*host, json, json], 400),
    ] {
        let (found, response) = send(&port, &line, &headers);
        assert_eq!(found, status, "{line} {headers:?}\n{response}");
        assert!(response.to_lowercase().contains("x-frame-options: deny"), "{response}");
    }
}

#[test]
fn each_script_and_style_of_the_page_has_the_nonce() {
    let page = html("0123", &json!({ "files": [{ "name": "a.lp", "text": "</script><script>alert(1)</script>" }] }));
    let elements = ["<script", "<style"].map(|name| page.matches(name).count());
    assert!(elements.iter().all(|&count| count > 0));
    assert_eq!(page.matches(" nonce=\"0123\"").count(), elements.iter().sum::<usize>());
    assert!(!page.contains("<script>alert"));
}

#[test]
fn requests_are_read_from_json() {
    let text = r#"{"id": 7, "files": [{"name": "a.lp", "text": "a."}], "ask": {"play": {"moves": ["a"]}}}"#;
    let request: Request = serde_json::from_str(text).expect("a request");
    assert_eq!((request.id, &*request.files[0].name), (7, "a.lp"));
    assert_eq!(request.ask, Query::Play { moves: vec!["a".to_owned()], asks: String::new() });
    assert!(serde_json::from_str::<Request>(&text.replace("play", "paint")).is_err());
}

#[test]
fn columns_count_utf16_units() {
    // The sign in quotes has four bytes, and two UTF-16 units.
    let text = "p(\"\u{1d11e}\") :- q.";
    let at = text.find("q").expect("a letter");
    let place = Place::of_range("a.lp", text, at..at + 1);
    let found = diagnostics(&[Diagnostic::error(Code::System, "wrong").at(Some(place))], |_| Some(text.into()));
    let place = &found[0]["places"][0];
    assert_eq!((&place["start"], &place["end"]), (&json!([1, 12]), &json!([1, 13])));
}

#[test]
fn atoms_of_all_answers_are_told_from_those_of_some() {
    let answer = |atoms: &[&str]| RenderedAnswer {
        atoms: atoms.iter().map(|&atom| atom.to_owned()).collect(),
        text: String::new(),
        costs: Vec::new(),
        picture: None,
    };
    let (always, sometimes) = compare_answers(&[answer(&["a", "b"]), answer(&["b", "c"])]);
    assert_eq!((always, sometimes), (vec!["b".to_owned()], vec!["a".to_owned(), "c".to_owned()]));
}

#[test]
fn includes_of_texts_on_the_page_are_blanked_and_others_are_resolved() {
    let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
    let files = [file("a.lp", "#include \"b.lp\".\n#include \"c.lp\".\nq."), file("b.lp", "p.")];
    let resolve = |_: &File, name: &str| Ok(if name == "b.lp" { name.to_owned() } else { format!("/disk/{name}") });
    let read = documents(&files, resolve).expect("documents");
    assert_eq!(read[0].text.trim_start(), "#include \"/disk/c.lp\".\nq.");
    assert_eq!(read[0].text.lines().count(), 3, "lines keep their numbers");
    let Failure(errors) = documents(&files, |_, _| Err("not below the folder".to_owned())).expect_err("no file");
    assert!(errors[0].code == Code::MissingInclude && errors[0].message.contains("not below the folder"));
}
