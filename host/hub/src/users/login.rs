//! Logging in: e-mail, password and, where there is one, the second factor.

use super::{Pace, attempt, email, neighbour, session, totp};
use crate::app::App;
use crate::db::users::{self, UserRow};
use crate::db::{TxError, sessions};
use std::convert::Infallible;
use zeroize::Zeroizing;

/// Attempts of one address: ten at once, then one each six seconds.
const BY_ADDRESS: Pace = Pace {
    each_ms: 6_000,
    burst: 10,
};
/// Attempts at one person from one address: ten at once, then one each half a
/// minute.
const BY_BOTH: Pace = Pace {
    each_ms: 30_000,
    burst: 10,
};
/// Attempts at one person, from anywhere: slower than guessing, and faster than
/// a few strangers could go on to keep somebody out.
const BY_PERSON: Pace = Pace {
    each_ms: 5_000,
    burst: 60,
};

/// What came of it.
pub enum Login {
    /// The cookie, and where the session looks.
    In {
        cookie: Zeroizing<String>,
        user: UserRow,
        account_id: String,
    },
    /// E-mail, password or code is wrong: not said which.
    Wrong,
    /// The password is right; the code is asked for.
    NeedsCode,
    /// Too many attempts.
    Slower,
    /// The person is in no account any more.
    Nowhere,
}

/// What somebody proved of himself.
pub enum Proof {
    Person(UserRow),
    /// E-mail, password or code is wrong: not said which.
    Wrong,
    /// The password is right; the code is asked for.
    NeedsCode,
    /// Too many attempts.
    Slower,
}

/// Logs a person in. `code` is empty while none was asked for.
///
/// # Errors
/// The database failed.
pub async fn login(
    app: &App,
    address: &str,
    ip: &str,
    password: Zeroizing<String>,
    code: &str,
) -> anyhow::Result<Login> {
    let user = match prove(app, address, ip, password, code).await? {
        Proof::Person(user) => user,
        Proof::Wrong => return Ok(Login::Wrong),
        Proof::NeedsCode => return Ok(Login::NeedsCode),
        Proof::Slower => return Ok(Login::Slower),
    };
    let mut conn = app.db.read().await?;
    let accounts = users::accounts_of(&mut conn, &user.id).await?;
    drop(conn);
    let Some(first) = accounts.into_iter().next() else {
        return Ok(Login::Nowhere);
    };
    let cookie = session::begin(app, &user.id, &first.account_id).await?;
    Ok(Login::In {
        cookie,
        user,
        account_id: first.account_id,
    })
}

/// One more attempt from an address; false when there were too many.
///
/// # Errors
/// The database failed.
pub async fn from_address(app: &App, ip: &str) -> anyhow::Result<bool> {
    attempt(app, format!("login {}", neighbour(ip)), BY_ADDRESS).await
}

/// Whether somebody is who he says: password and, where there is one, second
/// factor, no faster than guessing may be.
///
/// # Errors
/// The database failed.
pub async fn prove(
    app: &App,
    address: &str,
    ip: &str,
    password: Zeroizing<String>,
    code: &str,
) -> anyhow::Result<Proof> {
    let Some(address) = email(address) else {
        return Ok(Proof::Wrong);
    };
    let person = format!("login {address}");
    let both = format!("{person} {}", neighbour(ip));
    // Who is too fast from one address does not use up what others have.
    if !from_address(app, ip).await?
        || !attempt(app, both.clone(), BY_BOTH).await?
        || !attempt(app, person.clone(), BY_PERSON).await?
    {
        return Ok(Proof::Slower);
    }
    let mut conn = app.db.read().await?;
    let user = users::by_email(&mut conn, &address).await?;
    drop(conn);
    let hash = user.as_ref().map(|user| user.senha.clone());
    let right = app.hasher.verify(password, hash).await?;
    let Some(user) = user.filter(|_| right) else {
        return Ok(Proof::Wrong);
    };
    if let Some(secret) = totp::open(&app.keyring, &user.id, &user.totp)? {
        if code.is_empty() {
            return Ok(Proof::NeedsCode);
        }
        let step = totp::step_of(&secret, code, app.now_ms(), user.totp_step);
        let Some(step) = step else {
            return Ok(Proof::Wrong);
        };
        let used = app.db.write((user.id.clone(), step), |(id, step), conn| {
            Box::pin(async move {
                Ok::<_, TxError<Infallible>>(users::use_step(conn, id, *step).await?)
            })
        });
        if !used.await? {
            return Ok(Proof::Wrong);
        }
    }
    let forgiven = app.db.write([person, both], |subjects, conn| {
        Box::pin(async move {
            for subject in subjects {
                sessions::forgive(conn, subject).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    forgiven.await?;
    Ok(Proof::Person(user))
}
