//! The conversation as it stands: what a host hands over after replies and at the end of turns.

use std::borrow::Cow;
use std::collections::HashMap;

use agent_model::{Block, Message, Request};
use agent_transcript::{Boundary, Cursor, Entry, FileRole, Transcript};
use memdir::ContentHash;

/// The main conversation as it stands, borrowed where that is possible.
///
/// A host that holds its messages in memory passes them as they are; whoever reads an agent's transcript
/// passes the [`Transcript`]. Messages without an id get one that follows from their contents and the
/// message before, so that a cursor finds its place again in a list that was cut at the front.
///
/// ```
/// use memstrata::model::Message;
/// use memstrata::session::Conversation;
///
/// let messages = [Message::user("use pnpm"), Message::assistant("I will.")];
/// let conversation = Conversation::from(&messages[..]);
/// assert_eq!(conversation.entries().len(), 2);
/// let again = Conversation::from(&messages[..1]);
/// assert_eq!(conversation.entries()[0].last_id(), again.entries()[0].last_id());
/// ```
#[derive(Clone, Debug)]
pub struct Conversation<'a> {
    entries: Cow<'a, [Entry]>,
    boundaries: &'a [Boundary],
    end: Cursor,
    is_sub_agent: bool,
    request: Option<&'a Request>,
    context_tokens: Option<u64>,
    transcript_path: Option<String>,
}

impl<'a> Conversation<'a> {
    /// The main thread of a transcript.
    pub fn of_transcript(transcript: &'a Transcript) -> Self {
        Self {
            entries: Cow::Borrowed(transcript.entries()),
            boundaries: transcript.boundaries(),
            end: transcript.cursor(),
            is_sub_agent: transcript.session().role != FileRole::Session,
            request: None,
            context_tokens: None,
            transcript_path: None,
        }
    }

    /// Entries of a host's own, such as a part of a transcript.
    pub fn of_entries(entries: &'a [Entry]) -> Self {
        Self::new(Cow::Borrowed(entries))
    }

    /// Messages as the model sees them; who said what is told by how they begin.
    pub fn of_messages(messages: &[Message]) -> Self {
        Self::new(Cow::Owned(entries_of(messages)))
    }

    fn new(entries: Cow<'a, [Entry]>) -> Self {
        let last = entries.last().and_then(Entry::last_id).map(str::to_owned);
        Self {
            entries,
            boundaries: &[],
            end: Cursor::new("", 0, last),
            is_sub_agent: false,
            request: None,
            context_tokens: None,
            transcript_path: None,
        }
    }

