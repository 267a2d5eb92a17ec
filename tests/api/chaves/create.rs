//! Making and listing keys.

use super::{CHAVES, conta, delete_as, key, key_by, listed, rotate};
use crate::common::{ask, ask_as, assert_refusal, stranger};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::{Answer, both, on_sqlite};

/// The names of the fields an answer complains about.
fn fields(answer: &Answer) -> Vec<&str> {
    let fields = answer.body["campos"].as_array().expect("fields");
    fields
        .iter()
        .filter_map(|field| field["campo"].as_str())
        .collect()
}

both! {
    async fn a_key_is_shown_once_and_works(app: TestApp) {
        let made = key(&app, json!({
            "nome": " Loja 7 ", "escopos": ["dados", "consulta", "dados"], "expira_em": "2099-01-01T00:00:00-03:00",
            "ips": ["127.0.0.0/8", "2001:DB8::1", "127.0.0.0/8", "::ffff:192.0.2.1"], "limite_diario": 100, "limite_mensal": 1000,
        })).await;
        let (chave, segredo) = (made.text_at("/chave"), made.text_at("/segredo"));
        assert!(chave.starts_with("svc_live_") && chave.ends_with(made.text_at("/final")), "{}", made.text);
        assert_eq!((made.text_at("/prefixo"), made.text_at("/final").len()), ("svc_live_", 4));
        assert_eq!(conta(&app, chave).await.status, 200);
        let pair = app.http().get(format!("{}/api/v1/conta", app.base_url)).header("x-api-key", chave).header("x-api-secret", segredo);
        assert_eq!(app.send(pair).await.status, 200);

        let shown = listed(&app, made.text_at("/id")).await;
        let mut expected = json!({
            "id": made.body["id"], "nome": "Loja 7", "tipo": "producao", "prefixo": "svc_live_", "final": made.body["final"],
            "status": "ativa", "escopos": ["consulta", "dados"], "ips": ["127.0.0.0/8", "2001:db8::1/128", "192.0.2.1/32"],
            "limite_diario": 100, "limite_mensal": 1000, "gasto_no_dia": 0, "gasto_no_mes": 0,
            "criada_em": made.body["criada_em"], "expira_em": "2099-01-01T03:00:00Z", "revogada_em": null, "substituida_por": null,
        });
        expected["ultimo_uso_em"] = shown["ultimo_uso_em"].clone();
        assert_eq!(shown, expected);
        let list = app.get(CHAVES).await;
        for secret in [chave, segredo, app.live_key.as_str(), app.test_key.as_str()] {
            assert!(!list.text.contains(secret), "{}", list.text);
            assert!(!list.text.contains(&secret[11..secret.len() - 4]), "{}", list.text);
        }
        assert!(!list.text.contains("digest"), "{}", list.text);

        let plain = key(&app, json!({ "tipo": "teste" })).await;
        assert!(plain.text_at("/chave").starts_with("svc_test_"));
        assert_eq!(plain.body["escopos"].as_array().map(Vec::len), Some(11), "all of them");
        for (member, value) in [("expira_em", Value::Null), ("limite_diario", Value::Null), ("gasto_no_dia", Value::Null), ("ips", json!([])), ("ultimo_uso_em", Value::Null)] {
            assert_eq!(plain.body[member], value, "{member}");
        }
    }
}

