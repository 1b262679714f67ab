//! Reasons that puzzles provide themselves, checked by brute force that shares no code with them;
//! and the places of clues.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::support::{RunOutput, file, folder, run, run_line, run_with_input};

/// The words of the parts of a cause.
fn words_of(because: &Value) -> Vec<&str> {
    because.as_array().expect("parts").iter().map(|part| part["words"].as_str().expect("words")).collect()
}

/// The parts of the cause of an impossible instance, which `why` prints too, and whether the cause
/// is smallest.
fn because(input: &str, text: &str) -> (Vec<Value>, Value) {
    let value = run_with_input("- -f json", text).json();
    assert_eq!(value["verdict"], "impossible", "{text}");
    let ran = run_with_input(&format!("why - -f json {input}"), text);
    let why = ran.json();
    assert_eq!((ran.code, &why["verdict"]), (0, &"unsatisfiable".into()), "{text}");
    assert_eq!(why["causes"][0], value["because"], "{text}");
    (value["because"].as_array().expect("parts").clone(), why["smallest"].clone())
}

/// All boards that can be reached by swapping the free cell with a neighbour.
fn reachable(rows: usize, columns: usize, goal: &[usize]) -> BTreeSet<Vec<usize>> {
    let mut reached = BTreeSet::from([goal.to_vec()]);
    let mut queue = VecDeque::from([goal.to_vec()]);
    while let Some(board) = queue.pop_front() {
        let free = board.iter().position(|&tile| tile == 0).expect("a free cell");
        let near = |cell: usize| {
            let steps = (free / columns).abs_diff(cell / columns) + (free % columns).abs_diff(cell % columns);
            steps == 1
        };
        for cell in (0..rows * columns).filter(|&cell| near(cell)) {
            let mut next = board.clone();
            next.swap(free, cell);
            if reached.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    reached
}

#[test]
fn the_cycles_of_a_taquin_are_those_of_its_permutation_with_the_parity_of_brute_force() {
    let goal = [1, 2, 3, 4, 5, 0];
    let solvable = reachable(2, 3, &goal);
    let mut random = fastrand::Rng::with_seed(7);
    let (mut impossible, mut possible) = (0, 0);
    for _ in 0..24 {
        let mut board = goal.to_vec();
        random.shuffle(&mut board);
        let text: Vec<String> =
            board.chunks(3).map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect();
        let text = text.join("\n");
        if solvable.contains(&board) {
            let ran = run_with_input("why - -f json", &text);
            assert_eq!((ran.code, &ran.json()["verdict"]), (1, &"satisfiable".into()), "{text}");
            possible += 1;
            continue;
        }
        impossible += 1;
        let (because, smallest) = because("", &text);
        assert_eq!(smallest, true);
        // Each tile of a cycle lies where the previous one belongs.
        let name = |word: &str| if word == "free" { 0 } else { word.parse().expect("a tile") };
        let cycles: Vec<Vec<usize>> = because[0]["text"]
            .as_str()
            .expect("cycles")
            .split(')')
            .filter(|cycle| !cycle.is_empty())
            .map(|cycle| cycle.trim_start_matches('(').split(' ').map(name).collect())
            .collect();
        let mut moved = BTreeSet::new();
        for cycle in &cycles {
            for (index, tile) in cycle.iter().enumerate() {
                let next = cycle[(index + 1) % cycle.len()];
                let home = goal.iter().position(|other| other == tile);
                assert_eq!(home, board.iter().position(|other| *other == next), "{text}: {cycles:?}");
                assert!(moved.insert(*tile));
            }
        }
        let away = (0..6).filter(|&cell| board[cell] != goal[cell]).count();
        assert_eq!(moved.len(), away, "{text}: {cycles:?}");
        let exchanges: usize = cycles.iter().map(|cycle| cycle.len() - 1).sum();
        let free = board.iter().position(|&tile| tile == 0).expect("a free cell");
        let steps = (1 - free / 3) + (2 - free % 3);
        assert_ne!(exchanges % 2, steps % 2, "{text}");
        assert!(words_of(&because.clone().into())[1].contains(&format!("{steps} step")), "{text}");
    }
    assert!(impossible > 5 && possible > 5, "{impossible} {possible}");
}

#[test]
fn tiles_that_cannot_pass_on_a_single_line_are_named() {
    let (because, _) = because("", "4x1: 2 1 3 0");
    assert_eq!(because[0]["text"], "2 1");
}

/// The kinds on the cells of a burrow: the hallway with its doors, then the rooms from the top.
type Burrow = (Vec<u8>, Vec<Vec<u8>>);

/// Returns true if all amphipods get home, by a search through all states.
fn all_get_home((hallway, rooms): &Burrow) -> bool {
    let door = |room: usize| 2 * room + 2;
    let is_door = |column: usize| column >= 2 && column.is_multiple_of(2) && column < 2 * rooms.len() + 2;
    let kind_of = |room: usize| b'A' + room as u8;
    let mut reached = BTreeSet::from([(hallway.clone(), rooms.clone())]);
    let mut open = vec![(hallway.clone(), rooms.clone())];
    while let Some((hallway, rooms)) = open.pop() {
        let is_home =
            |(room, cells): (usize, &Vec<u8>)| cells.iter().all(|&cell| cell == b'.' || cell == kind_of(room));
        if hallway.iter().all(|&cell| cell == b'.') && rooms.iter().enumerate().all(is_home) {
            return true;
        }
        let free = |from: usize, to: usize| {
            (from.min(to)..=from.max(to)).all(|column| column == from || hallway[column] == b'.')
        };
        let mut next = Vec::new();
        for column in (0..hallway.len()).filter(|&column| hallway[column] != b'.') {
            let room = usize::from(hallway[column] - b'A');
            if is_home((room, &rooms[room])) && free(column, door(room)) {
                let level = rooms[room].iter().rposition(|&cell| cell == b'.').expect("a cell");
                let mut state = (hallway.clone(), rooms.clone());
                state.1[room][level] = hallway[column];
                state.0[column] = b'.';
                next.push(state);
            }
        }
        for room in 0..rooms.len() {
            let Some(level) = rooms[room].iter().position(|&cell| cell != b'.') else { continue };
            for column in (0..hallway.len()).filter(|&column| !is_door(column) && hallway[column] == b'.') {
                if free(door(room), column) {
                    let mut state = (hallway.clone(), rooms.clone());
                    state.0[column] = rooms[room][level];
                    state.1[room][level] = b'.';
                    next.push(state);
                }
            }
        }
        open.extend(next.into_iter().filter(|state| reached.insert(state.clone())));
    }
    false
}

fn drawing((hallway, rooms): &Burrow) -> String {
    let mut lines = vec!["#".repeat(hallway.len() + 2), format!("#{}#", String::from_utf8_lossy(hallway))];
    for level in 0..rooms[0].len() {
        let cells: Vec<String> = rooms.iter().map(|room| char::from(room[level]).to_string()).collect();
        lines.push(format!("###{}###", cells.join("#")));
    }
    lines.join("\n")
}

#[test]
fn blocking_amphipods_are_a_smallest_set_that_cannot_get_home() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for _ in 0..60 {
        let mut burrow: Burrow = (vec![b'.'; 9], vec![vec![b'.'; 2]; 3]);
        let mut kinds = *b"AABBCC";
        random.shuffle(&mut kinds);
        let stops = [0, 1, 3, 5, 7, 8];
        for &kind in &kinds {
            let stop = *random.choice(&stops).expect("a stop");
            let room = random.usize(..3);
            if random.u8(..3) > 0 && burrow.0[stop] == b'.' {
                burrow.0[stop] = kind;
            } else if let Some(level) = burrow.1[room].iter().rposition(|&cell| cell == b'.') {
                burrow.1[room][level] = kind;
            }
        }
        if all_get_home(&burrow) {
            continue;
        }
        let text = drawing(&burrow);
        let (because, smallest) = because("", &text);
        assert_eq!(smallest, true, "{text}");
        // "the D in hallway 4", "the A in room C, level 2"
        let blocking: Vec<(u8, Option<usize>, usize)> = because
            .iter()
            .map(|part| {
                let words: Vec<&str> = part["text"].as_str().expect("a text").split([' ', ',']).collect();
                let number = words.last().expect("a word").parse::<usize>().expect("a number") - 1;
                let room = (words[3] == "room").then(|| usize::from(words[4].as_bytes()[0] - b'A'));
                (words[1].as_bytes()[0], room, number)
            })
            .collect();
        let burrow_with = |amphipods: &[(u8, Option<usize>, usize)]| {
            let mut only: Burrow = (vec![b'.'; 9], vec![vec![b'.'; 2]; 3]);
            let mut amphipods = amphipods.to_vec();
            amphipods.sort_by_key(|amphipod| std::cmp::Reverse(amphipod.2));
            for (kind, room, at) in amphipods {
                match room {
                    None => {
                        assert_eq!(burrow.0[at], kind, "{text}");
                        only.0[at] = kind;
                    }
                    Some(room) => {
                        assert_eq!(burrow.1[room][at], kind, "{text}");
                        let level = only.1[room].iter().rposition(|&cell| cell == b'.').expect("a cell");
                        only.1[room][level] = kind;
                    }
                }
            }
            only
        };
        assert!(!all_get_home(&burrow_with(&blocking)), "{text}: {blocking:?}");
        // Every smaller set of amphipods gets home.
        let all: Vec<(u8, Option<usize>, usize)> =
            burrow
                .0
                .iter()
                .enumerate()
                .map(|(at, &kind)| (kind, None, at))
                .chain(
                    burrow.1.iter().enumerate().flat_map(|(room, cells)| {
                        cells.iter().enumerate().map(move |(at, &kind)| (kind, Some(room), at))
                    }),
                )
                .filter(|amphipod| amphipod.0 != b'.')
                .collect();
        for set in 0..1_u32 << all.len() {
            if (set.count_ones() as usize) < blocking.len() {
                let fewer: Vec<_> =
                    (0..all.len()).filter(|index| set >> index & 1 == 1).map(|index| all[index]).collect();
                assert!(all_get_home(&burrow_with(&fewer)), "{text}: {fewer:?}");
            }
        }
        *sizes.entry(blocking.len()).or_default() += 1;
    }
    assert!(sizes.len() >= 2, "{sizes:?}");
}

/// A game: its text, start, moves and goal, and the divisor whose remainders exclude the goal.
type Game = (&'static str, u64, [fn(u64) -> u64; 2], u64, u64);

#[test]
fn an_impossible_game_is_explained_by_remainders_or_all_reachable_numbers() {
    let games: [Game; 3] = [
        (r#"{"start": 1, "moves": ["4*n", "n+3"], "goal": 42}"#, 1, [|n| 4 * n, |n| n + 3], 42, 3),
        (r#"{"start": 5, "moves": ["n*n", "2*n"], "goal": 42}"#, 5, [|n| n * n, |n| 2 * n], 42, 3),
        (r#"{"start": 7, "moves": ["n+10", "11*n"], "goal": 85}"#, 7, [|n| n + 10, |n| 11 * n], 85, 5),
    ];
    for (text, start, moves, goal, divisor) in games {
        let (because, _) = because("", text);
        let words = because[0]["words"].as_str().expect("words");
        let remainders: BTreeSet<u64> = words
            .rsplit_once("with remainder ")
            .expect("remainders")
            .1
            .split(", ")
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert!(words.starts_with(&format!("divided by {divisor}, ")), "{words}");
        let mut reached = BTreeSet::from([start]);
        for _ in 0..6 {
            reached.extend(reached.clone().iter().flat_map(|&n| moves.map(|step| step(n))).filter(|&n| n < 1_000_000));
        }
        assert_eq!(reached.iter().map(|n| n % divisor).collect::<BTreeSet<u64>>(), remainders, "{words}");
        assert!(!remainders.contains(&(goal % divisor)));
    }
    let (because, _) = because("", r#"{"start": 27, "moves": ["n%10", "n/2"], "goal": 42}"#);
    assert_eq!(words_of(&because.into()), ["the moves reach 6 numbers: 1, 3, 6, 7, 13, 27; no goal is among them"]);
    let (because, _) = self::because("", r#"{"start": 2, "moves": ["n*n*n"], "goal": [9, 500]}"#);
    let words: Vec<&str> = because.iter().filter_map(|part| part["words"].as_str()).collect();
    assert!(words[0].starts_with("divided by") || words[1].contains("2, 8"), "{words:?}");
}

/// A random railway: the lever and the two arcs of each node.
struct Railway {
    colors: BTreeMap<char, usize>,
    arcs: BTreeMap<char, [char; 2]>,
}

impl Railway {
    fn random(random: &mut fastrand::Rng) -> Railway {
        let nodes: Vec<char> = ('a'..='h').collect();
        let colors = nodes.iter().map(|&node| (node, random.usize(..2))).collect();
        let mut end = || match random.u8(..12) {
            0 => 't',
            1..=3 => 's',
            _ => *random.choice(&nodes).expect("a node"),
        };
        let arcs = nodes.iter().map(|&node| (node, [end(), end()])).collect();
        Railway { colors, arcs }
    }

    fn facts(&self) -> String {
        let mut text = "start(a). target(t). final_node(s).\n".to_owned();
        for (node, [first, second]) in &self.arcs {
            text += &format!("color({node},c{}). rel({node},1,{first}). rel({node},2,{second}).\n", self.colors[node]);
        }
        text
    }

    /// The nodes of a trip, up to the first that repeats.
    fn trip(&self, from: char, levers: [usize; 2]) -> Vec<char> {
        let mut nodes = vec![from];
        while let Some(arcs) = self.arcs.get(&nodes[nodes.len() - 1]) {
            let next = arcs[levers[self.colors[&nodes[nodes.len() - 1]]]];
            let is_repeated = nodes.contains(&next);
            nodes.push(next);
            if is_repeated {
                break;
            }
        }
        nodes
    }

    fn all(&self) -> Vec<([usize; 2], Vec<char>)> {
        let all = [[0, 0], [0, 1], [1, 0], [1, 1]];
        all.map(|levers| (levers, self.trip('a', levers))).to_vec()
    }
}

#[test]
fn no_trip_takes_the_named_arcs_and_without_them_no_target_can_be_reached() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut impossible, mut forks) = (0, 0);
    let folder = folder();
    for number in 0..60 {
        let railway = Railway::random(&mut random);
        let trips = railway.all();
        let is_won = trips.iter().any(|(_, nodes)| nodes.contains(&'t'));
        let path = file(folder.path(), &format!("{number}.lp"), railway.facts());
        let ran = run(["why", "-f", "json", path.to_str().expect("a path")]);
        let value = ran.json();
        assert_eq!(value["verdict"], if is_won { "satisfiable" } else { "unsatisfiable" }, "{}", railway.facts());
        assert_eq!(ran.code, i32::from(is_won));
        if is_won {
            continue;
        }
        impossible += 1;
        let parts = value["causes"][0].as_array().expect("parts");
        let arcs: BTreeSet<(char, usize, char)> = parts[1..]
            .iter()
            .map(|part| {
                let text: Vec<char> = part["text"].as_str().expect("a fact").chars().collect();
                assert_eq!(part["file"], path.to_str().expect("a path"));
                assert!(part["line"].as_u64().is_some_and(|line| line > 1));
                (text[4], text[6].to_digit(10).expect("a state") as usize - 1, text[8])
            })
            .collect();
        forks += arcs.len();
        // No trip takes one of the arcs, and without them no node of a trip leads to the target.
        let visited: BTreeSet<char> = trips.iter().flat_map(|(_, nodes)| nodes.clone()).collect();
        for &(node, state, next) in &arcs {
            assert_eq!(railway.arcs[&node][state], next);
            assert!(visited.contains(&node));
            for (levers, nodes) in &trips {
                let is_set = levers[railway.colors[&node]] == state;
                assert!(!(nodes.contains(&node) && is_set), "{node} {state}: {}", railway.facts());
            }
        }
        let mut reached = visited.clone();
        let mut open: Vec<char> = visited.into_iter().collect();
        while let Some(node) = open.pop() {
            for state in 0..2 {
                let Some(next) = railway.arcs.get(&node).map(|arcs| arcs[state]) else { continue };
                if !arcs.contains(&(node, state, next)) && reached.insert(next) {
                    open.push(next);
                }
            }
        }
        assert!(!reached.contains(&'t'), "{}", railway.facts());
    }
    assert!(impossible > 10 && forks > 3, "{impossible} {forks}");
}

#[test]
fn a_losing_configuration_is_explained_by_the_last_fork_where_another_lever_wins() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut some, mut none) = (0, 0);
    let folder = folder();
    for number in 0..25 {
        let railway = Railway::random(&mut random);
        let path = file(folder.path(), &format!("{number}.lp"), railway.facts());
        let used: BTreeSet<usize> = railway.colors.values().copied().collect();
        if used.len() < 2 {
            continue;
        }
        for (levers, nodes) in railway.all() {
            let configuration = format!("{}{}", levers[0] + 1, levers[1] + 1);
            let value = run(["why", "-f", "json", path.to_str().expect("a path"), &configuration]).json();
            let trip = &value["trips"][0];
            let is_won = nodes.contains(&'t');
            assert_eq!(trip["answer"]["outcome"] == "win", is_won, "{configuration} {}", railway.facts());
            if is_won {
                assert!(trip.get("last_fork").is_none());
                continue;
            }
            // The trip goes on from the fork with the other state of its lever.
            let wins = |&&(_, node): &&(usize, char)| {
                if railway.arcs.get(&node).is_none_or(|arcs| arcs[0] == arcs[1]) {
                    return false;
                }
                let mut other = levers;
                other[railway.colors[&node]] = 1 - levers[railway.colors[&node]];
                railway.trip(node, other).contains(&'t')
            };
            let steps: Vec<(usize, char)> = nodes.iter().copied().enumerate().collect();
            // The last node of a cycle occurred before.
            match steps[..steps.len() - 1].iter().rev().find(wins) {
                Some((step, node)) => {
                    some += 1;
                    let is_cycle = nodes[..nodes.len() - 1].contains(&nodes[nodes.len() - 1]);
                    let fork = &trip["last_fork"];
                    if !is_cycle {
                        assert_eq!(fork["step"], step + 1, "{configuration} {}", railway.facts());
                        assert_eq!(fork["node"], node.to_string());
                    }
                    let trip: Vec<&str> =
                        fork["trip"].as_array().expect("nodes").iter().filter_map(Value::as_str).collect();
                    assert_eq!(trip.last(), Some(&"t"));
                }
                None => {
                    none += 1;
                    assert!(trip.get("last_fork").is_none(), "{configuration} {}", railway.facts());
                }
            }
        }
    }
    assert!(some > 3 && none > 3, "{some} {none}");
}

#[test]
fn the_nearest_winning_configuration_is_named() {
    let ran = run_line("why instances/deponia.lp 211VV");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for words in
        ["211VV: loss through 14 nodes", "is r, step 12: the lever of green stood at 2; at 1", "r z t", "is 211RV"]
    {
        assert!(ran.out.contains(words), "{words}\n{}", ran.out);
    }
    assert!(run_line("why instances/deponia.lp 211RV").out.contains("win through 10 nodes"));
    let wrong = run_line("why instances/deponia.lp 21");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("expected a configuration"), "{}", wrong.err);
}

/// A board of Minesweeper: the number of each cell, or -1 for a closed cell.
struct Mines {
    columns: usize,
    cells: Vec<i32>,
    total: usize,
}

impl Mines {
    fn random(random: &mut fastrand::Rng) -> Mines {
        let mines: Vec<bool> = (0..12).map(|_| random.u8(..4) == 0).collect();
        let mut board = Mines { columns: 4, cells: vec![-1; 12], total: mines.iter().filter(|mine| **mine).count() };
        for cell in 0..12 {
            if !mines[cell] && random.bool() {
                board.cells[cell] = board.near(cell).into_iter().filter(|&near| mines[near]).count() as i32;
            }
        }
        board
    }

    fn near(&self, cell: usize) -> Vec<usize> {
        let (row, column) = (cell / self.columns, cell % self.columns);
        let is_near = |&other: &usize| {
            let (down, right) = (row.abs_diff(other / self.columns), column.abs_diff(other % self.columns));
            down <= 1 && right <= 1 && other != cell
        };
        (0..self.cells.len()).filter(is_near).collect()
    }

    fn text(&self) -> String {
        let sign = |cell: &i32| if *cell < 0 { "?".to_owned() } else { cell.to_string() };
        let rows: Vec<String> = self.cells.chunks(self.columns).map(|row| row.iter().map(sign).collect()).collect();
        format!("mines {}\n{}\n", self.total, rows.join("\n"))
    }

    /// All layouts that agree with the given numbers, and with the total if `with_total` is set.
    fn layouts(&self, numbers: &[usize], with_total: bool) -> Vec<u32> {
        let fits = |layout: &u32| {
            (0..self.cells.len()).all(|cell| self.cells[cell] < 0 || layout >> cell & 1 == 0)
                && numbers.iter().all(|&number| {
                    let mines = self.near(number).into_iter().filter(|near| layout >> near & 1 == 1).count();
                    mines as i32 == self.cells[number]
                })
                && (!with_total || layout.count_ones() as usize == self.total)
        };
        (0..1_u32 << self.cells.len()).filter(fits).collect()
    }

    fn numbers(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&cell| self.cells[cell] >= 0).collect()
    }

    /// The cells of the numbers among the parts of a cause, and whether the total is a part.
    fn clues_of(&self, parts: &Value) -> (Vec<usize>, bool) {
        let texts: Vec<&str> =
            parts.as_array().expect("parts").iter().filter_map(|part| part["text"].as_str()).collect();
        let number = |text: &&str| {
            let arguments: Vec<usize> = text
                .strip_prefix("number(")?
                .trim_end_matches(')')
                .split(',')
                .map(|number| number.parse().expect("a number"))
                .collect();
            let cell = (arguments[0] - 1) * self.columns + arguments[1] - 1;
            assert_eq!(self.cells[cell], arguments[2] as i32);
            Some(cell)
        };
        (texts.iter().filter_map(number).collect(), texts.iter().any(|text| text.starts_with("mines(")))
    }

    fn cell_of_atom(&self, atom: &str) -> usize {
        let arguments = atom.strip_prefix("mine(").and_then(|rest| rest.strip_suffix(')')).expect("an atom");
        let (row, column) = arguments.split_once(',').expect("two arguments");
        // Atoms count from 1.
        let [row, column] = [row, column].map(|text| text.parse::<usize>().expect("a number") - 1);
        row * self.columns + column
    }

    fn layout_of(&self, atoms: &Value) -> u32 {
        atoms
            .as_array()
            .expect("atoms")
            .iter()
            .map(|atom| 1 << self.cell_of_atom(atom.as_str().expect("an atom")))
            .sum()
    }

    fn cells_of(&self, places: &Value) -> u32 {
        let cell = |place: &Value| {
            place[0].as_u64().expect("a row") as usize * self.columns + place[1].as_u64().expect("a column") as usize
        };
        places.as_array().expect("places").iter().map(|place| 1 << cell(place)).sum()
    }
}

#[test]
fn a_certain_cell_follows_from_the_named_numbers_and_an_uncertain_cell_has_two_layouts() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut decided, mut open, mut boards) = (0, 0, 0);
    while boards < 14 {
        let board = Mines::random(&mut random);
        let (numbers, text) = (board.numbers(), board.text());
        if numbers.is_empty() || numbers.len() == board.cells.len() {
            continue;
        }
        boards += 1;
        let layouts = board.layouts(&numbers, true);
        for cell in (0..board.cells.len()).filter(|&cell| board.cells[cell] < 0) {
            let atom = format!("mine({},{})", cell / board.columns + 1, cell % board.columns + 1);
            let RunOutput { code, out, err } = run_with_input(&format!("why - {atom} -f json"), &text);
            assert_eq!(code, 0, "{text}{err}");
            let value: Value = serde_json::from_str(&out).expect("JSON");
            let mined = layouts.iter().filter(|&&layout| layout >> cell & 1 == 1).count();
            let holds = if mined == layouts.len() {
                "always"
            } else if mined == 0 {
                "never"
            } else {
                "sometimes"
            };
            assert_eq!(value["holds"], holds, "{atom}\n{text}");
            if holds != "sometimes" {
                decided += 1;
                let (numbers, total) = board.clues_of(&value["because"]);
                let is_mine = holds == "always";
                assert!(
                    board.layouts(&numbers, total).iter().all(|layout| (layout >> cell & 1 == 1) == is_mine),
                    "{atom}\n{text}"
                );
                // No number is redundant.
                for left_out in &numbers {
                    let fewer: Vec<usize> = numbers.iter().copied().filter(|other| other != left_out).collect();
                    assert!(
                        board.layouts(&fewer, total).iter().any(|layout| (layout >> cell & 1 == 1) != is_mine),
                        "{atom}\n{text}"
                    );
                }
                continue;
            }
            open += 1;
            let [with, without] = ["with", "without"].map(|key| board.layout_of(&value[key]));
            assert!(layouts.contains(&with) && layouts.contains(&without), "{atom}\n{text}{out}");
            assert!(with >> cell & 1 == 1 && without >> cell & 1 == 0);
            let differ = value["differ"].as_array().expect("atoms").iter().filter_map(Value::as_str);
            for atom in differ.clone() {
                let cell = board.cell_of_atom(atom.trim_start_matches("not "));
                assert_eq!(with >> cell & 1 == 1, atom.starts_with("not "), "{atom}\n{text}");
            }
            assert_eq!(differ.count() as u32 + 1, (with ^ without).count_ones(), "{atom}\n{text}");
            // The information of each number that the cell may show.
            let safe: Vec<u32> = layouts.iter().copied().filter(|layout| layout >> cell & 1 == 0).collect();
            let mut sum = 0.0;
            for entry in value["numbers"].as_array().expect("numbers") {
                let number = entry["number"].as_u64().expect("a number") as usize;
                let around = board.near(cell);
                let shows = |layout: &&u32| around.iter().filter(|&near| *layout >> near & 1 == 1).count() == number;
                let after: Vec<u32> = safe.iter().filter(shows).copied().collect();
                let expected = after.len() as f64 / layouts.len() as f64;
                let probability = entry["probability"].as_f64().expect("a probability");
                assert!((probability - expected).abs() < 1e-12, "{atom} {number}\n{text}");
                sum += probability;
                for other in (0..board.cells.len()).filter(|&other| board.cells[other] < 0 && other != cell) {
                    let is_always =
                        |layouts: &[u32], mine: bool| layouts.iter().all(|layout| (layout >> other & 1 == 1) == mine);
                    for (key, mine) in [("safe", false), ("mines", true)] {
                        let is_new = is_always(&after, mine) && !is_always(&layouts, mine);
                        assert_eq!(
                            board.cells_of(&entry[key]) >> other & 1 == 1,
                            is_new,
                            "{atom} {number} {other}\n{text}"
                        );
                    }
                }
            }
            assert!((sum + mined as f64 / layouts.len() as f64 - 1.0).abs() < 1e-12, "{atom}\n{text}");
        }
    }
    assert!(decided > 20 && open > 20, "{decided} {open}");
}

