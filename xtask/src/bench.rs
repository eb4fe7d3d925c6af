//! Benches and quality tables: thin starters for what lives in the crates themselves.

use anyhow::{Result, bail};

use crate::process::{cargo, run};

/// The quality tables: name, package, example, features.
const EVALS: &[(&str, &str, &str, &str)] = &[
    ("tokens", "token-count", "eval_tokens", "bpe"),
    ("recall", "memdir-recall", "eval_recall", ""),
    ("extract", "memdir-extract", "eval_extract", ""),
];

/// Runs the criterion benches of one crate, or of all.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--all-features"]);
    match arguments.split_first() {
        None => {}
        Some((package, filter)) => {
            command
                .args(["-p", package, "--benches", "--"])
                .args(filter);
        }
    }
    run(&mut command)
}

/// Real clients and servers on a network that fails.
pub(crate) fn chaos(arguments: &[String]) -> Result<()> {
    let package = ["--package", "memstrata-server"];
    // The programs the runs start lie beside their own.
    run(cargo(&["build", "--quiet", "--bins", "--examples"]).args(package))?;
    let mut command = cargo(&["run", "--quiet", "--example", "chaos"]);
    run(command.args(package).arg("--").args(arguments))
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
