//! Terms keep their identity: `a`, `"a"`, `1` and `"1"` are four different terms in every notation
//! and engine.

use proptest::prelude::*;

use crate::support::{answers, extent, file, folder, run, run_with_input};

const FOUR: &str = r#"
start(a). target("a"). final_node("1").
color(a,red). rel(a,1,1). rel(a,"1","p").
gate(1,"p"). rel("p",1,p). gate("1",p). rel(p,1,"q").
color("q","red"). rel("q",1,"a"). rel("q","1","1").
color(1,red). rel(1,1,"a"). rel(1,"1","1").
"#;

#[test]
fn names_that_look_alike_are_different() {
    let folder = folder();
    let path = file(folder.path(), "four.lp", FOUR);
    let path = path.to_str().expect("UTF-8");
    let all = |engine: &str| {
        run([path, "-n", "0", "-f", "json", "--outcome", "any", "--engine", engine]).json()["answers"].clone()
    };
    let simulated = all("simulation");
    assert_eq!(simulated, all("asp"));
    assert_eq!(simulated, all("backward"));
    // Two states of two colours, and two gates in either colour.
    let ran = run([path, "-n", "0", "-f", "json"]);
    assert_eq!(ran.json()["statistics"]["configurations"]["all"], "16", "{}", ran.err);
    let first = &simulated[0];
    assert_eq!(first["levers"].as_object().expect("levers").keys().collect::<Vec<_>>(), ["red", "\"red\""]);
    assert_eq!(first["gates"].as_object().expect("gates").keys().collect::<Vec<_>>(), ["1", "\"1\""]);
    assert_eq!(first["levers"]["red"], 1);
    let nodes: Vec<&str> =
        first["trip"].as_array().expect("a trip").iter().filter_map(|step| step["node"].as_str()).collect();
    assert_eq!(nodes, ["a", "1", "\"a\""]);
    let value = run(["expand", path, "-f", "json"]).json();
    assert_eq!(value["starts"]["win"], "12", "{value}");
    let rated = run(["rate", path, "-f", "json"]).json();
    assert_eq!(rated["configurations"]["win"], "12");
}

#[test]
fn json_has_constants_strings_and_numbers() {
    let folder = folder();
    let json = r#"{"start": ["a"], "target": ["1"], "final_node": [1, "A b"],
        "color": [["a", "red"]], "rel": [["a", 1, "1"], ["a", 2, 1], ["a", "x", "A b"]],
        "position": [["a", "10", 20]]}"#;
    let program = r#"start(a). target("1"). final_node(1). final_node("A b"). color(a,red). rel(a,1,"1"). rel(a,2,1). rel(a,x,"A b")."#;
    let all = |name: &str, text: &str| {
        let path = file(folder.path(), name, text);
        let ran = run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "json", "--outcome", "any"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.json()["answers"].clone()
    };
    assert_eq!(all("four.json", json), all("four.lp", program));
    assert_eq!(all("four.lp", program)[0]["trip"][1]["node"], "\"1\"");
}

#[test]
fn labels_are_ordered_as_in_clingo() {
    let folder = folder();
    // The lever moves by one state each time that the trip crosses the gate.
    let text = r#"start(a). target(t). color(a,red). gate(1,g). rel(g,1,a).
        rel(a,f(2),g). rel(a,f(10),g). rel(a,9,g). rel(a,10,g). rel(a,"b",g). rel(a,b,g). rel(a,"10",t)."#;
    let path = file(folder.path(), "labels.lp", text);
    let path = path.to_str().expect("UTF-8");
    let all = |engine: &str| run([path, "-n", "0", "-f", "json", "--engine", engine]).json();
    let (asp, simulation) = (all("asp"), all("simulation"));
    assert_eq!(asp["answers"], simulation["answers"]);
    let steps: Vec<(String, u64)> = answers(&asp)
        .iter()
        .map(|answer| (answer["levers"]["red"].to_string(), answer["steps"].as_u64().expect("a number")))
        .collect();
    let expected = [
        ("9", 8),
        ("10", 6),
        ("\"b\"", 4),
        ("\"\\\"10\\\"\"", 2),
        ("\"\\\"b\\\"\"", 14),
        ("\"f(2)\"", 12),
        ("\"f(10)\"", 10),
    ];
    let steps: Vec<(&str, u64)> = steps.iter().map(|(state, steps)| (state.as_str(), *steps)).collect();
    assert_eq!(steps, expected);
}

/// A random term in clingo's notation.
fn terms() -> impl Strategy<Value = String> {
    let quoted = |text: String| {
        let text = text.replace('\0', "").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("\"{text}\"")
    };
    let hostile = prop::collection::vec(
        prop::sample::select(vec![
            "\"", "\\", "\n", "\\n", "&", "&quot;", "#92;", "a", "1", " ", "\t", "=", "->", "}", "é", "%", "-", "(",
            "<b>", "N",
        ]),
        0..6,
    );
    prop_oneof![
        (-3_i32..4).prop_map(|number| number.to_string()),
        "[a-c]".prop_map(|name| name),
        prop::sample::select(vec!["node", "edge", "graph", "digraph", "subgraph", "strict"]).prop_map(str::to_owned),
        "[a-c1-3]".prop_map(quoted),
        "\\PC{0,5}".prop_map(quoted),
        hostile.prop_map(move |pieces| quoted(pieces.concat())),
        hostile_function(),
    ]
}

