//! Tables `mails`, `mail_contents` and `mail_files`: mails and messages that
//! are to be sent. They are written in the transaction in which the thing they
//! tell of happened.

use crate::ids::{AccountId, MailContentId, MailId};
use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// How a mail goes.
    #[derive(Default)]
    pub enum MailChannel {
        #[default]
        Email = "email",
        /// The messaging app.
        Chatapp = "chatapp",
    }
}

words! {
    /// What a mail is about.
    #[derive(Default)]
    pub enum MailKind {
        #[default]
        Documento = "documento",
        Certificado = "certificado",
        Balance = "saldo",
        Invite = "convite",
        Password = "senha",
        Confirmation = "confirmacao",
    }
}

words! {
    /// What became of a mail.
    #[derive(Default)]
    pub enum MailStatus {
        #[default]
        Queued = "fila",
        Sent = "enviado",
        Failed = "falhou",
    }
}

row! {
    /// One content for one address.
    #[derive(Clone, Debug, Default)]
    pub struct MailRow {
        pub id: MailId,
        pub account_id: AccountId,
        pub content_id: MailContentId,
        pub canal: MailChannel,
        pub tipo: MailKind,
        /// Note, certificate, account, invitation or person it is about.
        pub subject_id: String,
        /// Address or number; empty once it is over.
        pub destino: String,
        pub status: MailStatus,
        /// Why the last attempt failed; never an address.
        pub motivo: String,
        pub attempts: i64,
        pub due_ms: i64,
        pub fence: i64,
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    /// What is sent, as data.
    #[derive(Clone, Debug, Default)]
    pub struct ContentRow {
        pub id: MailContentId,
        pub account_id: AccountId,
        /// JSON.
        pub carta: String,
        pub created_at_ms: i64,
    }
}

row! {
    /// A file that goes along.
    #[derive(Clone, Debug, Default)]
    pub struct FileRow {
        pub content_id: MailContentId,
        pub ordem: i64,
        pub nome: String,
        /// Media type.
        pub tipo: String,
        pub bytes: Vec<u8>,
    }
}

const INSERT_CONTENT: &str =
    "INSERT INTO mail_contents (id, account_id, carta, created_at_ms) VALUES ($1, $2, $3, $4)";
const INSERT_FILE: &str =
    "INSERT INTO mail_files (content_id, ordem, nome, tipo, bytes) VALUES ($1, $2, $3, $4, $5)";
const INSERT: &str = "INSERT INTO mails (id, account_id, content_id, canal, tipo, subject_id, destino, status, due_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'fila', $8, $8, $8)";
const DUE: &str = "SELECT COUNT(*) FROM mails WHERE status = 'fila' AND due_ms <= $1 AND lease_until_ms < $1 \
     AND ((canal = 'email' AND $2 = 1) OR (canal = 'chatapp' AND $3 = 1))";
const CLAIM: &str = "UPDATE mails SET lease_owner = $1, lease_until_ms = $2, fence = fence + 1, updated_at_ms = $3 \
     WHERE id = (SELECT m.id FROM mails m WHERE m.status = 'fila' AND m.due_ms <= $3 AND m.lease_until_ms < $3 \
     AND ((m.canal = 'email' AND $4 = 1) OR (m.canal = 'chatapp' AND $5 = 1)) ORDER BY m.due_ms, m.id LIMIT 1) \
     AND status = 'fila' AND due_ms <= $3 AND lease_until_ms < $3 RETURNING *";
const CONTENT: &str = "SELECT * FROM mail_contents WHERE id = $1 AND account_id = $2";
// XML and printout: who writes more of them raises this.
const FILES: &str = "SELECT * FROM mail_files WHERE content_id = $1 ORDER BY ordem LIMIT 10";
const LATER: &str = "UPDATE mails SET attempts = $3, due_ms = $4, motivo = $5, lease_owner = '', lease_until_ms = 0, updated_at_ms = $6 \
     WHERE id = $1 AND fence = $2 AND status = 'fila'";
const OVER: &str = "UPDATE mails SET status = $3, attempts = $4, motivo = $5, destino = '', lease_owner = '', lease_until_ms = 0, updated_at_ms = $6 \
     WHERE id = $1 AND fence = $2 AND status = 'fila'";
const DROP_FILES: &str = "DELETE FROM mail_files WHERE content_id = $1 AND NOT EXISTS (SELECT 1 FROM mails m WHERE m.content_id = $1 AND m.status = 'fila')";
const DROP_CONTENT: &str = "DELETE FROM mail_contents WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM mails m WHERE m.content_id = $1 AND m.status = 'fila')";
const LOCK_CONTENT: &str = "UPDATE mail_contents SET carta = carta WHERE id = $1";
const ASKED: &str = "SELECT COUNT(*) FROM mails WHERE account_id = $1 AND created_at_ms > $2 AND tipo IN ('documento', 'convite', 'saldo')";
const OLDEST_ASKED: &str = "SELECT COALESCE(MIN(created_at_ms), 0) FROM mails WHERE account_id = $1 AND created_at_ms > $2 AND tipo IN ('documento', 'convite', 'saldo')";
// For the history of a note: a day of its account has about as many.
const OF_SUBJECT: &str =
    "SELECT * FROM mails WHERE account_id = $1 AND subject_id = $2 ORDER BY id LIMIT 500";
const OF_CONTENT: &str = "SELECT COUNT(*) FROM mails WHERE account_id = $1 AND content_id = $2";
const RELEASE_OF: &str = "UPDATE mails SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = $1 AND status = 'fila'";
const RELEASE_ALL: &str = "UPDATE mails SET lease_owner = '', lease_until_ms = 0 WHERE status = 'fila' AND lease_until_ms > 0";
const PURGE: &str = "DELETE FROM mails WHERE id IN (SELECT m.id FROM mails m WHERE m.status <> 'fila' AND m.updated_at_ms < $1 ORDER BY m.updated_at_ms LIMIT CAST($2 AS BIGINT))";

/// Writes what is to be sent, with its files and one row for each address.
pub async fn queue(
    conn: &mut Conn,
    content: &ContentRow,
    files: &[FileRow],
    mails: &[MailRow],
) -> DbResult<()> {
    execute!(
        conn,
        INSERT_CONTENT,
        &content.id,
        &content.account_id,
        &content.carta,
        content.created_at_ms
    )?;
    for file in files {
        execute!(
            conn,
            INSERT_FILE,
            &content.id,
            file.ordem,
            &file.nome,
            &file.tipo,
            &file.bytes
        )?;
    }
    for mail in mails {
        execute!(
            conn,
            INSERT,
            &mail.id,
            &content.account_id,
            &content.id,
            mail.canal,
            mail.tipo,
            &mail.subject_id,
            &mail.destino,
            content.created_at_ms
        )?;
    }
    Ok(())
}

/// Whether one is due that nobody sends, by mail and by messaging app, where
/// there are; all tenants, for the job.
pub async fn due(conn: &mut Conn, channels: (bool, bool), now_ms: i64) -> DbResult<bool> {
    let (email, chatapp) = (i64::from(channels.0), i64::from(channels.1));
    Ok(fetch_value!(conn, i64, DUE, now_ms, email, chatapp)?.unwrap_or(0) > 0)
}

/// Takes the one that is due longest; all tenants, for the job.
pub async fn claim(
    conn: &mut Conn,
    node: &str,
    channels: (bool, bool),
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<MailRow>> {
    let (email, chatapp) = (i64::from(channels.0), i64::from(channels.1));
    fetch_optional!(conn, MailRow, CLAIM, node, until_ms, now_ms, email, chatapp)
}

/// What a mail says, and its files.
pub async fn content(
    conn: &mut Conn,
    mail: &MailRow,
) -> DbResult<Option<(ContentRow, Vec<FileRow>)>> {
    let content = fetch_optional!(
        conn,
        ContentRow,
        CONTENT,
        &mail.content_id,
        &mail.account_id
    )?;
    let Some(content) = content else {
        return Ok(None);
    };
    let files = fetch_all!(conn, FileRow, FILES, &mail.content_id)?;
    Ok(Some((content, files)))
}

/// Gives the lease back; the mail is due again at `due_ms`.
pub async fn later(conn: &mut Conn, m: &MailRow, now_ms: i64) -> DbResult<()> {
    execute!(
        conn, LATER, &m.id, m.fence, m.attempts, m.due_ms, &m.motivo, now_ms
    )?;
    Ok(())
}

/// Ends a mail that was sent or never will be. Its address is deleted, and the
/// content with the last mail that uses it.
pub async fn over(conn: &mut Conn, m: &MailRow, now_ms: i64) -> DbResult<()> {
    // If two mails of one content end at the same moment, each would see the
    // other and leave the content: the lock lets them end one after the other.
    execute!(conn, LOCK_CONTENT, &m.content_id)?;
    execute!(
        conn, OVER, &m.id, m.fence, m.status, m.attempts, &m.motivo, now_ms
    )?;
    execute!(conn, DROP_FILES, &m.content_id)?;
    execute!(conn, DROP_CONTENT, &m.content_id)?;
    Ok(())
}

/// Mails the account asked for after a moment, and when the first of them was.
pub async fn asked(conn: &mut Conn, account: &AccountId, after_ms: i64) -> DbResult<(i64, i64)> {
    let count = fetch_value!(conn, i64, ASKED, account, after_ms)?.unwrap_or(0);
    let oldest = fetch_value!(conn, i64, OLDEST_ASKED, account, after_ms)?.unwrap_or(0);
    Ok((count, oldest))
}

/// Mails about something, oldest first.
pub async fn of_subject(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
) -> DbResult<Vec<MailRow>> {
    fetch_all!(conn, MailRow, OF_SUBJECT, account, subject)
}

/// How many one call asked for.
pub async fn of_content(
    conn: &mut Conn,
    account: &AccountId,
    content: &MailContentId,
) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, OF_CONTENT, account, content)?.unwrap_or(0))
}

/// Frees the mails of one node, which is gone or going.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the mails of all nodes: only for a process that has the database for
/// itself, so that no other node sends one.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}

/// Removes the oldest that are over, at most `limit`; how many they were.
pub async fn purge(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<u64> {
    execute!(conn, PURGE, before_ms, limit)
}
