//! The keys of our settings files, so that a slip of the pen is told from a setting.

/// The sections of `memstrata.toml` and what each may hold. The section of models is not here: the crate that
/// speaks to models reads it, and refuses what it does not know.
const SECTIONS: [(&str, &[&str]); 4] = [
    ("modes", &["session", "persistent", "team"]),
    ("secrets", &["private"]),
    ("projects", &["allow_home"]),
    (
        super::source::TEAM_SECTION,
        &[
            "server",
            "allow_http",
            "token_file",
            "token_command",
            "issuer",
            "client_id",
            "scopes",
        ],
    ),
];

/// The sections that a project's file may hold.
const PROJECT_SECTIONS: [&str; 2] = ["modes", "secrets"];

/// So many slips of one file are named.
const MAX_NAMED: usize = 8;

/// So much of a key is shown.
const MAX_KEY_CHARS: usize = 40;

/// What a person's file says that is no setting, one message for each key.
pub(super) fn slips(table: &toml::Table) -> Vec<String> {
    let mut slips = Vec::new();
    for (section, value) in table {
        if section == super::source::MODEL_SECTION {
            continue;
        }
        let Some(keys) = keys_of(section) else {
            let sections = SECTIONS.map(|(name, _)| name).join(", ");
            slips.push(format!(
                "{} is not a setting; the sections are {sections} and {}",
                shown(section),
                super::source::MODEL_SECTION
            ));
            continue;
        };
        for key in value.as_table().into_iter().flatten().map(|(key, _)| key) {
            if !keys.contains(&key.as_str()) {
                slips.push(format!(
                    "{section}.{} is not a setting; [{section}] may hold {}",
                    shown(key),
                    keys.join(", ")
                ));
            }
        }
    }
    if slips.len() > MAX_NAMED {
        let more = slips.len() - MAX_NAMED;
        slips.truncate(MAX_NAMED);
        slips.push(format!("{more} more keys are not settings"));
    }
    slips
}

/// Whether a project's file holds anything that is not read. It is not named: whoever wrote the project chose
/// the words, and they would be shown to people and models.
pub(super) fn holds_more_than_a_project_may(table: &toml::Table, reported: &[&str]) -> bool {
    table.iter().any(|(section, value)| {
        if reported.contains(&section.as_str()) {
            return false;
        }
        let keys = keys_of(section).filter(|_| PROJECT_SECTIONS.contains(&section.as_str()));
        match (keys, value.as_table()) {
            (Some(keys), Some(found)) => found.keys().any(|key| !keys.contains(&key.as_str())),
            _ => true,
        }
    })
}

fn keys_of(section: &str) -> Option<&'static [&'static str]> {
    let known = SECTIONS.iter().find(|(name, _)| *name == section);
    known.map(|(_, keys)| *keys)
}

fn shown(key: &str) -> String {
    let plain = key.chars().filter(|char| !char.is_control());
    plain.take(MAX_KEY_CHARS).collect()
}
