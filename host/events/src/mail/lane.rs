//! Sending what is due.
//!
//! A node takes a mail by its lease, hands it to the server and writes what
//! came of it. A temporary failure is tried again in growing pauses, a
//! permanent one is the end.

use super::message::{self, Parts};
use super::smtp;
use crate::mail::notices::Channels;
use crate::mail::text::{self, House};
use crate::messaging::{self, Handover};
use crate::parts::Events;
use ::accounts::letters::Arquivo;
use ::accounts::letters::{DAY_MS, Letter};
use ::accounts::users::{confirmation, recovery, team};
use anyhow::Context as _;
use authority::question::Question;
use base::faultpoint;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::rounds::{self, Rounds};
use store::tables::mails::{self, FileRow, MailChannel, MailRow, MailStatus};
use store::{DbResult, TxError};
use tokio::sync::Semaphore;

/// How often a node looks for what is due.
const LOOK: Duration = Duration::from_millis(250);
/// What a lease outlives the longest attempt by.
const MARGIN: Duration = Duration::from_secs(15);
/// How often old records are removed, and how many at a time.
const PURGE_MS: i64 = 600_000;
const PURGE: i64 = 1_000;

/// The loop of a node.
pub async fn poll(app: Events) {
    let mut rounds = Rounds::every(&app, LOOK);
    // One way that is slow does not hold up the other.
    let at_once = app.config.mail.at_once;
    let places = [at_once; 2].map(|places| Arc::new(Semaphore::new(places)));
    let mut purged_ms = 0;
    loop {
        rounds.next().await;
        if let Err(error) = round(&app, &places, &mut purged_ms).await {
            tracing::error!(error = %format!("{error:#}"), "mails wait");
        }
    }
}

async fn round(
    app: &Events,
    places: &[Arc<Semaphore>; 2],
    purged_ms: &mut i64,
) -> anyhow::Result<()> {
    let channels = Channels::of(app);
    let work = |mail: MailRow| {
        let app = app.clone();
        async move {
            let id = mail.id.clone();
            if let Err(error) = serve(&app, mail).await {
                tracing::error!(mail.id = %id, error = %format!("{error:#}"), "a mail is left to its lease");
            }
        }
    };
    let [email, chatapp] = places;
    if channels.email {
        rounds::start(email, || claim(app, (true, false)), work).await?;
    }
    if channels.chatapp {
        rounds::start(chatapp, || claim(app, (false, true)), work).await?;
    }
    let now_ms = app.now_ms();
    if now_ms - *purged_ms > PURGE_MS {
        *purged_ms = now_ms;
        purge(app, now_ms).await?;
    }
    Ok(())
}

/// Takes what is due by one of the ways: by mail, by messaging app.
async fn claim(app: &Events, way: (bool, bool)) -> anyhow::Result<Option<MailRow>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    if !mails::due(&mut conn, way, now_ms).await? {
        return Ok(None);
    }
    drop(conn);
    // By mail, or by a question to the messaging app.
    let longest = Duration::from_millis(app.config.mail.timeout_ms).max(Question::longest(app));
    let lease_ms = i64::try_from((longest + MARGIN).as_millis()).unwrap_or(i64::MAX / 2);
    let until_ms = now_ms + lease_ms;
    let input = (app.name.clone(), way, until_ms, now_ms);
    let claimed = app.db.write(input, |(node, way, until_ms, now_ms), conn| {
        Box::pin(async move {
            let row = mails::claim(conn, node, *way, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(row)
        })
    });
    Ok(claimed.await?)
}

/// Sends a mail this node has taken, and writes what came of it.
async fn serve(app: &Events, mail: MailRow) -> anyhow::Result<()> {
    faultpoint::hit("mail");
    // A database that fails leaves it to the lease: it is not the mail's fault.
    let handover = match content(app, &mail).await? {
        Some((letter, _)) if mail.canal == MailChannel::Chatapp => {
            recado(app, &mail, &letter).await
        }
        Some((letter, files)) => match written(app, &mail, &letter, files) {
            Ok((to, message)) => smtp::send(&app.config.mail, &to, &message).await,
            Err(error) => unwritten(&mail, &error),
        },
        None => unwritten(&mail, &anyhow::anyhow!("its content cannot be read")),
    };
    faultpoint::hit("mail, sent");
    let written = settle(app, mail, handover).await;
    faultpoint::hit("mail, written");
    written
}

