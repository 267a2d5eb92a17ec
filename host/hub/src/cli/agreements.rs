//! `hub registry agreements`: what the national system says of its agreements with the
//! municipalities.

use anyhow::Context as _;
use authority::tls::Trust;
use base::config::Config;
use base::when;
use flow::component::bounded;
use flow::registry::{Caminho, Municipality, Registry};
use indicatif::ProgressBar;
use measured::agreement::{Asker, Told};
use measured::round;
use std::path::Path;
use std::process::ExitCode;
use store::Db;
use time::Date;
use vault::a1;
use vault::roots::Roots;
use zeroize::Zeroizing;

/// Largest file of a certificate, and of its password, in bytes.
const CERTIFICATE_BYTES: u64 = 1 << 20;
const PASSWORD_BYTES: u64 = 4 << 10;

/// Which municipalities are asked about; without either, all.
pub struct Scope<'s> {
    pub state: Option<&'s str>,
    pub municipality: Option<u32>,
}

/// Asks about one municipality after the other, keeps what was told, and prints where
/// it contradicts the registry.
///
/// # Errors
/// The certificate cannot be used, no municipality is meant, the registry has no address
/// of the service, or the database failed.
pub async fn ask(
    config: &Config,
    registry: &Registry,
    today: Date,
    certificate: &Path,
    password: &Path,
    scope: &Scope<'_>,
) -> anyhow::Result<ExitCode> {
    let cities: Vec<&Municipality> = registry
        .municipalities()
        .iter()
        .filter(|city| scope.municipality.is_none_or(|ibge| city.ibge == ibge))
        .filter(|city| {
            let state = scope.state;
            state.is_none_or(|state| city.uf.eq_ignore_ascii_case(state))
        })
        .collect();
    anyhow::ensure!(!cities.is_empty(), "no such municipality");
    crate::boot::data_folder(config)?;
    let asker = asker(config, registry, certificate, password)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let bar = ProgressBar::new(u64::try_from(cities.len())?);
    let heard = |city: &Municipality, told: &Told| {
        bar.inc(1);
        if let Some(line) = line(registry, city, told, today) {
            bar.suspend(|| say!("{line}"));
        }
    };
    let round = round::round(&asker, &db, &cities, &when::system_clock(), heard).await;
    bar.finish_and_clear();
    let round = round?;
    say!(
        "agreements: {} of {} municipalities, {} in the national environment, {} not told",
        round.told,
        cities.len(),
        round.national,
        round.silent
    );
    if round.stopped {
        say!("nobody else was asked: run the command again to continue");
    }
    Ok(if round.went_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What is said of an answer.
fn line(registry: &Registry, city: &Municipality, told: &Told, today: Date) -> Option<String> {
    let name = format!("{:07} {}/{}", city.ibge, city.name, city.uf);
    match told {
        Told::Agreement(row) => {
            let contradicts = row.ambiente_nacional == 0 && leads_there(registry, city, today);
            contradicts.then(|| {
                format!("{name}: the registry leads to the national environment, and there is no agreement")
            })
        }
        Told::Nothing(why) | Told::Silent(why) => Some(format!("{name}: not told ({why})")),
        Told::Stop(why) => Some(format!("{name}: {why}")),
    }
}

/// Whether the registry leads the notes of a municipality to the national environment.
fn leads_there(registry: &Registry, city: &Municipality, today: Date) -> bool {
    let provider = registry.provedor(city.ibge, today);
    provider.is_some_and(|provider| provider.via == Caminho::Nacional)
}

fn asker(
    config: &Config,
    registry: &Registry,
    certificate: &Path,
    password: &Path,
) -> anyhow::Result<Asker> {
    let shown = certificate.display();
    let pfx = bounded::read(certificate, CERTIFICATE_BYTES);
    let pfx = Zeroizing::new(pfx.with_context(|| shown.to_string())?);
    let secret = bounded::read(password, PASSWORD_BYTES);
    let secret = Zeroizing::new(secret.with_context(|| password.display().to_string())?);
    let secret = std::str::from_utf8(&secret).with_context(|| password.display().to_string())?;
    let secret = secret.lines().next().unwrap_or_default();
    let certificate = a1::import(&pfx, secret, when::system_clock()());
    let certificate = certificate.with_context(|| shown.to_string())?;
    let roots = Roots::open(&config.storage.data_dir);
    let trust = Trust::new(roots.server()?)?;
    let complete = |chain| roots.completed(chain);
    let asker = Asker::new(registry, trust, &certificate, complete, &config.probes)?;
    asker.context("the registry has no address `parametrizacao` in production")
}
