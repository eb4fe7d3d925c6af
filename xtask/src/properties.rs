//! Runs the tests again and again, the random ones on new inputs each time.
//!
//! The gate gives every property the same inputs on every run: whether a change passes must not depend on luck.
//! The search for inputs nobody thought of happens here. What it finds becomes a test of its own.

use std::hash::{BuildHasher, RandomState};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::postgres::{Commits, run_with_server};
use crate::process::cargo;

/// The variable by which proptest takes its seed.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The variable by which proptest takes the number of inputs, for every property alike: those that start programs
/// have few on purpose, so that it is set only when asked for.
const CASES: &str = "PROPTEST_CASES";

const USAGE: &str =
    "usage: cargo xtask properties [--rounds N] [--cases N] [--seed N] [NEXTEST ARGUMENT]...";

/// Gives the tests of a command the inputs of the gate, unless the caller has chosen others.
pub(crate) fn repeatable(tests: &mut Command) -> &mut Command {
    if std::env::var_os(SEED).is_none() {
        tests.env(SEED, "0");
    }
    tests
}

/// Runs the rounds and stops at the first that fails.
pub(crate) fn run_task(arguments: &[String]) -> Result<()> {
    let mut rest = arguments;
    let (mut rounds, mut cases, mut first_seed) = (10, None, None);
    while let [name, value, after @ ..] = rest {
        match name.as_str() {
            "--rounds" => rounds = value.parse().context(USAGE)?,
            "--cases" => cases = Some(value.parse::<u32>().context(USAGE)?),
            "--seed" => first_seed = Some(value.parse().context(USAGE)?),
            _ => break,
        }
        rest = after;
    }
    if let [name] = rest
        && matches!(name.as_str(), "--rounds" | "--cases" | "--seed")
    {
        bail!(USAGE);
    }
    let first_seed = first_seed.unwrap_or_else(|| RandomState::new().hash_one(()) >> 32);
    for seed in (first_seed..).take(rounds) {
        eprintln!("== seed {seed}");
        let mut tests = cargo(&["nextest", "run", "--all-features", "--status-level", "fail"]);
        tests.args(rest).env(SEED, seed.to_string());
        if let Some(cases) = cases {
            tests.env(CASES, cases.to_string());
        }
        run_with_server(&mut tests, Commits::Quick).with_context(|| {
            format!(
                "to see it again: cargo xtask properties --rounds 1 --seed {seed}, with --cases as now"
            )
        })?;
    }
    Ok(())
}
