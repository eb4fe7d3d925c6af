//! A connection that fails the way networks do, from a seed.

use std::sync::Mutex;
use std::time::Duration;

use team_sync::client::{Answer, Ask, BoxFuture, Transport, TransportError};

use test_support::Random;

use crate::server::Shared;

pub(crate) struct Faulty {
    pub(crate) server: Shared,
    pub(crate) random: Mutex<Random>,
    /// How many of a hundred requests meet a fault.
    pub(crate) percent: usize,
}

impl Transport for Faulty {
    fn send(&self, ask: Ask) -> BoxFuture<'_, Result<Answer, TransportError>> {
        let (fault, kind, delay) = {
            let mut random = self.random.lock().expect("no panic");
            (
                random.chance(self.percent),
                random.below(9),
                random.below(3_000),
            )
        };
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(delay as u64)).await;
            let torn = || Err(TransportError::new("torn"));
            let reach = |ask: &Ask| self.server.lock().expect("no panic").answer(ask);
            if !fault {
                return Ok(reach(&ask));
            }
            match kind {
                // The request did not arrive.
                0 => torn(),
                // The answer did not arrive.
                1 | 2 => {
                    reach(&ask);
                    torn()
                }
                // It arrived twice.
                3 => {
                    reach(&ask);
                    Ok(reach(&ask))
                }
                4 => Ok(Answer::new(503, b"<html>busy</html>".to_vec())
                    .with_retry_after(Some(Duration::from_secs(2)))),
                5 => Ok(Answer::new(502, Vec::new())),
                // A proxy's page with a good status.
                6 => {
                    reach(&ask);
                    Ok(Answer::new(200, b"<html>welcome</html>".to_vec()))
                }
                // Half of the answer.
                7 => {
                    let mut answer = reach(&ask);
                    answer.body.truncate(answer.body.len() / 2);
                    Ok(answer)
                }
                // A proxy that eats the precondition or the tag.
                _ => {
                    let answer = reach(&ask);
                    Ok(answer.with_tag(None))
                }
            }
        })
    }
}