#[test]
fn contradictory_numbers_are_named_with_their_places() {
    let text = "mines 2\n1??\n?3?\n??1\n";
    let (because, smallest) = because("", text);
    assert_eq!(smallest, true);
    let places: Vec<(u64, u64)> = because
        .iter()
        .map(|part| (part["line"].as_u64().expect("a line"), part["column"].as_u64().expect("a column")))
        .collect();
    assert_eq!(places, [(3, 2), (1, 1)]);
    let ran = run_line("why instances/minesweeper.txt -f json");
    assert_eq!((ran.code, &ran.json()["verdict"]), (1, &"satisfiable".into()));
}

#[test]
fn the_steps_of_a_minesweeper_board_are_its_reasons_and_the_first_is_the_hint() {
    let all = run_line("hint instances/minesweeper.txt --steps -f json").json();
    let steps = all["steps"].as_array().expect("steps");
    let solved = run_line("instances/minesweeper.txt -f json").json();
    let explained = solved["answers"][0]["explain"].as_array().expect("reasons").len();
    let follows: usize = steps.iter().map(|step| step["follows"].as_array().expect("a list").len()).sum();
    assert_eq!((follows, &all["verdict"]), (explained, &"open".into()));
    let first = run_line("hint instances/minesweeper.txt -f json").json();
    assert_eq!((first["steps"].as_array().map(Vec::len), &first["verdict"]), (Some(1), &"step".into()));
    assert_eq!(first["steps"][0], steps[0]);
    assert_eq!(steps[0]["because"][0]["words"], "the 3 at row 3, column 3");
    let guess = run_with_input("hint - -f json", "mines 2\n??1\n?2?\n");
    let value = guess.json();
    assert_eq!((guess.code, &value["steps"], &value["verdict"]), (1, &Value::Array(Vec::new()), &"open".into()));
    assert!(value["guess"]["numbers"].as_array().is_some_and(|numbers| !numbers.is_empty()));
    for (board, verdict) in [("mines 1\n1?\n11\n", "solved"), ("mines 2\n1?\n1?\n", "impossible")] {
        assert_eq!(run_with_input("hint - --steps -f json", board).json()["verdict"], verdict);
    }
}

