//! `hub compact` adds up the days of a store that an older version made, whenever it dies.

use crate::lane::{City, Lane};
use crate::sql::execute;
use store::checks;
use store::tables::documents::days;
use tests::app::Backend;

/// Days of the test, and documents of each.
const DAYS: i64 = 40;
const MANY: i64 = 100;
/// Nothing is packed.
const COMPACT: [&str; 3] = ["compact", "--older-than-hours", "87600"];
const EXACT: &str = "SELECT COUNT(*) FROM document_days WHERE state = 1";
const OPEN: &str = "SELECT COUNT(*) FROM document_days WHERE state = 0";
/// As it is after the migration.
const FORGET: [&str; 3] = [
    "DELETE FROM document_days",
    "DELETE FROM document_sums",
    "DELETE FROM document_progress",
];

/// Drafts of the days before one.
fn drafts(until: i64) -> String {
    let (first_ms, many) = (days::first_ms(until - DAYS), DAYS * MANY);
    format!(
        "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < {many}) \
         INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
         conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
         valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms, valor_centavos) \
         SELECT 'nfe_' || CAST(i AS TEXT), e.account_id, e.id, '55', 'producao', 0, 'rascunho', \
         '1', i, 0, '', '', 'nacional', '', '', '', '', '1.00', '', '', 0, '', '', '', '', '', '', '', '', '', '', '', '', \
         {first_ms} + (i - 1) * CAST(86400000 / {MANY} AS BIGINT), 0, i FROM k, emitters e"
    )
}

/// What `hub doctor` says of the database.
async fn is_clean(lane: &Lane, when: &str) {
    let mut conn = lane.db.read().await.expect("connection");
    let findings = checks::run(&mut conn).await.expect("checks");
    assert_eq!(findings, [], "{when}");
}

async fn run(backend: Backend) {
    let Some(lane) = Lane::open_with(backend, &[City::National], &[]).await else {
        return;
    };
    // A hub has used the folder.
    let mut node = lane.node().await;
    assert_eq!(node.stop().await, Some(0));
    let until = days::until(base::when::system_clock()());
    execute(&lane.db, drafts(until).leak()).await;
    for sql in FORGET {
        execute(&lane.db, sql).await;
    }
    for step in [
        "days, before writing",
        "days, before commit",
        "days, committed",
        "day, before writing",
        "day, before commit",
        "day, committed",
    ] {
        lane.command_dying_at(step, &COMPACT).await;
        is_clean(&lane, step).await;
    }
    assert_eq!(lane.count(EXACT).await, 1, "the last one died behind it");
    // Two at a time add each day up once; where other tests write into databases of the same
    // server, a day may have to wait.
    let (one, other) = tokio::join!(lane.command(&COMPACT), lane.command(&COMPACT));
    assert!(one.0 && one.1.contains("days added up: "), "{}", one.1);
    assert!(
        other.0 && other.1.contains("days added up: "),
        "{}",
        other.1
    );
    tests::until(async || {
        let (well, said) = lane.command(&COMPACT).await;
        assert!(well, "{said}");
        (lane.count(OPEN).await == 0).then_some(()).ok_or(said)
    })
    .await;
    assert!(lane.count(EXACT).await >= DAYS);
    let counted = "SELECT CAST(SUM(documentos) AS BIGINT) FROM document_sums WHERE emitter_id = ''";
    assert_eq!(lane.count(counted).await, DAYS * MANY);
    is_clean(&lane, "all is added up").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
