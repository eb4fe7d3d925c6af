//! Makes an index from files, or from an older index and the files that changed.

use std::collections::{BTreeSet, HashMap};

use super::bytes::check_sum_around;
use super::{
    CHECK_AT, Counts, FILE_BYTES, FileInfo, HEADER_BYTES, Index, MAGIC, MAX_FILES, SECTIONS,
    SECTIONS_AT, Section, VERSION,
};
use crate::text::term::{Stems, Term};
use crate::text::{Piece, normalise, pieces, spelling};

/// The parts of a file that are searched, with what they weigh decided later.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub(crate) name: &'a str,
    pub(crate) file_stem: &'a str,
    pub(crate) description: &'a str,
    pub(crate) body: &'a str,
}

/// Collects postings; [`Builder::finish`] sorts and lays them out.
#[derive(Debug)]
pub(crate) struct Builder {
    files: Vec<FileInfo>,
    postings: Vec<(Term, u32)>,
    /// Words as people would mistype them, for spelling repair.
    words: BTreeSet<Box<str>>,
    stems: Stems,
    counts: HashMap<Term, [u32; 3]>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            files: Vec::new(),
            postings: Vec::new(),
            words: BTreeSet::new(),
            stems: Stems::new(),
            counts: HashMap::new(),
        }
    }

    /// Adds one file; `length` of the information is filled in here. Files over the most an index
    /// holds are left out.
    pub(crate) fn add(&mut self, mut info: FileInfo, fields: Fields<'_>) {
        if self.files.len() >= MAX_FILES {
            return;
        }
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        // The file name usually repeats the name: the larger count is taken, not the sum.
        self.count(fields.file_stem, 0, &mut counts);
        let from_stem: Vec<Term> = counts.keys().copied().collect();
        counts.clear();
        let mut length = self.count(fields.name, 0, &mut counts);
        for term in from_stem {
            counts.entry(term).or_insert([1, 0, 0]);
        }
        length += self.count(fields.description, 1, &mut counts);
        length += self.count(fields.body, 2, &mut counts);
        let number = self.files.len() as u32;
        for (term, [name, description, body]) in &counts {
            let counts = Counts {
                name: u8::try_from(*name).unwrap_or(u8::MAX),
                description: u8::try_from(*description).unwrap_or(u8::MAX),
                body: u8::try_from(*body).unwrap_or(u8::MAX),
            };
            self.postings.push((*term, number << 12 | counts.pack()));
        }
        self.counts = counts;
        info.length = length;
        self.files.push(info);
    }

    /// Counts the terms of one field and returns how many words it has.
    fn count(&mut self, text: &str, field: usize, counts: &mut HashMap<Term, [u32; 3]>) -> u32 {
        let text = normalise(text);
        let (stems, words) = (&mut self.stems, &mut self.words);
        let mut length = 0_u32;
        pieces(&text, &mut |piece| {
            let Some(term) = stems.of(piece) else { return };
            counts.entry(term).or_default()[field] += 1;
            match piece {
                Piece::Word(word) => {
                    length = length.saturating_add(1);
                    if is_repair_target(word) && !words.contains(word) {
                        words.insert(word.into());
                    }
                }
                Piece::Bigram(_) => length = length.saturating_add(1),
                Piece::Whole { .. } | Piece::Single(_) => {}
            }
        });
        length
    }

    /// Takes over the files of an older index for which `keep` says so.
    pub(crate) fn absorb(&mut self, index: &Index, keep: &[bool]) {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(index.len());
        for number in 0..index.len() {
            let kept = keep.get(number).copied().unwrap_or(false) && self.files.len() < MAX_FILES;
            let info = kept.then(|| index.info(number)).flatten();
            numbers.push(info.map(|info| {
                self.files.push(info);
                self.files.len() as u32 - 1
            }));
        }
        index.each_posting(&mut |term, number, counts| {
            if let Some(Some(new)) = numbers.get(number as usize) {
                self.postings.push((term, *new << 12 | counts.pack()));
            }
        });
        index.each_word(&mut |word| {
            if !self.words.contains(word) {
                self.words.insert(word.into());
            }
        });
    }

    /// Lays the index out as bytes; `root` names the folder it belongs to.
    pub(crate) fn finish(self, root: u64) -> Vec<u8> {
        let Self {
            mut files,
            mut postings,
            words,
            ..
        } = self;
        sort_by_path(&mut files, &mut postings);
        postings.sort_unstable();
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        for file in &files {
            push_file(file, &mut sections);
        }
        push_postings(&postings, &mut sections);
        for word in &words {
            let at = sections[Section::Texts as usize].len() as u32;
            let row = &mut sections[Section::Words as usize];
            row.extend_from_slice(&spelling::letters(word).to_le_bytes());
            row.extend_from_slice(&at.to_le_bytes());
            row.extend_from_slice(&(word.len() as u32).to_le_bytes());
            sections[Section::Texts as usize].extend_from_slice(word.as_bytes());
        }
        assemble(&sections, files.len() as u32, root)
    }
}

