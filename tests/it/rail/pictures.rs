//! Pictures, graphs and pages: their structure, not their coordinates.

use std::collections::BTreeSet;

use crate::drawing::pictures::Scene;
use crate::rail::engines::networks;
use crate::support::{extent, file, folder, page_data, run, run_line};

/// Replaces numbers, which do not belong to the structure.
fn structure(svg: &str) -> String {
    let mut out = String::new();
    let mut in_number = false;
    let mut in_text = false;
    for character in svg.chars() {
        match character {
            '<' => in_text = false,
            '>' => in_text = true,
            _ => {}
        }
        // Names and labels are structure; attributes' numbers are not.
        let is_number = !in_text && (character.is_ascii_digit() || character == '.' || character == '-' && !in_number);
        if is_number && !in_number {
            out.push('#');
        } else if !is_number {
            out.push(character);
        }
        in_number = is_number;
    }
    out
}

#[test]
fn the_network_and_its_trip_are_drawn() {
    let ran = run_line("instances/deponia.lp -f svg");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let svg = ran.out;
    assert!(!svg.contains("<script"));
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    // The two branches of a fork are two arcs, also at k and u; a side of a gate has one arc.
    assert_eq!(svg.matches(" at 1</title>").count(), 22);
    assert_eq!(svg.matches(" at 2</title>").count(), 22);
    assert_eq!(svg.matches("<title>k → s at ").count(), 2);
    assert_eq!(svg.matches("<title>u → m at ").count(), 2);
    assert_eq!(svg.matches(", red</title>").count(), 8);
    assert!(svg.contains(">4: green 2→1<") && svg.contains(">13: red 2→1<"), "the crossings of gates are marked");
    assert!(svg.contains("animateMotion"), "the trolley moves");
    insta::assert_snapshot!(structure(&svg));
    let known = std::fs::read_to_string("tests/data/deponia-trip.svg").expect("the README's picture");
    assert!(known == svg, "asp-solve instances/deponia.lp -f svg -o tests/data/deponia-trip.svg updates it");
}

#[test]
fn without_an_answer_only_the_network_is_drawn() {
    let plain = run_line("instances/deponia.lp -f svg --answer 0").out;
    assert!(!plain.contains("animate"));
    assert_eq!(
        plain.matches("<g ").count(),
        28 + 48 + 44 + 4 + 2 + 1,
        "nodes, arcs, labels, arcs through gates, gates, the start"
    );
    // A network without a win is drawn too, with exit code 1.
    let ran = run_line("instances/no_solution.lp -f svg");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("<svg") && !ran.out.contains("animate"));
}

#[test]
fn independent_subgraphs_are_drawn_side_by_side() {
    let folder = folder();
    let mut random = extent::seed();
    let mut next = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % bound
    };
    for number in 0..extent::sample_size(300) {
        let mut text = "start(n0_0). target(t). final_node(s).\n".to_owned();
        let mut nodes = 2;
        for component in 0..1 + next(4) {
            let (forks, sides) = (1 + next(if number % 50 == 0 { 90 } else { 6 }), next(5));
            nodes += forks + sides;
            for node in 0..forks + sides {
                let name = format!("n{component}_{node}");
                // An arc may lead back to its own fork; some components reach no end.
                let mut end = || match next(forks + sides + 2) {
                    0 if component < 2 => "t".to_owned(),
                    1 if component < 2 => "s".to_owned(),
                    end => format!("n{component}_{}", end % (forks + sides)),
                };
                text += &if node < forks {
                    format!("color({name},c{component}). rel({name},1,{}). rel({name},2,{}).\n", end(), end())
                } else {
                    format!("gate({component},{name}). rel({name},1,{}).\n", end())
                };
            }
        }
        let path = file(folder.path(), "random.lp", &text);
        let ran = run([path.to_str().expect("UTF-8"), "-f", "svg", "--answer", "0", "--engine", "simulation"]);
        let scene = Scene::parse(&ran);
        let places = scene.node_positions();
        let (low, high) = scene.view;
        assert_eq!(places.len() as u64, nodes, "{text}");
        for (index, one) in places.iter().enumerate() {
            assert!(
                one.0 > low.0 + 10.0 && one.0 < high.0 - 10.0 && one.1 > low.1 + 10.0 && one.1 < high.1 - 10.0,
                "{one:?} of {low:?} {high:?}\n{text}"
            );
            for other in &places[..index] {
                assert!((one.0 - other.0).hypot(one.1 - other.1) > 28.0, "{one:?} and {other:?}\n{text}");
            }
        }
    }
}

