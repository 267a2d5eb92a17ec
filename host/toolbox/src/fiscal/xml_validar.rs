//! POST /api/v1/fiscal/xml/validar: a fiscal document against the official
//! layout and the rules the authority would apply. Nothing is transmitted.

use super::judgement::{Documento, Judgement, judge};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::reading::{Finding, Severity};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::upload::{XML, xml_text};
use markup::layout;
use markup::xml::Document;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub fn built() -> Built {
    Built {
        operation: "fiscal.xml.validar",
        route: |method| on(method, validar),
        docs: Docs::new("Valida o XML de uma NF-e ou NFC-e, de um evento ou inutilização delas, de um CT-e, de um MDF-e, de um evento deles ou de uma NFS-e nacional (DPS, NFSe, evento) contra o leiaute oficial e as regras de negócio do dia do documento, sem transmitir. Do CT-e e do MDF-e julgam-se também o leiaute do modal e o do evento; o CT-e OS, o CT-e simplificado e a GTV-e não são julgados. A NFS-e do leiaute próprio de um município (ABRASF e outros) não é julgada.")
            .explained("Use antes de transmitir por outro sistema, ou para entender uma rejeição: cada erro vem com o lugar no XML e a regra. Um XML inválido também é uma resposta 200, com valido false.")
            .file(&XML, "XmlIn")
            .success::<Charged<ValidarOut>>(),
    }
}

/// O que o leiaute e as regras dizem do documento.
#[derive(Serialize, JsonSchema)]
struct ValidarOut {
    /// Não há erros.
    valido: bool,
    documento: Documento,
    /// `55`, `65`, `57` ou `58`; de um evento, o da chave; `null` para o que não tem
    /// modelo.
    modelo: Option<String>,
    /// O leiaute que vale para ele.
    layout: &'static str,
    /// As regras com que foi julgado, com a data delas: as do dia do documento. Da
    /// NFS-e, do CT-e e do MDF-e há um conjunto só, para documentos de qualquer dia.
    regras: &'static str,
    /// Os do leiaute primeiro: um erro de regra pode ser consequência deles.
    erros: Vec<LayoutError>,
    /// O que é estranho, ou só algumas UF recusam.
    avisos: Vec<Remark>,
}

/// Um erro, com o seu lugar na lista.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErroDoXml")]
struct LayoutError {
    #[serde(flatten)]
    apontamento: Remark,
    /// A partir de 1.
    ordem: usize,
}

/// O que o leiaute ou uma regra diz do XML.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApontamentoDoXml")]
struct Remark {
    tipo: Origin,
    /// O lugar no XML, como `infNFe/det[2]/prod/NCM`.
    caminho: String,
    /// O código da regra, como a autoridade a numera, ou uma palavra.
    codigo: &'static str,
    mensagem: String,
    correcao: String,
    /// O que o XML tem, até 80 caracteres; `null` se é um dado pessoal.
    valor: Option<String>,
    /// O texto da própria autoridade.
    original: Option<String>,
}

/// Quem o diz: o leiaute ou uma regra.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OrigemDoApontamento")]
enum Origin {
    Schema,
    Regra,
}

impl From<layout::LayoutError> for Remark {
    fn from(error: layout::LayoutError) -> Remark {
        Remark {
            tipo: Origin::Schema,
            caminho: error.caminho,
            codigo: error.regra,
            mensagem: error.mensagem,
            correcao: error.correcao,
            valor: error.valor,
            original: error.original,
        }
    }
}

impl From<Finding> for Remark {
    fn from(finding: Finding) -> Remark {
        Remark {
            tipo: Origin::Regra,
            caminho: finding.caminho,
            codigo: finding.codigo,
            mensagem: finding.mensagem,
            correcao: finding.correcao,
            valor: finding.valor,
            original: finding.original.map(str::to_owned),
        }
    }
}

async fn validar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ValidarOut>> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let today = when::utc(call.app.now_ms()).date();
    let checked = tokio::task::spawn_blocking(move || check(&xml, today));
    let body = checked.await.map_err(anyhow::Error::from)??;
    charge::paid(&call, body).await
}

/// Errors of the layout first: what the rules say of a document that is not
/// one may be their consequence.
fn check(xml: &str, today: Date) -> Result<ValidarOut, Failure> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.for_client()))?;
    let Judgement {
        kind,
        model,
        layout,
        rules,
        found,
    } = judge(&doc, today)?;
    let (wrong, odd): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|finding| finding.gravidade == Severity::Erro);
    let of_layout = layout.validate(xml).into_iter().map(Remark::from);
    let errors = of_layout.chain(wrong.into_iter().map(Remark::from));
    let errors = errors.zip(1..);
    let errors: Vec<LayoutError> = errors
        .map(|(remark, order)| LayoutError {
            apontamento: remark,
            ordem: order,
        })
        .collect();
    Ok(ValidarOut {
        valido: errors.is_empty(),
        documento: kind,
        modelo: model,
        layout: layout.name(),
        regras: rules,
        erros: errors,
        avisos: odd.into_iter().map(Remark::from).collect(),
    })
}
