//! From settings to a connection: the server, the repository, the token.

use std::path::PathBuf;

use memstrata::memdir::{Mode, git_remote};
use memstrata::team_sync;
use memstrata::team_sync::client::token::{
    CommandToken, FileToken, StoredTokens, TokenProvider, first_token,
};
use memstrata::team_sync::client::{Client, ClientOptions, HttpOptions, HttpTransport, Token};
use memstrata::team_sync::precondition::{Fact, Facts, Missing, missing};
use memstrata::team_sync::repository_slug;

use super::refuse;
use crate::context::Context;
use crate::environment::{Environment, GitFound};
use crate::exit::{Exit, Failure};
use crate::terminal::Speech;

/// What is known of the server, the repository and the token.
pub(super) struct Link {
    pub(super) facts: Facts,
    pub(super) repository: Option<String>,
    http: Option<HttpTransport>,
}

impl Link {
    /// Gathers what there is; what is missing is in the facts.
    pub(super) fn gather(context: &Context, environment: &Environment) -> Self {
        let team = &context.decisions.team;
        let mut facts = Facts::new();
        facts.switched_on = context.decisions.modes.team != Mode::Off;
        facts.wanted_scopes.clone_from(&team.scopes);

        let repository = repository(context, environment);
        facts.repository = Fact::of(repository.as_ref().map(Result::as_ref));
        let repository = repository.and_then(Result::ok);

        let token = token(context, environment);
        facts.token = match &token {
            Ok(Some(_)) => Fact::Usable,
            Ok(None) => Fact::Absent,
            Err(error) => Fact::Unusable(error.to_string()),
        };
        let token = token.ok().flatten();
        let http = team.url.as_ref().map(|url| {
            // An address is checked also where token or repository are missing still.
            let token = token.clone().unwrap_or_else(|| Token::new("none"));
            let repository = repository.clone().unwrap_or_default();
            let options =
                HttpOptions::new(url, &repository, token).with_allow_http(team.allow_http);
            HttpTransport::new(&options)
        });
        facts.server = match &http {
            Some(Err(error)) if error.kind() == team_sync::ErrorKind::Token => {
                facts.token = Fact::Unusable(error.to_string());
                Fact::Usable
            }
            http => Fact::of(http.as_ref().map(Result::as_ref)),
        };
        Self {
            facts,
            repository,
            http: http.and_then(Result::ok),
        }
    }

    /// As [`Link::gather`], and fails when something is missing.
    pub(super) fn make(context: &Context, environment: &Environment) -> Result<Self, Failure> {
        let link = Self::gather(context, environment);
        match link.missing().as_slice() {
            [] => Ok(link),
            missing => Err(refuse(missing)),
        }
    }

    /// Everything that is missing.
    pub(super) fn missing(&self) -> Vec<Missing> {
        missing(&self.facts)
    }

    /// A client for the team folder, which is made where it is missing.
    pub(super) fn client(
        self,
        context: &Context,
        environment: &Environment,
        speech: Speech,
    ) -> Result<Client, Failure> {
        let (Some(http), Some(repository)) = (self.http, self.repository) else {
            return Err(refuse(&missing(&self.facts)));
        };
        let store = context.open(speech)?;
        let options = ClientOptions::new(&repository, &machine(), random)
            .with_author(environment.user_name.clone());
        let client = Client::for_store(&store, Box::new(http), options)?;
        Ok(client.with_wanted_scopes(self.facts.wanted_scopes))
    }
}

/// The token of the first place that has one: the environment, the settings, a login.
fn token(context: &Context, environment: &Environment) -> Result<Option<Token>, team_sync::Error> {
    let team = &context.decisions.team;
    let file = team.token_file.as_ref().map(|file| {
        let below_home = file.strip_prefix("~/").zip(environment.user_home.as_ref());
        FileToken::new(
            below_home.map_or_else(|| PathBuf::from(file), |(name, home)| home.join(name)),
        )
    });
    let search_path = environment.search_path().unwrap_or_default();
    let command = team
        .token_command
        .clone()
        .map(|words| CommandToken::new(words, search_path));
    let url = team.url.as_deref().unwrap_or_default();
    let stored = StoredTokens::new(context.location.home().path(), url);
    let mut providers: Vec<&dyn TokenProvider> = vec![&environment.team_token];
    providers.extend(file.as_ref().map(|file| file as &dyn TokenProvider));
    providers.extend(
        command
            .as_ref()
            .map(|command| command as &dyn TokenProvider),
    );
    providers.push(&stored);
    first_token(&providers)
}

/// The name of the repository, by its remote as git itself would use it. What git cannot tell, such as
/// where it is not installed, is read from the repository's configuration.
fn repository(
    context: &Context,
    environment: &Environment,
) -> Option<Result<String, team_sync::Error>> {
    let home = environment.user_home.as_deref();
    let git = environment.git();
    let address = git
        .as_ref()
        .map(GitFound::program)
        .and_then(|git| git_remote(&context.project, git, home))
        .or_else(|| context.remote().map(str::to_owned))?;
    Some(repository_slug(&address))
}

/// The first part of this machine's name, for conflict copies.
fn machine() -> String {
    let name = gethostname::gethostname().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Randomness from the operating system; for names and jitter, never for keys.
fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        use std::hash::{BuildHasher, Hasher};
        std::hash::RandomState::new().build_hasher().finish()
    })
}

impl From<team_sync::Error> for Failure {
    fn from(error: team_sync::Error) -> Self {
        use team_sync::ErrorKind;
        let exit = match error.kind() {
            ErrorKind::Busy => Exit::Conflict,
            ErrorKind::Unavailable | ErrorKind::Unsupported => Exit::Unavailable,
            ErrorKind::State => Exit::InputOutput,
            _ => Exit::Refused,
        };
        Failure {
            exit,
            error: error.into(),
        }
    }
}
