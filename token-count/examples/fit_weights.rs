//! Fits the scanner's weights to the o200k vocabulary and prints `src/weights.rs`.
//!
//! `cargo run -p token-count --release --features bpe --example fit_weights -- DIR[=WEIGHT]… > weights.rs`
//!
//! The texts are those of `eval_tokens` and those of the folders given: each folder below a DIR is
//! a class of text, each file in it a sample; every class counts the same, times WEIGHT (the texts
//! of `eval_tokens` have 6). Half of the samples is fitted on, the other half only judged, on
//! stderr.
//! The fit is linear least squares on two things at once: the tokens of each piece, and the tokens
//! of each whole sample relative to its size, which is what a user sees. A piece costs at least one
//! token, so the fit is repeated with the pieces below that held at one.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the weights go to stdout, how good they are to stderr"
)]

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use crate::scan::{Case, Head, Place, Tally};
use crate::script::Class;

#[path = "../tests/corpus/mod.rs"]
#[expect(dead_code, reason = "names of samples are for the evaluation")]
mod corpus;
#[path = "../src/han.rs"]
mod han;
#[path = "../src/scan.rs"]
#[expect(dead_code, reason = "the example uses what it fits")]
mod scan;
#[path = "../src/script.rs"]
mod script;
#[path = "../src/symbol.rs"]
mod symbol;

const PAIRS: usize = symbol::COUNT * symbol::COUNT;
const LENGTHS: usize = scan::MAX_LETTERS as usize + 1;
/// Offsets of the groups of features in one flat row.
const WORD: usize = PAIRS;
const LENGTH: usize = WORD + 12;
const FOREIGN: usize = LENGTH + 2 * LENGTHS;
const SPACE: usize = FOREIGN + 1;
const MARKS: usize = scan::MAX_MARKS as usize + 1;
const PUNCTUATION: usize = SPACE + 1;
const CLASS: usize = PUNCTUATION + MARKS;
const CYRILLIC: usize = CLASS + 3 * Class::COUNT;
const FEATURES: usize = CYRILLIC + script::CYRILLIC_SYMBOLS * script::CYRILLIC_SYMBOLS;

/// Weight of the classes of `eval_tokens`.
const OWN_WEIGHT: f64 = 6.0;
/// How much a whole sample counts against its pieces.
const SAMPLE_WEIGHT: f64 = 30.0;
/// How strongly a weight is drawn to its prior when the texts say little about it.
const RIDGE: f64 = 2e-4;
const ROUNDS: usize = 8;

type Row = Vec<(usize, f64)>;

#[derive(Default)]
struct Features {
    row: HashMap<usize, f64>,
    pieces: Vec<(Row, usize, usize)>,
    start: usize,
    fixed: bool,
}

impl Features {
    fn add(&mut self, feature: usize) {
        *self.row.entry(feature).or_default() += 1.0;
    }
}

impl Tally for Features {
    fn pair(&mut self, previous: u8, next: u8) {
        self.add(usize::from(previous) * symbol::COUNT + usize::from(next));
    }

    fn cyrillic(&mut self, previous: u8, next: u8) {
        let index = usize::from(previous) * script::CYRILLIC_SYMBOLS + usize::from(next);
        self.add(CYRILLIC + index);
    }

    fn class(&mut self, class: Class, place: Place) {
        self.add(CLASS + class as usize * 3 + place as usize);
    }

    fn end(&mut self, head: Head, end: usize) -> bool {
        match head {
            Head::Word(prefix, case, letters) => {
                self.add(WORD + prefix as usize * 4 + case as usize);
                self.add(
                    LENGTH + usize::from(case == Case::Upper) * LENGTHS + usize::from(letters),
                );
            }
            Head::ForeignWord => self.add(FOREIGN),
            Head::Punctuation(marks) => self.add(PUNCTUATION + usize::from(marks)),
            Head::Space => self.add(SPACE),
            Head::Digits => self.fixed = true,
        }
        let mut row: Row = if self.fixed {
            Vec::new()
        } else {
            self.row.drain().collect()
        };
        row.sort_unstable_by_key(|entry| entry.0);
        self.row.clear();
        self.fixed = false;
        self.pieces.push((row, self.start, end));
        self.start = end;
        true
    }
}

