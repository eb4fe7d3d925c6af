//! temporary
mod mode;
pub use mode::{Layer, Mode, ModeSettings, Modes, SecretAction};
