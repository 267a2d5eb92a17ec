//! Companies the hub asks for by itself.

use super::{CNPJ, PAUSE_MS, asked, consult, deposit, items, later};
use crate::common::{BELO_HORIZONTE, ask, assert_refusal, profile};
use reqwest::Method;
use serde_json::json;
use store::ids::EmitterId;
use store::tables::distribuicao;
use store::words::Ambiente;
use tests::{TestApp, both, on_sqlite};

/// Waits until so many notes were received.
async fn until(app: &TestApp, count: usize) {
    app.until("/api/v1/nfe-entrada", |answer| items(answer).len() == count)
        .await;
}

both! {
    async fn a_company_that_wants_it_is_asked_for_each_hour(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let mut wanted = profile(BELO_HORIZONTE);
        wanted["entrada"] = json!({ "automatica": true });
        deposit(&app, "producao", 2);
        let put = ask(&app, Method::PUT, &path, Some(&wanted)).await;
        assert_eq!((put.status, &put.body["perfil_fiscal"]["entrada"]["automatica"]), (200, &json!(true)), "{}", put.text);
        until(&app, 2).await;
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        deposit(&app, "producao", 1);
        later(&app, PAUSE_MS);
        until(&app, 3).await;
        assert_eq!((asked(&app), app.balance().await), (2, (200, 0)), "once an hour, and free");

        let put = ask(&app, Method::PUT, &path, Some(&profile(BELO_HORIZONTE))).await;
        assert_eq!(put.status, 200, "{}", put.text);
        later(&app, PAUSE_MS);
        let mut conn = app.app.db.read().await.expect("connection");
        let due = distribuicao::due(&mut conn, app.app.now_ms(), 10).await.expect("due");
        assert!(due.is_empty(), "{due:?}");
        drop(conn);
        assert_eq!(consult(&app).await.status, 200);
        assert_eq!(asked(&app), 3);
        app.check_invariants().await;
    }
}

both! {
    async fn a_clock_that_was_set_back_keeps_no_company_away(app: TestApp) {
        const JUMP_MS: i64 = 3 * 86_400_000;
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        later(&app, JUMP_MS);
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let mut wanted = profile(BELO_HORIZONTE);
        wanted["entrada"] = json!({ "automatica": true });
        deposit(&app, "producao", 1);
        let put = ask(&app, Method::PUT, &path, Some(&wanted)).await;
        assert_eq!(put.status, 200, "{}", put.text);
        until(&app, 1).await;
        let id = EmitterId::from(emitter);
        let next_within = async |least_ms: i64, most_ms: i64| {
            tests::until(async || {
                let mut conn = app.app.db.read().await.expect("connection");
                let row = distribuicao::get(&mut conn, &id, Ambiente::Production).await;
                let next_ms = row.expect("database").expect("a row").agendada_ms - app.app.now_ms();
                (least_ms..=most_ms).contains(&next_ms).then_some(()).ok_or(next_ms)
            })
            .await;
        };
        // Its turn is over; the next one is put off.
        next_within(PAUSE_MS - 60_000, PAUSE_MS).await;
        later(&app, -JUMP_MS);
        next_within(1, PAUSE_MS + 1_000).await;
        let refused = consult(&app).await;
        assert_refusal(&refused, "423 consumo_indevido_bloqueado");
        let seconds: i64 = refused.header("retry-after").parse().expect("seconds");
        assert!(seconds * 1_000 <= PAUSE_MS, "{seconds}");
        assert_eq!(asked(&app), 1, "an hour is waited all the same");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_company_without_address_cannot_want_it(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let body = json!({ "entrada": { "automatica": true } });
        let put = ask(&app, Method::PUT, &path, Some(&body)).await;
        assert_refusal(&put, "422 validacao_previa");
        assert_eq!(put.text_at("/campos/0/campo"), "entrada.automatica", "{}", put.text);
        assert_eq!(asked(&app), 0);
        app.check_invariants().await;
    }
}
