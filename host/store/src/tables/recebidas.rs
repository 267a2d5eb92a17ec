//! Tables `recebidas` and `recebidas_eventos`: notes issued against the
//! account's companies, and the events distributed to them.

use super::documents::Text;
use super::folding::folded;
use crate::ids::{AccountId, EmitterId, RecebidaId};
use crate::words::{Ambiente, Maybe, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// What the authority says of a received note.
    #[derive(Default)]
    pub enum ReceivedNotaStatus {
        #[default]
        Authorized = "autorizada",
        Denied = "denegada",
        Cancelled = "cancelada",
    }
}

words! {
    /// What the recipient said of a note.
    pub enum Manifested {
        Acknowledgement = "ciencia",
        Confirmation = "confirmacao",
        Unawareness = "desconhecimento",
        NotPerformed = "nao_realizada",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ReceivedNotaRow {
        pub id: RecebidaId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub chave: String,
        pub nsu: i64,
        /// 1: the whole note is kept, 0: only its summary.
        pub completa: i64,
        pub situacao: ReceivedNotaStatus,
        pub emitente_documento: String,
        pub emitente_nome: String,
        pub emitida_em: String,
        pub valor: String,
        pub valor_centavos: i64,
        pub protocolo: String,
        /// The last manifestation registered by the hub.
        pub manifestacao: Maybe<Manifested>,
        pub simulada: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ReceivedEventRow {
        pub id: RecebidaId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub nsu: i64,
        pub chave: String,
        /// `tpEvento`.
        pub codigo: String,
        pub descricao: String,
        pub sequencia: i64,
        pub registrado_em: String,
        pub protocolo: String,
        pub created_at_ms: i64,
    }
}

row! {
    /// Notes that stand which one company received.
    #[derive(Clone, Debug)]
    pub struct ReceivedSumRow {
        pub emitter_id: EmitterId,
        pub notas: i64,
        pub centavos: i64,
    }
}

/// Filters of a listing; empty text and zero mean "any".
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub emitter_id: Maybe<EmitterId>,
    pub issuer: String,
    pub manifestation: String,
    /// `sim` or `nao`.
    pub complete: String,
    /// What is looked for; None: anything.
    pub text: Option<Text>,
    pub from_ms: i64,
    pub to_ms: i64,
    pub before: String,
    pub limit: i64,
    /// Environments that are left out: words with a comma between them; of events only one.
    pub left_out: &'static str,
}

/// What a search over all documents looks for; empty text and zero mean "any".
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub chave: String,
    pub from_ms: i64,
    pub to_ms: i64,
    /// Of either party.
    pub documento: String,
    /// Part of the other party's name, as [`part`] makes it.
    pub name: String,
    pub status: String,
    /// Cents.
    pub min_value: i64,
    pub max_value: i64,
    /// NF-e, NFC-e, NFS-e.
    pub modelos: [bool; 3],
    /// Only documents before this moment, and at it before this id.
    pub before: (i64, String),
    pub limit: i64,
    /// The environment the key does not see.
    pub unseen: &'static str,
}

const INSERT: &str = "INSERT INTO recebidas (id, account_id, emitter_id, ambiente, chave, nsu, completa, situacao, emitente_documento, \
     emitente_nome, emitida_em, valor, valor_centavos, protocolo, manifestacao, simulada, created_at_ms, updated_at_ms, nome_busca) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING";
const SAVE: &str = "UPDATE recebidas SET nsu = $2, completa = $3, situacao = $4, emitente_documento = $5, emitente_nome = $6, emitida_em = $7, \
     valor = $8, valor_centavos = $9, protocolo = $10, manifestacao = $11, updated_at_ms = $12, nome_busca = $13 WHERE id = $1";
const OF_EMITTER: &str =
    "SELECT * FROM recebidas WHERE emitter_id = $1 AND ambiente = $2 AND chave = $3";
// By the index of company, environment and key; `account_id || ''` keeps
// SQLite from walking all the account received.
const BY_CHAVE: &str = "SELECT * FROM recebidas WHERE account_id || '' = $1 AND chave = $2 AND ambiente <> $3 AND ($4 = '' OR emitter_id = $4) \
     AND emitter_id IN (SELECT e.id FROM emitters e WHERE e.account_id = $1) AND ambiente IN ('producao', 'homologacao', 'simulado') \
     ORDER BY id DESC LIMIT 50";
