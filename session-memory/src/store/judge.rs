//! What a Markdown file and a side-car amount to: a pure decision over two pieces of bytes.
//!
//! A commit writes the side-car first, with the new text in it: that rename is the commit. Then the
//! Markdown, then the side-car once more, without what was pending. So whoever finds the two apart can
//! tell why: the Markdown still has the previous digest (killed in between), or it has a third one
//! (somebody edited it), or it is no session file at all (damage).

use memdir::ContentHash;

use super::cursor::Cursor;
use super::sidecar::{Author, SideCar, Unreadable};
use crate::ledger::LedgerText;
use crate::notes::{Notes, NotesLimits, Repair, Structure, Violation, ViolationKind};

/// How the two files were found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// There is neither file.
    Absent,
    /// Both files say the same.
    Whole,
    /// A process ended between the two files of a commit; the commit counts.
    Unfinished,
    /// A person edited the Markdown; their text counts.
    Edited,
    /// A person edited the Markdown in a way that breaks its structure. Readers keep the committed text
    /// until the next update has mended what is certain.
    EditedRoughly(Vec<Violation>),
    /// A person edited the Markdown, and a process ended while it was about to replace it. The person's
    /// text counts, with the cursor from before; the other one is kept aside.
    EditedBeforeReplacement,
    /// There is no usable side-car. The Markdown counts, without a cursor.
    WithoutSideCar,
    /// The Markdown is gone: somebody deleted it. Nothing counts.
    Deleted,
    /// The Markdown is no session file. The committed text counts where there is one.
    Damaged(Vec<Violation>),
    /// A later version of this crate wrote the side-car. Nothing is read and nothing is written.
    TooNew,
}

/// A session file as readers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// The notes, with an intact structure.
    pub notes: Notes,
    /// Up to where they cover the conversation. `None`: not known.
    pub cursor: Option<Cursor>,
    /// Who wrote them.
    pub author: Author,
    /// What the action ledger wrote into them.
    pub ledger: LedgerText,
    /// Grows with each commit.
    pub revision: u64,
}

/// What was found, and what a writer does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) condition: Condition,
    /// What readers see.
    pub(crate) committed: Option<Committed>,
    /// What a writer starts from; differs from `committed` where an edit has to be mended first.
    pub(crate) base: Option<Committed>,
    pub(crate) remedy: Remedy,
}

/// What a writer does before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing.
    None,
    /// Write the side-car without what was pending.
    Finish,
    /// Write the Markdown from the side-car, then finish.
    RollForward,
    /// The Markdown holds what nobody else has: keep it aside, then write it from the side-car.
    SetAside,
    /// Write a side-car for the Markdown as it is.
    Adopt,
    /// Keep the side-car's text aside, then adopt the Markdown.
    SetAsideTextAndAdopt,
    /// Write the pair anew from the mended notes.
    Rewrite,
    /// The Markdown is no session file and there is no other text: keep it aside.
    SetAsideOnly,
}

/// The Markdown as it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Markdown<'a> {
    Missing,
    Bytes(&'a [u8]),
    /// Larger than a session file may be; not read.
    TooLarge,
}

/// Decides what the two files amount to.
pub(crate) fn judge(
    side_car: Option<Result<SideCar, Unreadable>>,
    markdown: Markdown<'_>,
    structure: &Structure,
    limits: &NotesLimits,
) -> Judgement {
    let side_car = match side_car {
        Some(Err(Unreadable::TooNew)) => return Judgement::nothing(Condition::TooNew),
        Some(Ok(side_car)) => Some(side_car),
        // What is unreadable is as good as none: its text cannot be trusted.
        Some(Err(Unreadable::Damaged)) | None => None,
    };
    let known = side_car.and_then(|side_car| {
        let notes = committed_notes(&side_car.text, structure, limits)?;
        Some((side_car, notes))
    });
    match known {
        Some((side_car, notes)) => with_side_car(&side_car, notes, markdown, structure, limits),
        None => without_side_car(markdown, structure, limits),
    }
}

impl Judgement {
    fn nothing(condition: Condition) -> Self {
        Judgement {
            condition,
            committed: None,
            base: None,
            remedy: Remedy::None,
        }
    }

    fn same(condition: Condition, committed: Committed, remedy: Remedy) -> Self {
        Judgement {
            condition,
            committed: Some(committed.clone()),
            base: Some(committed),
            remedy,
        }
    }
}

