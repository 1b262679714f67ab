//! Tests warnings about valid programs and remedies for syntax errors.

use crate::support::{RunOutput, command, file, folder, run, run_command_with_input, run_with_input};

fn messages_for(text: &str, options: &str) -> String {
    let RunOutput { code, err, .. } = run_with_input(&format!("- -p program -n 0 {options}"), text);
    assert!(code != 2, "{text}\n{err}");
    err
}

/// Programs with a warning: its name, the program, and parts of the message (position, text and
/// remedy).
const REPORTED: &[(&str, &str, &[&str])] = &[
    (
        "arrow",
        "b. a.\na <- b.",
        &["2:1", "`<-` is not an arrow: this compares, a < -b", "write :- between head and body"],
    ),
    ("comma-head", "b.\np(1..3), q(1).", &["2:1", "the comma makes this a disjunction", "with a period"]),
    ("comma-head", "b. p, q :- b.", &["1:4", "the comma makes this a disjunction"]),
    (
        "merged-tuples",
        "weight(a,5). weight(b,5). weight(c,2).\n{ take(a); take(b) } = 2.\n:- #sum { W : take(I), weight(I,W) } > 9.",
        &["3:11", "I = a and I = b both give the tuple (5) in an answer, which counts once", "W,I counts each"],
    ),
    (
        "merged-tuples",
        "p(1..3).\n:~ p(X). [1@2]",
        &["2:11", "X = 1 and X = 2 both give the tuple (1)", "1@2,X counts each"],
    ),
    (
        "merged-tuples",
        "d(1..2). w(1..2,1..2,7).\n{ t(D,I) : w(D,I,_) } = 4.\n:- d(D), #sum { W,a : t(D,I), w(D,I,W) } > 9.\n#minimize { W : t(D,I), w(D,I,W) }.",
        &[
            "3:17",
            "I = 1 and I = 2 both give the tuple (7,a)",
            "W,a,I counts each",
            "4:13",
            "the tuple (7) in an answer",
        ],
    ),
    (
        "merged-tuples",
        "p(1..2,5). { t(X) : p(X,_) } = 2.\n#maximize { W@3 : t(X), p(X,W) }.",
        &["2:13", "X = 1 and X = 2 both give the tuple (5)", "W@3,X counts each"],
    ),
    (
        "merged-tuples",
        "d(1..2). i(1..2). { t(D,I) : d(D), i(I) } = 4.\n:- S = #sum { 3 : t(D,I), D < 2 }, d(D), not a(D), N = S+D, N > 8.\na(2).",
        &["2:15", "I = 1 and I = 2 both give the tuple (3)", "3,I counts each"],
    ),
    ("merged-tuples", "{ a(1..3) } >= 2. #maximize { 1@2 : a(X) }.", &["both give the tuple (1)", "1@2,X counts each"]),
    (
        "merged-tuples",
        "t(1,1). t(1,2). t(2,2). w(1..2,3). s(S) :- S = #sum { W : t(I,J), w(I,W) }.",
        &["W,I,J counts each"],
    ),
    (
        "near-variables",
        "row(1). cell(1,1).\np(Row) :- row(Row), not cell(Row,2), cell(Rw,_).",
        &["2:1", "the variable Rw occurs once; Row stands beside it", "write Row, or _"],
    ),
    (
        "self-negation",
        "{ b }.\na :- not a, b. c :- a.",
        &["2:1", "a is derived only from not a", "`:- b.`; else derive a/0 elsewhere"],
    ),
    ("self-negation", "p(1). q(X) :- not q(X), p(X). #show q/1.", &["1:7", "q(X) is derived only from not q(X)"]),
    ("self-negation", "a :- not a.", &["no answer set is left", "{ a }"]),
    ("odd-loop", "{ c }.\na :- not b, c. b :- a.", &["2:1", "a/0, b/0 depend on each other through an odd number"]),
    ("odd-loop", "x :- not y. y :- not z. z :- not x.", &["x/0, y/0, z/0 depend on each other"]),
    (
        "odd-loop",
        "n(1..2). on(X,Y) :- n(X), n(Y), not off(Y,X). off(Y,X) :- on(X,Y). #show on/2.",
        &["off/2, on/2 depend on each other"],
    ),
    (
        "ungrounded-part",
        "a.\n#program step(t).\nb(t).",
        &["2:1", "nothing grounds what stands behind #program step(t)", "#include <incmode>."],
    ),
    (
        "ungrounded-part",
        "a. #program bass.\nb.",
        &["nothing grounds what stands behind #program bass", "did you mean base?"],
    ),
    (
        "ungrounded-part",
        "a. #program one.\nb. #program two. c.",
        &["behind #program one, #program two", "only base is grounded"],
    ),
    (
        "shown-term",
        "p(1..2). q.\n#show p. #show q. #show r.",
        &["2:1", "shows the term p in every answer", "#show p/1."],
    ),
    (
        "unmatched-constant",
        "node(1..2). c(red;green).\n{ color(N,C) : c(C) } = 1 :- node(N).\n:- color(1,gren).",
        &["3:12", "no atom of color/2 has gren here", "did you mean green?"],
    ),
    (
        "unmatched-constant",
        "node(1..2). edge(1,2).\nr(Y) :- edge(x,Y), node(X).",
        &["2:14", "no atom of edge/2 has x here", "x is a constant; X is the variable of this rule"],
    ),
    (
        "undefined-constant",
        "p(1..3).\nq(X) :- p(X), X < n.",
        &["2:19", "nothing defines n: every number is less", "#const n = 8. or -c n=8"],
    ),
    ("undefined-constant", "p(1..3). { q(X) : p(X) } k.", &["1:26", "nothing defines k"]),
    ("undefined-constant", "p(1..3). { q(X) : p(X) }. :- max < #sum { X : q(X) }.", &["nothing defines max"]),
    (
        "empty-extremum",
        "b(1). c(X) :- b(X), X > 1. late :- #min { T : c(T) } > 5. #show late/0.",
        &["1:36", "#min has no element here: its value is #sup, which is greater", "add an atom of the elements"],
    ),
    ("empty-extremum", "a. ok :- M = #max { T : b(T) }, M < 0. #defined b/1.", &["its value is #inf, which is less"]),
    (
        "fixed-choice",
        "p(1). p(2). b(1). b(2).\n1 { a(X) : b(X) } 2 :- p(X).",
        &[
            "2:1",
            "the body fixes X: each choice has one element, and its bounds leave no choice",
            "{ a(X) : b(X), p(X) }",
        ],
    ),
    ("fixed-choice", "#const k = 1. { z(Y) } = k :- Y = (1;2).", &["1:15", "the body fixes Y", "leave no choice"]),
    ("fixed-choice", "p(1..2). { a(X) } 2 :- p(X).", &["each choice has one element, and its bound cannot be reached"]),
    ("fixed-choice", "p(1..2). 3 { a(X); b(X) } :- p(X), X > 2.", &["has 2 elements, and its bounds cannot hold"]),
    (
        "forced-conflict",
        "car(1..2). parcel(1).\nassign(P,C) :- parcel(P), car(C).\n:- assign(P,C), assign(P,D), C != D.",
        &[
            "3:1",
            "assign(1,1) and assign(1,2) hold in every answer",
            "this rule derives all of them",
            "{ assign(…) : … } = 1",
        ],
    ),
    (
        "head-comparison",
        "r(1). { c }. p(X) = q(X) :- r(X), c.",
        &["1:14", "`=` derives nothing: p(X) and q(X)", "write :-"],
    ),
    (
        "lower-case-variable",
        "s(1..3). q(X) :- s(X).\np(x) :- q(x).",
        &["2:1", "x is a constant here, and no atom has it", "variables start with a capital letter: X"],
    ),
    (
        "lower-case-variable",
        "at(r1,a). next(a,b).\nat(r,Y) :- at(r,x), next(x,Y). { c }. :- c, not at(r1,_).",
        &["2:1", "r, x are constants here, and no atom has them", "capital letter: R, X"],
    ),
    (
        "overflow",
        "side(65536).\narea(X*X) :- side(X).",
        &["2:6", "`X*X` is 65536*65536 here, which exceeds 32 bits; clingo wraps it to 0"],
    ),
    ("overflow", "c(X*X) :- X = 65536.", &["1:3", "`X*X` is 65536*65536 here"]),
    ("overflow", "p(2,1..40). q(X**Y) :- p(X,Y).", &["`X**Y` is 2**31 here"]),
    ("overflow", "p(2000000000). { q }. :- q, p(X), X+X < 1.", &["`X+X` is 2000000000+2000000000 here"]),
    ("overflow", "a(2147483648).", &["1:3", "exceeds 32 bits"]),
    (
        "pool-arity",
        "b.\nknows(adam, dan;alice;peter).",
        &[
            "2:1",
            "this stands for knows(adam,dan); knows(alice); knows(peter)",
            "write (dan;alice;peter) for a pool of the last argument",
        ],
    ),
    ("pool-arity", "{ a }. p(1,2;3,4;5).", &["p(1,2); p(3,4); p(5)", "brackets make a pool of one argument"]),
    (
        "shown-condition",
        "{ a }. bar(1).\n#show foo(X) : bar(X).",
        &["2:1", "this shows foo(X) beside all atoms", "add #show."],
    ),
    ("operation-undefined", "p(1..n).", &["1:3", "interval undefined: 1..n", "#const n = 8. or -c n=8"]),
    ("operation-undefined", "p(1..3). q(X+m) :- p(X).", &["m has no number: #const m = 8."]),
    (
        "operation-undefined",
        "b(1). c(2) :- b(X), not c(X). c(1) :- not b(X), X = 1. d(X+1) :- X = #min { Y : e(Y) }. { e(1) }.",
        &["X is #sup if #min has no element, and #sup is no number; add X != #sup"],
    ),
    ("atom-undefined", "color(1). a :- colour(1).", &["did you mean color?"]),
];

