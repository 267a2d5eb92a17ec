//! POST /api/v1/nfse/criar and /api/v1/nfse/emitir

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use serde_json::json;
use tests::bodies::{nfse, with};
use tests::{both, on_sqlite};

const CRIAR: &str = "/api/v1/nfse/criar";
const EMITIR: &str = "/api/v1/nfse/emitir";

both! {
    async fn a_draft_takes_nothing_and_is_issued_once(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post(CRIAR, &with(nfse(), "/referencia", "fat-1")).await;
        assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
        assert_eq!(draft.body["rps"], json!(null));
        assert_eq!((&draft.body["consumiu_numero_fiscal"], &draft.body["consumiu_credito"]), (&json!(false), &json!(false)));
        assert_eq!(app.balance().await, (200, 0));
        let id = draft.text_at("/nota_id");

        let issued = app.post(EMITIR, &json!({ "nota_id": id })).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        assert_eq!(issued.text_at("/nota_id"), id);
        assert_eq!(issued.text_at("/referencia"), "fat-1");
        assert_eq!(issued.body["rps"]["numero"], 1);
        assert_eq!(app.balance().await, (196, 0));

        let again = app.post(EMITIR, &json!({ "nota_id": id })).await;
        assert_eq!(again.summary(), "200 autorizada", "{}", again.text);
        assert_eq!(again.text_at("/chave"), issued.text_at("/chave"));
        assert_eq!(app.balance().await, (196, 0), "issued once, charged once");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn issuing_a_draft_at_the_same_time_gives_one_note(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post(CRIAR, &nfse()).await;
        let body = json!({ "nota_id": draft.text_at("/nota_id") });
        let answers = futures::future::join_all((0..4).map(|_| app.post(EMITIR, &body))).await;
        for answer in &answers {
            assert!(matches!(answer.status, 200 | 201 | 409), "{}", answer.text);
        }
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_refused_draft_does_not_come_back(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post(CRIAR, &with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }))).await;
        assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
        let body = json!({ "nota_id": draft.text_at("/nota_id") });
        assert_refusal(&app.post(EMITIR, &body).await, "422 rejeitada_pela_prefeitura");
        assert_refusal(&app.post(EMITIR, &body).await, "409 estado_invalido");
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn drafts_are_checked_like_notes(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        for (body, summary) in [
            (with(nfse(), "/tomador/cpf_cnpj", "11222333000100"), "422 validacao_previa"),
            (with(nfse(), "/surpresa", 1), "400 campo_desconhecido"),
            (with(nfse(), "/valores/servico", "mil"), "400 parametro_invalido"),
        ] {
            assert_refusal(&app.post(CRIAR, &body).await, summary);
        }
        assert_refusal(&app.post(EMITIR, &json!({ "nota_id": "nfse_01ARZ3NDEKTSV4RRFFQ69G5FAV" })).await, "404 nao_encontrado");
        assert_refusal(&app.post(EMITIR, &json!({})).await, "400 parametro_ausente");
        assert_refusal(&app.post(EMITIR, &json!({ "nota_id": 7 })).await, "400 parametro_invalido");
        let list = app.get("/api/v1/nfse").await;
        assert_eq!(list.body["itens"], json!([]), "nothing was stored");
    }
}

both! {
    async fn a_draft_is_stored_once_for_a_key(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let first = app.post_as(&app.live_key, CRIAR, &nfse(), Some("rascunho-1")).await;
        assert_eq!(first.summary(), "201 rascunho", "{}", first.text);
        let again = app.post_as(&app.live_key, CRIAR, &nfse(), Some("rascunho-1")).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"), "{}", again.text);
        assert_eq!(again.text_at("/nota_id"), first.text_at("/nota_id"));
        let other = with(nfse(), "/referencia", "outra");
        let refused = app.post_as(&app.live_key, CRIAR, &other, Some("rascunho-1")).await;
        assert_refusal(&refused, "422 chave_idempotencia_reutilizada");
        let path = format!("/api/v1/documentos/{}", first.text_at("/nota_id"));
        let deleted = app.send(app.http().delete(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key)).await;
        assert_eq!(deleted.status, 204, "{}", deleted.text);
        let new = app.post_as(&app.live_key, CRIAR, &nfse(), Some("rascunho-1")).await;
        assert_eq!((new.status, new.header("idempotent-replayed")), (201, ""), "{}", new.text);
        app.check_invariants().await;
    }
}
