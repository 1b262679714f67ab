//! Runs checkers that share no code with this crate: a second one for certificates, in Python, and
//! VeriPB for the proofs that are written for it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use base::stop::CancelToken;
use certificate::{CertificateParts, Claim, negated_claim, read, verify, write_head, write_steps};
use fastrand::Rng;
use ground::{GroundProgram, ShownTerms, Truth};
use prover::{CdclOutcome, CdclSolver, CertifyMode, ProofSession, SearchedCube};

use super::claims::{answers, random_change, random_claims, random_program};
use super::tampered::{CERTIFIED, certificate, changes_of_line, files, table};
use crate::support::process::{BoundedCommand, command_of};
use crate::support::programs::{python, veripb};
use crate::support::{extent, file, folder, run, run_with_input};

/// Returns a certificate that no answer contradicts a claim; `None` if one does. The listed answers
/// need not be answers, so that some certificates are to be refused.
fn certificate_of(ground: &GroundProgram, shown: &ShownTerms, claim: &Claim) -> Option<String> {
    let completion = negated_claim(ground, shown, claim).expect("the program is supported");
    let CdclOutcome::Refuted(steps) = CdclSolver::new(ground, &completion).run(&mut |_| false) else { return None };
    let count = verify(ground, &completion, &steps).expect("the steps are valid");
    let mut text = Vec::new();
    write_head(&mut text, ground, shown, claim).expect("memory can be written");
    write_steps(&mut text, completion.clauses.len() as u32 + 1, &steps[..count]).expect("memory can be written");
    Some(String::from_utf8(text).expect("a certificate is text"))
}

/// Returns the exit code of `verify` for a certificate.
fn exit_code(text: &str) -> u8 {
    match read(text) {
        Err(_) => 2,
        Ok(certificate) if certificate.has_cubes() => {
            let mut parts = CertificateParts::default();
            u8::from(parts.add(certificate).and_then(|()| parts.finish()).is_err())
        }
        Ok(certificate) => u8::from(certificate.check().is_err()),
    }
}

/// Returns a certificate about cubes that are all cases.
fn certificate_of_cubes(random: &mut Rng, ground: &GroundProgram, shown: &ShownTerms) -> String {
    let ground = GroundProgram { assumed: Vec::new(), ..ground.clone() };
    let mut session =
        ProofSession::new(ground.clone(), shown.clone(), random.bool()).expect("the program is supported");
    let atoms: Vec<u32> = ground.atoms().collect();
    let mut cubes = vec![Vec::new()];
    if let (Some(&first), Some(&last)) = (atoms.first(), atoms.last()) {
        let (first, last) = (first as i32, last as i32);
        cubes = vec![vec![first], vec![-first, last], vec![-first, -last]];
        cubes.truncate(if first == last { 1 } else { 3 });
    }
    let mut text = String::new();
    for cube in cubes {
        let all = &mut |_: &[u32]| ControlFlow::Continue(());
        let searched = session.search(&cube, CertifyMode::Write, &CancelToken::new(), all);
        let SearchedCube::Proven { text: Some(section), .. } = searched else {
            panic!("{cube:?}: {searched:?}\n{text}")
        };
        text += &section;
    }
    text
}

/// Runs the second checker on files. Returns the exit code that each has if it is checked alone, and
/// the printed sentence.
fn check_again(python: &Path, paths: &[&Path]) -> Vec<(u8, String)> {
    let ran = command_of(python).arg("examples/check_certificate.py").args(paths).finished();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let sentence = |(path, line): (&&Path, &str)| {
        let words = line.strip_prefix(&format!("{}: ", path.display())).unwrap_or(line).to_owned();
        let verdicts = [("verified: ", 0), ("refused: ", 1), ("not a certificate: ", 2)];
        let verdict = verdicts.into_iter().find(|(verdict, _)| words.starts_with(verdict));
        (verdict.unwrap_or_else(|| panic!("{}: {line}\n{err}", path.display())).1, words)
    };
    let all: Vec<(u8, String)> = paths.iter().zip(out.lines()).map(sentence).collect();
    assert_eq!(all.len(), paths.len(), "{out}{err}");
    let worst = all.iter().map(|(code, _)| i32::from(*code)).max();
    assert_eq!(ran.status.code(), worst, "{out}{err}");
    all
}