/// Similar programs without a warning.
const NOT_REPORTED: &[&str] = &[
    "p(1..2,1..2).\n:~ p(X,Y). [1,X,Y]\n:~ p(X,Y). [1@2,Y,X]\n#heuristic p(X,Y). [1,false]",
    "{ a; b; c }. a ; b :- not c, not a. p((1,2),f(3,4)).",
    "a. b :- a. :- b, 1 <-1.",
    // The arguments are constants, or the last one has a value.
    "p(a;b;c). q(X) :- p(X), X < b. r :- q(X), X != d, X > d. s(M) :- M = #max { X : p(X) }, M < e. p(e).",
    "#const n = 3. p(1..3). q(X) :- p(X), X < n. { r(X) : p(X) } n. t :- #max { X : p(X) } < m.",
    "#include <incmode>. #program step(t). p(t). q(X) :- p(X), X < t. #program check(t). :- query(t), t < 2.",
    // Each element has its own tuple, or there is only one value.
    "a(1,3;2,3). #minimize { C@X : a(X,C) }.",
    "a(1,3;2,3). :~ a(X,C). [C@X]",
    "a(1,3;2,3). #minimize { 0 : a(X,C) }.",
    "{ a(1..3) } >= 2. ok :- #sum { 1 : a(X) } > 0.",
    "weight(a,5). weight(b,5). { take(a); take(b) } = 2. :- #sum { W,I : take(I), weight(I,W) } > 10.",
    // Both elements never hold at the same time.
    "weight(a,5). weight(b,5). { take(a); take(b) } = 1. :- #sum { W : take(I), weight(I,W) } > 10.",
    "d(1..3). t(1..2,1,7). t(3,1..2,7). :- d(D), D < 3, #sum { W : t(D,I,W) } > 9.",
    // Counts distinct values.
    "p(1..2,1..2). :- #count { X : p(X,Y) } > 2. :- #sum { 1,X : p(X,Y) } > 2. :- #max { X : p(X,Y) } > 2.",
    "end(a,3). end(b,3). q :- #sum { T : end(_,T) } = 3.",
    "w(1,5). w(2,5). d(1..2). s(D,S) :- d(D), S = #sum { W : w(D,W) }.",
    "p(X1,X2) :- q(X1), q(X2). q(1). r :- q(Row), s(Row2), Row2 < 2. s(1). t :- q(Node), q(Nodes).",
    "q(1). p(NodeA) :- q(NodeA), s(NodeB). s(1).",
    // Another rule derives the atom.
    "a :- not a. a.",
    "a :- not a. { a }.",
    "a :- not a. a | b.",
    "a :- not a. a ; b.",
    "{ b }. fail :- not fail, b.",
    "a :- not b. b :- not a. c(X) :- not c(Y), d(X,Y). d(1,2).",
    "a. #program base. b.",
    // An even loop, a loop with external support, and one whose atoms differ.
    "a :- not b. b :- not a. c :- not d, a. d :- not e. e :- c, not not a. f :- not g. g :- not h. h :- not f. h :- a.",
    "a :- not b. b :- a. { b }.",
    "n(1..2). a(X,Y) :- n(X), n(Y), not b(X,Y). b(X,Y) :- a(Y,X), X < Y.",
    "m(1,2). win(X) :- m(X,Y), not win(Y). lost(X) :- m(X,Y), win(Y).",
    "#include <incmode>. #program step(t). b(t). #program check(t). :- query(t), t < 2.",
    "a. #program test_a(base,more). cannot(1) :- not a. #program more. b.",
    "p(green). p(red). :- p(blue). q(node1). :- q(node2).",
    "pos(x,X) :- q(X). q(1). at(x). :- at(x), q(2).",
    "#const gren = green. p(green). :- not p(gren).",
    "p(1..n). #const n = 2.",
    "a. { b } :- a. not b :- a.",
    // The bounds leave a choice, or the elements are not fixed.
    "p(1..2). 0 { a(X) } 1 :- p(X). { b(X) } 1 :- p(X). 1 { c(X); d(X) } 1 :- p(X). { e(X,1..2) } = 1 :- p(X).",
    "p(1..2). q(1..2). { a(X,Y) : q(Y) } = 1 :- p(X). 1 { b(Y) : q(Y) } 1. { c(X) } = N :- p(X), N = 0..1.",
    "{ a } = 1. 1 { b } 1 :- a. p(1). X = Y :- p(X), p(Y). f(X) = f(Y) :- p(X), p(Y). X = f(Y) :- p(Y), X = f(1).",
    // A fact or another rule introduces the constant, or it has a value.
    "q(1..3). q(x). p(x) :- q(x). r(a) :- q(1). s(a) :- r(a).",
    "#const n = 3. q(1..2). p(n) :- q(n). at(kitchen) :- in(kitchen). in(1).",
    "in(hall). at(kitchen) :- in(kitchen).",
    "p(1,2;3,4). q(f(1;2),(3;4,5)). r(X) :- p(X,_), not q(f(1),4). s(a;b;c).",
    "#show. #show p(X) : q(X). q(1).",
    "{ a; b }. #show both : a, b. #show f(a) : a.",
    "q((1;2),3;;(4;5)). node(c). attr(a,blue) :- node(a). edge(c,d). red(a,b) :- edge(a,b).",
    // Not in every answer, or chosen.
    "c(1..2). { d(1..2) }. a(X) :- d(X). :- a(X), a(Y), X != Y. { b(X) : c(X) }. :- b(X), b(Y), X < Y.",
    "c(1). a(X) :- c(X). :- a(X), a(Y), X != Y. e(1..2). :- e(X), e(Y), X = Y+5.",
    "q(1). #show q/1. #show p(X) : q(X). #show r.",
    // Great numbers that fit, and numbers that are never multiplied.
    "p(40000;50000). q(X*Y) :- p(X), p(Y), X < Y. r(X+Y) :- p(X), p(Y). s(X**2) :- X = 1..9. t(2**X) :- X = 1..30.",
    "b(1..3). late :- #min { T : b(T) } > 0. ok :- M = #max { T : b(T) }, M < 9. { c(1) }. d :- #min { T : c(T) } > 5.",
    "e(M) :- M = #min { T : c(T) }. #defined c/1.",
    // Comments nest and end where clingo ends them.
    "a. %* b <- a. %* c. *% p, q :- a. *% d :- a.",
    "a. #! b <- a.\n d :- a. #! p, q :- a. %*\n",
    "a. %* % *% b <- a.\n p, q :- a. *% d :- a.",
    "p(\"\\\\\"). %\" :- p, q.\n",
];

