//! Tests of the lexer in `syntax` against clingo's parser: on texts that clingo accepts, both
//! report the same statements, comments, strings and variables at the same places.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use base::diagnostic::Place;
use base::document::Document;
use base::lines::LineIndex;

use super::ffi::ast;
use super::syntax::{self, TokenKind};
use super::tree::{Head, Part, Term, TermKind};

type Ranges = BTreeSet<(usize, usize)>;

/// The byte ranges of the statements, comments, strings and variables in a text.
#[derive(Debug, Default, PartialEq, Eq)]
struct TextRanges {
    /// Statements except `#include`, which clingo's parser does not report.
    statements: Ranges,
    comments: Ranges,
    strings: Ranges,
    variables: Ranges,
}

/// Collects the files of logic programs below a folder.
fn programs(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "lp" || kind == "txt") {
            files.push(path);
        }
    }
}

fn is_minimised(source: &str) -> bool {
    source.starts_with("#minimi") || source.starts_with("#maximi")
}

/// Returns the ranges that clingo's parser reports; `None` if it rejects the text.
fn ranges_by_clingo(text: &str) -> Option<TextRanges> {
    /// clingo's arities are signed.
    const MAX_ARITY: usize = i32::MAX as usize;
    let lines = LineIndex::new(text);
    let range = |place: &Place| {
        let range = (lines.offset(place.start), lines.offset(place.end));
        (place.file == "<string>" && range.0 < range.1).then_some(range)
    };
    let mut ranges = TextRanges::default();
    // The elements of `#minimize` statements. clingo does not report a statement without elements.
    let mut elements = Vec::new();
    let mut has_wrong_arity = false;
    ast::parse(&[&Document::in_memory("", text)], |node| {
        let whole = node.place().expect("a place");
        let Some(place) = range(&whole) else { return };
        let source = &text[place.0..place.1];
        if source.starts_with('%') || source.starts_with("#!") {
            ranges.comments.insert(place);
            return;
        }
        let tree = node.to_tree().expect("a tree").expect("no comment");
        // After a wrong arity, clingo continues with an arbitrary number and rejects the whole text later.
        if matches!(&tree.head, Head::Show(Some(it)) | Head::Project(it) | Head::Defined(it) if it.arity > MAX_ARITY) {
            has_wrong_arity = true;
        } else {
            assert_eq!(tree.text, node.text().expect("a text"), "{text:?}");
        }
        tree.walk(&mut |part| {
            let Part::Term(Term { span, kind }) = part else { return };
            let range = || range(&tree.place_of(*span));
            match kind {
                TermKind::Variable(_) => ranges.variables.extend(range()),
                TermKind::Symbol(symbol) if symbol.string().is_ok() => ranges.strings.extend(range()),
                _ => {}
            }
        });
        if matches!(tree.head, Head::Minimize { .. }) && !source.starts_with(":~") {
            elements.push(place)
        } else {
            _ = ranges.statements.insert(place)
        }
    })
    .ok()?;
    assert!(!has_wrong_arity, "clingo accepts {text:?}");
    for Range { start, end } in syntax::ranges(text).filter(|range| is_minimised(&text[range.clone()])) {
        let inside = elements.iter().filter(|element| start < element.0 && element.1 < end).count();
        assert!(inside > 0 || !text[start..end].contains(|sign: char| sign.is_ascii_digit()), "{text:?}");
        elements.retain(|element| element.1 <= start || end <= element.0);
        ranges.statements.insert((start, end));
    }
    assert!(elements.is_empty(), "elements of no #minimize: {elements:?} in {text:?}");
    Some(ranges)
}

fn ranges_by_lexer(text: &str) -> TextRanges {
    let is_include = |range: &Range<usize>| text[range.clone()].starts_with("#include");
    let statements: Vec<Range<usize>> = syntax::ranges(text).filter(|range| !is_include(range)).collect();
    let is_inside = |at: usize| statements.iter().any(|range| range.contains(&at));
    let mut ranges = TextRanges::default();
    for token in syntax::lex(text) {
        let is_variable = token.kind == TokenKind::Ident
            && (token.text == "_" || token.text.trim_start_matches(['_', '\'']).starts_with(char::is_uppercase));
        match token.kind {
            TokenKind::Comment => {
                _ = ranges.comments.insert((token.start, token.start + token.text.trim_end_matches('\r').len()))
            }
            TokenKind::BlockComment => _ = ranges.comments.insert((token.start, token.end())),
            TokenKind::Str if is_inside(token.start) => _ = ranges.strings.insert((token.start, token.end())),
            TokenKind::Ident if is_variable => _ = ranges.variables.insert((token.start, token.end())),
            _ => {}
        }
    }
    ranges.statements = statements.into_iter().map(|range| (range.start, range.end)).collect();
    ranges
}

