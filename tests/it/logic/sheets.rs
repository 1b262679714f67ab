//! Boards in files, as one plays them: in a real browser, from the disk, by finger and by mouse.

use std::path::Path;

use serde_json::Value;

use crate::support::devtools::Browser;
use crate::support::programs::chromium;
use crate::support::{file, folder, run};

/// Pixels of a cell in a picture.
const CELL: f64 = 32.0;

type Point = (f64, f64);

/// What sets an atom.
enum Deed {
    /// Drags, so many times.
    Drag(Point, Point, usize),
    /// Clicks in a cell, so many times.
    Click(Point, usize),
    /// A click in a cell, and one on the button with this sign.
    Write(Point, String),
}

fn corner(row: f64, column: f64) -> Point {
    (column * CELL, row * CELL)
}

fn middle(row: f64, column: f64) -> Point {
    corner(row + 0.5, column + 0.5)
}

fn deed(atom: &str) -> Deed {
    let (name, arguments) = atom.trim_end_matches(')').split_once('(').expect("an atom with arguments");
    let arguments: Vec<&str> = arguments.split(',').collect();
    let number = |index: usize| arguments[index].parse::<f64>().expect("a number");
    let cell = || middle(number(0), number(1));
    match name {
        "line" | "rectangle" => Deed::Drag(cell(), middle(number(2), number(3)), 1),
        "edge" => Deed::Drag(corner(number(0), number(1)), corner(number(2), number(3)), 1),
        // The edge between the two cells.
        "border" => {
            let (row, column) = (number(2), number(3));
            let end = if number(0) == row { (row + 1.0, column) } else { (row, column + 1.0) };
            Deed::Drag(corner(row, column), corner(end.0, end.1), 1)
        }
        "bridges" => Deed::Drag(cell(), middle(number(2), number(3)), number(4) as usize),
        "digit" | "number" | "letter" | "slash" | "bar" | "arrow" => {
            Deed::Write(cell(), arguments[2].trim_matches('"').replace("\\\\", "\\"))
        }
        "half" => Deed::Click(
            cell(),
            1 + ["ne", "nw", "se", "sw"].iter().position(|&own| own == arguments[2]).expect("a corner"),
        ),
        // Black comes before it.
        "white" => Deed::Click(cell(), 2),
        _ => Deed::Click(cell(), 1),
    }
}

/// A page with a board, and who plays on it.
struct Sheet {
    browser: Browser,
    by_finger: bool,
    /// Where the units of the picture are on the screen: the first point, and how large one is.
    origin: Point,
    scale: f64,
}

impl Sheet {
    fn start(browser: &Path, by_finger: bool) -> Self {
        let mut browser = Browser::start(browser);
        browser.set_size(if by_finger { 390 } else { 1280 }, 844);
        browser.set_touch(by_finger);
        Sheet { browser, by_finger, origin: (0.0, 0.0), scale: 1.0 }
    }

    fn open(&mut self, page: &Path) {
        self.browser.open(&format!("file://{}", page.display()));
        self.browser
            .wait_until("document.querySelector('#board')?.dataset.state === 'open' && document.querySelector('.place')");
        let matrix =
            self.browser.evaluate("(({ a, e, f }) => [a, e, f])(document.querySelector('#picture').getScreenCTM())");
        let [scale, x, y] = [0, 1, 2].map(|index| matrix[index].as_f64().expect("a number"));
        (self.scale, self.origin) = (scale, (x, y));
    }

    fn seen(&self, (x, y): Point) -> Point {
        (self.origin.0 + x * self.scale, self.origin.1 + y * self.scale)
    }

    /// Until what was done is seen.
    fn settle(&mut self) {
        self.browser.evaluate("game.queue");
    }

    fn drag(&mut self, from: Point, to: Point) {
        let part = |part: f64| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        let points: Vec<Point> = [0.0, 0.5, 1.0].map(|at| self.seen(part(at))).to_vec();
        self.browser.drag(&points, self.by_finger);
        self.settle();
    }

