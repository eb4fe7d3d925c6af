//! What a plan asks for here: writing, merging, removing, each checked again just before.

use super::folder::{self, Walked};
use super::pull::Pulled;
use super::push::Outgoing;
use super::report::{Done, Note};
use super::run::Run;
use super::state::{keep_text, kept_text};
use crate::checksum::Checksum;
use crate::error::Error;
use crate::key::TeamKey;
use crate::merge::merge;
use crate::plan::{Action, HoldReason, Step};

impl Run<'_> {
    /// Does what can be done here, and collects what has to be sent.
    pub(super) fn step(
        &mut self,
        step: Step,
        walked: &Walked,
        pulled: &Pulled,
        outgoing: &mut Outgoing,
    ) -> Result<(), Error> {
        let key = step.key;
        match step.action {
            Action::Adopt(checksum) => {
                let text = &walked.texts[&key];
                keep_text(&self.client.state_root, text)?;
                self.state.agreed(&key, checksum);
            }
            Action::Upload { base, replaces, .. } => {
                let text = walked.texts[&key].clone();
                if let Some(old) = replaces
                    && let Some(checksum) = self.state.remote.get(&old)
                {
                    outgoing.renames.insert(key.clone(), (old, *checksum));
                }
                outgoing.texts.insert(key, (text, base));
            }
            // Without another spelling that goes, `take_files` has done it.
            Action::Download {
                remote,
                over: Some(over),
                replaces: Some(old),
            } => self.download(&key, remote, over, &old, walked, pulled)?,
            Action::Download { .. } => {}
            Action::Merge {
                base,
                local,
                remote,
            } => {
                self.merge(&key, base, &local, &remote, walked, pulled, outgoing)?;
            }
            Action::RenameLocal { from, checksum } => {
                let text = walked.texts[&from].clone();
                if folder::rename(&self.client.folder, walked.at(&from), &key, checksum)? {
                    keep_text(&self.client.state_root, &text)?;
                    self.state.agreed(&key, checksum);
                    self.report.done.push((key, Done::Renamed));
                } else {
                    self.report.note(key.as_str(), Note::ChangedMeanwhile);
                }
            }
            Action::RemoveLocal { over } => {
                // The text stays below the state, so that a person can have it back.
                keep_text(&self.client.state_root, &walked.texts[&key])?;
                if folder::remove(&self.client.folder, walked.at(&key), over)? {
                    self.state.forget(&key);
                    self.report.done.push((key, Done::RemovedHere));
                } else {
                    self.report.note(key.as_str(), Note::ChangedMeanwhile);
                }
            }
            Action::DeleteRemote { base } => drop(outgoing.deletes.insert(key, base)),
            Action::Forget => self.state.forget(&key),
            // Why it was refused says more than that it was.
            Action::Hold(HoldReason::RemoteBlocked)
                if self.state.refused.contains_key(key.as_str()) => {}
            Action::Hold(reason) => self.report.note(key.as_str(), Note::Held(reason)),
        }
        Ok(())
    }

    /// A text that was refused is told of already; one that did not come is fetched by a later run.
    pub(super) fn without_text(&mut self, key: &TeamKey) {
        self.report.pending |= !self.state.refused.contains_key(key.as_str());
    }

    /// Takes a file whose name is spelt in another way there.
    fn download(
        &mut self,
        key: &TeamKey,
        remote: Checksum,
        over: Checksum,
        old: &TeamKey,
        walked: &Walked,
        pulled: &Pulled,
    ) -> Result<(), Error> {
        let text = pulled.texts.get(key);
        let Some(text) = text.filter(|text| Checksum::of(text) == remote) else {
            self.without_text(key);
            return Ok(());
        };
        keep_text(&self.client.state_root, text)?;
        let folder = &self.client.folder;
        // On a file system that folds case both spellings are one file; on none is it ever without a name.
        let written = folder::rename(folder, walked.at(old), key, over)?
            && folder::replace(folder, key.path(), Some(over), text)?;
        if written {
            self.state.agreed(key, remote);
            self.report.done.push((key.clone(), Done::Pulled));
        } else {
            self.report.note(key.as_str(), Note::ChangedMeanwhile);
        }
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one step, taken apart once"
    )]
    fn merge(
        &mut self,
        key: &TeamKey,
        base: Option<Checksum>,
        local: &(TeamKey, Checksum),
        remote: &(TeamKey, Checksum),
        walked: &Walked,
        pulled: &Pulled,
        outgoing: &mut Outgoing,
    ) -> Result<(), Error> {
        let Some(there) = pulled
            .texts
            .get(&remote.0)
            .filter(|text| Checksum::of(text) == remote.1)
        else {
            self.without_text(&remote.0);
            return Ok(());
        };
        let base = base
            .map(|base| kept_text(&self.client.state_root, &base))
            .transpose()?
            .flatten();
        let merged = merge(
            base.as_deref(),
            &walked.texts[&local.0],
            there,
            key.is_index(),
        );
        let root = &self.client.folder;
        if let Some(other) = &merged.conflict {
            let copy = key.conflict_copy(&self.client.options.client, other)?;
            // Under another spelling it was met before the file was renamed; two would be twins.
            let name = copy.folded();
            let twin = |known: &TeamKey| *known != copy && known.folded() == name;
            let mut known = walked.local.files.keys().chain(self.state.remote.keys());
            if !known.any(twin) {
                // A copy that is there already was met before, or a person has edited it.
                if folder::now(root, walked.at(&copy))?.is_none() {
                    folder::replace(root, walked.at(&copy), None, other)?;
                }
                let may_go = !self.not_taken.contains(&copy);
                if may_go && !self.state.remote.contains_key(&copy) {
                    outgoing.texts.insert(copy, (other.clone(), None));
                }
            }
        }
        let written = if local.0 == *key {
            Checksum::of(&merged.text) == local.1
                || folder::replace(root, walked.at(key), Some(local.1), &merged.text)?
        } else {
            folder::rename(root, walked.at(&local.0), key, local.1)?
                && (Checksum::of(&merged.text) == local.1
                    || folder::replace(root, key.path(), Some(local.1), &merged.text)?)
        };
        if !written {
            self.report.note(key.as_str(), Note::ChangedMeanwhile);
            return Ok(());
        }
        let done = if merged.conflict.is_some() {
            Done::Conflict
        } else {
            Done::Merged
        };
        self.report.done.push((key.clone(), done));
        let renamed = remote.0 != *key;
        if renamed {
            outgoing.renames.insert(key.clone(), remote.clone());
        } else {
            // What came from the server stands in the file now. Were the old base kept, a merge that is not
            // taken, or not sent, would be merged with what follows as if it were all from here, and twice.
            keep_text(&self.client.state_root, there)?;
            self.state.agreed(key, remote.1);
            if Checksum::of(&merged.text) == remote.1 {
                return Ok(());
            }
        }
        let base = (!renamed).then_some(remote.1);
        outgoing.texts.insert(key.clone(), (merged.text, base));
        Ok(())
    }
}
