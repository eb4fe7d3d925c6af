//! Settings files, with the trust they deserve as a type.
//!
//! A directory can only be taken out of [`TrustedSettings`]. [`ProjectSettings`] has no field that
//! could hold one, so no later change can make a repository's file decide where memories go.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use pathguard::TrustedSource;
use serde_json::Value;

use super::known;
use super::mode::{ModeSettings, SecretAction};
use super::team::TeamSettings;
use crate::error::Error;

/// The key in Claude Code's settings that moves the memory folder.
const DIRECTORY_KEY: &str = "autoMemoryDirectory";
/// The key in Claude Code's settings that switches auto memory.
const ENABLED_KEY: &str = "autoMemoryEnabled";
/// The section that names the team server.
pub(super) const TEAM_SECTION: &str = "team";
/// The section that names models; other crates read it, out of the person's file only.
pub(super) const MODEL_SECTION: &str = "model";
/// Keys that name a folder, in any file of ours or of a host. In a project they are reported.
const DIRECTORY_KEYS: [&str; 4] = [DIRECTORY_KEY, "memory_dir", "memoryDirectory", "home"];

/// Settings from a place that only the user or an administrator can write.
#[derive(Clone, Debug)]
pub struct TrustedSettings {
    pub(super) source: TrustedSource,
    pub(super) place: String,
    pub(super) directory: Option<String>,
    pub(super) team: TeamSettings,
    pub(super) switches: Switches,
    /// What the file says that is no setting, for people to read.
    pub(super) slips: Vec<String>,
}

/// Settings from inside a project, which whoever wrote the project may have written.
///
/// They can switch off or lower what is done, and nothing else: neither the folder of the memories nor
/// the team server has a field here.
#[derive(Clone, Debug)]
pub struct ProjectSettings {
    pub(super) place: String,
    pub(super) switches: Switches,
    pub(super) ignored: Vec<&'static str>,
    /// It holds more than is read of it.
    pub(super) holds_more: bool,
}

/// What both kinds of files can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Switches {
    pub(super) auto_memory: Option<bool>,
    pub(super) modes: ModeSettings,
    pub(super) private_secrets: Option<SecretAction>,
    pub(super) allow_home_project: Option<bool>,
}

impl TrustedSettings {
    /// Parses a `settings.json` as Claude Code writes it and people edit it: comments and trailing commas are
    /// read over. `place` is shown in messages.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) when the text is no JSON object or one of
    /// our keys has the wrong type. It is not skipped: the file may be the one that says where
    /// memories are kept, and going on without it would start a second, empty memory.
    pub fn parse_json(
        source: TrustedSource,
        place: impl Into<String>,
        text: &str,
    ) -> Result<Self, Error> {
        let place = place.into();
        let value = json_object(text).map_err(|error| error.with_path(&place))?;
        let directory = match value.get(DIRECTORY_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::String(directory)) => Some(directory.clone()),
            Some(_) => return Err(wrong_type(DIRECTORY_KEY, "a text").with_path(&place)),
        };
        let switches = json_switches(&value).map_err(|error| error.with_path(&place))?;
        Ok(Self {
            source,
            place,
            directory,
            team: TeamSettings::default(),
            switches,
            slips: Vec::new(),
        })
    }

    /// Parses a `memstrata.toml`. `place` is shown in messages. A key that is no setting becomes a warning of
    /// [`Settings::resolve`](crate::Settings::resolve): a misspelt `persistent = "off"` would otherwise switch
    /// nothing off, and nobody would know.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) when the text is no TOML or one of our
    /// keys has a value that it cannot have.
    pub fn parse_toml(
        source: TrustedSource,
        place: impl Into<String>,
        text: &str,
    ) -> Result<Self, Error> {
        let place = place.into();
        let table = toml_table(text).map_err(|error| error.with_path(&place))?;
        let switches = toml_switches(&table).map_err(|error| error.with_path(&place))?;
        let team = TeamSettings::parse(&table).map_err(|error| error.with_path(&place))?;
        Ok(Self {
            source,
            place,
            directory: None,
            team,
            switches,
            slips: known::slips(&table),
        })
    }
}

impl ProjectSettings {
    /// Parses a project's `.claude/settings.json` or `.claude/settings.local.json`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) when the text is no JSON object or a
    /// switch has the wrong type.
    pub fn parse_json(place: impl Into<String>, text: &str) -> Result<Self, Error> {
        let place = place.into();
        let value = json_object(text).map_err(|error| error.with_path(&place))?;
        let ignored = directory_keys(|key| value.get(key).is_some());
        let switches = json_switches(&value).map_err(|error| error.with_path(&place))?;
        // What else stands there is the host's.
        Ok(Self::new(place, switches, ignored, false))
    }