#[test]
fn probable_mistakes_are_reported_with_a_remedy() {
    for (name, text, expected) in REPORTED {
        let err = messages_for(text, "");
        for words in *expected {
            assert!(err.contains(words), "{name}: {words}\n{text}\n{err}");
        }
        for options in [format!("-W no-{name}"), "-W none".to_owned(), format!("--clingo=--warn=no-{name}")] {
            let err = messages_for(text, &options);
            assert_eq!(err, "", "{name} {options}: {text}");
        }
        assert!(!messages_for(text, &format!("-W none -W {name}")).is_empty(), "{text}");
    }
}

#[test]
fn common_idioms_are_not_reported() {
    for text in NOT_REPORTED {
        assert_eq!(messages_for(text, ""), "", "{text}");
    }
}

#[test]
fn facts_before_a_rule_do_not_shift_its_place() {
    let text = "p(1). p(2).\n% é\np(\"é\"). p(3). a :- not a, p(1). p(4). c :- a.\nb <- c.";
    let err = messages_for(text, "");
    assert!(err.contains("<stdin>:3:15") && err.contains("<stdin>:4:1"), "{err}");
}

#[test]
fn lints_also_apply_to_test_and_why_and_included_files() {
    let folder = folder();
    let text = "p(1..3). { q(X) : p(X) } = 1.\n#program test_one(base).\ncannot(1) :- not p(1).\n#program stpe(t).\na.";
    let path = file(folder.path(), "a.lp", text);
    let path = path.to_str().expect("a path");
    let tested = run(["test", path]);
    assert!(
        tested.code == 0 && tested.err.contains("nothing grounds what stands behind #program stpe(t)"),
        "{}",
        tested.err
    );
    assert_eq!(run(["test", path, "-W", "none"]).err, "");
    let why = run(["why", path, "p(1)"]);
    assert!(why.err.contains("nothing grounds what stands behind #program stpe(t)"), "{}", why.err);
}

