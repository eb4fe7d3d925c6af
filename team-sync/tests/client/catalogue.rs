//! The failure catalogue, as far as the client's rules answer it: one test a class, numbered as in
//! docs/FAILURES.md. What has a better home is listed there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use team_sync::client::{Answer, Done, Gate, Note, SyncOptions, Verb, Verdict};
use team_sync::{Checksum, ErrorKind, HoldReason, TeamKey, wire};

use crate::hooked::{Hooked, losing_answers};
use crate::server::{Direct, Form, Server};
use crate::sync::{Home, done, runtime, sync, sync_with};

/// Lets a person write in the moment between the look at the folder and the write into it.
struct Meddling {
    /// The text at whose sight the person writes.
    trigger: &'static str,
    act: Box<dyn Fn() + Send + Sync>,
    done: AtomicBool,
}

impl Gate for Meddling {
    fn look(&self, text: &str) -> Verdict {
        if text == self.trigger && !self.done.swap(true, Ordering::SeqCst) {
            (self.act)();
        }
        Verdict::Free
    }
}

#[test]
fn class_1_a_file_that_changes_after_the_look_is_not_overwritten() {
    for existing in [true, false] {
        let server = Server::new(Form::Full);
        let ana = Home::new("ana");
        ana.write("z.md", "last of the walk\n");
        if existing {
            ana.write("a.md", "old\n");
        }
        sync(&ana, &server);
        sync(&ana, &server);
        server.lock().expect("no panic").store("a.md", "theirs\n");

        let path = ana.team().join("a.md");
        let gate = Meddling {
            trigger: "last of the walk\n",
            act: Box::new(move || std::fs::write(&path, "just saved\n").expect("a file")),
            done: AtomicBool::new(false),
        };
        let client = ana.client_with(Box::new(Direct(Arc::clone(&server))), 99, Arc::new(gate));
        let report = runtime()
            .block_on(client.sync(&SyncOptions::default()))
            .expect("a sync");
        assert!(
            report
                .notes
                .contains(&("a.md".into(), Note::ChangedMeanwhile)),
            "{report:?}"
        );
        assert_eq!(ana.read("a.md").as_deref(), Some("just saved\n"));
        // The next run brings both together.
        sync(&ana, &server);
        let texts: Vec<String> = ana.files().into_values().collect();
        for text in ["just saved\n", "theirs\n"] {
            assert!(texts.iter().any(|one| one == text), "{texts:?}");
        }
    }
}

#[test]
fn class_2_a_half_listing_a_gap_and_a_404_remove_nothing() {
    for form in [Form::Plain, Form::Full] {
        for kept in 0..=6 {
            let server = Server::new(form);
            let ana = Home::new("ana");
            for at in 0..6 {
                ana.write(&format!("m{at}.md"), "text\n");
            }
            sync(&ana, &server);
            let before = ana.files();
            if kept == 6 {
                // Nothing at all: another disk, or an address that answers 404 to everybody.
                let gone = Hooked::new(&server, |_, ask| {
                    (ask.verb == Verb::Get).then(|| Ok(Answer::new(404, Vec::new())))
                });
                let options = SyncOptions::default().with_pull_only(true);
                gone.sync_with(&ana, 5, &options).expect("a sync");
            } else {
                for at in kept..6 {
                    server.lock().expect("no panic").lose(&format!("m{at}.md"));
                }
                sync(&ana, &server);
            }
            assert_eq!(ana.files(), before, "{kept} were left");
            // What was missing there is there again.
            sync(&ana, &server);
            assert_eq!(server.lock().expect("no panic").texts().len(), 6);
        }
    }
}

#[test]
fn class_4_a_change_between_look_and_push_is_merged_and_not_written_over() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("log.md", "start\n");
        ana.write("port.md", "port 80\n");
        sync(&ana, &server);
        ana.write("log.md", "start\nana\n");
        ana.write("port.md", "port 81\n");
        let mut first = true;
        let hooked = Hooked::new(&server, move |server, ask| {
            if ask.verb == Verb::Put && std::mem::take(&mut first) {
                let mut server = server.lock().expect("no panic");
                server.store("log.md", "start\nben\n");
                server.store("port.md", "port 82\n");
            }
            None
        });
        let report = hooked.sync(&ana, 3).expect("a sync");
        assert!(!report.pending, "{report:?}");
        let there = server.lock().expect("no panic").texts().clone();
        let text = |key: &str| there.get(key).map(String::as_str);
        assert_eq!(text("log.md"), Some("start\nben\nana\n"));
        assert_eq!(text("port.md"), Some("port 81\n"));
        assert!(there.values().any(|text| text == "port 82\n"), "{there:?}");
    }
}

