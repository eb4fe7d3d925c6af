//! Prints what the extractor that asks no model would keep of transcripts: `propose FILE...`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::error::Error;
use std::path::Path;

use agent_transcript::{Options, Origin, Transcript};
use memdir::{Date, Timestamp};
use memdir_extract::{Statement, offline};

fn main() -> Result<(), Box<dyn Error>> {
    let today = Date::new(2026, 1, 1).ok_or("a day")?;
    for file in std::env::args().skip(1) {
        let transcript = Transcript::open(Path::new(&file), &Options::default())?;
        let people = transcript
            .entries()
            .iter()
            .filter(|entry| entry.origin == Origin::Person);
        let statements: Vec<Statement> = people
            .map(|entry| {
                let statement = Statement::new(entry.person_text());
                match entry.time {
                    Some(time) => {
                        statement.with_time(Timestamp::from_seconds(time.as_millis() / 1000))
                    }
                    None => statement,
                }
            })
            .collect();
        let proposals = offline::propose(&statements, today);
        println!(
            "{file}: {} messages of a person, {} proposals",
            statements.len(),
            proposals.len()
        );
        for proposal in proposals {
            println!("  [{}] {}", proposal.memory_type, proposal.name);
            println!("      {}", proposal.description);
            println!("      said: {}", proposal.evidence.quote);
        }
    }
    Ok(())
}
