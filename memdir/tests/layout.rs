//! From a project to its memory folder, on real folders and real repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use memdir::{
    Environment, ErrorKind, GitProgram, Home, HomeSource, Location, RepositoryFacts, Settings,
    SettingsPlaces, Store, StoreOptions,
};
use tempfile::TempDir;

use crate::support::{TestClock, person, request};

/// A home and a place for projects, in a scratch folder.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn folder(&self, path: &str) -> PathBuf {
        let folder = self.at(path);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn environment(&self) -> Environment {
        Environment::new(self.at("")).with_user_home(self.at("home"))
    }

    fn home(&self) -> Home {
        Home::choose(None, &self.environment()).unwrap()
    }

    fn find_with(
        &self,
        project: &Path,
        facts: Option<&RepositoryFacts>,
    ) -> Result<Location, memdir::Error> {
        let settings = SettingsPlaces::new(self.home().path())
            .with_managed(None)
            .with_project(project)
            .load(self.environment())?;
        let decisions = settings.resolve()?;
        Location::find(
            project,
            &self.home(),
            &decisions,
            &self.environment(),
            facts,
        )
    }

    fn find(&self, project: &Path) -> Location {
        self.find_with(project, None).unwrap()
    }
}

fn open(location: &Location) -> Store {
    location
        .open(StoreOptions::new(TestClock::default()))
        .unwrap()
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "ana")
        .env("GIT_AUTHOR_EMAIL", "ana@example.com")
        .env("GIT_COMMITTER_NAME", "ana")
        .env("GIT_COMMITTER_EMAIL", "ana@example.com")
        .env("GIT_AUTHOR_DATE", "2026-03-05T14:02:11Z")
        .env("GIT_COMMITTER_DATE", "2026-03-05T14:02:11Z")
        .output()
        .unwrap()
        .status;
    assert!(status.success(), "git {arguments:?}");
}

fn has_git() -> bool {
    let found = Command::new("git").arg("--version").output().is_ok();
    if !found {
        println!("NOT RUN: there is no git here");
    }
    found
}

/// A repository with one commit, whose message makes its first commit its own.
fn repository(folder: &Path, message: &str) {
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
    git(
        folder,
        &["remote", "add", "origin", "git@github.com:Acme/App.git"],
    );
}

fn facts(folder: &Path) -> RepositoryFacts {
    let root = pathguard::canonical_root(folder).unwrap();
    let search_path = std::env::var("PATH").unwrap();
    let program = GitProgram {
        program: Path::new("git"),
        search_path: &search_path,
    };
    RepositoryFacts::read(&root, Some(program))
}

#[test]
fn the_home_is_chosen_in_its_order() {
    let plain = Environment::new("/work").with_user_home("/home/ana");
    let with = |name: &str, value: &str| plain.clone().with_variable(name, value);
    let both = with("MEMSTRATA_HOME", "/m").with_variable("CLAUDE_CONFIG_DIR", "/c");
    let argument = Path::new("given");
    let table = [
        (
            Some(argument),
            both.clone(),
            "/work/given",
            HomeSource::Argument,
        ),
        (None, both, "/m", HomeSource::MemstrataHome),
        (
            None,
            with("CLAUDE_CONFIG_DIR", "~/c"),
            "/home/ana/c",
            HomeSource::ClaudeConfigDir,
        ),
        (
            None,
            with("MEMSTRATA_HOME", ""),
            "/home/ana/.claude",
            HomeSource::Default,
        ),
    ];
    if cfg!(unix) {
        for (argument, environment, path, source) in table {
            let home = Home::choose(argument, &environment).unwrap();
            assert_eq!((home.path(), home.source()), (Path::new(path), source));
        }
    }
    let relative = with("MEMSTRATA_HOME", "relative");
    let error = Home::choose(None, &relative).unwrap_err();
    assert_eq!(error.path(), Some("MEMSTRATA_HOME"));
    let nobody = Environment::new("/work");
    assert_eq!(
        Home::choose(None, &nobody).unwrap_err().kind(),
        ErrorKind::Refused
    );
}

#[test]
fn a_project_has_its_folder_below_the_home() {
    let world = World::new();
    let project = world.folder("my app_1");
    let location = world.find(&project);
    let key: String = project
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    assert_eq!(location.key(), key);
    let folder = world.at("home/.claude/projects").join(&key);
    assert_eq!(location.memory_dir(), folder.join("memory"));
    assert_eq!(location.state_dir(), folder.join("memory-state"));
    assert!(!folder.exists(), "finding creates nothing");
    open(&location);
    assert!(location.memory_dir().is_dir());
    let identity = location.identity().unwrap().unwrap();
    assert_eq!(identity.paths, [project.to_str().unwrap()]);
}

