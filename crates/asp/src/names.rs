//! Occurrences of predicates, functions, constants and variables in a text. They come from clingo's
//! syntax tree, and in statements that clingo rejects from the tokens.

use std::ops::Range;

use base::document::Document;
use base::lines::{LineIndex, Position};
use base::sorting;

use super::ffi::ast;
use super::statement::MAX_NESTING;
use super::syntax::{self, Annotation, Signature};
use super::tree::{Atom, Head, Part, Span, SyntaxTree, Term, TermKind};

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Byte range in the text.
    pub range: Range<usize>,
    pub kind: NameKind,
    pub role: Role,
    /// The number of its statement; for an annotation of a rule, the number of that rule.
    pub statement: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NameKind {
    Predicate(Signature),
    Function(Signature),
    Constant(String),
    Variable(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// In a head, or in `#const`.
    Defines,
    /// In `#defined`, `#show` and similar directives, or in an annotation.
    Mentions,
    Uses,
}

/// All names of a text, in order of occurrence.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub all: Vec<Name>,
    /// The byte ranges of the statements, including the weights of `:~`, each with true if clingo
    /// accepts the statement.
    pub statements: Vec<(Range<usize>, bool)>,
}

/// Maximum length of a text in bytes; longer texts are data.
const MAX_BYTES: usize = 4_000_000;

impl Names {
    pub fn of(text: &str) -> Names {
        if text.len() > MAX_BYTES || text.contains('\0') || syntax::is_ground_format(text) {
            return Names::default();
        }
        // Blank out `#include`, since clingo would read the included files.
        let text = syntax::blank_out(text, syntax::includes(text).into_iter().map(|(range, _)| range));
        let mut reader = NameReader::new(&text);
        if syntax::nesting_depth(&text) > MAX_NESTING || reader.read(&text, 0, 0).is_none() {
            reader = NameReader::new(&text);
            let mut end = 0;
            for range in syntax::ranges(&text).chain(std::iter::once(0..0)) {
                // A statement that is being typed may lack its period, so that a blank line also
                // ends it.
                let range = if range.is_empty() { end..text.len() } else { end.max(range.start)..range.end };
                let mut start = range.start;
                while let Some(gap) = text[start..range.end].find("\n\n") {
                    reader.read_statement(start..start + gap);
                    start += gap + 2;
                }
                reader.read_statement(start..range.end);
                end = range.end;
            }
        }
        reader.read_annotations();
        let NameReader { mut names, .. } = reader;
        sorting::sort_by_key(&mut names.all, |name| (name.range.start, name.range.end));
        names.all.dedup();
        names
    }

    /// Returns the name at a byte offset, or directly before it.
    pub fn at(&self, at: usize) -> Option<&Name> {
        let touching = || self.all.iter().filter(|name| name.range.start <= at && at <= name.range.end);
        touching().find(|name| at < name.range.end).or_else(|| touching().next())
    }

    /// Returns the number of the statement at a byte offset.
    pub fn statement_at(&self, at: usize) -> Option<usize> {
        self.statements.iter().position(|(range, _)| range.start <= at && at <= range.end)
    }
}

struct NameReader<'a> {
    text: &'a str,
    lines: LineIndex,
    /// The byte ranges of `#minimize { … }.` and `#maximize { … }.` statements.
    minimize_ranges: Vec<Range<usize>>,
    /// The byte offset at which the text being read begins.
    base: usize,
    names: Names,
}

impl<'a> NameReader<'a> {
    fn new(text: &'a str) -> Self {
        let is_minimised = |range: &Range<usize>| text[range.clone()].starts_with("#m");
        let minimize_ranges = text.contains("#m").then(|| syntax::ranges(text).filter(is_minimised).collect());
        let lines = LineIndex::new(text);
        NameReader {
            text,
            lines,
            minimize_ranges: minimize_ranges.unwrap_or_default(),
            base: 0,
            names: Names::default(),
        }
    }

