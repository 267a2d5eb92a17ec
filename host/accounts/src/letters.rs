//! The content of mails and messages of an app, as data, and the queue they
//! wait in. They are written in the transaction in which the thing they tell of
//! happened; the text is made of the data when it is sent.

use base::errors::{Code, Refusal};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use store::ids::{AccountId, MailContentId, MailId};
use store::node::Node;
use store::tables::mails::{self, ContentRow, FileRow, MailChannel, MailKind, MailRow};
use store::{Conn, DbResult, TxError};

pub const DAY_MS: i64 = 24 * 3_600_000;

/// What a mail says.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    Documento(Documento),
    /// A certificate ends, or has ended.
    Certificado {
        empresa: String,
        cnpj: String,
        valido_ate_ms: i64,
        /// 0: it has ended.
        dias: i64,
    },
    /// The balance went through a threshold.
    Saldo {
        conta: String,
        saldo: i64,
        limiar: i64,
    },
    /// The secret of the link is made again when it is sent.
    Convite {
        conta: String,
        papel: String,
        por: String,
        semente: String,
        vence_ms: i64,
    },
    /// The secret of the link is made again when it is sent.
    Senha {
        nome: String,
        semente: String,
    },
    /// Likewise.
    Confirmacao {
        nome: String,
        semente: String,
    },
}

/// A note for its recipient.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Documento {
    /// NF-e, NFC-e, NFS-e.
    pub titulo: String,
    pub numero: String,
    pub serie: String,
    pub emitente: String,
    pub cnpj: String,
    pub destinatario: String,
    pub valor_centavos: i64,
    pub chave: String,
    pub codigo_verificacao: String,
    pub url_consulta: String,
    pub cancelada: bool,
    /// It has no fiscal value: simulated, or of homologation.
    pub sem_valor: bool,
    pub mensagem: String,
}

/// A file that goes along.
#[derive(Clone, Debug)]
pub struct Arquivo {
    pub name: String,
    /// Media type.
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// A content for some addresses, ready to be written.
#[derive(Clone)]
pub struct Sending {
    content: ContentRow,
    files: Vec<FileRow>,
    mails: Vec<MailRow>,
}

impl Sending {
    /// One content for these addresses of one account.
    ///
    /// # Errors
    /// The content cannot be written down.
    pub fn new(
        account: &AccountId,
        kind: MailKind,
        subject: &str,
        letter: &Letter,
        to: &[String],
        now_ms: i64,
    ) -> DbResult<Sending> {
        let letter = serde_json::to_string(letter);
        let content = ContentRow {
            id: MailContentId::new(now_ms),
            account_id: account.to_owned(),
            carta: letter.map_err(|error| sqlx::Error::Encode(error.into()))?,
            created_at_ms: now_ms,
        };
        let ids = MailId::several(now_ms, to.len());
        let mails = to.iter().zip(ids).map(|(to, id)| MailRow {
            id,
            canal: MailChannel::Email,
            tipo: kind,
            subject_id: subject.to_owned(),
            destino: to.clone(),
            ..MailRow::default()
        });
        Ok(Sending {
            mails: mails.collect(),
            content,
            files: Vec::new(),
        })
    }

    /// Files that go along.
    #[must_use]
    pub fn with_files(mut self, files: Vec<Arquivo>) -> Sending {
        self.files = (0_i64..)
            .zip(files)
            .map(|(order, file)| FileRow {
                content_id: self.content.id.clone(),
                ordem: order,
                nome: file.name,
                tipo: file.kind,
                bytes: file.bytes,
            })
            .collect();
        self
    }

    /// The same content as messages of the app; the addresses are telephone
    /// numbers.
    #[must_use]
    pub fn by_chatapp(mut self) -> Sending {
        for mail in &mut self.mails {
            mail.canal = MailChannel::Chatapp;
        }
        self
    }

    /// Id of the content, which all of these mails share.
    pub fn id(&self) -> &MailContentId {
        &self.content.id
    }

    /// How many mails it is.
    pub fn len(&self) -> i64 {
        i64::try_from(self.mails.len()).unwrap_or(i64::MAX)
    }

    /// Nobody gets it.
    pub fn is_empty(&self) -> bool {
        self.mails.is_empty()
    }
}

/// Writes mails, in the transaction of the thing they tell of.
///
/// # Errors
/// The database failed.
pub async fn queue(conn: &mut Conn, sending: &Sending) -> DbResult<()> {
    if sending.is_empty() {
        return Ok(());
    }
    mails::queue(conn, &sending.content, &sending.files, &sending.mails).await
}

/// Writes mails in a transaction of their own, where nothing else is written.
///
/// # Errors
/// The database failed.
pub async fn queue_alone(app: &Node, sending: Sending) -> anyhow::Result<()> {
    let written = app.db.write(sending, |sending, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(queue(conn, sending).await?) })
    });
    Ok(written.await?)
}

/// The refusal if an account may not ask for so many mails now; None: it may.
/// Takes no lock: the caller has locked the account.
///
/// # Errors
/// The database failed.
pub async fn over_limit(
    conn: &mut Conn,
    account: &AccountId,
    more: i64,
    limit: i64,
    now_ms: i64,
) -> DbResult<Option<Refusal>> {
    let (asked, oldest_ms) = mails::asked(conn, account, now_ms - DAY_MS).await?;
    if asked + more <= limit {
        return Ok(None);
    }
    // The first place comes free a day after the oldest was asked for.
    let wait_ms = if asked == 0 {
        DAY_MS
    } else {
        oldest_ms + DAY_MS - now_ms
    };
    let wait_s = u64::try_from(wait_ms / 1_000 + 1).unwrap_or(1);
    Ok(Some(
        Refusal::new(Code::LimiteDeEmails)
            .message(format!(
                "A conta pode pedir {limit} e-mails em 24 horas e já pediu {asked}."
            ))
            .retry_after(wait_s),
    ))
}

/// Refuses if this hub has no mail server.
///
/// # Errors
/// 503.
pub fn offered(app: &Node) -> Result<(), Box<Refusal>> {
    if app.config.mail.on() {
        Ok(())
    } else {
        Err(Box::new(Refusal::new(Code::EmailNaoOferecido)))
    }
}
