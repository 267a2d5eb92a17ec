//! Registering a person, with an account of their own.

use super::{NAME_CHARS, Pace, Role, attempt, confirmation, email, neighbour};
use crate::letters;
use crate::opening::{self, NewAccount, Opening};
use crate::people::People;
use crate::people::password::weakness;
use store::TxError;
use store::ids::UserId;
use store::tables::users::{self, UserRow};
use zeroize::Zeroizing;

/// Registrations from one address: five at once, then one each ten minutes.
const BY_ADDRESS: Pace = Pace {
    each_ms: 600_000,
    burst: 5,
};

/// What somebody fills in.
pub struct Form {
    pub name: String,
    pub email: String,
    pub password: Zeroizing<String>,
    /// Name of the account; empty: the person's.
    pub conta: String,
}

/// What came of it.
pub enum Registered {
    Done {
        user: UserRow,
        account: NewAccount,
    },
    /// Field and sentence, for each thing to correct.
    Wrong(Vec<(&'static str, &'static str)>),
    /// Too many from this address.
    Slower,
}

/// A name that may stand in a line of a page or a mail.
fn named(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= NAME_CHARS && !text.contains(char::is_control)
}

/// The row of a new person, or what is wrong with the form.
///
/// # Errors
/// The source of randomness failed.
pub async fn person(
    app: &People,
    name: &str,
    address: &str,
    password: Zeroizing<String>,
) -> anyhow::Result<Result<UserRow, Vec<(&'static str, &'static str)>>> {
    let mut wrong = Vec::new();
    let name = name.trim();
    if !named(name) {
        wrong.push(("nome", "Informe o nome, com até 100 caracteres."));
    }
    let found = email(address);
    if found.is_none() {
        wrong.push(("email", "Informe um endereço de e-mail."));
    }
    if let Some(sentence) = weakness(&password, found.as_deref().unwrap_or_default()) {
        wrong.push(("senha", sentence));
    }
    let (Some(email), true) = (found, wrong.is_empty()) else {
        return Ok(Err(wrong));
    };
    let now_ms = app.now_ms();
    Ok(Ok(UserRow {
        id: UserId::new(now_ms),
        email,
        nome: name.to_owned(),
        senha: app.hasher.hash(password).await?,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..UserRow::default()
    }))
}

/// Registers a person who opens an account.
///
/// # Errors
/// The database failed.
pub async fn register(app: &People, ip: &str, form: Form) -> anyhow::Result<Registered> {
    if !attempt(app, format!("registro {}", neighbour(ip)), BY_ADDRESS).await? {
        return Ok(Registered::Slower);
    }
    let conta = match form.conta.trim() {
        "" => form.name.trim().to_owned(),
        given if named(given) => given.to_owned(),
        _ => {
            let sentence = "O nome da conta tem até 100 caracteres, em uma linha.";
            return Ok(Registered::Wrong(vec![("conta", sentence)]));
        }
    };
    let user = match person(app, &form.name, &form.email, form.password).await? {
        Ok(user) => user,
        Err(wrong) => return Ok(Registered::Wrong(wrong)),
    };
    let opening = Opening {
        name: conta,
        requests_per_minute: app.config.accounts.requests_per_minute,
        gift_credits: app.config.accounts.gift_credits,
        now_ms: app.now_ms(),
    };
    let (account, prepared) = opening::prepare(&app.pepper, &opening)?;
    let letter = if app.config.mail.on() {
        Some(confirmation::letter(&user, &account.id, app.now_ms())?)
    } else {
        None
    };
    let input = (user.clone(), prepared, account.id.clone(), letter);
    let written = app
        .db
        .write(input, |(user, prepared, account, letter), conn| {
            Box::pin(async move {
                if !users::insert(conn, user).await? {
                    return Err(TxError::Abort(()));
                }
                opening::insert(conn, prepared).await?;
                users::join(conn, account, &user.id, Role::Owner, user.created_at_ms).await?;
                if let Some(letter) = letter {
                    letters::queue(conn, letter).await?;
                }
                Ok(())
            })
        });
    match written.await {
        Ok(()) => Ok(Registered::Done { user, account }),
        Err(TxError::Abort(())) => Ok(Registered::Wrong(vec![(
            "email",
            "Já existe um cadastro com este e-mail; entre com a sua senha.",
        )])),
        Err(TxError::Db(error)) => Err(error.into()),
    }
}