#[test]
fn lints_name_the_included_file() {
    let folder = folder();
    let main = |text: &str| {
        let path = file(folder.path(), "main.lp", text);
        path.to_str().expect("a path").to_owned()
    };
    file(folder.path(), "part/facts.lp", "a.");
    file(folder.path(), "part/rules.lp", "#include \"facts.lp\".\n\na <- a. d :- not d.\n");
    let path = main("{ e }. #include \"part/rules.lp\". :- d, e.\n");
    for line in [&[path.as_str()][..], &["-p", "program", &path], &["why", &path]] {
        let ran = run(line);
        for expected in ["is not an arrow", "d is derived only from not d", "rules.lp:3:1", "rules.lp:3:9"] {
            assert!(ran.err.contains(expected), "{line:?}, {expected}: {}", ran.err);
        }
    }
    // Atoms derived in an included file are known, and a file that is both given and included is
    // read once.
    let path = main("#include \"part/facts.lp\".\na :- not a.\nc <- a.");
    let facts = folder.path().join("part/facts.lp");
    for ran in [run([&path]), run([path.as_str(), facts.to_str().expect("a path")])] {
        assert!(!ran.err.contains("derived only") && ran.err.contains("is not an arrow"), "{}", ran.err);
    }
}

#[test]
fn unknown_warnings_are_rejected_with_a_list_of_known_ones() {
    let ran = run_with_input("- -p program -W no-arows", "a.");
    assert!(
        ran.code == 2 && ran.err.contains("arrow, comma-head, empty-extremum") && ran.err.contains("atom-undefined"),
        "{}",
        ran.err
    );
}

