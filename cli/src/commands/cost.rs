//! `memstrata cost`: what calls of models cost, per purpose and day, and what is left of a budget.

use std::io::{self, Write};

use memstrata::ModelSettings;
use memstrata::memdir::Clock as _;
use memstrata::model::{Budget, Budgets, Day, DayBook, FileStore, Ledger, PriceTable, Tally};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::cli::cost::Cost;
use crate::clock::SystemClock;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean, counted};

/// The folder of the project's state that holds one file of bookings a day.
const LEDGER: &str = "ledger";

/// Prints one line for each purpose of each day, and one for the day; then what is left today.
pub(crate) fn run(
    arguments: &Cost,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    let folder = context.location.state_dir().join(LEDGER);
    // Only what is booked is read; prices and limits matter when a call is made.
    let ledger = Ledger::new(
        FileStore::new(folder),
        PriceTable::new(),
        Budgets::default(),
    );
    let days = ledger.days().map_err(failure)?;
    let first = days.len().saturating_sub(usize::from(arguments.days));
    let mut out = io::stdout().lock();
    for day in &days[first..] {
        let book = ledger.day(*day).map_err(failure)?;
        print_day(&mut out, *day, &book, speech)?;
    }
    if days.is_empty() {
        speech.say("no call of a model has been booked for this project");
    }
    if first > 0 {
        speech.say(&format!("{first} earlier days are not shown (--days)"));
    }
    let today = today();
    let spent = ledger.day(today).map_err(failure)?.total();
    // A budget that is set up holds when calls are made; one that is asked for goes before it here.
    let settings = ModelSettings::load(context.location.home().path())?;
    let set = settings.map_or(Budget::unlimited(), |settings| settings.budgets().total());
    let mut budget = Budget::unlimited();
    budget.micros = arguments.budget.or(set.micros);
    budget.tokens = arguments.token_budget.or(set.tokens);
    print_left(&mut out, today, &spent, budget, speech)?;
    Ok(Exit::Done)
}

fn print_day(
    out: &mut impl Write,
    day: Day,
    book: &DayBook,
    speech: Speech,
) -> Result<(), Failure> {
    if speech.json {
        for (purpose, tally) in book.purposes() {
            writeln!(out, "{}", row(day, Some(purpose.as_str()), tally, 0))?;
        }
        writeln!(out, "{}", row(day, None, &book.total(), book.damaged()))?;
        return Ok(());
    }
    for (purpose, tally) in book.purposes() {
        writeln!(out, "{day}  {}", line(&clean(purpose.as_str()), tally))?;
    }
    writeln!(out, "{day}  {}", line("all", &book.total()))?;
    if book.damaged() > 0 {
        speech.say(&format!(
            "{} of {day} left out of the sums: not readable",
            counted(book.damaged(), "line", "lines")
        ));
    }
    Ok(())
}

fn row(day: Day, purpose: Option<&str>, tally: &Tally, damaged: u64) -> Value {
    json!({
        "kind": if purpose.is_some() { "purpose" } else { "day" },
        "day": day.to_string(),
        "purpose": purpose,
        "calls": tally.calls,
        "failed": tally.failed,
        "open": tally.open,
        "cache_hits": tally.cache_hits,
        "unpriced": tally.unpriced,
        "tokens": {
            "input": tally.usage.input,
            "output": tally.usage.output,
            "cache_read": tally.usage.cache_read,
            "cache_write": tally.usage.cache_write,
        },
        "micros": tally.micros,
        "damaged_lines": damaged,
    })
}

fn line(purpose: &str, tally: &Tally) -> String {
    let mut notes = Vec::new();
    for (count, what) in [
        (tally.failed, "failed"),
        (tally.open, "not settled"),
        (tally.unpriced, "without a price"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join(", "))
    };
    format!(
        "{purpose:<10} {:>5} calls {:>10} tokens {:>12}{notes}",
        tally.calls,
        tally.usage.total(),
        money(tally.micros)
    )
}

fn print_left(
    out: &mut impl Write,
    today: Day,
    spent: &Tally,
    budget: Budget,
    speech: Speech,
) -> Result<(), Failure> {
    let left = |budget: Option<u64>, used: u64| budget.map(|budget| budget.saturating_sub(used));
    let micros = left(budget.micros, spent.micros);
    let tokens = left(budget.tokens, spent.usage.total());
    if micros.is_none() && tokens.is_none() {
        return Ok(());
    }
    if speech.json {
        let object = json!({
            "kind": "left", "day": today.to_string(), "micros": micros, "tokens": tokens,
            // Money of calls without a price is missing in what is left.
            "unpriced": spent.unpriced,
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let parts = [
        micros.map(money),
        tokens.map(|tokens| format!("{tokens} tokens")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    writeln!(out, "left today  {}", parts.join(", "))?;
    if spent.unpriced > 0 && micros.is_some() {
        speech.say(&format!(
            "{} of today without a price, not in it",
            counted(spent.unpriced, "call", "calls")
        ));
    }
    Ok(())
}

/// Millionths as an amount, with at least two digits behind the point.
fn money(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let shortest = text.len() - 4;
    let kept = text.trim_end_matches('0').len().max(shortest);
    text[..kept].to_owned()
}

/// The day it is where the person is.
fn today() -> Day {
    let date = SystemClock.now().date(SystemClock.offset_seconds());
    u16::try_from(date.year())
        .ok()
        .and_then(|year| Day::new(year, date.month(), date.day()))
        .expect("the system's date exists because a calendar gave it")
}

/// A ledger that cannot be read is trouble with a file.
fn failure(error: memstrata::model::Error) -> Failure {
    Failure {
        exit: Exit::InputOutput,
        error: error.into(),
    }
}
