//! `hub sim`: the simulated authorities as a server of their own, for several
//! nodes or for whoever tests a client of them.

use anyhow::Context as _;
use authority::simulator::Simulator;
use base::config::Config;
use std::net::SocketAddr;
use std::process::ExitCode;

/// Where it listens without `--listen`.
const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8443);

/// Serves until it is told to stop. Keys and state are in
/// `<data_dir>/simulator`, so that its certificates stay the same.
pub async fn sim(config: &Config, listen: Option<&str>) -> anyhow::Result<ExitCode> {
    let address = match listen {
        Some(text) => text
            .parse()
            .with_context(|| format!("--listen {text}: an address and port, as 127.0.0.1:8443"))?,
        None => LISTEN,
    };
    let folder = config.storage.data_dir.join("simulator");
    // Its own settings are not about an outside simulator.
    let authorities = base::config::Authorities {
        simulator: String::new(),
        ..config.authorities.clone()
    };
    let simulator = Simulator::open(&folder, &authorities, base::when::system_clock())?;
    simulator.sim.open()?;
    let ca = folder.join("ca.pem");
    std::fs::write(&ca, simulator.ca_pem()).with_context(|| ca.display().to_string())?;
    let (bound, server) = sim::serve(simulator.sim.clone(), &simulator.pki, address).await?;
    let port = bound.port();
    say!("simulator: https://{bound} (control: /__sim/estado, /__sim/faults, /__sim/cidades)");
    say!("certificate authority: {}", ca.display());
    say!(
        "a hub uses it with HUB_AUTHORITIES_MODE=simulator HUB_AUTHORITIES_SIMULATOR=localhost:{port} HUB_AUTHORITIES_SIMULATOR_CA={}",
        ca.display()
    );
    super::serve::Stop::listen()?.next().await;
    server.stop().await;
    Ok(ExitCode::SUCCESS)
}
