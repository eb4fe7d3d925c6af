//! `memstrata team`, against the real server.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::harness::{Home, Run, run_with};
use crate::schema;
use crate::team_server::{Server, TOKEN};

const LINES: &str = include_str!("../../docs/schemas/team-lines.json");
const HISTORY: &str = include_str!("../../docs/schemas/team-history.json");

/// One person's machine: a home, a clone, a token.
pub(crate) struct Machine {
    pub(crate) home: Home,
    variables: Vec<(&'static str, String)>,
}

impl Machine {
    /// A machine whose clone has this remote.
    pub(crate) fn with_remote(url: &str, remote: &str) -> Self {
        let home = Home::new();
        home.git("project", &["init", "-q"]);
        home.git("project", &["remote", "add", "origin", remote]);
        let mut machine = Self {
            home,
            variables: Vec::new(),
        };
        machine.set("MEMSTRATA_TEAM_URL", url);
        machine.set("MEMSTRATA_TEAM_TOKEN", TOKEN);
        machine.set("PATH", &std::env::var("PATH").expect("a search path"));
        machine
    }

    pub(crate) fn new(server: &Server) -> Self {
        Self::with_remote(&server.url, "git@github.com:Acme/App.git")
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.to_owned()));
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.variables.retain(|(known, _)| *known != name);
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(arguments);
        command.envs(self.variables.iter().cloned());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let output = self
            .command(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        Run::from(output)
    }

    /// A shell on this machine.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(self.home.project())
            .env_clear()
            .env("HOME", self.home.path())
            .envs(self.variables.iter().cloned());
        command
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        run_with(&mut self.command(arguments), input)
    }

    /// The team folder.
    pub(crate) fn team(&self) -> PathBuf {
        let place = self.run(&["where", "--json"]).expect(0).json();
        PathBuf::from(place[0]["memory_dir"].as_str().expect("a path")).join("team")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.team().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.team().join(name)).ok()
    }
}

fn actions(run: &Run) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    run.json()
        .iter()
        .map(|line| (text(&line["key"]), text(&line["action"])))
        .collect()
}

fn pair(key: &str, action: &str) -> (String, String) {
    (key.to_owned(), action.to_owned())
}

#[test]
fn what_one_machine_saves_arrives_on_the_other() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    anna.write("deploy.md", "port 80\n");
    let status = anna.run(&["team", "status", "--json"]).expect(1);
    schema::check(LINES, &status);
    assert_eq!(actions(&status), [pair("deploy.md", "new-here")]);
    let sync = anna.run(&["team", "sync", "--json"]).expect(0);
    schema::check(LINES, &sync);
    assert_eq!(actions(&sync), [pair("deploy.md", "pushed")]);

    let status = ben.run(&["team", "status", "--json"]).expect(1);
    assert_eq!(actions(&status), [pair("deploy.md", "new-there")]);
    assert_eq!(ben.read("deploy.md"), None, "status changes nothing");
    let pull = ben.run(&["team", "pull", "--json"]).expect(0);
    assert_eq!(actions(&pull), [pair("deploy.md", "pulled")]);
    assert_eq!(ben.read("deploy.md").as_deref(), Some("port 80\n"));
    let status = ben.run(&["team", "status"]).expect(0);
    assert!(status.err.contains("in step: 1 memory"), "{}", status.err);
}

#[test]
fn a_pull_sends_nothing_and_a_push_takes_nothing() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    anna.write("a.md", "a\n");
    anna.run(&["team", "sync"]).expect(0);
    ben.write("b.md", "b\n");
    ben.run(&["team", "push"]).expect(0);
    assert_eq!(ben.read("a.md"), None);
    ben.write("c.md", "c\n");
    ben.run(&["team", "pull"]).expect(5);
    assert_eq!(ben.read("a.md").as_deref(), Some("a\n"));
    anna.run(&["team", "pull"]).expect(0);
    assert_eq!(anna.read("b.md").as_deref(), Some("b\n"));
    assert_eq!(anna.read("c.md"), None);
}

#[test]
fn a_credential_stays_here_and_is_named_without_its_value() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    anna.write("good.md", "good\n");
    anna.write("bad.md", &format!("# Token\n\nuse {token}\n"));
    let sync = anna.run(&["team", "sync", "--json"]).expect(1);
    assert_eq!(
        actions(&sync),
        [pair("good.md", "pushed"), pair("bad.md", "blocked")]
    );
    assert!(sync.out.contains("line 3"), "{}", sync.out);
    assert!(!sync.out.contains(&token) && !sync.err.contains(&token));
    ben.run(&["team", "pull"]).expect(0);
    assert_eq!(ben.read("good.md").as_deref(), Some("good\n"));
    assert_eq!(ben.read("bad.md"), None);
}

