//! Table `notas`: one row per document, whatever becomes of it.

pub use super::folding::part;
use super::folding::{is_letter_by_letter, searched};
use super::numbers::Series;
use super::packed::WITH_ROW;
use super::texts::NOTE_ROW;
use super::{packed, parties};
use crate::ids::{AccountId, EmitterId, NotaId, RequestId, TransferId};
use crate::words::{Ambiente, Maybe, Model, words};
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_optional, row, unreadable};

words! {
    /// What became of a note.
    #[derive(Default)]
    pub enum NotaStatus {
        #[default]
        Draft = "rascunho",
        InTransmission = "em_transmissao",
        /// In a queue at the city.
        PendingCity = "pendente_prefeitura",
        Authorized = "autorizada",
        /// A service note that the simulated authorities accepted.
        Validated = "validada",
        Rejected = "rejeitada",
        Cancelled = "cancelada",
        /// It certainly did not reach the authority.
        NotSent = "nao_enviada",
    }
}

impl NotaStatus {
    /// What becomes of the note is not known yet.
    pub const fn is_open(self) -> bool {
        match self {
            NotaStatus::InTransmission | NotaStatus::PendingCity => true,
            NotaStatus::Draft
            | NotaStatus::Authorized
            | NotaStatus::Validated
            | NotaStatus::Rejected
            | NotaStatus::Cancelled
            | NotaStatus::NotSent => false,
        }
    }

    /// The note exists and stands.
    pub const fn is_valid(self) -> bool {
        match self {
            NotaStatus::Authorized | NotaStatus::Validated => true,
            NotaStatus::Draft
            | NotaStatus::InTransmission
            | NotaStatus::PendingCity
            | NotaStatus::Rejected
            | NotaStatus::Cancelled
            | NotaStatus::NotSent => false,
        }
    }

    /// The note was issued, whether it stands or is cancelled.
    pub const fn exists(self) -> bool {
        match self {
            NotaStatus::Authorized | NotaStatus::Validated | NotaStatus::Cancelled => true,
            NotaStatus::Draft
            | NotaStatus::InTransmission
            | NotaStatus::PendingCity
            | NotaStatus::Rejected
            | NotaStatus::NotSent => false,
        }
    }

    /// As a sentence says it.
    pub fn in_words(self) -> String {
        self.as_str().replace('_', " ")
    }
}

words! {
    /// By which kind of system a note leaves.
    #[derive(Default)]
    pub enum Via {
        /// The national service of NFS-e.
        #[default]
        Nacional = "nacional",
        /// A city's system that speaks the national layout.
        Gateway = "gateway",
        /// A city's own system.
        Municipal = "municipal",
        Sefaz = "sefaz",
    }
}

