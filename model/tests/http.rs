//! One POST and everything that can happen to it.

use std::error::Error as _;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use agent_model::{
    AnthropicAuth, AnthropicModel, AnthropicOptions, ApiKey, Error, ErrorKind, HttpOptions, Limits,
    Message, Model, OpenAiModel, OpenAiOptions, Reply, Request, RetryPolicy,
};

use crate::support::{
    Logs, NoPause, Server, Turn, anthropic, claude_error, claude_says, collect_log_crate, hello,
    key, openai, openai_says, run,
};

/// Asks a server of this script through the Messages API; returns the outcome, the waits made and the
/// number of requests that arrived.
fn ask(turns: Vec<Turn>) -> (Result<Reply, Error>, Vec<u128>, usize) {
    let server = Server::play(turns);
    let pause = Arc::new(NoPause::default());
    let model = anthropic(&server, &pause);
    let outcome = run(model.ask(&hello()));
    (outcome, pause.millis(), server.requests().len())
}

fn busy() -> String {
    claude_error("overloaded_error", "Overloaded")
}

#[test]
fn a_busy_provider_is_asked_again_when_it_says_so() {
    let cases: &[(u16, &str, &str, u128)] = &[
        (429, "retry-after", "7", 7_000),
        (529, "retry-after", "1", 1_000),
        (529, "retry-after-ms", "30", 30),
        (503, "retry-after", "0", 0),
    ];
    for (status, header, value, waited) in cases {
        let (outcome, waits, requests) = ask(vec![
            Turn::status(*status, busy()).with(header, value),
            Turn::ok(claude_says("fine")),
        ]);
        assert_eq!(outcome.unwrap().text(), "fine", "{status}");
        assert_eq!(waits, [*waited], "{status} {header}");
        assert_eq!(requests, 2);
    }
}

#[test]
fn retry_after_as_a_date_is_measured_by_the_servers_own_clock() {
    let (outcome, waits, _) = ask(vec![
        Turn::status(429, busy())
            .with("date", "Mon, 30 Nov 2026 12:00:00 GMT")
            .with("retry-after", "Mon, 30 Nov 2026 12:00:09 GMT"),
        Turn::ok(claude_says("fine")),
    ]);
    assert!(outcome.is_ok());
    assert_eq!(waits, [9_000]);
}

#[test]
fn without_a_wish_of_the_server_waits_double_with_jitter() {
    let (outcome, waits, requests) = ask(vec![
        Turn::status(529, busy()),
        Turn::status(500, claude_error("api_error", "oops")),
        Turn::ok(claude_says("fine")),
    ]);
    assert!(outcome.is_ok());
    assert_eq!(requests, 3);
    assert!((375..=500).contains(&waits[0]), "{waits:?}");
    assert!((750..=1_000).contains(&waits[1]), "{waits:?}");
}

#[test]
fn two_retries_are_all_and_the_error_says_what_happened() {
    let (outcome, _, requests) = ask(vec![Turn::status(529, busy()).with("retry-after", "2"); 3]);
    let error = outcome.unwrap_err();
    assert_eq!(requests, 3);
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    assert_eq!(error.status(), Some(529));
    assert_eq!(error.code(), Some("overloaded_error"));
    assert_eq!(error.request_id(), Some("req_011CSHoEeqs5C35K2UUqR7Fy"));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(error.attempts(), 3);
    let shown = error.to_string();
    assert!(
        shown.starts_with("the provider is overloaded (anthropic at http://127.0.0.1:"),
        "{shown}"
    );
    assert!(
        shown.ends_with(
            "status 529, overloaded_error, 3 attempts, request req_011CSHoEeqs5C35K2UUqR7Fy)"
        ),
        "{shown}"
    );
}

#[test]
fn a_server_that_asks_for_too_long_a_wait_is_not_asked_again() {
    let (outcome, waits, requests) =
        ask(vec![Turn::status(429, busy()).with("retry-after", "3600")]);
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
    assert_eq!((waits.len(), requests), (0, 1));
}

