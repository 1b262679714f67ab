//! The smallest repair: both engines, against brute force over all sets of one or two redirections.

use std::collections::{BTreeMap, BTreeSet};

use proptest::strategy::{Strategy, ValueTree};
use serde_json::Value;

use crate::rail::engines::networks;
use crate::rail::generator::PlainFacts;
use crate::support::{extent, file, folder, run, run_line};

fn repair(path: &str, engine: &str, goal: &str, more: &[&str]) -> (i32, Value) {
    let ran = run(["repair", path, "--engine", engine, "--goal", goal, "-f", "json"].iter().chain(more));
    assert!(ran.code <= 1 || ran.code == 3, "{engine} {goal}: {}", ran.err);
    (ran.code, if ran.code == 0 { ran.json() } else { Value::Null })
}

fn redirections(value: &Value) -> usize {
    value["redirected"].as_array().map_or(usize::MAX, Vec::len)
}

#[test]
fn a_cycle_is_removed_with_the_fewest_arcs() {
    let ran = run_line("repair instances/cycle.lp");
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!(ran.out);
    let text = std::fs::read_to_string("instances/deponia.lp").expect("an instance");
    let broken = text.replace("rel(c,1,s)", "rel(c,1,a)").replace("rel(k,1,s)", "rel(k,1,b)");
    let folder = folder();
    let path = file(folder.path(), "broken.lp", broken);
    let path = path.to_str().expect("UTF-8");
    let ((_, asp), (_, search)) = (repair(path, "asp", "both", &[]), repair(path, "search", "both", &[]));
    for value in [&asp, &search] {
        assert_eq!((redirections(value), &value["least"]), (2, &true.into()), "{value}");
        assert_eq!((&value["before"]["cycle"], &value["after"]["cycle"]), (&"28".into(), &"0".into()));
        assert_eq!(value["after"]["win"], "4");
    }
    let svg = run(["repair", path, "-f", "svg"]).out;
    assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2 + 1, "the two arcs, and the arc to the start");
}

