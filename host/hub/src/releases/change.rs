//! Changes of what is in use, each one transaction with its row of
//! `adapter_actions`.

use base::ids;
use flow::contract::permissions::{self, Permissions};
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use store::tables::releases::{self, ActionRow, ReleaseRow, ReleaseStatus};
use store::{Conn, Db, DbResult, TxError};

/// What ids of `adapter_actions` begin with.
pub const ACTION: &str = "act";

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

/// Whether a release may ask for more than the one in use.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// The operator says yes to whatever is new.
    pub allow_more: bool,
    /// What the component of the adapters folder may do, which is in use where no
    /// release is active. None: there is none, or it is from before declarations.
    pub in_folder: Option<Permissions>,
    /// The [`fingerprint`] of the releases that the operator looked at; None: whatever
    /// they are.
    pub seen: Option<String>,
    /// How the digest begins of what is to be promoted or given up; None: whatever it is.
    /// A request that is repeated then makes no second change.
    pub meant: Option<String>,
    /// Whether the adapters folder has a component that takes the place of a release
    /// that is given up, be it one from before declarations.
    pub replaced: bool,
    /// A rollback may leave nothing in use.
    pub nothing: bool,
}

/// A text that changes with the releases of an adapter and their states: all of them.
pub fn fingerprint(releases: &[ReleaseRow]) -> String {
    let mut hasher = Sha256::new();
    for row in releases {
        let (status, percent) = (row.status.as_str(), row.percent);
        let line = format!("{} {status} {percent} {}\n", row.digest, row.changed_at_ms);
        hasher.update(line);
    }
    flow::hex(&hasher.finalize())
}

/// What a list shows of an adapter, as all its releases are now, which were read after the
/// list: without those that are gone, and with those that came in use meanwhile.
pub fn as_now(mut listed: Vec<ReleaseRow>, own: &[ReleaseRow]) -> Vec<ReleaseRow> {
    use ReleaseStatus::{Active, Canary, Previous};
    listed.retain_mut(|row| {
        let now = own.iter().find(|now| now.digest == row.digest);
        now.map(|now| row.clone_from(now)).is_some()
    });
    let follows = |row: &ReleaseRow| matches!(row.status, Active | Canary | Previous);
    let missing = |row: &&ReleaseRow| !listed.iter().any(|it| it.digest == row.digest);
    let mut shown: Vec<ReleaseRow> = own
        .iter()
        .filter(|row| follows(row))
        .filter(missing)
        .cloned()
        .collect();
    shown.append(&mut listed);
    shown
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("no release of {0} is installed")]
    Nothing(String),
    #[error("the releases of {0} changed since they were looked at")]
    Moved(String),
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
    #[error(
        "this would change release {0}, whose digest does not begin with {1:?}: look at the list first"
    )]
    Another(String, String),
    #[error("the digest is empty: give its first characters")]
    Unnamed,
    #[error(
        "{0} has neither a release before this one nor a component in the adapters folder: nothing would be in use, and --nothing says yes to that"
    )]
    NothingLeft(String),
    #[error("release {0} is the active one already")]
    Active(String),
    #[error("release {0} is the one before the active one: a rollback uses it again")]
    Previous(String),
    #[error(
        "release {0} declares nothing of what it may do: build it with the SDK of this version and install it again"
    )]
    Undeclared(String),
    #[error(
        "release {digest} asks for more than the one in use: {}; --allow-more says yes to that",
        more.join("; ")
    )]
    More { digest: String, more: Vec<String> },
}

/// Makes a change; the releases of the adapter after it. A release that asks for more
/// than the one in use, without the operator's consent, leaves a row about that.
///
/// # Errors
/// The change is none that can be made now, or the database failed.
pub async fn make(
    db: &Db,
    name: &str,
    change: Change,
    consent: &Consent,
    actor: &Actor,
) -> Result<Vec<ReleaseRow>, TxError<Refused>> {
    let made = try_make(db, name, change, consent, actor).await;
    if let Err(TxError::Abort(Refused::More { digest, more })) = &made {
        let row = action(actor, "refuse", name, digest, &more.join("; "));
        let written = db.write(row, |row, conn| {
            Box::pin(
                async move { Ok::<_, TxError<Infallible>>(releases::record(conn, row).await?) },
            )
        });
        if let Err(error) = written.await {
            tracing::error!(%error, adapter = name, digest, "a refusal was not written down");
        }
    }
    made
}

