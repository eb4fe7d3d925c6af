//! The same files through this crate and through the program `ripsecrets`, in one run.
//!
//! The program is looked for in the environment variable `RIPSECRETS` and on the search path;
//! `cargo install ripsecrets` puts it there. It starts a process and uses all cores, so files are
//! scanned one at a time and all at once, and this crate is measured with reading the files, too.

#[expect(dead_code, reason = "the other bench uses the rest")]
mod common;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use secret_scan::{Scanner, Views};

const MOST_FILES: usize = 2_000;

fn find_program() -> Option<OsString> {
    let program = std::env::var_os("RIPSECRETS").unwrap_or_else(|| "ripsecrets".into());
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
    let program = find_program();
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

criterion_group!(benches, beside_ripsecrets);
criterion_main!(benches);