#[test]
fn many_deletes_wait_for_a_person() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    for number in 0..6 {
        anna.write(&format!("{number}.md"), "text\n");
    }
    anna.run(&["team", "sync"]).expect(0);
    ben.run(&["team", "sync"]).expect(0);
    for number in 0..6 {
        std::fs::remove_file(anna.team().join(format!("{number}.md"))).expect("removed");
    }
    let sync = anna.run(&["team", "sync", "--json"]).expect(1);
    assert!(actions(&sync).iter().all(|(_, action)| action == "held"));
    assert_eq!(actions(&sync).len(), 6);
    let status = anna.run(&["team", "status"]).expect(1);
    assert!(status.out.contains("--confirm-deletes"), "{}", status.out);
    ben.run(&["team", "sync"]).expect(0);
    assert!(ben.read("0.md").is_some());
    anna.run(&["team", "sync", "--confirm-deletes"]).expect(0);
    ben.run(&["team", "sync"]).expect(0);
    assert_eq!(ben.read("0.md"), None);
}

#[test]
fn each_missing_precondition_is_named_with_its_remedy() {
    let server = Server::start();
    let mut machine = Machine::new(&server);
    let names = |machine: &Machine| -> Vec<String> {
        let run = machine.run(&["team", "status", "--json"]).expect(6);
        schema::check(LINES, &run);
        let name = |line: &serde_json::Value| line["missing"].as_str().map(str::to_owned);
        run.json().iter().filter_map(name).collect()
    };
    machine.unset("MEMSTRATA_TEAM_TOKEN");
    assert_eq!(names(&machine), ["token"]);
    machine.set("MEMSTRATA_TEAM_URL", "http://memory.example");
    assert_eq!(names(&machine), ["server-address", "token"]);
    machine.unset("MEMSTRATA_TEAM_URL");
    assert_eq!(names(&machine), ["server", "token"]);
    let run = machine.run(&["team", "sync"]).expect(6);
    assert!(run.err.contains("MEMSTRATA_TEAM_URL"), "{}", run.err);
    assert!(!machine.team().exists(), "looking makes no folder");

    let mut moved = Machine::with_remote(&server.url, "/srv/git/app.git");
    assert_eq!(names(&moved), ["unusable-remote"]);
    moved.home.git("project", &["remote", "remove", "origin"]);
    assert_eq!(names(&moved), ["remote"]);
    moved.set("MEMSTRATA_DISABLE", "1");
    assert_eq!(names(&moved), ["switched-off", "remote"]);
    moved.run(&["team", "sync"]).expect(3);
}

#[test]
fn a_wrong_token_is_refused_and_a_server_that_is_away_is_unavailable() {
    let server = Server::start();
    let mut machine = Machine::new(&server);
    machine.set("MEMSTRATA_TEAM_TOKEN", "wrong");
    let run = machine.run(&["team", "sync"]).expect(3);
    assert!(
        !run.err.contains("wrong"),
        "the token is not shown: {}",
        run.err
    );
    machine.set("MEMSTRATA_TEAM_TOKEN", TOKEN);
    machine.write("a.md", "a\n");
    drop(server);
    let run = machine.run(&["team", "status", "--json"]).expect(6);
    assert_eq!(actions(&run), [pair("a.md", "new-here")]);
    machine.run(&["team", "status", "--offline"]).expect(1);
    machine.run(&["team", "sync"]).expect(6);
}

#[test]
fn git_decides_which_remote_it_is() {
    let server = Server::start();
    let ours = Machine::new(&server);
    ours.write("a.md", "a\n");
    ours.run(&["team", "sync"]).expect(0);
    let short = Machine::with_remote(&server.url, "work:app");
    short.run(&["team", "sync"]).expect(6);
    std::fs::write(
        short.home.path().join(".gitconfig"),
        "[url \"https://github.com/acme/\"]\n\tinsteadOf = work:\n",
    )
    .expect("a file");
    short.run(&["team", "sync"]).expect(0);
    assert_eq!(short.read("a.md").as_deref(), Some("a\n"));
}

