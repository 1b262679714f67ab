//! Links and game ids are read as boards, and boards are written as links and game ids.

use base::diagnostic::Code;
use base::document::Document;
use pencil::LogicPuzzle;
use pencil::board::GridBoard;
use pencil::game_id::{self, GameIdFormat};
use pencil::link::{Link, link_type};

use crate::support::{file, folder, run, run_line};

/// The lines of a file of test data: a paragraph of a header, and a link or an id that it reads.
fn data(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('%')).map(|line| line.split_once('\t').expect("two columns"))
}

fn document(text: &str) -> Document {
    Document::in_memory("text", text)
}

fn link(paragraph: &str) -> Link {
    Link::parse(paragraph).unwrap_or_else(|error| panic!("{paragraph}: {error}"))
}

fn read(paragraph: &str, text: &str) -> GridBoard {
    link(paragraph).read(&document(text)).unwrap_or_else(|failure| panic!("{paragraph}\n{text}\n{failure}"))
}

fn board(text: &str) -> GridBoard {
    GridBoard::read(&document(text)).unwrap_or_else(|failure| panic!("{text}\n{failure}"))
}

fn error(paragraph: &str, text: &str) -> String {
    link(paragraph).read(&document(text)).expect_err(text).to_string()
}

#[test]
fn a_link_survives_a_round_trip() {
    let mut count = 0;
    for (paragraph, url) in data(include_str!("../../data/links.tsv")) {
        let read = GridBoard { link: None, ..read(paragraph, url) };
        assert_eq!(link(paragraph).write(&read).unwrap_or_else(|failure| panic!("{url}\n{failure}")), url);
        assert_eq!(board(&read.text()), read, "{url}\n{}", read.text());
        count += 1;
    }
    assert_eq!(count, 35);
}

#[test]
fn links_are_read_as_the_boards_that_they_show() {
    let cases = [
        ("akari: number4(\"#\")", "akari/3/2/b1.g", "1..\n1#.\n"),
        ("kakuro: crossings", "kakuro/2/2/n7Ba3", "#   7\\   21\\\n\\10 .    .\n\\3  .    .\n"),
        ("tapa: tapa", "tapa/3/1/a3.9", "?,3 ? 1,1,1,1\n"),
        ("yajilin: arrows", "yajilin/4/1/6102.b", "columns 4\n16^ ?v . .\n"),
        ("tents: number16 of around(top,left), sparse(\"T\")", "tents/2/2/1h1l", "top 1 .\nleft . 1\n\n..\n.."),
        ("nonogram: number16 of lists(top,left)", "nonogram/3/2/1g21i", "top 1, , 2\nleft 1, \n\n...\n...\n"),
        ("heyawake: borders, number16 of areas", "heyawake/2/2/g02", "+-+-+\n|2|.|\n+ + +\n|. .|\n+-+-+\n"),
    ];
    for (paragraph, url, text) in cases {
        let read = read(paragraph, url);
        assert_eq!(GridBoard { link: None, ..read }, board(text), "{url}");
    }
}

#[test]
fn a_link_is_read_from_every_site_and_in_every_spelling() {
    let slither = "slither, slitherlink: number4, unlike(f)";
    let expected = board("3...\n3...\n.22.\n.2.1\n");
    for text in [
        "https://puzz.link/p?slither/4/4/dgdh2c71",
        "http://pzv.jp/p.html?slither/4/4/dgdh2c71/",
        "https://pzprxs.vercel.app/p?slither/4/4/dgdh2c71",
        "puzz.link/p?slitherlink/4/4/dgdh2c71",
        "https://puzz.link/p?type=editor&slither_edit/4/4/dgdh2c71",
        "  slither/4/4/dgdh2c71\n",
        "% found in a paper\nhttps%3A%2F%2Fpuzz.link%2Fp%3Fslither%2F4%2F4%2Fdgdh2c71",
        "https://puzz.link/p?slither/4/4/dgdh2c7b",
    ] {
        assert!(link_type(text).is_some_and(|name| slither.contains(name)), "{text}");
        assert_eq!(GridBoard { link: None, ..read(slither, text) }, expected, "{text}");
    }
    let flags = read("yajilin: arrows, flags(b)", "https://puzz.link/p?yajilin/b/2/1/23a");
    assert!(flags.facts().contains("flag(\"b\")"), "{}", flags.facts());
    let again = link("yajilin: arrows, flags(b)").write(&GridBoard { link: None, ..flags }).unwrap();
    assert_eq!(again, "https://puzz.link/p?yajilin/b/2/1/23a");
    for text in ["1..2", "a/b", "rows(2). columns(3).", "https://puzz.link/", "slither/4/4/a b", "", "1/2/3"] {
        assert_eq!(link_type(text), None, "{text}");
    }
}

