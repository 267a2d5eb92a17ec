//! Adapter of a payment service provider (PSP): charges for purchases of
//! credits, their state, and refunds.
//!
//! Every request that changes something carries the hub's own id as the PSP's
//! idempotency key, so sending it twice is the same as once. Card numbers
//! never come here: a card is paid on a page of the PSP.

mod charge;
mod content;
mod description;
mod requests;

use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let content = &op.conteudo;
    match op.nome.as_str() {
        description::CRIAR => requests::create(&flow, content).await,
        description::CONSULTAR => requests::query(&flow, content).await,
        description::REFUND_REQUEST => requests::refund(&flow, content).await,
        other => Err(Failure::not_supported(other)),
    }
}

sdk::export_lookup!(description::describe, description::permissions, run);
