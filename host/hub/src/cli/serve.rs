//! `hub serve`: the HTTP server and this node's background work.

use crate::app::{App, Hub};
use crate::catalog::Refused;
use crate::config::{AuthoritiesMode, Config};
use crate::{api, boot, payments};
use anyhow::Context as _;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;

pub async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let (app, refused) = boot::open(config, Hub::system_clock()).await?;
    report(&app, &refused)?;
    let listener = bind(&app).await?;
    if app.config.authorities.mode == AuthoritiesMode::Simulator {
        app.simulator
            .listen(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
            .await?;
    }
    payments::announce(&app, &format!("http://{}", listener.local_addr()?));
    println!("hub is running on http://{}", listener.local_addr()?);
    run(app, listener).await
}

/// Says which components were refused, and whether the rest suffices.
pub fn report(app: &App, refused: &[Refused]) -> anyhow::Result<()> {
    for one in refused {
        tracing::error!(file = %one.file.display(), reason = %one.reason, "adapter refused");
    }
    if app.catalog.all().is_empty() {
        tracing::warn!(folder = %app.config.adapters_folder().display(), "no adapter is installed: nothing can be issued; `hub adapter build` installs those of the checkout");
    }
    Ok(())
}

pub async fn bind(app: &App) -> anyhow::Result<TcpListener> {
    let address = &app.config.server.listen;
    TcpListener::bind(address)
        .await
        .with_context(|| format!("server.listen = {address}"))
}

/// Serves until told to stop, then lets what is in flight finish.
pub async fn run(app: App, listener: TcpListener) -> anyhow::Result<ExitCode> {
    boot::start(&app);
    let drain = Duration::from_secs(app.config.server.drain_s);
    let (stopping, mut stopped) = tokio::sync::watch::channel(false);
    let router = api::router(&app);
    let draining = app.clone();
    let server = api::serve(listener, router, async move {
        stop_signal().await;
        draining
            .draining
            .store(true, std::sync::atomic::Ordering::Relaxed);
        stopping.send_replace(true);
        eprintln!("stopping: what is in flight may finish; once more stops at once");
    });
    let mut server = std::pin::pin!(server);
    tokio::select! {
        ended = async {
            (&mut server).await?;
            // Calls that were answered 202 go on in flows.
            while !app.running.is_empty() || !app.request_log.is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok::<_, std::io::Error>(())
        } => ended?,
        // What does not finish in time is taken up at the next start.
        () = async {
            let _changed = stopped.wait_for(|stopping| *stopping).await;
            let _either = tokio::time::timeout(drain, stop_signal()).await;
        } => {}
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    let Ok(mut terminate) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    else {
        let _interrupted = interrupt.await;
        return;
    };
    tokio::select! {
        _ = interrupt => {}
        _ = terminate.recv() => {}
    }
}
