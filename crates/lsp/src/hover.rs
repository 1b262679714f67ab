//! Hover texts and completions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use asp::syntax::{self, Signature};
use asp::tree::{Head, Literal, Relation, Sign, Term};
use asp::{Name, NameKind, Program, Role, Statement, statements_of};
use base::document::Document;
use base::words::thousands;
use drawing::ELEMENTS;
use lsp_types::CompletionItemKind as Kind;
use serde_json::{Value, json};

use super::check::MAX_ATOMS;
use super::navigation::name_at;
use super::state::DocumentState;
use super::text::{Text, folder_of};
use super::workspace::{Files, Workspace};

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
    let defines =
        |name_at: &&Name| name_at.role == Role::Defines && name_at.kind == NameKind::Constant(name.to_owned());
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
    let is_comment = before.trim_start().starts_with('%');
    if is_comment || before.contains("#include") && before.contains('"') {
        return file_completions(workspace, text, at, before, is_comment);
    }
    let range = text.range(&(start..at));
    if text.text[start..at].starts_with('#') {
        return DIRECTIVES.iter().map(|(name, usage)| item(name, Kind::KEYWORD, usage, &range, name)).collect();
    }
    let statement = statement_before(text, start);
    let entry = statement.and_then(|number| text.names().statements.get(number));
    let source =
        entry.map_or(before, |(of_statement, _)| &text.text[of_statement.start..start.max(of_statement.start)]);
    if text.text[..start].trim_end().ends_with("draw(") && source.contains("draw(") {
        let element = |(name, usage): &(&str, &str)| {
            let form = usage.split(':').next().unwrap_or(name).split(" or ").next().unwrap_or(name);
            let form = form.find(')').map_or(*name, |end| &form[..=end]);
            item(name, Kind::FUNCTION, usage, &range, &snippet(form, has_snippets))
        };
        return ELEMENTS.iter().map(element).collect();
    }
    // Variables of the statement come first, then predicates of the program.
    let variables = variables_of(text, statement, at).into_iter();
    let mut found: Vec<Value> = variables.map(|name| item(name, Kind::VARIABLE, "", &range, name)).collect();
    let program = workspace.program(&text.name);
    // A head may define a name that is only used so far.
    let is_head = !source.contains([':', '#']);
    let (defined, used): (Vec<_>, Vec<_>) =
        predicate_forms(&program, text, at).into_iter().partition(|form| form.is_defined);
    let mut listed = BTreeSet::new();
    for form in defined.into_iter().chain(used.into_iter().filter(|_| is_head)) {
        let label = form.label();
        if listed.insert(label.clone()) {
            found.push(item(&label, Kind::FUNCTION, form.words, &range, &snippet(&label, has_snippets)));
        }
    }
    found
}

/// Returns the number of the statement at an offset, or of the unfinished one directly before it.
fn statement_before(text: &Text, at: usize) -> Option<usize> {
    let names = text.names();
    names.statement_at(at).or_else(|| {
        let number = names.statements.iter().rposition(|(range, _)| range.end <= at)?;
        let (range, is_whole) = &names.statements[number];
        let gap = &text.text[range.end..at];
        (!is_whole && gap.trim().is_empty() && !gap.contains("\n\n")).then_some(number)
    })
}

/// Returns a completion that replaces a range by `new`.
fn item(label: &str, kind: Kind, detail: &str, range: &lsp_types::Range, new: &str) -> Value {
    let mut item = json!({ "label": label, "kind": kind, "textEdit": { "range": range, "newText": new } });
    if !detail.is_empty() {
        item["detail"] = json!(detail);
    }
    if new.contains("${") {
        item["insertTextFormat"] = json!(2);
    }
    item
}

/// Completes the name of a file: of a companion in a comment, else of an included file. `before` is
/// the line up to the offset.
fn file_completions<F: Files>(
    workspace: &Workspace<F>,
    text: &Rc<Text>,
    at: usize,
    before: &str,
    is_comment: bool,
) -> Vec<Value> {
    let folder = folder_of(&text.name);
    let names = if !is_comment {
        let relative = |name: String| Some(name.strip_prefix(&folder)?.trim_start_matches('/').to_owned());
        workspace.files.programs_below(std::slice::from_ref(&folder)).into_iter().filter_map(relative).collect()
    } else if before.trim_start_matches(['%', ' ']).starts_with("Goes with") {
        workspace.files.shared_files()
    } else {
        Vec::new()
    };
    let is_path_character = |sign: char| syntax::is_word(sign) || matches!(sign, '/' | '.' | '-');
    let range = text.range(&(at - (before.len() - before.trim_end_matches(is_path_character).len())..at));
    names.iter().map(|file| item(file, Kind::FILE, "", &range, file)).collect()
}

