//! A puzzle that is one logic program: a file in `puzzles/` below a folder of encodings, and nothing in Rust.
//!
//! The file's comment says what it is; a board is read by a rule that is the same for all ([`Board`]), or from the address of
//! a page where it can be played ([`Link`]); what the program derives with `draw` is shown ([`Drawing`]).
//!
//! | file | what it holds |
//! |---|---|
//! | `header.rs` | what the comment at the top of the file says |
//! | `board.rs` | a board, and the facts that it becomes |
//! | `text.rs` | boards as texts, read and written |
//! | `signs.rs` | the signs that a puzzle's boards can have |
//! | `square.rs` | squares of numbers as people paste them |
//! | `link.rs`, `codecs.rs`, `steps.rs` | boards in addresses of puzz.link and its kin |
//! | `links.txt` | how links of types are written whose rules do not ship |
//! | `drawn.rs` | drawings in addresses of penpa-edit, SudokuPad and f-puzzles |
//! | `fields.rs` | JSON of other programs, of which no key is dropped |
//! | `game_id.rs` | boards in ids of sgt-puzzles' games |
//! | `generate.rs`, `areas.rs` | new boards, and their areas |
//! | `shared.rs` | boards of a batch that share a ground program |

mod areas;
pub mod board;
pub mod codecs;
mod drawn;
mod fields;
pub mod game_id;
mod generate;
mod header;
pub mod link;
mod shared;
pub mod signs;
mod square;
pub mod steps;
pub mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use clap::{Args, ValueEnum};
use include_dir::{Dir, include_dir};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Value, json};

use super::certifying::Certifying;
use super::closing::{self, Closing, Seen, Summary, numbers};
use super::program::{self, Searched};
use super::rules::{Encoding, Shipped};
use super::saved::Saved;
use super::{About, Because, Entry, Fits, Found, OfFile, Opened, Puzzle, Readers, Role, Solved, Table, Tool, names};
use crate::asp::{self, Ground, Lints, Mode, Optimisation, Order, Symbol, syntax};
use crate::diagnostic::{Diagnostic, Failure, Level, Place};
use crate::document::{Document, Notation};
use crate::drawing::{Derived, Drawing, Rules};
use crate::ending::{Certified, Ending, Uniqueness, Verdict};
use crate::graph::Graph;
use crate::job::{self, Certify, Job, Show};
use crate::picture::Picture;
use crate::played::{self, Solutions};
use crate::report::{Format, Style};
use crate::stop::Reason;
use crate::why::{self, Asks, Boards, Question, Source, Told};
use crate::words::{self, count};
use board::{Board as Written, Clue, Places, SIDES};
use game_id::Game;
pub use header::Header;
use link::Link;
use shared::{Framed, Shared};
use signs::{Listed, Signs};

/// What is inside the program, for where there is no folder of encodings.
static SHIPPED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/asp");

/// Links of types without rules: a line for each, as `Link` in a header.
const LINKS: &str = include_str!("links.txt");

/// About the drawings of all answers.
const MOST_WARNINGS: usize = 20;

/// About the solutions that a page knows; a board worth playing has one.
const MOST_SOLUTIONS: u64 = 100;

/// Options that the engine native does not read.
const READ_BY_CLINGO: &[(&str, Readers)] =
    &[("threads", Readers::Engines(&["asp"])), ("clingo", Readers::Engines(&["asp"]))];

/// Below a folder of encodings.
pub const FOLDER: &str = "puzzles";
/// Any logic program.
const PROGRAM: &str = "program";
const NO_RULES: &str = "The board is known, but rules for it do not ship: -e FILE adds yours.";

/// A puzzle as its file describes it.
#[derive(Clone, Copy)]
pub struct Logic(&'static Read, &'static str);

/// A sheet that is read when somebody wants to know more of a puzzle than its name: most runs are about one of them.
type Read = LazyLock<Sheet, Box<dyn FnOnce() -> Sheet + Send>>;

struct Sheet {
    about: About,
    header: Header,
    /// Rules that can be added: the files in the folder of the puzzle's name.
    variants: Vec<Variant>,
    /// It is somebody's program that draws, and reads no boards.
    is_program: bool,
    tools: OnceLock<&'static [&'static dyn Tool]>,
}

/// Rules that a board or `-e` adds to a puzzle's own: `puzzles/sudoku/killer.lp`.
struct Variant {
    name: &'static str,
    /// Of its file, below the folder of encodings.
    path: &'static str,
    header: Header,
}

// Its options are those of all logic programs. (A doc comment would become the help of the command.)
#[derive(Debug, Clone, Default, Args)]
pub struct Options {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Asp,
    Native,
}

/// A program to solve, and the board in it, if it was none of facts.
pub struct Board {
    program: asp::Program,
    written: Option<Written>,
    /// Somebody's program, of which answers are drawn.
    is_drawn: bool,
    /// The program is a puzzle's, whose boards are drawn with their answers, shown or not.
    is_of_puzzle: bool,
    /// The ground program, by which answers are checked, once there is one.
    ground: OnceLock<Arc<Mutex<Ground>>>,
}

impl From<asp::Program> for Board {
    fn from(program: asp::Program) -> Self {
        Board { program, written: None, is_drawn: true, is_of_puzzle: false, ground: OnceLock::new() }
    }
}

impl Board {
    pub fn into_program(self) -> asp::Program {
        self.program
    }

    /// The program of a puzzle that native code knows.
    pub fn of_puzzle(program: asp::Program) -> Self {
        Board { is_of_puzzle: true, ..Board::from(program) }
    }
}

pub struct Answer {
    /// What is shown, in clingo's order.
    atoms: Vec<Symbol>,
    costs: Vec<i64>,
    is_optimal: bool,
    drawing: Drawing,
    /// The atoms of the ground program that hold; none where no answer is told, but what answers have in common.
    holding: Option<FxHashSet<u32>>,
}

/// What clingo has proven, and what is drawn whatever the answer.
#[derive(Default, Serialize)]
pub struct Proof {
    #[serde(skip)]
    question: asp::Question,
    #[serde(skip)]
    summary: Summary,
    #[serde(skip)]
    seen: Seen,
    #[serde(skip)]
    given: Drawing,
    /// Why there is no answer.
    #[serde(skip)]
    because: Option<Because>,
    /// What came of certifying what is proven.
    #[serde(skip)]
    certificate: Option<Certified>,
    /// How many answers were told (of a program in steps, of the last step); the report may keep but the first.
    #[serde(skip)]
    told: u64,
    /// How many of them are optimal.
    #[serde(skip)]
    optimal: u64,
    /// Answers of earlier steps that were told.
    #[serde(skip)]
    earlier: u64,
    #[serde(skip)]
    steps: u32,
}

/// The puzzles that ship in a folder, but those whose names are known already.
fn shipped(folder: &'static str, is_known: impl Fn(&str) -> bool) -> Vec<Logic> {
    let files = SHIPPED.get_dir(folder).into_iter().flat_map(Dir::files);
    // What the files of a folder share is no puzzle.
    let is_another = |name: &&str| *name != "step" && !is_known(name);
    let name = |path: &'static Path| path.file_stem()?.to_str().filter(is_another);
    files.filter_map(|file| Some(Logic::of_file(folder, name(file.path())?, file.contents_utf8()?))).collect()
}

/// The folders of the encodings that ship, a puzzle's or a kind's each.
pub fn shipped_folders() -> impl Iterator<Item = &'static str> {
    SHIPPED.dirs().filter_map(|folder| folder.path().to_str())
}

/// The text of a file that ships, below the folder of encodings.
pub fn shipped_text(path: &str) -> Option<&'static str> {
    // Each look into the folder compares paths part by part.
    static FILES: LazyLock<FxHashMap<&str, &include_dir::File<'static>>> = LazyLock::new(|| {
        let files = SHIPPED.dirs().flat_map(|folder| folder.files().chain(folder.dirs().flat_map(Dir::files)));
        files.filter_map(|file| Some((file.path().to_str()?, file))).collect()
    });
    FILES.get(path)?.contents_utf8()
}

/// The folder of a puzzle's variants, if it has some.
fn shipped_variants(path: &str) -> Option<&'static Dir<'static>> {
    static FOLDERS: LazyLock<FxHashMap<&str, &Dir<'static>>> = LazyLock::new(|| {
        SHIPPED.dirs().flat_map(Dir::dirs).filter_map(|folder| Some((folder.path().to_str()?, folder))).collect()
    });
    FOLDERS.get(path).copied()
}

/// The shared files that ship, as headers name them: `shared/grid.lp`.
pub fn shared_files() -> Vec<String> {
    let files = SHIPPED.get_dir(format!("{FOLDER}/shared")).into_iter().flat_map(Dir::files);
    files.filter_map(|file| Some(format!("shared/{}", file.path().file_name()?.to_str()?))).collect()
}

/// What is known of links of a type without rules, as a header would say it.
fn line_of_links(kind: &str) -> Option<&'static str> {
    let names = |line: &&str| {
        !line.starts_with('%')
            && line.split_once(':').is_some_and(|(names, _)| names.split(", ").any(|name| name == kind))
    };
    LINKS.lines().find(names)
}

/// How links of a type are read, which ships or is known without rules.
fn link_of(kind: &str) -> Result<Option<Link>, Failure> {
    if let Some(line) = line_of_links(kind) {
        return Link::parse(line).map(Some).map_err(|error| Diagnostic::error(format!("{line}: {error}")).into());
    }
    let of_shipped = all_shipped().iter().filter_map(|logic| logic.links().ok()?);
    Ok(of_shipped.into_iter().find(|link| link.names().iter().any(|name| name == kind)))
}

