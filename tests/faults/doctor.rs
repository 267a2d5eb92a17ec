//! What `hub doctor` says of mails that contradict what they say.

use crate::sql::execute;
use accounts::letters::{self, Letter, Sending};
use std::convert::Infallible;
use store::tables::mails::MailKind;
use store::{TxError, checks};
use tests::{TestApp, both};

const CONTENT: &str = "a mail that waits has its content";
const ADDRESS: &str = "a mail that is over has no address";
const FORGOTTEN: &str = "a content is kept for a mail that waits";

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
