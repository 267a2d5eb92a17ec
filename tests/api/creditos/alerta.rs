//! The alert of a low balance.

use super::shared::*;
use crate::common::{ask, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use store::tables::outbox;
use tests::{TestApp, both};

const ALERTA: &str = "/api/v1/creditos/alerta";

/// Payloads of the account's events, in order.
async fn events(app: &TestApp) -> Vec<Value> {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = outbox::of_subject(&mut conn, &app.account_id, &app.account_id).await;
    let rows = rows.expect("events");
    assert!(rows.iter().all(|row| row.tipo == "saldo.baixo"));
    rows.iter()
        .map(|row| serde_json::from_str(&row.payload).expect("JSON"))
        .collect()
}

fn event(balance: i64, threshold: i64) -> Value {
    json!({ "saldo": balance, "limiar": threshold })
}

both! {
    async fn each_crossing_is_told_once(app: TestApp) {
        spend(&app, 10).await;
        assert_eq!(events(&app).await, [] as [Value; 0], "nobody asked for it");
        let set = ask(&app, Method::PUT, ALERTA, Some(&json!({ "limiares": [0, 100, 150, 100], "canais": ["webhook", "webhook"] }))).await;
        assert_eq!(set.status, 200, "{}", set.text);
        assert_eq!((&set.body["limiares"], &set.body["canais"]), (&json!([150, 100, 0]), &json!(["webhook"])));
        let stored = app.get("/api/v1/creditos").await;
        assert_eq!(stored.body["alerta"], json!({ "limiares": [150, 100, 0], "canais": ["webhook"], "telefones": [] }));
        spend(&app, 39).await;
        assert_eq!(events(&app).await, [] as [Value; 0], "151 is above 150");
        spend(&app, 1).await;
        spend(&app, 20).await;
        assert_eq!(events(&app).await, [event(150, 150)], "once");
        spend(&app, 100).await;
        assert_eq!(events(&app).await[1..], [event(30, 100)]);
        paid(&app, &pix(120.0)).await;
        spend(&app, 12_030).await;
        assert_eq!(events(&app).await[2..], [event(0, 150), event(0, 100), event(0, 0)], "it had risen above them");
        // A refund lowers the balance, too.
        let id = paid(&app, &pix(120.0)).await;
        assert_eq!(refund(&app, &id).await.status, 200);
        assert_eq!(events(&app).await.len(), 8);
        ask(&app, Method::PUT, ALERTA, Some(&json!({ "limiares": [] }))).await;
        paid(&app, &pix(120.0)).await;
        spend(&app, 12_000).await;
        assert_eq!(events(&app).await.len(), 8, "an empty list is silent");
        app.check_invariants().await;
    }
}

both! {
    async fn thresholds_that_make_no_sense_are_refused(app: TestApp) {
        for (body, summary) in [
            (json!({ "limiares": [-1] }), "400 parametro_invalido"),
            (json!({ "limiares": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }), "400 parametro_invalido"),
            (json!({ "limiares": [1.5] }), "400 parametro_invalido"),
            (json!({ "limiares": [1], "canais": ["fax"] }), "400 parametro_invalido"),
            (json!({ "canais": ["email"] }), "400 parametro_ausente"),
            // Nothing of this is connected in a hub nobody configured.
            (json!({ "limiares": [1], "canais": ["chatapp", "webhook"] }), "422 chatapp_nao_conectado"),
            (json!({ "limiares": [1], "canais": ["email"] }), "503 email_nao_oferecido"),
        ] {
            assert_refusal(&ask(&app, Method::PUT, ALERTA, Some(&body)).await, summary);
        }
        assert_eq!(app.get("/api/v1/creditos").await.body["alerta"], Value::Null, "none of it was kept");
    }
}