/// The puzzles that ship, whatever a folder of encodings has.
fn all_shipped() -> &'static [Logic] {
    static ALL: LazyLock<Vec<Logic>> = LazyLock::new(|| shipped(FOLDER, |_| false));
    &ALL
}

/// What lives as long as the program: there is one for each puzzle.
fn forever(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Answer {
    /// An answer that shows these atoms.
    ///
    /// # Errors
    /// The first text that is no atom.
    pub fn of(atoms: &[&str]) -> Result<Answer, Failure> {
        let atom = |text: &&str| asp::parse_term(text).ok_or_else(|| Diagnostic::error(format!("{text}: no atom")));
        let mut atoms = atoms.iter().map(atom).collect::<Result<Vec<Symbol>, _>>()?;
        atoms.sort();
        let (drawing, costs) = (Drawing::default(), Vec::new());
        Ok(Answer { atoms, costs, is_optimal: false, drawing, holding: None })
    }

    /// What is shown, as clingo writes it.
    pub fn atoms(&self) -> Vec<String> {
        self.atoms.iter().map(|&atom| asp::to_text(atom)).collect()
    }
}

impl Sheet {
    fn of(header: Header, encoding: Encoding, variants: Vec<Variant>) -> Sheet {
        let in_general =
            ["puzzle", "start", "rows", "columns", "sign", "part", "wall", "area", "left", "right", "top", "bottom"];
        let inputs =
            [&header].into_iter().chain(variants.iter().map(|variant| &variant.header)).flat_map(Header::inputs);
        let facts: BTreeSet<&'static str> = in_general.into_iter().chain(inputs.map(forever)).collect();
        let summary = format!("{}: {}", header.title, header.rules.trim_end_matches('.'));
        let told = [
            ("source", "Source"),
            ("facts", "Input"),
            ("signs", "Signs"),
            ("side signs", "Side signs"),
            ("grid signs", "Grid signs"),
            ("shows", "Output"),
            ("drawing", "Drawing"),
            ("links", "Link"),
            ("differs", "Differs"),
            ("ids", "Game"),
            ("clues", "Clues"),
            ("size", "Usual size"),
        ];
        let more = told.into_iter().filter_map(|(word, head)| {
            let lines = header.lines(head);
            (!lines.is_empty()).then(|| (word, lines.to_vec()))
        });
        let added = variants
            .iter()
            .map(|Variant { name, header, .. }| format!("-e {name}: {}: {}", header.title, header.rules));
        let more = more.chain((!variants.is_empty()).then(|| ("variants", added.collect()))).collect();
        let with = |variant: &Variant| {
            let own = Shipped { path: variant.path, text: shipped_text(variant.path).unwrap_or_default() };
            let folder = encoding.files[0].path.split('/').next().unwrap_or_default();
            let shared = Logic::files(folder, variant.header.goes_with());
            let shared = shared.filter(|file| !encoding.files.iter().any(|known| known.path == file.path));
            let files = encoding.files.iter().copied().chain([own]).chain(shared).collect();
            Encoding { name: variant.name, files: Box::leak(files) }
        };
        let encodings = [encoding].into_iter().chain(variants.iter().map(with)).collect();
        let pictures: Vec<Format> = [
            (Format::Svg, true),
            (Format::Html, true),
            (Format::Dot, draws_graph(encoding.files)),
            (Format::Url, header.paragraph("Link").is_some()),
        ]
        .into_iter()
        .filter_map(|(format, is_known)| is_known.then_some(format))
        .collect();
        let about = About {
            name: encoding.name,
            summary: forever(summary.trim_end_matches([':', ' ']).to_owned()),
            input: "a text board with a line `puzzle NAME`, facts, or a link of puzz.link",
            more: Box::leak(more),
            example: forever(format!("asp-solve instances/{}.txt --unique", encoding.name)),
            encodings: Box::leak(encodings),
            facts: Box::leak(facts.into_iter().collect()),
            has_options_for_answer_sets: true,
            fits: Fits::Line,
            pictures: Box::leak(pictures.into_boxed_slice()),
            read_by: READ_BY_CLINGO,
        };
        Sheet { about, header, variants, is_program: false, tools: OnceLock::new() }
    }
}

/// Whether the rules of a puzzle draw a graph, as clingraph would.
fn draws_graph(files: &[Shipped]) -> bool {
    let draws = |text: &str| asp::syntax::statements(text).iter().any(|one| matches!(one.head, Some(("node", 1 | 2))));
    files.iter().any(|file| file.text.contains("node(") && draws(file.text))
}

impl Variant {
    /// The words of a line `variant` that add it: its name, and those in quotes in its `Input`.
    fn names(&self) -> impl Iterator<Item = &str> {
        let lines = self.header.lines("Input").iter().filter(|line| line.starts_with("variant("));
        [self.name].into_iter().chain(lines.filter_map(|line| line.split('"').nth(1)))
    }
}

impl Logic {
    /// A puzzle that ships, by its name: `sudoku`, `slither`, …
    ///
    /// # Errors
    /// There is none of that name.
    pub fn named(name: &str) -> Result<Logic, Failure> {
        let shipped = all_shipped();
        shipped.iter().copied().find(|logic| logic.1 == name).ok_or_else(|| {
            let known: Vec<&str> = shipped.iter().map(|logic| logic.1).collect();
            Diagnostic::error(format!("there is no puzzle {name}{}", words::did_you_mean(name, known.iter().copied())))
                .help(format!("known are {}", known.join(", ")))
                .into()
        })
    }

    /// The puzzle of a file of that name in a folder of puzzles.
    pub fn of_file(folder: &'static str, name: &'static str, text: impl AsRef<str> + Send + 'static) -> Logic {
        let read = move || {
            let header = Header::of(name, text.as_ref());
            let files = [format!("{name}.lp")].into_iter().chain(header.goes_with()).chain(Logic::meaning(folder));
            let files = Logic::files(folder, files);
            let of_variants = shipped_variants(&format!("{folder}/{name}")).into_iter().flat_map(Dir::files);
            let variant = |file: &'static include_dir::File<'static>| {
                let (name, path) = (file.path().file_stem()?.to_str()?, file.path().to_str()?);
                Some(Variant { name, path, header: Header::of(name, file.contents_utf8()?) })
            };
            let encoding = Encoding { name, files: Box::leak(files.collect()) };
            Sheet::of(header, encoding, of_variants.filter_map(variant).collect())
        };
        Logic::of_sheet(name, read)
    }

    fn of_sheet(name: &'static str, read: impl FnOnce() -> Sheet + Send + 'static) -> Logic {
        let read: Box<dyn FnOnce() -> Sheet + Send> = Box::new(read);
        Logic(Box::leak(Box::new(LazyLock::new(read))), name)
    }

    /// The file that says what the atoms of a folder mean, if one does.
    fn meaning(folder: &str) -> Option<String> {
        shipped_text(&format!("{folder}/step.lp")).map(|_| "step.lp".to_owned())
    }

    /// Files below a folder of puzzles, with what ships there.
    fn files(folder: &str, names: impl IntoIterator<Item = String>) -> impl Iterator<Item = Shipped> {
        let paths = names.into_iter().map(move |file| forever(format!("{folder}/{file}")));
        paths.map(|path| Shipped { path, text: shipped_text(path).unwrap_or_default() })
    }

    /// The puzzle of a file that lies anywhere, and whose rules are somebody's own. Entries live as long as the process, one for
    /// each name and header: other rules below a header do not make another entry.
    pub fn of_document(folder: &'static str, document: &Document) -> &'static Logic {
        type Known = HashMap<(&'static str, String, Header), &'static Logic>;
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
        let name = document.name.as_str();
        let stem = name.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
        let header = Header::of(stem, &document.text);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry((folder, name.to_owned(), header.clone()));
        entry.or_insert_with(|| Box::leak(Box::new(Logic::of_new_document(folder, document, stem, header))))
    }

    fn of_new_document(folder: &'static str, document: &Document, stem: &str, header: Header) -> Logic {
        // The rules are the document's; what gives the atoms of games their meaning is not.
        let meaning = Logic::meaning(folder);
        let own = meaning.is_none().then(|| Shipped { path: forever(document.name.clone()), text: "" });
        let files = own.into_iter().chain(Logic::files(folder, meaning.into_iter().chain(header.goes_with())));
        let encoding = Encoding { name: forever(stem.to_owned()), files: Box::leak(files.collect()) };
        Logic::of_sheet(encoding.name, move || Sheet::of(header, encoding, Vec::new()))
    }

    /// Any logic program, as it is.
    pub fn program() -> Logic {
        static ANY: OnceLock<Logic> = OnceLock::new();
        let read = || Sheet {
            about: About {
                name: PROGRAM,
                summary: "any logic program, as the clingo command runs it",
                input: "a logic program that is not another puzzle",
                more: &[],
                example: "echo '1 { a; b }.' | asp-solve - -n 0",
                encodings: &[],
                facts: &[],
                has_options_for_answer_sets: true,
                fits: Fits::Object,
                pictures: &[Format::Svg, Format::Html, Format::Dot],
                read_by: READ_BY_CLINGO,
            },
            header: Header::default(),
            variants: Vec::new(),
            is_program: true,
            tools: OnceLock::new(),
        };
        *ANY.get_or_init(|| Logic::of_sheet(PROGRAM, read))
    }

    fn lacks_rules(self, job: &Job) -> bool {
        self.0.header.paragraph("Rules").as_deref() == Some("none") && job.rules.are_shipped()
    }

    /// A type of links whose boards can be read, and whose rules do not ship.
    pub fn without_rules(kind: &str) -> Option<&'static Logic> {
        static KNOWN: Mutex<BTreeMap<&'static str, &'static Logic>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(logic) = known.get(kind) {
            return Some(logic);
        }
        let link = line_of_links(kind)?;
        let text = format!(
            "% {kind}: a board without rules.\n%\n% Rules      none\n% Link       {link}\n% Goes with  shared/drawing.lp, shared/grid.lp, \
             shared/corners.lp, shared/dots.lp\n"
        );
        let header = Header::of(kind, &text);
        let files: Vec<Shipped> = Logic::files(FOLDER, header.goes_with()).collect();
        let encoding = Encoding { name: forever(kind.to_owned()), files: Box::leak(files.into_boxed_slice()) };
        let logic: &'static Logic =
            Box::leak(Box::new(Logic::of_sheet(encoding.name, move || Sheet::of(header, encoding, Vec::new()))));
        known.insert(encoding.name, logic);
        Some(logic)
    }

    fn links(self) -> Result<Option<Link>, Failure> {
        self.notation("Link", Link::parse)
    }

    /// Whether its game of sgt-puzzles is called so.
    fn is_game(self, name: &str) -> bool {
        self.0.header.paragraph("Game").is_some_and(|text| Game::is_called(&text, name))
    }

    /// The game of an id: the puzzle's own, or that of a variant whose parameter the id has.
    fn game_of(self, id: &str) -> Result<Option<Game>, Failure> {
        for variant in &self.0.variants {
            let game = variant.header.paragraph("Game").map(|paragraph| {
                let wrong = |error| Diagnostic::error(format!("{}: Game  {paragraph}: {error}", variant.path));
                Game::parse(&paragraph).map_err(wrong)
            });
            if let Some(game) = game.transpose()?.filter(|game| game.has_parameter_of(id)) {
                return Ok(Some(game));
            }
        }
        self.notation("Game", Game::parse)
    }

    /// What a paragraph of the header says of notations.
    fn notation<T>(self, head: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Failure> {
        let Some(paragraph) = self.0.header.paragraph(head) else { return Ok(None) };
        let file = self.0.about.encodings.first().and_then(|encoding| encoding.files.first());
        let wrong = |error| {
            let text = format!("{}: {head}  {paragraph}: {error}", file.map_or(self.0.about.name, |file| file.path));
            Diagnostic::error(text).into()
        };
        parse(&paragraph).map(Some).map_err(wrong)
    }

    /// Whether its boards are squares of numbers, which need no name.
    fn is_plain_square(self) -> bool {
        self.0.header.paragraph("Plain").is_some_and(|plain| plain.starts_with("square"))
    }

    /// The board of a puzzle on plain squares of numbers, however they are written.
    fn square(self, document: &Document) -> Option<(Written, Places)> {
        if !self.is_plain_square() || is_program(document) {
            return None;
        }
        let of_variants: BTreeSet<String> =
            self.0.variants.iter().flat_map(|variant| variant.header.inputs()).collect();
        // Otherwise the rule that such a line adds would be taken for prose.
        let says_more = |line: &str| line.split_whitespace().next().is_some_and(|word| of_variants.contains(word));
        let lines = || document.text.lines();
        // A drawing of other areas than the usual boxes is more than a square of numbers with a frame.
        let has_own_areas = || {
            let drawn = Written::read_with_signs(document, &self.signs()).map(|(board, _)| board);
            drawn.is_ok_and(|board| {
                let count = board.areas.values().collect::<BTreeSet<_>>().len();
                let usual = board::numbered(&drawn::boxes(board.rows));
                board.rows == board.columns && (2..board.areas.len()).contains(&count) && board.areas != usual
            })
        };
        if lines().any(says_more) || lines().any(|line| line.starts_with('+')) && has_own_areas() {
            None
        } else {
            square::read(document)
        }
    }

    /// The board that a document is, if it is not one of facts, and where its clues stand; of a link they are one.
    fn board_of(self, document: &Document) -> Result<Option<(Written, Places)>, Failure> {
        if self.0.is_program {
            return Ok(None);
        }
        let name = self.0.about.name;
        if self.is_of_rows(document) {
            let read = self.square(document).map_or_else(|| self.read_text(document), Ok);
            return read.map(Some).map_err(|wrong| self.helped(wrong));
        }
        if let Some(drawn) = drawn::read(&document.text) {
            let wrong = |what| Diagnostic::error(format!("{}: {what}", brief(&document.name)));
            return Ok(Some((drawn.and_then(|drawn| self.board_of_drawing(&drawn)).map_err(wrong)?, Places::new())));
        }
        if let Some(kind) = link::type_of(&document.text) {
            // Rules of one's own need not describe links that are known.
            let link = match self.links()? {
                Some(link) => Some(link),
                None => link_of(kind)?,
            };
            let link = link.ok_or_else(|| {
                Diagnostic::error(format!(
                    "{}: {name} reads no links: the header of its file has no Link",
                    document.name
                ))
            })?;
            if !link.names().iter().any(|known| known == kind) {
                let text = format!("{}: a link of {kind}; {} was wanted", document.name, link.names().join(" or "));
                return Err(Diagnostic::error(text).into());
            }
            return Ok(Some((link.read(document)?, Places::new())));
        }
        let saved = Saved::of(document)?;
        let id = saved.as_ref().map(|saved| Document::in_memory(document.name.clone(), saved.id.as_str()));
        let document_of_id = id.as_ref().unwrap_or(document);
        if saved.is_some() || game_id::looks_like(&document_of_id.text) {
            let has_none =
                || format!("{}: {name} reads no game ids: the header of its file has no Game", document.name);
            let game = self.game_of(&document_of_id.text)?.ok_or_else(|| Diagnostic::error(has_none()))?;
            let in_file = |mut wrong: Failure| {
                let places = wrong.0.iter_mut().flat_map(|wrong| &mut wrong.places);
                places.zip(saved.iter().cycle()).for_each(|(place, saved)| *place = saved.place_in(document, place));
                wrong
            };
            let helped = |mut wrong: Failure| {
                let parameters = document_of_id.text.trim().split(':').next().unwrap_or_default();
                let of_game = format!("{}:{parameters}", game.name);
                let other = files().find(|entry| entry.is_called(&of_game)).filter(|entry| entry.name() != name);
                let help = other.map(|entry| format!("-p {} reads it", entry.name()));
                wrong.0.last_mut().into_iter().for_each(|last| last.help = help.clone());
                wrong
            };
            let mut board = game.read(document_of_id).map_err(in_file).map_err(helped)?;
            if let Some(saved) = &saved {
                if !self.is_game(&saved.game) {
                    let text = format!("{}: a saved game of {}; one of {name} was wanted", document.name, saved.game);
                    return Err(Diagnostic::error(text).into());
                }
                board.marks = saved.marks(self.0.header.lines("Marks")).literals;
            }
            return Ok(Some((board, Places::new())));
        }
        if let Some(read) = self.square(document) {
            return Ok(Some(read));
        }
        if document.notation() != Notation::Program {
            let text = format!("{}: JSON or Graphviz; a board of {name} was wanted", document.name);
            return Err(Diagnostic::error(text).into());
        }
        let is_board = || !document.name.ends_with(".lp") && Written::looks_like_one_of(document, &self.signs());
        if is_program(document) && !is_board() {
            Ok(None)
        } else {
            self.read_text(document).map(Some).map_err(|wrong| self.helped(wrong))
        }
    }

    /// Somebody whose board cannot be read is shown how one is written.
    fn helped(self, mut wrong: Failure) -> Failure {
        if let Some(last) = wrong.0.last_mut().filter(|_| !self.0.about.encodings.is_empty()) {
            let name = self.0.about.name;
            let sample = if Puzzle::tools(&self).is_empty() { "list" } else { "generate" };
            last.help.get_or_insert_with(|| format!("`asp-solve {sample} {name}` shows how a board is written"));
        }
        wrong
    }

    fn board_of_drawing(self, drawn: &drawn::Drawn) -> Result<Written, String> {
        let addresses = self.0.variants.iter().flat_map(|variant| variant.header.lines("Address"));
        drawn.board(&self.0.header, &addresses.map(String::as_str).collect::<Vec<_>>())
    }

    /// The one tool of its own.
    pub fn own_tool(self, made: impl FnOnce() -> &'static dyn Tool) -> &'static [&'static dyn Tool] {
        self.0.tools.get_or_init(|| Box::leak(Box::new([made()])))
    }

    /// The facts of a board, whatever its notation.
    pub fn facts_of(self, document: &Document) -> Result<String, Failure> {
        Ok(self.board_of(document)?.map_or_else(|| document.text.to_string(), |(board, _)| board.facts()))
    }

    /// The signs that the header lists.
    fn signs(self) -> Signs {
        Signs::of(self.1, &self.0.header)
    }

    /// Returns true if a text is rows of the puzzle's signs and nothing else, which may look like a link, an id or a rule.
    fn is_of_rows(self, document: &Document) -> bool {
        let signs = self.signs();
        let mut lines = text::lines(&document.text).filter(|line| !line.text.is_empty()).peekable();
        !document.name.ends_with(".lp") && lines.peek().is_some() && lines.all(|line| signs.is_row(line.text))
    }

    /// The board that a document is, if it is not one of facts.
    pub fn read(self, document: &Document) -> Result<Option<Written>, Failure> {
        Ok(self.board_of(document)?.map(|(board, _)| board))
    }

    /// A board as the header's `Rows` and `Lists` want it read.
    fn read_text(self, document: &Document) -> Result<(Written, Places), Failure> {
        let header = &self.0.header;
        let lists = header.paragraph("Lists").unwrap_or_default();
        let lists = || lists.split(',').map(str::trim).filter(|name| !name.is_empty());
        if let Some(line) = text::lines(&document.text).find(|line| lists().any(|name| name == line.text.trim())) {
            let text = format!("nothing stands behind `{}`", line.text.trim());
            let range = line.offset..line.offset + line.text.len();
            return Err(Diagnostic::error(text)
                .at(Some(Place::of_range(&document.name, &document.text, range)))
                .into());
        }
        let (mut board, mut places) = match header.paragraph("Rows").as_deref() {
            Some("as written") => Written::read_as_written(document)?,
            _ => Written::read_with_signs(document, &self.signs())?,
        };
        lists().for_each(|name| board.number(name, &mut places));
        Ok((board, places))
    }

    /// Whether a text has rows of the puzzle's own signs alone, and one of each kind that the header says it is known by.
    fn is_known_by_signs(self, document: &Document) -> bool {
        let header = &self.0.header;
        let (Some(known), Some(kinds)) = (header.paragraph("Signs"), header.paragraph("Known by")) else {
            return false;
        };
        let kinds = || kinds.split(',').map(|kind| kind.trim().trim_matches('"'));
        // A long text is read no further than it must be.
        if !kinds().all(|kind| kind.chars().any(|sign| document.text.contains(sign))) {
            return false;
        }
        let signs = text::lines(&document.text)
            .filter(|line| !text::is_title(line.text))
            .flat_map(|row| row.text.chars())
            .filter(|sign| !text::is_empty(*sign));
        let seen: Option<BTreeSet<char>> = signs.map(|sign| has_sign(&known, sign).then_some(sign)).collect();
        seen.is_some_and(|seen| kinds().all(|kind| kind.chars().any(|sign| seen.contains(&sign))))
    }

    /// Whether a text is a line of the puzzle's own signs, as long as the header says, with all the words that it names.
    fn is_known_by_line(self, document: &Document) -> bool {
        let header = &self.0.header;
        let (known, line) = (header.paragraph("Signs"), header.paragraph("Line"));
        let wanted = known.as_deref().zip(line.as_deref().and_then(|line| line.split_once(':')));
        wanted.zip(link::only_line(&document.text)).is_some_and(|((known, (length, words)), line)| {
            let text = line.text.trim();
            length.parse() == Ok(text.chars().count())
                && text.chars().all(|sign| has_sign(known, sign))
                && words.split(',').all(|word| text.contains(word.trim().trim_matches('"')))
        })
    }

    /// Some encodings begin at the first cell in reading order. Of a board that is rated, the same one of its turns is taken each
    /// time, so that all have one rating.
    fn facts_to_rate(self, board: &Written, rules: &job::Rules) -> String {
        // Rules of one's own may tell rows from columns, as some that ship say that they do.
        if !rules.are_a_puzzles() {
            return board.facts();
        }
        let transposes = !board.areas.is_empty() || self.0.header.paragraph("Turns").is_none();
        board.turns(transposes).iter().map(Written::facts).min().expect("a board is one of its turns")
    }

    /// By the name of each document that is a board: the clue of each line of its facts, where a person sees it, and in words.
    pub fn clues(self, documents: &[Document]) -> Result<Boards, Failure> {
        let mut clues = Boards::new();
        for document in documents {
            let Some((board, places)) = self.board_of(document)? else { continue };
            let text = &document.text;
            // All clues of a link stand in its one line.
            let whole = link::only_line(text).map_or(0..text.len(), |line| line.offset..line.offset + line.text.len());
            let place = |clue: &Clue| {
                let range = places.get(clue).cloned().unwrap_or_else(|| whole.clone());
                (Place::of_range(&document.name, text, range), board.words(clue))
            };
            let mut lines = Vec::new();
            board.facts_of_clues(|clue| lines.push(clue.as_ref().map(place)));
            clues.insert(document.name.clone(), lines);
        }
        Ok(clues)
    }

    /// That a board says what the header's `Input` wants, and nothing that its `Signs` do not have.
    fn check_board(
        self,
        board: &Written,
        places: &Places,
        document: &Document,
        encodings: &[Document],
    ) -> Result<(), Failure> {
        let (name, header) = (self.0.about.name, &self.0.header);
        let wrong = |text: String| Err(Diagnostic::error(format!("{}: {text}", document.name)).into());
        let wrong_at = |text: String, range: Option<std::ops::Range<usize>>| match range {
            Some(range) => {
                Err(Diagnostic::error(text).at(Some(Place::of_range(&document.name, &document.text, range))).into())
            }
            None => wrong(text),
        };
        let signs = |head: &str| header.paragraph(head).filter(|signs| signs != "any");
        let of_cells = signs("Signs");
        // Beside the board stand the same signs as in its cells, unless the header says otherwise.
        let of_sides = signs("Side signs").or_else(|| of_cells.clone());
        let stranger = |signs: &Option<String>, grid: &board::Grid| {
            let signs = signs.as_ref()?;
            let listed = Listed::parse(signs);
            let stranger = grid.iter().find(|(_, sign)| !sign.parts().iter().all(|part| listed.has(part)));
            stranger.map(|(&place, sign)| (place, sign.clone(), signs.clone()))
        };
        for (side, grid) in SIDES.iter().zip(&board.around) {
            if let Some(((line, index), sign, signs)) = stranger(&of_sides, grid) {
                let range = places.get(&Clue::Named((*side).to_owned(), (line, index)));
                return wrong_at(
                    format!("the clue `{sign}` beside row or column {line}; {name} has {signs}"),
                    range.cloned(),
                );
            }
        }
        if let Some((cell @ (row, column), sign, signs)) = stranger(&of_cells, &board.signs) {
            let range = places.get(&Clue::Sign(cell)).cloned();
            return wrong_at(format!("`{sign}` in row {row}, column {column}; {name} has {signs}"), range);
        }
        let of_grids = signs("Grid signs");
        for (grid, signs) in &board.grids {
            if let Some((place @ (row, column), sign, signs)) = stranger(&of_grids, signs) {
                let range = places.get(&Clue::Named(grid.clone(), place)).cloned();
                let what =
                    format!("`{sign}` in row {row}, column {column} of the grid `{grid}`; {name} has {signs} there");
                return wrong_at(what, range);
            }
        }
        let named = board.header.iter().map(|(name, _)| name).chain(board.grids.keys());
        let variants = self.0.variants.iter();
        let headers = [header].into_iter().chain(variants.clone().map(|variant| &variant.header));
        let mut inputs: Vec<String> = headers.flat_map(Header::inputs).collect();
        inputs.sort();
        inputs.dedup();
        for (name, words) in board.header.iter().filter(|_| !self.0.variants.is_empty()) {
            self.check_line(board, name, words).map_err(|text| {
                let place = places.get(&Clue::Header(name.clone(), words.clone())).cloned();
                let place = place.map(|range| Place::of_range(&document.name, &document.text, range));
                Diagnostic::error(text).at(place)
            })?;
        }
        if let Some(stranger) =
            named.into_iter().find(|known| !inputs.contains(known) && *known != "flag" && !inputs.is_empty())
        {
            return wrong(format!("`{stranger}` is not an input of {name}; wanted: {}", inputs.join(", ")));
        }
        let wants_rows = |line: &String| line.starts_with("sign(") && !line.contains("optional");
        if board.rows == 0 && (inputs.is_empty() || header.lines("Input").iter().any(wants_rows)) {
            return wrong("no board: neither rows of cells, nor clues beside and above them".to_owned());
        }
        self.check_size(board.rows, board.columns).or_else(wrong)?;
        let facts = board.facts();
        let is_used = |variant: &&Variant| encodings.iter().any(|document| document.name.ends_with(variant.path));
        let headers = [header].into_iter().chain(variants.filter(is_used).map(|variant| &variant.header));
        for input in headers.flat_map(|header| header.lines("Input")).filter(|line| !line.contains("optional")) {
            let Some(predicate) = syntax::predicates(input).next() else { continue };
            // A link leaves nothing out: what it does not have is not there.
            let is_needed = board.link.is_none() && !["rows", "columns", "sign", "part", "wall"].contains(&predicate);
            let is_given = || {
                let mut heads = syntax::statements(&facts).into_iter().filter_map(|statement| statement.head);
                facts.contains(predicate) && heads.any(|(name, _)| name == predicate)
            };
            if is_needed && !is_given() {
                let how = if predicate == "area" { ": draw their borders, or add a grid `area`" } else { "" };
                return wrong(format!("a board of {name} has {predicate}, and this one has none{how}"));
            }
        }
        Ok(())
    }

    /// Checks that a board has nothing that is none of the inputs that headers name: no rule would read it.
    fn check_all_is_read(self, board: &Written, document: &Document) -> Result<(), Failure> {
        let headers = [&self.0.header].into_iter().chain(self.0.variants.iter().map(|variant| &variant.header));
        let inputs: BTreeSet<String> = headers.flat_map(Header::inputs).collect();
        let reads = |names: &[&str]| names.iter().any(|name| inputs.contains(*name));
        let side = SIDES.iter().zip(&board.around).find(|(side, grid)| !grid.is_empty() && !reads(&[side]));
        let sign = board.signs.iter().next().filter(|_| !reads(&["sign", "part"]));
        let unread = match (side, sign) {
            _ if inputs.is_empty() => return Ok(()),
            (Some((side, _)), _) => format!("clues `{side}`"),
            (None, Some(((row, column), sign))) => format!("`{sign}` in row {row}, column {column}"),
            _ if !board.walls.is_empty() && !reads(&["wall", "area"]) => "borders between cells".to_owned(),
            _ => return Ok(()),
        };
        let inputs = inputs.into_iter().collect::<Vec<_>>().join(", ");
        let text = format!("{}: the board has {unread}; {} reads only {inputs}", document.name, self.0.about.name);
        Err(Diagnostic::error(text).into())
    }

    /// A line of the header that variants read: their names, or cells after a number or `?` where the variant wants one.
    fn check_line(self, board: &Written, name: &str, words: &[board::Sign]) -> Result<(), String> {
        if name == "variant" {
            let known: Vec<&str> = self.0.variants.iter().flat_map(Variant::names).collect();
            let stranger = words.iter().map(board::Sign::to_string).find(|word| !known.contains(&word.as_str()));
            return stranger.map_or(Ok(()), |word| {
                let near = words::did_you_mean(&word, known.iter().copied());
                Err(format!("{} has no variant {word}{near}; there are {}", self.0.about.name, known.join(", ")))
            });
        }
        let mut lines = self.0.variants.iter().flat_map(|variant| variant.header.lines("Input"));
        if !lines.clone().any(|line| line.starts_with(&format!("{name}("))) {
            return Ok(());
        }
        let has_value = lines.any(|line| line.starts_with(&format!("{name}(L,1,S)")));
        let (value, cells) = words.split_at(usize::from(has_value).min(words.len()));
        let mut seen = BTreeSet::new();
        let text = || format!("{name} {}", words.iter().map(board::Sign::to_string).collect::<Vec<_>>().join(" "));
        match value {
            [] | [board::Sign::Number(_)] => {}
            [sign] if sign.to_string() == "?" => {}
            [other] => return Err(format!("`{other}` in `{}`: a number or ? was wanted, and then cells", text())),
            _ => unreachable!("one value at most"),
        }
        for word in cells {
            let Some((row, column)) = word.cell() else {
                return Err(format!("`{word}` in `{}`: a cell was wanted, such as r1c2", text()));
            };
            if !(1..=board.rows).contains(&row) || !(1..=board.columns).contains(&column) {
                return Err(format!(
                    "`{word}` in `{}` is not on the board of {}",
                    text(),
                    words::size(board.rows, board.columns)
                ));
            }
            if !seen.insert((row, column)) {
                return Err(format!("`{word}` stands twice in `{}`", text()));
            }
        }
        if seen.is_empty() { Err(format!("`{}` has no cells, such as r1c2", text())) } else { Ok(()) }
    }

    /// Rows and columns that have one variable in the header's `Input` are as many. The error says what is wrong.
    fn check_size(self, rows: usize, columns: usize) -> Result<(), String> {
        let variable = |name: &str| {
            let mut lines = self.0.header.lines("Input").iter().filter_map(|line| line.strip_prefix(name));
            lines.find_map(|line| line.split_once(')')).map(|(variable, _)| variable)
        };
        match variable("rows(") {
            Some(side) if rows != columns && variable("columns(") == Some(side) => {
                Err(format!("{}; a board of {} is a square", words::size(rows, columns), self.0.about.name))
            }
            _ => Ok(()),
        }
    }

    /// Whether clingo's answers are one for each solution: they are told apart by what is shown, unless something is to be minimised.
    fn projects(self, program: &asp::Program) -> bool {
        let minimises = |document: &Document| syntax::minimises(&document.text);
        !self.0.is_program && !program.encoding.iter().chain(&program.instance).any(minimises)
    }
}

/// Whether a list of signs has this one: `"#", "A".."Z"`.
fn has_sign(signs: &str, sign: char) -> bool {
    let end = |text: &str| text.trim().trim_matches('"').chars().next();
    let ends = signs.split(',').map(|known| known.split_once("..").unwrap_or((known, known)));
    ends.map(|(first, last)| end(first)..=end(last)).any(|known| known.contains(&Some(sign)))
}

/// Whether a text is a link, a game id or a square in a line, and nothing else.
pub fn is_link_or_id(text: &str) -> bool {
    let is_square =
        || square::read(&Document::in_memory("", text)).is_some_and(|(board, _)| square::unmistakable(&board));
    link::type_of(text).is_some()
        || game_id::looks_like(text)
        || drawn::read(text).is_some_and(|drawn| drawn.is_ok())
        || is_square()
}

/// Whether a text is a logic program rather than a board.
pub fn is_program(document: &Document) -> bool {
    let is_board = || !document.name.ends_with(".lp") && Written::looks_like(document);
    syntax::looks_like_a_program(&document.text) && !is_board()
}

/// Whether a logic program reads boards as they are written: it uses what they become.
pub fn reads_boards(document: &Document) -> bool {
    is_program(document) && syntax::uses_any(&document.text, &["sign", "part", "rows", "columns", "wall", "area"])
}

/// The files that a program's header says it goes with, below the folder of the puzzles.
pub fn goes_with(document: &Document) -> Vec<String> {
    Header::of("", &document.text).goes_with()
}

/// Whether a logic program says how to draw its answers.
pub fn draws(document: &Document) -> bool {
    document.text.contains("draw") && syntax::uses(&document.text, "draw")
}

/// The name of the puzzle that a text says it is: by a line, a fact or the type in a link.
pub fn named_in(document: &Document) -> Option<String> {
    if let Some(Ok(drawn)) = drawn::read(&document.text) {
        let names = || drawn.names.iter().map(|name| squeezed(name));
        return names().find(|name| called(name).is_some()).or_else(|| names().next());
    }
    if let Some(kind) = link::type_of(&document.text) {
        return Some(kind.to_owned());
    }
    if let Some(Ok(saved)) = Saved::read(&document.text) {
        // Native code may know the game.
        if saved.game == "mines" {
            return None;
        }
        // Puzzles may share a game, and its parameters tell them apart.
        let name = saved.game_with_parameters();
        let entry = files().find(|entry| entry.is_called(&name));
        return Some(entry.map_or(saved.game, |entry| entry.name().to_owned()));
    }
    if is_program(document) {
        if !document.text.contains("puzzle") {
            return None;
        }
        let range = syntax::statements(&document.text)
            .into_iter()
            .find(|statement| statement.is_fact && statement.head == Some(("puzzle", 1)))?
            .range;
        let fact: String = document.text[range].split_whitespace().collect();
        let name = fact.strip_prefix("puzzle(")?.trim_end_matches(").").trim_matches('"');
        // Else the word may be about anything: a board in facts has a size, a start, or what its puzzle is given.
        let facts = called(name).map_or(&[][..], |entry| entry.about().facts);
        let given = ["rows", "start"].into_iter().chain(facts.iter().copied().filter(|fact| *fact != "puzzle"));
        return syntax::uses_any(&document.text, &given.collect::<Vec<_>>()).then(|| name.to_owned());
    }
    let mut lines = document.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%'));
    lines
        .find_map(|line| line.strip_prefix("puzzle").filter(|rest| rest.starts_with(char::is_whitespace)))
        .map(|name| name.trim().to_ascii_lowercase())
        .or_else(|| Some(title(&document.text).filter(|(name, _)| called(name).is_some())?.0))
}

/// Small letters and digits alone: `Star Battle` is `starbattle`.
pub fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// The beginning of an address, which may be longer than a message should be.
fn brief(name: &str) -> &str {
    &name[..name.floor_char_boundary(60)]
}

/// The puzzle of that name, among those that are logic programs.
pub fn called(name: &str) -> Option<&'static dyn Entry> {
    // What else it may be called is known when its file is read.
    files().find(|entry| entry.name() == name).or_else(|| files().find(|entry| entry.is_called(name)))
}

fn files() -> impl Iterator<Item = &'static dyn Entry> {
    super::all().iter().copied().filter(|entry| !super::is_written_in_rust(entry.name()))
}

/// The first line, if it is a name alone that a puzzle could have, without the word `puzzle`, and more follows: the name in
/// small letters, and where the line stands.
pub fn title(text: &str) -> Option<(String, usize)> {
    const LONGEST: usize = 30;
    let mut lines = text::lines(text).filter(|line| !line.text.trim().is_empty());
    let line = lines.next().filter(|line| line.text.len() <= LONGEST)?;
    let words = line.text.trim().trim_end_matches([':', '.']);
    let fits = |sign: char| sign.is_ascii_alphabetic() || sign == ' ' || sign == '-';
    let name = squeezed(words);
    let is_alone = words.chars().all(fits) && words.split_whitespace().next() != Some("puzzle");
    (is_alone && name.len() > 2 && lines.next().is_some()).then_some((name, line.offset))
}

impl Puzzle for Logic {
    type Options = Options;
    type Engine = Engine;
    type Board = Board;
    type Answer = Answer;
    type Proof = Proof;

    fn about(&self) -> About {
        self.0.about
    }

    fn name(&self) -> &'static str {
        self.1
    }

    fn is_any_program(&self) -> bool {
        self.1 == PROGRAM
    }

    /// By its name, or by one that its links have.
    fn is_called(&self, name: &str) -> bool {
        let header = &self.0.header;
        name == self.1
            || name == squeezed(&header.title)
            || header.paragraph("Link").is_some_and(|text| Link::names_in(&text).any(|known| known == name))
            || self.is_game(name)
    }

    /// Boards of squares, and rows of signs of their own.
    fn needs_no_name(&self) -> bool {
        ["Plain", "Known by", "Line"].iter().any(|head| !self.0.header.lines(head).is_empty())
    }

    fn recognise(&self, document: &Document) -> Role {
        if self.0.is_program {
            // clingo may judge anything but an empty text and the notations of other puzzles.
            let is_program = document.notation() == Notation::Program && !syntax::is_blank(&document.text);
            return if is_program { Role::Program } else { Role::Neither };
        }
        let about = &self.0.about;
        let files = about.encodings.iter().flat_map(|encoding| encoding.files);
        match named_in(document) {
            Some(kind) if Puzzle::is_called(self, &kind) => Role::Instance,
            None if is_program(document) && files.into_iter().any(|file| file.is_written_in(document)) => {
                Role::Encoding
            }
            None if self.square(document).is_some_and(|(board, _)| square::unmistakable(&board)) => Role::Instance,
            None if self.is_known_by_signs(document) || self.is_known_by_line(document) => Role::Instance,
            _ => Role::Neither,
        }
    }

    fn resembles(&self, document: &Document) -> f64 {
        f64::from(u8::from(self.is_plain_square() && square::is_nearly_one(&document.text)))
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.iter().filter(|document| is_program(document)).cloned().collect()
    }

    fn asks_for(&self, documents: &[Document]) -> Vec<&'static str> {
        let mut told = BTreeSet::new();
        for document in documents.iter().filter(|_| !self.0.variants.is_empty()) {
            match self.board_of(document) {
                Ok(Some((board, _))) => {
                    told.extend(board.header.iter().map(|(name, _)| name.clone()).chain(board.grids.into_keys()));
                    let named = board.header.into_iter().filter(|(name, _)| name == "variant");
                    told.extend(named.flat_map(|(_, words)| words).map(|word| word.to_string()));
                }
                Ok(None) => {
                    let facts = syntax::statements(&document.text).into_iter().filter(|statement| statement.is_fact);
                    for (fact, name) in
                        facts.filter_map(|fact| Some((document.text[fact.range].to_owned(), fact.head?.0)))
                    {
                        told.extend(
                            fact.split('"').skip(1).step_by(2).filter(|_| name == "variant").map(str::to_owned),
                        );
                        told.insert(name.to_owned());
                    }
                }
                // It is told when the board is read to be solved.
                Err(_) => {}
            }
        }
        told.remove("variant");
        let own = self.0.header.inputs();
        let is_asked = |variant: &&Variant| {
            variant.names().any(|name| told.contains(name))
                || variant.header.inputs().iter().any(|input| told.contains(input) && !own.contains(input))
        };
        self.0.variants.iter().filter(is_asked).map(|variant| variant.name).collect()
    }

    fn parse(&self, job: &Job) -> Result<Board, Failure> {
        let (mut instance, mut written) = (Vec::new(), None);
        for document in &job.documents {
            let Some((board, places)) = self.board_of(document)? else {
                instance.push(document.clone());
                continue;
            };
            if written.is_some() {
                let text = format!("{}: a second board; one at a time was wanted", document.name);
                return Err(Diagnostic::error(text).into());
            }
            self.check_board(&board, &places, document, &job.encodings)?;
            // Rules of one's own may read anything.
            if job.rules.are_a_puzzles() {
                self.check_all_is_read(&board, document)?;
            }
            instance.push(Document::in_memory(document.name.clone(), board.facts()));
            written = Some(board);
        }
        let encoding = job.encodings.clone();
        let program = asp::Program { instance, encoding, ..asp::Program::default() };
        let is_looked_at = matches!(job.show, Show::Pictures | Show::Page);
        let is_drawn = is_looked_at || !job.draw.is_empty() || program.documents().any(draws);
        Ok(Board { written, is_drawn, is_of_puzzle: !self.0.is_program, ..Board::from(program) })
    }

    /// Of links and saved games.
    fn warnings(&self, job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        let mut warnings = Vec::new();
        for document in &job.documents {
            if link::type_of(&document.text).is_some() {
                warnings.extend(self.links()?.and_then(|link| link.read_with_note(document).ok()?.1));
            }
            let Some(saved) = Saved::of(document)? else { continue };
            let unread = saved.marks(self.0.header.lines("Marks")).unread;
            if !unread.is_empty() {
                let letters = unread.iter().map(|letters| brief(letters)).collect::<Vec<_>>().join("`, `");
                let text = format!("{}: moves of this saved game are not read: `{letters}`", brief(&document.name));
                warnings.push(Diagnostic::warning(text));
            }
        }
        Ok(warnings)
    }

    fn solve(
        &self,
        board: &Board,
        _engine: Engine,
        job: &Job,
        found: Found<'_, Answer>,
    ) -> Result<Ending<Proof>, Failure> {
        if self.lacks_rules(job) {
            let mut solver = asp::Solver::with_program(&board.program, &job.settings, &job.stop)?;
            let facts = facts_of(&mut solver)?;
            let (given, warnings) = board.drawing_of(&facts, &facts, job, self.0.about.name)?;
            let proof = Proof { given, ..Proof::default() };
            return Ok(Ending { proof, warnings, ..Ending::gave_up(Reason::NoRules) });
        }
        let mut settings = job.settings.clone();
        settings.models = job.models.or(self.plays(job).then_some(MOST_SOLUTIONS));
        if self.projects(&board.program) {
            settings.options.push("--project=show".to_owned());
        }
        let framed = self.framed(board, job, &settings);
        if let Some((framed, most)) = &framed
            && let Some(shared) = framed.shared()?
            && let Some(ending) = self.solve_shared(board, job, (shared, framed, *most), &mut *found)?
        {
            return Ok(ending);
        }
        // Of boards that may share a ground program it is always known whether there are more solutions.
        let most = framed.as_ref().map(|(_, most)| *most).filter(|_| !job.asks_unique && settings.models != Some(0));
        settings.models = most.map(|most| most + 1).or(settings.models);
        let once = if self.0.is_program { program::once(&settings, &board.program, job) } else { settings.clone() };
        let (began, mut solver) = (Instant::now(), asp::Solver::new(&once, &job.stop)?);
        let question = solver.question()?;
        let ground = solver.control().observe()?;
        let ground = board.ground.get_or_init(|| ground);
        let is_answer = question.mode == Mode::AnswerSets;
        let sources = board.program.encoding.iter().chain(&board.program.instance).chain(&job.draw);
        let source = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let (mut seen, mut held, mut given, mut failed) = (Seen::default(), None, Drawing::default(), None);
        let (mut warnings, mut handed_out, mut optimal) = (Vec::<Diagnostic>::new(), 0, 0);
        // Of a program in steps: the one at hand, and how many answers those before it have.
        let (mut step, mut earlier) = (0, 0);
        // What somebody's program means by `draw` may be nothing to look at, where nobody asked for it.
        let is_wanted = !self.0.is_program || !job.draw.is_empty() || job.show != Show::Answers;
        let is_seen = job.show != Show::Verdict || !job.rules.are_a_puzzles() || !job.draw.is_empty();
        let drawing_of = |shown: &[Symbol], all: &[Symbol]| {
            if !is_seen {
                return Ok((Drawing::default(), Vec::new()));
            }
            match board.drawing_of(shown, all, job, &source) {
                Err(failure) if !is_wanted => {
                    let unlike = |error: Diagnostic| Diagnostic { level: Level::Warning, ..error };
                    Ok((Drawing::default(), failure.0.into_iter().map(unlike).collect()))
                }
                drawing => drawing,
            }
        };
        let grounded = |solver: &mut asp::Solver| {
            let facts = facts_of(solver)?;
            (given, _) = drawing_of(&facts, &facts)?;
            Ok(())
        };
        let mut drawn = |answer: Answer, all: &[Symbol]| -> Result<Answer, Failure> {
            let (drawing, said) = drawing_of(&answer.atoms, all)?;
            for warning in said {
                if warnings.len() < MOST_WARNINGS && !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            Ok(Answer { drawing, ..answer })
        };
        let mut certifying = Certifying::of(job, &mut solver, !self.0.is_program)?;
        let mut take = |model: &mut asp::Model<'_>, number: u32| -> Result<ControlFlow<()>, Failure> {
            if most == Some(handed_out) {
                return Ok(ControlFlow::Break(()));
            }
            if let Some(certifying) = &mut certifying {
                certifying.note(model, number);
            }
            if std::mem::replace(&mut step, number) != number {
                (seen, optimal, earlier) = (Seen::default(), 0, handed_out);
            }
            let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
            let all: Vec<Symbol> = model.atoms()?.collect();
            let (costs, is_optimal) = (model.costs()?, model.optimality_proven()?);
            seen = Seen {
                found: seen.found + 1,
                has_costs: !costs.is_empty(),
                is_optimal: is_optimal && !costs.is_empty(),
            };
            let ground = || ground.lock().unwrap_or_else(PoisonError::into_inner);
            let holding = is_answer.then(|| ground().holding(model)).transpose()?;
            let drawing = Drawing::default();
            let answer = Answer { atoms, costs, is_optimal: seen.is_optimal, drawing, holding };
            // What is only on the way to something better, or to what answers have in common, is no answer yet.
            let minimises = seen.has_costs && matches!(question.optimisation, Optimisation::One | Optimisation::All);
            if is_answer && (seen.is_optimal || !minimises) {
                held = None;
                handed_out += 1;
                optimal += u64::from(seen.is_optimal);
                return found(drawn(answer, &all)?);
            }
            held = Some((answer, all));
            Ok(ControlFlow::Continue(()))
        };
        let is_known = job.is_batch || job.rules.are_a_puzzles();
        let lints =
            if is_known { Lints::default() } else { Lints::of(&board.program, &job.included, &settings, &job.stop) };
        let searched = program::search(
            &mut solver,
            &board.program,
            lints,
            job,
            grounded,
            || (),
            |model, number| {
                take(model, number).unwrap_or_else(|failure| {
                    failed = Some(failure);
                    ControlFlow::Break(())
                })
            },
        )?;
        if let Some(failure) = failed {
            return Err(failure);
        }
        let Searched { mut summary, warnings: said, steps, statistics } = searched;
        let is_last_without = step + 1 < steps;
        if is_last_without {
            (seen, optimal) = (Seen::default(), 0);
        }
        // As many as were asked for are there.
        summary.is_stopped &= most != Some(handed_out);
        if let Some((framed, _)) = framed {
            framed.met(ground.lock().unwrap_or_else(PoisonError::into_inner).rules.len());
        }
        let kind = closing::Proof::of(question, summary, seen);
        if let Some((last, all)) = held {
            handed_out += 1;
            let _ = found(Answer { is_optimal: kind == closing::Proof::Optimum, ..drawn(last, &all)? })?;
        }
        warnings.extend(said);
        let (verdict, complete) = program::concluded(kind, summary, handed_out, &job.stop);
        let is_told = verdict == Verdict::Impossible && !job.is_batch && job.show != Show::Verdict;
        let because = match is_told {
            true => Because::of_program(&self.source(board, job)?, &settings, began, &job.stop),
            false => None,
        };
        let certificate = certifying.map(|certifying| certifying.certified(kind)).transpose()?.flatten();
        let earlier = if is_last_without { handed_out } else { earlier };
        let told = handed_out - earlier;
        let proof = Proof { question, summary, seen, given, because, certificate, told, optimal, earlier, steps };
        Ok(Ending { verdict, complete, proof, statistics, warnings })
    }

    /// By the definition of an answer set of the ground program, whose rules are all there is to know of the puzzle.
    fn check(&self, board: &Board, answer: &Answer) -> Result<(), String> {
        let (Some(ground), Some(holding)) = (board.ground.get(), &answer.holding) else { return Ok(()) };
        let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = asp::check_answer(&ground, |atom| holding.contains(&atom), &answer.costs);
        checked.map(|_| ()).map_err(|flaw| flaw.to_string())
    }

    /// Whether the program has an answer that shows these atoms, and no others.
    fn check_alone(&self, board: &Arc<Board>, job: &Job, answer: &Answer) -> Result<Result<(), String>, Failure> {
        let wanted: String = answer.atoms.iter().map(|&atom| format!(":- not {}.\n", asp::to_text(atom))).collect();
        let mut program = board.program.clone();
        program.additions.push(Document::in_memory("<answer>", wanted));
        let job = Job { models: Some(0), ..job.clone() };
        let solved = Opened::with(*self, Arc::new(Board::from(program)), job)?.solve()?;
        let is_there = solved.answers().iter().any(|other| other.atoms == answer.atoms);
        Ok(is_there.then_some(()).ok_or_else(|| format!("no {} shows these atoms alone", self.noun(1).to_lowercase())))
    }

    fn checks_any_rules(&self) -> bool {
        true
    }

    /// Solutions that are told apart must differ in what is shown.
    fn vouch(&self, known: &Solved<Self>) -> Result<(), String> {
        match known.answers.windows(2).find(|pair| pair[0].atoms == pair[1].atoms) {
            Some(_) if !self.0.is_program => Err("two solutions are the same".to_owned()),
            _ => Ok(()),
        }
    }

    /// What was needed for the check alone goes.
    fn kept(&self, answer: Answer, job: &Job) -> Answer {
        let drawing = if job.format == Format::Lines { Drawing::default() } else { answer.drawing };
        Answer { holding: None, drawing, ..answer }
    }

    fn streams(&self, board: &Board, job: &Job) -> bool {
        self.0.is_program && (!board.is_drawn || job.format == Format::Lines)
    }

    fn title(&self, job: &Job) -> String {
        if self.0.is_program { names(&job.documents).join(", ") } else { self.0.about.name.to_owned() }
    }

    fn sort(&self, answers: &mut [Answer]) {
        answers.sort_by(|one, other| one.atoms.cmp(&other.atoms));
    }

    fn program(&self, board: &Board, _: &Job) -> Result<asp::Program, Failure> {
        Ok(board.program.clone())
    }

    fn because<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Because> {
        known.proof().because.as_ref()
    }

    fn certificate<'a>(&self, known: &'a Solved<Self>) -> Option<&'a Certified> {
        known.proof().certificate.as_ref()
    }

    fn source(&self, board: &Board, job: &Job) -> Result<Source, Failure> {
        let (program, boards) = (self.program(board, job)?, self.clues(&job.documents)?);
        // In a program of one's own the same names may mean anything.
        if self.0.is_program {
            return Ok(Source { program, boards, ..Source::default() });
        }
        let shape = board::SHAPE.map(|(name, arity)| asp::Signature::new(name, arity)).to_vec();
        Ok(Source { program, boards, shape, clues: Some(board::clues_of_facts) })
    }

    fn why(&self, board: &Arc<Board>, job: &Job, question: &Question) -> Result<Option<Told>, Failure> {
        if self.lacks_rules(job) {
            let json = json!({"schema": 1, "verdict": "gave-up"});
            let verdict = Some(Verdict::GaveUp(Reason::NoRules));
            return Ok(Some(Told { text: format!("{NO_RULES}\n"), json, verdict, ..Told::default() }));
        }
        if !matches!(question.asks, Asks::Rating { .. }) {
            return Ok(None);
        }
        let mut program = self.program(board, job)?;
        if let Some(written) = board.written.as_ref().filter(|_| job.documents.len() == 1) {
            let plain = written.facts();
            if let Some(of_board) = program.instance.iter_mut().find(|document| *document.text == *plain) {
                *of_board = Document::in_memory(of_board.name.clone(), self.facts_to_rate(written, &job.rules));
            }
        }
        why::explain(&program.into(), question, job).map(Some)
    }

    fn json(&self, _: &Board, answer: &Answer) -> Value {
        let atoms: Vec<String> = answer.atoms.iter().map(|&atom| asp::to_text(atom)).collect();
        let mut object = json!({ "atoms": atoms });
        if self.0.is_program || !answer.costs.is_empty() {
            object["costs"] = json!(answer.costs);
            object["optimal"] = json!(answer.is_optimal);
        }
        if let Some(grid) = answer.drawing.grid() {
            object["grid"] = json!(grid);
        }
        object
    }

    fn table(&self, _: &Board, answers: &[Answer]) -> Table {
        let row = |answer: &Answer| vec![words_of(answer)];
        Table {
            columns: vec!["answer".to_owned()],
            rows: answers.iter().map(row).enumerate().collect(),
            ..Table::default()
        }
    }

    /// Nobody who solves a puzzle reads atoms.
    fn listed(&self, board: &Board, answers: &[Answer]) -> Table {
        if self.0.is_program {
            return self.table(board, answers);
        }
        let row = |number: usize| (number, vec![format!("{} {}", self.noun(1), number + 1)]);
        Table {
            columns: vec![self.noun(2).to_owned()],
            rows: (0..answers.len()).map(row).collect(),
            ..Table::default()
        }
    }

    fn sheet(&self, known: &Solved<Self>) -> Result<Option<Value>, Failure> {
        let Solved { board, answers, job, complete, .. } = known;
        let is_best = answers.iter().any(|answer| !answer.costs.is_empty());
        if !self.plays(job) || answers.is_empty() || is_best {
            return Ok(None);
        }
        let atoms = answers.iter().map(|answer| answer.atoms.as_slice()).collect();
        let solutions = Solutions { atoms, are_all: *complete };
        let title = self.0.header.title.trim();
        match played::sheet_of_program(&self.source(board, job)?, title, &job.settings, &job.stop, &solutions) {
            Err(_) if job.stop.requested().is_some() => Ok(None),
            sheet => sheet,
        }
    }

    fn text(&self, known: &Solved<Self>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = String::new();
        if known.verdict == Verdict::GaveUp(Reason::NoRules) {
            let drawing = if style.quiet { String::new() } else { known.proof().given.text(style) };
            return format!("{}\n{drawing}", style.paint(bold, NO_RULES));
        }
        if !known.job.asks_unique {
            page += &style.paint(bold, &self.summary(known));
            page.push('\n');
        }
        if style.quiet {
            return page;
        }
        page += &known.proof().because.as_ref().map_or(String::new(), Because::lines);
        let telling = known.job.stop.telling();
        for (number, answer) in known.answers.iter().enumerate() {
            if let Some(reason) = telling.cuts() {
                let noun = self.noun(1).to_lowercase();
                let more = count(
                    (known.answers.len() - number) as u64,
                    &format!("more {noun} was found, but"),
                    &format!("more {} were found, but", self.noun(2)),
                );
                page += &format!("… and {more} not written: {}.\n", reason.words());
                break;
            }
            let drawing = drawn(known, answer);
            if known.answers.len() > 1 {
                page += &format!("\n{}\n", style.paint(bold, &format!("{} {}", self.noun(1), number + 1)));
            }
            if !drawing.has_grid() || self.0.is_program || style.verbose {
                page += &format!("  {}\n", words_of(answer));
            }
            page += &drawing.text(style);
            if !answer.costs.is_empty() {
                let best = if answer.is_optimal { ", proven optimal" } else { "" };
                page += &format!("  cost {}{best}\n", numbers(&answer.costs, ", "));
            }
        }
        page
    }

    fn draw(&self, known: &Solved<Self>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        let title = format!("{}: {}", self.0.about.name, self.summary(known));
        let drawing = answer.map_or(Cow::Borrowed(&known.proof().given), |answer| drawn(known, answer));
        Ok((!drawing.is_empty()).then(|| drawing.picture(&title, &known.job.stop)))
    }

    fn graph(&self, _: &Board, answer: Option<&Answer>) -> Option<Graph> {
        answer.and_then(|answer| answer.drawing.graph(self.0.about.name))
    }

    /// What costs more is a solution as well, and was not looked for.
    fn uniqueness(&self, known: &Solved<Self>) -> Uniqueness {
        let has_costs = known.answers.iter().any(|answer| !answer.costs.is_empty());
        match known.uniqueness_of(known.answers.len() as u64) {
            Uniqueness::One if has_costs => Uniqueness::Unknown,
            // Those of earlier steps were told as well.
            Uniqueness::One | Uniqueness::NotOne if known.proof().earlier > 0 => Uniqueness::Unknown,
            uniqueness => uniqueness,
        }
    }

    /// Boards are made where the file says what a clue is.
    fn tools(&self) -> &'static [&'static dyn Tool] {
        let clues = self.0.header.paragraph("Clues").filter(|clues| !clues.starts_with("none"));
        clues.map_or(&[], |_| self.own_tool(|| Box::leak(Box::new(generate::Generate(*self)))))
    }

    fn link(&self, board: &Board) -> Result<Option<String>, Failure> {
        let Some(link) = self.links()? else { return Ok(None) };
        let of_facts;
        let written = match &board.written {
            Some(written) => written,
            None => {
                let instance = asp::Program { instance: board.program.instance.clone(), ..asp::Program::default() };
                let mut solver = asp::Solver::with_program(&instance, &asp::Settings::default(), &Default::default())?;
                of_facts = Written::of_facts(&facts_of(&mut solver)?).map_err(Diagnostic::error)?;
                &of_facts
            }
        };
        link.write(written).map(|link| Some(link + "\n"))
    }
}

