//! What `hub doctor` says of mails that contradict what they say, of usage that was counted
//! wrong, and of deliveries of nothing.

use crate::sql::execute;
use accounts::letters::{self, Letter, Sending};
use std::convert::Infallible;
use store::tables::mails::MailKind;
use store::{TxError, checks};
use tests::bodies::nfse;
use tests::{TestApp, both};

const CONTENT: &str = "a mail that waits has its content";
const ADDRESS: &str = "a mail that is over has no address";
const CALLS: &str = "usage has counted every call of a day once";
const CREDITS: &str = "usage has counted every credit of a day once";
const FORGOTTEN: &str = "a content is kept for a mail that waits";
const DELIVERY: &str = "a delivery has its event and its account";

/// A mail that waits: nobody sends it here.
async fn queued(app: &TestApp) {
    let letter = Letter::Saldo {
        conta: "Teste".to_owned(),
        saldo: 10,
        limiar: 20,
    };
    let (account, to) = (&app.account_id, ["ana@exemplo.com.br".to_owned()]);
    let sending = Sending::new(
        account,
        MailKind::Balance,
        account,
        &letter,
        &to,
        app.app.now_ms(),
    );
    let written = app
        .app
        .db
        .write(sending.expect("a content"), |sending, conn| {
            Box::pin(
                async move { Ok::<_, TxError<Infallible>>(letters::queue(conn, sending).await?) },
            )
        });
    written.await.expect("written");
}

both! {
    async fn a_mail_and_its_content_go_together(app: TestApp) {
        for (damage, rules) in [
            ("UPDATE mails SET motivo = '451'", &[][..]),
            ("DELETE FROM mail_contents", &[CONTENT]),
            ("UPDATE mails SET status = 'enviado'", &[ADDRESS, FORGOTTEN]),
            ("UPDATE mails SET status = 'falhou', destino = ''", &[FORGOTTEN]),
            ("DELETE FROM mails", &[FORGOTTEN]),
        ] {
            queued(&app).await;
            execute(&app.app.db, damage).await;
            let mut conn = app.app.db.read().await.expect("connection");
            let findings = checks::run(&mut conn).await.expect("checks");
            drop(conn);
            let told: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
            assert_eq!(told, rules, "{damage}");
            for rest in ["DELETE FROM mails", "DELETE FROM mail_contents"] {
                execute(&app.app.db, rest).await;
            }
        }
    }
}

both! {
    async fn usage_is_counted_again(app: TestApp) {
        app.emitter("11222333000181", "3106200").await;
        for _ in 0..3 {
            let note = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(note.status, 201, "{}", note.text);
        }
        app.calls_logged().await;
        let told = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let findings = checks::run(&mut conn).await.expect("checks");
            findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(told().await, Vec::<&str>::new());
        for (damage, repair, rule) in [
            ("UPDATE usage_calls SET calls = calls + 1", "UPDATE usage_calls SET calls = calls - 1", CALLS),
            ("UPDATE usage_credits SET debited = debited - 1", "UPDATE usage_credits SET debited = debited + 1", CREDITS),
            ("DELETE FROM usage_credits", "", CREDITS),
        ] {
            execute(&app.app.db, damage).await;
            let found = told().await;
            assert!(!found.is_empty() && found.iter().all(|one| *one == rule), "{damage}: {found:?}");
            if !repair.is_empty() {
                execute(&app.app.db, repair).await;
                assert_eq!(told().await, Vec::<&str>::new(), "{repair}");
            }
        }
    }
}

both! {
    async fn a_delivery_without_its_event_or_its_account_is_found(app: TestApp) {
        let told = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let findings = checks::run(&mut conn).await.expect("checks");
            findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        // Its id is that of a young one, and it waits for nothing: the hub leaves it alone.
        execute(
            &app.app.db,
            "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, round_ms, due_ms, created_at_ms, updated_at_ms) \
             SELECT 'ent_zzz', a.id, 'live', 'whk_1', 'evt_zzz', 'nfe.autorizada', 'falhou', 0, 0, 0, 0 FROM accounts a LIMIT 1",
        )
        .await;
        assert_eq!(told().await, [DELIVERY]);
        execute(
            &app.app.db,
            "INSERT INTO outbox (id, account_id, tipo, subject_id, payload, created_at_ms, teste) \
             SELECT 'evt_zzz', a.id, 'nfe.autorizada', '', '{}', 9000000000000, 1 FROM accounts a LIMIT 1",
        )
        .await;
        assert_eq!(told().await, Vec::<&str>::new());
        execute(&app.app.db, "UPDATE deliveries SET account_id = 'con_nobody'").await;
        assert_eq!(told().await, [DELIVERY]);
    }
}
