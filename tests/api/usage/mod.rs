//! /api/v1/usage

mod exchange;

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use serde_json::{Value, json};
use tests::bodies::{nfse, with};
use tests::{Answer, TestApp, both, on_sqlite};

/// What a call that was answered left in the log.
async fn call(app: &TestApp, request_id: &str) -> Answer {
    app.calls_logged().await;
    let answer = app
        .get(&format!("/api/v1/usage/chamadas/{request_id}"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

fn steps(answer: &Answer) -> Vec<&str> {
    let steps = answer.body["linha_do_tempo"]
        .as_array()
        .expect("a timeline");
    steps
        .iter()
        .filter_map(|step| step["etapa"].as_str())
        .collect()
}

both! {
    async fn a_period_adds_calls_and_credits(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        call(&app, note.text_at("/request_id")).await;
        let refused = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let refused = app.post("/api/v1/nfse", &refused).await;
        call(&app, refused.text_at("/request_id")).await;
        let by_operation = app.get("/api/v1/usage?agrupar=operacao").await;
        assert_eq!(by_operation.status, 200, "{}", by_operation.text);
        assert_eq!((&by_operation.body["saldo"], &by_operation.body["reservado"]), (&json!(196), &json!(0)));
        let items = by_operation.body["itens"].as_array().expect("items");
        let issued = items.iter().find(|item| item["chave_grupo"] == "nfse.create").expect("a group");
        assert_eq!(issued, &json!({ "chave_grupo": "nfse.create", "chamadas": 2, "debitado": 4, "devolvido": 4 }));
        let today = base::when::utc(app.app.now_ms()).date().to_string();
        let by_day = app.get("/api/v1/usage").await;
        assert_eq!(by_day.text_at("/periodo/ate"), today, "{}", by_day.text);
        assert_eq!(by_day.text_at("/itens/0/chave_grupo"), today);
        assert_eq!(by_day.body["itens"][0]["debitado"], 4);
        let before = app.get("/api/v1/usage?de=2026-01-01&ate=2026-01-31").await;
        assert_eq!((&before.body["itens"], &before.body["saldo"]), (&json!([]), &json!(196)), "{}", before.text);
        for (query, summary) in [
            ("agrupar=mes", "400 parametro_invalido"),
            ("de=ontem", "400 parametro_invalido"),
            ("de=2026-02-01&ate=2026-01-01", "400 parametro_invalido"),
            ("de=2020-01-01&ate=2026-01-01", "400 parametro_invalido"),
            ("desde=2026-01-01", "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.get(&format!("/api/v1/usage?{query}")).await, summary);
        }
    }
}

on_sqlite! {
    async fn a_call_is_told_from_key_to_answer(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let answer = call(&app, note.text_at("/request_id")).await;
        assert_eq!((answer.text_at("/operacao"), &answer.body["status"]), ("nfse.create", &json!(201)));
        assert_eq!(answer.text_at("/nota_id"), note.text_at("/nota_id"));
        assert_eq!(answer.body["x_error_code"], Value::Null);
        assert!(app.live_key.ends_with(answer.text_at("/chave_final").trim_start_matches("...")), "{}", answer.text);
        assert_eq!(answer.body["lancamentos"].as_array().map(Vec::len), Some(2), "{}", answer.text);
        let steps = steps(&answer);
        assert_eq!(steps.first(), Some(&"autenticado"));
        for step in ["validado", "reservado", "numerado", "enviado", "respondido_pela_autoridade", "debitado", "respondido"] {
            assert!(steps.contains(&step), "{step} is missing: {steps:?}");
        }
        assert!(!answer.text.contains(&app.live_key));
    }
}

on_sqlite! {
    async fn refused_and_cancelling_calls_show_their_own_movements(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let refused = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let refused = app.post("/api/v1/nfse", &refused).await;
        let told = call(&app, refused.text_at("/request_id")).await;
        assert_eq!(told.text_at("/x_error_code"), "rejeitada_pela_prefeitura");
        assert!(steps(&told).contains(&"devolvido"), "{}", told.text);
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let body = json!({ "ref": note.text_at("/nota_id"), "codigo_motivo": "outros", "justificativa": "Cancelamento de teste." });
        let cancelled = app.post("/api/v1/nfse/cancelar", &body).await;
        let told = call(&app, cancelled.text_at("/request_id")).await;
        let movements = told.body["lancamentos"].as_array().expect("movements");
        assert_eq!(movements.len(), 2, "its own, not the note's: {}", told.text);
        assert!(movements.iter().all(|one| one["operacao"] == "nfse.cancelar"), "{}", told.text);
        let found = app.post("/api/v1/fiscal/nfse/provedor", &json!({ "codigo_ibge": BELO_HORIZONTE })).await;
        let told = call(&app, found.text_at("/request_id")).await;
        assert_eq!(told.body["lancamentos"][0]["valor"], 4, "{}", told.text);
        let missing = app.get("/api/v1/documentos/nada").await;
        let told = call(&app, missing.text_at("/request_id")).await;
        assert_eq!((&told.body["lancamentos"], told.text_at("/x_error_code")), (&json!([]), "nao_encontrado"));

        let list = app.get("/api/v1/usage/chamadas?limite=100").await;
        let items = list.body["itens"].as_array().expect("items");
        let ids: Vec<&str> = items.iter().filter_map(|item| item["request_id"].as_str()).collect();
        for one in [&refused, &note, &cancelled, &found, &missing] {
            assert!(ids.contains(&one.text_at("/request_id")), "{}", list.text);
        }
        assert!(ids.is_sorted_by(|a, b| a > b), "newest first");
        assert_refusal(&app.get("/api/v1/usage/chamadas/req_nada").await, "404 nao_encontrado");
        assert_refusal(&app.get("/api/v1/usage/chamadas?status=200").await, "400 campo_desconhecido");
    }
}

both! {
    async fn keys_and_emitters_have_sums_of_their_own(app: TestApp) {
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let made = app.post("/api/v1/chaves", &json!({ "nome": "Loja 7", "tipo": "producao" })).await;
        let chave = made.text_at("/chave");
        let note = app.post_as(chave, "/api/v1/nfse", &nfse(), None).await;
        let refused = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        app.post_as(chave, "/api/v1/nfse", &refused, None).await;
        // Another key cancels: the note is of the emitter, the credits are of the key.
        let body = json!({ "ref": note.text_at("/nota_id"), "codigo_motivo": "outros", "justificativa": "Cancelamento de teste." });
        app.post("/api/v1/nfse/cancelar", &body).await;
        app.post("/api/v1/fiscal/nfse/provedor", &json!({ "codigo_ibge": BELO_HORIZONTE })).await;

        assert_eq!(call(&app, note.text_at("/request_id")).await.body["chave_id"], made.body["id"]);
        let by_key = app.get("/api/v1/usage?agrupar=chave").await;
        assert_eq!(by_key.text_at("/agrupar"), "chave", "{}", by_key.text);
        let items = by_key.body["itens"].as_array().expect("items");
        assert_eq!(items.len(), 2, "{}", by_key.text);
        let of = |id: &Value| items.iter().find(|item| item["chave_grupo"] == *id).expect("a group");
        let expected = json!({ "chave_grupo": made.body["id"], "chamadas": 2, "debitado": 4, "devolvido": 4, "nome": "Loja 7", "final": made.body["final"] });
        assert_eq!(of(&made.body["id"]), &expected);
        let first = items.iter().find(|item| item["chave_grupo"] != made.body["id"]).expect("a group");
        assert_eq!((&first["debitado"], &first["devolvido"]), (&json!(8), &json!(0)));
        assert!(app.live_key.ends_with(first["final"].as_str().expect("an end")));

        let by_emitter = app.get("/api/v1/usage?agrupar=emitente").await;
        let items = by_emitter.body["itens"].as_array().expect("items");
        let of = |id: Value| items.iter().find(|item| item["chave_grupo"] == id).expect("a group");
        assert_eq!(of(json!(emitter)), &json!({ "chave_grupo": emitter, "chamadas": 3, "debitado": 8, "devolvido": 4 }));
        assert_eq!(of(Value::Null)["debitado"], 4, "a look-up is nobody's: {}", by_emitter.text);
        let sums = |answer: &Answer| -> Vec<i64> {
            let items = answer.body["itens"].as_array().expect("items");
            ["debitado", "devolvido"].iter().map(|sum| items.iter().filter_map(|item| item[*sum].as_i64()).sum()).collect()
        };
        assert_eq!(sums(&by_key), sums(&by_emitter));
        let none = app.get("/api/v1/usage?agrupar=chave&de=2026-01-01&ate=2026-01-31").await;
        assert_eq!(none.body["itens"], json!([]), "{}", none.text);
    }
}
