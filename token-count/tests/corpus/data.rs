//! Machine-readable text: JSON, CSV, lock files.

use std::fmt::Write as _;

use super::dump;
use super::random::{NAMES, PLACES, Random};

enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

use Json::{Bool, List, Map, Null, Number, Text};

pub(crate) fn json_compact(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    document(shape, random).compact(&mut out);
    out
}

pub(crate) fn json_pretty(shape: usize, random: &mut Random) -> String {
    let mut out = String::new();
    let indent = if shape % 4 == 2 { 4 } else { 2 };
    document(shape, random).pretty(&mut out, indent, 0);
    out
}

fn map<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Map(entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect())
}

fn number(value: usize) -> Json {
    Number(value.to_string())
}

fn document(shape: usize, random: &mut Random) -> Json {
    match shape {
        0 => List((0..40).map(|id| person(id, random)).collect()),
        1 => map([
            ("type", Text("FeatureCollection".into())),
            ("features", List((0..30).map(|_| place(random)).collect())),
        ]),
        2 => manifest(random),
        3 => List((0..25).map(|_| tool_call(random)).collect()),
        4 => map([
            ("openapi", Text("3.1.0".into())),
            ("paths", Map((0..12).map(|_| endpoint(random)).collect())),
        ]),
        5 => List((0..60).map(|_| measurement(random)).collect()),
        6 => Map((0..80).map(|_| translation(random)).collect()),
        _ => List((0..30).map(|_| issue(random)).collect()),
    }
}

fn person(id: usize, random: &mut Random) -> Json {
    let name = random.pick(&NAMES);
    map([
        ("id", number(id + 1)),
        ("name", Text(format!("{name} {}", random.pick(&NAMES)))),
        (
            "email",
            Text(format!("{}@example.org", name.to_lowercase())),
        ),
        ("city", Text(random.pick(&PLACES).into())),
        ("active", Bool(random.chance(80))),
        (
            "tags",
            List(
                (0..random.below(4))
                    .map(|_| Text(random.noun().into()))
                    .collect(),
            ),
        ),
        (
            "manager",
            if random.chance(30) {
                Null
            } else {
                number(random.below(40))
            },
        ),
    ])
}

fn place(random: &mut Random) -> Json {
    let coordinate = |random: &mut Random, range: usize| {
        Number(format!(
            "{}.{:06}",
            random.below(range),
            random.below(1_000_000)
        ))
    };
    let longitude = coordinate(random, 180);
    let latitude = coordinate(random, 90);
    map([
        ("type", Text("Feature".into())),
        (
            "geometry",
            map([
                ("type", Text("Point".into())),
                ("coordinates", List(vec![longitude, latitude])),
            ]),
        ),
        (
            "properties",
            map([
                ("name", Text(random.pick(&PLACES).into())),
                ("population", number(random.below(3_000_000))),
            ]),
        ),
    ])
}

fn manifest(random: &mut Random) -> Json {
    let version = |random: &mut Random| {
        format!(
            "^{}.{}.{}",
            random.below(20),
            random.below(30),
            random.below(15)
        )
    };
    let packages = |random: &mut Random, count: usize| {
        Map((0..count)
            .map(|_| {
                let scope = if random.chance(40) {
                    format!("@{}/", random.noun())
                } else {
                    String::new()
                };
                (
                    format!("{scope}{}", random.compound("-")),
                    Text(version(random)),
                )
            })
            .collect())
    };
    map([
        ("name", Text("@harbour/console".into())),
        ("version", Text("4.11.2".into())),
        ("private", Bool(true)),
        (
            "scripts",
            Map((0..12)
                .map(|_| {
                    let script = random.compound(":");
                    let command = format!(
                        "node scripts/{}.mjs --{}",
                        random.compound("-"),
                        random.noun()
                    );
                    (script, Text(command))
                })
                .collect()),
        ),
        ("dependencies", packages(random, 30)),
        ("devDependencies", packages(random, 20)),
    ])
}

fn tool_call(random: &mut Random) -> Json {
    map([
        ("type", Text("tool_use".into())),
        (
            "name",
            Text(
                random
                    .pick(&["read_file", "run_command", "search", "edit_file"])
                    .into(),
            ),
        ),
        (
            "input",
            map([
                (
                    "path",
                    Text(format!("src/{}/{}.rs", random.noun(), random.compound("_"))),
                ),
                ("pattern", Text(format!("fn {}\\(", random.compound("_")))),
                ("limit", number(random.below(500))),
            ]),
        ),
        (
            "result",
            Text(format!(
                "error[E0{}]: cannot find `{}`\n --> line {}",
                random.below(800),
                random.compound("_"),
                random.below(900)
            )),
        ),
    ])
}

