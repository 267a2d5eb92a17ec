//! POST /api/v1/nfse/roteamento

use crate::common::{BELO_HORIZONTE, ask, assert_refusal, cnpj, profile};
use reqwest::Method;
use serde_json::json;
use tests::bodies::with;
use tests::on_sqlite;

const PATH: &str = "/api/v1/nfse/roteamento";

on_sqlite! {
    async fn the_way_depends_on_city_regime_and_day(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let now = app.post(PATH, &json!({})).await;
        assert_eq!(now.status, 200, "{}", now.text);
        assert_eq!((now.text_at("/via"), &now.body["emissao_pela_api"]), ("nacional", &json!(true)));
        assert!(!now.text_at("/motivo").is_empty());
        let before = app.post(PATH, &json!({ "emitente_id": id, "data_competencia": "2025-06-30" })).await;
        assert_eq!(before.text_at("/via"), "municipal", "{}", before.text);
        assert_eq!(before.body["emissao_pela_api"], false, "an old system without an adapter: {}", before.text);

        // São Paulo has a system of its own; the Simples goes by the national one.
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        ask(&app, Method::PUT, &path, Some(&profile("3550308"))).await;
        let normal = app.post(PATH, &json!({})).await;
        assert_eq!(normal.text_at("/via"), "municipal", "{}", normal.text);
        ask(&app, Method::PUT, &path, Some(&with(profile("3550308"), "/regime", "simples_nacional"))).await;
        let simples = app.post(PATH, &json!({ "data_competencia": "2026-11-01" })).await;
        assert_eq!((simples.text_at("/via"), simples.text_at("/regime")), ("nacional", "simples_me_epp"), "{}", simples.text);
    }
}

on_sqlite! {
    async fn wrong_questions_are_refused(app: TestApp) {
        assert_refusal(&app.post(PATH, &json!({})).await, "400 parametro_ausente");
        app.post("/api/v1/emitters", &json!({ "cnpj": cnpj("11444777") })).await;
        assert_refusal(&app.post(PATH, &json!({})).await, "422 perfil_fiscal_incompleto");
        for (body, summary) in [
            (json!({ "data_competencia": "ontem" }), "400 parametro_invalido"),
            (json!({ "via": "aerea" }), "400 parametro_invalido"),
            (json!({ "emitente_id": "emi_x" }), "404 nao_encontrado"),
            (json!({ "cidade": "x" }), "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.post(PATH, &body).await, summary);
        }
    }
}
