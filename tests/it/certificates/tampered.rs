//! Tests changed certificates, and certificates of programs other than that of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use certificate::{Certificate, Claim, CostBound, read, write_head};
use fastrand::Rng;

use super::claims::is_true;
use crate::support::{answers, extent, file, folder, run, run_line, run_with_input};

/// Options and input of runs whose certificates are changed.
pub(super) const CERTIFIED: [(&str, &str); 9] = [
    ("-n 0", "1 { a; b } 1. { c }. #show a/0. #show c/0."),
    ("-n 0 --project", "{ a; b }. c :- a. #show c : a. #show c : b."),
    ("-n 0", "{ a; b; c }. :- not a, not b. #minimize { 2@2 : a; 1@2 : b; 3@1 : c }."),
    ("-n 0 --opt-mode optN", "1 { a; b; c }. #minimize { 1 : a; 1 : b; 2 : c }."),
    ("-n 0", "{ e(1..3) }. #edge (N,(N\\3)+1) : e(N). a :- b. b :- a. a :- e(1). #external x. [true]"),
    ("-n 0", "a; b. a :- b. b :- a. { c }. d :- #sum { 1 : c; 1 : d; 2 : not c } >= 2."),
    ("-p sudoku --unique", "1 2 3 4\n3 4 . 2\n2 . 4 .\n. 3 . .\n"),
    ("-p minesweeper", "mines 2\n01?\n12?\n???\n"),
    (
        "--engine asp -n 0 -c horizon=5",
        "start(a). target(t). final_node(s). color(a,red). rel(a,1,b). rel(a,2,s). color(b,red). rel(b,1,a). rel(b,2,t).",
    ),
];

/// Returns the certificate that a run writes.
pub(super) fn certificate(options: &str, input: &str) -> String {
    let folder = folder();
    let path = folder.path().join("proof");
    let ran = run_with_input(&format!("- -q {options} --proof {}", path.display()), input);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{options} {input}: {error}: {}{}", ran.out, ran.err))
}

/// Returns variants of a certificate: without the line, with the line repeated, truncated after it,
/// with a word appended, with the line swapped with its predecessor, and with each word changed, or
/// at most `most` of them.
pub(super) fn changes_of_line(random: &mut Rng, text: &str, at: usize, most: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let joined = |lines: Vec<&str>| lines.join("\n") + "\n";
    let with_line = |line: &str| joined([&lines[..at], &[line], &lines[at + 1..]].concat());
    let mut all = vec![
        joined([&lines[..at], &lines[at + 1..]].concat()),
        joined([&lines[..=at], &lines[at..]].concat()),
        joined(lines[..=at].to_vec()),
        with_line(&format!("{} x", lines[at])),
    ];
    if at > 0 {
        let mut lines = lines.clone();
        lines.swap(at - 1, at);
        all.push(joined(lines));
    }
    let words: Vec<&str> = lines[at].split(' ').collect();
    let mut places: Vec<usize> = (0..words.len()).collect();
    random.shuffle(&mut places);
    places.truncate(most);
    for place in places {
        let others = match (words[place], words[place].parse::<i64>()) {
            (_, Ok(number)) => [number + 1, number - 1, -number].iter().map(ToString::to_string).collect(),
            ("atoms", _) => vec!["shown".to_owned()],
            ("shown", _) => vec!["atoms".to_owned()],
            ("less", _) => vec!["most".to_owned()],
            ("most", _) => vec!["less".to_owned()],
            ("l", _) => vec!["u".to_owned(), "d".to_owned()],
            ("u", _) => vec!["l".to_owned()],
            (name, _) => vec![format!("x{}", name.get(1..).unwrap_or_default()), format!("{name}x"), String::new()],
        };
        for other in others {
            all.push(with_line(&[&words[..place], &[&*other], &words[place + 1..]].concat().join(" ")));
        }
    }
    all.retain(|other| other != text);
    all
}

