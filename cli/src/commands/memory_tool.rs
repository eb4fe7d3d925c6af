//! `memstrata memory-tool`: the Anthropic memory tool over lines of JSON.

use std::io::{self, Write};
use std::path::Path;

use memstrata::memdir::{Origin, Writer};
use memstrata::memory_tool::{Answer, MAX_INPUT_BYTES, MemoryTool};
use memstrata::pathguard::{Env, ErrorKind, MemoryDirSpec, MemoryRoot, RootOptions, TrustedSource};
use serde_json::json;

use crate::cli::Global;
use crate::cli::memory_tool::MemoryTool as Arguments;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::lines::{ReadLine, read_line};
use crate::terminal::{Speech, clean};

/// Answers each input, in order, until the input ends.
pub(crate) fn run(
    arguments: &Arguments,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let tool = if let Some(dir) = &arguments.dir {
        MemoryTool::on_folder(open_folder(dir, environment, speech)?)
    } else {
        let store = Context::locate(global, environment)?.open(speech)?;
        MemoryTool::on_store(store, Origin::new(Writer::Host, "memory-tool"))
    };
    let tool = tool.with_overwriting(arguments.overwrite);
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        let answer = match read_line(&mut input, &mut line, MAX_INPUT_BYTES as u64)? {
            ReadLine::End => return Ok(Exit::Done),
            // Blank lines hold no input, so that no answer is due.
            ReadLine::Whole if line.trim_ascii().is_empty() => continue,
            ReadLine::Whole => tool.answer_json(&line),
            ReadLine::TooLong => Answer {
                text: format!(
                    "Error: The input is larger than {} MiB",
                    MAX_INPUT_BYTES >> 20
                ),
                is_error: true,
            },
        };
        let object = json!({"text": answer.text, "is_error": answer.is_error});
        writeln!(output, "{object}")?;
        // The host waits for this answer before it sends the next input.
        output.flush()?;
    }
}

/// Opens a folder that a person named, with the checks for folders from settings.
fn open_folder(
    dir: &Path,
    environment: &Environment,
    speech: Speech,
) -> Result<MemoryRoot, Failure> {
    let env = Env::new(
        environment.user_home.clone(),
        environment.current_dir.clone(),
    );
    let absolute = environment.current_dir.join(dir);
    let named = absolute
        .to_str()
        .ok_or_else(|| Failure::new(Exit::Usage, "the name of the folder is not Unicode"))?;
    let spec = MemoryDirSpec::resolve(named, TrustedSource::Argument, &env)?;
    let opened = spec.open_or_create(&RootOptions::new()).map_err(|error| {
        if error.kind() == ErrorKind::NotDirectory {
            let shown = absolute.display().to_string();
            Failure::new(Exit::Usage, format!("{} is not a folder", clean(&shown)))
        } else {
            error.into()
        }
    })?;
    for warning in opened.warnings {
        speech.say(&format!("warning: {warning}"));
    }
    Ok(opened.root)
}
