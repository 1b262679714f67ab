//! Where names stand: definitions, references, other names for them; and how a text is divided.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use lsp_types as lsp;
use serde_json::{Value, json};

use super::server::{Told, wrong};
use super::text::{Text, uri_of};
use super::workspace::{Files, Link, Workspace};
use crate::asp::syntax;
use crate::asp::{Name, Role, Signature, What};
use crate::sorting;

/// What is named at a byte of a text, with the bytes of the name; a variable with the number of its statement.
pub fn named(text: &Text, at: usize) -> Option<(Range<usize>, What, usize)> {
    if let Some(name) = text.names().at(at) {
        return Some((name.range.clone(), name.what.clone(), name.statement));
    }
    let is_in = |range: &Range<usize>| range.start <= at && at <= range.end;
    let described = text.described().iter().find(|one| is_in(&one.range));
    described.map(|one| (one.range.clone(), What::Predicate(one.signature.clone()), usize::MAX))
}

/// Where a text names the same: the bytes, and in which role.
fn places(text: &Text, what: &What, statement: usize) -> Vec<(Range<usize>, Role)> {
    let is_it =
        |name: &&Name| name.what == *what && (!matches!(what, What::Variable(_)) || name.statement == statement);
    let own = text.names().all.iter().filter(is_it).map(|name| (name.range.clone(), name.role));
    let mut found: Vec<(Range<usize>, Role)> = own.collect();
    if let What::Predicate(signature) = what {
        found.extend(text.in_heading(signature).into_iter().map(|range| (range, Role::Mentions)));
    }
    sorting::sort_by_key(&mut found, |(range, _)| range.start);
    found.dedup_by_key(|(range, _)| range.start);
    found
}

/// The texts in which something named here may be named.
fn texts<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, what: &What) -> Vec<Rc<Text>> {
    let word = word_of(what).to_owned();
    match what {
        What::Variable(_) => vec![text.clone()],
        _ => workspace.together(&text.name, |other| other.text.contains(&word) && !places(other, what, 0).is_empty()),
    }
}

fn word_of(what: &What) -> &str {
    match what {
        What::Predicate(signature) | What::Function(signature) => &signature.name,
        What::Constant(name) | What::Variable(name) => name,
    }
}

pub fn location(text: &Text, range: &Range<usize>) -> Option<Value> {
    Some(json!({ "uri": uri_of(&text.name)?, "range": text.range(range) }))
}

pub fn answer<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, at: usize, method: &str, params: &Value) -> Told {
    if method == "textDocument/definition"
        && let Some((.., Some(name))) = workspace.links(text).iter().find(|(range, ..)| range.contains(&at))
    {
        return Ok(json!(uri_of(name).map(|uri| json!({ "uri": uri, "range": lsp::Range::default() }))));
    }
    let Some((range, what, statement)) = named(text, at) else {
        return match method {
            "textDocument/rename" => Err(wrong("nothing here has a name")),
            _ => Ok(Value::Null),
        };
    };
    match method {
        "textDocument/definition" => Ok(definitions(workspace, text, &what, statement)),
        "textDocument/references" => {
            let declares = params.pointer("/context/includeDeclaration") != Some(&json!(false));
            let of_text = |other: &Rc<Text>| {
                let places = places(other, &what, statement);
                let wanted = places.into_iter().filter(|(_, role)| declares || *role != Role::Defines);
                wanted.filter_map(|(range, _)| location(other, &range)).collect::<Vec<_>>()
            };
            Ok(texts(workspace, text, &what).iter().flat_map(of_text).collect())
        }
        "textDocument/documentHighlight" => {
            let kind = |role: Role| if role == Role::Defines { 3 } else { 2 };
            let places = places(text, &what, statement).into_iter();
            Ok(places.map(|(range, role)| json!({ "range": text.range(&range), "kind": kind(role) })).collect())
        }
        "textDocument/prepareRename" => Ok(json!({ "range": text.range(&range), "placeholder": word_of(&what) })),
        _ => renamed(workspace, text, &what, statement, params["newName"].as_str().unwrap_or_default()),
    }
}

/// Heads of a predicate, the first occurrence of a variable in its statement; else where it is declared or described.
fn definitions<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, what: &What, statement: usize) -> Value {
    if let What::Variable(_) = what {
        return json!(places(text, what, statement).first().and_then(|(range, _)| location(text, range)));
    }
    let found: Vec<(Rc<Text>, Range<usize>, Role)> = texts(workspace, text, what)
        .iter()
        .flat_map(|other| places(other, what, statement).into_iter().map(|(range, role)| (other.clone(), range, role)))
        .collect();
    let role = [Role::Defines, Role::Mentions].into_iter().find(|role| found.iter().any(|(.., own)| own == role));
    found.iter().filter(|(.., own)| Some(*own) == role).filter_map(|(other, range, _)| location(other, range)).collect()
}