#[test]
fn a_link_in_a_file_of_any_name_is_solved_by_the_built_in_rules() {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", "https://puzz.link/p?slither/4/4/dgdh2c71\n");
    let solved = run([path.as_os_str(), "--unique".as_ref(), "-f".as_ref(), "json".as_ref()]).json();
    assert_eq!((&solved["rules"], &solved["unique"]), (&"shipped".into(), &true.into()));
    let unknown = file(folder.path(), "unknown.lp", "https://puzz.link/p?nosuchtype/4/4/dgdh2c71\n");
    let refused = run([&unknown]).err;
    assert!(refused.contains("there is no puzzle nosuchtype"), "{refused}");
    // A constraint that contains an address is no board.
    let rule = file(folder.path(), "rule.lp", ":-\"a://b\"!=\"c\",number(1,1,2).");
    let solved = run(["instances/sudoku.txt".as_ref(), rule.as_os_str(), "-f".as_ref(), "json".as_ref()]).json();
    assert_eq!(solved["rules"], "custom");
}

#[test]
fn a_type_without_rules_needs_only_a_line_to_read_links() {
    let cases = [
        ("moonsun: borders, circles(\"o\", \"*\")", "+-+-+\n|o|*|\n+ + +\n|. .|\n+-+-+\n", "moonsun/2/2/g0f0"),
        ("castle: arrows(\"\", \"o\", \"*\")", "o1^ . *?v\n3< . o0>\n", "castle/3/2/111a22.033a140"),
        ("nurimisaki: number16(\"o\")", "o.3\n...\n", "nurimisaki/3/2/.g3i"),
        (
            "sashigane: number16(\"o\", \"g\" = \"^\", \"h\" = \"v\", \"i\" = \"<\", \"j\" = \">\", \"@\" = \"?\", gap = \"k\")",
            "^ 17 .\n? o >\n",
            "sashigane/3/2/g-11k@.j",
        ),
        ("usowan: number10or16, borders", "+--+--+\n|12| 3|\n+--+--+\n", "usowan/2/1/-c3g"),
        (
            "skyscrapers: number16 of around(top,bottom,left,right), number16?",
            "top 2 .\nbottom . 1\nright 2 1\n\n..\n..\n",
            "skyscrapers/2/2/2h1h21",
        ),
        ("new: number16(1 = \"o\", 2 = \"*\")", "o.*\n", "new/3/1/1g2"),
        ("bonsan: number16, wanted(c)", "3..\n", "bonsan/c/3/1/3h"),
        (
            "sansaroad: pairs(\"*\", \"=\", \"o\") of between",
            "....\n....\n....\n\nbetween\n.......\n.......\n.......\n.......\n......*\n",
            "sansaroad/4/3/w4",
        ),
        ("antmill: pairs(\"x\", \"+\") of sides", "..\n..\n\nbetween\n.x.\n+..\n.+.\n", "antmill/2/2/5g6"),
        ("lohkous: digits", "3,1 ? . 2\n", "lohkous/4/1/31a0b2"),
        (
            "railpool: digits(gap = \"k\"), borders, binary(\"#\")?",
            "+-+-+\n|. 2|\n+ + +\n|. 3|\n+-+-+\n",
            "railpool/2/2/k2l3/00",
        ),
        ("magnets: circles(\"+\")?, binary(\"#\")?", "...#\n", "magnets/4/1/002"),
        ("magnets: number16 of twice(top)", "top 3 4, . 5\n\n..\n", "magnets/2/1/435g"),
        ("interbd: coloured", "B2 ? C 7\n", "interbd/4/1/-170-1e8"),
        ("balance: halves(\"o\", \"*\")", "o * o1 *1 *2 o13 .\n", "balance/7/1/01235-1ag"),
        ("disloop: turns", "v2,? ? .\n", "disloop/3/1/-dc0g"),
        ("fracdiv: fractions", "1/2 ?/2 3/? 3 ? # .\n", "fracdiv/7/1/12.23g3...0.h"),
        ("box: each32 of around(top)", "top 31 40\n\n..\n", "box/2/1/v-18"),
        ("kakuru: number46(\"+\" = \"#\")", "19 . 20 . . # ?\n", "kakuru/7/1/j.Ak+_"),
        ("triplace: crossed36", "3\\4 \\20 20\\ # . 20\\3\n", "triplace/6/1/34$k@k_g+143"),
        ("tateyoko: counted(\"x\" = \"#\")", "# . 3 . . .\n", "tateyoko/6/1/xn3i3"),
        ("pipelinkr: number10(run = \"o\", \"a\" = \"┼\", gap = \"h\")", "ooo.┼o\n", "pipelinkr/6/1/2ha0"),
        ("yosenabe: either16(\"=\")", "3 =3 =17 =? ? .\n", "yosenabe/6/1/3i3g11h.j"),
        ("tapaloop: tapaloop", "7 7,? 6,6,? 4,4,4,4 ?\n", "tapaloop/5/1/7bk+ac-ts."),
        ("anglers: next16(0 = \"#\") of cells(top)", "top 3 .\n\n#0\n", "anglers/2/1/014g"),
        (
            "slalom: number10(1 = \"#\"), arrows(gap = \"g\") of \"#\", slash, cell(\"o\")",
            "# 3^ o\n",
            "slalom/3/1/11ag13/2",
        ),
    ];
    for (paragraph, text, url) in cases {
        let url = format!("https://puzz.link/p?{url}");
        assert_eq!(link(paragraph).write(&board(text)).unwrap_or_else(|failure| panic!("{failure}")), url);
        assert_eq!(GridBoard { link: None, ..read(paragraph, &url) }.text(), board(text).text());
    }
}

