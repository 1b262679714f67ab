//! Templates of attributes, in the language Jinja.
//!
//! ```text
//! {{name}}  {{name['first']}}  {{name.first}}
//! {% if value is defined %} … {% elif not other and third == 'x' %} … {% else %} … {% endif %}
//! {% for key, value in name.items() %} … {% endfor %}
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior};

/// Maximum number of instructions of a template, counted with their repetitions in loops.
const MAX_STEPS: u64 = 100_000;

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
    /// Returns the text, or if there is none, the texts of all values.
    fn text(&self) -> String {
        if self.text.is_empty() { joined(&self.keyed) } else { self.text.clone() }
    }

    /// Returns the value for a template: a string, or a map that prints as its text.
    fn to_jinja(&self) -> Value {
        if self.keyed.is_empty() { Value::from(self.text.as_str()) } else { Value::from_object(self.clone()) }
    }
}

impl Object for TemplateValue {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        // Keys that are numbers are texts, too.
        self.keyed.get(&key.to_string()).map(TemplateValue::to_jinja)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.keyed.keys().map(|key| Value::from(key.as_str())).collect())
    }

    /// Calls one of the methods of Python's dictionaries.
    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, method: &str, _: &[Value]) -> Result<Value, Error> {
        let pairs = self.keyed.iter().map(|(key, value)| (Value::from(key.as_str()), value.to_jinja()));
        match method {
            "items" => Ok(pairs.map(|(key, value)| Value::from(vec![key, value])).collect()),
            "keys" => Ok(pairs.map(|(key, _)| key).collect()),
            "values" => Ok(pairs.map(|(_, value)| value).collect()),
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// All variables of a template, and `data`, the map of them all.
#[derive(Debug)]
struct Variables(TemplateValue);

impl Object for Variables {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let variable = self.0.keyed.get(name).map(TemplateValue::to_jinja);
        variable.or_else(|| (name == "data").then(|| self.0.to_jinja()))
    }
}

/// Joins the texts of all values.
pub fn joined(data: &Data) -> String {
    data.values().map(TemplateValue::text).collect()
}

/// Renders a template, in which `data` has all variables. The error describes what cannot be
/// rendered.
pub fn render(template: &str, data: &Data) -> Result<String, String> {
    if !template.contains('{') {
        return Ok(template.to_owned());
    }
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_fuel(Some(MAX_STEPS));
    let variables = Value::from_object(Variables(TemplateValue { text: String::new(), keyed: data.clone() }));
    environment.render_str(template, variables).map_err(|error| match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => format!("more than {MAX_STEPS} pieces"),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    })
}
