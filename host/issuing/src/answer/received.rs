//! Notes and events of the distribution, as the API shows them.

use super::{ambiente, filled, number};
use serde_json::{Value, json};
use store::tables::recebidas::{RecebidaEventoRow, RecebidaRow};

/// The record of a note issued against a company.
pub fn recebida(row: &RecebidaRow) -> Value {
    json!({
        "recebida_id": row.id, "emitente_id": row.emitter_id, "ambiente": row.ambiente.shown(),
        "simulada": row.simulada == 1, "chave": row.chave, "nsu": row.nsu, "completa": row.completa == 1,
        "situacao": row.situacao,
        "emitente": { "cpf_cnpj": filled(&row.emitente_documento), "nome": filled(&row.emitente_nome) },
        "valor": number(&row.valor), "emitida_em": filled(&row.emitida_em), "protocolo": filled(&row.protocolo),
        "manifestacao": filled(&row.manifestacao), "recebida_em": base::when::rfc3339(row.created_at_ms),
        "links": { "recebida": format!("/api/v1/nfe-entrada/{}?emitente_id={}", row.chave, row.emitter_id) },
    })
}

/// An event that was distributed to a company.
pub fn evento_recebido(row: &RecebidaEventoRow) -> Value {
    json!({
        "emitente_id": row.emitter_id, "ambiente": ambiente(&row.ambiente), "chave": row.chave, "nsu": row.nsu,
        "codigo": row.codigo, "descricao": filled(&row.descricao), "sequencia": row.sequencia,
        "registrado_em": filled(&row.registrado_em), "protocolo": filled(&row.protocolo),
        "recebido_em": base::when::rfc3339(row.created_at_ms),
    })
}
