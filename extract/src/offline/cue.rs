//! What phrases can tell about a sentence, and the search for them in all languages.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::language::{self, Language};

/// What a phrase tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cue {
    // The form of a sentence.
    /// Words in front that say nothing: "ok, so please".
    Lead,
    /// The beginning of a question.
    Question,
    /// A question that is a request: "could you".
    Polite,
    /// Something supposed, played or wished.
    Hypothetical,
    /// What somebody or something else says.
    Reported,
    /// A sentence that asks for work on code.
    Task,
    /// A message that asks for work on a text, which it quotes: "translate".
    TextWork,
    /// A sentence that asks to open a link.
    Visit,

    // What is asked for.
    /// "remember that": keep this.
    Remember,
    /// "remember that.": keep the sentence before.
    RememberPrevious,
    /// "don't save this": keep nothing of this message.
    DoNotRemember,
    /// "scratch that": what was said before does not hold.
    Withdraw,
    /// "actually", "instead": corrects what was said before.
    Amend,

    // Rules for the agent.
    /// "from now on": a rule that lasts.
    Lasting,
    /// "every time": lasts when other things speak for it.
    Habitual,
    /// A rule in its own form: "always squash", "never push to main".
    Rule,
    /// A rule about how people here work: "we never …".
    Convention,
    /// "I prefer".
    Preference,
    /// A rule by its title: "house rule:".
    RuleTitle,
    /// Says what must or must not be, in a sentence that is asked to be kept.
    Norm,
    /// "I want": a rule when it is said to last.
    Wish,
    /// Blames what the agent has just done; what follows is a correction.
    Blame,
    /// A complaint about what the agent keeps doing: "stop adding".
    Complaint,
    /// A refusal that may hold once or always: "don't".
    Refusal,
    /// A sentence that asks the agent for something: an imperative.
    Imperative,
    /// Praise for an approach that is to be kept.
    Praise,

    // What speaks against a rule.
    /// Holds for one place: "in this handler".
    OneOff,
    /// Holds for one time: "for now".
    Once,
    /// Holds up to a time; rules only.
    Until,
    /// Takes one of several things on offer: "the second one".
    Choice,
    /// Ends with "here", which is one place unless "we" do it there.
    Here,
    /// Says how things are, not how they are to be done: "it always fails".
    Described,
    /// What a program does, not a person: "return", "throw".
    Behaviour,
    /// What a program is made of or for: users, pages, requests.
    Product,
    /// What the work of an agent is made of: commits, tests, answers.
    Workflow,

    // The other types.
    /// Who the person is and what they know.
    Person,
    /// Looks like the former and is not.
    NotPerson,
    /// A system outside: tracker, dashboard, channel.
    Place,
    /// What it is for.
    Purpose,
    /// A decision.
    Decision,
    /// An event that has a date.
    Event,
    /// A date by its name: "Christmas".
    DateName,
    /// About one place in the code, which is no decision to keep.
    Local,
    /// Who is responsible for what, or away.
    Responsibility,
    /// Looks like the former and is not.
    NotResponsibility,

    // What is never kept.
    /// A credential in words: "the password is".
    Secret,
    /// What the repository says itself: code, paths, structure.
    Derivable,
    /// What was done.
    Activity,
    /// Work in progress.
    TaskState,
    /// "if the build is red": no state, a case.
    Conditional,
    /// How something was fixed.
    FixRecipe,

    // Parts.
    /// What a reason begins with.
    Reason,
    /// A sentence that is the reason of the one before.
    ReasonSentence,
    /// When and where a rule holds.
    Scope,
}

/// A phrase that was found.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) language: &'static Language,
    pub(super) range: Range<usize>,
}

impl Hit {
    /// The same hit, seen from so many bytes earlier.
    pub(super) fn behind(mut self, skipped: usize) -> Self {
        self.range = self.range.start + skipped..self.range.end + skipped;
        self
    }
}

struct Compiled {
    language: &'static Language,
    /// By the number of the cue.
    patterns: Vec<(Cue, Regex)>,
}

static COMPILED: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    language::ALL
        .iter()
        .map(|language| Compiled {
            language,
            patterns: language
                .cues
                .iter()
                .map(|(cue, phrases)| (*cue, compile(language, phrases)))
                .collect(),
        })
        .collect()
});

/// One expression out of a table's row. `\b` is a word boundary of ASCII letters, and `{name}` stands for a
/// fragment of the language.
fn compile(language: &Language, phrases: &[&str]) -> Regex {
    let mut pattern = format!("(?:{})", phrases.join("|"));
    for (name, fragment) in language.fragments {
        pattern = pattern.replace(&format!("{{{name}}}"), fragment);
    }
    let pattern = pattern.replace(r"\b", r"(?-u:\b)");
    RegexBuilder::new(&pattern)
        .size_limit(4 << 20)
        .build()
        .expect("a pattern of our own tables compiles because a test compiles all of them")
}

/// Finds the first phrase of a kind, of the first language that has one. An empty group in a pattern marks
/// where the phrase ends when what follows belongs to the content.
pub(super) fn find(cue: Cue, plain: &str) -> Option<Hit> {
    let is_ascii = plain.is_ascii();
    let spoken = |compiled: &&Compiled| compiled.language.is_latin || !is_ascii;
    COMPILED.iter().filter(spoken).find_map(|compiled| {
        let (_, pattern) = compiled.patterns.iter().find(|(kind, _)| *kind == cue)?;
        let mut range = pattern.find(plain)?.range();
        if pattern.captures_len() > 1 {
            let groups = pattern.captures(plain)?;
            let end = groups.iter().skip(1).flatten().next();
            range.end = end.map_or(range.end, |end| end.start());
        }
        Some(Hit {
            language: compiled.language,
            range,
        })
    })
}

/// Whether there is such a phrase.
pub(super) fn has(cue: Cue, plain: &str) -> bool {
    find(cue, plain).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        assert!(
            COMPILED
                .iter()
                .all(|compiled| !compiled.patterns.is_empty())
        );
        for line in std::env::var("EXPLAIN").unwrap_or_default().lines() {
            println!("{line}");
            for (cue, pattern) in COMPILED.iter().flat_map(|compiled| &compiled.patterns) {
                if let Some(found) = pattern.find(line) {
                    println!("    {cue:?}: {}", found.as_str());
                }
            }
        }
    }
}
