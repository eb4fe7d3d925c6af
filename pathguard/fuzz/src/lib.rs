//! Bodies of the fuzz targets of pathguard.
//!
//! They are ordinary functions, so that an ordinary test replays seeds and found inputs on stable.

mod model;
mod operations;

use std::path::{Component, Path};

use pathguard::{KeyRules, KeySet, PathKey, PathKeyRef, fold_key, sanitize_path_key};

pub use operations::operations;

/// Texts as keys: no panic, every way in agrees, and what is accepted stays below its folder and
/// survives decoding.
///
/// # Panics
///
/// When one of these is not so.
pub fn keys(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut set = KeySet::new();
    for raw in text.split('\n') {
        let Ok(key) = PathKeyRef::parse(raw) else {
            assert!(PathKey::parse(raw).is_err() && sanitize_path_key(raw).is_err());
            assert!(PathKeyRef::parse_with(raw, &KeyRules::markdown()).is_err());
            continue;
        };
        assert_eq!(key.as_str(), raw);
        assert_eq!(sanitize_path_key(raw).as_deref(), Ok(raw));
        let components = Path::new(raw).components();
        assert!(
            components
                .clone()
                .all(|part| matches!(part, Component::Normal(_))),
            "{raw:?}"
        );
        assert_eq!(components.count(), key.components().count());
        if let Some(parent) = key.parent() {
            assert!(PathKeyRef::parse(parent.as_str()).is_ok());
        }
        check_decoded(raw);
        // A twin of a key in the set collides with it, however it is spelled.
        if set.insert(key).is_ok() {
            assert_eq!(set.find(key), Some(key));
            let folded = fold_key(raw);
            assert_eq!(fold_key(&folded), folded, "{raw:?}");
            if let Ok(twin) = PathKeyRef::parse(&folded) {
                assert!(set.insert(twin).is_err());
            }
        }
    }
}

/// Decodes plain escapes to the end, which must reveal neither separators nor dots.
fn check_decoded(raw: &str) {
    let separators = raw.matches('/').count();
    let mut text = raw.as_bytes().to_vec();
    while let Some(decoded) = decode(&text) {
        text = decoded;
    }
    let parts: Vec<&[u8]> = text.split(|&byte| byte == b'/').collect();
    assert_eq!(parts.len() - 1, separators, "{raw:?}");
    assert!(
        !parts.iter().any(|part| matches!(*part, b"" | b"." | b"..")),
        "{raw:?}"
    );
    assert!(!text.contains(&b'\\') && !text.contains(&0), "{raw:?}");
}

/// One round of `%41`; `None` when there is nothing to decode.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        decoded.push(match (first, tail) {
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => b'%',
            },
            _ => *first,
        });
    }
    (decoded.len() < text.len()).then_some(decoded)
}
