//! The phrases of each language, as data. A language is added by a table and its name in [`ALL`].

use super::cue::Cue;

mod chinese;
mod english;
mod german;
mod japanese;
mod romance;
mod russian;

/// What a language says, and how we speak it.
#[derive(Debug)]
pub(super) struct Language {
    /// Its tag in BCP 47.
    #[allow(dead_code, reason = "names the language in debug output and tests")]
    pub(super) tag: &'static str,
    /// Whether it is written in Latin letters; the others are not looked for in a text of ASCII alone.
    pub(super) is_latin: bool,
    /// Pieces of patterns, by the name that stands in braces.
    pub(super) fragments: &'static [(&'static str, &'static str)],
    /// Patterns over the plain form of a sentence (lower case, single blanks, half-width punctuation).
    pub(super) cues: &'static [(Cue, &'static [&'static str])],
    /// The preposition before a weekday and the weekdays from Monday on, where `memdir` leaves such a phrase
    /// alone because it could mean every week.
    pub(super) weekdays: Option<(&'static str, [&'static str; 7])>,
    /// What stands before a rule in a description that would otherwise only repeat the name: for `user`,
    /// `feedback`, `project` and `reference`.
    pub(super) frames: [&'static str; 4],
}

/// All languages, in the order in which they are tried.
pub(super) const ALL: &[Language] = &[
    english::ENGLISH,
    chinese::CHINESE,
    german::GERMAN,
    romance::FRENCH,
    romance::SPANISH,
    romance::PORTUGUESE,
    romance::ITALIAN,
    japanese::JAPANESE,
    japanese::KOREAN,
    russian::RUSSIAN,
];

/// The language whose frames fit a text in which no phrase told the language.
pub(super) fn of(text: &str) -> &'static Language {
    let is_han = |sign: char| ('\u{4E00}'..='\u{9FFF}').contains(&sign);
    let han = text.chars().filter(|sign| is_han(*sign)).count();
    &ALL[usize::from(han * 3 > text.chars().count())]
}