/// What an activation made that belongs to an installation. None: the release is the
/// active one already, for the installation may be one that is repeated.
///
/// # Errors
/// The change is none that can be made now, or the database failed.
pub fn or_active(
    made: Result<Vec<ReleaseRow>, TxError<Refused>>,
) -> Result<Option<Vec<ReleaseRow>>, TxError<Refused>> {
    match made {
        Err(TxError::Abort(Refused::Active(_))) => Ok(None),
        made => made.map(Some),
    }
}

async fn try_make(
    db: &Db,
    name: &str,
    change: Change,
    consent: &Consent,
    actor: &Actor,
) -> Result<Vec<ReleaseRow>, TxError<Refused>> {
    // An empty beginning would be that of every digest.
    if consent.meant.as_deref() == Some("") {
        return Err(TxError::Abort(Refused::Unnamed));
    }
    let input = (name.to_owned(), change, consent.clone(), actor.clone());
    db.write(input, |(name, change, consent, actor), conn| {
        Box::pin(async move {
            releases::lock(conn, name).await?;
            let before = releases::of(conn, name).await?;
            if before.is_empty() {
                return Err(TxError::Abort(Refused::Nothing(name.clone())));
            }
            let seen = consent.seen.as_ref();
            if seen.is_some_and(|seen| *seen != fingerprint(&before)) {
                return Err(TxError::Abort(Refused::Moved(name.clone())));
            }
            if let Some(prefix) = &consent.meant {
                is_meant(prefix, change, &before)?;
            }
            let wanted = wanted(name, change, &before)?;
            if let Some(wanted) = wanted {
                no_more(wanted, &before, consent)?;
            }
            if matches!(change, Change::Rollback) && !consent.nothing && !consent.replaced {
                something_left(name, &before)?;
            }
            let (word, digest, detail) = apply(conn, name, change, &before, actor.now_ms).await?;
            releases::record(conn, &action(actor, word, name, &digest, &detail)).await?;
            Ok(releases::of(conn, name).await?)
        })
    })
    .await
}

fn with(releases: &[ReleaseRow], status: ReleaseStatus) -> Option<&ReleaseRow> {
    releases.iter().find(|release| release.status == status)
}

/// What a rollback gives up: the canary, or the active release.
fn given_up(before: &[ReleaseRow]) -> Option<&ReleaseRow> {
    with(before, ReleaseStatus::Canary).or_else(|| with(before, ReleaseStatus::Active))
}

/// Holds a promotion or a rollback to the release that the operator means.
fn is_meant(prefix: &str, change: &Change, before: &[ReleaseRow]) -> Result<(), TxError<Refused>> {
    let release = match change {
        Change::Promote => with(before, ReleaseStatus::Canary),
        Change::Rollback => given_up(before),
        Change::Canary(..) | Change::Activate(_) | Change::Quarantine { .. } => None,
    };
    let digest = release.map(|release| &release.digest);
    match digest.filter(|digest| !digest.starts_with(prefix)) {
        Some(digest) => {
            let refused = Refused::Another(digest.clone(), prefix.to_owned());
            Err(TxError::Abort(refused))
        }
        None => Ok(()),
    }
}

/// Refuses a rollback after which no release of the adapter would be in use.
fn something_left(name: &str, before: &[ReleaseRow]) -> Result<(), TxError<Refused>> {
    let active = given_up(before).is_some_and(|it| it.status == ReleaseStatus::Active);
    if active && with(before, ReleaseStatus::Previous).is_none() {
        return Err(TxError::Abort(Refused::NothingLeft(name.to_owned())));
    }
    Ok(())
}

/// The release that a change puts in use, if it puts one in use that was not
/// before: a rollback goes to what was accepted.
fn wanted<'r>(
    name: &str,
    change: &Change,
    before: &'r [ReleaseRow],
) -> Result<Option<&'r ReleaseRow>, TxError<Refused>> {
    match change {
        Change::Canary(prefix, _) | Change::Activate(prefix) => {
            usable(name, prefix, before).map(Some)
        }
        Change::Promote => {
            let mut canaries = before
                .iter()
                .filter(|release| release.status == ReleaseStatus::Canary);
            Ok(canaries.next())
        }
        Change::Rollback | Change::Quarantine { .. } => Ok(None),
    }
}