    /// The conversation as it stood after its first `count` entries: for replays.
    ///
    /// A boundary that was drawn behind the last of them is left out.
    #[must_use]
    pub fn up_to(&'a self, count: usize) -> Conversation<'a> {
        let count = count.min(self.entries.len());
        let entries = &self.entries[..count];
        let boundaries = self.boundaries.partition_point(|line| line.at < count);
        let end = match self.entries.get(count) {
            None => self.end.clone(),
            Some(next) => {
                let last = entries.last().and_then(Entry::last_id);
                Cursor::new(self.end.file(), next.offset, last.map(str::to_owned))
            }
        };
        Conversation {
            entries: Cow::Borrowed(entries),
            boundaries: &self.boundaries[..boundaries],
            end,
            is_sub_agent: self.is_sub_agent,
            request: None,
            context_tokens: None,
            transcript_path: self.transcript_path.clone(),
        }
    }

    /// Says where the conversation was compacted: for entries that were taken out of a transcript.
    #[must_use]
    pub fn with_boundaries(mut self, boundaries: &'a [Boundary]) -> Self {
        self.boundaries = boundaries;
        self
    }

    /// Adds the request as it was last sent, with the reply behind it: a model that goes on from there
    /// shares the provider's prompt cache.
    #[must_use]
    pub fn with_request(mut self, request: &'a Request) -> Self {
        self.request = Some(request);
        self
    }

    /// Says how large the context is, in model tokens, where the host knows it. Otherwise it is taken from
    /// the usage that a transcript recorded, or estimated.
    #[must_use]
    pub fn with_context_tokens(mut self, tokens: u64) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// Says where the whole conversation can be read later, as it is shown to a model after a compaction.
    #[must_use]
    pub fn with_transcript_path(mut self, path: impl Into<String>) -> Self {
        self.transcript_path = Some(path.into());
        self
    }

    /// Says that this is the conversation of a sub-agent: its user is another agent, and nothing is learned.
    #[must_use]
    pub fn with_sub_agent(mut self, is_sub_agent: bool) -> Self {
        self.is_sub_agent = is_sub_agent;
        self
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The compactions in it, oldest first.
    pub fn boundaries(&self) -> &[Boundary] {
        self.boundaries
    }

    /// What the model still sees: everything behind the last compaction.
    pub fn live(&self) -> &[Entry] {
        let from = self.boundaries.last().map_or(0, |boundary| boundary.at);
        &self.entries[from.min(self.entries.len())..]
    }

    pub(super) fn end(&self) -> &Cursor {
        &self.end
    }

    pub(super) fn is_sub_agent(&self) -> bool {
        self.is_sub_agent
    }

    pub(super) fn request(&self) -> Option<&'a Request> {
        self.request
    }

    pub(super) fn known_context_tokens(&self) -> Option<u64> {
        self.context_tokens
    }

    pub(super) fn transcript_path(&self) -> Option<&str> {
        self.transcript_path.as_deref()
    }

    /// As a model's update and compaction see it: all of it, copied.
    #[cfg(feature = "session-model")]
    pub(super) fn notes_entries(&self) -> Vec<session_memory::Entry> {
        session_memory::entries_from(&self.entries, self.boundaries)
    }

    /// The model that wrote the last reply, where that is recorded.
    pub(super) fn model(&self) -> Option<&str> {
        self.entries
            .iter()
            .rev()
            .find_map(|entry| entry.model.as_deref())
    }
}

impl<'a> From<&'a Transcript> for Conversation<'a> {
    fn from(transcript: &'a Transcript) -> Self {
        Self::of_transcript(transcript)
    }
}

impl<'a> From<&'a [Entry]> for Conversation<'a> {
    fn from(entries: &'a [Entry]) -> Self {
        Self::of_entries(entries)
    }
}

impl<'a> From<&'a Vec<Entry>> for Conversation<'a> {
    fn from(entries: &'a Vec<Entry>) -> Self {
        Self::of_entries(entries)
    }
}

impl From<&[Message]> for Conversation<'_> {
    fn from(messages: &[Message]) -> Self {
        Self::of_messages(messages)
    }
}

impl From<&Vec<Message>> for Conversation<'_> {
    fn from(messages: &Vec<Message>) -> Self {
        Self::of_messages(messages)
    }
}

/// How many messages before it are part of the identity of a message that has none: "Understood." is said
/// often.
const NEIGHBOURS: usize = 1;

/// Messages as entries. The identity of one without is made of its contents and those of the one before it,
/// so that it stays the same when the front of the list is cut off.
fn entries_of(messages: &[Message]) -> Vec<Entry> {
    let mut seen: HashMap<ContentHash, usize> = HashMap::new();
    let mut hashes: Vec<ContentHash> = Vec::with_capacity(messages.len());
    let mut entries = Vec::with_capacity(messages.len());
    for message in messages {
        hashes.push(hash(message));
        if message.id.as_ref().is_some_and(|id| !id.is_empty()) {
            entries.push(Entry::new(message.clone()));
            continue;
        }
        let from = hashes.len().saturating_sub(NEIGHBOURS + 1);
        let bytes: Vec<u8> = hashes[from..]
            .iter()
            .flat_map(|hash| *hash.as_bytes())
            .collect();
        let identity = ContentHash::of(&bytes);
        let earlier = seen.entry(identity).or_default();
        let id = format!("{}-{earlier}", &identity.to_string()[..24]);
        *earlier += 1;
        entries.push(Entry::new(message.clone().with_id(id)));
    }
    entries
}

fn hash(message: &Message) -> ContentHash {
    let mut bytes = message.role.as_str().as_bytes().to_vec();
    for block in &message.content {
        bytes.push(0);
        match block {
            Block::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            block => bytes.extend_from_slice(block.to_json().to_string().as_bytes()),
        }
    }
    ContentHash::of(&bytes)
}
