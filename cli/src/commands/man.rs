//! `memstrata man`: the manual page, made from the same definitions as the help texts.

use std::io::Write;

use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli::Cli;
use crate::environment::documented;
use crate::exit::Exit;
use crate::exit::Failure;

/// Prints the page in roff form.
pub(crate) fn run() -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let man = Man::new(Cli::command());
    man.render(&mut page)?;
    let mut more = Roff::new();
    more.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in Exit::TABLE {
        more.control("TP", []);
        more.text([bold((*exit as u8).to_string())]);
        more.text([roman(*meaning)]);
    }
    more.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in documented() {
        more.control("TP", []);
        more.text([bold(name)]);
        more.text([roman(meaning)]);
    }
    more.to_writer(&mut page)?;
    std::io::stdout().write_all(&page)?;
    Ok(Exit::Done)
}
