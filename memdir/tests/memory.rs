//! Reading, printing and editing one memory file.

use memdir::{Memory, MemoryType, ProblemCode, Timestamp};
use proptest::prelude::*;

use crate::text::{bytes, front_matter_bytes, value_text};

/// What a file says: name, description, type word, and the codes of its problems.
fn check(file: &[u8], name: &str, description: &str, type_text: &str, problems: &[ProblemCode]) {
    let memory = Memory::parse(file);
    let shown = String::from_utf8_lossy(file);
    assert_eq!(memory.name(), name, "name of {shown:?}");
    assert_eq!(
        memory.description(),
        description,
        "description of {shown:?}"
    );
    assert_eq!(memory.type_text(), type_text, "type of {shown:?}");
    let codes: Vec<_> = memory
        .problems()
        .iter()
        .map(|problem| problem.code)
        .collect();
    assert_eq!(codes, problems, "problems of {shown:?}");
    assert_eq!(memory.print(), file);
}

#[test]
fn sound_files_are_read_without_problems() {
    for file in [
        "---\nname: N\ndescription: D\ntype: user\n---\nB\n",
        "---\r\nname: N\r\ndescription: D\r\ntype: user\r\n---\r\nB\r\n",
        "---\nname: \"N\"\ndescription: 'D'\ntype: user\n---\n",
        "---\n# a comment\nname: N\n\ndescription: D\nmetadata: \n  type: user\n---\n",
        "---\nname: N\ndescription: D\nmetadata: {type: user, node_type: memory}\n---\n",
        "---\nname: N\ndescription: D\nmetadata:\n    node_type: memory\n    type: user\n    tags:\n      - type: x\n---\n",
        "---\nname: N\ndescription: >-\n  D\ntype: user\n---\n",
        "---\nname: |\n  N\ndescription: \"D\" \ntype: \"user\"\n...\n",
        "---\ntype: user # one of four\nname: N\ndescription: D\nrelates_to:\n- name: other\n- b\n---\n",
        "---\n\"name\": N\n'description': D\ntype : user\n---\n",
        "--- \nName: N\nDESCRIPTION: D\nType: user\n---  \n",
    ] {
        check(file.as_bytes(), "N", "D", "user", &[]);
    }
}

