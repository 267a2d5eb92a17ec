//! Follows the imported editions of official tables: a node serves what is active when
//! it starts, and what became active since then within half a minute, without a restart.

use authority::gateway::Gateway;
use datasets::rates::tables::{Change, Follower};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Db, DbResult};
use tokio::sync::Mutex;

/// How often a node looks which editions are active. Imports are rare, and each look is
/// one statement.
const EVERY: Duration = Duration::from_secs(30);

/// Which editions a process serves.
pub type Served = Arc<Mutex<Follower>>;

/// Serves the editions that are active when a process starts.
///
/// # Errors
/// The database fails.
pub(crate) async fn begin(db: &Db) -> DbResult<Served> {
    let served = Served::default();
    refresh(db, &served).await?;
    Ok(served)
}

/// Looks for as long as the process takes up work.
pub(crate) async fn poll(app: Gateway, served: Served) {
    let mut tick = tokio::time::interval(EVERY);
    // The first tick comes at once, and the start has just looked.
    tick.tick().await;
    loop {
        tick.tick().await;
        if app.draining.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = refresh(&app.db, &served).await {
            tracing::warn!(%error, "which tables were imported is not known; asked again later");
        }
    }
}

/// Serves the editions that are active now; what changed.
///
/// # Errors
/// The database fails; what was served goes on.
pub async fn refresh(db: &Db, served: &Served) -> DbResult<Vec<Change>> {
    let changes = served.lock().await.refresh(db).await?;
    for change in &changes {
        match change {
            Change::Installed { table, version } => {
                tracing::info!(table, version, "an imported table answers");
            }
            Change::Withdrawn { table } => {
                tracing::info!(table, "the built-in table answers again");
            }
            Change::Refused { table, why } => {
                tracing::error!(table, why, "an imported table cannot be used");
            }
        }
    }
    Ok(changes)
}
