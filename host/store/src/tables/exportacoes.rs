//! Table `exportacoes`, and the documents an export is made of.

use super::documents::{self, Kept, KeptPage};
use super::eventos::{self, EventoRow};
use super::recebidas::{ReceivedEventRow, ReceivedNotaRow};
use crate::ids::{AccountId, EmitterId, ExportacaoId};
use crate::words::{Maybe, Model, words};
use crate::{Conn, DbResult, Period, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// Where an export stands.
    #[derive(Default)]
    pub enum ExportStatus {
        #[default]
        Processing = "processando",
        Ready = "pronta",
        Failed = "falhou",
        /// The time of its file is over.
        Expired = "expirada",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ExportRow {
        pub id: ExportacaoId,
        pub account_id: AccountId,
        /// 1: asked for with a test key, which sees nothing of production; a
        /// live one sees nothing simulated.
        pub teste: i64,
        /// Empty: all of the account.
        pub emitter_id: Maybe<EmitterId>,
        /// JSON: period, contents and kinds of documents.
        pub pedido: String,
        pub status: ExportStatus,
        pub feitos: i64,
        pub total: i64,
        pub documentos: i64,
        pub bytes: i64,
        pub sha256: String,
        /// JSON: documents that could not be put in, and why.
        pub ausentes: String,
        pub expira_ms: i64,
        pub attempts: i64,
        pub fence: i64,
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

/// Which documents of an account.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub account_id: AccountId,
    /// Environments that are left out: words with a comma between them.
    pub left_out: &'static str,
    /// Empty: any.
    pub emitter_id: Maybe<EmitterId>,
    pub period: Period,
    /// NF-e, NFC-e, NFS-e.
    pub modelos: [bool; 3],
}

/// What is dated was issued before it arrived here, but for the difference of clocks, ms.
const CLOCKS_MS: i64 = 86_400_000;

/// Where a walk over documents stands: the moment and id of the last one.
pub type Place = (i64, String);

const INSERT: &str = "INSERT INTO exportacoes (id, account_id, teste, emitter_id, pedido, status, total, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, 'processando', $6, $7, $7) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT * FROM exportacoes WHERE account_id = $1 AND id = $2";
const BY_ID: &str = "SELECT * FROM exportacoes WHERE id = $1";
const LATEST: &str = "SELECT * FROM exportacoes WHERE account_id = $1 AND teste = $2 ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";
const RUNNING: &str =
    "SELECT * FROM exportacoes WHERE account_id = $1 AND status = 'processando' LIMIT 1";
const CLAIM: &str = "UPDATE exportacoes SET lease_owner = $1, lease_until_ms = $2, fence = fence + 1, attempts = attempts + 1, feitos = 0, updated_at_ms = $3 \
     WHERE id = (SELECT e.id FROM exportacoes e WHERE e.status = 'processando' AND e.lease_until_ms < $3 ORDER BY e.created_at_ms LIMIT 1) \
     AND status = 'processando' AND lease_until_ms < $3 RETURNING *";
const DUE: &str =
    "SELECT COUNT(*) FROM exportacoes WHERE status = 'processando' AND lease_until_ms < $1";
const PROGRESS: &str = "UPDATE exportacoes SET feitos = $3, lease_until_ms = $4, updated_at_ms = $5 \
     WHERE id = $1 AND fence = $2 AND status = 'processando'";
const READY: &str = "UPDATE exportacoes SET status = 'pronta', feitos = total, documentos = $3, bytes = $4, sha256 = $5, ausentes = $6, expira_ms = $7, \
     lease_owner = '', lease_until_ms = 0, updated_at_ms = $8 WHERE id = $1 AND fence = $2 AND status = 'processando'";
const FAILED: &str = "UPDATE exportacoes SET status = 'falhou', lease_owner = '', lease_until_ms = 0, updated_at_ms = $3 \
     WHERE id = $1 AND fence = $2 AND status = 'processando'";
const DEFER: &str = "UPDATE exportacoes SET lease_owner = '', lease_until_ms = $3 WHERE id = $1 AND fence = $2 AND status = 'processando'";
const RELEASE_OF: &str = "UPDATE exportacoes SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = $1 AND status = 'processando'";
const RELEASE_ALL: &str =
    "UPDATE exportacoes SET lease_owner = '', lease_until_ms = 0 WHERE status = 'processando'";
const EXPIRE: &str = "UPDATE exportacoes SET status = 'expirada', updated_at_ms = $1 WHERE status = 'pronta' AND expira_ms <= $1";
const EXPIRE_ALL: &str =
    "UPDATE exportacoes SET status = 'expirada', updated_at_ms = $1 WHERE status = 'pronta'";
const EXPIRE_OLD: &str = "UPDATE exportacoes SET status = 'expirada', updated_at_ms = $2 WHERE account_id = $1 AND status = 'pronta' \
     AND id NOT IN (SELECT e.id FROM exportacoes e WHERE e.account_id = $1 AND e.status = 'pronta' ORDER BY e.id DESC LIMIT CAST($3 AS BIGINT))";
// What is dated was issued before it arrived here, but for the difference of
// clocks: the bound of a day lets an index find the first rows. All environments are named, so
// that the runs of an index are read.
const COUNT_NOTAS: &str = "SELECT COUNT(*) FROM notas WHERE account_id = $1 AND ambiente IN ('producao', 'homologacao', 'simulado') \
     AND modelo IN ('nfse', '55', '65') AND status IN ('autorizada', 'validada', 'cancelada') AND created_at_ms >= CAST($2 AS BIGINT) - 86400000 AND created_at_ms < $11 AND CASE WHEN $9 <> '' AND modelo <> 'nfse' THEN competencia >= $9 ELSE created_at_ms >= $2 END \
     AND CASE WHEN $10 <> '' AND modelo <> 'nfse' THEN competencia <= $10 ELSE created_at_ms < $3 END AND ($4 = '' OR emitter_id = $4) \
     AND ',' || $5 || ',' NOT LIKE '%,' || ambiente || ',%' \
     AND (($6 = 1 AND modelo = '55') OR ($7 = 1 AND modelo = '65') OR ($8 = 1 AND modelo = 'nfse'))";
const COUNT_RECEBIDAS: &str = "SELECT COUNT(*) FROM recebidas WHERE account_id = $1 AND created_at_ms >= CAST($2 AS BIGINT) - 86400000 AND CASE WHEN $6 <> '' AND emitida_em <> '' THEN SUBSTR(emitida_em, 1, 10) >= $6 ELSE created_at_ms >= $2 END \
     AND CASE WHEN $7 <> '' AND emitida_em <> '' THEN SUBSTR(emitida_em, 1, 10) <= $7 ELSE created_at_ms < $3 END \
     AND ($4 = '' OR emitter_id = $4) AND ',' || $5 || ',' NOT LIKE '%,' || ambiente || ',%'";
const RECEBIDAS: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND created_at_ms >= CASE WHEN CAST($6 AS BIGINT) > CAST($2 AS BIGINT) - 86400000 THEN CAST($6 AS BIGINT) ELSE CAST($2 AS BIGINT) - 86400000 END AND CASE WHEN $9 <> '' AND emitida_em <> '' THEN SUBSTR(emitida_em, 1, 10) >= $9 ELSE created_at_ms >= $2 END \
     AND CASE WHEN $10 <> '' AND emitida_em <> '' THEN SUBSTR(emitida_em, 1, 10) <= $10 ELSE created_at_ms < $3 END \
     AND ($4 = '' OR emitter_id = $4) AND ',' || $5 || ',' NOT LIKE '%,' || ambiente || ',%' \
     AND (created_at_ms > $6 OR (created_at_ms = $6 AND id > $7)) ORDER BY created_at_ms, id LIMIT CAST($8 AS BIGINT)";
const COUNT_RANGES: &str = "SELECT COUNT(*) FROM eventos WHERE account_id = $1 AND tipo = 'inutilizacao' AND status = 'registrado' \
     AND created_at_ms >= $2 AND created_at_ms < $3 AND ($4 = '' OR emitter_id = $4) \
     AND ',' || $5 || ',' NOT LIKE '%,' || ambiente || ',%' \
     AND (($6 = 1 AND detalhes LIKE '%\"modelo\":\"55\"%') OR ($7 = 1 AND detalhes LIKE '%\"modelo\":\"65\"%'))";
const RANGES: &str = "SELECT * FROM eventos WHERE account_id = $1 AND tipo = 'inutilizacao' AND status = 'registrado' \
     AND created_at_ms >= $2 AND created_at_ms < $3 AND ($4 = '' OR emitter_id = $4) \
     AND ',' || $5 || ',' NOT LIKE '%,' || ambiente || ',%' \
     AND (($6 = 1 AND detalhes LIKE '%\"modelo\":\"55\"%') OR ($7 = 1 AND detalhes LIKE '%\"modelo\":\"65\"%')) \
     AND (created_at_ms > $8 OR (created_at_ms = $8 AND id > $9)) ORDER BY created_at_ms, id LIMIT CAST($10 AS BIGINT)";
const MANIFESTATIONS: &str = "SELECT * FROM eventos WHERE emitter_id = $1 AND ambiente = $2 AND chave = $3 AND nota_id = '' AND codigo <> '' \
     AND status = 'registrado' ORDER BY id LIMIT 1000";
const DISTRIBUTED: &str = "SELECT id, account_id, emitter_id, ambiente, nsu, chave, codigo, descricao, sequencia, registrado_em, protocolo, created_at_ms \
     FROM recebidas_eventos WHERE account_id = $1 AND chave = $2 AND emitter_id = $3 AND ambiente = $4 ORDER BY id || '' LIMIT 1000";

/// False when the account already has one that is being made.
pub async fn insert(conn: &mut Conn, e: &ExportRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &e.id,
        &e.account_id,
        e.teste,
        &e.emitter_id,
        &e.pedido,
        e.total,
        e.created_at_ms
    )?;
    Ok(rows == 1)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &ExportacaoId,
) -> DbResult<Option<ExportRow>> {
    fetch_optional!(conn, ExportRow, GET, account, id)
}

/// Without a tenant: for a signed link, and for the sweeping of files.
pub async fn by_id(conn: &mut Conn, id: &ExportacaoId) -> DbResult<Option<ExportRow>> {
    fetch_optional!(conn, ExportRow, BY_ID, id)
}

/// The newest exports of the account in one world, the newest first. `test`: as
/// [`ExportRow::teste`].
///
/// # Errors
/// The database failed.
pub async fn latest(
    conn: &mut Conn,
    account: &AccountId,
    test: i64,
    limit: i64,
) -> DbResult<Vec<ExportRow>> {
    fetch_all!(conn, ExportRow, LATEST, account, test, limit)
}

/// The export of the account that is not finished yet.
pub async fn running(conn: &mut Conn, account: &AccountId) -> DbResult<Option<ExportRow>> {
    fetch_optional!(conn, ExportRow, RUNNING, account)
}

/// Whether an export waits that no living node works on.
pub async fn due(conn: &mut Conn, now_ms: i64) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, DUE, now_ms)?.unwrap_or(0) > 0)
}

