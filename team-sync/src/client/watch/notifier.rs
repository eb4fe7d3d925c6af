//! Where the watcher learns that something has happened: the system's file events.
//!
//! Events are an alarm clock and nothing more. They name too little (new files in new folders), too late (a
//! queue that ran over) or nothing at all (a folder that was replaced), so none of them says what to send.

use std::path::{Path, PathBuf};

use notify::event::{EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::signals::Signals;

/// Tells the watcher when to look. [`SystemNotifier`] is the real one.
pub trait Notifier: Send {
    /// Starts to notice what happens to the folder and below it, until the answer is dropped.
    ///
    /// # Errors
    ///
    /// Why nothing will be noticed, for people. The watcher then walks the folder once a minute.
    fn open(&mut self, folder: &Path, signals: Signals) -> Result<Box<dyn Send>, String>;
}

/// The file events of the operating system.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemNotifier;

impl SystemNotifier {
    /// The file events of the operating system.
    pub fn new() -> Self {
        Self
    }
}

impl Notifier for SystemNotifier {
    fn open(&mut self, folder: &Path, signals: Signals) -> Result<Box<dyn Send>, String> {
        // Some systems report the path without links, whatever was asked for.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let parent = folder.parent().map(Path::to_owned);
        let handler = listener(folder.clone(), signals.clone());
        // Links may lead anywhere; what they lead to is not shared, so it is not watched.
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(handler, config).map_err(|error| why(&error))?;
        watcher
            .watch(&folder, RecursiveMode::Recursive)
            .map_err(|error| why(&error))?;
        // A folder that is replaced says nothing itself; the one above does.
        if let Some(parent) = parent
            && let Err(error) = watcher.watch(&parent, RecursiveMode::NonRecursive)
        {
            signals.blind(&why(&error));
        }
        Ok(Box::new(watcher))
    }
}

/// What the system's thread does with an event.
pub fn listener(
    folder: PathBuf,
    signals: Signals,
) -> impl FnMut(Result<Event, notify::Error>) + Send + 'static {
    move |event| match event {
        Ok(event) => match classify(&event, &folder) {
            Meaning::Nothing => {}
            Meaning::Changed => signals.changed(),
            Meaning::Replaced => signals.replaced(),
        },
        // A new folder below could not be watched, or the whole is at its end.
        Err(error) => signals.blind(&why(&error)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Nothing,
    Changed,
    Replaced,
}

fn classify(event: &Event, folder: &Path) -> Meaning {
    // The queue ran over: anything may have happened, to the folder itself too.
    if event.need_rescan() {
        return Meaning::Replaced;
    }
    // Our own reads are events, too.
    if matches!(event.kind, EventKind::Access(_)) {
        return Meaning::Nothing;
    }
    if event.paths.is_empty() {
        return Meaning::Changed;
    }
    let is_about_names = !matches!(
        event.kind,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
    );
    let mut meaning = Meaning::Nothing;
    for path in &event.paths {
        if path == folder {
            if is_about_names {
                return Meaning::Replaced;
            }
        } else if counts(path, folder) {
            meaning = Meaning::Changed;
        }
    }
    meaning
}

/// Whether a path can be that of something shared. In doubt it is: a look costs little.
fn counts(path: &Path, folder: &Path) -> bool {
    let is_sibling = !path.starts_with(folder) && path.parent() == folder.parent();
    let is_hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_sibling && !is_hidden
}

fn why(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit of watched folders is reached (on Linux fs.inotify.max_user_watches)".into()
        }
        ErrorKind::Io(error) => format!("the folder cannot be watched: {error}"),
        _ => "the folder cannot be watched".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use notify::event::{
        AccessKind, AccessMode, CreateKind, DataChange, EventKind, Flag, ModifyKind, RemoveKind,
        RenameMode,
    };
    use notify::{Error, ErrorKind, Event};

    use super::{Meaning, classify, why};

    #[test]
    fn events_are_told_apart_by_what_they_can_mean() {
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::Any));
        let cases = [
            (
                EventKind::Access(AccessKind::Open(AccessMode::Read)),
                "/m/team/a.md",
                Meaning::Nothing,
            ),
            (data, "/m/team/a.md", Meaning::Changed),
            (data, "/m/team", Meaning::Nothing),
            (
                EventKind::Create(CreateKind::Folder),
                "/m/team/sub",
                Meaning::Changed,
            ),
            (
                EventKind::Remove(RemoveKind::Any),
                "/m/team",
                Meaning::Replaced,
            ),
            (renamed, "/m/team", Meaning::Replaced),
            (renamed, "/m/team/.a.md.swp", Meaning::Nothing),
            (
                EventKind::Create(CreateKind::File),
                "/m/private.md",
                Meaning::Nothing,
            ),
            (EventKind::Any, "/somewhere/else.md", Meaning::Changed),
        ];
        for (kind, path, expected) in cases {
            let event = Event::new(kind).add_path(path.into());
            assert_eq!(
                classify(&event, Path::new("/m/team")),
                expected,
                "{event:?}"
            );
        }
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(classify(&lost, Path::new("/m/team")), Meaning::Replaced);
        assert_eq!(
            classify(&Event::new(EventKind::Any), Path::new("/m/team")),
            Meaning::Changed
        );
    }

    #[test]
    fn a_rename_from_a_hidden_name_is_a_change() {
        let event = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)))
            .add_path("/m/team/.tmp-1".into())
            .add_path("/m/team/a.md".into());
        assert_eq!(classify(&event, Path::new("/m/team")), Meaning::Changed);
    }

    #[test]
    fn the_limit_of_watches_is_named() {
        assert!(why(&Error::new(ErrorKind::MaxFilesWatch)).contains("max_user_watches"));
    }
}
