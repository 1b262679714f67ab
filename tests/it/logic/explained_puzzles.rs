//! What explanations of the shipped puzzles stand on: words for all that can be broken, and rules for hints that allow the same.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use asp_solve::asp::statement::Head;
use asp_solve::asp::{Order, Program, Settings, Signature, Solver, Symbol, statements_of, to_text};
use asp_solve::document::Document;
use asp_solve::stop::Stop;
use asp_solve::why::{Blame, Switched};
use serde_json::Value;

use crate::logic::puzzles::{Sheet, sheets};
use crate::support::{file, folder, run, run_line};

fn encodings(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { encodings(&path) } else { vec![path] }).collect()
}

#[test]
fn whatever_can_be_broken_in_a_shipped_encoding_has_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut told = 0;
    for path in encodings(&root.join("asp")).into_iter().chain([root.join("instances/queens.lp")]) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines: Vec<&str> = text.lines().collect();
        let instance = vec![Document::in_memory(path.display().to_string(), text.as_str())];
        let statements = statements_of(&Program { instance, ..Program::default() }).expect("statements");
        let can_be_broken = |head: &Head| matches!(head, Head::Nothing) || head.bounds().is_some();
        // The part for new boards is only there to make them.
        for statement in
            statements.iter().filter(|statement| can_be_broken(&statement.head) && !statement.is_elsewhere())
        {
            let before = lines[..statement.place.start.line - 1].iter().rev();
            let comments: Vec<&&str> = before.take_while(|line| line.starts_with("%!")).collect();
            // Perhaps with the name of the reason first.
            let has_words =
                comments.iter().any(|comment| comment.starts_with("%!trace_rule {") && comment.contains('"'));
            assert!(has_words, "{}:{}: {}", path.display(), statement.place.start.line, statement.text);
            told += 1;
        }
    }
    assert!(told > 100, "{told}");
}

/// A puzzle with its board, what may be blamed, and whether steps are told.
fn switched(sheet: &Sheet, blamed: &[Blame], hint: &str) -> Switched {
    let mut program = sheet.program(&sheet.board().facts());
    program.additions.push(Document::in_memory("hint", hint));
    let told = Switched::new(&program.into(), blamed, &Settings::default(), &Stop::new());
    told.unwrap_or_else(|failure| panic!("{}: {failure}", sheet.name))
}

#[test]
fn clues_constraints_and_answers_are_told_in_words() {
    for sheet in sheets() {
        let mut words = Vec::new();
        let constraints = switched(&sheet, &[Blame::Constraints], "hint.");
        let clues =
            switched(&sheet, &["sign", "left", "top"].map(|name| Blame::Predicate(Signature::new(name, 3))), "");
        for switched in [&constraints, &clues] {
            let all: Vec<usize> = (0..switched.len()).collect();
            words.extend(switched.parts(&all).expect("words").into_iter().map(|part| part.words));
        }
        let asked: Vec<Symbol> = constraints.questions().iter().map(|(atom, _)| *atom).collect();
        for holds in [true, false] {
            let literals: Vec<(Symbol, bool)> = asked.iter().map(|&atom| (atom, holds)).collect();
            words.extend(constraints.words().of_literals(&literals).expect("words"));
        }
        assert!(!asked.is_empty() && constraints.len() > 4, "{}", sheet.name);
        let is_raw = |words: &String| {
            let begins = words.split('(').next().unwrap_or_default();
            words.contains(['{', '%', '_'])
                || words.contains(":-")
                || begins.len() < words.len() && !begins.contains(' ')
        };
        let raw: Vec<&String> = words.iter().filter(|words| is_raw(words)).collect();
        assert!(raw.is_empty(), "{}: {raw:?}", sheet.name);
    }
}

/// The answers of a program, at most so many, in the atoms of these predicates.
fn answers(program: &Program, predicates: &[String], most: u64) -> BTreeSet<Vec<String>> {
    let settings = Settings { models: Some(most), ..Settings::default() };
    let mut solver = Solver::with_program(program, &settings, &Stop::new()).expect("a program");
    let mut answers = BTreeSet::new();
    let solved = solver.solve(&[], |model| {
        let atoms = model.shown(Order::Sorted).expect("memory").map(to_text);
        answers.insert(atoms.filter(|atom| predicates.iter().any(|name| atom.starts_with(name.as_str()))).collect());
        ControlFlow::Continue(())
    });
    solved.expect("solved");
    answers
}

#[test]
fn what_is_told_step_by_step_has_the_solutions_that_the_puzzle_has() {
    for sheet in sheets() {
        let program = sheet.program(&sheet.board().facts());
        let mut hinted = program.clone();
        hinted.additions.push(Document::in_memory("hint", "hint."));
        let statements = statements_of(&program).expect("statements");
        let shown = |head: &Head| match head {
            // For hints alone.
            Head::Show(Some(shown)) if shown.name != "joined" => Some(format!("{}(", shown.name)),
            _ => None,
        };
        let shown: Vec<String> = statements.iter().filter_map(|statement| shown(&statement.head)).collect();
        let solutions = answers(&program, &shown, 2);
        assert_eq!(solutions.len(), 1, "{}", sheet.name);
        assert_eq!(solutions, answers(&hinted, &shown, 0), "{}", sheet.name);
    }
}

