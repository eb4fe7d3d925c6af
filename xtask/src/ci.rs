//! The gate: every check in its order, with the time each one took.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::postgres::{Commits, run_with_server};
use crate::process::{cargo, run};
use crate::properties::repeatable;
use crate::{fuzz, tidy};

/// One named check.
type Step = (&'static str, fn() -> Result<()>);

/// Cheap checks first, so that a slip shows early; the test runners last, so that their own summary
/// lines close the output.
const STEPS: &[Step] = &[
    ("format", || run(&mut cargo(&["fmt", "--all", "--check"]))),
    ("tidy", tidy::run),
    ("clippy", || {
        run(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ]))
    }),
    ("facade without features", || {
        run(&mut cargo(&[
            "check",
            "--quiet",
            "-p",
            "memstrata",
            "--no-default-features",
        ]))
    }),
    ("documentation", || {
        run(cargo(&[
            "doc",
            "--workspace",
            "--no-deps",
            "--all-features",
            "--quiet",
        ])
        .env("RUSTDOCFLAGS", "-D warnings"))
    }),
    ("fuzz targets", fuzz::build_all),
    // The dev profile: the gate proves that benches build, figures come from `cargo xtask bench`.
    ("benches", || {
        run(&mut cargo(&[
            "build",
            "--benches",
            "--all-features",
            "--quiet",
        ]))
    }),
    ("tests", || {
        let mut tests = cargo(&["nextest", "run", "--all-features", "--no-fail-fast"]);
        run_with_server(repeatable(&mut tests), Commits::Quick)
    }),
    ("documentation tests", || {
        run(&mut cargo(&["test", "--doc", "--all-features", "--quiet"]))
    }),
];

/// Runs all steps and stops at the first that fails.
pub(crate) fn run_all() -> Result<()> {
    let begin = Instant::now();
    for (name, step) in STEPS {
        eprintln!("== {name}");
        let step_begin = Instant::now();
        step().with_context(|| format!("the check `{name}` failed"))?;
        eprintln!(
            "== {name}: done in {:.0} s",
            step_begin.elapsed().as_secs_f64()
        );
    }
    eprintln!(
        "== all {} checks done in {:.0} s",
        STEPS.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}