#[test]
fn each_status_has_its_kind_and_those_of_our_making_are_not_repeated() {
    let cases: &[(u16, &str, ErrorKind)] = &[
        (400, "invalid_request_error", ErrorKind::InvalidRequest),
        (401, "authentication_error", ErrorKind::Authentication),
        (402, "billing_error", ErrorKind::Billing),
        (403, "permission_error", ErrorKind::Permission),
        (404, "not_found_error", ErrorKind::NotFound),
        (413, "request_too_large", ErrorKind::TooLarge),
        (422, "unprocessable", ErrorKind::InvalidRequest),
    ];
    for (status, code, kind) in cases {
        let (outcome, _, requests) = ask(vec![Turn::status(*status, claude_error(code, "no"))]);
        let error = outcome.unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (*kind, Some(*code)),
            "{status}"
        );
        assert_eq!(requests, 1, "{status}");
    }
    let repeated: &[(u16, ErrorKind)] = &[
        (408, ErrorKind::Timeout),
        (409, ErrorKind::Conflict),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Server),
        (504, ErrorKind::Timeout),
        (529, ErrorKind::Overloaded),
    ];
    for (status, kind) in repeated {
        let (outcome, _, requests) = ask(vec![Turn::status(*status, "{}"); 3]);
        assert_eq!(
            (outcome.unwrap_err().kind(), requests),
            (*kind, 3),
            "{status}"
        );
    }
}

#[test]
fn x_should_retry_is_obeyed_in_both_directions() {
    let (outcome, _, requests) = ask(vec![
        Turn::status(529, busy()).with("x-should-retry", "false"),
    ]);
    assert_eq!((outcome.is_err(), requests), (true, 1));
    let (outcome, _, requests) = ask(vec![
        Turn::status(400, busy()).with("x-should-retry", "true"),
        Turn::ok(claude_says("fine")),
    ]);
    assert_eq!((outcome.is_ok(), requests), (true, 2));
}

#[test]
fn torn_bodies_and_broken_connections_are_asked_again_and_then_reported() {
    for broken in [
        Turn::Torn(200, claude_says("cut")),
        Turn::HangUp,
        Turn::Raw(b"this is no HTTP\r\n\r\n".to_vec()),
        Turn::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n".to_vec()),
    ] {
        let (outcome, _, requests) = ask(vec![broken.clone(), Turn::ok(claude_says("whole"))]);
        assert_eq!(outcome.unwrap().text(), "whole", "{broken:?}");
        assert_eq!(requests, 2);
        let (outcome, _, requests) = ask(vec![broken.clone(); 3]);
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{broken:?}");
        assert!(error.source().is_some(), "the cause is kept");
        assert_eq!(requests, 3);
    }
}

#[test]
fn nobody_listening_is_a_network_error() {
    let server = Server::play(vec![]);
    let pause = Arc::new(NoPause::default());
    let model = anthropic(&server, &pause);
    drop(server);
    let error = run(model.ask(&hello())).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Network, 3));
}

#[test]
fn nonsense_with_a_good_status_is_a_bad_answer_and_is_paid_for_once() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"<html><body>Welcome to the proxy</body></html>".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        br#"{"type":"message"#.to_vec(),
        br#"{"type":"message","content":"text"}"#.to_vec(),
        br#"{"type":"ping"}"#.to_vec(),
        busy().into_bytes(),
        b"\xff\xfe\x00".to_vec(),
        deep.into_bytes(),
    ];
    for body in cases {
        let (outcome, _, requests) = ask(vec![Turn::ok(body.clone())]);
        let error = outcome.expect_err(&String::from_utf8_lossy(&body));
        assert_eq!(error.kind(), ErrorKind::BadAnswer);
        assert_eq!(requests, 1);
        assert!(error.provider().is_some());
    }
}

#[test]
fn an_endless_answer_is_cut_off() {
    let body = vec![b' '; agent_model::MAX_ANSWER_BYTES + 1];
    let (outcome, _, requests) = ask(vec![Turn::ok(body)]);
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), requests), (ErrorKind::BadAnswer, 1));
    assert!(
        error.to_string().contains("longer than 33554432 bytes"),
        "{error}"
    );
}

