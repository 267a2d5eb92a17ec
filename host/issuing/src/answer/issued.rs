//! Answers of the calls that issue a note.

use super::product::{Nfce, Nfe};
use super::record::{Existente, Pendente, Registro, existente, exists, pendente};
use super::service::Nfse;
use super::success::{Custo, Success};
use super::{Told, told};
use crate::model::{Ambiente, Modelo};
use schemars::JsonSchema;
use serde::Serialize;
use store::DbResult;
use store::tables::notas::{NotaRow, NotaStatus};

// A note and what issuing it cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Emissao<N> {
    #[serde(flatten)]
    nota: N,
    #[serde(flatten)]
    custo: Custo,
}

/// The answer of a note that was issued (200, 201).
pub type Emitida<D> = Emissao<Existente<D>>;
/// The answer of a note of which nobody knows yet (202).
pub type EmTransmissao<D> = Emissao<Pendente<D>>;

/// The answer of an issuing call, as the note is now.
///
/// # Errors
/// What is stored cannot be read.
pub fn issued(nota: &NotaRow, saldo: i64) -> DbResult<Told> {
    match nota.modelo {
        Modelo::Nfse => of::<Nfse>(nota, saldo),
        Modelo::Nfe => of::<Nfe>(nota, saldo),
        Modelo::Nfce => of::<Nfce>(nota, saldo),
    }
}

fn of<D: Registro>(nota: &NotaRow, saldo: i64) -> DbResult<Told> {
    let request_id = &nota.request_id;
    if !exists(nota) {
        let body = Emissao {
            nota: pendente::<D>(nota)?,
            custo: Custo::new(false, nota.preco, 0, saldo),
        };
        return told(202, Success::new(body, request_id));
    }
    let new = nota.status == NotaStatus::Autorizada;
    // A number of the simulated authorities is not a fiscal one.
    let fiscal = new && nota.ambiente != Ambiente::Simulado;
    let charged = if new { nota.preco } else { 0 };
    let body = Emissao {
        nota: existente::<D>(nota)?,
        custo: Custo::new(fiscal, 0, charged, saldo),
    };
    told(if new { 201 } else { 200 }, Success::new(body, request_id))
}
