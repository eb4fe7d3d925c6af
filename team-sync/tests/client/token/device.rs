//! The device flow against an issuer on a real socket.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use team_sync::client::Token;
use team_sync::client::token::{DeviceLogin, DevicePrompt};
use team_sync::{Error, ErrorKind};

type Fields = std::collections::BTreeMap<String, String>;

/// What the issuer answers, in order, and what it was asked.
#[derive(Default)]
struct Script {
    /// Laid over its description of itself.
    description: Value,
    device: (u16, Value),
    tokens: Vec<(u16, Value)>,
    asked: Vec<(String, Fields)>,
}

type Shared = Arc<Mutex<Script>>;

fn answer((status, body): (u16, Value)) -> (StatusCode, Json<Value>) {
    (StatusCode::from_u16(status).expect("a status"), Json(body))
}

/// Starts an issuer and returns its address.
async fn issuer(mut script: Script) -> (String, Shared) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let mut description = json!({
        "issuer": url,
        "device_authorization_endpoint": format!("{url}/device"),
        "token_endpoint": format!("{url}/token"),
    });
    if let Some(changes) = script.description.as_object() {
        for (key, value) in changes {
            description[key] = value.clone();
        }
    }
    script.description = description;
    let script = Arc::new(Mutex::new(script));
    let router = Router::new()
        .route(
            "/.well-known/openid-configuration",
            get(|State(script): State<Shared>| async move {
                Json(script.lock().expect("no panic").description.clone())
            }),
        )
        .route(
            "/device",
            post(
                |State(script): State<Shared>, Form(fields): Form<Fields>| async move {
                    let mut script = script.lock().expect("no panic");
                    script.asked.push(("device".into(), fields));
                    answer(script.device.clone())
                },
            ),
        )
        .route(
            "/token",
            post(
                |State(script): State<Shared>, Form(fields): Form<Fields>| async move {
                    let mut script = script.lock().expect("no panic");
                    script.asked.push(("token".into(), fields));
                    answer(script.tokens.remove(0))
                },
            ),
        )
        .with_state(Arc::clone(&script));
    tokio::spawn(async move { axum::serve(listener, router).await.expect("it runs") });
    (url, script)
}

fn code(interval: u64) -> (u16, Value) {
    let body = json!({
        "device_code": "device-code-of-the-test",
        "user_code": "WDJB-MJHT",
        "verification_uri": "https://login.example.com/device",
        "verification_uri_complete": "https://login.example.com/device?code=WDJB-MJHT",
        "expires_in": 1800,
        "interval": interval,
    });
    (200, body)
}

fn error(name: &str) -> (u16, Value) {
    (
        400,
        json!({"error": name, "error_description": "said \u{1b}[2J by the issuer"}),
    )
}

fn token() -> (u16, Value) {
    let body =
        json!({"access_token": "token-of-the-test", "token_type": "bearer", "expires_in": 3600});
    (200, body)
}