/// What a release may do whose declaration cannot be read.
const NOTHING: Permissions = Permissions {
    elements: Vec::new(),
    texts: Vec::new(),
    secrets: Vec::new(),
    certificate_endpoints: Vec::new(),
};

/// Holds a release to what the one in use may do.
fn no_more(
    wanted: &ReleaseRow,
    before: &[ReleaseRow],
    consent: &Consent,
) -> Result<(), TxError<Refused>> {
    let Some(new) = declared(wanted) else {
        return Err(TxError::Abort(Refused::Undeclared(wanted.digest.clone())));
    };
    let active = with(before, ReleaseStatus::Active);
    // One of before declarations is held to nothing but what no adapter may do: less
    // than that is never more.
    let old = match active {
        Some(active) if active.permissions.is_empty() => None,
        Some(active) => Some(declared(active).unwrap_or(NOTHING)),
        None => consent.in_folder.clone(),
    };
    let more = old.map(|old| permissions::more(&new, &old));
    match more.filter(|more| !more.is_empty() && !consent.allow_more) {
        Some(more) => Err(TxError::Abort(Refused::More {
            digest: wanted.digest.clone(),
            more,
        })),
        None => Ok(()),
    }
}

fn declared(release: &ReleaseRow) -> Option<Permissions> {
    if release.permissions.is_empty() {
        return None;
    }
    serde_json::from_str(&release.permissions)
        .inspect_err(|error| tracing::error!(%error, digest = release.digest, "a declaration cannot be read"))
        .ok()
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
    match change {
        Change::Canary(prefix, percent) => {
            let release = usable(name, prefix, before)?;
            // As a canary it would be lost for a rollback.
            if release.status == ReleaseStatus::Previous {
                let digest = release.digest.clone();
                return Err(TxError::Abort(Refused::Previous(digest)));
            }
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
            let canary = with(before, ReleaseStatus::Canary)
                .ok_or_else(|| TxError::Abort(Refused::NoCanary(name.to_owned())))?;
            activate(conn, canary, now_ms).await?;
            Ok(("promote", canary.digest.clone(), canary.version.clone()))
        }
        Change::Rollback => {
            let release = given_up(before)
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
            let other = *in_folder || with(before, ReleaseStatus::Previous).is_some();
            if release.status == ReleaseStatus::Active && !other {
                return Err(TxError::Abort(Refused::NoOther(digest.clone())));
            }
            give_up(conn, release, ReleaseStatus::Quarantined, now_ms).await?;
            Ok(("quarantine", digest.clone(), why.clone()))
        }
    }
}

/// The release of an adapter whose digest begins so, among all of that adapter.
///
/// # Errors
/// There is none, or there are several.
pub fn named<'r>(
    name: &str,
    prefix: &str,
    own: &'r [ReleaseRow],
) -> Result<&'r ReleaseRow, Refused> {
    if own.is_empty() {
        return Err(Refused::Nothing(name.to_owned()));
    }
    let mut matching = own
        .iter()
        .filter(|release| release.digest.starts_with(prefix));
    let release = matching
        .next()
        .ok_or_else(|| Refused::Unknown(name.to_owned(), prefix.to_owned()))?;
    match matching.next() {
        Some(_) => Err(Refused::Ambiguous(name.to_owned(), prefix.to_owned())),
        None => Ok(release),
    }
}

/// The release whose digest begins so, if it may be used and is not used yet.
fn usable<'r>(
    name: &str,
    prefix: &str,
    before: &'r [ReleaseRow],
) -> Result<&'r ReleaseRow, TxError<Refused>> {
    let refused = |refused| Err(TxError::Abort(refused));
    let release = named(name, prefix, before).map_err(TxError::Abort)?;
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
        id: ids::new(ACTION, actor.now_ms),
        at_ms: actor.now_ms,
        action: word.to_owned(),
        name: name.to_owned(),
        digest: digest.to_owned(),
        actor: actor.name.clone(),
        detail: detail.to_owned(),
    }
}
