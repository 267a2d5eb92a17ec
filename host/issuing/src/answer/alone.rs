//! Answers of calls about documents that are none of our notes: a voided range
//! of numbers, or a manifestation on a note of somebody else.

use super::event::{EventoTransmitido, RegistroNaSefaz, custo, open, status};
use super::outcome::Resultado;
use super::record::{filled, read};
use super::success::{Custo, Success};
use super::{Told, told};
use crate::model::Modelo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::DbResult;
use store::ids::EventoId;
use store::tables::eventos::{EventoRow, EventoTipo};

/// Uma faixa de números, e o que inutilizá-la custou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Inutilizacao<F> {
    faixa: F,
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Custo,
}

/// O que se pediu inutilizar.
// Column `detalhes` of the row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FaixaPedida {
    pub modelo: Modelo,
    /// Dois dígitos.
    pub ano: u8,
    pub serie: u16,
    pub numero_inicial: u32,
    pub numero_final: u32,
    pub justificativa: String,
}

/// Uma faixa de números ainda sem resposta da SEFAZ.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaixaTransmitida {
    #[serde(flatten)]
    faixa: FaixaPedida,
    tipo: EventoTipo,
    status: StatusDaFaixa,
    protocolo: Option<String>,
}

/// Uma faixa de números inutilizada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaixaInutilizada {
    #[serde(flatten)]
    faixa: FaixaTransmitida,
    #[serde(flatten)]
    registro: RegistroNaSefaz,
}

/// O que se sabe de uma faixa de números.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StatusDaFaixa {
    EmTransmissao,
    Inutilizada,
}

/// Uma manifestação, e o que custou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Manifestacao<E> {
    /// A chave da nota.
    chave: Option<String>,
    evento: E,
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Custo,
}

/// Uma manifestação ainda sem resposta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ManifestacaoTransmitida {
    #[serde(flatten)]
    evento: EventoTransmitido,
    #[serde(flatten)]
    pedida: ManifestacaoPedida,
}

/// Uma manifestação registrada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ManifestacaoRegistrada {
    #[serde(flatten)]
    evento: ManifestacaoTransmitida,
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
pub struct ManifestacaoPedida {
    /// `ciencia`, `confirmacao`, `desconhecimento` ou `nao_realizada`.
    pub manifestacao: String,
    pub justificativa: Option<String>,
}

/// The answer of a voided range.
fn range(evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    let of = |status| -> DbResult<FaixaTransmitida> {
        Ok(FaixaTransmitida {
            faixa: read(&evento.detalhes)?,
            tipo: evento.tipo,
            status,
            protocolo: filled(&evento.protocolo),
        })
    };
    if open(evento) {
        return voided(of(StatusDaFaixa::EmTransmissao)?, evento, saldo);
    }
    let faixa = FaixaInutilizada {
        faixa: of(StatusDaFaixa::Inutilizada)?,
        registro: RegistroNaSefaz::of(evento)?,
    };
    voided(faixa, evento, saldo)
}

fn voided<F: Serialize>(faixa: F, evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    let body = Inutilizacao {
        faixa,
        evento_id: evento.id.clone(),
        custo: custo(evento, saldo),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}

/// The answer of a voided range or of a manifestation.
///
/// # Errors
/// What is stored cannot be read.
pub fn event_alone(evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    if evento.tipo == EventoTipo::Inutilizacao {
        return range(evento, saldo);
    }
    let transmitida = ManifestacaoTransmitida {
        evento: evento.into(),
        pedida: read(&evento.detalhes)?,
    };
    if open(evento) {
        return said(transmitida, evento, saldo);
    }
    let resultado = Resultado::of(evento)?;
    let registrada = ManifestacaoRegistrada {
        evento: transmitida,
        registrado_em: resultado.registrado_em,
        status_sefaz: resultado.status_sefaz,
        mensagem_sefaz: resultado.mensagem_sefaz,
    };
    said(registrada, evento, saldo)
}

fn said<E: Serialize>(shown: E, evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    let body = Manifestacao {
        chave: filled(&evento.chave),
        evento: shown,
        evento_id: evento.id.clone(),
        custo: custo(evento, saldo),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}
