//! GET /api/v1/erros: every error a customer can get.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "erros",
        route: |method| on(method, erros),
        docs: Docs::new("Lista os códigos de erro: status, mensagem e o que fazer.").query(
            "codigo",
            "Só este código.",
            value!({ "type": "string" }),
        ),
    }
}

async fn erros(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    only(&query, &["codigo"])?;
    let wanted = query.get("codigo");
    let items: Vec<Value> = Code::ALL
        .iter()
        .map(|code| code.entry())
        .filter(|entry| wanted.is_none_or(|wanted| wanted == entry.codigo))
        .map(|entry| {
            value!({
                "codigo": entry.codigo, "status": entry.status, "mensagem": entry.mensagem, "dica": entry.dica,
            })
        })
        .collect();
    if items.is_empty() {
        return Err(Refusal::new(Code::NaoEncontrado)
            .message("Este código de erro não existe.")
            .hint("Veja todos em /api/v1/erros.")
            .into());
    }
    Ok(json(
        200,
        &value!({ "sucesso": true, "itens": items, "request_id": call.caller.request_id }),
    ))
}
