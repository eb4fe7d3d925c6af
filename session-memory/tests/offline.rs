//! The update without a model.

use agent_model::Message;
use session_memory::{
    Author, Cursor, Entry, LedgerReader, NOTES_FILE, update_offline, update_offline_by,
};

use crate::store::Folder;

fn entries(count: usize) -> Vec<Entry> {
    let say = |n| Entry::Instruction(Message::user(format!("do {n}")).with_id(format!("m{n}")));
    (0..count).map(say).collect()
}

#[test]
fn the_ledger_keeps_the_file_up_to_date_and_writes_only_what_is_new() {
    let folder = Folder::new();
    let file = folder.file();
    let first = update_offline(&file, &entries(2), 500).expect("an update");
    assert_eq!((first.revision, first.author), (1, Author::Ledger));
    assert_eq!(first.cursor, Cursor::at_end(&entries(2), 500));
    assert!(first.notes.print().contains("> do 1"));
    let same = update_offline(&file, &entries(2), 500).expect("an update");
    assert_eq!(same, first);
    let next = update_offline(&file, &entries(3), 900).expect("an update");
    assert_eq!(next.revision, 2);
    assert_eq!(file.read().expect("readable"), Some(next));
}

#[test]
fn a_persons_words_in_the_file_survive_updates() {
    let folder = Folder::new();
    let file = folder.file();
    update_offline(&file, &entries(2), 500).expect("an update");
    let text = String::from_utf8(folder.read(NOTES_FILE).expect("a file")).expect("text");
    let hint = "_The commands that are run, in which order, and how to read their output._";
    let edited = text.replace(hint, &format!("{hint}\n\nalways run the linter first"));
    folder.write(NOTES_FILE, edited);
    for count in 3..6 {
        let committed = update_offline(&file, &entries(count), 500).expect("an update");
        let workflow = committed.notes.body("Workflow").expect("a section");
        assert_eq!(workflow, "always run the linter first");
        assert!(
            committed
                .notes
                .print()
                .contains(&format!("> do {}", count - 1))
        );
    }
}

#[test]
fn a_reader_that_followed_writes_the_same_file() {
    let (grown, whole) = (Folder::new(), Folder::new());
    let mut reader = LedgerReader::new();
    for count in 1..6 {
        let entries = entries(count);
        reader.read(&entries[count - 1]);
        let last = entries.last().and_then(Entry::message);
        let cursor = last.and_then(|message| Cursor::at(message, 500));
        let by_reader = update_offline_by(&grown.file(), &reader, cursor);
        let by_whole = update_offline(&whole.file(), &entries, 500);
        assert_eq!(by_reader.expect("an update"), by_whole.expect("an update"));
    }
}
