//! Private keys in the forms in which they are pasted.

use crate::support;

/// A key as `openssl` writes it, with `\n` line ends.
fn key() -> String {
    let rule = secret_scan::rules()
        .iter()
        .find(|rule| rule.id() == "private-key");
    rule.expect("a standard rule").examples().remove(0)
}

/// The key with another kind of label, as in `EC`.
fn labelled(kind: &str) -> String {
    key().replace("RSA ", kind)
}

fn check(name: &str, text: &[u8], at: std::ops::Range<usize>) {
    let findings = secret_scan::scan(text);
    assert_eq!(findings.len(), 1, "{name}: {findings:?}");
    assert_eq!(findings[0].rule(), "private-key", "{name}");
    assert_eq!(findings[0].range(), at, "{name}");
}

/// Checks that all of `hidden` is found between other text.
fn check_whole(name: &str, hidden: &str) {
    let text = format!("see below\n{hidden}\nthat was it\n");
    check(name, text.as_bytes(), 10..10 + hidden.len());
}

#[test]
fn keys_of_every_label_are_found() {
    for kind in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ANY "] {
        check_whole(kind, &labelled(kind));
    }
    let block = labelled("PGP ").replace("KEY-----", "KEY BLOCK-----");
    check_whole("PGP", &block);
    let ssh2 = labelled("SSH2 ENCRYPTED ")
        .replace("-----BEGIN", "---- BEGIN")
        .replace("-----END", "---- END")
        .replace("KEY-----", "KEY ----");
    check_whole("SSH2", &ssh2);
}

#[test]
fn keys_are_found_however_they_are_pasted() {
    let key = key();
    let lines: Vec<&str> = key.lines().collect();
    let (first, body, last) = (lines[0], &lines[1..lines.len() - 1], lines[lines.len() - 1]);
    let forms = [
        ("CRLF", key.replace('\n', "\r\n")),
        ("JSON", key.replace('\n', "\\n")),
        ("JSON in JSON", key.replace('\n', "\\\\n")),
        ("JSON, CRLF", key.replace('\n', "\\r\\n")),
        ("one line with spaces", key.replace('\n', " ")),
        ("one line with nothing", key.replace('\n', "")),
        ("indented", key.replace('\n', "\n        ")),
        ("tabs", key.replace('\n', "\n\t")),
        ("quoted", key.replace('\n', "\n> ")),
        ("commented", key.replace('\n', "\n# ")),
        ("block comment", key.replace('\n', "\n * ")),
        ("line comment", key.replace('\n', "\n// ")),
        ("table of strings", key.replace('\n', "\",\n\"")),
        ("concatenation", key.replace('\n', "\" +\n    \"")),
        (
            "concatenation with line ends",
            key.replace('\n', "\\n\" +\n  \""),
        ),
        ("blank lines", key.replace('\n', "\n\n")),
        ("percent line ends", key.replace('\n', "%0A")),
        ("HTML line ends", key.replace('\n', "&#10;")),
        ("HTML breaks", key.replace('\n', "<br>\n")),
        ("trailing spaces", key.replace('\n', "  \n")),
        (
            "header lines",
            format!(
                "{first}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011223344556677\n\n{}\n{last}",
                body.join("\n")
            ),
        ),
        (
            "header lines in JSON",
            format!(
                "{first}\\nProc-Type: 4,ENCRYPTED\\n\\n{}\\n{last}",
                body.join("\\n")
            ),
        ),
        (
            "checksum line",
            format!("{first}\nVersion: 1\n\n{}\n=aB3d\n{last}", body.join("\n")),
        ),
        ("wrapped by 76", {
            let body = support::wrapped(body.concat().as_bytes(), 76, "\n");
            format!("{first}\n{}\n{last}", String::from_utf8_lossy(&body))
        }),
        (
            "padded",
            format!("{first}\n{}ab==\n{last}", body.join("\n")),
        ),
        ("zero bytes inside", {
            let header =
                b"openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none\0\0\0\0\0\0\0\x01\0\0\0\x33";
            let zeros = String::from_utf8(support::base64(header, false)).expect("ASCII");
            format!("{first}\n{zeros}\n{}\n{last}", body.join("\n"))
        }),
    ];
    for (name, form) in forms {
        check_whole(name, &form);
    }
}

#[test]
fn a_key_without_its_end_is_found_as_far_as_it_goes() {
    let key = key();
    let cut = &key[..key.len() - 40];
    let body_end = cut.trim_end_matches('-').trim_end().len();
    check("no end", cut.as_bytes(), 0..body_end);
    // Half of a line of the body, and the text goes on.
    let cut = &key[..120];
    let text = format!("{cut} … and so on");
    check("cut short", text.as_bytes(), 0..cut.len());
}

#[test]
fn encoded_keys_are_found() {
    let key = key();
    let encoded = String::from_utf8(support::base64(key.as_bytes(), true)).expect("ASCII");
    check_whole("base64", &encoded);
    let wrapped = support::wrapped(encoded.as_bytes(), 76, "\n");
    check_whole(
        "base64, wrapped",
        &String::from_utf8(wrapped).expect("ASCII"),
    );
    let percent: String = key
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.into()
            } else {
                format!("%{:02X}", c as u32)
            }
        })
        .collect();
    check_whole("percent", &percent);
    let units: Vec<_> = key
        .chars()
        .map(|c| format!("\\u{:04x}", c as u32))
        .collect();
    check_whole("\\u", &units.concat());
    let wide = support::utf16(&key, true);
    check("UTF-16", &wide, 0..wide.len());
}

#[test]
fn labels_public_keys_and_prose_are_no_private_keys() {
    let key = key();
    let first = key.lines().next().expect("a label");
    let last = key.lines().last().expect("a label");
    let public = key.replace("PRIVATE", "PUBLIC");
    let certificate = key.replace("RSA PRIVATE KEY", "CERTIFICATE");
    let prose = "the header is followed by the encoded key material and then by the footer line";
    for text in [
        first.to_owned(),
        format!("{first}\n{last}"),
        format!("{first}\n...\n{last}"),
        format!("{first}\n…\n{last}"),
        format!("{first}\\n...\\n{last}"),
        format!("{first}\n<base64>\n{last}"),
        format!("{first}\n[REDACTED]\n{last}"),
        format!("{first}\n{}\n{last}", "x".repeat(64)),
        format!("{first}\n{}\n{last}", "A".repeat(640)),
        format!("{first}\nMIIEowIBAAKCAQEA...\n{last}"),
        format!("Files that start with `{first}` {prose}. {prose}"),
        format!("if line == \"{first}\" {{ read_until(\"{last}\") }}"),
        format!("{first} {prose} {last}"),
        public,
        certificate,
        "-----BEGIN(?: [A-Z]+)? PRIVATE KEY(?: BLOCK)?-----[\\s\\S]{64,}?-----END".to_owned(),
        "Never commit a PRIVATE KEY to a repository.".to_owned(),
    ] {
        let findings = secret_scan::scan(text.as_bytes());
        assert!(findings.is_empty(), "{text}: {findings:?}");
    }
}
