//! Tests the geometry and colours of pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

use screen::{Image, Rectangle};

use crate::support::programs::skip;
use crate::support::{RunOutput, extent, file, folder, run, run_line, run_with_input};

type Point = (f64, f64);
/// The upper left and the lower right corner.
type Frame = (Point, Point);

/// The parts of a picture with their positions.
#[derive(Default)]
pub struct Scene {
    pub view: Frame,
    nodes: Vec<Node>,
    arcs: Vec<Arc>,
    /// Texts next to nodes: labels of arcs, badges, changes of levers, and names of levers.
    labels: Vec<(String, Frame)>,
    /// All texts with their frames and font sizes.
    texts: Vec<(String, Frame, f64)>,
}

struct Node {
    name: String,
    /// The gate to which the node belongs.
    gate: Option<String>,
    fill: String,
    at: Point,
    half: Point,
    is_round: bool,
}

struct Arc {
    from: String,
    to: String,
    points: Vec<Point>,
    head: Frame,
    is_strong: bool,
}

fn number(element: roxmltree::Node<'_, '_>, name: &str) -> f64 {
    element.attribute(name).map_or(0.0, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap_or_else(|_| panic!("{text}"))).collect()
}

fn frame(points: impl IntoIterator<Item = Point>) -> Frame {
    let none = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    points.into_iter().fold(none, |(low, high), (x, y)| ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y))))
}

/// Returns points on a path of lines and cubic curves, a few pixels apart.
fn path(d: &str, by: Point) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for piece in d.split_inclusive(|c: char| c.is_ascii_alphabetic()).map(str::to_owned).collect::<Vec<_>>().windows(2)
    {
        let ends = numbers(&piece[1]).chunks(2).map(|pair| (pair[0] + by.0, pair[1] + by.1)).collect::<Vec<_>>();
        let mix = |a: Point, b: Point, t: f64| (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
        let last = points.last().copied().unwrap_or_default();
        for step in 1..=60 {
            let t = f64::from(step) / 60.0;
            match piece[0].chars().last() {
                Some('L') => points.push(mix(last, ends[0], t)),
                Some('C') => {
                    let (a, b, c) = (mix(last, ends[0], t), mix(ends[0], ends[1], t), mix(ends[1], ends[2], t));
                    points.push(mix(mix(a, b, t), mix(b, c, t), t));
                }
                _ if step == 1 => points.push(ends[0]),
                _ => {}
            }
        }
    }
    points
}

