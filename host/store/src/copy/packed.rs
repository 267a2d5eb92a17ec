//! Rows of notes as packing leaves them, before they are written: most of a large store is
//! packed, and its disk need not hold the texts first (`hub load fill`).

use super::rows::{Named, Placed, Row, Value};
use super::schema::Table;
use crate::tables::artifacts::ArtifactRow;
use crate::tables::eventos::EventoRow;
use crate::tables::flows::{FlowRow, TurnRow};
use crate::tables::notas::NotaRow;
use crate::tables::outbox::ToldRow;
use crate::tables::packed::{PackedRow, WITH_ROW};
use crate::tables::packed_certificates;
use crate::tables::packs::{self, Document, Pack};
use crate::tables::texts::{COLUMNS, EVENT_ROW, FLOW_TEXTS, NOTE_ROW};
use crate::{Conn, DbResult, Present as _, contradiction};
use packing::{Certificate, CertificateId};
use std::collections::{BTreeMap, HashMap, HashSet};

const RECORDS: &str = "packed_records";

/// Rows as packing leaves them.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedRows {
    pub rows: Vec<Placed>,
    /// Those that their records name; they are kept before the rows.
    pub certificates: Vec<Certificate>,
}

/// Certificates that are kept already.
#[derive(Default)]
pub struct Certificates(HashSet<CertificateId>);

impl Certificates {
    /// Keeps those that the records of these rows name.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep(&mut self, conn: &mut Conn, all: &[PackedRows]) -> DbResult<()> {
        let named = all.iter().flat_map(|rows| &rows.certificates);
        let new = named.filter(|one| self.0.insert(one.id()));
        let new: Vec<Certificate> = new.cloned().collect();
        packed_certificates::keep(conn, &new).await
    }
}

/// The same rows, where the texts of documents that are settled and did not change after
/// `until_ms` are in their records. The rows are all those of their documents. Records are
/// read back where `read_back` says so: the texts are those of copies, so some will do.
///
/// # Errors
/// A row holds what its table cannot have, or the tables are not those of this program.
pub fn packed(
    tables: &[Table],
    rows: Vec<Placed>,
    until_ms: i64,
    read_back: bool,
) -> DbResult<PackedRows> {
    let mut packs = BTreeMap::new();
    for (subject, document) in documents(tables, &rows)? {
        if let Some(pack) = packs::pack(&subject, document, None, until_ms, read_back)? {
            packs.insert(subject, pack);
        }
    }
    let flows = packs.values().flat_map(Pack::flows);
    let flows: HashMap<String, i64> = flows.map(|(flow, at)| (flow.id.to_string(), at)).collect();
    let mut left = Vec::with_capacity(rows.len());
    for mut placed in rows {
        let named = Named::of(tables, &placed)?;
        let is_packed = |column| Ok::<_, sqlx::Error>(packs.contains_key(named.text(column)?));
        let (texts, place) = match named.table.name.as_str() {
            "notas" if is_packed("id")? => (of_nota(named)?, WITH_ROW),
            "eventos" if is_packed("id")? => (of_evento(named)?, WITH_ROW),
            "flows" => match flows.get(named.text("id")?) {
                Some(place) => (FLOW_TEXTS.to_vec(), *place),
                None => (Vec::new(), 0),
            },
            "flow_turns" if flows.contains_key(named.text("flow_id")?) => continue,
            "artifacts" if is_packed("subject_id")? => continue,
            _ => (Vec::new(), 0),
        };
        if place != 0 {
            let table = &tables[placed.0];
            for text in texts {
                set(table, &mut placed.1, text, Value::Text(String::new()))?;
            }
            set(table, &mut placed.1, "packed", Value::Integer(place))?;
        }
        left.push(placed);
    }
    let place = tables.iter().position(|table| table.name == RECORDS);
    let place = place.present("table", RECORDS)?;
    let mut certificates = Vec::new();
    for pack in packs.values() {
        left.push((place, record(&tables[place], pack.record())?));
        certificates.extend_from_slice(pack.certificates());
    }
    Ok(PackedRows {
        rows: left,
        certificates,
    })
}

