//! Keys bound to addresses.

use super::{CONTA, conta, key};
use crate::common::assert_refusal;
use serde_json::json;
use tests::app::Backend;
use tests::{Answer, TestApp, on_sqlite};

/// A call that says who it was forwarded for.
async fn forwarded(app: &TestApp, key: &str, lines: &[&str]) -> Answer {
    let url = format!("{}{CONTA}", app.base_url);
    let mut request = app.http().get(url).bearer_auth(key);
    for line in lines {
        request = request.header("x-forwarded-for", *line);
    }
    app.send(request).await
}

on_sqlite! {
    async fn a_key_is_refused_from_elsewhere(app: TestApp) {
        let here = key(&app, json!({ "ips": ["192.0.2.0/24", "127.0.0.1"] })).await;
        assert_eq!(conta(&app, here.text_at("/chave")).await.status, 200);
        let away = key(&app, json!({ "ips": ["192.0.2.0/24", "2001:db8::/32"] })).await;
        let refused = conta(&app, away.text_at("/chave")).await;
        assert_refusal(&refused, "403 ip_nao_autorizado");
        assert_eq!(refused.text_at("/ip"), "127.0.0.1");
        // Nobody is believed unless the settings say so.
        let claimed = forwarded(&app, away.text_at("/chave"), &["192.0.2.1"]).await;
        assert_refusal(&claimed, "403 ip_nao_autorizado");
        app.calls_logged().await;
        let told = app.get(&format!("/api/v1/usage/chamadas/{}", claimed.text_at("/request_id"))).await;
        assert_eq!(told.text_at("/x_error_code"), "ip_nao_autorizado", "the account sees who tries: {}", told.text);
    }
}

async fn behind_a_proxy(backend: Backend) {
    let change = |config: &mut base::config::Config| {
        config.server.trusted_proxies = vec!["127.0.0.0/8".to_owned(), "10.0.0.0/8".to_owned()];
    };
    let Some(app) = TestApp::start_with(backend, change).await else {
        return;
    };
    let made = key(&app, json!({ "ips": ["192.0.2.0/24"] })).await;
    let chave = made.text_at("/chave");
    for (lines, status) in [
        (&["192.0.2.1"][..], 200),
        (&["192.0.2.1, 10.1.1.1"], 200),
        (&["198.51.100.1", "192.0.2.1:4711,10.1.1.1"], 200),
        (&["192.0.2.1, 198.51.100.1"], 403),
        (&["192.0.2.1", "198.51.100.1"], 403),
        (&["192.0.2.1, ?"], 403),
        (&[], 403),
    ] {
        let answer = forwarded(&app, chave, lines).await;
        assert_eq!(answer.status, status, "{lines:?}: {}", answer.text);
        if status == 403 {
            assert_refusal(&answer, "403 ip_nao_autorizado");
        }
    }
    assert_eq!(
        conta(&app, &app.live_key).await.status,
        200,
        "a key without a list is not asked"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_says_who_calls_sqlite() {
    behind_a_proxy(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_says_who_calls_postgres() {
    behind_a_proxy(Backend::Postgres).await;
}
