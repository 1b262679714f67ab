//! Plans of tracks: the network by `asp/rail/plan.lp`, by the native code, and by a train that a
//! test drives over the tracks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;

use asp::{Order, Program, Settings, Solver, to_text};
use asp_solve::{Failure, Job, Rail, RunResult, solve};
use base::document::Document;
use base::stop::CancelToken;
use rail::{Name, Network, Outcome, OutcomeFilter, RailOptions, Trip};

use crate::support::{answers, extent, run_line, run_with_input};

/// The shown atoms of an encoding.
fn shown(encoding: &str, plan: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(encoding).expect("an encoding");
    let program = Program {
        instance: vec![Document::in_memory("plan", plan)],
        encoding: vec![Document::in_memory(encoding, text)],
        ..Program::default()
    };
    let mut solver =
        Solver::with_program(&program, &Settings::default(), &CancelToken::default()).expect("a program that grounds");
    let mut atoms = BTreeSet::new();
    let found = solver.solve(&[], |model| {
        atoms.extend(model.shown(Order::AsFound).expect("atoms").map(to_text));
        ControlFlow::Continue(())
    });
    found.expect("clingo solves");
    atoms
}

fn all_trips(text: &str, engine: &str) -> Result<RunResult<Rail>, Failure> {
    let mut job = Job::of(text).all_answers().engine(engine);
    job.options.set(RailOptions { outcome: vec![OutcomeFilter::Any], ..RailOptions::default() });
    solve(Rail, job)
}

#[test]
fn the_network_of_deponia_follows_from_its_plan() {
    let plan = std::fs::read_to_string("instances/deponia-plan.lp").expect("the plan");
    let facts: BTreeSet<String> = shown("instances/deponia.lp", "");
    assert_eq!(shown("asp/rail/plan.lp", &plan), facts);
    let wins = |name: &str| answers(&run_line(&format!("instances/{name} -n 0 -f json --outcome any")).json()).clone();
    assert_eq!(wins("deponia-plan.lp"), wins("deponia.lp"));
    let four = run_line("instances/deponia-plan.lp -n 0 -f json").json();
    assert_eq!(four["statistics"]["configurations"]["win"], "4");
}

/// A plan of forks, gates, crossings and places, whose ends are joined at random.
struct RandomPlan {
    /// A colour (0 to 2) or a kind, and the number of branches.
    forks: Vec<(Result<usize, &'static str>, usize)>,
    /// The colour and the state that each gate sets, if it sets any.
    gates: Vec<Option<(usize, usize)>>,
    crossings: usize,
    /// The first place is the start, the second the target.
    places: usize,
    joined: BTreeMap<String, String>,
}

const STATES: [usize; 3] = [2, 2, 3];

impl RandomPlan {
    fn new(random: &mut fastrand::Rng) -> Self {
        let kind = |random: &mut fastrand::Rng| match random.usize(0..8) {
            0 => (Err("sprung"), 2),
            1 => (Err("lazy"), random.usize(2..4)),
            2 => (Err("flip"), random.usize(2..4)),
            color => (Ok(color % 3), STATES[color % 3]),
        };
        let forks: Vec<_> = (0..random.usize(1..7)).map(|_| kind(random)).collect();
        let colors: Vec<usize> = forks.iter().filter_map(|fork| fork.0.ok()).collect();
        let set = |random: &mut fastrand::Rng| {
            let color = *random.choice(&colors).filter(|_| random.bool())?;
            Some((color, random.usize(1..=STATES[color])))
        };
        let gates = (0..random.usize(0..3)).map(|_| set(random)).collect();
        let mut drawn = RandomPlan {
            forks,
            gates,
            crossings: random.usize(0..2),
            places: random.usize(2..4),
            joined: BTreeMap::new(),
        };
        if drawn.ends().len() % 2 == 1 {
            drawn.places += 1;
        }
        let mut ends = drawn.ends();
        random.shuffle(&mut ends);
        for pair in ends.chunks(2) {
            drawn.joined.insert(pair[0].clone(), pair[1].clone());
            drawn.joined.insert(pair[1].clone(), pair[0].clone());
        }
        drawn
    }

