//! Entries in JSON files with or without comments, put in and taken out as text.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::edit::{Edited, line_end};

/// Levels that a file may have: the parser is recursive.
const MAX_DEPTH: usize = 200;

/// A byte order mark, which some editors put in front.
const MARK: &str = "\u{feff}";

/// What is put into a JSON file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// A property of a name, below objects of these names.
    Property {
        below: Vec<&'static str>,
        name: &'static str,
        value: Value,
    },
    /// An element of the list of a name, below objects of these names.
    Element {
        below: Vec<&'static str>,
        name: &'static str,
        value: Value,
    },
}

impl Entry {
    /// Its own name, or that of its list.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Entry::Property { name, .. } | Entry::Element { name, .. } => name,
        }
    }

    /// The name at the root that it lies below or is.
    pub(super) fn place(&self) -> &'static str {
        match self {
            Entry::Property { below, name, .. } | Entry::Element { below, name, .. } => {
                below.first().copied().unwrap_or(name)
            }
        }
    }
}

/// Says why a text cannot be edited.
///
/// # Errors
/// The reason, for people.
pub(super) fn check(text: &str) -> Result<(), String> {
    root_object(text).map(drop)
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    Done,
    /// A property of this name is there already, and not ours.
    Taken,
}

/// Puts an entry in, at the beginning of what it belongs to: there it needs no look at commas and comments
/// behind the last one.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn put(edited: &mut Edited, entry: &Entry, style: &Style) -> Result<Put, String> {
    let (below, name) = match entry {
        Entry::Property { below, name, .. } | Entry::Element { below, name, .. } => (below, *name),
    };
    let whole = edited.text.clone();
    let text = whole.strip_prefix(MARK).unwrap_or(&whole);
    // Places count from behind a byte order mark.
    let shift = whole.len() - text.len();
    let root = root_object(text)?;
    let mut object = &root;
    for (depth, key) in below.iter().enumerate() {
        match property(object, key) {
            Some(Node::Object(inner)) => object = inner,
            Some(_) => return Err(format!("`{key}` is no object")),
            None => {
                // The objects that are missing, each in the one before, and the entry in the last.
                let value = nested(&below[depth + 1..], wrapped(entry));
                let item = format!("{}: {}", quoted(key), style.print(&value, depth + 1));
                insert_first(
                    edited,
                    shift + object.range.start,
                    object.properties.is_empty(),
                    &item,
                    depth,
                    style,
                );
                return Ok(Put::Done);
            }
        }
    }
    let depth = below.len();
    let is_empty = object.properties.is_empty();
    match (property(object, name), entry) {
        (Some(Node::Array(list)), Entry::Element { value, .. }) => {
            let item = style.print(value, depth + 2);
            let is_empty = list.elements.is_empty();
            insert_first(
                edited,
                shift + list.range.start,
                is_empty,
                &item,
                depth + 1,
                style,
            );
        }
        (Some(_), Entry::Element { .. }) => return Err(format!("`{name}` is no list")),
        (Some(_), Entry::Property { .. }) => return Ok(Put::Taken),
        (None, _) => {
            let item = match wrapped(entry) {
                Value::Object(properties) => properties.into_iter().next().map(|(_, value)| value),
                _ => None,
            };
            let value = style.print(&item.unwrap_or_default(), depth + 1);
            let item = format!("{}: {value}", quoted(name));
            insert_first(
                edited,
                shift + object.range.start,
                is_empty,
                &item,
                depth,
                style,
            );
        }
    }
    Ok(Put::Done)
}

/// Takes out everything that `is_ours` knows, and what is empty then. For files that were written anew since.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn sweep(
    text: &str,
    is_ours: &dyn Fn(&[String], &Value) -> bool,
) -> Result<String, String> {
    let (mark, text) = match text.strip_prefix(MARK) {
        Some(rest) => (MARK, rest),
        None => ("", text),
    };
    let mut text = text.to_owned();
    // Each round takes one thing out; a file has no more of ours than this.
    for _ in 0..256 {
        let root = root_object(&text)?;
        let mut path = Vec::new();
        let Some((start, end)) = first_of_ours(&Node::Object(root), &mut path, is_ours, &text)
        else {
            break;
        };
        text.replace_range(start..end, "");
    }
    Ok(format!("{mark}{text}"))
}