row! {
    /// What a call that waits for a note looks at, each time the note changes.
    pub struct LookRow {
        pub status: NotaStatus,
        pub answer_status: i64,
        pub answer: String,
        pub packed: i64,
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct NotaRow {
        pub id: NotaId,
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub modelo: Model,
        pub ambiente: Ambiente,
        pub simulada: i64,
        pub status: NotaStatus,
        pub serie: String,
        pub numero: i64,
        pub number_active: i64,
        pub referencia: String,
        pub municipio: String,
        pub via: Via,
        pub sistema: String,
        pub conteudo: String,
        pub context: String,
        pub competencia: String,
        pub valor: String,
        pub tomador_documento: String,
        pub tomador_nome: String,
        pub preco: i64,
        pub hold_id: Maybe<TransferId>,
        pub chave: String,
        pub numero_nfse: String,
        pub codigo_verificacao: String,
        pub protocolo: String,
        pub url_consulta: String,
        pub autorizada_em: String,
        pub valores: String,
        pub rejeicao: String,
        pub substitui_id: Maybe<NotaId>,
        pub substituida_por: Maybe<NotaId>,
        /// Queries that found nothing since the last sending.
        pub reconciliations: i64,
        pub next_check_ms: i64,
        pub request_id: RequestId,
        pub answer_status: i64,
        pub answer: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// JSON: totals, warnings, QR code, what the authority said last.
        pub detalhes: String,
        /// `valor` in cents.
        pub valor_centavos: i64,
        /// Not 0: content, context and answer are in its packed record. Rows of lists lack
        /// them, a single one has them. 2: other columns are there, too, and every row that
        /// is read here has them, unless its function says otherwise.
        pub packed: i64,
    }
}

impl NotaRow {
    /// What becomes of it is not known yet.
    pub fn is_open(&self) -> bool {
        self.status.is_open()
    }

    /// It exists and stands.
    pub fn is_valid(&self) -> bool {
        self.status.is_valid()
    }

    /// The smaller columns that are in its record once it is packed.
    pub(super) fn row_texts(&self) -> [&str; NOTE_ROW.len()] {
        [
            &self.detalhes,
            &self.valores,
            &self.url_consulta,
            &self.request_id,
            &self.autorizada_em,
            &self.municipio,
            &self.valor,
            &self.protocolo,
            &self.rejeicao,
            &self.competencia,
            &self.sistema,
        ]
    }

    /// Takes these columns from what its record has of them: the first ones, where the row
    /// has the others.
    ///
    /// # Errors
    /// The record has none though the row says so, or more than are known.
    fn take_back(&mut self, texts: Vec<String>) -> DbResult<()> {
        let is_lacking = texts.is_empty() && self.packed == WITH_ROW;
        if is_lacking || texts.len() > NOTE_ROW.len() {
            return Err(unreadable("packed columns", &self.id));
        }
        let mut request_id = String::new();
        let columns = [
            &mut self.detalhes,
            &mut self.valores,
            &mut self.url_consulta,
            &mut request_id,
            &mut self.autorizada_em,
            &mut self.municipio,
            &mut self.valor,
            &mut self.protocolo,
            &mut self.rejeicao,
            &mut self.competencia,
            &mut self.sistema,
        ];
        for (column, text) in columns.into_iter().zip(texts) {
            if column.is_empty() {
                *column = text;
            }
        }
        if self.request_id.is_empty() {
            self.request_id = request_id.into();
        }
        Ok(())
    }

    /// Statements look at this one of [`NOTE_ROW`] in the rows of product notes: periods of
    /// exports, and when each authorizer last authorized one.
    pub(crate) fn stays(&self, column: &str) -> bool {
        matches!(column, "competencia" | "sistema") && self.modelo != Model::Nfse
    }

    /// Column `busca` as its name and its reference give it: a list finds the note by those
    /// where it is empty.
    pub(crate) fn found_without(&self) -> String {
        if is_letter_by_letter(&self.tomador_nome) && is_letter_by_letter(&self.referencia) {
            return searched(&self.tomador_nome, &self.referencia);
        }
        // No such column is written.
        "-".to_owned()
    }
}

/// Filters of a listing; empty text and zero mean "any".
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// `produto` means NF-e and NFC-e.
    pub model: String,
    pub status: String,
    pub emitter_id: Maybe<EmitterId>,
    pub chave: String,
    pub serie: String,
    pub number: i64,
    pub tomador: String,
    /// Cents.
    pub min_value: i64,
    pub max_value: i64,
    pub from_ms: i64,
    pub to_ms: i64,
    /// Cursor: ids below this one.
    pub before: String,
    pub limit: i64,
    /// The environment the key does not see.
    pub unseen: &'static str,
}

const INSERT: &str = "INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, \
     referencia, municipio, via, sistema, conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, \
     chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, valores, rejeicao, substitui_id, substituida_por, \
     reconciliations, next_check_ms, request_id, answer_status, answer, created_at_ms, updated_at_ms, detalhes, valor_centavos, busca) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, \
     $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT * FROM notas WHERE account_id = $1 AND id = $2";
