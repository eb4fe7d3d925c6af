//! Findings as one SARIF 2.1.0 document (OASIS standard of 27 March 2020), which code hosts take.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use memstrata::secret_scan::{Finding, Level, RuleInfo, Ruleset};
use serde_json::{Value, json};

use super::Scanned;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the document. `problems` are the inputs that could not be looked at.
pub(super) fn write(
    out: &mut dyn Write,
    scanned: &[Scanned],
    problems: &[String],
    ruleset: &Ruleset,
) -> io::Result<()> {
    let rules: Vec<Value> = ruleset
        .rules()
        .iter()
        .map(|rule| descriptor(rule))
        .collect();
    let indexes: HashMap<&str, usize> = ruleset
        .rules()
        .iter()
        .map(|rule| rule.id())
        .zip(0..)
        .collect();
    let results = scanned.iter().flat_map(|input| {
        let uri = uri(&input.path);
        let indexes = &indexes;
        input
            .findings
            .iter()
            .map(move |finding| result(finding, indexes.get(finding.rule()).copied(), &uri))
    });
    let notifications: Vec<Value> = problems
        .iter()
        .map(|problem| json!({"level": "error", "message": {"text": problem}}))
        .collect();
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
            "invocations": [{
                "executionSuccessful": problems.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<Value>>(),
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn descriptor(rule: &RuleInfo) -> Value {
    json!({
        "id": rule.id(),
        "shortDescription": {"text": rule.labels().collect::<Vec<_>>().join(", ")},
        "fullDescription": {"text": rule.description()},
        "defaultConfiguration": {"level": level(rule.level())},
    })
}

fn result(finding: &Finding, rule_index: Option<usize>, uri: &str) -> Value {
    let mut result = json!({
        "ruleId": finding.rule(),
        "level": level(finding.level()),
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {
                "startLine": finding.line(),
                "startColumn": finding.column(),
                "endLine": finding.end_line(),
                "endColumn": finding.end_column(),
            },
        }}],
    });
    if let Some(index) = rule_index {
        result["ruleIndex"] = index.into();
    }
    result
}

fn message(finding: &Finding) -> String {
    match finding.level() {
        Level::Advisory => format!("{}; if it is a credential, revoke it", finding.label()),
        _ => format!("{} found; revoke it, then remove it", finding.label()),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Advisory => "note",
        _ => "error",
    }
}

/// Returns a path as a URI reference (RFC 3986): forward slashes, other bytes percent-encoded.
fn uri(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for &byte in &*bytes(path) {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A name is bytes, and need not be UTF-8.
#[cfg(unix)]
fn bytes(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

#[cfg(not(unix))]
fn bytes(path: &Path) -> std::borrow::Cow<'_, [u8]> {
    path.to_string_lossy()
        .replace('\\', "/")
        .into_bytes()
        .into()
}
