//! The engines against each other and against brute force over all configurations, on random
//! networks.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{answers, extent, file, folder, run, run_with_input};

/// A random network, small enough for brute force.
#[derive(Debug, Clone)]
pub struct RandomNetwork {
    /// States of each colour's lever.
    states: Vec<usize>,
    starts: usize,
    targets: usize,
    /// The colour, and the next node in each state; entries beyond the states are ignored.
    forks: Vec<(usize, Vec<usize>)>,
    /// The node that each side of each gate leads to.
    gates: Vec<Vec<usize>>,
    /// Gates that set a lever, with its colour and state.
    sets: Vec<(usize, usize, usize)>,
    /// Colours whose lever begins in a given state.
    fixed: Vec<(usize, usize)>,
    /// Facts without a meaning: an end with a colour (perhaps one that no fork has) and arcs, and
    /// an end that is a side of a gate (perhaps of one without other sides).
    colored_ends: Vec<(usize, usize, Vec<usize>)>,
    gated_ends: Vec<(usize, usize)>,
}

/// The nodes by number: forks, sides, ends (the first are targets), one dead end.
impl RandomNetwork {
    fn sides(&self) -> usize {
        self.gates.iter().map(Vec::len).sum()
    }

    fn nodes(&self) -> usize {
        self.forks.len() + self.sides() + self.targets + 2
    }

    fn name(&self, node: usize) -> String {
        format!("n{}", node % self.nodes())
    }

    /// Returns true if some fork has the colour.
    fn is_used(&self, color: usize) -> bool {
        self.forks.iter().any(|fork| fork.0 == color)
    }

    /// The colour and the state, both counted from 0, that a gate sets.
    fn setting_of(&self, gate: usize) -> Option<(usize, usize)> {
        let &(_, color, state) = self.sets.iter().find(|set| set.0 == gate)?;
        let color = color % self.states.len();
        (self.is_used(color) && !self.gates[gate].is_empty()).then(|| (color, state % self.states[color]))
    }

    fn fixed(&self, color: usize) -> Option<usize> {
        let state = self.fixed.iter().find(|fixed| fixed.0 == color)?.1;
        self.is_used(color).then(|| state % self.states[color])
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for (gate, (color, state)) in (0..self.gates.len()).filter_map(|gate| Some((gate, self.setting_of(gate)?))) {
            let _ = writeln!(text, "sets({gate},c{color},{}).", state + 1);
        }
        for (color, state) in (0..self.states.len()).filter_map(|color| Some((color, self.fixed(color)?))) {
            let _ = writeln!(text, "fixed(c{color},{}).", state + 1);
        }
        let end = self.forks.len() + self.sides();
        for start in 0..self.starts.min(self.forks.len()) {
            let _ = writeln!(text, "start({}).", self.name(start));
        }
        for target in 0..self.targets {
            let _ = writeln!(text, "target({}).", self.name(end + target));
        }
        let _ = writeln!(text, "final_node({}).", self.name(end + self.targets));
        for (node, (color, arcs)) in self.forks.iter().enumerate() {
            let _ = write!(text, "color({},c{color}).", self.name(node));
            for (state, end) in arcs.iter().take(self.states[*color]).enumerate() {
                let _ = write!(text, " rel({},{},{}).", self.name(node), state + 1, self.name(*end));
            }
            text.push('\n');
        }
        let sides = self.gates.iter().enumerate().flat_map(|(gate, sides)| sides.iter().map(move |next| (gate, next)));
        for (side, (gate, next)) in sides.enumerate() {
            let node = self.name(self.forks.len() + side);
            let _ = writeln!(text, "gate({gate},{node}). rel({node},1,{}).", self.name(*next));
        }
        let an_end = |number: usize| self.name(end + number % (self.targets + 1));
        let mut colored = BTreeMap::new();
        for (number, color, arcs) in &self.colored_ends {
            colored.insert(an_end(*number), (color % (self.states.len() + 1), arcs));
        }
        for (node, (color, arcs)) in &colored {
            let _ = write!(text, "color({node},c{color}).");
            for (state, end) in arcs.iter().enumerate() {
                // Only this arc leads to the node of the last one.
                let end = if state == 2 { "nowhere".to_owned() } else { self.name(*end) };
                let _ = write!(text, " rel({node},{},{end}).", state + 1);
            }
            text.push('\n');
        }
        let gated: BTreeMap<String, usize> =
            self.gated_ends.iter().map(|(number, gate)| (an_end(*number), gate % (self.gates.len() + 1))).collect();
        for (node, gate) in gated.iter().filter(|(node, _)| !colored.contains_key(*node)) {
            let _ = writeln!(text, "gate({gate},{node}). rel({node},1,{node}).");
        }
        text
    }

