//! The section `[model]` of memstrata.toml.

use std::sync::Arc;

use memstrata::memdir::Clock;
use memstrata::model::{Provider, Purpose, Vendor};
use memstrata::{ErrorKind, ModelSettings, Models};

use super::{Server, key, said, settings};
use crate::support::Scratch;

#[test]
fn what_cannot_be_meant_is_an_error_that_names_the_key_and_no_value() {
    let anthropic = "backend = \"anthropic\"\nname = \"claude\"\n";
    let table = [
        ("name = \"x\"", "model.backend is missing"),
        ("backend = \"anthropic\"", "model.name is missing"),
        ("backend = \"openai\"", "model.name is missing"),
        ("backend = \"command\"", "model.command is missing"),
        (
            "backend = \"command\"\ncommand = []",
            "the value of model.command is not",
        ),
        (
            "backend = \"command\"\ncommand = \"s3cret\"",
            "the value of model.command is not",
        ),
        (
            "backend = \"s3cret\"",
            "the value of model.backend is not \"anthropic\"",
        ),
        ("s3cret", "not valid TOML in line 2"),
        ("A\nkey = \"s3cret\"", "model.key is not a setting"),
        ("A\nname2 = 1", "model.name2 is not a setting"),
        (
            "A\nused_for = [\"s3cret\"]",
            "the value of model.used_for is not",
        ),
        (
            "A\nused_for = \"extract\"",
            "the value of model.used_for is not a list",
        ),
        (
            "A\nany_session = \"s3cret\"",
            "the value of model.any_session is not true or false",
        ),
        (
            "A\nkey_variable = \"K\"\nkey_command = [\"pass\"]",
            "exclude each other",
        ),
        (
            "A\n[model.budget]\ntoken = 3",
            "model.budget.token is not a setting",
        ),
        (
            "A\n[model.budget]\ntokens = -3",
            "the value of model.budget.tokens is not",
        ),
        (
            "A\n[model.budget]\nmoney = \"s3cret\"",
            "the value of model.budget.money is not",
        ),
        (
            "A\n[model.budget]\nmoney = -0.5",
            "the value of model.budget.money is not",
        ),
        (
            "A\n[model.budget.extract]\nmany = 1",
            "model.budget.extract.many is not a setting",
        ),
        (
            "A\n[model.price]\ninput = 1.0",
            "model.price.output is missing",
        ),
        (
            "A\n[model.names]\nhaiku = \"x\"",
            "model.names.haiku is not a setting",
        ),
    ];
    for (text, expected) in table {
        let text = format!("[model]\n{}", text.replace("A\n", anthropic));
        let error = ModelSettings::parse(&text).expect_err(&text);
        assert_eq!(error.kind(), ErrorKind::Model);
        assert!(error.to_string().contains(expected), "{text}: {error}");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    assert!(
        ModelSettings::parse("[modes]\nsession = \"off\"")
            .unwrap()
            .is_none()
    );
    assert!(ModelSettings::parse("model = 3").is_err());
}

#[test]
fn budgets_prices_and_names_are_read() {
    let settings = ModelSettings::parse(
        r#"
        [model]
        backend = "openai"
        name = "gpt-6-nano"
        used_for = ["extract", "recall"]
        [model.names]
        dream = "gpt-6"
        [model.budget]
        money = 0.50
        tokens = 200_000
        [model.budget.recall]
        calls = 100
        [model.price]
        input = 0.1
        output = 1
        [model.prices."gpt-6"]
        input = 2.0
        output = 10.0
        cache_read = 0.2
        "#,
    )
    .unwrap()
    .expect("a section");
    assert_eq!(settings.used_for(), [Purpose::Extract, Purpose::Recall]);
    assert_eq!(settings.budgets().total().micros, Some(500_000));
    assert_eq!(settings.budgets().total().tokens, Some(200_000));
    assert_eq!(
        settings.budgets().purpose(&Purpose::Recall).calls,
        Some(100)
    );
    let price = settings.prices().price("gpt-6-nano").expect("a price");
    assert_eq!((price.input, price.output), (100_000, 1_000_000));
    let price = settings.prices().price("gpt-6").expect("a price");
    assert_eq!((price.cache_read, price.cache_write), (200_000, 2_000_000));

    let scratch = Scratch::new();
    let models = made(&scratch, &settings, &|_| Some(key())).unwrap();
    let name = |purpose| models.get(&purpose).map(|model| model.name().to_owned());
    assert_eq!(name(Purpose::Extract).as_deref(), Some("gpt-6-nano"));
    assert_eq!(name(Purpose::Dream).as_deref(), Some("gpt-6"));
    let used = models.only(settings.used_for());
    assert!(used.get(&Purpose::Dream).is_none() && used.get(&Purpose::Recall).is_some());
}

#[test]
fn a_key_comes_from_a_variable_or_a_command_and_is_shown_nowhere() {
    let scratch = Scratch::new();
    let server = Server::always(said("hello"));
    let missing = made(&scratch, &settings(&server, ""), &|_| None).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "the key is expected in the variable ANTHROPIC_API_KEY, which is not set"
    );
    let named = settings(&server, "key_variable = \"MY_KEY\"");
    let found = made(&scratch, &named, &|name| (name == "MY_KEY").then(key));
    assert!(found.is_ok());

    let table = [
        (
            r#"key_command = ["no-such-program-anywhere"]"#,
            "cannot be started",
        ),
        (r#"key_command = ["false"]"#, "failed"),
        (r#"key_command = ["true"]"#, "printed nothing"),
    ];
    for (line, expected) in table {
        let error = made(&scratch, &settings(&server, line), &|_| None).unwrap_err();
        assert!(error.to_string().contains(expected), "{line}: {error}");
    }
    let printed = format!("key_command = [\"echo\", \"{}\"]", key());
    let models = made(&scratch, &settings(&server, &printed), &|_| None).unwrap();
    assert!(!format!("{models:?}{:?}", settings(&server, "")).contains(&key()));
}

#[test]
fn a_session_of_one_provider_is_not_shown_to_another() {
    let scratch = Scratch::new();
    let server = Server::always(said("hello"));
    let settings = settings(&server, "");
    let models = made(&scratch, &settings, &|_| Some(key())).unwrap();
    let codex = Provider::new(Vendor::OpenAi);
    let (kept, refused) = models.clone().for_session(Some(&codex));
    assert!(kept.is_empty());
    assert!(
        refused[0].contains("openai") && refused.len() == 1,
        "{refused:?}"
    );
    let (kept, refused) = models
        .clone()
        .for_session(Some(&Provider::new(Vendor::Anthropic)));
    assert!(!kept.is_empty() && refused.is_empty());
    let (kept, _) = models.with_any_session(true).for_session(Some(&codex));
    assert!(!kept.is_empty());
}

#[test]
fn plain_http_goes_to_this_machine_only() {
    let text =
        "[model]\nbackend = \"anthropic\"\nname = \"x\"\nbase_url = \"http://example.com\"\n";
    let settings = ModelSettings::parse(text).unwrap().expect("a section");
    let error = made(&Scratch::new(), &settings, &|_| Some(key())).unwrap_err();
    assert!(error.chain().contains("not safe"), "{}", error.chain());
}

#[test]
fn the_file_is_read_from_the_home_and_nowhere_else() {
    let scratch = Scratch::new();
    assert!(ModelSettings::load(&scratch.home()).unwrap().is_none());
    scratch.put(
        ".memstrata/config.toml",
        "[model]\nbackend = \"anthropic\"\nname = \"evil\"\n",
    );
    scratch.session("one");
    assert!(ModelSettings::load(&scratch.home()).unwrap().is_none());
    scratch.set(
        "memstrata.toml",
        "[model]\nbackend = \"command\"\ncommand = \"claude\"\n",
    );
    assert!(ModelSettings::load(&scratch.home()).unwrap().is_some());
    scratch.set("memstrata.toml", "[model]\nbackend = 3\n");
    let error = ModelSettings::load(&scratch.home()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("memstrata.toml: the value of model.backend"),
        "{error}"
    );
}

fn made(
    scratch: &Scratch,
    settings: &ModelSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Models, memstrata::Error> {
    let clock: Arc<dyn Clock> = scratch.clock.clone();
    settings.models(variable, &scratch.home().join("ledger"), &clock)
}