    fn tap(&mut self, at: Point) {
        self.browser.drag(&[self.seen(at)], self.by_finger);
        self.settle();
    }

    /// Whether something can be set in a cell.
    fn is_place(&mut self, (x, y): Point) -> bool {
        self.browser.evaluate(&format!(
            "game.look.places.some(({{ at: [x, y, width, height], ends, options }}) => !ends && options.length && \
             x < {x} && {x} < x + width && y < {y} && {y} < y + height)"
        )) == true
    }

    fn set(&mut self, atom: &str) {
        match deed(atom) {
            Deed::Drag(from, to, times) => (0..times).for_each(|_| self.drag(from, to)),
            // What is given is no place.
            Deed::Click(cell, _) | Deed::Write(cell, _) if !self.is_place(cell) => {}
            Deed::Click(cell, times) => (0..times).for_each(|_| self.tap(cell)),
            Deed::Write(cell, sign) => {
                self.tap(cell);
                let button = format!(
                    "(() => {{ const ends = ({{ firstChild }}) => [{sign:?}, 'an arrow ' + {sign:?}].includes(firstChild.textContent) || \
                     firstChild.textContent.startsWith('an arrow ' + {sign:?} + ' ') || firstChild.textContent.endsWith(' is ' + {sign:?}); \
                     const found = [...document.querySelectorAll('#options button')].find(ends); \
                     if (!found) throw new Error('no button for {atom}'); \
                     const {{ x, y, width, height, bottom }} = found.getBoundingClientRect(); \
                     return bottom <= innerHeight ? [x + width / 2, y + height / 2] : null; }})()"
                );
                let at = self.browser.evaluate(&button);
                let at = [0, 1].map(|index| at[index].as_f64().expect("a button that one sees"));
                self.browser.drag(&[(at[0], at[1])], self.by_finger);
                self.settle();
            }
        }
    }

    /// Changes what is set.
    fn spoil(&mut self, atom: &str) {
        match deed(atom) {
            Deed::Write(_, sign) => {
                let (cell, _) = atom.rsplit_once(',').expect("a value");
                let others =
                    [["1", "2"], ["/", "\\\\"], ["-", "|"], ["<", ">"], ["^", "<"], ["v", "^"], ["A", "B"], ["C", "A"]];
                let other = others.iter().find_map(|[one, other]| match sign.as_str() {
                    sign if sign == *one => Some(*other),
                    "\\" => Some("/"),
                    sign if sign == *other => Some(*one),
                    _ => None,
                });
                self.set(&format!("{cell},{})", other.unwrap_or("1")));
            }
            // A tap takes a rectangle away.
            Deed::Drag(from, ..) if atom.starts_with("rectangle") => self.tap(from),
            Deed::Drag(from, to, _) => self.drag(from, to),
            Deed::Click(cell, _) => self.tap(cell),
        }
    }

    fn state(&mut self) -> Value {
        self.settle();
        self.browser.evaluate("document.querySelector('#board').dataset.state")
    }
}

