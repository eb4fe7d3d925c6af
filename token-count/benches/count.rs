//! Speed of the estimate, beside reading the same bytes and counting exactly, in one run.
//!
//! `copy` is the least that touching every byte costs, `bytes over 4` and `chars over 4` are the usual
//! rules of thumb (the first does not look at the text at all), `exact` is the o200k vocabulary.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use token_count::{Estimator, TokenCounter};

#[path = "../tests/corpus/mod.rs"]
#[expect(dead_code, reason = "names of samples are for the evaluation")]
mod corpus;

const CLASSES: [&str; 8] = [
    "english",
    "chinese",
    "russian",
    "rust",
    "json compact",
    "json pretty",
    "hex",
    "base64",
];
/// Large enough to leave the first cache level, as a transcript does.
const BYTES: usize = 256 * 1024;

fn count(criterion: &mut Criterion) {
    let samples = corpus::samples();
    let exact = bpe_openai::o200k_base();
    let estimator = Estimator::new();
    for class in CLASSES {
        let once: String = samples
            .iter()
            .filter(|s| s.class == class)
            .map(|s| s.text.as_str())
            .collect();
        let text = once.repeat(BYTES / once.len() + 1);
        let mut group = criterion.benchmark_group(format!("count/{class}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut copy = vec![0_u8; text.len()];
        group.bench_function("copy", |bencher| {
            bencher.iter(|| black_box(&mut copy).copy_from_slice(black_box(text.as_bytes())));
        });
        group.bench_function("bytes over 4", |bencher| {
            bencher.iter(|| black_box(&text).len() / 4);
        });
        group.bench_function("chars over 4", |bencher| {
            bencher.iter(|| black_box(&text).chars().count() / 4);
        });
        group.bench_function("estimate", |bencher| {
            bencher.iter(|| estimator.count(black_box(&text)));
        });
        group.bench_function("exact", |bencher| {
            bencher.iter(|| exact.count(black_box(text.as_str())));
        });
        group.finish();
    }
}

/// A limit far below the size: the cost must be that of the limit.
fn count_up_to(criterion: &mut Criterion) {
    let text = "The quick brown fox jumps over the lazy dog.\n".repeat(200_000);
    let estimator = Estimator::new();
    let mut group = criterion.benchmark_group("2,000 tokens of 9 MB");
    group.bench_function("count_up_to", |bencher| {
        bencher.iter(|| estimator.count_up_to(black_box(&text), 2_000));
    });
    group.bench_function("prefix", |bencher| {
        bencher.iter(|| estimator.prefix(black_box(&text), 2_000).len());
    });
    group.bench_function("count", |bencher| {
        bencher.iter(|| estimator.count(black_box(&text)));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = count, count_up_to
}
criterion_main!(benches);
