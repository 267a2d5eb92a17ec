//! The records of an NF-e and of an NFC-e.

use super::money::Reais;
use super::record::{
    Cabecalho, OutraParte, Registrada, Registro, Rejeicao, amount, filled, registrada, rejeicao,
};
use crate::document::product::{Detalhes, Impedimento};
use crate::model::Modelo;
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
    cabecalho: Cabecalho,
    serie: Option<i64>,
    /// `null` enquanto é um rascunho, que não toma número.
    numero: Option<i64>,
    chave: Option<String>,
    natureza_operacao: Option<String>,
    data_emissao: Option<String>,
    /// Valor da nota, em R$.
    valor_total: Option<Number>,
    destinatario: OutraParte,
    /// A SEFAZ que a autoriza.
    autorizador: Option<String>,
    protocolo: Option<String>,
    autorizada_em: Option<String>,
    /// Código (cStat) da última resposta da SEFAZ sobre a nota.
    pub(super) status_sefaz: Option<String>,
    /// Texto (xMotivo) da última resposta da SEFAZ sobre a nota.
    pub(super) mensagem_sefaz: Option<String>,
    totais: Option<TotaisDaNota>,
    /// O que convém saber, embora nada esteja errado.
    avisos: Vec<AvisoDaNota>,
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
pub struct TotaisDaNota {
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

impl From<compose::assembly::Totais> for TotaisDaNota {
    fn from(totais: compose::assembly::Totais) -> TotaisDaNota {
        TotaisDaNota {
            produtos: Reais(totais.produtos),
            servicos: Reais(totais.servicos),
            desconto: Reais(totais.desconto),
            frete: Reais(totais.frete),
            seguro: Reais(totais.seguro),
            outras_despesas: Reais(totais.outras_despesas),
            icms: Reais(totais.icms),
            icms_st: Reais(totais.icms_st),
            fcp: Reais(totais.fcp),
            difal: Reais(totais.difal),
            ipi: Reais(totais.ipi),
            ii: Reais(totais.ii),
            pis: Reais(totais.pis),
            cofins: Reais(totais.cofins),
            iss: Reais(totais.iss),
            ibs: Reais(totais.ibs),
            cbs: Reais(totais.cbs),
            tributos_aproximados: Reais(totais.tributos_aproximados),
            troco: Reais(totais.troco),
        }
    }
}

/// Um aviso sobre o pedido.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AvisoDaNota {
    /// O campo do pedido.
    campo: String,
    mensagem: String,
}

// What is shown of a product note whose result is not known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SemResultado {
    /// Por que a SEFAZ não pode ser consultada, e o que fazer.
    #[serde(skip_serializing_if = "Option::is_none")]
    impedimento: Option<Impedimento>,
}

// What is shown of a product note's state.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EstadoNfe {
    #[serde(flatten)]
    espera: SemResultado,
    /// Por que foi rejeitada.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejeicao: Option<Option<Rejeicao>>,
}

// Addresses of a product note's files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivosNfe {
    xml: String,
    danfe: String,
}

fn nfe(nota: &NotaRow, detalhes: &Detalhes) -> DbResult<Nfe> {
    let avisos = detalhes.avisos.iter().flatten();
    Ok(Nfe {
        cabecalho: nota.into(),
        serie: match nota.serie.as_str() {
            "" => None,
            serie => Some(serie.parse().readable("series of a note", &nota.id)?),
        },
        numero: Some(nota.numero).filter(|numero| *numero > 0),
        chave: filled(&nota.chave),
        natureza_operacao: filled(&detalhes.natureza_operacao),
        data_emissao: filled(&detalhes.data_emissao),
        valor_total: amount(&nota.valor)?,
        destinatario: nota.into(),
        autorizador: filled(&nota.sistema),
        protocolo: filled(&nota.protocolo),
        autorizada_em: filled(&nota.autorizada_em),
        status_sefaz: filled(&detalhes.status_sefaz),
        mensagem_sefaz: filled(&detalhes.mensagem_sefaz),
        totais: detalhes.totais.clone().map(TotaisDaNota::from),
        avisos: avisos
            .map(|aviso| AvisoDaNota {
                campo: aviso.campo.clone(),
                mensagem: aviso.mensagem.clone(),
            })
            .collect(),
    })
}

fn espera(nota: &NotaRow) -> DbResult<SemResultado> {
    let impedimento = Detalhes::of(nota)?.impedimento;
    Ok(SemResultado {
        impedimento: impedimento.filter(|_| nota.is_open()),
    })
}

fn estado(nota: &NotaRow) -> DbResult<EstadoNfe> {
    Ok(EstadoNfe {
        espera: espera(nota)?,
        rejeicao: rejeicao(nota)?,
    })
}

fn arquivos(id: &NotaId) -> ArquivosNfe {
    let link = |kind| format!("/api/v1/documentos/{id}/{kind}");
    ArquivosNfe {
        xml: link("xml"),
        danfe: link("danfe"),
    }
}

impl Registro for Nfe {
    type Espera = SemResultado;
    type Estado = EstadoNfe;
    type Arquivos = ArquivosNfe;

    fn of(nota: &NotaRow) -> DbResult<Nfe> {
        nfe(nota, &Detalhes::of(nota)?)
    }

    fn espera(nota: &NotaRow) -> DbResult<SemResultado> {
        espera(nota)
    }

    fn estado(nota: &NotaRow) -> DbResult<EstadoNfe> {
        estado(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosNfe {
        arquivos(id)
    }
}

impl Registro for Nfce {
    type Espera = SemResultado;
    type Estado = EstadoNfe;
    type Arquivos = ArquivosNfe;

    fn of(nota: &NotaRow) -> DbResult<Nfce> {
        let detalhes = Detalhes::of(nota)?;
        Ok(Nfce {
            nota: nfe(nota, &detalhes)?,
            qr_code: filled(&detalhes.qr_code),
            url_consulta: filled(&detalhes.url_consulta),
        })
    }

    fn espera(nota: &NotaRow) -> DbResult<SemResultado> {
        espera(nota)
    }

    fn estado(nota: &NotaRow) -> DbResult<EstadoNfe> {
        estado(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosNfe {
        arquivos(id)
    }
}

/// Uma NF-e ou uma NFC-e.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum PorModelo<E, C> {
    Nfe(E),
    Nfce(C),
}

/// A product note of either model, in any state.
pub type NotaDeProduto = PorModelo<Registrada<Nfe>, Registrada<Nfce>>;

/// The record of a product note.
///
/// # Errors
/// What is stored cannot be read.
pub fn nota_de_produto(nota: &NotaRow) -> DbResult<NotaDeProduto> {
    Ok(match nota.modelo {
        Modelo::Nfce => PorModelo::Nfce(registrada(nota)?),
        Modelo::Nfe | Modelo::Nfse => PorModelo::Nfe(registrada(nota)?),
    })
}
