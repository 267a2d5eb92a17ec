//! /api/v1/dere: events of the DeRE and batches of them.

use crate::common::{BELO_HORIZONTE, ask, ask_as, assert_refusal, cnpj, stranger};
use markup::xmldsig::{Algorithm, read_signatures};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::with;
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const EVENTS: &str = "/api/v1/dere/eventos";
const BATCHES: &str = "/api/v1/dere/lotes";

fn event(code: &str, data: Value) -> Value {
    json!({ "leiaute": "1.2.0", "tipo": code, "periodo": "2026-10", "dados": data })
}

/// What a health plan says of itself.
fn taxpayer() -> Value {
    let content = json!({
        "regTribPrinc": "2", "indNatTrib": "0",
        "plAssistSaude": { "tpAtividades": { "tpAtividade": ["02A"] } },
    });
    event("D-1001", json!({ "infoContrib": content }))
}

fn closing() -> Value {
    event("D-1199", json!({}))
}

async fn kept(app: &TestApp, body: &Value) -> Answer {
    let answer = app.post(EVENTS, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(answer.header("x-beta"), "dere");
    answer
}

async fn id(app: &TestApp, body: &Value) -> String {
    kept(app, body).await.text_at("/evento_id").to_owned()
}

async fn batch(app: &TestApp, events: &[&str]) -> String {
    let answer = app.post(BATCHES, &json!({ "eventos": events })).await;
    assert_eq!(answer.summary(), "201 montado", "{}", answer.text);
    assert_eq!(answer.header("x-beta"), "dere");
    answer.text_at("/lote_id").to_owned()
}

async fn state(app: &TestApp, batch: &str, more: &str) -> Value {
    let answer = app.get(&format!("{BATCHES}/{batch}{more}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["transmissao"], "nao_disponivel");
    answer.body
}

async fn judged_again(app: &TestApp, batch: &str) -> Value {
    let path = format!("{BATCHES}/{batch}/revalidar");
    let answer = ask(app, Method::POST, &path, None).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

both! {
    async fn an_event_is_kept_and_judged(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let good = kept(&app, &taxpayer()).await;
        assert_eq!(good.text_at("/status"), "valido", "{}", good.text);
        assert_eq!(good.body["erros"], json!([]));
        assert_eq!(good.text_at("/esquema"), "evtInfoContrib v1_0_1");
        let first = good.text_at("/identificador").to_owned();
        assert!(first.starts_with("DeRE1001100000011222333") && first.len() == 42, "{first}");
        let second = kept(&app, &taxpayer()).await;
        assert_ne!(second.text_at("/identificador"), first);

        let wrong = with(taxpayer(), "/dados/infoContrib/regTribPrinc", json!("7"));
        let wrong = kept(&app, &with(wrong, "/dados/infoContrib/zz", json!(1))).await;
        assert_eq!(wrong.text_at("/status"), "invalido");
        assert_eq!(wrong.text_at("/erros/0/campo"), "dados.infoContrib.zz", "{}", wrong.text);
        let wrong = kept(&app, &with(taxpayer(), "/dados/infoContrib/regTribPrinc", json!("1"))).await;
        assert_eq!(wrong.text_at("/erros/0/campo"), "dados.infoContrib.plAssistSaude", "{}", wrong.text);
        assert_eq!(wrong.text_at("/erros/0/codigo"), "vedado");
        assert_eq!(app.balance().await, (200, 0), "it is free");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_no_event_is_refused(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (place, value, field) in [
            ("/leiaute", json!("1.1.0"), "leiaute"),
            ("/tipo", json!("D-1000"), "tipo"),
            ("/tipo", json!("evtOperFinanc"), "tipo"),
            ("/periodo", json!("2026-13"), "periodo"),
            ("/dados", json!([]), "dados"),
        ] {
            let answer = app.post(EVENTS, &with(taxpayer(), place, value)).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(answer.text_at("/campos/0/campo"), field, "{}", answer.text);
        }
        let preview = app.post(EVENTS, &with(taxpayer(), "/tipo", json!("evtOperFinanc"))).await;
        assert!(preview.text_at("/campos/0/mensagem").contains("prévia (v0_0_1)"), "{}", preview.text);
        let mut silent = taxpayer();
        silent.as_object_mut().expect("a body").remove("leiaute");
        assert_refusal(&app.post(EVENTS, &silent).await, "400 parametro_ausente");
        let unknown = with(taxpayer(), "/emitente_id", json!("emi_01KAEXEMPL0000000000000009"));
        assert_refusal(&app.post(EVENTS, &unknown).await, "404 nao_encontrado");
        kept(&app, &with(taxpayer(), "/emitente_id", emitter)).await;
    }
}

both! {
    async fn a_batch_is_signed_and_judged(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let events = [id(&app, &taxpayer()).await, id(&app, &closing()).await];
        let lot = batch(&app, &[&events[0], &events[1]]).await;
        let seen = state(&app, &lot, "").await;
        assert_eq!((&seen["status"], &seen["assinado"]), (&json!("aceito"), &json!(true)), "{seen}");
        assert_eq!(seen["eventos"][1]["evento_id"], json!(events[1]));
        assert!(seen["avisos"][0].as_str().is_some_and(|notice| notice.contains("nada é transmitido")), "{seen}");
        assert!(seen["xml"].is_null() && seen["eventos"][0]["xml"].is_null());

        let whole = state(&app, &lot, "?xml=1").await;
        for event in whole["eventos"].as_array().expect("events") {
            let xml = event["xml"].as_str().expect("a document");
            let [parts] = &read_signatures(xml).expect("XML")[..] else {
                panic!("one signature");
            };
            assert!(parts.digest_ok && parts.algorithm == Algorithm::RsaSha256);
            assert!(vault::signing::verify::verify(parts).0, "the certificate in it made it");
            assert!(whole["xml"].as_str().expect("the batch").contains(xml));
            assert!(xml.contains("<tpAmb>1</tpAmb>"), "{xml}");
        }
        let text = whole["xml"].as_str().expect("the batch");
        let layout = markup::layout::Layout::get("envioLoteDere-1.0.1").expect("a layout");
        assert_eq!(layout.validate(text), []);
        assert_refusal(&app.get(&format!("{BATCHES}/{lot}?xml=2")).await, "400 parametro_invalido");

        let again = judged_again(&app, &lot).await;
        assert_eq!((&again["status"], &again["eventos"]), (&seen["status"], &seen["eventos"]));
        assert_eq!(state(&app, &lot, "?xml=1").await["xml"], whole["xml"], "the same bytes");
        assert_eq!(app.balance().await, (200, 0), "it is free");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_rejected_batch_says_what_is_wrong(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let good = id(&app, &taxpayer()).await;
        let wrong = id(&app, &event("D-1198", json!({}))).await;
        let closing = id(&app, &closing()).await;
        let lot = batch(&app, &[&closing, &wrong, &good]).await;
        let seen = state(&app, &lot, "?xml=1").await;
        assert_eq!(seen["status"], "rejeitado", "{seen}");
        assert_eq!(seen["eventos"][0]["erros"], json!([]));
        assert_eq!(seen["eventos"][1]["erros"][0]["campo"], "dados.infoReabertura");
        // Right alone, wrong after what is of a month.
        let table = &seen["eventos"][2];
        assert_eq!((&table["status"], &table["erros"][0]["codigo"]), (&json!("invalido"), &json!("fora_de_ordem")), "{seen}");
        assert_eq!(table["erros"][0]["campo"], "eventos[2]");
        assert!(seen["xml"].is_null(), "{seen}");

        // Its events may go to another batch, those of an accepted one may not.
        let other = batch(&app, &[&good, &closing]).await;
        assert_eq!(state(&app, &other, "").await["status"], "aceito");
        let taken = app.post(BATCHES, &json!({ "eventos": [good] })).await;
        assert_refusal(&taken, "409 estado_invalido");
        assert_eq!(taken.text_at("/campos/0/campo"), "eventos[0]");
        let left = judged_again(&app, &lot).await;
        assert_eq!(left["status"], "rejeitado");
        assert_eq!(left["eventos"][0]["erros"][0]["codigo"], "em_outro_lote", "{left}");
        assert_eq!(state(&app, &other, "").await["status"], "aceito");
    }
}

on_sqlite! {
    async fn a_batch_is_of_one_company_and_of_fifty_events(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let first = id(&app, &closing()).await;
        let other = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let second = id(&app, &with(closing(), "/emitente_id", other)).await;
        for (events, summary, field) in [
            (json!([]), "400 parametro_invalido", "eventos"),
            (json!([first, first]), "400 parametro_invalido", "eventos[1]"),
            (json!([first, second]), "400 parametro_invalido", "eventos[1]"),
            (json!([first, "der_01KAEXEMPL0000000000000009"]), "404 nao_encontrado", "eventos[1]"),
            (json!(vec!["der_01KAEXEMPL0000000000000009"; 51]), "422 limite_do_lote", "eventos"),
        ] {
            let answer = app.post(BATCHES, &json!({ "eventos": events })).await;
            assert_refusal(&answer, summary);
            assert_eq!(answer.text_at("/campos/0/campo"), field, "{}", answer.text);
        }
        // Fifty reopenings of a month, as many as there are receipts.
        let mut events = Vec::new();
        for number in 0..50 {
            let receipt = format!("1199-202610-{number:019}");
            let body = event("D-1198", json!({ "infoReabertura": { "nrReciboReab": receipt } }));
            events.push(id(&app, &body).await);
        }
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let lot = batch(&app, &events).await;
        let seen = state(&app, &lot, "").await;
        assert_eq!((&seen["status"], seen["eventos"].as_array().map(Vec::len)), (&json!("aceito"), Some(50)), "{seen}");
    }
}

both! {
    async fn a_key_stands_for_one_event_and_one_batch(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let send = async |path: &str, body: &Value| app.post_as(&app.live_key, path, body, Some("dere-1")).await;
        let first = send(EVENTS, &taxpayer()).await;
        let again = send(EVENTS, &taxpayer()).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        assert_eq!(again.body["evento_id"], first.body["evento_id"]);
        let other = send(EVENTS, &closing()).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");
        assert_eq!(other.body["evento_id"], first.body["evento_id"]);

        let body = json!({ "eventos": [first.body["evento_id"]] });
        let lot = send(BATCHES, &body).await;
        let again = send(BATCHES, &body).await;
        assert_eq!((again.summary().as_str(), again.header("idempotent-replayed")), ("201 montado", "true"));
        assert_eq!(again.body["lote_id"], lot.body["lote_id"]);
        let second = id(&app, &closing()).await;
        let other = send(BATCHES, &json!({ "eventos": [second] })).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");
        assert_eq!(other.body["lote_id"], lot.body["lote_id"]);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn without_a_certificate_nothing_is_signed_and_the_state_says_so(app: TestApp) {
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let lot = batch(&app, &[&id(&app, &taxpayer()).await]).await;
        let seen = state(&app, &lot, "?xml=1").await;
        assert_eq!((&seen["status"], &seen["assinado"]), (&json!("aceito"), &json!(false)), "{seen}");
        assert!(seen["avisos"][1].as_str().is_some_and(|notice| notice.contains("não foram assinados")), "{seen}");
        let xml = seen["eventos"][0]["xml"].as_str().expect("a document");
        assert!(!xml.contains("Signature") && xml.contains("<tpAmb>2</tpAmb>"), "{xml}");

        // A test key without a certificate has the simulated one.
        let made = ask_as(&app, &app.test_key, Method::POST, EVENTS, Some(&taxpayer())).await;
        assert_eq!(made.summary(), "201 valido", "{}", made.text);
        let event = json!({ "eventos": [made.text_at("/evento_id")] });
        assert_refusal(&app.post(BATCHES, &event).await, "404 nao_encontrado");
        let made = ask_as(&app, &app.test_key, Method::POST, BATCHES, Some(&event)).await;
        let path = format!("{BATCHES}/{}", made.text_at("/lote_id"));
        let seen = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
        assert_eq!((&seen.body["status"], &seen.body["assinado"]), (&json!("aceito"), &json!(true)), "{}", seen.text);
        assert_refusal(&app.get(&path).await, "404 nao_encontrado");
    }
}

on_sqlite! {
    async fn two_accounts_of_one_company_have_events_of_their_own(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let other = stranger(&app).await;
        app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        app.stop_clock();
        let ours = kept(&app, &taxpayer()).await;
        let theirs = ask_as(&app, &other.live_key, Method::POST, EVENTS, Some(&taxpayer())).await;
        assert_eq!(theirs.summary(), "201 valido", "{}", theirs.text);
        assert_ne!(ours.body["identificador"], theirs.body["identificador"], "one second, one company");
        let batch = json!({ "eventos": [ours.text_at("/evento_id")] });
        let answer = ask_as(&app, &other.live_key, Method::POST, BATCHES, Some(&batch)).await;
        assert_refusal(&answer, "404 nao_encontrado");
    }
}
