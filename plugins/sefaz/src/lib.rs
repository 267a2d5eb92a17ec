//! Adapter of the state authorities for NF-e and NFC-e, services 4.00.
//!
//! One adapter for all authorizers: what differs between them is an option of
//! the registry. The signed document never comes here: the adapter writes the
//! envelope with a placeholder, the host fills it (docs/decisions/0005).
//!
//! A flow sends what changes something at most once (a voiding at most three
//! times, which is the same as once). After a lost answer it asks; what stays
//! unknown ends as may-exist, and the host asks again by `consultar`.

mod answer;
mod authorization;
mod content;
mod description;
mod distribution;
mod event;
mod ids;
mod options;
mod query;
mod request;
mod sending;
mod service;
mod status;
mod taxpayers;
mod void;

use options::Opcoes;
use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let conteudo = &op.conteudo;
    match op.nome.as_str() {
        "autorizar" => authorization::autorizar(&flow, conteudo).await,
        "consultar" => query::consultar(&flow, conteudo).await,
        "evento" => event::registrar(&flow, conteudo).await,
        "inutilizar" => void::inutilizar(&flow, conteudo).await,
        "status" => status::status(&flow, conteudo).await,
        "cadastro" => taxpayers::consultar(&flow, conteudo).await,
        "distribuicao" => distribution::buscar(&flow, conteudo).await,
        outra => Err(Failure::not_supported(outra)),
    }
}

/// What every operation has at hand.
struct Chamada<'a> {
    flow: &'a Flow,
    opcoes: Opcoes,
}

impl<'a> Chamada<'a> {
    /// # Errors
    /// The registry gives a value the adapter does not know.
    fn nova(flow: &'a Flow) -> Result<Self, Failure> {
        let opcoes = Opcoes::ler(flow.ctx())?;
        Ok(Chamada { flow, opcoes })
    }
}

sdk::export_sefaz!(description::describe, run);
