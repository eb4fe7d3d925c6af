//! Limits of keys, and what a caller may add to the rules.

/// The longest key, in bytes of UTF-8.
///
/// Linux takes paths of 4,096 bytes with the NUL at the end (`PATH_MAX`).
pub const MAX_KEY_BYTES: usize = 4095;

/// The longest component of a key, in bytes of UTF-8: the limit of ext4, XFS, APFS and NTFS names.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// The number of components a key may have.
pub const MAX_KEY_LEVELS: usize = 64;

/// Rules that a caller adds to those every key has to pass.
///
/// Rules can only refuse more; nothing here makes a key legal that the built-in rules refuse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRules {
    /// The extensions a key may have, without the full stop, compared without regard to ASCII case.
    /// `None`, the default, allows every extension and none.
    pub extensions: Option<Vec<String>>,
}

impl KeyRules {
    pub(crate) const NONE: Self = Self { extensions: None };

    /// Markdown files only: the rule for keys that come from a team server.
    pub fn markdown() -> Self {
        Self::with_extensions(["md"])
    }

    /// Files with one of `extensions` only.
    pub fn with_extensions<I>(extensions: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self {
            extensions: Some(extensions.into_iter().map(Into::into).collect()),
        }
    }

    pub(crate) fn allow_extension(&self, extension: Option<&str>) -> bool {
        let Some(allowed) = &self.extensions else {
            return true;
        };
        extension.is_some_and(|extension| allowed.iter().any(|a| a.eq_ignore_ascii_case(extension)))
    }
}
