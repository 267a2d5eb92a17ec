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
use super::packed::{self, PackedRow};
use crate::ids::{AccountId, FlowId};
use crate::words::Model;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};
use packing::{Dictionaries, Layout, Record};

const SETTLED: &str = "SELECT id, subject_id, updated_at_ms FROM flows WHERE phase = 'done' AND packed <= 0 AND updated_at_ms >= $1 \
     AND (updated_at_ms > $1 OR id > $2) AND updated_at_ms <= $3 ORDER BY updated_at_ms, id LIMIT $4";
// By the primary key alone: this is asked again and again of all documents that are not packed.
const KEPT: &str = "SELECT a.subject_id FROM artifacts a WHERE a.subject_id > $1 GROUP BY a.subject_id ORDER BY a.subject_id LIMIT $2";
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
const PACK_NOTA: &str = "UPDATE notas SET conteudo = '', context = '', answer = '', packed = 1 \
     WHERE id = $1 AND status = $2 AND updated_at_ms = $3 AND conteudo = $4 AND context = $5 AND answer = $6 AND packed = $7";
const PACK_EVENTO: &str = "UPDATE eventos SET conteudo = '', context = '', answer = '', packed = 1 \
     WHERE id = $1 AND status = $2 AND updated_at_ms = $3 AND conteudo = $4 AND context = $5 AND answer = $6 AND packed = $7";
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

/// Columns of a flow that are packed.
pub(crate) const FLOW_TEXTS: [&str; 5] = ["component", "digest", "conteudo", "context", "way"];

/// What is packed of a document, as it was read.
pub struct Pack {
    subject: String,
    before: Option<PackedRow>,
    after: PackedRow,
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
}

impl Document {
    /// All but the turns.
    async fn read(conn: &mut Conn, subject: &str) -> DbResult<Document> {
        Ok(Document {
            nota: fetch_optional!(conn, NotaRow, NOTA, subject)?,
            evento: fetch_optional!(conn, EventoRow, EVENTO, subject)?,
            flows: fetch_all!(conn, FlowRow, FLOWS, subject)?,
            turns: Vec::new(),
            artifacts: fetch_all!(conn, ArtifactRow, ARTIFACTS, subject)?,
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
        self.nota.iter().any(|nota| nota.packed == 0)
            || self.evento.iter().any(|evento| evento.packed == 0)
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
    let before = packed::get(conn, subject).await?;
    pack(subject, found, before, until_ms)
}

/// Compresses the texts of a document whose rows are given, and its record where it has one;
/// None as for [`prepare`].
///
/// # Errors
/// A row holds what cannot be read.
pub fn pack(
    subject: &str,
    mut found: Document,
    before: Option<PackedRow>,
    until_ms: i64,
) -> DbResult<Option<Pack>> {
    let Some(account) = found.account() else {
        return Ok(None);
    };
    if !found.is_settled(until_ms) || !found.is_unpacked() || found.flows.len() >= MOST_FLOWS {
        return Ok(None);
    }
    let record = match &before {
        Some(row) => row.near()?,
        None => Record::default(),
    };
    let mut texts = Texts {
        account: account.clone(),
        layout: layout(found.nota.as_ref()),
        record,
    };
    let was = texts.record.len();
    if let Some(nota) = found.nota.as_ref().filter(|nota| nota.packed == 0) {
        texts.columns("note", [&nota.conteudo, &nota.context, &nota.answer]);
    }
    if let Some(evento) = found.evento.as_ref().filter(|evento| evento.packed == 0) {
        texts.columns("event", [&evento.conteudo, &evento.context, &evento.answer]);
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
    let after = texts.packed(subject, kinds, before.as_ref(), found.newest_ms())?;
    // They are in the record, and many documents are in memory at once.
    found.turns = Vec::new();
    Ok(Some(Pack {
        subject: subject.to_owned(),
        texts: texts.record.len().saturating_sub(was),
        before,
        after,
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
    fn set(&mut self, name: String, text: &str) {
        self.record.set(name, text.as_bytes().to_vec());
    }

    fn columns(&mut self, of: &str, texts: [&String; 3]) {
        for (name, text) in packed::COLUMNS.into_iter().zip(texts) {
            self.set(format!("{of}/{name}"), text);
        }
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
            self.set(format!("{place}/{name}"), text);
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
        self.set(format!("{place}/turns"), &json(&steps)?);
        for turn in turns {
            let name = |name: &str| format!("{place}/{}/{name}", turn.step);
            self.set(name("event"), &turn.event);
            self.record.set(name("event_body"), turn.event_body.clone());
            self.set(name("request"), &turn.request);
            self.record
                .set(name("request_body"), turn.request_body.clone());
        }
        Ok(())
    }

    fn artifact(&mut self, artifact: &ArtifactRow) -> DbResult<()> {
        let name = artifacts::named(&artifact.tipo);
        let about = artifacts::About {
            media_type: artifact.media_type.clone(),
            created_at_ms: artifact.created_at_ms,
        };
        self.set(format!("{name}/about"), &json(&about)?);
        self.record.set(name, artifact.bytes.clone());
        Ok(())
    }

    /// The row of the record, read once more: what is not the same again is not written.
    fn packed(
        &self,
        subject: &str,
        kinds: String,
        before: Option<&PackedRow>,
        settled_at_ms: i64,
    ) -> DbResult<PackedRow> {
        let packed = self.record.pack(Dictionaries::shipped(), self.layout);
        let packed = packed.map_err(|error| sqlx::Error::Encode(error.into()))?;
        let after = PackedRow {
            subject_id: subject.to_owned(),
            account_id: self.account.clone(),
            kinds,
            dictionary: i64::from(packed.dictionary),
            place: before.map(|row| row.place.clone()).unwrap_or_default(),
            sha256: before.map(|row| row.sha256.clone()).unwrap_or_default(),
            journal: 1,
            settled_at_ms,
            bytes: packed.bytes,
        };
        if after.near()? != self.record {
            return Err(crate::unreadable("what was packed", subject));
        }
        Ok(after)
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
    let written = match &pack.before {
        Some(before) => packed::replace(conn, before, &pack.after).await?,
        None => packed::insert(conn, &pack.after).await?,
    };
    if !written {
        return Ok(false);
    }
    if let Some(n) = &pack.found.nota {
        let rows = execute!(
            conn,
            PACK_NOTA,
            &n.id,
            n.status,
            n.updated_at_ms,
            &n.conteudo,
            &n.context,
            &n.answer,
            n.packed
        )?;
        if rows != 1 {
            return Ok(false);
        }
    }
    if let Some(e) = &pack.found.evento {
        let rows = execute!(
            conn,
            PACK_EVENTO,
            &e.id,
            e.status,
            e.updated_at_ms,
            &e.conteudo,
            &e.context,
            &e.answer,
            e.packed
        )?;
        if rows != 1 {
            return Ok(false);
        }
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
