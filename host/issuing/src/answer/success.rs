//! The frame of a successful answer, and what it says of its cost.

use schemars::JsonSchema;
use serde::Serialize;
use store::ids::RequestId;

// The body nearly every operation answers with: its own members between
// `sucesso` and `request_id`. What describes it is the text of those members'
// type, so this one has none for customers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Resposta{T}")]
pub struct Success<T> {
    /// Sempre `true`.
    sucesso: bool,
    #[serde(flatten)]
    body: T,
    /// Identifica esta chamada, também no cabeçalho X-Request-Id.
    request_id: RequestId,
}

impl<T> Success<T> {
    /// The answer of a call with these members.
    pub fn new(body: T, request_id: &RequestId) -> Success<T> {
        Success {
            sucesso: true,
            body,
            request_id: request_id.to_owned(),
        }
    }
}

// What a document or an event cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Custo")]
pub struct Cost {
    /// Um número de uma série fiscal foi usado.
    consumiu_numero_fiscal: bool,
    /// O preço foi cobrado.
    consumiu_credito: bool,
    creditos: CallCredits,
}

impl Cost {
    /// `reservado`: credits that are only held; `debitado`: credits that were
    /// taken. One of the two is 0.
    pub(super) fn new(fiscal: bool, reserved: i64, debited: i64, balance: i64) -> Cost {
        Cost {
            consumiu_numero_fiscal: fiscal,
            consumiu_credito: debited > 0,
            creditos: CallCredits::new(reserved, debited, balance),
        }
    }
}

/// O que a chamada custou, em créditos.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreditosDaChamada")]
pub struct CallCredits {
    reservado: i64,
    debitado: i64,
    /// O que pode ser gasto depois dela.
    saldo: i64,
}

impl CallCredits {
    pub fn new(reserved: i64, debited: i64, balance: i64) -> CallCredits {
        CallCredits {
            reservado: reserved,
            debitado: debited,
            saldo: balance,
        }
    }
}
