//! Definitions, references and renames of names; symbols, folding ranges and links of a text.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use asp::{Name, NameKind, Role, Signature, syntax};
use base::sorting;
use lsp_types as lsp;
use serde_json::{Value, json};

use super::state::{LspResult, request_failed};
use super::text::{Text, uri_of};
use super::workspace::{Files, Link, Workspace};

/// Returns the name at an offset: its byte range, its kind, and the index of its statement, which
/// identifies a variable.
pub fn name_at(text: &Text, at: usize) -> Option<(Range<usize>, NameKind, usize)> {
    if let Some(name) = text.names().at(at) {
        return Some((name.range.clone(), name.kind.clone(), name.statement));
    }
    let is_in = |range: &Range<usize>| range.start <= at && at <= range.end;
    let doc = text.predicate_docs().iter().find(|doc| is_in(&doc.range));
    doc.map(|doc| (doc.range.clone(), NameKind::Predicate(doc.signature.clone()), usize::MAX))
}

/// Returns all occurrences of a name in a text: their byte ranges and roles.
fn occurrences_in(text: &Text, kind: &NameKind, statement: usize) -> Vec<(Range<usize>, Role)> {
    let matches =
        |name: &&Name| name.kind == *kind && (!matches!(kind, NameKind::Variable(_)) || name.statement == statement);
    let occurrences = text.names().all.iter().filter(matches).map(|name| (name.range.clone(), name.role));
    let mut found: Vec<(Range<usize>, Role)> = occurrences.collect();
    if let NameKind::Predicate(signature) = kind {
        found.extend(text.heading_mentions(signature).into_iter().map(|range| (range, Role::Mentions)));
    }
    sorting::sort_by_key(&mut found, |(range, _)| range.start);
    found.dedup_by_key(|(range, _)| range.start);
    found
}

/// Returns the texts in which a name of this text may occur.
fn texts_with<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, kind: &NameKind) -> Vec<Rc<Text>> {
    let word = word_of(kind).to_owned();
    match kind {
        NameKind::Variable(_) => vec![text.clone()],
        _ => workspace.related_texts(&text.name, |other| {
            other.text.contains(&word) && !occurrences_in(other, kind, 0).is_empty()
        }),
    }
}

fn word_of(kind: &NameKind) -> &str {
    match kind {
        NameKind::Predicate(signature) | NameKind::Function(signature) => &signature.name,
        NameKind::Constant(name) | NameKind::Variable(name) => name,
    }
}

pub fn location(text: &Text, range: &Range<usize>) -> Option<Value> {
    Some(json!({ "uri": uri_of(&text.name)?, "range": text.range(range) }))
}

pub fn answer<F: Files>(
    workspace: &Workspace<F>,
    text: &Rc<Text>,
    at: usize,
    method: &str,
    params: &Value,
) -> LspResult {
    if method == "textDocument/definition"
        && let Some((.., Some(name))) = workspace.links(text).iter().find(|(range, ..)| range.contains(&at))
    {
        return Ok(json!(uri_of(name).map(|uri| json!({ "uri": uri, "range": lsp::Range::default() }))));
    }
    let Some((range, what, statement)) = name_at(text, at) else {
        return match method {
            "textDocument/rename" => Err(request_failed("no name at this position")),
            _ => Ok(Value::Null),
        };
    };
    match method {
        "textDocument/definition" => Ok(definitions(workspace, text, &what, statement)),
        "textDocument/references" => {
            let declares = params.pointer("/context/includeDeclaration") != Some(&json!(false));
            let of_text = |other: &Rc<Text>| {
                let occurrences = occurrences_in(other, &what, statement);
                let occurrences = occurrences.into_iter().filter(|(_, role)| declares || *role != Role::Defines);
                occurrences.filter_map(|(range, _)| location(other, &range)).collect::<Vec<_>>()
            };
            Ok(texts_with(workspace, text, &what).iter().flat_map(of_text).collect())
        }
        "textDocument/documentHighlight" => {
            let kind = |role: Role| if role == Role::Defines { 3 } else { 2 };
            let occurrences = occurrences_in(text, &what, statement).into_iter();
            Ok(occurrences.map(|(range, role)| json!({ "range": text.range(&range), "kind": kind(role) })).collect())
        }
        "textDocument/prepareRename" => Ok(json!({ "range": text.range(&range), "placeholder": word_of(&what) })),
        _ => rename(workspace, text, &what, statement, params["newName"].as_str().unwrap_or_default()),
    }
}

