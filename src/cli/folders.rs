//! Folders: the logic programs in them, and what changes in them.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::diagnostic::{Code, Diagnostic, Failure};
use base::sorting;
use base::words::io_error;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::sources;

/// An editor may save in several steps within this time.
pub const SAVE_DEBOUNCE: Duration = Duration::from_millis(60);

/// The `.lp` files below a folder, depth first, in the order of their names. A folder that cannot
/// be read is an error, after which the walk continues.
pub struct ProgramFiles {
    /// The paths that are left, the next one last, and whether each is a folder.
    pending: Vec<(PathBuf, bool)>,
    is_skipped: fn(&str) -> bool,
}

impl ProgramFiles {
    /// Skips the folders below `folder` whose names satisfy `is_skipped`, and links to folders,
    /// which may form cycles.
    pub fn below(folder: &Path, is_skipped: fn(&str) -> bool) -> Self {
        ProgramFiles { pending: vec![(folder.to_owned(), true)], is_skipped }
    }

    fn read_folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut entries: Vec<DirEntry> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        sorting::sort_by_key(&mut entries, DirEntry::file_name);
        for entry in entries.iter().rev() {
            let is_folder = entry.file_type()?.is_dir();
            if !is_folder || !(self.is_skipped)(&entry.file_name().to_string_lossy()) {
                self.pending.push((sources::join(folder, entry.file_name()), is_folder));
            }
        }
        Ok(())
    }
}

impl Iterator for ProgramFiles {
    type Item = Result<PathBuf, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((path, is_folder)) = self.pending.pop() {
            if is_folder {
                if let Err(error) = self.read_folder(&path) {
                    let text = format!("{}: cannot be read: {}", path.display(), io_error(&error));
                    return Some(Err(Diagnostic::error(Code::UnreadableFile, text).into()));
                }
            } else if path.extension().is_some_and(|ending| ending == "lp") && path.is_file() {
                return Some(Ok(path));
            }
        }
        None
    }
}

/// Calls `on_change` with the paths of each change in the folders, until the watcher is dropped.
pub fn watch_folders(
    folders: &[(PathBuf, RecursiveMode)],
    mut on_change: impl FnMut(Vec<PathBuf>) + Send + 'static,
) -> Result<RecommendedWatcher, Failure> {
    let unwatched = |error: notify::Error| {
        Failure::from(Diagnostic::error(Code::System, format!("files cannot be watched: {error}")))
    };
    let on_event = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event too, and a change leads to reading.
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            on_change(event.paths);
        }
    };
    let mut watcher = notify::recommended_watcher(on_event).map_err(unwatched)?;
    for (folder, mode) in folders {
        watcher.watch(folder, *mode).map_err(unwatched)?;
    }
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_the_order_of_names_and_skipped_folders_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b/x.lp", "b/.git/y.lp", "c.lp", "a.lp", "b.txt"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "a.").expect("a file");
        }
        let below = |is_skipped: fn(&str) -> bool| -> Vec<String> {
            let paths = ProgramFiles::below(folder.path(), is_skipped).map(|path| path.expect("a path"));
            paths.map(|path| path.strip_prefix(folder.path()).expect("a path below").display().to_string()).collect()
        };
        assert_eq!(below(|name| name.starts_with('.')), ["a.lp", "b/x.lp", "c.lp"]);
        assert_eq!(below(|_| true), ["a.lp", "c.lp"]);
        assert!(ProgramFiles::below(&folder.path().join("none"), |_| true).next().is_some_and(|path| path.is_err()));
    }
}
