//! The note that another one replaces.

use crate::document::naming;
use crate::model::Modelo;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfse::dps::Conteudo;
use markup::field::Campos;
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
    conteudo: &mut Conteudo,
    campos: &mut Campos,
) -> Result<Option<NotaRow>, Failure> {
    let Some(substitui) = &mut conteudo.substitui else {
        return Ok(None);
    };
    let Some(reference) = substitui.chave.clone() else {
        campos.add(
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
    let old = old.filter(|old| old.modelo == Modelo::Nfse && old.ambiente == ambiente);
    let Some(old) = old.filter(|old| old.emitter_id == emitter.id) else {
        campos.add(
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
    substitui.chave = Some(old.chave.clone()).filter(|chave| !chave.is_empty());
    substitui.numero_nfse = Some(old.numero_nfse.clone()).filter(|numero| !numero.is_empty());
    substitui.codigo_verificacao =
        Some(old.codigo_verificacao.clone()).filter(|codigo| !codigo.is_empty());
    substitui.rps = Some(naming::identificacao(&old)?);
    Ok(Some(old))
}
