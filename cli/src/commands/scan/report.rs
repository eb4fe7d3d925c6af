//! Findings as text for people and as JSON lines for programs.

use std::io::{self, Write};

use memstrata::secret_scan::{Finding, Level};
use serde::Serialize;

use super::Scanned;
use crate::terminal::{Speech, Style, clean};

/// One line of `--format json`. The shape is stable: docs/schemas/scan.json.
#[expect(clippy::struct_field_names, reason = "the names are the interface")]
#[derive(Serialize)]
struct Line<'a> {
    rule: &'a str,
    label: &'a str,
    level: &'a str,
    path: &'a str,
    line: u64,
    column: u64,
    end_line: u64,
    end_column: u64,
}

/// Writes one line per finding: where, which rule, in words.
pub(super) fn text(out: &mut dyn Write, scanned: &[Scanned], speech: Speech) -> io::Result<()> {
    for input in scanned {
        let shown = input.path.to_string_lossy();
        let shown = clean(&shown);
        for finding in &input.findings {
            writeln!(
                out,
                "{}:{}:{}  {}  {}",
                speech.paint(Style::Bold, &shown),
                finding.line(),
                finding.column(),
                speech.paint(Style::Red, finding.rule()),
                speech.paint(Style::Dim, finding.label()),
            )?;
        }
    }
    Ok(())
}

fn level(finding: &Finding) -> &'static str {
    match finding.level() {
        Level::Advisory => "advisory",
        _ => "secret",
    }
}

/// Writes one object per finding.
pub(super) fn json(out: &mut dyn Write, scanned: &[Scanned]) -> io::Result<()> {
    for input in scanned {
        let path = input.path.to_string_lossy();
        for finding in &input.findings {
            let line = Line {
                rule: finding.rule(),
                label: finding.label(),
                level: level(finding),
                path: &path,
                line: finding.line(),
                column: finding.column(),
                end_line: finding.end_line(),
                end_column: finding.end_column(),
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
