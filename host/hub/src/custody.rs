//! All sealed rows at once: wrapping them with a new key, and checking that
//! each can be opened.
//!
//! Safe while servers run. A row is replaced only if it is still the one that
//! was read. A server that read the row before opens it with the old key, which
//! stays in the keyring; one that reads it afterwards finds the new key in the
//! keyring's file.

use accounts::users::totp;
use authority::customer::{certificate_aad, secret_aad};
use events::attempt::sealed;
use store::ids::{AccountId, CertificateId, EmitterId, UserId, WebhookId};
use store::{Db, TxError};
use vault::envelope::{Aad, EnvelopeError, Keyring, kek_id};

use std::convert::Infallible;

/// Rows read at a time; each is a few kilobytes.
const PAGE: i64 = 100;
/// Attempts at a row that changes while it is wrapped.
const ATTEMPTS: u32 = 4;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Under the active key already.
    pub current: u64,
    /// Wrapped anew by this run.
    pub rewrapped: u64,
    /// Readable, under an older key.
    pub older: u64,
    /// Table and id of what cannot be opened, with the reason.
    pub unreadable: Vec<String>,
}

impl Report {
    pub fn readable(&self) -> u64 {
        self.current + self.rewrapped + self.older
    }
}

/// Wraps everything with the keyring's active key. What cannot be opened is
/// left as it is and reported.
///
/// # Errors
/// The database failed; running it again goes on.
pub async fn rewrap(db: &Db, keyring: &Keyring) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut walk = Walk::new(db);
    while let Some(page) = walk.next().await? {
        for row in page {
            rewrap_row(db, keyring, row, &mut report).await?;
        }
    }
    Ok(report)
}

/// Opens everything and changes nothing.
///
/// # Errors
/// The database failed.
pub async fn verify(db: &Db, keyring: &Keyring) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut walk = Walk::new(db);
    while let Some(page) = walk.next().await? {
        for row in page {
            match keyring.open(&row.blob, &row.aad()) {
                Ok(_) if is_current(keyring, &row.blob) => report.current += 1,
                Ok(_) => report.older += 1,
                Err(error) => report.unreadable.push(row.finding(&error)),
            }
        }
    }
    Ok(report)
}

async fn rewrap_row(
    db: &Db,
    keyring: &Keyring,
    mut row: Sealed,
    report: &mut Report,
) -> anyhow::Result<()> {
    for _ in 0..ATTEMPTS {
        let wrapped = if is_current(keyring, &row.blob) {
            // Opened all the same: a damaged row is a finding.
            keyring.open(&row.blob, &row.aad()).map(|_| None)
        } else {
            // Opened whole: re-wrapping alone would not look at the payload.
            keyring
                .open(&row.blob, &row.aad())
                .and_then(|_| keyring.rewrap(&row.blob, &row.aad()))
                .map(Some)
        };
        let wrapped = match wrapped {
            Ok(Some(wrapped)) => wrapped,
            Ok(None) => {
                report.current += 1;
                return Ok(());
            }
            Err(error) => {
                report.unreadable.push(row.finding(&error));
                return Ok(());
            }
        };
        if exchange(db, row.clone(), wrapped).await? {
            report.rewrapped += 1;
            return Ok(());
        }
        match again(db, &row).await? {
            Some(changed) => row = changed,
            // Deleted meanwhile.
            None => return Ok(()),
        }
    }
    report.unreadable.push(format!(
        "{}: changed too often to be wrapped, run it again",
        row.name()
    ));
    Ok(())
}

fn is_current(keyring: &Keyring, blob: &[u8]) -> bool {
    kek_id(blob).is_ok_and(|id| id == keyring.active_id())
}

/// A sealed value and where it belongs.
#[derive(Clone)]
struct Sealed {
    place: Place,
    account_id: AccountId,
    blob: Vec<u8>,
}

#[derive(Clone)]
enum Place {
    Certificate {
        id: CertificateId,
    },
    Secret {
        emitter_id: EmitterId,
        name: String,
    },
    Webhook {
        id: WebhookId,
    },
    /// The second factor of a person, who belongs to no account.
    Totp {
        user: UserId,
    },
}

impl Sealed {
    fn aad(&self) -> Aad<'_> {
        match &self.place {
            Place::Certificate { id } => certificate_aad(&self.account_id, id),
            Place::Secret { emitter_id, .. } => secret_aad(&self.account_id, emitter_id),
            Place::Webhook { id } => sealed::aad(&self.account_id, id),
            Place::Totp { user } => totp::aad(user),
        }
    }

    fn name(&self) -> String {
        match &self.place {
            Place::Certificate { id } => format!("certificates {id}"),
            Place::Secret {
                emitter_id,
                name: called,
            } => format!("secrets {emitter_id} {called}"),
            Place::Webhook { id } => format!("webhooks {id}"),
            Place::Totp { user } => format!("users {user}"),
        }
    }

    fn finding(&self, error: &EnvelopeError) -> String {
        format!("{}: {error}", self.name())
    }
}

