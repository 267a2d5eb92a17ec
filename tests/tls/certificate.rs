//! Servers that want a client certificate in the handshake.

use crate::inside::Inside;
use crate::pki::pki;
use crate::s_server::Server;
use crate::{client, get, unsent};
use authority::tls::Profile;
use flow::contract::TransportKind;

const WANTS: [&str; 4] = ["-www", "-Verify", "1", "-verify_return_error"];

async fn right_wrong_none(version: &str) {
    let options = [&WANTS[..], &[version]].concat();
    let Some(server) = Server::start(&pki().server, &options) else {
        return;
    };
    let ask = async |own| client(Profile::default(), own).send(get(server.port)).await;
    let right = ask(Some(&pki().customer)).await;
    assert_eq!(right.expect("answer").status, 200);
    unsent(
        ask(Some(&pki().stranger)).await,
        TransportKind::ClientCertificateRefused,
    );
    unsent(ask(None).await, TransportKind::ClientCertificateRefused);
}

#[tokio::test]
async fn in_the_handshake_of_tls_1_2() {
    right_wrong_none("-tls1_2").await;
}

/// The refusal arrives after the client's side of the handshake is done.
#[tokio::test]
async fn after_the_handshake_of_tls_1_3() {
    right_wrong_none("-tls1_3").await;
}

/// Each certificate is its own client: a connection is never another's.
#[tokio::test]
async fn the_certificate_shown_is_the_clients_own() {
    let server = Inside::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()).await;
    let own = client(Profile::default(), Some(&pki().customer));
    let none = client(Profile::default(), None);
    for client in [&own, &none] {
        client.send(get(server.port)).await.expect("answer");
    }
    assert_eq!(server.names(), ["EMPRESA", ""]);
}
