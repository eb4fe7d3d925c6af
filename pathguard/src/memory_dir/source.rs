//! Where a setting comes from, and whether that place may choose a folder.

use std::fmt;

/// Where a setting was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SettingsSource {
    /// An explicit argument of the program.
    Argument,
    /// An environment variable.
    Environment,
    /// Policy settings that an administrator installed.
    ManagedPolicy,
    /// The user's own settings.
    UserSettings,
    /// Settings in the project that are not committed, such as `.claude/settings.local.json`.
    /// Whoever unpacks an archive or runs a project's set-up script may have written them.
    ProjectLocal,
    /// Settings that came with the project.
    ProjectCommitted,
}

impl SettingsSource {
    /// Returns the source as one that may choose the memory folder, or `None` for settings that
    /// live in a project: a hostile repository could point the folder at `~/.ssh`.
    ///
    /// ```
    /// use pathguard::SettingsSource;
    ///
    /// assert!(SettingsSource::UserSettings.trusted().is_some());
    /// assert!(SettingsSource::ProjectCommitted.trusted().is_none());
    /// assert!(SettingsSource::ProjectLocal.trusted().is_none());
    /// ```
    pub fn trusted(self) -> Option<TrustedSource> {
        match self {
            Self::Argument => Some(TrustedSource::Argument),
            Self::Environment => Some(TrustedSource::Environment),
            Self::ManagedPolicy => Some(TrustedSource::ManagedPolicy),
            Self::UserSettings => Some(TrustedSource::UserSettings),
            Self::ProjectLocal | Self::ProjectCommitted => None,
        }
    }
}

/// A source that may choose the memory folder.
///
/// There is no value of this type for settings that live in a project, so a folder from there cannot
/// be resolved by mistake: the compiler refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrustedSource {
    /// An explicit argument of the program.
    Argument,
    /// An environment variable.
    Environment,
    /// Policy settings that an administrator installed.
    ManagedPolicy,
    /// The user's own settings.
    UserSettings,
}

impl From<TrustedSource> for SettingsSource {
    fn from(source: TrustedSource) -> Self {
        match source {
            TrustedSource::Argument => Self::Argument,
            TrustedSource::Environment => Self::Environment,
            TrustedSource::ManagedPolicy => Self::ManagedPolicy,
            TrustedSource::UserSettings => Self::UserSettings,
        }
    }
}

impl fmt::Display for SettingsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Argument => "argument",
            Self::Environment => "environment",
            Self::ManagedPolicy => "managed policy",
            Self::UserSettings => "user settings",
            Self::ProjectLocal => "local project settings",
            Self::ProjectCommitted => "committed project settings",
        })
    }
}

impl fmt::Display for TrustedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&SettingsSource::from(*self), f)
    }
}
