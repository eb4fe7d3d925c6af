//! The character lists, held against the vocabulary they are facts about.

use crate::han::{JOINING, SINGLE, SYLLABLES, class, is_common_syllable};
use crate::script::Class;

fn tokens(code: u32) -> usize {
    let character = char::from_u32(code).expect("the blocks hold no surrogates");
    bpe_openai::o200k_base()
        .bpe
        .count(character.to_string().as_bytes())
}

#[test]
fn every_han_character_has_the_class_that_the_vocabulary_gives_it() {
    for code in 0x4e00..=0x9fff_u32 {
        let is_one = matches!(class(code), Class::HanJoining | Class::HanSingle);
        assert_eq!(is_one, tokens(code) == 1, "U+{code:04X}");
    }
}

#[test]
fn a_joining_character_occurs_in_three_longer_tokens() {
    let vocabulary = &bpe_openai::o200k_base().bpe;
    let mut longer: std::collections::HashMap<char, usize> = std::collections::HashMap::new();
    for token in 0..vocabulary.num_tokens() as u32 {
        let Ok(text) = std::str::from_utf8(vocabulary.token_bytes(token)) else {
            continue;
        };
        let is_han = text.chars().all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        if is_han && (2..=4).contains(&text.chars().count()) {
            let distinct: std::collections::HashSet<char> = text.chars().collect();
            for character in distinct {
                *longer.entry(character).or_default() += 1;
            }
        }
    }
    for character in JOINING.chars() {
        assert!(
            longer.get(&character).is_some_and(|&n| n >= 3),
            "{character}"
        );
    }
    for character in SINGLE.chars() {
        assert!(longer.get(&character).is_none_or(|&n| n < 3), "{character}");
    }
}

#[test]
fn every_common_syllable_is_one_token_and_no_other_is() {
    for code in 0xac00..=0xd7a3_u32 {
        assert_eq!(is_common_syllable(code), tokens(code) == 1, "U+{code:04X}");
    }
    assert_eq!(SYLLABLES.chars().count(), 677);
}

#[test]
fn a_number_of_up_to_three_digits_is_one_token() {
    for number in 0..1_000 {
        for text in [format!("{number}"), format!("{number:03}")] {
            assert_eq!(bpe_openai::o200k_base().count(text.as_str()), 1, "{text}");
        }
    }
}

#[test]
fn no_token_is_longer_than_128_bytes() {
    let vocabulary = &bpe_openai::o200k_base().bpe;
    let longest = (0..vocabulary.num_tokens() as u32)
        .map(|token| vocabulary.token_len(token))
        .max();
    assert_eq!(longest, Some(128));
}
