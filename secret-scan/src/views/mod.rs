//! Views of a text in which a credential stands plain that the text itself hides.
//!
//! Each view is made of the few parts of a text where it could differ from it, and is searched as
//! a text of its own, with views of its own; so a credential that is hidden twice is found, and a
//! text without the bytes that hide anything costs one look at it.

pub(crate) mod base64;
mod encoded;
mod fold;
mod gaps;
mod join;
mod runs;
mod units;
mod view;
mod wide;

pub(crate) use fold::Characters;

use crate::engine::{Hit, MARGIN, Search, scan_text};
use crate::text::{Span, Text};
use runs::{ESCAPE, HIDING, MARK, Runs, SHORTEST_TOKEN};
use view::View;

/// How often each kind of view may still be taken. Every text that is made is shorter than, or at
/// most as long as, the one it is made from, so these bound the work.
#[derive(Clone, Copy)]
pub(crate) struct Layers {
    folds: u8,
    joins: u8,
    decodes: u8,
    wide: u8,
}

impl Layers {
    /// No further view.
    const NONE: Self = Self {
        folds: 0,
        joins: 0,
        decodes: 0,
        wide: 0,
    };

    /// An escaped escape, base64 in base64, lines in lines, and UTF-16 once, in any order.
    pub(crate) const ALL: Self = Self {
        folds: 2,
        joins: 2,
        decodes: 2,
        wide: 1,
    };
}

/// Searches `text` and its views for matches that start in `own`. Some others may be found too.
/// Returns false if `found` ended the search.
pub(crate) fn scan_all(
    search: Search<'_>,
    text: &Text<'_>,
    own: Span,
    layers: Layers,
    found: &mut dyn FnMut(Hit) -> bool,
) -> bool {
    let bytes = text.bytes();
    // A broken token starts before its line end.
    let near = own.start.saturating_sub(MARGIN)..bytes.len().min(own.end + MARGIN);
    scan_text(search, text, own.clone(), &mut *found)
        && scan_runs(search, bytes, &own, layers, found)
        && scan_joined(search, bytes, near, layers, found)
        && scan_wide(search, bytes, layers, found)
}

/// Views of single runs: escapes, marks inside a token, base64 and hexadecimal digits.
fn scan_runs(
    search: Search<'_>,
    bytes: &[u8],
    own: &Span,
    layers: Layers,
    found: &mut dyn FnMut(Hit) -> bool,
) -> bool {
    // The run that reaches into `own` belongs to it.
    let from = own.start - runs::trailing(&bytes[..own.start], HIDING);
    let mut label = None;
    for run in Runs::new(&bytes[from..], HIDING, SHORTEST_TOKEN) {
        let span = from + run.span.start..from + run.span.end;
        if span.start >= own.end {
            break;
        }
        let mut visit = |view: &View, layers: Layers| scan_view(search, view, layers, found);
        if run.kinds & ESCAPE != 0
            && layers.folds > 0
            && let Some(view) = fold::fold(bytes, span.clone())
        {
            let layers = Layers {
                folds: layers.folds - 1,
                ..layers
            };
            if !visit(&view, layers) {
                return false;
            }
            if hides_label(&view, &bytes[span.clone()]) {
                let before = label.replace(span.start);
                if before.is_some_and(|start| !scan_key(bytes, start..span.end, &mut visit)) {
                    return false;
                }
            }
        }
        if run.kinds & MARK != 0
            && layers.joins > 0
            && join::has_inner_mark(bytes, span.clone())
            && let Some(view) = join::join(bytes, span.clone())
        {
            let layers = Layers {
                joins: layers.joins - 1,
                ..layers
            };
            if !visit(&view, layers) {
                return false;
            }
        }
        let decoded = layers.decodes == 0
            || encoded::decode_run(bytes, &span, &mut |view| {
                let layers = Layers {
                    decodes: layers.decodes - 1,
                    ..layers
                };
                visit(view, layers)
            });
        if !decoded {
            return false;
        }
    }
    let mut visit = |view: &View, layers: Layers| scan_view(search, view, layers, found);
    label.is_none_or(|start| scan_key(bytes, start..bytes.len(), &mut visit))
}

/// Whether `view` of `run` shows the label of a private key that the run itself does not.
fn hides_label(view: &View, run: &[u8]) -> bool {
    let shows = |bytes: &[u8]| memchr::memmem::find(bytes, b"BEGIN").is_some();
    shows(view.bytes()) && !shows(run)
}

/// The view of what follows a hidden label of a private key: a label has spaces and a key has line
/// ends, so neither is a run by itself. `part` ends with the next such label, so that a text full
/// of them is decoded once.
fn scan_key(bytes: &[u8], part: Span, visit: &mut dyn FnMut(&View, Layers) -> bool) -> bool {
    const LONGEST_KEY: usize = 16 * 1024;
    let part = part.start..part.end.min(part.start + LONGEST_KEY);
    visit(&fold::fold_all(bytes, part), Layers::NONE)
}

/// Views of what lines, strings and tags break.
fn scan_joined(
    search: Search<'_>,
    bytes: &[u8],
    near: Span,
    layers: Layers,
    found: &mut dyn FnMut(Hit) -> bool,
) -> bool {
    if layers.joins == 0 {
        return true;
    }
    let layers = Layers {
        joins: layers.joins - 1,
        ..layers
    };
    join::broken_parts(bytes, near).into_iter().all(|part| {
        join::join(bytes, part).is_none_or(|view| scan_view(search, &view, layers, found))
    })
}

/// Views of UTF-16 text.
fn scan_wide(
    search: Search<'_>,
    bytes: &[u8],
    layers: Layers,
    found: &mut dyn FnMut(Hit) -> bool,
) -> bool {
    if layers.wide == 0 {
        return true;
    }
    let layers = Layers { wide: 0, ..layers };
    wide::forms(bytes).all(|form| {
        scan_view(search, &wide::view(bytes, form), layers, &mut |mut hit| {
            hit.wide = Some(form.order);
            found(hit)
        })
    })
}

/// Searches a view, and reports what it holds at the place it was made from.
fn scan_view(
    search: Search<'_>,
    view: &View,
    layers: Layers,
    found: &mut dyn FnMut(Hit) -> bool,
) -> bool {
    let whole = 0..view.bytes().len();
    scan_all(search, &view.text(), whole, layers, &mut |mut hit| {
        hit.span = view.source(&hit.span);
        found(hit)
    })
}
