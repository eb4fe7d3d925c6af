//! Sending the rows of a run, one after the other, the tag chained from answer to answer.

use super::outbox::Row;
use super::push::{Meaning, Names, Outgoing};
use super::report::{Done, Note};
use super::run::{Run, unavailable};
use super::state::{Suppressed, keep_text};
use crate::checksum::Checksum;
use crate::error::{Error, ErrorKind};
use crate::key::TeamKey;
use crate::tag::Tag;

/// Fewest bytes a server's limit may leave for a body; below, nothing could be sent at all.
const LEAST_BODY: usize = 2_000;

impl Run<'_> {
    /// Sends everything; `true` when the server has to be looked at again.
    pub(super) async fn push(&mut self, outgoing: Outgoing) -> Result<bool, Error> {
        if let Some(suppressed) = &self.state.suppressed {
            for key in outgoing.texts.keys().chain(outgoing.deletes.keys()) {
                self.report
                    .note(key.as_str(), Note::NotTaken(suppressed.detail.clone()));
            }
            self.report.pending = true;
            return Ok(false);
        }
        let rows = {
            let op_id = || self.client.op_id();
            let names = Names {
                author: self.client.options.author.as_deref(),
                client: &self.client.options.client,
                op_id: &op_id,
            };
            outgoing.rows(&self.state, 1, &names)
        };
        for mut row in rows {
            row.if_match = self.state.tag.as_ref().map(Tag::to_string);
            // In the body as well: a proxy may remove the header, or the tag that would stand in it.
            row.put.expected_version = row
                .if_match
                .clone()
                .or_else(|| self.state.version.clone())
                .filter(|_| self.state.has("expected_version"));
            if row.if_match.is_none()
                && row.put.expected_version.is_none()
                && self.state.version.is_some()
            {
                self.report.pending = true;
                return Err(unavailable(
                    "its answers arrive without ETag, without which a change could overwrite another; a proxy in between has to let it through",
                ));
            }
            row.keep(&self.client.state_root)?;
            let mut meaning = self.put(&row).await?;
            if matches!(meaning, Meaning::Final(428, _)) && row.put.expected_version.is_none() {
                // A proxy has removed the condition: once more with the same one in the body.
                let version = self.state.version.clone().unwrap_or_else(|| "0".into());
                row.put.expected_version = row.if_match.clone().or(Some(version));
                row.keep(&self.client.state_root)?;
                meaning = self.put(&row).await?;
            }
            if let Meaning::Later(why) = &meaning {
                // Whether it was carried out is not known: the row stays.
                self.report.pending = true;
                return Err(unavailable(why));
            }
            row.drop_from(&self.client.state_root)?;
            match meaning {
                Meaning::Done { version, tag } => self.agree(&row, version, tag)?,
                Meaning::Stale => {
                    // The tag is not believed any longer: a proxy may have made one up.
                    self.state.whole = true;
                    return Ok(true);
                }
                Meaning::NewName => return Ok(true),
                Meaning::SmallerBodies(bytes) => {
                    let now = self.state.body_bytes.unwrap_or(usize::MAX);
                    let next = bytes
                        .min(now.saturating_sub(1))
                        .min(row_bytes(&row).saturating_sub(1));
                    if next < LEAST_BODY || row.put.entries.len() <= 1 {
                        self.leave_out(&row, "the server takes no body of this size");
                    } else {
                        self.state.body_bytes = Some(next);
                    }
                    return Ok(true);
                }
                Meaning::Without(keys, why) => {
                    let named = row
                        .put
                        .entries
                        .keys()
                        .chain(&row.put.deletes)
                        .any(|key| keys.contains(key));
                    if !named {
                        self.leave_out(&row, &why);
                    }
                    for raw in keys {
                        self.not_taken(&raw, &why);
                    }
                    return Ok(true);
                }
                Meaning::TooMany(most, why) => {
                    self.leave_newest_out(&row, most, &why);
                    return Ok(true);
                }
                Meaning::Final(status, detail) => {
                    self.state.suppressed = Some(Suppressed {
                        status,
                        detail: detail.clone(),
                        identity: self.client.transport.identity(),
                        files: std::mem::take(&mut self.files),
                    });
                    return Err(Error::new(ErrorKind::Refused, detail));
                }
                Meaning::Later(_) => {}
            }
        }
        Ok(false)
    }

    fn leave_out(&mut self, row: &Row, why: &str) {
        let keys: Vec<String> = row
            .put
            .entries
            .keys()
            .chain(&row.put.deletes)
            .cloned()
            .collect();
        for raw in keys {
            self.not_taken(&raw, why);
        }
    }

    /// Keys the server has already are kept first: they are what others rely on.
    fn leave_newest_out(&mut self, row: &Row, most: Option<u64>, why: &str) {
        let known = |raw: &String| self.state.remote.contains_key(raw.as_str());
        let new: Vec<String> = row
            .put
            .entries
            .keys()
            .filter(|raw| !known(raw))
            .cloned()
            .collect();
        let room = most
            .unwrap_or(0)
            .saturating_sub(self.state.remote.len() as u64);
        let room = usize::try_from(room)
            .unwrap_or(usize::MAX)
            .min(new.len().saturating_sub(1));
        for raw in new.iter().skip(room) {
            self.not_taken(raw, why);
        }
        if new.is_empty() {
            self.leave_out(row, why);
        }
    }

    fn not_taken(&mut self, raw: &str, why: &str) {
        self.report.note(raw, Note::NotTaken(why.to_owned()));
        self.not_taken.extend(TeamKey::parse(raw));
    }

    /// What was sent is agreed now.
    pub(super) fn agree(
        &mut self,
        row: &Row,
        version: Option<u64>,
        tag: Option<Tag>,
    ) -> Result<(), Error> {
        for (raw, text) in &row.put.entries {
            if let Ok(key) = TeamKey::parse(raw) {
                keep_text(&self.client.state_root, text)?;
                let checksum = Checksum::of(text);
                self.state.agreed(&key, checksum);
                self.state.tombstones.remove(&key);
                self.state.remote.insert(key.clone(), checksum);
                let merged = self.report.done.iter().any(|(done, _)| *done == key);
                if !merged {
                    self.report.done.push((key, Done::Pushed));
                }
            }
        }
        for raw in &row.put.deletes {
            if let Ok(key) = TeamKey::parse(raw) {
                if let Some(checksum) = self.state.remote.remove(&key) {
                    self.state.tombstones.insert(key.clone(), checksum);
                }
                if !row.renames.values().any(|old| old == raw) {
                    self.state.forget(&key);
                    self.report.done.push((key, Done::DeletedThere));
                }
            }
        }
        // Others may have written in between, where bases let both through: then the version has jumped, and
        // the next look goes on from the old one.
        let before = row.if_match.as_deref().and_then(Tag::parse);
        let before = before.and_then(|tag| tag.version()).unwrap_or(0);
        let in_step = version == before.checked_add(1) || version == Some(before);
        // A tag that does not name a version is that of a server which takes no stale one.
        let opaque = tag.as_ref().is_some_and(|tag| tag.version().is_none());
        match (tag, version) {
            (Some(tag), Some(version)) if in_step || opaque => {
                self.state.tag = Some(tag);
                self.state.version = Some(version.to_string());
                self.state.highest = version;
            }
            (None, _) => self.state.whole = true,
            _ => {}
        }
        self.state
            .save(&self.client.state_root, &self.client.options.repository)
    }
}

fn row_bytes(row: &Row) -> usize {
    serde_json::to_vec(&row.put).map_or(0, |bytes| bytes.len())
}