/// What a file says, without its layout.
///
/// # Errors
/// What is wrong with the file, in words.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    root_object(text).map(|root| plain(&Node::Object(root)))
}

/// Whether nothing in the text needs a reader that forgives a comma too many.
pub(super) fn has_no_spare_comma(text: &str) -> bool {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let options = ParseOptions {
        allow_trailing_commas: false,
        ..ParseOptions::default()
    };
    parse_to_ast(text, &CollectOptions::default(), &options).is_ok()
}

/// Whether nothing stands in the text.
pub(super) fn is_blank(text: &str) -> bool {
    text.strip_prefix(MARK).unwrap_or(text).trim().is_empty()
}

/// Finds the first value that is ours, with the comma that goes with it.
fn first_of_ours(
    node: &Node<'_>,
    path: &mut Vec<String>,
    is_ours: &dyn Fn(&[String], &Value) -> bool,
    text: &str,
) -> Option<(usize, usize)> {
    let children: Vec<(String, (usize, usize), &Node<'_>)> = match node {
        Node::Object(object) => object
            .properties
            .iter()
            .map(|one| {
                let name = one.name.as_str().to_owned();
                (name, (one.range.start, one.range.end), &one.value)
            })
            .collect(),
        Node::Array(list) => list
            .elements
            .iter()
            .map(|one| (String::new(), (one.start(), one.end()), one))
            .collect(),
        _ => return None,
    };
    for (number, (name, range, value)) in children.iter().enumerate() {
        path.push(name.clone());
        let is_one = is_ours(path, &plain(value));
        let found = if is_one {
            let before = number.checked_sub(1).map(|before| children[before].1.1);
            let opening = node.start() + 1;
            Some(with_comma(text, *range, before, opening))
        } else {
            first_of_ours(value, path, is_ours, text)
        };
        path.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The range of an item with one comma and the white space before it.
fn with_comma(
    text: &str,
    (start, end): (usize, usize),
    before: Option<usize>,
    opening: usize,
) -> (usize, usize) {
    let floor = before.unwrap_or(opening);
    let blank = text[floor..start].trim_end().len();
    if let Some(comma) = comma_after(text, end) {
        return (floor + blank, comma + 1);
    }
    match before.and_then(|before| comma_after(text, before)) {
        Some(comma) => (comma, end),
        None => (floor + blank, end),
    }
}

/// Where the next comma stands, past white space and comments.
fn comma_after(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with(',') {
            return Some(at);
        }
        let length = if trimmed.starts_with("//") {
            trimmed.find('\n')?
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/")? + 2
        } else {
            return None;
        };
        at += length;
    }
}

/// A value without its place in the text.
fn plain(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::String(text.value.to_string()),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Node::BooleanLit(boolean) => Value::Bool(boolean.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(list) => list.elements.iter().map(plain).collect(),
        Node::Object(object) => object
            .properties
            .iter()
            .map(|one| (one.name.as_str().to_owned(), plain(&one.value)))
            .collect(),
    }
}

/// Parses a file whose root is an object.
fn root_object(text: &str) -> Result<Object<'_>, String> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
    }
    // Comments and commas too many, as editors take them. The agents read nothing else of what people call JSON5.
    let options = ParseOptions {
        allow_missing_commas: false,
        allow_loose_object_property_names: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    match parsed
        .map_err(|error| format!("it is no JSON: {error}"))?
        .value
    {
        Some(Node::Object(object)) if object.properties.iter().all(|it| has_numbers(&it.value)) => {
            Ok(object)
        }
        Some(Node::Object(_)) => Err("it is no JSON: a number is none".to_owned()),
        _ => Err("it is no JSON object".to_owned()),
    }
}

