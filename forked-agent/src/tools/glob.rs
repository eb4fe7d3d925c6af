//! Lists files whose paths match a pattern.

use globset::{GlobBuilder, GlobMatcher};

use super::Toolbox;
use super::arguments::Arguments;
use super::run::RunState;
use super::walk::walk;
use crate::text::{Bounded, shown};
use crate::workspace::Place;

/// The longest pattern that is compiled, in bytes.
const MAX_PATTERN_BYTES: usize = 1_000;

/// Which files to list.
#[derive(Debug)]
pub(crate) struct Glob {
    pattern: GlobMatcher,
}

impl Glob {
    pub(super) fn new(arguments: &Arguments<'_>) -> Result<Self, String> {
        let pattern = compile(arguments.text("pattern")?)?;
        Ok(Self { pattern })
    }

    pub(crate) fn carry_out(
        &self,
        place: &Place,
        toolbox: &Toolbox,
        run: &RunState,
    ) -> Result<String, String> {
        let walked = walk(place, toolbox.limits.files, run)?;
        let mut found: Vec<_> = walked
            .files
            .iter()
            .filter(|file| self.pattern.is_match(below(place, file.key.as_str())))
            .collect();
        if found.is_empty() && !walked.cut {
            return Ok("[no file matches]".to_owned());
        }
        found.sort_by_key(|file| std::cmp::Reverse(file.modified_ns));
        let most = toolbox.limits.names;
        let mut out = Bounded::new(toolbox.limits.result_bytes);
        for file in found.iter().take(most) {
            let path = place.sibling(file.key.clone()).path();
            if !out.line(&path.to_string_lossy()) {
                break;
            }
        }
        let missing = if found.len() > most {
            Some(format!("{} more files match", found.len() - most))
        } else {
            walked
                .cut
                .then(|| "not all folders could be looked at".to_owned())
        };
        Ok(out.finish(missing.as_deref()))
    }
}

/// Compiles a pattern in which `*` stays within a folder.
pub(super) fn compile(pattern: &str) -> Result<GlobMatcher, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!(
            "the pattern has more than {MAX_PATTERN_BYTES} bytes"
        ));
    }
    GlobBuilder::new(pattern.strip_prefix("./").unwrap_or(pattern))
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|_| format!("{} is no valid pattern", shown(pattern)))
}

/// Returns the way from a place to a file below it; of a place that is a file, its name.
pub(super) fn below<'k>(place: &Place, key: &'k str) -> &'k str {
    let above = place.key().map_or("", pathguard::PathKeyRef::as_str);
    let rest = key.strip_prefix(above).unwrap_or(key);
    match rest.strip_prefix('/').unwrap_or(rest) {
        "" => key.rsplit('/').next().unwrap_or(key),
        rest => rest,
    }
}
