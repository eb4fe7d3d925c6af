//! Takes JSON apart in one pass, without building it.
//!
//! A transcript is mostly text that nobody asks for: results are written twice, hooks report on every
//! call. The scanner walks over an object once and hands each member to the form that wants it; a string
//! that is wanted is decoded where it stands, and what nobody wants is passed over by looking for quotes
//! and brackets only. Passed-over parts are therefore not checked as strictly as a parser would.

use std::borrow::Cow;

use crate::report::SkipReason;

/// Down to this depth brackets have to match; below they are only counted. Nothing that deep is ever used,
/// since `serde_json` stops there.
const CHECKED_DEPTH: u32 = 128;

/// A list with more items makes its line too long: a form takes some hundred bytes of memory for an item of
/// two bytes.
pub(crate) const MAX_ITEMS: usize = 100_000;

/// A place in a piece of JSON.
#[derive(Debug, Clone)]
pub(crate) struct Scan<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(json: &'a str) -> Self {
        Self { json, at: 0 }
    }

    /// Walks over an object; `member` gets each name, as it stands between the quotes, and has to take the
    /// value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&'a str, &mut Self) -> Result<(), SkipReason>,
    ) -> Result<(), SkipReason> {
        self.expect(b'{')?;
        self.separated(b'}', |scan| {
            let start = scan.at;
            scan.skip_string()?;
            let name = &scan.json[start + 1..scan.at - 1];
            scan.blank();
            scan.expect(b':')?;
            scan.blank();
            member(name, scan)
        })
    }

    /// Walks over a list; `item` has to take each item.
    pub(crate) fn list(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<(), SkipReason>,
    ) -> Result<(), SkipReason> {
        self.expect(b'[')?;
        self.separated(b']', item)
    }

    fn separated(
        &mut self,
        close: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), SkipReason>,
    ) -> Result<(), SkipReason> {
        self.blank();
        if self.peek()? == close {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.blank();
            each(self)?;
            self.blank();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == close => return Ok(()),
                _ => return Err(SkipReason::NotJson),
            }
        }
    }

    /// Passes over a value and returns it as it stands.
    pub(crate) fn raw(&mut self) -> Result<&'a str, SkipReason> {
        let start = self.at;
        self.skip()?;
        Ok(&self.json[start..self.at])
    }

    /// Checks that nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<(), SkipReason> {
        self.blank();
        if self.at == self.json.len() {
            Ok(())
        } else {
            Err(SkipReason::NotJson)
        }
    }

    /// Returns the next byte without taking it.
    pub(crate) fn peek(&self) -> Result<u8, SkipReason> {
        let byte = self.json.as_bytes().get(self.at);
        byte.copied().ok_or(SkipReason::CutOff)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), SkipReason> {
        if self.peek()? != wanted {
            return Err(SkipReason::NotJson);
        }
        self.at += 1;
        Ok(())
    }

    pub(crate) fn blank(&mut self) {
        let bytes = self.json.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Takes a string. `None` for one whose escapes make no text.
    fn string(&mut self) -> Result<Option<Cow<'a, str>>, SkipReason> {
        let start = self.at;
        self.expect(b'"')?;
        let plain = special(&self.json.as_bytes()[self.at..]);
        let end = self.at + plain.ok_or(SkipReason::CutOff)?;
        if self.json.as_bytes()[end] == b'"' {
            let text = &self.json[self.at..end];
            self.at = end + 1;
            return Ok(no_control(text).then_some(Cow::Borrowed(text)));
        }
        let rest = &self.json[start..];
        let mut decoded = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        if let Some(Ok(text)) = decoded.next() {
            self.at = start + decoded.byte_offset();
            return Ok(Some(Cow::Owned(text)));
        }
        self.at = start;
        self.skip_string()?;
        Ok(None)
    }

    fn skip(&mut self) -> Result<(), SkipReason> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_nested(),
            _ => self.skip_word(),
        }
    }

    /// Passes over a string. It ends at the first quote that no backslash takes.
    fn skip_string(&mut self) -> Result<(), SkipReason> {
        self.expect(b'"')?;
        loop {
            let rest = self.json.as_bytes().get(self.at..).unwrap_or_default();
            let found = special(rest).ok_or(SkipReason::CutOff)?;
            self.at += found + 1;
            if rest[found] == b'"' {
                return Ok(());
            }
            // Whatever the backslash takes; the rest of a longer escape is plain text.
            self.at += 1;
        }
    }

    /// Passes over an object or list, without recursion. One bit each says which kind of bracket is open.
    fn skip_nested(&mut self) -> Result<(), SkipReason> {
        let mut depth = 0_u32;
        let mut kinds = 0_u128;
        loop {
            match self.peek()? {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                open @ (b'{' | b'[') => {
                    if depth < CHECKED_DEPTH {
                        kinds = kinds << 1 | u128::from(open == b'{');
                    }
                    depth = depth.checked_add(1).ok_or(SkipReason::TooDeep)?;
                }
                close @ (b'}' | b']') => {
                    depth -= 1;
                    if depth < CHECKED_DEPTH {
                        if kinds & 1 != u128::from(close == b'}') {
                            return Err(SkipReason::NotJson);
                        }
                        kinds >>= 1;
                    }
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Passes over a number, `true`, `false` or `null`.
    fn skip_word(&mut self) -> Result<(), SkipReason> {
        let rest = &self.json.as_bytes()[self.at..];
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        if length == 0 {
            return Err(SkipReason::NotJson);
        }
        self.at += length;
        Ok(())
    }
}

/// Finds the first quote or backslash, eight bytes at a time: in text with many escapes the searches of a
/// vector library are dominated by their beginnings.
fn special(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // Zero bytes become high bits (Mycroft); a wrong one can only stand above a right one.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, chunk) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let found =
            zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let at = tail.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(words.len() * 8 + at)
}

fn no_control(text: &str) -> bool {
    // A minimum instead of a test per byte, so that it runs on vectors.
    text.bytes().fold(u8::MAX, u8::min) >= b' '
}

/// Something that is taken off a scan in one go.
pub(crate) trait Take<'a>: Sized {
    /// Takes exactly one value, of whatever type it is.
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason>;
}

/// Reads a whole text as one value.
pub(crate) fn read<'a, T: Take<'a>>(json: &'a str) -> Result<T, SkipReason> {
    let mut scan = Scan::new(json);
    scan.blank();
    let value = T::take(&mut scan)?;
    scan.end()?;
    Ok(value)
}

/// A string, or nothing where there is a value of another type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> Take<'a> for Text<'a> {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        if scan.peek()? == b'"' {
            return scan.string().map(Self);
        }
        scan.skip().map(|()| Self(None))
    }
}

