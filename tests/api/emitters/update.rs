//! PATCH /api/v1/emitters/{id}

use crate::common::{ask, assert_refusal, cnpj};
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, TestApp, on_sqlite};

async fn created(app: &TestApp, root: &str) -> String {
    let answer = app
        .post("/api/v1/emitters", &json!({ "cnpj": cnpj(root) }))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.text_at("/id").to_owned()
}

async fn patch(app: &TestApp, id: &str, body: &Value, if_match: &str) -> Answer {
    let request = app
        .http()
        .patch(format!("{}/api/v1/emitters/{id}", app.base_url))
        .bearer_auth(&app.live_key);
    app.send(
        request
            .header("content-type", "application/json")
            .header("if-match", if_match)
            .body(body.to_string()),
    )
    .await
}

on_sqlite! {
    async fn a_change_needs_the_version_that_was_read(app: TestApp) {
        let id = created(&app, "11444777").await;
        let first = patch(&app, &id, &json!({ "apelido": "Matriz", "ambiente": "producao" }), "\"1\"").await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!((first.text_at("/apelido"), first.text_at("/ambiente")), ("Matriz", "producao"));
        assert_eq!(first.header("etag"), "\"2\"");
        for stale in ["\"1\"", "\"3\"", "2", "W/\"2\"", "", "\u{e9}"] {
            let answer = patch(&app, &id, &json!({ "apelido": "Outra" }), stale).await;
            assert_refusal(&answer, "412 versao_desatualizada");
        }
        let list = patch(&app, &id, &json!({ "apelido": "Filial" }), "\"1\", \"2\"").await;
        assert_eq!(list.text_at("/apelido"), "Filial", "{}", list.text);
        let any = patch(&app, &id, &json!({ "apelido": "Loja" }), "*").await;
        assert_eq!(any.header("etag"), "\"4\"", "{}", any.text);
        let without = ask(&app, Method::PATCH, &format!("/api/v1/emitters/{id}"), Some(&json!({ "padrao": false }))).await;
        assert_eq!(without.body["padrao"], false, "{}", without.text);
    }
}

on_sqlite! {
    async fn the_default_moves(app: TestApp) {
        let (one, two) = (created(&app, "11444777").await, created(&app, "22444777").await);
        let moved = patch(&app, &two, &json!({ "padrao": true }), "\"1\"").await;
        assert_eq!(moved.body["padrao"], true, "{}", moved.text);
        let old = app.get(&format!("/api/v1/emitters/{one}")).await;
        assert_eq!(old.body["padrao"], false);
        assert_eq!(old.header("etag"), "\"2\"", "what is shown changed, so did its version");
        let same = patch(&app, &two, &json!({ "padrao": true }), "\"2\"").await;
        assert_eq!(same.status, 200, "{}", same.text);
    }
}

on_sqlite! {
    async fn wrong_changes_are_refused(app: TestApp) {
        let id = created(&app, "11444777").await;
        for (body, summary) in [
            (json!({ "ambiente": "simulado" }), "400 parametro_invalido"),
            (json!({ "apelido": "" }), "400 parametro_invalido"),
            (json!({ "padrao": 1 }), "400 parametro_invalido"),
            (json!({ "cnpj": cnpj("22444777") }), "400 campo_desconhecido"),
        ] {
            assert_refusal(&patch(&app, &id, &body, "*").await, summary);
        }
        let nobody = ask(&app, Method::PATCH, "/api/v1/emitters/emi_01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(&json!({}))).await;
        assert_refusal(&nobody, "404 nao_encontrado");
        let shown = app.get(&format!("/api/v1/emitters/{id}")).await;
        assert_eq!(shown.header("etag"), "\"1\"");
    }
}
