//! PATCH /api/v1/pessoas/{id}, and more addresses and telephones.

use super::{PATH, address, emitter, person, points, registered};
use crate::common::{ask, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::with;
use tests::{Answer, TestApp, both, on_sqlite};

async fn change(app: &TestApp, method: Method, path: &str, body: &Value, if_match: &str) -> Answer {
    let request = app
        .http()
        .request(method, format!("{}{path}", app.base_url))
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
        emitter(&app).await;
        let path = format!("{PATH}/{}", registered(&app, &person("11444777")).await);
        let first = change(&app, Method::PATCH, &path, &json!({ "nome": "Padaria Nova", "adicionar_papel": "fornecedor" }), "\"1\"").await;
        assert_eq!((first.status, first.header("etag")), (200, "\"2\""), "{}", first.text);
        assert_eq!(first.text_at("/nome"), "Padaria Nova");
        assert_eq!(first.text_at("/email"), "compras@padaria.example.com", "what is absent stays");
        assert_eq!(first.body["papeis"], json!(["tomador", "cliente", "fornecedor"]));
        for (method, path, body) in [
            (Method::PATCH, path.clone(), json!({ "nome": "Outra" })),
            (Method::POST, format!("{path}/enderecos"), address()),
            (Method::POST, format!("{path}/telefones"), json!({ "numero": "3133334444" })),
        ] {
            assert_refusal(&change(&app, method, &path, &body, "\"1\"").await, "412 versao_desatualizada");
        }
        let twice = change(&app, Method::PATCH, &path, &json!({ "adicionar_papel": "cliente" }), "\"2\"").await;
        assert_eq!(twice.body["papeis"], json!(["tomador", "cliente", "fornecedor"]), "{}", twice.text);
        let cleared = ask(&app, Method::PATCH, &path, Some(&json!({ "email": "", "ie": "", "im": " " }))).await;
        assert_eq!((&cleared.body["email"], &cleared.body["ie"], &cleared.body["im"]), (&Value::Null, &Value::Null, &Value::Null), "{}", cleared.text);
    }
}

on_sqlite! {
    async fn wrong_changes_change_nothing(app: TestApp) {
        emitter(&app).await;
        let path = format!("{PATH}/{}", registered(&app, &person("11444777")).await);
        let answer = ask(&app, Method::PATCH, &path, Some(&json!({ "nome": "", "email": "x", "ie": "110042490114" }))).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(points(&answer), ["nome tamanho_invalido", "ie ie_invalida", "email email_invalido"]);
        for (body, summary) in [
            (json!({ "cpf_cnpj": "52998224725" }), "400 campo_desconhecido"),
            (json!({ "adicionar_papel": "amigo" }), "400 parametro_invalido"),
            (json!({ "nome": 1 }), "400 parametro_invalido"),
        ] {
            assert_refusal(&ask(&app, Method::PATCH, &path, Some(&body)).await, summary);
        }
        assert_eq!(app.get(&path).await.header("etag"), "\"1\"");
        let nobody = ask(&app, Method::PATCH, &format!("{PATH}/pes_01ARZ3NDEKTSV4RRFFQ69G5FAV"), Some(&json!({}))).await;
        assert_refusal(&nobody, "404 nao_encontrado");
    }
}

both! {
    async fn one_address_is_the_principal_one(app: TestApp) {
        emitter(&app).await;
        let path = format!("{PATH}/{}", registered(&app, &person("11444777")).await);
        let principal = |answer: &Answer| -> Vec<bool> {
            let all = answer.body["enderecos"].as_array().cloned().unwrap_or_default();
            all.iter().map(|one| one["principal"] == true).collect()
        };
        let second = app.post(&format!("{path}/enderecos"), &with(address(), "/rotulo", "Depósito")).await;
        assert_eq!((second.status, principal(&second)), (200, vec![true, false]), "{}", second.text);
        // A company that moves: first the address, then the registration there.
        let moved = json!({ "cep": "01310100", "logradouro": "Avenida Paulista", "numero": "S/N", "bairro": "Bela Vista", "codigo_ibge": "3550308", "uf": "sp", "principal": true });
        let third = app.post(&format!("{path}/enderecos"), &moved).await;
        assert_eq!(principal(&third), [false, false, true], "{}", third.text);
        assert_eq!(third.text_at("/enderecos/2/uf"), "SP");
        let registered = ask(&app, Method::PATCH, &path, Some(&json!({ "ie": "110.042.490.114" }))).await;
        assert_eq!(registered.text_at("/ie"), "110042490114", "{}", registered.text);
        let wrong = app.post(&format!("{path}/enderecos"), &with(with(address(), "/uf", "SP"), "/cep", "x")).await;
        assert_eq!(points(&wrong), ["cep cep_invalido", "uf uf_divergente"], "{}", wrong.text);
    }
}

both! {
    async fn lists_have_an_end_and_lose_nothing(app: TestApp) {
        emitter(&app).await;
        let path = format!("{PATH}/{}", registered(&app, &person("11444777")).await);
        // Two are there; all at once, and each counts.
        let (place, phone) = (format!("{path}/telefones"), json!({ "numero": "0800 123 4567" }));
        let answers = futures::future::join_all((0..20).map(|_| app.post(&place, &phone))).await;
        let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
        assert_eq!((count(200), count(422)), (18, 2));
        let shown = app.get(&path).await;
        assert_eq!(shown.body["telefones"].as_array().map(Vec::len), Some(20));
        assert_eq!(shown.body["telefones"][19], json!({ "numero": "08001234567", "tipo": "outro" }));
        assert_eq!(shown.header("etag"), "\"19\"");
        for _ in 0..19 {
            assert_eq!(app.post(&format!("{path}/enderecos"), &address()).await.status, 200);
        }
        let full = app.post(&format!("{path}/enderecos"), &address()).await;
        assert_eq!(points(&full), ["enderecos limite"], "{}", full.text);
    }
}
