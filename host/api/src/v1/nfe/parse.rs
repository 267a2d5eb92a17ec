//! POST /api/v1/nfe/parse: a third party's XML becomes JSON.

use crate::Built;
use crate::charge;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::upload::{XML, xml_text};
use crate::v1::other_document;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfe::reading::{Assinatura, ler};
use markup::xml::Document;
use serde_json::Value;
use vault::signing::verify::verify;

pub fn built() -> Built {
    Built {
        operation: "nfe.parse",
        route: |method| on(method, parse),
        docs: Docs::new("Lê o XML de uma NF-e ou NFC-e de terceiros e devolve os campos em JSON.")
            .file(&XML, "XmlIn"),
    }
}

async fn parse(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let read = tokio::task::spawn_blocking(move || read(&xml));
    let body = read.await.map_err(anyhow::Error::from)??;
    charge::answer(&call, body).await
}

/// The note's fields, with the verdict on its signature.
fn read(xml: &str) -> Result<Value, Failure> {
    let doc = Document::parse(xml)
        .map_err(|error| Refusal::new(Code::XmlMalformado).message(error.para_cliente()))?;
    if let Some(refusal) = other_document::instead_of_a_note(&doc) {
        return Err(refusal.into());
    }
    let nota = ler(&doc).map_err(|error| {
        Refusal::new(Code::XmlMalformado)
            .message(error.to_string())
            .hint("Envie o XML de uma NF-e ou NFC-e (NFe ou nfeProc).")
    })?;
    let mut assinatura = Assinatura::de(xml);
    if let Some(parts) = assinatura.a_verificar.take() {
        let (valida, titular) = verify(&parts);
        assinatura = assinatura.conclui(valida, titular);
    }
    Ok(serde_json::to_value(nota.com_assinatura(assinatura))?)
}
