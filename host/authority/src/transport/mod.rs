//! Sends what adapters ask for: to the authority, to the simulator over TLS,
//! or to the simulated authorities of this process.

pub mod mask;

use super::customer::IssuingCustomer;
use super::way::{Mode, Way};
use crate::gateway::Gateway;
use crate::tls::{Client, Identity, Outgoing, Profile, TlsIdentity, Trust, Which};
use base::faultpoint;
use base::metrics;
use base::traces::{Ended, Kind};
use flow::contract::{
    Event, HttpRequest, HttpResponse, Named, Target, TransportFault, TransportKind,
};
use flow::{Flow, Transport};
use mask::Mask;
use openssl::error::ErrorStack;
use sha1::Digest as _;
use sim::{SimAnswer, SimRequest};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::ids::AccountId;

/// A request's own time-out may not pass this.
const TIMEOUT_MS: u64 = 120_000;

/// The transport of one flow.
pub struct FlowTransport {
    pub app: Gateway,
    /// Whose flow it is.
    pub account: AccountId,
    pub way: Way,
    pub customer: Arc<IssuingCustomer>,
}

#[async_trait::async_trait]
impl Transport for FlowTransport {
    async fn send(&self, flow: &Flow, request: &HttpRequest) -> Event {
        faultpoint::hit("request");
        let began = Instant::now();
        let sending = self.try_send(flow, request);
        let sent = self
            .app
            .traces
            .span("authority", Kind::Client, None, sending, |sent| {
                self.ended(flow, request, sent)
            })
            .await;
        let labels = self.labels(flow, request, &sent);
        let labels = [labels.0.as_str(), labels.1.as_str(), labels.2];
        metrics::AUTHORITY_SECONDS.took(labels, began.elapsed());
        faultpoint::hit("answer read");
        match sent {
            Ok(response) => Event::Response(response),
            Err(fault) => {
                tracing::info!(flow.id = %flow.id, label = %request.label, kind = ?fault.kind, maybe_arrived = fault.maybe_arrived, "no response from the authority");
                Event::NoResponse(fault)
            }
        }
    }
}

impl FlowTransport {
    /// Adapter, host and result of a round trip. Hosts are those of the
    /// registry: others are not asked.
    fn labels(
        &self,
        flow: &Flow,
        request: &HttpRequest,
        sent: &Result<HttpResponse, TransportFault>,
    ) -> (String, String, &'static str) {
        let result = match sent {
            Ok(response) => metrics::class(response.status),
            Err(fault) => word(fault.kind),
        };
        let url = self.url(request).ok();
        let host = url.as_ref().and_then(reqwest::Url::host_str);
        let system = flow.component.description.name.clone();
        (system, host.unwrap_or_default().to_owned(), result)
    }

    fn ended(
        &self,
        flow: &Flow,
        request: &HttpRequest,
        sent: &Result<HttpResponse, TransportFault>,
    ) -> Ended {
        let (system, host, result) = self.labels(flow, request, sent);
        let mut attributes = vec![
            ("hub.system", system.as_str().into()),
            ("server.address", host.as_str().into()),
            ("hub.result", result.into()),
        ];
        if let Ok(response) = sent {
            let status = i64::from(response.status);
            attributes.push(("http.response.status_code", status.into()));
        }
        Ended {
            attributes,
            failed: sent.is_err(),
        }
    }

    async fn try_send(
        &self,
        flow: &Flow,
        request: &HttpRequest,
    ) -> Result<HttpResponse, TransportFault> {
        let mut url = self.url(request)?;
        let filled = self.fill(flow, request, &url)?;
        url.set_query(filled.query.as_deref());
        let answer = match self.way.mode {
            Mode::InProcess => self.in_process(&url, request, filled).await,
            Mode::Simulator | Mode::Official => self.over_tls(&url, request, filled).await,
        }?;
        let secrets = self.customer.secrets();
        Ok(Mask::of(secrets, flow, &LegacyHashes).over(answer))
    }

    fn url(&self, request: &HttpRequest) -> Result<reqwest::Url, TransportFault> {
        let text = match &request.target {
            Target::Endpoint(target) => {
                let base = self
                    .way
                    .endpoints
                    .get(&target.endpoint)
                    .ok_or_else(|| blocked("endpoint is not configured"))?;
                format!("{}{}", base.trim_end_matches('/'), target.path)
            }
            Target::Url(url) => url.clone(),
        };
        let url = reqwest::Url::parse(&text).map_err(|_| blocked("address cannot be read"))?;
        let known = match &request.target {
            Target::Endpoint(target) => {
                let base = self
                    .way
                    .endpoints
                    .get(&target.endpoint)
                    .and_then(|base| reqwest::Url::parse(base).ok());
                base.is_some_and(|base| {
                    base.host_str() == url.host_str() && base.port() == url.port()
                })
            }
            Target::Url(_) => self.known_host(&url),
        };
        if known {
            Ok(url)
        } else {
            Err(blocked("host is not one of this municipality"))
        }
    }

