//! What follows from three trees.

use proptest::prelude::*;
use team_sync::{
    Action, Checksum, HoldReason, Local, LocalFile, PlanOptions, Remote, RemoteEntry, TeamKey, plan,
};

use crate::world::{World, is_hold};

fn key(name: &str) -> TeamKey {
    TeamKey::parse(name).expect("a key")
}

/// `-` is "not there"; a remote text that begins with `x` is a tombstone of the rest.
fn world(synced: &str, local: &str, remote: &str) -> World {
    let mut world = World::default();
    let name = key("a.md");
    if synced != "-" {
        world.synced.insert(name.clone(), synced.into());
    }
    if local != "-" {
        world.local.insert(name.clone(), local.into());
    }
    match remote.strip_prefix('x') {
        Some(deleted) => drop(world.tombstones.insert(name, deleted.into())),
        None if remote == "-" => {}
        None => drop(world.remote.insert(name, remote.into())),
    }
    // Enough others that one delete is no mass delete.
    for at in 0..8 {
        let other = key(&format!("other{at}.md"));
        for tree in [&mut world.local, &mut world.remote, &mut world.synced] {
            tree.insert(other.clone(), "same".into());
        }
    }
    world
}

fn word(action: &Action) -> String {
    match action {
        Action::Adopt(_) => "adopt".into(),
        Action::Upload { base, .. } => {
            format!("upload over {}", base.map_or("nothing", |_| "base"))
        }
        Action::Download { over, .. } => {
            format!("download over {}", over.map_or("nothing", |_| "file"))
        }
        Action::Merge { base, .. } => {
            format!("merge {}", base.map_or("without base", |_| "with base"))
        }
        Action::RenameLocal { .. } => "rename".into(),
        Action::RemoveLocal { .. } => "remove".into(),
        Action::DeleteRemote { .. } => "delete".into(),
        Action::Forget => "forget".into(),
        Action::Hold(reason) => format!("hold: {}", reason.as_str()),
        other => format!("{other:?}"),
    }
}

#[test]
fn each_combination_of_the_three_trees_has_its_action() {
    for (synced, local, remote, expected) in [
        ("-", "-", "-", ""),
        ("-", "L", "-", "upload over nothing"),
        ("-", "-", "R", "download over nothing"),
        ("-", "S", "S", "adopt"),
        ("-", "L", "R", "merge without base"),
        ("S", "S", "S", ""),
        ("S", "L", "S", "upload over base"),
        ("S", "S", "R", "download over file"),
        ("S", "L", "R", "merge with base"),
        ("S", "N", "N", "adopt"),
        ("S", "-", "-", "forget"),
        ("S", "-", "xS", "forget"),
        // Deleted here.
        ("S", "-", "S", "delete"),
        ("S", "-", "R", "download over nothing"),
        // Deleted there.
        ("S", "S", "xS", "remove"),
        ("S", "S", "xR", "remove"),
        ("S", "L", "xS", "upload over nothing"),
        // Only missing there: a gap is filled.
        ("S", "S", "-", "upload over nothing"),
        ("S", "L", "-", "upload over nothing"),
        // What was agreed is lost; the tombstone remembers.
        ("-", "S", "xS", "remove"),
        ("-", "L", "xS", "upload over nothing"),
        ("-", "-", "xS", ""),
    ] {
        let steps = world(synced, local, remote).plan();
        let words: Vec<String> = steps.iter().map(|step| word(&step.action)).collect();
        assert_eq!(words.join(", "), expected, "{synced} {local} {remote}");
    }
}

#[test]
fn deletes_need_evidence() {
    let deleted = world("S", "-", "S");
    let options = PlanOptions::default();
    let (mut local, mut remote, synced) = deleted.trees();
    let only = |local: &Local, remote: &Remote, options: &PlanOptions| {
        plan(local, remote, &synced, options).remove(0)
    };

    local.marker = false;
    assert!(is_hold(
        &only(&local, &remote, &options),
        HoldReason::NoMarker
    ));
    let confirmed = options.clone().with_confirmed_deletes(true);
    assert_eq!(word(&only(&local, &remote, &confirmed).action), "delete");
    local.marker = true;

    local.complete = false;
    assert!(is_hold(
        &only(&local, &remote, &confirmed),
        HoldReason::WalkIncomplete
    ));
    local.complete = true;

    remote.takes_deletes = false;
    assert!(is_hold(
        &only(&local, &remote, &confirmed),
        HoldReason::ServerKeepsAll
    ));
}

