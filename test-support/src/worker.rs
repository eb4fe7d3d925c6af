//! Tests with several processes: each is the test binary itself, started again for one test that does its work
//! when a variable says what to do.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// This test binary, started again for the test of this name alone; what it prints is not kept back.
///
/// ```no_run
/// let child = test_support::this_test("store::crash::worker")
///     .env("MY_TASK", "save 200 memories")
///     .spawn()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn this_test(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a running binary"));
    command.args(["--exact", name, "--nocapture"]);
    command
}

/// A process whose output is read while it runs, as such a worker is.
pub fn started(command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let output = child.stdout.take().expect("a pipe");
    (child, BufReader::new(output))
}

/// What a worker has confirmed with lines `DONE REST`: the rests, until its output ends or `most` are read.
pub fn confirmed(output: &mut impl BufRead, done: &str, most: usize) -> Vec<String> {
    let mut confirmed = Vec::new();
    let mut line = String::new();
    while confirmed.len() < most {
        line.clear();
        // A killed worker may leave half a line: that was not confirmed.
        if output.read_line(&mut line).expect("lines of text") == 0 || !line.ends_with('\n') {
            break;
        }
        let said = line.trim_end().split_once(' ');
        let said = said.filter(|said| said.0 == done);
        confirmed.extend(said.map(|said| said.1.to_owned()));
    }
    confirmed
}