#[test]
fn a_repair_adds_a_solution_and_changes_no_more_than_necessary() {
    let (_, value) = repair("instances/no_solution.lp", "asp", "both", &[]);
    assert_eq!((redirections(&value), &value["least"]), (1, &true.into()));
    let repaired = value["program"].as_str().expect("a program");
    let folder = folder();
    let path = file(folder.path(), "mended.lp", repaired);
    let solved = run([path.to_str().expect("UTF-8"), "-n", "0"]);
    assert_eq!(solved.code, 0, "{repaired}");
    let (_, value) = repair("instances/deponia.lp", "search", "both", &[]);
    assert_eq!(redirections(&value), 0);
    // No arc leads to the target, and none can be redirected to it.
    let path = file(
        folder.path(),
        "lost.lp",
        "start(a). target(t). final_node(t). gate(1,a). color(b,red). rel(b,1,t). rel(b,2,t).",
    );
    let ran = run(["repair", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
}

/// A railway read from its facts, whose arcs can be redirected.
struct PlainRailway {
    starts: Vec<usize>,
    targets: BTreeSet<usize>,
    nodes: usize,
    /// States of each lever.
    sizes: Vec<usize>,
    gates: usize,
    /// Gates that set a lever, with its colour and state.
    sets: BTreeMap<usize, (usize, usize)>,
    /// Levers that begin in a given state.
    fixed: Vec<(usize, usize)>,
    /// The lever or the gate at each inner node.
    controls: BTreeMap<usize, Control>,
    /// Node, state and end.
    arcs: Vec<(usize, usize, usize)>,
}

#[derive(Clone, Copy)]
enum Control {
    Lever(usize),
    Gate(usize),
}

impl PlainRailway {
    fn read(text: &str) -> Self {
        let plain = PlainFacts::read(text);
        let mut names: Vec<String> = Vec::new();
        let mut number = |name: &String| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let column = |name: &str| plain.rows(name).map(|row| row[0].clone()).collect::<Vec<_>>();
        let ends: BTreeSet<String> = column("target").into_iter().chain(column("final_node")).collect();
        let starts = column("start").iter().map(&mut number).collect();
        let targets = column("target").iter().map(&mut number).collect();
        for node in column("final_node") {
            number(&node);
        }
        let known = |rows: &[&[String]], at: usize| {
            rows.iter().map(|row| row[at].clone()).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let forks: Vec<&[String]> = plain.rows("color").filter(|row| !ends.contains(&row[0])).collect();
        let sides: Vec<&[String]> = plain.rows("gate").filter(|row| !ends.contains(&row[1])).collect();
        let (colors, gates) = (known(&forks, 1), known(&sides, 0));
        let at = |list: &[String], name: &String| list.iter().position(|known| known == name).expect("a known name");
        let mut controls = BTreeMap::new();
        let value = |text: &String| text.parse::<usize>().expect("a number") - 1;
        let set = |row: &[String]| (at(&gates, &row[0]), (at(&colors, &row[1]), value(&row[2])));
        let sets = plain.rows("sets").filter(|row| gates.contains(&row[0])).map(set).collect();
        let fixed = plain.rows("fixed").map(|row| (at(&colors, &row[0]), value(&row[1]))).collect();
        let (mut arcs, mut sizes) = (Vec::new(), vec![0; colors.len()]);
        for row in &forks {
            controls.insert(number(&row[0]), Control::Lever(at(&colors, &row[1])));
        }
        for row in &sides {
            controls.insert(number(&row[1]), Control::Gate(at(&gates, &row[0])));
        }
        for row in plain.rows("rel").filter(|row| !ends.contains(&row[0])) {
            let (node, end) = (number(&row[0]), number(&row[2]));
            let state = match controls[&node] {
                Control::Gate(_) => 0,
                Control::Lever(color) => {
                    let state = row[1].parse::<usize>().expect("a number") - 1;
                    sizes[color] = sizes[color].max(state + 1);
                    state
                }
            };
            arcs.push((node, state, end));
        }
        PlainRailway { starts, targets, nodes: names.len(), sizes, gates: gates.len(), sets, fixed, controls, arcs }
    }

    /// Returns true if every trip ends and some trip wins; `goal` may require only one of the two.
    fn reaches(&self, goal: &str) -> bool {
        let width = self.sizes.iter().copied().max().unwrap_or(1);
        let mut next = vec![None; self.nodes * width];
        for &(node, state, end) in &self.arcs {
            next[node * width + state] = Some(end);
        }
        let states: usize = self.sizes.iter().product();
        let mut visited = vec![0_usize; self.nodes * states];
        let (mut stamp, mut wins) = (0, false);
        let choices: Vec<usize> = self.sizes.iter().copied().chain((0..self.gates).map(|_| self.sizes.len())).collect();
        let mut configuration = vec![0; choices.len()];
        loop {
            for &start in &self.starts {
                let mut levers = configuration[..self.sizes.len()].to_vec();
                for &(color, state) in &self.fixed {
                    levers[color] = state;
                }
                let mut here = start;
                stamp += 1;
                loop {
                    let copy = levers.iter().zip(&self.sizes).fold(0, |copy, (lever, size)| copy * size + lever);
                    if std::mem::replace(&mut visited[here * states + copy], stamp) == stamp {
                        if goal != "solution" {
                            return false;
                        }
                        break;
                    }
                    wins |= self.targets.contains(&here);
                    let state = match self.controls.get(&here) {
                        None => break,
                        Some(Control::Lever(color)) => levers[*color],
                        Some(Control::Gate(gate)) if self.sets.contains_key(gate) => {
                            let (color, state) = self.sets[gate];
                            levers[color] = state;
                            0
                        }
                        Some(Control::Gate(gate)) => {
                            let color = configuration[self.sizes.len() + gate];
                            levers[color] = (levers[color] + 1) % self.sizes[color];
                            0
                        }
                    };
                    match next[here * width + state] {
                        Some(end) => here = end,
                        None => break,
                    }
                }
            }
            let Some(place) = (0..choices.len()).find(|&place| configuration[place] + 1 < choices[place]) else {
                return wins || goal == "no-cycle";
            };
            configuration[place] += 1;
            configuration[..place].fill(0);
        }
    }

    /// Returns true if two branches of a fork lead to the same node, but led to different ones
    /// `before`.
    fn merges(&self, before: &[(usize, usize, usize)]) -> bool {
        (0..before.len()).any(|one| {
            (0..one).any(|other| {
                before[one].0 == before[other].0
                    && before[one].2 != before[other].2
                    && self.arcs[one].2 == self.arcs[other].2
                    && matches!(self.controls[&before[one].0], Control::Lever(_))
            })
        })
    }

    /// The smallest number of redirections that suffice; `None` for more than two.
    fn least(&mut self, goal: &str, keep_forks: bool) -> Option<usize> {
        let before = self.arcs.clone();
        let reaches = |railway: &PlainRailway| !(keep_forks && railway.merges(&before)) && railway.reaches(goal);
        if reaches(self) {
            return Some(0);
        }
        for number in 1..=2 {
            for one in 0..before.len() {
                for end in (0..self.nodes).filter(|&end| end != before[one].2) {
                    self.arcs[one].2 = end;
                    if number == 1 && reaches(self) {
                        return Some(1);
                    }
                    for other in (0..one).filter(|_| number == 2) {
                        for end in (0..self.nodes).filter(|&end| end != before[other].2) {
                            self.arcs[other].2 = end;
                            if reaches(self) {
                                return Some(2);
                            }
                        }
                        self.arcs[other].2 = before[other].2;
                    }
                    self.arcs[one].2 = before[one].2;
                }
            }
        }
        None
    }
}

const ONE: &str = "start(a). target(t). color(a,red). rel(a,1,a). rel(a,2,t).";

#[test]
fn both_engines_redirect_as_few_arcs_as_brute_force_on_random_networks() {
    let mut runner = extent::runner(60);
    let folder = folder();
    let (mut tried, mut repaired, mut differ) = (0, 0, 0);
    while tried < extent::sample_size(60) {
        // In the first two networks the only repair is to merge the branches of a fork.
        let text = match tried {
            0 => ONE.to_owned(),
            1 => ONE.replace("rel(a,1,a)", "rel(a,1,g). gate(1,g). rel(g,1,a)"),
            _ => networks().new_tree(&mut runner).expect("a network").current().text(),
        };
        // Brute force tries all pairs of redirections.
        if PlainRailway::read(&text).arcs.len() > 14 {
            continue;
        }
        let path = file(folder.path(), "random.lp", &text);
        let path = path.to_str().expect("UTF-8");
        for goal in ["both", "no-cycle", "solution"] {
            let mut found = Vec::new();
            for keep_forks in [false, true] {
                let least = PlainRailway::read(&text).least(goal, keep_forks);
                let more = if keep_forks { &["--keep-forks"][..] } else { &[] };
                for engine in ["asp", "search"] {
                    let (code, value) = repair(path, engine, goal, more);
                    let context = format!("{engine} {goal} {keep_forks} {least:?} {value:#}\n{text}");
                    if code != 0 {
                        // The search gives up on what clingo proves impossible.
                        assert!(least.is_none() && (code == 1) == (engine == "asp"), "{code} {context}");
                        continue;
                    }
                    assert_eq!(
                        (&value["keep_forks"], engine == "asp" && value["least"] == false),
                        (&keep_forks.into(), false),
                        "{context}"
                    );
                    match least {
                        Some(least) if value["least"] == true => assert_eq!(redirections(&value), least, "{context}"),
                        least => assert!(redirections(&value) >= least.unwrap_or(3), "{context}"),
                    }
                    let program = value["program"].as_str().expect("a program");
                    assert!(PlainRailway::read(program).reaches(goal), "{context}");
                    assert_eq!(
                        program.contains("ways of a fork that led to different nodes still do"),
                        keep_forks && redirections(&value) > 0,
                        "{context}"
                    );
                    repaired += usize::from(redirections(&value) > 0);
                }
                found.push(least);
            }
            differ += usize::from(found[0] != found[1]);
        }
        tried += 1;
    }
    extent::expect_counts([("repaired", repaired, 50), ("differ", differ, 1)]);
}

#[test]
fn forks_are_kept_on_request() {
    let folder = folder();
    let path = file(folder.path(), "one.lp", ONE);
    let path = path.to_str().expect("UTF-8");
    for engine in ["asp", "search"] {
        let (_, value) = repair(path, engine, "both", &[]);
        assert_eq!((redirections(&value), &value["least"]), (1, &true.into()), "{engine}");
        assert_eq!(
            (&value["redirected"][0]["label"], &value["redirected"][0]["to"]),
            (&"1".into(), &"t".into()),
            "{engine}"
        );
    }
    let ran = run(["repair", path, "--keep-forks"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            1,
            "% No repair is possible: no set of redirects that keeps the ways of each fork apart reaches the goal, proven.\n"
        )
    );
    let text = run(["repair", "instances/cycle.lp", "--keep-forks"]).out;
    assert!(text.starts_with("% Repaired: 1 arc redirected, and two ways of a fork that led to different nodes still do; fewer do not suffice, proven.\n"), "{text}");
}
