//! Conversation types, the `Model` trait and its back ends. What a host does with replies, such as
//! running the tools a model calls, is left to others: one request goes in, one reply comes out.
//!
//! # Main types
//!
//! - A conversation is a list of [`Message`]s made of [`Block`]s: text, thinking with its signature, tool
//!   calls ([`ToolUse`]) and results ([`ToolResult`]), pictures, and whatever comes next, kept whole.
//! - A [`Request`] adds system blocks, [`Tool`]s, an [`AnswerSchema`], [`Limits`] and a [`CachePlan`]. A
//!   [`Reply`] holds blocks, a [`StopReason`] and [`Usage`]; [`Reply::answer`] reads JSON of a shape.
//! - [`Model`] is the trait that joins them, object-safe, cancelled by dropping the future.
//! - Back ends, each behind a feature: `AnthropicModel`, `OpenAiModel` (also Ollama, llama.cpp and vLLM),
//!   `CommandModel` (the headless mode of an agent that is already paid for), `ScriptedModel` (tests).
//! - [`Ledger`] counts calls, tokens, cache hits and money per [`Purpose`] and [`Day`], and refuses work
//!   over a [`Budget`]; [`Metered`] puts a model under it.
//! - [`Request::tokens`] and [`Message::tokens`] say what something takes up, by any counter of
//!   [`token_count`].
//! - [`Pinned`] is a model that provably runs on a session's own [`Provider`].
//!
//! # Example
//!
//! ```
//! use agent_model::{AnswerSchema, Message, Model, Reply, Request, ScriptedModel};
//! use serde_json::json;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! // A scripted model stands in for a real one; the rest of the program cannot tell.
//! let model = ScriptedModel::new(vec![Reply::text_only(r#"{"names": ["build"]}"#)]);
//! let schema = AnswerSchema::new("pick", json!({
//!     "type": "object",
//!     "properties": { "names": { "type": "array", "items": { "type": "string" } } },
//!     "required": ["names"],
//!     "additionalProperties": false,
//! }));
//! let request = Request::new(vec![Message::user("Which notes matter for a build failure?")])
//!     .with_system("Pick from: build, style, people.")
//!     .with_answer(schema.clone());
//! let reply = model.ask(&request).await?;
//! assert_eq!(reply.answer(&schema)?["names"], json!(["build"]));
//! # Ok::<(), agent_model::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Shared prefixes
//!
//! Providers keep the beginning of a request in a cache that is keyed on its bytes. Both HTTP back ends
//! write what the cache is keyed on first (model, effort, schema, tools, system), then the messages, then
//! what changes from call to call, always in the same order. `AnthropicModel::prefix` returns the shared
//! bytes, and the body of every request that continues another starts with them.
//!
//! # Guarantees on hostile input
//!
//! - Whatever a server or program answers becomes a [`Reply`] or an [`Error`]. Answers are bounded (32 MiB
//!   over HTTP, 8 MiB from a program), nesting is bounded at 128 levels, the search for JSON in text at 64
//!   places, and nothing panics; the readers are fuzzed.
//! - Every call ends: its time limit covers retries and the waits between them. A server that asks for a
//!   wait of more than a minute is not obeyed but reported.
//! - Plain http goes to this machine only; redirects are not followed, since they would carry the key
//!   along; nothing is read from the environment.
//! - No error, log event or `Debug` output holds a key, what was asked, what was answered, or prose of a
//!   server's. `Debug` of messages shows kinds and sizes.
//! - A program gets the conversation as JSON lines on stdin, so no text in it can pose as another
//!   message, and nothing in the arguments, which other users can read. It is ended with everything it
//!   started (on Unix) when time runs out or the future is dropped.
//! - Two calls at once, in one process or several, cannot both take the last of a budget. What cannot be
//!   counted is not spent.
//!
//! # Limits
//!
//! - Replies are not streamed: they come whole. That suits side jobs with small outputs.
//! - No prices and no model names are built in; both change faster than a library.
//! - Chat completions have no place for thinking blocks, unknown blocks and the error flag of a tool
//!   result: the first two are not sent, the flag becomes the word `[failed]` before the text.
//! - The schema check knows the keywords that [`check_schema`] lists; others count as fulfilled.
//!
//! # Features
//!
//! None is on by default; the types and the ledger need neither a runtime nor a network.
//!
//! | feature | brings | needs |
//! |---|---|---|
//! | `anthropic` | `AnthropicModel` | tokio timers, reqwest with rustls |
//! | `openai` | `OpenAiModel` | tokio timers, reqwest with rustls |
//! | `command` | `CommandModel` | tokio processes |
//! | `scripted` | `ScriptedModel` | nothing |

#[cfg(feature = "anthropic")]
pub use self::anthropic::{
    ANTHROPIC_BASE_URL, ANTHROPIC_VERSION, AnthropicAuth, AnthropicModel, AnthropicOptions,
};
#[cfg(feature = "command")]
pub use self::command::{
    CommandModel, CommandOutput, CommandSpec, MAX_COMMAND_OUTPUT_BYTES, MAX_OPERATIONS,
    SCHEMA_PLACEHOLDER,
};
#[cfg(feature = "openai")]
pub use self::openai::{Dialect, OPENAI_BASE_URL, OpenAiModel, OpenAiOptions};
#[cfg(feature = "scripted")]
pub use self::scripted::{MAX_KEPT_REQUESTS, ScriptedModel};
pub use self::{
    error::{Error, ErrorKind},
    ledger::{
        Budget, Budgets, Day, DayBook, FileStore, Ledger, LedgerStore, MAX_DAY_BYTES, MemoryStore,
        Metered, Price, PriceTable, Purpose, Tally, Ticket,
    },
    message::{Block, Image, Message, ResultPart, Role, ToolResult, ToolUse},
    model::{Answer, Capabilities, Model},
    provider::{PinPolicy, Pinned, Provider, Vendor},
    reply::{Reply, StopReason, Usage},
    request::{
        AnswerSchema, CacheLifetime, CachePlan, DEFAULT_MAX_OUTPUT_TOKENS, DEFAULT_TIMEOUT, Effort,
        Limits, Request, Thinking, Tool, ToolChoice,
    },
    schema::{MAX_SCHEMA_DEPTH, SchemaMismatch, check_schema},
};
#[cfg(feature = "_http")]
pub use self::{
    http::{ApiKey, HttpOptions, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES, Pause, TokioPause},
    retry::RetryPolicy,
};

// What is said.
mod json;
mod message;

// One call.
mod answer;
mod error;
mod model;
mod provider;
mod reply;
mod request;
mod schema;
mod tokens;

// Back ends.
#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(feature = "command")]
mod command;
#[cfg(feature = "_http")]
mod http;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "_http")]
mod retry;
#[cfg(feature = "scripted")]
mod scripted;

#[cfg(any(feature = "anthropic", feature = "command"))]
mod usage_form;

// What it costs.
mod ledger;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
