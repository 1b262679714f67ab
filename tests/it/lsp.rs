//! Tests the language server: sessions stored as data, and messages for mistakes of beginners.

use std::path::Path;
use std::process::Stdio;

use asp::{Program, statements_of, syntax};
use base::document::Document;
use lsp::formatted;
use serde_json::{Value, json};

use crate::support::editor::Editor;
use crate::support::process::*;
use crate::support::programs::is_installed;
use crate::support::{command, file, folder, run_command_with_input};

/// Returns true if a value contains a pattern: keys of objects, elements of lists in this order
/// with any others between, and texts in which `…` matches anything.
fn matches_pattern(value: &Value, pattern: &Value) -> bool {
    match (value, pattern) {
        (Value::Object(value), Value::Object(pattern)) => {
            pattern.iter().all(|(key, pattern)| matches_pattern(value.get(key).unwrap_or(&Value::Null), pattern))
        }
        (Value::Array(value), Value::Array(pattern)) => {
            let mut rest = value.iter();
            pattern.iter().all(|pattern| rest.any(|value| matches_pattern(value, pattern)))
                && (!pattern.is_empty() || value.is_empty())
        }
        (Value::String(value), Value::String(pattern)) => {
            let mut rest = Some(value.as_str());
            for (number, part) in pattern.split('…').enumerate() {
                rest = rest.and_then(|rest| {
                    let at = rest.find(part).filter(|&at| number > 0 || at == 0)?;
                    Some(&rest[at + part.len()..])
                });
            }
            rest.is_some_and(|rest| rest.is_empty() || pattern.ends_with('…'))
        }
        (value, pattern) => value == pattern,
    }
}

