//! GET /api/v1/documentos/{ref}/xml: the authority's own bytes.

use super::{arquivo, load, xml_of};
use crate::api::Built;
use crate::api::gate::Call;
use crate::api::list::{Query, only};
use crate::api::nfse::documento::file;
use crate::api::openapi::Docs;
use crate::errors::Failure;
use axum::extract::{Path, Query as UrlQuery};
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "documentos.xml",
        route: |method| on(method, xml),
        docs: Docs::new("Baixa o XML do documento, byte a byte como a autoridade entregou.")
            .query(
                "formato",
                "base64 (padrão) ou binario.",
                value!({ "type": "string", "enum": ["base64", "binario"] }),
            )
            .files(&["application/xml"]),
    }
}

async fn xml(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> Result<Response, Failure> {
    only(&query, &["formato"])?;
    let binary = super::binary(&query)?;
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let xml = xml_of(&mut conn, &nota).await?;
    let name = arquivo(&nota, "xml");
    Ok(file(&call, xml.bytes, "application/xml", &name, binary))
}
