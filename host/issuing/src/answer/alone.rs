//! Answers of calls about documents that are none of our notes: a voided range
//! of numbers, or a manifestation on a note of somebody else.

use super::event::{SefazRecord, TransmittedEvent, cost, open, status};
use super::outcome::EventResult;
use super::record::{filled, read};
use super::success::{Cost, Success};
use super::{Told, told};
use crate::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::DbResult;
use store::ids::EventoId;
use store::tables::eventos::{EventKind, EventoRow};

/// Uma faixa de números, e o que inutilizá-la custou.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Inutilizacao")]
pub struct Voiding<F> {
    faixa: F,
    /// O id da inutilização.
    id: EventoId,
    /// O mesmo que `id`.
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Cost,
}

/// O que se pediu inutilizar.
// Column `detalhes` of the row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FaixaPedida")]
pub struct RequestedRange {
    pub modelo: Model,
    /// Dois dígitos.
    pub ano: u8,
    pub serie: u16,
    pub numero_inicial: u32,
    pub numero_final: u32,
    pub justificativa: String,
}

/// Uma faixa de números ainda sem resposta da SEFAZ.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FaixaTransmitida")]
pub struct SentRange {
    #[serde(flatten)]
    faixa: RequestedRange,
    tipo: EventKind,
    status: RangeStatus,
    protocolo: Option<String>,
}

/// Uma faixa de números inutilizada.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FaixaInutilizada")]
pub struct VoidedRange {
    #[serde(flatten)]
    faixa: SentRange,
    #[serde(flatten)]
    registro: SefazRecord,
}

/// O que se sabe de uma faixa de números.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusDaFaixa")]
#[serde(rename_all = "snake_case")]
enum RangeStatus {
    EmTransmissao,
    Inutilizada,
}

/// Uma manifestação, e o que custou.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Manifestacao")]
pub struct Manifestation<E> {
    /// A chave da nota.
    chave: Option<String>,
    evento: E,
    /// O id da manifestação.
    id: EventoId,
    /// O mesmo que `id`.
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Cost,
}

/// Uma manifestação ainda sem resposta.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ManifestacaoTransmitida")]
pub struct TransmittedManifestation {
    #[serde(flatten)]
    evento: TransmittedEvent,
    #[serde(flatten)]
    pedida: RequestedManifestation,
}

/// Uma manifestação registrada.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ManifestacaoRegistrada")]
pub struct RegisteredManifestation {
    #[serde(flatten)]
    evento: TransmittedManifestation,
    /// Ausente se a resposta que o dizia se perdeu.
    #[serde(skip_serializing_if = "Option::is_none")]
    registrado_em: Option<String>,
    /// Código (cStat) da resposta.
    status_sefaz: Option<String>,
    /// Texto (xMotivo) da resposta.
    mensagem_sefaz: Option<String>,
}

/// O que se disse da nota.
// Column `detalhes` of the row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ManifestacaoPedida")]
pub struct RequestedManifestation {
    /// `ciencia`, `confirmacao`, `desconhecimento` ou `nao_realizada`.
    pub manifestacao: String,
    pub justificativa: Option<String>,
}

/// The answer of a voided range.
fn range(evento: &EventoRow, balance: i64) -> DbResult<Told> {
    let of = |status| -> DbResult<SentRange> {
        Ok(SentRange {
            faixa: read(&evento.detalhes)?,
            tipo: evento.tipo,
            status,
            protocolo: filled(&evento.protocolo),
        })
    };
    if open(evento) {
        return voided(of(RangeStatus::EmTransmissao)?, evento, balance);
    }
    let range = VoidedRange {
        faixa: of(RangeStatus::Inutilizada)?,
        registro: SefazRecord::of(evento)?,
    };
    voided(range, evento, balance)
}

fn voided<F: Serialize>(range: F, evento: &EventoRow, balance: i64) -> DbResult<Told> {
    let body = Voiding {
        faixa: range,
        id: evento.id.clone(),
        evento_id: evento.id.clone(),
        custo: cost(evento, balance),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}

/// The answer of a voided range or of a manifestation.
///
/// # Errors
/// What is stored cannot be read.
pub fn event_alone(evento: &EventoRow, balance: i64) -> DbResult<Told> {
    if evento.tipo == EventKind::Voiding {
        return range(evento, balance);
    }
    let transmitted = TransmittedManifestation {
        evento: evento.into(),
        pedida: read(&evento.detalhes)?,
    };
    if open(evento) {
        return said(transmitted, evento, balance);
    }
    let result = EventResult::of(evento)?;
    let registered = RegisteredManifestation {
        evento: transmitted,
        registrado_em: result.registrado_em,
        status_sefaz: result.status_sefaz,
        mensagem_sefaz: result.mensagem_sefaz,
    };
    said(registered, evento, balance)
}

fn said<E: Serialize>(shown: E, evento: &EventoRow, balance: i64) -> DbResult<Told> {
    let body = Manifestation {
        chave: filled(&evento.chave),
        evento: shown,
        id: evento.id.clone(),
        evento_id: evento.id.clone(),
        custo: cost(evento, balance),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}