/// Requires that the second checker agrees with `verify` on texts. Returns the number of verified
/// ones, and of all.
fn agree(python: &Path, texts: &[String]) -> (usize, usize) {
    let folder = folder();
    let write = |(number, text): (usize, &String)| file(folder.path(), &number.to_string(), text);
    let paths: Vec<PathBuf> = texts.iter().enumerate().map(write).collect();
    let mut verified = 0;
    for (at, part) in paths.chunks(1000).enumerate() {
        let part: Vec<&Path> = part.iter().map(PathBuf::as_path).collect();
        for ((code, sentence), text) in check_again(python, &part).iter().zip(&texts[at * 1000..]) {
            assert_eq!(*code, exit_code(text), "{sentence}\n{text}");
            verified += usize::from(*code == 0);
        }
    }
    (verified, texts.len())
}

#[test]
#[ignore = "needs Python"]
fn the_second_checker_has_the_verdict_of_each_file() {
    let Some(python) = python() else { return };
    for kind in ["valid", "invalid"] {
        let files = files(kind);
        let lines = table(&format!("{kind}.tsv"));
        let paths: Vec<&Path> = lines.iter().map(|line| Path::new(&files[&line[0]])).collect();
        for (line, (code, sentence)) in lines.iter().zip(check_again(&python, &paths)) {
            if kind == "valid" {
                let claim = line[1].split_once(": certified").expect("a claim").0;
                assert_eq!(sentence, format!("verified: {claim}"), "{}", line[0]);
            } else {
                assert_eq!(code.to_string(), line[1], "{}: {sentence}", line[0]);
            }
            // With a single file, the sentence is alone on its line.
            let alone = check_again(&python, &[Path::new(&files[&line[0]])]);
            assert_eq!(alone, [(code, sentence)], "{}", line[0]);
        }
    }
}

#[test]
#[ignore = "needs Python"]
fn the_second_checker_agrees_on_changed_certificates() {
    let Some(python) = python() else { return };
    let random = &mut extent::random();
    let mut texts = Vec::new();
    for (options, input) in CERTIFIED {
        let text = certificate(options, input);
        let lines = text.lines().count();
        for _ in 0..30 {
            let at = random.usize(0..lines);
            let changes = changes_of_line(random, &text, at, 3);
            texts.extend(random.choice(changes));
        }
        texts.push(text);
    }
    let text = include_str!("../../data/certificates/valid/cubes.proof");
    for at in 0..text.lines().count() {
        texts.extend(changes_of_line(random, text, at, 3));
    }
    let (verified, all) = agree(&python, &texts);
    assert!(verified >= CERTIFIED.len() && verified * 2 < all, "{verified} of {all}");
}

/// Returns an answer of the program without its assumptions, external values and edges, or any set
/// of atoms.
fn possible_answer(random: &mut Rng, ground: &GroundProgram) -> Vec<u32> {
    let mut relaxed = ground.clone();
    relaxed.assumed.clear();
    relaxed.edges.clear();
    relaxed.externals.values_mut().for_each(|value| *value = Truth::Free);
    let answer = random.choice(answers(&relaxed)).filter(|_| random.bool());
    let set = answer.unwrap_or_else(|| random.u32(..));
    (1..=ground.last_atom()).filter(|atom| set >> atom & 1 > 0).collect()
}

/// Random programs have disjunctions, sums, loops, external atoms, edges and costs. Claims also list
/// what is no answer: the steps of their certificates are valid.
#[test]
#[ignore = "needs Python"]
fn the_second_checker_agrees_on_certificates_of_random_programs() {
    let Some(python) = python() else { return };
    let mut texts = Vec::new();
    for seed in extent::seeds(300) {
        let random = &mut Rng::with_seed(seed);
        let ground = random_program(random);
        let (shown, mut claims) = random_claims(random, &ground);
        for mut claim in claims.clone() {
            claim.answers.push(possible_answer(random, &ground));
            claims.push(claim);
        }
        for text in claims.iter().filter_map(|claim| certificate_of(&ground, &shown, claim)) {
            texts.push(random_change(random, &text));
            texts.push(text);
        }
        let text = certificate_of_cubes(random, &ground, &shown);
        texts.extend([random_change(random, &text), random_change(random, &text), text]);
    }
    let (verified, all) = agree(&python, &texts);
    assert!(verified * 5 > all && verified * 2 < all, "{verified} of {all}");
}

/// Certificates of boards, of up to half a megabyte.
#[test]
#[ignore = "needs Python"]
fn the_second_checker_accepts_certificates_of_boards() {
    let Some(python) = python() else { return };
    let folder = folder();
    let mut paths = Vec::new();
    for line in [
        "instances/sudoku.txt --unique",
        "instances/masyu.txt --unique",
        "instances/deponia.lp --engine asp -n 0",
        "instances/queens.lp -n 0",
    ] {
        let path = folder.path().join(paths.len().to_string());
        let ran = run(line.split(' ').chain(["-q", "--proof", path.to_str().expect("UTF-8")]));
        assert!(path.exists(), "{line}: {}{}", ran.out, ran.err);
        paths.push(path);
    }
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    for (code, sentence) in check_again(&python, &paths) {
        assert_eq!(code, 0, "{sentence}");
    }
}

