//! What a word in a memory may be: the forms of paths, symbols, flags and commits.

/// File endings by which a name without a folder is known as a file.
const EXTENSIONS: &[&str] = &[
    "adoc",
    "astro",
    "avsc",
    "bash",
    "bat",
    "bazel",
    "bicep",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cmake",
    "cmd",
    "conf",
    "cpp",
    "cs",
    "csproj",
    "css",
    "csv",
    "cts",
    "cu",
    "dart",
    "dockerfile",
    "edn",
    "ejs",
    "elm",
    "env",
    "erb",
    "erl",
    "ex",
    "exs",
    "fs",
    "gemspec",
    "go",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "haml",
    "hbs",
    "hcl",
    "hpp",
    "hs",
    "htm",
    "html",
    "http",
    "ini",
    "ipynb",
    "j2",
    "java",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "lock",
    "log",
    "lua",
    "m",
    "map",
    "md",
    "mdx",
    "mjs",
    "ml",
    "mod",
    "mts",
    "nim",
    "nix",
    "patch",
    "php",
    "pl",
    "plist",
    "pm",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "rst",
    "sass",
    "sbt",
    "scala",
    "scss",
    "sh",
    "sln",
    "snap",
    "sql",
    "sum",
    "svelte",
    "svg",
    "swift",
    "tf",
    "tfvars",
    "toml",
    "ts",
    "tsx",
    "txt",
    "v",
    "vue",
    "wgsl",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Endings that are as often the last part of an expression, as in `console.log` or `mutex.lock`.
const AMBIGUOUS: &[&str] = &[
    "c", "conf", "env", "ex", "go", "h", "http", "lock", "log", "m", "map", "mod", "pl", "pm", "r",
    "snap", "sum", "v",
];

/// Names that look like files and are products.
const PRODUCTS: &[&str] = &[
    "alpine.js",
    "angular.js",
    "backbone.js",
    "chart.js",
    "d3.js",
    "discord.js",
    "ember.js",
    "ethers.js",
    "express.js",
    "moment.js",
    "nest.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "passport.js",
    "pdf.js",
    "react.js",
    "solid.js",
    "three.js",
    "vue.js",
    "web3.js",
];

/// Files that are known without an ending.
const PLAIN_FILES: &[&str] = &[
    "Brewfile",
    "CHANGELOG",
    "CODEOWNERS",
    "COPYING",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "Pipfile",
    "Procfile",
    "README",
    "Rakefile",
    "Taskfile",
    "Tiltfile",
    "Vagrantfile",
    "justfile",
    "makefile",
];

/// Returns the ending of a file name, lower-case, when it is one that files have.
pub(super) fn extension(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = EXTENSIONS.binary_search(&ending.as_str()).is_ok();
    (known && !stem.is_empty()).then_some(ending)
}

/// Returns whether an ending is also a common method or field.
pub(super) fn is_ambiguous(ending: &str) -> bool {
    AMBIGUOUS.binary_search(&ending).is_ok()
}

/// Returns whether a word without a slash is a file name.
pub(super) fn is_file_name(word: &str) -> bool {
    if word.contains(['/', '\\']) || PRODUCTS.contains(&word.to_ascii_lowercase().as_str()) {
        return false;
    }
    let is_dot_file = word.len() > 2
        && word.starts_with('.')
        && word[1..].starts_with(|c: char| c.is_ascii_alphabetic())
        && word[1..]
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let plain = word.chars().all(is_path_char);
    plain && (extension(word).is_some() || PLAIN_FILES.contains(&word))
        || is_dot_file && !EXTENSIONS.contains(&&word[1..])
}

/// Returns whether a word with a slash looks like a path and nothing else.
pub(super) fn is_path(word: &str) -> bool {
    let slashed = word.contains('/') || word.contains('\\');
    slashed
        && !word.contains("://")
        && !word.starts_with("//")
        && !word.starts_with('-')
        && !word.starts_with('@')
        && word.chars().all(is_path_char)
        && word.chars().any(char::is_alphanumeric)
        && !is_media_type(word)
        && !is_host(word.split('/').next().unwrap_or(word))
        && !word
            .split('/')
            .all(|part| part.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Returns whether a path may stand for many.
pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '{', '<', '…', '$']) || word.contains("...")
}

