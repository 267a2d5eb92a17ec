//! Answers that were stored when their document settled: the same bytes each
//! time, as long as the hub has the same address.

use base::errors;
use gate::Call;
use gate::answer::Answer;
use gate::error::{ApiResult, ERROR_CODE};
use issuing::{answer, issue};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::marker::PhantomData;
use store::ids::NotaId;

/// A stored answer: an `A`, or an `O` with 202, while nobody knows what becomes
/// of it.
#[derive(Debug)]
pub struct Stored<A, O>(PhantomData<fn() -> (A, O)>);

/// What the handler of an operation returns whose answer is stored.
pub type StoredAnswer<A, O> = ApiResult<Answer<Stored<A, O>>>;

/// The answer of an operation that issues notes of one model.
pub type Issued<D> = StoredAnswer<answer::IssuedNota<D>, answer::InTransmission<D>>;

/// What the headers repeat of a success.
#[derive(Deserialize)]
struct Told {
    nota_id: Option<NotaId>,
    creditos: Creditos,
}

#[derive(Deserialize)]
struct Creditos {
    debitado: i64,
    saldo: i64,
}

/// Answers what was stored, also a refusal.
///
/// # Errors
/// What is stored cannot be read.
pub fn stored<A, O>(call: &Call, answer: issue::Answer) -> StoredAnswer<A, O> {
    let replayed = answer.replayed;
    let told = if answer.status < 300 {
        succeeded(answer)?
    } else {
        refused(call, &answer)?
    };
    Ok(told.replayed(replayed))
}

fn succeeded<B>(answer: issue::Answer) -> ApiResult<Answer<B>> {
    let told: Told = serde_json::from_str(&answer.body)?;
    let pending = told.nota_id.filter(|_| answer.status == 202);
    let response = Answer::text(answer.status, answer.body)
        .charged(told.creditos.debitado, told.creditos.saldo);
    Ok(match pending {
        Some(id) => response.header("location", &format!("/api/v1/documentos/{id}")),
        None => response,
    })
}

/// A stored refusal. Its links are made whole here, because the address of this
/// hub is not stored with it.
fn refused<B>(call: &Call, answer: &issue::Answer) -> ApiResult<Answer<B>> {
    let mut members: Map<String, Value> = serde_json::from_str(&answer.body)?;
    let code = members.get("codigo").and_then(Value::as_str);
    let code = code.unwrap_or_default().to_owned();
    let page = errors::page(&call.app.config.server.base_url, &code);
    members.insert("documentacao".to_owned(), page.into());
    let pause = members.get("tentar_novamente_em_s").and_then(Value::as_u64);
    let body = serde_json::to_string(&members)?;
    let response = Answer::text(answer.status, body).header(ERROR_CODE, &code);
    Ok(match pause {
        Some(seconds) => response.header("retry-after", &seconds.to_string()),
        None => response,
    })
}
