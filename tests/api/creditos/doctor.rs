//! What `hub doctor` says of purchases that contradict the ledger.

use super::shared::*;
use accounts::ledger::{self, Movement};
use futures::future::BoxFuture;
use std::convert::Infallible;
use store::tables::compras::{self, PurchaseRow};
use store::tables::reembolsos::{self, ReembolsoRow, ReembolsoStatus};
use store::{Conn, TxError, checks};
use tests::{TestApp, both};

type Damage = for<'a> fn(&'a PurchaseRow, &'a mut Conn) -> BoxFuture<'a, Result<(), sqlx::Error>>;

/// Writes half of what belongs together; the rules that are broken then.
async fn broken(app: &TestApp, id: &str, damage: Damage) -> Vec<&'static str> {
    let mut conn = app.app.db.read().await.expect("connection");
    let row = compras::get(&mut conn, &app.account_id, &id.into()).await;
    let row = row.expect("database").expect("a purchase");
    drop(conn);
    let written = app.app.db.write((row, damage), |(row, damage), conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(damage(row, conn).await?) })
    });
    written.await.expect("written");
    let mut conn = app.app.db.read().await.expect("connection");
    let findings = checks::run(&mut conn).await.expect("checks");
    findings.iter().map(|finding| finding.rule).collect()
}

fn movement(row: &PurchaseRow) -> Movement<'_> {
    Movement {
        account_id: &row.account_id,
        subject_id: &row.id,
        operation: "teste",
        request_id: &row.request_id,
        payer: &accounts::ledger::NOBODY,
        now_ms: row.created_at_ms,
    }
}

fn refund_of(row: &PurchaseRow) -> ReembolsoRow {
    ReembolsoRow {
        id: format!("rmb_{}", row.id).into(),
        account_id: row.account_id.clone(),
        compra_id: row.id.clone(),
        creditos: row.creditos,
        // Nobody takes it up.
        next_check_ms: i64::MAX,
        created_at_ms: row.created_at_ms,
        ..ReembolsoRow::default()
    }
}

both! {
    async fn credits_without_a_payment(app: TestApp) {
        let id = bought(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            ledger::purchase(conn, &movement(row), row.creditos, &row.id).await.map(|_| ())
        }));
        assert_eq!(rules.await, ["bought credits belong to a paid purchase"]);
    }
}

both! {
    async fn a_payment_without_credits(app: TestApp) {
        let id = bought(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            compras::settled(conn, row, row.creditos, row.created_at_ms).await.map(|_| ())
        }));
        assert_eq!(rules.await, ["a paid purchase was credited once"]);
    }
}

both! {
    async fn a_refund_that_took_nothing(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            reembolsos::insert(conn, &refund_of(row)).await
        }));
        assert_eq!(rules.await, ["a refund took its credits once"]);
    }
}

both! {
    async fn a_refusal_that_gave_nothing_back(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            let refund = refund_of(row);
            reembolsos::insert(conn, &refund).await?;
            assert!(ledger::refund(conn, &movement(row), row.creditos, &refund.id).await?);
            reembolsos::ended(conn, &refund, ReembolsoStatus::Refused, "", row.created_at_ms).await.map(|_| ())
        }));
        assert_eq!(rules.await, ["credits of a refund come back when it is refused, and only then"]);
    }
}

both! {
    async fn credits_taken_for_no_refund(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            ledger::refund(conn, &movement(row), row.creditos, "rmb_nada").await.map(|_| ())
        }));
        assert_eq!(rules.await, ["refunded credits belong to a refund"]);
    }
}

both! {
    async fn a_refund_of_what_nobody_paid(app: TestApp) {
        paid(&app, &pix(120.0)).await;
        let id = bought(&app, &pix(120.0)).await;
        let rules = broken(&app, &id, |row, conn| Box::pin(async move {
            let refund = refund_of(row);
            reembolsos::insert(conn, &refund).await?;
            ledger::refund(conn, &movement(row), row.creditos, &refund.id).await.map(|_| ())
        }));
        assert_eq!(rules.await, ["no purchase is refunded beyond what was paid"]);
    }
}
