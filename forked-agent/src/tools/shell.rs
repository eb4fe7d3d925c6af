//! Runs a read-only command and tells the model what came of it.

use super::Toolbox;
use crate::secrets::redacted;
use crate::shell::{Ended, RunOutput, Script};

/// Runs a vetted command.
pub(crate) async fn carry_out(script: &Script, toolbox: &Toolbox) -> Result<String, String> {
    let scope = toolbox.workspace.scope();
    let ready = script
        .prepare(&scope)
        .map_err(|refusal| refusal.to_string())?;
    let mut options = toolbox.shell.clone();
    options.max_output_bytes = options.max_output_bytes.min(toolbox.limits.result_bytes);
    let output = ready
        .run(&options)
        .await
        .map_err(|error| error.to_string())?;
    let text = report(&output, options.time_limit.as_secs_f32());
    if !toolbox.redact {
        return Ok(text);
    }
    Ok(redacted(&text))
}

fn report(output: &RunOutput, seconds: f32) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut note = |line: String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if !errors.trim_end().is_empty() {
        note(errors.trim_end().to_owned());
    }
    match output.ended {
        Ended::OutputLimit => note("[cut: more output than a result may have]".to_owned()),
        Ended::TimeLimit => note(format!("[cut: not finished after {seconds} s]")),
        Ended::Finished => match output.code {
            Some(0) => {}
            Some(code) => note(format!("[exit code {code}]")),
            None => note("[ended by a signal]".to_owned()),
        },
    }
    if text.is_empty() {
        return "[no output]".to_owned();
    }
    text
}
