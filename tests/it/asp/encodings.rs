//! Tests the built-in encodings: they have no warnings and complete headers, and the embedded
//! copies equal the files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use asp::{Order, Program, Settings, Signature, Solver, syntax};
use base::document::Document;
use base::stop::CancelToken;

use crate::support::process::*;
use crate::support::{file, folder, run_line};
use asp_solve::builtin::registry;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every file below `asp/` with its text.
fn built_in_files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("asp")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder of encodings can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).expect("an encoding is text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_file_of_the_asp_folder_is_an_embedded_encoding() {
    let embedded: BTreeSet<PathBuf> = registry()
        .all()
        .iter()
        .flat_map(|entry| {
            let of_tools = entry.tools().into_iter().filter_map(|tool| tool.encoding().cloned());
            entry.about().encodings.iter().cloned().chain(of_tools)
        })
        .flat_map(|encoding| encoding.files.into_owned())
        .map(|file| root().join("asp").join(&*file.path))
        .collect();
    // Files for `--draw` are no encodings. Two files of railways are only for plain clingo.
    let is_encoding =
        |path: &PathBuf| !["drawing.lp", "rail/plan.lp", "rail/expanded.lp"].iter().any(|name| path.ends_with(name));
    let on_disk: BTreeSet<PathBuf> = built_in_files().into_iter().map(|(path, _)| path).filter(is_encoding).collect();
    assert_eq!(embedded, on_disk);
    assert!(!on_disk.is_empty());
}

#[test]
fn every_encoding_grounds_without_messages() {
    for files in [
        &["railway.lp", "dynamic_gate.lp"][..],
        &["railway.lp", "no_gate.lp"],
        &["railway.lp", "states.lp", "expanded.lp"],
        &["railway.lp", "states.lp", "repair.lp"],
    ] {
        for instance in ["deponia.lp", "cycle.lp", "two_starts.lp"] {
            let document = |path: PathBuf| Document {
                name: path.display().to_string(),
                text: std::fs::read_to_string(&path).expect("text").into(),
                path: Some(path),
            };
            let program = Program {
                instance: vec![document(root().join("instances").join(instance))],
                encoding: files.iter().map(|file| document(root().join("asp/rail").join(file))).collect(),
                ..Program::default()
            };
            let solver = Solver::with_program(&program, &Settings::default(), &CancelToken::new())
                .expect("the encoding grounds");
            assert!(solver.messages().is_empty(), "{files:?} with {instance}: {:?}", solver.messages());
        }
    }
}

#[test]
fn every_encoding_runs_without_facts_and_messages() {
    for arguments in [
        "instances/taquin_one.txt --engine asp -e sliding",
        "instances/taquin_near.txt --engine asp -e sliding",
        "instances/amphipod_swap.txt --engine asp -e burrow",
        "instances/minesweeper.txt --engine asp -e layout",
        "instances/minesweeper_facts.lp -e layout",
        "instances/minesweeper_facts.lp -e knight",
        "instances/minesweeper_facts.lp -e torus",
        "instances/minesweeper_facts.lp -e hexagons",
    ] {
        for format in ["text", "asp"] {
            let ran = run_line(&format!("{arguments} -f {format}"));
            assert!([0, 1, 10, 20, 30].contains(&ran.code), "{arguments}: {}", ran.err);
            assert_eq!(ran.err, "", "{arguments}");
        }
    }
}

/// Returns the predicates that a header lists under a heading, such as `path(N,T)`. The first is on
/// the line of the heading, others are on the lines below it.
fn predicates_listed_under(text: &str, heading: &str) -> BTreeSet<Signature> {
    let header = text.lines().take_while(|line| line.starts_with('%')).map(|line| line.trim_start_matches('%'));
    let mut found = BTreeSet::new();
    let mut column = None;
    for line in header {
        let begin = |text: &str| text.len() - text.trim_start().len();
        let atom = match line.trim_start().strip_prefix(heading) {
            Some(rest) if rest.starts_with(' ') => {
                column = Some(line.len() - rest.len() + begin(rest));
                rest.trim_start()
            }
            _ if line.trim().is_empty() || column.is_some_and(|column| begin(line) < column) => {
                column = None;
                continue;
            }
            _ if Some(begin(line)) == column => line.trim_start(),
            _ => continue,
        };
        found.extend(atom.split_whitespace().next().and_then(Signature::of));
    }
    found
}

