//! The texts of an editor and those on disk, and which of them make a program together.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::text::Text;

/// Where texts come from that no editor has open. A text goes by its path, one inside the program as `embedded:path`.
pub trait Files {
    fn read(&self, name: &str) -> Option<String>;
    /// The file that `#include` means in a text.
    fn included(&self, from: &str, file: &str) -> Option<String>;
    /// The file that `Goes with` means in a text.
    fn companion(&self, from: &str, file: &str) -> Option<String>;
    /// All logic programs below folders.
    fn below(&self, folders: &[String]) -> Vec<String>;
    /// What `Goes with` can name wherever a text lies.
    fn shared(&self) -> Vec<String>;
}

pub struct Workspace<F> {
    pub files: F,
    pub folders: Vec<String>,
    pub open: BTreeMap<String, Rc<Text>>,
    read: RefCell<BTreeMap<String, Read>>,
    time: Cell<u64>,
}

/// A text with the time at which it was read.
type Read = (u64, Option<Rc<Text>>);

/// A file that a text names: the bytes of the name, the name, and where it lies, if it is there.
pub type Link = (Range<usize>, String, Option<String>);

impl<F: Files> Workspace<F> {
    pub fn new(files: F) -> Self {
        let (open, read) = Default::default();
        Workspace { files, folders: Vec::new(), open, read, time: Cell::new(0) }
    }

    /// From now on each file is read once more.
    pub fn refresh(&self) {
        self.time.set(self.time.get() + 1);
    }

    pub fn text(&self, name: &str) -> Option<Rc<Text>> {
        if let Some(open) = self.open.get(name) {
            return Some(open.clone());
        }
        let mut read = self.read.borrow_mut();
        let known = read.get(name);
        if let Some((_, text)) = known.filter(|(time, _)| *time == self.time.get()) {
            return text.clone();
        }
        let fresh = self.files.read(name).map(|text| Rc::new(Text::new(name, &text)));
        // What is known of a text that has not changed stays known.
        let same = known
            .and_then(|(_, text)| text.clone())
            .filter(|known| fresh.as_ref().is_some_and(|fresh| fresh.text == known.text));
        let text = same.or(fresh);
        read.insert(name.to_owned(), (self.time.get(), text.clone()));
        text
    }

    /// The files that a text includes, and those that it goes with.
    pub fn links(&self, text: &Text) -> Vec<Link> {
        let (included, goes_with) = text.links();
        let included = included.iter().map(|(range, file)| {
            // Many names begin at the top of a project, where clingo is run.
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

    /// The program that begins with a text: the text, what it includes, and what goes with it.
    pub fn program(&self, name: &str) -> Vec<Rc<Text>> {
        let mut found: Vec<Rc<Text>> = self.text(name).into_iter().collect();
        let mut next = 0;
        while let Some(text) = found.get(next).cloned() {
            next += 1;
            for (.., name) in self.links(&text) {
                let Some(name) = name.filter(|name| !found.iter().any(|known| known.name == *name)) else { continue };
                found.extend(self.text(&name));
            }
        }
        found
    }

    /// The programs of all texts that are known.
    pub fn programs(&self) -> Vec<Vec<Rc<Text>>> {
        let names: BTreeSet<String> =
            self.files.below(&self.folders).into_iter().chain(self.open.keys().cloned()).collect();
        names.iter().map(|name| self.program(name)).collect()
    }

    /// The texts that speak of something, and that a program shares with this one, or with another of them.
    pub fn together(&self, name: &str, speaks: impl Fn(&Text) -> bool) -> Vec<Rc<Text>> {
        let programs = self.programs();
        let mut found: Vec<Rc<Text>> = self.text(name).into_iter().collect();
        let mut asked = BTreeSet::from([name]);
        let mut next = 0;
        while let Some(text) = found.get(next).cloned() {
            next += 1;
            for program in programs.iter().filter(|program| program.iter().any(|one| one.name == text.name)) {
                for other in program {
                    if asked.insert(&other.name) && speaks(other) {
                        found.push(other.clone());
                    }
                }
            }
        }
        found
    }
}
