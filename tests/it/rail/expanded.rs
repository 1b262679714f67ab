//! The expanded graph: sizes, arcs back from the targets, cycles, copies.

use std::collections::{BTreeMap, BTreeSet};

use proptest::strategy::{Strategy, ValueTree};
use serde_json::Value;

use crate::rail::engines::networks;
use crate::support::{extent, file, folder, run, run_line};

fn expand(path: &str, more: &[&str]) -> Value {
    let ran = run(["expand", path, "-f", "json"].iter().chain(more));
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.json()
}

#[test]
fn the_expanded_graph_of_deponia_is_as_published() {
    let value = expand("instances/deponia.lp", &[]);
    assert_eq!((value["copies"].as_str(), value["arcs"].as_str()), (Some("72"), Some("1872")));
    assert_eq!(value["arcs_per_copy"], 26);
    // 193 states that reach the target, and 36 states of the target itself.
    assert_eq!((&value["states"]["win"], &value["on_ways_to_target"]), (&"193".into(), &"229".into()));
    assert_eq!(
        (&value["starts"]["win"], &value["starts"]["loss"], &value["starts"]["cycle"]),
        (&"4".into(), &"68".into(), &"0".into())
    );
    let wins: BTreeMap<&str, u64> = value["wins"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|win| (win["configuration"].as_str().expect("a text"), win["steps"].as_u64().expect("a number")))
        .collect();
    assert_eq!(wins, BTreeMap::from([("112RV", 18), ("211RJ", 10), ("211RR", 10), ("211RV", 10)]));
    let cycles = value["cycles"].as_array().expect("a list");
    assert_eq!(cycles.len(), 1);
    assert_eq!(cycles[0]["nodes"], serde_json::json!(["i", "l", "o", "z"]));
    assert_eq!((&cycles[0]["configuration"], &cycles[0]["latent"]), (&"222**".into(), &true.into()));
    let text = run_line("expand instances/deponia.lp").out;
    insta::assert_snapshot!(text);
}

#[test]
fn each_further_gate_triples_the_copies() {
    let mut text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let folder = folder();
    for (side, configurations, arcs) in [("p1r", "216", "5616"), ("p2r", "648", "16848")] {
        let number = &side[1..2];
        let changed = text.replace(&format!("gate({number},{side})"), &format!("gate(1{number},{side})"));
        assert_ne!(changed, text);
        text = changed;
        let path = file(folder.path(), "more.lp", &text);
        let value = expand(path.to_str().expect("UTF-8"), &[]);
        assert_eq!((value["copies"].as_str(), value["arcs"].as_str()), (Some(configurations), Some(arcs)));
    }
}

/// Returns the atoms that clingo derives by `asp/rail/expanded.lp`.
fn atoms_of_the_encoding(path: &str) -> Vec<String> {
    let encoding = ["railway", "states", "expanded"].map(|name| format!("asp/rail/{name}.lp"));
    let ran = run(["clingo", path, "--outf=2"].into_iter().chain(encoding.iter().map(String::as_str)));
    let atoms = ran.json()["Call"][0]["Witnesses"][0]["Value"].clone();
    atoms.as_array().expect("atoms").iter().map(|atom| atom.as_str().expect("a text").to_owned()).collect()
}

#[test]
fn the_encoding_and_the_search_agree_on_the_expanded_graph() {
    let folder = folder();
    let mut paths: Vec<String> = ["deponia", "cycle", "two_starts", "three_ways", "three_gates"]
        .map(|name| format!("instances/{name}.lp"))
        .to_vec();
    let mut runner = extent::runner(25);
    for number in 0..extent::sample_size(25) {
        let random = networks().new_tree(&mut runner).expect("a network").current();
        let path = file(folder.path(), &format!("{number}.lp"), random.text());
        paths.push(path.to_str().expect("UTF-8").to_owned());
    }
    for path in paths {
        let search = expand(&path, &[]);
        let atoms = atoms_of_the_encoding(&path);
        let count = |name: &str, is_counted: fn(&str) -> bool| {
            let begin = format!("{name}(");
            atoms.iter().filter(|atom| atom.starts_with(&begin) && is_counted(atom)).count().to_string()
        };
        assert_eq!(search["arcs"], count("arc", |_| true), "{path}");
        // A target wins through one node, which is itself.
        assert_eq!(search["states"]["win"], count("win", |win| !win.ends_with(",1)")), "{path}");
        assert_eq!(search["starts"]["win"], count("start_win", |_| true), "{path}");
        let lengths = |of: Vec<String>| of.iter().map(|text| text.parse::<u64>().expect("a number")).collect();
        let starts = atoms.iter().filter(|atom| atom.starts_with("start_win("));
        let mut expected: Vec<u64> = lengths(
            starts.map(|atom| atom.trim_end_matches(')').rsplit(',').next().expect("steps").to_owned()).collect(),
        );
        let wins = search["wins"].as_array().expect("a list");
        let mut found: Vec<u64> = lengths(wins.iter().map(|win| win["steps"].to_string()).collect());
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{path}");
        // The solving engine counts the same starts by their outcomes.
        let solved = run([path.as_str(), "-n", "0", "-f", "json", "--engine", "simulation"]).json();
        for outcome in ["win", "loss", "stuck", "cycle"] {
            let counted = solved["statistics"]["configurations"][outcome].as_str().expect("a number");
            assert_eq!(search["starts"][outcome], counted, "{path} {outcome}");
        }
        let reached = search["cycles"].as_array().expect("a list").iter().any(|cycle| cycle["latent"] == false);
        assert_eq!(reached, search["starts"]["cycle"] != "0", "{path}");
    }
}

