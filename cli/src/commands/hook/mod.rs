//! `memstrata hook`: one event of an agent on standard input, its answer on standard output.
//!
//! Nothing here may fail the agent: the exit code is always 0, errors go to a log, a panic is caught, input
//! is bounded in size and time. Where in doubt a hook says nothing and everything goes on as without it,
//! with one exception: a write to a memory that cannot be checked is refused.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cli::Global;
use crate::cli::hook::Hook;
use crate::environment::Environment;
use crate::exit::{Exit, Failure, chain};

use self::answer::Answer;
use self::host::Host;
use self::input::Input;
use self::payload::{Call, Event};

mod answer;
mod guard;
mod guess;
mod hand_over;
mod host;
mod input;
pub(crate) mod log;
mod payload;
mod prompt;
mod repair;
mod shell;
mod start;
pub(crate) mod state;
mod tools;

/// Answers one call. Ends with 0 whatever happens.
pub(crate) fn run(arguments: &Hook, global: &Global) -> Exit {
    // What a panic says belongs into the log, not on the agent's screen.
    std::panic::set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let environment = Environment::read_anywhere();
        let input = input::read(std::io::stdin());
        if environment.is_inside_hook {
            // An agent that was started by our own worker: its sessions are nobody's.
            let name = Call::parse(&input.bytes).map(|call| call.name);
            (name.unwrap_or_default(), Answer::nothing())
        } else {
            answer_to(arguments, global, &environment, &input)
        }
    }));
    // A bug before the call was known.
    let (event, answer) = answered.unwrap_or_default();
    // A closed pipe: nobody is left who could be told.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(answer.write(arguments.agent, &event).as_bytes());
    let _ = out.flush();
    Exit::Done
}

fn answer_to(
    arguments: &Hook,
    global: &Global,
    environment: &Environment,
    input: &Input,
) -> (String, Answer) {
    let parsed = if input.is_cut {
        Err("the call is too large".to_owned())
    } else {
        Call::parse(&input.bytes).map_err(|error| format!("the call is no JSON object: {error}"))
    };
    let call = match parsed {
        Ok(call) => call,
        Err(why) => {
            log::note(
                global,
                environment,
                &format!("{}: {why}", arguments.agent.as_str()),
            );
            return without_call(input, &why, has_own_folder(global, environment));
        }
    };
    let host = Host::new(arguments.agent, &call, global, environment);
    let answer = catch_unwind(AssertUnwindSafe(|| handle(&host))).unwrap_or_else(|_| {
        let why = "a bug in memstrata (it panicked)";
        log::note(
            global,
            environment,
            &format!("{} {}: {why}", arguments.agent.as_str(), call.name),
        );
        without_call(input, why, has_own_folder(global, environment)).1
    });
    (call.name.clone(), answer)
}

fn handle(host: &Host<'_>) -> Answer {
    // The sessions of sub-agents are no conversations with a person. Their writes are guarded all the
    // same: a guard that one can walk around is none.
    let is_sub_agent = host.call.is_sub_agent;
    let done = match &host.call.event {
        Event::BeforeTool(tool) => Ok(guard::before(host, tool)),
        Event::AfterTool(tool) => guard::after(host, tool),
        _ if is_sub_agent => Ok(Answer::nothing()),
        Event::SessionStart(how) => start::start(host, *how),
        Event::Prompt(text) => prompt::recall(host, text),
        Event::TurnEnd => hand_over::turn(host, false).map(|()| Answer::nothing()),
        Event::BeforeCompaction => hand_over::turn(host, true).map(|()| Answer::nothing()),
        Event::SessionEnd => hand_over::end(host).map(|()| Answer::nothing()),
        Event::Other => Ok(Answer::nothing()),
    };
    done.unwrap_or_else(|failure| {
        note_failure(host, &failure);
        Answer::nothing()
    })
}

/// Writes a failure into the log.
pub(crate) fn note_failure(host: &Host<'_>, failure: &Failure) {
    let (agent, event) = (host.agent.as_str(), &host.call.name);
    let what = format!("{agent} {event}: {}", chain(failure.error.as_ref()));
    log::note(&host.global, host.environment, &what);
}

/// What is said to a call that cannot be understood: nothing, unless it looks like a tool that is about to
/// write a memory, or could be one because the memory lies where its name does not tell.
fn without_call(input: &Input, why: &str, is_anywhere: bool) -> (String, Answer) {
    let before = ["PreToolUse", "BeforeTool"]
        .into_iter()
        .find(|name| input.has(name));
    match before {
        Some(name) if is_anywhere || input.has("memory") => (
            name.to_owned(),
            Answer::deny(format!(
                "memstrata could not check whether this writes a memory: {why}"
            )),
        ),
        _ => (String::new(), Answer::nothing()),
    }
}

/// Whether the memory was put into a folder of any name.
fn has_own_folder(global: &Global, environment: &Environment) -> bool {
    let mut variables = environment.variables.iter();
    global.memory_dir.is_some() || variables.any(|(name, _)| name == "MEMSTRATA_MEMORY_DIR")
}
