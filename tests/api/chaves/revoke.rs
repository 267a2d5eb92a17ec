//! Revocation.

use super::{CHAVES, conta, delete_as, key, listed};
use crate::common::assert_refusal;
use serde_json::json;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::tables::api_keys;
use tests::{TestApp, both, on_sqlite};

/// As another node would do it: this one is not told.
async fn revoke_elsewhere(app: &TestApp, id: &str) {
    let input = (app.account_id.clone(), id.into(), app.app.now_ms());
    let written = app.app.db.write(input, |(account, id, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(api_keys::revoke(conn, account, id, *now_ms).await?)
        })
    });
    assert!(written.await.expect("revoked"));
}

both! {
    async fn a_revoked_key_stops_at_once(app: TestApp) {
        let made = key(&app, json!({})).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        assert_eq!(conta(&app, chave).await.status, 200);
        assert_eq!(delete_as(&app, &app.live_key, id).await.status, 204);
        assert_refusal(&conta(&app, chave).await, "401 chave_revogada");
        assert_refusal(&delete_as(&app, &app.live_key, id).await, "409 estado_invalido");
        assert_refusal(&delete_as(&app, &app.live_key, "key_nada").await, "404 nao_encontrado");
        let shown = listed(&app, id).await;
        assert_eq!(shown["status"], "revogada");
        assert!(shown["revogada_em"].is_string());
    }
}

on_sqlite! {
    async fn a_key_may_end_itself_and_be_the_last_one(app: TestApp) {
        let list = app.get(CHAVES).await;
        let items = list.body["itens"].as_array().expect("items");
        let id = |kind: &str| items.iter().find(|item| item["tipo"] == kind).and_then(|item| item["id"].as_str()).expect("a key").to_owned();
        assert_eq!(delete_as(&app, &app.live_key, &id("teste")).await.status, 204);
        assert_eq!(delete_as(&app, &app.live_key, &id("producao")).await.status, 204);
        for key in [&app.live_key, &app.test_key] {
            assert_refusal(&conta(&app, key).await, "401 chave_revogada");
        }
    }
}

both! {
    async fn another_node_knows_within_five_seconds(app: TestApp) {
        let made = key(&app, json!({})).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        assert_eq!(conta(&app, chave).await.status, 200);
        revoke_elsewhere(&app, id).await;
        app.ahead_ms.fetch_add(5_000, Ordering::Relaxed);
        assert_refusal(&conta(&app, chave).await, "401 chave_revogada");
    }
}

on_sqlite! {
    async fn a_key_revoked_elsewhere_leaves_no_other_behind(app: TestApp) {
        let made = key(&app, json!({})).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        let other = key(&app, json!({})).await;
        assert_eq!(conta(&app, chave).await.status, 200);
        revoke_elsewhere(&app, id).await;
        // This node still remembers it as good, and asks before it writes.
        let body = json!({ "nome": "Herdeira", "tipo": "producao" });
        let answer = app.post_as(chave, CHAVES, &body, None).await;
        assert_refusal(&answer, "401 chave_revogada");
        let path = format!("{}/{}/rotacionar", CHAVES, other.text_at("/id"));
        assert_refusal(&app.post_as(chave, &path, &json!({}), None).await, "401 chave_revogada");
        assert_refusal(&delete_as(&app, chave, other.text_at("/id")).await, "401 chave_revogada");
        assert_eq!(conta(&app, other.text_at("/chave")).await.status, 200);
    }
}