impl Logic {
    /// A board of a batch that may share its ground program with others, and how many solutions are looked for at the most.
    fn framed(self, board: &Board, job: &Job, settings: &asp::Settings) -> Option<(Framed, u64)> {
        /// They are kept until all are known.
        const MOST: u64 = 100;
        let written = board.written.as_ref().filter(|_| job.is_batch && job.documents.len() == 1)?;
        let has_options = !job.settings.options.is_empty() || settings.check || settings.threads.is_some();
        let is_certified = job.certify.is_asked() || job.asks_unique && job.certify != Certify::No;
        let tells_more = is_certified || job.stats || !job.draw.is_empty();
        if has_options
            || tells_more
            || !self.projects(&board.program)
            || board.program.documents().any(asp::is_incremental)
        {
            return None;
        }
        let most = match settings.models {
            _ if job.asks_unique => 1,
            Some(0) => MOST,
            models => models.unwrap_or(1),
        };
        let settings = asp::Settings { models: Some(most + 1), ..settings.clone() };
        (most <= MOST).then(|| Some((Framed::of(written, &board.program.encoding, &settings)?, most))).flatten()
    }

    /// Solves by a ground program that others share. None where the answers may depend on the boards before.
    fn solve_shared(
        self,
        board: &Board,
        job: &Job,
        (shared, framed, most): (Box<Shared>, &Framed, u64),
        found: Found<'_, Answer>,
    ) -> Result<Option<Ending<Proof>>, Failure> {
        let (question, ground) = (shared.question()?, shared.ground.clone());
        let sources = board.program.encoding.iter().chain(&board.program.instance);
        let source = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let (mut answers, mut warnings, mut failed) = (Vec::new(), Vec::new(), None);
        let mut answer_of = |model: &mut asp::Model<'_>| -> Result<Answer, Failure> {
            let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
            let all: Vec<Symbol> = model.atoms()?.collect();
            let holding = ground.lock().unwrap_or_else(PoisonError::into_inner).holding(model)?;
            let (drawing, said) = board.drawing_of(&atoms, &all, job, &source)?;
            warnings.extend(said);
            Ok(Answer { atoms, costs: Vec::new(), is_optimal: false, drawing, holding: Some(holding) })
        };
        let solved = shared.solve(framed, &job.stop, |model| match answer_of(model) {
            Ok(answer) => {
                answers.push(answer);
                ControlFlow::Continue(())
            }
            Err(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
        })?;
        failed.map_or(Ok(()), Err)?;
        let Some(asp::SolveResult { satisfiable, exhausted, .. }) = solved.filter(|_| answers.len() as u64 <= most)
        else {
            return Ok(None);
        };
        let told = answers.len() as u64;
        let _ = board.ground.set(ground);
        for answer in answers {
            let _ = found(answer)?;
        }
        let summary = Summary { satisfiable, exhausted, ..Summary::default() };
        let seen = Seen { found: told, ..Seen::default() };
        let kind = closing::Proof::of(question, summary, seen);
        let (verdict, complete) = program::concluded(kind, summary, told, &job.stop);
        let proof = Proof { question, summary, seen, told, steps: 1, ..Proof::default() };
        Ok(Some(Ending { verdict, complete, proof, statistics: json!({}), warnings }))
    }

