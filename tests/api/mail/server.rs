//! Mail servers that refuse, are slow, or are not there.

use super::service;
use serde_json::json;
use std::sync::atomic::Ordering;
use store::tables::mails::MailStatus;
use tests::app::Backend;
use tests::smtp::Smtp;
use tests::{TestApp, mailed};

const ANA: &str = "ana@exemplo.com.br";

mailed! {
    async fn a_permanent_refusal_is_the_end_and_a_temporary_one_is_not(app: TestApp, smtp: Smtp) {
        let note = service(&app).await;
        let id = note.text_at("/nota_id");
        smtp.mode(&json!({ "rcpt": { "ninguem@exemplo.com.br": "550 5.1.1 no such user ninguem@exemplo.com.br", ANA: "451 4.7.1 come later" } }));
        let body = json!({ "para": ["ninguem@exemplo.com.br", ANA, "bruno@exemplo.com.br"] });
        assert_eq!(app.email(id, &body, None).await.status, 202);
        let rows = app.until_mails(id, |rows| rows.iter().all(|row| row.attempts == 1 && row.lease_until_ms == 0)).await;
        let shown: Vec<_> = rows.iter().map(|row| (row.status.as_str(), row.motivo.as_str(), row.destino.as_str())).collect();
        assert_eq!(shown, [("falhou", "550", ""), ("fila", "451", ANA), ("enviado", "", "")]);
        assert!((1..=60_000).contains(&(rows[1].due_ms - app.app.now_ms())), "the first pause");
        // Refused after its contents: the same.
        smtp.mode(&json!({ "data": "452 4.3.1 full" }));
        app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
        app.until_mails(id, |rows| rows[1].attempts == 2 && rows[1].motivo == "452").await;
        smtp.mode(&json!({}));
        app.ahead_ms.fetch_add(301_000, Ordering::Relaxed);
        let rows = app.until_mails(id, |rows| rows[1].status == MailStatus::Sent).await;
        assert_eq!(rows[1].attempts, 3);
        let taken = smtp.until(2).await;
        assert_eq!(taken[1].to, [ANA]);
        let files = taken[1].read()["files"].as_array().map(Vec::len);
        assert_eq!(files, Some(2), "the content stayed for who waited");
        let mut conn = app.app.db.read().await.expect("connection");
        assert!(store::tables::mails::content(&mut conn, &rows[1]).await.expect("database").is_none());
    }
}

mailed! {
    async fn what_is_never_taken_is_given_up(app: TestApp, smtp: Smtp) {
        let note = service(&app).await;
        let id = note.text_at("/nota_id");
        smtp.mode(&json!({ "data": "421 4.3.2 going down" }));
        assert_eq!(app.email(id, &json!({ "para": [ANA] }), None).await.status, 202);
        for attempt in 1..=6 {
            let rows = app.until_mails(id, |rows| rows[0].attempts == attempt && rows[0].lease_until_ms == 0).await;
            assert_eq!(rows[0].status, if attempt == 6 { MailStatus::Failed } else { MailStatus::Queued });
            app.ahead_ms.fetch_add(21_601_000, Ordering::Relaxed);
        }
        assert_eq!((smtp.taken().len(), app.mails(id).await[0].destino.as_str()), (0, ""));
    }
}

/// A hub with a mail setting that is wrong; how its mail fares.
async fn with(change: impl FnOnce(&mut base::config::Mail)) -> Option<(TestApp, Smtp, String)> {
    let smtp = Smtp::secure()?;
    let set = |config: &mut base::config::Config| {
        smtp.settings(config);
        change(&mut config.mail);
    };
    let app = TestApp::start_with(Backend::Sqlite, set).await?;
    let note = service(&app).await;
    let id = note.text_at("/nota_id").to_owned();
    let asked = app.email(&id, &json!({ "para": [ANA] }), None).await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    Some((app, smtp, id))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_cannot_be_trusted_gets_nothing() {
    let changes: [fn(&mut base::config::Mail); 4] = [
        |mail| mail.ca = std::path::PathBuf::new(),
        |mail| "127.0.0.1".clone_into(&mut mail.host),
        |mail| mail.password = "outra".into(),
        |mail| mail.port = 1,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let Some((app, smtp, id)) = with(change).await else {
            return;
        };
        let rows = app
            .until_mails(&id, |rows| {
                rows[0].attempts == 1 && rows[0].lease_until_ms == 0
            })
            .await;
        assert_eq!(
            (rows[0].status.as_str(), rows[0].motivo.as_str()),
            ("fila", "servidor de e-mail indisponível"),
            "{index}"
        );
        assert!(smtp.taken().is_empty(), "{index}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_server_holds_up_nobody_and_is_tried_again() {
    let Some(smtp) = Smtp::secure() else { return };
    smtp.mode(&json!({ "hold": true }));
    let set = |config: &mut base::config::Config| {
        smtp.settings(config);
        config.mail.timeout_ms = 5_000;
    };
    let app = TestApp::start_with(Backend::Sqlite, set).await;
    let app = app.expect("SQLite is always there");
    let note = service(&app).await;
    let id = note.text_at("/nota_id");
    assert_eq!(
        app.email(id, &json!({ "para": [ANA] }), None).await.status,
        202
    );
    let rows = app
        .until_mails(id, |rows| {
            rows[0].attempts == 1 && rows[0].lease_until_ms == 0
        })
        .await;
    assert_eq!(
        (rows[0].status.as_str(), rows[0].motivo.as_str()),
        ("fila", "tempo esgotado")
    );
    smtp.mode(&json!({}));
    app.ahead_ms.fetch_add(61_000, Ordering::Relaxed);
    app.until_mails(id, |rows| rows[0].status == MailStatus::Sent)
        .await;
    let taken = smtp.until(2).await;
    let ids: Vec<_> = taken
        .iter()
        .map(|taken| taken.raw_header("message-id"))
        .collect();
    assert_eq!(ids[0], ids[1], "whoever got both knows that they are one");
    assert!(
        ids[0].contains("eml_") && ids[0].ends_with("@hub.exemplo.com.br>"),
        "{ids:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_speaks_tls_from_the_first_byte_is_spoken_to_so() {
    let Some(smtp) = Smtp::wrapped() else { return };
    let app = smtp.app(Backend::Sqlite).await;
    let app = app.expect("SQLite is always there");
    let note = service(&app).await;
    let id = note.text_at("/nota_id");
    assert_eq!(
        app.email(id, &json!({ "para": [ANA] }), None).await.status,
        202
    );
    let taken = smtp.until(1).await.remove(0);
    assert_eq!(
        (taken.tls, taken.user.as_str(), taken.to.as_slice()),
        (true, tests::smtp::USER, [ANA.to_owned()].as_slice())
    );
}