// A key belongs to one document, perhaps of several accounts: the index has the key alone. Expressions
// keep the engine from walking along an order or through the account.
const BY_CHAVE: &str = "SELECT * FROM notas WHERE account_id || '' = $1 AND chave = $2 AND chave <> '' AND ambiente <> $3 ORDER BY id || '' DESC LIMIT 1";
const BY_REFERENCE: &str = "SELECT * FROM notas WHERE emitter_id = $1 AND ambiente = $2 AND referencia = $3 \
     AND referencia <> '' AND status NOT IN ('rejeitada', 'nao_enviada', 'rascunho') LIMIT 1";
const ANNOUNCED: &str = "SELECT * FROM notas WHERE emitter_id = $1 AND ambiente = $2 AND referencia = $3 \
     AND referencia <> '' AND status = 'rascunho' AND chave <> '' LIMIT 1";
// Two indexes: that of the ids which notes hold, company by company, and that of the others.
const NEWEST_BY_REFERENCE: &str = "SELECT * FROM notas WHERE id IN (SELECT MAX(n.id) FROM notas n WHERE n.id IN ( \
     SELECT h.id FROM emitters e JOIN notas h ON h.emitter_id = e.id \
     WHERE e.account_id = $1 AND h.ambiente IN ('producao', 'homologacao', 'simulado') AND h.referencia = $2 AND h.referencia <> '' \
     AND h.status NOT IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT f.id FROM notas f WHERE f.account_id = $1 AND f.referencia = $2 AND f.referencia <> '' \
     AND f.status IN ('rejeitada', 'nao_enviada', 'rascunho')) \
     AND n.modelo = $3 AND n.ambiente <> $4 AND n.status <> 'rascunho' GROUP BY n.emitter_id || '') ORDER BY id || '' DESC LIMIT 2";
const NEWEST_RELEASED: &str = "SELECT * FROM notas WHERE id IN (SELECT MAX(f.id) FROM notas f \
     WHERE f.account_id = $1 AND f.referencia = $2 AND f.referencia <> '' \
     AND f.status IN ('rejeitada', 'nao_enviada', 'rascunho') AND f.status <> 'rascunho' \
     AND f.emitter_id || '' = $3 AND f.ambiente <> $4 GROUP BY f.modelo || '')";
const BY_ID: &str = "SELECT * FROM notas WHERE id = $1";
const LOOK: &str = "SELECT status, answer_status, answer, packed FROM notas WHERE id = $1";
const LOCK: &str = "UPDATE notas SET updated_at_ms = updated_at_ms WHERE id = $1 RETURNING *";
const SAVE: &str = "UPDATE notas SET status = $2, serie = $3, numero = $4, number_active = $5, hold_id = $6, chave = $7, numero_nfse = $8, \
     codigo_verificacao = $9, protocolo = $10, url_consulta = $11, autorizada_em = $12, valores = $13, rejeicao = $14, \
     substituida_por = $15, reconciliations = $16, next_check_ms = $17, answer_status = $18, answer = $19, updated_at_ms = $20, \
     conteudo = $21, context = $22, via = $23, sistema = $24, preco = $25, request_id = $26, ambiente = $27, simulada = $28, competencia = $29, valor = $30, municipio = $31, \
     substitui_id = $32, detalhes = $33, packed = 0 WHERE id = $1";
const SAVE_END: &str = "UPDATE notas SET status = $2, chave = $3, numero_nfse = $4, codigo_verificacao = $5, protocolo = $6, url_consulta = $7, \
     autorizada_em = $8, valores = $9, rejeicao = $10, next_check_ms = $11, answer_status = $12, answer = $13, updated_at_ms = $14, \
     conteudo = $15, detalhes = $16 WHERE id = $1";
const SAVE_PARTY: &str = "UPDATE notas SET tomador_documento = $2, tomador_nome = $3, busca = $4, valor_centavos = $5 WHERE id = $1";
const HOLDING: &str = "SELECT * FROM notas WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 \
     AND numero BETWEEN $5 AND $6 AND number_active = 1 ORDER BY numero LIMIT CAST($7 AS BIGINT)";