    fn noun(self, number: usize) -> &'static str {
        match (self.0.is_program, number) {
            (true, 1) => "Answer",
            (true, _) => "answers",
            (false, 1) => "Solution",
            (false, _) => "solutions",
        }
    }

    /// Whether the answer is a page on which one finds it.
    fn plays(self, job: &Job) -> bool {
        !self.0.is_program && job.show == Show::Page && job.draw.is_empty() && job.style.drawn.unwrap_or(0) == 0
    }

    /// The verdict in a sentence.
    fn summary(self, known: &Solved<Self>) -> String {
        let Proof { mut question, summary, seen, told, optimal, earlier, steps, .. } = *known.proof();
        // That solutions of a puzzle look different goes without saying.
        question.is_projected &= self.0.is_program;
        let noun = self.noun(1).to_lowercase();
        let last = known.answers.last();
        let closing = Closing {
            question,
            summary,
            seen,
            found: told,
            optimal,
            earlier,
            steps,
            nouns: [&noun, self.noun(2)],
            atoms: last.map_or(0, |answer| answer.atoms.len()),
            costs: last.map_or(&[], |answer| answer.costs.as_slice()),
            verdict: known.verdict,
            rules: &known.job.rules,
            tells_unique: !self.0.is_program,
            style: known.job.style,
        };
        let words = || closing.words();
        let certified = known.proof().certificate.as_ref();
        known.uniqueness_words().unwrap_or_else(|| certified.map_or_else(words, |certified| certified.said(&words())))
    }
}