/// Sorts the files, so that an index and a listing are compared in one pass.
fn sort_by_path(files: &mut [FileInfo], postings: &mut [(Term, u32)]) {
    if files.is_sorted_by(|a, b| a.path < b.path) {
        return;
    }
    let mut order: Vec<u32> = (0..files.len() as u32).collect();
    order.sort_by(|a, b| files[*a as usize].path.cmp(&files[*b as usize].path));
    let mut new = vec![0; files.len()];
    for (place, old) in order.iter().enumerate() {
        new[*old as usize] = place as u32;
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    for (_, posting) in postings {
        *posting = new[(*posting >> 12) as usize] << 12 | *posting & 0xfff;
    }
}

/// Returns whether a word can be the intended one of a typing slip.
fn is_repair_target(word: &str) -> bool {
    (spelling::MIN_CHARS..=spelling::MAX_BYTES).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_lowercase())
}

fn push_file(file: &FileInfo, sections: &mut [Vec<u8>; SECTIONS]) {
    let path_at = sections[Section::Paths as usize].len() as u32;
    sections[Section::Paths as usize].extend_from_slice(file.path.as_bytes());
    let texts = &mut sections[Section::Texts as usize];
    let text_at = texts.len() as u32;
    for text in [&file.name, &file.description, &file.type_text] {
        texts.extend_from_slice(&(text.len() as u32).to_le_bytes());
    }
    for text in [&file.name, &file.description, &file.type_text] {
        texts.extend_from_slice(text.as_bytes());
    }
    let row = &mut sections[Section::Files as usize];
    let begin = row.len();
    row.extend_from_slice(&path_at.to_le_bytes());
    row.extend_from_slice(&(file.path.len() as u32).to_le_bytes());
    row.extend_from_slice(&file.stat.modified_ns.to_le_bytes());
    row.extend_from_slice(&file.stat.changed_ns.to_le_bytes());
    row.extend_from_slice(&file.stat.size.to_le_bytes());
    row.extend_from_slice(&file.stat.inode.to_le_bytes());
    row.extend_from_slice(&file.declared_s.unwrap_or(i64::MIN).to_le_bytes());
    row.extend_from_slice(&file.length.to_le_bytes());
    row.extend_from_slice(&text_at.to_le_bytes());
    let flags = u32::from(file.cut) | u32::from(file.unsettled) << 1;
    row.extend_from_slice(&flags.to_le_bytes());
    row.extend_from_slice(&0_u32.to_le_bytes());
    row.extend_from_slice(&file.hash);
    debug_assert_eq!(row.len() - begin, FILE_BYTES);
}

fn push_postings(postings: &[(Term, u32)], sections: &mut [Vec<u8>; SECTIONS]) {
    sections[Section::Postings as usize].reserve(postings.len() * 4);
    let mut begin = 0;
    while begin < postings.len() {
        let term = postings[begin].0;
        let end = begin + postings[begin..].partition_point(|(other, _)| *other == term);
        let row = &mut sections[Section::Terms as usize];
        row.extend_from_slice(&term.0.to_le_bytes());
        row.extend_from_slice(&(begin as u32).to_le_bytes());
        row.extend_from_slice(&((end - begin) as u32).to_le_bytes());
        let list = &mut sections[Section::Postings as usize];
        for (_, posting) in &postings[begin..end] {
            list.extend_from_slice(&posting.to_le_bytes());
        }
        begin = end;
    }
}

fn assemble(sections: &[Vec<u8>; SECTIONS], files: u32, root: u64) -> Vec<u8> {
    let body: usize = sections.iter().map(Vec::len).sum();
    let mut out = Vec::with_capacity(HEADER_BYTES + body);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&files.to_le_bytes());
    out.extend_from_slice(&root.to_le_bytes());
    out.extend_from_slice(&((HEADER_BYTES + body) as u64).to_le_bytes());
    debug_assert_eq!(out.len(), CHECK_AT);
    out.extend_from_slice(&[0; SECTIONS_AT - CHECK_AT]);
    let mut at = HEADER_BYTES as u64;
    for section in sections {
        out.extend_from_slice(&at.to_le_bytes());
        out.extend_from_slice(&(section.len() as u64).to_le_bytes());
        at += section.len() as u64;
    }
    debug_assert_eq!(out.len(), HEADER_BYTES);
    for section in sections {
        out.extend_from_slice(section);
    }
    let sum = check_sum_around(&out, CHECK_AT);
    out[CHECK_AT..CHECK_AT + 8].copy_from_slice(&sum.to_le_bytes());
    out
}