impl Text<'_> {
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(crate) fn to_owned(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }

    pub(crate) fn into_owned(self) -> Option<String> {
        self.0.map(Cow::into_owned)
    }
}

/// `true`, or anything else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flag(pub(crate) bool);

impl<'a> Take<'a> for Flag {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        scan.raw().map(|raw| Self(raw == "true"))
    }
}

/// A whole number that is not negative, or nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<u64>);

impl<'a> Take<'a> for Count {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        scan.raw().map(|raw| Self(raw.parse().ok()))
    }
}

impl Count {
    pub(crate) fn or_zero(self) -> u64 {
        self.0.unwrap_or(0)
    }
}

/// A value as it stands; nothing for `null`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Raw<'a>(pub(crate) Option<&'a str>);

impl<'a> Take<'a> for Raw<'a> {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        scan.raw().map(|raw| Self((raw != "null").then_some(raw)))
    }
}

/// An item together with how it stands, for whatever a form does not know.
#[derive(Debug, Clone)]
pub(crate) struct Item<'a, T> {
    pub(crate) raw: &'a str,
    pub(crate) form: T,
}

/// A list, with each item as it stands; empty for a value of another type.
#[derive(Debug, Clone)]
pub(crate) struct List<'a, T>(pub(crate) Vec<Item<'a, T>>);

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T: Take<'a>> Take<'a> for List<'a, T> {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        let mut list = Vec::new();
        if scan.peek()? != b'[' {
            scan.skip()?;
            return Ok(Self(list));
        }
        scan.list(|scan| {
            let start = scan.at;
            let form = T::take(scan)?;
            let raw = &scan.json[start..scan.at];
            if list.len() == MAX_ITEMS {
                return Err(SkipReason::TooLong);
            }
            list.push(Item { raw, form });
            Ok(())
        })?;
        Ok(Self(list))
    }
}