    fn ends(&self) -> Vec<String> {
        let mut ends = Vec::new();
        for (fork, (_, branches)) in self.forks.iter().enumerate() {
            ends.push(format!("(f{fork},stem)"));
            ends.extend((1..=*branches).map(|branch| format!("(f{fork},{branch})")));
        }
        for gate in 0..self.gates.len() {
            ends.extend([format!("(g{gate},left)"), format!("(g{gate},right)")]);
        }
        for crossing in 0..self.crossings {
            ends.extend((1..5).map(|side| format!("(x{crossing},{side})")));
        }
        ends.extend((0..self.places).map(|place| format!("(p{place},end)")));
        ends
    }

    fn text(&self) -> String {
        let mut text = String::from("start(p0). target(p1).\n");
        text.extend((2..self.places).map(|place| format!("final_node(p{place}).\n")));
        for (fork, (set, _)) in self.forks.iter().enumerate() {
            let _ = match set {
                Ok(color) => writeln!(text, "fork(f{fork}). color(f{fork},c{color})."),
                Err(kind) => writeln!(text, "fork(f{fork}). kind(f{fork},{kind})."),
            };
        }
        for (gate, set) in self.gates.iter().enumerate() {
            let _ = write!(text, "gate(g{gate}).");
            if let Some((color, state)) = set {
                let _ = write!(text, " sets(g{gate},c{color},{state}).");
            }
        }
        text.extend((0..self.crossings).map(|crossing| format!("crossing(x{crossing}).")));
        for (one, other) in self.joined.iter().filter(|(one, other)| one < other) {
            let _ = write!(text, "\ntrack({one},{other}).");
        }
        text
    }

    /// Drives the train by the plan alone, and returns the outcome and the network's names of the
    /// nodes.
    fn drive(&self, levers: &mut BTreeMap<String, usize>, gates: &BTreeMap<String, String>) -> (Outcome, Vec<String>) {
        let (mut trip, mut visited, mut idle) = (Vec::new(), BTreeSet::new(), 0);
        let mut leaves = "(p0,end)".to_owned();
        loop {
            let at = self.joined[&leaves].clone();
            let (thing, side) = at[1..at.len() - 1].split_once(',').expect("an end");
            let number: usize = thing[1..].parse().expect("things are numbered");
            let points = if thing.starts_with('f') { self.forks[number].0 } else { Err("") };
            let nodes = match (&thing[..1], side, points) {
                ("x", ..) | ("f", "stem", Err("sprung")) => Vec::new(),
                ("p", ..) | ("f", "stem", Ok(_) | Err("lazy")) => vec![thing.to_owned()],
                ("f", "stem", _) => vec![thing.to_owned(), format!("({thing},{})", levers[thing])],
                ("g", ..) | (_, _, Err("lazy")) => vec![at.clone()],
                _ => Vec::new(),
            };
            idle = if nodes.is_empty() { idle + 1 } else { 0 };
            for node in nodes {
                trip.push(node.clone());
                if !visited.insert((node, levers.clone())) {
                    return (Outcome::Cycle, trip);
                }
            }
            if idle > self.joined.len() {
                trip.extend(["circle".to_owned(), "circle".to_owned()]);
                return (Outcome::Cycle, trip);
            }
            let next = match (&thing[..1], side, points) {
                ("p", ..) => return (if number == 1 { Outcome::Win } else { Outcome::Loss }, trip),
                ("x", side, _) => ["", "3", "4", "1", "2"][side.parse::<usize>().expect("a side")].to_owned(),
                ("g", side, _) => {
                    let (color, set) = (&gates[thing], self.gates[number]);
                    let number = color[1..].parse::<usize>().expect("a colour");
                    let size = if color.starts_with('c') { STATES[number] } else { self.forks[number].1 };
                    let lever = levers.get_mut(color).expect("a lever");
                    *lever = set.map_or(*lever % size + 1, |(_, state)| state);
                    if side == "left" { "right" } else { "left" }.to_owned()
                }
                (_, "stem", Err("sprung")) => "1".to_owned(),
                (_, "stem", Ok(color)) => levers[&format!("c{color}")].to_string(),
                (_, "stem", Err("lazy")) => levers[thing].to_string(),
                (_, "stem", _) => {
                    let taken = levers[thing];
                    levers.insert(thing.to_owned(), taken % self.forks[number].1 + 1);
                    taken.to_string()
                }
                (_, branch, points) => {
                    if points == Err("lazy") {
                        levers.insert(thing.to_owned(), branch.parse().expect("a branch"));
                    }
                    "stem".to_owned()
                }
            };
            leaves = format!("({thing},{next})");
        }
    }

