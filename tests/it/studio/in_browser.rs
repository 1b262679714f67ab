//! Tests the studio in a real browser with real clicks and keys.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::support::devtools::Browser;
use crate::support::process::with_timeout;
use crate::support::programs::chromium;
use crate::support::{file, folder};

/// A studio process and a browser that shows it.
struct Studio {
    server: Child,
    browser: Browser,
}

impl Studio {
    /// Returns `None` if no browser is installed.
    fn open(files: &[&Path]) -> Option<Self> {
        let browser = Browser::start(&chromium()?);
        let mut server = crate::support::command()
            .arg("studio")
            .args(files)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the studio starts");
        let mut lines =
            BufReader::new(server.stderr.take().expect("the stream is piped")).lines().map_while(Result::ok);
        let mut studio = Studio { server, browser };
        let (address, lines) = with_timeout("the studio prints its address", move || {
            let address =
                |line: String| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
            (lines.find_map(address), lines)
        });
        // Drains later output so that the pipe does not fill.
        std::thread::spawn(move || lines.for_each(drop));
        studio.set_size(1500, 900);
        studio.browser.open(&address.expect("the studio prints its address"));
        studio.wait_for_answer();
        Some(studio)
    }

    /// Waits until the page shows the result of the current texts.
    fn wait_for_answer(&mut self) {
        self.wait_until(
            "document.querySelector('#status')?.textContent && !document.body.classList.contains('is-waiting')",
        );
    }

    fn text(&mut self, selector: &str) -> String {
        let found = self.evaluate(&format!("document.querySelector(\"{selector}\")?.innerText"));
        found.as_str().unwrap_or_default().to_owned()
    }

    /// Returns the texts with a highlight of this kind.
    fn highlighted(&mut self, kind: &str) -> Vec<String> {
        let painted = self.evaluate(&format!(
            "[...CSS.highlights.get('{kind}')].map((range) => range.startContainer.data.slice(range.startOffset, range.endOffset))"
        ));
        serde_json::from_value(painted).expect("texts")
    }

    /// Moves the caret to the end of the text.
    fn move_caret_to_end(&mut self) {
        self.click(".sheet:not([hidden]) textarea");
        self.key("Ctrl+End");
    }

