//! Where the scanner cuts.

use proptest::prelude::*;

use crate::corpus;
use crate::scan::{Head, MAX_PIECE_BYTES, Place, Tally, scan};
use crate::script::Class;

/// Notes the ends of the pieces and how much was reported.
#[derive(Default)]
struct Ends {
    ends: Vec<usize>,
    reports: usize,
}

impl Tally for Ends {
    fn pair(&mut self, _: u8, _: u8) {
        self.reports += 1;
    }

    fn cyrillic(&mut self, _: u8, _: u8) {
        self.reports += 1;
    }

    fn class(&mut self, _: Class, _: Place) {
        self.reports += 1;
    }

    fn end(&mut self, _: Head, end: usize) -> bool {
        self.ends.push(end);
        true
    }
}

fn ends(text: &str) -> Ends {
    let mut ends = Ends::default();
    scan(text, &mut ends);
    ends
}

/// The ends of the pieces that the vocabulary's own pattern makes.
fn pattern_ends(text: &str) -> Vec<usize> {
    let mut at = 0;
    bpe_openai::o200k_base()
        .split(text)
        .map(|piece| {
            at += piece.len();
            at
        })
        .collect()
}

#[test]
fn ascii_texts_are_cut_where_the_pattern_cuts() {
    let mut checked = 0;
    for sample in corpus::samples() {
        let ascii: String = sample.text.chars().filter(char::is_ascii).collect();
        let longest = pattern_ends(&ascii)
            .windows(2)
            .map(|w| w[1] - w[0])
            .max()
            .unwrap_or(0);
        if longest < MAX_PIECE_BYTES {
            assert_eq!(
                ends(&ascii).ends,
                pattern_ends(&ascii),
                "{} {}",
                sample.class,
                sample.name
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} texts");
}

#[test]
fn most_texts_in_other_scripts_are_cut_where_the_pattern_cuts() {
    for sample in corpus::samples() {
        let expected = pattern_ends(&sample.text);
        let found = ends(&sample.text).ends;
        let common = found
            .iter()
            .filter(|end| expected.binary_search(end).is_ok())
            .count();
        let most = expected.len().max(found.len());
        assert!(
            common * 100 >= most * 97,
            "{} {}: {common} of {most}",
            sample.class,
            sample.name
        );
    }
}

#[test]
fn the_work_grows_with_the_text_and_not_faster() {
    let lines = format!("\n{}", " ".repeat(MAX_PIECE_BYTES - 2));
    for unit in [
        "a", "Ab", " ", "\n", " \n", "\t.", "'", "'s", "/\n", "é", "Ж", "中a", "\u{301}", "\u{a0}",
        &lines,
    ] {
        let text = unit.repeat(200_000 / unit.len());
        let found = ends(&text);
        let work = found.reports + found.ends.len();
        assert!(
            work <= 3 * text.len(),
            "{unit:?}: {work} for {} bytes",
            text.len()
        );
        assert_eq!(found.ends.last(), Some(&text.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn ascii_is_cut_where_the_pattern_cuts(
        text in "([a-z]{1,9}|[A-Z]{1,4}|[0-9]{1,5}|'(s|T|re|ll|x)|[ \\t\\r\\n\\x0b]{1,4}|[!-/:-@\\[-`{-~]{1,4}|[\\x00-\\x7f]){0,60}"
    ) {
        prop_assert_eq!(ends(&text).ends, pattern_ends(&text), "{:?}", text);
    }

    #[test]
    fn any_text_is_cut_between_characters_and_to_its_end(text in any::<String>()) {
        let found = ends(&text).ends;
        prop_assert!(found.iter().all(|&end| text.is_char_boundary(end)));
        prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(found.last().copied().unwrap_or(0), text.len());
    }
}