#[test]
fn class_5_a_run_that_died_before_its_state_was_written_sends_nothing_back_and_deletes_nothing() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        ana.write(name, "one\n");
    }
    sync(&ana, &server);
    sync(&ben, &server);
    ben.write("a.md", "two\n");
    ben.write("new.md", "new\n");
    sync(&ben, &server);

    // Ana takes it all, and her process dies before the state is written: the state is the old one.
    let state = ana.folder.path().join("state/state.json");
    let old = std::fs::read(&state).expect("a state");
    sync(&ana, &server);
    std::fs::write(&state, old).expect("a state");
    let puts = server.lock().expect("no panic").puts;
    let report = sync(&ana, &server);
    assert_eq!(done(&report), Vec::<String>::new());
    assert_eq!(
        server.lock().expect("no panic").puts,
        puts,
        "nothing is sent back"
    );

    // Ben goes on; her copy of what he wrote first is no edit of hers.
    std::fs::remove_file(&state).expect("a state");
    sync(&ana, &server);
    ben.write("a.md", "three\n");
    sync(&ben, &server);
    sync(&ana, &server);
    assert_eq!(ana.files(), ben.files());
    assert_eq!(server.lock().expect("no panic").texts().len(), 5);
}

#[test]
fn class_6_half_of_an_answer_and_a_text_that_does_not_fit_are_not_written() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        server
            .lock()
            .expect("no panic")
            .store("a.md", "a whole text\n");
        let whole = {
            let any = Hooked::new(&server, |_, _| None);
            any.sync(&Home::new("ben"), 1).expect("a sync");
            let ask = any.asked()[0].clone();
            server.lock().expect("no panic").answer(&ask)
        };
        for length in 0..whole.body.len() {
            let mut half = whole.clone();
            half.body.truncate(length);
            let hooked = Hooked::new(&server, move |_, _| Some(Ok(half.clone())));
            let error = hooked.sync(&ana, 2).expect_err("half an answer");
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{length}: {error}");
            assert!(ana.files().is_empty());
        }
        // Whole JSON around a part of the text.
        let cut = String::from_utf8(whole.body.clone()).expect("text");
        let cut = cut.replace("a whole text\\n", "a whole");
        let cut = Answer::new(200, cut.into_bytes()).with_tag(whole.tag.clone());
        let hooked = Hooked::new(&server, move |_, _| Some(Ok(cut.clone())));
        let report = hooked.sync(&ana, 3).expect("a sync");
        assert!(
            matches!(&report.notes[..], [(key, Note::RefusedThere(why))] if key == "a.md" && why.contains("checksum")),
            "{report:?}"
        );
        assert!(ana.files().is_empty());
        // It was damaged on its way: the next look takes it.
        sync(&ana, &server);
        assert_eq!(ana.read("a.md").as_deref(), Some("a whole text\n"));
    }
}

#[test]
fn class_7_who_reads_meanwhile_sees_a_whole_text() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    let line = |at: usize| format!("{at:08}\n").repeat(10_000);
    server.lock().expect("no panic").store("a.md", &line(0));
    sync(&ana, &server);
    let path = ana.team().join("a.md");
    let stop = Arc::new(AtomicBool::new(false));
    let reader = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let mut looks = 0;
            while !stop.load(Ordering::SeqCst) {
                let text = std::fs::read_to_string(&path).expect("a file at every time");
                let first = text.get(..9).unwrap_or_default().to_owned();
                assert_eq!(text.len(), 90_000, "after {looks} looks");
                assert!(text == first.repeat(10_000), "a torn text");
                looks += 1;
            }
            looks
        }
    });
    for at in 1..40 {
        server.lock().expect("no panic").store("a.md", &line(at));
        sync(&ana, &server);
    }
    stop.store(true, Ordering::SeqCst);
    assert!(reader.join().expect("no torn text") > 0);
}