/// Replays the sessions: each step sends a notification, sends a request, or waits. `$/` in texts
/// is replaced with the folder's address.
#[test]
fn sessions_follow_their_scripts() {
    let sessions = files(Path::new("tests/data/lsp"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    for path in sessions {
        let session = std::fs::read_to_string(&path).expect("a session");
        let mut editor = Editor::new();
        let root = editor.uri("");
        let session: Value = serde_json::from_str(&session.replace("$/", &format!("{root}/"))).expect("JSON");
        for (name, text) in session["files"].as_object().expect("files") {
            file(editor.folder.path(), name, text.as_str().expect("a text"));
        }
        for step in session["steps"].as_array().expect("steps") {
            let what = step["what"].as_str().expect("a description");
            if let Some(method) = step["tell"].as_str() {
                editor.notify(method, step["params"].clone());
            }
            if let Some(method) = step["ask"].as_str() {
                let response = editor.request(method, step["params"].clone());
                assert!(matches_pattern(&response, &step["answer"]), "{what}: {response:#}");
            }
            if !step["until"].is_null() {
                let mut others = Vec::new();
                editor.wait_for(|message| {
                    others.push(message.to_string());
                    assert!(others.len() < 20, "{what}: {others:#?}");
                    matches_pattern(message, &step["until"])
                });
            }
        }
        assert_eq!(editor.shut_down(), 0);
    }
}

/// Runs Neovim with the provided settings, installed as documented.
#[test]
#[ignore = "needs Neovim"]
fn neovim_uses_the_features_of_the_server() {
    if !is_installed("nvim") {
        return;
    }
    let folder = folder();
    let root = folder.path();
    let settings = root.join("config/nvim/plugin");
    std::fs::create_dir_all(&settings).expect("a folder");
    std::fs::copy("editors/nvim/asp-solve.lua", settings.join("asp-solve.lua")).expect("a copy");
    file(
        root,
        "base.lp",
        "% Nodes.\n%\n% Input   edge(X,Y)   an edge\n\nnode(X) :- edge(X,_).\nnode(Y) :- edge(_,Y).\n",
    );
    let main = "#include \"base.lp\".\n\nedge(1,2). edge(2,3).\ncolor(X,1) :- nod(X).\n#show color/2.\n";
    file(root, "main.lp", main);
    let folder_of_executable =
        Path::new(env!("CARGO_BIN_EXE_asp-solve")).parent().expect("the executable is in a folder");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder_of_executable.to_owned()].into_iter().chain(std::env::split_paths(&paths)))
        .expect("paths");
    let mut nvim = command_of("nvim");
    nvim.args(["--headless", "-S", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lsp/neovim.lua")]);
    nvim.current_dir(root).env("PATH", path).stdin(Stdio::null());
    for (name, value) in [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state")] {
        nvim.env(name, root.join(value));
    }
    let ran = nvim.finished();
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let expected = "message 4 14 atom does not occur in any rule head: nod(X)\n\
                  help: nod/1 is defined nowhere (did you mean node?)\n\
                  Replace `nod` with `node`: color(X,1) :- node(X).\n\
                  mended true\n\
                  hover `edge(X,Y)`: an edge\n\
                  renamed arc(1,2). arc(2,3).\n\
                  formatted a :- node(1).\n\
                  solved Answer 1:   color(1,1) color(2,1) color(3,1)\n";
    assert_eq!(output, expected, "{}", String::from_utf8_lossy(&ran.stderr));
}

/// The first lines of each file describe the mistake and contain a part of the remedy, or `none` if
/// no message has one yet.
#[test]
fn mistakes_of_beginners_are_reported_with_a_remedy() {
    let mut editor = Editor::new();
    let (mut all, mut helped) = (0, 0);
    for path in files(Path::new("tests/data/mistakes")) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let remedy = text.lines().find_map(|line| line.strip_prefix("% Remedy: ")).expect("a remedy");
        all += 1;
        if remedy == "none" {
            continue;
        }
        helped += 1;
        editor.open(&name, &text);
        let has_remedy = |one: &Value| one["message"].as_str().is_some_and(|words| words.contains(remedy));
        let diagnostics = editor.checked(&name, 1);
        assert!(diagnostics.iter().any(has_remedy), "{name}: {diagnostics:#?}");
    }
    assert!(all >= 35 && helped >= 30, "{helped} of {all}");
    assert_eq!(editor.shut_down(), 0);
}

#[test]
fn built_in_files_have_no_diagnostics() {
    let mut editor = Editor::new();
    for path in files(Path::new("asp")).into_iter().chain(files(Path::new("instances"))) {
        let name = std::path::absolute(&path).expect("a path").display().to_string();
        if path.extension().is_none_or(|ending| ending != "lp") || name.ends_with("no_solution.lp") {
            continue;
        }
        editor.open(&name, &std::fs::read_to_string(&path).expect("a text"));
        assert_eq!(editor.checked(&name, 1), [Value::Null; 0], "{name}");
    }
    assert_eq!(editor.shut_down(), 0);
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect();
    found.sort();
    found
}

/// Returns all logic programs of the repository, valid and invalid.
fn corpus() -> Vec<(std::path::PathBuf, String)> {
    let folders = ["asp", "instances", "examples", "tests"].map(|folder| files(Path::new(folder)));
    let programs = folders.into_iter().flatten().filter(|path| path.extension().is_some_and(|ending| ending == "lp"));
    programs.filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))).collect()
}

/// Returns the statements as clingo prints them, or `None` for a syntax error.
fn statements(text: &str) -> Option<Vec<String>> {
    let included = syntax::includes(text).into_iter().map(|(range, _)| range);
    let document = Document::in_memory("", syntax::blank_out(text, included));
    let statements = statements_of(&Program { instance: vec![document], ..Program::default() }).ok()?;
    Some(statements.into_iter().map(|statement| statement.tree.text).collect())
}

#[test]
fn formatting_changes_only_white_space() {
    let programs = corpus();
    assert!(programs.len() > 100, "{}", programs.len());
    for (path, text) in programs {
        // Tries the text and variants with different blanks.
        let narrow =
            text.replace(" :- ", ":-").replace(", ", ",").replace(" = ", "=").replace(": ", ":").replace(" }", "}");
        for text in [&text, &narrow, &text.replace(',', " ,  "), &text.replace('(', "( ")] {
            let result = formatted(text);
            assert_eq!(formatted(&result), result, "{}", path.display());
            assert_eq!(statements(&result), statements(text), "{}", path.display());
            let signs = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(signs(&result), signs(text), "{}", path.display());
        }
        // Built-in puzzles are already formatted.
        if path.starts_with("asp/puzzles") && std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, formatted(&text)).expect("the file is writable");
        } else if path.starts_with("asp/puzzles") {
            assert_eq!(formatted(&text), text, "{}", path.display());
        }
    }
}

