//! The choice of memories by a model.

use std::sync::Arc;
use std::time::Duration;

use agent_model::{AnswerSchema, Limits, Message, Model, Purpose, Request};
use recall::{ChoiceRequest, PREFILTER_LIMIT, Query, Recall, Recollection};

use super::Models;
use super::watched::Watched;
use crate::error::{Error, ErrorKind};

impl Models {
    /// Lets the model for [`Purpose::Recall`] choose from the memories that meet a query, out of the index as
    /// the last [`Recall::refresh`] left it. `None` where there is no such model, or nothing to choose from.
    ///
    /// It is shown the best fifty, and chooses at most five, within [`Models::recall_time`]. Where nothing meets
    /// the query nobody is asked. Blocks, and brings a runtime: not to be called from within one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] with the reason when the model was of no help; [`Recall::rank`] serves then.
    pub fn choose(&self, folder: &Recall, query: &Query) -> Option<Result<Recollection, Error>> {
        let model = self.get(&Purpose::Recall)?;
        let failed = |reason: String| Error::new(ErrorKind::Model, reason);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let chosen = match runtime {
            Ok(runtime) => runtime.block_on(choose(model, self.recall_time, folder, query)),
            Err(error) => Err(format!("no runtime could be started: {error}")),
        };
        chosen.map_err(failed).transpose()
    }
}

/// Asks a model; gives what it chose, or why it did not. Where there is nothing to choose from nobody is asked.
pub(crate) async fn choose(
    model: &Arc<dyn Model>,
    time: Duration,
    folder: &Recall,
    query: &Query,
) -> Result<Option<Recollection>, String> {
    let limit = query.limit;
    let mut query = query.clone().prefilter(PREFILTER_LIMIT);
    query.limit = PREFILTER_LIMIT;
    let menu = folder.rank(&query);
    if menu.memories.is_empty() {
        return Ok(None);
    }
    let choice = ChoiceRequest::new(&menu.memories, &query);
    let schema = serde_json::from_str(choice.schema)
        .expect("JSON because the schema is a constant of the crate that reads the answer");
    let limits = Limits::default()
        .with_max_output_tokens(choice.max_output_tokens)
        .with_timeout(time);
    let request = Request::new(vec![Message::user(choice.user.clone())])
        .with_system(choice.system.clone())
        .with_answer(AnswerSchema::new("choice", schema))
        .with_limits(limits);
    let watched = Watched::new(Arc::clone(model));
    // A model of a host's own may not know the limit of a request.
    let answered = tokio::time::timeout(time, watched.ask(&request)).await;
    let reply = match (answered, watched.trouble()) {
        (Err(_), _) => return Err("no answer in time".to_owned()),
        (_, Some(reason)) => return Err(reason),
        (Ok(Err(error)), None) => return Err(error.to_string()),
        (Ok(Ok(reply)), None) => reply,
    };
    let chosen = choice
        .parse(&reply.text())
        .map_err(|_| "the answer names no memories".to_owned())?;
    let mut answer = menu.chosen(&chosen);
    answer.memories.truncate(limit);
    Ok(Some(answer))
}