const DELETE_DRAFT: &str =
    "DELETE FROM notas WHERE account_id = $1 AND id = $2 AND status = 'rascunho' AND chave = ''";
const SUBSTITUTE_OF: &str = "SELECT * FROM notas WHERE substitui_id = $1 AND substitui_id <> '' \
     AND status IN ('em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada') LIMIT 1";
const CLAIM_DRAFT: &str = "UPDATE notas SET status = 'em_transmissao', updated_at_ms = $3 WHERE account_id = $1 AND id = $2 AND status = 'rascunho'";
const TO_RECONCILE: &str = "SELECT * FROM notas WHERE status = 'em_transmissao' AND next_check_ms > 0 AND next_check_ms <= $1 \
     AND NOT EXISTS (SELECT 1 FROM flows WHERE flows.subject_id = notas.id AND flows.phase <> 'done') ORDER BY next_check_ms LIMIT CAST($2 AS BIGINT)";

/// False when number or `referencia` already belong to another note.
pub async fn insert(conn: &mut Conn, n: &NotaRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &n.id,
        &n.account_id,
        &n.emitter_id,
        n.modelo,
        n.ambiente,
        n.simulada,
        n.status,
        &n.serie,
        n.numero,
        n.number_active,
        &n.referencia,
        &n.municipio,
        n.via,
        &n.sistema,
        &n.conteudo,
        &n.context,
        &n.competencia,
        &n.valor,
        &n.tomador_documento,
        &n.tomador_nome,
        n.preco,
        &n.hold_id,
        &n.chave,
        &n.numero_nfse,
        &n.codigo_verificacao,
        &n.protocolo,
        &n.url_consulta,
        &n.autorizada_em,
        &n.valores,
        &n.rejeicao,
        &n.substitui_id,
        &n.substituida_por,
        n.reconciliations,
        n.next_check_ms,
        &n.request_id,
        n.answer_status,
        &n.answer,
        n.created_at_ms,
        n.updated_at_ms,
        &n.detalhes,
        n.valor_centavos,
        searched(&n.tomador_nome, &n.referencia)
    )?;
    if rows == 0 {
        return Ok(false);
    }
    known(conn, n).await?;
    Ok(true)
}

/// Whom the note names is found by name from now on.
async fn known(conn: &mut Conn, n: &NotaRow) -> DbResult<()> {
    let (documento, name) = (&n.tomador_documento, &n.tomador_nome);
    parties::know(conn, &n.account_id, documento, name, n.created_at_ms).await
}

pub async fn get(conn: &mut Conn, account: &AccountId, id: &NotaId) -> DbResult<Option<NotaRow>> {
    let row = fetch_optional!(conn, NotaRow, GET, account, id)?;
    whole(conn, row).await
}

/// By nota_id or chave: the `{ref}` of the API; none in the environment the
/// key does not see.
pub async fn by_ref(
    conn: &mut Conn,
    account: &AccountId,
    reference: &str,
    unseen: &str,
) -> DbResult<Option<NotaRow>> {
    if let Some(nota) = get(conn, account, &NotaId::from(reference)).await? {
        return Ok(Some(nota).filter(|nota| nota.ambiente.as_str() != unseen));
    }
    let row = fetch_optional!(conn, NotaRow, BY_CHAVE, account, reference, unseen)?;
    whole(conn, row).await
}

/// The CT-e that was announced in contingency under a client's own id and is not
/// issued yet.
pub async fn announced(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    reference: &str,
) -> DbResult<Option<NotaRow>> {
    fetch_optional!(conn, NotaRow, ANNOUNCED, emitter, ambiente, reference)
}

/// The note that holds a client's own id.
pub async fn by_reference(
    conn: &mut Conn,
    emitter: &EmitterId,
    ambiente: Ambiente,
    reference: &str,
) -> DbResult<Option<NotaRow>> {
    let row = fetch_optional!(conn, NotaRow, BY_REFERENCE, emitter, ambiente, reference)?;
    whole(conn, row).await
}

