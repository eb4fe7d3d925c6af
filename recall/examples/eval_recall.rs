//! The quality table: the ranker beside three simple ones, on the data set in `testdata/recall`.
//!
//! `cargo xtask eval recall` prints it. `-- --misses` lists each query that went wrong, of the tuned
//! half only: looking at the other half would end its use.
#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memdir::Timestamp;
use memdir_recall::{Query, Recall, Surfaced};
use pathguard::{MemoryRoot, RootOptions};
use serde_json::Value;

/// The day on which the queries are asked: after the newest memory.
const NOW: &str = "2026-07-20T12:00:00Z";

/// Files looked at in each answer.
const DEPTH: usize = 5;

/// One labelled query.
struct Case {
    id: String,
    group: String,
    tuned: bool,
    query: String,
    expect: Vec<String>,
    forbid: Vec<String>,
    surfaced: Vec<String>,
    recent_tools: Vec<String>,
}

/// One memory, for the baselines.
struct File {
    path: String,
    text: String,
    modified: String,
}

/// What one ranker did on one group.
#[derive(Default, Clone)]
struct Tally {
    queries: usize,
    with_answer: usize,
    found: f64,
    without_answer: usize,
    quiet: usize,
    wrong: usize,
    forbidden: usize,
}

/// A way to answer a query: paths, best first.
type Ranker<'a> = Box<dyn Fn(&Case) -> Vec<String> + 'a>;

fn main() -> Result<(), Box<dyn Error>> {
    let show_misses = std::env::args().any(|argument| argument == "--misses");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/recall");
    let second = data.join("second");
    println!("first set");
    table(&data, &data.join("memories"), show_misses)?;
    println!("\nsecond set, in another style, by itself");
    table(&second, &second.join("memories"), show_misses)?;
    // A folder as large as both, with subjects that the queries are not about.
    let both = tempfile::tempdir()?;
    copy(&data.join("memories"), both.path())?;
    copy(&second.join("memories"), both.path())?;
    println!("\nsecond set, among the memories of the first");
    table(&second, both.path(), false)?;
    let third = data.join("third");
    println!("\nthird set, written from the specification alone; nothing was tuned on it");
    table(&third, &third.join("memories"), false)?;
    let talk = std::fs::read_to_string(data.join("smalltalk.txt"))?;
    println!(
        "\nsmall talk: messages that were answered, of {}",
        talk.lines().count()
    );
    for (name, set) in [("first", &data), ("second", &second), ("third", &third)] {
        println!("{name:<16}{:>15}", answered(&set.join("memories"), &talk)?);
    }
    Ok(())
}

/// Returns how many of the messages, one a line, recall something from a folder.
fn answered(memories: &Path, messages: &str) -> Result<usize, Box<dyn Error>> {
    let memory = MemoryRoot::open(memories, &RootOptions::default())?;
    let mut recall = Recall::open(Arc::new(memory), None);
    recall.refresh()?;
    let now: Timestamp = NOW.parse()?;
    let is_answered = |text: &&str| !recall.rank(&Query::new(text, now)).memories.is_empty();
    Ok(messages.lines().filter(is_answered).count())
}

/// Copies the Markdown files of a folder and of the folders in it.
fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let place = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &place)?;
        } else {
            std::fs::copy(&path, &place)?;
        }
    }
    Ok(())
}

