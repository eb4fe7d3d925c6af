//! The program `memstrata-server`.

mod data;
mod flags;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, Subcommand};
use memstrata_server::token::{Grant, NewToken};
use memstrata_server::{Redacted, Redaction, ServerOptions, router, serve};
use team_sync::{TeamKey, is_slug};
use tokio::net::TcpListener;
use tokio::sync::watch;

use data::Data;

const FIRST_STEPS: &str = "\
First steps:
  memstrata-server token add --name ana --repository acme/app
  memstrata-server serve

All commands take --data FOLDER, or --database ADDRESS for PostgreSQL.
docs/SERVER.md says how to run it for a team: service, proxy, backup.";

/// The self-hosted server of the team memory protocol.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = FIRST_STEPS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer until SIGTERM, then finish what has begun.
    Serve(Serve),
    /// Who may read and write which repositories.
    #[command(subcommand)]
    Token(Token),
    /// Copy the data of the SQLite file while the server runs; for PostgreSQL there is pg_dump.
    Backup {
        #[command(flatten)]
        data: Data,
        /// The file to write; it must not exist.
        file: PathBuf,
    },
    /// Print the OpenAPI description of what the server speaks.
    Openapi,
    /// Remove the text of one version for good; its line stays in the history.
    Redact {
        #[command(flatten)]
        data: Data,
        /// The repository, as owner/name.
        repository: String,
        /// The memory, such as notes/deploy.md.
        #[arg(value_parser = |text: &str| TeamKey::parse(text))]
        key: TeamKey,
        /// The version that stored the text, as `team history` shows it.
        version: u64,
    },
    /// Verify every checksum; exit code 1 when something is wrong.
    Check {
        #[command(flatten)]
        data: Data,
    },
}

#[derive(Args)]
struct Serve {
    #[command(flatten)]
    data: Data,
    /// Where to listen. Beyond loopback, put a proxy with TLS in front.
    #[arg(
        long,
        env = "MEMSTRATA_SERVER_LISTEN",
        default_value = "127.0.0.1:8787"
    )]
    listen: SocketAddr,
    /// A token for development, taken from this machine only.
    #[arg(long, env = "MEMSTRATA_SERVER_DEV_TOKEN", hide_env_values = true)]
    dev_token: Option<String>,
    #[command(flatten)]
    limits: flags::LimitFlags,
}

