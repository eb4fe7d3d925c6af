//! Bodies of the fuzz targets of `forked-agent`.

use forked_agent::shell::{Connector, ErrorOutput, Pipeline, Scope, Script, Word, vet as check};

/// Vets any bytes as a command. What is allowed must decode to itself once more when every word is
/// quoted.
///
/// # Panics
///
/// When a promise of the vetter is broken.
pub fn vet(data: &[u8]) {
    let Ok(command) = std::str::from_utf8(data) else {
        return;
    };
    let scope = Scope::new("/srv/project").with_root("/home/ada/memory");
    let script = match check(command, &scope) {
        Ok(script) => script,
        Err(refusal) => {
            assert!(refusal.position() <= command.len());
            assert!(!refusal.to_string().chars().any(char::is_control));
            return;
        }
    };
    assert!(!command.contains(['\n', '\r', '\0']));
    // Patterns are quoted too; no rule about an option or a path depends on them, save for the two
    // programs that get none.
    let quoted = quote(&script);
    if quoted.len() <= forked_agent::shell::MAX_COMMAND_BYTES {
        let again = check(&quoted, &scope).expect("because the same words were allowed before");
        assert_eq!(
            words(&again),
            words(&script),
            "{command:?} became {quoted:?}"
        );
    }
}

fn words(script: &Script) -> Vec<(&'static str, Vec<&str>)> {
    let stages = script.pipelines().iter().flat_map(Pipeline::stages);
    stages
        .map(|stage| {
            let arguments = stage.arguments().iter().map(Word::text);
            (stage.program().name(), arguments.collect())
        })
        .collect()
}

fn quote(script: &Script) -> String {
    let mut out = String::new();
    for pipeline in script.pipelines() {
        if !out.is_empty() {
            out.push_str(match pipeline.connector() {
                Connector::Always => ";",
                Connector::IfSucceeded => "&&",
                Connector::IfFailed => "||",
            });
        }
        for (index, stage) in pipeline.stages().iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "|" });
            out.push_str(stage.program().name());
            for argument in stage.arguments() {
                out.push_str(" '");
                out.push_str(&argument.text().replace('\'', "'\\''"));
                out.push('\'');
            }
            out.push_str(match stage.errors() {
                ErrorOutput::Apart => "",
                ErrorOutput::Dropped => " 2>/dev/null",
                ErrorOutput::WithOutput => " 2>&1",
            });
        }
    }
    out
}
