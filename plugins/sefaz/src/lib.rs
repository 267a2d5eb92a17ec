//! Adapter of the state authorities for NF-e, NFC-e and CT-e (services 4.00)
//! and MDF-e (services 3.00).
//!
//! One adapter for all authorizers: what differs between them is an option of
//! the registry, what differs between the documents is a [`Family`]. The
//! signed document never comes here: the adapter writes the envelope with a
//! placeholder, the host fills it (docs/decisions/0005).
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
mod family;
mod ids;
mod open;
mod options;
mod query;
mod request;
mod sending;
mod service;
mod status;
mod taxpayers;
mod void;

use family::Family;
use options::Options;
use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let content = &op.conteudo;
    match op.nome.as_str() {
        "autorizar" => authorization::authorize(&flow, content).await,
        "consultar" => query::query(&flow, content).await,
        "evento" => event::registrar(&flow, content).await,
        "inutilizar" => void::inutilizar(&flow, content).await,
        "status" => status::status(&flow, content).await,
        "nao_encerrados" => open::query(&flow, content).await,
        "cadastro" => taxpayers::query(&flow, content).await,
        "distribuicao" => distribution::buscar(&flow, content).await,
        other => Err(Failure::not_supported(other)),
    }
}

/// What every operation has at hand.
struct Call<'a> {
    flow: &'a Flow,
    options: Options,
    family: &'static Family,
    /// cUF of the SOAP header, where it is not that of the context.
    uf: Option<u32>,
}

impl<'a> Call<'a> {
    /// # Errors
    /// The registry gives a value the adapter does not know.
    fn fresh(flow: &'a Flow, family: &'static Family) -> Result<Self, Failure> {
        let options = Options::read(flow.ctx(), family)?;
        Ok(Call {
            flow,
            options,
            family,
            uf: None,
        })
    }
}

sdk::export_sefaz!(description::describe, description::permissions, run);
