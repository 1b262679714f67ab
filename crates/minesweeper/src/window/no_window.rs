//! Replaces `x11.rs` without the feature `window`: opening a window fails.

use base::diagnostic::Failure;

use super::image::{Image, Rectangle};
use super::screen::{Screen, wrong};

pub enum Window {}

impl Window {
    pub fn open(_class: &str, _command: &[String]) -> Result<Window, Failure> {
        Err(wrong("--window: asp-solve was built without the feature `window`"))
    }
}

impl Screen for Window {
    fn size(&mut self) -> Result<[usize; 2], Failure> {
        match *self {}
    }

    fn grab(&mut self, _of: Rectangle) -> Result<Image, Failure> {
        match *self {}
    }

    fn point(&mut self, _at: [i32; 2]) -> Result<(), Failure> {
        match *self {}
    }

    fn click(&mut self) -> Result<(), Failure> {
        match *self {}
    }

    fn key(&mut self, _name: &str) -> Result<(), Failure> {
        match *self {}
    }

    fn interruption(&mut self) -> Result<Option<&'static str>, Failure> {
        match *self {}
    }

    fn obstruction(&mut self, _part: Rectangle) -> Result<Option<String>, Failure> {
        match *self {}
    }
}
