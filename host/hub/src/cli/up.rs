//! `hub up`: one command from a clone to an authorized note.

use super::serve;
use crate::adapter::{build, source};
use crate::{boot, demo};
use anyhow::{Context as _, bail};
use base::config::Config;
use base::files;
use flow::registry::Registry;
use std::path::Path;
use std::process::ExitCode;

pub async fn up(config: Config) -> anyhow::Result<ExitCode> {
    let stop = serve::Stop::listen()?;
    let adapters = config.adapters_folder();
    let data_dir = &config.storage.data_dir;
    // Before adapters are built anew under a hub (on SQLite) that runs.
    let folder = || format!("data folder {}", data_dir.display());
    if files::held(&data_dir.join(files::HUB)).with_context(folder)? {
        bail!(
            "{}: another process holds it; a hub that was told to stop takes up to server.notice_s and server.drain_s",
            folder()
        );
    }
    if let Some(workspace) = build::workspace() {
        source::all(&workspace, &adapters, |said| eprintln!("{said}"))?;
    } else {
        // Before a data folder is made where nobody wants one.
        let file = |name: &str| adapters.join(format!("{name}.wasm")).is_file();
        installed(&*boot::load_registry(&config)?, &adapters, file)?;
    }
    eprintln!("compiling adapters (cached afterwards) ...");
    let (app, refused) = boot::open(config, base::when::system_clock()).await?;
    serve::report(&app, &refused)?;
    let current = |name: &str| app.catalog.current(name).is_some();
    installed(&app.registry.load(), &adapters, current)?;
    let listener = serve::bind(&app).await?;
    serve::simulate(&app).await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    payments::announce(&app, &base_url);
    let demo = demo::ensure(&app, &base_url).await?;
    serve::measure(&app).await?;
    serve::administer(&app).await?;
    say!("hub is running on {base_url}");
    say!("test key:  {}", demo.chave_teste);
    say!(
        "live key:  {} (all authorities are simulated here)",
        demo.chave_producao
    );
    say!(
        "panel:     {} ({} / {})",
        demo.painel_url,
        demo.painel_usuario,
        demo.painel_senha
    );
    say!(
        "keys and ids are in {}",
        app.config.storage.data_dir.join("demo.json").display()
    );
    if let Some(address) = app.simulator.address() {
        say!(
            "simulator: https://{address} (control: /__sim/estado, /__sim/faults, /__sim/cidades)"
        );
    }
    let [nfe, nfse] = demo::curl(&demo);
    say!("\nIssue a product note (NF-e):\n\n{nfe}\n\nIssue a service note (NFS-e):\n\n{nfse}\n");
    say!(
        "Then see the balance:\n\ncurl -s {base_url}/api/v1/usage -H 'Authorization: Bearer {}'\n",
        demo.chave_producao
    );
    serve::run(app, listener, stop).await
}

/// What is printed must work: refuses where an adapter it needs is missing.
fn installed(
    registry: &Registry,
    folder: &Path,
    known: impl Fn(&str) -> bool,
) -> anyhow::Result<()> {
    let missing = demo::missing(registry, base::when::system_clock()(), known);
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "adapters that are not installed in {}: {}; run it in the checkout, or build them first: hub adapter build, for one of a folder with the folder",
        folder.display(),
        missing.join(", ")
    )
}
