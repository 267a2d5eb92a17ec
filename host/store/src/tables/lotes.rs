//! Tables `lotes` and `lote_notas`: notes that somebody issues together, of a
//! file.

use super::notas::NotaStatus;
use crate::ids::{AccountId, EmitterId, LoteId, NotaId, UserId};
use crate::words::{Maybe, Model, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// Where a batch of notes stands.
    #[derive(Default)]
    pub enum LoteStatus {
        /// Each line was checked; nothing is sent before somebody confirms.
        #[default]
        Checked = "conferido",
        Issuing = "emitindo",
        /// What stopped one note would stop the next, too.
        Stopped = "parado",
        Finished = "concluido",
    }
}

words! {
    /// Where a note of a batch stands, as far as the batch knows.
    #[derive(Default)]
    pub enum LoteNotaStatus {
        /// Something is to be corrected in the file.
        #[default]
        Wrong = "errada",
        Ready = "pronta",
        /// It is being issued now, or a process died meanwhile.
        Sending = "enviando",
        /// The issuing operation took it: the note says what became of it.
        Sent = "enviada",
        /// The issuing operation refused it.
        Refused = "recusada",
        /// Nobody knows whether it was issued, and it is not sent again.
        Uncertain = "incerta",
        /// It is equal to a note of another batch, and nobody wanted it again.
        Repeated = "repetida",
    }
}

