//! A city that queues: 202, charged when it authorizes.

use crate::common::cnpj;
use serde_json::json;
use sim::{Fault, FaultKind, When};
use std::sync::atomic::{AtomicU32, Ordering};
use tests::bodies::{nfse, with};
use tests::{TestApp, both};

/// A municipality on a system that issues by batches.
const BATCHES: &str = "3301009";

/// Kinds of the events so far, at least so many, oldest first.
async fn told(app: &TestApp, least: usize) -> Vec<String> {
    let events = app.until_told("/api/v1/eventos?cursor=0", least).await;
    let kinds = events.iter().filter_map(|event| event["tipo"].as_str());
    kinds.map(str::to_owned).collect()
}

both! {
    async fn a_queued_note_is_charged_when_it_is_authorized(app: TestApp) {
        app.emitter(&cnpj("11444777"), BATCHES).await;
        app.app.simulator.sim.add_fault(Fault {
            quando: When { operacao: Some("emitir".to_owned()), ..When::default() },
            falha: FaultKind::Fila,
            ms: Some(300_000),
            ..Fault::default()
        });
        let body = with(nfse(), "/tomador/endereco/codigo_ibge", BATCHES);
        let body = with(body, "/servico/codigo_tributacao_municipio", serde_json::Value::Null);
        let body = with(body, "/servico/cnae", "6201501");
        let answer = app.post("/api/v1/nfse", &body).await;
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
        app.ahead_ms.store(301_000, Ordering::Relaxed);
        let looks = AtomicU32::new(0);
        let done = app.until(&format!("/api/v1/documentos/{id}"), |note| {
            // A question that was under way when the clock leapt may have been
            // answered by the queue as it was; the next comes when its pause ends.
            if looks.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
                app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
            }
            note.text_at("/status") == "autorizada"
        }).await;
        assert!(!done.text_at("/numero_nfse").is_empty(), "{}", done.text);
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(told(&app, 2).await, ["nota.pendente", "nfse.emitida"]);
        app.check_invariants().await;
    }
}