/// The newest note of a model that a company of the account sent under a client's own id,
/// whatever became of it; none in the environment the key does not see. Two notes, the
/// newer first, where more than one company used the id.
pub async fn newest_by_reference(
    conn: &mut Conn,
    account: &AccountId,
    model: Model,
    reference: &str,
    unseen: &str,
) -> DbResult<Vec<NotaRow>> {
    let mut rows = fetch_all!(
        conn,
        NotaRow,
        NEWEST_BY_REFERENCE,
        account,
        reference,
        model,
        unseen
    )?;
    for row in &mut rows {
        unpack(conn, row).await?;
    }
    Ok(rows)
}

/// The newest note of each model that a company sent under a client's own id and that does
/// not hold it: refused, or not sent; none in the environment the key does not see.
pub async fn newest_released(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
    reference: &str,
    unseen: &str,
) -> DbResult<Vec<NotaRow>> {
    let rows = fetch_all!(
        conn,
        NotaRow,
        NEWEST_RELEASED,
        account,
        reference,
        emitter,
        unseen
    )?;
    listed(conn, rows).await
}

/// Without a tenant: for the flow that owns the note.
pub async fn by_id(conn: &mut Conn, id: &NotaId) -> DbResult<Option<NotaRow>> {
    let row = fetch_optional!(conn, NotaRow, BY_ID, id)?;
    whole(conn, row).await
}

/// Fills the texts of a row of a list that are in its packed record.
pub async fn unpack(conn: &mut Conn, row: &mut NotaRow) -> DbResult<()> {
    if row.packed == 0 {
        return Ok(());
    }
    let columns = [&mut row.conteudo, &mut row.context, &mut row.answer];
    let texts = packed::fill(conn, &row.id, "note", columns).await?;
    row.take_back(texts)
}

/// Rows of a list with all that a list shows: content, context and answer stay empty where
/// they are in a record, the smaller columns are filled from it.
pub(super) async fn listed(conn: &mut Conn, mut rows: Vec<NotaRow>) -> DbResult<Vec<NotaRow>> {
    let ids = rows.iter().filter(|row| row.packed == WITH_ROW);
    let ids: Vec<&str> = ids.map(|row| row.id.as_str()).collect();
    let mut found = packed::rows_of_notes(conn, &ids).await?;
    for row in rows.iter_mut().filter(|row| row.packed == WITH_ROW) {
        let texts = found.remove(row.id.as_str());
        let texts = texts.present("the record of a packed note", &row.id)?;
        row.take_back(texts)?;
    }
    Ok(rows)
}

async fn whole(conn: &mut Conn, mut row: Option<NotaRow>) -> DbResult<Option<NotaRow>> {
    if let Some(row) = &mut row {
        unpack(conn, row).await?;
    }
    Ok(row)
}

pub async fn look(conn: &mut Conn, id: &NotaId) -> DbResult<Option<LookRow>> {
    let mut row = fetch_optional!(conn, LookRow, LOOK, id)?;
    if let Some(row) = row.as_mut().filter(|row| row.packed != 0) {
        let columns = [&mut String::new(), &mut String::new(), &mut row.answer];
        packed::fill(conn, id, "note", columns).await?;
    }
    Ok(row)
}

/// The note, kept from every other transaction until this one ends: what is
/// read here is still so when it is saved.
pub async fn lock(conn: &mut Conn, id: &NotaId) -> DbResult<Option<NotaRow>> {
    match conn {
        // A transaction that writes has the whole file for itself.
        Conn::Sqlite(_) => by_id(conn, id).await,
        Conn::Postgres(_) => {
            let row = fetch_optional!(conn, NotaRow, LOCK, id)?;
            whole(conn, row).await
        }
    }
}

