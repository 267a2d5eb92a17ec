//! The record of a service note.

use super::record::{Header, OtherParty, Record, Rejection, amount, filled, read, rejection};
use base::when;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;
use store::DbResult;
use store::ids::NotaId;
use store::tables::notas::{NotaRow, NotaStatus, Via};

/// Uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Nfse {
    #[serde(flatten)]
    cabecalho: Header,
    /// `null` enquanto é um rascunho, que não toma número.
    rps: Option<Rps>,
    data_competencia: Option<String>,
    tomador: OtherParty,
    /// Valor do serviço, em R$.
    valor_total: Option<Number>,
    /// Código do IBGE.
    codigo_municipio: Option<String>,
    /// Por que tipo de sistema ela segue.
    via_utilizada: Via,
    /// O sistema que a recebe.
    provedor: Option<String>,
    numero_nfse: Option<String>,
    codigo_verificacao: Option<String>,
    chave: Option<String>,
    protocolo: Option<String>,
    url_consulta: Option<String>,
    autorizada_em: Option<String>,
    /// Valores como a autoridade os informou, pelo nome: `base_calculo`,
    /// `aliquota`, `iss`, `liquido` e outros que o leiaute dela tem.
    totais: Option<BTreeMap<String, Number>>,
    /// A nota que esta substitui.
    #[serde(skip_serializing_if = "Option::is_none")]
    substitui: Option<NotaId>,
}

/// Identificação do RPS ou da DPS.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rps {
    serie: String,
    numero: i64,
}

// What is shown of a service note in a queue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NaFila")]
pub struct Queued {
    /// Quando a prefeitura será consultada de novo.
    #[serde(skip_serializing_if = "Option::is_none")]
    proxima_consulta_em: Option<String>,
}

// What is shown of a service note's state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EstadoNfse")]
pub struct NfseState {
    #[serde(flatten)]
    espera: Queued,
    /// Por que foi rejeitada.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejeicao: Option<Option<Rejection>>,
    /// A nota que substituiu esta.
    #[serde(skip_serializing_if = "Option::is_none")]
    substituida_por: Option<NotaId>,
}

// Addresses of a service note's files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivosNfse {
    xml: String,
    pdf: String,
}

impl Record for Nfse {
    type Wait = Queued;
    type State = NfseState;
    type Arquivos = ArquivosNfse;

    fn of(nota: &NotaRow) -> DbResult<Nfse> {
        Ok(Nfse {
            cabecalho: nota.into(),
            rps: (nota.numero > 0).then(|| Rps {
                serie: nota.serie.clone(),
                numero: nota.numero,
            }),
            data_competencia: filled(&nota.competencia),
            tomador: nota.into(),
            valor_total: amount(&nota.valor)?,
            codigo_municipio: filled(&nota.municipio),
            via_utilizada: nota.via,
            provedor: filled(&nota.sistema),
            numero_nfse: filled(&nota.numero_nfse),
            codigo_verificacao: filled(&nota.codigo_verificacao),
            chave: filled(&nota.chave),
            protocolo: filled(&nota.protocolo),
            url_consulta: filled(&nota.url_consulta),
            autorizada_em: filled(&nota.autorizada_em),
            totais: read(&nota.valores)?,
            substitui: nota.substitui_id.0.clone(),
        })
    }

    fn wait(nota: &NotaRow) -> DbResult<Queued> {
        let waits = nota.status == NotaStatus::PendingCity && nota.next_check_ms > 0;
        Ok(Queued {
            proxima_consulta_em: waits.then(|| when::rfc3339(nota.next_check_ms)),
        })
    }

    fn state(nota: &NotaRow) -> DbResult<NfseState> {
        Ok(NfseState {
            espera: Self::wait(nota)?,
            rejeicao: rejection(nota)?,
            substituida_por: nota.substituida_por.0.clone(),
        })
    }

    fn arquivos(id: &NotaId) -> ArquivosNfse {
        let link = |formato| format!("/api/v1/nfse/{id}/documento?formato={formato}");
        ArquivosNfse {
            xml: link("xml"),
            pdf: link("pdf"),
        }
    }
}
