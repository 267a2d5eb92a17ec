//! GET /api/v1/dere/lotes/{id}: what was found of a batch and of its events.

use super::super::{BETA, beta};
use super::state::{self, StateOut};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use serde_json::json;
use store::ids::DereBatchId;

pub fn built() -> Built {
    Built {
        operation: "dere.lotes.get",
        route: |method| on(method, get),
        docs: Docs::new("Beta, grátis: mostra a situação de um lote da DeRE e de cada evento, com os erros por campo.")
            .query(
                "xml",
                "1: também os documentos, e o lote inteiro se foi aceito.",
                json!({ "type": "string", "enum": ["1"] }),
            )
            .sends(BETA, &[200])
            .success::<StateOut>(),
    }
}

async fn get(
    call: Call,
    Path(id): Path<DereBatchId>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<StateOut> {
    only(&query, &["xml"])?;
    let xml = match query.get("xml").map(String::as_str) {
        None => false,
        Some("1") => true,
        Some(_) => return Err(bad("xml", "Use xml=1, ou retire o parâmetro.").into()),
    };
    let row = state::batch(&call, &id).await?;
    let shown = state::shown(&call, row, xml).await?;
    Ok(beta(call.ok(shown)?))
}