#[test]
fn copies_are_drawn_with_their_jumps() {
    let text = run_line("expand instances/deponia.lp --trip 112RV").out;
    insta::assert_snapshot!(text);
    let svg = run_line("expand instances/deponia.lp --trip 112RV -f svg").out;
    assert_eq!(svg.matches("class=\"panel\"").count(), 4);
    assert_eq!(svg.matches("stroke-dasharray").count(), 3, "the jumps");
    // The trip passes through a copy twice.
    assert!([">2. 111RV<", ">4. 111RV<", "★ a gate"].iter().all(|text| svg.contains(text)), "{svg}");
    let single = run_line("expand instances/deponia.lp --configuration 111 -f svg").out;
    assert_eq!(single.matches("class=\"panel\"").count(), 1);
    // One arc leaves each fork.
    let arcs = expand("instances/deponia.lp", &["--configuration", "111"]);
    let arcs = arcs["arcs"].as_array().expect("a list");
    let from: BTreeSet<String> = arcs.iter().map(|arc| arc[0].to_string()).collect();
    assert_eq!(from.len(), arcs.len());
    let all = run_line("expand instances/deponia.lp -f svg").out;
    assert_eq!(all.matches("class=\"panel\"").count(), 8);
    for wrong in ["--trip 1*2RV", "--trip 11", "--configuration 999", "--trip 112RV --configuration 111", "-f html"] {
        let ran = run_line(&format!("expand instances/deponia.lp {wrong}"));
        assert_eq!(ran.code, 2, "{wrong}: {}", ran.out);
        assert!(!ran.err.is_empty(), "{wrong}");
    }
}

#[test]
fn a_graph_that_is_too_large_to_search_is_counted() {
    let folder = folder();
    let path = file(folder.path(), "large.lp", crate::rail::engines::large(3));
    let ran = run(["expand", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.starts_with("253,613,523,861,504 configurations: 4,096 states of the levers × 61,917,364,224"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("too large to search"), "{}", ran.err);
    let ran = run([path.to_str().expect("UTF-8"), "--engine", "backward"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("too large to search"), "{}", ran.err);
    for wrong in ["instances/taquin_one.txt", "instances/queens.lp", "asp/rail/no_gate.lp", "instances"] {
        assert_eq!(run(["expand", wrong]).code, 2, "{wrong}");
    }
}

#[test]
fn every_start_is_counted_and_drawn() {
    let folder = folder();
    let text = "start(a). start(b). target(t). final_node(s). gate(1,g). rel(g,1,c).
        color(a,red). rel(a,1,g). rel(a,2,s). color(b,blue). rel(b,1,g). rel(b,2,t). color(c,red). rel(c,1,s). rel(c,2,t).";
    let path = file(folder.path(), "two.lp", text);
    let path = path.to_str().expect("UTF-8");
    let solved = run([path, "-n", "0", "-f", "json"]).json();
    let value = expand(path, &[]);
    assert_eq!(value["configurations"], solved["statistics"]["configurations"]["all"]);
    let text = run(["expand", path]).out;
    assert!(text.starts_with("16 configurations: 2 starts × 4 states of the levers × 2 colourings"), "{text}");
    assert!(text.contains("of 16 starts reach a target"), "{text}");
    // Both trips cross the gate, each into its own copy.
    let svg = run(["expand", path, "--trip", "11R", "-f", "svg"]).out;
    assert_eq!(svg.matches("class=\"panel\"").count(), 4);
    for start in ["a", "b"] {
        assert!(
            svg.contains(&format!("win through 4 nodes from {start}"))
                || svg.contains(&format!("loss through 4 nodes from {start}")),
            "{svg}"
        );
    }
}

#[test]
fn headings_are_not_cut_off() {
    let folder = folder();
    let mut text =
        "start(a). target(t). final_node(s). color(a,c0). rel(a,1,g). rel(a,2,s). gate(1,g). rel(g,1,t).\n".to_owned();
    for color in 1..30 {
        text += &format!("color(x{color},c{color}). rel(x{color},1,s). rel(x{color},2,s).\n");
    }
    let path = file(folder.path(), "wide.lp", text);
    let path = path.to_str().expect("UTF-8");
    let trip = "1".repeat(30) + "C";
    for line in [
        vec!["expand", path, "--trip", &trip],
        vec!["expand", "instances/deponia.lp", "--trip", "112RV"],
        vec!["expand", "instances/deponia.lp"],
    ] {
        let ran = run(line.into_iter().chain(["-f", "svg"]));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("class=\"panel\""));
        assert_eq!(crate::drawing::pictures::Scene::parse(&ran).clipped_texts(), Vec::<String>::new());
    }
}
