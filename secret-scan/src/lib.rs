//! Finds credentials in text and names the rule, never the value.
//!
//! What follows from a finding — refusing a write, asking a person, rotating a key — is left to the
//! caller, and so is reading files: this crate takes bytes and touches nothing else.
//!
//! It is made for text that people and agents write: a token there is followed by a comma, a
//! bracket, an asterisk, a Chinese full stop or an emoji, broken over lines, escaped by a JSON log,
//! or pasted as base64. Rules know an issuer by the form of its tokens; whether a token still works
//! is not asked, because nothing is sent anywhere.
//!
//! # The parts
//!
//! - [`scan`], [`contains_secret`] and [`redact()`] use the 30 standard rules, which are always safe
//!   to act on. [`rules()`] lists them, with examples and counter-examples that are built on demand.
//! - [`Scanner`] is the same with a [`Ruleset`] of your own. [`Ruleset::extended`] adds more
//!   issuers, web tokens, bearer tokens and passwords in addresses; it is meant for text that is
//!   about to leave the machine.
//! - [`Stream`] takes an input in chunks, in bounded memory, with the findings of the whole.
//! - [`Finding`] says which rule, where (bytes, line, column), how serious and how sure. It holds
//!   no part of the input. [`Level::Secret`] is to be refused, [`Level::Advisory`], which only
//!   extended rules give, to be looked at.
//! - [`Redacted`] is a text with `[redacted:RULE]` in place of every credential.
//! - [`AllowList`] names values that may stay, by a keyed hash, with who allowed them and why. A
//!   marker inside the text does not exist: whoever can write the secret can write the marker.
//!
//! # Example
//!
//! ```
//! // A made-up token, assembled at run time so that no file holds it.
//! let slack = secret_scan::rules().iter().find(|rule| rule.id() == "slack-token");
//! let token = slack.expect("a standard rule").examples().remove(0);
//!
//! let note = format!("# Bots\n\n机器人用的是 **{token}**，别外传。\n");
//! let findings = secret_scan::scan(note.as_bytes());
//! assert_eq!(findings.len(), 1);
//! assert_eq!(findings[0].to_string(), "3:10 slack-token (Slack bot token)");
//! assert_eq!(&note[findings[0].range()], token);
//! assert_eq!(
//!     secret_scan::redact(&note),
//!     "# Bots\n\n机器人用的是 **[redacted:slack-token]**，别外传。\n"
//! );
//!
//! // The same, hidden in an escaped log line.
//! let hidden: String = token.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
//! assert!(secret_scan::contains_secret(hidden.as_bytes()));
//! ```
//!
//! With rules of one's own, in chunks, and with a value that may stay:
//!
//! ```
//! use secret_scan::{AllowKey, AllowList, Level, Ruleset, Scanner};
//!
//! # let slack = secret_scan::rules().iter().find(|rule| rule.id() == "slack-token");
//! # let token = slack.expect("a standard rule").examples().remove(0);
//! let scanner = Scanner::new(&Ruleset::extended());
//! let note = format!("bots use {token}");
//! let redacted = scanner.redact(&note);
//! assert_eq!(redacted.text(), "bots use [redacted:slack-token]");
//! assert_eq!(redacted.findings()[0].level(), Level::Secret);
//!
//! let mut stream = scanner.stream();
//! note.as_bytes().chunks(7).for_each(|chunk| stream.push(chunk));
//! assert_eq!(stream.finish()[0].range(), 9..note.len());
//!
//! let mut list = AllowList::new(AllowKey::new([7; 32]));
//! let scanner = scanner.with_allow_list(list.clone());
//! let finding = scanner.scan(note.as_bytes()).remove(0);
//! let fingerprint = finding.fingerprint().expect("the scanner has a list");
//! list.allow(finding.rule(), fingerprint, "kim", "public demo, reset every night")?;
//! assert!(!scanner.with_allow_list(list).contains_secret(note.as_bytes()));
//! # Ok::<(), secret_scan::Error>(())
//! ```
//!
//! # What is found
//!
//! A rule's pattern is a literal, what stands around it, and tests of the whole: entropy, and that
//! it is no placeholder. GitHub's and npm's checksums raise [`Confidence`]; a wrong one never
//! silences a finding. Beside the text as it stands, [`Views`] of it are searched, each made only
//! of the places where it could differ:
//!
//! - percent, `\u`, `\x`, octal and HTML escapes and quoted-printable decoded, also where they were
//!   escaped again;
//! - zero-width and other invisible characters taken out, full-width, mathematical and circled
//!   letters and typographic hyphens folded;
//! - tokens put together again that something breaks: a line end with what its notation puts around
//!   it (indent, quote, comment and list signs, cells, line numbers, the signs of a patch, a
//!   continuation), one string concatenated with the next, Markdown marks, inline tags, the colours
//!   of a terminal;
//! - base64 and hexadecimal digits decoded, two deep, and UTF-16.
//!
//! Views are taken of views, so a token that is hidden by two of these is found, too. A finding
//! gives its place in the input as it was.
//!
//! Hashes, UUIDs, integrity values, images, public keys, masked values, and patterns that describe
//! tokens are not found. Tests hold 10,000 and more clean notes and the documentation of all crates
//! in use to zero findings.
//!
//! # Hostile input
//!
//! - Any bytes of any length are an input. Nothing panics, and scanning cannot fail.
//! - Time is linear in the input. Memory is that of one window of 80 KiB and its views, and of the
//!   findings.
//! - No output, error, `Debug` or panic message holds a piece of a value; a test searches all of
//!   them for every piece of eight characters.
//! - Ranges of valid UTF-8 end at character boundaries. Redaction replaces whole tokens, also ones
//!   longer than any format; redacted text contains no secret, and redacting it again changes
//!   nothing.
//! - Chunks give what the whole gives.
//!
//! # Limits
//!
//! - A credential without a form of its own, such as a password in a sentence, is not found.
//! - A token that is cut, reversed, split by words or encrypted is not found; nor is one in an
//!   archive, an image or another encoding than those above, such as bytes written one by one
//!   (`41 4b`, `65, 75`), CSS escapes, or base64 three deep.
//! - Strings of a list, `["a", "b"]`, are not joined: that is how a program states that it holds no
//!   token, and how examples of this crate are written.
//! - A token that is complete before a line end is taken to end there, unless the next line can be
//!   nothing but more of it.
//! - Base64 and hexadecimal text that starts before a window of 64 KiB is decoded from the window's
//!   surroundings on, and a token is followed over line ends for 8 KiB.
//! - In UTF-16 text, columns count bytes.
//! - Redaction looks at its own result at most 16 times; only text made for it needs more.
//!
//! # Features
//!
//! None. No environment, clock, file or network access, and no unsafe code.

pub use allow::{AllowEntry, AllowKey, AllowList, Fingerprint};
pub use error::{Error, ErrorKind};
pub use finding::{Confidence, Finding, Level};
pub use redact::Redacted;
pub use rules::{RuleInfo, Ruleset, rules};
pub use scanner::{Scanner, Views, contains_secret, redact, scan};
pub use stream::Stream;

mod finding;
mod redact;
mod rules;
mod scanner;
mod stream;

mod allow;
mod error;

// From the whole input to a single byte.
mod sweep;
mod views;

mod engine;
mod literals;
mod matcher;

mod checks;
mod class;
mod position;
mod text;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