// Two ways, as in `notas.rs`.
const LIST: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND ($2 = '' OR emitter_id = $2) AND ($3 = '' OR emitente_documento = $3) \
     AND ($4 = '' OR manifestacao = $4 OR ($4 = 'nenhuma' AND manifestacao = '')) AND ($5 = '' OR ($5 = 'sim') = (completa = 1)) \
     AND created_at_ms + 0 >= $6 AND ($7 = 0 OR created_at_ms < $7) AND id < CASE WHEN $8 = '' THEN 'zzzz' ELSE $8 END \
     AND ',' || $10 || ',' NOT LIKE '%,' || ambiente || ',%' ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const LIST_OF_ISSUER: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND ($2 = '' OR emitter_id = $2) AND emitente_documento = $3 \
     AND ($4 = '' OR manifestacao = $4 OR ($4 = 'nenhuma' AND manifestacao = '')) AND ($5 = '' OR ($5 = 'sim') = (completa = 1)) \
     AND created_at_ms + 0 >= $6 AND ($7 = 0 OR created_at_ms < $7) AND id < CASE WHEN $8 = '' THEN 'zzzz' ELSE $8 END \
     AND ',' || $10 || ',' NOT LIKE '%,' || ambiente || ',%' ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const LIST_OF_COMPANY: &str = "SELECT * FROM recebidas WHERE account_id || '' = $1 AND emitter_id = $2 AND ($3 = '' OR emitente_documento = $3) \
     AND ($4 = '' OR manifestacao = $4 OR ($4 = 'nenhuma' AND manifestacao = '')) AND ($5 = '' OR ($5 = 'sim') = (completa = 1)) \
     AND created_at_ms + 0 >= $6 AND ($7 = 0 OR created_at_ms < $7) AND id < CASE WHEN $8 = '' THEN 'zzzz' ELSE $8 END \
     AND ',' || $10 || ',' NOT LIKE '%,' || ambiente || ',%' ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const LIST_OF_PERIOD: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND ($2 = '' OR emitter_id = $2) AND ($3 = '' OR emitente_documento = $3) \
     AND ($4 = '' OR manifestacao = $4 OR ($4 = 'nenhuma' AND manifestacao = '')) AND ($5 = '' OR ($5 = 'sim') = (completa = 1)) \
     AND created_at_ms >= $6 AND ($7 = 0 OR created_at_ms < $7) AND ($8 = '' OR id < $8) \
     AND ',' || $10 || ',' NOT LIKE '%,' || ambiente || ',%' ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
// What has one of the things that are looked for: walked along the ids, as names and values
// have no index. The number of an NF-e stands in its key.
const FOUND: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND ($2 = '' OR emitter_id = $2) AND ($3 = '' OR emitente_documento = $3) \
     AND ($4 = '' OR manifestacao = $4 OR ($4 = 'nenhuma' AND manifestacao = '')) AND ($5 = '' OR ($5 = 'sim') = (completa = 1)) \
     AND created_at_ms + 0 >= $6 AND ($7 = 0 OR created_at_ms < $7) AND id < CASE WHEN $8 = '' THEN 'zzzz' ELSE $8 END AND ',' || $10 || ',' NOT LIKE '%,' || ambiente || ',%' \
     AND ((chave = $11 AND $11 <> '') OR (emitente_documento = $12 AND $12 <> '') OR valor_centavos = $13 OR (SUBSTR(chave, 26, 9) = $14 AND $14 <> '') \
     OR ($15 <> '' AND nome_busca LIKE '%' || $15 || '%' ESCAPE '\\')) ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const SUM_BY_EMITTER: &str = "SELECT emitter_id, COUNT(*) AS notas, CAST(COALESCE(SUM(valor_centavos), 0) AS BIGINT) AS centavos FROM recebidas \
     WHERE account_id = $1 AND created_at_ms >= $3 AND created_at_ms < $4 AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND situacao = 'autorizada' \
     AND ($5 = '' OR emitter_id = $5) GROUP BY emitter_id ORDER BY emitter_id LIMIT CAST($6 AS BIGINT)";
