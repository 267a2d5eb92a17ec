//! What the simulated services of no authority have in common: JSON over HTTP,
//! a bearer token, one shape of refusal, and the sender's own reference as the
//! idempotency key.

pub mod chatapp;
pub mod psp;
pub mod sources;

use crate::request::{Answer, SimRequest};
use serde::Deserialize;
use serde_json::json;

/// The token nobody knows.
const WRONG_TOKEN: &str = "errado";

/// Refuses who has no token, or the wrong one.
pub(crate) fn authorized(req: &SimRequest) -> Result<(), Answer> {
    let token = req.header("authorization").unwrap_or_default();
    let token = token.strip_prefix("Bearer ").unwrap_or_default();
    if token.is_empty() || token == WRONG_TOKEN {
        return Err(expired());
    }
    Ok(())
}

/// The body of a request.
pub(crate) fn read<'a, T: Deserialize<'a>>(req: &'a SimRequest) -> Result<T, Answer> {
    serde_json::from_slice(&req.body).map_err(|error| invalid(&error.to_string()))
}

/// Refuses a request whose `Idempotency-Key` is not its reference.
pub(crate) fn idempotent(req: &SimRequest, reference: &str) -> Result<(), Answer> {
    if req.header("idempotency-key") == Some(reference) {
        return Ok(());
    }
    Err(invalid("Idempotency-Key deve ser a referencia."))
}

pub(crate) fn invalid(text: &str) -> Answer {
    problem(422, "dados_invalidos", text)
}

pub(crate) fn unknown_route() -> Answer {
    problem(404, "rota_inexistente", "Endereço desconhecido.")
}

pub(crate) fn internal_error() -> Answer {
    problem(500, "erro_interno", "Erro interno.")
}

pub(crate) fn expired() -> Answer {
    problem(401, "nao_autorizado", "Token inválido.")
}

pub(crate) fn problem(status: u16, code: &str, message: &str) -> Answer {
    Answer::json(status, &json!({ "codigo": code, "mensagem": message }))
}