/// Small programs, for each kind of claim: options, program, and the beginning of the sentence.
const SMALL_CLAIMS: [(&str, &str, &str); 6] = [
    ("", "{ a; b }. :- a. :- not a, b. :- not b.", "There is no answer (proven, certified in "),
    ("", ":- not a.", "There is no answer (proven, certified in 0 steps)."),
    ("--unique", "a :- not b. b :- not a. :- b.", "One solution (proven, certified in "),
    ("", "1 { a; b }. #minimize { 2 : a; 1 : b }.", "Optimum found (proven, certified in "),
    (
        "-n 0",
        "{ c }. a :- b. b :- a. a :- c. d; e :- c. d :- e. e :- d.",
        "2 answers, and no others (proven, certified in ",
    ),
    ("-n 0", "1 { a; b } 1.", "2 answers, and no others (proven, certified in "),
];

/// Tests small programs and some built-in boards, or all boards if `VERIPB_ALL` is set.
#[test]
#[ignore = "needs VeriPB"]
fn veripb_accepts_the_proofs() {
    let Some(veripb) = veripb() else { return };
    let folder = folder();
    let path = folder.path().join("board.pbp");
    let proof = path.to_str().expect("UTF-8");
    let formula = path.with_extension("opb");
    // Returns true if the proof is accepted, and what is printed.
    let check = || {
        let checked = command_of(&veripb).arg(&formula).arg(&path).finished();
        let printed = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
        let is_accepted = printed.contains("s VERIFIED UNSATISFIABLE");
        assert_eq!(checked.status.success(), is_accepted, "{printed}");
        (is_accepted, printed.into_owned())
    };
    let mut boards = vec!["instances/queens.lp -n 0".to_owned()];
    let is_board = |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text.starts_with("puzzle"));
    if std::env::var_os("VERIPB_ALL").is_some() {
        let files = std::fs::read_dir("instances").expect("instances").map(|file| file.expect("a file").path());
        boards.extend(files.filter(|path| is_board(path)).map(|path| format!("{} --unique", path.display())));
    } else {
        boards.extend(["sudoku", "slither", "masyu"].map(|name| format!("instances/{name}.txt --unique")));
    }
    let (mut accepted, mut left_out) = (0, 0);
    for line in boards {
        let ran = run(line.split(' ').chain(["--proof", proof]));
        if ran.out.contains("certified in") {
            let (is_accepted, printed) = check();
            assert!(is_accepted, "{line}: {printed}");
            accepted += 1;
        } else {
            // The board has several solutions or belongs to another puzzle.
            left_out += 1;
        }
    }
    assert!(accepted >= 4 && left_out < accepted, "{accepted} were accepted, {left_out} not certified");
    for (options, program, expected) in SMALL_CLAIMS {
        let ran = run_with_input(&format!("- -q {options} --proof {proof}"), program);
        assert!(ran.out.starts_with(expected), "{program}: {}{}", ran.out, ran.err);
        let (is_accepted, printed) = check();
        assert!(is_accepted, "{program}: {printed}");
    }
    // The last program has two answers. VeriPB rejects the proof if a step is missing, if a step does
    // not follow, and if the formula lacks the clause that excludes the second answer.
    let steps = std::fs::read_to_string(&path).expect("a proof");
    let clauses = std::fs::read_to_string(&formula).expect("a formula");
    let first = steps.lines().find(|line| line.starts_with("rup ")).expect("a step");
    let last = clauses.lines().last().expect("a clause");
    let negated = if first.contains('~') { first.replace('~', "") } else { first.replace('x', "~x") };
    for (proof, opb) in [
        (steps.replacen(&format!("{first}\n"), "", 1), clauses.clone()),
        (steps.replacen(first, &negated, 1), clauses.clone()),
        (steps.clone(), clauses.replacen(last, "1 x1 >= 0 ;", 1)),
    ] {
        assert!(proof != steps || opb != clauses, "something has changed");
        file(folder.path(), "board.pbp", &proof);
        file(folder.path(), "board.opb", &opb);
        let (is_accepted, printed) = check();
        assert!(!is_accepted, "{printed}\n{opb}{proof}");
    }
}
