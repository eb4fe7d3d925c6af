//! Edits of a memory: the value changes, and nothing else does.

use memdir::{Memory, MemoryType};
use proptest::prelude::*;

use crate::text::{bytes, front_matter_bytes, value_text};

/// Applies an edit to a file and compares the result.
fn check(before: &str, edit: impl FnOnce(&mut Memory), after: &str) {
    let mut memory = Memory::parse(before.as_bytes());
    edit(&mut memory);
    assert_eq!(String::from_utf8_lossy(&memory.print()), after);
}

#[test]
fn a_value_is_rewritten_on_its_own_line() {
    check(
        "---\nname: N\n# note\ndescription: old\ntype: user\nx: 1\n---\nBody\n",
        |memory| memory.set_description("new: value"),
        "---\nname: N\n# note\ndescription: \"new: value\"\ntype: user\nx: 1\n---\nBody\n",
    );
    check(
        "---\r\nname: N\r\ndescription: >-\r\n  folded\r\n  text\r\ntype: user\r\n---\r\n",
        |memory| memory.set_description("plain"),
        "---\r\nname: N\r\ndescription: plain\r\ntype: user\r\n---\r\n",
    );
    check(
        "---\n\tname: N\nDescription:\told\n---\n",
        |memory| {
            memory.set_name("M");
            memory.set_description("new");
        },
        "---\n\tname: M\nDescription: new\n---\n",
    );
    check(
        "---\nname: A\nname: B\n---\n",
        |memory| memory.set_name("C"),
        "---\nname: A\nname: C\n---\n",
    );
    check(
        "---\n\"name\": A\n---\n",
        |memory| memory.set_name("B"),
        "---\nname: B\n---\n",
    );
}

#[test]
fn type_and_modified_stay_where_they_are() {
    let time = "2026-03-05T14:02:11Z".parse().unwrap();
    check(
        "---\nname: N\nmetadata: \n  node_type: memory\n  type: user\n---\n",
        |memory| {
            memory.set_type(MemoryType::Project);
            memory.set_modified(time);
        },
        "---\nname: N\nmetadata: \n  node_type: memory\n  type: project\n  modified: 2026-03-05T14:02:11Z\n---\n",
    );
    check(
        "---\nname: N\nmetadata: {type: user, node_type: memory}\n---\n",
        |memory| memory.set_type(MemoryType::Project),
        "---\nname: N\nmetadata: {type: project, node_type: memory}\n---\n",
    );
    check(
        "---\nname: N\ntype: user\nmodified: 2020-01-01T00:00:00Z\n---\n",
        |memory| memory.set_modified(time),
        "---\nname: N\ntype: user\nmodified: 2026-03-05T14:02:11Z\n---\n",
    );
    check(
        "---\nname: N\ntype: user\n---\n",
        |memory| memory.set_modified(time),
        "---\nname: N\ntype: user\nmodified: 2026-03-05T14:02:11Z\n---\n",
    );
}

#[test]
fn values_in_braces_are_written_for_braces() {
    check(
        "---\nname: N\nmetadata: {type: user, note: \"a, b\"}\n---\n",
        |memory| memory.set_value("note", "c, [d]"),
        "---\nname: N\nmetadata: {type: user, note: \"c, [d]\"}\n---\n",
    );
}

#[test]
fn missing_fields_find_their_place() {
    check(
        "---\ntype: user\n---\n",
        |memory| memory.set_name("T"),
        "---\nname: T\ntype: user\n---\n",
    );
    check(
        "---\nname: N\ntype: user\n---\n",
        |memory| memory.set_description("D"),
        "---\nname: N\ndescription: D\ntype: user\n---\n",
    );
    check(
        "---\nname: N\n---\n",
        |memory| memory.set_type(MemoryType::User),
        "---\nname: N\ntype: user\n---\n",
    );
    check(
        "Body\n",
        |memory| memory.set_name("T"),
        "---\nname: T\n---\n\nBody\n",
    );
    check("", |memory| memory.set_name("T"), "---\nname: T\n---\n");
    check(
        "---\nname: N\n\nBody\n",
        |memory| memory.set_type(MemoryType::User),
        "---\nname: N\ntype: user\n---\n\nBody\n",
    );
    check(
        "---\nname: N",
        |memory| memory.set_type(MemoryType::User),
        "---\nname: N\ntype: user\n---\n",
    );
    check(
        "---\n---\nBody\n",
        |memory| memory.set_value("x", "1"),
        "---\nx: \"1\"\n---\nBody\n",
    );
}

#[test]
fn setting_what_is_there_changes_nothing() {
    for file in [
        "---\nname:   N  \ndescription: a # b\ntype: \"user\"\n---\n",
        "---\nname: N\nmetadata: { type: user }\ndescription: >\n  a # b\n---",
    ] {
        check(
            file,
            |memory| {
                memory.set_name("N");
                memory.set_type(MemoryType::User);
                let description = memory.description().to_owned();
                memory.set_description(&description);
            },
            file,
        );
    }
}

