//! What the layout in force says of kept events, one by one and together, and
//! their signatures.

use super::MAX_ERRORS;
use crate::actions::event::VER_APLIC;
use authority::customer::IssuingCustomer;
use dere::batch::{self, Member};
use dere::catalogue::{Kind, Named, named};
use dere::event::{Draft, Order, draft, judge};
use dere::period::Period;
use flow::contract::{SignError, signer};
use markup::field::Field;
use serde::Serialize;
use serde_json::{Map, Value};
use store::ids::{DereBatchId, DereEventId};
use store::tables::dere::{DereEventRow, DereEventStatus};
use store::words::Ambiente;
use store::{Readable as _, stored};

/// An event in the JSON of its batch.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub evento_id: DereEventId,
    pub tipo: String,
    pub periodo: String,
    pub status: DereEventStatus,
    pub assinado: bool,
    pub erros: Vec<Field>,
}

impl Entry {
    /// As the event was when it came into its batch.
    pub fn unjudged(row: &DereEventRow) -> Entry {
        Entry {
            evento_id: row.id.clone(),
            tipo: row.tipo.clone(),
            periodo: row.periodo.clone(),
            status: row.status,
            assinado: row.assinado == 1,
            erros: Vec::new(),
        }
    }
}

/// The events of a batch as they were judged, in their order.
pub struct Judged {
    /// What is to be written: not those that have gone to another batch.
    pub rows: Vec<DereEventRow>,
    pub entries: Vec<Entry>,
}

impl Judged {
    /// Whether nothing is wrong with any of them.
    pub fn accepted(&self) -> bool {
        self.entries.iter().all(|entry| entry.erros.is_empty())
    }
}

/// Writes each event anew by the layout in force, signs it, and judges it alone
/// and beside the others.
///
/// # Errors
/// A row is damaged, or the certificate cannot sign.
pub fn judge_all(
    events: Vec<DereEventRow>,
    of: &DereBatchId,
    customer: &IssuingCustomer,
) -> anyhow::Result<Judged> {
    let mut found = Vec::with_capacity(events.len());
    for mut row in events {
        let mut faults = judge_one(&mut row, customer)?;
        row.leiaute = dere::LAYOUT.to_owned();
        row.erros = errors(faults.clone())?;
        row.status = status(&faults);
        let stays = row.batch_id.as_ref().is_some_and(|own| own == of);
        if !stays {
            faults.push(elsewhere(row.batch_id.as_ref()));
        }
        found.push((row, faults, stays));
    }
    let members: Vec<Option<Member>> = found
        .iter()
        .map(|(row, _, _)| Member::of(known(row)?, &row.xml))
        .collect();
    let mut judged = Judged {
        rows: Vec::new(),
        entries: Vec::new(),
    };
    for ((row, mut faults, stays), beside) in found.into_iter().zip(batch::between(&members)) {
        faults.extend(beside);
        judged.entries.push(Entry {
            status: status(&faults),
            erros: first(faults),
            ..Entry::unjudged(&row)
        });
        if stays {
            judged.rows.push(row);
        }
    }
    Ok(judged)
}

/// An event that its batch no longer has.
fn elsewhere(batch: Option<&DereBatchId>) -> Field {
    let batch = batch.map_or("", |batch| batch.as_str());
    Field {
        campo: "evento_id".to_owned(),
        codigo: "em_outro_lote".to_owned(),
        mensagem: format!("O evento foi para o lote {batch}."),
        correcao: "Veja o resultado dele naquele lote.".to_owned(),
        valor: None,
    }
}

fn judge_one(row: &mut DereEventRow, customer: &IssuingCustomer) -> anyhow::Result<Vec<Field>> {
    let Draft { xml, faults } = drafted(row)?;
    row.assinado = 0;
    row.xml = xml.unwrap_or_default();
    let Some(kind) = known(row).filter(|_| faults.is_empty()) else {
        return Ok(faults);
    };
    match customer.sign(&row.xml, &row.chave, &options()) {
        Ok(signed) => {
            row.xml = signed;
            row.assinado = 1;
            Ok(judge(kind, &row.xml, true))
        }
        // It stays unsigned, and its state says so.
        Err(SignError::NoCertificate | SignError::Expired) => Ok(Vec::new()),
        Err(error) => Err(anyhow::anyhow!("event {}: {error:?}", row.id)),
    }
}

/// Developers' manual 1.0.2: each event is signed alone, enveloped, RSA with
/// SHA-256, C14N 1.0, with the certificate of the company alone.
fn options() -> signer::Options {
    signer::Options {
        algorithm: signer::Algorithm::RsaSha256,
        canonicalization: signer::Canonicalization::C14n,
        placement: signer::Placement::LastChildOfRoot,
        id_attribute: "id".to_owned(),
        include_chain: false,
        empty_uri: false,
    }
}

/// The document of a kept event, from what the customer said.
///
/// # Errors
/// The row is damaged.
pub fn drafted(row: &DereEventRow) -> anyhow::Result<Draft> {
    let data: Map<String, Value> = stored(&row.dados, "data of an event", &row.id)?;
    let kind = known(row).readable("kind of an event", &row.id)?;
    let period = Period::parse(&row.periodo).readable("period of an event", &row.id)?;
    Ok(draft(&Order {
        kind,
        id: &row.chave,
        base: &row.inscricao,
        production: row.ambiente == Ambiente::Production,
        period: &period,
        program: VER_APLIC,
        data: &data,
    }))
}

fn known(row: &DereEventRow) -> Option<&'static Kind> {
    match named(&row.tipo) {
        Named::Known(kind) => Some(kind),
        Named::Preview(_) | Named::Unknown => None,
    }
}

fn status(faults: &[Field]) -> DereEventStatus {
    if faults.is_empty() {
        DereEventStatus::Valid
    } else {
        DereEventStatus::Invalid
    }
}

/// What is kept of the faults of an event, as JSON.
///
/// # Errors
/// None in practice: it is plain JSON.
pub fn errors(faults: Vec<Field>) -> serde_json::Result<String> {
    serde_json::to_string(&first(faults))
}

fn first(mut faults: Vec<Field>) -> Vec<Field> {
    faults.truncate(MAX_ERRORS);
    faults
}
