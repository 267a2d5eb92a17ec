//! Each node looks every second at what is in use, loads what it lacks and
//! gives it to new flows.

use super::change::{self, Actor, Change, Consent};
use super::judge;
use authority::catalog::Release;
use authority::gateway::Gateway;
use base::metrics::ADAPTER_CHANGES;
use flow::Loaded;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::tables::releases::{self, ReleaseRow, ReleaseStatus};
use store::{DbResult, TxError};
use tokio::sync::Mutex;

/// How often a node looks. Each look is one statement over a small table.
const EVERY: Duration = Duration::from_secs(1);

/// After a flow broke: others of the same release break at the same moment.
const GATHERED: Duration = Duration::from_millis(50);

/// A release that could not be loaded is tried again after this time, then after
/// twice of it, up to some hours: a disk may be full, and a component may be damaged.
const AGAIN_MS: i64 = 60_000;
const MOST_DOUBLINGS: u32 = 8;

/// What a process serves; its watcher and its tests share it.
pub type Following = Arc<Mutex<Follower>>;

/// What a node serves, and what it could not load.
#[derive(Default)]
pub struct Follower {
    /// All releases, as the database said last.
    seen: Vec<ReleaseRow>,
    /// The active releases that are served, by name.
    active: BTreeMap<String, Arc<Loaded>>,
    /// By digest.
    refused: BTreeMap<String, Failed>,
}

/// A release that this process could not load.
struct Failed {
    attempts: u32,
    again_at_ms: i64,
}

impl Follower {
    /// Whether one that could not be loaded is to be tried again.
    fn tries_again(&self, now_ms: i64) -> bool {
        self.refused
            .values()
            .any(|failed| failed.again_at_ms <= now_ms)
    }
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
        tokio::select! {
            _ = tick.tick() => {}
            // Each flow of a bad release breaks: it does not wait for the next look.
            () = app.driver.runtime.broke.notified() => tokio::time::sleep(GATHERED).await,
        }
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
    let releases = releases::followed(&mut conn).await?;
    drop(conn);
    if releases == follower.seen && !follower.tries_again(app.now_ms()) {
        return Ok(());
    }
    let used = |digest: &str| {
        let release = releases.iter().find(|release| release.digest == digest);
        release.is_some_and(in_use)
    };
    follower.refused.retain(|digest, _| used(digest));
    let (mut served, mut active) = (Vec::new(), BTreeMap::new());
    for release in releases.iter().filter(|release| in_use(release)) {
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
    let before = |release: &ReleaseRow| follower.seen.contains(release);
    let changed = releases.iter().filter(|it| in_use(it) && !before(it));
    for release in changed {
        let (name, version, digest) = (&release.name, &release.version, &release.digest);
        let (status, percent) = (release.status.as_str(), release.percent);
        ADAPTER_CHANGES.count([name, status]);
        tracing::info!(adapter = %name, version, digest, status, percent, "release");
    }
    follower.active = active;
    follower.seen = releases;
    Ok(())
}

/// Whether new flows may use it.
fn in_use(release: &ReleaseRow) -> bool {
    matches!(
        release.status,
        ReleaseStatus::Active | ReleaseStatus::Canary
    )
}

/// The component of a release, from this process, its disk, or the database.
async fn component(
    app: &Gateway,
    release: &ReleaseRow,
    refused: &mut BTreeMap<String, Failed>,
) -> DbResult<Option<Arc<Loaded>>> {
    let failed = refused.get(&release.digest);
    if failed.is_some_and(|failed| failed.again_at_ms > app.now_ms()) {
        return Ok(None);
    }
    let attempts = failed.map_or(0, |failed| failed.attempts);
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
        component.declared().map_err(|error| error.to_string())?;
        let said = (&component.digest, &component.description.name);
        if said == (&release.digest, &release.name) {
            Ok(component)
        } else {
            Err("the stored component is not the one that was installed".to_owned())
        }
    });
    Ok(match right {
        Ok(component) => {
            refused.remove(&release.digest);
            Some(component)
        }
        Err(why) => {
            tracing::error!(adapter = %release.name, digest = %release.digest, why, "release cannot be used; the component before goes on, and it is tried again later");
            let failed = Failed {
                attempts: attempts + 1,
                again_at_ms: app.now_ms() + (AGAIN_MS << attempts.min(MOST_DOUBLINGS)),
            };
            refused.insert(release.digest.clone(), failed);
            None
        }
    })
}

/// Takes releases back that fail in this process.
async fn take_back(app: &Gateway, following: &Following) {
    let seen = following.lock().await.seen.clone();
    for release in seen.iter().filter(|release| in_use(release)) {
        let Some(component) = app.catalog.known(&release.digest) else {
            continue;
        };
        let before = before(app, release, &seen);
        let Some(why) = judge::failing(&component, before.as_deref(), app.now_ms()) else {
            continue;
        };
        let actor = Actor {
            name: "hub".to_owned(),
            now_ms: app.now_ms(),
        };
        let change = Change::Quarantine {
            digest: release.digest.clone(),
            why: why.clone(),
            in_folder: app.catalog.in_folder(&release.name).is_some(),
        };
        let consent = Consent::default();
        match change::make(&app.db, &release.name, change, &consent, &actor).await {
            Ok(_) => {
                ADAPTER_CHANGES.count([&release.name, ReleaseStatus::Quarantined.as_str()]);
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

/// What a release is compared with: of a canary, the active release; of the active
/// one, the one before it; the folder's component where there is none.
fn before(app: &Gateway, release: &ReleaseRow, all: &[ReleaseRow]) -> Option<Arc<Loaded>> {
    let status = match release.status {
        ReleaseStatus::Canary => ReleaseStatus::Active,
        _ => ReleaseStatus::Previous,
    };
    let other = all
        .iter()
        .find(|other| other.name == release.name && other.status == status);
    match other {
        Some(other) => app.catalog.known(&other.digest),
        None => app.catalog.in_folder(&release.name),
    }
}