#[test]
fn without_positions_nodes_are_drawn_in_layers_without_overlap() {
    for arguments in ["instances/deponia.lp --layout layered", "instances/mine.json", "instances/three_gates.lp"] {
        let places = Scene::parse(&run_line(&format!("{arguments} -f svg --answer 0"))).node_positions();
        assert!(places.len() > 4, "{arguments}");
        for (index, one) in places.iter().enumerate() {
            for other in &places[..index] {
                let (dx, dy): (f64, f64) = (one.0 - other.0, one.1 - other.1);
                assert!(dx.hypot(dy) > 28.0, "{arguments}: {one:?} and {other:?}");
            }
        }
    }
}

#[test]
fn each_answer_has_its_own_file() {
    let folder = folder();
    let name = folder.path().join("trip-{n}.svg");
    let ran = run(["instances/deponia.lp", "-f", "svg", "--outcome", "any", "-o", name.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 24, "one for each distinct trip");
    let second = std::fs::read_to_string(folder.path().join("trip-2.svg")).expect("a picture");
    assert_eq!(second, run_line("instances/deponia.lp -f svg --outcome any --answer 2").out);
    let ran = run_line("instances/deponia.lp -f svg --answer 9");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--answer 9"), "{}", ran.err);
    for wrong in ["--answer 1", "-f svg --answer 1 -o x{n}.svg"] {
        assert_eq!(run_line(&format!("instances/deponia.lp {wrong}")).code, 2, "{wrong}");
    }
}

#[test]
fn the_graph_for_graphviz_is_read_back_as_the_same_network() {
    let folder = folder();
    let all = |path: &str| run([path, "-n", "0", "--outcome", "any", "-f", "lines"]);
    let mut instances: Vec<(String, String)> =
        ["deponia", "cycle", "two_starts", "three_ways", "three_gates", "no_solution"]
            .map(|name| {
                (name.to_owned(), std::fs::read_to_string(format!("instances/{name}.lp")).expect("an instance"))
            })
            .to_vec();
    let mut runner = extent::runner(20);
    for number in 0..extent::sample_size(20) {
        use proptest::strategy::{Strategy, ValueTree};
        let random = networks().new_tree(&mut runner).expect("a network").current();
        instances.push((format!("random{number}"), random.text()));
    }
    for (name, text) in instances {
        let program = file(folder.path(), &format!("{name}.lp"), &text);
        let program = program.to_str().expect("UTF-8");
        let ran = run([program, "-f", "dot", "--answer", "0"]);
        assert!(ran.code <= 1 && ran.err.is_empty(), "{name}: {}", ran.err);
        let dot = file(folder.path(), &format!("{name}.dot"), &ran.out);
        let (before, after) = (all(program), all(dot.to_str().expect("UTF-8")));
        assert_eq!((before.code, before.out), (after.code, after.out), "{name}: {}\n{text}", after.err);
    }
    let with_trip = run_line("instances/deponia.lp -f dot").out;
    assert_eq!(with_trip.matches("penwidth=3").count(), 17, "{with_trip}");
}

#[test]
fn the_page_has_every_configuration_and_loads_nothing() {
    let ran = run_line("instances/deponia.lp -f html");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let page = ran.out;
    for foreign in ["src=", "@import", "url(", "<link rel=\"stylesheet"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert_eq!(
        page.matches("http").count(),
        page.matches("http-equiv").count() + page.matches("http://www.w3.org/2000/svg").count()
    );
    // The page without its data, style and script.
    let between = |from: &str, to: &str| {
        let start = page.find(from).expect("a part") + from.len();
        &page[start..start + page[start..].find(to).expect("its end")]
    };
    let mut skeleton = page.clone();
    for part in [between("id=\"data\">", "</script>"), between("<style>", "</style>"), between("<script>", "</script>")]
    {
        skeleton = skeleton.replace(part, "…");
    }
    insta::assert_snapshot!(skeleton);
    let data = page_data(&page);
    let rows = data["rows"].as_array().expect("rows");
    let configurations: BTreeSet<&str> = rows.iter().map(|row| row[1][0].as_str().expect("a text")).collect();
    assert_eq!((rows.len(), configurations.len()), (72, 72));
    let wins = rows.iter().filter(|row| row[1][1] == "win").count();
    assert_eq!(wins, 4);
    let pictures = data["pictures"].as_array().expect("pictures");
    assert_eq!(pictures.len(), 24);
    for row in rows {
        let picture = &pictures[row[0].as_u64().expect("a number") as usize];
        let steps: usize = row[1][2].as_str().expect("a text").parse().expect("a number");
        assert_eq!(picture["captions"].as_array().expect("captions").len(), steps);
        for mover in picture["movers"].as_array().expect("movers") {
            assert_eq!(mover[1].as_array().expect("places").len(), steps);
        }
    }
}

#[test]
fn every_puzzle_that_can_be_drawn_has_a_page() {
    for (instance, row) in [
        ("instances/taquin_one.txt", "move"),
        ("instances/amphipod.txt", "energy so far"),
        ("instances/minesweeper.txt", "reason"),
        ("instances/two_starts.lp", "start"),
    ] {
        let ran = run_line(&format!("{instance} -f html"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{instance}");
        let data = page_data(&ran.out);
        assert!(data["columns"].as_array().expect("columns").iter().any(|column| column == row), "{instance}");
        assert!(!data["rows"].as_array().expect("rows").is_empty(), "{instance}");
        assert!(!data["pictures"].as_array().expect("pictures").is_empty(), "{instance}");
    }
    // Names from the instance cannot end the script or the page.
    let folder = folder();
    let text = "start(\"</script><b>\"). target(t). color(\"</script><b>\",red). rel(\"</script><b>\",1,t). rel(\"</script><b>\",2,t).\n";
    let path = file(folder.path(), "hostile.lp", text);
    let page = run([path.to_str().expect("UTF-8"), "-f", "html"]).out;
    assert_eq!(page.matches("</script>").count(), 2, "the data's and the script's own");
    assert!(!page.contains("<b>"));
}

#[test]
fn the_compressed_network_has_few_lines() {
    let svg = run_line("instances/deponia.lp -f svg --compress").out;
    // 46 arcs; the article's picture has 26 lines and 11 groups.
    assert!(svg.contains("46 arcs as 24 lines between 10 groups and the nodes"), "{}", &svg[..600]);
    let parts: Vec<&str> =
        svg.split("<tspan").map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    let text = parts.concat().replace("</tspan>", " ");
    for word in ["Grey", "Blue", "Two heads"] {
        assert!(text.contains(word), "{word} is not explained");
    }
    let svg = run_line("instances/deponia.lp -f svg --compress=arcs").out;
    assert!(!svg.contains("Two heads"));
    assert!(svg.contains("46 arcs as 30 lines between 8 groups"), "{}", &svg[..600]);
    assert_eq!(run_line("instances/deponia.lp -f html --compress").code, 2);
}

#[test]
fn lines_have_a_fixed_number_of_columns() {
    let ran = run_line("instances/deponia.lp -f lines -n 0");
    assert_eq!(ran.out.lines().count(), 4);
    assert!(ran.out.lines().all(|line| line.split('\t').count() == 4), "{}", ran.out);
    assert_eq!(run_line("instances/queens.lp -f lines").out.lines().count(), 1);
    for (instance, columns) in [("taquin_one.txt", 2), ("amphipod.txt", 2), ("game_42.json", 2), ("minesweeper.txt", 3)]
    {
        let ran = run_line(&format!("instances/{instance} -f lines"));
        assert_eq!(ran.code, 0, "{instance}: {}", ran.err);
        let has_columns = |line: &str| line.split('\t').count() == columns;
        assert!(!ran.out.is_empty() && ran.out.lines().all(has_columns), "{instance}: {}", ran.out);
    }
}