fn checked_certificate(text: &str) -> Option<Certificate> {
    let certificate = read(text).ok()?;
    certificate.check().is_ok().then_some(certificate)
}

/// Returns the meaning of a claim independent of the order of its answers. If answers are projected
/// to shown terms, only these terms count.
fn meaning(certificate: &Certificate) -> (BTreeSet<String>, bool, Option<&CostBound>) {
    let Claim { answers, projects_to_shown, bound } = &certificate.claim;
    let answers = if *projects_to_shown {
        certificate.shown_terms().iter().map(|words| words.join(" ")).collect()
    } else {
        answers.iter().map(|atoms| format!("{atoms:?}")).collect()
    };
    (answers, *projects_to_shown, bound.as_ref())
}

/// Returns the number of answer sets found by clingo.
fn clingo_answer_count(certificate: &Certificate) -> usize {
    let mut head = Vec::new();
    let claim = Claim::default();
    write_head(&mut head, &certificate.ground, &certificate.shown, &claim).expect("memory can be written");
    let head = String::from_utf8(head).expect("a certificate is text");
    let aspif = head.split_once('\n').and_then(|(_, rest)| rest.split_once("claim")).expect("a claim").0;
    answers(&run_with_input("- -n 0 -f json --opt-mode ignore", aspif).json()).len()
}

#[derive(Debug, Default)]
struct Tally {
    changed: usize,
    rejected: usize,
    /// Certificates of another program or projection, which are rejected for the files.
    of_another_program: usize,
    /// Other proofs of the same claim, or the same answers in another order.
    the_same: usize,
    other_claims: usize,
}

/// Changes lines of certificates. A changed certificate accepted for the same program must make the
/// same claim or another true one. A certificate of another program must be true for that program.
fn tamper(seed: u64, words: usize) -> Tally {
    let random = &mut Rng::with_seed(seed);
    let mut tally = Tally::default();
    for (options, input) in CERTIFIED {
        let text = certificate(options, input);
        let original = checked_certificate(&text).unwrap_or_else(|| panic!("{options} {input}: it is valid\n{text}"));
        let projections = std::slice::from_ref(&original.shown);
        let mut number_of_answers = None;
        for at in 0..text.lines().count() {
            for other in changes_of_line(random, &text, at, words) {
                tally.changed += 1;
                let Some(certificate) = checked_certificate(&other) else {
                    tally.rejected += 1;
                    continue;
                };
                let about = || format!("seed {seed}, {options} {input}, line {}\n{text}\n{other}", at + 1);
                if certificate.difference(&original.ground, projections).is_some() {
                    tally.of_another_program += 1;
                    let Certificate { ground, shown, claim, .. } = &certificate;
                    let is_small = ground.last_atom() < 12;
                    assert!(!is_small || is_true(ground, shown, claim), "{}", about());
                    continue;
                }
                if meaning(&original) == meaning(&certificate) {
                    tally.the_same += 1;
                    continue;
                }
                tally.other_claims += 1;
                let before = &original.claim;
                let after = &certificate.claim;
                let atoms = |claim: &Claim| claim.answers.iter().cloned().collect::<BTreeSet<Vec<u32>>>();
                assert_eq!((atoms(before), &before.bound), (atoms(after), &after.bound), "{}", about());
                // Answers are distinguished by all atoms; clingo confirms that none is missing.
                let all = *number_of_answers.get_or_insert_with(|| clingo_answer_count(&original));
                assert!(after.projects_to_shown || before.bound.is_some() || all == after.answers.len(), "{}", about());
            }
        }
    }
    tally
}

#[test]
fn certificates_with_a_changed_line_are_rejected_or_prove_a_true_claim() {
    let tally = tamper(extent::seed(), if extent::is_complete() { 3 } else { 1 });
    let Tally { changed, rejected, of_another_program, the_same, .. } = tally;
    extent::expect_counts([
        ("changed", changed, 3000),
        ("of another program", of_another_program, 10),
        ("the same", the_same, 10),
    ]);
    assert!(rejected * 10 > changed * 8, "{tally:?}");
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn certificates_with_any_changed_word_are_rejected_or_prove_a_true_claim() {
        println!("{:?}", tamper(extent::seed(), usize::MAX));
    }
}

