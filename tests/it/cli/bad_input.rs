//! Tests the message and exit code for each kind of invalid input; each has a snapshot.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::support::process::*;
use crate::support::{file, folder, run, run_with_input};

/// A valid network; the cases below break it.
const GOOD: &str = "start(a). target(t). final_node(s).\ncolor(a,red). rel(a,1,g). rel(a,2,s).\ngate(1,g). rel(g,1,b).\ncolor(b,red). rel(b,1,s). rel(b,2,t).\n";

/// A gate with two exits.
const TWO_EXITS_JSON: &str = r#"{"start": ["a"], "target": ["t"], "final_node": ["s"],
 "color": [["a", "red"]], "gate": [[1, "g"]],
 "rel": [["a", 1, "g"], ["a", 2, "s"],
         ["g", 1, "s"], ["g", 2, "t"]]}"#;
const TWO_EXITS_DOT: &str = "digraph {
  a [start=true, color=red]; t [target=true]; s [final=true];
  g [gate=1];
  a -> g [label=1]; a -> s [label=2];
  g -> s [label=1];
  g -> t [label=2];
}";

/// Returns the name of each file, its text and further arguments.
fn cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let case = |name, text: &str, arguments: &[&'static str]| (name, text.as_bytes().to_vec(), arguments.to_vec());
    let broken = |name, from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        case(name, &GOOD.replace(from, to), &[])
    };
    vec![
        case("good.lp", GOOD, &[]),
        case("empty.lp", "", &[]),
        case("comments_only.lp", "% nothing\n%* at all *%\n", &[]),
        ("binary.lp", b"\x7fELF\x02\x01\x00\x00\x00".to_vec(), vec![]),
        ("latin1.lp", b"% \xe9t\xe9\na.\n".to_vec(), vec![]),
        case("syntax_error.lp", "a :- b,.\n", &[]),
        case("unfinished.lp", "a :- b", &[]),
        case("unsafe_variable.lp", "p(X) :- not q(X).\nq(1).\n", &[]),
        case("undefined_input.lp", "p(X) :- q(X), not r(X).\n", &[]),
        case("unicode_before_the_error.lp", "p(\"é\", X) :- q.\n", &[]),
        case("operation_undefined.lp", "p(1/0). q(a+1).\n", &[]),
        case("script.lp", "#script (python)\nx\n#end.\na.\n", &[]),
        case("missing_include.lp", "#include \"nowhere.lp\".\n", &[]),
        case("not_a_puzzle.json", "{\"hello\": 1}", &[]),
        case("broken.json", "{\"rel\": [", &[]),
        case("wrong_key.json", "{\"rel\": [], \"strat\": [\"a\"]}", &[]),
        case("wrong_argument.json", "{\"rel\": [[\"a\", 1.5, \"b\"]]}", &[]),
        case("wrong_type.json", "{\"start\": [\"a\"],\n \"rel\": 5}", &[]),
        case("no_color.json", "{\"start\": [\"a\"], \"target\": [\"t\"],\n \"rel\": [[\"a\", 1, \"t\"]]}", &[]),
        case("two_exits.json", TWO_EXITS_JSON, &[]),
        case("broken.dot", "digraph { a -> ", &[]),
        case("wrong_word.dot", "digraph {\n  a [start=true]\n  a => b\n}", &[]),
        case("wrong_flag.dot", "digraph {\n  a [start=yes];\n  a -> b;\n}", &[]),
        case("no_color.dot", "digraph {\n  a [start=true]; t [target=true];\n  a -> t [label=1];\n}", &[]),
        case("two_exits.dot", TWO_EXITS_DOT, &[]),
        case("nested_deeply.dot", &"digraph { a -> b { ".repeat(1000), &[]),
        case("nobody_knows_words.txt", "hello there, world\n", &[]),
        case("nobody_knows_numbers.txt", "1 2 3\n4 five 6\n7 8 0\n", &[]),
        case("nobody_knows_signs.txt", "1??\n1z?\n???\n", &[]),
        case("nobody_knows_walls.txt", "..(10).(23).(12).(30]..\n", &[]),
        case("nobody_knows_keys.json", "{\"start\": 1,\n \"move\": [\"n+1\"], \"goal\": 4}", &[]),
        case("game_move_number.json", "{\"start\": 1,\n \"moves\": [2], \"goal\": 4}", &[]),
        case("sgt_seed.txt", "9x9n10#123456", &[]),
        case("sgt_length.txt", "9x9:1,1,m00", &[]),
        case("rawvf_cell.txt", "RawVF_Version: Rev6\nBoard:\n00*0\n00?0\nEvents:\n", &[]),
        case("mines_empty_cell.txt", "mines 2\n| 1 | ? |\n| 1 |   |\n", &[]),
        case("board_letter.json", "[[1, 2, 3], [4, 5, 6], [7, 8, \"z\"]]\n", &[]),
        case("board_shape.txt", "4x4: 1 2 3 0\n", &[]),
        case("board_goal_option.txt", "1 2 3\n4 5 6\n7 8 0\n", &["--goal", "last"]),
        broken("rel_without_color.lp", "color(b,red). ", ""),
        broken("missing_label.lp", "rel(b,2,t).", ""),
        broken("color_of_a_gate.lp", "gate(1,g).", "gate(1,g). color(g,blue)."),
        broken("two_colors.lp", "color(b,red).", "color(b,red). color(b,\n  blue)."),
        broken("two_ways.lp", "rel(b,2,t).", "rel(b,2,t). rel(b,2,s)."),
        broken("gate_to_two_places.lp", "rel(g,1,b).", "rel(g,1,b). rel(g,2,s)."),
        broken("no_start.lp", "start(a). ", ""),
        broken("no_target.lp", "target(t). ", ""),
        broken("start_is_target.lp", "start(a).", "start(a). start(t)."),
        broken("start_is_final.lp", "start(a).", "start(a). start(s)."),
        broken("wrong_arity.lp", "rel(b,2,t).", "rel(b,t)."),
        broken("not_a_fact.lp", "rel(b,2,t).", "{ rel(b,2,t) }."),
        broken("lever_without_fork.lp", "gate(1,g).", "gate(1,g). lever(1,red,\"R\"). lever(2,blue,\"B\")."),
        broken("lever_letter.lp", "gate(1,g).", "gate(1,g). lever(1,red,\"Red\")."),
        case("configuration_too_long.lp", GOOD, &["--configuration", "1RR"]),
        case("configuration_letter.lp", GOOD, &["--configuration", "1X"]),
        case("configuration_state.lp", GOOD, &["--configuration", "3R"]),
        case("models.lp", GOOD, &["-n", "-1"]),
        case("models_word.lp", GOOD, &["-n", "many"]),
        case("constant.lp", GOOD, &["-c", "n"]),
        case("time_limit.lp", GOOD, &["--time-limit", "-3"]),
        case("engine.lp", GOOD, &["--engine", "steam"]),
        case("encoding.lp", GOOD, &["-e", "no-such-encoding"]),
        case("asp_dir.lp", GOOD, &["--asp-dir", "no/such/folder"]),
        case("output.lp", GOOD, &["-o", "no/such/folder/out.txt"]),
        case("output_is_a_folder.lp", GOOD, &["-o", "."]),
        case("format.lp", GOOD, &["-f", "morse"]),
        case("engine_without_answer_sets.lp", GOOD, &["--engine", "simulation", "-f", "asp"]),
        case("foreign_option.lp", "a.", &["--outcome", "win"]),
        case("clingo_option.lp", "a.", &["--clingo=--no-such-option"]),
        case("board_tile_twice.txt", "1 2 3\n4 5 5\n7 8 0\n", &[]),
        case("board_tile_missing.txt", "1 2 3\n4 5 9\n7 8 0\n", &[]),
        case("board_ragged.txt", "1 2 3\n4 5\n7 8 0\n", &[]),
        case("board_two_free_cells.txt", "1 2 3\n4 x 5\n7 8 x\n", &[]),
        case("board_no_free_cell.txt", "1 2 3\n4 5 6\n7 8 9\n", &[]),
        case("board_large_number.txt", "1 2\n99999999999999999999999 0\n", &[]),
        case("board_one_cell.txt", "0\n", &[]),
        case("board_goal_shape.txt", "1 2\n3 0\n\n1 2 3\n", &[]),
        case("board_goal_tile.txt", "1 2\n3 0\n\n1 2\n4 0\n", &[]),
        case("board_three.txt", "1 2\n3 0\n\n1 2\n3 0\n\n1 2\n3 0\n", &[]),
        case("board_letter.txt", "1 2 3\n4 five 6\n7 8 0\n", &["-p", "taquin"]),
        case("board_engine.txt", "1 2 3 0\n", &["--engine", "simulation"]),
        case("board_heuristic.txt", "1 2 3 0\n", &["--heuristic", "guess"]),
        case("board_no_tables.txt", "4x1: 1 2 3 0\n", &["--heuristic", "pdb"]),
        case("board_foreign_option.txt", "1 2 3 0\n", &["--unfold"]),
        case("burrow_gap.txt", "..(0.).(11)..\n", &[]),
        case("burrow_no_room.txt", "..(02).(11)..\n", &[]),
        case("burrow_too_many.txt", "..(01).(11)..\n", &[]),
        case("burrow_ragged.txt", "..(01).(1)..\n", &[]),
        case("burrow_hallway.txt", "..(01)..(10)..\n", &[]),
        case("burrow_hallway_end.txt", "..(01).(10).\n", &[]),
        case("burrow_bracket.txt", "..(01).(10\n", &[]),
        case("burrow_two.txt", "..(01).(10)..\n..(01).(10)..\n", &[]),
        case("burrow_too_deep.txt", "..(000000000).(111111111)..\n", &[]),
        case("burrow_at_a_door.txt", "#######\n#..A..#\n###.###\n  ###\n", &[]),
        case("burrow_no_rooms.txt", "#######\n#.....#\n#######\n", &[]),
        case("burrow_wrong_doors.txt", "#######\n#.....#\n###A#B###\n  ###\n", &[]),
        case("burrow_odd_hallway.txt", "######\n#....#\n###A##\n  ##\n", &[]),
        case("burrow_stranger.txt", "#######\n#..?..#\n###A###\n  ###\n", &[]),
        case("mines_ragged.txt", "mines 2\n1??\n1?\n???\n", &[]),
        case("mines_ragged_too_long.txt", "mines 2\n1??\n1???\n???\n", &[]),
        case("mines_stranger.txt", "mines 2\n1??\n1z?\n", &[]),
        case("mines_nine.txt", "mines 2\n1??\n9??\n", &[]),
        case("mines_no_header.txt", "???\n???\n", &[]),
        case("mines_two_headers.txt", "mines 2\n1??\n1??\nmines 3\n", &[]),
        case("mines_no_number.txt", "mines many\n1??\n", &[]),
        case("mines_negative.txt", "mines -1\n1??\n", &[]),
        case("mines_no_board.txt", "mines 3\n", &[]),
        case("mines_too_many.txt", "mines 5\n??\n??\n", &[]),
        case("mines_number.txt", "mines 3\n8?\n??\n", &[]),
        case("mines_flag.txt", "mines 1\nF?\n?F\n", &[]),
        case("mines_nothing_left.txt", "mines 0\n00\n00\n", &[]),
        case("mines_all_flagged.txt", "mines 1\nF1\n11\n", &[]),
        case("mines_contradictory.txt", "mines 1\n1?1\n???\n?4?\n", &[]),
        case("mines_size.txt", "100000x100000\nmines 5\n???\n", &[]),
        case("mines_unicode.txt", "mines 1\n?é?\n", &[]),
        case("mines_engine.txt", "mines 1\n???\n", &["--engine", "idastar"]),
        case("mines_fact_twice.lp", "cell(1..2,1..2). number(1,1,1). number(1,1,2). mines(1).", &[]),
        case("mines_fact_arity.lp", "cell(1..2,1..2). number(1,1,1). mines(1).\nflag(2).", &[]),
        case("mines_fact_number.lp", "cell(1..2,1..2). number(1,1,9). mines(1).", &[]),
        case("mines_fact_open_flag.lp", "cell(1..2,1..2). number(1,1,1). flag(1,1). mines(1).", &[]),
        case("mines_fact_choice.lp", "cell(1..2,1..2). number(1,1,1). { mines(1) }.", &[]),
        case("mines_fact_far.lp", "cell(1..2,1..2). cell(1000000,1000000). mines(1).", &[]),
        case("game_zero.json", "{\"start\": 0, \"moves\": [\"n+1\"], \"goal\": [42]}", &[]),
        case("game_no_goal.json", "{\"start\": 1, \"moves\": [\"n+1\"], \"goal\": []}", &[]),
        case("game_expression.json", "{\"start\": 1,\n \"moves\": [\"2*n\", \"n+\"],\n \"goal\": [42]}", &[]),
        case("game_variable.json", "{\"start\": 1, \"moves\": [\"2*m\"], \"goal\": [42]}", &[]),
        case("game_negative.json", "{\"start\": -1, \"moves\": [\"n+1\"], \"goal\": [42]}", &[]),
        case("game_key.json", "{\"start\": 1, \"moves\": [\"n+1\"], \"goals\": [42]}", &[]),
        case("syntax_error_for_clingo.lp", "a :- b,.\n", &["-f", "asp"]),
    ]
}

