//! POST /api/v1/webhooks/entregas/{id}/reenviar, and the same for all that
//! failed towards a webhook.

use super::entregas::Delivery;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use events::webhooks::{catalogue, resend};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{DeliveryId, WebhookId};
use store::tables::deliveries::Choice;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "webhooks.entregas.reenviar",
            route: |method| on(method, one),
            docs: Docs::new(
                "Envia uma entrega de novo, com o mesmo id de evento; até 90 dias depois.",
            )
            .explained("Use depois de consertar o seu lado. O corpo e o id do evento são os mesmos: quem já o tratou deve ignorá-lo.")
            .no_members()
            .answers(&[(202, "Na fila de entrega.")])
            .success::<Delivery>(),
        },
        Built {
            operation: "webhooks.entregas.reenviar.post",
            route: |method| on(method, all),
            docs: Docs::new("Envia de novo as entregas de um webhook que falharam.")
                .body::<ResendIn>()
                .answers(&[(202, "Na fila de entrega.")])
                .success::<ReenviarOut>(),
        },
    ]
}

async fn one(
    call: Call,
    Path(id): Path<DeliveryId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Delivery> {
    body::none(&call, &headers, &bytes)?;
    let caller = &call.caller;
    let delivery = resend::one(&call.app.events, &caller.account_id, caller.kind, &id).await?;
    call.about(&delivery.id);
    // Who sends again ends the pause.
    call.answer(202, Delivery::of(&delivery, 0))
}

#[derive(Deserialize, JsonSchema)]
struct ResendIn {
    webhook_id: WebhookId,
    /// Só deste tipo de evento.
    evento: Option<String>,
    /// Eventos a partir deste momento (RFC 3339).
    de: Option<String>,
    /// Eventos anteriores a este momento (RFC 3339).
    ate: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ReenviarOut {
    /// Quantas entregas voltaram à fila.
    reenviadas: u64,
}

async fn all(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ReenviarOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let asked: ResendIn = body::read(value, call.tolerant)?;
    let event_kind = asked.evento.unwrap_or_default();
    if !event_kind.is_empty() && catalogue::get(&event_kind).is_none() {
        return Err(wrong("evento", "Use um dos de GET /api/v1/webhooks/tipos-evento.").into());
    }
    let choice = Choice {
        account_id: call.caller.account_id.clone(),
        kind: call.caller.kind,
        webhook_id: asked.webhook_id.into(),
        status: String::new(),
        event_kind,
        from_ms: moment("de", asked.de.as_deref())?,
        to_ms: moment("ate", asked.ate.as_deref())?,
    };
    call.about(choice.webhook_id.as_str());
    let resent = resend::all(&call.app.events, choice).await?;
    call.answer(202, ReenviarOut { reenviadas: resent })
}

/// Epoch milliseconds; 0 when absent.
fn moment(name: &str, text: Option<&str>) -> Result<i64, Failure> {
    let Some(text) = text else {
        return Ok(0);
    };
    let moment =
        when::parse(text).ok_or_else(|| wrong(name, "Use data e hora com fuso (RFC 3339)."))?;
    Ok(when::ms(moment))
}

fn wrong(name: &str, how: &str) -> Refusal {
    Refusal::field(Code::ParametroInvalido, name, "Valor inválido.", how)
}
