//! One request: what is asked, with which tools, and within which limits.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::message::Message;

/// The output limit of a request that names none, in tokens.
pub const DEFAULT_MAX_OUTPUT_TOKENS: u32 = 4_096;

/// The time limit of a request that names none, retries and waits included.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// Everything that one call to a model needs.
///
/// Two requests that agree in system, tools, tool choice, answer schema, effort, thinking and the first
/// messages are written with the same first bytes, whatever comes after them: that is what a provider's
/// prompt cache is keyed on. Sampling parameters do not exist here; newer models refuse them.
///
/// ```
/// use agent_model::{Message, Request};
///
/// let request = Request::new(vec![Message::user("Which test runner do we use?")])
///     .with_system("Answer in one word.");
/// assert_eq!(request.system, ["Answer in one word."]);
/// assert!(request.tools.is_empty());
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Standing instructions, one block each.
    pub system: Vec<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// Whether and what it must call.
    pub tool_choice: ToolChoice,
    /// The shape the answer must have, if any.
    pub answer: Option<AnswerSchema>,
    /// How much work the model should put in; the provider's default when absent.
    pub effort: Option<Effort>,
    /// Whether the model thinks before it answers.
    pub thinking: Thinking,
    /// What the provider should keep in its prompt cache.
    pub cache: CachePlan,
    /// How much may be produced, and how long it may take.
    pub limits: Limits,
}

impl Request {
    /// Returns a request with these messages and defaults for everything else.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            system: Vec::new(),
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            answer: None,
            effort: None,
            thinking: Thinking::ProviderDefault,
            cache: CachePlan::default(),
            limits: Limits::default(),
        }
    }

    /// Returns the request with one more system block.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.system.push(text.into());
        self
    }

    /// Returns the request with these tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Tool>) -> Self {
        self.tools = tools;
        self
    }

    /// Returns the request with this answer schema.
    #[must_use]
    pub fn with_answer(mut self, answer: AnswerSchema) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Returns the request with these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the request with this cache plan.
    #[must_use]
    pub fn with_cache(mut self, cache: CachePlan) -> Self {
        self.cache = cache;
        self
    }
}

#[cfg(feature = "_http")]
impl Request {
    /// Asks for the answer schema in words, for models and servers that cannot enforce one.
    pub(crate) fn with_schema_in_prompt(mut self) -> Self {
        if let Some(answer) = self.answer.take() {
            let text = format!(
                "Answer with one JSON object and nothing else: no prose, no code fence. \
                 It must match this JSON Schema:\n{}",
                answer.schema
            );
            self.messages.push(Message::user(text));
        }
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        f.debug_struct("Request")
            .field("system_blocks", &self.system.len())
            .field("messages", &self.messages.len())
            .field("tools", &tools)
            .field("answer", &self.answer.as_ref().map(|answer| &answer.name))
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Something the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64 characters; providers refuse others.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// The JSON Schema of its arguments; the top level is an object.
    pub input_schema: Value,
}

impl Tool {
    /// Returns a tool.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: schema,
        }
    }
}

/// Whether and what the model must call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// It must call one of the tools.
    Any,
    /// It must call this tool.
    Tool(String),
    /// It must not call any.
    None,
}

/// The shape an answer must have.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// A short name for the provider: letters, digits, `_` and `-`.
    pub name: String,
    /// The JSON Schema; the top level is an object. [`check_schema`](crate::check_schema) says which
    /// keywords are checked here; back ends leave out what their provider refuses.
    pub schema: Value,
}

impl AnswerSchema {
    /// Returns a schema under a name.
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            schema,
        }
    }
}

/// How much work the model should put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Effort {
    /// Fast and cheap.
    Low,
    /// Balanced.
    Medium,
    /// Thorough.
    High,
    /// More than high; not every model has it.
    XHigh,
    /// All it has; not every model has it.
    Max,
}

impl Effort {
    /// Returns the provider's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// Whether the model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Thinking {
    /// Nothing is said about it.
    #[default]
    ProviderDefault,
    /// It does not.
    Off,
    /// As much as it finds useful.
    Adaptive,
    /// At most this many tokens; for models from before adaptive thinking.
    Tokens(u32),
}

/// What the provider should keep in its prompt cache.
///
/// Marks are part of the request's bytes, so a side agent that wants to share its parent's cache keeps
/// the parent's marks and adds its own after them. Providers that cache by themselves ignore the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CachePlan {
    /// One mark for the whole request; the provider moves it along as the conversation grows.
    pub automatic: bool,
    /// A mark after the last system block; it covers the tools too.
    pub after_system: bool,
    /// Marks after the last block of these messages, by index. With the others at most four marks, the
    /// provider's limit; the request is refused otherwise.
    pub after_messages: Vec<usize>,
    /// How long an entry lives after its last use.
    pub lifetime: CacheLifetime,
}

impl CachePlan {
    /// Returns the plan that marks the request as a whole.
    pub fn automatic() -> Self {
        Self {
            automatic: true,
            ..Self::default()
        }
    }

    /// Returns the plan with marks after the system blocks and after these messages.
    pub fn marked(after_messages: Vec<usize>) -> Self {
        Self {
            after_system: true,
            after_messages,
            ..Self::default()
        }
    }
}

/// How long a cache entry lives after its last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheLifetime {
    /// Five minutes, the provider's default.
    #[default]
    FiveMinutes,
    /// One hour; writing costs more.
    OneHour,
}

/// How much may be produced, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Tokens of the reply, thinking included.
    pub max_output_tokens: u32,
    /// For the whole call, retries and the waits between them included.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_output_tokens: DEFAULT_MAX_OUTPUT_TOKENS,
            timeout: DEFAULT_TIMEOUT,
        }
    }
}

impl Limits {
    /// Returns limits with this many output tokens.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = tokens;
        self
    }

    /// Returns limits with this time.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}
