//! Which folder is used, what may be done, and who decided it.
//!
//! Reading order: [`environment`] is what the caller hands in, [`mode`] the four modes and three
//! layers, [`source`] the settings files with their trust as a type, [`known`] the keys they may hold, [`team`]
//! the team server, [`resolve`] the pure decision, [`load`] the files on disk.

mod environment;
mod known;
mod load;
mod mode;
mod resolve;
mod source;
mod team;

pub use environment::{Environment, VARIABLES, Variable};
pub use load::{SettingsPlaces, managed_settings_path};
pub use mode::{Layer, Mode, ModeSettings, Modes, SecretAction};
pub use resolve::{Decisions, DirectoryChoice, Settings, SettingsWarning};
pub use source::{ProjectSettings, TrustedSettings};
pub use team::TeamServer;