    /// Reads statements at a byte offset of the text. Returns `None` if clingo rejects them.
    fn read(&mut self, statements: &str, base: usize, first: usize) -> Option<()> {
        let mut is_known = true;
        let mut number = first;
        self.base = base;
        ast::parse(&[&Document::in_memory("", statements)], |node| match node.to_tree() {
            Ok(tree) => tree.iter().for_each(|tree| self.statement(tree, &mut number)),
            Err(_) => is_known = false,
        })
        .ok()?;
        is_known.then_some(())
    }

    /// Reads a single statement.
    fn read_statement(&mut self, range: Range<usize>) {
        let source = &self.text[range.clone()];
        let start = range.start + source.len() - source.trim_start().len();
        let range = start..range.start + source.trim_end().len();
        if range.is_empty() || syntax::is_blank(&self.text[range.clone()]) {
            return;
        }
        let name_count = self.names.all.len();
        let statement_count = self.names.statements.len();
        let is_deep = syntax::nesting_depth(&self.text[range.clone()]) > MAX_NESTING;
        if is_deep || self.read(&self.text[range.clone()], range.start, statement_count).is_none() {
            self.names.all.truncate(name_count);
            self.names.statements.truncate(statement_count);
            self.read_words(range.clone(), statement_count);
            self.names.statements.push((range, false));
        }
    }

    fn range_of(&self, span: Span) -> Range<usize> {
        let first_line = self.lines.position(self.base).line;
        let offset = |Position { line, column }| {
            let offset = match line {
                1 => self.base + column - 1,
                _ => self.lines.offset(Position { line: first_line + line - 1, column }),
            };
            self.text.floor_char_boundary(offset.min(self.text.len()))
        };
        let start = offset(span.start());
        start..offset(span.end()).max(start)
    }

    fn statement(&mut self, tree: &SyntaxTree, number: &mut usize) {
        let mut range = self.range_of(tree.span());
        let source = &self.text[range.clone()];
        // Skip the `#program base.` that clingo puts first.
        if source.is_empty() {
            return;
        }
        // clingo reports each element of `#minimize` as a statement.
        if matches!(tree.head, Head::Minimize { .. }) && !source.starts_with(":~") {
            range = self.enclosing_minimize(&range);
        }
        if self.names.statements.last().is_none_or(|(last, _)| *last != range) {
            *number += 1;
            self.names.statements.push((range.clone(), true));
        }
        let statement = *number - 1;
        match &tree.head {
            Head::Show(Some(signature)) | Head::Defined(signature) | Head::Project(signature) => {
                self.add(&range, &signature.name, NameKind::Predicate(signature.clone()), Role::Mentions, statement);
            }
            Head::Const { name, .. } => {
                self.add(&range, name, NameKind::Constant((*name).to_owned()), Role::Defines, statement);
            }
            _ => {}
        }
        let is_rule = tree.is_rule();
        tree.head.for_each_child(&mut |part| match (part, &tree.head) {
            (Part::Term(atom), Head::External { value, .. }) if !std::ptr::eq(atom, value) => {
                self.predicate(atom, true, true, statement);
            }
            (Part::Term(_), Head::External { .. }) => {}
            (Part::Term(term), Head::ProjectAtom(atom) | Head::Heuristic { atom, .. }) if std::ptr::eq(term, atom) => {
                self.predicate(term, true, false, statement);
            }
            _ => self.part(part, is_rule, statement),
        });
        for literal in &tree.body {
            self.part(Part::Literal(literal), false, statement);
        }
    }

    /// Returns the `#minimize { … }.` statement that contains an element.
    fn enclosing_minimize(&self, element: &Range<usize>) -> Range<usize> {
        let number = self.minimize_ranges.partition_point(|whole| whole.end < element.end);
        let whole = self.minimize_ranges.get(number).filter(|whole| whole.start <= element.start);
        whole.unwrap_or(element).clone()
    }

    /// Adds the names of a part; the atoms of a head are defined.
    fn part(&mut self, part: Part<'_>, is_head: bool, statement: usize) {
        match part {
            Part::Literal(literal) if let Atom::Symbolic(atom) = &literal.atom => {
                self.predicate(atom, true, is_head, statement);
            }
            Part::Element(element) => {
                element.terms.iter().flatten().for_each(|term| self.part(Part::Term(term), false, statement));
                element.literal.iter().for_each(|literal| self.part(Part::Literal(literal), is_head, statement));
                element.condition.iter().for_each(|literal| self.part(Part::Literal(literal), false, statement));
            }
            Part::Term(term) => self.term(term, statement),
            _ => part.for_each_child(&mut |child| self.part(child, is_head, statement)),
        }
    }

