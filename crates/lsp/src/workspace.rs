//! The texts of an editor and those on disk, and which of them make up a program.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use super::text::Text;

/// The source of texts that are not open in the editor. A text is named by its path, an embedded
/// one by `embedded:path`.
pub trait Files {
    fn read(&self, name: &str) -> Option<String>;
    /// Returns the modification time and length of a text: while these stay the same, it is not
    /// read again. `None` if they are unknown.
    fn state(&self, _name: &str) -> Option<(SystemTime, u64)> {
        None
    }
    /// Resolves an `#include` in a text.
    fn resolve_include(&self, from: &str, file: &str) -> Option<String>;
    /// Resolves a `Goes with` in a text.
    fn resolve_companion(&self, from: &str, file: &str) -> Option<String>;
    /// Returns all logic programs below the folders.
    fn programs_below(&self, folders: &[String]) -> Vec<String>;
    /// Returns the files that `Goes with` can name in any text.
    fn shared_files(&self) -> Vec<String>;
}

pub struct Workspace<F> {
    pub files: F,
    pub folders: Vec<String>,
    pub open: BTreeMap<String, Rc<Text>>,
    read: RefCell<BTreeMap<String, CachedText>>,
    links: RefCell<BTreeMap<String, CachedLinks>>,
    time: Cell<u64>,
}

/// A text that was read from disk.
struct CachedText {
    /// The value of `time` when it was last compared with the file.
    time: u64,
    state: Option<(SystemTime, u64)>,
    text: Option<Rc<Text>>,
}

/// The links of a text, valid until the text or the time changes.
struct CachedLinks {
    time: u64,
    text: Arc<str>,
    links: Rc<Vec<Link>>,
}

/// A file that a text names: the byte range of the name, the name, and the path of the file, if it
/// exists.
pub type Link = (Range<usize>, String, Option<String>);

impl<F: Files> Workspace<F> {
    pub fn new(files: F) -> Self {
        let (open, read, links) = Default::default();
        Workspace { files, folders: Vec::new(), open, read, links, time: Cell::new(0) }
    }

    /// Invalidates the cache: each file that has changed is read again when it is needed.
    pub fn refresh(&self) {
        self.time.set(self.time.get() + 1);
    }

    pub fn text(&self, name: &str) -> Option<Rc<Text>> {
        if let Some(open) = self.open.get(name) {
            return Some(open.clone());
        }
        let mut read = self.read.borrow_mut();
        let time = self.time.get();
        if let Some(cached) = read.get(name).filter(|cached| cached.time == time) {
            return cached.text.clone();
        }
        let state = self.files.state(name);
        if let Some(cached) = read.get_mut(name).filter(|cached| state.is_some() && cached.state == state) {
            cached.time = time;
            return cached.text.clone();
        }
        let new_text = self.files.read(name).map(|text| Rc::new(Text::new(name, &text)));
        // An unchanged text keeps its lazily computed information.
        let unchanged = read
            .get(name)
            .and_then(|cached| cached.text.clone())
            .filter(|cached| new_text.as_ref().is_some_and(|new_text| new_text.text == cached.text));
        let text = unchanged.or(new_text);
        read.insert(name.to_owned(), CachedText { time, state, text: text.clone() });
        text
    }

    /// Returns the files that a text includes, and those that it goes with.
    pub fn links(&self, text: &Text) -> Rc<Vec<Link>> {
        let time = self.time.get();
        if let Some(cached) = self.links.borrow().get(&text.name)
            && cached.time == time
            && Arc::ptr_eq(&cached.text, &text.text)
        {
            return cached.links.clone();
        }
        let links = Rc::new(self.find_links(text));
        let cached = CachedLinks { time, text: text.text.clone(), links: links.clone() };
        self.links.borrow_mut().insert(text.name.clone(), cached);
        links
    }

    fn find_links(&self, text: &Text) -> Vec<Link> {
        let (included, goes_with) = text.links();
        let included = included.iter().map(|(range, file)| {
            // Many names are relative to the top of a project, where clingo is run.
            let folder_files = self.folders.iter().map(|folder| format!("{folder}/-"));
            let mut including_files = [text.name.clone()].into_iter().chain(folder_files);
            let path = including_files.find_map(|including_file| self.files.resolve_include(&including_file, file));
            (range.clone(), file.clone(), path)
        });
        let goes_with = goes_with.iter().map(|(range, file)| {
            let path = self.files.resolve_companion(&text.name, file);
            (range.clone(), file.clone(), path)
        });
        included.chain(goes_with).collect()
    }

