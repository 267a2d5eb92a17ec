//! `hub serve`: the HTTP server and this node's background work.

use crate::app::App;
use crate::boot;
use ::{api, payments};
use authority::catalog::Refused;
use base::config::{AuthoritiesMode, Config};
use gate::server::Limits;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// What the listeners of operators and of metrics grant: few people and programs ask
/// there, the other connections are for customers, and who says nothing keeps nobody out.
const FEW: Limits = Limits {
    most: 64,
    head_time: Duration::from_secs(5),
};
/// How long a node that stops takes at most to give its leases back.
const GIVE_BACK: Duration = Duration::from_secs(2);

pub async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let stop = Stop::listen()?;
    let (app, refused) = boot::open(config, base::when::system_clock()).await?;
    report(&app, &refused)?;
    let listener = bind(&app).await?;
    simulate(&app).await?;
    if let Some(address) = app.simulator.address() {
        tracing::info!(%address, "all authorities are simulated (control: /__sim/estado, /__sim/faults, /__sim/cidades)");
    }
    payments::announce(&app, &format!("http://{}", listener.local_addr()?));
    measure(&app).await?;
    administer(&app).await?;
    say!("hub is running on http://{}", listener.local_addr()?);
    run(app, listener, stop).await
}

/// Says which components were refused, and whether the rest suffices.
pub fn report(app: &App, refused: &[Refused]) -> anyhow::Result<()> {
    for one in refused {
        tracing::error!(file = %one.file.display(), reason = %one.reason, "adapter refused");
    }
    if app.catalog.all().is_empty() {
        tracing::warn!(folder = %app.config.adapters_folder().display(), "no adapter is installed: nothing can be issued; `hub adapter build` with the same --data-dir installs those of the checkout");
    }
    Ok(())
}

/// Starts this process's simulator, where the settings ask for one.
///
/// # Errors
/// It cannot listen.
pub async fn simulate(app: &App) -> anyhow::Result<()> {
    if app.config.authorities.mode == AuthoritiesMode::Simulator {
        app.simulator
            .listen(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
            .await?;
    }
    Ok(())
}

/// Takes the server's address.
///
/// # Errors
/// It is taken, or none of this machine.
pub async fn bind(app: &App) -> anyhow::Result<TcpListener> {
    listen("server.listen", &app.config.server.listen, "--listen").await
}

/// Takes an address, the value of `setting`. `elsewhere` is where another one is
/// given.
///
/// # Errors
/// It is taken, none of this machine, or no address.
pub async fn listen(setting: &str, address: &str, elsewhere: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::AddrInUse {
            format!("; choose another with {elsewhere}, or stop what listens there")
        } else {
            String::new()
        };
        anyhow::anyhow!("{setting} = {address}: {error}{hint}")
    })
}

/// Answers with the metrics, where the settings say so.
pub async fn measure(app: &App) -> anyhow::Result<()> {
    let address = &app.config.metrics.listen;
    if address.is_empty() {
        return Ok(());
    }
    let listener = listen("metrics.listen", address, "metrics.listen").await?;
    tracing::info!(address = %listener.local_addr()?, "metrics are at /metrics");
    let router = api::metrics::router(app);
    tokio::spawn(gate::server::limited(
        listener,
        router,
        FEW,
        std::future::pending(),
    ));
    Ok(())
}

/// Answers the operator's programs, where the settings say so.
///
/// # Errors
/// The address is taken, or the token's file cannot be used.
pub async fn administer(app: &App) -> anyhow::Result<()> {
    let settings = &app.config.admin;
    if settings.listen.is_empty() {
        return Ok(());
    }
    let router = crate::admin::router(&app.services, &app.releases, settings)?;
    let listener = listen("admin.listen", &settings.listen, "admin.listen").await?;
    tracing::info!(address = %listener.local_addr()?, "operators are answered at /admin/v1");
    tokio::spawn(gate::server::limited(
        listener,
        router,
        FEW,
        std::future::pending(),
    ));
    Ok(())
}

/// Serves until told to stop, then lets what is in flight finish.
///
/// SIGTERM: `/pronto` says 503 at once and everything else goes on for
/// `server.notice_s`; then nothing new is accepted and no work taken up, and
/// what is in flight has `server.drain_s`. A terminal that closes (SIGHUP) is
/// the same. SIGINT leaves the notice out. A second signal, but for SIGHUP,
/// ends the process at once.
pub async fn run(app: App, listener: TcpListener, mut stop: Stop) -> anyhow::Result<ExitCode> {
    boot::start(&app);
    boot::start_probes(&app);
    let (closing, mut closed) = watch::channel(false);
    let router = crate::boot::router(&app);
    let server = gate::server::serve(listener, router, async move {
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
    // Not `eprintln!`, which panics where the terminal that closed was the reader.
    let stopping = "stopping: what is in flight may finish; once more stops at once";
    if let Err(error) = writeln!(std::io::stderr(), "{stopping}") {
        tracing::debug!(%error, "standard error is closed");
    }
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
        () = drained => give_back(&app).await,
        _ = stop.next() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Gives this node's leases back, so that others need not look for it. Where
/// that cannot be done in time, they go with its session.
async fn give_back(app: &App) {
    match tokio::time::timeout(GIVE_BACK, app.presence.leave(&app.db)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "leases were not given back"),
        Err(_) => tracing::warn!("leases were not given back in time"),
    }
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
    /// None: not asked for, or said already.
    hangup: Option<Signal>,
}

impl Stop {
    /// # Errors
    /// The system has no signals.
    pub fn listen() -> std::io::Result<Stop> {
        let process = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Ok(Stop {
            hangup: match ends_with_its_terminal(&process) {
                true => Some(signal(SignalKind::hangup())?),
                false => None,
            },
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one; true when it came from a keyboard.
    pub async fn next(&mut self) -> bool {
        let interrupted = tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => false,
            () = hung_up(&mut self.hangup) => false,
        };
        // The shell says that the terminal closed, and the kernel once more:
        // neither means "at once". Unheard it does nothing, for the process
        // keeps tokio's handler.
        self.hangup = None;
        interrupted
    }
}

async fn hung_up(hangup: &mut Option<Signal>) {
    match hangup {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP is for this process, by its `/proc/self/status`: who starts
/// it with `nohup` has it ignore the signal, which listening would undo. Where
/// there is no such file, the signal stays as it is.
pub fn ends_with_its_terminal(status: &str) -> bool {
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signals count from 1, bits from 0; SIGHUP is 1.
    ignored.is_some_and(|mask| mask & 1 == 0)
}
