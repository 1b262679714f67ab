//! Where a text names predicates, functions, constants and variables: by clingo's own syntax tree, and, in a statement that
//! clingo does not take, by its words.

use std::ops::Range;

use super::ffi::ast::{self, Attribute, Node, NodeKind};
use super::statement::{Called, MAX_NESTING, shown_signature};
use super::syntax::{self, Remark, Signature};
use crate::document::Document;
use crate::sorting;

/// A name at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Its bytes in the text.
    pub range: Range<usize>,
    pub what: What,
    pub role: Role,
    /// The number of its statement; that of the next one for a comment about a rule.
    pub statement: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum What {
    Predicate(Signature),
    Function(Signature),
    Constant(String),
    Variable(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// In a head, or in `#const`.
    Defines,
    /// In `#defined`, `#show` and the like, or in a comment.
    Mentions,
    Uses,
}

/// All names of a text, in the order in which they stand.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub all: Vec<Name>,
    /// The bytes of the statements, with the weights of `:~`, and whether clingo takes each.
    pub statements: Vec<(Range<usize>, bool)>,
}

/// Longer texts are data.
const MOST_BYTES: usize = 4_000_000;

impl Names {
    pub fn of(text: &str) -> Names {
        if text.len() > MOST_BYTES || text.contains('\0') || syntax::is_ground_format(text) {
            return Names::default();
        }
        // clingo would read what is included.
        let text = syntax::blanked(text, syntax::includes(text).into_iter().map(|(range, _)| range));
        let mut reader = Reader::new(&text);
        if syntax::nesting_depth(&text) > MAX_NESTING || reader.read(&text, 0, 0).is_none() {
            reader = Reader::new(&text);
            let mut end = 0;
            for range in syntax::ranges(&text).chain(std::iter::once(0..0)) {
                // What is being typed may lack its period: a blank line ends it, too.
                let range = if range.is_empty() { end..text.len() } else { end.max(range.start)..range.end };
                let mut start = range.start;
                while let Some(gap) = text[start..range.end].find("\n\n") {
                    reader.apart(start..start + gap);
                    start += gap + 2;
                }
                reader.apart(start..range.end);
                end = range.end;
            }
        }
        reader.comments();
        let Reader { mut names, .. } = reader;
        sorting::sort_by_key(&mut names.all, |name| (name.range.start, name.range.end));
        names.all.dedup();
        names
    }

    /// The name at a byte, or right before it.
    pub fn at(&self, at: usize) -> Option<&Name> {
        let touching = || self.all.iter().filter(|name| name.range.start <= at && at <= name.range.end);
        touching().find(|name| at < name.range.end).or_else(|| touching().next())
    }

    /// The number of the statement that holds a byte.
    pub fn statement_at(&self, at: usize) -> Option<usize> {
        self.statements.iter().position(|(range, _)| range.start <= at && at <= range.end)
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<usize>,
    /// The bytes of each `#minimize { … }.`, and of its kin.
    minimised: Vec<Range<usize>>,
    /// The byte at which what is being read begins.
    base: usize,
    names: Names,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let is_minimised = |range: &Range<usize>| text[range.clone()].starts_with("#m");
        let minimised = text.contains("#m").then(|| syntax::ranges(text).filter(is_minimised).collect());
        let lines = syntax::line_starts(text);
        Reader { text, lines, minimised: minimised.unwrap_or_default(), base: 0, names: Names::default() }
    }

    /// Reads statements that stand at a byte of the text; none where clingo does not take them.
    fn read(&mut self, statements: &str, base: usize, first: usize) -> Option<()> {
        let mut wrong = None;
        let mut number = first;
        self.base = base;
        ast::parse(&[&Document::in_memory("", statements)], |node| {
            if wrong.is_none() {
                wrong = self.statement(&node, &mut number).err();
            }
        })
        .ok()?;
        wrong.is_none().then_some(())
    }