/// The word of the text at the place of a part.
fn underlined<'a>(text: &'a str, part: &Value) -> &'a str {
    let [line, column] = ["line", "column"].map(|key| part[key].as_u64().expect("a place") as usize);
    let line = text.lines().nth(line - 1).expect("a line");
    line[column - 1..].split_whitespace().next().unwrap_or_default()
}

#[test]
fn contradictory_clues_have_the_places_of_their_texts() {
    let folder = folder();
    // Two 3s in the first row; and a row that is too short for its clues.
    let sudoku = "puzzle sudoku\n\n3 . . .\n. . 1 .\n. . . 2\n. 3 . .\n";
    let sudoku = sudoku.replace("3 . . .", "3 . . 3");
    let nonogram = "puzzle nonogram\nleft 1 1 2, 1, 1\ntop 1, 1, .\n";
    for (name, text, clues) in [("sudoku", sudoku.as_str(), &["3", "3"][..]), ("nonogram", nonogram, &[])] {
        let path = file(folder.path(), &format!("{name}.txt"), text);
        let path = path.to_str().expect("a path");
        let solved = run([path, "-f", "json"]).json();
        assert_eq!(solved["verdict"], "impossible", "{name}");
        let because = solved["because"].as_array().unwrap_or_else(|| panic!("{name}: {solved}"));
        let ran = run(["why", path, "-f", "json"]);
        let why = ran.json();
        assert_eq!((ran.code, &why["verdict"], &why["smallest"]), (0, &"unsatisfiable".into(), &true.into()), "{name}");
        assert_eq!(why["causes"][0].as_array().map(Vec::len), Some(because.len()), "{name}");
        let signs: Vec<&str> = because.iter().map(|part| underlined(text, part)).collect();
        for part in because {
            assert_eq!(part["file"], path, "{name}");
            let sign = underlined(text, part).trim_end_matches(',');
            assert!(part["text"].as_str().is_some_and(|words| words.starts_with(sign)), "{name}: {part}");
        }
        if !clues.is_empty() {
            assert_eq!(signs, clues, "{name}");
        }
    }
}

