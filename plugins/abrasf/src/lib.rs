//! Adapter for the municipal systems of the ABRASF family: one code for
//! versions 1.00 and 2.00 to 2.04; what differs between systems is an option.
//!
//! Reads top-down: the flow of `plugins/rps` decides, `system` tells it what this
//! family is, `message` writes, `dialect` adapts, `request` wraps, `answer` reads.

mod answer;
mod description;
mod dialect;
mod ids;
mod message;
mod options;
mod pattern;
mod permissions;
mod request;
mod service;
mod system;
mod transport;
mod version;

use rps::flow;
use sdk::{Failure, Flow, Operacao, Outcome};
use system::Abrasf;

pub use description::describe;
pub use permissions::permissions;

/// The flow of an operation.
///
/// # Errors
/// See [`Failure`].
pub async fn run(flow: Flow, op: Operacao) -> Outcome {
    let system = Abrasf::read(flow.ctx(), &op)?;
    match op.nome.as_str() {
        "emitir" => flow::issue(&flow, &op, &system).await,
        "consultar-rps" => flow::query::rps(&flow, &op, &system).await,
        "consultar-nota" => flow::query::nota(&flow, &op, &system).await,
        "cancelar" => flow::cancel(&flow, &op, &system).await,
        "substituir" => flow::replace(&flow, &op, &system).await,
        other => Err(Failure::not_supported(other)),
    }
}

sdk::nfse_adapter!(describe, permissions, run);
