//! The types of pencil puzzles: each is a file in `asp/puzzles/`, with a board in `instances/`.
//!
//! [`each_type`] makes a test for each type, so that a failure names the type and
//! `cargo test --release sudoku` tests a single one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use asp::{Program, Settings, Solver, Symbol, parse_term};
use asp_solve::{Failure, Job, Show};
use base::document::Document;
use base::stop::CancelToken;
use pencil::LogicPuzzle;
use pencil::board::GridBoard;
use puzzle::Format;
use puzzle::report_slot::ReportSlot;
use puzzle::{AnyPuzzle, AnyRunResult};

/// Makes a test for each type that calls a function with its [`PuzzleFile`], and a test that
/// compares the list with the folder.
macro_rules! each_type {
    ($checked:path) => {
        each_type! { $checked:
            akari aqre aquarium arukone ayeheya balance barns battleship canal castle cave chocona cocktail
            cojun compass context coral country creek dbchoco detour doppelblock doubleback easyasabc factors
            fillmat fillomino firefly fivecells fourcells geradeweg gokigen hanare hashi herugolf heyawake
            hitori icebarn juosan kakuro kinkonkan koburin kramma kropki kurodoko kurotto lapaz lither lits
            lookair masyu meander mejilink midloop minarism mines mochikoro moonsun nagenawa nanro nawabari
            nikoji nondango nonogram norinori nothree numlin nurikabe nurimaze nurimisaki nuriuzu onsen
            paintarea pentominous pipelink putteria rectslider reflect renban ringring ripple roma sansaroad
            sashigane scrin shakashaka shikaku shimaguni shugaku simplegako simpleloop skyscrapers slalom
            slither snake starbattle stostone sudoku sukoro sukororoom tapa tasquare tatamibari tentaisho tents
            tetrominous tilepaint toichika usoone usotatami view wagiri walllogic wblink yajikazu yajilin
            yajirushi yajitatami yinyang
        }
    };
    ($checked:path: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            $checked(&$crate::logic::types::PuzzleFile::of(stringify!($name)));
        })*

        #[test]
        fn no_type_is_forgotten() {
            let puzzles = $crate::logic::types::puzzles();
            let names: Vec<&str> = puzzles.iter().map(|puzzle| puzzle.name.as_str()).collect();
            assert_eq!(names, [$(stringify!($name)),*], "the folder, and the list in tests/it/logic/types.rs");
        }
    };
}
pub(crate) use each_type;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a file of the project.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A puzzle's file, read independently of the library.
pub struct PuzzleFile {
    pub name: String,
    pub text: String,
    /// The paragraphs of its header by heading; the first one has an empty heading.
    header: BTreeMap<String, String>,
    /// The puzzle as the command reads it in the project's folder.
    pub logic: LogicPuzzle,
}

impl PuzzleFile {
    pub fn of(name: &str) -> PuzzleFile {
        let text = text(&format!("asp/puzzles/{name}.lp"));
        let mut header: BTreeMap<String, String> = BTreeMap::new();
        let mut head = String::new();
        for line in text.lines().map_while(|line| line.strip_prefix('%')) {
            let words = match line.trim_start().split_once("  ") {
                Some((word, rest)) if !line.starts_with("  ") => {
                    head = word.to_owned();
                    rest
                }
                // Text between the paragraphs belongs to none.
                _ if !head.is_empty() && !line.starts_with("  ") => continue,
                _ => line,
            };
            let paragraph = header.entry(head.clone()).or_default();
            *paragraph = format!("{paragraph} {}", words.trim()).trim().to_owned();
        }
        let logic = LogicPuzzle::named(name).unwrap_or_else(|failure| panic!("{failure}"));
        PuzzleFile { name: name.to_owned(), text, header, logic }
    }

    pub fn paragraph(&self, head: &str) -> Option<&str> {
        self.header.get(head).map(String::as_str)
    }

    /// The path of its board, below the project's folder.
    pub fn instance(&self) -> String {
        format!("instances/{}.txt", self.name)
    }

    pub fn board(&self) -> GridBoard {
        let name = self.instance();
        GridBoard::read(&Document::in_memory(name.as_str(), text(&name))).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// The files to run with plain clingo.
    pub fn files(&self) -> Vec<PathBuf> {
        let others = self.paragraph("Goes with").unwrap_or_default().split(", ").map(str::to_owned);
        let files = others.chain([format!("{}.lp", self.name)]).filter(|name| !name.is_empty());
        files.map(|name| root().join("asp/puzzles").join(name)).collect()
    }

    /// The puzzle's program with a board as facts.
    pub fn program(&self, board: &str) -> Program {
        let document = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Document::in_memory(path.display().to_string(), text)
        };
        Program {
            instance: vec![Document::in_memory("board", board)],
            encoding: self.files().iter().map(document).collect(),
            ..Program::default()
        }
    }