/// Gives this node the lease of the oldest export that no living node works on;
/// all tenants, for the job.
pub async fn claim(
    conn: &mut Conn,
    owner: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<ExportRow>> {
    fetch_optional!(conn, ExportRow, CLAIM, owner, until_ms, now_ms)
}

/// Says how far it is, and that its maker is alive; false when another has it.
pub async fn progress(
    conn: &mut Conn,
    e: &ExportRow,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(conn, PROGRESS, &e.id, e.fence, e.feitos, until_ms, now_ms)?;
    Ok(rows == 1)
}

/// The file is there; false when another has the export.
pub async fn ready(conn: &mut Conn, e: &ExportRow, now_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        READY,
        &e.id,
        e.fence,
        e.documentos,
        e.bytes,
        &e.sha256,
        &e.ausentes,
        e.expira_ms,
        now_ms
    )?;
    Ok(rows == 1)
}

pub async fn failed(conn: &mut Conn, id: &ExportacaoId, fence: i64, now_ms: i64) -> DbResult<()> {
    execute!(conn, FAILED, id, fence, now_ms)?;
    Ok(())
}

/// Nobody takes it before this moment.
pub async fn defer(conn: &mut Conn, id: &ExportacaoId, fence: i64, until_ms: i64) -> DbResult<()> {
    execute!(conn, DEFER, id, fence, until_ms)?;
    Ok(())
}