fn endpoint(random: &mut Random) -> (String, Json) {
    let noun = random.noun();
    let operation = random.compound("_");
    let parameter = map([
        ("name", Text(format!("{noun}Id"))),
        ("in", Text("path".into())),
        ("required", Bool(true)),
        (
            "schema",
            map([
                ("type", Text("string".into())),
                ("format", Text("uuid".into())),
            ]),
        ),
    ]);
    let operation = map([
        ("operationId", Text(operation)),
        (
            "summary",
            Text(format!("Returns the {} of one {noun}.", random.noun())),
        ),
        ("parameters", List(vec![parameter])),
        (
            "responses",
            map([
                ("200", map([("description", Text("OK".into()))])),
                ("404", Null),
            ]),
        ),
    ]);
    (
        format!("/v2/{noun}s/{{{noun}Id}}/{}", random.noun()),
        map([("get", operation)]),
    )
}

fn measurement(random: &mut Random) -> Json {
    map([
        ("ts", number(1_760_000_000 + random.below(9_000_000))),
        ("host", Text(format!("web-{:02}.eu-west", random.below(40)))),
        (
            "cpu",
            Number(format!("{}.{:02}", random.below(100), random.below(100))),
        ),
        ("rss_bytes", number(random.below(4_000_000_000))),
        ("ok", Bool(random.chance(95))),
    ])
}

fn translation(random: &mut Random) -> (String, Json) {
    let key = random.compound(".");
    let text = random.pick(&[
        "Saving failed. Try again in a moment.",
        "{count} files selected",
        "Änderungen verwerfen?",
        "确定要删除这个文件吗？",
        "Enregistrer sous…",
        "変更を保存しました",
        "You do not have permission to open this folder.",
    ]);
    (key, Text(text.into()))
}

fn issue(random: &mut Random) -> Json {
    map([
        ("number", number(random.below(9_000))),
        ("state", Text(random.pick(&["open", "closed"]).into())),
        (
            "title",
            Text(format!(
                "Cannot {} the {} when the {} is empty",
                random.verb(),
                random.noun(),
                random.noun()
            )),
        ),
        ("created_at", Text(format!("{}Z", random.timestamp()))),
        (
            "labels",
            List(vec![map([
                ("name", Text("bug".into())),
                ("color", Text(random.hex(6))),
            ])]),
        ),
        ("comments", number(random.below(30))),
        (
            "body",
            Text(format!(
                "Steps:\n1. {} a {}\n2. wait\n\nExpected: it works. Version {}.{}",
                random.verb(),
                random.noun(),
                random.below(9),
                random.below(20)
            )),
        ),
    ])
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Json {
    fn leaf(&self) -> Option<String> {
        match self {
            Null => Some("null".into()),
            Bool(value) => Some(value.to_string()),
            Number(value) => Some(value.clone()),
            Text(value) => Some(quoted(value)),
            List(_) | Map(_) => None,
        }
    }

    fn compact(&self, out: &mut String) {
        match self {
            List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    item.compact(out);
                }
                out.push(']');
            }
            Map(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(out, "{comma}{}:", quoted(key)).expect("writing to a String succeeds");
                    value.compact(out);
                }
                out.push('}');
            }
            leaf => out.push_str(&leaf.leaf().unwrap_or_default()),
        }
    }

    fn pretty(&self, out: &mut String, indent: usize, depth: usize) {
        let inner = " ".repeat(indent * (depth + 1));
        let outer = " ".repeat(indent * depth);
        match self {
            List(items) if items.is_empty() => out.push_str("[]"),
            List(items) => {
                out.push_str("[\n");
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ",\n" } else { "" });
                    out.push_str(&inner);
                    item.pretty(out, indent, depth + 1);
                }
                write!(out, "\n{outer}]").expect("writing to a String succeeds");
            }
            Map(entries) => {
                out.push_str("{\n");
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ",\n" } else { "" });
                    write!(out, "{inner}{}: ", quoted(key)).expect("writing to a String succeeds");
                    value.pretty(out, indent, depth + 1);
                }
                write!(out, "\n{outer}}}").expect("writing to a String succeeds");
            }
            leaf => out.push_str(&leaf.leaf().unwrap_or_default()),
        }
    }
}

