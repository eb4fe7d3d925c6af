//! Vetting a command, beside the parse alone of the crate `brush-parser`.
//!
//! The bar is 5 µs a command. `brush-parser` only builds a syntax tree here; it decides nothing.

use std::hint::black_box;

use brush_parser::{Parser, ParserOptions};
use criterion::{Criterion, criterion_group, criterion_main};
use forked_agent::shell::{Scope, vet};

const COMMANDS: &[(&str, &str)] = &[
    ("short", "ls -la src"),
    (
        "pipeline",
        "grep -rn 'fn main' src 2>/dev/null | head -n 20",
    ),
    (
        "long",
        "find . -type f \\( -name '*.md' -o -name '*.txt' \\) -not -path './target/*' -newermt 2026-03-01 \
         -printf '%p %s\\n' 2>/dev/null | grep -v draft | head -n 50 && \
         cat notes/first.md \"notes/second one.md\" notes/third\\ one.md | wc -l || ls -la notes; \
         stat -c '%n %s %y' notes/*.md",
    ),
    ("refused", "find . -name '*.tmp' -exec rm '{}' '+'"),
];

fn vetting(criterion: &mut Criterion) {
    let scope = Scope::new("/srv/project").with_root("/home/ada/memory");
    let options = ParserOptions::default();
    for (name, command) in COMMANDS {
        let mut group = criterion.benchmark_group(format!("vet/{name}"));
        group.bench_function("forked-agent", |bencher| {
            bencher.iter(|| vet(black_box(command), &scope).is_ok());
        });
        group.bench_function("brush-parser parse", |bencher| {
            bencher.iter(|| {
                Parser::new(black_box(command.as_bytes()), &options)
                    .parse_program()
                    .is_ok()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, vetting);
criterion_main!(benches);
