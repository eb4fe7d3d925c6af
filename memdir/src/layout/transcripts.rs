//! Where a project folder's sessions ran: the only way back from a key to a path.

use pathguard::{ListLimits, MemoryRoot, PathKeyRef};
use serde_json::Value;

use crate::limits::{TRANSCRIPT_MAX_BYTES, TRANSCRIPTS_MAX};

/// The working directories that the newest transcripts of a project folder name.
///
/// Best effort: a folder that cannot be read names none.
pub(crate) fn working_directories(project_folder: &MemoryRoot) -> Vec<String> {
    let mut limits = ListLimits::default();
    limits.max_depth = 1;
    limits.extension = Some("jsonl".to_owned());
    let Ok(listing) = project_folder.list(&limits) else {
        return Vec::new();
    };
    let mut files: Vec<_> = listing
        .entries
        .into_iter()
        .filter_map(|entry| Some((entry.metadata?.modified_ns, entry.key)))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.truncate(TRANSCRIPTS_MAX);
    let mut directories = Vec::new();
    for (_, key) in files {
        if let Some(directory) = first_working_directory(project_folder, key.as_ref())
            && !directories.contains(&directory)
        {
            directories.push(directory);
        }
    }
    directories
}

fn first_working_directory(root: &MemoryRoot, key: PathKeyRef<'_>) -> Option<String> {
    let read = root.read_prefix(key, TRANSCRIPT_MAX_BYTES).ok()?;
    read.bytes
        .split(|byte| *byte == b'\n')
        .find_map(working_directory)
}

fn working_directory(line: &[u8]) -> Option<String> {
    // A look before the costly parse; most lines of a session carry the key.
    if !line.windows(5).any(|window| window == b"\"cwd\"") {
        return None;
    }
    let value: Value = serde_json::from_slice(line).ok()?;
    value
        .get("cwd")?
        .as_str()
        .filter(|directory| !directory.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::working_directory;

    #[test]
    fn only_the_key_of_the_line_itself_names_the_directory() {
        let table = [
            (r#"{"type":"user","cwd":"/work/app"}"#, Some("/work/app")),
            (
                r#"{"message":"\"cwd\":\"/evil\"","cwd":"/work/app"}"#,
                Some("/work/app"),
            ),
            (r#"{"message":{"cwd":"/evil"}}"#, None),
            (r#"{"cwd":7}"#, None),
            (r#"{"cwd":""}"#, None),
            (r#"{"cwd":"/cut"#, None),
            ("", None),
        ];
        for (line, expected) in table {
            assert_eq!(
                working_directory(line.as_bytes()).as_deref(),
                expected,
                "{line}"
            );
        }
    }
}
