//! Deliveries that are written once, with their first attempt, and those that fail before.

use std::convert::Infallible;
use store::ids::{DeliveryId, OutboxId};
use store::tables::accounts::{self, Account};
use store::tables::deliveries::{
    self, AttemptRow, DeliveryRow, DeliveryStatus, Older, Place, Wanted,
};
use store::tables::metrics;
use store::tables::outbox::{self, OutboxRow};
use store::tables::webhooks::{self, NOTHING_MS, WebhookRow};
use store::{Conn, Db, DbResult, TxError, copy};

const NOW_MS: i64 = 1_000;

fn webhook() -> WebhookRow {
    WebhookRow {
        id: "whk_01J0000000000000000NENHUM1".into(),
        account_id: "con_1".into(),
        eventos: "[]".to_owned(),
        emitente_ids: "[]".to_owned(),
        ativo: 1,
        version: 1,
        ..WebhookRow::default()
    }
}

fn event(number: usize, kind: &str) -> OutboxRow {
    OutboxRow {
        id: OutboxId::from(format!("evt_{number:026}")),
        account_id: "con_1".into(),
        tipo: kind.to_owned(),
        payload: "{}".to_owned(),
        created_at_ms: NOW_MS,
        ..OutboxRow::default()
    }
}

fn wanted() -> Wanted {
    Wanted {
        tipos: ",nfe.autorizada,".to_owned(),
        unseen: "simulado".to_owned(),
        ..Wanted::default()
    }
}

/// A delivery after its attempt of a number.
fn tried(mut delivery: DeliveryRow, number: i64, status: i64) -> (DeliveryRow, AttemptRow) {
    delivery.attempts = number;
    if status == 200 {
        delivery.status = DeliveryStatus::Delivered;
    }
    let attempt = AttemptRow {
        delivery_id: delivery.id.clone(),
        number,
        at_ms: NOW_MS + number,
        status,
        answer: format!("answer {number}"),
        ..AttemptRow::default()
    };
    (delivery, attempt)
}

/// An account with a webhook and six events in its order, one of which the webhook did not ask
/// for.
async fn told(conn: &mut Conn) -> DbResult<()> {
    let account = Account {
        id: "con_1".into(),
        nome: "Conta".to_owned(),
        requests_per_minute: 60,
        created_at_ms: 0,
        cte_released: 0,
        mdfe_released: 0,
        blocked_at_ms: 0,
        blocked_reason: String::new(),
    };
    accounts::insert(conn, &account).await?;
    webhooks::insert(conn, &webhook()).await?;
    for number in 1..=6 {
        let kind = if number == 3 {
            "nfe.cancelada"
        } else {
            "nfe.autorizada"
        };
        outbox::insert(conn, &event(number, kind)).await?;
    }
    let placed = outbox::place(conn, &"con_1".into(), 64).await?;
    assert_eq!(placed, (0, 6));
    Ok(())
}

/// Places of the events that have no delivery after a place.
async fn fresh(conn: &mut Conn, after: i64) -> DbResult<Vec<i64>> {
    let rows = deliveries::fresh(conn, &webhook(), (after, 6), &wanted(), 64).await?;
    Ok(rows.into_iter().map(|row| row.sequencia).collect())
}

async fn numbers(conn: &mut Conn, id: &DeliveryId) -> DbResult<Vec<(i64, i64)>> {
    let attempts = deliveries::attempts(conn, id).await?;
    Ok(attempts
        .into_iter()
        .map(|attempt| (attempt.number, attempt.status))
        .collect())
}

async fn database() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let db = Db::open(&url, 1).await.expect("database");
    (folder, db)
}

