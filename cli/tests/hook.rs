//! Hooks as agents call them: what goes in, what comes out, and what it leaves on disk.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, Run};

mod end_to_end;
mod guard;
mod hostile;
mod payloads;
mod recall;
mod shapes;
mod shell;
mod start;
mod trouble;
mod worker;

/// A home with a project, and an agent in it.
pub(crate) struct Agent {
    pub(crate) home: Home,
    pub(crate) name: &'static str,
}

impl Agent {
    pub(crate) fn new(name: &'static str) -> Self {
        Agent {
            home: Home::new(),
            name,
        }
    }

    /// Calls the hook with these keys beside the usual ones, and checks the answer's shape.
    #[track_caller]
    pub(crate) fn call(&self, session: &str, event: &str, extra: &Value) -> Value {
        self.answer(&self.payload(session, event, extra))
    }

    /// Calls the hook with a whole payload; `null` stands for no answer.
    #[track_caller]
    pub(crate) fn answer(&self, payload: &Value) -> Value {
        let run = self.raw(payload.to_string().as_bytes());
        let event = payload["hook_event_name"].as_str().unwrap_or_default();
        shapes::check(self.name, event, &run.out)
    }

    /// Calls the hook with any bytes.
    #[track_caller]
    pub(crate) fn raw(&self, input: &[u8]) -> Run {
        let run = self.home.run_with(&["hook", self.name], input).expect(0);
        assert_eq!(run.err, "", "nothing is said beside the answer");
        run
    }

    pub(crate) fn payload(&self, session: &str, event: &str, extra: &Value) -> Value {
        let mut payload = json!({
            "session_id": session,
            "transcript_path": self.transcript(session),
            "cwd": self.home.project(),
            "hook_event_name": event,
        });
        if let (Some(payload), Some(extra)) = (payload.as_object_mut(), extra.as_object()) {
            payload.extend(extra.clone());
        }
        payload
    }

    /// Where the session is recorded.
    pub(crate) fn transcript(&self, session: &str) -> PathBuf {
        self.home.path().join(format!("{session}.jsonl"))
    }

    /// What `where --json` says.
    pub(crate) fn place(&self) -> Value {
        let run = self.home.run(&["--json", "where"]).expect(0);
        run.json().remove(0)
    }

    pub(crate) fn memory_dir(&self) -> PathBuf {
        PathBuf::from(self.place()["memory_dir"].as_str().expect("a path"))
    }

    /// Saves a memory as a person does.
    pub(crate) fn save(&self, name: &str, description: &str, body: &str) {
        let arguments = [
            "save",
            "--type",
            "project",
            "--name",
            name,
            "--description",
            description,
            body,
        ];
        self.home.run(&arguments).expect(0);
    }

    /// Waits for workers that are at work and does what is left.
    pub(crate) fn finish(&self) {
        self.home.run(&["worker", "--wait"]).expect(0);
    }

    /// Takes the lock of the workers: until it is dropped, all they find is that another one is at work.
    pub(crate) fn hold_back_workers(&self) -> std::fs::File {
        let state = self.place()["state_dir"].as_str().map(PathBuf::from);
        let hooks = state.expect("a path").join("hook");
        std::fs::create_dir_all(&hooks).expect("a folder");
        let lock = std::fs::File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(hooks.join("worker.lock"))
            .expect("the lock file");
        lock.lock().expect("the lock");
        lock
    }

    /// What went wrong so far.
    pub(crate) fn log(&self) -> String {
        let path = self.home.path().join(".claude/memstrata/hook.log");
        std::fs::read_to_string(path).unwrap_or_default()
    }
}

/// What the model is given.
pub(crate) fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap_or_default()
}

/// Why a tool must not run; `None` when it may.
pub(crate) fn denial(answer: &Value) -> Option<&str> {
    let specific = &answer["hookSpecificOutput"];
    specific["permissionDecisionReason"]
        .as_str()
        .or_else(|| answer["reason"].as_str())
}

/// A line of a recorded session of Claude Code.
pub(crate) fn claude_line(
    session: &str,
    number: u32,
    role: &str,
    text: &str,
    cwd: &Path,
) -> String {
    let parent = (number > 1).then(|| format!("{session}-{}", number - 1));
    let mut message = json!({"role": role, "content": text});
    if role == "assistant" {
        message = json!({"id": format!("msg-{number}"), "role": role, "model": "m",
            "content": [{"type": "text", "text": text}]});
    }
    let line = json!({
        "type": role,
        "uuid": format!("{session}-{number}"),
        "parentUuid": parent,
        "sessionId": session,
        "cwd": cwd,
        "version": "2.1.330",
        "timestamp": format!("2026-03-02T09:30:{:02}Z", number % 60),
        "message": message,
    });
    format!("{line}\n")
}

/// A rollout of Codex with these messages of the person, each with an answer.
pub(crate) fn codex_rollout(session: &str, messages: &[&str], cwd: &Path) -> String {
    let mut lines = vec![
        json!({"timestamp": "2026-03-02T09:30:00Z", "type": "session_meta", "payload": {
        "id": session, "timestamp": "2026-03-02T09:30:00Z", "cwd": cwd, "originator": "codex_cli_rs",
        "cli_version": "0.160.0"}}),
    ];
    for (number, text) in messages.iter().enumerate() {
        let time = format!("2026-03-02T09:3{}:01Z", number + 1);
        lines.push(
            json!({"timestamp": time, "type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}}),
        );
        lines.push(json!({"timestamp": time, "type": "response_item", "payload": {
            "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}}));
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}