#[test]
fn errors_of_malformed_links_name_the_character() {
    let slither = "slither: number4, unlike(f)";
    let cases = [
        (slither, "slither/4/4/dgdh2c7", "text:1:20: error: the text ends at character 19, after 15 of 16 places"),
        (
            slither,
            " slither/4/4/dgdh!c71",
            "text:1:18: error: character 17: expected a number from 0 to 4 or a gap, found `!`",
        ),
        (
            slither,
            "slither/4/4/dgdhz",
            "text:1:17: error: character 17, `z`, is a gap of 20, where 7 of 16 places are left",
        ),
        (slither, "slither", "text:1:1: error: `slither` is not a link with a board: …?name/columns/rows/…"),
        (slither, "x?slither/4", "text:1:12: error: the text ends at character 11: expected `/`"),
        (slither, "x?slither/4/b/", "text:1:13: error: character 13: expected a number, found `b`"),
        (
            slither,
            "slither/40000/40000/",
            "text:1:9: error: character 9, `4`, begins a board of 40,000 rows and 40,000 columns; it can have from 1 to \
             1,000,000 cells",
        ),
        (slither, "slither/99999999999/4/", "text:1:9: error: character 9, `9`, begins a number that is too large"),
        (
            slither,
            "slither/0/4/",
            "text:1:9: error: character 9, `0`, begins a board of 4 rows and 0 columns; it can have from 1 to 1,000,000 cells",
        ),
        (
            slither,
            "slither/f/1/1/g",
            "text:1:9: error: character 9, `f`, begins the flag `f`, which selects other rules",
        ),
        (
            slither,
            "slither/v:/1/1/g",
            "text:1:9: error: character 9, `v`, begins variant rules (`v:`), which links of slither do not support",
        ),
        (
            slither,
            "x?v:/slither/b/1/1/g",
            "text:1:3: error: character 3, `v`, begins variant rules (`v:`), which links of slither do not support",
        ),
        (
            slither,
            "slither/b/v:x/1/1/g",
            "text:1:11: error: character 11, `v`, begins variant rules (`v:`) `x`, which links of slither do not support",
        ),
        (
            "bonsan: number16, wanted(c)",
            "bonsan/5/5/g",
            "text:1:8: error: character 8: expected the flag `c`, found `5`; links of bonsan without it use the notation of an \
             old applet",
        ),
        (
            "a: cell(\"o\")",
            "a/3/2/6",
            "text:1:7: error: character 7, `6`, begins a number that is not the number of a free cell",
        ),
        ("a: text(piece)", "a/3/2/", "text:1:7: error: the text ends at character 6: expected letters or digits"),
        ("a: turns", "a/2/1/5g", "text:1:7: error: character 7, `5`, begins signs, and 5 is not one"),
        ("a: digits", "a/2/1/1k", "text:1:8: error: character 8, `k`, is a gap of 10, where 1 of 2 places are left"),
        (slither, "masyu/4/4/000000", "text:1:1: error: character 1, `m`, begins the type `masyu`; expected slither"),
        (slither, "two words", "text:1:1: error: expected a link"),
        ("a: borders", "a/3/2/g", "text:1:8: error: the text ends at character 7: expected a digit in base 32"),
        ("a: borders", "a/3/2/gz", "text:1:8: error: character 8: expected a digit in base 32, found `z`"),
        ("a: number16", "a/3/2/-1", "text:1:9: error: the text ends at character 8: expected a digit in base 16"),
        ("a: arrows(\"\", \"o\")", "a/3/2/212", "text:1:7: error: character 7: expected a digit below 2, found `2`"),
        ("a: tapa", "a/3/2/dz", "text:1:7: error: character 7, `d`, is neither a clue nor a gap"),
        ("a: sparse", "a/3/2/0z", "text:1:8: error: character 8, `z`, goes beyond the last of 6 places"),
        ("a: header(stars), number4", "a/3/2/2", "text:1:8: error: the text ends at character 7, after 0 of 6 places"),
    ];
    for (paragraph, text, expected) in cases {
        assert_eq!(error(paragraph, text), expected, "{text}");
    }
}

