//! Pencil puzzles that are defined by a logic program, without any Rust: one file each, in the
//! folder `puzzles/` of a folder of encodings.
//!
//! The comment at the top of the file describes the puzzle and the notation of its boards. All
//! puzzles share one text format for boards ([`GridBoard`]). A board can also be read from a link
//! to a site on which it can be played ([`Link`]). The `draw` atoms that the program derives become
//! a picture ([`Drawing`]).
//!
//! | file | contents |
//! |---|---|
//! | `header.rs` | the comment at the top of the file |
//! | `board.rs` | a board, and its conversion to facts |
//! | `text.rs` | reads and writes boards as texts |
//! | `signs.rs` | the signs that are allowed on a puzzle's boards |
//! | `square.rs` | squares of numbers in any pasted layout |
//! | `link.rs`, `codecs.rs`, `steps.rs` | boards in links of puzz.link and its relatives |
//! | `links.txt` | formats of links whose rules are not included |
//! | `editors.rs` | drawings in addresses of penpa-edit, SudokuPad and f-puzzles |
//! | `fields.rs` | strict reading of JSON from other programs |
//! | `game_id.rs` | boards in game ids of sgt-puzzles |
//! | `generate.rs`, `areas.rs` | generation of boards and their areas |
//! | `shared.rs` | ground programs shared by boards of a batch |

mod areas;
pub mod board;
pub mod codecs;
mod editors;
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
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use clap::{Args, ValueEnum};
use include_dir::{Dir, include_dir};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Value, json};

use super::certifying::CertificateRecorder;
use super::closing::{self, ClingoStatus, ClosingLine, ModelStats, numbers};
use super::program::{self, ProgramSearch};
use super::rules::{BuiltinFile, Encoding};
use super::saved::SavedGame;
use super::{
    About, AnswerSink, AnyPuzzle, InstanceUnit, OptionReaders, Puzzle, PuzzleFile, Role, Run, RunResult, Table, Tool,
    UnsolvableCause, document_names,
};
use crate::asp::{self, GroundProgram, Lints, Optimisation, Order, ReasoningMode, Symbol, syntax};
use crate::diagnostic::{Code, Diagnostic, Failure, Place, Severity};
use crate::document::{Document, Notation};
use crate::drawing::{DerivedAtoms, Drawing, DrawingRules};
use crate::ending::{Certification, SearchEnd, Uniqueness, Verdict};
use crate::graph::Graph;
use crate::job::{self, CertifyMode, Job, Show};
use crate::picture::Picture;
use crate::play::{self, Solutions};
use crate::report::{Format, Style};
use crate::stop::StopReason;
use crate::why::{self, Boards, ExplainInput, ExplainQuery, Explanation, QueryKind};
use crate::words::{self, count};
use board::{ClueLocation, ClueRanges, GridBoard, SIDES};
use game_id::GameIdFormat;
pub use header::Header;
use link::Link;
use shared::{BatchInstance, SharedProgram};
use signs::{PuzzleSigns, SignSet};

/// The encodings embedded in the executable, for runs without a folder of encodings.
static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/asp");

/// Link formats of puzzle types without built-in rules: one line for each, in the format of the
/// paragraph `Link` of a header.
const LINKS: &str = include_str!("links.txt");

/// Maximum number of warnings about drawings, over all answers.
const MAX_WARNINGS: usize = 20;

/// Maximum number of solutions in an interactive page. A board for playing should have only one.
const MAX_PAGE_SOLUTIONS: u64 = 100;

/// Options that only the engine `asp` reads.
const ASP_ONLY_OPTIONS: &[(&str, OptionReaders)] =
    &[("threads", OptionReaders::Engines(&["asp"])), ("clingo", OptionReaders::Engines(&["asp"]))];

/// The folder of pencil puzzles, below a folder of encodings.
pub const FOLDER: &str = "puzzles";
/// The name of the puzzle for any logic program.
const PROGRAM: &str = "program";
const NO_RULES: &str = "This puzzle type is recognised, but no rules for it are included; supply them with -e FILE.";

/// A puzzle that is defined by its file: a header and rules.
#[derive(Clone, Copy)]
pub struct LogicPuzzle {
    definition: &'static LazyDefinition,
    name: &'static str,
}

/// A definition that is parsed on first use; most runs need only one.
type LazyDefinition = LazyLock<PuzzleDefinition, Box<dyn FnOnce() -> PuzzleDefinition + Send>>;

struct PuzzleDefinition {
    about: About,
    header: Header,
    /// Optional rules: the files in the folder named after the puzzle.
    variants: Vec<Variant>,
    /// True for the puzzle `program`, which runs any logic program and reads no boards.
    is_program: bool,
    tools: OnceLock<&'static [&'static dyn Tool]>,
}

/// Optional rules that a board or `-e` adds to a puzzle, for example `puzzles/sudoku/killer.lp`.
struct Variant {
    name: &'static str,
    /// The path of its file, below the folder of encodings.
    path: &'static str,
    header: Header,
}

// The same options as all logic programs. (A doc comment would become the help of the command.)
#[derive(Debug, Clone, Default, Args)]
pub struct LogicOptions {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Asp,
    Native,
}

/// A program to solve, and its board unless the board was given as facts.
pub struct PuzzleBoard {
    program: asp::Program,
    grid: Option<GridBoard>,
    /// True if the answers of a custom program are drawn.
    is_drawn: bool,
    /// True if the program defines a puzzle. Drawing rules then read its hidden atoms too.
    is_of_puzzle: bool,
    /// The ground program, by which answers are checked; set once the program is grounded.
    ground: OnceLock<Arc<Mutex<GroundProgram>>>,
}

impl From<asp::Program> for PuzzleBoard {
    fn from(program: asp::Program) -> Self {
        PuzzleBoard { program, grid: None, is_drawn: true, is_of_puzzle: false, ground: OnceLock::new() }
    }
}

impl PuzzleBoard {
    pub fn into_program(self) -> asp::Program {
        self.program
    }

    /// Creates the board for the program of a puzzle that is implemented in Rust.
    pub fn for_puzzle(program: asp::Program) -> Self {
        PuzzleBoard { is_of_puzzle: true, ..PuzzleBoard::from(program) }
    }
}

pub struct Answer {
    /// The shown atoms, in clingo's order.
    atoms: Vec<Symbol>,
    costs: Vec<i64>,
    is_optimal: bool,
    drawing: Drawing,
    /// The true atoms of the ground program. `None` if `atoms` are the consequences of all answers
    /// and not a single answer.
    true_atoms: Option<FxHashSet<u32>>,
}

/// The results that clingo has proven, and the drawing of the facts.
#[derive(Default, Serialize)]
pub struct LogicProof {
    #[serde(skip)]
    question: asp::SolveMode,
    #[serde(skip)]
    summary: ClingoStatus,
    #[serde(skip)]
    seen: ModelStats,
    #[serde(skip)]
    facts_drawing: Drawing,
    /// The cause if there is no answer.
    #[serde(skip)]
    cause: Option<UnsolvableCause>,
    /// The result of certifying the proof.
    #[serde(skip)]
    certificate: Option<Certification>,
    /// The number of answers reported. For a program in steps, only the answers of its last step
    /// count. The output may contain fewer.
    #[serde(skip)]
    num_answers: u64,
    /// The number of optimal answers among them.
    #[serde(skip)]
    optimal: u64,
    /// The number of answers reported by earlier steps.
    #[serde(skip)]
    earlier: u64,
    #[serde(skip)]
    steps: u32,
}

/// Returns the built-in puzzles of a folder, except those that a custom file overrides.
fn builtin_puzzles(folder: &'static str, is_overridden: impl Fn(&str) -> bool) -> Vec<LogicPuzzle> {
    let files = BUILTIN.get_dir(folder).into_iter().flat_map(Dir::files);
    // `step.lp` is shared by the puzzles of a folder and is not a puzzle itself.
    let is_puzzle = |name: &&str| *name != "step" && !is_overridden(name);
    let puzzle_name = |path: &'static Path| path.file_stem()?.to_str().filter(is_puzzle);
    files
        .filter_map(|file| Some(LogicPuzzle::from_file(folder, puzzle_name(file.path())?, file.contents_utf8()?)))
        .collect()
}

/// Returns the folders of the built-in encodings: one for each puzzle that is implemented in Rust,
/// and one for each kind of puzzle that is defined by files.
pub fn builtin_folders() -> impl Iterator<Item = &'static str> {
    BUILTIN.dirs().filter_map(|folder| folder.path().to_str())
}

/// Returns the text of a built-in file. `path` is relative to the folder of encodings.
pub fn builtin_text(path: &str) -> Option<&'static str> {
    // `Dir` compares paths component by component on each lookup.
    static FILES: LazyLock<FxHashMap<&str, &include_dir::File<'static>>> = LazyLock::new(|| {
        let files = BUILTIN.dirs().flat_map(|folder| folder.files().chain(folder.dirs().flat_map(Dir::files)));
        files.filter_map(|file| Some((file.path().to_str()?, file))).collect()
    });
    FILES.get(path)?.contents_utf8()
}

/// Returns the folder of a puzzle's variants, if it exists.
fn builtin_variants(path: &str) -> Option<&'static Dir<'static>> {
    static FOLDERS: LazyLock<FxHashMap<&str, &Dir<'static>>> = LazyLock::new(|| {
        BUILTIN.dirs().flat_map(Dir::dirs).filter_map(|folder| Some((folder.path().to_str()?, folder))).collect()
    });
    FOLDERS.get(path).copied()
}

/// Returns the names of the built-in shared files as written in headers: `shared/grid.lp`.
pub fn shared_files() -> Vec<String> {
    let files = BUILTIN.get_dir(format!("{FOLDER}/shared")).into_iter().flat_map(Dir::files);
    files.filter_map(|file| Some(format!("shared/{}", file.path().file_name()?.to_str()?))).collect()
}

/// Returns the line of `links.txt` that describes links of type `kind`.
fn links_line(kind: &str) -> Option<&'static str> {
    let describes_kind = |line: &&str| {
        !line.starts_with('%')
            && line.split_once(':').is_some_and(|(names, _)| names.split(", ").any(|name| name == kind))
    };
    LINKS.lines().find(describes_kind)
}

/// Returns the format of links of type `kind`, whether or not its rules are built in.
fn link_format(kind: &str) -> Result<Option<Link>, Failure> {
    if let Some(line) = links_line(kind) {
        return Link::parse(line)
            .map(Some)
            .map_err(|error| Diagnostic::error(Code::InvalidLink, format!("{line}: {error}")).into());
    }
    let builtin_links = all_builtin().iter().filter_map(|logic| logic.links().ok()?);
    Ok(builtin_links.into_iter().find(|link| link.names().iter().any(|name| name == kind)))
}

