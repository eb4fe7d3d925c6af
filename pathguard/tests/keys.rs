//! Keys: the table of hostile and legitimate ones, and the properties.

use pathguard::TraversalReason as Reason;
use pathguard::{ErrorKind, KeyRules, PathKey, PathKeyRef};
use proptest::prelude::*;

/// Keys that a server or a model must not be able to use, and the rule that refuses each.
const HOSTILE: &[(&str, Reason)] = &[
    // Empty, absolute, dots.
    ("", Reason::Empty),
    ("/", Reason::Absolute),
    ("//", Reason::Absolute),
    ("/a", Reason::Absolute),
    ("/etc/passwd", Reason::Absolute),
    ("//server/share", Reason::Absolute),
    ("/../a", Reason::Absolute),
    (".", Reason::DotComponent),
    ("..", Reason::DotComponent),
    ("...", Reason::TrailingDotOrSpace),
    ("./a", Reason::DotComponent),
    ("../a", Reason::DotComponent),
    ("../../../../etc/passwd", Reason::DotComponent),
    ("a/..", Reason::DotComponent),
    ("a/.", Reason::DotComponent),
    ("a/../b", Reason::DotComponent),
    ("a/./b", Reason::DotComponent),
    ("a/b/../../..", Reason::DotComponent),
    ("a/.../b", Reason::TrailingDotOrSpace),
    ("a/..../b", Reason::TrailingDotOrSpace),
    ("a//b", Reason::EmptyComponent),
    ("a///b", Reason::EmptyComponent),
    ("a/", Reason::TrailingSlash),
    ("a.md/", Reason::TrailingSlash),
    ("a//", Reason::TrailingSlash),
    ("../", Reason::TrailingSlash),
    // Separators and drives of Windows.
    ("\\", Reason::Backslash),
    ("..\\a", Reason::Backslash),
    ("a\\b", Reason::Backslash),
    ("a/..\\..\\b", Reason::Backslash),
    ("\\\\server\\share", Reason::Backslash),
    ("\\\\?\\C", Reason::Backslash),
    ("a.md\\", Reason::Backslash),
    ("C:", Reason::Colon),
    ("C:/Windows", Reason::Colon),
    ("c:a.md", Reason::Colon),
    ("C:..", Reason::Colon),
    ("a.md:stream", Reason::Colon),
    ("a.md::$DATA", Reason::Colon),
    ("a:b/c", Reason::Colon),
    ("file:///etc/passwd", Reason::Colon),
    ("d/:", Reason::Colon),
    // NUL, control characters, separators of lines and of directions.
    ("a\0", Reason::Nul),
    ("\0", Reason::Nul),
    ("a\0.md", Reason::Nul),
    ("../a\0.md", Reason::DotComponent),
    ("a\n", Reason::ControlCharacter),
    ("a\nb.md", Reason::ControlCharacter),
    ("a\rb.md", Reason::ControlCharacter),
    ("a\tb.md", Reason::ControlCharacter),
    ("\u{1b}[31mred.md", Reason::ControlCharacter),
    ("\u{7}bell.md", Reason::ControlCharacter),
    ("back\u{8}space.md", Reason::ControlCharacter),
    ("a\u{7f}.md", Reason::ControlCharacter),
    ("a\u{80}.md", Reason::ControlCharacter),
    ("a\u{85}b.md", Reason::ControlCharacter),
    ("a\u{9b}31m.md", Reason::ControlCharacter),
    ("a\u{9f}.md", Reason::ControlCharacter),
    ("a\u{1}/b.md", Reason::ControlCharacter),
    ("a\u{2028}b.md", Reason::LineSeparator),
    ("a\u{2029}b.md", Reason::LineSeparator),
    ("a\u{202a}b.md", Reason::BidiControl),
    ("a\u{202b}b.md", Reason::BidiControl),
    ("a\u{202c}b.md", Reason::BidiControl),
    ("a\u{202d}b.md", Reason::BidiControl),
    ("txt.\u{202e}dm.exe", Reason::BidiControl),
    ("a\u{2066}b.md", Reason::BidiControl),
    ("a\u{2067}b.md", Reason::BidiControl),
    ("a\u{2068}b.md", Reason::BidiControl),
    ("a\u{2069}b.md", Reason::BidiControl),
    ("\u{feff}a.md", Reason::ByteOrderMark),
    ("a\u{feff}.md", Reason::ByteOrderMark),
    ("a\u{fdd0}.md", Reason::Noncharacter),
    ("a\u{fdef}.md", Reason::Noncharacter),
    ("a\u{fffe}.md", Reason::Noncharacter),
    ("a\u{ffff}.md", Reason::Noncharacter),
    ("a\u{1fffe}.md", Reason::Noncharacter),
    ("a\u{10ffff}.md", Reason::Noncharacter),
    ("a\u{effff}.md", Reason::Noncharacter),
    // Percent escapes: plain, nested, overlong, wide.
    ("%2e", Reason::EncodedDots),
    ("%2e%2e", Reason::EncodedDots),
    ("%2E%2E/a", Reason::EncodedDots),
    (".%2e/a", Reason::EncodedDots),
    ("%2e./a", Reason::TrailingDotOrSpace),
    ("a/%2e%2e/b", Reason::EncodedDots),
    ("%2e%2e%2fa", Reason::EncodedSeparator),
    ("..%2fa", Reason::EncodedSeparator),
    ("a%2fb", Reason::EncodedSeparator),
    ("a%2Fb", Reason::EncodedSeparator),
    ("%2fetc%2fpasswd", Reason::EncodedSeparator),
    ("a%5cb", Reason::EncodedSeparator),
    ("..%5C..%5Ca", Reason::EncodedSeparator),
    ("%252e%252e/a", Reason::EncodedDots),
    ("%252e%252e%252fa", Reason::EncodedSeparator),
    ("a%252fb", Reason::EncodedSeparator),
    ("a%25252fb", Reason::EncodedSeparator),
    ("a%2525252525252fb", Reason::EncodedSeparator),
    ("a%255cb", Reason::EncodedSeparator),
    ("a%00.md", Reason::EncodedNul),
    ("a%2500.md", Reason::EncodedNul),
    ("%00", Reason::EncodedNul),
    ("a%c0%afb", Reason::EncodedSeparator),
    ("a%C0%AFb", Reason::EncodedSeparator),
    ("%c0%ae%c0%ae/a", Reason::EncodedDots),
    ("%c0%ae/a", Reason::EncodedDots),
    ("a%c1%9cb", Reason::EncodedSeparator),
    ("a%c0%80.md", Reason::EncodedNul),
    ("a%e0%80%afb", Reason::EncodedSeparator),
    ("%e0%80%ae%e0%80%ae/a", Reason::EncodedDots),
    ("a%f0%80%80%afb", Reason::EncodedSeparator),
    ("a%f8%80%80%80%afb", Reason::EncodedSeparator),
    ("a%fc%80%80%80%80%afb", Reason::EncodedSeparator),
    ("a%25c0%25afb", Reason::EncodedSeparator),
    ("a%c0%25afb", Reason::EncodedSeparator),
    ("%c0%25ae%c0%25ae/a", Reason::EncodedDots),
    ("..%c1%1c..%c1%1ca", Reason::EncodedSeparator),
    ("a%c0%6fb", Reason::EncodedSeparator),
    ("a%25c1%251cb", Reason::EncodedSeparator),
    ("%c0%2e%c0%2e/a", Reason::EncodedDots),
    ("%C0%EE%C0%EE/a", Reason::EncodedDots),
    ("a%u002fb", Reason::EncodedSeparator),
    ("a%u005cb", Reason::EncodedSeparator),
    ("%u002e%u002e/a", Reason::EncodedDots),
    ("a%u0000", Reason::EncodedNul),
    ("a%uff0fb", Reason::EncodedSeparator),
    ("%uff0e%uff0e/a", Reason::EncodedSeparator),
    ("a%u0025%u0032fb", Reason::EncodedSeparator),
    ("a%25u002fb", Reason::EncodedSeparator),
    ("a%ef%bc%8fb", Reason::EncodedSeparator),
    ("%ef%bc%8e%ef%bc%8e/a", Reason::EncodedSeparator),
    ("a%e2%84%80b", Reason::EncodedSeparator),
    ("%2e%20/a", Reason::EncodedDots),
    ("%2e%2e%20/a", Reason::EncodedDots),
    ("%e2%80%8b%2e%2e/a", Reason::EncodedDots),
    ("%e2%80%a5/a", Reason::EncodedDots),
    ("a\u{ff05}2fb", Reason::EncodedSeparator),
    ("\u{ff05}2e\u{ff05}2e/a", Reason::EncodedDots),
    ("a\u{fe6a}2fb", Reason::EncodedSeparator),
    ("a%ef%bc%852fb", Reason::EncodedSeparator),
    ("%2egit/config", Reason::GitFolder),
    (".gi%74/config", Reason::GitFolder),
    (
        "%2525252525252525252525252525252525252541",
        Reason::EncodedTooDeep,
    ),
    // Look-alikes.
    ("\u{ff0e}\u{ff0e}/a", Reason::Lookalike),
    ("\u{ff0e}/a", Reason::Lookalike),
    ("a\u{ff0e}md", Reason::Lookalike),
    ("..\u{ff0f}a", Reason::Lookalike),
    ("a\u{ff0f}b", Reason::Lookalike),
    ("a\u{ff3c}b", Reason::Lookalike),
    ("a\u{fe68}b", Reason::Lookalike),
    ("a\u{2100}b", Reason::Lookalike),
    ("a\u{2101}b", Reason::Lookalike),
    ("a\u{2105}b", Reason::Lookalike),
    ("a\u{2106}b", Reason::Lookalike),
    ("\u{2024}\u{2024}/a", Reason::Lookalike),
    ("\u{fe52}\u{fe52}/a", Reason::Lookalike),
    ("\u{2025}/a", Reason::DotComponent),
    ("\u{2025}", Reason::DotComponent),
    ("\u{2026}", Reason::DotComponent),
    ("\u{fe30}/a", Reason::DotComponent),
    ("\u{fe19}/a", Reason::DotComponent),
    ("a/\u{2026}/b", Reason::DotComponent),
    ("\u{2025}\u{2026}/a", Reason::DotComponent),
    // Invisible characters.
    (".\u{200b}./a", Reason::DotComponent),
    ("\u{200b}../a", Reason::DotComponent),
    ("..\u{200b}/a", Reason::DotComponent),
    (".\u{ad}.", Reason::DotComponent),
    (".\u{200d}/a", Reason::DotComponent),
    (".\u{2060}.\u{2060}/a", Reason::DotComponent),
    (".\u{fe0f}./a", Reason::DotComponent),
    (".\u{e0020}./a", Reason::DotComponent),
    (".\u{180e}./a", Reason::DotComponent),
    (".\u{34f}./a", Reason::DotComponent),
    (".\u{200e}./a", Reason::DotComponent),
    (".\u{3164}./a", Reason::DotComponent),
    ("\u{200b}", Reason::Invisible),
    ("\u{200d}\u{200c}/a", Reason::Invisible),
    ("a/\u{ad}/b", Reason::Invisible),
    ("\u{3164}", Reason::Invisible),
    ("a.\u{200b}", Reason::TrailingDotOrSpace),
    ("a \u{200c}", Reason::TrailingDotOrSpace),
    // Device names.
    ("CON", Reason::DeviceName),
    ("con", Reason::DeviceName),
    ("con.md", Reason::DeviceName),
    ("Con.tar.gz", Reason::DeviceName),
    ("a/PRN/b", Reason::DeviceName),
    ("aux.md", Reason::DeviceName),
    ("AUX", Reason::DeviceName),
    ("nul", Reason::DeviceName),
    ("NUL.md", Reason::DeviceName),
    ("NUL .md", Reason::DeviceName),
    ("nul  .md", Reason::DeviceName),
    ("a/b/nul.md", Reason::DeviceName),
    ("COM1", Reason::DeviceName),
    ("com0.md", Reason::DeviceName),
    ("com9.md", Reason::DeviceName),
    ("COM¹", Reason::DeviceName),
    ("com².md", Reason::DeviceName),
    ("COM³.md", Reason::DeviceName),
    ("LPT1", Reason::DeviceName),
    ("lpt9.md", Reason::DeviceName),
    ("LPT¹.md", Reason::DeviceName),
    ("CONIN$", Reason::DeviceName),
    ("conin$.md", Reason::DeviceName),
    ("conout$", Reason::DeviceName),
    ("CONOUT$.md", Reason::DeviceName),
    // What Windows drops at the end.
    ("a.", Reason::TrailingDotOrSpace),
    ("a.md.", Reason::TrailingDotOrSpace),
    ("a.md ", Reason::TrailingDotOrSpace),
    ("a. .", Reason::TrailingDotOrSpace),
    ("a /b", Reason::TrailingDotOrSpace),
    ("a./b", Reason::TrailingDotOrSpace),
    (" ", Reason::TrailingDotOrSpace),
    (".. /a", Reason::TrailingDotOrSpace),
    (". ./a", Reason::TrailingDotOrSpace),
    // Git.
    (".git", Reason::GitFolder),
    (".GIT/config", Reason::GitFolder),
    (".Git", Reason::GitFolder),
    ("a/.git/hooks/post-checkout", Reason::GitFolder),
    ("git~1", Reason::GitFolder),
    ("GIT~1/config", Reason::GitFolder),
    (".g\u{200c}it/config", Reason::GitFolder),
    (".git\u{200d}", Reason::GitFolder),
    ("\u{200b}.git", Reason::GitFolder),
    ("g\u{ad}it~1", Reason::GitFolder),
    (".git\u{2026}", Reason::GitFolder),
    // Tilde.
    ("~", Reason::Tilde),
    ("~/a", Reason::Tilde),
    ("~root", Reason::Tilde),
    ("~root/.ssh/id", Reason::Tilde),
    ("~draft.md", Reason::Tilde),
    ("a/~", Reason::Tilde),
    ("a/~/b", Reason::Tilde),
    // Our own temporary files.
    (".pathguard-0123456789abcdef", Reason::TemporaryName),
    (".pathguard-", Reason::TemporaryName),
    (".PATHGUARD-x", Reason::TemporaryName),
    ("a/.pathguard-x", Reason::TemporaryName),
    (".path\u{200b}guard-x", Reason::TemporaryName),
];

