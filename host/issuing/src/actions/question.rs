//! A question to a SEFAZ that is about no document of ours.

use crate::Issuing;
use crate::actions::event::{Receiver, rumo};
use crate::model::{Ambiente, Issued as _, Model};
use crate::settle::verdict::{Verdict, Who, failed};
use authority::question::{NoAnswer, ask};
use base::errors::{Code, Failure, Refusal};
use flow::contract::Success;
use serde_json::Value;
use store::tables::emitters::EmitterRow;

/// Seconds after which a SEFAZ that gave no answer may be asked again.
const AGAIN_S: u64 = 60;

/// What is asked, by the contract's names.
pub struct Question<'a> {
    pub operation: &'a str,
    pub schema: &'a str,
    pub content: Value,
}

/// Asks the authority of a state with an emitter's certificate.
///
/// # Errors
/// 422 without a certificate, when the state has no such service, or when it
/// refuses the question; 503 when it does not answer.
pub async fn answered(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    model: Model,
    ambiente: Ambiente,
    question: Question<'_>,
) -> Result<Success, Failure> {
    let rumo = rumo(app, emitter, uf, model, Receiver::Autorizador, ambiente).await?;
    let silent = || Refusal::new(model.unavailable()).retry_after(AGAIN_S);
    let asked = ask(
        app,
        &emitter.account_id,
        &rumo,
        question.operation,
        question.schema,
        question.content.to_string(),
    );
    let outcome = asked.await.map_err(|error| match error.is::<NoAnswer>() {
        true => Failure::from(silent()),
        false => error.into(),
    })?;
    outcome.map_err(|failure| {
        match failed(&failure, &Who::sefaz(model)) {
            Verdict::NotSent(refusal) => refusal,
            Verdict::Rejected(said) => Refusal {
                rejection: said,
                ..Refusal::new(Code::RejeitadaPelaSefaz)
                    .message("A SEFAZ recusou a consulta; nada foi cobrado.")
            },
            _ => silent(),
        }
        .into()
    })
}