/// The columns that packing takes out of the row of a note.
fn of_nota(row: Named<'_>) -> DbResult<Vec<&'static str>> {
    let nota = row.read::<NotaRow>()?;
    let mut columns = [&COLUMNS[..], &NOTE_ROW].concat();
    columns.retain(|column| !nota.stays(column));
    if row.text("busca")? == nota.found_without() {
        columns.push("busca");
    }
    Ok(columns)
}

/// The same of an event.
fn of_evento(row: Named<'_>) -> DbResult<Vec<&'static str>> {
    let evento = row.read::<EventoRow>()?;
    let mut columns = [&COLUMNS[..], &EVENT_ROW].concat();
    columns.retain(|column| !evento.stays(column));
    Ok(columns)
}

/// The documents that packing would find: those of a flow or an artifact.
fn documents(tables: &[Table], rows: &[Placed]) -> DbResult<BTreeMap<String, Document>> {
    let mut documents: BTreeMap<String, Document> = BTreeMap::new();
    let mut turns: Vec<TurnRow> = Vec::new();
    for placed in rows {
        let row = Named::of(tables, placed)?;
        let subject = match row.table.name.as_str() {
            "notas" | "eventos" => row.text("id")?,
            "flows" | "artifacts" | "outbox" => row.text("subject_id")?,
            "flow_turns" => {
                turns.push(row.read()?);
                continue;
            }
            _ => continue,
        };
        let document = documents.entry(subject.to_owned()).or_default();
        match row.table.name.as_str() {
            "notas" => document.nota = Some(row.read::<NotaRow>()?),
            "eventos" => document.evento = Some(row.read::<EventoRow>()?),
            "flows" => document.flows.push(row.read::<FlowRow>()?),
            "outbox" => document.told.push(row.read::<ToldRow>()?),
            _ => document.artifacts.push(row.read::<ArtifactRow>()?),
        }
    }
    turns.sort_by_key(|turn| turn.step);
    for document in documents.values_mut() {
        let flows = &mut document.flows;
        flows.sort_by(|one, other| one.id.as_str().cmp(other.id.as_str()));
        document
            .artifacts
            .sort_by(|one, other| one.tipo.cmp(&other.tipo));
        let is_own = |turn: &TurnRow| flows.iter().any(|flow| flow.id == turn.flow_id);
        let (own, others) = turns.into_iter().partition(is_own);
        (document.turns, turns) = (own, others);
    }
    documents.retain(|_, document| !document.flows.is_empty() || !document.artifacts.is_empty());
    Ok(documents)
}

fn set(table: &Table, row: &mut Row, column: &str, value: Value) -> DbResult<()> {
    let place = table.place(column).present("column", column)?;
    *row.get_mut(place).present("column", column)? = value;
    Ok(())
}

/// A row of the table of records.
fn record(table: &Table, packed: &PackedRow) -> DbResult<Row> {
    let values = table.columns.iter().map(|column| {
        Ok(match column.name.as_str() {
            "subject_id" => Value::Text(packed.subject_id.clone()),
            "account_id" => Value::Text(packed.account_id.to_string()),
            "kinds" => Value::Text(packed.kinds.clone()),
            "dictionary" => Value::Integer(packed.dictionary),
            "place" => Value::Text(packed.place.clone()),
            "sha256" => Value::Text(packed.sha256.clone()),
            "journal" => Value::Integer(packed.journal),
            "settled_at_ms" => Value::Integer(packed.settled_at_ms),
            "bytes" => Value::Blob(packed.bytes.clone()),
            // A later migration's: it belongs here, too.
            other => return Err(contradiction("a column of packed_records", other)),
        })
    });
    values.collect()
}
