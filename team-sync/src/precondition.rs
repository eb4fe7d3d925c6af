//! What has to hold before team memory does anything, as a list of what is missing.

/// The facts about one project that decide whether team memory runs. The caller gathers them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// This program can speak to a server: the feature `client` is compiled in.
    pub compiled: bool,
    /// The team layer is not switched off by a mode.
    pub switched_on: bool,
    /// The address of the server.
    pub server: Fact,
    /// The bearer token.
    pub token: Fact,
    /// The git remote, as a name that a server knows.
    pub repository: Fact,
    /// The scopes that the token has to have.
    pub wanted_scopes: Vec<String>,
    /// The scopes that the server says the token has; `None` counts as all of them.
    pub scopes: Option<Vec<String>>,
}

/// Whether one thing is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fact {
    /// It is there and can be used.
    Usable,
    /// It is there and cannot be used, for this reason.
    Unusable(String),
    /// It is not there.
    #[default]
    Absent,
}

impl Fact {
    /// Takes over what a check says.
    pub fn of<T, E: std::fmt::Display>(checked: Option<Result<T, E>>) -> Self {
        match checked {
            None => Self::Absent,
            Some(Ok(_)) => Self::Usable,
            Some(Err(error)) => Self::Unusable(error.to_string()),
        }
    }
}

impl Facts {
    /// Facts of a program that can speak to a server and was not told anything yet.
    pub fn new() -> Self {
        Self {
            compiled: cfg!(feature = "client"),
            switched_on: true,
            ..Self::default()
        }
    }
}

/// One thing that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The program was built without the client.
    Client,
    /// The layer is switched off.
    SwitchedOff,
    /// No server is configured.
    Server,
    /// The server's address cannot be used.
    ServerAddress(String),
    /// There is no token.
    Token,
    /// There is a token that cannot be used.
    UnusableToken(String),
    /// The project has no git remote.
    Remote,
    /// The git remote gives no name that a server knows.
    UnusableRemote(String),
    /// The token lacks these scopes.
    Scopes(Vec<String>),
}

impl Missing {
    /// A short stable name for JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::SwitchedOff => "switched-off",
            Self::Server => "server",
            Self::ServerAddress(_) => "server-address",
            Self::Token => "token",
            Self::UnusableToken(_) => "unusable-token",
            Self::Remote => "remote",
            Self::UnusableRemote(_) => "unusable-remote",
            Self::Scopes(_) => "scopes",
        }
    }

    /// What is missing, for a person. Reasons from outside stand in it as they came.
    pub fn text(&self) -> String {
        match self {
            Self::Client => "this program was built without the client of team memory".into(),
            Self::SwitchedOff => "team memory is switched off".into(),
            Self::Server => "no team server is configured".into(),
            Self::ServerAddress(why) | Self::UnusableToken(why) | Self::UnusableRemote(why) => {
                why.clone()
            }
            Self::Token => "there is no token for the team server".into(),
            Self::Remote => "the project has no git remote named origin".into(),
            Self::Scopes(scopes) => format!("the token lacks the scopes {}", scopes.join(", ")),
        }
    }

    /// What a person can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Client => "build it with the feature `team-client`",
            Self::SwitchedOff => {
                "look for MEMSTRATA_DISABLE, modes.team and the switches of auto memory (docs/SETTINGS.md)"
            }
            Self::Server => {
                "set MEMSTRATA_TEAM_URL, or `server` in the section [team] of memstrata.toml in the home folder"
            }
            Self::ServerAddress(_) => "write it like https://memory.example.com",
            Self::Token => {
                "run `memstrata team login`, or set MEMSTRATA_TEAM_TOKEN, team.token_file or team.token_command"
            }
            Self::UnusableToken(_) => "mend it, or run `memstrata team login` again",
            Self::Remote => "work inside a clone, or run `git remote add origin ADDRESS`",
            Self::UnusableRemote(_) => {
                "point origin at the address that the whole team uses (`git remote set-url origin ADDRESS`)"
            }
            Self::Scopes(_) => "ask who runs the server for a token with them",
        }
    }
}

/// Everything that is missing, in the order in which a person would set it up.
///
/// ```
/// use team_sync::precondition::{Fact, Facts, Missing, missing};
///
/// let mut facts = Facts::new();
/// facts.compiled = true;
/// facts.server = Fact::Usable;
/// facts.repository = Fact::Usable;
/// assert_eq!(missing(&facts), [Missing::Token]);
/// assert!(missing(&facts)[0].remedy().contains("team login"));
/// ```
pub fn missing(facts: &Facts) -> Vec<Missing> {
    let mut missing = Vec::new();
    if !facts.compiled {
        missing.push(Missing::Client);
    }
    match &facts.server {
        Fact::Usable => {}
        Fact::Absent => missing.push(Missing::Server),
        Fact::Unusable(why) => missing.push(Missing::ServerAddress(why.clone())),
    }
    // Without a server the layer is off by itself: naming the switch too would send people looking.
    if !facts.switched_on && facts.server != Fact::Absent {
        missing.push(Missing::SwitchedOff);
    }
    match &facts.repository {
        Fact::Usable => {}
        Fact::Absent => missing.push(Missing::Remote),
        Fact::Unusable(why) => missing.push(Missing::UnusableRemote(why.clone())),
    }
    match &facts.token {
        Fact::Usable => {
            let lacking = lacking(&facts.wanted_scopes, facts.scopes.as_deref());
            if !lacking.is_empty() {
                missing.push(Missing::Scopes(lacking));
            }
        }
        Fact::Absent => missing.push(Missing::Token),
        Fact::Unusable(why) => missing.push(Missing::UnusableToken(why.clone())),
    }
    missing
}

/// What is wanted and not there.
pub(crate) fn lacking(wanted: &[String], scopes: Option<&[String]>) -> Vec<String> {
    let Some(scopes) = scopes else {
        return Vec::new();
    };
    let has = |scope: &&String| !scopes.contains(scope);
    wanted.iter().filter(has).cloned().collect()
}
