//! Adapter of the national NFS-e standard: DPS 1.01 to the Sefin Nacional, or
//! to a city that takes it at its own address (`transport`).
//!
//! One DPS per request; to the Sefin Nacional as JSON with gzip+base64 XML and
//! mutual TLS with the customer's certificate. The server knows each DPS by its
//! id, so a lost answer is settled by asking for that id before anything is
//! sent again.

mod api;
mod assembly;
mod cancellation;
mod delivery;
mod description;
mod events;
mod ids;
mod issuance;
mod layout;
mod nota;
mod permissions;
mod query;
mod receipt;
mod transport;

use sdk::{Failure, Flow, Operacao, Outcome};

pub use description::describe;
pub use permissions::permissions;

/// The flow of an operation.
///
/// # Errors
/// See [`Failure`].
pub async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        "emitir" => issuance::issue(&flow, &op.conteudo, false).await,
        "substituir" => issuance::issue(&flow, &op.conteudo, true).await,
        "cancelar" => cancellation::cancel(&flow, &op.conteudo).await,
        "consultar-rps" => query::by_dps(&flow, &op.conteudo).await,
        "consultar-nota" => query::by_chave(&flow, &op.conteudo).await,
        other => Err(Failure::not_supported(other)),
    }
}

sdk::nfse_adapter!(describe, permissions, run);
