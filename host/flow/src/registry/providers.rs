//! Which system serves a municipality, and which systems serve Brazil.

use std::collections::BTreeMap;

use time::Date;

use super::model::{Caminho, Endpoints, Evidencia, Leg, Regime, Registry};
use super::route::evidence;

/// The system of one municipality on one day.
#[derive(Debug, Clone)]
pub struct Provedor {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Name of the municipality.
    pub cidade: String,
    /// Sigla of the state.
    pub uf: String,
    /// System, by its name in the file.
    pub sistema: String,
    /// Name of the system for people.
    pub provedor: String,
    /// Layout; empty when no source says.
    pub padrao: String,
    /// How notes leave by it.
    pub via: Caminho,
    /// Address in production. None: no source gives it.
    pub url_producao: Option<String>,
    /// Address in homologation. None: no source gives it.
    pub url_homologacao: Option<String>,
    /// An adapter of the hub speaks to it.
    pub emissao_pela_api: bool,
    /// Who says so.
    pub evidencia: Evidencia,
}

/// Systems in use on one day.
#[derive(Debug, Clone)]
pub struct Provedores {
    /// Systems, the one with most municipalities first.
    pub provedores: Vec<ProvedorResumo>,
    /// Numbers by state.
    pub por_uf: BTreeMap<String, UfResumo>,
    /// Municipalities of Brazil.
    pub municipios: u32,
    /// Municipalities where an adapter issues.
    pub cobertos: u32,
    /// Tenths of a percent of the municipalities covered (613 = 61.3 %).
    pub milesimos_brasil: u32,
    /// Municipalities no source knows.
    pub nao_medidos: u32,
}

/// One system and how much it serves.
#[derive(Debug, Clone)]
pub struct ProvedorResumo {
    /// System, by its name in the file.
    pub sistema: String,
    /// Name for people.
    pub nome: String,
    /// Layout.
    pub padrao: String,
    /// Municipalities that use it.
    pub municipios: u32,
    /// An adapter of the hub speaks to it.
    pub emissao_pela_api: bool,
}

/// One state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UfResumo {
    /// Municipalities of the state.
    pub municipios: u32,
    /// Municipalities where an adapter issues.
    pub cobertos: u32,
    /// Municipalities no source knows.
    pub nao_medidos: u32,
}

impl Registry {
    /// The system of a municipality for the general regime. None: no such
    /// municipality, or no source knows its system ("não suportado").
    pub fn provedor(&self, ibge: u32, em: Date) -> Option<Provedor> {
        let m = self.municipio(ibge)?;
        let leg = self.leg(m, Regime::Normal, em)?.leg;
        let system = &leg.system;
        Some(Provedor {
            ibge,
            cidade: m.nome.clone(),
            uf: m.uf.clone(),
            sistema: system.id.clone(),
            provedor: system.nome.clone(),
            padrao: system.padrao.clone(),
            via: system.via,
            url_producao: self.main_url(leg, &leg.producao, &system.producao),
            url_homologacao: self.main_url(leg, &leg.homologacao, &system.homologacao),
            emissao_pela_api: system.adapter.is_some(),
            evidencia: evidence(m, leg),
        })
    }

    /// The address notes go to: the adapter's first endpoint, else "nfse".
    fn main_url(&self, leg: &Leg, own: &Endpoints, shared: &Endpoints) -> Option<String> {
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
    pub fn provedores(&self, em: Date) -> Provedores {
        let mut by_system: BTreeMap<&str, ProvedorResumo> = BTreeMap::new();
        let mut por_uf: BTreeMap<String, UfResumo> = BTreeMap::new();
        let mut total = UfResumo::default();
        for m in &self.municipios {
            let uf = por_uf.entry(m.uf.clone()).or_default();
            let found = self.leg(m, Regime::Normal, em);
            for count in [&mut *uf, &mut total] {
                count.municipios += 1;
                match found {
                    Some(found) if found.leg.system.adapter.is_some() => count.cobertos += 1,
                    Some(_) => {}
                    None => count.nao_medidos += 1,
                }
            }
            if let Some(found) = found {
                let system = &found.leg.system;
                by_system
                    .entry(&system.id)
                    .or_insert_with(|| ProvedorResumo {
                        sistema: system.id.clone(),
                        nome: system.nome.clone(),
                        padrao: system.padrao.clone(),
                        municipios: 0,
                        emissao_pela_api: system.adapter.is_some(),
                    })
                    .municipios += 1;
            }
        }
        let mut provedores: Vec<ProvedorResumo> = by_system.into_values().collect();
        provedores.sort_by(|a, b| {
            b.municipios
                .cmp(&a.municipios)
                .then_with(|| a.sistema.cmp(&b.sistema))
        });
        let milesimos = (total.cobertos * 1000)
            .checked_div(total.municipios)
            .unwrap_or(0);
        Provedores {
            provedores,
            por_uf,
            municipios: total.municipios,
            cobertos: total.cobertos,
            milesimos_brasil: milesimos,
            nao_medidos: total.nao_medidos,
        }
    }
}
