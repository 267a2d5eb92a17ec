//! Notices: events that people are also told of by mail or message. The mails
//! are written in the transaction that gives the event its place, so each event
//! is noticed once.

use crate::messaging;
use crate::parts::Events;
use ::accounts::letters::{Letter, Sending, over_limit, queue};
use ::accounts::users::Rights as _;
use ::accounts::users::role::Action;
use base::when;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::ids::AccountId;
use store::tables::mails::MailKind;
use store::tables::outbox::{self, OutboxRow};
use store::tables::{accounts, alertas, emitters, users};
use store::{Conn, DbError, DbResult, stored, unreadable};

/// Ways a notice can take in this hub.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    pub email: bool,
    pub chatapp: bool,
    /// Mails and messages of an account in 24 hours.
    pub limit: i64,
}

impl Channels {
    pub fn of(app: &Events) -> Channels {
        Channels {
            email: app.config.mail.on(),
            chatapp: messaging::offered(app).is_some(),
            limit: app.config.mail.per_account_day,
        }
    }

    /// Somebody can be told at all.
    pub fn any(self) -> bool {
        self.email || self.chatapp
    }
}

/// Writes the mails of the account's events in places `after + 1 ..= upto`.
///
/// # Errors
/// The database failed.
pub async fn of_events(
    conn: &mut Conn,
    channels: Channels,
    account: &AccountId,
    (after, upto): (i64, i64),
    now_ms: i64,
) -> DbResult<()> {
    if !channels.any() {
        return Ok(());
    }
    for event in outbox::notices(conn, account, after, upto).await? {
        let written = of_event(conn, channels, &event, now_ms).await;
        // What it is about is damaged, and stays so: the account's events go on.
        if let Err(DbError::Decode(error)) = written {
            tracing::error!(evento.id = %event.id, %error, "nobody is told of an event by mail");
        } else {
            written?;
        }
    }
    Ok(())
}

/// Writes the mails of one event; when it cannot be read, none.
async fn of_event(
    conn: &mut Conn,
    channels: Channels,
    event: &OutboxRow,
    now_ms: i64,
) -> DbResult<()> {
    match event.tipo.as_str() {
        "saldo.baixo" => balance(conn, channels, event, now_ms).await,
        "certificado.expirando" => certificado(conn, channels, event, now_ms).await,
        _ => Ok(()),
    }
}

/// What an event says happened.
fn data<T: DeserializeOwned>(event: &OutboxRow) -> DbResult<T> {
    stored(&event.payload, "content of an event", &event.id)
}

#[derive(Deserialize)]
struct LowBalance {
    saldo: i64,
    limiar: i64,
}

async fn balance(
    conn: &mut Conn,
    channels: Channels,
    event: &OutboxRow,
    now_ms: i64,
) -> DbResult<()> {
    let account = &event.account_id;
    let Some(alerta) = alertas::get(conn, account).await? else {
        return Ok(());
    };
    let wanted: Vec<String> = stored(&alerta.canais, "channels of an alert", account)?;
    let telefones: Vec<String> = stored(&alerta.telefones, "telephones of an alert", account)?;
    let data: LowBalance = data(event)?;
    let letter = Letter::Saldo {
        conta: name(conn, account).await?,
        saldo: data.saldo,
        limiar: data.limiar,
    };
    let on = |name: &str| wanted.iter().any(|channel| channel == name);
    if channels.chatapp && on("chatapp") {
        let sending = Sending::new(
            account,
            MailKind::Balance,
            account,
            &letter,
            &telefones,
            now_ms,
        )?;
        bounded(conn, channels, account, &sending.by_chatapp(), now_ms).await?;
    }
    if channels.email && on("email") {
        let to = people(conn, account, Action::Creditos).await?;
        let sending = Sending::new(account, MailKind::Balance, account, &letter, &to, now_ms)?;
        bounded(conn, channels, account, &sending, now_ms).await?;
    }
    Ok(())
}

/// Writes a notice whose thresholds and addresses customers choose, unless the
/// account has had all it may have today.
async fn bounded(
    conn: &mut Conn,
    channels: Channels,
    account: &AccountId,
    sending: &Sending,
    now_ms: i64,
) -> DbResult<()> {
    let over = over_limit(conn, account, sending.len(), channels.limit, now_ms).await?;
    if over.is_some() {
        tracing::warn!(account.id = %account, "a notice is not sent: the account has had its mails of the day");
        return Ok(());
    }
    queue(conn, sending).await
}

#[derive(Deserialize)]
struct Expiring {
    valido_ate: String,
    dias_restantes: i64,
}

async fn certificado(
    conn: &mut Conn,
    channels: Channels,
    event: &OutboxRow,
    now_ms: i64,
) -> DbResult<()> {
    let account = &event.account_id;
    let emitter = match event.emitter_id.as_ref() {
        Some(id) => emitters::get(conn, account, id).await?,
        None => None,
    };
    let (Some(emitter), true) = (emitter, channels.email) else {
        return Ok(());
    };
    let data: Expiring = data(event)?;
    let valid_until = when::parse(&data.valido_ate);
    let valid_until = valid_until.ok_or_else(|| unreadable("end of a certificate", &event.id))?;
    let letter = Letter::Certificado {
        empresa: emitter.razao_social,
        cnpj: emitter.cnpj,
        valido_ate_ms: when::ms(valid_until),
        dias: data.dias_restantes,
    };
    let to = people(conn, account, Action::Emitters).await?;
    let subject = &event.subject_id;
    let sending = Sending::new(
        account,
        MailKind::Certificado,
        subject,
        &letter,
        &to,
        now_ms,
    )?;
    queue(conn, &sending).await
}

/// Addresses of the account's people whose part allows something.
async fn people(conn: &mut Conn, account: &AccountId, action: Action) -> DbResult<Vec<String>> {
    let team = users::team(conn, account).await?;
    let those = team.into_iter().filter(|member| member.papel.may(action));
    Ok(those.map(|member| member.email).collect())
}

async fn name(conn: &mut Conn, account: &AccountId) -> DbResult<String> {
    let account = accounts::get(conn, account).await?;
    Ok(account.map(|account| account.nome).unwrap_or_default())
}
