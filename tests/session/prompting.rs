//! The memory prompt and its delta.

use crate::support::{Scratch, save};

#[test]
fn the_prompt_stays_the_same_bytes_and_the_delta_says_what_is_new() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    save(
        &session,
        "Squash merges",
        "one commit a change",
        "Squash.\n",
    );
    let prompt = session.prompt().unwrap();
    assert!(prompt.contains("feedback_squash_merges.md"));
    assert!(
        session.store().dir().is_dir(),
        "the prompt promises the folder"
    );
    assert_eq!(session.prompt_delta(), None);

    save(
        &session,
        "Retries need jitter",
        "backoff with full jitter",
        "Always.\n",
    );
    assert_eq!(session.prompt().unwrap(), prompt, "a prompt cache holds");
    let delta = session.prompt_delta().unwrap();
    assert!(
        delta.contains("feedback_retries_need_jitter.md") && !delta.contains("squash"),
        "{delta}"
    );
    assert_eq!(session.prompt_delta(), None, "once");
}

#[test]
fn another_process_of_the_session_knows_what_was_told() {
    let scratch = Scratch::new();
    let first = scratch.session("one");
    first.prompt();
    drop(first);
    let second = scratch.session("one");
    assert_eq!(second.prompt_delta(), None);
    save(&second, "Squash merges", "one commit a change", "Squash.\n");
    assert!(second.prompt_delta().is_some());
    // Where the host has a prompt of its own, the first delta only remembers.
    let other = scratch.session("two");
    assert_eq!(other.prompt_delta(), None);
    save(
        &other,
        "Retries need jitter",
        "backoff with full jitter",
        "Always.\n",
    );
    assert!(other.prompt_delta().unwrap().contains("jitter"));
}

#[test]
fn what_a_session_remembers_holds_no_words_of_memories() {
    let scratch = Scratch::new();
    let session = scratch.session("one");
    save(
        &session,
        "Squash merges",
        "one commit a change",
        "Squash before merging.\n",
    );
    session.prompt();
    session.recall("squash before merging?");
    let folder = session.store().state_dir().unwrap().join("sessions");
    let mut read = String::new();
    for file in std::fs::read_dir(folder).unwrap() {
        read.push_str(&std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    assert!(read.contains("feedback_squash_merges.md"), "{read}");
    assert!(
        !read.contains("commit") && !read.contains("before"),
        "{read}"
    );
}
