//! Tests of `forked-agent`; the modules mirror `src`.

#[cfg(unix)]
mod sandbox;
mod shell;

/// Environment variable that sets how many random commands the slow comparison makes.
#[cfg(unix)]
const COUNT: &str = "FORKED_AGENT_DIFFERENTIAL";