/// Prints the table of one set of queries over one folder of memories.
fn table(data: &Path, memories: &Path, show_misses: bool) -> Result<(), Box<dyn Error>> {
    let cases = read_cases(&data.join("queries.jsonl"))?;
    let files = read_files(memories)?;
    let memory = MemoryRoot::open(memories, &RootOptions::default())?;
    let mut recall = Recall::open(Arc::new(memory), None);
    recall.refresh()?;
    let now: Timestamp = NOW.parse()?;
    let plain = PlainBm25::new(&files);

    let mut rankers: Vec<(&str, Ranker<'_>)> = vec![
        ("newest five", Box::new(|case| newest(&files, case))),
        ("grep count", Box::new(|case| grep_count(&files, case))),
        ("plain BM25", Box::new(|case| plain.rank(case))),
    ];
    let recall = &recall;
    rankers.push((
        "ours, no gate",
        Box::new(move |case| ask(recall, &query(case, now).prefilter(DEPTH))),
    ));
    rankers.push((
        "ours, final",
        Box::new(move |case| ask(recall, &query(case, now))),
    ));

    println!(
        "{} memories, {} queries; recall@{DEPTH}, for `none` the share of empty answers\n",
        files.len(),
        cases.len()
    );
    let mut groups: Vec<&str> = Vec::new();
    for case in &cases {
        if !groups.contains(&case.group.as_str()) {
            groups.push(&case.group);
        }
    }
    print!("{:<16}", "");
    for group in
        groups
            .iter()
            .copied()
            .chain(["all", "tuned", "held back", "wrong/query", "forbidden"])
    {
        print!("{group:>15}");
    }
    println!();
    for (name, rank) in &rankers {
        let mut by_group: BTreeMap<&str, Tally> = BTreeMap::new();
        let (mut all, mut tuned, mut held) = (Tally::default(), Tally::default(), Tally::default());
        for case in &cases {
            let answer = rank(case);
            for tally in [
                by_group.entry(case.group.as_str()).or_default(),
                &mut all,
                if case.tuned { &mut tuned } else { &mut held },
            ] {
                tally.add(case, &answer);
            }
            if show_misses && case.tuned {
                say_miss(name, case, &answer);
            }
        }
        print!("{name:<16}");
        for group in &groups {
            print!("{:>15}", by_group[group].shown());
        }
        let halves = [&all, &tuned, &held].map(Tally::shown);
        for cell in halves {
            print!("{cell:>15}");
        }
        println!(
            "{:>15.2}{:>15}",
            all.wrong as f64 / all.queries as f64,
            all.forbidden
        );
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, case: &Case, answer: &[String]) {
        self.queries += 1;
        let hits = answer
            .iter()
            .filter(|path| case.expect.contains(path))
            .count();
        self.wrong += answer.len() - hits;
        self.forbidden += answer
            .iter()
            .filter(|path| case.forbid.contains(path) || case.surfaced.contains(path))
            .count();
        if case.expect.is_empty() {
            self.without_answer += 1;
            self.quiet += usize::from(answer.is_empty());
        } else {
            self.with_answer += 1;
            self.found += hits as f64 / case.expect.len().min(DEPTH) as f64;
        }
    }

    fn shown(&self) -> String {
        let share = |part: f64, whole: usize| part / whole.max(1) as f64;
        let found = share(self.found, self.with_answer);
        let quiet = share(self.quiet as f64, self.without_answer);
        match (self.with_answer, self.without_answer) {
            (0, _) => format!("{quiet:.2}"),
            (_, 0) => format!("{found:.2}"),
            _ => format!("{found:.2} / {quiet:.2}"),
        }
    }
}

fn say_miss(name: &str, case: &Case, answer: &[String]) {
    if !name.starts_with("ours") {
        return;
    }
    let missing: Vec<_> = case
        .expect
        .iter()
        .filter(|path| !answer.contains(path))
        .collect();
    let wrong: Vec<_> = answer
        .iter()
        .filter(|path| !case.expect.contains(path))
        .collect();
    let gate = name == "ours, final";
    if !missing.is_empty() || gate && !wrong.is_empty() {
        println!(
            "  [{name}] {} {:?}\n      missing {missing:?}\n      wrong {wrong:?}",
            case.id, case.query
        );
    }
}

fn query(case: &Case, now: Timestamp) -> Query {
    Query::new(&case.query, now)
        .with_surfaced(case.surfaced.iter().map(|path| Surfaced::path(path)))
        .with_recent_tools(case.recent_tools.iter().map(String::as_str))
}

fn ask(recall: &Recall, query: &Query) -> Vec<String> {
    let answer = recall.rank(query);
    answer
        .memories
        .iter()
        .map(|memory| memory.path.to_string())
        .collect()
}