/// Companies of a sum: more than an account has.
const SUMS: i64 = 50_000;
const MANIFESTED: &str = "UPDATE recebidas SET manifestacao = $4, updated_at_ms = $5 WHERE emitter_id = $1 AND ambiente = $2 AND chave = $3";
const CANCELLED: &str = "SELECT COUNT(*) FROM recebidas_eventos WHERE account_id = $1 AND emitter_id = $2 AND ambiente = $3 AND chave = $4 AND codigo IN ('110111', '110112')";
const SEARCH: &str = "SELECT * FROM recebidas WHERE account_id = $1 AND ($2 = '' OR chave = $2) AND created_at_ms >= $3 AND ($4 = 0 OR created_at_ms < $4) \
     AND ($5 = '' OR emitente_documento = $5 OR emitter_id IN (SELECT e.id FROM emitters e WHERE e.account_id = $1 AND e.cnpj = $5)) \
     AND ($6 = '' OR nome_busca LIKE '%' || $6 || '%' ESCAPE '\\') AND ($7 = '' OR situacao = $7) \
     AND valor_centavos >= $8 AND ($9 = 0 OR valor_centavos <= $9) \
     AND ($10 = 0 OR created_at_ms < $10 OR (created_at_ms = $10 AND id < $11)) AND ambiente <> $13 ORDER BY created_at_ms DESC, id DESC LIMIT CAST($12 AS BIGINT)";
const INSERT_EVENTO: &str = "INSERT INTO recebidas_eventos (id, account_id, emitter_id, ambiente, nsu, chave, codigo, descricao, sequencia, registrado_em, protocolo, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";
const EVENTOS: &str = "SELECT id, account_id, emitter_id, ambiente, nsu, chave, codigo, descricao, sequencia, registrado_em, protocolo, created_at_ms FROM recebidas_eventos \
     WHERE account_id = $1 AND ($2 = '' OR emitter_id = $2) AND ($3 = '' OR chave = $3) AND created_at_ms >= $4 \
     AND ($5 = 0 OR created_at_ms < $5) AND id < CASE WHEN $6 = '' THEN 'zzzz' ELSE $6 END \
     AND ambiente <> $8 ORDER BY id DESC LIMIT CAST($7 AS BIGINT)";

/// False when this company has the note already.
pub async fn insert(conn: &mut Conn, r: &ReceivedNotaRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &r.id,
        &r.account_id,
        &r.emitter_id,
        r.ambiente,
        &r.chave,
        r.nsu,
        r.completa,
        r.situacao,
        &r.emitente_documento,
        &r.emitente_nome,
        &r.emitida_em,
        &r.valor,
        r.valor_centavos,
        &r.protocolo,
        r.manifestacao,
        r.simulada,
        r.created_at_ms,
        r.updated_at_ms,
        folded(&r.emitente_nome)
    )?;
    Ok(rows == 1)
}

pub async fn save(conn: &mut Conn, r: &ReceivedNotaRow) -> DbResult<()> {
    execute!(
        conn,
        SAVE,
        &r.id,
        r.nsu,
        r.completa,
        r.situacao,
        &r.emitente_documento,
        &r.emitente_nome,
        &r.emitida_em,
        &r.valor,
        r.valor_centavos,
        &r.protocolo,
        r.manifestacao,
        r.updated_at_ms,
        folded(&r.emitente_nome)
    )?;
    Ok(())
}

/// A company's own row of a note.
pub async fn of_emitter(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    chave: &str,
) -> DbResult<Option<ReceivedNotaRow>> {
    fetch_optional!(conn, ReceivedNotaRow, OF_EMITTER, emitter, ambiente, chave)
}

/// The company's manifestation was registered.
pub async fn set_manifestation(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    chave: &str,
    manifestation: Maybe<Manifested>,
    now_ms: i64,
) -> DbResult<()> {
    execute!(
        conn,
        MANIFESTED,
        emitter,
        ambiente,
        chave,
        manifestation,
        now_ms
    )?;
    Ok(())
}

