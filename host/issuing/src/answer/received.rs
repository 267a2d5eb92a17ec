//! Notes and events of the distribution, as the API shows them.

use super::{number, text};
use serde_json::{Value, json};
use store::tables::recebidas::{RecebidaEventoRow, RecebidaRow};

/// The record of a note issued against a company.
pub fn recebida(row: &RecebidaRow) -> Value {
    json!({
        "recebida_id": row.id, "emitente_id": row.emitter_id, "ambiente": row.ambiente.shown(),
        "simulada": row.simulada == 1, "chave": row.chave, "nsu": row.nsu, "completa": row.completa == 1,
        "situacao": row.situacao,
        "emitente": { "cpf_cnpj": text(&row.emitente_documento), "nome": text(&row.emitente_nome) },
        "valor": number(&row.valor), "emitida_em": text(&row.emitida_em), "protocolo": text(&row.protocolo),
        "manifestacao": row.manifestacao.0, "recebida_em": base::when::rfc3339(row.created_at_ms),
        "links": { "recebida": format!("/api/v1/nfe-entrada/{}?emitente_id={}", row.chave, row.emitter_id) },
    })
}

/// An event that was distributed to a company.
pub fn evento_recebido(row: &RecebidaEventoRow) -> Value {
    json!({
        "emitente_id": row.emitter_id, "ambiente": row.ambiente.shown(), "chave": row.chave, "nsu": row.nsu,
        "codigo": row.codigo, "descricao": text(&row.descricao), "sequencia": row.sequencia,
        "registrado_em": text(&row.registrado_em), "protocolo": text(&row.protocolo),
        "recebido_em": base::when::rfc3339(row.created_at_ms),
    })
}
