//! GET /api/v1/creditos/pacotes: what can be bought, and how.

use super::compras::reais;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use payments;
use payments::{MAX_CREDITOS, MAX_PARCELAS, MIN_CREDITOS, Meio, PACOTES};
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "creditos.pacotes",
        route: |method| on(method, get),
        docs: Docs::new(
            "Lista os pacotes de créditos; qualquer valor entre o mínimo e o máximo pode ser comprado.",
        ),
    }
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    only(&query, &[])?;
    let pacotes: Vec<Value> = PACOTES
        .iter()
        .map(|creditos| value!({ "creditos": creditos, "valor": reais(*creditos) }))
        .collect();
    let meio = |meio: Meio, parcelas: i64| value!({ "meio": meio, "parcelas_max": parcelas });
    Ok(json(
        200,
        &value!({
            "sucesso": true, "oferecida": payments::offered(&call.app).is_some(), "pacotes": pacotes,
            "minimo": reais(MIN_CREDITOS), "maximo": reais(MAX_CREDITOS),
            "meios": [meio(Meio::Pix, 1), meio(Meio::Boleto, 1), meio(Meio::Cartao, MAX_PARCELAS)],
            "request_id": call.caller.request_id,
        }),
    ))
}
