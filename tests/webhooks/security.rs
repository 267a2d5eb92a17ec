//! Where webhooks may not point, and whose they are.

use super::{register, send, until};
use base::config::Webhooks;
use events::attempt::Sender;
use events::attempt::message::made;
use events::attempt::sealed::Sealed;
use serde_json::json;
use std::collections::BTreeMap;
use store::tables::deliveries::DeliveryRow;
use store::tables::outbox::OutboxRow;
use store::tables::webhooks::WebhookRow;
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::{TestApp, on_sqlite};

/// Addresses that lead inside, in the forms attackers write them.
const INSIDE: &[&str] = &[
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://017700000001/",
    "https://0/",
    "https://10.0.0.1/",
    "https://172.16.5.4/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.1.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST:8443/",
    "https://127.0.0.1./",
    "https://１２７.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://0.0.0.0/",
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b:1::7f00:1]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[5f00::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_inside_are_refused_when_registered_and_when_changed() {
    let strict = |config: &mut base::config::Config| {
        config.webhooks.allow_http = false;
        config.webhooks.allow_nets.clear();
    };
    let app = TestApp::start_with(Backend::Sqlite, strict)
        .await
        .expect("SQLite is always there");
    let good = app
        .post(
            "/api/v1/webhooks",
            &json!({ "url": "https://8.8.8.8/avisos" }),
        )
        .await;
    assert_eq!(good.status, 201, "{}", good.text);
    let path = format!("/api/v1/webhooks/{}", good.text_at("/id"));
    for url in INSIDE.iter().copied().chain([
        "http://exemplo.com.br/",
        "gopher://8.8.8.8/",
        "https://8.8.8.8:22/",
        "https://u:p@8.8.8.8/",
    ]) {
        let body = json!({ "url": url });
        for answer in [
            app.post("/api/v1/webhooks", &body).await,
            send(&app, "PATCH", &path, Some(&body)).await,
        ] {
            assert_eq!(
                answer.summary(),
                "400 parametro_invalido",
                "{url}: {}",
                answer.text
            );
            assert_eq!(answer.body["campos"][0]["campo"], "url", "{url}");
        }
    }
    let nowhere = app
        .post(
            "/api/v1/webhooks",
            &json!({ "url": "https://nome-que-nao-existe.invalid/" }),
        )
        .await;
    assert_eq!(
        (
            nowhere.status,
            nowhere.body["avisos"].as_array().map(Vec::len)
        ),
        (201, Some(1)),
        "{}",
        nowhere.text
    );
}

/// What registration let through may lead inside when it is used: the name
/// has another address by then, or the operator closed a network.
#[tokio::test]
async fn addresses_inside_are_refused_when_used() {
    let receiver = Receiver::start().await;
    let config: Webhooks = {
        let mut config = base::config::Config::load(None, |_| None, &[])
            .expect("defaults")
            .webhooks;
        config.allow_http = true;
        config
    };
    let strict = Sender::new(&config).expect("a client");
    let open = Sender::new(&Webhooks {
        allow_nets: vec!["127.0.0.1".to_owned(), "203.0.113.0/24".to_owned()],
        ..config.clone()
    })
    .expect("a client");
    let sealed = Sealed {
        segredo: "whsec_YQ==".to_owned(),
        anterior: None,
        cabecalhos: BTreeMap::new(),
    };
    let delivery = DeliveryRow::default();
    let event = OutboxRow {
        payload: "{}".to_owned(),
        ..OutboxRow::default()
    };
    let message = made(&event, "");
    for (sender, host, arrives) in [
        (&open, "localhost", true),
        (&open, "127.0.0.1", true),
        (&strict, "localhost", false),
        (&strict, "127.0.0.1", false),
    ] {
        let before = receiver.count();
        let webhook = WebhookRow {
            url: format!("http://{host}:{}/", receiver.port()),
            ..WebhookRow::default()
        };
        let target = sender.target(&webhook, &sealed, 0).await;
        let outcome = sender.send(&target, &delivery, &message, 0).await;
        assert_eq!(
            (outcome.delivered(), receiver.count() - before),
            (arrives, usize::from(arrives)),
            "{host}: {}",
            outcome.attempt.error
        );
        assert!(arrives || !outcome.attempt.error.is_empty());
    }
    // With the port out of the way, the name alone is what stops it.
    for host in ["localhost:8080", "localhost"] {
        let webhook = WebhookRow {
            url: format!("http://{host}/"),
            ..WebhookRow::default()
        };
        let target = strict.target(&webhook, &sealed, 0).await;
        let outcome = strict.send(&target, &delivery, &message, 0).await;
        assert_eq!(
            outcome.attempt.error, "O endereço fica em uma rede privada ou reservada.",
            "{host}"
        );
    }
}

#[tokio::test]
async fn a_damaged_old_secret_keeps_nothing_back_after_its_time() {
    let receiver = Receiver::start().await;
    let mut config = base::config::Config::load(None, |_| None, &[])
        .expect("defaults")
        .webhooks;
    config.allow_http = true;
    config.allow_nets = vec!["127.0.0.1".to_owned()];
    let sender = Sender::new(&config).expect("a client");
    let sealed = Sealed {
        segredo: "whsec_YQ==".to_owned(),
        anterior: Some("whsec_?".to_owned()),
        cabecalhos: BTreeMap::new(),
    };
    let webhook = WebhookRow {
        url: format!("http://127.0.0.1:{}/", receiver.port()),
        anterior_ate_ms: 10,
        ..WebhookRow::default()
    };
    let event = OutboxRow {
        payload: "{}".to_owned(),
        ..OutboxRow::default()
    };
    let message = made(&event, "");
    for (now_ms, arrives) in [(9, false), (10, true)] {
        let target = sender.target(&webhook, &sealed, now_ms).await;
        let outcome = sender
            .send(&target, &DeliveryRow::default(), &message, now_ms)
            .await;
        assert_eq!(outcome.delivered(), arrives, "{}", outcome.attempt.error);
    }
    assert_eq!(receiver.count(), 1);
}

on_sqlite! {
    async fn another_accounts_webhooks_and_deliveries_are_not_found(app: TestApp) {
        let receiver = Receiver::start().await;
        let (webhook, _) = register(&app, &receiver, json!({})).await;
        let sent = send(&app, "POST", &format!("/api/v1/webhooks/{webhook}/testar"), None).await;
        let (delivery, event) = (sent.text_at("/id").to_owned(), sent.text_at("/evento_id").to_owned());
        until(&app, &delivery, |d| d["status"] == "entregue").await;
        let other = hub::demo::open_account(&app.app, "Outra", 6_000).await.expect("account");
        for key in [&other.live_key, &other.test_key, &app.test_key] {
            for (method, path) in [
                ("GET", format!("/api/v1/webhooks/{webhook}")),
                ("PATCH", format!("/api/v1/webhooks/{webhook}")),
                ("DELETE", format!("/api/v1/webhooks/{webhook}")),
                ("POST", format!("/api/v1/webhooks/{webhook}/testar")),
                ("POST", format!("/api/v1/webhooks/{webhook}/rotacionar-segredo")),
                ("GET", format!("/api/v1/webhooks/entregas/{delivery}")),
                ("POST", format!("/api/v1/webhooks/entregas/{delivery}/reenviar")),
            ] {
                let request = app.http().request(method.parse().expect("a method"), format!("{}{path}", app.base_url))
                    .bearer_auth(key).header("content-type", "application/json").body("{}");
                assert_eq!(app.send(request).await.summary(), "404 nao_encontrado", "{method} {path}");
            }
            let all = app.post_as(key, "/api/v1/webhooks/entregas/reenviar", &json!({ "webhook_id": webhook }), None).await;
            assert_eq!(all.summary(), "404 nao_encontrado");
            for path in ["/api/v1/webhooks", "/api/v1/webhooks/entregas", "/api/v1/eventos"] {
                let listed = app.send(app.http().get(format!("{}{path}", app.base_url)).bearer_auth(key)).await;
                assert_eq!(listed.body["itens"], json!([]), "{path}");
            }
        }
        for key in [&other.live_key, &other.test_key] {
            let request = app.http().get(format!("{}/api/v1/eventos/{event}", app.base_url)).bearer_auth(key);
            assert_eq!(app.send(request).await.summary(), "404 nao_encontrado");
        }
        assert_eq!(receiver.count(), 1);
    }
}