pub(crate) fn csv(shape: usize, random: &mut Random) -> String {
    let mut out = String::from(match shape {
        0 => "date,city,orders,revenue\n",
        1 => "id;name;city;since\n",
        2 => "benchmark,mean_ns,stddev_ns,iterations\n",
        3 => "\"file\",\"line\",\"rule\",\"message\"\n",
        4 => "sku,stock,reserved,warehouse\n",
        5 => "user_id\tevent\tts\tduration_ms\n",
        6 => "lat,lon,alt,t\n",
        _ => "word,count,share\n",
    });
    for row in 0..70 {
        let line = match shape {
            0 => format!(
                "2026-{:02}-{:02},{},{},{}.{:02}",
                1 + random.below(12),
                1 + random.below(28),
                random.pick(&PLACES),
                random.below(900),
                random.below(90_000),
                random.below(100)
            ),
            1 => format!(
                "{row};{} {};{};{}",
                random.pick(&NAMES),
                random.pick(&NAMES),
                random.pick(&PLACES),
                1990 + random.below(36)
            ),
            2 => format!(
                "{}/{},{}.{},{}.{},{}",
                random.noun(),
                random.compound("_"),
                random.below(90_000),
                random.below(10),
                random.below(900),
                random.below(10),
                random.below(5_000)
            ),
            3 => format!(
                "\"src/{}.py\",{},\"{}{}\",\"{} is never used\"",
                random.compound("_"),
                random.below(800),
                random.pick(&["E", "W", "F"]),
                random.below(900),
                random.noun()
            ),
            4 => format!(
                "{}-{:05},{},{},{}",
                random.string("ABCDEFGHJKLMNPQRSTUVWXYZ", 3),
                random.below(100_000),
                random.below(400),
                random.below(40),
                random.pick(&PLACES)
            ),
            5 => format!(
                "u{:06}\t{}\t{}\t{}",
                random.below(1_000_000),
                random.compound("."),
                1_760_000_000 + random.below(9_000_000),
                random.below(20_000)
            ),
            6 => format!(
                "{}.{:05},{}.{:05},{},{}.{}",
                random.below(90),
                random.below(100_000),
                random.below(180),
                random.below(100_000),
                random.below(3_000),
                random.below(9_000),
                random.below(10)
            ),
            _ => format!(
                "{},{},0.{:04}",
                random.noun(),
                random.below(20_000),
                random.below(10_000)
            ),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

pub(crate) fn lock_file(shape: usize, random: &mut Random) -> String {
    let mut out = String::from(match shape {
        0 | 4 => "version = 4\n",
        1 | 5 => "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n",
        2 | 6 => "# yarn lockfile v1\n",
        _ => "lockfileVersion: '9.0'\npackages:\n",
    });
    for _ in 0..30 {
        let name = random.compound(if shape == 4 { "_" } else { "-" });
        let other = random.compound("-");
        let version = format!(
            "{}.{}.{}",
            random.below(12),
            random.below(40),
            random.below(20)
        );
        let checksum = random.hex(64);
        let integrity = format!(
            "sha512-{}==",
            dump::encode(&random.bytes(64), false).trim_end_matches('=')
        );
        let entry = match shape {
            0 | 4 => format!(
                "\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{checksum}\"\ndependencies = [\n \"{other}\",\n \"{}\",\n]\n",
                random.noun()
            ),
            1 | 5 => format!(
                "    \"node_modules/{name}\": {{\n      \"version\": \"{version}\",\n      \"resolved\": \"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz\",\n      \"integrity\": \"{integrity}\",\n      \"license\": \"MIT\",\n      \"dependencies\": {{\n        \"{other}\": \"^{version}\"\n      }}\n    }},\n"
            ),
            2 | 6 => format!(
                "\n{name}@^{version}:\n  version \"{version}\"\n  resolved \"https://registry.yarnpkg.com/{name}/-/{name}-{version}.tgz#{}\"\n  integrity {integrity}\n  dependencies:\n    {other} \"^{}.0.0\"\n",
                random.hex(40),
                random.below(9)
            ),
            _ => format!(
                "\n  {name}@{version}:\n    resolution: {{integrity: {integrity}}}\n    engines: {{node: '>={}'}}\n    peerDependencies:\n      {other}: '*'\n",
                12 + 2 * random.below(5)
            ),
        };
        out.push_str(&entry);
    }
    out
}
