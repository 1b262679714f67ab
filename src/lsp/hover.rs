//! Hover texts and completions.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use lsp_types::CompletionItemKind as Kind;
use serde_json::{Value, json};

use super::check::MAX_ATOMS;
use super::navigation::name_at;
use super::state::DocumentState;
use super::text::{Text, folder_of};
use super::workspace::{Files, Workspace};
use crate::asp::syntax::{self, Signature};
use crate::asp::tree::{Head, Literal, Relation, Sign, Term};
use crate::asp::{NameKind, Program, Role, Statement, statements_of};
use crate::document::Document;
use crate::drawing::ELEMENTS;
use crate::words::thousands;

/// Returns Markdown about the name or statement at an offset.
pub fn hover<F: Files>(
    workspace: &Workspace<F>,
    state: Option<&DocumentState>,
    text: &Rc<Text>,
    at: usize,
) -> Option<Value> {
    let at_name = name_at(text, at);
    let statement = text.names().statement_at(at);
    let mut parts = Vec::new();
    match &at_name {
        Some((_, NameKind::Predicate(signature), _)) => parts.extend(predicate_info(workspace, state, text, signature)),
        Some((_, NameKind::Function(function), _)) if text.source_has_draw(at) => {
            parts.extend(
                ELEMENTS.iter().find(|(thing, _)| *thing == function.name).map(|(_, usage)| format!("draws: {usage}")),
            );
        }
        Some((_, NameKind::Constant(name), _)) => {
            let program = workspace.program(&text.name);
            let value = program.iter().find_map(|text| constant(text, name));
            parts.extend(value.map(|value| format!("`#const {name} = {value}.`")));
        }
        _ => {}
    }
    // The rule is described at its head, and where there is no name.
    let is_head =
        |range: &Range<usize>| text.names().all.iter().any(|name| name.range == *range && name.role == Role::Defines);
    if at_name.as_ref().is_none_or(|(range, ..)| is_head(range)) {
        parts.extend(statement.and_then(|number| rule_in_words(text, number)));
    }
    let range = match &at_name {
        Some((range, ..)) => range.clone(),
        None => text.names().statements.get(statement?)?.0.clone(),
    };
    let value = parts.join("\n\n---\n\n");
    (!value.is_empty())
        .then(|| json!({ "contents": { "kind": "markdown", "value": value }, "range": text.range(&range) }))
}

impl Text {
    /// Returns true if the offset is in a statement that uses `draw`.
    fn source_has_draw(&self, at: usize) -> bool {
        let statement = self.names().statement_at(at).map(|number| &self.names().statements[number].0);
        statement.is_some_and(|range| syntax::uses(&self.text[range.clone()], "draw"))
    }
}

fn constant(text: &Text, name: &str) -> Option<String> {
    let defines = |name_at: &&crate::asp::Name| {
        name_at.role == Role::Defines && name_at.kind == NameKind::Constant(name.to_owned())
    };
    let definition = text.names().all.iter().find(defines)?;
    let (range, _) = text.names().statements.get(definition.statement)?;
    let value = text.text[definition.range.end..range.end].trim_start_matches([' ', '=']).trim_end_matches('.');
    Some(value.trim().to_owned())
}

/// Returns the header's description of a predicate, and the number of its atoms.
fn predicate_info<F: Files>(
    workspace: &Workspace<F>,
    state: Option<&DocumentState>,
    text: &Rc<Text>,
    signature: &Signature,
) -> Vec<String> {
    let mut lines = Vec::new();
    for text in workspace.program(&text.name) {
        for doc in text.predicate_docs().iter().filter(|doc| doc.signature == *signature) {
            lines.push(format!("`{}`: {}", doc.form(), doc.words));
        }
    }
    lines.dedup();
    if lines.is_empty() {
        lines.push(format!("`{signature}`"));
    }
    let atoms = state.and_then(|state| state.atoms.get(&signature.to_string())).filter(|atoms| atoms.count > 0);
    if let Some(atoms) = atoms {
        let number = thousands(atoms.count);
        let count = match atoms.count {
            1 => "1 atom is".to_owned(),
            MAX_ATOMS.. => format!("{number} atoms or more are"),
            _ => format!("{number} atoms are"),
        };
        let more = if atoms.count > atoms.examples.len() { ", …" } else { "" };
        lines.push(format!("{count} possible: `{}`{more}", atoms.examples.join("`, `")));
    }
    vec![lines.join("\n\n")]
}

