//! Claude Code sessions, on lines written for the case at hand.

use agent_transcript::{Options, Origin, Pictures, SkipReason};
use serde_json::json;

use crate::support::{
    assistant, call, file, ids, line, origins, part, read, read_with, result, user, with,
};

#[test]
fn the_thread_follows_links_and_not_lines() {
    let lines = [
        assistant("d", Some("c"), "four"),
        user("a", None, "one"),
        user("c", Some("b"), "three"),
        assistant("b", Some("a"), "two"),
        user("e", Some("d"), "five"),
    ];
    assert_eq!(ids(&read(file(&lines))), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_rewind_leaves_its_branch_behind() {
    let lines = [
        user("a", None, "one"),
        assistant("b", Some("a"), "two"),
        user("x", Some("b"), "wrong"),
        assistant("y", Some("x"), "wrong too"),
        user("c", Some("b"), "right"),
        assistant("d", Some("c"), "done"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "c", "d"]);
    assert_eq!(transcript.report().off_thread, 2, "and says so");
}

#[test]
fn lines_of_one_answer_are_joined_and_repeats_are_dropped() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let lines = [
        user("a", None, "go"),
        part("b", Some("a"), "msg", thought.clone()),
        part("c", Some("b"), "msg", text("one")),
        part("d", Some("c"), "msg", call("t1")),
        // The same again under other identities, as a retry of the writer leaves it.
        part("e", Some("d"), "msg", text("one")),
        part("f", Some("e"), "msg", call("t1")),
        part("g", Some("f"), "msg", text("two")),
        result("h", Some("g"), "t1"),
        // And a line that is there twice.
        result("h", Some("g"), "t1"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b+c+d+e+f+g", "h"]);
    let answer = &transcript.entries()[1];
    assert_eq!(answer.message.content.len(), 4, "thought, one, call, two");
    assert_eq!(answer.message.text(), "one\ntwo");
    assert_eq!(answer.answer_id.as_deref(), Some("msg"));
    assert_eq!(transcript.report().duplicates, 3);
}

#[test]
fn parallel_results_are_kept_wherever_they_hang() {
    // Each result hangs on its own call, so only one of three lies on the way up.
    let lines = [
        user("a", None, "go"),
        part("b", Some("a"), "msg", call("t1")),
        part("c", Some("b"), "msg", call("t2")),
        part("d", Some("c"), "msg", call("t3")),
        result("r1", Some("b"), "t1"),
        result("r2", Some("c"), "t2"),
        result("r3", Some("d"), "t3"),
        assistant("e", Some("r3"), "done"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b+c+d", "r1", "r2", "r3", "e"]);
    assert_eq!(transcript.report().off_thread, 0);
}

#[test]
fn results_between_the_lines_of_their_answer_come_behind_it() {
    let lines = [
        user("a", None, "go"),
        part("b", Some("a"), "msg", call("t1")),
        result("r1", Some("b"), "t1"),
        part("c", Some("r1"), "msg", call("t2")),
        with(
            line("progress", "p", Some("c"), json!("")),
            json!({ "message": null }),
        ),
        result("r2", Some("p"), "t2"),
        assistant("d", Some("r2"), "done"),
    ];
    assert_eq!(ids(&read(file(&lines))), ["a", "b+c", "r1", "r2", "d"]);
}

#[test]
fn of_two_results_of_one_call_the_one_on_the_way_counts() {
    let lines = [
        user("a", None, "go"),
        part("b", Some("a"), "msg", call("t1")),
        result("left", Some("b"), "t1"),
        assistant("x", Some("left"), "left behind"),
        result("kept", Some("b"), "t1"),
        assistant("d", Some("kept"), "done"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "kept", "d"]);
    assert_eq!(transcript.report().off_thread, 2);
}

#[test]
fn circles_and_self_parents_end_and_lose_nothing() {
    let circle = [
        user("a", Some("c"), "1"),
        assistant("b", Some("a"), "2"),
        user("c", Some("b"), "3"),
    ];
    assert_eq!(ids(&read(file(&circle))), ["a", "b", "c"]);
    let own = [
        user("a", None, "1"),
        assistant("b", Some("b"), "2"),
        user("c", Some("b"), "3"),
    ];
    assert_eq!(ids(&read(file(&own))), ["a", "b", "c"]);
    let alone = [user("a", Some("a"), "1")];
    assert_eq!(ids(&read(file(&alone))), ["a"]);
    let late = [
        user("a", None, "1"),
        assistant("b", Some("a"), "2"),
        user("c", Some("d"), "3"),
        assistant("d", Some("c"), "4"),
    ];
    assert_eq!(
        ids(&read(file(&late))),
        ["a", "b", "c", "d"],
        "a circle at the end hangs on what is before"
    );
}

#[test]
fn a_bad_line_in_the_middle_costs_itself_only() {
    let mut text = file(&[user("a", None, "1"), assistant("b", Some("a"), "2")]);
    text += "{\"type\":\"user\",\"uuid\":\"lost\",\"parentUuid\":\"b\",\"message\":{\"ro\n";
    text += &file(&[assistant("d", Some("lost"), "4"), user("e", Some("d"), "5")]);
    let transcript = read(text);
    assert_eq!(ids(&transcript), ["a", "b", "d", "e"]);
    assert_eq!(transcript.report().skipped()[0].reason, SkipReason::CutOff);
    assert_eq!(transcript.report().skipped()[0].line, 3);
}

#[test]
fn a_first_parent_may_be_missing() {
    let lines = [
        assistant("b", Some("elsewhere"), "1"),
        user("c", Some("b"), "2"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["b", "c"]);
    assert!(!transcript.report().file_order);
}

#[test]
fn without_links_file_order_is_all_there_is() {
    let lines = [
        user("a", None, "1"),
        assistant("b", None, "2"),
        user("c", Some("gone"), "3"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "c"]);
    assert!(transcript.report().file_order, "and the report says so");
}

#[test]
fn lines_without_identity_get_one_from_their_place() {
    let mut lines = [user("", None, "1"), assistant("", None, "2")];
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("uuid");
    }
    assert_eq!(ids(&read(file(&lines))), ["line-1", "line-2"]);
}

fn boundary(uuid: &str, logical: &str) -> serde_json::Value {
    json!({
        "type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": null,
        "logicalParentUuid": logical, "sessionId": "s",
        "compactMetadata": { "trigger": "auto", "preTokens": 1000 },
    })
}

#[test]
fn the_thread_runs_through_compactions_and_knows_what_is_live() {
    let summary = |uuid: &str, parent: &str| {
        let text = "This session is being continued from a previous conversation …";
        with(
            user(uuid, Some(parent), text),
            json!({ "isCompactSummary": true, "isVisibleInTranscriptOnly": true }),
        )
    };
    let lines = [
        user("a", None, "1"),
        assistant("b", Some("a"), "2"),
        // A branch that was left before the compaction stays left.
        user("x", Some("a"), "left"),
        assistant("c", Some("b"), "3"),
        boundary("k1", "c"),
        summary("s1", "k1"),
        assistant("d", Some("s1"), "4"),
        boundary("k2", "nowhere"),
        summary("s2", "k2"),
        user("e", Some("s2"), "5"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "c", "s1", "d", "s2", "e"]);
    let at: Vec<usize> = transcript
        .boundaries()
        .iter()
        .map(|boundary| boundary.at)
        .collect();
    assert_eq!(at, [3, 5]);
    assert_eq!(transcript.live().len(), 2);
    assert_eq!(transcript.live()[0].origin, Origin::CompactSummary);
    assert!(
        transcript.live()[0].model_visible,
        "the person does not see it, the model does"
    );
    assert_eq!(transcript.report().off_thread, 1);
}

#[test]
fn a_boundary_that_hangs_on_the_chain_divides_it_too() {
    let mut chained = boundary("k", "b");
    chained["parentUuid"] = json!("b");
    let lines = [
        user("a", None, "1"),
        assistant("b", Some("a"), "2"),
        chained,
        user("c", Some("k"), "3"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "c"]);
    assert_eq!(transcript.live().len(), 1);
}

#[test]
fn sub_agents_between_the_lines_are_taken_out_each_by_itself() {
    let side = |line: serde_json::Value| with(line, json!({ "isSidechain": true }));
    let lines = [
        user("a", None, "go"),
        part("b", Some("a"), "msg", call("t1")),
        part("c", Some("b"), "msg", call("t2")),
        side(user("s1", None, "prompt one")),
        side(user("u1", None, "prompt two")),
        side(part("s2", Some("s1"), "m1", call("x"))),
        side(part("u2", Some("u1"), "m2", call("x"))),
        side(result("s3", Some("s2"), "x")),
        side(assistant("u3", Some("u2"), "two done")),
        side(assistant("s4", Some("s3"), "one done")),
        result("r1", Some("b"), "t1"),
        // Hangs on a sub-agent's line by mistake.
        result("r2", Some("s4"), "t2"),
        assistant("d", Some("r2"), "done"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b+c", "r1", "r2", "d"]);
    let agents: Vec<Vec<&str>> = transcript
        .sub_agents()
        .iter()
        .map(|agent| {
            agent
                .entries
                .iter()
                .filter_map(|e| e.message.id.as_deref())
                .collect()
        })
        .collect();
    assert_eq!(
        agents,
        [vec!["s1", "s2", "s3", "s4"], vec!["u1", "u2", "u3"]]
    );
    assert_eq!(
        transcript.sub_agents()[0].entries[0].origin,
        Origin::Injected
    );
    assert_eq!(transcript.report().off_thread, 0);
}

#[test]
fn an_agents_id_keeps_its_thread_together() {
    let side = |line, id: &str| with(line, json!({ "isSidechain": true, "agentId": id }));
    let lines = [
        side(user("a", None, "prompt"), "one"),
        side(user("b", None, "other prompt"), "two"),
        side(assistant("c", Some("lost"), "reply"), "one"),
    ];
    let transcript = read(file(&lines));
    assert!(transcript.entries().is_empty());
    let ids: Vec<_> = transcript
        .sub_agents()
        .iter()
        .map(|agent| agent.id.as_deref())
        .collect();
    assert_eq!(ids, [Some("one"), Some("two")]);
    assert_eq!(transcript.sub_agents()[0].entries.len(), 2);
    let role = agent_transcript::FileRole::SubAgent {
        id: Some("one".into()),
    };
    assert_eq!(
        transcript.session().role,
        role,
        "a file without a person is a sub-agent's"
    );
}

#[test]
fn who_wrote_a_line_is_told_apart() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let cases = [
        (user("a", None, "use pnpm"), Origin::Person),
        (line("user", "a", None, text("use pnpm")), Origin::Person),
        (
            with(user("a", None, "be nice"), json!({ "isMeta": true })),
            Origin::Injected,
        ),
        (
            with(user("a", None, "x"), json!({ "isCompactSummary": true })),
            Origin::CompactSummary,
        ),
        (
            with(user("a", None, "x"), json!({ "teamName": "t" })),
            Origin::Teammate,
        ),
        (
            user("a", None, "<command-name>/init</command-name>"),
            Origin::Command,
        ),
        (
            user("a", None, "<bash-input>ls</bash-input>"),
            Origin::Command,
        ),
        (
            user("a", None, "<local-command-stdout>x</local-command-stdout>"),
            Origin::CommandOutput,
        ),
        (
            user("a", None, "[Request interrupted by user]"),
            Origin::Interruption,
        ),
        (
            user("a", None, "<system-reminder>x</system-reminder>"),
            Origin::Injected,
        ),
        (result("a", None, "t"), Origin::Tool),
        (
            line(
                "user",
                "a",
                None,
                json!([
                    { "type": "tool_result", "tool_use_id": "t", "content": "x" },
                    { "type": "text", "text": "beside a result nobody types" },
                ]),
            ),
            Origin::Tool,
        ),
        (
            line(
                "user",
                "a",
                None,
                json!([
                    { "type": "text", "text": "<ide_opened_file>x</ide_opened_file>" },
                    { "type": "text", "text": "why is this red?" },
                ]),
            ),
            Origin::Person,
        ),
        (
            line(
                "user",
                "a",
                None,
                json!([{ "type": "image", "source": { "type": "url", "url": "u" } }]),
            ),
            Origin::Person,
        ),
        (
            line("user", "a", None, json!([{ "type": "document" }])),
            Origin::Injected,
        ),
        (assistant("a", None, "x"), Origin::Assistant),
        (
            with(
                assistant("a", None, "x"),
                json!({ "isApiErrorMessage": true }),
            ),
            Origin::ErrorNotice,
        ),
    ];
    for (line, origin) in cases {
        assert_eq!(
            origins(&read(file(std::slice::from_ref(&line)))),
            [origin],
            "{line}"
        );
    }
    let mut synthetic = assistant("a", None, "You've hit your limit");
    synthetic["message"]["model"] = json!("<synthetic>");
    let transcript = read(file(&[synthetic]));
    assert_eq!(transcript.entries()[0].origin, Origin::ErrorNotice);
    assert!(!transcript.entries()[0].model_visible);
}

#[test]
fn words_of_the_person_leave_out_what_was_put_in() {
    let lines = [line(
        "user",
        "a",
        None,
        json!([
            { "type": "text", "text": "<ide_selection>secret stuff</ide_selection>" },
            { "type": "text", "text": "rename this\n<system-reminder>be nice</system-reminder>" },
            { "type": "image", "source": { "type": "url", "url": "u" } },
        ]),
    )];
    let transcript = read(file(&lines));
    assert_eq!(transcript.entries()[0].person_text(), "rename this");
}

#[test]
fn attachments_bring_what_hooks_said_and_what_was_queued() {
    let attachment = |uuid: &str, parent: Option<&str>, what: serde_json::Value| json!({ "type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "attachment": what });
    let lines = [
        attachment(
            "h1",
            None,
            json!({ "type": "hook_success", "content": "branch main" }),
        ),
        attachment(
            "h2",
            Some("h1"),
            json!({ "type": "hook_additional_context", "content": ["a", "b"] }),
        ),
        attachment(
            "h3",
            Some("h2"),
            json!({ "type": "todo_reminder", "itemCount": 3 }),
        ),
        attachment(
            "h4",
            Some("h3"),
            json!({ "type": "hook_success", "content": " " }),
        ),
        user("a", Some("h4"), "go"),
        attachment(
            "q1",
            Some("a"),
            json!({ "type": "queued_command", "prompt": "and use pnpm" }),
        ),
        attachment(
            "q2",
            Some("q1"),
            json!({ "type": "queued_command", "prompt": [
            { "type": "text", "text": "see this" }, { "type": "image", "source": { "type": "url", "url": "u" } } ] }),
        ),
        attachment(
            "q3",
            Some("q2"),
            json!({ "type": "queued_command", "prompt": "<task-notification>x</task-notification>" }),
        ),
        assistant("b", Some("q3"), "yes"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["h1", "h2", "a", "q1", "q2", "q3", "b"]);
    assert_eq!(
        origins(&transcript),
        [
            Origin::Injected,
            Origin::Injected,
            Origin::Person,
            Origin::Person,
            Origin::Person,
            Origin::Injected,
            Origin::Assistant,
        ]
    );
    assert_eq!(transcript.entries()[1].message.text(), "a\nb");
    assert_eq!(transcript.report().notes, 2);
}

#[test]
fn the_last_word_may_be_the_agents_own_if_there_is_no_other() {
    let meta = |line| with(line, json!({ "isMeta": true }));
    let lines = [
        user("a", None, "go"),
        assistant("b", Some("a"), "done"),
        meta(user("c", Some("b"), "caveat")),
    ];
    assert_eq!(
        ids(&read(file(&lines))),
        ["a", "b"],
        "what follows the last word is not part of it"
    );
    let only = [meta(user("a", None, "x")), meta(user("b", Some("a"), "y"))];
    assert_eq!(ids(&read(file(&only))), ["a", "b"]);
}

#[test]
fn a_damaged_line_is_made_good_by_a_later_whole_one() {
    let mut broken = user("b", Some("a"), "x");
    broken["message"] = json!("error");
    let lines = [
        user("a", None, "1"),
        broken,
        assistant("b", Some("a"), "2"),
        user("c", Some("b"), "3"),
    ];
    let transcript = read(file(&lines));
    assert_eq!(ids(&transcript), ["a", "b", "c"]);
    assert_eq!(transcript.report().by_reason()[&SkipReason::NoMessage], 1);
}

#[test]
fn a_line_without_its_message_still_holds_the_chain() {
    let mut broken = assistant("b", Some("a"), "x");
    broken["message"].as_object_mut().unwrap().remove("content");
    let lines = [user("a", None, "1"), broken, user("c", Some("b"), "3")];
    assert_eq!(ids(&read(file(&lines))), ["a", "c"]);
}

#[test]
fn keys_of_unexpected_types_are_absent_and_nothing_more() {
    let odd = json!({
        "type": "user", "uuid": "a", "parentUuid": 7, "isMeta": "yes", "cwd": ["x"], "version": {},
        "timestamp": 12, "isSidechain": null, "sessionId": "s", "gitBranch": 1.5, "teamName": false,
        "message": { "role": "user", "content": "hi", "usage": "none", "id": [] },
    });
    let transcript = read(file(&[odd]));
    let entry = &transcript.entries()[0];
    assert_eq!(entry.origin, Origin::Person);
    assert_eq!((entry.time, entry.place.cwd.as_deref()), (None, None));
}

#[test]
fn huge_results_are_cut_between_characters_and_counted() {
    let block = json!({ "type": "tool_result", "tool_use_id": "t1", "is_error": true,
        "content": [{ "type": "text", "text": "ä".repeat(600) }] });
    let lines = [
        part("a", None, "m", call("t1")),
        line("user", "b", Some("a"), json!([block])),
    ];
    let options = Options::default().with_max_result_bytes(1_001);
    let transcript = read_with(file(&lines), &options);
    let entry = &transcript.entries()[1];
    let result = entry.message.tool_results().next().unwrap();
    assert_eq!(result.joined_text(), "ä".repeat(500));
    assert!(result.is_error && entry.cut);
    assert_eq!(transcript.report().cut_results, 1);
    assert!(
        !read(file(&lines)).entries()[1].cut,
        "it is within the usual limit"
    );
}

#[test]
fn pictures_stay_or_make_room_for_a_note() {
    let picture = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": [picture] });
    let lines = [line(
        "user",
        "a",
        None,
        json!([picture, { "type": "text", "text": "see" }, result]),
    )];
    let kept = read(file(&lines));
    assert_eq!(kept.entries()[0].message.to_json()["content"][0], picture);
    let omitted = read_with(
        file(&lines),
        &Options::default().with_pictures(Pictures::Omit),
    );
    assert_eq!(omitted.report().omitted_pictures, 2);
    assert!(
        !omitted.entries()[0]
            .message
            .to_json()
            .to_string()
            .contains("AAAA")
    );
    assert_eq!(
        omitted.entries()[0].message.text(),
        "[picture left out]\nsee"
    );
}

#[test]
fn blocks_are_read_like_the_model_crate_reads_them() {
    let blocks = json!([
        { "type": "text", "text": "t\u{1F600}\\\"" },
        { "type": "thinking", "thinking": "", "signature": "s" },
        { "type": "redacted_thinking", "data": "d" },
        { "type": "tool_use", "id": "i", "name": "n", "input": { "z": [1, 2.5, null], "a": "b" }, "caller": {} },
        { "type": "tool_result", "tool_use_id": "i", "content": "x", "is_error": true },
        { "type": "tool_result", "tool_use_id": "i", "content": [{ "type": "text", "text": "x" }, { "type": "odd" }] },
        { "type": "tool_result", "tool_use_id": "i", "content": null },
        { "type": "image", "source": { "type": "url", "url": "u" } },
        { "type": "image", "source": { "type": "file" } },
        { "type": "document", "source": {} },
        { "type": "text" },
        "bare",
        7,
        null,
    ]);
    let transcript = read(file(&[line("assistant", "a", None, blocks.clone())]));
    let expected: Vec<_> = blocks
        .as_array()
        .unwrap()
        .iter()
        .map(|block| agent_model::Block::from_json(block.clone()).to_json())
        .collect();
    let read: Vec<_> = transcript.entries()[0]
        .message
        .content
        .iter()
        .map(agent_model::Block::to_json)
        .collect();
    assert_eq!(read, expected);
}

#[test]
fn with_too_many_messages_the_oldest_are_dropped() {
    let mut lines = vec![user("0", None, "first")];
    for n in 1..50 {
        lines.push(user(&n.to_string(), Some(&(n - 1).to_string()), "more"));
    }
    let options = Options::default().with_max_messages(10);
    let transcript = read_with(file(&lines), &options);
    let expected: Vec<String> = (40..50).map(|n| n.to_string()).collect();
    assert_eq!(ids(&transcript), expected);
    assert_eq!(transcript.report().dropped, 40);
    assert_eq!(
        transcript.report().messages,
        50,
        "they were read all the same"
    );
}
