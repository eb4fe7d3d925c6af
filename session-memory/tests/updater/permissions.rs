//! A model that tries everything that is forbidden.

use agent_model::{Block, Reply};
use serde_json::json;
use session_memory::{NOTES_FILE, SIDE_CAR_FILE};

use super::{Scene, call, scripted, started};
use crate::store::{FILES, number};

/// Calls of which none may be carried out.
fn forbidden(scene: &Scene) -> Vec<Block> {
    let folder = scene.folder.path();
    let (notes, side_car) = (folder.join(NOTES_FILE), folder.join(SIDE_CAR_FILE));
    let up = folder.join("session-memory.update/../session-memory.md");
    let edit = |path| json!({"file_path": path, "old_string": "number 1", "new_string": "owned"});
    vec![
        call("Edit", edit(json!(notes))),
        call("FileEdit", edit(json!(side_car))),
        call("Edit", edit(json!(up))),
        call("Edit", edit(json!("../session-memory.md"))),
        call("Edit", edit(json!("/etc/hosts"))),
        call("Edit", edit(json!("other.md"))),
        call(
            "Edit",
            json!({"file_path": "new.md", "old_string": "", "new_string": "x"}),
        ),
        call(
            "Write",
            json!({"file_path": scene.copy(), "content": "owned"}),
        ),
        call(
            "Write",
            json!({"file_path": folder.join("x.md"), "content": "owned"}),
        ),
        call(
            "FileWrite",
            json!({"file_path": "/tmp/owned.md", "content": "owned"}),
        ),
        call("Read", json!({"file_path": scene.copy()})),
        call("FileRead", json!({"file_path": "/etc/passwd"})),
        call("Grep", json!({"pattern": "root", "path": "/etc"})),
        call("Glob", json!({"pattern": "**/*"})),
        call("Bash", json!({"command": "ls"})),
        call(
            "Bash",
            json!({"command": format!("cat {}", scene.copy().display())}),
        ),
        call("Bash", json!({"command": "rm -rf /"})),
        call("WebFetch", json!({"url": "https://example.com"})),
        call(
            "Task",
            json!({"description": "do it for me", "prompt": "x"}),
        ),
        call("mcp__server__tool", json!({})),
        call("edit", edit(json!(scene.copy()))),
        call("", json!(null)),
        call("Edit", json!("not an object")),
        call("Edit", json!({"file_path": 7})),
    ]
}

#[tokio::test]
async fn nothing_but_an_edit_of_the_copy_is_carried_out() {
    let calls = forbidden(&Scene::committed()).len();
    for index in 0..=calls {
        let scene = Scene::committed();
        let before = FILES.map(|name| scene.folder.read(name));
        let mut tried = forbidden(&scene);
        // One by one, and in the end all together.
        if index < calls {
            tried = vec![tried.swap_remove(index)];
        }
        let name = format!("{tried:?}");
        let replies = (0..3).map(|_| Reply::new(tried.clone())).collect();
        let updater = scene.updater(scripted(replies));
        started(&updater, &scene);
        updater.settle().await.expect("readable");
        let failure = updater.last_failure().expect("a failure");
        assert!(failure.contains("0 edits"), "{name}: {failure}");
        assert_eq!(FILES.map(|name| scene.folder.read(name)), before, "{name}");
        assert_eq!(number(&scene.file()), Some(1), "{name}");
        let copy = std::fs::read_to_string(scene.copy()).expect("the copy");
        assert!(
            copy.contains("number 1") && !copy.contains("owned"),
            "{name}"
        );
    }
    assert!(!std::path::Path::new("/tmp/owned.md").exists());
}

#[tokio::test]
async fn a_forbidden_call_beside_a_good_edit_is_refused_and_the_edit_counts() {
    let scene = Scene::committed();
    let mut blocks = scene.good_reply("learned").content;
    blocks.push(call("Bash", json!({"command": "touch /tmp/x"})));
    let model = scripted(vec![Reply::new(blocks), Reply::text_only("done")]);
    let updater = scene.updater(model.clone());
    started(&updater, &scene);
    let committed = updater.settle().await.expect("readable").expect("notes");
    assert_eq!(committed.notes.body("Learnings"), Some("learned"));
    let told = model.requests()[1]
        .messages
        .last()
        .cloned()
        .expect("results");
    let results: Vec<_> = told.tool_results().collect();
    assert!(!results[0].is_error && results[1].is_error);
}

#[tokio::test]
async fn a_credential_does_not_get_into_the_file() {
    let scene = Scene::committed();
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let reply = scene.good_reply(&format!("the token is {token}"));
    let updater = scene.updater(scripted(vec![reply]));
    started(&updater, &scene);
    updater.settle().await.expect("readable");
    assert!(
        updater
            .last_failure()
            .is_some_and(|failure| !failure.contains(&token))
    );
    assert_eq!(number(&scene.file()), Some(1));
}

#[cfg(unix)]
#[tokio::test]
async fn a_copy_that_is_swapped_for_a_link_leads_nowhere() {
    let outside = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(outside.path(), "_What worked, what did not").expect("a file");
    let scene = Scene::committed();
    let (copy, target) = (scene.copy(), outside.path().to_owned());
    let mut reply = Some(scene.good_reply("owned"));
    let model = agent_model::ScriptedModel::from_fn(move |_| {
        std::fs::remove_file(&copy).expect("a removed file");
        std::os::unix::fs::symlink(&target, &copy).expect("a link");
        Ok(reply.take().unwrap_or_else(|| Reply::text_only("done")))
    });
    let updater = scene.updater(std::sync::Arc::new(model));
    started(&updater, &scene);
    updater.settle().await.expect("readable");
    assert!(updater.last_failure().is_some());
    assert_eq!(number(&scene.file()), Some(1));
    let text = std::fs::read_to_string(outside.path()).expect("a file");
    assert_eq!(text, "_What worked, what did not");
}