struct Piece {
    row: Row,
    tokens: f64,
    weight: f64,
}

struct Sample {
    class: String,
    weight: f64,
    tokens: f64,
    /// Index of the piece, or `None` for the constant ones, and how often it occurs.
    pieces: Vec<(usize, f64)>,
    constant: f64,
    held_back: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let exact = bpe_openai::o200k_base();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut samples = Vec::new();
    for text in texts()? {
        let mut features = Features::default();
        scan::scan(&text.content, &mut features);
        let mut counts: HashMap<usize, f64> = HashMap::new();
        let mut constant = 0.0;
        for (row, start, end) in features.pieces {
            let piece = &text.content[start..end];
            if row.is_empty() {
                constant += 1.0;
                continue;
            }
            let index = *known.entry(piece.to_owned()).or_insert_with(|| {
                let tokens = exact.count(piece) as f64;
                pieces.push(Piece {
                    row,
                    tokens,
                    weight: 0.0,
                });
                pieces.len() - 1
            });
            *counts.entry(index).or_default() += 1.0;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|entry| entry.0);
        samples.push(Sample {
            tokens: exact.count(text.content.as_str()) as f64,
            class: text.class,
            weight: text.weight,
            pieces: counts,
            constant,
            held_back: text.held_back,
        });
    }
    for sample in samples.iter().filter(|sample| !sample.held_back) {
        for &(piece, count) in &sample.pieces {
            pieces[piece].weight += sample.weight * count / sample.tokens;
        }
    }
    let prior = prior();
    let mut weights = prior.clone();
    for round in 0..ROUNDS {
        weights = solve(&pieces, &samples, &prior, &weights, round > 0);
        let judged = judge(&pieces, &samples, &weights);
        let fitted: Vec<f64> = judged.values().map(|class| class[0]).collect();
        let held: Vec<f64> = judged.values().map(|class| class[1]).collect();
        eprintln!(
            "round {round}: mean {:.2} % fitted, {:.2} % held back",
            mean(&fitted),
            mean(&held)
        );
    }
    let mut judged: Vec<_> = judge(&pieces, &samples, &weights).into_iter().collect();
    judged.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
    for (class, [fitted, held, bias, worst]) in judged {
        eprintln!(
            "{class:16} fitted {fitted:5.2} %  held back {held:5.2} %  bias {bias:+6.2} %  worst {worst:5.1} %"
        );
    }
    print(&weights);
    Ok(())
}

struct Text {
    class: String,
    weight: f64,
    content: String,
    held_back: bool,
}

/// The texts of the evaluation and of the folders on the command line.
fn texts() -> Result<Vec<Text>, Box<dyn Error>> {
    let own = corpus::samples();
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for sample in &own {
        *sizes.entry(sample.class).or_default() += 1;
    }
    let mut texts: Vec<Text> = own
        .into_iter()
        .map(|sample| Text {
            class: sample.class.to_owned(),
            weight: OWN_WEIGHT / sizes[sample.class] as f64,
            content: sample.text,
            held_back: sample.held_back,
        })
        .collect();
    for argument in std::env::args().skip(1) {
        let (root, weight) = match argument.split_once('=') {
            Some((root, weight)) => (root.to_owned(), weight.parse()?),
            None => (argument, 1.0),
        };
        for class in sorted(Path::new(&root))? {
            let files = sorted(&class)?;
            for (number, file) in files.iter().enumerate() {
                let content = std::fs::read_to_string(file)?;
                if !content.is_empty() {
                    let class = class
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned();
                    let weight = weight / files.len() as f64;
                    texts.push(Text {
                        class,
                        weight,
                        content,
                        held_back: number % 2 == 1,
                    });
                }
            }
        }
    }
    Ok(texts)
}

