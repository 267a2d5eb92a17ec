//! Lists of deliveries of a period, which look for ids: the moment in an id may be another than
//! that of its event.

use std::convert::Infallible;
use store::ids::{DeliveryId, OutboxId, WebhookId};
use store::tables::deliveries::{self, Choice, DeliveryRow};
use store::tables::outbox::{self, OutboxRow};
use store::{Db, TxError};
use tests::both;

const DAY_MS: i64 = 86_400_000;
/// The most that an id and its event may be apart.
const APART_MS: i64 = 60_000;

/// All of a choice, so many at a time.
async fn listed(db: &Db, choice: &Choice, limit: i64) -> Vec<DeliveryId> {
    let mut conn = db.read().await.expect("connection");
    let (mut all, mut before) = (Vec::new(), String::new());
    loop {
        let rows = deliveries::list(&mut conn, choice, &before, limit).await;
        let rows = rows.expect("deliveries");
        let Some(last) = rows.last() else {
            return all;
        };
        before = last.id.to_string();
        all.extend(rows.into_iter().map(|row| row.id));
    }
}

both! {
    async fn a_period_has_its_first_moment_and_not_its_last(app: TestApp) {
        let from_ms = app.app.now_ms() - 9 * DAY_MS;
        let to_ms = from_ms + DAY_MS;
        let webhook = WebhookId::from("whk_01J0000000000000000NENHUM1");
        let mut rows = Vec::new();
        for at_ms in [from_ms - 1, from_ms, to_ms - 1, to_ms] {
            for apart_ms in [-APART_MS, 0, APART_MS] {
                let event_id = OutboxId::new(at_ms + apart_ms);
                rows.push(DeliveryRow {
                    id: deliveries::id_of(&event_id, &webhook),
                    account_id: app.account_id.clone(),
                    webhook_id: webhook.clone(),
                    event_id,
                    tipo: "nfse.emitida".to_owned(),
                    due_ms: at_ms,
                    ..DeliveryRow::default()
                });
            }
        }
        let written = app.app.db.write(rows.clone(), |rows, conn| {
            Box::pin(async move {
                for row in rows {
                    let event = OutboxRow {
                        id: row.event_id.clone(),
                        account_id: row.account_id.clone(),
                        tipo: row.tipo.clone(),
                        created_at_ms: row.due_ms,
                        ..OutboxRow::default()
                    };
                    outbox::insert(conn, &event).await?;
                    deliveries::insert(conn, row).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        written.await.expect("written");
        rows.sort_by(|one, other| other.id.cmp(&one.id));
        for status in ["", "falhou"] {
            for (from_ms, to_ms, many) in [(from_ms, to_ms, 6), (from_ms, 0, 9), (0, to_ms, 9), (0, 0, 12)] {
                let choice = Choice {
                    account_id: app.account_id.clone(),
                    status: status.to_owned(),
                    from_ms,
                    to_ms,
                    ..Choice::default()
                };
                let is_of = |row: &&DeliveryRow| row.due_ms >= from_ms && (to_ms == 0 || row.due_ms < to_ms);
                let wanted: Vec<DeliveryId> = rows.iter().filter(is_of).map(|row| row.id.clone()).collect();
                assert_eq!(wanted.len(), many);
                for limit in [100, 1] {
                    assert_eq!(listed(&app.app.db, &choice, limit).await, wanted, "{choice:?}");
                }
            }
            let given_up = app.app.db.write(webhook.clone(), |webhook, conn| {
                Box::pin(async move {
                    deliveries::give_up_all(conn, webhook, "", 1).await?;
                    Ok::<_, TxError<Infallible>>(())
                })
            });
            given_up.await.expect("given up");
        }
    }
}
