//! When the session file is due for an update: a pure function over a few numbers.

use agent_model::{Message, Role};

use crate::compact::Entry;

/// The numbers behind the decision. Tokens are model tokens, as estimated by `token-count`.
///
/// The defaults are those of the specification, section "When it is updated".
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Thresholds {
    /// The context must hold at least this many tokens before the first update. Default 10,000.
    pub first_tokens: u64,
    /// The context must have grown by at least this many tokens since the last update. Default 5,000.
    pub growth_tokens: u64,
    /// So many tool calls since the last update make it due, default 3.
    pub tool_calls: u32,
    /// Let the wanted growth rise with the context: at least this share of it, in percent.
    ///
    /// `None` keeps the fixed step. With `Some(25)` a window that fills from 10,000 to 167,000 tokens costs
    /// about a fifth of what fixed steps of 5,000 cost, because each update reads the whole context again.
    pub growth_percent: Option<u32>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            first_tokens: 10_000,
            growth_tokens: 5_000,
            tool_calls: 3,
            growth_percent: None,
        }
    }
}

impl Thresholds {
    /// Returns the thresholds with the cost-saving step: growth of 25 % of the context at least.
    #[must_use]
    pub fn adaptive(mut self) -> Self {
        self.growth_percent = Some(25);
        self
    }
}

/// What the session looks like after a model reply. The side agent's own turns never count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Tokens in the context now.
    pub context_tokens: u64,
    /// Tokens in the context at the last update; 0 before the first one.
    pub tokens_at_update: u64,
    /// Tool calls since the last update; since the beginning before the first one.
    pub tool_calls: u32,
    /// Whether the last assistant turn asked for a tool.
    pub last_turn_has_call: bool,
}

impl Activity {
    /// Reads the numbers off a conversation whose entries up to `covered` are in the notes already.
    ///
    /// Where the context was compacted since, growth counts from the size it had then: a context that
    /// shrank from 160,000 to 20,000 tokens is due again at 25,000, not at 165,000.
    pub fn of(
        entries: &[Entry],
        covered: Option<usize>,
        context_tokens: u64,
        tokens_at_update: u64,
    ) -> Self {
        let after = &entries[covered.map_or(0, |covered| (covered + 1).min(entries.len()))..];
        let calls = after
            .iter()
            .filter_map(Entry::message)
            .map(|message| message.tool_uses().count());
        let shrunk_to = after.iter().rev().find_map(|entry| match entry {
            Entry::Boundary(boundary) => Some(boundary.tokens_after.unwrap_or(0)),
            _ => None,
        });
        Activity {
            context_tokens,
            tokens_at_update: match (covered, shrunk_to) {
                (None, _) => 0,
                (_, Some(after)) => after.min(tokens_at_update),
                (_, None) => tokens_at_update,
            },
            tool_calls: u32::try_from(calls.sum::<usize>()).unwrap_or(u32::MAX),
            last_turn_has_call: last_turn_has_call(entries),
        }
    }
}

/// A reply may be recorded in parts that share an id, with results in between.
fn last_turn_has_call(entries: &[Entry]) -> bool {
    let replies = || {
        let messages = entries.iter().rev().filter_map(Entry::message);
        messages.filter(|message| message.role == Role::Assistant)
    };
    let Some(last) = replies().next() else {
        return false;
    };
    let is_part = |message: &&Message| last.id.is_some() && message.id == last.id;
    let has_call = |message: &Message| message.tool_uses().next().is_some();
    has_call(last) || replies().take_while(is_part).any(has_call)
}

/// Whether an update is due, and when not, what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Due {
    /// Update now.
    Now,
    /// The context is still smaller than the first threshold; so many tokens are missing.
    TooSmall(u64),
    /// The context has grown too little since the last update; so many tokens are missing.
    TooLittleGrowth(u64),
    /// It has grown enough, but the model is in the middle of its work: it waits for the next call or for
    /// a reply without one.
    InTheMiddle,
}

/// Decides whether the session file is due for an update.
///
/// Growth is always required. The first update counts growth and calls from zero, so a context that just
/// reached the first threshold still needs three calls or a reply without one.
///
/// ```
/// use session_memory::{Activity, Due, Thresholds, due};
///
/// let mut activity = Activity {
///     context_tokens: 9_999,
///     tokens_at_update: 0,
///     tool_calls: 7,
///     last_turn_has_call: true,
/// };
/// assert_eq!(due(&activity, &Thresholds::default()), Due::TooSmall(1));
/// activity.context_tokens = 10_000;
/// assert_eq!(due(&activity, &Thresholds::default()), Due::Now);
/// ```
pub fn due(activity: &Activity, thresholds: &Thresholds) -> Due {
    let first = activity.tokens_at_update == 0;
    if first && activity.context_tokens < thresholds.first_tokens {
        return Due::TooSmall(thresholds.first_tokens - activity.context_tokens);
    }
    // A compaction makes the context smaller than it was: no growth, rather than an enormous one.
    let growth = activity
        .context_tokens
        .saturating_sub(activity.tokens_at_update);
    let wanted = wanted_growth(activity, thresholds);
    if growth < wanted {
        return Due::TooLittleGrowth(wanted - growth);
    }
    if activity.tool_calls >= thresholds.tool_calls || !activity.last_turn_has_call {
        Due::Now
    } else {
        Due::InTheMiddle
    }
}

fn wanted_growth(activity: &Activity, thresholds: &Thresholds) -> u64 {
    let share = thresholds.growth_percent.map_or(0, |percent| {
        activity.tokens_at_update.saturating_mul(u64::from(percent)) / 100
    });
    thresholds.growth_tokens.max(share)
}
