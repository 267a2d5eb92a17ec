//! The people of an account: inviting, changing their part, leaving.

use super::login::{self, Proof};
use super::registration::person;
use super::{Actor, Rights as _, Role, email, note, session};
use crate::letters::{self, Letter, Sending};
use crate::people::People;
use store::ids::{AccountId, InviteId, UserId};
use store::node::Node;
use store::tables::mails::MailKind;
use store::tables::users::{self, InviteRow, UserRow};
use store::tables::{accounts, sessions};
use store::{Conn, DbResult, TxError};
use vault::link;
use zeroize::Zeroizing;

/// How long an invitation is good for.
const INVITE_MS: i64 = 7 * 24 * 3_600_000;

/// Why nothing was changed, for customers.
pub type Sentence = &'static str;

/// What links of invitations are made for.
const LINK: &str = "hub/invite/1";

/// How an invitation gets to whom it is for.
pub enum Invited {
    /// A mail with its link is on its way.
    Mailed,
    /// No mail is sent here, or not for this account: whoever invited passes
    /// this link on. It is shown once.
    Link(String),
}

/// Who invites, and into what.
pub struct Inviting<'a> {
    pub account: &'a AccountId,
    /// Id of the person.
    pub user: &'a UserId,
    pub role: Role,
    /// Name of the person.
    pub name: &'a str,
}

/// The link of an invitation. What is stored in a mail on its way is the
/// seed: whoever reads the database does not come into an account with it.
pub fn link(app: &Node, seed: &str) -> String {
    let secret = link::secret(&app.pepper, LINK, seed);
    format!("{}/painel/convite/{}", app.config.server.base_url, *secret)
}

/// Invites somebody.
///
/// # Errors
/// The database failed. The inner one is for the customer.
pub async fn invite(
    app: &People,
    by: &Inviting<'_>,
    address: &str,
    role: Role,
) -> anyhow::Result<Result<Invited, Sentence>> {
    let account = by.account;
    let Some(email) = email(address) else {
        return Ok(Err("Informe um endereço de e-mail."));
    };
    if !by.role.appoints(role) {
        return Ok(Err("O seu papel não pode dar este papel."));
    }
    let mut conn = app.db.read().await?;
    let team = users::team(&mut conn, account).await?;
    let conta = accounts::get(&mut conn, account).await?;
    let mails = app.config.mail.on() && users::answers_for_mail(&mut conn, account).await?;
    drop(conn);
    if team.iter().any(|member| member.email == email) {
        return Ok(Err("Esta pessoa já está na conta."));
    }
    let seed = session::secret()?;
    let secret = link::secret(&app.pepper, LINK, &seed);
    let now_ms = app.now_ms();
    let row = InviteRow {
        id: InviteId::new(now_ms),
        account_id: account.to_owned(),
        email: email.clone(),
        papel: role,
        digest: session::digest(&secret),
        expires_at_ms: now_ms + INVITE_MS,
        created_at_ms: now_ms,
        invited_by: by.user.to_owned().into(),
    };
    let letter = Letter::Convite {
        conta: conta.map(|conta| conta.nome).unwrap_or_default(),
        papel: role.name().to_owned(),
        por: by.name.to_owned(),
        semente: seed.to_string(),
        vence_ms: row.expires_at_ms,
    };
    let sending = Sending::new(
        account,
        MailKind::Invite,
        &row.id,
        &letter,
        &[email],
        now_ms,
    )?;
    let sending = Some(sending).filter(|_| mails);
    let mailed = sending.is_some();
    let input = (row, sending, app.config.mail.per_account_day);
    let written = app.db.write(input, |(row, sending, limit), conn| {
        Box::pin(async move {
            users::invite(conn, row).await?;
            if let Some(sending) = sending {
                let (account, now_ms) = (&row.account_id, row.created_at_ms);
                accounts::lock(conn, account).await?;
                if letters::over_limit(conn, account, 1, *limit, now_ms)
                    .await?
                    .is_some()
                {
                    return Err(TxError::Abort(()));
                }
                letters::queue(conn, sending).await?;
            }
            Ok(())
        })
    });
    match written.await {
        Ok(()) if mailed => Ok(Ok(Invited::Mailed)),
        Ok(()) => Ok(Ok(Invited::Link(link(app, &seed)))),
        Err(TxError::Abort(())) => Ok(Err(
            "A conta já pediu os e-mails que pode em 24 horas. Convide mais tarde.",
        )),
        Err(TxError::Db(error)) => Err(error.into()),
    }
}

/// The invitation of a link, while it is good.
///
/// # Errors
/// The database failed.
pub async fn invitation(app: &People, secret: &str) -> anyhow::Result<Option<InviteRow>> {
    let mut conn = app.db.read().await?;
    let invite = users::invite_by_digest(&mut conn, &session::digest(secret)).await?;
    Ok(invite.filter(|invite| invite.expires_at_ms > app.now_ms()))
}

/// Takes an invitation back; false when there is none.
///
/// # Errors
/// The database failed.
pub async fn uninvite(app: &People, account: &AccountId, id: &InviteId) -> anyhow::Result<bool> {
    let input = (account.to_owned(), id.to_owned());
    let written = app.db.write(input, |(account, id), conn| {
        Box::pin(async move {
            let gone = users::uninvite(conn, account, id).await?;
            Ok::<_, TxError<std::convert::Infallible>>(gone)
        })
    });
    Ok(written.await?)
}

/// What came of accepting.
pub enum Accepted {
    In(UserRow),
    /// The person's second factor is asked for.
    NeedsCode,
    /// Too many attempts.
    Slower,
    /// Field and sentence.
    Wrong(Vec<(&'static str, &'static str)>),
}