/// Keys that people and agents use, and that must keep working.
const LEGITIMATE: &[&str] = &[
    // Plain.
    "a",
    "A",
    "0",
    "_",
    "-",
    "a.md",
    "MEMORY.md",
    "feedback_tests.md",
    "user_role.md",
    "team/MEMORY.md",
    "team/feedback_tests.md",
    "logs/2026/03/2026-03-31.md",
    "a/b/c/d/e/f/g/h/i/j/k.md",
    "README",
    "Makefile",
    "a.tar.gz",
    "a-b_c.d",
    "x.MD",
    "session-memory.md",
    "identity.json",
    // Percent signs.
    "100%.md",
    "100%25.md",
    "50% off.md",
    "%.md",
    "%%.md",
    "a%.md",
    "a%2.md",
    "a%zz.md",
    "100%de.md",
    "caf%C3%A9.md",
    "%41.md",
    "a%20b.md",
    "%u.md",
    "%u00.md",
    "%u0041.md",
    "%ud83d%ude00.md",
    "a%25%25b.md",
    "a%2525b.md",
    "discount-%-rules.md",
    "100％.md",
    "%e6%97%a5%e6%9c%ac.md",
    "%2e.md",
    "a%2e%2e.md",
    "%2ea",
    "%C0%20propos.md",
    "%C1gua.md",
    "%C0ola.md",
    "%c0%c1.md",
    // Full stops.
    "wait….md",
    "…wait.md",
    "wait…",
    "wait‥md",
    "v1..2.md",
    "..foo",
    "...foo",
    "..foo/bar.md",
    "a...b",
    ".a",
    ".hidden",
    ".hidden/note.md",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    ".github/workflows/ci.yml",
    ".git-blame-ignore-revs",
    ".gitx",
    "x.git",
    "my.git/config",
    "git",
    "git/config",
    "git~2",
    "git~10",
    "agit~1",
    ".claude/settings.json",
    ".pathguard",
    ".pathguardian-x",
    "pathguard-x",
    "⒈first.md",
    "3㏘.md",
    // Spaces and punctuation.
    "a b.md",
    " a.md",
    "  two leading.md",
    "a  b.md",
    "a .md",
    "notes (1).md",
    "[draft].md",
    "{x}.md",
    "it's.md",
    "\"quoted\".md",
    "a,b;c.md",
    "a&b.md",
    "a+b=c.md",
    "#1.md",
    "@home.md",
    "!important.md",
    "$HOME.md",
    "`code`.md",
    "a^b.md",
    "what?.md",
    "a*b.md",
    "a|b.md",
    "<tag>.md",
    "-rf",
    "--help",
    "a~",
    "a~1.md",
    "file.md~",
    "a/x~y",
    // Names that only resemble devices.
    "console.md",
    "con_1.md",
    "icon.md",
    "concert.md",
    "null.md",
    "nul1.md",
    "auxiliary.md",
    "prnt.md",
    "com.md",
    "com10.md",
    "comA.md",
    "lpt.md",
    "lpt10.md",
    "conin.md",
    "conout.md",
    "a.con",
    "my.nul.md",
    "COM⁴.md",
    // Languages.
    "记忆.md",
    "团队/反馈.md",
    "会议：记录.md",
    "价格，三元.md",
    "「引用」.md",
    "全角　空格.md",
    "２０２６年.md",
    "メモ.md",
    "プロジェクト・メモ.md",
    "데이터/메모.md",
    "заметка.md",
    "ελληνικά.md",
    "σίγμας.md",
    "می\u{200c}خواهم.md",
    "עברית.md",
    "العربية.md",
    "हिन्दी.md",
    "ไทย.md",
    "Straße.md",
    "İstanbul.md",
    "café.md",
    "cafe\u{301}.md",
    "Ångström.md",
    "A\u{30a}ngstro\u{308}m.md",
    "한\u{1112}\u{1161}\u{11ab}.md",
    "naïve/résumé.md",
    "ﬁ.md",
    "½.md",
    "①.md",
    "™.md",
    "a\u{2044}b.md",
    "a\u{2215}b.md",
    // Emoji, with joiners, selectors, tags and flags.
    "👍.md",
    "👩\u{200d}💻.md",
    "👨\u{200d}👩\u{200d}👧.md",
    "❤\u{fe0f}.md",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md",
    "🇨🇳.md",
    "1\u{fe0f}\u{20e3}.md",
    "soft\u{ad}hyphen.md",
    "mark\u{200e}.md",
    "zero\u{200b}width.md",
];