/// A board with one clue changed: all ways, each with line and column of what was changed, from 1.
/// Circles change their colour where both kinds are signs.
fn changed(text: &str, has_both: bool) -> Vec<(usize, usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_header = |line: &str| ["puzzle", "rows", "columns"].iter().any(|name| line.starts_with(name));
    let is_name = |line: &&&str| ["area", "between", "corner", "shade"].contains(*line);
    let clues = lines.iter().take_while(|line| !is_name(line)).enumerate().filter(|(_, line)| !is_header(line));
    let mut boards = Vec::new();
    for (number, line) in clues {
        let characters: Vec<char> = line.chars().collect();
        let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
        for (at, character) in characters.iter().enumerate() {
            let others: &[char] = match character {
                '0'..='9' if !is_digit(at.checked_sub(1)) && !is_digit(Some(at + 1)) => &['1', '2', '3', '4', '5', '6'],
                'o' if has_both => &['*'],
                '*' if has_both => &['o'],
                '.' if text.starts_with("puzzle simpleloop") => &['#'],
                _ => &[],
            };
            for &other in others.iter().filter(|other| *other != character) {
                let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                lines[number] =
                    characters.iter().enumerate().map(|(n, &old)| if n == at { other } else { old }).collect();
                boards.push((number + 1, at + 1, lines.join("\n") + "\n"));
            }
        }
    }
    boards
}

/// The predicates that a program shows, for hints alone or not.
fn shown(program: &Program) -> Vec<Signature> {
    let statements = statements_of(program).expect("statements");
    statements
        .into_iter()
        .filter_map(|statement| if let Head::Show(shown) = statement.head { shown } else { None })
        .collect()
}

/// What `why` stands on: where a clue is left out, it may say anything, what it says among it.
#[test]
fn a_clue_that_is_left_out_loses_no_solution() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for sheet in sheets() {
        let facts = sheet.board().facts();
        let program = sheet.program(&facts);
        let shown = shown(&program);
        let names: Vec<String> = shown.iter().map(|shown| format!("{}(", shown.name)).collect();
        let solution =
            answers(&program, &names, 1).pop_first().unwrap_or_else(|| panic!("{}: no solution", sheet.name));
        let mut same: String = solution.iter().map(|atom| format!(":- not {atom}.\n")).collect();
        for (Signature { name, arity, .. }, begins) in shown.iter().zip(&names) {
            let variables = (0..*arity).map(|number| format!("X{number}")).collect::<Vec<_>>().join(",");
            let number = solution.iter().filter(|atom| atom.starts_with(begins)).count();
            same += &format!(":- #count {{ {variables} : {name}({variables}) }} != {number}.\n");
        }
        let is_clue = |line: &&str| ["sign(", "left(", "top(", "stars("].iter().any(|name| line.starts_with(name));
        for clue in facts.lines().filter(is_clue) {
            let mut without = sheet.program(&facts.replace(&format!("{clue}\n"), ""));
            let left_out = clue.trim_end_matches('.').split(". ").map(|fact| format!("__asp_solve_fact(0,{fact}). "));
            without.additions.push(Document::in_memory("left out", left_out.chain([same.clone()]).collect::<String>()));
            if answers(&without, &names, 1).is_empty() {
                wrong.push(format!("{}: {clue}", sheet.name));
            }
            tried += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 200, "{tried}");
}

#[test]
fn a_board_that_one_changed_clue_contradicts_has_a_cause_with_that_clue_in_words() {
    let (folder, mut told, mut wrong) = (folder(), Vec::new(), Vec::new());
    for sheet in sheets() {
        let text = std::fs::read_to_string(format!("{}/instances/{}.txt", env!("CARGO_MANIFEST_DIR"), sheet.name));
        let has_both =
            sheet.has("Signs").is_some_and(|signs| ["\"o\"", "\"*\""].iter().all(|sign| signs.contains(sign)));
        for (line, column, board) in changed(&text.expect("a board"), has_both).into_iter().take(60) {
            let path = file(folder.path(), &format!("{}.txt", sheet.name), &board);
            if run([path.as_os_str(), "-q".as_ref()]).code == 0 {
                continue;
            }
            let ran = run(["why".as_ref(), path.as_os_str(), "-f".as_ref(), "json".as_ref()]);
            assert_eq!(ran.code, 0, "{}: {}{}\n{board}", sheet.name, ran.out, ran.err);
            let cause = ran.json()["causes"][0].as_array().expect("a cause").clone();
            let is_changed = |part: &Value| {
                let place = ["line", "column"].map(|key| part[key].as_u64().unwrap_or_default() as usize);
                place[0] == line && place[1] <= column && column <= place[1] + "letters ".len()
            };
            // Without the clue the board has its solution: no cause can do without it.
            if !cause.iter().any(is_changed) {
                wrong.push(format!("{}: {line}:{column} is not in {cause:?}\n{board}", sheet.name));
            }
            let is_told = |part: &Value| {
                part["words"].as_str().is_some_and(|words| words.contains("row ") || words.contains("column "))
            };
            if !cause.iter().all(is_told) {
                wrong.push(format!("{}: {cause:?}", sheet.name));
            }
            told.push(sheet.name);
            break;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Some, such as LITS, have areas alone, or no clue that contradicts the others.
    let all = crate::support::pencil_puzzles();
    assert!(told.len() * 10 >= all * 7, "{} of {all}: {told:?}", told.len());
}

#[test]
fn steps_are_told_in_words() {
    for sheet in sheets() {
        let ran = run_line(&format!("hint instances/{}.txt -f json", sheet.name));
        assert_eq!(ran.code, 0, "{}: {}{}", sheet.name, ran.out, ran.err);
        let steps = ran.json()["steps"].as_array().expect("steps").clone();
        let [step] = &steps[..] else { panic!("{}: {steps:?}", sheet.name) };
        let words = step["words"].as_str().expect("words");
        let is_raw = words.contains(['{', '_', '%'])
            || words.contains("not ") && words.contains("(") && !words.contains(" not ");
        assert!(!is_raw && !words.starts_with("not "), "{}: {words}", sheet.name);
    }
}