/// Texts with a syntax error, the place of the message, and a part of its remedy.
const REPAIRS: &[(&str, &str, &str)] = &[
    ("a(1)\nb(2).", "1:4", "a period is missing after this"),
    ("a(1). % one.\nb :- a(1) % two.\n\n% three\nc.", "2:9", "a period is missing after this"),
    ("a.\nb :- a", "2:6", "a period is missing after this"),
    ("#const n = 3\np(n).", "1:12", "a period is missing after this"),
    ("a :- b\n:- c.", "1:6", "a period is missing after this"),
    (":~ a. [1]\nb\nc.", "2:1", "a period is missing after this"),
    ("p(X) <- q(X). q(1).", "1:1", "write :- instead of <-"),
    ("p(X) <- q(X), r(X).", "1:", "write :- instead of <-"),
    ("p(X) = q(X). q(1).", "1:1", "between head and body write :-"),
    ("p(X) == q(X). q(1).", "1:1", "`==` compares two terms; between head and body write :-"),
    ("p(X) <= q(X).", "1:1", "`<=` compares two terms; between head and body write :-"),
    ("p(X) => q(X).", "1:7", "write the head first, and :- behind it"),
    ("a :- X => 3, X = 1.", "1:9", "write >= instead of =>"),
    ("a :- b!\nc.", "1:7", "a rule ends with a period, not with !"),
    ("a := b.", "1:4", "write :- instead of :="),
    ("b :- 1 [ a=3, c=4 ].", "1:8", "#sum { 3,a : a; 4,b : b }"),
    ("#minimize [ a=1@2 ].", "1:11", "#sum { 3,a : a; 4,b : b }"),
    ("a. #hide.", "1:4", "#show. hides all atoms"),
    ("#domain q(X).", "1:1", "write their atom into each body"),
    ("#optimize(p).", "1:1", "preferences are asprin's"),
    ("#exernal a.", "1:1", "did you mean #external?"),
    ("{ p(X) : q(X) : r(X) }.", "1:15", "write a comma between the conditions"),
    (":~ a. [1:2]", "1:9", "write weight@level"),
    ("a :- X \\= 1, X = 2.", "1:9", "write != instead of \\="),
    ("a :- X =< 3, X = 1.", "1:9", "write <= instead of =<"),
    ("a :- not b, !c.", "1:13", "write not instead of !"),
    ("a :- ~b.", "1:8", "write not instead of ~"),
    ("a :- \\+ b.", "1:6", "write not instead of \\+"),
    ("a :- b and c and d.", "1:8", ""),
    ("a :- b and c.", "1:8", "write , instead of and"),
    ("a or b.", "1:3", "write | instead of or"),
    ("a v b :- c.", "1:3", "write | instead of v"),
    ("a :- b && c.", "1:9", "write , instead of &&"),
    ("p(Y) :- q(X), Y is X + 1.", "1:17", "write = instead of is"),
    ("p(X) :- q(X), X mod 2 = 0.", "1:17", "write \\ instead of mod"),
    ("a.\n// comment\nb.", "2:1", "write % instead of //"),
    ("Node(1).", "1:5", "write the predicate as node"),
    ("a(1. b.", "1:4", ") is missing before this"),
    ("{ a; b :- c.", "1:8", "} is missing before this"),
    ("a :- b c.", "1:8", "a comma is missing before this"),
    ("a b(1), c.", "1:3", ":- is missing before this"),
    ("a :- b,.", "1:8", "no comma stands before the period"),
    // No remedy is known.
    ("a :- :- b.", "1:6", ""),
    ("#somewhere else.", "1:1", ""),
];

