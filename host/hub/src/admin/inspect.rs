//! `GET /admin/v1/adapters/{nome}/inspect`: what `hub adapter inspect` says.

use super::asked::{Asked, Name, unknown};
use super::desk::Desk;
use super::refusals::not_changed;
use crate::adapter::inspection::Inspection;
use crate::releases::change;
use anyhow::Context as _;
use authority::gateway::Gateway;
use axum::Json;
use axum::extract::State;
use gate::error::ApiResult;
use serde::Deserialize;
use std::sync::Arc;
use store::TxError;
use store::tables::releases::{self, ReleaseRow};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// Of a release: its first characters. Absent: what new notes use.
    pub digest: Option<String>,
}

pub(super) async fn inspect(
    State(desk): State<Desk>,
    Name(name): Name,
    Asked(which): Asked<Which>,
) -> ApiResult<Json<Inspection>> {
    of(&desk, &name, which.digest.as_deref()).await.map(Json)
}

/// What is known of the component that new notes use, or of a release.
pub(super) async fn of(desk: &Desk, name: &str, digest: Option<&str>) -> ApiResult<Inspection> {
    let app = desk.app.clone();
    let mut conn = app.db.read().await?;
    let own = releases::of(&mut conn, name).await?;
    let used = app.catalog.current(name);
    let used = used.map(|current| current.digest.clone());
    let (digest, release) = match (digest, &used) {
        (Some(prefix), _) => {
            let found = change::named(name, prefix, &own);
            let found = found.map_err(|refused| not_changed(TxError::Abort(refused)))?;
            (found.digest.clone(), Some(found.clone()))
        }
        (None, Some(used)) => {
            let found = own.iter().find(|release| release.digest == *used);
            (used.clone(), found.cloned())
        }
        (None, None) => return Err(unknown()),
    };
    let bytes = match &release {
        Some(release) => releases::component(&mut conn, &release.digest).await?,
        None => None,
    };
    drop(conn);
    let is_used = used.as_deref() == Some(digest.as_str());
    // Loading takes up to seconds of a processor where this process does not know it.
    let inspecting =
        tokio::task::spawn_blocking(move || inspected(&app, &digest, bytes, release.as_ref()));
    let inspected = inspecting.await.map_err(anyhow::Error::from)??;
    Ok(inspected.in_use(is_used))
}

fn inspected(
    app: &Gateway,
    digest: &str,
    bytes: Option<Vec<u8>>,
    release: Option<&ReleaseRow>,
) -> anyhow::Result<Inspection> {
    let loaded = match (app.catalog.known(digest), &bytes) {
        (Some(known), _) => known,
        (None, Some(bytes)) => {
            let cache = app.config.storage.data_dir.join("cache");
            Arc::new(app.driver.runtime.load(bytes, Some(&cache))?)
        }
        (None, None) => anyhow::bail!("the component {digest} is neither stored nor on the disk"),
    };
    let size = match bytes {
        Some(bytes) => bytes.len(),
        // A component of the folder is kept beside it, by its digest.
        None => {
            let folder = app.config.adapters_folder().join("store");
            let file = folder.join(format!("{}.wasm", loaded.digest));
            let metadata = std::fs::metadata(&file).with_context(|| file.display().to_string())?;
            usize::try_from(metadata.len())?
        }
    };
    let registry = app.registry.load();
    Ok(Inspection::of(&loaded, size, &registry, release))
}
