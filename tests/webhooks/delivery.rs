//! What arrives: once per event, in the frame of the contract, signed.

use super::{assert_documented, issuer, listed, register, send, until};
use ::events::webhooks::catalogue::TIPOS;
use flow::hex;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::collections::BTreeSet;
use std::time::Duration;
use tests::bodies::{nfe, nfse, with};
use tests::receiver::{Received, Receiver};
use tests::{both, events, on_sqlite};

/// HMAC-SHA256 by OpenSSL, which the hub does not use for this.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let key = PKey::hmac(key).expect("a key");
    let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
    signer.sign_oneshot_to_vec(text).expect("a signature")
}

/// As a receiver would do it: does one of the signatures fit?
pub fn genuine(received: &Received, secret: &str) -> bool {
    let header = received.header("x-webhook-signature-256");
    let mut parts = header.split(',');
    let time = parts
        .next()
        .and_then(|part| part.strip_prefix("t="))
        .expect("a time");
    let text = [
        time.as_bytes(),
        b".",
        received.header("x-webhook-id").as_bytes(),
        b".",
        &received.body,
    ]
    .concat();
    let expected = hex(&hmac(secret.as_bytes(), &text));
    parts.any(|part| part.strip_prefix("v1=") == Some(&expected))
}

/// The same by the rules of Standard Webhooks.
pub fn standard(received: &Received, secret: &str) -> bool {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    let key = base64
        .decode(secret.strip_prefix("whsec_").expect("a prefix"))
        .expect("base64");
    let (id, time) = (
        received.header("webhook-id"),
        received.header("webhook-timestamp"),
    );
    let text = [id.as_bytes(), b".", time.as_bytes(), b".", &received.body].concat();
    let expected = format!("v1,{}", base64.encode(hmac(&key, &text)));
    received
        .header("webhook-signature")
        .split(' ')
        .any(|one| one == expected)
}

both! {
    async fn an_issued_note_is_told_once_and_signed(app: TestApp) {
        let emitter = issuer(&app).await;
        let receiver = Receiver::start().await;
        let (id, secret) = register(&app, &receiver, json!({ "cabecalhos": { "X-Loja": "7" } })).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(note.status, 201, "{}", note.text);
        let got = receiver.until(1).await.remove(0);
        assert!(genuine(&got, &secret) && standard(&got, &secret), "{:?}", got.headers);
        assert!(!genuine(&got, "whsec_outro") , "another secret does not fit");
        let mut changed = got.clone();
        changed.body.push(b' ');
        assert!(!genuine(&changed, &secret) && !standard(&changed, &secret), "a changed body does not fit");
        let mut moved = got.clone();
        moved.headers.insert("x-webhook-id".to_owned(), "evt_outro".to_owned());
        assert!(!genuine(&moved, &secret), "another id does not fit");
        let event = got.json();
        for (member, value) in [
            ("id", got.header("x-webhook-id")), ("id", got.header("webhook-id")), ("tipo", "nfe.autorizada"),
            ("tipo", got.header("x-webhook-event")), ("versao", "1"), ("ambiente", "producao"),
            ("conta_id", &app.account_id), ("emitente_id", &emitter),
        ] {
            assert_eq!(event[member], *value, "{event}");
        }
        assert_eq!((got.path.as_str(), got.header("x-loja"), got.header("x-webhook-attempt")), ("/avisos", "7", "1"));
        assert_eq!((&event["teste"], &event["sequencia"]), (&json!(false), &json!(1)));
        for member in ["nota_id", "chave", "protocolo", "numero", "serie", "status"] {
            assert_eq!(event["dados"][member], note.body[member], "{member}: {event}");
        }
        assert_eq!(event["dados"]["creditos"]["debitado"], 4);
        assert_eq!(event["dados"].get("referencia"), Some(&Value::Null), "none was given: {event}");
        assert_documented(&event);
        let xml = event["dados"]["links"]["xml"].as_str().expect("a link");
        assert!(xml.ends_with(&format!("/api/v1/documentos/{}/xml", note.text_at("/nota_id"))), "{xml}");
        // The example of a kind has the members of what is sent.
        let kinds = app.get("/api/v1/webhooks/tipos-evento").await;
        let kind = kinds.body["itens"].as_array().expect("kinds").iter().find(|kind| kind["tipo"] == "nfe.autorizada");
        let members = |data: &Value| data.as_object().expect("members").keys().cloned().collect::<BTreeSet<_>>();
        let shown = &kind.expect("the kind")["exemplo_dados"];
        assert_eq!(members(shown), members(&event["dados"]));
        assert_eq!(members(&shown["links"]), members(&event["dados"]["links"]));
        let log = listed(&app, &format!("?webhook_id={id}"), 1).await;
        assert_eq!(log.len(), 1, "{log:?}");
        let shown = until(&app, log[0]["id"].as_str().expect("an id"), |d| d["status"] == "entregue").await;
        assert_eq!(shown["corpo"], event);
        assert_eq!((&shown["historico"][0]["resposta_status"], &shown["historico"][0]["resposta_corpo"]), (&json!(200), &json!("ok")));
        assert_eq!(receiver.count(), 1, "told once");
    }
}

