//! `hub compact --vacuum`: the room that deleted rows left goes back to the system.

use anyhow::Context as _;
use base::config::Config;
use base::files;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Conn;
use store::copy;
use store::copy::vacuum::{self, FilePages};

/// Time for others to write between two steps.
const PAUSE: Duration = Duration::from_millis(20);

/// Gives back the room that deleted rows left: of tables on PostgreSQL, of the file on SQLite.
///
/// # Errors
/// The database cannot be read or written, a hub runs on a SQLite file that can only be
/// written anew, or the disk has no room for that.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let url = config.database_url();
    let mut conn = copy::connect(&url).await?;
    match vacuum::pages(&mut conn).await? {
        None => in_tables(&mut conn).await,
        Some(pages) if pages.in_steps() => in_steps(&mut conn, pages).await,
        Some(pages) => whole(config, &url, &mut conn, pages).await,
    }
}

async fn in_tables(conn: &mut Conn) -> anyhow::Result<()> {
    let tables = vacuum::tables(conn).await?;
    for (number, name) in tables.iter().enumerate() {
        vacuum::table(conn, name).await?;
        say!("vacuum:  {} of {}: {name}", number + 1, tables.len());
    }
    Ok(())
}

async fn in_steps(conn: &mut Conn, begun: FilePages) -> anyhow::Result<()> {
    let mut left = begun;
    while left.unused > 0 {
        vacuum::step(conn).await?;
        let now = vacuum::pages(conn).await?.context("a SQLite file")?;
        // Those that come to be unused meanwhile are for the next time.
        if now.unused >= left.unused {
            break;
        }
        left = now;
        tokio::time::sleep(PAUSE).await;
    }
    told(begun, left);
    Ok(())
}

async fn whole(
    config: &Config,
    url: &str,
    conn: &mut Conn,
    begun: FilePages,
) -> anyhow::Result<()> {
    let _alone = files::lock(&config.storage.data_dir.join(files::HUB))
        .context("a hub is running: stop it first, for nobody may write meanwhile")?;
    let file = crate::backup::sqlite_file(url).context("a SQLite file")?;
    let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
    // The pages are written beside the file, and before that into a temporary one.
    room(folder.unwrap_or(Path::new(".")), begun.used_bytes() * 2)?;
    room(&temporary(), begun.used_bytes())?;
    vacuum::whole(conn).await?;
    let now = vacuum::pages(conn).await?.context("a SQLite file")?;
    told(begun, now);
    Ok(())
}

fn room(folder: &Path, bytes: u64) -> anyhow::Result<()> {
    let space = files::space(folder).with_context(|| folder.display().to_string())?;
    anyhow::ensure!(
        space.free >= bytes,
        "{}: {} bytes are free, {bytes} are needed to write the database anew; SQLITE_TMPDIR names another folder for temporary files",
        folder.display(),
        space.free
    );
    Ok(())
}

/// Where SQLite has temporary files.
fn temporary() -> PathBuf {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter();
    let named = named.filter_map(std::env::var_os).map(PathBuf::from);
    let mut all = named.chain(["/var/tmp", "/usr/tmp", "/tmp"].map(PathBuf::from));
    all.find(|folder| folder.is_dir())
        .unwrap_or_else(|| PathBuf::from("."))
}

fn told(before: FilePages, after: FilePages) {
    let given = before.unused_bytes().saturating_sub(after.unused_bytes());
    say!(
        "vacuum:  {given} bytes were given back; the database has {} now, {} of them unused",
        after.used_bytes() + after.unused_bytes(),
        after.unused_bytes()
    );
}
