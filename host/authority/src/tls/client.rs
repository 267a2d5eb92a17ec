//! One customer's client: a request out, an answer or a fault back. Nothing
//! is sent twice.

use super::connect::{Connection, Tls, connect};
use super::fault::{self, Fault};
use super::pool::{Key, Pool};
use super::{Identity, Profile, Trust};
use base::faultpoint;
use base::net::Outside;
use flow::contract::{TransportFault, TransportKind};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, Uri};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub method: String,
    /// https, absolute; http only with `plain_http`.
    pub url: String,
    /// The operator accepts that it goes without TLS.
    pub plain_http: bool,
    /// For the `Host` header, where it is not the address's.
    pub host: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// For everything, from the name's look-up to the last byte.
    pub timeout: Duration,
    /// Largest body of an answer.
    pub response_bytes: usize,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Those whose values are text.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

pub struct Client {
    trust: Trust,
    profile: Profile,
    identity: Option<Identity>,
    connect_timeout: Duration,
    /// None: wherever the registry leads.
    outside: Option<Outside>,
    pool: Arc<Pool>,
}

impl Client {
    pub fn new(
        trust: Trust,
        profile: Profile,
        identity: Option<Identity>,
        connect_timeout: Duration,
    ) -> Client {
        Client {
            trust,
            profile,
            identity,
            connect_timeout,
            outside: None,
            pool: Arc::default(),
        }
    }

    /// Connects to these addresses alone.
    #[must_use]
    pub fn only(mut self, outside: Outside) -> Client {
        self.outside = Some(outside);
        self
    }

    /// Sends once.
    ///
    /// # Errors
    /// No answer, or none that can be read; `maybe_arrived` is false only
    /// when no byte can have reached the service.
    pub async fn send(&self, outgoing: Outgoing) -> Result<Answer, TransportFault> {
        Ok(self.exchange(outgoing).await?)
    }

    async fn exchange(&self, outgoing: Outgoing) -> Result<Answer, Fault> {
        let deadline = Instant::now() + outgoing.timeout;
        let limit = outgoing.response_bytes;
        let (key, mut request) = request(outgoing)?;
        let (response, connection) = loop {
            let waiting = self.pool.take(&key);
            let reused = waiting.is_some();
            let mut connection = match waiting {
                Some(connection) => connection,
                None => self.connect(&key, deadline).await?,
            };
            let sent = timeout_at(deadline, connection.sender.try_send_request(request)).await;
            let mut error = match sent {
                Err(_) => return Err(late()),
                Ok(Ok(response)) => break (response, connection),
                Ok(Err(error)) => error,
            };
            let cause = |error| fault::exchange(error, connection.tls13);
            match error.take_message() {
                // The server had closed a connection that waited; no byte was
                // written on it. Each turn uses one of them up.
                Some(back) if reused => request = back,
                Some(_) => {
                    let known = cause(error.error());
                    return Err(Fault::unsent(known.kind, known.detail));
                }
                None => return Err(cause(error.error())),
            }
        };
        faultpoint::hit("answer begun");
        let answer = read(response, connection.tls13, deadline, limit).await?;
        self.keep(key, connection);
        Ok(answer)
    }

    async fn connect(&self, key: &Key, deadline: Instant) -> Result<Connection, Fault> {
        let deadline = deadline.min(Instant::now() + self.connect_timeout);
        let outside = self.outside.as_ref();
        let tls = key.tls.then_some(Tls {
            trust: &self.trust,
            profile: &self.profile,
            identity: self.identity.as_ref(),
        });
        connect(&key.host, key.port, tls, outside, deadline).await
    }

    /// Back to the others, once it takes another request.
    fn keep(&self, key: Key, mut connection: Connection) {
        if connection.sender.is_ready() {
            return self.pool.put(key, connection);
        }
        let pool = self.pool.clone();
        tokio::spawn(async move {
            if connection.sender.ready().await.is_ok() {
                pool.put(key, connection);
            }
        });
    }
}

/// Where it goes, and what goes on the wire.
fn request(outgoing: Outgoing) -> Result<(Key, Request<Full<Bytes>>), Fault> {
    let unreadable = |what: &'static str| Fault::unsent(TransportKind::Blocked, what);
    let url: Uri = outgoing
        .url
        .parse()
        .map_err(|_| unreadable("address cannot be read"))?;
    let tls = match url.scheme_str() {
        Some("https") => true,
        Some("http") if outgoing.plain_http => false,
        _ => return Err(unreadable("address is not https")),
    };
    let authority = url
        .authority()
        .ok_or_else(|| unreadable("address has no host"))?;
    // What stands before an @ is no host, and no header of ours.
    let named = authority
        .as_str()
        .rsplit_once('@')
        .map_or(authority.as_str(), |(_, named)| named);
    let named = outgoing.host.as_deref().unwrap_or(named);
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    let usual = if tls { 443 } else { 80 };
    let port = authority.port_u16().unwrap_or(usual);
    let target = url.path_and_query().map_or("/", |target| target.as_str());

    let mut headers = HeaderMap::new();
    let named = HeaderValue::from_str(named).map_err(|_| unreadable("host"))?;
    headers.insert(HOST, named);
    for (name, value) in &outgoing.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unreadable("header"))?;
        let value = HeaderValue::from_str(value).map_err(|_| unreadable("header"))?;
        headers.append(name, value);
    }
    headers
        .entry(ACCEPT)
        .or_insert(HeaderValue::from_static("*/*"));
    let method =
        Method::from_bytes(outgoing.method.as_bytes()).map_err(|_| unreadable("method"))?;
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .body(Full::new(Bytes::from(outgoing.body)))
        .map_err(|_| unreadable("the request cannot be written"))?;
    *request.headers_mut() = headers;
    Ok((Key { host, port, tls }, request))
}

/// Status, headers and a body of at most `limit` bytes.
async fn read(
    response: Response<Incoming>,
    tls13: bool,
    deadline: Instant,
    limit: usize,
) -> Result<Answer, Fault> {
    let (head, mut incoming) = response.into_parts();
    let headers = head.headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    let headers = headers.collect();
    let mut body = Vec::new();
    loop {
        let frame = match timeout_at(deadline, incoming.frame()).await {
            Err(_) => return Err(late()),
            Ok(None) => break,
            Ok(Some(frame)) => frame.map_err(|error| fault::exchange(&error, tls13))?,
        };
        let Some(data) = frame.data_ref() else {
            continue;
        };
        if body.len() + data.len() > limit {
            return Err(Fault::unknown(
                TransportKind::TooLarge,
                "answer is larger than the limit",
            ));
        }
        body.extend_from_slice(data);
    }
    Ok(Answer {
        status: head.status.as_u16(),
        headers,
        body,
    })
}

fn late() -> Fault {
    Fault::unknown(TransportKind::Timeout, "no answer in time")
}
