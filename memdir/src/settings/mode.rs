//! What may be done without asking, per layer.

use std::fmt;
use std::str::FromStr;

/// How far a layer may act by itself. Ordered: a later mode includes what an earlier one may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Nothing is read or written.
    Off,
    /// Memories are recalled and pulled; nothing is written.
    Read,
    /// New memories wait in the inbox for a person; the team is pushed to on command.
    Ask,
    /// Memories are written and shared as they are found.
    Auto,
}

/// One of the three layers of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The file of one session.
    Session,
    /// The memories of one project.
    Persistent,
    /// The memories shared by everybody who works on one repository.
    Team,
}

/// The mode of each layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// The mode of the session file.
    pub session: Mode,
    /// The mode of the project's memories.
    pub persistent: Mode,
    /// The mode of the team's memories.
    pub team: Mode,
}

/// Modes as a settings file gives them: what it does not mention is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeSettings {
    /// The mode of the session file.
    pub session: Option<Mode>,
    /// The mode of the project's memories.
    pub persistent: Option<Mode>,
    /// The mode of the team's memories.
    pub team: Option<Mode>,
}

/// What happens when a credential would be stored in a private memory.
///
/// Team files and writes by background agents always block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretAction {
    /// The write is done and the finding returned; `check` reports it again.
    #[default]
    Warn,
    /// The write is refused.
    Block,
}

impl Mode {
    /// The word used in configuration files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Read => "read",
            Self::Ask => "ask",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = crate::Error;

    /// Parses `off`, `read`, `ask` or `auto`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for any other word.
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "off" => Ok(Self::Off),
            "read" => Ok(Self::Read),
            "ask" => Ok(Self::Ask),
            "auto" => Ok(Self::Auto),
            _ => Err(crate::Error::refused("a mode is off, read, ask or auto")),
        }
    }
}

impl Modes {
    /// All layers in one mode.
    pub const fn all(mode: Mode) -> Self {
        Self {
            session: mode,
            persistent: mode,
            team: mode,
        }
    }

    /// The mode of one layer.
    pub fn get(&self, layer: Layer) -> Mode {
        match layer {
            Layer::Session => self.session,
            Layer::Persistent => self.persistent,
            Layer::Team => self.team,
        }
    }

    /// Takes what `settings` mentions and keeps the rest.
    #[must_use]
    pub fn replaced_by(self, settings: ModeSettings) -> Self {
        Self {
            session: settings.session.unwrap_or(self.session),
            persistent: settings.persistent.unwrap_or(self.persistent),
            team: settings.team.unwrap_or(self.team),
        }
    }

    /// Lowers what `limits` mentions; nothing is ever raised by it.
    #[must_use]
    pub fn limited_by(self, limits: ModeSettings) -> Self {
        let lower = |mode: Mode, limit: Option<Mode>| limit.map_or(mode, |limit| mode.min(limit));
        Self {
            session: lower(self.session, limits.session),
            persistent: lower(self.persistent, limits.persistent),
            team: lower(self.team, limits.team),
        }
    }
}
