//! The scanner, and the functions that use the standard one.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::allow::AllowList;
use crate::engine::{self, Hit, Search};
use crate::finding::{Finding, Level};
use crate::literals::Literals;
use crate::redact::{self, Redacted};
use crate::rules::Ruleset;
use crate::stream::Stream;
use crate::sweep::{Sweep, WINDOW, Window};
use crate::text::Text;
use crate::views::{self, Layers};

/// Looks for credentials in bytes.
///
/// Made once, in less than a millisecond, and used from any number of threads; a clone shares
/// everything with its original.
///
/// ```
/// use secret_scan::{Ruleset, Scanner, rules};
///
/// let scanner = Scanner::new(&Ruleset::standard());
/// let npm = rules().iter().find(|rule| rule.id() == "npm-access-token");
/// let token = npm.expect("a standard rule").examples().remove(0);
/// let findings = scanner.scan(format!("export TOKEN={token}\n").as_bytes());
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].rule(), "npm-access-token");
/// assert_eq!((findings[0].line(), findings[0].column()), (1, 14));
/// ```
#[derive(Clone)]
pub struct Scanner {
    shared: Arc<Shared>,
    views: Views,
    allow_list: Option<Arc<AllowList>>,
}

/// Whether credentials are looked for where they are encoded or broken up, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Views {
    /// In the text and in every view of it.
    #[default]
    All,
    /// In the text as it stands. Several times as fast, for inputs that nobody had a reason
    /// to hide anything in.
    Off,
}

struct Shared {
    ruleset: Ruleset,
    literals: Literals,
}

impl Scanner {
    /// A scanner for these rules, with all views.
    pub fn new(ruleset: &Ruleset) -> Self {
        Self {
            shared: Arc::new(Shared {
                literals: Literals::new(ruleset.rules()),
                ruleset: ruleset.clone(),
            }),
            views: Views::default(),
            allow_list: None,
        }
    }

    /// Leaves alone what the list allows, and gives every finding a
    /// [fingerprint](Finding::fingerprint).
    #[must_use]
    pub fn with_allow_list(mut self, allow_list: AllowList) -> Self {
        self.allow_list = Some(Arc::new(allow_list));
        self
    }

    /// Chooses whether encoded and broken credentials are looked for; they are by default.
    #[must_use]
    pub fn with_views(mut self, views: Views) -> Self {
        self.views = views;
        self
    }

    /// The scanner for the standard rules, made on first use and shared by the whole process.
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(&Ruleset::standard()));
        &STANDARD
    }

    /// Finds every credential in `input`.
    ///
    /// The findings are sorted by position and do not overlap.
    pub fn scan(&self, input: &[u8]) -> Vec<Finding> {
        let mut sweep = Sweep::default();
        for base in (0..input.len()).step_by(WINDOW) {
            let window = Window::at(base, input.len());
            let bytes = &input[window.seen.clone()];
            sweep.add(&window, bytes, self.scan_window(&window, bytes));
        }
        if sweep.is_empty() {
            return Vec::new();
        }
        sweep.place(input, 0, input.len());
        sweep.take()
    }

    /// Whether `input` holds a credential. Stops at the first; hints of
    /// [`Level::Advisory`] do not count.
    pub fn contains_secret(&self, input: &[u8]) -> bool {
        if self.allow_list.is_some() {
            // What is allowed shows only when all matches of a place are compared.
            let is_secret = |finding: &Finding| finding.level() == Level::Secret;
            return self.scan(input).iter().any(is_secret);
        }
        (0..input.len()).step_by(WINDOW).any(|base| {
            let window = Window::at(base, input.len());
            let bytes = &input[window.seen.clone()];
            let mut secret = false;
            self.visit_window(&window, bytes, &mut |hit| {
                secret |= hit.rule.level() == Level::Secret;
                !secret
            });
            secret
        })
    }

    /// Replaces every credential in `input` by a label.
    pub fn redact(&self, input: &str) -> Redacted {
        redact::redact(self, input)
    }

    /// Replaces every credential in `input`, which need not be UTF-8, by a label.
    pub fn redact_bytes(&self, input: &[u8]) -> Vec<u8> {
        redact::redact_bytes(self, input).0
    }

    /// Starts a scan of an input that comes in chunks.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// The rules this scanner looks for.
    pub fn ruleset(&self) -> &Ruleset {
        &self.shared.ruleset
    }

    pub(crate) fn scan_window(&self, window: &Window, bytes: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.visit_window(window, bytes, &mut |hit| {
            hits.push(hit);
            true
        });
        hits
    }

    fn visit_window(&self, window: &Window, bytes: &[u8], found: &mut dyn FnMut(Hit) -> bool) {
        let base = window.seen.start;
        let own = window.own.start - base..window.own.end - base;
        let text = Text::new(bytes);
        let search = Search {
            literals: &self.shared.literals,
            allow_list: self.allow_list.as_deref(),
        };
        match self.views {
            Views::All => views::scan_all(search, &text, own, Layers::ALL, found),
            Views::Off => engine::scan_text(search, &text, own, found),
        };
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Scanner")
            .field("rules", &self.shared.ruleset.rules().len())
            .finish_non_exhaustive()
    }
}

/// Finds every credential in `input` with the standard rules; see [`Scanner::scan`].
pub fn scan(input: &[u8]) -> Vec<Finding> {
    Scanner::standard().scan(input)
}

/// Whether `input` holds a credential by the standard rules; see [`Scanner::contains_secret`].
pub fn contains_secret(input: &[u8]) -> bool {
    Scanner::standard().contains_secret(input)
}

/// Replaces every credential in `input` by a label, with the standard rules. Borrows where there
/// is none.
///
/// ```
/// let rule = &secret_scan::rules()[15];
/// let text = format!("deploy with {}, then stop", rule.examples()[0]);
/// assert_eq!(
///     secret_scan::redact(&text),
///     "deploy with [redacted:gitlab-deploy-token], then stop"
/// );
/// ```
pub fn redact(input: &str) -> Cow<'_, str> {
    let redacted = Scanner::standard().redact(input);
    if redacted.findings().is_empty() {
        Cow::Borrowed(input)
    } else {
        Cow::Owned(redacted.into_text())
    }
}
