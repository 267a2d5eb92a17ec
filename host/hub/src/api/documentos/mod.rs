//! /api/v1/documentos

mod delete;
mod get;
mod historico;
mod xml;

use super::Built;
use super::gate::Call;
use crate::db::Conn;
use crate::db::notas::{self, NotaRow};
use crate::errors::{Code, Failure, Refusal};

pub fn built() -> Vec<Built> {
    vec![
        get::built(),
        historico::built(),
        xml::built(),
        delete::built(),
    ]
}

/// The document of a path: by nota_id or chave, with any key of the account.
async fn load(call: &Call, conn: &mut Conn, reference: &str) -> Result<NotaRow, Failure> {
    let nota = notas::by_ref(conn, &call.caller.account_id, reference).await?;
    let nota =
        nota.ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Documento não encontrado."))?;
    call.about(&nota.id);
    Ok(nota)
}
