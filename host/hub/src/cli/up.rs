//! `hub up`: one command from a clone to an authorized note.

use super::serve;
use crate::adapter::build;
use crate::app::Hub;
use crate::config::{AuthoritiesMode, Config};
use crate::{boot, demo, payments};
use std::process::ExitCode;

pub async fn up(config: Config) -> anyhow::Result<ExitCode> {
    let stop = serve::Stop::listen()?;
    if let Some(workspace) = build::workspace() {
        for name in build::adapters(&workspace)? {
            eprintln!("building adapter {name} ...");
            build::build(&workspace, &name, &config.adapters_folder())?;
        }
    }
    eprintln!("compiling adapters (cached afterwards) ...");
    let (app, refused) = boot::open(config, Hub::system_clock()).await?;
    serve::report(&app, &refused)?;
    let listener = serve::bind(&app).await?;
    if app.config.authorities.mode == AuthoritiesMode::Simulator {
        app.simulator
            .listen(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
            .await?;
    }
    let base_url = format!("http://{}", listener.local_addr()?);
    payments::announce(&app, &base_url);
    let demo = demo::ensure(&app, &base_url).await?;
    serve::measure(&app).await?;
    println!("hub is running on {base_url}");
    println!("test key:  {}", demo.chave_teste);
    println!(
        "live key:  {} (all authorities are simulated here)",
        demo.chave_producao
    );
    println!(
        "panel:     {} ({} / {})",
        demo.painel_url, demo.painel_usuario, demo.painel_senha
    );
    println!(
        "keys and ids are in {}",
        app.config.storage.data_dir.join("demo.json").display()
    );
    if let Some(address) = app.simulator.address() {
        println!("simulator: https://{address} (control: /__sim/estado, /__sim/faults)");
    }
    let [nfe, nfse] = demo::curl(&demo);
    println!(
        "\nIssue a product note (NF-e):\n\n{nfe}\n\nIssue a service note (NFS-e):\n\n{nfse}\n"
    );
    println!(
        "Then see the balance:\n\ncurl -s {base_url}/api/v1/usage -H 'Authorization: Bearer {}'\n",
        demo.chave_producao
    );
    serve::run(app, listener, stop).await
}
