//! Whose note a reference is of, and the forms in which it may be given.

use super::bodies::nfe;
use super::{CNPJ, call_as, delete, get, open, opened, over, post};
use crate::common::BELO_HORIZONTE;
use reqwest::Method;
use serde_json::json;
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::{nfe as own_nfe, with};

const SECOND: &str = "11444777000161";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reference_is_of_one_company_of_the_account() {
    let app = opened().await;
    let second = app.emitter(SECOND, BELO_HORIZONTE).await;
    assert_eq!(post(&app, "/v2/nfe?ref=a", &nfe(&app)).await.status, 202);
    let first = over(&app, "/v2/nfe/a").await;
    assert_eq!(first.text_at("/cnpj_emitente"), CNPJ, "{}", first.text);

    // An answer that said "authorized" would be taken for the second company's note.
    let theirs = with(nfe(&app), "/cnpj_emitente", SECOND);
    let refused = post(&app, "/v2/nfe?ref=a", &theirs).await;
    assert_eq!(
        refused.summary(),
        "422 ref_de_outra_empresa",
        "{}",
        refused.text
    );
    assert_eq!(app.balance().await, (196, 0));

    // Our own API lets each company use it: then nobody guesses whose note is meant.
    let body = with(own_nfe(), "/emitente_id", second);
    let issued = app
        .post("/api/v1/nfe", &with(body, "/referencia", "a"))
        .await;
    assert_eq!(issued.status, 201, "{}", issued.text);
    for answer in [
        get(&app, "/v2/nfe/a").await,
        delete(&app, "/v2/nfe/a").await,
    ] {
        assert_eq!(
            answer.summary(),
            "422 ref_de_outra_empresa",
            "{}",
            answer.text
        );
    }
    let list = app.get("/api/v1/nfe?status=autorizada").await;
    let left = list.body["itens"].as_array().map(Vec::len);
    assert_eq!(left, Some(2), "{}", list.text);
    at_once(&app).await;
}

/// Of two companies that come at once with one reference, one issues, and the reference is
/// its note's.
async fn at_once(app: &TestApp) {
    let (ours, theirs) = (nfe(app), with(nfe(app), "/cnpj_emitente", SECOND));
    for reference in ["d", "e", "f"] {
        let path = format!("/v2/nfe?ref={reference}");
        let (one, other) = futures::join!(post(app, &path, &ours), post(app, &path, &theirs));
        let mut told = [one.summary(), other.summary()];
        told.sort_unstable();
        assert_eq!(
            told,
            ["202 processando_autorizacao", "422 ref_de_outra_empresa"],
            "{} {}",
            one.text,
            other.text
        );
        let note = over(app, &format!("/v2/nfe/{reference}")).await;
        assert_eq!(note.summary(), "200 autorizado", "{}", note.text);
    }
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_companies_at_once_one_issues_postgres() {
    if let Some(app) = open(Backend::Postgres).await {
        app.emitter(SECOND, BELO_HORIZONTE).await;
        at_once(&app).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_examples_find_their_note() {
    let app = opened().await;
    assert_eq!(post(&app, "/v2/nfe?ref=b", &nfe(&app)).await.status, 202);
    let note = over(&app, "/v2/nfe/b.json").await;
    assert_eq!(
        (note.summary().as_str(), note.text_at("/ref")),
        ("200 autorizado", "b"),
        "{}",
        note.text
    );
    for path in ["/v2/nfe/c.json", "/v2/nfe/.json", "/v2/nfe/%FF"] {
        let answer = get(&app, path).await;
        assert_eq!(
            answer.summary(),
            "404 nao_encontrado",
            "{path}: {}",
            answer.text
        );
    }
    // A DELETE without a body has its reason in the address.
    let path = "/v2/nfe/b.json?justificativa=Pedido%20desfeito%20pelo%20cliente";
    let gone = call_as(&app, &app.live_key, Method::DELETE, path, None).await;
    assert_eq!(gone.summary(), "200 cancelado", "{}", gone.text);
    let whole = get(&app, "/v2/nfe/b?completa=1").await;
    assert_eq!(
        whole.body["requisicao_cancelamento"]["justificativa"],
        json!("Pedido desfeito pelo cliente"),
        "{}",
        whole.text
    );
}
