//! POST /api/v1/emitters/batch: up to 50 companies, each with its own result.

use super::create::{self, EmitterIn};
use super::form;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{self, Code, Failure, Refusal};
use futures::{StreamExt, stream};
use gate::Call;
use gate::answer::Answer;
use gate::answer::refusal::RefusalOut;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::body;
use issuing::emitters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::mem;
use store::ids::{EmitterId, RequestId};

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
            .body::<BatchDocs>()
            .answers(&[(207, "Resultado de cada item, na ordem enviada.")])
            .plain::<BatchOut>(),
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
    #[schemars(rename = "emitentes", length(min = 1, max = 50))]
    #[expect(dead_code, reason = "only its schema is used")]
    emitters: Vec<EmitterIn>,
}

/// O resultado de cada emitente do lote.
#[derive(Serialize, JsonSchema)]
struct BatchOut {
    /// Nenhum item falhou.
    sucesso: bool,
    itens: Vec<Item>,
    criados: usize,
    falhas: usize,
    /// Identifica esta chamada, também no cabeçalho X-Request-Id.
    request_id: RequestId,
}

/// O resultado de um emitente do lote: cadastrado ou recusado.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ItemDoLote")]
enum Item {
    Cadastrado(Registered),
    Recusado(Box<Refused>),
}

/// Um emitente que foi cadastrado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemCadastrado")]
struct Registered {
    /// O lugar no lote, a partir de 0.
    indice: usize,
    /// Sempre `true`.
    sucesso: bool,
    id: EmitterId,
    cnpj: String,
}

/// Um emitente que não foi cadastrado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ItemRecusado")]
struct Refused {
    /// O lugar no lote, a partir de 0.
    indice: usize,
    /// Sempre `false`.
    sucesso: bool,
    #[serde(flatten)]
    recusa: RefusalOut,
    /// Sempre `false`.
    consumiu_numero_fiscal: bool,
    /// Sempre `false`.
    consumiu_credito: bool,
    /// A página do código.
    documentacao: String,
    /// O que mais esta recusa diz, como `emitente_id`.
    #[serde(flatten)]
    outros: Map<String, Value>,
}

async fn batch(call: Call, headers: HeaderMap, request: Request) -> ApiResult<Answer<BatchOut>> {
    let bytes = form::bytes(request).await?;
    let mut sent = body::parse_up_to(&headers, &bytes, call.app.config.limits.certificate_bytes)?;
    drop(bytes);
    // Taken as they were sent: what reads a body leaves the nulls of a free value
    // out, and an unknown member that is null would go unnoticed.
    let items = sent.get_mut("emitentes").and_then(Value::as_array_mut);
    let items = items.map(mem::take);
    let read: BatchIn = body::read(sent, call.tolerant)?;
    let emitters = items.unwrap_or(read.emitentes);
    if !(1..=ITEMS).contains(&emitters.len()) {
        return Err(Refusal::new(Code::LimiteDoLote)
            .message(format!(
                "O lote tem {} itens; o limite é de 1 a {ITEMS}.",
                emitters.len()
            ))
            .into());
    }
    let items: Vec<Item> = stream::iter(emitters.into_iter().enumerate())
        .map(|(index, item)| one(&call, index, item))
        .buffered(AT_ONCE)
        .collect()
        .await;
    let created = items
        .iter()
        .filter(|item| matches!(item, Item::Cadastrado(_)));
    let created = created.count();
    let failed = items.len() - created;
    let body = BatchOut {
        sucesso: failed == 0,
        itens: items,
        criados: created,
        falhas: failed,
        request_id: call.caller.request_id.clone(),
    };
    Answer::plain(207, &body)
}

/// Registers one item; its failure is its result.
async fn one(call: &Call, index: usize, item: Value) -> Item {
    let registered = async {
        let new = create::read(item, None, call.tolerant)?;
        emitters::register(&call.app, &call.caller.account_id, new, false).await
    };
    match registered.await {
        Ok(emitter) => Item::Cadastrado(Registered {
            indice: index,
            sucesso: true,
            id: emitter.row.id,
            cnpj: emitter.row.cnpj,
        }),
        Err(failure) => Item::Recusado(Box::new(refused(call, index, failure))),
    }
}

fn refused(call: &Call, index: usize, failure: Failure) -> Refused {
    let mut refusal = match failure {
        Failure::Refused(refusal) => *refusal,
        Failure::Internal(error) => {
            tracing::error!(request.id = %call.caller.request_id, error = %format!("{error:#}"), "an item of a batch failed");
            Refusal::new(Code::ErroInterno)
        }
    };
    let base_url = &call.app.config.server.base_url;
    Refused {
        indice: index,
        sucesso: false,
        documentacao: errors::page(base_url, refusal.code.as_str()),
        outros: mem::take(&mut refusal.extra),
        recusa: refusal.into(),
        consumiu_numero_fiscal: false,
        consumiu_credito: false,
    }
}
