//! A new password for who forgot theirs: a link that comes by mail, good for an
//! hour and as long as the old password stands. Nothing of it is stored: it is
//! made again of what the person's row says.

use super::{Actor, Pace, attempt, email, neighbour, note};
use crate::letters::{self, Letter, Sending};
use crate::operator::{self, COMMAND_LINE, Done, Operator};
use crate::people::People;
use crate::people::password::weakness;
use crate::users::session;
use std::convert::Infallible;
use store::ids::UserId;
use store::tables::mails::MailKind;
use store::tables::sessions;
use store::tables::users::{self, UserRow};
use store::{Db, TxError};
use vault::link;
use zeroize::Zeroizing;

/// How long a link is good for.
const LINK_MS: i64 = 3_600_000;
/// What links are made for.
const LINK: &str = "hub/password/1";
/// Requests from one address: five at once, then one each two minutes.
const BY_ADDRESS: Pace = Pace {
    each_ms: 120_000,
    burst: 5,
};
/// Mails to one person: three at once, then one each twenty minutes.
const BY_PERSON: Pace = Pace {
    each_ms: 1_200_000,
    burst: 3,
};

/// What a link is made of: person, end in epoch milliseconds, and which
/// password it replaces.
fn seed(user: &UserRow, until_ms: i64) -> String {
    format!("{}.{until_ms}.{}", user.id, session::digest(&user.senha))
}

/// The link of a seed, which may be stored: whoever reads the database comes
/// nowhere with it.
pub fn link(pepper: &[u8; 32], base_url: &str, seed: &str) -> String {
    let secret = link::secret(pepper, LINK, seed);
    let shown = seed.rsplit_once('.').map_or("", |(shown, _)| shown);
    format!("{base_url}/painel/senha/{shown}.{}", *secret)
}

/// Sends a link to the person of this address, if there is one; the caller does
/// not learn whether there is. False when there were too many requests.
///
/// # Errors
/// The database failed.
pub async fn ask(app: &People, ip: &str, address: &str) -> anyhow::Result<bool> {
    if !attempt(app, format!("senha {}", neighbour(ip)), BY_ADDRESS).await? {
        return Ok(false);
    }
    if let Some(address) = email(address) {
        // Not waited for: how long it takes would tell who is registered.
        let app = app.clone();
        tokio::spawn(async move {
            if let Err(error) = send(&app, &address).await {
                tracing::error!(error = %format!("{error:#}"), "a link to a new password is not sent");
            }
        });
    }
    Ok(true)
}

async fn send(app: &People, address: &str) -> anyhow::Result<()> {
    if !attempt(app, format!("senha {address}"), BY_PERSON).await? {
        return Ok(());
    }
    let mut conn = app.db.read().await?;
    let Some(user) = users::by_email(&mut conn, address).await? else {
        return Ok(());
    };
    let accounts = users::accounts_of(&mut conn, &user.id).await?;
    drop(conn);
    // A mail belongs to an account; who is in none has nowhere to come in.
    let Some(account) = accounts.first() else {
        return Ok(());
    };
    let now_ms = app.now_ms();
    let letter = Letter::Senha {
        nome: user.nome.clone(),
        semente: seed(&user, now_ms + LINK_MS),
    };
    let to = [user.email.clone()];
    let account = &account.account_id;
    let sending = Sending::new(account, MailKind::Password, &user.id, &letter, &to, now_ms)?;
    letters::queue_alone(app, sending).await
}

/// A link to a new password that the operator passes on; None when nobody has
/// this address. The operator answers for it that the address is the person's,
/// as otherwise the mail shows.
///
/// # Errors
/// The database failed.
pub async fn by_hand(
    db: &Db,
    pepper: &[u8; 32],
    base_url: &str,
    address: &str,
    now_ms: i64,
) -> anyhow::Result<Option<String>> {
    let Some(address) = email(address) else {
        return Ok(None);
    };
    let mut conn = db.read().await?;
    let user = users::by_email(&mut conn, &address).await?;
    drop(conn);
    let Some(user) = user else {
        return Ok(None);
    };
    // Who has the link can come in as the person: it is told before anybody has it.
    let written = db.write((user.id.clone(), now_ms), |(user, now_ms), conn| {
        Box::pin(async move {
            let operator = Operator {
                door: COMMAND_LINE,
                now_ms: *now_ms,
            };
            let done = Done {
                account: None,
                action: "pessoa.link_de_senha",
                target: user,
                detail: "",
            };
            Ok::<_, TxError<Infallible>>(operator::record(conn, &done, &operator).await?)
        })
    });
    written.await?;
    Ok(Some(link(pepper, base_url, &seed(&user, now_ms + LINK_MS))))
}

/// Whose link it is, while it is good.
///
/// # Errors
/// The database failed.
pub async fn whose(app: &People, text: &str) -> anyhow::Result<Option<UserRow>> {
    let mut parts = text.splitn(3, '.');
    let (Some(id), Some(until), Some(secret)) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(None);
    };
    let Some(until_ms) = until
        .parse::<i64>()
        .ok()
        .filter(|until_ms| *until_ms > app.now_ms())
    else {
        return Ok(None);
    };
    let id = UserId::from(id);
    if id.moment().is_none() {
        return Ok(None);
    }
    let mut conn = app.db.read().await?;
    let user = users::get(&mut conn, &id).await?;
    Ok(user.filter(|user| link::opens(&app.pepper, LINK, &seed(user, until_ms), secret)))
}

/// What came of it.
pub enum Set {
    Done,
    /// The link was used, or the password changed in between.
    Gone,
    /// What is wrong with the password.
    Weak(&'static str),
}

/// Sets the password of the person whose link it is and ends all of their
/// sessions. The second factor is removed if the address was never confirmed
/// before: it may be somebody else's.
///
/// # Errors
/// The database failed.
pub async fn set(
    app: &People,
    ip: &str,
    user: UserRow,
    password: Zeroizing<String>,
) -> anyhow::Result<Set> {
    if let Some(sentence) = weakness(&password, &user.email) {
        return Ok(Set::Weak(sentence));
    }
    let hash = app.hasher.hash(password).await?;
    let written = app.db.write(
        (user.clone(), hash, app.now_ms()),
        |(user, hash, now_ms), conn| {
            Box::pin(async move {
                let changed =
                    users::replace_password(conn, &user.id, &user.senha, hash, *now_ms).await?;
                if changed && user.email_ms == 0 {
                    // Nobody showed before that the address is theirs: the
                    // second factor may be somebody else's.
                    users::set_totp(conn, &user.id, &[], 0, *now_ms).await?;
                }
                if changed {
                    users::reached(conn, &user.id, &user.email, *now_ms).await?;
                    sessions::delete_others(conn, &user.id, "").await?;
                }
                Ok::<_, TxError<Infallible>>(changed)
            })
        },
    );
    if !written.await? {
        return Ok(Set::Gone);
    }
    let mut conn = app.db.read().await?;
    let accounts = users::accounts_of(&mut conn, &user.id).await?;
    drop(conn);
    for member in accounts {
        let actor = Actor {
            account_id: member.account_id,
            user_id: user.id.clone().into(),
            name: user.email.clone(),
            ip: ip.to_owned(),
        };
        note(app, &actor, "pessoa.senha_recuperada", &user.id, "").await?;
    }
    Ok(Set::Done)
}