#[tokio::test]
async fn what_a_dead_node_wrote_of_a_batch_is_not_sent_again_and_the_rest_is() {
    let (_folder, db) = database().await;
    let written = db.write((), |(), conn| {
        Box::pin(async move {
            told(conn).await?;
            assert_eq!(fresh(conn, 0).await?, [1, 2, 4, 5, 6]);
            let rows = deliveries::fresh(conn, &webhook(), (0, 6), &wanted(), 64).await?;
            let made: Vec<DeliveryRow> = rows
                .into_iter()
                .map(|row| deliveries::made_of(row, &webhook(), NOW_MS))
                .collect();
            // Of the second and the fifth; the node dies before `made_upto` moves.
            let results = [
                tried(made[1].clone(), 1, 200),
                tried(made[3].clone(), 1, 500),
            ];
            deliveries::insert_all(conn, &results).await?;
            assert_eq!(fresh(conn, 0).await?, [1, 4, 6]);
            assert_eq!(numbers(conn, &made[1].id).await?, [(1, 200)]);
            // Another transaction makes the rest, each event once.
            let many = deliveries::fan_out(conn, &webhook(), (0, 6), &wanted(), NOW_MS).await?;
            assert_eq!(many, 3);
            assert!(fresh(conn, 0).await?.is_empty());
            // A result that comes afterwards finds the row.
            deliveries::insert_all(conn, &[tried(made[0].clone(), 1, 200)]).await?;
            let row = deliveries::by_id(conn, &made[0].id).await?;
            let state = row.map(|row| (row.status, row.attempts));
            assert_eq!(state, Some((DeliveryStatus::Delivered, 1)));
            // Delivered is delivered: a late failure of a node that lost the webhook is recorded
            // and changes nothing.
            deliveries::insert_all(conn, &[tried(made[1].clone(), 2, 500)]).await?;
            let row = deliveries::by_id(conn, &made[1].id).await?;
            let state = row.map(|row| (row.status, row.attempts));
            assert_eq!(state, Some((DeliveryStatus::Delivered, 1)));
            assert_eq!(numbers(conn, &made[1].id).await?, [(1, 200), (2, 500)]);
            let due = deliveries::due(conn, &webhook().id, NOW_MS, &Place::default(), 9).await?;
            assert_eq!(due.len(), 3, "what was not tried, and what failed");
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

#[tokio::test]
async fn what_waits_for_a_webhook_without_a_delivery_is_told_as_a_level() {
    let (_folder, db) = database().await;
    let written = db.write((), |(), conn| {
        Box::pin(async move {
            told(conn).await?;
            let levels = async |conn: &mut Conn| {
                let behind = metrics::levels(conn, NOW_MS).await?.behind;
                DbResult::Ok((behind.webhooks, behind.events, behind.since_ms))
            };
            assert_eq!(levels(conn).await?, (0, 0, 0), "nobody woke it");
            webhooks::wake(conn, &webhook().id, NOW_MS).await?;
            assert_eq!(levels(conn).await?, (1, 6, NOW_MS));
            webhooks::make(conn, &webhook().id, 4).await?;
            assert_eq!(levels(conn).await?, (1, 2, NOW_MS));
            webhooks::make(conn, &webhook().id, 6).await?;
            assert_eq!(levels(conn).await?, (0, 0, 0));
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

#[tokio::test]
async fn every_attempt_is_listed_once_and_the_last_one_is_shown_to_operators() {
    let (_folder, db) = database().await;
    let written = db.write((), |(), conn| {
        Box::pin(async move {
            told(conn).await?;
            let row = DeliveryRow {
                id: deliveries::id_of(&event(1, "").id, &webhook().id),
                account_id: "con_1".into(),
                webhook_id: webhook().id,
                event_id: event(1, "").id,
                due_ms: NOW_MS,
                ..DeliveryRow::default()
            };
            deliveries::insert(conn, &row).await?;
            let older = Older {
                at_ms: i64::MAX,
                id: DeliveryId::default(),
            };
            for (number, status) in [(1, 500), (2, 0), (3, 503)] {
                deliveries::save_all(conn, &[tried(row.clone(), number, status)]).await?;
                let open = deliveries::open(conn, None, &older, 9).await?;
                assert_eq!(open[0].last_status, status);
            }
            assert_eq!(numbers(conn, &row.id).await?, [(1, 500), (2, 0), (3, 503)]);
            // It is given up while one is on its way, and sent again: the first of a number stays.
            deliveries::give_up_all(conn, &webhook().id, "teste", NOW_MS).await?;
            deliveries::save(conn, &row, &tried(row.clone(), 4, 410).1).await?;
            let open = deliveries::open(conn, None, &older, 9).await?;
            assert_eq!((open[0].attempts, open[0].last_status), (3, 410));
            assert!(deliveries::resend(conn, &row.id, NOW_MS).await?);
            let (again, attempt) = tried(row.clone(), 4, 200);
            deliveries::save(conn, &again, &attempt).await?;
            assert_eq!(
                numbers(conn, &row.id).await?,
                [(1, 500), (2, 0), (3, 503), (4, 410)]
            );
            let end = 1_000_000_000_000;
            assert_eq!(
                deliveries::purge(conn, end, 9).await?,
                1,
                "with its attempts"
            );
            assert!(numbers(conn, &row.id).await?.is_empty());
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

#[tokio::test]
async fn a_node_that_lost_a_webhook_does_not_say_how_far_deliveries_are_made() {
    let (_folder, db) = database().await;
    let written = db.write((), |(), conn| {
        Box::pin(async move {
            told(conn).await?;
            let id = webhook().id;
            webhooks::wake(conn, &id, NOW_MS).await?;
            let (until_ms, later_ms) = (NOW_MS + 5, NOW_MS + 9);
            let mut lost = webhooks::claim(conn, "one", (9, 9), until_ms, NOW_MS).await?;
            let mut lost = lost.remove(0);
            let mut held = webhooks::claim(conn, "other", (9, 9), later_ms, until_ms).await?;
            let mut held = held.remove(0);
            (lost.made_upto, held.made_upto) = (6, 2);
            assert_eq!(webhooks::upto_if_held(conn, &lost).await?, None);
            assert_eq!(webhooks::upto_if_held(conn, &held).await?, Some(6));
            assert!(!webhooks::progress(conn, &lost, later_ms).await?);
            assert_eq!(webhooks::release(conn, &lost).await?, None);
            assert!(webhooks::progress(conn, &held, later_ms).await?);
            let upto = async |conn: &mut Conn| {
                let row = webhooks::by_id(conn, &id).await?;
                let row = row.map(|row| (row.made_upto, row.next_ms));
                Ok::<_, TxError<Infallible>>(row.unwrap_or_default())
            };
            assert_eq!(upto(conn).await?, (2, NOW_MS));
            // It never goes back.
            held.made_upto = 1;
            assert!(webhooks::progress(conn, &held, later_ms).await?);
            assert_eq!(webhooks::release(conn, &held).await?, Some(true));
            webhooks::set_next(conn, &id, later_ms, 1, true).await?;
            assert_eq!(upto(conn).await?, (2, later_ms), "something fresh is due");
            webhooks::set_next(conn, &id, later_ms, 2, false).await?;
            assert_eq!(upto(conn).await?, (2, NOTHING_MS));
            // Events that nobody looked at for it, as a node of the version before leaves them.
            assert_eq!(webhooks::wake_behind(conn, later_ms).await?, 1);
            assert_eq!(upto(conn).await?, (2, later_ms));
            assert!(webhooks::make(conn, &id, 6).await?);
            assert!(!webhooks::make(conn, &id, 6).await?, "they are made");
            webhooks::set_next(conn, &id, later_ms, 6, false).await?;
            assert_eq!(webhooks::wake_behind(conn, later_ms).await?, 0);
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}