impl LoteNotaStatus {
    /// Nothing more is done about it.
    pub const fn is_over(self) -> bool {
        match self {
            LoteNotaStatus::Ready | LoteNotaStatus::Sending => false,
            LoteNotaStatus::Wrong
            | LoteNotaStatus::Sent
            | LoteNotaStatus::Refused
            | LoteNotaStatus::Uncertain
            | LoteNotaStatus::Repeated => true,
        }
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct LoteRow {
        pub id: LoteId,
        pub account_id: AccountId,
        /// 1: in the live world.
        pub live: i64,
        pub user_id: UserId,
        pub emitter_id: EmitterId,
        pub modelo: Model,
        pub arquivo: String,
        /// JSON: titles of the columns.
        pub colunas: String,
        pub status: LoteStatus,
        /// Why it stopped.
        pub motivo: String,
        /// Credits of one note.
        pub preco: i64,
        pub fence: i64,
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct LoteNotaRow {
        pub lote_id: LoteId,
        /// First of its lines in the file.
        pub linha: i64,
        /// JSON: the cells of its lines.
        pub celulas: String,
        /// JSON: the body of the issuing operation.
        pub corpo: String,
        pub destinatario: String,
        pub valor_centavos: i64,
        pub status: LoteNotaStatus,
        /// Of one that was left out: the note that it is equal to.
        pub nota_id: Maybe<NotaId>,
        /// JSON: what is wrong, in sentences; of one that was left out, why.
        pub erros: String,
        pub enviada_ms: i64,
        /// Of all that is sent; two notes that say the same have the same one.
        /// Empty: something is wrong, or the note is older than the column.
        pub digest: String,
    }
}

row! {
    /// A note of a batch, and where the note itself stands.
    #[derive(Clone, Debug)]
    pub struct LoteLineRow {
        pub linha: i64,
        pub celulas: String,
        pub destinatario: String,
        pub valor_centavos: i64,
        pub status: LoteNotaStatus,
        pub nota_id: Maybe<NotaId>,
        pub erros: String,
        pub digest: String,
        pub nota_status: Maybe<NotaStatus>,
        pub numero: i64,
        pub numero_nfse: String,
        pub chave: String,
    }
}

row! {
    /// A note that another batch issued or issues.
    #[derive(Clone, Debug)]
    pub struct LoteEarlierRow {
        pub lote_id: LoteId,
        pub linha: i64,
        /// Empty while it waits or is in transmission.
        pub nota_id: Maybe<NotaId>,
        pub numero: i64,
        pub numero_nfse: String,
    }
}

row! {
    /// How many notes of a batch stand alike.
    #[derive(Clone, Debug)]
    pub struct LoteCountRow {
        pub status: LoteNotaStatus,
        pub nota_status: Maybe<NotaStatus>,
        pub notas: i64,
        pub valor_centavos: i64,
    }
}

const INSERT: &str = "INSERT INTO lotes (id, account_id, live, user_id, emitter_id, modelo, arquivo, colunas, status, preco, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'conferido', $9, $10, $10)";
const INSERT_NOTA: &str = "INSERT INTO lote_notas (lote_id, linha, celulas, corpo, destinatario, valor_centavos, status, erros, digest) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const GET: &str = "SELECT * FROM lotes WHERE account_id = $1 AND id = $2";
const LATEST: &str = "SELECT * FROM lotes WHERE account_id = $1 AND live = $2 AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT CAST($4 AS BIGINT)";
const KEPT: &str = "SELECT COUNT(*) FROM (SELECT o.id FROM lotes o WHERE o.account_id = $1 LIMIT CAST($2 AS BIGINT)) x";
const LINES: &str = "SELECT l.linha, l.celulas, l.destinatario, l.valor_centavos, l.status, l.nota_id, l.erros, l.digest, \
     COALESCE(n.status, '') AS nota_status, COALESCE(n.numero, 0) AS numero, COALESCE(n.numero_nfse, '') AS numero_nfse, COALESCE(n.chave, '') AS chave \
     FROM lote_notas l LEFT JOIN notas n ON n.id = l.nota_id WHERE l.lote_id = $1 ORDER BY l.linha LIMIT CAST($2 AS BIGINT)";
const COUNTS: &str = "SELECT l.status, COALESCE(n.status, '') AS nota_status, COUNT(*) AS notas, CAST(SUM(l.valor_centavos) AS BIGINT) AS valor_centavos \
     FROM lote_notas l LEFT JOIN notas n ON n.id = l.nota_id WHERE l.lote_id = $1 GROUP BY l.status, COALESCE(n.status, '')";
/// A note that was refused or cancelled may be issued again. What is ready in a
/// batch that is being issued comes, too.
const EARLIER: &str = "SELECT e.lote_id, e.linha, e.nota_id, COALESCE(n.numero, 0) AS numero, COALESCE(n.numero_nfse, '') AS numero_nfse \
     FROM lote_notas e JOIN lotes o ON o.id = e.lote_id LEFT JOIN notas n ON n.id = e.nota_id \
     WHERE e.digest = $2 AND e.digest <> '' AND o.account_id = $1 AND e.lote_id <> $3 \
     AND (e.status IN ('enviando', 'enviada', 'incerta') OR (e.status = 'pronta' AND o.status = 'emitindo')) \
     AND COALESCE(n.status, '') NOT IN ('rejeitada', 'nao_enviada', 'cancelada') ORDER BY e.lote_id, e.linha LIMIT CAST($4 AS BIGINT)";
const LEAVE_OUT: &str = "UPDATE lote_notas SET status = 'repetida', nota_id = $3, erros = $4 WHERE lote_id = $1 AND linha = $2 AND status = 'pronta'";
const CONFIRM: &str = "UPDATE lotes SET status = 'emitindo', motivo = '', lease_owner = '', lease_until_ms = 0, updated_at_ms = $3 \
     WHERE account_id = $1 AND id = $2 AND status IN ('conferido', 'parado')";
const CLAIM: &str = "UPDATE lotes SET lease_owner = $1, lease_until_ms = $2, fence = fence + 1, updated_at_ms = $3 \
     WHERE id = (SELECT o.id FROM lotes o WHERE o.status = 'emitindo' AND o.lease_until_ms < $3 ORDER BY o.lease_until_ms LIMIT 1) \
     AND status = 'emitindo' AND lease_until_ms < $3 RETURNING *";
const DUE: &str = "SELECT COUNT(*) FROM lotes WHERE status = 'emitindo' AND lease_until_ms < $1";
const RENEW: &str =
    "UPDATE lotes SET lease_until_ms = $3 WHERE id = $1 AND fence = $2 AND status = 'emitindo'";
const OPEN: &str = "SELECT * FROM lote_notas WHERE lote_id = $1 AND status IN ('pronta', 'enviando') ORDER BY linha LIMIT CAST($2 AS BIGINT)";
const BEGIN_NOTA: &str = "UPDATE lote_notas SET status = 'enviando', enviada_ms = CASE WHEN enviada_ms > 0 THEN enviada_ms ELSE $4 END \
     WHERE lote_id = $1 AND linha = $2 AND status IN ('pronta', 'enviando') \
     AND EXISTS (SELECT 1 FROM lotes o WHERE o.id = $1 AND o.fence = $3 AND o.status = 'emitindo')";
const END_NOTA: &str = "UPDATE lote_notas SET status = $3, nota_id = $4, erros = $5 \
     WHERE lote_id = $1 AND linha = $2 AND status = 'enviando'";
const BACK: &str = "UPDATE lote_notas SET status = 'pronta', enviada_ms = 0 WHERE lote_id = $1 AND linha = $2 AND status = 'enviando'";
const END: &str = "UPDATE lotes SET status = $3, motivo = $4, lease_owner = '', lease_until_ms = 0, updated_at_ms = $5 \
     WHERE id = $1 AND fence = $2 AND status = 'emitindo'";
const DISCARD_NOTAS: &str = "DELETE FROM lote_notas WHERE lote_id = (SELECT o.id FROM lotes o WHERE o.account_id = $1 AND o.id = $2 AND o.status <> 'emitindo')";
const DISCARD: &str =
    "DELETE FROM lotes WHERE account_id = $1 AND id = $2 AND status <> 'emitindo'";
const FORGET_NOTAS: &str = "DELETE FROM lote_notas WHERE lote_id IN (SELECT o.id FROM lotes o WHERE o.created_at_ms < $1 AND o.status <> 'emitindo')";
const FORGET: &str = "DELETE FROM lotes WHERE created_at_ms < $1 AND status <> 'emitindo'";
const RELEASE_OF: &str = "UPDATE lotes SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = $1 AND status = 'emitindo'";
const RELEASE_ALL: &str =
    "UPDATE lotes SET lease_owner = '', lease_until_ms = 0 WHERE status = 'emitindo'";

pub async fn insert(conn: &mut Conn, o: &LoteRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &o.id,
        &o.account_id,
        o.live,
        &o.user_id,
        &o.emitter_id,
        o.modelo,
        &o.arquivo,
        &o.colunas,
        o.preco,
        o.created_at_ms
    )?;
    Ok(())
}

pub async fn insert_nota(conn: &mut Conn, l: &LoteNotaRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT_NOTA,
        &l.lote_id,
        l.linha,
        &l.celulas,
        &l.corpo,
        &l.destinatario,
        l.valor_centavos,
        l.status,
        &l.erros,
        &l.digest
    )?;
    Ok(())
}

