//! What every call passes: request id, key, address, rate, scope, panic guard,
//! log.

pub mod line;

use self::line::{Line, error_code};
use crate::caller::blocked;
use crate::caller::entry::{access, admit, in_time, permitted, too_fast};
use crate::error::ApiResult;
use crate::error::suggest::{Members, suggested};
use crate::error::{ApiError, Carried, ERROR_CODE, render};
use crate::person::{ChargedOnce, FormBody, InTurn, LetIn, Person};
use crate::query::{self, Query};
use crate::server::Peer;
use crate::services::limiter::Verdict;
use crate::{Services, audit};
use accounts::caller::Caller;
use accounts::people::known::Known;
use accounts::scopes::Access;
use axum::body::Body;
use axum::extract::{FromRequestParts, Query as UrlQuery, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::errors::{Code, Failure, Refusal};
use base::metrics;
use base::operations::Operation;
use base::traces::{Ended, Kind, Parent};
use futures::FutureExt;
use http_body_util::BodyExt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use store::ids::RequestId;
use store::tables::api_keys::ApiKey;
use store::tables::requests::RequestRow;
use store::words::{KeyKind, Maybe};

/// A body that is too large is read up to this multiple of its limit and thrown
/// away, so that a client that is still writing gets the answer.
const DISCARDED: usize = 16;
/// Time a body has to arrive.
const BODY_TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// A call that was let in. A handler that takes one cannot run without the
/// key having been checked.
#[derive(Clone)]
pub struct Call {
    pub app: Services,
    pub operation: &'static Operation,
    pub caller: Caller,
    /// The key of the call; none where none is asked for.
    pub key: Option<Arc<Known>>,
    pub query: Query,
    /// `?tolerante=1`: unknown fields are ignored.
    pub tolerant: bool,
    /// The call is part of one whose addresses name a document by its reference alone, so
    /// that no two companies of the account may use one.
    pub sole_reference: bool,
    /// The body is a form of the panel, to be kept as it is.
    pub form: bool,
    /// The key under which an answer is charged once; None: each answer is charged.
    pub once: Option<ChargedOnce>,
    /// Document the call was about, for the log.
    subject: Arc<Mutex<String>>,
}

impl Call {
    /// Notes what the call was about.
    pub fn about(&self, subject: &str) {
        subject.clone_into(
            &mut self
                .subject
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()),
        );
    }

    /// The operation's price in credits.
    ///
    /// # Errors
    /// It has tiers: which one holds is for the operation to say.
    pub fn price(&self) -> Result<i64, Failure> {
        let price = self.operation.price();
        Ok(price
            .ok_or_else(|| anyhow::anyhow!("{} has no single price", self.operation.operation))?)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        parts
            .extensions
            .get::<Call>()
            .cloned()
            .ok_or_else(|| anyhow::anyhow!("handler outside of the gate").into())
    }
}

/// What an operation takes, as far as it is the same for all.
#[derive(Clone)]
pub struct Takes {
    /// Largest body; `None`: the operation reads it itself.
    pub body_bytes: Option<usize>,
    /// Parameters of the query of an operation with a body: others are refused, as
    /// unknown fields are. `None`: the operation looks itself.
    pub query: Option<Arc<[&'static str]>>,
    /// Members of its body, for who misspells one.
    pub members: Arc<Members>,
}

/// The gate in front of one operation. `body_bytes`: the largest body it takes;
/// None where it reads the body itself, as it comes.
pub async fn gate(
    app: Services,
    operation: &'static Operation,
    takes: Takes,
    request: Request,
    next: Next,
) -> Response {
    let parent = line::parent(request.headers());
    let tracer = app.traces.clone();
    let name = operation.operation.as_str();
    let answered = pass(app, operation, takes, request, next, parent);
    let ended = |response: &Response| {
        let status = response.status().as_u16();
        let request_id = response.headers().get("x-request-id");
        let request_id = request_id.and_then(|id| id.to_str().ok());
        Ended {
            attributes: vec![
                ("http.request.method", operation.method.as_str().into()),
                ("http.route", operation.path.as_str().into()),
                ("http.response.status_code", i64::from(status).into()),
                ("hub.request_id", request_id.unwrap_or_default().into()),
            ],
            failed: status >= 500,
        }
    };
    tracer
        .span(name, Kind::Server, parent, answered, ended)
        .await
}

/// When and as what a call came in.
struct Started {
    at: Instant,
    now_ms: i64,
    request_id: RequestId,
    path: String,
}

impl Started {
    fn of(app: &Services, request: &Request) -> Started {
        let (at, now_ms) = (Instant::now(), app.now_ms());
        Started {
            at,
            now_ms,
            request_id: RequestId::new(now_ms),
            path: request.uri().path().chars().take(200).collect(),
        }
    }

