//! GET /api/v1/webhooks/tipos-evento: what there is to be told of.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use events::attempt::envelope::dados;
use events::webhooks::catalogue::TIPOS;
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "webhooks.tipos-evento",
        route: |method| on(method, list),
        docs: Docs::new("Lista os tipos de evento, com um exemplo dos dados de cada um."),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    only(&query, &[])?;
    let base_url = &call.app.config.server.base_url;
    let items: Vec<Value> = TIPOS
        .iter()
        .map(|tipo| {
            value!({
                "tipo": tipo.nome, "descricao": tipo.descricao, "padrao": tipo.padrao,
                "exemplo_dados": dados(tipo.exemplo(), base_url),
            })
        })
        .collect();
    Ok(json(
        200,
        &value!({ "sucesso": true, "itens": items, "request_id": call.caller.request_id }),
    ))
}