/// The classic shortcut: the newest files, whatever was asked.
fn newest(files: &[File], case: &Case) -> Vec<String> {
    let mut order: Vec<&File> = files
        .iter()
        .filter(|file| !case.surfaced.contains(&file.path))
        .collect();
    order.sort_by(|a, b| b.modified.cmp(&a.modified).then(a.path.cmp(&b.path)));
    order
        .iter()
        .take(DEPTH)
        .map(|file| file.path.clone())
        .collect()
}

/// How often the words of the query occur, as a search by hand would count them.
fn grep_count(files: &[File], case: &Case) -> Vec<String> {
    let words: HashSet<String> = words(&case.query).into_iter().collect();
    best(files, case, |file| {
        let text = file.text.to_lowercase();
        words
            .iter()
            .map(|word| text.matches(word.as_str()).count() as f64)
            .sum()
    })
}

/// BM25 over the whole file, with words parted at anything that is no letter or digit.
struct PlainBm25<'a> {
    files: &'a [File],
    counts: Vec<HashMap<String, f64>>,
    with: HashMap<String, f64>,
    mean: f64,
}

impl<'a> PlainBm25<'a> {
    fn new(files: &'a [File]) -> Self {
        let mut counts = Vec::new();
        let mut with: HashMap<String, f64> = HashMap::new();
        for file in files {
            let mut own: HashMap<String, f64> = HashMap::new();
            for word in words(&file.text) {
                *own.entry(word).or_default() += 1.0;
            }
            for word in own.keys() {
                *with.entry(word.clone()).or_default() += 1.0;
            }
            counts.push(own);
        }
        let length: f64 = counts.iter().flat_map(HashMap::values).sum();
        Self {
            files,
            counts,
            with,
            mean: length / files.len() as f64,
        }
    }

    fn rank(&self, case: &Case) -> Vec<String> {
        let asked: HashSet<String> = words(&case.query).into_iter().collect();
        let places: HashMap<&str, usize> = self
            .files
            .iter()
            .enumerate()
            .map(|(at, file)| (file.path.as_str(), at))
            .collect();
        best(self.files, case, |file| {
            let counts = &self.counts[places[file.path.as_str()]];
            let length: f64 = counts.values().sum();
            let mut asked: Vec<&String> = asked.iter().collect();
            asked.sort();
            asked
                .iter()
                .map(|word| self.of_word(word, counts, length))
                .sum()
        })
    }

    fn of_word(&self, word: &str, counts: &HashMap<String, f64>, length: f64) -> f64 {
        let Some(often) = counts.get(word) else {
            return 0.0;
        };
        let with = self.with[word];
        let idf = (1.0 + (self.files.len() as f64 - with + 0.5) / (with + 0.5)).ln();
        idf * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / self.mean))
    }
}

fn best(files: &[File], case: &Case, score: impl Fn(&File) -> f64) -> Vec<String> {
    let mut scored: Vec<(f64, &File)> = files
        .iter()
        .filter(|file| !case.surfaced.contains(&file.path))
        .map(|file| (score(file), file))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.path.cmp(&y.path)));
    scored
        .iter()
        .take(DEPTH)
        .map(|(_, file)| file.path.clone())
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn read_cases(path: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for line in std::fs::read_to_string(path)?
        .lines()
        .filter(|line| !line.is_empty())
    {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| -> Vec<String> {
            let items = value[key].as_array().into_iter().flatten();
            items
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect()
        };
        cases.push(Case {
            id: text("id"),
            group: text("group"),
            tuned: value["half"] == "tuned",
            query: text("query"),
            expect: list("expect"),
            forbid: list("forbid"),
            surfaced: list("surfaced"),
            recent_tools: list("recent_tools"),
        });
    }
    Ok(cases)
}

fn read_files(folder: &Path) -> Result<Vec<File>, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path)?;
            let modified = text
                .lines()
                .find_map(|line| line.trim_start().strip_prefix("modified: "));
            files.push(File {
                modified: modified.unwrap_or_default().to_owned(),
                path: path
                    .strip_prefix(folder)?
                    .to_string_lossy()
                    .replace('\\', "/"),
                text,
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