/// Text to insert into programs. `FILE` is replaced by the name of an existing file.
const SNIPPETS: [&str; 77] = [
    "#!",
    "#! \"\n",
    "#! %*\n",
    "%*",
    "*%",
    "%* a. *%",
    "%* %* a. *% b. *%",
    "%* % *%\n*%",
    "%*% *%\n*%",
    "%**%",
    "%*\"*%",
    "%",
    "% \"\n",
    "%\r",
    "\"",
    "\"%*\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\n#!\"",
    "\"\\t\"",
    "\"é\r\"",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\u{c}",
    "\u{feff}",
    "é",
    ".",
    "..",
    "...",
    ". ",
    ",",
    ";",
    ":",
    ":-",
    ":~ a. [1@2,\"x\"]",
    " p(1..3). ",
    " p(\"a. b\", X) :- q(X). ",
    " #const n = 1. [default] ",
    " #const m = 2. % x\n %* [ *% [override] ",
    " #external a : b. [true] ",
    " #heuristic a : b, c(X). [X@1,true] ",
    " #show p/1. ",
    " #show p : q(X). ",
    " #show. ",
    " #showp/1.",
    " #minimise { X@1,Y : p(X,Y) }. ",
    " #maximise { 1 }. ",
    " #minimize { }. ",
    " #project p/2. ",
    " #defined q/0. ",
    " #edge (a,b) : c. ",
    " #program step(t). ",
    " #script (lua) a. % \" %* #en #end . ",
    " #script(python)\n'x'#end. ",
    " #include \"FILE\". ",
    " #include \"FILE\" %. \n . ",
    " #include ",
    " :- &sum { X,\"a\" : p(X); -y } <= 3 .- X. ",
    " &diff { a-b } <= 3. -p. ",
    " &a { b }:- not c. ",
    " &a { x;-y;;z : p(1;2) } ** f(X,.+1). ",
    " &a(X) :- X = 1 & 3, Y = (2) & X, not &b. ",
    " :- 1 & 3 { a; b } 2. ",
    " #theory t { x { - : 1, unary; .. : 0, binary, left;+:3,binary,right }; &s/1 : x, { <=, .= }, x, head }. ",
    " #sum+ { 1,X : p(X) } ",
    "#inf",
    "#supremum",
    "#true",
    "0x1F",
    "0b10",
    "0o17",
    "012",
    "_'a'",
    "'",
    "__X",
];

/// Returns a few lines of a program with random changes.
fn mutated(text: &str, random: &mut fastrand::Rng, file: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = random.usize(0..lines.len().max(1));
    let mut text: String = lines.iter().skip(first).take(random.usize(1..25)).copied().collect();
    for _ in 0..random.usize(0..5) {
        // Changes after a statement often leave the text correct.
        let ends: Vec<usize> = syntax::ranges(&text).map(|range| range.end).chain([0, text.len()]).collect();
        let anywhere = text.floor_char_boundary(random.usize(0..=text.len()));
        let at = if random.bool() { anywhere } else { *random.choice(&ends).expect("two at least") };
        match random.u8(0..8) {
            0 if at < text.len() => _ = text.remove(at),
            1 => {
                let end = text.floor_char_boundary(random.usize(at..=text.len().min(at + 20)).max(at));
                text.replace_range(at..end.max(at), "");
            }
            2 => {
                let from = text.floor_char_boundary(random.usize(0..=text.len()));
                let end = text.floor_char_boundary((from + random.usize(0..20)).min(text.len()));
                let copy = text[from..end].to_owned();
                text.insert_str(at, &copy);
            }
            _ => text.insert_str(at, &random.choice(SNIPPETS).expect("some").replace("FILE", file)),
        }
    }
    text
}

