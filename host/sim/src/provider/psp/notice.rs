//! The callback of a paid charge: signed, over plain HTTP to the hub beside
//! the simulator.

use crate::clock::Clock;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::net::TcpStream;

/// Time the hub has to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Header of the signature.
const SIGNATURE: &str = "x-psp-signature-256";

/// Where callbacks go, as the dashboard of a PSP keeps it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// `http://host:port/path`.
    pub url: String,
    pub secret: String,
}

/// Sends one; the hub's status, or why there is none.
pub(crate) async fn send(target: &Target, now: &Clock, body: String) -> Result<u16, String> {
    let signature = sign(&target.secret, now() / 1_000, &body).map_err(|e| e.to_string())?;
    let uri: hyper::Uri = target.url.parse().map_err(|_| "url do aviso".to_owned())?;
    let authority = uri
        .authority()
        .filter(|_| uri.scheme_str() == Some("http"))
        .ok_or("o aviso simulado vai só por http://")?;
    let request = Request::post(uri.path_and_query().map_or("/", |path| path.as_str()))
        .header("host", authority.as_str())
        .header("content-type", "application/json")
        .header(SIGNATURE, signature)
        .body(Full::new(Bytes::from(body)))
        .map_err(|e| e.to_string())?;
    let address = format!(
        "{}:{}",
        authority.host(),
        authority.port_u16().unwrap_or(80)
    );
    let exchange = async {
        let stream = TcpStream::connect(address)
            .await
            .map_err(|e| e.to_string())?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|e| e.to_string())?;
        let driving = tokio::spawn(connection);
        let response = sender
            .send_request(request)
            .await
            .map_err(|e| e.to_string())?;
        let status = response.status().as_u16();
        // Read to its end, so that the hub sees no broken connection.
        let _body = response.into_body().collect().await;
        driving.abort();
        Ok(status)
    };
    tokio::time::timeout(PATIENCE, exchange)
        .await
        .map_err(|_| "o hub não respondeu ao aviso".to_owned())?
}

/// `t=<seconds>,v1=<HMAC-SHA256 of "seconds.body" in hex>`.
fn sign(secret: &str, seconds: i64, body: &str) -> Result<String, openssl::error::ErrorStack> {
    let key = PKey::hmac(secret.as_bytes())?;
    let mut signer = Signer::new(MessageDigest::sha256(), &key)?;
    signer.update(format!("{seconds}.{body}").as_bytes())?;
    let mut text = format!("t={seconds},v1=");
    for byte in signer.sign_to_vec()? {
        let _infallible = write!(text, "{byte:02x}");
    }
    Ok(text)
}
