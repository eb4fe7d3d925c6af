//! The section `[model]` of `<home>/memstrata.toml`, and the models that follow from it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, Budget, Budgets, CommandModel,
    CommandOutput, CommandSpec, FileStore, Ledger, Model, OpenAiModel, OpenAiOptions, Price,
    PriceTable, Provider, Purpose, Vendor,
};
use memdir::Clock;
use toml::{Table, Value};

use super::section::{Section, missing, wrong};
use super::{Models, PURPOSES, key};
use crate::error::{Error, ErrorKind};

/// Set for every program that is asked as a model: hooks that see it do nothing, because they run inside of
/// one of our own calls.
pub const RECURSION_VARIABLE: &str = "MEMSTRATA_INSIDE_HOOK";

/// The file's name in `<home>`.
const FILE: &str = "memstrata.toml";

/// A larger file is refused, as by the other readers of it.
const MAX_BYTES: u64 = 1 << 20;

/// What the person says about models.
///
/// Read from a file of the person's only: a repository cannot name a model, an address, a key or a budget.
///
/// ```
/// use memstrata::ModelSettings;
/// use memstrata::model::Purpose;
///
/// let text = r#"
///     [model]
///     backend = "anthropic"
///     name = "claude-haiku-5-5"
///     used_for = ["extract"]
///
///     [model.budget]
///     tokens = 200_000
/// "#;
/// let settings = ModelSettings::parse(text)?.expect("there is a section");
/// assert_eq!(settings.used_for(), [Purpose::Extract]);
///
/// // A slip of the pen could cost money, so it is an error.
/// let wrong = ModelSettings::parse("[model]\nbackend = \"anthropic\"\nname = \"x\"\nbugdet = 3").unwrap_err();
/// assert_eq!(wrong.to_string(), "model.bugdet is not a setting");
/// # Ok::<(), memstrata::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelSettings {
    backend: Backend,
    name: String,
    names: BTreeMap<Purpose, String>,
    used_for: Vec<Purpose>,
    any_session: bool,
    recall_time: Option<Duration>,
    budgets: Budgets,
    prices: PriceTable,
}

#[derive(Clone, Debug)]
enum Backend {
    Anthropic {
        base_url: Option<String>,
        key: Key,
        is_bearer: bool,
    },
    OpenAi {
        base_url: Option<String>,
        key: Key,
    },
    Command(CommandSpec),
}

/// Where a key comes from.
#[derive(Clone, Debug)]
enum Key {
    None,
    Variable(String),
    Command(Vec<String>),
}

