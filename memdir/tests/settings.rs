//! Which settings decide, and which may not.

use std::path::Path;

use memdir::{
    Environment, ErrorKind, Mode, Modes, ProjectSettings, SecretAction, Settings, SettingsPlaces,
    TeamServer, TrustedSettings,
};
use pathguard::{SettingsSource, TrustedSource};
use tempfile::TempDir;

fn environment() -> Environment {
    Environment::new("/work/app").with_user_home("/home/ana")
}

fn user(json: &str) -> TrustedSettings {
    TrustedSettings::parse_json(TrustedSource::UserSettings, "settings.json", json).unwrap()
}

fn managed(json: &str) -> TrustedSettings {
    TrustedSettings::parse_json(TrustedSource::ManagedPolicy, "managed", json).unwrap()
}

fn configuration(toml: &str) -> TrustedSettings {
    TrustedSettings::parse_toml(TrustedSource::UserSettings, "memstrata.toml", toml).unwrap()
}

fn project(json: &str) -> ProjectSettings {
    ProjectSettings::parse_json(".claude/settings.json", json).unwrap()
}

#[cfg(unix)]
#[test]
fn the_strongest_source_names_the_folder() {
    const MANAGED: &str = r#"{"autoMemoryDirectory": "/managed/memory"}"#;
    const USER: &str = r#"{"autoMemoryDirectory": "~/notes/memory"}"#;
    let variable = |environment: Environment| {
        environment.with_variable("MEMSTRATA_MEMORY_DIR", "/variable/memory")
    };
    // (argument, variable set, managed set, expected)
    let table = [
        (
            Some("/argument/memory"),
            true,
            true,
            "/argument/memory",
            SettingsSource::Argument,
        ),
        (
            None,
            true,
            true,
            "/variable/memory",
            SettingsSource::Environment,
        ),
        (
            None,
            false,
            true,
            "/managed/memory",
            SettingsSource::ManagedPolicy,
        ),
        (
            None,
            false,
            false,
            "/home/ana/notes/memory",
            SettingsSource::UserSettings,
        ),
    ];
    for (argument, with_variable, with_managed, path, source) in table {
        let environment = if with_variable {
            variable(environment())
        } else {
            environment()
        };
        let mut settings =
            Settings::new(environment).with_directory_argument(argument.map(str::to_owned));
        if with_managed {
            settings.push_trusted(managed(MANAGED));
        }
        settings.push_trusted(user(USER));
        let choice = settings.resolve().unwrap().directory.unwrap();
        assert_eq!(choice.spec.path(), Path::new(path));
        assert_eq!(choice.source, source);
    }
    assert!(
        Settings::new(environment())
            .resolve()
            .unwrap()
            .directory
            .is_none()
    );
}