fn is_path_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            '_' | '-'
                | '.'
                | '/'
                | '\\'
                | '~'
                | '+'
                | '@'
                | '['
                | ']'
                | '('
                | ')'
                | ':'
                | '#'
                | ' '
                | '='
                | ','
        )
}

fn is_media_type(word: &str) -> bool {
    let kinds = [
        "application/",
        "audio/",
        "font/",
        "image/",
        "multipart/",
        "text/",
        "video/",
    ];
    kinds.iter().any(|kind| word.starts_with(kind))
        && extension(word).is_none()
        && word.matches('/').count() == 1
}

/// Returns whether the first part of a path is the name of a computer: `github.com/x`.
fn is_host(part: &str) -> bool {
    let endings = [
        ".com",
        ".org",
        ".net",
        ".io",
        ".dev",
        ".internal",
        ".local",
        ".de",
        ".cn",
        ".ai",
        ".app",
        ".co",
        ".eu",
        ".gov",
        ".edu",
    ];
    endings
        .iter()
        .any(|ending| part.len() > ending.len() && part.ends_with(ending))
        || part == "localhost"
        || part.starts_with("localhost:")
}

/// Splits `src/a.rs:42`, `src/a.rs:42-50`, `src/a.rs:42:7` and `src/a.rs#L42` into path and last line.
pub(super) fn path_and_line(word: &str) -> Option<(&str, u32)> {
    let (path, lines) = word.split_once("#L").or_else(|| {
        let parts = word.split_once(':');
        parts.filter(|(_, lines)| lines.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    let is_file = is_path(path) || is_file_name(path);
    let mut numbers = lines
        .split(['-', ':', '–', 'L'])
        .filter(|part| !part.is_empty());
    let first: u32 = numbers.next()?.parse().ok()?;
    let is_range = lines.contains('-') || lines.contains('–');
    let second = numbers.next().map(str::parse::<u32>).transpose().ok()?;
    let last = second.filter(|_| is_range).unwrap_or(first).max(first);
    (is_file && first > 0).then_some((path, last))
}

/// The parts of a symbol, and whether they are certain to be code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    pub(super) parts: Vec<&'a str>,
    pub(super) firm: bool,
}

/// Takes a word apart as a symbol: `Foo::bar()`, `max_retries`, `useAuth`, `x-deadline-ms`.
pub(super) fn symbol(word: &str) -> Option<Symbol<'_>> {
    let called = word.ends_with(')') && word.contains('(') || word.ends_with('!');
    let head = word.split(['(', '<', '[', '!']).next().unwrap_or(word);
    let head = head
        .trim_start_matches(['$', '@', '&', '#', '*', '.'])
        .trim_matches(['{', '}', '?', ';', ',']);
    let is_product = PRODUCTS.contains(&head.to_ascii_lowercase().as_str());
    if head.len() < 3 || head.len() > 120 || is_product {
        return None;
    }
    let normal = head.replace("->", ".").len() == head.len();
    let parts: Vec<&str> = head
        .split([':', '.', '#'])
        .filter(|part| {
            !part.is_empty() && !matches!(*part, "self" | "Self" | "this" | "crate" | "super")
        })
        .collect();
    let is_word = |part: &&str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
            && !part.ends_with('-')
    };
    if parts.is_empty() || !normal || !parts.iter().all(is_word) {
        return None;
    }
    let last = parts[parts.len() - 1];
    let coded = |part: &str| {
        let bare = part.trim_matches('_');
        bare.contains('_') || has_humps(part) || part.starts_with('_') && bare.len() > 2
    };
    let firm = !head.contains('-')
        && (called || head.contains("::") || parts.iter().any(|part| coded(part)));
    let soft = head.contains('-') || head.contains('.') && parts.len() > 1;
    (firm && last.len() > 1 || soft).then_some(Symbol { parts, firm })
}