/// Returns all built-in puzzles, including those that a folder of encodings overrides.
fn all_builtin() -> &'static [LogicPuzzle] {
    static ALL: LazyLock<Vec<LogicPuzzle>> = LazyLock::new(|| builtin_puzzles(FOLDER, |_| false));
    &ALL
}

/// Leaks a string. The number of calls for each puzzle is bounded.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Answer {
    /// Creates an answer that shows these atoms.
    ///
    /// # Errors
    /// Fails with the first text that is not an atom.
    pub fn of(atoms: &[&str]) -> Result<Answer, Failure> {
        let atom = |text: &&str| {
            asp::parse_term(text)
                .ok_or_else(|| Diagnostic::error(Code::InvalidInstance, format!("`{text}` is not an atom")))
        };
        let mut atoms = atoms.iter().map(atom).collect::<Result<Vec<Symbol>, _>>()?;
        atoms.sort();
        let drawing = Drawing::default();
        let costs = Vec::new();
        Ok(Answer { atoms, costs, is_optimal: false, drawing, true_atoms: None })
    }

    /// The shown atoms, in clingo's syntax.
    pub fn atoms(&self) -> Vec<String> {
        self.atoms.iter().map(|&atom| asp::to_text(atom)).collect()
    }
}

impl PuzzleDefinition {
    fn of(header: Header, encoding: Encoding, variants: Vec<Variant>) -> PuzzleDefinition {
        let general_facts =
            ["puzzle", "start", "rows", "columns", "sign", "part", "wall", "area", "left", "right", "top", "bottom"];
        let inputs =
            [&header].into_iter().chain(variants.iter().map(|variant| &variant.header)).flat_map(Header::inputs);
        let facts: BTreeSet<&'static str> = general_facts.into_iter().chain(inputs.map(leak)).collect();
        let summary = format!("{}: {}", header.title, header.rules.trim_end_matches('.'));
        let paragraphs = [
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
        let details = paragraphs.into_iter().filter_map(|(word, head)| {
            let lines = header.lines(head);
            (!lines.is_empty()).then(|| (word, lines.to_vec()))
        });
        let variant_lines = variants
            .iter()
            .map(|Variant { name, header, .. }| format!("-e {name}: {}: {}", header.title, header.rules));
        let details = details.chain((!variants.is_empty()).then(|| ("variants", variant_lines.collect()))).collect();
        let with = |variant: &Variant| {
            let own_file = BuiltinFile { path: variant.path, text: builtin_text(variant.path).unwrap_or_default() };
            let folder = encoding.files[0].path.split('/').next().unwrap_or_default();
            let shared = LogicPuzzle::files(folder, variant.header.goes_with());
            let shared = shared.filter(|file| !encoding.files.iter().any(|known| known.path == file.path));
            let files = encoding.files.iter().copied().chain([own_file]).chain(shared).collect();
            Encoding { name: variant.name, files: Box::leak(files) }
        };
        let encodings = [encoding].into_iter().chain(variants.iter().map(with)).collect();
        let pictures: Vec<Format> = [
            (Format::Svg, true),
            (Format::Html, true),
            (Format::Dot, derives_graph(encoding.files)),
            (Format::Url, header.paragraph("Link").is_some()),
        ]
        .into_iter()
        .filter_map(|(format, is_known)| is_known.then_some(format))
        .collect();
        let about = About {
            name: encoding.name,
            summary: leak(summary.trim_end_matches([':', ' ']).to_owned()),
            input: "a text board with a line `puzzle NAME`, facts, or a link of puzz.link",
            more: Box::leak(details),
            example: leak(format!("asp-solve instances/{}.txt --unique", encoding.name)),
            encodings: Box::leak(encodings),
            facts: Box::leak(facts.into_iter().collect()),
            has_options_for_answer_sets: true,
            instance_unit: InstanceUnit::Line,
            pictures: Box::leak(pictures.into_boxed_slice()),
            read_by: ASP_ONLY_OPTIONS,
        };
        PuzzleDefinition { about, header, variants, is_program: false, tools: OnceLock::new() }
    }
}

/// Returns true if the rules derive atoms `node`, which clingraph would draw as a graph.
fn derives_graph(files: &[BuiltinFile]) -> bool {
    let draws = |text: &str| {
        asp::syntax::statements(text).iter().any(|statement| matches!(statement.head, Some(("node", 1 | 2))))
    };
    files.iter().any(|file| file.text.contains("node(") && draws(file.text))
}

impl Variant {
    /// Returns the words that select this variant in a board's line `variant …`: its name, and the
    /// quoted words in the lines `variant(…)` of the header's `Input`.
    fn names(&self) -> impl Iterator<Item = &str> {
        let lines = self.header.lines("Input").iter().filter(|line| line.starts_with("variant("));
        [self.name].into_iter().chain(lines.filter_map(|line| line.split('"').nth(1)))
    }
}

impl LogicPuzzle {
    /// Finds a built-in puzzle by its name: `sudoku`, `slither`, …
    ///
    /// # Errors
    /// Fails if there is no puzzle of that name.
    pub fn named(name: &str) -> Result<LogicPuzzle, Failure> {
        let puzzles = all_builtin();
        puzzles.iter().copied().find(|logic| logic.name == name).ok_or_else(|| {
            let known: Vec<&str> = puzzles.iter().map(|logic| logic.name).collect();
            Diagnostic::error(
                Code::UnknownName,
                format!("there is no puzzle {name}{}", words::did_you_mean(name, known.iter().copied())),
            )
            .help(format!("known puzzles are {}", known.join(", ")))
            .into()
        })
    }

    /// Creates the puzzle that the file `name` in `folder` defines. `text` is the file's text.
    pub fn from_file(folder: &'static str, name: &'static str, text: impl AsRef<str> + Send + 'static) -> LogicPuzzle {
        let define = move || {
            let header = Header::of(name, text.as_ref());
            let files =
                [format!("{name}.lp")].into_iter().chain(header.goes_with()).chain(LogicPuzzle::semantics_file(folder));
            let files = LogicPuzzle::files(folder, files);
            let variant_files = builtin_variants(&format!("{folder}/{name}")).into_iter().flat_map(Dir::files);
            let variant = |file: &'static include_dir::File<'static>| {
                let (name, path) = (file.path().file_stem()?.to_str()?, file.path().to_str()?);
                Some(Variant { name, path, header: Header::of(name, file.contents_utf8()?) })
            };
            let encoding = Encoding { name, files: Box::leak(files.collect()) };
            PuzzleDefinition::of(header, encoding, variant_files.filter_map(variant).collect())
        };
        LogicPuzzle::with_definition(name, define)
    }

    fn with_definition(name: &'static str, define: impl FnOnce() -> PuzzleDefinition + Send + 'static) -> LogicPuzzle {
        let define: Box<dyn FnOnce() -> PuzzleDefinition + Send> = Box::new(define);
        LogicPuzzle { definition: Box::leak(Box::new(LazyLock::new(define))), name }
    }

    /// Returns the name of the file that defines the meaning of atoms in a folder, if the folder
    /// has one.
    fn semantics_file(folder: &str) -> Option<String> {
        builtin_text(&format!("{folder}/step.lp")).map(|_| "step.lp".to_owned())
    }

    /// Returns files of a folder of puzzles with their built-in texts.
    fn files(folder: &str, names: impl IntoIterator<Item = String>) -> impl Iterator<Item = BuiltinFile> {
        let paths = names.into_iter().map(move |file| leak(format!("{folder}/{file}")));
        paths.map(|path| BuiltinFile { path, text: builtin_text(path).unwrap_or_default() })
    }

