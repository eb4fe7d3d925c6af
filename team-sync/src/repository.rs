//! The name under which a server knows a repository.

use memdir::normalise_remote;

use crate::error::{Error, ErrorKind};

/// The host whose repositories are named without it: the classic rule.
const DEFAULT_HOST: &str = "github.com/";

/// The name of the repository behind a git remote: `owner/name` on GitHub, elsewhere `host/owner/name`.
///
/// Scheme, credentials, port and a final `.git` are taken off and upper case is folded, so that all ways to
/// write one address give one name. The result holds no credential.
///
/// ```
/// use team_sync::repository_slug;
///
/// assert_eq!(repository_slug("git@github.com:Acme/App.git")?, "acme/app");
/// assert_eq!(repository_slug("ssh://git@git.acme.example:2222/acme/app")?, "git.acme.example/acme/app");
/// assert!(repository_slug("/srv/git/app.git").is_err());
/// # Ok::<(), team_sync::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Repository`] for a path on this machine and for text that is no address; the address is not
/// repeated, as it may hold a credential.
pub fn repository_slug(remote: &str) -> Result<String, Error> {
    let refused = |why: &str| Error::new(ErrorKind::Repository, why);
    let name = normalise_remote(remote)
        .ok_or_else(|| refused("the git remote is not an address a team server can know"))?;
    if name.starts_with("file:") {
        return Err(refused(
            "the git remote is a folder on this machine, which a team cannot share",
        ));
    }
    let (name, is_default) = match name.strip_prefix(DEFAULT_HOST) {
        Some(short) => (short, true),
        None => (name.as_str(), false),
    };
    // `host/name` would be taken for the `owner/name` of somebody else.
    if !is_slug(name) || (!is_default && name.split('/').count() < 3) {
        return Err(refused(
            "the git remote does not name an owner and a repository",
        ));
    }
    Ok(name.to_owned())
}

/// Whether `name` is `owner/name` or `host/owner/…/name` of plain characters: the form a server stores.
pub fn is_slug(name: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.chars().all(|one| {
                one.is_alphanumeric() || matches!(one, '-' | '_' | '.' | '~' | ':' | '[' | ']')
            })
    };
    name.len() <= 300 && (2..=12).contains(&name.split('/').count()) && name.split('/').all(plain)
}
