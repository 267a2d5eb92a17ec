//! GET /api/v1/documentos/{ref}/danfe: the DANFE of an NF-e or NFC-e.

use super::{arquivo, load, xml_of};
use crate::api::Built;
use crate::api::gate::Call;
use crate::api::list::{Query, only};
use crate::api::nfse::documento::file;
use crate::api::openapi::Docs;
use crate::db::emitters;
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::modelo::Modelo;
use crate::issuing::perfil::Perfil;
use axum::extract::{Path, Query as UrlQuery};
use axum::response::Response;
use axum::routing::on;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fiscal::danfe::{self, Opcoes};
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "documentos.danfe",
        route: |method| on(method, get),
        docs: Docs::new("Baixa o DANFE da NF-e ou da NFC-e em PDF.")
            .query(
                "formato",
                "base64 (padrão) ou binario.",
                value!({ "type": "string", "enum": ["base64", "binario"] }),
            )
            .files(&["application/pdf"]),
    }
}

async fn get(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> Result<Response, Failure> {
    only(&query, &["formato"])?;
    let binary = super::binary(&query)?;
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let modelo = Modelo::of(&nota);
    if !modelo.is_produto() {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O documento não é NF-e nem NFC-e.")
            .hint("O PDF de uma NFS-e está em GET /api/v1/nfse/{ref}/documento.")
            .nota(&nota.id)
            .into());
    }
    let xml = xml_of(&mut conn, &nota).await?;
    let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
    drop(conn);
    let logo = emitter
        .and_then(|emitter| serde_json::from_str::<Perfil>(&emitter.perfil).ok())
        .and_then(|perfil| STANDARD.decode(perfil.logo_base64?).ok());
    let text = String::from_utf8(xml.bytes).map_err(|error| Failure::Internal(error.into()))?;
    let (cancelada, simulada) = (nota.status == "cancelada", nota.simulada == 1);
    // Hundreds of pages take tens of milliseconds.
    let drawn = tokio::task::spawn_blocking(move || {
        let opcoes = Opcoes {
            logo: logo.as_deref(),
            cancelada,
            marca: simulada.then_some("SIMULADA"),
            ..Opcoes::default()
        };
        match modelo {
            Modelo::Nfce => danfe::nfce(&text, &opcoes),
            _ => danfe::danfe(&text, &opcoes),
        }
    });
    let pdf = drawn
        .await
        .map_err(|error| Failure::Internal(error.into()))?
        .map_err(|error| Failure::Internal(anyhow::anyhow!("{error}")))?;
    let name = arquivo(&nota, "pdf");
    Ok(file(&call, pdf, "application/pdf", &name, binary))
}