impl Board {
    /// The drawing of an answer: of what it shows, or of what the rules that draw derive from that; and warnings.
    fn drawing_of(
        &self,
        shown: &[Symbol],
        all: &[Symbol],
        job: &Job,
        source: &str,
    ) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        if job.draw.is_empty() {
            return Drawing::written(&job.vocabulary.seen(shown, all), source, &job.vocabulary);
        }
        let rules = Rules { documents: &job.draw, constants: &job.settings.constants };
        let hidden = if self.is_of_puzzle { all } else { &[] };
        let Derived { atoms, mut warnings } = rules.derive(&[shown, hidden].concat(), &job.stop)?;
        let Some(atoms) = atoms else {
            warnings.extend(job.stop.requested().is_none().then(|| rules.none()));
            return Ok((Drawing::default(), warnings));
        };
        let (drawing, said) = Drawing::written(&atoms, source, &job.vocabulary)?;
        warnings.extend(said);
        warnings.extend(drawing.is_empty().then(|| rules.nothing()));
        Ok((drawing, warnings))
    }
}

/// What is drawn of an answer; of one of two that differ, where they do.
fn drawn<'a>(known: &Solved<Logic>, answer: &'a Answer) -> Cow<'a, Drawing> {
    match &known.answers[..] {
        [one, other] if known.job.asks_unique => {
            Cow::Owned(answer.drawing.marked(&one.drawing.differences(&other.drawing)))
        }
        _ => Cow::Borrowed(&answer.drawing),
    }
}

