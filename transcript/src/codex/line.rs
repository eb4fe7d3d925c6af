//! The keys of a rollout line that are looked at; all others are passed over.

use crate::scan::{Content, Count, Raw, Text, form};

form! {
    pub(super) struct LineForm<'a> {
        kind: Text<'a> = "type",
        timestamp: Text<'a> = "timestamp",
        payload: PayloadForm<'a> = "payload",
    }
}

form! {
    /// A payload of any type: each type uses other keys.
    pub(super) struct PayloadForm<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        session_id: Text<'a> = "session_id",
        role: Text<'a> = "role",
        content: Content<'a, PartForm<'a>> = "content",
        name: Text<'a> = "name",
        arguments: Text<'a> = "arguments",
        input: Text<'a> = "input",
        action: Raw<'a> = "action",
        call_id: Text<'a> = "call_id",
        output: Content<'a, PartForm<'a>> = "output",
        summary: Content<'a, PartForm<'a>> = "summary",
        encrypted_content: Text<'a> = "encrypted_content",
        message: Text<'a> = "message",
        cwd: Text<'a> = "cwd",
        cli_version: Text<'a> = "cli_version",
        model_provider: Text<'a> = "model_provider",
        thread_source: Text<'a> = "thread_source",
        source: SourceForm<'a> = "source",
        git: GitForm<'a> = "git",
        model: Text<'a> = "model",
        info: InfoForm = "info",
        num_turns: Count = "num_turns",
    }
}

form! {
    /// What started the session, where it is more than a word.
    pub(super) struct SourceForm<'a> {
        sub_agent: Raw<'a> = "subagent",
    }
}

form! {
    pub(super) struct GitForm<'a> {
        branch: Text<'a> = "branch",
    }
}

form! {
    /// One part of a message's content, of a summary, or of a tool's output.
    pub(super) struct PartForm<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        image_url: Text<'a> = "image_url",
    }
}

form! {
    /// Output in the form of an object.
    pub(super) struct OutputForm<'a> {
        content: Text<'a> = "content",
        success: Raw<'a> = "success",
    }
}

form! {
    pub(super) struct InfoForm {
        last_token_usage: UsageForm = "last_token_usage",
    }
}

form! {
    pub(super) struct UsageForm {
        input: Count = "input_tokens",
        cached: Count = "cached_input_tokens",
        output: Count = "output_tokens",
    }
}
