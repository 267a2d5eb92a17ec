//! What reaches an authority and what comes back.

use crate::pki::holder;

/// A request as an authority's front end sees it.
#[derive(Debug, Clone, Default)]
pub struct SimRequest {
    /// Authority's name, from the `Host` header (a port is ignored).
    pub host: String,
    /// HTTP method in capitals.
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Headers as sent.
    pub headers: Vec<(String, String)>,
    /// Body without transfer encoding.
    pub body: Vec<u8>,
    /// Certificate offered in the TLS handshake.
    pub client_cert_der: Option<Vec<u8>>,
}

/// What the authority does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimAnswer {
    /// It answers.
    Response {
        /// HTTP status.
        status: u16,
        /// Headers.
        headers: Vec<(String, String)>,
        /// Body.
        body: Vec<u8>,
    },
    /// The connection drops and nothing was processed.
    CutBefore,
    /// The connection drops although the request was processed.
    CutAfter,
}

impl SimRequest {
    /// Value of a header, names compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }

    /// CNPJ or CPF of the certificate offered; `None` without one, or where it
    /// names neither.
    pub(crate) fn holder_document(&self) -> Option<String> {
        let der = self.client_cert_der.as_deref()?;
        holder(der).map(|holder| holder.document)
    }

    /// Host in small letters, without port.
    pub(crate) fn authority(&self) -> String {
        let host = self.host.to_ascii_lowercase();
        // An IPv6 address in brackets keeps its colons; no authority is one.
        host.rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
            .map_or(host.clone(), |(name, _)| name.to_owned())
    }

    /// Path without query.
    pub(crate) fn plain_path(&self) -> &str {
        self.path.split(['?', '#']).next().unwrap_or_default()
    }
}

/// A normal answer of an authority.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
        }
    }

    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", value.to_string())
    }
}

impl From<Answer> for SimAnswer {
    fn from(a: Answer) -> Self {
        SimAnswer::Response {
            status: a.status,
            headers: a.headers,
            body: a.body,
        }
    }
}