/// Frees the exports of one node, which is gone or going.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the exports of all nodes: only for a process that has the database for
/// itself, so that no other node makes one.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}

/// Those whose time is over; all tenants, for the job.
pub async fn expire(conn: &mut Conn, now_ms: i64) -> DbResult<()> {
    execute!(conn, EXPIRE, now_ms)?;
    Ok(())
}

/// Ends all that are ready: their files did not come with the rows.
pub async fn expire_all(conn: &mut Conn, now_ms: i64) -> DbResult<()> {
    execute!(conn, EXPIRE_ALL, now_ms)?;
    Ok(())
}

/// Leaves the account its newest ones.
pub async fn expire_old(
    conn: &mut Conn,
    account: &AccountId,
    now_ms: i64,
    kept: i64,
) -> DbResult<()> {
    execute!(conn, EXPIRE_OLD, account, now_ms, kept)?;
    Ok(())
}

/// How many documents it is: notes, received notes and voided ranges.
pub async fn count(conn: &mut Conn, e: &Selection) -> DbResult<i64> {
    let [nfe, nfce, nfse] = e.modelos.map(i64::from);
    let notas = fetch_value!(
        conn,
        i64,
        COUNT_NOTAS,
        &e.account_id,
        e.period.from_ms,
        e.period.to_ms,
        &e.emitter_id,
        e.left_out,
        nfe,
        nfce,
        nfse,
        &e.period.from_day,
        &e.period.to_day,
        documents::until_ms(&e.period)
    )?;
    let ranges = fetch_value!(
        conn,
        i64,
        COUNT_RANGES,
        &e.account_id,
        e.period.from_ms,
        e.period.to_ms,
        &e.emitter_id,
        e.left_out,
        nfe,
        nfce
    )?;
    let recebidas = if nfe == 1 {
        fetch_value!(
            conn,
            i64,
            COUNT_RECEBIDAS,
            &e.account_id,
            e.period.from_ms,
            e.period.to_ms,
            &e.emitter_id,
            e.left_out,
            &e.period.from_day,
            &e.period.to_day
        )?
    } else {
        None
    };
    Ok(notas.unwrap_or(0) + ranges.unwrap_or(0) + recebidas.unwrap_or(0))
}

