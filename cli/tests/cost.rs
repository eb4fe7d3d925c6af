//! `memstrata cost`.

use std::path::PathBuf;

use memstrata::model::{Budgets, Day, FileStore, Ledger, Price, PriceTable, Purpose, Usage};

use crate::harness::Home;
use crate::schema;

const ROWS: &str = include_str!("../../docs/schemas/cost.json");
const LEFT: &str = include_str!("../../docs/schemas/cost-left.json");

fn folder(home: &Home) -> PathBuf {
    let place = home.run(&["where", "--json"]).expect(0).json();
    PathBuf::from(place[0]["state_dir"].as_str().expect("a path")).join("ledger")
}

/// Books calls on two days: 1.00 in and 5.00 out for a million tokens, and one model without a price.
fn book(home: &Home) -> PathBuf {
    let folder = folder(home);
    let prices = PriceTable::new().with("small", Price::new(1_000_000, 5_000_000));
    let ledger = Ledger::new(FileStore::new(&folder), prices, Budgets::default());
    let calls = [
        ("2026-03-01", Purpose::Extract, "small-1", 4_000, 200),
        ("2026-03-02", Purpose::Extract, "small-1", 1_000, 100),
        ("2026-03-02", Purpose::Recall, "other", 500, 10),
    ];
    for (day, purpose, model, input, output) in calls {
        let day: Day = day.parse().expect("a day");
        let usage = Usage::new(input, output);
        let ticket = ledger
            .admit(day, &purpose, model, usage)
            .expect("no budget");
        ledger.settle(ticket, usage).expect("booked");
    }
    folder
}

#[test]
fn what_is_booked_is_shown_by_purpose_and_day() {
    let home = Home::new();
    book(&home);
    let run = home.run(&["cost", "--json"]).expect(0);
    schema::check(ROWS, &run);
    let rows = run.json();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["day"].as_str(),
                row["purpose"].as_str(),
                row["micros"].as_u64(),
                row["unpriced"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Some("2026-03-01"), Some("extract"), Some(5_000), Some(0)),
            (Some("2026-03-01"), None, Some(5_000), Some(0)),
            (Some("2026-03-02"), Some("recall"), Some(0), Some(1)),
            (Some("2026-03-02"), Some("extract"), Some(1_500), Some(0)),
            (Some("2026-03-02"), None, Some(1_500), Some(1)),
        ]
    );
    let text = home.run(&["cost", "--days", "1"]).expect(0);
    assert!(
        text.out.contains("0.0015") && text.out.contains("1 without a price"),
        "{}",
        text.out
    );
    assert!(!text.out.contains("2026-03-01"), "{}", text.out);
    assert!(text.err.contains("1 earlier days"), "{}", text.err);
}

#[test]
fn what_is_left_of_a_budget_is_said() {
    let home = Home::new();
    let run = home
        .run(&[
            "cost",
            "--budget",
            "2.5",
            "--token-budget",
            "1000",
            "--json",
        ])
        .expect(0);
    schema::check(LEFT, &run);
    let rows = run.json();
    assert_eq!(rows[0]["micros"], 2_500_000);
    assert_eq!(rows[0]["tokens"], 1_000);
    let text = home.run(&["cost", "--budget", "2.5"]).expect(0);
    assert!(text.out.contains("left today  2.50"), "{}", text.out);
    for wrong in [
        "",
        "x",
        "1.",
        ".5",
        "1.1234567",
        "-1",
        "99999999999999999999",
    ] {
        home.run(&["cost", &format!("--budget={wrong}")]).expect(2);
    }
}

#[test]
fn looking_makes_no_folder_and_damage_is_counted() {
    let home = Home::new();
    let run = home.run(&["cost"]).expect(0);
    assert!(
        run.out.is_empty() && run.err.contains("no call of a model"),
        "{}",
        run.err
    );
    let folder = folder(&home);
    assert!(!folder.exists());
    let folder = {
        let booked = book(&home);
        assert_eq!(booked, folder);
        booked
    };
    let file = folder.join("2026-03-02.jsonl");
    let mut bytes = std::fs::read(&file).expect("a file");
    bytes.extend(b"{\"torn\": \xff\n\x1b[31mred\n");
    std::fs::write(&file, bytes).expect("written");
    let run = home.run(&["cost"]).expect(0);
    assert!(run.err.contains("2 lines of 2026-03-02"), "{}", run.err);
    assert!(!run.out.contains('\u{1b}'));
}
