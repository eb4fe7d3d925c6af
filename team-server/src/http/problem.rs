//! Everything that can be refused: the one list from which answers, the OpenAPI file and the tests are made.
//!
//! A new kind is provoked in `tests/openapi.rs`, has a row in `docs/PROTOCOL.md`, and is in a new `openapi.json`.

/// What a caller wanted to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Get,
    Put,
    History,
    Blob,
    Restore,
}

use Call::{Blob, Get, History, Put, Restore};

const ALL_CALLS: &[Call] = &[Get, Put, History, Blob, Restore];
const CHANGES: &[Call] = &[Put, Restore];

/// One kind of refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProblemKind {
    pub(crate) status: u16,
    /// The stable name, which programs compare.
    pub(crate) code: &'static str,
    /// When it is answered, and what a client does; for the documentation.
    pub(crate) meaning: &'static str,
    /// The calls that can be refused so.
    pub(crate) calls: &'static [Call],
}

macro_rules! problems {
    ($($name:ident = $status:literal $code:literal at $calls:expr, $meaning:literal;)+) => {
        $(pub(crate) const $name: &ProblemKind = &ProblemKind {
            status: $status,
            code: $code,
            meaning: $meaning,
            calls: $calls,
        };)+

        /// All of them, by status.
        pub(crate) const ALL: &[&ProblemKind] = &[$($name),+];
    };
}

problems! {
    NO_REPOSITORY = 400 "no_repository" at ALL_CALLS, "The query names no repository.";
    BAD_REPOSITORY = 400 "bad_repository" at ALL_CALLS, "The repository is not of the form owner/name or host/owner/name.";
    BAD_QUERY = 400 "bad_query" at &[Get, History], "A parameter of the query is not of its form.";
    BAD_BODY = 400 "bad_body" at CHANGES, "The body is not JSON of the wire form; nothing was changed.";
    BAD_KEY = 400 "bad_key" at &[Get, Put, History, Restore], "Keys break the rules for names; `keys` lists them. Leave them out, the rest can go.";
    BAD_BASE = 400 "bad_base" at &[Put], "A base is not a checksum.";
    BAD_VERSION = 400 "bad_version" at &[Put], "`expected_version` is not a version.";
    NO_TOKEN = 401 "no_token" at ALL_CALLS, "The request carries no bearer token.";
    BAD_TOKEN = 401 "bad_token" at ALL_CALLS, "The token is not known, or was revoked.";
    NOT_YOURS = 403 "not_yours" at ALL_CALLS, "The token is for other repositories.";
    READ_ONLY = 403 "read_only" at CHANGES, "The token may read and not write.";
    NOTHING_YET = 404 "nothing_yet" at &[Get], "Nothing was ever shared for this repository: an empty one, not an error.";
    NO_SUCH_CONTENT = 404 "no_such_content" at &[Blob], "No content of this checksum is kept in this repository, or it was redacted.";
    NO_SUCH_VERSION = 404 "no_such_version" at &[Restore], "The version is not kept, or a content of it was redacted.";
    NO_SUCH_PATH = 404 "no_such_path" at &[], "There is nothing at this address.";
    NO_SUCH_METHOD = 405 "no_such_method" at &[], "This address has no such method.";
    TOO_SLOW = 408 "too_slow" at ALL_CALLS, "The request did not arrive in time. Repeat it.";
    KEY_TWIN = 409 "key_twin" at CHANGES, "Keys are one file on some file systems; `keys` lists them. Rename one, the rest can go.";
    SINCE_TOO_OLD = 410 "since_too_old" at &[Get], "Deletions since that version are no longer remembered. Ask without `since`.";
    STALE = 412 "stale" at CHANGES, "Somebody else was first; `version` is the one now. Look again, merge, repeat.";
    BODY_TOO_LARGE = 413 "body_too_large" at CHANGES, "The body is over `max_body_bytes`. Send less at once.";
    ENTRY_TOO_LARGE = 413 "entry_too_large" at &[Put], "Entries are over the limit; `keys` lists them. Leave them out, the rest can go.";
    TOO_MANY_ENTRIES = 413 "too_many_entries" at CHANGES, "The repository would hold more than `max_entries`. Keys that are there can be changed.";
    REPOSITORY_TOO_LARGE = 413 "repository_too_large" at CHANGES, "The repository would hold too many bytes.";
    SECRET_FOUND = 422 "secret_found" at &[Put], "Entries hold credentials; `findings` names rules and lines, never the value. Leave them out, the rest can go.";
    REDACTED = 422 "redacted" at CHANGES, "These texts were removed here for good; `keys` lists them. Leave them out, the rest can go.";
    OP_ID_REUSED = 422 "op_id_reused" at &[Put], "The `op_id` has stood for another request. Make a new one.";
    PRECONDITION_REQUIRED = 428 "precondition_required" at &[Put], "The request does not say what it is based on.";
    TOO_MANY_REQUESTS = 429 "too_many_requests" at ALL_CALLS, "The token has used up its requests. Wait for `Retry-After` seconds.";
    UNAVAILABLE = 503 "unavailable" at ALL_CALLS, "The server cannot answer now. Repeat after `Retry-After` seconds, with the same `op_id`.";
    STORAGE_FULL = 507 "storage_full" at CHANGES, "The server's disk is full; nothing was changed. Its administrator has to make room; repeat after `Retry-After` seconds, with the same `op_id`.";
}