/// Whether all numbers are such as JSON knows; the parser takes `NaN` for one.
fn has_numbers(node: &Node<'_>) -> bool {
    match node {
        Node::NumberLit(number) => serde_json::from_str::<serde_json::Number>(number.value).is_ok(),
        Node::Array(list) => list.elements.iter().all(has_numbers),
        Node::Object(object) => object.properties.iter().all(|it| has_numbers(&it.value)),
        _ => true,
    }
}

fn property<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b Node<'a>> {
    // Of two of a name the last one counts, as for the agents.
    let mut properties = object.properties.iter().rev();
    properties
        .find(|one| one.name.as_str() == name)
        .map(|one| &one.value)
}

/// Inserts behind an opening brace or bracket.
fn insert_first(
    edited: &mut Edited,
    opening: usize,
    is_empty: bool,
    item: &str,
    depth: usize,
    style: &Style,
) {
    let at = opening + 1;
    let indent = style.indent(depth + 1);
    let mut inserted = format!("{}{indent}{item}", style.line_end);
    let goes_on = edited.text[at..]
        .trim_start_matches([' ', '\t', '\r'])
        .starts_with('\n');
    if !is_empty {
        inserted.push(',');
    }
    if !goes_on {
        inserted.push_str(style.line_end);
        inserted.push_str(&style.indent(if is_empty { depth } else { depth + 1 }));
    }
    edited.insert(at, inserted);
}

/// The value of an entry in the property that it is missing: an element in a list of its own.
fn wrapped(entry: &Entry) -> Value {
    match entry {
        Entry::Property { name, value, .. } => object(name, value.clone()),
        Entry::Element { name, value, .. } => object(name, Value::Array(vec![value.clone()])),
    }
}

fn nested(names: &[&str], inner: Value) -> Value {
    names
        .iter()
        .rev()
        .fold(inner, |inner, name| object(name, inner))
}

fn object(name: &str, value: Value) -> Value {
    Value::Object([(name.to_owned(), value)].into_iter().collect())
}

fn quoted(name: &str) -> String {
    Value::String(name.to_owned()).to_string()
}

/// How a file is laid out.
#[derive(Clone, Debug)]
pub(super) struct Style {
    unit: String,
    line_end: &'static str,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        let indented = |line: &&str| line.starts_with([' ', '\t']) && !line.trim().is_empty();
        let unit = text.lines().find(indented).map(|line| {
            let width = line.len() - line.trim_start().len();
            line[..width].to_owned()
        });
        Style {
            // A first line that is indented very far is no unit.
            unit: unit
                .filter(|unit| unit.len() <= 8)
                .unwrap_or_else(|| "  ".to_owned()),
            line_end: line_end(text),
        }
    }

    fn indent(&self, depth: usize) -> String {
        self.unit.repeat(depth)
    }

    /// A value over several lines, the first one without its indent. Lists of plain words stay on one.
    fn print(&self, value: &Value, depth: usize) -> String {
        let inner = self.indent(depth + 1);
        let outer = self.indent(depth);
        let end = self.line_end;
        let block = |open: char, items: Vec<String>, close: char| {
            let items: Vec<String> = items.iter().map(|item| format!("{inner}{item}")).collect();
            format!(
                "{open}{end}{}{end}{outer}{close}",
                items.join(&format!(",{end}"))
            )
        };
        match value {
            Value::Array(list) if list.iter().any(|one| one.is_object() || one.is_array()) => {
                let items = list.iter().map(|one| self.print(one, depth + 1)).collect();
                block('[', items, ']')
            }
            Value::Object(object) if !object.is_empty() => {
                let items = object
                    .iter()
                    .map(|(name, one)| format!("{}: {}", quoted(name), self.print(one, depth + 1)))
                    .collect();
                block('{', items, '}')
            }
            other => other.to_string(),
        }
    }
}