    /// Returns the puzzle that a custom file defines. The file need not be in a folder of puzzles.
    /// Puzzles are never freed; documents with the same name and header share one.
    pub fn from_document(folder: &'static str, document: &Document) -> &'static LogicPuzzle {
        type KnownPuzzles = HashMap<(&'static str, String, Header), &'static LogicPuzzle>;
        static KNOWN: LazyLock<Mutex<KnownPuzzles>> = LazyLock::new(Mutex::default);
        let name = document.name.as_str();
        let stem = name.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
        let header = Header::of(stem, &document.text);
        let mut puzzles = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = puzzles.entry((folder, name.to_owned(), header.clone()));
        entry.or_insert_with(|| Box::leak(Box::new(LogicPuzzle::from_new_document(folder, document, stem, header))))
    }

    fn from_new_document(folder: &'static str, document: &Document, stem: &str, header: Header) -> LogicPuzzle {
        // The rules come from the document, but the meaning of a game's atoms is built in.
        let semantics = LogicPuzzle::semantics_file(folder);
        let own_file = semantics.is_none().then(|| BuiltinFile { path: leak(document.name.clone()), text: "" });
        let files =
            own_file.into_iter().chain(LogicPuzzle::files(folder, semantics.into_iter().chain(header.goes_with())));
        let encoding = Encoding { name: leak(stem.to_owned()), files: Box::leak(files.collect()) };
        LogicPuzzle::with_definition(encoding.name, move || PuzzleDefinition::of(header, encoding, Vec::new()))
    }

    /// The puzzle that runs any logic program unchanged.
    pub fn program() -> LogicPuzzle {
        static PUZZLE: OnceLock<LogicPuzzle> = OnceLock::new();
        let define = || PuzzleDefinition {
            about: About {
                name: PROGRAM,
                summary: "any logic program, as the clingo command runs it",
                input: "a logic program that is not another puzzle",
                more: &[],
                example: "echo '1 { a; b }.' | asp-solve - -n 0",
                encodings: &[],
                facts: &[],
                has_options_for_answer_sets: true,
                instance_unit: InstanceUnit::Object,
                pictures: &[Format::Svg, Format::Html, Format::Dot],
                read_by: ASP_ONLY_OPTIONS,
            },
            header: Header::default(),
            variants: Vec::new(),
            is_program: true,
            tools: OnceLock::new(),
        };
        *PUZZLE.get_or_init(|| LogicPuzzle::with_definition(PROGRAM, define))
    }

    fn lacks_rules(self, job: &Job) -> bool {
        self.definition.header.paragraph("Rules").as_deref() == Some("none") && job.rules.is_builtin()
    }

    /// Returns the puzzle for links of type `kind` if its boards can be read but its rules are not
    /// included.
    pub fn without_rules(kind: &str) -> Option<&'static LogicPuzzle> {
        static KNOWN: Mutex<BTreeMap<&'static str, &'static LogicPuzzle>> = Mutex::new(BTreeMap::new());
        let mut puzzles = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(logic) = puzzles.get(kind) {
            return Some(logic);
        }
        let link = links_line(kind)?;
        let text = format!(
            "% {kind}: a board without rules.\n%\n% Rules      none\n% Link       {link}\n% Goes with  shared/drawing.lp, shared/grid.lp, \
             shared/corners.lp, shared/dots.lp\n"
        );
        let header = Header::of(kind, &text);
        let files: Vec<BuiltinFile> = LogicPuzzle::files(FOLDER, header.goes_with()).collect();
        let encoding = Encoding { name: leak(kind.to_owned()), files: Box::leak(files.into_boxed_slice()) };
        let logic: &'static LogicPuzzle = Box::leak(Box::new(LogicPuzzle::with_definition(encoding.name, move || {
            PuzzleDefinition::of(header, encoding, Vec::new())
        })));
        puzzles.insert(encoding.name, logic);
        Some(logic)
    }

    fn links(self) -> Result<Option<Link>, Failure> {
        self.notation_from_header("Link", Link::parse)
    }

    /// Returns true if `name` is a name of this puzzle in sgt-puzzles.
    fn is_game_name(self, name: &str) -> bool {
        self.definition.header.paragraph("Game").is_some_and(|text| GameIdFormat::has_alias(&text, name))
    }

    /// Returns the format of a game id: that of the variant whose parameter the id contains,
    /// otherwise that of the puzzle.
    fn game_format(self, id: &str) -> Result<Option<GameIdFormat>, Failure> {
        for variant in &self.definition.variants {
            let game = variant.header.paragraph("Game").map(|paragraph| {
                let wrong = |error| {
                    Diagnostic::error(Code::InvalidInstance, format!("{}: Game  {paragraph}: {error}", variant.path))
                };
                GameIdFormat::parse(&paragraph).map_err(wrong)
            });
            if let Some(game) = game.transpose()?.filter(|game| game.has_parameter_of(id)) {
                return Ok(Some(game));
            }
        }
        self.notation_from_header("Game", GameIdFormat::parse)
    }

    /// Parses the paragraph `head` of the header, which describes a notation.
    fn notation_from_header<T>(
        self,
        head: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some(paragraph) = self.definition.header.paragraph(head) else { return Ok(None) };
        let file = self.definition.about.encodings.first().and_then(|encoding| encoding.files.first());
        let wrong = |error| {
            let text =
                format!("{}: {head}  {paragraph}: {error}", file.map_or(self.definition.about.name, |file| file.path));
            Diagnostic::error(Code::InvalidInstance, text).into()
        };
        parse(&paragraph).map(Some).map_err(wrong)
    }

    /// Returns true if the puzzle's boards are plain squares of numbers, which are recognised even
    /// if they do not name the puzzle.
    fn is_plain_square(self) -> bool {
        self.definition.header.paragraph("Plain").is_some_and(|plain| plain.starts_with("square"))
    }

    /// Reads a plain square of numbers in any layout. Returns `None` if the document is something
    /// else, or if the puzzle has other boards.
    fn read_square(self, document: &Document) -> Option<(GridBoard, ClueRanges)> {
        if !self.is_plain_square() || is_program(document) {
            return None;
        }
        let variant_inputs: BTreeSet<String> =
            self.definition.variants.iter().flat_map(|variant| variant.header.inputs()).collect();
        // A line that belongs to a variant must not be skipped as prose.
        let is_of_variant =
            |line: &str| line.split_whitespace().next().is_some_and(|word| variant_inputs.contains(word));
        let lines = || document.text.lines();
        // If a drawing has areas other than the standard boxes, its lines are not just a frame.
        let has_custom_areas = || {
            let drawn = GridBoard::read_with_signs(document, &self.signs()).map(|(board, _)| board);
            drawn.is_ok_and(|board| {
                let count = board.areas.values().collect::<BTreeSet<_>>().len();
                let standard = board::numbered(&editors::standard_boxes(board.rows));
                board.rows == board.columns && (2..board.areas.len()).contains(&count) && board.areas != standard
            })
        };
        if lines().any(is_of_variant) || lines().any(|line| line.starts_with('+')) && has_custom_areas() {
            None
        } else {
            square::read(document)
        }
    }

    /// Reads the board of a document and the ranges of its clues. Returns `None` if the document
    /// has facts or rules. The ranges are empty for links and game ids.
    fn read_board(self, document: &Document) -> Result<Option<(GridBoard, ClueRanges)>, Failure> {
        if self.definition.is_program {
            return Ok(None);
        }
        let name = self.definition.about.name;
        if self.has_only_rows(document) {
            let read = self.read_square(document).map_or_else(|| self.read_text(document), Ok);
            return read.map(Some).map_err(|wrong| self.with_format_hint(wrong));
        }
        if let Some(drawn) = editors::read(&document.text) {
            let wrong = |what| Diagnostic::error(Code::InvalidLink, format!("{}: {what}", abbreviated(&document.name)));
            return Ok(Some((
                drawn.and_then(|drawn| self.board_from_drawing(&drawn)).map_err(wrong)?,
                ClueRanges::new(),
            )));
        }
        if let Some(kind) = link::link_type(&document.text) {
            // Custom rules need not describe links of known types.
            let link = match self.links()? {
                Some(link) => Some(link),
                None => link_format(kind)?,
            };
            let link = link.ok_or_else(|| {
                Diagnostic::error(
                    Code::InvalidLink,
                    format!("{}: {name} does not support links: the header of its file has no Link", document.name),
                )
            })?;
            if !link.names().iter().any(|known| known == kind) {
                let text =
                    format!("{}: expected a link of {}, found one of {kind}", document.name, link.names().join(" or "));
                return Err(Diagnostic::error(Code::InvalidInstance, text).into());
            }
            return Ok(Some((link.read(document)?, ClueRanges::new())));
        }
        let saved = SavedGame::of(document)?;
        let id = saved.as_ref().map(|saved| Document::in_memory(document.name.clone(), saved.id.as_str()));
        let document_of_id = id.as_ref().unwrap_or(document);
        if saved.is_some() || game_id::looks_like(&document_of_id.text) {
            let has_none =
                || format!("{}: {name} does not support game ids: the header of its file has no Game", document.name);
            let game = self
                .game_format(&document_of_id.text)?
                .ok_or_else(|| Diagnostic::error(Code::InvalidLink, has_none()))?;
            let in_file = |mut wrong: Failure| {
                if let Some(saved) = &saved {
                    for place in wrong.0.iter_mut().flat_map(|wrong| &mut wrong.labels) {
                        *place = saved.place_in(document, place);
                    }
                }
                wrong
            };
            let with_help = |mut wrong: Failure| {
                let parameters = document_of_id.text.trim().split(':').next().unwrap_or_default();
                let of_game = format!("{}:{parameters}", game.name);
                let other =
                    pencil_entries().find(|entry| entry.has_alias(&of_game)).filter(|entry| entry.name() != name);
                let help = other.map(|entry| format!("-p {} reads it", entry.name()));
                if let Some(last) = wrong.0.last_mut() {
                    last.help = help;
                }
                wrong
            };
            let mut board = game.read(document_of_id).map_err(in_file).map_err(with_help)?;
            if let Some(saved) = &saved {
                if !self.is_game_name(&saved.game) {
                    let text =
                        format!("{}: expected a saved game of {name}, found one of {}", document.name, saved.game);
                    return Err(Diagnostic::error(Code::InvalidInstance, text).into());
                }
                board.player_marks = saved.marks(self.definition.header.lines("Marks")).literals;
            }
            return Ok(Some((board, ClueRanges::new())));
        }
        if let Some(read) = self.read_square(document) {
            return Ok(Some(read));
        }
        if document.notation() != Notation::Program {
            let text = format!("{}: expected a board of {name}, found JSON or Graphviz", document.name);
            return Err(Diagnostic::error(Code::InvalidInstance, text).into());
        }
        let is_board = || !document.name.ends_with(".lp") && GridBoard::looks_like_one_of(document, &self.signs());
        if is_program(document) && !is_board() {
            Ok(None)
        } else {
            self.read_text(document).map(Some).map_err(|wrong| self.with_format_hint(wrong))
        }
    }

    /// Adds a hint about the format of boards to an error.
    fn with_format_hint(self, mut wrong: Failure) -> Failure {
        if let Some(last) = wrong.0.last_mut().filter(|_| !self.definition.about.encodings.is_empty()) {
            let name = self.definition.about.name;
            let sample = if Puzzle::tools(&self).is_empty() { "list" } else { "generate" };
            last.help.get_or_insert_with(|| format!("`asp-solve {sample} {name}` shows how a board is written"));
        }
        wrong
    }

    fn board_from_drawing(self, drawn: &editors::EditorBoard) -> Result<GridBoard, String> {
        let addresses = self.definition.variants.iter().flat_map(|variant| variant.header.lines("Address"));
        drawn.board(&self.definition.header, &addresses.map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the puzzle's only tool, which `create` makes on first use.
    pub fn own_tool(self, create: impl FnOnce() -> &'static dyn Tool) -> &'static [&'static dyn Tool] {
        self.definition.tools.get_or_init(|| Box::leak(Box::new([create()])))
    }

    /// Returns the facts of a board in any notation.
    pub fn facts_from(self, document: &Document) -> Result<String, Failure> {
        Ok(self.read_board(document)?.map_or_else(|| document.text.to_string(), |(board, _)| board.facts()))
    }

    fn signs(self) -> PuzzleSigns {
        PuzzleSigns::of(self.name, &self.definition.header)
    }

    /// Returns true if a text consists only of rows of the puzzle's signs. Such rows can look like
    /// a link, a game id or a rule.
    fn has_only_rows(self, document: &Document) -> bool {
        let signs = self.signs();
        let mut lines = text::lines(&document.text).filter(|line| !line.text.is_empty()).peekable();
        !document.name.ends_with(".lp") && lines.peek().is_some() && lines.all(|line| signs.is_row(line.text))
    }

    /// Reads the board of a document. Returns `None` if the document has facts or rules.
    pub fn read(self, document: &Document) -> Result<Option<GridBoard>, Failure> {
        Ok(self.read_board(document)?.map(|(board, _)| board))
    }

    /// Reads a text board according to the paragraphs `Rows` and `Lists` of the header.
    fn read_text(self, document: &Document) -> Result<(GridBoard, ClueRanges), Failure> {
        let header = &self.definition.header;
        let lists = header.paragraph("Lists").unwrap_or_default();
        let lists = || lists.split(',').map(str::trim).filter(|name| !name.is_empty());
        if let Some(line) = text::lines(&document.text).find(|line| lists().any(|name| name == line.text.trim())) {
            let text = format!("nothing follows `{}`", line.text.trim());
            let range = line.offset..line.offset + line.text.len();
            return Err(Diagnostic::error(Code::InvalidInstance, text)
                .at(Some(Place::of_range(&document.name, &document.text, range)))
                .into());
        }
        let (mut board, mut places) = match header.paragraph("Rows").as_deref() {
            Some("as written") => GridBoard::read_as_written(document)?,
            _ => GridBoard::read_with_signs(document, &self.signs())?,
        };
        for name in lists() {
            board.number_words(name, &mut places);
        }
        Ok((board, places))
    }

    /// Returns true if a text has only signs of the puzzle, and at least one sign of each kind that
    /// the header lists under `Known by`.
    fn is_recognised_by_signs(self, document: &Document) -> bool {
        let header = &self.definition.header;
        let (Some(known), Some(kinds)) = (header.paragraph("Signs"), header.paragraph("Known by")) else {
            return false;
        };
        let kinds = || kinds.split(',').map(|kind| kind.trim().trim_matches('"'));
        // A cheap test, which rejects most long texts.
        if !kinds().all(|kind| kind.chars().any(|sign| document.text.contains(sign))) {
            return false;
        }
        let signs = text::lines(&document.text)
            .filter(|line| !text::is_board_separator(line.text))
            .flat_map(|row| row.text.chars())
            .filter(|sign| !text::is_empty_cell(*sign));
        let found_signs: Option<BTreeSet<char>> = signs.map(|sign| lists_sign(&known, sign).then_some(sign)).collect();
        found_signs.is_some_and(|found_signs| kinds().all(|kind| kind.chars().any(|sign| found_signs.contains(&sign))))
    }

    /// Returns true if a text is a single line of the puzzle's signs that has the length, and
    /// contains the words, given under `Line` in the header.
    fn is_recognised_by_line(self, document: &Document) -> bool {
        let header = &self.definition.header;
        let (known, line) = (header.paragraph("Signs"), header.paragraph("Line"));
        let expected = known.as_deref().zip(line.as_deref().and_then(|line| line.split_once(':')));
        expected.zip(link::only_line(&document.text)).is_some_and(|((known, (length, words)), line)| {
            let text = line.text.trim();
            length.parse() == Ok(text.chars().count())
                && text.chars().all(|sign| lists_sign(known, sign))
                && words.split(',').all(|word| text.contains(word.trim().trim_matches('"')))
        })
    }

    /// Returns the facts of the board in a canonical orientation, so that all rotations of a board
    /// get the same rating. (Some encodings start at the first cell in reading order.) The
    /// canonical orientation is the one whose facts come first in lexicographic order.
    fn facts_to_rate(self, board: &GridBoard, rules: &job::Rules) -> String {
        // Custom rules may distinguish rows from columns, as some built-in ones declare.
        if !rules.has_builtin_name() {
            return board.facts();
        }
        let transposes = !board.areas.is_empty() || self.definition.header.paragraph("Turns").is_none();
        board.orientations(transposes).iter().map(GridBoard::facts).min().expect("a board is one of its turns")
    }

    /// Maps the name of each document that is a board to its clues: for each line of the board's
    /// facts, the place and the description of the clue that the line states, if any.
    pub fn located_clues(self, documents: &[Document]) -> Result<Boards, Failure> {
        let mut clues = Boards::new();
        for document in documents {
            let Some((board, places)) = self.read_board(document)? else { continue };
            let text = &document.text;
            // The clues of a link have no places of their own, so they get the whole line.
            let whole = link::only_line(text).map_or(0..text.len(), |line| line.offset..line.offset + line.text.len());
            let place = |clue: &ClueLocation| {
                let range = places.get(clue).cloned().unwrap_or_else(|| whole.clone());
                (Place::of_range(&document.name, text, range), board.describe(clue))
            };
            let mut lines = Vec::new();
            board.facts_with_clues(|clue| lines.push(clue.as_ref().map(place)));
            clues.insert(document.name.clone(), lines);
        }
        Ok(clues)
    }

    /// Checks that a board has all inputs that the header requires, and only signs that the header
    /// lists.
    fn check_board(
        self,
        board: &GridBoard,
        places: &ClueRanges,
        document: &Document,
        encodings: &[Document],
    ) -> Result<(), Failure> {
        let name = self.definition.about.name;
        let header = &self.definition.header;
        let wrong = |text: String| Err(board_error(document, text, None));
        let wrong_at = |text: String, range: Option<Range<usize>>| Err(board_error(document, text, range));
        let signs = |head: &str| header.paragraph(head).filter(|signs| signs != "any");
        let of_cells = signs("Signs");
        // Without `Side signs`, clues beside the board have the same signs as cells.
        let of_sides = signs("Side signs").or_else(|| of_cells.clone());
        let stranger = |signs: &Option<String>, grid: &board::ClueGrid| {
            let signs = signs.as_ref()?;
            let listed = SignSet::parse(signs);
            let stranger = grid.iter().find(|(_, sign)| !sign.parts().iter().all(|part| listed.has(part)));
            stranger.map(|(&place, sign)| (place, sign.clone(), signs.clone()))
        };
        for (side, grid) in SIDES.iter().zip(&board.around) {
            if let Some(((line, index), sign, signs)) = stranger(&of_sides, grid) {
                let range = places.get(&ClueLocation::Named((*side).to_owned(), (line, index)));
                return wrong_at(
                    format!("`{sign}` beside row or column {line} is not a clue of {name}: expected {signs}"),
                    range.cloned(),
                );
            }
        }
        if let Some((cell @ (row, column), sign, signs)) = stranger(&of_cells, &board.signs) {
            let range = places.get(&ClueLocation::Cell(cell)).cloned();
            return wrong_at(
                format!("`{sign}` in row {row}, column {column} is not a clue of {name}: expected {signs}"),
                range,
            );
        }
        let of_grids = signs("Grid signs");
        for (grid, signs) in &board.grids {
            if let Some((place @ (row, column), sign, signs)) = stranger(&of_grids, signs) {
                let range = places.get(&ClueLocation::Named(grid.clone(), place)).cloned();
                let what = format!(
                    "`{sign}` in row {row}, column {column} of the grid `{grid}` is not a clue of {name}: expected {signs}"
                );
                return wrong_at(what, range);
            }
        }
        let names = board.header.iter().map(|(name, _)| name).chain(board.grids.keys());
        let variants = self.definition.variants.iter();
        let headers = [header].into_iter().chain(variants.clone().map(|variant| &variant.header));
        let mut inputs: Vec<String> = headers.flat_map(Header::inputs).collect();
        inputs.sort();
        inputs.dedup();
        for (name, words) in board.header.iter().filter(|_| !self.definition.variants.is_empty()) {
            self.check_variant_line(board, name, words).map_err(|text| {
                let place = places.get(&ClueLocation::Header(name.clone(), words.clone())).cloned();
                let place = place.map(|range| Place::of_range(&document.name, &document.text, range));
                Diagnostic::error(Code::InvalidInstance, text).at(place)
            })?;
        }
        if let Some(stranger) =
            names.into_iter().find(|known| !inputs.contains(known) && *known != "flag" && !inputs.is_empty())
        {
            let names_stranger = |location: &ClueLocation| match location {
                ClueLocation::Header(name, _) | ClueLocation::Named(name, _) => name == stranger,
                _ => false,
            };
            let range = places.iter().find(|(location, _)| names_stranger(location)).map(|(_, range)| range.clone());
            return wrong_at(
                format!("`{stranger}` is not an input of {name}; its inputs are {}", inputs.join(", ")),
                range,
            );
        }
        let requires_rows = |line: &String| line.starts_with("sign(") && !line.contains("optional");
        if board.rows == 0 && (inputs.is_empty() || header.lines("Input").iter().any(requires_rows)) {
            return wrong("no board: neither rows of cells, nor clues beside and above them".to_owned());
        }
        self.check_size(board.rows, board.columns).or_else(wrong)?;
        let facts = board.facts();
        let is_used = |variant: &&Variant| encodings.iter().any(|document| document.name.ends_with(variant.path));
        let headers = [header].into_iter().chain(variants.filter(is_used).map(|variant| &variant.header));
        for input in headers.flat_map(|header| header.lines("Input")).filter(|line| !line.contains("optional")) {
            let Some(predicate) = syntax::predicates(input).next() else { continue };
            // A link states the whole board, so an input without facts is empty, not missing.
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

    /// Rejects clues and walls that no rule reads because the headers do not list them as inputs.
    fn check_no_unread_input(self, board: &GridBoard, places: &ClueRanges, document: &Document) -> Result<(), Failure> {
        let headers =
            [&self.definition.header].into_iter().chain(self.definition.variants.iter().map(|variant| &variant.header));
        let inputs: BTreeSet<String> = headers.flat_map(Header::inputs).collect();
        let reads = |names: &[&str]| names.iter().any(|name| inputs.contains(*name));
        let side = SIDES.iter().zip(&board.around).find(|(side, grid)| !grid.is_empty() && !reads(&[side]));
        let sign = board.signs.iter().next().filter(|_| !reads(&["sign", "part"]));
        let (unread, location) = match (side, sign) {
            _ if inputs.is_empty() => return Ok(()),
            (Some((side, grid)), _) => {
                let location = grid.keys().next().map(|&place| ClueLocation::Named((*side).to_owned(), place));
                (format!("clues `{side}`"), location)
            }
            (None, Some((&cell @ (row, column), sign))) => {
                (format!("`{sign}` in row {row}, column {column}"), Some(ClueLocation::Cell(cell)))
            }
            _ if !board.walls.is_empty() && !reads(&["wall", "area"]) => ("borders between cells".to_owned(), None),
            _ => return Ok(()),
        };
        let inputs = inputs.into_iter().collect::<Vec<_>>().join(", ");
        let text = format!("the board has {unread}; {} reads only {inputs}", self.definition.about.name);
        Err(board_error(document, text, location.and_then(|location| places.get(&location).cloned())))
    }

    /// Checks the words of a line in the board's header that belongs to variants. A line `variant`
    /// has names of variants. Any other line lists cells, after a number or `?` if the variant has
    /// a value.
    fn check_variant_line(self, board: &GridBoard, name: &str, words: &[board::Clue]) -> Result<(), String> {
        if name == "variant" {
            let known: Vec<&str> = self.definition.variants.iter().flat_map(Variant::names).collect();
            let stranger = words.iter().map(board::Clue::to_string).find(|word| !known.contains(&word.as_str()));
            return stranger.map_or(Ok(()), |word| {
                let suggestion = words::did_you_mean(&word, known.iter().copied());
                Err(format!(
                    "{} has no variant {word}{suggestion}; its variants are {}",
                    self.definition.about.name,
                    known.join(", ")
                ))
            });
        }
        let mut lines = self.definition.variants.iter().flat_map(|variant| variant.header.lines("Input"));
        if !lines.clone().any(|line| line.starts_with(&format!("{name}("))) {
            return Ok(());
        }
        let has_value = lines.any(|line| line.starts_with(&format!("{name}(L,1,S)")));
        let (value, cells) = words.split_at(usize::from(has_value).min(words.len()));
        let mut listed = BTreeSet::new();
        let text = || format!("{name} {}", words.iter().map(board::Clue::to_string).collect::<Vec<_>>().join(" "));
        match value {
            [] | [board::Clue::Number(_)] => {}
            [sign] if sign.to_string() == "?" => {}
            [other] => return Err(format!("`{other}` in `{}`: expected a number or ?, then cells", text())),
            _ => unreachable!("one value at most"),
        }
        for word in cells {
            let Some((row, column)) = word.cell() else {
                return Err(format!("`{word}` in `{}`: expected a cell such as r1c2", text()));
            };
            if !(1..=board.rows).contains(&row) || !(1..=board.columns).contains(&column) {
                return Err(format!(
                    "`{word}` in `{}` is not on the board of {}",
                    text(),
                    words::size(board.rows, board.columns)
                ));
            }
            if !listed.insert((row, column)) {
                return Err(format!("`{word}` occurs twice in `{}`", text()));
            }
        }
        if listed.is_empty() { Err(format!("`{}` has no cells, such as r1c2", text())) } else { Ok(()) }
    }

    /// Checks that the board is a square if rows and columns have the same variable in the header's
    /// `Input`.
    fn check_size(self, rows: usize, columns: usize) -> Result<(), String> {
        let variable = |name: &str| {
            let mut lines = self.definition.header.lines("Input").iter().filter_map(|line| line.strip_prefix(name));
            lines.find_map(|line| line.split_once(')')).map(|(variable, _)| variable)
        };
        match variable("rows(") {
            Some(side) if rows != columns && variable("columns(") == Some(side) => {
                Err(format!("{}; a board of {} is a square", words::size(rows, columns), self.definition.about.name))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if clingo must project answers to the shown atoms, so that each solution counts
    /// once. Programs that minimise are not projected.
    fn projects_answers(self, program: &asp::Program) -> bool {
        let minimises = |document: &Document| syntax::minimises(&document.text);
        !self.definition.is_program && !program.encoding.iter().chain(&program.instance).any(minimises)
    }
}

/// Creates an error about a board, at the range of the wrong clue if it is known.
fn board_error(document: &Document, text: String, range: Option<Range<usize>>) -> Failure {
    match range {
        Some(range) => {
            let place = Place::of_range(&document.name, &document.text, range);
            Diagnostic::error(Code::InvalidInstance, text).at(Some(place)).into()
        }
        None => Diagnostic::error(Code::InvalidInstance, format!("{}: {text}", document.name)).into(),
    }
}

/// Returns true if `signs`, a list such as `"#", "A".."Z"`, contains `sign`.
fn lists_sign(signs: &str, sign: char) -> bool {
    let end = |text: &str| text.trim().trim_matches('"').chars().next();
    let ends = signs.split(',').map(|known| known.split_once("..").unwrap_or((known, known)));
    ends.map(|(first, last)| end(first)..=end(last)).any(|known| known.contains(&Some(sign)))
}

/// Returns true if a text is nothing but a link, a game id or a square of numbers.
pub fn is_link_or_id(text: &str) -> bool {
    let is_square =
        || square::read(&Document::in_memory("", text)).is_some_and(|(board, _)| square::is_unmistakable(&board));
    link::link_type(text).is_some()
        || game_id::looks_like(text)
        || editors::read(text).is_some_and(|drawn| drawn.is_ok())
        || is_square()
}

/// Returns true if a text is a logic program rather than a board.
pub fn is_program(document: &Document) -> bool {
    let is_board = || !document.name.ends_with(".lp") && GridBoard::looks_like(document);
    syntax::looks_like_a_program(&document.text) && !is_board()
}

/// Returns true if a logic program uses the facts of text boards.
pub fn reads_boards(document: &Document) -> bool {
    is_program(document) && syntax::uses_any(&document.text, &["sign", "part", "rows", "columns", "wall", "area"])
}

/// Returns the files under `Goes with` in a program's header, relative to the folder of puzzles.
pub fn goes_with(document: &Document) -> Vec<String> {
    Header::of("", &document.text).goes_with()
}

/// Returns true if a logic program draws its answers.
pub fn draws(document: &Document) -> bool {
    document.text.contains("draw") && syntax::uses(&document.text, "draw")
}

/// Returns the name of the puzzle that a text states: in a line, in a fact, or as the type of a
/// link.
pub fn puzzle_name_in(document: &Document) -> Option<String> {
    if let Some(Ok(drawn)) = editors::read(&document.text) {
        let names = || drawn.names.iter().map(|name| normalised(name));
        return names().find(|name| find_puzzle(name).is_some()).or_else(|| names().next());
    }
    if let Some(kind) = link::link_type(&document.text) {
        return Some(kind.to_owned());
    }
    if let Some(Ok(saved)) = SavedGame::read(&document.text) {
        // Minesweeper is implemented in Rust.
        if saved.game == "mines" {
            return None;
        }
        // The parameters distinguish puzzles that share a game.
        let name = saved.game_with_parameters();
        let entry = pencil_entries().find(|entry| entry.has_alias(&name));
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
        // A fact `puzzle` alone is not enough: a board in facts also has a size, a start, or an
        // input of its puzzle.
        let facts = find_puzzle(name).map_or(&[][..], |entry| entry.about().facts);
        let given = ["rows", "start"].into_iter().chain(facts.iter().copied().filter(|fact| *fact != "puzzle"));
        return syntax::uses_any(&document.text, &given.collect::<Vec<_>>()).then(|| name.to_owned());
    }
    let mut lines = document.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%'));
    lines
        .find_map(|line| line.strip_prefix("puzzle").filter(|rest| rest.starts_with(char::is_whitespace)))
        .map(|name| name.trim().to_ascii_lowercase())
        .or_else(|| Some(title_line(&document.text).filter(|(name, _)| find_puzzle(name).is_some())?.0))
}

/// Reduces a name to lower-case letters and digits: `Star Battle` becomes `starbattle`.
pub fn normalised(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// Shortens a text that may be too long for a message.
fn abbreviated(name: &str) -> &str {
    &name[..name.floor_char_boundary(60)]
}

/// Finds the logic puzzle with this name or alias.
pub fn find_puzzle(name: &str) -> Option<&'static dyn AnyPuzzle> {
    // The aliases of a puzzle are only known after its file is parsed, so try them last.
    pencil_entries().find(|entry| entry.name() == name).or_else(|| pencil_entries().find(|entry| entry.has_alias(name)))
}

fn pencil_entries() -> impl Iterator<Item = &'static dyn AnyPuzzle> {
    super::all().iter().copied().filter(|entry| !super::is_written_in_rust(entry.name()))
}

/// Returns the first line of a text as a normalised name, and the offset of the line, if it can be
/// the name of a puzzle: it has only letters, does not begin with the word `puzzle`, and is not the
/// only line.
pub fn title_line(text: &str) -> Option<(String, usize)> {
    const MAX_LENGTH: usize = 30;
    let mut lines = text::lines(text).filter(|line| !line.text.trim().is_empty());
    let line = lines.next().filter(|line| line.text.len() <= MAX_LENGTH)?;
    let words = line.text.trim().trim_end_matches([':', '.']);
    let fits = |sign: char| sign.is_ascii_alphabetic() || sign == ' ' || sign == '-';
    let name = normalised(words);
    let is_alone = words.chars().all(fits) && words.split_whitespace().next() != Some("puzzle");
    (is_alone && name.len() > 2 && lines.next().is_some()).then_some((name, line.offset))
}

impl Puzzle for LogicPuzzle {
    type Options = LogicOptions;
    type Engine = Engine;
    type Board = PuzzleBoard;
    type Answer = Answer;
    type Proof = LogicProof;

    fn about(&self) -> About {
        self.definition.about
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_any_program(&self) -> bool {
        self.name == PROGRAM
    }

    /// Also accepts the puzzle's title, the types of its links, and its name in sgt-puzzles.
    fn has_alias(&self, name: &str) -> bool {
        let header = &self.definition.header;
        name == self.name
            || name == normalised(&header.title)
            || header.paragraph("Link").is_some_and(|text| Link::names_in(&text).any(|known| known == name))
            || self.is_game_name(name)
    }

    /// Returns true for puzzles on squares of numbers, and for those with characteristic signs.
    fn recognises_unnamed(&self) -> bool {
        ["Plain", "Known by", "Line"].iter().any(|head| !self.definition.header.lines(head).is_empty())
    }

    fn recognise(&self, document: &Document) -> Role {
        if self.definition.is_program {
            // Any text is a program, and clingo reports its errors, unless it is empty or in a
            // notation of other puzzles.
            let is_program = document.notation() == Notation::Program && !syntax::is_blank(&document.text);
            return if is_program { Role::Program } else { Role::Neither };
        }
        let about = &self.definition.about;
        let files = about.encodings.iter().flat_map(|encoding| encoding.files);
        match puzzle_name_in(document) {
            Some(kind) if Puzzle::has_alias(self, &kind) => Role::Instance,
            None if is_program(document) && files.into_iter().any(|file| file.is_written_in(document)) => {
                Role::Encoding
            }
            None if self.read_square(document).is_some_and(|(board, _)| square::is_unmistakable(&board)) => {
                Role::Instance
            }
            None if self.is_recognised_by_signs(document) || self.is_recognised_by_line(document) => Role::Instance,
            _ => Role::Neither,
        }
    }

    fn similarity(&self, document: &Document) -> f64 {
        f64::from(u8::from(self.is_plain_square() && square::is_nearly_a_square(&document.text)))
    }

    fn programs(&self, documents: &[Document]) -> Vec<Document> {
        documents.iter().filter(|document| is_program(document)).cloned().collect()
    }

    fn required_encodings(&self, documents: &[Document]) -> Vec<&'static str> {
        let mut mentioned = BTreeSet::new();
        for document in documents.iter().filter(|_| !self.definition.variants.is_empty()) {
            match self.read_board(document) {
                Ok(Some((board, _))) => {
                    mentioned.extend(board.header.iter().map(|(name, _)| name.clone()).chain(board.grids.into_keys()));
                    let named = board.header.into_iter().filter(|(name, _)| name == "variant");
                    mentioned.extend(named.flat_map(|(_, words)| words).map(|word| word.to_string()));
                }
                Ok(None) => {
                    let facts = syntax::statements(&document.text).into_iter().filter(|statement| statement.is_fact);
                    for (fact, name) in
                        facts.filter_map(|fact| Some((document.text[fact.range].to_owned(), fact.head?.0)))
                    {
                        mentioned.extend(
                            fact.split('"').skip(1).step_by(2).filter(|_| name == "variant").map(str::to_owned),
                        );
                        mentioned.insert(name.to_owned());
                    }
                }
                // Errors are reported when the board is read to be solved.
                Err(_) => {}
            }
        }
        mentioned.remove("variant");
        let own_inputs = self.definition.header.inputs();
        let is_mentioned = |variant: &&Variant| {
            variant.names().any(|name| mentioned.contains(name))
                || variant.header.inputs().iter().any(|input| mentioned.contains(input) && !own_inputs.contains(input))
        };
        self.definition.variants.iter().filter(is_mentioned).map(|variant| variant.name).collect()
    }

    fn parse(&self, job: &Job) -> Result<PuzzleBoard, Failure> {
        let mut instance = Vec::new();
        let mut grid = None;
        for document in &job.documents {
            let Some((board, places)) = self.read_board(document)? else {
                instance.push(document.clone());
                continue;
            };
            if grid.is_some() {
                let text = format!("{}: expected one board, found a second one", document.name);
                return Err(Diagnostic::error(Code::InvalidInstance, text).into());
            }
            self.check_board(&board, &places, document, &job.encodings)?;
            // Custom rules may read any input.
            if job.rules.has_builtin_name() {
                self.check_no_unread_input(&board, &places, document)?;
            }
            instance.push(Document::in_memory(document.name.clone(), board.facts()));
            grid = Some(board);
        }
        let encoding = job.encodings.clone();
        let program = asp::Program { instance, encoding, ..asp::Program::default() };
        let wants_picture = matches!(job.show, Show::Pictures | Show::Page);
        let is_drawn = wants_picture || !job.draw.is_empty() || program.documents().any(draws);
        Ok(PuzzleBoard { grid, is_drawn, is_of_puzzle: !self.definition.is_program, ..PuzzleBoard::from(program) })
    }

    /// Returns warnings about ignored parts of links and saved games.
    fn warnings(&self, job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        let mut warnings = Vec::new();
        for document in &job.documents {
            if link::link_type(&document.text).is_some() {
                warnings.extend(self.links()?.and_then(|link| link.read_with_warning(document).ok()?.1));
            }
            let Some(saved) = SavedGame::of(document)? else { continue };
            let unread = saved.marks(self.definition.header.lines("Marks")).unread;
            if !unread.is_empty() {
                let letters = unread.iter().map(|letters| abbreviated(letters)).collect::<Vec<_>>().join("`, `");
                let text =
                    format!("{}: moves of this saved game are ignored: `{letters}`", abbreviated(&document.name));
                warnings.push(Diagnostic::warning(Code::InvalidInstance, text));
            }
        }
        Ok(warnings)
    }

    fn solve(
        &self,
        board: &PuzzleBoard,
        _engine: Engine,
        job: &Job,
        sink: AnswerSink<'_, Answer>,
    ) -> Result<SearchEnd<LogicProof>, Failure> {
        if self.lacks_rules(job) {
            let mut solver = asp::Solver::with_program(&board.program, &job.settings, &job.stop)?;
            let facts = fact_atoms(&mut solver)?;
            let (given, warnings) = board.drawing_of(&facts, &facts, job, self.definition.about.name)?;
            let proof = LogicProof { facts_drawing: given, ..LogicProof::default() };
            return Ok(SearchEnd { proof, warnings, ..SearchEnd::gave_up(StopReason::NoRules) });
        }
        let mut settings = job.settings.clone();
        settings.models = job.models.or(self.is_playable(job).then_some(MAX_PAGE_SOLUTIONS));
        if self.projects_answers(&board.program) {
            settings.options.push("--project=show".to_owned());
        }
        let instance = self.batch_instance(board, job, &settings);
        if let Some((instance, max_solutions)) = &instance
            && let Some(shared) = instance.shared()?
            && let Some(ending) = self.solve_shared(board, job, (shared, instance, *max_solutions), &mut *sink)?
        {
            return Ok(ending);
        }
        // Boards that could share a ground program search for one solution more than requested even
        // if they are solved alone, so that results do not depend on earlier boards.
        let max_solutions = instance
            .as_ref()
            .map(|(_, max_solutions)| *max_solutions)
            .filter(|_| !job.asks_unique && settings.models != Some(0));
        settings.models = max_solutions.map(|max_solutions| max_solutions + 1).or(settings.models);
        let solver_settings = if self.definition.is_program {
            program::single_shot_settings(&settings, &board.program, job)
        } else {
            settings.clone()
        };
        let began = Instant::now();
        let mut solver = asp::Solver::new(&solver_settings, &job.stop)?;
        let question = solver.solve_mode()?;
        let ground = solver.control().observe()?;
        let ground = board.ground.get_or_init(|| ground);
        let is_answer = question.mode == ReasoningMode::AnswerSets;
        let sources = board.program.encoding.iter().chain(&board.program.instance).chain(&job.draw);
        let source_names = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let mut seen = ModelStats::default();
        let mut last_model = None;
        let mut given = Drawing::default();
        let mut failure_in_model = None;
        let mut warnings = Vec::<Diagnostic>::new();
        let mut num_reported = 0;
        let mut optimal = 0;
        // For programs in steps: the current step, and the number of answers of earlier steps.
        let mut step = 0;
        let mut earlier = 0;
        // An atom `draw` of a custom program need not be a drawing, so errors are warnings unless
        // drawings were requested.
        let is_drawing_required = !self.definition.is_program || !job.draw.is_empty() || job.show != Show::Answers;
        let is_drawn = job.show != Show::Verdict || !job.rules.has_builtin_name() || !job.draw.is_empty();
        let drawing_of = |shown: &[Symbol], all: &[Symbol]| {
            if !is_drawn {
                return Ok((Drawing::default(), Vec::new()));
            }
            match board.drawing_of(shown, all, job, &source_names) {
                Err(failure) if !is_drawing_required => {
                    let as_warning = |error: Diagnostic| Diagnostic { severity: Severity::Warning, ..error };
                    Ok((Drawing::default(), failure.0.into_iter().map(as_warning).collect()))
                }
                drawing => drawing,
            }
        };
        let grounded = |solver: &mut asp::Solver| {
            let facts = fact_atoms(solver)?;
            (given, _) = drawing_of(&facts, &facts)?;
            Ok(())
        };
        let mut with_drawing = |answer: Answer, all: &[Symbol]| -> Result<Answer, Failure> {
            let (drawing, new_warnings) = drawing_of(&answer.atoms, all)?;
            for warning in new_warnings {
                if warnings.len() < MAX_WARNINGS && !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            Ok(Answer { drawing, ..answer })
        };
        let mut certifying = CertificateRecorder::start(job, &mut solver, !self.definition.is_program)?;
        let mut handle_model = |model: &mut asp::Model<'_>, number: u32| -> Result<ControlFlow<()>, Failure> {
            if max_solutions == Some(num_reported) {
                return Ok(ControlFlow::Break(()));
            }
            if let Some(certifying) = &mut certifying {
                certifying.record_answer(model, number);
            }
            if std::mem::replace(&mut step, number) != number {
                (seen, optimal, earlier) = (ModelStats::default(), 0, num_reported);
            }
            let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
            let all: Vec<Symbol> = model.atoms()?.collect();
            let (costs, is_optimal) = (model.costs()?, model.optimality_proven()?);
            seen = ModelStats {
                found: seen.found + 1,
                has_costs: !costs.is_empty(),
                is_optimal: is_optimal && !costs.is_empty(),
            };
            let ground = || ground.lock().unwrap_or_else(PoisonError::into_inner);
            let true_atoms = is_answer.then(|| ground().true_atoms(model)).transpose()?;
            let drawing = Drawing::default();
            let answer = Answer { atoms, costs, is_optimal: seen.is_optimal, drawing, true_atoms };
            // Intermediate models of an optimisation, or of consequences, are not answers yet.
            let minimises = seen.has_costs && matches!(question.optimisation, Optimisation::One | Optimisation::All);
            if is_answer && (seen.is_optimal || !minimises) {
                last_model = None;
                num_reported += 1;
                optimal += u64::from(seen.is_optimal);
                return sink(with_drawing(answer, &all)?);
            }
            last_model = Some((answer, all));
            Ok(ControlFlow::Continue(()))
        };
        let skips_lints = job.is_batch || job.rules.has_builtin_name();
        let lints =
            if skips_lints { Lints::default() } else { Lints::of(&board.program, &job.included, &settings, &job.stop) };
        let searched = program::search(
            &mut solver,
            &board.program,
            lints,
            job,
            grounded,
            || (),
            |model, number| {
                handle_model(model, number).unwrap_or_else(|failure| {
                    failure_in_model = Some(failure);
                    ControlFlow::Break(())
                })
            },
        )?;
        if let Some(failure) = failure_in_model {
            return Err(failure);
        }
        let ProgramSearch { status: mut summary, warnings: new_warnings, steps, statistics } = searched;
        let is_last_step_empty = step + 1 < steps;
        if is_last_step_empty {
            (seen, optimal) = (ModelStats::default(), 0);
        }
        // All requested answers were found, so this is not an interruption.
        summary.is_stopped &= max_solutions != Some(num_reported);
        if let Some((instance, _)) = instance {
            instance.observe(ground.lock().unwrap_or_else(PoisonError::into_inner).rules.len());
        }
        let kind = closing::Proven::of(question, summary, seen);
        if let Some((last, all)) = last_model {
            num_reported += 1;
            let _ = sink(Answer { is_optimal: kind == closing::Proven::Optimum, ..with_drawing(last, &all)? })?;
        }
        warnings.extend(new_warnings);
        let (verdict, complete) = program::verdict_of(kind, summary, num_reported, &job.stop);
        let is_explained = verdict == Verdict::Impossible && !job.is_batch && job.show != Show::Verdict;
        let cause = if is_explained {
            UnsolvableCause::of_program(&self.source(board, job)?, &settings, began, &job.stop)
        } else {
            None
        };
        let certificate = certifying.map(|certifying| certifying.finish(kind)).transpose()?.flatten();
        let earlier = if is_last_step_empty { num_reported } else { earlier };
        let num_answers = num_reported - earlier;
        let proof = LogicProof {
            question,
            summary,
            seen,
            facts_drawing: given,
            cause,
            certificate,
            num_answers,
            optimal,
            earlier,
            steps,
        };
        Ok(SearchEnd { verdict, complete, proof, statistics, warnings })
    }

    /// Checks that the answer is an answer set of the ground program. There is no other definition
    /// of the puzzle to check it against.
    fn check_answer(&self, board: &PuzzleBoard, answer: &Answer) -> Result<(), String> {
        let (Some(ground), Some(true_atoms)) = (board.ground.get(), &answer.true_atoms) else { return Ok(()) };
        let ground = ground.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = asp::check_answer(&ground, |atom| true_atoms.contains(&atom), &answer.costs);
        checked.map(|_| ()).map_err(|flaw| flaw.to_string())
    }

    /// Checks that the program has an answer that shows exactly these atoms.
    fn check_external(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        answer: &Answer,
    ) -> Result<Result<(), String>, Failure> {
        let constraints: String =
            answer.atoms.iter().map(|&atom| format!(":- not {}.\n", asp::to_text(atom))).collect();
        let mut program = board.program.clone();
        program.additions.push(Document::in_memory("<answer>", constraints));
        let job = Job { models: Some(0), ..job.clone() };
        let solved = Run::with_board(*self, Arc::new(PuzzleBoard::from(program)), job)?.solve()?;
        let has_answer = solved.answers().iter().any(|other| other.atoms == answer.atoms);
        Ok(has_answer
            .then_some(())
            .ok_or_else(|| format!("no {} shows exactly these atoms", self.noun(1).to_lowercase())))
    }

    fn checks_any_rules(&self) -> bool {
        true
    }

    /// Checks that no two solutions of a puzzle show the same atoms.
    fn verify_claims(&self, known: &RunResult<Self>) -> Result<(), String> {
        match known.answers.windows(2).find(|pair| pair[0].atoms == pair[1].atoms) {
            Some(_) if !self.definition.is_program => Err("two solutions are equal".to_owned()),
            _ => Ok(()),
        }
    }

    /// Drops the data that is only needed for checking the answer, or that the format does not use.
    fn for_output(&self, answer: Answer, job: &Job) -> Answer {
        let drawing = if job.format == Format::Lines { Drawing::default() } else { answer.drawing };
        Answer { true_atoms: None, drawing, ..answer }
    }

    fn streams_answers(&self, board: &PuzzleBoard, job: &Job) -> bool {
        self.definition.is_program && (!board.is_drawn || job.format == Format::Lines)
    }

    fn title(&self, job: &Job) -> String {
        if self.definition.is_program {
            document_names(&job.documents).join(", ")
        } else {
            self.definition.about.name.to_owned()
        }
    }

    fn sort(&self, answers: &mut [Answer]) {
        answers.sort_by(|one, other| one.atoms.cmp(&other.atoms));
    }

    fn program(&self, board: &PuzzleBoard, _: &Job) -> Result<asp::Program, Failure> {
        Ok(board.program.clone())
    }

    fn cause<'a>(&self, known: &'a RunResult<Self>) -> Option<&'a UnsolvableCause> {
        known.proof().cause.as_ref()
    }

    fn certificate<'a>(&self, known: &'a RunResult<Self>) -> Option<&'a Certification> {
        known.proof().certificate.as_ref()
    }

    fn source(&self, board: &PuzzleBoard, job: &Job) -> Result<ExplainInput, Failure> {
        let program = self.program(board, job)?;
        let boards = self.located_clues(&job.documents)?;
        // In a custom program, predicates such as `rows` or `wall` may have any meaning.
        if self.definition.is_program {
            return Ok(ExplainInput { program, boards, ..ExplainInput::default() });
        }
        let shape = board::SHAPE_PREDICATES.map(|(name, arity)| asp::Signature::new(name, arity)).to_vec();
        Ok(ExplainInput { program, boards, shape, clues: Some(board::clue_of_each_fact) })
    }

    fn why(
        &self,
        board: &Arc<PuzzleBoard>,
        job: &Job,
        question: &ExplainQuery,
    ) -> Result<Option<Explanation>, Failure> {
        if self.lacks_rules(job) {
            let json = json!({"schema": 1, "verdict": "gave-up"});
            let gave_up = Explanation::of(Verdict::GaveUp(StopReason::NoRules));
            return Ok(Some(Explanation { text: format!("{NO_RULES}\n"), json, ..gave_up }));
        }
        if !matches!(question.kind, QueryKind::Rating { .. }) {
            return Ok(None);
        }
        let mut program = self.program(board, job)?;
        if let Some(grid) = board.grid.as_ref().filter(|_| job.documents.len() == 1) {
            let plain = grid.facts();
            if let Some(of_board) = program.instance.iter_mut().find(|document| *document.text == *plain) {
                *of_board = Document::in_memory(of_board.name.clone(), self.facts_to_rate(grid, &job.rules));
            }
        }
        why::explain(&program.into(), question, job).map(Some)
    }

    fn json(&self, _: &PuzzleBoard, answer: &Answer) -> Value {
        let atoms: Vec<String> = answer.atoms.iter().map(|&atom| asp::to_text(atom)).collect();
        let mut object = json!({ "atoms": atoms });
        if self.definition.is_program || !answer.costs.is_empty() {
            object["costs"] = json!(answer.costs);
            object["optimal"] = json!(answer.is_optimal);
        }
        if let Some(grid) = answer.drawing.grid() {
            object["grid"] = json!(grid);
        }
        object
    }

    fn table(&self, _: &PuzzleBoard, answers: &[Answer]) -> Table {
        let row = |answer: &Answer| vec![atoms_text(answer)];
        Table {
            columns: vec!["answer".to_owned()],
            rows: answers.iter().map(row).enumerate().collect(),
            ..Table::default()
        }
    }

    /// Lists the solutions of a puzzle by number, without their atoms.
    fn page_table(&self, board: &PuzzleBoard, answers: &[Answer]) -> Table {
        if self.definition.is_program {
            return self.table(board, answers);
        }
        let row = |number: usize| (number, vec![format!("{} {}", self.noun(1), number + 1)]);
        Table {
            columns: vec![self.noun(2).to_owned()],
            rows: (0..answers.len()).map(row).collect(),
            ..Table::default()
        }
    }

    fn playable_page(&self, known: &RunResult<Self>) -> Result<Option<Value>, Failure> {
        let RunResult { board, answers, job, complete, .. } = known;
        let have_costs = answers.iter().any(|answer| !answer.costs.is_empty());
        if !self.is_playable(job) || answers.is_empty() || have_costs {
            return Ok(None);
        }
        let atoms = answers.iter().map(|answer| answer.atoms.as_slice()).collect();
        let solutions = Solutions { atoms, are_all: *complete };
        let title = self.definition.header.title.trim();
        match play::playable_page(&self.source(board, job)?, title, &job.settings, &job.stop, &solutions) {
            Err(_) if job.stop.requested().is_some() => Ok(None),
            page => page,
        }
    }

    fn text(&self, known: &RunResult<Self>, style: &Style) -> String {
        let bold = anstyle::Style::new().bold();
        let mut page = String::new();
        if known.verdict == Verdict::GaveUp(StopReason::NoRules) {
            let drawing = if style.quiet { String::new() } else { known.proof().facts_drawing.text(style) };
            return format!("{}\n{drawing}", style.paint(bold, NO_RULES));
        }
        if !known.job.asks_unique {
            page += &style.paint(bold, &self.summary(known));
            page.push('\n');
        }
        if style.quiet {
            return page;
        }
        page += &known.proof().cause.as_ref().map_or(String::new(), UnsolvableCause::lines);
        let deadline = known.job.stop.output_grace();
        for (number, answer) in known.answers.iter().enumerate() {
            if let Some(reason) = deadline.check_truncated() {
                let noun = self.noun(1).to_lowercase();
                let more = count(
                    (known.answers.len() - number) as u64,
                    &format!("more {noun} was found, but"),
                    &format!("more {} were found, but", self.noun(2)),
                );
                page += &format!("… and {more} not written: {}.\n", reason.words());
                break;
            }
            let drawing = drawing_to_show(known, answer);
            if known.answers.len() > 1 {
                page += &format!("\n{}\n", style.paint(bold, &format!("{} {}", self.noun(1), number + 1)));
            }
            if !drawing.has_grid() || self.definition.is_program || style.verbose {
                page += &format!("  {}\n", atoms_text(answer));
            }
            page += &drawing.text(style);
            if !answer.costs.is_empty() {
                let best = if answer.is_optimal { ", proven optimal" } else { "" };
                page += &format!("  cost {}{best}\n", numbers(&answer.costs, ", "));
            }
        }
        page
    }

    fn draw(&self, known: &RunResult<Self>, answer: Option<&Answer>) -> Result<Option<Picture>, Failure> {
        let title = format!("{}: {}", self.definition.about.name, self.summary(known));
        let drawing =
            answer.map_or(Cow::Borrowed(&known.proof().facts_drawing), |answer| drawing_to_show(known, answer));
        Ok((!drawing.is_empty()).then(|| drawing.picture(&title, &known.job.stop)))
    }

    fn graph(&self, _: &PuzzleBoard, answer: Option<&Answer>) -> Option<Graph> {
        answer.and_then(|answer| answer.drawing.graph(self.definition.about.name))
    }

    /// A single answer with a cost proves nothing about uniqueness: solutions with a higher cost
    /// were not searched for.
    fn uniqueness(&self, known: &RunResult<Self>) -> Uniqueness {
        let has_costs = known.answers.iter().any(|answer| !answer.costs.is_empty());
        match known.uniqueness_of(known.answers.len() as u64) {
            Uniqueness::One if has_costs => Uniqueness::Unknown,
            // `answers` includes those of earlier steps.
            Uniqueness::One | Uniqueness::NotOne if known.proof().earlier > 0 => Uniqueness::Unknown,
            uniqueness => uniqueness,
        }
    }

    /// Offers `generate` if the header has a paragraph `Clues` that does not begin with `none`.
    fn tools(&self) -> &'static [&'static dyn Tool] {
        let clues = self.definition.header.paragraph("Clues").filter(|clues| !clues.starts_with("none"));
        clues.map_or(&[], |_| self.own_tool(|| Box::leak(Box::new(generate::GeneratePuzzle(*self)))))
    }

    fn link(&self, board: &PuzzleBoard) -> Result<Option<String>, Failure> {
        let Some(link) = self.links()? else { return Ok(None) };
        let of_facts;
        let grid = match &board.grid {
            Some(grid) => grid,
            None => {
                let instance = asp::Program { instance: board.program.instance.clone(), ..asp::Program::default() };
                let mut solver = asp::Solver::with_program(&instance, &asp::Settings::default(), &Default::default())?;
                of_facts = GridBoard::of_facts(&fact_atoms(&mut solver)?)
                    .map_err(|error| Diagnostic::error(Code::InvalidInstance, error))?;
                &of_facts
            }
        };
        link.write(grid).map(|link| Some(link + "\n"))
    }
}

impl LogicPuzzle {
    /// Returns the board as an instance that may share its ground program with others of a batch,
    /// and the number of solutions requested. Returns `None` if it must be solved alone.
    fn batch_instance(self, board: &PuzzleBoard, job: &Job, settings: &asp::Settings) -> Option<(BatchInstance, u64)> {
        /// All solutions are stored until the search ends.
        const MAX_SOLUTIONS: u64 = 100;
        let grid = board.grid.as_ref().filter(|_| job.is_batch && job.documents.len() == 1)?;
        let has_options = !job.settings.options.is_empty() || settings.check || settings.threads.is_some();
        let is_certified = job.certify.is_requested() || job.asks_unique && job.certify != CertifyMode::No;
        let has_other_output = is_certified || job.stats || !job.draw.is_empty();
        if has_options
            || has_other_output
            || !self.projects_answers(&board.program)
            || board.program.documents().any(asp::is_incremental)
        {
            return None;
        }
        let max_solutions = match settings.models {
            _ if job.asks_unique => 1,
            Some(0) => MAX_SOLUTIONS,
            models => models.unwrap_or(1),
        };
        let settings = asp::Settings { models: Some(max_solutions + 1), ..settings.clone() };
        (max_solutions <= MAX_SOLUTIONS)
            .then(|| Some((BatchInstance::of(grid, &board.program.encoding, &settings)?, max_solutions)))
            .flatten()
    }

    /// Solves a board with a shared ground program. Returns `None` if its answers could depend on
    /// earlier boards, so that it must be solved alone.
    fn solve_shared(
        self,
        board: &PuzzleBoard,
        job: &Job,
        (shared, instance, max_solutions): (Box<SharedProgram>, &BatchInstance, u64),
        sink: AnswerSink<'_, Answer>,
    ) -> Result<Option<SearchEnd<LogicProof>>, Failure> {
        let question = shared.solve_mode()?;
        let ground = shared.ground.clone();
        let sources = board.program.encoding.iter().chain(&board.program.instance);
        let source_names = sources.map(|document| document.name.as_str()).collect::<Vec<_>>().join(", ");
        let mut answers = Vec::new();
        let mut warnings = Vec::new();
        let mut failure_in_model = None;
        let mut answer_of = |model: &mut asp::Model<'_>| -> Result<Answer, Failure> {
            let atoms: Vec<Symbol> = model.shown(Order::Sorted)?.collect();
            let all: Vec<Symbol> = model.atoms()?.collect();
            let true_atoms = ground.lock().unwrap_or_else(PoisonError::into_inner).true_atoms(model)?;
            let (drawing, new_warnings) = board.drawing_of(&atoms, &all, job, &source_names)?;
            warnings.extend(new_warnings);
            Ok(Answer { atoms, costs: Vec::new(), is_optimal: false, drawing, true_atoms: Some(true_atoms) })
        };
        let solved = shared.solve(instance, &job.stop, |model| match answer_of(model) {
            Ok(answer) => {
                answers.push(answer);
                ControlFlow::Continue(())
            }
            Err(failure) => {
                failure_in_model = Some(failure);
                ControlFlow::Break(())
            }
        })?;
        failure_in_model.map_or(Ok(()), Err)?;
        let Some(asp::SolveResult { satisfiable, exhausted, .. }) =
            solved.filter(|_| answers.len() as u64 <= max_solutions)
        else {
            return Ok(None);
        };
        let num_answers = answers.len() as u64;
        let _ = board.ground.set(ground);
        for answer in answers {
            let _ = sink(answer)?;
        }
        let summary = ClingoStatus { satisfiable, exhausted, ..ClingoStatus::default() };
        let seen = ModelStats { found: num_answers, ..ModelStats::default() };
        let kind = closing::Proven::of(question, summary, seen);
        let (verdict, complete) = program::verdict_of(kind, summary, num_answers, &job.stop);
        let proof = LogicProof { question, summary, seen, num_answers, steps: 1, ..LogicProof::default() };
        Ok(Some(SearchEnd { verdict, complete, proof, statistics: json!({}), warnings }))
    }

    fn noun(self, number: usize) -> &'static str {
        match (self.definition.is_program, number) {
            (true, 1) => "Answer",
            (true, _) => "answers",
            (false, 1) => "Solution",
            (false, _) => "solutions",
        }
    }

    /// Returns true if the output is a page on which the board can be played.
    fn is_playable(self, job: &Job) -> bool {
        !self.definition.is_program
            && job.show == Show::Page
            && job.draw.is_empty()
            && job.style.drawn.unwrap_or(0) == 0
    }

    /// Returns the verdict as a sentence.
    fn summary(self, known: &RunResult<Self>) -> String {
        let LogicProof { mut question, summary, seen, num_answers, optimal, earlier, steps, .. } = *known.proof();
        // Solutions of puzzles are always projected to the shown atoms, so this is not mentioned.
        question.is_projected &= self.definition.is_program;
        let noun = self.noun(1).to_lowercase();
        let last = known.answers.last();
        let closing = ClosingLine {
            solve_mode: question,
            status: summary,
            model_stats: seen,
            found: num_answers,
            optimal,
            earlier,
            steps,
            nouns: [&noun, self.noun(2)],
            atoms: last.map_or(0, |answer| answer.atoms.len()),
            costs: last.map_or(&[], |answer| answer.costs.as_slice()),
            verdict: known.verdict,
            rules: &known.job.rules,
            suggests_unique: !self.definition.is_program,
            style: known.job.style,
        };
        let words = || closing.words();
        let certified = known.proof().certificate.as_ref();
        known
            .uniqueness_words()
            .unwrap_or_else(|| certified.map_or_else(words, |certified| certified.describe(&words())))
    }
}