/// Opens every prefix of a text and sends requests for its end: no request fails, and the server
/// keeps running.
#[test]
fn half_typed_text_does_not_stop_the_server() {
    let text = "% T: é.\n% Input  p(X)  𝄞 one\n%!trace_rule {\"a %\",X}.\n{ p(X,f(\"𝄞\")) : q(X;1) } = 1 :- #count { Y : r(Y) } > 2, not -s.\n\
                #include \"x.lp\".\n:~ p(X). [1@2,X]\n%* b *%\n#show p/1.";
    let mut editor = Editor::new();
    editor.open("a.lp", "");
    for (version, (at, _)) in text.char_indices().chain([(text.len(), ' ')]).enumerate() {
        let typed = &text[..at];
        editor.change("a.lp", version as i32 + 2, typed);
        let line = typed.matches('\n').count();
        let column = typed.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
        let document = json!({ "uri": editor.uri("a.lp") });
        let position = json!({ "line": line, "character": column });
        let params = json!({ "textDocument": document, "position": position, "range": { "start": position, "end": position }, "newName": "new" });
        for method in [
            "hover",
            "completion",
            "definition",
            "references",
            "prepareRename",
            "documentSymbol",
            "foldingRange",
            "documentLink",
            "formatting",
            "codeLens",
            "codeAction",
        ] {
            let response = editor.request(&format!("textDocument/{method}"), params.clone());
            assert!(response.get("result").is_some(), "{typed:?} {method}: {response}");
        }
    }
    assert_eq!(editor.shut_down(), 0);
}

