//! The two machines of `docs/TEAM.md`: every command of the page is run, and says what the page says.

use std::process::Stdio;

use crate::team::Machine;
use crate::team_server::Server;

const PAGE: &str = include_str!("../../docs/TEAM.md");

/// One command of the page, and what it says there.
struct Step {
    who: &'static str,
    command: &'static str,
    says: Vec<&'static str>,
}

fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in PAGE.lines() {
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            _ if !is_console => {}
            _ => {
                if let Some((who @ ("anna" | "ben"), command)) = line.split_once("$ ") {
                    let says = Vec::new();
                    steps.push(Step { who, command, says });
                } else {
                    steps
                        .last_mut()
                        .expect("a command comes first")
                        .says
                        .push(line);
                }
            }
        }
    }
    steps
}

/// What differs from one run to the next, as the page shows it.
fn as_on_the_page(text: &str, machine: &Machine, server: &Server) -> String {
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    let host = host.split('.').next().unwrap_or_default().to_owned();
    let home = machine.home.path().to_string_lossy().into_owned();
    let words = text
        .replace(&home, "~")
        .replace(&server.url, "http://127.0.0.1:8787")
        .replace(&format!(" on {host} "), " on laptop ");
    let words = copies(&words);
    // Lines of `list` have the time of this day.
    let today = |line: &str| match line.find("  20") {
        Some(at) if line.ends_with(" UTC") => format!("{}  2026-03-05 14:02 UTC", &line[..at]),
        _ => line.to_owned(),
    };
    words.lines().map(today).collect::<Vec<_>>().join("\n")
}

/// The names of conflict copies, without this machine and its checksums.
fn copies(text: &str) -> String {
    let mut parts = text.split(".conflict-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(".md").expect("a copy is a memory");
        let hash = name.rsplit('-').next().unwrap_or_default();
        assert_eq!(hash.len(), 8, "{name}");
        out.push_str(".conflict-laptop-HASH.md");
        out.push_str(rest);
    }
    match out.split_once(", met by ") {
        Some((before, after)) => {
            let rest = after.split_once('\n').map_or("", |(_, rest)| rest);
            format!("{before}, met by laptop\n{rest}")
        }
        None => out,
    }
}

#[cfg(unix)]
#[test]
fn the_two_machines_of_the_page_do_what_the_page_says() {
    let server = Server::start();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_memstrata"));
    let folder = program.parent().expect("a folder").display().to_string();
    let [anna, ben] = ["anna", "ben"].map(|name| {
        let mut machine = Machine::new(&server);
        let memory = machine.home.path().join("memory");
        machine.set("MEMSTRATA_MEMORY_DIR", &memory.to_string_lossy());
        machine.set("USER", name);
        let path = std::env::var("PATH").expect("a search path");
        machine.set("PATH", &format!("{folder}:{path}"));
        machine
    });
    let steps = steps();
    assert!(steps.len() > 20, "the page has an example");
    for step in steps {
        let machine = if step.who == "anna" { &anna } else { &ben };
        let output = machine
            .shell(&format!("{} 2>&1", step.command))
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let said = String::from_utf8(output.stdout).expect("text");
        let said = as_on_the_page(&said, machine, &server);
        let expected = step.says.join("\n");
        assert_eq!(said, expected, "{}$ {}", step.who, step.command);
    }
}
