//! How hostile names are shown to people: escaped and shortened.

/// Characters of a name that an error text shows at most. A longer one keeps both ends, since the
/// start says where it points and the end what it names.
const SHOWN_CHARS: usize = 96;

/// Returns `raw` without anything a terminal would act on, and not much longer than
/// [`SHOWN_CHARS`].
///
/// The standard library's debug escapes cover control, format (direction) and unassigned
/// characters; quotation marks are escaped too, so that a name cannot end the quotation it stands in.
pub(crate) fn shown(raw: &str) -> String {
    // Never walk over a megabyte to show a hundred characters.
    let mut head = raw.chars();
    let short: String = head.by_ref().take(SHOWN_CHARS).collect();
    if head.next().is_none() {
        return escaped(&short);
    }
    let kept = SHOWN_CHARS / 2;
    let start: String = short.chars().take(kept).collect();
    let mut end: Vec<char> = raw.chars().rev().take(kept).collect();
    end.reverse();
    let end: String = end.into_iter().collect();
    format!("{}…{}", escaped(&start), escaped(&end))
}

fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            // `escape_debug` would also escape the apostrophe, which is common in titles and harmless.
            '\'' => c.to_string().chars().collect::<Vec<_>>(),
            _ => c.escape_debug().collect(),
        })
        .collect()
}
