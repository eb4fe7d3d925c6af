//! Budgets across calls, tasks and processes.

use std::io;
use std::sync::Arc;

use agent_model::{
    Budget, Budgets, Day, Error, ErrorKind, FileStore, Ledger, LedgerStore, MemoryStore, Metered,
    Model, Price, PriceTable, Purpose, Reply, ScriptedModel, Usage,
};
use proptest::prelude::*;

use crate::support::{hello, run};

fn day() -> Day {
    Day::new(2026, 11, 30).unwrap()
}

fn prices() -> PriceTable {
    PriceTable::new()
        .with(
            "claude-",
            Price::new(3_000_000, 15_000_000).with_cache(300_000, 3_750_000),
        )
        .with("claude-haiku", Price::new(1_000_000, 5_000_000))
}

fn ledger(budgets: Budgets) -> Ledger {
    Ledger::new(MemoryStore::default(), prices(), budgets)
}

#[test]
fn days_are_those_of_the_calendar() {
    for good in [
        "2026-11-30",
        "2024-02-29",
        "2000-02-29",
        "0001-01-01",
        "9999-12-31",
    ] {
        assert_eq!(good.parse::<Day>().unwrap().to_string(), good);
    }
    for bad in [
        "",
        "2026-11-31",
        "2023-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-1-1",
        "2026-11-3é",
        "+026-11-30",
        "2026/11/30",
        "0000-01-01",
        "2026-11-30T00:00",
    ] {
        assert!(bad.parse::<Day>().is_err(), "{bad}");
    }
    assert!("2026-11-30".parse::<Day>().unwrap() < "2026-12-01".parse().unwrap());
}

#[test]
fn the_longest_name_sets_the_price_and_fractions_round_up() {
    let prices = prices();
    assert_eq!(
        prices.price("claude-haiku-5-5"),
        Some(Price::new(1_000_000, 5_000_000))
    );
    assert_eq!(prices.price("claude-opus-5-5").unwrap().output, 15_000_000);
    assert_eq!(prices.price("gpt-5.5"), None);
    let usage = Usage::new(1_000, 100).with_cache(10_000, 1);
    // 3000 + 1500 + 3000 + 3.75
    assert_eq!(prices.price("claude-opus-5-5").unwrap().cost(usage), 7_504);
    let dear = Price::new(u64::MAX, u64::MAX);
    assert_eq!(dear.cost(Usage::new(u64::MAX, u64::MAX)), u64::MAX);
}

#[test]
fn purposes_are_counted_apart_and_together() {
    let ledger = ledger(Budgets::default());
    let book = |purpose: Purpose, usage: Usage| {
        let ticket = ledger
            .admit(day(), &purpose, "claude-haiku", usage)
            .unwrap();
        ledger.settle(ticket, usage).unwrap();
    };
    book(Purpose::Recall, Usage::new(10, 1));
    book(Purpose::Recall, Usage::new(10, 1).with_cache(90, 0));
    book(Purpose::Dream, Usage::new(500, 50));
    let failed = ledger
        .admit(day(), &Purpose::Extract, "claude-haiku", Usage::new(7, 7))
        .unwrap();
    ledger.fail(failed).unwrap();
    let book = ledger.day(day()).unwrap();
    let recall = book.purpose(&Purpose::Recall);
    assert_eq!(
        (recall.calls, recall.cache_hits, recall.micros),
        (2, 1, 10 + 5 + 10 + 5 + 90)
    );
    let extract = book.purpose(&Purpose::Extract);
    assert_eq!((extract.calls, extract.failed, extract.micros), (1, 1, 0));
    assert_eq!(book.total().calls, 4);
    assert_eq!(book.total().usage, Usage::new(520, 52).with_cache(90, 0));
    let names: Vec<&str> = book
        .purposes()
        .map(|(purpose, _)| purpose.as_str())
        .collect();
    assert_eq!(names, ["recall", "extract", "dream"]);
    let next = Day::new(2026, 12, 1).unwrap();
    assert_eq!(
        ledger.day(next).unwrap().total().calls,
        0,
        "each day starts at nothing"
    );
}

