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
    fn included(&self, from: &str, file: &str) -> Option<String>;
    /// Resolves a `Goes with` in a text.
    fn companion(&self, from: &str, file: &str) -> Option<String>;
    /// Returns all logic programs below the folders.
    fn below(&self, folders: &[String]) -> Vec<String>;
    /// Returns the files that `Goes with` can name in any text.
    fn shared(&self) -> Vec<String>;
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

/// A file that a text names: the bytes of the name, the name, and the file's path, if it exists.
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
        if let Some(known) = read.get(name).filter(|known| known.time == time) {
            return known.text.clone();
        }
        let state = self.files.state(name);
        if let Some(known) = read.get_mut(name).filter(|known| state.is_some() && known.state == state) {
            known.time = time;
            return known.text.clone();
        }
        let fresh = self.files.read(name).map(|text| Rc::new(Text::new(name, &text)));
        // An unchanged text keeps what was computed for it.
        let same = read
            .get(name)
            .and_then(|known| known.text.clone())
            .filter(|known| fresh.as_ref().is_some_and(|fresh| fresh.text == known.text));
        let text = same.or(fresh);
        read.insert(name.to_owned(), CachedText { time, state, text: text.clone() });
        text
    }

    /// Returns the files that a text includes, and those that it goes with.
    pub fn links(&self, text: &Text) -> Rc<Vec<Link>> {
        let time = self.time.get();
        if let Some(known) = self.links.borrow().get(&text.name)
            && known.time == time
            && Arc::ptr_eq(&known.text, &text.text)
        {
            return known.links.clone();
        }
        let links = Rc::new(self.find_links(text));
        let known = CachedLinks { time, text: text.text.clone(), links: links.clone() };
        self.links.borrow_mut().insert(text.name.clone(), known);
        links
    }

    fn find_links(&self, text: &Text) -> Vec<Link> {
        let (included, goes_with) = text.links();
        let included = included.iter().map(|(range, file)| {
            // Many names are relative to the top of a project, where clingo is run.
            let tops = self.folders.iter().map(|folder| format!("{folder}/-"));
            let mut froms = [text.name.clone()].into_iter().chain(tops);
            let found = froms.find_map(|from| self.files.included(&from, file));
            (range.clone(), file.clone(), found)
        });
        let goes_with = goes_with.iter().map(|(range, file)| {
            let found = self.files.companion(&text.name, file);
            (range.clone(), file.clone(), found)
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
            self.files.below(&self.folders).into_iter().chain(self.open.keys().cloned()).collect();
        names.iter().map(|name| self.program(name)).collect()
    }

    /// Returns the texts for which `speaks` holds and that share a program with this text, or with
    /// another of the returned texts.
    pub fn related_texts(&self, name: &str, speaks: impl Fn(&Text) -> bool) -> Vec<Rc<Text>> {
        let programs = self.programs();
        let mut programs_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, program) in programs.iter().enumerate() {
            for text in program {
                programs_of.entry(&text.name).or_default().push(number);
            }
        }
        let mut found: Vec<Rc<Text>> = self.text(name).into_iter().collect();
        let mut seen = BTreeSet::from([name]);
        let mut entered = BTreeSet::new();
        let mut next = 0;
        while let Some(text) = found.get(next).cloned() {
            next += 1;
            for &number in programs_of.get(&*text.name).into_iter().flatten() {
                let program = if entered.insert(number) { &programs[number][..] } else { &[] };
                for other in program {
                    if seen.insert(&other.name) && speaks(other) {
                        found.push(other.clone());
                    }
                }
            }
        }
        found
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
        looks: Cell<usize>,
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

        fn included(&self, _: &str, file: &str) -> Option<String> {
            self.looks.set(self.looks.get() + 1);
            Some(file.to_owned())
        }

        fn companion(&self, _: &str, _: &str) -> Option<String> {
            None
        }

        fn below(&self, _: &[String]) -> Vec<String> {
            self.texts.keys().cloned().collect()
        }

        fn shared(&self) -> Vec<String> {
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
            workspace.files.looks.set(0);
            workspace.refresh();
            let found = workspace.related_texts("0", |text| text.text.contains("p"));
            (found.len(), workspace.files.reads.get(), workspace.files.looks.get())
        };
        let links = PARTS * (PARTS - 1) / 2 + 1;
        assert_eq!(related_texts(&workspace), (PARTS + 1, PARTS + 2, links));
        assert_eq!(related_texts(&workspace), (PARTS + 1, 0, links));
        workspace.files.changes += 1;
        assert_eq!(related_texts(&workspace), (PARTS + 1, 1, links));
    }
}
