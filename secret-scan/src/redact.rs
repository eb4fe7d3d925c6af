//! Replaces credentials by labels.

use std::fmt;

use crate::finding::{Finding, Level, Wide};
use crate::scanner::Scanner;

/// Passes after which redaction stops. Taking a credential out may bring another one to light, as
/// where two were written without a space; a text needs more passes than a few only if it was
/// made for that.
const MOST_PASSES: usize = 16;

/// A text without the credentials that were in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Redacted {
    text: String,
    findings: Vec<Finding>,
}

impl Redacted {
    /// The text with `[redacted:RULE]` in place of every credential.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as an owned string.
    pub fn into_text(self) -> String {
        self.text
    }

    /// What was replaced, in offsets of the text before.
    ///
    /// Where a replacement brought another credential to light, that one was replaced too, but is
    /// not listed.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Writes the number of findings and the length of the text, not the text.
impl fmt::Debug for Redacted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Redacted")
            .field("bytes", &self.text.len())
            .field("findings", &self.findings)
            .finish()
    }
}

pub(crate) fn redact(scanner: &Scanner, input: &str) -> Redacted {
    let (bytes, findings) = redact_bytes(scanner, input.as_bytes());
    Redacted {
        text: String::from_utf8(bytes).expect(
            "valid UTF-8, because ranges of valid UTF-8 end at character boundaries and labels are \
             ASCII",
        ),
        findings,
    }
}

/// The redacted bytes, and what the first pass found.
pub(crate) fn redact_bytes(scanner: &Scanner, input: &[u8]) -> (Vec<u8>, Vec<Finding>) {
    let findings = secrets(scanner, input);
    let mut output = replace(input, &findings);
    if findings.is_empty() {
        return (output, findings);
    }
    for _ in 1..MOST_PASSES {
        let more = secrets(scanner, &output);
        if more.is_empty() {
            break;
        }
        output = replace(&output, &more);
    }
    (output, findings)
}

fn secrets(scanner: &Scanner, input: &[u8]) -> Vec<Finding> {
    let mut findings = scanner.scan(input);
    findings.retain(|finding| finding.level() == Level::Secret);
    findings
}

fn replace(input: &[u8], findings: &[Finding]) -> Vec<u8> {
    let mut output = Vec::with_capacity(input.len());
    let mut copied = 0;
    for finding in findings {
        output.extend_from_slice(&input[copied..finding.range.start]);
        write_label(&mut output, finding);
        copied = finding.range.end;
    }
    output.extend_from_slice(&input[copied..]);
    output
}

fn write_label(output: &mut Vec<u8>, finding: &Finding) {
    let label = ["[redacted:", finding.rule(), "]"].concat();
    match finding.wide {
        None => output.extend_from_slice(label.as_bytes()),
        Some(Wide::LittleEndian) => output.extend(label.bytes().flat_map(|byte| [byte, 0])),
        Some(Wide::BigEndian) => output.extend(label.bytes().flat_map(|byte| [0, byte])),
    }
}