    fn term(&mut self, term: &Term, statement: usize) {
        let name = match &term.kind {
            TermKind::Function { name, arguments, .. } if !name.is_empty() => {
                Some((*name, NameKind::Function(Signature::new(*name, arguments.len()))))
            }
            _ => match (term.constant(), term.variable()) {
                (Some(name), _) => Some((name, NameKind::Constant(name.to_owned()))),
                (_, Some(name)) => Some((name, NameKind::Variable(name.to_owned()))),
                _ => None,
            },
        };
        if let Some((name, kind)) = name {
            self.add(&self.range_of(term.span), name, kind, Role::Uses, statement);
        }
        Part::Term(term).for_each_child(&mut |child| self.part(child, false, statement));
    }

    fn predicate(&mut self, atom: &Term, is_positive: bool, is_head: bool, statement: usize) {
        let (name, arguments) = match &atom.kind {
            TermKind::Unary(_, argument) => return self.predicate(argument, false, is_head, statement),
            TermKind::Pool(alternatives) => {
                return alternatives.iter().for_each(|atom| self.predicate(atom, is_positive, is_head, statement));
            }
            TermKind::Function { name, arguments, .. } => (*name, &arguments[..]),
            _ => (atom.constant().unwrap_or_default(), &[][..]),
        };
        let kind = NameKind::Predicate(Signature { is_positive, ..Signature::new(name, arguments.len()) });
        let role = if is_head { Role::Defines } else { Role::Uses };
        self.add(&self.range_of(atom.span), name, kind, role, statement);
        arguments.iter().for_each(|argument| self.term(argument, statement));
    }

    /// Adds the first token in a range that is equal to `name`.
    fn add(&mut self, range: &Range<usize>, name: &str, kind: NameKind, role: Role, statement: usize) {
        if let Some(token) = syntax::tokens(&self.text[range.clone()]).find(|token| token.text == name) {
            let range = range.start + token.start..range.start + token.end();
            self.names.all.push(Name { range, kind, role, statement });
        }
    }

