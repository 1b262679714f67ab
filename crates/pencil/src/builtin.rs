//! The encodings embedded in the executable, for runs without a folder of encodings.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use rustc_hash::FxHashMap;

/// The encodings embedded in the executable, for runs without a folder of encodings.
pub(super) static BUILTIN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../asp");

/// Link formats of puzzle types without built-in rules: one line for each, in the format of the
/// paragraph `Link` of a header.
const LINKS: &str = include_str!("links.txt");

/// The folder of pencil puzzles, below a folder of encodings.
pub const FOLDER: &str = "puzzles";
/// The folder of one-player games, below a folder of encodings.
pub const GAMES_FOLDER: &str = "games";
/// The folders of files that define puzzles.
pub const FOLDERS: [&str; 2] = [FOLDER, GAMES_FOLDER];

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

/// The heads by which boards that do not name their puzzle are recognised, in each file that has
/// any; `build.rs` reads them from the headers.
const UNNAMED_HEADS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/unnamed_heads.rs"));

/// Returns which of the heads `Plain`, `Known by`, `Line` and `Game` occur in the header of a
/// built-in file.
pub(super) fn unnamed_heads(path: &str) -> &'static [&'static str] {
    let found = UNNAMED_HEADS.binary_search_by_key(&path, |(path, _)| path);
    found.map_or(&[], |index| UNNAMED_HEADS[index].1)
}

/// Returns the folder of a puzzle's variants, if it exists.
pub(super) fn builtin_variants(path: &str) -> Option<&'static Dir<'static>> {
    static BY_PATH: LazyLock<FxHashMap<&str, &Dir<'static>>> = LazyLock::new(|| {
        BUILTIN.dirs().flat_map(Dir::dirs).filter_map(|folder| Some((folder.path().to_str()?, folder))).collect()
    });
    BY_PATH.get(path).copied()
}

/// Returns the names of the built-in shared files as written in headers: `shared/grid.lp`.
pub fn shared_files() -> Vec<String> {
    let files = BUILTIN.get_dir(format!("{FOLDER}/shared")).into_iter().flat_map(Dir::files);
    files.filter_map(|file| Some(format!("shared/{}", file.path().file_name()?.to_str()?))).collect()
}

/// Returns the line of `links.txt` that describes links of type `kind`.
pub(super) fn links_line(kind: &str) -> Option<&'static str> {
    let describes_kind = |line: &&str| {
        !line.starts_with('%')
            && line.split_once(':').is_some_and(|(names, _)| names.split(", ").any(|name| name == kind))
    };
    LINKS.lines().find(describes_kind)
}