fn hostile_function() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["f(1)", "f(\"a b\")", "(1,2)", "f(\"\\\"\",x)", "-a", "f(\"=X \\n\")"])
        .prop_map(str::to_owned)
}

#[test]
fn a_brace_in_a_name_is_no_choice() {
    let mine = "start(\" {\"). target(t). final_node(s). color(\" {\",c(1)). rel(\" {\",1,t). rel(\" {\",2,s).";
    let ran = run_with_input("- -f json", mine);
    assert_eq!((ran.code, &ran.json()["puzzle"]), (0, &serde_json::json!("rail")), "{}", ran.err);
}

#[test]
fn a_graphviz_file_is_read_back_with_any_names() {
    let strategy = (
        prop::collection::btree_set(terms(), 7),
        prop::collection::btree_set(terms(), 2),
        prop::collection::btree_set(terms(), 2),
        prop::collection::btree_set(terms(), 2),
    );
    let folder = folder();
    extent::check(150, &strategy, |(nodes, colors, labels, gates)| {
        let [nodes, colors, labels, gates] =
            [nodes, colors, labels, gates].map(|set| set.into_iter().collect::<Vec<_>>());
        let [a, b, p, q, r, t, s] = &nodes[..] else { panic!("seven nodes") };
        let (one, two) = (&labels[0], &labels[1]);
        let text = format!(
            "start({a}). target({t}). final_node({s}).
                 color({a},{}). rel({a},{one},{b}). rel({a},{two},{p}).
                 color({b},{}). rel({b},{one},{r}). rel({b},{two},{q}).
                 color({r},{}). rel({r},{one},{t}). rel({r},{two},{s}).
                 gate({},{p}). rel({p},1,{b}). gate({},{q}). rel({q},1,{a}).",
            colors[0], colors[1], colors[0], gates[0], gates[1]
        );
        let program = file(folder.path(), "named.lp", &text);
        let program = program.to_str().expect("UTF-8");
        let all = |path: &str| {
            let ran = run([path, "-n", "0", "--outcome", "any", "-f", "json"]);
            assert_eq!(ran.code, 0, "{}\n{text}", ran.err);
            ran.json()["answers"].clone()
        };
        let ran = run([program, "-f", "dot", "--answer", "0"]);
        assert!(ran.code <= 1 && ran.err.is_empty(), "{}\n{text}", ran.err);
        let dot = file(folder.path(), "named.dot", &ran.out);
        assert_eq!(all(program), all(dot.to_str().expect("UTF-8")), "{text}\n{}", ran.out);
    });
}

#[test]
fn a_state_called_star_is_not_a_wildcard() {
    let folder = folder();
    let path = file(
        folder.path(),
        "star.lp",
        "start(a). target(t). final_node(s). color(a,\"*\"). rel(a,\"*\",b). rel(a,f(1),s). gate(1,b). rel(b,1,t).",
    );
    let path = path.to_str().expect("UTF-8");
    let shown = |arguments: &[&str]| run([&[path, "-n", "0", "--outcome", "any"], arguments].concat());
    let value = shown(&["-f", "json"]).json();
    let configurations: Vec<_> = answers(&value)
        .iter()
        .map(|answer| (answer["configuration"].as_str(), answer["levers"]["*"].as_str(), answer["gates"]["1"].as_str()))
        .collect();
    assert_eq!(configurations, [(Some("(*)A"), Some("(*)"), Some("(*)")), (Some("(f(1))*"), Some("f(1)"), Some("*"))]);
    assert!(shown(&[]).out.contains("Win through 3 nodes: (*)A ("), "{}", shown(&[]).out);
    // The printed configuration of a trip selects it.
    for (configuration, outcome) in [("(*)A", "win"), ("(f(1))A", "loss")] {
        let value = shown(&["-f", "json", "--configuration", configuration]).json();
        assert_eq!(answers(&value).len(), 1, "{value}");
        assert_eq!(answers(&value)[0]["outcome"], outcome);
    }
    assert_eq!(answers(&shown(&["-f", "json", "--configuration", "*A"]).json()).len(), 2);
}

#[test]
fn a_node_that_only_one_fact_names_causes_a_warning() {
    let mine = "start(a). target(t). final_node(s).\ncolor(a,red). rel(a,1,t). rel(a,2,zz).\n";
    let ran = run_with_input("- -n 0", mine);
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("warning: node zz is named nowhere else") && ran.err.contains("<stdin>:2:"),
        "{}",
        ran.err
    );
    for more in ["position(zz,1,1).", "start(zz).", "final_node(zz).", "color(b,red). rel(b,1,zz). rel(b,2,t)."] {
        let ran = run_with_input("- -n 0", &format!("{mine}{more}\n"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{more}");
    }
}