on_sqlite! {
    async fn links_of_events_lead_somewhere(app: TestApp) {
        issuer(&app).await;
        let receiver = Receiver::start().await;
        register(&app, &receiver, json!({})).await;
        for (path, body, printed) in [("/api/v1/nfe", nfe(), "danfe"), ("/api/v1/nfse", nfse(), "pdf")] {
            let note = app.post(path, &body).await;
            assert_eq!(note.status, 201, "{}", note.text);
            let event = receiver.until(if printed == "danfe" { 1 } else { 2 }).await.pop().expect("an event").json();
            assert_documented(&event);
            let links = event["dados"]["links"].as_object().expect("links");
            assert!(links.contains_key(printed), "{event}");
            for (name, link) in links {
                let answer = app.get(link.as_str().expect("a link")).await;
                assert_eq!(answer.status, 200, "{name} {link}: {}", answer.text);
            }
        }
    }
}

on_sqlite! {
    async fn links_of_a_note_that_is_not_there_are_left_out(app: TestApp) {
        issuer(&app).await;
        let receiver = Receiver::start().await;
        register(&app, &receiver, json!({})).await;
        let order = |operation: &str, failure: FaultKind| {
            let when = When { operacao: Some(operation.to_owned()), ..When::default() };
            app.app.simulator.sim.add_fault(Fault { quando: when, falha: failure, codigo: Some("778".to_owned()), ..Fault::default() });
        };
        order("autorizar", FaultKind::Recusar);
        let product = app.post("/api/v1/nfe", &nfe()).await;
        order("emitir", FaultKind::Recusar);
        let service = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!((product.status, service.status), (422, 422), "{} {}", product.text, service.text);
        let events = receiver.until(2).await;
        let mut kinds = BTreeSet::new();
        for event in events.iter().map(tests::receiver::Received::json) {
            assert_documented(&event);
            kinds.insert(event["tipo"].as_str().expect("a kind").to_owned());
            let links = event["dados"]["links"].as_object().expect("links");
            assert_eq!(links.keys().collect::<Vec<_>>(), ["documento"], "{event}");
            for link in links.values() {
                let answer = app.get(link.as_str().expect("a link")).await;
                assert_eq!(answer.status, 200, "{link}: {}", answer.text);
            }
        }
        assert_eq!(kinds, BTreeSet::from(["nfe.rejeitada".to_owned(), "nfse.rejeitada".to_owned()]));
        for kind in TIPOS {
            let data = json!(kind.example_data("https://hub.example"));
            let files = ["xml", "danfe", "pdf"].iter().any(|name| data["links"][name].is_string());
            let open = ["rejeitada", "pendente_prefeitura"].iter().any(|status| data["status"] == *status);
            assert!(!(files && open), "{}: {data}", kind.name);
        }
    }
}

