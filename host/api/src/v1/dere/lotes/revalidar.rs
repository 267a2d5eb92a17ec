//! POST /api/v1/dere/lotes/{id}/revalidar: judges a batch again, by the layout
//! in force.

use super::super::{BETA, beta};
use super::state::{self, StateOut};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::actions::dere::judge;
use store::ids::DereBatchId;

pub fn built() -> Built {
    Built {
        operation: "dere.lotes.revalidar",
        route: |method| on(method, post),
        docs: Docs::new("Beta, grátis: escreve de novo os eventos de um lote da DeRE pelo leiaute em vigor, assina com o certificado atual do emitente e confere todos outra vez. Nada é transmitido.")
            .no_members()
            .sends(BETA, &[200])
            .success::<StateOut>(),
    }
}

async fn post(
    call: Call,
    Path(id): Path<DereBatchId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<StateOut> {
    body::none(&call, &headers, &bytes)?;
    let row = state::batch(&call, &id).await?;
    let row = judge(&call.app, row).await?;
    let shown = state::shown(&call, row, false).await?;
    Ok(beta(call.ok(shown)?))
}
