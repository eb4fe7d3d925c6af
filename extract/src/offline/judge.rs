//! Decides what one sentence says that is worth keeping. When unsure: nothing.

use memdir::MemoryType;

use super::cue::{Cue, Hit, find, has};
use super::language::Language;
use super::sentence::Sentence;

/// What a sentence amounts to.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    Nothing,
    Keep(Kept),
    /// Keep what the sentence before said.
    KeepPrevious,
    /// What was said before does not hold any more.
    Withdraw,
    /// Nothing of the whole message may be kept.
    Forbid,
    /// A rule's introduction: the items of the list that follows are asked for.
    List(MemoryTypeHint),
}

/// What a list is said to hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum MemoryTypeHint {
    /// Anything; each item tells its type.
    #[default]
    Any,
    /// Rules.
    Rules,
}

/// A sentence to keep.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) memory_type: MemoryType,
    pub(super) language: &'static Language,
    /// Where the content begins in the plain form, behind "please remember that".
    pub(super) start: usize,
    /// Whether it corrects what was said before.
    pub(super) amends: bool,
}

/// What is known about a sentence from its surroundings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Surroundings {
    /// The message asks for work on code.
    pub(super) in_task: bool,
    /// "remember:" or "from now on:" stands in front of the list that this is an item of.
    pub(super) asked: Option<MemoryTypeHint>,
    /// The sentence before it blames what the agent did.
    pub(super) after_blame: bool,
    /// The sentence after it gives a reason.
    pub(super) reason_follows: bool,
}

/// Judges one sentence of a message.
pub(super) fn judge(sentence: &Sentence, text: &str, around: Surroundings) -> Verdict {
    let plain = sentence.plain.as_str();
    if has(Cue::DoNotRemember, plain) || has(Cue::TextWork, plain) {
        return Verdict::Forbid;
    }
    if has(Cue::Withdraw, plain) {
        return Verdict::Withdraw;
    }
    let skipped = lead(plain);
    let core = &plain[skipped..];
    if find(Cue::RememberPrevious, core).is_some() {
        return Verdict::KeepPrevious;
    }
    let polite = find(Cue::Polite, core).map_or(0, |hit| hit.range.end);
    let remember = find(Cue::Remember, &core[polite..]).map(|hit| hit.behind(polite));
    let start = skipped + remember.as_ref().map_or(0, |hit| hit.range.end);
    let start = start + lead(&plain[start..]);
    let content = plain[start..].trim();
    if let Some(hint) = list_hint(sentence, remember.is_some(), content) {
        return Verdict::List(hint);
    }
    let title = find(Cue::RuleTitle, &plain[start..]).filter(|hit| hit.range.start == 0);
    let start = start + title.as_ref().map_or(0, |hit| hit.range.end);
    let content = plain[start..].trim();
    let around = Surroundings {
        asked: title
            .as_ref()
            .map_or(around.asked, |_| Some(MemoryTypeHint::Rules)),
        ..around
    };
    let asked = remember.is_some() || around.asked == Some(MemoryTypeHint::Any);
    let is_question = sentence.is_asked() || has(Cue::Question, core) && !is_statement(core);
    if is_question
        && !(has(Cue::Polite, core) && (asked || has(Cue::Lasting, core) || has(Cue::Rule, core)))
    {
        return Verdict::Nothing;
    }
    let lasting = find(Cue::Lasting, content);
    let said = without_lasting(content, lasting.as_ref());
    if content.len() < 6 || said.trim().len() < 4 || is_refused(plain, content) {
        return Verdict::Nothing;
    }
    let words = &text[sentence.range.clone()];
    let found = memory_type(content, core, words, asked, around);
    // A memory is timeless: "from now on" goes, unless too little is left without it.
    let lasting = find(Cue::Lasting, &plain[start..]).filter(|hit| hit.range.start <= 1);
    let behind = start + lasting.map_or(0, |hit| hit.range.end);
    let behind = behind + plain[behind..].len()
        - plain[behind..]
            .trim_start_matches([',', ' ', ':', '—', '-'])
            .len();
    let behind = behind + lead(&plain[behind..]);
    let start = if plain[behind..].trim().len() >= 8 {
        behind
    } else {
        start
    };
    match found {
        None => Verdict::Nothing,
        Some((memory_type, hit)) => Verdict::Keep(Kept {
            memory_type,
            language: hit
                .or(remember)
                .map_or(super::language::of(content), |hit| hit.language),
            start,
            amends: has(Cue::Amend, plain),
        }),
    }
}

