//! What commands print: listings, logs, differences.

use std::fmt::Write as _;
use std::fs;

use super::random::{NAMES, Random};
use super::written;

fn path(random: &mut Random) -> String {
    let folder = random.pick(&[
        "src",
        "lib",
        "tests",
        "docs/guide",
        "packages/core/src",
        "target/debug/deps",
        ".github/workflows",
    ]);
    let end = random.pick(&["rs", "ts", "py", "md", "json", "toml", "yml", "d", "png"]);
    let name = match random.below(3) {
        0 => random.noun().to_owned(),
        1 => random.compound("_"),
        _ => random.compound("-"),
    };
    format!("{folder}/{name}.{end}")
}

pub(crate) fn listing(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    if shape == 0 || shape == 4 {
        out.push_str("total 412\n");
    }
    for _ in 0..90 {
        let path = path(random);
        let name = path.rsplit('/').next().unwrap_or_default();
        let (day, hour, minute) = (1 + random.below(28), random.below(24), random.below(60));
        let line = match shape {
            0 => format!(
                "-rw-r--r--  1 amara staff {:>7} Mar {day:>2} {hour:02}:{minute:02} {name}",
                random.below(900_000)
            ),
            1 => format!("./{path}"),
            2 => format!("{}── {name}", random.pick(&["├", "│   ├", "│   │   └"])),
            3 => format!("{}\t{path}", random.pick(&["M", "A", "??", "D", "R100"])),
            4 => format!(
                "drwxr-xr-x 4 root root 4.0K Nov {day:>2}  2025 {}",
                random.noun()
            ),
            5 => format!(
                "{}{}\t/var/lib/{path}",
                random.below(900),
                random.pick(&["K", "M", "G"])
            ),
            6 => format!(
                "2026-{:02}-{day:02}  {hour:02}:{minute:02}    <DIR>          {name}",
                1 + random.below(12)
            ),
            _ => format!(
                "{}-{}.so.{}: ELF 64-bit LSB shared object, x86-64, dynamically linked",
                name.trim_end_matches(".md"),
                random.hex(16),
                random.below(9)
            ),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

pub(crate) fn log(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    for _ in 0..60 {
        let level = random.pick(&["INFO", "WARN", "DEBUG", "ERROR"]);
        let address = format!(
            "10.{}.{}.{}",
            random.below(256),
            random.below(256),
            random.below(256)
        );
        let line = match shape {
            0 => format!(
                "{}.{:03}Z {level:>5} {}::{}: {} finished in {}ms",
                random.timestamp(),
                random.below(1000),
                random.noun(),
                random.noun(),
                random.compound("_"),
                random.below(4_000)
            ),
            1 => format!(
                "{address} - - [{:02}/Mar/2026:{:02}:{:02}:{:02} +0000] \"GET /api/{}/{} HTTP/1.1\" {} {} \"-\" \"Mozilla/5.0 (X11; Linux x86_64)\"",
                1 + random.below(28),
                random.below(24),
                random.below(60),
                random.below(60),
                random.noun(),
                random.below(10_000),
                random.pick(&[200, 200, 304, 404, 500]),
                random.below(90_000)
            ),
            2 => format!(
                "test {}::{} ... {}",
                random.noun(),
                random.compound("_"),
                random.pick(&["ok", "ok", "ok", "FAILED"])
            ),
            3 => format!(
                "  File \"/srv/app/{}.py\", line {}, in {}\n    return self.{}({}, timeout={})",
                random.compound("/"),
                random.below(900),
                random.compound("_"),
                random.compound("_"),
                random.noun(),
                random.below(60)
            ),
            4 => format!(
                "   Compiling {} v{}.{}.{}",
                random.compound("-"),
                random.below(5),
                random.below(20),
                random.below(30)
            ),
            5 => format!(
                "Mar {:>2} {:02}:{:02}:{:02} web-{:02} sshd[{}]: Connection closed by {address} port {}",
                1 + random.below(28),
                random.below(24),
                random.below(60),
                random.below(60),
                random.below(20),
                random.below(60_000),
                random.below(60_000)
            ),
            6 => format!(
                "error[E0{}]: mismatched types\n   --> src/{}.rs:{}:{}\n    |\n{:>3} |     let {} = {}(&{});\n    |              ^^^^^^^^^ expected `&str`, found `usize`\n",
                random.below(700),
                random.compound("_"),
                random.below(700),
                random.below(80),
                random.below(700),
                random.noun(),
                random.compound("_"),
                random.noun()
            ),
            _ => format!(
                "level={} ts={} caller={}.go:{} msg=\"{} {}\" trace={}",
                level.to_lowercase(),
                1_760_000_000 + random.below(9_000_000),
                random.noun(),
                random.below(900),
                random.verb(),
                random.noun(),
                random.hex(16)
            ),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// A unified difference over the lines of a written program.
pub(crate) fn diff(shape: usize, random: &mut Random) -> String {
    let class = ["rust", "python", "typescript", "markdown"][shape / 2];
    let files = written(class);
    // Even shapes change even files, so that what is held back stays unseen.
    let file = &files[shape % 2 + 2 * random.below(2)];
    let text = fs::read_to_string(file).expect("a text of testdata can be read");
    let lines: Vec<&str> = text.lines().collect();
    let path = path(random);
    let mut out = format!(
        "diff --git a/{path} b/{path}\nindex {}..{} 100644\n--- a/{path}\n+++ b/{path}\n",
        random.hex(7),
        random.hex(7)
    );
    let mut at = 0;
    while at < lines.len() {
        let end = (at + 6 + random.below(6)).min(lines.len());
        writeln!(
            out,
            "@@ -{},{} +{},{} @@ {}",
            at + 1,
            end - at,
            at + 1 + random.below(4),
            end - at,
            lines[at].trim()
        )
        .expect("writing to a String succeeds");
        for line in &lines[at..end] {
            match random.below(6) {
                0 => {
                    let (old, new) = (random.noun(), random.noun());
                    writeln!(out, "-{line}\n+{}", line.replace(old, new))
                        .expect("writing to a String succeeds");
                }
                1 => writeln!(out, "+{line} // {}", random.pick(&NAMES))
                    .expect("writing to a String succeeds"),
                2 => writeln!(out, "-{line}").expect("writing to a String succeeds"),
                _ => writeln!(out, " {line}").expect("writing to a String succeeds"),
            }
        }
        at = end + random.below(3);
    }
    out
}