    /// Whether an address found in an answer leads to this municipality: its
    /// host, at the usual port or one the registry gives.
    fn known_host(&self, url: &reqwest::Url) -> bool {
        let plain = matches!(url.scheme(), "https" | "http")
            && !self.app.config.authorities.refuses_plain(url.as_str())
            && url.username().is_empty()
            && url.password().is_none();
        let host = url
            .host_str()
            .is_some_and(|host| self.way.hosts.contains(host));
        let same = |base: &String| {
            reqwest::Url::parse(base)
                .is_ok_and(|base| base.host_str() == url.host_str() && base.port() == url.port())
        };
        plain && host && (url.port().is_none() || self.way.endpoints.values().any(same))
    }

    /// Query, headers and body with the secrets in their places.
    fn fill(
        &self,
        flow: &Flow,
        request: &HttpRequest,
        url: &reqwest::Url,
    ) -> Result<Filled, TransportFault> {
        let fill = |text: &[u8]| {
            let limit = self.app.config.flow.request_bytes;
            flow::placeholder::fill(
                text,
                &flow.context.entropy,
                &LegacyHashes,
                &|name| self.secret(flow, request, name),
                limit,
            )
            .map_err(|reason| blocked(&reason))
        };
        let mut headers = Vec::with_capacity(request.headers.len());
        for header in &request.headers {
            let value = fill(header.value.as_bytes())?;
            headers.push((
                header.name.clone(),
                String::from_utf8(value).map_err(|_| blocked("header is not text"))?,
            ));
        }
        let query = url
            .query()
            .map(|query| fill(query.as_bytes()))
            .transpose()?;
        let query = query.map(String::from_utf8).transpose();
        Ok(Filled {
            query: query.map_err(|_| blocked("query is not text"))?,
            headers,
            body: fill(&request.body)?,
        })
    }

    /// A secret for this request. A step that declares less than it asks for was
    /// refused before; a journaled one is not filled either.
    fn secret(&self, flow: &Flow, request: &HttpRequest, name: &str) -> Option<String> {
        let place = flow::sandbox::place(request);
        let declared = flow.component.permissions.as_ref();
        declared
            .is_none_or(|permissions| permissions.secret_at(name, place))
            .then(|| self.customer.secret(name))
            .flatten()
    }

    async fn in_process(
        &self,
        url: &reqwest::Url,
        request: &HttpRequest,
        filled: Filled,
    ) -> Result<HttpResponse, TransportFault> {
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let world = self.app.simulator.world(&self.account);
        let answer = world
            .map_err(|error| {
                // It names the file.
                tracing::error!(%error, "the simulator's file");
                blocked("the simulator has no file")
            })?
            .handle(SimRequest {
                host: authority(url),
                method: request.method.clone(),
                path,
                headers: filled.headers,
                body: filled.body,
                client_cert_der: request
                    .client_certificate
                    .then(|| self.customer.certificate_der().map(<[u8]>::to_vec))
                    .flatten(),
            })
            .await;
        match answer {
            SimAnswer::Response { body, .. }
                if body.len() > self.app.config.flow.response_bytes =>
            {
                Err(fault(
                    TransportKind::TooLarge,
                    "answer is larger than the limit",
                    true,
                ))
            }
            SimAnswer::Response {
                status,
                headers,
                body,
            } => Ok(HttpResponse {
                status,
                headers: headers
                    .into_iter()
                    .map(|(name, value)| Named { name, value })
                    .collect(),
                body,
            }),
            SimAnswer::CutBefore | SimAnswer::CutAfter => {
                Err(fault(TransportKind::Reset, "connection closed", true))
            }
        }
    }

    async fn over_tls(
        &self,
        url: &reqwest::Url,
        request: &HttpRequest,
        filled: Filled,
    ) -> Result<HttpResponse, TransportFault> {
        let (target, host) = self.target(url)?;
        // Without TLS there is no handshake to show a certificate in.
        let shown = request.client_certificate && target.scheme() == "https";
        let client = self.client(url, shown).await?;
        let timeout_ms = u64::from(request.timeout_ms.unwrap_or(0));
        let timeout_ms = if timeout_ms == 0 {
            self.app.config.authorities.timeout_ms
        } else {
            timeout_ms.min(TIMEOUT_MS)
        };
        let answer = client.send(Outgoing {
            method: request.method.clone(),
            plain_http: !self.app.config.authorities.refuses_plain(target.as_str()),
            url: target.into(),
            host,
            headers: filled.headers,
            body: filled.body,
            timeout: Duration::from_millis(timeout_ms),
            response_bytes: self.app.config.flow.response_bytes,
        });
        let answer = answer.await?;
        let named = |(name, value)| Named { name, value };
        Ok(HttpResponse {
            status: answer.status,
            headers: answer.headers.into_iter().map(named).collect(),
            body: answer.body,
        })
    }