#[test]
fn many_deletes_at_once_are_asked_about() {
    // (known, gone, held)
    for (known, gone, held) in [
        (1, 1, false),
        (2, 2, false),
        (3, 3, true),
        (6, 2, false),
        (6, 3, true),
        (10, 4, false),
        (10, 5, true),
        (200, 25, false),
        (200, 26, true),
    ] {
        let mut world = World::default();
        for at in 0..known {
            let name = key(&format!("m{at}.md"));
            world.synced.insert(name.clone(), "text".into());
            world.remote.insert(name.clone(), "text".into());
            if at >= gone {
                world.local.insert(name, "text".into());
            }
        }
        let steps = world.plan();
        assert_eq!(steps.len(), gone);
        let all_held = steps
            .iter()
            .all(|step| is_hold(step, HoldReason::TooManyDeletes));
        assert_eq!(all_held, held, "{gone} of {known}");
    }
}

#[test]
fn a_held_delete_stays_held_however_many_files_come() {
    let mut world = World::default();
    for at in 0..3 {
        let name = key(&format!("m{at}.md"));
        world.synced.insert(name.clone(), "text".into());
        world.remote.insert(name, "text".into());
    }
    let steps = world.plan();
    world.apply(&steps);
    for at in 0..40 {
        let name = key(&format!("new{at}.md"));
        for tree in [&mut world.local, &mut world.remote, &mut world.synced] {
            tree.insert(name.clone(), "text".into());
        }
    }
    let steps = world.plan();
    assert_eq!(steps.len(), 3);
    assert!(
        steps
            .iter()
            .all(|step| is_hold(step, HoldReason::TooManyDeletes))
    );

    let (local, remote, synced) = world.trees();
    let options = PlanOptions::default()
        .with_held(world.held.clone())
        .with_confirmed_deletes(true);
    let steps = plan(&local, &remote, &synced, &options);
    assert!(
        steps
            .iter()
            .all(|step| matches!(step.action, Action::DeleteRemote { .. }))
    );
}

#[test]
fn an_empty_answer_after_a_sync_deletes_nothing() {
    let mut world = world("S", "S", "S");
    world.remote.clear();
    let steps = world.plan();
    assert!(
        steps
            .iter()
            .all(|step| matches!(step.action, Action::Upload { .. }))
    );
    assert_eq!(steps.len(), world.local.len());
}

#[test]
fn a_file_that_may_not_be_sent_is_neither_deleted_nor_overwritten() {
    for (synced, remote, expected) in [
        ("-", "-", ""),
        ("S", "S", ""),
        ("S", "R", "hold: local-blocked"),
        ("-", "R", "hold: local-blocked"),
        ("S", "xS", ""),
        ("S", "-", ""),
    ] {
        let world = world(synced, "L", remote);
        let (mut local, remote, synced) = world.trees();
        local.files.insert(key("a.md"), LocalFile::Blocked);
        let steps = plan(&local, &remote, &synced, &PlanOptions::default());
        let words: Vec<String> = steps.iter().map(|step| word(&step.action)).collect();
        assert_eq!(words.join(", "), expected);
    }
}

#[test]
fn an_entry_that_was_refused_is_neither_taken_nor_replaced() {
    for (synced, local) in [("-", "-"), ("S", "S"), ("S", "L"), ("S", "-")] {
        let (local, mut remote, synced) = world(synced, local, "R").trees();
        remote.entries.insert(key("a.md"), RemoteEntry::Blocked);
        let steps = plan(&local, &remote, &synced, &PlanOptions::default());
        assert_eq!(steps.len(), 1);
        assert!(is_hold(&steps[0], HoldReason::RemoteBlocked));
    }
}

#[test]
fn a_rename_that_changes_only_case_moves_the_file() {
    // The other side has edited meanwhile, or not.
    for (remote, local, contents) in [
        ("text", "text", "text"),
        ("text", "new", "new"),
        ("new", "text", "new"),
    ] {
        for renamed_here in [true, false] {
            let (old, new) = (key("Deploy.md"), key("deploy.md"));
            let mut world = World::default();
            world.synced.insert(old.clone(), "text".into());
            let (here, there) = if renamed_here {
                (new.clone(), old)
            } else {
                world.tombstones.insert(old.clone(), "text".into());
                (old, new.clone())
            };
            world.local.insert(here, local.into());
            world.remote.insert(there, remote.into());
            let steps = world.plan();
            world.apply(&steps);
            assert_eq!(world.remote, [(new, contents.to_owned())].into());
            assert_eq!(world.local, world.remote);
            assert_eq!(world.plan(), []);
        }
    }
}

