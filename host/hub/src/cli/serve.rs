//! `hub serve`: the HTTP server and this node's background work.

use crate::app::{App, Hub};
use crate::catalog::Refused;
use crate::config::{AuthoritiesMode, Config};
use crate::{api, boot, payments};
use anyhow::Context as _;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

pub async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let stop = Stop::listen()?;
    let (app, refused) = boot::open(config, Hub::system_clock()).await?;
    report(&app, &refused)?;
    let listener = bind(&app).await?;
    if app.config.authorities.mode == AuthoritiesMode::Simulator {
        app.simulator
            .listen(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
            .await?;
    }
    payments::announce(&app, &format!("http://{}", listener.local_addr()?));
    measure(&app).await?;
    println!("hub is running on http://{}", listener.local_addr()?);
    run(app, listener, stop).await
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

/// Answers with the metrics, where the settings say so.
pub async fn measure(app: &App) -> anyhow::Result<()> {
    let address = &app.config.metrics.listen;
    if address.is_empty() {
        return Ok(());
    }
    let bound = TcpListener::bind(address).await;
    let listener = bound.with_context(|| format!("metrics.listen = {address}"))?;
    tracing::info!(address = %listener.local_addr()?, "metrics are at /metrics");
    let router = api::metrics::router(app);
    tokio::spawn(api::serve(listener, router, std::future::pending()));
    Ok(())
}

/// Serves until told to stop, then lets what is in flight finish.
///
/// SIGTERM: `/pronto` says 503 at once and everything else goes on for
/// `server.notice_s`; then nothing new is accepted and no work taken up, and
/// what is in flight has `server.drain_s`. SIGINT leaves the notice out. A
/// second signal ends the process at once.
pub async fn run(app: App, listener: TcpListener, mut stop: Stop) -> anyhow::Result<ExitCode> {
    boot::start(&app);
    let (closing, mut closed) = watch::channel(false);
    let router = api::router(&app);
    let server = api::serve(listener, router, async move {
        // An error means that nobody is left to close it: closing as well.
        let _closing = closed.wait_for(|closing| *closing).await.is_ok();
    });
    let mut server = tokio::spawn(server);
    let interrupted = tokio::select! {
        interrupted = stop.next() => interrupted,
        ended = &mut server => {
            ended??;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let notice = if interrupted {
        Duration::ZERO
    } else {
        Duration::from_secs(app.config.server.notice_s)
    };
    app.leaving.store(true, Ordering::Relaxed);
    eprintln!("stopping: what is in flight may finish; once more stops at once");
    let drained = async {
        tokio::time::sleep(notice).await;
        app.draining.store(true, Ordering::Relaxed);
        closing.send_replace(true);
        let drain = Duration::from_secs(app.config.server.drain_s);
        // What does not finish in time is taken up at the next start.
        if tokio::time::timeout(drain, finish(&app, server))
            .await
            .is_err()
        {
            tracing::warn!("what is still in flight is taken up at the next start");
        }
    };
    tokio::select! {
        () = drained => {}
        _ = stop.next() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for the calls, the flows of those that were answered 202, and the log.
async fn finish(app: &App, server: tokio::task::JoinHandle<std::io::Result<()>>) {
    match server.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the server ended"),
        Err(error) => tracing::error!(%error, "the server ended"),
    }
    while !app.running.is_empty() || !app.request_log.is_empty() || !app.traces.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Signals that ask the process to stop. Listened for from the beginning: one
/// that comes during the start is not lost.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    /// # Errors
    /// The system has no signals.
    pub fn listen() -> std::io::Result<Stop> {
        Ok(Stop {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one; true when it came from a keyboard.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => false,
        }
    }
}
