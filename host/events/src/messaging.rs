//! Short messages by an app, and which numbers have an account of it. Its
//! provider is spoken to by an adapter the operator names, as the payment service
//! provider is.

use authority::gateway::Gateway;
use authority::service::Service;
use base::config::AuthoritiesMode;
use flow::contract::{FailureReason, Outcome, Situacao};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Once;
use store::ids::{AccountId, MailId};

const SEND: &str = "mensagem.enviar";
const VERIFY: &str = "numero.verificar";

/// What became of a message or a mail. The reasons are codes or words of ours:
/// a server's own may repeat the address or the number.
#[derive(Debug, PartialEq, Eq)]
pub enum Handover {
    Accepted,
    /// Sending it again makes no sense.
    Refused(String),
    /// Nobody knows, or not now: the same id may be sent again.
    Deferred(String),
}

/// The app the operator connected; where all authorities are simulated, the
/// simulated one takes its place. None: no message is sent here.
pub fn offered(app: &Gateway) -> Option<Service> {
    let simulated = app.config.authorities.mode == AuthoritiesMode::Simulator;
    connected(app, simulated)
}

/// As [`offered`]; the simulated app where `simulated`.
fn connected(app: &Gateway, simulated: bool) -> Option<Service> {
    let settings = &app.config.messaging;
    if settings.adapter.is_empty() {
        return None;
    }
    let Some(component) = app.catalog.current(&settings.adapter) else {
        // Logged once, because this is called all the time.
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            tracing::error!(adapter = %settings.adapter, "the adapter of messages is not installed: no message is sent");
        });
        return None;
    };
    Some(if simulated {
        Service::simulated(component, sim::chatapp::HOST)
    } else {
        Service::official(component, &settings.base_url, settings.token.expose())
    })
}

/// Hands a message to the provider; `id` is what it knows it by.
pub async fn send(
    app: &Gateway,
    account: &AccountId,
    id: &MailId,
    to: &str,
    text: &str,
) -> Handover {
    let Some(service) = offered(app) else {
        return Handover::Deferred("não conectado".to_owned());
    };
    let content = json!({ "mensagem_id": id, "para": to, "texto": text });
    match service.ask(app, account, SEND, &content).await {
        Ok(outcome) => read(outcome),
        Err(error) => {
            tracing::warn!(error = %format!("{error:#}"), "the messaging app was not asked to the end");
            Handover::Deferred("não perguntado".to_owned())
        }
    }
}

/// Who tells which numbers have an account. A test key's questions go to the
/// simulated app: it never reaches the provider.
pub fn directory(app: &Gateway, test_key: bool) -> Option<Service> {
    match test_key {
        true => connected(app, true),
        false => offered(app),
    }
}

/// What the provider says of a number.
#[derive(Deserialize)]
struct Account {
    numero: String,
    tem_conta: Option<bool>,
}

/// The answer to a question about numbers (`numero.verificado/1`).
#[derive(Deserialize)]
struct Verified {
    numeros: Vec<Account>,
}

/// Which of these numbers (E.164, each once, 1 to 100) have an account; those that
/// the provider said nothing of are missing.
///
/// # Errors
/// Nobody could tell of any number.
pub async fn accounts(
    app: &Gateway,
    service: &Service,
    account: &AccountId,
    numbers: &[String],
) -> anyhow::Result<BTreeMap<String, bool>> {
    let content = json!({ "numeros": numbers });
    let outcome = service.ask(app, account, VERIFY, &content).await?;
    let success =
        outcome.map_err(|failure| anyhow::anyhow!("the messaging app: {}", failure.detail))?;
    let content = success
        .conteudo
        .ok_or_else(|| anyhow::anyhow!("the messaging app answered without content"))?;
    let verified: Verified = serde_json::from_str(&content.json)?;
    let told = verified.numeros.into_iter();
    Ok(told
        .filter_map(|one| Some((one.numero, one.tem_conta?)))
        .collect())
}

fn read(outcome: Outcome) -> Handover {
    let failure = match outcome {
        Ok(success) if success.situacao == Situacao::Consultado => return Handover::Accepted,
        Ok(_) => return Handover::Deferred("resposta inesperada".to_owned()),
        Err(failure) => failure,
    };
    match failure.reason {
        FailureReason::Rejected(said) if !failure.may_exist => {
            let first = said.into_iter().next();
            Handover::Refused(first.map(|said| said.codigo).unwrap_or_default())
        }
        FailureReason::InvalidInput(_) => Handover::Refused("dados inválidos".to_owned()),
        // The operator's token: the message is not to blame.
        FailureReason::Credentials(_) => Handover::Deferred("credencial".to_owned()),
        _ => Handover::Deferred("indisponível".to_owned()),
    }
}
