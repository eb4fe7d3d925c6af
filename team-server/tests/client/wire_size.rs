//! How many bytes a look and a small edit cost on the wire.
#![allow(
    clippy::print_stdout,
    reason = "the figures are the report of this test"
)]

use super::tap::{Eaten, Tap};
use super::{Home, done};
use crate::support::{Place, Running, on_each_store};

on_each_store!(a_look_and_a_small_edit_cost_little);

async fn a_look_and_a_small_edit_cost_little(place: Place) {
    let server = Running::start(place).await;
    let (ana, ben) = (Home::new("ana"), Home::new("ben"));
    let text = |at: usize| {
        format!(
            "{at}\n{}",
            "a line of fifty characters, as in many a memory.\n".repeat(40)
        )
    };
    for at in 0..200 {
        ana.write(&format!("memory_{at:03}.md"), &text(at));
    }
    for home in [&ana, &ben, &ana] {
        home.sync(server.address, &server.token)
            .await
            .expect("a sync");
    }
    let tap = Tap::start(server.address, Eaten::default()).await;
    let report = ben.sync(tap.address, &server.token).await.expect("a sync");
    assert_eq!(done(&report), Vec::<String>::new());
    let (sent, answered) = tap.taken();
    println!("a look without news: {sent} bytes there, {answered} back");
    assert!(sent + answered < 1_000, "{sent} + {answered}");

    ana.write("memory_007.md", &format!("{}one line more\n", text(7)));
    ana.sync(server.address, &server.token)
        .await
        .expect("a sync");
    let report = ben.sync(tap.address, &server.token).await.expect("a sync");
    assert_eq!(done(&report), ["memory_007.md pulled"]);
    let (sent, answered) = tap.taken();
    println!("a pull after an edit of 2 KB: {sent} bytes there, {answered} back");
    assert!(sent + answered < 5_000, "{sent} + {answered}");

    // And a push of one: its text, and no other.
    ben.write("memory_008.md", &format!("{}one line more\n", text(8)));
    let report = ben.sync(tap.address, &server.token).await.expect("a sync");
    assert_eq!(done(&report), ["memory_008.md pushed"]);
    let (sent, answered) = tap.taken();
    println!("a push of an edit of 2 KB: {sent} bytes there, {answered} back");
    assert!(sent + answered < 6_000, "{sent} + {answered}");
}
