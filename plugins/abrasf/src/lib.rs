//! Adapter for the municipal systems of the ABRASF family: one code for
//! versions 1.00 and 2.00 to 2.04; what differs between systems is an option.
//!
//! Reads top-down: `flow` decides, `message` writes, `dialect` adapts,
//! `request` wraps, `answer` reads.

mod answer;
mod dates;
mod description;
mod dialect;
mod flow;
mod message;
mod options;
mod pattern;
mod request;
mod service;
mod transport;
mod version;

use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        "emitir" => flow::issue::issue(&flow, &op).await,
        "consultar-rps" => flow::query::rps(&flow, &op).await,
        "consultar-nota" => flow::query::nota(&flow, &op).await,
        "cancelar" => flow::cancel::cancel(&flow, &op).await,
        "substituir" => flow::issue::substituir(&flow, &op).await,
        other => Err(Failure::not_supported(other)),
    }
}

sdk::export_nfse!(description::describe, run);