/// Describes a rule; the text of its `%!trace_rule` comment comes first.
fn rule_in_words(text: &Text, number: usize) -> Option<String> {
    let (range, is_whole) = text.names().statements.get(number)?;
    let source = &text.text[range.clone()];
    if !is_whole || source.starts_with("#include") {
        return None;
    }
    let program = Program::of([Document::in_memory("", source)]);
    let statement =
        statements_of(&program).ok()?.into_iter().find(|statement| !matches!(statement.head, Head::Program { .. }))?;
    let line_above = text.text[..range.start].trim_end().lines().next_back().unwrap_or_default();
    let trace = line_above.strip_prefix("%!trace_rule").and_then(|rest| rest.split('"').nth(1));
    let parts = [trace.map(|trace| format!("“{trace}”")), in_words(&statement)];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")).filter(|words| !words.is_empty())
}

fn in_words(statement: &Statement) -> Option<String> {
    let literal = |literal: &Literal| match (literal.atom(), literal.sign) {
        (Some(atom), Sign::Positive) => format!("`{atom}` holds"),
        (Some(atom), Sign::Negative) => format!("`{atom}` does not hold"),
        _ => format!("`{literal}`"),
    };
    let body = statement.body.iter().map(literal).collect::<Vec<_>>().join(" and ");
    let with_body = |words: String| if body.is_empty() { format!("{words}.") } else { format!("{words} if {body}.") };
    Some(match &statement.head {
        Head::Constraint => format!("It must not be that {body}."),
        Head::Atom(atom) => with_body(format!("`{atom}` holds")),
        Head::Choice(choice) => {
            let left = choice.left.iter().map(|bound| bound_in_words(bound.relation.mirrored(), &bound.term));
            let right = choice.right.iter().map(|bound| bound_in_words(bound.relation, &bound.term));
            let bounds: Vec<String> = left.chain(right).collect();
            let choice = statement.without_bounds().tree.head;
            with_body(match bounds.join(" and ") {
                none if none.is_empty() => format!("Any number of `{choice}` may be chosen"),
                some => format!("{}{} of `{choice}` must be chosen", some[..1].to_ascii_uppercase(), &some[1..]),
            })
        }
        Head::Disjunction(_) => with_body(format!("At least one of `{}` holds", statement.head)),
        Head::Show(Some(signature)) => format!("Answers show the atoms of `{signature}`."),
        Head::Minimize { .. } => return Some(format!("The best answers have the least cost: `{}`", statement.text)),
        _ => return None,
    })
}

/// Describes a number that is compared with a term.
fn bound_in_words(relation: Relation, term: &Term) -> String {
    let words = match relation {
        Relation::Equal => "exactly",
        Relation::LessEqual => "at most",
        Relation::GreaterEqual => "at least",
        Relation::Less => "fewer than",
        Relation::Greater => "more than",
        Relation::NotEqual => "any number but",
    };
    format!("{words} {term}")
}

const DIRECTIVES: [(&str, &str); 11] = [
    ("#show", "which atoms answers show: #show p/2."),
    ("#const", "a constant, which -c replaces: #const n = 8."),
    ("#defined", "no warning where nothing derives it: #defined p/2."),
    ("#minimize", "least cost: #minimize { W@L,X : p(X,W) }."),
    ("#maximize", "greatest value: #maximize { W@L,X : p(X,W) }."),
    ("#count", "how many: #count { X : p(X) } = N"),
    ("#sum", "a sum: #sum { W,X : p(X,W) } = N"),
    ("#min", "the least: #min { X : p(X) } = N"),
    ("#max", "the greatest: #max { X : p(X) } = N"),
    ("#include", "another file: #include \"other.lp\"."),
    ("#program", "a part: #program test_name(base)."),
];

