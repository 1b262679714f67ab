//! Puzzles that a file defines: reads definitions, and finds puzzles by name.
//!
//! A puzzle and its catalogue share their definitions, each of which is parsed on first use.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use base::diagnostic::{Code, Diagnostic, Failure};
use base::document::Document;
use base::words::{self, normalised};
use include_dir::Dir;
use puzzle::Format;
use puzzle::PuzzleFile;
use puzzle::job::Job;
use puzzle::rules::{BuiltinFile, Encoding};

use super::builtin::{BUILTIN, FOLDER, FOLDERS, builtin_text, builtin_variants, links_line, unnamed_heads};
use super::files::FileFormat;
use super::game_id::GameIdFormat;
use super::header::Header;
use super::link::Link;
use super::signs::PuzzleSigns;

/// The name of the puzzle for any logic program.
const PROGRAM: &str = "program";

/// A puzzle that is defined by its file: a header and rules. Clones share the definition.
#[derive(Clone)]
pub struct LogicPuzzle {
    pub(super) name: Arc<str>,
    pub(super) definition: Arc<LazyDefinition>,
    /// The heads of an embedded header that [`unnamed_heads`] lists, so that most runs parse few
    /// headers. `None` for other files.
    unnamed_heads: Option<&'static [&'static str]>,
    /// The puzzles whose names its boards may state.
    pub(super) catalogue: Catalogue,
}

/// A definition that is parsed on first use; most runs need only one.
type LazyDefinition = LazyLock<PuzzleDefinition, Box<dyn FnOnce() -> PuzzleDefinition + Send>>;

pub(super) struct PuzzleDefinition {
    pub(super) summary: String,
    /// Paragraphs of the header: keywords with their lines.
    pub(super) more: Vec<(&'static str, Vec<String>)>,
    /// The rules without and with each variant.
    pub(super) encodings: Vec<Encoding>,
    pub(super) pictures: Vec<Format>,
    pub(super) header: Header,
    /// Optional rules: the files in the folder named after the puzzle.
    pub(super) variants: Vec<Variant>,
    /// True for the puzzle `program`, which runs any logic program and reads no boards.
    pub(super) is_program: bool,
}

/// Optional rules that a board or `-e` adds to a puzzle, for example `puzzles/sudoku/killer.lp`.
pub(super) struct Variant {
    pub(super) name: &'static str,
    /// The path of its file, below the folder of encodings.
    pub(super) path: &'static str,
    pub(super) header: Header,
}

/// The puzzles that files define. A file of the user overrides the built-in file of its name.
/// Clones share the files.
#[derive(Clone)]
pub struct Catalogue {
    /// Sorted by folder, in the order of [`FOLDERS`], then by name.
    files: Arc<[DefiningFile]>,
}

/// A file that defines a puzzle.
#[derive(Clone)]
struct DefiningFile {
    folder: &'static str,
    name: Arc<str>,
    definition: Arc<LazyDefinition>,
    unnamed_heads: Option<&'static [&'static str]>,
}

impl Catalogue {
    /// The built-in puzzles, including those that a folder of encodings overrides.
    pub fn builtin() -> &'static Catalogue {
        static BUILTIN: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::of(|folder| builtin_files(folder).collect()));
        &BUILTIN
    }

    /// The built-in puzzles and the puzzles of `files`.
    pub fn with_files(files: &[PuzzleFile]) -> Catalogue {
        if files.is_empty() {
            return Catalogue::builtin().clone();
        }
        Catalogue::of(|folder| {
            let own_files: Vec<&PuzzleFile> =
                files.iter().filter(|file| file.folder == folder && file.name != SEMANTICS).collect();
            let builtin = Catalogue::builtin().files.iter().filter(|file| file.folder == folder);
            let builtin = builtin.filter(|file| own_files.iter().all(|own| *own.name != *file.name)).cloned();
            builtin
                .chain(own_files.iter().map(|file| {
                    let text = file.text.clone();
                    DefiningFile::of(folder, &file.name, move || text)
                }))
                .collect()
        })
    }

    /// The catalogue of the files that `in_folder` returns for each folder.
    fn of(in_folder: impl Fn(&'static str) -> Vec<DefiningFile>) -> Catalogue {
        let sorted = |folder| {
            let mut files = in_folder(folder);
            files.sort_by(|file, other| file.name.cmp(&other.name));
            files
        };
        Catalogue { files: FOLDERS.into_iter().flat_map(sorted).collect() }
    }

    /// All puzzles by folder, sorted by name.
    pub fn puzzles(&self) -> impl Iterator<Item = LogicPuzzle> {
        self.files.iter().map(|file| self.puzzle(file))
    }

    /// The puzzles of a folder, sorted by name.
    pub fn in_folder(&self, folder: &str) -> impl Iterator<Item = LogicPuzzle> {
        self.files.iter().filter(move |file| file.folder == folder).map(|file| self.puzzle(file))
    }

    /// Finds the puzzle with this name or alias.
    pub fn find(&self, name: &str) -> Option<LogicPuzzle> {
        // The aliases of a puzzle are only known after its file is parsed, so try them last.
        let file = self.files.iter().find(|file| *file.name == *name);
        file.map(|file| self.puzzle(file)).or_else(|| self.find_alias(name))
    }

    /// Finds the first puzzle that a board may name by `name`.
    pub(super) fn find_alias(&self, name: &str) -> Option<LogicPuzzle> {
        self.puzzles().find(|puzzle| puzzle.is_named(name))
    }

    fn puzzle(&self, file: &DefiningFile) -> LogicPuzzle {
        LogicPuzzle {
            name: file.name.clone(),
            definition: file.definition.clone(),
            unnamed_heads: file.unnamed_heads,
            catalogue: self.clone(),
        }
    }
}