    /// The job of the command for a text, with the files of the project as rules.
    pub fn job_of(&self, name: &str, text: &str) -> Job {
        let read = |path: String| {
            let bytes = std::fs::read(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            Document::from_bytes(path.clone(), Some(PathBuf::from(path)), bytes)
        };
        let others = self.paragraph("Goes with").unwrap_or_default().split(", ").filter(|name| !name.is_empty());
        let own_file = format!("{}.lp", self.name);
        let files = [own_file.as_str()].into_iter().chain(others);
        let document = Document::from_bytes(name.to_owned(), None, text.as_bytes().to_vec());
        let mut job = Job { sources: vec![document].into(), ..Job::default() };
        job.sources.encodings = files.map(|file| read(format!("asp/puzzles/{file}"))).collect();
        job
    }

    /// The job of the command for the type's board.
    pub fn job(&self) -> Job {
        self.job_of(&self.instance(), &text(&self.instance()))
    }

    /// Runs a job as the command does, and returns the output and the result.
    pub fn printed(&self, mut job: Job, format: Format) -> Result<(String, AnyRunResult), Failure> {
        job.output.format = format;
        job.output.style.on_page = format == Format::Html;
        job.output.show = match format {
            Format::Html => Show::Page,
            format if format.is_picture() => Show::Pictures,
            _ => Show::Answers,
        };
        let buffer = SharedBuffer::default();
        let slot = ReportSlot::new(Box::new(buffer.clone()), format, job.output.style);
        let board = self.logic.open(job)?;
        let result = board.solve(&slot)?;
        let result = slot.finish(|| board.header(), result)?;
        let bytes = buffer.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((String::from_utf8(bytes).expect("UTF-8"), result))
    }
}

/// The output of a run.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn puzzles() -> Vec<PuzzleFile> {
    let files = std::fs::read_dir(root().join("asp/puzzles")).expect("the folder of puzzles");
    let paths = files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some());
    let mut names: Vec<String> =
        paths.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(
        names.len(),
        crate::support::pencil_puzzles(),
        "the folder and the program have the same puzzles: {names:?}"
    );
    names.iter().map(|name| PuzzleFile::of(name)).collect()
}

/// Several boards of a type, given as facts, in one ground program. Facts that not all boards share
/// become choices, whose values for the board to solve are passed as assumptions.
pub struct Boards {
    solver: Solver,
    chosen: BTreeMap<String, Symbol>,
}

fn facts(board: &str) -> impl Iterator<Item = &str> {
    board.lines().flat_map(|line| line.trim_end_matches('.').split(". "))
}

impl Boards {
    /// Grounds the boards with additional rules; `None` if there is no board. Solutions that show
    /// the same atoms are equal.
    pub fn new(puzzle: &PuzzleFile, boards: &[String], rules: &str) -> Option<Boards> {
        boards.first()?;
        let sets: Vec<BTreeSet<&str>> = boards.iter().map(|board| facts(board).collect()).collect();
        let all: BTreeSet<&str> = sets.iter().flatten().copied().collect();
        let (fixed, chosen): (BTreeSet<&str>, BTreeSet<&str>) =
            all.into_iter().partition(|fact| sets.iter().all(|set| set.contains(fact)));
        let fixed = fixed.iter().map(|fact| format!("{fact}.\n"));
        let choices = chosen.iter().map(|fact| format!("{{ {fact} }}.\n"));
        let mut program = puzzle.program(&fixed.chain(choices).collect::<String>());
        program.additions.push(Document::in_memory("rules", rules));
        let options = vec!["--project=show".to_owned()];
        let settings = Settings { models: Some(2), options, ..Settings::default() };
        let solver = Solver::with_program(&program, &settings, &CancelToken::new());
        let solver = solver.unwrap_or_else(|failure| panic!("{}: {failure}", puzzle.name));
        let symbol = |fact: &str| parse_term(fact).unwrap_or_else(|| panic!("{}: {fact}", puzzle.name));
        let chosen = chosen.into_iter().map(|fact| (fact.to_owned(), symbol(fact))).collect();
        Some(Boards { solver, chosen })
    }

    /// The number of solutions of one of the boards, at most two.
    pub fn solutions(&mut self, board: &str) -> usize {
        let facts: BTreeSet<&str> = facts(board).collect();
        let assumed: Vec<(Symbol, bool)> =
            self.chosen.iter().map(|(fact, &atom)| (atom, facts.contains(fact.as_str()))).collect();
        let mut found = 0;
        let solved = self.solver.solve(&assumed, |_| {
            found += 1;
            ControlFlow::Continue(())
        });
        solved.expect("clingo solves");
        found
    }
}
