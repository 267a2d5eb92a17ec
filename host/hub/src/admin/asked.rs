//! How requests of operators are read. What is not expected is refused in the form of
//! the API's errors, also where axum would answer by itself.

use super::desk::Desk;
use super::refusals::SHOWS;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use base::errors::{Code, Refusal};
use gate::error::ApiError;
use gate::request::body::parse_text;
use gate::request::strict::Strict;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::ops::Deref;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// Largest body that is no component, in bytes.
pub(super) const JSON_BYTES: usize = 64 << 10;
/// Longest name of an adapter, as components may have it.
const NAME: usize = 40;
/// Time a body has to arrive.
pub(super) const ARRIVES: Duration = Duration::from_secs(120);
/// `Retry-After` of an installation that found no room, in seconds.
pub(super) const AGAIN_S: u64 = 10;

/// What has no parameters, or no body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// The adapter in the path. A name that none can have is unknown: it leads to no file
/// and to no database.
pub(super) struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Name, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let word = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let name = path.ok().map(|Path(name)| name);
        let name = name.filter(|name| name.len() <= NAME && name.chars().all(word));
        name.map(Name).ok_or_else(unknown)
    }
}

/// No adapter or release is called so.
pub(super) fn unknown() -> ApiError {
    let refusal = Refusal::new(Code::NaoEncontrado).hint(SHOWS);
    ApiError(refusal.into())
}

/// The id of a row in the path.
pub(super) type InPath<T> = Result<Path<T>, PathRejection>;

/// The id; a text that none can be is unknown: it leads to no database.
pub(super) fn named<T: Deref<Target = str>>(path: InPath<T>) -> Option<T> {
    let Path(id) = path.ok()?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    id.chars().all(word).then_some(id)
}

/// The parameters of the query: known ones, each once.
pub(super) struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(query)| Asked(query)).map_err(|rejection| {
            let refusal = Refusal::new(Code::ParametroInvalido).message(rejection.body_text());
            ApiError(refusal.into())
        })
    }
}

/// Room for one more installation, taken before its body is read.
pub(super) struct Room {
    _held: OwnedSemaphorePermit,
}

impl FromRequestParts<Desk> for Room {
    type Rejection = ApiError;

    async fn from_request_parts(_: &mut Parts, desk: &Desk) -> Result<Room, ApiError> {
        let room = desk.room().map(|held| Room { _held: held });
        room.ok_or_else(|| {
            let refusal = Refusal::new(Code::Manutencao)
                .message("Outros componentes estão sendo instalados.")
                .retry_after(AGAIN_S);
            ApiError(refusal.into())
        })
    }
}

/// A body of any kind, of at most the bytes that its route takes.
pub(super) struct Whole(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Whole {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Whole, ApiError> {
        let body = timeout(ARRIVES, Bytes::from_request(request, state)).await;
        let body = body.map_err(|_| {
            let refusal = Refusal::new(Code::RequisicaoIncompleta).hint(format!(
                "Envie de novo; o corpo inteiro deve chegar em {} segundos.",
                ARRIVES.as_secs()
            ));
            ApiError(refusal.into())
        })?;
        body.map(Whole).map_err(|_| {
            let refusal = Refusal::new(Code::CorpoGrandeDemais).hint(
                "Um componente tem no máximo flow.component_bytes; os outros corpos, 64 KiB.",
            );
            ApiError(refusal.into())
        })
    }
}

/// A body of JSON; none at all is an empty object.
pub(super) struct Sent<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Sent<T>, ApiError> {
        let Whole(body) = Whole::from_request(request, state).await?;
        parsed(&body).map(Sent)
    }
}

/// Reads a body of JSON.
pub(super) fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let body = if body.is_empty() { &b"{}"[..] } else { body };
    T::deserialize(Strict(parse_text(body)?)).map_err(|error| {
        let refusal = Refusal::new(Code::JsonInvalido).message(format!("Corpo: {error}"));
        ApiError(refusal.into())
    })
}

/// The refusal of a parameter or member.
pub(super) fn parameter(name: &str, message: &str, correction: &str) -> ApiError {
    let refusal = Refusal::field(Code::ParametroInvalido, name, message, correction);
    ApiError(refusal.into())
}
