//! Boards that do not state the number of mines: certain cells, densities, and which texts are
//! recognised as such boards.

use serde_json::{Value, json};

use crate::minesweeper::boards::{Board, is_valid_for_batch, king, layouts, random_boards};
use crate::support::{RunOutput, extent, file, folder, run_line, run_with_input};

/// Random boards of at most ten closed cells, without and with contradictions.
fn boards(count: usize) -> Vec<Board> {
    let boards = random_boards(count, 10).into_iter().filter(is_valid_for_batch);
    boards.filter(|(rows, _)| rows.concat().contains(|sign: char| sign.is_ascii_digit())).collect()
}

/// Solves boards whose numbers of mines are replaced by `total`, and returns an object for each.
fn solve_all(boards: &[Board], total: &str, options: &str) -> Vec<Value> {
    let input: String = boards.iter().map(|(rows, _)| format!("{total}{}\n", rows.join(" / "))).collect();
    let ran = run_with_input(&format!("- --batch -p minesweeper {options}"), &input);
    let objects: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!(objects.len(), boards.len(), "{}", ran.err);
    objects
}

/// The layouts of a board for each possible number of mines, by brute force.
fn layouts_of_all_totals((rows, _): &Board) -> Vec<Vec<u64>> {
    let near = king(rows.len(), rows[0].len());
    (0..=rows.concat().len()).map(|mines| layouts(&(rows.clone(), mines), &near)).collect()
}

/// The places of the bits of `cells`, as in the JSON.
fn places(cells: u64, (rows, _): &Board) -> Value {
    let columns = rows[0].len();
    let cells = (0..rows.concat().len()).filter(|cell| cells >> cell & 1 == 1);
    cells.map(|cell| json!([cell / columns, cell % columns])).collect()
}

#[test]
fn cells_are_certain_without_a_total_if_they_are_certain_for_every_total() {
    let boards = boards(400);
    let runs = [
        solve_all(&boards, "", ""),
        solve_all(&boards, "mines ? / ", ""),
        solve_all(&boards, "", "--engine asp"),
        solve_all(&boards, "", "--engine asp -n 0"),
    ];
    let (mut contradictory, mut certain) = (0, 0);
    for (number, board) in boards.iter().enumerate() {
        let by_total = layouts_of_all_totals(board);
        let covered = (0..board.0.concat().len()).filter(|&cell| !board.0.concat().as_bytes()[cell].is_ascii_digit());
        let covered: u64 = covered.map(|cell| 1 << cell).sum();
        // For each total, the cells that are mines in all layouts, and those that are safe in all.
        let of_total = |layouts: &Vec<u64>| {
            layouts.iter().fold((covered, covered), |(mines, safe), layout| (mines & layout, safe & !layout))
        };
        let (mines, safe) = by_total
            .iter()
            .filter(|layouts| !layouts.is_empty())
            .map(of_total)
            .fold((covered, covered), |all, some| (all.0 & some.0, all.1 & some.1));
        let possible: Vec<usize> = (0..by_total.len()).filter(|&total| !by_total[total].is_empty()).collect();
        let count: usize = by_total.iter().map(Vec::len).sum();
        for (run, objects) in runs.iter().enumerate() {
            let object = &objects[number];
            if count == 0 {
                assert_eq!(object["verdict"], "impossible", "{board:?}");
                continue;
            }
            let answer = &object["answers"][0];
            assert_eq!(answer["mines"], places(mines, board), "{run}: {board:?}");
            assert_eq!(answer["safe"], places(safe, board), "{run}: {board:?}");
            // Other cells have a probability only if all layouts have the same number of mines.
            let known = answer["probabilities"].as_array().expect("rows").iter();
            let known = known.flat_map(|row| row.as_array().expect("cells")).filter(|known| !known.is_null()).count();
            let is_implied = possible.len() == 1 && run != 2;
            let expected = if is_implied { covered } else { mines | safe };
            assert_eq!(known as u32, expected.count_ones(), "{run}: {answer}");
            // The engine asp counts layouts only if it is asked for all.
            if run != 2 {
                assert_eq!(answer["configurations"], count.to_string(), "{run}: {board:?}");
                assert_eq!(answer["total"], json!([possible[0], possible[possible.len() - 1]]), "{run}: {board:?}");
            }
        }
        contradictory += usize::from(count == 0);
        certain += usize::from(count > 0 && mines | safe != 0);
    }
    extent::expect_counts([("contradictory", contradictory, 10), ("certain", certain, 100)]);
}

