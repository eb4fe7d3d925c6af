//! A grown folder, built by code: sixty memories with duplicates, contradictions and dead claims, ten daily
//! logs, and an index that nobody has tidied for a while.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memdir::{FixedClock, Origin, Store, StoreOptions};
use memdir_extract::dream::Fact;
use tempfile::TempDir;
use test_support::bytes_below;

/// Files of one folder by path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// When the folder is looked at: a Tuesday.
pub(crate) const NOW: &str = "2026-03-31T20:00:00Z";

/// One memory file.
pub(crate) fn memory(kind: &str, name: &str, description: &str, day: &str, body: &str) -> Vec<u8> {
    format!(
        "---\nname: {name}\ndescription: {description}\ntype: {kind}\nmodified: {day}T09:00:00Z\n---\n\n{body}\n"
    )
    .into_bytes()
}

/// Places, things and people that make the unremarkable memories different from one another.
const THINGS: [&str; 30] = [
    "the importer of supplier catalogues",
    "invoices for the Swiss branch",
    "the nightly export to the warehouse",
    "search suggestions on the front page",
    "the printer queue in the packing hall",
    "rate limits of the partner API",
    "the migration of old customer numbers",
    "fonts in generated PDF letters",
    "the review of accessibility labels",
    "sampling of the audit log",
    "the mobile login screen",
    "currency rounding in the basket",
    "the glossary for translators",
    "alerts about slow queries",
    "the seed data of the demo shop",
    "the retention of chat transcripts",
    "feature flags of the checkout",
    "the onboarding tour",
    "image sizes in the newsletter",
    "the fallback of the payment provider",
    "holiday calendars per country",
    "the data model of gift cards",
    "the linting of SQL files",
    "time zones in shift plans",
    "the deprecation of the SOAP service",
    "the colour of error banners",
    "exports for the tax office",
    "the ownership of shared libraries",
    "barcode formats of returns",
    "the wording of reminder mails",
];

/// Adds a file and, when told to, its line in the index.
fn add(files: &mut Files, index: &mut String, path: &str, bytes: Vec<u8>, hook: Option<&str>) {
    if let Some(hook) = hook {
        let line = format!("- [{path}]({path}) — {hook}\n");
        index.push_str(&line);
    }
    assert!(
        files.insert(path.to_owned(), bytes).is_none(),
        "{path} twice"
    );
}

/// The whole folder.
pub(crate) fn files() -> Files {
    let mut files = Files::new();
    let mut index = String::from("# What we know\n\nCurated by hand since January.\n\n");
    // 30 that are just there; every fifth is missing in the index.
    for (number, thing) in THINGS.iter().enumerate() {
        let day = format!("2026-01-{:02}", number % 28 + 1);
        let (other, third) = (
            THINGS[(number * 7 + 3) % 30],
            THINGS[(number * 11 + 5) % 30],
        );
        let body = format!(
            "Decision {number}: {thing} is looked at together with {other}.\n\n**Why:** {thing} broke.\n\
             **How to apply:** ask the owner of {third}."
        );
        let bytes = memory(
            "project",
            thing,
            &format!("how we handle {thing}"),
            &day,
            &body,
        );
        let hook = (number % 5 != 4).then_some("see there");
        add(
            &mut files,
            &mut index,
            &format!("project_{number:02}.md"),
            bytes,
            hook,
        );
    }
    // Six pairs that say exactly the same.
    for (number, place) in ["Bern", "Graz", "Jena", "Kiel", "Lyon", "Oslo"]
        .iter()
        .enumerate()
    {
        let body = format!("The office in {place} closes at five; nobody answers the phone later.");
        for (copy, day) in [("a", "2026-02-01"), ("b", "2026-02-11")] {
            let name = format!("Office {place} {copy}");
            let bytes = memory("reference", &name, &format!("hours in {place}"), day, &body);
            let path = format!("reference_office_{number}{copy}.md");
            add(&mut files, &mut index, &path, bytes, Some("opening hours"));
        }
    }
    near_duplicates(&mut files, &mut index);
    special_cases(&mut files, &mut index);
    dead_claims(&mut files, &mut index);
    // What nobody has tidied: a dead line, a line twice.
    index.push_str("- [Gone](feedback_gone.md) — was removed by hand\n");
    index.push_str("- [again](project_00.md) — a second line for the first file\n");
    files.insert("MEMORY.md".to_owned(), index.into_bytes());
    assert_eq!(memories(&files), 60);
    for day in 1..=10 {
        files.insert(log_path(day), log(day).into_bytes());
    }
    files
}