both! {
    async fn everything_that_is_wrong_is_told_at_once(app: TestApp) {
        let body = json!({
            "nome": " ", "tipo": "teste", "escopos": [], "expira_em": "2020-01-01T00:00:00Z", "ips": ["10.0.0.0/8", "loja", "10.0.0.0/40", "10.0.0.0/", "::ffff:10.0.0.0/104"],
            "limite_diario": -1, "limite_mensal": 1_000_000_001,
        });
        let answer = app.post(CHAVES, &body).await;
        assert_refusal(&answer, "400 parametro_invalido");
        assert_eq!(fields(&answer), ["nome", "escopos", "expira_em", "ips[1]", "ips[2]", "ips[3]", "ips[4]", "limite_diario", "limite_mensal"]);
        for (body, summary, field) in [
            (json!({ "tipo": "teste" }), "400 parametro_ausente", "nome"),
            (json!({ "nome": "x" }), "400 parametro_ausente", "tipo"),
            (json!({ "nome": "x", "tipo": "live" }), "400 parametro_invalido", "tipo"),
            (json!({ "nome": "x", "tipo": "teste", "escopos": ["tudo"] }), "400 parametro_invalido", "escopos[0]"),
            (json!({ "nome": "x", "tipo": "teste", "scopes": [] }), "400 campo_desconhecido", "scopes"),
            (json!({ "nome": "x", "tipo": "teste", "expira_em": "amanhã" }), "400 parametro_invalido", "expira_em"),
            (json!({ "nome": "x", "tipo": "teste", "limite_diario": "dez" }), "400 parametro_invalido", "limite_diario"),
            (json!({ "nome": "x".repeat(81), "tipo": "teste" }), "400 parametro_invalido", "nome"),
            (json!({ "nome": "x", "tipo": "teste", "ips": vec!["10.0.0.1"; 51] }), "400 parametro_invalido", "ips"),
        ] {
            let answer = app.post(CHAVES, &body).await;
            assert_refusal(&answer, summary);
            assert_eq!(fields(&answer), [field], "{body}");
        }
        let list = app.get(CHAVES).await;
        assert_eq!(list.body["itens"].as_array().map(Vec::len), Some(2), "nothing was made: {}", list.text);
    }
}

on_sqlite! {
    async fn a_key_gives_no_more_than_it_has(app: TestApp) {
        let few = key(&app, json!({ "escopos": ["chaves", "dados"] })).await;
        let few_key = few.text_at("/chave");
        let beyond = json!({ "nome": "Maior", "tipo": "producao", "escopos": ["dados", "emissao", "cofre"] });
        let answer = ask_as(&app, few_key, Method::POST, CHAVES, Some(&beyond)).await;
        assert_refusal(&answer, "403 sem_permissao");
        assert_eq!(answer.body["escopos"], json!(["emissao", "cofre"]));
        let heir = key_by(&app, few_key, json!({})).await;
        assert_eq!(heir.body["escopos"], json!(["dados", "chaves"]), "those of the key that asks");
        let all = key(&app, json!({})).await;
        let path = format!("{CHAVES}/{}/rotacionar", all.text_at("/id"));
        assert_refusal(&ask_as(&app, few_key, Method::POST, &path, None).await, "403 sem_permissao");

        let live = json!({ "nome": "Real", "tipo": "producao" });
        assert_refusal(&ask_as(&app, &app.test_key, Method::POST, CHAVES, Some(&live)).await, "403 chave_de_teste");
        key_by(&app, &app.test_key, json!({ "tipo": "teste" })).await;
        let seen = ask_as(&app, &app.test_key, Method::GET, CHAVES, None).await;
        let kinds: Vec<_> = seen.body["itens"].as_array().expect("items").iter().map(|item| item["tipo"].clone()).collect();
        assert_eq!(kinds, ["teste", "teste"], "a test key sees the test keys: {}", seen.text);
        assert_refusal(&ask_as(&app, &app.test_key, Method::POST, &path, None).await, "404 nao_encontrado");
        assert_refusal(&delete_as(&app, &app.test_key, all.text_at("/id")).await, "404 nao_encontrado");
    }
}

