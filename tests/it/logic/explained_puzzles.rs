//! Requirements of explanations of the built-in puzzles: words for all that can be violated, and
//! rules for hints that keep the solutions.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use asp::tree::Head;
use asp::{Order, Program, Settings, Signature, Solver, Symbol, predicate_of, statements_of, to_text};
use asp_solve::{Show, Verdict, solve};
use base::document::Document;
use base::stop::CancelToken;
use explain::{Blame, ExplainQuery, Phrase, QueryKind, RelaxedProgram};
use puzzle::{AnyRun, Run};
use serde_json::Value;

use super::types::{PuzzleFile, text};

fn encodings(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { encodings(&path) } else { vec![path] }).collect()
}

#[test]
fn everything_that_can_be_violated_in_a_built_in_encoding_has_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for path in encodings(&root.join("asp")).into_iter().chain([root.join("instances/queens.lp")]) {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines: Vec<&str> = text.lines().collect();
        let instance = vec![Document::in_memory(path.display().to_string(), text.as_str())];
        let statements = statements_of(&Program { instance, ..Program::default() }).expect("statements");
        let can_be_violated = |head: &Head| matches!(head, Head::Constraint) || head.bounds().is_some();
        // Constraints on new boards are not explained.
        for statement in
            statements.iter().filter(|statement| can_be_violated(&statement.head) && statement.is_grounded())
        {
            let before = lines[..statement.place.start.line - 1].iter().rev();
            let comments: Vec<&&str> = before.take_while(|line| line.starts_with("%!")).collect();
            // The name of the reason may come first.
            let has_words =
                comments.iter().any(|comment| comment.starts_with("%!trace_rule {") && comment.contains('"'));
            assert!(has_words, "{}:{}: {}", path.display(), statement.place.start.line, statement.text);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The program of a puzzle with its board, whose parts of the kinds `blamed` can be turned off.
/// `hint` is a fact that turns on rules for hints, or empty.
fn relaxed(puzzle: &PuzzleFile, blamed: &[Blame], hint: &str) -> RelaxedProgram {
    let mut program = puzzle.program(&puzzle.board().facts());
    program.additions.push(Document::in_memory("hint", hint));
    let relaxed = RelaxedProgram::new(&program.into(), blamed, &Settings::default(), &CancelToken::new());
    relaxed.unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name))
}

pub fn check_words_of_clues_constraints_and_answers(puzzle: &PuzzleFile) {
    let mut words = Vec::new();
    let constraints = relaxed(puzzle, &[Blame::Constraints], "hint.");
    let clues = relaxed(puzzle, &["sign", "left", "top"].map(|name| Blame::Predicate(Signature::new(name, 3))), "");
    for relaxed in [&constraints, &clues] {
        let all: Vec<usize> = (0..relaxed.len()).collect();
        words.extend(relaxed.parts(&all).expect("words").into_iter().map(|part| part.words));
    }
    let query_atoms: Vec<Symbol> = constraints.query_atoms().iter().map(|(atom, _)| *atom).collect();
    for holds in [true, false] {
        let literals: Vec<(Symbol, bool)> = query_atoms.iter().map(|&atom| (atom, holds)).collect();
        words.extend(constraints.words().of_literals(&literals).expect("words"));
    }
    assert!(!query_atoms.is_empty() && constraints.len() > 4, "{}", puzzle.name);
    let is_raw = |words: &Phrase| {
        let begins = words.split('(').next().unwrap_or_default();
        words.contains(['{', '%', '_']) || words.contains(":-") || begins.len() < words.len() && !begins.contains(' ')
    };
    let raw: Vec<&Phrase> = words.iter().filter(|words| is_raw(words)).collect();
    assert!(raw.is_empty(), "{}: {raw:?}", puzzle.name);
}

/// Returns at most `max` answers of a program, restricted to `predicates`, and clingo's messages.
fn answers(program: &Program, predicates: &[Signature], max: u64) -> (BTreeSet<Vec<String>>, Vec<String>) {
    let settings = Settings { models: Some(max), ..Settings::default() };
    let mut solver = Solver::with_program(program, &settings, &CancelToken::new()).expect("a program");
    let mut answers = BTreeSet::new();
    let is_shown = |atom: &Symbol| predicate_of(*atom).is_some_and(|predicate| predicates.contains(&predicate));
    let solved = solver.solve(&[], |model| {
        answers.insert(model.shown(Order::Sorted).expect("memory").filter(is_shown).map(to_text).collect());
        ControlFlow::Continue(())
    });
    solved.expect("solved");
    (answers, solver.messages().iter().map(|message| message.diagnostic.to_string()).collect())
}

/// The predicates that a puzzle shows, except the one that only hints use.
fn shown(program: &Program) -> Vec<Signature> {
    let statements = statements_of(program).expect("statements").into_iter();
    let shown =
        statements.filter_map(|statement| if let Head::Show(shown) = statement.tree.head { shown } else { None });
    shown.filter(|shown| shown.name != "joined").collect()
}

/// The only solution of the board by the rules, which clingo grounds without messages.
pub fn solution(puzzle: &PuzzleFile) -> Vec<String> {
    let program = puzzle.program(&puzzle.board().facts());
    let (solutions, messages) = answers(&program, &shown(&program), 2);
    assert!(solutions.len() == 1 && messages.is_empty(), "{}: {solutions:?} {messages:?}", puzzle.name);
    solutions.into_iter().next().expect("a solution")
}

