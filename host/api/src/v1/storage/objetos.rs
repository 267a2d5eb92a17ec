//! GET and DELETE /api/v1/storage/objetos: what is kept, links to it, its end.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, flag, only, page};
use crate::{Built, json};
use axum::extract::{Path, Query as UrlQuery};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use base::when;
use objects::storage::{self, Caminho, Link};
use serde_json::json as value;
use store::tables::objetos;

pub fn built_list() -> Built {
    Built {
        operation: "storage.objetos.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista os objetos guardados, do mais novo para o mais antigo.")
            .query(
                "prefixo",
                "Só os caminhos que começam assim.",
                value!({ "type": "string", "minLength": 1 }),
            )
            .paged(),
    }
}

pub fn built_get() -> Built {
    Built {
        operation: "storage.objetos.get",
        route: |method| on(method, get),
        docs: Docs::new("Dá um link assinado para baixar um objeto sem chave, por 5 minutos.")
            .query(
                "redirecionar",
                "1 responde 302 para o link.",
                value!({ "type": "string", "enum": ["0", "1"] }),
            )
            .answers(&[(200, "O link."), (302, "O link, em Location.")])
            .sends("Location", &[302]),
    }
}

pub fn built_delete() -> Built {
    Built {
        operation: "storage.objetos.delete",
        route: |method| on(method, delete),
        docs: Docs::new("Apaga um objeto.").answers(&[(204, "Apagado.")]),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &["prefixo"])?;
    let prefixo = query.get("prefixo").map_or("", String::as_str);
    let account_id = &call.caller.account_id;
    let mut conn = call.app.db.walk(account_id).await?;
    let rows = objetos::list(&mut conn, account_id, prefixo, &page.before, page.rows()).await?;
    drop(conn);
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(|row| {
        value!({
            "caminho": row.caminho, "bytes": row.bytes, "sha256": row.sha256, "tipo": row.tipo,
            "criado_em": when::rfc3339(row.created_at_ms), "atualizado_em": when::rfc3339(row.updated_at_ms),
        })
    });
    let body = page.body(items.collect(), ids, &call.caller.request_id);
    Ok(json(200, &body))
}

async fn get(
    call: Call,
    Path(caminho): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiResult<Response> {
    only(&query, &["redirecionar"])?;
    let redirect = flag(&query, "redirecionar")?;
    let caminho = Caminho::parse(caminho)?;
    let mut conn = call.app.db.read().await?;
    let row = objetos::get(&mut conn, &call.caller.account_id, caminho.as_str()).await?;
    drop(conn);
    let row = row.ok_or_else(storage::inexistente)?;
    call.about(&row.id);
    let link = Link::to(&call.app.objects, &row);
    if redirect {
        let location = HeaderValue::from_str(&link.url).map_err(anyhow::Error::from)?;
        return Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response());
    }
    let answer = value!({
        "sucesso": true, "url": link.url, "expira_em": when::rfc3339(link.expira_s * 1_000),
        "caminho": row.caminho, "bytes": row.bytes, "sha256": row.sha256, "tipo": row.tipo,
        "request_id": call.caller.request_id,
    });
    Ok(json(200, &answer))
}

async fn delete(call: Call, Path(caminho): Path<String>) -> ApiResult<Response> {
    only(&call.query, &[])?;
    let caminho = Caminho::parse(caminho)?;
    storage::apagar(&call.app.objects, &call.caller, &caminho).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
