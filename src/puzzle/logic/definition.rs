//! Puzzles that a file defines: reads definitions, and finds puzzles by name.
//!
//! Descriptions of puzzles are static, so definitions are never freed. They are not read twice:
//! equal sets of files share one ([`Catalogue::with_files`]), and so do equal documents
//! ([`LogicPuzzle::from_document`]) and types of links ([`LogicPuzzle::without_rules`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::ptr;
use std::sync::{LazyLock, OnceLock};

use include_dir::Dir;
use parking_lot::Mutex;

use super::builtin::{BUILTIN, FOLDER, FOLDERS, builtin_text, builtin_variants, links_line};
use super::game_id::GameIdFormat;
use super::header::Header;
use super::link::Link;
use super::signs::PuzzleSigns;
use crate::asp;
use crate::diagnostic::{Code, Diagnostic, Failure};
use crate::document::Document;
use crate::job::Job;
use crate::puzzle::rules::{BuiltinFile, Encoding};
use crate::puzzle::{About, InstanceUnit, PuzzleFile, RuleSupport, Tool};
use crate::report::Format;
use crate::words::{self, normalised};

/// The name of the puzzle for any logic program.
const PROGRAM: &str = "program";

/// A puzzle that is defined by its file: a header and rules.
#[derive(Clone, Copy)]
pub struct LogicPuzzle {
    pub(super) definition: &'static LazyDefinition,
    pub(super) name: &'static str,
    /// The puzzles whose names its boards may state.
    pub(super) catalogue: &'static Catalogue,
}

/// A definition that is parsed on first use; most runs need only one.
type LazyDefinition = LazyLock<PuzzleDefinition, Box<dyn FnOnce() -> PuzzleDefinition + Send>>;

pub(super) struct PuzzleDefinition {
    pub(super) about: About,
    pub(super) header: Header,
    /// Optional rules: the files in the folder named after the puzzle.
    pub(super) variants: Vec<Variant>,
    /// True for the puzzle `program`, which runs any logic program and reads no boards.
    pub(super) is_program: bool,
    pub(super) tools: OnceLock<&'static [&'static dyn Tool]>,
}

/// Optional rules that a board or `-e` adds to a puzzle, for example `puzzles/sudoku/killer.lp`.
pub(super) struct Variant {
    pub(super) name: &'static str,
    /// The path of its file, below the folder of encodings.
    pub(super) path: &'static str,
    pub(super) header: Header,
}

/// The puzzles that files define. A file of the user overrides the built-in file of its name.
pub struct Catalogue {
    /// Sorted by folder, in the order of [`FOLDERS`], then by name.
    files: Vec<DefiningFile>,
    puzzles: OnceLock<Vec<LogicPuzzle>>,
}

/// A file that defines a puzzle.
#[derive(Clone, Copy)]
struct DefiningFile {
    folder: &'static str,
    name: &'static str,
    definition: &'static LazyDefinition,
}