on_sqlite! {
    async fn a_webhook_gets_what_it_asked_for(app: TestApp) {
        let emitter = issuer(&app).await;
        let [all, product, service, elsewhere, off, tests] = futures::future::join_all((0..6).map(|_| Receiver::start())).await.try_into().ok().expect("six");
        register(&app, &all, json!({ "eventos": [] })).await;
        register(&app, &product, json!({ "eventos": ["nfe.*"], "emitente_ids": [emitter] })).await;
        register(&app, &service, json!({ "eventos": ["nfse.emitida"] })).await;
        let other = app.emitter("22555888000161", "3106200").await;
        app.post("/api/v1/webhooks", &json!({ "url": elsewhere.url("/"), "emitente_ids": [other] })).await;
        register(&app, &off, json!({ "ativo": false })).await;
        app.post_as(&app.test_key, "/api/v1/webhooks", &json!({ "url": tests.url("/") }), None).await;
        for (path, mut body) in [("/api/v1/nfe", nfe()), ("/api/v1/nfse", nfse())] {
            body["emitente_id"] = emitter.as_str().into();
            let note = app.post(path, &body).await;
            assert_eq!(note.status, 201, "{}", note.text);
        }
        let trial = app.post_as(&app.test_key, "/api/v1/nfe", &with(nfe(), "/emitente_id", emitter.as_str()), None).await;
        assert_eq!(trial.status, 201, "{}", trial.text);
        // What is issued in homologation both kinds of keys see.
        all.until(3).await;
        product.until(2).await;
        service.until(1).await;
        let got = tests.until(1).await;
        assert_eq!((&got[0].json()["ambiente"], &got[0].json()["tipo"]), (&json!("homologacao"), &json!("nfe.autorizada")));
        let kinds = |receiver: &Receiver| receiver.received().iter().map(|got| got.json()["tipo"].as_str().expect("a kind").to_owned()).collect::<BTreeSet<_>>();
        let set = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(kinds(&all), set(&["nfe.autorizada", "nfse.emitida"]));
        all.received().iter().for_each(|got| assert_documented(&got.json()));
        assert_eq!(kinds(&product), set(&["nfe.autorizada"]));
        assert_eq!(kinds(&service), set(&["nfse.emitida"]));
        assert_eq!((elsewhere.count(), off.count(), tests.count()), (0, 0, 1));
    }
}

both! {
    async fn events_are_read_in_order_from_a_cursor(app: TestApp) {
        issuer(&app).await;
        let mut keys = Vec::new();
        for _ in 0..3 {
            keys.push(app.post("/api/v1/nfe", &nfe()).await.text_at("/chave").to_owned());
        }
        let receiver = Receiver::start().await;
        register(&app, &receiver, json!({})).await;
        let mut cursor = "0".to_owned();
        let mut read: Vec<Value> = Vec::new();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while read.len() < 3 {
            let page = app.get(&format!("/api/v1/eventos?limite=2&cursor={cursor}")).await;
            assert_eq!(page.status, 200, "{}", page.text);
            read.extend(page.body["itens"].as_array().expect("items").iter().cloned());
            cursor = page.text_at("/proximo_cursor").to_owned();
            assert!(std::time::Instant::now() < deadline, "{}", page.text);
        }
        assert!(read.iter().all(|event| event["dados"]["numero_nfse"].is_null()), "of an NF-e: {read:?}");
        let told: Vec<&str> = read.iter().filter_map(|event| event["dados"]["chave"].as_str()).collect();
        assert_eq!(told, keys);
        let places: Vec<i64> = read.iter().filter_map(|event| event["sequencia"].as_i64()).collect();
        assert_eq!(places, [1, 2, 3]);
        let end = app.get(&format!("/api/v1/eventos?cursor={cursor}")).await;
        assert_eq!((&end.body["itens"], &end.body["tem_mais"], end.text_at("/proximo_cursor")), (&json!([]), &json!(false), cursor.as_str()));
        let one = app.get(&format!("/api/v1/eventos/{}", read[1]["id"].as_str().expect("an id"))).await;
        assert_eq!(one.body["evento"], read[1]);
        assert_eq!(app.get("/api/v1/eventos?tipo=nfse.emitida").await.body["itens"], json!([]));
        let unseen = app.http().get(format!("{}/api/v1/eventos", app.base_url)).bearer_auth(&app.test_key);
        assert_eq!(app.send(unseen).await.body["itens"], json!([]), "a test key sees nothing of production");
        for bad in ["?tipo=nada", "?limite=0", "?cursor=-1", "?cursor=x", "?pagina=2"] {
            assert_eq!(app.get(&format!("/api/v1/eventos{bad}")).await.status, 400, "{bad}");
        }
        assert_eq!(receiver.count(), 0, "what happened before it was registered is not told");
    }
}

