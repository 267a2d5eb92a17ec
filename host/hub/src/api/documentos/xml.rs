//! GET /api/v1/documentos/{ref}/xml: the authority's own bytes.

use super::load;
use crate::api::Built;
use crate::api::gate::Call;
use crate::api::list::{Query, only};
use crate::api::nfse::documento::file;
use crate::api::openapi::Docs;
use crate::db::artifacts;
use crate::errors::{Code, Failure, Refusal};
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
    let binary = match query.get("formato").map(String::as_str) {
        None | Some("base64") => false,
        Some("binario") => true,
        Some(_) => {
            return Err(Refusal::field(
                Code::ParametroInvalido,
                "formato",
                "Formato desconhecido.",
                "Use base64 ou binario.",
            )
            .into());
        }
    };
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let artifact =
        artifacts::get(&mut conn, &call.caller.account_id, &nota.id, &nota.modelo).await?;
    let artifact = artifact.ok_or_else(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O documento ainda não tem XML.")
            .hint("O XML existe depois da autorização.")
            .nota(&nota.id)
    })?;
    let number = if nota.numero_nfse.is_empty() {
        &nota.id
    } else {
        &nota.numero_nfse
    };
    let name = format!("{}-{number}.xml", nota.modelo);
    Ok(file(
        &call,
        artifact.bytes,
        "application/xml",
        &name,
        binary,
    ))
}