#[test]
fn class_8_a_change_whose_answer_was_lost_is_not_applied_twice_and_meets_nobody() {
    // The answer is lost once, or in every try, so that the process gives up and another one goes on.
    for (form, times) in [
        (Form::Full, 1),
        (Form::Full, 4),
        (Form::Plain, 1),
        (Form::Plain, 4),
    ] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("a.md", "one\n");
        sync(&ana, &server);
        sync(&ben, &server);
        sync(&ana, &server);
        let version = server.lock().expect("no panic").version();
        ana.write("a.md", "two\n");
        let hooked = losing_answers(&server, times);
        let outcome = hooked.sync(&ana, 7);
        assert_eq!(outcome.is_err(), times == 4, "{outcome:?}");
        let ids: Vec<_> = hooked.puts().into_iter().map(|put| put.op_id).collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "one name: {ids:?}");
        assert_eq!(server.lock().expect("no panic").version(), version + 1);

        if times == 4 {
            // Meanwhile Ben rewrites the very line, having seen Ana's.
            sync(&ben, &server);
            ben.write("a.md", "three\n");
            sync(&ben, &server);
            sync(&ana, &server);
            if form == Form::Full {
                // The repeat was answered as the first time, so nothing is taken for a conflict.
                assert_eq!(ana.files().len(), 1, "{:?}", ana.files());
                assert_eq!(ana.read("a.md").as_deref(), Some("three\n"));
            }
        }
        sync(&ana, &server);
        sync(&ben, &server);
        assert_eq!(ana.files(), ben.files());
    }
}

#[test]
fn class_9_what_an_answer_brought_arrives_although_a_write_failed() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("z.md", "z\n");
        sync(&ana, &server);
        server.lock().expect("no panic").store("a.md", "a\n");
        // No file can be put where a folder stands.
        std::fs::create_dir(ana.team().join("a.md")).expect("a folder");
        let report = sync(&ana, &server);
        assert!(report.pending);
        assert!(
            matches!(&report.notes[..], [(key, Note::Trouble(_))] if key == "a.md"),
            "{report:?}"
        );
        // The server has nothing new, and the file comes all the same.
        std::fs::remove_dir(ana.team().join("a.md")).expect("a folder");
        assert_eq!(done(&sync(&ana, &server)), ["a.md pulled"]);
    }
}

#[test]
fn class_11_an_answer_that_is_behind_turns_nothing_back() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let ana = Home::new("ana");
        ana.write("a.md", "one\n");
        sync(&ana, &server);
        let keep = Hooked::new(&server, |_, _| None);
        keep.sync(&Home::new("ben"), 1).expect("a sync");
        let old = server.lock().expect("no panic").answer(&keep.asked()[0]);
        ana.write("a.md", "two\n");
        sync(&ana, &server);
        ana.write("b.md", "b\n");
        sync(&ana, &server);

        let before = ana.files();
        let behind = Hooked::new(&server, move |_, ask| {
            (ask.verb == Verb::Get).then(|| Ok(old.clone()))
        });
        let error = behind.sync(&ana, 2).expect_err("a replica that is behind");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("older"), "{error}");
        assert_eq!(ana.files(), before);
        assert!(behind.puts().is_empty(), "nothing is sent on top of it");
    }
}

#[test]
fn class_13_a_name_that_the_file_system_decomposes_is_one_file() {
    let (composed, decomposed) = ("caf\u{e9}.md", "cafe\u{301}.md");
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write(decomposed, "one\n");
        for name in ["b.md", "c.md", "d.md", "e.md"] {
            ana.write(name, "text\n");
        }
        sync(&ana, &server);
        sync(&ben, &server);
        assert_eq!(ben.read(composed).as_deref(), Some("one\n"));

        ben.write(composed, "two\n");
        sync(&ben, &server);
        sync(&ana, &server);
        assert_eq!(ana.read(decomposed).as_deref(), Some("two\n"));
        assert_eq!(ana.read(composed), None, "no second file");

        // Both spellings at once: neither is sent nor touched, and that is said.
        ana.write(composed, "three\n");
        let report = sync(&ana, &server);
        assert!(
            report.notes.iter().any(|(key, note)| key == composed
                && matches!(note, Note::BlockedHere(why) if why.contains("normal form"))),
            "{report:?}"
        );
        assert_eq!(ana.read(decomposed).as_deref(), Some("two\n"));
        std::fs::remove_file(ana.team().join(composed)).expect("a file");

        if form == Form::Full {
            ana.remove(decomposed);
            assert_eq!(
                done(&sync(&ana, &server)),
                [format!("{composed} deleted-there")]
            );
        }
    }
}

#[test]
fn class_20_clocks_decide_nothing() {
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    for (ana_is, ben_is) in [(true, false), (false, true)] {
        let server = Server::new(Form::Full);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        let set = |home: &Home, name: &str, ahead: bool| {
            let now = SystemTime::now();
            let time = if ahead { now + year } else { now - year };
            let file = std::fs::File::options()
                .write(true)
                .open(home.team().join(name))
                .expect("a file");
            file.set_modified(time).expect("a time");
        };
        ana.write("a.md", "one\n");
        set(&ana, "a.md", ana_is);
        sync(&ana, &server);
        sync(&ben, &server);
        // The newer edit wins because it was made on top of the other, whatever the clocks say.
        ben.write("a.md", "two\n");
        set(&ben, "a.md", ben_is);
        sync(&ben, &server);
        assert_eq!(done(&sync(&ana, &server)), ["a.md pulled"]);
        assert_eq!(ana.read("a.md").as_deref(), Some("two\n"));
        // A file that only looks older or newer is not sent.
        set(&ana, "a.md", ana_is);
        assert_eq!(done(&sync(&ana, &server)), Vec::<String>::new());
    }
}