    /// Classifies the tokens of a statement that clingo rejects.
    fn read_words(&mut self, range: Range<usize>, statement: usize) {
        let source = &self.text[range.clone()];
        let mut depth = 0_usize;
        for token in syntax::tokens(source) {
            let kind = match token.text {
                "(" => {
                    depth += 1;
                    continue;
                }
                ")" => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                "not" => continue,
                word if syntax::is_name(word) => {
                    // Do not count the arguments of deeply nested terms, which would take quadratic
                    // time.
                    let arity = if depth > MAX_NESTING { 0 } else { syntax::arguments(&source[token.end()..]).0 };
                    match (depth, arity) {
                        (0, _) => NameKind::Predicate(Signature::new(word, arity)),
                        (_, 0) => NameKind::Constant(word.to_owned()),
                        _ => NameKind::Function(Signature::new(word, arity)),
                    }
                }
                word if word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase()) => {
                    NameKind::Variable(word.to_owned())
                }
                _ => continue,
            };
            let is_first = token.start == 0 && matches!(kind, NameKind::Predicate(_));
            let role = if is_first { Role::Defines } else { Role::Uses };
            let range = range.start + token.start..range.start + token.end();
            self.names.all.push(Name { range, kind, role, statement });
        }
    }

    /// Reads the annotations `%!trace_rule {"words",Terms}.`, which precede a rule, and
    /// `%!trace {"words",Terms} atom.`, which may occur anywhere.
    fn read_annotations(&mut self) {
        for Annotation { range, word, rest } in syntax::annotations(self.text) {
            let Some(open) = rest.find('{') else { continue };
            let close = syntax::tokens(&rest[open..]).find(|token| token.text == "}");
            let Some(close) = close.map(|close| open + close.start) else { continue };
            let next_statement = self.names.statements.iter().position(|(statement, _)| statement.start > range.start);
            let statement_count = self.names.statements.len();
            let start = range.end - rest.len();
            let terms = format!(":-({})=0.", &rest[open + 1..close]);
            let atom_text = &rest[close + 1..];
            let first = self.names.all.len();
            // Ignore annotations that clingo rejects.
            let _ = self.read(&terms, start + open - 2, statement_count);
            if !atom_text.trim_end_matches('.').trim().is_empty() {
                let _ = self.read(&format!(":-{atom_text}"), start + close - 1, statement_count);
            }
            self.names.statements.truncate(statement_count);
            for name in &mut self.names.all[first..] {
                // The variables in the annotation of an atom are local to the annotation.
                name.statement = if word == "trace_rule" {
                    next_statement.unwrap_or(statement_count)
                } else {
                    statement_count + range.start
                };
                name.role = Role::Mentions;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        let names = Names::of(text);
        let of_name = |name: &Name| {
            assert!(text.is_char_boundary(name.range.start), "{name:?}");
            let role = match name.role {
                Role::Defines => "!",
                Role::Mentions => "'",
                Role::Uses => "",
            };
            let kind = match &name.kind {
                NameKind::Predicate(signature) => signature.to_string(),
                NameKind::Function(signature) => format!("f:{signature}"),
                NameKind::Constant(name) => format!("c:{name}"),
                NameKind::Variable(name) => name.clone(),
            };
            format!("{}:{kind}{role}", name.range.start)
        };
        names.all.iter().map(of_name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_have_their_places_and_roles() {
        assert_eq!(describe("a(X) :- b(X,c), not -d(f(X))."), "0:a/1! 2:X 8:b/2 10:X 12:c:c 21:-d/1 23:f:f/1 25:X");
        assert_eq!(describe("{ p(X) : q(X) }. a ; b :- c."), "2:p/1! 4:X 9:q/1 11:X 17:a/0! 21:b/0! 26:c/0");
        assert_eq!(describe("#const n = m. #show p/2. #defined q/0."), "7:c:n! 11:c:m 20:p/2' 34:q/0'");
        assert_eq!(describe("#minimize { W@1,X : p(X,W); 1 : q }. r."), "12:W 16:X 20:p/2 22:X 24:W 32:q/0 37:r/0!");
        assert_eq!(Names::of("#minimize { W@1,X : p(X,W); 1 : q }. r.").statements[0].0, 0..36);
        assert_eq!(describe("p(1;2,X). % p(3)\n"), "0:p/1! 0:p/2! 6:X");
        assert_eq!(
            describe("#external e(X) : d(X). #show t(X) : s(X)."),
            "10:e/1! 12:X 17:d/1 19:X 29:f:t/1 31:X 36:s/1 38:X"
        );
        assert_eq!(describe("é(\"ö\"). p(\"ö\",X) :- q."), "10:p/2! 17:X 23:q/0");
    }

    #[test]
    fn annotations_of_rules_and_atoms_mention_their_names() {
        let text = "%!trace_rule {\"row % (\",R}.\n:- p(R).\n%!trace {\"% is\",X} not q(X).\n";
        let names = Names::of(text);
        let rule: Vec<_> = names.all.iter().filter(|name| name.statement == 0).map(|name| name.range.start).collect();
        assert_eq!(rule, [24, 31, 33]);
        assert_eq!(names.all.iter().filter(|name| name.kind == NameKind::Predicate(Signature::new("q", 1))).count(), 1);
        assert_eq!(names.statements.len(), 1);
    }

    #[test]
    fn an_unfinished_statement_hides_no_other() {
        let names = Names::of("a(X) :- b(X).\nc(X :- d(\n\ne :- a(1).\n#include \"x.lp\".\nf.");
        assert_eq!(names.statements.iter().map(|(_, whole)| *whole).collect::<Vec<_>>(), [true, false, true, true]);
        assert!(names.all.iter().any(|name| name.kind == NameKind::Predicate(Signature::new("e", 0))));
        for text in
            ["", "a", "\"", "%*", "(", "a(\"", "é", "%!trace {", "%!trace_rule {\"é\"", "#include \"é", ":-", "%!x{}."]
        {
            Names::of(text);
        }
    }
}