pub async fn get(conn: &mut Conn, account: &AccountId, id: &LoteId) -> DbResult<Option<LoteRow>> {
    fetch_optional!(conn, LoteRow, GET, account, id)
}

/// The newest of an account in one of the worlds. `before`: the last one of the page before;
/// empty at first.
pub async fn latest(
    conn: &mut Conn,
    account: &AccountId,
    live: i64,
    before: &str,
    limit: i64,
) -> DbResult<Vec<LoteRow>> {
    fetch_all!(conn, LoteRow, LATEST, account, live, before, limit)
}

/// How many an account has, counted up to `most`.
pub async fn kept(conn: &mut Conn, account: &AccountId, most: i64) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, KEPT, account, most)?.unwrap_or(0))
}

/// The notes of a batch in the order of the file, with what became of them.
/// The batch was found for its account.
pub async fn lines(conn: &mut Conn, id: &LoteId, limit: i64) -> DbResult<Vec<LoteLineRow>> {
    fetch_all!(conn, LoteLineRow, LINES, id, limit)
}

/// How many notes of a batch stand how.
pub async fn counts(conn: &mut Conn, id: &LoteId) -> DbResult<Vec<LoteCountRow>> {
    fetch_all!(conn, LoteCountRow, COUNTS, id)
}

/// Notes of the account's other batches that have a digest and were issued or
/// are being issued, the first ones first.
pub async fn earlier(
    conn: &mut Conn,
    account: &AccountId,
    digest: &str,
    except: &LoteId,
    limit: i64,
) -> DbResult<Vec<LoteEarlierRow>> {
    fetch_all!(
        conn,
        LoteEarlierRow,
        EARLIER,
        account,
        digest,
        except,
        limit
    )
}

