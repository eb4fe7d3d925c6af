//! Development tasks of the memstrata workspace: `cargo xtask ci|tidy|fuzz|bench|eval|postgres|properties|reference|demo`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks"
)]

use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod ci;
mod demo;
mod fuzz;
mod hook_bench;
mod postgres;
mod process;
mod properties;
mod reference;
mod tidy;

const HELP: &str = "\
Development tasks. Usage: cargo xtask TASK [ARGUMENT]...

  ci                         everything the gate checks, in its order; ends with the test runners' lines
  tidy                       layers, manifests, file rules
  fuzz CRATE [--seconds N] [TARGET]...
                             run the fuzz targets of a crate with coverage feedback (default 60 s each)
  fuzz --build               build all fuzz targets, as the gate does
  bench [CRATE] [FILTER]     criterion benches, each beside its baseline
  bench hook                 what a hook costs as a whole process, beside empty programs
  chaos [--store sqlite|postgres] [--runs N] [--seconds S] [--seed N]
                             real clients and servers on a network that fails, killed at random
  eval tokens|recall|extract quality tables
  postgres [--durable] -- COMMAND...
                             run a command with a fresh PostgreSQL server, its address in the variable
                             MEMSTRATA_TEST_POSTGRES; --durable waits for the disk, as in production
  properties [--rounds N] [--cases N] [--seed N] [NEXTEST ARGUMENT]...
                             all tests on new random inputs, round after round (the gate repeats the same ones)
  reference                  write docs/REFERENCE.md from the program's own definitions
  demo                       run recorded sessions and a folder of notes through the program
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let Some((task, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    match task.as_str() {
        "ci" => ci::run_all(),
        "tidy" => tidy::run(),
        "fuzz" => fuzz::run_task(rest),
        "bench" if rest.first().is_some_and(|what| what == "hook") => hook_bench::run_task(),
        "bench" => bench::bench(rest),
        "chaos" => bench::chaos(rest),
        "eval" => bench::eval(rest),
        "postgres" => postgres::run_task(rest),
        "properties" => properties::run_task(rest),
        "reference" => reference::write(),
        "demo" => demo::run_demo(),
        "-h" | "--help" | "help" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("no task named `{other}`; `cargo xtask help` lists them"),
    }
}