#[test]
fn every_header_lists_the_shown_predicates() {
    for (path, text) in built_in_files() {
        let shown: BTreeSet<Signature> = syntax::shown_signatures(&text).flatten().collect();
        if shown.is_empty() && path.parent() == Some(&root().join("asp/games")) {
            // A companion file shows the moves of all games.
            let is_whole = text.contains("% Goes with ") || syntax::uses(&text, "move");
            assert!(is_whole, "{} derives no move", path.display());
        } else if shown.is_empty() {
            // Files without `#show` define predicates for other files or contain only tests.
            let output = predicates_listed_under(&text, "Output");
            let goes_with_others =
                text.contains("% Goes with ") || path.parent().is_some_and(|path| path.ends_with("shared"));
            assert!(goes_with_others, "{} shows nothing", path.display());
            assert!(!output.is_empty() || text.contains("%%% Test"), "{} does nothing", path.display());
            for predicate in output {
                assert!(syntax::uses(&text, &predicate.name), "{} derives no {predicate}", path.display());
            }
        } else {
            assert_eq!(predicates_listed_under(&text, "Output"), shown, "{}", path.display());
        }
    }
}

#[test]
fn every_encoding_uses_the_input_of_its_header_and_names_no_instance() {
    for (path, text) in built_in_files() {
        let input = predicates_listed_under(&text, "Input");
        // A file of facts needs no input.
        let has_rules = syntax::words(&text).any(|word| word == ":-");
        assert!(!input.is_empty() || !has_rules, "{} lists no input", path.display());
        // It is enough if only the shared rules use the predicates that all boards have.
        let shared = text.lines().find_map(|line| line.strip_prefix("% Goes with  ")).unwrap_or_default();
        let folders = ["asp/puzzles", "asp/rail", "asp/games"].map(|folder| root().join(folder));
        let read = |name: &str| folders.iter().find_map(|folder| std::fs::read_to_string(folder.join(name)).ok());
        let shared = shared.split([',', ' ']).filter(|name| name.ends_with(".lp")).filter_map(read);
        let full_text = shared.fold(text.clone(), |all, text| all + &text);
        for Signature { name, .. } in input {
            assert!(syntax::uses(&full_text, &name), "{} lists {name} and does not use it", path.display());
        }
        // Predicates that clingo defines itself are excepted.
        let included = text.replace("#include <incmode>.", "");
        assert!(!included.contains("#include"), "{} includes another file", path.display());
        assert!(!syntax::uses(&text, "deponia"), "{} names an instance", path.display());
    }
}

#[test]
fn stock_clingo_has_the_number_of_answers_in_the_headers() {
    for (encoding, number) in [("no_gate", 8), ("dynamic_gate", 72)] {
        let ran = run_line(&format!(
            "-p program instances/deponia.lp asp/rail/{encoding}.lp asp/rail/railway.lp -n 0 -f asp"
        ));
        assert_eq!(ran.code, 30, "{}", ran.err);
        assert!(ran.out.contains(&format!("Models       : {number}\n")), "{}", ran.out);
        let text = std::fs::read_to_string(root().join(format!("asp/rail/{encoding}.lp"))).expect("text");
        assert!(text.contains(&format!("({number} for Deponia)")));
    }
}

#[test]
fn the_embedded_copy_is_used_without_a_folder() {
    let folder = folder();
    let instance = root().join("instances/deponia.lp");
    let output = crate::support::command()
        .current_dir(folder.path())
        .arg(&instance)
        .args(["-n", "0", "-v", "-f", "json"])
        .finished();
    let ran = crate::support::run_output(output);
    assert_eq!(ran.json()["encoding"][0], "embedded:rail/dynamic_gate.lp");
    assert!(ran.err.contains("embedded:rail/dynamic_gate.lp"), "{}", ran.err);
    assert_eq!(ran.json()["statistics"]["configurations"]["win"], "4");
}

#[test]
fn the_folder_of_the_environment_precedes_the_working_directory() {
    let folder = folder();
    let text = std::fs::read_to_string(root().join("asp/rail/dynamic_gate.lp")).expect("text");
    let path = file(folder.path(), "rail/dynamic_gate.lp", text);
    let output = crate::support::command()
        .env("ASP_SOLVE_DIR", folder.path())
        .args(["instances/deponia.lp", "-f", "json"])
        .finished();
    assert_eq!(crate::support::run_output(output).json()["encoding"][0], path.to_str().expect("UTF-8"));
}

#[test]
fn atoms_of_answers_are_sorted_on_request() {
    let document = Document::in_memory("letters", "a(3). a(1). b. a(2).");
    let program = Program { instance: vec![document], ..Program::default() };
    let mut solver =
        Solver::with_program(&program, &Settings::default(), &CancelToken::new()).expect("the program grounds");
    let mut texts = Vec::new();
    solver
        .solve(&[], |model| {
            texts = model.shown(Order::Sorted).expect("a model").map(asp::to_text).collect();
            std::ops::ControlFlow::Continue(())
        })
        .expect("the search succeeds");
    assert_eq!(texts, ["b", "a(1)", "a(2)", "a(3)"]);
}
