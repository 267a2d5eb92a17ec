//! A TLS server of this process that hands each request to the simulated authorities:
//! for the hub it is an official address.

use crate::pki::pki;
use openssl::ssl::{Ssl, SslAcceptor, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use sim::{Sim, SimAnswer, SimRequest};
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_openssl::SslStream;

pub struct Front {
    pub port: u16,
    /// Connections are closed before anything is said.
    pub shut: Arc<AtomicBool>,
}

impl Front {
    /// Stands for the authority of this name.
    pub async fn start(sim: Sim, name: &'static str) -> Front {
        let mut acceptor =
            SslAcceptor::mozilla_intermediate_v5(SslMethod::tls()).expect("acceptor");
        acceptor
            .set_certificate(&pki().server.certificate)
            .expect("certificate");
        acceptor.set_private_key(&pki().server.key).expect("key");
        acceptor.set_verify_callback(SslVerifyMode::PEER, |_, _| true);
        let acceptor = acceptor.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let front = Front {
            port: listener.local_addr().expect("port").port(),
            shut: Arc::default(),
        };
        let shut = front.shut.clone();
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                if shut.load(Ordering::Relaxed) {
                    continue;
                }
                let ssl = Ssl::new(acceptor.context()).expect("ssl");
                let mut stream = SslStream::new(ssl, tcp).expect("stream");
                let sim = sim.clone();
                tokio::spawn(async move {
                    if Pin::new(&mut stream).accept().await.is_ok() {
                        let certificate = stream.ssl().peer_certificate();
                        serve(stream, certificate, sim, name).await;
                    }
                });
            }
        });
        front
    }

    /// The same without TLS.
    pub async fn start_plain(sim: Sim, name: &'static str) -> Front {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let front = Front {
            port: listener.local_addr().expect("port").port(),
            shut: Arc::default(),
        };
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(serve(tcp, None, sim.clone(), name));
            }
        });
        front
    }
}

/// Answers one request of a connection.
async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    certificate: Option<X509>,
    sim: Sim,
    name: &'static str,
) {
    let Some(mut request) = read(&mut stream).await else {
        return;
    };
    request.host = name.to_owned();
    request.client_cert_der = certificate.and_then(|one| one.to_der().ok());
    let SimAnswer::Response {
        status,
        headers,
        body,
    } = sim.handle(request).await
    else {
        return;
    };
    let mut head = format!(
        "HTTP/1.1 {status} .\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        if !name.eq_ignore_ascii_case("content-length") {
            write!(head, "{name}: {value}\r\n").expect("text");
        }
    }
    head.push_str("\r\n");
    let whole = [head.as_bytes(), &body].concat();
    if stream.write_all(&whole).await.is_ok() {
        // The hub may have closed first.
        let _closed = stream.shutdown().await;
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<SimRequest> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < 64 << 10 {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(SimRequest {
        method,
        path,
        headers,
        body,
        ..SimRequest::default()
    })
}
