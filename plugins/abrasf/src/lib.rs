//! Adapter for the municipal systems of the ABRASF family: one code for
//! versions 1.00 and 2.00 to 2.04; what differs between systems is an option.
//!
//! Reads top-down: `fluxo` decides, `mensagem` writes, `requisicao` wraps,
//! `resposta` reads.

mod datas;
mod descricao;
mod fluxo;
mod mensagem;
mod opcoes;
mod requisicao;
mod resposta;
mod servico;
mod versao;

use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    match op.nome.as_str() {
        "emitir" => fluxo::emitir::emitir(&flow, &op).await,
        "consultar-rps" => fluxo::consultar::rps(&flow, &op).await,
        "consultar-nota" => fluxo::consultar::nota(&flow, &op).await,
        "cancelar" => fluxo::cancelar::cancelar(&flow, &op).await,
        "substituir" => fluxo::emitir::substituir(&flow, &op).await,
        outra => Err(Failure::not_supported(outra)),
    }
}

sdk::export_nfse!(descricao::describe, run);
