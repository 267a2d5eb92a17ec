//! Short messages by an app. Its provider is spoken to by an adapter the
//! operator names, as the payment service provider is.

use authority::gateway::Gateway;
use authority::service::Service;
use base::config::AuthoritiesMode;
use flow::contract::{FailureReason, Outcome, Situacao};
use serde_json::json;
use std::sync::Once;
use store::ids::{AccountId, MailId};

const SEND: &str = "mensagem.enviar";

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
    let simulated = app.config.authorities.mode == AuthoritiesMode::Simulator;
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
