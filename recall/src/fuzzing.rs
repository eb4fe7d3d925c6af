//! Doors into the inside for fuzz targets and properties; not part of the interface.

pub use memdir::{Memory, Timestamp};

use pathguard::PathKey;
use token_count::Estimator;

use crate::index::{Builder, Fields, FileInfo, Index, Stat};
use crate::query::Query;
use crate::rank::{Corpus, Facts, Layer};
use crate::select::select;
use crate::text::{Piece, normalise, pieces};
use crate::{Age, ContentHash, Gate, Recalled, RenderOptions, Shown, Why, render, verify};

/// Returns the pieces of a text, joined identifiers marked by `=`.
pub fn pieces_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    pieces(&normalise(text), &mut |piece| {
        found.push(match piece {
            Piece::Word(text) | Piece::Bigram(text) | Piece::Single(text) => text.to_owned(),
            Piece::Whole { text, .. } => format!("={text}"),
        });
    });
    found
}

/// The folder that indexes of this module are made for.
const ROOT: u64 = 7;

/// Returns the bytes of a small index.
pub fn sample_index(texts: &[&str]) -> Vec<u8> {
    let mut builder = Builder::new();
    for (number, text) in texts.iter().enumerate() {
        let info = FileInfo {
            path: format!("note_{number}.md"),
            stat: Stat::default(),
            declared_s: None,
            length: 0,
            hash: [0; 32],
            cut: false,
            unsettled: false,
            name: (*text).to_owned(),
            description: String::new(),
            type_text: "project".to_owned(),
        };
        let fields = Fields {
            name: text,
            file_stem: "note",
            description: "",
            body: text,
        };
        builder.add(info, fields);
    }
    builder.finish(ROOT)
}

/// Opens bytes as an index, with the check sum set right so that damage behind it is reached, asks it
/// everything, and makes a new index of it. Returns whether it opened.
pub fn use_index(bytes: &[u8], query: &str) -> bool {
    let bytes = crate::index::with_check_sum(bytes, ROOT);
    let Ok(index) = Index::open(bytes, ROOT) else {
        return false;
    };
    let live = vec![true; index.len()];
    let layer = Layer {
        index: &index,
        live: &live,
    };
    let query = Query::new(query, Timestamp::UNIX_EPOCH);
    let facts = Facts::of(&[layer]);
    let corpus = Corpus::new(vec![layer], &facts);
    drop(select(&corpus, &query));
    drop(select(&corpus, &query.prefilter(200)));
    let mut builder = Builder::new();
    builder.absorb(&index, &live);
    let again = Index::open(builder.finish(ROOT), ROOT);
    assert!(again.is_ok_and(|again| again.len() <= index.len()));
    true
}

/// Renders one memory.
pub fn rendered(memory: &Memory) -> String {
    let recalled = Recalled {
        path: PathKey::parse("note.md").expect("the name is a legal key, because it is a constant"),
        name: memory.name().to_owned(),
        description: memory.description().to_owned(),
        memory_type: memory.memory_type(),
        type_text: memory.type_text().to_owned(),
        file_time: Timestamp::UNIX_EPOCH,
        modified: memory.modified(),
        age: Age::between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH),
        score: 1.0,
        why: Why {
            matches: Vec::new(),
            gate: Gate::Open,
            evidence: 0.0,
            enough_evidence: 0.0,
            coverage: 0.0,
            head_coverage: 0.0,
        },
        hash: ContentHash::of(memory.as_bytes()),
        verified: None,
    };
    let shown = Shown {
        recalled: &recalled,
        memory,
    };
    render([shown], &RenderOptions::new(&Estimator::new())).text
}

/// Returns the claims of a text: line and name.
pub fn claims_of(text: &str) -> Vec<(usize, String)> {
    verify::claims_of(text)
}
