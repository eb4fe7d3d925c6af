//! Scripts and targets that build files define, and commands that the project brings along.

use super::claim::Outcome;
use super::repository::{Repository, There};

/// A larger build file is not read.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Build files of one kind looked at, at most.
const MAX_FILES: usize = 64;

/// Folders of a project that people put on their search path.
const COMMAND_FOLDERS: &[&str] = &[
    "bin",
    "script",
    "scripts",
    "tools",
    "node_modules/.bin",
    ".venv/bin",
    "venv/bin",
    "vendor/bin",
    "target/debug",
    "target/release",
];

/// What became of a claim, and why.
pub(super) type Verdict = (Outcome, String);

fn holds(detail: String) -> Verdict {
    (Outcome::Holds, detail)
}

fn gone(detail: &str) -> Verdict {
    (Outcome::Gone { moved_to: None }, detail.to_owned())
}

fn unknown(detail: &str) -> Verdict {
    (Outcome::CannotTell, detail.to_owned())
}

/// Checks `npm run build`, `pnpm lint`, `yarn test` …
pub(super) fn script(repository: &Repository, text: &str) -> Verdict {
    let name = text.rsplit(' ').next().unwrap_or(text);
    let mut manifests = repository.files().named("package.json");
    if !manifests.contains(&"package.json") {
        manifests.push("package.json");
    }
    // The root first, then the nearest to it.
    manifests.sort_by_key(|path| (path.matches('/').count(), (*path).to_owned()));
    let mut read = 0;
    let mut broken = false;
    for path in manifests
        .into_iter()
        .filter(|path| !path.contains("node_modules/"))
        .take(MAX_FILES)
    {
        let Some(text) = repository.text(path, MAX_BYTES) else {
            continue;
        };
        let Ok(manifest) = serde_json::from_str::<serde_json::Value>(&text) else {
            broken = true;
            continue;
        };
        read += 1;
        if manifest["scripts"].get(name).is_some() {
            return holds(format!("script of {path}"));
        }
    }
    let runs_a_binary = !text.contains(" run ");
    if runs_a_binary && repository.look(&format!("node_modules/.bin/{name}")) == There::File {
        return holds(format!("node_modules/.bin/{name}"));
    }
    if broken {
        return unknown("a package.json cannot be read");
    }
    let built_in = matches!(name, "test" | "start");
    if runs_a_binary && !built_in && read > 0 {
        // `pnpm NAME` also runs commands of dependencies that are not installed here.
        return unknown("no script of that name, perhaps a command of a dependency");
    }
    gone(if read > 0 {
        "no script of that name"
    } else {
        "no package.json"
    })
}

/// Checks `make deploy`, `just test`, `task build`, `cargo xtask`, `cargo -p core` …
pub(super) fn target(repository: &Repository, text: &str) -> Verdict {
    let mut words = text.split(' ');
    let (program, name) = (
        words.next().unwrap_or(""),
        text.rsplit(' ').next().unwrap_or(""),
    );
    match program {
        "make" | "gmake" => in_files(
            repository,
            &["GNUmakefile", "Makefile", "makefile"],
            name,
            make_targets,
        ),
        "just" => in_files(
            repository,
            &["justfile", "Justfile", ".justfile"],
            name,
            just_recipes,
        ),
        "task" => in_files(
            repository,
            &[
                "Taskfile.yml",
                "Taskfile.yaml",
                "taskfile.yml",
                "Taskfile.dist.yml",
            ],
            name,
            task_names,
        ),
        "cargo" => match words.next() {
            Some(kind) if kind.starts_with('-') => cargo_item(repository, kind, name),
            _ => cargo_alias(repository, name),
        },
        _ => unknown("unknown program"),
    }
}

/// The names a build file defines, and whether it may define more than can be seen.
struct Defined {
    names: Vec<String>,
    open: bool,
}

fn in_files(
    repository: &Repository,
    files: &[&str],
    name: &str,
    parse: fn(&str) -> Defined,
) -> Verdict {
    let mut found = false;
    let mut open = false;
    for file in files {
        let mut paths = repository.files().named(file);
        if !paths.contains(file) {
            paths.push(file);
        }
        for path in paths.into_iter().take(MAX_FILES) {
            let Some(text) = repository.text(path, MAX_BYTES) else {
                continue;
            };
            found = true;
            let defined = parse(&text);
            if defined.names.iter().any(|known| known == name) {
                return holds(format!("defined in {path}"));
            }
            open |= defined.open;
        }
    }
    match (found, open) {
        (_, true) => unknown("the build file includes others"),
        (true, false) => gone("no target of that name"),
        (false, false) => gone("no build file"),
    }
}

