//! POST /api/v1/emitters/batch

use crate::common::{PASSWORD, assert_refusal, certificado, cnpj, emitter_in, pfx, raw};
use reqwest::Method;
use serde_json::{Value, json};
use sim::pki::PfxFormat;
use tests::on_sqlite;

const PATH: &str = "/api/v1/emitters/batch";

on_sqlite! {
    async fn each_item_has_its_result(app: TestApp) {
        let (one, two, three) = (cnpj("11444777"), cnpj("22444777"), cnpj("33444777"));
        let expired = pfx(&app, &two, PfxFormat::Modern, (-400, -1));
        let body = json!({ "emitentes": [
            emitter_in(&app, &one),
            { "cnpj": two, "certificado": certificado(&expired, PASSWORD) },
            { "cnpj": three, "surpresa": null },
            7,
            { "cnpj": three },
        ] });
        let answer = app.post(PATH, &body).await;
        assert_eq!(answer.status, 207, "{}", answer.text);
        assert_eq!((&answer.body["criados"], &answer.body["falhas"]), (&json!(2), &json!(3)), "{}", answer.text);
        let items = answer.body["itens"].as_array().expect("items");
        let codes: Vec<_> = items.iter().map(|item| item["codigo"].as_str().unwrap_or("-")).collect();
        assert_eq!(codes, ["-", "certificado_vencido", "campo_desconhecido", "json_invalido", "-"]);
        for (index, item) in items.iter().enumerate() {
            assert_eq!(item["indice"], index);
            assert_eq!(item["sucesso"], item["codigo"].is_null());
            assert!(item["sucesso"] == true || item["dica"].is_string());
        }
        assert!(!answer.text.contains(PASSWORD));
        let list = app.get("/api/v1/emitters").await;
        assert_eq!(list.body["itens"].as_array().map(Vec::len), Some(2), "{}", list.text);
    }
}

on_sqlite! {
    async fn a_batch_has_one_to_fifty_items(app: TestApp) {
        for count in [0, 51] {
            let items: Vec<Value> = (0..count).map(|_| json!({ "cnpj": cnpj("11444777") })).collect();
            assert_refusal(&app.post(PATH, &json!({ "emitentes": items })).await, "422 limite_do_lote");
        }
        let fifty: Vec<Value> = (0..50).map(|n| json!({ "cnpj": cnpj(&format!("{:08}", 10_000_000 + n)) })).collect();
        let answer = app.post(PATH, &json!({ "emitentes": fifty })).await;
        assert_eq!(answer.status, 207, "{}", answer.text);
        assert_eq!(answer.body["criados"], 50, "{}", answer.text);
        assert_refusal(&app.post(PATH, &json!({})).await, "400 parametro_ausente");
        assert_refusal(&app.post(PATH, &json!({ "emitentes": {} })).await, "400 parametro_invalido");
        let misspelt = app.post(PATH, &json!({ "itens": [] })).await;
        assert_refusal(&misspelt, "400 parametro_ausente");
        assert_eq!((misspelt.text_at("/campos/0/campo"), misspelt.text_at("/campos/1/campo")), ("emitentes", "itens"));
    }
}

on_sqlite! {
    async fn a_batch_may_be_larger_than_other_bodies(app: TestApp) {
        // 2 MiB: above the limit of JSON, below that of certificates.
        let padding = " ".repeat(2 << 20);
        let body = format!("{{\"emitentes\":[{{\"cnpj\":\"{}\"}}]{padding}}}", cnpj("11444777"));
        let answer = raw(&app, Method::POST, PATH, "application/json", body).await;
        assert_eq!(answer.status, 207, "{}", answer.text);
        let huge = raw(&app, Method::POST, PATH, "application/json", vec![b' '; (10 << 20) + 1]).await;
        assert_refusal(&huge, "413 corpo_grande_demais");
    }
}
