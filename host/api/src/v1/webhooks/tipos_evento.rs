//! GET /api/v1/webhooks/tipos-evento: what there is to be told of.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use events::attempt::envelope::KeptData;
use events::webhooks::catalogue::TIPOS;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
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
    itens: Vec<EventKind>,
}

/// Um tipo de evento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TipoDeEvento")]
struct EventKind {
    tipo: &'static str,
    descricao: &'static str,
    /// Enviado também ao webhook que não escolhe tipos.
    padrao: bool,
    exemplo_dados: KeptData,
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<TiposOut> {
    only(&query, &[])?;
    let base_url = &call.app.config.server.base_url;
    let items = TIPOS.iter().map(|kind| EventKind {
        tipo: kind.name,
        descricao: kind.description,
        padrao: kind.default,
        exemplo_dados: kind.example_data(base_url),
    });
    call.ok(TiposOut {
        itens: items.collect(),
    })
}
