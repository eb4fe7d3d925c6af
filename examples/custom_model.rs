//! A model of your own for the work of a session: here one that chooses memories, and one that is always busy.
//!
//! ```text
//! cargo run --example custom_model --features session-model
//! ```

use std::sync::Arc;

use memstrata::memdir::{MemoryType, Origin, SaveRequest};
use memstrata::model::{
    Answer, Error, ErrorKind, Model, Provider, Purpose, Reply, Request, Vendor,
};
use memstrata::{Models, Session};

/// Picks every memory of the menu that names a tool; a real one would send the request somewhere.
struct Picker {
    provider: Provider,
}

impl Model for Picker {
    fn ask<'a>(&'a self, request: &'a Request) -> Answer<'a> {
        Box::pin(async move {
            let menu = request.messages.last().map(memstrata::model::Message::text);
            let menu = menu.unwrap_or_default();
            let is_picked = |line: &&str| line.starts_with("- [") && line.contains("nextest");
            // `- [type] file (time): description`
            let file = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
            let files: Vec<String> = menu.lines().filter(is_picked).filter_map(file).collect();
            let answer = serde_json::json!({ "selected_memories": files });
            Ok(Reply::text_only(answer.to_string()))
        })
    }

    fn provider(&self) -> &Provider {
        &self.provider
    }

    fn name(&self) -> &'static str {
        "picker"
    }
}

/// Never answers: the rules do its work, and the person is told once.
struct Busy {
    provider: Provider,
}

impl Model for Busy {
    fn ask<'a>(&'a self, _: &'a Request) -> Answer<'a> {
        Box::pin(async { Err(Error::new(ErrorKind::Overloaded, "try again tomorrow")) })
    }

    fn provider(&self) -> &Provider {
        &self.provider
    }

    fn name(&self) -> &'static str {
        "busy"
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what happens")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let (home, project) = (scratch.path().join("home"), scratch.path().join("app"));
    std::fs::create_dir(&project)?;
    let models = Models::new()
        .with(
            &Purpose::Recall,
            Arc::new(Picker {
                provider: Provider::new(Vendor::Local),
            }),
        )
        .with(
            &Purpose::Extract,
            Arc::new(Busy {
                provider: Provider::new(Vendor::Local),
            }),
        );
    let session = Session::builder()
        .project(&project)
        .home(&home)
        .models(models)
        .start()?;

    let me = Origin::person("example");
    for (name, description) in [
        (
            "Tests",
            "run the tests with nextest, never with plain cargo test",
        ),
        ("Test names", "test names are sentences"),
    ] {
        let request = SaveRequest::new(MemoryType::Feedback, name, description, "Always.");
        session.store().save(&request, &me)?;
    }
    let recalled = session.recall("how do I run the tests?");
    assert!(recalled.by_model);
    for memory in &recalled.memories {
        println!("chosen: {}", memory.path);
    }

    let said = "From now on, ask before you add a dependency, we got burned by one.";
    let messages = [
        memstrata::model::Message::user(said),
        memstrata::model::Message::assistant("I will."),
    ];
    session.end_of_turn(&messages[..]);
    for notice in session.end().notices {
        println!("memory: {notice}");
    }
    Ok(())
}
