//! GET /api/v1/webhooks/tipos-evento: what there is to be told of.

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::list::{Query, only};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use events::attempt::envelope::DadosGuardados;
use events::webhooks::catalogue::TIPOS;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "webhooks.tipos-evento",
        route: |method| on(method, list),
        docs: Docs::new("Lista os tipos de evento, com um exemplo dos dados de cada um.")
            .success::<TiposOut>(),
    }
}

#[derive(Serialize, JsonSchema)]
struct TiposOut {
    itens: Vec<TipoDeEvento>,
}

/// Um tipo de evento.
#[derive(Serialize, JsonSchema)]
struct TipoDeEvento {
    tipo: &'static str,
    descricao: &'static str,
    /// Enviado também ao webhook que não escolhe tipos.
    padrao: bool,
    exemplo_dados: DadosGuardados,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<TiposOut> {
    only(&query, &[])?;
    let base_url = &call.app.config.server.base_url;
    let itens = TIPOS.iter().map(|tipo| TipoDeEvento {
        tipo: tipo.nome,
        descricao: tipo.descricao,
        padrao: tipo.padrao,
        exemplo_dados: tipo.exemplo_dados(base_url),
    });
    call.ok(TiposOut {
        itens: itens.collect(),
    })
}
