//! Who may receive a session's text.

use agent_model::{ErrorKind, Model, PinPolicy, Pinned, Provider, ScriptedModel, Vendor};

fn pin(session: &Provider, model: Provider, policy: PinPolicy) -> Result<(), ErrorKind> {
    let model = ScriptedModel::new(vec![]).with_provider(model);
    let pinned = Pinned::new(model, session, policy);
    pinned
        .map(|pinned| drop(pinned.into_inner()))
        .map_err(|error| error.kind())
}

#[test]
fn text_stays_with_the_provider_of_the_session() {
    let public = || Provider::at(Vendor::Anthropic, "https://api.anthropic.com");
    let gateway = || Provider::at(Vendor::Anthropic, "https://llm.corp.example/");
    let claude = || Provider::new(Vendor::Anthropic);
    let openai = || Provider::new(Vendor::OpenAi);
    let ollama = || Provider::at(Vendor::Local, "http://localhost:11434");
    let other = |name: &str| Provider::new(Vendor::Other(name.into()));
    let refused = Err(ErrorKind::OtherProvider);
    let strict = PinPolicy::SameProvider;
    let cases = [
        (claude(), public(), strict, Ok(())),
        (claude(), gateway(), strict, Ok(())),
        (public(), public(), strict, Ok(())),
        (
            gateway(),
            Provider::at(Vendor::Anthropic, "https://LLM.corp.example"),
            strict,
            Ok(()),
        ),
        (public(), gateway(), strict, refused),
        (gateway(), public(), strict, refused),
        (claude(), openai(), strict, refused),
        (openai(), claude(), strict, refused),
        (claude(), ollama(), strict, refused),
        (other("a"), other("b"), strict, refused),
        (other("a"), other("a"), strict, Ok(())),
        (claude(), ollama(), PinPolicy::SameProviderOrLocal, Ok(())),
        (claude(), openai(), PinPolicy::SameProviderOrLocal, refused),
        (ollama(), public(), PinPolicy::SameProviderOrLocal, refused),
    ];
    for (session, model, policy, expected) in cases {
        let told = format!("a session on {session}, a model on {model}, {policy:?}");
        assert_eq!(pin(&session, model, policy), expected, "{told}");
    }
}

#[test]
fn a_pinned_model_is_the_model() {
    let session = Provider::new(Vendor::Local);
    let pinned = Pinned::new(ScriptedModel::new(vec![]), &session, PinPolicy::default()).unwrap();
    assert_eq!(pinned.name(), "scripted");
    assert_eq!(pinned.provider(), &session);
}

#[test]
fn the_refusal_names_both() {
    let session = Provider::new(Vendor::OpenAi);
    let model = ScriptedModel::new(vec![])
        .with_provider(Provider::at(Vendor::Anthropic, "https://x.example"));
    let error = Pinned::new(model, &session, PinPolicy::SameProvider).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the text belongs to a session on another provider: the session runs on openai, the model on anthropic at https://x.example"
    );
}
