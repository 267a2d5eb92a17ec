//! Calls the operations inside the process, for a person in the panel who has
//! no key. Everything else is checked as for a call from outside.

use accounts::people::known::Known;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, header};
use gate::Services;
use gate::person::Person;
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use std::sync::Arc;

/// The operations as a service of this process.
#[derive(Clone)]
pub struct Inside(Router);

/// What an operation answered.
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The answer as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }
}

impl Inside {
    pub fn new(app: &Services) -> Inside {
        Inside(super::operations(app))
    }

    /// Asks an operation. `body`: JSON, unless the headers say otherwise.
    ///
    /// # Errors
    /// The request cannot be made of what was given.
    pub async fn ask(
        &self,
        person: &Arc<Known>,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> anyhow::Result<Reply> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .body(Body::from(body))?;
        *request.headers_mut() = headers;
        let json = header::HeaderValue::from_static("application/json");
        request
            .headers_mut()
            .entry(header::CONTENT_TYPE)
            .or_insert(json);
        request.extensions_mut().insert(Person(person.clone()));
        let service = TowerToHyperService::new(self.0.clone());
        let response = service.call(request).await?;
        let (parts, body) = response.into_parts();
        Ok(Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            bytes: body.collect().await?.to_bytes().to_vec(),
        })
    }
}