#[test]
fn class_22_what_was_deleted_does_not_come_back_from_somebody_who_was_away() {
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    for name in ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"] {
        ana.write(name, "text\n");
    }
    sync(&ana, &server);
    sync(&ben, &server);
    ana.remove("a.md");
    sync(&ana, &server);
    // Ben was away, has the old copy, and edits another file.
    ben.write("b.md", "edited\n");
    assert_eq!(
        done(&sync(&ben, &server)),
        ["a.md removed-here", "b.md pushed"]
    );
    sync(&ana, &server);
    assert_eq!(ana.read("a.md"), None);
    // Written anew it is a new memory, for both.
    sync(&ben, &server);
    ben.write("a.md", "text\n");
    sync(&ben, &server);
    sync(&ana, &server);
    assert_eq!(ana.read("a.md").as_deref(), Some("text\n"));
    // And deleted again it is deleted again.
    ana.remove("a.md");
    sync(&ana, &server);
    sync(&ben, &server);
    assert_eq!(ben.read("a.md"), None);
}

#[test]
fn class_23_one_bad_entry_costs_itself_only() {
    let large = "x".repeat(256_001);
    let sum = |text: &str| Checksum::of(text).to_string();
    // (key as the server spells it, text, checksum as it says)
    let bad = [
        ("../escape.md", "bad", sum("bad")),
        ("a\u{202e}.md", "bad", sum("bad")),
        ("deep/.hidden.md", "bad", sum("bad")),
        ("no-sum.md", "bad", "sha256:zz".to_owned()),
        ("other-sum.md", "bad", sum("good")),
        ("large.md", large.as_str(), sum(&large)),
        ("secret.md", "SECRET\n", sum("SECRET\n")),
        ("good0.md", "twin", sum("twin")),
    ];
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    let answer = {
        let mut snapshot = wire::Snapshot::default();
        snapshot.version = "5".into();
        let mut entries: std::collections::BTreeMap<_, _> = (0..5)
            .map(|at| (format!("GOOD{at}.md"), "good\n".to_owned()))
            .collect();
        for (key, text) in &entries {
            snapshot.checksums.insert(key.clone(), sum(text));
        }
        for (key, text, sum) in &bad {
            entries.insert((*key).to_owned(), (*text).to_owned());
            snapshot.checksums.insert((*key).to_owned(), sum.clone());
        }
        snapshot.entries = Some(entries);
        serde_json::to_vec(&snapshot).expect("JSON")
    };
    // Here, too: no text, too large, a credential.
    ana.write("mine.md", "mine\n");
    std::fs::write(ana.team().join("binary.md"), b"\xff\xfe").expect("a file");
    ana.write("big.md", &large);
    ana.write("key.md", "SECRET\n");
    let tag = team_sync::Tag::new(5, "aaaaaa");
    let hooked = Hooked::new(&server, move |_, ask| {
        let body = if ask.verb == Verb::Get {
            answer.clone()
        } else {
            br#"{"version":"6","checksums":{}}"#.to_vec()
        };
        Some(Ok(Answer::new(200, body).with_tag(Some(tag.clone()))))
    });
    let report = hooked.sync(&ana, 4).expect("a sync");
    for at in 0..5 {
        assert_eq!(ana.read(&format!("GOOD{at}.md")).as_deref(), Some("good\n"));
    }
    let sent: Vec<String> = hooked
        .puts()
        .into_iter()
        .flat_map(|put| put.entries.into_keys())
        .collect();
    assert_eq!(sent, ["mine.md"]);
    for (key, ..) in &bad {
        let shown: String = key.chars().flat_map(char::escape_debug).collect();
        assert!(
            report.notes.iter().any(|(name, _)| *name == shown),
            "{shown} is not said: {report:?}"
        );
        assert!(!ana.team().join(key).exists(), "{key}");
    }
    for key in ["binary.md", "big.md", "key.md"] {
        assert!(report.notes.iter().any(|(name, _)| name == key), "{key}");
    }
}