    /// Reads one statement by itself.
    fn apart(&mut self, range: Range<usize>) {
        let source = &self.text[range.clone()];
        let start = range.start + source.len() - source.trim_start().len();
        let range = start..range.start + source.trim_end().len();
        if range.is_empty() || syntax::is_blank(&self.text[range.clone()]) {
            return;
        }
        let (known, statements) = (self.names.all.len(), self.names.statements.len());
        let deep = syntax::nesting_depth(&self.text[range.clone()]) > MAX_NESTING;
        if deep || self.read(&self.text[range.clone()], range.start, statements).is_none() {
            self.names.all.truncate(known);
            self.names.statements.truncate(statements);
            self.words(range.clone(), statements);
            self.names.statements.push((range, false));
        }
    }

    fn range_of(&self, node: &Node) -> Called<Range<usize>> {
        let place = node.place()?;
        let above = self.lines.partition_point(|&start| start <= self.base) - 1;
        let offset = |line: usize, column: usize| {
            let start = match line {
                1 => self.base,
                _ => self.lines.get(above + line - 1).copied().unwrap_or(self.text.len()),
            };
            self.text.floor_char_boundary((start + column - 1).min(self.text.len()))
        };
        let start = offset(place.start.line, place.start.column);
        Ok(start..offset(place.end.line, place.end.column).max(start))
    }

    fn statement(&mut self, node: &Node, number: &mut usize) -> Called<()> {
        let (kind, mut range) = (node.kind()?, self.range_of(node)?);
        let source = &self.text[range.clone()];
        // clingo begins each text with `#program base.`, and comments are nodes too.
        if source.is_empty() || source.starts_with('%') || source.starts_with("#!") {
            return Ok(());
        }
        // clingo makes a statement of each element of what is minimised.
        if kind == NodeKind::Minimize && !source.starts_with(":~") {
            range = self.around(&range);
        }
        if self.names.statements.last().is_none_or(|(last, _)| *last != range) {
            *number += 1;
            self.names.statements.push((range.clone(), true));
        }
        let (source, statement) = (&self.text[range.clone()], *number - 1);
        let word = source.split(|sign: char| sign.is_whitespace()).next().unwrap_or_default();
        match (kind, word) {
            (NodeKind::ShowSignature, _) | (NodeKind::Other, "#defined") | (NodeKind::Project, _)
                if node.string(Attribute::Name).is_ok_and(|name| !name.is_empty()) =>
            {
                let signature = shown_signature(node)?;
                self.add(&range, &signature.name.clone(), What::Predicate(signature), Role::Mentions, statement);
            }
            (NodeKind::Other, "#const") => {
                let name = node.string(Attribute::Name)?;
                self.add(&range, &name, What::Constant(name.clone()), Role::Defines, statement);
                self.below(node, false, statement)?;
            }
            (NodeKind::Rule, _) => {
                node.nodes(Attribute::Head)?.iter().try_for_each(|head| self.walk(head, true, statement))?;
                node.nodes(Attribute::Body)?.iter().try_for_each(|literal| self.walk(literal, false, statement))?;
            }
            (NodeKind::External, _) => {
                node.nodes(Attribute::Atom)?.iter().try_for_each(|atom| self.walk(atom, true, statement))?;
                node.nodes(Attribute::Body)?.iter().try_for_each(|literal| self.walk(literal, false, statement))?;
            }
            _ => self.below(node, false, statement)?,
        }
        Ok(())
    }

    /// The whole of `#minimize { … }.`, of which a range is an element.
    fn around(&self, element: &Range<usize>) -> Range<usize> {
        let number = self.minimised.partition_point(|whole| whole.end < element.end);
        let whole = self.minimised.get(number).filter(|whole| whole.start <= element.start);
        whole.unwrap_or(element).clone()
    }

    fn below(&mut self, node: &Node, is_head: bool, statement: usize) -> Called<()> {
        node.children()?.iter().try_for_each(|child| self.walk(child, is_head, statement))
    }

