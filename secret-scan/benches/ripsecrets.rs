//! The same files through this crate and through the program `ripsecrets`, in one run.
//!
//! The program is looked for in the environment variable `RIPSECRETS` and on the search path;
//! `cargo install ripsecrets` puts it there. It starts a process and uses all cores, so files are
//! scanned one at a time and all at once, and this crate is measured with reading the files, too.
//!
//! Program beside program: with `memstrata` in `MEMSTRATA` or on the search path, both also scan a
//! folder of generated notes, some with a token in them, and what each finds is printed.

#[expect(dead_code, reason = "the other bench uses the rest")]
mod common;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use secret_scan::{Scanner, Views};

const MOST_FILES: usize = 2_000;

fn find_program(variable: &str, name: &str) -> Option<OsString> {
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let version = Command::new(&program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version
        .is_ok_and(|status| status.success())
        .then_some(program)
}

/// Copies the files into one folder: the registry folder itself may be ignored.
fn copy_files(folder: &Path) -> Vec<PathBuf> {
    let sources = common::source_files();
    sources
        .iter()
        .take(MOST_FILES)
        .enumerate()
        .map(|(number, source)| {
            let target = folder.join(format!("{number}.rs"));
            fs::copy(source, &target).expect("a file can be copied");
            target
        })
        .collect()
}

fn scan_files(scanner: &Scanner, files: &[PathBuf]) -> usize {
    files
        .iter()
        .map(|file| {
            scanner
                .scan(&fs::read(file).expect("a readable file"))
                .len()
        })
        .sum()
}

fn run(program: &OsString, path: &Path) -> bool {
    let status = Command::new(program)
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("the program starts").success()
}

fn beside_ripsecrets(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("secret-scan-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let files = copy_files(&folder);
    let bytes = |files: &[PathBuf]| -> u64 {
        let lengths = files
            .iter()
            .map(|file| fs::metadata(file).map_or(0, |data| data.len()));
        lengths.sum()
    };
    let program = find_program("RIPSECRETS", "ripsecrets");
    if program.is_none() {
        #[expect(clippy::print_stderr, reason = "a bench says what it leaves out")]
        let () = eprintln!(
            "\n*** ripsecrets NOT FOUND: no comparison. Run `cargo install ripsecrets`, or set RIPSECRETS. ***\n"
        );
    }
    let raw = Scanner::standard().clone().with_views(Views::Off);
    for (name, files, path) in [
        ("one file", &files[..1], files[0].as_path()),
        ("folder", &files[..], folder.as_path()),
    ] {
        let mut group = criterion.benchmark_group(format!("beside ripsecrets, {name}"));
        group
            .throughput(Throughput::Bytes(bytes(files)))
            .sample_size(10);
        group.bench_function("raw, one core", |bencher| {
            bencher.iter(|| scan_files(&raw, files));
        });
        group.bench_function("all views, one core", |bencher| {
            bencher.iter(|| scan_files(Scanner::standard(), files));
        });
        if let Some(program) = &program {
            group.bench_function("ripsecrets, all cores", |bencher| {
                bencher.iter(|| run(program, path));
            });
            group.bench_function("ripsecrets, starting only", |bencher| {
                bencher.iter(|| {
                    Command::new(program)
                        .arg("--version")
                        .stdout(Stdio::null())
                        .status()
                });
            });
        }
        group.finish();
    }
    fs::remove_dir_all(&folder).expect("our own folder");
}

const NOTES: usize = 8_000;

/// What stands around a token, and how it is written.
type Form = (&'static str, fn(&str) -> String);

const FORMS: [Form; 12] = [
    ("in quotes", |token| format!("token = \"{token}\"")),
    ("before a space", |token| format!("use {token} there")),
    ("before a comma", |token| format!("use {token}, not more")),
    ("before a full stop", |token| format!("It is {token}.")),
    ("in bold", |token| format!("It is **{token}**")),
    ("in brackets", |token| format!("Ask ({token})")),
    ("in Chinese", |token| format!("令牌{token}。")),
    ("in an address", |token| {
        format!("https://a.example/?t={token}&x=1")
    }),
    ("zero-width", |token| token.replace('_', "_\u{200B}")),
    ("percent", |token| {
        token
            .bytes()
            .map(|byte| ["%", &hex(byte)].concat())
            .collect()
    }),
    ("\\u", |token| {
        token
            .bytes()
            .map(|byte| ["\\u00", &hex(byte)].concat())
            .collect()
    }),
    ("hexadecimal", |token| token.bytes().map(hex).collect()),
];

fn hex(byte: u8) -> String {
    format!("{byte:02x}")
}

/// Notes of about a kilobyte. Every tenth holds one token, every rule and form in turn; returns how
/// many do.
fn write_notes(folder: &Path) -> usize {
    let examples: Vec<String> = secret_scan::rules()
        .iter()
        .filter(|rule| rule.id() != "private-key")
        .flat_map(secret_scan::RuleInfo::examples)
        .collect();
    let mut planted = 0;
    for note in 0..NOTES {
        let line = format!(
            "Note {note}: the build of crates/server runs at 3f1d0c9e8b7a6f5e{note:08x}.\n"
        );
        let mut text = line.repeat(14);
        if note % 10 == 0 {
            // Neighbouring notes differ in the form, neighbouring rounds in the rule.
            let form = FORMS[planted % FORMS.len()].1;
            text += &form(&examples[planted / FORMS.len() % examples.len()]);
            text.push('\n');
            planted += 1;
        }
        fs::write(folder.join(format!("{note}.md")), text).expect("a note can be written");
    }
    planted
}

/// The lines a program prints about a folder: one a finding.
fn lines(program: &OsString, arguments: &[&str], folder: &Path) -> usize {
    let output = Command::new(program)
        .args(arguments)
        .arg(folder)
        .stderr(Stdio::null())
        .output();
    let output = output.expect("the program starts").stdout;
    String::from_utf8_lossy(&output).lines().count()
}

fn program_beside_program(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("memstrata-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let planted = write_notes(&folder);
    let programs = [
        ("MEMSTRATA", "memstrata", &["scan", "--quiet"][..]),
        ("RIPSECRETS", "ripsecrets", &[]),
    ];
    let mut group = criterion.benchmark_group("program beside program");
    group.sample_size(20);
    for (variable, name, arguments) in programs {
        let Some(program) = find_program(variable, name) else {
            #[expect(clippy::print_stderr, reason = "a bench says what it leaves out")]
            let () = eprintln!("\n*** {name} NOT FOUND: set {variable}. ***\n");
            continue;
        };
        let found = lines(&program, arguments, &folder);
        #[expect(clippy::print_stderr, reason = "a bench says what it found")]
        let () = eprintln!("{name}: {found} of {planted} planted tokens, {NOTES} notes");
        group.bench_function(name, |bencher| {
            bencher.iter(|| lines(&program, arguments, &folder));
        });
    }
    group.finish();
    fs::remove_dir_all(&folder).expect("our own folder");
}

criterion_group!(benches, beside_ripsecrets, program_beside_program);
criterion_main!(benches);