    /// Its line in the log of the process.
    fn line<'a>(
        &'a self,
        operation: &'a Operation,
        known: Option<&'a Known>,
        parent: Option<Parent>,
    ) -> Line<'a> {
        Line {
            request_id: &self.request_id,
            parent,
            known,
            operation: Some(&operation.operation),
            method: &operation.method,
            route: &operation.path,
            began: self.at,
        }
    }

    /// Its line of the log of calls.
    fn row(
        self,
        operation: &Operation,
        key: &ApiKey,
        response: &Response,
        subject: String,
    ) -> RequestRow {
        RequestRow {
            id: self.request_id,
            account_id: key.account_id.clone(),
            key_id: Maybe::of(&key.id),
            key_hint: key.hint.clone(),
            kind: key.kind,
            operation: operation.operation.clone(),
            method: operation.method.clone(),
            path: self.path,
            status: i64::from(response.status().as_u16()),
            error_code: error_code(response).unwrap_or_default().to_owned(),
            duration_ms: i64::try_from(self.at.elapsed().as_millis()).unwrap_or(i64::MAX),
            subject_id: subject,
            created_at_ms: self.now_ms,
        }
    }
}

/// Whoever calls, by the key they came with.
fn caller_of(known: Option<&Known>, request_id: &RequestId) -> Caller {
    Caller {
        account_id: known
            .map(|known| known.key.account_id.clone())
            .unwrap_or_default(),
        kind: known.map_or(KeyKind::Live, |known| known.key.kind),
        request_id: request_id.to_owned(),
        payer: known.map(|known| known.payer.clone()).unwrap_or_default(),
    }
}

/// Reads the body and runs the handler; one that panics has failed.
async fn run(limit: Option<usize>, request: Request, next: Next) -> Result<Response, Failure> {
    let request = whole(limit, request).await?;
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answered.map_err(|panic| {
        anyhow::anyhow!("handler panicked: {}", base::errors::panic_text(&*panic)).into()
    })
}

/// Who came, at what pace their key may go on, and whether the call is let in.
struct Came {
    key: Option<Arc<Known>>,
    /// None: no rate was counted for this call.
    pace: Option<Verdict>,
    admitted: Result<(), Failure>,
}

/// Finds out who calls: a person of the panel, a call that this one is part of, or
/// whoever has the key.
async fn came(
    app: &Services,
    operation: &'static Operation,
    extensions: &Extensions,
    headers: &HeaderMap,
    now_ms: i64,
) -> Came {
    if let Some(Person(known)) = extensions.get::<Person>() {
        // Who they are and what they may was found out by the panel.
        let pace = if extensions.get::<InTurn>().is_some() {
            Ok(())
        } else {
            persons_pace(app, operation, known, now_ms).await
        };
        return Came {
            key: Some(known.clone()),
            pace: None,
            admitted: pace.and_then(|()| blocked::person(operation, &known.account)),
        };
    }
    if let Some(let_in) = extensions.get::<LetIn>() {
        // The call that this one is made of was checked and counted.
        return Came {
            key: Some(let_in.known.clone()),
            pace: Some(let_in.pace),
            admitted: permitted(operation, &let_in.known),
        };
    }
    let (mut key, mut pace) = (None, None);
    let peer = extensions.get::<Peer>().copied();
    let admitted = enter(app, operation, headers, peer, now_ms, &mut key, &mut pace).await;
    Came {
        key,
        pace,
        admitted,
    }
}

/// Whether a call is one of those that another request is made of, which has a line in the
/// log of its own. Calls in turn are made for no request that still waits.
fn is_part(extensions: &Extensions) -> bool {
    let of_page = extensions.get::<Person>().is_some() && extensions.get::<InTurn>().is_none();
    of_page || extensions.get::<LetIn>().is_some()
}