#[test]
fn each_limit_refuses_at_its_edge() {
    let usage = Usage::new(90, 10);
    let cases = [
        (Budget::unlimited().with_calls(2), 2),
        (Budget::unlimited().with_tokens(300), 3),
        (Budget::unlimited().with_tokens(299), 2),
        (Budget::micros(140 * 4), 4),
        (Budget::micros(140 * 4 - 1), 3),
        (Budget::micros(0), 0),
    ];
    for (budget, allowed) in cases {
        for purpose_only in [false, true] {
            let budgets = if purpose_only {
                Budgets::default().with_purpose(Purpose::Extract, budget)
            } else {
                Budgets::new(budget)
            };
            let ledger = ledger(budgets);
            let mut made = 0;
            let refusal = loop {
                match ledger.admit(day(), &Purpose::Extract, "claude-haiku", usage) {
                    Ok(ticket) => ledger.settle(ticket, usage).unwrap(),
                    Err(error) => break error,
                }
                made += 1;
            };
            assert_eq!(made, allowed, "{budget:?}");
            assert_eq!(refusal.kind(), ErrorKind::Budget);
            let other = ledger.admit(day(), &Purpose::Recall, "claude-haiku", Usage::default());
            let free = purpose_only || budget.calls.is_none();
            assert_eq!(
                other.is_ok(),
                free,
                "another purpose is limited by the day only"
            );
        }
    }
}

#[test]
fn a_model_without_a_price_is_refused_only_where_money_is_limited() {
    let usage = Usage::new(1, 1);
    let limited = ledger(Budgets::new(Budget::micros(1_000_000)));
    let error = limited
        .admit(day(), &Purpose::Dream, "unknown", usage)
        .unwrap_err();
    assert!(
        error.to_string().contains("the model has no price"),
        "{error}"
    );
    let free = ledger(Budgets::new(Budget::unlimited().with_tokens(100)));
    let ticket = free
        .admit(day(), &Purpose::Dream, "unknown", usage)
        .unwrap();
    free.settle(ticket, usage).unwrap();
    assert_eq!(free.day(day()).unwrap().total().unpriced, 1);
}

#[test]
fn an_open_call_counts_with_its_estimate() {
    let ledger = ledger(Budgets::new(Budget::unlimited().with_tokens(100)));
    let first = ledger
        .admit(day(), &Purpose::Extract, "m", Usage::new(60, 0))
        .unwrap();
    let second = ledger.admit(day(), &Purpose::Extract, "m", Usage::new(60, 0));
    assert_eq!(
        second.unwrap_err().kind(),
        ErrorKind::Budget,
        "both cannot have the rest"
    );
    assert_eq!(ledger.day(day()).unwrap().total().open, 1);
    ledger.settle(first, Usage::new(10, 0)).unwrap();
    assert_eq!(ledger.day(day()).unwrap().total().open, 0);
    let third = ledger.admit(day(), &Purpose::Extract, "m", Usage::new(60, 0));
    assert!(third.is_ok(), "what was not used is free again");
}

#[test]
fn a_metered_model_books_what_it_used() {
    let ledger = Arc::new(ledger(Budgets::new(Budget::unlimited().with_calls(4))));
    let replies = ScriptedModel::from_fn({
        let mut turn = 0;
        move |_| {
            turn += 1;
            match turn {
                1 => Ok(Reply::text_only("used").with_usage(Usage::new(5, 6))),
                2 => Err(Error::new(ErrorKind::Overloaded, "").with_status(529)),
                3 => Err(Error::new(ErrorKind::Timeout, "")),
                _ => Ok(Reply::text_only("no usage said")),
            }
        }
    });
    let model = Metered::new(&replies, ledger.clone(), Purpose::Session, day);
    assert_eq!(run(model.ask(&hello())).unwrap().text(), "used");
    assert_eq!(ledger.day(day()).unwrap().total().usage, Usage::new(5, 6));
    assert!(run(model.ask(&hello())).is_err());
    assert_eq!(
        ledger.day(day()).unwrap().total().usage,
        Usage::new(5, 6),
        "a refusal is free"
    );
    assert!(run(model.ask(&hello())).is_err());
    let total = ledger.day(day()).unwrap().total();
    assert_eq!(
        (total.failed, total.open),
        (1, 1),
        "a time-out may be charged"
    );
    assert!(total.usage.output >= 4_096, "so its estimate stays");
    assert!(run(model.ask(&hello())).is_ok());
    let usage = ledger.day(day()).unwrap().total().usage;
    assert!(
        usage.output < 4_096 + 6 + 50,
        "the estimate follows the answer's length"
    );
    let refused = run(model.ask(&hello())).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Budget);
    assert_eq!(replies.requests().len(), 4, "a refused call is not made");
    assert_eq!(
        ledger.day(day()).unwrap().purpose(&Purpose::Session).calls,
        4
    );
}