    /// The start, outcome and trip of every configuration, by the rules alone.
    fn brute_force(&self, with_gates: bool) -> BTreeMap<(String, String), (String, Vec<String>)> {
        let used: Vec<usize> = (0..self.states.len()).filter(|&color| self.is_used(color)).collect();
        // The colours in the order of their names.
        let mut colors: Vec<usize> = used.clone();
        colors.sort_by_key(|color| format!("c{color}"));
        let sides: Vec<(usize, usize)> = self
            .gates
            .iter()
            .enumerate()
            .flat_map(|(gate, sides)| sides.iter().map(move |&next| (gate, next)))
            .collect();
        let end = self.forks.len() + sides.len();
        // The possible values of each lever and gate.
        let lever = |&color: &usize| self.fixed(color).map_or((0..self.states[color]).collect(), |state| vec![state]);
        let gate = |gate: usize| match self.setting_of(gate) {
            Some((color, _)) => colors.iter().position(|&other| other == color).into_iter().collect(),
            None => (0..colors.len()).collect(),
        };
        let choices: Vec<Vec<usize>> = colors.iter().map(lever).chain((0..self.gates.len()).map(gate)).collect();
        let mut all = BTreeMap::new();
        for start in 0..self.starts.min(self.forks.len()) {
            let mut chosen = vec![0; choices.len()];
            loop {
                let configuration: Vec<usize> =
                    choices.iter().zip(&chosen).map(|(values, &index)| values[index]).collect();
                let mut levers: BTreeMap<usize, usize> =
                    colors.iter().zip(&configuration).map(|(&color, &state)| (color, state)).collect();
                let (mut here, mut trip, mut visited) = (start, Vec::new(), Vec::new());
                let outcome = loop {
                    trip.push(self.name(here));
                    if visited.contains(&(here, levers.clone())) {
                        break "cycle";
                    }
                    visited.push((here, levers.clone()));
                    here = if here < self.forks.len() {
                        let (color, arcs) = &self.forks[here];
                        arcs[levers[color]] % self.nodes()
                    } else if here < end {
                        if !with_gates {
                            break "stuck";
                        }
                        let (gate, next) = sides[here - self.forks.len()];
                        let color = colors[configuration[colors.len() + gate]];
                        let lever = levers.get_mut(&color).expect("a colour of a fork");
                        *lever = self.setting_of(gate).map_or((*lever + 1) % self.states[color], |(_, state)| state);
                        next % self.nodes()
                    } else if here < end + self.targets {
                        break "win";
                    } else {
                        break if here == end + self.targets { "loss" } else { "stuck" };
                    };
                };
                let letters: Vec<String> =
                    configuration
                        .iter()
                        .enumerate()
                        .map(|(place, value)| {
                            if place < colors.len() { (value + 1).to_string() } else { format!("c{}", colors[*value]) }
                        })
                        .collect();
                all.insert((self.name(start), letters.join(" ")), (outcome.to_owned(), trip));
                let Some(place) = (0..choices.len()).find(|&place| chosen[place] + 1 < choices[place].len()) else {
                    break;
                };
                chosen[place] += 1;
                chosen[..place].fill(0);
            }
        }
        all
    }
}

