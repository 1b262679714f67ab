//! Strict reading of JSON from other programs. Every key of an object must be read, or skipped
//! because it does not change the rules. Any other key is an error that names its path.
//!
//! ```text
//!   root.object(|board| {
//!       board.skip(&["title", "author"]);
//!       let size = board.take("size");
//!       …                                    `cages[0].colour` is not supported: it may change the rules
//!   })
//! ```

use std::collections::BTreeMap;

use base::words;
use serde_json::Value;

/// A value and its path, such as `cages[0].value`.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    path: String,
    pub value: &'a Value,
}

/// An object whose keys are being read.
pub struct Fields<'a> {
    path: String,
    unread: BTreeMap<&'a str, &'a Value>,
}

/// Returns true if a value carries no information: `null`, or an empty list, object or string.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

impl<'a> Field<'a> {
    pub fn new(path: impl Into<String>, value: &'a Value) -> Field<'a> {
        Field { path: path.into(), value }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Creates an error with the path, the expected value and the actual value.
    pub fn wrong(&self, expected: &str) -> String {
        let found = words::preview(&self.value.to_string());
        if self.path.is_empty() {
            format!("the board: expected {expected}, found {found}")
        } else {
            format!("`{}`: expected {expected}, found {found}", self.path)
        }
    }

    /// Reads an object. Fails if `read` leaves a key unread whose value is not empty.
    pub fn object<T>(&self, read: impl FnOnce(&mut Fields<'a>) -> Result<T, String>) -> Result<T, String> {
        let map = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        let unread = map.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let mut fields = Fields { path: self.path.clone(), unread };
        let result = read(&mut fields)?;
        match fields.unread.iter().find(|(_, value)| !is_empty(value)) {
            Some((key, _)) => Err(not_supported(&fields.path_of(key))),
            None => Ok(result),
        }
    }

    pub fn list(&self) -> Result<Vec<Field<'a>>, String> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(list.iter().enumerate().map(|(at, value)| Field::new(format!("{}[{at}]", self.path), value)).collect())
    }

    /// Returns the keys and values of an object.
    pub fn entries(&self) -> Result<Vec<(&'a str, Field<'a>)>, String> {
        let map = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        Ok(map.iter().map(|(key, value)| (key.as_str(), Field::new(format!("{}.{key}", self.path), value))).collect())
    }

    /// Returns the element of a list, or `null` if `index` is beyond the end.
    pub fn at(&self, index: usize) -> Field<'a> {
        Field::new(format!("{}[{index}]", self.path), &self.value[index])
    }

    pub fn flag(&self) -> Result<bool, String> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub fn text(&self) -> Result<&'a str, String> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    /// Returns the value as a non-negative integer: `9`, `9.0` or `"9"`.
    pub fn natural(&self) -> Result<usize, String> {
        let number = match self.value {
            Value::Number(number) => number.as_f64().filter(|number| number.fract() == 0.0),
            Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (0.0..=f64::from(i32::MAX)).contains(number));
        number.map(|number| number as usize).ok_or_else(|| self.wrong("a number from 0"))
    }

    /// Returns the value as an integer from 1 to `max`.
    pub fn natural_up_to(&self, max: usize) -> Result<usize, String> {
        let number = self.natural().ok().filter(|number| (1..=max).contains(number));
        number.ok_or_else(|| self.wrong(&format!("a number from 1 to {max}")))
    }
}

impl<'a> Fields<'a> {
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub fn take(&mut self, key: &str) -> Option<Field<'a>> {
        let value = self.unread.remove(key)?;
        Some(Field::new(self.path_of(key), value))
    }

    /// Takes the value of a key with two names, `key` and `short`. If the object has both, the
    /// value of `short` remains unread, which is an error.
    pub fn take_either(&mut self, key: &str, short: &str) -> Option<Field<'a>> {
        self.take(key).or_else(|| self.take(short))
    }

    /// Like [`Self::take_either`], but returns `None` if the value is `null` or an empty string.
    pub fn take_stated(&mut self, key: &str, short: &str) -> Option<Field<'a>> {
        self.take_either(key, short).filter(|field| !field.value.is_null() && field.value.as_str() != Some(""))
    }

    /// Takes the value of a required key.
    pub fn require(&mut self, key: &str) -> Result<Field<'a>, String> {
        self.take(key).ok_or_else(|| format!("`{}` is missing", self.path_of(key)))
    }

    /// Skips keys that do not change the rules.
    pub fn skip(&mut self, keys: &[&str]) {
        for key in keys {
            self.unread.remove(*key);
        }
    }

    /// Takes all unread values.
    pub fn take_all(&mut self) -> Vec<Field<'a>> {
        let unread = std::mem::take(&mut self.unread);
        unread.into_iter().map(|(key, value)| Field::new(self.path_of(key), value)).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.unread.is_empty()
    }
}

/// Creates the error about an unread part of a board, which may change the rules.
pub fn not_supported(path: &str) -> String {
    format!("`{path}` is not supported: it may change the rules")
}