/// Returns the labels and the inserted texts of the completions at the end of a text.
fn completions(editor: &mut Editor, text: &str) -> Vec<(String, String)> {
    let name = "completed.lp";
    editor.open(name, text);
    let line = text.matches('\n').count();
    let column = text.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    let params =
        json!({ "textDocument": { "uri": editor.uri(name) }, "position": { "line": line, "character": column } });
    let response = editor.request("textDocument/completion", params);
    let items = response["result"].as_array().unwrap_or_else(|| panic!("{response}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items.iter().map(|item| (text(&item["label"]), text(&item["textEdit"]["newText"]))).collect()
}

#[test]
fn bodies_are_completed_with_defined_predicates_and_variables() {
    const PROGRAM: &str = "node(1..3). edge(1,2). edge(2,3).\ncol(r;g). at((1,2),a).\n#defined hint/0.\n\
        { color(X,C) : col(C) } = 1 :- node(X).\n:- edge(X,Y), colour(X,C).\n";
    let mut editor = Editor::new();
    let labels = |found: &[(String, String)]| found.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>();
    for body in ["ok :- no", "ok :- ", "ok :-\n  no", "ok :- not no", ":- #count { X : no"] {
        let found = completions(&mut editor, &format!("{PROGRAM}{body}"));
        let mut labels = labels(&found);
        labels.retain(|label| !["X", "ok"].contains(&label.as_str()));
        labels.sort_unstable();
        assert_eq!(labels, ["at(X,Y)", "col(C)", "color(X,C)", "edge(X,Y)", "hint", "node(X)"], "{body}");
    }
    // Without an occurrence with variables, the argument has the initial of the predicate.
    let found = completions(&mut editor, "node(1..3). edge(1,2).\na :- n");
    assert!(found.contains(&("node(N)".to_owned(), "node(${1:N})".to_owned())), "{found:?}");
    assert!(found.contains(&("edge(X,Y)".to_owned(), "edge(${1:X},${2:Y})".to_owned())), "{found:?}");
    // A head may define what rules only use so far.
    let found = completions(&mut editor, &format!("{PROGRAM}colo"));
    assert_eq!(labels(&found).last().map(String::as_str), Some("colour(X,C)"));
    // The rule that is being typed does not hide the next one.
    let text = "b(1). a(X) :- \nc(Y) :- b(Y).\nd :- ".to_owned();
    assert_eq!(labels(&completions(&mut editor, &text)), ["b(Y)", "a(X)", "c(Y)", "d"]);
    assert_eq!(editor.shut_down(), 0);
}

#[test]
fn a_misspelt_directive_is_replaced_with_its_sign() {
    let mut editor = Editor::new();
    editor.open("a.lp", "a.\n#shwo a/0.\n");
    editor.diagnostics("a.lp", 1, |diagnostics| diagnostics.as_array().is_some_and(|list| list.len() == 1));
    let uri = editor.uri("a.lp");
    let at = |character| json!({ "line": 1, "character": character });
    let params = json!({ "textDocument": { "uri": uri }, "range": { "start": at(1), "end": at(1) } });
    let response = editor.request("textDocument/codeAction", params);
    let edit = &response["result"][0]["edit"]["changes"][uri.as_str()][0];
    assert_eq!(edit["newText"], "#show", "{response}");
    assert_eq!(edit["range"], json!({ "start": at(0), "end": at(5) }), "{response}");
    assert_eq!(editor.shut_down(), 0);
}

#[test]
fn editors_and_the_command_agree_on_severities() {
    let mut editor = Editor::new();
    for (name, program, level, number) in [
        ("typo.lp", "node(1..2). p(X) :- nod(X).\n", "warning", 2),
        ("input.lp", "p(X) :- weight(X).\n", "info", 3),
        ("wrong.lp", "p(X) :- not q(X). q(1).\n", "error", 1),
    ] {
        let path = file(editor.folder.path(), name, program);
        let ran = crate::support::run([path.to_str().expect("UTF-8"), "-p", "program"]);
        assert!(ran.err.starts_with(&format!("{level}: ")), "{}", ran.err);
        editor.open(name, program);
        let found = editor.checked(name, 1);
        assert_eq!(found[0]["severity"], number, "{name}: {found:?}");
    }
    assert_eq!(editor.shut_down(), 0);
}

#[test]
fn a_change_rechecks_the_open_texts_that_include_the_changed_one() {
    let mut editor = Editor::new();
    file(editor.folder.path(), "a.lp", "p.\n");
    editor.open("a.lp", "p.\n");
    editor.open("b.lp", "#include \"a.lp\".\nq :- p.\n");
    assert_eq!(editor.checked("b.lp", 1), Vec::<Value>::new());
    editor.change("a.lp", 2, "r.\n");
    editor.diagnostics("b.lp", 1, |found| found[0]["code"] == "undefined-atom");
    assert_eq!(editor.shut_down(), 0);
}

#[test]
fn runs_are_cancelled_and_exit_without_shutdown_fails() {
    let mut editor = Editor::new();
    editor.open("long.lp", "p(1..100000000).\n");
    let uri = editor.uri("long.lp");
    let id = 1_000;
    let params = json!({ "command": "asp-solve.solve", "arguments": [uri] });
    editor.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": params }));
    editor.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(editor.wait_for(|message| message["id"] == id)["error"]["code"], -32800);
    // The next text is checked during a long grounding.
    editor.change("long.lp", 2, "p :- q.\n");
    editor.diagnostics("long.lp", 2, |diagnostics| diagnostics.as_array().is_some_and(|list| list.len() == 1));
    editor.notify("exit", Value::Null);
    assert_eq!(editor.server.ended().code(), Some(1));
}

#[test]
fn malformed_messages_are_answered_with_an_error() {
    let message = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let right = message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}");
    for (input, words) in [
        (
            "Content-Length: 99999999999999\r\n\r\n{}".to_owned(),
            "expected a Content-Length of at most 268435456 bytes, found `99999999999999`",
        ),
        ("Content-Length: 184467440737095516160\r\n\r\n{}".to_owned(), "found `184467440737095516160`"),
        ("Content-Length: -2\r\n\r\n{}".to_owned(), "found `-2`"),
        (
            "Content-Length: 200000000\r\n\r\n{}".to_owned(),
            "expected a message of 200000000 bytes, found the end after 2",
        ),
        ("{\"jsonrpc\":\"2.0\"}\r\n".to_owned(), "expected a header line such as `Content-Length: 2`"),
        ("hello\n".to_owned(), "found `hello`"),
        ("a".repeat(100_000), "expected a header line"),
        ("A: b\r\n".repeat(1000), "expected a header line"),
        ("\r\n".to_owned(), "expected a header line `Content-Length`, found none"),
        (message("{"), "expected a message of JSON-RPC"),
        (message("[]"), "expected a message of JSON-RPC"),
        (message("\u{0}\u{1}"), "expected a message of JSON-RPC"),
        (right.clone() + "Content-Length: x\r\n\r\n", "found `x`"),
    ] {
        let ran = run_command_with_input(command(), "lsp", &input);
        assert_eq!(ran.code, 2, "{words}: {}", ran.err);
        assert!(ran.err.starts_with("error: <stdin>: ") && ran.err.contains(words), "{words}: {}", ran.err);
        let last = ran.out.rsplit("\r\n\r\n").next().expect("a message");
        let response: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!((&response["id"], &response["error"]["code"]), (&Value::Null, &json!(-32700)), "{response}");
        assert!(response["error"]["message"].as_str().is_some_and(|text| text.contains(words)), "{response}");
    }
    // Input that ends between two messages means that the editor has exited.
    let ran = run_command_with_input(command(), "lsp", &right);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
}

#[test]
fn large_texts_are_outlined_and_renamed() {
    const RULES: usize = 10_000;
    let mut editor = Editor::new();
    let text: String =
        (0..RULES).map(|number| format!("%%% Part {number}\np{number}(X) :- q(X,{number}).\n")).collect();
    editor.open("rules.lp", &text);
    let elements: Vec<String> = (0..RULES).map(|number| format!("{number}@1,X : r(X,{number})")).collect();
    editor.open("costs.lp", &format!("#minimize {{ {} }}.\n", elements.join(";\n")));
    let ask = |editor: &mut Editor, name: &str, method: &str| {
        let params = json!({ "textDocument": { "uri": editor.uri(name) }, "newName": "s",
            "position": { "line": 0, "character": 20 } });
        editor.request(&format!("textDocument/{method}"), params)["result"].clone()
    };
    let symbols = ask(&mut editor, "rules.lp", "documentSymbol");
    let symbols = symbols.as_array().expect("symbols");
    assert_eq!(symbols.len(), RULES);
    let last = &symbols[RULES - 1]["children"][0];
    assert_eq!((&last["name"], &last["selectionRange"]["start"]["line"]), (&json!("p9999/1"), &json!(2 * RULES - 1)));
    let renamed = ask(&mut editor, "costs.lp", "rename");
    let edits = &renamed["changes"][editor.uri("costs.lp")];
    assert_eq!(edits.as_array().map(Vec::len), Some(RULES), "{}", renamed.to_string().len());
}

#[test]
fn rules_in_nested_comments_have_no_names() {
    let mut editor = Editor::new();
    let text = "a(1).\n%* %* b(1). *% a(2). *%\n#! a(3).\nc(X) :- a(X).\n";
    editor.open("a.lp", text);
    let uri = editor.uri("a.lp");
    let params = json!({ "textDocument": { "uri": uri }, "newName": "d", "position": { "line": 0, "character": 0 } });
    let renamed = editor.request("textDocument/rename", params.clone());
    let lines: Vec<_> = renamed["result"]["changes"][&uri]
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| &edit["range"]["start"]["line"])
        .collect();
    assert_eq!(lines, [&json!(0), &json!(3)]);
    let symbols = editor.request("textDocument/documentSymbol", params.clone());
    let names: Vec<_> = symbols["result"].as_array().expect("symbols").iter().map(|symbol| &symbol["name"]).collect();
    assert_eq!(names, [&json!("a/1"), &json!("c/1")]);
    assert_eq!(formatted("a.%* %*  b  .*%  c.*%\n#!  d  .\n"), "a.%* %*  b  .*%  c.*%\n#!  d  .\n");
}