/// Returns the definitions: the heads of a predicate, or the first occurrence of a variable in its
/// statement; else where the name is declared or described.
fn definitions<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, kind: &NameKind, statement: usize) -> Value {
    if let NameKind::Variable(_) = kind {
        return json!(occurrences_in(text, kind, statement).first().and_then(|(range, _)| location(text, range)));
    }
    let found: Vec<(Rc<Text>, Range<usize>, Role)> = texts_with(workspace, text, kind)
        .iter()
        .flat_map(|other| {
            occurrences_in(other, kind, statement).into_iter().map(|(range, role)| (other.clone(), range, role))
        })
        .collect();
    let role = [Role::Defines, Role::Mentions]
        .into_iter()
        .find(|role| found.iter().any(|(.., other_role)| other_role == role));
    found
        .iter()
        .filter(|(.., other_role)| Some(*other_role) == role)
        .filter_map(|(other, range, _)| location(other, range))
        .collect()
}

fn rename<F: Files>(
    workspace: &Workspace<F>,
    text: &Rc<Text>,
    kind: &NameKind,
    statement: usize,
    new: &str,
) -> LspResult {
    let refused = |words: String| Err(request_failed(words));
    let bare = new.trim_start_matches('_');
    let (is_valid, first) = match kind {
        NameKind::Variable(_) => (bare.starts_with(|first: char| first.is_ascii_uppercase()), "a capital letter"),
        _ => (bare.starts_with(|first: char| first.is_ascii_lowercase()), "a small letter"),
    };
    if !is_valid || !new.chars().all(syntax::is_word) || new == "not" {
        return refused(format!("expected letters, digits and `_`, beginning with {first}, found `{new}`"));
    }
    let new_kind = match kind {
        NameKind::Predicate(old) => NameKind::Predicate(Signature { name: new.to_owned(), ..old.clone() }),
        NameKind::Function(old) => NameKind::Function(Signature { name: new.to_owned(), ..old.clone() }),
        NameKind::Constant(_) => NameKind::Constant(new.to_owned()),
        NameKind::Variable(_) => NameKind::Variable(new.to_owned()),
    };
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut renamed_kinds = vec![(kind.clone(), new_kind.clone())];
    // `p` and `-p` share a name.
    if let (NameKind::Predicate(name), NameKind::Predicate(renamed)) = (kind, &new_kind) {
        renamed_kinds
            .push((NameKind::Predicate(name.clone().negated()), NameKind::Predicate(renamed.clone().negated())));
    }
    for (kind, new_kind) in &renamed_kinds {
        for text_with_name in texts_with(workspace, text, kind) {
            let occurrences = occurrences_in(&text_with_name, kind, statement);
            if occurrences.is_empty() {
                continue;
            }
            if *new_kind != *kind
                && text_with_name.names().all.iter().any(|name| {
                    name.kind == *new_kind && (!matches!(kind, NameKind::Variable(_)) || name.statement == statement)
                })
            {
                return refused(format!("{new} already exists in {}", text_with_name.name));
            }
            let Some(uri) = uri_of(&text_with_name.name) else {
                return refused(format!("{} is built in and cannot be changed", text_with_name.name));
            };
            let edits = changes.entry(uri.to_string()).or_default();
            edits.extend(
                occurrences.iter().map(|(range, _)| json!({ "range": text_with_name.range(range), "newText": new })),
            );
        }
    }
    for edits in changes.values_mut() {
        let mut seen = BTreeSet::new();
        edits.retain(|edit| seen.insert(edit.to_string()));
    }
    Ok(json!({ "changes": changes }))
}