    fn walk(&mut self, node: &Node, is_head: bool, statement: usize) -> Called<()> {
        match node.kind()? {
            NodeKind::ConditionalLiteral => {
                let (literal, condition) = (node.nodes(Attribute::Literal)?, node.nodes(Attribute::Condition)?);
                literal.iter().try_for_each(|literal| self.walk(literal, is_head, statement))?;
                condition.iter().try_for_each(|literal| self.walk(literal, false, statement))
            }
            NodeKind::SymbolicAtom => {
                let symbol = node.nodes(Attribute::Symbol)?;
                symbol.iter().try_for_each(|symbol| self.predicate(symbol, true, is_head, statement))
            }
            NodeKind::Function => {
                let name = node.string(Attribute::Name)?;
                let arguments = node.nodes(Attribute::Arguments)?;
                if !name.is_empty() {
                    let what = What::Function(Signature::new(&name, arguments.len()));
                    self.add(&self.range_of(node)?, &name, what, Role::Uses, statement);
                }
                arguments.iter().try_for_each(|argument| self.walk(argument, false, statement))
            }
            NodeKind::SymbolicTerm => {
                let name = node.text()?;
                if syntax::is_name(&name) {
                    self.add(&self.range_of(node)?, &name, What::Constant(name.clone()), Role::Uses, statement);
                }
                Ok(())
            }
            NodeKind::Variable => {
                let name = node.string(Attribute::Name)?;
                if name != "_" {
                    self.add(&self.range_of(node)?, &name, What::Variable(name.clone()), Role::Uses, statement);
                }
                Ok(())
            }
            _ => self.below(node, is_head, statement),
        }
    }

    fn predicate(&mut self, term: &Node, is_positive: bool, is_head: bool, statement: usize) -> Called<()> {
        match term.kind()? {
            NodeKind::UnaryOperation => {
                let argument = term.nodes(Attribute::Argument)?;
                argument.iter().try_for_each(|argument| self.predicate(argument, false, is_head, statement))
            }
            NodeKind::Pool => {
                let arguments = term.nodes(Attribute::Arguments)?;
                arguments.iter().try_for_each(|argument| self.predicate(argument, is_positive, is_head, statement))
            }
            kind => {
                let (name, arguments) = match kind {
                    NodeKind::Function => (term.string(Attribute::Name)?, term.nodes(Attribute::Arguments)?),
                    _ => (term.text()?, Vec::new()),
                };
                let what = What::Predicate(Signature { is_positive, ..Signature::new(&name, arguments.len()) });
                let role = if is_head { Role::Defines } else { Role::Uses };
                self.add(&self.range_of(term)?, &name, what, role, statement);
                arguments.iter().try_for_each(|argument| self.walk(argument, false, statement))
            }
        }
    }

    /// Adds a name that stands somewhere in a range, as a word of its own.
    fn add(&mut self, range: &Range<usize>, name: &str, what: What, role: Role, statement: usize) {
        if let Some(token) = syntax::tokens(&self.text[range.clone()]).find(|token| token.text == name) {
            let range = range.start + token.start..range.start + token.end();
            self.names.all.push(Name { range, what, role, statement });
        }
    }

