//! Exact probabilities by the rules of arbitrary encodings, against all layouts of small boards.

use serde_json::json;

use crate::minesweeper::boards::{Board, facts, knight, layouts, torus};
use crate::support::{extent, file, folder, run_line};

/// Random boards of up to sixteen cells. About half of the free cells show the number that `number`
/// returns.
fn boards(count: usize, number: impl Fn(&mut fastrand::Rng, usize, usize, &[bool], usize) -> u8) -> Vec<Board> {
    let board = |seed: u64| {
        let mut random = fastrand::Rng::with_seed(seed);
        let (rows, columns) = (random.usize(2..=4), random.usize(2..=4));
        let is_mine: Vec<bool> = (0..rows * columns).map(|_| random.u8(..10) < 3).collect();
        let sign = |cell: usize, random: &mut fastrand::Rng| {
            if is_mine[cell] || random.bool() {
                '?'
            } else {
                char::from(b'0' + number(random, cell / columns, cell % columns, &is_mine, columns))
            }
        };
        let text: Vec<String> = (0..rows)
            .map(|row| (0..columns).map(|column| sign(row * columns + column, &mut random)).collect())
            .collect();
        (text, is_mine.iter().filter(|&&is_mine| is_mine).count())
    };
    (extent::seed()..)
        .map(board)
        .filter(|(rows, _)| rows.concat().contains('?'))
        .take(extent::sample_size(count))
        .collect()
}

/// Solves a board by some encodings, and compares the result with all its layouts.
fn compare(board: &Board, text: &str, encodings: &str, layouts: &[u64]) {
    let folder = folder();
    let path = file(folder.path(), "board.lp", text);
    let ran = run_line(&format!("{} {encodings} -f json", path.display()));
    let value = ran.json();
    if layouts.is_empty() {
        assert_eq!((ran.code, &value["verdict"]), (1, &"impossible".into()), "{text}");
        return;
    }
    assert_eq!((ran.code, &value["verdict"]), (0, &"solved".into()), "{text} {}", ran.err);
    let answer = &value["answers"][0];
    assert_eq!(answer["configurations"], layouts.len().to_string(), "{encodings}\n{text}");
    let columns = board.0[0].len();
    let mut least = 1.0_f64;
    for (cell, sign) in board.0.concat().bytes().enumerate() {
        let found = &answer["probabilities"][cell / columns][cell % columns];
        if sign != b'?' {
            assert!(found.is_null());
            continue;
        }
        let mines = layouts.iter().filter(|layout| *layout >> cell & 1 == 1).count();
        let exact = mines as f64 / layouts.len() as f64;
        assert_eq!(found.as_f64(), Some(exact), "{encodings}: cell {cell}\n{text}");
        let is_in = |key: &str| {
            answer[key].as_array().expect("a list").contains(&serde_json::json!([cell / columns, cell % columns]))
        };
        assert_eq!((is_in("safe"), is_in("mines")), (mines == 0, mines == layouts.len()), "{text}");
        least = least.min(exact);
    }
    let best = &answer["best"][0];
    if least == 1.0 {
        assert!(best.is_null(), "{text}");
        return;
    }
    let at = |axis: usize| best[axis].as_u64().expect("a number") as usize;
    assert_eq!(answer["probabilities"][at(0)][at(1)].as_f64(), Some(least), "{text}");
}

fn count(near: &[(usize, usize)], is_mine: &[bool], columns: usize) -> u8 {
    near.iter().filter(|&&(row, column)| is_mine[row * columns + column]).count() as u8
}

#[test]
fn a_torus_and_knights_have_the_probabilities_of_all_their_layouts() {
    for encoding in ["torus", "knight"] {
        let near = |rows: usize, columns: usize, row: usize, column: usize| match encoding {
            "torus" => torus(rows, columns)(row, column),
            _ => knight(rows, columns)(row, column),
        };
        let random_boards = boards(40, |_, row, column, is_mine, columns| {
            count(&near(is_mine.len() / columns, columns, row, column), is_mine, columns)
        });
        for (index, board) in random_boards.iter().enumerate() {
            let (rows, columns) = (board.0.len(), board.0[0].len());
            let mut board = board.clone();
            // Some totals fit no layout.
            board.1 += usize::from(index % 8 == 7 && board.1 < board.0.concat().matches('?').count());
            let layouts = layouts(&board, |row, column| near(rows, columns, row, column));
            compare(&board, &facts(&board, [0, 0]), &format!("-e {encoding}"), &layouts);
        }
    }
}

