//! Rules that no compiler checks: which crate may use which, what a manifest holds, what a file may say.

use anyhow::{Result, bail};

use crate::process::{cargo, output};

mod layers;
mod links;
mod manifests;
mod readmes;
mod sources;

/// Runs all rules and lists every violation, not only the first.
pub(crate) fn run() -> Result<()> {
    // With all features, so that a forbidden dependency behind one shows too.
    let text = output(&mut cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--all-features",
    ]))?;
    let everywhere: serde_json::Value = serde_json::from_str(&text)?;
    let mut violations = layers::check(&everywhere);
    violations.extend(layers::check_runtimes()?);
    violations.extend(layers::check_small_tree()?);
    violations.extend(manifests::check(&everywhere)?);
    violations.extend(sources::check()?);
    violations.extend(readmes::check()?);
    violations.extend(links::check()?);
    if violations.is_empty() {
        return Ok(());
    }
    for violation in &violations {
        eprintln!("tidy: {violation}");
    }
    bail!("{} rules broken", violations.len());
}
