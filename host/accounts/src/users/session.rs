//! A person who is logged in: 256 random bits in a cookie, of which only the
//! digest is stored.

use crate::users::Role;
use base::random::{OsRandom, Random as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use store::TxError;
use store::ids::{AccountId, UserId};
use store::node::Node;
use store::tables::sessions::{self, SessionRow};
use store::tables::users::{self, MemberRow, UserRow};
use zeroize::Zeroizing;

/// How long a session lives without being used, and at most.
pub const IDLE_MS: i64 = 12 * 3_600_000;
pub const MOST_MS: i64 = 14 * 24 * 3_600_000;
/// How precisely its last use is known: one write a minute at most.
const SEEN_MS: i64 = 60_000;

/// A session with who it belongs to.
#[derive(Clone)]
pub struct Session {
    pub row: SessionRow,
    pub user: UserRow,
    pub member: MemberRow,
    pub role: Role,
}

/// 256 random bits as text.
///
/// # Errors
/// The source of randomness failed.
pub fn secret() -> anyhow::Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    OsRandom.fill(bytes.as_mut_slice())?;
    Ok(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice())))
}

/// What is stored of a secret.
pub fn digest(secret: &str) -> String {
    flow::hex(&Sha256::digest(secret.as_bytes()))
}

/// Begins a session of a person in an account; the cookie's text.
///
/// # Errors
/// The database or the source of randomness failed.
pub async fn begin(
    app: &Node,
    user: &UserId,
    account: &AccountId,
) -> anyhow::Result<Zeroizing<String>> {
    let cookie = secret()?;
    let now_ms = app.now_ms();
    let row = SessionRow {
        digest: digest(&cookie),
        user_id: user.to_owned(),
        account_id: account.to_owned(),
        csrf: secret()?.to_string(),
        live: 0,
        created_at_ms: now_ms,
        seen_at_ms: now_ms,
    };
    let written = app.db.write(row, |row, conn| {
        Box::pin(async move {
            // Old sessions are removed here, because logins happen now and
            // then.
            sessions::delete_old(
                conn,
                row.created_at_ms - IDLE_MS,
                row.created_at_ms - MOST_MS,
            )
            .await?;
            sessions::delete_idle_throttles(conn, row.created_at_ms - IDLE_MS).await?;
            Ok::<_, TxError<Infallible>>(sessions::insert(conn, row).await?)
        })
    });
    written.await?;
    Ok(cookie)
}

/// The session of a cookie, if it still is one.
///
/// # Errors
/// The database failed.
pub async fn find(app: &Node, cookie: &str) -> anyhow::Result<Option<Session>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let Some(row) = sessions::get(&mut conn, &digest(cookie)).await? else {
        return Ok(None);
    };
    if now_ms - row.seen_at_ms > IDLE_MS || now_ms - row.created_at_ms > MOST_MS {
        return Ok(None);
    }
    let user = users::get(&mut conn, &row.user_id).await?;
    let member = users::member(&mut conn, &row.account_id, &row.user_id).await?;
    drop(conn);
    let (Some(user), Some(member)) = (user, member) else {
        return Ok(None);
    };
    let role = member.papel;
    if now_ms - row.seen_at_ms > SEEN_MS {
        let seen = app
            .db
            .write((row.digest.clone(), now_ms), |(digest, now_ms), conn| {
                Box::pin(async move {
                    Ok::<_, TxError<Infallible>>(sessions::seen(conn, digest, *now_ms).await?)
                })
            });
        seen.await?;
    }
    Ok(Some(Session {
        row,
        user,
        member,
        role,
    }))
}

/// Ends a session.
///
/// # Errors
/// The database failed.
pub async fn end(app: &Node, session: &Session) -> anyhow::Result<()> {
    let ended = app.db.write(session.row.digest.clone(), |digest, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(sessions::delete(conn, digest).await?) })
    });
    Ok(ended.await?)
}

/// Turns a session to an account of its person, and to the live or test world.
///
/// # Errors
/// The database failed.
pub async fn look_at(
    app: &Node,
    session: &Session,
    account: &AccountId,
    live: bool,
) -> anyhow::Result<()> {
    let input = (
        session.row.digest.clone(),
        account.to_owned(),
        i64::from(live),
    );
    let done = app.db.write(input, |(digest, account, live), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(sessions::look_at(conn, digest, account, *live).await?)
        })
    });
    Ok(done.await?)
}