/// Returns the variables of a statement, without the one that ends at the offset.
fn variables_of(text: &Text, statement: Option<usize>, at: usize) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in text.names().all.iter().filter(|name| Some(name.statement) == statement && name.range.end != at) {
        if let NameKind::Variable(variable) = &name.kind
            && !names.contains(&variable.as_str())
        {
            names.push(variable);
        }
    }
    names
}

/// A predicate of a program, with the names that its arguments have in the header or in rules.
struct PredicateForm<'a> {
    signature: Signature,
    arguments: Vec<Option<String>>,
    words: &'a str,
    is_defined: bool,
}

impl PredicateForm<'_> {
    /// Returns the atom with a variable for each argument that has no name: `node(N)`, `edge(X,Y)`.
    fn label(&self) -> String {
        let initial = self.signature.name.trim_start_matches('_').chars().take(1).map(|sign| sign.to_ascii_uppercase());
        let initial = Some(initial.collect::<String>()).filter(|_| self.arguments.len() == 1);
        let others = (1..).map(|number| match number {
            1..=6 => ["X", "Y", "Z", "U", "V", "W"][number - 1].to_owned(),
            _ => format!("X{number}"),
        });
        let is_free = |name: &String| !self.arguments.iter().flatten().any(|used| used == name);
        let mut free = initial.into_iter().chain(others).filter(is_free);
        let arguments =
            self.arguments.iter().map(|argument| argument.clone().or_else(|| free.next()).unwrap_or_default());
        match arguments.collect::<Vec<_>>().join(",") {
            none if none.is_empty() => self.signature.name.clone(),
            arguments => format!("{}({arguments})", self.signature.name),
        }
    }

    /// Names the arguments that have no name yet after the variables of an occurrence, whose
    /// arguments begin `text`.
    fn name_arguments(&mut self, text: &str) {
        let (arity, length) = syntax::arguments(text);
        if arity != self.arguments.len() {
            return;
        }
        let tokens: Vec<_> = syntax::tokens(&text[..length]).collect();
        let (mut depth, mut index) = (0, 0);
        for triple in tokens.windows(3) {
            match triple[0].text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => index += 1,
                _ => continue,
            }
            let name = triple[1].text;
            let is_alone = depth == 1 && matches!(triple[0].text, "(" | ",") && matches!(triple[2].text, "," | ")");
            let first = name.trim_start_matches('_').chars().next();
            let is_variable = first.is_some_and(|first| first.is_ascii_uppercase());
            let is_free = !self.arguments.iter().flatten().any(|used| used == name);
            if let Some(None) = self.arguments.get(index).filter(|_| is_alone && is_variable && is_free) {
                self.arguments[index] = Some(name.to_owned());
            }
        }
    }
}

/// Returns the predicates of a program, without the name that ends at an offset of `text`. Those
/// that headers describe come first.
fn predicate_forms<'a>(program: &'a [Rc<Text>], text: &Text, at: usize) -> Vec<PredicateForm<'a>> {
    let docs = program.iter().flat_map(|text| text.predicate_docs());
    let documented = docs.map(|doc| PredicateForm {
        signature: doc.signature.clone(),
        arguments: doc.arguments.iter().cloned().map(Some).collect(),
        words: &doc.words,
        is_defined: true,
    });
    let mut forms: Vec<PredicateForm<'_>> = documented.collect();
    let mut indices = BTreeMap::new();
    for (index, form) in forms.iter().enumerate() {
        indices.entry(form.signature.clone()).or_insert(index);
    }
    for program_text in program {
        let is_completed = |name: &&Name| program_text.name == text.name && name.range.end == at;
        for name in program_text.names().all.iter().filter(|name| !is_completed(name)) {
            let NameKind::Predicate(signature) = &name.kind else { continue };
            let index = *indices.entry(signature.clone()).or_insert_with(|| {
                let arguments = vec![None; signature.arity];
                forms.push(PredicateForm { signature: signature.clone(), arguments, words: "", is_defined: false });
                forms.len() - 1
            });
            let form = &mut forms[index];
            form.is_defined |= is_definition(program_text, name);
            form.name_arguments(&program_text.text[name.range.end..]);
        }
    }
    forms
}

/// Returns true if an occurrence defines its predicate, or `#defined` declares it. An unfinished
/// rule swallows the next one, whose head then begins a line.
fn is_definition(text: &Text, name: &Name) -> bool {
    let Some((range, is_whole)) = text.names().statements.get(name.statement) else { return false };
    let source = &text.text[range.clone()];
    match name.role {
        Role::Defines => true,
        Role::Mentions => source.starts_with("#defined"),
        Role::Uses if *is_whole => source.starts_with("#external"),
        Role::Uses => {
            let line = text.text[..name.range.start].rsplit('\n').next().unwrap_or_default();
            line.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '{' | ' '))
                && line.chars().next().is_none_or(|first| first != ' ')
        }
    }
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
