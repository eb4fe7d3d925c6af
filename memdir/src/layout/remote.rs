//! The address of a repository, in one spelling for all the ways people write it.

use std::collections::BTreeMap;

/// Returns `host/owner/repository` for a git remote, in lower case, or `None` for text that is no
/// address.
///
/// Scheme, credentials, port, query, a final `.git` and slashes are taken off, so that
/// `https://token@github.com/Acme/App.git` and `git@github.com:acme/app` are the same. A path on
/// this machine becomes `file:` and the path. The result holds no credential.
///
/// # Example
///
/// ```
/// use memdir::normalise_remote;
///
/// let same = Some("github.com/acme/app".to_owned());
/// assert_eq!(normalise_remote("git@github.com:Acme/App.git"), same);
/// assert_eq!(normalise_remote("https://ana:secret@github.com/acme/app/"), same);
/// assert_eq!(normalise_remote("ssh://git@github.com:22/acme/app.git"), same);
/// ```
pub fn normalise_remote(url: &str) -> Option<String> {
    let url = url.trim();
    if url.is_empty() || url.len() > 2_000 || url.chars().any(char::is_control) {
        return None;
    }
    if let Some((scheme, rest)) = url.split_once("://") {
        if scheme.eq_ignore_ascii_case("file") {
            return local(rest);
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_once('/')?;
        return join(without_user(authority), path);
    }
    match url.split_once(':') {
        // A drive letter is a path on this machine, not a host.
        Some((host, path)) if host.len() > 1 && !host.contains(['/', '\\']) => {
            join(without_user(host), path)
        }
        _ => local(url),
    }
}

fn without_user(authority: &str) -> &str {
    authority.rsplit('@').next().unwrap_or(authority)
}

fn join(host: &str, path: &str) -> Option<String> {
    // An IPv6 address keeps its colons inside brackets.
    let host = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    };
    let path = trimmed(path);
    if host.is_empty() || path.is_empty() {
        return None;
    }
    Some(format!("{host}/{path}").to_lowercase())
}

fn local(path: &str) -> Option<String> {
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.trim_end_matches(['/', '\\']);
    // Paths keep their case: most file systems tell it apart.
    (!path.is_empty()).then(|| format!("file:{path}"))
}

fn trimmed(path: &str) -> &str {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    path.trim_end_matches('/')
}

/// The address of the remote a git configuration file names: `origin`, else the first by name.
///
/// A small reader of our own, because running git in a hostile folder executes what its
/// configuration says. Includes are not followed.
pub(crate) fn remote_in_config(text: &str) -> Option<String> {
    let mut remotes: BTreeMap<String, String> = BTreeMap::new();
    let mut remote: Option<String> = None;
    for line in logical_lines(text) {
        let line = line.trim_start();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let (name, rest) = section(header);
            remote = name;
            // A value may follow its section header on the same line.
            read_url(rest, remote.as_deref(), &mut remotes);
            continue;
        }
        read_url(line, remote.as_deref(), &mut remotes);
    }
    remotes
        .remove("origin")
        .or_else(|| remotes.into_values().next())
}

fn read_url(line: &str, remote: Option<&str>, remotes: &mut BTreeMap<String, String>) {
    let (Some(remote), Some((key, value))) = (remote, line.split_once('=')) else {
        return;
    };
    if key.trim().eq_ignore_ascii_case("url") {
        // Git takes the last value for a single-valued key; the first url is the one it fetches.
        remotes
            .entry(remote.to_owned())
            .or_insert_with(|| unquoted(value));
    }
}

/// Joins lines that end in a backslash.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = String::new();
    for line in text.lines() {
        if let Some(start) = line.strip_suffix('\\') {
            pending.push_str(start);
        } else {
            pending.push_str(line);
            lines.push(std::mem::take(&mut pending));
        }
    }
    if !pending.is_empty() {
        lines.push(pending);
    }
    lines
}

/// The subsection of a `remote` header, and what follows the closing bracket.
fn section(header: &str) -> (Option<String>, &str) {
    let word_end = header
        .find(|character: char| !character.is_ascii_alphanumeric() && !"-.".contains(character))
        .unwrap_or(header.len());
    let is_remote = header[..word_end].eq_ignore_ascii_case("remote");
    let mut name = String::new();
    let mut quoted = false;
    let mut characters = header[word_end..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted => name.extend(characters.next().map(|(_, escaped)| escaped)),
            ']' if !quoted => {
                let rest = &header[word_end + at + 1..];
                return (is_remote.then_some(name), rest);
            }
            _ if quoted => name.push(character),
            _ => {}
        }
    }
    (None, "")
}

/// A value without its quotes, escapes and trailing comment.
fn unquoted(value: &str) -> String {
    let mut plain = String::new();
    let mut quoted = false;
    let mut characters = value.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' => plain.extend(characters.next()),
            '#' | ';' if !quoted => break,
            _ => plain.push(character),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_one_address_however_it_is_written() {
        let table = [
            ("https://github.com/acme/app", Some("github.com/acme/app")),
            (
                "https://github.com/Acme/App.git",
                Some("github.com/acme/app"),
            ),
            (
                "https://x:y@github.com/acme/app.git/",
                Some("github.com/acme/app"),
            ),
            ("git@github.com:acme/app.git", Some("github.com/acme/app")),
            ("github.com:acme/app", Some("github.com/acme/app")),
            (
                "ssh://git@github.com:2222/acme/app",
                Some("github.com/acme/app"),
            ),
            ("git://github.com/acme/app.git", Some("github.com/acme/app")),
            ("https://[::1]:8443/acme/app", Some("[::1]/acme/app")),
            ("https://host/a/b/c.git?x=1#y", Some("host/a/b/c")),
            ("/srv/git/App.git", Some("file:/srv/git/App")),
            ("file:///srv/git/App.git", Some("file:/srv/git/App")),
            ("../app", Some("file:../app")),
            (r"C:\code\app", Some(r"file:C:\code\app")),
            ("https://github.com", None),
            ("https:///acme/app", None),
            ("", None),
            ("a\u{7}b:c", None),
        ];
        for (url, expected) in table {
            assert_eq!(normalise_remote(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_address_is_read_from_a_configuration_file() {
        let table = [
            (
                "[remote \"origin\"]\n\turl = git@host:a/b.git\n",
                Some("git@host:a/b.git"),
            ),
            (
                "[core]\n url = no\n[remote \"up\"]\nurl=u\n[Remote \"origin\"]\nURL = \"o\" # x\n",
                Some("o"),
            ),
            (
                "[remote \"zeta\"]\nurl = z\n[remote \"beta\"]\nurl = b\n",
                Some("b"),
            ),
            ("[remote \"origin\"] url = same-line\n", Some("same-line")),
            ("[remote \"origin\"]\nurl = one\\\ntwo\n", Some("onetwo")),
            (
                "[remote \"origin\"]\nurl = first\nurl = second\n",
                Some("first"),
            ),
            ("[remote \"a]b\"]\nurl = bracket\n", Some("bracket")),
            ("# [remote \"origin\"]\n# url = no\n", None),
            ("[remote \"origin\"\nurl = unclosed\n", None),
            ("[include]\npath = elsewhere\n", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(remote_in_config(text).as_deref(), expected, "{text}");
        }
    }
}
