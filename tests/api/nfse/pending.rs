//! A city that queues: 202, charged when it authorizes.

use crate::common::{PASSWORD, cnpj, pfx};
use serde_json::{Value, json};
use sim::pki::PfxFormat;
use sim::{Fault, FaultKind, When};
use std::sync::atomic::{AtomicU32, Ordering};
use store::tables::emitters;
use tests::bodies::{nfse, with};
use tests::{Answer, TestApp, both, on_sqlite};

/// A municipality on a system that issues by batches.
const BATCHES: &str = "3301009";

/// Kinds of the events so far, at least so many, oldest first.
async fn told(app: &TestApp, least: usize) -> Vec<String> {
    let events = app.until_told("/api/v1/eventos?cursor=0", least).await;
    let kinds = events.iter().filter_map(|event| event["tipo"].as_str());
    kinds.map(str::to_owned).collect()
}

/// Lets the city keep what comes for five minutes.
fn queue(app: &TestApp) {
    app.app.simulator.sim.add_fault(Fault {
        quando: When {
            operacao: Some("emitir".to_owned()),
            ..When::default()
        },
        falha: FaultKind::Fila,
        ms: Some(300_000),
        ..Fault::default()
    });
}

/// A note of that city.
fn queued() -> Value {
    let body = with(nfse(), "/tomador/endereco/codigo_ibge", BATCHES);
    let body = with(body, "/servico/codigo_tributacao_municipio", Value::Null);
    with(body, "/servico/cnae", "6201501")
}

/// Lets the queue of the city move on; the note once it is authorized.
async fn authorized(app: &TestApp, id: &str) -> Answer {
    app.ahead_ms.store(301_000, Ordering::Relaxed);
    let looks = AtomicU32::new(0);
    app.until(&format!("/api/v1/documentos/{id}"), |note| {
        // A question that was under way when the clock leapt may have been
        // answered by the queue as it was; the next comes when its pause ends.
        if looks.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
            app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
        }
        note.text_at("/status") == "autorizada"
    })
    .await
}

both! {
    async fn a_queued_note_is_charged_when_it_is_authorized(app: TestApp) {
        app.emitter(&cnpj("11444777"), BATCHES).await;
        queue(&app);
        let answer = app.post("/api/v1/nfse", &queued()).await;
        // A question under way when the clock leaps would lose its lease.
        app.stop_clock();
        assert_eq!(answer.summary(), "202 pendente_prefeitura", "{}", answer.text);
        assert_eq!(answer.body["creditos"], json!({ "reservado": 4, "debitado": 0, "saldo": 196 }));
        assert_eq!((&answer.body["consumiu_credito"], &answer.body["consumiu_numero_fiscal"]), (&json!(false), &json!(false)));
        assert!(!answer.text_at("/proxima_consulta_em").is_empty(), "{}", answer.text);
        let id = answer.text_at("/nota_id");
        assert_eq!(answer.header("location"), format!("/api/v1/documentos/{id}"));
        assert_eq!(app.balance().await, (196, 4));
        let usage = app.get("/api/v1/usage").await;
        assert_eq!((&usage.body["saldo"], &usage.body["reservado"]), (&json!(196), &json!(4)));
        app.check_invariants().await;

        // The city's queue moves on; nobody asks again.
        let done = authorized(&app, id).await;
        assert!(!done.text_at("/numero_nfse").is_empty(), "{}", done.text);
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(told(&app, 2).await, ["nota.pendente", "nfse.emitida"]);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_queued_note_is_asked_about_with_the_certificate_that_followed_a_removed_one(app: TestApp) {
        let number = cnpj("11444777");
        let emitter = app.emitter(&number, BATCHES).await;
        queue(&app);
        let answer = app.post("/api/v1/nfse", &queued()).await;
        app.stop_clock();
        assert_eq!(answer.summary(), "202 pendente_prefeitura", "{}", answer.text);
        let mut conn = app.app.db.read().await.expect("connection");
        let row = emitters::get(&mut conn, &app.account_id, &emitter.as_str().into()).await;
        drop(conn);
        let row = row.expect("database").expect("a company");
        let row = issuing::emitters::remove_certificate(&app.app, row).await.expect("removed");
        let file = pfx(&app, &number, PfxFormat::Modern, (-1, 365));
        let sent = issuing::emitters::replace_certificate(&app.app, row, file, PASSWORD.to_owned()).await;
        assert!(sent.is_ok(), "another certificate");
        authorized(&app, answer.text_at("/nota_id")).await;
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}
