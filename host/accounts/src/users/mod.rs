//! People: registration, login, sessions, second factor, and what each may do
//! in an account.

pub mod confirmation;
pub mod login;
pub mod recovery;
pub mod registration;
pub mod role;
pub mod session;
pub mod team;
pub mod totp;

pub use role::{Rights, Role};

use base::net;
use std::convert::Infallible;
use store::TxError;
use store::ids::{AccountId, AuditId, UserId};
use store::node::Node;
use store::tables::audit;
use store::tables::sessions;
use store::words::Maybe;

/// Longest address and name that are kept, in characters.
pub const EMAIL_CHARS: usize = 254;
pub const NAME_CHARS: usize = 100;

/// An e-mail address as it is compared: trimmed, in lower case. None when it
/// has not the form of one that mail can be written to: letters and digits of
/// any language, no address literals, nothing that cannot be seen.
pub fn email(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let (user, domain) = text.split_once('@')?;
    let plain = text.chars().count() <= EMAIL_CHARS
        && !user.is_empty()
        && user
            .chars()
            .all(|c| c.is_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(c))
        && domain
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && domain.contains('.')
        && !domain.starts_with('.')
        && !domain.ends_with('.');
    plain.then_some(text)
}

/// Whom an address stands for where attempts are counted; itself when it cannot
/// be read.
fn neighbour(ip: &str) -> String {
    let address = ip.parse();
    address.map_or_else(|_| ip.to_owned(), net::neighbourhood)
}

/// Attempts at something, by whom: how far apart, and how many at once.
#[derive(Clone, Copy)]
pub struct Pace {
    pub each_ms: i64,
    pub burst: i64,
}

/// One more attempt of a subject; false when there were too many.
///
/// # Errors
/// The database failed.
pub async fn attempt(app: &Node, subject: String, pace: Pace) -> anyhow::Result<bool> {
    let burst_ms = pace.each_ms * (pace.burst - 1);
    let input = (subject, app.now_ms(), pace.each_ms, burst_ms);
    let allowed = app
        .db
        .write(input, |(subject, now_ms, each_ms, burst_ms), conn| {
            Box::pin(async move {
                Ok::<_, TxError<Infallible>>(
                    sessions::attempt(conn, subject, *now_ms, *each_ms, *burst_ms).await?,
                )
            })
        });
    Ok(allowed.await?)
}

/// Who did something to an account, from where.
#[derive(Clone, Debug, Default)]
pub struct Actor {
    pub account_id: AccountId,
    /// Empty: a key did it.
    pub user_id: Maybe<UserId>,
    /// E-mail, or end of the key.
    pub name: String,
    pub ip: String,
}

/// Writes to the account's audit.
///
/// # Errors
/// The database failed.
pub async fn note(
    app: &Node,
    actor: &Actor,
    action: &str,
    target: &str,
    detail: &str,
) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    let row = audit::AuditRow {
        id: AuditId::new(now_ms),
        account_id: actor.account_id.clone(),
        at_ms: now_ms,
        user_id: actor.user_id.clone(),
        actor: actor.name.clone(),
        ip: actor.ip.clone(),
        action: action.to_owned(),
        target: target.to_owned(),
        detail: detail.to_owned(),
    };
    let written = app.db.write(row, |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(audit::insert(conn, row).await?) })
    });
    Ok(written.await?)
}
