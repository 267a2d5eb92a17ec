//! `hub move-store`: the same hub on another database.

use anyhow::Context as _;
use base::config::Config;
use base::files;
use store::Conn;
use store::copy::{self, Copied};

/// Copies the database of the settings into an empty one. Keys and files stay
/// in the data folder, the source is as it was.
///
/// # Errors
/// A hub runs, the target is not empty, or something was not copied as it
/// is; the target is empty then.
pub async fn move_store(config: &Config, to: &str) -> anyhow::Result<Copied> {
    let data_dir = &config.storage.data_dir;
    let url = config.database_url();
    anyhow::ensure!(url != to, "--to is the database in use");
    // On SQLite the lock says that no hub runs, and none can begin; on
    // PostgreSQL the server says it, before and after.
    let _lock = files::lock(&data_dir.join(files::HUB))
        .with_context(|| format!("data folder {}", data_dir.display()))?;
    let mut source = copy::connect(&url).await.context("source")?;
    nobody(&mut source, "source").await?;
    let mut target = copy::migrated(to).await.context("target")?;
    nobody(&mut target, "target").await?;
    let copied = copy::copy(&mut source, &mut target).await?;
    nobody(&mut source, "source")
        .await
        .context("what it did meanwhile is not in the target; empty the target and begin again")?;
    Ok(copied)
}

async fn nobody(conn: &mut Conn, which: &str) -> anyhow::Result<()> {
    let hubs = copy::hubs(conn).await?;
    anyhow::ensure!(
        hubs == 0,
        "a hub is running on the {which} ({hubs} connections): stop it first"
    );
    Ok(())
}
