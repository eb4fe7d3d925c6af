//! The edges between crates: those of the table, and no others.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::Value;

use crate::process::{cargo, output};

const PATHGUARD: &str = "pathguard";
const SECRET_SCAN: &str = "secret-scan";
const TOKEN_COUNT: &str = "token-count";
const MEMDIR: &str = "memdir";
const RECALL: &str = "memdir-recall";
const MODEL: &str = "agent-model";
const TRANSCRIPT: &str = "agent-transcript";
const FORKED_AGENT: &str = "forked-agent";
const EXTRACT: &str = "memdir-extract";
const SESSION_MEMORY: &str = "session-memory";
const TEAM_SYNC: &str = "team-sync";
const TEAM_SERVER: &str = "memstrata-server";
const FACADE: &str = "memstrata";
const CLI: &str = "memstrata-cli";
const XTASK: &str = "xtask";
const TEST_SUPPORT: &str = "test-support";

/// Which member may use which, as normal or build dependency; dev-dependencies are free.
const EDGES: &[(&str, &[&str])] = &[
    (PATHGUARD, &[]),
    (SECRET_SCAN, &[]),
    (TOKEN_COUNT, &[]),
    (MEMDIR, &[PATHGUARD, SECRET_SCAN, TOKEN_COUNT]),
    (RECALL, &[MEMDIR, PATHGUARD, SECRET_SCAN, TOKEN_COUNT]),
    (MODEL, &[TOKEN_COUNT]),
    (TRANSCRIPT, &[MODEL]),
    (FORKED_AGENT, &[MODEL, PATHGUARD, SECRET_SCAN, TOKEN_COUNT]),
    (
        EXTRACT,
        &[
            MEMDIR,
            FORKED_AGENT,
            MODEL,
            TRANSCRIPT,
            PATHGUARD,
            SECRET_SCAN,
            TOKEN_COUNT,
        ],
    ),
    (
        SESSION_MEMORY,
        &[MEMDIR, FORKED_AGENT, MODEL, TRANSCRIPT, TOKEN_COUNT],
    ),
    (TEAM_SYNC, &[MEMDIR, PATHGUARD, SECRET_SCAN]),
    (TEAM_SERVER, &[TEAM_SYNC, PATHGUARD, SECRET_SCAN]),
    (
        FACADE,
        &[
            PATHGUARD,
            SECRET_SCAN,
            TOKEN_COUNT,
            MEMDIR,
            RECALL,
            MODEL,
            TRANSCRIPT,
            FORKED_AGENT,
            EXTRACT,
            SESSION_MEMORY,
            TEAM_SYNC,
        ],
    ),
    (CLI, &[FACADE]),
    (XTASK, &[]),
    // Tests only: an edge to it from any row above is none of the table.
    (TEST_SUPPORT, &[]),
];

/// Members whose whole closure stays free of a runtime and of the network.
const NO_RUNTIME: &[&str] = &[
    PATHGUARD,
    SECRET_SCAN,
    TOKEN_COUNT,
    MEMDIR,
    RECALL,
    TRANSCRIPT,
];
const RUNTIMES: &[&str] = &[
    "tokio",
    "reqwest",
    "hyper",
    "async-std",
    "ureq",
    "rustls",
    "openssl",
];

/// The bottom crate promises a small tree on Unix; `pathguard` itself is not counted.
const PATHGUARD_MOST_CRATES: usize = 6;

/// Returns a sentence when the bottom crate has grown too many dependencies.
///
/// `cargo tree` is asked because the resolved graph of `cargo metadata` mixes in what only tests use.
pub(super) fn check_small_tree() -> Result<Option<String>> {
    let text = output(&mut cargo(&[
        "tree",
        "-p",
        PATHGUARD,
        "-e",
        "normal,build",
        "--prefix",
        "none",
        "--target",
        "x86_64-unknown-linux-gnu",
    ]))?;
    let tree: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let below = tree.len() - 1;
    Ok((below > PATHGUARD_MOST_CRATES).then(|| {
        format!("pathguard has {below} crates below it, at most {PATHGUARD_MOST_CRATES} are agreed")
    }))
}

/// Returns a sentence for each edge that the table does not have.
pub(super) fn check(metadata: &Value) -> Vec<String> {
    let mut violations = Vec::new();
    let members = members(metadata);
    for (name, uses) in &members {
        // A fuzz package builds its inputs from what the fuzzed crate may use, too.
        let fuzzed = name
            .strip_suffix("-fuzz")
            .filter(|fuzzed| members.contains_key(*fuzzed));
        let layer = fuzzed.unwrap_or(name);
        let Some((_, allowed)) = EDGES.iter().find(|(from, _)| *from == layer) else {
            violations.push(format!("package {name} is not in the table of layers"));
            continue;
        };
        let is_allowed = |used: &str| allowed.contains(&used) || fuzzed == Some(used);
        violations.extend(
            uses.iter()
                .filter(|used| members.contains_key(*used) && !is_allowed(used))
                .map(|used| format!("{name} may not use {used}")),
        );
    }
    violations
}

/// Returns each member with the names of its direct normal and build dependencies.
fn members(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let ids: BTreeSet<&str> = strings(&metadata["workspace_members"]).collect();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["id"].as_str().is_some_and(|id| ids.contains(id)))
        .map(|package| {
            let uses = package["dependencies"].as_array().into_iter().flatten();
            let uses = uses
                .filter(|dependency| dependency["kind"] != "dev")
                .filter_map(|dependency| dependency["name"].as_str().map(str::to_owned))
                .collect();
            (
                package["name"].as_str().unwrap_or_default().to_owned(),
                uses,
            )
        })
        .collect()
}

/// Returns a sentence for each runtime below a member that must stay free of them.
///
/// `cargo tree` is asked because `cargo metadata --all-features` would switch on the back ends of `model`
/// for everybody: what counts is what the member itself switches on.
pub(super) fn check_runtimes() -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let members = output(&mut cargo(&[
        "tree",
        "--workspace",
        "--depth",
        "0",
        "--prefix",
        "none",
    ]))?;
    for name in NO_RUNTIME {
        let is_member = members
            .lines()
            .any(|line| line.split(' ').next() == Some(name));
        if !is_member {
            continue;
        }
        let text = output(&mut cargo(&[
            "tree",
            "-p",
            name,
            "--all-features",
            "-e",
            "normal,build",
            "--target",
            "all",
            "--prefix",
            "none",
        ]))?;
        let below: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        let found = RUNTIMES.iter().filter(|runtime| below.contains(*runtime));
        violations.extend(found.map(|runtime| format!("{name} must stay free of {runtime}")));
    }
    Ok(violations)
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
