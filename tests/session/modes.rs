//! What the settings let a session do.

use memstrata::extract::SkipReason;
use memstrata::memdir::{Environment, Mode};
use memstrata::session::{AfterReply, EndOfTurn};

use crate::support::{RULE, Scratch, long, said, save, skipped};

fn with_modes(modes: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.set("memstrata.toml", &format!("[modes]\n{modes}\n"));
    scratch
}

#[test]
fn off_shows_nothing_recalls_nothing_learns_nothing() {
    let scratch = with_modes("persistent = \"off\"");
    let session = scratch.session("one");
    save(
        &session,
        "Retries need jitter",
        "backoff with full jitter",
        "Always.\n",
    );
    assert_eq!(session.prompt(), None);
    assert_eq!(session.prompt_delta(), None);
    assert_eq!(session.recall("retry without jitter?").text, "");
    assert_eq!(
        session.end_of_turn(&said(RULE)),
        EndOfTurn::Skipped(SkipReason::ModeOff)
    );
    let ended = session.end();
    assert_eq!(skipped(&ended.events).len(), 2, "said once for each part");
}

#[test]
fn read_recalls_and_writes_nothing() {
    let scratch = with_modes("persistent = \"read\"");
    let session = scratch.session("one");
    save(
        &session,
        "Retries need jitter",
        "backoff with full jitter",
        "Always.\n",
    );
    assert!(
        session
            .prompt()
            .is_some_and(|prompt| prompt.contains("only reads"))
    );
    assert_eq!(session.recall("retry without jitter?").memories.len(), 1);
    assert_eq!(
        session.end_of_turn(&said(RULE)),
        EndOfTurn::Skipped(SkipReason::ModeRead)
    );
    let path = session.store().dir().join("feedback_x.md");
    assert!(!session.check_write(&path, b"x").is_allowed);
}

#[test]
fn ask_puts_what_is_learned_into_the_inbox() {
    let scratch = with_modes("persistent = \"ask\"");
    let session = scratch.session("one");
    assert!(
        session
            .prompt()
            .is_some_and(|prompt| prompt.contains("A person decides"))
    );
    session.end_of_turn(&said(RULE));
    let notices = session.notices();
    assert!(
        notices[0]
            .to_string()
            .starts_with("Put into the inbox 1 memory"),
        "{notices:?}"
    );
    assert_eq!(session.store().inbox().unwrap().items.len(), 1);
}

#[test]
fn the_session_file_obeys_its_mode() {
    for (mode, asked) in [("off", false), ("read", false), ("ask", true)] {
        let scratch = with_modes(&format!("session = \"{mode}\""));
        let session = scratch.session("one");
        let messages = long(30);
        assert_eq!(
            session.after_reply(&messages),
            AfterReply::Skipped,
            "{mode}"
        );
        let updated = session.update_session_file(&messages);
        assert_eq!(
            matches!(updated, AfterReply::Updated(_)),
            asked,
            "{mode}: {updated:?}"
        );
        let folder = session.location().session_folder("one").unwrap();
        assert_eq!(folder.exists(), asked, "{mode}");
    }
}

#[test]
fn a_session_file_is_read_in_mode_read_and_not_in_mode_off() {
    let scratch = Scratch::new();
    scratch.session("one").update_session_file(&long(30));
    for (mode, is_read) in [("read", true), ("off", false)] {
        scratch.set(
            "memstrata.toml",
            &format!("[modes]\nsession = \"{mode}\"\n"),
        );
        let session = scratch.session("one");
        assert_eq!(session.session_file().unwrap().is_some(), is_read, "{mode}");
    }
}

#[test]
fn memories_of_a_team_that_is_switched_off_stay_where_they_are() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    assert_eq!(session.modes().team, Mode::Off, "no server is configured");
    let team = session.store().dir().join("team");
    std::fs::create_dir_all(&team).unwrap();
    let text = "---\nname: Retries need jitter\ndescription: backoff with full jitter\ntype: feedback\n---\n\nx\n";
    std::fs::write(team.join("retries.md"), text).unwrap();
    assert_eq!(session.recall("retry without jitter?").text, "");
    assert!(
        session
            .prompt()
            .is_some_and(|prompt| !prompt.contains("## Memory scope"))
    );
}

#[test]
fn a_repository_lowers_modes_and_the_environment_switches_everything_off() {
    let scratch = Scratch::new();
    scratch.put(".memstrata/config.toml", "[modes]\npersistent = \"read\"\n");
    assert_eq!(scratch.session("one").modes().persistent, Mode::Read);
    let environment = Environment::new(scratch.project()).with_variable("MEMSTRATA_DISABLE", "1");
    let session = scratch
        .builder("two")
        .environment(environment)
        .start()
        .unwrap();
    assert_eq!(session.modes().session, Mode::Off);
    assert_eq!(session.prompt(), None);
}

#[test]
fn an_id_that_leads_elsewhere_starts_nothing() {
    let scratch = Scratch::new();
    for id in ["", "..", "../x", "a/b", "memory", "memory-state", ".hidden"] {
        let refused = scratch.builder(id).start().unwrap_err();
        assert_eq!(refused.kind(), memstrata::ErrorKind::SessionId, "{id}");
    }
}
