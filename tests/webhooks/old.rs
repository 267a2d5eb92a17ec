//! Events whose time is over.

use super::issuer;
use std::convert::Infallible;
use store::ids::{AccountId, NotaId, OutboxId};
use store::tables::deliveries::{self, DeliveryRow};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::outbox::{self, OutboxRow};
use store::words::Model;
use store::{Conn, DbResult, TxError, checks};
use tests::both;

const DAY_MS: i64 = 86_400_000;

fn event(account: &AccountId, at_ms: i64, subject: &str) -> OutboxRow {
    OutboxRow {
        id: OutboxId::new(at_ms),
        account_id: account.clone(),
        tipo: "nfse.emitida".to_owned(),
        subject_id: subject.to_owned(),
        created_at_ms: at_ms,
        ..OutboxRow::default()
    }
}

/// An authorized note whose texts are in its row.
fn note(account: &AccountId, emitter: &str, at_ms: i64) -> NotaRow {
    let id = NotaId::new(Model::Nfse, at_ms);
    NotaRow {
        referencia: id.to_string(),
        id,
        account_id: account.clone(),
        emitter_id: emitter.into(),
        modelo: Model::Nfse,
        status: NotaStatus::Authorized,
        created_at_ms: at_ms,
        updated_at_ms: at_ms,
        ..NotaRow::default()
    }
}

/// Removes what is old, two at a time; of each two, how many were to go and did.
async fn purge(conn: &mut Conn, before_ms: i64) -> DbResult<Vec<(i64, u64)>> {
    let mut after = OutboxId::default();
    let mut portions = Vec::new();
    while let Some(old) = outbox::old(conn, &after, before_ms, 2).await? {
        let removed = outbox::purge(conn, &after, &old.last, before_ms).await?;
        portions.push((old.many, removed));
        after = old.last;
    }
    Ok(portions)
}

both! {
    async fn an_old_event_goes_when_nothing_needs_it(app: TestApp) {
        let emitter = issuer(&app).await;
        let account = &app.account_id;
        let now_ms = app.app.now_ms();
        let (old_ms, before_ms) = (now_ms - 9 * DAY_MS, now_ms - 5 * DAY_MS);
        let unpacked = note(account, &emitter, old_ms);
        let rows = [
            event(account, old_ms, ""),
            event(account, old_ms + 1, "that has a delivery"),
            event(account, old_ms + 2, &unpacked.id),
            event(account, old_ms + 3, ""),
            event(account, now_ms, "that is young"),
        ];
        let without_place = event(account, old_ms + 4, "");
        let delivery = DeliveryRow {
            id: deliveries::id_of(&rows[1].id, &"whk_01J0000000000000000NENHUM1".into()),
            account_id: account.clone(),
            event_id: rows[1].id.clone(),
            due_ms: now_ms,
            ..DeliveryRow::default()
        };
        let input = (unpacked, rows, without_place, delivery, before_ms);
        let written = app.app.db.write(input, |(unpacked, rows, without_place, delivery, before_ms), conn| {
            Box::pin(async move {
                let account = &unpacked.account_id;
                assert!(notas::insert(conn, unpacked).await?);
                for row in rows {
                    outbox::insert(conn, row).await?;
                }
                outbox::place(conn, account, 100).await?;
                outbox::insert(conn, without_place).await?;
                deliveries::insert(conn, delivery).await?;
                let portions = purge(conn, *before_ms).await?;
                let mut left = Vec::new();
                for row in rows.iter().chain([without_place]) {
                    left.push(outbox::get(conn, account, &row.id, "nenhum").await?.is_some());
                }
                Ok::<_, TxError<Infallible>>((portions, left))
            })
        });
        let (portions, left) = written.await.expect("written");
        assert_eq!(portions, [(1, 1), (1, 1), (0, 0)]);
        assert_eq!(left, [false, true, true, false, true, true]);
    }
}

both! {
    async fn the_doctor_asks_for_no_event_that_was_removed(app: TestApp) {
        let emitter = issuer(&app).await;
        let account = &app.account_id;
        let now_ms = app.app.now_ms();
        let old_ms = now_ms - 9 * DAY_MS;
        let notes = [
            note(account, &emitter, old_ms),
            note(account, &emitter, now_ms - 2 * DAY_MS),
        ];
        let rows = [
            event(account, old_ms, ""),
            event(account, old_ms + 1, ""),
            event(account, now_ms - 4 * DAY_MS, ""),
            event(account, now_ms, ""),
        ];
        // Of some, then of all.
        let moments = [now_ms - 5 * DAY_MS, now_ms + DAY_MS];
        let input = (notes, rows, moments);
        let written = app.app.db.write(input, |(notes, rows, moments), conn| {
            Box::pin(async move {
                for note in notes {
                    assert!(notas::insert(conn, note).await?);
                }
                for row in rows {
                    outbox::insert(conn, row).await?;
                }
                let mut seen = vec![silent(conn).await?];
                outbox::place(conn, &notes[0].account_id, 100).await?;
                seen.push(silent(conn).await?);
                for before_ms in moments {
                    purge(conn, *before_ms).await?;
                    seen.push(silent(conn).await?);
                }
                Ok::<_, TxError<Infallible>>((notes.clone().map(|note| note.id), seen))
            })
        });
        let ([old, young], seen) = written.await.expect("written");
        let (old, young) = (old.to_string(), young.to_string());
        let all = vec![old, young.clone()];
        assert_eq!(seen, [all.clone(), all, vec![young], Vec::new()]);
    }
}

/// Settled notes of which, as the doctor says, nobody was told.
async fn silent(conn: &mut Conn) -> DbResult<Vec<String>> {
    let found = checks::run(conn).await?;
    let found = found
        .into_iter()
        .filter(|one| one.rule == "a settled note told its customer");
    let mut rows: Vec<String> = found.map(|one| one.row).collect();
    rows.sort();
    Ok(rows)
}
