//! Which folder below `projects/` is this project's.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::identity::path_text;
use crate::error::Error;
use crate::hash::hex;
use crate::limits::KEY_MAX_CHARACTERS;

/// What is known about the folder of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// There is no such folder.
    Nobody,
    /// Its identity record or a session names this project.
    Ours,
    /// It exists and names nobody.
    Unknown,
    /// It names another project, at this path.
    Other(String),
}

/// A project's key, and why it is not the plain one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenKey {
    pub(crate) key: String,
    /// The project that has the plain key.
    pub(crate) taken_by: Option<String>,
}

/// Chooses the folder for the project at `root`, a real path.
///
/// `owner_of` looks one key up. `siblings` lists the folders that begin with a prefix; it is asked
/// only for paths whose key had to be cut, because other programs hash those differently.
pub(crate) fn choose_key(
    root: &Path,
    owner_of: &dyn Fn(&str) -> Owner,
    siblings: &dyn Fn(&str) -> Vec<String>,
) -> Result<ChosenKey, Error> {
    let plain = pathguard::project_key(root);
    let owner = owner_of(&plain);
    if owner != Owner::Ours && plain.len() > KEY_MAX_CHARACTERS {
        let prefix = &plain[..=KEY_MAX_CHARACTERS];
        let known = siblings(prefix)
            .into_iter()
            .find(|key| *key != plain && owner_of(key) == Owner::Ours);
        if let Some(key) = known {
            return Ok(ChosenKey {
                key,
                taken_by: None,
            });
        }
    }
    let Owner::Other(other) = owner else {
        return Ok(ChosenKey {
            key: plain,
            taken_by: None,
        });
    };
    let own = format!("{plain}-{}", path_digits(root));
    match owner_of(&own) {
        Owner::Other(third) => Err(Error::refused(format!(
            "two other projects have this project's keys: {other} and {third}"
        ))
        .with_path(own)
        .with_remedy("set the memory folder explicitly")),
        Owner::Nobody | Owner::Ours | Owner::Unknown => Ok(ChosenKey {
            key: own,
            taken_by: Some(other),
        }),
    }
}

/// 8 hexadecimal digits that tell colliding paths apart.
fn path_digits(root: &Path) -> String {
    hex(&Sha256::digest(path_text(root).as_bytes())[..4])
}

/// Decides from the working directories of a folder's sessions.
///
/// A session that ran in the project or below it makes the folder ours. Otherwise a directory whose
/// own key is this folder's names the other project. Sessions that moved elsewhere say nothing.
pub(crate) fn owner_by_sessions(root: &Path, key: &str, directories: &[String]) -> Owner {
    if directories
        .iter()
        .any(|directory| Path::new(directory).starts_with(root))
    {
        return Owner::Ours;
    }
    directories
        .iter()
        .find(|directory| pathguard::project_key(Path::new(directory)) == key)
        .map_or(Owner::Unknown, |directory| Owner::Other(directory.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_later_of_two_colliding_projects_gets_a_key_of_its_own() {
        let root = Path::new("/w/a_b");
        let other = || Owner::Other("/w/a-b".to_owned());
        let none = |_: &str| Vec::new();

        for owner in [Owner::Nobody, Owner::Ours, Owner::Unknown] {
            let chosen = choose_key(root, &|_| owner.clone(), &none).unwrap();
            assert_eq!(chosen.key, "-w-a-b", "{owner:?}");
            assert_eq!(chosen.taken_by, None);
        }

        let owner_of = |key: &str| match key {
            "-w-a-b" => other(),
            _ => Owner::Nobody,
        };
        let chosen = choose_key(root, &owner_of, &none).unwrap();
        assert!(chosen.key.starts_with("-w-a-b-"), "{}", chosen.key);
        assert_eq!(chosen.key.len(), "-w-a-b-".len() + 8);
        assert_eq!(chosen.taken_by.as_deref(), Some("/w/a-b"));

        assert!(choose_key(root, &|_| other(), &none).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_cut_key_is_taken_from_another_program_only_when_the_folder_names_this_project() {
        let long = format!("/w/{}", "x".repeat(300));
        let root = Path::new(&long);
        let plain = pathguard::project_key(root);
        let foreign = format!("{}other", &plain[..=KEY_MAX_CHARACTERS]);
        let siblings = |_: &str| vec![foreign.clone(), plain.clone()];

        let ours = |key: &str| {
            if key == foreign {
                Owner::Ours
            } else {
                Owner::Nobody
            }
        };
        assert_eq!(choose_key(root, &ours, &siblings).unwrap().key, foreign);

        let unknown = |key: &str| {
            if key == foreign {
                Owner::Unknown
            } else {
                Owner::Nobody
            }
        };
        assert_eq!(choose_key(root, &unknown, &siblings).unwrap().key, plain);
    }

    #[cfg(unix)]
    #[test]
    fn sessions_say_whose_folder_it_is() {
        let root = Path::new("/w/a_b");
        let table: [(&[&str], Owner); 5] = [
            (&[], Owner::Unknown),
            (&["/w/a_b"], Owner::Ours),
            (&["/w/a-b", "/w/a_b/sub"], Owner::Ours),
            (&["/elsewhere"], Owner::Unknown),
            (&["/elsewhere", "/w/a-b"], Owner::Other("/w/a-b".to_owned())),
        ];
        for (directories, expected) in table {
            let directories: Vec<String> = directories.iter().map(ToString::to_string).collect();
            assert_eq!(owner_by_sessions(root, "-w-a-b", &directories), expected);
        }
    }
}
