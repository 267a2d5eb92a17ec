//! GET /api/v1/nfe/autorizador/status: is the SEFAZ of a state working?

use crate::api::gate::Call;
use crate::api::list::Query;
use crate::api::openapi::Docs;
use crate::api::{Built, autorizador};
use crate::errors::Failure;
use crate::issuing::modelo::Modelo;
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfe.autorizador.status",
        route: |method| on(method, status),
        docs: Docs::new(
            "Diz se o autorizador de NF-e da UF está em operação; a resposta vale por 3 minutos.",
        )
        .query(
            "uf",
            "Sigla; ausente: a do emitente.",
            value!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }),
        )
        .query(
            "emitente_id",
            "De quem é o certificado da consulta; ausente: o padrão.",
            value!({ "type": "string" }),
        ),
    }
}

async fn status(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    autorizador::status(call, &query, Modelo::Nfe).await
}
