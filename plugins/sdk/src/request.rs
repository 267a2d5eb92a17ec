//! Requests and answers.

use crate::bindings::control::{Effect, EndpointPath, HttpRequest, HttpResponse, Named, Target};

/// A request under construction. The effect is asked for at once because it
/// decides what the host may do when the answer is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Request(HttpRequest);

impl Request {
    /// A request to a named endpoint of the registry; `path` is added to its
    /// URL. The customer's certificate is not offered unless asked for.
    pub fn new(label: &str, effect: Effect, method: &str, endpoint: &str, path: &str) -> Self {
        Request(HttpRequest {
            target: Target::Endpoint(EndpointPath {
                endpoint: endpoint.into(),
                path: path.into(),
            }),
            method: method.into(),
            headers: Vec::new(),
            body: Vec::new(),
            effect,
            timeout_ms: None,
            client_certificate: false,
            label: label.into(),
        })
    }

    /// A read-only GET.
    pub fn get(label: &str, endpoint: &str, path: &str) -> Self {
        Request::new(label, Effect::ReadOnly, "GET", endpoint, path)
    }

    /// A POST with this effect.
    pub fn post(label: &str, effect: Effect, endpoint: &str, path: &str) -> Self {
        Request::new(label, effect, "POST", endpoint, path)
    }

    /// Goes to an absolute URL found in an answer; the host obeys only for
    /// host names the registry allows.
    #[must_use]
    pub fn to_url(mut self, url: &str) -> Self {
        self.0.target = Target::Url(url.into());
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.0.headers.push(Named {
            name: name.into(),
            value: value.into(),
        });
        self
    }

    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.0.body = body.into();
        self.header("Content-Type", content_type)
    }

    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u32) -> Self {
        self.0.timeout_ms = Some(timeout_ms);
        self
    }

    /// Offers the customer's certificate in the TLS handshake.
    #[must_use]
    pub fn client_certificate(mut self) -> Self {
        self.0.client_certificate = true;
        self
    }
}

impl From<Request> for HttpRequest {
    fn from(request: Request) -> Self {
        request.0
    }
}

impl HttpResponse {
    /// First header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value.as_str())
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON; None when it is anything else.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// `Retry-After` in milliseconds, when given in seconds. The date form is
    /// ignored: an adapter has no clock.
    pub fn retry_after_ms(&self) -> Option<u64> {
        self.header("Retry-After")?
            .trim()
            .parse::<u64>()
            .ok()?
            .checked_mul(1000)
    }
}
