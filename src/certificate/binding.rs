//! Whether a certificate is about the ground program of some files.
//!
//! The programs are compared statement by statement, as a certificate writes them: the same grounder numbers the atoms of the
//! same files in the same way.

use super::Certificate;
use super::claim::Shown;
use super::text::{write_program, write_shown};
use crate::asp::Ground;
use crate::words::cut;

/// Columns of a statement in a message.
const WIDTH: usize = 100;

impl Certificate {
    /// The first difference between the program of the certificate and another one; `None` if they are the same. The
    /// certificate may show any of `projections`, such as what the program shows, or what it projects answers to.
    pub fn difference(&self, program: &Ground, projections: &[Shown]) -> Option<String> {
        let rules = |ground: &Ground| lines(|out| write_program(out, ground));
        let shown = |shown: &Shown| lines(|out| write_shown(out, shown));
        let of_rules = first_difference(&rules(&self.ground), &rules(program));
        if of_rules.is_some() || projections.contains(&self.shown) {
            return of_rules;
        }
        let expected = projections.first().map(shown).unwrap_or_default();
        first_difference(&shown(&self.shown), &expected)
    }
}

fn lines(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<String> {
    let mut text = Vec::new();
    write(&mut text).expect("memory can be written");
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

fn first_difference(certificate: &[String], files: &[String]) -> Option<String> {
    let place = (0..certificate.len().max(files.len())).find(|&place| certificate.get(place) != files.get(place))?;
    let statement = |lines: &[String]| lines.get(place).map(|line| cut(line, WIDTH));
    Some(match (statement(files), statement(certificate)) {
        (Some(expected), Some(found)) => format!("expected the statement `{expected}`, found `{found}`"),
        (Some(expected), None) => format!("expected the statement `{expected}`, found no more statements of this kind"),
        (None, found) => {
            format!("expected no more statements of this kind, found `{}`", found.unwrap_or_default())
        }
    })
}
