//! Table `eventos`: what is done to a note after it exists.

use super::packed::{self, WITH_ROW};
use super::texts::EVENT_ROW;
use crate::ids::{AccountId, EmitterId, EventoId, NotaId, RequestId, TransferId};
use crate::words::{Ambiente, Maybe, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row, unreadable};

words! {
    /// What is done to a note, or to what has no note.
    #[derive(Default)]
    pub enum EventKind {
        /// A question about a note that exists.
        #[default]
        Query = "consulta",
        Cancelamento = "cancelamento",
        /// Correction letter.
        Cce = "cce",
        /// Payment linked to a note issued before it, and the link undone.
        Econf = "econf",
        EconfUndone = "econf_desfeito",
        /// Any event of the tax reform.
        Reforma = "reforma",
        /// Numbers no note has.
        Voiding = "inutilizacao",
        /// What a recipient says of a note that another issued.
        Manifestation = "manifestacao",
        /// A CT-e is announced at the contingency authority before it is issued.
        Epec = "epec",
        /// The transport of an MDF-e is over.
        Closing = "encerramento",
        /// A driver is added to an MDF-e.
        Driver = "inclusao_condutor",
        /// NF-e are added to an MDF-e.
        Documents = "inclusao_dfe",
    }
}

impl EventKind {
    /// It is about a note of ours.
    pub const fn has_nota(self) -> bool {
        match self {
            EventKind::Query
            | EventKind::Cancelamento
            | EventKind::Cce
            | EventKind::Econf
            | EventKind::EconfUndone
            | EventKind::Reforma
            | EventKind::Epec
            | EventKind::Closing
            | EventKind::Driver
            | EventKind::Documents => true,
            EventKind::Voiding | EventKind::Manifestation => false,
        }
    }
}

