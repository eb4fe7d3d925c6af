//! What of an index goes into a prompt.

use super::Index;
use crate::limits::{INDEX_LOADED_MAX_BYTES, INDEX_LOADED_MAX_LINES};
use crate::markdown::LineKind;
use crate::text::floor_boundary;

/// The limits of an index. Both are measured on what is loaded: without front matter and block
/// HTML comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexLimits {
    /// Lines, at most; 200 by default.
    pub max_lines: usize,
    /// Bytes, at most; 25,000 by default.
    pub max_bytes: usize,
}

impl IndexLimits {
    /// Both limits as given; at least one line and one byte.
    pub fn new(max_lines: usize, max_bytes: usize) -> Self {
        Self {
            max_lines: max_lines.max(1),
            max_bytes: max_bytes.max(1),
        }
    }
}

impl Default for IndexLimits {
    /// 200 lines and 25,000 bytes, as Claude Code documents them for its auto memory.
    fn default() -> Self {
        Self::new(INDEX_LOADED_MAX_LINES, INDEX_LOADED_MAX_BYTES)
    }
}

/// The part of an index that is shown to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedIndex {
    /// Its lines, ended by LF; within the limits, without the warning.
    pub text: String,
    /// One line for the end of the text when something was cut: which limit, by how much, and
    /// what to do about it.
    pub warning: Option<String>,
    /// Lines before the cut.
    pub lines: usize,
    /// Bytes before the cut.
    pub bytes: usize,
}

impl LoadedIndex {
    /// Whether the index says nothing.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text with the warning as its last line.
    pub fn with_warning(&self) -> String {
        match &self.warning {
            Some(warning) => format!("{}{warning}\n", self.text),
            None => self.text.clone(),
        }
    }
}

impl Index {
    /// What goes into a prompt: the index without front matter and block HTML comments, cut to
    /// `limits` at a line boundary. A single line longer than the byte limit is cut at a
    /// character boundary.
    ///
    /// ```
    /// use memdir::{Index, IndexLimits};
    ///
    /// let index = Index::parse(b"<!-- curated -->\n- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n");
    /// let loaded = index.load(&IndexLimits::new(2, 25_000));
    /// assert_eq!(loaded.text, "- [A](a.md)\n- [B](b.md)\n");
    /// assert!(loaded.warning.is_some_and(|warning| warning.contains("3 lines (limit 2)")));
    /// ```
    pub fn load(&self, limits: &IndexLimits) -> LoadedIndex {
        let text = self.visible();
        let lines = text.lines().count();
        let bytes = text.len();
        if lines <= limits.max_lines && bytes <= limits.max_bytes {
            return LoadedIndex {
                text,
                warning: None,
                lines,
                bytes,
            };
        }
        let kept = cut(&text, limits);
        let warning = warning(lines, bytes, &text, kept, limits);
        LoadedIndex {
            text: kept.to_owned(),
            warning: Some(warning),
            lines,
            bytes,
        }
    }

    /// The text a model would see without limits, ended by a line end unless it is empty.
    pub(super) fn visible(&self) -> String {
        let mut text = String::with_capacity(self.bytes.len());
        for line in &self.lines {
            if matches!(line.kind, LineKind::FrontMatter | LineKind::Comment) {
                continue;
            }
            text.push_str(&String::from_utf8_lossy(&self.bytes[line.visible.clone()]));
            text.push('\n');
        }
        let end = text.trim_end().len();
        if end == 0 {
            return String::new();
        }
        // Blank lines at the end go, blanks at the end of the last line stay.
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        text.truncate(line_end);
        let blank = text.len() - text.trim_start_matches('\n').len();
        text.drain(..blank);
        text
    }
}

/// The longest head of the text that is within the limits.
fn cut<'a>(text: &'a str, limits: &IndexLimits) -> &'a str {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(limits.max_lines) {
        if end + line.len() > limits.max_bytes {
            break;
        }
        end += line.len();
    }
    if end > 0 {
        return &text[..end];
    }
    &text[..floor_boundary(text, limits.max_bytes)]
}

fn warning(lines: usize, bytes: usize, text: &str, kept: &str, limits: &IndexLimits) -> String {
    let mut over = Vec::new();
    if lines > limits.max_lines {
        over.push(format!("{lines} lines (limit {})", limits.max_lines));
    }
    if bytes > limits.max_bytes {
        over.push(format!("{bytes} bytes (limit {})", limits.max_bytes));
    }
    let lost = lines - kept.lines().count();
    let missing = match lost {
        0 => format!("the last {} bytes", text.len() - kept.len()),
        1 => "the last line".to_owned(),
        _ => format!("the last {lost} lines"),
    };
    let verb = if lost == 1 { "is" } else { "are" };
    format!(
        "> WARNING: this index has {}, so {missing} {verb} not shown. Keep one line of at most {} \
         characters per memory, move detail into the memory files, merge or remove lines that no \
         longer help.",
        over.join(" and "),
        crate::limits::INDEX_ENTRY_MAX_CHARACTERS,
    )
}
