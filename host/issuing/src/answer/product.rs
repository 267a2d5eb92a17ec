//! The records of an NF-e and of an NFC-e.

use super::money::Reais;
use super::record::{
    Header, OtherParty, Record, Registered, Rejection, amount, filled, registered, rejection,
};
use crate::document::product::{Details, Impediment};
use crate::model::Model;
use compose::context::Aviso;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use store::ids::NotaId;
use store::tables::notas::NotaRow;
use store::{DbResult, Readable as _};

/// Uma NF-e.
// What the API shows of a product note (api §5.1).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Nfe {
    #[serde(flatten)]
    cabecalho: Header,
    serie: Option<i64>,
    /// `null` enquanto é um rascunho, que não toma número.
    numero: Option<i64>,
    chave: Option<String>,
    natureza_operacao: Option<String>,
    data_emissao: Option<String>,
    /// Valor da nota, em R$.
    valor_total: Option<Number>,
    destinatario: OtherParty,
    /// A SEFAZ que a autoriza.
    autorizador: Option<String>,
    protocolo: Option<String>,
    autorizada_em: Option<String>,
    /// Código (cStat) da última resposta da SEFAZ sobre a nota.
    pub(super) status_sefaz: Option<String>,
    /// Texto (xMotivo) da última resposta da SEFAZ sobre a nota.
    pub(super) mensagem_sefaz: Option<String>,
    totais: Option<NotaTotals>,
    /// O que convém saber, embora nada esteja errado.
    avisos: Vec<NotaNotice>,
}

/// Uma NFC-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Nfce {
    #[serde(flatten)]
    pub(super) nota: Nfe,
    /// O texto do QR Code.
    qr_code: Option<String>,
    /// Onde o consumidor consulta a nota pela chave.
    url_consulta: Option<String>,
}

/// Totais da nota, em R$.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TotaisDaNota")]
pub struct NotaTotals {
    produtos: Reais,
    servicos: Reais,
    desconto: Reais,
    frete: Reais,
    seguro: Reais,
    outras_despesas: Reais,
    icms: Reais,
    icms_st: Reais,
    fcp: Reais,
    difal: Reais,
    ipi: Reais,
    ii: Reais,
    pis: Reais,
    cofins: Reais,
    iss: Reais,
    ibs: Reais,
    cbs: Reais,
    tributos_aproximados: Reais,
    troco: Reais,
}

impl From<compose::assembly::Totals> for NotaTotals {
    fn from(totals: compose::assembly::Totals) -> NotaTotals {
        NotaTotals {
            produtos: Reais(totals.produtos),
            servicos: Reais(totals.servicos),
            desconto: Reais(totals.desconto),
            frete: Reais(totals.frete),
            seguro: Reais(totals.seguro),
            outras_despesas: Reais(totals.outras_despesas),
            icms: Reais(totals.icms),
            icms_st: Reais(totals.icms_st),
            fcp: Reais(totals.fcp),
            difal: Reais(totals.difal),
            ipi: Reais(totals.ipi),
            ii: Reais(totals.ii),
            pis: Reais(totals.pis),
            cofins: Reais(totals.cofins),
            iss: Reais(totals.iss),
            ibs: Reais(totals.ibs),
            cbs: Reais(totals.cbs),
            tributos_aproximados: Reais(totals.tributos_aproximados),
            troco: Reais(totals.troco),
        }
    }
}

/// Um aviso sobre o pedido.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AvisoDaNota")]
pub struct NotaNotice {
    /// O campo do pedido.
    campo: String,
    mensagem: String,
}

// What is shown of a product note whose result is not known.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SemResultado")]
pub struct NoResult {
    /// Por que a SEFAZ não pode ser consultada, e o que fazer.
    #[serde(skip_serializing_if = "Option::is_none")]
    impedimento: Option<Impediment>,
}

// What is shown of a product note's state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EstadoNfe")]
pub struct NfeState {
    #[serde(flatten)]
    espera: NoResult,
    /// Por que foi rejeitada.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejeicao: Option<Option<Rejection>>,
}

