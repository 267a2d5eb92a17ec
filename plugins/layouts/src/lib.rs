//! Adapter for municipal systems with layouts of their own: one core whose
//! systems are data in `leiautes/`.
//!
//! Reads top-down: the flow of `plugins/rps` decides, `system` tells it what a
//! city is, `layout` reads the files, `sending` writes, `reading` reads.

mod cities;
mod description;
mod embedded;
mod layout;
mod names;
mod permissions;
mod reading;
mod sections;
mod sending;
mod source;
mod system;
mod template;
mod tom;

use rps::flow;
use sdk::{Failure, Flow, Operacao, Outcome};
use system::City;

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let city = City::read(flow.ctx())?;
    match op.nome.as_str() {
        "emitir" => flow::issue(&flow, &op, &city).await,
        "consultar-rps" => flow::query::rps(&flow, &op, &city).await,
        "consultar-nota" => flow::query::nota(&flow, &op, &city).await,
        "cancelar" => flow::cancel(&flow, &op, &city).await,
        "substituir" => flow::replace(&flow, &op, &city).await,
        other => Err(Failure::not_supported(other)),
    }
}

/// Every mistake in the files of the layouts, whatever the options of a city.
pub fn mistakes() -> Vec<String> {
    let of = |(name, files): &(&str, embedded::Files)| {
        let found = layout::mistakes(files);
        let found = found.into_iter().map(|mistake| format!("{name}/{mistake}"));
        found.collect::<Vec<String>>()
    };
    embedded::LAYOUTS.iter().flat_map(of).collect()
}

sdk::export_nfse!(description::describe, permissions::permissions, run);
