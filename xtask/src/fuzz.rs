//! Builds and runs fuzz targets on the stable tool chain.
//!
//! libFuzzer comes with the `libfuzzer-sys` crate. The coverage feedback it needs is a set of plain
//! LLVM options, so no nightly compiler and no further tool is required; address sanitising is left
//! out because the workspace forbids `unsafe`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{cargo, output, root, run};

const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks --cfg fuzzing";

const DEFAULT_SECONDS: u64 = 60;

/// One fuzz package and the names of its targets.
struct Package {
    name: String,
    folder: PathBuf,
    targets: Vec<String>,
}

pub(crate) fn run_task(arguments: &[String]) -> Result<()> {
    let Some((first, rest)) = arguments.split_first() else {
        bail!("name a crate, for example `cargo xtask fuzz pathguard --seconds 60`");
    };
    if first == "--build" {
        return build_all();
    }
    let mut seconds = DEFAULT_SECONDS;
    let mut wanted = Vec::new();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if word == "--seconds" {
            let value = rest.next().context("--seconds needs a number")?;
            seconds = value
                .parse()
                .with_context(|| format!("`{value}` is no number of seconds"))?;
        } else {
            wanted.push(word.clone());
        }
    }
    let packages = packages()?;
    let package = packages
        .iter()
        .find(|package| package.name == format!("{first}-fuzz") || package.name == *first)
        .with_context(|| format!("no crate `{first}` with fuzz targets"))?;
    for target in &package.targets {
        if wanted.is_empty() || wanted.contains(target) {
            run_target(package, target, seconds)?;
        }
    }
    Ok(())
}

/// Builds every target without coverage feedback: the gate proves that they compile and link.
pub(crate) fn build_all() -> Result<()> {
    let mut command = cargo(&["build", "--quiet", "--bins"]);
    for package in packages()? {
        command.args(["-p", &package.name]);
    }
    run(&mut command)
}

fn run_target(package: &Package, target: &str, seconds: u64) -> Result<()> {
    // Seeds and found inputs are read; what the run adds goes to a folder that git ignores.
    let corpus = package.folder.join("corpus").join(target);
    let found = package.folder.join("found").join(target);
    for folder in [&corpus, &found] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let seeds = package.folder.join("seeds").join(target);
    eprintln!("== {target}: {seconds} s");
    let mut command = cargo(&[
        "run",
        "--quiet",
        "--release",
        "-p",
        &package.name,
        "--bin",
        target,
    ]);
    command
        // An own target folder: other flags would otherwise rebuild the workspace each time.
        .env("CARGO_TARGET_DIR", root().join("target/fuzz"))
        .env("RUSTFLAGS", COVERAGE)
        .env("CARGO_BUILD_TARGET", host_triple()?)
        .arg("--")
        .arg(&corpus)
        .args([&seeds, &found].iter().filter(|folder| folder.is_dir()))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args([
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-verbosity=0",
        ]);
    let ended = run(&mut command);
    // An empty folder would only be noise in the tree.
    let _ = std::fs::remove_dir(&found);
    ended
}

/// Flags for the host must name a target, or cargo applies them to build scripts and macros too.
fn host_triple() -> Result<String> {
    let text = output(std::process::Command::new("rustc").arg("-vV"))?;
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("`rustc -vV` names no host")
}

fn packages() -> Result<Vec<Package>> {
    let text = output(&mut cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
    ]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        if !name.ends_with("-fuzz") {
            continue;
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let targets = package["targets"].as_array().into_iter().flatten();
        found.push(Package {
            name: name.to_owned(),
            folder: manifest.parent().unwrap_or(manifest).to_owned(),
            targets: targets
                .filter(|target| target["kind"][0] == "bin")
                .filter_map(|target| target["name"].as_str().map(str::to_owned))
                .collect(),
        });
    }
    Ok(found)
}
