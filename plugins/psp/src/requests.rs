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
pub async fn criar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let criar = content::criar(conteudo)?;
    let corpo = json!({
        "referencia": criar.compra_id, "valor_centavos": criar.valor_centavos, "meio": criar.meio,
        "parcelas": criar.parcelas, "expira_em": criar.expira_em, "vencimento": criar.vencimento,
        "pagador": criar.pagador,
    });
    let pedido = Request::post("criar cobranca", Effect::Idempotent, API, "/v1/cobrancas")
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &autorizacao()?)
        .header("Idempotency-Key", &criar.compra_id)
        .body("application/json", corpo.to_string());
    match flow.send(pedido).await {
        Ok(resposta) => {
            if resposta.is_success()
                && let Some(sucesso) = charge::charge(&resposta, &criar.compra_id)
            {
                return Ok(sucesso);
            }
            if let Some(recusa) = charge::recusa(&resposta) {
                return Err(recusa);
            }
        }
        Err(fault) if !fault.maybe_arrived() => return Err(fault.into()),
        Err(Fault::Cancelled) => return Err(Failure::from(Fault::Cancelled)),
        Err(Fault::NoResponse(_)) => {}
    }
    // Nobody knows: the charge is there, or it is not.
    let resposta = flow.send(pergunta(&criar.compra_id)?).await;
    let resposta = resposta.map_err(|fault| Failure::from(fault).maybe_exists())?;
    if resposta.status == 200
        && let Some(sucesso) = charge::charge(&resposta, &criar.compra_id)
    {
        return Ok(sucesso);
    }
    let falha = indisponivel(&resposta);
    if charge::nao_encontrada(&resposta) {
        return Err(falha);
    }
    Err(falha.maybe_exists())
}

/// The state of a purchase's charge.
pub async fn consultar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let consultar = content::consultar(conteudo)?;
    let resposta = flow.send(pergunta(&consultar.compra_id)?).await?;
    if resposta.status == 200
        && let Some(sucesso) = charge::charge(&resposta, &consultar.compra_id)
    {
        return Ok(sucesso);
    }
    if charge::nao_encontrada(&resposta) {
        return Ok(Success::new(Situacao::NaoEncontrado));
    }
    Err(charge::recusa(&resposta).unwrap_or_else(|| indisponivel(&resposta)))
}

/// Gives money back. The refund's id is the idempotency key: the hub asks
/// again with the same one until it knows.
pub async fn reembolsar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido = content::reembolsar(conteudo)?;
    let corpo = json!({
        "referencia": pedido.reembolso_id, "valor_centavos": pedido.valor_centavos, "motivo": pedido.motivo,
    });
    let caminho = format!("/v1/cobrancas/{}/reembolsos", pedido.compra_id);
    let requisicao = Request::post("reembolsar", Effect::Idempotent, API, &caminho)
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &autorizacao()?)
        .header("Idempotency-Key", &pedido.reembolso_id)
        .body("application/json", corpo.to_string());
    let resposta = flow.send(requisicao).await?;
    if resposta.is_success()
        && let Some(sucesso) = charge::reembolso(&resposta, &pedido.reembolso_id)
    {
        return Ok(sucesso);
    }
    Err(match charge::recusa(&resposta) {
        Some(recusa) => recusa,
        None => indisponivel(&resposta).maybe_exists(),
    })
}

fn pergunta(compra_id: &str) -> Result<Request, Failure> {
    let caminho = format!("/v1/cobrancas/{compra_id}");
    Ok(Request::get("consultar cobranca", API, &caminho)
        .timeout_ms(TIMEOUT_MS)
        .header("Authorization", &autorizacao()?))
}

/// The token itself never comes here: the host fills its place.
fn autorizacao() -> Result<String, Failure> {
    let token = host::secret(TOKEN, Encoding::Plain).ok_or_else(|| {
        Failure::credentials(vec![Mensagem::new(
            "token",
            "O hub não tem o token do PSP.",
        )])
    })?;
    Ok(format!("Bearer {token}"))
}

fn indisponivel(resposta: &Response) -> Failure {
    let espera = resposta.retry_after_ms();
    Failure::unavailable(
        espera,
        &format!("HTTP {} sem resposta do PSP", resposta.status),
    )
    .with_evidence(&resposta.body)
}