#[test]
fn text_after_the_board_of_a_link_is_ignored_with_a_warning() {
    let url = "https://puzz.link/p?slither/4/4/dgdh2c71";
    let plain = run_line(&format!("{url} -f json")).json();
    for (rest, character) in [("&id=x", '&'), ("%22", '"'), (".0", '.'), ("1", '1'), ("/&id=x", '&'), ("/x/y", 'x')] {
        let ran = run_line(&format!("{url}{rest} -f json"));
        assert_eq!(ran.code, 0, "{rest}: {}", ran.err);
        assert_eq!(ran.json()["answers"], plain["answers"], "{rest}");
        let note = format!("`{character}`, comes after the last place of the board; the rest is ignored");
        assert!(ran.err.contains("warning: character ") && ran.err.contains(&note), "{rest}: {}", ran.err);
        assert_eq!(run_line(&format!("{url}{rest} -f url")).out, run_line(&format!("{url} -f url")).out, "{rest}");
    }
    for paragraph in ["fillomino: number16, borders?", "ripple: number16, binary(\"#\")?"] {
        let name = paragraph.split(':').next().expect("a name");
        let (board, note) =
            link(paragraph).read_with_warning(&document(&format!("{name}/2/1/12&id=x"))).expect("a link");
        assert_eq!(board, read(paragraph, &format!("{name}/2/1/12")));
        assert_eq!(note.map(|note| note.code), Some(Code::IgnoredInput));
    }
    let variant = run_line("slither/v:/4/4/dgdh2c71");
    assert_eq!((variant.code, variant.out.as_str()), (2, ""), "{}", variant.err);
    assert!(variant.err.contains("begins variant rules (`v:`)"), "{}", variant.err);
}

#[test]
fn an_address_without_a_board_is_recognised_as_an_address() {
    for (address, expected) in [
        (
            "https://swaroopg92.github.io/penpa-edit/#m=edit&p=7VRNb9",
            "an address of penpa-edit whose drawing cannot be decompressed",
        ),
        (
            "https://opt-pan.github.io/penpa-edit/?m=solve&p=7VRNb9",
            "an address of penpa-edit whose drawing cannot be decompressed",
        ),
        (
            "swaroopg92.github.io/penpa-edit/#m=edit&p=7VRNb9",
            "an address of penpa-edit whose drawing cannot be decompressed",
        ),
        ("https://www.puzzle-loop.com/?size=4", "the boards of this site are not in their addresses"),
        ("https://www.puzzle-nurikabe.com/", "the boards of this site are not in their addresses"),
        ("kakuroconquest.com/9x17/expert", "the boards of Kakuro Conquest are not in their addresses"),
        ("https://tinyurl.com/2p8abcde", "a short address redirects to another one"),
        ("https://example.org/puzzles/12", "the address contains no board"),
        ("ftp://example.org/puzzles/12", "the address contains no board"),
        ("https://pedros.works/paper-puzzle-player?W=5x4&L=x1x2x8&G=tricklayer", "addresses of Kudamono"),
        ("file:///C://some/paper-puzzle-player.html?W=4&H=4&L=x5&G=anygenre", "addresses of Kudamono"),
        ("file:///home/me/board.html", "name the file itself, `/home/me/board.html`"),
        ("file:///C:/puzzles/a.html", "name the file itself, `C:/puzzles/a.html`"),
        ("https://example.org/?puzzle=12", "the address contains no board"),
        ("https://sudokupad.app/k3s8dl2fqa", "`k3s8dl2fqa` is an id of a board on the server of SudokuPad"),
        ("https://www.f-puzzles.com/?id=y3abcdef", "the address contains no board: expected a part `load=`"),
    ] {
        let folder = folder();
        let pasted = file(folder.path(), "pasted.txt", format!("{address}\n"));
        for (input, name) in [(address, address), (pasted.to_str().expect("UTF-8"), "pasted.txt")] {
            let ran = run_line(input);
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{input}: {}", ran.err);
            assert!(ran.err.contains(expected) && ran.err.contains("nothing is fetched"), "{input}: {}", ran.err);
            assert!(ran.err.contains(name.get(..20).unwrap_or(name)), "{input}: {}", ran.err);
        }
    }
    for text in ["penpa-edit/no.lp", "puzzle-one.txt"] {
        assert!(run_line(text).err.contains("no such file"), "{text}");
    }
}

/// Copies of puzz.link have the same addresses on other hosts, and in files.
#[test]
fn addresses_of_other_hosts_with_the_name_of_a_type_are_links() {
    let expected = run_line("slither/4/4/dgdh2c71 -f json").json()["answers"].clone();
    for address in [
        "https://pzprxs.vercel.app/p?slither/4/4/dgdh2c71",
        "http://pzv.jp/p.html?slither/4/4/dgdh2c71",
        "https://pzplus.tck.mn/p.html?type=player&slither/4/4/dgdh2c71",
        "http://localhost:8000/p?slither_edit/4/4/dgdh2c71",
        "file:///home/me/pzprv3/p.html?slither/4/4/dgdh2c71",
        "file:///C:/My Puzzles/p.html?slither/4/4/dgdh2c71",
    ] {
        let value = run(["-f", "json", address]).json();
        assert_eq!(value["answers"], expected, "{address}: {value}");
    }
}

