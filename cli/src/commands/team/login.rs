//! `memstrata team login`: a token for the team server, stored for its owner only.

use std::io::{self, IsTerminal, Read};

use memstrata::team_sync::client::Token;
use memstrata::team_sync::client::token::{DeviceLogin, DevicePrompt, StoredTokens};

use super::runtime;
use crate::cli::team::Login;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Speech, clean};

/// The longest token that is read from standard input.
const MOST_BYTES: u64 = 16 * 1024;

/// Gets a token, and stores it for the server that is configured.
pub(super) fn run(arguments: &Login, context: &Context, speech: Speech) -> Result<Exit, Failure> {
    let team = &context.decisions.team;
    let Some(url) = &team.url else {
        return Err(Failure::new(
            Exit::Unavailable,
            "no team server is configured: set MEMSTRATA_TEAM_URL, or `server` in the section [team] of \
             memstrata.toml in the home folder",
        ));
    };
    let stored = StoredTokens::new(context.location.home().path(), url);
    if arguments.forget {
        let there_was = stored.store(None)?;
        speech.say(if there_was {
            "the token is removed here; ask who runs the server to revoke it"
        } else {
            "there was no token of a login"
        });
        return Ok(Exit::Done);
    }
    let token = if arguments.with_token {
        from_standard_input(speech)?
    } else {
        let Some(issuer) = arguments.issuer.as_ref().or(team.issuer.as_ref()) else {
            return Err(Failure::new(
                Exit::Usage,
                "give a token on standard input (`memstrata team login --with-token`), or name the issuer of a \
                 login with --issuer or team.issuer",
            ));
        };
        let client_id = arguments.client_id.as_ref().unwrap_or(&team.client_id);
        let login = DeviceLogin::new(issuer, client_id, team.scopes.clone())
            .with_allow_http(team.allow_http);
        let given = runtime()?.block_on(login.run(show, tokio::time::sleep))?;
        if let Some(time) = given.expires_in {
            speech.say(&format!(
                "the token is good for {} minutes",
                time.as_secs() / 60
            ));
        }
        given.token
    };
    stored.store(Some(&token))?;
    let place = stored.path().display().to_string();
    speech.say(&format!(
        "stored in {} for {}; `memstrata team status` tries it",
        clean(&place),
        clean(url)
    ));
    Ok(Exit::Done)
}

/// Not bound by --quiet: without it nobody could log in.
fn show(prompt: &DevicePrompt) {
    use std::io::Write;
    let mut talk = io::stderr().lock();
    let _ = writeln!(
        talk,
        "go to    {}\nand type {}",
        clean(&prompt.address),
        clean(&prompt.code)
    );
    if let Some(whole) = &prompt.address_with_code {
        let _ = writeln!(talk, "or go to {}", clean(whole));
    }
    let _ = writeln!(
        talk,
        "waiting, at most {} minutes",
        prompt.expires_in.as_secs().div_ceil(60)
    );
}

fn from_standard_input(speech: Speech) -> Result<Token, Failure> {
    if io::stdin().is_terminal() {
        speech.say("paste the token, then press Enter and Ctrl-D");
    }
    let mut text = String::new();
    let read = io::stdin()
        .lock()
        .take(MOST_BYTES + 1)
        .read_to_string(&mut text);
    match read {
        Ok(_) if text.len() as u64 <= MOST_BYTES => Ok(Token::new(&text)),
        _ => Err(Failure::new(
            Exit::Usage,
            "standard input is not a token: it is too long, or no text",
        )),
    }
}
