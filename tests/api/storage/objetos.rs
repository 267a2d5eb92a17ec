//! What is put is listed, fetched by a link, replaced and deleted.

use super::{PATH, content, fetch, files, link, put, put_with, uso};
use crate::common::{ask, ask_as, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::both;

both! {
    async fn what_is_put_can_be_fetched(app: TestApp) {
        assert_eq!(uso(&app).await, (0, 0));
        let kept = put(&app, "notas/2026/ol%C3%A1.txt", "conteúdo").await;
        assert_eq!(kept.status, 201, "{}", kept.text);
        assert_eq!((kept.text_at("/caminho"), kept.text_at("/tipo"), &kept.body["bytes"]), ("notas/2026/olá.txt", "text/plain", &json!(9)));
        assert_eq!(kept.text_at("/sha256"), flow::hex(&openssl::sha::sha256("conteúdo".as_bytes())));
        assert_eq!(uso(&app).await, (9, 1));
        assert_eq!(files(&app).len(), 1);

        let shown = app.get(&format!("{PATH}/notas/2026/ol%C3%A1.txt")).await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        let (url, expires) = (shown.text_at("/url").to_owned(), shown.text_at("/expira_em").to_owned());
        let left = base::when::parse(&expires).map(|at| base::when::ms(at) - app.app.now_ms()).expect("a moment");
        assert!((290_000..=300_000).contains(&left), "{left}");
        assert!(!url.contains("notas") && !url.contains(app.account_id.as_str()), "a link tells nothing: {url}");
        let file = fetch(&app, &url).await;
        assert_eq!((file.status, file.text.as_str()), (200, "conteúdo"));
        for (name, value) in [
            ("content-type", "text/plain"), ("content-length", "9"), ("x-content-type-options", "nosniff"), ("cache-control", "no-store"),
            ("content-security-policy", "default-src 'none'; sandbox"), ("content-disposition", "attachment; filename=\"ol_.txt\"; filename*=UTF-8''ol%C3%A1.txt"),
        ] {
            assert_eq!(file.header(name), value, "{name}");
        }

        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().expect("client");
        let redirected = client.get(format!("{}{PATH}/notas/2026/ol%C3%A1.txt?redirecionar=1", app.base_url)).bearer_auth(&app.test_key);
        let redirected = app.send(redirected).await;
        assert_eq!(redirected.status, 302, "both kinds of keys share the space");
        assert_eq!(fetch(&app, redirected.header("location")).await.text, "conteúdo");
        assert_refusal(&app.get(&format!("{PATH}/notas/2026/ol%C3%A1.txt?redirecionar=2")).await, "400 parametro_invalido");

        let gone = ask(&app, Method::DELETE, &format!("{PATH}/notas/2026/ol%C3%A1.txt"), None).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        assert_eq!((uso(&app).await, files(&app).len()), ((0, 0), 0));
        for method in [Method::GET, Method::DELETE] {
            assert_refusal(&ask(&app, method, &format!("{PATH}/notas/2026/ol%C3%A1.txt"), None).await, "404 nao_encontrado");
        }
        assert_refusal(&fetch(&app, &url).await, "404 nao_encontrado");
        app.check_invariants().await;
    }
}

both! {
    async fn an_object_is_replaced_whole(app: TestApp) {
        put(&app, "a", "primeiro").await;
        let url = link(&app, "a").await;
        let again = put_with(&app, &app.test_key, "a", &[("content-type", "application/pdf")], "dois").await;
        assert_eq!((again.status, again.text_at("/tipo")), (201, "application/pdf"), "{}", again.text);
        assert_eq!((uso(&app).await, files(&app).len()), ((4, 1), 1));
        let file = fetch(&app, &url).await;
        assert_eq!((file.text.as_str(), file.header("content-type"), file.header("content-length")), ("dois", "application/pdf", "4"), "the link is to the object");
        // Nothing is as good as something, and it has no type.
        let empty = put_with(&app, &app.live_key, "a", &[], "").await;
        assert_eq!((empty.status, empty.text_at("/tipo"), &empty.body["bytes"]), (201, "application/octet-stream", &json!(0)), "{}", empty.text);
        assert_eq!((uso(&app).await, content(&app, "a").await), ((0, 1), String::new()));
        app.check_invariants().await;
    }
}

both! {
    async fn only_what_is_new_is_kept_when_that_is_asked(app: TestApp) {
        let new = [("if-none-match", "*")];
        let answers = futures::future::join_all((0..6).map(|n| put_with(&app, &app.live_key, "um/so", &new, n.to_string()))).await;
        let kept: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert_eq!(kept.len(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            assert_refusal(answer, "412 versao_desatualizada");
        }
        assert_eq!((uso(&app).await, files(&app).len()), ((1, 1), 1));
        for other in ["\"1\"", "", "**"] {
            assert_refusal(&put_with(&app, &app.live_key, "um/so", &[("if-none-match", other)], "x").await, "400 parametro_invalido");
        }
        assert_eq!(uso(&app).await, (1, 1));
    }
}

both! {
    async fn objects_are_listed_by_prefix(app: TestApp) {
        for caminho in ["a/1", "a/2", "A/3", "b/a/4", "a_%25/5"] {
            assert_eq!(put(&app, caminho, caminho).await.status, 201);
        }
        for (query, expected) in [
            ("", vec!["a_%/5", "b/a/4", "A/3", "a/2", "a/1"]),
            ("?prefixo=a/", vec!["a/2", "a/1"]),
            ("?prefixo=A", vec!["A/3"]),
            ("?prefixo=a_%25", vec!["a_%/5"]),
            ("?prefixo=%25", vec![]),
            ("?prefixo=a/1", vec!["a/1"]),
            ("?prefixo=..", vec![]),
        ] {
            let answer = app.get(&format!("{PATH}{query}")).await;
            let items = answer.body["itens"].as_array().cloned().unwrap_or_default();
            let found: Vec<_> = items.iter().filter_map(|item| item["caminho"].as_str()).collect();
            assert_eq!(found, expected, "{query}: {}", answer.text);
        }
        let first = app.get(&format!("{PATH}?prefixo=a&limite=2")).await;
        assert_eq!((&first.body["tem_mais"], first.text_at("/itens/1/caminho")), (&json!(true), "a/2"), "{}", first.text);
        let cursor = first.text_at("/proximo_cursor");
        let next = app.get(&format!("{PATH}?prefixo=a&limite=2&cursor={cursor}")).await;
        assert_eq!((&next.body["tem_mais"], next.text_at("/itens/0/caminho")), (&json!(false), "a/1"), "{}", next.text);
        assert_refusal(&app.get(&format!("{PATH}?prefixo=b&cursor={cursor}")).await, "400 parametro_invalido");
        assert_refusal(&app.get(&format!("{PATH}?pasta=a")).await, "400 campo_desconhecido");
        let uso = app.get("/api/v1/storage/uso").await;
        assert_eq!((&uso.body["objetos"], &uso.body["cobrado"], &uso.body["preco"]), (&json!(5), &json!(false), &Value::Null));
        assert_eq!((&uso.body["limite_bytes"], &uso.body["livre_bytes"]), (&json!(1_i64 << 30), &json!((1_i64 << 30) - 21)));
        assert_eq!(app.get("/api/v1/conta").await.body["limites"]["objetos_bytes"], 50 << 20);
    }
}

both! {
    async fn a_link_is_good_for_one_object_until_its_moment(app: TestApp) {
        put(&app, "a", "meu").await;
        put(&app, "b", "outro").await;
        let (url, other) = (link(&app, "a").await, link(&app, "b").await);
        let (head, signature) = url.split_once("assinatura=").expect("a signature");
        let expires: i64 = head.split_once("expira=").and_then(|(_, text)| text.trim_end_matches('&').parse().ok()).expect("a moment");
        let id = |url: &str| url.split('/').next_back().and_then(|rest| rest.split('?').next()).unwrap_or_default().to_owned();
        let last = if signature.ends_with('0') { "1" } else { "0" };
        for forged in [
            url.replace(&format!("expira={expires}"), &format!("expira={}", expires + 1)),
            url.replace(&format!("expira={expires}"), &format!("expira=0{expires}x")),
            url.replace(&id(&url), &id(&other)),
            url.replace(&id(&url), "obj_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            format!("{head}assinatura={}", "0".repeat(64)),
            format!("{head}assinatura={}{last}", &signature[..63]),
            format!("{head}assinatura={}", &signature[..63]),
            format!("{head}assinatura={}", signature.to_uppercase()),
            format!("/api/v1/storage/arquivos/{}?expira={expires}", id(&url)),
            format!("/api/v1/storage/arquivos/{}", id(&url)),
            // The link of an export is signed for something else.
            format!("/api/v1/documentos/exportacoes/{}/arquivo?{}", id(&url), url.split_once('?').expect("query").1),
        ] {
            assert_refusal(&fetch(&app, &forged).await, "404 nao_encontrado");
        }
        assert_eq!(fetch(&app, &url).await.text, "meu");
        // It is no key: nothing but this can be done with it.
        let deleted = app.send(app.http().delete(format!("{}{url}", app.base_url))).await;
        assert_refusal(&deleted, "405 metodo_nao_permitido");
        app.ahead_ms.fetch_add(240_000, Ordering::Relaxed);
        assert_eq!(fetch(&app, &url).await.status, 200);
        app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
        assert_refusal(&fetch(&app, &url).await, "410 link_expirado");
        assert_refusal(&ask_as(&app, &app.live_key, Method::GET, &url, None).await, "410 link_expirado");
    }
}
