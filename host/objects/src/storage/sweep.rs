//! Removes files that are no object's content: what crashes leave behind.

use super::backend::reason;
use super::parts::Objects;
use super::{ROW_TIME_MS, VERSION};
use base::ids;
use futures::StreamExt as _;
use std::time::Duration;
use store::rounds::Rounds;
use store::tables::objetos;

/// How often a node looks. Each look lists the whole store.
const EVERY: Duration = Duration::from_secs(3_600);
/// A younger file may still get its row.
const AGE_MS: i64 = 2 * ROW_TIME_MS;

/// The loop of a node.
pub async fn poll(app: Objects) {
    let mut rounds = Rounds::every(&app, EVERY);
    loop {
        rounds.next().await;
        if let Err(error) = sweep(&app).await {
            tracing::error!(error = %format!("{error:#}"), "files without objects cannot be removed");
        }
    }
}

/// Removes what is old enough and has no row; how many files that were.
///
/// # Errors
/// The store or the database failed.
pub async fn sweep(app: &Objects) -> anyhow::Result<u64> {
    let now_ms = app.now_ms();
    let old = |name: &str| ids::moment(VERSION, name).is_some_and(|ms| now_ms - ms > AGE_MS);
    let mut removed = 0;
    let mut files = app.objects.list();
    while let Some(arquivo) = files.next().await {
        let arquivo = arquivo.map_err(|error| anyhow::anyhow!(reason(&error)))?;
        let name = arquivo.rsplit('/').next().unwrap_or_default();
        if !old(name) {
            continue;
        }
        let mut conn = app.db.read().await?;
        let used = objetos::is_content(&mut conn, &arquivo).await?;
        drop(conn);
        if !used {
            app.objects.remove(&arquivo).await;
            removed += 1;
        }
    }
    removed += app.objects.remove_begun(old).await?;
    if removed > 0 {
        tracing::info!(files = removed, "files without objects removed");
    }
    Ok(removed)
}