fn sorted(folder: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// What a weight is where the texts are silent: neighbours merge half of the time.
fn prior() -> Vec<f64> {
    let mut prior = vec![0.0; FEATURES];
    for previous in 1..symbol::COUNT {
        for next in 1..symbol::COUNT {
            prior[previous * symbol::COUNT + next] = match (previous, next) {
                (1..=27, 1..=27) => 0.3,
                (_, 1..=27) => 0.0,
                (a, b) if a == b => 0.02,
                _ => 0.4,
            };
        }
    }
    prior[WORD..WORD + 12].fill(1.0);
    prior[FOREIGN..CLASS].fill(1.0);
    for class in 0..Class::COUNT {
        prior[CLASS + class * 3] = 1.0;
        prior[CLASS + class * 3 + 1..CLASS + class * 3 + 3].fill(0.6);
    }
    prior[CYRILLIC..].fill(0.3);
    prior
}

fn value(row: &Row, weights: &[f64]) -> f64 {
    row.iter()
        .map(|&(feature, count)| weights[feature] * count)
        .sum()
}

/// One round: conjugate gradients on the normal equations, with pieces that the last weights put
/// below one token held at one when `clamp` is set.
fn solve(
    pieces: &[Piece],
    samples: &[Sample],
    prior: &[f64],
    last: &[f64],
    clamp: bool,
) -> Vec<f64> {
    let live: Vec<bool> = pieces
        .iter()
        .map(|piece| !clamp || value(&piece.row, last) > 1.0)
        .collect();
    let fitted: Vec<&Sample> = samples.iter().filter(|sample| !sample.held_back).collect();
    let mut rows: Vec<(Row, f64, f64)> = Vec::new();
    for (piece, &live) in pieces.iter().zip(&live) {
        // A held piece of one token is right already; one that should cost more must be let go.
        if piece.weight > 0.0 && (live || piece.tokens > 1.5) {
            rows.push((piece.row.clone(), piece.tokens, piece.weight));
        }
    }
    for sample in fitted {
        let mut row: HashMap<usize, f64> = HashMap::new();
        let mut target = sample.tokens - sample.constant;
        for &(piece, count) in &sample.pieces {
            if live[piece] {
                for &(feature, times) in &pieces[piece].row {
                    *row.entry(feature).or_default() += times * count / sample.tokens;
                }
            } else {
                target -= count;
            }
        }
        let mut row: Row = row.into_iter().collect();
        row.sort_unstable_by_key(|entry| entry.0);
        rows.push((row, target / sample.tokens, sample.weight * SAMPLE_WEIGHT));
    }
    let apply = |x: &[f64]| {
        let mut result: Vec<f64> = x.iter().map(|x| x * RIDGE).collect();
        for (row, _, weight) in &rows {
            let product = weight * value(row, x);
            for &(feature, count) in row {
                result[feature] += product * count;
            }
        }
        result
    };
    let mut target: Vec<f64> = prior.iter().map(|x| x * RIDGE).collect();
    for (row, wanted, weight) in &rows {
        for &(feature, count) in row {
            target[feature] += weight * wanted * count;
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut x = last.to_vec();
    let mut rest: Vec<f64> = target.iter().zip(apply(&x)).map(|(a, b)| a - b).collect();
    let mut direction = rest.clone();
    let mut energy = dot(&rest, &rest);
    for _ in 0..400 {
        if energy < 1e-14 {
            break;
        }
        let applied = apply(&direction);
        let step = energy / dot(&direction, &applied);
        for i in 0..FEATURES {
            x[i] += step * direction[i];
            rest[i] -= step * applied[i];
        }
        let next = dot(&rest, &rest);
        let ratio = next / energy;
        energy = next;
        for i in 0..FEATURES {
            direction[i] = rest[i] + ratio * direction[i];
        }
    }
    x
}

/// Per class: mean absolute error of fitted and of held-back samples, mean signed error and worst
/// absolute error of held-back ones, in percent.
fn judge(pieces: &[Piece], samples: &[Sample], weights: &[f64]) -> HashMap<String, [f64; 4]> {
    let costs: Vec<f64> = pieces
        .iter()
        .map(|piece| value(&piece.row, weights).max(1.0))
        .collect();
    let mut errors: HashMap<String, [Vec<f64>; 2]> = HashMap::new();
    for sample in samples {
        let estimate: f64 = sample.constant
            + sample
                .pieces
                .iter()
                .map(|&(piece, n)| costs[piece] * n)
                .sum::<f64>();
        let error = (estimate / sample.tokens - 1.0) * 100.0;
        errors.entry(sample.class.clone()).or_default()[usize::from(sample.held_back)].push(error);
    }
    errors
        .into_iter()
        .map(|(class, [fitted, held])| {
            let absolute = |values: &[f64]| values.iter().map(|v| v.abs()).collect::<Vec<_>>();
            let worst = absolute(&held).into_iter().fold(0.0, f64::max);
            (
                class,
                [
                    mean(&absolute(&fitted)),
                    mean(&absolute(&held)),
                    mean(&held),
                    worst,
                ],
            )
        })
        .collect()
}

fn hundredths(value: f64, limit: f64) -> i32 {
    (value * 100.0).round().clamp(-limit, limit) as i32
}

fn table(name: &str, weights: &[f64], columns: usize) {
    println!("#[rustfmt::skip]");
    println!("pub(crate) static {name}: [i8; {}] = [", weights.len());
    for row in weights.chunks(columns) {
        let cells: Vec<String> = row
            .iter()
            .map(|v| hundredths(*v, 127.0).to_string())
            .collect();
        println!("    {},", cells.join(", "));
    }
    println!("];");
}

fn print(weights: &[f64]) {
    println!("//! What each feature of a piece costs, in hundredths of an o200k token.");
    println!("//!");
    println!(
        "//! Written by `cargo run --example fit_weights`; see there and `testdata/README.md`."
    );
    println!();
    println!(
        "/// Cost of a pair of neighbouring symbols (`symbol.rs`): row = first, column = second."
    );
    table("PAIRS", &weights[..PAIRS], symbol::COUNT);
    println!();
    println!("/// Cost of a pair of neighbouring Cyrillic letters (`script.rs`).");
    table("CYRILLIC", &weights[CYRILLIC..], script::CYRILLIC_SYMBOLS);
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|v| hundredths(*v, 9_999.0).to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    println!();
    println!(
        "/// Cost of a word by what stands in front ([`Prefix`](crate::scan::Prefix)) and by case."
    );
    println!("#[rustfmt::skip]");
    println!("pub(crate) static WORD: [[i16; 4]; 3] = [");
    for prefix in 0..3 {
        println!(
            "    [{}],",
            list(&weights[WORD + prefix * 4..WORD + prefix * 4 + 4])
        );
    }
    println!("];");
    println!();
    println!(
        "/// Cost of a word by its number of letters, the last standing for more; second row: in capitals."
    );
    println!("#[rustfmt::skip]");
    println!("pub(crate) static LENGTH: [[i16; {LENGTHS}]; 2] = [");
    for row in 0..2 {
        println!(
            "    [{}],",
            list(&weights[LENGTH + row * LENGTHS..LENGTH + (row + 1) * LENGTHS])
        );
    }
    println!("];");
    println!();
    println!(
        "/// Cost of a run of punctuation by its number of bytes, the last standing for more."
    );
    println!("#[rustfmt::skip]");
    println!(
        "pub(crate) static PUNCTUATION: [i16; {MARKS}] = [{}];",
        list(&weights[PUNCTUATION..CLASS])
    );
    println!();
    for (name, index, what) in [
        ("FOREIGN_WORD", FOREIGN, "a word without ASCII letters"),
        ("SPACE", SPACE, "a run of white space"),
    ] {
        println!("/// Cost of {what} before its characters.");
        println!(
            "pub(crate) const {name}: i16 = {};",
            hundredths(weights[index], 9_999.0)
        );
    }
    println!();
    println!("/// Cost of a character beyond ASCII by [`Class`](crate::script::Class) and by");
    println!("/// [`Place`](crate::scan::Place) in a run of its class.");
    println!("#[rustfmt::skip]");
    println!("pub(crate) static CLASS: [[i16; 3]; {}] = [", Class::COUNT);
    for (class, places) in Class::ALL.iter().zip(weights[CLASS..CYRILLIC].chunks(3)) {
        println!("    [{}], // {class:?}", list(places));
    }
    println!("];");
}