/// Each drawing has the answers of the link that penpa-edit imported it from.
#[test]
fn drawings_of_penpa_edit_are_read_as_boards_of_many_types() {
    let mut count = 0;
    for line in include_str!("../../data/drawn.tsv").lines().filter(|line| !line.starts_with('%')) {
        let [link, drawings @ ..] = &line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let answers = |text: &str| {
            let ran = run_line(&format!("{text} -n 2 -f json"));
            assert!(ran.code < 2, "{text}\n{}", ran.err);
            let value = ran.json();
            (value["puzzle"].clone(), value["answers"].clone())
        };
        let expected = answers(link);
        for drawing in drawings {
            assert_eq!(answers(drawing), expected, "{link}\n{drawing}");
            count += 1;
        }
    }
    assert_eq!(count, 48);
}

#[test]
fn every_command_gives_up_on_a_board_without_rules() {
    let address = "https://puzz.link/p?aho/6/6/4i264n6j3n223i4";
    for command in ["why", "hint", "rate"] {
        let ran = run([command, address, "-f", "json"]);
        assert_eq!((ran.code, &ran.json()["verdict"]), (3, &"gave-up".into()), "{command}: {}", ran.out);
        let ran = run([command, address]);
        assert!(ran.code == 3 && ran.out.contains("no rules for it are included"), "{command}: {}", ran.out);
    }
}

/// The data has a link of each type. For a type without built-in rules, the link and the text of
/// its board must survive a round trip.
#[test]
fn links_of_all_types_are_read() {
    let table = include_str!("../../../crates/pencil/src/links.txt");
    let (mut count, mut others) = (0, Vec::new());
    for line in include_str!("../../data/type_links.tsv").lines() {
        let (kind, address) = line.split_once('\t').expect("two columns");
        count += 1;
        if asp_solve::builtin::registry().all().iter().any(|entry| entry.has_alias(kind)) {
            let ran = run([address, "-f", "url"]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{kind}");
            continue;
        }
        let ran = run([address, "-f", "json"]);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (3, "gave up: no rules are included for this type of board\n"),
            "{kind}"
        );
        assert_eq!((&ran.json()["verdict"], &ran.json()["puzzle"]), (&"gave-up".into(), &kind.into()));
        let names =
            |line: &&str| line.split(':').next().is_some_and(|names| names.split(", ").any(|name| name == kind));
        let line = table.lines().find(names).unwrap_or_else(|| panic!("{kind} is not in the table"));
        let link = link(line);
        let read = GridBoard { link: None, ..link.read(&document(address)).expect("a valid link") };
        let written = link.write(&read).unwrap_or_else(|failure| panic!("{address}\n{failure}"));
        assert_eq!(
            GridBoard { link: None, ..link.read(&document(&written)).expect("a valid link") },
            read,
            "{address}"
        );
        // puzz.link takes cells beyond the end for empty, so the last gap of `number4` may differ.
        others.extend((written != address.trim_end_matches('/') && !line.contains("number4")).then_some(written));
        let text = read.text();
        assert_eq!(board(&text), read, "{address}\n{text}");
    }
    assert_eq!((count, others.len()), (306, 0), "{others:#?}");
}