    /// Parses a project's `.memstrata/config.toml`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) when the text is no TOML or a switch has
    /// a value that it cannot have.
    pub fn parse_toml(place: impl Into<String>, text: &str) -> Result<Self, Error> {
        let place = place.into();
        let table = toml_table(text).map_err(|error| error.with_path(&place))?;
        let mut ignored = directory_keys(|key| table.contains_key(key));
        let sections = [TEAM_SECTION, MODEL_SECTION].into_iter();
        ignored.extend(sections.filter(|section| table.contains_key(*section)));
        let switches = toml_switches(&table).map_err(|error| error.with_path(&place))?;
        let holds_more = known::holds_more_than_a_project_may(&table, &ignored);
        Ok(Self::new(place, switches, ignored, holds_more))
    }

    fn new(
        place: String,
        mut switches: Switches,
        ignored: Vec<&'static str>,
        holds_more: bool,
    ) -> Self {
        // The one switch that widens; a project cannot have it.
        switches.allow_home_project = None;
        Self {
            place,
            switches,
            ignored,
            holds_more,
        }
    }
}

fn directory_keys(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    DIRECTORY_KEYS.into_iter().filter(|key| has(key)).collect()
}

fn json_object(text: &str) -> Result<Value, Error> {
    // Editors on Windows put a byte-order mark in front.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value = match serde_json::from_str(text) {
        Ok(value) => value,
        // Most files are plain JSON, so the reader that also takes comments is only the second.
        Err(_) => commented_json(text)?,
    };
    if value.is_object() {
        Ok(value)
    } else {
        Err(Error::corrupt("not a JSON object").with_remedy("mend the file"))
    }
}

/// JSON with comments and trailing commas, as editors take it. Nothing else of what people call JSON5: the host
/// would not read it either, and somebody should say so.
fn commented_json(text: &str) -> Result<Value, Error> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let value: Option<Value> = parse_to_serde_value(text, &options).map_err(|error| {
        Error::corrupt(format!("not valid JSON in line {}", error.line_display()))
            .with_remedy("mend the file")
    })?;
    // A file of comments says as much as an empty one.
    Ok(value.unwrap_or_else(|| Value::Object(serde_json::Map::new())))
}

fn json_switches(value: &Value) -> Result<Switches, Error> {
    let auto_memory = match value.get(ENABLED_KEY) {
        None | Some(Value::Null) => None,
        Some(Value::Bool(enabled)) => Some(*enabled),
        Some(_) => return Err(wrong_type(ENABLED_KEY, "true or false")),
    };
    Ok(Switches {
        auto_memory,
        ..Switches::default()
    })
}

fn toml_table(text: &str) -> Result<toml::Table, Error> {
    text.parse::<toml::Table>().map_err(|error| {
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map_or(1, |before| before.matches('\n').count() + 1);
        Error::corrupt(format!("not valid TOML in line {line}")).with_remedy("mend the file")
    })
}

fn toml_switches(table: &toml::Table) -> Result<Switches, Error> {
    Ok(Switches {
        auto_memory: None,
        modes: ModeSettings {
            session: toml_mode(table, "session")?,
            persistent: toml_mode(table, "persistent")?,
            team: toml_mode(table, "team")?,
        },
        private_secrets: match toml_value(table, "secrets", "private")? {
            None => None,
            Some(toml::Value::String(word)) if word == "warn" => Some(SecretAction::Warn),
            Some(toml::Value::String(word)) if word == "block" => Some(SecretAction::Block),
            Some(_) => return Err(wrong_type("secrets.private", "\"warn\" or \"block\"")),
        },
        allow_home_project: match toml_value(table, "projects", "allow_home")? {
            None => None,
            Some(toml::Value::Boolean(allow)) => Some(*allow),
            Some(_) => return Err(wrong_type("projects.allow_home", "true or false")),
        },
    })
}

fn toml_mode(table: &toml::Table, layer: &str) -> Result<Option<super::Mode>, Error> {
    let wrong = || {
        wrong_type(
            &format!("modes.{layer}"),
            "\"off\", \"read\", \"ask\" or \"auto\"",
        )
    };
    match toml_value(table, "modes", layer)? {
        None => Ok(None),
        Some(toml::Value::String(word)) => word.parse().map(Some).map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

pub(super) fn toml_value<'a>(
    table: &'a toml::Table,
    section: &str,
    key: &str,
) -> Result<Option<&'a toml::Value>, Error> {
    match table.get(section) {
        None => Ok(None),
        Some(toml::Value::Table(section)) => Ok(section.get(key)),
        Some(_) => Err(wrong_type(section, "a section")),
    }
}

pub(super) fn wrong_type(key: &str, expected: &str) -> Error {
    Error::corrupt(format!("the value of {key} is not {expected}")).with_remedy("mend the file")
}