/// Returns the files of a folder below the data with their texts.
pub(super) fn files(kind: &str) -> BTreeMap<String, String> {
    let folder = Path::new("tests/data/certificates").join(kind);
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
    files.map(|path| (name(&path), path.display().to_string())).collect()
}

/// Returns the lines of a table below the data: a file and further columns.
pub(super) fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(Path::new("tests/data/certificates").join(name)).expect("a table");
    let lines = text.lines().filter(|line| !line.starts_with('%') && !line.is_empty());
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Each invalid certificate is a file; `invalid.tsv` has its exit code and message.
#[test]
fn each_invalid_certificate_is_rejected_with_its_message() {
    let mut files = files("invalid");
    for line in table("invalid.tsv") {
        let [name, code, message] = &line[..] else { panic!("a file, an exit code and a message: {line:?}") };
        let path = files.remove(name).unwrap_or_else(|| panic!("{name}: no such file"));
        let ran = run(["verify", &path]);
        let printed = if code == "1" { &ran.out } else { &ran.err };
        assert!(ran.code.to_string() == *code && printed.contains(message), "{name}: {}{}", ran.out, ran.err);
        let json = run(["verify", &path, "-f", "json"]);
        assert!(!json.out.contains("\"checked\":true"), "{name}: {}", json.out);
        assert!(ran.code != 1 || json.json()["answers"] == serde_json::json!([]), "{name}: {}", json.out);
    }
    assert!(files.is_empty(), "no message is expected of {files:?}");
}

#[test]
fn a_proof_for_veripb_is_rejected_with_the_command_that_checks_it() {
    let folder = folder();
    let path = file(folder.path(), "board.pbp", "pseudo-Boolean proof version 3.0\nf 3;\n");
    let ran = run_line(&format!("verify {}", path.display()));
    assert!(ran.code == 2 && ran.err.contains("veripb NAME.opb NAME.pbp"), "{}", ran.err);
}

/// `valid.tsv` has the printed sentence for each file.
#[test]
fn valid_certificates_are_accepted() {
    let mut files = files("valid");
    for line in table("valid.tsv") {
        let [name, sentence] = &line[..] else { panic!("a file and a sentence: {line:?}") };
        let path = files.remove(name).unwrap_or_else(|| panic!("{name}: no such file"));
        let ran = run(["verify", &path]);
        assert!(ran.code == 0 && ran.out.starts_with(sentence), "{name}: {}{}", ran.out, ran.err);
    }
    assert!(files.is_empty(), "no sentence is expected of {files:?}");
}

