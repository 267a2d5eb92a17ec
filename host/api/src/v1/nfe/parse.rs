//! POST /api/v1/nfe/parse: a third party's XML becomes JSON.

use super::third_party::{self, Transport};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfe::reading::{self, Group, Other, Signature};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::other_document;
use gate::request::upload::{XML, xml_text};
use markup::xml::Document;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vault::signing::verify::verify;

/// What of the answer is a request, for customers.
pub const ANSWER: &str = "De uma NF-e ou NFC-e, os campos da nota, com os nomes, os formatos e os dígitos de POST /api/v1/nfe e /api/v1/nfce, que os aceitam de volta. \
    Fica à parte o que um pedido não leva. Da identificação: `chave`, `id`, `layout`, `modelo`, `numero`, `ambiente`, `codigo_uf`, `codigo_numerico`, \
    `digito_verificador`, `tipo_emissao`, `formato_danfe`, `processo_emissao`, `versao_aplicativo`, `contingencia`, `indicador_intermediador`, \
    `indicador_pagamento` (leiaute 3.10), `qr_code` e `url_consulta`. Das partes e somas: `emitente`, `avulsa`, `totais`, `solicitacao_nff` e \
    `provedor_assinatura`. Da leitura: `protocolo`, `assinatura`, `outros` (caminhos oficiais sem nome na API) e `avisos`. O que está dentro de grupos \
    que um pedido leva e ele mesmo não aceita está em `fora_do_pedido`, sob os mesmos caminhos, os itens pelo `numero`: `valor_item`, \
    `difal.valor_remetente` e outros calculados, o `hash_csrt`. De um CT-e ou MDF-e, os campos de POST /api/v1/cte ou /api/v1/mdfe, com o mesmo \
    à parte: `chave`, o que o documento diz de si (`id`, `layout`, `modelo`, `serie`, `numero`, `data_emissao`, `ambiente`, `emitente`, `qr_code` e \
    outros), `fora_do_pedido`, `protocolo`, `assinatura`, `outros` e `avisos`. O CT-e OS, o CT-e simplificado e a GTV-e não são lidos.";

pub fn built() -> Built {
    Built {
        operation: "nfe.parse",
        route: |method| on(method, parse),
        docs: Docs::new(
            "Lê o XML de uma NF-e, NFC-e, CT-e ou MDF-e de terceiros e devolve os campos em JSON.",
        )
        .explained("Use para dar entrada em uma compra a partir do XML do fornecedor: os campos têm os nomes de um pedido de emissão, e os que um pedido não tem vêm à parte. Não consulta a SEFAZ. Recusa o que não é XML de um desses documentos.")
        .file(&XML, "XmlIn")
        .answers(&[(200, ANSWER)])
        .success::<Charged<ParseOut>>(),
    }
}

/// Os campos de um documento, com os nomes de POST /api/v1/nfe, /cte ou /mdfe.
#[derive(Serialize, JsonSchema)]
struct ParseOut {
    /// As 44 posições como o XML as traz.
    chave: String,
    /// Os campos do documento: quais são depende dele. Valores são números com os
    /// algarismos do XML; códigos e textos, textos.
    #[serde(flatten)]
    documento: Map<String, Value>,
    /// O que está dentro de grupos que um pedido leva e ele mesmo não aceita,
    /// sob os mesmos caminhos.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fora_do_pedido: Map<String, Value>,
    /// O protocolo de autorização, de um nfeProc, cteProc ou mdfeProc; seus campos,
    /// como os do documento.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocolo: Option<Map<String, Value>>,
    assinatura: ReadSignature,
    /// O que não tem nome na API, pelo caminho oficial.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outros: Vec<UnnamedField>,
    /// O que convém saber da leitura.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

/// A assinatura do documento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AssinaturaLida")]
struct ReadSignature {
    /// Há uma assinatura sobre o documento.
    presente: bool,
    /// O conteúdo é o que foi assinado.
    digest_confere: bool,
    /// Tudo confere, também o certificado; ausente se não há o que verificar.
    #[serde(skip_serializing_if = "Option::is_none")]
    valida: Option<bool>,
    /// O titular do certificado.
    #[serde(skip_serializing_if = "Option::is_none")]
    titular: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    algoritmo: Option<&'static str>,
    /// Por que não pôde ser lida.
    #[serde(skip_serializing_if = "Option::is_none")]
    problema: Option<String>,
}

impl From<Signature> for ReadSignature {
    fn from(read: Signature) -> ReadSignature {
        ReadSignature {
            presente: read.presente,
            digest_confere: read.digest_confere,
            valida: read.valida,
            titular: read.titular,
            algoritmo: read.algoritmo,
            problema: read.problema,
        }
    }
}

/// Um valor pelo caminho oficial.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CampoSemNome")]
struct UnnamedField {
    /// Como em `infNFe/det[2]/prod/xFoo`.
    caminho: String,
    valor: String,
}

impl From<Other<'_>> for UnnamedField {
    fn from(other: Other<'_>) -> UnnamedField {
        UnnamedField {
            caminho: other.caminho,
            valor: other.valor.into_owned(),
        }
    }
}

async fn parse(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ParseOut>> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let read = tokio::task::spawn_blocking(move || read(&xml));
    let body = read.await.map_err(anyhow::Error::from)??;
    charge::paid(&call, body).await
}

/// The document's fields, with the verdict on its signature.
fn read(xml: &str) -> Result<ParseOut, Failure> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.for_client()))?;
    match third_party::transport(&doc)? {
        Some(transport) => of_transport(xml, &doc, transport),
        None => of_note(xml, &doc),
    }
}

fn of_note(xml: &str, doc: &Document<'_>) -> Result<ParseOut, Failure> {
    if let Some(refusal) = other_document::instead_of_a_note(doc) {
        return Err(refusal.into());
    }
    let nota = reading::read(doc).map_err(other_document::unread)?;
    Ok(ParseOut {
        chave: nota.chave.to_owned(),
        documento: members(&nota.nota)?,
        fora_do_pedido: members(&nota.fora_do_pedido)?,
        protocolo: nota.protocolo.as_ref().map(members).transpose()?,
        assinatura: verified(Signature::of(xml)),
        outros: nota.outros.into_iter().map(Into::into).collect(),
        avisos: nota.avisos,
    })
}

fn of_transport(xml: &str, doc: &Document<'_>, transport: Transport) -> Result<ParseOut, Failure> {
    let (read, body) = match transport {
        Transport::Cte => (freight::cte::reading::read(doc), "infCte"),
        Transport::Mdfe => (freight::mdfe::reading::read(doc), "infMDFe"),
    };
    let read = read.map_err(other_document::unread)?;
    let signature = Signature::over(xml, body, &(0..xml.len()));
    Ok(ParseOut {
        chave: read.chave.to_owned(),
        documento: members(&read.documento)?,
        fora_do_pedido: members(&read.fora_do_pedido)?,
        protocolo: read.protocolo.as_ref().map(members).transpose()?,
        assinatura: verified(signature),
        outros: read.outros.into_iter().map(Into::into).collect(),
        avisos: read.avisos,
    })
}

/// With the verdict on the RSA signature, where the content is the signed one.
fn verified(mut signature: Signature) -> ReadSignature {
    if let Some(parts) = signature.a_verificar.take() {
        let (valid, holder) = verify(&parts);
        signature = signature.conclude(valid, holder);
    }
    signature.into()
}

/// The members of a group, which outlive the document they are borrowed from.
fn members(group: &Group<'_>) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_value(serde_json::to_value(group)?)
}
