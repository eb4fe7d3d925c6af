//! The official Python SDK as an independent client.
//!
//! Which Python has it: `MEMSTRATA_TEST_MCP_PYTHON`, else `python3` when it can import `mcp`. The gate installs
//! it into `target/mcp-client` where a package registry can be reached.

use std::process::Command;

use crate::harness::Home;

/// The interpreter that has the SDK.
fn python() -> Option<String> {
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/mcp-client/bin/python"
    );
    let named = std::env::var("MEMSTRATA_TEST_MCP_PYTHON").ok();
    let candidates = named
        .into_iter()
        .chain([root.to_owned(), "python3".to_owned()]);
    let mut candidates = candidates.filter(|python| {
        let import = Command::new(python)
            .args(["-c", "from mcp import Client"])
            .output();
        import.is_ok_and(|output| output.status.success())
    });
    candidates.next()
}

#[test]
fn the_official_python_client_lists_calls_and_reads_in_every_mode() {
    let Some(python) = python() else {
        eprintln!(
            "MISSING: no Python with the package `mcp` (2.x); the independent client did not run. Set \
             MEMSTRATA_TEST_MCP_PYTHON, or let `.ci/run` install it."
        );
        return;
    };
    let credential = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
    for mode in ["legacy", "auto", "2026-07-28"] {
        let home = Home::new();
        let output = Command::new(&python)
            .args([script, env!("CARGO_BIN_EXE_memstrata"), mode])
            .current_dir(home.project())
            .env("HOME", home.path())
            .env("USERPROFILE", home.path())
            .env("TEST_CREDENTIAL", &credential)
            .output()
            .expect("the interpreter starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{mode}:\n{said}\n{errors}");
        assert!(said.contains("all done"), "{mode}:\n{said}\n{errors}");
    }
}