    /// The levers with their numbers of states, and the colours that a gate may have, which are the
    /// colours of forks.
    fn settings(&self) -> (BTreeMap<String, usize>, BTreeSet<String>) {
        let colors: BTreeSet<usize> = self.forks.iter().filter_map(|fork| fork.0.ok()).collect();
        let own = self.forks.iter().enumerate().filter(|(_, fork)| matches!(fork.0, Err("lazy" | "flip")));
        let levers = colors.iter().map(|&color| (format!("c{color}"), STATES[color]));
        let levers = levers.chain(own.map(|(fork, (_, branches))| (format!("f{fork}"), *branches))).collect();
        (levers, colors.iter().map(|color| format!("c{color}")).collect())
    }

    /// The number of configurations.
    fn configurations(&self) -> usize {
        let (levers, colors) = self.settings();
        let free = self.gates.iter().filter(|set| set.is_none()).count();
        levers.values().product::<usize>() * colors.len().pow(free as u32)
    }

    /// Drives the train for each configuration of a trip of the network, compares the nodes, and
    /// returns the number of configurations.
    fn check(&self, network: &Network, trip: &Trip) -> usize {
        let (sizes, gate_colors) = self.settings();
        let is_gate_color = |color: &usize| gate_colors.contains(network.colors[*color].name.as_str());
        let known: Vec<usize> = (0..network.colors.len()).filter(is_gate_color).collect();
        assert!(network.colors.iter().all(|color| sizes[color.name.as_str()] == color.states.len()), "{}", self.text());
        for (gate, set) in self.gates.iter().enumerate() {
            let index = network.gates.iter().position(|name| **name == format!("g{gate}")).expect("a gate");
            let may_be = set.is_some() || trip.gates[index].is_none_or(|color| is_gate_color(&color));
            assert!(may_be, "a gate has a fork's own lever: {trip:?}\n{}", self.text());
        }
        let name = |&node: &usize| network.nodes[node].name.to_string();
        let any = |value: Option<usize>, size: usize| value.map_or((0..size).collect(), |value| vec![value]);
        let colors = network.colors.iter().zip(&trip.levers).map(|(color, &state)| any(state, color.states.len()));
        let gates = trip.gates.iter().map(|color| color.map_or_else(|| known.clone(), |color| vec![color]));
        let choices: Vec<Vec<usize>> = colors.chain(gates).collect();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        for values in &choices {
            let with = |row: &Vec<usize>| values.iter().map(|&value| [&row[..], &[value]].concat()).collect::<Vec<_>>();
            rows = rows.iter().flat_map(with).collect();
        }
        for row in &rows {
            let (levers, gates) = row.split_at(network.colors.len());
            let levers = network.colors.iter().zip(levers);
            let mut levers = levers.map(|(color, state)| (color.name.to_string(), state + 1)).collect();
            let color = |(gate, &color): (&Name, &usize)| (gate.to_string(), network.colors[color].name.to_string());
            let gates = network.gates.iter().zip(gates).map(color).collect();
            let driven = self.drive(&mut levers, &gates);
            let expected = (trip.outcome, trip.nodes.iter().map(name).collect::<Vec<_>>());
            assert_eq!(driven, expected, "{row:?}\n{}", self.text());
        }
        rows.len()
    }
}

#[test]
fn random_plans_give_the_network_of_a_simulated_train() {
    let mut random = extent::random();
    let (mut plans, mut trips, mut rejected) = (0, 0, BTreeMap::<&str, usize>::new());
    while plans < extent::sample_size(1000) {
        let drawn = RandomPlan::new(&mut random);
        let text = drawn.text();
        let network = shown("asp/rail/plan.lp", &text);
        assert!(!network.iter().any(|atom| atom.starts_with("wrong")), "{network:?}\n{text}");
        let facts: String = network.iter().map(|atom| format!("{atom}.")).collect();
        let (by_plan, by_facts) = (all_trips(&text, "simulation"), all_trips(&facts, "simulation"));
        let (by_plan, by_facts) = match (by_plan, by_facts) {
            (Ok(by_plan), Ok(by_facts)) => (by_plan, by_facts),
            (Err(Failure(errors)), Err(_)) => {
                let known = ["without meeting", "meets nothing for ever", "can have no colour"];
                let why = known.into_iter().find(|known| errors[0].message.contains(known));
                *rejected.entry(why.unwrap_or_else(|| panic!("{errors:?}\n{text}"))).or_default() += 1;
                continue;
            }
            (plan, facts) => panic!("{:?} {:?}\n{text}", plan.err(), facts.err()),
        };
        let debug = |solved: &RunResult<Rail>| format!("{:?}", solved.board().network());
        assert_eq!(debug(&by_plan), debug(&by_facts), "{text}");
        plans += 1;
        let check = |trip| drawn.check(by_plan.board().network(), trip);
        assert_eq!(by_plan.answers().iter().map(check).sum::<usize>(), drawn.configurations(), "{text}");
        trips += by_plan.answers().len();
        if plans % 20 == 0 {
            for engine in ["asp", "backward"] {
                let found = all_trips(&text, engine).expect("a result");
                assert_eq!(found.answers(), by_plan.answers(), "{engine}\n{text}");
            }
        }
    }
    println!("{trips} trips; refused: {rejected:?}");
    extent::expect_counts([("trips", trips, 2500)]);
    assert!(rejected.values().sum::<usize>() < plans, "{trips} {rejected:?}");
}

/// The train would win only if g could have the lazy fork's own lever.
const PRIVATE: &str = "start s\na lazy: stem g.right, 1 t, 2 b.stem\nb red: 1 u, 2 v\ngate g: left s\ntarget t\nfinal u\nfinal v\nfixed a 2\n";

#[test]
fn a_gate_cannot_have_the_own_lever_of_a_fork() {
    let lost = |command: &str, text: &str| {
        let value = run_with_input(&format!("{command} -n 0 -f json --outcome any"), text).json();
        let counts = &value["statistics"]["configurations"];
        assert_eq!((&counts["win"], &counts["loss"]), (&"0".into(), &"2".into()), "{command}: {value}\n{text}");
        assert!(answers(&value).iter().all(|trip| trip["gates"]["g"] == "red"), "{value}");
    };
    let flip = PRIVATE.replace("a lazy", "a flip");
    for engine in ["asp", "simulation", "backward"] {
        lost(&format!("- --engine {engine}"), PRIVATE);
        let value = run_with_input(&format!("- -n 0 -f json --outcome any --engine {engine}"), &flip).json();
        assert!(answers(&value).iter().all(|trip| trip["gates"]["g"] != "a"), "{engine}: {value}");
    }
    // Networks and plans keep this property when they are written and read back.
    for more in [
        "-f asp --network",
        "-f text --network",
        "-f json --network",
        "-f dot",
        "-f plan",
        "-f facts",
        "-f json",
        "-f svg",
    ] {
        let written = run_with_input(&format!("convert - {more}"), PRIVATE);
        assert_eq!(written.code, 0, "{more}: {}", written.err);
        lost("-", &written.out);
    }
    let ran = run_with_input("- --configuration 21A", PRIVATE);
    assert!(ran.code == 2 && ran.err.contains("expected the letter of a colour for gate g: R (red)"), "{}", ran.err);
    let expanded = run_with_input("expand - -f json", PRIVATE).json();
    assert_eq!((&expanded["colorings"], &expanded["configurations"]), (&"1".into(), &"2".into()), "{expanded}");
    for engine in ["search", "asp"] {
        let repaired = run_with_input(&format!("repair - --engine {engine} -f json"), PRIVATE).json();
        assert_eq!((&repaired["before"]["win"], &repaired["before"]["loss"]), (&"0".into(), &"2".into()), "{repaired}");
        assert_eq!(repaired["redirected"].as_array().map(Vec::len), Some(1), "{repaired}");
    }
    let alone = PRIVATE.replace("b red: 1 u", "b flip: 1 u");
    let ran = run_with_input("-", &alone);
    assert!(
        ran.code == 2 && ran.err.contains("gate g can have no colour: every lever belongs to a fork"),
        "{}",
        ran.err
    );
    assert_eq!(run_with_input("-", &alone.replace("gate g:", "gate g sets b 1:")).code, 1);
    // A plan may exclude a colour from gates.
    let excluded = PRIVATE.replace("a lazy", "a blue").replace("fixed a", "fixed blue") + "own blue\n";
    lost("-", &excluded);
    lost("-", &run_with_input("convert -", &excluded).out);
    let back = run_with_input("convert - --network -f asp", &excluded).out;
    lost("-", &run_with_input("convert - --plan", &back).out);
}

#[test]
fn a_plan_in_lines_is_recognised_by_any_of_its_things() {
    let ran = run_with_input("-", "start s: end g.left\ngate g: right t\ntarget t\n");
    assert!(ran.code == 2 && ran.err.contains("gate g can have no colour: the network has no fork"), "{}", ran.err);
    for arguments in ["-", "- -p rail"] {
        let ran = run_with_input(arguments, "start s\na: stem s, 1 t, 2 u\ntarget t\nfinal u\n");
        assert!(ran.code == 2 && ran.err.contains("fork a has no colour") && ran.err.contains(":2:1"), "{}", ran.err);
    }
    // With -p rail, every text that is not a program is read as lines.
    let ran = run_with_input("- -p rail -n 0", "a red: 1 t, 2 u\nstart s: a.stem\n");
    assert!(
        ran.code == 2
            && ran.err.contains("expected an end of s and the end it joins, such as `stem b.1`, found `a.stem`"),
        "{}",
        ran.err
    );
    let ran = run_with_input("- -p rail", "fixed red 2\n");
    assert!(ran.code == 2 && ran.err.contains("no line joins two ends"), "{}", ran.err);
}

#[test]
fn lines_without_ends_reject_ends() {
    let plan = "start s: end a.stem\na red: stem s, 1 t, 2 u\ntarget t\nfinal u\n";
    for (line, found, place) in [
        ("fixed red 2: x", ": x", ":5:12"),
        ("  lever red R: stem s", ": stem s", ":5:14"),
        ("name a.1 p:", ":", ":5:11"),
        ("at a 1 2: 3 % said", ": 3", ":5:9"),
    ] {
        let ran = run_with_input("-", &format!("{plan}{line}\n"));
        let before = line.trim_start().split(':').next().unwrap_or_default();
        let expected = format!("expected the end of the line after `{before}`, found `{found}`");
        assert!(ran.code == 2 && ran.err.contains(&expected) && ran.err.contains(place), "{line}: {}", ran.err);
    }
}

#[test]
fn errors_in_a_plan_have_places() {
    let plan = "start(s). target(t). gate(g).\nfork(a). color(a,red).\ntrack((s,end),(a,stem)).\ntrack((a,1),(t,end)).\n\
                track((g,left),(g,right)).\n";
    let complete = "track((a,2),(b,end)). final_node(b).\n";
    let run = |text: &str| {
        let ran = run_with_input("- --engine simulation", text);
        (ran.code, ran.err)
    };
    assert_eq!(run(&format!("{plan}{complete}")).0, 0, "{}", run(&format!("{plan}{complete}")).1);
    let wrong = [
        ("", "end (a,2) is joined to nothing", "<stdin>:2:1"),
        ("track((a,2),(t,end)).", "end (t,end) is joined twice, to (a,1) and to (a,2)", "<stdin>:6:1"),
        ("track((a,2),(q,end)).", "end (q,end): the plan has no fork, gate, crossing or place q", "<stdin>:6:1"),
        ("track((a,2),(g,middle)).", "there is no end (g,middle): g has (g,left), (g,right)", "<stdin>:6:1"),
        ("track((a,2),(a,2)).", "end (a,2) is joined to itself", "<stdin>:6:1"),
        ("track((a,2),b).", "b is not an end", "<stdin>:6:1"),
        ("track((a,2),(b,end)). final_node(b). gate(b).", "b is a gate and a place", "<stdin>:6:"),
        ("track((a,2),(b,end)). final_node(b). kind(a,lazy).", "fork a is set in two ways", "<stdin>:6:"),
        ("track((a,2),(c,stem)). fork(c).", "fork c has no colour", "<stdin>:6:"),
        ("track((a,2),(b,end)). final_node(b). sets(g,red,5).", "has no state 5", "<stdin>:6:"),
        ("track((a,2),(b,end)). final_node(b). fixed(blue,1).", "no fork has the colour blue", "<stdin>:6:"),
        ("track((a,2),(b,end)). start(b).", "the train from b comes to s without meeting a fork", "<stdin>:6:1"),
    ];
    for (more, words, place) in wrong {
        let (code, err) = run(&format!("{plan}{more}"));
        assert_eq!(code, 2, "{more}: {err}");
        assert!(err.contains(words) && err.contains(place), "{more}: {err}");
    }
}

#[test]
fn help_for_a_plan_in_lines_is_in_lines() {
    let plan = "start s: end a.stem\na red: stem s, 1 t\ntarget t\n";
    let no_start = "a red: stem b.stem, 1 t, 2 u\nb red: 1 v, 2 w\ntarget t\nfinal u\nfinal v\nfinal w\n";
    let cases = [
        (plan, "", "end a.2 is joined to nothing", "add `2 END` to this line, or `… a.2` to the line of what it joins"),
        (plan, "final u: end a.2\nfinal v: end a.2\n", "end a.2 is joined twice, to u and to v", "joined to one other"),
        (plan, "final u: end a.2\ngate g: middle u\n", "there is no end g.middle: g has g.left, g.right", "FORK.stem"),
        (plan, "final u: end a.2\nb: stem b.1\n", "fork b has no colour", "expected `b COLOUR: …`"),
        (no_start, "", "the network has no start", "add a line `start NAME: end END`"),
    ];
    for (plan, more, words, help) in cases {
        let ran = run_with_input("- -p rail --engine simulation", &format!("{plan}{more}"));
        assert_eq!(ran.code, 2, "{more}: {}", ran.err);
        assert!(ran.err.contains(words) && ran.err.contains(help), "{more}: {}", ran.err);
        assert!(!ran.err.contains("track(") && !ran.err.contains("(a,"), "{more}: {}", ran.err);
    }
}

#[test]
fn the_correct_spelling_of_a_kind_is_suggested() {
    let plan = "start s: end a.stem\na red: stem s, 1 g.left, 2 t\nfinal u\n";
    let run = |more: &str| run_with_input("- -p rail --engine simulation", &format!("{plan}{more}"));
    let ran = run("gate g: right u\ntarget t\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (more, kind) in [
        ("gat g: right u\ntarget t\n", "gate"),
        ("gat g sets red 1: right u\ntarget t\n", "gate"),
        ("gate g: right u\ntargt t\n", "target"),
    ] {
        let ran = run(more);
        assert_eq!(ran.code, 2, "{more}: {}", ran.err);
        assert!(ran.err.contains(&format!("did you mean {kind}?")), "{more}: {}", ran.err);
        assert_eq!(ran.err.matches("error:").count(), 1, "{more}: {}", ran.err);
    }
    // A fork with a stem may have any name.
    let ran = run_with_input("- -p rail", "start s: end gat.stem\ngat red: 1 t, 2 u\ntarget t\nfinal u\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

const LATCH: &str = include_str!("../../../instances/latch.plan");
const COUNTER: &str = include_str!("../../../instances/counter.plan");
const TRAP: &str = include_str!("../../../instances/trap.plan");

#[test]
fn a_latch_holds_the_last_written_value() {
    for engine in ["asp", "simulation", "backward"] {
        let value = run_with_input(&format!("- -n 0 -f json --outcome any --engine {engine}"), LATCH).json();
        let trips: Vec<(String, String, usize)> = answers(&value)
            .iter()
            .map(|answer| {
                let text = |key: &str| answer[key].as_str().expect("a text").to_owned();
                (text("configuration"), text("outcome"), answer["trip"].as_array().expect("a trip").len())
            })
            .collect();
        let trips: Vec<(&str, &str, usize)> = trips.iter().map(|(one, two, three)| (&**one, &**two, *three)).collect();
        // The lever of r, then that of w; the nodes are w, the branch of r, r, and the end.
        assert_eq!(trips, [("11", "win", 4), ("21", "win", 4), ("12", "loss", 4), ("22", "loss", 4)], "{engine}");
    }
}

#[test]
fn a_counter_of_three_bits_visits_its_eight_states() {
    for engine in ["asp", "simulation", "backward"] {
        let value = run_with_input(&format!("- -n 0 -f json --outcome any --engine {engine}"), COUNTER).json();
        let [answer] = &answers(&value)[..] else { panic!("one configuration") };
        let counted: Vec<&str> = (answer["trip"].as_array().expect("a trip").iter())
            .filter(|step| step["node"] == "f")
            .map(|step| step["levers"].as_str().expect("levers"))
            .collect();
        assert_eq!(counted, ["111", "211", "121", "221", "112", "212", "122", "222"], "{engine}");
        assert_eq!(answer["outcome"], "win");
    }
}

#[test]
fn a_layout_that_traps_the_train_is_repaired() {
    let cycles = |plan: &str| {
        let value = run_with_input("- -n 0 -f json --outcome any", plan).json();
        value["statistics"]["configurations"]["cycle"].clone()
    };
    assert_eq!(cycles(TRAP), "1");
    for engine in ["asp", "search"] {
        let value = run_with_input(&format!("repair - -f json --engine {engine}"), TRAP).json();
        assert_eq!(value["redirected"].as_array().map(Vec::len), Some(1));
        assert_eq!((&value["least"], &value["after"]["cycle"]), (&true.into(), &"0".into()));
        assert_eq!(cycles(value["program"].as_str().expect("a program")), "0");
    }
    // A node of the network that is not part of the plan is explained in words of the plan.
    let text = run_with_input("repair -", TRAP).out;
    assert!(text.contains("%   (circle: a train goes round over m, n for ever and meets nothing)"), "{text}");
    // All tools work on plans with forks that flip and gates that set levers.
    for command in ["repair -", "rate -", "expand -", "- -f svg", "- -f html", "- -f dot"] {
        for plan in [LATCH, COUNTER, TRAP] {
            let ran = run_with_input(command, plan);
            assert_eq!(ran.code, 0, "{command}: {}\n{plan}", ran.err);
        }
    }
}

#[test]
fn a_plan_is_the_same_in_every_notation() {
    let drawn = run_line("convert instances/deponia-plan.lp -f svg").out;
    for name in [">a<", ">stem<", ">left<"] {
        assert!(drawn.contains(name), "the ends have no name {name}");
    }
    for text in [&std::fs::read_to_string("instances/deponia-plan.lp").expect("the plan"), LATCH, COUNTER, TRAP, &drawn]
    {
        let network = |text: &str| {
            let ran = run_with_input("convert - -f asp --network", text);
            assert_eq!(ran.code, 0, "{}", ran.err);
            // A drawing has positions.
            ran.out.lines().filter(|line| !line.starts_with("position")).map(str::to_owned).collect::<Vec<_>>()
        };
        for format in ["text", "asp", "json", "svg"] {
            let other = run_with_input(&format!("convert - -f {format}"), text);
            assert_eq!((other.code, network(&other.out)), (0, network(text)), "{format}: {}", other.err);
        }
        let facts = |text: &str| run_with_input("convert - -f asp --network", text).out;
        let dot = run_with_input("convert - -f dot", text).out;
        let (by_dot, by_plan) = (run_with_input("- -n 0 -f json --outcome any", &dot), facts(text));
        let by_plan = run_with_input("- -n 0 -f json --outcome any", &by_plan);
        assert_eq!(answers(&by_dot.json()), answers(&by_plan.json()));
    }
}

#[test]
fn the_picture_of_a_plan_shows_the_set_branch_of_each_fork() {
    let svg = run_line("instances/deponia-plan.lp -f svg --configuration 112RV").out;
    let tree = roxmltree::Document::parse(&svg).expect("SVG");
    let paths = tree.descendants().filter(|node| node.has_tag_name("path"));
    let of = |width: &str| paths.clone().filter(|path| path.attribute("stroke-width") == Some(width)).count();
    // At the first step 22 forks have a solid branch and a dashed one; the hidden branches are
    // those of later steps.
    let hidden = |node: &roxmltree::Node<'_, '_>| node.parent().is_some_and(|mark| mark.has_attribute("visibility"));
    let shown = |width: &str| {
        let of = paths.clone().filter(|path| path.attribute("stroke-width") == Some(width));
        of.filter(|path| !hidden(path)).count()
    };
    assert_eq!((shown("5"), shown("2.5")), (22, 22));
    assert!(of("5") > 22, "levers move on this trip");
    assert_eq!(of("7"), 36 + 2 * 2 + 2, "36 tracks, two gates and two places");
}

#[test]
fn a_plan_is_found_for_a_network() {
    // The tracks of the included plan are as short as possible.
    let length = |text: &str| -> i64 {
        let numbers = |fact: &str| -> Vec<(String, i64, i64)> {
            let facts = text.lines().filter_map(|line| line.strip_prefix(fact)?.strip_suffix(")."));
            let read = |fact: &str| {
                let mut parts = fact.rsplitn(3, ',');
                let [y, x] = [parts.next()?, parts.next()?].map(|part| part.parse().ok());
                Some((parts.next()?.to_owned(), x?, y?))
            };
            facts.filter_map(read).collect()
        };
        let places = numbers("position(");
        let place = |end: &str| {
            let name = end.trim_matches(['(', ')']).split(',').next().expect("a name");
            places
                .iter()
                .find(|place| place.0 == name)
                .map(|place| (place.1, place.2))
                .unwrap_or_else(|| panic!("{name}: {text}"))
        };
        let tracks: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("track(")).collect();
        assert_eq!(tracks.len(), 36, "{text}");
        let ends = |track: &str| {
            let (one, other) = track.split_once("),").expect("two ends");
            let [(x, y), (end_x, end_y)] = [one, other].map(place);
            (x - end_x).abs() + (y - end_y).abs()
        };
        tracks.into_iter().map(ends).sum()
    };
    let plans = ["deponia.lp", "cycle.lp"]
        .map(|instance| (instance, run_line(&format!("convert instances/{instance} --plan -f asp"))));
    let found = length(&plans[0].1.out);
    assert_eq!(found, length(&run_line("convert instances/deponia-plan.lp -f asp").out));
    assert!(found > 0);
    for (instance, ran) in plans {
        let back = run_with_input("convert - --network -f asp", &ran.out);
        match ran.code {
            0 => assert_eq!(back.out.lines().map(str::to_owned).collect::<BTreeSet<_>>(), facts_of(instance)),
            code => assert_eq!((code, ran.out.as_str()), (1, ""), "{instance}"),
        }
    }
}

fn facts_of(instance: &str) -> BTreeSet<String> {
    shown(&format!("instances/{instance}"), "").iter().map(|fact| format!("{fact}.")).collect()
}