/// What somebody says who accepts.
pub struct Answer<'a> {
    pub ip: &'a str,
    pub name: &'a str,
    pub password: Zeroizing<String>,
    /// Empty while none was asked for.
    pub codigo: &'a str,
}

/// Takes the invited person into the account. A person who is registered
/// already proves it as at the login, with the same throttles, because whoever
/// invites chooses the address. Any other becomes registered with this
/// password.
///
/// # Errors
/// The database failed.
pub async fn accept(
    app: &People,
    invite: InviteRow,
    answer: Answer<'_>,
) -> anyhow::Result<Accepted> {
    let Answer {
        ip,
        name,
        password,
        codigo,
    } = answer;
    let mut conn = app.db.read().await?;
    let known = users::by_email(&mut conn, &invite.email).await?;
    drop(conn);
    let (user, new) = match known {
        Some(user) => match login::prove(app, &user.email, ip, password, codigo).await? {
            Proof::Person(user) => (user, false),
            Proof::NeedsCode => return Ok(Accepted::NeedsCode),
            Proof::Slower => return Ok(Accepted::Slower),
            Proof::Wrong => {
                let sentence = "A senha do seu cadastro, ou o código, não confere.";
                return Ok(Accepted::Wrong(vec![("senha", sentence)]));
            }
        },
        None if !login::from_address(app, ip).await? => return Ok(Accepted::Slower),
        None => match person(app, name, &invite.email, password).await? {
            Ok(user) => (user, true),
            Err(wrong) => return Ok(Accepted::Wrong(wrong)),
        },
    };
    let account = invite.account_id.clone();
    let input = (invite, user.clone(), new, app.now_ms());
    let written = app.db.write(input, |(invite, user, new, now_ms), conn| {
        Box::pin(async move {
            // Whoever comes second finds the invitation used, or another in
            // its place.
            let Some(invite) = users::take_invite(conn, &invite.digest).await? else {
                return Err(TxError::Abort(()));
            };
            if !stands(conn, &invite).await? {
                return Err(TxError::Abort(()));
            }
            if *new && !users::insert(conn, user).await? {
                return Err(TxError::Abort(()));
            }
            users::join(conn, &invite.account_id, &user.id, invite.papel, *now_ms).await?;
            Ok(invite.papel)
        })
    });
    match written.await {
        Ok(role) => {
            let actor = Actor {
                account_id: account,
                user_id: user.id.clone().into(),
                name: user.email.clone(),
                ip: ip.to_owned(),
            };
            note(app, &actor, "equipe.entrada", &user.id, role.as_str()).await?;
            Ok(Accepted::In(user))
        }
        Err(TxError::Abort(())) => Ok(Accepted::Wrong(vec![(
            "email",
            "Este convite já foi usado, substituído por outro, ou é de quem não pode mais convidar. Se já tem cadastro, entre com a sua senha.",
        )])),
        Err(TxError::Db(error)) => Err(error.into()),
    }
}

/// Whether the person who invited is still in the account and may still give
/// this role.
async fn stands(conn: &mut Conn, invite: &InviteRow) -> DbResult<bool> {
    let Some(by) = invite.invited_by.as_ref() else {
        return Ok(true);
    };
    accounts::lock(conn, &invite.account_id).await?;
    let by = users::member(conn, &invite.account_id, by).await?;
    Ok(by.is_some_and(|by| by.papel.appoints(invite.papel)))
}

/// Takes back the invitations of a person that they could not give with their
/// new role.
async fn withdraw(
    conn: &mut Conn,
    account: &AccountId,
    user: &UserId,
    role: Option<Role>,
) -> DbResult<()> {
    for invite in users::invites(conn, account).await? {
        let stays = role.is_some_and(|by| by.appoints(invite.papel));
        if invite.invited_by.as_ref() == Some(user) && !stays {
            users::uninvite(conn, account, &invite.id).await?;
        }
    }
    Ok(())
}

/// Changes the part of a person; None takes them out of the account.
///
/// # Errors
/// The database failed. The inner one is for the customer.
pub async fn change(
    app: &People,
    account: &AccountId,
    by: Role,
    user: &UserId,
    role: Option<Role>,
) -> anyhow::Result<Result<(), Sentence>> {
    let input = (account.to_owned(), by, user.to_owned(), role);
    let written = app.db.write(input, |(account, by, user, role), conn| {
        Box::pin(async move {
            // Locked: two owners who leave at the same moment would leave none.
            accounts::lock(conn, account).await?;
            let member = users::member(conn, account, user).await?;
            let Some(is) = member.map(|member| member.papel) else {
                return Err(TxError::Abort("Esta pessoa não está na conta."));
            };
            if !by.appoints(is) || role.is_some_and(|role| !by.appoints(role)) {
                return Err(TxError::Abort("O seu papel não permite esta mudança."));
            }
            let stays_owner = *role == Some(Role::Owner);
            if is == Role::Owner && !stays_owner && users::owners(conn, account).await? < 2 {
                return Err(TxError::Abort("A conta precisa de um dono."));
            }
            withdraw(conn, account, user, *role).await?;
            match role {
                Some(role) => {
                    users::set_role(conn, account, user, *role).await?;
                }
                None => {
                    users::leave(conn, account, user).await?;
                    sessions::delete_in(conn, user, account).await?;
                }
            }
            Ok(())
        })
    });
    match written.await {
        Ok(()) => Ok(Ok(())),
        Err(TxError::Abort(sentence)) => Ok(Err(sentence)),
        Err(TxError::Db(error)) => Err(error.into()),
    }
}
