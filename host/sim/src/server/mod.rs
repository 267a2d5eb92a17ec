//! The authorities on the network: HTTP/1.1 over TLS with client certificates.

pub mod renegotiation;

pub use renegotiation::serve_renegotiating;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use openssl::ssl::{
    AlpnError, Ssl, SslAcceptor, SslMethod, SslVerifyMode, SslVersion, select_next_proto,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio_openssl::SslStream;

use crate::pki::{Pki, PkiError};
use crate::request::{SimAnswer, SimRequest};
use crate::sim::{MAX_BODY, Sim};

/// Most connections at once.
const MAX_CONNECTIONS: usize = 256;
/// Time for the handshake and for the head of a request.
const PATIENCE: Duration = Duration::from_secs(15);

/// Why the server could not begin.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("address of the simulator: {0}")]
    Io(#[from] io::Error),
    /// The keys cannot be used.
    #[error(transparent)]
    Pki(#[from] PkiError),
}

/// A running server. Dropping this leaves it running; [`ServerHandle::stop`]
/// ends it, and so does the end of the runtime.
#[derive(Debug)]
pub struct ServerHandle(JoinHandle<()>);

/// How the server speaks TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsProfile {
    /// TLS 1.2 and 1.3 with the usual ciphers.
    #[default]
    Common,
    /// TLS 1.2, key exchange by RSA and AES-CBC only: no ECDHE, no AEAD, as
    /// old front ends (BA, PR, the national environment's events) come close to.
    RsaCbc,
}

/// Ciphers of [`TlsProfile::RsaCbc`].
const RSA_CBC: &str = "AES256-SHA256:AES128-SHA256:AES256-SHA:AES128-SHA";

impl ServerHandle {
    /// Of a server that runs as this task.
    pub(crate) fn of(task: JoinHandle<()>) -> Self {
        Self(task)
    }

    /// Ends the server and its open connections.
    pub async fn stop(self) {
        self.0.abort();
        // An aborted task answers with its cancellation: nothing to learn.
        let _cancelled = self.0.await;
    }
}

/// Serves `sim` at `addr` (port 0: any free one). All authorities answer at
/// this one address; the `Host` header says which one is meant.
///
/// # Errors
/// When the address or the keys cannot be used.
pub async fn serve(
    sim: Sim,
    pki: &Pki,
    addr: SocketAddr,
) -> Result<(SocketAddr, ServerHandle), ServeError> {
    serve_with(sim, pki, addr, TlsProfile::Common).await
}

/// The same with a choice of how TLS is spoken. Renegotiation is
/// [`serve_renegotiating`](crate::serve_renegotiating).
///
/// # Errors
/// When the address or the keys cannot be used.
pub async fn serve_with(
    sim: Sim,
    pki: &Pki,
    addr: SocketAddr,
    profile: TlsProfile,
) -> Result<(SocketAddr, ServerHandle), ServeError> {
    let acceptor = acceptor(pki, profile)?;
    let listener = TcpListener::bind(addr).await?;
    let local = listener.local_addr()?;
    let task = tokio::spawn(accept(listener, acceptor, sim));
    Ok((local, ServerHandle(task)))
}

fn acceptor(pki: &Pki, profile: TlsProfile) -> Result<SslAcceptor, PkiError> {
    let (pair, above) = pki.server();
    let mut builder = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server())?;
    builder.set_min_proto_version(Some(SslVersion::TLS1_2))?;
    if profile == TlsProfile::RsaCbc {
        builder.set_max_proto_version(Some(SslVersion::TLS1_2))?;
        builder.set_cipher_list(RSA_CBC)?;
    }
    builder.set_private_key(&pair.key)?;
    builder.set_certificate(&pair.cert)?;
    builder.add_extra_chain_cert(above.clone())?;
    builder.set_session_id_context(b"sim")?;
    for issuer in pki.issuers() {
        builder.add_client_ca(issuer)?;
    }
    // Any certificate passes the handshake: each authority answers a missing,
    // expired or foreign one in its own way, as the real front ends do.
    builder.set_verify_callback(SslVerifyMode::PEER, |_, _| true);
    builder.set_alpn_select_callback(|_, offered| {
        select_next_proto(b"\x08http/1.1", offered).ok_or(AlpnError::NOACK)
    });
    Ok(builder.build())
}

async fn accept(listener: TcpListener, acceptor: SslAcceptor, sim: Sim) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        while connections.try_join_next().is_some() {}
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "simulator: connection not accepted");
                continue;
            }
        };
        let (acceptor, sim) = (acceptor.clone(), sim.clone());
        connections.spawn(async move {
            if let Err(error) = connection(stream, acceptor, sim).await {
                tracing::debug!(error = %error, "simulator: connection ended");
            }
            drop(slot);
        });
    }
}

async fn connection(stream: TcpStream, acceptor: SslAcceptor, sim: Sim) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let ssl = Ssl::new(acceptor.context())?;
    let mut stream = SslStream::new(ssl, stream)?;
    tokio::time::timeout(PATIENCE, Pin::new(&mut stream).accept())
        .await
        .map_err(|_| io::ErrorKind::TimedOut)?
        .map_err(io::Error::other)?;
    let certificate = stream
        .ssl()
        .peer_certificate()
        .and_then(|c| c.to_der().ok());
    let service = service_fn(move |req| {
        let (sim, certificate) = (sim.clone(), certificate.clone());
        async move { answer(sim, certificate, req).await }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await
        .map_err(io::Error::other)
}

/// The connection is dropped without an answer.
#[derive(Debug, thiserror::Error)]
#[error("connection cut on order")]
struct Cut;

async fn answer(
    sim: Sim,
    client_cert_der: Option<Vec<u8>>,
    req: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Cut> {
    let (parts, body) = req.into_parts();
    let body = match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => body.to_bytes().to_vec(),
        Err(_) => return Ok(plain(413)),
    };
    let headers: Vec<(String, String)> = parts
        .headers
        .iter()
        .map(|(n, v)| {
            (
                n.as_str().to_owned(),
                String::from_utf8_lossy(v.as_bytes()).into_owned(),
            )
        })
        .collect();
    let host = parts
        .headers
        .get("host")
        .and_then(|h| h.to_str().ok())
        .or_else(|| parts.uri.authority().map(|a| a.as_str()))
        .unwrap_or_default()
        .to_owned();
    let path = parts
        .uri
        .path_and_query()
        .map_or("/", |p| p.as_str())
        .to_owned();
    let request = SimRequest {
        host,
        method: parts.method.as_str().to_owned(),
        path,
        headers,
        body,
        client_cert_der,
    };
    match sim.handle(request).await {
        SimAnswer::CutBefore | SimAnswer::CutAfter => Err(Cut),
        SimAnswer::Response {
            status,
            headers,
            body,
        } => {
            let mut builder = Response::builder().status(status);
            for (name, value) in headers {
                builder = builder.header(name, value);
            }
            Ok(builder
                .body(Full::new(Bytes::from(body)))
                .unwrap_or_else(|_| plain(500)))
        }
    }
}

fn plain(status: u16) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    response
}