    /// What the words of a statement look like that clingo does not take.
    fn words(&mut self, range: Range<usize>, statement: usize) {
        let source = &self.text[range.clone()];
        let mut depth = 0_usize;
        for token in syntax::tokens(source) {
            let what = match token.text {
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
                    // What nests deeper has no arguments, so that the time does not grow with the square.
                    let arity = if depth > MAX_NESTING { 0 } else { syntax::arguments(&source[token.end()..]).0 };
                    match (depth, arity) {
                        (0, _) => What::Predicate(Signature::new(word, arity)),
                        (_, 0) => What::Constant(word.to_owned()),
                        _ => What::Function(Signature::new(word, arity)),
                    }
                }
                word if word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase()) => {
                    What::Variable(word.to_owned())
                }
                _ => continue,
            };
            let is_first = token.start == 0 && matches!(what, What::Predicate(_));
            let role = if is_first { Role::Defines } else { Role::Uses };
            let range = range.start + token.start..range.start + token.end();
            self.names.all.push(Name { range, what, role, statement });
        }
    }

    /// `%!trace_rule {"words",Terms}.` stands before its rule, `%!trace {"words",Terms} atom.` anywhere.
    fn comments(&mut self) {
        for Remark { range, word, rest } in syntax::remarks(self.text) {
            let Some(open) = rest.find('{') else { continue };
            let close = syntax::tokens(&rest[open..]).find(|token| token.text == "}");
            let Some(close) = close.map(|close| open + close.start) else { continue };
            let next = self.names.statements.iter().position(|(statement, _)| statement.start > range.start);
            let (known, start) = (self.names.statements.len(), range.end - rest.len());
            let terms = format!(":-({})=0.", &rest[open + 1..close]);
            let behind = &rest[close + 1..];
            let first = self.names.all.len();
            // What cannot be read is left alone.
            let _ = self.read(&terms, start + open - 2, known);
            if !behind.trim_end_matches('.').trim().is_empty() {
                let _ = self.read(&format!(":-{behind}"), start + close - 1, known);
            }
            self.names.statements.truncate(known);
            for name in &mut self.names.all[first..] {
                // Variables of a comment about an atom are its own.
                name.statement = if word == "trace_rule" { next.unwrap_or(known) } else { known + range.start };
                name.role = Role::Mentions;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let names = Names::of(text);
        let of_name = |name: &Name| {
            assert!(text.is_char_boundary(name.range.start), "{name:?}");
            let role = match name.role {
                Role::Defines => "!",
                Role::Mentions => "'",
                Role::Uses => "",
            };
            let what = match &name.what {
                What::Predicate(signature) => signature.to_string(),
                What::Function(signature) => format!("f:{signature}"),
                What::Constant(name) => format!("c:{name}"),
                What::Variable(name) => name.clone(),
            };
            format!("{}:{what}{role}", name.range.start)
        };
        names.all.iter().map(of_name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_have_their_places_and_roles() {
        assert_eq!(told("a(X) :- b(X,c), not -d(f(X))."), "0:a/1! 2:X 8:b/2 10:X 12:c:c 21:-d/1 23:f:f/1 25:X");
        assert_eq!(told("{ p(X) : q(X) }. a ; b :- c."), "2:p/1! 4:X 9:q/1 11:X 17:a/0! 21:b/0! 26:c/0");
        assert_eq!(told("#const n = m. #show p/2. #defined q/0."), "7:c:n! 11:c:m 20:p/2' 34:q/0'");
        assert_eq!(told("#minimize { W@1,X : p(X,W); 1 : q }. r."), "12:W 16:X 20:p/2 22:X 24:W 32:q/0 37:r/0!");
        assert_eq!(Names::of("#minimize { W@1,X : p(X,W); 1 : q }. r.").statements[0].0, 0..36);
        assert_eq!(told("p(1;2,X). % p(3)\n"), "0:p/1! 0:p/2! 6:X");
        assert_eq!(
            told("#external e(X) : d(X). #show t(X) : s(X)."),
            "10:e/1! 12:X 17:d/1 19:X 29:f:t/1 31:X 36:s/1 38:X"
        );
        assert_eq!(told("é(\"ö\"). p(\"ö\",X) :- q."), "10:p/2! 17:X 23:q/0");
    }

    #[test]
    fn comments_about_rules_and_atoms_name_what_these_have() {
        let text = "%!trace_rule {\"row % (\",R}.\n:- p(R).\n%!trace {\"% is\",X} not q(X).\n";
        let names = Names::of(text);
        let rule: Vec<_> = names.all.iter().filter(|name| name.statement == 0).map(|name| name.range.start).collect();
        assert_eq!(rule, [24, 31, 33]);
        assert_eq!(names.all.iter().filter(|name| name.what == What::Predicate(Signature::new("q", 1))).count(), 1);
        assert_eq!(names.statements.len(), 1);
    }

    #[test]
    fn a_statement_that_is_being_typed_hides_no_other() {
        let names = Names::of("a(X) :- b(X).\nc(X :- d(\n\ne :- a(1).\n#include \"x.lp\".\nf.");
        assert_eq!(names.statements.iter().map(|(_, whole)| *whole).collect::<Vec<_>>(), [true, false, true, true]);
        assert!(names.all.iter().any(|name| name.what == What::Predicate(Signature::new("e", 0))));
        for text in
            ["", "a", "\"", "%*", "(", "a(\"", "é", "%!trace {", "%!trace_rule {\"é\"", "#include \"é", ":-", "%!x{}."]
        {
            Names::of(text);
        }
    }
}
