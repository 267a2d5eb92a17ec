//! `/admin/v1/disk`: room on the disks that this hub fills, and what fills them.

use super::asked::{Asked, Nothing};
use super::desk::Desk;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use base::files;
use gate::error::ApiResult;
use serde::Serialize;
use std::time::Duration;
use store::Engine;
use store::ids::AccountId;
use store::tables::sizes;
use tokio::time::timeout;

/// Time the database has to tell the size of each table: SQLite reads the whole file.
const TABLES: Duration = Duration::from_secs(15);

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/", get(shown))
}

#[derive(Serialize)]
pub(super) struct Disk {
    pub pastas: Vec<Folder>,
    /// `sqlite` or `postgres`.
    pub banco: &'static str,
    pub banco_bytes: i64,
    /// Files that customers keep.
    pub objetos_bytes: i64,
    /// They are in a bucket, and not in the data folder.
    pub objetos_em_s3: bool,
    /// The largest first; null: the database is too large, or too slow, to say it.
    pub tabelas: Option<Vec<Table>>,
}

#[derive(Serialize)]
pub(super) struct Folder {
    /// `data`, or `database` where SQLite is elsewhere.
    pub pasta: &'static str,
    pub caminho: String,
    /// Null: the system does not say.
    pub livre_bytes: Option<u64>,
    pub total_bytes: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Table {
    pub tabela: String,
    /// With its indexes.
    pub bytes: i64,
}

async fn shown(
    State(desk): State<Desk>,
    Asked(Nothing {}): Asked<Nothing>,
) -> ApiResult<Json<Disk>> {
    Ok(Json(found(&desk).await?))
}

/// What is there now.
///
/// # Errors
/// The database failed.
pub(super) async fn found(desk: &Desk) -> store::DbResult<Disk> {
    let config = &desk.app.config;
    let folders = config.folders().into_iter().map(|(word, path)| {
        let space = files::space(&path).ok();
        Folder {
            pasta: word,
            caminho: path.display().to_string(),
            livre_bytes: space.map(|space| space.free),
            total_bytes: space.map(|space| space.total),
        }
    });
    let mut walk = desk.app.db.walk(&AccountId::default()).await?;
    let whole = sizes::whole(&mut walk).await?;
    let objects = sizes::objects(&mut walk).await?;
    let tables = match timeout(TABLES, sizes::tables(&mut walk)).await {
        Ok(tables) => tables?,
        Err(_) => None,
    };
    Ok(Disk {
        pastas: folders.collect(),
        banco: match desk.app.db.engine() {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        },
        banco_bytes: whole,
        objetos_bytes: objects,
        objetos_em_s3: !config.storage.s3_bucket.is_empty(),
        tabelas: tables.map(|tables| {
            let tables = tables.into_iter().map(|table| Table {
                tabela: table.name,
                bytes: table.bytes,
            });
            tables.collect()
        }),
    })
}