    /// The address to connect to and, for the simulator, the authority's name
    /// for the `Host` header.
    fn target(&self, url: &reqwest::Url) -> Result<(reqwest::Url, Option<String>), TransportFault> {
        if self.way.mode == Mode::Official {
            return Ok((url.clone(), None));
        }
        let address = self
            .app
            .simulator
            .address()
            .ok_or_else(|| blocked("the simulator is not running"))?;
        let query = url
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        let target = format!("https://{address}{}{query}", url.path());
        let target = reqwest::Url::parse(&target)
            .map_err(|_| blocked("simulator address cannot be read"))?;
        Ok((target, Some(authority(url))))
    }

    async fn client(
        &self,
        url: &reqwest::Url,
        with_certificate: bool,
    ) -> Result<Arc<Client>, TransportFault> {
        let which = Which {
            mode: self.way.mode,
            certificate_id: with_certificate.then(|| self.way.certificate_id.clone()),
            simulator: self.app.simulator.address().map(str::to_owned),
            profile: self.profile(url),
            plain: self.way.mode == Mode::Official && url.scheme() == "http",
        };
        let (profile, plain) = (which.profile.clone(), which.plain);
        let build = async || {
            let roots = self.app.roots.clone();
            let identity = with_certificate.then(|| self.identity()).transpose()?;
            let identity = identity.as_ref().map(|identity| {
                Identity::new(identity, |chain| roots.completed(chain)).map_err(unusable)
            });
            let settings = &self.app.config.authorities;
            let client = Client::new(
                self.trust().await?,
                profile,
                identity.transpose()?,
                Duration::from_millis(settings.connect_timeout_ms),
            );
            // Without TLS nothing but its address says who the server is.
            Ok(if plain {
                client.only(self.app.config.registry.outside())
            } else {
                client
            })
        };
        self.app.clients.get(which, build).await
    }

    /// What the host demands of the handshake; the simulator stands for all
    /// hosts and demands nothing.
    fn profile(&self, url: &reqwest::Url) -> Profile {
        match url.host_str() {
            Some(host) if self.way.mode == Mode::Official => {
                let known = self.app.registry.load().tls(host);
                known.map_or_else(Profile::unknown, Profile::from)
            }
            _ => Profile::default(),
        }
    }

    async fn trust(&self) -> Result<Trust, TransportFault> {
        if self.way.mode == Mode::Simulator {
            return Trust::only(self.app.simulator.ca_pem()).map_err(unusable);
        }
        official_trust(&self.app).await.map_err(unusable)
    }

    fn identity(&self) -> Result<TlsIdentity, TransportFault> {
        let identity = self.customer.tls_identity();
        identity
            .map_err(|error| blocked(&error.to_string()))?
            .ok_or_else(|| blocked("this request needs a certificate"))
    }
}

/// Trust in the servers of authorities, made once per process.
///
/// # Errors
/// OpenSSL refuses a root.
pub async fn official_trust(app: &Gateway) -> Result<Trust, ErrorStack> {
    let build = async || {
        let roots = app.roots.clone();
        // Every root of the system is read.
        let built = tokio::task::spawn_blocking(move || Trust::new(roots.server()?));
        built.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the roots of servers were not read");
            Err(ErrorStack::get())
        })
    };
    app.clients.official(build).await
}

struct Filled {
    query: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A failure as a label.
fn word(kind: TransportKind) -> &'static str {
    match kind {
        TransportKind::Dns => "dns",
        TransportKind::Connect => "connect",
        TransportKind::Tls => "tls",
        TransportKind::ClientCertificateRefused => "certificate_refused",
        TransportKind::Timeout => "timeout",
        TransportKind::Reset => "reset",
        TransportKind::TooLarge => "too_large",
        TransportKind::Blocked => "blocked",
        _ => "other",
    }
}

fn authority(url: &reqwest::Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (host, _) => host.unwrap_or_default().to_owned(),
    }
}

fn fault(kind: TransportKind, detail: &str, maybe_arrived: bool) -> TransportFault {
    TransportFault {
        kind,
        detail: detail.chars().take(200).collect(),
        maybe_arrived,
    }
}

fn blocked(reason: &str) -> TransportFault {
    fault(TransportKind::Blocked, reason, false)
}

fn unusable(error: ErrorStack) -> TransportFault {
    tracing::error!(%error, "TLS client cannot be built");
    fault(
        TransportKind::Tls,
        "TLS client cannot be built with this certificate",
        false,
    )
}

/// The digests old municipal logins are made of.
struct LegacyHashes;

impl flow::placeholder::Hashes for LegacyHashes {
    fn md5_hex(&self, data: &[u8]) -> String {
        flow::hex(&md5::Md5::digest(data))
    }

    fn sha1(&self, data: &[u8]) -> Vec<u8> {
        sha1::Sha1::digest(data).to_vec()
    }
}