#[test]
fn every_hostile_key_is_refused_by_its_rule() {
    assert!(HOSTILE.len() >= 150, "{}", HOSTILE.len());
    for &(raw, reason) in HOSTILE {
        let Err(error) = PathKeyRef::parse(raw) else {
            panic!("{raw:?} is a key")
        };
        assert_eq!(error.kind(), ErrorKind::Traversal, "{raw:?}");
        assert_eq!(error.reason(), Some(reason), "{raw:?}");
        let text = error.to_string();
        assert!(text.ends_with(reason.text()), "{text}");
        // The same from every way in.
        assert_eq!(
            PathKey::parse(raw).unwrap_err().reason(),
            Some(reason),
            "{raw:?}"
        );
        let refused = pathguard::sanitize_path_key(raw).unwrap_err();
        assert_eq!(refused.reason(), reason, "{raw:?}");
        assert_eq!(refused.to_string(), text);
    }
}

#[test]
fn every_legitimate_key_is_kept_as_it_is() {
    assert!(LEGITIMATE.len() >= 120, "{}", LEGITIMATE.len());
    for raw in LEGITIMATE {
        let key = PathKeyRef::parse(raw).unwrap_or_else(|error| panic!("{raw:?}: {error}"));
        assert_eq!(key.as_str(), *raw);
        assert_eq!(pathguard::sanitize_path_key(raw).unwrap(), *raw);
        let nested = format!("folder/{raw}/x.md");
        assert!(PathKeyRef::parse(&nested).is_ok(), "{nested:?}");
    }
}

