//! Registering, changing and removing webhooks.

use super::{register, send};
use serde_json::json;
use tests::receiver::Receiver;
use tests::{both, on_sqlite};

on_sqlite! {
    async fn a_webhook_is_registered_shown_changed_and_removed(app: TestApp) {
        let receiver = Receiver::start().await;
        let body = json!({
            "url": receiver.url("/a?b=1"), "eventos": ["nfe.*", "dfe.recebida"], "descricao": "Loja",
            "cabecalhos": { "X-Loja": "1", "Authorization": "Bearer abc" },
        });
        let made = app.post("/api/v1/webhooks", &body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let (id, secret) = (made.text_at("/id"), made.text_at("/segredo"));
        assert!(id.starts_with("whk_") && secret.starts_with("whsec_") && secret.len() == 50, "{}", made.text);
        let shown = app.get(&format!("/api/v1/webhooks/{id}")).await;
        assert!(!shown.text.contains("whsec_"), "the secret is shown once: {}", shown.text);
        for member in ["url", "eventos", "descricao"] {
            assert_eq!(shown.body[member], body[member], "{member}");
        }
        assert_eq!(shown.body["cabecalhos"], json!({ "X-Loja": "***", "Authorization": "***" }), "{}", shown.text);
        assert_eq!((&shown.body["ativo"], &shown.body["emitente_ids"]), (&json!(true), &json!([])));
        let listed = app.get("/api/v1/webhooks").await;
        assert_eq!(listed.body["itens"][0]["id"], id);
        assert!(!listed.text.contains("whsec_"));

        let path = format!("/api/v1/webhooks/{id}");
        let changed = send(&app, "PATCH", &path, Some(&json!({ "descricao": "Outra", "eventos": ["*", "nfe.*", "*"] }))).await;
        assert_eq!((changed.status, &changed.body["descricao"], &changed.body["url"]), (200, &json!("Outra"), &body["url"]), "{}", changed.text);
        assert_eq!(changed.body["eventos"], json!(["*", "nfe.*"]), "each once");
        let request = app.http().patch(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key)
            .header("content-type", "application/json").header("if-match", shown.header("etag")).body("{\"ativo\":false}");
        assert_eq!(app.send(request).await.summary(), "412 versao_desatualizada");
        assert_eq!(send(&app, "DELETE", &path, None).await.status, 204);
        assert_eq!(app.get(&path).await.summary(), "404 nao_encontrado");
        assert_eq!(send(&app, "DELETE", &path, None).await.summary(), "404 nao_encontrado");
    }
}

on_sqlite! {
    async fn the_value_of_a_header_is_kept_and_never_shown(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = register(&app, &receiver, json!({ "cabecalhos": { "Authorization": "Bearer abc", "X-Loja": "1" } })).await;
        let path = format!("/api/v1/webhooks/{id}");
        let kept = json!({ "cabecalhos": { "authorization": "***", "X-Caixa": "9" } });
        let changed = send(&app, "PATCH", &path, Some(&kept)).await;
        assert_eq!(changed.body["cabecalhos"], json!({ "authorization": "***", "X-Caixa": "***" }), "{}", changed.text);
        send(&app, "POST", &format!("{path}/testar"), None).await;
        let got = receiver.until(1).await.remove(0);
        assert_eq!((got.header("authorization"), got.header("x-caixa")), ("Bearer abc", "9"));
        assert!(!got.headers.contains_key("x-loja"), "{:?}", got.headers);
        let unknown = send(&app, "PATCH", &path, Some(&json!({ "cabecalhos": { "X-Nova": "***" } }))).await;
        assert_eq!((unknown.summary(), &unknown.body["campos"][0]["campo"]), ("400 parametro_invalido".to_owned(), &json!("cabecalhos.X-Nova")), "{}", unknown.text);
        let twice = send(&app, "PATCH", &path, Some(&json!({ "cabecalhos": { "X-A": "1", "x-a": "2" } }))).await;
        assert_eq!((twice.summary(), &twice.body["campos"][0]["campo"]), ("400 parametro_invalido".to_owned(), &json!("cabecalhos.x-a")), "{}", twice.text);
        // Nobody has the values sent to a server of theirs.
        let other = Receiver::start().await;
        for (moved, field) in [
            (json!({ "url": other.url("/") }), "cabecalhos"),
            (json!({ "url": other.url("/"), "cabecalhos": { "authorization": "***" } }), "cabecalhos.authorization"),
        ] {
            let refused = send(&app, "PATCH", &path, Some(&moved)).await;
            assert_eq!((refused.summary(), &refused.body["campos"][0]["campo"]), ("400 parametro_invalido".to_owned(), &json!(field)), "{}", refused.text);
        }
        let moved = send(&app, "PATCH", &path, Some(&json!({ "url": other.url("/"), "cabecalhos": { "X-Loja": "2" } }))).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        send(&app, "POST", &format!("{path}/testar"), None).await;
        let got = other.until(1).await.remove(0);
        assert_eq!((got.header("x-loja"), got.headers.contains_key("authorization")), ("2", false), "{:?}", got.headers);
    }
}

both! {
    async fn everything_wrong_with_a_webhook_is_said_at_once(app: TestApp) {
        let refused = app.post("/api/v1/webhooks", &json!({
            "url": "ftp://exemplo.com.br", "eventos": ["nfe.autorizada", "nfe.explodiu", "nfe"], "emitente_ids": ["emi_nada"],
            "cabecalhos": { "Host": "x", "X-Webhook-Id": "x", "a b": "x", "X-Bom": "ok", "X-Linha": "a\r\nb: c" },
        })).await;
        assert_eq!(refused.summary(), "400 parametro_invalido", "{}", refused.text);
        let mut fields: Vec<&str> = refused.body["campos"].as_array().expect("fields").iter().filter_map(|field| field["campo"].as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["cabecalhos.Host", "cabecalhos.X-Linha", "cabecalhos.X-Webhook-Id", "cabecalhos.a b", "emitente_ids[0]", "eventos[1]", "eventos[2]", "url"]);
        assert_eq!(app.post("/api/v1/webhooks", &json!({ "eventos": ["*"] })).await.summary(), "400 parametro_ausente");
        let many = app.post("/api/v1/webhooks", &json!({ "url": "https://exemplo.com.br", "eventos": vec!["nada"; 51] })).await;
        assert_eq!((many.summary().as_str(), many.text_at("/campos/0/campo"), &many.body["campos"][1]), ("400 parametro_invalido", "eventos", &json!(null)), "{}", many.text);
        assert_eq!(app.get("/api/v1/webhooks").await.body["itens"], json!([]));
    }
}

on_sqlite! {
    async fn an_account_has_so_many_webhooks(app: TestApp) {
        let receiver = Receiver::start().await;
        let most = app.app.config.webhooks.per_account;
        for _ in 0..most {
            register(&app, &receiver, json!({})).await;
        }
        let one_more = app.post("/api/v1/webhooks", &json!({ "url": receiver.url("/") })).await;
        assert_eq!(one_more.summary(), "409 estado_invalido", "{}", one_more.text);
    }
}

both! {
    async fn secrets_are_sealed_and_survive_a_rotation_of_keys(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, secret) = register(&app, &receiver, json!({ "cabecalhos": { "Authorization": "Bearer segredo-do-cliente" } })).await;
        let mut conn = app.app.db.read().await.expect("connection");
        let row = store::tables::webhooks::by_id(&mut conn, &id.as_str().into()).await.expect("database").expect("the webhook");
        let sealed = String::from_utf8_lossy(&row.sealed).into_owned();
        assert!(!sealed.contains(&secret) && !sealed.contains("segredo-do-cliente"));
        drop(conn);
        let mut keyring = vault::envelope::Keyring::load_or_create(&app.app.config.storage.data_dir.join("vault.keys")).expect("keyring");
        keyring.rotate().expect("another key");
        let report = hub::custody::rewrap(&app.app.db, &keyring).await.expect("wrapped");
        assert_eq!((report.rewrapped, report.unreadable.len()), (1, 0), "{report:?}");
        send(&app, "POST", &format!("/api/v1/webhooks/{id}/testar"), None).await;
        let got = receiver.until(1).await.remove(0);
        assert!(crate::delivery::genuine(&got, &secret));
        assert_eq!(got.header("authorization"), "Bearer segredo-do-cliente");
    }
}