#[test]
fn a_request_over_the_providers_limit_is_not_sent() {
    let server = Server::play(vec![]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let request = Request::new(vec![Message::user(
        "x".repeat(agent_model::MAX_REQUEST_BYTES),
    )]);
    let error = run(model.ask(&request)).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::TooLarge, 0));
    assert!(server.requests().is_empty());
}

#[test]
fn a_silent_server_runs_into_the_time_limit() {
    let server = Server::play(vec![Turn::Silent]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let limits = Limits::default().with_timeout(Duration::from_millis(150));
    let error = run(model.ask(&hello().with_limits(limits))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("the limit is 150 ms"), "{error}");
    assert_eq!(server.requests().len(), 1, "it is not asked twice");
}

#[test]
fn a_wait_that_ends_after_the_time_limit_is_not_begun() {
    let server = Server::play(vec![Turn::status(529, busy()).with("retry-after", "30")]);
    let pause = Arc::new(NoPause::default());
    let model = anthropic(&server, &pause);
    let limits = Limits::default().with_timeout(Duration::from_secs(20));
    let error = run(model.ask(&hello().with_limits(limits))).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Overloaded,
        "the failure says more than the clock"
    );
    assert!(pause.millis().is_empty());
}

#[test]
fn dropping_the_future_closes_the_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let seen = std::thread::spawn(move || {
        use std::io::Read;
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        // Ends only when the client closes.
        stream.read_to_end(&mut bytes).map(|_| bytes)
    });
    let auth = AnthropicAuth::ApiKey(ApiKey::new(key()));
    let options = AnthropicOptions::default().with_base_url(base);
    let model = AnthropicModel::new("m", auth, options).unwrap();
    run(async {
        let request = hello();
        let asked = tokio::time::timeout(Duration::from_millis(100), model.ask(&request)).await;
        assert!(asked.is_err(), "it is still under way");
    });
    let bytes = seen.join().unwrap().unwrap_or_default();
    assert!(bytes.is_empty() || bytes.starts_with(b"POST /v1/messages HTTP/1.1\r\n"));
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Server::play(vec![Turn::ok(claude_says("stolen"))]);
    let (outcome, _, _) = ask(vec![Turn::status(307, "").with("location", &other.base())]);
    let error = outcome.unwrap_err();
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::BadAnswer, Some(307))
    );
    assert!(other.requests().is_empty(), "the key goes nowhere else");
}

