//! Text for models and people: shortened, escaped, cut at limits.

/// The longest piece of foreign text that a message repeats, in characters.
const MAX_SHOWN_CHARS: usize = 60;

/// Returns a piece of foreign text in a form that is safe to print.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::from("`");
    for (count, character) in text.chars().enumerate() {
        if count == MAX_SHOWN_CHARS {
            out.push('…');
            break;
        }
        // Letters of all scripts stay readable; what a terminal would act on does not.
        if character.is_alphanumeric() || character.is_ascii_graphic() || character == ' ' {
            out.push(character);
        } else {
            out.extend(character.escape_default());
        }
    }
    out.push('`');
    out
}

/// Returns the longest beginning of a text that has at most so many bytes and ends between characters.
pub(crate) fn prefix(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Lines collected up to a limit.
#[derive(Debug)]
pub(crate) struct Bounded {
    text: String,
    max_bytes: usize,
    cut: bool,
}

impl Bounded {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            text: String::new(),
            max_bytes,
            cut: false,
        }
    }

    /// Adds a line; returns whether there is room for more.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        if self.cut {
            return false;
        }
        if self.text.len() + line.len() + 1 > self.max_bytes {
            self.cut = true;
            // Never nothing: the first line shows at least in part.
            if self.text.is_empty() {
                self.text.push_str(prefix(line, self.max_bytes));
                self.text.push('\n');
            }
            return false;
        }
        self.text.push_str(line);
        self.text.push('\n');
        true
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text, with a last line that says what is missing.
    pub(crate) fn finish(mut self, missing: Option<&str>) -> String {
        let limit = format!("more than {} bytes", self.max_bytes);
        let missing = missing.or_else(|| self.cut.then_some(limit.as_str()));
        if let Some(missing) = missing {
            self.text.extend(["[cut: ", missing, "]\n"]);
        }
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text
    }
}