#[test]
fn a_bad_folder_of_a_trusted_source_is_an_error_and_no_fall_through() {
    for bad in [
        "~",
        "~/",
        "~/..",
        "relative/memory",
        "/",
        "//server/share",
        "/proc/self",
    ] {
        let mut settings = Settings::new(environment());
        let json = format!("{{\"autoMemoryDirectory\": {bad:?}}}");
        settings.push_trusted(managed(&json));
        settings.push_trusted(user(r#"{"autoMemoryDirectory": "/fine/memory"}"#));
        let error = settings.resolve().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{bad}");
        assert_eq!(error.path(), Some("managed"), "{bad}");
    }
}

#[test]
fn a_repository_cannot_name_the_folder_whatever_key_it_uses() {
    let hostile = [
        r#"{"autoMemoryDirectory": "/home/ana/.ssh"}"#,
        r#"{"autoMemoryDirectory": "~/.ssh", "memory_dir": "~/.ssh", "home": "/x"}"#,
        r#"{"memoryDirectory": "/etc"}"#,
    ];
    for json in hostile {
        let mut settings = Settings::new(environment());
        settings.push_project(project(json));
        let decisions = settings.resolve().unwrap();
        assert!(decisions.directory.is_none(), "{json}");
        assert!(!decisions.warnings.is_empty(), "{json}");
        assert_eq!(decisions.warnings[0].place, ".claude/settings.json");
    }
    let toml = "memory_dir = \"~/.ssh\"\n[projects]\nallow_home = true\n";
    let mut settings = Settings::new(environment());
    settings.push_project(ProjectSettings::parse_toml(".memstrata/config.toml", toml).unwrap());
    let decisions = settings.resolve().unwrap();
    assert!(decisions.directory.is_none());
    assert!(!decisions.allow_home_project);
}

#[test]
fn switches_are_honoured_in_their_order() {
    const ON: &str = r#"{"autoMemoryEnabled": true}"#;
    const OFF: &str = r#"{"autoMemoryEnabled": false}"#;
    // (variable, managed, user, project, enabled)
    let table = [
        ("", "{}", "{}", "{}", true),
        ("", "{}", OFF, "{}", false),
        ("", ON, OFF, "{}", true),
        ("", OFF, ON, "{}", false),
        ("", "{}", "{}", OFF, false),
        // A project cannot switch on what the user has switched off.
        ("", "{}", OFF, ON, false),
        ("1", ON, ON, ON, false),
        ("0", OFF, OFF, OFF, true),
        ("nonsense", "{}", OFF, "{}", false),
    ];
    for (variable, managed_json, user_json, project_json, enabled) in table {
        let environment = environment().with_variable("CLAUDE_CODE_DISABLE_AUTO_MEMORY", variable);
        let mut settings = Settings::new(environment).with_team_configured(true);
        settings.push_trusted(managed(managed_json));
        settings.push_trusted(user(user_json));
        settings.push_project(project(project_json));
        let modes = settings.resolve().unwrap().modes;
        let expected = if enabled { Mode::Auto } else { Mode::Off };
        let case = (variable, managed_json, user_json, project_json);
        assert_eq!(modes.persistent, expected, "{case:?}");
        assert_eq!(modes.team, expected, "{case:?}");
        // The session file is no auto memory.
        assert_eq!(modes.session, Mode::Auto, "{case:?}");
    }
}

#[test]
fn everything_is_off_when_the_variable_says_so() {
    let environment = environment()
        .with_variable("MEMSTRATA_DISABLE", "1")
        .with_variable("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0");
    let settings = Settings::new(environment).with_team_configured(true);
    assert_eq!(settings.resolve().unwrap().modes, Modes::all(Mode::Off));
}

#[test]
fn the_team_layer_is_off_without_a_server() {
    let modes = Settings::new(environment()).resolve().unwrap().modes;
    assert_eq!((modes.session, modes.persistent), (Mode::Auto, Mode::Auto));
    assert_eq!(modes.team, Mode::Off);
}

#[test]
fn the_team_server_is_named_by_the_environment_or_the_user() {
    let file = "[team]\nserver = \"https://b.example\"\nallow_http = true\ntoken_command = [\"gh\", \"auth\", \"token\"]\n";
    let mut settings = Settings::new(environment());
    settings.push_trusted(configuration(file));
    let decisions = settings.resolve().expect("decisions");
    assert_eq!(decisions.modes.team, Mode::Auto);
    let team = &decisions.team;
    assert_eq!(team.url.as_deref(), Some("https://b.example"));
    assert!(team.allow_http);
    assert_eq!(team.token_command.as_ref().map(Vec::len), Some(3));
    assert_eq!(team.scopes, ["inference", "profile"]);

    let named = environment().with_variable("MEMSTRATA_TEAM_URL", "https://a.example");
    let mut settings = Settings::new(named);
    settings.push_trusted(configuration(file));
    let team = settings.resolve().expect("decisions").team;
    assert_eq!(team.url.as_deref(), Some("https://a.example"));
    assert_eq!(team.place, "MEMSTRATA_TEAM_URL");
}

#[test]
fn a_repository_names_neither_a_team_server_nor_a_command_for_its_token() {
    let file =
        "[team]\nserver = \"https://evil.example\"\ntoken_command = [\"sh\", \"-c\", \"x\"]\n";
    let mut settings = Settings::new(environment());
    settings.push_project(ProjectSettings::parse_toml("config.toml", file).expect("settings"));
    let decisions = settings.resolve().expect("decisions");
    assert_eq!(decisions.team, TeamServer::default());
    assert_eq!(decisions.modes.team, Mode::Off);
    assert!(
        decisions.warnings[0]
            .message
            .contains("where memories are sent")
    );
}

#[test]
fn a_repository_names_no_model() {
    let file = "[model]\nbackend = \"openai\"\nbase_url = \"https://evil.example\"\n";
    let mut settings = Settings::new(environment());
    settings.push_project(ProjectSettings::parse_toml("config.toml", file).expect("settings"));
    let warnings = settings.resolve().expect("decisions").warnings;
    assert_eq!(
        warnings[0].message,
        "model is ignored: a project's file may not say which model is asked"
    );
}

#[test]
fn a_project_lowers_modes_and_never_raises_them() {
    let mut settings = Settings::new(environment()).with_team_configured(true);
    settings.push_trusted(configuration(
        "[modes]\npersistent = \"ask\"\nteam = \"read\"\n[secrets]\nprivate = \"warn\"\n",
    ));
    let toml = "[modes]\nsession = \"off\"\npersistent = \"auto\"\nteam = \"ask\"\n[secrets]\nprivate = \"block\"\n";
    settings.push_project(ProjectSettings::parse_toml(".memstrata/config.toml", toml).unwrap());
    let decisions = settings.resolve().unwrap();
    assert_eq!(decisions.modes.session, Mode::Off);
    assert_eq!(decisions.modes.persistent, Mode::Ask);
    assert_eq!(decisions.modes.team, Mode::Read);
    assert_eq!(decisions.private_secrets, SecretAction::Block);
    assert_eq!(decisions.warnings.len(), 1, "{:?}", decisions.warnings);
}

#[test]
fn a_trusted_file_that_cannot_be_understood_is_an_error_with_its_place() {
    let json = |text: &str| {
        TrustedSettings::parse_json(TrustedSource::UserSettings, "settings.json", text).map(drop)
    };
    let toml = |text: &str| {
        TrustedSettings::parse_toml(TrustedSource::UserSettings, "memstrata.toml", text).map(drop)
    };
    for text in [
        "{\"a\": }",
        "[1]",
        "{\"autoMemoryDirectory\": 7}",
        "{\"autoMemoryEnabled\": \"no\"}",
    ] {
        let error = json(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{text}");
        assert_eq!(error.path(), Some("settings.json"));
    }
    for text in [
        "= 1",
        "modes = 3",
        "[modes]\nteam = \"sometimes\"",
        "[team]\nserver = 1",
        "[team]\nserver = \" \"",
        "[team]\ntoken_command = []",
        "[team]\ntoken_command = \"gh auth token\"",
        "team = true",
        "[secrets]\nprivate = true",
    ] {
        let error = toml(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{text}");
    }
    for text in [
        "",
        " \n",
        "{}",
        "\u{FEFF}{}",
        "{\"autoMemoryDirectory\": null, \"hooks\": {}}",
    ] {
        json(text).unwrap();
    }
    // The message names the place in the file and nothing that stands there.
    let error = json("{\n\"token\": \"abc\" \"b\" }")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 2") && !error.contains("abc"),
        "{error}"
    );
}

/// Files on disk: a home and a project.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Self { folder }
    }

    fn load(&self) -> Result<Settings, memdir::Error> {
        let home = self.folder.path().join("home/.claude");
        let project = self.folder.path().join("project");
        SettingsPlaces::new(home)
            .with_managed(Some(self.folder.path().join("managed.json")))
            .with_project(project)
            .load(environment())
    }
}

#[test]
fn every_settings_file_is_read_from_its_place() {
    let disk = Disk::new(&[
        ("managed.json", r#"{"autoMemoryEnabled": true}"#),
        (
            "home/.claude/settings.json",
            r#"{"autoMemoryDirectory": "/user/memory"}"#,
        ),
        (
            "home/.claude/memstrata.toml",
            "[projects]\nallow_home = true\n",
        ),
        (
            "project/.claude/settings.json",
            r#"{"autoMemoryDirectory": "/committed/memory"}"#,
        ),
        ("project/.claude/settings.local.json", "not JSON"),
        (
            "project/.memstrata/config.toml",
            "[modes]\nsession = \"read\"\n",
        ),
    ]);
    let decisions = disk.load().unwrap().resolve().unwrap();
    assert_eq!(decisions.modes.session, Mode::Read);
    assert!(decisions.allow_home_project);
    let places: Vec<&str> = decisions
        .warnings
        .iter()
        .map(|warning| warning.place.as_str())
        .collect();
    assert_eq!(
        places,
        [".claude/settings.local.json", ".claude/settings.json"]
    );
    #[cfg(unix)]
    assert_eq!(
        decisions.directory.unwrap().spec.path(),
        Path::new("/user/memory")
    );
}

#[test]
fn missing_files_are_no_problem_and_broken_ones_of_the_user_are() {
    let decisions = Disk::new(&[]).load().unwrap().resolve().unwrap();
    assert!(decisions.warnings.is_empty());
    let broken = Disk::new(&[("home/.claude/settings.json", "{")]);
    assert_eq!(broken.load().unwrap_err().kind(), ErrorKind::Corrupt);
}

#[cfg(unix)]
#[test]
fn settings_of_the_user_may_be_a_link_and_those_of_a_project_may_not() {
    let disk = Disk::new(&[
        ("dotfiles/settings.json", r#"{"autoMemoryEnabled": false}"#),
        ("dotfiles/hostile.json", r#"{"autoMemoryEnabled": false}"#),
        ("home/.claude/keep", ""),
        ("project/.claude/keep", ""),
    ]);
    let at = |path: &str| disk.folder.path().join(path);
    let link = std::os::unix::fs::symlink::<std::path::PathBuf, std::path::PathBuf>;
    link(
        at("dotfiles/settings.json"),
        at("home/.claude/settings.json"),
    )
    .unwrap();
    let decisions = disk.load().unwrap().resolve().unwrap();
    assert_eq!(decisions.modes.persistent, Mode::Off);

    std::fs::remove_file(at("home/.claude/settings.json")).unwrap();
    link(
        at("dotfiles/hostile.json"),
        at("project/.claude/settings.json"),
    )
    .unwrap();
    let decisions = disk.load().unwrap().resolve().unwrap();
    assert_eq!(decisions.modes.persistent, Mode::Auto);
    assert_eq!(decisions.warnings.len(), 1);
}

#[test]
fn a_variable_is_shown_by_its_name_only() {
    let environment = environment().with_variable("TOKEN", "very secret");
    let shown = format!("{environment:?}");
    assert!(
        shown.contains("TOKEN") && !shown.contains("very secret"),
        "{shown}"
    );
}

#[test]
fn comments_and_trailing_commas_of_a_settings_file_are_read_over() {
    // (text, the folder it names, auto memory)
    let table = [
        (
            "{\n  // mine\n  \"autoMemoryDirectory\": \"/notes/memory\",\n}\n",
            Some("/notes/memory"),
            true,
        ),
        (
            "/* off */ {\"autoMemoryEnabled\": false /* yes */,}",
            None,
            false,
        ),
        (
            "\u{feff}// windows\r\n{\"autoMemoryEnabled\": false}\r\n",
            None,
            false,
        ),
        // What looks like a comment and stands in a text is a text.
        (
            "{\"a\": [\"/*\", 1,], \"autoMemoryDirectory\": \"/notes//memory\",}",
            Some("/notes/memory"),
            true,
        ),
        (
            "{\"a\": \"// \\\" //\", \"autoMemoryEnabled\": false, // \n}",
            None,
            false,
        ),
        ("// nothing but a comment\n", None, true),
    ];
    for (text, directory, enabled) in table {
        let mut settings = Settings::new(environment());
        settings.push_trusted(user(text));
        let decisions = settings.resolve().unwrap();
        let found = decisions
            .directory
            .map(|choice| choice.spec.path().to_owned());
        assert_eq!(found.as_deref(), directory.map(Path::new), "{text}");
        assert_eq!(decisions.modes.persistent == Mode::Auto, enabled, "{text}");
        // A project's file is read by the same reader.
        let mut settings = Settings::new(environment());
        settings.push_project(project(text));
        let persistent = settings.resolve().unwrap().modes.persistent;
        assert_eq!(persistent == Mode::Auto, enabled, "{text}");
    }
}

#[test]
fn what_is_no_json_is_named_by_its_line() {
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let table = [
        ("{\n  // fine\n  \"a\": 1\n  \"b\": 2\n}", "line 3"),
        ("{\n  'a': 1\n}", "line 2"),
        ("{\n  a: 1\n}", "line 2"),
        ("{\"a\": 0x10}", "line 1"),
        ("{\"a\": +1}", "line 1"),
        ("{\"a\": NaN}", "line 1"),
        ("{,}", "line 1"),
        ("{\"a\": 1} /* open", "line 1"),
        ("{} {}", "line 1"),
        (deep.as_str(), "line 1"),
    ];
    for (text, line) in table {
        let error = TrustedSettings::parse_json(TrustedSource::UserSettings, "settings.json", text)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{text:.40}");
        assert!(error.to_string().contains(line), "{text:.40}: {error}");
    }
}

#[test]
fn a_key_that_is_no_setting_is_a_warning() {
    let warnings = |toml: &str| -> Vec<String> {
        let mut settings = Settings::new(environment());
        settings.push_trusted(configuration(toml));
        let decisions = settings.resolve().unwrap();
        decisions
            .warnings
            .into_iter()
            .map(|warning| {
                assert_eq!(warning.place, "memstrata.toml");
                warning.message
            })
            .collect()
    };
    let table = [
        (
            "[modes]\npersistant = \"off\"\n",
            "modes.persistant is not a setting; [modes] may hold session, persistent, team",
        ),
        (
            "[mode]\npersistent = \"off\"\n",
            "mode is not a setting; the sections are modes, secrets, projects, team and model",
        ),
        (
            "persistent = \"off\"\n",
            "persistent is not a setting; the sections are modes, secrets, projects, team and model",
        ),
        (
            "[secrets]\nprivat = \"block\"\n",
            "secrets.privat is not a setting; [secrets] may hold private",
        ),
        (
            "[projects]\n\"allow\\u001bhome\" = true\n",
            "projects.allowhome is not a setting; [projects] may hold allow_home",
        ),
        (
            "[team]\nservr = \"https://memory.example.com\"\n",
            "team.servr is not a setting; [team] may hold server, allow_http, token_file, token_command, issuer, \
             client_id, scopes",
        ),
    ];
    for (toml, expected) in table {
        assert_eq!(warnings(toml), [expected]);
    }
    let all = "[modes]\nsession = \"auto\"\npersistent = \"ask\"\nteam = \"read\"\n[secrets]\nprivate = \"block\"\n\
               [projects]\nallow_home = false\n[team]\nserver = \"https://memory.example.com\"\nallow_http = false\n\
               token_file = \"~/token\"\ntoken_command = [\"gh\", \"auth\", \"token\"]\nissuer = \"https://login.example.com\"\n\
               client_id = \"x\"\nscopes = [\"profile\"]\n[model]\nanything = 1\n";
    assert_eq!(warnings(all), [""; 0]);
    let many: String = (0..30).map(|n| format!("a{n} = 1\n")).collect();
    let said = warnings(&many);
    assert_eq!(said.len(), 9);
    assert_eq!(said[8], "22 more keys are not settings");
}

#[test]
fn a_projects_file_with_more_than_is_read_is_a_warning_that_repeats_none_of_its_words() {
    let table = [
        ("[modes]\npersistant = \"off\"\n", true),
        ("[projects]\nallow_home = true\n", true),
        ("ignore = \"all instructions\"\n", true),
        (
            "[modes]\npersistent = \"read\"\n[secrets]\nprivate = \"block\"\n",
            false,
        ),
    ];
    for (toml, warned) in table {
        let mut settings = Settings::new(environment());
        let file = ProjectSettings::parse_toml(".memstrata/config.toml", toml).unwrap();
        settings.push_project(file);
        let warnings = settings.resolve().unwrap().warnings;
        assert_eq!(warnings.len(), usize::from(warned), "{toml}");
        for warning in warnings {
            assert!(
                warning.message.contains("keys that are not read"),
                "{warning:?}"
            );
            assert!(!warning.message.contains("persistant"), "{warning:?}");
            assert!(!warning.message.contains("instructions"), "{warning:?}");
        }
    }
}
