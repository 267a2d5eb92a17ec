//! What a failure means, and whether anybody may have got the request.

use flow::contract::{TransportFault, TransportKind};
use openssl::ssl::{self, SslRef};
use openssl::x509::X509VerifyResult;
use std::error::Error;
use std::io;

/// Longest sentence handed on, characters.
const MAX_DETAIL: usize = 200;
/// OpenSSL's reason for an alert that was received: this and the alert's
/// number (RFC 8446 §6).
const ALERT: i32 = 1000;
const HANDSHAKE_FAILURE: i32 = 40;
const PROTOCOL_VERSION: i32 = 70;
const INSUFFICIENT_SECURITY: i32 = 71;
/// bad, unsupported, revoked, expired, unknown; unknown_ca, access_denied;
/// certificate_required.
const ABOUT_OUR_CERTIFICATE: [i32; 8] = [42, 43, 44, 45, 46, 48, 49, 116];

/// A request without answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub kind: TransportKind,
    pub detail: String,
    pub maybe_arrived: bool,
}

impl Fault {
    /// No byte of the request has left.
    pub(super) fn unsent(kind: TransportKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            detail: detail.into(),
            maybe_arrived: false,
        }
    }

    /// The request, or a part of it, may have arrived.
    pub(super) fn unknown(kind: TransportKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            detail: detail.into(),
            maybe_arrived: true,
        }
    }
}

impl From<Fault> for TransportFault {
    fn from(fault: Fault) -> Self {
        TransportFault {
            kind: fault.kind,
            detail: fault.detail.chars().take(MAX_DETAIL).collect(),
            maybe_arrived: fault.maybe_arrived,
        }
    }
}

/// Why a handshake failed. Nothing was sent.
pub(super) fn handshake(error: &ssl::Error, ssl: &SslRef) -> Fault {
    let verified = ssl.verify_result();
    if verified != X509VerifyResult::OK {
        return Fault::unsent(
            TransportKind::Tls,
            format!(
                "server certificate not trusted: {}{}",
                verified.error_string(),
                presented(ssl)
            ),
        );
    }
    match alert(error) {
        Some(alert) if ABOUT_OUR_CERTIFICATE.contains(&alert) => certificate_refused(error),
        // After its own certificate, nothing but ours is left to displease.
        Some(HANDSHAKE_FAILURE) if ssl.peer_certificate().is_some() => certificate_refused(error),
        Some(HANDSHAKE_FAILURE | INSUFFICIENT_SECURITY | PROTOCOL_VERSION) => Fault::unsent(
            TransportKind::Tls,
            format!(
                "no version or cipher in common; the host may need an entry in [tls] of the registry ({error})"
            ),
        ),
        _ => Fault::unsent(TransportKind::Tls, format!("TLS handshake: {error}")),
    }
}

fn certificate_refused(error: &ssl::Error) -> Fault {
    Fault::unsent(
        TransportKind::ClientCertificateRefused,
        format!("client certificate refused: {error}"),
    )
}

/// Subject and issuer of the last certificate the server presented: the issuer
/// is the one a store lacks.
fn presented(ssl: &SslRef) -> String {
    let name = |name: &openssl::x509::X509NameRef| {
        let entries = name
            .entries()
            .filter_map(|entry| entry.data().to_string().ok());
        entries.last().unwrap_or_default()
    };
    // OpenSSL keeps what was presented, refused or not.
    let last = ssl
        .peer_cert_chain()
        .and_then(|chain| chain.into_iter().last());
    last.map_or_else(String::new, |last| {
        format!(
            " (\"{}\" issued by \"{}\")",
            name(last.subject_name()),
            name(last.issuer_name())
        )
    })
}

/// Why a request on an open connection has no answer.
pub(super) fn exchange(error: &hyper::Error, tls13: bool) -> Fault {
    if let Some(tls) = tls_error(error) {
        if alert(tls).is_some_and(|alert| ABOUT_OUR_CERTIFICATE.contains(&alert)) {
            let refused = certificate_refused(tls);
            return Fault {
                // TLS 1.3 reads nothing we sent before it has accepted the
                // certificate (RFC 8446 §4.4); a refused renegotiation
                // of TLS 1.2 comes after the request.
                maybe_arrived: !tls13,
                ..refused
            };
        }
        return Fault::unknown(TransportKind::Tls, format!("TLS: {tls}"));
    }
    if error.is_parse() {
        return Fault::unknown(TransportKind::Other, format!("answer is not HTTP: {error}"));
    }
    Fault::unknown(TransportKind::Reset, chain(error))
}

fn alert(error: &ssl::Error) -> Option<i32> {
    let errors = error.ssl_error()?.errors();
    errors
        .iter()
        .map(|error| error.reason_code() - ALERT)
        .find(|alert| (0..256).contains(alert))
}

/// OpenSSL's own words, below those of hyper and of the stream.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a ssl::Error> {
    let mut next: Option<&'a (dyn Error + 'static)> = Some(error);
    // Errors are a few deep.
    for _ in 0..16 {
        let one = next?;
        if let Some(tls) = one.downcast_ref::<ssl::Error>() {
            return Some(tls);
        }
        let inside = one
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .and_then(|inner| inner.downcast_ref::<ssl::Error>());
        if inside.is_some() {
            return inside;
        }
        next = one.source();
    }
    None
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(one) = next
        && text.len() < MAX_DETAIL
    {
        text = format!("{text}: {one}");
        next = one.source();
    }
    text
}
