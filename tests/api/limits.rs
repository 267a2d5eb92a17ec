//! Keys, pace and forms of answers: what is the same for every call.

use crate::common::assert_refusal;
use hub::demo::open_account;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{Answer, TestApp, both};

const PATH: &str = "/api/v1/conta";

async fn with_headers(app: &TestApp, headers: &[(&'static str, &str)]) -> Answer {
    let mut request = app.http().get(format!("{}{PATH}", app.base_url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.send(request).await
}

/// A live key of the test's account, with its secret.
async fn pair(app: &TestApp) -> (String, String) {
    let body = json!({ "nome": "Par", "tipo": "producao" });
    let made = app.post("/api/v1/chaves", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let text = |member| made.text_at(member).to_owned();
    (text("/chave"), text("/segredo"))
}

both! {
    async fn a_key_and_its_secret_are_as_good_as_a_bearer(app: TestApp) {
        let (key, secret) = pair(&app).await;
        let answer = with_headers(&app, &[("x-api-key", &key), ("x-api-secret", &secret)]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.text_at("/id"), app.account_id);
        let (other, other_secret) = pair(&app).await;
        let bearer = format!("Bearer {key}");
        let lower = format!("bearer {key}");
        let foreign = format!("Bearer {other}");
        for (headers, summary) in [
            (vec![("x-api-key", key.as_str())], "401 chave_invalida"),
            (vec![("x-api-key", &key), ("x-api-secret", "")], "401 chave_invalida"),
            (vec![("x-api-key", &key), ("x-api-secret", &other_secret)], "401 chave_invalida"),
            (vec![("x-api-key", &key), ("x-api-secret", &key)], "401 chave_invalida"),
            (vec![("x-api-secret", &secret)], "401 nao_autenticado"),
            (vec![("authorization", &foreign), ("x-api-key", &key), ("x-api-secret", &secret)], "401 chave_invalida"),
            (vec![("authorization", "Bearer")], "401 chave_invalida"),
            (vec![("authorization", &key)], "401 chave_invalida"),
            (vec![("authorization", &bearer), ("origin", "https://loja.example")], "403 sem_permissao"),
            (vec![("authorization", &bearer), ("accept", "text/html")], "406 formato_nao_aceito"),
        ] {
            let refused = with_headers(&app, &headers).await;
            assert_refusal(&refused, summary);
            assert!(!refused.text.contains(&key) && !refused.text.contains(&secret));
        }
        for headers in [
            vec![("authorization", bearer.as_str())],
            vec![("authorization", &lower)],
            vec![("authorization", &bearer), ("x-api-key", &key)],
            vec![("authorization", &bearer), ("accept", "text/html, application/json;q=0.5")],
        ] {
            assert_eq!(with_headers(&app, &headers).await.status, 200);
        }
    }
}

both! {
    async fn an_account_has_a_pace_and_is_told_about_it(app: TestApp) {
        let slow = open_account(&app.app, "Devagar", 30).await.expect("account");
        let bearer = format!("Bearer {}", slow.live_key);
        let ask = async || with_headers(&app, &[("authorization", &bearer)]).await;
        app.stop_clock();
        let first = ask().await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(first.header("ratelimit-policy"), "\"conta\";q=30;w=60");
        assert_eq!(first.header("ratelimit"), "\"conta\";r=29;t=2");
        assert_eq!((first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")), ("30", "29"));
        let mut passed = 1;
        let refused = loop {
            let answer = ask().await;
            if answer.status != 200 {
                break answer;
            }
            passed += 1;
            assert!(passed < 100, "never refused");
        };
        assert_eq!(passed, 30);
        assert_refusal(&refused, "429 limite_de_requisicoes");
        assert_eq!(refused.header("retry-after"), "2");
        assert_eq!(refused.header("x-ratelimit-remaining"), "0");
        assert_eq!(app.get(PATH).await.status, 200, "other accounts are not slowed down");
        app.ahead_ms.store(120_000, Ordering::Relaxed);
        let later = ask().await;
        assert_eq!((later.status, later.header("x-ratelimit-remaining")), (200, "29"), "{}", later.text);
        // A clock that was ahead and is right again keeps nobody out.
        app.ahead_ms.store(0, Ordering::Relaxed);
        let again = ask().await;
        assert_eq!((again.status, again.header("x-ratelimit-remaining")), (200, "29"), "{}", again.text);
    }
}

both! {
    async fn problems_are_told_in_the_standard_form_when_asked(app: TestApp) {
        let bearer = format!("Bearer {}", app.live_key);
        let request = app.http().get(format!("{}/api/v1/documentos/nada", app.base_url)).header("authorization", &bearer);
        let answer = app.send(request.header("accept", "application/problem+json")).await;
        assert_refusal(&answer, "404 nao_encontrado");
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert_eq!(answer.body["status"], 404);
        for member in ["/type", "/title", "/detail", "/instance"] {
            assert!(!answer.text_at(member).is_empty(), "{member}: {}", answer.text);
        }
        let plain = app.get("/api/v1/documentos/nada").await;
        assert_eq!(plain.header("content-type"), "application/json");
        for (name, value) in [("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-simulador", "1")] {
            assert_eq!(plain.header(name), value);
        }
    }
}
