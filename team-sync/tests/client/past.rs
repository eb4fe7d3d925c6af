//! History and going back, with servers that have none and servers that tell tales.

use team_sync::client::{Answer, Ask, BoxFuture, SyncOptions, Transport, TransportError, Verb};
use team_sync::{ErrorKind, TeamKey};

use crate::server::{Direct, Form, Server};
use crate::sync::Home;

/// Answers every request about the past in one way.
struct Says(u16, &'static str);

impl Transport for Says {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        assert!(ask.path == "/history" || (ask.path == "/restore" && ask.verb == Verb::Post));
        let answer = Answer::new(self.0, self.1.as_bytes().to_vec());
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_history_is_called_so() {
    let home = Home::new("a");
    // It has said what it can do: nothing is asked.
    let server = Server::new(Form::Plain);
    let client = home.client(Box::new(Direct(server.clone())), 1);
    home.write("a.md", "a\n");
    client.sync(&SyncOptions::default()).await.expect("synced");
    client.sync(&SyncOptions::default()).await.expect("synced");
    let error = client.history(None, 10).await.expect_err("no history");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    // It was never asked what it can do, and answers as to any unknown path.
    for status in [404, 405, 501] {
        let home = Home::new("b");
        let client = home.client(Box::new(Says(status, "<html>no</html>")), 1);
        let error = client.history(None, 10).await.expect_err("no history");
        let expected = if status == 501 {
            ErrorKind::Unavailable
        } else {
            ErrorKind::Unsupported
        };
        assert_eq!(error.kind(), expected, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_tells_is_bounded_and_cleaned() {
    let endless =
        r#"{"history":[{"version":"7","key":"a\u001b[2J.md","author":"x"}],"before":"7"}"#;
    let home = Home::new("a");
    let client = home.client(Box::new(Says(200, endless)), 1);
    let past = client.history(None, 100).await.expect("a history");
    assert_eq!(past.changes.len(), 2, "the same page twice ends it");
    assert!(past.more);
    assert_eq!(past.changes[0].key, "a[2J.md");
    let few = client.history(None, 1).await.expect("a history");
    assert_eq!(few.changes.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_kept_is_refused() {
    let home = Home::new("a");
    let gone = r#"{"status":404,"code":"no_such_version","detail":"this version is not kept"}"#;
    let client = home.client(Box::new(Says(404, gone)), 1);
    let key = TeamKey::parse("a.md").expect("a key");
    let error = client.restore(Some(&key), 9).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("not kept"));
}