impl Scene {
    pub fn parse(ran: &RunOutput) -> Scene {
        let document = roxmltree::Document::parse(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
        let root = document.root_element();
        let view = numbers(root.attribute("viewBox").expect("a view box"));
        let mut scene =
            Scene { view: ((view[0], view[1]), (view[0] + view[2], view[1] + view[3])), ..Scene::default() };
        for text in root.descendants().filter(|element| element.has_tag_name("text")) {
            let place = text.ancestors().find_map(|above| above.attribute("transform")).map_or(vec![0.0; 2], numbers);
            let size = number(text, "font-size");
            let spans: Vec<_> = text.children().filter(|child| child.has_tag_name("tspan")).collect();
            if !spans.is_empty() {
                let mut y = place[1] + number(text, "y");
                for (line, span) in spans.iter().enumerate() {
                    let words = span.text().unwrap_or_default();
                    y += if line == 0 { 0.0 } else { number(*span, "dy") };
                    let (x, half) = (number(*span, "x"), (0.3 * size * words.chars().count() as f64, 0.4 * size));
                    let frame = ((x - half.0, y - half.1), (x + half.0, y + half.1));
                    scene.texts.push((words.to_owned(), frame, size));
                }
                continue;
            }
            let words = text.text().unwrap_or_default();
            let (x, y) = (place[0] + number(text, "x"), place[1] + number(text, "y"));
            assert_eq!(text.attribute("dy"), Some(".35em"), "{words}");
            let half = (0.3 * size * words.chars().count() as f64, 0.4 * size);
            let frame = ((x - half.0, y - half.1), (x + half.0, y + half.1));
            scene.texts.push((words.to_owned(), frame, size));
            if text.attribute("class") == Some("free") && !words.starts_with("gate ") {
                scene.labels.push((words.to_owned(), frame));
            }
        }
        for mark in root.children().filter(|element| element.has_tag_name("g")) {
            let place = numbers(mark.attribute("transform").expect("a place"));
            let at = (place[0], place[1]);
            let child = |tag: &str| mark.children().find(|element| element.has_tag_name(tag));
            let text = |tag: &str| child(tag).and_then(|element| element.text()).unwrap_or_default().to_owned();
            let title = text("title");
            let name = text("text");
            let paths: Vec<_> = mark.children().filter(|element| element.has_tag_name("path")).collect();
            let d = |index: usize| paths[index].attribute("d").expect("a path");
            if let ([line, _], Some((from, to))) = (&paths[..], title.split_once(" → ")) {
                let mut points = path(d(0), at);
                let head = path(d(1), at);
                points.push(head[0]);
                let to = to.split(" at ").next().unwrap_or(to).to_owned();
                let is_strong = number(*line, "stroke-width") > 2.0;
                scene.arcs.push(Arc { from: from.to_owned(), to, points, head: frame(head), is_strong });
            } else if let Some(shape) = child("rect").or(child("circle")).filter(|_| !name.is_empty()) {
                let is_round = shape.has_tag_name("circle");
                let radius = number(shape, "r");
                let half = if is_round {
                    (radius, radius)
                } else {
                    (number(shape, "width") / 2.0, number(shape, "height") / 2.0)
                };
                if ["fork", "target", "loss", "dead end"].iter().any(|kind| title.starts_with(kind))
                    || title.contains("a side of")
                {
                    let gate =
                        title.split("gate ").nth(1).map(|gate| gate.split(';').next().unwrap_or(gate).to_owned());
                    let fill = shape.attribute("fill").unwrap_or_default().to_owned();
                    scene.nodes.push(Node { name, gate, fill, at, half, is_round });
                } else if title.is_empty() {
                    scene.labels.push((name, ((at.0 - half.0, at.1 - half.1), (at.0 + half.0, at.1 + half.1))));
                }
            }
        }
        scene
    }

    pub fn node_positions(&self) -> Vec<Point> {
        self.nodes.iter().map(|node| node.at).collect()
    }

    /// Describes the overlaps of arcs, labels and nodes.
    fn overlaps(&self, clear: f64) -> Vec<String> {
        let mut faults = Vec::new();
        let overlap = |one: Frame, other: Frame| {
            one.0.0 < other.1.0 && other.0.0 < one.1.0 && one.0.1 < other.1.1 && other.0.1 < one.1.1
        };
        for arc in &self.arcs {
            let Arc { from, to, points, .. } = arc;
            let gate = self.nodes.iter().find(|node| node.name == *from).and_then(|node| node.gate.clone());
            for node in self.nodes.iter().filter(|node| node.name != *from && node.name != *to) {
                let nearest = points.iter().map(|point| node.distance(*point)).fold(f64::INFINITY, f64::min);
                // A trip that reaches one side of a gate continues through the other.
                let is_through = node.gate.is_some() && node.gate == gate;
                if nearest < if is_through { 0.5 } else { clear } {
                    faults.push(format!("{from} → {to} passes {} at {nearest:.1}", node.name));
                }
            }
        }
        for (label, frame) in &self.labels {
            for node in &self.nodes {
                let half = (node.half.0 * 0.8, node.half.1 * 0.8);
                let at = node.at;
                if overlap(*frame, ((at.0 - half.0, at.1 - half.1), (at.0 + half.0, at.1 + half.1))) {
                    faults.push(format!("{label} lies on {}", node.name));
                }
            }
            for arc in self.arcs.iter().filter(|arc| overlap(*frame, arc.head)) {
                faults.push(format!("{label} lies on the head of {} → {}", arc.from, arc.to));
            }
        }
        faults.extend(self.clipped_texts());
        faults
    }

    /// Describes texts that extend beyond the picture.
    pub fn clipped_texts(&self) -> Vec<String> {
        let (low, high) = self.view;
        let is_out = |frame: &Frame| frame.0.0 < low.0 || frame.0.1 < low.1 || frame.1.0 > high.0 || frame.1.1 > high.1;
        self.texts.iter().filter(|(_, frame, _)| is_out(frame)).map(|(text, ..)| format!("{text} is cut off")).collect()
    }

    fn crossings(&self) -> Vec<String> {
        let turn = |a: Point, b: Point, c: Point| (b.0 - a.0) * (c.1 - a.1) > (b.1 - a.1) * (c.0 - a.0);
        let cross = |one: &Arc, other: &Arc| {
            one.points.windows(2).any(|a| {
                let pieces = other.points.windows(2);
                pieces.into_iter().any(|b| {
                    turn(a[0], a[1], b[0]) != turn(a[0], a[1], b[1]) && turn(b[0], b[1], a[0]) != turn(b[0], b[1], a[1])
                })
            })
        };
        let pairs = self
            .arcs
            .iter()
            .enumerate()
            .flat_map(|(index, one)| self.arcs[..index].iter().map(move |other| (one, other)));
        let crossing = pairs.filter(|(one, other)| cross(one, other));
        crossing
            .map(|(one, other)| format!("{} → {} crosses {} → {}", one.from, one.to, other.from, other.to))
            .collect()
    }
}

impl Node {
    /// Returns the distance of a point from the node, negative inside.
    fn distance(&self, point: Point) -> f64 {
        let (x, y) = ((point.0 - self.at.0).abs() - self.half.0, (point.1 - self.at.1).abs() - self.half.1);
        if self.is_round {
            (point.0 - self.at.0).hypot(point.1 - self.at.1) - self.half.0
        } else if x < 0.0 && y < 0.0 {
            x.max(y)
        } else {
            x.max(0.0).hypot(y.max(0.0))
        }
    }
}

/// Draws generated railways and checks that `look` finds no faults.
fn check_generated(seeds: RangeInclusive<u32>, options: &str, layout: &str, look: impl Fn(&Scene) -> Vec<String>) {
    let folder = folder();
    for seed in seeds {
        let network = run_line(&format!("generate rail --seed {seed} {options}"));
        let path = file(folder.path(), "network.lp", network.out);
        let ran = run([path.to_str().expect("UTF-8"), "-f", "svg", "--layout", layout]);
        let scene = Scene::parse(&ran);
        assert!(scene.arcs.len() > 20 && scene.labels.len() > 20 && scene.arcs.iter().any(|arc| arc.is_strong));
        assert_eq!(look(&scene), Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn layered_layouts_have_no_overlaps() {
    check_generated(1..=extent::sample_size(15) as u32, "", "layered", |scene| scene.overlaps(4.0));
}

#[test]
fn maps_of_planar_railways_have_no_overlaps_or_crossings() {
    check_generated(1..=extent::sample_size(15) as u32, "--planar", "map", |scene| {
        [scene.overlaps(4.0), scene.crossings()].concat()
    });
}

#[test]
#[ignore = "takes half a minute"]
fn more_generated_railways_have_no_overlaps_or_crossings() {
    check_generated(16..=40, "", "layered", |scene| scene.overlaps(4.0));
    check_generated(16..=40, "--planar", "map", |scene| [scene.overlaps(4.0), scene.crossings()].concat());
}

#[test]
fn pictures_of_all_railways_have_no_overlaps() {
    let folder = folder();
    // Two arcs back to the same fork, a side of a gate that leads to the other side, a long name,
    // and a colour for each of many gates.
    let unusual = "start(a). target(t). final_node(s). color(a,red). rel(a,1,a). rel(a,2,\"a long name\").
        color(\"a long name\",red). rel(\"a long name\",1,\"a long name\"). rel(\"a long name\",2,\"a long name\").
        gate(1,l). gate(1,r). rel(l,1,r). rel(r,1,l). color(b,blue). rel(b,1,l). rel(b,2,t). rel(b,3,t). rel(b,4,s).";
    let unusual = file(folder.path(), "odd.lp", unusual);
    let unusual = unusual.to_str().expect("UTF-8");
    let instances = [
        "deponia.lp",
        "three_gates.lp",
        "three_ways.lp",
        "two_starts.lp",
        "cycle.lp",
        "no_solution.lp",
        "mine.json",
        "mine.dot",
    ];
    let known = instances.map(|name| format!("instances/{name}"));
    for instance in known.iter().map(String::as_str).chain([unusual]) {
        for more in [&["--layout", "map"][..], &["--layout", "layered"], &["--answer", "0"]] {
            let ran = run([&[instance, "-f", "svg", "--outcome", "any"][..], more].concat());
            assert_eq!(Scene::parse(&ran).overlaps(4.0), Vec::<String>::new(), "{instance} {more:?}");
        }
    }
    for more in ["", "--configuration 111", "--trip 112RV"] {
        let scene = Scene::parse(&run_line(&format!("expand instances/deponia.lp -f svg {more}")));
        assert!(!scene.nodes.is_empty());
        assert_eq!(scene.clipped_texts(), Vec::<String>::new(), "{more}");
    }
}

#[test]
fn text_is_readable_and_the_first_caption_is_visible_without_animation() {
    for line in [
        "deponia.lp",
        "taquin_one.txt",
        "amphipod.txt",
        "minesweeper.txt",
        "minesweeper_contradictory.txt",
        "minesweeper_guess.txt",
        "minesweeper_facts.lp",
        "game_42.json",
        "game_unreachable.json",
        "cycle.lp",
    ] {
        let ran = run_line(&format!("instances/{line} -f svg"));
        assert!(!ran.out.contains("dominant-baseline"), "{line}");
        let scene = Scene::parse(&ran);
        assert_eq!(scene.clipped_texts(), Vec::<String>::new(), "{line}");
        assert!(
            !scene.texts.is_empty() && scene.texts.iter().all(|(_, _, size)| *size >= 10.0),
            "{line}: {:?}",
            scene.texts
        );
        let captions: Vec<&str> = ran.out.lines().filter(|line| line.contains("class=\"caption\"")).collect();
        let hidden = captions.iter().filter(|caption| caption.contains("visibility=\"hidden\"")).count();
        assert_eq!(captions.len() - hidden, 1, "{line}");
        assert!(!captions[0].contains("visibility=\"hidden\""), "{line}: {}", captions[0]);
    }
}

#[test]
fn the_trolley_follows_the_arcs() {
    let ran = run_line("instances/deponia.lp -f svg");
    let scene = Scene::parse(&ran);
    let document = roxmltree::Document::parse(&ran.out).expect("XML");
    let motion = document.descendants().find(|element| element.has_tag_name("animateMotion")).expect("an animation");
    let start = numbers(motion.parent().and_then(|mark| mark.attribute("transform")).expect("a place"));
    let trip = path(motion.attribute("path").expect("a path"), (start[0], start[1]));
    let strong: Vec<&Arc> = scene.arcs.iter().filter(|arc| arc.is_strong).collect();
    assert_eq!(strong.len(), 17);
    for arc in strong {
        for point in &arc.points {
            let nearest =
                trip.iter().map(|other| (point.0 - other.0).hypot(point.1 - other.1)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 8.0, "{} → {}: {nearest}", arc.from, arc.to);
        }
    }
    let list = |name: &str| {
        motion
            .attribute(name)
            .expect("a list")
            .split(';')
            .map(|text| text.parse().expect("a number"))
            .collect::<Vec<f64>>()
    };
    let times = list("keyTimes");
    let points = list("keyPoints");
    assert_eq!((times.len(), points.len()), (2 * 17 + 2, 2 * 17 + 2));
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]) && points.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!((points[0], points[points.len() - 1]), (0.0, 1.0));
}

/// Returns lightness and two colour coordinates (CIE 1976 L*a*b*) after mixing the linear
/// channels by a matrix.
fn perceived_color(color: &str, by: [[f64; 3]; 3]) -> [f64; 3] {
    let part =
        |at: usize| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap_or_else(|_| panic!("{color}"))) / 255.0;
    let linear =
        [1, 3, 5].map(part).map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    let product =
        |rows: [[f64; 3]; 3], of: [f64; 3]| rows.map(|row| row.iter().zip(of).map(|(a, b)| a * b).sum::<f64>());
    let sees = product(by, linear).map(|part| part.clamp(0.0, 1.0));
    let xyz = product([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], sees);
    let white = [0.9505, 1.0, 1.089];
    let root = |index: usize| match xyz[index] / white[index] {
        ratio if ratio > 0.008856 => ratio.cbrt(),
        ratio => 7.787 * ratio + 16.0 / 116.0,
    };
    let [x, y, z] = [0, 1, 2].map(root);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn colours_differ_for_colour_blind_readers_and_forks_have_letters() {
    let names = [
        "red", "yellow", "green", "blue", "orange", "violet", "cyan", "pink", "brown", "magenta", "white", "black",
        "amber",
    ];
    let folder = folder();
    let mut text = "start(n0). target(t). final_node(s).\n".to_owned();
    for (index, name) in names.iter().enumerate() {
        let next = if index + 1 == names.len() { "t".to_owned() } else { format!("n{}", index + 1) };
        text += &format!("color(n{index},{name}). rel(n{index},1,{next}). rel(n{index},2,s).\n");
    }
    let path = file(folder.path(), "colors.lp", text);
    let ran = run([path.to_str().expect("UTF-8"), "-f", "svg", "--answer", "0", "--configuration", "1111111111111"]);
    let scene = Scene::parse(&ran);
    let fills: BTreeMap<&str, &str> = (scene.nodes.iter())
        .filter_map(|node| Some((names[node.name.strip_prefix('n')?.parse::<usize>().ok()?], node.fill.as_str())))
        .collect();
    assert_eq!((fills.len(), fills["amber"], fills["white"]), (13, "#ffbf00", "#ffffff"));
    // Normal vision, and the two kinds of red-green blindness by Machado, Oliveira and Fernandes
    // (2009).
    let eyes = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ];
    for eye in eyes {
        for (one, other) in
            names[..12].iter().enumerate().flat_map(|(index, one)| names[..index].iter().map(move |other| (one, other)))
        {
            let (a, b) = (perceived_color(fills[one], eye), perceived_color(fills[other], eye));
            let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(distance > 20.0, "{one} and {other} are {distance:.0} apart");
        }
    }
    let deponia = Scene::parse(&run_line("instances/deponia.lp -f svg --answer 0"));
    let letters = |letter: &str| deponia.texts.iter().filter(|(text, _, size)| text == letter && *size == 10.0).count();
    assert_eq!([letters("R"), letters("J"), letters("V")], [8, 6, 8]);
    assert!(deponia.texts.iter().any(|(text, ..)| text.ends_with("R red, J yellow, V green")));
}

#[test]
fn risks_agree_in_pictures_and_text_and_differ_from_open_numbers() {
    for name in ["minesweeper", "minesweeper_guess"] {
        let scene = Scene::parse(&run_line(&format!("instances/{name}.txt -f svg")));
        let drawn = |label: &str| scene.texts.iter().filter(|(text, ..)| text == label).count();
        let text = run_line(&format!("instances/{name}.txt")).out;
        let board: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("   ") && !line.contains("closed"))
            .flat_map(str::split_whitespace)
            .collect();
        let risks: Vec<&str> = board.into_iter().filter(|word| word.len() > 1 && word.ends_with('%')).collect();
        assert!(!risks.is_empty());
        for label in &risks {
            let both = (drawn(label), risks.iter().filter(|other| *other == label).count());
            assert!(both.0 >= both.1, "{name}: {label} {both:?}");
        }
        assert_eq!(drawn("12") + drawn("19") + drawn("92"), 0);
    }
    // 1/8 is 12.5 %, which is rounded up everywhere.
    let scene = Scene::parse(&run_line("instances/minesweeper_guess.txt -f svg"));
    assert!(scene.texts.iter().any(|(text, ..)| text == "13%") && !scene.texts.iter().any(|(text, ..)| text == "12%"));
}

#[test]
fn games_and_contradictory_boards_have_pictures() {
    let ran = run_line("instances/game_42.json -f svg");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let scene = Scene::parse(&ran);
    for text in ["1", "2*n", "n+1", "42", "from 1", "7 of 7: 2*n gives 42"] {
        assert!(scene.texts.iter().any(|(shown, ..)| shown == text), "{text}");
    }
    assert!(ran.out.contains("<animateMotion"));
    let ran = run_line("instances/game_unreachable.json -f svg");
    assert!(ran.code == 1 && ran.out.contains("<svg") && !ran.out.contains("animate"), "{}", ran.err);
    let ran = run_line("instances/minesweeper_contradictory.txt -f svg");
    assert_eq!((ran.code, ran.out.matches(" is in conflict</title>").count()), (1, 2), "{}", ran.err);
}

#[test]
fn the_readme_shows_a_pencil_puzzle_a_hint_and_a_plan() {
    for (picture, line) in [
        ("tests/data/masyu.svg", "instances/masyu.txt -f svg"),
        ("tests/data/masyu-hint.svg", "hint instances/masyu.txt -f svg"),
        ("tests/data/deponia-plan.svg", "instances/deponia-plan.lp -f svg"),
    ] {
        let drawn = run_line(line).out;
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(picture, &drawn).expect(picture);
        }
        let shown = std::fs::read_to_string(picture).expect(picture);
        assert!(shown == drawn, "asp-solve {line} -o {picture} updates it");
    }
}

