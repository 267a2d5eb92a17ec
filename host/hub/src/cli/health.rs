//! `hub health`: asks the server whether it can work; for the health check of a
//! container.

use anyhow::Context as _;
use base::config::Config;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

/// Time the server has to answer; its own probe of the database has 3 s.
const PATIENCE: Duration = Duration::from_secs(4);

pub async fn health(config: &Config) -> anyhow::Result<ExitCode> {
    let listen = &config.server.listen;
    let mut address: SocketAddr = listen
        .parse()
        .with_context(|| format!("server.listen = {listen}"))?;
    // Whoever listens on every address is found on this machine's own.
    match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let client = reqwest::Client::builder()
        .tls_backend_native()
        .no_proxy()
        .timeout(PATIENCE)
        .build()?;
    let asked = client.get(format!("http://{address}/pronto")).send().await;
    match asked {
        Ok(answer) if answer.status().is_success() => {
            say!("ready");
            Ok(ExitCode::SUCCESS)
        }
        Ok(answer) => {
            say!("not ready: {}", answer.status());
            Ok(ExitCode::FAILURE)
        }
        Err(error) => {
            say!(
                "not ready: {address} does not answer ({})",
                error.without_url()
            );
            Ok(ExitCode::FAILURE)
        }
    }
}
