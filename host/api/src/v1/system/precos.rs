//! GET /api/v1/precos: every operation, its price, and whether it works.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use crate::{Built, json, missing};
use accounts::scopes::{self, Access};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::operations::{self, Operation};
use serde_json::{Value, json as value};
use std::sync::OnceLock;

pub fn built() -> Built {
    Built {
        operation: "precos",
        route: |method| on(method, precos),
        docs: Docs::new(
            "Lista todas as operações: preço em créditos, quando é cobrado e disponibilidade.",
        ),
    }
}

async fn precos(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    only(&query, &[])?;
    // The table is part of the program: made once.
    static ITEMS: OnceLock<Vec<Value>> = OnceLock::new();
    let items = ITEMS.get_or_init(|| {
        let missing: Vec<&str> = missing().iter().map(|row| row.operation.as_str()).collect();
        operations::all()
            .iter()
            .map(|row| item(row, !missing.contains(&row.operation.as_str())))
            .collect()
    });
    Ok(json(
        200,
        &value!({
            "sucesso": true, "moeda": "BRL", "credito_em_reais": issuing::answer::number("0.01"), "itens": items,
            "request_id": call.caller.request_id,
        }),
    ))
}

fn item(row: &Operation, built: bool) -> Value {
    // `8|20`: a price by size; the lowest one is shown first.
    let tiers: Vec<i64> = row
        .credits
        .split('|')
        .filter_map(|tier| tier.parse().ok())
        .collect();
    value!({
        "n": row.n,
        "operacao": row.operation,
        "metodo": row.method,
        "caminho": row.path,
        "creditos": tiers.first(),
        "faixas": if tiers.len() > 1 { Some(&tiers) } else { None },
        "cobrado_quando": row.charged_when,
        "disponibilidade": row.availability,
        "familia": row.family,
        "precisa_de_chave": row.auth == "key",
        "escopo": scopes::access(row).and_then(Access::scope),
        "construida": built,
    })
}
