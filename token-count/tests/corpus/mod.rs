//! The texts that the estimator is judged on: written ones from `testdata/`, and machine text of
//! the kinds that tools print, made here from a fixed seed. See `testdata/README.md`.

mod data;
mod dump;
mod listing;
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use random::Random;

/// One text of a class.
pub(crate) struct Sample {
    /// What kind of text it is.
    pub(crate) class: &'static str,
    /// Which one of its class.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// Whether the weights were fitted without it. Samples with odd numbers are.
    pub(crate) held_back: bool,
}

/// Classes of written text, which are folders of `testdata/`.
const WRITTEN: [&str; 10] = [
    "english",
    "chinese",
    "japanese",
    "korean",
    "european",
    "russian",
    "rust",
    "python",
    "typescript",
    "markdown",
];

type Generator = fn(shape: usize, &mut Random) -> String;

/// Classes of machine text. Every number is another shape, so that what is held back is not the
/// same shape with other words.
const GENERATED: [(&str, Generator); 10] = [
    ("json compact", data::json_compact),
    ("json pretty", data::json_pretty),
    ("csv", data::csv),
    ("lock file", data::lock_file),
    ("directory listing", listing::listing),
    ("log", listing::log),
    ("diff", listing::diff),
    ("hex", dump::hex),
    ("base64", dump::base64),
    ("ids", dump::ids),
];

const SHAPES: usize = 8;

/// Every sample, ordered by class and number.
pub(crate) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for class in WRITTEN {
        for (number, path) in written(class).into_iter().enumerate() {
            let text = fs::read_to_string(&path).expect("a text of testdata can be read");
            samples.push(Sample {
                class,
                name: path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                text,
                held_back: number % 2 == 1,
            });
        }
    }
    for (class, generate) in GENERATED {
        for shape in 0..SHAPES {
            let mut random = Random::new(shape as u64 + 1);
            samples.push(Sample {
                class,
                name: format!("shape {shape}"),
                text: generate(shape, &mut random),
                held_back: shape % 2 == 1,
            });
        }
    }
    samples
}

/// The files of a written class, in the order of their numbers.
fn written(class: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata")
        .join(class);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("testdata has a folder for every class")
        .map(|entry| entry.expect("a folder of testdata can be listed").path())
        .collect();
    paths.sort();
    paths
}
