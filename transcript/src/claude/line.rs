//! The keys of a line that are looked at; all others are passed over.

use crate::blocks::BlockForm;
use crate::scan::{Content, Count, Flag, Text, form};

form! {
    pub(super) struct LineForm<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        parent_uuid: Text<'a> = "parentUuid",
        session_id: Text<'a> = "sessionId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        git_branch: Text<'a> = "gitBranch",
        version: Text<'a> = "version",
        agent_id: Text<'a> = "agentId",
        team_name: Text<'a> = "teamName",
        custom_title: Text<'a> = "customTitle",
        ai_title: Text<'a> = "aiTitle",
        is_sidechain: Flag = "isSidechain",
        is_meta: Flag = "isMeta",
        is_compact_summary: Flag = "isCompactSummary",
        is_visible_in_transcript_only: Flag = "isVisibleInTranscriptOnly",
        is_api_error_message: Flag = "isApiErrorMessage",
        message: MessageForm<'a> = "message",
        attachment: AttachmentForm<'a> = "attachment",
        compact_metadata: CompactForm<'a> = "compactMetadata",
    }
}

form! {
    pub(super) struct MessageForm<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        content: Content<'a, BlockForm<'a>> = "content",
        usage: UsageForm = "usage",
    }
}

form! {
    pub(super) struct UsageForm {
        input: Count = "input_tokens",
        output: Count = "output_tokens",
        cache_read: Count = "cache_read_input_tokens",
        cache_write: Count = "cache_creation_input_tokens",
    }
}

form! {
    pub(super) struct AttachmentForm<'a> {
        kind: Text<'a> = "type",
        content: Content<'a, Text<'a>> = "content",
        prompt: Content<'a, BlockForm<'a>> = "prompt",
    }
}

form! {
    pub(super) struct CompactForm<'a> {
        trigger: Text<'a> = "trigger",
        tokens_before: Count = "preTokens",
    }
}
