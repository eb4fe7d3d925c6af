//! `memstrata guard fs`: reads, writes and lists through a held folder.

use std::io::{self, Read, Write};
use std::path::Path;

use memstrata::pathguard::{
    Error, ErrorKind, ListLimits, Listing, MemoryRoot, PathKeyRef, RootOptions, WriteOptions,
};

use crate::cli::FsOperation;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

/// A file larger than this is refused.
const MOST_BYTES: u64 = 64 << 20;

/// How often each outcome came.
#[derive(Default)]
struct Counts {
    done: u64,
    refused: u64,
    missing: u64,
}

/// Does one operation, as often as asked, through one handle.
///
/// With more than one time the exit code is 0 when any of them was done; what was refused is counted on
/// standard error.
pub(super) fn run(
    root: &Path,
    operation: FsOperation,
    key: &str,
    times: u64,
    speech: Speech,
) -> Result<Exit, Failure> {
    let root = MemoryRoot::open(root, &RootOptions::new())?;
    let mut input = Vec::new();
    if operation == FsOperation::Write {
        let read = io::stdin()
            .lock()
            .take(MOST_BYTES + 1)
            .read_to_end(&mut input)?;
        if read as u64 > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(Failure::new(
                Exit::Refused,
                format!("standard input is over {most} MiB"),
            ));
        }
    }
    let mut counts = Counts::default();
    let mut last = None;
    for _ in 0..times {
        match once(&root, operation, key, &input)? {
            Ok(()) => counts.done += 1,
            Err(error) => {
                if error.kind() == ErrorKind::NotFound {
                    counts.missing += 1;
                } else {
                    counts.refused += 1;
                }
                last = Some(error);
            }
        }
    }
    if times > 1 {
        let Counts {
            done,
            refused,
            missing,
        } = counts;
        speech.say(&format!(
            "done {done}, refused {refused}, missing {missing}"
        ));
    }
    match last {
        Some(error) if counts.done == 0 => Err(error.into()),
        _ => Ok(Exit::Done),
    }
}

/// The outer error is our own standard output; the inner one is the guard's answer.
fn once(
    root: &MemoryRoot,
    operation: FsOperation,
    key: &str,
    input: &[u8],
) -> io::Result<Result<(), Error>> {
    Ok(match operation {
        FsOperation::Read => {
            match PathKeyRef::parse(key).and_then(|key| root.read(key, MOST_BYTES)) {
                Ok(file) => {
                    io::stdout().lock().write_all(&file.bytes)?;
                    Ok(())
                }
                Err(error) => Err(error),
            }
        }
        FsOperation::Write => {
            let written =
                PathKeyRef::parse(key).and_then(|key| root.write(key, input, &WriteOptions::new()));
            written.map(|_| ())
        }
        FsOperation::List => match list(root, key) {
            Ok(listing) => {
                print(&listing)?;
                Ok(())
            }
            Err(error) => Err(error),
        },
    })
}

fn list(root: &MemoryRoot, key: &str) -> Result<Listing, Error> {
    let limits = ListLimits::new().with_metadata(false).with_hidden(true);
    if key == "." {
        return root.list(&limits);
    }
    root.open_sub(PathKeyRef::parse(key)?)?.list(&limits)
}

fn print(listing: &Listing) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for entry in &listing.entries {
        writeln!(out, "{}", entry.key.as_str())?;
    }
    out.flush()?;
    let mut err = io::stderr().lock();
    for problem in &listing.problems {
        writeln!(
            err,
            "memstrata: left out {}: {}",
            clean(&problem.shown),
            problem.kind
        )?;
    }
    if listing.cut {
        writeln!(err, "memstrata: the list was cut at its limit")?;
    }
    Ok(())
}
