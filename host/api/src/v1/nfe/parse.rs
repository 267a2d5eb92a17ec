//! POST /api/v1/nfe/parse: a third party's XML becomes JSON.

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
pub const ANSWER: &str = "Os campos da nota, com os nomes, os formatos e os dígitos de POST /api/v1/nfe e /api/v1/nfce, que os aceitam de volta. \
    Fica à parte o que um pedido não leva. Da identificação: `chave`, `id`, `layout`, `modelo`, `numero`, `ambiente`, `codigo_uf`, `codigo_numerico`, \
    `digito_verificador`, `tipo_emissao`, `formato_danfe`, `processo_emissao`, `versao_aplicativo`, `contingencia`, `indicador_intermediador`, \
    `indicador_pagamento` (leiaute 3.10), `qr_code` e `url_consulta`. Das partes e somas: `emitente`, `avulsa`, `totais`, `solicitacao_nff` e \
    `provedor_assinatura`. Da leitura: `protocolo`, `assinatura`, `outros` (caminhos oficiais sem nome na API) e `avisos`. O que está dentro de grupos \
    que um pedido leva e ele mesmo não aceita está em `fora_do_pedido`, sob os mesmos caminhos, os itens pelo `numero`: `valor_item`, \
    `difal.valor_remetente` e outros calculados, o `hash_csrt`.";

pub fn built() -> Built {
    Built {
        operation: "nfe.parse",
        route: |method| on(method, parse),
        docs: Docs::new("Lê o XML de uma NF-e ou NFC-e de terceiros e devolve os campos em JSON.")
            .file(&XML, "XmlIn")
            .answers(&[(200, ANSWER)])
            .success::<Charged<ParseOut>>(),
    }
}

/// Os campos de uma nota, com os nomes de POST /api/v1/nfe.
#[derive(Serialize, JsonSchema)]
struct ParseOut {
    /// As 44 posições como o XML as traz.
    chave: String,
    /// Os campos da nota: quais são depende dela. Valores são números com os
    /// algarismos do XML; códigos e textos, textos.
    #[serde(flatten)]
    nota: Map<String, Value>,
    /// O que está dentro de grupos que um pedido leva e ele mesmo não aceita,
    /// sob os mesmos caminhos.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fora_do_pedido: Map<String, Value>,
    /// O protocolo de autorização, de um nfeProc; seus campos, como os da nota.
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

/// A assinatura da nota.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AssinaturaLida")]
struct ReadSignature {
    /// Há uma assinatura sobre a nota.
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

/// The note's fields, with the verdict on its signature.
fn read(xml: &str) -> Result<ParseOut, Failure> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.for_client()))?;
    if let Some(refusal) = other_document::instead_of_a_note(&doc) {
        return Err(refusal.into());
    }
    let nota = reading::read(&doc).map_err(|error| {
        Refusal::new(Code::XmlMalformado)
            .message(error.to_string())
            .hint("Envie o XML de uma NF-e ou NFC-e (NFe ou nfeProc).")
    })?;
    let mut signature = Signature::of(xml);
    if let Some(parts) = signature.a_verificar.take() {
        let (valid, holder) = verify(&parts);
        signature = signature.conclude(valid, holder);
    }
    Ok(ParseOut {
        chave: nota.chave.to_owned(),
        nota: members(&nota.nota)?,
        fora_do_pedido: members(&nota.fora_do_pedido)?,
        protocolo: nota.protocolo.as_ref().map(members).transpose()?,
        assinatura: signature.into(),
        outros: nota.outros.into_iter().map(Into::into).collect(),
        avisos: nota.avisos,
    })
}

/// The members of a group, which outlive the document they are borrowed from.
fn members(group: &Group<'_>) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_value(serde_json::to_value(group)?)
}