/// Leaves a note out that is equal to another, which may have an id; `why`:
/// JSON, as the column `erros` has it. The batch was found for its account.
pub async fn leave_out(
    conn: &mut Conn,
    id: &LoteId,
    line: i64,
    equal: &Maybe<NotaId>,
    why: &str,
) -> DbResult<()> {
    execute!(conn, LEAVE_OUT, id, line, equal, why)?;
    Ok(())
}

/// Begins to issue, or goes on; false when it is issuing or finished already.
pub async fn confirm(
    conn: &mut Conn,
    account: &AccountId,
    id: &LoteId,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, CONFIRM, account, id, now_ms)? == 1)
}

/// Whether a batch waits that no living node works on.
pub async fn due(conn: &mut Conn, now_ms: i64) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, DUE, now_ms)?.unwrap_or(0) > 0)
}

/// Gives this node the lease of a batch that no living node works on; all
/// tenants, for the job.
pub async fn claim(
    conn: &mut Conn,
    owner: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<LoteRow>> {
    fetch_optional!(conn, LoteRow, CLAIM, owner, until_ms, now_ms)
}

/// Keeps the lease; false when another has the batch.
pub async fn renew(conn: &mut Conn, id: &LoteId, fence: i64, until_ms: i64) -> DbResult<bool> {
    Ok(execute!(conn, RENEW, id, fence, until_ms)? == 1)
}

/// Notes that are still to be issued, in the order of the file.
pub async fn open(conn: &mut Conn, id: &LoteId, limit: i64) -> DbResult<Vec<LoteNotaRow>> {
    fetch_all!(conn, LoteNotaRow, OPEN, id, limit)
}

/// Writes down that a note is sent next, when first; false when another has the
/// batch.
pub async fn begin_nota(
    conn: &mut Conn,
    id: &LoteId,
    line: i64,
    fence: i64,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, BEGIN_NOTA, id, line, fence, now_ms)? == 1)
}

/// What came of a note.
pub async fn end_nota(conn: &mut Conn, l: &LoteNotaRow) -> DbResult<()> {
    execute!(
        conn, END_NOTA, &l.lote_id, l.linha, l.status, &l.nota_id, &l.erros
    )?;
    Ok(())
}

/// A note that certainly was not issued waits again.
pub async fn back(conn: &mut Conn, id: &LoteId, line: i64) -> DbResult<()> {
    execute!(conn, BACK, id, line)?;
    Ok(())
}

/// Ends the work at a batch: it is finished, or stopped for a reason.
pub async fn end(
    conn: &mut Conn,
    o: &LoteRow,
    status: LoteStatus,
    reason: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, END, &o.id, o.fence, status, reason, now_ms)?;
    Ok(())
}

/// Deletes a batch that is not being issued; its notes stay. False when there
/// is none.
pub async fn discard(conn: &mut Conn, account: &AccountId, id: &LoteId) -> DbResult<bool> {
    execute!(conn, DISCARD_NOTAS, account, id)?;
    Ok(execute!(conn, DISCARD, account, id)? == 1)
}

/// Deletes those that are older; all tenants, for the job.
pub async fn forget(conn: &mut Conn, before_ms: i64) -> DbResult<()> {
    execute!(conn, FORGET_NOTAS, before_ms)?;
    execute!(conn, FORGET, before_ms)?;
    Ok(())
}

/// Frees the batches of one node, which is gone or going.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the batches of all nodes: only for a process that has the database for
/// itself.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}