/// Puts the new blob in the place of the one that was read; false when
/// another is there now.
async fn exchange(db: &Db, row: Sealed, wrapped: Vec<u8>) -> anyhow::Result<bool> {
    let done = db.write((row, wrapped), |(row, wrapped), conn| {
        Box::pin(async move {
            let done = match &row.place {
                Place::Certificate { id } => {
                    store::tables::certificates::set_blob(conn, id, &row.blob, wrapped).await?
                }
                Place::Secret { emitter_id, name } => {
                    store::tables::secrets::set_blob(conn, emitter_id, name, &row.blob, wrapped)
                        .await?
                }
                Place::Webhook { id } => {
                    store::tables::webhooks::set_sealed(conn, id, &row.blob, wrapped).await?
                }
                Place::Totp { user } => {
                    store::tables::users::exchange_totp(conn, user, &row.blob, wrapped).await?
                }
            };
            Ok::<_, TxError<Infallible>>(done)
        })
    });
    Ok(done.await?)
}

/// The row as it is now.
async fn again(db: &Db, row: &Sealed) -> anyhow::Result<Option<Sealed>> {
    let mut conn = db.read().await?;
    Ok(match &row.place {
        Place::Certificate { id } => {
            store::tables::certificates::get(&mut conn, &row.account_id, id)
                .await?
                .map(Sealed::from)
        }
        Place::Secret { emitter_id, name } => {
            let all =
                store::tables::secrets::of_emitter(&mut conn, &row.account_id, emitter_id).await?;
            all.into_iter()
                .find(|secret| secret.nome == *name)
                .map(Sealed::from)
        }
        Place::Webhook { id } => store::tables::webhooks::by_id(&mut conn, id)
            .await?
            .map(Sealed::from),
        Place::Totp { user } => store::tables::users::get(&mut conn, user)
            .await?
            .filter(|user| !user.totp.is_empty())
            .map(Sealed::from),
    })
}

impl From<store::tables::certificates::CertificateRow> for Sealed {
    fn from(row: store::tables::certificates::CertificateRow) -> Self {
        Sealed {
            place: Place::Certificate { id: row.id },
            account_id: row.account_id,
            blob: row.key_blob,
        }
    }
}

impl From<store::tables::secrets::SecretRow> for Sealed {
    fn from(row: store::tables::secrets::SecretRow) -> Self {
        Sealed {
            place: Place::Secret {
                emitter_id: row.emitter_id,
                name: row.nome,
            },
            account_id: row.account_id,
            blob: row.blob,
        }
    }
}

impl From<store::tables::webhooks::WebhookRow> for Sealed {
    fn from(row: store::tables::webhooks::WebhookRow) -> Self {
        Sealed {
            place: Place::Webhook { id: row.id },
            account_id: row.account_id,
            blob: row.sealed,
        }
    }
}

impl From<store::tables::users::UserRow> for Sealed {
    fn from(row: store::tables::users::UserRow) -> Self {
        Sealed {
            place: Place::Totp { user: row.id },
            account_id: AccountId::default(),
            blob: row.totp,
        }
    }
}

/// A table with sealed rows.
#[derive(Clone, Copy)]
enum Table {
    Certificates,
    Secrets,
    Webhooks,
    Users,
}

/// Page after page of each table. No connection is held between two pages.
struct Walk<'a> {
    db: &'a Db,
    left: std::slice::Iter<'static, Table>,
    table: Option<Table>,
    after: (String, String),
}

impl<'a> Walk<'a> {
    fn new(db: &'a Db) -> Walk<'a> {
        let mut left = [
            Table::Certificates,
            Table::Secrets,
            Table::Webhooks,
            Table::Users,
        ]
        .iter();
        Walk {
            db,
            table: left.next().copied(),
            left,
            after: Default::default(),
        }
    }

    async fn next(&mut self) -> anyhow::Result<Option<Vec<Sealed>>> {
        while let Some(table) = self.table {
            let page = self.page(table).await?;
            if let Some(last) = page.last() {
                self.after = match &last.place {
                    Place::Certificate { id } => (id.to_string(), String::new()),
                    Place::Webhook { id } => (id.to_string(), String::new()),
                    Place::Totp { user } => (user.to_string(), String::new()),
                    Place::Secret { emitter_id, name } => (emitter_id.to_string(), name.clone()),
                };
                return Ok(Some(page));
            }
            self.table = self.left.next().copied();
            self.after = Default::default();
        }
        Ok(None)
    }

    async fn page(&self, table: Table) -> anyhow::Result<Vec<Sealed>> {
        let (first, second) = &self.after;
        let mut conn = self.db.read().await?;
        Ok(match table {
            Table::Certificates => {
                sealed(store::tables::certificates::page(&mut conn, first, PAGE).await?)
            }
            Table::Secrets => {
                sealed(store::tables::secrets::page(&mut conn, first, second, PAGE).await?)
            }
            Table::Webhooks => sealed(store::tables::webhooks::page(&mut conn, first, PAGE).await?),
            Table::Users => sealed(store::tables::users::with_totp(&mut conn, first, PAGE).await?),
        })
    }
}

fn sealed<R: Into<Sealed>>(rows: Vec<R>) -> Vec<Sealed> {
    rows.into_iter().map(Into::into).collect()
}