#[test]
fn a_call_that_is_dropped_keeps_its_estimate() {
    struct Never;
    impl Model for Never {
        fn ask<'a>(&'a self, _: &'a agent_model::Request) -> agent_model::Answer<'a> {
            Box::pin(std::future::pending())
        }
        fn provider(&self) -> &agent_model::Provider {
            static LOCAL: std::sync::OnceLock<agent_model::Provider> = std::sync::OnceLock::new();
            LOCAL.get_or_init(|| agent_model::Provider::new(agent_model::Vendor::Local))
        }
        fn name(&self) -> &'static str {
            "never"
        }
    }
    let ledger = Arc::new(ledger(Budgets::default()));
    let model = Metered::new(Never, ledger.clone(), Purpose::Dream, day);
    run(async {
        let request = hello();
        let mut asked = model.ask(&request);
        std::future::poll_fn(|context| {
            assert!(asked.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    });
    let total = ledger.day(day()).unwrap().total();
    assert_eq!((total.calls, total.open), (1, 1));
    assert_eq!(total.usage.output, 4_096);
}

#[test]
fn what_cannot_be_counted_is_not_spent() {
    struct Broken;
    impl LedgerStore for Broken {
        fn transact(&self, _: Day, _: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn read(&self, _: Day) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
        fn days(&self) -> io::Result<Vec<Day>> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    let ledger = Arc::new(Ledger::new(Broken, prices(), Budgets::default()));
    let inner = ScriptedModel::new(vec![Reply::text_only("x")]);
    let model = Metered::new(&inner, ledger.clone(), Purpose::Dream, day);
    assert_eq!(
        run(model.ask(&hello())).unwrap_err().kind(),
        ErrorKind::Ledger
    );
    assert!(inner.requests().is_empty());
    assert_eq!(ledger.day(day()).unwrap_err().kind(), ErrorKind::Ledger);
    assert_eq!(ledger.days().unwrap_err().kind(), ErrorKind::Ledger);
}

#[test]
fn the_file_survives_restarts_damage_and_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let open = || Ledger::new(FileStore::new(&path), prices(), Budgets::default());
    assert!(
        open().days().unwrap().is_empty(),
        "nothing is made before the first entry"
    );
    assert!(!path.exists());
    let book = |day: Day| {
        let ledger = open();
        let ticket = ledger
            .admit(day, &Purpose::Extract, "claude-haiku", Usage::new(9, 9))
            .unwrap();
        ledger.settle(ticket, Usage::new(5, 5)).unwrap();
    };
    let earlier = Day::new(2026, 1, 2).unwrap();
    book(day());
    book(earlier);
    let file = path.join("2026-11-30.jsonl");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend(b"garbage\n\n{\"v\":9}\n{\"v\":1,\"id\":77,\"sta");
    std::fs::write(&file, bytes).unwrap();
    std::fs::write(path.join("notes.txt"), "x").unwrap();
    std::fs::write(path.join("2026-99-99.jsonl"), "x").unwrap();
    book(day());
    let read = open().day(day()).unwrap();
    assert_eq!(
        (read.total().calls, read.total().open, read.damaged()),
        (2, 0, 3)
    );
    assert_eq!(open().days().unwrap(), [earlier, day()]);
}

#[test]
fn a_file_that_grew_too_large_admits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("2026-11-30.jsonl")).unwrap();
    file.set_len(agent_model::MAX_DAY_BYTES + 1).unwrap();
    let ledger = Ledger::new(FileStore::new(folder.path()), prices(), Budgets::default());
    let error = ledger
        .admit(day(), &Purpose::Dream, "m", Usage::default())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ledger);
}

