//! Serving HTTP to clients that may be slow on purpose.

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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Time the head of a request has to arrive, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Connections open at the same moment; more wait to be accepted.
const CONNECTIONS: usize = 10_000;
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
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_ended) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, address)) => {
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

async fn connection(
    stream: TcpStream,
    peer: Peer,
    router: Router,
    mut closed: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection without TCP_NODELAY");
    }
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
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