impl Catalogue {
    /// The built-in puzzles, including those that a folder of encodings overrides.
    pub fn builtin() -> &'static Catalogue {
        static BUILTIN: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::of(|folder| builtin_files(folder).collect()));
        &BUILTIN
    }

    /// The built-in puzzles and the puzzles of `files`. Catalogues are never freed; calls with equal
    /// files share one.
    pub fn with_files(files: &[PuzzleFile]) -> &'static Catalogue {
        static KNOWN: Mutex<BTreeMap<Vec<PuzzleFile>, &'static Catalogue>> = Mutex::new(BTreeMap::new());
        if files.is_empty() {
            return Catalogue::builtin();
        }
        let in_folder = |folder: &'static str| {
            let own_files: Vec<&PuzzleFile> =
                files.iter().filter(|file| file.folder == folder && file.name != SEMANTICS).collect();
            let builtin = Catalogue::builtin().files.iter().copied().filter(|file| file.folder == folder);
            let builtin = builtin.filter(|file| own_files.iter().all(|own| own.name != file.name));
            let define = |file: &&PuzzleFile| DefiningFile::of(folder, leak(file.name.clone()), file.text.clone());
            builtin.chain(own_files.iter().map(define)).collect()
        };
        let mut known = KNOWN.lock();
        known.entry(files.to_vec()).or_insert_with(|| Box::leak(Box::new(Catalogue::of(in_folder))))
    }

    /// The catalogue of the files that `in_folder` returns for each folder.
    fn of(in_folder: impl Fn(&'static str) -> Vec<DefiningFile>) -> Catalogue {
        let sorted = |folder| {
            let mut files = in_folder(folder);
            files.sort_by_key(|file| file.name);
            files
        };
        Catalogue { files: FOLDERS.into_iter().flat_map(sorted).collect(), puzzles: OnceLock::new() }
    }

    /// All puzzles by folder, sorted by name.
    pub fn puzzles(&'static self) -> &'static [LogicPuzzle] {
        self.puzzles.get_or_init(|| {
            let puzzle =
                |file: &DefiningFile| LogicPuzzle { definition: file.definition, name: file.name, catalogue: self };
            self.files.iter().map(puzzle).collect()
        })
    }

    /// The puzzles of a folder, sorted by name.
    pub fn in_folder(&'static self, folder: &str) -> &'static [LogicPuzzle] {
        let begin = self.files.iter().position(|file| file.folder == folder).unwrap_or(self.files.len());
        let count = self.files[begin..].iter().take_while(|file| file.folder == folder).count();
        &self.puzzles()[begin..begin + count]
    }

    /// Finds the puzzle with this name or alias.
    pub fn find(&'static self, name: &str) -> Option<LogicPuzzle> {
        // The aliases of a puzzle are only known after its file is parsed, so try them last.
        self.puzzles().iter().copied().find(|puzzle| puzzle.name == name).or_else(|| self.find_alias(name))
    }

    /// Finds the first puzzle that a board may name by `name`.
    pub(super) fn find_alias(&'static self, name: &str) -> Option<LogicPuzzle> {
        self.puzzles().iter().copied().find(|puzzle| puzzle.is_named(name))
    }
}

/// The name of the file that defines the meaning of atoms, shared by the puzzles of a folder. It is
/// not a puzzle itself.
const SEMANTICS: &str = "step";

/// Returns the built-in files of a folder that define puzzles.
fn builtin_files(folder: &'static str) -> impl Iterator<Item = DefiningFile> {
    let files = BUILTIN.get_dir(folder).into_iter().flat_map(Dir::files);
    let puzzle_name = |path: &'static Path| path.file_stem()?.to_str().filter(|name| *name != SEMANTICS);
    files.filter_map(move |file| Some(DefiningFile::of(folder, puzzle_name(file.path())?, file.contents_utf8()?)))
}

impl DefiningFile {
    /// The file `name` in `folder`; `text` is its text.
    fn of(folder: &'static str, name: &'static str, text: impl AsRef<str> + Send + 'static) -> DefiningFile {
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
        DefiningFile { folder, name, definition: lazy_definition(define) }
    }
}

fn lazy_definition(define: impl FnOnce() -> PuzzleDefinition + Send + 'static) -> &'static LazyDefinition {
    let define: Box<dyn FnOnce() -> PuzzleDefinition + Send> = Box::new(define);
    Box::leak(Box::new(LazyLock::new(define)))
}

/// Returns the format of links of type `kind`, whether or not its rules are built in.
pub(super) fn link_format(kind: &str) -> Result<Option<Link>, Failure> {
    if let Some(line) = links_line(kind) {
        return Link::parse(line)
            .map(Some)
            .map_err(|error| Diagnostic::error(Code::InvalidLink, format!("{line}: {error}")).into());
    }
    let builtin_links = Catalogue::builtin().in_folder(FOLDER).iter().filter_map(|logic| logic.links().ok()?);
    Ok(builtin_links.into_iter().find(|link| link.names().iter().any(|name| name == kind)))
}

/// Leaks a string. The number of calls for each puzzle is bounded.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
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
            pictures: Box::leak(pictures.into_boxed_slice()),
            rule_support: RuleSupport::CheckOnly,
            // Puzzles on squares of numbers, and those with characteristic signs or lines.
            is_recognised_unnamed: ["Plain", "Known by", "Line"].iter().any(|head| !header.lines(head).is_empty()),
            ..About::default()
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
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
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
        let puzzles = Catalogue::builtin().in_folder(FOLDER);
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

    /// Returns true if a board may name this puzzle by `name`: its name, its title, a type of its
    /// links, or its name in sgt-puzzles.
    pub(super) fn is_named(self, name: &str) -> bool {
        let header = &self.definition.header;
        name == self.name
            || name == normalised(&header.title)
            || header.paragraph("Link").is_some_and(|text| Link::names_in(&text).any(|known| known == name))
            || self.is_game_name(name)
    }

    /// Returns the name of the file that defines the meaning of atoms in a folder, if the folder
    /// has one.
    fn semantics_file(folder: &str) -> Option<String> {
        builtin_text(&format!("{folder}/{SEMANTICS}.lp")).map(|_| format!("{SEMANTICS}.lp"))
    }

    /// Returns files of a folder of puzzles with their built-in texts.
    fn files(folder: &str, names: impl IntoIterator<Item = String>) -> impl Iterator<Item = BuiltinFile> {
        let paths = names.into_iter().map(move |file| leak(format!("{folder}/{file}")));
        paths.map(|path| BuiltinFile { path, text: builtin_text(path).unwrap_or_default() })
    }

    /// Returns the puzzle that a custom file defines. The file need not be in a folder of puzzles.
    /// Puzzles are never freed; documents with the same name and header share one.
    pub fn from_document(
        folder: &'static str,
        document: &Document,
        catalogue: &'static Catalogue,
    ) -> &'static LogicPuzzle {
        /// Keyed by the folder, the name, the header, and the address of the catalogue.
        type KnownPuzzles = HashMap<(&'static str, String, Header, usize), &'static LogicPuzzle>;
        static KNOWN: LazyLock<Mutex<KnownPuzzles>> = LazyLock::new(Mutex::default);
        let name = document.name.as_str();
        let stem = name.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
        let header = Header::of(stem, &document.text);
        let mut puzzles = KNOWN.lock();
        let entry = puzzles.entry((folder, name.to_owned(), header.clone(), ptr::from_ref(catalogue).addr()));
        entry.or_insert_with(|| {
            Box::leak(Box::new(LogicPuzzle::from_new_document(folder, document, stem, header, catalogue)))
        })
    }

    fn from_new_document(
        folder: &'static str,
        document: &Document,
        stem: &str,
        header: Header,
        catalogue: &'static Catalogue,
    ) -> LogicPuzzle {
        // The rules come from the document, but the meaning of a game's atoms is built in.
        let semantics = LogicPuzzle::semantics_file(folder);
        let own_file = semantics.is_none().then(|| BuiltinFile { path: leak(document.name.clone()), text: "" });
        let files =
            own_file.into_iter().chain(LogicPuzzle::files(folder, semantics.into_iter().chain(header.goes_with())));
        let encoding = Encoding { name: leak(stem.to_owned()), files: Box::leak(files.collect()) };
        let definition = lazy_definition(move || PuzzleDefinition::of(header, encoding, Vec::new()));
        LogicPuzzle { definition, name: encoding.name, catalogue }
    }

    /// The puzzle that runs any logic program unchanged.
    pub fn program() -> LogicPuzzle {
        static PUZZLE: OnceLock<LogicPuzzle> = OnceLock::new();
        let define = || PuzzleDefinition {
            about: About {
                name: PROGRAM,
                summary: "any logic program, as the clingo command runs it",
                input: "a logic program that is not another puzzle",
                example: "echo '1 { a; b }.' | asp-solve - -n 0",
                has_options_for_answer_sets: true,
                instance_unit: InstanceUnit::Object,
                pictures: &[Format::Svg, Format::Html, Format::Dot],
                rule_support: RuleSupport::CheckOnly,
                ..About::default()
            },
            header: Header::default(),
            variants: Vec::new(),
            is_program: true,
            tools: OnceLock::new(),
        };
        *PUZZLE.get_or_init(|| LogicPuzzle {
            definition: lazy_definition(define),
            name: PROGRAM,
            catalogue: Catalogue::builtin(),
        })
    }

    pub(super) fn lacks_rules(self, job: &Job) -> bool {
        self.definition.header.paragraph("Rules").as_deref() == Some("none") && job.rules.is_builtin()
    }

    /// Returns the puzzle for links of type `kind` if its boards can be read but its rules are not
    /// included. Puzzles are never freed; calls with equal arguments share one.
    pub fn without_rules(kind: &str, catalogue: &'static Catalogue) -> Option<&'static LogicPuzzle> {
        /// Keyed by the type of links, and the address of the catalogue.
        static KNOWN: Mutex<BTreeMap<(String, usize), &'static LogicPuzzle>> = Mutex::new(BTreeMap::new());
        let mut puzzles = KNOWN.lock();
        let key = (kind.to_owned(), ptr::from_ref(catalogue).addr());
        if let Some(logic) = puzzles.get(&key) {
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
        let definition = lazy_definition(move || PuzzleDefinition::of(header, encoding, Vec::new()));
        let logic: &'static LogicPuzzle =
            Box::leak(Box::new(LogicPuzzle { definition, name: encoding.name, catalogue }));
        puzzles.insert(key, logic);
        Some(logic)
    }

    pub(super) fn links(self) -> Result<Option<Link>, Failure> {
        self.notation_from_header("Link", Link::parse)
    }

    /// Returns true if `name` is a name of this puzzle in sgt-puzzles.
    pub(super) fn is_game_name(self, name: &str) -> bool {
        self.definition.header.paragraph("Game").is_some_and(|text| GameIdFormat::has_alias(&text, name))
    }

    /// Returns the format of a game id: that of the variant whose parameter the id contains,
    /// otherwise that of the puzzle.
    pub(super) fn game_format(self, id: &str) -> Result<Option<GameIdFormat>, Failure> {
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

    /// The description, without tools.
    pub fn description(self) -> About {
        self.definition.about
    }

    /// Returns true if the header has a paragraph `Clues` that does not begin with `none`.
    pub(super) fn offers_generate(self) -> bool {
        self.definition.header.paragraph("Clues").is_some_and(|clues| !clues.starts_with("none"))
    }

    /// Returns the puzzle's tools, which `create` makes on first use.
    pub fn own_tools(self, create: impl FnOnce() -> Vec<&'static dyn Tool>) -> &'static [&'static dyn Tool] {
        self.definition.tools.get_or_init(|| create().leak())
    }

    pub(super) fn noun(self, number: usize) -> &'static str {
        match (self.definition.is_program, number) {
            (true, 1) => "Answer",
            (true, _) => "answers",
            (false, 1) => "Solution",
            (false, _) => "solutions",
        }
    }

    pub(super) fn signs(self) -> PuzzleSigns {
        PuzzleSigns::of(self.name, &self.definition.header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_with_equal_names_and_headers_share_an_entry() {
        const HEADER: &str = "% Mine: rules.\n%\n% Input      rows(R)\n\n";
        let of = |name: &str, text: String| {
            LogicPuzzle::from_document(FOLDER, &Document::in_memory(name, text), Catalogue::builtin())
        };
        let first = of("mine.lp", format!("{HEADER}a."));
        let others = (0..1000).map(|number| of("mine.lp", format!("{HEADER}a({number}).")));
        assert!(others.into_iter().all(|other| std::ptr::eq(first, other)));
        assert!(!std::ptr::eq(first, of("other.lp", format!("{HEADER}a."))));
        assert!(!std::ptr::eq(first, of("mine.lp", format!("% Others: rules.\n{HEADER}a."))));
    }
}
