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
/// Pause after the system refused to give another connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);

/// The other end of the connection a request came by.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Serves a router until `stop` is ready, then lets what is in flight finish.
///
/// # Errors
/// None today: a connection that fails ends alone.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (closing, closed) = watch::channel(false);
    let most = most_connections();
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_ended) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if connections.len() < most => match accepted {
                Ok((stream, address)) => {
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "connection without TCP_NODELAY");
                    }
                    let peer = Peer(address.ip());
                    connections.spawn(connection(stream, peer, router.clone(), closed.clone()));
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
        .header_read_timeout(HEAD_TIME)
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
