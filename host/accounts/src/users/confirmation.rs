//! Whether mail to a person's address reaches them: a link that comes by mail.
//! Until it was used, their account has no mail sent to others.

use super::{Pace, attempt};
use crate::letters::{self, Letter, Sending};
use std::convert::Infallible;
use store::ids::{AccountId, UserId};
use store::node::Node;
use store::tables::mails::MailKind;
use store::tables::users::{self, UserRow};
use store::{DbResult, TxError};
use vault::link;

/// What links are made for.
const LINK: &str = "hub/address/1";
/// Mails to one person: three at once, then one each twenty minutes.
const BY_PERSON: Pace = Pace {
    each_ms: 1_200_000,
    burst: 3,
};

/// What a link is made of: person and address.
fn seed(user: &UserRow) -> String {
    format!("{}.{}", user.id, user.email)
}

/// The link of a seed, which may be stored.
pub fn link(pepper: &[u8; 32], base_url: &str, seed: &str) -> String {
    let secret = link::secret(pepper, LINK, seed);
    let id = seed.split_once('.').map_or("", |(id, _)| id);
    format!("{base_url}/painel/confirmar/{id}.{}", *secret)
}

/// Sends a person the link; false when they had several lately.
///
/// # Errors
/// The database failed.
pub async fn ask(app: &Node, user: &UserRow, account: &AccountId) -> anyhow::Result<bool> {
    if !attempt(app, format!("confirmar {}", user.email), BY_PERSON).await? {
        return Ok(false);
    }
    letters::queue_alone(app, letter(user, account, app.now_ms())?).await?;
    Ok(true)
}

/// The mail with a person's link.
///
/// # Errors
/// What is said in it cannot be written.
pub fn letter(user: &UserRow, account: &AccountId, now_ms: i64) -> DbResult<Sending> {
    let written = Letter::Confirmacao {
        nome: user.nome.clone(),
        semente: seed(user),
    };
    let to = [user.email.clone()];
    Sending::new(
        account,
        MailKind::Confirmation,
        &user.id,
        &written,
        &to,
        now_ms,
    )
}

/// Whose link it is.
///
/// # Errors
/// The database failed.
pub async fn whose(app: &Node, text: &str) -> anyhow::Result<Option<UserRow>> {
    let Some((id, secret)) = text.split_once('.') else {
        return Ok(None);
    };
    let id = UserId::from(id);
    if id.moment().is_none() {
        return Ok(None);
    }
    let mut conn = app.db.read().await?;
    let user = users::get(&mut conn, &id).await?;
    Ok(user.filter(|user| link::opens(&app.pepper, LINK, &seed(user), secret)))
}

/// The person was reached.
///
/// # Errors
/// The database failed.
pub async fn reached(app: &Node, user: &UserRow) -> anyhow::Result<()> {
    let input = (user.id.clone(), user.email.clone(), app.now_ms());
    let written = app.db.write(input, |(id, email, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(users::reached(conn, id, email, *now_ms).await?)
        })
    });
    Ok(written.await?)
}