/// Writes everything of a note that may change once it is issued. Only after `lock`.
pub async fn save(conn: &mut Conn, n: &NotaRow) -> DbResult<()> {
    execute!(
        conn,
        SAVE,
        &n.id,
        n.status,
        &n.serie,
        n.numero,
        n.number_active,
        &n.hold_id,
        &n.chave,
        &n.numero_nfse,
        &n.codigo_verificacao,
        &n.protocolo,
        &n.url_consulta,
        &n.autorizada_em,
        &n.valores,
        &n.rejeicao,
        &n.substituida_por,
        n.reconciliations,
        n.next_check_ms,
        n.answer_status,
        &n.answer,
        n.updated_at_ms,
        &n.conteudo,
        &n.context,
        n.via,
        &n.sistema,
        n.preco,
        &n.request_id,
        n.ambiente,
        n.simulada,
        &n.competencia,
        &n.valor,
        &n.municipio,
        &n.substitui_id,
        &n.detalhes
    )?;
    if n.packed != 0 {
        packed::again(conn, &n.id).await?;
    }
    Ok(())
}

/// Writes what an authorization changes of a note, and no column of the indexes that it
/// does not: SQLite writes an index for every column of it that a statement names. Only
/// after `lock`.
pub async fn save_end(conn: &mut Conn, n: &NotaRow) -> DbResult<()> {
    // Its texts leave the packed record, all of them.
    if n.packed != 0 {
        return save(conn, n).await;
    }
    execute!(
        conn,
        SAVE_END,
        &n.id,
        n.status,
        &n.chave,
        &n.numero_nfse,
        &n.codigo_verificacao,
        &n.protocolo,
        &n.url_consulta,
        &n.autorizada_em,
        &n.valores,
        &n.rejeicao,
        n.next_check_ms,
        n.answer_status,
        &n.answer,
        n.updated_at_ms,
        &n.conteudo,
        &n.detalhes
    )?;
    Ok(())
}

/// Saves who the other party is, and the value: of a draft, when it is issued. No later step
/// changes them, and SQLite writes an index for every column of it that a statement names.
pub async fn save_party(conn: &mut Conn, n: &NotaRow) -> DbResult<()> {
    execute!(
        conn,
        SAVE_PARTY,
        &n.id,
        &n.tomador_documento,
        &n.tomador_nome,
        searched(&n.tomador_nome, &n.referencia),
        n.valor_centavos
    )?;
    known(conn, n).await
}

/// Deletes a draft; false for anything else. One that was announced in contingency
/// has a key and must be issued.
pub async fn delete_draft(conn: &mut Conn, account: &AccountId, id: &NotaId) -> DbResult<bool> {
    Ok(execute!(conn, DELETE_DRAFT, account, id)? == 1)
}

/// Notes that have one of these numbers, the lowest first. The columns that are in a record
/// stay empty: number, series and state are asked for.
pub async fn holding(
    conn: &mut Conn,
    series: &Series,
    (first, last): (i64, i64),
    limit: i64,
) -> DbResult<Vec<NotaRow>> {
    fetch_all!(
        conn,
        NotaRow,
        HOLDING,
        &series.emitter_id,
        series.ambiente,
        series.model,
        &series.serie,
        first,
        last,
        limit
    )
}

/// The note that replaces this one or is about to.
pub async fn substitute_of(conn: &mut Conn, id: &NotaId) -> DbResult<Option<NotaRow>> {
    let row = fetch_optional!(conn, NotaRow, SUBSTITUTE_OF, id)?;
    whole(conn, row).await
}

/// Takes a draft to issue it; false when it is not a draft any more.
pub async fn claim_draft(
    conn: &mut Conn,
    account: &AccountId,
    id: &NotaId,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, CLAIM_DRAFT, account, id, now_ms)? == 1)
}

/// Notes whose issuing flow ended without knowing and are due to be asked
/// about again; all tenants, for the job.
pub async fn to_reconcile(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<NotaRow>> {
    fetch_all!(conn, NotaRow, TO_RECONCILE, now_ms, limit)
}