#[test]
fn bad_input_has_a_message_with_place_and_cause() {
    let folder = folder();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/bad_input");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut names = BTreeSet::new();
    for (name, text, arguments) in cases() {
        file(folder.path(), name, text);
        let mut command = crate::support::command();
        let root = format!("{}/asp", env!("CARGO_MANIFEST_DIR"));
        command.current_dir(folder.path()).arg(name).args(&arguments);
        if !arguments.contains(&"--asp-dir") {
            command.env("ASP_SOLVE_DIR", root);
        }
        let ran = crate::support::run_output(command.finished());
        if ran.code == 2 {
            assert!(ran.out.is_empty(), "{name}: bad input prints no answer: {}", ran.out);
            assert!(ran.err.contains("error"), "{name}: {}", ran.err);
        }
        assert!(!ran.err.contains("panicked"), "{name}: {}", ran.err);
        let output = format!("asp-solve {name} {}\nexit code {}\n{}", arguments.join(" "), ran.code, ran.err);
        settings.bind(|| insta::assert_snapshot!(name, output));
        assert!(names.insert(format!("{name}.snap")), "{name} is there twice");
    }
    let snapshots = std::fs::read_dir(format!("{}/tests/it/cli/snapshots/bad_input", env!("CARGO_MANIFEST_DIR")));
    let names_on_disk =
        snapshots.expect("the folder exists").map(|entry| entry.expect("an entry").file_name().into_string());
    assert_eq!(
        names_on_disk.collect::<Result<BTreeSet<_>, _>>(),
        Ok(names),
        "snapshots without a case, or cases without a snapshot"
    );
}