fn near_duplicates(files: &mut Files, index: &mut String) {
    let pairs = [
        // The newer one has everything.
        (
            "notes",
            "Release notes are written by whoever merged last, in the order of the changes, and read by one other \
             person of the group.",
            "Release notes are written by whoever merged last, in the order of the changes, and read by one other \
             person of the group.\n\nOn paper too.",
        ),
        // The older one has a line more.
        (
            "review",
            "Every pull request is seen by two people of different groups, one of them from outside, within a day \
             and a half.\nIt takes a while.",
            "Every pull request is seen by two people of different groups, one of them from outside, within a day \
             and a half.",
        ),
        // They contradict each other, each in one word.
        (
            "port",
            "The staging database listens on port 5432 and takes connections from the office network and the \
             build machines, nobody else.",
            "The staging database listens on port 6543 and takes connections from the office network and the \
             build machines, nobody else.",
        ),
        (
            "day",
            "Deploys never happen on a Friday afternoon, whatever a customer says on the phone, unless somebody \
             stays until it is seen to work.",
            "Deploys happen on a Friday afternoon, whatever a customer says on the phone, unless somebody \
             stays until it is seen to work.",
        ),
        (
            "boss",
            "Questions about money go to Ms Keller first, with the numbers of the last quarter attached in a \
             sheet that she can sort.",
            "Questions about money go to Ms Brandt first, with the numbers of the last quarter attached in a \
             sheet that she can sort.",
        ),
    ];
    for (topic, older, newer) in pairs {
        for (age, day, body) in [("old", "2026-02-03", older), ("new", "2026-03-03", newer)] {
            let name = format!("{topic} {age}");
            let bytes = memory("feedback", &name, "how we do it", day, body);
            add(
                files,
                index,
                &format!("feedback_{topic}_{age}.md"),
                bytes,
                Some("hand-written hook"),
            );
        }
    }
}

fn special_cases(files: &mut Files, index: &mut String) {
    // A Monday; the two dates are the Thursday after it and the day before.
    let body = "The merge freeze begins Thursday.\n\nIt was announced yesterday.";
    let bytes = memory("project", "Freeze", "when it begins", "2026-03-02", body);
    add(files, index, "project_freeze.md", bytes, Some("dates"));
    let body = "发布会改到下周二，场地不变。";
    let bytes = memory("project", "发布会", "时间和场地", "2026-03-02", body);
    add(files, index, "project_发布会.md", bytes, Some("日期"));
    let bytes = b"---\nname: Pinned\ndescription: hands off\ntype: user\nprotected: true\n---\n\nI am the owner of this shop and call at noon, tomorrow too.\n";
    add(files, index, "user_pinned.md", bytes.to_vec(), Some("who"));
    let bytes = b"---\r\nname: Windows\r\ndescription: line ends\r\ntype: user\r\n---\r\n\r\nWorks on Windows, prefers PowerShell.\r\n";
    add(
        files,
        index,
        "user_windows.md",
        bytes.to_vec(),
        Some("machine"),
    );
}

/// Memories that name files which the repository does not have.
fn dead_claims(files: &mut Files, index: &mut String) {
    for number in 0..4 {
        let body = format!(
            "The deploy script number {number} lives in `tools/deploy_{number}.sh` and wants a clean tree before it \
             begins with anything."
        );
        let name = format!("Deploy script {number}");
        let bytes = memory("reference", &name, "where it is", "2026-01-05", &body);
        add(
            files,
            index,
            &format!("reference_deploy_{number}.md"),
            bytes,
            Some("script"),
        );
    }
}

/// What the repository says about them.
pub(crate) fn facts() -> Vec<Fact> {
    let fact = |number| {
        let path = format!("reference_deploy_{number}.md");
        let claim = format!("`tools/deploy_{number}.sh` exists");
        Fact::new(path, claim, "there is no such file in the repository")
    };
    (0..4).map(fact).collect()
}

/// The path of a daily log.
pub(crate) fn log_path(day: u8) -> String {
    format!("logs/2026/03/2026-03-{day:02}.md")
}

fn log(day: u8) -> String {
    format!(
        "- 09:{day:02} looked at the board with Ann\n- 11:{day:02} Ann said that decision {day} of the sprint stands: \
         returns are booked on the day they arrive\n- 16:{day:02} 安说退货按到货日入账，第 {day} 条\n"
    )
}

/// How many memories there are among files.
pub(crate) fn memories(files: &Files) -> usize {
    let is_memory = |path: &&String| !path.starts_with("logs/") && *path != "MEMORY.md";
    files.keys().filter(is_memory).count()
}

/// A folder on disk with a store on it.
pub(crate) struct Folder {
    scratch: TempDir,
}

impl Folder {
    /// The grown folder.
    pub(crate) fn grown() -> Self {
        Self::of(&files())
    }

    /// A folder of these files.
    pub(crate) fn of(files: &Files) -> Self {
        let folder = Self {
            scratch: tempfile::tempdir().unwrap(),
        };
        for (path, bytes) in files {
            folder.write(path, bytes);
        }
        folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.scratch.path().join("memory")
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    pub(crate) fn open(&self) -> Store {
        open(&self.path())
    }

    /// Every file of the memory folder with its bytes.
    pub(crate) fn bytes(&self) -> Files {
        bytes_below(&self.path())
    }

    /// Every file of the memory folder and of its state.
    pub(crate) fn all_bytes(&self) -> Files {
        bytes_below(self.scratch.path())
    }
}

/// A store on a memory folder, at [`NOW`].
pub(crate) fn open(path: &Path) -> Store {
    let clock = FixedClock::new(NOW.parse().unwrap(), 0);
    Store::open(path, StoreOptions::new(clock)).unwrap()
}

/// Who distils in the tests.
pub(crate) fn me() -> Origin {
    Origin::person("dream")
}

/// Says which files differ, and shows no bytes.
#[track_caller]
pub(crate) fn assert_same(left: &Files, right: &Files) {
    let differ = |path: &&String| left.get(*path) != right.get(*path);
    let paths: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let differing: Vec<&String> = paths.into_iter().filter(differ).collect();
    assert!(differing.is_empty(), "these differ: {differing:?}");
}