#[test]
fn a_body_is_replaced_below_its_front_matter() {
    check(
        "---\nname: N\n---\n\nold\n",
        |memory| memory.set_body("new"),
        "---\nname: N\n---\n\nnew\n",
    );
    check(
        "---\nname: N\n---\nold",
        |memory| memory.set_body("\nnew\n\n"),
        "---\nname: N\n---\nnew\n",
    );
    check(
        "---\nname: N\n---",
        |memory| memory.set_body("new"),
        "---\nname: N\n---\n\nnew\n",
    );
    check(
        "---\r\nname: N\r\n---\r\n\r\nold\r\n",
        |memory| memory.set_body("a\nb"),
        "---\r\nname: N\r\n---\r\n\r\na\r\nb\r\n",
    );
    check("old", |memory| memory.set_body("new"), "new\n");
    check(
        "---\nname: N\n---\n  ",
        |memory| memory.set_body("new"),
        "---\nname: N\n---\n  \nnew\n",
    );
    check(
        "---\nname: N\n---\n\nold\n",
        |memory| memory.set_body(""),
        "---\nname: N\n---\n\n",
    );
}

#[test]
fn a_key_is_removed_with_all_its_lines() {
    check(
        "---\nname: N\nrelates_to:\n  - a\n  - b\nx: 1\n---\n",
        |memory| memory.remove_value("relates_to"),
        "---\nname: N\nx: 1\n---\n",
    );
    check(
        "---\nname: N\nmetadata: {type: user, x: y}\n---\n",
        |memory| memory.remove_value("x"),
        "---\nname: N\nmetadata: {type: user}\n---\n",
    );
    check(
        "---\nname: N\n---\n",
        |memory| memory.remove_value("missing"),
        "---\nname: N\n---\n",
    );
}

proptest! {
    #[test]
    fn what_is_set_is_read_back(file in prop_oneof![bytes(), front_matter_bytes()], value in value_text()) {
        let mut memory = Memory::parse(&file);
        memory.set_description(&value);
        prop_assert_eq!(memory.description(), &value, "{:?} from {:?}", String::from_utf8_lossy(&memory.print()), String::from_utf8_lossy(&file));
        memory.set_name(&value);
        prop_assert_eq!(memory.name(), &value, "{:?} from {:?}", String::from_utf8_lossy(&memory.print()), String::from_utf8_lossy(&file));
        prop_assert_eq!(memory.description(), &value);
        memory.set_type(MemoryType::Reference);
        prop_assert_eq!(memory.memory_type(), Some(MemoryType::Reference));
        memory.set_value("other-key", &value);
        prop_assert_eq!(memory.value("other-key").unwrap_or_default(), value);
    }

    #[test]
    fn an_edit_keeps_every_other_line(file in front_matter_bytes(), value in "[a-z ]{1,9}") {
        let memory = Memory::parse(&file);
        let mut edited = memory.clone();
        edited.set_name(&value);
        let keep = |memory: &Memory| {
            let mut keys = memory.keys();
            keys.retain(|key| !key.eq_ignore_ascii_case("name"));
            let values: Vec<_> = keys.iter().map(|key| memory.value(key)).collect();
            (keys, values, memory.body().to_owned())
        };
        prop_assert_eq!(keep(&edited), keep(&memory), "{:?}", String::from_utf8_lossy(&file));
    }

    #[test]
    fn a_written_value_is_the_same_text_for_a_yaml_reader(value in value_text()) {
        let memory = Memory::new(MemoryType::User, &value, "d", "");
        let printed = String::from_utf8(memory.print()).unwrap();
        let yaml = printed.trim_start_matches("---\n").trim_end_matches("---\n");
        let parsed: std::collections::BTreeMap<String, Text> = serde_yaml::from_str(yaml).unwrap();
        prop_assert_eq!(&parsed["name"].0, &value);
    }

    #[test]
    fn a_body_that_is_set_is_read_back(file in front_matter_bytes(), body in any::<String>()) {
        let mut memory = Memory::parse(&file);
        let (name, keys) = (memory.name().to_owned(), memory.keys());
        if !memory.has_front_matter() {
            return Ok(());
        }
        memory.set_body(&body);
        prop_assert_eq!(memory.name(), name);
        prop_assert_eq!(memory.keys(), keys);
    }
}

/// A value that YAML itself takes for a text, not for a number, truth value or nothing.
struct Text(String);

impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OnlyText;
        impl serde::de::Visitor<'_> for OnlyText {
            type Value = Text;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a text")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(OnlyText)
    }
}