/// Returns the sections (`%%% Define`) and program parts, each with the names that it defines.
pub fn symbols(text: &Text) -> Vec<Value> {
    let sections = sections(text);
    let children = |range: &Range<usize>| {
        let mut seen: HashSet<&NameKind> = HashSet::new();
        let mut symbols = Vec::new();
        // Names are sorted by position.
        let all = &text.names().all[..];
        let end = all.partition_point(|name| name.range.start < range.end);
        let inside = &all[all.partition_point(|name| name.range.start < range.start)..end];
        for name in inside.iter().filter(|name| name.role == Role::Defines) {
            let (label, kind) = match &name.kind {
                NameKind::Predicate(signature) => (signature.to_string(), lsp::SymbolKind::FUNCTION),
                NameKind::Constant(name) => (name.clone(), lsp::SymbolKind::CONSTANT),
                _ => continue,
            };
            if !seen.insert(&name.kind) {
                continue;
            }
            let statement_range =
                text.names().statements.get(name.statement).map_or(name.range.clone(), |(range, _)| range.clone());
            let (statement_range, name_range) = (text.range(&statement_range), text.range(&name.range));
            symbols.push(json!({ "name": label, "kind": kind, "range": statement_range, "selectionRange": name_range, "children": [] }));
        }
        symbols
    };
    let first = sections.first().map_or(text.text.len(), |(range, _)| range.start);
    let mut symbols = children(&(0..first));
    for (range, title) in sections {
        let head = range.start..text.line(text.position(range.start).line as usize).end;
        symbols.push(json!({
            "name": title, "kind": lsp::SymbolKind::NAMESPACE, "range": text.range(&range), "selectionRange": text.range(&head),
            "children": children(&range),
        }));
    }
    symbols
}

/// Returns the sections of a text, each up to the next one, with their titles.
fn sections(text: &Text) -> Vec<(Range<usize>, String)> {
    let mut heads: Vec<(usize, String)> = Vec::new();
    for number in 0..text.line_count() {
        let line = text.line(number);
        let source = text.text[line.clone()].trim();
        let title = source
            .strip_prefix("%%%")
            .map(|title| title.trim_matches(['%', ' ', '-', '=']))
            .filter(|title| !title.is_empty());
        let part = source.strip_prefix("#program").map(|_| source.trim_end_matches('.'));
        heads.extend(title.or(part).map(|title| (line.start, title.to_owned())));
    }
    let ends: Vec<usize> = heads.iter().skip(1).map(|(start, _)| *start).chain([text.text.len()]).collect();
    heads.into_iter().zip(ends).map(|((start, title), end)| (start..end, title)).collect()
}

/// Returns folding ranges: the heading, sections, and statements of several lines.
pub fn foldings(text: &Text) -> Vec<Value> {
    let line = |at: usize| text.position(at).line;
    let folding = |range: &Range<usize>, kind: &str| {
        let blank = text.text[range.clone()].len() - text.text[range.clone()].trim_end().len();
        let (start, end) = (line(range.start), line(range.end - blank));
        (end > start).then(|| json!({ "startLine": start, "endLine": end, "kind": kind }))
    };
    let sections = sections(text).into_iter().map(|(range, _)| folding(&range, "region"));
    let statements = text.names().statements.iter().map(|(range, _)| folding(range, "region"));
    [folding(&text.heading(), "comment")].into_iter().chain(sections).chain(statements).flatten().collect()
}

/// Returns links to the files that a text names, if they exist.
pub fn links<F: Files>(workspace: &Workspace<F>, text: &Text) -> Vec<Value> {
    let link =
        |(range, _, found): &Link| Some(json!({ "range": text.range(range), "target": uri_of(found.as_ref()?)? }));
    workspace.links(text).iter().filter_map(link).collect()
}
