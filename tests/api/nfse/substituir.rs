//! POST /api/v1/nfse/substituir

use crate::common::{BELO_HORIZONTE, ask, assert_refusal, cnpj};
use reqwest::Method;
use serde_json::json;
use tests::bodies::{nfse, with};
use tests::{both, on_sqlite};

const PATH: &str = "/api/v1/nfse/substituir";

both! {
    async fn the_new_note_replaces_the_old_one(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let old = app.post("/api/v1/nfse", &nfse()).await;
        let (old_id, old_chave) = (old.text_at("/nota_id"), old.text_at("/chave"));
        let replacement = json!({ "chave": old_chave, "motivo": "99", "justificativa": "Descrição do serviço corrigida." });
        let body = with(with(nfse(), "/valores/servico", 1600), "/substitui", replacement);
        let new = app.post(PATH, &body).await;
        assert_eq!(new.summary(), "201 autorizada", "{}", new.text);
        assert_eq!(new.text_at("/substitui"), old_id);
        assert_eq!(app.balance().await, (192, 0));
        let replaced = app.get(&format!("/api/v1/documentos/{old_id}")).await;
        assert_eq!(replaced.summary(), "200 cancelada");
        assert_eq!(replaced.text_at("/substituida_por"), new.text_at("/nota_id"));
        let again = app.post(PATH, &body).await;
        assert_refusal(&again, "409 estado_invalido");
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_replacement_needs_a_note_to_replace(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        assert_refusal(&app.post(PATH, &nfse()).await, "400 parametro_ausente");
        let unknown = json!({ "chave": "9".repeat(50), "motivo": "99", "justificativa": "Descrição do serviço corrigida." });
        let answer = app.post(PATH, &with(nfse(), "/substitui", unknown)).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(answer.text_at("/campos/0/campo"), "substitui.chave", "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn no_note_of_another_environment_is_replaced(app: TestApp) {
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{emitter}");
        let change = json!({ "ambiente": "homologacao" });
        assert_eq!(ask(&app, Method::PATCH, &path, Some(&change)).await.status, 200);
        let old = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!((old.summary().as_str(), old.text_at("/ambiente")), ("201 autorizada", "homologacao"), "{}", old.text);
        let change = json!({ "ambiente": "producao" });
        assert_eq!(ask(&app, Method::PATCH, &path, Some(&change)).await.status, 200);
        let replacement = json!({ "chave": old.text_at("/chave"), "motivo": "99", "justificativa": "Descrição do serviço corrigida." });
        let body = with(nfse(), "/substitui", replacement);
        for key in [&app.test_key, &app.live_key] {
            let answer = app.post_as(key, PATH, &body, None).await;
            assert_refusal(&answer, "422 validacao_previa");
            assert_eq!(answer.text_at("/campos/0/campo"), "substitui.chave", "{}", answer.text);
        }
        let still = app.get(&format!("/api/v1/documentos/{}", old.text_at("/nota_id"))).await;
        assert_eq!(still.summary(), "200 autorizada");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn without_a_motive_the_national_layout_wants_a_reason(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let old = app.post("/api/v1/nfse", &nfse()).await;
        let replacement = json!({ "chave": old.text_at("/chave") });
        let answer = app.post(PATH, &with(nfse(), "/substitui", replacement)).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(answer.text_at("/campos/0/campo"), "substitui.justificativa", "{}", answer.text);
        assert_eq!(app.balance().await, (196, 0), "only the old note is paid");
    }
}
