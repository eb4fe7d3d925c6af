//! A session without models: the rules do everything. The twin of `modelled`.

use std::sync::Arc;
use std::time::Duration;

use memdir_extract::{Backend, OfflineBackend};
use recall::{Query, Recall, Recollection};

use super::Session;
use super::builder::SessionBuilder;
use super::compaction::Compaction;
use super::conversation::Conversation;
use super::keeping::{AfterReply, State};
use crate::place::Place;

/// Nobody.
pub(super) struct Helpers;

impl Helpers {
    pub(super) fn start(_: &SessionBuilder) -> Self {
        Self
    }

    pub(super) fn backend(&self, _: &Place) -> Arc<dyn Backend> {
        self.nobody().unwrap_or_else(|| Arc::new(OfflineBackend))
    }

    #[expect(clippy::unused_self, reason = "the twin has models")]
    fn nobody<T>(&self) -> Option<T> {
        None
    }
}

impl Session {
    pub(super) fn chosen_by_model(&self, _: &Recall, _: &Query) -> Option<Recollection> {
        self.helpers.nobody()
    }

    pub(super) fn updated_by_model(
        &self,
        _: &mut State,
        _: &Conversation<'_>,
        _: u64,
    ) -> Option<AfterReply> {
        self.helpers.nobody()
    }

    pub(super) fn compacted_by_model(&self, _: &Conversation<'_>) -> Option<Compaction> {
        self.helpers.nobody()
    }

    pub(super) fn collect_models(&self) {
        let _: Option<()> = self.helpers.nobody();
    }

    pub(super) fn settle_models(&self, _: Duration) -> bool {
        self.helpers.nobody().unwrap_or(true)
    }
}