#[cfg(unix)]
#[test]
fn what_is_named_like_a_day_and_is_no_file_is_passed_over_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::new(folder.path());
    store.transact(day(), &mut |_| b"\n".to_vec()).unwrap();
    let other: Day = "2026-11-29".parse().unwrap();
    let path = folder.path().join("2026-11-29.jsonl");
    let made: [&dyn Fn(); 3] = [
        &|| std::fs::create_dir(&path).unwrap(),
        &|| std::os::unix::fs::symlink("/etc/hostname", &path).unwrap(),
        &|| {
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
        },
    ];
    for make in made {
        make();
        assert_eq!(store.days().unwrap(), [day()]);
        assert!(store.read(other).is_err());
        assert!(store.transact(other, &mut |_| b"\n".to_vec()).is_err());
        if path.is_dir() {
            std::fs::remove_dir(&path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn a_file_that_somebody_holds_is_reported_and_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::new(folder.path());
    store.transact(day(), &mut |_| b"\n".to_vec()).unwrap();
    let held = std::fs::File::open(folder.path().join("2026-11-30.jsonl")).unwrap();
    held.lock().unwrap();
    let error = store
        .transact(day(), &mut |_| unreachable!("it is locked"))
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    held.unlock().unwrap();
    assert!(store.transact(day(), &mut |_| Vec::new()).is_ok());
}

#[test]
fn many_threads_together_never_pass_the_limit() {
    const LIMIT: u64 = 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let made: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                // Each has a ledger of its own, as each process has.
                let store = FileStore::new(&path);
                let budgets = Budgets::new(Budget::unlimited().with_calls(LIMIT));
                let ledger = Ledger::new(store, prices(), budgets);
                scope.spawn(move || {
                    let mut made = 0;
                    while let Ok(ticket) =
                        ledger.admit(day(), &Purpose::Extract, "claude-haiku", Usage::new(1, 1))
                    {
                        ledger.settle(ticket, Usage::new(1, 1)).unwrap();
                        made += 1;
                    }
                    made
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(made, LIMIT);
    let ledger = Ledger::new(FileStore::new(&path), prices(), Budgets::default());
    let book = ledger.day(day()).unwrap();
    assert_eq!(
        (book.total().calls, book.total().open, book.damaged()),
        (LIMIT, 0, 0)
    );
}

#[test]
fn estimates_come_from_the_counter_that_is_given() {
    struct Bytes;
    impl token_count::TokenCounter for Bytes {
        fn count(&self, text: &str) -> usize {
            text.len()
        }
        fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
            Some(text.len()).filter(|count| *count <= limit)
        }
    }
    let ledger = Arc::new(ledger(Budgets::default()));
    let silent = ScriptedModel::new(vec![Reply::text_only("twelve bytes")]);
    let model = Metered::new(&silent, ledger.clone(), Purpose::Recall, day);
    run(model.with_counter(Arc::new(Bytes)).ask(&hello())).unwrap();
    let usage = ledger.day(day()).unwrap().total().usage;
    // Four for the frame of the message, five for the word.
    assert_eq!(usage, Usage::new(4 + 5, 12));
}

proptest! {
    #[test]
    fn any_history_adds_up_and_stays_within_the_budget(
        // Admit with an estimate, then settle, fail or leave it.
        steps in proptest::collection::vec((0_u64..50, 0_u64..50, 0_u8..3), 0..60),
        limit in 0_u64..400,
    ) {
        let ledger = ledger(Budgets::new(Budget::unlimited().with_tokens(limit)));
        let (mut settled, mut open, mut calls) = (0_u64, 0_u64, 0_u64);
        for (estimate, real, end) in steps {
            let real = real.min(estimate);
            let fits = settled + open + estimate <= limit;
            let admitted = ledger.admit(day(), &Purpose::Recall, "m", Usage::new(estimate, 0));
            prop_assert_eq!(admitted.is_ok(), fits);
            let Ok(ticket) = admitted else { continue };
            calls += 1;
            match end {
                0 => { ledger.settle(ticket, Usage::new(real, 0)).unwrap(); settled += real; }
                1 => ledger.fail(ticket).unwrap(),
                _ => { drop(ticket); open += estimate; }
            }
            let total = ledger.day(day()).unwrap().total();
            prop_assert_eq!(total.usage.total(), settled + open);
            prop_assert_eq!(total.calls, calls);
            prop_assert!(total.usage.total() <= limit);
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let store = MemoryStore::default();
        store.transact(day(), &mut |_| bytes.clone()).unwrap();
        let ledger = Ledger::new(store, prices(), Budgets::default());
        let _ = ledger.day(day()).unwrap();
        let ticket = ledger.admit(day(), &Purpose::Dream, "m", Usage::new(1, 1)).unwrap();
        ledger.settle(ticket, Usage::new(1, 1)).unwrap();
        prop_assert_eq!(ledger.day(day()).unwrap().purpose(&Purpose::Dream).calls, 1);
    }
}
