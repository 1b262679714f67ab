//! Renders templates with `{{variables}}`. The language is the subset of Jinja that drawings need:
//! variables with keys, `if` and `for`.
//!
//! ```text
//! {{name}}  {{name['first']}}  {{name.first}}
//! {% if value is defined %} … {% elif not other and third == 'x' %} … {% else %} … {% endif %}
//! {% for key, value in name.items() %} … {% endfor %}        {% for value in data | dictsort %} … {% endfor %}
//! ```

use std::collections::BTreeMap;

/// Maximum nesting of tags.
const MAX_NESTED: usize = 40;
/// Maximum number of fragments that are processed, counted with their repetitions in loops.
const MAX_STEPS: usize = 100_000;

/// The value of a variable: a text, values by key, or both.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TemplateValue {
    pub text: String,
    pub keyed: Data,
}

pub type Data = BTreeMap<String, TemplateValue>;

impl From<String> for TemplateValue {
    fn from(text: String) -> Self {
        TemplateValue { text, keyed: Data::new() }
    }
}

impl TemplateValue {
    fn text(&self) -> String {
        if self.text.is_empty() { self.keyed.values().map(TemplateValue::text).collect() } else { self.text.clone() }
    }

    fn is_truthy(&self) -> bool {
        !self.keyed.is_empty() || !self.text.is_empty() && self.text != "0"
    }
}

enum Fragment<'t> {
    Text(&'t str),
    Value(&'t str),
    Tag(&'t str),
}

/// Renders a template. If it cannot be read, the error is the unreadable part.
pub fn render(template: &str, data: &Data) -> Result<String, String> {
    if !template.contains('{') {
        return Ok(template.to_owned());
    }
    let mut renderer = Renderer { fragments: fragments(template), at: 0, steps: 0, text: String::new() };
    match renderer.render_until(data, true, 0)? {
        "" => Ok(renderer.text),
        tag => Err(format!("{{% {tag} %}} without its beginning")),
    }
}

fn fragments(mut rest: &str) -> Vec<Fragment<'_>> {
    let mut pieces = Vec::new();
    while let Some((at, end)) =
        rest.find("{{").map(|at| (at, "}}")).into_iter().chain(rest.find("{%").map(|at| (at, "%}"))).min()
    {
        let Some(length) = rest[at + 2..].find(end) else { break };
        let inside = rest[at + 2..at + 2 + length].trim_matches('-').trim();
        pieces.push(Fragment::Text(&rest[..at]));
        pieces.push(if end == "}}" { Fragment::Value(inside) } else { Fragment::Tag(inside) });
        rest = &rest[at + 4 + length..];
    }
    pieces.push(Fragment::Text(rest));
    pieces
}

struct Renderer<'t> {
    fragments: Vec<Fragment<'t>>,
    at: usize,
    steps: usize,
    text: String,
}

impl<'t> Renderer<'t> {
    /// Renders fragments up to a tag that continues or ends an enclosing tag, and returns that tag,
    /// or "" at the end of the template. Writes no output unless `is_written`.
    fn render_until(&mut self, data: &Data, is_written: bool, depth: usize) -> Result<&'t str, String> {
        if depth > MAX_NESTED {
            return Err(format!("more than {MAX_NESTED} tags in tags"));
        }
        while self.at < self.fragments.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(format!("more than {MAX_STEPS} pieces"));
            }
            self.at += 1;
            match self.fragments[self.at - 1] {
                Fragment::Text(text) if is_written => self.text.push_str(text),
                Fragment::Value(path) if is_written => {
                    let value = lookup(path, data)?;
                    self.text.push_str(&value.map_or(String::new(), |value| value.text()));
                }
                Fragment::Tag(tag) => match tag.split_once(char::is_whitespace) {
                    Some(("if", condition)) => self.render_if(condition, data, is_written, depth)?,
                    Some(("for", head)) => self.render_for(head, data, is_written, depth)?,
                    Some(("elif", _)) => return Ok(tag),
                    None if ["else", "endif", "endfor"].contains(&tag) => return Ok(tag),
                    _ => return Err(format!("{{% {tag} %}}")),
                },
                _ => {}
            }
        }
        Ok("")
    }

    fn render_if(&mut self, mut condition: &'t str, data: &Data, is_written: bool, depth: usize) -> Result<(), String> {
        let mut is_open = is_written;
        loop {
            let holds = is_open && evaluate(condition, data)?;
            is_open &= !holds;
            match self.render_until(data, holds, depth + 1)? {
                "endif" => return Ok(()),
                "else" if self.render_until(data, is_open, depth + 1)? == "endif" => return Ok(()),
                tag => condition = tag.strip_prefix("elif").ok_or("{% if %} without {% endif %}")?.trim(),
            }
        }
    }

    fn render_for(&mut self, head: &str, data: &Data, is_written: bool, depth: usize) -> Result<(), String> {
        let error = || format!("{{% for {head} %}}");
        let (names, path) = head.split_once(" in ").ok_or_else(error)?;
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        let items = lookup(path, data)?.filter(|_| is_written).unwrap_or_default().keyed;
        let start = self.at;
        let mut inner = data.clone();
        // The body of an empty loop is processed once without output, to find its end.
        let iterations = items.iter().map(Some).chain(items.is_empty().then_some(None));
        for item in iterations {
            self.at = start;
            if let Some((key, value)) = item {
                let values = [TemplateValue::from(key.clone()), value.clone()];
                let values = &values[if names.len() == 1 && path.contains("values()") { 1.. } else { 0.. }];
                inner.extend(names.iter().map(|&name| name.to_owned()).zip(values.iter().cloned()));
            }
            if self.render_until(&inner, item.is_some(), depth + 1)? != "endfor" {
                return Err("{% for %} without {% endfor %}".to_owned());
            }
        }
        Ok(())
    }
}