#[test]
fn values_are_read_as_a_person_reads_them() {
    for (value, description) in [
        (
            "Use nextest: it hangs # on the PTY test",
            "Use nextest: it hangs # on the PTY test",
        ),
        ("\"quoted\" then plain text", "\"quoted\" then plain text"),
        ("\"say \\\"hi\\\"\"", "say \"hi\""),
        ("'it''s'", "it's"),
        ("\"line\\nbreak\"", "line\nbreak"),
        (">-\n  folded\n  text", "folded text"),
        ("|\n  kept\n  lines\n", "kept\nlines"),
        ("plain\n  going on", "plain going on"),
        (
            "plain: colon\n  going on # here",
            "plain: colon going on # here",
        ),
        ("[unclosed flow", "[unclosed flow"),
        ("[a, b]", "[a, b]"),
        ("{a: 1}", "{a: 1}"),
        ("`code` first", "`code` first"),
        ("*emphasis* first", "*emphasis* first"),
        ("@handle", "@handle"),
        ("- dash", "- dash"),
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("2026-03-05", "2026-03-05"),
        ("\"null\"", "null"),
        ("http://example.com:80/x", "http://example.com:80/x"),
        ("ends with colon:", "ends with colon:"),
        ("\ttab", "tab"),
        ("'unclosed", "'unclosed"),
        ("\"\"", ""),
        ("~", ""),
        ("null", ""),
        ("&anchor text", "text"),
        ("*missing", "*missing"),
        ("!!str 12", "12"),
    ] {
        let file = format!("---\nname: N\ndescription: {value}\ntype: user\n---\n");
        assert_eq!(
            Memory::parse(file.as_bytes()).description(),
            description,
            "{value:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_file_is_listed_and_the_rest_is_read() {
    use ProblemCode::*;
    check(b"", "", "", "", &[FrontMatterMissing, Empty]);
    check(b"\n \n", "", "", "", &[FrontMatterMissing, Empty]);
    check(
        b"no front matter\n\n---\n\na rule\n",
        "",
        "",
        "",
        &[FrontMatterMissing],
    );
    check(
        b"---\n\nProse under a rule.\n\n---\n",
        "",
        "",
        "",
        &[FrontMatterMissing],
    );
    check(
        b"---\n---\nbody\n",
        "",
        "",
        "",
        &[NameMissing, DescriptionMissing, TypeMissing],
    );
    check(
        b"\xEF\xBB\xBF---\nname: N\ndescription: D\ntype: user\n---\n",
        "N",
        "D",
        "user",
        &[ByteOrderMark],
    );
    check(
        b"\n\n---\nname: N\ndescription: D\ntype: user\n---\n",
        "N",
        "D",
        "user",
        &[FrontMatterLate],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user\n\nBody\n",
        "N",
        "D",
        "user",
        &[FrontMatterUnclosed],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user\n\nBody\n\n---\nmore: text\n",
        "N",
        "D",
        "user",
        &[FrontMatterUnclosed],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user",
        "N",
        "D",
        "user",
        &[FrontMatterUnclosed],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user\nprose\n",
        "N",
        "D",
        "user",
        &[FrontMatterUnclosed],
    );
    check(
        b"---\nname: A\nname: N\ndescription: D\ntype: user\n---\n",
        "N",
        "D",
        "user",
        &[DuplicateKey],
    );
    check(
        b"---\n\tname: N\ndescription:\tD\ntype: user\n---\n",
        "N",
        "D",
        "user",
        &[FieldIndented],
    );
    check(
        b"---\nname: N\nwhat is this\ndescription: D\ntype: user\n---\n",
        "N",
        "D",
        "user",
        &[FrontMatterLine],
    );
    check(
        b"---\nname: N\ndescription: a: b\ntype: user\n---\n",
        "N",
        "a: b",
        "user",
        &[UnquotedValue],
    );
    check(
        b"---\nname: N\ndescription: \"a\" b\ntype: user\n---\n",
        "N",
        "\"a\" b",
        "user",
        &[InvalidValue],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: decision\n---\n",
        "N",
        "D",
        "decision",
        &[TypeUnknown],
    );
    check(
        b"---\nname: N\ndescription: D\n---\n",
        "N",
        "D",
        "",
        &[TypeMissing],
    );
    check(
        b"---\nname: caf\xE9\ndescription: D\ntype: user\n---\n",
        "caf\u{FFFD}",
        "D",
        "user",
        &[NotUtf8],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user\n---\nBody \xFF\n",
        "N",
        "D",
        "user",
        &[NotUtf8],
    );
    check(
        b"---\nname: N\ndescription: D\ntype: user\nmodified: soon\n---\n",
        "N",
        "D",
        "user",
        &[ModifiedInvalid],
    );
    check(
        "---\nname：标题\ndescription:D\ntype:user\n---\n".as_bytes(),
        "标题",
        "D",
        "user",
        &[],
    );
}

#[test]
fn problems_say_on_which_line_they_are() {
    let memory = Memory::parse(b"---\nname: N\nname: M\ndescription: a: b\n???\n---\nx\n\xFF\n");
    let lines: Vec<_> = memory
        .problems()
        .iter()
        .map(|problem| (problem.code.as_str(), problem.line))
        .collect();
    assert_eq!(
        lines,
        [
            ("duplicate-key", 3),
            ("unquoted-value", 4),
            ("front-matter-line", 5),
            ("type-missing", 1),
            ("not-utf8", 8),
        ]
    );
}

#[test]
fn the_body_is_what_stands_below_the_front_matter() {
    for (file, body, line) in [
        ("---\nname: N\n---\n\nBody\n---\nrest", "Body\n---\nrest", 5),
        ("---\nname: N\n---\nBody", "Body", 4),
        ("---\nname: N\n---", "", 4),
        ("Just text", "Just text", 1),
        ("\n\nJust text", "Just text", 3),
        ("---\nname: N\n\nBody", "Body", 4),
        ("", "", 1),
    ] {
        let memory = Memory::parse(file.as_bytes());
        assert_eq!(
            (memory.body(), memory.body_line()),
            (body, line),
            "{file:?}"
        );
    }
}

#[test]
fn any_key_can_be_asked_for() {
    let memory = Memory::parse(
        b"---\nname: N\noriginSessionId: top\nmetadata:\n  originSessionId: nested\n  node_type: memory\ntags: [a, b]\n---\n",
    );
    assert_eq!(memory.value("originSessionId").as_deref(), Some("top"));
    assert_eq!(memory.value("node_type").as_deref(), Some("memory"));
    assert_eq!(memory.value("tags").as_deref(), Some("[a, b]"));
    assert_eq!(memory.value("missing"), None);
    assert_eq!(
        memory.keys(),
        [
            "name",
            "originSessionId",
            "metadata",
            "metadata.originSessionId",
            "metadata.node_type",
            "tags"
        ]
    );
}

#[test]
fn the_top_level_wins_over_metadata() {
    for file in [
        "---\nname: N\ntype: user\nmetadata:\n  type: project\n---\n",
        "---\nname: N\nmetadata:\n  type: project\ntype: user\n---\n",
        "---\nname: N\nmetadata: {type: project}\ntype: user\n---\n",
        "---\nname: N\ntype:\nmetadata:\n  type: user\n---\n",
    ] {
        assert_eq!(
            Memory::parse(file.as_bytes()).memory_type(),
            Some(MemoryType::User),
            "{file:?}"
        );
    }
}

#[test]
fn why_and_how_to_apply_are_found_in_all_their_forms() {
    for (body, why, how) in [
        (
            "Rule.\n\n**Why:** because\n\n**How to apply:** always\n",
            Some("because"),
            Some("always"),
        ),
        (
            "Rule.\n**Why**: because\n**How to apply**:\n- here\n- there\n",
            Some("because"),
            Some("- here\n- there"),
        ),
        (
            "Why: because\nHow to apply: always",
            Some("because"),
            Some("always"),
        ),
        (
            "- **Why:** because\n- **How to apply:** always",
            Some("because"),
            Some("always"),
        ),
        (
            "## Why\n\nbecause\n\n## How to apply\n\nalways\n",
            Some("because"),
            Some("always"),
        ),
        (
            "**Why:** because\n\n**Remaining:** more\n",
            Some("because"),
            None,
        ),
        (
            "**为什么：** 因为\n**如何应用：** 总是",
            Some("因为"),
            Some("总是"),
        ),
        ("**How to apply:** x\n# Next\n", None, Some("x")),
        ("Why not? Because.", None, None),
        ("```\nWhy: code\n```\n", None, None),
        ("**Why:**\n", Some(""), None),
    ] {
        let memory = Memory::parse(format!("---\nname: N\n---\n{body}").as_bytes());
        assert_eq!(
            (memory.why(), memory.how_to_apply()),
            (why, how),
            "{body:?}"
        );
    }
}

#[test]
fn a_cut_file_says_so_and_ends_at_a_character() {
    let memory = Memory::parse_prefix(
        "---\nname: N\n---\n明".as_bytes().split_last().unwrap().1,
        99,
    );
    assert!(memory.is_cut());
    assert_eq!(memory.body(), "");
    assert_eq!(memory.problems().last().unwrap().code, ProblemCode::Cut);
    assert!(!Memory::parse_prefix(b"whole", 5).is_cut());
}

#[test]
fn hostile_front_matter_is_bounded() {
    let aliases = (0..40).fold(String::from("---\nname: N\na: &a [x]\n"), |text, at| {
        text + &format!("k{at}: [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n")
    });
    let deep = format!("---\nname: {}\n---\n", "[".repeat(50_000));
    let flow = format!(
        "---\nname: N\nmetadata: {{type: {}}}\n---\n",
        "{a: ".repeat(10_000)
    );
    let endless = format!("---\n{}", "key: value\n".repeat(100_000));
    let quotes = format!("---\nname: \"{}\n---\n", "\\".repeat(60_000));
    let brackets = format!("---\nname: N\n---\n{}", "[".repeat(200_000));
    for file in [aliases, deep, flow, endless, quotes, brackets] {
        let memory = Memory::parse(file.as_bytes());
        assert_eq!(memory.print(), file.as_bytes());
    }
}

proptest! {
    #[test]
    fn printing_an_unchanged_memory_gives_its_bytes(file in prop_oneof![bytes(), front_matter_bytes()]) {
        prop_assert_eq!(Memory::parse(&file).print(), file);
    }

    #[test]
    fn parse_print_parse_is_the_identity(file in prop_oneof![bytes(), front_matter_bytes()]) {
        let memory = Memory::parse(&file);
        prop_assert_eq!(Memory::parse(&memory.print()), memory);
    }

    #[test]
    fn a_new_memory_reads_back_as_it_was_made(name in value_text(), description in value_text(), body in any::<String>()) {
        let memory = Memory::new(MemoryType::Project, &name, &description, &body);
        prop_assert_eq!(memory.name(), &name);
        prop_assert_eq!(memory.description(), &description);
        prop_assert_eq!(memory.memory_type(), Some(MemoryType::Project));
        prop_assert_eq!(memory.body().trim(), body.trim());
        prop_assert!(memory.problems().iter().all(|problem| matches!(
            problem.code,
            ProblemCode::NameMissing | ProblemCode::DescriptionMissing
        )), "{:?}", memory.problems());
    }

    #[test]
    fn modified_is_read_wherever_it_stands(seconds in -2_000_000_000_i64..4_000_000_000) {
        let time = Timestamp::from_seconds(seconds);
        for file in [
            format!("---\nname: N\nmodified: {time}\n---\n"),
            format!("---\nname: N\nmetadata:\n  modified: \"{time}\"\n---\n"),
            format!("---\nname: N\nmetadata: {{modified: '{time}'}}\n---\n"),
        ] {
            prop_assert_eq!(Memory::parse(file.as_bytes()).modified(), Some(time), "{}", file);
        }
    }
}
