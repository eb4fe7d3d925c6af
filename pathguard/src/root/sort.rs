//! Sorting a listing by key.

use super::Entry;

/// The place of an entry among the others as far as one comparison of numbers tells it.
struct Place {
    /// The first eight bytes of the key after what all keys begin with, the first byte highest.
    bytes: u64,
    /// Where the entry is now.
    index: usize,
}

/// Sorts `entries` by key.
///
/// Keys of one folder have long beginnings in common (`feedback_…`), and an entry is large. So what
/// is sorted are numbers, and the keys themselves are only compared where the numbers are equal.
/// With 10,000 names that takes half the time of sorting the entries in place.
pub(super) fn sort_by_key(entries: &mut [Entry]) {
    let common = common_beginning(entries);
    let mut places: Vec<Place> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| Place {
            bytes: eight_bytes(&entry.key.as_str().as_bytes()[common..]),
            index,
        })
        .collect();
    places.sort_unstable_by(|a, b| {
        a.bytes
            .cmp(&b.bytes)
            .then_with(|| entries[a.index].key.cmp(&entries[b.index].key))
    });
    // Follow each circle of the permutation; whoever was moved already is further along in it.
    for target in 0..places.len() {
        let mut source = places[target].index;
        while source < target {
            source = places[source].index;
        }
        entries.swap(target, source);
        places[target].index = source;
    }
}

/// The number of bytes that all keys begin with.
fn common_beginning(entries: &[Entry]) -> usize {
    let Some((first, rest)) = entries.split_first() else {
        return 0;
    };
    let first = first.key.as_str().as_bytes();
    rest.iter().fold(first.len(), |common, entry| {
        first[..common]
            .iter()
            .zip(entry.key.as_str().as_bytes())
            .take_while(|(a, b)| a == b)
            .count()
    })
}

/// The first eight bytes as a number of the same order. A missing byte counts as zero, which no key
/// holds, so that a beginning sorts before what goes on.
fn eight_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::key::PathKey;
    use crate::metadata::EntryKind;

    fn check(names: &[String]) {
        let mut entries: Vec<Entry> = names
            .iter()
            .map(|name| Entry {
                key: PathKey::parse(name).expect("the names are keys"),
                kind: EntryKind::File,
                metadata: None,
            })
            .collect();
        let mut expected = entries.clone();
        expected.sort_by(|a, b| a.key.cmp(&b.key));
        sort_by_key(&mut entries);
        assert_eq!(entries, expected);
    }

    #[test]
    fn keys_that_begin_alike_are_sorted_by_what_follows() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        check(&[]);
        check(&names(&["a"]));
        check(&names(&["a/b", "a.md", "a", "a-", "a/b.md", "a/a"]));
        check(&names(&[
            "feedback_12345678b",
            "feedback_12345678",
            "feedback_12345678a",
            "feedback_1",
        ]));
        check(&names(&["項目_b", "項目_a", "項", "é", "z"]));
    }

    proptest! {
        #[test]
        fn sorting_by_numbers_is_sorting_by_key(names in prop::collection::vec("[ab]{1,3}(/[abé]{1,12}){0,2}", 0..60)) {
            check(&names);
        }
    }
}
