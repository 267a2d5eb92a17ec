//! /api/v1/reforma/eventos

use crate::common::{BELO_HORIZONTE, assert_refusal};
use serde_json::{Value, json};
use tests::bodies::nfe;
use tests::{TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
const PRE_FLIGHT: &str = "/api/v1/reforma/eventos/pre-validar";

on_sqlite! {
    async fn the_catalogue_has_the_events_that_the_hub_reads(app: TestApp) {
        let catalogue = app.get("/api/v1/reforma/eventos/catalogo").await;
        assert_eq!(catalogue.status, 200, "{}", catalogue.text);
        let kinds = catalogue.body["itens"].as_array().expect("a list");
        let of_code = fiscal::nfe::event::catalogue();
        assert_eq!(kinds.len(), of_code.iter().filter(|kind| kind.reforma).count());
        let paid = kinds.iter().find(|kind| kind["tipo_evento"] == "112110").expect("the event");
        assert_eq!((&paid["autor"], &paid["nota_tecnica"], &paid["envia"]), (&json!("emitente"), &json!("2025.002"), &json!(true)), "{paid}");
        assert_eq!((&paid["campos"][0]["nome"], &paid["campos"][0]["tipo"]), (&json!("quitacao"), &json!("opcao")), "{paid}");
        let all = app.get("/api/v1/reforma/eventos/catalogo?todos=1").await;
        assert_eq!(all.body["itens"].as_array().map(Vec::len), Some(of_code.len()));
        assert_refusal(&app.get("/api/v1/reforma/eventos/catalogo?todos=2").await, "400 parametro_invalido");
        assert_eq!(app.balance().await, (200, 0), "it is free");
    }
}

/// The note of a company that has no certificate (any more).
async fn issued(app: &TestApp) -> String {
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let answer = app.post("/api/v1/nfe", &nfe()).await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    answer.text_at("/nota_id").to_owned()
}

async fn judged(app: &TestApp, body: &Value) -> Value {
    let answer = app.post(PRE_FLIGHT, body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

on_sqlite! {
    async fn an_event_is_judged_and_not_sent(app: TestApp) {
        let nota = issued(&app).await;
        let before = app.balance().await;
        let sent = app.app.simulator.sim.notas().len();
        let good = json!({ "ref": nota, "tipo_evento": "112110", "dados": { "quitacao": "1" } });
        let answer = judged(&app, &good).await;
        assert_eq!((&answer["valido"], &answer["sequencia"], &answer["erros"]), (&json!(true), &json!(1), &json!([])), "{answer}");
        let wrong = json!({ "ref": nota, "tipo_evento": "112110", "dados": { "quitacao": "2", "zz": 1 } });
        let answer = judged(&app, &wrong).await;
        let fields: Vec<&str> = answer["erros"].as_array().expect("a list").iter().map(|error| error["campo"].as_str().expect("a path")).collect();
        assert_eq!(answer["valido"], false);
        for field in ["dados.quitacao", "dados.zz"] {
            assert!(fields.contains(&field), "{field}: {answer}");
        }
        // What sending refuses is what was told.
        let refused = app.post("/api/v1/nfe/eventos-reforma", &wrong).await;
        assert_refusal(&refused, "422 validacao_previa");
        assert_eq!(refused.body["campos"], answer["erros"]);
        assert_eq!(app.balance().await, before, "it is free");
        assert_eq!(app.app.simulator.sim.notas().len(), sent);
        let events = app.get(&format!("/api/v1/nfe/{nota}/eventos-reforma")).await;
        assert_eq!(events.body["itens"], json!([]), "nothing was kept");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_cancelled_note_takes_no_event(app: TestApp) {
        let nota = issued(&app).await;
        let cancelled = app.post("/api/v1/nfe/cancelar", &json!({ "ref": nota, "justificativa": "Mercadoria não saiu do estoque" })).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        let answer = judged(&app, &json!({ "ref": nota, "tipo_evento": "112110", "dados": { "quitacao": "1" } })).await;
        assert_eq!((&answer["valido"], &answer["erros"][0]["campo"], &answer["erros"][0]["codigo"]), (&json!(false), &json!("ref"), &json!("estado_invalido")), "{answer}");
        let unknown = app.post(PRE_FLIGHT, &json!({ "ref": nota, "tipo_evento": "110111" })).await;
        assert_refusal(&unknown, "400 parametro_invalido");
        let absent = app.post(PRE_FLIGHT, &json!({ "ref": "nfe_01KAEXEMPL0000000000000009", "tipo_evento": "112110" })).await;
        assert_refusal(&absent, "404 nao_encontrado");
    }
}