#[test]
fn hostile_components_are_refused_wherever_they_stand() {
    for &(raw, reason) in HOSTILE {
        // These are rules of the whole key.
        let is_whole = matches!(
            reason,
            Reason::Empty | Reason::Absolute | Reason::TrailingSlash | Reason::Tilde
        );
        if is_whole {
            continue;
        }
        for key in [
            format!("a/{raw}"),
            format!("a/{raw}/b.md"),
            format!("記憶/{raw}"),
        ] {
            assert!(PathKeyRef::parse(&key).is_err(), "{key:?}");
        }
    }
}

#[test]
fn lengths_and_levels_have_limits() {
    let check = |raw: &str, reason: Option<Reason>| {
        let found = PathKeyRef::parse(raw)
            .err()
            .and_then(|error| error.reason());
        assert_eq!(found, reason, "{} bytes", raw.len());
    };
    check(&"a".repeat(255), None);
    check(&"a".repeat(256), Some(Reason::ComponentTooLong));
    check(
        &format!("x/{}/y", "a".repeat(256)),
        Some(Reason::ComponentTooLong),
    );
    check(&"記".repeat(85), None);
    check(
        &format!("a{}", "記".repeat(85)),
        Some(Reason::ComponentTooLong),
    );
    check(&vec!["a"; 64].join("/"), None);
    check(&vec!["a"; 65].join("/"), Some(Reason::TooDeep));
    let long = vec!["b".repeat(255); 16].join("/");
    check(&long[..4095], None);
    check(&format!("{}c", &long[..4095]), Some(Reason::KeyTooLong));
    check(&"a/".repeat(1 << 20), Some(Reason::KeyTooLong));
}

