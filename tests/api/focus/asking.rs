//! Asking for a note while it becomes one.

use super::bodies::{nfe, nfse};
use super::{get, opened, post};
use futures::future::join_all;
use tests::TestApp;

/// Asks without a pause until an answer says that the note is authorized.
///
/// # Panics
/// That answer does not name the note's files.
async fn until_authorized(app: &TestApp, path: &str) {
    loop {
        let answer = get(app, path).await;
        match (answer.status, answer.text_at("/status")) {
            // Who asks so often may be told to wait.
            (200, "processando_autorizacao") | (429, _) => {}
            (200, "autorizado") => {
                let file = answer.text_at("/caminho_xml_nota_fiscal");
                assert!(!file.is_empty(), "{}", answer.text);
                return;
            }
            _ => panic!("{path}: {}", answer.text),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_authorized_note_is_never_shown_without_its_files() {
    let app = opened().await;
    for (segment, body) in [("nfe", nfe(&app)), ("nfse", nfse(&app))] {
        for number in 0..5 {
            let reference = format!("{segment}-{number}");
            let taken = post(&app, &format!("/v2/{segment}?ref={reference}"), &body).await;
            assert_eq!(taken.status, 202, "{}", taken.text);
            let path = format!("/v2/{segment}/{reference}");
            join_all((0..4).map(|_| until_authorized(&app, &path))).await;
        }
    }
    app.check_invariants().await;
}