impl PuzzleBoard {
    /// Draws an answer from its shown atoms, or from the atoms that custom drawing rules derive
    /// from it. Also returns warnings.
    fn drawing_of(
        &self,
        shown: &[Symbol],
        all: &[Symbol],
        job: &Job,
        source: &str,
    ) -> Result<(Drawing, Vec<Diagnostic>), Failure> {
        if job.draw.is_empty() {
            return Drawing::with_vocabulary(&job.vocabulary.drawn_atoms(shown, all), source, &job.vocabulary);
        }
        let rules = DrawingRules { documents: &job.draw, constants: &job.settings.constants };
        let hidden = if self.is_of_puzzle { all } else { &[] };
        let DerivedAtoms { atoms, mut warnings } = rules.derive(&[shown, hidden].concat(), &job.stop)?;
        let Some(atoms) = atoms else {
            warnings.extend(job.stop.requested().is_none().then(|| rules.no_answer_set_warning()));
            return Ok((Drawing::default(), warnings));
        };
        let (drawing, new_warnings) = Drawing::with_vocabulary(&atoms, source, &job.vocabulary)?;
        warnings.extend(new_warnings);
        warnings.extend(drawing.is_empty().then(|| rules.empty_warning()));
        Ok((drawing, warnings))
    }
}