// Addresses of a product note's files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivosNfe {
    xml: String,
    danfe: String,
}

fn nfe(nota: &NotaRow, details: &Details) -> DbResult<Nfe> {
    let notices = details.avisos.iter().flatten();
    Ok(Nfe {
        cabecalho: nota.into(),
        serie: match nota.serie.as_str() {
            "" => None,
            serie => Some(serie.parse().readable("series of a note", &nota.id)?),
        },
        numero: Some(nota.numero).filter(|number| *number > 0),
        chave: filled(&nota.chave),
        natureza_operacao: filled(&details.natureza_operacao),
        data_emissao: filled(&details.data_emissao),
        valor_total: amount(&nota.valor)?,
        destinatario: nota.into(),
        autorizador: filled(&nota.sistema),
        protocolo: filled(&nota.protocolo),
        autorizada_em: filled(&nota.autorizada_em),
        status_sefaz: filled(&details.status_sefaz),
        mensagem_sefaz: filled(&details.mensagem_sefaz),
        totais: details.totais.clone().map(NotaTotals::from),
        avisos: notices.map(NotaNotice::from).collect(),
    })
}

impl From<&Aviso> for NotaNotice {
    fn from(aviso: &Aviso) -> NotaNotice {
        NotaNotice {
            campo: aviso.campo.clone(),
            mensagem: aviso.mensagem.clone(),
        }
    }
}

pub(super) fn wait(nota: &NotaRow) -> DbResult<NoResult> {
    let impediment = Details::of(nota)?.impedimento;
    Ok(NoResult {
        impedimento: impediment.filter(|_| nota.is_open()),
    })
}

pub(super) fn state(nota: &NotaRow) -> DbResult<NfeState> {
    Ok(NfeState {
        espera: wait(nota)?,
        rejeicao: rejection(nota)?,
    })
}

fn arquivos(id: &NotaId) -> ArquivosNfe {
    let link = |kind| format!("/api/v1/documentos/{id}/{kind}");
    ArquivosNfe {
        xml: link("xml"),
        danfe: link("danfe"),
    }
}

impl Record for Nfe {
    type Wait = NoResult;
    type State = NfeState;
    type Arquivos = ArquivosNfe;

    fn of(nota: &NotaRow) -> DbResult<Nfe> {
        nfe(nota, &Details::of(nota)?)
    }

    fn wait(nota: &NotaRow) -> DbResult<NoResult> {
        wait(nota)
    }

    fn state(nota: &NotaRow) -> DbResult<NfeState> {
        state(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosNfe {
        arquivos(id)
    }
}

impl Record for Nfce {
    type Wait = NoResult;
    type State = NfeState;
    type Arquivos = ArquivosNfe;

    fn of(nota: &NotaRow) -> DbResult<Nfce> {
        let details = Details::of(nota)?;
        Ok(Nfce {
            nota: nfe(nota, &details)?,
            qr_code: filled(&details.qr_code),
            url_consulta: filled(&details.url_consulta),
        })
    }

    fn wait(nota: &NotaRow) -> DbResult<NoResult> {
        wait(nota)
    }

    fn state(nota: &NotaRow) -> DbResult<NfeState> {
        state(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosNfe {
        arquivos(id)
    }
}

/// Uma NF-e ou uma NFC-e.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum ByModel<E, C> {
    Nfe(E),
    Nfce(C),
}

/// A product note of either model, in any state.
pub type ProductNota = ByModel<Registered<Nfe>, Registered<Nfce>>;

/// The record of a product note.
///
/// # Errors
/// What is stored cannot be read.
pub fn product_nota(nota: &NotaRow) -> DbResult<ProductNota> {
    Ok(match nota.modelo {
        Model::Nfce => ByModel::Nfce(registered(nota)?),
        Model::Nfe | Model::Nfse | Model::Cte | Model::Mdfe => ByModel::Nfe(registered(nota)?),
    })
}
