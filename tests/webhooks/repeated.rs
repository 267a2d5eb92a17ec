//! What is sent once more at once, and what is not.

use super::schedule::test_event;
use super::{register, until};
use openssl::ssl::{AlpnError, Ssl, SslAcceptor, SslFiletype, SslMethod, select_next_proto};
use serde_json::json;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::{TestApp, localhost, on_sqlite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_openssl::SslStream;

/// Kinds of frames of HTTP/2, and the flags that are looked at (RFC 9113 §6).
const DATA: u8 = 0;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const CONFIRMED: u8 = 1;

on_sqlite! {
    async fn a_connection_that_ends_without_an_answer_is_one_attempt(app: TestApp) {
        let receiver = Receiver::start().await;
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        // The connection of the first delivery is kept: a client that repeats does so on these.
        let first = test_event(&app, &webhook).await;
        until(&app, &first, |d| d["status"] == "entregue").await;
        receiver.hang_up();
        let second = test_event(&app, &webhook).await;
        let failed = until(&app, &second, |d| d["tentativas"] == 1).await;
        assert_eq!(failed["status"], "pendente");
        let error = &failed["historico"][0]["erro"];
        assert_eq!(error, "A conexão terminou antes da resposta.", "{failed}");
        assert_eq!(receiver.count(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_http2_server_refused_to_look_at_is_sent_again_at_once() {
    let folder = tempfile::tempdir().expect("folder");
    localhost::certificate(folder.path());
    let (port, seen) = refusing(folder.path()).await;
    let ca = folder.path().join("server.pem");
    let change = move |config: &mut base::config::Config| config.webhooks.ca = ca;
    let app = TestApp::start_with(Backend::Sqlite, change)
        .await
        .expect("SQLite is always there");
    let body = json!({ "url": format!("https://localhost:{port}/avisos"), "eventos": ["*"] });
    let made = app.post("/api/v1/webhooks", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = test_event(&app, made.text_at("/id")).await;
    let told = until(&app, &id, |d| d["tentativas"] == 1).await;
    assert_eq!(told["status"], "entregue", "{told}");
    assert_eq!(
        seen.load(Ordering::SeqCst),
        2,
        "the refused one and its repetition"
    );
}

/// A server that speaks HTTP/2, refuses the first request and takes the others; its port, and how
/// many requests it got.
async fn refusing(folder: &Path) -> (u16, Arc<AtomicUsize>) {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls()).expect("acceptor");
    let certificate = folder.join("server.pem");
    acceptor
        .set_certificate_chain_file(certificate)
        .expect("certificate");
    let key = folder.join("server.key");
    acceptor
        .set_private_key_file(key, SslFiletype::PEM)
        .expect("key");
    acceptor.set_alpn_select_callback(|_, offered| {
        select_next_proto(b"\x02h2", offered).ok_or(AlpnError::ALERT_FATAL)
    });
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let port = listener.local_addr().expect("address").port();
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = seen.clone();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let ssl = Ssl::new(acceptor.context()).expect("ssl");
            let mut stream = SslStream::new(ssl, tcp).expect("stream");
            let counted = counted.clone();
            tokio::spawn(async move {
                if Pin::new(&mut stream).accept().await.is_ok() {
                    // A client that goes away ends the conversation.
                    drop(talk(&mut stream, &counted).await);
                }
            });
        }
    });
    (port, seen)
}

async fn talk(stream: &mut SslStream<TcpStream>, seen: &AtomicUsize) -> std::io::Result<()> {
    // "PRI * HTTP/2.0…"
    stream.read_exact(&mut [0; 24]).await?;
    stream
        .write_all(&[0, 0, 0, SETTINGS, 0, 0, 0, 0, 0])
        .await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [high, middle, low, kind, flags, id @ ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        let mut payload = vec![0; usize::try_from(length).expect("a length")];
        stream.read_exact(&mut payload).await?;
        if kind == SETTINGS && flags & CONFIRMED == 0 {
            stream
                .write_all(&[0, 0, 0, SETTINGS, CONFIRMED, 0, 0, 0, 0])
                .await?;
        }
        if kind == DATA && flags & END_STREAM != 0 {
            let refused = seen.fetch_add(1, Ordering::SeqCst) == 0;
            // RST_STREAM with REFUSED_STREAM; or HEADERS that end headers and stream, with
            // `:status: 200` of the static table.
            let (head, rest): ([u8; 5], &[u8]) = if refused {
                ([0, 0, 4, 3, 0], &[0, 0, 0, 7])
            } else {
                ([0, 0, 1, 1, 5], &[0x88])
            };
            stream
                .write_all(&[&head[..], &id[..], rest].concat())
                .await?;
        }
    }
}