/// The name of the file that defines the meaning of atoms, shared by the puzzles of a folder. It is
/// not a puzzle itself.
const SEMANTICS: &str = "step";

/// Returns the built-in files of a folder that define puzzles.
fn builtin_files(folder: &'static str) -> impl Iterator<Item = DefiningFile> {
    let files = BUILTIN.get_dir(folder).into_iter().flat_map(Dir::files);
    let puzzle_name = |path: &'static Path| path.file_stem()?.to_str().filter(|name| *name != SEMANTICS);
    files.filter_map(move |file| {
        let name = puzzle_name(file.path())?;
        let defining = DefiningFile::of(folder, name, || file.contents_utf8().unwrap_or_default());
        Some(DefiningFile { unnamed_heads: Some(unnamed_heads(file.path().to_str()?)), ..defining })
    })
}

impl DefiningFile {
    /// The file `name` in `folder`; `text` returns its text.
    fn of<T: AsRef<str>>(folder: &'static str, name: &str, text: impl FnOnce() -> T + Send + 'static) -> DefiningFile {
        let name: Arc<str> = name.into();
        let stem = name.clone();
        let define = move || {
            let header = Header::of(&stem, text().as_ref());
            let files =
                [format!("{stem}.lp")].into_iter().chain(header.goes_with()).chain(LogicPuzzle::semantics_file(folder));
            let files = LogicPuzzle::files(folder, files).collect();
            let variant_files = builtin_variants(&format!("{folder}/{stem}")).into_iter().flat_map(Dir::files);
            let variant = |file: &'static include_dir::File<'static>| {
                let (name, path) = (file.path().file_stem()?.to_str()?, file.path().to_str()?);
                Some(Variant { name, path, header: Header::of(name, file.contents_utf8()?) })
            };
            PuzzleDefinition::of(header, &stem, files, variant_files.filter_map(variant).collect())
        };
        DefiningFile { folder, name, definition: lazy_definition(define), unnamed_heads: None }
    }
}

fn lazy_definition(define: impl FnOnce() -> PuzzleDefinition + Send + 'static) -> Arc<LazyDefinition> {
    Arc::new(LazyLock::new(Box::new(define)))
}

/// Returns the format of links of type `kind`, whether or not its rules are built in.
pub(super) fn link_format(kind: &str) -> Result<Option<Link>, Failure> {
    if let Some(line) = links_line(kind) {
        return Link::parse(line)
            .map(Some)
            .map_err(|error| Diagnostic::error(Code::InvalidLink, format!("{line}: {error}")).into());
    }
    let mut builtin_links = Catalogue::builtin().in_folder(FOLDER).filter_map(|logic| logic.links().ok()?);
    Ok(builtin_links.find(|link| link.names().iter().any(|name| name == kind)))
}