/// Cells in the same row or column, up to two away.
fn cross(rows: usize, columns: usize) -> impl Fn(usize, usize) -> Vec<(usize, usize)> {
    move |row, column| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let is_near =
            |&(r, c): &(usize, usize)| (r == row) != (c == column) && r.abs_diff(row) <= 2 && c.abs_diff(column) <= 2;
        cells.filter(is_near).collect()
    }
}

const CROSS: &str = "neighbor(R,C,R+D,C) :- number(R,C,_), D = -2..2, closed(R+D,C).\n\
                     neighbor(R,C,R,C+D) :- number(R,C,_), D = -2..2, closed(R,C+D).\n";

#[test]
fn probabilities_with_custom_neighbors_match_an_enumeration_of_layouts() {
    let folder = folder();
    let custom = file(folder.path(), "cross.lp", CROSS);
    // The same with a custom rule: no two mines are side by side in a row.
    let apart = file(folder.path(), "apart.lp", format!("{CROSS}:- mine(R,C), mine(R,C+1).\n"));
    let random_boards = boards(40, |_, row, column, is_mine, columns| {
        count(&cross(is_mine.len() / columns, columns)(row, column), is_mine, columns)
    });
    let mut tried = 0;
    for board in &random_boards {
        let (rows, columns) = (board.0.len(), board.0[0].len());
        let all = layouts(board, cross(rows, columns));
        let text = facts(board, [0, 0]);
        compare(board, &text, &format!("-e minesweeper/layout.lp -e {}", custom.display()), &all);
        let is_apart = |layout: &u64| {
            (0..rows * columns - 1).all(|cell| (cell + 1).is_multiple_of(columns) || layout >> cell & 3 != 3)
        };
        let layouts_apart: Vec<u64> = all.into_iter().filter(is_apart).collect();
        if !layouts_apart.is_empty() {
            tried += 1;
            compare(board, &text, &format!("-e minesweeper/layout.lp -e {}", apart.display()), &layouts_apart);
        }
    }
    assert!(
        tried * 4 >= random_boards.len(),
        "{tried} of {} boards have a layout with mines apart",
        random_boards.len()
    );
}

#[test]
fn liars_have_the_probabilities_of_all_their_layouts() {
    let folder = folder();
    let near = "near(R,C,R+A,C+B) :- number(R,C,_), A = -1..1, B = -1..1, closed(R+A,C+B).\n";
    let total = ":- mines(M), { mine(R,C) } != M.\n";
    let base = format!("closed(R,C) :- cell(R,C), not number(R,C,_).\n{{ mine(R,C) : closed(R,C) }}.\n{near}{total}");
    // Every number is off by one; or some numbers are, with several answers for the same layout.
    let off = format!("{base}:- number(R,C,N), S = {{ mine(A,B) : near(R,C,A,B) }}, |S-N| != 1.\n#show mine/2.\n");
    let some = format!(
        "{base}{{ liar(R,C,-1); liar(R,C,1) }} 1 :- number(R,C,_).\n\
         :- number(R,C,N), S = {{ mine(A,B) : near(R,C,A,B) }}, D = #sum {{ L : liar(R,C,L) }}, S+D != N.\n"
    );
    let random_boards = boards(30, |random, row, column, is_mine, columns| {
        let near = |at: usize, len: usize| at.saturating_sub(1)..(at + 2).min(len);
        let around = near(row, is_mine.len() / columns);
        let around = around.flat_map(|row| near(column, columns).map(move |column| (row, column)));
        let number = count(&around.collect::<Vec<_>>(), is_mine, columns);
        if random.bool() || number == 0 { number + 1 } else { number - 1 }
    });
    for (name, text, expected) in [("off.lp", &off, 1..=1), ("some.lp", &some, 0..=1)] {
        let encoding = file(folder.path(), name, text);
        for board in &random_boards {
            let (rows, columns) = (board.0.len(), board.0[0].len());
            let signs = board.0.concat();
            let closed: Vec<usize> = (0..rows * columns).filter(|&cell| signs.as_bytes()[cell] == b'?').collect();
            let fits = |layout: &u64| {
                (0..rows * columns).filter(|&cell| signs.as_bytes()[cell] != b'?').all(|cell| {
                    let is_near = |other: &usize| {
                        (other / columns).abs_diff(cell / columns) <= 1
                            && (other % columns).abs_diff(cell % columns) <= 1
                    };
                    let mines = (0..rows * columns).filter(|other| is_near(other) && layout >> other & 1 == 1).count();
                    expected.contains(&mines.abs_diff(usize::from(signs.as_bytes()[cell] - b'0')))
                })
            };
            let all = (0..1_u64 << closed.len())
                .map(|choice| closed.iter().enumerate().fold(0, |bits, (bit, cell)| bits | (choice >> bit & 1) << cell))
                .filter(|layout: &u64| layout.count_ones() as usize == board.1);
            let all: Vec<u64> = all.filter(fits).collect();
            if !all.is_empty() {
                compare(board, &facts(board, [0, 0]), &format!("-e {}", encoding.display()), &all);
            }
        }
    }
}

