//! Packing: which documents are settled, and their texts out of the tables into a record.
//!
//! A document is read and compressed first, without a transaction. The transaction writes the
//! record and takes the texts out of their rows only where they are still those that were
//! read; otherwise nothing is changed, and the document's turn comes again.
//!
//! Rows that are in no table yet are packed in the same way ([`pack`]).

use super::artifacts::{self, ArtifactRow};
use super::eventos::{EventoRow, EventoStatus};
use super::flows::{FlowPhase, FlowRow, TurnNext, TurnRow};
use super::notas::{NotaRow, NotaStatus, Via};
use super::outbox::{self, ToldRow};
use super::packed::{self, PackedRow, WITH_ROW};
use super::packed_certificates;
use super::texts::{self, COLUMNS, FLOW_TEXTS, ROW};
use crate::ids::{AccountId, FlowId};
use crate::words::Model;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};
use packing::{Certificate, Layout, Packed, Record};

const SETTLED: &str = "SELECT id, subject_id, updated_at_ms FROM flows WHERE phase = 'done' AND packed <= 0 AND updated_at_ms >= $1 \
     AND (updated_at_ms > $1 OR id > $2) AND updated_at_ms <= $3 ORDER BY updated_at_ms, id LIMIT CAST($4 AS BIGINT)";
// By the primary key alone: this is asked again and again of all documents that are not packed.
const KEPT: &str = "SELECT a.subject_id FROM artifacts a WHERE a.subject_id > $1 GROUP BY a.subject_id ORDER BY a.subject_id LIMIT CAST($2 AS BIGINT)";
const FORMS: &str = "SELECT n.id AS subject_id, n.packed FROM notas n WHERE n.id > $1 ORDER BY n.id LIMIT CAST($2 AS BIGINT)";
const FLOWS: &str = "SELECT * FROM flows WHERE subject_id = $1 ORDER BY id LIMIT 1000";
/// Flows of a document that is packed, and lines of a journal: what has more stays as it is.
const MOST_FLOWS: usize = 1_000;
const MOST_TURNS: usize = 1_000;
const TURNS: &str = "SELECT flow_id, step, event, event_body, next, label, request, request_body, at_ms FROM flow_turns \
     WHERE flow_id = $1 ORDER BY step LIMIT 1000";
const NOTA: &str = "SELECT * FROM notas WHERE id = $1";
const EVENTO: &str = "SELECT * FROM eventos WHERE id = $1";
const ARTIFACTS: &str = "SELECT subject_id, tipo, account_id, media_type, sha256, bytes, created_at_ms FROM artifacts \
     WHERE subject_id = $1 ORDER BY tipo LIMIT 1000";
// What stays in the row is what a statement looks at. `busca` says again what name and
// reference say; where it is empty, a list looks at those (`documents::read`).
const PACK_NOTA: &str = "UPDATE notas SET conteudo = '', context = '', answer = '', detalhes = '', valores = '', url_consulta = '', request_id = '', \
     autorizada_em = '', municipio = '', valor = '', protocolo = '', rejeicao = '', competencia = CASE WHEN modelo = 'nfse' THEN '' ELSE competencia END, \
     sistema = CASE WHEN modelo = 'nfse' THEN '' ELSE sistema END, busca = CASE WHEN busca = $8 THEN '' ELSE busca END, packed = 2 \
     WHERE id = $1 AND status = $2 AND updated_at_ms = $3 AND conteudo = $4 AND context = $5 AND answer = $6 AND packed = $7 \
     AND detalhes = $9 AND valores = $10 AND url_consulta = $11 AND request_id = $12 AND autorizada_em = $13 AND municipio = $14 \
     AND valor = $15 AND protocolo = $16 AND rejeicao = $17 AND competencia = $18 AND sistema = $19";
const PACK_EVENTO: &str = "UPDATE eventos SET conteudo = '', context = '', answer = '', detalhes = CASE WHEN tipo = 'inutilizacao' THEN detalhes ELSE '' END, \
     resultado = CASE WHEN status = 'rejeitado' THEN resultado ELSE '' END, protocolo = '', packed = 2 \
     WHERE id = $1 AND status = $2 AND updated_at_ms = $3 AND conteudo = $4 AND context = $5 AND answer = $6 AND packed = $7 \
     AND detalhes = $8 AND resultado = $9 AND protocolo = $10";