/// The answers of an engine, with each `*` replaced by all its values.
fn expanded(value: &Value, random: &RandomNetwork) -> BTreeMap<(String, String), (String, Vec<String>)> {
    let mut all = BTreeMap::new();
    for answer in answers(value) {
        let levers = answer["levers"].as_object().expect("levers");
        let mut rows: Vec<Vec<String>> = vec![Vec::new()];
        let mut extend = |values: Vec<String>| {
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(move |value| row.iter().cloned().chain([value.clone()]).collect()))
                .collect();
        };
        for (color, state) in levers {
            let index: usize = color[1..].parse().expect("colours are numbered");
            extend(if state == "*" {
                (1..=random.states[index]).map(|state| state.to_string()).collect()
            } else {
                vec![state.to_string()]
            });
        }
        for color in answer["gates"].as_object().expect("gates").values() {
            let text = color.as_str().expect("a name").to_owned();
            extend(if text == "*" { levers.keys().cloned().collect() } else { vec![text] });
        }
        assert_eq!(answer["configurations"], rows.len().to_string());
        let trip: Vec<String> = answer["trip"]
            .as_array()
            .expect("a trip")
            .iter()
            .map(|step| step["node"].as_str().expect("a name").to_owned())
            .collect();
        for row in rows {
            let key = (answer["start"].as_str().expect("a name").to_owned(), row.join(" "));
            let twice = all.insert(key.clone(), (answer["outcome"].as_str().expect("a name").to_owned(), trip.clone()));
            assert!(twice.is_none(), "{key:?} has two trips");
        }
    }
    all
}

pub fn networks() -> impl Strategy<Value = RandomNetwork> {
    let colors = prop::collection::vec(2_usize..4, 1..4);
    (colors, 1_usize..4, 1_usize..3).prop_flat_map(|(states, starts, targets)| {
        let color = 0..states.len();
        let fork = (color, prop::collection::vec(0_usize..1000, 3));
        let gates = prop::collection::vec(prop::collection::vec(0_usize..1000, 1..3), 0..3);
        let colored = (0_usize..9, 0_usize..9, prop::collection::vec(0_usize..1000, 3));
        let colored = prop::collection::vec(colored, 0..2);
        let gated = prop::collection::vec((0_usize..9, 0_usize..9), 0..2);
        let forks = prop::collection::vec(fork, 1..9);
        let sets = prop::collection::vec((0_usize..4, 0_usize..9, 0_usize..9), 0..3);
        let fixed = prop::collection::vec((0_usize..9, 0_usize..9), 0..2);
        let set = (sets, fixed);
        (Just(states), Just(starts), Just(targets), forks, gates, colored, gated, set).prop_map(
            |(states, starts, targets, forks, gates, colored_ends, gated_ends, (sets, fixed))| RandomNetwork {
                states,
                starts,
                targets,
                forks,
                gates,
                sets,
                fixed,
                colored_ends,
                gated_ends,
            },
        )
    })
}

fn compare(random: &RandomNetwork) {
    let folder = folder();
    let path = file(folder.path(), "random.lp", random.text());
    for encoding in ["dynamic-gate", "no-gate"] {
        let solve = |engine: &str| {
            let ran = run([
                path.to_str().expect("UTF-8"),
                "-n",
                "0",
                "-f",
                "json",
                "--outcome",
                "any",
                "-e",
                encoding,
                "--engine",
                engine,
            ]);
            assert!(ran.code <= 1, "{engine}: {}\n{}", ran.err, random.text());
            ran.json()
        };
        let (asp, simulation, backward) = (solve("asp"), solve("simulation"), solve("backward"));
        assert_eq!(answers(&asp), answers(&simulation), "{encoding}\n{}", random.text());
        assert_eq!(answers(&backward), answers(&simulation), "{encoding}\n{}", random.text());
        assert_eq!(asp["statistics"]["configurations"], simulation["statistics"]["configurations"]);
        assert_eq!(
            expanded(&simulation, random),
            random.brute_force(encoding == "dynamic-gate"),
            "{encoding}\n{}",
            random.text()
        );
    }
}

#[test]
fn engines_agree_with_brute_force_on_random_networks() {
    extent::check(200, &networks(), |random| compare(&random));
}

mod campaign {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn engines_agree_with_brute_force_on_many_random_networks() {
        extent::check(2000, &networks(), |random| compare(&random));
    }
}

/// A binary counter of levers. If every gate has its own colour, the trip counts to 2^bits before
/// it wins.
pub fn long_trips(bits: usize) -> String {
    let mut text = String::from("start(f0). target(t).\n");
    for bit in 0..bits {
        let above = if bit + 1 == bits { "t".to_owned() } else { format!("f{}", bit + 1) };
        let _ = writeln!(text, "color(f{bit},c{bit}). rel(f{bit},1,up{bit}). rel(f{bit},2,down{bit}).");
        let _ =
            writeln!(text, "gate({bit},up{bit}). rel(up{bit},1,f0). gate({bit},down{bit}). rel(down{bit},1,{above}).");
    }
    text
}

