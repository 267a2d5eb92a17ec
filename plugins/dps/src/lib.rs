//! Adapter of the national NFS-e standard: DPS 1.01 to the Sefin Nacional.
//!
//! One synchronous DPS per request, JSON with gzip+base64 XML, mutual TLS
//! with the customer's certificate. The server knows each DPS by its id, so a
//! lost answer is settled by asking for that id before anything is sent again.

mod api;
mod assinatura;
mod cancelamento;
mod consulta;
mod descricao;
mod emissao;
mod entrega;
mod eventos;
mod ids;
mod layout;
mod montagem;
mod nota;

use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        "emitir" => emissao::emitir(&flow, &op.conteudo, false).await,
        "substituir" => emissao::emitir(&flow, &op.conteudo, true).await,
        "cancelar" => cancelamento::cancelar(&flow, &op.conteudo).await,
        "consultar-rps" => consulta::por_dps(&flow, &op.conteudo).await,
        "consultar-nota" => consulta::por_chave(&flow, &op.conteudo).await,
        outra => Err(Failure::not_supported(outra)),
    }
}

sdk::export_nfse!(descricao::describe, run);
