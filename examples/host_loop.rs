//! The smallest host: a loop that talks, with a memory that outlives the session.
//!
//! ```text
//! cargo run --example host_loop
//! ```
//!
//! The "model" here answers the same to everything; what matters is when a host calls the session.

use memstrata::Session;
use memstrata::model::Message;

/// What the person says in two sessions, a day apart.
const YESTERDAY: &[&str] = &[
    "From now on, run the tests with `cargo nextest`, plain cargo test hangs on CI.",
    "Please fix the login test.",
];
const TODAY: &[&str] = &["How do I run the tests here?"];

#[expect(clippy::print_stdout, reason = "an example shows what happens")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
    std::fs::create_dir(&project)?;
    for said in [YESTERDAY, TODAY] {
        let session = Session::builder()
            .project(&project)
            .home(&home)
            .host("host-loop")
            .start()?;
        // Once, in front of everything: the same bytes for the whole session.
        let system = session.prompt();
        println!(
            "--- a session with {} bytes of memory prompt",
            system.map_or(0, |text| text.len())
        );

        let mut messages: Vec<Message> = Vec::new();
        for words in said {
            println!("person: {words}");
            let recalled = session.recall(words);
            // What is recalled goes in front of the message, for this request only.
            let mut message = Message::user(*words);
            if !recalled.text.is_empty() {
                println!("{}", recalled.text);
                message = Message::user(format!("{}\n{words}", recalled.text));
            }
            let reply = answer(&messages, &message);
            messages.push(Message::user(*words));
            messages.push(reply);
            session.after_reply(&messages);
            session.end_of_turn(&messages);
        }
        // At most a minute, usually some milliseconds.
        for notice in session.end().notices {
            println!("memory: {notice}");
        }
    }
    Ok(())
}

/// Stands in for a real model.
fn answer(_conversation: &[Message], _message: &Message) -> Message {
    Message::assistant("Done.")
}