/// A cancellation of this note was distributed to the company.
pub async fn is_cancelled(conn: &mut Conn, r: &ReceivedNotaRow) -> DbResult<bool> {
    let events = fetch_value!(
        conn,
        i64,
        CANCELLED,
        &r.account_id,
        &r.emitter_id,
        r.ambiente,
        &r.chave
    )?;
    Ok(events.unwrap_or(0) > 0)
}

/// By key, newest first: one company's, or those of all of the account that
/// received it; none in the environment the key of the request does not see.
pub async fn by_chave(
    conn: &mut Conn,
    account: &AccountId,
    chave: &str,
    unseen: &str,
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<ReceivedNotaRow>> {
    fetch_all!(
        conn,
        ReceivedNotaRow,
        BY_CHAVE,
        account,
        chave,
        unseen,
        emitter
    )
}

pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    f: &Filter,
) -> DbResult<Vec<ReceivedNotaRow>> {
    if let Some(text) = &f.text {
        return found(conn, account, f, text).await;
    }
    let sql = if !f.issuer.is_empty() {
        LIST_OF_ISSUER
    } else if f.emitter_id.is_some() {
        LIST_OF_COMPANY
    } else if f.from_ms == 0 && f.to_ms == 0 {
        LIST
    } else {
        LIST_OF_PERIOD
    };
    fetch_all!(
        conn,
        ReceivedNotaRow,
        sql,
        account,
        &f.emitter_id,
        &f.issuer,
        &f.manifestation,
        &f.complete,
        f.from_ms,
        f.to_ms,
        &f.before,
        f.limit,
        f.left_out
    )
}

/// Count and value of the notes that arrived in a period and stand, by the company that
/// received them. `left_out`: as in [`Filter`].
///
/// # Errors
/// The database failed.
pub async fn sum_by_emitter(
    conn: &mut Conn,
    account: &AccountId,
    left_out: &str,
    (from_ms, to_ms): (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<ReceivedSumRow>> {
    fetch_all!(
        conn,
        ReceivedSumRow,
        SUM_BY_EMITTER,
        account,
        left_out,
        from_ms,
        to_ms,
        emitter,
        SUMS
    )
}

/// Those of a listing that have what a text stands for.
async fn found(
    conn: &mut Conn,
    account: &AccountId,
    f: &Filter,
    text: &Text,
) -> DbResult<Vec<ReceivedNotaRow>> {
    let number = match text.number {
        0 => String::new(),
        number => format!("{number:09}"),
    };
    fetch_all!(
        conn,
        ReceivedNotaRow,
        FOUND,
        account,
        &f.emitter_id,
        &f.issuer,
        &f.manifestation,
        &f.complete,
        f.from_ms,
        f.to_ms,
        &f.before,
        f.limit,
        f.left_out,
        &text.chave,
        &text.documento,
        text.value,
        &number,
        &text.part
    )
}

/// The received notes that fit, newest first.
pub async fn search(
    conn: &mut Conn,
    account: &AccountId,
    s: &Search,
) -> DbResult<Vec<ReceivedNotaRow>> {
    fetch_all!(
        conn,
        ReceivedNotaRow,
        SEARCH,
        account,
        &s.chave,
        s.from_ms,
        s.to_ms,
        &s.documento,
        &s.name,
        &s.status,
        s.min_value,
        s.max_value,
        s.before.0,
        &s.before.1,
        s.limit,
        s.unseen
    )
}

/// False when the event of this NSU is there already.
pub async fn insert_evento(conn: &mut Conn, e: &ReceivedEventRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT_EVENTO,
        &e.id,
        &e.account_id,
        &e.emitter_id,
        e.ambiente,
        e.nsu,
        &e.chave,
        &e.codigo,
        &e.descricao,
        e.sequencia,
        &e.registrado_em,
        &e.protocolo,
        e.created_at_ms
    )?;
    Ok(rows == 1)
}

/// The events distributed to an account; `chave` may be empty.
pub async fn eventos(
    conn: &mut Conn,
    account: &AccountId,
    chave: &str,
    f: &Filter,
) -> DbResult<Vec<ReceivedEventRow>> {
    fetch_all!(
        conn,
        ReceivedEventRow,
        EVENTOS,
        account,
        &f.emitter_id,
        chave,
        f.from_ms,
        f.to_ms,
        &f.before,
        f.limit,
        f.left_out
    )
}