fn compare_on(number: usize) {
    let mut files = Vec::new();
    for folder in ["../../asp", "../../instances", "../../tests/data"] {
        programs(Path::new(folder), &mut files);
    }
    files.sort();
    let texts: Vec<String> = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let included = folder.path().join("included.lp");
    std::fs::write(&included, "included(\"x\"). % end").expect("it can be written");
    let included = included.to_str().expect("UTF-8").replace('\\', "\\\\");
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut accepted = 0;
    for _ in 0..number {
        let text = mutated(random.choice(&texts).expect("programs"), &mut random, &included);
        let joined: String = syntax::lex(&text).map(|token| token.text).collect();
        assert_eq!(joined, text, "seed {seed}");
        let ours = ranges_by_lexer(&text);
        let includes = syntax::includes(&text);
        let possible: Vec<String> = syntax::possible_includes(&text).collect();
        assert!(includes.iter().filter_map(|(_, file)| file.as_ref()).all(|file| possible.contains(file)), "{text:?}");
        for lexed in [syntax::looks_like_a_program(&text), syntax::is_blank(&text), syntax::minimises(&text)] {
            std::hint::black_box(lexed);
        }
        std::hint::black_box((
            syntax::nesting_depth(&text),
            syntax::statements(&text),
            syntax::shown_signatures(&text).count(),
        ));
        let Some(theirs) = ranges_by_clingo(&text) else { continue };
        accepted += 1;
        assert_eq!(ours, theirs, "seed {seed}: {text:?}");
        assert!(syntax::tokens(&text).all(|token| token.kind != TokenKind::Invalid), "seed {seed}: {text:?}");
        // Skipping facts ends at the end of a statement.
        let ends: BTreeSet<usize> = syntax::ranges(&text).map(|range| range.end).chain([0]).collect();
        assert!(ends.iter().all(|&end| ends.contains(&syntax::end_of_facts(&text, end))), "seed {seed}: {text:?}");
        // Both parsers distinguish shown atoms from shown terms.
        assert_eq!(
            shown_by_clingo(&text),
            syntax::shown_signatures(&text).flatten().collect::<Vec<_>>(),
            "seed {seed}: {text:?}"
        );
    }
    assert!(accepted * 10 > number, "seed {seed}: clingo took {accepted} texts of {number}");
}

/// Returns the signatures in the `#show` statements of a text, by clingo's parser.
fn shown_by_clingo(text: &str) -> Vec<syntax::Signature> {
    let mut shown = Vec::new();
    let parsed = ast::parse(&[&Document::in_memory("", text)], |node| {
        let tree = node.to_tree().expect("a tree");
        if let Some(Head::Show(signature)) = tree.filter(|tree| tree.place.file == "<string>").map(|tree| tree.head) {
            shown.extend(signature);
        }
    });
    parsed.map_or(Vec::new(), |()| shown)
}

#[test]
fn statements_comments_strings_and_variables_are_where_clingo_reports_them() {
    compare_on(4_000);
}

mod campaign {
    #[test]
    #[ignore = "takes a minute"]
    fn statements_comments_strings_and_variables_are_where_clingo_reports_them_in_many_texts() {
        super::compare_on(300_000);
    }
}

#[test]
fn unusual_texts_are_lexed_as_in_clingo() {
    for (text, statements) in [
        ("#show #! \"\nnumber/3. :- number(1,1,1).\n#! \" .", 2),
        ("%* %* a. *% b. *% c.", 1),
        ("%* % *%\n a. *% b.", 1),
        ("%*% *%\n a. *% b.", 1),
        ("p(\"a\\\\\"). q(\"% \\\" .\"). r(\"\\n\").", 3),
        (":~ a. [1@2] b. #const c = 1. %[\n[default] d.", 4),
        ("#external a. [true] #external b : c. #heuristic d. [1@2,true] e.", 4),
        ("#script (lua) a. \" %* b. #end. c.", 2),
        ("#script (lua)\n#en #end . c.", 2),
        ("&a { b } <= 3 .- c. d.", 2),
        ("&a.-c.", 2),
        ("&a { b;-c;+d }. :- 1 & 3 { a } 2.-b.", 3),
        ("a :- X = 1 & 3, &b { X }.", 1),
        ("#theory t { x { - : 1, unary; .. : 0, binary, left;.+ : 3, binary, right } }. a.", 2),
        ("a :- b(0x1F,0b11,0o17,#inf,#supremum), not #true. '_a'(_'X).", 2),
        ("#showp/1. #show-q/0x2. #show_'r / 0. a.", 4),
        ("p(1). [", 0),
        ("p(\"a\nb\").", 0),
    ] {
        match ranges_by_clingo(text) {
            Some(theirs) => {
                assert_eq!(ranges_by_lexer(text), theirs, "{text:?}");
                assert_eq!(theirs.statements.len(), statements, "{text:?}");
            }
            None => assert_eq!(statements, 0, "clingo does not take {text:?}"),
        }
    }
}
