//! YAML for what the line reader leaves to it, under a budget that no hostile document can stretch.

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::{Extent, Field};

/// The value of a field as one text, if YAML takes it for one.
pub(super) fn text(bytes: &[u8], field: &Field) -> Option<String> {
    parse::<Pairs>(source(bytes, field)?).ok()?.only()
}

/// Whether YAML can read the field at all.
pub(super) fn is_valid(bytes: &[u8], field: &Field) -> bool {
    source(bytes, field).is_some_and(|source| parse::<IgnoredAny>(source).is_ok())
}

/// The pairs of a map written in braces on one line, as in `metadata: {type: user}`, in order.
///
/// `None` when it is no such map or when a value in it is more than a text.
pub(crate) fn flow_pairs(bytes: &[u8], field: &Field) -> Option<Vec<(String, String)>> {
    if bytes.get(field.value.start) != Some(&b'{') {
        return None;
    }
    let source = std::str::from_utf8(&bytes[field.value.clone()]).ok()?;
    Some(parse::<Pairs>(source).ok()?.0)
}

/// The line, counted in the file from 1, on which a strict YAML reader gives up, if it does.
pub(crate) fn strict_error(bytes: &[u8], extent: &Extent) -> Option<usize> {
    let Ok(source) = std::str::from_utf8(&bytes[extent.fields..extent.fields_end]) else {
        return None;
    };
    let error = parse::<Option<IgnoredAny>>(source).err()?;
    let line = error
        .location()
        .map_or(1, |location| location.line() as usize);
    Some(extent.fields_line + line.saturating_sub(1))
}

fn source<'a>(bytes: &'a [u8], field: &Field) -> Option<&'a str> {
    std::str::from_utf8(&bytes[field.lines.clone()]).ok()
}

fn parse<'a, T: Deserialize<'a>>(source: &'a str) -> Result<T, serde_yaml::Error> {
    // A front matter is at most FRONT_MATTER_MAX_BYTES long; what it may unfold to is bounded here.
    // Without anchors no document can grow on reading.
    let budget = serde_yaml::budget! {
        max_depth: 16,
        flow_nesting_limit: 16,
        max_events: 8_000,
        max_nodes: 4_000,
        max_documents: 1,
        max_aliases: 16,
        max_anchors: 16,
        max_merge_keys: 0,
        max_total_scalar_bytes: 2 * crate::limits::FRONT_MATTER_MAX_BYTES,
    };
    let options = serde_yaml::options! {
        budget: budget,
        with_snippet: false,
        null_as_string: true,
        ignore_binary_tag_for_string: true,
        duplicate_keys: serde_yaml::DuplicateKeyPolicy::Error,
        merge_keys: serde_yaml::MergeKeyPolicy::AsOrdinary,
    };
    serde_yaml::from_str_with_options(source, options)
}

/// A map from text to text, in order.
struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn only(mut self) -> Option<String> {
        let (_, text) = self.0.pop()?;
        self.0.is_empty().then_some(text)
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a map of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    if pairs.len() == MAX_PAIRS {
                        return Err(A::Error::custom("too many pairs"));
                    }
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

const MAX_PAIRS: usize = 1_000;