on_sqlite! {
    async fn a_test_event_says_so_and_goes_to_one_webhook(app: TestApp) {
        let (one, other) = (Receiver::start().await, Receiver::start().await);
        let (id, secret) = register(&app, &one, json!({})).await;
        register(&app, &other, json!({})).await;
        for kind in ["nfe.autorizada", "nfe.inutilizada", "dfe.recebida", "nfse.rejeitada"] {
            let sent = send(&app, "POST", &format!("/api/v1/webhooks/{id}/testar"), Some(&json!({ "evento": kind }))).await;
            assert_eq!(sent.status, 202, "{}", sent.text);
            until(&app, sent.text_at("/id"), |d| d["status"] == "entregue").await;
        }
        let got = one.until(4).await;
        for received in &got {
            let event = received.json();
            assert_eq!((&event["teste"], &event["sequencia"]), (&json!(true), &Value::Null), "{event}");
            assert!(genuine(received, &secret) && standard(received, &secret));
            assert_documented(&event);
        }
        let first = got[0].json();
        let links = &first["dados"]["links"];
        assert!(links["xml"].as_str().is_some_and(|xml| xml.ends_with("/xml")), "as a real one: {links}");
        assert_eq!(got[2].json()["tipo"], "dfe.recebida");
        assert_eq!(send(&app, "POST", &format!("/api/v1/webhooks/{id}/testar"), None).await.status, 202, "without a body");
        assert_eq!(send(&app, "POST", &format!("/api/v1/webhooks/{id}/testar"), Some(&json!({ "evento": "nada" }))).await.summary(), "400 parametro_invalido");
        assert_eq!(other.count(), 0);
        assert_eq!(app.get("/api/v1/eventos").await.body["itens"], json!([]), "nothing happened");
    }
}

on_sqlite! {
    async fn both_secrets_sign_for_a_day_after_a_rotation(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, old) = register(&app, &receiver, json!({})).await;
        let rotated = send(&app, "POST", &format!("/api/v1/webhooks/{id}/rotacionar-segredo"), None).await;
        assert_eq!(rotated.status, 200, "{}", rotated.text);
        let new = rotated.text_at("/segredo");
        assert!(new.starts_with("whsec_") && new != old);
        let test = format!("/api/v1/webhooks/{id}/testar");
        let tested = async || {
            let sent = send(&app, "POST", &test, None).await;
            until(&app, sent.text_at("/id"), |d| d["status"] == "entregue").await;
            receiver.received().pop().expect("a delivery")
        };
        let got = tested().await;
        for secret in [&old, new] {
            assert!(genuine(&got, secret) && standard(&got, secret));
        }
        app.ahead_ms.fetch_add(24 * 3_600_000 + 1_000, std::sync::atomic::Ordering::Relaxed);
        let got = tested().await;
        assert!(genuine(&got, new) && standard(&got, new));
        assert!(!genuine(&got, &old) && !standard(&got, &old), "a day later the old one is over");
        let turn = format!("/api/v1/webhooks/{id}/rotacionar-segredo");
        let second = send(&app, "POST", &turn, None).await;
        assert_eq!(second.body["avisos"], json!([]), "{}", second.text);
        let third = send(&app, "POST", &turn, None).await;
        assert_eq!(third.body["avisos"].as_array().map(Vec::len), Some(1), "{}", third.text);
        let got = tested().await;
        assert!(genuine(&got, second.text_at("/segredo")) && genuine(&got, third.text_at("/segredo")));
        assert!(!genuine(&got, new), "two sign at most");
    }
}

