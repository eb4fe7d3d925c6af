//! The updater: one permission, never two at once, bounded waits, and the fall-back.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    Answer, Block, Error, Message, Model, Provider, Reply, Request, ScriptedModel, ToolUse, Vendor,
};
use forked_agent::{Clock, Sleep};
use memdir::Date;
use serde_json::{Value, json};
use session_memory::{
    Config, Entry, NOTES_FILE, SessionFile, Triggered, Turn, Updater, UpdaterOptions,
};
use tokio::sync::watch;

use crate::store::{Folder, commit};

mod compaction;
mod permissions;
mod timing;
mod updates;

/// A clock that stands still until it is told the time.
#[derive(Debug)]
pub(crate) struct TestClock(watch::Sender<Duration>);

impl TestClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(TestClock(watch::Sender::new(Duration::ZERO)))
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.0
            .send_modify(|now| *now += Duration::from_secs(seconds));
    }

    /// How many wait for a later time.
    pub(crate) fn sleepers(&self) -> usize {
        self.0.receiver_count()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        *self.0.borrow()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        let mut seen = self.0.subscribe();
        let until = self.now().saturating_add(duration);
        Box::pin(async move {
            let _ = seen.wait_for(|now| *now >= until).await;
        })
    }
}

/// A model that answers when it is told to.
pub(crate) struct Waiting {
    go: watch::Receiver<bool>,
    asked: watch::Sender<usize>,
    reply: Box<dyn Fn() -> Reply + Send + Sync>,
    provider: Provider,
}

impl Waiting {
    pub(crate) fn new(
        reply: impl Fn() -> Reply + Send + Sync + 'static,
    ) -> (Arc<Self>, watch::Sender<bool>) {
        let (sender, go) = watch::channel(false);
        let model = Waiting {
            go,
            asked: watch::Sender::new(0),
            reply: Box::new(reply),
            provider: Provider::new(Vendor::Local),
        };
        (Arc::new(model), sender)
    }

    /// Waits until it was asked so often.
    pub(crate) async fn asked(&self, times: usize) {
        let mut seen = self.asked.subscribe();
        seen.wait_for(|count| *count >= times)
            .await
            .expect("a model");
    }
}

impl Model for Waiting {
    fn ask<'a>(&'a self, _: &'a Request) -> Answer<'a> {
        let mut go = self.go.clone();
        Box::pin(async move {
            self.asked.send_modify(|count| *count += 1);
            let _ = go.wait_for(|go| *go).await;
            Ok::<_, Error>((self.reply)())
        })
    }

    fn provider(&self) -> &Provider {
        &self.provider
    }

    fn name(&self) -> &'static str {
        "waiting"
    }
}

/// A session with a committed pair, and a conversation that is due for an update.
pub(crate) struct Scene {
    pub(crate) folder: Folder,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) request: Request,
    pub(crate) entries: Vec<Entry>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        let edit = ToolUse::new("c1", "Edit", json!({"file_path": "src/lexer.rs"}));
        let messages = vec![
            Message::user("make the parser accept tabs").with_id("m1"),
            Message::new(
                agent_model::Role::Assistant,
                vec![Block::Text("I begin.".into()), Block::ToolUse(edit)],
            )
            .with_id("m2"),
            Message::new(
                agent_model::Role::User,
                vec![Block::ToolResult(agent_model::ToolResult::text(
                    "c1", "done",
                ))],
            )
            .with_id("m3"),
            Message::assistant("Tabs are accepted.").with_id("m4"),
        ];
        let entries = messages
            .iter()
            .enumerate()
            .map(|(index, message)| match index {
                0 => Entry::Instruction(message.clone()),
                _ => Entry::Message(message.clone()),
            });
        Scene {
            entries: entries.collect(),
            request: Request::new(messages)
                .with_system("You are a coding agent.")
                .with_tools(vec![agent_model::Tool::new(
                    "Edit",
                    "Replaces text.",
                    json!({"type": "object"}),
                )]),
            clock: TestClock::new(),
            folder,
        }
    }

    /// A scene whose session has been committed once, as number 1.
    pub(crate) fn committed() -> Self {
        let scene = Scene::new();
        commit(&scene.file(), 1);
        scene
    }

    pub(crate) fn file(&self) -> SessionFile {
        self.folder.file()
    }

    /// Where the side agent finds its copy.
    pub(crate) fn copy(&self) -> PathBuf {
        self.folder
            .path()
            .join("session-memory.update")
            .join(NOTES_FILE)
    }

    pub(crate) fn turn(&self) -> Turn<'_> {
        Turn {
            request: &self.request,
            entries: &self.entries,
            context_tokens: 12_000,
            today: Date::new(2026, 3, 5).expect("a day"),
        }
    }

    pub(crate) fn updater(&self, model: Arc<dyn Model>) -> Updater {
        self.updater_with(model, UpdaterOptions::default())
    }

    pub(crate) fn updater_with(&self, model: Arc<dyn Model>, options: UpdaterOptions) -> Updater {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Updater::with_clock(self.file(), model, options, clock).expect("readable files")
    }

    /// The call that puts a text below a hint line of the copy.
    pub(crate) fn edit(&self, old: &str, new: &str) -> Block {
        call(
            "Edit",
            json!({"file_path": self.copy(), "old_string": old, "new_string": new}),
        )
    }

    /// A reply that fills one section.
    pub(crate) fn good_reply(&self, text: &str) -> Reply {
        let hint = "_What worked, what did not, and what to avoid; nothing that another section already says._";
        Reply::new(vec![self.edit(hint, &format!("{hint}\n\n{text}"))])
    }
}

pub(crate) fn call(name: &str, input: Value) -> Block {
    Block::ToolUse(ToolUse::new(format!("id-{name}"), name, input))
}

pub(crate) fn scripted(replies: Vec<Reply>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(replies))
}

/// Starts an update and waits for its end.
#[track_caller]
pub(crate) fn started(updater: &Updater, scene: &Scene) {
    assert_eq!(updater.after_reply(&scene.turn()), Triggered::Started);
}

pub(crate) fn config(template: Option<&str>, prompt: Option<&str>) -> Config {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("session-memory/config");
    std::fs::create_dir_all(&folder).expect("folders");
    for (name, text) in [("template.md", template), ("prompt.md", prompt)] {
        if let Some(text) = text {
            std::fs::write(folder.join(name), text).expect("a file");
        }
    }
    Config::load(home.path())
}
