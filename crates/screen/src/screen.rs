//! A window, as the bot sees it.

use base::diagnostic::{Code, Diagnostic, Failure};

use super::image::{Image, Rectangle};

/// A window that is read and clicked in. Coordinates are pixels of the window.
pub trait Screen {
    fn size(&mut self) -> Result<[usize; 2], Failure>;
    fn grab(&mut self, of: Rectangle) -> Result<Image, Failure>;
    /// Moves the pointer.
    fn point(&mut self, at: [i32; 2]) -> Result<(), Failure>;
    /// Clicks at the pointer.
    fn click(&mut self) -> Result<(), Failure>;
    fn key(&mut self, name: &str) -> Result<(), Failure>;
    /// Describes how the user interrupted the run, if so: the pointer was moved, or Escape is
    /// pressed.
    fn interruption(&mut self) -> Result<Option<&'static str>, Failure>;
    /// Describes why a part of the window is not visible, if so.
    fn obstruction(&mut self, part: Rectangle) -> Result<Option<String>, Failure>;
}

pub fn wrong(text: impl Into<String>) -> Failure {
    Diagnostic::error(Code::System, text).into()
}
