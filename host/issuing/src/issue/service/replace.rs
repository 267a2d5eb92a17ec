//! The note that another one replaces.

use crate::document::naming;
use crate::model::Model;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfse::dps::Content;
use markup::field::Fields;
use store::Conn;
use store::tables::emitters::EmitterRow;
use store::tables::notas::{self, NotaRow};

/// Completes `substitui` with what we know of the old note.
///
/// # Errors
/// 409 when the old note is not one that can be replaced.
pub async fn replaced(
    conn: &mut Conn,
    caller: &Caller,
    emitter: &EmitterRow,
    content: &mut Content,
    fields: &mut Fields,
) -> Result<Option<NotaRow>, Failure> {
    let Some(replaces) = &mut content.substitui else {
        return Ok(None);
    };
    let Some(reference) = replaces.chave.clone() else {
        fields.add(
            "substitui.chave",
            "obrigatorio",
            "Falta a nota a substituir.",
            "Informe a chave ou o nota_id.",
        );
        return Ok(None);
    };
    let old = notas::by_ref(conn, &caller.account_id, &reference, caller.unseen()).await?;
    // What one environment has another cannot replace.
    let ambiente = super::ambiente(caller, emitter);
    let old = old.filter(|old| old.modelo == Model::Nfse && old.ambiente == ambiente);
    let Some(old) = old.filter(|old| old.emitter_id == emitter.id) else {
        fields.add(
            "substitui.chave",
            "nao_encontrado",
            "A nota a substituir não existe neste emitente.",
            "Informe a chave ou o nota_id de uma nota autorizada.",
        );
        return Ok(None);
    };
    if !old.is_valid() {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "A nota a substituir está {}.",
                old.status.in_words()
            ))
            .nota(&old.id)
            .into());
    }
    replaces.chave = Some(old.chave.clone()).filter(|chave| !chave.is_empty());
    replaces.numero_nfse = Some(old.numero_nfse.clone()).filter(|number| !number.is_empty());
    replaces.codigo_verificacao =
        Some(old.codigo_verificacao.clone()).filter(|codigo| !codigo.is_empty());
    replaces.rps = Some(naming::identification(&old)?);
    Ok(Some(old))
}
