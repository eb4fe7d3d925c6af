//! The first thing a newcomer sees: a folder of notes is assembled and scanned with the program.
//!
//! The notes stand in `testdata/scan-demo` with their credentials taken apart (`{{a+b}}`), because a
//! repository that warns about leaked secrets must not hold any, not even invented ones. They are put
//! together below `target/`, which git ignores.

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root, run};

/// Assembles the notes and shows what the program finds in them.
pub(crate) fn run_demo() -> Result<()> {
    let from = root().join("testdata/scan-demo");
    let to = root().join("target/scan-demo");
    std::fs::create_dir_all(&to)?;
    let entries =
        std::fs::read_dir(&from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let text = std::fs::read_to_string(entry.path())?;
        std::fs::write(to.join(entry.file_name()), assemble(&text))?;
    }
    run(&mut cargo(&[
        "build",
        "--release",
        "--quiet",
        "-p",
        "memstrata-cli",
    ]))?;
    let program = root()
        .join("target/release")
        .join(format!("memstrata{}", std::env::consts::EXE_SUFFIX));
    let status = std::process::Command::new(program)
        .current_dir(root())
        .args(["scan", "target/scan-demo"])
        .status()?;
    // 1 is the program's word for "looked and found something", which is what the demo is about.
    match status.code() {
        Some(1) => Ok(()),
        Some(0) => bail!("the scan of the sample notes found nothing"),
        _ => bail!("the scan ended with {status}"),
    }
}

/// Joins each `{{part+part}}` of a text.
fn assemble(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((parts, behind)) = after.split_once("}}") else {
            break;
        };
        out.push_str(before);
        out.extend(parts.split('+'));
        rest = behind;
    }
    out.push_str(rest);
    out
}
