//! From a folder somebody works in to the folder of its memories, and what ties the two together.
//!
//! Reading order: [`home`], [`key`] (the pure choice of a project folder), [`identity`] (who a
//! store belongs to), [`repository`] and [`remote`] (what makes a repository itself), [`locate`],
//! [`adopt`].

mod adopt;
mod home;
mod identity;
mod key;
mod locate;
mod remote;
mod repository;
mod transcripts;

pub use adopt::{Adopted, OrphanedStore};
pub use home::{Home, HomeSource};
pub use identity::Identity;
pub use locate::Location;
pub use remote::normalise_remote;
pub use repository::{GitProgram, RepositoryFacts, git_remote};
