//! Sending again what failed, or was delivered already, and test events.

use super::catalogue;
use super::registration::unknown;
use crate::parts::Events;
use accounts::operator::{self, Done, Operator};
use base::errors::{Code, Failure, Refusal};
use store::ids::{AccountId, DeliveryId, OutboxId};
use store::tables::deliveries::{self, Choice, DeliveryRow, DeliveryStatus};
use store::tables::outbox::{self, OutboxRow};
use store::tables::webhooks::{self, WebhookRow};
use store::words::KeyKind;
use store::{Conn, Present as _, TxError};

const DAY_MS: i64 = 24 * 3_600_000;

/// Begins the schedule of a delivery again, at once.
///
/// # Errors
/// It is unknown, too old, waits already, or its webhook is gone or off.
pub async fn one(
    app: &Events,
    account: &AccountId,
    kind: KeyKind,
    id: &DeliveryId,
) -> Result<DeliveryRow, Failure> {
    let now_ms = app.now_ms();
    let since_ms = now_ms - app.config.webhooks.keep_days * DAY_MS;
    let input = (account.to_owned(), id.to_owned(), since_ms, now_ms);
    let written = app
        .db
        .write(input, move |(account, id, since_ms, now_ms), conn| {
            Box::pin(async move {
                let delivery = deliveries::get(conn, account, kind, id).await?;
                let delivery = delivery.ok_or_else(|| TxError::Abort(missing()))?;
                again(conn, &delivery, *since_ms, *now_ms).await
            })
        });
    Ok(written.await?)
}

/// The same for an operator, whatever account the delivery is of. The reason is in its
/// audit.
///
/// # Errors
/// As of [`one`].
pub async fn by_operator(
    app: &Events,
    id: &DeliveryId,
    reason: &str,
    operator: &Operator,
) -> Result<DeliveryRow, Failure> {
    let since_ms = operator.now_ms - app.config.webhooks.keep_days * DAY_MS;
    let input = (id.to_owned(), reason.to_owned(), since_ms, operator.clone());
    let written = app
        .db
        .write(input, move |(id, reason, since_ms, operator), conn| {
            Box::pin(async move {
                let delivery = deliveries::by_id(conn, id).await?;
                let delivery = delivery.ok_or_else(|| TxError::Abort(missing()))?;
                let sent = again(conn, &delivery, *since_ms, operator.now_ms).await?;
                let done = Done {
                    account: Some(&delivery.account_id),
                    action: "entrega.reenviada",
                    target: id,
                    detail: reason,
                };
                operator::record(conn, &done, operator).await?;
                Ok(sent)
            })
        });
    Ok(written.await?)
}

/// Begins the schedule of a delivery again, if it was made at `since_ms` or later.
async fn again(
    conn: &mut Conn,
    delivery: &DeliveryRow,
    since_ms: i64,
    now_ms: i64,
) -> Result<DeliveryRow, TxError<Refusal>> {
    let DeliveryRow {
        account_id: account,
        kind,
        id,
        ..
    } = delivery;
    if delivery.created_at_ms < since_ms {
        return Err(TxError::Abort(Refusal::new(Code::EntregaExpirada)));
    }
    let webhook = webhooks::get(conn, account, *kind, &delivery.webhook_id).await?;
    if let Some(refusal) = unusable(webhook.as_ref()) {
        return Err(TxError::Abort(refusal));
    }
    // First the webhook, then its deliveries: the order in which all lock them.
    webhooks::hurry(conn, &delivery.webhook_id, now_ms).await?;
    if !deliveries::resend(conn, id, now_ms).await? {
        let refusal = Refusal::new(Code::EstadoInvalido)
            .message("A entrega ainda está pendente.")
            .hint("Ela será tentada de novo no horário de proxima_tentativa_em.");
        return Err(TxError::Abort(refusal));
    }
    let sent = deliveries::get(conn, account, *kind, id).await?;
    Ok(sent.present("delivery", id)?)
}

/// The same for all of a webhook's deliveries in the failure queue; how many.
///
/// # Errors
/// The webhook is unknown or off.
pub async fn all(app: &Events, mut choice: Choice) -> Result<u64, Failure> {
    let now_ms = app.now_ms();
    let since_ms = now_ms - app.config.webhooks.keep_days * DAY_MS;
    choice.from_ms = choice.from_ms.max(since_ms);
    let written = app.db.write((choice, now_ms), |(choice, now_ms), conn| {
        Box::pin(async move {
            let webhook = match choice.webhook_id.as_ref() {
                Some(id) => webhooks::get(conn, &choice.account_id, choice.kind, id).await?,
                None => None,
            };
            if let Some(refusal) = unusable(webhook.as_ref()) {
                return Err(TxError::Abort(refusal));
            }
            if let Some(webhook) = &webhook {
                // First the webhook, then its deliveries: the order in which all lock them.
                webhooks::wake(conn, &webhook.id, webhooks::NOTHING_MS).await?;
            }
            let many = deliveries::resend_all(conn, choice, *now_ms).await?;
            if let Some(webhook) = webhook.filter(|_| many > 0) {
                webhooks::hurry(conn, &webhook.id, *now_ms).await?;
            }
            Ok(many)
        })
    });
    Ok(written.await?)
}

/// Sends an example of a kind of event to one webhook.
///
/// # Errors
/// The webhook is off, or there is no such kind.
pub async fn test(app: &Events, webhook: &WebhookRow, kind: &str) -> Result<DeliveryRow, Failure> {
    if let Some(refusal) = unusable(Some(webhook)) {
        return Err(refusal.into());
    }
    let kind = catalogue::get(kind).ok_or_else(|| {
        Refusal::field(
            Code::ParametroInvalido,
            "evento",
            "Este tipo de evento não existe.",
            "Use um dos de GET /api/v1/webhooks/tipos-evento.",
        )
    })?;
    let now_ms = app.now_ms();
    let event = OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: webhook.account_id.clone(),
        tipo: kind.name.to_owned(),
        payload: serde_json::to_string(&kind.sample())?,
        created_at_ms: now_ms,
        teste: 1,
        ..OutboxRow::default()
    };
    let delivery = DeliveryRow {
        id: deliveries::id_of(&event.id, &webhook.id),
        account_id: webhook.account_id.clone(),
        kind: webhook.kind,
        webhook_id: webhook.id.clone(),
        event_id: event.id.clone(),
        tipo: event.tipo.clone(),
        status: DeliveryStatus::Pending,
        round_ms: now_ms,
        due_ms: now_ms,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..DeliveryRow::default()
    };
    let written = app
        .db
        .write((event, delivery.clone()), |(event, delivery), conn| {
            Box::pin(async move {
                outbox::insert(conn, event).await?;
                deliveries::insert(conn, delivery).await?;
                Ok::<_, TxError<Refusal>>(
                    webhooks::hurry(conn, &delivery.webhook_id, delivery.due_ms).await?,
                )
            })
        });
    written.await?;
    Ok(delivery)
}

/// The refusal of an id that is no delivery of the account.
pub fn missing() -> Refusal {
    Refusal::new(Code::NaoEncontrado)
        .message("Entrega não encontrada.")
        .hint("Use os ids de GET /api/v1/webhooks/entregas.")
}

/// The refusal if nothing can be sent to a webhook: it is not there, or turned
/// off.
fn unusable(webhook: Option<&WebhookRow>) -> Option<Refusal> {
    let Some(webhook) = webhook else {
        return Some(unknown());
    };
    (webhook.ativo == 0).then(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O webhook está desativado.")
            .hint("Ative-o com PATCH /api/v1/webhooks/{id} e repita.")
    })
}