fn with_side_car(
    side_car: &SideCar,
    notes: Notes,
    markdown: Markdown<'_>,
    structure: &Structure,
    limits: &NotesLimits,
) -> Judgement {
    let committed = Committed {
        notes,
        cursor: side_car.cursor.clone(),
        author: side_car.author,
        ledger: side_car.ledger.clone(),
        revision: side_car.revision,
    };
    let bytes = match markdown {
        Markdown::Missing if side_car.pending.is_some() => {
            return Judgement::same(Condition::Unfinished, committed, Remedy::RollForward);
        }
        Markdown::Missing => return Judgement::nothing(Condition::Deleted),
        Markdown::TooLarge => {
            let damage = Condition::Damaged(vec![whole(ViolationKind::TooLarge)]);
            return Judgement::same(damage, committed, Remedy::SetAside);
        }
        Markdown::Bytes(bytes) => bytes,
    };
    let digest = ContentHash::of(bytes);
    if digest == side_car.digest() {
        return match side_car.pending {
            None => Judgement::same(Condition::Whole, committed, Remedy::None),
            Some(_) => Judgement::same(Condition::Unfinished, committed, Remedy::Finish),
        };
    }
    if let Some(pending) = &side_car.pending
        && pending.previous == Some(digest)
    {
        return Judgement::same(Condition::Unfinished, committed, Remedy::RollForward);
    }
    let by_hand = |notes| Committed {
        notes,
        // An edit of the text before an unfinished commit covers what that text covered.
        cursor: match &side_car.pending {
            None => side_car.cursor.clone(),
            Some(pending) => pending.cursor.clone(),
        },
        author: Author::Person,
        ..committed.clone()
    };
    match edit(bytes, &side_car.text, structure, limits) {
        Edit::Intact(notes) => {
            let (condition, remedy) = match side_car.pending {
                None => (Condition::Edited, Remedy::Adopt),
                Some(_) => (
                    Condition::EditedBeforeReplacement,
                    Remedy::SetAsideTextAndAdopt,
                ),
            };
            Judgement::same(condition, by_hand(notes), remedy)
        }
        // A second opinion on a rough edit costs nothing: the commit is in the side-car.
        Edit::Rough(_) if side_car.pending.is_some() => {
            Judgement::same(Condition::Unfinished, committed, Remedy::SetAside)
        }
        Edit::Rough(repair) => Judgement {
            base: Some(by_hand(mended(&repair, &committed.notes))),
            condition: Condition::EditedRoughly(repair.mended),
            committed: Some(committed),
            remedy: Remedy::Rewrite,
        },
        Edit::Cut => {
            let damage = Condition::Damaged(vec![whole(ViolationKind::MissingHeading)]);
            Judgement::same(damage, committed, Remedy::RollForward)
        }
        Edit::Foreign(violations) => {
            Judgement::same(Condition::Damaged(violations), committed, Remedy::SetAside)
        }
    }
}

fn without_side_car(
    markdown: Markdown<'_>,
    structure: &Structure,
    limits: &NotesLimits,
) -> Judgement {
    let bytes = match markdown {
        Markdown::Missing => return Judgement::nothing(Condition::Absent),
        Markdown::TooLarge => {
            let mut nothing =
                Judgement::nothing(Condition::Damaged(vec![whole(ViolationKind::TooLarge)]));
            nothing.remedy = Remedy::SetAsideOnly;
            return nothing;
        }
        Markdown::Bytes(bytes) => bytes,
    };
    let found = |notes| Committed {
        notes,
        cursor: None,
        author: Author::Person,
        ledger: LedgerText::default(),
        revision: 0,
    };
    match edit(bytes, "", structure, limits) {
        Edit::Intact(notes) => {
            Judgement::same(Condition::WithoutSideCar, found(notes), Remedy::Adopt)
        }
        Edit::Rough(repair) => Judgement {
            condition: Condition::EditedRoughly(repair.mended),
            committed: None,
            base: Some(found(repair.notes)),
            remedy: Remedy::Rewrite,
        },
        Edit::Cut => Judgement::nothing(Condition::Damaged(vec![whole(
            ViolationKind::MissingHeading,
        )])),
        Edit::Foreign(violations) => {
            let mut nothing = Judgement::nothing(Condition::Damaged(violations));
            nothing.remedy = Remedy::SetAsideOnly;
            nothing
        }
    }
}

/// What a Markdown is that differs from the committed text.
enum Edit {
    /// A session file.
    Intact(Notes),
    /// One that can be mended with certainty.
    Rough(Repair),
    /// The beginning of the committed text, or nothing: a write that was cut off.
    Cut,
    /// Something else.
    Foreign(Vec<Violation>),
}

fn edit(bytes: &[u8], committed: &str, structure: &Structure, limits: &NotesLimits) -> Edit {
    // A file system that lost its last writes leaves files that end early or end in zeros.
    let written = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    let is_beginning = committed.as_bytes().starts_with(&bytes[..written]);
    if written == 0 || (is_beginning && bytes.len() > written) {
        return Edit::Cut;
    }
    if bytes.contains(&0) {
        return Edit::Foreign(vec![whole(ViolationKind::NotUtf8)]);
    }
    match Notes::repair(bytes, structure, limits) {
        // Whole lines taken off the end of the last section are an edit like any other.
        Ok(repair) if repair.mended.is_empty() && (!is_beginning || bytes.ends_with(b"\n")) => {
            Edit::Intact(repair.notes)
        }
        _ if is_beginning => Edit::Cut,
        Ok(repair) => Edit::Rough(repair),
        Err(violations) => Edit::Foreign(violations),
    }
}

/// Mends an edit with what was committed before it. A section that the edit lost keeps its contents: it
/// may be a file that somebody was in the middle of writing.
fn mended(repair: &Repair, committed: &Notes) -> Notes {
    let missing: Vec<&str> = repair
        .mended
        .iter()
        .filter(|violation| violation.kind == ViolationKind::MissingHeading)
        .map(|violation| violation.heading.as_str())
        .collect();
    if missing.is_empty() {
        return repair.notes.clone();
    }
    let mut notes = repair.notes.clone();
    for section in committed.sections() {
        let now = repair.notes.body(section.heading).unwrap_or_default();
        let is_lost = now.is_empty() && missing.contains(&section.heading);
        let is_cut = !now.is_empty() && section.body.starts_with(now);
        if is_lost || is_cut {
            notes = notes.with_body(section.heading, section.body);
        }
    }
    notes
}

/// Reads a text that was intact when it was committed. When the user has changed the template since, its
/// own headings are its structure, and its contents move into the sections of the new one.
fn committed_notes(text: &str, structure: &Structure, limits: &NotesLimits) -> Option<Notes> {
    if let Ok(notes) = Notes::parse(text.as_bytes(), structure, limits) {
        return Some(notes);
    }
    let own = Structure::from_template(text).ok()?;
    let notes = Notes::parse(text.as_bytes(), &own, limits).ok()?;
    Some(notes.moved_into(structure))
}

fn whole(kind: ViolationKind) -> Violation {
    Violation {
        kind,
        heading: String::new(),
    }
}
