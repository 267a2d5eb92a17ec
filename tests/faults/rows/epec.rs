//! The announcement of a CT-e in contingency (EPEC) and what becomes of its number.

use super::{count, fault, order, refuse};
use serde_json::{Value, json};
use sim::FaultKind;
use tests::bodies::{cte, with};
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
/// What the simulated authorities call the event.
const EVENT: &str = "evento";

async fn ready(app: &TestApp) {
    app.release(&app.account_id).await;
    app.emitter(CNPJ, BELO_HORIZONTE).await;
}

fn body() -> Value {
    with(
        cte(),
        "/justificativa",
        "SEFAZ de origem fora do ar há duas horas",
    )
}

async fn announce(app: &TestApp, key: Option<&str>) -> Answer {
    app.post_as(&app.live_key, "/api/v1/cte/epec", &body(), key)
        .await
}

async fn issue(app: &TestApp, id: &str) -> Answer {
    app.post("/api/v1/cte/emitir", &json!({ "nota_id": id }))
        .await
}

both! {
    async fn a_lost_answer_to_an_announcement_is_found(app: TestApp) {
        ready(&app).await;
        for failure in [FaultKind::CortarDepois, FaultKind::XmlPelaMetade, FaultKind::Lixo] {
            fault(&app, EVENT, failure, 1, 0);
            let answer = announce(&app, None).await;
            assert_eq!(answer.summary(), "200 rascunho", "{failure:?}: {}", answer.text);
            assert_ne!(answer.text_at("/epec/protocolo"), "", "{failure:?}: {}", answer.text);
            let issued = issue(&app, answer.text_at("/nota_id")).await;
            assert_eq!(issued.summary(), "201 autorizada", "{failure:?}: {}", issued.text);
        }
        assert_eq!(app.balance().await, (200 - 3 * 8, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_duplicate_that_no_question_shows_is_the_announcement_itself(app: TestApp) {
        ready(&app).await;
        fault(&app, EVENT, FaultKind::CortarDepois, 1, 0);
        // The authority shows nothing of a CT-e of which it has only the event.
        refuse(&app, "consultar", "217", None, 0);
        let answer = announce(&app, None).await;
        assert_eq!(answer.summary(), "200 rascunho", "{}", answer.text);
        let sim = &app.app.simulator.sim;
        assert_eq!((count(sim, EVENT), sim.overview().eventos.len()), (2, 1));
        let next = app.post("/api/v1/cte/criar-e-emitir", &cte()).await;
        assert_eq!((next.status, &next.body["numero"]), (201, &json!(2)), "the number is announced: {}", next.text);
        let issued = issue(&app, answer.text_at("/nota_id")).await;
        assert_eq!((issued.status, &issued.body["chave"]), (201, &answer.body["chave"]), "{}", issued.text);
        assert_eq!(app.balance().await, (200 - 3 * 4, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_refused_announcement_returns_credit_and_number(app: TestApp) {
        ready(&app).await;
        refuse(&app, EVENT, "448", None, 1);
        let refused = announce(&app, Some("uma")).await;
        assert_eq!(refused.summary(), "422 rejeitada_pela_sefaz", "{}", refused.text);
        assert_eq!(app.balance().await, (200, 0));
        let nota = app.get(&format!("/api/v1/documentos/{}", refused.text_at("/nota_id"))).await;
        assert_eq!(nota.text_at("/status"), "rejeitada", "{}", nota.text);
        let again = announce(&app, Some("uma")).await;
        assert_eq!((again.status, &again.body["numero"]), (200, &json!(1)), "{}", again.text);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_announcement_that_does_not_leave_returns_its_number(app: TestApp) {
        ready(&app).await;
        let paused = sim::Fault { falha: FaultKind::Pausado, codigo: Some("108".to_owned()), ..Default::default() };
        order(&app, EVENT, 1, paused);
        let answer = announce(&app, None).await;
        assert_eq!((answer.status, answer.header("x-error-code")), (503, "sefaz_indisponivel"), "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
        app.ahead_ms.fetch_add(3_600_000, std::sync::atomic::Ordering::Relaxed);
        let next = announce(&app, None).await;
        assert_eq!((next.status, &next.body["numero"]), (200, &json!(1)), "{}", next.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_refused_transmission_keeps_the_number_and_is_sent_again(app: TestApp) {
        ready(&app).await;
        let announced = announce(&app, None).await;
        let id = announced.text_at("/nota_id").to_owned();
        // Each refusal is an answer of its own, however many there were before.
        for code in ["778", "290"] {
            refuse(&app, "autorizar", code, None, 1);
            let refused = issue(&app, &id).await;
            assert_eq!(refused.summary(), "422 rejeitada_pela_sefaz", "{code}: {}", refused.text);
            assert_eq!(app.balance().await, (196, 0), "{code}");
        }
        let other = app.post("/api/v1/cte/criar-e-emitir", &cte()).await;
        assert_eq!((other.status, &other.body["numero"]), (201, &json!(2)), "the number is announced: {}", other.text);
        let issued = issue(&app, &id).await;
        assert_eq!((issued.status, &issued.body["numero"]), (201, &json!(1)), "{}", issued.text);
        assert_eq!(issued.body["chave"], announced.body["chave"]);
        assert_eq!(app.balance().await, (200 - 3 * 4, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_lost_answer_to_the_transmission_is_found(app: TestApp) {
        ready(&app).await;
        for failure in [FaultKind::CortarDepois, FaultKind::CortarAntes] {
            let announced = announce(&app, None).await;
            fault(&app, "autorizar", failure, 1, 0);
            let issued = issue(&app, announced.text_at("/nota_id")).await;
            assert_eq!(issued.summary(), "201 autorizada", "{failure:?}: {}", issued.text);
        }
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 3);
        app.check_invariants().await;
    }
}