words! {
    /// What became of an event.
    #[derive(Default)]
    pub enum EventoStatus {
        #[default]
        InTransmission = "em_transmissao",
        Registered = "registrado",
        Rejected = "rejeitado",
        /// It certainly did not reach the authority.
        NotSent = "nao_enviado",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct EventoRow {
        pub id: EventoId,
        pub account_id: AccountId,
        pub nota_id: Maybe<NotaId>,
        pub tipo: EventKind,
        pub status: EventoStatus,
        pub conteudo: String,
        pub context: String,
        pub preco: i64,
        pub hold_id: Maybe<TransferId>,
        pub protocolo: String,
        pub resultado: String,
        /// Flows that ended without knowing.
        pub attempts: i64,
        pub request_id: RequestId,
        pub answer_status: i64,
        pub answer: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// Empty in rows of before the product notes.
        pub emitter_id: EmitterId,
        /// None only in rows of before the product notes.
        pub ambiente: Maybe<Ambiente>,
        pub chave: String,
        /// `tpEvento` of the layout; empty for a question.
        pub codigo: String,
        pub sequencia: i64,
        /// JSON: what the customer gave.
        pub detalhes: String,
        /// Not 0: content, context and answer are in its packed record; 2: other columns are
        /// there, too. Every row that is read here has them.
        pub packed: i64,
    }
}

impl EventoRow {
    /// The smaller columns that are in its record once it is packed.
    pub(super) fn row_texts(&self) -> [&str; EVENT_ROW.len()] {
        [&self.detalhes, &self.resultado, &self.protocolo]
    }

    /// Takes these columns from what its record has of them: the first ones, where the row
    /// has the others.
    ///
    /// # Errors
    /// The record has none though the row says so, or more than are known.
    fn take_back(&mut self, texts: Vec<String>) -> DbResult<()> {
        let is_lacking = texts.is_empty() && self.packed == WITH_ROW;
        if is_lacking || texts.len() > EVENT_ROW.len() {
            return Err(unreadable("packed columns", &self.id));
        }
        let columns = [&mut self.detalhes, &mut self.resultado, &mut self.protocolo];
        for (column, text) in columns.into_iter().zip(texts) {
            if column.is_empty() {
                *column = text;
            }
        }
        Ok(())
    }

    /// A statement looks at this one of [`EVENT_ROW`], and it stays in the row: for which models
    /// numbers were voided, and why the authority refused ([`last_sequence`]).
    pub(crate) fn stays(&self, column: &str) -> bool {
        match column {
            "detalhes" => self.tipo == EventKind::Voiding,
            "resultado" => self.status == EventoStatus::Rejected,
            _ => false,
        }
    }
}

const INSERT: &str = "INSERT INTO eventos (id, account_id, nota_id, tipo, status, conteudo, context, preco, hold_id, protocolo, resultado, attempts, request_id, answer_status, answer, created_at_ms, updated_at_ms, \
     emitter_id, ambiente, chave, codigo, sequencia, detalhes) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23) ON CONFLICT DO NOTHING";
const BY_ID: &str = "SELECT * FROM eventos WHERE id = $1";
const STANDING: &str = "SELECT * FROM eventos WHERE account_id = $1 AND nota_id = $2 AND tipo <> 'consulta' \
     AND status IN ('em_transmissao', 'registrado') ORDER BY id LIMIT CAST($3 AS BIGINT)";
const FAILED: &str = "SELECT * FROM eventos WHERE account_id = $1 AND nota_id = $2 AND tipo <> 'consulta' \
     AND status IN ('rejeitado', 'nao_enviado') ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";
const QUESTIONS: &str = "SELECT * FROM eventos WHERE account_id = $1 AND nota_id = $2 AND tipo = 'consulta' ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";
const LAST_QUESTION: &str =
    "SELECT COALESCE(MAX(created_at_ms), 0) FROM eventos WHERE nota_id = $1 AND tipo = 'consulta'";
const ASKED_BY: &str = "SELECT * FROM eventos WHERE account_id = $1 AND nota_id = $2 AND request_id = $3 ORDER BY id LIMIT 10";
const WITH_XML: &str = "SELECT a.subject_id AS id FROM artifacts a JOIN eventos e ON e.id = a.subject_id \
     WHERE a.account_id = $1 AND a.tipo = 'evento' AND e.nota_id = $2 AND e.tipo <> 'consulta' \
     UNION SELECT p.subject_id AS id FROM packed_records p JOIN eventos f ON f.id = p.subject_id \
     WHERE p.account_id = $1 AND p.kinds LIKE '% evento %' AND f.nota_id = $2 AND f.tipo <> 'consulta' ORDER BY id LIMIT CAST($3 AS BIGINT)";
const OPEN_CANCELLATION: &str = "SELECT * FROM eventos WHERE nota_id = $1 AND tipo = 'cancelamento' AND status = 'em_transmissao' LIMIT 1";
const SAVE: &str = "UPDATE eventos SET status = $2, protocolo = $3, resultado = $4, attempts = $5, answer_status = $6, answer = $7, updated_at_ms = $8, \
     conteudo = $9, context = $10, detalhes = $11, packed = 0 WHERE id = $1";
const OPEN_WITHOUT_FLOW: &str = "SELECT * FROM eventos WHERE status = 'em_transmissao' \
     AND updated_at_ms + $3 * (attempts + 1) * (attempts + 1) <= $1 \
     AND NOT EXISTS (SELECT 1 FROM flows WHERE flows.subject_id = eventos.id AND flows.phase <> 'done') ORDER BY updated_at_ms LIMIT CAST($2 AS BIGINT)";

const LAST_SEQUENCE: &str = "SELECT COALESCE(MAX(sequencia), 0) FROM eventos WHERE nota_id = $1 AND codigo = $2 \
     AND (status IN ('em_transmissao', 'registrado') OR status = 'rejeitado' AND (resultado LIKE '%\"codigo\":\"573\"%' \
     OR substr(chave, 21, 2) IN ('57', '58') AND resultado LIKE '%\"codigo\":\"631\"%'))";

const REGISTERED: &str =
    "SELECT COUNT(*) FROM eventos WHERE nota_id = $1 AND codigo <> '' AND status = 'registrado'";
const IN_FLIGHT: &str = "SELECT COUNT(*) FROM eventos WHERE nota_id = $1 AND codigo <> '' AND status = 'em_transmissao'";

const OF_CHAVE: &str = "SELECT * FROM eventos WHERE emitter_id = $1 AND ambiente = $2 AND chave = $3 AND codigo <> '' AND tipo = $4 \
     AND status IN ('em_transmissao', 'registrado') ORDER BY id LIMIT 100";

/// More events than a note can have in force: about thirty kinds, each with
/// a sequence of two digits.
const IN_FORCE: i64 = 5_000;
/// Refused events shown: as many as a customer cares to try.
const REFUSED: i64 = 200;
/// Questions shown: as many as a customer cares to ask.
const ASKED: i64 = 50;

/// False when the note already has a cancellation, done or in progress, or
/// the key an event of that kind and sequence.
pub async fn insert(conn: &mut Conn, e: &EventoRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &e.id,
        &e.account_id,
        &e.nota_id,
        e.tipo,
        e.status,
        &e.conteudo,
        &e.context,
        e.preco,
        &e.hold_id,
        &e.protocolo,
        &e.resultado,
        e.attempts,
        &e.request_id,
        e.answer_status,
        &e.answer,
        e.created_at_ms,
        e.updated_at_ms,
        &e.emitter_id,
        e.ambiente,
        &e.chave,
        &e.codigo,
        e.sequencia,
        &e.detalhes
    )?;
    Ok(rows == 1)
}

/// Without a tenant: for the flow that owns the event.
pub async fn by_id(conn: &mut Conn, id: &EventoId) -> DbResult<Option<EventoRow>> {
    let mut row = fetch_optional!(conn, EventoRow, BY_ID, id)?;
    if let Some(row) = &mut row {
        unpack(conn, row).await?;
    }
    Ok(row)
}