impl ModelSettings {
    /// Reads `<home>/memstrata.toml`. `None` when there is no file, or no section `[model]` in it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] when the file cannot be read or the section cannot be understood. Neither names a
    /// value: it may be a key in the wrong place.
    pub fn load(home: &Path) -> Result<Option<Self>, Error> {
        let path = home.join(FILE);
        let shown = path.display().to_string();
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Model, format!("{shown} cannot be read")).with_source(error)
        };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
            // Opening a pipe would wait for a writer.
            Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_BYTES => {
                return Err(Error::new(
                    ErrorKind::Model,
                    format!("{shown} is no file of at most {MAX_BYTES} bytes"),
                ));
            }
            Ok(_) => {}
        }
        let mut text = String::new();
        let file = File::open(&path).map_err(failed)?;
        file.take(MAX_BYTES)
            .read_to_string(&mut text)
            .map_err(failed)?;
        Self::parse(&text)
            .map_err(|error| Error::new(ErrorKind::Model, format!("{shown}: {error}")))
    }

    /// Reads the text of the file. `None` when there is no section `[model]`.
    ///
    /// # Errors
    ///
    /// As [`ModelSettings::load`].
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        // The parser's own message shows the line, and with it what stands there.
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            Error::new(ErrorKind::Model, format!("not valid TOML in line {line}"))
        })?;
        match table.get("model") {
            None => Ok(None),
            Some(Value::Table(section)) => Self::of(&Section::new("model", section)).map(Some),
            Some(_) => Err(wrong("model", "a section")),
        }
    }

    fn of(section: &Section<'_>) -> Result<Self, Error> {
        section.knows(&[
            "backend",
            "name",
            "base_url",
            "key_variable",
            "key_command",
            "bearer",
            "command",
            "command_output",
            "vendor",
            "used_for",
            "any_session",
            "recall_milliseconds",
            "names",
            "budget",
            "price",
            "prices",
        ])?;
        let (backend, own_name) = backend(section)?;
        let name = section.text("name")?.or(own_name);
        let name = name.ok_or_else(|| missing("model.name"))?;
        let recall_time = section
            .number("recall_milliseconds")?
            .map(Duration::from_millis);
        Ok(Self {
            backend,
            names: names(section)?,
            used_for: purposes(section)?,
            any_session: section.switch("any_session")?.unwrap_or_default(),
            recall_time,
            budgets: budgets(section)?,
            prices: prices(section, &name)?,
            name,
        })
    }

    /// What a model is used for by itself, as far as the host does that work by itself. What a command is told with
    /// `--model` goes beyond that.
    pub fn used_for(&self) -> &[Purpose] {
        &self.used_for
    }

    /// The program that is asked, where the model is one: a path, or a name on the search path.
    pub fn program(&self) -> Option<&str> {
        match &self.backend {
            Backend::Command(spec) => spec.program.to_str(),
            Backend::Anthropic { .. } | Backend::OpenAi { .. } => None,
        }
    }

    /// The daily budgets.
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// The prices.
    pub fn prices(&self) -> &PriceTable {
        &self.prices
    }

    /// Makes the models of all purposes, each under the budget, with bookings in `ledger_folder`
    /// ([`ledger_folder`](super::ledger_folder)). Asks for the key; sends nothing.
    ///
    /// `variable` looks up an environment variable: nothing is read from the process here. Keep what should not
    /// be used without being asked for with `models.only(settings.used_for())`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] when the key is missing, its command fails, or the address is not safe.
    pub fn models(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
        ledger_folder: &Path,
        clock: &Arc<dyn Clock>,
    ) -> Result<Models, Error> {
        let key = self.key(variable)?;
        let mut made: BTreeMap<&str, Arc<dyn Model>> = BTreeMap::new();
        let mut models = Models::new().with_any_session(self.any_session);
        if let Some(limit) = self.recall_time {
            models = models.with_recall_time(limit);
        }
        for purpose in PURPOSES {
            let name = self
                .names
                .get(&purpose)
                .map_or(self.name.as_str(), String::as_str);
            let model = match made.get(name) {
                Some(model) => Arc::clone(model),
                None => self.model(name, key.clone())?,
            };
            made.insert(name, Arc::clone(&model));
            models = models.with(&purpose, model);
        }
        let store = FileStore::new(ledger_folder);
        let ledger = Arc::new(Ledger::new(
            store,
            self.prices.clone(),
            self.budgets.clone(),
        ));
        Ok(models.metered(&ledger, clock))
    }

    fn key(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<ApiKey>, Error> {
        match &self.backend {
            Backend::Command(_) => Ok(None),
            Backend::Anthropic { key, .. } | Backend::OpenAi { key, .. } => match key {
                Key::None => Ok(None),
                Key::Variable(name) => {
                    match variable(name).filter(|text| !text.trim().is_empty()) {
                        Some(text) => Ok(Some(ApiKey::new(text))),
                        None => Err(Error::new(
                            ErrorKind::Model,
                            format!("the key is expected in the variable {name}, which is not set"),
                        )),
                    }
                }
                Key::Command(words) => key::ask(words).map(Some),
            },
        }
    }

    fn model(&self, name: &str, key: Option<ApiKey>) -> Result<Arc<dyn Model>, Error> {
        let unusable = |error: agent_model::Error| {
            Error::new(ErrorKind::Model, "the model cannot be used as it is set up")
                .with_source(error)
        };
        Ok(match &self.backend {
            Backend::Anthropic {
                base_url,
                is_bearer,
                ..
            } => {
                let mut options = AnthropicOptions::default();
                if let Some(base_url) = base_url {
                    options = options.with_base_url(base_url);
                }
                let key = key.unwrap_or_else(|| ApiKey::new(""));
                let auth = if *is_bearer {
                    AnthropicAuth::Bearer(key)
                } else {
                    AnthropicAuth::ApiKey(key)
                };
                Arc::new(AnthropicModel::new(name, auth, options).map_err(unusable)?)
            }
            Backend::OpenAi { base_url, .. } => {
                let mut options = OpenAiOptions::default();
                if let Some(base_url) = base_url {
                    options = options.with_base_url(base_url);
                }
                Arc::new(OpenAiModel::new(name, key, options).map_err(unusable)?)
            }
            Backend::Command(spec) => {
                let mut spec = spec.clone();
                name.clone_into(&mut spec.name);
                Arc::new(CommandModel::new(spec))
            }
        })
    }
}

/// The back end, and the name of its model where that goes without saying.
fn backend(section: &Section<'_>) -> Result<(Backend, Option<String>), Error> {
    let base_url = section.text("base_url")?;
    match section.text("backend")?.as_deref() {
        Some("anthropic") => Ok((
            Backend::Anthropic {
                base_url,
                key: key_of(section, Some("ANTHROPIC_API_KEY"))?,
                is_bearer: section.switch("bearer")?.unwrap_or_default(),
            },
            None,
        )),
        Some("openai") => {
            // A server on this machine seldom wants a key, so another address has no key by itself.
            let usual = base_url.is_none().then_some("OPENAI_API_KEY");
            let key = key_of(section, usual)?;
            Ok((Backend::OpenAi { base_url, key }, None))
        }
        Some("command") => {
            let spec = command(section)?;
            let name = spec.name.clone();
            Ok((Backend::Command(spec), Some(name)))
        }
        Some(_) => Err(wrong(
            "model.backend",
            "\"anthropic\", \"openai\" or \"command\"",
        )),
        None => Err(missing("model.backend")),
    }
}

