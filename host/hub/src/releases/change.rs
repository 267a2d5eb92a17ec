//! Changes of what is in use, each one transaction with its row of
//! `adapter_actions`.

use base::ids;
use store::tables::releases::{self, ActionRow, ReleaseRow, ReleaseStatus};
use store::{Conn, Db, DbResult, TxError};

/// Who changes a release, and when.
#[derive(Clone, Debug)]
pub struct Actor {
    pub name: String,
    pub now_ms: i64,
}

/// A change of the releases of one adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A part of the emitters uses it: how many in a hundred.
    Canary(String, u8),
    /// New flows use it, whatever was active before.
    Activate(String),
    /// What is a canary becomes active.
    Promote,
    /// A canary is given up; without one, the release that was active before is
    /// active again, or the component of the folder.
    Rollback,
    /// The hub gives up a release that fails, as a rollback does.
    Quarantine {
        digest: String,
        why: String,
        /// Whether the adapters folder has a component that takes its place.
        in_folder: bool,
    },
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("no release of {0} is installed")]
    Nothing(String),
    #[error("{0} has no release whose digest begins with {1:?}")]
    Unknown(String, String),
    #[error("{0} has several releases whose digest begins with {1:?}: give more of it")]
    Ambiguous(String, String),
    #[error("release {0} ({1}) is in quarantine because it failed: install another one")]
    Quarantined(String, String),
    #[error("{0} has no canary")]
    NoCanary(String),
    #[error("{0} has neither a canary nor an active release to take back")]
    NothingActive(String),
    #[error("release {0} fails, and nothing else speaks to its authorities")]
    NoOther(String),
    #[error("release {0} is the active one already")]
    Active(String),
}

/// Makes a change; the releases of the adapter after it.
///
/// # Errors
/// The change is none that can be made now, or the database failed.
pub async fn make(
    db: &Db,
    name: &str,
    change: Change,
    actor: &Actor,
) -> Result<Vec<ReleaseRow>, TxError<Refused>> {
    let input = (name.to_owned(), change, actor.clone());
    db.write(input, |(name, change, actor), conn| {
        Box::pin(async move {
            releases::lock(conn, name).await?;
            let before = of(conn, name).await?;
            if before.is_empty() {
                return Err(TxError::Abort(Refused::Nothing(name.clone())));
            }
            let (word, digest, detail) = apply(conn, name, change, &before, actor.now_ms).await?;
            releases::record(conn, &action(actor, word, name, &digest, &detail)).await?;
            Ok(of(conn, name).await?)
        })
    })
    .await
}

/// The releases of one adapter.
async fn of(conn: &mut Conn, name: &str) -> DbResult<Vec<ReleaseRow>> {
    let mut all = releases::all(conn).await?;
    all.retain(|release| release.name == name);
    Ok(all)
}

