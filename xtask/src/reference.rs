//! `docs/REFERENCE.md`, written by the program from the definitions it parses its command line with.

use anyhow::Result;

use crate::process::{cargo, output, root};

/// Writes the file. A test of the program fails when it no longer fits.
pub(crate) fn write() -> Result<()> {
    let schemas = root().join("docs").join("schemas");
    let text =
        output(cargo(&["run", "--quiet", "-p", "memstrata-cli", "--", "reference"]).arg(schemas))?;
    let path = root().join("docs").join("REFERENCE.md");
    std::fs::write(&path, text)?;
    eprintln!("wrote {}", path.display());
    Ok(())
}
