//! Standard input of a hook: bounded in size and in time, whatever the other side does.

use std::io::Read;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A call that is larger is not parsed. The largest honest one carries a file that a tool writes or has
/// written, and hosts keep those far below.
const MAX_BYTES: usize = 32 << 20;

/// How long a host may say nothing. Less than any host's own limit for a hook.
const IDLE_LIMIT: Duration = Duration::from_secs(5);

/// How long it may take to hand over its call, saying something all the time.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// A host that says nothing for so long is looked at: it may have said everything and forgotten to close.
const PAUSE: Duration = Duration::from_millis(40);

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// Words that are looked for also in what is not kept: by them a call that cannot be parsed is judged.
const WORDS: [&str; 3] = ["PreToolUse", "BeforeTool", "memory"];

/// What came in.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more than may be kept.
    pub(crate) is_cut: bool,
    /// Which of the words stand in what was not kept.
    beyond: [bool; WORDS.len()],
    /// The end of what was not kept: a word may stand across two chunks.
    last: Vec<u8>,
}

impl Input {
    /// Whether a word stands anywhere in the input; for those beyond the limit, one of [`WORDS`].
    pub(crate) fn has(&self, word: &str) -> bool {
        let is_beyond = WORDS
            .iter()
            .zip(self.beyond)
            .any(|(known, is_there)| *known == word && is_there);
        is_beyond || has(&self.bytes, word)
    }

    fn take(&mut self, chunk: &[u8]) {
        let room = MAX_BYTES - self.bytes.len();
        let (kept, rest) = chunk.split_at(room.min(chunk.len()));
        self.bytes.extend(kept);
        if rest.is_empty() {
            return;
        }
        if !self.is_cut {
            self.is_cut = true;
            self.last = self.bytes[self.bytes.len() - CARRY..].to_vec();
        }
        self.last.extend(rest);
        for (word, is_there) in WORDS.iter().zip(&mut self.beyond) {
            *is_there = *is_there || has(&self.last, word);
        }
        self.last.drain(..self.last.len() - CARRY);
    }
}

/// Bytes of the longest word and a few more.
const CARRY: usize = 16;

fn has(bytes: &[u8], word: &str) -> bool {
    memchr::memmem::find(bytes, word.as_bytes()).is_some()
}

/// Reads until the end, until one whole JSON value has come and nothing follows, or until time is over.
///
/// More than may be kept is read and thrown away, for a host that finds its pipe closed may count that as
/// an error. The reading thread is left behind when time is over; it ends with the process.
pub(crate) fn read(source: impl Read + Send + 'static) -> Input {
    read_within(source, IDLE_LIMIT)
}

fn read_within(mut source: impl Read + Send + 'static, idle_limit: Duration) -> Input {
    let begin = Instant::now();
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(4);
    // The source is handed over when the thread is there: without one it is needed here.
    let (hand_over, taken) = mpsc::channel();
    let thread = std::thread::Builder::new().spawn(move || {
        if let Ok(mut source) = taken.recv() {
            while let Some(chunk) = next_chunk(&mut source) {
                if sender.send(chunk).is_err() {
                    return;
                }
            }
        }
    });
    if thread.is_err() {
        // No process and no thread can be started. An agent that forgets to close its pipe waits for its limit.
        let mut input = Input::default();
        while begin.elapsed() < TIME_LIMIT
            && let Some(chunk) = next_chunk(&mut source)
        {
            input.take(&chunk);
        }
        return input;
    }
    // It waits for nothing else, so it is there.
    let _ = hand_over.send(source);
    let mut input = Input::default();
    let mut heard = begin;
    let mut checked = 0;
    while begin.elapsed() < TIME_LIMIT {
        match receiver.recv_timeout(PAUSE.min(idle_limit)) {
            Ok(chunk) => {
                input.take(&chunk);
                heard = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let is_new = checked < input.bytes.len();
                checked = input.bytes.len();
                if heard.elapsed() >= idle_limit || (is_new && is_whole(&input)) {
                    break;
                }
            }
        }
    }
    input
}

/// What can be read at once; `None` at the end, and when reading fails.
fn next_chunk(source: &mut impl Read) -> Option<Vec<u8>> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return None,
            Ok(read) => {
                chunk.truncate(read);
                return Some(chunk);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Whether one JSON value stands there, whole.
fn is_whole(input: &Input) -> bool {
    let last = input.bytes.trim_ascii_end().last();
    !input.is_cut
        && last == Some(&b'}')
        && serde_json::from_slice::<serde::de::IgnoredAny>(&input.bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};
    use std::time::Duration;

    use super::{MAX_BYTES, read_within};

    /// Gives what it has and then nothing, without an end.
    struct Open(Cursor<Vec<u8>>);

    impl Read for Open {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => loop {
                    std::thread::park();
                },
                read => Ok(read),
            }
        }
    }

    #[test]
    fn an_input_that_is_never_closed_ends_when_it_is_whole_or_time_is_over() {
        let minute = Duration::from_secs(60);
        let whole = b"{\"a\":\"}\"}\n".to_vec();
        let input = read_within(Open(Cursor::new(whole.clone())), minute);
        assert_eq!(input.bytes, whole);
        let half = b"{\"a\":{}".to_vec();
        let input = read_within(Open(Cursor::new(half.clone())), Duration::from_millis(100));
        assert_eq!(input.bytes, half);
    }

    #[test]
    fn what_is_too_long_is_read_to_its_end_and_cut() {
        let length = MAX_BYTES as u64 + 100_000;
        let input = read_within(std::io::repeat(b'x').take(length), Duration::from_secs(60));
        assert!(input.is_cut);
        assert_eq!(input.bytes.len(), MAX_BYTES);
        // A word that stands across the limit, and one far behind it.
        let mut long = vec![b'x'; MAX_BYTES - 3];
        long.extend(b"memory");
        long.resize(MAX_BYTES + 200_000, b'x');
        long.extend(b"PreToolUse");
        let input = read_within(Cursor::new(long), Duration::from_secs(60));
        assert!(input.has("memory") && input.has("PreToolUse") && !input.has("BeforeTool"));
    }
}
