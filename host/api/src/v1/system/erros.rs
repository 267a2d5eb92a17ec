//! GET /api/v1/erros: every error a customer can get.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

pub fn built() -> Built {
    Built {
        operation: "erros",
        route: |method| on(method, erros),
        docs: Docs::new("Lista os códigos de erro: status, mensagem e o que fazer.")
            .query("codigo", "Só este código.", json!({ "type": "string" }))
            .success::<ErrosOut>(),
    }
}

#[derive(Serialize, JsonSchema)]
struct ErrosOut {
    itens: Vec<ErrorCode>,
}

/// Um código de erro.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoDeErro")]
struct ErrorCode {
    codigo: &'static str,
    /// Status HTTP.
    status: u16,
    mensagem: &'static str,
    /// O que fazer.
    dica: &'static str,
}

async fn erros(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<ErrosOut> {
    only(&query, &["codigo"])?;
    let wanted = query.get("codigo");
    let items: Vec<ErrorCode> = Code::ALL
        .iter()
        .map(|code| code.entry())
        .filter(|entry| wanted.is_none_or(|wanted| wanted == entry.codigo))
        .map(|entry| ErrorCode {
            codigo: entry.codigo,
            status: entry.status,
            mensagem: entry.message,
            dica: entry.hint,
        })
        .collect();
    if items.is_empty() {
        return Err(Refusal::new(Code::NaoEncontrado)
            .message("Este código de erro não existe.")
            .hint("Veja todos em /api/v1/erros.")
            .into());
    }
    call.ok(ErrosOut { itens: items })
}
