//! Notes and events of the distribution, as the API shows them.

use super::record::{NotaAmbiente, filled};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use store::ids::{EmitterId, RecebidaId};
use store::tables::recebidas::{Manifested, ReceivedEventRow, ReceivedNotaRow, ReceivedNotaStatus};

/// Uma NF-e emitida contra uma empresa da conta.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Recebida")]
pub struct ReceivedNota {
    /// O id da nota recebida.
    pub id: RecebidaId,
    /// O mesmo que `id`.
    pub recebida_id: RecebidaId,
    /// A empresa da conta que a recebeu.
    pub emitente_id: EmitterId,
    pub ambiente: NotaAmbiente,
    /// A autoridade é simulada.
    pub simulada: bool,
    pub chave: String,
    /// O NSU da distribuição.
    pub nsu: i64,
    /// `false`: só o resumo chegou.
    pub completa: bool,
    pub situacao: ReceivedNotaStatus,
    pub emitente: ReceivedIssuer,
    /// Valor da nota; `null` se o documento não traz um número.
    pub valor: Option<Number>,
    pub emitida_em: Option<String>,
    pub protocolo: Option<String>,
    /// A última manifestação que o hub registrou.
    pub manifestacao: Option<Manifested>,
    /// Quando o hub a recebeu.
    pub recebida_em: String,
    pub links: ReceivedLinks,
}

/// Quem emitiu uma nota recebida.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EmitenteRecebida")]
pub struct ReceivedIssuer {
    pub cpf_cnpj: Option<String>,
    pub nome: Option<String>,
}

impl ReceivedIssuer {
    /// Who issued a received note.
    fn of(row: &ReceivedNotaRow) -> ReceivedIssuer {
        ReceivedIssuer {
            cpf_cnpj: filled(&row.emitente_documento),
            nome: filled(&row.emitente_nome),
        }
    }
}

/// Onde está uma nota recebida, relativo ao endereço da API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LinksRecebida")]
pub struct ReceivedLinks {
    pub recebida: String,
}

/// Um evento distribuído a uma empresa da conta.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EventoRecebido")]
pub struct ReceivedEvent {
    /// A empresa da conta que o recebeu.
    pub emitente_id: EmitterId,
    pub ambiente: NotaAmbiente,
    pub chave: String,
    /// O NSU da distribuição.
    pub nsu: i64,
    /// O `tpEvento` do leiaute.
    pub codigo: String,
    pub descricao: Option<String>,
    pub sequencia: i64,
    /// Quando a autoridade o registrou.
    pub registrado_em: Option<String>,
    pub protocolo: Option<String>,
    /// Quando o hub o recebeu.
    pub recebido_em: String,
}

/// The record of a note issued against a company.
pub fn received(row: &ReceivedNotaRow) -> ReceivedNota {
    let link = format!(
        "/api/v1/nfe-entrada/{}?emitente_id={}",
        row.chave, row.emitter_id
    );
    ReceivedNota {
        id: row.id.clone(),
        recebida_id: row.id.clone(),
        emitente_id: row.emitter_id.clone(),
        ambiente: NotaAmbiente::of(row.ambiente),
        simulada: row.simulada == 1,
        chave: row.chave.clone(),
        nsu: row.nsu,
        completa: row.completa == 1,
        situacao: row.situacao,
        emitente: ReceivedIssuer::of(row),
        // The text of whoever issued the note: not of this hub, so it may be
        // no number.
        valor: row.valor.parse().ok(),
        emitida_em: filled(&row.emitida_em),
        protocolo: filled(&row.protocolo),
        manifestacao: row.manifestacao.0,
        recebida_em: base::when::rfc3339(row.created_at_ms),
        links: ReceivedLinks { recebida: link },
    }
}

/// An event that was distributed to a company.
pub fn received_event(row: &ReceivedEventRow) -> ReceivedEvent {
    ReceivedEvent {
        emitente_id: row.emitter_id.clone(),
        ambiente: NotaAmbiente::of(row.ambiente),
        chave: row.chave.clone(),
        nsu: row.nsu,
        codigo: row.codigo.clone(),
        descricao: filled(&row.descricao),
        sequencia: row.sequencia,
        registrado_em: filled(&row.registrado_em),
        protocolo: filled(&row.protocolo),
        recebido_em: base::when::rfc3339(row.created_at_ms),
    }
}
