//! A key that cannot be printed.

use std::fmt;

/// A key or token of a provider.
///
/// `Debug` shows nothing of it and there is no `Display`; only the back ends can read it. White space
/// around it is dropped, because keys out of files and variables often end in a line break.
///
/// ```
/// use agent_model::ApiKey;
///
/// let key = ApiKey::new("secret\n");
/// assert_eq!(format!("{key:?}"), "ApiKey(…)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into().trim().to_owned())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the key out of a text, and so every piece of it that is 8 characters or longer: providers
    /// like to quote its beginning or end.
    pub(crate) fn scrub(&self, text: &str) -> String {
        const SHORTEST: usize = 8;
        let key: Vec<char> = self.0.chars().collect();
        let chars: Vec<char> = text.chars().collect();
        let mut kept = String::with_capacity(text.len());
        let mut at = 0;
        while at < chars.len() {
            let longest = (0..key.len())
                .map(|from| common(&key[from..], &chars[at..]))
                .max()
                .unwrap_or(0);
            if longest >= SHORTEST.min(key.len()) && longest > 0 {
                kept.push('…');
                at += longest;
            } else {
                kept.push(chars[at]);
                at += 1;
            }
        }
        kept
    }
}

fn common(one: &[char], two: &[char]) -> usize {
    one.iter().zip(two).take_while(|(a, b)| a == b).count()
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::ApiKey;

    #[test]
    fn the_key_and_its_long_pieces_are_taken_out_of_a_text() {
        let key = ApiKey::new(["abcdefgh", "ijklmnop", "qrst"].concat());
        let cases = [
            ("no key here", "no key here"),
            ("bad key abcdefghijklmnopqrst!", "bad key …!"),
            ("starts abcdefgh**** ends mnopqrst", "starts …**** ends …"),
            ("short abcdefg stays", "short abcdefg stays"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(key.scrub(text), expected);
        }
        assert_eq!(ApiKey::new("").scrub("text"), "text");
        assert_eq!(ApiKey::new("abc").scrub("x abc y"), "x … y");
    }
}
