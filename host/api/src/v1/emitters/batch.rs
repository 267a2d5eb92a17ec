//! POST /api/v1/emitters/batch: up to 50 companies, each with its own result.

use super::create::{self, EmitterIn};
use super::form;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::{Built, json};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{self, Code, Failure, Refusal};
use futures::{StreamExt, stream};
use issuing::emitters;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json as value};

/// Companies of a batch (`limite_do_lote`).
const ITEMS: usize = 50;
/// Items worked on at the same time; opening certificates has a limit of its
/// own below this.
const AT_ONCE: usize = 4;

pub fn built() -> Built {
    Built {
        operation: "emitters.batch",
        route: |method| on(method, batch),
        docs: Docs::new("Cadastra até 50 emitentes; cada item tem o seu resultado.")
            .body(schema())
            .answers(&[(207, "Resultado de cada item, na ordem enviada.")]),
    }
}

/// Body of the request; items are read one by one, so that a wrong one does
/// not stop the others.
#[derive(Deserialize)]
struct BatchIn {
    emitentes: Vec<Value>,
}

/// Emitentes a cadastrar.
// The body that is read, for the documentation.
#[derive(JsonSchema)]
struct BatchDocs {
    #[schemars(length(min = 1, max = 50))]
    #[expect(dead_code, reason = "only its schema is used")]
    emitentes: Vec<EmitterIn>,
}

fn schema() -> Value {
    schemars::schema_for!(BatchDocs).to_value()
}

async fn batch(call: Call, headers: HeaderMap, request: Request) -> ApiResult<Response> {
    let bytes = form::bytes(request).await?;
    let sent = body::parse_up_to(&headers, &bytes, call.app.config.limits.certificate_bytes)?;
    drop(bytes);
    let body: BatchIn = body::read(sent, call.tolerant)?;
    if !(1..=ITEMS).contains(&body.emitentes.len()) {
        return Err(Refusal::new(Code::LimiteDoLote)
            .message(format!(
                "O lote tem {} itens; o limite é de 1 a {ITEMS}.",
                body.emitentes.len()
            ))
            .into());
    }
    let items: Vec<Value> = stream::iter(body.emitentes.into_iter().enumerate())
        .map(|(index, item)| one(&call, index, item))
        .buffered(AT_ONCE)
        .collect()
        .await;
    let created = items.iter().filter(|item| item["sucesso"] == true).count();
    let failed = items.len() - created;
    Ok(json(
        207,
        &value!({
            "sucesso": failed == 0, "itens": items, "criados": created, "falhas": failed,
            "request_id": call.caller.request_id,
        }),
    ))
}

/// Registers one item; its failure is its result.
async fn one(call: &Call, index: usize, item: Value) -> Value {
    let registered = async {
        let novo = create::read(item, None, call.tolerant)?;
        emitters::register(&call.app, &call.caller.account_id, novo, false).await
    };
    match registered.await {
        Ok(emitente) => value!({
            "indice": index, "sucesso": true, "id": emitente.row.id, "cnpj": emitente.row.cnpj,
        }),
        Err(failure) => refused(call, index, failure),
    }
}

fn refused(call: &Call, index: usize, failure: Failure) -> Value {
    let refusal = match failure {
        Failure::Refused(refusal) => *refusal,
        Failure::Internal(error) => {
            tracing::error!(request.id = %call.caller.request_id, error = %format!("{error:#}"), "an item of a batch failed");
            Refusal::new(Code::ErroInterno)
        }
    };
    let base_url = &call.app.config.server.base_url;
    let mut body = errors::body(&refusal, &call.caller.request_id, base_url);
    if let Some(members) = body.as_object_mut() {
        members.remove("request_id");
        members.insert("indice".to_owned(), index.into());
    }
    body
}