async fn pass(
    app: Services,
    operation: &'static Operation,
    takes: Takes,
    mut request: Request,
    next: Next,
    parent: Option<Parent>,
) -> Response {
    let started = Started::of(&app, &request);
    let (now_ms, request_id) = (started.now_ms, started.request_id.clone());
    let headers = request.headers().clone();
    let subject = Arc::new(Mutex::new(String::new()));
    let peer = request.extensions().get::<Peer>().copied();
    let part = is_part(request.extensions());
    let Came {
        key,
        pace,
        admitted,
    } = came(&app, operation, request.extensions(), &headers, now_ms).await;
    let query = UrlQuery::<Query>::try_from_uri(request.uri())
        .map(|UrlQuery(query)| query)
        .unwrap_or_default();
    let tolerant = query.get("tolerante").is_some_and(|given| given == "1");
    let known_query = takes.query.as_deref().filter(|_| !tolerant);
    let entered = admitted.and_then(|()| readable(request.uri(), &query, known_query));
    let answered = match entered {
        Err(failure) => Err(failure),
        Ok(()) => {
            let call = Call {
                app: app.clone(),
                operation,
                caller: caller_of(key.as_deref(), &request_id),
                key: key.clone(),
                tolerant,
                sole_reference: request.extensions().get::<LetIn>().is_some(),
                form: request.extensions().get::<FormBody>().is_some(),
                once: request.extensions().get::<ChargedOnce>().cloned(),
                query,
                subject: subject.clone(),
            };
            request.extensions_mut().insert(call);
            run(takes.body_bytes, request, next).await
        }
    };
    let answered = suggested(answered, &takes.members);
    let mut response = finish(&app, answered, &request_id, &headers);
    decorate(&app, response.headers_mut(), &request_id, pace);
    let subject = subject
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .clone();
    if let Some(known) = key.as_ref().filter(|known| !known.key.id.is_empty())
        && audit::belongs(operation)
        && response.status().is_success()
        && !response.headers().contains_key("idempotent-replayed")
    {
        audit::note(
            &app,
            operation,
            known,
            (&headers, peer),
            &subject,
            &request_id,
        )
        .await;
    }
    let name = operation.operation.as_str();
    let line = started.line(operation, key.as_deref(), parent);
    line.write(part, &mut response);
    metrics::HTTP.count([name, metrics::class(response.status().as_u16())]);
    metrics::HTTP_SECONDS.took([name], started.at.elapsed());
    // What a person looks at in the panel is no call of a program.
    let looked = |known: &Known| known.key.id.is_empty() && operation.method == "GET";
    if let Some(known) = key.filter(|known| !looked(known)) {
        let row = started.row(operation, &known.key, &response, subject);
        app.request_log.note(row);
    }
    response
}

/// The request with its whole body, which must be small enough for the
/// operation and arrive in time: a handler never waits for a slow client.
///
/// # Errors
/// 408, 413, or 415 for a body that is compressed.
pub async fn whole(limit: Option<usize>, request: Request) -> Result<Request, Failure> {
    // Nothing inflates: a small body that becomes a huge one is no use here.
    let coded = request.headers().get_all(header::CONTENT_ENCODING);
    if coded
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(Refusal::new(Code::MidiaInvalida)
            .message("O corpo não pode vir comprimido.")
            .hint("Envie o corpo sem Content-Encoding.")
            .into());
    }
    let Some(limit) = limit else {
        return Ok(request);
    };
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(BODY_TIME, read_up_to(body, limit)).await {
        Ok(Ok(Some(bytes))) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Ok(None)) => Err(Refusal::new(Code::CorpoGrandeDemais).into()),
        Ok(Err(_)) | Err(_) => Err(Refusal::new(Code::RequisicaoIncompleta).into()),
    }
}

/// The body, or None when it is larger than the limit. The rest of a body that
/// is too large is read and thrown away, up to a bound: a client that is still
/// writing would not see an answer.
async fn read_up_to(mut body: Body, limit: usize) -> Result<Option<Vec<u8>>, axum::Error> {
    let (mut kept, mut seen) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        seen = seen.saturating_add(data.len());
        if seen > limit.saturating_mul(DISCARDED) {
            return Ok(None);
        }
        if seen > limit {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(&data);
        }
    }
    Ok((seen <= limit).then_some(kept))
}

async fn enter(
    app: &Services,
    operation: &Operation,
    headers: &HeaderMap,
    peer: Option<Peer>,
    now_ms: i64,
    key: &mut Option<Arc<Known>>,
    pace: &mut Option<Verdict>,
) -> Result<(), Failure> {
    if access(operation)? == Access::Public {
        return Ok(());
    }
    admit(app, headers, peer, now_ms, key, pace).await?;
    if !acceptable(headers) {
        return Err(Refusal::new(Code::FormatoNaoAceito).into());
    }
    key.as_ref()
        .map_or(Ok(()), |found| permitted(operation, found))
}

/// Counts a change a person makes in the panel against the account's rate, as a
/// call with a key. Reading is not counted, because one page calls several
/// operations.
async fn persons_pace(
    app: &Services,
    operation: &Operation,
    known: &Known,
    now_ms: i64,
) -> Result<(), Failure> {
    if operation.method == "GET" {
        return Ok(());
    }
    let verdict = in_time(app, known, now_ms).await?;
    if verdict.allowed {
        Ok(())
    } else {
        Err(too_fast(verdict).into())
    }
}