fn make_targets(text: &str) -> Defined {
    let mut names = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if line.starts_with(['\t', '#', ' ']) {
            continue;
        }
        open |= line.starts_with("include ")
            || line.starts_with("-include ")
            || line.starts_with("sinclude ");
        let Some((left, right)) = line.split_once(':') else {
            continue;
        };
        if right.starts_with('=') || left.contains('=') {
            continue;
        }
        open |= left.contains(['%', '$']);
        names.extend(left.split_whitespace().map(str::to_owned));
    }
    Defined { names, open }
}

fn just_recipes(text: &str) -> Defined {
    let mut names = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let word = |rest: &str| rest.split_whitespace().next().unwrap_or("").to_owned();
        if line.starts_with("import ") || line.starts_with("mod ") || line.starts_with("!include ")
        {
            open = true;
        } else if let Some(rest) = line.strip_prefix("alias ") {
            names.push(word(rest));
        } else if !line.starts_with([' ', '\t', '#', '['])
            && line.contains(':')
            && !line.contains(":=")
        {
            names.push(
                word(line.trim_start_matches('@'))
                    .trim_end_matches(':')
                    .to_owned(),
            );
        }
    }
    Defined { names, open }
}

fn task_names(text: &str) -> Defined {
    let mut names = Vec::new();
    let mut inside = false;
    let mut depth: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            inside = line.trim_end() == "tasks:";
            continue;
        }
        if inside && *depth.get_or_insert(indent) == indent {
            // `build:api:` is the task `build:api`; a value may follow the colon and a space.
            let name = line.trim().split(": ").next().unwrap_or_default();
            let name = name.strip_suffix(':').unwrap_or(name);
            names.push(name.trim_matches(['\'', '"']).to_owned());
        }
    }
    Defined {
        names,
        open: text.lines().any(|line| line.trim_end() == "includes:"),
    }
}

fn cargo_alias(repository: &Repository, name: &str) -> Verdict {
    for path in [".cargo/config.toml", ".cargo/config"] {
        let Some(text) = repository.text(path, MAX_BYTES) else {
            continue;
        };
        let mut inside = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                inside = line == "[alias]";
            } else if inside
                && line
                    .split('=')
                    .next()
                    .is_some_and(|key| key.trim().trim_matches('"') == name)
            {
                return holds(format!("alias in {path}"));
            }
        }
    }
    unknown("no alias of that name, perhaps a plugin")
}

fn cargo_item(repository: &Repository, kind: &str, name: &str) -> Verdict {
    let files = repository.files();
    let folder = match kind {
        "--bin" => "src/bin",
        "--example" => "examples",
        "--test" => "tests",
        "--bench" => "benches",
        _ => "",
    };
    if !folder.is_empty() {
        let mut places = files.named(&format!("{name}.rs"));
        places.extend(files.named("main.rs"));
        let is_it = |path: &&str| {
            path.ends_with(&format!("{folder}/{name}.rs"))
                || path.ends_with(&format!("{folder}/{name}/main.rs"))
        };
        if let Some(path) = places.into_iter().find(is_it) {
            return holds(path.to_owned());
        }
    }
    let stated = format!("name = \"{name}\"");
    let mut manifests = files.named("Cargo.toml");
    if manifests.is_empty() {
        manifests.push("Cargo.toml");
    }
    let mut read = 0;
    for path in manifests {
        let Some(text) = repository.text(path, MAX_BYTES) else {
            continue;
        };
        read += 1;
        // A package name serves for `-p` and for the program that `src/main.rs` makes.
        if text.lines().any(|line| line.trim() == stated) {
            return holds(format!("named in {path}"));
        }
    }
    let is_dependency = folder.is_empty()
        && repository
            .text("Cargo.lock", MAX_BYTES)
            .is_some_and(|text| text.lines().any(|line| line == stated));
    if is_dependency {
        return holds("a dependency".to_owned());
    }
    if !files.complete {
        return unknown("not all files are known");
    }
    gone(if read > 0 {
        "no manifest names it"
    } else {
        "no Cargo.toml"
    })
}

/// Checks a command of which it is only known that no machine has it by itself.
pub(super) fn command(repository: &Repository, name: &str) -> Verdict {
    for folder in COMMAND_FOLDERS {
        for path in [format!("{folder}/{name}"), format!("{folder}/{name}.sh")] {
            if repository.look(&path) == There::File {
                return holds(path);
            }
        }
    }
    if let (Outcome::Holds, detail) = cargo_item(repository, "--bin", name) {
        return holds(detail);
    }
    for path in repository
        .files()
        .named("package.json")
        .into_iter()
        .take(MAX_FILES)
    {
        let manifest = repository
            .text(path, MAX_BYTES)
            .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        let Some(manifest) = manifest else { continue };
        let named_so = manifest["bin"].get(name).is_some()
            || manifest["bin"].is_string() && manifest["name"] == name;
        if named_so {
            return holds(format!("command of {path}"));
        }
    }
    unknown("the project does not bring it along")
}
