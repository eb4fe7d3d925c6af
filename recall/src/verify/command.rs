//! What a command line claims: scripts, targets, paths, flags.

use super::claim::{Certainty, ClaimKind};
use super::names;

/// Programs that every machine may have: using one claims nothing about the repository.
const EXTERNAL: &[&str] = &[
    "7z",
    "ansible",
    "apt",
    "apt-get",
    "awk",
    "aws",
    "az",
    "bash",
    "bazel",
    "brew",
    "bundle",
    "cat",
    "cd",
    "chmod",
    "chown",
    "clang",
    "cmake",
    "codex",
    "composer",
    "cp",
    "curl",
    "cut",
    "dart",
    "deno",
    "diff",
    "docker",
    "docker-compose",
    "dotnet",
    "echo",
    "eslint",
    "export",
    "fd",
    "ffmpeg",
    "find",
    "flutter",
    "gcc",
    "gcloud",
    "gem",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "grep",
    "head",
    "helm",
    "htop",
    "java",
    "jest",
    "jq",
    "k6",
    "kill",
    "kubectl",
    "ln",
    "ls",
    "mkdir",
    "mongo",
    "mongosh",
    "mv",
    "mvn",
    "mypy",
    "mysql",
    "nano",
    "nc",
    "nix",
    "nl",
    "node",
    "nvm",
    "openssl",
    "pg_dump",
    "php",
    "pip",
    "pip3",
    "playwright",
    "podman",
    "poetry",
    "pre-commit",
    "prettier",
    "psql",
    "pulumi",
    "pytest",
    "python",
    "python3",
    "rake",
    "redis-cli",
    "rg",
    "rm",
    "rsync",
    "ruby",
    "ruff",
    "rustc",
    "rustup",
    "scp",
    "sed",
    "sh",
    "shellcheck",
    "sort",
    "sqlite3",
    "ssh",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "terraform",
    "tmux",
    "touch",
    "tox",
    "tree",
    "tsc",
    "uv",
    "vagrant",
    "vault",
    "vim",
    "vite",
    "vitest",
    "watch",
    "wget",
    "which",
    "xargs",
    "yq",
    "zip",
    "zsh",
];

/// Flags that many programs have; one of them by itself names none of ours.
const COMMON_FLAGS: &[&str] = &[
    "all",
    "all-features",
    "all-targets",
    "amend",
    "author",
    "branch",
    "cached",
    "cascade",
    "check",
    "color",
    "config",
    "continue",
    "coverage",
    "data",
    "debug",
    "delete",
    "depth",
    "detach",
    "dev",
    "exclude",
    "features",
    "ff-only",
    "file",
    "fix",
    "fixup",
    "follow",
    "force",
    "force-with-lease",
    "frozen-lockfile",
    "global",
    "grep",
    "hard",
    "headed",
    "help",
    "host",
    "ignore-scripts",
    "include",
    "interactive",
    "jobs",
    "json",
    "keep",
    "legacy-peer-deps",
    "locked",
    "merge",
    "name-only",
    "no-cache",
    "no-deps",
    "no-edit",
    "no-ff",
    "no-verify",
    "nocapture",
    "offline",
    "oneline",
    "output",
    "package",
    "port",
    "production",
    "profile",
    "prune",
    "push",
    "quiet",
    "rebase",
    "recursive",
    "release",
    "rm",
    "save-dev",
    "silent",
    "soft",
    "squash",
    "staged",
    "stat",
    "strict",
    "tags",
    "test",
    "test-threads",
    "update",
    "verbose",
    "version",
    "watch",
    "workspace",
    "yes",
];

/// Subcommands of package managers that are no scripts.
const MANAGER_COMMANDS: &[&str] = &[
    "add",
    "audit",
    "cache",
    "ci",
    "config",
    "create",
    "dedupe",
    "deploy",
    "dlx",
    "exec",
    "help",
    "i",
    "import",
    "info",
    "init",
    "install",
    "link",
    "list",
    "login",
    "ls",
    "outdated",
    "pack",
    "patch",
    "publish",
    "rebuild",
    "remove",
    "root",
    "set",
    "setup",
    "store",
    "un",
    "uninstall",
    "unlink",
    "up",
    "update",
    "upgrade",
    "version",
    "view",
    "why",
    "workspace",
    "workspaces",
    "x",
];

/// Subcommands that cargo has by itself or that are well-known plugins.
const CARGO_COMMANDS: &[&str] = &[
    "add",
    "audit",
    "b",
    "bench",
    "binstall",
    "build",
    "c",
    "check",
    "clean",
    "clippy",
    "criterion",
    "d",
    "deny",
    "doc",
    "expand",
    "fetch",
    "fix",
    "flamegraph",
    "fmt",
    "fuzz",
    "generate",
    "hack",
    "help",
    "init",
    "insta",
    "install",
    "llvm-cov",
    "login",
    "machete",
    "metadata",
    "miri",
    "mutants",
    "new",
    "nextest",
    "outdated",
    "package",
    "public-api",
    "publish",
    "r",
    "release",
    "remove",
    "run",
    "rustc",
    "rustdoc",
    "search",
    "semver-checks",
    "t",
    "tarpaulin",
    "test",
    "tree",
    "udeps",
    "uninstall",
    "update",
    "vendor",
    "version",
    "watch",
    "yank",
    "zigbuild",
];

/// Returns whether a flag is one that many programs have.
pub(super) fn is_common_flag(word: &str) -> bool {
    names::flag(word).is_some_and(|name| COMMON_FLAGS.contains(&name))
}

type Found = (String, ClaimKind, Certainty);

