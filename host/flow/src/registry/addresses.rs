//! The addresses that adapters send service notes to.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use super::address::authority;
use super::model::{Endpoints, Leg, Municipality, OptionValue, Regime, Registry, System};
use super::route::Via;

/// An address in production that an adapter of the hub uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// As the file has it.
    pub url: String,
    /// A service of SOAP, which shows its description when it is asked with `?wsdl`.
    pub soap: bool,
    /// Systems that it belongs to, by their names in the file.
    pub systems: BTreeSet<String>,
}

impl Address {
    /// Host and port, as in the address. None: not one the hub would call.
    pub fn authority(&self) -> Option<&str> {
        authority(&self.url)
    }
}

/// Which addresses are meant; without either, all.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// A system, by its name in the file.
    pub system: Option<String>,
    /// A municipality, by its IBGE code.
    pub municipality: Option<u32>,
}

impl Registry {
    /// Every address that something is sent to: of systems, routes and state
    /// authorities, in production and in test, each once.
    pub fn all_addresses(&self) -> BTreeSet<&str> {
        let systems = self
            .systems
            .values()
            .flat_map(|system| [&system.production, &system.homologacao]);
        let legs = self
            .municipalities
            .iter()
            .flat_map(|municipality| municipality.routes.iter().chain(&municipality.earlier))
            .flat_map(|leg| [&leg.production, &leg.homologacao]);
        let authorizers = self.sefaz.authorizers.values();
        let services = authorizers
            .flat_map(|authorizer| authorizer.services.values())
            .flat_map(|services| [&services.production, &services.homologacao]);
        let endpoints = systems.chain(legs).chain(services);
        endpoints
            .flat_map(|endpoints: &Endpoints| endpoints.values().map(String::as_str))
            .collect()
    }

    /// Addresses in production of the routes of a day that have an adapter, each once.
    pub fn addresses(&self, on: Date, scope: &Scope) -> Vec<Address> {
        let mut found = BTreeMap::new();
        for municipality in &self.municipalities {
            if scope
                .municipality
                .is_none_or(|ibge| ibge == municipality.ibge)
            {
                self.of_municipality(municipality, on, scope, &mut found);
            }
        }
        found.into_values().collect()
    }

    fn of_municipality(
        &self,
        municipality: &Municipality,
        on: Date,
        scope: &Scope,
        found: &mut BTreeMap<String, Address>,
    ) {
        for regime in Regime::ALL {
            if let Some(own) = self.leg(municipality, regime, on) {
                gather(&own.leg.system, Some(own.leg), scope, found);
            }
            if let Some(rule) = self.rule(regime, on) {
                gather(&rule.system, None, scope, found);
            }
        }
    }

    /// Addresses in production that the notes of a municipality and a regime go to on a
    /// day: those its adapter cannot do without. Empty: no route, or no adapter for it.
    pub fn addresses_of(&self, ibge: u32, regime: Regime, on: Date) -> Vec<String> {
        let Ok(mut route) = self.route(ibge, regime, on, Via::Auto) else {
            return Vec::new();
        };
        let adapter = route.adapter.take();
        let adapter = adapter.and_then(|name| self.adapters.get(&name));
        let needed = adapter.into_iter().flat_map(|adapter| &adapter.endpoints);
        needed
            .filter_map(|endpoint| route.production.remove(endpoint))
            .collect()
    }

    /// The main address in production of a municipality's own system, where an adapter
    /// speaks to it.
    pub fn main_address(&self, ibge: u32, on: Date) -> Option<Address> {
        let municipality = self.municipality(ibge)?;
        let leg = self.leg(municipality, Regime::Normal, on)?.leg;
        leg.system.adapter.as_ref()?;
        let url = self.main_url(leg, &leg.production, &leg.system.production)?;
        Some(Address {
            soap: speaks_soap(&leg.system, Some(leg), &url),
            systems: BTreeSet::from([leg.system.id.clone()]),
            url,
        })
    }
}

fn gather(
    system: &System,
    leg: Option<&Leg>,
    scope: &Scope,
    found: &mut BTreeMap<String, Address>,
) {
    let meant = scope.system.as_ref().is_none_or(|id| *id == system.id);
    if !meant || system.adapter.is_none() {
        return;
    }
    let own = leg.map(|leg| &leg.production);
    let shared = system
        .production
        .iter()
        .filter(|(name, _)| own.is_none_or(|own: &Endpoints| !own.contains_key(*name)));
    for (_, url) in shared.chain(own.into_iter().flatten()) {
        let address = found.entry(url.clone()).or_insert_with(|| Address {
            url: url.clone(),
            soap: speaks_soap(system, leg, url),
            systems: BTreeSet::new(),
        });
        if !address.systems.contains(&system.id) {
            address.systems.insert(system.id.clone());
        }
    }
}

/// What an adapter's options, or else the layout and the address, say of the service.
fn speaks_soap(system: &System, leg: Option<&Leg>, url: &str) -> bool {
    let option = |name: &str| {
        let own = leg.and_then(|leg| leg.options.get(name));
        own.or_else(|| system.options.get(name))
            .map(OptionValue::to_wire)
    };
    match option("corpo") {
        Some(body) => body == "soap",
        None if option("campos_json").is_some() => false,
        None => {
            let lower = url.to_ascii_lowercase();
            let named = [".asmx", ".svc", "wsdl"]
                .iter()
                .any(|end| lower.ends_with(end));
            named || option("soap").is_some() || system.standard.starts_with("ABRASF")
        }
    }
}
