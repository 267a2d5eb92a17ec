//! Servers that ask for the certificate after they have seen the request,
//! as SP, BA, MT and the national environment do.

use crate::pki::{Leaf, pki};
use crate::s_server::Server;
use crate::{client, post};
use authority::tls::{Answer, Profile};
use flow::contract::{TransportFault, TransportKind};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfeito";

/// The server sees a request's head, asks for the certificate, and `answers`
/// when it has proof of the key and has seen the body.
async fn asked(
    own: &Leaf,
    size: usize,
    answers: bool,
) -> Option<(Server, Result<Answer, TransportFault>)> {
    // Old IIS: TLS 1.2, no sessions that would spare the question.
    let options = ["-tls1_2", "-no_ticket", "-no_cache", "-verify_return_error"];
    let mut server = Server::start(&pki().server, &options)?;
    let mut body = vec![b'.'; size];
    body.extend_from_slice(b"[fim]");
    let outgoing = post(server.port, body);
    let client = client(Profile::new(2, &[], true), Some(own));
    let sent = tokio::spawn(async move { client.send(outgoing).await });
    let server = tokio::task::spawn_blocking(move || {
        server.wait_for("POST /ws", "\r\n");
        assert!(!server.said("CertificateVerify"), "asked only now");
        server.write("R\n");
        server.wait_for("SSL_do_handshake -> ", "1");
        if answers {
            server.wait_for("<<< TLS 1.2, Handshake ", "CertificateVerify");
            server.wait_for("[fim", "]");
            server.write(ANSWER);
        }
        server
    });
    let server = server.await.expect("server");
    Some((server, sent.await.expect("client")))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_is_given_after_the_request() {
    let Some((_server, answer)) = asked(&pki().customer, 0, true).await else {
        return;
    };
    let answer = answer.expect("answer");
    assert_eq!((answer.status, &answer.body[..]), (200, &b"feito"[..]));
}

/// The question arrives while the body is still being written.
#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_is_given_amid_a_large_body() {
    let Some((_server, answer)) = asked(&pki().customer, 2 << 20, true).await else {
        return;
    };
    assert_eq!(answer.expect("answer").body, b"feito");
}

/// The server had the request in its hands: nobody knows what it did.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_refused_after_the_request() {
    let Some((_server, answer)) = asked(&pki().stranger, 0, false).await else {
        return;
    };
    let fault = answer.expect_err("refused");
    assert_eq!(
        fault.kind,
        TransportKind::ClientCertificateRefused,
        "{fault:?}"
    );
    assert!(fault.maybe_arrived, "{fault:?}");
}
