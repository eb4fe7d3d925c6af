//! The index and the memories as resources, under `memstrata:///` and their path.

use std::fmt::Write as _;

use memstrata::memdir::{INDEX_FILE, Store};
use memstrata::pathguard::PathKey;
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::project::{Project, hides_team, is_team, visible};
use super::reply::{MAX_TEXT, Refusal, brief, cut};
use crate::context::Context;
use crate::terminal::{clean, clean_lines};

/// What every address begins with.
const SCHEME: &str = "memstrata:///";

/// Resources on one page.
const PAGE: usize = 100;

/// The type of all of them.
const MARKDOWN: &str = "text/markdown";

/// Longest text of one resource, in characters: what a client asks for whole, it wants whole.
const MAX_RESOURCE: usize = 20 * MAX_TEXT;

/// One page of resources: first the indexes, then the memories, newest first.
pub(super) fn list(
    project: &Project,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let offset: usize = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("the cursor is none of this server", None))?,
    };
    let Some((store, context)) = store(project)? else {
        return Ok(ListResourcesResult::with_all_items(Vec::new()));
    };
    let mut all = Vec::new();
    for (index, title) in [
        (INDEX_FILE.to_owned(), "Index of the memories"),
        (format!("team/{INDEX_FILE}"), "Index of the team's memories"),
    ] {
        if read_file(&store, &context, &index).is_some() {
            all.push(resource(&index, title));
        }
    }
    let memories = store
        .list(&visible(&context))
        .map_err(|error| internal(&error))?;
    all.extend(memories.memories.iter().map(|memory| {
        let header = &memory.header;
        let path = memory.path.as_str();
        let title = if header.name.is_empty() {
            path
        } else {
            &header.name
        };
        resource(path, &clean(&brief(title)))
            .with_description(clean(&brief(&header.description)).into_owned())
            .with_size(memory.bytes)
    }));
    let total = all.len();
    let page: Vec<Resource> = all.into_iter().skip(offset).take(PAGE).collect();
    let next = offset.saturating_add(page.len());
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = (next < total).then(|| next.to_string());
    Ok(result)
}

fn resource(path: &str, title: &str) -> Resource {
    Resource::new(address(path), path)
        .with_title(title)
        .with_mime_type(MARKDOWN)
}

/// How the address of a memory is made.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{SCHEME}{{+path}}"), "memory")
        .with_title("A memory")
        .with_description("A memory by its path below the memory folder, as the tools give it")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// Reads one resource.
pub(super) fn read(project: &Project, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let not_found = || ErrorData::resource_not_found("there is no such memory", None);
    let path = path_of(uri).ok_or_else(not_found)?;
    let (store, context) = store(project)?.ok_or_else(not_found)?;
    let text = read_file(&store, &context, &path).ok_or_else(not_found)?;
    let text = cut(&clean_lines(&text), MAX_RESOURCE);
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The store, or nothing where there are no memories yet. A switched-off memory shows none.
fn store(project: &Project) -> Result<Option<(Store, Context)>, ErrorData> {
    let refused = |refusal: Refusal| ErrorData::invalid_request(refusal.into_text(), None);
    let context = project.active().map_err(refused)?;
    let store = project.existing(&context).map_err(refused)?;
    Ok(store.map(|store| (store, context)))
}

/// A Markdown file of the folder. Everything that cannot be read is not there for a client.
fn read_file(store: &Store, context: &Context, path: &str) -> Option<String> {
    let key = PathKey::parse(path).ok()?;
    if hides_team(context) && is_team(&key) {
        return None;
    }
    let is_hidden = key
        .as_ref()
        .components()
        .any(|component| component.starts_with('.'));
    let is_markdown = key
        .as_ref()
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    if is_hidden || !is_markdown {
        return None;
    }
    let memory = store.read_path(&key).ok()?;
    Some(String::from_utf8_lossy(memory.memory.as_bytes()).into_owned())
}

fn internal(error: &memstrata::memdir::Error) -> ErrorData {
    ErrorData::internal_error(clean(&error.to_string()).into_owned(), None)
}

/// The address of a path: what is neither a letter, a digit nor one of `-._~/` is escaped (RFC 3986).
fn address(path: &str) -> String {
    let mut address = SCHEME.to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            other => {
                let _ = write!(address, "%{other:02X}");
            }
        }
    }
    address
}

/// The path of an address. Decoded once; what it then is, the check of keys decides.
fn path_of(uri: &str) -> Option<String> {
    let escaped = uri.strip_prefix(SCHEME)?.as_bytes();
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut at = 0;
    while at < escaped.len() {
        if escaped[at] == b'%' {
            let digits = std::str::from_utf8(escaped.get(at + 1..at + 3)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            bytes.push(escaped[at]);
            at += 1;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{address, path_of};

    #[test]
    fn an_address_leads_back_to_its_path() {
        for path in ["MEMORY.md", "team/a b.md", "メモ.md", "100%.md", "a+b~c.md"] {
            assert_eq!(path_of(&address(path)).as_deref(), Some(path));
        }
        assert_eq!(address("メ.md"), "memstrata:///%E3%83%A1.md");
        for uri in [
            "file:///etc/passwd",
            "memstrata://host/a.md",
            "memstrata:///%zz.md",
            "memstrata:///%4",
        ] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
        assert_eq!(
            path_of("memstrata:///%2e%2e/x.md").as_deref(),
            Some("../x.md")
        );
    }
}
