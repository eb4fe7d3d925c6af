//! Findings as one SARIF 2.1.0 document (OASIS standard of 27 March 2020), which code hosts take.

use std::io::{self, Write};
use std::path::Path;

use memstrata::secret_scan::Ruleset;
use serde_json::{Value, json};

use super::Scanned;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the document.
pub(super) fn write(out: &mut dyn Write, scanned: &[Scanned], ruleset: &Ruleset) -> io::Result<()> {
    let rules: Vec<Value> = ruleset
        .rules()
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "shortDescription": {"text": rule.labels().collect::<Vec<_>>().join(", ")},
                "fullDescription": {"text": rule.description()},
            })
        })
        .collect();
    let results = scanned.iter().flat_map(|input| {
        input.findings.iter().map(|finding| {
        json!({
            "ruleId": finding.rule(),
            "level": "error",
            "message": {"text": format!("{} found; revoke it, then remove it", finding.label())},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(&input.path)},
                "region": {
                    "startLine": finding.line(),
                    "startColumn": finding.column(),
                    "endLine": finding.end_line(),
                    "endColumn": finding.end_column(),
                },
            }}],
        })
    })
    });
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "memstrata",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<Value>>(),
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Returns a path as a URI reference (RFC 3986): forward slashes, other bytes percent-encoded.
fn uri(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
