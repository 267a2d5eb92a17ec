//! POST /api/v1/nfe/danfe-xml: a third party's XML becomes a DANFE.

use crate::Built;
use crate::gate::Call;
use crate::gate::charge;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::upload::{XML, xml_text};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prints::danfe::{self, DanfeError, Opcoes};
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfe.danfe-xml",
        route: |method| on(method, danfe_xml),
        docs: Docs::new("Desenha o DANFE de um XML de NF-e ou NFC-e de terceiros.")
            .file(&XML, "XmlIn"),
    }
}

async fn danfe_xml(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let xml = xml_text(XML.read(&call, &headers, &bytes)?)?;
    charge::affordable(&call).await?;
    let drawn = tokio::task::spawn_blocking(move || match danfe::danfe(&xml, &Opcoes::default()) {
        Err(DanfeError::Modelo(_)) => danfe::nfce(&xml, &Opcoes::default()),
        drawn => drawn,
    });
    let pdf = drawn.await.map_err(anyhow::Error::from)?.map_err(|error| {
        Refusal::new(Code::XmlMalformado)
            .message(error.to_string())
            .hint("Envie o XML de uma NF-e ou NFC-e (NFe ou nfeProc).")
    })?;
    let body = value!({ "tipo": "application/pdf", "pdf_base64": STANDARD.encode(pdf) });
    charge::answer(&call, body).await
}