/// Plays each type that ships to its end.
fn plays(by_finger: bool, is_played: impl Fn(usize) -> bool) {
    let Some(browser) = chromium() else { return };
    let folder = folder();
    let mut sheet = Sheet::start(&browser, by_finger);
    let names = std::fs::read_dir("asp/puzzles").expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = names
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 119, "{names:?}");
    // What is set in their cells is chosen among words, which this player does not read.
    let left = ["doppelblock", "roma"];
    let others = names.into_iter().filter(|name| !left.contains(&name.as_str()));
    for (_, name) in others.enumerate().filter(|(index, _)| is_played(*index)) {
        let instance = format!("instances/{name}.txt");
        let solved: Value = serde_json::from_str(&run([&instance, "-f", "json", "--unique"]).out).expect("JSON");
        let atoms = solved["answers"][0]["atoms"].as_array().expect("atoms").iter();
        let atoms: Vec<&str> = atoms.map(|atom| atom.as_str().expect("a text")).collect();
        let page = run([&instance, "-f", "html"]).out;
        let spoiling = atoms.iter().find(|atom| page.contains(**atom));
        assert_eq!(spoiling, None, "{name}: the source has an atom of the solution");
        let advice = ["--unique", "-n 0", "asp-solve hint"].iter().find(|advice| page.contains(**advice));
        assert_eq!(advice, None, "{name}");
        sheet.open(&file(folder.path(), &format!("{name}.html"), page));
        let fits = "document.documentElement.scrollWidth <= innerWidth && document.querySelector('#view').scrollWidth <= document.querySelector('#view').clientWidth";
        assert_eq!(sheet.browser.evaluate(fits), true, "{name} is wider than the screen");
        let deeds: Vec<&&str> = atoms.iter().collect();
        let (last, others) = deeds.split_last().expect("a solution");
        others.iter().for_each(|atom| sheet.set(atom));
        // Where the last is given it is solved by now.
        let is_given = matches!(deed(last), Deed::Click(cell, _) | Deed::Write(cell, _) if !sheet.is_place(cell));
        assert_eq!(sheet.state(), if is_given { "won" } else { "open" }, "{name}, but for {last}");
        sheet.browser.click("#mistake");
        sheet.settle();
        let told = sheet.browser.evaluate("document.querySelector('#told').innerText");
        let is_refused = told.as_str().is_some_and(|told| told.starts_with("This is not the solution"));
        assert_eq!(is_refused, !is_given, "{name}: {told}");
        sheet.set(last);
        assert_eq!(sheet.state(), "won", "{name}");
        let status = sheet.browser.evaluate("document.querySelector('#told').innerText");
        assert!(status.as_str().is_some_and(|status| status.starts_with("Solved in ")), "{name}: {status}");
        // With one thing more, less or else it is not solved.
        let is_set = |atom: &&&str, sheet: &mut Sheet| match deed(atom) {
            Deed::Drag(..) => true,
            Deed::Click(cell, _) | Deed::Write(cell, _) => sheet.is_place(cell),
        };
        // What follows from a loop is not set by itself.
        let drawn = atoms.iter().find(|atom| matches!(deed(atom), Deed::Drag(..)));
        let wrong =
            drawn.or_else(|| atoms.iter().find(|atom| is_set(atom, &mut sheet))).expect("something is to be found");
        sheet.spoil(wrong);
        assert_eq!(sheet.state(), "open", "{name}: {wrong} was changed");
        // A tap that chooses a cell of few values is a move of its own.
        sheet.browser.key("Ctrl+z");
        if sheet.state() != "won" {
            sheet.browser.key("Ctrl+z");
        }
        assert_eq!(sheet.state(), "won", "{name}");
    }
    assert_eq!(sheet.browser.errors, Vec::<String>::new());
}

/// Every third type is played by mouse, and every sixth by finger: a screen waits long between touches.
#[test]
#[ignore = "needs a browser"]
fn types_are_played_to_their_end_by_finger_on_a_telephone() {
    plays(true, |index| index % 12 == 1);
}

#[test]
#[ignore = "needs a browser"]
fn types_are_played_to_their_end_by_mouse() {
    plays(false, |index| index % 3 == 0);
}

mod campaign {
    /// The types that the tests above do not play in this way.
    #[test]
    #[ignore = "needs a browser and takes minutes"]
    fn each_type_is_played_to_its_end_both_ways() {
        super::plays(true, |index| index % 12 != 1);
        super::plays(false, |index| index % 3 != 0);
    }
}

/// Opens a board that is written here.
fn opened(board: &str) -> Option<(Sheet, tempfile::TempDir)> {
    let browser = chromium()?;
    let folder = folder();
    let instance = file(folder.path(), "board.txt", board);
    let page = run([instance.to_str().expect("UTF-8"), "-f", "html"]).out;
    let mut sheet = Sheet::start(&browser, false);
    sheet.open(&file(folder.path(), "board.html", page));
    Some((sheet, folder))
}