/// The length of the words in front that say nothing.
fn lead(plain: &str) -> usize {
    let mut length = 0;
    // Each round takes at least one byte; a sentence has at most a few hundred.
    while let Some(hit) = find(Cue::Lead, &plain[length..]) {
        if hit.range.is_empty() {
            break;
        }
        length += hit.range.end;
    }
    length
}

/// "Don't ask whether to go on" and "what I like most is" look like questions and are none.
fn is_statement(core: &str) -> bool {
    let begins = |cue: Cue| find(cue, core).is_some_and(|hit| hit.range.start == 0);
    begins(Cue::Refusal) || begins(Cue::Preference)
}

fn list_hint(sentence: &Sentence, remembers: bool, content: &str) -> Option<MemoryTypeHint> {
    if !sentence.plain.ends_with(':') {
        return None;
    }
    let lasting = has(Cue::Lasting, &sentence.plain) || has(Cue::Rule, &sentence.plain);
    if lasting && content.len() < 80 && !has(Cue::OneOff, &sentence.plain) {
        return Some(MemoryTypeHint::Rules);
    }
    (remembers && content.len() < 40).then_some(MemoryTypeHint::Any)
}

/// Whether the exclusion list, or the form of the sentence, forbids to keep it, whoever asks.
fn is_refused(plain: &str, content: &str) -> bool {
    const REFUSALS: [Cue; 6] = [
        Cue::Secret,
        Cue::Hypothetical,
        Cue::Reported,
        Cue::Derivable,
        Cue::Activity,
        Cue::FixRecipe,
    ];
    // "This commit is good, from now on like that": what is said to last decides from its clause on.
    let lasting = find(Cue::Lasting, plain).map(|hit| clause_start(plain, hit.range.end));
    let rest = &plain[lasting.unwrap_or_default()..];
    REFUSALS.iter().any(|cue| has(*cue, plain))
        || has(Cue::Activity, content)
        || has(Cue::TaskState, plain) && !has(Cue::Conditional, content)
        || has(Cue::OneOff, rest)
        || has(Cue::Once, plain) && lasting.is_none()
        || has(Cue::Here, plain) && !has(Cue::Convention, plain)
}

/// Where the clause begins in which a place stands.
fn clause_start(plain: &str, at: usize) -> usize {
    let head = plain.get(..at).unwrap_or_default();
    let signs = [',', ';', ':', '—', '('];
    head.char_indices()
        .rev()
        .find(|(_, sign)| signs.contains(sign))
        .map_or(0, |(found, sign)| found + sign.len_utf8())
}

/// The type of what is said, with the phrase that told it.
fn memory_type(
    content: &str,
    core: &str,
    words: &str,
    asked: bool,
    around: Surroundings,
) -> Option<(MemoryType, Option<Hit>)> {
    let person = find(Cue::Person, content).filter(|_| !has(Cue::NotPerson, content));
    let rule = rule(content, core, asked, around)
        .filter(|_| !has(Cue::Choice, content) && !has(Cue::Until, content));
    match (person, rule) {
        // "Explain lifetimes, I'm new to Rust" is a rule with its reason.
        (Some(person), Some(rule))
            if rule.range.start < person.range.start && rule.range.end <= content.len() =>
        {
            return Some((MemoryType::Feedback, Some(rule)));
        }
        (Some(person), _) => return Some((MemoryType::User, Some(person))),
        (None, Some(rule)) => return Some((MemoryType::Feedback, Some(rule))),
        (None, None) => {}
    }
    if let Some(hit) = find(Cue::Place, content)
        && (asked || has(Cue::Purpose, content))
        && !is_single_thing(content)
        && !has(Cue::Visit, content)
    {
        return Some((MemoryType::Reference, Some(hit)));
    }
    if let Some(hit) = project(content, words) {
        return Some((MemoryType::Project, Some(hit)));
    }
    if around.asked == Some(MemoryTypeHint::Rules) {
        return Some((MemoryType::Feedback, None));
    }
    if asked && content.len() >= 10 {
        let is_rule = [Cue::Imperative, Cue::Refusal, Cue::Convention, Cue::Norm]
            .iter()
            .any(|cue| has(*cue, content));
        let kind = if is_rule {
            MemoryType::Feedback
        } else {
            MemoryType::Project
        };
        return Some((kind, None));
    }
    None
}