#[derive(Subcommand)]
enum Token {
    /// Make a token; it is shown once.
    Add {
        #[command(flatten)]
        data: Data,
        /// Whose it is.
        #[arg(long)]
        name: String,
        /// A repository it is good for, as owner/name; none means all.
        #[arg(long = "repository", value_name = "OWNER/NAME")]
        repositories: Vec<String>,
        /// It may read and not write.
        #[arg(long)]
        read_only: bool,
    },
    /// Show the tokens that are not revoked; their secrets are not kept.
    List {
        #[command(flatten)]
        data: Data,
    },
    /// Revoke a token; a running server stops taking it within seconds.
    Revoke {
        #[command(flatten)]
        data: Data,
        /// The id, as `token list` shows it.
        id: String,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Runtime::new().context("the runtime cannot be started");
    match runtime.and_then(|runtime| runtime.block_on(run(cli))) {
        Ok(code) => code,
        Err(error) => {
            eprintln_lossy(&format!("memstrata-server: {error:#}"));
            ExitCode::from(74)
        }
    }
}

/// Standard error may be closed; that is no reason to fail.
fn eprintln_lossy(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A closed pipe is success.
fn print(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn now() -> String {
    shown(jiff::Timestamp::now())
}

/// Whole seconds are enough for people; nothing is decided by them but how long something is kept.
fn shown(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Serve(flags) => {
            tracing_subscriber::fmt()
                .with_writer(std::io::stderr)
                .init();
            answer(flags).await?;
        }
        Command::Openapi => print(memstrata_server::openapi().trim_end()),
        Command::Token(token) => manage(token).await?,
        Command::Backup { data, file } => {
            data.open_existing().await?.backup(&file).await?;
            print(&format!("copied to {}", file.display()));
        }
        Command::Redact {
            data,
            repository,
            key,
            version,
        } => {
            let redaction = Redaction {
                repository: repository.to_lowercase(),
                key,
                version,
            };
            return redact(&data, &redaction).await;
        }
        Command::Check { data } => {
            let report = data.open_existing().await?.check().await?;
            for problem in &report.problems {
                print(problem);
            }
            print(&format!(
                "{} contents verified, {} redacted, {} problems",
                report.contents,
                report.redacted,
                report.problems.len()
            ));
            if !report.problems.is_empty() {
                return Ok(ExitCode::from(1));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn redact(data: &Data, redaction: &Redaction) -> Result<ExitCode> {
    let Redaction {
        repository,
        key,
        version,
    } = redaction;
    match data.open_existing().await?.redact(redaction).await? {
        Redacted::Done => {
            print("redacted; backups that were made before still hold the text");
        }
        Redacted::Before => print("was redacted before"),
        Redacted::NoSuchVersion => {
            bail!(
                "version {version} of {repository} did not store a text under {key}; `team history` shows which did"
            )
        }
        Redacted::InUse(keys) => {
            let keys: Vec<&str> = keys.iter().map(TeamKey::as_str).collect();
            bail!(
                "the text is still that of {}: change or delete it first, then redact",
                keys.join(", ")
            )
        }
        _ => bail!("the store has answered what this program does not know"),
    }
    Ok(ExitCode::SUCCESS)
}

async fn manage(token: Token) -> Result<()> {
    match token {
        Token::Add {
            data,
            name,
            repositories,
            read_only,
        } => {
            let repositories: Vec<String> =
                repositories.iter().map(|one| one.to_lowercase()).collect();
            if let Some(bad) = repositories.iter().find(|one| !is_slug(one)) {
                bail!("{bad:?} is not owner/name or host/owner/name");
            }
            let token = NewToken::generate()?;
            let grant = Grant {
                id: token.id.clone(),
                name,
                repositories,
                write: !read_only,
                scopes: vec!["inference".into(), "profile".into()],
            };
            data.open().await?.add_token(&token, &grant, &now()).await?;
            print(&token.reveal());
            eprintln_lossy("keep it now: only its hash is stored");
        }
        Token::List { data } => {
            let grants = data.open().await?.tokens().await?;
            if grants.is_empty() {
                eprintln_lossy("nobody has a token yet; `memstrata-server token add` makes one");
            }
            for grant in grants {
                let rights = if grant.write {
                    "read and write"
                } else {
                    "read only"
                };
                let repositories = match grant.repositories.as_slice() {
                    [] => "all repositories".to_owned(),
                    some => some.join(", "),
                };
                print(&format!(
                    "{}  {}  {rights}  {repositories}",
                    grant.id, grant.name
                ));
            }
        }
        Token::Revoke { data, id } => {
            if !data.open().await?.revoke(&id, &now()).await? {
                bail!("no token of the id {id:?} is in use; `token list` shows them");
            }
            print("revoked");
        }
    }
    Ok(())
}

async fn answer(flags: Serve) -> Result<()> {
    if flags.dev_token.is_some() && !flags.listen.ip().is_loopback() {
        bail!(
            "a development token is for loopback only; listen on 127.0.0.1, or make one with `token add`"
        );
    }
    let limits = flags.limits.limits();
    let store = Arc::new(flags.data.open_with(limits).await?);
    if flags.dev_token.is_none() && store.tokens().await?.is_empty() {
        eprintln_lossy(
            "nobody has a token yet; make one with `memstrata-server token add`, this server will take it",
        );
    }
    let listener = TcpListener::bind(flags.listen).await.with_context(|| {
        let listen = flags.listen;
        format!("{listen} cannot be listened on; name another address with --listen")
    })?;
    let address = listener.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let service = router(ServerOptions {
        store: Arc::clone(&store),
        limits,
        development_token: flags.dev_token,
        clock: Arc::new(now),
        stopping: stopping.clone(),
    });
    let ended = ended()?;
    let pruning = tokio::spawn(data::prune_daily(store, stopping.clone()));
    // Tests and scripts that asked for port 0 read the address here.
    print(&format!("listening on http://{address}"));
    tokio::spawn(async move {
        ended.await;
        tracing::info!("stopping");
        stop.send_replace(true);
    });
    serve(listener, service, &limits, stopping)
        .await
        .context("the server failed")?;
    // It ends with the server, unless it is in the middle of something; then it is rolled back.
    pruning.abort();
    Ok(())
}

/// Until the process is asked to stop. From the call on, not from the first wait: a signal that comes while
/// the server starts must not kill it.
#[cfg(unix)]
fn ended() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).context("signals cannot be listened to");
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Until the process is asked to stop.
#[cfg(windows)]
fn ended() -> Result<impl Future<Output = ()>> {
    let mut interrupt =
        tokio::signal::windows::ctrl_c().context("signals cannot be listened to")?;
    Ok(async move { drop(interrupt.recv().await) })
}
