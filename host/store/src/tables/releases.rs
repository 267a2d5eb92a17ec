//! Tables `adapter_components`, `adapter_releases` and `adapter_actions`: adapters
//! that operators install while the hub runs.

use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

words! {
    /// Where a release is in its life.
    #[derive(Default)]
    pub enum ReleaseStatus {
        /// Installed and judged; nothing uses it.
        #[default]
        Staged = "staged",
        /// A part of the emitters uses it.
        Canary = "canary",
        /// New flows use it.
        Active = "active",
        /// The active one before, which a rollback makes active again.
        Previous = "previous",
        /// Given up; flows that began with it still end with it.
        Retired = "retired",
        /// Given up by the hub, because it failed: it is not activated again.
        Quarantined = "quarantined",
    }
}

row! {
    /// A component, without its bytes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReleaseRow {
        pub name: String,
        /// SHA-256, hexadecimal.
        pub digest: String,
        pub version: String,
        /// The minisign key that signed it; empty: none was asked for.
        pub signed_by: String,
        /// JSON of what it declares that it may do; empty: it was installed before
        /// there were declarations.
        pub permissions: String,
        pub status: ReleaseStatus,
        /// Of the emitters, while it is a canary.
        pub percent: i64,
        pub changed_at_ms: i64,
    }
}

row! {
    /// What was done to a release.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ActionRow {
        pub id: String,
        pub at_ms: i64,
        /// `install`, `canary`, `activate`, `promote`, `rollback`, `quarantine`, and
        /// `refuse` of a change that asks for more than what is in use.
        pub action: String,
        pub name: String,
        pub digest: String,
        /// Who: the operator's name in the system, or `hub`.
        pub actor: String,
        pub detail: String,
    }
}

/// A component that is installed.
pub struct NewComponent {
    pub name: String,
    pub digest: String,
    pub version: String,
    pub signed_by: String,
    /// JSON of what it declares that it may do.
    pub permissions: String,
    pub component: Vec<u8>,
    pub now_ms: i64,
}

row! {
    struct Bytes {
        component: Vec<u8>,
    }
}

const INSERT_COMPONENT: &str = "INSERT INTO adapter_components (digest, name, version, signed_by, component, installed_at_ms, permissions) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (digest) DO NOTHING";
const INSERT_RELEASE: &str = "INSERT INTO adapter_releases (name, digest, status, percent, changed_at_ms) VALUES ($1, $2, 'staged', 0, $3) \
     ON CONFLICT (name, digest) DO NOTHING";
const COMPONENT: &str = "SELECT component FROM adapter_components WHERE digest = $1";
// Three of a name at most, each found in the index of its state, however many releases
// nobody uses.
const FOLLOWED: &str = "SELECT r.name, r.digest, c.version, c.signed_by, c.permissions, r.status, r.percent, r.changed_at_ms FROM adapter_releases r \
     JOIN adapter_components c ON c.digest = r.digest WHERE r.status = 'active' \
     UNION ALL SELECT r.name, r.digest, c.version, c.signed_by, c.permissions, r.status, r.percent, r.changed_at_ms FROM adapter_releases r \
     JOIN adapter_components c ON c.digest = r.digest WHERE r.status = 'canary' \
     UNION ALL SELECT r.name, r.digest, c.version, c.signed_by, c.permissions, r.status, r.percent, r.changed_at_ms FROM adapter_releases r \
     JOIN adapter_components c ON c.digest = r.digest WHERE r.status = 'previous'";
const OF: &str = "SELECT r.name, r.digest, c.version, c.signed_by, c.permissions, r.status, r.percent, r.changed_at_ms FROM adapter_releases r \
     JOIN adapter_components c ON c.digest = r.digest WHERE r.name = $1 ORDER BY c.installed_at_ms, r.digest";
// Those that nothing uses: what is shown is limited, what is followed is not.
const OTHERS: &str = "SELECT r.name, r.digest, c.version, c.signed_by, c.permissions, r.status, r.percent, r.changed_at_ms FROM adapter_releases r \
     JOIN adapter_components c ON c.digest = r.digest WHERE r.status NOT IN ('active', 'canary', 'previous') \
     ORDER BY c.installed_at_ms DESC, r.name, r.digest LIMIT CAST($1 AS BIGINT)";
const CHANGE_OF: &str = "UPDATE adapter_releases SET status = $3, percent = 0, changed_at_ms = $4 WHERE name = $1 AND status = $2";
const CHANGE: &str = "UPDATE adapter_releases SET status = $3, percent = $4, changed_at_ms = $5 WHERE name = $1 AND digest = $2";
const LOCK_POSTGRES: &str =
    "SELECT digest FROM adapter_releases WHERE name = $1 ORDER BY digest FOR UPDATE";
// A release that is in use, or that a rollback would use, stays.
const FORGET: &str = "DELETE FROM adapter_releases WHERE name = $1 AND digest = $2 AND status NOT IN ('active', 'canary', 'previous')";
const FORGET_COMPONENT: &str = "DELETE FROM adapter_components WHERE digest = $1 \
     AND NOT EXISTS (SELECT 1 FROM adapter_releases WHERE name = $2 AND digest = $1)";