/// What holds for every query. No id and no filter has a NUL, and PostgreSQL
/// cannot even compare one.
/// `known`: the only parameters there may be.
fn readable(uri: &Uri, query: &Query, known: Option<&[&'static str]>) -> Result<(), Failure> {
    if query
        .get("tolerante")
        .is_some_and(|given| given != "0" && given != "1")
    {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "tolerante",
            "tolerante é 0 ou 1.",
            "Com 1, campos desconhecidos são ignorados.",
        )
        .into());
    }
    let text = uri.query().unwrap_or_default();
    if uri.path().contains("%00") || text.contains("%00") {
        return Err(Refusal::new(Code::ParametroInvalido)
            .message("O endereço tem o caractere nulo (%00).")
            .hint("Retire-o.")
            .into());
    }
    query::once(uri)?;
    known.map_or(Ok(()), |known| query::only(query, known))
}

fn acceptable(headers: &HeaderMap) -> bool {
    let Some(accept) = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
    else {
        return true;
    };
    accept
        .split(',')
        .map(|range| {
            range
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        })
        .any(|range| {
            matches!(
                range.as_str(),
                "" | "*/*"
                    | "application/*"
                    | "application/json"
                    | "application/problem+json"
                    | "application/pdf"
                    | "application/xml"
            )
        })
}

fn finish(
    app: &Services,
    answered: Result<Response, Failure>,
    request_id: &RequestId,
    headers: &HeaderMap,
) -> Response {
    let problem = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("application/problem+json"));
    let keyed = headers.contains_key("idempotency-key");
    let base_url = &app.config.server.base_url;
    let mut response = match answered {
        Ok(response) => response,
        Err(failure) => return render(&failure, request_id, base_url, problem, keyed),
    };
    if let Some(Carried(failure)) = response.extensions_mut().remove::<Carried>() {
        return render(&failure, request_id, base_url, problem, keyed);
    }
    let status = response.status();
    if (status.is_client_error() || status.is_server_error())
        && !response.headers().contains_key(ERROR_CODE)
    {
        // A refusal of the framework's own extractors.
        let code = match status {
            StatusCode::PAYLOAD_TOO_LARGE => Code::CorpoGrandeDemais,
            StatusCode::NOT_FOUND => Code::RotaInexistente,
            StatusCode::METHOD_NOT_ALLOWED => Code::MetodoNaoPermitido,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::MidiaInvalida,
            status if status.is_client_error() => Code::ParametroInvalido,
            _ => Code::ErroInterno,
        };
        return render(
            &Refusal::new(code).into(),
            request_id,
            base_url,
            problem,
            keyed,
        );
    }
    response
}

fn decorate(
    app: &Services,
    headers: &mut HeaderMap,
    request_id: &RequestId,
    pace: Option<Verdict>,
) {
    let mut set = |name: &'static str, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    set("x-request-id", request_id.to_string());
    set("x-content-type-options", "nosniff".to_owned());
    if let Some(Verdict {
        limit,
        remaining,
        reset_s,
        ..
    }) = pace
    {
        set("ratelimit-policy", format!("\"conta\";q={limit};w=60"));
        set("ratelimit", format!("\"conta\";r={remaining};t={reset_s}"));
        set("x-ratelimit-limit", limit.to_string());
        set("x-ratelimit-remaining", remaining.to_string());
        set("x-ratelimit-reset", reset_s.to_string());
    }
    // Whoever keeps a connection finds another node for the next call.
    if app.leaving.load(Ordering::Relaxed) {
        set("connection", "close".to_owned());
    }
    if app.config.authorities.mode == base::config::AuthoritiesMode::Simulator {
        set("x-simulador", "1".to_owned());
    }
    let no_store = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(no_store);
}

/// An address that does not exist, or not with this method; `hint` says of a method and
/// an address what was meant.
pub async fn outside(
    app: Services,
    code: Code,
    hint: fn(&str, &str) -> Option<String>,
    request: Request,
) -> Response {
    let request_id = RequestId::new(app.now_ms());
    let headers = request.headers().clone();
    let mut refusal = Refusal::new(code);
    if let Some(meant) = hint(request.method().as_str(), request.uri().path()) {
        let known = code.entry().hint;
        refusal = refusal.hint(format!("{meant} {known}"));
    }
    let mut response = finish(&app, Err(refusal.into()), &request_id, &headers);
    decorate(&app, response.headers_mut(), &request_id, None);
    response.into_response()
}