#[test]
fn an_unknown_sign_is_a_single_error() {
    for text in ["p(1)!\n", "a :- b, $.\n", "a :- p(1)!\nb.\n", "hello world!\n", "p(1) q?\n"] {
        let ran = run_with_input("- -p program", text);
        assert_eq!((ran.code, ran.err.matches("error: ").count()), (2, 1), "{text}\n{}", ran.err);
    }
    // Statements after it are still checked.
    let ran = run_with_input("- -p program", "a :- b!.\nc :- :- d.\n");
    assert_eq!(ran.err.matches("error: ").count(), 2, "{}", ran.err);
}

#[test]
fn syntax_errors_are_reported_with_a_remedy() {
    for (text, place, help) in REPAIRS {
        let ran = run_with_input("- -p program", text);
        assert_eq!(ran.code, 2, "{text}\n{}", ran.err);
        let first = ran.err.lines().find(|line| line.contains("-->")).unwrap_or_default();
        assert!(first.contains(&format!(":{place}")), "{text}: {place}\n{}", ran.err);
        assert!(ran.err.contains(help), "{text}: {help}\n{}", ran.err);
        assert_eq!(ran.err.contains("help: ") || ran.err.contains("a period"), !help.is_empty(), "{text}\n{}", ran.err);
    }
}