    /// Returns the program of a text: the text itself, the files that it includes, and those that
    /// it goes with.
    pub fn program(&self, name: &str) -> Vec<Rc<Text>> {
        let mut found: Vec<Rc<Text>> = self.text(name).into_iter().collect();
        let mut names = BTreeSet::from([name.to_owned()]);
        let mut next = 0;
        while let Some(text) = found.get(next).cloned() {
            next += 1;
            for name in self.links(&text).iter().filter_map(|(.., name)| name.as_ref()) {
                if names.insert(name.clone()) {
                    found.extend(self.text(name));
                }
            }
        }
        found
    }

    /// Returns the programs of all known texts.
    pub fn programs(&self) -> Vec<Vec<Rc<Text>>> {
        let names: BTreeSet<String> =
            self.files.programs_below(&self.folders).into_iter().chain(self.open.keys().cloned()).collect();
        names.iter().map(|name| self.program(name)).collect()
    }

    /// Returns the text `name`, and the texts for which `is_relevant` holds and that share a
    /// program with this text or with another returned text.
    pub fn related_texts(&self, name: &str, is_relevant: impl Fn(&Text) -> bool) -> Vec<Rc<Text>> {
        let programs = self.programs();
        let mut programs_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, program) in programs.iter().enumerate() {
            for text in program {
                programs_of.entry(&text.name).or_default().push(number);
            }
        }
        let mut texts: Vec<Rc<Text>> = self.text(name).into_iter().collect();
        let mut visited = BTreeSet::from([name]);
        let mut visited_programs = BTreeSet::new();
        let mut next = 0;
        while let Some(text) = texts.get(next).cloned() {
            next += 1;
            for &number in programs_of.get(&*text.name).into_iter().flatten() {
                let program = if visited_programs.insert(number) { &programs[number][..] } else { &[] };
                for other in program {
                    if visited.insert(&other.name) && is_relevant(other) {
                        texts.push(other.clone());
                    }
                }
            }
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In-memory files that count reads and lookups.
    #[derive(Default)]
    struct Counted {
        texts: BTreeMap<String, String>,
        changes: u64,
        reads: Cell<usize>,
        lookups: Cell<usize>,
    }

    impl Files for Counted {
        fn read(&self, name: &str) -> Option<String> {
            self.reads.set(self.reads.get() + 1);
            self.texts.get(name).cloned()
        }

        fn state(&self, name: &str) -> Option<(SystemTime, u64)> {
            let length = self.texts.get(name)?.len() as u64;
            Some((SystemTime::UNIX_EPOCH, if name == "main" { self.changes } else { length }))
        }

        fn resolve_include(&self, _: &str, file: &str) -> Option<String> {
            self.lookups.set(self.lookups.get() + 1);
            Some(file.to_owned())
        }

        fn resolve_companion(&self, _: &str, _: &str) -> Option<String> {
            None
        }

        fn programs_below(&self, _: &[String]) -> Vec<String> {
            self.texts.keys().cloned().collect()
        }

        fn shared_files(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn a_file_is_read_again_only_if_it_has_changed() {
        const PARTS: usize = 200;
        let mut files = Counted::default();
        // Each part includes all that come before it.
        for number in 0..PARTS {
            let includes: String = (0..number).map(|other| format!("#include \"{other}\". ")).collect();
            files.texts.insert(number.to_string(), format!("{includes}p({number})."));
        }
        files.texts.insert("main".to_owned(), format!("#include \"{}\". p.", PARTS - 1));
        files.texts.insert("other".to_owned(), "p.".to_owned());
        let mut workspace = Workspace::new(files);
        let related_texts = |workspace: &Workspace<Counted>| {
            workspace.files.reads.set(0);
            workspace.files.lookups.set(0);
            workspace.refresh();
            let found = workspace.related_texts("0", |text| text.text.contains("p"));
            (found.len(), workspace.files.reads.get(), workspace.files.lookups.get())
        };
        let links = PARTS * (PARTS - 1) / 2 + 1;
        assert_eq!(related_texts(&workspace), (PARTS + 1, PARTS + 2, links));
        assert_eq!(related_texts(&workspace), (PARTS + 1, 0, links));
        workspace.files.changes += 1;
        assert_eq!(related_texts(&workspace), (PARTS + 1, 1, links));
    }
}