#[test]
fn rules_refuse_more_and_never_less() {
    let markdown = KeyRules::markdown();
    for (raw, is_allowed) in [
        ("a.md", true),
        ("a.MD", true),
        ("a/b.c.md", true),
        ("a", false),
        ("md", false),
        (".md", false),
        ("a.md/b", false),
        ("a.mdx", false),
        ("a.md.txt", false),
        ("../a.md", false),
        ("nul.md", false),
    ] {
        assert_eq!(
            PathKeyRef::parse_with(raw, &markdown).is_ok(),
            is_allowed,
            "{raw}"
        );
    }
    let several = KeyRules::with_extensions(["md", "txt"]);
    assert!(PathKeyRef::parse_with("a.txt", &several).is_ok());
    let none = KeyRules::with_extensions(Vec::<String>::new());
    assert!(PathKeyRef::parse_with("a.txt", &none).is_err());
}

#[test]
fn the_parts_of_a_key_are_found() {
    for (raw, parent, name, extension) in [
        ("a", None, "a", None),
        ("a.md", None, "a.md", Some("md")),
        ("a/b/c.tar.gz", Some("a/b"), "c.tar.gz", Some("gz")),
        (".gitignore", None, ".gitignore", None),
        ("a/.x.y", Some("a"), ".x.y", Some("y")),
        ("..foo", None, "..foo", Some("foo")),
    ] {
        let key = PathKeyRef::parse(raw).unwrap();
        assert_eq!(key.parent().map(PathKeyRef::as_str), parent, "{raw}");
        assert_eq!(
            (key.file_name(), key.extension()),
            (name, extension),
            "{raw}"
        );
        let rebuilt: Vec<_> = key.components().collect();
        assert_eq!(rebuilt.join("/"), raw);
        let owned = key.to_owned();
        assert_eq!(owned.as_ref(), key);
        assert_eq!(
            owned.parent().map(|key| key.as_str().to_owned()).as_deref(),
            parent
        );
    }
    let team = PathKey::parse("team").unwrap();
    assert_eq!(team.child("a/b.md").unwrap().as_str(), "team/a/b.md");
    for raw in ["", "/a", "../b", "a/", "~", "con"] {
        assert!(team.child(raw).is_err(), "{raw:?}");
    }
}

