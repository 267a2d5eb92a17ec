//! The second factor of operators: what it keeps closed, and for whom.

use crate::admin::{Desk, TOKEN, said};
use crate::operator::Browser;
use crate::queues::CHANGES;
use accounts::users::totp;
use base::config::Admin;
use reqwest::header::LOCATION;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::app::Backend;

/// How long an authenticator shows a code.
const STEP_MS: i64 = 30_000;
/// Time after which codes may be guessed again.
const PAUSE_MS: i64 = 15 * 60_000;

/// A listener that asks for codes, and the secret that makes them.
async fn opened() -> (Desk, Vec<u8>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("totp");
    let secret = totp::new_secret().expect("randomness").to_vec();
    std::fs::write(&file, format!("{}\n", *totp::base32(&secret))).expect("secret");
    let change = |settings: &mut Admin| settings.totp_file = file;
    let desk = Desk::open_with(Backend::Sqlite, change).await;
    let desk = desk.expect("always there");
    desk.stage.app.stop_clock();
    (desk, secret, folder)
}

/// Asks for a change of a limit with a code.
async fn limit(desk: &Desk, code: Option<&str>) -> (u16, Value) {
    let id = &desk.stage.app.account_id;
    let url = format!("{}/admin/v1/accounts/{id}/limits", desk.base);
    let mut request = desk.client.post(url).bearer_auth(TOKEN);
    if let Some(code) = code {
        request = request.header("x-totp", code);
    }
    said(request.body(json!({ "requisicoes_por_minuto": 50 }).to_string())).await
}

/// A code that is not the one of now.
fn wrong(code: &str) -> String {
    let last = if code.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &code[..5])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_change_nothing_without_a_code() {
    let (desk, secret, _folder) = opened().await;
    let now_ms = desk.stage.app.app.now_ms();
    let code = totp::code(&secret, now_ms);
    for given in [None, Some(""), Some("abc"), Some(wrong(&code).as_str())] {
        let (status, answer) = limit(&desk, given).await;
        assert_eq!(status, 401, "{given:?}: {answer}");
        assert!(
            answer["mensagem"]
                .as_str()
                .is_some_and(|text| text.contains("segundo fator"))
        );
    }
    // A code is good for one change, and for nothing after it; reading needs none.
    assert_eq!(limit(&desk, Some(&code)).await.0, 200);
    let (status, answer) = limit(&desk, Some(&code)).await;
    assert_eq!(status, 401, "{answer}");
    assert!(
        answer["mensagem"]
            .as_str()
            .is_some_and(|text| text.contains("já foi usado"))
    );
    let url = format!("{}/admin/v1/accounts", desk.base);
    assert_eq!(said(desk.client.get(url).bearer_auth(TOKEN)).await.0, 200);
    for path in CHANGES.into_iter().chain(["/adapters/dps/promote"]) {
        let url = format!("{}/admin/v1{path}", desk.base);
        let change = desk.client.post(url).bearer_auth(TOKEN);
        assert_eq!(said(change).await.0, 401, "{path}");
    }
    // The next one is good for the next change.
    desk.stage
        .app
        .ahead_ms
        .fetch_add(STEP_MS, Ordering::Relaxed);
    let next = totp::code(&secret, desk.stage.app.app.now_ms());
    assert_eq!(limit(&desk, Some(&next)).await.0, 200);
    // A code of another time is none.
    desk.stage
        .app
        .ahead_ms
        .fetch_add(120_000, Ordering::Relaxed);
    assert_eq!(limit(&desk, Some(&code)).await.0, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn codes_are_not_guessed() {
    let (desk, secret, _folder) = opened().await;
    let ahead = &desk.stage.app.ahead_ms;
    let code = || totp::code(&secret, desk.stage.app.app.now_ms());
    // Who forgets the code guesses nothing.
    for _ in 0..20 {
        assert_eq!(limit(&desk, None).await.0, 401);
    }
    assert_eq!(limit(&desk, Some(&code())).await.0, 200);
    for _ in 0..10 {
        assert_eq!(limit(&desk, Some(&wrong(&code()))).await.0, 401);
    }
    let (status, answer) = limit(&desk, Some(&code())).await;
    assert_eq!(status, 401, "the right one comes too late");
    assert!(
        answer["mensagem"]
            .as_str()
            .is_some_and(|text| text.contains("errados demais"))
    );
    ahead.fetch_add(PAUSE_MS, Ordering::Relaxed);
    assert_eq!(limit(&desk, Some(&code())).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_begins_one_session() {
    let (desk, secret, _folder) = opened().await;
    let code = totp::code(&secret, desk.stage.app.app.now_ms());
    let browser = Browser::of(desk);
    let page = browser.page("/operador/entrar").await;
    assert!(page.text.contains("name=\"codigo\""), "{}", page.text);
    let without = browser.send("/operador/entrar", &[("token", TOKEN)]).await;
    assert_eq!(without.status, 422);
    let foreign = browser
        .send("/operador/entrar", &[("token", "x"), ("codigo", &code)])
        .await;
    assert_eq!(foreign.status, 422);
    assert!(foreign.text.contains("O token não é"), "{}", foreign.text);
    let fields = [("token", TOKEN), ("codigo", code.as_str())];
    // The code of a change begins no session.
    assert_eq!(limit(&browser.desk, Some(&code)).await.0, 200);
    assert_eq!(browser.send("/operador/entrar", &fields).await.status, 422);
    let ahead = &browser.desk.stage.app.ahead_ms;
    ahead.fetch_add(STEP_MS, Ordering::Relaxed);
    let code = totp::code(&secret, browser.desk.stage.app.app.now_ms());
    let fields = [("token", TOKEN), ("codigo", code.as_str())];
    let entered = browser.send("/operador/entrar", &fields).await;
    assert_eq!(
        (entered.status, entered.header(LOCATION)),
        (303, "/operador")
    );
    let again = browser.send("/operador/entrar", &fields).await;
    assert_eq!(again.status, 422);
    assert!(again.text.contains("já foi usado"), "{}", again.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_that_is_none_opens_no_listener() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let folder = tempfile::tempdir().expect("folder");
    let (token, file) = (folder.path().join("token"), folder.path().join("totp"));
    std::fs::write(&token, TOKEN).expect("token");
    for text in ["", "not base 32", "MFRGG"] {
        std::fs::write(&file, text).expect("secret");
        let mut settings = crate::admin::settings(&token);
        settings.totp_file.clone_from(&file);
        let app = &desk.stage.app.app;
        let router = hub::admin::router(&app.services, &app.releases, &settings);
        let error = format!("{:#}", router.expect_err("no secret"));
        assert!(error.starts_with("admin.totp_file "), "{error}");
        assert!(
            error.ends_with("no secret of `hub second-factor`"),
            "{error}"
        );
    }
}
