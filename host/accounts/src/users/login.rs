//! Logging in: e-mail, password and, where there is one, the second factor.

use super::{Actor, Pace, attempt, email, neighbour, note, session, totp};
use crate::people::People;
use std::convert::Infallible;
use store::TxError;
use store::ids::AccountId;
use store::tables::sessions;
use store::tables::users::{self, UserRow};
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

/// Codes of one person: ten at once, then one each ten minutes.
const BY_CODE: Pace = Pace {
    each_ms: 600_000,
    burst: 10,
};
/// How long a network is remembered from which a person logged in.
const HOME_MS: i64 = 30 * 24 * 3_600_000;

/// Result of [`login`].
pub enum Login {
    /// The cookie, and where the session looks.
    In {
        cookie: Zeroizing<String>,
        user: UserRow,
        account_id: AccountId,
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

/// Result of [`prove`].
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
    app: &People,
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
    let actor = Actor {
        account_id: first.account_id.clone(),
        user_id: user.id.clone().into(),
        name: user.email.clone(),
        ip: ip.to_owned(),
    };
    note(app, &actor, "pessoa.entrada", &user.id, "").await?;
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
pub async fn from_address(app: &People, ip: &str) -> anyhow::Result<bool> {
    attempt(app, format!("login {}", neighbour(ip)), BY_ADDRESS).await
}

/// Whether somebody is who he says: password and, where there is one, second
/// factor, no faster than guessing may be.
///
/// # Errors
/// The database failed.
pub async fn prove(
    app: &People,
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
    let home = format!("casa {address} {}", neighbour(ip));
    let mut conn = app.db.read().await?;
    let at_home = sessions::is_known(&mut conn, &home, app.now_ms()).await?;
    let user = users::by_email(&mut conn, &address).await?;
    drop(conn);
    // Strangers use up what strangers have: not the place they come in from.
    if !from_address(app, ip).await?
        || (!at_home && !attempt(app, person.clone(), BY_PERSON).await?)
        || !attempt(app, both.clone(), BY_BOTH).await?
    {
        return Ok(Proof::Slower);
    }
    let hash = user.as_ref().map(|user| user.senha.clone());
    let right = app.hasher.verify(password, hash).await?;
    let Some(user) = user.filter(|_| right) else {
        return Ok(Proof::Wrong);
    };
    if let Some(secret) = totp::open(&app.keyring, &user.id, &user.totp)? {
        if code.is_empty() {
            return Ok(Proof::NeedsCode);
        }
        // Six digits are guessed in days at the pace of passwords.
        if !attempt(app, format!("codigo {address}"), BY_CODE).await? {
            return Ok(Proof::Slower);
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
    let code = format!("codigo {address}");
    let input = ([person, both, code], home, app.now_ms() + HOME_MS);
    let forgiven = app.db.write(input, |(subjects, home, until_ms), conn| {
        Box::pin(async move {
            for subject in subjects {
                sessions::forgive(conn, subject).await?;
            }
            Ok::<_, TxError<Infallible>>(sessions::know(conn, home, *until_ms).await?)
        })
    });
    forgiven.await?;
    Ok(Proof::Person(user))
}
