//! `hub registry stats`: how many municipalities have a known system and an
//! adapter.

use data::population;
use flow::registry::{Provedores, Registry, Tier};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use time::Date;

/// The numbers of one day, as text for people or as JSON.
///
/// # Errors
/// None in practice: text is written to memory.
pub fn stats(registry: &Registry, today: Date, as_json: bool) -> anyhow::Result<String> {
    let provedores = registry.provedores(today);
    let share = share(registry, today);
    if as_json {
        let document = document(&provedores, &share);
        return Ok(format!("{}\n", serde_json::to_string_pretty(&document)?));
    }
    Ok(text(&provedores, &share)?)
}

/// Percentage of the inhabitants of Brazil who live where an adapter issues,
/// with one decimal.
fn share(registry: &Registry, today: Date) -> String {
    let (mut covered, mut all) = (0_u64, 0_u64);
    for municipality in registry.municipalities() {
        let inhabitants = u64::from(population::of(municipality.ibge).unwrap_or(0));
        all += inhabitants;
        let provedor = registry.provedor(municipality.ibge, today);
        if provedor.is_some_and(|provedor| provedor.issue_by_api) {
            covered += inhabitants;
        }
    }
    let thousandths = (covered * 1000).checked_div(all).unwrap_or(0);
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

/// Municipalities with an adapter by the tier of their system, the highest first.
fn by_tier(provedores: &Provedores) -> Vec<(&'static str, u32)> {
    let tiers = Tier::ALL.into_iter().rev().map(Some).chain([None]);
    let counted = tiers.map(|tier| {
        let systems = provedores.provedores.iter();
        let of_tier =
            systems.filter(|it| it.issue_by_api && flow::registry::tier(&it.system) == tier);
        let municipalities = of_tier.map(|it| it.municipalities).sum();
        (tier.map_or("sem_nivel", Tier::as_str), municipalities)
    });
    counted.collect()
}

fn document(provedores: &Provedores, share: &str) -> Value {
    let states: Map<String, Value> = provedores
        .by_uf
        .iter()
        .map(|(uf, count)| {
            let numbers = json!({
                "municipios": count.municipalities,
                "com_rota": count.municipalities - count.not_measured,
                "com_adaptador": count.covered,
            });
            (uf.clone(), numbers)
        })
        .collect();
    let systems: Vec<Value> = provedores
        .provedores
        .iter()
        .map(|system| {
            json!({
                "sistema": system.system,
                "municipios": system.municipalities,
                "adaptador": system.issue_by_api,
            })
        })
        .collect();
    json!({
        "municipios": provedores.municipalities,
        "com_rota": provedores.municipalities - provedores.not_measured,
        "com_adaptador": provedores.covered,
        "populacao_percentual": share,
        "por_nivel": by_tier(provedores).into_iter().collect::<BTreeMap<_, _>>(),
        "por_uf": states,
        "por_sistema": systems,
    })
}

fn text(provedores: &Provedores, share: &str) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let known = provedores.municipalities - provedores.not_measured;
    writeln!(
        out,
        "municipalities          {:>5}",
        provedores.municipalities
    )?;
    writeln!(out, "with a known system     {known:>5}")?;
    writeln!(out, "with an adapter         {:>5}", provedores.covered)?;
    writeln!(out, "inhabitants             {share:>5} %")?;
    writeln!(out, "\ntier of the adapter's cases  municipalities")?;
    for (tier, municipalities) in by_tier(provedores) {
        writeln!(out, "{tier:27} {municipalities:>15}")?;
    }
    writeln!(out, "\nstate  municipalities  known  adapter")?;
    for (uf, count) in &provedores.by_uf {
        let known = count.municipalities - count.not_measured;
        writeln!(
            out,
            "{uf:5} {:>15} {known:>6} {:>8}",
            count.municipalities, count.covered
        )?;
    }
    writeln!(out, "\nsystem                  municipalities  adapter")?;
    for system in &provedores.provedores {
        let adapter = if system.issue_by_api { "yes" } else { "no" };
        writeln!(
            out,
            "{:23} {:>14}  {adapter}",
            system.system, system.municipalities
        )?;
    }
    Ok(out)
}