#[test]
fn captions_are_not_wider_than_the_board() {
    for line in [
        "hint instances/slither.txt",
        "hint instances/nonogram.txt",
        "instances/klotski.txt",
        "instances/pegs.txt",
        "instances/hanoi.txt",
    ] {
        let ran = run_line(&format!("{line} -f svg"));
        let without = picture_of_board(&ran.out);
        let scene = Scene::parse(&ran);
        assert_eq!(scene.clipped_texts(), Vec::<String>::new(), "{line}");
        let width = scene.view.1.0 - scene.view.0.0;
        assert!(width <= without.max(280.0) + 1.0, "{line}: {width}, and the board {without}");
    }
}

/// Returns the width of the cells of a board with its margin.
fn picture_of_board(svg: &str) -> f64 {
    let document = roxmltree::Document::parse(svg).expect("SVG");
    let paths = document.descendants().filter(|element| element.has_tag_name("path"));
    let points = paths.flat_map(|element| path(element.attribute("d").expect("a path"), (0.0, 0.0)));
    let xs: Vec<f64> = points.map(|point| point.0).collect();
    let (least, most) = (xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(0.0, f64::max));
    // Texts around the board are at most so wide.
    most - least + 140.0
}

#[test]
fn two_arcs_between_the_same_nodes_are_apart() {
    let scene = Scene::parse(&run_line("instances/deponia.lp -f svg --answer 0"));
    let arcs: Vec<&Arc> = scene.arcs.iter().filter(|arc| arc.from == "u" && arc.to == "m").collect();
    let [one, other] = arcs[..] else { panic!("{} arcs", arcs.len()) };
    let middle = |arc: &Arc| arc.points[arc.points.len() / 2];
    let distance = |one: Point, other: Point| (one.0 - other.0).hypot(one.1 - other.1);
    assert!(distance(middle(one), middle(other)) > 15.0, "{:?} {:?}", middle(one), middle(other));
    let tip = |arc: &Arc| ((arc.head.0.0 + arc.head.1.0) / 2.0, (arc.head.0.1 + arc.head.1.1) / 2.0);
    assert!(distance(tip(one), tip(other)) > 3.0, "{:?} {:?}", tip(one), tip(other));
}

