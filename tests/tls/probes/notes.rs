//! What became of real notes is counted where they are settled.

use super::front::Front;
use super::official;
use flow::registry::Registry;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::ids::AccountId;
use store::tables::nfse_outcomes::{self, NfseOutcome, Settled};
use store::words::Ambiente;
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::nfse;

const BELO_HORIZONTE: &str = "3106200";
const NATIONAL: &str = "sefin.nfse.gov.br";
const PATH: &str = "/api/v1/nfse";

/// Rows of a statement with three columns of text, on either engine.
async fn rows(app: &TestApp, sql: &'static str) -> Vec<(String, String, i64)> {
    let config = &app.app.config;
    let url = config.database_url();
    let sql = AssertSqlSafe(sql);
    if config.database.url.is_empty() {
        let mut conn = SqliteConnection::connect(&url).await.expect("connection");
        return sqlx::query_as(sql)
            .fetch_all(&mut conn)
            .await
            .expect("rows");
    }
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    sqlx::query_as(sql)
        .fetch_all(&mut conn)
        .await
        .expect("rows")
}

/// What is counted is what a look at all notes finds.
async fn assert_counted(app: &TestApp, all: i64) {
    let counted = rows(
        app,
        "SELECT municipio || '/' || ambiente || '/' || account_id, resultado, CAST(SUM(notas) AS BIGINT) FROM nfse_outcomes \
         GROUP BY municipio, ambiente, account_id, resultado ORDER BY 1, 2",
    );
    let found = rows(
        app,
        "SELECT municipio || '/' || ambiente || '/' || account_id, CASE status WHEN 'rejeitada' THEN 'recusada' WHEN 'nao_enviada' THEN 'falhou' ELSE 'emitida' END, \
         COUNT(*) FROM notas WHERE modelo = 'nfse' AND simulada = 0 AND status IN ('autorizada', 'cancelada', 'rejeitada', 'nao_enviada') \
         GROUP BY 1, 2 ORDER BY 1, 2",
    );
    let (counted, found) = (counted.await, found.await);
    assert_eq!(counted, found);
    assert_eq!(
        counted.iter().map(|row| row.2).sum::<i64>(),
        all,
        "{counted:?}"
    );
}

async fn evidence(app: &TestApp) -> Value {
    let path = format!("/api/v1/nfse/cobertura?codigo_ibge={BELO_HORIZONTE}");
    app.get(&path).await.body["evidencia"].clone()
}

/// A note of another account, counted as its settlement counts it.
async fn of_another(app: &TestApp, account: String) {
    let input = (account, app.app.now_ms());
    let written = app.app.db.write(input, |(account, now_ms), conn| {
        Box::pin(async move {
            let settled = Settled {
                municipality: BELO_HORIZONTE,
                ambiente: Ambiente::Production,
                day: measured::usage::day(*now_ms),
                account_id: &AccountId::from(account.as_str()),
                outcome: NfseOutcome::Issued,
                reason: "",
                now_ms: *now_ms,
            };
            Ok::<_, TxError<Infallible>>(nfse_outcomes::add(conn, &settled).await?)
        })
    });
    written.await.expect("written");
}

async fn counted(backend: Backend) {
    let Some(app) = official(backend, |config| config.probes.enabled = false).await else {
        return;
    };
    let sim = app.app.simulator.sim.clone();
    let front = Front::start(sim.clone(), NATIONAL).await;
    let text = flow::registry::BUILT_IN.replace(
        &format!("sefin = \"https://{NATIONAL}/SefinNacional\""),
        &format!("sefin = \"https://localhost:{}/SefinNacional\"", front.port),
    );
    let registry = Registry::parse(&text).expect("a registry");
    app.app.registry.replace(registry);
    app.emitter("11222333000181", BELO_HORIZONTE).await;

    let silent = evidence(&app).await;
    assert!(
        silent["ultima_emissao_em"].is_null() && silent["amostra_classe"].is_null(),
        "{silent}"
    );
    let issued = app.post(PATH, &nfse()).await;
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    assert_eq!(issued.body["simulada"], false, "{}", issued.text);
    assert_counted(&app, 1).await;
    // Those of test keys are nobody's.
    let test = app.post_as(&app.test_key, PATH, &nfse(), None).await;
    assert_eq!(test.summary(), "200 validada", "{}", test.text);
    assert_counted(&app, 1).await;

    sim.add_fault(sim::Fault {
        falha: sim::FaultKind::Recusar,
        codigo: Some("E9876".to_owned()),
        ..Default::default()
    });
    assert_eq!(app.post(PATH, &nfse()).await.status, 422);
    sim.clear_faults();
    assert_counted(&app, 2).await;
    front.shut.store(true, Ordering::Relaxed);
    let lost = app.post(PATH, &nfse()).await;
    assert_eq!(lost.status, 503, "{}", lost.text);
    front.shut.store(false, Ordering::Relaxed);
    assert_counted(&app, 3).await;
    // A cancellation is no other note.
    let id = issued.text_at("/nota_id");
    let body = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Valor errado na nota" });
    let cancelled = app.post("/api/v1/nfse/cancelar", &body).await;
    assert!(cancelled.status < 300, "{}", cancelled.text);
    app.until_note(id, "cancelada").await;
    assert_counted(&app, 3).await;

    // Of one account only the day and a class are shown.
    let seen = evidence(&app).await;
    let today = base::when::utc(app.app.now_ms()).date().to_string();
    assert_eq!(seen["ultima_emissao_em"], json!(today), "{seen}");
    assert_eq!(seen["amostra_classe"], "menos_de_10", "{seen}");
    assert!(
        seen["amostra"].is_null()
            && seen["taxa_sucesso"].is_null()
            && seen["taxa_sucesso_classe"].is_null(),
        "{seen}"
    );
    assert_eq!(seen["motivos"], json!([]));
    for account in 0..4 {
        of_another(&app, format!("con_{account}")).await;
    }
    let seen = evidence(&app).await;
    assert_eq!(
        (&seen["amostra"], &seen["recusadas"], &seen["falhas"]),
        (&json!(7), &json!(1), &json!(1)),
        "{seen}"
    );
    assert_eq!(seen["taxa_sucesso"].to_string(), "0.71", "{seen}");
    // A reason that one account met stays its own.
    assert_eq!(seen["motivos"], json!([]));
    // Out of the window it counts no more; the day of the last note stays.
    app.ahead_ms.fetch_add(100 * 86_400_000, Ordering::Relaxed);
    let seen = evidence(&app).await;
    assert!(
        seen["amostra"].is_null() && seen["amostra_classe"].is_null(),
        "{seen}"
    );
    assert_eq!(seen["ultima_emissao_em"], json!(today), "{seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_notes_are_counted_as_they_are_found_on_sqlite() {
    counted(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_notes_are_counted_as_they_are_found_on_postgres() {
    counted(Backend::Postgres).await;
}