/// Fills the texts of an event that are in its packed record.
async fn unpack(conn: &mut Conn, row: &mut EventoRow) -> DbResult<()> {
    if row.packed == 0 {
        return Ok(());
    }
    let columns = [&mut row.conteudo, &mut row.context, &mut row.answer];
    let texts = packed::fill(conn, &row.id, "event", columns).await?;
    row.take_back(texts)
}

/// Rows with the texts that are in their packed records.
pub(super) async fn whole(conn: &mut Conn, mut rows: Vec<EventoRow>) -> DbResult<Vec<EventoRow>> {
    for row in &mut rows {
        unpack(conn, row).await?;
    }
    Ok(rows)
}

/// The note's cancellation that is being worked on.
pub async fn open_cancellation(conn: &mut Conn, nota: &NotaId) -> DbResult<Option<EventoRow>> {
    let row = fetch_optional!(conn, EventoRow, OPEN_CANCELLATION, nota)?;
    Ok(whole(conn, row.into_iter().collect()).await?.pop())
}

/// All events of a note that are registered or on their way, oldest first;
/// questions are none.
pub async fn standing(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
) -> DbResult<Vec<EventoRow>> {
    let rows = fetch_all!(conn, EventoRow, STANDING, account, nota, IN_FORCE)?;
    whole(conn, rows).await
}

/// Those of `standing`, with the newest of those that came to nothing and the
/// newest questions; oldest first.
pub async fn of_nota(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
) -> DbResult<Vec<EventoRow>> {
    let mut all = standing(conn, account, nota).await?;
    let mut others = fetch_all!(conn, EventoRow, FAILED, account, nota, REFUSED)?;
    others.extend(fetch_all!(
        conn, EventoRow, QUESTIONS, account, nota, ASKED
    )?);
    all.extend(whole(conn, others).await?);
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// What one call asked for about a note.
pub async fn asked_by(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
    request_id: &RequestId,
) -> DbResult<Vec<EventoRow>> {
    let rows = fetch_all!(conn, EventoRow, ASKED_BY, account, nota, request_id)?;
    whole(conn, rows).await
}

row! {
    struct Id {
        id: EventoId,
    }
}

/// Events of a note whose own document is kept.
pub async fn with_xml(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
) -> DbResult<Vec<EventoId>> {
    let found = fetch_all!(conn, Id, WITH_XML, account, nota, IN_FORCE)?;
    Ok(found.into_iter().map(|row| row.id).collect())
}

/// A company's events of one kind about a note that is not ours, those of
/// the authority's and those on their way; oldest first.
pub async fn of_chave(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    chave: &str,
    kind: EventKind,
) -> DbResult<Vec<EventoRow>> {
    let rows = fetch_all!(conn, EventoRow, OF_CHAVE, emitter, ambiente, chave, kind)?;
    whole(conn, rows).await
}

/// Writes everything of an event that may change, and the texts that were in its record.
pub async fn save(conn: &mut Conn, e: &EventoRow) -> DbResult<()> {
    execute!(
        conn,
        SAVE,
        &e.id,
        e.status,
        &e.protocolo,
        &e.resultado,
        e.attempts,
        e.answer_status,
        &e.answer,
        e.updated_at_ms,
        &e.conteudo,
        &e.context,
        &e.detalhes
    )?;
    if e.packed != 0 {
        packed::again(conn, &e.id).await?;
    }
    Ok(())
}

/// When the authority was last asked about a note on somebody's demand, epoch
/// milliseconds; 0: never.
pub async fn last_question_ms(conn: &mut Conn, nota: &NotaId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, LAST_QUESTION, nota)?.unwrap_or(0))
}

/// Highest sequence of one kind of event of a note, refused ones apart.
pub async fn last_sequence(conn: &mut Conn, nota: &NotaId, codigo: &str) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, LAST_SEQUENCE, nota, codigo)?.unwrap_or(0))
}

/// How many registered events a note has. A caller that decided by the list of
/// events compares the count later, to see whether one was added.
pub async fn registered(conn: &mut Conn, nota: &NotaId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, REGISTERED, nota)?.unwrap_or(0))
}

/// How many signed events of a note are on their way.
pub async fn in_flight(conn: &mut Conn, nota: &NotaId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, IN_FLIGHT, nota)?.unwrap_or(0))
}

/// Events nobody works on any more although they are not settled, in
/// growing intervals: 1, 4, 9 … pauses after the last attempt. All tenants,
/// for the job.
pub async fn stranded(
    conn: &mut Conn,
    now_ms: i64,
    limit: i64,
    pause_ms: i64,
) -> DbResult<Vec<EventoRow>> {
    let rows = fetch_all!(conn, EventoRow, OPEN_WITHOUT_FLOW, now_ms, limit, pause_ms)?;
    whole(conn, rows).await
}
