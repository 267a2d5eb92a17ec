//! One question to one address: a GET without certificate, without credentials and
//! without a document, over the same TLS as notes.

use authority::gateway::Gateway;
use authority::tls::{Answer, Client, Outgoing, Profile, Trust};
use authority::transport;
use base::config::{Authorities, Config};
use base::net::Outside;
use base::when;
use flow::contract::{TransportFault, TransportKind};
use flow::registry::{Address, Registry};
use openssl::error::ErrorStack;
use std::time::{Duration, Instant};
use store::tables::probes::{Finding, ProbeResult, Verdict};

/// Bytes of an answer that are read.
pub(crate) const MOST: usize = 1 << 20;
/// Who asks, as servers see it.
pub(crate) const AGENT: &str = concat!("hub/", env!("CARGO_PKG_VERSION"), " (coverage probe)");
/// What every WSDL names, of version 1.1 or 2.0.
const WSDL: [&str; 2] = ["schemas.xmlsoap.org/wsdl", "www.w3.org/ns/wsdl"];

/// What asks.
#[derive(Clone)]
pub struct Prober {
    trust: Trust,
    authorities: Authorities,
    outside: Outside,
    connect_timeout: Duration,
    timeout: Duration,
}

/// What a question showed, and how far this machine's clock is before the server's
/// (milliseconds, as exact as the second that the server says). None: it says no time.
pub struct Heard {
    pub finding: Finding,
    pub ahead_ms: Option<i64>,
}

impl Prober {
    /// The one of a hub that runs.
    ///
    /// # Errors
    /// OpenSSL refuses a root.
    pub async fn open(app: &Gateway) -> Result<Prober, ErrorStack> {
        let trust = transport::official_trust(app).await?;
        Ok(Prober::new(trust, &app.config))
    }

    /// One that believes these servers.
    pub fn new(trust: Trust, config: &Config) -> Prober {
        let settings = &config.probes;
        Prober {
            trust,
            authorities: config.authorities.clone(),
            outside: settings.outside(),
            connect_timeout: Duration::from_millis(settings.connect_timeout_ms),
            timeout: Duration::from_millis(settings.timeout_ms),
        }
    }

    /// The longest time a question takes.
    pub fn longest(&self) -> Duration {
        self.timeout
    }

    /// Asks once. What comes back is kept under the moment `at_ms`.
    pub async fn ask(&self, registry: &Registry, address: &Address, at_ms: i64) -> Finding {
        self.hear(registry, address, at_ms).await.finding
    }

    /// The same, with what the answer says of the time.
    pub async fn hear(&self, registry: &Registry, address: &Address, at_ms: i64) -> Heard {
        let host = address.authority().unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default();
        let profile = registry
            .tls(name)
            .map_or_else(Profile::unknown, Profile::from);
        // A connection of its own each time: an old one would say nothing about today's.
        let client = Client::new(self.trust.clone(), profile, None, self.connect_timeout);
        let client = client.only(self.outside.clone());
        let began = Instant::now();
        let answer = client.send(Outgoing {
            method: "GET".to_owned(),
            url: target(address),
            plain_http: !self.authorities.refuses_plain(&address.url),
            host: None,
            headers: vec![("user-agent".to_owned(), AGENT.to_owned())],
            body: Vec::new(),
            timeout: self.timeout,
            response_bytes: MOST,
        });
        let answer = answer.await;
        let latency_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        let mut ahead_ms = None;
        let (result, http_status, detail) = match answer {
            Ok(answer) => {
                let status = i64::from(answer.status);
                // The server wrote it at some moment of the question.
                ahead_ms = dated_ms(&answer).map(|theirs_ms| at_ms + latency_ms / 2 - theirs_ms);
                (seen(&answer), status, String::new())
            }
            Err(fault) => (failed(&fault), 0, fault.detail),
        };
        let finding = Finding {
            address: address.url.clone(),
            at_ms,
            result,
            http_status,
            latency_ms,
            detail,
            verdict: verdict(result, http_status),
            counted: false,
        };
        Heard { finding, ahead_ms }
    }
}

/// The moment in an answer's `Date`, the middle of the second that it names; None: it has
/// none that can be read.
fn dated_ms(answer: &Answer) -> Option<i64> {
    let mut headers = answer.headers.iter();
    let (_, date) = headers.find(|(name, _)| name.eq_ignore_ascii_case("date"))?;
    when::http_date_ms(date).map(|ms| ms + 500)
}

/// The address that is asked: of SOAP the one of its description.
fn target(address: &Address) -> String {
    let url = address.url.as_str();
    if !address.soap || url.to_ascii_lowercase().ends_with("wsdl") {
        return url.to_owned();
    }
    match url.split_once('?') {
        None => format!("{url}?wsdl"),
        Some((_, "")) => format!("{url}wsdl"),
        Some(_) => format!("{url}&wsdl"),
    }
}

fn seen(answer: &Answer) -> ProbeResult {
    let text = String::from_utf8_lossy(&answer.body);
    match answer.status {
        500.. => ProbeResult::ServerError,
        200..=299 if text.contains("definitions") && WSDL.iter().any(|ns| text.contains(ns)) => {
            ProbeResult::Wsdl
        }
        _ => ProbeResult::Answered,
    }
}

fn failed(fault: &TransportFault) -> ProbeResult {
    match fault.kind {
        TransportKind::Dns => ProbeResult::NoName,
        TransportKind::Connect => ProbeResult::NoConnection,
        TransportKind::Tls => ProbeResult::TlsFailed,
        TransportKind::ClientCertificateRefused => ProbeResult::CertificateDemanded,
        TransportKind::Timeout if !fault.maybe_arrived => ProbeResult::NoConnection,
        TransportKind::Timeout | TransportKind::Reset => ProbeResult::NoAnswer,
        // It answers, and at length.
        TransportKind::TooLarge => ProbeResult::Answered,
        TransportKind::Blocked => ProbeResult::Blocked,
        _ => ProbeResult::Unreadable,
    }
}

/// What a result says. A GET may be refused by a service that works, also with a 500;
/// a gateway that finds no service behind it (502 to 504) says that there is none.
fn verdict(result: ProbeResult, http_status: i64) -> Verdict {
    match result {
        ProbeResult::Wsdl | ProbeResult::Answered | ProbeResult::CertificateDemanded => {
            Verdict::Answers
        }
        ProbeResult::ServerError if (502..=504).contains(&http_status) => Verdict::Fails,
        ProbeResult::NoName
        | ProbeResult::NoConnection
        | ProbeResult::TlsFailed
        | ProbeResult::NoAnswer => Verdict::Fails,
        ProbeResult::ServerError | ProbeResult::Unreadable | ProbeResult::Blocked => {
            Verdict::Unclear
        }
    }
}
