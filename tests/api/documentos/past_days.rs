//! A summary is the same whether its days were added up or not.

use crate::common::{BELO_HORIZONTE, ask, cnpj};
use objects::archive::{self, DaysPlace};
use reqwest::Method;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use std::sync::atomic::Ordering;
use store::Conn;
use store::tables::documents::days;
use tests::bodies::nfse;
use tests::{TestApp, both};

const DAY_MS: i64 = 86_400_000;

/// Runs what no module of a table says; how many rows it changed.
async fn execute(app: &TestApp, sql: String) -> u64 {
    let done = match app.app.db.read().await.expect("connection") {
        Conn::Sqlite(mut conn) => conn.execute(&sql, &[]),
        Conn::Postgres(mut conn) => sqlx::query(AssertSqlSafe(sql))
            .execute(&mut *conn)
            .await
            .map(|done| done.rows_affected()),
    };
    done.expect("done")
}

/// So many drafts of a day.
fn drafts(emitter: &str, day: i64, many: i64) -> String {
    let first_ms = days::first_ms(day);
    format!(
        "WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < {many}) \
         INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
         conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
         valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms, valor_centavos) \
         SELECT 'nfe_{day}_' || CAST(i AS TEXT), e.account_id, e.id, '55', CASE WHEN i % 4 = 0 THEN 'homologacao' ELSE 'producao' END, 0, 'rascunho', \
         '1', i, 0, '', '', 'nacional', '', '', '', '', '1.00', '', '', 0, '', '', '', '', '', '', '', '', '', '', '', '', {first_ms} + i, 0, i FROM k, emitters e WHERE e.id = '{emitter}'"
    )
}

/// The summaries of the month, asked in every way.
async fn summaries(app: &TestApp, emitter: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for query in [
        String::new(),
        "?ambiente=homologacao".to_owned(),
        "?agrupar=emitente".to_owned(),
        format!("?emitente_id={emitter}"),
        format!("?agrupar=emitente&emitente_id={emitter}"),
        "?emitente_id=emi_01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
    ] {
        let path = format!("/api/v1/documentos/resumo{query}");
        let mut answer = app.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        all.push(answer.body["itens"].take());
    }
    all
}

/// Rounds of a node until no day is left.
async fn added_up(app: &TestApp) {
    let mut place = DaysPlace::default();
    tests::until(async || {
        let round = archive::round_of_days(&app.app.objects, &mut place).await;
        round.expect("a round");
        let open = "UPDATE document_days SET state = 0 WHERE state = 0".to_owned();
        match execute(app, open).await {
            0 => Ok(()),
            open => Err(open),
        }
    })
    .await;
}

both! {
    async fn a_summary_is_the_same_before_and_after_its_days_are_added_up(app: TestApp) {
        app.stop_clock();
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let path = format!("/api/v1/documentos/{}", draft.text_at("/nota_id"));
        let today = days::day_of(app.app.now_ms());
        assert_eq!(execute(&app, drafts(&emitter, today, 90)).await, 90);
        assert_eq!(execute(&app, drafts(&emitter, today + 2, 20)).await, 20);
        // Five days later the day has been over for long; the last two are not added up.
        app.ahead_ms.store(5 * DAY_MS, Ordering::Relaxed);
        assert_eq!(execute(&app, drafts(&emitter, today + 5, 10)).await, 10);
        let before = summaries(&app, &emitter).await;
        let counted = |summary: &Value| -> i64 {
            let items = summary.as_array().expect("items");
            items.iter().filter_map(|item| item["documentos"].as_i64()).sum()
        };
        // One of four drafts is of homologação.
        let expected = [68 + 15 + 8 + 1, 22 + 5 + 2, 92, 92, 92, 0];
        assert_eq!(before.iter().map(counted).collect::<Vec<_>>(), expected);

        added_up(&app).await;
        let exact = "UPDATE document_days SET state = 1 WHERE state = 1".to_owned();
        assert_eq!(execute(&app, exact).await, 4, "today and the three days behind it");
        assert_eq!(summaries(&app, &emitter).await, before);

        // What happens to an old document is told at once, and when its day was added up anew.
        let gone = ask(&app, Method::DELETE, &path, None).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
        for _ in 0..2 {
            let after = summaries(&app, &emitter).await;
            let expected = [91, 29, 91, 91, 91, 0];
            assert_eq!(after.iter().map(counted).collect::<Vec<_>>(), expected);
            app.check_invariants().await;
            added_up(&app).await;
        }
    }
}