fn key_of(section: &Section<'_>, usual: Option<&str>) -> Result<Key, Error> {
    match (section.text("key_variable")?, section.words("key_command")?) {
        (Some(_), Some(_)) => Err(Error::new(
            ErrorKind::Model,
            "model.key_variable and model.key_command exclude each other",
        )),
        (Some(name), None) => Ok(Key::Variable(name)),
        (None, Some(words)) if words.is_empty() => Err(wrong("model.key_command", "a program")),
        (None, Some(words)) => Ok(Key::Command(words)),
        (None, None) => Ok(usual.map_or(Key::None, |name| Key::Variable(name.to_owned()))),
    }
}

fn command(section: &Section<'_>) -> Result<CommandSpec, Error> {
    const EXPECTED: &str = "\"claude\", \"codex\" or a list of a program and its arguments";
    let spec = match section.get("command") {
        None => return Err(missing("model.command")),
        Some(Value::String(preset)) if preset == "claude" => CommandSpec::claude(),
        Some(Value::String(preset)) if preset == "codex" => CommandSpec::codex(),
        Some(Value::Array(_)) => {
            let words = section.words("command")?.unwrap_or_default();
            let Some((program, arguments)) = words.split_first() else {
                return Err(wrong("model.command", EXPECTED));
            };
            let vendor = match section.text("vendor")?.as_deref() {
                Some("anthropic") => Vendor::Anthropic,
                Some("openai") => Vendor::OpenAi,
                Some("google") => Vendor::Google,
                Some("local") => Vendor::Local,
                Some(other) => Vendor::Other(other.to_owned()),
                None => Vendor::Other(program.clone()),
            };
            CommandSpec::new(program, Provider::new(vendor))
                .with_arguments(arguments.iter().map(OsString::from))
        }
        Some(_) => return Err(wrong("model.command", EXPECTED)),
    };
    let spec = match section.text("command_output")?.as_deref() {
        None => spec,
        Some("text") => spec.with_output(CommandOutput::Text),
        Some("claude-json") => spec.with_output(CommandOutput::ClaudeJson),
        Some(_) => return Err(wrong("model.command_output", "\"text\" or \"claude-json\"")),
    };
    Ok(spec.with_environment(RECURSION_VARIABLE, "1"))
}

fn names(section: &Section<'_>) -> Result<BTreeMap<Purpose, String>, Error> {
    let Some(names) = section.section("names")? else {
        return Ok(BTreeMap::new());
    };
    names.knows(&PURPOSES.each_ref().map(Purpose::as_str))?;
    let mut found = BTreeMap::new();
    for purpose in PURPOSES {
        if let Some(name) = names.text(purpose.as_str())? {
            found.insert(purpose, name);
        }
    }
    Ok(found)
}

fn purposes(section: &Section<'_>) -> Result<Vec<Purpose>, Error> {
    let words = section.words("used_for")?.unwrap_or_default();
    let known = |word: String| {
        PURPOSES
            .into_iter()
            .find(|purpose| purpose.as_str() == word)
            .ok_or_else(|| {
                wrong(
                    "model.used_for",
                    "a list of \"recall\", \"extract\", \"session\" and \"dream\"",
                )
            })
    };
    words.into_iter().map(known).collect()
}

fn budgets(section: &Section<'_>) -> Result<Budgets, Error> {
    let Some(budget) = section.section("budget")? else {
        return Ok(Budgets::default());
    };
    let mut known = vec!["calls", "tokens", "money"];
    known.extend(PURPOSES.iter().map(Purpose::as_str));
    budget.knows(&known)?;
    let mut budgets = Budgets::new(limits(&budget)?);
    for purpose in PURPOSES {
        if let Some(of_purpose) = budget.section(purpose.as_str())? {
            of_purpose.knows(&["calls", "tokens", "money"])?;
            budgets = budgets.with_purpose(purpose, limits(&of_purpose)?);
        }
    }
    Ok(budgets)
}

fn limits(section: &Section<'_>) -> Result<Budget, Error> {
    let mut budget = Budget::unlimited();
    budget.calls = section.number("calls")?;
    budget.tokens = section.number("tokens")?;
    budget.micros = section.money("money")?;
    Ok(budget)
}

fn prices(section: &Section<'_>, name: &str) -> Result<PriceTable, Error> {
    let mut table = PriceTable::new();
    if let Some(price) = section.section("price")? {
        table = table.with(name, price_of(&price)?);
    }
    if let Some(prices) = section.section("prices")? {
        for name in prices.table.keys() {
            if let Some(price) = prices.section(name)? {
                table = table.with(name, price_of(&price)?);
            }
        }
    }
    Ok(table)
}

fn price_of(section: &Section<'_>) -> Result<Price, Error> {
    section.knows(&["input", "output", "cache_read", "cache_write"])?;
    let wanted = |key: &str| {
        section
            .money(key)?
            .ok_or_else(|| missing(&section.name_of(key)))
    };
    let price = Price::new(wanted("input")?, wanted("output")?);
    let read = section.money("cache_read")?.unwrap_or(price.cache_read);
    let write = section.money("cache_write")?.unwrap_or(price.cache_write);
    Ok(price.with_cache(read, write))
}
