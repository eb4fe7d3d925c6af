//! Generators of texts that look like memory files, and of bytes that do not.

use proptest::prelude::*;

/// Any bytes, with line ends and fences more often than chance has them.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..12),
        2 => Just(b"\n".to_vec()),
        1 => Just(b"---\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Files made of the lines that front matter is made of, right and wrong.
pub(crate) fn front_matter_bytes() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "---",
        "--- ",
        "...",
        "",
        "  ",
        "name: Title",
        "name:",
        "\tname: tab",
        "name: \"quoted\"",
        "name: \"open",
        "description: a: b",
        "description: # c",
        "description: >-",
        "  folded",
        "\ttabbed",
        "type: user",
        "type: FEEDBACK",
        "type: odd",
        "metadata:",
        "metadata: ",
        "  type: project",
        "  node_type: memory",
        "  modified: 2026-03-05T14:02:11Z",
        "metadata: {type: user}",
        "modified: 2026-03-05",
        "- item",
        "  - item",
        "# comment",
        "prose, not a field",
        "key: [a, b",
        "key: |",
        "\"quoted key\": x",
        "名: 值",
        "name：全角",
        "**Why:** x",
        "\u{FEFF}---",
        "type : user",
        "\0",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", ""]);
    prop::collection::vec((line, end), 0..16)
        .prop_map(|lines| {
            let lines: Vec<u8> = lines
                .into_iter()
                .flat_map(|(line, end)| [line.as_bytes(), end.as_bytes()].concat())
                .collect();
            lines
        })
        .prop_flat_map(|lines| {
            (Just(lines), any::<bool>()).prop_map(|(lines, fenced)| {
                if fenced {
                    [b"---\n", lines.as_slice()].concat()
                } else {
                    lines
                }
            })
        })
}

/// Values that need care when they are written.
pub(crate) fn value_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,12}",
        prop::sample::select(vec![
            "yes",
            "No",
            "null",
            "~",
            "1.10",
            "0x1F",
            "1_000",
            "2026-03-05",
            "12:30:45",
            ".5",
            "+1",
            "-",
            "?",
            ":",
            "a: b",
            "a #b",
            "a:",
            " lead",
            "trail ",
            "\t",
            "\n",
            "two\nlines",
            "\"q\"",
            "'q'",
            "[x]",
            "{x}",
            "#x",
            "&x",
            "*x",
            "!x",
            "|",
            ">",
            "%x",
            "@x",
            "`x`",
            "=",
            "<<",
            "\u{85}",
            "\u{2028}",
            "\u{FEFF}x",
            "\u{7f}",
            "中文：冒号",
            "日本語",
            "emoji 🎉",
            "---",
            "...",
            "- x",
            "x\\",
            "\\x",
            "x\r",
            "é",
            "e\u{301}",
            "\u{0}",
            "a\u{1b}[31m",
            "1e3",
            "0o7",
            "true",
            "12e03",
            "- ",
            "? x",
        ])
        .prop_map(str::to_owned),
    ]
}
