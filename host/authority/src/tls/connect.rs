//! From a host name to a connection that takes requests. Nothing here sends
//! a byte of a request: every failure is certain not to have reached anybody.

use super::fault::{self, Fault};
use super::{Identity, Profile, Trust};
use base::net::Outside;
use flow::contract::TransportKind;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use openssl::ssl::SslVersion;
use std::net::SocketAddr;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_openssl::SslStream;

/// Addresses of a host that are tried.
const MAX_ADDRESSES: usize = 8;
/// Most headers of an answer, and their bytes.
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 << 10;

/// One open connection.
pub(super) struct Connection {
    pub sender: SendRequest<Full<Bytes>>,
    /// TLS 1.3: a refusal of our certificate arrives after the handshake,
    /// and there is no later one it could belong to.
    pub tls13: bool,
}

/// How a handshake is made.
pub(super) struct Tls<'t> {
    pub trust: &'t Trust,
    pub profile: &'t Profile,
    pub identity: Option<&'t Identity>,
}

/// Name, TCP and TLS, all before `deadline`; without `tls`, the first two.
pub(super) async fn connect(
    host: &str,
    port: u16,
    tls: Option<Tls<'_>>,
    outside: Option<&Outside>,
    deadline: Instant,
) -> Result<Connection, Fault> {
    let Some(tls) = tls else {
        let tcp = tcp(host, port, outside, deadline).await?;
        return opened(tcp, false).await;
    };
    let stream = handshake(host, port, &tls, outside, deadline).await?;
    let tls13 = stream.ssl().version2() == Some(SslVersion::TLS1_3);
    opened(stream, tls13).await
}

/// A connection whose handshake is done.
async fn handshake(
    host: &str,
    port: u16,
    tls: &Tls<'_>,
    outside: Option<&Outside>,
    deadline: Instant,
) -> Result<SslStream<TcpStream>, Fault> {
    let ssl = tls.trust.ssl(host, tls.profile, tls.identity);
    let ssl = ssl.map_err(|error| {
        tracing::error!(%error, "TLS connection cannot be prepared");
        Fault::unsent(
            TransportKind::Tls,
            "this certificate cannot be used for TLS",
        )
    })?;
    let tcp = tcp(host, port, outside, deadline).await?;
    let mut stream = SslStream::new(ssl, tcp).map_err(|error| unprepared(&error))?;
    let shaken = timeout_at(deadline, Pin::new(&mut stream).connect());
    match shaken.await {
        Err(_) => Err(late("TLS handshake took too long")),
        Ok(Err(error)) => Err(fault::handshake(&error, stream.ssl())),
        Ok(Ok(())) => Ok(stream),
    }
}

fn unprepared(error: &dyn std::fmt::Display) -> Fault {
    Fault::unsent(TransportKind::Tls, format!("TLS: {error}"))
}

/// HTTP over a stream.
async fn opened<S>(stream: S, tls13: bool) -> Result<Connection, Fault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = Builder::new()
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEADER_BYTES)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| unprepared(&error))?;
    // It ends when the sender is dropped or the server closes; whoever waits
    // for an answer is told why.
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection to an authority ended");
        }
    });
    Ok(Connection { sender, tls13 })
}

/// The first address that answers; each has its share of the time left.
async fn tcp(
    host: &str,
    port: u16,
    outside: Option<&Outside>,
    deadline: Instant,
) -> Result<TcpStream, Fault> {
    let found = timeout_at(deadline, tokio::net::lookup_host((host, port)));
    let addresses: Vec<SocketAddr> = match found.await {
        Err(_) => {
            return Err(Fault::unsent(
                TransportKind::Dns,
                format!("{host}: name not resolved in time"),
            ));
        }
        Ok(Err(error)) => {
            return Err(Fault::unsent(
                TransportKind::Dns,
                format!("{host}: {error}"),
            ));
        }
        Ok(Ok(addresses)) => addresses.take(MAX_ADDRESSES).collect(),
    };
    // The connection goes to the very addresses that are looked at here.
    let allowed = |address: &SocketAddr| outside.is_none_or(|one| one.allows(address.ip()));
    if !addresses.is_empty() && !addresses.iter().any(allowed) {
        return Err(Fault::unsent(
            TransportKind::Blocked,
            format!("{host}: an address of a private or reserved network"),
        ));
    }
    let addresses: Vec<SocketAddr> = addresses.into_iter().filter(allowed).collect();
    let mut last = Fault::unsent(TransportKind::Dns, format!("{host}: no address"));
    for (tried, address) in addresses.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let remaining = u32::try_from(addresses.len() - tried).unwrap_or(1);
        let until = Instant::now() + left / remaining;
        last = match timeout_at(until, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY");
                }
                return Ok(stream);
            }
            Ok(Err(error)) => {
                Fault::unsent(TransportKind::Connect, format!("{host}:{port}: {error}"))
            }
            Err(_) => late("connection not accepted in time"),
        };
    }
    Err(last)
}

fn late(detail: &str) -> Fault {
    Fault::unsent(TransportKind::Timeout, detail)
}