#[test]
fn common_script_functions_are_built_in() {
    for (call, values) in [
        ("@concat(\"a\",1,b)", "p(\"a1b\")"),
        ("@format(\"{} of {}\",1,2)", "p(\"1 of 2\")"),
        ("@length(\"aé𝄞\")", "p(3)"),
        ("@length(@concat(abc,d))", "p(4)"),
        ("@split(\"a,b,,\",\",\")", "p((1,\"a\")) p((2,\"b\")) p((3,\"\")) p((4,\"\"))"),
        ("@sqrt(17)", "p(4)"),
        ("@sqrt(0..2)", "p(0) p(1)"),
        ("@min(3,1,2)", "p(1)"),
        ("@max(3,\"a\",c)", "p(\"a\")"),
    ] {
        let ran = run_with_input("- -p program", &format!("p({call})."));
        assert!(ran.out.contains(&format!("\n  {values}\n")), "{call}: {}{}", ran.out, ran.err);
    }
    for (call, expected) in
        [("@sqrt(-1)", "a number that is not"), ("@split(a,\"\")", "not empty"), ("@min", "expected @min(A,…)")]
    {
        let ran = run_with_input("- -p program", &format!("p({call})."));
        assert!(ran.code == 2 && ran.err.contains("has no value") && ran.err.contains(expected), "{call}: {}", ran.err);
        assert!(ran.err.contains("1:3"), "{call}: {}", ran.err);
    }
    // Reports the call without a value, not the first call of the same function.
    let ran = run_with_input("- -p program", "p(@sqrt(4)).\nq(1). r(X) :- q(X), X = @sqrt(-2).");
    assert!(ran.code == 2 && ran.err.contains("2:25"), "{}", ran.err);
    // clingo skips statements that call an unknown function, and continues.
    let ran = run_with_input("- -p program", "p(@lenth(a)). q.");
    assert!(ran.out.contains("\n  q\n") && ran.err.contains("function 'lenth' not found"), "{}{}", ran.out, ran.err);
    let folder = folder();
    let path = file(folder.path(), "a.lp", "#script (lua)\n#end.\np(@f()).");
    let ran = run_command_with_input(command(), &path.display().to_string(), "");
    assert!(ran.code == 2 && ran.err.contains("@length"), "{}", ran.err);
}

#[test]
fn test_and_why_report_syntax_errors_with_a_remedy() {
    let folder = folder();
    let path = file(folder.path(), "a.lp", "a(1)\nb(2).\n#program test_a.\nc.");
    for line in ["test", "why"] {
        let ran = run_command_with_input(command(), &format!("{line} {}", path.display()), "");
        assert!(ran.code == 2 && ran.err.contains("a period is missing after this"), "{line}: {}", ran.err);
    }
}

#[test]
fn built_in_encodings_have_no_warnings() {
    let mut number = 0;
    for entry in std::fs::read_dir("asp/puzzles").expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let instances = std::fs::read_dir("instances").expect("a folder").map(|entry| entry.expect("an entry").path());
        let of_puzzle = |path: &std::path::PathBuf| path.file_stem().is_some_and(|stem| *stem == *name);
        for instance in instances.filter(of_puzzle).take(1) {
            let path = path.to_str().expect("a path");
            let instance = instance.to_str().expect("a path").to_owned();
            // A copy is a custom encoding.
            let folder = folder();
            let text = std::fs::read_to_string(path).expect("an encoding");
            let copy = file(folder.path(), "own.lp", text + "\n% mine\n");
            let ran = run([instance.as_str(), "-e", copy.to_str().expect("a path"), "--time-limit", "900"]);
            assert!(ran.code == 0 && ran.err.is_empty(), "{instance}: {}", ran.err);
            number += 1;
        }
    }
    assert_eq!(number, crate::support::pencil_puzzles());
}