#[test]
fn the_history_is_shown_and_a_version_comes_back_for_everybody() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    anna.write("deploy.md", "port 80\n");
    anna.run(&["team", "sync"]).expect(0);
    ben.run(&["team", "sync"]).expect(0);
    ben.write("deploy.md", "gone wrong\n");
    ben.write("other.md", "other\n");
    ben.run(&["team", "sync"]).expect(0);

    let history = anna.run(&["team", "history", "deploy", "--json"]).expect(0);
    schema::check(HISTORY, &history);
    let versions: Vec<_> = history
        .json()
        .iter()
        .map(|line| line["version"].as_u64().expect("a number"))
        .collect();
    assert_eq!(versions, [2, 1]);
    let all = anna.run(&["team", "history", "--json"]).expect(0);
    assert_eq!(all.json().len(), 3);
    let cut = anna.run(&["team", "history", "--limit", "1"]).expect(0);
    assert!(cut.err.contains("--limit"), "{}", cut.err);

    let restored = anna.run(&["team", "restore", "team/deploy.md@1", "--json"]);
    assert_eq!(
        actions(&restored.expect(0)).last(),
        Some(&pair("other.md", "pulled"))
    );
    ben.run(&["team", "sync"]).expect(0);
    assert_eq!(ben.read("deploy.md").as_deref(), Some("port 80\n"));
    let gone = anna.run(&["team", "restore", "deploy.md@99"]).expect(3);
    assert!(
        gone.err.contains("`deploy.md@99`: ") && gone.err.contains("`memstrata team history`"),
        "{}",
        gone.err
    );
    anna.run(&["team", "restore", "deploy.md"]).expect(2);
    anna.run(&["team", "restore", "../x@1"]).expect(3);
}

#[test]
fn a_conflict_copy_is_listed_until_a_person_has_decided() {
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    anna.run(&["team", "conflicts"]).expect(0);
    anna.write("deploy.md", "port 80\n");
    anna.run(&["team", "sync"]).expect(0);
    ben.run(&["team", "sync"]).expect(0);
    anna.write("deploy.md", "port 81\n");
    anna.run(&["team", "sync"]).expect(0);
    ben.write("deploy.md", "port 82\n");
    let met = ben.run(&["team", "sync", "--json"]).expect(1);
    assert_eq!(actions(&met)[0], pair("deploy.md", "conflict"));
    assert_eq!(ben.read("deploy.md").as_deref(), Some("port 82\n"));
    anna.run(&["team", "sync"]).expect(0);
    let listed = anna.run(&["team", "conflicts", "--json"]).expect(1);
    schema::check(LINES, &listed);
    let copy = listed.json()[0]["key"].as_str().expect("a key").to_owned();
    assert_eq!(anna.read(&copy).as_deref(), Some("port 81\n"));
    std::fs::remove_file(anna.team().join(&copy)).expect("removed");
    anna.run(&["team", "sync"]).expect(0);
    ben.run(&["team", "sync"]).expect(0);
    ben.run(&["team", "conflicts"]).expect(0);
}

#[test]
fn a_token_that_was_stored_is_used_for_its_server_only() {
    let server = Server::start();
    let mut machine = Machine::new(&server);
    machine.unset("MEMSTRATA_TEAM_TOKEN");
    machine.write("a.md", "a\n");
    machine.run(&["team", "sync"]).expect(6);
    let stored = machine.run_with(&["team", "login", "--with-token"], TOKEN.as_bytes());
    let stored = stored.expect(0);
    assert!(!stored.err.contains(TOKEN) && stored.out.is_empty());
    machine.run(&["team", "sync"]).expect(0);
    let file = machine
        .home
        .path()
        .join(".claude/memstrata-team-tokens.json");
    assert!(file.exists());
    // Another server does not get it.
    let other = Server::start();
    machine.set("MEMSTRATA_TEAM_URL", &other.url);
    let run = machine.run(&["team", "status", "--json"]).expect(6);
    assert_eq!(run.json()[0]["missing"], "token");
    machine.set("MEMSTRATA_TEAM_URL", &server.url);
    machine.run(&["team", "login", "--forget"]).expect(0);
    machine.run(&["team", "sync"]).expect(6);
    machine.run(&["team", "login"]).expect(2);
    let two = machine.run_with(&["team", "login", "--with-token"], b"two words");
    two.expect(3);
}