const PACK_FLOW: &str = "UPDATE flows SET component = '', digest = '', conteudo = '', context = '', way = '', packed = $4 \
     WHERE id = $1 AND phase = 'done' AND updated_at_ms = $2 AND packed = $3";
const DELETE_TURNS: &str = "DELETE FROM flow_turns WHERE flow_id = $1";
const DELETE_ARTIFACT: &str =
    "DELETE FROM artifacts WHERE subject_id = $1 AND tipo = $2 AND sha256 = $3";

row! {
    /// A flow that has ended.
    #[derive(Clone, Debug)]
    pub struct SettledRow {
        pub id: FlowId,
        pub subject_id: String,
        pub updated_at_ms: i64,
    }
}

row! {
    /// A document that has an artifact.
    #[derive(Clone, Debug)]
    pub struct KeptRow {
        pub subject_id: String,
    }
}

row! {
    /// A note, and how it is packed.
    struct FormRow {
        subject_id: String,
        packed: i64,
    }
}

/// Flows that ended at this moment or before and are not packed, after a place in their order.
pub async fn settled(
    conn: &mut Conn,
    until_ms: i64,
    after: (i64, &str),
    limit: i64,
) -> DbResult<Vec<SettledRow>> {
    fetch_all!(conn, SettledRow, SETTLED, after.0, after.1, until_ms, limit)
}

