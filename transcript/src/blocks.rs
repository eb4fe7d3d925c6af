//! Content as the Messages API writes it, read without building what is not kept.

use std::borrow::Cow;

use agent_model::{Block, Image, ResultPart, ToolResult, ToolUse};
use serde_json::Value;

use crate::options::{Options, Pictures};
use crate::report::SkipReason;
use crate::scan::{Content, Flag, Item, Raw, Text, form};

/// Stands where a picture was left out.
const PICTURE: &str = "[picture left out]";

/// How content is read, and what was lost on the way.
#[derive(Debug)]
pub(crate) struct Reading<'o> {
    options: &'o Options,
    pub(crate) cut_results: u64,
    pub(crate) omitted_pictures: u64,
    /// Why a piece of the line at hand could not be kept whole; the line is then skipped.
    failed: Option<SkipReason>,
}

impl<'o> Reading<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Self {
            options,
            cut_results: 0,
            omitted_pictures: 0,
            failed: None,
        }
    }

    /// Returns why the line read last has to be skipped, if it has to.
    pub(crate) fn take_failure(&mut self) -> Option<SkipReason> {
        self.failed.take()
    }

    /// Returns a piece of JSON as a value. The scanner that cut it out knows no limit of depth, so this is
    /// where deep nesting shows.
    pub(crate) fn value(&mut self, json: &str) -> Value {
        serde_json::from_str(json).unwrap_or_else(|error| {
            self.failed = Some(SkipReason::of(&error));
            Value::Null
        })
    }

    /// Reads the content of a message: a string, or a list of blocks. `None` for anything else.
    pub(crate) fn content(&mut self, content: Content<'_, BlockForm<'_>>) -> Option<Vec<Block>> {
        match content {
            Content::Text(text) => Some(vec![Block::Text(text.into_owned())]),
            Content::List(items) => Some(items.into_iter().map(|item| self.block(item)).collect()),
            Content::Nothing | Content::Odd(_) => None,
        }
    }

    fn block(&mut self, item: Item<'_, BlockForm<'_>>) -> Block {
        self.known_block(item.form)
            .unwrap_or_else(|| Block::Other(self.value(item.raw)))
    }

    fn known_block(&mut self, form: BlockForm<'_>) -> Option<Block> {
        Some(match form.kind.as_str()? {
            "text" => Block::Text(form.text.into_owned()?),
            "thinking" => Block::Thinking {
                text: form.thinking.into_owned()?,
                signature: form.signature.into_owned(),
            },
            "redacted_thinking" => Block::RedactedThinking {
                data: form.data.into_owned()?,
            },
            "tool_use" => Block::ToolUse(ToolUse::new(
                form.id.into_owned()?,
                form.name.into_owned()?,
                form.input.0.map_or(Value::Null, |json| self.value(json)),
            )),
            "tool_result" => Block::ToolResult(ToolResult {
                tool_use_id: form.tool_use_id.into_owned()?,
                content: match form.content {
                    Content::Nothing => Vec::new(),
                    Content::Text(text) => vec![ResultPart::Text(self.result_text(text))],
                    Content::List(items) => items
                        .into_iter()
                        .map(|item| self.result_part(item))
                        .collect(),
                    Content::Odd(_) => return None,
                },
                is_error: form.is_error.0,
            }),
            "image" => match self.picture(form.source)? {
                ResultPart::Image(image) => Block::Image(image),
                _ => Block::Text(PICTURE.to_owned()),
            },
            _ => return None,
        })
    }

    fn result_part(&mut self, item: Item<'_, PartForm<'_>>) -> ResultPart {
        let form = item.form;
        let part = match form.kind.as_str() {
            Some("text") => form
                .text
                .0
                .map(|text| ResultPart::Text(self.result_text(text))),
            Some("image") => self.picture(form.source),
            _ => None,
        };
        part.unwrap_or_else(|| ResultPart::Other(self.value(item.raw)))
    }

    /// Cuts the text of a tool result to the limit.
    pub(crate) fn result_text(&mut self, text: Cow<'_, str>) -> String {
        let most = self.options.max_result_bytes;
        if text.len() <= most {
            return text.into_owned();
        }
        self.cut_results += 1;
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
        text[..end.unwrap_or(0)].to_owned()
    }

    fn picture(&mut self, form: SourceForm<'_>) -> Option<ResultPart> {
        let image = match form.kind.as_str()? {
            "base64" => Image::Base64 {
                media_type: form.media_type.into_owned()?,
                data: form.data.into_owned()?,
            },
            "url" => Image::Url(form.url.into_owned()?),
            _ => return None,
        };
        Some(self.kept_picture(image))
    }

    /// Returns the picture, or the text that takes its place.
    pub(crate) fn kept_picture(&mut self, image: Image) -> ResultPart {
        match self.options.pictures {
            Pictures::Keep => ResultPart::Image(image),
            Pictures::Omit => {
                self.omitted_pictures += 1;
                ResultPart::Text(PICTURE.to_owned())
            }
        }
    }
}

form! {
    /// A block of a message.
    pub(crate) struct BlockForm<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        signature: Text<'a> = "signature",
        data: Text<'a> = "data",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        content: Content<'a, PartForm<'a>> = "content",
        is_error: Flag = "is_error",
        source: SourceForm<'a> = "source",
    }
}

form! {
    /// A part of a tool result.
    pub(crate) struct PartForm<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        source: SourceForm<'a> = "source",
    }
}

form! {
    /// Where the bytes of a picture are.
    pub(crate) struct SourceForm<'a> {
        kind: Text<'a> = "type",
        media_type: Text<'a> = "media_type",
        data: Text<'a> = "data",
        url: Text<'a> = "url",
    }
}
