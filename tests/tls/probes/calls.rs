//! `POST /fiscal/nfse/provedor` asks the address while the call waits.

use super::{BROKEN, FINE, MOODY, PLAIN, Servers, official};
use flow::registry::Registry;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::TestApp;
use tests::app::Backend;
use tests::registry;
use tokio::net::TcpListener;

/// A little more than `probes.fresh_s`.
const STALE_MS: i64 = 301_000;
const SILENT: &str = "1100080";

async fn provider(app: &TestApp, ibge: &str) -> Value {
    let path = "/api/v1/fiscal/nfse/provedor";
    let answer = app.post(path, &json!({ "codigo_ibge": ibge })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["municipios"][0].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_asks_the_address_unless_somebody_did() {
    let app = official(Backend::Sqlite, |config| config.probes.call_ms = 20_000);
    let app = app.await.expect("a hub");
    app.stop_clock();
    let servers = Servers::start().await;
    let registry = Registry::parse(&servers.registry());
    app.app.registry.replace(registry.expect("registry"));

    let seen = provider(&app, FINE).await;
    assert_eq!(
        (&seen["emissao_pela_api"], &seen["acesso"]["estado"]),
        (&json!(true), &json!("responde")),
        "{seen}"
    );
    assert_eq!(seen["medido_em"], seen["acesso"]["medido_em"]);
    provider(&app, FINE).await;
    assert_eq!(
        servers.fine.heads().len(),
        1,
        "what is a moment old is not asked again"
    );
    app.ahead_ms.fetch_add(STALE_MS, Ordering::Relaxed);
    provider(&app, FINE).await;
    assert_eq!(servers.fine.heads().len(), 2);

    provider(&app, MOODY).await;
    servers.well.store(false, Ordering::Relaxed);
    // What calls see does not count towards "out of service".
    for _ in 0..4 {
        app.ahead_ms.fetch_add(STALE_MS, Ordering::Relaxed);
        let seen = provider(&app, MOODY).await;
        assert_eq!(
            (&seen["emissao_pela_api"], &seen["acesso"]["estado"]),
            (&json!(false), &json!("instavel")),
            "{seen}"
        );
        assert!(seen["acesso"]["respondeu_em"].is_string(), "{seen}");
    }
    // No city is asked with a test key.
    let path = "/api/v1/fiscal/nfse/provedor";
    let body = json!({ "codigo_ibge": BROKEN });
    let answer = app.post_as(&app.test_key, path, &body, None).await;
    assert_eq!(
        answer.text_at("/municipios/0/acesso/estado"),
        "nao_medido",
        "{}",
        answer.text
    );
    assert!(servers.broken.heads().is_empty());
    // The hub sends nothing without TLS.
    let seen = provider(&app, PLAIN).await;
    assert_eq!(
        (&seen["emissao_pela_api"], &seen["acesso"]["estado"]),
        (&json!(false), &json!("sem_tls")),
        "{seen}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_does_not_wait_longer_than_its_bound() {
    let app = official(Backend::Sqlite, |config| config.probes.call_ms = 100);
    let app = app.await.expect("a hub");
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let port = silent.local_addr().expect("port").port();
    let text = format!(
        "{}{}",
        registry::HEAD,
        registry::city(SILENT, &format!("https://localhost:{port}/ws"))
    );
    let registry = Registry::parse(&text).expect("registry");
    app.app.registry.replace(registry);
    for _ in 0..2 {
        // The second finds somebody asking, and does not wait at all.
        let seen = provider(&app, SILENT).await;
        assert_eq!(
            (&seen["emissao_pela_api"], &seen["acesso"]["estado"]),
            (&json!(true), &json!("nao_medido")),
            "{seen}"
        );
    }
}