/// A string or a list, the two forms that content has everywhere.
#[derive(Debug, Clone, Default)]
pub(crate) enum Content<'a, T> {
    /// There is none.
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    List(Vec<Item<'a, T>>),
    /// A value of another type, as it stands.
    Odd(&'a str),
}

impl<'a, T: Take<'a>> Take<'a> for Content<'a, T> {
    fn take(scan: &mut Scan<'a>) -> Result<Self, SkipReason> {
        let start = scan.at;
        Ok(match scan.peek()? {
            b'"' => match scan.string()? {
                Some(text) => Self::Text(text),
                None => Self::Odd(&scan.json[start..scan.at]),
            },
            b'[' => Self::List(List::take(scan)?.0),
            _ => match Raw::take(scan)?.0 {
                Some(raw) => Self::Odd(raw),
                None => Self::Nothing,
            },
        })
    }
}

/// Declares a form: the members of an object that are looked at, each with its type. The last of several
/// members of one name counts; others are passed over. A value that is no object makes an empty form.
macro_rules! form {
    (
        $(#[$meta:meta])*
        $vis:vis struct $form:ident $(<$life:lifetime>)? {
            $($field:ident: $kind:ty = $key:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default)]
        $vis struct $form $(<$life>)? {
            $($vis $field: $kind,)*
        }

        impl<'scan $(: $life, $life)?> crate::scan::Take<'scan> for $form $(<$life>)? {
            fn take(scan: &mut crate::scan::Scan<'scan>) -> Result<Self, crate::report::SkipReason> {
                let mut form = Self::default();
                if scan.peek()? != b'{' {
                    scan.raw()?;
                    return Ok(form);
                }
                scan.object(|name, scan| {
                    match name {
                        $($key => form.$field = crate::scan::Take::take(scan)?,)*
                        _ => {
                            scan.raw()?;
                        }
                    }
                    Ok(())
                })?;
                Ok(form)
            }
        }
    };
}

pub(crate) use form;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn members(json: &str) -> Result<Vec<(String, String)>, SkipReason> {
        let mut found = Vec::new();
        let mut scan = Scan::new(json);
        scan.blank();
        scan.object(|name, scan| {
            found.push((name.to_owned(), scan.raw()?.to_owned()));
            Ok(())
        })?;
        scan.end().map(|()| found)
    }

    fn items(json: &str) -> Result<Vec<String>, SkipReason> {
        let list: List<'_, Raw<'_>> = read(json)?;
        Ok(list.0.iter().map(|item| item.raw.to_owned()).collect())
    }

    #[test]
    fn pieces_are_handed_over_as_they_stand() {
        let found =
            members(r#" { "a" : "x\"y" , "b":[1, {"c":"]"}],"d":-1.5e3,"e":null, "f":{} } "#);
        let expected = [
            ("a", r#""x\"y""#),
            ("b", r#"[1, {"c":"]"}]"#),
            ("d", "-1.5e3"),
            ("e", "null"),
            ("f", "{}"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(found.unwrap(), expected);
        assert_eq!(items("[]").unwrap(), Vec::<String>::new());
        assert_eq!(items("[ \"a\", [2] ]").unwrap(), ["\"a\"", "[2]"]);
    }

    #[test]
    fn what_is_broken_says_how() {
        let deep =
            |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        for levels in [1, 127, 128, 129, 5_000] {
            assert!(members(&deep(levels)).is_ok(), "{levels}");
        }
        let cases = [
            ("", SkipReason::CutOff),
            ("{", SkipReason::CutOff),
            (r#"{"a"#, SkipReason::CutOff),
            (r#"{"a\"#, SkipReason::CutOff),
            (r#"{"a":"#, SkipReason::CutOff),
            (r#"{"a":1"#, SkipReason::CutOff),
            (r#"{"a":[1,"#, SkipReason::CutOff),
            (r#"{"a":1,"#, SkipReason::CutOff),
            ("x", SkipReason::NotJson),
            ("{a:1}", SkipReason::NotJson),
            (r#"{"a" 1}"#, SkipReason::NotJson),
            (r#"{"a":}"#, SkipReason::NotJson),
            (r#"{"a":1 "b":2}"#, SkipReason::NotJson),
            (r#"{"a":1}}"#, SkipReason::NotJson),
            (r#"{"a":[}"#, SkipReason::NotJson),
            (r#"{"a":1,}"#, SkipReason::NotJson),
        ];
        for (json, reason) in cases {
            assert_eq!(members(json), Err(reason), "{json}");
        }
    }

    #[test]
    fn strings_are_borrowed_where_they_can_be() {
        let string = |json| read::<Text<'_>>(json).map(|text| text.0);
        assert!(matches!(
            string(r#""plain ä""#),
            Ok(Some(Cow::Borrowed("plain ä")))
        ));
        let text = string(r#""a\n\u00e4\\""#).unwrap();
        assert_eq!(text.as_deref(), Some("a\nä\\"));
        for other in ["7", "null", "[]", "\"a\nb\"", r#""\x""#, r#""\ud800""#] {
            assert_eq!(string(other), Ok(None), "{other}");
        }
        for broken in ["", "\"", r#""a\""#, "\"a\" b"] {
            assert!(string(broken).is_err(), "{broken}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|number| Value::from(f64::from(number) / 4.0)),
            ".{0,30}".prop_map(Value::from),
            r#"[\\"{}\[\]:,\n]{0,20}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map(".{0,6}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_scanner_sees_what_the_parser_sees(value in json(), pretty: bool) {
            let text = if pretty {
                serde_json::to_string_pretty(&value).unwrap()
            } else {
                value.to_string()
            };
            match &value {
                Value::Object(map) => {
                    let found = members(&text).unwrap();
                    prop_assert_eq!(found.len(), map.len());
                    for (name, value) in found {
                        let name: String = serde_json::from_str(&format!("\"{name}\"")).unwrap();
                        let read: Value = serde_json::from_str(&value).unwrap();
                        prop_assert_eq!(Some(&read), map.get(&name));
                    }
                }
                Value::Array(list) => {
                    let found = items(&text).unwrap();
                    let read: Vec<Value> =
                        found.iter().map(|item| serde_json::from_str(item).unwrap()).collect();
                    prop_assert_eq!(&read, list);
                }
                Value::String(string) => {
                    let read = read::<Text<'_>>(&text).unwrap();
                    prop_assert_eq!(read.as_str(), Some(string.as_str()));
                }
                _ => prop_assert!(members(&text).is_err()),
            }
        }

        #[test]
        fn what_the_parser_takes_the_scanner_takes(text in r#"[{}\[\]":,\\ a1-]{0,24}"#) {
            let parsed = serde_json::from_str::<Value>(&text);
            if parsed.is_ok_and(|value| value.is_object()) {
                prop_assert!(members(&text).is_ok());
            }
            let _ = items(&text);
        }

        #[test]
        fn the_first_quote_or_backslash_is_found(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let expected = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            prop_assert_eq!(special(&bytes), expected);
        }
    }
}