on_sqlite! {
    async fn a_key_with_an_end_or_addresses_gives_none_without(app: TestApp) {
        let end = "2099-01-01T00:00:00Z";
        let bound = key(&app, json!({ "expira_em": end, "ips": ["127.0.0.0/8", "10.1.0.0/16"] })).await;
        let mine = bound.text_at("/chave");
        let heir = key_by(&app, mine, json!({})).await;
        assert_eq!(heir.body["ips"], json!(["127.0.0.0/8", "10.1.0.0/16"]), "as its creator: {}", heir.text);
        assert_eq!(heir.body["expira_em"], bound.body["expira_em"]);
        let narrower = key_by(&app, mine, json!({ "expira_em": "2098-01-01T00:00:00Z", "ips": ["10.1.2.0/24"] })).await;
        assert_eq!(narrower.body["ips"], json!(["10.1.2.0/24"]));
        for more in [
            json!({ "expira_em": "2099-01-02T00:00:00Z" }),
            json!({ "ips": ["10.0.0.0/8"] }),
            json!({ "ips": ["10.1.0.0/16", "192.0.2.1"] }),
            json!({ "ips": ["0.0.0.0/0"] }),
        ] {
            let mut body = json!({ "nome": "Mais", "tipo": "producao" });
            body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
            assert_refusal(&ask_as(&app, mine, Method::POST, CHAVES, Some(&body)).await, "403 sem_permissao");
        }
        // Nor by taking the place of one that has more; its own place, yes.
        let free = key(&app, json!({})).await;
        let path = |id: &str| format!("{CHAVES}/{id}/rotacionar");
        assert_refusal(&ask_as(&app, mine, Method::POST, &path(free.text_at("/id")), None).await, "403 sem_permissao");
        assert_eq!(ask_as(&app, mine, Method::POST, &path(bound.text_at("/id")), None).await.status, 201);
    }
}

on_sqlite! {
    async fn keys_belong_to_an_account_which_has_only_so_many(app: TestApp) {
        let other = stranger(&app).await;
        let mine = key(&app, json!({})).await;
        let path = format!("{CHAVES}/{}/rotacionar", mine.text_at("/id"));
        assert_refusal(&ask_as(&app, &other.live_key, Method::POST, &path, None).await, "404 nao_encontrado");
        assert_refusal(&delete_as(&app, &other.live_key, mine.text_at("/id")).await, "404 nao_encontrado");
        let theirs = ask_as(&app, &other.live_key, Method::GET, CHAVES, None).await;
        assert_eq!(theirs.body["itens"].as_array().map(Vec::len), Some(2), "{}", theirs.text);

        let most = app.app.config.accounts.keys;
        for _ in 4..most {
            key(&app, json!({ "tipo": "teste" })).await;
        }
        let full = key(&app, json!({ "tipo": "teste" })).await;
        let one_more = json!({ "nome": "Demais", "tipo": "teste" });
        assert_refusal(&app.post(CHAVES, &one_more).await, "409 estado_invalido");
        assert_eq!(rotate(&app, mine.text_at("/id"), &json!({})).await.status, 201, "a full house still rotates");
        for id in [full.text_at("/id"), mine.text_at("/id")] {
            assert_eq!(delete_as(&app, &app.live_key, id).await.status, 204);
        }
        assert_eq!(app.post(CHAVES, &one_more).await.status, 201, "revoked keys do not count");
        let page = ask(&app, Method::GET, &format!("{CHAVES}?limite=60"), None).await;
        assert_eq!(page.body["tem_mais"], true);
        let next = ask(&app, Method::GET, &format!("{CHAVES}?limite=60&cursor={}", page.text_at("/proximo_cursor")), None).await;
        let count = |answer: &Answer| answer.body["itens"].as_array().map_or(0, Vec::len);
        assert_eq!((count(&page), count(&next)), (60, usize::try_from(most).expect("small") + 2 - 60));
        assert_refusal(&app.get("/api/v1/chaves?tipo=teste").await, "400 campo_desconhecido");
    }
}

on_sqlite! {
    async fn the_last_use_is_told_to_the_minute(app: TestApp) {
        let made = key(&app, json!({})).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        assert_eq!(listed(&app, id).await["ultimo_uso_em"], Value::Null);
        app.stop_clock();
        conta(&app, chave).await;
        app.calls_logged().await;
        let first = listed(&app, id).await["ultimo_uso_em"].clone();
        assert!(first.is_string());
        app.ahead_ms.fetch_add(20_000, Ordering::Relaxed);
        conta(&app, chave).await;
        app.calls_logged().await;
        assert_eq!(listed(&app, id).await["ultimo_uso_em"], first, "one write a minute");
        app.ahead_ms.fetch_add(41_000, Ordering::Relaxed);
        conta(&app, chave).await;
        app.calls_logged().await;
        let later = listed(&app, id).await["ultimo_uso_em"].clone();
        assert!(later.as_str() > first.as_str(), "{later} after {first}");
    }
}