#[test]
fn a_density_weights_layouts_by_their_mines() {
    let boards: Vec<Board> = boards(150);
    let mut compared = 0;
    for (density, share) in [("20%", 0.2_f64), ("0.5%", 0.005), ("87.25%", 0.8725)] {
        let total = format!("mines {density} / ");
        let runs = [solve_all(&boards, &total, ""), solve_all(&boards, &total, "--engine asp -n 0")];
        for (number, board) in boards.iter().enumerate() {
            let all = layouts_of_all_totals(board).concat();
            let weight = |layout: &&u64| (share / (1.0 - share)).powi(layout.count_ones() as i32);
            let sum: f64 = all.iter().map(|layout| weight(&layout)).sum();
            for objects in runs.iter().filter(|_| !all.is_empty()) {
                let probabilities = objects[number]["answers"][0]["probabilities"].as_array().expect("rows");
                let found = probabilities.iter().flat_map(|row| row.as_array().expect("cells"));
                for (cell, found) in found.enumerate().filter(|(_, found)| !found.is_null()) {
                    let mines: f64 = all.iter().filter(|layout| *layout >> cell & 1 == 1).map(|it| weight(&it)).sum();
                    let difference = found.as_f64().expect("a number") - mines / sum;
                    assert!(difference.abs() < 1e-12, "{density} {board:?}: cell {cell}: {found}");
                    compared += 1;
                }
            }
        }
    }
    extent::expect_counts([("probabilities", compared, 1000)]);
}

#[test]
fn no_probability_is_stated_without_a_prior() {
    let board = "1??\n2F?\n???\n";
    let ran = run_with_input("-", board);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("1 cell is safe. 16 layouts fit, with 2 to 5 mines.\n"), "{}", ran.out);
    assert!(!ran.out.contains("50") && ran.out.contains("add a line `mines N`"), "{}", ran.out);
    // The printed board is read back.
    let again = run_with_input("-", &ran.out);
    assert!(again.out.contains("2   F") && again.out.contains("? mines"), "{}{}", again.out, again.err);
    let density = run_with_input("-", &format!("mines 20%\n{board}"));
    assert!(density.out.contains("20% mines") && density.out.contains("20.0 % each"), "{}", density.out);
    let again = run_with_input("-", &density.out);
    assert!(again.out.contains("20% mines"), "{}{}", again.out, again.err);
    for (options, expected) in [("why - mine(3,1)", "is not decided"), ("hint -", "row 1, column 2 is safe")] {
        let ran = run_with_input(options, board);
        assert!(ran.out.contains(expected) && !ran.out.contains('%'), "{options}: {}{}", ran.out, ran.err);
    }
    // The probabilities of the numbers add up to that of no mine.
    for total in ["mines 20%", "mines 3.5%", "mines 4"] {
        let ran = run_with_input("why - mine(3,1) -f json", &format!("{total}\n{board}"));
        let numbers = ran.json()["numbers"].as_array().expect("numbers").clone();
        let sum: f64 = numbers.iter().map(|number| number["probability"].as_f64().expect("a number")).sum();
        assert!((sum - 0.5).abs() < 1e-12, "{total}: {numbers:?}");
    }
    let hint = run_with_input("hint -", "1??\n???\n");
    assert!(hint.out.contains("certain for every number of mines") && !hint.out.contains("guess"), "{}", hint.out);
    let why = run_with_input("why - mine(1,1)", "1??\n2F?\n???\n");
    assert!(why.err.contains("mine(1,1): row 1, column 1 is open, so it is not a mine"), "{}", why.err);
}

#[test]
fn a_total_that_the_numbers_imply_weights_the_layouts() {
    let board = "1 2 ?\n? ? ?\n";
    let [implied, stated] = ["", "mines 2\n"].map(|total| run_with_input("- -f json", &format!("{total}{board}")));
    let probabilities = |ran: &RunOutput| ran.json()["answers"][0]["probabilities"].clone();
    assert_eq!(probabilities(&implied), probabilities(&stated), "{}{}", implied.out, implied.err);
    assert_eq!(implied.json()["answers"][0]["best"], stated.json()["answers"][0]["best"]);
    let text = run_with_input("-", board);
    assert!(text.out.contains("with 2 mines") && text.out.contains("50%"), "{}", text.out);
    assert!(!text.out.contains("unknown") && !text.out.contains("? mines"), "{}", text.out);
    let hint = run_with_input("hint -", board);
    assert!(hint.out.contains("one must guess") && hint.out.contains("The best guess is"), "{}", hint.out);
}

#[test]
fn the_number_of_mines_is_read_as_users_write_it() {
    const BOARD: &str = "1?1??\n1?1??\n111?F\n";
    for (total, expected) in [
        ("💣 3", "3 mines"),
        ("💣: 4", "4 mines"),
        ("💣️ 20%", "20% mines"),
        ("Mines left: 3", "4 mines"),
        ("3 mines remaining", "4 mines"),
        ("density 20", "20% mines"),
        ("Density: 20%", "20% mines"),
        ("density 0.2", "20% mines"),
    ] {
        for text in [format!("{total}\n{BOARD}"), format!("{total}\n\n{BOARD}"), format!("{BOARD}{total}\n")] {
            let ran = run_with_input("-", &text);
            assert!(ran.code == 0 && ran.out.contains(expected), "{text}{}{}", ran.out, ran.err);
        }
    }
    // A row of a board of two columns.
    let row = run_with_input("- -f json", "💣 1\n? ?\n").json();
    assert_eq!(row["answers"][0]["mines"], json!([[0, 0]]), "{row}");
    for (text, expected) in [
        ("mines 0%\n1?\n??\n", "above 0% and below 100%"),
        ("💣 3\n💣 ?\n1?1??\n1?1??\n", "row 1 has 2 cells, but this row has more"),
        ("density 100%\n1?\n??\n", "above 0% and below 100%"),
        ("mines 3\n111..\n1....\n", "`.` is an open cell without mines around it; write ? or # for a closed one"),
    ] {
        let ran = run_with_input("- -p minesweeper", text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}{}", ran.err);
    }
}

