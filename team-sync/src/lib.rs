//! Keeps `memory/team/` and a server in step without losing an edit. Names are checked by `pathguard`,
//! files are written by the caller: what stands here is the protocol and the decisions.
//!
//! Two people edit one folder from two machines. Whoever syncs second must not overwrite the first,
//! whoever loses an answer must not apply an edit twice, and an empty folder must not empty the server.
//! One can tell who changed a file only by remembering what was last agreed, so there are three trees.
//!
//! # The parts
//!
//! - [`TeamKey`], [`Checksum`], [`Tag`] and [`repository_slug`] are the names that travel; parsing is the only
//!   way in.
//! - [`wire`] holds the bodies, and [`wire::read`] reads one from a peer within limits.
//! - [`Local`], [`Remote`] and [`Synced`] are the three trees; [`plan`] is the pure function from them to
//!   [`Step`]s.
//! - [`merge`] brings two texts together, or says that it cannot.
//! - [`precondition`] says what is missing before anything runs.
//! - [`fill_bodies`] parts what is to be sent into requests.
//!
//! # Example
//!
//! ```
//! use team_sync::{Action, Checksum, Local, LocalFile, PlanOptions, Remote, RemoteEntry, Synced, TeamKey, plan};
//!
//! let key = TeamKey::parse("deploy.md")?;
//! let agreed = Checksum::of("port 80\n");
//!
//! // Edited here and there since the two agreed.
//! let mut local = Local::default();
//! local.files.insert(key.clone(), LocalFile::Free(Checksum::of("port 81\n")));
//! let mut remote = Remote::default();
//! remote.entries.insert(key.clone(), RemoteEntry::Free(Checksum::of("port 80\nhost a\n")));
//! let synced = Synced::from([(key, agreed)]);
//!
//! let steps = plan(&local, &remote, &synced, &PlanOptions::default());
//! assert!(matches!(steps[0].action, Action::Merge { base: Some(base), .. } if base == agreed));
//! # Ok::<(), team_sync::Error>(())
//! ```
//!
//! # Hostile input
//!
//! Answers may be anything. A body over the limits is refused before it is read as JSON; a bad key or
//! checksum costs its entry. A missing listing, an empty answer and a gap never delete; deletes from here
//! need the key to be known, the folder's marker, a whole walk and a moderate number. Merging never panics,
//! and its time is bounded: texts with too many changed lines are a conflict. Errors never repeat contents.
//!
//! # Limits
//!
//! All bounds are constants in [`limits`]. Without the feature `client` nothing here does input or output.
//!
//! # Features
//!
//! `client`: input and output, the module of that name. Needs a tokio runtime. `watch`: the watcher on top of
//! it, `client::watch`.

#[cfg(feature = "client")]
pub mod client;
pub mod limits;
pub mod precondition;
pub mod wire;

pub use bins::{BodyLimits, fill_bodies};
pub use checksum::Checksum;
pub use error::{Error, ErrorKind};
pub use key::TeamKey;
pub use merge::{Merged, merge};
pub use plan::{Action, HoldReason, PlanOptions, Step, plan};
pub use repository::{is_slug, repository_slug};
pub use tag::Tag;
pub use trees::{Local, LocalFile, Remote, RemoteEntry, Synced};

mod bins;
mod checksum;
mod error;
mod key;
mod merge;
mod plan;
mod repository;
mod tag;
mod trees;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