#[test]
fn a_board_without_built_in_rules_is_drawn_and_solved_by_custom_rules() {
    let address = "https://puzz.link/p?kurochute/5/5/132k1i1i2k332";
    let ran = run_line(address);
    assert_eq!((ran.code, ran.err.as_str()), (3, ""));
    assert!(
        ran.out.starts_with(
            "This puzzle type is recognised, but no rules for it are included; supply them with -e FILE.\n┌"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("│ 1 │ 3 │ 2 │"), "{}", ran.out);
    assert!(run_line(&format!("{address} -f svg")).out.starts_with("<svg"));
    let folder = folder();
    let rules = "{ shaded(R,C) } :- cell(R,C), not sign(R,C,_).\n:- shaded(R,C), shaded(R',C'), next_to(R,C,R',C').\n\
                 group(white,R,C) :- cell(R,C), not shaded(R,C).\n\
                 :- sign(R,C,N), N != \"?\", { shaded(R-N,C); shaded(R+N,C); shaded(R,C-N); shaded(R,C+N) } != 1.\n#show shaded/2.\n";
    let custom = file(folder.path(), "mine.lp", format!("% Goes with  shared/grid.lp, shared/connected.lp\n\n{rules}"));
    let ran = run([address, "-e", custom.to_str().expect("a path"), "--unique", "-q"]);
    assert!(ran.code == 0 && ran.out.starts_with("One solution by the rules of"), "{} {}", ran.err, ran.out);
}

#[test]
fn flags_of_a_type_are_read_and_others_are_rejected_by_name() {
    let solved = |text: &str| run_line(&format!("{text} -n 0 -f json")).json()["answers"].as_array().map(Vec::len);
    // With the flag the loop visits all corners; four cells have nine corners, and no loop is odd.
    assert_eq!((solved("slither/2/2/j"), solved("slither/f/2/2/j")), (Some(13), Some(0)));
    assert_eq!((solved("masyu/3/2/00"), solved("masyu/f/3/2/00")), (Some(3), Some(1)));
    assert_eq!((solved("fillomino/2/2/j"), solved("fillomino/t/2/2/j")), (Some(5), Some(4)));
    // Of the loops through eight cells of a square of three, four leave out a corner, and one the centre.
    assert_eq!((solved("yajilin/3/3/i"), solved("yajilin/o/3/3/i")), (Some(5), Some(4)));
    assert_eq!((solved("koburin/3/3/o"), solved("koburin/o/3/3/o")), (Some(5), Some(4)));
    // Six cells have three loops, one through all of them.
    assert_eq!((solved("geradeweg/3/2/l"), solved("geradeweg/f/3/2/l")), (Some(3), Some(1)));
    // Four cells in a square: the lines of 1 go around, or leave two cells empty.
    assert_eq!((solved("arukone/2/2/11h"), solved("arukone/e/2/2/11h")), (Some(1), Some(2)));
    // A number that is too large can only be shaded.
    assert_eq!((solved("lapaz/1/3/h5"), solved("lapaz/l/1/3/h5")), (Some(0), Some(1)));
    for (link, expected) in [
        ("nurikabe/q/2/2/j", "the flag `q`, which nurikabe does not have"),
        ("slither/q/2/2/j", "the flag `q`, which slither does not have: it has `f`"),
        ("nurikabe/v:knight/2/2/j", "variant rules (`v:`) `knight`, which links of nurikabe do not support"),
        ("nurikab/2/2/j", "there is no puzzle nurikab (did you mean nurikabe?)"),
    ] {
        let ran = run_line(link);
        assert!(ran.code == 2 && ran.err.contains(expected), "{link}: {}", ran.err);
    }
}

#[test]
fn a_link_contains_a_number_that_the_board_leaves_at_its_default() {
    let starbattle = link("starbattle: header(stars = 1), borders");
    let area = "+-+-+\n|. .|\n+-+-+\n";
    for (stars, url) in [("", "starbattle/2/1/1/0"), ("stars 2\n\n", "starbattle/2/1/2/0")] {
        let text = format!("{stars}{area}");
        let written = starbattle.write(&board(&text)).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
        assert_eq!(written, format!("https://puzz.link/p?{url}"));
    }
    let error = Link::parse("a: header(stars = x)").expect_err("no number");
    assert!(error.contains("expected a number, found `x`"), "{error}");
}

#[test]
fn a_board_that_a_link_cannot_express_is_an_error() {
    let cases = [
        ("a: number4", "5\n", "error: `5` in row 1, column 1: links of the type `a` cannot express that"),
        ("a: borders", "1.\n", "error: `1` in row 1, column 1: links of the type `a` cannot express that"),
        ("a: number4", "left 1\n\n.\n", "error: 1 clue outside the cells: links of the type `a` cannot express that"),
        (
            "a: header(stars)",
            ".\n",
            "error: a board without a number `stars`: links of the type `a` cannot express that",
        ),
        (
            "a: borders, number16 of areas",
            "12\n",
            "error: `2` in row 1, column 2: links of the type `a` cannot express that",
        ),
    ];
    for (paragraph, text, expected) in cases {
        let failure = link(paragraph).write(&board(text)).expect_err(text);
        assert_eq!((failure.code(), failure.to_string().as_str()), (Some(Code::InvalidLink), expected), "{text}");
    }
}

#[test]
fn a_malformed_paragraph_of_a_header_is_an_error() {
    let cases = [
        ("slither", "expected a colon: `names of types: steps`"),
        ("Slither: number4", "`Slither` is not the name of a type"),
        ("a:", "there is no step"),
        ("a: number4 borders", "expected a comma, found `borders`"),
        ("a: number4(x)", "`x` is not a sign for number4: \"?\", 1 = \"o\", \".\" = \"#\""),
        ("a: number4(\"x)", "a quote without its end"),
        ("a: number4(\"x\"", "a bracket without its end"),
        (
            "a: number16 of walls",
            "`of walls`: expected areas, holes, shaded, edges, sides, inner, bricks, triangles, corner, between, shade, a sign, or cells, \
             around, twice, seconds or lists(top, left)",
        ),
        ("a: number16 of around(up)", "`up` is not a side; sides are left, right, top, bottom"),
    ];
    for (paragraph, expected) in cases {
        assert_eq!(Link::parse(paragraph).expect_err(paragraph), expected);
    }
    assert!(
        Link::parse("a: number5")
            .unwrap_err()
            .starts_with("`number5` is not a codec; known codecs and steps are number4, ")
    );
}

#[test]
fn a_game_id_survives_a_round_trip() {
    for (paragraph, id) in data(include_str!("../../data/game_ids.tsv")) {
        let game = GameIdFormat::parse(paragraph).unwrap_or_else(|error| panic!("{paragraph}: {error}"));
        assert!(game.looks_like(id) && game_id::looks_like(id), "{id}");
        let read = game.read(&document(id)).unwrap_or_else(|failure| panic!("{id}\n{failure}"));
        assert_eq!(game.write(&read).unwrap_or_else(|failure| panic!("{id}\n{failure}")), id);
        assert_eq!(board(&read.text()), read, "{id}\n{}", read.text());
    }
}

/// sgt-puzzles omits the gap after the last number of Palisade, and requires it in other games.
#[test]
fn the_last_gap_of_a_game_id_may_be_missing_if_the_game_omits_it() {
    let (mut short, mut whole) = (0, 0);
    for (paragraph, id) in data(include_str!("../../data/game_ids.tsv")) {
        let game = GameIdFormat::parse(paragraph).expect("a valid paragraph");
        let read = game.read(&document(id)).expect("a valid id");
        let cut = id.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        let read_cut = game.read(&document(cut));
        if paragraph.contains("(short)") {
            short += 1;
            assert_eq!(read_cut.unwrap_or_else(|failure| panic!("{cut}\n{failure}")), read, "{cut}");
        } else if cut.len() < id.len() {
            whole += 1;
            assert!(read_cut.is_err() || read_cut.is_ok_and(|cut| cut != read), "{cut}");
        }
    }
    assert!(short >= 2 && whole >= 2, "{short} {whole}");
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    for size in [4, 5].into_iter().cycle().take(200) {
        let game = GameIdFormat::parse(&format!("palisade n{size}: number10(short)")).expect("a valid paragraph");
        let mut random = GridBoard::of_size(size, size);
        let density = rng.u8(0..4);
        for cell in random.cells().collect::<Vec<_>>() {
            if rng.u8(0..5) < density {
                random.signs.insert(cell, (rng.i32(0..5)).into());
            }
        }
        let id = game.write(&random).expect("a board that an id can express");
        let cut = id.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        for id in [&id, cut] {
            assert_eq!(game.read(&document(id)).unwrap_or_else(|failure| panic!("{id}\n{failure}")), random, "{id}");
        }
    }
    let ran = run_line("5x5n5:e2e2a12c1a21 -p fivecells --unique -q");
    assert!(ran.out.starts_with("One solution"), "{}{}", ran.out, ran.err);
}

/// The game id of a Sudoku with areas in the format of sgt-puzzles: the numbers, and then the gap
/// before each wall.
fn id_of_jigsaw(rows: &[&str], areas: &[&str]) -> String {
    let side = rows.len();
    let sign = |grid: &[&str], row: usize, column: usize| grid[row].as_bytes()[column];
    let gap = |count: usize| char::from(b'a' + count as u8 - 1);
    let (mut numbers, mut empty, mut follows_number) = (String::new(), 0, false);
    for at in 0..=side * side {
        let number = if at < side * side { sign(rows, at / side, at % side) } else { b'!' };
        if number == b'.' {
            empty += 1;
            continue;
        }
        while empty > 0 {
            let run = empty.min(26);
            numbers.push(gap(run));
            empty -= run;
            follows_number = false;
        }
        if number != b'!' {
            numbers.extend(follows_number.then_some('_'));
            numbers.push(number.into());
            follows_number = true;
        }
    }
    let right = (0..side).flat_map(|row| (1..side).map(move |column| ((row, column - 1), (row, column))));
    let below = (0..side).flat_map(|column| (1..side).map(move |row| ((row - 1, column), (row, column))));
    let (mut walls, mut run) = (String::new(), 0);
    let differ =
        |(one, other): ((usize, usize), (usize, usize))| sign(areas, one.0, one.1) != sign(areas, other.0, other.1);
    for is_wall in right.chain(below).map(differ).chain([true]) {
        if !is_wall {
            run += 1;
            continue;
        }
        while run > 25 {
            walls.push('z');
            run -= 25;
        }
        walls.push(if run == 0 { '_' } else { gap(run) });
        run = 0;
    }
    format!("{side}j:{numbers},{walls}")
}

/// The id of a killer Sudoku: numbers, cages and sums, in which `z` is a gap of 25.
#[test]
fn the_cages_of_a_game_id_are_read() {
    let sudoku = LogicPuzzle::named("sudoku").expect("a built-in puzzle");
    let facts = |text: &str| sudoku.facts_from(&document(text)).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
    let text = "puzzle sudoku\ncage 6 r1c1 r2c1\ncage 5 r1c2 r1c3\ncage 6 r1c4 r2c4 r3c4\ncage 8 r2c2 r3c1 r3c2\ncage 5 r2c3 r3c3\n\
        cage 3 r4c1 r4c2\ncage 7 r4c3 r4c4\n\n....\n....\n....\n....\n\narea\naabb\naabb\nccdd\nccdd\n";
    let id = "2x2k:p,_a___a_ab__a_ab_,6_5a6a8_5e3a7a";
    assert_eq!(facts(id), facts(text));
    // Two numbers are the size of a box, also before `j`.
    let jigsaw = "4jx:2b3a3d1a1b4,abbbbbbba";
    assert_eq!(facts(&jigsaw.replace("4jx", "2x2jx")), facts(jigsaw));
    for (id, name) in [
        (id, "sudoku"),
        ("2x2x:b4b2d3b1b", "sudoku"),
        ("7x7t0:01e10a2a3d012b2h33b2b22a2a3a22a3", "slither"),
        ("5x5n5:e2e2a12c1a21", "fivecells"),
        ("6x6n4:b1d2a3e3d1f2b2a3b2", "fourcells"),
        ("6x6m2:3a4b3h2c4d5g1c2", "hashi"),
    ] {
        let ran = run_line(&format!("{id} --unique -f json"));
        assert_eq!(
            (ran.json()["puzzle"].as_str(), &ran.json()["unique"]),
            (Some(name), &true.into()),
            "{id} {}",
            ran.err
        );
    }
    // Ids of other games that have no parameters of their own.
    for id in ["6x6:244663456361532356653135564234445652", "5x5n7:e2e2a12c1a21", "8x8de:zzz"] {
        assert!(run_line(id).err.contains("no puzzle is recognised"), "{id}: {}", run_line(id).out);
    }
    let seed = run_line("3x3k#123456789");
    assert!(seed.code == 2 && seed.err.contains("a random seed of sgt-puzzles"), "{}", seed.err);
}

#[test]
fn the_game_id_of_a_jigsaw_is_read_as_a_sudoku_with_areas() {
    let sudoku = LogicPuzzle::named("sudoku").expect("a built-in puzzle");
    let facts = |text: &str| sudoku.facts_from(&document(text)).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
    let instance = std::fs::read_to_string("instances/sudoku-irregular.txt").expect("a board");
    let generated = [6, 5, 4].map(|size| run_line(&format!("generate sudoku -e irregular --size {size}x{size}")).out);
    for text in generated.into_iter().chain([instance]) {
        let read = board(&text);
        let grid = |sign: &dyn Fn((usize, usize)) -> String| -> Vec<String> {
            (1..=read.rows).map(|row| (1..=read.columns).map(|column| sign((row, column))).collect()).collect()
        };
        let numbers = grid(&|cell| read.signs.get(&cell).map_or(".".to_owned(), ToString::to_string));
        let areas = grid(&|cell| char::from(b'A' + read.areas[&cell] as u8).to_string());
        let [numbers, areas] = [&numbers, &areas].map(|rows| rows.iter().map(String::as_str).collect::<Vec<_>>());
        let id = id_of_jigsaw(&numbers, &areas);
        assert!(game_id::looks_like(&id), "{id}");
        assert_eq!(facts(&id), read.facts().replace("variant(\"irregular\").\n", ""), "{id}\n{text}");
    }
    let ran = run_line("5j:e2a1a3a4a1a4a2a5e,ac_a___b__bad_b___bc -p sudoku --unique -q");
    assert!(ran.out.starts_with("One solution"), "{}{}", ran.out, ran.err);
    for (id, wrong) in [
        ("5j:e2a1a3a4a1a4a2a5e,", "expected a letter"),
        ("5j:e2a1a3a4a1a4a2a5e,ac_a___b__bad_b___bb", "expected a letter"),
        ("5j:y,zo", "begins areas; one has 25 cells, but the board has 5 rows"),
        ("5jk:e2a1a3a4a1a4a2a5e,ac_a___b__bad_b___bc", "expected `,`"),
        ("2x2k:zzzzzz,", "is a gap of 26, where 16 of 16 places are left"),
        ("2x2k:p,p", "expected a letter"),
        ("2x2k:p,x,10_6n", "the cage of row 1, column 2 has two of them"),
        ("2x2y:p", "begins a parameter that solo does not have"),
    ] {
        let ran = run_line(&format!("{id} -p sudoku"));
        assert!(ran.code == 2 && ran.err.contains(wrong), "{id}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn game_ids_are_read_as_the_boards_that_they_show() {
    let cases = [
        ("tents: runs(\"T\"), decimals of around(top,left)", "3x2:ab__,1,0,2,1,2", "top 1 0 2\nleft 1 2\n\n.T.\n.TT\n"),
        ("pattern: decimals of lists(top,left)", "2x3:1.1//2/1/", "top 1 1,\nleft 2, 1,\n\n..\n..\n..\n"),
        ("range: decimal", "3x2:a12_3c", ". 12 3\n. . .\n"),
        ("solo: blocks, decimal", "2x1:a2_1a", "+-+-+\n| |2|\n+ + +\n|1| |\n+-+-+\n"),
    ];
    for (paragraph, id, text) in cases {
        let read = GameIdFormat::parse(paragraph).unwrap().read(&document(id));
        assert_eq!(read.unwrap_or_else(|failure| panic!("{id}\n{failure}")), board(text), "{id}");
    }
    let loopy = GameIdFormat::parse("loopy t0: number10").unwrap();
    let error = |id: &str| loopy.read(&document(id)).expect_err(id).to_string();
    assert_eq!(
        error("3x3t1:a"),
        "text:1:4: error: character 4: expected `t0`, found `t`; other boards of loopy are not supported"
    );
    assert_eq!(error("3x3t0:a1"), "text:1:9: error: the text ends at character 8, after 2 of 9 places");
    assert!(error("\n").starts_with("text:1:1: error: expected a game id of loopy"), "{}", error("\n"));
    assert_eq!(error("slither/3/3/a"), "text:1:1: error: character 1: expected a number, found `s`");
    assert!(!loopy.looks_like("3x3t1:a") && !loopy.looks_like("3x3") && !game_id::looks_like("axb:1"));
}
