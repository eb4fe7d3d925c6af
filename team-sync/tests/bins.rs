//! Bodies stay below the limit and hold every entry once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use team_sync::wire::Put;
use team_sync::{BodyLimits, Checksum, fill_bodies};

proptest! {
    #[test]
    fn every_entry_travels_once_and_no_full_body_is_over_the_limit(
        texts in proptest::collection::btree_map("[a-zé\"]{1,12}", "[\\x00-\\x7fé\"\\\\\n]{0,400}", 0..40),
        limit in 600usize..4_000,
    ) {
        let entries: BTreeMap<String, String> = texts;
        let limits = BodyLimits::default().with_body_bytes(limit);
        let bodies = fill_bodies(&entries, String::as_str, &limits);
        let sent: Vec<&String> = bodies.iter().flatten().collect();
        prop_assert_eq!(sent, entries.keys().collect::<Vec<_>>());
        for body in &bodies {
            let mut put = Put::default();
            for key in body {
                put.entries.insert(key.clone(), entries[key].clone());
                let bases = put.bases.get_or_insert_default();
                bases.insert(key.clone(), Some(Checksum::of("").to_string()));
            }
            put.op_id = Some("00000000-0000-4000-8000-000000000000".into());
            put.expected_version = Some(u64::MAX.to_string());
            put.author = Some("a".repeat(64));
            put.client = Some("b".repeat(64));
            let bytes = serde_json::to_vec(&put).expect("a body is JSON");
            prop_assert!(body.len() == 1 || bytes.len() <= limit, "{} over {limit}", bytes.len());
        }
    }
}

#[test]
fn a_server_cannot_raise_the_limit_of_the_protocol() {
    let limits = BodyLimits::default().with_body_bytes(usize::MAX);
    assert_eq!(limits, BodyLimits::default());
}