/// Returns the drawing of an answer. If uniqueness was requested and there are two answers, the
/// cells in which they differ are marked.
fn drawing_to_show<'a>(known: &RunResult<LogicPuzzle>, answer: &'a Answer) -> Cow<'a, Drawing> {
    match &known.answers[..] {
        [one, other] if known.job.asks_unique => {
            Cow::Owned(answer.drawing.with_marks(&one.drawing.differences(&other.drawing)))
        }
        _ => Cow::Borrowed(&answer.drawing),
    }
}

/// Returns the atoms that clingo has proven to be facts.
fn fact_atoms(solver: &mut asp::Solver) -> Result<Vec<Symbol>, Failure> {
    let known = solver.control().known_atoms()?;
    Ok(known.into_iter().filter(|(_, is_fact)| *is_fact).map(|(atom, _)| atom).collect())
}

fn atoms_text(answer: &Answer) -> String {
    // The drawing shows the `draw` atoms.
    let atoms = answer.atoms.iter().filter(|&&atom| !Drawing::is_draw_atom(atom));
    atoms.map(|&atom| asp::to_text(atom)).collect::<Vec<_>>().join(" ")
}

/// Returns the puzzles of a folder, sorted by name: one for each of `files` in this folder, and the
/// built-in ones that no file overrides.
pub fn puzzles_in_folder(folder: &'static str, files: &[PuzzleFile]) -> Vec<LogicPuzzle> {
    let files: Vec<&PuzzleFile> = files.iter().filter(|file| file.folder == folder && file.name != "step").collect();
    let mut all: Vec<LogicPuzzle> = files.iter().map(|file| file.logic()).collect();
    all.extend(builtin_puzzles(folder, |name| files.iter().any(|file| file.name == name)));
    all.sort_by_key(|logic| logic.name);
    all
}

pub fn entries(files: &[PuzzleFile]) -> Vec<&'static dyn AnyPuzzle> {
    let all = puzzles_in_folder(FOLDER, files).into_iter();
    all.map(|logic| &*Box::leak(Box::new(logic)) as &'static dyn AnyPuzzle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_with_equal_names_and_headers_share_an_entry() {
        const HEADER: &str = "% Mine: rules.\n%\n% Input      rows(R)\n\n";
        let of = |name: &str, text: String| LogicPuzzle::from_document(FOLDER, &Document::in_memory(name, text));
        let first = of("mine.lp", format!("{HEADER}a."));
        let others = (0..1000).map(|number| of("mine.lp", format!("{HEADER}a({number}).")));
        assert!(others.into_iter().all(|other| std::ptr::eq(first, other)));
        assert!(!std::ptr::eq(first, of("other.lp", format!("{HEADER}a."))));
        assert!(!std::ptr::eq(first, of("mine.lp", format!("% Others: rules.\n{HEADER}a."))));
    }
}
