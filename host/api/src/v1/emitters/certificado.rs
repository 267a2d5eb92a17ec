//! GET and PUT /api/v1/emitters/{id}/certificado

use super::form::{self, CertificadoIn};
use super::record::{self, Certificado};
use axum::extract::{Path, Request};
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, etag};
use issuing::emitters;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::ids::EmitterId;
use store::tables::certificates::CertificateRow;

pub fn built_get() -> Built {
    Built {
        operation: "emitters.certificado",
        route: |method| on(method, get),
        docs: Docs::new("Mostra titular, validade e situação do certificado em uso.")
            .sends("ETag", &[200])
            .success::<CertificadoOut>(),
    }
}

pub fn built_put() -> Built {
    let form = json!({
        "type": "object",
        "required": ["certificado", "senha"],
        "properties": {
            "certificado": { "type": "string", "format": "binary" },
            "senha": { "type": "string" },
        },
    });
    Built {
        operation: "emitters.certificado.put",
        route: |method| on(method, put),
        docs: Docs::new("Troca o certificado A1 do emitente.")
            .explained("Use no cadastro e a cada ano, antes do vencimento, de que o evento certificado.expirando avisa. Vale para a próxima nota. Recusa senha errada, certificado vencido e o de outra empresa; o arquivo e a senha não são guardados, só a chave cifrada.")
            .sends("ETag", &[200])
            .success::<CertificadoOut>()
            .body::<CertificadoIn>()
            .form(form)
            .header(
                "If-Match",
                "ETag lido antes; 412 se o emitente mudou desde então.",
                etag::schema(),
            ),
    }
}

/// O certificado em uso de um emitente.
#[derive(Serialize, JsonSchema)]
struct CertificadoOut {
    /// O id do emitente.
    id: EmitterId,
    /// O mesmo que `id`.
    emitente_id: EmitterId,
    #[serde(flatten)]
    certificado: Certificado,
}

async fn get(call: Call, Path(id): Path<EmitterId>) -> ApiAnswer<CertificadoOut> {
    let mut conn = call.app.db.read().await?;
    let emitter = record::load(&mut conn, &call.caller, &id).await?;
    call.about(&emitter.row.id);
    let certificate = emitter.certificate.ok_or_else(|| {
        Refusal::new(Code::NaoEncontrado)
            .message("O emitente não tem certificado.")
            .hint("Envie o A1 em PUT /api/v1/emitters/{id}/certificado.")
    })?;
    respond(&call, &certificate, emitter.row.version)
}

async fn put(
    call: Call,
    Path(id): Path<EmitterId>,
    headers: HeaderMap,
    request: Request,
) -> ApiAnswer<CertificadoOut> {
    let sent = form::read(&call, &headers, request).await?;
    let (pfx, password) = match sent.certificado {
        Some(file) => {
            // The form has no further data here; `dados` would be a mistake.
            body::read::<Nothing>(sent.data, call.tolerant)?;
            file
        }
        None => body::read::<CertificadoIn>(sent.data, call.tolerant)?.decode()?,
    };
    let mut conn = call.app.db.read().await?;
    let row = record::load(&mut conn, &call.caller, &id).await?.row;
    drop(conn);
    call.about(&row.id);
    etag::check(&headers, row.version)?;
    let emitter = emitters::replace_certificate(&call.app, row, pfx, password).await?;
    let certificate = emitter
        .certificate
        .ok_or_else(|| anyhow::anyhow!("a replaced certificate is there"))?;
    respond(&call, &certificate, emitter.row.version)
}

#[derive(serde::Deserialize)]
struct Nothing {}

fn respond(call: &Call, row: &CertificateRow, version: i64) -> ApiAnswer<CertificadoOut> {
    let body = CertificadoOut {
        id: row.emitter_id.clone(),
        emitente_id: row.emitter_id.clone(),
        certificado: record::certificate(&call.app, row),
    };
    Ok(call.ok(body)?.version(version))
}
