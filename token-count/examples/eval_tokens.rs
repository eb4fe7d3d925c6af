//! Prints how far the estimate, bytes/4 and chars/4 are from the exact o200k count, by class of text.
//!
//! `cargo run -p token-count --release --features bpe --example eval_tokens`
//!
//! Only texts that the weights were not fitted on are judged; `-- --all` adds the others, and
//! `-- --samples` prints each text.

use std::collections::BTreeMap;
use std::time::Instant;

use corpus::Sample;
use token_count::{Estimator, Exact, TokenCounter};

#[path = "../tests/corpus/mod.rs"]
mod corpus;

/// Mean error over the classes, and error of the worst class, in percent, that the project promises.
const BARS: (f64, f64) = (5.0, 15.0);

#[derive(Default)]
struct Row {
    samples: usize,
    bytes: usize,
    tokens: usize,
    /// Absolute errors in percent, a value for each sample: estimate, bytes/4, chars/4.
    errors: [Vec<f64>; 3],
}

#[expect(clippy::print_stdout, reason = "the table is what the example is for")]
fn main() {
    let all = std::env::args().any(|argument| argument == "--all");
    let each = std::env::args().any(|argument| argument == "--samples");
    let exact = Exact::o200k();
    let estimator = Estimator::new();
    let samples: Vec<Sample> = corpus::samples()
        .into_iter()
        .filter(|sample| all || sample.held_back)
        .collect();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for sample in &samples {
        let tokens = exact.count(&sample.text);
        let guesses = [
            estimator.count(&sample.text),
            sample.text.len().div_ceil(4),
            sample.text.chars().count().div_ceil(4),
        ];
        let row = rows.entry(sample.class).or_default();
        row.samples += 1;
        row.bytes += sample.text.len();
        row.tokens += tokens;
        for (errors, guess) in row.errors.iter_mut().zip(guesses) {
            errors.push((guess as f64 / tokens as f64 - 1.0).abs() * 100.0);
        }
        if each {
            let error = (guesses[0] as f64 / tokens as f64 - 1.0) * 100.0;
            println!(
                "{:<18} {:<20} {tokens:>6} tokens {error:>+6.1} %",
                sample.class, sample.name
            );
        }
    }

    println!(
        "{:<18} {:>7} {:>8} {:>8}   {:>10} {:>10} {:>10}",
        "class", "samples", "bytes", "tokens", "token-count", "bytes/4", "chars/4"
    );
    let mut classes: [Vec<f64>; 3] = Default::default();
    for (class, row) in &rows {
        print!(
            "{class:<18} {:>7} {:>8} {:>8}  ",
            row.samples, row.bytes, row.tokens
        );
        for (errors, classes) in row.errors.iter().zip(&mut classes) {
            let mean = mean(errors);
            classes.push(mean);
            print!(" {mean:>8.1} %");
        }
        println!();
    }
    let worst = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
    println!(
        "{:<45} {:>8.1} % {:>8.1} % {:>8.1} %",
        "mean of the classes",
        mean(&classes[0]),
        mean(&classes[1]),
        mean(&classes[2])
    );
    println!(
        "{:<45} {:>8.1} % {:>8.1} % {:>8.1} %",
        "worst class",
        worst(&classes[0]),
        worst(&classes[1]),
        worst(&classes[2])
    );

    let text: String = samples
        .iter()
        .map(|sample| sample.text.as_str())
        .collect::<String>()
        .repeat(20);
    let megabytes = text.len() as f64 / 1e6;
    for (name, counter) in [
        ("estimate", &estimator as &dyn TokenCounter),
        ("exact", &exact),
    ] {
        let best = (0..5)
            .map(|_| seconds(|| counter.count(&text)))
            .fold(f64::MAX, f64::min);
        println!("speed of {name:<36} {:>8.0} MB/s", megabytes / best);
    }

    if mean(&classes[0]) > BARS.0 || worst(&classes[0]) > BARS.1 {
        println!(
            "missed: the bars are {} % on average and {} % at worst",
            BARS.0, BARS.1
        );
        std::process::exit(1);
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn seconds(work: impl FnOnce() -> usize) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64()
}