/// The atoms that hold whatever is chosen.
fn facts_of(solver: &mut asp::Solver) -> Result<Vec<Symbol>, Failure> {
    let known = solver.control().known_atoms()?;
    Ok(known.into_iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| atom).collect())
}

fn words_of(answer: &Answer) -> String {
    // What is drawn is seen.
    let atoms = answer.atoms.iter().filter(|&&atom| !Drawing::is_of(atom));
    atoms.map(|&atom| asp::to_text(atom)).collect::<Vec<_>>().join(" ")
}

/// The puzzles of a folder: of these files and those that ship, by name; a file comes before what ships under its name.
pub fn in_folder(folder: &'static str, files: &[OfFile]) -> Vec<Logic> {
    let files: Vec<&OfFile> = files.iter().filter(|file| file.folder == folder && file.name != "step").collect();
    let mut all: Vec<Logic> = files.iter().map(|file| file.logic()).collect();
    all.extend(shipped(folder, |name| files.iter().any(|file| file.name == name)));
    all.sort_by_key(|logic| logic.1);
    all
}

/// The pencil puzzles.
pub fn entries(files: &[OfFile]) -> Vec<&'static dyn Entry> {
    let all = in_folder(FOLDER, files).into_iter();
    all.map(|logic| &*Box::leak(Box::new(logic)) as &'static dyn Entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_with_one_name_and_header_share_an_entry() {
        const HEADER: &str = "% Mine: rules.\n%\n% Input      rows(R)\n\n";
        let of = |name: &str, text: String| Logic::of_document(FOLDER, &Document::in_memory(name, text));
        let first = of("mine.lp", format!("{HEADER}a."));
        let others = (0..1000).map(|number| of("mine.lp", format!("{HEADER}a({number}).")));
        assert!(others.into_iter().all(|other| std::ptr::eq(first, other)));
        assert!(!std::ptr::eq(first, of("other.lp", format!("{HEADER}a."))));
        assert!(!std::ptr::eq(first, of("mine.lp", format!("% Others: rules.\n{HEADER}a."))));
    }
}