#[cfg(unix)]
#[test]
fn a_token_of_a_file_or_a_command_is_taken_and_a_readable_file_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start();
    let mut machine = Machine::new(&server);
    machine.unset("MEMSTRATA_TEAM_TOKEN");
    let home = machine.home.path().to_owned();
    std::fs::create_dir_all(home.join(".claude")).expect("a folder");
    let settings = home.join(".claude/memstrata.toml");
    let token = home.join("token");
    std::fs::write(&token, TOKEN).expect("a file");
    std::fs::write(&settings, "[team]\ntoken_file = \"~/token\"\n").expect("a file");
    let bits = |bits| {
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(bits)).expect("bits");
    };
    bits(0o644);
    let run = machine.run(&["team", "sync"]).expect(6);
    assert!(
        run.err.contains("chmod 600") && !run.err.contains(TOKEN),
        "{}",
        run.err
    );
    bits(0o600);
    machine.run(&["team", "sync"]).expect(0);
    let command = format!(
        "[team]\ntoken_command = [\"cat\", \"{}\"]\n",
        token.display()
    );
    std::fs::write(&settings, command).expect("a file");
    machine.run(&["team", "sync"]).expect(0);
    // What is in a repository names neither a command nor a server.
    std::fs::write(&settings, "").expect("a file");
    machine.home.file(
        ".memstrata/config.toml",
        "[team]\nserver = \"https://evil.example\"\ntoken_command = [\"touch\", \"/tmp/evil\"]\n",
    );
    let run = machine.run(&["team", "status", "--json"]).expect(6);
    assert_eq!(run.json()[0]["missing"], "token");
}

#[cfg(unix)]
#[test]
fn a_watcher_sends_takes_and_ends_with_a_last_push() {
    use std::io::{BufRead, BufReader};
    let server = Server::start();
    let (anna, ben) = (Machine::new(&server), Machine::new(&server));
    anna.write("before.md", "before\n");
    let mut child = anna
        .command(&["team", "watch", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut all = String::new();
    let mut until = |key: Option<&str>, action: &str| loop {
        let line = out.next().expect("a line").expect("text");
        all.push_str(&line);
        all.push('\n');
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        if value["action"] == action && value["key"].as_str() == key {
            break;
        }
    };
    until(Some("before.md"), "pushed");
    until(None, "watching");
    until(None, "in-step");
    anna.write("after.md", "after\n");
    until(Some("after.md"), "pushed");
    // The server tells: nobody waits for a minute.
    ben.write("his.md", "his\n");
    ben.run(&["team", "sync"]).expect(0);
    until(Some("his.md"), "pulled");
    anna.write("last.md", "last words\n");
    let pid = child.id().to_string();
    let killed = Command::new("kill")
        .args(["-TERM", &pid])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    until(Some("last.md"), "pushed");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    schema::check(
        LINES,
        &Run {
            code: Some(0),
            out: all,
            err: String::new(),
        },
    );
    ben.run(&["team", "pull"]).expect(0);
    assert_eq!(ben.read("last.md").as_deref(), Some("last words\n"));
}

#[test]
fn a_token_without_the_wanted_scopes_is_not_used() {
    let server = Server::start();
    let machine = Machine::new(&server);
    // Somebody has to have shared something before the server says what a token is good for.
    machine.write("first.md", "first\n");
    machine.run(&["team", "sync"]).expect(0);
    let settings = machine.home.path().join(".claude/memstrata.toml");
    std::fs::write(&settings, "[team]\nscopes = [\"profile\", \"more\"]\n").expect("a file");
    machine.write("a.md", "a\n");
    let run = machine.run(&["team", "sync"]).expect(3);
    assert!(run.err.contains("lacks the scopes more"), "{}", run.err);
    let run = machine.run(&["team", "status", "--json"]).expect(6);
    assert_eq!(run.json()[0]["missing"], "scopes");
    std::fs::write(&settings, "[team]\nscopes = [\"profile\"]\n").expect("a file");
    let run = machine.run(&["team", "sync", "--json"]).expect(0);
    assert_eq!(actions(&run), [pair("a.md", "pushed")]);
}

#[test]
fn the_last_run_is_shown_with_its_failure() {
    let server = Server::start();
    let machine = Machine::new(&server);
    let status = machine.run(&["team", "status"]).expect(0);
    assert!(!status.err.contains("last run"), "{}", status.err);
    machine.run(&["team", "sync"]).expect(0);
    let status = machine.run(&["team", "status"]).expect(0);
    assert!(status.err.contains("ended well"), "{}", status.err);
    drop(server);
    machine.write("a.md", "a\n");
    machine.run(&["team", "sync"]).expect(6);
    let status = machine.run(&["team", "status", "--offline"]).expect(1);
    assert!(status.err.contains("ended failed"), "{}", status.err);
}

#[test]
fn the_prompt_knows_the_team_where_a_server_is_configured() {
    let server = Server::start();
    let mut machine = Machine::new(&server);
    assert!(machine.run(&["prompt"]).expect(0).out.contains("/team"));
    machine.unset("MEMSTRATA_TEAM_URL");
    assert!(!machine.run(&["prompt"]).expect(0).out.contains("/team"));
}