#[test]
fn a_counter_of_levers_counts_exactly() {
    let folder = folder();
    let path = file(folder.path(), "counter.lp", long_trips(4));
    let mut found = Vec::new();
    for engine in ["asp", "simulation"] {
        let ran = run([path.to_str().expect("UTF-8"), "-f", "json", "--engine", engine, "--configuration", "1111C123"]);
        let value = ran.json();
        assert_eq!(answers(&value)[0]["outcome"], "win", "{}", ran.err);
        found.push(answers(&value)[0]["steps"].as_u64().expect("a number"));
    }
    // 15 increments and the overflow pass a fork and a gate for each bit: 2·(16 + 8 + 4 + 2) nodes,
    // and the target.
    assert_eq!(found, [61, 61]);
}

#[test]
fn a_win_beyond_the_first_horizon_is_found() {
    let mut text = String::from("start(n0). target(n100).\n");
    for node in 0..100 {
        let _ = writeln!(text, "color(n{node},c0). rel(n{node},1,n{0}). rel(n{node},2,n{0}).", node + 1);
    }
    let folder = folder();
    let path = file(folder.path(), "line.lp", text);
    for arguments in [vec![], vec!["-n", "0"], vec!["--outcome", "win"], vec!["-n", "0", "--outcome", "win"]] {
        for engine in ["asp", "simulation"] {
            let fixed = [path.to_str().expect("UTF-8"), "-f", "json", "--engine", engine];
            let ran = run(fixed.into_iter().chain(arguments.iter().copied()));
            assert_eq!(ran.code, 0, "{engine} {arguments:?}: {}", ran.err);
            assert_eq!(answers(&ran.json())[0]["steps"], 101, "{engine} {arguments:?}");
        }
    }
}

/// A network that is too large for grounding: 2,000 forks of 12 colours and 10 gates give
/// 2^12 · 12^10 configurations.
pub fn large(seed: u64) -> String {
    let mut state = seed;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let mut text = String::from("start(n0). target(t). final_node(s).\n");
    for fork in 0..2000 {
        let _ = write!(text, "color(n{fork},c{}).", if fork < 12 { fork } else { next(12) });
        for label in 1..=2 {
            let end = match next(100) {
                0 => "t".to_owned(),
                1..=9 => "s".to_owned(),
                10 => format!("g{}_{}", next(10), next(2)),
                _ => format!("n{}", next(2000)),
            };
            let _ = write!(text, " rel(n{fork},{label},{end}).");
        }
        text.push('\n');
    }
    for gate in 0..10 {
        for side in 0..2 {
            let _ = writeln!(text, "gate({gate},g{gate}_{side}). rel(g{gate}_{side},1,n{}).", next(2000));
        }
    }
    text
}

#[test]
fn a_network_beyond_grounding_is_solved_with_exact_counts() {
    let folder = folder();
    let path = file(folder.path(), "large.lp", large(1));
    let ran = run([path.to_str().expect("UTF-8"), "-n", "0", "-f", "json"]);
    let value = ran.json();
    assert_eq!(value["engine"], "simulation", "{}", ran.err);
    assert_eq!(value["complete"], true);
    let counts = value["statistics"]["configurations"].as_object().expect("counts");
    let number = |key: &str| counts[key].as_str().expect("text").parse::<u128>().expect("a number");
    assert_eq!(number("all"), 4096 * 12_u128.pow(10));
    assert_eq!(number("win") + number("loss") + number("cycle") + number("stuck"), number("all"));
}

#[test]
fn arcs_colours_and_gates_of_an_end_have_no_effect() {
    let folder = folder();
    let all = |text: &str, engine: &str| {
        let path = file(folder.path(), "ends.lp", text);
        let path = path.to_str().expect("UTF-8");
        let expanded = run(["expand", path]);
        assert_eq!(expanded.code, 0, "{}", expanded.err);
        let ran = run([path, "-n", "0", "-f", "json", "--outcome", "any", "--engine", engine]);
        assert!(ran.code <= 1, "{engine}: {}", ran.err);
        let drawn = run([path, "-f", "svg"]);
        assert!(drawn.code <= 1, "{}", drawn.err);
        ran.json()["answers"].clone()
    };
    let plain = "start(a). target(t). final_node(g). color(a,red). rel(a,1,t). rel(a,2,g).\n";
    // A colour, an arc and a gate of an end only.
    for more in [
        "color(t,blue). rel(t,1,a). rel(t,2,q).",
        "gate(1,g).",
        "gate(1,g). gate(1,t). rel(g,1,a).",
        "color(g,red). rel(g,3,a).",
    ] {
        for engine in ["asp", "simulation", "backward"] {
            assert_eq!(all(&format!("{plain}{more}"), engine), all(plain, "simulation"), "{engine} {more}");
        }
    }
}

