//! The pictures of games, without their animations: all shapes of all frames.

use crate::support::run;

/// Returns the elements of an SVG, one a line, without what all pictures share and without
/// animations.
fn elements(svg: &str) -> String {
    let shared = [
        "<svg ",
        "<rect class=\"ground\"",
        "<style>",
        "</svg>",
        "<title>",
        "<g class=\"caption\"",
        "<text class=\"caption\"",
    ];
    let lines = svg.lines().filter(|line| !shared.iter().any(|start| line.starts_with(start)));
    lines.map(element).collect()
}

/// Returns an element without its animations and the attributes of all paths.
fn element(line: &str) -> String {
    let mut parts = line.split("<animate");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('>').map_or("", |(_, rest)| rest));
    let line = rest.fold(first, |line, rest| line + rest);
    line.replace(" stroke-linecap=\"round\" stroke-linejoin=\"round\"", "").replace("<g class=\"mark\" ", "<g ") + "\n"
}

macro_rules! each_game {
    ($($name:ident: $board:literal,)*) => {
        $(#[test]
        fn $name() {
            let drawn = run([concat!("instances/", $board, ".txt"), "-f", "svg"]);
            assert!(drawn.code == 0 && drawn.err.is_empty(), "{}", drawn.err);
            insta::assert_snapshot!(concat!("picture-", stringify!($name)), elements(&drawn.out));
        })*

        #[test]
        fn no_game_is_forgotten() {
            let files = std::fs::read_dir("asp/games").expect("a folder").map(|entry| entry.expect("an entry").path());
            let is_program = |path: &std::path::PathBuf| path.extension().is_some_and(|ending| ending == "lp");
            let names = files.filter(is_program).map(|path| path.file_stem().unwrap_or_default().to_owned());
            let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
            names.retain(|name| name != "step");
            names.sort();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

each_game! {
    blocks: "blocks",
    bridge: "bridge",
    frogs: "frogs",
    hanoi: "hanoi",
    jugs: "jugs",
    keys: "keys",
    klotski: "klotski",
    knights: "knights",
    lightsout: "lightsout",
    missionaries: "missionaries",
    pegs: "pegs",
    pocketcube: "pocketcube",
    rubik: "rubik-8",
    rushhour: "rushhour",
    sliding: "sliding",
    sokoban: "sokoban",
    wolf: "wolf",
}