/// Returns a picture of two cells with these texts, or `None` if the system lacks a font.
fn cells_in_pixels(texts: [&str; 2]) -> Option<Image> {
    let folder = folder();
    let path = folder.path().join("cells.png");
    let given = (1..).zip(texts).map(|(column, text)| format!("draw(given(1,{column},\"{text}\")).\n"));
    let program = given.fold("draw(cell(1,1..2)).\n".to_owned(), |program, given| program + &given);
    let ran = run_with_input(&format!("- -f png -o {}", path.display()), &program);
    if ran.err.contains("no font of this system") {
        return None;
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    Some(image(&path))
}

#[test]
fn a_png_keeps_all_texts_beside_a_character_of_another_font() {
    let dark_pixels = |image: &Image, column: usize| {
        let (width, height) = (image.width / 2, image.height);
        let half = image.part(Rectangle { left: column * width, top: 0, width, height });
        half.pixels.iter().filter(|color| color.iter().all(|&part| part < 0x60)).count()
    };
    // The frame of the board is dark, too.
    let frame = dark_pixels(&cells_in_pixels([" ", " "]).expect("a picture"), 1);
    let alone = cells_in_pixels(["A", " "]).expect("a built-in font");
    assert!(dark_pixels(&alone, 0) > frame + 20, "{} with a frame of {frame}", dark_pixels(&alone, 0));
    for text in ["✹", "☼", "♛", "☃", "\u{5d0}", "\u{12000}"] {
        let Some(both) = cells_in_pixels(["A", text]) else {
            skip("a font with this character");
            continue;
        };
        assert_eq!(dark_pixels(&both, 0), dark_pixels(&alone, 0), "{text}");
        assert!(dark_pixels(&both, 1) > frame + 10, "{text}: {}", dark_pixels(&both, 1));
    }
}

#[test]
fn the_built_in_fonts_have_all_signs_of_the_pictures() {
    let mut pictures: Vec<(String, String)> = ["minesweeper", "moonsun", "queens"]
        .into_iter()
        .flat_map(|name| {
            let board = run_line(&format!("examples {name}")).out;
            let draw = |command: &str| run_with_input(&format!("{command} - -f svg"), &board).out;
            [(name.to_owned(), draw("solve")), (format!("hint {name}"), draw("hint"))]
        })
        .collect();
    for entry in std::fs::read_dir("docs/pictures").expect("pictures").map(|entry| entry.expect("a picture").path()) {
        pictures.push((entry.display().to_string(), std::fs::read_to_string(&entry).expect("SVG")));
    }
    for font in ["DejaVuSans", "DejaVuSans-Bold"] {
        let data = std::fs::read(format!("src/cli/fonts/{font}.ttf")).expect("a font");
        let face = ttf_parser::Face::parse(&data, 0).expect("a font");
        let mut tested = BTreeSet::new();
        for (name, picture) in &pictures {
            let document = roxmltree::Document::parse(picture).unwrap_or_else(|error| panic!("{name}: {error}"));
            let texts = document.descendants().filter(|node| node.has_tag_name("text") || node.has_tag_name("tspan"));
            let letters = texts.flat_map(|node| node.children()).filter_map(|child| child.text()).flat_map(str::chars);
            for letter in letters.filter(|letter| !letter.is_whitespace()) {
                assert!(face.glyph_index(letter).is_some(), "{name}: {font} lacks {letter}");
                tested.insert(letter);
            }
        }
        assert!(['✹', '☾', '♛'].iter().all(|sign| tested.contains(sign)), "{tested:?}");
    }
}

fn image(path: &Path) -> Image {
    Image::read(path).unwrap_or_else(|_| panic!("{} is no PNG", path.display()))
}

#[test]
fn a_png_is_the_picture_in_pixels() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for command in ["instances/sudoku.txt", "hint instances/slither.txt", "generate akari --size 4x4"] {
        let scene = Scene::parse(&run_line(&format!("{command} -f svg")));
        let size = (scene.view.1.0 - scene.view.0.0, scene.view.1.1 - scene.view.0.1);
        for (option, scale) in [("", 2.0), ("--scale 0.5", 0.5)] {
            let ran = run_line(&format!("{command} -f png {option} -o {}", path("board.png").display()));
            assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{command}: {}", ran.err);
            let Image { width, height, .. } = image(&path("board.png"));
            let is_near = |pixels: usize, size: f64| (pixels as f64 - size * scale).abs() < 1.5;
            assert!(is_near(width, size.0) && is_near(height, size.1), "{command} {option}: {width} {height}");
        }
    }
    let ran = run_line(&format!("instances/deponia.lp -f png -n 2 -o {}", path("trip-{n}.png").display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in ["trip-1.png", "trip-2.png"] {
        image(&path(name));
    }
}

#[test]
fn a_png_without_a_font_or_a_picture_is_an_error() {
    let program = "draw(cell(1,1)). draw(given(1,1,\"\u{10ffff}\")).";
    for (command, input, words) in [
        ("- -f png -o /dev/null", program, "no font of this system has the character"),
        ("- -f png --scale 100 -o /dev/null", "draw(cell(1..100,1..100)).", "a smaller --scale"),
        ("- -f svg --scale 3", "draw(cell(1,1)).", "only -f png has pixels"),
        ("- -f png --scale 0 -o /dev/null", "draw(cell(1,1)).", "expected a number from"),
        ("- -f png -o /dev/null", "a.", "nothing to draw"),
    ] {
        let ran = run_with_input(command, input);
        assert!(ran.code == 2 && ran.err.contains(words), "{command}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn the_extension_of_the_output_chooses_the_format() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let written = |name: &str| std::fs::read(path(name)).expect("a file");
    for (command, name, start) in [
        ("instances/sudoku.txt", "board.png", "\u{89}PNG"),
        ("instances/sudoku.txt --scale 1", "small.PNG", "\u{89}PNG"),
        ("solve instances/sudoku.txt", "board.svg", "<svg"),
        ("instances/akari.txt", "board.html", "<!doctype html>"),
        ("instances/deponia.lp", "trip.dot", "digraph"),
        ("instances/sudoku.txt", "board.json", "{"),
        ("hint instances/sudoku.txt", "hint.svg", "<svg"),
        ("generate akari --size 4x4", "new.html", "<!doctype html>"),
        ("list akari", "list.json", "{"),
        ("instances/sudoku.txt", "board.txt", "1 solution"),
        ("instances/sudoku.txt -f text", "text.svg", "1 solution"),
        ("generate akari --size 4x4 -f url", "url.svg", "https:"),
    ] {
        let ran = run_line(&format!("{command} -o {}", path(name)));
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{command} {name}: {}", ran.err);
        let bytes = written(name);
        let start: Vec<u8> = start.chars().map(|letter| letter as u8).collect();
        let is_same = bytes[..start.len()].eq_ignore_ascii_case(&start);
        assert!(is_same, "{command} {name}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(40)]));
    }
    let batch = run_with_input(&format!("- --batch -o {}", path("all.svg")), "sudoku\n");
    assert!(written("all.svg").starts_with(b"{"), "{}", batch.err);
    for (command, words) in [
        ("why instances/sudoku.txt", "the format svg is not one of this command: text, json, html"),
        ("instances/sudoku.txt --scale 2 -f svg", "only -f png has pixels"),
    ] {
        let ran = run_line(&format!("{command} -o {}", path("none.svg")));
        assert!(ran.code == 2 && ran.err.contains(words), "{command}: {} {}", ran.code, ran.err);
    }
    let unknown = run_line("instances/sudoku.txt -f md").err;
    assert!(unknown.contains("svg, png,"), "{unknown}");
}
