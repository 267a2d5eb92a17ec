//! Answers of the calls that issue a note.

use super::product::{Nfce, Nfe};
use super::record::{Existing, Pending, Record, existing, exists, pending};
use super::service::Nfse;
use super::success::{Cost, Success};
use super::transport::{Cte, Mdfe};
use super::{Told, told};
use crate::model::{Ambiente, Model};
use schemars::JsonSchema;
use serde::Serialize;
use store::DbResult;
use store::tables::notas::{NotaRow, NotaStatus};

// A note and what issuing it cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Emissao")]
pub struct Issue<N> {
    #[serde(flatten)]
    nota: N,
    #[serde(flatten)]
    custo: Cost,
}

/// The answer of a note that was issued (200, 201).
pub type IssuedNota<D> = Issue<Existing<D>>;
/// The answer of a note of which nobody knows yet (202).
pub type InTransmission<D> = Issue<Pending<D>>;

/// The answer of an issuing call, as the note is now.
///
/// # Errors
/// What is stored cannot be read.
pub fn issued(nota: &NotaRow, balance: i64) -> DbResult<Told> {
    match nota.modelo {
        Model::Nfse => of::<Nfse>(nota, balance),
        Model::Nfe => of::<Nfe>(nota, balance),
        Model::Nfce => of::<Nfce>(nota, balance),
        Model::Cte => of::<Cte>(nota, balance),
        Model::Mdfe => of::<Mdfe>(nota, balance),
    }
}

fn of<D: Record>(nota: &NotaRow, balance: i64) -> DbResult<Told> {
    let request_id = &nota.request_id;
    if !exists(nota) {
        let body = Issue {
            nota: pending::<D>(nota)?,
            custo: Cost::new(false, nota.preco, 0, balance),
        };
        return told(202, Success::new(body, request_id));
    }
    let new = nota.status == NotaStatus::Authorized;
    // A number of the simulated authorities is not a fiscal one.
    let fiscal = new && nota.ambiente != Ambiente::Simulated;
    let charged = if new { nota.preco } else { 0 };
    let body = Issue {
        nota: existing::<D>(nota)?,
        custo: Cost::new(fiscal, 0, charged, balance),
    };
    told(if new { 201 } else { 200 }, Success::new(body, request_id))
}