impl PuzzleDefinition {
    /// The definition of the puzzle `name`; `files` are its rules.
    fn of(header: Header, name: &str, files: Vec<BuiltinFile>, variants: Vec<Variant>) -> PuzzleDefinition {
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
        let more = details.chain((!variants.is_empty()).then(|| ("variants", variant_lines.collect()))).collect();
        let with = |variant: &Variant| {
            let text = builtin_text(variant.path).unwrap_or_default();
            let own_file = BuiltinFile { path: variant.path.into(), text };
            let folder = files[0].path.split('/').next().unwrap_or_default();
            let shared = LogicPuzzle::files(folder, variant.header.goes_with());
            let shared = shared.filter(|file| !files.iter().any(|known| known.path == file.path));
            let files = files.iter().cloned().chain([own_file]).chain(shared).collect();
            Encoding { name: variant.name.into(), files }
        };
        let is_of_games = files.iter().any(|file| !file.path.starts_with(FOLDER) && file.path.contains('/'));
        let is_on_grid = !is_of_games && (header.inputs().contains(&"rows") || header.paragraph("Link").is_some());
        let pictures = [
            (Format::Svg, true),
            (Format::Html, true),
            (Format::Dot, derives_graph(&files)),
            (Format::Url, header.paragraph("Link").is_some()),
            (Format::SudokuPad, variants.iter().any(|variant| !variant.header.lines("Address").is_empty())),
            (Format::Penpa, is_on_grid),
            (Format::Pzprv3, header.paragraph("File").is_some()),
        ];
        let variant_encodings: Vec<Encoding> = variants.iter().map(with).collect();
        let encoding = Encoding { name: name.to_owned().into(), files: files.into() };
        PuzzleDefinition {
            summary: summary.trim_end_matches([':', ' ']).to_owned(),
            more,
            encodings: [encoding].into_iter().chain(variant_encodings).collect(),
            pictures: pictures.into_iter().filter_map(|(format, is_known)| is_known.then_some(format)).collect(),
            header,
            variants,
            is_program: false,
        }
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
        let puzzles = || Catalogue::builtin().in_folder(FOLDER);
        puzzles().find(|logic| *logic.name == *name).ok_or_else(|| {
            let names: Vec<Arc<str>> = puzzles().map(|logic| logic.name).collect();
            let known: Vec<&str> = names.iter().map(|name| &**name).collect();
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
    pub(super) fn is_named(&self, name: &str) -> bool {
        let header = &self.definition.header;
        *name == *self.name
            || name == normalised(&header.title)
            || header.paragraph("Link").is_some_and(|text| Link::names_in(&text).any(|known| known == name))
            || header.paragraph("File").is_some_and(|text| FileFormat::name_in(&text) == Some(name))
            || self.is_game_name(name)
    }

    /// Returns the name of the file that defines the meaning of atoms in a folder, if the folder
    /// has one.
    fn semantics_file(folder: &str) -> Option<String> {
        builtin_text(&format!("{folder}/{SEMANTICS}.lp")).map(|_| format!("{SEMANTICS}.lp"))
    }

    /// Returns files of a folder of puzzles with their built-in texts.
    fn files(folder: &str, names: impl IntoIterator<Item = String>) -> impl Iterator<Item = BuiltinFile> {
        let paths = names.into_iter().map(move |file| format!("{folder}/{file}"));
        paths.map(|path| BuiltinFile { text: builtin_text(&path).unwrap_or_default(), path: path.into() })
    }

    /// Returns the puzzle that a custom file defines. The file need not be in a folder of puzzles.
    pub fn from_document(folder: &'static str, document: &Document, catalogue: &Catalogue) -> LogicPuzzle {
        let path = document.name.clone();
        let stem = path.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default();
        let name: Arc<str> = stem.into();
        let header = Header::of(stem, &document.text);
        let stem = name.clone();
        let define = move || {
            // The rules come from the document, but the meaning of a game's atoms is built in.
            let semantics = LogicPuzzle::semantics_file(folder);
            let own_file = semantics.is_none().then(|| BuiltinFile { path: path.into(), text: "" });
            let files = LogicPuzzle::files(folder, semantics.into_iter().chain(header.goes_with()));
            let files = own_file.into_iter().chain(files).collect();
            PuzzleDefinition::of(header, &stem, files, Vec::new())
        };
        LogicPuzzle { name, definition: lazy_definition(define), unnamed_heads: None, catalogue: catalogue.clone() }
    }

    /// The puzzle that runs any logic program unchanged.
    pub fn program() -> LogicPuzzle {
        static PUZZLE: LazyLock<LogicPuzzle> = LazyLock::new(|| {
            let define = || PuzzleDefinition {
                summary: "any logic program, as the clingo command runs it".to_owned(),
                more: Vec::new(),
                encodings: Vec::new(),
                pictures: vec![Format::Svg, Format::Html, Format::Dot],
                header: Header::default(),
                variants: Vec::new(),
                is_program: true,
            };
            let catalogue = Catalogue::builtin().clone();
            LogicPuzzle {
                name: PROGRAM.into(),
                definition: lazy_definition(define),
                unnamed_heads: Some(&[]),
                catalogue,
            }
        });
        PUZZLE.clone()
    }

    pub(super) fn lacks_rules(&self, job: &Job) -> bool {
        self.definition.header.paragraph("Rules").as_deref() == Some("none") && job.rules.is_builtin()
    }

    /// Returns the puzzle for links of type `kind` if its boards can be read but its rules are not
    /// included.
    pub fn without_rules(kind: &str, catalogue: &Catalogue) -> Option<LogicPuzzle> {
        let link = links_line(kind)?;
        let name: Arc<str> = kind.into();
        let kind = name.clone();
        let define = move || {
            let text = format!(
                "% {kind}: a board without rules.\n%\n% Rules      none\n% Link       {link}\n% Goes with  shared/drawing.lp, shared/grid.lp, \
                 shared/corners.lp, shared/dots.lp\n"
            );
            let header = Header::of(&kind, &text);
            let files = LogicPuzzle::files(FOLDER, header.goes_with()).collect();
            PuzzleDefinition::of(header, &kind, files, Vec::new())
        };
        Some(LogicPuzzle {
            name,
            definition: lazy_definition(define),
            unnamed_heads: None,
            catalogue: catalogue.clone(),
        })
    }

    /// Returns true if the header has the paragraph `head`, which is one of [`unnamed_heads`].
    pub(super) fn has_unnamed_head(&self, head: &str) -> bool {
        self.unnamed_heads.map_or_else(|| !self.definition.header.lines(head).is_empty(), |heads| heads.contains(&head))
    }

    pub(super) fn links(&self) -> Result<Option<Link>, Failure> {
        self.notation_from_header("Link", Link::parse)
    }

    pub(super) fn file_format(&self) -> Result<Option<FileFormat>, Failure> {
        self.notation_from_header("File", FileFormat::parse)
    }

    /// Returns true if `name` is a name of this puzzle in sgt-puzzles.
    pub(super) fn is_game_name(&self, name: &str) -> bool {
        self.definition.header.paragraph("Game").is_some_and(|text| GameIdFormat::has_alias(&text, name))
    }

    /// Returns the format of a game id: that of the variant whose parameter the id contains,
    /// otherwise that of the puzzle.
    pub(super) fn game_format(&self, id: &str) -> Result<Option<GameIdFormat>, Failure> {
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
    pub(super) fn notation_from_header<T>(
        &self,
        head: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some(paragraph) = self.definition.header.paragraph(head) else { return Ok(None) };
        let file = self.definition.encodings.first().and_then(|encoding| encoding.files.first());
        let wrong = |error| {
            let text = format!("{}: {head}  {paragraph}: {error}", file.map_or(&*self.name, |file| &*file.path));
            Diagnostic::error(Code::InvalidInstance, text).into()
        };
        parse(&paragraph).map(Some).map_err(wrong)
    }

    /// Returns true if the header has a paragraph `Clues` that does not begin with `none`.
    pub(super) fn offers_generate(&self) -> bool {
        self.definition.header.paragraph("Clues").is_some_and(|clues| !clues.starts_with("none"))
    }

    pub(super) fn noun(&self, number: usize) -> &'static str {
        match (self.definition.is_program, number) {
            (true, 1) => "Answer",
            (true, _) => "answers",
            (false, 1) => "Solution",
            (false, _) => "solutions",
        }
    }

    pub(super) fn signs(&self) -> PuzzleSigns {
        PuzzleSigns::of(&self.name, &self.definition.header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_heads_agrees_with_the_embedded_headers() {
        let mut found = 0;
        for puzzle in Catalogue::builtin().puzzles() {
            for head in ["Plain", "Known by", "Line", "Game"] {
                let is_in_header = !puzzle.definition.header.lines(head).is_empty();
                assert_eq!(puzzle.has_unnamed_head(head), is_in_header, "{}: {head}", puzzle.name);
                found += usize::from(is_in_header);
            }
        }
        assert!(found > 10, "{found}");
    }

    #[test]
    fn definitions_are_freed_with_their_last_puzzle() {
        let document = Document::in_memory("mine.lp", "% Mine: rules.\n%\n% Input      rows(R)\n\na.");
        let file = PuzzleFile { folder: FOLDER, name: "mine".to_owned(), text: document.text.clone() };
        let catalogue = Catalogue::with_files(&[file]);
        let puzzles = [
            catalogue.find("mine").expect("a puzzle"),
            LogicPuzzle::from_document(FOLDER, &document, &catalogue),
            LogicPuzzle::without_rules("aho", &catalogue).expect("a line of links.txt"),
        ];
        let definitions = puzzles.each_ref().map(|puzzle| {
            assert!(!puzzle.definition.summary.is_empty());
            Arc::downgrade(&puzzle.definition)
        });
        drop(catalogue);
        assert!(definitions.iter().all(|definition| definition.upgrade().is_some()));
        drop(puzzles);
        assert!(definitions.iter().all(|definition| definition.upgrade().is_none()));
    }
}