#[test]
fn plain_http_is_refused_before_anything_is_sent() {
    let auth = || AnthropicAuth::ApiKey(ApiKey::new(key()));
    let options = AnthropicOptions::default().with_base_url("http://api.anthropic.com");
    let error = AnthropicModel::new("m", auth(), options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsafeAddress);
    let options = OpenAiOptions::default().with_base_url("http://192.168.0.7:11434/v1");
    let error = OpenAiModel::new("m", None, options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsafeAddress);
    // The secure client itself can be built.
    AnthropicModel::new("m", auth(), AnthropicOptions::default()).unwrap();
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_without_being_shown() {
    for bad in ["", "  \n", "two\nlines-of-key", "nul\0in-key"] {
        let auth = AnthropicAuth::ApiKey(ApiKey::new(bad));
        let error = AnthropicModel::new("m", auth, AnthropicOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(!format!("{error} {error:?}").contains("of-key"));
    }
}

/// Every text that an error can show.
fn shown(error: &Error) -> String {
    let mut all = format!(
        "{error}\n{error:?}\n{error:#?}\n{:?}",
        error.server_message()
    );
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(all, "\n{cause}\n{cause:?}");
        source = cause.source();
    }
    all
}

#[test]
fn keys_and_contents_are_in_no_error_and_no_log() {
    collect_log_crate();
    let secret = key();
    let tail = &secret[secret.len() - 12..];
    let echo = format!("Incorrect API key provided: {secret}, it ends in {tail}; you sent: hello");
    let spaced: Vec<String> = secret.chars().map(String::from).collect();
    let spaced = spaced.join("\\u0001");
    let scripts: Vec<Vec<Turn>> = vec![
        vec![Turn::status(
            401,
            claude_error("authentication_error", &echo),
        )],
        vec![Turn::status(
            400,
            claude_error("invalid_request_error", &echo),
        )],
        vec![Turn::status(404, format!(r#"{{"error":"{echo}"}}"#))],
        // Control characters inside the key, which are not shown, must not hide it.
        vec![Turn::status(400, claude_error(&spaced, &spaced))],
        vec![Turn::status(404, format!(r#"{{"error":"{spaced}"}}"#))],
        vec![Turn::status(400, claude_error(&secret, &echo)).with("request-id", &secret)],
        vec![Turn::status(529, claude_error(&echo, &echo)); 3],
        vec![Turn::ok(echo.clone())],
        vec![Turn::ok(format!(r#"{{"type":"{secret}"}}"#))],
        vec![Turn::ok(format!(
            r#"{{"type":"message","content":"{secret}"}}"#
        ))],
        vec![Turn::Torn(200, echo.clone()); 3],
        vec![Turn::Raw(echo.clone().into_bytes()); 3],
        vec![Turn::status(302, "").with("location", &format!("http://127.0.0.1:1/{secret}"))],
    ];
    for script in scripts {
        let server = Server::play(script.clone());
        let pause = Arc::new(NoPause::default());
        let (claude, chat) = (anthropic(&server, &pause), openai(&server, &pause));
        let models: [(&dyn Model, String); 2] = [
            (&claude, format!("{claude:?}")),
            (&chat, format!("{chat:?}")),
        ];
        let (model, debug) = &models[script.len() % 2];
        let (outcome, logged) = Logs::of(|| run(model.ask(&hello())));
        let error = outcome.unwrap_err();
        let all = format!("{}\n{logged}\n{debug}", shown(&error));
        assert!(!all.contains(&secret), "the key is shown by {error}");
        assert!(
            !all.contains(tail),
            "a piece of the key is shown by {error}"
        );
        let printed = format!("{error} {error:?}");
        assert!(
            !printed.contains("you sent"),
            "a server's prose is printed: {printed}"
        );
    }
    // The good path logs numbers only.
    let server = Server::play(vec![Turn::ok(openai_says("a private answer"))]);
    let model = openai(&server, &Arc::new(NoPause::default()));
    let (outcome, logged) = Logs::of(|| run(model.ask(&hello())));
    assert_eq!(outcome.unwrap().text(), "a private answer");
    assert!(
        logged.contains("output=3"),
        "the reply is logged in numbers"
    );
    for hidden in [secret.as_str(), "hello", "private answer"] {
        assert!(!logged.contains(hidden), "{hidden} is logged");
    }
}

#[test]
fn a_refused_request_can_be_looked_into_without_the_key() {
    let message = format!("messages.3: no tool_result for toolu_1, key {}", key());
    let server = Server::play(vec![Turn::status(
        400,
        claude_error("invalid_request_error", &message),
    )]);
    let model = anthropic(&server, &Arc::new(NoPause::default()));
    let error = run(model.ask(&hello())).unwrap_err();
    assert_eq!(
        error.server_message(),
        Some("messages.3: no tool_result for toolu_1, key …")
    );
    let printed = format!("{error} {error:?}");
    assert!(!printed.contains("toolu_1"), "{printed}");
}

#[test]
fn options_show_no_proxy_password() {
    let proxy = ["http://user:", "hunter2", "@proxy.example"].concat();
    let options = HttpOptions::default()
        .with_proxy(proxy)
        .with_retry(RetryPolicy::never());
    assert!(!format!("{options:?}").contains("hunter2"));
    let server = Server::play(vec![Turn::ok(claude_says("direct"))]);
    let auth = AnthropicAuth::ApiKey(ApiKey::new(key()));
    let options = AnthropicOptions::default()
        .with_base_url(server.base())
        .with_http(options);
    let model = AnthropicModel::new("m", auth, options).unwrap();
    let reply = run(model.ask(&hello())).unwrap();
    assert_eq!(
        reply.text(),
        "direct",
        "what stays on this machine takes no proxy"
    );
}
