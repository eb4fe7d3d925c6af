//! Prints what each variant of the memory prompt costs in tokens.
#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use memdir::prompt::{Context, Folder, Saving, token_cost};

fn main() {
    let context = || Context::new(Folder::new("/home/ana/.claude/projects/-app/memory"));
    let team = || Folder::new("/home/ana/.claude/projects/-app/memory/team");
    let variants = [
        ("private", context()),
        ("private, no index step", context().without_index_step()),
        ("private and team", context().with_team(team())),
        (
            "private and team, no index step",
            context().with_team(team()).without_index_step(),
        ),
        ("log mode", context().with_saving(Saving::Log)),
        (
            "log mode, no index step",
            context().with_saving(Saving::Log).without_index_step(),
        ),
    ];
    println!("{:<34}{:>8}", "variant", "tokens");
    for (name, context) in variants {
        println!("{name:<34}{:>8}", token_cost(&context).total());
    }
}
