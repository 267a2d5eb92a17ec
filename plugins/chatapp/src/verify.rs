//! Which telephone numbers have an account of the app.

use crate::{API, TIMEOUT_MS, is_e164, object, refusal, token, unknown, wrong};
use sdk::{Conteudo, Effect, Failure, Flow, Outcome, Request, Situacao, Success};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// The operation.
pub(crate) const VERIFY: &str = "numero.verificar";
/// Schema of [`VerifyOrder`].
pub(crate) const CONTENT: &str = "numero.verificar/1";
/// Schema of [`Verified`].
const VERIFIED: &str = "numero.verificado/1";
/// Most numbers of one question.
const NUMBERS: usize = 100;

/// Numbers to ask about, in E.164.
#[derive(Debug, Deserialize)]
struct VerifyOrder {
    numeros: Vec<String>,
}

/// What is known of them, in the same order.
#[derive(Debug, Serialize)]
struct Verified {
    numeros: Vec<Account>,
}

/// A number, and whether it has an account; none: the provider did not say.
#[derive(Debug, Deserialize, Serialize)]
struct Account {
    numero: String,
    tem_conta: Option<bool>,
}

/// The provider's answer; it may leave numbers out.
#[derive(Debug, Deserialize)]
struct Answered {
    numeros: Vec<Account>,
}

/// Asks about all numbers in one request.
pub(crate) async fn verify(flow: &Flow, content: &Conteudo) -> Outcome {
    let order: VerifyOrder = sdk::read_conteudo(content, CONTENT)?;
    if !(1..=NUMBERS).contains(&order.numeros.len()) {
        return Err(wrong("numeros", "São de 1 a 100 números."));
    }
    if !order.numeros.iter().all(|number| is_e164(number)) {
        return Err(wrong("numeros", "Use E.164, como +5511999998888."));
    }
    let token = token()?;
    let body = json!({ "numeros": order.numeros });
    let request = Request::post(
        "verificar números",
        Effect::ReadOnly,
        API,
        "/v1/numeros/verificar",
    )
    .timeout_ms(TIMEOUT_MS)
    .header("Authorization", &format!("Bearer {token}"))
    .body("application/json", body.to_string());
    let response = flow.send(request).await?;
    let answered: Option<Answered> = object(&response).filter(|_| response.is_success());
    let Some(answered) = answered else {
        return Err(refusal(&response).unwrap_or_else(|| unknown(&response)));
    };
    consulted(order, answered)
}

/// What was asked for, each with what the provider said of it.
fn consulted(order: VerifyOrder, answered: Answered) -> Outcome {
    let said: BTreeMap<String, Option<bool>> = answered
        .numeros
        .into_iter()
        .map(|account| (account.numero, account.tem_conta))
        .collect();
    let numbers = order.numeros.into_iter();
    let verified = Verified {
        numeros: numbers
            .map(|number| Account {
                tem_conta: said.get(&number).copied().flatten(),
                numero: number,
            })
            .collect(),
    };
    let json = serde_json::to_string(&verified)
        .map_err(|error| Failure::unavailable(None, &error.to_string()))?;
    let mut success = Success::new(Situacao::Consultado);
    success.conteudo = Some(Conteudo {
        schema: VERIFIED.into(),
        json,
    });
    Ok(success)
}
