//! The job: which addresses are asked, what is kept, and who is told.

use super::{BROKEN, CLOSED, FINE, INTERNAL, MOODY, PLAIN, STRANGE, Servers, official, round};
use flow::registry::Registry;
use issuing::notices::coverage;
use measured::job::Job;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::TestApp;
use tests::app::Backend;

async fn access(app: &TestApp, ibge: &str) -> Value {
    let path = format!("/api/v1/nfse/cobertura?codigo_ibge={ibge}");
    let answer = app.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    // What the registry says does not change with what is measured; what this hub never
    // sends to is no answer of yes.
    let closed = answer.text_at("/acesso/estado") == "sem_tls";
    let expected = if closed { "não" } else { "sim" };
    assert_eq!(answer.text_at("/resposta"), expected, "{}", answer.text);
    answer.body["acesso"].clone()
}

async fn told(app: &TestApp, least: usize) -> Vec<Value> {
    coverage::look(&app.app).await.expect("looked");
    app.until_told("/api/v1/eventos?cursor=0&tipo=cobertura.mudou", least)
        .await
}

async fn asked_in_turn(backend: Backend) {
    let Some(app) = official(backend, |_| {}).await else {
        return;
    };
    app.stop_clock();
    let servers = Servers::start().await;
    let registry = Registry::parse(&servers.registry());
    app.app.registry.replace(registry.expect("registry"));
    let emitter = app.emitter("11444777000161", MOODY).await;
    assert_eq!(access(&app, FINE).await["estado"], "nao_medido");
    assert_eq!(access(&app, PLAIN).await["estado"], "sem_tls");
    coverage::look(&app.app).await.expect("looked");

    // Two nodes on one database.
    let mut jobs = [
        Job::open(&app.app).await.expect("a job"),
        Job::open(&app.app).await.expect("a job"),
    ];
    round(&app, &mut jobs).await;
    let before = servers.fine.heads().len();
    round(&app, &mut jobs).await;
    assert_eq!(
        servers.fine.heads().len(),
        before + 1,
        "one node asked, once"
    );
    let heads = servers.fine.heads();
    assert!(
        heads[0].starts_with("GET /ws/nfse.asmx?wsdl HTTP/1.1\r\n"),
        "{heads:?}"
    );
    assert!(heads[0].contains("user-agent: hub/"), "{heads:?}");
    assert!(!heads[0].contains("authorization"), "{heads:?}");
    assert!(
        servers.fine.names().iter().all(String::is_empty),
        "no certificate was shown"
    );

    for (ibge, state, result) in [
        (FINE, "responde", "wsdl"),
        (CLOSED, "instavel", "sem_conexao"),
        (STRANGE, "instavel", "falha_tls"),
        (BROKEN, "instavel", "erro_http"),
        // Not asked, so nothing is known of it: it is not out of service.
        (INTERNAL, "nao_medido", "bloqueado"),
        (MOODY, "responde", "responde"),
    ] {
        let seen = access(&app, ibge).await;
        assert_eq!(
            (&seen["estado"], &seen["resultado"]),
            (&json!(state), &json!(result)),
            "{ibge}: {seen}"
        );
        assert!(
            seen["medido_em"].is_string() && seen["latencia_ms"].is_i64(),
            "{seen}"
        );
    }

    // One node goes on: it hears those that answer.
    let [job, _] = &mut jobs;
    let job = std::slice::from_mut(job);
    servers.well.store(false, Ordering::Relaxed);
    round(&app, job).await;
    round(&app, job).await;
    assert_eq!(access(&app, MOODY).await["estado"], "instavel");
    coverage::look(&app.app).await.expect("looked");
    round(&app, job).await;
    for (ibge, state) in [
        (CLOSED, "fora"),
        (STRANGE, "fora"),
        (BROKEN, "instavel"),
        (MOODY, "fora"),
        (FINE, "responde"),
    ] {
        assert_eq!(access(&app, ibge).await["estado"], state, "{ibge}");
    }
    // Told once, and once more when it answers again.
    told(&app, 1).await;
    let events = told(&app, 1).await;
    assert_eq!(events.len(), 1, "{events:?}");
    let data = &events[0]["dados"];
    assert_eq!(data["emitente_id"], json!(emitter));
    assert!(data["antes"]["fora_do_ar_desde"].is_null(), "{data}");
    let since = data["agora"]["fora_do_ar_desde"]
        .as_str()
        .expect("a moment");
    assert_eq!(
        Some(since),
        access(&app, MOODY).await["falha_desde"].as_str()
    );
    servers.well.store(true, Ordering::Relaxed);
    round(&app, job).await;
    told(&app, 2).await;
    let events = told(&app, 2).await;
    assert_eq!(events.len(), 2, "{events:?}");
    let data = &events[1]["dados"];
    assert_eq!(data["antes"]["fora_do_ar_desde"], json!(since), "{data}");
    assert!(data["agora"]["fora_do_ar_desde"].is_null(), "{data}");

    let all = app.post("/api/v1/fiscal/nfse/provedores", &json!({})).await;
    let counts = &all.body["provedores"][0]["acesso"];
    assert_eq!(
        counts,
        &json!({
            "enderecos": 7, "respondem": 2, "instaveis": 1, "fora": 2, "sem_tls": 1, "nao_medidos": 1,
            "medido_em": counts["medido_em"],
        })
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_are_asked_in_turn_and_changes_are_told_on_sqlite() {
    asked_in_turn(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_are_asked_in_turn_and_changes_are_told_on_postgres() {
    asked_in_turn(Backend::Postgres).await;
}

/// A node that hears nobody has lost its own network.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_do_not_count_while_nobody_answers() {
    let app = official(Backend::Sqlite, |_| {}).await.expect("a hub");
    app.stop_clock();
    let servers = Servers::start().await;
    let only = format!(
        "{}{}",
        tests::registry::HEAD,
        tests::registry::city(CLOSED, &format!("https://localhost:{}/ws", servers.closed))
    );
    let registry = Registry::parse(&only).expect("registry");
    app.app.registry.replace(registry);
    let mut jobs = [Job::open(&app.app).await.expect("a job")];
    for _ in 0..5 {
        round(&app, &mut jobs).await;
    }
    let seen = access(&app, CLOSED).await;
    assert_eq!(
        (&seen["estado"], &seen["resultado"]),
        (&json!("instavel"), &json!("sem_conexao")),
        "{seen}"
    );
}
