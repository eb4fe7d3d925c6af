//! Benches and quality tables: thin starters for what lives in the crates themselves.

use anyhow::{Result, bail};

use crate::postgres::{Commits, run_with_server};
use crate::process::{cargo, run};

/// The package of the server, which some tasks start a database for.
const SERVER: &str = "memstrata-server";

/// Folders whose package has another name.
const PACKAGES: &[(&str, &str)] = &[
    ("team-server", SERVER),
    ("model", "agent-model"),
    ("transcript", "agent-transcript"),
    ("recall", "memdir-recall"),
    ("extract", "memdir-extract"),
];

/// The quality tables: name, package, example, features.
const EVALS: &[(&str, &str, &str, &str)] = &[
    ("tokens", "token-count", "eval_tokens", "bpe"),
    ("recall", "memdir-recall", "eval_recall", ""),
    ("extract", "memdir-extract", "eval_extract", ""),
];

/// Runs the criterion benches of one crate, or of all.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--all-features"]);
    let Some((name, filter)) = arguments.split_first() else {
        return run_with_server(&mut command, Commits::Durable);
    };
    let package = PACKAGES
        .iter()
        .find(|one| one.0 == name)
        .map_or(name.as_str(), |one| one.1);
    command
        .args(["-p", package, "--benches", "--"])
        .args(filter);
    if package == SERVER {
        // Its figures are of commits that wait for the disk.
        return run_with_server(&mut command, Commits::Durable);
    }
    run(&mut command)
}

/// Real clients and servers on a network that fails.
pub(crate) fn chaos(arguments: &[String]) -> Result<()> {
    let package = ["--package", SERVER];
    // The programs the runs start lie beside their own.
    run(cargo(&["build", "--quiet", "--bins", "--examples"]).args(package))?;
    let mut command = cargo(&["run", "--quiet", "--example", "chaos"]);
    command.args(package).arg("--").args(arguments);
    if arguments.iter().any(|one| one.contains("postgres")) {
        // What is killed is our own program, never the database.
        return run_with_server(&mut command, Commits::Quick);
    }
    run(&mut command)
}

/// Prints one quality table.
pub(crate) fn eval(arguments: &[String]) -> Result<()> {
    let names: Vec<&str> = EVALS.iter().map(|eval| eval.0).collect();
    let Some(wanted) = arguments.first() else {
        bail!("name a table: {}", names.join(", "));
    };
    let Some((_, package, example, features)) = EVALS.iter().find(|eval| eval.0 == wanted) else {
        bail!("no table named `{wanted}`; there are {}", names.join(", "));
    };
    run(&mut cargo(&[
        "run",
        "--quiet",
        "--release",
        "-p",
        package,
        "--features",
        features,
        "--example",
        example,
    ]))
}
