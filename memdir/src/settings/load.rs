//! Reads the settings files from disk.

use std::path::{Path, PathBuf};

use pathguard::{MemoryRoot, PathKey, RootOptions, TrustedSource};

use super::environment::Environment;
use super::resolve::{Settings, SettingsWarning};
use super::source::{ProjectSettings, TrustedSettings};
use crate::error::{Error, ErrorKind};
use crate::files;
use crate::limits::SETTINGS_MAX_BYTES;

/// Where settings files are looked for.
///
/// | file | trust | read for |
/// |---|---|---|
/// | `managed` | administrator | folder, switches |
/// | `<home>/settings.json` | user | folder, switches |
/// | `<home>/memstrata.toml` | user | modes, secrets, projects |
/// | `<project>/.claude/settings.local.json` | none | switches that reduce |
/// | `<project>/.claude/settings.json` | none | switches that reduce |
/// | `<project>/.memstrata/config.toml` | none | switches that reduce |
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettingsPlaces {
    /// The administrator's settings; [`managed_settings_path`] is where Claude Code keeps them.
    pub managed: Option<PathBuf>,
    /// `<home>`.
    pub home: PathBuf,
    /// The root of the project.
    pub project: Option<PathBuf>,
}

/// Where Claude Code looks for the settings of an administrator on this platform.
pub fn managed_settings_path() -> PathBuf {
    // Source: the settings page of Claude Code's public documentation.
    let path = if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode/managed-settings.json"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode\managed-settings.json"
    } else {
        "/etc/claude-code/managed-settings.json"
    };
    PathBuf::from(path)
}

impl SettingsPlaces {
    /// The usual places below `home`, the administrator's included.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self {
            managed: Some(managed_settings_path()),
            home: home.into(),
            project: None,
        }
    }

    /// Also looks into a project.
    #[must_use]
    pub fn with_project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Looks for the administrator's settings elsewhere, or nowhere.
    #[must_use]
    pub fn with_managed(mut self, managed: Option<PathBuf>) -> Self {
        self.managed = managed;
        self
    }

    /// Reads what exists. Files of the project that cannot be read become warnings of
    /// [`Settings::resolve`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] when a trusted file cannot be understood, [`ErrorKind::Io`] when it
    /// cannot be read: it may be the one that says where memories are kept.
    pub fn load(&self, environment: Environment) -> Result<Settings, Error> {
        let _span = tracing::debug_span!("memdir.settings.load").entered();
        let mut settings = Settings::new(environment);
        if let Some(managed) = &self.managed {
            push_json(&mut settings, managed, TrustedSource::ManagedPolicy)?;
        }
        let user = self.home.join("settings.json");
        push_json(&mut settings, &user, TrustedSource::UserSettings)?;
        let configuration = self.home.join("memstrata.toml");
        if let Some(text) = read_trusted(&configuration)? {
            let place = configuration.display().to_string();
            settings.push_trusted(TrustedSettings::parse_toml(
                TrustedSource::UserSettings,
                place,
                &text,
            )?);
        }
        if let Some(project) = &self.project {
            load_project(project, &mut settings);
        }
        Ok(settings)
    }
}

fn push_json(settings: &mut Settings, file: &Path, source: TrustedSource) -> Result<(), Error> {
    if let Some(text) = read_trusted(file)? {
        let place = file.display().to_string();
        settings.push_trusted(TrustedSettings::parse_json(source, place, &text)?);
    }
    Ok(())
}

/// Reads a file of the user. Links are followed: people keep their settings in a repository of
/// dotfiles and link to it.
fn read_trusted(file: &Path) -> Result<Option<String>, Error> {
    let shown = file.display().to_string();
    let target = match std::fs::canonicalize(file) {
        Ok(target) => target,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Error::new(ErrorKind::Io, "cannot be reached")
                .with_path(shown)
                .with_source(error));
        }
    };
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(|n| n.to_str()))
    else {
        return Err(Error::refused("not a file").with_path(shown));
    };
    let mut options = RootOptions::default();
    options.allow_hard_links = true;
    let root = MemoryRoot::open(folder, &options).map_err(|error| files::error(error, &shown))?;
    let key = PathKey::parse(name).map_err(|error| files::error(error, &shown))?;
    let read = root
        .read(key.as_ref(), SETTINGS_MAX_BYTES)
        .map_err(|error| files::error(error, &shown))?;
    String::from_utf8(read.bytes)
        .map(Some)
        .map_err(|_| Error::corrupt("not UTF-8").with_path(shown))
}

fn load_project(project: &Path, settings: &mut Settings) {
    type Parse = fn(String, &str) -> Result<ProjectSettings, Error>;
    const FILES: [(&str, Parse); 3] = [
        (".claude/settings.local.json", |place, text| {
            ProjectSettings::parse_json(place, text)
        }),
        (".claude/settings.json", |place, text| {
            ProjectSettings::parse_json(place, text)
        }),
        (".memstrata/config.toml", |place, text| {
            ProjectSettings::parse_toml(place, text)
        }),
    ];
    let Ok(root) = MemoryRoot::open(project, &RootOptions::default()) else {
        return;
    };
    for (name, parse) in FILES {
        let read = read_project(&root, name);
        let parsed = read.and_then(|text| match text {
            Some(text) => parse(name.to_owned(), &text).map(Some),
            None => Ok(None),
        });
        match parsed {
            Ok(Some(parsed)) => settings.push_project(parsed),
            Ok(None) => {}
            Err(error) => settings.push_problem(SettingsWarning::new(name, error.to_string())),
        }
    }
}

fn read_project(root: &MemoryRoot, name: &str) -> Result<Option<String>, Error> {
    let key = PathKey::parse(name).map_err(|error| files::error(error, name))?;
    let Some(read) = files::read_if_exists(root, key.as_ref(), SETTINGS_MAX_BYTES)? else {
        return Ok(None);
    };
    String::from_utf8(read.bytes)
        .map(Some)
        .map_err(|_| Error::corrupt("not UTF-8").with_path(name))
}
