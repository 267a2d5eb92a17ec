//! Walks the whole table of operations: what holds for each of them.

use crate::common::{ask, ask_as, assert_refusal};
use accounts::scopes::{Access, Scope, access};
use base::operations::{self, Operation};
use base::random::OsRandom;
use reqwest::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{TestApp, both, on_sqlite};
use vault::apikey::{self, KeyKind};

/// An address of the operation, with an id nobody has.
fn address(row: &Operation) -> String {
    let parts = row.path.split('/').map(|part| {
        if part.starts_with('{') {
            "nada_01ARZ3NDEKTSV4RRFFQ69G5FAV"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn method(row: &Operation) -> Method {
    row.method.parse().expect("a method")
}

/// A live key of the test's account.
async fn key(app: &TestApp, change: serde_json::Value) -> tests::Answer {
    let mut body = json!({ "nome": "Uma chave", "tipo": "producao" });
    let members = body.as_object_mut().expect("object");
    members.extend(change.as_object().expect("object").clone());
    let made = ask(app, Method::POST, "/api/v1/chaves", Some(&body)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made
}

fn built(row: &Operation) -> bool {
    api::missing()
        .iter()
        .all(|missing| missing.operation != row.operation)
}

/// Wants a signature, and reads nothing without one.
const UNSIGNED: &str = "psp.aviso";

both! {
    async fn every_bad_key_is_told_what_is_wrong_with_it(app: TestApp) {
        app.release(&app.account_id).await;
        for row in operations::all().iter().filter(|row| row.auth == "key") {
            let url = format!("{}{}", app.base_url, address(row));
            let bare = app.send(app.http().request(method(row), &url)).await;
            assert_refusal(&bare, "401 nao_autenticado");
            assert_eq!(bare.header("www-authenticate"), "Bearer", "{}", row.operation);
            for malformed in ["svc_live_curta", "svc_test_", "x", "svc_live_0000000000000000000000000000000000000000000000"] {
                let answer = ask_as(&app, malformed, method(row), &address(row), None).await;
                assert_refusal(&answer, "401 chave_invalida");
            }
            let basic = app.send(app.http().request(method(row), &url).basic_auth(&app.live_key, Some(""))).await;
            assert_refusal(&basic, "401 chave_invalida");
        }
        let mut conn = app.app.db.read().await.expect("connection");
        let calls = store::tables::requests::list(&mut conn, &app.account_id, "", 10).await.expect("calls");
        assert!(calls.is_empty(), "nothing is written for an unknown caller");
        drop(conn);

        let unknown = apikey::generate(KeyKind::Live, &OsRandom).expect("key").expose().to_owned();
        let revoked = key(&app, json!({})).await;
        let gone = ask(&app, Method::DELETE, &format!("/api/v1/chaves/{}", revoked.text_at("/id")), None).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
        let expired = key(&app, json!({ "expira_em": base::when::rfc3339(app.app.now_ms() + 60_000) })).await;
        app.ahead_ms.store(61_000, Ordering::Relaxed);
        let elsewhere = key(&app, json!({ "ips": ["192.0.2.0/24"] })).await;
        // Of each scope, a key with nothing else and a key with all others.
        let mut scoped = Vec::new();
        for scope in Scope::ALL {
            let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
            scoped.push((scope, key(&app, json!({ "escopos": [scope] })).await, key(&app, json!({ "escopos": others })).await));
        }
        for row in operations::all() {
            let answer = |key: &str| {
                let (app, key, row) = (&app, key.to_owned(), row);
                async move { ask_as(app, &key, method(row), &address(row), None).await }
            };
            let access = access(row).expect("a scope");
            if access == Access::Public {
                // Nobody is asked: a bad key is not looked at.
                let public = answer(&unknown).await;
                if row.operation == UNSIGNED {
                    assert_refusal(&public, "401 assinatura_invalida");
                    continue;
                }
                assert!(!matches!(public.status, 401 | 403), "{}: {}", row.operation, public.text);
                continue;
            }
            for (key, summary) in [
                (unknown.as_str(), "401 chave_invalida"),
                (revoked.text_at("/chave"), "401 chave_revogada"),
                (expired.text_at("/chave"), "401 chave_expirada"),
                (elsewhere.text_at("/chave"), "403 ip_nao_autorizado"),
            ] {
                assert_refusal(&answer(key).await, summary);
            }
            for (scope, only, others) in &scoped {
                let asked = access == Access::Scope(*scope);
                if asked {
                    let refused = answer(others.text_at("/chave")).await;
                    assert_refusal(&refused, "403 sem_permissao");
                    assert_eq!(refused.text_at("/escopo"), scope.as_str(), "{}", row.operation);
                }
                if asked || (access == Access::AnyKey && *scope == Scope::Dados) {
                    let let_in = answer(only.text_at("/chave")).await;
                    assert!(!matches!(let_in.status, 401 | 403), "{}: {}", row.operation, let_in.text);
                }
            }
        }
        assert_eq!(app.balance().await, (200, 0), "nothing of this was charged");
        app.check_invariants().await;
    }
}

both! {
    async fn junk_is_refused_with_a_code_and_a_hint(app: TestApp) {
        app.release(&app.account_id).await;
        for row in operations::all() {
            let junk = json!({ "campo_que_ninguem_conhece": [1, "x"] });
            let takes_a_body = !matches!(row.method.as_str(), "GET" | "DELETE");
            // Any bytes are an object: its own tests have what it refuses.
            if row.operation == "storage.objetos.put" {
                continue;
            }
            let answer = ask(&app, method(row), &address(row), takes_a_body.then_some(&junk)).await;
            if !built(row) {
                assert_refusal(&answer, "501 em_construcao");
                continue;
            }
            assert!(answer.status < 500, "{}: {}", row.operation, answer.text);
            if takes_a_body || row.path.contains('{') {
                assert!((400..500).contains(&answer.status), "{}: {}", row.operation, answer.text);
            }
            if answer.status >= 400 {
                assert_refusal(&answer, &answer.summary());
            } else {
                assert_eq!(answer.status, 200, "{}", row.operation);
            }
            // What always refuses does not look at the body.
            let one = api::built().iter().find(|one| one.operation == row.operation);
            if one.is_some_and(|one| one.docs.always_refuses()) {
                continue;
            }
            for (media, body) in [("application/json", "{"), ("application/json", "7"), ("application/json", "null"), ("text/html", "{}")] {
                if takes_a_body {
                    let answer = crate::common::raw(&app, method(row), &address(row), media, body).await;
                    if row.operation == UNSIGNED {
                        assert_refusal(&answer, "401 assinatura_invalida");
                        continue;
                    }
                    assert!(matches!(answer.status, 400 | 415), "{} {body}: {}", row.operation, answer.text);
                    assert_refusal(&answer, &answer.summary());
                }
            }
        }
        assert_eq!(app.balance().await, (200, 0), "nothing of this was charged");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn unknown_addresses_and_methods_are_said(app: TestApp) {
        for path in ["/api", "/api/v1", "/api/v1/nfse/", "/api/v2/nfse", "/api/v1/nada", "/api/v1/emitters/a/b/c"] {
            assert_refusal(&ask(&app, Method::GET, path, None).await, "404 rota_inexistente");
        }
        for row in operations::all() {
            for method in [Method::TRACE, Method::PATCH, Method::DELETE, Method::PUT] {
                let mine = operations::all().iter().filter(|other| template(&other.path) == template(&row.path));
                if mine.clone().any(|other| other.method == method.as_str()) {
                    continue;
                }
                // A fixed address may also be read as one with an id.
                let answer = ask(&app, method.clone(), &address(row), None).await;
                if answer.status != 405 {
                    assert!(row.path.matches('{').count() == 0, "{method} {}: {}", row.path, answer.text);
                    continue;
                }
                assert_refusal(&answer, "405 metodo_nao_permitido");
                assert!(answer.header("allow").contains(&row.method), "{method} {}: allow = {:?}", row.path, answer.header("allow"));
            }
        }
    }
}

/// A path without the names of its parameters.
fn template(path: &str) -> String {
    path.split('/')
        .map(|part| if part.starts_with('{') { "{}" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}
