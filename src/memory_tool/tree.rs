//! What a view of a folder shows.

use std::collections::HashMap;
use std::fmt::Write;

use pathguard::{EntryKind, ListLimits, MemoryRoot};

use super::path::is_team;
use super::{MAX_ANSWER_CHARACTERS, MAX_ENTRIES, files};

/// Levels that are shown.
const LEVELS: usize = 2;

/// Characters kept free for the words about what was cut.
const RESERVE: usize = 200;

/// A file or a folder, with its size: that of a folder is the sum of the files in it.
struct Item<'a> {
    components: Vec<&'a str>,
    is_folder: bool,
    bytes: u64,
}

/// Shows a folder two levels deep, without hidden items and `node_modules`, and, where that is wanted, without
/// what the team has.
pub(super) fn show(folder: &MemoryRoot, path: &str, hides_team: bool) -> Result<String, String> {
    let limits = ListLimits::new().with_max_entries(MAX_ENTRIES);
    let mut listing = folder
        .list(&limits)
        .map_err(|error| files::refused(path, &error))?;
    if hides_team {
        listing.entries.retain(|entry| !is_team(&entry.key));
    }
    let mut sums: HashMap<&str, u64> = HashMap::new();
    let mut total = 0;
    for entry in &listing.entries {
        let bytes = entry.metadata.map_or(0, |metadata| metadata.len);
        if entry.kind != EntryKind::File {
            continue;
        }
        total += bytes;
        let key = entry.key.as_str();
        for (at, _) in key.match_indices('/') {
            *sums.entry(&key[..at]).or_default() += bytes;
        }
    }
    let mut items: Vec<Item<'_>> = Vec::new();
    for entry in &listing.entries {
        let key = entry.key.as_str();
        let components: Vec<&str> = key.split('/').collect();
        if components.len() > LEVELS || components.contains(&"node_modules") {
            continue;
        }
        let is_folder = entry.kind == EntryKind::Directory;
        let bytes = if is_folder {
            sums.get(key).copied().unwrap_or(0)
        } else {
            entry.metadata.map_or(0, |metadata| metadata.len)
        };
        items.push(Item {
            components,
            is_folder,
            bytes,
        });
    }
    // Each folder directly before what it holds: by components, not by text, where `a-b` comes before `a/b`.
    items.sort_by(|left, right| left.components.cmp(&right.components));
    let base = path.trim_end_matches('/');
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
         node_modules:\n{}\t{base}",
        size(total)
    );
    let mut left = MAX_ANSWER_CHARACTERS.saturating_sub(text.chars().count() + RESERVE);
    let mut shown = 0;
    for item in &items {
        let slash = if item.is_folder { "/" } else { "" };
        let below = item.components.join("/");
        let line = format!("\n{}\t{base}/{below}{slash}", size(item.bytes));
        let length = line.chars().count();
        if length > left {
            break;
        }
        left -= length;
        text.push_str(&line);
        shown += 1;
    }
    let cut = items.len() - shown;
    if listing.cut {
        let _ = write!(
            text,
            "\n[Cut: more than {MAX_ENTRIES} items, {shown} are shown. View a directory in it.]"
        );
    } else if cut > 0 {
        let _ = write!(
            text,
            "\n[Cut: {cut} more items are not shown. View a directory in it.]"
        );
    }
    Ok(text)
}

/// A size as `du -h` writes it, with one decimal only where it says something: 29B, 1K, 1.5K.
fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut tenths = bytes.saturating_mul(10);
    let mut unit = 'B';
    for next in ['K', 'M', 'G', 'T'] {
        // Rounded to the nearest tenth; what rounds up to 1024 belongs to the next unit.
        tenths = tenths.saturating_add(512) / 1024;
        unit = next;
        if tenths < 10_240 {
            break;
        }
    }
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole}{unit}"),
        (whole, tenth) => format!("{whole}.{tenth}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_one_decimal_at_most() {
        let table = [
            (0, "0B"),
            (29, "29B"),
            (1_023, "1023B"),
            (1_024, "1K"),
            (1_536, "1.5K"),
            (10_240, "10K"),
            (1_048_575, "1M"),
            (1_048_576, "1M"),
            (1_610_612_736, "1.5G"),
        ];
        for (bytes, expected) in table {
            assert_eq!(size(bytes), expected);
        }
    }
}
