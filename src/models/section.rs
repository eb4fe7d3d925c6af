//! Sections of a settings file, read strictly: what is wrong is named by its key and never by its value.

use toml::{Table, Value};

use crate::error::{Error, ErrorKind};

/// Millionths of a unit of money.
const MICROS: f64 = 1_000_000.0;

/// A section, and its name for messages.
pub(super) struct Section<'a> {
    name: String,
    pub(super) table: &'a Table,
}

impl<'a> Section<'a> {
    pub(super) fn new(name: impl Into<String>, table: &'a Table) -> Self {
        Self {
            name: name.into(),
            table,
        }
    }

    pub(super) fn name_of(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    pub(super) fn knows(&self, keys: &[&str]) -> Result<(), Error> {
        let unknown = self.table.keys().find(|key| !keys.contains(&key.as_str()));
        match unknown {
            None => Ok(()),
            Some(key) => {
                let shown: String = key.chars().filter(|c| !c.is_control()).take(40).collect();
                let message = format!("{} is not a setting", self.name_of(&shown));
                Err(Error::new(ErrorKind::Model, message))
            }
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(wrong(&self.name_of(key), "a text")),
        }
    }

    pub(super) fn switch(&self, key: &str) -> Result<Option<bool>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Boolean(value)) => Ok(Some(*value)),
            Some(_) => Err(wrong(&self.name_of(key), "true or false")),
        }
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, Error> {
        let expected = || wrong(&self.name_of(key), "a whole number that is not negative");
        match self.get(key) {
            None => Ok(None),
            Some(Value::Integer(value)) => u64::try_from(*value).map(Some).map_err(|_| expected()),
            Some(_) => Err(expected()),
        }
    }

    /// An amount, in millionths.
    pub(super) fn money(&self, key: &str) -> Result<Option<u64>, Error> {
        let amount = match self.get(key) {
            None => return Ok(None),
            Some(Value::Float(value)) => *value,
            Some(Value::Integer(value)) => *value as f64,
            Some(_) => f64::NAN,
        };
        let micros = (amount * MICROS).round();
        if (0.0..1e15).contains(&micros) {
            #[expect(clippy::cast_sign_loss, reason = "the range was checked")]
            return Ok(Some(micros as u64));
        }
        Err(wrong(&self.name_of(key), "an amount such as 0.50"))
    }

    pub(super) fn words(&self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let expected = || wrong(&self.name_of(key), "a list of texts");
        match self.get(key) {
            None => Ok(None),
            Some(Value::Array(values)) => {
                let word = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(expected);
                values.iter().map(word).collect::<Result<_, _>>().map(Some)
            }
            Some(_) => Err(expected()),
        }
    }

    pub(super) fn section(&self, key: &str) -> Result<Option<Section<'a>>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(Section::new(self.name_of(key), table))),
            Some(_) => Err(wrong(&self.name_of(key), "a section")),
        }
    }
}

pub(super) fn wrong(key: &str, expected: &str) -> Error {
    Error::new(
        ErrorKind::Model,
        format!("the value of {key} is not {expected}"),
    )
}

pub(super) fn missing(key: &str) -> Error {
    Error::new(ErrorKind::Model, format!("{key} is missing"))
}