/// Authorized, validated and cancelled notes behind a place, oldest first.
pub async fn notas(
    conn: &mut Conn,
    e: &Selection,
    after: Option<Place>,
    limit: i64,
) -> DbResult<KeptPage> {
    let models = [Model::Nfe, Model::Nfce, Model::Nfse].into_iter();
    let models = models.zip(e.modelos).filter(|(_, wanted)| *wanted);
    let models: Vec<&str> = models.map(|(model, _)| model.as_str()).collect();
    if models.is_empty() {
        return Ok(KeptPage::default());
    }
    let which = Kept {
        modelos: models.join(","),
        emitter_id: &e.emitter_id,
        period: &e.period,
        since_ms: e.period.from_ms.saturating_sub(CLOCKS_MS),
        left_out: e.left_out,
    };
    documents::kept(conn, &e.account_id, &which, after, limit).await
}

/// Received notes after a place, oldest first.
pub async fn recebidas(
    conn: &mut Conn,
    e: &Selection,
    after: &Place,
    limit: i64,
) -> DbResult<Vec<ReceivedNotaRow>> {
    fetch_all!(
        conn,
        ReceivedNotaRow,
        RECEBIDAS,
        &e.account_id,
        e.period.from_ms,
        e.period.to_ms,
        &e.emitter_id,
        e.left_out,
        after.0,
        &after.1,
        limit,
        &e.period.from_day,
        &e.period.to_day
    )
}

/// Voided ranges after a place, oldest first.
pub async fn ranges(
    conn: &mut Conn,
    e: &Selection,
    after: &Place,
    limit: i64,
) -> DbResult<Vec<EventoRow>> {
    let [nfe, nfce, _] = e.modelos.map(i64::from);
    let rows = fetch_all!(
        conn,
        EventoRow,
        RANGES,
        &e.account_id,
        e.period.from_ms,
        e.period.to_ms,
        &e.emitter_id,
        e.left_out,
        nfe,
        nfce,
        after.0,
        &after.1,
        limit
    )?;
    eventos::whole(conn, rows).await
}

/// The company's own registered events about a received note.
pub async fn manifestations(conn: &mut Conn, r: &ReceivedNotaRow) -> DbResult<Vec<EventoRow>> {
    let rows = fetch_all!(
        conn,
        EventoRow,
        MANIFESTATIONS,
        &r.emitter_id,
        r.ambiente,
        &r.chave
    )?;
    eventos::whole(conn, rows).await
}

/// Events of a received note that were distributed to the company.
pub async fn distributed(conn: &mut Conn, r: &ReceivedNotaRow) -> DbResult<Vec<ReceivedEventRow>> {
    fetch_all!(
        conn,
        ReceivedEventRow,
        DISTRIBUTED,
        &r.account_id,
        &r.chave,
        &r.emitter_id,
        r.ambiente
    )
}