#[test]
fn a_hostile_repository_cannot_move_the_memory_folder() {
    let world = World::new();
    let project = world.folder("victim");
    let secrets = world.folder("home/.ssh");
    let target = secrets.to_str().unwrap();
    let plain = world.find(&project);
    let json = format!("{{\"autoMemoryDirectory\": {target:?}, \"memory_dir\": {target:?}}}");
    let toml = format!("memory_dir = {target:?}\nautoMemoryDirectory = {target:?}\n");
    for (file, text) in [
        (".claude/settings.json", &json),
        (".claude/settings.local.json", &json),
        (".memstrata/config.toml", &toml),
        ("memstrata.toml", &toml),
        ("settings.json", &json),
    ] {
        let file = project.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let location = world.find(&project);
    assert_eq!(location.memory_dir(), plain.memory_dir());
    assert!(location.moved_by().is_none());
    open(&location).save(&request("a"), &person()).unwrap();
    assert_eq!(std::fs::read_dir(&secrets).unwrap().count(), 0);
}

#[test]
fn a_worktree_and_its_repository_share_one_memory() {
    if !has_git() {
        return;
    }
    let world = World::new();
    let main = world.folder("main");
    repository(&main, "first");
    git(&main, &["worktree", "add", "-q", "../tree", "-b", "topic"]);
    let below = world.folder("main/src/deep");
    let location = world.find(&main);
    open(&location).save(&request("a"), &person()).unwrap();
    for folder in [below, world.at("tree")] {
        let other = world.find(&folder);
        assert_eq!(other.key(), location.key());
        assert!(open(&other).read("a").is_ok());
    }
    // A folder that only claims to be a worktree stands for itself.
    let forged = world.folder("forged");
    let pointer = format!("gitdir: {}/.git/worktrees/tree\n", main.display());
    std::fs::write(forged.join(".git"), pointer).unwrap();
    assert_ne!(world.find(&forged).key(), location.key());
}

#[test]
fn colliding_projects_have_memories_of_their_own() {
    let world = World::new();
    let (first, second) = (world.folder("a-b"), world.folder("a_b"));
    open(&world.find(&first))
        .save(&request("a"), &person())
        .unwrap();
    let location = world.find(&second);
    let plain = world.find(&first).key().to_owned();
    let own = location.key().strip_prefix(&format!("{plain}-")).unwrap();
    assert_eq!(own.len(), 8);
    assert_eq!(location.key_taken_by(), first.to_str());
    let store = open(&location);
    assert_eq!(store.read("a").unwrap_err().kind(), ErrorKind::NotFound);
    // Both are found again.
    assert!(open(&world.find(&first)).read("a").is_ok());
    assert_eq!(world.find(&second).key(), location.key());
}

#[test]
fn a_folder_of_another_agent_belongs_to_the_project_its_sessions_name() {
    let world = World::new();
    let (ours, other) = (world.folder("a-b"), world.folder("a_b"));
    let key = pathguard::project_key(&ours);
    let folder = world.folder(&format!("home/.claude/projects/{key}"));
    let session = |path: &Path| format!("{{\"type\":\"user\",\"cwd\":{path:?}}}\n");
    std::fs::write(folder.join("s1.jsonl"), session(&other)).unwrap();
    assert_eq!(world.find(&ours).key_taken_by(), other.to_str());
    assert_eq!(world.find(&other).key(), key);
    std::fs::write(folder.join("s2.jsonl"), session(&ours.join("src"))).unwrap();
    assert_eq!(world.find(&ours).key(), key);
}

#[test]
fn the_home_folder_is_no_project_unless_a_setting_says_so() {
    let world = World::new();
    let home = world.at("home");
    let error = world.find_with(&home, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.remedy().unwrap().contains("allow_home"), "{error}");
    if cfg!(unix) {
        let error = world.find_with(Path::new("/"), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    let configuration = world.folder("home/.claude").join("memstrata.toml");
    std::fs::write(configuration, "[projects]\nallow_home = true\n").unwrap();
    world.find(&home);
}

#[test]
fn a_moved_memory_has_one_state_for_all_projects_that_use_it() {
    let world = World::new();
    let (one, two) = (world.folder("one"), world.folder("two"));
    let target = world.at("notes/memory");
    let settings = world.folder("home/.claude").join("settings.json");
    let json = format!(
        "{{\"autoMemoryDirectory\": {:?}}}",
        target.to_str().unwrap()
    );
    std::fs::write(settings, json).unwrap();
    let (one, two) = (world.find(&one), world.find(&two));
    assert_eq!(one.memory_dir(), target);
    assert_eq!(one.state_dir(), two.state_dir());
    assert!(
        one.state_dir()
            .starts_with(world.at("home/.claude/memstrata"))
    );
    assert_ne!(one.key(), two.key());
    open(&one).save(&request("a"), &person()).unwrap();
    let store = open(&two);
    assert!(store.read("a").is_ok());
    store.undo(&person()).unwrap();
    assert!(one.identity().unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_moved_memory_that_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let project = world.folder("one");
    let target = world.folder("open");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o777)).unwrap();
    let decisions = Settings::new(world.environment())
        .with_directory_argument(Some(target.to_str().unwrap().to_owned()))
        .resolve()
        .unwrap();
    let environment = world.environment();
    let location = Location::find(&project, &world.home(), &decisions, &environment, None).unwrap();
    let error = location
        .open(StoreOptions::new(TestClock::default()))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(error.path(), Some("--memory-dir"));
}

#[test]
fn a_renamed_project_is_offered_its_orphaned_memory() {
    if !has_git() {
        return;
    }
    let world = World::new();
    let old = world.folder("old");
    repository(&old, "first");
    let location = world.find_with(&old, Some(&facts(&old))).unwrap();
    let store = open(&location);
    store.save(&request("a"), &person()).unwrap();
    store.save(&request("b"), &person()).unwrap();
    let files = crate::support::folder_bytes(location.memory_dir());
    drop(store);

    let new = world.at("new");
    std::fs::rename(&old, &new).unwrap();
    let found = facts(&new);
    assert_eq!(found.remote.as_deref(), Some("github.com/acme/app"));
    let location = world.find_with(&new, Some(&found)).unwrap();
    let store = open(&location);
    let orphans = location.orphans(&store).unwrap();
    assert_eq!(orphans.len(), 1);
    assert_eq!(orphans[0].memories, 2);
    assert_eq!(orphans[0].last_path, old.to_str().unwrap());

    let adopted = location.adopt(&store, &orphans[0], &person()).unwrap();
    assert_eq!(adopted.files, 3);
    assert_eq!(crate::support::folder_bytes(location.memory_dir()), files);
    // The old store is still there, and is not offered to anybody any more.
    assert_eq!(crate::support::folder_bytes(&orphans[0].memory_dir), files);
    let clone = world.folder("clone");
    repository(&clone, "first");
    std::fs::rename(&new, world.at("hidden")).unwrap();
    let elsewhere = world.find_with(&clone, Some(&facts(&clone))).unwrap();
    let offered = elsewhere.orphans(&open(&elsewhere)).unwrap();
    let keys: Vec<&str> = offered.iter().map(|orphan| orphan.key.as_str()).collect();
    assert_eq!(keys, [location.key()]);

    // Taken back, it is offered again.
    std::fs::rename(world.at("hidden"), &new).unwrap();
    store.undo(&person()).unwrap();
    assert_eq!(location.orphans(&store).unwrap(), orphans);
    let error = location.adopt(&store, &orphans[0], &person());
    assert!(error.is_ok());
    let error = location.adopt(&store, &orphans[0], &person()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[test]
fn a_clone_or_another_repository_is_offered_nothing() {
    if !has_git() {
        return;
    }
    let world = World::new();
    let original = world.folder("original");
    repository(&original, "first");
    let location = world.find_with(&original, Some(&facts(&original))).unwrap();
    open(&location).save(&request("a"), &person()).unwrap();
    // The same repository in a second place, while the first one lives.
    let clone = world.folder("clone");
    repository(&clone, "first");
    // Another repository at the place of a renamed one.
    let other = world.folder("other");
    repository(&other, "something else");
    for folder in [clone, other] {
        let location = world.find_with(&folder, Some(&facts(&folder))).unwrap();
        let orphans = location.orphans(&open(&location)).unwrap();
        assert_eq!(orphans, [], "{folder:?}");
    }
}

#[test]
fn asking_a_hostile_repository_who_it_is_executes_nothing() {
    if !has_git() {
        return;
    }
    let world = World::new();
    let hostile = world.folder("hostile");
    repository(&hostile, "first");
    let honest = facts(&hostile);
    assert!(honest.root_commit.is_some());
    let proof = world.at("executed");
    let run = format!("touch {}", proof.display());
    let configuration = hostile.join(".git/config");
    let mut text = std::fs::read_to_string(&configuration).unwrap();
    text += &format!(
        "[core]\n\tfsmonitor = {run}\n\thooksPath = {hooks}\n\tpager = {run}\n\tsshCommand = {run}\n\
         [pager]\n\trev-list = {run}\n[alias]\n\trev-list = !{run}\n[uploadpack]\n\tpackObjectsHook = {run}\n\
         [remote \"origin\"]\n\tuploadpack = {run}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
        hooks = hostile.display(),
    );
    std::fs::write(&configuration, text).unwrap();
    let found = facts(&hostile);
    assert_eq!(found.root_commit, honest.root_commit);
    assert!(!proof.exists(), "the configuration was executed");
}

#[test]
fn a_session_id_is_one_plain_name() {
    let world = World::new();
    let location = world.find(&world.folder("app"));
    let folder = location.session_folder("5c0375b4-57a5").unwrap();
    assert_eq!(folder, location.project_folder().join("5c0375b4-57a5"));
    for id in [
        "",
        ".",
        "..",
        "a/b",
        "../x",
        "memory",
        "Memory",
        "memory-state",
        ".hidden",
        "a\\b",
    ] {
        assert!(location.session_folder(id).is_err(), "{id:?}");
    }
}