#[test]
fn a_line_without_some_of_its_numbers_is_not_another_line() {
    // Rows 2 and 4 of column 1 are shaded, which cannot form a run of two cells.
    let heart = "puzzle nonogram\nleft 1 1, 3 3, 7, 7, 5, 3, 1\ntop 2, 5, 5, 5, 5, 5, 3\n";
    let ran = run_with_input("why - -f json", heart).json();
    assert_eq!((&ran["verdict"], &ran["smallest"]), (&"unsatisfiable".into(), &true.into()), "{ran}");
    assert_eq!(
        words_of(&ran["causes"][0]),
        [
            "3 is written left of row 2",
            "3 is written left of row 2",
            "7 is written left of row 4",
            "2 is written above column 1"
        ],
        "{ran}"
    );
}

#[test]
fn clues_of_a_link_have_the_place_of_the_link() {
    // Sudoku, 4 by 4: two 1s in the first row.
    let link = "https://puzz.link/p?sudoku/4/4/11t";
    let ran = run([link, "-f", "json"]);
    let value = ran.json();
    assert_eq!(value["verdict"], "impossible", "{}{}", ran.out, ran.err);
    let because = value["because"].as_array().expect("parts");
    assert_eq!(because.len(), 2, "{value}");
    assert!(because.iter().all(|part| part["line"] == 1 && part["column"] == 1), "{value}");
}

#[test]
fn the_programs_of_boards_are_blamed_with_words_for_the_boards() {
    let text = "mines 2\n1??\n?3?\n??1\n";
    let fix = run_with_input("why - --fix -f json", text).json();
    let fix_parts = fix["fix"].as_array().unwrap_or_else(|| panic!("{fix}"));
    assert_eq!(fix_parts.len(), 1, "{fix}");
    let (line, column) = (fix_parts[0]["line"].as_u64(), fix_parts[0]["column"].as_u64());
    assert!([(Some(1), Some(1)), (Some(3), Some(2))].contains(&(line, column)), "{fix}");
    let rules = run_with_input("why - --blame constraints", text);
    assert!(rules.out.contains("row 2, column 2") && !rules.out.contains("row 0"), "{}{}", rules.out, rules.err);
    for (name, instance) in [("taquin", "taquin_impossible.txt"), ("rail", "no_solution.lp")] {
        let ran = run_line(&format!("why instances/{instance} --blame facts"));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(&format!("{name} tells its own reasons")), "{}", ran.err);
    }
}
