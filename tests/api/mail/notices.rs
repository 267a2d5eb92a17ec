//! Notices: a low balance, certificates that end, invitations.

use crate::common::{BELO_HORIZONTE, ask, cnpj};
use issuing::notices::certificates;
use reqwest::Method;
use serde_json::json;
use sim::pki::{A1Request, PfxFormat};
use std::sync::atomic::Ordering;
use store::ids::RequestId;
use store::tables::mails::MailStatus;
use store::tables::outbox;
use tests::{TestApp, both, mailed};

const DAY_MS: i64 = 24 * 3_600_000;
const ALERTA: &str = "/api/v1/creditos/alerta";

/// People of every part.
async fn team(app: &TestApp) {
    for role in [
        "dono",
        "administrador",
        "desenvolvedor",
        "financeiro",
        "leitura",
    ] {
        app.member(&format!("{role}@exemplo.com.br"), role).await;
    }
}

async fn spend(app: &TestApp, calls: usize) {
    for _ in 0..calls {
        let body = json!({ "codigo_ibge": BELO_HORIZONTE });
        let answer = app.post("/api/v1/fiscal/nfse/provedor", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

/// Waits until an account has so many mails about something, all sent.
async fn sent(app: &TestApp, subject: &str, count: usize) {
    app.until_mails(subject, |rows| {
        rows.len() == count && rows.iter().all(|row| row.status == MailStatus::Sent)
    })
    .await;
}

mailed! {
    async fn a_low_balance_is_told_once_per_crossing(app: TestApp, smtp: Smtp) {
        team(&app).await;
        let alerta = json!({ "limiares": [190], "canais": ["email", "webhook"], "telefones": [] });
        assert_eq!(ask(&app, Method::PUT, ALERTA, Some(&alerta)).await.status, 200);
        assert_eq!(app.get("/api/v1/creditos").await.body["alerta"], alerta);
        // 200, 196, 192, 188, 184.
        spend(&app, 4).await;
        sent(&app, &app.account_id, 3).await;
        let taken = smtp.until(3).await;
        let mut to: Vec<_> = taken.iter().flat_map(|taken| taken.to.clone()).collect();
        to.sort();
        assert_eq!(to, ["administrador@exemplo.com.br", "dono@exemplo.com.br", "financeiro@exemplo.com.br"]);
        let mail = taken[0].read();
        assert_eq!(mail["subject"], "Saldo baixo: restam 188 créditos");
        assert!(mail["text"].as_str().is_some_and(|text| text.contains("limiar de 190")), "{mail}");
        assert_eq!(taken[0].raw_header("auto-submitted"), "auto-generated");
        // It rises above the threshold, and falls through it again.
        let gift = app.app.db.write((app.account_id.clone(), app.app.now_ms()), |(account, now_ms), conn| Box::pin(async move {
            let movement = accounts::ledger::Movement { account_id: account, subject_id: "", operation: "teste", request_id: &RequestId::default(), payer: &accounts::ledger::NOBODY, now_ms: *now_ms };
            Ok::<_, store::TxError<std::convert::Infallible>>(accounts::ledger::gift(conn, &movement, 10, "teste").await?)
        }));
        gift.await.expect("a gift");
        spend(&app, 3).await;
        sent(&app, &app.account_id, 6).await;
        // Without the channel there are events only.
        ask(&app, Method::PUT, ALERTA, Some(&json!({ "limiares": [175], "canais": ["webhook"] }))).await;
        spend(&app, 3).await;
        // An event gets its place and its mails together.
        tests::until(async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let rows = outbox::of_subject(&mut conn, &app.account_id, &app.account_id).await.expect("events");
            match rows.iter().filter(|row| row.sequencia > 0).count() {
                3 => Ok(()),
                placed => Err(placed),
            }
        })
        .await;
        assert_eq!(app.mails(&app.account_id).await.len(), 6);
        app.check_invariants().await;
    }
}

/// The messaging app, connected.
async fn connected(backend: tests::app::Backend) -> Option<TestApp> {
    let set =
        |config: &mut base::config::Config| "chatapp".clone_into(&mut config.messaging.adapter);
    TestApp::start_with(backend, set).await
}

async fn by_chatapp(backend: tests::app::Backend) {
    let Some(app) = connected(backend).await else {
        return;
    };
    for telefones in [
        json!([]),
        json!(["11999998888"]),
        json!(["+55 11 99999-8888"]),
        json!(["+1", "+2"]),
    ] {
        let body = json!({ "limiares": [190], "canais": ["chatapp"], "telefones": telefones });
        let refused = ask(&app, Method::PUT, ALERTA, Some(&body)).await;
        crate::common::assert_refusal(&refused, "400 parametro_invalido");
    }
    let alerta = json!({ "limiares": [190], "canais": ["chatapp"], "telefones": ["+5511900000000", "+5511999998888"] });
    assert_eq!(
        ask(&app, Method::PUT, ALERTA, Some(&alerta)).await.status,
        200
    );
    assert_eq!(app.get("/api/v1/creditos").await.body["alerta"], alerta);
    // The first answer is lost: the same message is asked for again.
    let order = json!({ "quando": { "host": "chatapp.", "operacao": "enviar", "vezes": 1 }, "falha": "cortar_depois" });
    let order = serde_json::from_value(order).expect("a fault");
    assert!(app.app.simulator.sim.add_fault(order));
    spend(&app, 3).await;
    let rows = app
        .until_mails(&app.account_id, |rows| {
            rows.len() == 2
                && rows
                    .iter()
                    .all(|row| row.attempts > 0 && row.lease_until_ms == 0)
        })
        .await;
    app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
    let rows = if rows.iter().any(|row| row.status == MailStatus::Queued) {
        app.until_mails(&app.account_id, |rows| {
            rows.iter().all(|row| row.status != MailStatus::Queued)
        })
        .await
    } else {
        rows
    };
    let mut shown: Vec<_> = rows
        .iter()
        .map(|row| (row.canal.as_str(), row.status.as_str(), row.motivo.as_str()))
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("chatapp", "enviado", ""),
            ("chatapp", "falhou", "numero_sem_conta")
        ]
    );
    let recados = app.app.simulator.sim.recados();
    assert_eq!(recados.len(), 1, "{recados:?}");
    assert_eq!(recados[0].para, "+5511999998888");
    assert!(
        recados[0]
            .texto
            .starts_with("Saldo baixo: restam 188 créditos. "),
        "{recados:?}"
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_low_balance_goes_to_the_messaging_app_sqlite() {
    by_chatapp(tests::app::Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_low_balance_goes_to_the_messaging_app_postgres() {
    by_chatapp(tests::app::Backend::Postgres).await;
}

/// `certificado.expirando` of the account, days left, in order.
async fn told(app: &TestApp) -> Vec<i64> {
    let answer = app
        .get("/api/v1/eventos?tipo=certificado.expirando&limite=100")
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let items = answer.body["itens"].as_array().expect("events");
    items
        .iter()
        .filter_map(|item| item["dados"]["dias_restantes"].as_i64())
        .collect()
}

/// Waits until so many were told; what they say.
async fn until_told(app: &TestApp, count: usize) -> Vec<i64> {
    tests::until(async || {
        let told = told(app).await;
        if told.len() >= count {
            Ok(told)
        } else {
            Err(told)
        }
    })
    .await
}

/// Goes to so many milliseconds before the certificate of a year ends, and
/// looks.
async fn go(app: &TestApp, made_ms: i64, before_end_ms: i64) {
    let end_ms = made_ms + 365 * DAY_MS;
    app.ahead_ms
        .fetch_add(end_ms - before_end_ms - app.app.now_ms(), Ordering::Relaxed);
    certificates::look(&app.app).await.expect("looked");
}

both! {
    async fn a_certificate_that_ends_is_told_at_each_threshold(app: TestApp) {
        let made_ms = app.app.now_ms();
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        app.emitter_without_certificate(&cnpj("11222333"), BELO_HORIZONTE).await;
        for (before_ms, expected) in [
            (31 * DAY_MS, &[][..]),
            (30 * DAY_MS - 60_000, &[30]),
            (20 * DAY_MS, &[30]),
            (15 * DAY_MS - 60_000, &[30, 15]),
            (7 * DAY_MS - 60_000, &[30, 15, 7]),
            (DAY_MS - 60_000, &[30, 15, 7, 1]),
            (-60_000, &[30, 15, 7, 1, 0]),
            (-40 * DAY_MS, &[30, 15, 7, 1, 0]),
        ] {
            go(&app, made_ms, before_ms).await;
            let told = until_told(&app, expected.len()).await;
            assert_eq!(told, expected, "{before_ms} ms before the end");
        }
        let answer = app.get("/api/v1/eventos?tipo=certificado.expirando").await;
        let data = &answer.body["itens"][0]["dados"];
        assert_eq!((data["emitente_id"].as_str(), data["cnpj"].as_str()), (Some(emitter.as_str()), Some(cnpj("11444777").as_str())), "{}", answer.text);
        let with_test_key = crate::common::ask_as(&app, &app.test_key, Method::GET, "/api/v1/eventos?tipo=certificado.expirando", None).await;
        assert_eq!(with_test_key.body["itens"], json!([]), "production is not for test keys");
    }
}

mailed! {
    async fn people_are_told_of_a_certificate_and_of_the_next_one(app: TestApp, smtp: Smtp) {
        team(&app).await;
        let made_ms = app.app.now_ms();
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        go(&app, made_ms, 7 * DAY_MS - 60_000).await;
        let taken = smtp.until(3).await;
        let mut to: Vec<_> = taken.iter().flat_map(|taken| taken.to.clone()).collect();
        to.sort();
        assert_eq!(to, ["administrador@exemplo.com.br", "desenvolvedor@exemplo.com.br", "dono@exemplo.com.br"]);
        let mail = taken[0].read();
        assert!(mail["subject"].as_str().is_some_and(|text| text.ends_with("vence em 7 dias")), "{mail}");
        assert!(!mail["text"].as_str().is_some_and(|text| text.contains("senha")), "{mail}");
        // Another certificate takes its place: the old one is told of no more.
        let now_ms = app.app.now_ms();
        let request = A1Request { document: cnpj("11444777"), name: "EMPRESA DE TESTE LTDA".to_owned(), valid_from_ms: now_ms - DAY_MS, valid_until_ms: now_ms + 60 * DAY_MS };
        let pfx = app.app.simulator.pki.issue_a1(request).expect("certificate").pfx("outra", PfxFormat::Modern).expect("pfx");
        use base64::Engine as _;
        let body = json!({ "pfx_base64": base64::engine::general_purpose::STANDARD.encode(pfx), "senha": "outra" });
        let put = ask(&app, Method::PUT, &format!("/api/v1/emitters/{emitter}/certificado"), Some(&body)).await;
        assert_eq!(put.status, 200, "{}", put.text);
        go(&app, made_ms, -60_000).await;
        app.ahead_ms.fetch_add(24 * DAY_MS, Ordering::Relaxed);
        certificates::look(&app.app).await.expect("looked");
        let told = until_told(&app, 2).await;
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[0], 7);
        assert!((29..=30).contains(&told[1]), "{told:?}");
        smtp.until(6).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_balance_that_swings_does_not_become_a_mailing_machine() {
    let Some(smtp) = tests::smtp::Smtp::secure() else {
        return;
    };
    let change = |config: &mut base::config::Config| {
        smtp.settings(config);
        config.mail.per_account_day = 4;
    };
    let app = TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    team(&app).await;
    for (crossings, threshold) in [(1, 190), (2, 175)] {
        let alerta = json!({ "limiares": [threshold], "canais": ["email"], "telefones": [] });
        assert_eq!(
            ask(&app, Method::PUT, ALERTA, Some(&alerta)).await.status,
            200
        );
        spend(&app, 4).await;
        tests::until(async || {
            let feed = ask(&app, Method::GET, "/api/v1/eventos", None).await;
            let told = feed.text.matches("\"saldo.baixo\"").count();
            (told == crossings).then_some(()).ok_or(feed.text)
        })
        .await;
    }
    // Three people each time: the second three would be six of four.
    sent(&app, &app.account_id, 3).await;
    assert_eq!(smtp.until(3).await.len(), 3);
}
