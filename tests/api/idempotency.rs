//! `Idempotency-Key` on the operations that issue.

use crate::common::{BELO_HORIZONTE, DAY_MS, assert_refusal, cnpj};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::tables::idempotency::{self, Asker, Scope};
use tests::bodies::{nfse, with};
use tests::{Answer, TestApp, both};

const PATH: &str = "/api/v1/nfse";

async fn issue(app: &TestApp, key: &str, body: &Value) -> Answer {
    app.post_as(&app.live_key, PATH, body, Some(key)).await
}

/// The national rule E0713 refuses this one.
fn refused() -> Value {
    with(
        nfse(),
        "/valores/tributos_aproximados",
        json!({ "modo": "simples", "percentual": 6 }),
    )
}

both! {
    async fn the_same_request_gets_the_same_bytes(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let first = issue(&app, "pedido-1", &nfse()).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        assert_eq!(first.header("idempotent-replayed"), "");
        // Order of members and the place of the key do not matter; nor do
        // quotes around a header that is a structured string.
        let mut reordered = json!({ "idempotency_key": "pedido-1" });
        for name in ["valores", "servico", "tomador"] {
            reordered[name] = nfse()[name].clone();
        }
        for replay in [
            issue(&app, "pedido-1", &nfse()).await,
            issue(&app, "\"pedido-1\"", &nfse()).await,
            app.post(PATH, &reordered).await,
            issue(&app, "pedido-1", &reordered).await,
        ] {
            assert_eq!(replay.status, 201, "{}", replay.text);
            assert_eq!(replay.text, first.text, "byte by byte");
            assert_eq!(replay.header("idempotent-replayed"), "true");
            assert_eq!(replay.header("x-credits-charged"), "4");
        }
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_stored_refusal_points_to_is_a_whole_address() {
    let change = |config: &mut base::config::Config| {
        config.server.base_url = "https://hub.example".to_owned();
    };
    let app = TestApp::start_with(tests::app::Backend::Sqlite, change).await;
    let app = app.expect("SQLite is always there");
    app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
    let said = issue(&app, "pedido-1", &refused()).await;
    assert_refusal(&said, "422 rejeitada_pela_prefeitura");
    let page = "https://hub.example/docs/erros#rejeitada_pela_prefeitura";
    assert_eq!(said.text_at("/documentacao"), page);
    // Refused while it is read, it is the same.
    let unread = issue(&app, "pedido-2", &json!({ "nada": 1 })).await;
    assert!(
        unread
            .text_at("/documentacao")
            .starts_with("https://hub.example/docs/erros#")
    );
    // So it is of what is done to a note, and of an answer that is repeated.
    let repeated = issue(&app, "pedido-1", &refused()).await;
    assert_eq!((repeated.status, &repeated.text), (422, &said.text));
    let note = app.post("/api/v1/nfe", &tests::bodies::nfe()).await;
    assert_eq!(note.status, 201, "{}", note.text);
    let when = sim::When {
        operacao: Some("cancelar".to_owned()),
        ..sim::When::default()
    };
    app.app.simulator.sim.add_fault(sim::Fault {
        quando: when,
        falha: sim::FaultKind::Recusar,
        codigo: Some("501".to_owned()),
        ..sim::Fault::default()
    });
    let cancel = json!({ "ref": note.text_at("/nota_id"), "justificativa": "Mercadoria não saiu do estoque" });
    let refused = app.post("/api/v1/nfe/cancelar", &cancel).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let page = refused.text_at("/documentacao");
    assert!(
        page.starts_with("https://hub.example/docs/erros#"),
        "{page}"
    );
}

both! {
    async fn a_key_stands_for_one_body(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let first = issue(&app, "pedido-1", &nfse()).await;
        let other = issue(&app, "pedido-1", &with(nfse(), "/valores/servico", 10)).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");
        assert_eq!(other.text_at("/nota_id"), first.text_at("/nota_id"));
        // Test and live keys, and other operations, have keys of their own.
        let test = app.post_as(&app.test_key, PATH, &nfse(), Some("pedido-1")).await;
        assert_eq!(test.summary(), "200 validada", "{}", test.text);
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let emitir = json!({ "nota_id": draft.text_at("/nota_id") });
        let issued = app.post_as(&app.live_key, "/api/v1/nfse/emitir", &emitir, Some("pedido-1")).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        let again = app.post_as(&app.live_key, "/api/v1/nfse/emitir", &emitir, Some("pedido-1")).await;
        assert_eq!((again.status, &again.text), (201, &issued.text), "the first status, not that of an issued draft");
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_key_is_free_again_when_nothing_was_authorized(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let invalid = issue(&app, "pedido-1", &with(nfse(), "/valores/servico", 0)).await;
        assert_refusal(&invalid, "422 validacao_previa");
        let rejected = issue(&app, "pedido-1", &refused()).await;
        assert_refusal(&rejected, "422 rejeitada_pela_prefeitura");
        let again = issue(&app, "pedido-1", &refused()).await;
        assert_eq!(again.text, rejected.text, "the same body gets the same answer");
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.header("x-error-code"), "rejeitada_pela_prefeitura");
        let corrected = issue(&app, "pedido-1", &nfse()).await;
        assert_eq!(corrected.summary(), "201 autorizada", "{}", corrected.text);
        assert_eq!(corrected.body["rps"]["numero"], 1);
        let taken = issue(&app, "pedido-1", &refused()).await;
        assert_refusal(&taken, "422 chave_idempotencia_reutilizada");
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_key_is_remembered_for_a_day(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let body = with(nfse(), "/referencia", "pedido-1");
        let first = issue(&app, "pedido-1", &body).await;
        app.ahead_ms.store(DAY_MS - 60_000, Ordering::Relaxed);
        assert_eq!(issue(&app, "pedido-1", &body).await.text, first.text);
        app.ahead_ms.store(DAY_MS + 60_000, Ordering::Relaxed);
        let reference = issue(&app, "pedido-1", &body).await;
        assert_refusal(&reference, "409 ja_autorizada");
        assert_eq!(reference.text_at("/nota_id"), first.text_at("/nota_id"), "the reference has no time limit");
        let fresh = issue(&app, "pedido-1", &nfse()).await;
        assert_eq!(fresh.summary(), "201 autorizada", "{}", fresh.text);
        assert_ne!(fresh.text_at("/nota_id"), first.text_at("/nota_id"));
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_clock_that_is_ahead_for_a_while_forgets_no_key(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let first = issue(&app, "pedido-1", &nfse()).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        // A key so old that it is dropped: when it is gone, the hub has looked for old ones.
        let old = Scope {
            account_id: app.account_id.clone(),
            kind: Asker::Live,
            route: PATH.to_owned(),
            key: "antiga".to_owned(),
        };
        let input = (old.clone(), app.app.now_ms() - 30 * DAY_MS);
        let written = app.app.db.write(input, |(old, at_ms), conn| {
            Box::pin(async move {
                idempotency::take(conn, old, "", "nada", *at_ms, DAY_MS).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        });
        written.await.expect("written");
        app.ahead_ms.store(DAY_MS + 60_000, Ordering::Relaxed);
        tests::until(async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let row = idempotency::get(&mut conn, &old).await.expect("database");
            row.map_or(Ok(()), Err)
        })
        .await;
        app.ahead_ms.store(0, Ordering::Relaxed);
        let again = issue(&app, "pedido-1", &nfse()).await;
        assert_eq!(again.text, first.text, "the same note");
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn wrong_keys_are_refused(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let both = with(nfse(), "/idempotency_key", "outra");
        assert_refusal(&issue(&app, "pedido-1", &both).await, "400 idempotencia_divergente");
        for header in ["", " ", "com espaço", "\"\"", &"x".repeat(256)] {
            assert_refusal(&issue(&app, header, &nfse()).await, "400 parametro_invalido");
        }
        for field in [json!(""), json!(7), json!("é"), json!("x".repeat(256)), json!(["a"])] {
            assert_refusal(&app.post(PATH, &with(nfse(), "/idempotency_key", field)).await, "400 parametro_invalido");
        }
        assert_eq!(app.app.simulator.sim.notas().len(), 0);
        let longest = "x".repeat(255);
        assert_eq!(issue(&app, &longest, &nfse()).await.summary(), "201 autorizada");
        let null = app.post(PATH, &with(nfse(), "/idempotency_key", Value::Null)).await;
        assert_eq!(null.summary(), "201 autorizada", "{}", null.text);
    }
}

both! {
    async fn the_same_request_many_times_at_once_is_one_note(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let answers = futures::future::join_all((0..8).map(|_| async { issue(&app, "pedido-1", &nfse()).await })).await;
        let first = answers.iter().find(|answer| answer.header("idempotent-replayed").is_empty()).expect("one began it");
        for answer in &answers {
            assert_eq!((answer.status, &answer.text), (201, &first.text));
        }
        assert_eq!(answers.iter().filter(|answer| answer.header("idempotent-replayed") == "true").count(), 7);
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}
