//! Serving HTTP to clients that may be slow on purpose.

pub mod rest;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_io_timeout::TimeoutStream;

/// Time the head of a request has to arrive, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Time a client has to take more of its answer.
const TAKE_TIME: Duration = Duration::from_secs(30);
/// Connections open at the same moment, where the system allows as many; more
/// wait to be accepted.
const CONNECTIONS: usize = 10_000;
/// Of the files a process may have open, the part that connections may be: the
/// rest is for databases, authorities and customers' servers.
const SHARE: u64 = 2;
/// Time between two lines that say that a listener has all connections it may have.
const FULL_TIME: Duration = Duration::from_secs(60);
/// Pause after the system refused to give another connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);

/// What a listener grants its clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same moment; more wait to be accepted.
    pub most: usize,
    /// Time the head of a request has to arrive, and a connection may be idle.
    pub head_time: Duration,
}

/// The other end of the connection a request came by.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Serves a router until `stop` is ready, then lets what is in flight finish. Of the files
/// that the process may have open it takes a part: a process has one such server.
///
/// # Errors
/// None today: a connection that fails ends alone.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let limits = Limits {
        most: most_connections(),
        head_time: HEAD_TIME,
    };
    limited(listener, router, limits, stop).await
}

/// As [`serve`], within these limits.
///
/// # Errors
/// None today: a connection that fails ends alone.
pub async fn limited(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (closing, closed) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut full = Full(None);
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_ended) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if connections.len() < limits.most => match accepted {
                Ok((stream, address)) => {
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "connection without TCP_NODELAY");
                    }
                    let peer = Peer(address.ip());
                    let (router, closed) = (router.clone(), closed.clone());
                    connections.spawn(held(stream, peer, router, limits.head_time, closed));
                    if connections.len() == limits.most {
                        full.reached(&listener, limits.most);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(REFUSED_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    closing.send_replace(true);
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// When a line said last that a listener has all connections it may have.
struct Full(Option<Instant>);

impl Full {
    /// Writes a line, unless there was one a moment ago.
    fn reached(&mut self, listener: &TcpListener, most: usize) {
        if self.0.is_some_and(|line| line.elapsed() < FULL_TIME) {
            return;
        }
        self.0 = Some(Instant::now());
        let address = listener.local_addr().ok();
        let address = address.map(|address| address.to_string());
        tracing::warn!(
            address,
            most,
            "as many connections are open as this listener may have: more wait"
        );
    }
}

/// As many as the system's limit of open files leaves room for.
fn most_connections() -> usize {
    let files = rlimit::Resource::NOFILE.get_soft().unwrap_or(u64::MAX);
    let most = files / SHARE;
    usize::try_from(most).map_or(CONNECTIONS, |most| most.clamp(1, CONNECTIONS))
}

/// Serves one connection until it ends, its client takes no more of an answer, or
/// the server stops (`closed` holds true, or its sender is gone): what is in flight
/// finishes then.
pub async fn connection<S: AsyncRead + AsyncWrite + 'static>(
    stream: S,
    peer: Peer,
    router: Router,
    closed: watch::Receiver<bool>,
) {
    held(stream, peer, router, HEAD_TIME, closed).await;
}

/// As [`connection`], with so much time for the head of a request.
async fn held<S: AsyncRead + AsyncWrite + 'static>(
    stream: S,
    peer: Peer,
    router: Router,
    head_time: Duration,
    mut closed: watch::Receiver<bool>,
) {
    // Hyper itself waits for ever on who stopped reading.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(TAKE_TIME));
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = closing(&mut closed) => {
            served.as_mut().graceful_shutdown();
            served.as_mut().await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended early");
    }
}

/// Ready when the server stops.
async fn closing(closed: &mut watch::Receiver<bool>) {
    // An error means that the server is gone: closing as well.
    let _closing = closed.wait_for(|closing| *closing).await.is_ok();
}
