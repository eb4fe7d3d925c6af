//! Writes of the side agent, through the store: journaled, with a true index, or into the inbox.

use std::sync::Arc;

use forked_agent::{Change, Sink};

use super::gate::{judge, key_of};
use crate::backend::Work;

#[derive(Debug)]
pub(super) struct StoreSink {
    work: Arc<Work>,
}

impl StoreSink {
    pub(super) fn new(work: Arc<Work>) -> Self {
        Self { work }
    }
}

impl Sink for StoreSink {
    fn write(&self, change: &Change<'_>) -> Result<(), String> {
        if change.place.root().path() != self.work.store.dir() {
            return Err("only the memory folder may be written".to_owned());
        }
        let key = key_of(change.place).ok_or("this is a folder")?;
        // Judged again: the sink is the last that sees the text, and judging costs little.
        let approved = judge(&self.work, change).map_err(|refused| refused.reason)?;
        self.work
            .save_file(&key, change.before, change.after, &approved)
    }
}