#[test]
fn rules_that_read_no_sign_of_a_board_are_an_error() {
    let folder = folder();
    let board = file(folder.path(), "board.txt", "132..\n...1.\n..1..\n.2...\n..332\n");
    let board = board.to_str().expect("UTF-8");
    let words = "bad.lp uses neither sign/3 nor part/4, so the board's cells would be ignored";
    for rules in ["1 { shaded(1..2,1..2) } 2.\n", "{ shaded(1..R,1..C) } :- rows(R), columns(C).\n"] {
        let bad = file(folder.path(), "bad.lp", rules);
        let bad = bad.to_str().expect("UTF-8");
        for arguments in [&[board, "-e", bad][..], &[board, bad]] {
            let err = run(arguments).err;
            let (first, rest) = err.split_once("no puzzle is recognised, and ").unwrap_or_else(|| panic!("{err}"));
            assert!(first.ends_with("board.txt: ") && rest.contains(words), "{err}");
        }
    }
    // Rules that read the signs are accepted, also by a shared file.
    for rules in [
        "{ shaded(R,C) } :- sign(R,C,_).\n",
        "% Mine: a test.\n%\n% Goes with  shared/grid.lp\n\n{ shaded(R,C) } :- cell(R,C).\n",
    ] {
        let good = file(folder.path(), "good.lp", rules);
        let ran = run([board, "-e", good.to_str().expect("UTF-8")]);
        assert!(!ran.err.contains("would be ignored"), "{rules}: {}", ran.err);
    }
    // Words and boards of digits and dots are no Minesweeper.
    for text in ["foo\n", "132..\n...1.\n"] {
        let path = file(folder.path(), "unknown.txt", text);
        let err = run([path]).err;
        let first_line = err.lines().next().unwrap_or_default();
        assert!(first_line.ends_with("unknown.txt: no puzzle is recognised"), "{err}");
    }
}