both! {
    async fn a_new_address_holds_at_once_and_the_old_one_cannot_close_it(app: TestApp) {
        let (old, new) = (Receiver::start().await, Receiver::start().await);
        old.answer(410);
        old.delay(Duration::from_secs(8));
        old.add("connection: close\r\n");
        let (id, _) = register(&app, &old, json!({ "eventos": ["nfe.*"] })).await;
        events::write(&app.app.db, &app.account_id, app.app.now_ms(), 40).await;
        old.until(1).await;
        let moved = send(&app, "PATCH", &format!("/api/v1/webhooks/{id}"), Some(&json!({ "url": new.url("/avisos") }))).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        // All but those that were on their way.
        new.until(36).await;
        assert!(old.count() <= 4, "{} went to the old address", old.count());
        tokio::time::timeout(Duration::from_secs(60), async {
            while old.open() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await
        .expect("the old server has answered");
        // Whoever asked it has heard by the time these are sent.
        for _ in 0..5 {
            let so_far = new.count();
            events::write(&app.app.db, &app.account_id, app.app.now_ms(), 1).await;
            new.until(so_far + 1).await;
        }
        let shown = app.get(&format!("/api/v1/webhooks/{id}")).await;
        assert_eq!((&shown.body["ativo"], shown.text_at("/url")), (&json!(true), new.url("/avisos").as_str()), "{}", shown.text);
    }
}

/// Takes connections and answers nothing, ever.
async fn silent() -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("port");
    let url = format!("http://{}/", listener.local_addr().expect("address"));
    let taken = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = taken.clone();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((socket, _)) = listener.accept().await {
            counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            held.push(socket);
        }
    });
    (url, taken)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_account_does_not_take_every_place() {
    let change = |config: &mut base::config::Config| {
        config.webhooks.at_once = 4;
        config.webhooks.timeout_ms = 20_000;
    };
    let app = tests::TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    let (url, taken) = silent().await;
    for _ in 0..8 {
        let body = json!({ "url": url, "eventos": ["*"] });
        let made = app.post("/api/v1/webhooks", &body).await;
        let id = made.text_at("/id").to_owned();
        let tested = send(&app, "POST", &format!("/api/v1/webhooks/{id}/testar"), None).await;
        assert!(tested.status < 300, "{}", tested.text);
    }
    let receiver = Receiver::start().await;
    let other = hub::demo::open_account(&app.app, "Outra conta", 6_000).await;
    let other = other.expect("account");
    let post = async |path: &str, body: Value| {
        let request = app.http().post(format!("{}{path}", app.base_url));
        app.send(
            request
                .bearer_auth(&other.live_key)
                .header("content-type", "application/json")
                .body(body.to_string()),
        )
        .await
    };
    let made = post(
        "/api/v1/webhooks",
        json!({ "url": receiver.url("/"), "eventos": ["*"] }),
    )
    .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = format!("/api/v1/webhooks/{}/testar", made.text_at("/id"));
    post(&path, json!({})).await;
    receiver.until(1).await;
    assert!(
        taken.load(std::sync::atomic::Ordering::SeqCst) <= 1,
        "its share of four places"
    );
}
