//! The list and the closure.

use std::sync::Arc;

use agent_model::{Error, ErrorKind, Message, Model, Reply, Request, ScriptedModel};

use crate::support::{hello, run};

#[test]
fn replies_come_in_order_and_requests_are_kept() {
    let model = ScriptedModel::new(vec![Reply::text_only("one"), Reply::text_only("two")]);
    assert_eq!(run(model.ask(&hello())).unwrap().text(), "one");
    let second = Request::new(vec![Message::user("second")]);
    assert_eq!(run(model.ask(&second)).unwrap().text(), "two");
    assert_eq!(
        run(model.ask(&hello())).unwrap_err().kind(),
        ErrorKind::ScriptEnded
    );
    let asked: Vec<String> = model
        .requests()
        .iter()
        .map(|r| r.messages[0].text())
        .collect();
    assert_eq!(asked, ["hello", "second", "hello"]);
}

#[test]
fn a_closure_sees_the_request_and_may_fail() {
    let model = ScriptedModel::from_fn(|request| match request.messages.len() {
        1 => Ok(Reply::text_only(request.messages[0].text())),
        _ => Err(Error::new(ErrorKind::Overloaded, "").with_status(529)),
    });
    assert_eq!(run(model.ask(&hello())).unwrap().text(), "hello");
    let two = Request::new(vec![Message::user("a"), Message::user("b")]);
    assert_eq!(run(model.ask(&two)).unwrap_err().status(), Some(529));
}

#[test]
fn a_model_is_used_through_any_holder_and_across_threads() {
    let shared: Arc<dyn Model> = Arc::new(ScriptedModel::new(vec![Reply::text_only("x")]));
    let there = shared.clone();
    let text = std::thread::spawn(move || run(there.ask(&hello())).unwrap().text());
    assert_eq!(text.join().unwrap(), "x");
    let boxed: Box<dyn Model> = Box::new(shared);
    assert_eq!(Model::name(&boxed), "scripted");
}