#[test]
fn of_two_spellings_in_one_tree_the_known_one_is_kept_in_step() {
    let mut world = world("S", "L", "S");
    world.local.insert(key("A.md"), "other".into());
    let steps = world.plan();
    assert_eq!(steps.len(), 2);
    assert!(is_hold(&steps[0], HoldReason::Twin), "{steps:?}");
    assert_eq!(steps[0].key, key("A.md"));
    assert_eq!(word(&steps[1].action), "upload over base");
}

/// Names with twins among them, and few texts, so that all cases meet.
fn tree() -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..NAMES.len(), 0..TEXTS.len()), 0..8)
}

const NAMES: [&str; 9] = [
    "a.md",
    "A.md",
    "b.md",
    "B.md",
    "c.md",
    "d/e.md",
    "d/E.md",
    "MEMORY.md",
    "straße.md",
];
const TEXTS: [&str; 6] = [
    "one\n",
    "one\ntwo\n",
    "one\nthree\n",
    "",
    "zero\none\n",
    "four\n",
];

fn any_world() -> impl Strategy<Value = World> {
    (tree(), tree(), tree(), tree()).prop_map(|(local, remote, synced, tombstones)| {
        let fill = |pairs: Vec<(usize, usize)>| {
            pairs
                .into_iter()
                .map(|(name, text)| (key(NAMES[name]), TEXTS[text].to_owned()))
                .collect()
        };
        let mut world = World {
            local: fill(local),
            remote: fill(remote),
            tombstones: fill(tombstones),
            synced: fill(synced),
            ..World::default()
        };
        // A server refuses twins, and one key is not both there and deleted.
        let mut seen = std::collections::BTreeSet::new();
        world.remote.retain(|key, _| seen.insert(key.folded()));
        let mut seen = std::collections::BTreeSet::new();
        world.synced.retain(|key, _| seen.insert(key.folded()));
        let remote = world.remote.clone();
        world.tombstones.retain(|key, _| !remote.contains_key(key));
        world
    })
}

fn cases() -> u32 {
    let wanted = std::env::var("TEAM_SYNC_TRIPLES").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_096, ..ProptestConfig::default() })]

    #[test]
    fn carried_out_a_plan_leaves_both_sides_equal_and_nothing_to_do(start in any_world()) {
        let mut world = start.clone();
        let steps = world.plan();
        world.apply(&steps);

        let after = world.plan();
        for step in &after {
            prop_assert!(matches!(step.action, Action::Hold(_)), "{step:?} is left of {steps:?}");
        }
        let held: Vec<&TeamKey> = after.iter().map(|step| &step.key).collect();
        for key in world.local.keys().chain(world.remote.keys()) {
            prop_assert!(
                held.contains(&key) || world.local.get(key) == world.remote.get(key),
                "{key} differs after {steps:?}"
            );
        }
    }

    #[test]
    fn no_text_is_lost_that_nobody_deleted(start in any_world()) {
        let mut world = start.clone();
        let steps = world.plan();
        world.apply(&steps);
        let kept: Vec<&str> = world.local.values()
            .chain(world.remote.values())
            .chain(&world.trash)
            .flat_map(|text| text.lines())
            .collect();
        for (key, text) in start.local.iter().chain(&start.remote) {
            // A line that was agreed and is gone was taken out by somebody.
            let agreed: Vec<&str> = start.synced.iter()
                .filter(|(known, _)| known.folded() == key.folded())
                .flat_map(|(_, text)| text.lines())
                .collect();
            for line in text.lines() {
                prop_assert!(
                    agreed.contains(&line) || kept.contains(&line),
                    "{line:?} of {key} is lost by {steps:?}"
                );
            }
        }
    }

    #[test]
    fn a_plan_names_each_key_once_and_in_order(start in any_world()) {
        let steps = start.plan();
        let keys: Vec<&TeamKey> = steps.iter().map(|step| &step.key).collect();
        let mut sorted = keys.clone();
        sorted.sort();
        sorted.dedup();
        prop_assert_eq!(keys, sorted);
        prop_assert_eq!(start.plan(), steps);
    }
}

#[test]
fn checksums_are_of_the_exact_bytes() {
    assert_ne!(Checksum::of("a\n"), Checksum::of("a\r\n"));
    assert_ne!(Checksum::of("é"), Checksum::of("e\u{301}"));
}