    /// Checks that no script failed and the page's policy was not violated. A rejected save (status
    /// 409) is permitted.
    fn assert_no_errors(self) {
        let complaints: Vec<&String> = self.browser.errors.iter().filter(|text| !text.contains("409")).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

impl std::ops::Deref for Studio {
    type Target = Browser;
    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl std::ops::DerefMut for Studio {
    fn deref_mut(&mut self) -> &mut Browser {
        &mut self.browser
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}

const QUEENS: &str = "instances/queens.lp";
const SUDOKU: &str = "instances/sudoku.txt";

#[test]
#[ignore = "needs a browser"]
fn errors_are_underlined_while_typing_and_answers_follow_their_correction() {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", "{ p(1..2) }.\n");
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.wait_until("document.querySelectorAll('#list li').length === 4");
    studio.move_caret_to_end();
    studio.write("q(X) :- p(Y).");
    studio.wait_until("document.querySelector('#messages').innerText.includes('unsafe')");
    assert_eq!(studio.highlighted("error"), ["q(X) :- p(Y).", "X"]);
    // The answers from before the error stay visible, greyed out.
    assert_eq!(studio.evaluate("document.body.classList.contains('is-old')"), true);
    assert_eq!(studio.evaluate("document.querySelectorAll('#list li').length"), 4);
    // Screen readers are informed too.
    assert_eq!(studio.evaluate("document.querySelector('textarea').ariaInvalid"), "true");
    // The message links to the rule, which is then corrected.
    studio.click("#messages button");
    studio.write("q(Y) :- p(Y).");
    studio.wait_until("document.querySelector('#messages').childElementCount === 0");
    assert_eq!(studio.highlighted("error"), Vec::<String>::new());
    assert_eq!(studio.text("textarea"), "");
    assert_eq!(studio.evaluate("document.querySelector('textarea').value"), "{ p(1..2) }.\nq(Y) :- p(Y).");
    studio.key("Ctrl+End");
    studio.write(" :- p(1).");
    studio.wait_until("document.querySelectorAll('#list li').length === 2");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn saving_writes_one_file_and_external_changes_are_reported() {
    let folder = folder();
    let one = file(folder.path(), "one.lp", "p.\r\n");
    let other = file(folder.path(), "other.lp", "q.\n");
    let Some(mut studio) = Studio::open(&[&one, &other]) else { return };
    for text in ["r.", "s."] {
        studio.move_caret_to_end();
        studio.write(text);
        studio.click("#files [role=tab]:nth-child(2)");
    }
    studio.click("#files [role=tab]:nth-child(1)");
    studio.wait_until("document.querySelectorAll('.is-dirty').length === 2");
    studio.key("Ctrl+s");
    studio.wait_until("document.querySelectorAll('.is-dirty').length === 1");
    assert_eq!((read(&one).as_str(), read(&other).as_str()), ("p.\r\nr.", "q.\n"));
    // A file without unsaved changes is reloaded; unsaved changes are not lost.
    std::fs::write(&one, "t.\n").expect("the file is writable");
    studio.wait_until("document.querySelector('.sheet:not([hidden]) textarea').value === 't.\\n'");
    std::fs::write(&other, "u.\n").expect("the file is writable");
    studio.click("#files [role=tab]:nth-child(2)");
    studio.wait_until("!document.querySelector('#changed').hidden");
    studio.key("Ctrl+s");
    studio.wait_until("!document.querySelector('#save').disabled");
    assert_eq!(read(&other), "u.\n");
    studio.click("#keep");
    studio.key("Ctrl+s");
    studio.wait_until("document.querySelectorAll('.is-dirty').length === 0");
    assert_eq!(read(&other), "q.\ns.");
    let found: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn an_atom_is_explained_and_the_reason_links_to_the_text() {
    let Some(mut studio) = Studio::open(&[Path::new(QUEENS)]) else { return };
    studio.click("#atoms button");
    studio.wait_until("document.querySelector('#reason .part')");
    assert!(studio.text("#reason").contains("queen(1,2) holds in some answers"), "{}", studio.text("#reason"));
    assert_eq!(studio.highlighted("cause"), ["{ queen(R,C) : C = 1..n } = 1 :- R = 1..n."]);
    studio.click("#reason .part");
    let selected = "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)";
    assert_eq!(studio.evaluate(selected), "{ queen(R,C) : C = 1..n } = 1 :- R = 1..n.");
    // A place of the picture has the same effect.
    studio.click(".place[aria-label*='queen(2,4)']");
    studio.wait_until("document.querySelector('#reason').innerText.includes('queen(2,4) holds in some answers')");
    // Without an answer, the reason is shown automatically.
    studio.move_caret_to_end();
    studio.write(":- queen(_,2). :- queen(_,3).");
    studio.wait_until("document.querySelector('#status').textContent.startsWith('There is no answer')");
    studio.wait_until("document.querySelector('#reason:not(.is-old) h2')?.textContent === 'Why is there no answer?'");
    studio.wait_until("CSS.highlights.get('cause').size > 0");
    assert!(
        studio.highlighted("cause").iter().any(|text| text.starts_with(":- queen(_,")),
        "{:?}",
        studio.highlighted("cause")
    );
    studio.assert_no_errors();
}

/// `UPDATE_DOCS=1` updates the picture.
#[test]
#[ignore = "needs a browser"]
fn the_readme_shows_the_studio() {
    const SHOWN: &str = "tests/data/studio.png";
    let Some(mut studio) = Studio::open(&[Path::new(QUEENS)]) else { return };
    studio.set_size(1200, 700);
    studio.click("#atoms button");
    studio.wait_until("document.querySelector('#reason .part')");
    let screenshot = studio.screenshot();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(SHOWN, screenshot).expect("the file is writable");
    } else {
        let actual = blocks(&screenshot);
        let shown = blocks(&std::fs::read(SHOWN).expect("the README's picture"));
        // Letters look different on each machine; panes and boards do not.
        let largest = actual.iter().zip(&shown).map(|(one, other)| one.abs_diff(*other)).max();
        assert!(actual.len() == shown.len() && largest < Some(40), "{largest:?}: UPDATE_DOCS=1 updates {SHOWN}");
    }
    studio.assert_no_errors();
}

/// Returns the mean of the bytes in each block of 50 by 50 pixels.
fn blocks(picture: &[u8]) -> Vec<u32> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("a picture");
    let mut bytes = vec![0; reader.output_buffer_size().expect("the size fits into usize")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    let rows = bytes.chunks(info.line_size).collect::<Vec<_>>();
    let wide = 50 * info.color_type.samples();
    let mean = |rows: &[&[u8]], from: usize| {
        let part = rows.iter().flat_map(|row| &row[from..(from + wide).min(row.len())]);
        part.clone().map(|&byte| u32::from(byte)).sum::<u32>() / part.count() as u32
    };
    rows.chunks(50).flat_map(|rows| (0..info.line_size).step_by(wide).map(move |from| mean(rows, from))).collect()
}

#[test]
#[ignore = "needs a browser"]
fn the_number_of_all_answers_follows_a_pause_in_typing() {
    let folder = folder();
    let program = file(folder.path(), "program.lp", "1 { a(1..30) }.\n");
    let Some(mut studio) = Studio::open(&[&program]) else { return };
    studio.wait_until("document.querySelector('#status').textContent.startsWith('20 of 1,073,741,823 answers (')");
    studio.move_caret_to_end();
    studio.write(":- a(1).");
    studio.wait_until("document.querySelector('#status').textContent.startsWith('20 of 536,870,911 answers (')");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn answers_are_browsed_and_compared() {
    let Some(mut studio) = Studio::open(&[Path::new(QUEENS)]) else { return };
    studio.click("#counter");
    assert_eq!(studio.text("#counter"), "1 of 4");
    let first = studio.text("#atoms");
    studio.key("]");
    assert_eq!(studio.text("#counter"), "2 of 4");
    assert_ne!(studio.text("#atoms"), first);
    studio.key("[");
    assert_eq!(studio.text("#atoms"), first);
    // The key of a missing button has no effect.
    studio.key("s");
    studio.wait_until("!document.querySelector('#differ').disabled");
    studio.key("d");
    studio.wait_until("document.querySelector('.place.differs')");
    studio.key("d");
    // All six queens differ.
    assert_eq!(studio.evaluate("document.querySelectorAll('#atoms .differs').length"), 6);
    studio.click(".sheet:not([hidden]) textarea");
    studio.key("Ctrl+End");
    studio.write("queen(1,2). p.");
    studio.wait_for_answer();
    studio.assert_no_errors();
}

/// A 4x4 Sudoku and its unique solution.
const FOUR: &str = "puzzle sudoku\n1...\n..3.\n.2..\n...4\n";
const SOLUTION: [[u32; 4]; 4] = [[1, 3, 4, 2], [2, 4, 3, 1], [4, 2, 1, 3], [3, 1, 2, 4]];

/// Returns row and column of the focused place from its label.
fn focused_place(studio: &mut Studio) -> (usize, usize) {
    let words = studio.evaluate("document.activeElement.ariaLabel");
    let words = words.as_str().unwrap_or_default().to_owned();
    let numbers = words.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<usize> = numbers.take(2).collect();
    (numbers[0], numbers[1])
}

#[test]
#[ignore = "needs a browser"]
fn a_board_is_solved_with_the_keyboard_alone() {
    let folder = folder();
    let path = file(folder.path(), "four.txt", FOUR);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    let message = "document.querySelector('#told').innerText";
    studio.key("p");
    studio.wait_until("document.activeElement.matches('.place')");
    assert_eq!(focused_place(&mut studio), (1, 2));
    // Answers would reveal the solution.
    assert_eq!(studio.evaluate("document.querySelector('#answers').getClientRects().length"), 0);
    studio.key("2");
    studio.wait_until("document.querySelector('#said').innerText.includes('2')");
    assert_eq!(studio.text("#told"), "");
    studio.key("c");
    studio.wait_until(&format!("{message}.includes('column 2 would have 2 twice')"));
    studio.wait_until("document.querySelectorAll('#marked rect').length > 0");
    studio.key("Ctrl+z");
    studio.wait_until(&format!("{message} === ''"));
    assert_eq!(studio.evaluate("document.querySelectorAll('#marked rect').length"), 0);
    // This breaks no rule yet and is still a mistake.
    studio.click("#at-once");
    studio.evaluate("document.querySelector('.place').focus()");
    studio.key("4");
    studio.wait_until(&format!("{message} !== ''"));
    studio.key("Backspace");
    studio.wait_until(&format!("{message} === ''"));
    studio.key("h");
    studio.wait_until(&format!("{message} !== ''"));
    for (row, numbers) in (1..).zip(SOLUTION) {
        for (column, number) in (1..).zip(numbers) {
            if FOUR.lines().nth(row).and_then(|line| line.chars().nth(column - 1)) != Some('.') {
                continue;
            }
            // Given cells are not places, so the path avoids them.
            for step in 0.. {
                assert!(step < 12, "no way to row {row}, column {column}");
                let key = match focused_place(&mut studio) {
                    at if at == (row, column) => break,
                    (here, _) if here < row => "ArrowDown",
                    (here, _) if here > row => "ArrowUp",
                    (_, here) if here < column => "ArrowRight",
                    _ => "ArrowLeft",
                };
                studio.key(key);
            }
            studio.key(&number.to_string());
            studio.wait_until(&format!("document.activeElement.ariaLabel.includes(' is {number}')"));
        }
    }
    studio.wait_until("document.querySelector('#board').dataset.state === 'won'");
    studio.key("Ctrl+z");
    studio.wait_until("document.querySelector('#board').dataset.state === 'open'");
    studio.key("Ctrl+y");
    studio.wait_until("document.querySelector('#board').dataset.state === 'won'");
    // Text typed during play takes effect.
    studio.click(".sheet:not([hidden]) textarea");
    studio.key("Ctrl+End");
    studio.write("?");
    studio.wait_until("document.querySelector('#messages').innerText");
    studio.key("Backspace");
    studio.wait_until(
        "!document.querySelector('#messages').innerText && document.querySelector('#board').dataset.state === 'won'",
    );
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn a_board_is_played_with_the_mouse() {
    let folder = folder();
    let path = file(folder.path(), "four.txt", FOUR);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.click("#game");
    let place = ".place[aria-label^='row 1, column 2']";
    for value in 1..=4 {
        studio.click(place);
        studio.wait_until(&format!("document.querySelector(\"{place}\").ariaLabel.includes(' is {value}')"));
    }
    studio.click(place);
    studio.wait_until(&format!("!document.querySelector(\"{place}\").ariaLabel.includes(' is ')"));
    // The buttons do the same without a keyboard.
    studio.click("#options button:nth-child(3)");
    studio.wait_until(&format!("document.querySelector(\"{place}\").ariaLabel.includes(' is 3')"));
    studio.click("#undo");
    studio.wait_until(&format!("!document.querySelector(\"{place}\").ariaLabel.includes(' is ')"));
    studio.click("#redo");
    studio.wait_until(&format!("document.querySelector(\"{place}\").ariaLabel.includes(' is 3')"));
    studio.click("#again");
    studio.wait_until("document.querySelector('#undo').disabled");
    studio.click("#solve");
    studio.wait_until("document.querySelector('#status').innerText.includes('1 solution')");
    studio.assert_no_errors();
}

/// Labels of places with a value or a note.
const FILLED: &str =
    "[...document.querySelectorAll('.place')].map((place) => place.ariaLabel).filter((words) => / is |:/.test(words))";

#[test]
#[ignore = "needs a browser"]
fn two_digit_numbers_are_typed_and_their_buttons_leave_room_for_the_board() {
    let folder = folder();
    let board = format!("puzzle sudoku\n{}", format!("{}\n", ". ".repeat(16)).repeat(16));
    let path = file(folder.path(), "sixteen.txt", board);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.click("#game");
    studio.wait_until("document.activeElement.matches('.place')");
    studio.key("1");
    studio.key("2");
    studio.wait_until(&format!("{FILLED}.join() === 'row 1, column 1 is 12'"));
    // Both digits are one move.
    studio.key("Ctrl+z");
    studio.wait_until(&format!("{FILLED}.length === 0"));
    studio.key("1");
    studio.key("ArrowRight");
    studio.key("2");
    studio.wait_until(&format!("{FILLED}.length === 2"));
    assert_eq!(studio.evaluate(&format!("{FILLED}[1]")), "row 1, column 2 is 2");
    for (width, height) in [(1280, 800), (390, 844)] {
        studio.set_size(width, height);
        let buttons =
            "[...document.querySelectorAll('#options button')].map((button) => button.getBoundingClientRect())";
        studio.wait_until(&format!("{buttons}.length >= 16 && {buttons}.every(({{ right, bottom }}) => right <= innerWidth && bottom <= innerHeight)"));
        let area = format!(
            "{buttons}.reduce((sum, {{ width, height }}) => sum + width * height, 0) / innerWidth / innerHeight"
        );
        assert!(studio.evaluate(&area).as_f64() < Some(0.12), "buttons crush the board: {}", studio.evaluate(&area));
        studio.wait_until("Math.min(...['width', 'height'].map((side) => document.querySelector('#picture').getBoundingClientRect()[side])) > 340");
    }
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn pencil_marks_are_set_by_key_or_button_can_be_undone_and_are_not_mistakes() {
    let folder = folder();
    let path = file(folder.path(), "four.txt", FOUR);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.key("p");
    studio.wait_until("document.activeElement.matches('.place')");
    studio.key("n");
    assert_eq!(studio.evaluate("document.querySelector('#pencil').ariaPressed"), "true");
    let notes = "[...document.querySelectorAll('#notes text')].map((note) => note.textContent).join('')";
    studio.key("1");
    studio.key("3");
    studio.wait_until(&format!("{notes} === '13'"));
    assert!(
        studio
            .evaluate("document.activeElement.ariaLabel")
            .as_str()
            .is_some_and(|words| words.ends_with("pencilled in: 1, 3"))
    );
    // The notes are small and inside the cell.
    let inside = "(() => { const cell = document.activeElement.getBoundingClientRect();
        return [...document.querySelectorAll('#notes text')].map((note) => note.getBoundingClientRect())
            .every((box) => box.left >= cell.left && box.right <= cell.right && box.top >= cell.top - 2 && box.bottom <= cell.bottom + 2 && box.height < cell.height); })()";
    assert_eq!(studio.evaluate(inside), true);
    studio.key("c");
    studio.wait_until("document.querySelector('#status').innerText === 'The board is empty. No mistake.'");
    studio.key("Ctrl+z");
    studio.wait_until(&format!("{notes} === '1'"));
    studio.key("Ctrl+y");
    studio.wait_until(&format!("{notes} === '13'"));
    // Setting a mark again removes it, and a button has the same effect as its key.
    studio.click("#options button:nth-child(1)");
    studio.wait_until(&format!("{notes} === '3'"));
    studio.click("#pencil");
    studio.key("3");
    studio.wait_until("document.activeElement.ariaLabel.endsWith('row 1, column 2 is 3')");
    assert_eq!(studio.evaluate(notes), "");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn play_starts_with_an_empty_board_and_hides_the_solution_immediately() {
    let folder = folder();
    let path = file(folder.path(), "four.txt", FOUR);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    let visible = "[...document.querySelectorAll('#marks text')].filter((text) => text.checkVisibility()).map((text) => text.textContent).join('')";
    studio.wait_until(&format!("{visible}.length === 16"));
    // Delays the response to the request.
    studio.evaluate("(() => { const { fetch } = window; const waits = new Promise((go) => window.go = go);
        window.fetch = async (...wanted) => { if (wanted[1]?.body?.includes('\"play\"')) await waits; return fetch(...wanted); }; })()");
    studio.click("#game");
    assert_eq!(studio.evaluate(visible), "");
    studio.evaluate("window.go()");
    studio.wait_until(&format!("{visible} === '1234'"));
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn without_a_file_the_studio_opens_an_example() {
    let Some(mut studio) = Studio::open(&[]) else { return };
    assert_eq!(studio.evaluate("document.querySelector('#status').dataset.verdict"), "solved");
    assert!(
        studio
            .evaluate("document.querySelector('textarea').value")
            .as_str()
            .is_some_and(|text| text.contains("change as you type"))
    );
    studio.click("#game");
    studio.wait_until("document.querySelectorAll('.place').length === 24");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn examples_and_new_programs_replace_the_open_program_until_it_is_opened_again() {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", "{ p }.\n");
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.move_caret_to_end();
    studio.write("q.");
    studio.click("#examples");
    studio.wait_until("document.querySelector('.card img')?.naturalWidth > 0");
    studio.click("#search");
    studio.write("tents");
    studio.wait_until("document.querySelectorAll('.card:not([hidden])').length < 5");
    studio.key("Enter");
    studio.wait_until("document.querySelector('textarea').value.includes('puzzle tents')");
    studio.wait_until(
        "!document.body.classList.contains('is-waiting') && document.querySelectorAll('#places rect').length > 0",
    );
    studio.wait_until("document.querySelectorAll('#list li').length === 1");
    // An example is not saved; it can be downloaded.
    assert_eq!(studio.evaluate("document.querySelector('#save').disabled"), true);
    assert_eq!(studio.evaluate("document.querySelector('#download').disabled"), false);
    studio.click("#game");
    studio.wait_until("document.body.classList.contains('plays')");
    studio.click("#new");
    studio.write("{ a; b } 1.");
    studio.wait_until("document.querySelectorAll('#list li').length === 3");
    // The first program has its unsaved text.
    studio.click("#examples");
    studio.click("#opened button");
    studio.wait_until("document.querySelector('textarea').value.includes('q.')");
    studio.wait_until("document.querySelectorAll('#list li').length === 2");
    assert_eq!(studio.evaluate("document.querySelector('#save').disabled"), false);
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn tiles_slide_by_clicks_and_keys() {
    let folder = folder();
    let path = file(folder.path(), "tiles.txt", "1 2 3\n4 . 6\n7 5 8\n");
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.click("#game");
    studio.click(".place[aria-label^='5,']");
    studio.wait_until("document.querySelector(\".place[aria-label^='5,']\").ariaLabel.includes('row 2, column 2')");
    studio.click("#distance");
    studio.wait_until("document.querySelector('#told').innerText.includes('1 move')");
    studio.key("ArrowLeft");
    studio.wait_until("document.querySelector('#board').dataset.state === 'won'");
    studio.click("#undo");
    studio.wait_until("document.querySelector('#board').dataset.state === 'open'");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn unplayable_programs_are_reported() {
    let folder = folder();
    let path = file(folder.path(), "mine.lp", "{ p }.\n");
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.click("#game");
    studio.wait_until("document.querySelector('#told').innerText.includes('cannot be played')");
    assert_eq!(studio.evaluate("document.body.classList.contains('plays')"), false);
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn tests_are_run_and_failures_link_to_the_text() {
    let folder = folder();
    let text = "p(1..3).\n#program test_right(base).\ncannot(\"three\") :- not p(3).\n#program test_wrong(base).\ncannot(\"four\") :- not p(4).\n";
    let path = file(folder.path(), "mine.lp", text);
    let Some(mut studio) = Studio::open(&[&path]) else { return };
    studio.click("#tab-tests");
    studio.wait_until("document.querySelector('#passed').innerText === '1 passed, 1 failed'");
    studio.click("#outcomes .failed");
    studio.wait_until("document.activeElement.matches('textarea')");
    // The tests run again after the correction.
    studio.key("Ctrl+Home");
    studio.write("p(4).");
    studio.wait_until("document.querySelector('#passed').innerText === '2 passed, 0 failed'");
    studio.assert_no_errors();
}

#[test]
#[ignore = "needs a browser"]
fn phones_show_one_pane_without_horizontal_scrolling() {
    let instances = [SUDOKU, QUEENS, "instances/deponia.lp", "instances/taquin_one.txt", "instances/minesweeper.txt"];
    for instance in instances {
        let Some(mut studio) = Studio::open(&[Path::new(instance)]) else { return };
        studio.set_size(360, 640);
        for (pane, name) in [("program", "Program"), ("board", "Picture"), ("reasons", "Reasons")] {
            studio.click(&format!("nav [data-pane={pane}]"));
            studio.wait_until("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight");
            let shown = "[...document.querySelectorAll('.pane')].filter((pane) => pane.getClientRects().length).map(({ id }) => id).join()";
            assert_eq!(studio.evaluate(shown), pane, "{instance}");
            assert_eq!(studio.text("nav [aria-current]"), name);
            // Buttons are large enough for a thumb and on the screen.
            let small = "[...document.querySelectorAll('header button, nav button, .pane > .bar button, [role=tab], #options button')]\
                .map((button) => [button, button.getBoundingClientRect()]).filter(([, box]) => box.width && (box.height < 36 || box.right > innerWidth))\
                .map(([button]) => button.outerHTML)";
            assert_eq!(studio.evaluate(small), serde_json::json!([]), "{instance}");
        }
        studio.assert_no_errors();
    }
}

/// Roles of interactive elements.
const CONTROLS: [&str; 8] = ["button", "tab", "textbox", "searchbox", "checkbox", "slider", "link", "combobox"];

#[test]
#[ignore = "needs a browser"]
fn every_control_has_a_name_and_every_text_is_readable() {
    let Some(mut studio) = Studio::open(&[Path::new(QUEENS)]) else { return };
    let mut names = Vec::new();
    for tab in ["#tab-answers", "#tab-why", "#tab-tests", "#help"] {
        studio.click(tab);
        studio.wait_for_answer();
        for (role, name) in studio.accessible_nodes() {
            assert!(!CONTROLS.contains(&&*role) || !name.trim().is_empty(), "a {role} without a name behind {tab}");
            names.push(format!("{role} {name}"));
        }
    }
    for wanted in [
        "main ",
        "navigation Panes",
        "region Program",
        "tab queens.lp",
        "textbox instances/queens.lp",
        "button Save",
        "dialog Keys",
    ] {
        // The navigation is hidden if all panes fit.
        assert!(
            names.iter().any(|name| name.starts_with(wanted)) != (wanted == "navigation Panes"),
            "{wanted}: {names:?}"
        );
    }
    studio.key("Escape");
    for scheme in ["light", "dark"] {
        studio.emulate_media("prefers-color-scheme", scheme);
        assert_eq!(studio.evaluate(FAINT), serde_json::json!([]), "{scheme}");
    }
    studio.assert_no_errors();
}

/// Returns the texts and editor colours whose contrast with their background is less than 4.5.
const FAINT: &str = r"(() => {
    const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const rgb = (colors) => {
        for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (color) => color.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const behind = (element) => element ? [...behind(element.parentElement), getComputedStyle(element).backgroundColor] : ['white'];
    const faint = [];
    for (const element of document.querySelectorAll('body *:not(svg *, script, style, :disabled, textarea)')) {
        if (!element.getClientRects().length || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
        const ratio = contrast(rgb([...behind(element), getComputedStyle(element).color]), rgb(behind(element)));
        if (ratio < 4.5) faint.push(`${element.outerHTML.slice(0, 80)}: ${ratio}`);
    }
    const style = getComputedStyle(document.documentElement);
    for (const name of ['comment', 'string', 'word', 'number', 'variable']) {
        const ratio = contrast(rgb([style.getPropertyValue(`--${name}`)]), rgb([style.getPropertyValue('--pane')]));
        if (ratio < 4.5) faint.push(`${name}: ${ratio}`);
    }
    return faint;
})()";

/// Returns the cells to click for a move of a game.
fn clicks(game: &str, step: &str) -> Vec<(i64, i64)> {
    let numbers: Vec<i64> =
        step.split(|sign: char| !sign.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    match (game, &numbers[..]) {
        ("lightsout-3", &[row, column]) => vec![(row, column)],
        ("knights" | "pegs-triangle", &[row, column, to_row, to_column]) => vec![(row, column), (to_row, to_column)],
        // The buttons are below the pegs.
        ("hanoi-3", &[_, from, to]) => vec![(4, from), (4, to)],
        ("frogs", &[row, column]) => vec![(row, column)],
        ("warehouse", &[row, column]) => {
            let ways = [("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)];
            let (_, i, j) = ways.into_iter().find(|(way, ..)| step.contains(way)).expect("a direction");
            vec![(row + i, column + j)]
        }
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a browser"]
fn six_games_are_solved_by_clicks() {
    let folder = folder();
    let shipped = |name: &str| PathBuf::from(format!("instances/{name}.txt"));
    let discs = file(folder.path(), "hanoi-3.txt", "puzzle hanoi\n1..\n2..\n3..\n");
    let warehouse = file(folder.path(), "warehouse.txt", "######\n#@ $.#\n# $ .#\n######\n");
    let boards =
        ["lightsout-3", "knights", "pegs-triangle", "frogs"].map(shipped).into_iter().chain([discs, warehouse]);
    for path in boards {
        let game = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let Some(mut studio) = Studio::open(&[&path]) else { return };
        let value = crate::support::run(["-f", "json", path.to_str().expect("a name")]).json();
        let steps: Vec<&str> =
            value["answers"][0]["moves"].as_array().expect("moves").iter().filter_map(|step| step.as_str()).collect();
        assert!(steps.len() > 3, "{game}: {value}");
        studio.click("#game");
        for (number, step) in steps.iter().enumerate() {
            studio.wait_until("document.querySelector('#board').dataset.state === 'open'");
            studio.click("#distance");
            let left = steps.len() - number;
            studio.wait_until(&format!("document.querySelector('#told').innerText.includes('{left} move')"));
            let places = clicks(game, step);
            for (number, (row, column)) in places.iter().enumerate() {
                studio.click(&format!(".place[aria-label^='row {row}, column {column}']"));
                if number + 1 < places.len() {
                    // The second click is possible once the page shows the piece as picked up.
                    let buttons = "[...document.querySelectorAll('#options button')]";
                    studio.wait_until(&format!("{buttons}.some((button) => button.title === 'put it back')"));
                }
            }
            studio.wait_until(&format!("!document.querySelector('#told').innerText.includes('{left} move')"));
        }
        studio.wait_until("document.querySelector('#board').dataset.state === 'won'");
        studio.assert_no_errors();
    }
}