const FOUR: &str = "puzzle sudoku\n1...\n..3.\n.2..\n...4\n";

#[test]
#[ignore = "needs a browser"]
fn notes_and_undo_and_what_was_done_survive_that_the_page_is_loaded_again() {
    let Some((mut sheet, folder)) = opened(FOUR) else { return };
    sheet.browser.key("n");
    sheet.tap(middle(1.0, 2.0));
    sheet.browser.key("1");
    sheet.browser.key("3");
    sheet.settle();
    let notes = "[...document.querySelectorAll('#notes text')].map((note) => note.textContent).join('')";
    assert_eq!(sheet.browser.evaluate(notes), "13");
    sheet.browser.key("Ctrl+z");
    sheet.settle();
    assert_eq!(sheet.browser.evaluate(notes), "1");
    sheet.browser.key("n");
    sheet.tap(middle(1.0, 3.0));
    sheet.browser.key("4");
    sheet.settle();
    let label = "document.querySelector(\".place[aria-label^='row 1, column 3']\").ariaLabel";
    assert_eq!(sheet.browser.evaluate(label), "row 1, column 3: row 1, column 3 is 4");
    sheet.open(&folder.path().join("board.html"));
    assert_eq!(sheet.browser.evaluate(label), "row 1, column 3: row 1, column 3 is 4");
    assert_eq!(sheet.browser.evaluate(notes), "1");
    // The clock runs from the first move on.
    sheet.browser.wait_until("document.querySelector('#clock').textContent !== '0:00'");
    assert_eq!(sheet.browser.errors, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser"]
fn a_line_is_drawn_around_corners_in_one_go_and_taken_back_on_the_way() {
    let Some((mut sheet, _folder)) = opened("puzzle simpleloop\n...\n...\n...\n...\n") else {
        return;
    };
    let ways: [&[Point]; 2] = [
        &[middle(1.0, 1.0), middle(1.0, 3.0), middle(3.0, 3.0), middle(3.0, 2.0)],
        // As far as the corner, and back.
        &[middle(3.0, 1.0), middle(1.0, 1.0), middle(3.0, 1.0)],
    ];
    let lines = "game.look.places.filter(({ words }) => words.includes(': ')).length";
    for (way, drawn) in ways.into_iter().zip([5, 5]) {
        let points: Vec<Point> = way.iter().map(|&point| sheet.seen(point)).collect();
        sheet.browser.drag(&points, false);
        sheet.settle();
        assert_eq!(sheet.browser.evaluate(lines), drawn, "{way:?}");
    }
    assert_eq!(sheet.browser.errors, Vec::<String>::new());
}

#[test]
fn the_page_of_an_answer_has_that_answer_and_no_atom() {
    let page = run(["instances/sudoku.txt", "-f", "html", "--answer", "1"]).out;
    assert!(page.contains("Solution 1") && !page.contains("number(") && !page.contains("-n 0"), "{page}");
    assert!(!page.contains("hashes"));
    assert_eq!(run(["instances/sudoku.txt", "-f", "html", "--answer", "2"]).code, 2);
    // What is none of a puzzle is no game, and stays as it is.
    assert!(run(["instances/queens.lp", "-f", "html"]).out.contains("queen("));
}

#[test]
fn a_page_knows_whether_it_has_all_solutions() {
    let folder = folder();
    for (board, known, are_all) in [("1.../..../..../....", 72, true), ("..../..../..../....", 100, false)] {
        let path = file(folder.path(), "board.txt", format!("puzzle sudoku\n{}\n", board.replace('/', "\n")));
        let page = run([path.to_str().expect("UTF-8"), "-f", "html"]).out;
        let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
        let data: Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(data["hashes"].as_array().map(Vec::len), Some(known), "{board}");
        assert_eq!(data["areAll"], are_all, "{board}");
    }
}
