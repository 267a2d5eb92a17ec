//! Requests and answers on a connection, and what is known when they fail.

use crate::inside::Inside;
use crate::pki::pki;
use crate::{client, client_of, get, post, to, unsent};
use authority::tls::{Client, Outgoing, Profile, Trust};
use flow::contract::TransportKind;
use std::time::Duration;
use tokio::net::TcpListener;

const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

#[tokio::test]
async fn what_leaves_is_http_1_1_with_its_host() {
    let server = Inside::start(|_| EMPTY.to_vec()).await;
    let client = client(Profile::default(), None);
    client.send(get(server.port)).await.expect("answer");
    let named = Outgoing {
        host: Some("nfe.fazenda.test".to_owned()),
        headers: vec![("SOAPAction".to_owned(), "\"x\"".to_owned())],
        ..get(server.port)
    };
    client.send(named).await.expect("answer");
    let heads = server.heads();
    assert!(
        heads[0].starts_with("GET /ws?wsdl HTTP/1.1\r\n"),
        "{heads:?}"
    );
    assert!(heads[0].contains(&format!("host: localhost:{}\r\n", server.port)));
    assert!(heads[1].contains("host: nfe.fazenda.test\r\n"), "{heads:?}");
    assert!(heads[1].contains("soapaction: \"x\"\r\n"), "{heads:?}");
}

#[tokio::test]
async fn a_connection_takes_the_next_request() {
    let server = Inside::start(|_| EMPTY.to_vec()).await;
    let client = client(Profile::default(), None);
    for _ in 0..3 {
        client.send(get(server.port)).await.expect("answer");
        // It goes back to the others a moment after the answer.
        tokio::task::yield_now().await;
    }
    assert_eq!(server.heads().len(), 3);
    assert!(server.names().len() < 3, "{:?}", server.names());
}

#[tokio::test]
async fn a_connection_closed_by_the_server_is_replaced() {
    let closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 7\r\n\r\n[close]";
    let server = Inside::start(|_| closing.to_vec()).await;
    let client = client(Profile::default(), None);
    for _ in 0..3 {
        client.send(get(server.port)).await.expect("answer");
    }
    assert_eq!(server.names().len(), 3);
}

#[tokio::test]
async fn a_request_without_answer_may_have_arrived() {
    let server = Inside::start(|_| Vec::new()).await;
    let fault = client(Profile::default(), None)
        .send(get(server.port))
        .await;
    let fault = fault.expect_err("no answer");
    assert!(fault.maybe_arrived, "{fault:?}");
    assert_eq!(server.heads().len(), 1, "never repeated");
}

#[tokio::test]
async fn an_answer_cut_in_its_body_is_none() {
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[close]";
    let server = Inside::start(|_| cut.to_vec()).await;
    let fault = client(Profile::default(), None)
        .send(get(server.port))
        .await;
    assert!(fault.expect_err("cut").maybe_arrived);
}

#[tokio::test]
async fn an_answer_over_the_limit_is_none() {
    let server =
        Inside::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nlonger than".to_vec())
            .await;
    let outgoing = Outgoing {
        response_bytes: 10,
        ..get(server.port)
    };
    let fault = client(Profile::default(), None)
        .send(outgoing)
        .await
        .expect_err("too large");
    assert_eq!(fault.kind, TransportKind::TooLarge);
    assert!(fault.maybe_arrived);
}

#[tokio::test]
async fn an_answer_that_is_not_http() {
    let server = Inside::start(|_| b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()).await;
    let fault = client(Profile::default(), None)
        .send(get(server.port))
        .await;
    let fault = fault.expect_err("not HTTP");
    assert!(fault.maybe_arrived, "{fault:?}");
}

#[tokio::test]
async fn no_answer_in_time() {
    // The head says more will come.
    let server = Inside::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n".to_vec()).await;
    let outgoing = Outgoing {
        timeout: Duration::from_secs(3),
        ..get(server.port)
    };
    let fault = client(Profile::default(), None)
        .send(outgoing)
        .await
        .expect_err("late");
    assert_eq!(fault.kind, TransportKind::Timeout, "{fault:?}");
    assert!(fault.maybe_arrived);
}

#[tokio::test]
async fn redirects_are_answers() {
    let moved =
        b"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.test/\r\nContent-Length: 0\r\n\r\n";
    let server = Inside::start(|_| moved.to_vec()).await;
    let answer = client(Profile::default(), None)
        .send(get(server.port))
        .await;
    assert_eq!(answer.expect("answer").status, 302);
}

#[tokio::test]
async fn nobody_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let port = listener.local_addr().expect("port").port();
    drop(listener);
    let client = client(Profile::default(), None);
    unsent(client.send(get(port)).await, TransportKind::Connect);
    // A label of more than 63 letters is no name: refused without a question.
    let host = format!("{}.test", "a".repeat(64));
    unsent(client.send(to(&host, port)).await, TransportKind::Dns);
}

#[tokio::test]
async fn a_silent_server_is_left_before_anything_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let port = listener.local_addr().expect("port").port();
    let trust = Trust::only(&pki().servers.pem()).expect("trust");
    let client = Client::new(trust, Profile::default(), None, Duration::from_millis(200));
    unsent(
        client.send(post(port, b"nota".to_vec())).await,
        TransportKind::Timeout,
    );
}

#[tokio::test]
async fn a_server_without_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let port = listener.local_addr().expect("port").port();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        while let Ok((mut tcp, _)) = listener.accept().await {
            // Whether it could be written is the client's matter.
            let _written = tcp.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let trust = Trust::only(&pki().servers.pem()).expect("trust");
    let answer = client_of(trust, Profile::default(), None)
        .send(get(port))
        .await;
    unsent(answer, TransportKind::Tls);
}

#[tokio::test]
async fn only_https_leaves() {
    let mut outgoing = get(1);
    outgoing.url = "http://localhost:1/".to_owned();
    let client = client(Profile::default(), None);
    unsent(client.send(outgoing).await, TransportKind::Blocked);
    let outgoing = Outgoing {
        headers: vec![("a\r\nb".to_owned(), "c".to_owned())],
        ..get(1)
    };
    unsent(client.send(outgoing).await, TransportKind::Blocked);
}
