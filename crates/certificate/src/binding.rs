//! Compares the program of a certificate with the ground program of files.
//!
//! The programs are compared statement by statement, in the form in which a certificate writes
//! them. This works because the same grounder numbers the atoms of the same files in the same way.

use ground::{GroundProgram, ShownTerms};

use super::check::Certificate;
use super::text::{shortened, write_program, write_shown};

/// Maximum width of a statement in a message, in bytes.
const WIDTH: usize = 100;

impl Certificate {
    /// Returns the first difference between the program of the certificate and `program`; `None` if
    /// they are equal. The shown terms of the certificate may be any of `projections`, such as the
    /// shown terms of the program or its projection atoms.
    pub fn difference(&self, program: &GroundProgram, projections: &[ShownTerms]) -> Option<String> {
        let rules = |ground: &GroundProgram| lines(|out| write_program(out, ground));
        let shown = |shown: &ShownTerms| lines(|out| write_shown(out, shown));
        let rule_difference = first_difference(&rules(&self.ground), &rules(program));
        if rule_difference.is_some() || projections.contains(&self.shown) {
            return rule_difference;
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
    let index = (0..certificate.len().max(files.len())).find(|&index| certificate.get(index) != files.get(index))?;
    let statement = |lines: &[String]| lines.get(index).map(|line| shortened(line, WIDTH));
    Some(match (statement(files), statement(certificate)) {
        (Some(expected), Some(found)) => format!("expected the statement `{expected}`, found `{found}`"),
        (Some(expected), None) => format!("expected the statement `{expected}`, found no more statements of this kind"),
        (None, found) => {
            format!("expected no more statements of this kind, found `{}`", found.unwrap_or_default())
        }
    })
}
