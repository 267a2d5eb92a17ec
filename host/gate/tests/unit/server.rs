use axum::Router;
use axum::routing::get;
use gate::server::{Peer, connection};
use std::net::{IpAddr, Ipv4Addr};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::watch;

/// With the clock standing still but for what is waited for.
#[tokio::test(start_paused = true)]
async fn who_stops_reading_is_let_go() {
    let router = Router::new().route("/", get(|| async { "x".repeat(1 << 20) }));
    let (mut client, server) = tokio::io::duplex(4_096);
    let (_open, closed) = watch::channel(false);
    let peer = Peer(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let served = tokio::spawn(connection(server, peer, router, closed));
    client
        .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .expect("sent");
    served.await.expect("let go");
}