fn renamed<F: Files>(workspace: &Workspace<F>, text: &Rc<Text>, what: &What, statement: usize, new: &str) -> Told {
    let refused = |words: String| Err(wrong(words));
    let bare = new.trim_start_matches('_');
    let (is_right, wanted) = match what {
        What::Variable(_) => (bare.starts_with(|first: char| first.is_ascii_uppercase()), "a capital letter"),
        _ => (bare.starts_with(|first: char| first.is_ascii_lowercase()), "a small letter"),
    };
    if !is_right || !new.chars().all(syntax::is_word) || new == "not" {
        return refused(format!("{new}: letters, digits and _ were wanted, beginning with {wanted}"));
    }
    let other = match what {
        What::Predicate(old) => What::Predicate(Signature { name: new.to_owned(), ..old.clone() }),
        What::Function(old) => What::Function(Signature { name: new.to_owned(), ..old.clone() }),
        What::Constant(_) => What::Constant(new.to_owned()),
        What::Variable(_) => What::Variable(new.to_owned()),
    };
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut whats = vec![(what.clone(), other.clone())];
    // `p` and `-p` are one name.
    if let (What::Predicate(name), What::Predicate(renamed)) = (what, &other) {
        whats.push((What::Predicate(name.clone().negated()), What::Predicate(renamed.clone().negated())));
    }
    for (what, other) in &whats {
        for one in texts(workspace, text, what) {
            let places = places(&one, what, statement);
            if places.is_empty() {
                continue;
            }
            if *other != *what
                && one.names().all.iter().any(|name| {
                    name.what == *other && (!matches!(what, What::Variable(_)) || name.statement == statement)
                })
            {
                return refused(format!("{new} is there already, in {}", one.name));
            }
            let Some(uri) = uri_of(&one.name) else {
                return refused(format!("{} is inside the program and cannot be changed", one.name));
            };
            let edits = changes.entry(uri.to_string()).or_default();
            edits.extend(places.iter().map(|(range, _)| json!({ "range": one.range(range), "newText": new })));
        }
    }
    for edits in changes.values_mut() {
        let mut seen = BTreeSet::new();
        edits.retain(|edit| seen.insert(edit.to_string()));
    }
    Ok(json!({ "changes": changes }))
}

/// Sections (`%%% Define`) and parts, each with what is defined in it for the first time.
pub fn symbols(text: &Text) -> Vec<Value> {
    let sections = sections(text);
    let children = |range: &Range<usize>| {
        let mut seen: HashSet<&What> = HashSet::new();
        let mut found = Vec::new();
        // Names are in their order.
        let all = &text.names().all[..];
        let behind = all.partition_point(|name| name.range.start < range.end);
        let inside = &all[all.partition_point(|name| name.range.start < range.start)..behind];
        for name in inside.iter().filter(|name| name.role == Role::Defines) {
            let (label, kind) = match &name.what {
                What::Predicate(signature) => (signature.to_string(), lsp::SymbolKind::FUNCTION),
                What::Constant(name) => (name.clone(), lsp::SymbolKind::CONSTANT),
                _ => continue,
            };
            if !seen.insert(&name.what) {
                continue;
            }
            let whole =
                text.names().statements.get(name.statement).map_or(name.range.clone(), |(range, _)| range.clone());
            let (whole, own) = (text.range(&whole), text.range(&name.range));
            found.push(json!({ "name": label, "kind": kind, "range": whole, "selectionRange": own, "children": [] }));
        }
        found
    };
    let first = sections.first().map_or(text.text.len(), |(range, _)| range.start);
    let mut found = children(&(0..first));
    for (range, title) in sections {
        let head = range.start..text.line(text.position(range.start).line as usize).end;
        found.push(json!({
            "name": title, "kind": lsp::SymbolKind::NAMESPACE, "range": text.range(&range), "selectionRange": text.range(&head),
            "children": children(&range),
        }));
    }
    found
}

/// The sections of a text, each up to the next one, with its title.
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

/// The heading, sections, and statements of several lines.
pub fn foldings(text: &Text) -> Vec<Value> {
    let line = |at: usize| text.position(at).line;
    let folded = |range: &Range<usize>, kind: &str| {
        let blank = text.text[range.clone()].len() - text.text[range.clone()].trim_end().len();
        let (start, end) = (line(range.start), line(range.end - blank));
        (end > start).then(|| json!({ "startLine": start, "endLine": end, "kind": kind }))
    };
    let sections = sections(text).into_iter().map(|(range, _)| folded(&range, "region"));
    let statements = text.names().statements.iter().map(|(range, _)| folded(range, "region"));
    [folded(&text.heading(), "comment")].into_iter().chain(sections).chain(statements).flatten().collect()
}

/// The files that a text names, those that are there.
pub fn links<F: Files>(workspace: &Workspace<F>, text: &Text) -> Vec<Value> {
    let link =
        |(range, _, found): &Link| Some(json!({ "range": text.range(range), "target": uri_of(found.as_ref()?)? }));
    workspace.links(text).iter().filter_map(link).collect()
}
