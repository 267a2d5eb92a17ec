//! POST /api/v1/nfse

use serde_json::json;
use tests::bodies::{nfse, with};
use tests::{TestApp, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";

both! {
    async fn an_authorized_note_is_charged_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(answer.body["simulada"], true);
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 196 }));
        assert_eq!(answer.body["consumiu_numero_fiscal"], true);
        assert_eq!(answer.text_at("/chave").len(), 50);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_refused_note_returns_credit_and_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // The national rule E0713: this burden is only for Simples Nacional.
        let body = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let answer = app.post("/api/v1/nfse", &body).await;
        assert_eq!(answer.summary(), "422 rejeitada_pela_prefeitura", "{}", answer.text);
        assert_eq!(answer.header("x-error-code"), "rejeitada_pela_prefeitura");
        assert_eq!(answer.text_at("/rejeicao/codigo"), "E0713");
        assert!(answer.text_at("/rejeicao/motivo").contains("Simples") || !answer.text_at("/rejeicao/motivo").is_empty());
        assert_eq!(app.balance().await, (200, 0));
        let next = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(next.body["rps"]["numero"], 1, "the refused number is used again: {}", next.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_test_key_validates_and_costs_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post_as(&app.test_key, "/api/v1/nfse", &nfse(), None).await;
        assert_eq!(answer.summary(), "200 validada", "{}", answer.text);
        assert_eq!(answer.body["simulada"], true);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}