/// Verifies certificates with the files and options of the run, and with others.
#[test]
fn a_certificate_is_bound_to_the_program_of_files() {
    let folder = folder();
    let write = |name: &str, text: &str| file(folder.path(), name, text).display().to_string();
    let proof = folder.path().join("proof").display().to_string();
    let program = write("n.lp", "#const n = 2. { p(1..n) } 1. #show p/1.");
    let custom = write("own.lp", "{ q(X) : p(X) } 1. #show q/1.");
    let facts = write("facts.lp", "p(1..3).");
    let projected = write("projected.lp", "{ a; b; c }. #project a/0. #project b/0.");
    let mines = write("mines.txt", "mines 2\n01?\n12?\n???\n");
    let mines_of_facts = write("mines.lp", "cell(0..1,0..2). mines(1). number(0,0,0). number(0,1,1).");
    let rail = "start(a). target(t). final_node(s). color(a,red). rel(a,1,b). rel(a,2,s). color(b,red). rel(b,1,a). rel(b,2,t).";
    let rail = write("rail.lp", rail);
    let deponia = "instances/deponia.lp".to_owned();
    let sudoku = "instances/sudoku.txt".to_owned();
    // The instance, options of the run, options for `verify`, and files and options that `verify`
    // must reject.
    for (files, run_with, verified_with, others) in [
        (&sudoku, "--unique", "", "instances/slither.txt|-e windoku"),
        (&program, "-n 0", "", "-c n=3"),
        (&program, "-n 0 -c n=3", "-c n=3", "|-c n=4"),
        (&facts, &*format!("-n 0 -e {custom}"), &*format!("-e {custom}"), &*format!("|{custom}")),
        (&projected, "-n 0 --clingo=--project=project", "", &*program),
        (&mines, "", "", "-e torus"),
        (&mines_of_facts, "-p minesweeper", "-p minesweeper", "-p minesweeper -e torus"),
        (&rail, "-n 0 --engine asp", "", "--configuration 1"),
        (&rail, "--unique --engine asp", "", "--configuration 1"),
        (&deponia, "--engine asp --configuration 111**", "--configuration 111**", "|--configuration 112**"),
        (&deponia, "--engine asp --outcome win -n 30", "--outcome win", "--outcome stuck"),
    ] {
        let _ = std::fs::remove_file(&proof);
        let ran = run_line(&format!("{files} -q {run_with} --proof {proof}"));
        assert!(Path::new(&proof).exists(), "{files} {run_with}: {}{}", ran.out, ran.err);
        let ran = run_line(&format!("verify {proof} {files} {verified_with}"));
        assert_eq!(ran.code, 0, "{files} {run_with}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(&format!(", for {files}")), "{}", ran.out);
        for other in others.split('|') {
            let is_of_file = other.starts_with('-') || other.is_empty();
            let ran = run_line(&format!("verify {proof} {} {other}", if is_of_file { files.as_str() } else { "" }));
            let is_other = ran.out.starts_with("The certificate is refused: its program is not that of ");
            let is_mismatch = is_other && ran.out.contains(": expected ");
            assert!(ran.code == 1 && is_mismatch, "{files} {other}: {}{}", ran.out, ran.err);
        }
    }
    let ran = run(["verify", &proof]);
    assert!(ran.out.contains(", for the program inside the certificate"), "{}", ran.out);
    let json = run(["verify", &proof, &deponia, "--outcome", "win", "-f", "json"]).json();
    assert_eq!(json["instance"], serde_json::json!([deponia]), "{json}");
    let ran = run(["verify", "-", "-"]);
    assert!(ran.code == 2 && ran.err.contains("standard input can be read only once"), "{}{}", ran.out, ran.err);
    let ran = run(["verify", &proof, &sudoku, "--outcome", "win"]);
    assert!(ran.code == 2 && ran.err.contains("--outcome is an option of rail"), "{}{}", ran.out, ran.err);
}

/// The grounder numbers atoms deterministically.
#[test]
fn certificates_of_built_in_boards_are_bound_to_them() {
    let names = ["masyu", "slither", "heyawake", "hitori", "kakuro", "nurikabe", "starbattle", "yajilin"];
    let folder = folder();
    let proof = folder.path().join("proof").display().to_string();
    for name in names {
        let board = format!("instances/{name}.txt");
        let ran = run(["-q", &board, "--unique", "--proof", &proof]);
        assert!(ran.out.contains("certified in"), "{name}: {}{}", ran.out, ran.err);
        let ran = run(["verify", &proof, &board]);
        assert!(ran.code == 0 && ran.out.starts_with("1 answer by the "), "{name}: {}{}", ran.out, ran.err);
    }
    let board = folder.path().join("board.txt").display().to_string();
    run(["generate", "sudoku", "--size", "4x4", "--proof", &proof, "-o", &board]);
    let ran = run(["verify", &proof, &board]);
    assert_eq!(ran.code, 0, "a board that was generated: {}{}", ran.out, ran.err);
}