/// Runs the flow; the pauses it would make are noted and not made.
async fn login(url: &str) -> (Result<Token, Error>, Vec<Duration>, Option<DevicePrompt>) {
    let (pauses, mut shown) = (Mutex::new(Vec::new()), None);
    let scopes = vec!["inference".to_owned(), "profile".to_owned()];
    let login = DeviceLogin::new(url, "memstrata", scopes);
    let result = login
        .run(
            |prompt| shown = Some(prompt.clone()),
            |pause| {
                pauses.lock().expect("no panic").push(pause);
                std::future::ready(())
            },
        )
        .await;
    let token = result.map(|issued| {
        assert_eq!(issued.expires_in, Some(Duration::from_secs(3600)));
        issued.token
    });
    if let Err(error) = &token {
        let text = format!("{error} {error:?}");
        assert!(
            !text.contains("device-code-of-the-test") && !text.contains("token-of-the-test"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    (token, pauses.into_inner().expect("no panic"), shown)
}

#[tokio::test]
async fn a_person_is_waited_for_as_long_as_the_issuer_says() {
    let tokens = vec![
        error("authorization_pending"),
        error("slow_down"),
        error("authorization_pending"),
        token(),
    ];
    let script = Script {
        device: code(5),
        tokens,
        ..Script::default()
    };
    let (url, script) = issuer(script).await;
    let (given, pauses, shown) = login(&url).await;
    assert_eq!(given.expect("a token"), Token::new("token-of-the-test"));
    assert_eq!(
        pauses,
        [5, 10, 10].map(Duration::from_secs),
        "slow_down adds five seconds"
    );
    let shown = shown.expect("the code was shown");
    assert_eq!(
        (shown.code.as_str(), shown.expires_in.as_secs()),
        ("WDJB-MJHT", 1800)
    );
    assert_eq!(shown.address, "https://login.example.com/device");
    let script = script.lock().expect("no panic");
    let (_, device) = &script.asked[0];
    assert_eq!(
        (device["client_id"].as_str(), device["scope"].as_str()),
        ("memstrata", "inference profile")
    );
    let (_, asked) = &script.asked[1];
    assert_eq!(
        asked["grant_type"],
        "urn:ietf:params:oauth:grant-type:device_code"
    );
    assert_eq!(asked["device_code"], "device-code-of-the-test");
    assert_eq!(script.asked.len(), 5);
}

#[tokio::test]
async fn a_no_and_a_code_that_ran_out_are_told_apart() {
    for (name, kind, why) in [
        (
            "access_denied",
            ErrorKind::Refused,
            "refused in the browser",
        ),
        ("expired_token", ErrorKind::Token, "run out"),
        ("invalid_grant", ErrorKind::Refused, "invalid_grant"),
    ] {
        let script = Script {
            device: code(5),
            tokens: vec![error("authorization_pending"), error(name)],
            ..Script::default()
        };
        let (url, _) = issuer(script).await;
        let (given, pauses, _) = login(&url).await;
        let error = given.expect_err("no token");
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(pauses.len(), 1);
    }
}

#[tokio::test]
async fn hostile_issuers_get_neither_patience_nor_a_token() {
    let with = |description: Value, device: (u16, Value), tokens: Vec<(u16, Value)>| Script {
        description,
        device,
        tokens,
        asked: Vec::new(),
    };
    let endless = || code(u64::MAX);
    let mut long = code(5);
    long.1["expires_in"] = json!(u64::MAX);
    let words = json!({"access_token": "two words", "token_type": "bearer"});
    let cases = [
        (
            with(json!({"issuer": "https://other.example"}), code(5), vec![]),
            ErrorKind::Refused,
        ),
        (
            with(
                json!({"token_endpoint": "http://other.example/token"}),
                code(5),
                vec![],
            ),
            ErrorKind::Address,
        ),
        (
            with(
                json!({"token_endpoint": "file:///etc/passwd"}),
                code(5),
                vec![],
            ),
            ErrorKind::Address,
        ),
        (
            with(
                json!({"device_authorization_endpoint": null}),
                code(5),
                vec![],
            ),
            ErrorKind::Unavailable,
        ),
        (
            with(json!({"issuer": 7}), code(5), vec![]),
            ErrorKind::Unavailable,
        ),
        (
            with(Value::Null, endless(), vec![error("slow_down")]),
            ErrorKind::Unavailable,
        ),
        (with(Value::Null, long, vec![]), ErrorKind::Unavailable),
        (
            with(Value::Null, (200, json!({})), vec![]),
            ErrorKind::Unavailable,
        ),
        (
            with(Value::Null, error("invalid_client"), vec![]),
            ErrorKind::Refused,
        ),
        (
            with(Value::Null, (302, json!({})), vec![]),
            ErrorKind::Unavailable,
        ),
        (
            with(Value::Null, code(5), vec![(200, words)]),
            ErrorKind::Token,
        ),
        (
            with(Value::Null, code(5), vec![(200, json!([]))]),
            ErrorKind::Unavailable,
        ),
    ];
    for (number, (script, kind)) in cases.into_iter().enumerate() {
        let (url, _) = issuer(script).await;
        let (given, pauses, _) = login(&url).await;
        let error = given.expect_err("no token");
        assert_eq!(error.kind(), kind, "case {number}: {error}");
        assert!(pauses.len() <= 1);
    }
}

#[tokio::test]
async fn an_issuer_beyond_this_machine_is_asked_over_https_only() {
    for url in [
        "http://login.example.com",
        "ftp://login.example.com",
        "https://u:p@login.example.com",
        "x",
    ] {
        let (given, ..) = login(url).await;
        assert_eq!(
            given.expect_err("refused").kind(),
            ErrorKind::Address,
            "{url}"
        );
    }
    let (given, ..) = login("http://127.0.0.1:9").await;
    assert_eq!(
        given.expect_err("nobody there").kind(),
        ErrorKind::Unavailable
    );
}
