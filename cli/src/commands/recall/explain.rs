//! `memstrata explain`: why memories were recalled, dropped or passed over.

use std::io::{self, Write};

use memstrata::recall::{Match, Recollection, Refresh, Why};
use serde_json::{Value, json};

use super::show::rounded;
use super::{Memories, query_text};
use crate::cli::Global;
use crate::cli::recall::Choice;
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, Style, clean, counted};

/// Explains the answer to a message.
pub(crate) fn run(
    message: &str,
    choice: &Choice,
    global: &Global,
    environment: &Environment,
    speech: Speech,
) -> Result<Exit, Failure> {
    let context = Context::locate(global, environment)?;
    let mut memories = Memories::open(&context, speech)?;
    let text = query_text(&[message.to_owned()], speech)?;
    let query = memories.query(&text, choice, None);
    let answer = memories.answer(&query)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if speech.json {
        writeln!(out, "{}", answer_json(&answer, &memories.refresh))?;
    } else {
        answer_text(&mut out, &answer, speech)?;
    }
    out.flush()?;
    memories.say_problems(speech);
    Ok(Exit::Done)
}

fn answer_json(answer: &Recollection, refresh: &Refresh) -> Value {
    let words = answer
        .words
        .iter()
        .map(|word| json!({"word": word.word, "memories": word.files, "widened": word.widened}));
    let recalled = answer.memories.iter().map(|memory| {
        json!({
            "path": memory.path.as_str(),
            "score": rounded(memory.score),
            "why": why_json(&memory.why),
        })
    });
    let near_misses = answer.near_misses.iter().map(|miss| {
        json!({
            "path": miss.path,
            "score": rounded(miss.score),
            "evidence": rounded(miss.evidence),
            "coverage": rounded(miss.coverage),
        })
    });
    let dropped = answer
        .dropped
        .iter()
        .map(|dropped| json!({"path": dropped.path, "reason": dropped.reason.as_str()}));
    let problems = refresh
        .problems
        .iter()
        .map(|problem| json!({"path": problem.path, "reason": problem.kind.to_string()}));
    json!({
        "memories": answer.files,
        "words": words.collect::<Vec<_>>(),
        "recalled": recalled.collect::<Vec<_>>(),
        "near_misses": near_misses.collect::<Vec<_>>(),
        "dropped": dropped.collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
        "cut": answer.cut,
    })
}

fn why_json(why: &Why) -> Value {
    let matches = why.matches.iter().map(
        |hit: &Match| json!({"word": hit.word, "found": hit.found, "kind": hit.kind.as_str()}),
    );
    json!({
        "gate": why.gate.as_str(),
        "matches": matches.collect::<Vec<_>>(),
        "evidence": rounded(why.evidence),
        "enough_evidence": rounded(why.enough_evidence),
        "coverage": rounded(why.coverage),
        "head_coverage": rounded(why.head_coverage),
    })
}

fn answer_text(out: &mut impl Write, answer: &Recollection, speech: Speech) -> io::Result<()> {
    let heading = |text: &str| speech.paint(Style::Bold, text).into_owned();
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    writeln!(out, "{}", heading("words that count"))?;
    if answer.words.is_empty() {
        writeln!(out, "    none")?;
    }
    for word in &answer.words {
        let widened = match word.widened.as_slice() {
            [] => String::new(),
            others => format!(", also {}", others.join(", ")),
        };
        let line = format!(
            "{}: in {} of {}{widened}",
            word.word,
            word.files,
            counted(answer.files, "memory", "memories")
        );
        writeln!(out, "    {}", clean(&line))?;
    }
    writeln!(out, "{}", heading("recalled"))?;
    if answer.memories.is_empty() {
        writeln!(out, "    none")?;
    }
    for memory in &answer.memories {
        let why = &memory.why;
        let line = format!(
            "{}: {why}; evidence {:.1}, {:.1} pass alone",
            memory.path, why.evidence, why.enough_evidence
        );
        writeln!(out, "    {}", clean(&line))?;
    }
    if answer.cut {
        writeln!(out, "    more passed than were asked for")?;
    }
    if !answer.near_misses.is_empty() {
        writeln!(out, "{}", heading("not good enough"))?;
    }
    for miss in &answer.near_misses {
        let line = format!(
            "{}: evidence {:.1}, {} of the query",
            miss.path,
            miss.evidence,
            percent(miss.coverage)
        );
        writeln!(out, "    {}", clean(&line))?;
    }
    if !answer.dropped.is_empty() {
        writeln!(out, "{}", heading("dropped"))?;
    }
    for dropped in &answer.dropped {
        let line = format!("{}: {}", dropped.path, dropped.reason);
        writeln!(out, "    {}", clean(&line))?;
    }
    Ok(())
}
