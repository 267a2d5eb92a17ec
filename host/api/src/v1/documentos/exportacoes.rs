//! GET /api/v1/documentos/exportacoes/{id}: how far an export is; and its file,
//! for whoever has the signed link.

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query as UrlQuery};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use futures::stream;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::list::{Query, only};
use objects::exports;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::ids::ExportacaoId;
use store::tables::exportacoes::{self, ExportStatus};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

/// Bytes of the file read at a time.
const CHUNK: usize = 64 * 1_024;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "documentos.exportacoes.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra o andamento de uma exportação e o link do arquivo.")
                .success::<ExportOut>(),
        },
        Built {
            operation: "documentos.exportacoes.arquivo",
            route: |method| on(method, arquivo),
            docs: Docs::new("Baixa o ZIP de uma exportação pelo link assinado, sem chave de API.")
                .query(
                    "expira",
                    "Momento em que o link vence, em segundos desde 1970.",
                    json!({ "type": "integer" }),
                )
                .query(
                    "assinatura",
                    "Assinatura do link.",
                    json!({ "type": "string" }),
                )
                .files(&["application/zip"]),
        },
    ]
}

/// Uma exportação e o link do arquivo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExportacaoOut")]
struct ExportOut {
    /// O id da exportação.
    id: ExportacaoId,
    /// O mesmo que `id`.
    exportacao_id: ExportacaoId,
    status: ExportStatus,
    progresso: Progress,
    /// Link assinado do arquivo; `null` se não está pronta.
    url: Option<String>,
    /// Até quando o arquivo fica; `null` até ficar pronto, como os próximos
    /// três.
    expira_em: Option<String>,
    /// Documentos no arquivo.
    documentos: Option<i64>,
    bytes: Option<i64>,
    /// SHA-256 do arquivo, em hexadecimal.
    sha256: Option<String>,
    /// Documentos que não puderam entrar no arquivo.
    ausentes: Vec<Absent>,
    criada_em: String,
}

/// Documentos vistos, de todos os que há.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProgressoDaExportacao")]
struct Progress {
    feitos: i64,
    total: i64,
}

/// Um documento que não pôde entrar no arquivo.
#[derive(Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "AusenteDaExportacao")]
struct Absent {
    chave: String,
    id: String,
    /// Por quê, em uma palavra.
    motivo: String,
}

async fn get(
    call: Call,
    Path(id): Path<ExportacaoId>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ExportOut> {
    only(&query, &[])?;
    let mut conn = call.app.db.read().await?;
    let row = exportacoes::get(&mut conn, &call.caller.account_id, &id).await?;
    drop(conn);
    // A test key sees nothing of production, nor a live one what is simulated.
    let row = row.filter(|row| (row.teste == 1) == call.caller.is_test());
    let row = row.ok_or_else(not_found)?;
    call.about(&row.id);
    let status = exports::status(&call.app, &row);
    let made = matches!(status, ExportStatus::Ready | ExportStatus::Expired);
    call.ok(ExportOut {
        url: exports::url(&call.app, &row),
        id: row.id.clone(),
        exportacao_id: row.id,
        status,
        progresso: Progress {
            feitos: row.feitos,
            total: row.total,
        },
        expira_em: made.then(|| when::rfc3339(row.expira_ms)),
        documentos: made.then_some(row.documentos),
        bytes: made.then_some(row.bytes),
        sha256: made.then_some(row.sha256),
        ausentes: serde_json::from_str(&row.ausentes)?,
        criada_em: when::rfc3339(row.created_at_ms),
    })
}

fn not_found() -> Failure {
    Refusal::new(Code::NaoEncontrado)
        .message("Exportação não encontrada.")
        .into()
}

async fn arquivo(
    call: Call,
    Path(id): Path<ExportacaoId>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiResult<Response> {
    let expires_s = query
        .get("expira")
        .and_then(|text| text.parse::<i64>().ok());
    let signature = query.get("assinatura").map_or("", String::as_str);
    let expires_s = expires_s
        .filter(|expires_s| exports::genuine(&call.app, &id, *expires_s, signature))
        .ok_or_else(not_found)?;
    let expired = || Failure::from(Refusal::new(Code::LinkExpirado));
    if call.app.now_ms() / 1_000 >= expires_s {
        return Err(expired().into());
    }
    let mut conn = call.app.db.read().await?;
    let row = exportacoes::by_id(&mut conn, &id).await?;
    drop(conn);
    let row = row.ok_or_else(not_found)?;
    if exports::status(&call.app, &row) != ExportStatus::Ready {
        return Err(expired().into());
    }
    let file = File::open(exports::file(&call.app, &row)).await;
    let file = file.map_err(|error| Failure::Internal(error.into()))?;
    let chunks = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(chunk), file)))
    });
    let mut response = Body::from_stream(chunks).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/zip"),
    );
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(row.bytes));
    let name = format!("attachment; filename=\"{}.zip\"", row.id);
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