#[test]
fn only_errors_of_the_input_name_the_closest_match() {
    let folder = folder();
    let path = file(folder.path(), "board.txt", "1 2 3\n4 five 6\n7 8 0\n");
    let run_with = |arguments: &[&str]| run([path.to_str().expect("UTF-8")].iter().chain(arguments)).err;
    assert!(run_with(&[]).contains("no puzzle is recognised; the closest match is taquin"));
    let err = run_with(&["--engine", "foo"]);
    assert!(err.contains("error: taquin has no engine foo; expected idastar"), "{err}");
    assert!(!err.contains("no puzzle is recognised"), "{err}");
}

#[test]
fn unreadable_files_are_named() {
    let folder = folder();
    let missing = folder.path().join("missing.lp");
    let ran = run([missing.as_path()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing.lp: no such file"), "{}", ran.err);
    let ran = run([folder.path()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is a directory, not a file"), "{}", ran.err);
}

#[test]
fn edits_that_violate_the_contract_name_the_atom_and_its_expected_form() {
    let text =
        std::fs::read_to_string(format!("{}/asp/rail/dynamic_gate.lp", env!("CARGO_MANIFEST_DIR"))).expect("text");
    let folder = folder();
    let mut table = String::new();
    for (name, from, to) in [
        ("no_game", "#show game/2.", ""),
        ("no_path", "#show path/2.", ""),
        ("no_gate_color", "#show gate_color/2.", ""),
        ("no_initial", "#show initial/2.", ""),
        ("arity_of_path", "#show path/2.", "path(N) :- path(N,_). #show path/1."),
        ("arity_of_game", "#show game/2.", "game(O,T,x) :- game(O,T). #show game/3."),
        ("outcome", "game(win,T)   :-", "game(victory,T) :-"),
        ("two_games", "game(win,T)   :-", "game(loss,T) :- path(N,T), target(N).\ngame(win,T) :-"),
        (
            "step_is_no_number",
            "#show path/2.",
            "#show. #show path(N,one(T)) : path(N,T). #show game/2. #show initial/2.",
        ),
        ("wrong_predicate", "path(N',T+1) :- path(N,T), side(_,N)", "path(N',T+1) :- path(N,T), sidde(_,N)"),
        (
            "a_choice_too_many",
            "{ initial(C,L) : state(C,L) } = 1 :- lever(C).",
            "{ initial(C,L) : state(C,L) } <= 1 :- lever(C).",
        ),
    ] {
        assert!(text.contains(from), "{name}");
        file(folder.path(), name, text.replace(from, to));
        let mut command = crate::support::command();
        command.current_dir(folder.path()).args([
            &format!("{}/instances/deponia.lp", env!("CARGO_MANIFEST_DIR")),
            "-n",
            "0",
            "-e",
            name,
        ]);
        let ran = crate::support::run_output(command.finished());
        let _ = writeln!(table, "== {name}\nexit code {}\n{}", ran.code, ran.err.trim_end());
        assert_eq!(ran.code, 2, "{name}: {}{}", ran.out, ran.err);
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_encoding_without_any_of_its_input_is_an_error() {
    let folder = folder();
    file(folder.path(), "instance.lp", "edge(a,b). edge(b,c).\n");
    file(folder.path(), "encoding.lp", "{ in(X) : vertex(X) }.\n#show in/1.\n");
    let mut command = crate::support::command();
    command.current_dir(folder.path()).args(["instance.lp", "-e", "encoding.lp"]);
    let ran = crate::support::run_output(command.finished());
    assert_eq!(ran.code, 2);
    assert!(ran.out.is_empty());
    insta::assert_snapshot!(ran.err);

    // The same holds for an instance of a puzzle.
    let mut command = crate::support::command();
    file(
        folder.path(),
        "foreign.lp",
        "game(win,1) :- nodecolor(N,C), edge(N,M). path(N,1) :- nodecolor(N,C). #show game/2. #show path/2.\n",
    );
    let instance = format!("{}/instances/deponia.lp", env!("CARGO_MANIFEST_DIR"));
    command.current_dir(folder.path()).args([&instance, "-e", "foreign.lp", "-n", "0"]);
    let ran = crate::support::run_output(command.finished());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("the encoding expects edge/2, nodecolor/2"), "{}", ran.err);
}

#[test]
fn deeply_nested_terms_are_read_or_rejected() {
    let folder = folder();
    for depth in [10_000, 100_000] {
        let text = format!("p({}a{}).\n", "f(".repeat(depth), ")".repeat(depth));
        let path = file(folder.path(), "deep.lp", text);
        for option in ["-q", "-n2", "-fjson", "--certify"] {
            let ran = run([path.as_path(), std::path::Path::new(option)]);
            assert_eq!(ran.code, 0, "{depth}, {option}: {}", ran.err.chars().take(300).collect::<String>());
        }
        // Terms that differ only inside are compared down to there, in several answers too.
        let other = format!(
            "{{ p({}b{}) }}.\np({}a{}).\n",
            "f(".repeat(depth),
            ")".repeat(depth),
            "f(".repeat(depth),
            ")".repeat(depth)
        );
        let ran = run_with_input("- -n 0 -f lines", &other);
        assert_eq!(
            (ran.code, ran.out.lines().count()),
            (0, 2),
            "{depth}: {}",
            ran.err.chars().take(300).collect::<String>()
        );
    }
    let text = format!("p({}a{}).\n", "f(".repeat(10_000_000), ")".repeat(10_000_000));
    let path = file(folder.path(), "deep.lp", text);
    let ran = run([path.as_path()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("terms nest 10000001 deep; at most 250000 levels can be read"), "{}", ran.err);
}

/// Tests puzzles in files, their boards, links and generators. The snapshot has one table of
/// commands run in a folder with these files.
#[test]
fn errors_in_puzzle_files_and_their_boards_are_reported() {
    let folder = folder();
    let puzzle = |link: &str| {
        format!(
            "% Mine: shade cells.\n%\n% Input   sign(R,C,N)   a number\n% Link    {link}\n\
             {{ x(R,C) }} :- rows(H), columns(W), R = 1..H, C = 1..W.\n#show x/2.\ndraw(cell(R,C)) :- R = 1..2, C = 1..2.\n"
        )
    };
    for (name, text) in [
        ("ragged.txt", "puzzle sudoku\n1...\n..2\n....\n....\n"),
        ("unknown.txt", "puzzle sudoko\n1..\n...\n"),
        ("empty.txt", ""),
        ("two.txt", "puzzle sudoku\n1...\n....\n....\n....\n"),
        ("open_frame.txt", "puzzle heyawake\n+-+-+\n|.|.\n+-+-+\n"),
        ("board.txt", "1.\n..\n"),
        ("mine/puzzles/nonsense.lp", &puzzle("nonsense")),
        ("mine/puzzles/codec.lp", &puzzle("codec: numbers99")),
        ("mine/puzzles/missing.lp", &puzzle("missing: number4\n% Goes with  shared/nowhere.lp")),
        ("mine/puzzles/broken.lp", "% Broken: it is.\na :- b(.\n"),
        ("native/puzzles/rail.lp", &puzzle("rail: number4")),
        ("binary/puzzles/zeros.lp", "\0\0\0"),
        ("wrong_drawing.lp", "draw(border(1,1,3,3,thick)).\n"),
        ("good.lp", "draw(cell(1,1)).\n"),
    ] {
        file(folder.path(), name, text);
    }
    let lines = "ragged.txt
unknown.txt
empty.txt -p sudoku
two.txt two.txt
open_frame.txt
slither/4/4/dgdh2c7
slither/4/4/dgdh2c711
slither/4/4/dgdh2c!1
slither/4/4/dgdh2c71 -p masyu
https://puzz.link/p?slither/99999/99999/a
https://puzz.link/p?nosuchtype/4/4/a
https://puzz.link/p?slither/q/4/4/dgdh2c71
4x4t1:a -p slither
4x4t0:a -p sudoku
board.txt -p nonsense --asp-dir mine -f url
nonsense/2/2/a --asp-dir mine
board.txt -p codec --asp-dir mine -f url
codec/2/2/a --asp-dir mine
board.txt -p missing --asp-dir mine
board.txt -p broken --asp-dir mine
board.txt -p rail --asp-dir native
board.txt -p zeros --asp-dir binary
good.lp --draw missing.lp
good.lp --draw wrong_drawing.lp
good.lp -f url
two.txt -p sudoku --unique -n 3
two.txt -p sudoku --unique --batch
two.txt -p sudoku --unique --answer 2 -f svg
ROOT/instances/deponia.lp -f url
ROOT/instances/queens.lp -f url
generate slither --size 0x0
generate slither --size 1x1
generate masyu --size 1x1
generate sudoku --size 8x9
generate slither --size 1000x1000
generate heyawake --symmetric
generate heyawake --size 1x2
generate lits --size 2x2
generate slither --difficulty 9..3
generate nosuchtype
generate rail -f url";
    let root = env!("CARGO_MANIFEST_DIR");
    let mut table = String::new();
    for line in lines.lines() {
        let mut command = crate::support::command();
        command.current_dir(folder.path()).args(line.replace("ROOT", root).split_whitespace());
        let ran = crate::support::run_output(command.finished());
        assert!(!ran.err.contains("panicked"), "{line}: {}", ran.err);
        // Commands that succeed print their output.
        let output = if ran.code == 0 { ran.err.clone() + &ran.out } else { ran.err.clone() };
        assert!(ran.code == 0 || !output.is_empty(), "{line} says nothing");
        let output: String =
            output.replace(root, "ROOT").lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        let _ = writeln!(table, "== {line}\nexit code {}\n{}", ran.code, output.trim_end());
    }
    insta::assert_snapshot!(table);
}
