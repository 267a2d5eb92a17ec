//! Events the hub tells by itself.

use super::{assert_documented, issuer};
use flow::registry::Registry;
use issuing::notices::{coverage, gaps};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::bodies::nfe;
use tests::{TestApp, both};

const HOUR_MS: i64 = 3_600_000;

/// Events of a kind, oldest first, once there are at least so many.
async fn told(app: &TestApp, kind: &str, least: usize) -> Vec<Value> {
    let path = format!("/api/v1/eventos?cursor=0&tipo={kind}");
    app.until_told(&path, least).await
}

async fn refused(app: &TestApp) {
    app.app.simulator.sim.add_fault(sim::Fault {
        falha: sim::FaultKind::Recusar,
        codigo: Some("778".to_owned()),
        ..Default::default()
    });
    let answer = app.post("/api/v1/nfe", &nfe()).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    app.app.simulator.sim.clear_faults();
}

both! {
    async fn a_number_nobody_took_is_told_once(app: TestApp) {
        let emitter = issuer(&app).await;
        refused(&app).await;
        gaps::look(&app.app).await.expect("looked");
        app.ahead_ms.fetch_add(25 * HOUR_MS, Ordering::Relaxed);
        for _ in 0..2 {
            gaps::look(&app.app).await.expect("looked");
        }
        let events = told(&app, "numeracao.lacuna", 1).await;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_documented(&events[0]);
        let data = &events[0]["dados"];
        assert_eq!((&data["emitente_id"], &data["modelo"], &data["serie"]), (&json!(emitter), &json!("55"), &json!("1")));
        assert_eq!((&data["numero_inicial"], &data["numero_final"]), (&json!(1), &json!(1)));
        assert!(data["inutilizar_ate"].as_str().expect("a day").ends_with("-10"), "{data}");

        // A note takes the number and gives it back: another gap.
        refused(&app).await;
        app.ahead_ms.fetch_add(25 * HOUR_MS, Ordering::Relaxed);
        gaps::look(&app.app).await.expect("looked");
        assert_eq!(told(&app, "numeracao.lacuna", 2).await.len(), 2);
        // One that a note took and kept is none.
        assert_eq!(app.post("/api/v1/nfe", &nfe()).await.body["numero"], 1);
        app.ahead_ms.fetch_add(25 * HOUR_MS, Ordering::Relaxed);
        gaps::look(&app.app).await.expect("looked");
        assert_eq!(told(&app, "numeracao.lacuna", 2).await.len(), 2);
    }
}

both! {
    async fn a_municipality_that_issues_otherwise_is_told_once(app: TestApp) {
        let emitter = issuer(&app).await;
        for _ in 0..2 {
            coverage::look(&app.app).await.expect("looked");
        }
        let text = flow::registry::BUILT_IN;
        let changed = text.replace(
            "\"Belo Horizonte\", uf = \"MG\", rota = { sistema = \"nacional\", de = 2026-02-01",
            "\"Belo Horizonte\", uf = \"MG\", rota = { sistema = \"isssaopaulo-100\", producao = \"https://bh.example/ws\", de = 2026-02-01",
        );
        assert_ne!(text, changed, "the line of Belo Horizonte");
        let changed = Registry::parse(&changed).expect("a registry");
        app.app.registry.replace(changed);
        for _ in 0..2 {
            coverage::look(&app.app).await.expect("looked");
        }
        let events = told(&app, "cobertura.mudou", 1).await;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_documented(&events[0]);
        let data = &events[0]["dados"];
        assert_eq!(data["emitente_id"], json!(emitter));
        assert_eq!((&data["antes"]["resposta"], &data["antes"]["via"]), (&json!("sim"), &json!("nacional")), "{data}");
        assert_ne!(data["agora"], data["antes"]);
        assert_eq!(data["agora"]["codigo_ibge"], "3106200");
    }
}
