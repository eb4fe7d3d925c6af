//! Bodies of the fuzz targets of team-sync.
#![allow(
    clippy::missing_panics_doc,
    unreachable_pub,
    reason = "a panic is what a target reports; the stable replay includes this file as a module"
)]

use serde::Serialize;
use serde::de::DeserializeOwned;
use team_sync::wire::{self, Bounded};
use team_sync::{Tag, TeamKey, is_slug, merge as merged, repository_slug};

/// A folder, a server and what was agreed; the same that the property tests carry plans out with.
#[allow(dead_code, reason = "the property tests use all of it")]
#[path = "../../tests/world.rs"]
mod world;

use world::World;

/// A body is refused without an echo, or reads back as what it was.
pub fn wire(data: &[u8]) {
    body::<wire::Snapshot>(data);
    body::<wire::Put>(data);
    body::<wire::PutDone>(data);
    body::<wire::Problem>(data);
}

fn body<T: DeserializeOwned + Serialize + Bounded + PartialEq + std::fmt::Debug>(data: &[u8]) {
    match wire::read::<T>(data) {
        Ok(read) => {
            let bytes = serde_json::to_vec(&read).expect("JSON");
            assert_eq!(wire::read::<T>(&bytes).expect("our own form"), read);
        }
        Err(error) => assert!(error.to_string().len() < 120, "{error}"),
    }
}

const NAMES: [&str; 8] = [
    "a.md",
    "A.md",
    "b.md",
    "B.md",
    "d/e.md",
    "d/E.md",
    "MEMORY.md",
    "stra\u{df}e.md",
];
const TEXTS: [&str; 6] = [
    "one\n",
    "one\ntwo\n",
    "one\nthree\n",
    "",
    "zero\none\n",
    "four\n",
];

/// Three trees from pairs of bytes: which tree and name, which text.
fn trees(data: &[u8]) -> World {
    let mut world = World::default();
    for pair in data.chunks_exact(2).take(32) {
        let key = NAMES[usize::from(pair[0]) % NAMES.len()];
        let key = TeamKey::parse(key).expect("a key");
        let text = TEXTS[usize::from(pair[1]) % TEXTS.len()].to_owned();
        let tree = match pair[0] / 8 % 4 {
            0 => &mut world.local,
            1 => &mut world.remote,
            2 => &mut world.synced,
            _ => &mut world.tombstones,
        };
        tree.insert(key, text);
    }
    // A server refuses twins, and one key is not both there and deleted.
    for tree in [&mut world.remote, &mut world.synced] {
        let mut seen = std::collections::BTreeSet::new();
        tree.retain(|key, _| seen.insert(key.folded()));
    }
    let remote = world.remote.clone();
    world.tombstones.retain(|key, _| !remote.contains_key(key));
    world
}

/// Carried out, a plan leaves nothing to do but what is held, and loses no line.
pub fn plan(data: &[u8]) {
    let start = trees(data);
    let mut world = start.clone();
    let steps = world.plan();
    world.apply(&steps);
    let after = world.plan();
    for step in &after {
        assert!(
            matches!(step.action, team_sync::Action::Hold(_)),
            "{step:?} is left of {steps:?}"
        );
    }
    let kept: Vec<&str> = world
        .local
        .values()
        .chain(world.remote.values())
        .chain(&world.trash)
        .flat_map(|text| text.lines())
        .collect();
    for (key, text) in start.local.iter().chain(&start.remote) {
        let agreed: Vec<&str> = start
            .synced
            .iter()
            .filter(|(known, _)| known.folded() == key.folded())
            .flat_map(|(_, text)| text.lines())
            .collect();
        for line in text.lines() {
            assert!(
                agreed.contains(&line) || kept.contains(&line),
                "{line:?} of {key} is lost by {steps:?}"
            );
        }
    }
}

/// No line that somebody wrote is lost; a change on one side is taken as it is.
///
/// The input is parted by zero bytes: an index or not, base, local, remote.
pub fn merge(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(4, '\0');
    let index = parts.next().is_some_and(|kind| kind.len() % 2 == 1);
    let base = parts.next().unwrap_or_default();
    let local = parts.next().unwrap_or_default();
    let remote = parts.next().unwrap_or_default();

    assert_eq!(merged(Some(base), base, remote, index).text, remote);
    assert_eq!(merged(Some(base), local, base, index).text, local);
    let both = merged(Some(base), local, remote, index);
    if let Some(other) = &both.conflict {
        assert_eq!((both.text.as_str(), other.as_str()), (local, remote));
        return;
    }
    let agreed: Vec<&str> = base.lines().map(str::trim_end).collect();
    let kept: Vec<&str> = both.text.lines().map(str::trim_end).collect();
    for line in local.lines().chain(remote.lines()) {
        // Where blank lines go is nobody's work; of two times of a change the later one stays.
        let line = line.trim_end();
        let is_nothing = line.is_empty() || line.starts_with("modified:");
        assert!(
            is_nothing || agreed.contains(&line) || kept.contains(&line),
            "{line:?} is lost in {both:?} of {base:?} {local:?} {remote:?}"
        );
    }
    let without = merged(None, local, remote, index);
    let kept = format!("{}{}", without.text, without.conflict.unwrap_or_default());
    if !index {
        assert!(kept.contains(local.trim_end()) && kept.contains(remote.trim_end()));
    }
}

/// A tag survives the way there and back, weakened and with a coding behind it.
pub fn tag(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some(tag) = Tag::parse(&text) else {
        return;
    };
    let header = tag.to_header();
    assert!(header.is_ascii() && header.len() <= 258);
    assert_eq!(Tag::parse(tag.as_str()), Some(tag.clone()));
    if let (Some(version), Some(epoch)) = (tag.version(), tag.epoch()) {
        // A hyphen at the end cannot be told from the one that an intermediary puts before a coding.
        let bare = header.trim_matches('"');
        if !bare.ends_with('-') && Tag::parse(&header) == Some(tag.clone()) {
            assert_eq!(Tag::parse(&format!("W/\"{bare}-gzip\"")), Some(tag.clone()));
        }
        assert_eq!(Tag::new(version, epoch).version(), Some(version));
    }
}

/// A key leads below the folder, is in normal form, and has a name for a conflict copy.
///
/// What stands behind a zero byte is the name of a client.
pub fn key(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (name, client) = text.split_once('\0').unwrap_or((&text, "client"));
    let key = match TeamKey::parse(name) {
        Ok(key) => key,
        Err(error) => {
            assert!(error.to_string().len() < 900, "{error}");
            return;
        }
    };
    assert_eq!(key.as_str(), name);
    assert!(name.len() <= 512 && !name.starts_with('/') && !name.contains(['\\', '\0', ':']));
    for part in name.split('/') {
        assert!(!part.is_empty() && !part.starts_with('.'), "{name:?}");
    }
    if let Ok(copy) = key.conflict_copy(client, "text") {
        assert!(copy.is_conflict_copy(), "{copy}");
        assert!(
            copy.conflict_original()
                .is_some_and(|one| !one.is_conflict_copy())
        );
        assert_eq!(copy.conflict_copy(client, "text").expect("room"), copy);
    }
}

/// The name of a repository is one that a server takes, and holds nothing of the address but that.
pub fn repository(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match repository_slug(&text) {
        Ok(slug) => {
            assert!(is_slug(&slug), "{slug:?} of {text:?}");
            assert!(!slug.contains(['@', '?', '#', ' ', '\\']), "{slug:?}");
        }
        // Addresses hold credentials; the error repeats nothing of them.
        Err(error) => assert!(error.to_string().len() < 200, "{error}"),
    }
}