/// Returns the claims of a command line; none when it is no command that this crate knows.
pub(super) fn claims(line: &str) -> Vec<Found> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let is_prefix = |word: &str| {
        matches!(word, "$" | "sudo" | "time" | "nohup" | "env")
            || word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
            })
    };
    let skipped = words.iter().take_while(|word| is_prefix(word)).count();
    words.drain(..skipped);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    if let Some(found) = runner(program, arguments) {
        return found;
    }
    let mut found = Vec::new();
    let is_own = names::is_path(program) || names::is_file_name(program);
    let is_external = EXTERNAL.contains(program);
    let is_name = program.contains('-')
        && program
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && program.starts_with(|c: char| c.is_ascii_lowercase());
    if is_own {
        found.push(((*program).to_owned(), ClaimKind::Path, Certainty::Firm));
    } else if is_name && !is_external {
        found.push(((*program).to_owned(), ClaimKind::Command, Certainty::Soft));
    } else if !is_external {
        return Vec::new();
    }
    for word in arguments {
        argument(word, is_external, &mut found);
    }
    found
}

/// An argument that names a file of the repository, or a flag of one of its own programs.
fn argument(word: &str, is_external: bool, found: &mut Vec<Found>) {
    let word = word.trim_matches(['"', '\'', ';', ',']);
    let path = word.split("::").next().unwrap_or(word);
    if let Some((_, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
        return argument(value, is_external, found);
    }
    if names::flag(word).is_some() {
        if !is_external {
            found.push((word.to_owned(), ClaimKind::Flag, Certainty::Soft));
        }
    } else if !names::is_pattern(path) && names::is_path(path) && !path.contains([':', '@']) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let sure = names::extension(name).is_some() && !path.starts_with(['/', '~']);
        let certainty = if sure {
            Certainty::Firm
        } else {
            Certainty::Guess
        };
        found.push((path.to_owned(), ClaimKind::Path, certainty));
    }
}

/// Programs that run something the repository defines.
fn runner(program: &str, arguments: &[&str]) -> Option<Vec<Found>> {
    let plain: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_name = |word: &&str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
    };
    match program {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let script = match plain.split_first()? {
                (&("run" | "run-script"), rest) => rest.first()?,
                (word, _) if matches!(*word, "test" | "start") => word,
                (word, _) if program != "npm" && !MANAGER_COMMANDS.contains(word) => word,
                _ => return Some(Vec::new()),
            };
            let run = if plain[0] == "run" { "run " } else { "" };
            let found = (
                format!("{program} {run}{script}"),
                ClaimKind::Script,
                Certainty::Firm,
            );
            Some(if is_name(script) {
                vec![found]
            } else {
                Vec::new()
            })
        }
        "make" | "gmake" | "just" | "task" => {
            let targets = plain.iter().filter(|word| !word.contains('='));
            let found: Vec<Found> = targets
                .take_while(|word| is_name(word))
                .map(|word| {
                    (
                        format!("{program} {word}"),
                        ClaimKind::Target,
                        Certainty::Firm,
                    )
                })
                .collect();
            // `make sure that` is English.
            let is_prose = found.len() > 3 || plain.first() == Some(&"sure");
            Some(if is_prose { Vec::new() } else { found })
        }
        "cargo" => Some(cargo(arguments)),
        _ => None,
    }
}

fn cargo(arguments: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut words = arguments
        .iter()
        .take_while(|word| **word != "--")
        .peekable();
    let mut first = true;
    while let Some(word) = words.next() {
        if matches!(
            *word,
            "--bin" | "--example" | "--bench" | "--test" | "-p" | "--package" | "--features"
        ) {
            if let Some(name) = words.next()
                && *word != "--features"
            {
                found.push((
                    format!("cargo {word} {name}"),
                    ClaimKind::Target,
                    Certainty::Firm,
                ));
            }
        } else if first && !word.starts_with(['-', '+']) {
            first = false;
            if !CARGO_COMMANDS.contains(word) {
                found.push((format!("cargo {word}"), ClaimKind::Target, Certainty::Firm));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{COMMON_FLAGS, EXTERNAL, claims};

    #[test]
    fn the_tables_are_sorted() {
        assert!(COMMON_FLAGS.is_sorted());
        assert!(EXTERNAL.is_sorted());
    }

    #[test]
    fn command_lines_claim_what_the_repository_defines() {
        for (line, expected) in [
            ("npm run build", "script:npm run build"),
            ("pnpm lint", "script:pnpm lint"),
            ("pnpm install", ""),
            ("npm install", ""),
            ("yarn run dev --port 3000", "script:yarn run dev"),
            ("make deploy ENV=prod", "target:make deploy"),
            ("make sure that it works", ""),
            ("cargo test -p core --release", "target:cargo -p core"),
            ("cargo xtask ci", "target:cargo xtask"),
            (
                "CI=1 ./scripts/check.sh --fast",
                "path:./scripts/check.sh flag:--fast",
            ),
            ("git push --force-with-lease", ""),
            (
                "docker compose -f infra/compose.yml up",
                "path:infra/compose.yml",
            ),
            (
                "pytest tests/test_api.py::test_login",
                "path:tests/test_api.py",
            ),
            (
                "harbour-cli sync --all-tenants",
                "command:harbour-cli flag:--all-tenants",
            ),
            ("let x = 5", ""),
            ("", ""),
        ] {
            let shown: Vec<String> = claims(line)
                .iter()
                .map(|(text, kind, _)| format!("{kind}:{text}"))
                .collect();
            assert_eq!(shown.join(" "), expected, "{line}");
        }
    }
}