/// Rules that allow only this solution.
pub fn restrict_to(puzzle: &PuzzleFile, solution: &[String]) -> String {
    let mut rules: String = solution.iter().map(|atom| format!(":- not {atom}.\n")).collect();
    for Signature { name, arity, .. } in shown(&puzzle.program("")) {
        let variables = (0..arity).map(|number| format!("X{number}")).collect::<Vec<_>>().join(",");
        let number = solution.iter().filter(|atom| atom.starts_with(&format!("{name}("))).count();
        rules += &format!(":- #count {{ {variables} : {name}({variables}) }} != {number}.\n");
    }
    rules
}

pub fn check_solution_with_hint_rules(puzzle: &PuzzleFile) -> Vec<String> {
    let solution = solution(puzzle);
    let mut hinted = puzzle.program(&puzzle.board().facts());
    let shown = shown(&hinted);
    hinted.additions.push(Document::in_memory("hint", "hint."));
    assert_eq!(answers(&hinted, &shown, 0).0, BTreeSet::from([solution.clone()]), "{}", puzzle.name);
    solution
}

/// All boards with one clue changed, each with the line and column of the change, from 1.
/// Circles change their colour if both kinds are signs of the type.
fn boards_with_one_clue_changed(text: &str, has_both: bool) -> Vec<(usize, usize, String)> {
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

/// Types of which no board with one changed clue is contradictory: they have only areas, or no such
/// clue.
const WITHOUT_CONTRADICTION: &str = "arukone barns creek doubleback gokigen kropki lits mejilink midloop minarism moonsun nikoji nondango norinori \
    nothree nurimaze nuriuzu pentominous pipelink putteria ringring roma sansaroad tatamibari tentaisho \
    tetrominous toichika wagiri yajirushi";

pub fn check_cause_of_changed_clue(puzzle: &PuzzleFile) {
    let text = text(&puzzle.instance());
    let has_both =
        puzzle.paragraph("Signs").is_some_and(|signs| ["\"o\"", "\"*\""].iter().all(|sign| signs.contains(sign)));
    let is_impossible = |(_, _, board): &(usize, usize, String)| {
        let mut job = puzzle.job_of("board", board);
        job.output.show = Show::Verdict;
        let solved = solve(puzzle.logic.clone(), job).unwrap_or_else(|failure| panic!("{failure}\n{board}"));
        solved.verdict() == Verdict::Impossible
    };
    let contradiction = boards_with_one_clue_changed(&text, has_both).into_iter().take(60).find(is_impossible);
    let has_none = WITHOUT_CONTRADICTION.split_whitespace().any(|name| name == puzzle.name);
    assert_eq!(contradiction.is_none(), has_none, "{}: {contradiction:?}", puzzle.name);
    let Some((line, column, board)) = contradiction else { return };
    let cause = explained(puzzle, &board, QueryKind::NoAnswer)["causes"][0].as_array().expect("a cause").clone();
    let is_changed = |part: &Value| {
        let place = ["line", "column"].map(|key| part[key].as_u64().unwrap_or_default() as usize);
        place[0] == line && place[1] <= column && column <= place[1] + "letters ".len()
    };
    // Without the clue the board has its solution, so each cause contains the clue.
    assert!(cause.iter().any(is_changed), "{}: {line}:{column} is not in {cause:?}\n{board}", puzzle.name);
    let names_a_place =
        |part: &Value| part["words"].as_str().is_some_and(|words| words.contains("row ") || words.contains("column "));
    assert!(cause.iter().all(names_a_place), "{}: {cause:?}", puzzle.name);
}

/// The JSON that `why` or `hint` prints for a board.
fn explained(puzzle: &PuzzleFile, board: &str, asks: QueryKind) -> Value {
    // The time that the command spends on a smallest reason.
    let deadline = Instant::now().checked_add(Duration::from_secs(10));
    let query = ExplainQuery { kind: asks, causes: 1, deadline, ..ExplainQuery::default() };
    let explanation = Run::new(puzzle.logic.clone(), puzzle.job_of("board", board)).and_then(|run| run.why(&query));
    let explanation = explanation.unwrap_or_else(|failure| panic!("{}: {failure}\n{board}", puzzle.name));
    let text = explanation.styled_text(&query.style);
    assert_eq!(
        (explanation.verdict, explanation.warnings.len()),
        (Verdict::Solved, 0),
        "{}: {text}\n{board}",
        puzzle.name
    );
    explanation.json()
}

pub fn check_words_of_next_step(puzzle: &PuzzleFile) {
    let hint = explained(puzzle, &text(&puzzle.instance()), QueryKind::Steps { all: false });
    let [step] = &hint["steps"].as_array().expect("steps")[..] else { panic!("{}: {hint}", puzzle.name) };
    let words = step["words"].as_str().expect("words");
    let is_raw =
        words.contains(['{', '_', '%']) || words.contains("not ") && words.contains("(") && !words.contains(" not ");
    assert!(!is_raw && !words.starts_with("not "), "{}: {words}", puzzle.name);
}