#[test]
fn rules_with_too_many_layouts_leave_certain_cells() {
    let folder = folder();
    let apart = ":- mine(R,C), mine(R,C+1), mine(R,C+2). :- mine(R,C), mine(R+1,C), mine(R+2,C).\n";
    let encoding = file(folder.path(), "apart.lp", apart);
    let mut rows = vec!["?".repeat(8); 8];
    rows[0].replace_range(0..1, "0");
    let path = file(folder.path(), "board.lp", facts(&(rows, 20), [0, 0]));
    let custom = format!("-e minesweeper/layout.lp -e minesweeper/king.lp -e {}", encoding.display());
    let ran = run_line(&format!("{} {custom} -f json", path.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer = &ran.json()["answers"][0];
    assert_eq!(answer["safe"], serde_json::json!([[0, 1], [1, 0], [1, 1]]));
    assert!(answer.get("configurations").is_none() && answer["probabilities"][4][4].is_null(), "{answer}");
}

#[test]
fn a_large_board_with_custom_rules_is_solved_without_a_limit() {
    let folder = folder();
    let custom =
        file(folder.path(), "own.lp", "{ mine(R,C) } :- cell(R,C). :- mines(M), { mine(R,C) } != M. #show mine/2.\n");
    let board =
        file(folder.path(), "board.txt", format!("mines 3000\n{}", format!("{}\n", "?".repeat(150)).repeat(150)));
    let ran = run_line(&format!("{} -e {} -f json", board.display(), custom.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer = &ran.json()["answers"][0];
    assert!(answer["probabilities"][0][0].is_null() && answer.get("configurations").is_none());
    assert_eq!((&answer["safe"], &answer["mines"]), (&json!([]), &json!([])));
}

#[test]
#[ignore = "takes ten seconds"]
fn rules_that_are_too_hard_are_given_up_without_a_limit() {
    // A mine in each of 13 rows, and at most one in each of 12 columns.
    let rules = "{ mine(R,C) } :- cell(R,C). row(R) :- cell(R,_). column(C) :- cell(_,C).\n\
                 :- row(R), { mine(R,C) } < 1. :- column(C), { mine(R,C) } > 1. #show mine/2.\n";
    let folder = folder();
    let custom = file(folder.path(), "own.lp", rules);
    let board = file(folder.path(), "board.txt", format!("mines 13\n{}", format!("{}\n", "?".repeat(12)).repeat(13)));
    let ran = run_line(&format!("{} -e {} -f json", board.display(), custom.display()));
    let value = ran.json();
    assert_eq!((ran.code, &value["verdict"]), (3, &"gave-up".into()), "{}", ran.err);
    assert_eq!(value["reason"], "too many failed attempts");
}

#[test]
fn rules_of_every_kind_are_counted_as_their_answer_sets() {
    const ANY: &str = "{ mine(R,C) } :- cell(R,C). ";
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 3\n????\n????\n");
    let cases = [
        (
            "a disjunction with another derivation of an atom",
            "mine(R,C) ; safe(R,C) :- cell(R,C). safe(1,1) :- mine(1,2). :- not mine(1,2).".to_owned(),
            (15, json!([[0, 0]]), json!([[0, 1]])),
        ),
        (
            "a classical negation",
            format!("{ANY} -mine(R,C) :- cell(R,C), not mine(R,C). :- mine(1,1). :- not mine(1,2)."),
            (15, json!([[0, 0]]), json!([[0, 1]])),
        ),
        (
            "a mine that is possible if there are three others",
            "{ mine(R,C) } :- cell(R,C), R+C > 2. { mine(1,1) } :- 3 { mine(R,C) }.".to_owned(),
            (35, json!([[0, 0]]), json!([])),
        ),
        (
            "a mine that three others imply",
            "{ mine(R,C) } :- cell(R,C), R+C > 2. mine(1,1) :- 3 { mine(R,C) }. { mine(1,1) } :- mine(1,2).".to_owned(),
            (6, json!([]), json!([[0, 0], [0, 1]])),
        ),
        (
            "an atom that counts the mines and forbids one",
            format!("{ANY} many :- 3 {{ mine(R,C) }}. :- many, mine(1,1)."),
            (35, json!([[0, 0]]), json!([])),
        ),
    ];
    for (what, rules, (configurations, safe, mines)) in cases {
        let custom = file(folder.path(), "own.lp", rules + " :- mines(M), { mine(R,C) } != M.\n");
        let ran = run_line(&format!("{} -e {} -f json", board.display(), custom.display()));
        assert_eq!(ran.code, 0, "{what}: {}", ran.err);
        let answer = &ran.json()["answers"][0];
        assert_eq!(answer["configurations"], configurations.to_string(), "{what}");
        assert_eq!((&answer["safe"], &answer["mines"]), (&safe, &mines), "{what}");
    }
}

#[test]
fn a_classical_negation_is_no_mine_if_nothing_is_counted() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 3\n????\n????\n");
    let rules = "{ mine(R,C) } :- cell(R,C). :- mines(M), { mine(R,C) } != M. :- mine(1,1). :- not mine(1,2).\n\
                 -mine(R,C) :- cell(R,C), not mine(R,C). #minimize { 1 : mine(2,2) }.\n";
    let custom = file(folder.path(), "own.lp", rules);
    let ran = run_line(&format!("{} -e {} -f json", board.display(), custom.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer = &ran.json()["answers"][0];
    assert!(answer.get("configurations").is_none());
    assert_eq!((&answer["safe"], &answer["mines"]), (&json!([[0, 0], [1, 1]]), &json!([[0, 1]])));
}

#[test]
fn rules_that_minimize_mines_may_leave_none() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 3\n??\n??\n");
    let rules = "{ mine(R,C) } :- cell(R,C). #minimize { 1,R,C : mine(R,C) }. #show mine/2.\n";
    let custom = file(folder.path(), "own.lp", rules);
    let ran = run_line(&format!("{} -e {} -f json", board.display(), custom.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()["answers"][0]["safe"], json!([[0, 0], [0, 1], [1, 0], [1, 1]]));
    let hidden = file(folder.path(), "hidden.lp", rules.replace("#show mine/2", "#show"));
    let ran = run_line(&format!("{} -e {} -f json", board.display(), hidden.display()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no answer has an atom mine/2"), "{}", ran.err);
}

#[test]
fn the_picture_of_contradictory_rules_names_them() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 1\n??\n");
    let custom = file(folder.path(), "own.lp", "{ mine(R,C) } :- cell(R,C). :- mine(R,C). :- not mine(1,1).\n");
    let ran = run_line(&format!("{} -e {} -f svg", board.display(), custom.display()));
    assert!(ran.out.contains("No layout fits by the rules of"), "{}", ran.out);
}

#[test]
fn there_is_no_best_guess_if_no_cell_can_be_safe() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 1\n1?\n");
    let ran = run_line(&format!("{} -e torus", board.display()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("1 mine is certain") && !ran.out.contains("Best guess"), "{}", ran.out);
}

#[test]
fn a_layout_without_neighbors_is_an_error_and_other_shown_atoms_have_no_effect() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "mines 3\n??1?\n????\n2???\n");
    let custom = "neighbor(R,C,R+A,C+B) :- number(R,C,_), closed(R+A,C+B), A = -1..1, B = -1..1. #show neighbor/4.";
    let custom = file(folder.path(), "own.lp", custom);
    let line = |encodings: &str| format!("{} -p minesweeper -f json {encodings}", board.display());
    let alone = run_line(&line("-e minesweeper/layout.lp"));
    assert_eq!(alone.code, 2, "{}", alone.out);
    assert!(alone.err.contains("no file derives neighbor/4"), "{}", alone.err);
    let counted = run_line(&line(&format!("-e minesweeper/layout.lp -e {}", custom.display()))).json();
    let usual = run_line(&line("--engine csp")).json();
    assert!(usual["answers"][0]["configurations"].is_string(), "{usual}");
    assert_eq!(counted["answers"][0]["probabilities"], usual["answers"][0]["probabilities"]);
}
