//! What a refusal says to a person: its cause, and what can be done.

use super::push::clean;
use super::transport::Answer;
use crate::wire::{Problem, read};

/// The server's own words, which name cause and remedy; for an answer without them, what the status means.
pub(super) fn said(answer: &Answer) -> String {
    let problem: Option<Problem> = read(&answer.body).ok();
    if let Some(problem) = &problem
        && !problem.detail.is_empty()
    {
        return clean(&problem.detail);
    }
    let status = answer.status;
    let page = problem.is_none() && !answer.body.is_empty();
    let what = if page {
        format!("the server answered {status} with a page that is not the team server's")
    } else {
        format!("the server answered {status}")
    };
    format!("{what}: {}", remedy(status, page))
}

fn remedy(status: u16, page: bool) -> &'static str {
    match status {
        300..=399 => {
            "it wants to send us elsewhere, which is not followed because the token would travel along; set its final address"
        }
        401 => "it does not accept the token; log in again, or replace the token",
        403 => "the token may not do this; ask who runs the server for access to this repository",
        404 | 405 | 501 => "is this the address of a team server?",
        428 => {
            "the condition of the change did not arrive; a proxy in between removes If-Match and has to let it through"
        }
        _ if page => "is there a proxy or a login page in between?",
        500..=599 => "it has a problem of its own; a later sync tries again",
        _ => "is the server older or newer than this program?",
    }
}
