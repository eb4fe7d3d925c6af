//! Bodies of the fuzz targets, which a test on stable replays over seeds and found inputs.
//!
//! Every input is expanded first: some control bytes stand for a whole token or for a long run of
//! bytes, so that inputs stay small, windows are crossed, and no seed holds anything that looks
//! like a credential.

use std::sync::LazyLock;

use secret_scan::{AllowKey, AllowList, Finding, Level, Ruleset, Scanner, Views};

/// Followed by a number: that example of the extended rules.
const TOKEN: u8 = 1;
/// Followed by a number: the byte before, that many times 512.
const REPEAT: u8 = 2;
/// No expanded input is longer.
const MOST_BYTES: usize = 512 * 1024;

static EXAMPLES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let extended = Ruleset::extended();
    let rules = extended.rules().iter();
    rules.flat_map(|rule| rule.examples()).collect()
});

static SCANNERS: LazyLock<[Scanner; 3]> = LazyLock::new(|| {
    [
        Scanner::standard().clone(),
        Scanner::standard().clone().with_views(Views::Off),
        Scanner::new(&Ruleset::extended()),
    ]
});

fn expand(data: &[u8]) -> Vec<u8> {
    let examples = &*EXAMPLES;
    let mut input: Vec<u8> = Vec::new();
    let mut data = data.iter();
    while let Some(&byte) = data.next() {
        match byte {
            TOKEN => {
                let number = data.next().copied().unwrap_or(0);
                input.extend(examples[usize::from(number) % examples.len()].as_bytes());
            }
            REPEAT => {
                let count = usize::from(data.next().copied().unwrap_or(0)) * 512;
                let byte = input.last().copied().unwrap_or(b' ');
                input.resize((input.len() + count).min(MOST_BYTES), byte);
            }
            _ => input.push(byte),
        }
    }
    input.truncate(MOST_BYTES);
    input
}

fn is_secret(finding: &Finding) -> bool {
    finding.level() == Level::Secret
}

/// Findings are in bounds, in order, apart from each other and on character boundaries, and a text
/// contains a secret when one of them is one.
///
/// # Panics
///
/// If any of that does not hold.
pub fn scan(data: &[u8]) {
    let input = expand(data);
    for scanner in &*SCANNERS {
        let findings = scanner.scan(&input);
        let mut end = 0;
        for finding in &findings {
            let range = finding.range();
            assert!(end <= range.start && range.start < range.end);
            assert!(range.end <= input.len());
            assert!(finding.line() >= 1 && finding.column() >= 1);
            if let Ok(text) = std::str::from_utf8(&input) {
                assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            }
            end = range.end;
        }
        let secret = findings.iter().any(is_secret);
        assert_eq!(scanner.contains_secret(&input), secret);
    }
}

/// A stream finds what a scan of the whole finds. The first byte chooses the size of the chunks.
///
/// # Panics
///
/// If it finds anything else.
pub fn stream(data: &[u8]) {
    let Some((&size, data)) = data.split_first() else {
        return;
    };
    let input = expand(data);
    let size = (usize::from(size) + 1) * 97;
    for scanner in &*SCANNERS {
        let mut stream = scanner.stream();
        let mut findings = Vec::new();
        for chunk in input.chunks(size) {
            stream.push(chunk);
            if size % 2 == 0 {
                findings.extend(stream.take_findings());
            }
        }
        findings.extend(stream.finish());
        assert_eq!(findings, scanner.scan(&input));
    }
}

/// Redacted text holds no secret, so that redacting it again changes nothing.
///
/// # Panics
///
/// If it does.
pub fn redact(data: &[u8]) {
    let input = expand(data);
    for scanner in &*SCANNERS {
        let once = scanner.redact_bytes(&input);
        assert!(!scanner.contains_secret(&once));
        assert_eq!(scanner.redact_bytes(&once), once);
    }
}

/// A token between spaces is found, whatever stands around it. The first byte chooses the token,
/// the second where it is planted.
///
/// # Panics
///
/// If no finding covers the token.
pub fn planted(data: &[u8]) {
    let [token, place, data @ ..] = data else {
        return;
    };
    // The standard rules come first, and are the ones every scanner has.
    let standard = secret_scan::rules().iter();
    let tokens: usize = standard.map(|rule| rule.examples().len()).sum();
    let token = &EXAMPLES[usize::from(*token) % tokens];
    let around = expand(data);
    let (before, after) = around.split_at(usize::from(*place) * around.len() / 255);
    let input = [before, b" ", token.as_bytes(), b" ", after].concat();
    let start = before.len() + 1;
    let end = start + token.len();
    for scanner in &*SCANNERS {
        let findings = scanner.scan(&input);
        let covers = |finding: &Finding| {
            let range = finding.range();
            is_secret(finding) && range.start <= start && end <= range.end
        };
        assert!(findings.iter().any(covers));
    }
}

/// A list that can be read is written and read again without change.
///
/// # Panics
///
/// If it is not.
pub fn allow_list(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let key = || AllowKey::new([0; 32]);
    if let Ok(list) = AllowList::parse(key(), &text) {
        let again = AllowList::parse(key(), &list.to_string());
        assert!(again.is_ok_and(|again| again.entries() == list.entries()));
    }
}
