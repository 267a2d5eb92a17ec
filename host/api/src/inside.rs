//! Calls the operations inside the process: for a person in the panel who has no
//! key, or for a call with a key that is no operation itself but is made of some.
//! Everything else is checked as for a call from outside.

use crate::v1::rehearsal;
use accounts::caller::Caller;
use accounts::people::known::Known;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, header};
use axum::response::Response;
use gate::Services;
use gate::error::render;
use gate::person::{ChargedOnce, FormBody, InTurn, LetIn, Person};
use gate::request::body::fingerprint;
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use issuing::model::Model;
use serde_json::{Value, json};
use std::sync::Arc;
use store::ids::RequestId;

/// The operations as a service of this process.
#[derive(Clone)]
pub struct Inside {
    app: Services,
    router: Router,
}

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
        Inside {
            app: app.clone(),
            router: super::operations(app),
        }
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
        self.call(request(person, method, path, headers, body)?)
            .await
    }

    /// As [`Inside::ask`], for one of many calls that the hub makes in turn for
    /// something the person asked for once: the account's rate does not count
    /// it.
    ///
    /// # Errors
    /// As there.
    pub async fn ask_in_turn(
        &self,
        person: &Arc<Known>,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> anyhow::Result<Reply> {
        let mut request = request(person, method, path, headers, body)?;
        request.extensions_mut().insert(InTurn);
        self.call(request).await
    }

    /// As [`Inside::ask`], for a button that may be pressed twice: for one form, address and
    /// body the answer is charged once. `form`: the form's token.
    ///
    /// # Errors
    /// As there.
    pub async fn ask_once(
        &self,
        person: &Arc<Known>,
        method: Method,
        path: &str,
        form: &str,
        body: Vec<u8>,
    ) -> anyhow::Result<Reply> {
        let asked = fingerprint(&json!([path, String::from_utf8_lossy(&body)]));
        let mut request = request(person, method, path, HeaderMap::new(), body)?;
        let once = ChargedOnce(format!("{form} {asked}"));
        request.extensions_mut().insert(once);
        self.call(request).await
    }

    /// Asks an operation that stores drafts to keep a form as it is, which may lack what a note
    /// must have. `form`: JSON of an [`issuing::issue::KeptForm`].
    ///
    /// # Errors
    /// As [`Inside::ask`].
    pub async fn keep(
        &self,
        person: &Arc<Known>,
        path: &str,
        headers: HeaderMap,
        form: Vec<u8>,
    ) -> anyhow::Result<Reply> {
        let mut request = request(person, Method::POST, path, headers, form)?;
        request.extensions_mut().insert(FormBody);
        self.call(request).await
    }

    /// Asks an operation for a call with a key that was let in and counted before. The
    /// operation checks the key's scope.
    ///
    /// # Errors
    /// As [`Inside::ask`].
    pub async fn ask_as(
        &self,
        let_in: &LetIn,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> anyhow::Result<Reply> {
        let mut request = bare(method, path, headers, body)?;
        request.extensions_mut().insert(let_in.clone());
        self.call(request).await
    }

    /// What the issuing operation of a model would make of a body: its record
    /// and price, or its refusal. Nothing is stored or sent.
    ///
    /// # Errors
    /// The answer cannot be written.
    pub async fn rehearse(
        &self,
        person: &Known,
        model: Model,
        body: Value,
    ) -> anyhow::Result<Reply> {
        let caller = Caller {
            account_id: person.key.account_id.clone(),
            kind: person.key.kind,
            request_id: RequestId::new(self.app.now_ms()),
            payer: person.payer.clone(),
        };
        let id = caller.request_id.clone();
        // On the heap: it is as large as an issuing call, and callers nest.
        match Box::pin(rehearsal::rehearse(&self.app, caller, model, body)).await {
            Ok(record) => Ok(Reply {
                status: 200,
                headers: HeaderMap::new(),
                bytes: record.to_string().into_bytes(),
            }),
            Err(failure) => {
                let base_url = &self.app.config.server.base_url;
                read(render(&failure, &id, base_url, false, false)).await
            }
        }
    }

    async fn call(&self, request: Request<Body>) -> anyhow::Result<Reply> {
        let service = TowerToHyperService::new(self.router.clone());
        read(service.call(request).await?).await
    }
}

/// The request of a person's call.
fn request(
    person: &Arc<Known>,
    method: Method,
    path: &str,
    headers: HeaderMap,
    body: Vec<u8>,
) -> anyhow::Result<Request<Body>> {
    let mut request = bare(method, path, headers, body)?;
    request.extensions_mut().insert(Person(person.clone()));
    Ok(request)
}

/// The request of a call, of nobody yet. `body`: JSON, unless the headers say
/// otherwise.
fn bare(
    method: Method,
    path: &str,
    headers: HeaderMap,
    body: Vec<u8>,
) -> anyhow::Result<Request<Body>> {
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
    Ok(request)
}

async fn read(response: Response) -> anyhow::Result<Reply> {
    let (parts, body) = response.into_parts();
    Ok(Reply {
        status: parts.status.as_u16(),
        headers: parts.headers,
        bytes: body.collect().await?.to_bytes().to_vec(),
    })
}