#[test]
fn counts_are_exact_beyond_machine_words() {
    let folder = folder();
    let unmet = |colors: std::ops::Range<usize>, states: usize| {
        let mut text = String::new();
        for color in colors {
            let _ = write!(text, "color(x{color},c{color}).");
            for state in 1..=states {
                let _ = write!(text, " rel(x{color},{state},s).");
            }
            text.push('\n');
        }
        text
    };
    // One of three states of the first lever wins.
    let text = format!(
        "start(a). target(t). final_node(s). color(a,c0). rel(a,1,t). rel(a,2,s). rel(a,3,s).\n{}",
        unmet(1..40, 3)
    );
    let path = file(folder.path(), "third.lp", &text);
    let path = path.to_str().expect("UTF-8");
    let rated = run(["rate", path, "-f", "json"]).json();
    assert_eq!(rated["configurations"]["win"], "4052555153018976267");
    assert_eq!(rated["configurations"]["loss"], "8105110306037952534");
    let cyclic = file(folder.path(), "cyclic.lp", text.replace("rel(a,3,s)", "rel(a,3,a)"));
    let cyclic = cyclic.to_str().expect("UTF-8");
    let repaired = run(["repair", cyclic, "--engine", "search", "-f", "json"]).json();
    assert_eq!(repaired["before"]["cycle"], "4052555153018976267");
    assert_eq!(repaired["after"]["cycle"], "0");
    assert!(run(["repair", cyclic, "--engine", "search"]).out.contains("% Before: 4,052,555,153,018,976,267 wins"));
    // Two starts and 127 levers: 2^128 configurations lose.
    let text = format!(
        "start(a). start(b). target(t). final_node(s). color(a,c0). rel(a,1,s). rel(a,2,s). color(b,c0). rel(b,1,s). rel(b,2,s).\n{}",
        unmet(1..127, 2)
    );
    let path = file(folder.path(), "twice.lp", text);
    let path = path.to_str().expect("UTF-8");
    let ran = run([path, "-n", "0", "-f", "json", "--outcome", "any", "--engine", "simulation"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let counts = &ran.json()["statistics"]["configurations"];
    assert_eq!(counts["loss"], "340282366920938463463374607431768211456");
    assert_eq!(run(["rate", path, "-f", "json"]).json()["configurations"]["loss"], counts["loss"]);
    // More than a floating-point number can hold.
    let text =
        format!("start(a). target(t). final_node(s). color(a,c0). rel(a,1,t). rel(a,2,s).\n{}", unmet(1..1500, 2));
    let path = file(folder.path(), "huge.lp", text);
    let path = path.to_str().expect("UTF-8");
    let rated = run(["rate", path, "-f", "json"]).json();
    assert_eq!(rated["difficulty"]["parts"]["luck"]["bits"], 1.0);
    assert_eq!(rated["difficulty"]["parts"]["patience"]["because"], "losing trips visit 2 nodes on average");
    assert_eq!(rated["configurations"]["win"].as_str().map(str::len), Some(452));
}

/// Thirty levers, and five gates in a row that can move any of them: 24,300,000 trips, which end in
/// 278,256 different states of the levers.
#[test]
fn counting_trips_takes_little_memory() {
    let mut text = String::from("start(g1). target(t). final_node(s).\n");
    for gate in 1..=5 {
        let next = if gate < 5 { format!("g{}", gate + 1) } else { "s".to_owned() };
        let _ = writeln!(text, "gate({gate},g{gate}). rel(g{gate},1,{next}).");
    }
    for color in 0..30 {
        let _ = writeln!(text, "color(f{color},c{color}). rel(f{color},1,s). rel(f{color},2,t).");
    }
    let ran = run_with_input("- -n 0 -q --memory-limit 100", &text);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let all = 30_u64.pow(5) << 30;
    let all = base::words::thousands(all);
    assert_eq!(ran.out, format!("Of {all} configurations, {all} lose; none wins or cycles.\n"));
}