#[test]
fn class_25_what_stands_still_says_so_in_every_run() {
    let server = Server::new(Form::Full);
    let ana = Home::new("ana");
    for at in 0..8 {
        ana.write(&format!("m{at}.md"), "text\n");
    }
    sync(&ana, &server);
    server
        .lock()
        .expect("no panic")
        .store("theirs.md", "SECRET\n");
    ana.write("mine.md", "SECRET\n");
    for at in 0..8 {
        ana.remove(&format!("m{at}.md"));
    }
    let first = sync(&ana, &server);
    assert_eq!(first.notes.len(), 10, "{first:?}");
    for _ in 0..3 {
        let again = sync(&ana, &server);
        assert_eq!(again.notes, first.notes);
        assert_eq!(again.requests, 1, "and nothing is fetched over and over");
    }
    let held = |note: &Note| *note == Note::Held(HoldReason::TooManyDeletes);
    assert_eq!(first.notes.iter().filter(|(_, note)| held(note)).count(), 8);

    // A server that is away is an error in every run, too.
    let away = Hooked::new(&server, |_, _| Some(Ok(Answer::new(503, Vec::new()))));
    for seed in 0..3 {
        let error = away.sync(&ana, seed).expect_err("away");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("503"), "{error}");
    }
}

#[test]
fn class_26_two_clients_fall_quiet() {
    for form in [Form::Plain, Form::Full] {
        let server = Server::new(form);
        let (ana, ben) = (Home::new("ana"), Home::new("ben"));
        ana.write("a.md", "start\n");
        sync(&ana, &server);
        sync(&ben, &server);
        for at in 0..5 {
            ana.write(
                "a.md",
                &format!("{}ana {at}\n", ana.read("a.md").expect("a file")),
            );
            ben.write(
                "a.md",
                &format!("{}ben {at}\n", ben.read("a.md").expect("a file")),
            );
            sync(&ana, &server);
            sync(&ben, &server);
            sync(&ana, &server);
            let count = |server: &Server| (server.puts, server.version());
            let before = count(&server.lock().expect("no panic"));
            for home in [&ana, &ben, &ana, &ben] {
                assert_eq!(done(&sync(home, &server)), Vec::<String>::new());
            }
            assert_eq!(count(&server.lock().expect("no panic")), before);
        }
        assert_eq!(ana.files(), ben.files());
    }
}

#[test]
fn class_3_a_folder_that_lost_more_than_a_few_files_is_asked_about() {
    // (files, how many are gone, whether they are deleted on the server)
    for (files, gone, believed) in [
        (1, 1, true),
        (4, 2, true),
        (4, 3, false),
        (20, 9, true),
        (20, 10, false),
        (80, 25, true),
        (80, 26, false),
    ] {
        let server = Server::new(Form::Full);
        let ana = Home::new("ana");
        for at in 0..files {
            ana.write(&format!("m{at:02}.md"), "text\n");
        }
        sync(&ana, &server);
        sync(&ana, &server);
        for at in 0..gone {
            ana.remove(&format!("m{at:02}.md"));
        }
        sync(&ana, &server);
        let left = server.lock().expect("no panic").texts().len();
        let expected = if believed { files - gone } else { files };
        assert_eq!(left, expected, "{gone} of {files}");
        // A person says yes.
        sync_with(
            &ana,
            &server,
            &SyncOptions::default().with_confirmed_deletes(true),
        );
        assert_eq!(server.lock().expect("no panic").texts().len(), files - gone);
    }
}

#[test]
fn a_renamed_file_under_another_case_is_moved_and_not_lost() {
    // Class 12, the client's half: the old spelling goes in the request that brings the new one.
    let server = Server::new(Form::Full);
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    for name in ["Deploy.md", "b.md", "c.md", "d.md", "e.md"] {
        ana.write(name, "text\n");
    }
    sync(&ana, &server);
    sync(&ben, &server);
    std::fs::rename(ana.team().join("Deploy.md"), ana.team().join("deploy.md")).expect("a rename");
    let hooked = Hooked::new(&server, |_, _| None);
    hooked.sync(&ana, 9).expect("a sync");
    let puts = hooked.puts();
    assert_eq!(puts.len(), 1);
    assert!(puts[0].entries.contains_key("deploy.md"));
    assert_eq!(puts[0].deletes, ["Deploy.md"]);
    let report = sync(&ben, &server);
    let key = TeamKey::parse("deploy.md").expect("a key");
    let moved = [(key.clone(), Done::Renamed), (key, Done::Pulled)];
    assert!(
        report.done.iter().any(|one| moved.contains(one)),
        "{report:?}"
    );
    assert_eq!(ben.files(), ana.files());
}
