//! /api/v1/nfse

pub mod cancelar;
pub mod cobertura;
pub mod create;
pub mod criar;
pub mod documento;
pub mod emitir;
pub mod exigencias;
pub mod list;
mod measurement;
pub mod municipality;
mod provedor;
pub mod roteamento;
pub mod status;
pub mod substituir;

use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Built;
use store::tables::notas::{self, NotaRow};
use store::words::{Ambiente, Model};

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        criar::built(),
        emitir::built(),
        substituir::built(),
        roteamento::built(),
        cobertura::built(),
        provedor::built(),
        cancelar::built(),
        status::built(),
        list::built(),
        documento::built(),
        exigencias::built(),
    ]
}

/// The note to act on: by nota_id or chave, made with this kind of key.
///
/// # Errors
/// 404 for anything else.
async fn nota(call: &Call, reference: &str) -> Result<NotaRow, Failure> {
    let mut conn = call.app.db.read().await?;
    let caller = &call.caller;
    let nota = notas::by_ref(&mut conn, &caller.account_id, reference, caller.unseen()).await?;
    let nota = nota
        .filter(|nota| nota.modelo == Model::Nfse)
        // No city, not even its homologation, is asked with a test key.
        .filter(|nota| caller.is_test() == (nota.ambiente == Ambiente::Simulated))
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado))?;
    call.about(&nota.id);
    Ok(nota)
}
