//! Each node looks every two seconds at what is in use, loads what it lacks and
//! gives it to new flows.

use super::change::{self, Actor, Change};
use super::judge;
use authority::catalog::Release;
use authority::gateway::Gateway;
use flow::Loaded;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::tables::releases::{self, ReleaseRow, ReleaseStatus};
use store::{DbResult, TxError};
use tokio::sync::Mutex;

/// How often a node looks. Each look is one statement over a small table.
const EVERY: Duration = Duration::from_secs(2);

/// What a process serves; its watcher and its tests share it.
pub type Following = Arc<Mutex<Follower>>;

/// What a node serves, and what it could not load.
#[derive(Default)]
pub struct Follower {
    /// What the database said last.
    seen: Vec<ReleaseRow>,
    /// The active releases that are served, by name.
    active: BTreeMap<String, Arc<Loaded>>,
    /// By digest: why. It is not tried again by this process.
    refused: BTreeMap<String, String>,
}

/// Serves what is in use when a process starts.
///
/// # Errors
/// The database fails.
pub async fn begin(app: &Gateway) -> DbResult<Following> {
    let following = Following::default();
    refresh(app, &following).await?;
    Ok(following)
}

/// Looks for as long as the process takes up work.
pub async fn poll(app: Gateway, following: Following) {
    let mut tick = tokio::time::interval(EVERY);
    loop {
        tick.tick().await;
        if app.draining.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = look(&app, &following).await {
            tracing::warn!(%error, "which adapters are in use is not known; asked again later");
        }
    }
}

/// One look: takes back what fails in this process, then serves what is in use.
///
/// # Errors
/// The database fails; what was served goes on.
pub async fn look(app: &Gateway, following: &Following) -> DbResult<()> {
    take_back(app, following).await;
    refresh(app, following).await
}

async fn refresh(app: &Gateway, following: &Following) -> DbResult<()> {
    let mut follower = following.lock().await;
    let mut conn = app.db.read().await?;
    let mut releases = releases::all(&mut conn).await?;
    drop(conn);
    releases.retain(|release| {
        matches!(
            release.status,
            ReleaseStatus::Active | ReleaseStatus::Canary
        )
    });
    if releases == follower.seen {
        return Ok(());
    }
    let (mut served, mut active) = (Vec::new(), BTreeMap::new());
    for release in &releases {
        let canary = release.status == ReleaseStatus::Canary;
        let component = component(app, release, &mut follower.refused).await?;
        if canary {
            let percent = u8::try_from(release.percent).ok();
            served.extend(component.map(|component| Release { component, percent }));
            continue;
        }
        let before = || follower.active.get(&release.name).cloned();
        if let Some(component) = component.or_else(before) {
            active.insert(release.name.clone(), component.clone());
            served.push(Release {
                component,
                percent: None,
            });
        }
    }
    app.catalog.serve(served);
    for release in &releases {
        let (name, version, digest) = (&release.name, &release.version, &release.digest);
        let (status, percent) = (release.status.as_str(), release.percent);
        tracing::info!(adapter = %name, version, digest, status, percent, "release");
    }
    follower.active = active;
    follower.seen = releases;
    Ok(())
}

/// The component of a release, from this process, its disk, or the database.
async fn component(
    app: &Gateway,
    release: &ReleaseRow,
    refused: &mut BTreeMap<String, String>,
) -> DbResult<Option<Arc<Loaded>>> {
    if refused.contains_key(&release.digest) {
        return Ok(None);
    }
    let (hub, digest) = (app.clone(), release.digest.clone());
    // Reading it from disk and compiling take up to seconds of a processor.
    let known = tokio::task::spawn_blocking(move || hub.catalog.known(&digest)).await;
    let admitted = match known {
        Ok(Some(known)) => Ok(known),
        Ok(None) => {
            let mut conn = app.db.read().await?;
            let bytes = releases::component(&mut conn, &release.digest).await?;
            drop(conn);
            let hub = app.clone();
            let admitted = tokio::task::spawn_blocking(move || {
                hub.catalog
                    .admit(&bytes.ok_or("the database has no such component")?)
            });
            admitted.await.unwrap_or_else(|end| Err(end.to_string()))
        }
        Err(end) => Err(end.to_string()),
    };
    let right = admitted.and_then(|component| {
        let said = (&component.digest, &component.description.name);
        if said == (&release.digest, &release.name) {
            Ok(component)
        } else {
            Err("the stored component is not the one that was installed".to_owned())
        }
    });
    Ok(match right {
        Ok(component) => Some(component),
        Err(why) => {
            tracing::error!(adapter = %release.name, digest = %release.digest, why, "release cannot be used; the component before goes on");
            refused.insert(release.digest.clone(), why);
            None
        }
    })
}

/// Takes releases back that fail in this process.
async fn take_back(app: &Gateway, following: &Following) {
    let seen = following.lock().await.seen.clone();
    for release in &seen {
        let Some(component) = app.catalog.known(&release.digest) else {
            continue;
        };
        let Some(why) = judge::failing(&component) else {
            continue;
        };
        let actor = Actor {
            name: "hub".to_owned(),
            now_ms: app.now_ms(),
        };
        let change = Change::Quarantine {
            digest: release.digest.clone(),
            why: why.clone(),
            in_folder: app.catalog.in_folder(&release.name),
        };
        match change::make(&app.db, &release.name, change, &actor).await {
            Ok(_) => {
                tracing::error!(adapter = %release.name, digest = %release.digest, why, "release failed and was taken back");
            }
            // Another node did, or nothing else speaks to its authorities.
            Err(TxError::Abort(refused)) => {
                tracing::debug!(adapter = %release.name, %refused, "a failing release stays");
            }
            Err(TxError::Db(error)) => {
                tracing::warn!(%error, "a failing release is still in use");
            }
        }
    }
}
