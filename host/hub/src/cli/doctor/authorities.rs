//! Authorities that companies of this hub issue at: one question to each host, without a
//! certificate and without a document, as coverage asks them. Where a server says what
//! time it is, this machine's clock is compared with it.

use super::clock::beside;
use super::finding::Finding;
use crate::boot;
use authority::tls::Trust;
use base::config::{AuthoritiesMode, Config};
use base::when;
use flow::registry::{Address, Model, Registry, Scope};
use futures::stream::{self, StreamExt as _};
use issuing::emitters::profile::Perfil;
use measured::probe::{Heard, Prober};
use std::collections::{BTreeMap, BTreeSet};
use store::tables::emitter_coverage;
use store::tables::probes::Verdict;
use store::{Db, Readable as _, stored};
use time::Date;
use vault::roots::Roots;

const CHECK: &str = "authorities";
/// Companies whose municipalities are looked at, a page at a time.
const COMPANIES: usize = 5_000;
const PAGE: i64 = 500;
/// Hosts that are asked: as many as one check has time for.
const HOSTS: usize = 40;
/// Questions at the same moment.
const AT_ONCE: usize = 8;
/// Difference of clocks that a server which says whole seconds explains, milliseconds.
const FEW_MS: i64 = 30_000;
/// Difference for which authorities refuse a note of the future (rejection 703).
const MUCH_MS: i64 = 300_000;

pub async fn check(config: &Config, db: Option<&Db>) -> Vec<Finding> {
    if config.authorities.mode == AuthoritiesMode::Simulator {
        return vec![Finding::ok(
            CHECK,
            "authorities.mode is simulator: no authority was asked",
        )];
    }
    let Some(db) = db else {
        return Vec::new();
    };
    match asked(config, db).await {
        Ok(found) => found,
        Err(error) => vec![Finding::warning(
            CHECK,
            format!("nobody could be asked: {error:#}"),
            "the other findings say why",
        )],
    }
}

async fn asked(config: &Config, db: &Db) -> anyhow::Result<Vec<Finding>> {
    let registry = boot::load_registry(config)?;
    let today = when::today(when::system_clock()(), "DF");
    let cities = cities(db).await?;
    let hosts = hosts(config, &registry, today, &cities);
    if hosts.is_empty() {
        return Ok(vec![Finding::ok(
            CHECK,
            "no company has a municipality yet: nobody was asked",
        )]);
    }
    let data_dir = config.storage.data_dir.clone();
    // Every root of the system is read.
    let trust = tokio::task::spawn_blocking(move || Trust::new(Roots::open(&data_dir).server()?));
    let prober = Prober::new(trust.await??, config);
    let (prober, registry) = (&prober, &registry);
    let heard: Vec<Heard> = stream::iter(hosts.into_values().take(HOSTS))
        .map(|address| async move {
            let now_ms = when::system_clock()();
            prober.hear(registry, &address, now_ms).await
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    Ok(told(&heard))
}

/// Municipalities of the companies.
async fn cities(db: &Db) -> anyhow::Result<BTreeSet<u32>> {
    let mut found = BTreeSet::new();
    let mut after = String::new();
    let mut seen = 0;
    while seen < COMPANIES {
        let mut conn = db.read().await?;
        let page = emitter_coverage::page(&mut conn, &after, PAGE).await?;
        let Some(last) = page.last() else {
            break;
        };
        after = last.emitter_id.to_string();
        seen += page.len();
        for row in &page {
            let perfil: Perfil = stored(&row.perfil, "profile of a company", &row.emitter_id)?;
            if let Some(ibge) = perfil.municipality() {
                found.insert(
                    ibge.parse()
                        .readable("municipality of a company", &row.emitter_id)?,
                );
            }
        }
    }
    Ok(found)
}

/// An address of each host in production that notes of these municipalities go to.
fn hosts(
    config: &Config,
    registry: &Registry,
    today: Date,
    cities: &BTreeSet<u32>,
) -> BTreeMap<String, Address> {
    let mut found = BTreeMap::new();
    let mut add = |address: Address| {
        let host = address.authority().map(str::to_ascii_lowercase);
        if let Some(host) = host.filter(|_| !config.authorities.refuses_plain(&address.url)) {
            found.entry(host).or_insert(address);
        }
    };
    let mut ufs = BTreeSet::new();
    for ibge in cities {
        let scope = Scope {
            system: None,
            municipality: Some(*ibge),
        };
        registry
            .addresses(today, &scope)
            .into_iter()
            .for_each(&mut add);
        ufs.extend(registry.municipality(*ibge).map(|city| city.uf.as_str()));
    }
    for uf in ufs {
        let Some(route) = registry.autorizador(uf, Model::Nfe) else {
            continue;
        };
        if let Some(url) = route.production.get("autorizacao") {
            add(Address {
                url: url.clone(),
                soap: true,
                systems: BTreeSet::from([route.autorizador.clone()]),
            });
        }
    }
    found
}

/// What is to be said of the answers.
fn told(heard: &[Heard]) -> Vec<Finding> {
    let answers = |one: &&Heard| one.finding.verdict != Verdict::Fails;
    let (well, badly): (Vec<&Heard>, Vec<&Heard>) = heard.iter().partition(answers);
    let mut found = Vec::new();
    if badly.is_empty() {
        let seen = format!("hosts asked: {}, all answer", heard.len());
        found.push(Finding::ok(CHECK, seen));
    } else {
        let named = badly.iter().map(|one| {
            let finding = &one.finding;
            format!("{} ({})", finding.address, finding.result)
        });
        let seen = format!(
            "hosts asked: {}, no answer: {}",
            heard.len(),
            named.collect::<Vec<_>>().join(", ")
        );
        found.push(if well.is_empty() {
            Finding::error(CHECK, seen, "nobody answers: look at the resolver and at the way out of this machine (firewall, proxy)")
        } else {
            Finding::warning(CHECK, seen, "an authority may be down: look at its own page; if it is not, its firewall may not know this machine's address")
        });
    }
    // Of several clocks, the nearest one: a server's own may be wrong.
    let nearest = heard
        .iter()
        .filter_map(|one| one.ahead_ms)
        .min_by_key(|ms| ms.abs());
    match nearest {
        Some(ahead_ms) => found.push(beside(
            "the authorities' servers",
            ahead_ms,
            FEW_MS,
            MUCH_MS,
        )),
        None => found.push(Finding::ok(CHECK, "no authority said what time it is")),
    }
    found
}
