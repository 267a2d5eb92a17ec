//! The authorizers of the registry, each with whether it is left alone.

use super::{AUTHORIZES, Breaker, Pause};
use crate::way::Mode;
use flow::registry::{Endpoints, Registry};
use std::collections::BTreeSet;
use store::words::Ambiente;

/// An authorizer of product notes and transport documents, in one environment.
#[derive(Clone, Debug)]
pub struct Authorizer {
    /// Its name in the registry ("SVRS").
    pub id: String,
    /// Its name for people, pt-BR.
    pub name: String,
    pub ambiente: Ambiente,
    /// Where it authorizes, of all models.
    pub addresses: BTreeSet<String>,
    /// None: it is asked.
    pub pause: Option<Pause>,
}

/// All of them, by name. Pauses of the simulated authorities inside of this process
/// (test keys) are left out: they say nothing about an authorizer.
pub fn all(registry: &Registry, breaker: &Breaker, now_ms: i64) -> Vec<Authorizer> {
    let mut pauses = breaker.pauses(now_ms);
    pauses.retain(|pause| pause.company.is_empty() && pause.mode != Mode::InProcess);
    let mut found = Vec::new();
    for authorizer in registry.authorizers() {
        let services: Vec<_> = authorizer.services.values().collect();
        let production = addresses(services.iter().map(|services| &services.production));
        let homologacao = addresses(services.iter().map(|services| &services.homologacao));
        for (ambiente, addresses) in [
            (Ambiente::Production, production),
            (Ambiente::Homologacao, homologacao),
        ] {
            if addresses.is_empty() {
                continue;
            }
            let pause = pauses
                .iter()
                .find(|pause| addresses.contains(&pause.address))
                .cloned();
            found.push(Authorizer {
                id: authorizer.id.clone(),
                name: authorizer.name.clone(),
                ambiente,
                addresses,
                pause,
            });
        }
    }
    found
}

fn addresses<'r>(endpoints: impl Iterator<Item = &'r Endpoints>) -> BTreeSet<String> {
    endpoints
        .filter_map(|endpoints| endpoints.get(AUTHORIZES))
        .cloned()
        .collect()
}