/// A rule for how the agent is to work.
fn rule(content: &str, core: &str, asked: bool, around: Surroundings) -> Option<Hit> {
    let described = has(Cue::Described, content);
    let behaviour = has(Cue::Behaviour, content);
    let workflow = has(Cue::Workflow, content);
    let product = has(Cue::Product, content) && !workflow;
    let asks_for_code = has(Cue::Task, content);
    let in_task = around.in_task || asks_for_code;
    let lasting = find(Cue::Lasting, if asked { content } else { core });
    let rest = without_lasting(content, lasting.as_ref());
    let imperative = has(Cue::Imperative, content) || has(Cue::Imperative, rest);
    let refusal = has(Cue::Refusal, content) || has(Cue::Refusal, rest);

    if let Some(hit) = lasting
        && !described
    {
        let forms = [
            Cue::Rule,
            Cue::Preference,
            Cue::Convention,
            Cue::Complaint,
            Cue::Wish,
        ];
        let has_form = forms.iter().any(|cue| has(*cue, content));
        if imperative || refusal || has_form || workflow && !has(Cue::Product, content) {
            return Some(hit);
        }
    }
    // How a program behaves is a task, unless somebody asks to remember it.
    let of_program = !asked && (behaviour || product || in_task && !workflow || asks_for_code);
    if !described
        && !of_program
        && let Some(hit) = find(Cue::Rule, content).or_else(|| find(Cue::Convention, content))
    {
        return Some(hit);
    }
    if let Some(hit) = find(Cue::Complaint, content).or_else(|| find(Cue::Preference, content)) {
        return Some(hit);
    }
    // "Good that you asked" praises and does not say what for.
    if let Some(hit) = find(Cue::Praise, content)
        && content.len() >= 20
        && content.split_whitespace().count() > 4
    {
        return Some(hit);
    }
    if let Some(hit) = find(Cue::Habitual, content)
        && (imperative || refusal)
        && !described
        && !behaviour
        && !in_task
        && workflow
        && !has(Cue::Product, content)
    {
        return Some(hit);
    }
    let reasoned = around.reason_follows || has(Cue::Reason, content);
    let general = !in_task && !behaviour && !has_definite_object(content);
    if let Some(hit) = find(Cue::Refusal, content)
        && reasoned
        && general
        && imperative
    {
        return Some(hit);
    }
    find(Cue::Imperative, content).filter(|_| around.after_blame && reasoned && general && workflow)
}

/// The sentence behind its "from now on,".
fn without_lasting<'a>(content: &'a str, lasting: Option<&Hit>) -> &'a str {
    let Some(hit) = lasting else {
        return content;
    };
    let phrase = hit.range.len();
    match find(Cue::Lasting, content) {
        Some(found) if found.range.start <= 4 => {
            let rest = content.get(found.range.end..).unwrap_or_default();
            let rest = rest.trim_start_matches([',', ' ', ':', '—', '-']);
            let skipped = lead(rest);
            &rest[skipped..]
        }
        _ if phrase > content.len() => "",
        _ => content,
    }
}

/// "don't touch the config" is about one thing, "don't mock databases" about all, and so is "don't mock the
/// database in tests".
fn has_definite_object(content: &str) -> bool {
    const EVERYWHERE: [&str; 6] = [
        " in tests",
        " in unit tests",
        " in integration tests",
        " in production",
        " in migrations",
        " in reviews",
    ];
    const WORDS: [&str; 8] = [
        " the ", " this ", " that ", " it ", " these ", " those ", "这个", "那个",
    ];
    if EVERYWHERE.iter().any(|place| content.contains(place)) {
        return false;
    }
    let head: String = content.chars().take(60).collect();
    let head = head
        .split([',', ';', '—', '.'])
        .next()
        .unwrap_or_default()
        .to_owned()
        + " ";
    WORDS.iter().any(|word| head.contains(word))
}

/// A link to one ticket, request or commit is about the task at hand.
fn is_single_thing(content: &str) -> bool {
    const PARTS: [&str; 9] = [
        "/issues/",
        "/pull/",
        "/commit/",
        "/merge_requests/",
        "/browse/",
        "/runs/",
        "localhost",
        "127.0.0.1",
        "/blob/",
    ];
    PARTS.iter().any(|part| content.contains(part))
}

/// A decision, an event with its date, a responsibility.
fn project(content: &str, words: &str) -> Option<Hit> {
    if has(Cue::Task, content) || has(Cue::Local, content) {
        return None;
    }
    if let Some(hit) = find(Cue::Decision, content) {
        return Some(hit);
    }
    if let Some(hit) = find(Cue::Event, content)
        && (super::compose::has_date(words) || has(Cue::DateName, content))
    {
        return Some(hit);
    }
    find(Cue::Responsibility, content).filter(|_| !has(Cue::NotResponsibility, content))
}
