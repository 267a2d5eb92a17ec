//! Which system serves a municipality, and which systems serve Brazil.

use std::collections::BTreeMap;

use time::Date;

use super::model::{Caminho, Endpoints, Evidence, Leg, Regime, Registry};
use super::route::evidence;

/// The system of one municipality on one day.
#[derive(Debug, Clone)]
pub struct Provedor {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Name of the municipality.
    pub city: String,
    /// Sigla of the state.
    pub uf: String,
    /// System, by its name in the file.
    pub system: String,
    /// Name of the system for people.
    pub provedor: String,
    /// Layout; empty when no source says.
    pub standard: String,
    /// How notes leave by it.
    pub via: Caminho,
    /// Address in production. None: no source gives it.
    pub production_url: Option<String>,
    /// Address in homologation. None: no source gives it.
    pub url_homologacao: Option<String>,
    /// An adapter of the hub speaks to it.
    pub issue_by_api: bool,
    /// Who says so.
    pub evidence: Evidence,
}

/// Systems in use on one day.
#[derive(Debug, Clone)]
pub struct Provedores {
    /// Systems, the one with most municipalities first.
    pub provedores: Vec<ProviderSummary>,
    /// Numbers by state.
    pub by_uf: BTreeMap<String, UfSummary>,
    /// Municipalities of Brazil.
    pub municipalities: u32,
    /// Municipalities where an adapter issues.
    pub covered: u32,
    /// Tenths of a percent of the municipalities covered (613 = 61.3 %).
    pub brazil_thousandths: u32,
    /// Municipalities no source knows.
    pub not_measured: u32,
}

/// One system and how much it serves.
#[derive(Debug, Clone)]
pub struct ProviderSummary {
    /// System, by its name in the file.
    pub system: String,
    /// Name for people.
    pub name: String,
    /// Layout.
    pub standard: String,
    /// Municipalities that use it.
    pub municipalities: u32,
    /// An adapter of the hub speaks to it.
    pub issue_by_api: bool,
}

/// One state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UfSummary {
    /// Municipalities of the state.
    pub municipalities: u32,
    /// Municipalities where an adapter issues.
    pub covered: u32,
    /// Municipalities no source knows.
    pub not_measured: u32,
}

impl Registry {
    /// The system of a municipality for the general regime. None: no such
    /// municipality, or no source knows its system ("não suportado").
    pub fn provedor(&self, ibge: u32, on: Date) -> Option<Provedor> {
        let m = self.municipality(ibge)?;
        let leg = self.leg(m, Regime::Normal, on)?.leg;
        let system = &leg.system;
        Some(Provedor {
            ibge,
            city: m.name.clone(),
            uf: m.uf.clone(),
            system: system.id.clone(),
            provedor: system.name.clone(),
            standard: system.standard.clone(),
            via: system.via,
            production_url: self.main_url(leg, &leg.production, &system.production),
            url_homologacao: self.main_url(leg, &leg.homologacao, &system.homologacao),
            issue_by_api: system.adapter.is_some(),
            evidence: evidence(m, leg),
        })
    }

    /// The address notes go to: the adapter's first endpoint, else "nfse".
    pub(super) fn main_url(
        &self,
        leg: &Leg,
        own: &Endpoints,
        shared: &Endpoints,
    ) -> Option<String> {
        let adapter = leg
            .system
            .adapter
            .as_ref()
            .and_then(|name| self.adapters.get(name));
        let name = adapter
            .and_then(|a| a.endpoints.first())
            .map_or("nfse", String::as_str);
        own.get(name).or_else(|| shared.get(name)).cloned()
    }

    /// Systems in use, numbers by state and share of Brazil, for the general
    /// regime.
    pub fn provedores(&self, on: Date) -> Provedores {
        let mut by_system: BTreeMap<&str, ProviderSummary> = BTreeMap::new();
        let mut by_uf: BTreeMap<String, UfSummary> = BTreeMap::new();
        let mut total = UfSummary::default();
        for m in &self.municipalities {
            let uf = by_uf.entry(m.uf.clone()).or_default();
            let found = self.leg(m, Regime::Normal, on);
            for count in [&mut *uf, &mut total] {
                count.municipalities += 1;
                match found {
                    Some(found) if found.leg.system.adapter.is_some() => count.covered += 1,
                    Some(_) => {}
                    None => count.not_measured += 1,
                }
            }
            if let Some(found) = found {
                let system = &found.leg.system;
                by_system
                    .entry(&system.id)
                    .or_insert_with(|| ProviderSummary {
                        system: system.id.clone(),
                        name: system.name.clone(),
                        standard: system.standard.clone(),
                        municipalities: 0,
                        issue_by_api: system.adapter.is_some(),
                    })
                    .municipalities += 1;
            }
        }
        let mut provedores: Vec<ProviderSummary> = by_system.into_values().collect();
        provedores.sort_by(|a, b| {
            b.municipalities
                .cmp(&a.municipalities)
                .then_with(|| a.system.cmp(&b.system))
        });
        let thousandths = (total.covered * 1000)
            .checked_div(total.municipalities)
            .unwrap_or(0);
        Provedores {
            provedores,
            by_uf,
            municipalities: total.municipalities,
            covered: total.covered,
            brazil_thousandths: thousandths,
            not_measured: total.not_measured,
        }
    }
}