/// Trying again would not help.
fn unwritten(mail: &MailRow, error: &anyhow::Error) -> Handover {
    tracing::error!(mail.id = %mail.id, error = %format!("{error:#}"), "a mail cannot be written");
    Handover::Refused("não pôde ser escrito".to_owned())
}

/// Writes something that may have links in it: their secrets are made again
/// here, and are nowhere stored.
fn with_links<T>(app: &Events, write: impl FnOnce(&House<'_>) -> T) -> T {
    let (pepper, base_url) = (&app.pepper, app.config.server.base_url.as_str());
    write(&House {
        base_url,
        invite: &|seed| team::link(app, seed),
        password: &|seed| recovery::link(pepper, base_url, seed),
        confirmation: &|seed| confirmation::link(pepper, base_url, seed),
    })
}

/// Hands it to the messaging app, under its own id.
async fn recado(app: &Events, mail: &MailRow, letter: &Letter) -> Handover {
    let text = with_links(app, |house| text::message(letter, house));
    messaging::send(app, &mail.account_id, &mail.id, &mail.destino, &text).await
}

/// The content of a mail and its files; None when the content is gone or of a
/// kind this program does not know.
async fn content(app: &Events, mail: &MailRow) -> DbResult<Option<(Letter, Vec<FileRow>)>> {
    let mut conn = app.db.read().await?;
    let Some((content, files)) = mails::content(&mut conn, mail).await? else {
        return Ok(None);
    };
    match serde_json::from_str(&content.carta) {
        Ok(letter) => Ok(Some((letter, files))),
        Err(error) => {
            tracing::error!(mail.id = %mail.id, %error, "a mail has no letter that can be read");
            Ok(None)
        }
    }
}

/// A mail as it goes out.
fn written(
    app: &Events,
    mail: &MailRow,
    letter: &Letter,
    files: Vec<FileRow>,
) -> anyhow::Result<(lettre::Address, lettre::Message)> {
    let files = files.into_iter().map(|file| Arquivo {
        name: file.nome,
        kind: file.tipo,
        bytes: file.bytes,
    });
    message::build(Parts {
        id: &mail.id,
        from: app.config.mail.sender().context("mail.from")?,
        to: &mail.destino,
        written: with_links(app, |house| text::write(letter, house)),
        arquivos: files.collect(),
        automatic: matches!(letter, Letter::Certificado { .. } | Letter::Saldo { .. }),
        at_ms: mail.created_at_ms,
    })
}

async fn settle(app: &Events, mut mail: MailRow, handover: Handover) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    mail.attempts += 1;
    let made = usize::try_from(mail.attempts).unwrap_or(usize::MAX);
    let again = app.config.mail.schedule_s.pause_ms(made);
    let mut later = false;
    match handover {
        Handover::Accepted => {
            mail.status = MailStatus::Sent;
            mail.motivo.clear();
        }
        Handover::Deferred(reason) if again.is_some() => {
            mail.motivo = reason;
            mail.due_ms = now_ms + again.unwrap_or_default();
            later = true;
        }
        Handover::Deferred(reason) | Handover::Refused(reason) => {
            mail.status = MailStatus::Failed;
            mail.motivo = reason;
        }
    }
    if mail.status != MailStatus::Sent {
        tracing::warn!(mail.id = %mail.id, attempts = mail.attempts, later, reason = %mail.motivo, "a mail was not taken");
    }
    let written = app
        .db
        .write((mail, later, now_ms), |(mail, later, now_ms), conn| {
            Box::pin(async move {
                if *later {
                    mails::later(conn, mail, *now_ms).await?;
                } else {
                    mails::over(conn, mail, *now_ms).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
    Ok(written.await?)
}

/// Removes records older than they are kept.
async fn purge(app: &Events, now_ms: i64) -> anyhow::Result<()> {
    let before_ms = now_ms - app.config.mail.keep_days * DAY_MS;
    let removed = app.db.write(before_ms, |before_ms, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(mails::purge(conn, *before_ms, PURGE).await?)
        })
    });
    let removed = removed.await?;
    if removed > 0 {
        tracing::info!(removed, "old records of mails were removed");
    }
    Ok(())
}