#[test]
fn errors_show_hostile_keys_escaped_and_shortened() {
    for (raw, shown) in [
        ("a\u{1b}[31m.md", "a\\u{1b}[31m.md"),
        ("a\u{202e}b", "a\\u{202e}b"),
        ("a\nb", "a\\nb"),
        ("\"; rm\0", "\\\"; rm\\0"),
        ("it's\\", "it's\\\\"),
    ] {
        let error = PathKeyRef::parse(raw).unwrap_err();
        assert_eq!(error.key(), Some(shown));
    }
    let long = format!("start/{}\u{7}{}/end", "a".repeat(5000), "b".repeat(5000));
    let error = PathKeyRef::parse(&long).unwrap_err();
    let shown = error.key().unwrap();
    assert!(shown.len() < 400, "{}", shown.len());
    assert!(
        shown.starts_with("start/aaa") && shown.ends_with("bbb/end"),
        "{shown}"
    );
    assert!(shown.contains('…'));
}

#[test]
fn reasons_have_names_of_their_own() {
    let names: std::collections::HashSet<_> =
        Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(names.len(), Reason::ALL.len());
    for reason in Reason::ALL {
        let text = reason.to_string();
        assert!(!text.ends_with('.') || text.ends_with("..\""), "{text}");
        assert!(text.starts_with(|c: char| c.is_lowercase()), "{text}");
    }
}