/// Returns the completions of the word before an offset.
pub fn completions<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, at: usize, has_snippets: bool) -> Vec<Value> {
    let line = text.line(text.position(at).line as usize);
    let before = &text.text[line.start..at];
    let is_in_word = |sign: char| syntax::is_word(sign) || sign == '#';
    let start = at - (before.len() - before.trim_end_matches(is_in_word).len());
    let item = |label: &str, kind: Kind, detail: &str, from: usize, new: &str| {
        let mut item = json!({
            "label": label, "kind": kind, "textEdit": { "range": text.range(&(from..at)), "newText": new },
        });
        if !detail.is_empty() {
            item["detail"] = json!(detail);
        }
        if new.contains("${") {
            item["insertTextFormat"] = json!(2);
        }
        item
    };
    let is_comment = before.trim_start().starts_with('%');
    if is_comment || before.contains("#include") && before.contains('"') {
        let names_files = before.trim_start_matches(['%', ' ']).starts_with("Goes with") || !is_comment;
        let is_path_character = |sign: char| syntax::is_word(sign) || matches!(sign, '/' | '.' | '-');
        let from = at - (before.len() - before.trim_end_matches(is_path_character).len());
        let files = workspace.files.shared_files().into_iter().filter(|_| names_files && is_comment);
        let files_below =
            workspace.files.programs_below(&[folder_of(&text.name)]).into_iter().filter(|_| names_files && !is_comment);
        let relative = files_below
            .filter_map(|name| Some(name.strip_prefix(&folder_of(&text.name))?.trim_start_matches('/').to_owned()));
        return files.chain(relative).map(|file| item(&file, Kind::FILE, "", from, &file)).collect();
    }
    if text.text[start..at].starts_with('#') {
        return DIRECTIVES.iter().map(|(name, usage)| item(name, Kind::KEYWORD, usage, start, name)).collect();
    }
    let statement =
        text.names().statement_at(start).and_then(|number| Some((number, text.names().statements.get(number)?)));
    let source = statement.map_or(before, |(_, (range, _))| &text.text[range.start..start.max(range.start)]);
    let mut found = Vec::new();
    let is_drawn = text.text[..start].trim_end().ends_with("draw(") && source.contains("draw(");
    if is_drawn {
        found.extend(ELEMENTS.iter().map(|(name, usage)| {
            let form = usage.split(':').next().unwrap_or(name).split(" or ").next().unwrap_or(name);
            let form = form.find(')').map_or(*name, |end| &form[..=end]);
            item(name, Kind::FUNCTION, usage, start, &snippet(form, has_snippets))
        }));
        return found;
    }
    // Variables of the statement come first, then predicates of the program.
    let mut names: Vec<&str> = Vec::new();
    for name in &text.names().all {
        let is_in_statement = statement.is_some_and(|(number, _)| number == name.statement);
        if let NameKind::Variable(variable) = &name.kind
            && is_in_statement
            && name.range.end != at
            && !names.contains(&variable.as_str())
        {
            names.push(variable);
        }
    }
    found.extend(names.into_iter().map(|name| item(name, Kind::VARIABLE, "", start, name)));
    let program = workspace.program(&text.name);
    // The header's argument names take precedence.
    let docs = program.iter().flat_map(|text| text.predicate_docs());
    let mut forms: Vec<(Signature, String, &str)> = Vec::new();
    forms.extend(docs.map(|doc| (doc.signature.clone(), doc.form(), doc.words.as_str())));
    for program_text in &program {
        for name in
            program_text.names().all.iter().filter(|name| !(program_text.name == text.name && name.range.end == at))
        {
            if let NameKind::Predicate(signature) = &name.kind {
                forms.push((signature.clone(), form_of(program_text, name), ""));
            }
        }
    }
    let mut listed: BTreeSet<&Signature> = BTreeSet::new();
    for (signature, form, words) in &forms {
        if listed.insert(signature) {
            let label = form.trim_start_matches('-');
            found.push(item(label, Kind::FUNCTION, words, start, &snippet(label, has_snippets)));
        }
    }
    found
}

/// Returns the atom whose predicate name is at `name`, without blanks between its tokens.
fn form_of(text: &Text, name: &crate::asp::Name) -> String {
    let rest = &text.text[name.range.end..];
    let (arity, length) = syntax::arguments(rest);
    let arguments = if arity > 0 { &rest[..length] } else { "" };
    // Blanks between tokens are dropped, and those in strings are kept.
    syntax::tokens(arguments).fold(text.source(name).to_owned(), |form, token| form + token.text)
}

/// Returns `p(R,C)` with a tab stop at each argument, if the editor supports snippets.
fn snippet(form: &str, has_snippets: bool) -> String {
    let plain = form.strip_suffix(')').and_then(|form| form.split_once('('));
    match plain {
        Some((name, inside)) if has_snippets && !inside.contains(['(', '"', '$', '}']) => {
            let stops =
                inside.split(',').enumerate().map(|(number, argument)| format!("${{{}:{argument}}}", number + 1));
            format!("{name}({})", stops.collect::<Vec<_>>().join(","))
        }
        _ => form.to_owned(),
    }
}