const INSERT_ACTION: &str = "INSERT INTO adapter_actions (id, at_ms, action, name, digest, actor, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const ACTIONS: &str =
    "SELECT * FROM adapter_actions ORDER BY at_ms DESC, id DESC LIMIT CAST($1 AS BIGINT)";
const ACTIONS_BEFORE: &str = "SELECT * FROM adapter_actions WHERE (at_ms, id) < (SELECT at_ms, id FROM adapter_actions WHERE id = $1) \
     ORDER BY at_ms DESC, id DESC LIMIT CAST($2 AS BIGINT)";
const ACTIONS_UNTIL: &str = "SELECT * FROM adapter_actions WHERE at_ms <= $1 ORDER BY at_ms DESC, id DESC LIMIT CAST($2 AS BIGINT)";

/// Keeps a component and its release; false when it was installed before.
pub async fn install(conn: &mut Conn, c: &NewComponent) -> DbResult<bool> {
    execute!(
        &mut *conn,
        INSERT_COMPONENT,
        &c.digest,
        &c.name,
        &c.version,
        &c.signed_by,
        &c.component,
        c.now_ms,
        &c.permissions
    )?;
    Ok(execute!(conn, INSERT_RELEASE, &c.name, &c.digest, c.now_ms)? > 0)
}

/// The bytes of a component.
pub async fn component(conn: &mut Conn, digest: &str) -> DbResult<Option<Vec<u8>>> {
    let row = fetch_optional!(conn, Bytes, COMPONENT, digest)?;
    Ok(row.map(|row| row.component))
}

/// All releases that nodes follow, by name and the moment of their last change: what is in
/// use, and what a rollback would use.
pub async fn followed(conn: &mut Conn) -> DbResult<Vec<ReleaseRow>> {
    let mut rows: Vec<ReleaseRow> = fetch_all!(conn, ReleaseRow, FOLLOWED)?;
    let place = |row: &ReleaseRow| (row.name.clone(), row.changed_at_ms, row.digest.clone());
    rows.sort_by_cached_key(place);
    Ok(rows)
}

/// The releases of one adapter, in whatever state, by the moment of their installation.
pub async fn of(conn: &mut Conn, name: &str) -> DbResult<Vec<ReleaseRow>> {
    fetch_all!(conn, ReleaseRow, OF, name)
}

/// What operators are shown, by name: what [`followed`] has, then the newest of the others, as
/// many as `limit` of all names together.
pub async fn listed(conn: &mut Conn, limit: i64) -> DbResult<Vec<ReleaseRow>> {
    let mut listed = followed(&mut *conn).await?;
    listed.extend(fetch_all!(conn, ReleaseRow, OTHERS, limit)?);
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(listed)
}

/// Whoever changes releases of a name holds its rows until the transaction ends. On
/// SQLite a writing transaction is the only one.
pub async fn lock(conn: &mut Conn, name: &str) -> DbResult<()> {
    if let Conn::Postgres(conn) = conn {
        sqlx::query(LOCK_POSTGRES)
            .bind(name)
            .execute(&mut **conn)
            .await?;
    }
    Ok(())
}

/// Moves the release of a name that has one status to another.
pub async fn change_of(
    conn: &mut Conn,
    name: &str,
    from: ReleaseStatus,
    to: ReleaseStatus,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, CHANGE_OF, name, from, to, now_ms)? > 0)
}

/// Gives one release a status.
pub async fn change(
    conn: &mut Conn,
    name: &str,
    digest: &str,
    to: ReleaseStatus,
    percent: i64,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, CHANGE, name, digest, to, percent, now_ms)? > 0)
}

/// Deletes a release that nothing uses, and its component.
pub async fn forget(conn: &mut Conn, name: &str, digest: &str) -> DbResult<()> {
    execute!(&mut *conn, FORGET, name, digest)?;
    execute!(conn, FORGET_COMPONENT, digest, name)?;
    Ok(())
}

/// Writes down what was done.
pub async fn record(conn: &mut Conn, a: &ActionRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT_ACTION,
        &a.id,
        a.at_ms,
        &a.action,
        &a.name,
        &a.digest,
        &a.actor,
        &a.detail
    )?;
    Ok(())
}

/// What was done before another action, newest first; nothing where there is no such
/// action.
pub async fn actions_before(conn: &mut Conn, id: &str, limit: i64) -> DbResult<Vec<ActionRow>> {
    fetch_all!(conn, ActionRow, ACTIONS_BEFORE, id, limit)
}

/// What was done until a moment, newest first.
pub async fn actions_until(conn: &mut Conn, at_ms: i64, limit: i64) -> DbResult<Vec<ActionRow>> {
    fetch_all!(conn, ActionRow, ACTIONS_UNTIL, at_ms, limit)
}

/// What was done, newest first.
pub async fn actions(conn: &mut Conn, limit: i64) -> DbResult<Vec<ActionRow>> {
    fetch_all!(conn, ActionRow, ACTIONS, limit)
}
