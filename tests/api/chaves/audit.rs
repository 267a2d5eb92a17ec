//! What a key changes is in the audit of its account.

use super::{CHAVES, CONTA, conta, key};
use crate::common::ask;
use reqwest::Method;
use serde_json::json;
use tests::both;

both! {
    async fn changes_made_with_a_key_are_in_the_audit(app: TestApp) {
        let made = key(&app, json!({})).await;
        let id = made.text_at("/id").to_owned();
        assert_eq!(conta(&app, made.text_at("/chave")).await.status, 200);
        let refused = ask(&app, Method::POST, CHAVES, Some(&json!({ "nome": "" }))).await;
        assert!((400..500).contains(&refused.status), "{}", refused.text);
        let gone = ask(&app, Method::DELETE, &format!("{CHAVES}/{id}"), None).await;
        assert!(gone.status < 300, "{}", gone.text);

        let mut conn = app.app.db.read().await.expect("connection");
        let rows = store::tables::audit::list(&mut conn, &app.account_id, "", 10).await.expect("rows");
        drop(conn);
        let seen: Vec<(&str, &str)> = rows.iter().map(|row| (row.action.as_str(), row.target.as_str())).collect();
        assert_eq!(seen, [("chaves.delete", id.as_str()), ("chaves.create", id.as_str())], "neither {CONTA} nor what was refused");
        for row in &rows {
            assert_eq!((row.user_id.as_str(), row.ip.as_str()), ("", "127.0.0.1"));
            assert!(app.live_key.ends_with(row.actor.trim_start_matches("chave …")), "{}", row.actor);
        }
        assert_eq!(rows[1].detail, made.text_at("/request_id"));
    }
}