/// Returns whether a word has a capital behind a small letter, as only names in code have.
fn has_humps(word: &str) -> bool {
    let mut before_is_small = false;
    word.chars().any(|c| {
        let hump = before_is_small && c.is_uppercase();
        before_is_small = c.is_lowercase() || c.is_numeric() && before_is_small;
        hump
    })
}

/// Returns the name of a long flag without its dashes and value.
pub(super) fn flag(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--")?;
    let name = name.split(['=', ' ', '<', '[']).next().unwrap_or(name);
    let legal = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    legal.then_some(name)
}

/// Returns whether a word may be the name of a commit by itself: seven or more hexadecimal digits,
/// letters and digits mixed, so that neither a number nor a word like `facade` is taken for one.
pub(super) fn is_commit(word: &str) -> bool {
    is_hex(word)
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Returns whether a word consists of 7 to 64 hexadecimal digits in lower case.
pub(super) fn is_hex(word: &str) -> bool {
    (7..=64).contains(&word.len())
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Returns whether a word is a legal name of a branch or tag.
pub(super) fn is_ref_name(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 200
        && !word.starts_with(['/', '-', '.'])
        && !word.ends_with(['/', '.'])
        && !word.contains("..")
        && !word.contains("//")
        && !word.contains("@{")
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '#' | '@'))
}

#[cfg(test)]
mod tests {
    use super::{
        AMBIGUOUS, EXTENSIONS, flag, is_commit, is_file_name, is_path, path_and_line, symbol,
    };

    #[test]
    fn the_tables_are_sorted_for_binary_search() {
        assert!(EXTENSIONS.is_sorted());
        assert!(AMBIGUOUS.is_sorted());
    }

    #[test]
    fn words_are_told_apart_by_their_form() {
        let kind = |word: &str| {
            if path_and_line(word).is_some() {
                "line"
            } else if flag(word).is_some() {
                "flag"
            } else if is_commit(word) {
                "commit"
            } else if is_path(word) {
                "path"
            } else if is_file_name(word) {
                "file"
            } else {
                match symbol(word) {
                    Some(symbol) if symbol.firm => "symbol",
                    Some(_) => "soft",
                    None => "-",
                }
            }
        };
        for (word, expected) in [
            ("src/net/retry.rs", "path"),
            ("src/", "path"),
            ("src/net/retry.rs:42", "line"),
            ("retry.rs:10-20", "line"),
            ("src/a.ts#L7", "line"),
            ("Cargo.toml", "file"),
            ("Makefile", "file"),
            (".gitignore", "file"),
            (".rs", "-"),
            ("Node.js", "-"),
            ("https://example.com/a.html", "-"),
            ("github.com/org/repo", "-"),
            ("application/json", "-"),
            ("1/2", "-"),
            ("--dry-run", "flag"),
            ("--limit=5", "flag"),
            ("-x", "-"),
            ("3f2a9c1", "commit"),
            ("1234567", "-"),
            ("facade", "-"),
            ("max_retries", "symbol"),
            ("RetryPolicy", "symbol"),
            ("Retry::standard()", "symbol"),
            ("parse()", "symbol"),
            ("DATABASE_URL", "symbol"),
            ("$DATABASE_URL", "symbol"),
            ("Redis", "-"),
            ("main", "-"),
            ("TODO", "-"),
            ("x-deadline-ms", "soft"),
            ("max.poll.interval.ms", "soft"),
            ("v1.2.3", "-"),
            ("true", "-"),
            ("a + b", "-"),
        ] {
            assert_eq!(kind(word), expected, "{word}");
        }
    }
}