/// Subjects that have an artifact which is not packed, in their order: documents of others
/// have no flow.
pub async fn kept(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<KeptRow>> {
    fetch_all!(conn, KeptRow, KEPT, after, limit)
}

/// Notes that are looked at for those of the first form.
const LOOKED_AT: i64 = 1_000;

/// The next notes after one whose records lack the smaller columns of their rows, at most so
/// many, and the last note that was looked at; None: there is none after it. By the primary
/// key: for who goes through all notes once.
pub async fn first_form(
    conn: &mut Conn,
    after: &str,
    most: usize,
) -> DbResult<(Vec<String>, Option<String>)> {
    let notes = fetch_all!(conn, FormRow, FORMS, after, LOOKED_AT)?;
    let (mut found, mut last) = (Vec::new(), None);
    for note in notes {
        if found.len() == most {
            break;
        }
        if note.packed != 0 && note.packed != WITH_ROW {
            found.push(note.subject_id.clone());
        }
        last = Some(note.subject_id);
    }
    Ok((found, last))
}

/// What is packed of a document, as it was read.
pub struct Pack {
    subject: String,
    before: Option<PackedRow>,
    after: PackedRow,
    /// Those that the record names.
    certificates: Vec<Certificate>,
    found: Document,
    layout: Layout,
    record: Record,
    /// Bytes of the texts that are packed now.
    pub texts: usize,
}

impl Pack {
    /// Bytes of the record.
    pub fn packed(&self) -> usize {
        self.after.bytes.len()
    }

    /// The record.
    pub fn record(&self) -> &PackedRow {
        &self.after
    }

    /// The certificates that it names; they are kept before it.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Its flows, each with the place of its texts in the record.
    pub fn flows(&self) -> impl Iterator<Item = (&FlowRow, i64)> {
        self.found.flows.iter().zip(self.found.places())
    }
}

/// The texts of a document, those first that are packed already.
struct Texts {
    account: AccountId,
    layout: Layout,
    record: Record,
}

/// A document as its rows are.
#[derive(Default)]
pub struct Document {
    pub nota: Option<NotaRow>,
    pub evento: Option<EventoRow>,
    /// In the order of their ids.
    pub flows: Vec<FlowRow>,
    /// Of the flows that are not packed, in the order of their steps.
    pub turns: Vec<TurnRow>,
    /// In the order of their kinds.
    pub artifacts: Vec<ArtifactRow>,
    /// What the customer was told of the note, as far as it is in rows. They stay: what is
    /// read of them later is the record.
    pub told: Vec<ToldRow>,
}

impl Document {
    /// All but the turns and what was told.
    async fn read(conn: &mut Conn, subject: &str) -> DbResult<Document> {
        Ok(Document {
            nota: fetch_optional!(conn, NotaRow, NOTA, subject)?,
            evento: fetch_optional!(conn, EventoRow, EVENTO, subject)?,
            flows: fetch_all!(conn, FlowRow, FLOWS, subject)?,
            turns: Vec::new(),
            artifacts: fetch_all!(conn, ArtifactRow, ARTIFACTS, subject)?,
            told: Vec::new(),
        })
    }

    /// When it changed last, epoch milliseconds.
    fn newest_ms(&self) -> i64 {
        let nota = self.nota.iter().map(|nota| nota.updated_at_ms);
        let evento = self.evento.iter().map(|evento| evento.updated_at_ms);
        let flows = self.flows.iter().map(|flow| flow.updated_at_ms);
        let artifacts = self.artifacts.iter().map(|one| one.created_at_ms);
        let all = nota.chain(evento).chain(flows).chain(artifacts);
        all.max().unwrap_or_default()
    }

    /// Nothing of it changed after this moment, or is expected to.
    fn is_settled(&self, until_ms: i64) -> bool {
        let open = self
            .nota
            .iter()
            .any(|nota| nota.is_open() || nota.status == NotaStatus::Draft)
            || self
                .evento
                .iter()
                .any(|evento| evento.status == EventoStatus::InTransmission)
            || self.flows.iter().any(|flow| flow.phase != FlowPhase::Done);
        !open && self.newest_ms() <= until_ms
    }

    /// It has texts that are in no record, or a record to be looked at again.
    fn is_unpacked(&self) -> bool {
        self.nota.iter().any(|nota| nota.packed != WITH_ROW)
            || self.evento.iter().any(|evento| evento.packed != WITH_ROW)
            || self.flows.iter().any(|flow| flow.packed <= 0)
            || !self.artifacts.is_empty()
    }

    /// Where the texts of each flow stand in the record, counted from 1: where they are, or
    /// behind those.
    fn places(&self) -> Vec<i64> {
        let known = self.flows.iter().map(|flow| flow.packed.abs());
        let mut last = known.max().unwrap_or_default();
        let places = self.flows.iter().map(|flow| {
            if flow.packed == 0 {
                last += 1;
                return last;
            }
            flow.packed.abs()
        });
        places.collect()
    }

    fn account(&self) -> Option<&AccountId> {
        let nota = self.nota.iter().map(|nota| &nota.account_id);
        let evento = self.evento.iter().map(|evento| &evento.account_id);
        let flows = self.flows.iter().map(|flow| &flow.account_id);
        let artifacts = self.artifacts.iter().map(|one| &one.account_id);
        nota.chain(evento).chain(flows).chain(artifacts).next()
    }
}

/// Reads a document and compresses its texts; None where it changed after `until_ms`, is not
/// settled, or has nothing to pack.
///
/// # Errors
/// The database failed, or holds what cannot be read: nothing is packed over it.
pub async fn prepare(conn: &mut Conn, subject: &str, until_ms: i64) -> DbResult<Option<Pack>> {
    let mut found = Document::read(conn, subject).await?;
    if !found.is_settled(until_ms) || !found.is_unpacked() {
        return Ok(None);
    }
    for flow in found.flows.iter().filter(|flow| flow.packed == 0) {
        let turns = fetch_all!(&mut *conn, TurnRow, TURNS, &flow.id)?;
        found.turns.extend(turns);
    }
    if let Some(nota) = &found.nota {
        found.told = outbox::told_rows(conn, &nota.account_id, &nota.id).await?;
    }
    let before = match packed::get(conn, subject).await? {
        Some(row) => {
            let record = row.here(conn).await?;
            Some((row, record))
        }
        None => None,
    };
    let pack = pack(subject, found, before, until_ms, true)?;
    if let Some(pack) = &pack {
        packed_certificates::all_same(conn, pack.certificates()).await?;
    }
    Ok(pack)
}

/// Compresses the texts of a document whose rows are given, and its record where it has one;
/// None as for [`prepare`]. Where texts are taken away for the record, it is read back first.
///
/// # Errors
/// A row holds what cannot be read, or the record is not the same when it is read back.
pub fn pack(
    subject: &str,
    mut found: Document,
    before: Option<(PackedRow, Record)>,
    until_ms: i64,
    read_back: bool,
) -> DbResult<Option<Pack>> {
    let Some(account) = found.account() else {
        return Ok(None);
    };
    if !found.is_settled(until_ms) || !found.is_unpacked() || found.flows.len() >= MOST_FLOWS {
        return Ok(None);
    }
    let (before, record) = match before {
        Some((row, record)) => (Some(row), record),
        None => (None, Record::default()),
    };
    let mut texts = Texts {
        account: account.clone(),
        layout: layout(found.nota.as_ref()),
        record,
    };
    let was = texts.record.len();
    if let Some(nota) = &found.nota {
        let columns = [&nota.conteudo, &nota.context, &nota.answer];
        texts.columns("note", nota.packed, columns, &nota.row_texts())?;
    }
    if let Some(evento) = &found.evento {
        let columns = [&evento.conteudo, &evento.context, &evento.answer];
        texts.columns("event", evento.packed, columns, &evento.row_texts())?;
    }
    for (flow, place) in found.flows.iter().zip(found.places()) {
        if flow.packed != 0 {
            continue;
        }
        let turns = found.turns.iter().filter(|turn| turn.flow_id == flow.id);
        let turns: Vec<&TurnRow> = turns.collect();
        if turns.len() >= MOST_TURNS {
            return Ok(None);
        }
        texts.flow(place, flow, &turns)?;
    }
    if let Some(nota) = &found.nota {
        outbox::keep(&mut texts.record, &found.told, &nota.id)?;
    }
    let mut kinds = match &before {
        Some(row) => row.kinds.clone(),
        None => " ".to_owned(),
    };
    for artifact in &found.artifacts {
        if packed::hex(&artifact.bytes) != artifact.sha256 {
            return Err(crate::unreadable("digest of an artifact", subject));
        }
        texts.artifact(artifact)?;
        kinds += &format!("{} ", artifact.tipo);
    }
    let packed = if read_back {
        packed::pack_proven(&texts.record, texts.layout, subject)?
    } else {
        packed::pack(&texts.record, texts.layout)?
    };
    let certificates = packed.certificates.clone();
    let after = texts.row(packed, subject, kinds, before.as_ref(), found.newest_ms());
    // They are in the record, and many documents are in memory at once.
    found.turns = Vec::new();
    Ok(Some(Pack {
        subject: subject.to_owned(),
        texts: texts.record.len().saturating_sub(was),
        before,
        after,
        certificates,
        found,
        layout: texts.layout,
        record: texts.record,
    }))
}

/// The texts of a document that has ended, packed or not, to train a dictionary with.
///
/// # Errors
/// As `prepare`.
pub async fn sample(conn: &mut Conn, subject: &str) -> DbResult<Option<(Layout, Record)>> {
    if let Some(pack) = prepare(conn, subject, i64::MAX).await? {
        return Ok(Some((pack.layout, pack.record)));
    }
    let Some(row) = packed::get(conn, subject).await? else {
        return Ok(None);
    };
    let nota = fetch_optional!(conn, NotaRow, NOTA, subject)?;
    Ok(Some((layout(nota.as_ref()), row.whole(conn).await?)))
}

fn layout(nota: Option<&NotaRow>) -> Layout {
    match nota.map(|nota| (nota.modelo, nota.via)) {
        Some((Model::Nfe, _)) => Layout::Nfe,
        Some((Model::Nfce, _)) => Layout::Nfce,
        Some((Model::Nfse, Via::Nacional | Via::Gateway)) => Layout::NfseNacional,
        Some((Model::Nfse, _)) => Layout::Abrasf,
        _ => Layout::Generic,
    }
}

impl Texts {
    fn set(&mut self, name: String, text: &[u8]) -> DbResult<()> {
        texts::known(&name)?;
        self.record.set(name, text.to_vec());
        Ok(())
    }

    /// Those of a row that are not in the record yet, as its `packed` says.
    fn columns(
        &mut self,
        of: &str,
        packed: i64,
        columns: [&String; 3],
        row: &[&str],
    ) -> DbResult<()> {
        if packed == 0 {
            for (name, text) in COLUMNS.into_iter().zip(columns) {
                self.set(format!("{of}/{name}"), text.as_bytes())?;
            }
        }
        if packed != WITH_ROW {
            let row = texts::joined(row.iter().copied());
            self.set(format!("{of}/{ROW}"), row.as_bytes())?;
        }
        Ok(())
    }

    fn flow(&mut self, place: i64, flow: &FlowRow, turns: &[&TurnRow]) -> DbResult<()> {
        let texts = [
            &flow.component,
            &flow.digest,
            &flow.conteudo,
            &flow.context,
            &flow.way,
        ];
        for (name, text) in FLOW_TEXTS.into_iter().zip(texts) {
            self.set(format!("{place}/{name}"), text.as_bytes())?;
        }
        let steps: Vec<packed::About<TurnNext>> = turns
            .iter()
            .map(|turn| packed::About {
                step: turn.step,
                next: turn.next,
                label: turn.label.clone(),
                at_ms: turn.at_ms,
            })
            .collect();
        self.set(format!("{place}/turns"), json(&steps)?.as_bytes())?;
        for turn in turns {
            let name = |name: &str| format!("{place}/{}/{name}", turn.step);
            self.set(name("event"), turn.event.as_bytes())?;
            self.set(name("event_body"), &turn.event_body)?;
            self.set(name("request"), turn.request.as_bytes())?;
            self.set(name("request_body"), &turn.request_body)?;
        }
        Ok(())
    }

    fn artifact(&mut self, artifact: &ArtifactRow) -> DbResult<()> {
        let name = artifacts::named(&artifact.tipo);
        let about = artifacts::About {
            media_type: artifact.media_type.clone(),
            created_at_ms: artifact.created_at_ms,
        };
        self.set(format!("{name}/about"), json(&about)?.as_bytes())?;
        self.set(name, &artifact.bytes)
    }

    /// The row of the record.
    fn row(
        &self,
        packed: Packed,
        subject: &str,
        kinds: String,
        before: Option<&PackedRow>,
        settled_at_ms: i64,
    ) -> PackedRow {
        PackedRow {
            subject_id: subject.to_owned(),
            account_id: self.account.clone(),
            kinds,
            dictionary: i64::from(packed.dictionary),
            place: before.map(|row| row.place.clone()).unwrap_or_default(),
            sha256: before.map(|row| row.sha256.clone()).unwrap_or_default(),
            journal: 1,
            settled_at_ms,
            bytes: packed.bytes,
        }
    }
}

fn json<T: serde::Serialize>(value: &T) -> DbResult<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Writes the record and takes the texts out of their rows. False: the document is another
/// than the one that was read, and the transaction must be undone.
///
/// # Errors
/// The database failed.
pub async fn write(conn: &mut Conn, pack: &Pack) -> DbResult<bool> {
    packed_certificates::keep(conn, &pack.certificates).await?;
    let written = match &pack.before {
        Some(before) => packed::replace(conn, before, &pack.after).await?,
        None => packed::insert(conn, &pack.after).await?,
    };
    if !written {
        return Ok(false);
    }
    let written = match (&pack.found.nota, &pack.found.evento) {
        (Some(nota), _) => {
            pack_nota(conn, nota).await? && is_all_told(conn, nota, &pack.found.told).await?
        }
        (None, Some(evento)) => pack_evento(conn, evento).await?,
        (None, None) => true,
    };
    if !written {
        return Ok(false);
    }
    for (flow, place) in pack.flows() {
        if flow.packed > 0 {
            continue;
        }
        let updated_ms = flow.updated_at_ms;
        let rows = execute!(conn, PACK_FLOW, &flow.id, updated_ms, flow.packed, place)?;
        if rows != 1 {
            return Ok(false);
        }
        if flow.packed == 0 {
            execute!(conn, DELETE_TURNS, &flow.id)?;
        }
    }
    for artifact in &pack.found.artifacts {
        let rows = execute!(
            conn,
            DELETE_ARTIFACT,
            &pack.subject,
            &artifact.tipo,
            &artifact.sha256
        )?;
        if rows != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the texts out of the row of a note; false where it is another now.
async fn pack_nota(conn: &mut Conn, n: &NotaRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        PACK_NOTA,
        &n.id,
        n.status,
        n.updated_at_ms,
        &n.conteudo,
        &n.context,
        &n.answer,
        n.packed,
        n.found_without(),
        &n.detalhes,
        &n.valores,
        &n.url_consulta,
        &n.request_id,
        &n.autorizada_em,
        &n.municipio,
        &n.valor,
        &n.protocolo,
        &n.rejeicao,
        &n.competencia,
        &n.sistema
    )?;
    Ok(rows == 1)
}

/// The record has all that the customer was told of the note. Asked once the row is packed:
/// who tells something of it afterwards sees that it is, and saves it.
async fn is_all_told(conn: &mut Conn, n: &NotaRow, told: &[ToldRow]) -> DbResult<bool> {
    let rows = outbox::told_rows(conn, &n.account_id, &n.id).await?;
    Ok(rows.iter().all(|row| told.contains(row)))
}

async fn pack_evento(conn: &mut Conn, e: &EventoRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        PACK_EVENTO,
        &e.id,
        e.status,
        e.updated_at_ms,
        &e.conteudo,
        &e.context,
        &e.answer,
        e.packed,
        &e.detalhes,
        &e.resultado,
        &e.protocolo
    )?;
    Ok(rows == 1)
}