/// Evaluates `name`, `name['key']`, `name.key`, `'text'` or `7`, optionally followed by filters
/// such as `| dictsort`.
fn lookup(path: &str, data: &Data) -> Result<Option<TemplateValue>, String> {
    let error = || format!("{{{{ {path} }}}}");
    let mut parts = path.split('|').map(str::trim);
    let whole = parts.next().unwrap_or_default();
    let is_quoted = |text: &str| text.len() > 1 && (text.starts_with(['\'', '"']) && text.ends_with(&text[..1]));
    let unquoted = |text: &str| if is_quoted(text) { text[1..text.len() - 1].to_owned() } else { text.to_owned() };
    let value = if is_quoted(whole) || whole.parse::<f64>().is_ok() {
        Some(TemplateValue::from(unquoted(whole)))
    } else {
        let steps = whole.split(['.', '[']).map(|step| step.trim().trim_end_matches(']').trim());
        let steps: Vec<String> = steps.filter(|step| !["items()", "values()"].contains(step)).map(unquoted).collect();
        let is_name = |step: &str| !step.is_empty() && !step.contains(['(', ')', ' ', '+', '~']);
        let [first, keys @ ..] = &steps[..] else { return Err(error()) };
        if !is_name(first) {
            return Err(error());
        }
        let whole = || (first == "data").then(|| TemplateValue { keyed: data.clone(), ..TemplateValue::default() });
        let first = data.get(first).cloned().or_else(whole);
        keys.iter().fold(first, |value, key| value?.keyed.remove(key))
    };
    parts.try_fold(value, |value, filter| {
        let changed =
            |change: fn(&str) -> String| value.as_ref().map(|value| TemplateValue::from(change(&value.text())));
        match filter {
            "dictsort" | "safe" | "string" => Ok(value),
            "upper" => Ok(changed(str::to_uppercase)),
            "lower" => Ok(changed(str::to_lowercase)),
            _ => Err(error()),
        }
    })
}

fn evaluate(condition: &str, data: &Data) -> Result<bool, String> {
    let evaluate_literal = |condition: &str| -> Result<bool, String> {
        let condition = condition.trim();
        let (is_negated, condition) =
            condition.strip_prefix("not ").map_or((false, condition), |condition| (true, condition.trim()));
        let holds = if let Some(path) = condition.strip_suffix(" is defined") {
            lookup(path, data)?.is_some()
        } else if let Some(path) = condition.strip_suffix(" is not defined") {
            lookup(path, data)?.is_none()
        } else if let Some((left, right)) = condition.split_once("==") {
            lookup(left.trim(), data)? == lookup(right.trim(), data)?
        } else if let Some((left, right)) = condition.split_once("!=") {
            lookup(left.trim(), data)? != lookup(right.trim(), data)?
        } else {
            lookup(condition, data)?.is_some_and(|value| value.is_truthy())
        };
        Ok(holds != is_negated)
    };
    let evaluate_conjunction = |conditions: &str| -> Result<bool, String> {
        conditions
            .split(" and ")
            .try_fold(true, |evaluate_conjunction, condition| Ok(evaluate_conjunction & evaluate_literal(condition)?))
    };
    condition.split(" or ").try_fold(false, |any, conditions| Ok(any | evaluate_conjunction(conditions)?))
}