/// Text that is likely to meet a rule: pieces of hostile keys between ordinary ones.
fn suspicious() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        ".", "..", "/", "\\", "%", "2e", "2f", "%2e", "%2f", "%25", "%c0", "%ae", "%af", "%u",
        "002e", "\u{200b}", "\u{2026}", "\u{ff0e}", "\u{ff0f}", "\u{ff05}", "~", "con", "nul",
        ".git", "a", "b", ".md", " ", ":", "\0", "\u{301}", "記", "é", "\u{ad}",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// A decoder of our own for the property below: one round of `%XX`.
fn decode(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut index = 0;
    while index < text.len() {
        let hex = text.get(index + 1..index + 3).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            digits
                .bytes()
                .all(|b| b.is_ascii_hexdigit())
                .then(|| u8::from_str_radix(digits, 16).ok())?
        });
        match (text[index], hex) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                index += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                index += 1;
            }
        }
    }
    decoded
}

proptest! {
    #[test]
    fn any_text_is_accepted_or_refused_without_panic(raw in any::<String>()) {
        let _ = PathKeyRef::parse(&raw).map_err(|error| error.to_string());
    }

    #[test]
    fn an_accepted_key_stays_below_its_folder(raw in prop_oneof![suspicious(), any::<String>()]) {
        if let Ok(key) = PathKeyRef::parse(&raw) {
            let path = std::path::Path::new(key.as_str());
            let normal = path
                .components()
                .all(|component| matches!(component, std::path::Component::Normal(_)));
            prop_assert!(normal && path.is_relative(), "{raw:?}");
            prop_assert_eq!(path.components().count(), key.components().count());
            let bad = key.components().find(|c| c.is_empty() || *c == "." || *c == "..");
            prop_assert_eq!(bad, None);
            prop_assert!(!raw.contains(['\\', ':', '\0']));
        }
    }

    #[test]
    fn parsing_and_printing_are_inverse(raw in suspicious()) {
        if let Ok(key) = PathKeyRef::parse(&raw) {
            prop_assert_eq!(key.as_str(), &raw);
            let printed: Vec<&str> = key.components().collect();
            prop_assert_eq!(&printed.join("/"), &raw);
            let owned = PathKey::parse(key.as_str()).unwrap();
            prop_assert_eq!(owned.as_ref(), key);
            if let Some(parent) = key.parent() {
                // A part of a key is a key.
                prop_assert!(PathKeyRef::parse(parent.as_str()).is_ok());
            }
        }
    }

    #[test]
    fn decoding_an_accepted_key_to_the_end_adds_no_separator(raw in suspicious()) {
        if PathKeyRef::parse(&raw).is_ok() {
            let separators = raw.matches('/').count();
            let mut text = raw.clone().into_bytes();
            loop {
                let decoded = decode(&text);
                if decoded == text {
                    break;
                }
                text = decoded;
            }
            let found = text.split(|&b| b == b'/').count() - 1;
            prop_assert_eq!(found, separators, "{}", raw);
            prop_assert!(!text.contains(&b'\\') && !text.contains(&0));
            let dots = text.split(|&b| b == b'/').any(|c| matches!(c, b"" | b"." | b".."));
            prop_assert!(!dots, "{}", raw);
        }
    }

    #[test]
    fn a_component_is_judged_alike_alone_and_below_a_folder(raw in suspicious()) {
        prop_assume!(!raw.contains('/') && !raw.starts_with('~'));
        let alone = PathKeyRef::parse(&raw).is_ok();
        let nested = format!("folder/{raw}");
        prop_assert_eq!(PathKeyRef::parse(&nested).is_ok(), alone, "{}", raw);
    }

    #[test]
    fn shown_keys_are_safe_on_a_terminal(raw in any::<String>()) {
        let raw = format!("{raw}/../");
        let error = PathKeyRef::parse(&raw).unwrap_err();
        let text = error.to_string();
        prop_assert!(!text.contains(|c: char| c.is_control()), "{:?}", text);
        let acts = text.contains(['\u{202e}', '\u{2066}', '\u{feff}', '\u{2028}']);
        prop_assert!(!acts);
        prop_assert!(error.key().unwrap().chars().count() <= 96 * 10 + 1);
    }
}
