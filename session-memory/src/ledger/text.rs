//! A text of the ledger: shared, and cleaned once at most.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Takes out of a text what must not be written into a session file, such as credentials.
pub type Clean = for<'a> fn(&'a str) -> Cow<'a, str>;

/// A text as it was found, and as it is shown.
///
/// A command stands in the newest thirty for hundreds of updates, so what was made of it is remembered.
/// `Debug` shows no contents.
#[derive(Clone)]
pub(super) struct Text(Arc<Inner>);

struct Inner {
    found: String,
    /// Empty inside where cleaning changes nothing.
    cleaned: OnceLock<Option<String>>,
}

impl Text {
    pub(super) fn new(found: impl Into<String>) -> Self {
        Text(Arc::new(Inner {
            found: found.into(),
            cleaned: OnceLock::new(),
        }))
    }

    pub(super) fn found(&self) -> &str {
        &self.0.found
    }

    /// Returns the text as it may be shown. One text is always cleaned in the same way.
    pub(super) fn shown(&self, clean: Option<Clean>) -> &str {
        let Some(clean) = clean else {
            return self.found();
        };
        let cleaned = self.0.cleaned.get_or_init(|| match clean(self.found()) {
            Cow::Borrowed(same) if same.len() == self.found().len() => None,
            other => Some(other.into_owned()),
        });
        cleaned.as_deref().unwrap_or(self.found())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.found().len())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.found() == other.found()
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.found().hash(state);
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.found()
    }
}
