//! Any bytes, any links.

use std::collections::HashSet;

use agent_transcript::{Format, Options, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{call, check_invariants, file, part, result, user, with};

const FORMATS: [Format; 3] = [Format::ClaudeCode, Format::Codex, Format::GeminiCli];

/// A line out of a small world, so that links, answers and calls meet by chance.
fn lines() -> impl Strategy<Value = Value> {
    let id = || (0_u8..12).prop_map(|n| format!("n{n}"));
    let parent = || proptest::option::of(id());
    let flags = (any::<bool>(), any::<bool>(), 0_u8..8).prop_map(|(meta, team, side)| {
        json!({
            "isMeta": meta && team,
            "isSidechain": side == 0,
            "teamName": if team && !meta && side == 1 { json!("t") } else { json!(null) },
        })
    });
    let line = prop_oneof![
        (id(), parent()).prop_map(|(id, parent)| user(&id, parent.as_deref(), "words")),
        (id(), parent(), 0_u8..4, 0_u8..4).prop_map(|(id, parent, answer, of)| part(
            &id,
            parent.as_deref(),
            &format!("m{answer}"),
            call(&format!("t{of}"))
        )),
        (id(), parent(), 0_u8..4).prop_map(|(id, parent, of)| result(
            &id,
            parent.as_deref(),
            &format!("t{of}")
        )),
        (id(), parent()).prop_map(|(id, parent)| json!({
            "type": "system", "subtype": "compact_boundary", "uuid": id, "parentUuid": parent,
        })),
        (id(), parent()).prop_map(
            |(id, parent)| json!({ "type": "progress", "uuid": id, "parentUuid": parent })
        ),
        Just(json!({ "type": "user", "uuid": "n0", "message": "broken" })),
    ];
    (line, flags).prop_map(|(line, flags)| with(line, flags))
}

proptest! {
    #[test]
    fn any_links_give_a_thread_without_repeats_and_count_every_message(
        lines in proptest::collection::vec(lines(), 0..40),
    ) {
        let options = Options::default().with_format(Format::ClaudeCode);
        let transcript = Transcript::read(file(&lines).as_bytes(), &options).unwrap();
        check_invariants(&transcript);
        let mut seen = HashSet::new();
        let side = transcript.sub_agents().iter().flat_map(|agent| &agent.entries);
        let mut kept = 0;
        for entry in transcript.entries().iter().chain(side) {
            for id in entry.ids() {
                prop_assert!(seen.insert((id.clone(), entry.line)), "{} is there twice", id);
                kept += 1;
            }
        }
        // Every message is on a thread, on a branch that was left, or was there before.
        let report = transcript.report();
        let repeats = report.messages - report.off_thread - kept;
        prop_assert!(repeats <= report.duplicates, "{report:?}");
    }

    #[test]
    fn a_longer_file_never_loses_the_thread_of_a_shorter_one_that_it_continues(
        lines in proptest::collection::vec(lines(), 0..20),
    ) {
        // What is appended behind the last word continues it.
        let options = Options::default().with_format(Format::ClaudeCode);
        let text = file(&lines);
        let before = Transcript::read(text.as_bytes(), &options).unwrap();
        let Some(last) = before.entries().last().and_then(|entry| entry.last_id()) else {
            return Ok(());
        };
        let after = text.clone() + &file(&[user("new", Some(last), "next")]);
        let after = Transcript::read(after.as_bytes(), &options).unwrap();
        let newest = after.entries().last().and_then(|entry| entry.last_id());
        prop_assert_eq!(newest, Some("new"));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for format in FORMATS {
            let options = Options::default().with_format(format);
            if let Ok(transcript) = Transcript::read(&bytes[..], &options) {
                check_invariants(&transcript);
            }
        }
        let _ = Transcript::read(&bytes[..], &Options::default());
    }

    #[test]
    fn a_file_cut_anywhere_is_read_up_to_the_cut(cut in 0_usize..100) {
        let lines = [
            user("a", None, "eins ä"),
            part("b", Some("a"), "m", call("t")),
            result("c", Some("b"), "t"),
            user("d", Some("c"), "vier 日本"),
        ];
        let text = file(&lines);
        let at = text.len() * cut / 100;
        let options = Options::default().with_format(Format::ClaudeCode);
        let transcript = Transcript::read(&text.as_bytes()[..at], &options).unwrap();
        check_invariants(&transcript);
        let whole = text.as_bytes()[..at].split(|byte| *byte == b'\n').count() - 1;
        prop_assert!(transcript.entries().len() >= whole);
        prop_assert!(transcript.report().skipped_total() <= 1);
    }
}