#[test]
fn a_guess_is_drawn_and_a_solvable_board_says_what_to_ask() {
    let guess = "mines 1\n1?\n??\n";
    for format in ["svg", "html"] {
        let ran = run_with_input(&format!("hint - -f {format}"), guess);
        assert!(ran.code != 2 && ran.out.contains("33%"), "{format}: {}{}", ran.out, ran.err);
    }
    let why = run_with_input("why -", guess);
    assert!(why.out.contains("Ask `why FILE 'mine(R,C)'` about a cell, or `hint FILE`."), "{}", why.out);
    let board = "mines 1\n1?\n11\n";
    for (atom, holds) in [("safe(1,2)", "never"), ("mine(1,2)", "always")] {
        let ran = run_with_input(&format!("why - {atom} -f json"), board);
        assert_eq!(ran.json()["holds"], holds, "{atom}: {}", ran.err);
    }
}

#[test]
fn every_input_may_omit_the_number_of_mines() {
    let folder = folder();
    let certain = json!([[0, 1]]);
    for (name, text) in [
        ("rows.txt", "1??\n2F?\n???\n"),
        ("explicit.txt", "mines: ?\n1??\n2F?\n???\n"),
        ("emoji.txt", "1️⃣ 🟦 🟦\n2️⃣ 🚩 🟦\n🟦 🟦 🟦\n"),
        ("framed.txt", "| 1 | ? | ? |\n|---|---|---|\n| 2 | F | ? |\n| ? | ? | ? |\n"),
        ("facts.lp", "cell(0..2,0..2). number(0,0,1). number(1,0,2). flag(1,1).\n"),
        ("density.lp", "cell(0..2,0..2). number(0,0,1). number(1,0,2). flag(1,1). density(15). % mines\n"),
        ("unknown.json", r#"{"mines": null, "board": ["1__", "2F_", "___"]}"#),
    ] {
        let path = file(folder.path(), name, text).display().to_string();
        let value = run_line(&format!("{path} -f json")).json();
        assert_eq!((&value["puzzle"], &value["answers"][0]["safe"]), (&"minesweeper".into(), &certain), "{name}");
        let certified = run_line(&format!("{path} --certify"));
        assert!(certified.out.contains("Certified in"), "{name}: {}{}", certified.out, certified.err);
        for format in ["svg", "html", "lines"] {
            assert_eq!(run_line(&format!("{path} -f {format}")).code, 0, "{name} {format}");
        }
        for engine in ["csp", "asp"] {
            let ran = run_line(&format!("{path} --engine {engine} -e torus"));
            assert!([0, 1].contains(&ran.code), "{name} {engine}: {}", ran.err);
        }
    }
    let wrong = run_with_input("- -p minesweeper", "mines many\n1?\n??\n");
    assert!(wrong.code == 2 && wrong.err.contains("a density such as 20%"), "{}", wrong.err);
    let spaced = run_with_input("-", "mines: 20 %\n1??\n???\n");
    assert!(spaced.out.contains("20% mines"), "{}{}", spaced.out, spaced.err);
    for density in ["0%", "100%", "-5%"] {
        let ran = run_with_input("- -p minesweeper", &format!("mines {density}\n1?\n??\n"));
        assert_eq!(ran.code, 2, "{density}: {}", ran.out);
    }
}

#[test]
fn rows_without_a_total_are_recognised_only_if_they_cannot_be_mistaken() {
    for board in ["1?\n??\n", "12F\n??#\n", "00121\n001??\n", "...\n111\n1?1\n", "1 F ?\n2 2 ?\n", "1🟦\n🟦🟦\n"]
    {
        let value = run_with_input("- -f json", board).json();
        assert_eq!(value["puzzle"], "minesweeper", "{board}");
    }
    // A single row, no number, no closed cell, a blank cell next to a closed one, a number above its
    // neighbours, words, a program, and rows of different lengths.
    for text in ["1?\n", "??\n??\n", "12\n34\n", ".1.?\n....\n", "5?\n??\n", "foo\n", "f1.\n", "12?\n1?\n", "1_\n__\n"]
    {
        let ran = run_with_input("- -f json", text);
        assert!(!ran.out.contains("\"puzzle\": \"minesweeper\""), "{text}: {}", ran.out);
    }
}

#[test]
fn a_part_of_a_board_that_is_cut_through_its_numbers_is_explained() {
    let ran = run_with_input("-", "?2\n?2\n?1\n");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = run_with_input("-", "?3\n12\n?1\n");
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out.contains("Of a larger board, the rows must contain all cells around their numbers."),
        "{}",
        ran.out
    );
}
