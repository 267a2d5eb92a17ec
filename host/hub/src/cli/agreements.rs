//! `hub registry agreements`: what the national system says of its agreements with the
//! municipalities.

use anyhow::Context as _;
use authority::tls::Trust;
use base::config::Config;
use base::when;
use flow::registry::{Caminho, Municipality, Registry};
use measured::agreement::{Asker, Told};
use std::convert::Infallible;
use std::path::Path;
use std::process::ExitCode;
use store::tables::agreements::{self, AgreementRow};
use store::{Db, TxError};
use time::Date;
use vault::a1;
use vault::roots::Roots;
use zeroize::Zeroizing;

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
    base::files::folder(&config.storage.data_dir)?;
    let asker = asker(config, registry, certificate, password)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let (mut told, mut silent, mut national) = (0_u32, 0_u32, 0_u32);
    for city in &cities {
        let row = match asker.ask(city.ibge, when::system_clock()()).await {
            Told::Agreement(row) => row,
            Told::Nothing(why) => {
                silent += 1;
                say!(
                    "{:07} {}/{}: not told ({why})",
                    city.ibge,
                    city.name,
                    city.uf
                );
                continue;
            }
            Told::Stop(why) => {
                say!(
                    "{:07} {}/{}: {why}; nobody else is asked",
                    city.ibge,
                    city.name,
                    city.uf
                );
                say!("agreements: {told} of {} municipalities", cities.len());
                return Ok(ExitCode::FAILURE);
            }
        };
        told += 1;
        national += u32::from(row.ambiente_nacional == 1);
        if let Some(line) = contradiction(registry, city, &row, today) {
            say!("{line}");
        }
        let written = db.write(row, |row, conn| {
            Box::pin(
                async move { Ok::<_, TxError<Infallible>>(agreements::keep(conn, row).await?) },
            )
        });
        written.await?;
    }
    say!(
        "agreements: {told} of {} municipalities, {national} in the national environment, {silent} not told",
        cities.len()
    );
    Ok(ExitCode::SUCCESS)
}

fn asker(
    config: &Config,
    registry: &Registry,
    certificate: &Path,
    password: &Path,
) -> anyhow::Result<Asker> {
    let shown = certificate.display();
    let pfx = Zeroizing::new(std::fs::read(certificate).with_context(|| shown.to_string())?);
    let secret = std::fs::read_to_string(password);
    let secret = Zeroizing::new(secret.with_context(|| password.display().to_string())?);
    let secret = secret.trim_end_matches(['\r', '\n']);
    let certificate = a1::import(&pfx, secret, when::system_clock()());
    let certificate = certificate.with_context(|| shown.to_string())?;
    let roots = Roots::open(&config.storage.data_dir);
    let trust = Trust::new(roots.server()?)?;
    let complete = |chain| roots.completed(chain);
    let asker = Asker::new(registry, trust, &certificate, complete, &config.probes)?;
    asker.context("the registry has no address `parametrizacao` in production")
}

/// Where the registry leads notes where the agreement says that they do not go.
fn contradiction(
    registry: &Registry,
    city: &Municipality,
    row: &AgreementRow,
    today: Date,
) -> Option<String> {
    let provider = registry.provedor(city.ibge, today);
    let national = provider.is_some_and(|provider| provider.via == Caminho::Nacional);
    (national && row.ambiente_nacional == 0).then(|| {
        format!(
            "{:07} {}/{}: the registry leads to the national environment, and there is no agreement",
            city.ibge, city.name, city.uf
        )
    })
}
