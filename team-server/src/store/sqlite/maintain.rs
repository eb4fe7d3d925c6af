//! Tokens, backup, check.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema;
use crate::store::CheckReport;
use crate::store::content::fits;
use crate::token::{Grant, Presented};

const GRANT: &str =
    "SELECT id, name, repositories, scopes, writes, hash FROM token WHERE revoked IS NULL";

pub(super) fn grant(connection: &Connection, presented: &Presented) -> Result<Option<Grant>> {
    let mut statement = connection.prepare_cached(&format!("{GRANT} AND id = ?1"))?;
    let found = statement
        .query_row([&presented.id], |row| {
            Ok((read_grant(row)?, row.get::<_, Vec<u8>>(5)?))
        })
        .optional()?;
    Ok(found
        .filter(|(_, hash)| presented.matches(hash))
        .map(|(grant, _)| grant))
}

fn read_grant(row: &Row<'_>) -> rusqlite::Result<Grant> {
    let list = |text: String| text.split_whitespace().map(str::to_owned).collect();
    Ok(Grant {
        id: row.get(0)?,
        name: row.get(1)?,
        repositories: list(row.get(2)?),
        scopes: list(row.get(3)?),
        write: row.get(4)?,
    })
}

pub(super) fn add_token(
    connection: &Connection,
    hash: &[u8],
    grant: &Grant,
    at: &str,
) -> Result<()> {
    connection.execute(
        "INSERT INTO token (id, hash, name, repositories, scopes, writes, created)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            grant.id,
            hash,
            grant.name,
            grant.repositories.join(" "),
            grant.scopes.join(" "),
            grant.write,
            at
        ],
    )?;
    Ok(())
}

pub(super) fn tokens(connection: &Connection) -> Result<Vec<Grant>> {
    let mut statement = connection.prepare(&format!("{GRANT} ORDER BY name, id"))?;
    let grants = statement.query_map([], read_grant)?;
    Ok(grants.collect::<Result<_, _>>()?)
}

pub(super) fn revoke(connection: &Connection, id: &str, at: &str) -> Result<bool> {
    let sql = "UPDATE token SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL";
    Ok(connection.execute(sql, (id, at))? > 0)
}

pub(super) fn backup(connection: &Connection, target: &Path) -> Result<()> {
    if target.exists() {
        bail!("{} exists already", target.display());
    }
    let shown = target.display().to_string();
    // One consistent copy, beside readers and the writer.
    connection
        .execute("VACUUM INTO ?1", [&shown])
        .with_context(|| format!("the backup {shown} cannot be written"))?;
    let copy = Connection::open(target)?;
    copy.execute(
        "INSERT OR REPLACE INTO setting (name, value) VALUES (?1, 'yes')",
        [schema::RESTORED],
    )?;
    copy.close().map_err(|(_, error)| error)?;
    std::fs::File::open(target)?.sync_all()?;
    Ok(())
}

pub(super) fn check(connection: &Connection) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let whole: String = connection.query_row("PRAGMA integrity_check(10)", [], |row| row.get(0))?;
    if whole != "ok" {
        report
            .problems
            .push(format!("the file is damaged: {whole}"));
    }
    let mut statement = connection.prepare(
        "SELECT repository.name, blob.hash, blob.content FROM blob
         JOIN repository ON repository.id = blob.repository",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, hash): (String, String) = (row.get(0)?, row.get(1)?);
        let Some(packed) = row.get_ref(2)?.as_blob_or_null()? else {
            report.redacted += 1;
            continue;
        };
        report.contents += 1;
        if !fits(packed, &hash) {
            report.problems.push(format!(
                "{name}: the content {hash} does not fit its checksum"
            ));
        }
    }
    let mut statement = connection.prepare(
        "SELECT repository.name, entry.key FROM entry
         JOIN repository ON repository.id = entry.repository
         LEFT JOIN blob ON blob.repository = entry.repository AND blob.hash = entry.hash
         WHERE blob.content IS NULL",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, key): (String, String) = (row.get(0)?, row.get(1)?);
        report
            .problems
            .push(format!("{name}: {key} has no content"));
    }
    Ok(report)
}
