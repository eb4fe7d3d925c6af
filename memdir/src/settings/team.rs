//! Where the team server is and how to speak to it: for trusted files and the environment only.

use super::source::{TEAM_SECTION, toml_value, wrong_type};
use crate::error::Error;

/// The scopes that a token has to have unless the settings name others.
const SCOPES: [&str; 2] = ["inference", "profile"];

/// What the program is called at an issuer unless the settings say otherwise.
const CLIENT_ID: &str = "memstrata";

/// The team server as the settings describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamServer {
    /// The address, such as `https://memory.example.com`; `None` when none is set. Not checked here.
    pub url: Option<String>,
    /// The variable or file that gave the address, for people to read; empty without one.
    pub place: String,
    /// Plain http beyond loopback is allowed.
    pub allow_http: bool,
    /// A file that holds the token, absolute or beginning with `~/`.
    pub token_file: Option<String>,
    /// A program and its arguments that print the token, such as `gh auth token`. No shell reads them.
    pub token_command: Option<Vec<String>>,
    /// The scopes that the token has to have.
    pub scopes: Vec<String>,
    /// Where `team login` gets a token, such as `https://login.example.com`.
    pub issuer: Option<String>,
    /// The name under which the issuer knows this program.
    pub client_id: String,
}

impl Default for TeamServer {
    fn default() -> Self {
        Self {
            url: None,
            place: String::new(),
            allow_http: false,
            token_file: None,
            token_command: None,
            scopes: SCOPES.map(str::to_owned).to_vec(),
            issuer: None,
            client_id: CLIENT_ID.to_owned(),
        }
    }
}

/// The section `[team]` of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TeamSettings {
    server: Option<String>,
    allow_http: Option<bool>,
    token_file: Option<String>,
    token_command: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    issuer: Option<String>,
    client_id: Option<String>,
}

impl TeamSettings {
    pub(super) fn parse(table: &toml::Table) -> Result<Self, Error> {
        let allow_http = match toml_value(table, TEAM_SECTION, "allow_http")? {
            None => None,
            Some(toml::Value::Boolean(allow)) => Some(*allow),
            Some(_) => return Err(wrong_type("team.allow_http", "true or false")),
        };
        let token_command = list(table, "token_command")?;
        if token_command.as_ref().is_some_and(Vec::is_empty) {
            return Err(wrong_type(
                "team.token_command",
                "a program with its arguments",
            ));
        }
        Ok(Self {
            server: text(table, "server")?,
            allow_http,
            token_file: text(table, "token_file")?,
            token_command,
            scopes: list(table, "scopes")?,
            issuer: text(table, "issuer")?,
            client_id: text(table, "client_id")?,
        })
    }

    /// Puts what this file says over what weaker ones said.
    pub(super) fn apply(&self, server: &mut TeamServer, place: &str) {
        if let Some(url) = &self.server {
            server.url = Some(url.clone());
            place.clone_into(&mut server.place);
        }
        if let Some(allow) = self.allow_http {
            server.allow_http = allow;
        }
        // A file and a command are two answers to one question: the stronger place gives it alone.
        if self.token_file.is_some() || self.token_command.is_some() {
            server.token_file.clone_from(&self.token_file);
            server.token_command.clone_from(&self.token_command);
        }
        if let Some(scopes) = &self.scopes {
            server.scopes.clone_from(scopes);
        }
        if self.issuer.is_some() {
            server.issuer.clone_from(&self.issuer);
        }
        if let Some(client_id) = &self.client_id {
            server.client_id.clone_from(client_id);
        }
    }
}

fn text(table: &toml::Table, key: &str) -> Result<Option<String>, Error> {
    match toml_value(table, TEAM_SECTION, key)? {
        None => Ok(None),
        Some(toml::Value::String(text)) if !text.trim().is_empty() => {
            Ok(Some(text.trim().to_owned()))
        }
        Some(_) => Err(wrong_type(&format!("team.{key}"), "a text")),
    }
}

fn list(table: &toml::Table, key: &str) -> Result<Option<Vec<String>>, Error> {
    let wrong = || wrong_type(&format!("team.{key}"), "a list of texts");
    match toml_value(table, TEAM_SECTION, key)? {
        None => Ok(None),
        Some(toml::Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect::<Result<_, _>>()
            .map(Some),
        Some(_) => Err(wrong()),
    }
}
