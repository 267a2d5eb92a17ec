//! The three requests, and what follows when an answer is lost.

use crate::charge;
use crate::content;
use crate::description::{API, TOKEN};
use sdk::{
    Conteudo, Effect, Encoding, Failure, Fault, Flow, Mensagem, Outcome, Request, Response,
    Situacao, Success, host,
};
use serde_json::json;

/// Somebody waits for the charge: two requests, and he has an answer.
const TIMEOUT_MS: u32 = 12_000;

/// Makes the charge of a purchase. The purchase's id is the idempotency key:
/// a charge that exists already is given again.
pub async fn create(flow: &Flow, content: &Conteudo) -> Outcome {
    let create = content::create(content)?;
    let body = json!({
        "referencia": create.compra_id, "valor_centavos": create.valor_centavos, "meio": create.meio,
        "parcelas": create.parcelas, "expira_em": create.expira_em, "vencimento": create.vencimento,
        "pagador": create.pagador,
    });
    let request = Request::post("criar cobranca", Effect::Idempotent, API, "/v1/cobrancas")
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &authorization()?)
        .header("Idempotency-Key", &create.compra_id)
        .body("application/json", body.to_string());
    match flow.send(request).await {
        Ok(response) => {
            if response.is_success()
                && let Some(success) = charge::charge(&response, &create.compra_id)
            {
                return Ok(success);
            }
            if let Some(refusal) = charge::refusal(&response) {
                return Err(refusal);
            }
        }
        Err(fault) if !fault.maybe_arrived() => return Err(fault.into()),
        Err(Fault::Cancelled) => return Err(Failure::from(Fault::Cancelled)),
        Err(Fault::NoResponse(_)) => {}
    }
    // Nobody knows: the charge is there, or it is not.
    let response = flow.send(question(&create.compra_id)?).await;
    let response = response.map_err(|fault| Failure::from(fault).maybe_exists())?;
    if response.status == 200
        && let Some(success) = charge::charge(&response, &create.compra_id)
    {
        return Ok(success);
    }
    let failure = unavailable(&response);
    if charge::not_found(&response) {
        return Err(failure);
    }
    Err(failure.maybe_exists())
}

/// The state of a purchase's charge.
pub async fn query(flow: &Flow, content: &Conteudo) -> Outcome {
    let query = content::query(content)?;
    let response = flow.send(question(&query.compra_id)?).await?;
    if response.status == 200
        && let Some(success) = charge::charge(&response, &query.compra_id)
    {
        return Ok(success);
    }
    if charge::not_found(&response) {
        return Ok(Success::new(Situacao::NaoEncontrado));
    }
    Err(charge::refusal(&response).unwrap_or_else(|| unavailable(&response)))
}

/// Gives money back. The refund's id is the idempotency key: the hub asks
/// again with the same one until it knows.
pub async fn refund(flow: &Flow, content: &Conteudo) -> Outcome {
    let request = content::refund(content)?;
    let body = json!({
        "referencia": request.reembolso_id, "valor_centavos": request.valor_centavos, "motivo": request.motivo,
    });
    let caminho = format!("/v1/cobrancas/{}/reembolsos", request.compra_id);
    let http_request = Request::post("reembolsar", Effect::Idempotent, API, &caminho)
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &authorization()?)
        .header("Idempotency-Key", &request.reembolso_id)
        .body("application/json", body.to_string());
    let response = flow.send(http_request).await?;
    if response.is_success()
        && let Some(success) = charge::reembolso(&response, &request.reembolso_id)
    {
        return Ok(success);
    }
    Err(match charge::refusal(&response) {
        Some(refusal) => refusal,
        None => unavailable(&response).maybe_exists(),
    })
}

fn question(purchase_id: &str) -> Result<Request, Failure> {
    let caminho = format!("/v1/cobrancas/{purchase_id}");
    Ok(Request::get("consultar cobranca", API, &caminho)
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &authorization()?))
}

/// The token itself never comes here: the host fills its place.
fn authorization() -> Result<String, Failure> {
    let token = host::secret(TOKEN, Encoding::Plain).ok_or_else(|| {
        Failure::credentials(vec![Mensagem::new(
            "token",
            "O hub não tem o token do PSP.",
        )])
    })?;
    Ok(format!("Bearer {token}"))
}

fn unavailable(response: &Response) -> Failure {
    let wait = response.retry_after_ms();
    Failure::unavailable(
        wait,
        &format!("HTTP {} sem resposta do PSP", response.status),
    )
    .with_evidence(&response.body)
}
