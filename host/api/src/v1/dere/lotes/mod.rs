//! POST /api/v1/dere/lotes: events of the DeRE that go together, signed and
//! judged. Free.

pub mod get;
pub mod revalidar;
mod state;

use super::{BETA, NOT_SENT, Sending, beta};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use issuing::actions::dere::{BatchOrder, assemble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{DereBatchId, DereEventId};
use store::tables::dere::DereBatchStatus;

pub fn built() -> Built {
    Built {
        operation: "dere.lotes",
        route: |method| on(method, post),
        docs: Docs::new("Beta, grátis: monta um lote de 1 a 50 eventos da DeRE de uma empresa, na ordem informada. Cada evento é assinado com o certificado do emitente, se ele tem um, e conferido com o leiaute, sozinho e ao lado dos outros; o resultado está em GET /api/v1/dere/lotes/{id}. Um evento sai de um lote só se o lote foi rejeitado. Nada é transmitido.")
            .body::<BatchIn>()
            .idempotent()
            .answers(&[(201, "O lote foi montado.")])
            .sends(BETA, &[201])
            .success_at::<BatchOut>(201),
    }
}

/// Os eventos de um lote.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "LoteDereIn")]
struct BatchIn {
    /// De 1 a 50 evento_id, na ordem em que iriam: as tabelas antes dos
    /// mensais, o fechamento no fim.
    #[schemars(length(min = 1, max = 50))]
    eventos: Vec<DereEventId>,
}

/// O lote montado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LoteDereOut")]
struct BatchOut {
    /// O id do lote.
    id: DereBatchId,
    /// O mesmo que `id`.
    lote_id: DereBatchId,
    status: DereBatchStatus,
    leiaute: String,
    transmissao: Sending,
    /// O que não é feito nesta versão.
    aviso: &'static str,
}

async fn post(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<BatchOut> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let body: BatchIn = body::read(value, call.tolerant)?;
    let order = BatchOrder {
        caller: call.caller.clone(),
        events: body.eventos,
        idempotency: key,
    };
    let made = assemble(&call.app, order).await?;
    call.about(&made.row.id);
    let answer = BatchOut {
        id: made.row.id.clone(),
        lote_id: made.row.id,
        // As it was put together; what was found later is its state.
        status: DereBatchStatus::Assembled,
        leiaute: made.row.leiaute,
        transmissao: Sending::NaoDisponivel,
        aviso: NOT_SENT,
    };
    Ok(beta(call.created(answer)?.replayed(made.replayed)))
}