/// What was done, to which release, and a word more about it.
type Done = (&'static str, String, String);

async fn apply(
    conn: &mut Conn,
    name: &str,
    change: &Change,
    before: &[ReleaseRow],
    now_ms: i64,
) -> Result<Done, TxError<Refused>> {
    let with = |status| before.iter().find(|release| release.status == status);
    match change {
        Change::Canary(prefix, percent) => {
            let release = usable(name, prefix, before)?;
            releases::change_of(
                conn,
                name,
                ReleaseStatus::Canary,
                ReleaseStatus::Staged,
                now_ms,
            )
            .await?;
            let (digest, percent) = (&release.digest, i64::from(*percent));
            releases::change(conn, name, digest, ReleaseStatus::Canary, percent, now_ms).await?;
            Ok(("canary", digest.clone(), format!("{percent} %")))
        }
        Change::Activate(prefix) => {
            let release = usable(name, prefix, before)?;
            activate(conn, release, now_ms).await?;
            Ok(("activate", release.digest.clone(), release.version.clone()))
        }
        Change::Promote => {
            let canary = with(ReleaseStatus::Canary)
                .ok_or_else(|| TxError::Abort(Refused::NoCanary(name.to_owned())))?;
            activate(conn, canary, now_ms).await?;
            Ok(("promote", canary.digest.clone(), canary.version.clone()))
        }
        Change::Rollback => {
            let release = with(ReleaseStatus::Canary)
                .or_else(|| with(ReleaseStatus::Active))
                .ok_or_else(|| TxError::Abort(Refused::NothingActive(name.to_owned())))?;
            give_up(conn, release, ReleaseStatus::Retired, now_ms).await?;
            Ok(("rollback", release.digest.clone(), release.version.clone()))
        }
        Change::Quarantine {
            digest,
            why,
            in_folder,
        } => {
            // Another node may have done it.
            let release = before.iter().find(|release| {
                release.digest == *digest
                    && matches!(
                        release.status,
                        ReleaseStatus::Canary | ReleaseStatus::Active
                    )
            });
            let release =
                release.ok_or_else(|| TxError::Abort(Refused::NothingActive(name.to_owned())))?;
            let other = *in_folder || with(ReleaseStatus::Previous).is_some();
            if release.status == ReleaseStatus::Active && !other {
                return Err(TxError::Abort(Refused::NoOther(digest.clone())));
            }
            give_up(conn, release, ReleaseStatus::Quarantined, now_ms).await?;
            Ok(("quarantine", digest.clone(), why.clone()))
        }
    }
}

/// The release whose digest begins so, if it may be used and is not used yet.
fn usable<'r>(
    name: &str,
    prefix: &str,
    before: &'r [ReleaseRow],
) -> Result<&'r ReleaseRow, TxError<Refused>> {
    let refused = |refused| Err(TxError::Abort(refused));
    let mut matching = before
        .iter()
        .filter(|release| release.digest.starts_with(prefix));
    let Some(release) = matching.next() else {
        return refused(Refused::Unknown(name.to_owned(), prefix.to_owned()));
    };
    if matching.next().is_some() {
        return refused(Refused::Ambiguous(name.to_owned(), prefix.to_owned()));
    }
    match release.status {
        ReleaseStatus::Quarantined => refused(Refused::Quarantined(
            release.digest.clone(),
            release.version.clone(),
        )),
        ReleaseStatus::Active => refused(Refused::Active(release.digest.clone())),
        _ => Ok(release),
    }
}

async fn activate(conn: &mut Conn, release: &ReleaseRow, now_ms: i64) -> DbResult<()> {
    use ReleaseStatus::{Active, Previous, Retired};
    let name = &release.name;
    releases::change_of(conn, name, Previous, Retired, now_ms).await?;
    releases::change_of(conn, name, Active, Previous, now_ms).await?;
    releases::change(conn, name, &release.digest, Active, 0, now_ms).await?;
    Ok(())
}

/// Gives a canary or the active release up; the one before the active one is
/// active again.
async fn give_up(
    conn: &mut Conn,
    release: &ReleaseRow,
    to: ReleaseStatus,
    now_ms: i64,
) -> DbResult<()> {
    let name = &release.name;
    releases::change(conn, name, &release.digest, to, 0, now_ms).await?;
    if release.status == ReleaseStatus::Active {
        releases::change_of(
            conn,
            name,
            ReleaseStatus::Previous,
            ReleaseStatus::Active,
            now_ms,
        )
        .await?;
    }
    Ok(())
}

/// A row of `adapter_actions`.
pub(super) fn action(
    actor: &Actor,
    word: &str,
    name: &str,
    digest: &str,
    detail: &str,
) -> ActionRow {
    ActionRow {
        id: ids::new("act", actor.now_ms),
        at_ms: actor.now_ms,
        action: word.to_owned(),
        name: name.to_owned(),
        digest: digest.to_owned(),
        actor: actor.name.clone(),
        detail: detail.to_owned(),
    }
}
